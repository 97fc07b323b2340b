"""Asynchronous value iteration: for sampled states x, J(x) <- min over a of 1 + J(f(x, a)), with J(goal) = 0.

The backup of DAVI (Agostinelli et al. 2019) with a table in place of a network, so that it needs no convergence test and
no target network. On the 2x2x2 and on Hanoi it converges to the true distances.
"""

from dataclasses import dataclass

import numpy as np

from agents.tabular.agent import Tabular
from rubiks_gym.scrambles import RandomState, UniformK


@dataclass(frozen=True)
class TabularConfig:
    """Settings of tabular value iteration."""

    iterations: int = 1000
    """Batches of backups."""
    batch: int = 1000
    """States per iteration."""
    k_max: int = 0
    """Longest walk from the goal that a sample is the end of; 0 draws uniformly from all states."""


def learn_batch(agent: Tabular, config: TabularConfig, rng: np.random.Generator) -> float:
    """One iteration: back up a batch of states in place; returns the mean absolute change."""
    puzzle = agent.puzzle
    scramble = UniformK(config.k_max) if config.k_max else RandomState()
    states, _ = scramble.sample(puzzle, config.batch, rng)
    children = puzzle.expand(states)
    costs = agent.cost_to_go(children.reshape(-1, puzzle.state_size)).reshape(children.shape[:2])
    costs = np.where(puzzle.legal(states), costs, np.inf)
    targets = np.where(puzzle.is_solved(states), 0, 1 + costs.min(axis=1)).astype(np.float32)
    change = np.abs(targets - agent.cost_to_go(states)).mean()
    agent.table[puzzle.index(states)] = targets
    return float(change)
