"""The error of a cost-to-go on states of every distance, to watch a puzzle with an exact table being learnt.

The table measures; nothing is ever learnt from it.
"""

import numpy as np

from rubiks_gym.exact import ExactTable
from rubiks_gym.puzzles import Puzzle
from rubiks_gym.search.heuristic import CostToGo

BANDS = 16  # figures at most: the 1024 distances of ten disks are taken 64 at a time


class Probe:
    """The same `per_distance` states of each distance every time, or all where there are fewer."""

    def __init__(self, puzzle: Puzzle, per_distance: int = 500) -> None:
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
        self.bands = [(int(band[0]), int(band[-1])) for band in np.array_split(np.arange(len(layers)), min(len(layers), BANDS))]

    def errors(self, cost_to_go: CostToGo) -> dict[str, float]:
        """Mean absolute error over all states of the puzzle ("error"), and over those of each distance ("error at 3")."""
        over = np.abs(cost_to_go(self.states) - self.distances)
        found = {"error": float(np.average(over, weights=self.weights))}
        for low, high in self.bands:
            inside = (self.distances >= low) & (self.distances <= high)
            name = f"error at {low}" if low == high else f"error at {low}-{high}"
            found[name] = float(np.average(over[inside], weights=self.weights[inside]))
        return found
