"""Write the tables and the figure of README.md from what train.evaluate has measured: python -m results.symmetric_ntuple.results

Looks for runs/symmetric_ntuple/NAME-sSEED/QUESTION-WIDTH/evaluation.json, as the commands in README.md make them; QUESTION is `uniform`
or `testset`. What was measured is kept in results.jsonl.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from matplotlib.figure import Figure

from agents.symmetric_ntuple.config import PRESETS
from results.symmetric_ntuple.published import PUBLISHED
from rubiks_gym import files

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Options:
    """Where to read and to write."""

    runs: Path = Path("runs/symmetric_ntuple")
    """Folder of the run folders."""
    project: Path = HERE.parent.parent
    """Where README.md and agents/symmetric_ntuple/README.md are."""


def read(runs: Path, kept: Path) -> list[dict[str, Any]]:
    """One record per evaluation: run, seed, question, width, the evaluation's row, seconds of training, origin.

    Run folders are large and stay on the machine that made them; a file of what was measured so far is kept beside README.md.
    Evaluations in run folders are newer, and replace what it holds of the same run, question and width.
    """
    lines = kept.read_text().splitlines() if kept.exists() else []
    records = {_key(record): record for record in map(json.loads, lines)}
    for file in sorted(runs.glob("*-s*/*-*/evaluation.json")):
        result, folder = json.loads(file.read_text()), file.parent.parent
        name, _, seed = folder.name.rpartition("-s")
        question, _, width = file.parent.name.rpartition("-")
        if not width.isdigit():
            raise ValueError(f"{file.parent} must be called QUESTION-WIDTH, for example uniform-4096")
        metrics = folder / "metrics.jsonl"  # an untrained agent has none
        steps = [json.loads(line) for line in metrics.read_text().splitlines()] if metrics.exists() else []
        record = {"name": name, "seed": seed, "question": question, "width": int(width), **result["rows"][0]}
        records[_key(record)] = record | {"training": sum(step["seconds"] for step in steps), "made": result["made"]}
    if not records:
        raise ValueError(f"no evaluations RUN-sSEED/QUESTION-WIDTH in {runs}: see README.md for the commands")
    return [records[key] for key in sorted(records)]


def _key(record: dict[str, Any]) -> tuple[str, str, int, str]:
    return record["name"], record["question"], record["width"], record["seed"]


def together(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What all seeds of a run find together if each cube gets the shortest of their solutions, as `--also` does it."""
    found = []
    for key in sorted({_key(r)[:3] for r in records}):
        runs = [r for r in records if _key(r)[:3] == key and "lengths" in r]
        if len(runs) > 1 and len({r["starts"] for r in runs}) == 1:
            each = np.array([r["lengths"] for r in runs], float)  # [runs, cubes], nan where unsolved
            shortest = np.fmin.reduce(each)
            row = dict(runs[0]) | {"seed": "+".join(r["seed"] for r in runs), "mean_length": float(np.nanmean(shortest))}
            row |= {name: sum(r[name] for r in runs) for name in ("training", "cpu_seconds", "nodes")}
            row["solved"] = float(np.isfinite(shortest).mean())
            if row["distances"] is not None:
                row["optimal"] = float((shortest == row["distances"]).mean())
            found.append(row)
    return found


def table(records: list[dict[str, Any]]) -> str:
    """One line per evaluation."""
    lines = [
        "| run | seed | training, min | cubes | beam width | solved | mean length | optimal | CPU s a cube | nodes a cube |",
        "|---" * 10 + "|",
    ]
    for r in records:
        optimal = f"{100 * r['optimal']:.1f}%" if "optimal" in r else ""
        length = "-" if r["mean_length"] is None else f"{r['mean_length']:.2f}"
        question = r["question"].replace("_", " ")
        solved = f"{round(r['solved'] * r['starts']):,} of {r['starts']:,}"
        lines.append(
            f"| {r['name']} | {r['seed']} | {r['training'] / 60:.1f} | {question} | {r['width']:,} | {solved} | "
            f"{length} | {optimal} | {r['cpu_seconds']:.2f} | {r['nodes']:,.0f} |"
        )
    return "\n".join(lines)


