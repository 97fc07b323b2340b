"""Shortest solutions of the 3x3x3, proven: iterative deepening with the lower bound of `cosets` (Korf 1985, Reid 1997).

A depth-first search for solutions of at most `limit` moves leaves out every state whose bound says that the moves left are too
few. If it finds nothing, there is no such solution. Quarter turns change the parity of the cube, so a solution of L quarter
turns is optimal as soon as L - 2 is refuted; in half turns it takes L - 1. Whoever brings a good solution along, by a beam
search say, leaves only refutations to do. Each costs about nine times (half turns: thirteen times) as much as one move less.

The search itself is in `depth_first`. An iteration begins with the states four moves from the start, which threads share.
"""

import time
from collections.abc import Callable, Sequence
from itertools import count
from threading import Timer
from typing import NamedTuple

import numpy as np

from rubiks_gym.exact.cosets import load_table, odd_corners
from rubiks_gym.exact.depth_first import NONE, STOPPED, locate, search
from rubiks_gym.exact.table import cache_folder
from rubiks_gym.puzzles import Puzzle, Rubik3x3, are_solutions
from rubiks_gym.puzzles.threads import get_num_threads, over_rows, side_by_side

_SPLIT = 4  # moves after which an iteration is shared out: about ten thousand states
_PIECES = 256  # pieces of work that threads share


class Proof(NamedTuple):
    """What is known of B states: the true distance is between lower and upper."""

    moves: list[list[int] | None]  # the shortest solution known, None if none is
    proven: np.ndarray  # [B] bool, whether it is optimal
    lower: np.ndarray  # [B] int64, no solution is shorter
    upper: np.ndarray  # [B] int64, the length of the solution, -1 if none is known
    nodes: np.ndarray  # [B] int64, states looked at
    seconds: np.ndarray  # [B] float64


