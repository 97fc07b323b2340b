"""What networks compute on, as command lines of train ask for it."""

from dataclasses import dataclass
from typing import Any

# settings that may change when a run is resumed
HARDWARE = ("device", "mixed_precision", "compile")


@dataclass(frozen=True, kw_only=True)
class HardwareOptions:
    """What networks compute on, and how."""

    device: str = "auto"
    """What networks compute on: cpu, cuda (cuda:1 is the second), mps; auto is an accelerator if there is one, else cpu."""
    mixed_precision: bool = False
    """Compute products in bfloat16 on the accelerator; weights and outputs stay float32."""
    compile: bool = False
    """Let torch.compile make kernels of the networks: they take a minute to make, and do not always pay (docs/gpu.md)."""

    def hardware(self) -> dict[str, Any]:
        """The same as keywords of `agents.load` and of choose_hardware."""
        return {name: getattr(self, name) for name in HARDWARE}
