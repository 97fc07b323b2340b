"""DeepCube (McAleer et al. 2018), row by row."""

import numpy as np

from results import records
from results.papers.rows import Asked, Row, cell, each, named
from results.papers.texts import by_turns, lengths, solved, trained, values
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
    longer = f"{(outcomes.lengths > 15).sum()} longer than 15, at most {np.nanmax(outcomes.lengths):g}"
    return f"median {np.nanmedian(outcomes.lengths):g}, optimal {share_text(optimal, len(outcomes.lengths))}, {longer}"


def alone(found: list[Answer]) -> str:
    """CPU seconds of cubes searched one by one."""
    seconds = np.array([row[2] for row in found[0].record["by_group"]])
    text = share_text(int(np.isfinite(lengths(found)).sum()), len(seconds))
    return f"{text} solved, median {np.median(seconds):.2g} CPU s, at most {seconds.max():.2g}"


def spread(found: list[Answer]) -> str:
    """Interquartile range of the two-phase solver's lengths."""
    low, high = np.percentile(found[0].record["found"]["uniform"], [25, 75])
    return f"{high - low:g}"


def beside(found: list[Answer], theirs: list[Answer]) -> str:
    """The two-phase solver's median, and how often ours is no longer."""
    every, other = lengths(found), np.array(theirs[0].record["found"]["15 turns"])
    return f"{np.median(other):g}, {share_text(int((every <= other).sum()), len(every))}"


def mean_uses(found: list[Answer]) -> str:
    """How often a triplet of either kind is used on average."""
    record = found[0].record["found"]
    return ", ".join(f"{np.mean(record[name]):.1f}" for name in ("counts_of_conjugations", "counts_of_others"))


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
_KOCIEMBA = Asked("adi", "kociemba", TABLES)
_DEEPCUBE, _FIRST = Asked("adi", "uniform", "", "DeepCube"), Asked("adi", "uniform", "", "DeepCube, not shortened")
_SOLVERS = {"DeepCube": "DeepCube", "greedy by values": "values, no undo", "policy": "policy, no undo"}

