"""The depth-first search of the optimal solver: is there a solution of at most so many moves?

It goes down as long as the lower bounds allow. Of a state and of its inverse, which is equally far from the goal, the tables
have the distances to the subgroups of the three axes, six lower bounds in all. They tell still more (Rokicki, nxopt). A turn on
an axis belongs to that axis's subgroup. Hence with `left` moves left,

    no solution ends with a turn on an axis to whose subgroup the state has distance `left`: it would be there too early;
    no solution begins with a turn on an axis to whose subgroup the inverse has distance `left`, for the same reason.

A search may make the first move of the solution, or go over to the inverse and make the last: at every state it does what
leaves fewer moves to try. If none is left, there is no solution.

The time goes into waiting for a table that is far larger than the processor's caches. So an entry is asked for long before it
is read: every thread has several searches under way, in turn (lanes), and each asks for the entries of all children it has to
look at, then lets the others do the same before it reads. Children are looked at axis by axis, the farthest first; those that
one axis rules out are not looked at on the next. The inverse's coordinates are sums over its pieces, so they are taken from the
state itself, once for every state that is gone down to.
"""

from typing import NamedTuple

import numpy as np

from rubiks_gym.puzzles.compiled import jit
from rubiks_gym.puzzles.prefetch import prefetch

STOPPED, NONE = -2, -1
LANES = 16  # searches in turn on a thread
_INVERSE, _DONE, _IDLE = -1, 3, 4  # what a lane waits for: the inverse's entries; 0, 1, 2: its children's on an axis; no more
_1, _2, _4, _15 = np.uint64(1), np.uint64(2), np.uint32(4), np.uint32(15)
_16_BITS = np.uint64(0xFFFF)


class Room(NamedTuple):
    """What K searches in turn keep of the states on their ways, at every depth, and of the children not ruled out."""

    states: np.ndarray  # [K, limit + 1, 20] uint8
    coordinates: np.ndarray  # [K, limit + 1, 3, 3] uint16, twist, flip and slice on each axis
    node: np.ndarray  # [K, limit + 1, 2] uint16, of the machine of canonical sequences: for first moves, for last moves
    inverted: np.ndarray  # [K, limit + 1] uint8, whether the search has gone over to the inverse
    made: np.ndarray  # [K, limit + 1] uint8, the action that is followed
    children: np.ndarray  # [K, limit + 1, A] uint8, actions not ruled out, which are followed from the last to the first
    counts: np.ndarray  # [K, limit + 1] uint8, how many those are
    away: np.ndarray  # [K, limit + 1, A, 3] uint8, distances of what they lead to
    # of the state just reached
    row: np.ndarray  # [K] int64, where the search began
    depth: np.ndarray  # [K] int64
    waiting: np.ndarray  # [K] int64, for what
    distances: np.ndarray  # [K, 3] int64, to the subgroups
    inverse: np.ndarray  # [K, 3, 3] uint16, coordinates of its inverse
    entries: np.ndarray  # [K, A] uint64, of the table, on their way into the cache
    spare: np.ndarray  # [20] uint8


