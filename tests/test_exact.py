"""Exact distances against published counts, and the cache file that keeps them."""

import json
import os
import time
from multiprocessing import get_context

import numpy as np
import pytest

from rubiks_gym import files
from rubiks_gym.exact import ExactTable, table
from rubiks_gym.puzzles import Hanoi, PermutationPuzzle, Rubik2x2, Rubik3x3, sample_seeds, set_num_threads

LAYERS = {
    "rubik2x2-qtm": [1, 6, 27, 120, 534, 2256, 8969, 33058, 114149, 360508, 930588, 1350852, 782536, 90280, 276],
    "rubik2x2-htm": [1, 9, 54, 321, 1847, 9992, 50136, 227536, 870072, 1887748, 623800, 2644],
    "hanoi-3-3": [1, 2, 2, 4, 2, 4, 4, 8],
    "hanoi-4-3": [1, 2, 2, 4, 2, 4, 4, 8, 2, 4, 4, 8, 4, 8, 8, 16],
    "hanoi-4-4": [1, 3, 6, 12, 30, 30, 66, 72, 30, 6],
}
PUZZLES = [Rubik2x2("qtm"), Rubik2x2("htm"), Hanoi(3, 3), Hanoi(4, 3), Hanoi(4, 4)]


@pytest.mark.parametrize("puzzle", PUZZLES, ids=lambda p: p.name)
def test_layer_counts_are_the_published_ones(puzzle):
    assert np.bincount(table.breadth_first(puzzle)).tolist() == LAYERS[puzzle.name]


def test_layer_counts_of_hanoi_4_4_by_a_plain_search():
    goal = (3, 3, 3, 3)
    distance, frontier = {goal: 0}, [goal]
    while frontier:
        reached = []
        for state in frontier:
            for disk, source in enumerate(state):
                if source in state[:disk]:
                    continue
                for peg in range(4):
                    child = (*state[:disk], peg, *state[disk + 1 :])
                    if peg not in state[:disk] and child not in distance:
                        distance[child] = distance[state] + 1
                        reached.append(child)
        frontier = reached
    assert np.bincount(list(distance.values())).tolist() == LAYERS["hanoi-4-4"]


@pytest.mark.parametrize("disks", [1, 2, 5, 8, 10])
def test_hanoi_from_the_first_peg_takes_two_to_the_disks_minus_one_moves(disks):
    puzzle = Hanoi(disks, 3)
    exact = ExactTable(puzzle)
    assert exact.distance(puzzle.start[None])[0] == 2**disks - 1 == exact.distances.max()
    assert len(exact.solve(puzzle.start[None])[0]) == 2**disks - 1


def test_four_pegs_follow_frame_and_stewart():
    # The known optimal numbers of moves with four pegs.
    for disks, moves in enumerate([1, 3, 5, 9, 13, 17, 25, 33], start=1):
        puzzle = Hanoi(disks, 4)
        assert ExactTable(puzzle).distance(puzzle.start[None])[0] == moves


@pytest.mark.parametrize("metric", ["qtm", "htm"])
def test_distance_of_all_2x2x2_states_is_the_same_under_48_symmetries_and_inversion(metric):
    cube = Rubik2x2(metric)
    distances, left = ExactTable(cube).distances, np.ones(cube.n_states, bool)
    while left.any():
        index = np.flatnonzero(left)[:20_000]
        images = cube.index(cube.symmetries(cube.from_index(index)).reshape(-1, 7))
        assert (distances[images].reshape(-1, 48) == distances[index, None]).all()
        left[images] = False  # each of these has been compared with one that has all of them as images
    everything = np.arange(cube.n_states)
    assert (distances[cube.index(cube.inverse(cube.from_index(everything)))] == distances).all()


