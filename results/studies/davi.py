"""DAVI beside Tardon's thesis: the 2x2x2 against the truth, towers of Hanoi, the 3x3x3, convergence points, N by lambda."""

from functools import partial
from pathlib import Path
from typing import Any

from agents.davi.config import PRESETS
from agents.protocol import Agent
from results.measure import curves, metrics
from results.plots import learning_plot
from results.published import TARDON
from results.questions import Answer, Question, Run, Search, Study
from results.states import each_distance, prefixes, start, turned, uniform, walks, walks_and_far
from results.tables import Section, prefix_table, table
from rubiks_gym.exact import ExactTable
from train.evaluation import heuristic_quality, solved_from, thesis_quality
from train.plots import convergence_points


def bwas(weight: float, n: int = 7, nodes: int = 10_000_000, seconds: float | None = None) -> Search:
    """Batch weighted A*, n expansions a round."""
    return Search("bwas", {"weight": weight, "batch": n}, nodes=nodes, seconds=seconds)


def truth(agent: Agent, folder: Path) -> dict[str, Any]:
    """The cost-to-go against the true distances of all states."""
    found = heuristic_quality(agent)
    names = ("mean_absolute_error", "admissible", "consistent")
    ways = {"greedy": found["greedy_solved"], "without_undo": found["greedy_without_undo_solved"]}
    return {name: found[name] for name in names} | ways


def by_the_thesis(agent: Agent, folder: Path) -> dict[str, Any]:
    """The thesis's measures on 40,000 states of walks as it draws them."""
    return thesis_quality(agent, walks(agent.puzzle, n=40_000, allow_undo=True)[0])


def smaller_towers(agent: Any, folder: Path) -> dict[str, Any]:
    """From the start of every smaller tower with the same network (section 4.3), how many are solved optimally."""
    best = []
    for disks in range(1, agent.puzzle.disks):
        fewer = agent.fewer_disks(disks)
        start = fewer.puzzle.start[None]
        found = [solved_from(fewer.puzzle, bwas(weight).make(fewer), start)["lengths"][0] for weight in (0.5, 0.7, 1.0)]
        best += [length == ExactTable(fewer.puzzle).distance(start)[0] for length in found]
    return {"asked": len(best), "solved_optimally": int(sum(best))}


def convergence(agent: Agent, folder: Path) -> dict[str, Any]:
    """Iterations of the convergence points; losses and the error over all states on the way."""
    points = convergence_points(metrics(folder))
    return {"points": points, "convergence_points": len(points), **curves("loss", "validation_loss", "error")(agent, folder)}


TOWERS = ("hanoi-4-3", "hanoi-7-3", "hanoi-10-3", "hanoi-5-4")
LARGE, THESIS = ("3x3", "3x3-plain"), ("2x2-final", "2x2-final_nr")
UPDATES = {f"update-{rule}": rule for rule in ("ema", "states", "threshold")}
RUNS = [Run("2x2", 0), Run("2x2", 1), *(Run(preset) for preset in (*TOWERS, *LARGE))]
RUNS += [Run(preset, 0, {"iterations": 400}) for preset in THESIS]
RUNS += [Run("2x2", 0, {"target_update": rule, "iterations": 40}, name) for name, rule in UPDATES.items()]
WEIGHTS = {f"weight {weight}": bwas(weight) for weight in (0.7, 1.0)}
GRID = {f"lambda {weight}, N = {n}": bwas(weight, n) for weight, n in TARDON["grid"]}
RANDOM = {f"BWAS, weight {w}": bwas(w, 100, 2**40, 60) for w in (0.1, 0.2, 0.4)}
RANDOM["beam 1,024"] = Search("beam", {"width": 1024}, nodes=2**40, seconds=60)
QUESTIONS = [
    Question("walks", ("2x2",), partial(walks, n=10_000, allow_undo=True), WEIGHTS),
    Question("clean walks", ("2x2",), partial(walks, n=2000), WEIGHTS),
    Question("uniform", ("2x2",), partial(uniform, n=2000), WEIGHTS),
    Question("each distance", ("2x2",), partial(each_distance, n=300), WEIGHTS, seeds=(0,)),
    Question("truth", ("2x2", *TOWERS), measure=truth),
    Question("by the thesis", ("2x2",), measure=by_the_thesis),
    Question("grid", ("2x2",), partial(walks_and_far, n=500), GRID, seeds=(0,)),
    Question("start", TOWERS, partial(start), {f"weight {w}": bwas(w) for w in (0.3, 0.7, 1.0)}),
    Question("smaller towers", TOWERS, measure=smaller_towers),
    Question("turns", LARGE, partial(turned, most=26, n=20, first=2, every=2), {"BWAS, weight 0.2": bwas(0.2, 100, 100_000)}),
    Question("uniform", LARGE, partial(uniform, n=100), RANDOM),
    Question("prefixes", LARGE, partial(prefixes, most=20), {"weight 0.6": bwas(0.6, 100, 2**40, 10)}),
    Question("convergence", (*THESIS, *UPDATES), measure=convergence),
]


