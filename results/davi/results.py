"""Measure trained runs beside the published figures, and write the tables of README.md: python -m results.davi.results

Runs are folders runs/davi/PRESET-sSEED, as the commands in README.md make them. What has been measured is kept in each run's
measured.json and not measured again; `--no-measure` only writes the tables.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tyro

import agents
from agents.davi.agent import Davi
from agents.davi.config import PRESETS
from results.davi.figures import convergence_points, losses_figure
from results.davi.published import ERROR, HANOI, HEURISTIC, OPTIMAL, POINTS, PREFIXES
from results.measured import Job, measure_once
from rubiks_gym import files
from rubiks_gym.exact import ExactTable
from rubiks_gym.puzzles import Hanoi, Puzzle, Rubik3x3
from rubiks_gym.scrambles import DeepCube
from rubiks_gym.search import Budget, make_search
from train.evaluation import FARTHEST, heuristic_quality, solved_from, start_states
from train.probe import Probe
from train.runs import origin

HERE = Path(__file__).parent
EACH_DISTANCE = "every distance"


@dataclass(frozen=True)
class Options:
    """Which runs to measure, and how."""

    runs: Path = Path("runs/davi")
    """Folder of the run folders."""
    walks: int = 10_000
    """DeepCube-walk states (K = 20) of the 2x2x2."""
    uniform: int = 2000
    """Uniformly random states of the 2x2x2."""
    cubes: int = 200
    """Uniformly random states of the 3x3x3."""
    seconds: float = 60.0
    """For each of those."""
    n: int = 7
    """States that BWAS expands per round on the 2x2x2 and on Hanoi (N)."""
    n_3x3: int = 100
    """The same on the 3x3x3."""
    seed: int = 0
    """Of the states."""
    measure: bool = True
    """Measure what is missing; otherwise only write the tables."""
    only: str = ""
    """Measure only runs whose name begins with this."""
    points: int = 0
    """Of the thesis's runs, measure the agents of so many last convergence points (the thesis: 4); hours each."""
    readme: Path = HERE / "README.md"
    """Where the tables go, between <!-- results:begin --> and <!-- results:end -->."""


# Measuring -------------------------------------------------------------------------------------------------------------


def jobs(agent: Davi, options: Options) -> Iterator[Job]:
    """What there is to measure of an agent."""
    if isinstance(agent.puzzle, Hanoi):
        yield from hanoi_jobs(agent, options)
    elif isinstance(agent.puzzle, Rubik3x3):
        yield from large_cube_jobs(agent, options)
    else:
        yield from small_cube_jobs(agent, options)
    if agent.puzzle.enumerable:
        yield "heuristic", lambda: heuristic_quality(agent)


def small_cube_jobs(agent: Davi, options: Options) -> Iterator[Job]:
    """BWAS on states of DeepCube walks, which may undo the move before as the thesis's or not, on uniform ones, and on every
    distance alike (300 states, or all there are)."""
    puzzle = agent.puzzle
    sets = {
        f"walks {options.walks}": lambda: walk_states(puzzle, options, allow_undo=True),
        f"clean walks {options.walks}": lambda: walk_states(puzzle, options, allow_undo=False),
        f"uniform {options.uniform}": lambda: start_states(puzzle, 0, options.uniform, options.seed),
        EACH_DISTANCE: lambda: Probe(puzzle, 300).states,
    }
    for name, states in sets.items():
        for weight in (0.7, 1.0):
            yield (
                f"{name}, weight {weight}",
                lambda states=states, weight=weight: by_distance(agent, states(), weight, options.n),
            )


def walk_states(puzzle: Puzzle, options: Options, allow_undo: bool) -> np.ndarray:
    """Every state of walks of 20 moves."""
    return DeepCube(20, allow_undo).sample(puzzle, options.walks, np.random.default_rng(options.seed))[0]


