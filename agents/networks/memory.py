"""Large blocks of memory that stay with a process between gradient steps.

A gradient step of a network with millions of weights asks for arrays as large as its layers, and gives them back. Blocks above
32 MB the C library returns to the system each time, which hands them out anew, page by page and filled with zeros: DeepCube's
network at full size took a third of its time for that. Kept, they are used again at once; results are the same to the bit.
"""

import ctypes
import sys

_M_TRIM_THRESHOLD, _M_MMAP_MAX = -1, -4  # numbers in glibc's malloc.h
_MOST = 2**31 - 1


def keep_large_blocks() -> bool:
    """Have the C library keep what this process frees; returns whether it can (glibc's can, other systems do as they do)."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    return mallopt is not None and bool(mallopt(_M_MMAP_MAX, 0) and mallopt(_M_TRIM_THRESHOLD, _MOST))
