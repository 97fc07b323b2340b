"""A first layer that adds rows: which rows of a matrix a state of any puzzle stands for.

Papers feed a network a one-hot vector, one 1 per sticker, cubie or disk. A one-hot vector times a matrix is the sum of as many
rows of that matrix, so the networks here look their rows up and add them: 20 rows of 480 on the 3x3x3, not a product with 480
columns. Then nothing forbids one row per *pair* of cubies, or per window of neighbouring disks, which sees more at once at no
more cost than the rows it adds.

A *symmetric* layer reads, instead of a cube, the representative of all cubes that are alike (48 symmetries, inversion), which
are equally far from the goal. That leaves 40,296 states of the 2x2x2 to be told apart.

Letters: B batch, S state, T rows added per state, R rows in all.
"""

from itertools import combinations
from typing import NamedTuple

import numpy as np
from numba import njit

from rubiks_gym.puzzles import Puzzle
from rubiks_gym.puzzles.threads import over_rows

INPUTS = ("stickers", "pieces", "pairs", "triples", "windows")
WINDOW = 5  # neighbouring pieces that share a row of `windows`: 243 rows for five disks on three pegs


class Rows(NamedTuple):
    """Which rows a state adds up: row t is offset[t] + sum over j of stride[t, j] * piece[member[t, j]]."""

    member: np.ndarray  # [T, n] int64, the pieces behind each row
    stride: np.ndarray  # [T, n] int64
    offset: np.ndarray  # [T] int64
    count: int  # R
    stickers: bool  # whether pieces are stickers (their colours) instead of entries of the state
    symmetric: bool  # whether it is the representative of the state that is read


def make_rows(puzzle: Puzzle, input: str, symmetric: bool = False) -> Rows:
    """The rows of an input; a puzzle without stickers has its own pieces instead, as in the thesis's towers of Hanoi."""
    if input not in INPUTS:
        raise ValueError(f"unknown input {input!r}: choose from {', '.join(INPUTS)}")
    if symmetric and not hasattr(puzzle, "representatives"):
        raise ValueError(f"{puzzle.name} has no representatives: symmetric networks are for cubes")
    stickers = input == "stickers" and "stickers" in puzzle.observations
    pieces = puzzle.stickers(puzzle.goal[None]).shape[1] if stickers else puzzle.state_size
    size, first = (6, np.zeros(pieces, np.int64)) if stickers else (puzzle.one_hot_width, puzzle.first)
    if input in ("pairs", "triples"):
        groups = list(combinations(range(pieces), min(pieces, 2 if input == "pairs" else 3)))
    elif input == "windows":
        length = min(WINDOW, pieces)
        groups = [tuple(range(start, start + length)) for start in range(pieces - length + 1)]
    else:
        groups = [(piece,) for piece in range(pieces)]
    member = np.array(groups)
    per_group = size ** member.shape[1]
    if per_group * len(groups) > 10**7:
        raise ValueError(f"{puzzle.name} has {per_group * len(groups):,} {input}, too many for a row each")
    stride = np.tile(size ** np.arange(member.shape[1]), (len(groups), 1))
    offset = per_group * np.arange(len(groups)) - (stride * first[member]).sum(axis=1)
    return Rows(member, stride, offset, per_group * len(groups), stickers, symmetric)


def row_numbers(puzzle: Puzzle, rows: Rows, states: np.ndarray) -> np.ndarray:
    """The rows [B, T] int64 that states [B, S] add up."""
    if rows.symmetric:
        states = puzzle.representatives(states)
    pieces = puzzle.stickers(states) if rows.stickers else puzzle.as_states(states)
    out = np.empty((len(pieces), len(rows.offset)), np.int64)
    over_rows(_numbers, (rows.member, rows.stride, rows.offset), (pieces, out))
    return out


@njit(cache=True, nogil=True)
def _numbers(member, stride, offset, pieces, out):
    for b in range(pieces.shape[0]):
        for t in range(offset.shape[0]):
            number = offset[t]
            for j in range(member.shape[1]):
                number += stride[t, j] * pieces[b, member[t, j]]
            out[b, t] = number
    return True