def by_distance(agent: Davi, states: np.ndarray, weight: float, n: int) -> dict[str, Any]:
    """What BWAS makes of states [B, S], and the share solved optimally at each distance."""
    truth = ExactTable(agent.puzzle).distance(states)
    row = solved_from(agent.puzzle, make_search("bwas", agent, {"weight": weight, "batch": n}), states, truth)
    del row["distances"]
    best = np.array([-1 if length is None else length for length in row.pop("lengths")]) == truth
    shares = [float(best[truth == d].mean()) if (truth == d).any() else None for d in range(int(truth.max()) + 1)]
    return row | {"optimal_by_distance": shares}


def hanoi_jobs(agent: Davi, options: Options) -> Iterator[Job]:
    """From the start peg, by weight; and from the start of every smaller tower with the same network."""
    for weight in (0.3, 0.5, 0.7, 1.0):
        yield f"start, weight {weight}", lambda weight=weight: from_start(agent, weight, options.n)
    for disks in range(1, agent.puzzle.disks):
        for weight in (0.5, 0.7, 1.0):
            fewer = agent.fewer_disks(disks)
            yield f"{disks} disks, weight {weight}", lambda fewer=fewer, weight=weight: from_start(fewer, weight, options.n)


def from_start(agent: Any, weight: float, n: int) -> dict[str, Any]:
    """BWAS from the opening position."""
    search = make_search("bwas", agent, {"weight": weight, "batch": n})
    start = agent.puzzle.start[None]
    return solved_from(agent.puzzle, search, start, ExactTable(agent.puzzle).distance(start))


def large_cube_jobs(agent: Davi, options: Options) -> Iterator[Job]:
    """Solved rate against depth, random cubes by weight and with a beam, and the prefixes of the hardest position."""
    puzzle, budget = agent.puzzle, Budget(nodes=2**40, seconds=options.seconds)
    quick = Budget(nodes=100_000, seconds=options.seconds)
    for depth in range(2, 27, 2):
        states = start_states(puzzle, depth, 20, options.seed)
        search = make_search("bwas", agent, {"weight": 0.2, "batch": options.n_3x3}, budget=quick)
        yield f"depth {depth}", lambda states=states, search=search: solved_from(puzzle, search, states)
    cubes = start_states(puzzle, 0, options.cubes, options.seed)
    for weight in (0.1, 0.2, 0.4):
        search = make_search("bwas", agent, {"weight": weight, "batch": options.n_3x3}, budget=budget)
        yield f"random {options.cubes}, weight {weight}", lambda search=search: solved_from(puzzle, search, cubes)
    for width in (256, 1024):
        search = make_search("beam", agent, {"width": width}, budget=budget)
        yield f"random {options.cubes}, beam {width}", lambda search=search: solved_from(puzzle, search, cubes)
    moves = puzzle.parse(FARTHEST)
    for q in range(1, 21):
        search = make_search("bwas", agent, {"weight": 0.6, "batch": options.n_3x3}, budget=budget)
        state = puzzle.after(moves[:q])[None]
        yield f"prefix {q}", lambda search=search, state=state, q=q: solved_from(puzzle, search, state, np.array([q]))


# Tables ----------------------------------------------------------------------------------------------------------------


