"""Random numbers by counting: draw t of a seed is a hash of (seed, t), the splitmix64 generator.

A walk or a random state is a function of one 64-bit seed, so a batch gives the same result in any order, on any number of
threads and in compiled or plain code; the seeds themselves come from a `np.random.Generator` or from an environment.
`mix`, `draw` and `below` are plain functions on uint64 arrays, and compiled ones on uint64 scalars inside a kernel.
"""

import numpy as np

from rubiks_gym.puzzles.compiled import inner

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_M1, _M2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_30, _27, _31, _32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)


@inner
def mix(x):
    """Scramble the bits of x, one to one."""
    x = (x ^ (x >> _30)) * _M1
    x = (x ^ (x >> _27)) * _M2
    return x ^ (x >> _31)


@inner
def draw(seed, t):
    """Draw number t (uint64) of a seed: 64 random bits."""
    return mix(seed + (t + np.uint64(1)) * GOLDEN)


@inner
def below(bits, n):
    """Turn random bits into an integer 0..n-1 (n uint64, far below 2^32: the bias is below n / 2^32)."""
    return ((bits >> _32) * n) >> _32


def counter(t: int) -> np.ndarray:
    """A draw number for use with arrays of seeds (numpy warns when a bare uint64 wraps round, an array does not)."""
    return np.array([t], np.uint64)


def choose(seeds: np.ndarray, t: int, allowed: np.ndarray) -> np.ndarray:
    """A random allowed action [B] for each row of allowed [B, A], by draw t of seeds [B]."""
    count = allowed.sum(axis=1)
    nth = below(draw(seeds, counter(t)), count.astype(np.uint64)).astype(np.int64)
    return (allowed.cumsum(axis=1) > nth[:, None]).argmax(axis=1)


def seeds_from(rng: np.random.Generator, n: int) -> np.ndarray:
    """Draw n seeds [n] uint64 from a Generator."""
    return rng.integers(0, 2**64, size=n, dtype=np.uint64)
