"""Shortest solutions of the 3x3x3, proven: iterative deepening with the lower bound of `cosets` (Korf 1985, Reid 1997).

A depth-first search for solutions of at most `limit` moves leaves out every state whose bound says that the moves left are too
few. If it finds nothing, there is no such solution. Quarter turns change the parity of the cube, so a solution of L quarter
turns is optimal as soon as L - 2 is refuted; in half turns it takes L - 1. Whoever brings a good solution along, by a beam
search say, leaves only refutations to do. Each costs about nine times (half turns: thirteen times) as much as one move less.

The bound of a state is the largest of three: the distance to the subgroup of each axis. If all three are d > 0, it is d + 1:
the last move of a solution turns a face of some axis, and such moves belong to that axis's subgroup, so before it the cube
would have been in there already, d - 1 moves after the start.

Children are looked at axis by axis: the entries of all of a state's children are asked for before the first is read, and those
that the first axis rules out are not looked at again.
"""

import time
from collections.abc import Callable, Sequence
from itertools import count
from threading import Timer
from typing import NamedTuple

import numpy as np
from numba import njit

from rubiks_gym.exact.cosets import Table, corners_of, flip_of, odd_corners, slice_of, twist_of
from rubiks_gym.puzzles import Cube, Rubik3x3
from rubiks_gym.puzzles.prefetch import prefetch
from rubiks_gym.puzzles.threads import get_num_threads, side_by_side

_jit = njit(cache=True, nogil=True)
_SPLIT = 3  # moves after which the search is shared out: about a thousand pieces of work


class Proof(NamedTuple):
    """What is known of B states: the true distance is between lower and upper."""

    moves: list[list[int] | None]  # the shortest solution known, None if none is
    proven: np.ndarray  # [B] bool, whether it is optimal
    lower: np.ndarray  # [B] int64, no solution is shorter
    upper: np.ndarray  # [B] int64, the length of the solution, -1 if none is known
    nodes: np.ndarray  # [B] int64, states looked at
    seconds: np.ndarray  # [B] float64


class Branch(NamedTuple):
    """States from which a depth-first search begins, n of them, in the order of their moves."""

    moves: np.ndarray  # [n, k] int64, the moves that led to each
    coordinates: np.ndarray  # [n, 3, 3] uint16, twist, flip and slice on each axis
    away: np.ndarray  # [n, 3] int64, distances to the axes' subgroups
    corners: np.ndarray  # [n] int64
    node: np.ndarray  # [n] int64, state of the automaton of canonical sequences

    @property
    def bound(self) -> np.ndarray:
        """Lower bounds of their distances [n]."""
        nearest, farthest = self.away.min(axis=1), self.away.max(axis=1)
        return np.where((nearest == farthest) & (farthest > 0), farthest + 1, farthest)


