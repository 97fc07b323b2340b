"""ADI beside DeepCube and BetaCube: the drift of values, all states of the 2x2x2, solvers by turns, the 3x3x3.

DeepCube's search is asked with two values of the 3x3x3: ADI's own network, and the n-tuple tables that come with the suite.
"""

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from agents.adi.config import PRESETS
from agents.protocol import Agent
from results import plots, records
from results.knowledge import POINTS, progress, triplets
from results.measure import curves
from results.plots import learning_plot, solved_plot
from results.published import BETACUBE, DEEPCUBE
from results.questions import Answer, Question, Run, Search, Study
from results.seeds import CURVE, short_runs
from results.states import some_alone, turned, turned_proven, uniform
from results.statistics import share_text
from results.tables import COLUMNS as CELLS
from results.tables import Section, table
from rubiks_gym.puzzles import Puzzle, Rubik3x3
from rubiks_gym.search.heuristic import Policy
from train.evaluation import heuristic_quality, kociemba_lengths, policy_quality

DRIFT = ("2x2-literal", "2x2-weighted", "2x2-fixed-goal", "2x2-fixed-goal-weighted")  # the same loop four times
# the same at a quarter of the paper's width instead of an eighth, for as long as it takes to see values drift
QUARTER = {preset: f"{preset}-quarter" for preset in DRIFT}
LARGE = ("3x3", "3x3-plain")
TABLES = "n-tuple"  # the trained tables
# weight of exploration, found on other cubes with the first two: more is slower and shorter
C = {TABLES: 30.0, "3x3": 48.0, "3x3-plain": 48.0}
PRINTED = "DeepCube, as printed"


def solvers(nodes: int, expanded: int, weight: float) -> dict[str, Search]:
    """Policy, values, DeepCube's search with so many nodes, BWAS with so many."""
    return {
        "policy, no undo": Search("greedy-policy"),
        "values, no undo": Search("greedy"),
        "DeepCube": Search("mcts-deepcube", nodes=nodes),
        PRINTED: Search("mcts-deepcube-literal", nodes=nodes),
        f"{PRINTED}, no undo": Search("mcts-deepcube-literal", {"allow_undo": False}, nodes=nodes),
        "BWAS": Search("bwas", {"weight": weight, "batch": 100}, nodes=expanded),
    }


def deepcube(title: str, nodes: int, first: bool = True) -> dict[str, Search]:
    """DeepCube's search for scrambled cubes, and its first path if that is asked for, which takes as long."""
    own = {"c": C[title]} if title in C else {}
    names = {"DeepCube": "mcts-deepcube"} | ({"DeepCube, not shortened": "mcts-deepcube-naive"} if first else {})
    return {label: Search(name, own, nodes=nodes) for label, name in names.items()}


# Measurements ---------------------------------------------------------------------------------------------------------


def truth(agent: Agent, folder: Path) -> dict[str, Any]:
    """Values and policy against the true distances of all states."""
    value, policy, way = heuristic_quality(agent), policy_quality(agent), "greedy_without_undo_solved"
    found = {"values_solve": value[way], "policy_solves": policy[way], "best_move": policy["optimal"]}
    return found | {"mean_absolute_error": value["mean_absolute_error"]}


def drifted(agent: Any, folder: Path) -> dict[str, Any]:
    """The search as printed on 500 random states: with the network's values as they are, and with its goal worth 0."""

    @dataclass
    class AsItIs:
        puzzle: Puzzle
        policy: Policy

        def cost_to_go(self, states: np.ndarray) -> np.ndarray:
            return 2 - agent.value(states)

    states, search = uniform(agent.puzzle, 500)[0], solvers(1000, 0, 0.0)[PRINTED]
    whose: dict[str, Any] = {"raw": AsItIs(agent.puzzle, agent.policy), "zero": agent}
    found = {name: search.make(of)(states).solved for name, of in whose.items()}
    return {"states": len(states)} | {f"solved_{name}": float(solved.mean()) for name, solved in found.items()}