def figure(records: list[dict[str, Any]]) -> Figure:
    """Mean length and share optimal on the test set against seconds per cube, ours and the published ones."""
    picture = Figure(figsize=(11, 4.5), layout="constrained")
    left, right = picture.subplots(1, 2)
    measured = [r for r in records if r["question"] == "testset"]
    for run in sorted({(r["name"], r["seed"]) for r in measured}):
        points = [r for r in measured if (r["name"], r["seed"]) == run]
        seconds = [r["cpu_seconds"] for r in points]
        label = f"{run[0]}, seed {run[1]}, {points[0]['training'] / 60:.0f} min of training"
        left.plot(seconds, [r["mean_length"] for r in points], "o-", label=label)
        right.plot(seconds, [100 * r["optimal"] for r in points], "o-", label=label)
    for name, (length, optimal, seconds, _) in PUBLISHED.items():
        for axes, value in ((left, length), (right, 100 * optimal)):
            if value is not None and seconds is not None:
                axes.plot([seconds], [value], "k*", markersize=10)
                axes.annotate(f"{name} (GPU)  ", (seconds, value), ha="right", va="center", fontsize=8)
            elif value is not None:
                axes.axhline(value, color="grey", linewidth=0.8, linestyle=":")
                axes.annotate(name, (1, value), xycoords=("axes fraction", "data"), ha="right", va="bottom", fontsize=8)
    if measured:
        left.axhline(np.mean([r["mean_distance"] for r in measured]), color="black", linewidth=0.8)
        left.legend(fontsize=8)
    left.set(
        xscale="log", xlabel="CPU seconds per cube", ylabel="mean length, quarter turns", title="the line below is optimal"
    )
    right.set(xscale="log", xlabel="CPU seconds per cube", ylabel="percent solved optimally", ylim=(0, 101))
    for axes in (left, right):
        axes.grid(alpha=0.3)
    return picture


def write(options: Options) -> None:
    """All measurements into README.md, the figure beside it; those of each preset's runs alone into the project's README.md."""
    own, first = options.project / "agents" / "symmetric_ntuple", options.project / "README.md"
    records = read(options.runs, own / "results.jsonl")
    files.write_text(own / "results.jsonl", "".join(f"{json.dumps(record)}\n" for record in records))
    records = sorted(records + together(records), key=_key)
    presets = [r for r in records if r["name"] in PRESETS]
    figure(presets).savefig(own / "length.png", dpi=110)
    files.write_between(own / "README.md", "results", "\n\n".join([table(records), *origins(records)]))
    alone = [r for r in presets if r["question"] in ("uniform", "testset") and "+" not in r["seed"]]
    files.write_between(first, "symmetric_ntuple", "\n\n".join([table(alone), *origins(alone)]))
    print(f"written: {own / 'README.md'}, {own / 'length.png'}, {first}")


def origins(records: list[dict[str, Any]]) -> list[str]:
    """When, where and from which code the figures were made."""
    commits: dict[tuple[str, str], set[str]] = {}
    for made in (r["made"] for r in records):
        of_day = commits.setdefault((made["date"][:10], made["machine"]["processor"]), set())
        of_day |= {commit[:10] for commit in made["commit"].split(", ")}  # of what was measured first one knows only several
    return [
        f"Measured {day}, commits {', '.join(sorted(c))}, {machine}, two cores."
        for (day, machine), c in sorted(commits.items())
    ]


def main() -> None:
    """The command line."""
    try:
        write(tyro.cli(Options, description=__doc__))
    except (ValueError, FileNotFoundError) as error:
        raise SystemExit(f"error: {error}") from None


if __name__ == "__main__":
    main()
