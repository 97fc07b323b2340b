"""True distances for puzzles small enough to enumerate: `ExactTable(puzzle)`."""

from rubiks_gym.exact.agent import Exact
from rubiks_gym.exact.table import ExactTable, has_table

__all__ = ["Exact", "ExactTable", "has_table"]
