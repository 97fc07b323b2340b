"""Intervals of 95 percent: Wilson's for shares, a bootstrap over cubes for means, also of differences on the same cubes.

Performance profiles and interquartile means are those of Agarwal et al. 2021 (*Deep Reinforcement Learning at the Edge of the
Statistical Precipice*). Their package rliable would bring pandas, seaborn, statsmodels and arch along for these few lines.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

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


class Difference(NamedTuple):
    """How much more a has than b on the same cubes, on average."""

    mean: float
    low: float
    high: float
    n: int  # cubes that both have a value of


def paired(a: np.ndarray, b: np.ndarray, samples: int = 2000, seed: int = 0) -> Difference:
    """The mean of a - b [n] over cubes that have both (not nan), with its interval: cubes are drawn, with their pair.

    What the cubes have in common cancels out, so the interval is far narrower than those of a and b would suggest.
    """
    differences = np.asarray(a, float) - np.asarray(b, float)
    differences = differences[np.isfinite(differences)]
    if len(differences) == 0:
        return Difference(math.nan, math.nan, math.nan, 0)
    return Difference(float(differences.mean()), *bootstrap(differences, samples, seed), len(differences))


def profile(values: np.ndarray, at: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The performance profile of values [n]: the share that is at most t, for each t of at [T], and its interval.

    What failed is nan, and is never at most anything.
    """
    values, at = np.asarray(values, float), np.asarray(at, float)
    counts = (values[:, None] <= at).sum(axis=0)
    low, high = np.array([wilson(int(k), len(values)) for k in counts]).reshape(-1, 2).T
    return counts / len(values), low, high


def interquartile_mean(scores: np.ndarray) -> float:
    """The mean of the middle half of all scores, of any shape: a quarter is left out at either end, rounded down."""
    ordered = np.sort(np.asarray(scores, float), axis=None)
    cut = len(ordered) // 4
    return float(ordered[cut : len(ordered) - cut].mean())


def over_runs(
    scores: np.ndarray, statistic: Callable[[np.ndarray], float] = interquartile_mean, samples: int = 2000, seed: int = 0
) -> tuple[float, float, float]:
    """A statistic of scores [runs, tasks], its interval: a bootstrap that draws each task's runs anew and keeps the tasks."""
    scores, rng = np.asarray(scores, float), np.random.default_rng(seed)
    drawn = rng.integers(0, scores.shape[0], (samples, *scores.shape))
    found = [statistic(np.take_along_axis(scores, rows, axis=0)) for rows in drawn]
    low, high = np.percentile(found, [2.5, 97.5])
    return statistic(scores), float(low), float(high)


def curves_over_runs(curves: np.ndarray, samples: int = 2000, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The interquartile mean of curves [runs, points] at each point, and its interval: a bootstrap that draws whole runs."""
    curves, rng = np.asarray(curves, float), np.random.default_rng(seed)
    runs = len(curves)
    cut = runs // 4

    def middle(some: np.ndarray) -> np.ndarray:
        return np.sort(some, axis=-2)[..., cut : runs - cut, :].mean(axis=-2)

    low, high = np.percentile(middle(curves[rng.integers(0, runs, (samples, runs))]), [2.5, 97.5], axis=0)
    return middle(curves), low, high


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
