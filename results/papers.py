"""The papers row by row, for docs/papers.md: what each table, figure, algorithm and claim says, and ours beside it.

A row's own figures come from records (or from a computation with a seed), never from here; where there is no record the page
says "not measured yet".
"""

from collections.abc import Callable, Iterable
from functools import cache
from typing import NamedTuple

import numpy as np

from agents.davi.config import PRESETS as DAVI
from agents.ppo_chasenet.nx import correlation, walk_pairs
from results import records
from results.published import DEEPCUBE, KONEN, KONEN_13_TWISTS, KONEN_FIGURE_13, KONEN_TABLE_9, KONEN_TWISTS, LIN, TARDON
from results.questions import Answer, Study
from results.statistics import percent, share_text
from results.studies.adi import BETACUBES, CS, FIXED, MODELS, PRINTED, SHORT, SHORT_FIXED, TABLES, expanded, seen
from results.studies.davi import frame_stewart
from results.studies.ppo_chasenet import CHASE, REWARDED, WARM
from results.studies.symmetric_ntuple import TD, TD_SEARCHES
from results.studies.td_ntuple import BY_SYMMETRIES, BY_TWISTS, COMPARED, EPISODES, LONG
from results.tables import expanded_text, pooled, shares, table
from rubiks_gym.exact import ExactTable
from rubiks_gym.puzzles import Hanoi, Rubik2x2, Rubik3x3
from rubiks_gym.scrambles import make_scramble
from train.evaluation import start_states

NOT_YET = "not measured yet"
Answers = dict[str, list[Answer]]  # of each algorithm, those that documents may show
Ours = Callable[[Answers], str]


class Row(NamedTuple):
    """One thing that a paper has."""

    where: str
    what: str
    theirs: str
    ours: str | Ours
    command: str = ""  # how to repeat ours, or where it is


class Asked(NamedTuple):
    """Which answers a row is about, one per seed."""

    algorithm: str
    question: str
    run: str
    label: str = ""  # of the search


def page(studies: dict[str, Study]) -> str:
    """A table for each paper."""
    answers = {name: [a for a in study.all() if a.record and records.usable(a.record)] for name, study in studies.items()}
    texts = []
    for title, rows in PAPERS.items():
        lines = []
        for row in rows:
            ours = row.ours if isinstance(row.ours, str) else row.ours(answers) or NOT_YET
            lines.append([row.where, row.what, row.theirs, ours, f"`{row.command}`" if row.command else ""])
        texts.append(f"## {title}\n\n{table(('where', 'what', 'theirs', 'ours', 'command or place'), lines)}")
    return "\n\n".join(texts)


def cell(text: Callable[..., str], *asked: Asked) -> Ours:
    """What a text makes of the answers that documents may show, a list for each thing asked; nothing if any is missing."""

    def ours(answers: Answers) -> str:
        found = [[a for a in answers[one.algorithm] if (a.question.name, a.run.title, a.label) == one[1:]] for one in asked]
        return text(*found) if all(found) else ""

    return ours


def each(text: Callable[..., str], runs: Iterable[str], *asked: Asked) -> Ours:
    """What a text says of several runs, each under its name; they take the place of the run "" in what is asked."""
    cells = {run: cell(text, *(one if one.run else one._replace(run=run) for one in asked)) for run in runs}

    def ours(answers: Answers) -> str:
        texts = {run: of(answers) for run, of in cells.items()}
        return "; ".join(f"{run}: {text}" for run, text in texts.items() if text)

    return ours


# Texts about answers ----------------------------------------------------------------------------------------------------


def lengths(found: list[Answer]) -> np.ndarray:
    """Of all solutions asked for [B], nan where there is none."""
    return records.unpack(*(a.record for a in found)).lengths


def solved(found: list[Answer]) -> str:
    """Share solved, median length, CPU seconds."""
    every = lengths(found)
    there = every[np.isfinite(every)]
    seconds = np.mean([a.record["each"]["cpu_seconds"] for a in found])
    median = f", median {np.median(there):g} moves" if len(there) else ""
    return f"{share_text(len(there), len(every))} of {len(every):,} solved{median}, {seconds:.2g} CPU s"


def share_solved(found: list[Answer]) -> str:
    """Share solved and mean length."""
    every = lengths(found)
    there = every[np.isfinite(every)]
    moves = f", {there.mean():.1f} moves" if len(there) else ""
    return f"{share_text(len(there), len(every))} of {len(every):,}{moves}"


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


def optimally(found: list[Answer]) -> str:
    """Share optimal, states expanded, CPU seconds."""
    _, length, distance = records.unpack(*(a.record for a in found))
    seconds = np.mean([a.record["each"]["cpu_seconds"] for a in found])
    optimal = share_text(int((length == distance).sum()), len(length))
    return f"{optimal} of {len(length):,}, {expanded_text(found[0])} expanded, {seconds:.2g} CPU s"


