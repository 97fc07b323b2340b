"""True distances for puzzles small enough to enumerate: `ExactTable(puzzle)`."""

from rubiks_gym.exact.table import ExactTable

__all__ = ["ExactTable"]
