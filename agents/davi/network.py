"""The cost-to-go network (DeepCubeA; Tardon 2022, sections 3.2 and 4.6): first layers, residual blocks, one output.

*Per action* it has an output for each action instead: the cost-to-go of that child, one pass for all children of a state, as in
Q* (Agostinelli et al. 2021), whose Q(s, a) is one move more. The cost-to-go of the state itself is then 1 + the lowest of them.

The first layer sums embeddings, and may read symmetric cubes as one, see agents/networks/embedding.py.

A *recurrent* network reads the towers of Hanoi disk by disk, the largest first. It forgets disks that are home with all larger
ones, which no shortest solution moves; of each further disk it adds what its peg costs, in the light of the disks before, after
it has multiplied what it had by a factor that is learnt too. Its weights are the same for all disks: it reads any tower.

Differs from the papers in: the small networks read cubies, pairs or windows, not stickers (the thesis's four read stickers, and
have its numbers of weights), and some know the symmetries; weights begin as PyTorch draws them, embeddings so that a sum has
the spread of one layer's output; batch normalisation is folded into the layers before it when nothing is to be learnt.

Letters: A actions, B batch, T features of a state.
"""

import copy
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from agents.networks.embedding import MOST_LAYERS, EmbeddingSum, Features, check_layers, make_features
from agents.networks.hardware import CPU, Hardware, Output
from agents.networks.inference import answers
from agents.networks.weights import seeded
from rubiks_gym.checks import whole
from rubiks_gym.puzzles import Hanoi, Puzzle


class Architecture(NamedTuple):
    """What a network looks like."""

    input: str  # what a feature stands for, one of INPUTS in agents/networks/embedding.py
    first: tuple[int, ...]  # neurons of the layers before the residual blocks; the blocks are as wide as the last of them
    blocks: int  # residual blocks of two layers each
    batch_norm: bool = False
    symmetric: bool = False  # whether a cube is read as the canonical representative of its symmetry class
    recurrent: bool = False  # whether disks are read one after another; `first` is the width of its hidden state
    whole: bool = False  # whether what a search or a target is told is rounded: the true cost-to-go is a whole number
    per_action: bool = False  # whether there is an output for the cost-to-go of each child, not one for the state's own


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
    "recurrent": Architecture("pieces", (16,), 0, recurrent=True, whole=True),  # 900 weights, towers of any height
    "wide-recurrent": Architecture("pieces", (32,), 0, recurrent=True, whole=True),
    "pieces": Architecture("pieces", (512, 256), 1),  # 0.5 million weights on the 3x3x3
    "deep-pieces": Architecture("pieces", (840, 200), 2),  # 0.73 million, the size that speed is compared at
}


class Network(nn.Module):
    """Cost-to-go [B], or [B, A] of the children, of feature indices [B, T]."""

    def __init__(self, features: Features, n_actions: int, architecture: Architecture) -> None:
        super().__init__()
        check_layers(first=architecture.first)
        whole(0, MOST_LAYERS, blocks=architecture.blocks)
        self.architecture = architecture
        last = architecture.first[-1]
        widths = (*architecture.first, *(last,) * (2 * architecture.blocks))
        self.first = EmbeddingSum(features.total, widths[0])
        bound = len(features.offset) ** -0.5
        nn.init.uniform_(self.first.embedding.weight, -bound, bound)
        self.dense = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(widths))
        self.norms = nn.ModuleList(nn.BatchNorm1d(width) if architecture.batch_norm else nn.Identity() for width in widths)
        self.out = Output(last, n_actions if architecture.per_action else 1)

    def forward(self, indices: torch.Tensor) -> torch.Tensor:
        """Every layer is followed by batch normalisation, if there is any, and ReLU; a block adds its input before the last."""
        n_first = len(self.architecture.first)
        x = torch.relu_(self.norms[0](self.first(indices)))
        for i in range(1, n_first):
            x = torch.relu_(self.norms[i](self.dense[i - 1](x)))
        for i in range(n_first, len(self.norms), 2):
            inside = torch.relu_(self.norms[i](self.dense[i - 1](x)))
            x = torch.relu_(self.norms[i + 1](self.dense[i](inside)) + x)
        return self.out(x) if self.architecture.per_action else self.out(x).squeeze(1)


