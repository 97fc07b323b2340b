"""Gradient steps on a batch of samples, and a target network that follows the network being fitted (see bootstrap.py)."""

from collections.abc import Callable

import numpy as np
import torch
from torch import nn
from torch.optim import Optimizer

from agents.networks.distributed import mean_over_ranks
from agents.networks.hardware import CPU, Hardware
from agents.ranks import rank_and_ranks

# which samples make a minibatch [b] int64 -> the terms of its loss [L], whose sum is minimised
Loss = Callable[[torch.Tensor], torch.Tensor]


# name -> optimizer of a network's weights; `fit` sets its learning rate
OPTIMIZERS: dict[str, Callable[[nn.Module], Optimizer]] = {
    "adam": lambda network: torch.optim.Adam(network.parameters(), fused=True),
    "rmsprop": lambda network: torch.optim.RMSprop(network.parameters(), alpha=0.9),  # Keras's alpha
}


def fit(
    model: nn.Module,
    optimizer: Optimizer,
    loss: Loss,
    n: int,
    rng: np.random.Generator,
    *,
    minibatch: int,
    learning_rate: float,
    epochs: int = 1,
    target: nn.Module | None = None,
    ema_decay: float = 0.0,
    hardware: Hardware = CPU,
) -> list[float]:
    """Fit a network to n samples per process; returns the means [L] of the terms of the loss over all steps.

    Args:
        model: the network.
        optimizer: of its weights.
        loss: see `Loss`; in several processes, of `parallel(model)`.
        n: samples that this process holds.
        rng: for their order.
        minibatch: samples per gradient step, at most, of all processes together.
        learning_rate: of the optimizer.
        epochs: times that every sample is used.
        target: a target network that becomes an average of the weights, if there is one.
        ema_decay: the share of its weights that the target network keeps at a gradient step.
        hardware: where the networks are.
    """
    for group in optimizer.param_groups:
        group["lr"] = learning_rate
    parameters = list(model.parameters())
    followers = [] if target is None else list(target.parameters())
    steps = -(-n // (minibatch // rank_and_ranks()[1]))
    total = torch.zeros(1, device=hardware.device)
    model.train()
    for _ in range(epochs):
        for part in hardware.send(rng.permutation(n)).tensor_split(steps):
            with hardware.autocast():
                terms = loss(part)
            optimizer.zero_grad()
            terms.sum().backward()
            optimizer.step()
            total = total + terms.detach()
            if followers:
                with torch.no_grad():
                    for follower, parameter in zip(followers, parameters, strict=True):
                        follower.lerp_(parameter, 1 - ema_decay)
    mean_over_ranks([*_statistics(model), total])
    if target is not None:  # statistics of batch normalisation belong to the weights of the moment: copied, not averaged
        for ours, theirs in zip(_statistics(target), _statistics(model), strict=True):
            ours.copy_(theirs)
    return (total / (steps * epochs)).cpu().tolist()


def _statistics(network: nn.Module) -> list[torch.Tensor]:
    """The means and variances that batch normalisation remembers."""
    return [buffer for buffer in network.buffers() if buffer.is_floating_point()]
