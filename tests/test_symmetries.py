"""Symmetries that are found from generators alone: how many there are, and that distances and moves go along with them."""

import numpy as np
import pytest

from rubiks_gym.exact import ExactTable
from rubiks_gym.puzzles import (
    Megaminx,
    Pancake,
    PermutationPuzzle,
    Pyraminx,
    Rubik2x2,
    Rubik3x3,
    Rubik4x4,
    Rubik5x5,
    RubikNxN,
    Skewb,
    TopSpin,
    find_symmetries,
    sample_seeds,
)

KNOWN = [
    (Rubik2x2("qtm"), 6),  # those of the cube that leave the held corner alone
    (Rubik3x3("qtm"), 48),
    (Rubik3x3("htm"), 48),
    (Pyraminx(), 24),
    (Skewb(), 6),
    (Megaminx(), 120),
    (RubikNxN(2), 48),
    (Rubik4x4(), 96),  # with the inner slices of every axis exchanged, which no rotation does
    (Rubik5x5(), 96),
    (TopSpin(9, 4), 2),  # left and right
    (Pancake(6), 1),
]


@pytest.mark.parametrize(("puzzle", "count"), KNOWN, ids=lambda each: getattr(each, "name", each))
def test_the_known_symmetries_are_found_and_moves_go_along_with_them(puzzle, count, rng):
    found = find_symmetries(puzzle)
    assert len(found.actions) == count == len(np.unique(found.actions, axis=0))
    assert (found.places[0] == np.arange(puzzle.generators.shape[1])).all()
    assert (found.actions[0] == np.arange(puzzle.n_actions)).all()
    for places, actions in zip(found.places, found.actions, strict=True):
        assert (places[puzzle.generators] == puzzle.generators[actions][:, places]).all()
    states = puzzle.random_states(sample_seeds(rng, 20))
    images = found.images(states)
    assert (images[:, 0] == states).all()
    puzzle.check(images.reshape(-1, puzzle.state_size)[::7])
    assert (found.images(puzzle.goal[None]) == puzzle.goal).all()
    for action in rng.integers(0, puzzle.n_actions, 4):
        after = found.images(puzzle.apply(states, np.full(20, action)))
        for m in range(0, count, 1 + count // 12):
            assert (puzzle.apply(images[:, m].copy(), np.full(20, found.actions[m, action])) == after[:, m]).all()


def test_those_of_the_3x3x3_are_the_rotations_and_reflections_of_the_cube(rng):
    for cube in (Rubik3x3("qtm"), Rubik3x3("htm")):
        states = cube.random_states(sample_seeds(rng, 30))
        found, known = find_symmetries(cube), cube.symmetries(states)
        assert found.inversion
        for ours, theirs in zip(found.images(states), known, strict=True):
            assert {image.tobytes() for image in ours} == {image.tobytes() for image in theirs}


@pytest.mark.parametrize("puzzle", [Rubik2x2(), Pyraminx(), TopSpin(7, 3)], ids=repr)
def test_images_and_inverses_are_as_far_from_the_goal(puzzle, rng):
    states, table, found = puzzle.random_states(sample_seeds(rng, 100)), ExactTable(puzzle), find_symmetries(puzzle)
    distances = table.distance(found.images(states).reshape(-1, puzzle.state_size)).reshape(100, -1)
    assert found.inversion and (distances == table.distance(states)[:, None]).all()
    assert (table.distance(puzzle.inverse(states)) == table.distance(states)).all()


def test_labels_that_a_relabelling_would_tear_apart_forbid_it():
    ring = [[1, 2, 3, 0], [3, 0, 1, 2]]
    free = PermutationPuzzle("x", ring, ["L", "R"])
    alike = PermutationPuzzle("x", ring, ["L", "R"], goal=[0, 0, 1, 2])
    assert len(find_symmetries(free).actions) == 2 and not find_symmetries(alike).inversion
    images = find_symmetries(alike).images(np.array([[0, 0, 1, 2]], np.uint8))[0]
    assert len(images) == 2 and {tuple(image) for image in images.tolist()} == {(0, 0, 1, 2)}
    assert len(find_symmetries(PermutationPuzzle("x", ring, ["L", "R"], goal=[0, 1, 0, 0])).actions) == 2


def test_moves_that_are_all_alike_are_refused():
    swaps = [[*range(2 * i), 2 * i + 1, 2 * i, *range(2 * i + 2, 14)] for i in range(7)]
    with pytest.raises(ValueError, match="the 7 moves of x are so alike that it has more than 2,000 symmetries"):
        find_symmetries(PermutationPuzzle("x", swaps, [*"abcdefg"]))
