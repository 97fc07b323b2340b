"""Sets of states to solve, the same every time. A question gives one as `partial(uniform, n=500)`."""

from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np

from rubiks_gym.exact import ExactTable, OptimalSolver, SlidingSolver, pancake_distances
from rubiks_gym.exact.bench import FARTHEST
from rubiks_gym.puzzles import LightsOut, Pancake, Puzzle
from rubiks_gym.scrambles import DeepCube
from train.evaluation import bench_cubes, read_cubes, start_states, true_distances
from train.probe import Probe

Asked = tuple[np.ndarray, np.ndarray | None, np.ndarray]  # states [B, S], true distances [B] if known, group of each [B]


def describe(states: "partial[Asked]") -> dict[str, Any]:
    """What a record says of them: the kind and every setting, those not given too."""
    kind, (_, *settings) = states.func.__name__.title().replace("_", ""), signature(states.func).parameters.values()
    return {"kind": kind, **{setting.name: states.keywords.get(setting.name, setting.default) for setting in settings}}


def uniform(puzzle: Puzzle, n: int, seed: int = 0) -> Asked:
    """n states, each of the puzzle's as likely as another."""
    return _one_group(puzzle, start_states(puzzle, 0, n, seed))


def pressed(puzzle: Puzzle, n: int, seed: int = 0) -> Asked:
    """n uniform states of Lights Out where no presses undo others: so the lamps pressed are the distance."""
    assert isinstance(puzzle, LightsOut) and puzzle.n_states == 2**puzzle.n_actions
    presses = np.random.default_rng(seed).integers(2, size=(n, puzzle.n_actions))
    states = (presses @ puzzle.moves.astype(np.int64) % 2).astype(np.uint8)
    return states, presses.sum(axis=1), np.zeros(n, int)


def part(puzzle: Puzzle, first: int, n: int, depth: int = 0, seed: int = 0) -> Asked:
    """n states from number `first` on of those after so many random moves, or, for depth 0, of the states of `uniform`."""
    return _one_group(puzzle, start_states(puzzle, depth, n, seed, first=first))


def bench_part(puzzle: Puzzle, first: int, n: int) -> Asked:
    """n cubes from number `first` on of those of `proven`."""
    states, truth = bench_cubes(puzzle, first + n)
    return states[first:], truth[first:], np.zeros(n, int)


def each_alone(puzzle: Puzzle, n: int, seed: int = 0) -> Asked:
    """The states of `uniform`, each a group of its own: they are searched one by one, and the time of each is recorded."""
    states, truth, _ = uniform(puzzle, n, seed)
    return states, truth, np.arange(n)


def some_alone(puzzle: Puzzle, rows: tuple[int, ...], seed: int = 0) -> Asked:
    """The states of `uniform` with these numbers, each a group of its own as with `each_alone`."""
    states, truth, _ = uniform(puzzle, max(rows) + 1, seed)
    chosen = np.array(rows)
    return states[chosen], None if truth is None else truth[chosen], chosen


def turned(puzzle: Puzzle, most: int, n: int, allow_undo: bool = False, every: int = 1, first: int = 1, seed: int = 0) -> Asked:
    """n states after each number of random moves up to `most`; with `allow_undo` a move may take back the one before."""
    depths = range(first, most + 1, every)
    states = np.concatenate([start_states(puzzle, depth, n, seed, allow_undo) for depth in depths])
    return states, true_distances(puzzle, states), np.repeat(depths, n)


def faces_turned(puzzle: Puzzle, most: int, n: int, seed: int = 0) -> Asked:
    """n states of a cube after each number of random moves up to `most`, each of another face than the one before."""
    states = [start_states(puzzle, depth, n, seed, allow_same_face=False) for depth in range(1, most + 1)]
    joined = np.concatenate(states)
    return joined, true_distances(puzzle, joined), np.repeat(np.arange(1, most + 1), n)


def turned_proven(puzzle: Puzzle, turns: int, n: int, allow_undo: bool = False, seed: int = 0) -> Asked:
    """n states of the 3x3x3 after so many random moves, with proven distances; with `allow_undo` one may take back another."""
    states = start_states(puzzle, turns, n, seed, allow_undo)
    proof = OptimalSolver(puzzle).solve(states)
    assert proof.proven.all()
    return states, proof.upper, np.zeros(n, int)


