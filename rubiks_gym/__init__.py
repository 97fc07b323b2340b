"""rubiks-gym: Gymnasium environments, searches and a solver for permutation puzzles. Importing it loads little else."""

import importlib
from types import ModuleType

from rubiks_gym.registration import PUZZLES, puzzle_from_name, register_puzzle

__version__ = "0.1.0"
__all__ = ["PUZZLES", "puzzle_from_name", "register_puzzle"]


def __getattr__(name: str) -> ModuleType:
    """`rubiks_gym.scrambles` and the like, imported when they are first asked for."""
    if name in ("envs", "exact", "ntuple", "observations", "puzzles", "rewards", "scrambles", "search", "text", "zoo"):
        return importlib.import_module(f"rubiks_gym.{name}")
    raise AttributeError(f"module 'rubiks_gym' has no attribute {name!r}")
