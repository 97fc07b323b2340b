"""Figures of the kind the papers print."""

from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure


def evaluation_figure(result: dict[str, Any]) -> Figure:
    """Solved rate (and share optimal) against scramble depth; beside it, where known, the cost-to-go against the truth."""
    quality = result.get("heuristic")
    figure = Figure(figsize=(11 if quality else 6, 4), layout="constrained")
    axes = figure.subplots(1, 2 if quality else 1, squeeze=False)[0]
    walks = [row for row in result["rows"] if row["depth"] > 0]
    depths = [row["depth"] for row in walks]
    axes[0].plot(depths, [100 * row["solved"] for row in walks], "o-", color="tab:blue", label="solved")
    if walks and "optimal" in walks[0]:
        axes[0].plot(depths, [100 * row["optimal"] for row in walks], "s--", color="tab:green", label="solved optimally")
    source = "the file's states" if result["options"].get("cubes_file") else "uniformly random states"
    for row in result["rows"]:
        if row["depth"] == 0:
            axes[0].axhline(100 * row["solved"], color="tab:orange", label=f"solved, {source}")
    axes[0].set(
        xlabel="scrambling moves", ylabel="percent", ylim=(-3, 103), title=f"{result['puzzle']}, {result['options']['search']}"
    )
    axes[0].legend()
    axes[0].grid(alpha=0.3)
    if quality:
        distances = range(len(quality["mean_by_distance"]))
        axes[1].plot(distances, distances, ":", color="grey", label="truth")
        axes[1].errorbar(
            distances,
            quality["mean_by_distance"],
            quality["error_by_distance"],
            fmt="o-",
            capsize=3,
            label="mean, with mean absolute error",
        )
        axes[1].set(xlabel="true distance", ylabel="cost-to-go", title="cost-to-go on all states")
        axes[1].legend()
        axes[1].grid(alpha=0.3)
    return figure


def picture(figure: Figure) -> np.ndarray:
    """A figure as an image [H, W, 3] uint8."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[:, :, :3].copy()
