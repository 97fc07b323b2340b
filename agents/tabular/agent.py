"""The tabular agent: a cost-to-go for every state of an enumerable puzzle."""

from typing import Any

import numpy as np

from rubiks_gym.puzzles import Puzzle
from rubiks_gym.search.heuristic import lookahead_policy


class Tabular:
    """`table` [n_states] float32 holds the cost-to-go, by `puzzle.index`."""

    looks_ahead = True

    def __init__(self, puzzle: Puzzle, table: np.ndarray | None = None) -> None:
        if not puzzle.enumerable or puzzle.n_states > 10**8:
            raise ValueError(f"{puzzle.name} has too many states for a table")
        if table is None:
            table = np.zeros(puzzle.n_states, np.float32)
        if table.shape != (puzzle.n_states,) or table.dtype != np.float32:
            raise ValueError(f"a table of {puzzle.name} has {puzzle.n_states} float32 entries, got {table.dtype} {table.shape}")
        self.puzzle, self.table = puzzle, table

    def cost_to_go(self, states: np.ndarray) -> np.ndarray:
        return self.table[self.puzzle.index(states)]

    def policy(self, states: np.ndarray) -> np.ndarray:
        return lookahead_policy(self.puzzle, self.cost_to_go, states)

    def arrays(self) -> dict[str, np.ndarray]:
        return {"table": self.table}

    def settings(self) -> dict[str, Any]:
        return {}

    @classmethod
    def from_stored(cls, puzzle: Puzzle, settings: dict[str, Any], arrays: dict[str, np.ndarray]) -> "Tabular":
        return cls(puzzle, arrays["table"])
