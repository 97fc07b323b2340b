"""Networks that several processes learn together: torchrun starts them, torch's DistributedDataParallel averages gradients.

Each process draws its own share of the states, and all hold the same weights. Gradients on cuda are exchanged by NCCL, all else
by gloo.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from agents.ranks import rank_and_ranks, started

# what gloo and NCCL say when a process that they talk to is no longer there
_LOST = ("gloo", "NCCL", "Connection closed by peer", "Connection reset", "Broken pipe")


@contextmanager
def process_group(device: torch.device) -> Iterator[None]:
    """Join the other processes if torchrun has started several, unless that has been done."""
    if started() == 1 or dist.is_initialized():
        yield
        return
    if device.type == "cuda":
        torch.cuda.set_device(device)
    dist.init_process_group("cpu:gloo,cuda:nccl" if device.type == "cuda" else "gloo")
    rank, ranks = rank_and_ranks()
    try:
        yield
    except RuntimeError as error:
        if isinstance(error, dist.DistError) or any(word in str(error) for word in _LOST):
            raise ConnectionError(
                f"another of the {ranks} processes has ended, so rank {rank} ends too; the last checkpoint is whole: go on "
                f"with --run.resume, on {ranks} processes again"
            ) from error
        raise
    dist.destroy_process_group()  # not after a fault: some would wait for others that are gone


def parallel(network: Any) -> Any:
    """A network whose gradients become means over all processes; with one process the network itself."""
    if rank_and_ranks()[1] == 1:
        return network
    # Told that weights may be unused, torch leaves gradients in the order that they were first put together in. It would change
    # the order after the first step, which changes the order of additions: a resumed run would differ in the last bit.
    warnings.filterwarnings("ignore", "find_unused_parameters=True was specified")
    return DistributedDataParallel(network, broadcast_buffers=False, find_unused_parameters=True)


def mean_over_ranks(tensors: list[torch.Tensor]) -> None:
    """Replace tensors by their means over all processes: metrics, and statistics of batch normalisation."""
    ranks = rank_and_ranks()[1]
    if ranks == 1:
        return
    together = torch.cat([tensor.flatten() for tensor in tensors])
    dist.all_reduce(together)
    together /= ranks
    at = 0
    for tensor in tensors:
        tensor.copy_(together[at : at + tensor.numel()].view_as(tensor))
        at += tensor.numel()
