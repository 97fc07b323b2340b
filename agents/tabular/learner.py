"""Asynchronous value iteration: for sampled states x, J(x) <- min over a of 1 + J(f(x, a)), with J(goal) = 0.

The Bellman backup of DAVI (Agostinelli et al. 2019) with a table in place of a network, so that it needs neither a convergence
test nor a target network. On puzzles small enough for a table it converges to the true distances.
"""

from typing import Any

import numpy as np

from agents.tabular.agent import Tabular
from agents.tabular.config import TabularConfig
from rubiks_gym.puzzles import Puzzle
from rubiks_gym.scrambles import RandomState, UniformK


class Learner:
    """A table under training; a step is a batch of backups."""

    rank = 0

    def __init__(self, puzzle: Puzzle, config: TabularConfig, seed: int) -> None:
        self.puzzle, self.config, self.rng = puzzle, config, np.random.default_rng(seed)
        self.done, self.total = 0, config.iterations
        self._agent = Tabular(puzzle)

    def agent(self) -> Tabular:
        """The table as it is now; it goes on learning."""
        return self._agent

    def iterate(self) -> dict[str, float]:
        """Back up one batch of states; returns the mean absolute change and the mean of the table."""
        puzzle, agent = self.puzzle, self._agent
        scramble = UniformK(self.config.k_max) if self.config.k_max else RandomState()
        states, _ = scramble.sample(puzzle, self.config.batch, self.rng)
        children = puzzle.expand(states)  # [B, A, S]
        costs = agent.cost_to_go(children.reshape(-1, puzzle.state_size)).reshape(children.shape[:2])
        costs = np.where(puzzle.legal(states), costs, np.inf)
        targets = np.where(puzzle.is_solved(states), 0, 1 + costs.min(axis=1)).astype(np.float32)
        change = np.abs(targets - agent.cost_to_go(states)).mean()
        agent.table[puzzle.index(states)] = targets
        self.done += 1
        return {"change": float(change), "mean_cost_to_go": float(agent.table.mean())}

    def state(self) -> dict[str, Any]:
        return {"done": self.done, "rng": self.rng.bit_generator.state}

    def arrays(self) -> dict[str, np.ndarray]:
        """Nothing: the agent has the table."""
        return {}

    def restore(self, state: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        self._agent = Tabular(self.puzzle, arrays["table"])
        self.rng.bit_generator.state = state["rng"]
        self.done = int(state["done"])
