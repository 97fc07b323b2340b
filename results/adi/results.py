"""Measure trained runs beside the published figures, and write README.md's tables and figures: python -m results.adi.results

Runs are folders runs/adi/PRESET-sSEED, as the commands in README.md make them. What has been measured is kept in each run's
measured.json and not measured again; `--no-measure` only writes the tables.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tyro

import agents
from agents.adi.agent import Adi
from agents.adi.config import PRESETS
from results.adi.conjugations import report
from results.adi.figures import conjugation_figure, divergence_figure, solved_figure
from results.adi.published import BETACUBE, CONJUGATIONS, DEEPCUBE, DEEPCUBE_15, KOCIEMBA, SHORTENING
from results.measured import Job, finished, measure_once, metrics, minutes, percent, preset_of
from rubiks_gym import files
from rubiks_gym.puzzles import Puzzle, Rubik2x2, Rubik3x3, puzzle_from_name
from rubiks_gym.search import Budget, make_search
from train.evaluation import (
    Search,
    heuristic_quality,
    kociemba_lengths,
    policy_quality,
    solved_by_depth,
    solved_from,
    start_states,
    true_distances,
)
from train.runs import origin

HERE = Path(__file__).parent
DRIFT = {  # the runs of the divergence figure
    "2x2-literal": "literal",
    "2x2-weighted": "1/D",
    "2x2-fixed-goal": "goal fixed at 0",
    "2x2-fixed-goal-weighted": "goal fixed at 0, 1/D",
}
# name -> search and its options
SOLVERS: dict[str, tuple[str, dict[str, Any]]] = {
    "Greedy by policy": ("greedy-policy", {"undo": True}),  # BetaCube's
    "Greedy by policy, no undo": ("greedy-policy", {}),
    "Greedy by value, no undo": ("greedy", {}),
    "Vanilla MCTS": ("mcts-betacube-vanilla", {}),
    "Full MCTS": ("mcts-betacube-full", {}),
    "DeepCube": ("mcts-deepcube", {}),
    "DeepCube, no undo": ("mcts-deepcube", {"skip_undo": True}),
    "Naive DeepCube": ("mcts-deepcube-naive", {}),  # asked after DeepCube about the same states, see `solve`
    "BWAS": ("bwas", {"weight": 0.6, "batch": 100}),
    "BWAS, weight 0.2": ("bwas", {"weight": 0.2, "batch": 100}),  # for the 3x3x3, whose values are less sure
}
BETACUBES = ("Greedy by policy", "Vanilla MCTS", "Full MCTS")
SMALL = (*BETACUBES, "Greedy by policy, no undo", "Greedy by value, no undo", "DeepCube", "DeepCube, no undo", "BWAS")
LARGE = ("Greedy by policy, no undo", "Greedy by value, no undo", "DeepCube", "DeepCube, no undo", "BWAS, weight 0.2")
BY_TURNS = {  # preset -> title
    "2x2": "2x2x2",
    "2x2-plain": "2x2x2, without symmetries",
    "3x3": "3x3x3, with the warm start",
    "3x3-plain": "3x3x3, the plain way",
}
LENGTHS = (("median_length", 1), ("mean_length", 2))  # with their digits
Runs = list[tuple[Path, dict[str, Any]]]  # run folders with the rows of their measured.json


@dataclass(frozen=True)
class Options:
    """Which runs to measure, and how."""

    runs: Path = Path("runs/adi")
    """Folder of the run folders."""
    leaves: int = 1000
    """Nodes of DeepCube's search on the 2x2x2 and on Hanoi; BWAS and searches with roll-outs have 100 times as many."""
    uniform: int = 500
    """Uniformly random states of the 2x2x2 and of Hanoi."""
    few: int = 100
    """How many of them for vanilla MCTS, which is slow."""
    turned: int = 50
    """States of the 2x2x2 per number of turns (BetaCube's number)."""
    turned_3x3: int = 20
    """The same of the 3x3x3."""
    nodes: int = 10_000
    """Nodes of every search there; BWAS has ten times as many."""
    near: int = 20
    """States of the 3x3x3 after 15 turns."""
    cubes: int = 20
    """Uniformly random states of the 3x3x3."""
    seconds: float = 60.0
    """For each of those, with BWAS."""
    nodes_3x3: int = 200_000
    """Nodes for each of those, with DeepCube's search, which goes through all at once."""
    seed: int = 0
    """Of the states."""
    measure: bool = True
    """Measure what is missing; otherwise only write the tables."""
    only: str = ""
    """Measure only runs whose name begins with this."""
    readme: Path = HERE / "README.md"
    """Where the tables go, between <!-- results:begin --> and <!-- results:end -->; figures go beside it."""


