"""The joint value and policy network f_theta (McAleer et al. 2018, figure 4): a trunk, and two heads of one hidden layer each.

(v, p) = f_theta(s). DeepCube's layers are 4096 and 2048 wide, then 512 for the value and 512 for the policy; ELU is after all
but the outputs. BetaCube (Bowman et al. 2018) has the same at a half and a quarter of the width. The input is one feature per
cubie, where it is, 20 of 20 x 24 on the 3x3x3, whose embeddings the first layer sums, see agents/networks/embedding.py.

Differs from the papers in: the 2x2x2 has 7 cubies with 21 places, since one corner is held, not 8 with 24; Glorot's rule counts
for the first layer the embeddings that a state sums, not all there are, so that its sums begin as large as those of other
layers (those of pairs and triples would begin near 0); our own networks for one or two cores read pairs or triples of cubies,
and two know the cube's symmetries.

*Per action* the value head says what each move is worth, q(s, a) = R(A(s, a)) + v(A(s, a)): one pass knows the values of all
children of a state, and v(s) is the highest q.

Letters: B batch, A actions, T features of a state.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn.functional import elu

from agents.networks.embedding import EmbeddingSum, Features, check_layers
from agents.networks.hardware import CPU, Hardware, Output
from agents.networks.inference import answers, as_probabilities
from agents.networks.weights import seeded


class Architecture(NamedTuple):
    """What a network looks like."""

    input: str  # what a feature stands for, one of INPUTS in agents/networks/embedding.py
    trunk: tuple[int, ...]  # neurons of the layers that value and policy share
    head: int  # neurons of the layer before each output
    symmetric: bool = False  # whether a cube is read as the canonical representative of its symmetry class
    joint: bool = True  # whether value and policy share the trunk; if not, each has one of its own
    per_action: bool = False  # whether the value head has an output q(s, a) for each action, not one for the state's value


def deepcube(scale: int) -> Architecture:
    """DeepCube's network with every layer divided by `scale`."""
    return Architecture("pieces", (4096 // scale, 2048 // scale), 512 // scale)


NETWORKS: dict[str, Architecture] = {
    "deepcube": deepcube(1),
    "deepcube-half": deepcube(2),  # BetaCube's models 2 and 3
    "deepcube-quarter": deepcube(4),  # BetaCube's model 4
    "deepcube-eighth": deepcube(8),
    "deepcube-eighth-separate": deepcube(8)._replace(joint=False),  # what DeepCube compares its joint network with
    # ours, for one or two cores
    "pairs": Architecture("pairs", (96, 128), 64),
    "symmetric-pairs": Architecture("pairs", (96, 128), 64, symmetric=True),
    "triples": Architecture("triples", (32, 128), 64),
    "windows": Architecture("windows", (192, 96), 48),
    "pieces": Architecture("pieces", (512, 256), 128),
    "neighbours": Architecture("neighbours", (256, 256), 128),
    "symmetric-neighbours": Architecture("neighbours", (256, 256), 128, symmetric=True),
}


class Network(nn.Module):
    """Values [B], or [B, A] of the actions, and scores of the actions [B, A], before the softmax, of feature indices [B, T]."""

    def __init__(self, features: Features, n_actions: int, architecture: Architecture) -> None:
        super().__init__()
        check_layers(trunk=architecture.trunk, head=(architecture.head,))
        first, last, head = architecture.trunk[0], architecture.trunk[-1], architecture.head
        self.first = EmbeddingSum(features.total, first)
        self.trunk = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(architecture.trunk))
        self.value_head, self.policy_head = nn.Linear(last, head), nn.Linear(last, head)
        self.per_action = architecture.per_action
        self.value_out, self.policy_out = Output(head, n_actions if self.per_action else 1), Output(head, n_actions)
        self.own_first = None if architecture.joint else EmbeddingSum(features.total, first)  # the policy's
        self.own_trunk = None if architecture.joint else nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(architecture.trunk))
        bound = (6 / (len(features.offset) + first)) ** 0.5
        for layer in (self.first, self.own_first):
            if layer is not None:
                nn.init.uniform_(layer.embedding.weight, -bound, bound)
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.xavier_uniform_(module.weight)  # Glorot's
                nn.init.zeros_(module.bias)

    def forward(self, indices: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Values and scores."""
        x = self.for_value(indices)
        return self.value(x), self.policy(x if self.own_first is None else self.for_policy(indices))

    def for_value(self, indices: torch.Tensor) -> torch.Tensor:
        """What the trunk hands to the value head."""
        return _through(self.first, self.trunk, indices)

    def for_policy(self, indices: torch.Tensor) -> torch.Tensor:
        """What its trunk, the same unless they are separate, hands to the policy head."""
        if self.own_first is None or self.own_trunk is None:
            return self.for_value(indices)
        return _through(self.own_first, self.own_trunk, indices)

    def value(self, x: torch.Tensor) -> torch.Tensor:
        """The value head's output [B], or [B, A] per action, for that of the trunk."""
        out = self.value_out(elu(self.value_head(x), inplace=True))
        return out if self.per_action else out.squeeze(1)

    def policy(self, x: torch.Tensor) -> torch.Tensor:
        """The policy head's scores [B, A] for the output of the trunk."""
        return self.policy_out(elu(self.policy_head(x), inplace=True))


def _through(first: EmbeddingSum, trunk: nn.ModuleList, indices: torch.Tensor) -> torch.Tensor:
    x = elu(first(indices), inplace=True)
    for layer in trunk:
        x = elu(layer(x), inplace=True)
    return x


def make_network(features: Features, n_actions: int, architecture: Architecture, seed: int) -> Network:
    """An untrained network, the same for the same seed."""
    with seeded(seed):
        return Network(features, n_actions, architecture)


def values(network: Network, indices: np.ndarray, hardware: Hardware = CPU) -> np.ndarray:
    """The network's values [B], or [B, A] per action, float32 for feature indices [B, T]."""
    shape = (network.value_out.out_features,) if network.per_action else ()

    def value(x: torch.Tensor) -> torch.Tensor:
        return network.value(network.for_value(x))

    return answers(value, lambda part: (indices[part],), len(indices), shape, hardware)


def probabilities(network: Network, indices: np.ndarray, legal: np.ndarray, hardware: Hardware = CPU) -> np.ndarray:
    """The network's policy [B, A] float32 for feature indices [B, T], over the legal actions [B, A]."""

    def policy(x: torch.Tensor, allowed: torch.Tensor) -> torch.Tensor:
        return as_probabilities(network.policy(network.for_policy(x)), allowed)

    return answers(policy, lambda part: (indices[part], legal[part]), len(indices), legal.shape[1:], hardware)
