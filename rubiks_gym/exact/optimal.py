"""Shortest solutions of the 3x3x3, proven: iterative deepening with the lower bound of `cosets` (Korf 1985, Reid 1997).

A depth-first search for solutions of at most `limit` moves leaves out every state whose bound says that the moves left are too
few. If it finds nothing, there is no such solution. Quarter turns change the parity of the cube, so a solution of L quarter
turns is optimal as soon as L - 2 is refuted; in half turns it takes L - 1. Whoever brings a good solution along, by a beam
search say, leaves only refutations to do. Each costs about nine times (half turns: thirteen times) as much as one move less.

The bound of a state is the largest of three: the distance to the subgroup of each axis. If all three are d > 0, it is d + 1:
the last move of a solution turns a face of some axis, and such moves belong to that axis's subgroup, so before it the cube
would have been in there already, d - 1 moves after the start.

A cube and its inverse are equally far from the goal, but one of their trees is often a third larger: a small iteration of both
tells which. Children are looked at axis by axis, the farthest first: the entries of all of a state's children are asked for
before the first is read, and those that one axis rules out are not looked at on the next.
"""

import time
from collections.abc import Callable, Sequence
from itertools import count
from threading import Timer
from typing import NamedTuple

import numpy as np

from rubiks_gym.exact.cosets import Table, corners_of, flip_of, load_table, odd_corners, slice_of, twist_of
from rubiks_gym.puzzles import Cube, Puzzle, Rubik3x3, are_solutions
from rubiks_gym.puzzles.compiled import jit
from rubiks_gym.puzzles.prefetch import prefetch
from rubiks_gym.puzzles.threads import get_num_threads, side_by_side

_SPLIT = 3  # moves after which an iteration is shared out: about a thousand states
_PIECES = 1024  # pieces of work that threads share
_SMALL = 50_000  # nodes of an iteration, more than which decide between a cube and its inverse


class Proof(NamedTuple):
    """What is known of B states: the true distance is between lower and upper."""

    moves: list[list[int] | None]  # the shortest solution known, None if none is
    proven: np.ndarray  # [B] bool, whether it is optimal
    lower: np.ndarray  # [B] int64, no solution is shorter
    upper: np.ndarray  # [B] int64, the length of the solution, -1 if none is known
    nodes: np.ndarray  # [B] int64, states looked at
    seconds: np.ndarray  # [B] float64


class Branch(NamedTuple):
    """States from which a depth-first search begins, n of them."""

    coordinates: np.ndarray  # [n, 3, 3] uint16, twist, flip and slice on each axis
    away: np.ndarray  # [n, 3] int64, distances to the axes' subgroups
    corners: np.ndarray  # [n] int64
    node: np.ndarray  # [n] int64, state of the automaton of canonical sequences

    @property
    def bound(self) -> np.ndarray:
        """Lower bounds of their distances [n]."""
        nearest, farthest = self.away.min(axis=1), self.away.max(axis=1)
        return np.where((nearest == farthest) & (farthest > 0), farthest + 1, farthest)


class Stack(NamedTuple):
    """What a depth-first search keeps of the children of the state it is at, for every depth and action."""

    twists: np.ndarray  # [limit + 1, 3, A] uint16, on each axis
    flips: np.ndarray  # [limit + 1, 3, A] uint16
    slices: np.ndarray  # [limit + 1, 3, A] uint16
    away: np.ndarray  # [limit + 1, 3, A] int8
    corner: np.ndarray  # [limit + 1, A] uint16
    node: np.ndarray  # [limit + 1, A] uint16
    alive: np.ndarray  # [limit + 1, A] uint8, the children not ruled out, which are gone down to from the last to the first
    counts: np.ndarray  # [limit + 1] int64, how many those are