@pytest.mark.parametrize("puzzle", PUZZLES, ids=lambda p: p.name)
def test_solver_needs_exactly_the_distance_and_optimal_actions_are_those_that_come_closer(puzzle, rng):
    exact = ExactTable(puzzle)
    states = puzzle.random_states(sample_seeds(rng, 300))
    distance, optimal = exact.distance(states), exact.optimal_actions(states)
    for state, moves, far in zip(states, exact.solve(states), distance, strict=True):
        assert len(moves) == far
        assert (puzzle.after(moves, state) == puzzle.goal).all()
    for action in range(puzzle.n_actions):
        closer = exact.distance(puzzle.apply(states, np.full(300, action))) < distance
        assert (optimal[:, action] == closer).all()
    assert not exact.optimal_actions(puzzle.goal[None]).any()


def test_tables_are_built_in_seconds_and_answer_a_million_states_in_one(rng):
    set_num_threads(1)
    states = Rubik2x2().random_states(sample_seeds(rng, 10**6))
    exact = ExactTable(Rubik2x2())
    start = time.process_time()
    exact.distance(states)
    assert time.process_time() - start < 1
    start = time.process_time()
    for metric in ("qtm", "htm"):
        table.breadth_first(Rubik2x2(metric))
    assert time.process_time() - start < 20
    set_num_threads(2)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("RUBIKS_GYM_CACHE", str(tmp_path / "deep" / "folder"))
    monkeypatch.setattr(table, "_in_process", {})
    return tmp_path / "deep" / "folder"


def forget():
    table._in_process.clear()


def test_second_use_reads_the_file_and_does_not_search(cache, monkeypatch):
    first = ExactTable(Hanoi(5)).distances
    assert [file.name for file in cache.iterdir()] == ["hanoi-5-3.npz"]
    forget()
    monkeypatch.setattr(table, "breadth_first", lambda puzzle: pytest.fail("searched again"))
    assert (ExactTable(Hanoi(5)).distances == first).all()


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: data[:100] + bytes(50) + data[150:],
        lambda data: bytes(b ^ 0xFF for b in data),
        lambda data: data.replace(b"\x03", b"\x04"),
        lambda data: b"PK\x03\x04 this is no table",
    ],
)
def test_damaged_file_is_rebuilt(cache, damage):
    good = ExactTable(Hanoi(5)).distances.copy()
    file = cache / "hanoi-5-3.npz"
    whole = file.read_bytes()
    file.write_bytes(damage(whole))
    forget()
    assert (ExactTable(Hanoi(5)).distances == good).all()
    forget()
    assert (files.load(file)[1]["distances"] == good).all()


def test_file_of_another_version_or_of_other_rules_is_rebuilt(cache, monkeypatch):
    good = ExactTable(Hanoi(4)).distances.copy()
    for change in ({"VERSION": 99}, {"_fingerprint": lambda puzzle: "other rules"}):
        forget()
        with monkeypatch.context() as patch:
            for key, value in change.items():
                patch.setattr(table, key, value)
            assert (ExactTable(Hanoi(4)).distances == good).all()
            assert files.load(cache / "hanoi-4-3.npz")[0]["fingerprint"] == table._fingerprint(Hanoi(4))


def test_file_with_a_pickle_in_it_is_never_run(cache):
    ExactTable(Hanoi(3))

    class Bomb:
        def __reduce__(self):
            return os.mkdir, (str(cache / "exploded"),)

    text = np.frombuffer(json.dumps({"fingerprint": table._fingerprint(Hanoi(3))}).encode(), np.uint8)
    np.savez(cache / "hanoi-3-3.npz", distances=np.array([Bomb()], dtype=object), json=text)
    forget()
    assert ExactTable(Hanoi(3)).distances.max() == 7
    assert not (cache / "exploded").exists()


