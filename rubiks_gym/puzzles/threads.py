"""Run a compiled kernel over the rows of a batch, on several cores when the batch is large; or any functions side by side.

Kernels release the GIL and rows do not depend on each other, so a plain thread pool does what a parallel compiler would,
with one compilation instead of two, and results do not depend on the number of threads.
"""

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from typing import TypeVar

import numpy as np

from rubiks_gym.checks import whole

T = TypeVar("T")

# Fewer rows than this take well under a millisecond, and handing them over costs more than it saves.
_MANY = 1 << 15

_threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
_pool: ThreadPoolExecutor | None = None
_here = threading.local()  # .busy: this thread is one of several side by side; .stop: an Event, set when it is to end
_any_stopped = False  # whether any thread was ever told to end, which is quicker to ask


def set_num_threads(n: int) -> None:
    """Use n threads for large batches from now on (default: the cores this process may use)."""
    global _threads, _pool
    whole(1, threads=n)
    _threads, _pool = n, None


def get_num_threads() -> int:
    """How many threads large batches are spread over."""
    return _threads


def over_rows(kernel: Callable, tables: tuple, rows: tuple[np.ndarray, ...]) -> bool:
    """Call kernel(*tables, *rows), rows cut into one piece per thread if there are many.

    A kernel returns False when it met a row it refuses; the result is whether all rows were accepted.
    """
    if _any_stopped and getattr(_here, "busy", False) and _here.stop.is_set():
        raise StoppedError
    if len(rows[0]) < _MANY or _threads == 1:
        return kernel(*(tables + rows))
    return all(side_by_side([partial(kernel, *tables, *piece) for piece in pieces(rows)]))


def pieces(rows: tuple[np.ndarray, ...]) -> list[tuple[np.ndarray, ...]]:
    """The rows of all arrays cut into one piece per thread."""
    cuts = np.linspace(0, len(rows[0]), _threads + 1).astype(int)
    return [tuple(array[a:b] for array in rows) for a, b in pairwise(cuts)]


def side_by_side(calls: Sequence[Callable[[], T]]) -> list[T]:
    """The results of functions that are run on all threads at the same time; none of them is shared out further.

    If one of them fails, or on Ctrl-C, none goes on: those that wait do not begin, and those under way end where they next
    look at rows of a batch.
    """
    global _pool, _any_stopped
    if _threads == 1 or len(calls) < 2 or getattr(_here, "busy", False):
        return [call() for call in calls]
    if _pool is None:
        _pool = ThreadPoolExecutor(_threads, thread_name_prefix="rubiks_gym")
    stop, futures = threading.Event(), []
    try:
        for call in calls:
            futures.append(_pool.submit(_unless, stop, call))
        return [future.result() for future in futures]
    except BaseException:
        stop.set()
        _any_stopped = True
        for future in futures:
            future.cancel()
        raise


def _unless(stop: threading.Event, call: Callable[[], T]) -> T:
    """What a call returns, made in a thread that ends it when stop is set."""
    _here.busy, _here.stop = True, stop
    return call()


class StoppedError(Exception):
    """This thread works for a call that has failed or was interrupted, and nobody waits for what it finds."""


def copied(array: np.ndarray, dtype: np.dtype | None = None) -> np.ndarray:
    """A copy, perhaps of another dtype; numpy copies without the GIL, so many rows are shared out like a kernel's."""
    if len(array) < _MANY or _threads == 1:
        return array.copy() if dtype is None else array.astype(dtype)
    out = np.empty(array.shape, array.dtype if dtype is None else dtype)
    over_rows(_copy, (), (out, array))
    return out


def _copy(out: np.ndarray, array: np.ndarray) -> bool:
    np.copyto(out, array)
    return True


def _forget_pool() -> None:
    global _pool
    _pool = None


# A forked child has the pool's object but none of its threads: it would wait for ever.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pool)