# Measuring -------------------------------------------------------------------------------------------------------------


def jobs(preset: str, agent: Adi, options: Options) -> Iterator[Job]:
    """What there is to measure of an agent."""
    if agent.puzzle.enumerable:
        yield "value", lambda: heuristic_quality(agent)
        yield "policy", lambda: policy_quality(agent)
    if isinstance(agent.puzzle, Rubik3x3):
        yield from large_cube_jobs(agent, options)
    elif preset not in DRIFT:
        yield from small_jobs(agent, options)


def small_jobs(agent: Adi, options: Options) -> Iterator[Job]:
    """Every solver on uniform states, and on the 2x2x2 by turns."""
    puzzle, cube = agent.puzzle, isinstance(agent.puzzle, Rubik2x2)
    states = start_states(puzzle, 0, options.uniform, options.seed)
    for solver in SMALL:
        if solver == "Vanilla MCTS" and not cube:
            continue  # it gives up after 50 moves, a tower needs more
        one_tree = solver.startswith("DeepCube") or solver == "Full MCTS"
        budget = Budget(nodes=options.leaves * (1 if one_tree else 100))
        asked = states[: options.few] if solver == "Vanilla MCTS" else states
        yield f"uniform, {solver}", lambda solver=solver, budget=budget, asked=asked: solve(solver, agent, budget, asked)
        if cube:
            search = make_solver(solver, agent, budget)
            yield f"turns, {solver}", lambda search=search: by_turns(puzzle, search, 14, options.turned, options.seed)


def large_cube_jobs(agent: Adi, options: Options) -> Iterator[Job]:
    """Solvers by turns; then cubes after 15 turns and random ones."""
    puzzle = agent.puzzle
    for solver in LARGE:
        # BWAS with N = 100 needs 1,200 nodes for each move ahead
        search = make_solver(solver, agent, Budget(nodes=options.nodes * (10 if solver.startswith("BWAS") else 1)))
        yield f"turns, {solver}", lambda search=search: by_turns(puzzle, search, 30, options.turned_3x3, options.seed)
    by_clock, by_nodes = Budget(nodes=2**31, seconds=options.seconds), Budget(nodes=options.nodes_3x3, seconds=1e6)
    for name, depth, n in (("15 turns", 15, options.near), ("random", 0, options.cubes)):
        states = start_states(puzzle, depth, n, options.seed)
        for solver in ("BWAS, weight 0.2", "DeepCube", "DeepCube, no undo"):
            budget = by_clock if solver.startswith("BWAS") else by_nodes
            yield (
                f"{name}, {solver}",
                lambda solver=solver, budget=budget, states=states: solve(solver, agent, budget, states),
            )
        yield f"{name}, kociemba", lambda states=states: {"lengths": kociemba_lengths(puzzle, states)}


def make_solver(solver: str, agent: Adi, budget: Budget) -> Search:
    """One of SOLVERS."""
    name, settings = SOLVERS[solver]
    return make_search(name, agent, settings, budget=budget)


