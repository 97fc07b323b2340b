"""Plots in one style: colours that colour-blind readers tell apart, seeds as a band, labels at the lines, 800 pixels wide."""

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

# Okabe and Ito's palette without its yellow, which is faint on white
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#7F7F7F")
MARKERS = "osD^vPX*"
DPI = 100
_STYLE: Any = {
    "axes.grid": True, "grid.alpha": 0.25, "axes.spines.top": False, "axes.spines.right": False, "font.size": 10,
    "axes.titlesize": 10.5, "axes.titlelocation": "left", "legend.frameon": False, "lines.linewidth": 1.6,
    "lines.markersize": 4.5,
}  # fmt: skip
Curve = Sequence[tuple[float, float]]


def style() -> AbstractContextManager[Any]:
    """The settings that all plots are drawn with."""
    return mpl.rc_context(_STYLE)


def panels(n: int, height: float = 3.4) -> tuple[Figure, list[Axes]]:
    """A figure as wide as a page, with n panels side by side."""
    figure = Figure(figsize=(8, height), layout="constrained")
    return figure, list(np.atleast_1d(figure.subplots(1, n)))


def smoothed(y: np.ndarray, width: int = 9) -> np.ndarray:
    """The mean of each value and its neighbours, fewer of them at the ends."""
    half = min(width // 2, (len(y) - 1) // 2)
    return np.array([y[max(0, i - half) : i + half + 1].mean() for i in range(len(y))])


def learning(ax: Axes, runs: dict[str, list[Curve]], width: int = 9) -> None:
    """Curves of each run: the mean over seeds smoothed, between the seeds' extremes as a band; the raw ones faint behind."""
    ends = []
    for (name, seeds), colour in zip(runs.items(), COLOURS, strict=False):
        points = [np.array(curve, float) for curve in seeds if len(curve) > 1]
        if not points:
            continue
        x = points[0][:, 0]
        each = np.array([np.interp(x, *curve.T) for curve in points])  # [seeds, points]
        for y in each:
            ax.plot(x, y, color=colour, alpha=0.2, linewidth=0.7)
        even = np.array([smoothed(y, width) for y in each])
        if len(even) > 1:
            ax.fill_between(x, even.min(axis=0), even.max(axis=0), color=colour, alpha=0.2, linewidth=0)
        ax.plot(x, even.mean(axis=0), color=colour)
        ends.append((x[-1], float(even.mean(axis=0)[-1]), name, colour))
    label_ends(ax, ends)


def label_ends(ax: Axes, ends: Iterable[tuple[float, float, str, str]]) -> None:
    """Names (x, y, name, colour) at the right of where lines end, pushed apart where they would cover one another."""
    ends = sorted(ends, key=lambda end: ax.transData.transform((end[0], end[1]))[1])
    if not ends:
        return
    right = max(x for x, *_ in ends)
    to_axes = ax.transAxes.inverted().transform
    heights = [float(to_axes(ax.transData.transform((right, y)))[1]) for _, y, *_ in ends]
    least = 0.062 * 3.4 / ax.figure.get_figheight()  # type: ignore[union-attr]
    for i in range(1, len(heights)):
        heights[i] = max(heights[i], heights[i - 1] + least)
    excess = max(0.0, heights[-1] - 1.0)
    for i in reversed(range(len(heights))):  # what is too high moves down, and pushes those below it
        heights[i] = min(heights[i], (heights[i + 1] - least) if i + 1 < len(heights) else heights[i] - excess)
    for (_, _, name, colour), height in zip(ends, heights, strict=True):
        ax.annotate(
            name, (1.01, height), xycoords="axes fraction", color=colour, fontsize=8.5, va="center", annotation_clip=False
        )


def series(ax: Axes, lines: dict[str, dict[float, tuple[float, float, float]]]) -> None:
    """Points (y, low, high) by x of each line, its interval as a band, its name at its end."""
    ends = []
    for (name, points), colour, marker in zip(lines.items(), COLOURS, MARKERS, strict=False):
        x = sorted(points)
        y, low, high = np.array([points[each] for each in x]).T
        ax.fill_between(x, low, high, color=colour, alpha=0.15, linewidth=0)
        ax.plot(x, y, color=colour, marker=marker)
        ends.append((x[-1], float(y[-1]), name, colour))
    label_ends(ax, ends)