@jit
def search(c, coarse, fine, base, states, coordinates, distances, node, rows, limit, stop, moves, nodes):
    """Search from some rows of states [n, 20] for a solution of at most `limit` moves.

    Ends with the first solution, which is written into moves [limit], or when stop [1] is set; counts nodes [1]. Returns the
    row and the length; both are -1 if there is no solution, -2 if it was stopped.

    Args:
        c, coarse, fine, base: the table.
        states: with their coordinates [n, 3, 3], distances [n, 3], and nodes [n] of the machine of canonical sequences.
        rows: where to begin, one after another.
        limit: moves.
        stop, moves, nodes: see above.
    """
    A, whole = c.axis_of.shape[0], fine.size > 1
    room = _room(A, limit)
    path, own, machine, inverted, made, children, counts, away = room[:8]
    row, at, waiting, known, inverse, entries, spare = room[8:]
    # Arrays under names of their own: numba counts references whenever it takes one out of a tuple.
    twist_moves, flip_moves, slice_moves, piece_moves = c.twist_moves, c.flip_moves, c.slice_moves, c.moves
    class_of, order_images, twist_images = c.class_of, c.order_images, c.twist_images
    turned, middle, slices, canonical, undo = c.turned, c.middle, c.slices, c.canonical, c.undo
    axes, (legal, turns) = c.axes.astype(np.uint8), _masks(canonical, c.axis_of)
    started, running = 0, LANES
    while running:
        if stop[0]:
            return STOPPED, STOPPED
        for lane in range(LANES):
            stage, depth = waiting[lane], at[lane]
            if stage == _IDLE:
                continue
            left, n = limit - depth, 0
            x, y, z = known[lane, 0], known[lane, 1], known[lane, 2]

            # What was asked for is there. The inverse's distances: go on from the state or from its inverse, by which moves?
            if stage == _INVERSE:
                u = base + _read_fine(fine, entries[lane, 0])
                u = _read_coarse(coarse, entries[lane, 0]) if u == base else u
                v = base + _read_fine(fine, entries[lane, 1])
                v = _read_coarse(coarse, entries[lane, 1]) if v == base else v
                w = base + _read_fine(fine, entries[lane, 2])
                w = _read_coarse(coarse, entries[lane, 2]) if w == base else w
                if u <= left and v <= left and w <= left:
                    first = legal[machine[lane, depth, 0]] & ~_excluded(turns, left, u, v, w)
                    last = legal[machine[lane, depth, 1]] & ~_excluded(turns, left, x, y, z)
                    if _bits(last) < _bits(first):
                        first, x, y, z = last, u, v, w
                        known[lane, 0], known[lane, 1], known[lane, 2] = x, y, z
                        inverted[lane, depth] ^= 1
                        before, after = machine[lane, depth, 0], machine[lane, depth, 1]
                        machine[lane, depth, 0], machine[lane, depth, 1] = after, before
                        _invert(path, lane, depth, spare)
                        for axis in range(3):
                            for k in range(3):
                                own[lane, depth, axis, k] = inverse[lane, axis, k]
                    for a in range(A):  # without a branch, which could not be foretold
                        children[lane, depth, n] = a
                        n += first >> a & 1
                    nodes[0] += n

            # The children's distances on one axis: which of them may have a solution?
            elif stage < _DONE:
                axis = (_farthest(x, y, z) + stage) % 3
                for i in range(counts[lane, depth]):
                    distance = base + _read_fine(fine, entries[lane, i])
                    if distance == base:
                        distance = _read_coarse(coarse, entries[lane, i])
                    a = children[lane, depth, i]
                    children[lane, depth, n] = a
                    away[lane, depth, a, axis] = distance
                    n += distance < left

            # Ask for those on the next axis.
            stage += 1
            if n > 0 and stage < _DONE:
                axis = (_farthest(x, y, z) + stage) % 3
                twist, flip, place = own[lane, depth, axis, 0], own[lane, depth, axis, 1], own[lane, depth, axis, 2]
                for i in range(n):
                    by = axes[axis, children[lane, depth, i]]
                    t, f, s = twist_moves[twist, by], flip_moves[flip, by], slice_moves[place, by]
                    entries[lane, i] = _entry(class_of, order_images, twist_images, t, f, s)
                    if whole:
                        prefetch(fine, entries[lane, i] >> _2)
                    else:
                        prefetch(coarse, _coarse_entry(entries[lane, i]) >> _1)
                waiting[lane], counts[lane, depth] = stage, n
                continue

            # Or go on to the next state, and ask for the entries of its inverse.
            counts[lane, max(depth, 0)] = n
            waiting[lane] = _IDLE
            while waiting[lane] == _IDLE:
                if depth < 0:
                    if started == rows.shape[0]:
                        running -= 1
                        break
                    depth, start = 0, rows[started]
                    started += 1
                    for i in range(20):
                        path[lane, 0, i] = states[start, i]
                    for axis in range(3):
                        for k in range(3):
                            own[lane, 0, axis, k] = coordinates[start, axis, k]
                    row[lane], inverted[lane, 0], machine[lane, 0, 0], machine[lane, 0, 1] = start, 0, node[start], 0
                    x, y, z = distances[start, 0], distances[start, 1], distances[start, 2]
                elif counts[lane, depth] == 0:
                    depth -= 1
                    continue
                else:
                    counts[lane, depth] -= 1
                    a = children[lane, depth, counts[lane, depth]]
                    x, y, z = away[lane, depth, a, 0], away[lane, depth, a, 1], away[lane, depth, a, 2]
                    made[lane, depth] = a
                    below = depth + 1
                    for i in range(20):
                        path[lane, below, i] = piece_moves[a, path[lane, depth, i]]
                    for axis in range(3):
                        by = axes[axis, a]
                        own[lane, below, axis, 0] = twist_moves[own[lane, depth, axis, 0], by]
                        own[lane, below, axis, 1] = flip_moves[own[lane, depth, axis, 1], by]
                        own[lane, below, axis, 2] = slice_moves[own[lane, depth, axis, 2], by]
                    machine[lane, below, 0] = canonical[machine[lane, depth, 0], a]
                    machine[lane, below, 1] = machine[lane, depth, 1]
                    inverted[lane, below] = inverted[lane, depth]
                    depth = below
                counts[lane, depth] = 0
                left = limit - depth
                if x == 0 and y == 0 and z == 0 and _is_home(path, lane, depth):
                    return row[lane], _write_moves(undo, made, inverted, lane, depth, moves)
                if left == 0 or legal[machine[lane, depth, 1]] & ~_excluded(turns, left, x, y, z) == 0:
                    continue
                at[lane], waiting[lane] = depth, _INVERSE
                known[lane, 0], known[lane, 1], known[lane, 2] = x, y, z
                twists, flips, places = _inverse_sums(turned, middle, path, lane, depth)
                for axis in range(3):
                    shift = np.uint64(16 * axis)
                    t, f, s = twists >> shift & _16_BITS, flips >> shift & _16_BITS, slices[places >> shift & _16_BITS]
                    inverse[lane, axis, 0], inverse[lane, axis, 1], inverse[lane, axis, 2] = t, f, s
                    entries[lane, axis] = _entry(class_of, order_images, twist_images, t, f, s)
                    if whole:
                        prefetch(fine, entries[lane, axis] >> _2)
                    else:
                        prefetch(coarse, _coarse_entry(entries[lane, axis]) >> _1)
    return NONE, NONE