def solve(solver: str, agent: Adi, budget: Budget, states: np.ndarray) -> dict[str, Any]:
    """What a solver makes of states [B, S], with the moves it found.

    Naive DeepCube grows the same trees as DeepCube, so it is only asked if any were solved: `naive_lengths`.
    """
    puzzle = agent.puzzle
    row = solved_from(puzzle, make_solver(solver, agent, budget), states, true_distances(puzzle, states), keep_moves=True)
    if solver == "DeepCube" and row["solved"]:
        row["naive_lengths"] = solved_from(puzzle, make_solver("Naive DeepCube", agent, budget), states)["lengths"]
    return row


def by_turns(puzzle: Puzzle, search: Search, most: int, n: int, seed: int) -> dict[str, Any]:
    """Shares solved of n states each after 1, 2, ... turns, none of which undoes the one before."""
    rows = solved_by_depth(puzzle, search, range(1, most + 1), n, seed)
    return {"solved": [row["solved"] for row in rows], "seconds": float(np.mean([row["seconds"] for row in rows]))}


# Tables ----------------------------------------------------------------------------------------------------------------


def drift_text(runs: Runs, folder: Path) -> str:
    """The divergence, its cause and its cure."""
    head = "| loop | iterations | value of the goal | mean target | error, moves | greedy by value | by policy |"
    lines = [head, "|---" * 7 + "|"]
    shown = {}
    for run, rows in runs:
        name = f"{DRIFT[preset_of(run)]}, seed {run.name.rpartition('-s')[2]}"
        shown[name] = metrics(run)
        last = next((row for row in reversed(shown[name]) if "error" in row), shown[name][-1])
        cells = [
            name,
            f"{last['step']}",
            *(f"{last[key]:.2f}" if key in last else "" for key in ("goal_value", "target", "error")),
        ]
        cells += [percent(rows[kind]["greedy_without_undo_solved"]) for kind in ("value", "policy")]
        lines.append(f"| {' | '.join(cells)} |")
    divergence_figure(shown).savefig(folder / "divergence.png", dpi=100)
    return "\n".join([*lines, "", "![The drift of values, and its cure](divergence.png)"])


