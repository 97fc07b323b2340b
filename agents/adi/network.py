"""The joint value and policy network f_theta (McAleer et al. 2018, figure 4): a trunk, and two heads of one hidden layer each.

(v, p) = f_theta(s). DeepCube's layers are 4096 and 2048 wide, then 512 for the value and 512 for the policy; ELU is after all
but the outputs. BetaCube (Bowman et al. 2018) has the same at a half and a quarter of the width. The input is one row per
cubie and place, 20 x 24 on the 3x3x3, which the first layer adds up, see agents/rows.py.

Differs from the papers in: the 2x2x2 has 7 cubies with 21 places, since one corner is held, not 8 with 24; Glorot's rule counts
for the first layer the rows that a state adds up, not all there are, so that its sums begin as large as those of other layers
(rows of pairs and triples would begin near 0); our own networks for one or two cores read pairs or triples of cubies,
and one knows the cube's symmetries.

Letters: B batch, A actions, T rows added per state.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn.functional import elu, softmax

from agents.networks.embedding import Rows
from agents.networks.weights import seeded


class Architecture(NamedTuple):
    """What a network looks like."""

    input: str  # what a row of the first layer stands for, one of INPUTS in agents/rows.py
    trunk: tuple[int, ...]  # neurons of the layers that value and policy share
    head: int  # neurons of the layer before each output
    symmetric: bool = False  # whether a cube is read as its representative, see symmetry.py


def deepcube(scale: int) -> Architecture:
    """DeepCube's network with every layer divided by `scale`."""
    return Architecture("pieces", (4096 // scale, 2048 // scale), 512 // scale)


NETWORKS: dict[str, Architecture] = {
    "deepcube": deepcube(1),
    "deepcube-half": deepcube(2),  # BetaCube's models 2 and 3
    "deepcube-quarter": deepcube(4),  # and 4
    "deepcube-eighth": deepcube(8),
    # ours, for one or two cores
    "pairs": Architecture("pairs", (96, 128), 64),
    "symmetric-pairs": Architecture("pairs", (96, 128), 64, symmetric=True),
    "triples": Architecture("triples", (32, 128), 64),
    "windows": Architecture("windows", (192, 96), 48),
    "pieces": Architecture("pieces", (512, 256), 128),
}


class Network(nn.Module):
    """Values [B] and scores of the actions [B, A], before the softmax, of row numbers [B, T]."""

    def __init__(self, rows: Rows, n_actions: int, architecture: Architecture) -> None:
        super().__init__()
        first, last, head = architecture.trunk[0], architecture.trunk[-1], architecture.head
        self.rows = nn.EmbeddingBag(rows.count, first, mode="sum")
        self.bias = nn.Parameter(torch.zeros(first))
        self.trunk = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(architecture.trunk))
        self.value_head, self.policy_head = nn.Linear(last, head), nn.Linear(last, head)
        self.value_out, self.policy_out = nn.Linear(head, 1), nn.Linear(head, n_actions)
        bound = (6 / (len(rows.offset) + first)) ** 0.5
        nn.init.uniform_(self.rows.weight, -bound, bound)
        for layer in self.modules():
            if isinstance(layer, nn.Linear):
                nn.init.xavier_uniform_(layer.weight)  # Glorot's
                nn.init.zeros_(layer.bias)

    def forward(self, numbers: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Value and policy."""
        x = self.shared(numbers)
        return self.value(x), self.policy(x)

    def shared(self, numbers: torch.Tensor) -> torch.Tensor:
        """What the trunk hands to the heads."""
        x = elu(self.rows(numbers) + self.bias, inplace=True)
        for layer in self.trunk:
            x = elu(layer(x), inplace=True)
        return x

    def value(self, x: torch.Tensor) -> torch.Tensor:
        """The first head."""
        return self.value_out(elu(self.value_head(x), inplace=True)).squeeze(1)

    def policy(self, x: torch.Tensor) -> torch.Tensor:
        """The second head."""
        return self.policy_out(elu(self.policy_head(x), inplace=True))


def make_network(rows: Rows, n_actions: int, architecture: Architecture, seed: int) -> Network:
    """An untrained network, the same for the same seed."""
    with seeded(seed):
        return Network(rows, n_actions, architecture)


@torch.inference_mode()
def values(network: Network, numbers: np.ndarray) -> np.ndarray:
    """The network's values [B] float32 for row numbers [B, T]."""
    return network.value(network.shared(torch.from_numpy(numbers))).numpy()


@torch.inference_mode()
def probabilities(network: Network, numbers: np.ndarray, legal: np.ndarray) -> np.ndarray:
    """The network's policy [B, A] float32 for row numbers [B, T]; actions that are not legal [B, A] have none of it."""
    scores = network.policy(network.shared(torch.from_numpy(numbers)))
    return softmax(scores.masked_fill_(torch.from_numpy(~legal), -torch.inf), dim=1).numpy()
