"""Intervals of 95 percent: Wilson's for shares, a bootstrap over cubes for means; and both as texts for tables."""

import math

import numpy as np

_Z = 1.959963984540054  # the normal distribution's 97.5th percentile


def wilson(successes: int, n: int) -> tuple[float, float]:
    """Wilson's score interval of a share of n."""
    if n == 0:
        return 0.0, 1.0
    share, z2 = successes / n, _Z**2
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = _Z * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    # Where all or none succeeded the formula ends at 1 or 0, but for rounding.
    return (0.0 if successes == 0 else middle - half), (1.0 if successes == n else middle + half)


def bootstrap(values: np.ndarray, samples: int = 2000, seed: int = 0) -> tuple[float, float]:
    """The interval of the mean of values [n]: percentiles over means of so many samples drawn with replacement."""
    values, rng = np.asarray(values, float), np.random.default_rng(seed)
    distinct, counts = np.unique(values, return_counts=True)  # lengths repeat: draw how often each, not which
    means = rng.multinomial(len(values), counts / len(values), samples) @ distinct / len(values)
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


def percent(share: float, digits: int = 1) -> str:
    """A share as a percentage that says 100 or 0 only of all or none."""
    if share in (0.0, 1.0):
        return f"{100 * share:.0f}"
    least = 10.0**-digits
    return f"{min(max(100 * share, least), 100 - least):.{digits}f}"


def share_text(successes: int, n: int) -> str:
    """A share with its interval: 92.0% (87.4 to 95.0)."""
    digits = 1 if n < 5000 else 2
    low, high = (percent(bound, digits) for bound in wilson(successes, n))
    return f"{percent(successes / n, digits)}% ({low} to {high})"


def mean_text(values: np.ndarray) -> str:
    """A mean with its interval: 20.80 (20.62 to 20.98)."""
    if len(values) == 0:
        return "-"
    low, high = bootstrap(values)
    return f"{np.mean(values):.2f}" if low == high else f"{np.mean(values):.2f} ({low:.2f} to {high:.2f})"