class Recurrent(nn.Module):
    """Cost-to-go [B] of towers of Hanoi, feature indices [B, T] of their disks, by V pegs and H hidden neurons."""

    def __init__(self, features: Features, architecture: Architecture) -> None:
        super().__init__()
        check_layers(first=architecture.first)
        (width,) = architecture.first
        self.architecture = architecture
        self.pegs = features.total // len(features.offset)
        self.begin = nn.Parameter(torch.randn(width) / 2)  # what is known before the first disk that is not home
        self.after = nn.Linear(width, self.pegs * width)  # what is known after a disk, for each peg that it may be on
        nn.init.normal_(self.after.weight, std=width**-0.5)
        self.cost = Output(width, self.pegs)  # what a disk costs on each peg
        self.growth = nn.Parameter(torch.ones(1))  # what the cost of larger disks is multiplied by for one more below them

    def forward(self, indices: torch.Tensor) -> torch.Tensor:
        """From the largest disk to the smallest; the goal is on the last peg."""
        pegs, rows = indices % self.pegs, torch.arange(len(indices), device=indices.device)
        begin = hidden = self.begin.expand(len(indices), -1)
        total = torch.zeros(len(indices), device=indices.device)
        away = torch.zeros_like(total, dtype=torch.bool)  # whether this disk or a larger one is not home
        for disk in range(pegs.shape[1] - 1, -1, -1):
            peg = pegs[:, disk]
            away = away | (peg != self.pegs - 1)
            total = torch.where(away, self.growth * total + self.cost(hidden)[rows, peg], total)
            following = torch.tanh(self.after(hidden).view(len(indices), self.pegs, -1)[rows, peg])
            hidden = torch.where(away[:, None], following, begin)
        return total


def read_by(puzzle: Puzzle, architecture: Architecture) -> Features:
    """The features of a puzzle that a network reads."""
    if architecture.recurrent and not isinstance(puzzle, Hanoi):
        raise ValueError(f"recurrent networks read the disks of Hanoi, which {puzzle.name} does not have")
    if architecture.recurrent and architecture.per_action:
        raise ValueError("recurrent networks have no output per action")
    features = make_features(puzzle, architecture.input, architecture.symmetric)
    # An inverse is as far from the goal, but other moves solve it: per action, the agent sees to symmetries when it reads.
    return features._replace(symmetric=architecture.symmetric and not architecture.per_action)


def make_network(features: Features, n_actions: int, architecture: Architecture, seed: int) -> "Network | Recurrent":
    """An untrained network, the same for the same seed."""
    with seeded(seed):
        return Recurrent(features, architecture) if architecture.recurrent else Network(features, n_actions, architecture)


@torch.no_grad()
def folded(network: Network | Recurrent) -> Network | Recurrent:
    """A copy without batch normalisation that answers as the network does in evaluation mode.

    A normalised layer is scale * (W x + b - mean) + shift, which is another layer with weights scale * W.
    """
    plain = copy.deepcopy(network).eval().requires_grad_(False)
    if isinstance(network, Network) and isinstance(plain, Network) and network.architecture.batch_norm:
        norms: list[Any] = list(network.norms)
        for i, norm in enumerate(norms):
            scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)
            layer: Any = plain.first if i == 0 else plain.dense[i - 1]
            layer.bias.copy_(scale * (layer.bias - norm.running_mean) + norm.bias)
            if i == 0:
                plain.first.embedding.weight.mul_(scale)
            else:
                layer.weight.mul_(scale[:, None])
            plain.norms[i] = nn.Identity()
        plain.architecture = network.architecture._replace(batch_norm=False)
    return plain


def evaluate(network: Network | Recurrent, indices: np.ndarray, hardware: Hardware = CPU) -> np.ndarray:
    """The network's answers [B], or [B, A] per action, float32 for feature indices [B, T]."""
    shape = (network.out.out_features,) if isinstance(network, Network) and network.architecture.per_action else ()
    return answers(network, lambda part: (indices[part],), len(indices), shape, hardware)
