"""Puzzles: rules as data and functions on batches of states, without any gym. `PUZZLES` lists them."""

from typing import Any

from rubiks_gym.puzzles.cube import Cube, Rubik2x2, Rubik3x3
from rubiks_gym.puzzles.hanoi import Hanoi
from rubiks_gym.puzzles.puzzle import Puzzle, sample_seeds
from rubiks_gym.puzzles.threads import get_num_threads, set_num_threads

PUZZLES: dict[str, Any] = {"Rubik2x2": Rubik2x2, "Rubik3x3": Rubik3x3, "Hanoi": Hanoi}


def puzzle_from_name(name: str) -> Puzzle:
    """The puzzle that calls itself so: "rubik2x2-qtm", "rubik3x3-htm", "hanoi-4-3" (disks, pegs)."""
    kind, *settings = str(name).split("-")
    by_kind = {key.lower(): puzzle for key, puzzle in PUZZLES.items()}
    try:
        puzzle = by_kind[kind](*(int(word) if word.isdigit() else word for word in settings))
    except (KeyError, TypeError, ValueError):
        raise ValueError(f"no puzzle is called {name!r}; names look like rubik2x2-qtm, rubik3x3-htm, hanoi-4-3") from None
    return puzzle


__all__ = [
    "PUZZLES",
    "Cube",
    "Hanoi",
    "Puzzle",
    "Rubik2x2",
    "Rubik3x3",
    "get_num_threads",
    "puzzle_from_name",
    "sample_seeds",
    "set_num_threads",
]
