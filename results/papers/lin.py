"""PPO with ChaseNet reward (Lin and Liang 2024), row by row."""

from collections.abc import Callable
from functools import cache

import numpy as np

from agents.ppo_chasenet.nx import correlation, walk_pairs
from results.papers.rows import Asked, Ours, Row, cell, each
from results.papers.texts import lengths, mean_solved, share_solved, trained
from results.published import LIN
from results.questions import Answer
from results.statistics import percent
from results.studies.ppo_chasenet import CHASE, PLAIN, REWARDED, WARM
from rubiks_gym.exact import ExactTable
from rubiks_gym.puzzles import Rubik2x2


def warmed(found: list[Answer]) -> str:
    """ChaseNet's loss as the warm-up goes on: mean over a tenth of its data sets, up to a tenth, half and all of them."""
    steps, losses = np.array(found[0].record["found"]["chase_loss"]).T
    texts = [f"{losses[(steps > (at - 0.1) * steps[-1]) & (steps <= at * steps[-1])].mean():.3g}" for at in (0.1, 0.5, 1.0)]
    return f"{', '.join(texts)} by J = {', '.join(f'{at * steps[-1]:.0f}' for at in (0.1, 0.5, 1.0))} in {trained(found)}"


def by_seed(found: list[Answer]) -> str:
    """Percent solved, seeds apart."""
    return ", ".join(percent(float(np.isfinite(lengths([a])).mean()), 2) for a in found)


def correlations(kind: str, plain: bool) -> Callable[[list[Answer]], str]:
    """A text of the rank correlations at K = 8, 14, 20, of the first seed."""
    return lambda found: ", ".join(f"{rho:.3f}" for rho in found[0].record["found"][f"{kind}_{'plain' if plain else 'ours'}"])


@cache
def ceiling(plain: bool, k: int) -> float:
    """Rank correlation of the true distance with the moves made, on 2,000 walks of k moves of the 2x2x2 (seed 0)."""
    cube = Rubik2x2()
    pairs = walk_pairs(cube, 2000, k, np.random.default_rng(0), plain)
    return correlation(ExactTable(cube).distance(cube.relative(pairs.s, pairs.t)), pairs.y)


def ceilings(plain: bool) -> Ours:
    """The same at K = 8, 14, 20."""
    return lambda _: ", ".join(f"{ceiling(plain, k):.3f}" for k in (8, 14, 20))


_MEASURE = "python -m results --measure ppo_chasenet --only"
_FC_AND_ATTENTION = f"{LIN['correlation']['fc']} (FC), {LIN['correlation']['attention']} (attention)"
_WALKS = (
    "The warm- runs were trained on such walks, the other two on ours, which never lead back; attention is ahead of FC on all."
)
_KINDS = {False: "our walks", True: "the paper's walks"}

ROWS = [
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
    Row("fig. 3a", "warm-up loss: FC falls faster, attention lower in the end; as many pairs for both", "curves, J = 1000",
        each(warmed, PLAIN, Asked("ppo_chasenet", "warm-up", "")), f"{_MEASURE} warm- plain warm-up",
        "From as many pairs attention is ahead all the way here, at eight times the cost: FC is the faster one by the clock."),
    Row("fig. 3a", "the same as the presets warm up, from short walks to long, so that it rises at first", "",
        each(warmed, WARM, Asked("ppo_chasenet", "warm-up", "")), f"{_MEASURE} warm- warm-up",
        "Attention ends lower than FC, from an eighth of the pairs; warm-pairs is ours."),
    Row("2.2, alg. 1", "the cost is the least number of moves, labels are the moves made", "",
        "both are measured below", "agents/ppo_chasenet/nx.py"),
    *(
        Row("3.1", f"rank correlation of a *perfect* estimate with the moves made, {_KINDS[plain]}, K = 8, 14, 20",
            f"{_FC_AND_ATTENTION} with \"the true cost\"; K not given",
            ceilings(plain), "results/papers/lin.py")
        for plain in (False, True)
    ),
    *(
        Row("3.1", f"rank correlation with {about}, {_KINDS[plain]}, K = 8, 14, 20",
            _FC_AND_ATTENTION,
            each(correlations(kind, plain), CHASE, Asked("ppo_chasenet", "correlations", "")), f"{_MEASURE} correlations",
            _WALKS if plain else "")
        for kind, about in (("moves", "the moves made"), ("truth", "the true distance"))
        for plain in (False, True)
    ),
    Row("3.2, abstract", "50,000 fully scrambled cubes, the policy alone, sampled",
        "over 99.4% (how actions were chosen, how deep the scrambles and how many moves are not said)",
        each(share_solved, REWARDED, Asked("ppo_chasenet", "policy alone", "", "sampled")),
        f"{_MEASURE} 'policy alone' sampled",
        "All with 100 moves at most. -tuned is the paper's whole method; fc and attention begin by comparing where a sticker"
        " is and warm up from short walks. Without fine-tuning FC knows too little of far states."),
    *(
        Row("3.2", f"the same, {label}", "",
            each(share_solved, REWARDED, Asked("ppo_chasenet", "policy alone", "", label)),
            f"{_MEASURE} 'policy alone' '{label}'")
        for label in ("most probable, no undo", "most probable, no state twice")
    ),
    Row("fig. 3b, c", "reward and share solved while PPO learns, at the end: ours of the episodes it learns from, the paper's"
        " of 50 others", "curves",
        each(lambda found: ", ".join(f"{found[0].record['found'][key][-1][1]:.3g}" for key in ("reward", "success")),
             REWARDED, Asked("ppo_chasenet", "learning", "")), f"{_MEASURE} learning"),
    Row("2.3, alg. 2", "fine-tuning by moves made (-tuned, -paper), as a bound (-bound) or none: percent of 50,000, by seed",
        "part of the method, its effect not measured",
        each(by_seed, (*REWARDED[1:], "2x2-pairs", "2x2-pairs-paper", "2x2-pairs-bound"),
             Asked("ppo_chasenet", "policy alone", "", "sampled")), f"{_MEASURE} 'policy alone' sampled",
        "It helps where PPO solves soon; 2x2-pairs has less entropy and a third of the moves, and trajectories that wander."),
    Row("2.4, 2.5", "b = 1.2, epsilon = 0.2; K, B, gamma, layers, lengths of episodes are not given", "",
        "b and epsilon the same, the others are settings", "agents/ppo_chasenet/config.py"),
    Row("4", "the 3x3x3 after 1 to 8 turns", "future work",
        each(mean_solved, ("3x3-8",), Asked("ppo_chasenet", "turns", "", "sampled")),
        f"{_MEASURE} 3x3-8 turns sampled", "Its episodes begin as near to the goal, which the paper would avoid."),
    *(
        Row("4", f"the 3x3x3, fully scrambled, {how}", "future work",
            cell(share_solved, Asked("ppo_chasenet", "scrambled", "3x3-scrambled", label)), f"{_MEASURE} scrambled '{label}'")
        for label, how in (
            ("beam 4,096", "ChaseNet as the cost-to-go of a beam of 4,096"),
            ("BWAS", "the same by batch weighted A*"),
            ("sampled", "by the policy alone, sampled"),
        )
    ),
    Row("4", "other sparse rewards", "future work",
        each(share_solved, ("hanoi-4-3",), Asked("ppo_chasenet", "policy alone", "", "sampled")),
        f"{_MEASURE} hanoi-4-3 'policy alone' sampled"),
]  # fmt: skip
