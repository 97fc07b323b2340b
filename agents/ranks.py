"""Several processes that learn one thing, started by torchrun: which of them this is, and what they tell each other.

One process is a single rank of the same program, and needs no torch for it.
"""

import os
import sys
from typing import Any, TypeVar

T = TypeVar("T")


def _distributed() -> Any:
    """torch.distributed if this is one of several processes that have met, else None."""
    found = sys.modules.get("torch.distributed")  # where they have met, it has been imported
    return found if found is not None and found.is_available() and found.is_initialized() else None


def started() -> int:
    """How many processes torchrun has started, whether they have met or not."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def rank_and_ranks() -> tuple[int, int]:
    """Which process this is, and of how many."""
    dist = _distributed()
    return (0, 1) if dist is None else (dist.get_rank(), dist.get_world_size())


def gathered(mine: T) -> list[T]:
    """What every process has, by rank; called by all of them."""
    dist = _distributed()
    if dist is None:
        return [mine]
    everyone: list[Any] = [None] * dist.get_world_size()
    dist.all_gather_object(everyone, mine)
    return everyone


def from_first(thing: T) -> T:
    """What the first process has; called by all of them."""
    dist = _distributed()
    if dist is None:
        return thing
    held: list[Any] = [thing]
    dist.broadcast_object_list(held, src=0, device="cpu")
    return held[0]


def all_agree(go_on: bool) -> bool:
    """Whether every process wants to go on."""
    return all(gathered(go_on))
