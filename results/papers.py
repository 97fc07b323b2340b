"""The papers row by row, for docs/papers.md: what each table, figure, algorithm and claim says, and ours beside it.

A row's own figures come from records (or from a computation with a seed), never from here; where there is no record the page
says "not measured yet".
"""

from collections.abc import Callable, Iterable
from functools import cache
from typing import NamedTuple

import numpy as np

from results import records
from results.published import DEEPCUBE, KONEN, KONEN_FIGURE_13, KONEN_TABLE_9, KONEN_TWISTS
from results.questions import Answer, Study
from results.statistics import percent, share_text
from results.studies.adi import PRINTED, TABLES, expanded
from results.studies.td_ntuple import COMPARED, EPISODES
from results.tables import pooled, shares, table
from rubiks_gym.puzzles import Rubik2x2, Rubik3x3
from train.evaluation import start_states

NOT_YET = "not measured yet"
Studies = dict[str, Study]
Ours = Callable[[Studies], str]


class Row(NamedTuple):
    """One thing that a paper has."""

    where: str
    what: str
    theirs: str
    ours: str | Ours
    command: str = ""  # how to repeat ours, or where it is


def page(studies: Studies) -> str:
    """A table for each paper."""
    texts = []
    for title, rows in PAPERS.items():
        lines = []
        for row in rows:
            ours = row.ours if isinstance(row.ours, str) else row.ours(studies) or NOT_YET
            lines.append([row.where, row.what, row.theirs, ours, f"`{row.command}`" if row.command else ""])
        texts.append(f"## {title}\n\n{table(('where', 'what', 'theirs', 'ours', 'command or place'), lines)}")
    return "\n\n".join(texts)


# What a row says of our records -----------------------------------------------------------------------------------------


def answers(studies: Studies, algorithm: str, question: str, run: str, label: str = "") -> list[Answer]:
    """The answers that documents may show, one per seed."""
    return [a for a in studies[algorithm].of(question, run) if a.label == label]


def lengths(found: list[Answer]) -> np.ndarray:
    """Of all solutions asked for [B], nan where there is none."""
    return records.unpack(*(a.record for a in found)).lengths


def solved(algorithm: str, question: str, run: str, label: str) -> Ours:
    """Share solved, median length, CPU seconds."""

    def ours(studies: Studies) -> str:
        found = answers(studies, algorithm, question, run, label)
        if not found:
            return ""
        each = lengths(found)
        there = each[np.isfinite(each)]
        seconds = np.mean([a.record["each"]["cpu_seconds"] for a in found])
        median = f", median {np.median(there):g} moves" if len(there) else ""
        return f"{share_text(len(there), len(each))} of {len(each)} solved{median}, {seconds:.2g} CPU s"

    return ours


def each_run(make: Callable[[str], Ours], runs: Iterable[str]) -> Ours:
    """What several runs say, each under its name."""

    def ours(studies: Studies) -> str:
        texts = {run: make(run)(studies) for run in runs}
        return "; ".join(f"{run}: {text}" for run, text in texts.items() if text)

    return ours


def no_longer(run: str) -> Ours:
    """Share of cubes whose solution is no longer than the two-phase solver's."""

    def ours(studies: Studies) -> str:
        found, theirs = (answers(studies, "adi", "uniform", run, "DeepCube"), answers(studies, "adi", "kociemba", TABLES))
        if not (found and theirs):
            return ""
        each = lengths(found)
        return share_text(int((each <= np.array(theirs[0].record["found"]["uniform"])[: len(each)]).sum()), len(each))

    return ours


def saved(run: str) -> Ours:
    """What the breadth-first search takes off the median."""

    def ours(studies: Studies) -> str:
        found = [answers(studies, "adi", "uniform", run, label) for label in ("DeepCube, not shortened", "DeepCube")]
        if not all(found):
            return ""
        first, short = (np.nanmedian(lengths(each)) for each in found)
        means = [np.nanmean(lengths(each)) for each in found]
        return f"{first - short:g} of the median, {means[0] - means[1]:.2f} of the mean"

    return ours