class OptimalSolver:
    """Shortest solutions of a 3x3x3, with proof.

    The table of lower bounds is built on first use, in a minute or two on two cores, kept in the user's cache, and checked when
    it is read.

    Args:
        cube: Rubik3x3("qtm") or Rubik3x3("htm").
        memory: bytes for the table; with less than 1 GB a table of 35 MB is used, and proofs take much longer.
        show: is told the share of the table that is built, 0 to 1.
    """

    def __init__(self, cube: Puzzle, memory: int = 3 << 30, show: Callable[[float], None] = lambda share: None) -> None:
        if not isinstance(cube, Rubik3x3):
            raise ValueError(f"the optimal solver is for the 3x3x3, not for {cube.name}; ExactTable is for small puzzles")
        self.cube, self.table = cube, load_table(cube, memory, show)
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
        began, looked_at = time.perf_counter(), 0
        roots = [self.root(state), self.root(self.cube.inverse(state[None])[0])]
        ways = [0, 1]  # of which the next iteration searches the trees
        lower = self.least(state, *roots)
        while best is None or lower < len(best):
            costs = []
            for way in ways:
                if lower > deepest or looked_at >= most or time.perf_counter() - began >= seconds:
                    return best, False, lower, looked_at, time.perf_counter() - began
                found, n = self.refute(roots[way], lower, seconds - (time.perf_counter() - began), most - looked_at)
                looked_at += n
                costs.append(n)
                if found is None:
                    return best, False, lower, looked_at, time.perf_counter() - began
                if found:  # what solves the inverse is the cube's own scramble, which is undone from its end
                    best = self.cube.inverse_action[found[0][::-1]].tolist() if way else found[0]
                    return best, True, lower, looked_at, time.perf_counter() - began
            if max(costs) > _SMALL and len(ways) > 1:
                ways = [int(costs[0] > costs[1])]
            lower += self.step
        return best, True, lower, looked_at, time.perf_counter() - began

    def root(self, state: np.ndarray) -> Branch:
        """The search's beginning at a state [20]."""
        upright = self.cube.symmetries(state[None])[0][self.table.coordinates.rotations]
        coordinates = np.stack([twist_of(upright), flip_of(upright), slice_of(upright)], axis=1)
        away = [descend(*self.table, axis) for axis in coordinates]
        return Branch(coordinates[None].astype(np.uint16), np.array([away]), corners_of(state[None]), np.zeros(1, np.int64))

    def least(self, state: np.ndarray, *roots: Branch) -> int:
        """The lower bound of a state [20] that its roots give; in quarter turns the next number of the state's parity."""
        bound = max(int(root.bound[0]) for root in roots)
        return bound + (self.step == 2 and bound % 2 != int(odd_corners(state[None])[0]))

    def refute(self, root: Branch, limit: int, seconds: float, most: float) -> tuple[list[list[int]] | None, int]:
        """Look for a solution of at most `limit` moves on all threads: [it], [] if there is none, None if the budget ran out.

        Also returns the number of states looked at.
        """
        branch, begun = root, np.empty((1, 0), np.int64)
        for _ in range(min(_SPLIT, limit)):
            rows, actions = np.nonzero(self.cube.canonical_form[branch.node] >= 0)
            branch = follow(self.cube, self.table, branch, rows, actions)
            begun = np.concatenate([begun[rows], actions[:, None]], axis=1)
        row, moves, nodes = self.first(branch, limit - begun.shape[1], seconds, most)
        nodes += len(branch.node)
        if row == _STOPPED:
            return None, nodes
        return ([] if row == _NONE else [begun[row].tolist() + moves]), nodes

    def first(self, branch: Branch, limit: int, seconds: float, most: float) -> tuple[int, list[int], int]:
        """The first state of a branch that has a solution of at most `limit` moves: its row, the moves, and the nodes it took.

        The row is -1 if there is none, -2 if seconds or nodes ran out. All threads work; which row, moves and nodes come out
        does not depend on their number.
        """
        worth = np.flatnonzero(branch.bound <= limit)
        pieces = [piece for piece in np.array_split(worth, _PIECES) if len(piece)]
        stops, nodes = np.zeros((len(pieces), 1), np.uint8), np.zeros((len(pieces), 1), np.int64)
        moves, outcomes = np.zeros((len(pieces), limit), np.int64), np.full((len(pieces), 2), _STOPPED)
        found, numbers = [len(pieces)], count()  # the first piece of work with a solution so far; whose turn it is

        def work() -> None:
            while (i := next(numbers)) < found[0] and nodes[:i].sum() < most:
                room = (limit, stops[i], moves[i], nodes[i])
                outcomes[i] = search(*self.table, self.cube.canonical_form, *branch, pieces[i], *room)
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
        if at >= end < len(pieces) or (outcomes[:at, 0] == _STOPPED).any():
            return _STOPPED, [], int(spent[min(at, end)])
        if at == len(pieces):
            return _NONE, [], int(spent[-1])
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