def solutions(agent: Any, folder: Path, title: str) -> dict[str, Any]:
    """What the solutions of uniformly random cubes look like: triplets of moves, pairs and blocks on the way."""
    puzzle, states = agent.puzzle, UNIFORM(agent.puzzle)[0]
    found = deepcube(title, NODES[title])["DeepCube"].make(agent)(states)
    moves = [found.moves[row] for row in np.flatnonzero(found.solved)]
    return triplets(puzzle, moves) | progress(puzzle, states[found.solved], moves)


def kociemba(agent: Any, folder: Path) -> dict[str, Any]:
    """Lengths of the two-phase solver's solutions of the same cubes, in quarter turns."""
    assert isinstance(agent.puzzle, Rubik3x3)
    return {name: kociemba_lengths(agent.puzzle, states(agent.puzzle)[0]) for name, states in CUBES.items()}


BETACUBES = {
    "policy": Search("greedy-policy", {"allow_undo": True}),
    "full MCTS": Search("mcts-betacube-full", nodes=1000),
    "vanilla MCTS": Search("mcts-betacube-vanilla", nodes=100_000),
}
MODELS = tuple(f"2x2-betacube-{number}" for number in (1, 2, 3, 4))
FIXED = {model: f"{model}-fixed-goal" for model in MODELS}
# as far as two and a half minutes of one core bring each, beyond the paper's figure; whole presets take 60, 20, 45 and 7
BROUGHT = dict(zip(MODELS, (25, 125, 54, 310), strict=True))  # iterations
SHORT = {model: f"{model}-short" for model in MODELS}
SHORT_FIXED = {model: f"{name}-short" for model, name in FIXED.items()}
BETACUBE_RUNS = (*SHORT.values(), *SHORT_FIXED.values())
FIGURE_3 = BETACUBES | {"vanilla MCTS": Search("mcts-betacube-vanilla", nodes=5000)}
# BetaCube's open questions, each at 2 million cubes with the goal's value fixed: N = 20 * walks against M, size of the network
OPEN: dict[str, dict[str, Any]] = {
    **{f"N-{20 * walks}": {"walks": walks, "iterations": 100_000 // walks} for walks in (5, 25, 100, 400)},
    "separate": {"network": "deepcube-eighth-separate"},
    **{f"size-{size}": {"network": f"deepcube-{size}"} for size in ("quarter", "half")},
}
CS = (1, 4, 16)
OTHER_C = {f"full MCTS, c = {c}": Search("mcts-betacube-full", {"c": float(c)}, nodes=1000) for c in CS}
OTHER_C |= {f"vanilla MCTS, c = {c}": Search("mcts-betacube-vanilla", {"c": float(c)}, nodes=5000) for c in CS}
SMALL, TURNS = solvers(1000, 100_000, 0.6), solvers(10_000, 100_000, 0.2)
FIRST_PATH = {f"{PRINTED}, not shortened": Search("mcts-deepcube-literal", {"shorten": False}, nodes=1000)}
AS_PRINTED = {PRINTED: Search("mcts-deepcube-literal", nodes=200_000)}
BWAS = {"BWAS": Search("bwas", {"weight": 0.2, "batch": 100}, nodes=2**31, seconds=60)}
NODES = {TABLES: 2_000_000, "3x3": 1_000_000, "3x3-plain": 1_000_000}
UNIFORM, HUNDRED = partial(uniform, n=640), partial(uniform, n=100)
# the twenty of the 640 that took ADI's network most states in one batch, hardest first: what a cube takes alone
HARDEST = (465, 221, 236, 629, 11, 329, 618, 32, 298, 558, 123, 173, 523, 481, 563, 525, 334, 166, 174, 387)
CUBES = {"uniform": UNIFORM, "15 turns": partial(turned_proven, turns=15, n=100, allow_undo=True)}
RUNS = [*(Run(preset) for preset in ("2x2", *DRIFT, *LARGE)), Run("symmetric_ntuple:rubik3x3-qtm", name=TABLES)]
RUNS += [
    Run(preset, seed, {"network": "deepcube-quarter", "iterations": 150}, name)
    for preset, name in QUARTER.items()
    for seed in (0, 1, 2)
]
RUNS += [Run(model, 0, {"iterations": BROUGHT[model]}, name) for model, name in SHORT.items()]
RUNS += [Run(model, 0, {"iterations": BROUGHT[model], "fix_goal": True}, name) for model, name in SHORT_FIXED.items()]
RUNS += [Run("2x2-fixed-goal", 0, changed, name) for name, changed in OPEN.items()]
QUESTIONS = [
    Question("learning", (*DRIFT, *QUARTER.values()), measure=curves("goal_value", "target", "error")),
    Question("truth", ("2x2", *DRIFT, *OPEN), measure=truth),
    Question("values that drift", DRIFT[:2], measure=drifted),
    Question("figure 3", BETACUBE_RUNS, partial(turned, most=7, n=50, allow_undo=True), FIGURE_3),
    Question("other c", ("2x2-fixed-goal",), partial(turned, most=14, n=50, allow_undo=True), OTHER_C),
    Question("uniform", ("2x2",), partial(uniform, n=500), SMALL | FIRST_PATH),
    Question("turns", ("2x2",), partial(turned, most=14, n=50), BETACUBES | SMALL),
    Question("turns", LARGE, partial(turned, most=30, n=20, first=3, every=3), TURNS),
    Question("uniform", (TABLES,), UNIFORM, deepcube(TABLES, NODES[TABLES])),
    Question("uniform", ("3x3",), UNIFORM, deepcube("3x3", NODES["3x3"], first=False)),
    Question("uniform", ("3x3-plain",), HUNDRED, deepcube("3x3-plain", NODES["3x3-plain"], first=False)),
    Question("alone", ("3x3",), partial(some_alone, rows=HARDEST), deepcube("3x3", NODES["3x3"], first=False)),
    Question("uniform by BWAS", ("3x3",), partial(uniform, n=20), BWAS),
    Question("as printed", (TABLES, "3x3"), HUNDRED, AS_PRINTED),
    *(
        Question("15 turns", (run,), CUBES["15 turns"], deepcube(run, nodes, first=run != "3x3-plain"))
        for run, nodes in NODES.items()
    ),
    Question("kociemba", (TABLES,), measure=kociemba),
    *(Question("solutions", (run,), measure=partial(solutions, title=run)) for run in (TABLES, "3x3")),
]


# Tables and plots -----------------------------------------------------------------------------------------------------


def expanded(answer: Answer) -> np.ndarray:
    """States expanded for each cube: of those generated, a policy that looks ahead makes twelve more for each."""
    return np.array(answer.record["nodes"]) / (13 if answer.run.title == TABLES else 1)


def seen(run: Run) -> int:
    """States that a run learns from."""
    config = replace(PRESETS[run.preset][1], **run.changed)
    return config.iterations * config.k * config.walks


def seen_table(answers: list[Answer]) -> str:
    """A line per run: cubes that it learnt from, those of its whole preset, CPU minutes."""
    runs = {str(a.run): (a.run, CELLS["training"](a)) for a in answers}
    rows = [[name, f"{seen(run):,}", f"{seen(Run(run.preset)):,}", spent] for name, (run, spent) in runs.items()]
    return table(["run", "cubes seen", "cubes of the whole preset", "CPU min of training"], rows)


def alone_table(answers: list[Answer]) -> str:
    """The CPU seconds and states of the hardest cubes, each searched alone: the median, and the most."""
    rows = []
    for answer in answers:
        seconds, nodes = (np.array([row[i] for row in answer.record["by_group"]]) for i in (2, 3))
        texts = [f"{np.median(of):,.3g}, at most {of.max():,.3g}" for of in (seconds, nodes / 1000)]
        rows.append([str(answer.run), *(CELLS[name](answer) for name in ("cubes", "solved", "mean length")), *texts])
    return table(["run", "cubes", "solved", "mean length", "CPU s, median", "thousand states expanded, median"], rows)


def against_kociemba(answers: list[Answer], cubes: str, published: dict[str, str]) -> str:
    """A line per run and search, the two-phase solver's, and the paper's."""
    theirs = next((np.array(a.record["found"][cubes]) for a in answers if a.question.name == "kociemba"), None)
    rows = []
    for answer in answers:
        if answer.question.name == "kociemba":
            continue
        lengths = records.unpack(answer.record).lengths
        row = {name: CELLS[name](answer) for name in ("run", "training", "search", "cubes", "solved", "optimal", "CPU s")}
        row |= quartiles(lengths)
        if theirs is not None:
            row["no longer than kociemba's"] = share_text(int((lengths <= theirs[: len(lengths)]).sum()), len(lengths))
        row["states expanded"] = f"{expanded(answer).mean():,.0f}, at most {expanded(answer).max():,.0f}"
        rows.append(row)
    if theirs is not None:
        rows.append({"search": "kociemba", "cubes": str(len(theirs)), "solved": "100%"} | quartiles(theirs))
    rows.append(published)
    headings = [h for h in (*ORDER, "no longer than kociemba's", "states expanded", "CPU s") if any(row.get(h) for row in rows)]
    texts = {"training": "CPU min of training"}
    return table([texts.get(h, h) for h in headings], ([row.get(h, "") for h in headings] for row in rows))


ORDER = ("run", "training", "search", "cubes", "solved", "optimal", "mean length", "median", "quartiles")


def quartiles(lengths: np.ndarray) -> dict[str, str]:
    """Mean, median and quartiles of lengths, of those that there are."""
    lengths = lengths[np.isfinite(lengths)]
    if not len(lengths):
        return {}
    low, median, high = np.percentile(lengths, [25, 50, 75])
    return {"mean length": f"{lengths.mean():.2f}", "median": f"{median:g}", "quartiles": f"{low:g} to {high:g}"}


def deepcube_plot(answers: list[Answer]) -> Figure:
    """Percent solved by states expanded, with values and as printed; lengths beside the two-phase solver's."""
    figure, (left, right) = plots.panels(2, 3.8)
    ends: list[tuple[str, float, float, str]] = []
    lengths: dict[str, tuple[np.ndarray, str]] = {}
    for answer, colour in zip((a for a in answers if "nodes" in a.record), plots.COLOURS, strict=False):
        found = records.unpack(answer.record).lengths
        name = f"{answer.run.title}, {answer.label.removeprefix('DeepCube, ').replace('DeepCube', 'values')}"
        lengths[name] = found[np.isfinite(found)], colour
        if "not shortened" in answer.label:
            continue
        x = np.array([100, *np.sort(expanded(answer)[np.isfinite(found)]), expanded(answer).max()])
        y = 100 * np.minimum(np.arange(len(x)), len(x) - 2) / len(found)
        left.step(x, y, where="post", color=colour)
        ends.append((name, float(x[-1]), float(y[-1]), colour))
    plots.label_ends(left, ends)
    left.set(title="percent solved", xlabel="states expanded", xscale="log", ylim=(-3, 103))
    for answer in answers:
        if answer.question.name == "kociemba":
            lengths["kociemba"] = np.array(answer.record["found"]["uniform"]), plots.GREY
    lengths = {name: (of, colour) for name, (of, colour) in lengths.items() if len(of)}
    boxes = right.boxplot([of for of, _ in lengths.values()], orientation="horizontal", whis=(0, 100), patch_artist=True)
    for box, (_, colour) in zip(boxes["boxes"], lengths.values(), strict=True):
        box.set(facecolor=colour, alpha=0.4)
    right.set_yticks(range(1, len(lengths) + 1), list(lengths))
    right.set(title="lengths: quartiles, extremes", xlabel="quarter turns")
    right.invert_yaxis()
    return figure


def knowledge_plot(answers: list[Answer]) -> Figure:
    """How often triplets of both kinds are used (figure 8); pairs and blocks along solutions (figure 7, on average)."""
    figure, (left, right) = plots.panels(2, 3.4)
    found = answers[0].record["found"]
    kinds = {"conjugations a b a'": found["counts_of_conjugations"], "other triplets": found["counts_of_others"]}
    edges = np.linspace(0, max(map(max, kinds.values())), 30).tolist()
    for (name, counts), colour in zip(kinds.items(), plots.COLOURS, strict=False):
        left.hist(counts, edges, density=True, color=colour, alpha=0.5, label=name)
        left.axvline(np.mean(counts), color=colour)
    left.legend()
    left.set(title=f"{answers[0].run.title}: how often each triplet is used", xlabel="uses; vertical lines: means", yticks=[])
    x, ends = np.linspace(0, 100, POINTS), []
    shown = {"pairs joined": 100 / 24 * np.array(found["pairs"]), "a 2x2x2 block": 100 * np.array(found["block"])}
    for (name, y), colour, marker in zip(shown.items(), plots.COLOURS, plots.MARKERS, strict=False):
        right.plot(x, y, color=colour, marker=marker)
        ends.append((name, float(x[-1]), float(y[-1]), colour))
    plots.label_ends(right, ends)
    right.set(title="on the way, percent", xlabel="percent of the solution made")
    return figure


BESIDE = {"BetaCube": BETACUBE["solved"]}
CURVES = {"goal_value": "value of the goal", "error": "error over all states, moves"}
DRIFTING = ("divergence.png", "The drift of values", partial(learning_plot, below="iterations", curves=CURVES))
TURNING = ("turns.png", "Percent solved by turns", partial(solved_plot, below="random turns from the goal", beside={}))
SOLVING = ("deepcube.png", "Percent solved by states expanded, and lengths", deepcube_plot)
LEARNT = ("conjugations.png", "How often triplets are used, and pairs and blocks on the way", knowledge_plot)
CONJUGATIONS = f"DeepCube: {DEEPCUBE['conjugations']} ({DEEPCUBE['source']})."
COLUMNS = "run, training, search, cubes, solved, optimal, mean length, median length, nodes, CPU s"
QUALITY = "values_solve%, policy_solves%, best_move%, mean_absolute_error"
TRIPLETS = "triplets, conjugations%, by_chance%, of_the_14_most_used"
WHOLE = partial(against_kociemba, cubes="uniform", published=DEEPCUBE["uniform"])
FIFTEEN = partial(against_kociemba, cubes="15 turns", published=DEEPCUBE["15 turns"])
PLAIN = "Turns may undo one another, as the paper's do, whose cubes are 13 moves away in the median."
SCRAMBLED = (TABLES, *LARGE)
SECTIONS = [
    Section("Divergence", "learning", "run, training, goal_value, target, error", DRIFT, plot=DRIFTING),
    Section(
        "Divergence at a quarter of the paper's width, three seeds",
        "learning",
        "run, training, goal_value, target, error",
        tuple(QUARTER.values()),
    ),
    Section(
        "The search as printed on 500 random 2x2x2s: with values that have drifted, and with the goal's taken off",
        "values that drift",
        "run, training, states, solved_raw%, solved_zero%",
    ),
    Section("All states of the 2x2x2", "truth", f"run, training, {QUALITY}"),
    Section("2x2x2, uniformly random", "uniform", COLUMNS, ("2x2",)),
    Section("2x2x2 by turns", "turns", runs=("2x2",), by="turns", beside=BESIDE, note=f"BetaCube: {BETACUBE['source']}."),
    Section("BetaCube's figure 3: its models and solvers", "figure 3", by="turns"),
    Section("BetaCube's models: how far each was trained", "figure 3", table=seen_table),
    Section("BetaCube's search with other c", "other c", by="turns"),
    Section("3x3x3 by turns", "turns", runs=LARGE, by="turns", plot=TURNING),
    Section(
        "3x3x3, uniformly random: DeepCube's search with values, and as printed",
        "uniform, as printed, kociemba",
        runs=SCRAMBLED,
        table=WHOLE,
        note=f"DeepCube: {DEEPCUBE['source']}.",
        plot=SOLVING,
    ),
    Section("The hardest of these for ADI's network, each searched alone", "alone", table=alone_table),
    Section("3x3x3 after 15 turns", "15 turns, kociemba", runs=SCRAMBLED, table=FIFTEEN, note=PLAIN),
    Section("3x3x3, uniformly random: batch weighted A*", "uniform by BWAS", COLUMNS),
    Section("What the solutions look like", "solutions", f"run, {TRIPLETS}", note=CONJUGATIONS, plot=LEARNT),
]
STUDY = Study("adi", [*RUNS, *short_runs("2x2", 6, iterations=150)], [*QUESTIONS, CURVE], SECTIONS)
