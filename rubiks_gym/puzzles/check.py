"""`check_puzzle`: whether a puzzle keeps the contract that environments, searches and learners rely on."""

from collections.abc import Callable
from typing import Any

import numpy as np

from rubiks_gym.puzzles.puzzle import Puzzle, sample_seeds
from rubiks_gym.registration import PUZZLES, puzzle_from_name


def check_puzzle(puzzle: Puzzle, seed: int = 0) -> None:
    """Raise an AssertionError that says what is wrong with a puzzle, as Gymnasium's check_env does for environments.

    Every function is called on states near the goal and far from it; what the puzzle does not offer (random states, a
    perfect index) is left out.
    """
    assert isinstance(puzzle, Puzzle), f"a puzzle must be a rubiks_gym.puzzles.Puzzle, got {type(puzzle).__name__}"
    rng = np.random.default_rng(seed)
    _check_data(puzzle)
    near = puzzle.expand(puzzle.goal[None])[0]
    states = np.concatenate([puzzle.goal[None], near, puzzle.walk(sample_seeds(rng, 100), rng.integers(0, 30, 100))])
    _check_moves(puzzle, states)
    _check_walks(puzzle, sample_seeds(rng, 50))
    _check_encodings(puzzle, states)
    _check_random_states(puzzle, sample_seeds(rng, 50))
    _check_index(puzzle, states, rng)
    _check_refusals(puzzle, states)
    _check_name(puzzle)


def _check_data(puzzle: Puzzle) -> None:
    goal, n = puzzle.goal, puzzle.n_actions
    assert goal.dtype == np.uint8 and goal.ndim == 1, f"goal must be a uint8 vector, got {goal.dtype} {goal.shape}"
    assert not goal.flags.writeable, "goal must be read-only, or a slip would change the puzzle for everybody"
    assert (goal < puzzle.n_values).all(), f"goal has values of {puzzle.n_values} (n_values) or above"
    assert n >= 1 and len(set(puzzle.action_names)) == n, "action_names must be different names, at least one"
    inverse = puzzle.inverse_action
    assert inverse.shape == (n,) and set(inverse.tolist()) <= set(range(n)), f"inverse_action must be {n} actions"
    assert (inverse[inverse] == np.arange(n)).all(), "inverse_action: the action that undoes an action is undone by it"
    solved = puzzle.is_solved(goal[None])
    assert solved.dtype == bool and solved.tolist() == [True], "is_solved must be true of the goal"
    assert puzzle.k_max >= 1, f"k_max must be at least 1, got {puzzle.k_max}"
    if puzzle.start is not None:
        puzzle.check(puzzle.start)


def _check_moves(puzzle: Puzzle, states: np.ndarray) -> None:
    n, before = puzzle.n_actions, states.copy()
    legal, children = puzzle.legal(states), puzzle.expand(states)
    _check_array("legal", legal, bool, (len(states), n))
    _check_array("expand", children, np.uint8, (len(states), n, puzzle.state_size))
    assert legal.any(axis=1).all(), "legal: every state needs an action that is allowed"
    changed = False
    for a, name in enumerate(puzzle.action_names):
        actions = np.full(len(states), a)
        after = puzzle.apply(states, actions)
        _check_array("apply", after, np.uint8, states.shape)
        assert (after == children[:, a]).all(), f"expand: the children by {name!r} are not what apply makes"
        stays = (after == states).all(axis=1)
        assert stays[~legal[:, a]].all(), f"legal: {name!r} is not allowed in a state, but changes it"
        back = puzzle.apply(after, np.full(len(states), puzzle.inverse_action[a]))
        undone = puzzle.action_names[puzzle.inverse_action[a]]
        assert (back == states)[legal[:, a]].all(), f"inverse_action: {undone!r} does not undo {name!r}"
        stepped, solved = puzzle.step(states, actions)
        assert (stepped == after).all() and (solved == puzzle.is_solved(after)).all(), "step must be apply and is_solved"
        changed = changed or not stays.all()
    assert changed, "apply: no action changes anything"
    assert (states == before).all(), "apply, expand, legal and step must not change their arguments"
    room = np.empty_like(children)
    assert puzzle.expand(states, room) is room and (room == children).all(), "expand must write into out and return it"
    empty = states[:0]
    assert puzzle.apply(empty, np.zeros(0, np.int64)).shape == empty.shape, "apply must take empty batches"
    assert puzzle.expand(empty).shape == (0, n, puzzle.state_size), "expand must take empty batches"


