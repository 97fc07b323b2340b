"""True distances: `ExactTable(puzzle)` of every puzzle of up to 50 million states, `OptimalSolver(cube)` of the 3x3x3,
`SlidingSolver(puzzle)` of sliding tiles, `pancake_distances` of stacks of pancakes."""

from rubiks_gym.exact.agent import Exact
from rubiks_gym.exact.optimal import OptimalSolver, Proof, certify
from rubiks_gym.exact.pancake import pancake_distances
from rubiks_gym.exact.sliding import SlidingBounds, SlidingSolver
from rubiks_gym.exact.table import ExactTable, has_table

__all__ = [
    "Exact",
    "ExactTable",
    "OptimalSolver",
    "Proof",
    "SlidingBounds",
    "SlidingSolver",
    "certify",
    "has_table",
    "pancake_distances",
]
