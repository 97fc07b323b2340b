"""TD-n-tuple beside Konen's report: percent solved after p twists, by the agent alone and in his MCTS wrapper; trials."""

from functools import partial
from pathlib import Path
from typing import Any

from agents.protocol import Agent
from results.measure import metrics
from results.plots import solved_plot
from results.published import KONEN
from results.questions import Question, Run, Search, Study
from results.states import turned
from results.tables import Section
from train.evaluation import heuristic_quality

MOST = {"2x2-qtm": 16, "2x2-htm": 13, "3x3-qtm": 15, "3x3-qtm-nsym8": 15}  # twists at most
LARGE = ("3x3-qtm", "3x3-qtm-nsym8")
TRIALS: list[tuple[str, int, dict[str, Any]]] = [  # preset, episodes, changed settings (the report's: alpha 0.25, lam 0)
    *(("2x2-htm", 1_000_000, changed) for changed in ({"alpha": 0.25, "lam": 0.0}, {"lam": 0.0}, {})),
    *(("2x2-qtm", 1_000_000, changed) for changed in ({"lam": 0.0}, {})),
    *(("3x3-qtm", 400_000, changed) for changed in ({"alpha": 0.25}, {}, {"lam": 0.3}, {"n_tuples": 240})),
    ("3x3-qtm", 400_000, {"tuple_mode": "random-points"}),
    *(("3x3-qtm-nsym8", 60_000, changed) for changed in ({"alpha": 0.25}, {})),
]


def konen(iterations: int, **more: Any) -> Search:
    """The report's wrapper with the step cost of the program behind its figures; values are remembered for speed only."""
    own = {"step_cost": -0.04, "temperature": 25.0, "iterations_per_move": iterations, "remember": 1 << 22}
    return Search("mcts-konen", own | more)


def last(agent: Agent, folder: Path) -> dict[str, Any]:
    """The share that the agent alone solved when training ended, mean over 1..p_max twists."""
    return {"solved_alone": next(row["solved"] for row in reversed(metrics(folder)) if "solved" in row)}


def everywhere(agent: Agent, folder: Path) -> dict[str, Any]:
    """Following the values from every state, without undoing a move."""
    return {"states": agent.puzzle.n_states, "solved_greedily": heuristic_quality(agent)["greedy_without_undo_solved"]}


ALONE, MCTS = {"agent alone": Search("greedy", {"max_steps": 50})}, {"MCTS 100": konen(100)}
CHARGED = {"MCTS 100, steps charged": konen(100, charge_steps=True)}
RUNS = [Run(preset, seed) for preset in ("2x2-qtm", "2x2-htm", "3x3-qtm") for seed in (0, 1, 2)]
RUNS += [Run("3x3-qtm-nsym8", seed, {"episodes": 1_000_000}) for seed in (0, 1, 2)]
for preset, episodes, changed in TRIALS:
    name = "-".join([preset, f"{episodes // 1000}k", *(f"{key}-{value}" for key, value in changed.items())])
    RUNS.append(Run(preset, 0, {"episodes": episodes, **changed}, name))
QUESTIONS = [
    Question("trials", tuple(run.name for run in RUNS if run.name), measure=last),
    Question("all states", ("2x2-qtm", "2x2-htm"), measure=everywhere),
]
for preset, most in MOST.items():
    plain, clean = partial(turned, most=most, n=200, allow_undo=True), partial(turned, most=most, n=200)
    QUESTIONS.append(Question("plain walks", (preset,), plain, ALONE | MCTS | CHARGED))
    QUESTIONS.append(Question("clean walks", (preset,), clean, ALONE | MCTS))
    if preset in LARGE:  # a quarter of an hour each
        QUESTIONS.append(Question("plain walks", (preset,), plain, {"MCTS 800": konen(800)}, seeds=(0,)))

BESIDE = {preset: {label: dict(enumerate(row, 1)) for label, row in KONEN[preset].items()} for preset in MOST}
PLOT = ("solved.png", "Percent solved by twists", partial(solved_plot, below="twists p", beside=BESIDE))
SECTIONS = []
for preset, beside in BESIDE.items():
    theirs = {f"{label}, Konen": row for label, row in beside.items()}
    SECTIONS.append(Section(preset, "plain walks, clean walks", runs=(preset,), by="twists p", beside=theirs))
SECTIONS += [
    Section("The 3x3x3 on plain walks; dashed Konen's", "plain walks", runs=LARGE, table=lambda _: "", plot=PLOT),
    Section("Greedily from all states", "all states", "run, training, states, solved_greedily%"),
    Section("Trials", "trials", "run, training, solved_alone%", note=f"Konen: {KONEN['source']}."),
]
STUDY = Study("td_ntuple", RUNS, QUESTIONS, SECTIONS, ("episodes",))
