"""Tables that stand outside a study: what the project's README says first, and what the programs in benchmarks/ measured."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from results import records
from results.questions import Study
from results.statistics import percent
from results.tables import Section, table
from rubiks_gym import zoo
from rubiks_gym.exact import bench
from train.zoo import RECIPES

# algorithm, questions, run, searches: what the README shows of each
SHOWN = (
    ("symmetric_ntuple", "uniform", "3x3-qtm", ("beam 8,192",)),
    ("symmetric_ntuple", "tails", "trained-qtm", ("beam 16,384, tail 13", "certified")),
    ("symmetric_ntuple", "bench 100", "trained-htm", ("certified up to 17",)),
    ("general_ntuple", "15-puzzle", "15-puzzle", ("beam 5,120",)),
    ("general_ntuple", "24-puzzle", "24-puzzle", ("beam 10,240", "beam 102,400")),
    *(("general_ntuple", "small", run, ("beam 512",)) for run in ("pyraminx", "2x2x2", "skewb")),
    ("general_ntuple", "stacks", "pancake-15", ("beam 1,024",)),
    *(("general_ntuple", "large", run, ("beam 8,192",)) for run in ("35-puzzle", "48-puzzle", "lights-out-7", "top-spin")),
    *(("general_ntuple", "random", run, ("macro-beam",)) for run in ("4x4x4", "5x5x5", "megaminx")),
    ("davi", "uniform", "2x2", ("weight 1.0",)),
    ("davi", "uniform", "3x3", ("BWAS, weight 0.2", "BWAS, weight 0.4")),
    ("adi", "uniform", "2x2", ("policy, no undo", "DeepCube", "DeepCube, as printed")),
    ("adi", "uniform", "3x3", ("DeepCube",)),
    ("ppo_chasenet", "policy alone", "2x2", ("sampled",)),
    ("td_ntuple", "plain walks", "2x2-qtm", ("agent alone", "MCTS 100")),
)
COLUMNS = "puzzle, learner, training, search, start states, solved, optimal, mean length, CPU s"
TRUTH = ("docs/truth.md", "bench")  # where the table of proven cubes is
BENCHMARKS = {  # benchmark -> the file that shows its table, and the mark there
    "speed": ("README.md", "speed"),
    "puzzles": ("README.md", "puzzles"),
    "positions": ("docs/truth.md", "positions"),
    "reid": ("docs/truth.md", "reid"),
    "search": ("rubiks_gym/search/README.md", "search"),
    "clients": ("docs/clients.md", "clients"),
    "campaign": ("docs/tutorials/campaigns.md", "campaign"),
    "campaign_hosts": ("docs/tutorials/campaigns.md", "hosts"),
    "scale": ("docs/scale.md", "rates"),
    "exchange": ("docs/scale.md", "exchange"),
    **{name: ("docs/gpu.md", name) for name in ("hardware", "ranks", "td_ranks")},
    "fuzz": ("docs/robustness.md", "fuzz"),
    "faults": ("docs/robustness.md", "faults"),
    **{name: (f"agents/{name}/README.md", "speed") for name in ("symmetric_ntuple", "td_ntuple", "davi", "ppo_chasenet")},
}
# programs outside benchmarks/
ELSEWHERE = {"clients": "clients", **{name: f"tests.{name}" for name in ("campaign_hosts", "fuzz", "faults")}}


def learners(studies: dict[str, Study]) -> str:
    """A line for each answer of SHOWN that there is, of the lowest seed."""
    found = []
    for algorithm, questions, run, searches in SHOWN:
        asked = Section("", questions, runs=(run,)).answers(studies[algorithm])
        first = {answer.label: answer for answer in reversed(asked)}
        found += [first[label] for label in searches if label in first]
    return Section("", "", COLUMNS).lines(found)


def truth() -> str:
    """What is proven of the bench's cubes, in each metric."""
    rows = []
    for metric in bench.METRICS:
        known = list(bench.known(metric).values())
        proven = [line for line in known if line["proven"]]
        if not proven:
            continue
        lengths = np.array([line["upper"] for line in proven])
        counts = ", ".join(f"{d}: {n}" for d, n in zip(*np.unique(lengths, return_counts=True), strict=True))
        seconds = np.array([line["cpu_seconds"] for line in known])
        bounds = [f"{line['lower']} to {line['upper']}" for line in known if not line["proven"]]
        others = ", ".join(f"{text}: {bounds.count(text)}" for text in sorted(set(bounds)))
        within = np.mean([line["proven"] and line["cpu_seconds"] <= 60 for line in known])
        rows.append([metric, str(len(known)), str(len(proven)), f"{lengths.mean():.2f}", counts, others])
        rows[-1] += [f"{seconds.mean():.1f}", f"{np.median(seconds):.1f}", f"{within:.1%}"]
    headings = "metric, cubes, proven, mean, cubes at each distance, bounds of the others, CPU s, median, proven in 60 CPU s"
    return table(headings.split(", "), rows) if rows else "Nothing is proven yet."


