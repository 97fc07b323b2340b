"""Shortest solutions of stacks of pancakes."""

import numpy as np
import pytest

from rubiks_gym.exact import ExactTable, pancake_distances
from rubiks_gym.puzzles import Hanoi, Pancake, sample_seeds


@pytest.mark.parametrize("n", [2, 3, 5, 7])
def test_every_stack_takes_as_many_turns_as_the_table_says(n):
    puzzle = Pancake(n)
    states = puzzle.from_index(np.arange(puzzle.n_states))
    assert (pancake_distances(puzzle, states) == ExactTable(puzzle).distance(states)).all()


def test_the_largest_distances_are_the_pancake_numbers():  # OEIS A058986
    for n, number in ((4, 4), (6, 7), (8, 9)):
        puzzle = Pancake(n)
        assert pancake_distances(puzzle, puzzle.from_index(np.arange(puzzle.n_states))).max() == number


def test_a_turn_changes_the_distance_of_a_large_stack_by_one_at_most(rng):
    puzzle = Pancake(15)
    states = puzzle.random_states(sample_seeds(rng, 20))
    children = puzzle.expand(states).reshape(-1, 15)
    change = pancake_distances(puzzle, children).reshape(20, -1) - pancake_distances(puzzle, states)[:, None]
    assert (abs(change) <= 1).all() and (change.min(axis=1) == -1).all()


def test_other_puzzles_and_impossible_stacks_are_refused():
    with pytest.raises(ValueError, match="stacks of pancakes, got hanoi"):
        pancake_distances(Hanoi(), Hanoi().goal[None])
    with pytest.raises(ValueError, match="pancake-4"):
        pancake_distances(Pancake(4), np.array([[0, 0, 1, 2]]))