def points_table(answers: list[Answer]) -> str:
    """Thousands of states at each convergence point, ours and the thesis's."""
    lines = []
    for answer in answers:
        thousands, theirs = PRESETS[answer.run.preset][1].batch / 1000, TARDON["points"][answer.run.preset]
        lines.append([answer.run.preset, *(f"{step * thousands:.0f}" for step in answer.record["found"]["points"])])
        lines.append([f"{answer.run.preset}, thesis", *map(str, theirs)])
    return table(["thousands of states at convergence point", *map(str, range(1, max(map(len, lines))))], lines)


BESIDE = {
    f"lambda {w}, N = {n}": f"{best:.1f}%, {nodes:.0f} expanded, {s:.1f} s"
    for (w, n), (best, nodes, s) in TARDON["grid"].items()
}
HANOI = {tower: "{} min, {} moves, {} s, {:,} expanded".format(*row) for tower, row in TARDON["hanoi"].items()}
CURVES = {"loss": "training loss", "error": "error over all states, moves"}
PLOT = partial(learning_plot, below="iterations", curves=CURVES, marks="points")
CONVERGING = ("convergence.png", "Losses and error with convergence points", PLOT)
WALKS, WALKED = "walks, clean walks, uniform", "run, training, question, search, cubes, optimal, nodes, CPU s"
QUALITY = "run, training, mean_absolute_error, admissible%, consistent%, greedy%, without_undo%"
THESIS_COLUMNS = "run, training, states, admissible%, consistent_states%, overestimate_of_inadmissible"
UPDATED, SOURCE = "run, training, convergence_points, error", f"The thesis: {TARDON['source']}."
SECTIONS = [
    Section("2x2x2", WALKS, WALKED, ("2x2",), note=f"The thesis: {TARDON['optimal']}."),
    Section("2x2x2, by distance from the goal", "each distance", by="distance", best=True),
    Section("Cost-to-go against the truth, all states", "truth", QUALITY, note=f"The thesis, 2x2x2: {TARDON['truth']}."),
    Section("2x2x2, by the thesis's measures", "by the thesis", THESIS_COLUMNS, note=f"The thesis: {TARDON['definitions']}."),
    Section("2x2x2, N by lambda", "grid", "search, optimal, nodes, CPU s", beside=BESIDE),
    Section("Towers of Hanoi", "start", "run, training, search, mean length, optimal, nodes, CPU s", beside=HANOI),
    Section("Smaller towers with the same network, three weights each", "smaller towers", "run, solved_optimally, asked"),
    Section("3x3x3, uniformly random", "uniform", "run, training, search, cubes, solved, mean length, nodes, CPU s", LARGE),
    Section("3x3x3, with 100,000 nodes", "turns", by="moves from the goal"),
    Section("3x3x3, prefixes", "prefixes", table=prefix_table, note=f"The thesis: {TARDON['prefixes']}."),
    Section("Convergence points", "convergence", runs=THESIS, table=points_table, plot=CONVERGING),
    Section("Rules for the target network, 2x2x2, 1.2 million states", "convergence", UPDATED, tuple(UPDATES), note=SOURCE),
]
STUDY = Study("davi", RUNS, QUESTIONS, SECTIONS)
