"""Several processes that learn one network: torchrun starts them, gradients are averaged, so that all hold the same weights.

One process is a single rank of the same program.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import torch
import torch.distributed as dist


@contextmanager
def process_group() -> Iterator[None]:
    """Join the other processes if torchrun has started several, unless that has been done."""
    several = int(os.environ.get("WORLD_SIZE", "1")) > 1 and not dist.is_initialized()
    if several:
        dist.init_process_group("gloo")
    try:
        yield
    finally:
        if several:
            dist.destroy_process_group()


def rank_and_ranks() -> tuple[int, int]:
    """Which process this is, and of how many."""
    return (dist.get_rank(), dist.get_world_size()) if dist.is_initialized() else (0, 1)


def mean_over_ranks(tensors: list[torch.Tensor]) -> None:
    """Replace tensors by their means over all processes."""
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


def all_agree(go_on: bool) -> bool:
    """Whether every process wants to go on."""
    wanted = torch.tensor([float(go_on)])
    mean_over_ranks([wanted])
    return wanted.item() == 1
