"""DAVI beside Tardon's thesis: the 2x2x2 against the truth, towers of Hanoi, the 3x3x3, convergence points, N by lambda."""

from functools import partial
from pathlib import Path
from typing import Any

from agents.davi.config import PRESETS
from agents.protocol import Agent
from results.equal_length import equal_length_plot, equal_length_table
from results.measure import curves, metrics
from results.plots import learning_plot
from results.published import TARDON
from results.questions import Answer, Question, Run, Search, Study, beam
from results.seeds import CURVE, short_runs
from results.states import each_distance, prefixes, start, turned, uniform, walks, walks_and_far
from results.tables import Section, prefix_table, table
from rubiks_gym.exact import ExactTable
from rubiks_gym.puzzles import Hanoi
from train.evaluation import consistent_states, heuristic_quality, solved_from, thesis_quality
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
    """The thesis's measures on 40,000 states of walks as it draws them: of 20 moves, on towers of 2^disks."""
    k = 2**agent.puzzle.disks if isinstance(agent.puzzle, Hanoi) else 20
    return thesis_quality(agent, walks(agent.puzzle, n=40_000, k=k, allow_undo=True)[0])


def consistency(agent: Agent, folder: Path) -> dict[str, Any]:
    """Consistent states of 30,000 of walks of 30 moves (section 5.9)."""
    return consistent_states(agent, walks(agent.puzzle, n=30_000, k=30, allow_undo=True)[0])


def taller_towers(agent: Any, folder: Path) -> dict[str, Any]:
    """The same network on one disk more, and on two: mean error and admissible share over all states, greedy, and a search."""
    found: dict[str, Any] = {}
    for more in (1, 2):
        taller = agent.more_disks(agent.puzzle.disks + more)
        quality, best = heuristic_quality(taller), 2**taller.puzzle.disks - 1
        length = solved_from(taller.puzzle, bwas(0.7, 1).make(taller), taller.puzzle.start[None])["lengths"][0]
        found |= {f"error_{more}_more": quality["mean_absolute_error"], f"admissible_{more}_more": quality["admissible"]}
        found |= {f"greedy_{more}_more": quality["greedy_solved"], f"search_{more}_more": f"{length} of {best}"}
    return found


def four_pegs(agent: Any, folder: Path) -> dict[str, Any]:
    """Moves that the search finds from the start of 5, 6, ... disks on four pegs, and Frame and Stewart's numbers."""
    disks, lengths = range(5, agent.puzzle.disks + 1), []
    for n in disks:
        tower = agent.fewer_disks(n)
        lengths.append(solved_from(tower.puzzle, bwas(1.0).make(tower), tower.puzzle.start[None])["lengths"][0])
    texts = {"disks": disks, "found": lengths, "frame_stewart": [frame_stewart(n) for n in disks]}
    return {name: ", ".join(map(str, of)) for name, of in texts.items()}


def frame_stewart(disks: int, pegs: int = 4) -> int:
    """The moves of Frame and Stewart's way: the k smallest elsewhere, the others without that peg, the k smallest again."""
    if pegs == 3:
        return 2**disks - 1
    if disks <= 1:
        return disks
    return min(2 * frame_stewart(k, pegs) + frame_stewart(disks - k, pegs - 1) for k in range(1, disks))


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


