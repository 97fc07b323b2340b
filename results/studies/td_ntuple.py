"""TD-n-tuple beside Konen's report: percent solved after p twists, by the agent alone and in his MCTS wrapper; boards."""

from collections.abc import Collection
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from agents.protocol import Agent
from results.measure import curves, metrics
from results.plots import solved_plot
from results.published import KONEN, KONEN_FIGURE_14, KONEN_TABLE_9
from results.questions import Answer, Question, Run, Search, Study
from results.seeds import CURVE, short_runs
from results.states import faces_turned, turned
from results.tables import Section, pooled, table
from train.evaluation import heuristic_quality

SMALL = ("2x2-qtm", "2x2-htm")
# by the number of symmetric images; with 48, ours, there are reflections too
BY_SYMMETRIES = {0: "3x3-qtm", **{nsym: f"3x3-qtm-nsym{nsym}" for nsym in (8, 16, 24)}, 48: "3x3-qtm-nsym48-100k"}
LARGE = tuple(BY_SYMMETRIES[nsym] for nsym in (0, 8, 16, 24))
MOST = {"2x2-qtm": 16, "2x2-htm": 13, "3x3-htm": 9, **dict.fromkeys(LARGE, 15)}  # twists at most
BOARDS: dict[str, dict[str, Any]] = {
    "sticker2": {"board": "sticker2", "tuple_length": 7},
    "cubestate": {"board": "cubestate", "tuple_length": 7},
    "cubestate-points": {"board": "cubestate", "tuple_length": 7, "tuple_mode": "random-points"},
    "sticker": {"board": "sticker", "tuple_length": 4},
    "sticker-points": {"board": "sticker", "tuple_length": 4, "tuple_mode": "random-points"},
}
EPISODES = {"2x2-qtm": 100_000, "2x2-htm": 100_000, "3x3-qtm": 60_000, "3x3-htm": 60_000}  # that boards are compared after
MANY_EPISODES: list[tuple[str, int, dict[str, Any]]] = [(preset, 10_000_000, {}) for preset in ("2x2-qtm", "3x3-qtm")]
TRIALS: list[tuple[str, int, dict[str, Any]]] = [  # preset, episodes, changed settings (the report's: alpha 0.25, lam 0)
    *(("2x2-htm", 1_000_000, changed) for changed in ({"alpha": 0.25, "lam": 0.0}, {"lam": 0.0}, {})),
    *(("2x2-qtm", 1_000_000, changed) for changed in ({"lam": 0.0}, {})),
    *(("3x3-qtm", 400_000, changed) for changed in ({"alpha": 0.25}, {}, {"lam": 0.3}, {"n_tuples": 240})),
    *(("2x2-qtm", 100_000, changed) for changed in ({"max_steps": 1}, {})),
    *(("3x3-qtm", 60_000, changed) for changed in ({"max_steps": 1, "alpha": 0.25}, {})),  # with alpha 1 weights overflow
    *(("3x3-qtm-nsym8", 60_000, changed) for changed in ({"alpha": 0.25}, {})),
    ("3x3-qtm", 400_000, {"p_max": 20, "max_steps": 23}),
    *MANY_EPISODES,
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


def named(preset: str, episodes: int, changed: dict[str, Any]) -> str:
    """The name of a trial."""
    return "-".join([preset, f"{episodes // 1000}k", *(f"{key}-{value}" for key, value in changed.items())])


ALONE = {"agent alone": Search("greedy", {"max_steps": 50})}
THREE = {f"MCTS {n}": konen(n) for n in (100, 400, 800)}
THREE_CHARGED = {f"MCTS {n}, steps charged": konen(n, charge_steps=True) for n in (100, 400, 800)}
MCTS, MCTS_800 = ({f"MCTS {n}": THREE[f"MCTS {n}"]} for n in (100, 800))
CHARGED = {"MCTS 100, steps charged": THREE_CHARGED["MCTS 100, steps charged"]}
SMALL_800 = {
    "2x2-htm": MCTS_800,
    "2x2-qtm": {"MCTS 800, c = 10": konen(800, c=10.0)} | MCTS_800,
}  # c as in the figure, and ours
PRINTED = {"MCTS 100": konen(100, step_cost=-0.1, temperature=10.0)}  # of agents that learnt with the printed step cost
TEN = {"MCTS 100": konen(100, c=10.0)}  # the 3x3x3 in half turns, where the report's figure has c_PUCT = 10
PRINTED_TEN = {f"MCTS 100, c = {c}": konen(100, step_cost=-0.1, temperature=10.0, c=float(c)) for c in (1, 10)}
RUNS = [Run(preset, seed) for preset in ("2x2-qtm", "2x2-htm", "3x3-qtm", "3x3-htm") for seed in (0, 1, 2)]
RUNS += [Run(preset) for preset in LARGE[1:]]  # figures 14 and 15: up to an hour of one core each
RUNS += [Run("3x3-qtm-nsym48", 0, {"episodes": 100_000}, BY_SYMMETRIES[48])]
RUNS += [Run(f"{preset}-report", seed) for preset in EPISODES for seed in (0, 1, 2)]
OLD = {preset: Run(preset, 0, BOARDS["sticker2"], f"{preset}-sticker2") for preset in (*SMALL, "3x3-qtm")}
RUNS += OLD.values()
COMPARED = {  # preset -> board -> name of the run
    preset: {board: f"{preset}-{episodes // 1000}k-{board}" for board in BOARDS} for preset, episodes in EPISODES.items()
}
for preset, names in COMPARED.items():
    for board, name in names.items():
        RUNS += [Run(preset, seed, {"episodes": EPISODES[preset], **BOARDS[board]}, name) for seed in (0, 1, 2)]
BY_TWISTS = tuple(named("3x3-qtm", 400_000, changed) for changed in ({}, {"p_max": 20, "max_steps": 23}))
LONG = tuple(named(*trial) for trial in MANY_EPISODES)
RUNS += [
    Run(preset, 0, {"episodes": episodes, **changed}, named(preset, episodes, changed)) for preset, episodes, changed in TRIALS
]
THIRTEEN = partial(turned, first=13, most=13, n=200, allow_undo=True)  # as the report's table 9
QUESTIONS = [
    Question("boards", tuple(name for names in COMPARED.values() for name in names.values()), measure=last),
    Question("trials", tuple(named(*trial) for trial in TRIALS), measure=last),
    Question("learning", tuple(BY_SYMMETRIES.values()), measure=curves("solved"), seeds=(0,)),
    Question("symmetries", tuple(BY_SYMMETRIES.values()), THIRTEEN, ALONE | THREE | THREE_CHARGED, seeds=(0,)),
    Question("more twists", BY_TWISTS, partial(turned, most=15, n=200, allow_undo=True), ALONE),
    Question("episodes", LONG, measure=curves("solved")),
    Question("all states", (*SMALL, *(OLD[preset].name for preset in SMALL)), measure=everywhere),
]
for preset, most in MOST.items():
    plain, clean = partial(turned, most=most, n=200, allow_undo=True), partial(turned, most=most, n=200)
    faces, halves = partial(faces_turned, most=most, n=200), preset.endswith("htm")
    report, old = f"{preset}-report", f"{preset}-sticker2"
    if halves:
        of = (preset, *([old] if preset in OLD else []))
        QUESTIONS.append(Question("other faces", of, faces, ALONE | (TEN if preset == "3x3-htm" else MCTS)))
        QUESTIONS.append(Question("other faces", (report,), faces, ALONE | (PRINTED_TEN if preset == "3x3-htm" else PRINTED)))
    else:
        QUESTIONS.append(Question("plain walks", (preset,), plain, ALONE | MCTS | (CHARGED if preset in EPISODES else {})))
        if preset in EPISODES:
            QUESTIONS.append(Question("plain walks", (report,), plain, ALONE | PRINTED))
    if preset in OLD:
        QUESTIONS.append(Question("plain walks", (old,), plain, ALONE | MCTS | CHARGED))
    if preset in EPISODES:
        QUESTIONS.append(Question("clean walks", (preset, *([old] if preset in OLD else [])), clean, ALONE | MCTS))
    if preset in SMALL:
        walks = "other faces" if halves else "plain walks"
        QUESTIONS.append(Question(walks, (preset,), faces if halves else plain, SMALL_800[preset], seeds=(0,)))
    if preset == "3x3-htm":
        QUESTIONS.append(Question("other faces", (preset,), faces, MCTS_800, seeds=(0,)))
        QUESTIONS.append(Question("other faces", (preset,), faces, {"MCTS 100, c = 1": konen(100, c=1.0)}))
    if preset in LARGE:  # a quarter of an hour each
        of = (preset, *([old] if preset in OLD else []))
        QUESTIONS.append(Question("plain walks", of, plain, MCTS_800, seeds=(0,)))


def boards_table(answers: list[Answer]) -> str:
    """A line per board: percent solved alone, mean and extremes over seeds, for each cube and metric."""
    found = {name: [100 * a.record["found"]["solved_alone"] for a in of] for name, of in pooled(answers).items()}
    rows = []
    for board in BOARDS:
        cells = [found.get(names[board]) for names in COMPARED.values()]
        rows.append([board, *(f"{np.mean(c):.1f} ({min(c):.1f} to {max(c):.1f})" if c else "" for c in cells)])
    heads = [f"{preset}, {EPISODES[preset]:,} episodes" for preset in COMPARED]
    return table(["percent solved alone; board", *heads], rows)


def table_9(answers: list[Answer]) -> str:
    """CPU hours of training 3 million episodes, and CPU seconds for 200 cubes of 13 twists, beside the report's."""
    rows = []
    for nsym, of in ((nsym, [a for a in answers if a.run.title == preset]) for nsym, preset in BY_SYMMETRIES.items()):
        if not of or nsym not in KONEN_TABLE_9["hours"]:
            continue
        row = [str(nsym), f"{of[0].record['training']['cpu_seconds'] / 3600:.2f}", str(KONEN_TABLE_9["hours"][nsym])]
        for label, theirs in zip(ALONE | THREE, KONEN_TABLE_9["seconds"][nsym], strict=True):
            seconds = [a.record["states"] * a.record["each"]["cpu_seconds"] for a in of if a.label == label]
            row += [f"{seconds[0]:.3g}" if seconds else "", str(theirs)]
        rows.append(row)
    labels = ["alone, s", *list(THREE)]
    searches = [f"{label}, {whose}" for label in labels for whose in ("ours", "the report's")]
    return table(["nSym", "training, h, ours", "the report's", *searches], rows)


def curve_table(answers: list[Answer], after: Collection[int]) -> str:
    """A line per run: percent solved alone after so many episodes."""
    curves = [{step: share for step, share in a.record["found"]["solved"] if step in after} for a in answers]
    columns = sorted(set().union(*curves))
    rows = [
        [a.run.title, *(f"{100 * curve[step]:.1f}" if step in curve else "" for step in columns)]
        for a, curve in zip(answers, curves, strict=True)
    ]
    return table(["percent solved alone after; episodes", *(f"{step:,}" for step in columns)], rows)


BESIDE = {preset: {label: dict(enumerate(row, 1)) for label, row in KONEN[preset].items()} for preset in MOST}
PLOT = ("solved.png", "Percent solved by twists", partial(solved_plot, below="twists p", beside=BESIDE))
SECTIONS = []
for preset, beside in BESIDE.items():
    theirs = {f"{label}, Konen": row for label, row in beside.items()}
    of = tuple(title for title in (preset, f"{preset}-report", f"{preset}-sticker2") if title in {run.title for run in RUNS})
    walks = "other faces, plain walks, clean walks" if preset.endswith("htm") else "plain walks, clean walks"
    SECTIONS.append(Section(preset, walks, runs=of, by="twists p", beside=theirs))
SECTIONS += [
    Section(
        "The 3x3x3 on plain walks; dashed Konen's", "plain walks", runs=(LARGE[0], LARGE[-1]), table=lambda _: "", plot=PLOT
    ),
    Section("Greedily from all states", "all states", "run, training, states, solved_greedily%"),
    Section("Boards", "boards", table=boards_table),
    Section("Time beside the report's table 9", "symmetries", runs=LARGE, table=table_9, note=f"{KONEN_TABLE_9['source']}."),
    Section("Symmetries, learning curves", "learning", table=partial(curve_table, after=KONEN_FIGURE_14[0])),
    Section(
        "Symmetries, 3 million episodes (48: 100,000), 200 cubes of 13 twists",
        "symmetries",
        "run, training, search, cubes, solved, CPU s",
    ),
    Section("More twists in training, 3x3x3, 400,000 episodes", "more twists", by="twists p"),
    Section("Ten million episodes", "episodes", table=partial(curve_table, after=range(10**6, 10**7 + 1, 10**6))),
    Section("Trials", "trials", "run, training, solved_alone%", note=f"Konen: {KONEN['source']}."),
]
STUDY = Study("td_ntuple", [*RUNS, *short_runs("2x2-qtm", 150_000)], [*QUESTIONS, CURVE], SECTIONS, ("episodes",))
