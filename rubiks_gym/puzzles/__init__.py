"""Puzzles: rules as data and functions on batches of states, without any gym. `PUZZLES` lists them."""

from rubiks_gym.puzzles.big_cube import Rubik4x4, Rubik5x5, RubikNxN
from rubiks_gym.puzzles.check import check_puzzle
from rubiks_gym.puzzles.cube import Cube, Rubik2x2, Rubik3x3
from rubiks_gym.puzzles.from_file import Permutation
from rubiks_gym.puzzles.goals import GoalPuzzle
from rubiks_gym.puzzles.hanoi import Hanoi
from rubiks_gym.puzzles.lights import LightsOut
from rubiks_gym.puzzles.permutation import PermutationPuzzle
from rubiks_gym.puzzles.puzzle import LONGEST, Puzzle, are_solutions, sample_seeds
from rubiks_gym.puzzles.rings import Pancake, TopSpin
from rubiks_gym.puzzles.sliding import SlidingTile
from rubiks_gym.puzzles.symmetries import Symmetries, find_symmetries
from rubiks_gym.puzzles.threads import get_num_threads, set_num_threads
from rubiks_gym.puzzles.twisty import Megaminx, Pyraminx, Skewb
from rubiks_gym.registration import PUZZLES, puzzle_from_name

__all__ = [
    "LONGEST",
    "PUZZLES",
    "Cube",
    "GoalPuzzle",
    "Hanoi",
    "LightsOut",
    "Megaminx",
    "Pancake",
    "Permutation",
    "PermutationPuzzle",
    "Puzzle",
    "Pyraminx",
    "Rubik2x2",
    "Rubik3x3",
    "Rubik4x4",
    "Rubik5x5",
    "RubikNxN",
    "Skewb",
    "SlidingTile",
    "Symmetries",
    "TopSpin",
    "are_solutions",
    "check_puzzle",
    "find_symmetries",
    "get_num_threads",
    "puzzle_from_name",
    "sample_seeds",
    "set_num_threads",
]