class OptimalSolver:
    """Shortest solutions of a 3x3x3, with proof.

    The table of lower bounds is built on first use, in a minute or two on two cores, kept in the user's cache, and checked when
    it is read.

    Args:
        cube: Rubik3x3("qtm") or Rubik3x3("htm").
        memory: bytes for the table; with less than 1 GB a table of 35 MB is used, and proofs take much longer.
        show: is told the share of the table that is done, 0 to 1.
    """

    def __init__(self, cube: Cube, memory: int = 3 << 30, show: Callable[[float], None] = lambda share: None) -> None:
        if not isinstance(cube, Rubik3x3):
            raise ValueError(f"the optimal solver is for the 3x3x3, not for {cube.name}; ExactTable is for small puzzles")
        self.cube, self.table = cube, Table(cube, memory, show)
        self.step = 2 if cube.metric == "qtm" else 1  # a quarter turn changes the parity of the cube

    def solve(
        self,
        states: np.ndarray,
        known: Sequence[Sequence[int] | None] | None = None,
        seconds: float = float("inf"),
        nodes: float = float("inf"),
        show: Callable[[int], None] = lambda done: None,
    ) -> Proof:
        """A shortest solution of each of states [B, 20], or, where seconds or nodes (for each) run out, bounds.

        Args:
            states: real cubes.
            known: a solution of each that need not be optimal, or None: only what is shorter has to be ruled out then.
            seconds: time for each state.
            nodes: states looked at for each state; seen to between pieces of work, so that it may be exceeded by one of them.
            show: is told how many states are done.
        """
        states = self.cube.check(self.cube.as_states(states))
        known = [None] * len(states) if known is None else known
        rows = []
        for i, (state, solution) in enumerate(zip(states, known, strict=True)):
            rows.append(self._solve(state, None if solution is None else list(solution), seconds, nodes))
            show(i + 1)
        moves, proven, lower, nodes_, times = zip(*rows, strict=True) if rows else ((),) * 5
        upper = [-1 if solution is None else len(solution) for solution in moves]
        return Proof(
            list(moves), np.array(proven, bool), np.array(lower, np.int64), np.array(upper, np.int64),
            np.array(nodes_, np.int64), np.array(times, np.float64),
        )  # fmt: skip

    def distance(self, states: np.ndarray) -> np.ndarray:
        """True distances [B] int64 of states [B, 20], however long it takes."""
        return self.solve(states).lower

    def _solve(
        self, state: np.ndarray, best: list[int] | None, seconds: float, most: float
    ) -> tuple[list[int] | None, bool, int, int, float]:
        began = time.perf_counter()
        if best is not None and not self.cube.is_solved(self.cube.after(best, state)[None])[0]:
            raise ValueError(f"this is no solution of the state: {self.cube.format(best)}")
        root = self.root(state)
        lower, looked_at = int(root.bound[0]), 0
        if self.step == 2:
            lower += lower % 2 != int(odd_corners(state[None])[0])
        while best is None or lower < len(best):
            found, n = self.refute(root, lower, seconds - (time.perf_counter() - began), most - looked_at)
            looked_at += n
            if found is None:
                return best, False, lower, looked_at, time.perf_counter() - began
            if len(found):
                best = found[0]
                break
            lower += self.step
        return best, True, lower, looked_at, time.perf_counter() - began

    def root(self, state: np.ndarray) -> Branch:
        """The search's beginning at a state [20]."""
        upright = self.cube.symmetries(state[None])[0][self.table.coordinates.rotations]
        coordinates = np.stack([twist_of(upright), flip_of(upright), slice_of(upright)], axis=1)
        away = [descend(*self.table.tables, self.table.goal, axis) for axis in coordinates]
        none, start = np.empty((1, 0), np.int64), np.zeros(1, np.int64)
        return Branch(none, coordinates[None].astype(np.uint16), np.array([away]), corners_of(state[None]), start)

    def refute(self, root: Branch, limit: int, seconds: float, most: float) -> tuple[list[list[int]] | None, int]:
        """Look for a solution of at most `limit` moves on all threads: [it], [] if there is none, None if the budget ran out.

        Which one is found does not depend on the number of threads: that of the first piece of work that has one.
        """
        branch = root
        for _ in range(min(_SPLIT, limit)):
            branch = unfold(self.cube, self.table, branch)
        split = branch.moves.shape[1]
        worth = np.flatnonzero(branch.bound <= limit - split)
        stops, nodes = np.zeros((len(worth), 1), np.uint8), np.zeros((len(worth), 1), np.int64)
        moves, lengths = np.zeros((len(worth), limit), np.int64), np.full(len(worth), _STOPPED)
        first, numbers = [len(worth)], count()  # the first piece of work with a solution so far; whose turn it is

        def work() -> None:
            while (i := next(numbers)) < first[0] and nodes.sum() < most:
                start = (field[worth[i]] for field in branch[1:])
                room = (limit - split, stops[i], moves[i, split:], nodes[i])
                lengths[i] = search(*self.table.tables, self.cube.canonical_form, *start, *room)
                if lengths[i] >= 0:
                    first[0] = min(first[0], i)
                    stops[i + 1 :] = 1

        timer = Timer(min(max(seconds, 0.0), 1e8), lambda: stops.fill(1))
        timer.daemon = True
        timer.start()
        try:
            side_by_side([work] * get_num_threads())
        finally:  # on Ctrl-C the other threads end too
            timer.cancel()
            stops[:] = 1
        at = first[0]
        looked_at = len(branch.node) + int(nodes[: at + 1].sum())
        if (lengths[:at] == _STOPPED).any():
            return None, looked_at
        if at == len(worth):
            return [], looked_at
        moves[at, :split] = branch.moves[worth[at]]
        return [moves[at, : split + lengths[at]].tolist()], looked_at