def small_cube_table(runs: list[tuple[Path, dict[str, Any]]]) -> str:
    """One line per run: shares optimal, errors, admissible and consistent shares, greedy; the thesis's figure beside ours."""
    lines = [
        "| run | states | minutes | walks, weight 0.7 | weight 1.0 | clean walks, 0.7 | 1.0 | uniform, 0.7 | 1.0 | ms | "
        "error | admissible | consistent | greedy | without undo |",
        "|---" * 15 + "|",
    ]
    for folder, rows in runs:
        preset, training = preset_of(folder), metrics(folder)
        cells = [label(folder), f"{training[-1]['states']:,.0f}", f"{minutes(training):.1f}"]
        for kind in ("walks", "clean walks", "uniform"):
            for weight in (0.7, 1.0):
                row = next((r for name, r in rows.items() if re.fullmatch(rf"{kind} \d+, weight {weight}", name)), None)
                theirs = f" ({OPTIMAL[preset]:.1f})" if (kind, weight) == ("walks", 0.7) and preset in OPTIMAL else ""
                cells.append("" if row is None else f"{100 * row['optimal']:.2f}{theirs}")
        times = [1000 * row["seconds"] for row in rows.values() if "seconds" in row]
        cells.append(f"{np.mean(times):.1f}" if times else "")
        quality = rows.get("heuristic")
        if quality is not None:
            error = f" ({ERROR[preset]:.2f})" if preset in ERROR else ""
            theirs = HEURISTIC.get(preset)
            cells += [
                f"{quality['mean_absolute_error']:.3f}{error}",
                f"{100 * quality['admissible']:.1f}" + (f" ({theirs[0]:.1f})" if theirs else ""),
                f"{100 * quality['consistent']:.1f}" + (f" ({theirs[2]:.1f})" if theirs else ""),
                f"{100 * quality['greedy_solved']:.2f}",
                f"{100 * quality['greedy_without_undo_solved']:.2f}",
            ]
        lines.append("| " + " | ".join(cells + [""] * (15 - len(cells))) + " |")
    return "\n".join([*lines, "", *distance_table(runs)])


def distance_table(runs: list[tuple[Path, dict[str, Any]]]) -> list[str]:
    """Percent of 300 states (or of all there are) solved optimally, and mean absolute error, at each distance."""
    lines = ["| distance | " + " | ".join(map(str, range(15))) + " |", "|---" * 16 + "|"]
    for folder, rows in runs:
        for name, row in rows.items():
            if name.startswith(EACH_DISTANCE):
                cells = [f"{100 * share:.1f}" for share in row["optimal_by_distance"]]
                lines.append(f"| {label(folder)},{name.rpartition(',')[2]}: optimal, % | {' | '.join(cells)} |")
        if "heuristic" in rows:
            cells = [f"{error:.2f}" for error in rows["heuristic"]["error_by_distance"]]
            lines.append(f"| {label(folder)}: error | {' | '.join(cells)} |")
    return lines


def points_table(runs: list[Path]) -> str:
    """States seen, in thousands, at each convergence point, the thesis's in a line of its own; our error at equal states."""
    found = {folder.name: convergence_points(metrics(folder)) for folder in runs}
    most = max(map(len, [*found.values(), *(POINTS.get(preset_of(folder), []) for folder in runs)]))
    lines = ["| thousands of states at convergence point | " + " | ".join(map(str, range(1, most + 1))) + " |"]
    lines.append("|---" * (most + 1) + "|")
    for folder in runs:
        per_iteration = PRESETS[preset_of(folder)][1].batch / 1000
        ours = [f"{step * per_iteration:.0f}" for step in found[folder.name]]
        theirs = [str(step) for step in POINTS.get(preset_of(folder), [])]
        for name, cells in ((folder.name, ours), (f"{preset_of(folder)}, thesis", theirs)):
            lines.append("| " + " | ".join([name, *cells, *[""] * (most - len(cells))]) + " |")
    probed = {folder.name: {row["states"]: row["error"] for row in metrics(folder) if "error" in row} for folder in runs}
    common = sorted(set.intersection(*(set(errors) for errors in probed.values())))
    lines += ["", line("mean absolute error after thousands of states", [f"{states / 1000:.0f}" for states in common])]
    lines.append("|---" * (len(common) + 1) + "|")
    lines += [line(name, [f"{errors[states]:.2f}" for states in common]) for name, errors in probed.items()]
    return "\n".join(lines)


def rules_table(runs: list[Path]) -> str:
    """The runs rule-NAME-sSEED: which rule for model_e brings the error down fastest."""
    lines = ["| run | states | minutes | convergence points | mean absolute error, all states |", "|---" * 5 + "|"]
    for folder in runs:
        rows = metrics(folder)
        states, points = f"{rows[-1]['states']:,.0f}", f"{rows[-1]['convergence_points']:.0f}"
        lines.append(f"| {folder.name} | {states} | {minutes(rows):.1f} | {points} | {rows[-1]['error']:.3f} |")
    return "\n".join(lines)