def lengths_found(found: list[Answer]) -> str:
    """Length, states expanded and CPU seconds of a few solutions."""
    text = ", ".join("none" if np.isnan(length) else f"{length:.0f}" for length in lengths(found))
    return f"{text} moves, {expanded_text(found[0])} expanded, {found[0].record['each']['cpu_seconds']:.2g} CPU s"


def least_by_group(found: list[Answer]) -> str:
    """The least percent solved optimally of any group."""
    groups = shares(found, best=True)
    lowest = min(groups, key=lambda group: groups[group][0] / groups[group][1])
    return f"at least {percent(groups[lowest][0] / groups[lowest][1])}% at any distance"


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


def mean_solved(found: list[Answer]) -> str:
    """Percent solved, mean over the numbers of twists, seeds together."""
    seeds = f"{len(found)} seed{'s' * (len(found) > 1)}"
    by_twists = {p: 100 * k / n for p, (k, n) in shares(found).items()}
    last = max(by_twists)
    return f"{np.mean(list(by_twists.values())):.1f}, at p = {last} {by_twists[last]:.1f} ({seeds})"


def by_turns(found: list[Answer]) -> str:
    """Percent solved by turns."""
    return " ".join(f"{100 * k / n:.0f}" for k, n in shares(found).values())


def by_turns_and_seen(found: list[Answer]) -> str:
    """Percent solved by turns, and how far the run was trained."""
    return f"{by_turns(found)} (trained on {seen(found[0].run):,} cubes)"


def hours(found: list[Answer]) -> str:
    """CPU minutes for three million episodes."""
    episodes = found[0].run.changed.get("episodes", KONEN_TABLE_9["episodes"])
    seconds = np.mean([a.record["training"]["cpu_seconds"] for a in found]) * KONEN_TABLE_9["episodes"] / episodes
    return f"{seconds / 60:.1f} CPU min"


def trained(found: list[Answer]) -> str:
    """CPU minutes of training."""
    return f"{np.mean([a.record['training']['cpu_seconds'] for a in found]) / 60:.1f} CPU min"


def trained_and_seen(found: list[Answer]) -> str:
    """CPU minutes of training, and how far it went."""
    return f"{trained(found)} for {seen(found[0].run):,} cubes"


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
    thousands = DAVI[run.preset][1].batch / 1000
    at = ", ".join(f"{step * thousands:.0f}" for step in record["found"]["points"]) or "none"
    return f"{at} (of {record['step'] * thousands:.0f} in {trained(found)})"


def values(*names: str) -> Callable[[list[Answer]], str]:
    """A text of what was found, seeds apart."""

    def text(found: list[Answer]) -> str:
        each = [[a.record["found"][name] for name in names] for a in found]
        return "; ".join(", ".join(f"{v:.3g}" if isinstance(v, float) else str(v) for v in of) for of in each)

    return text


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
    """Percent of training episodes solved."""
    return " ".join(f"{100 * share:.0f}" for share in found[0].record["found"]["solved_in_training"])


def warmed(found: list[Answer]) -> str:
    """ChaseNet's loss as the warm-up goes on: mean over a tenth of its data sets, up to a tenth, half and all of them."""
    steps, losses = np.array(found[0].record["found"]["chase_loss"]).T
    texts = [f"{losses[(steps > (at - 0.1) * steps[-1]) & (steps <= at * steps[-1])].mean():.3g}" for at in (0.1, 0.5, 1.0)]
    return f"{', '.join(texts)} by J = {', '.join(f'{at * steps[-1]:.0f}' for at in (0.1, 0.5, 1.0))} in {trained(found)}"


def correlations(kind: str, plain: bool) -> Callable[[list[Answer]], str]:
    """A text of the rank correlations at K = 8, 14, 20, of the first seed."""
    return lambda found: ", ".join(f"{rho:.3f}" for rho in found[0].record["found"][f"{kind}_{'plain' if plain else 'ours'}"])


# Computations -----------------------------------------------------------------------------------------------------------


@cache
def distinct(size: int, metric: str, p: int, n: int = 500) -> float:
    """Mean number of different images, under the 24 rotations, of n states after p twists (seed 0)."""
    cube = (Rubik2x2 if size == 2 else Rubik3x3)(metric)
    walk = {"allow_same_face": False} if metric == "htm" else {"allow_undo": True}  # the report's
    images = cube.symmetries(start_states(cube, p, n, 0, **walk))[:, :24]
    return float(np.mean([len(np.unique(of_one, axis=0)) for of_one in images]))


@cache
def spread(scramble: str, k: int) -> np.ndarray:
    """Share of states [15] of the 2x2x2 at each distance from the goal, of 4,000 k states of a scramble (seed 0)."""
    cube = Rubik2x2()
    states, _ = make_scramble(scramble, cube, k, allow_undo=True).sample(cube, 4000 * k, np.random.default_rng(0))
    return np.bincount(ExactTable(cube).distance(states), minlength=15) / len(states)