def follow(cube: Cube, table: Table, branch: Branch, rows: np.ndarray, actions: np.ndarray) -> Branch:
    """The states one action on [n] from some rows [n] of a branch."""
    c = table.coordinates
    before, by = branch.coordinates[rows], c.axes[:, actions].T  # [n, 3, 3], [n, 3]
    moved = [moves[before[:, :, k], by] for k, moves in enumerate((c.twist_moves, c.flip_moves, c.slice_moves))]
    coordinates = np.stack(moved, axis=2)
    entries = np.empty((len(rows), 3), np.int64)
    read_all(*table, coordinates, entries)
    parents = branch.away[rows]
    return Branch(
        coordinates,
        np.where(entries == 3, table.exact + 1, parents + (entries - parents + 31) % 3 - 1),
        c.corner_moves[branch.corners[rows], actions].astype(np.int64),
        cube.canonical_form[branch.node[rows], actions].astype(np.int64),
    )


# Compiled -------------------------------------------------------------------------------------------------------------------

_STOPPED, _NONE = -2, -1
_U4, _U15 = np.uint32(4), np.uint32(15)


@jit
def entry_of(c, orders, twist, flip, slices):
    """Where the table [entries] has the entry of three coordinates of an upright axis, as a number."""
    code = c.class_of[np.uint32(flip) * np.uint32(495) + np.uint32(slices) // np.uint32(24)]
    symmetry = code & _U15
    at = np.uint64(c.twist_images[twist, symmetry])
    if orders == 1:
        return np.uint64(code >> _U4) * np.uint64(2188) + at
    return np.uint64(code >> _U4) * np.uint64(24 * 2187) + np.uint64(c.order_images[slices, symmetry]) * np.uint64(2187) + at


@jit
def read(table, at):
    """Entry number `at` of a table of two bits each."""
    return np.int64(table[at >> np.uint64(2)] >> ((at & np.uint64(3)) << np.uint64(1)) & np.uint8(3))


@jit
def read_all(c, table, orders, exact, coordinates, out):
    """The entries out [n, 3] of coordinates [n, 3, 3]."""
    for i in range(coordinates.shape[0]):
        for axis in range(3):
            twist, flip, slices = coordinates[i, axis, 0], coordinates[i, axis, 1], coordinates[i, axis, 2]
            out[i, axis] = read(table, entry_of(c, orders, twist, flip, slices))


@jit
def search(c, table, orders, exact, canonical, coordinates, distances, corners, node, rows, limit, stop, moves, nodes):
    """Depth-first search from some rows of a branch, one after another, for a solution of at most `limit` moves.

    Ends with the first solution, which is written into moves [limit], or when stop [1] is set; counts nodes [1]. Returns the
    row and the length; both are -1 if there is no solution, -2 if it was stopped.
    """
    A = canonical.shape[1]
    # Small numbers in small types: the search goes up and down over this room all the time.
    stack = Stack(
        np.empty((limit + 1, 3, A), np.uint16), np.empty((limit + 1, 3, A), np.uint16), np.empty((limit + 1, 3, A), np.uint16),
        np.empty((limit + 1, 3, A), np.int8), np.empty((limit + 1, A), np.uint16), np.empty((limit + 1, A), np.uint16),
        np.empty((limit + 1, A), np.uint8), np.empty(limit + 1, np.int64),
    )  # fmt: skip
    axes = c.axes.astype(np.uint8)
    entries = np.empty(A, np.uint64)
    for row in rows:
        for axis in range(3):
            stack.twists[0, axis, 0] = coordinates[row, axis, 0]
            stack.flips[0, axis, 0] = coordinates[row, axis, 1]
            stack.slices[0, axis, 0] = coordinates[row, axis, 2]
            stack.away[0, axis, 0] = distances[row, axis]
        stack.corner[0, 0], stack.node[0, 0], stack.alive[0, 0], stack.counts[0] = corners[row], node[row], 0, 1
        length = search_one(c, table, orders, exact, canonical, axes, stack, entries, limit, stop, moves, nodes)
        if length >= 0:
            return row, length
        if length == _STOPPED:
            return _STOPPED, _STOPPED
    return _NONE, _NONE


@jit
def search_one(c, table, orders, exact, canonical, axes, stack, entries, limit, stop, moves, nodes):
    """The same from the one state at the bottom of a stack; returns the length, -1 or -2.

    axes [3, A] uint8 are those of c, entries [A] is room.
    """
    twists, flips, slices, away, corner, node, alive, counts = stack
    home, depth = c.goal[2], 0
    while depth >= 0:
        if counts[depth] == 0:
            depth -= 1
            continue
        if stop[0]:
            return _STOPPED
        counts[depth] -= 1
        here = alive[depth, counts[depth]]
        if depth > 0:
            moves[depth - 1] = here  # children are numbered by their actions
        x, y, z = away[depth, 0, here], away[depth, 1, here], away[depth, 2, here]
        # In the subgroups of all axes, corners at home, and the middle edges of every axis in order: solved.
        ordered = slices[depth, 0, here] == home and slices[depth, 1, here] == home and slices[depth, 2, here] == home
        if x == 0 and y == 0 and z == 0 and ordered and corner[depth, here] == 0:
            return depth
        left = limit - depth - 1  # moves left after the next
        if left < 0:
            continue
        at, below, n = node[depth, here], depth + 1, 0
        for a in range(canonical.shape[1]):
            if canonical[at, a] >= 0:
                alive[below, n] = a
                n += 1
        nodes[0] += n
        farthest = 0 if x >= y and x >= z else 1 if y >= z else 2
        for k in range(3):
            axis = (farthest + k) % 3
            twist, flip, middle = twists[depth, axis, here], flips[depth, axis, here], slices[depth, axis, here]
            for i in range(n):
                a = alive[below, i]
                by = axes[axis, a]
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
            node[below, a] = canonical[at, a]
            alive[below, kept] = a
            kept += 1
        counts[below] = kept
        depth = below
    return _NONE


@jit
def descend(c, table, orders, exact, start):
    """The distance to the subgroup of one upright axis from its coordinates [3], by going there; exact + 1 if it is further."""
    twist, flip, slices = start[0], start[1], start[2]
    entry = read(table, entry_of(c, orders, twist, flip, slices))
    if entry == 3:
        return exact + 1
    distance, among = 0, 1 if orders > 1 else 24
    while twist != c.goal[0] or flip != c.goal[1] or slices // among != c.goal[2] // among:
        for a in range(c.twist_moves.shape[1]):
            t, f, s = np.int64(c.twist_moves[twist, a]), np.int64(c.flip_moves[flip, a]), np.int64(c.slice_moves[slices, a])
            nearer = read(table, entry_of(c, orders, t, f, s))
            if nearer == (entry + 2) % 3:
                twist, flip, slices, entry = t, f, s, nearer
                break
        distance += 1
    return distance
