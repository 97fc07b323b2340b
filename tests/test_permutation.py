"""Puzzles given by their generators, their groups, and check_puzzle; the puzzles of the examples."""

import importlib
import math
import pickle
import re
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from rubiks_gym.exact import ExactTable
from rubiks_gym.puzzles import (
    Hanoi,
    PermutationPuzzle,
    Puzzle,
    Rubik2x2,
    Rubik3x3,
    check_puzzle,
    puzzle_from_name,
    sample_seeds,
)
from rubiks_gym.puzzles.chain import Chain


def from_generators(cube, **keywords):
    """The same cube without its geometry."""
    return PermutationPuzzle("plain-" + cube.name, cube.generators, cube.action_names, **({"pieces": cube.goal} | keywords))


def colours(goal):
    return PermutationPuzzle("colours", Rubik2x2().generators, Rubik2x2().action_names, goal=goal)


# check_puzzle ---------------------------------------------------------------------------------------------------------


def test_every_registered_puzzle_keeps_the_contract(puzzle):
    check_puzzle(puzzle)


@pytest.mark.parametrize("goal", [np.arange(24) // 4, np.arange(24) // 3 % 2, np.arange(24)], ids=["faces", "two", "all"])
def test_puzzles_whose_pieces_look_alike_keep_the_contract(goal):
    check_puzzle(colours(goal))


@pytest.mark.parametrize("name", ["chinese-rings-2", "chinese-rings-5", "permutation-examples/ivy.gap"])
def test_the_examples_keep_the_contract_and_are_read_by_name(name, monkeypatch):
    monkeypatch.chdir(Path(__file__).parent.parent)
    importlib.import_module("examples.04_a_puzzle_of_your_own")
    check_puzzle(puzzle_from_name(name))


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"inverse_action": np.array([1, 0, 3, 2, 5, 5])}, "undone by it"),
        ({"inverse_action": np.arange(6)}, "does not undo"),
        ({"expand": lambda states, out=None: Rubik2x2().expand(states)[:, ::-1]}, "not what apply makes"),
        ({"legal": lambda states: np.zeros((len(states), 6), bool)}, "needs an action that is allowed"),
        ({"legal": lambda states: np.arange(6) < np.full((len(states), 1), 5)}, "not allowed in a state, but changes it"),
        ({"is_solved": lambda states: np.zeros(len(states), bool)}, "is_solved must be true of the goal"),
        ({"walks": lambda seeds, depth, undo=False: np.zeros((len(seeds), depth, 7), np.uint8)}, "no legal move"),
        ({"random_states": lambda seeds: Rubik2x2().walk(np.arange(len(seeds)), 9)}, "depend on its seed alone"),
        ({"index": lambda states: np.zeros(len(states), np.int64)}, "from_index must be the inverse"),
        ({"check": lambda states: states}, "check must refuse"),
        ({"name": "rubik2x2-htm"}, "another puzzle is registered"),
        ({"goal": np.zeros(7, int)}, "goal must be a uint8 vector"),
    ],
)
def test_what_breaks_the_contract_is_named(change, fault):
    puzzle = pickle.loads(pickle.dumps(Rubik2x2()))
    for name, value in change.items():
        setattr(puzzle, name, value)
    with pytest.raises(AssertionError, match=fault):
        check_puzzle(puzzle)


def test_a_puzzle_that_is_none_is_refused():
    with pytest.raises(AssertionError, match="must be a rubiks_gym.puzzles.Puzzle"):
        check_puzzle("rubik2x2-qtm")


# Both forms -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cube", [Rubik2x2("htm"), Rubik3x3("qtm")], ids=repr)
def test_a_cube_given_by_its_generators_does_what_the_cube_does(cube, rng):
    plain, seeds = from_generators(cube), sample_seeds(rng, 200)
    states, others = cube.random_states(seeds), cube.random_states(sample_seeds(rng, 200))
    actions = rng.integers(0, cube.n_actions, 200)
    for mine, its in (
        (plain.apply(states, actions), cube.apply(states, actions)),
        (plain.expand(states), cube.expand(states)),
        (plain.walks(seeds, 9), cube.walks(seeds, 9)),
        (plain.walk(seeds, actions, allow_undo=True), cube.walk(seeds, actions, allow_undo=True)),
        (plain.one_hot(states), cube.one_hot(states)),
        (plain.inverse(states), cube.inverse(states)),
        (plain.compose(states, others), cube.compose(states, others)),
        (plain.relative(states, others), cube.relative(states, others)),
        (plain.inverse_action, cube.inverse_action),
    ):
        np.testing.assert_array_equal(mine, its)
    assert plain.n_states == cube.n_states
    cube.check(plain.random_states(seeds))


