"""Plots in one style: colours that colour-blind readers tell apart, seeds as a band, labels at the lines, 800 pixels wide."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from results.questions import Answer
from results.statistics import wilson
from results.tables import pooled, shares
from train.plots import COLOURS as SEVEN
from train.plots import GREY, label_ends, smoothed

COLOURS = (*SEVEN, GREY)
MARKERS = "osD^vPX*"
DPI = 100
STYLE: Any = {
    "axes.grid": True, "grid.alpha": 0.25, "axes.spines.top": False, "axes.spines.right": False, "font.size": 10,
    "axes.titlesize": 10.5, "axes.titlelocation": "left", "legend.frameon": False, "lines.linewidth": 1.6,
    "lines.markersize": 4.5,
}  # fmt: skip


def panels(n: int, height: float = 3.4) -> tuple[Figure, list[Axes]]:
    """A figure as wide as a page, with n panels side by side."""
    figure = Figure(figsize=(8, height), layout="constrained")
    return figure, list(np.atleast_1d(figure.subplots(1, n)))


def solved(ax: Axes, answers: list[Answer], beside: dict[str, dict[int, float]]) -> None:
    """Percent solved by group, Wilson's interval as a band, the name at the end; dashed what others report by that name."""
    ends = []
    for (name, of), colour, marker in zip(pooled(answers).items(), COLOURS, MARKERS, strict=False):
        groups = shares(of)  # in order
        percent = [100 * done / n for done, n in groups.values()]
        low, high = 100 * np.array([wilson(*counts) for counts in groups.values()]).T
        ax.fill_between(list(groups), low, high, color=colour, alpha=0.1, linewidth=0)
        ax.plot(list(groups), percent, color=colour, marker=marker)
        ends.append((name, max(groups), percent[-1], colour))
        if name in beside:
            ax.plot(list(beside[name]), list(beside[name].values()), color=colour, linestyle="--", linewidth=1.1)
    ax.set_ylim(-3, 103)
    label_ends(ax, ends)


def solved_plot(answers: list[Answer], below: str, beside: dict[str, dict[str, dict[int, float]]]) -> Figure:
    """A panel of `solved` for each run title, beside what others report of it."""
    titles = list(dict.fromkeys(answer.run.title for answer in answers))
    figure, axes = panels(len(titles), 3.8)
    for ax, title in zip(axes, titles, strict=True):
        solved(ax, [answer for answer in answers if answer.run.title == title], beside.get(title, {}))
        ax.set(title=f"{title}, percent solved", xlabel=below)
    return figure


_LABELLED = 5  # curves that have room for their names at their ends; more have a legend


def learning_plot(answers: list[Answer], below: str, curves: dict[str, str], scale: float = 1, marks: str = "") -> Figure:
    """A panel for each curve (key and title): the mean over seeds smoothed, with the seeds' extremes as a band.

    The raw curves are faint behind it; where a record names `marks` there are dots.
    """
    figure, axes = panels(len(curves), 3.6)
    runs: dict[str, list[dict[str, Any]]] = {}  # named without the puzzle, which is the same for all
    for answer in answers:
        runs.setdefault(answer.run.title.partition("-")[2] or answer.run.title, []).append(answer.record["found"])
    for ax, (key, title) in zip(axes, curves.items(), strict=True):
        ends = []
        for (name, seeds), colour in zip(runs.items(), COLOURS, strict=False):
            x = np.array(seeds[0][key])[:, 0]
            each = np.array([np.interp(x, *np.array(found[key]).T) for found in seeds])  # [seeds, points]
            even = np.array([smoothed(y, 0.09) for y in each])
            mean, dots = even.mean(axis=0), np.array(seeds[0].get(marks, []))
            ax.plot(x / scale, each.T, color=colour, alpha=0.2, linewidth=0.7)
            ax.fill_between(x / scale, even.min(axis=0), even.max(axis=0), color=colour, alpha=0.2, linewidth=0)
            ax.plot(x / scale, mean, color=colour, label=name)
            ax.plot(dots / scale, np.interp(dots, x, mean), "o", color="black", markersize=3.5)
            ends.append((name, x[-1] / scale, float(mean[-1]), colour))
        if len(runs) <= _LABELLED:
            label_ends(ax, ends)
        ax.set(title=title, xlabel=below)
    if len(runs) > _LABELLED:
        axes[0].legend(frameon=False, fontsize="small")
    return figure