def hanoi_table(runs: list[tuple[Path, dict[str, Any]]]) -> str:
    """One line per run and weight from the start peg, and one for the smaller towers."""
    lines = ["| run | minutes | weight | moves | optimal | nodes | s | thesis: minutes, moves, s |", "|---" * 8 + "|"]
    for folder, rows in runs:
        spent = f"{minutes(metrics(folder)):.1f}"
        theirs = HANOI.get(preset_of(folder))
        beside = f"{theirs[0]}, {theirs[1]}, {theirs[2]}" if theirs else ""
        for name, row in rows.items():
            if name.startswith("start"):
                length = "-" if row["mean_length"] is None else f"{row['mean_length']:.0f}"
                best = "yes" if row["optimal"] == 1 else "no"
                weight = name.rpartition(" ")[2]
                cells = [
                    label(folder),
                    spent,
                    weight,
                    length,
                    best,
                    f"{row['nodes']:,.0f}",
                    f"{row['seconds']:.2f}",
                    beside,
                ]
                lines.append("| " + " | ".join(cells) + " |")
        smaller = [row["optimal"] == 1 for name, row in rows.items() if "disks" in name]
        if smaller:
            lines.append(
                f"| {label(folder)} | | | smaller towers, three weights each | {sum(smaller)} of {len(smaller)} | | | |"
            )
        if "heuristic" in rows:
            quality = rows["heuristic"]
            shares = f"admissible {100 * quality['admissible']:.1f}%, consistent {100 * quality['consistent']:.1f}%"
            lines.append(f"| {label(folder)} | | | error {quality['mean_absolute_error']:.3f}, {shares} | | | | |")
    return "\n".join(lines)


def large_cube_table(runs: list[tuple[Path, dict[str, Any]]]) -> str:
    """Random cubes: a line per run and search. Then percent solved by depth, and the prefixes with the thesis's seconds."""
    lines = ["| run | minutes | cubes and search | solved | mean length | nodes | CPU s a cube |", "|---" * 7 + "|"]
    for folder, rows in runs:
        spent = f"{minutes(metrics(folder)):.1f}"
        for name, row in rows.items():
            if name.startswith("random"):
                length = "-" if row["mean_length"] is None else f"{row['mean_length']:.2f}"
                cells = [spent, name, f"{100 * row['solved']:.1f}%", length, f"{row['nodes']:,.0f}"]
                cells.append(f"{row['cpu_seconds']:.2f}")
                lines.append(line(label(folder), cells))
    for kind, title in (
        ("depth", "percent solved with 100,000 nodes, moves from the goal"),
        ("prefix", "prefix of the position at distance 26"),
    ):
        asked = [name for name in runs[0][1] if name.startswith(kind)]
        lines += ["", f"| {title} | {' | '.join(name.split()[1] for name in asked)} |", "|---" * (len(asked) + 1) + "|"]
        for folder, rows in runs:
            found = [rows.get(name) for name in asked]
            if kind == "depth":
                lines.append(line(label(folder), [row and f"{100 * row['solved']:.0f}" for row in found]))
            else:
                lengths = [row and ("-" if row["mean_length"] is None else f"{row['mean_length']:.0f}") for row in found]
                lines.append(line(f"{label(folder)}: length", lengths))
                lines.append(line(f"{label(folder)}: s", [row and f"{row['seconds']:.2f}" for row in found]))
        if kind == "prefix":
            lines.append(line("thesis (N 7): s", [str(PREFIXES.get(int(name.split()[1]), "")) for name in asked]))
    return "\n".join(lines)


def line(title: str, cells: list[str | None]) -> str:
    """A line of a table; nothing where there is none."""
    return f"| {title} | {' | '.join(cell or '' for cell in cells)} |"