TALL, OLD = ("hanoi-7-3", "hanoi-10-3"), "hanoi-7-3-windows"
TOWERS = ("hanoi-4-3", *TALL, OLD, "hanoi-5-4", "hanoi-8-4")
THESIS_TOWERS = ("hanoi-4-3-thesis", "hanoi-7-3-thesis", "hanoi-10-3-thesis")
LARGE, THESIS = ("3x3", "3x3-plain"), tuple(TARDON["points"] | TARDON["networks"])
# The same budget of training for both: a third of the preset 3x3, which one core has in seven minutes.
SHORT = {"iterations": 430, "warm_iterations": 400, "target_states": 900_000}
ONE_BY_ONE, AT_ONCE = "3x3-short", "3x3-short-per-action"
SMALL_HEADS = {"2x2-short": "2x2", "2x2-short-per-action": "2x2-per-action"}  # a third of the presets' iterations
HEADS = {ONE_BY_ONE: "3x3", AT_ONCE: "3x3-per-action"}
UPDATES = {f"update-{rule}": rule for rule in ("ema", "states", "threshold")}
# The whole of these takes half an hour of one core.
THESIS_ITERATIONS: dict[str, dict[str, Any]] = {
    "hanoi-7-3-thesis": {"iterations": 300},
    "hanoi-10-3-thesis": {"iterations": 500},
}
# The thesis trains for days: as far as ten minutes of one core bring those with adaptive-K, two minutes and a half
# the others.
REDUCED = ("2x2-DNN_reduced_0", "2x2-DNN_reduced_0_noBatchNorm")
BROUGHT = (
    dict.fromkeys(THESIS, 100)
    | dict.fromkeys(("2x2-final_nr", "2x2-final_nrr"), 800)
    | dict.fromkeys(REDUCED, 120)
    | dict.fromkeys(("2x2-DNN_0", "2x2-DNN_noBatchNorm"), 60)
)
RUNS = [Run("2x2", 0), Run("2x2", 1), *(Run(preset) for preset in (*TOWERS, *LARGE))]
RUNS += [Run(preset, 0, THESIS_ITERATIONS.get(preset, {})) for preset in THESIS_TOWERS]
RUNS += [Run(preset, seed) for preset in TALL for seed in (1, 2)]
RUNS += [Run(preset, 0, {"iterations": BROUGHT[preset]}) for preset in THESIS]
RUNS += [Run(preset, seed, {"iterations": BROUGHT[preset]}) for preset in REDUCED for seed in (1, 2)]
RUNS += [Run("2x2", 0, {"target_update": rule, "iterations": 40}, name) for name, rule in UPDATES.items()]
RUNS += [Run(preset, 0, SHORT, name) for name, preset in HEADS.items()]
RUNS += [Run(preset, 0, {"iterations": 40}, name) for name, preset in SMALL_HEADS.items()]
WEIGHTS = {f"weight {weight}": bwas(weight) for weight in (0.7, 1.0)}
FIVE = {"weight 0.7, N = 5": bwas(0.7, 5)}  # the thesis's
ONE = {"weight 0.7, N = 1": bwas(0.7, 1)}
GREEDY = {"greedy": Search("greedy", {"max_steps": 5000})}
GRID = {f"lambda {weight}, N = {n}": bwas(weight, n) for weight, n in TARDON["grid"]}
RANDOM = {f"BWAS, weight {w}": bwas(w, 100, 2**40, 60) for w in (0.1, 0.2, 0.4)}
RANDOM["beam 1,024"] = beam(1024, nodes=2**40, seconds=60)
BEAMS = {f"beam {w:,}": beam(w, nodes=2**40, max_steps=60) for w in (256, 1024, 4096, 16_384)}
# As many passes of the network in a round: 100 states with 11 children each, or 1,000 children that are made one by one.
BY_CHILD = {f"BWAS, weight {w}": bwas(w, 100, 2**40, 10) for w in (0.1, 0.2, 0.3)}
DEFERRED = {f"BWAS, weight {w}": bwas(w, 1000, 2**40, 10) for w in (0.1, 0.2, 0.3, 0.4)}
QUESTIONS = [
    Question("heads", (ONE_BY_ONE,), partial(uniform, n=30), dict(list(BEAMS.items())[:3]) | BY_CHILD),
    Question("heads", (AT_ONCE,), partial(uniform, n=30), BEAMS | DEFERRED),
    Question("heads", tuple(SMALL_HEADS), partial(uniform, n=1000), WEIGHTS | GREEDY),
    Question("walks", ("2x2",), partial(walks, n=10_000, allow_undo=True), WEIGHTS | FIVE),
    Question("clean walks", ("2x2",), partial(walks, n=2000), WEIGHTS),
    Question("uniform", ("2x2",), partial(uniform, n=2000), WEIGHTS),
    Question("each distance", ("2x2",), partial(each_distance, n=300), WEIGHTS, seeds=(0,)),
    Question("truth", ("2x2", *TOWERS, *THESIS_TOWERS), measure=truth),
    Question("by the thesis", ("2x2", *TOWERS, *THESIS_TOWERS), measure=by_the_thesis),
    Question("grid", ("2x2",), partial(walks_and_far, n=500), GRID, seeds=(0,)),
    Question("start", (*TOWERS, *THESIS_TOWERS), partial(start), {f"weight {w}": bwas(w) for w in (0.3, 0.7, 1.0)}),
    Question("start", TALL, partial(start), ONE),
    Question("uniform", TALL, partial(uniform, n=1000), GREEDY),
    Question("taller towers", TALL, measure=taller_towers),
    Question("four pegs", ("hanoi-8-4",), measure=four_pegs),
    Question("consistency", (*LARGE, ONE_BY_ONE), measure=consistency),
    Question("smaller towers", TOWERS, measure=smaller_towers),
    Question("turns", LARGE, partial(turned, most=26, n=20, first=2, every=2), {"BWAS, weight 0.2": bwas(0.2, 100, 100_000)}),
    Question("uniform", LARGE, partial(uniform, n=100), RANDOM),
    Question("prefixes", (*LARGE, ONE_BY_ONE), partial(prefixes, most=20), {"weight 0.6": bwas(0.6, 100, 2**40, 10)}),
    Question("convergence", (*THESIS, *UPDATES, *THESIS_TOWERS), measure=convergence),
]


