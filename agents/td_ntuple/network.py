"""The n-tuple network (Konen 2023, equations 18 and 19) as plain arrays, and its value in compiled code.

    V(s) = sigma( sum over symmetric images m and tuples t of weights[index of tuple t in image m of s] )

A tuple's index is the number that its cells spell. It is a weighted sum of cells, a cell is a sum over pieces (see `boards`),
so the index is `offset[t] + sum_i contribution[i, s_i, t]`: for each piece one row of T numbers is added, many at a time.

Letters: B batch, S state, V values of a piece, A actions, T tuples, M symmetric images, W weights.

Differs from the paper in: the images of a state are its sum, not its mean (equation 18), which only scales the weights. Which
images are used is drawn once per agent, not anew for every state, so that V is a function; with 24 or 48 none is left out.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from agents.td_ntuple.boards import Board
from agents.td_ntuple.tuples import Tuples, table_sizes
from rubiks_gym.ntuple.network import accepts
from rubiks_gym.puzzles import Puzzle
from rubiks_gym.puzzles.cube import Cube
from rubiks_gym.puzzles.prefetch import prefetch

_jit = njit(cache=True, nogil=True)


class Net(NamedTuple):
    """Everything that V(s) depends on."""

    weights: np.ndarray  # [W] float32, Theta: all look-up tables, one after another
    contribution: np.ndarray  # [S, V, T] uint32, what piece i at value v adds to the index of tuple t
    offset: np.ndarray  # [T] uint32, where tuple t's table begins
    first: np.ndarray  # [S // 4] int64, tuples first[g]..last[g] - 1 are those that pieces 4 g .. 4 g + 3 have a part in
    last: np.ndarray  # [S // 4] int64
    source: np.ndarray  # [M, S or 8] int64, see puzzles.kernels.symmetries
    image: np.ndarray  # [M, S or 8, 256] uint8
    frame_of: np.ndarray  # [256] int64, see puzzles.kernels.turn_home
    rotations: np.ndarray  # [24, 256] uint8
    held: int  # location of the piece that states leave out (2x2x2), or -1
    tanh: bool  # sigma: tanh or the identity


def choose_symmetries(puzzle: Puzzle, nsym: int, rng: np.random.Generator) -> tuple[int, ...]:
    """The identity and nsym - 1 random other rotations; 24 takes all of them, 48 the reflections too; 0 is 1."""
    if nsym not in range(25) and nsym != 48:
        raise ValueError(f"nsym must be 0..24, or 48 for all rotations and reflections, got {nsym}")
    if nsym > 1 and not isinstance(puzzle, Cube):
        raise ValueError(f"{puzzle.name} has no symmetries: nsym must be 0, got {nsym}")
    if nsym == 48:
        return tuple(range(48))
    others = 1 + rng.choice(23, max(nsym, 1) - 1, replace=False)
    return (0, *sorted(others.tolist()))


def make_net(
    puzzle: Puzzle,
    board: Board,
    tuples: Tuples,
    symmetries: tuple[int, ...],
    output: str = "identity",
    weights: np.ndarray | None = None,
) -> Net:
    """A network of zeros, or of given weights [W]."""
    if output not in ("identity", "tanh"):
        raise ValueError(f"output must be 'identity' or 'tanh', got {output!r}")
    sizes = table_sizes(board, tuples)
    contribution = np.zeros((*board.shares.shape[:2], len(tuples)), np.int64)
    for t, cells in enumerate(tuples):
        stride = 1
        for cell in reversed(cells):  # the last cell is the lowest digit
            contribution[:, :, t] += stride * board.shares[:, :, cell]
            stride *= board.sizes[cell]
    fours = range(0, puzzle.state_size - 3, 4)
    part = np.array([(contribution[i : i + 4] != 0).any(axis=(0, 1)) for i in fours], bool).reshape(-1, len(tuples))
    weights = np.zeros(int(sizes.sum()), np.float32) if weights is None else weights
    if weights.shape != (sizes.sum(),) or weights.dtype != np.float32:
        raise ValueError(f"these tuples have {sizes.sum()} float32 weights, got {weights.dtype} {weights.shape}")
    chosen, held = list(symmetries), 21 if isinstance(puzzle, Cube) and puzzle.size == 2 else -1
    if held >= 0:  # its place has three more locations, where images of impossible states may have another piece
        contribution = np.pad(contribution, ((0, 0), (0, 3), (0, 0)))
    if isinstance(puzzle, Cube):
        source, image, frame_of, rotations = puzzle.symmetry_tables
        source, image = source[chosen], image[chosen]
    else:
        source, image = np.arange(puzzle.state_size)[None], np.zeros((1, puzzle.state_size, 256), np.uint8)
        frame_of, rotations = np.zeros(256, np.int64), np.zeros((24, 256), np.uint8)
    return Net(
        weights,
        contribution.astype(np.uint32),
        (np.cumsum(sizes) - sizes).astype(np.uint32),
        np.where(part.any(axis=1), part.argmax(axis=1), 0),
        np.where(part.any(axis=1), part.shape[1] - part[:, ::-1].argmax(axis=1), 0),
        np.ascontiguousarray(source),
        np.ascontiguousarray(image),
        frame_of,
        rotations,
        held,
        output == "tanh",
    )


# Compiled ---------------------------------------------------------------------------------------------------------------


@_jit
def see(net, m, state, out):
    """Image m of a state [S] into out [S]; image 0 is the state itself."""
    n = state.shape[0]
    if m == 0:
        for c in range(n):
            out[c] = state[c]
    elif net.held < 0:
        for c in range(n):
            out[c] = net.image[m, c, state[net.source[m, c]]]
    else:  # turn the image until the held piece is home
        k = net.source[m, n]
        frame = net.frame_of[net.image[m, n, state[k] if k < n else np.uint8(net.held)]]
        for c in range(n):
            k = net.source[m, c]
            out[c] = net.rotations[frame, net.image[m, c, state[k] if k < n else np.uint8(net.held)]]


@_jit
def look_up(net, state, index):
    """The weights that a state [S] activates: one index per tuple into index [T] uint32, and asks for them to be fetched."""
    for t in range(index.shape[0]):
        index[t] = net.offset[t]
    S, table = state.shape[0], net.contribution
    for g in range(S // 4):  # four pieces at a time, or most of the work would be reading and writing the index
        i = 4 * g
        a, b = table[i, state[i]], table[i + 1, state[i + 1]]
        c, d = table[i + 2, state[i + 2]], table[i + 3, state[i + 3]]
        # Unsigned, or the compiler would allow for negative numbers and not add many at a time.
        for t in range(np.uint64(net.first[g]), np.uint64(net.last[g])):
            index[t] += (a[t] + b[t]) + (c[t] + d[t])
    for i in range(S - S % 4, S):
        a = table[i, state[i]]
        for t in range(index.shape[0]):
            index[t] += a[t]
    for t in range(index.shape[0]):
        prefetch(net.weights, index[t])


@_jit
def total(weights, index):
    """The sum of the weights at index [T], in four strands because an addition waits for the one before it."""
    a, b, c, d = np.float32(0), np.float32(0), np.float32(0), np.float32(0)
    n = index.shape[0]
    for t in range(0, n - 3, 4):
        a += weights[index[t]]
        b += weights[index[t + 1]]
        c += weights[index[t + 2]]
        d += weights[index[t + 3]]
    for t in range(n - n % 4, n):
        a += weights[index[t]]
    return (a + b) + (c + d)


@_jit
def value(net, state, seen, index):
    """V of a state [S]; leaves the activated weights in index [M, T] uint32. seen [S] uint8 is room for an image."""
    summed = np.float32(0)
    for m in range(index.shape[0]):
        see(net, m, state, seen)
        look_up(net, seen, index[m])
        summed += total(net.weights, index[m])
    return np.tanh(summed) if net.tanh else summed


@_jit
def values(net, states, out):
    """V of states [B, S] into out [B] float32; returns whether all have values that pieces can have.

    Works on three images at a time in turn: the weights of one are added up when two more have been looked up.
    """
    M, lag = net.source.shape[0], 2
    seen = np.empty(states.shape[1], np.uint8)
    index = np.empty((lag, net.offset.shape[0]), np.uint32)
    summed = np.float32(0)
    for n in range(states.shape[0] * M + lag):
        if n >= lag:
            b, m = divmod(n - lag, M)
            summed = (summed if m > 0 else np.float32(0)) + total(net.weights, index[n % lag])
            if m == M - 1:
                out[b] = np.tanh(summed) if net.tanh else summed
        if n < states.shape[0] * M:
            b, m = divmod(n, M)
            if m == 0 and not accepts(net.contribution, states[b]):
                return False
            see(net, m, states[b], seen)
            look_up(net, seen, index[n % lag])
    return True
