"""The NX module (Lin and Liang 2024, section 2.3, algorithm 1): pairs of states, and ChaseNet fitted to them.

A pair is (s_s, s_i): a scrambled state and what i random moves make of it; its label is i. Nothing here begins at the goal or
knows how far from it a state is.

Differs from the paper in: the scrambled states are drawn uniformly from all states (on the 3x3x3 too); walks never undo the
move before and never make a move a third time in a row, since X X X is X', unless `plain`: the paper's forbid a fourth only.

Letters: B walks, K moves of each, S state, P pairs.
"""

from typing import NamedTuple

import numpy as np
import torch
from scipy.stats import spearmanr
from torch.nn.functional import mse_loss

from agents.networks.fitting import fit
from agents.ppo_chasenet.chasenet import ChaseNet
from agents.ranks import gathered
from rubiks_gym.puzzles import Puzzle, sample_seeds


class Pairs(NamedTuple):
    """What ChaseNet is fitted to."""

    s: np.ndarray  # [P, S] uint8, s_s
    t: np.ndarray  # [P, S] uint8, s_i
    y: np.ndarray  # [P] float32, moves made


def scrambled_walks(puzzle: Puzzle, n: int, k: int, rng: np.random.Generator, plain: bool = False) -> np.ndarray:
    """States [n, k + 1, S] of random walks of k moves that begin at scrambled states; `plain` by the paper's rule."""
    states = puzzle.random_states(sample_seeds(rng, n))
    path = np.empty((n, k + 1, puzzle.state_size), np.uint8)
    path[:, 0], everyone = states, np.arange(n)
    last, repeated, most = np.full(n, -1), np.zeros(n, int), 3 if plain else 2  # how often `last` was made in a row
    for i in range(1, k + 1):
        allowed = puzzle.legal(states)
        if i > 1:
            if not plain:
                allowed[everyone, puzzle.inverse_action[last]] = False
            enough = np.flatnonzero(repeated >= most)
            allowed[enough, last[enough]] = False
            stuck = ~allowed.any(axis=1)  # a dead end may be left as it was entered
            allowed[stuck] = puzzle.legal(states[stuck])
        before, last = last, np.where(allowed, rng.random(allowed.shape), -1).argmax(axis=1)
        repeated = np.where(last == before, repeated + 1, 1)
        states = path[:, i] = puzzle.apply(states, last)
    return path


def walk_pairs(puzzle: Puzzle, n: int, k: int, rng: np.random.Generator, plain: bool = False) -> Pairs:
    """The data set D of n walks: P = n * k pairs of a walk's first state with each later one."""
    path = scrambled_walks(puzzle, n, k, rng, plain)
    s = np.repeat(path[:, 0], k, axis=0)
    return Pairs(s, path[:, 1:].reshape(-1, puzzle.state_size), np.tile(np.arange(1, k + 1, dtype=np.float32), n))


def fit_pairs(
    net: ChaseNet,
    optimizer: torch.optim.Optimizer,
    pairs: Pairs,
    batch_size: int,
    learning_rate: float,
    rng: np.random.Generator,
) -> dict[str, float]:
    """One epoch over all pairs; returns error and rank correlation of what the network said of each before learning from it.

    Several processes all take as many pairs as the one that has the fewest, and return means over all.
    """
    n = min(gathered(len(pairs.y)))
    pairs = Pairs(*(array[:n] for array in pairs))
    x, y = map(net.hardware.send, (net.read(pairs.s, pairs.t), pairs.y))
    said = torch.empty_like(y)

    def loss(part: torch.Tensor) -> torch.Tensor:
        costs = net.fitted(x[part]).squeeze(1)
        said[part] = costs.detach()
        return mse_loss(costs, y[part])

    how = net.hardware
    fit(net.network, optimizer, loss, len(y), rng, minibatch=batch_size, learning_rate=learning_rate, hardware=how)
    found = gathered((float(mse_loss(said, y)), correlation(said.cpu().numpy(), pairs.y)))
    loss_of_all, correlation_of_all = np.mean(found, axis=0).tolist()
    return {"chase_loss": loss_of_all, "correlation": correlation_of_all}


def correlation(a: np.ndarray, b: np.ndarray) -> float:
    """Spearman's rank correlation of a and b [P]."""
    return float(spearmanr(a, b).statistic)
