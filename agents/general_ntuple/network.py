"""A cost-to-go that is a sum of look-up tables over tuples of a view's entries, each read through all symmetries of the puzzle.

    F(s) = bias + sum over tuples t and images m of t of weights[t][index of t's entries in image m of s]

A table has a weight for every way to fill its entries. What an image sees is folded into what an entry adds to an index, so
an image is one look-up like any other; of images that look at the same entries one is taken, which is
half the work where a tuple is symmetric itself.

Learning is online: F of a state is read, and every weight it reads moves by the same amount, so that F moves by lr times its
error and no more, however often a weight is read. States come one after another, so the result does not depend on threads.

Letters: B batch, S state, E entries, L look-ups, W weights.
"""

from typing import NamedTuple

import numpy as np

from agents.general_ntuple.symmetry import Images
from agents.general_ntuple.view import View
from rubiks_gym.puzzles.compiled import inner, jit
from rubiks_gym.puzzles.prefetch import prefetch

_LANES = 16  # a processor adds as many indices at a time
_AHEAD = 64  # states whose weights are asked for before they are read
_FEW = 4  # a state that differs from the one before in less than one in so many entries is read from there
# Compiled code counts in unsigned numbers: with others the compiler allows for negative ones, and does not add many at a time.
_1, _2, _3, _4 = np.arange(1, 5, dtype=np.uint64)


class LookUps(NamedTuple):
    """Which weights a state activates: look-up k < n that at offset[k] + the sum over entries e of contribution[e, x[e], k]."""

    contribution: np.ndarray  # [entries of the state itself, V, L] uint32, with what each tells of the inverse view
    offset: np.ndarray  # [L] uint32
    n: int  # look-ups; L is n, rounded up so that no look-up has to be worked out on its own


class Reader(NamedTuple):
    """How states are looked up: everything about the network but its weights."""

    view: View
    images: Images
    look_ups: LookUps
    n_weights: int


class Look(NamedTuple):
    """What one look-up of a table sees: digit j of its index is values[j, x[entries[j]]]."""

    entries: np.ndarray  # [k] int64
    values: np.ndarray  # [k, V] uint8


def looks(images: Images, each: tuple[int, ...]) -> list[Look]:
    """The look-ups of a tuple through all symmetries; of those that look at the same entries the first."""
    found: dict[bytes, Look] = {}
    for source, image in zip(images.source, images.image, strict=True):
        look = Look(source[list(each)], image[list(each)])
        found.setdefault(np.unique(look.entries).tobytes(), look)
    return list(found.values())


