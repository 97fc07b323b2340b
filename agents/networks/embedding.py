"""The first layer of every network here: an embedding of the features of a state, summed.

Papers feed a network a one-hot vector, one 1 per sticker, cubie or disk. A one-hot vector times a matrix is the sum of as many
rows of that matrix, so the networks here look embeddings up and add them: 20 of 480 on the 3x3x3, not a product with 480
columns. Then nothing forbids one feature per *pair* of cubies, all pairs or those of neighbours only, or per window of
neighbouring disks, which sees more at once at no more cost than the embeddings it adds.

A *symmetric* input reads, instead of a cube, the canonical representative of its symmetry class (48 symmetries, inversion), all
of which are equally far from the goal. That leaves 40,296 states of the 2x2x2 to be told apart.

Letters: B batch, S state, T features of a state, F features in all.
"""

from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from agents.networks.hardware import Output
from rubiks_gym.checks import whole
from rubiks_gym.puzzles import Cube, Puzzle, Rubik3x3
from rubiks_gym.puzzles.compiled import jit
from rubiks_gym.puzzles.threads import over_rows

INPUTS = ("stickers", "pieces", "pairs", "triples", "windows", "neighbours")
WINDOW = 5  # neighbouring pieces that make a feature of `windows`: 243 values for five disks on three pegs
MOST = 10**7  # features in all: their embeddings have to fit into memory
MOST_LAYERS, MOST_NEURONS = 100, 100_000  # of a network


class Features(NamedTuple):
    """What a state is described by: feature t has the index offset[t] + sum over j of stride[t, j] * piece[member[t, j]]."""

    member: np.ndarray  # [T, n] int64, the pieces behind each feature
    stride: np.ndarray  # [T, n] int64
    offset: np.ndarray  # [T] int64
    total: int  # F
    stickers: bool  # whether pieces are stickers (their colours) instead of entries of the state
    symmetric: bool  # whether the canonical representative is read instead of the state


def make_features(puzzle: Puzzle, input: str, symmetric: bool = False) -> Features:
    """The features of an input; a puzzle without stickers has its own pieces instead, as in the thesis's towers of Hanoi."""
    if input not in INPUTS:
        raise ValueError(f"unknown input {input!r}: choose from {', '.join(INPUTS)}")
    if symmetric and not isinstance(puzzle, Cube):
        raise ValueError(f"{puzzle.name} has no symmetry classes: symmetric networks are for cubes")
    stickers = input == "stickers" and isinstance(puzzle, Cube)
    if isinstance(puzzle, Cube) and stickers:
        pieces = puzzle.stickers(puzzle.goal[None]).shape[1]
        size, first = 6, np.zeros(pieces, np.int64)
    else:
        pieces, size, first = puzzle.state_size, puzzle.one_hot_width, puzzle.first
    if input in ("pairs", "triples"):
        groups = list(combinations(range(pieces), min(pieces, 2 if input == "pairs" else 3)))
    elif input == "neighbours":
        if not isinstance(puzzle, Rubik3x3):
            raise ValueError(f"{puzzle.name} has no corners beside edges: the input 'neighbours' is for the 3x3x3")
        groups = neighbours(puzzle)
    elif input == "windows":
        length = min(WINDOW, pieces)
        groups = [tuple(range(start, start + length)) for start in range(pieces - length + 1)]
    else:
        groups = [(piece,) for piece in range(pieces)]
    member = np.array(groups)
    per_group = size ** member.shape[1]
    if per_group * len(groups) > MOST:
        raise ValueError(f"{puzzle.name} has {per_group * len(groups):,} {input}, too many for an embedding each")
    stride = np.tile(size ** np.arange(member.shape[1]), (len(groups), 1))
    offset = per_group * np.arange(len(groups)) - (stride * first[member]).sum(axis=1)
    return Features(member, stride, offset, per_group * len(groups), stickers, symmetric)


def neighbours(cube: Rubik3x3) -> list[tuple[int, ...]]:
    """The 24 corners and edges of a 3x3x3 that touch when it is solved: those that two faces have in common."""
    moved = cube.expand(cube.goal[None])[0] != cube.goal  # [A, S]
    faces = np.stack([moved[np.array(cube.faces) == face].any(axis=0) for face in sorted(set(cube.faces))]).astype(int)
    return [(int(a), int(b)) for a, b in np.argwhere(faces.T @ faces == 2) if a < cube.corners <= b]


def feature_indices(puzzle: Puzzle, features: Features, states: np.ndarray) -> np.ndarray:
    """The feature indices [B, T] int64 of states [B, S]."""
    cube = puzzle if isinstance(puzzle, Cube) else None
    if cube is not None and features.symmetric:
        states = cube.representatives(states)
    pieces = cube.stickers(states) if cube is not None and features.stickers else puzzle.as_states(states)
    out = np.empty((len(pieces), len(features.offset)), np.int64)
    if not over_rows(_indices, (features.member, features.stride, features.offset, features.total), (pieces, out)):
        raise ValueError(f"impossible state of {puzzle.name}: a value in it belongs to no piece")
    return out


@jit
def _indices(member, stride, offset, total, pieces, out):
    ok = True
    for b in range(pieces.shape[0]):
        for t in range(offset.shape[0]):
            index = offset[t]
            for j in range(member.shape[1]):
                index += stride[t, j] * pieces[b, member[t, j]]
            out[b, t] = index
            ok &= 0 <= index < total
    return ok


class EmbeddingSum(nn.Module):
    """Sums [B, width] of the embeddings of feature indices [B, T], plus a bias: a linear layer on a one-hot vector.

    Whoever uses it draws the weights anew, as spread out as suits the number of embeddings that are added.
    """

    def __init__(self, count: int, width: int) -> None:
        super().__init__()
        self.embedding = nn.EmbeddingBag(count, width, mode="sum")
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, indices: torch.Tensor) -> torch.Tensor:
        """The sums, before any non-linearity."""
        return self.embedding(indices) + self.bias


class EmbeddingMLP(nn.Module):
    """Outputs [B, n_out] of feature indices [B, T]: summed embeddings, then linear layers, with ReLU between them."""

    def __init__(self, count: int, widths: tuple[int, ...], n_out: int) -> None:
        super().__init__()
        self.first = EmbeddingSum(count, widths[0])
        self.rest = mlp(widths, n_out)

    def forward(self, indices: torch.Tensor) -> torch.Tensor:
        """The first layer, then the rest."""
        return self.rest(torch.relu(self.first(indices)))


def check_layers(**widths: tuple[int, ...]) -> None:
    """Raise for the first of the named layers' neurons that no network can have: bounds, before anything is made."""
    for name, layers in widths.items():
        if not isinstance(layers, list | tuple) or not 1 <= len(layers) <= MOST_LAYERS:
            raise ValueError(f"{name} must name 1 to {MOST_LAYERS} layers, got {str(layers)[:100]}")
        whole(1, MOST_NEURONS, **{f"{name}[{i}]": width for i, width in enumerate(layers)})


def mlp(widths: tuple[int, ...], n_out: int) -> nn.Sequential:
    """Linear layers from widths[0] inputs to n_out outputs, with ReLU between them."""
    hidden: list[nn.Module] = []
    for a, b in pairwise(widths):
        hidden += [nn.Linear(a, b), nn.ReLU()]
    return nn.Sequential(*hidden, Output(widths[-1], n_out))
