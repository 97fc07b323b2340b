"""Where searches begin and end: start states are checked, and whoever reaches the goal perimeter is home.

A perimeter of radius 0 is the goal alone, so "inside the perimeter" is every search's goal test.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from rubiks_gym.checks import whole
from rubiks_gym.puzzles import Puzzle
from rubiks_gym.puzzles.table import StateTable, insert_children
from rubiks_gym.puzzles.threads import get_num_threads, side_by_side
from rubiks_gym.search.heuristic import CostToGo, heuristic
from rubiks_gym.search.solutions import Budget, MemorySpentError, Solutions

MOST_STATES = 50_000_000  # about 2 GB for the 3x3x3


class Perimeter:
    """All states within `radius` moves of the goal; moves can be undone, so they are also those that far from it.

    `layers` [radius + 1] counts the states at each distance; there are fewer entries if the whole puzzle is nearer.

    Args:
        puzzle: any puzzle.
        radius: 0 or more; each step outwards multiplies the states by about 9 (3x3x3 in quarter turns) or 13 (half turns).
        most: a perimeter with more states than this is refused.
    """

    def __init__(self, puzzle: Puzzle, radius: int, most: int = MOST_STATES) -> None:
        whole(0, radius=radius)
        self.puzzle, self.radius = puzzle, int(radius)
        self.table = StateTable(puzzle.state_size)
        self.table.insert(puzzle.goal[None].copy())
        starts = [0, 1]  # the table numbers states as they arrive, so a layer is a range of numbers
        for depth in range(1, self.radius + 1):
            # Growth slows down with depth, if it changes at all, so a layer's size is known well enough before it is built.
            layer = starts[-1] - starts[-2]
            ahead = starts[-1] + (layer * layer / (starts[-2] - starts[-3]) if depth > 1 else 0)
            if min(ahead, puzzle.n_states or ahead) > most or not insert_children(puzzle, self.table, starts[-2], most):
                raise ValueError(
                    f"a perimeter of radius {radius} around the goal of {puzzle.name} has more than {most:,} states; "
                    f"take a radius of at most {depth - 1}"
                )
            if len(self.table) == starts[-1]:
                break
            starts.append(len(self.table))
        self._starts = np.array(starts)
        self.layers = np.diff(self._starts)

    def distance(self, states: np.ndarray) -> np.ndarray:
        """Moves to the goal [B] int64 for states [B, S]; -1 for those outside."""
        return self._distance_of(self.table.find(self.puzzle.as_states(states)))

    def _distance_of(self, numbers: np.ndarray) -> np.ndarray:
        return np.searchsorted(self._starts, numbers, side="right") - 1

    def finish(self, state: np.ndarray) -> list[int]:
        """A shortest way home from a state [S] inside; of several, at each step the action with the lowest number."""
        state = self.puzzle.as_states(np.asarray(state)[None])
        distance = int(self.distance(state)[0])
        if distance < 0:
            raise ValueError(f"the state is more than {self.radius} moves from the goal: {state[0].tolist()}")
        moves = []
        for nearer in range(distance - 1, -1, -1):
            neighbours = self.puzzle.expand(state)[0]
            moves.append(int((self.distance(neighbours) == nearer).argmax()))
            state = neighbours[moves[-1]][None]
        return moves

    def evaluate(self, cost_to_go: CostToGo, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Cost-to-go [M] float32 of states [M, S], exact inside the perimeter, and which are inside [M] bool.

        The heuristic is asked about the others only, and its answer is checked.
        """
        numbers = self.table.find(states)
        inside = numbers >= 0
        if not inside.any():
            return heuristic(cost_to_go, states), inside
        costs = self._distance_of(numbers).astype(np.float32)
        costs[~inside] = heuristic(cost_to_go, states[~inside])
        return costs, inside


def begin(
    puzzle: Puzzle, states: np.ndarray, perimeter: Perimeter | None, budget: Budget | None, **functions: Any
) -> tuple[np.ndarray, Perimeter, Budget]:
    """The start states [B, S], all of them possible, the perimeter (by default of radius 0) and what it leaves of the budget.

    `functions` are what the search cannot do without, by name.
    """
    for word, function in functions.items():
        if not callable(function):
            raise ValueError(f"{word} must be a function of states, got {type(function).__name__}")
    perimeter = Perimeter(puzzle, 0) if perimeter is None else perimeter
    if not isinstance(perimeter, Perimeter) or perimeter.puzzle.name != puzzle.name:
        given = perimeter.puzzle if isinstance(perimeter, Perimeter) else perimeter
        raise ValueError(f"perimeter must be a Perimeter of {puzzle.name}, got {given!r}")
    budget = Budget() if budget is None else budget
    if not isinstance(budget, Budget):
        raise ValueError(f"budget must be a Budget(nodes=..., seconds=..., memory=...), got {type(budget).__name__}")
    held = perimeter.table.nbytes_with(0) if perimeter.radius else 0
    budget = less_memory(budget, held, f"a perimeter of radius {perimeter.radius}")
    return puzzle.check(puzzle.as_states(states)), perimeter, budget


def less_memory(budget: Budget, held: int, holder: str) -> Budget:
    """What is left of a budget when so many bytes are held by something; a ValueError names it if that is nothing."""
    left = int(budget.memory - held)
    if left <= 0:
        raise ValueError(f"{holder} leaves nothing of a memory of {budget.memory:,} bytes")
    return replace(budget, memory=left)


def one_by_one(
    search: Callable[..., tuple[list[int] | None, int]],
    states: np.ndarray,
    perimeter: Perimeter,
    budget: Budget,
    parallel: bool = False,
    *of_each: np.ndarray,
) -> Solutions:
    """Search from each start state in turn, or from as many as there are threads at a time, unless it is in the perimeter.

    `search` takes a state [S], bytes of memory and what else is given of each start, and returns the moves, or None if it found
    none, and the number of states it generated. Searches side by side share the memory; one that runs short of its share is
    made again with all of it when the others are done, so that the result does not depend on the number of threads.
    """
    together = min(get_num_threads(), len(states)) if parallel else 1

    def solve(state: np.ndarray, distance: int, *more: float, memory: int) -> tuple[list[int] | None, int, float, bool]:
        start, short = budget.clock(), False
        try:
            moves, nodes = search(state, memory, *more) if distance < 0 else (perimeter.finish(state), 0)
        except MemorySpentError as spent:
            moves, nodes, short = None, spent.nodes, True
        return moves, nodes, budget.clock() - start, short

    starts = list(zip(states, perimeter.distance(states).tolist(), *of_each, strict=True))
    calls = [partial(solve, *start, memory=budget.arrays // max(together, 1)) for start in starts]
    outcomes = side_by_side(calls) if parallel else [call() for call in calls]
    if together > 1:
        pairs = zip(starts, outcomes, strict=True)
        outcomes = [solve(*start, memory=budget.arrays) if outcome[3] else outcome for start, outcome in pairs]
    return Solutions(
        moves=[moves or [] for moves, *_ in outcomes],
        solved=np.array([moves is not None for moves, *_ in outcomes], bool),
        nodes=np.array([nodes for _, nodes, *_ in outcomes], np.int64),
        seconds=np.array([seconds for _, _, seconds, _ in outcomes], np.float64),
        lower=np.zeros(len(outcomes), np.int64),
    )