def spread_text(scramble: str, k: int) -> Ours:
    """The same in percent."""
    return lambda _: " ".join(f"{100 * share:.1f}" for share in spread(scramble, k))


@cache
def ceiling(plain: bool, k: int) -> float:
    """Rank correlation of the true distance with the moves made, on 2,000 walks of k moves of the 2x2x2 (seed 0)."""
    cube = Rubik2x2()
    pairs = walk_pairs(cube, 2000, k, np.random.default_rng(0), plain)
    return correlation(ExactTable(cube).distance(cube.relative(pairs.s, pairs.t)), pairs.y)


def ceilings(plain: bool) -> Ours:
    """The same at K = 8, 14, 20."""
    return lambda _: ", ".join(f"{ceiling(plain, k):.3f}" for k in (8, 14, 20))


def four_pegs(_: Answers) -> str:
    """True distances of the start on four pegs, 5 to 8 disks, beside Frame and Stewart's numbers."""
    towers = [Hanoi(disks, 4) for disks in range(5, 9)]
    true = [int(ExactTable(tower).distance(np.zeros((1, tower.disks), np.uint8))[0]) for tower in towers]
    equal = true == [frame_stewart(tower.disks) for tower in towers]
    return f"{', '.join(map(str, true))} by exact tables: {'as' if equal else 'not as'} Frame and Stewart say"


# The papers ---------------------------------------------------------------------------------------------------------------

_ADI, _TD = "python -m results --measure adi --only", "python -m results --measure td_ntuple --only"
_SYMMETRIC = "python -m results --measure symmetric_ntuple --only"
_GENERAL = "python -m results --measure general_ntuple --only"
_DAVI, _PPO = "python -m results --measure davi --only", "python -m results --measure ppo_chasenet --only"
_OWN = (TABLES, "3x3")
_15 = f"median {DEEPCUBE['15 turns']['median']}, optimal {DEEPCUBE['15 turns']['optimal']} of 100"
_TWISTS = ", ".join(map(str, KONEN_TWISTS))
_DEEPCUBE, _FIRST = Asked("adi", "uniform", "", "DeepCube"), Asked("adi", "uniform", "", "DeepCube, not shortened")
_SYMMETRIES = tuple(BY_SYMMETRIES.values())
_TRIALS = ("2x2-qtm-100k-max_steps-1", "2x2-qtm-100k", "3x3-qtm-60k-max_steps-1-alpha-0.25", "3x3-qtm-60k")
_FC_AND_ATTENTION = f"{LIN['correlation']['fc']} (FC), {LIN['correlation']['attention']} (attention)"
_KS = (17, 20, 23)
_KINDS = {False: "our walks", True: "the paper's walks"}


def _hours(nsym: int) -> str:
    return f"{KONEN_TABLE_9['hours'][nsym]} h"


def _mean(preset: str, label: str) -> str:
    row = KONEN[preset][label]
    return f"{np.mean(row):.1f}, at p = {len(row)} {row[-1]:.1f}"


def _walks(preset: str) -> str:
    """The question that has the report's own walks."""
    return "other faces" if preset.endswith("htm") else "plain walks"


def _figure_12() -> list[Row]:
    rows = []
    for preset in ("2x2-htm", "2x2-qtm", "3x3-htm", "3x3-qtm"):
        for label in KONEN[preset]:
            ours = cell(mean_solved, Asked("td_ntuple", _walks(preset), preset, label))
            what = f"{preset}, {label}: percent solved, mean over p, the report's walks"
            rows.append(Row("fig. 12", what, _mean(preset, label), ours, f"{_TD} {preset}-s '{_walks(preset)}' '{label}'"))
    one = "MCTS 100, c = 1"
    ours = cell(mean_solved, Asked("td_ntuple", "other faces", "3x3-htm", one))
    rows.append(Row("fig. 12", f"3x3-htm, {one}: the same", "has c = 10", ours, f"{_TD} 3x3-htm-s 'other faces' '{one}'"))
    return rows


def _figure_13(size: int, metric: str) -> Ours:
    return lambda _: ", ".join(f"{distinct(size, metric, p):.1f}" for p in KONEN_TWISTS)


def _figure_3() -> list[Row]:
    """Of BetaCube: percent solved after 1 to 7 turns, by model and solver."""
    rows = []
    for number, model in enumerate(MODELS, 1):
        for label in BETACUBES:
            runs = (model, FIXED[model], SHORT[model], SHORT_FIXED[model])
            ours = each(by_turns_and_seen, runs, Asked("adi", "figure 3", "", label))
            theirs = "100 up to 4 turns, 75 at 5" if (number, label) == (2, "vanilla MCTS") else "a curve"
            what = f"model {number}, {label}: percent solved after 1, 2, ... 7 turns"
            rows.append(Row("fig. 3", what, theirs, ours, f"{_ADI} {model} short '{label}'"))
    return rows


