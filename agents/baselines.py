"""The best and the worst agent: true distances, and chance."""

from typing import Any

import numpy as np

from rubiks_gym.exact import ExactTable
from rubiks_gym.puzzles import Puzzle
from rubiks_gym.puzzles.streams import below, mix
from rubiks_gym.search.heuristic import random_policy


class Exact:
    """Knows the true distance of every state (2x2x2, Hanoi)."""

    def __init__(self, puzzle: Puzzle) -> None:
        self.puzzle = puzzle
        self.table = ExactTable(puzzle)

    def cost_to_go(self, states: np.ndarray) -> np.ndarray:
        """True moves to the goal [B]."""
        return self.table.distance(states).astype(np.float32)

    def policy(self, states: np.ndarray) -> np.ndarray:
        """Uniform over the optimal actions [B, A]; over the legal ones at the goal."""
        optimal = self.table.optimal_actions(states)
        optimal = np.where(optimal.any(axis=1, keepdims=True), optimal, self.puzzle.legal(states))
        return optimal / optimal.sum(axis=1, keepdims=True)

    def arrays(self) -> dict[str, np.ndarray]:
        """Nothing: the table is built anew or read from the cache."""
        return {}

    def settings(self) -> dict[str, Any]:
        """Nothing."""
        return {}

    @classmethod
    def from_stored(cls, puzzle: Puzzle, settings: dict[str, Any], arrays: dict[str, np.ndarray]) -> "Exact":
        """The exact agent of a puzzle."""
        return cls(puzzle)


class Random:
    """Knows nothing: a cost-to-go that is a fixed random number for each state, and a uniform policy."""

    def __init__(self, puzzle: Puzzle, seed: int = 0) -> None:
        self.puzzle, self.seed = puzzle, seed

    def cost_to_go(self, states: np.ndarray) -> np.ndarray:
        """A random number [B] between 1 and the length of a long scramble; always the same for the same state."""
        bits = mix(self.puzzle.hash(states) ^ np.array([self.seed], np.uint64))
        return 1 + below(bits, np.uint64(1000)).astype(np.float32) * (self.puzzle.k_max / 1000)

    def policy(self, states: np.ndarray) -> np.ndarray:
        """Every legal action alike [B, A]."""
        return random_policy(self.puzzle, states)

    def arrays(self) -> dict[str, np.ndarray]:
        """Nothing."""
        return {}

    def settings(self) -> dict[str, Any]:
        """The seed."""
        return {"seed": self.seed}

    @classmethod
    def from_stored(cls, puzzle: Puzzle, settings: dict[str, Any], arrays: dict[str, np.ndarray]) -> "Random":
        """The random agent with a seed."""
        return cls(puzzle, settings.get("seed", 0))