def nodes(run: str) -> Ours:
    """States expanded."""

    def ours(studies: Studies) -> str:
        found = answers(studies, "adi", "uniform", run, "DeepCube")
        return f"{expanded(found[0]).mean():,.0f}, at most {expanded(found[0]).max():,.0f}" if found else ""

    return ours


def optimal(run: str) -> Ours:
    """Median and share optimal after 15 turns, against proven distances."""

    def ours(studies: Studies) -> str:
        found = answers(studies, "adi", "15 turns", run, "DeepCube")
        if not found:
            return ""
        outcomes = records.unpack(*(a.record for a in found))
        best = int((outcomes.lengths == outcomes.distances).sum())
        return f"median {np.nanmedian(outcomes.lengths):g}, optimal {share_text(best, len(outcomes.lengths))}"

    return ours


def conjugations(run: str) -> Ours:
    """How many of the 14 most used triplets are conjugations, and their share among all."""

    def ours(studies: Studies) -> str:
        found = answers(studies, "adi", "solutions", run)
        if not found:
            return ""
        record = found[0].record["found"]
        chance = f"{percent(record['conjugations'])}% of all, by chance {percent(record['by_chance'])}%"
        return f"{record['of_the_14_most_used']} of 14; {chance}"

    return ours


def half_way(run: str) -> Ours:
    """Blocks and pairs half way."""

    def ours(studies: Studies) -> str:
        found = answers(studies, "adi", "solutions", run)
        if not found:
            return ""
        pairs, block = found[0].record["found"]["pairs"], found[0].record["found"]["block"]
        middle = len(pairs) // 2
        texts = [f"{percent(block[at])}% have a block and {pairs[at]:.1f} of 24 pairs are joined" for at in (middle, -4)]
        return f"half way {texts[0]}, after 85% {texts[1]}"

    return ours


def mean_solved(question: str, run: str, label: str) -> Ours:
    """Percent solved, mean over the numbers of twists, seeds together."""

    def ours(studies: Studies) -> str:
        found = answers(studies, "td_ntuple", question, run, label)
        if not found:
            return ""
        groups = shares(found)
        seeds = f"{len(found)} seed{'s' * (len(found) > 1)}"
        each, last = {p: 100 * k / n for p, (k, n) in groups.items()}, max(groups)
        return f"{np.mean(list(each.values())):.1f}, at p = {last} {each[last]:.1f} ({seeds})"

    return ours


def boards(preset: str) -> Ours:
    """Percent solved with each board."""

    def ours(studies: Studies) -> str:
        of = pooled(studies["td_ntuple"].of("boards", *COMPARED[preset].values()))
        means = {b: [100 * a.record["found"]["solved_alone"] for a in of.get(name, [])] for b, name in COMPARED[preset].items()}
        return ", ".join(f"{board} {np.mean(each):.1f}" for board, each in means.items() if each)

    return ours


def trial(*names: str) -> Ours:
    """Percent solved alone in trials."""

    def ours(studies: Studies) -> str:
        found = [answers(studies, "td_ntuple", "trials", name) for name in names]
        return "; ".join(f"{each[0].run.title}: {100 * each[0].record['found']['solved_alone']:.1f}" for each in found if each)

    return ours


def hours(run: str) -> Ours:
    """CPU minutes for three million episodes."""

    def ours(studies: Studies) -> str:
        found = answers(studies, "td_ntuple", "plain walks", run, "agent alone")
        if not found:
            return ""
        episodes = found[0].run.changed.get("episodes", KONEN_TABLE_9["episodes"])
        seconds = np.mean([a.record["training"]["cpu_seconds"] for a in found]) * KONEN_TABLE_9["episodes"] / episodes
        return f"{seconds / 60:.1f} CPU min"

    return ours


@cache
def distinct(size: int, metric: str, p: int, n: int = 500) -> float:
    """Mean number of different images, under the 24 rotations, of n states after p twists (seed 0)."""
    cube = (Rubik2x2 if size == 2 else Rubik3x3)(metric)
    walk = {"allow_same_face": False} if metric == "htm" else {"allow_undo": True}  # the report's
    images = cube.symmetries(start_states(cube, p, n, 0, **walk))[:, :24]
    return float(np.mean([len(np.unique(of_one, axis=0)) for of_one in images]))


