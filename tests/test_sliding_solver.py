"""Shortest solutions of sliding tiles: pattern databases against a plain search, lengths against tables and Korf's states."""

from collections import deque

import numpy as np
import pytest

from results.states import korf
from rubiks_gym import cli
from rubiks_gym.exact import ExactTable, SlidingSolver, sliding
from rubiks_gym.puzzles import Hanoi, SlidingTile, are_solutions, sample_seeds


def plain_database(puzzle, tiles):
    """The fewest slides of the tiles alone that bring them home, by places of the tiles: breadth first, free slides first."""
    start = (*(tile - 1 for tile in tiles), puzzle.state_size - 1)
    best, queue, found = {start: 0}, deque([start]), {}
    while queue:
        *places, blank = queue.popleft()
        cost = best[(*places, blank)]
        found.setdefault(tuple(places), cost)
        for place in puzzle._comes_from[blank]:
            if place >= 0:
                after = (*(blank if p == place else p for p in places), int(place))
                price = cost + (place in places)
                if price < best.get(after, 999):
                    best[after] = price
                    (queue.append if place in places else queue.appendleft)(after)
    return found


@pytest.mark.parametrize(("rows", "columns", "tiles"), [(2, 3, (1, 5)), (3, 3, (2, 3, 7)), (3, 2, (4, 1, 2))])
def test_a_pattern_database_equals_a_plain_search(rows, columns, tiles):
    puzzle = SlidingTile(rows, columns)
    table, plain = sliding.build(puzzle, tiles), plain_database(puzzle, tiles)
    n = puzzle.state_size
    assert (table < 255).sum() == len(plain)
    for places, cost in plain.items():
        assert table[sum(place * n**digit for digit, place in enumerate(places))] == cost


@pytest.mark.parametrize(("rows", "columns"), [(2, 2), (2, 3), (3, 2), (2, 4), (3, 3)])
def test_solutions_are_as_short_as_the_table_says_and_bounds_never_above(rows, columns, rng, monkeypatch):
    monkeypatch.setattr(sliding, "_NODES", 50)  # so that searches are interrupted and go on
    puzzle = SlidingTile(rows, columns)
    solver, states = SlidingSolver(puzzle), puzzle.random_states(sample_seeds(rng, 60))
    true, bounds, proof = ExactTable(puzzle).distance(states), solver.bounds(states), solver.solve(states)
    assert (bounds <= true).all() and ((true - bounds) % 2 == 0).all()
    assert proof.proven.all() and (proof.upper == true).all() and (proof.lower == true).all()
    assert are_solutions(puzzle, states, proof.moves).all()
    assert solver.solve(puzzle.goal[None]).moves == [[]]


def test_korfs_hundred_have_their_known_lengths_and_the_first_are_proven_again():
    puzzle = SlidingTile()
    states, lengths, _ = korf(puzzle, 100)
    assert len({state.tobytes() for state in states}) == 100 and lengths.mean() == 53.05  # as Korf has it
    assert lengths[:10].tolist() == [57, 55, 59, 56, 56, 52, 52, 50, 46, 59]  # as others list them
    solver = SlidingSolver(puzzle)
    proof = solver.solve(states[:20])
    assert (proof.upper == lengths[:20]).all() and are_solutions(puzzle, states[:20], proof.moves).all()
    manhattan = [41, 43, 41, 42, 42, 36, 30, 32, 32, 43]  # as Korf has them
    assert (solver.bounds(states[:10]) >= manhattan).all()


def test_the_fifty_24_puzzles_can_be_solved_and_have_lengths_that_are_possible():
    puzzle = SlidingTile(5, 5)
    states, lengths, _ = korf(puzzle)
    place, home = np.argsort(states, axis=1)[:, 1:], np.arange(24)  # of tiles 1..24
    manhattan = (np.abs(place // 5 - home // 5) + np.abs(place % 5 - home % 5)).sum(axis=1)
    assert len({state.tobytes() for state in states}) == 50 and lengths.mean() == 100.78  # as Korf and Felner have it
    assert (manhattan < lengths).all() and ((lengths - manhattan) % 2 == 0).all()


def test_a_search_that_runs_out_of_time_says_what_it_knows():
    with pytest.raises(ValueError, match="sliding tiles on at most 32 places, not for sliding-tile-6-6"):
        SlidingSolver(SlidingTile(6, 6))
    with pytest.raises(ValueError, match="not for hanoi-3-3"):
        SlidingSolver(Hanoi())
    assert [len(group) for group in sliding.groups_of(5, 5)] == [5, 5, 5, 5, 4]
    solver = SlidingSolver(SlidingTile())
    far = SlidingTile().check([*range(15, 2, -1), 1, 2, 0])  # none is more than 80 slides away
    proof = solver.solve(far, seconds=0.01)
    assert not proof.proven[0] and proof.moves == [None] and proof.upper[0] == -1
    assert solver.bounds(far)[0] <= proof.lower[0] <= 80


def test_the_15_puzzle_is_solved_by_name(capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", ["rubiks-gym", "solve", "--puzzle", "sliding-tile-4-4", "D R D L U"])
    cli.main()
    assert "solved in 5 moves: D R U L U" in capsys.readouterr().out
