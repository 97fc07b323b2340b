"""What requests may cost; whoever asks for more is told the limit."""

import os
from dataclasses import dataclass

from rubiks_gym.checks import named, number, whole

_CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True)
class Limits:
    """Every limit of the server. `GET api/info` tells them to the page."""

    seconds: float = 60.0
    """Seconds of a search for which nothing else is asked."""
    most_seconds: float = 600.0
    """Seconds that may be asked for."""
    nodes: int = 10_000_000
    """Nodes of a search; proofs of shortest solutions look at billions, and have their seconds only."""
    memory: int = 3 << 30
    """Bytes that the arrays of a search may take."""
    process_memory: int = 5 << 30
    """Bytes that a worker process may take in all: agent, tables and search (Linux)."""
    preparation: float = 600.0
    """Seconds that an agent or a table may take to be loaded or made, before its search begins."""
    workers: int = min(_CORES, 4)
    """Searches at once, each in a process of its own."""
    queued: int = 100
    """Jobs that wait for a worker."""
    kept: int = 200
    """Jobs that have ended and whose results can still be read; the oldest is forgotten first."""
    waiting: float = 20.0
    """Seconds for which a request may wait for a job to end."""
    body: int = 1 << 16
    """Bytes of a request."""
    depth: int = 4
    """Brackets within brackets in the JSON of a request."""
    text: int = 10_000
    """Characters of a text in a request."""
    exact_states: int = 5_000_000
    """States of a puzzle whose true distances are told beside every solution."""
    perimeter: int = 10_000_000
    """States of a goal perimeter."""
    moves: int = 100_000
    """Moves of a solution that is told; values on the way are told for a tenth of that."""
    runs: int = 500
    """Run folders that are listed."""
    metrics: int = 1 << 18
    """Bytes of a run's metrics that one answer holds."""

    def __post_init__(self) -> None:
        number(above=0, **named(self, "seconds", "most_seconds", "preparation", "waiting"))
        counts = ("nodes", "memory", "process_memory", "workers", "queued", "kept", "body", "depth", "text", "moves", "metrics")
        whole(1, **named(self, *counts))
        whole(0, **named(self, "exact_states", "perimeter", "runs"))

    @property
    def threads(self) -> int:
        """Threads of a worker, so that all workers together have the machine's cores."""
        return max(1, _CORES // self.workers)