def figure_13(size: int, metric: str) -> Ours:
    """Different symmetric states by twists."""
    return lambda _: ", ".join(f"{distinct(size, metric, p):.1f}" for p in KONEN_TWISTS)


TWISTS = ", ".join(map(str, KONEN_TWISTS))


# The papers ---------------------------------------------------------------------------------------------------------------

_ADI, _TD = "python -m results --measure adi --only", "python -m results --measure td_ntuple --only"
_OWN = (TABLES, "3x3", "3x3-long")
_15 = f"median {DEEPCUBE['15 turns']['median']}, optimal {DEEPCUBE['15 turns']['optimal']} of 100"


_BEYOND = "solved, by symmetric n-tuples that learn from walks and backups; not by TD learning yet"


def _hours(nsym: int) -> str:
    return f"{KONEN_TABLE_9['hours'][nsym]} h"


def _mean(preset: str, label: str) -> str:
    row = KONEN[preset][label]
    return f"{np.mean(row):.1f}, at p = {len(row)} {row[-1]:.1f}"


def _figure_12() -> list[Row]:
    rows = []
    for preset in ("2x2-htm", "2x2-qtm", "3x3-htm", "3x3-qtm"):
        question = "other faces" if preset.endswith("htm") else "plain walks"
        for label in KONEN[preset]:
            ours = mean_solved(question, preset, label)
            what = f"{preset}, {label}: percent solved, mean over p, the report's walks"
            rows.append(Row("fig. 12", what, _mean(preset, label), ours, f"{_TD} {preset}-s '{question}' '{label}'"))
    return rows


