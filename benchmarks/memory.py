"""The peak of this process's memory while some work is done, as the system counts it (Linux)."""

from pathlib import Path


def resident(word: str) -> int:
    """Bytes in memory: now (VmRSS), or at most since the count was last begun anew (VmHWM)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(word)) * 1024


class Peak:
    """`with Peak() as peak: ...`: peak.nbytes says by how much the process had grown when it was largest."""

    nbytes = 0

    def __enter__(self) -> "Peak":
        Path("/proc/self/clear_refs").write_text("5")  # begins to count VmHWM anew
        self._before = resident("VmRSS")
        return self

    def __exit__(self, *_: object) -> None:
        self.nbytes = resident("VmHWM") - self._before
