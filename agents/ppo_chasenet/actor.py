"""The policy network p_theta(a|s) (Lin and Liang 2024, section 2.6) without the critic and without stable-baselines3.

It is what an agent keeps, and all that solving needs; learner.py trains it. Its first layer adds rows, see agents/rows.py:
with one row per pair of cubies it sees more than with one per cubie, and learns in fewer steps.
"""

from itertools import pairwise

import numpy as np
import torch
from torch import nn
from torch.nn.functional import relu, softmax

from agents.networks.embedding import Rows


class FirstLayer(nn.Module):
    """Sums [B, width] of rows [B, T], rectified."""

    def __init__(self, rows: Rows, width: int) -> None:
        super().__init__()
        self.rows = nn.EmbeddingBag(rows.count, width, mode="sum")
        nn.init.normal_(self.rows.weight, std=len(rows.offset) ** -0.5)  # so that the sum is of size 1
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, numbers: torch.Tensor) -> torch.Tensor:
        """The first layer."""
        return relu(self.rows(numbers) + self.bias)


class Actor(nn.Module):
    """Scores [B, A] of the actions, before the softmax, of row numbers [B, T]."""

    def __init__(self, rows: Rows, widths: tuple[int, ...], n_actions: int) -> None:
        super().__init__()
        self.first = FirstLayer(rows, widths[0])
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise((*widths, n_actions)))

    def forward(self, numbers: torch.Tensor) -> torch.Tensor:
        """The actor's part of the policy."""
        x = self.first(numbers)
        for layer in self.layers[:-1]:
            x = relu(layer(x))
        return self.layers[-1](x)


@torch.inference_mode()
def probabilities(actor: Actor, numbers: np.ndarray, legal: np.ndarray) -> np.ndarray:
    """The policy [B, A] float32 for row numbers [B, T]; actions that are not legal [B, A] have none of it."""
    scores = actor(torch.from_numpy(numbers))
    return softmax(scores.masked_fill_(torch.from_numpy(~legal), -torch.inf), dim=1).numpy()
