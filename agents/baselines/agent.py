"""The agent that every other must beat: chance."""

from typing import Any

import numpy as np

from rubiks_gym.puzzles import Puzzle
from rubiks_gym.puzzles.streams import below, mix
from rubiks_gym.search.heuristic import random_policy


class Random:
    """Knows nothing: a cost-to-go that is a fixed random number for each state, and a uniform policy."""

    looks_ahead = False

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
        return {}

    def settings(self) -> dict[str, Any]:
        return {"seed": self.seed}

    @classmethod
    def from_stored(cls, puzzle: Puzzle, settings: dict[str, Any], arrays: dict[str, np.ndarray]) -> "Random":
        return cls(puzzle, settings.get("seed", 0))
