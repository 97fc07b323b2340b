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
from agents.general_ntuple.view import View, read_state
from rubiks_gym.ntuple.look_ups import LookUps, look_up, make_look_ups, total
from rubiks_gym.puzzles.compiled import jit


class Reader(NamedTuple):
    """How states are looked up: everything about the network but its weights."""

    view: View
    look_ups: LookUps
    n_weights: int


def make_reader(view: View, images: Images, tuples: list[tuple[int, ...]]) -> Reader:
    """The look-ups of all tuples."""
    entries, values = len(view.radix), int(view.radix.max())
    contributions, offsets, start = [], [], 0
    for each in tuples:
        strides = np.cumprod([1, *view.radix[list(each)]])
        seen: set[bytes] = set()
        for source, image in zip(images.source, images.image, strict=True):
            contribution = np.zeros((entries, values), np.uint32)
            for e, stride in zip(each, strides, strict=False):
                contribution[source[e]] += image[e].astype(np.uint32) * np.uint32(stride)
            looked_at = np.unique(source[list(each)]).tobytes()
            if looked_at not in seen:
                seen.add(looked_at)
                contributions.append(contribution)
                offsets.append(start)
        start += int(strides[-1])
    return Reader(view, make_look_ups(np.stack(contributions, axis=2), np.array(offsets)), start)


# Compiled ---------------------------------------------------------------------------------------------------------------


@jit
def read(view, state, x):
    """The entries of one state [S] into x [E]."""
    return read_state(view.places, view.starts, view.values, view.code, view.slot, view.other, state, x)


@jit
def sums(view, look_ups, weights, states, out):
    """The sums of the weights [W] int8 of states [B, S] into out [B] int32; False if one has impossible values.

    While the weights of one state are on their way, the indices of the next are worked out.
    """
    index = np.empty((2, look_ups.offset.shape[0]), np.uint32)
    x = np.zeros(view.radix.shape[0], np.uint8)
    for b in range(states.shape[0] + 1):
        if b < states.shape[0]:
            if not read(view, states[b], x):
                return False
            look_up(look_ups, weights, x, index[b & 1])
        if b > 0:
            out[b - 1] = total(weights, index[(b - 1) & 1], np.int32(0))
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
    n = look_ups.offset.shape[0]
    index, old = np.empty((2, n), np.uint32), np.empty(n, np.float32)
    x = np.zeros(view.radix.shape[0], np.uint8)
    squares, saturation, temperature = 0.0, link[0], link[1]
    for b in range(states.shape[0] + 1):
        if b < states.shape[0]:
            read(view, states[b], x)
            look_up(look_ups, weights, x, index[b & 1])
        if b > 0:
            before = index[(b - 1) & 1]
            cost = bias + total(weights, before, np.float32(0))
            if temperature > 0:
                z = (saturation - cost) / temperature
                if z > 30:  # e^z would swallow the 1 beside it, and later overflow
                    fitted, slope = cost, 1.0
                else:
                    fitted, slope = saturation - temperature * np.log1p(np.exp(z)), 1 / (1 + np.exp(-z))
                error = targets[b - 1] - fitted
            else:
                error, slope = targets[b - 1] - cost, 1.0
            squares += error * error
            change = np.float32(lr * min(max(error * slope, -clip), clip) / n)
            # All are read before one is written: a weight that is read twice moves once.
            for k in range(n):
                old[k] = weights[before[k]]
            for k in range(n):
                weights[before[k]] = old[k] + change
    return squares
