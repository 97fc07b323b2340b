"""The n-tuple network (Konen 2023, equations 18 and 19) as plain arrays, and its value in compiled code.

    V(s) = sigma( sum over symmetric images m and tuples t of weights[index of tuple t in image m of s] )

A tuple's index is the number that its cells spell. It is a weighted sum of cells, a cell is a sum over pieces (see `boards`),
so the index is a sum over pieces, which `rubiks_gym.ntuple.look_ups` adds up.

Letters: B batch, S state, V values of a piece, A actions, T tuples, M symmetric images, W weights.

Differs from the paper in: the images of a state are its sum, not its mean (equation 18), which only scales the weights. Which
images are used is drawn once per agent, not anew for every state, so that V is a function; with 24 or 48 none is left out.
"""

from typing import NamedTuple

import numpy as np

from agents.td_ntuple.boards import Board
from agents.td_ntuple.tuples import Tuples, table_sizes
from rubiks_gym.ntuple.look_ups import LookUps, accepts, look_up, make_look_ups, total
from rubiks_gym.puzzles import Puzzle
from rubiks_gym.puzzles.compiled import jit
from rubiks_gym.puzzles.cube import Cube


class Net(NamedTuple):
    """Everything that V(s) depends on."""

    weights: np.ndarray  # [W] float32, Theta: all look-up tables, one after another
    look_ups: LookUps  # of the T tuples
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
        make_look_ups(contribution, np.cumsum(sizes) - sizes),
        np.ascontiguousarray(source),
        np.ascontiguousarray(image),
        frame_of,
        rotations,
        held,
        output == "tanh",
    )


# Compiled ---------------------------------------------------------------------------------------------------------------


@jit
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


@jit
def value(net, state, seen, index):
    """V of a state [S]; leaves the activated weights in index [M, T] uint32. seen [S] uint8 is room for an image."""
    summed = np.float32(0)
    for m in range(index.shape[0]):
        see(net, m, state, seen)
        look_up(net.look_ups, net.weights, seen, index[m])
        summed += total(net.weights, index[m], np.float32(0))
    return np.tanh(summed) if net.tanh else summed


@jit
def values(net, states, out):
    """V of states [B, S] into out [B] float32; returns whether all have values that pieces can have.

    Works on three images at a time in turn: the weights of one are added up when two more have been looked up.
    """
    M, lag = net.source.shape[0], 2
    seen = np.empty(states.shape[1], np.uint8)
    index = np.empty((lag, net.look_ups.offset.shape[0]), np.uint32)
    summed = np.float32(0)
    for n in range(states.shape[0] * M + lag):
        if n >= lag:
            b, m = divmod(n - lag, M)
            summed = (summed if m > 0 else np.float32(0)) + total(net.weights, index[n % lag], np.float32(0))
            if m == M - 1:
                out[b] = np.tanh(summed) if net.tanh else summed
        if n < states.shape[0] * M:
            b, m = divmod(n, M)
            if m == 0 and not accepts(net.look_ups, states[b]):
                return False
            see(net, m, states[b], seen)
            look_up(net.look_ups, net.weights, seen, index[n % lag])
    return True
