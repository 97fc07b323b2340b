"""The cost-to-go network (DeepCubeA; Tardon 2022, sections 3.2 and 4.6): first layers, residual blocks, one output.

The papers feed it a one-hot vector, one 1 per sticker or disk. A one-hot vector times a matrix is the sum of as many rows of
that matrix, so the first layer here looks its rows up and adds them: 20 rows of 480 on the 3x3x3, not a product with 480
columns. Then nothing forbids one row per *pair* of cubies, or per window of neighbouring disks, which sees more at once at no
more cost than the rows it adds.

A *symmetric* network reads, instead of a cube, the representative of all cubes that are alike (48 symmetries, inversion), which
are equally far from the goal. That leaves 40,296 states of the 2x2x2 to be told apart.

Differs from the papers in: the small networks read cubies, pairs or windows, not stickers (the thesis's four read stickers, and
have its numbers of weights), and some know the symmetries; weights begin as PyTorch draws them, rows so that their sum has the
spread of one layer's output; batch normalisation is folded into the layers before it when nothing is to be learnt.

Letters: B batch, S state, T rows added per state, R rows in all, H width of the first layer.
"""

import copy
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np
import torch
from numba import njit
from torch import nn

from rubiks_gym.puzzles import Puzzle
from rubiks_gym.puzzles.threads import over_rows

INPUTS = ("stickers", "pieces", "pairs", "triples", "windows")
WINDOW = 5  # neighbouring pieces that share a row of `windows`: 243 rows for five disks on three pegs
_CHUNK = 4096  # states evaluated at a time: what one layer hands to the next stays in the processor's cache


class Architecture(NamedTuple):
    """What a network looks like."""

    input: str  # what a row of the first layer stands for, one of INPUTS
    first: tuple[int, ...]  # neurons of the layers before the residual blocks; the blocks are as wide as the last of them
    blocks: int  # residual blocks of two layers each
    batch_norm: bool = False
    symmetric: bool = False  # whether a cube is read as its representative, the same for all that are alike


NETWORKS: dict[str, Architecture] = {
    # the thesis's four (section 4.6); the first is DeepCubeA's
    "DNN_0": Architecture("stickers", (5000, 1000), 4, True),
    "DNN_noBatchNorm": Architecture("stickers", (5000, 1000), 4),
    "DNN_reduced_0": Architecture("stickers", (3000, 800), 3, True),
    "DNN_reduced_0_noBatchNorm": Architecture("stickers", (3000, 800), 3),
    # ours, for one or two cores
    "pairs": Architecture("pairs", (96, 128), 1),
    "wide-pairs": Architecture("pairs", (192, 128), 1),
    "triples": Architecture("triples", (32, 128), 1),
    "symmetric-pairs": Architecture("pairs", (96, 128), 1, symmetric=True),
    "symmetric-triples": Architecture("triples", (32, 128), 1, symmetric=True),
    "windows": Architecture("windows", (192, 96), 1),
    "pieces": Architecture("pieces", (512, 256), 1),  # 0.5 million weights on the 3x3x3
    "deep-pieces": Architecture("pieces", (840, 200), 2),  # 0.73 million, the size that speed is compared at
}


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


class Network(nn.Module):
    """Cost-to-go [B] of row numbers [B, T]."""

    def __init__(self, rows: Rows, architecture: Architecture) -> None:
        super().__init__()
        self.architecture = architecture
        last = architecture.first[-1]
        widths = (*architecture.first, *(last,) * (2 * architecture.blocks))
        self.rows = nn.EmbeddingBag(rows.count, widths[0], mode="sum")
        bound = len(rows.offset) ** -0.5
        nn.init.uniform_(self.rows.weight, -bound, bound)
        self.bias = nn.Parameter(torch.zeros(widths[0]))
        self.dense = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(widths))
        self.norms = nn.ModuleList(nn.BatchNorm1d(width) if architecture.batch_norm else nn.Identity() for width in widths)
        self.out = nn.Linear(last, 1)

    def forward(self, numbers: torch.Tensor) -> torch.Tensor:
        """Every layer is followed by batch normalisation, if there is any, and ReLU; a block adds its input before the last."""
        n_first = len(self.architecture.first)
        x = torch.relu_(self.norms[0](self.rows(numbers) + self.bias))
        for i in range(1, n_first):
            x = torch.relu_(self.norms[i](self.dense[i - 1](x)))
        for i in range(n_first, len(self.norms), 2):
            inside = torch.relu_(self.norms[i](self.dense[i - 1](x)))
            x = torch.relu_(self.norms[i + 1](self.dense[i](inside)) + x)
        return self.out(x).squeeze(1)


def make_network(rows: Rows, architecture: Architecture, seed: int) -> Network:
    """An untrained network, the same for the same seed; torch's own random numbers go on as if nothing had happened."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Network(rows, architecture)


@torch.no_grad()
def folded(network: Network) -> Network:
    """A copy without batch normalisation that answers as the network does in evaluation mode.

    A normalised layer is scale * (W x + b - mean) + shift, which is another layer with weights scale * W.
    """
    plain = copy.deepcopy(network).eval().requires_grad_(False)
    if network.architecture.batch_norm:
        for i, norm in enumerate(network.norms):
            scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)
            layer = plain if i == 0 else plain.dense[i - 1]
            layer.bias.copy_(scale * (layer.bias - norm.running_mean) + norm.bias)
            if i == 0:
                plain.rows.weight.mul_(scale)
            else:
                layer.weight.mul_(scale[:, None])
            plain.norms[i] = nn.Identity()
        plain.architecture = network.architecture._replace(batch_norm=False)
    return plain


@torch.inference_mode()
def evaluate(network: Network, numbers: np.ndarray) -> np.ndarray:
    """The network's answers [B] float32 for row numbers [B, T]."""
    out = np.empty(len(numbers), np.float32)
    for start in range(0, len(numbers), _CHUNK):
        out[start : start + _CHUNK] = network(torch.from_numpy(numbers[start : start + _CHUNK])).numpy()
    return out