def _check_walks(puzzle: Puzzle, seeds: np.ndarray) -> None:
    for kind, walks in {"walks": puzzle.walks, "canonical_walks": puzzle.canonical_walks}.items():
        path = walks(seeds, 8)
        _check_array(kind, path, np.uint8, (len(seeds), 8, puzzle.state_size))
        assert (path == walks(seeds[::-1], 8)[::-1]).all(), f"{kind}: a walk must depend on its own seed alone"
        before = np.concatenate([np.broadcast_to(puzzle.goal, path[:, :1].shape), path[:, :-1]], axis=1)
        before = np.ascontiguousarray(before).reshape(-1, puzzle.state_size)
        led = (puzzle.expand(before) == path.reshape(-1, 1, puzzle.state_size)).all(axis=2) & puzzle.legal(before)
        assert led.any(axis=1).all(), f"{kind}: a step of a walk is no legal move"
    for depth in (0, 3, 8):
        for allowed in ((False, True), (True, True), *([] if puzzle.faces is None else [(False, False)])):
            ends = puzzle.walk(seeds, np.full(len(seeds), depth), *allowed)
            expected = puzzle.walks(seeds, 8, *allowed)[:, depth - 1] if depth else puzzle.goal
            assert (ends == expected).all(), f"walk must end where walks is after {depth} moves"


def _check_encodings(puzzle: Puzzle, states: np.ndarray) -> None:
    one_hot = puzzle.one_hot(states)
    _check_array("one_hot", one_hot, np.uint8, (len(states), puzzle.state_size * puzzle.one_hot_width))
    grid = one_hot.reshape(len(states), puzzle.state_size, -1)
    assert (grid.sum(axis=2) == 1).all(), "one_hot must have a single 1 for each entry of a state"
    assert (grid.argmax(axis=2) + puzzle.first == states).all(), "one_hot must tell the states apart"
    assert (puzzle.unpack(puzzle.pack(states)) == states).all(), "unpack must be the inverse of pack"
    different = len(np.unique(states, axis=0))
    assert len(np.unique(puzzle.hash(states))) == different, "hash must tell states apart"
    for name in puzzle.observations:
        if name != "state" and not name.startswith("one-hot"):
            seen = getattr(puzzle, name.replace("-", "_"))(states)
            assert (seen < puzzle.categories(name)).all(), f"observation {name!r} has values beyond its categories"
    names = puzzle.format(range(puzzle.n_actions))
    assert puzzle.parse(names) == list(range(puzzle.n_actions)), "parse must read what format writes"


def _check_random_states(puzzle: Puzzle, seeds: np.ndarray) -> None:
    try:
        states = puzzle.random_states(seeds)
    except NotImplementedError:
        return
    _check_array("random_states", states, np.uint8, (len(seeds), puzzle.state_size))
    assert (states == puzzle.random_states(seeds[::-1])[::-1]).all(), "random_states: a state must depend on its seed alone"
    puzzle.check(states)


def _check_index(puzzle: Puzzle, states: np.ndarray, rng: np.random.Generator) -> None:
    assert puzzle.n_states >= 0, f"n_states must be 0 (not known) or how many states there are, got {puzzle.n_states}"
    if not puzzle.enumerable:
        return
    index = puzzle.index(states)
    assert ((index >= 0) & (index < puzzle.n_states)).all(), f"index must be from 0 to n_states - 1 ({puzzle.n_states - 1})"
    assert (puzzle.from_index(index) == states).all(), "from_index must be the inverse of index"
    numbers = rng.integers(0, puzzle.n_states, 200)
    there = puzzle.from_index(numbers)
    assert (puzzle.index(there) == numbers).all(), "index must be the inverse of from_index"
    puzzle.check(there)


def _check_refusals(puzzle: Puzzle, states: np.ndarray) -> None:
    assert (puzzle.check(states) == states).all(), "check must return the states that it accepts"
    for wrong in (puzzle.goal[None, :-1], np.full((1, puzzle.state_size), puzzle.n_values), puzzle.goal[None] + 0.5):
        _refuses(f"check must refuse {wrong.tolist()} with a ValueError", puzzle.check, wrong)
    for action in (-1, puzzle.n_actions):
        _refuses(f"apply must refuse action {action} with a ValueError", puzzle.apply, states[:1], np.array([action]))


def _check_name(puzzle: Puzzle) -> None:
    registered = [key for key in PUZZLES if puzzle.name == key or puzzle.name.startswith(f"{key}-")]
    if registered:
        read = puzzle_from_name(puzzle.name)
        assert read.name == puzzle.name, f"{puzzle.name!r} is read back as {read.name!r}"
        assert read.fingerprint() == puzzle.fingerprint(), f"another puzzle is registered as {puzzle.name!r}"


def _check_array(function: str, array: np.ndarray, dtype: type, shape: tuple[int, ...]) -> None:
    right = isinstance(array, np.ndarray) and array.dtype == dtype and array.shape == shape
    given = f"{array.dtype} {array.shape}" if isinstance(array, np.ndarray) else type(array).__name__
    assert right, f"{function} must return {np.dtype(dtype)} {shape}, got {given}"


def _refuses(message: str, function: Callable, *arguments: Any) -> None:
    try:
        function(*arguments)
    except ValueError:
        return
    raise AssertionError(message)