ROWS = [
    Row("fig. 1, 3; alg. 1", "autodidactic iteration", "", "built", "agents/adi/learner.py"),
    Row("fig. 2", "20 x 24 state", "", "built: the observation one-hot", "rubiks_gym/puzzles/cube.py"),
    Row("2, 3", "4.3 * 10^19 states; at most 26 quarter turns", "", "held by tests; a cube 26 turns away",
        "tests/test_permutation.py"),
    Row("3", "rewards of +1 and -1", "", "built: --reward deepcube, and in the learner", "rubiks_gym/rewards.py"),
    Row("4.1", "deeper breadth-first targets", "possible", "built: --config.depth", "agents/adi/learner.py"),
    Row(
        "4.1", "weights 1/D stop the divergence: value of the goal at the end, 2x2x2, an eighth of the width",
        "without them training \"sometimes either converged to a degenerate solution or diverged completely\", with them never",
        each(goal_values, DRIFT, Asked("adi", "learning", "")), f"{_MEASURE} learning",
        "What drifts is a constant in all values, which nothing in the targets fixes, with weights or without; fixing the"
        " goal's value does. Differences between values do not diverge.",
    ),
    Row(
        "4.1", "the same at a quarter of the paper's width, 150 iterations, three seeds", "as above",
        each(goal_values, QUARTER.values(), Asked("adi", "learning", "")), f"{_MEASURE} quarter-s learning",
    ),
    Row("4.1, alg. 1", "Glorot's first weights, RMSProp, squared error and cross-entropy", "",
        "built: --config.optimizer rmsprop", "agents/adi/network.py"),
    Row("fig. 4", "network 4096-2048-512", "", "built: --config.network deepcube", "agents/adi/network.py"),
    Row("fig. 4", "joint trains better than separate networks: share of states that the policy solves, mean error",
        "more efficient",
        each(values("policy_solves", "mean_absolute_error"), ("N-2000", "separate"), Asked("adi", "truth", "")),
        f"{_MEASURE} separate truth",
        "Not found here at an eighth of its width: separate networks, which have more weights, solve a little more."),
    Row("4.2", "search as printed, 100 random cubes, 200,000 states made each", "100% of 640",
        each(solved, (TABLES, "3x3"), Asked("adi", "as printed", "", PRINTED)), f"{_MEASURE} 'as printed'",
        "W begins at 0 and is a maximum of values that are below 0 beyond two moves where the goal is worth 0: they are never"
        " used."),
    Row("4.2", "the same on 500 random 2x2x2s, 1,000 states made each, with values that have drifted above 0 as its targets"
        " let them: share solved with the values as they are, and less the goal's", "not said whether its own did",
        each(values("solved_raw", "solved_zero"), DRIFT[:2], Asked("adi", "values that drift", "")),
        f"{_MEASURE} 'values that drift'"),
    Row("4.2", "virtual loss, workers (how many is not said)", "", "built: leaves, virtual_loss, eight of them",
        "rubiks_gym/search/mcts_settings.py"),
    Row(
        "5, abstract", "640 fully scrambled cubes (3x3-plain: 100): ours are uniformly random, the paper's 1,000 turns from"
        " home; CPU seconds of ours are of a batch, by its size",
        "100% within an hour, median 30 moves, median time 10 minutes",
        each(solved, _OWN, _DEEPCUBE), f"{_MEASURE} uniform DeepCube",
        "n-tuple are the symmetric n-tuple tables, 3x3 is ADI after a warm start on move sequences, 3x3-plain ADI from zero.",
    ),
    Row("5", "the twenty of these that took 3x3 most states, each alone", "within an hour",
        cell(alone, Asked("adi", "alone", "3x3", "DeepCube")), f"{_MEASURE} alone"),
    Row("5", "Kociemba: interquartile range of its lengths on these cubes", "3", cell(spread, _KOCIEMBA),
        f"{_MEASURE} kociemba"),
    Row("5", "an optimal solver on fully scrambled cubes", "Korf: over 6 days for one, 122 billion nodes on average",
        "300 cubes proven in both metrics", "docs/truth.md"),
    Row("5", "Naive DeepCube; Greedy, by the value network", "", "built: mcts-deepcube-naive, greedy", "rubiks_gym/search"),
    Row(
        "5", "no longer than kociemba's", "55%",
        each(no_longer, _OWN, _DEEPCUBE, _KOCIEMBA), f"{_MEASURE} uniform DeepCube",
    ),
    Row("5", "shortening saves", "3 of the median", each(saved, (TABLES,), _FIRST, _DEEPCUBE), f"{_MEASURE} uniform",
        "Our search never undoes a move, so its first path has fewer detours to be cut."),
    Row("5", "states expanded", "1,136, at most 3,425", each(nodes, _OWN, _DEEPCUBE), f"{_MEASURE} uniform DeepCube",
        "More: both values are weaker than the paper's network, and c is chosen for short solutions; exploring less finds"
        " longer ones among fewer states."),
    Row(
        "5, fig. 6", "100 cubes after 15 turns; ours against proven distances in quarter turns, the paper's against Korf's"
        " solutions, which are shortest in half turns", f"{_15}, several longer than 15",
        each(best, _OWN, Asked("adi", "15 turns", "", "DeepCube")), f"{_MEASURE} '15 turns'",
        "The longest come of states where the values mislead the search.",
    ),
    Row("5", "Kociemba on the same: median, and share of ours no longer", "much less consistent",
        each(beside, _OWN, Asked("adi", "15 turns", "", "DeepCube"), _KOCIEMBA), f"{_MEASURE} '15 turns'"),
    Row("5", "training", "2,000,000 iterations, 8 billion cubes, 44 h, 32 cores, 3 GPUs",
        each(trained, ("3x3", "3x3-plain"), _DEEPCUBE), f"{_MEASURE} 3x3 uniform"),
    Row(
        "fig. 5a", "percent of 20 cubes solved after 3, 6, ... 30 turns (ours never undo one): DeepCube with 10,000 states"
        " expanded at most; greedily by values or policy, one way until it comes round", "curves",
        named({name: cell(by_turns, Asked("adi", "turns", "3x3", label)) for name, label in _SOLVERS.items()}),
        f"{_MEASURE} 3x3-s0 turns",
        "Naive DeepCube solves what DeepCube does; Kociemba's program and an optimal solver solve all; the policy alone is"
        " ours. Fewer than the paper's, whose search needed at most 3,425 states: a weaker network.",
    ),
    Row("fig. 5b", "distribution of solve times", "curve", "by states expanded, plotted", "agents/adi/README.md"),
    Row("fig. 6", "distribution of lengths", "box plots", "quartiles and extremes, plotted", "agents/adi/README.md"),
    Row(
        "fig. 7", "a 2x2x2 corner about half way", "often; an example, move 17 of 30",
        each(half_way, (TABLES, "3x3"), Asked("adi", "solutions", "")), f"{_MEASURE} solutions",
        "Less often here.",
    ),
    Row(
        "5.1, fig. 8", "the 14 most used triplets", "all conjugations",
        each(conjugations, (TABLES, "3x3"), Asked("adi", "solutions", "")), f"{_MEASURE} solutions",
    ),
    Row("fig. 8", "mean uses of a triplet: conjugations, others", "two lines, conjugations ahead",
        each(mean_uses, (TABLES, "3x3"), Asked("adi", "solutions", "")), f"{_MEASURE} solutions"),
    Row("6", "4x4x4: random states, by general n-tuples and macros", "future work",
        cell(solved, Asked("general_ntuple", "random", "4x4x4", "macro-beam")),
        "python -m results --measure general_ntuple --only 4x4x4-s0 random"),
    Row("6", "other polyhedra, puzzles of n dimensions, proteins", "future work",
        "Pyraminx, Skewb, Megaminx and any permutation puzzle; the others not", "rubiks_gym/puzzles/solids.py"),
]  # fmt: skip