def certify(
    solver: OptimalSolver, states: np.ndarray, solutions: Sequence[Sequence[int]], seconds: float = float("inf")
) -> tuple[list[str], Proof]:
    """What anybody's solutions of states [B, 20] are, with the proof, which may take so many seconds for each.

    "optimal"; "improvable", if the proof has a shorter one; "unknown", if time ran out; "wrong", if it does not solve its
    state.
    """
    moves = [list(map(int, solution)) for solution in solutions]
    right = [
        bool(solver.cube.is_solved(solver.cube.after(each, state)[None])[0]) for state, each in zip(states, moves, strict=True)
    ]
    proof = solver.solve(states, [each if good else None for each, good in zip(moves, right, strict=True)], seconds)
    verdicts = []
    for i, good in enumerate(right):
        shorter = 0 <= proof.upper[i] < len(moves[i])
        verdicts.append("wrong" if not good else "improvable" if shorter else "optimal" if proof.proven[i] else "unknown")
    return verdicts, proof


def unfold(cube: Cube, table: Table, branch: Branch) -> Branch:
    """All that canonical sequences of one move more lead to."""
    c = table.coordinates
    rows, actions = np.nonzero(cube.canonical_form[branch.node] >= 0)
    before, by = branch.coordinates[rows], c.axes[:, actions].T  # [n, 3, 3], [n, 3]
    moved = [moves[before[:, :, k], by] for k, moves in enumerate((c.twist_moves, c.flip_moves, c.slice_moves))]
    coordinates = np.stack(moved, axis=2)
    entries = np.empty((len(rows), 3), np.int64)
    read_all(*table.tables, coordinates, entries)
    parents = branch.away[rows]
    return Branch(
        np.concatenate([branch.moves[rows], actions[:, None]], axis=1),
        coordinates,
        np.where(entries == 3, table.exact + 1, parents + (entries - parents + 31) % 3 - 1),
        c.corner_moves[branch.corners[rows], actions].astype(np.int64),
        cube.canonical_form[branch.node[rows], actions].astype(np.int64),
    )


# Compiled -------------------------------------------------------------------------------------------------------------------

_STOPPED, _NONE = -2, -1
_U4, _U15 = np.uint32(4), np.uint32(15)


