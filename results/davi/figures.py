"""A run's losses with its convergence points, as the thesis draws them (figures 9 and 19 to 22), and its errors by distance."""

import json
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure


def losses_figure(run: Path, epsilon: float) -> Figure:
    """From a run's metrics.jsonl: training loss magenta, validation loss cyan, epsilon dotted, convergence points black."""
    rows = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    probed = [row for row in rows if "error" in row]
    figure = Figure(figsize=(12 if probed else 6.5, 4), layout="constrained")
    axes = figure.subplots(1, 2 if probed else 1, squeeze=False)[0]
    steps = [row["step"] for row in rows]
    axes[0].plot(steps, [row["loss"] for row in rows], color="magenta", linewidth=0.8, label="training loss")
    checked = [(row["step"], row["validation_loss"]) for row in rows if "validation_loss" in row]
    if checked:
        axes[0].plot(*zip(*checked, strict=True), color="cyan", linewidth=0.8, label="validation loss")
    axes[0].axhline(epsilon, color="red", linestyle=":", label="epsilon")
    points = convergence_points(rows)
    axes[0].plot(points, [epsilon] * len(points), "o", color="black", markersize=4, label="convergence points")
    deep = axes[0].twinx()
    deep.step(steps, [row["effective_k"] for row in rows], color="grey", linewidth=0.8, where="post")
    deep.set_ylabel("effective K (grey)")
    axes[0].set(xlabel="iterations", ylabel="mean squared error", yscale="log", title=run.name)
    axes[0].legend(fontsize=8)
    if probed:
        names = [key for key in probed[0] if key.startswith("error at ")]
        shades = np.linspace(0.15, 1, len(names))
        for name, shade in zip(names, shades, strict=True):
            label = name.removeprefix("error at ")
            line = [max(row[name], 1e-3) for row in probed]
            axes[1].plot([row["step"] for row in probed], line, color=(0.1, 0.3, 0.8, shade), label=label)
        axes[1].plot([row["step"] for row in probed], [row["error"] for row in probed], color="black", label="all states")
        axes[1].set(xlabel="iterations", ylabel="mean absolute error", yscale="log", title="error by distance from the goal")
        axes[1].legend(fontsize=6, ncols=2)
    for ax in axes:
        ax.grid(alpha=0.3)
    return figure


def convergence_points(rows: list[dict[str, float]]) -> list[int]:
    """The iterations at which a run converged, from its metrics."""
    counts = [0, *(row["convergence_points"] for row in rows)]
    return [int(row["step"]) for row, before in zip(rows, counts, strict=False) if row["convergence_points"] > before]