def metrics(folder: Path) -> list[dict[str, float]]:
    """A run's metrics.jsonl; the agent of a convergence point has that of its run, up to there."""
    kept = folder.parent.name == "convergence"
    file = (folder.parent.parent if kept else folder) / "metrics.jsonl"
    last = int(agents.last_checkpoint(folder).stem)
    return [row for row in map(json.loads, file.read_text().splitlines()) if row["step"] <= last]


def minutes(rows: list[dict[str, float]]) -> float:
    """The time that iterations took, without looking at errors."""
    return sum(row["seconds"] for row in rows) / 60


def label(folder: Path) -> str:
    """PRESET-sSEED, or, for the agent of a convergence point, PRESET-sSEED at NUMBER."""
    return f"{folder.parent.parent.name} at {int(folder.name)}" if folder.parent.name == "convergence" else folder.name


def preset_of(folder: Path) -> str:
    """The preset that a run folder PRESET-sSEED is named after."""
    return label(folder).rpartition("-s")[0]


def kept_agents(folder: Path) -> list[Path]:
    """The agents of convergence points that a run has kept, oldest first."""
    return sorted((folder / "convergence").glob("[0-9]*"))


# The command -----------------------------------------------------------------------------------------------------------


def write(options: Options) -> None:
    """Measure, then write the tables."""
    folders = [folder for folder in sorted(options.runs.glob("*-s*")) if folder.is_dir() and preset_of(folder) in PRESETS]
    if not folders:
        raise ValueError(f"no runs PRESET-sSEED in {options.runs}: train some first, see README.md")
    for folder in folders:
        if options.measure and folder.name.startswith(options.only) and (folder / "losses.png").exists():
            kept = kept_agents(folder)
            for each in kept[max(0, len(kept) - options.points) :] if preset_of(folder) in POINTS else [folder]:
                measure_once(each, label(each), jobs(agents.load(each), options), {"seed": options.seed})
    measured = [(each, each / "measured.json") for folder in folders for each in (folder, *kept_agents(folder))]
    done = [(folder, json.loads(file.read_text())["rows"]) for folder, file in measured if file.exists()]
    texts = []
    for title, start, make in (
        ("2x2x2", "2x2", small_cube_table),
        ("Towers of Hanoi", "hanoi", hanoi_table),
        ("3x3x3", "3x3", large_cube_table),
    ):
        runs = [(folder, rows) for folder, rows in done if label(folder).startswith(start)]
        if runs:
            texts.append(f"### {title}\n\n{make(runs)}")
    thesis = [folder for folder in folders if preset_of(folder) in POINTS and (folder / "losses.png").exists()]
    if thesis:
        texts.append(f"### Convergence points, the thesis's way\n\n{points_table(thesis)}")
    for folder in thesis:
        losses_figure(folder, PRESETS[preset_of(folder)][1].epsilon).savefig(
            options.readme.with_name(f"losses-{folder.name}.png"), dpi=80
        )
        texts.append(f"![Losses and convergence points of {folder.name}](losses-{folder.name}.png)")
    texts += [
        f"### N by lambda, {label(f)}\n\n{(f / 'grid.md').read_text().strip()}" for f, _ in done if (f / "grid.md").exists()
    ]
    rules = [folder for folder in sorted(options.runs.glob("rule-*-s*")) if (folder / "losses.png").exists()]
    if rules:
        texts.append(f"### Rules for model_e on the 2x2x2\n\n{rules_table(rules)}")
    texts.append("\n".join(origin(folder) for folder in [*(f for f, _ in done if f in folders), *thesis, *rules]))
    files.write_between(options.readme, "results", "\n\n".join(texts))
    print(f"written: {options.readme}")


def main() -> None:
    """The command line."""
    try:
        write(tyro.cli(Options, prog="python -m results.davi.results", description=__doc__))
    except (ValueError, FileNotFoundError) as error:
        raise SystemExit(f"error: {error}") from None


if __name__ == "__main__":
    main()
