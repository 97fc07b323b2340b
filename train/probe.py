"""The error of a cost-to-go on states of every distance, to watch a puzzle being learnt whose distances are known.

Truth measures; nothing is ever learnt from it.
"""

import numpy as np

from rubiks_gym.exact import ExactTable, bench, has_table
from rubiks_gym.puzzles import Puzzle, Rubik3x3
from rubiks_gym.search.heuristic import CostToGo

BANDS = 16  # figures at most: the 1024 distances of ten disks are taken 64 at a time


def has_truth(puzzle: Puzzle) -> bool:
    """Whether true distances of the puzzle are known: by a table of all, or, of the 3x3x3, of some by proof."""
    return has_table(puzzle) or isinstance(puzzle, Rubik3x3)


class Probe:
    """The same `per_distance` states of each distance every time, or all where there are fewer.

    Of the 3x3x3 they are those whose distances are proven, 50 of each, and each counts the same.
    """

    def __init__(self, puzzle: Puzzle, per_distance: int = 500) -> None:
        if isinstance(puzzle, Rubik3x3):
            self.states, known = bench.strata(puzzle.metric)
            self.distances, self.weights = known.astype(np.float32), np.ones(len(known))
        else:
            self._draw(puzzle, per_distance)
        split = np.array_split(np.arange(int(self.distances.max()) + 1), min(int(self.distances.max()) + 1, BANDS))
        self.bands = [(int(band[0]), int(band[-1])) for band in split]

    def _draw(self, puzzle: Puzzle, per_distance: int) -> None:
        exact, rng = ExactTable(puzzle), np.random.default_rng(0)
        table = exact.distances
        layers = [np.flatnonzero(table == d) for d in range(int(table.max()) + 1)]
        chosen = [layer if len(layer) <= per_distance else rng.choice(layer, per_distance, replace=False) for layer in layers]
        index = np.concatenate(chosen)
        self.states, self.distances = exact.from_index(index), table[index].astype(np.float32)
        # how many states of the puzzle each one stands for
        self.weights = np.concatenate(
            [np.full(len(few), len(all_) / len(few)) for all_, few in zip(layers, chosen, strict=True)]
        )

    def errors(self, cost_to_go: CostToGo) -> dict[str, float]:
        """Mean absolute error over all states, or all known ones ("error"), and over those of each distance ("error at 3")."""
        over = np.abs(cost_to_go(self.states) - self.distances)
        found = {"error": float(np.average(over, weights=self.weights))}
        for low, high in self.bands:
            inside = (self.distances >= low) & (self.distances <= high)
            name = f"error at {low}" if low == high else f"error at {low}-{high}"
            found[name] = float(np.average(over[inside], weights=self.weights[inside]))
        return found