def walks(puzzle: Puzzle, n: int, k: int = 20, allow_undo: bool = False, seed: int = 0) -> Asked:
    """n states of whole walks of k moves from the goal, every state on the way."""
    return _one_group(puzzle, DeepCube(k, allow_undo).sample(puzzle, n, np.random.default_rng(seed))[0])


def walks_and_far(puzzle: Puzzle, n: int, seed: int = 0) -> Asked:
    """n states of walks of 20 moves that may undo one another, and one state of each distance from 9 to 14."""
    rng, distances = np.random.default_rng(seed), ExactTable(puzzle).distances
    near, _ = DeepCube(20, allow_undo=True).sample(puzzle, n, rng)
    far = [rng.choice(np.flatnonzero(distances == d)) for d in range(9, 15)]
    return _one_group(puzzle, np.concatenate([near, puzzle.from_index(np.array(far, np.int64))]))


def each_distance(puzzle: Puzzle, n: int) -> Asked:
    """n states of every distance from the goal, or all there are."""
    probe = Probe(puzzle, n)
    return probe.states, probe.distances, probe.distances.astype(int)


def start(puzzle: Puzzle) -> Asked:
    """The opening position of the towers of Hanoi."""
    if puzzle.start is None:
        raise ValueError(f"{puzzle.name} has no opening position")
    return _one_group(puzzle, puzzle.start[None])


def prefixes(puzzle: Puzzle, most: int = 26) -> Asked:
    """The first 1, 2, ... moves of the way to a position 26 quarter turns from the goal: as many turns from it themselves."""
    moves, distances = puzzle.parse(FARTHEST), np.arange(1, most + 1)
    return np.stack([puzzle.after(moves[:q]) for q in distances]), distances, distances


def test_set(puzzle: Puzzle, n: int, file: str = "testset.json") -> Asked:  # noqa: PT028 (it is no test)
    """The first n cubes of DeepCubeA's test set, from a file that `python -m results.deepcubea` makes."""
    if not Path(file).exists():
        raise ValueError(f"there is no {file} here: python -m results.deepcubea data_0.pkl --output {file} makes it")
    states, truth = read_cubes(puzzle, Path(file))
    return states[:n], None if truth is None else truth[:n], np.zeros(min(n, len(states)), int)


def proven(puzzle: Puzzle, n: int) -> Asked:
    """The first n cubes of the bench, uniformly random ones whose lengths are proven, as far as they are."""
    states, truth = bench_cubes(puzzle, n)
    return states, truth, np.zeros(n, int)


def slid(puzzle: Puzzle, n: int, seed: int = 0) -> Asked:
    """n uniformly random states of sliding tiles, with proven distances."""
    states = start_states(puzzle, 0, n, seed)
    proof = SlidingSolver(puzzle).solve(states)
    assert proof.proven.all()
    return states, proof.upper, np.zeros(n, int)


def stacked(puzzle: Puzzle, n: int, seed: int = 0) -> Asked:
    """n uniformly random stacks of pancakes, with proven distances."""
    assert isinstance(puzzle, Pancake)
    states = start_states(puzzle, 0, n, seed)
    return states, pancake_distances(puzzle, states), np.zeros(n, int)


def korf(puzzle: Puzzle, n: int = 50) -> Asked:
    """The first n of Korf's random 15-puzzles (1985, a hundred) or 24-puzzles (with Taylor 1996, fifty), with proven lengths.

    Their goal has the blank first: turned by half, the board has it last, and tile t of S places becomes tile S - t.
    """
    s = puzzle.state_size
    rows = np.loadtxt(Path(__file__).parent / f"korf_{s - 1}_puzzle.txt", np.int64)[:n]
    return puzzle.check((s - rows[:, :0:-1]) % s), rows[:, 0], np.zeros(len(rows), int)


def _one_group(puzzle: Puzzle, states: np.ndarray) -> Asked:
    return states, true_distances(puzzle, states), np.zeros(len(states), int)