def make_reader(view: View, images: Images, tuples: list[tuple[int, ...]]) -> Reader:
    """The look-ups of all tuples."""
    entries, values = len(view.radix), int(view.radix.max())
    looked = [(each, look) for each in tuples for look in looks(images, each)]
    contribution = np.zeros((entries, values, -(-len(looked) // _LANES) * _LANES), np.uint32)
    offset = np.zeros(contribution.shape[2], np.uint32)
    start = dict(zip(tuples, np.cumsum([0, *(np.prod(view.radix[list(each)]) for each in tuples)]), strict=False))
    for k, (each, look) in enumerate(looked):
        offset[k] = start[each]
        strides = np.cumprod([1, *view.radix[list(each)]])
        for e, digits, stride in zip(look.entries, look.values, strides, strict=False):
            contribution[e, :, k] += digits.astype(np.uint32) * np.uint32(stride)
    # What an entry tells of the inverse view it adds itself, in place of what is taken for granted, a 0.
    offset += contribution[view.first :, 0].sum(axis=0, dtype=np.uint32)
    for e, v in np.argwhere(view.slot >= 0):
        there = contribution[view.slot[e, v]]
        contribution[e, v] += there[view.other[e, v]] - there[0]
    n_weights = sum(int(np.prod(view.radix[list(each)])) for each in tuples)
    return Reader(view, images, LookUps(contribution[: view.first].copy(), offset, len(looked)), n_weights)


def some_of(look_ups: LookUps, which: np.ndarray) -> LookUps:
    """Look-ups number which [n] of all."""
    padded = [(0, 0), (0, 0), (0, -len(which) % _LANES)]
    return LookUps(np.pad(look_ups.contribution[:, :, which], padded), np.pad(look_ups.offset[which], padded[2]), len(which))


# Compiled ---------------------------------------------------------------------------------------------------------------


@jit
def indices(view, look_ups, states, start, stop, index):
    """Where states[start:stop] [B, S] read their weights, into rows of index [B, L]; False if one has impossible values."""
    places, starts, values, code = view.places, view.starts, view.values, view.code
    table, offset = look_ups.contribution, look_ups.offset
    lanes, n = np.uint64(offset.shape[0]), np.uint64(code.shape[0])
    x, before = np.zeros(code.shape[0], np.uint8), np.zeros(code.shape[0], np.uint8)
    changed = np.empty(code.shape[0], np.uint64)
    for b in range(start, stop):
        row, n_changed = np.uint64(b - start), 0
        for e in range(code.shape[0]):
            key = np.int64(0)
            for j in range(starts[e], starts[e + 1]):
                key = key * values + states[b, places[j]]
            if key >= code.shape[1]:
                return False
            before[e], x[e] = x[e], code[e, key]
            changed[n_changed] = e
            n_changed += before[e] != x[e]
        if row > 0 and _FEW * n_changed < code.shape[0]:
            # Children of one state follow each other, and where a move changes little they have nearly all indices in common.
            for k in range(lanes):
                index[row, k] = index[row - _1, k]
            for c in range(n_changed):
                i = changed[c]
                old, now = np.uint64(before[i]), np.uint64(x[i])
                for k in range(lanes):
                    index[row, k] += table[i, now, k] - table[i, old, k]
            continue
        for k in range(lanes):
            index[row, k] = offset[k]
        for g in range(n // _4):  # four entries at a time, or most of the work would be reading and writing the index
            i = _4 * g
            v0, v1, v2, v3 = np.uint64(x[i]), np.uint64(x[i + _1]), np.uint64(x[i + _2]), np.uint64(x[i + _3])
            for k in range(lanes):
                index[row, k] += (table[i, v0, k] + table[i + _1, v1, k]) + (table[i + _2, v2, k] + table[i + _3, v3, k])
        for rest in range(n - n % _4, n):
            for k in range(lanes):
                index[row, k] += table[rest, np.uint64(x[rest]), k]
    return True


@inner
def ask_for(weights, index, rows, n):
    """Have the weights [W] at the first n indices of so many rows of index [B, L] on their way before they are needed."""
    for row in range(rows):
        for k in range(n):
            prefetch(weights, index[row, k])  # type: ignore[call-arg]


@jit
def sums(view, look_ups, weights, states, out):
    """The sums of the weights [W] int8 of states [B, S] into out [B] int32; False if one has impossible values."""
    index, n = np.empty((_AHEAD, look_ups.offset.shape[0]), np.uint32), look_ups.n
    for start in range(0, states.shape[0], _AHEAD):
        stop = min(start + _AHEAD, states.shape[0])
        if not indices(view, look_ups, states, start, stop, index):
            return False
        ask_for(weights, index, stop - start, n)
        for row in range(stop - start):
            total = np.int32(0)
            for k in range(n):
                total += weights[index[row, k]]
            out[start + row] = total
    return True


@jit
def round_all(scale, weights, out):
    """scale times weights [W] float32, rounded, into out [W] int8."""
    for i in range(weights.shape[0]):
        out[i] = np.int8(np.rint(scale * weights[i]))
    return True


@jit
def learn(view, look_ups, weights, bias, states, targets, lr, clip, link):
    """A step of the weights [W] float32 for each of states [B, S] towards targets [B] float32; returns the squared errors' sum.

    Without a link the error is targets - F, at most clip either way. With link (c, T) it is that of p(F), see `learner`.
    """
    index, n = np.empty((_AHEAD, look_ups.offset.shape[0]), np.uint32), look_ups.n
    old = np.empty(n, np.float32)
    squares, saturation, temperature = 0.0, link[0], link[1]
    for start in range(0, states.shape[0], _AHEAD):
        stop = min(start + _AHEAD, states.shape[0])
        indices(view, look_ups, states, start, stop, index)
        ask_for(weights, index, stop - start, n)
        for row in range(stop - start):
            # All are read before one is written: a weight that is read twice moves once.
            total = np.float32(0)
            for k in range(n):
                old[k] = weights[index[row, k]]
                total += old[k]
            cost = bias + total
            if temperature > 0:
                z = (saturation - cost) / temperature
                if z > 30:  # e^z would swallow the 1 beside it, and later overflow
                    fitted, slope = cost, 1.0
                else:
                    fitted, slope = saturation - temperature * np.log1p(np.exp(z)), 1 / (1 + np.exp(-z))
                error = targets[start + row] - fitted
            else:
                error, slope = targets[start + row] - cost, 1.0
            squares += error * error
            change = np.float32(lr * min(max(error * slope, -clip), clip) / n)
            for k in range(n):
                weights[index[row, k]] = old[k] + change
    return squares
