"""TD-n-tuple (Konen 2023), row by row."""

from functools import cache

import numpy as np

from results.papers.rows import Answers, Asked, Ours, Row, cell, each
from results.papers.texts import mean_solved, share_solved, solved, trained
from results.published import KONEN, KONEN_13_TWISTS, KONEN_FIGURE_13, KONEN_FIGURE_14, KONEN_TABLE_9, KONEN_TWISTS
from results.questions import Answer
from results.studies.symmetric_ntuple import TD, TD_SEARCHES
from results.studies.td_ntuple import BY_SYMMETRIES, BY_TWISTS, COMPARED, EPISODES, LARGE, LONG
from results.tables import pooled
from rubiks_gym.puzzles import Rubik2x2, Rubik3x3
from train.evaluation import start_states


def boards(preset: str) -> Ours:
    """Percent solved with each board."""

    def ours(answers: Answers) -> str:
        names = COMPARED[preset].values()
        of = pooled(a for a in answers["td_ntuple"] if a.question.name == "boards" and a.run.title in names)
        means = {b: [100 * a.record["found"]["solved_alone"] for a in of.get(name, [])] for b, name in COMPARED[preset].items()}
        return ", ".join(f"{board} {np.mean(each):.1f}" for board, each in means.items() if each)

    return ours


def alone(found: list[Answer]) -> str:
    """Percent solved alone in a trial."""
    return f"{100 * found[0].record['found']['solved_alone']:.1f}"


def after(found: list[Answer]) -> str:
    """Percent solved alone by three tenths of the training, and by its end, mean over the fifth of the training before."""
    curve = [(step, 100 * share) for step, share in found[0].record["found"]["solved"]]
    total = curve[-1][0]
    parts = {f"{at * total:,.0f}": [y for x, y in curve if at - 0.2 < x / total <= at] for at in (0.3, 1.0)}
    return ", ".join(f"{np.mean(shares):.1f} by {episodes}" for episodes, shares in parts.items())


def learnt(found: list[Answer]) -> str:
    """Percent solved alone after as many episodes as the report's figure is read at."""
    return ", ".join(f"{100 * share:.1f}" for step, share in found[0].record["found"]["solved"] if step in KONEN_FIGURE_14[0])


@cache
def distinct(size: int, metric: str, p: int, n: int = 500) -> float:
    """Mean number of different images, under the 24 rotations, of n states after p twists (seed 0)."""
    cube = (Rubik2x2 if size == 2 else Rubik3x3)(metric)
    walk = {"allow_same_face": False} if metric == "htm" else {"allow_undo": True}  # the report's
    images = cube.symmetries(start_states(cube, p, n, 0, **walk))[:, :24]
    return float(np.mean([len(np.unique(of_one, axis=0)) for of_one in images]))


_MEASURE = "python -m results --measure td_ntuple --only"
_AS_PRINTED = dict.fromkeys(
    ("2x2-qtm", "2x2-htm"),
    "Short by a point or two: the program behind the figures has another step cost and TC-Init.",
)
_TWISTS = ", ".join(map(str, KONEN_TWISTS))
_SYMMETRIES = tuple(BY_SYMMETRIES.values())
_TRIALS = ("2x2-qtm-100k-max_steps-1", "2x2-qtm-100k", "3x3-qtm-60k-max_steps-1-alpha-0.25", "3x3-qtm-60k")


def _mean(preset: str, label: str) -> str:
    row = KONEN[preset][label]
    return f"{np.mean(row):.1f}, at p = {len(row)} {row[-1]:.1f}"


def _walks(preset: str) -> str:
    """The question that has the report's own walks."""
    return "other faces" if preset.endswith("htm") else "plain walks"


_TEN = "Short, with the report's c = 10: it outweighs values that differ by 0.04 a move. A row below has c = 1."


def _figure_12() -> list[Row]:
    rows = []
    for preset in ("2x2-htm", "2x2-qtm", "3x3-htm", "3x3-qtm"):
        for label in KONEN[preset]:
            ours = cell(mean_solved, Asked("td_ntuple", _walks(preset), preset, label))
            what = f"{preset}, {label}: percent solved, mean over p, the report's walks"
            why = _TEN if (preset, label) == ("3x3-htm", "MCTS 100") else ""
            command = f"{_MEASURE} {preset}-s '{_walks(preset)}' '{label}'"
            rows.append(Row("fig. 12", what, _mean(preset, label), ours, command, why))
    one = "MCTS 100, c = 1"
    ours = cell(mean_solved, Asked("td_ntuple", "other faces", "3x3-htm", one))
    rows.append(Row("fig. 12", f"3x3-htm, {one}: the same", "has c = 10", ours, f"{_MEASURE} 3x3-htm-s 'other faces' '{one}'"))
    return rows


def _figure_13(size: int, metric: str) -> Ours:
    return lambda _: ", ".join(f"{distinct(size, metric, p):.1f}" for p in KONEN_TWISTS)


