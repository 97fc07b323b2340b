"""What networks compute on: the processor, or an accelerator that torch knows (cuda, mps), and how.

States stay on the host, in compiled kernels. What a network reads of them goes to its device, from page-locked (pinned) memory
where the device copies from that by itself, and what it answers comes back the same way: while the device works on one chunk of
a batch, the host prepares the next, and waits once, at the end. A checkpoint holds arrays of the host, whatever made them.
"""

import os
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

ASYNCHRONOUS = {"cuda"}  # kinds of device that copy from and to pinned memory while the host goes on


class Hardware(NamedTuple):
    """Where and how networks compute."""

    device: torch.device = torch.device("cpu")
    mixed_precision: bool = False  # products in bfloat16, all else, weights and outputs included, in float32
    compile: bool = False  # whether torch.compile makes kernels of networks

    @property
    def asynchronous(self) -> bool:
        """Whether copies go on while the host does."""
        return self.device.type in ASYNCHRONOUS

    def autocast(self) -> AbstractContextManager[Any]:
        """Where a network is called: in mixed precision if so asked."""
        return torch.autocast(self.device.type, torch.bfloat16) if self.mixed_precision else nullcontext()

    def compiled(self, network: Callable[..., Any]) -> Callable[..., Any]:
        """A network, compiled when it is first called if so asked."""
        return torch.compile(network, dynamic=True) if self.compile else network

    def send(self, array: np.ndarray) -> torch.Tensor:
        """An array as a tensor on the device; on the processor they share memory."""
        tensor = torch.from_numpy(array)
        if self.asynchronous:
            return tensor.pin_memory().to(self.device, non_blocking=True)
        return tensor.to(self.device)


CPU = Hardware()


def choose_hardware(device: str = "auto", mixed_precision: bool = False, compile: bool = False) -> Hardware:
    """What a user asks for, or an error that says what this machine has.

    Args:
        device: auto (an accelerator if there is one, else the processor), cpu, cuda, cuda:1, mps.
        mixed_precision: of accelerators only.
        compile: see `Hardware`.
    """
    there = devices()
    if device == "auto":
        chosen = torch.device(there[-1])
    else:
        try:
            chosen = torch.device(device)
        except (RuntimeError, TypeError):
            raise ValueError(
                f"unknown device {device!r}: choose auto, cpu, cuda or mps; this machine has {_all(there)}"
            ) from None
        if chosen.type not in there:
            raise ValueError(f"there is no device {device} for torch {torch.__version__}: this machine has {_all(there)}")
        count = torch.get_device_module(chosen).device_count()
        if chosen.index is not None and chosen.index >= count:
            raise ValueError(f"there is no device {device}: this machine has {count} of that kind, counted from 0")
    if chosen.type == "cuda" and chosen.index is None:  # under torchrun each process of a machine has one of its own
        chosen = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")) % torch.cuda.device_count())
    if mixed_precision and chosen.type == "cpu":
        raise ValueError(
            f"mixed precision is for accelerators, and networks would compute on cpu: this machine has {_all(there)}"
        )
    if mixed_precision and chosen.type == "cuda" and not torch.cuda.is_bf16_supported(including_emulation=False):
        raise ValueError(f"{torch.cuda.get_device_name(chosen)} does not compute in bfloat16: leave mixed precision out")
    return Hardware(chosen, mixed_precision, compile)


def devices() -> list[str]:
    """The kinds of device that this machine has, the best last."""
    accelerator = torch.accelerator.current_accelerator(check_available=True)
    return ["cpu"] if accelerator is None else ["cpu", accelerator.type]


def _all(names: list[str]) -> str:
    return "cpu alone" if len(names) == 1 else " and ".join(names)


class Output(nn.Linear):
    """A network's last layer, in float32 whatever the precision: bfloat16 would round a cost-to-go of 20 to eighths."""

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """As any linear layer."""
        with torch.autocast(input.device.type, enabled=False):
            return super().forward(input.float())