@_jit
def entry_of(c, orders, twist, flip, slices):
    """Where the table [entries] has the entry of three coordinates of an upright axis, as a number."""
    code = c.class_of[np.uint32(flip) * np.uint32(495) + np.uint32(slices) // np.uint32(24)]
    symmetry = code & _U15
    at = np.uint64(c.twist_images[twist, symmetry])
    if orders == 1:
        return np.uint64(code >> _U4) * np.uint64(2188) + at
    return np.uint64(code >> _U4) * np.uint64(24 * 2187) + np.uint64(c.order_images[slices, symmetry]) * np.uint64(2187) + at


@_jit
def read(table, at):
    """Entry number `at` of a table of two bits each."""
    return np.int64(table[at >> np.uint64(2)] >> ((at & np.uint64(3)) << np.uint64(1)) & np.uint8(3))


@_jit
def read_all(c, table, orders, exact, coordinates, out):
    """The entries out [n, 3] of coordinates [n, 3, 3]."""
    for i in range(coordinates.shape[0]):
        for axis in range(3):
            twist, flip, slices = coordinates[i, axis, 0], coordinates[i, axis, 1], coordinates[i, axis, 2]
            out[i, axis] = read(table, entry_of(c, orders, twist, flip, slices))


@_jit
def search(c, table, orders, exact, canonical, start, distances, corners, node, limit, stop, moves, nodes):
    """Depth-first search from one state for a solution of at most `limit` moves, written into moves [limit].

    start [3, 3] are twist, flip and slice on each axis, distances [3] those of the axes, node the state of the automaton of
    canonical sequences. Ends when stop [1] is set. Returns the length found, -1 for none, -2 if stopped; counts nodes [1].
    """
    A = canonical.shape[1]
    # The stack: at every depth up to A children, of which alive[:count] are gone down to in turn.
    twists, flips, slices = (
        np.empty((limit + 1, 3, A), np.uint16), np.empty((limit + 1, 3, A), np.uint16), np.empty((limit + 1, 3, A), np.uint16)
    )  # fmt: skip
    away = np.empty((limit + 1, 3, A), np.int64)
    corner, state = np.empty((limit + 1, A), np.int64), np.empty((limit + 1, A), np.int64)
    alive, count = np.empty((limit + 1, A), np.int64), np.zeros(limit + 1, np.int64)
    entries = np.empty(A, np.uint64)
    for axis in range(3):
        twists[0, axis, 0], flips[0, axis, 0], slices[0, axis, 0] = start[axis, 0], start[axis, 1], start[axis, 2]
        away[0, axis, 0] = distances[axis]
    corner[0, 0], state[0, 0], alive[0, 0], count[0] = corners, node, 0, 1
    depth = 0
    while depth >= 0:
        if count[depth] == 0:
            depth -= 1
            continue
        if stop[0]:
            return _STOPPED
        count[depth] -= 1
        here = alive[depth, count[depth]]
        if depth > 0:
            moves[depth - 1] = here  # children are numbered by their actions
        # In the subgroups of all axes, corners at home, and the middle edges of every axis in order: solved.
        inside = away[depth, 0, here] == 0 and away[depth, 1, here] == 0 and away[depth, 2, here] == 0
        ordered = slices[depth, 0, here] == c.home and slices[depth, 1, here] == c.home and slices[depth, 2, here] == c.home
        if inside and ordered and corner[depth, here] == 0:
            return depth
        left = limit - depth - 1  # moves left after the next
        if left < 0:
            continue
        at, below, n = state[depth, here], depth + 1, 0
        for a in range(A):
            if canonical[at, a] >= 0:
                alive[below, n] = a
                n += 1
        nodes[0] += n
        for axis in range(3):
            twist, flip, middle = twists[depth, axis, here], flips[depth, axis, here], slices[depth, axis, here]
            for i in range(n):
                a = alive[below, i]
                by = c.axes[axis, a]
                t, f, s = c.twist_moves[twist, by], c.flip_moves[flip, by], c.slice_moves[middle, by]
                twists[below, axis, a], flips[below, axis, a], slices[below, axis, a] = t, f, s
                entries[i] = entry_of(c, orders, t, f, s)
                prefetch(table, entries[i] >> np.uint64(2))
            parent, kept = away[depth, axis, here], 0
            for i in range(n):
                entry = read(table, entries[i])
                # A move changes a distance by one at most: that of parent - 1, parent, parent + 1 with this remainder.
                distance = exact + 1 if entry == 3 else parent + (entry - parent + 31) % 3 - 1
                if distance <= left:
                    a = alive[below, i]
                    away[below, axis, a] = distance
                    alive[below, kept] = a
                    kept += 1
            n = kept
        kept = 0
        for i in range(n):
            a = alive[below, i]
            d = away[below, 0, a]
            if d == left and d > 0 and d == away[below, 1, a] and d == away[below, 2, a]:
                continue
            corner[below, a] = c.corner_moves[corner[depth, here], a]
            state[below, a] = canonical[at, a]
            alive[below, kept] = a
            kept += 1
        count[below] = kept
        depth = below
    return _NONE


@_jit
def descend(c, table, orders, exact, goal, start):
    """The distance to the subgroup of one upright axis from its coordinates [3], by going there; exact + 1 if it is further."""
    twist, flip, slices = start[0], start[1], start[2]
    entry = read(table, entry_of(c, orders, twist, flip, slices))
    if entry == 3:
        return exact + 1
    distance, among = 0, 1 if orders > 1 else 24
    while twist != goal[0] or flip != goal[1] or slices // among != goal[2] // among:
        for a in range(c.twist_moves.shape[1]):
            t, f, s = np.int64(c.twist_moves[twist, a]), np.int64(c.flip_moves[flip, a]), np.int64(c.slice_moves[slices, a])
            nearer = read(table, entry_of(c, orders, t, f, s))
            if nearer == (entry + 2) % 3:
                twist, flip, slices, entry = t, f, s, nearer
                break
        distance += 1
    return distance
