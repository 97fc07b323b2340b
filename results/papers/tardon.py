"""DAVI and BWAS on cubes and Hanoi (Tardón 2022), row by row."""

from collections.abc import Callable
from functools import cache

import numpy as np

from agents.davi.config import PRESETS
from results.papers.rows import Answers, Asked, Ours, Row, cell, each
from results.papers.texts import lengths, optimally, trained, values
from results.published import TARDON
from results.questions import Answer
from results.statistics import percent
from results.studies.davi import REDUCED, THESIS_ITERATIONS, THESIS_TOWERS, frame_stewart
from results.tables import expanded_text, shares
from rubiks_gym.exact import ExactTable
from rubiks_gym.puzzles import Hanoi, Rubik2x2
from rubiks_gym.scrambles import make_scramble


def lengths_found(found: list[Answer]) -> str:
    """Length, states expanded and CPU seconds of a few solutions."""
    text = ", ".join("none" if np.isnan(length) else f"{length:.0f}" for length in lengths(found))
    return f"{text} moves, {expanded_text(found[0])} expanded, {found[0].record['each']['cpu_seconds']:.2g} CPU s"


def least_by_group(found: list[Answer]) -> str:
    """The least percent solved optimally of any group."""
    groups = shares(found, best=True)
    lowest = min(groups, key=lambda group: groups[group][0] / groups[group][1])
    return f"at least {percent(groups[lowest][0] / groups[lowest][1])}% at any distance"


def truth(found: list[Answer]) -> str:
    """Errors over all states, seeds together."""
    errors = [a.record["found"]["mean_absolute_error"] for a in found]
    greedy = min(a.record["found"]["greedy"] for a in found)
    of = f"the worst of {len(found)} seeds" if len(found) > 1 else "one seed"
    return f"{max(errors):.2g} over all states, {percent(greedy, 2)}% greedily solved ({of})"


def quality(found: list[Answer]) -> str:
    """The thesis's measures, the worst of the seeds."""
    of = [a.record["found"] for a in found]
    least = [percent(min(each[name] for each in of)) for name in ("admissible", "consistent_states")]
    over = max(each["overestimate_of_inadmissible"] for each in of)
    return f"{least[0]}% admissible, the others over by {over:.2g}, {least[1]}% consistent"


def points(found: list[Answer]) -> str:
    """Thousands of states at the convergence points, and of the whole training."""
    run, record = found[0].run, found[0].record
    thousands = PRESETS[run.preset][1].batch / 1000
    at = ", ".join(f"{step * thousands:.0f}" for step in record["found"]["points"]) or "none"
    return f"{at} (of {record['step'] * thousands:.0f} in {trained(found)})"


def prefixes_found(found: list[Answer]) -> str:
    """Lengths for the first 1, 2, ... moves, and the most seconds that any of the first 15 takes."""
    text = " ".join("-" if np.isnan(length) else f"{length:.0f}" for length in lengths(found))
    return f"lengths {text}, the first 15 in at most {max(row[2] for row in found[0].record['by_group'][:15]):.2g} CPU s"


@cache
def spread(scramble: str, k: int) -> np.ndarray:
    """Share of states [15] of the 2x2x2 at each distance from the goal, of 4,000 k states of a scramble (seed 0)."""
    cube = Rubik2x2()
    states, _ = make_scramble(scramble, cube, k, allow_undo=True).sample(cube, 4000 * k, np.random.default_rng(0))
    return np.bincount(ExactTable(cube).distance(states), minlength=15) / len(states)


def spread_text(scramble: str, k: int) -> Ours:
    """The same in percent."""
    return lambda _: " ".join(f"{100 * share:.1f}" for share in spread(scramble, k))


def four_pegs(_: Answers) -> str:
    """True distances of the start on four pegs, 5 to 8 disks, beside Frame and Stewart's numbers."""
    towers = [Hanoi(disks, 4) for disks in range(5, 9)]
    true = [int(ExactTable(tower).distance(np.zeros((1, tower.disks), np.uint8))[0]) for tower in towers]
    equal = true == [frame_stewart(tower.disks) for tower in towers]
    return f"{', '.join(map(str, true))} by exact tables: {'as' if equal else 'not as'} Frame and Stewart say"