def headline(studies: dict[str, Study]) -> str:
    """What the network of a run does with random cubes (another seed than the trained tables), and these with proofs."""
    texts, study = [], studies["symmetric_ntuple"]
    for answer in study.of("uniform", "3x3-qtm")[:1]:
        lengths, record = records.unpack(answer.record).lengths, answer.record
        solved, minutes = np.isfinite(lengths), record["training"]["seconds"] / 60
        texts.append(
            f"After {minutes:.0f} minutes of learning on two cores such a network ({answer.run}) solves {solved.sum():,} of "
            f"{len(lengths):,} uniformly random cubes, in {lengths[solved].mean():.1f} quarter turns on average and "
            f"{record['each']['cpu_seconds']:.1f} CPU seconds each."
        )
    for answer in (answer for answer in study.of("tails", "trained-qtm") if answer.label == "certified"):
        (_, lengths, distances), record = records.unpack(answer.record), answer.record
        within = (lengths <= np.array(record["lower"])) & (np.array(record["times"]) <= 60)
        texts.append(
            f"Joined with an exact search (`--search certified`) the trained tables solve {(lengths == distances).sum()} of "
            f"{len(lengths)} cubes of DeepCubeA's test set optimally, {within.sum()} with a proof within a minute on one core, "
            f"in {record['each']['cpu_seconds']:.1f} CPU seconds on average."
        )
    return " ".join(texts) or "Not measured yet: `python -m results --measure symmetric_ntuple` does."


def zoo_agents() -> str:
    """A line for each agent of the zoo that is in the checkout: its size, what it cost, and what each search solves with it."""
    rows = []
    for name, entry in zoo.index().items():
        if (file := zoo.CHECKOUT / name / "results.json").exists():
            results = json.loads(file.read_text())
            cells = [
                f"[{name}](../zoo/{name}/README.md)",
                f"{entry.bytes / 1e6:.1f}",
                f"{results['trained']['cpu_seconds']:.0f}",
            ]
            for search in ("greedy", "greedy-policy", "bwas", "beam"):
                found = [row for row in results["rows"] if row["search"] == search]
                told = [[percent(row[kind]) for kind in ("solved", "optimal") if kind in row] for row in found]
                cells += [" / ".join(shares) for shares in told] or [""]
            rows.append(cells)
    searches = ("lowest child", "learnt policy", "A\\*", "beam 64")
    text = table(["agent", "MB", "CPU s of training", *(f"{search}: solved / optimal, %" for search in searches)], rows)
    missing = [name for name in RECIPES if name not in zoo.index()]
    return text + (f"\n\nStill to be trained: `python -m train.zoo {' '.join(missing)}`." if missing else "")


def figure(value: Any) -> str:
    """A figure for the eye: 57.8M, 43.4k, 3.21; a range as 3 to 4."""
    if isinstance(value, list | tuple):
        return " to ".join(map(figure, value))
    if not isinstance(value, int | float):
        return value or ""
    for scale, letter in ((1e6, "M"), (1e4, "k")):
        if abs(value) >= scale:
            return f"{value / (1e3 if letter == 'k' else scale):.3g}{letter}"
    return f"{value:.4g}" if value >= 1000 else f"{value:.3g}"


def benchmark(folder: Path, name: str) -> str:
    """The table of a benchmark's newest record that was measured from a commit."""
    found = [r for r in records.read(folder / "speed.jsonl") if r["benchmark"] == name and records.usable(r)]
    if not found:
        return f"Not measured yet: `python -m {ELSEWHERE.get(name, f'benchmarks.{name}')}` does."
    record = found[-1]
    headings = [key for key in record["rows"][0] if key != "required"]
    load = f", load before {record['load']:.1f}" if record["load"] is not None else ""
    made = f"`{record['command']}`, {record['date'][:10]}, commit {record['commit'][:10]}, {record['machine']['processor']}"
    notes = " ".join(filter(None, [record.get("note"), f"{made}{load}."]))
    return f"{table(headings, ([figure(row.get(key)) for key in headings] for row in record['rows']))}\n\n{notes}"
