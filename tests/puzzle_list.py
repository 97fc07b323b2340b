"""The puzzles that contract tests run over: every entry of the suite's list, with its settings."""

from rubiks_gym.puzzles import Hanoi, Rubik2x2, Rubik3x3

CUBES = [Rubik2x2("qtm"), Rubik2x2("htm"), Rubik3x3("qtm"), Rubik3x3("htm")]
PUZZLES = [*CUBES, Hanoi(3, 3), Hanoi(4, 3), Hanoi(5, 4), Hanoi(1, 3), Hanoi(64, 3)]


def name(puzzle):
    return puzzle.name