PAPERS: dict[str, list[Row]] = {
    "DeepCube (McAleer et al. 2018)": [
        Row("fig. 1, 3; alg. 1", "autodidactic iteration", "", "built", "agents/adi/learner.py"),
        Row("fig. 2", "20 x 24 state", "", "built: the observation one-hot", "rubiks_gym/puzzles/cube.py"),
        Row("4.1", "deeper breadth-first targets", "possible", "built: --config.depth", "agents/adi/learner.py"),
        Row("4.1", "weights 1/D stop the divergence", "no divergence seen", NOT_YET, f"{_ADI} learning"),
        Row("fig. 4", "network 4096-2048-512", "", "built: --config.network deepcube", "agents/adi/network.py"),
        Row("fig. 4", "joint trains better than separate networks", "more efficient", NOT_YET),
        Row("4.2", "search as printed", "", solved("adi", "as printed", TABLES, PRINTED), f"{_ADI} 'as printed'"),
        Row(
            "5, abstract", "640 fully scrambled cubes", "100% within an hour, median 30 moves, 10 minutes",
            each_run(lambda run: solved("adi", "uniform", run, "DeepCube"), _OWN), f"{_ADI} uniform DeepCube",
        ),
        Row("5", "no longer than kociemba's", "55%", each_run(no_longer, _OWN), f"{_ADI} uniform DeepCube"),
        Row("5", "shortening saves", "3 of the median", each_run(saved, _OWN), f"{_ADI} uniform"),
        Row("5", "states expanded", "1,136, at most 3,425", each_run(nodes, _OWN), f"{_ADI} uniform DeepCube"),
        Row("5, fig. 6", "100 cubes after 15 turns", _15, each_run(optimal, _OWN), f"{_ADI} '15 turns'"),
        Row("5", "training", "8 billion cubes, 44 h, 32 cores, 3 GPUs", "see the README's tables", "agents/adi/README.md"),
        Row("fig. 5a", "solve rate by distance, four solvers", "curves", NOT_YET, f"{_ADI} 3x3-s0 turns"),
        Row("fig. 5b", "distribution of solve times", "curve", "by states expanded, plotted", "agents/adi/README.md"),
        Row("fig. 6", "distribution of lengths", "box plots", "quartiles and extremes, plotted", "agents/adi/README.md"),
        Row("fig. 7", "a 2x2x2 corner about half way", "an example", each_run(half_way, _OWN), f"{_ADI} solutions"),
        Row("5.1, fig. 8", "the 14 most used triplets", "all conjugations", each_run(conjugations, _OWN), f"{_ADI} solutions"),
        Row("6", "4x4x4, other puzzles", "future work", "environments; nothing trained yet", "rubiks_gym/puzzles/big_cube.py"),
    ],
    "TD-n-tuple (Konen 2023)": [
        Row("2.2", "states, God's numbers, branching factors", "as known", "held by tests", "tests/test_exact.py"),
        Row("tables 1 to 6", "twists and whole-cube rotations", "by hand", "from geometry", "rubiks_gym/puzzles/geometry.py"),
        Row("2.5, eq. 18", "symmetric values", "", "built: --config.nsym", "agents/td_ntuple/network.py"),
        Row("3, fig. 9", "random-walk n-tuples", "", "built", "agents/td_ntuple/tuples.py"),
        Row("4, B; tables 7, 8, 10, 11", "boards and adjacency", "", "built", "agents/td_ntuple/boards.py"),
        *(
            Row(
                "4.3", f"boards, {preset}, percent solved after {episodes:,} episodes",
                "STICKER2 is better in all aspects", boards(preset), f"{_TD} {preset} boards",
            )
            for preset, episodes in EPISODES.items()
        ),
        Row("alg. 1", "DAVI", "", "built", "agents/davi/learner.py"),
        Row("alg. 2, 3", "TD-n-tuple training, TCL", "", "built", "agents/td_ntuple/learner.py"),
        Row("alg. 4", "evaluation with MCTS", "", "built: mcts-konen", "rubiks_gym/search/mcts.py"),
        Row(
            "5.2", "E_train = 1 is much worse", "much worse",
            trial("2x2-qtm-100k-max_steps-1", "2x2-qtm-100k", "3x3-qtm-60k-max_steps-1", "3x3-qtm-60k"), f"{_TD} max_steps",
        ),
        *_figure_12(),
        Row("6.2", "10 million episodes change little", "not considerably", NOT_YET),
        Row("6.1", "more twists in training do not help", "no improvement", NOT_YET),
        *(
            Row("fig. 13", f"different symmetric states of 24, {size}x{size}x{size} {metric}, p = {TWISTS}",
                ", ".join(map(str, KONEN_FIGURE_13[size, metric])), figure_13(size, metric), "results/papers.py")
            for size, metric in KONEN_FIGURE_13
        ),
        Row("fig. 14", "learning curves by nSym, 3x3-qtm", "faster, higher", NOT_YET),
        Row(
            "fig. 15", "3x3-qtm-nsym8, agent alone (1 million episodes)", _mean("3x3-qtm-nsym8", "agent alone"),
            mean_solved("plain walks", "3x3-qtm-nsym8", "agent alone"), f"{_TD} nsym8",
        ),
        Row("fig. 15", "nSym 16 and 24; with the wrapper their number is indifferent", "marginal", NOT_YET),
        Row("table 9", "training 3 million episodes, nSym 0", _hours(0), hours("3x3-qtm"), f"{_TD} 3x3-qtm-s"),
        Row("table 9", "the same, nSym 8", _hours(8), hours("3x3-qtm-nsym8"), f"{_TD} 3x3-qtm-nsym8-s"),
        Row("table 9", "nSym 16, 24", f"{_hours(16)}, {_hours(24)}", NOT_YET),
        *(
            Row("C", f"{preset}: settings as printed, agent alone", _mean(preset, "agent alone"),
                mean_solved("other faces" if preset.endswith("htm") else "plain walks", f"{preset}-report", "agent alone"),
                f"{_TD} {preset}-report")
            for preset in EPISODES
        ),
        Row("8", "the 3x3x3 beyond 15 twists", "not solved", _BEYOND, "agents/symmetric_ntuple/README.md"),
    ],
}  # fmt: skip