def test_folder_that_cannot_be_written_costs_only_time(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("RUBIKS_GYM_CACHE", str(tmp_path / "file" / "sub"))
    monkeypatch.setattr(table, "_in_process", {})
    assert ExactTable(Hanoi(3)).distances.max() == 7


def _maximum(disks):
    return int(ExactTable(Hanoi(disks)).distances.max())


def test_many_processes_may_build_the_same_table_at_once(cache):
    with get_context("spawn").Pool(3) as pool:
        assert pool.map(_maximum, [9] * 6) == [511] * 6
    assert [file.name for file in cache.iterdir()] == ["hanoi-9-3.npz"]


def test_what_cannot_be_enumerated_is_refused():
    for puzzle in (Rubik3x3(), Hanoi(20)):
        with pytest.raises(ValueError, match="no exact table"):
            ExactTable(puzzle)


class Colours(PermutationPuzzle):
    """The 2x2x2 with corners that look alike, so that there is no index."""

    def __init__(self):
        cube = Rubik2x2()
        super().__init__("colours", cube.generators, cube.action_names, goal=np.arange(24) // 3 % 2)


def test_a_puzzle_without_an_index_has_its_table_by_hash(cache, rng):
    puzzle = Colours()
    exact = ExactTable(puzzle)
    assert exact.distances[0] == 0 and len(exact.distances) == puzzle.n_states
    every = exact.from_index(np.arange(len(exact.distances)))
    assert len(np.unique(every, axis=0)) == len(every)
    # The definition of a distance: the goal has 0, every other state a child that is one move closer and none closer.
    closest = exact.distance(puzzle.expand(every).reshape(-1, 24)).reshape(len(every), -1).min(axis=1)
    assert (closest[1:].astype(int) == exact.distances[1:].astype(int) - 1).all()
    states = puzzle.random_states(sample_seeds(rng, 50))
    for state, moves, far in zip(states, exact.solve(states), exact.distance(states), strict=True):
        assert len(moves) == far and (puzzle.after(moves, state) == puzzle.goal).all()
    with pytest.raises(ValueError, match="impossible state of colours"):
        exact.distance(np.zeros((1, 24), np.uint8))


def test_a_table_by_hash_is_read_from_its_file(cache, monkeypatch, rng):
    states = Colours().random_states(sample_seeds(rng, 100))
    first = ExactTable(Colours()).distance(states)
    forget()
    monkeypatch.setattr(table, "breadth_first_by_hash", lambda puzzle: pytest.fail("searched again"))
    assert (ExactTable(Colours()).distance(states) == first).all()


def test_both_ways_of_building_a_table_agree():
    puzzle = Hanoi(5, 4)
    distances, found = table.breadth_first_by_hash(puzzle)
    assert (distances == table.breadth_first(puzzle)[puzzle.index(found.states[: len(found)])]).all()


def test_a_puzzle_of_unknown_size_is_searched_until_it_is_too_large(cache, monkeypatch):
    monkeypatch.setattr(table, "MOST_STATES", 1000)
    cube = Rubik2x2()
    unknown = PermutationPuzzle("unknown", cube.generators, cube.action_names, goal=np.arange(24))
    assert unknown.n_states == 0 and not table.has_table(unknown)
    with pytest.raises(ValueError, match="more than 1,000 states"):
        ExactTable(unknown)


def test_the_fingerprint_depends_on_every_generator_and_on_the_goal():
    cube = Rubik2x2()
    prints = {table._fingerprint(Colours())}
    for goal in (np.arange(24) // 3 % 2, np.arange(24) // 3 % 3):
        for last in (cube.generators[4], cube.generators[4][cube.generators[4]]):
            generators = [cube.generators[0], cube.generators[2], last]
            prints.add(table._fingerprint(PermutationPuzzle("colours", generators, ["U", "R", "F"], goal=goal)))
    assert len(prints) == 4


def test_impossible_states_are_refused_not_looked_up():
    with pytest.raises(ValueError, match="twisted corner"):
        ExactTable(Rubik2x2()).distance(np.array([[1, 3, 6, 9, 12, 15, 18]], np.uint8))
    with pytest.raises(ValueError, match="values below 3"):
        ExactTable(Hanoi(3)).distance(np.array([[0, 3, 0]], np.uint8))
