"""True distances as an agent: what every search can be guided by, and what every other agent is measured against."""

from typing import Any

import numpy as np

from rubiks_gym.exact.table import ExactTable
from rubiks_gym.puzzles import Puzzle


class Exact:
    """Knows the true distance of every state of a puzzle that is small enough (2x2x2, Hanoi)."""

    looks_ahead = True

    SEARCH = {"search": "greedy", "option": ("max_steps=65535",)}  # downhill all the way; no table goes deeper

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
