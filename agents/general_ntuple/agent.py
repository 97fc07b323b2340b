"""The network as an agent, one byte per weight. Tuples and weights are stored; how they are read is found from the puzzle."""

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np

from agents.general_ntuple.moved import halves
from agents.general_ntuple.network import Reader, make_reader, round_all, sums
from agents.general_ntuple.symmetry import find_images
from agents.general_ntuple.tuples import MOST_WEIGHTS, Budget, choose_tuples
from agents.general_ntuple.view import make_view, sample
from rubiks_gym.puzzles import Puzzle
from rubiks_gym.puzzles.threads import over_rows
from rubiks_gym.search.heuristic import DecomposedHeuristic, lookahead_policy

MOST_TUPLES = 1000


class GeneralNTuple:
    """An n-tuple network of any puzzle: F = bias + scale * sum of weights, see `network`.

    Args:
        puzzle: any puzzle.
        tuples: the entries of the puzzle's view that each table looks at.
        bias: F where all weights are 0.
        scale: what one unit of a weight is worth in moves.
        weights: all tables, one after another, [W] int8; None: all 0.
        reader: how states are looked up, if it is known already.
    """

    looks_ahead = True

    SEARCH = {"search": "beam", "option": ("width=4096",)}

    def __init__(
        self,
        puzzle: Puzzle,
        tuples: Iterable[Iterable[int]],
        bias: float,
        scale: float = 1.0,
        weights: np.ndarray | None = None,
        reader: Reader | None = None,
    ) -> None:
        self.puzzle, self.bias, self.scale = puzzle, float(bias), float(scale)
        several = list(tuples)
        if not 1 <= len(several) <= MOST_TUPLES:  # before anything is made of them
            raise ValueError(f"tuples must be 1 to {MOST_TUPLES:,}, got {len(several):,}")
        self.tuples = [tuple(int(e) for e in each) for each in several]
        self.reader = reader or find_reader(puzzle, self.tuples)
        size = self.reader.n_weights
        if weights is not None and (weights.shape != (size,) or weights.dtype != np.int8):
            raise ValueError(f"these tuples have {size:,} int8 weights, got {weights.dtype} {weights.shape}")
        self.weights = np.zeros(size, np.int8) if weights is None else weights

    @classmethod
    def chosen(cls, puzzle: Puzzle, bias: float, budget: Budget) -> "GeneralNTuple":
        """An untrained network over tuples that suit the puzzle."""
        states = sample(puzzle)
        view = make_view(puzzle, states)
        images = find_images(puzzle, view, states)
        tuples = choose_tuples(puzzle, view, images, states, budget)
        return cls(puzzle, tuples, bias, reader=make_reader(view, images, tuples))

    def without(self, gone: set[int]) -> "GeneralNTuple":
        """An untrained network without some of the tables."""
        tuples = [each for i, each in enumerate(self.tuples) if i not in gone]
        return GeneralNTuple(self.puzzle, tuples, self.bias, reader=make_reader(self.reader.view, self.reader.images, tuples))

    def rounded(self, weights: np.ndarray) -> "GeneralNTuple":
        """The same network with other weights [W] float32; the largest becomes 127 units."""
        scale, out = max(float(weights.max()), -float(weights.min()), 1e-6) / 127, np.empty(len(weights), np.int8)
        over_rows(round_all, (np.float32(1 / scale),), (weights, out))
        return GeneralNTuple(self.puzzle, self.tuples, self.bias, scale, out, self.reader)

    def cost_to_go(self, states: np.ndarray) -> np.ndarray:
        """F [B] float32; 0 at the goal."""
        states = self.puzzle.as_states(states)
        out = np.empty(len(states), np.int32)
        if not over_rows(sums, (self.reader.view, self.reader.look_ups, self.weights), (states, out)):
            self.puzzle.check(states)
        costs = (np.float32(self.bias) + np.float32(self.scale) * out).astype(np.float32)
        costs[self.puzzle.is_solved(states)] = 0
        return costs

    @cached_property
    def decomposed(self) -> DecomposedHeuristic | None:
        """F in two parts, the first of which is known for all children of a state at once, where there are such parts."""
        states = sample(self.puzzle)
        return halves(self.puzzle, self.reader, self.tuples, self.bias, self.scale, self.weights, states)

    def policy(self, states: np.ndarray) -> np.ndarray:
        return lookahead_policy(self.puzzle, self.cost_to_go, states)

    def arrays(self) -> dict[str, np.ndarray]:
        return {"weights": self.weights}

    def settings(self) -> dict[str, Any]:
        return {"tuples": [list(each) for each in self.tuples], "bias": self.bias, "scale": self.scale}

    @classmethod
    def from_stored(cls, puzzle: Puzzle, settings: dict[str, Any], arrays: dict[str, np.ndarray]) -> "GeneralNTuple":
        return cls(puzzle, settings["tuples"], settings["bias"], settings["scale"], arrays["weights"])


def find_reader(puzzle: Puzzle, tuples: list[tuple[int, ...]]) -> Reader:
    """How states are looked up for tuples of entries; a ValueError names tuples that cannot be."""
    states = sample(puzzle)
    view = make_view(puzzle, states)
    entries = range(len(view.radix))
    if not all(each and set(each) <= set(entries) and len(set(each)) == len(each) for each in tuples):
        raise ValueError(f"tuples of {puzzle.name} must be over different entries 0..{len(entries) - 1}, got {tuples}"[:200])
    size = sum(int(np.prod(view.radix[list(each)], dtype=object)) for each in tuples)
    if size > MOST_WEIGHTS:
        raise ValueError(f"tuples must have at most {MOST_WEIGHTS:,} weights together, got {size:,}")
    return make_reader(view, find_images(puzzle, view, states), tuples)