def states_text(runs: Runs) -> str:
    """Over all states of a puzzle: greedy by value and by policy, errors."""
    lines = [
        "| run | states seen | minutes | greedy by value | no undo | by policy | no undo | best move | error, moves |",
        "|---" * 9 + "|",
    ]
    for run, rows in runs:
        value, policy, learnt = rows["value"], rows["policy"], metrics(run)
        cells = [run.name, f"{learnt[-1]['states']:,.0f}", minutes(run)]
        cells += [percent(kind[key]) for kind in (value, policy) for key in ("greedy_solved", "greedy_without_undo_solved")]
        cells += [percent(policy["optimal"]), f"{value['mean_absolute_error']:.3f}"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def questions_text(runs: Runs, kind: str) -> str:
    """One line per run and solver, for the states called `kind`."""
    lines = ["| run | solver | cubes | solved | optimal | median length | mean | nodes | s a cube |", "|---" * 9 + "|"]
    for run, rows in runs:
        for name, row in rows.items():
            if not name.startswith(f"{kind}, "):
                continue
            cells = [run.name, name.partition(", ")[2]]
            if "solved" in row:
                cells += [str(row["starts"]), percent(row["solved"]), percent(row["optimal"]) if "optimal" in row else ""]
                cells += ["-" if row[key] is None else f"{row[key]:.{digits}f}" for key, digits in LENGTHS]
                cells += [f"{row['nodes']:,.0f}", f"{row['seconds']:.3f}"]
            else:  # kociemba
                lengths = row["lengths"]
                cells += [str(len(lengths)), percent(1.0), "", f"{np.median(lengths):.1f}", f"{np.mean(lengths):.2f}", "", ""]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def turns_text(runs: Runs, title: str, file: Path, published: bool) -> str:
    """Shares solved by turns, means over runs, as a table and a figure."""
    found: dict[str, list[list[float]]] = {}
    for _, rows in runs:
        for name, row in rows.items():
            if name.startswith("turns, "):
                found.setdefault(name.partition(", ")[2], []).append(row["solved"])
    means = {solver: [1.0, *np.mean(shares, axis=0).tolist()] for solver, shares in found.items()}  # 0 turns: solved
    turns = range(max(map(len, means.values())))
    lines = [f"| {title}: turns | {' | '.join(map(str, turns))} |", "|---" * (len(turns) + 1) + "|"]
    lines += [f"| {solver} | {' | '.join(f'{100 * share:.0f}' for share in shares)} |" for solver, shares in means.items()]
    if published:
        lines.append(f"| BetaCube's best | {' | '.join(f'{BETACUBE[k]:.0f}' if k in BETACUBE else '' for k in turns)} |")
    panels = [BETACUBES, [solver for solver in means if solver not in BETACUBES]] if published else [list(means)]
    solved_figure(title, [{s: means[s] for s in panel} for panel in panels], published).savefig(file, dpi=100)
    return "\n".join([*lines, "", f"![{title}]({file.name})"])


def shortening_text(runs: Runs) -> str:
    """What the breadth-first search over the tree saves, on the cubes that both forms of the search solved."""
    head = "| run | cubes | both solved | Naive: mean | DeepCube: mean | saved | Naive: median | DeepCube: median | "
    lines = [f"{head}kociemba: mean | median | not shorter than DeepCube |", "|---" * 11 + "|"]
    for run, rows in runs:
        for kind in ("uniform", "15 turns", "random"):
            row = rows.get(f"{kind}, DeepCube")
            if row is None:
                continue
            pair = [row.get(key, []) for key in ("naive_lengths", "lengths")]
            both = [i for i, lengths in enumerate(zip(*pair, strict=False)) if None not in lengths]
            cells = [""] * 8
            if both:
                naive, short = (np.array([lengths[i] for i in both]) for lengths in pair)
                cells[:3] = [f"{naive.mean():.2f}", f"{short.mean():.2f}", f"{(naive - short).mean():.2f}"]
                cells[3:5] = [f"{np.median(naive):.0f}", f"{np.median(short):.0f}"]
            if f"{kind}, kociemba" in rows:
                other = np.array(rows[f"{kind}, kociemba"]["lengths"])[both or slice(None)]
                cells[5:] = [f"{other.mean():.2f}", f"{np.median(other):.0f}", percent((other >= short).mean()) if both else ""]
            lines.append(f"| {run.name} | {kind} | {len(both)} of {row['starts']} | {' | '.join(cells)} |")
    paper = f"The paper's search saves {SHORTENING} moves of the median, and is no longer than kociemba's in {KOCIEMBA}%"
    return "\n".join([*lines, "", f"{paper} of its cubes. Without any that both solved, kociemba's are over all cubes."])


def conjugation_text(runs: Runs, folder: Path) -> str:
    """Section 5.1: triplets in DeepCube's solutions of random states."""
    lines = [
        "| run | solutions | triplets | conjugations | by chance | mean, conjugations | mean, others | of the 14 most used |",
        "|---" * 8 + "|",
    ]
    figures = []
    for run, rows in runs:
        row = rows.get("random, DeepCube") or rows.get("uniform, DeepCube")
        solutions = [moves for moves in row["moves"] if moves] if row else []
        if not solutions:
            continue
        found = report(puzzle_from_name(PRESETS[preset_of(run)][0]), solutions)
        means = [f"{found['mean'][kind]:.2f}" for kind in ("conjugation", "other")]
        top = sum(conjugation for _, _, conjugation in found["top"])
        cells = [str(found["solutions"]), str(found["triplets"]), percent(found["share"]), percent(found["share_by_chance"])]
        lines.append(f"| {' | '.join([run.name, *cells, *means, str(top)])} |")
        used = ", ".join(f"{triplet} ({count})" for triplet, count, _ in found["top"])
        name = f"conjugations-{run.name}.png"
        conjugation_figure(run.name, found).savefig(folder / name, dpi=100)
        figures += ["", f"{run.name}: {used}.", "", f"![Triplets of {run.name}]({name})"]
    return "\n".join([*lines, "", f"In the paper {CONJUGATIONS} of the 14 most used triplets are conjugations.", *figures])


def asked(options: Options) -> dict[str, Any]:
    """The settings that measurements depend on."""
    return {key: value for key, value in asdict(options).items() if key not in ("runs", "measure", "only", "readme")}


# The command -----------------------------------------------------------------------------------------------------------


def write(options: Options) -> None:
    """Measure, then write the tables and figures."""
    folders = [folder for folder in sorted(options.runs.glob("*-s*")) if folder.is_dir() and preset_of(folder) in PRESETS]
    if not folders:
        raise ValueError(f"no runs PRESET-sSEED in {options.runs}: train some first, see README.md")
    for folder in folders:
        if options.measure and folder.name.startswith(options.only) and finished(folder):
            measure_once(folder, folder.name, jobs(preset_of(folder), agents.load(folder), options), asked(options))
    measured = [(folder, folder / "measured.json") for folder in folders]
    done = [(folder, json.loads(file.read_text())["rows"]) for folder, file in measured if file.exists()]
    if not done:
        raise ValueError(
            f"nothing has been measured of the runs in {options.runs}: train one to its end, leave out --no-measure"
        )
    texts = [f"### {title}\n\n{text}" for title, text in sections(done, options.readme.parent)]
    texts.append("\n".join(origin(folder) for folder, _ in done))
    files.write_between(options.readme, "results", "\n\n".join(texts))
    print(f"written: {options.readme}")


def sections(done: Runs, folder: Path) -> Iterator[tuple[str, str]]:
    """Titles and texts of the runs that have been measured far enough; figures are saved in a folder."""

    def of(*presets: str) -> Runs:
        return [(run, rows) for run, rows in done if preset_of(run) in presets and "turns, Greedy by policy, no undo" in rows]

    drifting = [(run, rows) for run, rows in done if preset_of(run) in DRIFT and "policy" in rows]
    towers = [(run, rows) for run, rows in done if preset_of(run).startswith("hanoi") and "policy" in rows]
    if drifting:
        yield "Divergence", drift_text(drifting, folder)
    if of("2x2", "2x2-plain"):
        yield "2x2x2, all states", states_text(of("2x2", "2x2-plain"))
        yield "2x2x2, uniformly random states", questions_text(of("2x2", "2x2-plain"), "uniform")
    for preset, title in BY_TURNS.items():
        if of(preset):
            figure = folder / f"solvers-{preset}.png"
            yield f"{title}: by turns", turns_text(of(preset), preset, figure, published=preset.startswith("2x2"))
    if of("3x3", "3x3-plain"):
        yield "3x3x3 after 15 turns", f"{questions_text(of('3x3', '3x3-plain'), '15 turns')}\n\n{near_note()}"
        yield "3x3x3, uniformly random states", f"{questions_text(of('3x3', '3x3-plain'), 'random')}\n\n{random_note()}"
    cubes = of("2x2", "2x2-plain", "3x3", "3x3-plain")
    if cubes:
        yield "Shortening", shortening_text(cubes)
        yield "Conjugations", conjugation_text(cubes, folder)
    if towers:
        yield "Towers of Hanoi", f"{states_text(towers)}\n\n{questions_text(towers, 'uniform')}"


def near_note() -> str:
    """DeepCube's figures after 15 scrambles."""
    return f"The paper: median length {DEEPCUBE_15['median_length']}, {DEEPCUBE_15['optimal']:.0f}% optimal."


def random_note() -> str:
    """DeepCube's figures on fully scrambled cubes."""
    d = DEEPCUBE
    found = f"{d['solved']:.0f}% solved within an hour, median length {d['median_length']}"
    return f"The paper: {found}, median time {d['seconds'] // 60} minutes; {d['nodes']:,} nodes expanded a cube."


def main() -> None:
    """The command line."""
    try:
        write(tyro.cli(Options, prog="python -m results.adi.results", description=__doc__))
    except (ValueError, FileNotFoundError, ModuleNotFoundError) as error:
        raise SystemExit(f"error: {error}") from None


if __name__ == "__main__":
    main()