@jit
def locate(c, coarse, fine, base, inverses, coordinates, distances):
    """Of states whose inverses [n, 20] are given: twist, flip and slice on each axis [n, 3, 3], and the distances [n, 3]."""
    inverses = inverses.reshape(1, -1, 20)
    for i in range(inverses.shape[1]):
        twists, flips, places = _inverse_sums(c.turned, c.middle, inverses, 0, i)
        for axis in range(3):
            shift = np.uint64(16 * axis)
            t, f, s = twists >> shift & _16_BITS, flips >> shift & _16_BITS, c.slices[places >> shift & _16_BITS]
            coordinates[i, axis, 0], coordinates[i, axis, 1], coordinates[i, axis, 2] = t, f, s
            entry = _entry(c.class_of, c.order_images, c.twist_images, t, f, s)
            above = _read_fine(fine, entry)
            distances[i, axis] = base + above if above else _read_coarse(coarse, entry)
    return True


# Look-ups --------------------------------------------------------------------------------------------------------------------


@jit
def _entry(class_of, order_images, twist_images, twist, flip, slices):
    """The number of the entry that three coordinates of an upright axis have in the fine table."""
    code = class_of[np.uint32(flip) * np.uint32(495) + np.uint32(slices) // np.uint32(24)]
    symmetry = code & _15
    row = np.uint64(code >> _4) * np.uint64(24) + np.uint64(order_images[slices, symmetry])
    return row * np.uint64(2187) + np.uint64(twist_images[twist, symmetry])


@jit
def _coarse_entry(entry):
    """And in the coarse table, which knows no order."""
    return entry // np.uint64(24 * 2187) * np.uint64(2188) + entry % np.uint64(2187)


@jit
def _read_fine(fine, entry):
    """By how much the distance of an entry exceeds the base of the fine table; 0 if the coarse table has to be asked."""
    byte = min(entry >> _2, np.uint64(fine.size - 1))
    return np.int64(fine[byte] >> ((entry & np.uint64(3)) << _1) & np.uint8(3))


@jit
def _read_coarse(coarse, entry):
    """The distance that the coarse table has for the same coordinates."""
    entry = _coarse_entry(entry)
    return np.int64(coarse[entry >> _1] >> ((entry & _1) << _2) & np.uint8(15))


# Steps -----------------------------------------------------------------------------------------------------------------------


@jit
def _room(A, limit):
    n = limit + 1
    return Room(
        np.empty((LANES, n, 20), np.uint8), np.empty((LANES, n, 3, 3), np.uint16), np.empty((LANES, n, 2), np.uint16),
        np.empty((LANES, n), np.uint8), np.empty((LANES, n), np.uint8),
        np.empty((LANES, n, A), np.uint8), np.zeros((LANES, n), np.uint8), np.empty((LANES, n, A, 3), np.uint8),
        np.empty(LANES, np.int64), np.full(LANES, -1), np.full(LANES, _DONE), np.zeros((LANES, 3), np.int64),
        np.empty((LANES, 3, 3), np.uint16), np.empty((LANES, A), np.uint64), np.empty(20, np.uint8),
    )  # fmt: skip


@jit
def _masks(canonical, axis_of):
    """The actions that may follow each node of the machine of canonical sequences [N], and those on each axis [3], as bits."""
    legal, turns = np.zeros(canonical.shape[0], np.int64), np.zeros(3, np.int64)
    for a in range(canonical.shape[1]):
        turns[axis_of[a]] |= 1 << a
        for node in range(canonical.shape[0]):
            legal[node] |= np.int64(canonical[node, a] >= 0) << a
    return legal, turns


@jit
def _excluded(turns, left, x, y, z):
    """The turns on the axes to which the distance is as large as the number of moves left, as bits."""
    return (x == left) * turns[0] | (y == left) * turns[1] | (z == left) * turns[2]


@jit
def _bits(mask):
    """How many bits are set."""
    n = 0
    while mask:
        mask &= mask - 1
        n += 1
    return n


@jit
def _farthest(x, y, z):
    """Which of three distances is the largest."""
    return 0 if x >= y and x >= z else 1 if y >= z else 2


@jit
def _inverse_sums(turned, middle, states, i, j):
    """Twists, flips and numbers of the middle edges of the inverse of states[i, j], each on three axes side by side."""
    twists, flips, places = np.uint64(0), np.uint64(0), np.uint64(0)
    for k in range(8):
        twists += turned[k, states[i, j, k]]
    for k in range(8, 20):
        flips += turned[k, states[i, j, k]]
        places += middle[k, states[i, j, k]]
    return twists, flips, places


@jit
def _invert(states, i, j, spare):
    """Replace states[i, j] by its inverse; spare [20] is room."""
    for k in range(20):
        spare[k] = states[i, j, k]
    for k in range(8):
        states[i, j, spare[k] // 3] = 3 * k + (3 - spare[k] % 3) % 3
    for k in range(8, 20):
        states[i, j, spare[k] // 2 - 4] = 8 + 2 * k + spare[k] % 2


@jit
def _is_home(states, i, j):
    """Whether every piece of states[i, j] is at home."""
    home = True
    for k in range(20):
        home &= states[i, j, k] == (3 * k if k < 8 else 8 + 2 * k)
    return home


@jit
def _write_moves(undo, made, inverted, lane, depth, moves):
    """The moves made in a lane, those of the inverse undone at the end in reverse order, into moves; returns their number."""
    first, last = 0, depth
    for d in range(depth):
        if inverted[lane, d]:
            last -= 1
            moves[last] = undo[made[lane, d]]
        else:
            moves[first] = made[lane, d]
            first += 1
    return depth
