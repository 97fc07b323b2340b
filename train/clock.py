"""The clock of a run, a thing of its own so that tests can bring theirs instead of waiting."""

import time
from collections.abc import Callable
from typing import NamedTuple


class Clock(NamedTuple):
    """Two functions that give seconds since some fixed moment."""

    wall: Callable[[], float] = time.perf_counter
    cpu: Callable[[], float] = time.process_time  # of all threads of this process together


CLOCK = Clock()
