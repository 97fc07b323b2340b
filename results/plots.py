"""Plots in one style: colours that colour-blind readers tell apart, seeds as a band, labels at the lines, 800 pixels wide."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from results.questions import Answer, Study
from results.statistics import wilson
from results.tables import shares
from train.plots import COLOURS as SEVEN
from train.plots import GREY, label_ends, smoothed

COLOURS = (*SEVEN, GREY)
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


def learning(ax: Axes, runs: dict[str, list[Curve]]) -> None:
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
        even = np.array([smoothed(y, 0.09) for y in each])
        if len(even) > 1:
            ax.fill_between(x, even.min(axis=0), even.max(axis=0), color=colour, alpha=0.2, linewidth=0)
        ax.plot(x, even.mean(axis=0), color=colour)
        ends.append((name, x[-1], float(even.mean(axis=0)[-1]), colour))
    label_ends(ax, ends)


def solved(ax: Axes, lines: dict[str, dict[int, tuple[int, int]]], beside: dict[str, dict[int, float]]) -> None:
    """Percent solved by group, Wilson's interval as a band, the name at the end; dashed what others report by that name."""
    ends = []
    for (name, groups), colour, marker in zip(lines.items(), COLOURS, MARKERS, strict=False):
        x = sorted(groups)
        y = [100 * groups[g][0] / groups[g][1] for g in x]
        low, high = 100 * np.array([wilson(*groups[g]) for g in x]).T
        ax.fill_between(x, low, high, color=colour, alpha=0.15, linewidth=0)
        ax.plot(x, y, color=colour, marker=marker)
        ends.append((name, x[-1], y[-1], colour))
    colours = {name: colour for name, *_, colour in ends}
    for name, theirs in beside.items():
        points = sorted(theirs.items())
        ax.plot(*zip(*points, strict=True), color=colours.get(name, "black"), linestyle="--", linewidth=1.1)
        if name not in colours:
            ax.annotate(name, points[-1], xytext=(3, -10), textcoords="offset points", fontsize=8.5)
    ax.set_ylim(-3, 103)
    label_ends(ax, ends)


def solved_plot(question: str, beside: dict[str, dict[str, dict[int, float]]], below: str) -> Callable[[Study], Figure | None]:
    """A panel of `solved` for each run title that `beside` names."""

    def draw(study: Study) -> Figure | None:
        answers = {title: study.of(question, title) for title in beside if study.of(question, title)}
        if not answers:
            return None
        figure, axes = panels(len(answers), 3.8)
        for ax, (title, of) in zip(axes, answers.items(), strict=True):
            lines: dict[str, list[Answer]] = {}
            for answer in of:
                lines.setdefault(answer.label, []).append(answer)
            solved(ax, {name: shares(each) for name, each in lines.items()}, beside[title])
            ax.set(title=f"{title}, percent solved", xlabel=below)
        return figure

    return draw


def learning_plot(
    question: str, curves: dict[str, str], below: str, names: dict[str, str], scale: float = 1, marks: str = ""
) -> Callable[[Study], Figure | None]:
    """A panel of `learning` for each curve (key and title) of the runs in `names` (title and label), dots where `marks` are."""

    def draw(study: Study) -> Figure | None:
        answers = study.of(question, *names)
        if not answers:
            return None
        figure, axes = panels(len(curves), 3.6)
        for ax, (key, title) in zip(axes, curves.items(), strict=True):
            runs: dict[str, list[Curve]] = {}
            for answer in answers:
                curve = [(x / scale, y) for x, y in answer.record["found"][key]]
                runs.setdefault(names[answer.run.title], []).append(curve)
            learning(ax, runs)
            for answer, line in zip(answers, [line for line in ax.lines if line.get_alpha() is None], strict=False):
                dots = answer.record["found"].get(marks, [])
                ax.plot(dots, np.interp(dots, *np.array(line.get_data())), "o", color="black", markersize=3.5)
            ax.set(title=title, xlabel=below)
        return figure

    return draw
