"""The trained tables as an agent, one byte per weight."""

from collections.abc import Callable, Iterable
from functools import cached_property, partial
from typing import Any

import numpy as np

from rubiks_gym.ntuple.network import (
    DIGITS,
    MOST_TABLES,
    SIZE,
    Cubies,
    after_moves,
    by_move,
    check_cubies,
    child_sums,
    inverse_sums,
    make_reader,
    possible_in,
    sums,
)
from rubiks_gym.puzzles import Puzzle, Rubik3x3
from rubiks_gym.puzzles.threads import over_rows, side_by_side
from rubiks_gym.search.heuristic import DecomposedHeuristic, lookahead_policy


class SymmetricNTuple:
    """A symmetric n-tuple network: F = bias + scale * sum of weights, see `network`.

    Args:
        puzzle: a 3x3x3.
        tables: five cubies of each table.
        bias: F where all weights are 0.
        scale: what one unit of a weight is worth in moves.
        weights: all tables, one after another, [W] int8.
    """

    looks_ahead = True

    SEARCH = {"search": "beam", "option": ("width=16384",), "radius": 6, "inverse": True}  # about a second per cube

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
    def rounded(cls, puzzle: Puzzle, tables: Iterable[Cubies], bias: float, weights: np.ndarray) -> "SymmetricNTuple":
        """The agent of weights [W] float32; the largest becomes 127 units."""
        scale = max(float(np.abs(weights).max()), 1e-6) / 127
        return cls(puzzle, tables, bias, scale, np.rint(weights / np.float32(scale)).astype(np.int8))

    def cost_to_go(self, states: np.ndarray) -> np.ndarray:
        """F [B] float32: moves to the goal where those are few, further out an order rather than a number; 0 at the goal."""
        states = self.puzzle.as_states(states)
        out = np.empty(len(states), np.int32)
        self._over(sums, (self.reader.look_ups, self.weights), states, out)
        costs = (np.float32(self.bias) + np.float32(self.scale) * out).astype(np.float32)
        costs[self.puzzle.is_solved(states)] = 0
        return costs

    def policy(self, states: np.ndarray) -> np.ndarray:
        return lookahead_policy(self.puzzle, self.cost_to_go, states)

    @cached_property
    def decomposed(self) -> DecomposedHeuristic:
        """The halves that a state and its inverse make, see `network`; the first needs 16 (htm: 32) times the memory."""
        puzzle, reader, scale, n = self.puzzle, self.reader, np.float32(self.scale), len(self.tables)
        lanes = 16 if puzzle.n_actions <= 16 else 32  # so that no row is spread over two lines of the cache
        weights = np.empty((len(self.weights), lanes), np.int8)
        tables = zip(self.tables, np.split(self.weights, n), np.split(weights, n), strict=True)
        side_by_side([partial(by_move, after_moves(puzzle, cubies), old, new) for cubies, old, new in tables])
        lane = (puzzle.symmetric_actions(puzzle.goal[None])[0].T + lanes * np.arange(48)).astype(np.uint32)

        def first(states: np.ndarray) -> np.ndarray:
            states = puzzle.as_states(states)
            out = np.empty((len(states), puzzle.n_actions), np.int32)
            self._over(child_sums, (reader.look_ups, reader.mirror, lane, weights), states, out)
            return np.float32(self.bias) + scale * out

        def second(states: np.ndarray) -> np.ndarray:
            states = puzzle.as_states(states)
            out = np.empty(len(states), np.int32)
            self._over(inverse_sums, (reader.look_ups, self.weights), states, out)
            return scale * out

        return DecomposedHeuristic(first, second, weights.nbytes)

    def _over(self, kernel: Callable, tables: tuple, states: np.ndarray, out: np.ndarray) -> None:
        """Run a kernel over states [B, S]; values that no piece can have are refused by name."""
        if not over_rows(kernel, tables, (states, out)):
            self.puzzle.check(states)

    def arrays(self) -> dict[str, np.ndarray]:
        """The weights of what is possible."""
        return {"weights": self.weights[possible_in(self.tables)]}

    def settings(self) -> dict[str, Any]:
        return {"tables": [list(cubies) for cubies in self.tables], "bias": self.bias, "scale": self.scale}

    @classmethod
    def from_stored(cls, puzzle: Puzzle, settings: dict[str, Any], arrays: dict[str, np.ndarray]) -> "SymmetricNTuple":
        tables = settings["tables"]
        if not isinstance(tables, list | tuple) or not 1 <= len(tables) <= MOST_TABLES:
            raise ValueError(f"tables must be 1 to {MOST_TABLES} lists of {DIGITS} cubies each")
        for cubies in tables:
            check_cubies(puzzle, cubies)
        weights, where = np.zeros(len(tables) * SIZE, np.int8), possible_in(tables)
        if arrays["weights"].shape != (where.sum(),) or arrays["weights"].dtype != np.int8:
            stored = arrays["weights"]
            raise ValueError(f"these tables have {where.sum()} int8 weights to store, got {stored.dtype} {stored.shape}")
        weights[where] = arrays["weights"]
        return cls(puzzle, tables, settings["bias"], settings["scale"], weights)