def _towers(text: Callable[..., str], question: str, label: str = "", thesis: bool = True) -> Callable[[str], Ours]:
    """Of a tower: our preset, and the thesis's way."""
    return lambda tower: each(text, (tower, f"{tower}-thesis") if thesis else (tower,), Asked("davi", question, "", label))


_LARGE = ("3x3", "3x3-short", "3x3-plain")
_HANOI = tuple(TARDON["hanoi"])
_SOLVES, _KNOWS = _towers(lengths_found, "start", "weight 0.7"), _towers(truth, "truth")
_QUALITY, _TRAINED = _towers(quality, "by the thesis"), _towers(trained, "start", "weight 0.7")

PAPERS: dict[str, list[Row]] = {
    "DeepCube (McAleer et al. 2018)": [
        Row("fig. 1, 3; alg. 1", "autodidactic iteration", "", "built", "agents/adi/learner.py"),
        Row("fig. 2", "20 x 24 state", "", "built: the observation one-hot", "rubiks_gym/puzzles/cube.py"),
        Row("3", "rewards of +1 and -1", "", "built: --reward deepcube, and in the learner", "rubiks_gym/rewards.py"),
        Row("4.1", "deeper breadth-first targets", "possible", "built: --config.depth", "agents/adi/learner.py"),
        Row(
            "4.1", "weights 1/D stop the divergence: value of the goal at the end", "no divergence seen",
            each(lambda found: f"{found[0].record['found']['goal_value'][-1][1]:.1f}",
                 ("2x2-literal", "2x2-weighted", "2x2-fixed-goal", "2x2-fixed-goal-weighted"), Asked("adi", "learning", "")),
            f"{_ADI} learning",
        ),
        Row("fig. 4", "network 4096-2048-512", "", "built: --config.network deepcube", "agents/adi/network.py"),
        Row("fig. 4", "joint trains better than separate networks: share of states that the policy solves, mean error",
            "more efficient",
            each(values("policy_solves", "mean_absolute_error"), ("N-2000", "separate"), Asked("adi", "truth", "")),
            f"{_ADI} separate truth"),
        Row("4.2", "search as printed", "", cell(solved, Asked("adi", "as printed", TABLES, PRINTED)), f"{_ADI} 'as printed'"),
        Row("4.2", "virtual loss, eight workers", "", "built: leaves, virtual_loss", "rubiks_gym/search/mcts_settings.py"),
        Row(
            "5, abstract", "640 fully scrambled cubes", "100% within an hour, median 30 moves, 10 minutes",
            each(solved, _OWN, _DEEPCUBE), f"{_ADI} uniform DeepCube",
        ),
        Row(
            "5", "no longer than kociemba's", "55%",
            each(no_longer, _OWN, _DEEPCUBE, Asked("adi", "kociemba", TABLES)), f"{_ADI} uniform DeepCube",
        ),
        Row("5", "shortening saves", "3 of the median", each(saved, _OWN, _FIRST, _DEEPCUBE), f"{_ADI} uniform"),
        Row("5", "states expanded", "1,136, at most 3,425", each(nodes, _OWN, _DEEPCUBE), f"{_ADI} uniform DeepCube"),
        Row(
            "5, fig. 6", "100 cubes after 15 turns", _15,
            each(best, _OWN, Asked("adi", "15 turns", "", "DeepCube")), f"{_ADI} '15 turns'",
        ),
        Row("5", "training", "8 billion cubes, 44 h, 32 cores, 3 GPUs", "see the README's tables", "agents/adi/README.md"),
        Row(
            "fig. 5a", "solve rate by distance, four solvers", "curves",
            cell(by_turns, Asked("adi", "turns", "3x3", "DeepCube")), f"{_ADI} 3x3-s0 turns",
        ),
        Row("fig. 5b", "distribution of solve times", "curve", "by states expanded, plotted", "agents/adi/README.md"),
        Row("fig. 6", "distribution of lengths", "box plots", "quartiles and extremes, plotted", "agents/adi/README.md"),
        Row(
            "fig. 7", "a 2x2x2 corner about half way", "an example",
            each(half_way, _OWN, Asked("adi", "solutions", "")), f"{_ADI} solutions",
        ),
        Row(
            "5.1, fig. 8", "the 14 most used triplets", "all conjugations",
            each(conjugations, _OWN, Asked("adi", "solutions", "")), f"{_ADI} solutions",
        ),
        Row("6", "4x4x4: random states, by general n-tuples and macros", "future work",
            cell(solved, Asked("general_ntuple", "random", "4x4x4", "macro-beam")), f"{_GENERAL} 4x4x4-s0 random"),
    ],
    "BetaCube (Bowman, Guo, Jones 2018)": [
        Row("1.1", "2x2x2 with 14 as God's number; one-hot 8 x 24", "", "built, one corner held: 7 x 21",
            "tests/test_exact.py"),
        Row("3.1, fig. 1, alg. 1", "autodidactic iteration, as DeepCube's without weights", "", "built",
            "agents/adi/learner.py"),
        Row("fig. 2", "DeepCube's network at full, half and quarter size", "", "built", "agents/adi/network.py"),
        Row("table 1", "four models", "", f"presets {', '.join(MODELS)}", "agents/adi/config.py"),
        Row("3.2", "Greedy: the most probable move", "", "built: greedy-policy", "rubiks_gym/search/greedy.py"),
        Row("3.2", "Vanilla MCTS", "", "built: mcts-betacube-vanilla", "rubiks_gym/search/mcts_settings.py"),
        Row("3.2", "Full MCTS", "", "built: mcts-betacube-full", "rubiks_gym/search/mcts_settings.py"),
        *_figure_3(),
        Row(
            "4, abstract", "best of all: percent solved after 1 to 14 turns",
            "100 up to 4 turns, 75 at 5 (model 2, Vanilla MCTS)",
            each(by_turns, ("2x2",), Asked("adi", "turns", "", "policy")), f"{_ADI} 2x2-s0 turns policy",
        ),
        Row("4", "training", "4 million cubes, 36 h, a GPU", each(trained, ("2x2",), Asked("adi", "truth", "")),
            f"{_ADI} 2x2-s0 truth"),
        Row("4", "training of its models here", "4 million cubes, 36 h for model 1",
            each(trained_and_seen, (*MODELS, *SHORT.values()), Asked("adi", "figure 3", "", "policy")),
            f"{_ADI} betacube 'figure 3' policy"),
        Row("4", "Full MCTS is no better than Greedy", "level, once worse",
            each(by_turns, ("2x2",), Asked("adi", "turns", "", "full MCTS")), f"{_ADI} 2x2-s0 turns 'full MCTS'"),
        Row("fig. 4", "a cube five turns away, hard by hand", "solved", "all of 50 by the preset 2x2: above",
            "agents/adi/README.md"),
        Row("5.1", "smaller networks (N-2000: an eighth): share of states that the policy solves, mean error",
            "open: full-sized overfits, a quarter is too small",
            each(values("policy_solves", "mean_absolute_error"), ("N-2000", "size-quarter", "size-half"), Asked("adi",
            "truth", "")),
            f"{_ADI} size- truth"),
        Row("5.2", "N against M at as many cubes: the same", "open",
            each(values("policy_solves", "mean_absolute_error"), ("N-500", "N-2000", "N-8000"), Asked("adi", "truth", "")),
            f"{_ADI} N- truth"),
        *(
            Row("5.3", f"c = 1, 4, 16, {name}: mean percent solved after 1 to 14 turns", "open, 4",
                each(lambda *found: ", ".join(map(mean_solved, found)), ("2x2-fixed-goal",),
                     *(Asked("adi", "other c", "", f"{name}, c = {c}") for c in CS)),
                f"{_ADI} 'other c' '{name}'")
            for name in ("full MCTS", "vanilla MCTS")
        ),
        Row("5.3", "more than a minute for the search; several threads", "future work", "any budget; trees in batches",
            "rubiks_gym/search/mcts.py"),
    ],
    "TD-n-tuple (Konen 2023)": [
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
                "STICKER2 is better in all aspects", boards(preset), f"{_TD} {preset} boards",
            )
            for preset, episodes in EPISODES.items()
        ),
        Row("alg. 1", "DAVI", "", "built", "agents/davi/learner.py"),
        Row("alg. 2, 3", "TD-n-tuple training, TCL", "", "built", "agents/td_ntuple/learner.py"),
        Row("alg. 4", "evaluation with MCTS", "", "built: mcts-konen", "rubiks_gym/search/mcts.py"),
        Row("5.2", "E_train = 1 is much worse: percent solved alone", "much worse",
            each(alone, _TRIALS, Asked("td_ntuple", "trials", "")), f"{_TD} max_steps"),
        *_figure_12(),
        Row("6.2", "10 million episodes change little: percent solved alone", "not considerably",
            each(after, LONG, Asked("td_ntuple", "episodes", "")), f"{_TD} episodes"),
        Row("6.1", "more twists in training do not help: 20 instead of 13, 400,000 episodes, percent solved alone",
            "no improvement",
            each(mean_solved, BY_TWISTS, Asked("td_ntuple", "more twists", "", "agent alone")), f"{_TD} 'more twists'"),
        *(
            Row("fig. 13", f"different symmetric states of 24, {size}x{size}x{size} {metric}, p = {_TWISTS}",
                ", ".join(map(str, KONEN_FIGURE_13[size, metric])), _figure_13(size, metric), "results/papers.py")
            for size, metric in KONEN_FIGURE_13
        ),
        Row("fig. 14", "learning curves by nSym, 3x3-qtm: percent of each 10,000 episodes solved, up to 60,000",
            "faster, higher", each(learnt, _SYMMETRIES, Asked("td_ntuple", "learning", "")), f"{_TD} 60k learning"),
        Row(
            "fig. 15", "3x3-qtm-nsym8, agent alone (1 million episodes)", _mean("3x3-qtm-nsym8", "agent alone"),
            cell(mean_solved, Asked("td_ntuple", "plain walks", "3x3-qtm-nsym8", "agent alone")), f"{_TD} nsym8",
        ),
        *(
            Row("fig. 15", f"nSym 0, 8, 16, 24 after 60,000 episodes, {label}: percent solved after 13 twists", theirs,
                each(share_solved, _SYMMETRIES, Asked("td_ntuple", "symmetries", "", label)), f"{_TD} symmetries '{label}'")
            for label, theirs in KONEN_13_TWISTS.items()
        ),
        *(
            Row("table 9", what, _hours(nsym), cell(hours, Asked("td_ntuple", "plain walks", preset, "agent alone")),
                f"{_TD} {preset}-s")
            for nsym, preset, what in (
                (0, "3x3-qtm", "training 3 million episodes, nSym 0"), (8, "3x3-qtm-nsym8", "the same, nSym 8")
            )
        ),
        *(
            Row("table 9", f"nSym {nsym} (from 60,000 episodes)", _hours(nsym),
                cell(hours, Asked("td_ntuple", "learning", BY_SYMMETRIES[nsym])), f"{_TD} {BY_SYMMETRIES[nsym]} learning")
            for nsym in (16, 24)
        ),
        *(
            Row("C", f"{preset}: settings as printed, agent alone", _mean(preset, "agent alone"),
                cell(mean_solved, Asked("td_ntuple", _walks(preset), f"{preset}-report", "agent alone")),
                f"{_TD} {preset}-report")
            for preset in EPISODES
        ),
        Row("7", "DeepCube, DeepCubeA, other work", "related", "beside it in the README's plot", "results/published.py"),
        *(
            Row("8", f"the 3x3x3 beyond 15 twists: uniformly random cubes, by TD learning on symmetric n-tuples, {label}",
                "not solved", each(solved, TD, Asked("symmetric_ntuple", "td", "", label)),
                f"{_SYMMETRIC} 3x3-qtm-td '{label}'")
            for label in TD_SEARCHES
        ),
        Row("8", "the same, by symmetric n-tuples that learn from walks and backups", "not solved", "solved",
            "agents/symmetric_ntuple/README.md"),
    ],
    "DAVI and BWAS on cubes and Hanoi (Tardón 2022)": [
        Row("2.3.5, fig. 1", "value iteration", "", "built", "agents/tabular/learner.py"),
        Row("3.1, fig. 2 to 4", "cubes, notation, towers of Hanoi", "", "built", "rubiks_gym/puzzles/hanoi.py"),
        Row("3.1.2", "2^n - 1 moves on three pegs", "by induction", "held by tests", "tests/test_exact.py"),
        Row("3.1.2", "four pegs, 5 to 8 disks", "more pegs are open", four_pegs, "results/papers.py"),
        Row("3.1.2", "the same, found with a learnt network", "",
            each(values("disks", "found"), ("hanoi-8-4",), Asked("davi", "four pegs", "")), f"{_DAVI} hanoi-8-4 'four pegs'"),
        Row("3.2, 4.6, fig. 5, 6", "four networks of 6.68 to 13.76 million weights", "", "built, weights counted by tests",
            "agents/davi/network.py"),
        Row("3.3, 4.7", "DAVI", "", "built", "agents/davi/learner.py"),
        Row("3.4, 4.8", "BWAS", "", "built", "rubiks_gym/search/bwas.py"),
        Row("4.1, 4.2, fig. 7, 8", "representations; the 2x2x2 by three faces", "", "built", "rubiks_gym/puzzles/cube.py"),
        Row("4.3", "smaller towers by mapping", "", "built: fewer_disks", "agents/davi/agent.py"),
        Row("4.4", "states at each distance: 2x2x2, Hanoi(3, 3), Hanoi(4, 3)", "three tables", "held by tests",
            "tests/test_exact.py"),
        Row("4.5", "two ways to scramble", "", "built: deepcube, uniform", "rubiks_gym/scrambles.py"),
        *(
            Row("5.1, 5.3", f"{preset}: thousands of states at convergence points", ", ".join(map(str, theirs)),
                cell(points, Asked("davi", "convergence", preset)), f"{_DAVI} {preset}-s0 convergence")
            for preset, theirs in TARDON["networks"].items()
        ),
        Row("5.1", "training of the four", "17, 16, 10, 13 h; to the end 43 to 60 h",
            each(trained, TARDON["networks"], Asked("davi", "convergence", "")), f"{_DAVI} 2x2-DNN convergence"),
        Row("fig. 9, 10, 15, 19 to 22", "losses with convergence points", "curves", cell(lambda _: "plotted, as far as trained",
            Asked("davi", "convergence", "2x2-final")), "agents/davi/README.md"),
        Row("5.3; fig. 11, 23 to 26", "mean error over all states of the 2x2x2", "1.67 to 2.16 moves",
            cell(truth, Asked("davi", "truth", "2x2")), f"{_DAVI} 2x2-s truth"),
        *(
            Row(where, f"percent at distance 0 to 14, {name}, K = {k}", theirs, spread_text(scramble, k),
                "results/papers.py")
            for where, scramble, name in (("fig. 12", "uniform", "DeepCubeA's walks"), ("fig. 13", "deepcube",
            "DeepCube's walks"))
            for k, theirs in ((17, "below 9 at 8 and 9, below 6 at 10 and 11"), (20, "a chart"),
                              (23, "above 10 at 9 and 10, below 7 up to 4"))
        ),
        Row("fig. 14", "the two: sum of absolute differences, K = 17, 20, 23", "below 3% each",
            lambda _: ", ".join(f"{100 * np.abs(spread('uniform', k) - spread('deepcube', k)).sum():.1f}%" for k in _KS),
            "results/papers.py"),
        *(
            Row("5.4, fig. 16", f"adaptive-K: percent at distance 0 to 14, effective k = {k}", "a chart",
                spread_text("deepcube", k), "results/papers.py")
            for k in (3, 6, 9, 12)
        ),
        *(
            Row("5.5", f"{preset}: thousands of states at convergence points", ", ".join(map(str, theirs)),
                cell(points, Asked("davi", "convergence", preset)), f"{_DAVI} {preset}-s0 convergence")
            for preset, theirs in TARDON["points"].items()
        ),
        Row("5.6", "2x2x2: admissible and consistent states, overestimate", TARDON["definitions"],
            cell(quality, Asked("davi", "by the thesis", "2x2")), f"{_DAVI} 2x2-s 'by the thesis'"),
        Row("5.7", "10,000 walk states, lambda 0.7, N = 5: percent optimal, the best point of each model",
            ", ".join(f"{name} {best}" for name, (*_, best) in TARDON["models"].items()),
            cell(optimally, Asked("davi", "walks", "2x2", "weight 0.7, N = 5")), f"{_DAVI} 2x2-s walks 'N = 5'"),
        Row("5.7", "the same by distance", TARDON["distances"],
            cell(least_by_group, Asked("davi", "each distance", "2x2", "weight 0.7")), f"{_DAVI} 2x2-s 'each distance'"),
        *(
            Row("5.7", f"506 states, lambda {w}, N = {n}", f"{best:.1f}%, {nodes:.0f} expanded, {s:.1f} s",
                cell(optimally, Asked("davi", "grid", "2x2", f"lambda {w}, N = {n}")), f"{_DAVI} grid 'lambda {w}, N = {n}'")
            for (w, n), (best, nodes, s) in TARDON["grid"].items()
        ),
        *(
            row
            for tower in _HANOI
            for row in (
                Row("5.8", f"{tower}: training", f"{TARDON['hanoi'][tower][0]} min", _TRAINED(tower),
                    f"{_DAVI} {tower}-s0 start"),
                Row("5.8", f"{tower}: admissible, consistent, overestimate", TARDON["hanoi quality"][tower], _QUALITY(tower),
                    f"{_DAVI} {tower} 'by the thesis'"),
                Row("5.8", f"{tower}: mean error", "not given", _KNOWS(tower), f"{_DAVI} {tower} truth"),
                Row("5.8, 7.4", f"{tower}: from the start, lambda 0.7, N = 7",
                    "{1} moves, {3:,} expanded, {2} s".format(*TARDON["hanoi"][tower]), _SOLVES(tower),
                    f"{_DAVI} {tower} start"),
            )
        ),
        Row("5.8", "hanoi-10-3: the same with N = 1", "", _towers(lengths_found, "start", "weight 0.7, N = 1",
            False)("hanoi-10-3"),
            f"{_DAVI} hanoi-10-3 start 'N = 1'"),
        Row("5.8", "hanoi-10-3: 1,000 random states, greedily", "",
            cell(optimally, Asked("davi", "uniform", "hanoi-10-3", "greedy")), f"{_DAVI} hanoi-10-3 uniform greedy"),
        Row("5.8", "its network on 1 to 9 disks, lambda 0.5, 0.7, 1.0: optimal of asked", "27 of 27",
            each(values("solved_optimally", "asked"), ("hanoi-10-3",), Asked("davi", "smaller towers", "")),
            f"{_DAVI} hanoi-10-3 'smaller towers'"),
        Row("5.8", "a network on one and two disks more than learnt: mean error, greedily solved", "not asked",
            each(values("error_1_more", "greedy_1_more", "error_2_more", "greedy_2_more"), ("hanoi-7-3", "hanoi-10-3"),
                 Asked("davi", "taller towers", "")), f"{_DAVI} hanoi 'taller towers'"),
        Row("5.9", "3x3x3: training", "14 million cubes, 56 h, 10 convergence points",
            each(trained, _LARGE, Asked("davi", "consistency", "")), f"{_DAVI} 3x3 consistency"),
        Row("5.9", "3x3x3: consistent states", TARDON["consistent 3x3x3"],
            each(values("consistent_states"), _LARGE, Asked("davi", "consistency", "")),
            f"{_DAVI} 3x3 consistency"),
        Row("5.9, fig. 17, 18", "prefixes of the way to distance 26", TARDON["prefixes"],
            each(lambda found: f"lengths {' '.join('-' if np.isnan(n) else f'{n:.0f}' for n in lengths(found))}",
                 _LARGE, Asked("davi", "prefixes", "", "weight 0.6")), f"{_DAVI} 3x3 prefixes"),
    ],
    "PPO with ChaseNet reward (Lin and Liang 2024)": [
        Row("2.1, fig. 1", "states as vectors of stickers, moves as permutations", "", "built",
            "rubiks_gym/puzzles/permutation.py"),
        Row("2.3, fig. 2a, alg. 1", "NX module: warm-up on walks between scrambled states", "", "built",
            "agents/ppo_chasenet/nx.py"),
        Row("2.3", "walks that forbid only a fourth equal move", "", "built: --config.plain-walks",
            "agents/ppo_chasenet/nx.py"),
        Row("2.4, eq. 1", "reward -log C, 100 at the goal", "", "built", "agents/ppo_chasenet/learner.py"),
        Row("2.5, eq. 2, 3, alg. 2", "PPO, and fine-tuning of ChaseNet", "", "built: --config.fine-tune",
            "agents/ppo_chasenet/learner.py"),
        Row("2.6, fig. 2b, eq. 4", "ChaseNet-FC and ChaseNet-Attention", "", "built: --config.form",
            "agents/ppo_chasenet/chasenet.py"),
        Row("fig. 3a", "warm-up loss: FC falls faster, attention lower in the end (J = 1000)", "curves",
            each(warmed, WARM, Asked("ppo_chasenet", "warm-up", "")), f"{_PPO} warm- warm-up"),
        *(
            Row("3.1", f"rank correlation of a *perfect* estimate with the moves made, {_KINDS[plain]}, K = 8, 14, 20",
                f"{_FC_AND_ATTENTION} with \"the true cost\"; K not given",
                ceilings(plain), "results/papers.py")
            for plain in (False, True)
        ),
        *(
            Row("3.1", f"rank correlation with {about}, {_KINDS[plain]}, K = 8, 14, 20",
                _FC_AND_ATTENTION,
                each(correlations(kind, plain), CHASE, Asked("ppo_chasenet", "correlations", "")), f"{_PPO} correlations")
            for kind, about in (("moves", "the moves made"), ("truth", "the true distance"))
            for plain in (False, True)
        ),
        Row("3.2, abstract", "50,000 fully scrambled cubes, the policy alone, sampled",
            "99.4% (how actions were chosen is not said)",
            each(share_solved, REWARDED, Asked("ppo_chasenet", "policy alone", "", "sampled")),
            f"{_PPO} 'policy alone' sampled"),
        *(
            Row("3.2", f"the same, {label}", "",
                each(share_solved, REWARDED, Asked("ppo_chasenet", "policy alone", "", label)),
                f"{_PPO} 'policy alone' '{label}'")
            for label in ("most probable, no undo", "most probable, no state twice")
        ),
        Row("fig. 3b, c", "reward and share solved while PPO learns: at the end", "curves",
            each(lambda found: ", ".join(f"{found[0].record['found'][key][-1][1]:.3g}" for key in ("reward", "success")),
                 REWARDED, Asked("ppo_chasenet", "learning", "")), f"{_PPO} learning"),
        Row("2.3, alg. 2", "fine-tuning helps", "part of the method",
            each(share_solved, ("2x2-pairs", "2x2-pairs-paper", "2x2-pairs-bound"),
                 Asked("ppo_chasenet", "policy alone", "", "sampled")), f"{_PPO} 2x2-pairs 'policy alone' sampled"),
        Row("4", "the 3x3x3 after 1 to 8 turns", "future work",
            each(mean_solved, ("3x3-8",), Asked("ppo_chasenet", "turns", "", "sampled")),
            f"{_PPO} 3x3-8 turns sampled"),
        *(
            Row("4", f"the 3x3x3, fully scrambled, {how}", "future work",
                cell(share_solved, Asked("ppo_chasenet", "scrambled", "3x3-scrambled", label)), f"{_PPO} scrambled '{label}'")
            for label, how in (
                ("beam 4,096", "ChaseNet as the cost-to-go of a beam of 4,096"),
                ("BWAS", "the same by batch weighted A*"),
                ("sampled", "by the policy alone, sampled"),
            )
        ),
        Row("4", "other sparse rewards", "future work",
            each(share_solved, ("hanoi-4-3",), Asked("ppo_chasenet", "policy alone", "", "sampled")),
            f"{_PPO} hanoi-4-3 'policy alone' sampled"),
    ],
}  # fmt: skip