def points_table(answers: list[Answer]) -> str:
    """Thousands of states at each convergence point, ours and the thesis's."""
    lines = []
    for answer in answers:
        thousands, theirs = PRESETS[answer.run.preset][1].batch / 1000, POINTS[answer.run.preset]
        name = f"{answer.run}, {answer.record['step'] * thousands:.0f} thousand seen"
        lines.append([name, *(f"{step * thousands:.0f}" for step in answer.record["found"]["points"])])
        lines.append([f"{answer.run.preset}, thesis", *map(str, theirs)])
    return table(["thousands of states at convergence point", *map(str, range(1, max(map(len, lines))))], lines)


BESIDE = {
    f"lambda {w}, N = {n}": f"{best:.1f}%, {nodes:.0f} expanded, {s:.1f} s"
    for (w, n), (best, nodes, s) in TARDON["grid"].items()
}
POINTS = TARDON["points"] | TARDON["networks"]
HANOI = {tower: "{} min, {} moves, {} s, {:,} expanded".format(*row) for tower, row in TARDON["hanoi"].items()}
CURVES = {"loss": "training loss", "error": "error over all states, moves"}
PLOT = partial(learning_plot, below="iterations", curves=CURVES, marks="points")
CONVERGING = ("convergence.png", "Losses and error with convergence points", PLOT)
WALKS, WALKED = "walks, clean walks, uniform", "run, training, question, search, cubes, optimal, expanded, CPU s"
QUALITY = "run, training, mean_absolute_error, admissible%, consistent%, greedy%, without_undo%"
THESIS_COLUMNS = "run, training, states, admissible%, consistent_states%, overestimate_of_inadmissible"
ADMISSIBLE = {"2x2": TARDON["definitions"]} | TARDON["hanoi quality"]
CONSISTENT = f"The thesis, 3x3x3: {TARDON['consistent 3x3x3']}"
SHOWN = {"error": "", "admissible": "%", "greedy": "%", "search": ""}
TALLER = ", ".join(["run", *(f"{name}_{more}_more{unit}" for more in (1, 2) for name, unit in SHOWN.items())])
UPDATED, SOURCE = "run, training, convergence_points, error", f"The thesis: {TARDON['source']}."
PER_ACTION = "run, training, search, cubes, optimal, nodes, CPU s"
SECTIONS = [
    Section("2x2x2", WALKS, WALKED, ("2x2",), note=f"The thesis: {TARDON['optimal']}."),
    Section("2x2x2, with an output per action", "heads", PER_ACTION, tuple(SMALL_HEADS)),
    Section("2x2x2, by distance from the goal", "each distance", by="distance", best=True),
    Section("Cost-to-go against the truth, all states", "truth", QUALITY, note=f"The thesis, 2x2x2: {TARDON['truth']}."),
    Section("By the thesis's measures", "by the thesis", THESIS_COLUMNS, beside=ADMISSIBLE),
    Section("3x3x3, consistent states", "consistency", "run, training, states, consistent_states%", note=f"{CONSISTENT}."),
    Section("2x2x2, N by lambda", "grid", "search, optimal, expanded, CPU s", beside=BESIDE),
    Section("Towers of Hanoi", "start", "run, training, search, mean length, optimal, expanded, nodes, CPU s", beside=HANOI),
    Section("High towers, 1,000 random states", "uniform", WALKED, TALL),
    Section("Higher towers than learnt, with the same network", "taller towers", TALLER),
    Section("Four pegs, beside Frame and Stewart's numbers", "four pegs", "run, training, disks, found, frame_stewart"),
    Section("Smaller towers with the same network, three weights each", "smaller towers", "run, solved_optimally, asked"),
    Section("3x3x3, uniformly random", "uniform", "run, training, search, cubes, solved, mean length, nodes, CPU s", LARGE),
    Section(
        "3x3x3, one pass for all children: beam and BWAS",
        "heads",
        "run, training, search, cubes, solved, mean length, nodes, CPU s",
        tuple(HEADS),
        plot=("per_action.png", "Mean length by CPU seconds a cube", equal_length_plot),
    ),
    Section(
        "The same at equal mean length",
        "heads",
        runs=tuple(HEADS),
        table=partial(equal_length_table, base=ONE_BY_ONE, other=AT_ONCE),
    ),
    Section("3x3x3, with 100,000 nodes", "turns", by="moves from the goal"),
    Section("3x3x3, prefixes", "prefixes", table=prefix_table, note=f"The thesis: {TARDON['prefixes']}."),
    Section("Convergence points", "convergence", runs=THESIS, table=points_table, plot=CONVERGING),
    Section("With and without batch normalisation, 120,000 states each", "convergence", UPDATED, REDUCED),
    Section("Rules for the target network, 2x2x2, 1.2 million states", "convergence", UPDATED, tuple(UPDATES), note=SOURCE),
]
STUDY = Study("davi", [*RUNS, *short_runs("2x2", 6)], [*QUESTIONS, CURVE], SECTIONS)
