"""Moves that cost differently: exact tables and A* against Dijkstra's algorithm in plain Python."""

import heapq
import pickle

import numpy as np
import pytest

from rubiks_gym.exact import ExactTable
from rubiks_gym.puzzles import Hanoi, PermutationPuzzle, Rubik2x2, sample_seeds
from rubiks_gym.search import Perimeter, bwas

RINGS = PermutationPuzzle("cost-rings", [[1, 2, 3, 0, 4, 5], [0, 1, 3, 4, 5, 2]], ["A", "B"])
CUBE = Rubik2x2("htm")
HALF_TURNS_DEARER = [1.0] * 6 + [1.5] * 3


def dijkstra(puzzle, costs, most=np.inf):
    """What the cheapest way to the goal costs, for every state that has one of at most `most`: a dictionary by bytes."""
    found, heap = {}, [(0.0, puzzle.goal.tobytes())]
    while heap and heap[0][0] <= most:
        cost, key = heapq.heappop(heap)
        if key in found:
            continue
        found[key] = cost
        state = np.frombuffer(key, np.uint8)[None]
        for action in np.flatnonzero(puzzle.legal(state)[0]):
            before = puzzle.apply(state, np.array([action]))  # the inverse action leads from there to the state
            heapq.heappush(heap, (cost + costs[puzzle.inverse_action[action]], before.tobytes()))
    return found


def weights(puzzle, rng):
    return rng.integers(4, 33, puzzle.n_actions) / 8  # sums are exact in binary


@pytest.mark.parametrize("puzzle", [Hanoi(4), Hanoi(3, 4), RINGS], ids=repr)
def test_distances_of_whole_puzzles_agree_with_dijkstra(puzzle, rng):
    for costs in (weights(puzzle, rng), weights(puzzle, rng), np.ones(puzzle.n_actions)):
        truth = dijkstra(puzzle, costs)
        states = np.stack([np.frombuffer(key, np.uint8) for key in truth])
        table = ExactTable(puzzle, costs)
        assert len(table.distances) == len(truth)
        np.testing.assert_array_equal(table.distance(states), list(truth.values()))
    np.testing.assert_array_equal(table.distances, ExactTable(puzzle).distances)


def test_distances_near_the_goal_of_the_2x2x2_agree_with_dijkstra():
    truth = dijkstra(CUBE, HALF_TURNS_DEARER, most=5)
    states = np.stack([np.frombuffer(key, np.uint8) for key in truth])
    assert len(states) > 2000
    np.testing.assert_array_equal(ExactTable(CUBE, HALF_TURNS_DEARER).distance(states), list(truth.values()))


@pytest.mark.parametrize("puzzle", [Hanoi(4), RINGS, CUBE], ids=repr)
def test_solutions_of_the_table_and_of_a_star_cost_what_the_table_says(puzzle, rng):
    costs = np.array(HALF_TURNS_DEARER) if puzzle is CUBE else weights(puzzle, rng)
    table = pickle.loads(pickle.dumps(ExactTable(puzzle, costs)))
    states = puzzle.random_states(sample_seeds(rng, 20))
    found = bwas(puzzle, states, table.distance, costs=costs, batch=1)
    blind = bwas(puzzle, states[:3], lambda s: np.zeros(len(s)), costs=costs, batch=1).moves if puzzle is not CUBE else []
    for i, state in enumerate(states):
        for moves in (table.solve(state[None])[0], found.moves[i], *blind[i : i + 1]):
            assert (puzzle.after(moves, state) == puzzle.goal).all()
            assert costs[moves].sum() == table.distance(state[None])[0]


def test_a_dear_move_is_walked_around():
    table = ExactTable(CUBE, [1.0] * 6 + [2.5] * 3)
    assert table.distance(CUBE.after("R2")[None]).tolist() == [2.0]
    assert CUBE.format(table.solve(CUBE.after("R2")[None])[0]) in ("R R", "R' R'")


@pytest.mark.parametrize("costs", [[1.0] * 5, [0.0] * 6, [1, 1, 1, 1, 1, -1], [1, 1, 1, 1, 1, np.nan], "111111", 1.0])
def test_costs_that_cannot_be_are_refused(costs):
    for call in (ExactTable, lambda puzzle, costs: bwas(puzzle, puzzle.goal[None], len, costs=costs)):
        with pytest.raises(ValueError, match="^costs must be "):
            call(Hanoi(3), costs)
    with pytest.raises(ValueError, match="a perimeter counts moves"):
        bwas(RINGS, RINGS.goal[None], len, costs=[1, 2, 1, 2], perimeter=Perimeter(RINGS, 1))
