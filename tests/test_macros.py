"""Macro-operators: words that do what they are said to do, put into other words until these lead home."""

from functools import reduce

import numpy as np
import pytest

from rubiks_gym.exact import ExactTable
from rubiks_gym.puzzles import PermutationPuzzle, Rubik3x3, get_num_threads, puzzle_from_name, set_num_threads
from rubiks_gym.puzzles.relations import append, find_relations, relations_of
from rubiks_gym.search import Budget, Perimeter, are_solutions, beam, macro_beam
from rubiks_gym.search.insertion import along, helpful, insert
from rubiks_gym.search.macro_beam import signs_of
from rubiks_gym.search.macros import find_macros


@pytest.fixture(scope="module")
def cube():
    return Rubik3x3()


@pytest.fixture(scope="module")
def macros(cube):
    return find_macros(cube)


def nothing_known(states):
    return np.zeros(len(states))


def lengths(found):
    return [len(moves) for moves in found.moves]


def solves(puzzle, states, found):
    return found.solved.all() and are_solutions(puzzle, states, found.moves).all()


def comes_from(puzzle):
    return np.argsort(puzzle.generators, axis=1)


def done_by(puzzle, word):
    """What is at each place after a word, if place i held i: with plain arrays, move by move."""
    return reduce(lambda at, move: at[comes_from(puzzle)[move]], word, np.arange(puzzle.generators.shape[1]))


def moves_of(word):
    return [int(move) for move in word if move >= 0]


def macro_of(macros, w):
    return int(np.searchsorted(macros.first, w, side="right")) - 1


def test_every_word_does_what_its_macro_says_and_moves_few_places(cube, macros):
    assert len(macros.words) > 1000
    for w in np.random.default_rng(0).integers(len(macros.words), size=300):
        m = macro_of(macros, w)
        source = done_by(cube, moves_of(macros.words[w]))
        assert (source == macros.source[m]).all()
        moved = macros.place[macros.starts[m] : macros.starts[m + 1]]
        assert (np.flatnonzero(source != np.arange(len(source))) == moved).all() and 0 < len(moved) <= 9


def test_macros_are_found_by_what_they_bring_where(macros):
    n = macros.source.shape[1]
    for i, j in np.random.default_rng(1).integers(n, size=(50, 2)):
        listed = macros.by[macros.bring[n * i + j] : macros.bring[n * i + j + 1]]
        expected = np.flatnonzero(macros.source[:, i] == j) if i != j else []
        assert sorted(listed) == sorted(expected)


def test_the_shortest_macros_of_the_cube_are_those_that_are_known(cube, macros):
    lengths = (macros.words >= 0).sum(axis=1)
    assert lengths.min() == 8  # three corners go round by a commutator of eight moves, and nothing shorter moves so few
    corners = done_by(cube, cube.parse("R U R' D R U' R' D'"))
    assert any((corners == source).all() for source in macros.source)


def test_every_macro_is_an_even_permutation_of_each_kind_of_piece(cube, macros):
    assert not signs_of(macros.source[:500].astype(np.int64)).any()
    assert signs_of(cube.generators).all()  # a quarter turn is an odd one


def test_the_same_macros_are_found_again(macros):
    find_macros.__globals__["_find"].cache_clear()
    again = find_macros(Rubik3x3())
    assert all(np.array_equal(one, other) for one, other in zip(macros, again, strict=True))


def test_relations_of_generators_are_those_seen_on_states(cube):
    states = cube.random_states(np.arange(20, dtype=np.uint64))
    for one, other in zip(relations_of(cube.generators), find_relations(cube, states), strict=True):
        assert np.array_equal(one, other)


def test_what_is_left_of_a_word_does_the_same(cube):
    relations, rng = relations_of(cube.generators), np.random.default_rng(0)
    shorter = 0
    for _ in range(200):
        word, left, n = rng.integers(cube.n_actions, size=30), np.empty(30, np.int64), 0
        for move in word:
            n = append(*relations, left, n, move)
        assert (done_by(cube, left[:n]) == done_by(cube, word)).all()
        shorter += n < 30
    assert shorter > 150


def test_states_and_goals_along_a_word_are_what_its_moves_make_of_them(cube):
    rng = np.random.default_rng(0)
    word, n = rng.integers(cube.n_actions, size=12), cube.generators.shape[1]
    start, goal = done_by(cube, rng.integers(cube.n_actions, size=20)), np.arange(n)
    states, goals = np.empty((2, len(word) + 1, n), np.int64)
    along(comes_from(cube), goal, start, word, states, goals)
    for t in range(len(word) + 1):
        assert (states[t] == reduce(lambda at, move: at[comes_from(cube)[move]], word[:t], start)).all()
        assert (reduce(lambda at, move: at[comes_from(cube)[move]], word[t:], goals[t]) == goal).all()


def test_what_a_macro_puts_right_is_counted_as_plain_arrays_count_it(cube, macros):
    rng, relations = np.random.default_rng(0), relations_of(cube.generators)
    word, goal = rng.integers(cube.n_actions, size=6), np.arange(cube.generators.shape[1])
    start = done_by(cube, rng.integers(cube.n_actions, size=9))
    states, goals = np.empty((2, len(word) + 1, len(goal)), np.int64)
    along(comes_from(cube), goal, start, word, states, goals)
    at, which, about, change = (np.empty(100_000, kind) for kind in (np.int64, np.int64, np.float32, np.float32))
    n = helpful(macros, relations.inverse, np.float32(0.8), states, goals, word, False, at, which, about, change)
    assert n > 100
    wrong = macros.weight[states[-1] != goal].sum()
    for k in rng.integers(n, size=100):
        whole = [*word[: at[k]], *moves_of(macros.words[which[k]]), *word[at[k] :]]
        end = reduce(lambda state, move: state[comes_from(cube)[move]], whole, start)
        assert macros.weight[end != goal].sum() - wrong == pytest.approx(change[k], abs=1e-4) and change[k] < 0


