"""A cost-to-go that is a sum of look-up tables, each read through every symmetry of the cube, for the cube and its inverse.

    F(s) = bias + sum over tables t, images m of t and x in {s, inverse of s} of weights[t][index of t's cubies in image m of x]

A table has one weight for every way in which its five cubies can stand: a number of five digits in base 24, a digit being where
one cubie is. Symmetries are folded into what a cubie adds to an index (see `look_ups`), so an image is one look-up like any
other; of images that look at the same cubies one is taken.

Symmetric and inverse states are as far from the goal as the state itself: reading them all with the same weights lets every
sample teach 192 weights (three tables) what holds in 96 places.

A move takes five cubies from one index to another, whatever the other cubies do. So the half of the sum that x = s makes is
known for all children of s at once, if a table has in a row the weights that its entries get by each of the moves (`by_move`).
The other half is not: what a move changes in the inverse depends on which cubies it turns.

Letters: B batch, S state (20), A actions, L images, W weights.
"""

from collections.abc import Iterable
from itertools import combinations
from typing import NamedTuple

import numpy as np

from rubiks_gym.ntuple.look_ups import LookUps, accepts, look_up, make_look_ups, total
from rubiks_gym.puzzles.compiled import jit
from rubiks_gym.puzzles.cube import Cube
from rubiks_gym.puzzles.puzzle import Puzzle

_ONE = np.uint64(1)
Cubies = tuple[int, ...]  # pieces by their place in a state: 0..7 are corners, 8..19 edges
DIGITS = 5  # cubies of a table
MOST_TABLES = 64  # each takes 8 MB, and 16 to 32 times as much decomposed
SIZE = 24**DIGITS  # weights of a table; about 4 in 10 stand for something impossible, such as two cubies in one place


class Reader(NamedTuple):
    """How states are looked up: everything about the network but its weights."""

    look_ups: LookUps  # of the L images
    cuts: tuple[int, ...]  # [tables + 1], the images of table t are cuts[t]..cuts[t + 1] - 1
    mirror: np.ndarray  # [L] uint32, which of the 48 symmetries makes image k


def make_reader(puzzle: Cube, tables: tuple[Cubies, ...]) -> Reader:
    """The images of all tables, in the order of tables."""
    source, image = puzzle.symmetry_tables[:2]
    images, offset, cuts, mirror = [], [], [0], []
    for number, cubies in enumerate(tables):
        check_cubies(puzzle, cubies)
        seen = set()
        for m in range(48):
            looked_at = frozenset(source[m, list(cubies)].tolist())
            if looked_at not in seen:
                seen.add(looked_at)
                mirror.append(m)
                images.append(np.zeros((puzzle.state_size, 48), np.uint32))
                for digit, c in enumerate(cubies):
                    images[-1][source[m, c]] = image[m, c, :48].astype(np.uint32) % 24 * 24**digit
        offset += [number * SIZE] * len(seen)
        cuts.append(len(images))
    return Reader(make_look_ups(np.stack(images, axis=2), np.array(offset)), tuple(cuts), np.array(mirror, np.uint32))


def check_cubies(puzzle: Puzzle, cubies: Cubies) -> None:
    """Raise unless a table can be over these cubies."""
    if len(cubies) != DIGITS or len(set(cubies)) != DIGITS or not set(cubies) <= set(range(puzzle.state_size)):
        raise ValueError(f"a table is over {DIGITS} different cubies 0..{puzzle.state_size - 1}, got {cubies}")


def after_moves(puzzle: Cube, cubies: Cubies) -> np.ndarray:
    """What each of a table's cubies adds to its index, by where it is and which move is made, [5, 24, A] uint32."""
    after = [puzzle.moves[:, :24] if c < 8 else puzzle.moves[:, 24:48] - 24 for c in cubies]  # [A, 24] each
    return np.stack([digit.T.astype(np.uint32) * 24**i for i, digit in enumerate(after)])


def possible_in(tables: Iterable[Cubies]) -> np.ndarray:
    """Which weights [W] bool stand for something that can be."""
    return np.concatenate([possible(cubies) for cubies in tables])


def possible(cubies: Cubies) -> np.ndarray:
    """The same for one table [SIZE]: no two cubies share a place."""
    can = np.ones((24,) * DIGITS, bool)
    digit = np.arange(24)
    for one, two in combinations(range(DIGITS), 2):
        if (cubies[one] < 8) == (cubies[two] < 8):
            size = 3 if cubies[one] < 8 else 2  # stickers in a place
            shared = digit[:, None] // size == digit // size
            axes = [DIGITS - 1 - one, DIGITS - 1 - two]  # the first cubie is the last digit
            can &= ~np.expand_dims(shared, tuple(set(range(DIGITS)) - set(axes)))
    return can.ravel()


# Compiled ---------------------------------------------------------------------------------------------------------------