def test_both_conventions_describe_the_same_puzzle(rng):
    cube = Rubik2x2()
    there = from_generators(cube)
    back = PermutationPuzzle("x", np.argsort(cube.generators, axis=1), cube.action_names, "comes-from", pieces=cube.goal)
    assert (there.moves == back.moves).all()
    assert (there.generators[0] != back.generators[1]).any()


def test_what_is_at_each_place_follows_from_where_each_piece_is(rng):
    cube = Rubik2x2()
    all_stickers, faces = from_generators(cube, pieces=None), colours(np.arange(24) // 4)
    seeds = sample_seeds(rng, 50)
    states, seen = all_stickers.walks(seeds, 9), faces.walks(seeds, 9)
    expected = np.empty_like(seen)
    np.put_along_axis(expected, states.astype(np.int64), faces.goal[None, None], axis=2)
    np.testing.assert_array_equal(seen, expected)


def test_missing_inverses_are_added_behind_their_moves():
    cube = Rubik3x3()
    plain = PermutationPuzzle("x", cube.generators[::2], cube.action_names[::2], pieces=cube.goal)
    assert plain.action_names == cube.action_names and (plain.moves == cube.moves).all()
    half = Rubik2x2("htm")
    assert PermutationPuzzle("x", half.generators[6:], ["U2", "R2", "F2"]).inverse_action.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (([[1, 0, 2]], ["a", "b"]), "names must be 1 different names"),
        (([[1, 1, 2]], ["a"]), "'a' is no permutation: it must have each place from 0 to 2 once"),
        (([[1.5, 0, 2]], ["a"]), "'a' is no permutation"),
        (([[0, 1, 2]], ["a"]), "'a' moves nothing"),
        (([[1, 0, 2], [1, 0, 2]], ["a", "b"]), "'a' and 'b' are the same move"),
        (([[1, 0, 2], [1, 0]], ["a", "b"]), "permutations of the same places"),
        (([], []), "generators must be permutations"),
        (([[1, 2, 0], [1, 0, 2]], ["a", "a'"]), "does not undo 'a'; add the move that does"),
        (([[1, 0, 2]], ["a"], "to"), "convention must be one of 'goes-to', 'comes-from', got 'to'"),
        (([[1, 0, 2]], ["a"], "goes-to", [0, 1]), "one whole number from 0 to 255 for each of the 3 places"),
        (([[1, 0, 2]], ["a"], "goes-to", [0, 1, 1], [0]), "pieces belongs to puzzles whose pieces all differ"),
        (([[1, 0, 2]], ["a"], "goes-to", None, [0, 3]), "pieces must be different places from 0 to 2"),
        (([np.roll(np.arange(300), 1)], ["a"]), "at most 256"),
    ],
)
def test_wrong_generators_are_refused(arguments, fault):
    with pytest.raises(ValueError, match=re.escape(fault)):
        PermutationPuzzle("x", *arguments)


# Groups ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("generators", "order"),
    [
        (Rubik3x3().generators, 43_252_003_274_489_856_000),
        (Rubik2x2().generators, 3_674_160),
        ([np.roll(np.arange(40), 1), [1, 0, *range(2, 40)]], math.factorial(40)),
        ([[1, 2, 0, *range(3, 30)], [0, *np.roll(np.arange(1, 30), 1)]], math.factorial(30) // 2),
        ([np.roll(np.arange(31), 1)], 31),
        ([[1, 0, 2, 3, 4], [0, 1, 3, 4, 2]], 6),
        ([[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0, 11], [0, 1, 6, 9, 5, 3, 10, 2, 8, 4, 7, 11]], 7920),
    ],
    ids=["3x3x3", "2x2x2", "symmetric", "alternating", "cyclic", "product", "Mathieu M11"],
)
def test_orders_of_known_groups(generators, order):
    generators = np.array(generators)
    for points in (np.arange(generators.shape[1]), np.arange(generators.shape[1])[::-1]):
        assert Chain(generators, points).order == order


