"""What a network's outputs become on their way to an agent's answers."""

from collections.abc import Callable, Iterator

import numpy as np
import torch

from agents.networks.hardware import CPU, Hardware
from rubiks_gym.puzzles import Puzzle

CHUNK = 4096  # states evaluated at a time: what one layer hands to the next stays in the processor's cache
CHUNK_OF_DEVICE = 32_768  # the same on an accelerator, which wants more at once


def chunks(n: int, size: int = CHUNK) -> Iterator[slice]:
    """Slices of so many states that cover a batch of n."""
    for start in range(0, n, size):
        yield slice(start, start + size)


@torch.inference_mode()
def answers(
    network: Callable[..., torch.Tensor],
    read: Callable[[slice], tuple[np.ndarray, ...]],
    n: int,
    shape: tuple[int, ...] = (),
    hardware: Hardware = CPU,
    chunk: int = CHUNK,
) -> np.ndarray:
    """What a network says of n states, [n, *shape] float32.

    Args:
        network: its answers [b, *shape], of tensors on its device.
        read: what it is given of some of the states, arrays of the host; called for one chunk after another.
        n: states.
        shape: of an answer.
        hardware: where the network is.
        chunk: states evaluated at a time on the processor.
    """
    out = torch.empty((n, *shape), pin_memory=hardware.asynchronous)
    network = hardware.compiled(network)
    for part in chunks(n, chunk if hardware.device.type == "cpu" else CHUNK_OF_DEVICE):
        given = [hardware.send(array) for array in read(part)]
        with hardware.autocast():
            found = network(*given)
        out[part].copy_(found, non_blocking=hardware.asynchronous)
    if hardware.asynchronous:
        torch.get_device_module(hardware.device).synchronize()
    return out.numpy()


def as_cost_to_go(puzzle: Puzzle, states: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """Costs [B] float32 of states [B, S] with what is certain: 0 at the goal, at least 1 elsewhere."""
    costs = np.maximum(costs, np.float32(1))
    costs[puzzle.is_solved(states)] = 0
    return costs


def as_probabilities(scores: torch.Tensor, legal: torch.Tensor) -> torch.Tensor:
    """The softmax [B, A] of scores [B, A] over the legal actions [B, A]; the others have probability 0."""
    return torch.softmax(scores.masked_fill_(~legal, -torch.inf), dim=1)
