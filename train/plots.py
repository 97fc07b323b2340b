"""Plots of a run: its learning curves, and an evaluation.

Colours are those of Okabe and Ito, which colour-blind readers tell apart; a line is named where it ends.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

# Okabe and Ito without their yellow, which is too light for a line on white
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
GREY = "#777777"
SOLVED = "share solved"
SEARCHED = "short search, shares"
COUNTERS = {"step", "states", "moves", "updates", "seconds", "cpu_seconds", "convergence_points"}  # of use, but not to look at
COUNTERS |= {"search/nodes", "search/cpu_seconds", "search/share_of_time"}


def learning_plot(run: Path) -> Figure:
    """The metrics of a run folder against its steps, one panel per kind: losses, errors, shares solved, lengths, and others.

    The raw curve is faint, the smoothed one on top. What never changes is left out, shares aside. Convergence points, where a
    run has any, are ticks along the top of the losses.
    """
    rows = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    panels: dict[str, dict[str, np.ndarray]] = {}  # kind -> metric -> points [n, 2]
    for name in dict.fromkeys(name for row in rows for name in row if name not in COUNTERS):  # in the order of the metrics
        points = np.array([(row["step"], row[name]) for row in rows if name in row and np.isfinite(row[name])])
        if len(points) and (len(points) == 1 or np.ptp(points[:, 1]) > 0 or kind_of(name) in (SOLVED, SEARCHED)):
            panels.setdefault(kind_of(name), {})[name] = points
    columns = min(2, max(1, len(panels)))
    lines = max(1, -(-len(panels) // columns))
    figure = Figure(figsize=(6.5 * columns, 3.6 * lines), layout="constrained")
    figure.suptitle(run.name)
    axes = figure.subplots(lines, columns, squeeze=False).ravel()
    for ax, (kind, curves) in zip(axes, panels.items(), strict=False):
        ax.set(xlabel="steps", title=kind)
        ax.margins(x=0)  # so that names stand outside
        if kind in (SOLVED, SEARCHED):
            ax.set_ylim(-0.03, 1.03)
        if kind in ("losses", "errors") and all(points[:, 1].max() > 0 for points in curves.values()):
            ax.set_yscale("log")
            curves = {name: points[points[:, 1] > 0] for name, points in curves.items()}
        draw_curves(ax, curves)
        marks = convergence_points(rows) if kind == "losses" else []
        if marks:
            ax.vlines(marks, 0.96, 1, colors=GREY, linewidth=0.6, transform=ax.get_xaxis_transform())
            ax.set_title("losses; ticks: convergence points")
    for ax in axes[len(panels) :]:
        ax.remove()
    return figure


def draw_curves(ax: Axes, curves: dict[str, np.ndarray]) -> None:
    """Curves of points [n, 2] by name: the errors by distance in the order of a colour map, all others named where they end."""
    by_distance = {
        int(name.split()[-1].split("-")[0]): points for name, points in curves.items() if name.startswith("error at ")
    }
    if by_distance:
        shades = ScalarMappable(Normalize(min(by_distance), max(by_distance)), "viridis_r")
        for distance, points in by_distance.items():
            draw_curve(ax, points, shades.to_rgba(np.array(distance)), 1)
        ax.figure.colorbar(shades, ax=ax, label="error at this distance", pad=0.02)
    rest = {name: points for name, points in curves.items() if not name.startswith("error at ")}
    ends = []
    for (name, points), colour in zip(rest.items(), ("black",) if by_distance else COLOURS * len(rest), strict=False):
        draw_curve(ax, points, colour)
        ends.append((name.removeprefix("search/").replace("_", " "), points[-1, 0], smoothed(points[:, 1])[-1], colour))
    if [name for name, *_ in ends] != [ax.get_title()]:
        label_ends(ax, ends)
    ax.grid(alpha=0.2)


def kind_of(metric: str) -> str:
    """The panel that a metric belongs to; one of no common kind has a panel of its own."""
    if metric.startswith("search/"):
        return "short search, lengths" if metric.startswith("search/length") else SEARCHED
    if metric.endswith("loss") and metric != "entropy_loss":  # that one is negative, and the losses' scale logarithmic
        return "losses"
    if metric.startswith("error") or metric.endswith(("error", "change")):
        return "errors"
    if metric.endswith(("solved", "optimal")) or metric == "success":
        return SOLVED
    return "lengths" if metric.endswith(("length", "cost_to_go")) else metric.replace("_", " ")


def convergence_points(rows: Sequence[dict[str, float]]) -> list[int]:
    """The steps at which a run converged, from its metrics."""
    counts = [0, *(row.get("convergence_points", 0) for row in rows)]
    return [int(row["step"]) for row, before, now in zip(rows, counts, counts[1:], strict=False) if now > before]


def smoothed(values: np.ndarray, share: float = 0.04) -> np.ndarray:
    """Values [n] averaged over a window of a share of them, which is cut off at both ends."""
    half = int(len(values) * share / 2)
    sums = np.cumsum(np.concatenate([[0.0], values]))
    first, last = np.maximum(np.arange(len(values)) - half, 0), np.minimum(np.arange(len(values)) + half + 1, len(values))
    return (sums[last] - sums[first]) / (last - first)


def draw_curve(ax: Axes, points: np.ndarray, colour: Any, width: float = 1.6) -> None:
    """A curve of points [n, 2], faint as it is, and smoothed on top."""
    x, y = points.T
    if len(x) >= 50:
        ax.plot(x, y, color=colour, linewidth=0.6, alpha=0.3)
    ax.plot(x, smoothed(y), color=colour, linewidth=width, marker="." if len(x) == 1 else None)


def label_ends(ax: Axes, ends: Sequence[tuple[str, float, float, Any]]) -> None:
    """Write names beside where lines end, given as (name, x, y, colour), moved apart where they would overlap."""
    scale = np.log if ax.get_yscale() == "log" else np.asarray
    low, high = scale(ax.get_ylim())
    gap, height = 0.08, -1.0  # in heights of the panel
    for number, (name, x, y, colour) in enumerate(sorted(ends, key=lambda end: end[2])):
        room = 1 - gap * (len(ends) - 1 - number)  # leaves space for the names above
        height = max(height + gap, min(float((scale(y) - low) / (high - low)), room))
        at: dict[str, Any] = {"xytext": (4, 0), "xycoords": ax.get_xaxis_transform(), "textcoords": "offset points"}
        ax.annotate(name, (x, height), color=colour, fontsize=8, va="center", annotation_clip=False, **at)


def evaluation_plot(result: dict[str, Any]) -> Figure:
    """Solved rate (and share optimal) against scramble depth; beside it, where known, the cost-to-go against the truth."""
    quality = result.get("heuristic")
    figure = Figure(figsize=(11 if quality else 6, 4), layout="constrained")
    axes = figure.subplots(1, 2 if quality else 1, squeeze=False)[0]
    walks = [row for row in result["rows"] if row["depth"] > 0]
    depths = [row["depth"] for row in walks]
    axes[0].plot(depths, [100 * row["solved"] for row in walks], "o-", color=COLOURS[0], label="solved")
    if walks and "optimal" in walks[0]:
        axes[0].plot(depths, [100 * row["optimal"] for row in walks], "s--", color=COLOURS[2], label="solved optimally")
    source = "the file's states" if result["options"].get("cubes_file") else "uniformly random states"
    for row in result["rows"]:
        if row["depth"] == 0:
            axes[0].axhline(100 * row["solved"], color=COLOURS[1], label=f"solved, {source}")
    title = f"{result['puzzle']}, {result['options']['search']}"
    axes[0].set(xlabel="scrambling moves", ylabel="percent", ylim=(-3, 103), title=title)
    if quality:
        distances = range(len(quality["mean_by_distance"]))
        axes[1].plot(distances, distances, ":", color=GREY, label="truth")
        mean, error = quality["mean_by_distance"], quality["error_by_distance"]
        axes[1].errorbar(distances, mean, error, fmt="o-", color=COLOURS[0], capsize=3, label="mean, with mean absolute error")
        axes[1].set(xlabel="true distance", ylabel="cost-to-go", title="cost-to-go on all states")
    for ax in axes:
        ax.legend()
        ax.grid(alpha=0.3)
    return figure


def picture(figure: Figure) -> np.ndarray:
    """A figure as an image [H, W, 3] uint8."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[:, :, :3].copy()