def test_every_element_of_a_group_has_its_own_digits():
    chain = Chain(np.array([[1, 2, 3, 0, 4], [1, 0, 2, 3, 4]]), np.arange(5))
    assert chain.order == 24
    every = chain.images(chain.from_index(np.arange(24)), np.arange(5))
    assert len(np.unique(every, axis=0)) == 24 and (every[0] == np.arange(5)).all()
    assert (chain.index(chain.digits(every)) == np.arange(24)).all()
    assert not chain.contains(np.array([[0, 1, 2, 4, 3], [0, 0, 1, 2, 4], [9, 1, 2, 3, 4]], np.uint16)).any()


def test_random_states_are_uniform(rng):
    puzzle = PermutationPuzzle("x", [[1, 2, 3, 0], [1, 0, 2, 3]], ["a", "b"])
    counts = np.bincount(puzzle.index(puzzle.random_states(sample_seeds(rng, 24_000))), minlength=24)
    assert len(counts) == 24 and (np.abs(counts - 1000) < 200).all()
    alike = PermutationPuzzle("x", [[1, 2, 3, 0], [1, 0, 2, 3]], ["a", "b"], goal=[0, 0, 1, 1])
    _, counts = np.unique(alike.random_states(sample_seeds(rng, 6000)), axis=0, return_counts=True)
    assert alike.n_states == len(counts) == 6 and (np.abs(counts - 1000) < 200).all()


def test_pieces_that_leave_something_untold_are_counted_rightly_and_have_no_inverse():
    cube = Rubik2x2()
    two = PermutationPuzzle("two-corners", cube.generators, cube.action_names, pieces=[0, 3])
    assert two.n_states == 21 * 18 == len(ExactTable(two).distances)
    with pytest.raises(ValueError, match="has no inverse and compose"):
        two.inverse(two.goal[None])


@pytest.mark.parametrize("cube", [Rubik2x2(), Rubik3x3()], ids=repr)
def test_impossible_cubes_are_refused_by_the_group(cube):
    plain = from_generators(cube)
    twisted, same, swapped = (cube.goal.copy() for _ in range(3))
    twisted[0] += 1
    same[1] = same[0]
    swapped[:2] = swapped[1::-1]
    for state in [twisted, same] + [swapped] * (cube.size == 3):
        with pytest.raises(ValueError, match="impossible state of plain-rubik.*no moves lead from the goal"):
            plain.check(state)
    with pytest.raises(ValueError, match="impossible state of colours"):
        colours(np.arange(24) // 4).check([0] * 24)


# The examples ---------------------------------------------------------------------------------------------------------


def test_the_chinese_rings_of_the_example_take_as_many_moves_as_known(monkeypatch):
    rings = importlib.import_module("examples.04_a_puzzle_of_your_own").ChineseRings
    assert [ExactTable(rings(n)).distance(rings(n).start[None])[0] for n in range(2, 8)] == [2, 5, 10, 21, 42, 85]


def test_the_examples_have_their_environments():
    importlib.import_module("examples.04_a_puzzle_of_your_own")
    check_env(gym.make("ChineseRings-v0").unwrapped, skip_render_check=True)
    envs = gym.make_vec("ChineseRings-v0", num_envs=3, exact=True, scramble="uniform")
    _, info = envs.reset(seed=0)
    assert (info["distance"] <= info["scramble_depth"]).all()
    copy = pickle.loads(pickle.dumps(envs))
    np.testing.assert_array_equal(copy.step(np.zeros(3, int))[0], envs.step(np.zeros(3, int))[0])


def test_a_puzzle_without_kernels_walks_canonically_by_never_undoing(rng):
    seeds = sample_seeds(rng, 40)
    assert (Hanoi(4).canonical_walks(seeds, 9) == Hanoi(4).walks(seeds, 9)).all()
    assert (Puzzle.canonical_walks(Rubik2x2(), seeds, 9) == Rubik2x2().canonical_walks(seeds, 9)).all()
