"""Two ways to search compared at equal mean length: what does each cost where it finds solutions as short as the other's?"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from results import records
from results.plots import COLOURS, MARKERS, panels
from results.questions import Answer
from results.statistics import bootstrap
from results.tables import table


class Point(NamedTuple):
    """What a search with one setting makes of all cubes."""

    label: str
    lengths: np.ndarray  # [n] of every cube, nan if unsolved
    seconds: float  # CPU seconds a cube

    @property
    def mean(self) -> float:
        """Mean length."""
        return float(self.lengths.mean())


def curves(answers: list[Answer]) -> dict[tuple[str, str], list[Point]]:
    """Of each run and kind of search (the first word of its label) the settings that solve all cubes, the quickest first."""
    found: dict[tuple[str, str], list[Point]] = {}
    for answer in answers:
        lengths = records.unpack(answer.record).lengths
        if np.isfinite(lengths).all():
            point = Point(answer.label, lengths, answer.record["each"]["cpu_seconds"])
            found.setdefault((answer.run.title, answer.label.split()[0].strip(",")), []).append(point)
    return {name: sorted(points, key=lambda point: point.seconds) for name, points in found.items()}


def seconds_at(points: list[Point], length: float) -> float:
    """CPU seconds at which a curve reaches a mean length, on straight lines over the logarithm of time.

    Where its quickest setting is as short already, that one's; nan if it never gets there.
    """
    if points and points[0].mean <= length:
        return points[0].seconds
    for before, after in pairwise(points):
        if after.mean <= length <= before.mean and after.mean < before.mean:
            share = (before.mean - length) / (before.mean - after.mean)
            return float(before.seconds ** (1 - share) * after.seconds**share)
    return float("nan")


def equal_length_table(answers: list[Answer], base: str, other: str) -> str:
    """For every setting of the run `base`: its length and time, and the time of the run `other` for the same mean length."""
    found, rows = curves(answers), []
    for (title, kind), points in found.items():
        for point in points if title == base else []:
            there = seconds_at(found.get((other, kind), []), point.mean)
            texts = [f"{there:.3g}", f"{point.seconds / there:.1f}"] if there == there else ["not reached", ""]
            rows.append([point.label, f"{point.mean:.2f}", f"{point.seconds:.3g}", *texts])
    return table(["search", "mean length", f"CPU s, {base}", f"CPU s, {other}", "times fewer"], rows)


def equal_length_plot(answers: list[Answer]) -> Figure:
    """A panel for each kind of search: mean length with its interval by CPU seconds a cube, a line per run."""
    found = curves(answers)
    kinds, titles = (list(dict.fromkeys(name[i] for name in found)) for i in (1, 0))
    figure, axes = panels(len(kinds), 3.6)
    for ax, kind in zip(axes, kinds, strict=True):
        for title, colour, marker in zip(titles, COLOURS, MARKERS, strict=False):
            points = found.get((title, kind), [])
            low, high = np.array([bootstrap(point.lengths) for point in points]).reshape(-1, 2).T
            x, means = [point.seconds for point in points], np.array([point.mean for point in points])
            ax.errorbar(x, means, (means - low, high - means), color=colour, marker=marker, capsize=2, label=title)
        ax.set(xscale="log", xlabel="CPU seconds a cube", title=f"{kind}, mean length")
        ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 3, 5)))
        ax.xaxis.set_major_formatter("{x:g}")
        ax.xaxis.set_minor_formatter(NullFormatter())
    axes[0].legend(fontsize=8)
    return figure
