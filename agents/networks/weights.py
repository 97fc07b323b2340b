"""The weights of networks and the moments of their optimizers: drawn from a seed, and to and from a checkpoint's arrays."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch
from torch import nn
from torch.optim import Optimizer


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Draw weights from a seed; afterwards torch's own random numbers go on as if nothing had happened."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield


@torch.no_grad()
def load_weights(network: nn.Module, prefix: str, arrays: dict[str, np.ndarray]) -> None:
    """Copy stored arrays into a network; a ValueError names one that is missing or of another shape.

    A network on the device "meta", which takes no memory, gets its memory here, once all arrays are known to fit.
    """
    for name, tensor in network.state_dict().items():
        stored = arrays.get(prefix + name)
        if stored is None or stored.shape != tuple(tensor.shape):
            found = "missing" if stored is None else f"of shape {stored.shape}"
            raise ValueError(
                f"the stored weights do not fit: {prefix + name} must have shape {tuple(tensor.shape)}, is {found}"
            )
    if any(tensor.is_meta for tensor in network.state_dict().values()):
        network.to_empty(device="cpu")
    for name, tensor in network.state_dict().items():
        tensor.copy_(torch.from_numpy(arrays[prefix + name]))


def network_arrays(network: nn.Module, prefix: str) -> dict[str, np.ndarray]:
    """The arrays that `load_weights` reads."""
    return {prefix + name: tensor.cpu().numpy() for name, tensor in network.state_dict().items()}


def optimizer_arrays(network: nn.Module, optimizer: Optimizer, prefix: str = "optimizer.") -> dict[str, np.ndarray]:
    """An optimizer's moments, by the names of the weights they belong to; those it has not moved yet have none."""
    return {
        f"{prefix}{name}.{key}": value.cpu().numpy()
        for name, parameter in network.named_parameters()
        for key, value in optimizer.state[parameter].items()
    }


def load_optimizer(network: nn.Module, optimizer: Optimizer, arrays: dict[str, np.ndarray], prefix: str = "optimizer.") -> None:
    """The inverse of `optimizer_arrays`."""
    for name, parameter in network.named_parameters():
        own = f"{prefix}{name}."
        moments = {key.removeprefix(own): value for key, value in arrays.items() if key.startswith(own)}
        if not moments:
            raise ValueError(f"the stored weights do not fit: {own}* is missing")
        fused = optimizer.defaults.get("fused")  # the others count their steps on the host
        optimizer.state[parameter] = {
            key: torch.from_numpy(value.copy()).to("cpu" if key == "step" and not fused else parameter.device)
            for key, value in moments.items()
        }