ROWS = [
    Row("2.2", "states, God's numbers, branching factors", "as known", "held by tests", "tests/test_exact.py"),
    Row("fig. 1 to 8", "colours, sticker numbers, colour transformation, normalising", "", "built",
        "rubiks_gym/puzzles/cube.py"),
    Row("tables 1 to 6", "twists and whole-cube rotations", "by hand", "from geometry", "rubiks_gym/puzzles/geometry.py"),
    Row("2.5, eq. 18", "symmetric values", "", "built: --config.nsym", "agents/td_ntuple/network.py"),
    Row("3, fig. 9", "random-walk n-tuples", "", "built", "agents/td_ntuple/tuples.py"),
    Row("4, B; fig. 10, 11; tables 7, 8, 10, 11", "boards and adjacency", "", "built", "agents/td_ntuple/boards.py"),
    *(
        Row(
            "4.3", f"boards, {preset}, percent solved after {episodes:,} episodes",
            "STICKER2 is better in all aspects", boards(preset), f"{_MEASURE} {preset} boards",
        )
        for preset, episodes in EPISODES.items()
    ),
    Row("alg. 1", "DAVI", "", "built", "agents/davi/learner.py"),
    Row("alg. 2, 3", "TD-n-tuple training, TCL", "", "built", "agents/td_ntuple/learner.py"),
    Row("alg. 4", "evaluation with MCTS", "", "built: mcts-konen", "rubiks_gym/search/mcts.py"),
    Row("5.2", "E_train = 1 is much worse: percent solved alone", "much worse",
        each(alone, _TRIALS, Asked("td_ntuple", "trials", "")), f"{_MEASURE} max_steps"),
    *_figure_12(),
    Row("6.2", "10 million episodes change little: percent solved alone", "not considerably",
        each(after, LONG, Asked("td_ntuple", "episodes", "")), f"{_MEASURE} episodes"),
    Row("6.1", "more twists in training do not help: 20 instead of 13, 400,000 episodes, percent solved alone",
        "no improvement",
        each(mean_solved, BY_TWISTS, Asked("td_ntuple", "more twists", "", "agent alone")), f"{_MEASURE} 'more twists'"),
    *(
        Row("fig. 13", f"different symmetric states of 24, {size}x{size}x{size} {metric}, p = {_TWISTS}",
            ", ".join(map(str, KONEN_FIGURE_13[size, metric])), _figure_13(size, metric), "results/papers/konen.py")
        for size, metric in KONEN_FIGURE_13
    ),
    *(
        Row("fig. 14", f"nSym {nsym}: percent solved alone after 0.1, 0.3, 0.6, 1, 2, 3 million episodes",
            ", ".join(map(str, KONEN_FIGURE_14.get(nsym, {}).values())) or "not asked",
            cell(learnt, Asked("td_ntuple", "learning", run)), f"{_MEASURE} {run}-s0 learning")
        for nsym, run in BY_SYMMETRIES.items()
    ),
    *(
        Row("fig. 15", f"{preset}, {label}: percent solved, mean over p", _mean(preset, label),
            cell(mean_solved, Asked("td_ntuple", "plain walks", preset, label)), f"{_MEASURE} {preset}-s plain '{label}'")
        for preset in LARGE[1:] for label in KONEN[preset]
    ),
    *(
        Row("fig. 15", f"nSym 0, 8, 16, 24, {label}: percent solved after 13 twists", theirs,
            each(share_solved, _SYMMETRIES, Asked("td_ntuple", "symmetries", "", label)), f"{_MEASURE} symmetries '{label}'")
        for label, theirs in KONEN_13_TWISTS.items()
    ),
    *(
        Row("table 9", f"training 3 million episodes, nSym {nsym}", f"{KONEN_TABLE_9['hours'][nsym]} h",
            cell(trained, Asked("td_ntuple", "learning", preset)), f"{_MEASURE} {preset}-s0 learning")
        for nsym, preset in BY_SYMMETRIES.items() if nsym in KONEN_TABLE_9["hours"]
    ),
    *(
        Row("C", f"{preset}: settings as printed, agent alone", _mean(preset, "agent alone"),
            cell(mean_solved, Asked("td_ntuple", _walks(preset), f"{preset}-report", "agent alone")),
            f"{_MEASURE} {preset}-report", _AS_PRINTED.get(preset, ""))
        for preset in EPISODES
    ),
    Row("7", "DeepCube, DeepCubeA, other work", "related", "beside it in the README's plot", "results/published.py"),
    *(
        Row("8", f"the 3x3x3 beyond 15 twists: uniformly random cubes, by TD learning on symmetric n-tuples, {label}",
            "not solved", each(solved, TD, Asked("symmetric_ntuple", "td", "", label)),
            f"python -m results --measure symmetric_ntuple --only 3x3-qtm-td '{label}'")
        for label in TD_SEARCHES
    ),
    Row("8", "the same, by symmetric n-tuples that learn from walks and backups", "not solved", "solved",
        "agents/symmetric_ntuple/README.md"),
]  # fmt: skip
