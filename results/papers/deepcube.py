"""DeepCube (McAleer et al. 2018), row by row."""

import numpy as np

from results import records
from results.papers.rows import Asked, Row, cell, each, named
from results.papers.texts import by_turns, lengths, solved, values
from results.published import DEEPCUBE
from results.questions import Answer
from results.statistics import percent, share_text
from results.studies.adi import DRIFT, PRINTED, QUARTER, TABLES, expanded


def no_longer(found: list[Answer], theirs: list[Answer]) -> str:
    """Share of cubes whose solution is no longer than the two-phase solver's."""
    every = lengths(found)
    return share_text(int((every <= np.array(theirs[0].record["found"]["uniform"])[: len(every)]).sum()), len(every))


def saved(first: list[Answer], short: list[Answer]) -> str:
    """What the breadth-first search takes off the lengths."""
    (median, least), (mean, shorter) = ((of(lengths(first)), of(lengths(short))) for of in (np.nanmedian, np.nanmean))
    return f"{median - least:g} of the median, {mean - shorter:.2f} of the mean"


def nodes(found: list[Answer]) -> str:
    """States expanded."""
    return f"{expanded(found[0]).mean():,.0f}, at most {expanded(found[0]).max():,.0f}"


def best(found: list[Answer]) -> str:
    """Median and share optimal, against proven distances."""
    outcomes = records.unpack(*(a.record for a in found))
    optimal = int((outcomes.lengths == outcomes.distances).sum())
    return f"median {np.nanmedian(outcomes.lengths):g}, optimal {share_text(optimal, len(outcomes.lengths))}"


def conjugations(found: list[Answer]) -> str:
    """How many of the 14 most used triplets are conjugations, and their share among all."""
    record = found[0].record["found"]
    chance = f"{percent(record['conjugations'])}% of all, by chance {percent(record['by_chance'])}%"
    return f"{record['of_the_14_most_used']} of 14; {chance}"


def half_way(found: list[Answer]) -> str:
    """Blocks and pairs half way."""
    pairs, block = found[0].record["found"]["pairs"], found[0].record["found"]["block"]
    middle = len(pairs) // 2
    texts = [f"{percent(block[at])}% have a block and {pairs[at]:.1f} of 24 pairs are joined" for at in (middle, -4)]
    return f"half way {texts[0]}, after 85% {texts[1]}"


def goal_values(found: list[Answer]) -> str:
    """The value of the goal when training ended, seeds apart."""
    return ", ".join(f"{a.record['found']['goal_value'][-1][1]:.1f}" for a in found)


_MEASURE = "python -m results --measure adi --only"
_OWN = (TABLES, "3x3", "3x3-plain")
_15 = f"median {DEEPCUBE['15 turns']['median']}, optimal {DEEPCUBE['15 turns']['optimal']} of 100"
_DEEPCUBE, _FIRST = Asked("adi", "uniform", "", "DeepCube"), Asked("adi", "uniform", "", "DeepCube, not shortened")
_SOLVERS = {"DeepCube": "DeepCube", "greedy by values": "values, no undo", "policy": "policy, no undo", "BWAS": "BWAS"}

ROWS = [
    Row("fig. 1, 3; alg. 1", "autodidactic iteration", "", "built", "agents/adi/learner.py"),
    Row("fig. 2", "20 x 24 state", "", "built: the observation one-hot", "rubiks_gym/puzzles/cube.py"),
    Row("3", "rewards of +1 and -1", "", "built: --reward deepcube, and in the learner", "rubiks_gym/rewards.py"),
    Row("4.1", "deeper breadth-first targets", "possible", "built: --config.depth", "agents/adi/learner.py"),
    Row(
        "4.1", "weights 1/D stop the divergence: value of the goal at the end", "no divergence seen",
        each(goal_values, DRIFT, Asked("adi", "learning", "")), f"{_MEASURE} learning",
        "Nothing in its targets fixes the constant, with weights or without. Fixing the goal's value does.",
    ),
    Row(
        "4.1", "the same at a quarter of the paper's width, 150 iterations, three seeds", "no divergence seen",
        each(goal_values, QUARTER.values(), Asked("adi", "learning", "")), f"{_MEASURE} quarter-s learning",
    ),
    Row("fig. 4", "network 4096-2048-512", "", "built: --config.network deepcube", "agents/adi/network.py"),
    Row("fig. 4", "joint trains better than separate networks: share of states that the policy solves, mean error",
        "more efficient",
        each(values("policy_solves", "mean_absolute_error"), ("N-2000", "separate"), Asked("adi", "truth", "")),
        f"{_MEASURE} separate truth",
        "Not found here at an eighth of its width: separate networks, which have more weights, solve a little more."),
    Row("4.2", "search as printed", "", cell(solved, Asked("adi", "as printed", TABLES, PRINTED)), f"{_MEASURE} 'as printed'",
        "W begins at 0 and is a maximum of values that are below 0 beyond two moves, so values are never used."),
    Row("4.2", "virtual loss, eight workers", "", "built: leaves, virtual_loss", "rubiks_gym/search/mcts_settings.py"),
    Row(
        "5, abstract", "640 fully scrambled cubes", "100% within an hour, median 30 moves, 10 minutes",
        each(solved, _OWN, _DEEPCUBE), f"{_MEASURE} uniform DeepCube",
    ),
    Row(
        "5", "no longer than kociemba's", "55%",
        each(no_longer, _OWN, _DEEPCUBE, Asked("adi", "kociemba", TABLES)), f"{_MEASURE} uniform DeepCube",
    ),
    Row("5", "shortening saves", "3 of the median", each(saved, _OWN, _FIRST, _DEEPCUBE), f"{_MEASURE} uniform",
        "Our search never undoes a move, so its first path has fewer detours to be cut."),
    Row("5", "states expanded", "1,136, at most 3,425", each(nodes, _OWN, _DEEPCUBE), f"{_MEASURE} uniform DeepCube",
        "More, since c is chosen for short solutions: exploring less finds longer ones among fewer states."),
    Row(
        "5, fig. 6", "100 cubes after 15 turns", _15,
        each(best, _OWN, Asked("adi", "15 turns", "", "DeepCube")), f"{_MEASURE} '15 turns'",
    ),
    Row("5", "training", "8 billion cubes, 44 h, 32 cores, 3 GPUs", "see the README's tables", "agents/adi/README.md"),
    Row(
        "fig. 5a", "percent solved after 3, 6, ... 30 turns, four solvers, 10,000 states expanded each", "curves",
        named({name: cell(by_turns, Asked("adi", "turns", "3x3", label)) for name, label in _SOLVERS.items()}),
        f"{_MEASURE} 3x3-s0 turns", "kociemba's program solves all.",
    ),
    Row("fig. 5b", "distribution of solve times", "curve", "by states expanded, plotted", "agents/adi/README.md"),
    Row("fig. 6", "distribution of lengths", "box plots", "quartiles and extremes, plotted", "agents/adi/README.md"),
    Row(
        "fig. 7", "a 2x2x2 corner about half way", "an example",
        each(half_way, _OWN, Asked("adi", "solutions", "")), f"{_MEASURE} solutions",
    ),
    Row(
        "5.1, fig. 8", "the 14 most used triplets", "all conjugations",
        each(conjugations, _OWN, Asked("adi", "solutions", "")), f"{_MEASURE} solutions",
    ),
    Row("6", "4x4x4: random states, by general n-tuples and macros", "future work",
        cell(solved, Asked("general_ntuple", "random", "4x4x4", "macro-beam")),
        "python -m results --measure general_ntuple --only 4x4x4-s0 random"),
]  # fmt: skip
