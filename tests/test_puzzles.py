"""What holds for every registered puzzle beyond what `check_puzzle` looks at, with the settings that the registry names."""

import copy
import pickle

import numpy as np
import pytest

from rubiks_gym.puzzles import Cube, PermutationPuzzle, Puzzle, sample_seeds, set_num_threads


@pytest.fixture
def states(puzzle, rng):
    return puzzle.random_states(sample_seeds(rng, 200))


def test_only_the_goal_is_solved_among_its_neighbours(puzzle):
    children = puzzle.expand(puzzle.goal[None])[0]
    assert (puzzle.is_solved(children) == ~puzzle.legal(puzzle.goal[None])[0]).all()


def test_every_legal_move_is_undone_by_its_inverse(puzzle, states):
    legal = puzzle.legal(states)
    for action in range(puzzle.n_actions):
        there = puzzle.apply(states, np.full(len(states), action))
        back = puzzle.apply(there, np.full(len(states), puzzle.inverse_action[action]))
        assert (back[legal[:, action]] == states[legal[:, action]]).all()
        assert (there != states).any(axis=1).tolist() == legal[:, action].tolist()


def test_children_can_be_written_into_an_array_that_is_there(puzzle, states):
    room = np.zeros((len(states), puzzle.n_actions, puzzle.state_size), np.uint8)
    assert puzzle.expand(states, room) is room
    assert (room == puzzle.expand(states)).all()
    for wrong in (room[:-1], room.astype(int), room[:, ::-1]):
        with pytest.raises(ValueError, match="out must be a contiguous uint8 array of shape"):
            puzzle.expand(states, wrong)


def test_walks_never_undo_the_move_before_unless_allowed(puzzle, rng):
    path = puzzle.walks(sample_seeds(rng, 400), 10)
    two_back = np.concatenate([np.tile(puzzle.goal, (400, 1, 1)), path[:, :-2]], axis=1)
    assert not (path[:, 1:] == two_back[:, : path.shape[1] - 1]).all(axis=2).any()
    plain = puzzle.walks(sample_seeds(rng, 400), 2, allow_undo=True)
    share = puzzle.is_solved(plain[:, 1]).mean()
    legal = puzzle.legal(plain[:, 0]).sum(axis=1).mean()
    assert abs(share - 1 / legal) < 0.1


def test_compiled_functions_equal_the_plain_ones_of_the_base_class(puzzle, states, rng):
    seeds, depths = sample_seeds(rng, 60), rng.integers(0, 9, 60)
    assert (Puzzle.expand(puzzle, states) == puzzle.expand(states)).all()
    for sequences in puzzle._sequences.values():
        ends, path = puzzle._walk(seeds, depths, sequences, None), np.zeros((60, 9, puzzle.state_size), np.uint8)
        assert (Puzzle._walk(puzzle, seeds, depths, sequences, None) == ends).all()
        plain = Puzzle._walk(puzzle, seeds, np.full(60, 9), sequences, path.copy())
        assert (puzzle._walk(seeds, np.full(60, 9), sequences, path) == plain).all()


def test_perfect_index_goes_both_ways(puzzle, states, rng):
    if not puzzle.enumerable:
        with pytest.raises((NotImplementedError, ValueError), match="index"):
            puzzle.index(states)
        return
    index = puzzle.index(states)
    assert index.min() >= 0 and index.max() < puzzle.n_states
    assert (puzzle.from_index(index) == states).all()
    numbers = rng.integers(0, puzzle.n_states, 500)
    assert (puzzle.index(puzzle.from_index(numbers)) == numbers).all()
    if puzzle.n_states < 10**6 or isinstance(puzzle, Cube):
        every = puzzle.index(puzzle.from_index(np.arange(puzzle.n_states)))
        assert (every == np.arange(puzzle.n_states)).all()


def test_random_states_are_reachable_and_spread(puzzle, rng):
    states = puzzle.random_states(sample_seeds(rng, 20_000))
    puzzle.check(states[:2000])
    for i, column in enumerate(states.T):
        counts = np.bincount(column, minlength=puzzle.n_values)
        expected = len(states) * shares(puzzle, i)
        assert (np.abs(counts - expected) <= 6 * np.sqrt(expected)).all()


def shares(puzzle, i):
    """How often an entry of a random state should have each value: as often as values are among places that moves connect."""
    if not isinstance(puzzle, PermutationPuzzle):
        return np.full(puzzle.n_values, 1 / puzzle.n_values)
    orbit = puzzle._orbit_of == puzzle._orbit_of[puzzle.goal[i] if puzzle.distinct else i]
    values = np.flatnonzero(orbit) if puzzle.distinct else puzzle.goal[orbit]
    return np.bincount(values, minlength=puzzle.n_values) / len(values)


def test_result_does_not_depend_on_the_number_of_threads(puzzle, rng, monkeypatch):
    monkeypatch.setattr("rubiks_gym.puzzles.threads._MANY", 1000)
    seeds = sample_seeds(rng, 2500)  # enough for the work to be shared out
    results = []
    for threads in (1, 2, 3):
        set_num_threads(threads)
        states = puzzle.random_states(seeds)
        children = puzzle.expand(states)[:, -1]
        results.append((states, children, puzzle.pack(children), puzzle.one_hot(states[:1500])))
    set_num_threads(2)
    for other in results[1:]:
        assert all((a == b).all() for a, b in zip(results[0], other, strict=True))


def test_notation_reads_what_it_writes(puzzle, rng):
    actions = rng.integers(0, puzzle.n_actions, 30).tolist()
    assert puzzle.parse(puzzle.format(actions)) == actions
    assert puzzle.format([]) == ""
    assert (puzzle.after("") == puzzle.goal).all()


def test_copies_and_pickles_are_the_same_puzzle(puzzle, states):
    for other in (copy.deepcopy(puzzle), pickle.loads(pickle.dumps(puzzle))):
        assert other.name == puzzle.name
        assert (other.expand(states) == puzzle.expand(states)).all()


def test_functions_leave_their_arguments_alone(puzzle, states):
    before = states.copy()
    puzzle.apply(states, np.zeros(len(states), int))
    puzzle.expand(states), puzzle.legal(states), puzzle.one_hot(states), puzzle.pack(states)
    assert (states == before).all()
    with pytest.raises(ValueError, match="read-only"):
        puzzle.goal[0] = 1


def test_a_cube_of_any_size_can_be_copied_and_pickled():
    for other in (copy.copy(Cube(3, "htm")), pickle.loads(pickle.dumps(Cube(3, "htm")))):
        assert other.name == "rubik3x3-htm"