@jit
def invert(state, out):
    """The inverse of one state [20], as `puzzles.kernels.inverse_states` makes it."""
    for i in range(8):
        v = state[i]
        out[v // 3] = 3 * i + (3 - v % 3) % 3
    for i in range(12):
        v = state[8 + i] - 24
        out[8 + v // 2] = 24 + 2 * i + v % 2


@jit
def look_up_both(look_ups, weights, state, inverse, out):
    """Into out [2 L] the indices of a state [S] and of its inverse, whose weights are asked for; inverse [S] is room.

    Returns whether the state was accepted.
    """
    if not accepts(look_ups, state):
        return False
    n = np.uint64(look_ups.offset.shape[0])
    look_up(look_ups, weights, state, out[:n])
    invert(state, inverse)
    look_up(look_ups, weights, inverse, out[n:])
    return True


@jit
def sums(look_ups, weights, states, out):
    """The sums of the weights [W] int8 of states [B, S] into out [B] int32.

    While the weights of one state are on their way, the indices of the next are worked out.
    """
    index, inverse = np.empty((2, 2 * look_ups.offset.shape[0]), np.uint32), np.zeros(20, np.uint8)
    for b in range(states.shape[0] + 1):
        if b < states.shape[0] and not look_up_both(look_ups, weights, states[b], inverse, index[b & 1]):
            return False
        if b > 0:
            out[b - 1] = total(weights, index[(b - 1) & 1], np.int32(0))
    return True


@jit
def inverse_sums(look_ups, weights, states, out):
    """The half of `sums` that the inverse states make."""
    index, inverse = np.empty((2, look_ups.offset.shape[0]), np.uint32), np.zeros(20, np.uint8)
    for b in range(states.shape[0] + 1):
        if b < states.shape[0]:
            if not accepts(look_ups, states[b]):
                return False
            invert(states[b], inverse)
            look_up(look_ups, weights, inverse, index[b & 1])
        if b > 0:
            out[b - 1] = total(weights, index[(b - 1) & 1], np.int32(0))
    return True


@jit
def by_move(after, weights, out):
    """The weights [SIZE] int8 of one table that an entry gets by each move into out [SIZE, lanes]; the surplus is arbitrary.

    after [5, 24, A] uint32: what digit i adds to an index if it is v and move a is made.
    """
    actions = np.uint64(after.shape[2])
    high = np.empty(after.shape[2], np.uint32)
    index = np.uint64(0)
    for outer in range(24**3):
        a, b, c = after[2, outer % 24], after[3, outer // 24 % 24], after[4, outer // 24**2]
        for m in range(actions):
            high[m] = a[m] + b[m] + c[m]
        for one in range(24):
            for zero in range(24):
                a, b, row = after[0, zero], after[1, one], out[index]
                for m in range(actions):
                    row[m] = weights[high[m] + a[m] + b[m]]
                index += _ONE
    return True


@jit
def child_sums(look_ups, mirror, lane, weights, states, out):
    """The half of `sums` that states make, not their inverses, for all children of states [B, S] into out [B, A] int32.

    weights [W, lanes] int8 as `by_move` makes them. Under symmetry m a move is another one, so sums are kept apart by
    symmetry [48, lanes] until all are there; lane [A, 48] says where action a is among them.
    """
    n, lanes, actions = np.uint64(mirror.shape[0]), np.uint64(weights.shape[1]), np.uint64(lane.shape[0])
    index = np.empty((2, mirror.shape[0]), np.uint32)
    apart = np.empty((48, weights.shape[1]), np.int16)
    flat = apart.reshape(-1)
    for b in range(states.shape[0] + 1):
        if b < states.shape[0]:
            if not accepts(look_ups, states[b]):
                return False
            look_up(look_ups, weights, states[b], index[b & 1])
        if b > 0:
            before = index[(b - 1) & 1]
            apart[:] = 0
            for k in range(n):
                row, part = weights[before[k]], apart[mirror[k]]
                for j in range(lanes):
                    part[j] += row[j]
            for a in range(actions):
                out[b - 1, a] = total(flat, lane[a], np.int32(0))
    return True


@jit
def sums_to_learn(look_ups, weights, states, index, out):
    """The same from weights [W, 2] float32, of which [:, 0] are meant, into out [B] float32; keeps index [B, 2 L] uint32."""
    n = np.uint64(look_ups.offset.shape[0])
    inverse = np.zeros(20, np.uint8)
    for b in range(states.shape[0] + 1):
        if b < states.shape[0]:
            look_up_both(look_ups, weights, states[b], inverse, index[b])
        if b > 0:
            before = index[b - 1]
            x, y = np.float32(0), np.float32(0)
            for k in range(n):
                x += weights[before[k], 0]
                y += weights[before[k + n], 0]
            out[b - 1] = x + y
    return True
