"""Sums of look-up tables, as every n-tuple network here reads them: what a state's pieces add to each index, and the sum.

Look-up k of a state s reads weights[offset[k] + sum_i contribution[i, s_i, k]]. A tuple's index is the number that its cells
spell, so every piece has a part in it that does not depend on the others: for each piece one row of L numbers is added, many
at a time.

Letters: S state, V values of a piece, L look-ups, W weights.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from rubiks_gym.puzzles.compiled import jit
from rubiks_gym.puzzles.prefetch import prefetch

# Compiled code counts in unsigned numbers: with others the compiler allows for negative ones, and does not add many at a time.
_1, _2, _3, _4 = np.arange(1, 5, dtype=np.uint64)


class LookUps(NamedTuple):
    """Which weights a state activates."""

    contribution: np.ndarray  # [S, V, L] uint32, what piece i at value v adds to index k; 0 for most i
    offset: np.ndarray  # [L] uint32, where the table of look-up k begins
    first: np.ndarray  # [S // 4] int64, pieces 4 g .. 4 g + 3 have a part in look-ups first[g]..last[g] - 1 only;
    last: np.ndarray  # [S // 4] int64, both [0] where those are nearly all: going over all is faster then


def make_look_ups(contribution: np.ndarray, offset: np.ndarray) -> LookUps:
    """Look-ups from contributions [S, V, L] and offsets [L]."""
    size, _, n = contribution.shape
    part = np.array([(contribution[i : i + 4] != 0).any(axis=(0, 1)) for i in range(0, size - 3, 4)], bool).reshape(-1, n)
    some = part.any(axis=1)
    first, last = np.where(some, part.argmax(axis=1), 0), np.where(some, n - part[:, ::-1].argmax(axis=1), 0)
    if (last - first).sum() > 0.9 * part.size:
        first = last = np.empty(0, np.int64)
    return LookUps(np.ascontiguousarray(contribution, np.uint32), offset.astype(np.uint32), first, last)


# Compiled ---------------------------------------------------------------------------------------------------------------


@jit
def accepts(look_ups, state):
    """Whether a state [S] has values within the contributions, so that nothing outside of them is read."""
    most = np.uint8(0)
    for i in range(np.uint64(state.shape[0])):
        most = max(most, state[i])
    return most < look_ups.contribution.shape[1]


@njit(nogil=True, inline="always")  # handing over that many arrays would cost a tenth of it
def look_up(look_ups, weights, state, out):
    """The indices of a state [S] into out [L] uint32; the weights [W, ...] there are asked for."""
    S, n, table = np.uint64(state.shape[0]), np.uint64(out.shape[0]), look_ups.contribution
    for k in range(n):
        out[k] = look_ups.offset[k]
    for g in range(S // _4):  # four pieces at a time, or most of the work would be reading and writing out
        i = _4 * g
        a, b = table[i, state[i]], table[i + _1, state[i + _1]]
        c, d = table[i + _2, state[i + _2]], table[i + _3, state[i + _3]]
        if look_ups.first.shape[0] == 0:
            for k in range(n):
                out[k] += (a[k] + b[k]) + (c[k] + d[k])
        else:
            for k in range(np.uint64(look_ups.first[g]), np.uint64(look_ups.last[g])):
                out[k] += (a[k] + b[k]) + (c[k] + d[k])
    for rest in range(S - S % _4, S):
        a = table[rest, state[rest]]
        for k in range(n):
            out[k] += a[k]
    for k in range(n):
        prefetch(weights, out[k])


@jit
def total(weights, index, zero):
    """The sum of the weights [W] at index [n], counted in the type of zero; four strands, as an addition waits for the last."""
    a = b = c = d = zero
    n = np.uint64(index.shape[0])
    for k in range(np.uint64(0), n - n % _4, _4):
        a += weights[index[k]]
        b += weights[index[k + _1]]
        c += weights[index[k + _2]]
        d += weights[index[k + _3]]
    for k in range(n - n % _4, n):
        a += weights[index[k]]
    return (a + b) + (c + d)