class OptimalSolver:
    """Shortest solutions of a 3x3x3, with proof.

    The table of lower bounds is built on first use, in a minute or two on two cores, kept in the user's cache, and checked when
    it is read.

    Args:
        cube: Rubik3x3("qtm") or Rubik3x3("htm").
        memory: bytes for the table; with less than 1 GB one of 70 MB is used, and proofs take much longer.
        show: is told the share of the table that is built, 0 to 1.
    """

    def __init__(self, cube: Puzzle, memory: int = 3 << 30, show: Callable[[float], None] = lambda share: None) -> None:
        if not isinstance(cube, Rubik3x3):
            raise ValueError(f"the optimal solver is for the 3x3x3, not for {cube.name}; ExactTable is for small puzzles")
        self.cube, self.table = cube, load_table(cube, memory, show)
        walks = cube.walks(np.arange(50, dtype=np.uint64), 20)
        if (self.bounds(walks.reshape(-1, cube.state_size)).reshape(50, 20) > np.arange(1, 21)).any():
            raise ValueError(f"a stored table of lower bounds is wrong: remove the files bounds-* in {cache_folder()}")
        self.step = 2 if cube.metric == "qtm" else 1  # a quarter turn changes the parity of the cube

    def solve(
        self,
        states: np.ndarray,
        upper: Sequence[Sequence[int] | None] | None = None,
        seconds: float | np.ndarray = float("inf"),
        nodes: float | np.ndarray = float("inf"),
        deepest: float = float("inf"),
        show: Callable[[int], None] = lambda done: None,
    ) -> Proof:
        """A shortest solution of each of states [B, 20], or, where seconds or nodes (for each) run out, bounds.

        Args:
            states: real cubes.
            upper: a solution of each that need not be optimal, or None: only what is shorter has to be ruled out then.
            seconds: time for each state, one number or [B].
            nodes: states looked at for each state, likewise; checked between pieces of work, so one more may be done.
            deepest: the largest number of moves that is tried.
            show: is told how many states are done.
        """
        states = self.cube.check(self.cube.as_states(states))
        known = [None if moves is None else [int(a) for a in moves] for moves in upper or [None] * len(states)]
        given = [i for i, moves in enumerate(known) if moves is not None]
        for i in given:
            if not are_solutions(self.cube, states[i][None], [known[i] or []])[0]:
                raise ValueError(f"this is no solution of state {i}: {self.cube.format(known[i] or [])}")
        budgets = np.broadcast_to(seconds, len(states)), np.broadcast_to(nodes, len(states))
        rows = []
        for i, row in enumerate(zip(states, known, *budgets, strict=True)):
            rows.append(self._solve(*row, deepest))
            show(i + 1)
        moves, proven, lower, looked_at, times = zip(*rows, strict=True) if rows else ((),) * 5
        lengths = [-1 if solution is None else len(solution) for solution in moves]
        return Proof(
            list(moves), np.array(proven, bool), np.array(lower, np.int64), np.array(lengths, np.int64),
            np.array(looked_at, np.int64), np.array(times, np.float64),
        )  # fmt: skip

    def distance(self, states: np.ndarray) -> np.ndarray:
        """True distances [B] int64 of states [B, 20], however long it takes."""
        return self.solve(states).lower

    def _solve(
        self, state: np.ndarray, best: list[int] | None, seconds: float, most: float, deepest: float
    ) -> tuple[list[int] | None, bool, int, int, float]:
        began, looked_at, lower = time.perf_counter(), 0, self.least(state)
        while best is None or lower < len(best):
            left = seconds - (time.perf_counter() - began)
            if lower > deepest or looked_at >= most or left <= 0:
                return best, False, lower, looked_at, time.perf_counter() - began
            found, n = self.refute(state, lower, left, most - looked_at)
            looked_at += n
            if found is None:
                return best, False, lower, looked_at, time.perf_counter() - began
            if found:
                best = found[0]
                break
            lower += self.step
        return best, True, lower, looked_at, time.perf_counter() - began

    def bounds(self, states: np.ndarray) -> np.ndarray:
        """Lower bounds [B] of the distances of states [B, 20]."""
        return np.maximum(_bound(self.locate(states)[1]), _bound(self.locate(self.cube.inverse(states))[1]))

    def locate(self, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates of states [B, 20] on each axis [B, 3, 3], and the distances there [B, 3]."""
        coordinates, distances = np.empty((len(states), 3, 3), np.uint16), np.empty((len(states), 3), np.int64)
        over_rows(locate, self.table, (self.cube.inverse(states), coordinates, distances))
        return coordinates, distances

    def least(self, state: np.ndarray) -> int:
        """The lower bound of a state [20]; in quarter turns the next number of the state's parity."""
        bound = int(self.bounds(state[None])[0])
        return bound + (self.step == 2 and bound % 2 != int(odd_corners(state[None])[0]))

    def refute(self, state: np.ndarray, limit: int, seconds: float, most: float) -> tuple[list[list[int]] | None, int]:
        """Look for a solution of at most `limit` moves on all threads: [it], [] if there is none, None if the budget ran out.

        Also returns the number of states looked at.
        """
        states, node, begun = state[None], np.zeros(1, np.int64), np.empty((1, 0), np.int64)
        for _ in range(min(_SPLIT, limit)):
            rows, actions = np.nonzero(self.cube.canonical_form[node] >= 0)
            states = self.cube.apply(states[rows], actions)
            node = self.cube.canonical_form[node[rows], actions].astype(np.int64)
            begun = np.concatenate([begun[rows], actions[:, None]], axis=1)
        nodes = len(node)
        if len(np.unique(self.cube.symmetries(state[None])[0], axis=0)) < 48:  # then many of these are images of one another
            _, first, count_of = np.unique(self.cube.representatives(states), axis=0, return_index=True, return_counts=True)
            node[first[count_of > 1]] = 0  # an image may go on with what its own moves would not allow
            kept = np.sort(first)
            states, node, begun = states[kept], node[kept], begun[kept]
        row, moves, looked_at = self.first(states, node, limit - begun.shape[1], seconds, most)
        nodes += looked_at
        if row == STOPPED:
            return None, nodes
        return ([] if row == NONE else [begun[row].tolist() + moves]), nodes

    def first(
        self, states: np.ndarray, node: np.ndarray, limit: int, seconds: float, most: float
    ) -> tuple[int, list[int], int]:
        """One of states [n, 20] that has a solution of at most `limit` moves: its row, the moves, and the nodes it took.

        Which moves may follow depends on their nodes [n] of the machine of canonical sequences. The row is -1 if there is no
        solution, -2 if seconds or nodes ran out. All threads work; which row, moves and nodes come out does not depend on
        their number.
        """
        coordinates, distances = self.locate(states)
        worth = np.flatnonzero(_bound(distances) <= limit)
        pieces = [piece for piece in np.array_split(worth, _PIECES) if len(piece)]
        stops, nodes = np.zeros((len(pieces), 1), np.uint8), np.zeros((len(pieces), 1), np.int64)
        moves, outcomes = np.zeros((len(pieces), limit), np.int64), np.full((len(pieces), 2), STOPPED)
        found, numbers = [len(pieces)], count()  # the first piece of work with a solution so far; whose turn it is

        def work() -> None:
            while (i := next(numbers)) < found[0] and nodes[:i].sum() < most:
                room = (limit, stops[i], moves[i], nodes[i])
                outcomes[i] = search(*self.table, states, coordinates, distances, node, pieces[i], *room)
                if outcomes[i, 0] >= 0:
                    found[0] = min(found[0], i)
                    stops[i + 1 :] = 1

        timer = Timer(min(max(seconds, 0.0), 1e8), lambda: stops.fill(1))
        timer.daemon = True
        timer.start()
        try:
            side_by_side([work] * get_num_threads())
        finally:  # on Ctrl-C the other threads end too
            timer.cancel()
            stops[:] = 1
        # One thread would have ended at the piece before which the nodes ran out; several may have gone further.
        spent = np.concatenate([[0], nodes[:, 0].cumsum()])
        end = min(int((spent < most).sum()), len(pieces))
        at = found[0]
        if at >= end < len(pieces) or (outcomes[:at, 0] == STOPPED).any():
            return STOPPED, [], int(spent[min(at, end)])
        if at == len(pieces):
            return NONE, [], int(spent[-1])
        row, length = outcomes[at].tolist()
        return row, moves[at, :length].tolist(), int(spent[at + 1])


def certify(
    solver: OptimalSolver,
    states: np.ndarray,
    solutions: Sequence[Sequence[int]],
    seconds: float = 600.0,
    nodes: float = float("inf"),
) -> tuple[list[str], Proof]:
    """What anybody's solutions of states [B, 20] are, with the proofs, which may take so many seconds and nodes each.

    "optimal"; "improvable", if the proof has a shorter one; "unknown", if the budget ran out; "wrong", if it does not solve its
    state, for which there is then no proof but the first lower bound.
    """
    right = are_solutions(solver.cube, states, solutions)
    checked = [list(solution) if good else None for solution, good in zip(solutions, right, strict=True)]
    proof = solver.solve(states, checked, np.where(right, seconds, 0), nodes)
    verdicts = []
    for good, length, proven, upper in zip(right, map(len, solutions), proof.proven, proof.upper, strict=True):
        verdicts.append("wrong" if not good else "improvable" if upper < length else "optimal" if proven else "unknown")
    return verdicts, proof


def _bound(distances: np.ndarray) -> np.ndarray:
    """Lower bounds [B] from distances [B, 3] to the subgroups of the axes."""
    nearest, farthest = distances.min(axis=1), distances.max(axis=1)
    return farthest + ((nearest == farthest) & (farthest > 0))
