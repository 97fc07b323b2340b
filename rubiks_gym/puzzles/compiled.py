"""How the hot loops are compiled: without the GIL, and kept for the next process wherever something can be kept.

Compiling takes seconds, once after an installation. Who watches a terminal is told so.
"""

import os
import sys
from collections.abc import Callable
from hashlib import sha256
from typing import Any

from numba import njit
from numba.core import event
from numba.core.caching import IndexDataCacheFile
from numba.core.compiler_lock import global_compiler_lock
from numba.extending import register_jitable

# Python calls kernels, kernels call the functions inside them, and C calls neither: each way in takes time to compile.
KERNEL = {"nogil": True, "no_cfunc_wrapper": True}
INNER = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def jit(function: Callable) -> Any:
    """The compiled function; where neither the installation nor the user's cache can be written, each process compiles."""
    try:
        kernel = njit(cache=True, **KERNEL)(function)
    except RuntimeError:  # numba has found no place for its files
        return njit(**KERNEL)(function)
    kept = getattr(getattr(kernel, "_cache", None), "_cache_file", None)
    if type(kept) is IndexDataCacheFile:
        kept.__class__ = FormFiles
    return kernel


class FormFiles(IndexDataCacheFile):
    """Numba's files of a kernel, with one for each form (signature) that never holds another.

    Numba numbers them. Two processes that compile different forms at the same time then take the same number, and those that
    come after run the one in place of the other.
    """

    def save(self, key: Any, data: Any) -> None:
        forms = self._load_index()
        forms[key] = self._data_name(int.from_bytes(sha256(self._dump(key)).digest()[:7], "big"))
        self._save_data(forms[key], data)  # before the index names it
        self._save_index(forms)


def inner(function: Callable) -> Any:
    """A function that kernels have compiled with them, and that stays plain Python to everybody else."""
    return register_jitable(**INNER)(function)


@inner
def copy(values, out):
    """values [N] into out [N]; an assignment of whole rows compiles a formatted message too, for seconds."""
    for i in range(values.shape[0]):
        out[i] = values[i]


class _Notice(event.Listener):
    """Says once what takes so long."""

    said = False

    def on_start(self, event: Any) -> None:
        if not _Notice.said and sys.stderr.isatty():
            print("rubiks_gym: compiling for this machine; it takes some seconds, once", file=sys.stderr)
        _Notice.said = True

    def on_end(self, event: Any) -> None:
        pass


event.register("numba:compile", _Notice())

# A fork in the middle of a compilation would leave the compiler's lock closed in the child, for ever.
if hasattr(os, "register_at_fork"):
    release = global_compiler_lock.release
    os.register_at_fork(before=global_compiler_lock.acquire, after_in_parent=release, after_in_child=release)