_MEASURE = "python -m results --measure davi --only"
_KS = (17, 20, 23)
_POINTS = (
    "Earlier than the thesis's, whose settings these are but for the first layer, which sums embeddings, and a child that"
    " several states share, which is evaluated once; a point says that a loss on 200 states was low, not how good it is."
)


def _towers(text: Callable[..., str], question: str, label: str = "", thesis: bool = True) -> Callable[[str], Ours]:
    """Of a tower: our preset, and the thesis's way."""
    return lambda tower: each(text, (tower, f"{tower}-thesis") if thesis else (tower,), Asked("davi", question, "", label))


_LARGE = ("3x3-short",)
_HANOI = tuple(TARDON["hanoi"])
_AT_MOST = {"hanoi-4-3": "at most ", "hanoi-7-3": "at most "}  # of several lambdas and points
_THEIRS = {
    tower: f"{moves} moves, {_AT_MOST.get(tower, '')}{expanded:,} expanded, {_AT_MOST.get(tower, '')}{seconds} s"
    for tower, (_, moves, seconds, expanded) in TARDON["hanoi"].items()
}
_SHORTER = {  # of the thesis's way, in all rows of these towers
    tower: f"{tower}-thesis here and below was stopped after {changed['iterations']} of"
    f" {PRESETS[f'{tower}-thesis'][1].iterations:,} iterations."
    for tower, changed in ((preset.removesuffix("-thesis"), changed) for preset, changed in THESIS_ITERATIONS.items())
}
_SOLVES, _KNOWS = _towers(lengths_found, "start", "weight 0.7"), _towers(truth, "truth")
_QUALITY, _TRAINED = _towers(quality, "by the thesis"), _towers(trained, "start", "weight 0.7")