def test_a_word_that_ends_three_pieces_from_home_is_completed(cube, macros):
    scramble, cycle = cube.parse("R U F' L D2 B"), cube.parse("R U R' D R U' R' D'")
    start = cube.filled(cube.after(cycle + scramble)[None])[0]
    back = np.array([cube.inverse_action[move] for move in reversed(scramble)])
    goal, ways = cube.filled(cube.goal[None])[0], relations_of(cube.generators)
    word = insert(macros, ways, comes_from(cube), goal, start, [back], 5, lambda made: False)
    assert word is not None and len(word) <= len(back) + 8
    assert (reduce(lambda state, move: state[comes_from(cube)[move]], word, start) == goal).all()


def test_macros_solve_random_cubes_without_any_heuristic(cube):
    states = cube.random_states(np.arange(4, dtype=np.uint64))
    options = {"width": 64, "max_steps": 12, "tries": 2, "misplaced": 1.0}
    found = macro_beam(cube, states, nothing_known, **options)
    assert solves(cube, states, found)
    assert max(lengths(found)) < 80
    again = macro_beam(cube, states, nothing_known, **options)
    assert again.moves == found.moves
    assert not beam(cube, states, nothing_known, width=64, max_steps=12).solved.any()


@pytest.mark.parametrize("name", ["pyraminx", "rubik2x2-qtm", "hanoi-4-3", "pancake-7"])
def test_puzzles_with_few_macros_or_none_are_solved_by_the_beam(name):
    puzzle = puzzle_from_name(name)
    states = puzzle.random_states(np.arange(5, dtype=np.uint64))
    found = macro_beam(puzzle, states, ExactTable(puzzle).distance, width=64, tries=1, misplaced=0.0)
    assert solves(puzzle, states, found) and lengths(found) == ExactTable(puzzle).distance(states).tolist()


def test_it_stops_when_its_nodes_are_spent(cube):
    states = cube.random_states(np.arange(2, dtype=np.uint64))
    found = macro_beam(cube, states, nothing_known, width=512, budget=Budget(nodes=5000))
    assert not found.solved.any() and (found.nodes < 5000 + 512 * cube.n_actions).all()
    options = {"width": 8, "max_steps": 6, "tries": 3, "misplaced": 1.0}
    by_beam = beam(cube, states, nothing_known, width=8, max_steps=6).nodes.max()
    found = macro_beam(cube, states, nothing_known, **options, budget=Budget(nodes=int(by_beam) + 50))
    assert (found.nodes <= by_beam + 50 + 300).all()  # no more than the ways to lengthen one word


def test_it_stops_when_its_time_is_over(cube):
    now = iter(range(10**6))
    found = macro_beam(cube, cube.random_states(np.arange(1, dtype=np.uint64)), nothing_known, width=8, max_steps=6,
                       misplaced=1.0, budget=Budget(seconds=12, clock=lambda: next(now)))  # fmt: skip
    assert not found.solved.any() and next(now) < 40


def test_the_result_does_not_depend_on_threads_also_where_memory_is_short(cube):
    states, options = (
        cube.random_states(np.arange(3, dtype=np.uint64)),
        {"width": 32, "max_steps": 8, "tries": 1, "misplaced": 1.0},
    )
    held, threads = sum(array.nbytes for array in find_macros(cube)), get_num_threads()
    try:
        for memory in (2 * 10**9, held + 30_000_000):  # the second is enough for one search at a time
            found = []
            for n in (1, 2):
                set_num_threads(n)
                found.append(macro_beam(cube, states, nothing_known, **options, budget=Budget(memory=memory)))
            assert found[0].moves == found[1].moves and (found[0].nodes == found[1].nodes).all()
            assert solves(cube, states, found[0])
    finally:
        set_num_threads(threads)


def test_odd_puzzles_are_solved_by_what_can_solve_them(cube):
    swaps = PermutationPuzzle("swaps", [[1, 0, 2], [0, 2, 1]], ["a", "b"])  # every macro moves all places
    together = PermutationPuzzle("together", [[1, 0, 2, 3], [0, 1, 3, 2]], ["a", "b"])  # all moves commute
    alike = PermutationPuzzle("alike", [[1, 2, 3, 0, 4, 5], [0, 1, 3, 4, 5, 2]], ["a", "b"], goal=[0, 0, 1, 1, 2, 2])
    some = PermutationPuzzle("some", [[1, 2, 0, 4, 5, 3], [0, 1, 2, 4, 3, 5]], ["a", "b"], pieces=[0])
    for puzzle in (swaps, together, alike, some):
        states = puzzle.walk(np.arange(6, dtype=np.uint64), np.full(6, 7))
        assert solves(puzzle, states, macro_beam(puzzle, states, nothing_known, width=64, max_steps=30))
    near = cube.after(cube.parse("R U"))[None]
    found = macro_beam(cube, np.concatenate([cube.goal[None], near]), nothing_known, perimeter=Perimeter(cube, 2))
    assert lengths(found) == [0, 2] and found.nodes.tolist() == [0, 0]
