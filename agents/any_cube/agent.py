"""The trained tables as an agent, one byte per weight."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from agents.any_cube.network import SIZE, Cubies, make_reader, possible_in, sums
from agents.protocol import lookahead_policy
from rubiks_gym.puzzles import Puzzle, Rubik3x3
from rubiks_gym.puzzles.threads import over_rows


class AnyCube:
    """F = bias + scale * sum of weights, see `network`.

    Args:
        puzzle: a 3x3x3.
        tables: five cubies of each table.
        bias: F where all weights are 0.
        scale: what one unit of a weight is worth in moves.
        weights: all tables, one after another, [W] int8.
    """

    SEARCH = {"search": "beam", "option": ("width=4096",), "radius": 6, "inverse": True}  # about a second per cube

    def __init__(self, puzzle: Puzzle, tables: Iterable[Cubies], bias: float, scale: float, weights: np.ndarray) -> None:
        if not isinstance(puzzle, Rubik3x3):
            raise ValueError(f"this agent is for the 3x3x3, not for {puzzle.name}")
        self.puzzle, self.tables = puzzle, tuple(tuple(int(c) for c in cubies) for cubies in tables)
        self.bias, self.scale = float(bias), float(scale)
        if weights.shape != (len(self.tables) * SIZE,) or weights.dtype != np.int8:
            raise ValueError(
                f"{len(self.tables)} tables have {len(self.tables) * SIZE} int8 weights, got {weights.dtype} {weights.shape}"
            )
        self.weights = weights
        self.reader = make_reader(puzzle, self.tables)

    @classmethod
    def rounded(cls, puzzle: Puzzle, tables: Iterable[Cubies], bias: float, weights: np.ndarray) -> "AnyCube":
        """The agent of weights [W] float32; the largest becomes 127 units."""
        scale = max(float(np.abs(weights).max()), 1e-6) / 127
        return cls(puzzle, tables, bias, scale, np.rint(weights / np.float32(scale)).astype(np.int8))

    def cost_to_go(self, states: np.ndarray) -> np.ndarray:
        """F [B] float32: moves to the goal where those are few, further out an order rather than a number; 0 at the goal."""
        states = self.puzzle.as_states(states)
        out = np.empty(len(states), np.int32)
        over_rows(sums, (self.reader.contribution, self.reader.offset, self.weights), (states, out))
        costs = np.float32(self.bias) + np.float32(self.scale) * out
        costs[self.puzzle.is_solved(states)] = 0
        return costs

    def policy(self, states: np.ndarray) -> np.ndarray:
        """One-step look-ahead [B, A]."""
        return lookahead_policy(self.puzzle, self.cost_to_go, states)

    def arrays(self) -> dict[str, np.ndarray]:
        """The weights of what is possible."""
        return {"weights": self.weights[possible_in(self.tables)]}

    def settings(self) -> dict[str, Any]:
        """All the rest."""
        return {"tables": [list(cubies) for cubies in self.tables], "bias": self.bias, "scale": self.scale}

    @classmethod
    def from_stored(cls, puzzle: Puzzle, settings: dict[str, Any], arrays: dict[str, np.ndarray]) -> "AnyCube":
        """The agent that `settings` and `arrays` describe."""
        tables = settings["tables"]
        weights, where = np.zeros(len(tables) * SIZE, np.int8), possible_in(tables)
        if arrays["weights"].shape != (where.sum(),) or arrays["weights"].dtype != np.int8:
            stored = arrays["weights"]
            raise ValueError(f"these tables have {where.sum()} int8 weights to store, got {stored.dtype} {stored.shape}")
        weights[where] = arrays["weights"]
        return cls(puzzle, tables, settings["bias"], settings["scale"], weights)