ROWS = [
    Row("2.3, fig. 1", "value iteration (its example of seven cells is not here)", "", "built", "agents/tabular/learner.py"),
    Row("3.1, fig. 2 to 4", "cubes, notation, towers of Hanoi", "", "built", "rubiks_gym/puzzles/hanoi.py"),
    Row("3.1.2", "2^n - 1 moves on three pegs", "by induction", "held by tests", "tests/test_exact.py"),
    Row("3.1.2", "four pegs, 5 to 8 disks", "not asked", four_pegs, "results/papers/tardon.py"),
    Row("3.1.2", "the same, found with a learnt network", "",
        each(values("disks", "found"), ("hanoi-8-4",), Asked("davi", "four pegs", "")), f"{_MEASURE} hanoi-8-4 'four pegs'"),
    Row("3.2, 4.6, fig. 5, 6", "four networks of 6.68 to 13.76 million weights", "", "built, weights counted by tests",
        "agents/davi/network.py"),
    Row("3.3, 4.7", "DAVI", "", "built", "agents/davi/learner.py"),
    Row("3.4, 4.8", "BWAS", "", "built", "rubiks_gym/search/bwas.py"),
    Row("4.1, 4.2, fig. 7, 8", "representations; the 2x2x2 by three faces", "", "built", "rubiks_gym/puzzles/cube.py"),
    Row("4.1, 4.2", "a million states tested for being solved by representation; bytes of a key",
        "20.80, 8.83, 0.34 s; 465 to 706",
        "a state is 7 bytes, of towers one a disk; not timed apart", "rubiks_gym/puzzles/cube.py"),
    Row("4.3", "smaller towers by mapping", "", "built: fewer_disks", "agents/davi/agent.py"),
    Row("4.4", "states at each distance: 2x2x2, Hanoi(3, 3), Hanoi(4, 3)", "three tables", "held by tests",
        "tests/test_exact.py"),
    Row("4.5", "two ways to scramble", "", "built: deepcube, uniform", "rubiks_gym/scrambles.py"),
    *(
        Row("5.1, 5.3", f"{preset}: thousands of states at convergence points", ", ".join(map(str, theirs)),
            cell(points, Asked("davi", "convergence", preset)), f"{_MEASURE} {preset}-s0 convergence",
            _POINTS if preset == "2x2-DNN_0" else "")
        for preset, theirs in TARDON["networks"].items()
    ),
    Row("5.1", "training of the four, ours as far as the rows above say", "17, 16, 10, 13 h; to the end 43 to 60 h",
        each(trained, TARDON["networks"], Asked("davi", "convergence", "")), f"{_MEASURE} 2x2-DNN convergence"),
    Row("5.1, fig. 11", "mean error over all states of the four, ours after so much less",
        "3.48, 2.55, 3.06, 2.57",
        each(lambda found: f"{found[0].record['found']['error'][-1][1]:.2f}", TARDON["networks"],
             Asked("davi", "convergence", "")), f"{_MEASURE} 2x2-DNN convergence"),
    Row("5.3", "batch normalisation or not, 120,000 states each: error over all states in moves, seeds apart",
        "3.06 with, 2.57 without (5.1); 1.92, 1.67 in the end (5.3)",
        each(lambda found: ", ".join(f"{a.record['found']['error'][-1][1]:.2f}" for a in found), REDUCED,
             Asked("davi", "convergence", "")), f"{_MEASURE} DNN_reduced convergence"),
    Row("fig. 9, 10, 15, 19 to 22", "losses with convergence points", "curves", cell(lambda _: "plotted, as far as trained",
        Asked("davi", "convergence", "2x2-final")), "agents/davi/README.md"),
    Row("5.3; fig. 23 to 26", "mean error over all states of the 2x2x2, ours by the preset 2x2", "1.67 to 2.16 moves",
        cell(truth, Asked("davi", "truth", "2x2")), f"{_MEASURE} 2x2-s truth"),
    *(
        Row(where, f"percent at distance 0 to 14, {name}, K = {k}", theirs, spread_text(scramble, k),
            "results/papers/tardon.py")
        for where, scramble, name in (("fig. 12", "uniform", "DeepCubeA's walks"), ("fig. 13", "deepcube",
        "DeepCube's walks"))
        for k, theirs in ((17, "below 9 at 8 and 9, below 6 at 10 and 11"), (20, "a chart"),
                          (23, "above 10 at 9 and 10, below 7 up to 4"))
    ),
    Row("fig. 14", "the two: sum of absolute differences, K = 17, 20, 23", "below 3% each",
        lambda _: ", ".join(f"{100 * np.abs(spread('uniform', k) - spread('deepcube', k)).sum():.1f}%" for k in _KS),
        "results/papers/tardon.py"),
    *(
        Row("5.4, fig. 16", f"adaptive-K: percent at distance 0 to 14, effective k = {k}", "a chart",
            spread_text("deepcube", k), "results/papers/tardon.py")
        for k in (3, 6, 9, 12)
    ),
    *(
        Row("5.5", f"{preset}: thousands of states at convergence points", ", ".join(map(str, theirs)),
            cell(points, Asked("davi", "convergence", preset)), f"{_MEASURE} {preset}-s0 convergence")
        for preset, theirs in TARDON["points"].items()
    ),
    Row("5.6", "2x2x2: admissible and consistent states, overestimate", TARDON["definitions"],
        cell(quality, Asked("davi", "by the thesis", "2x2")), f"{_MEASURE} 2x2-s 'by the thesis'",
        "Ours, here and in 5.7, is the preset 2x2, which is told of symmetries: so near the truth that it is over as often as"
        " under, by hundredths of a move."),
    Row("5.6, 5.7", "28 networks at several points: longer training is not always better; batch norm is more often admissible"
        " and searches better", "claims",
        "not repeated point by point: the preset 2x2 finds shortest ways whenever it is asked",
        "agents/davi/README.md"),
    Row("4.7", "Adam at 0.0002, minibatches of 32", "", "built: the presets named after its networks", "agents/davi/config.py"),
    Row("5.7", "10,000 walk states, lambda 0.7, N = 5: percent optimal, the best point of each model",
        ", ".join(f"{name} {best}" for name, (*_, best) in TARDON["models"].items()),
        cell(optimally, Asked("davi", "walks", "2x2", "weight 0.7, N = 5")), f"{_MEASURE} 2x2-s walks 'N = 5'"),
    Row("5.7", "300 states of each distance (N = 7)", TARDON["distances"],
        cell(least_by_group, Asked("davi", "each distance", "2x2", "weight 0.7")), f"{_MEASURE} 2x2-s 'each distance'"),
    *(
        Row("5.7", f"506 states, lambda {w}, N = {n}", f"{best:.1f}%, {nodes:.0f} expanded, {s:.1f} s (final_nr, wall time)",
            cell(optimally, Asked("davi", "grid", "2x2", f"lambda {w}, N = {n}")), f"{_MEASURE} grid 'lambda {w}, N = {n}'")
        for (w, n), (best, nodes, s) in TARDON["grid"].items()
    ),
    *(
        row
        for tower in _HANOI
        for row in (
            Row("5.8", f"{tower}: training", f"{TARDON['hanoi'][tower][0]} min", _TRAINED(tower),
                f"{_MEASURE} {tower}-s0 start", _SHORTER.get(tower, "")),
            Row("5.8", f"{tower}: admissible, consistent, overestimate", TARDON["hanoi quality"][tower], _QUALITY(tower),
                f"{_MEASURE} {tower} 'by the thesis'"),
            Row("5.8", f"{tower}: mean error", "not given", _KNOWS(tower), f"{_MEASURE} {tower} truth"),
            Row("5.8", f"{tower}: from the start, lambda 0.7, N = 7",
                _THEIRS[tower], _SOLVES(tower),
                f"{_MEASURE} {tower} start"),
        )
    ),
    Row("5.8", "the thesis's way: convergence points, iterations", "15 by 346, 142 by 1,542, 1,011 by 3,572",
        each(lambda found: f"{found[0].record['found']['convergence_points']} by {found[0].record['step']:,}", THESIS_TOWERS,
             Asked("davi", "convergence", "")), f"{_MEASURE} thesis-s0 convergence"),
    Row("5.8", "hanoi-10-3: the same with N = 1", "", _towers(lengths_found, "start", "weight 0.7, N = 1",
        False)("hanoi-10-3"),
        f"{_MEASURE} hanoi-10-3 start 'N = 1'"),
    Row("5.8", "hanoi-10-3: 1,000 random states, greedily", "",
        cell(optimally, Asked("davi", "uniform", "hanoi-10-3", "greedy")), f"{_MEASURE} hanoi-10-3 uniform greedy"),
    Row("5.8, 7.4", "hanoi-7-3 with lambda 0.3", "131 moves at one of the points", _towers(lengths_found, "start", "weight 0.3",
        False)("hanoi-7-3"), f"{_MEASURE} hanoi-7-3-s start 'weight 0.3'"),
    Row("5.8", "its network on 1 to 9 disks, lambda 0.5, 0.7, 1.0: optimal of asked", "81 of 81 (three points)",
        each(values("solved_optimally", "asked"), ("hanoi-10-3",), Asked("davi", "smaller towers", "")),
        f"{_MEASURE} hanoi-10-3 'smaller towers'"),
    Row("5.8", "a network on one and two disks more than learnt: mean error, greedily solved", "not asked",
        each(values("error_1_more", "greedy_1_more", "error_2_more", "greedy_2_more"), ("hanoi-7-3", "hanoi-10-3"),
             Asked("davi", "taller towers", "")), f"{_MEASURE} hanoi 'taller towers'"),
    Row("5.9", "3x3x3: training (3x3-short: a warm start on move sequences, then DAVI; another network)",
        "14 million cubes, 56 h, 10 convergence points",
        each(trained, _LARGE, Asked("davi", "consistency", "")), f"{_MEASURE} 3x3 consistency"),
    Row("5.9", "3x3x3: consistent states", TARDON["consistent 3x3x3"],
        each(lambda found: f"{percent(found[0].record['found']['consistent_states'])}%", _LARGE,
             Asked("davi", "consistency", "")), f"{_MEASURE} 3x3 consistency",
        "Fewer, as theirs are the longer it learns: a network that tells far states apart contradicts itself by more than a"
        " move here and there; one that says the same of all of them never does."),
    Row("5.9, fig. 17, 18", "prefixes of the way to distance 26, ours N = 100 and at most ten seconds each", TARDON["prefixes"],
        each(prefixes_found, _LARGE, Asked("davi", "prefixes", "", "weight 0.6")), f"{_MEASURE} 3x3 prefixes",
        "Beyond 16, where the thesis does not go, lambda 0.6 finds what ten seconds bring."),
    Row("5.7", "N from 3 to 7 at lambda 0.7: time divided by; lambda 1 expands more than twice as much as 0.7", "1.5 to 1.9",
        cell(lambda three, seven: f"{three[0].record['each']['cpu_seconds'] / seven[0].record['each']['cpu_seconds']:.2f}",
             *(Asked("davi", "grid", "2x2", f"lambda 0.7, N = {n}") for n in (3, 7))), f"{_MEASURE} grid",
        "Neither here: hardly a state is expanded beside the way, whatever lambda and N."),
]  # fmt: skip
