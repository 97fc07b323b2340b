"""The paper's figure 3: warm-up loss, mean reward and share solved during training."""

import json
from pathlib import Path

from matplotlib.figure import Figure

# what is drawn, against what, and the axes' names
PANELS = (
    ("chase_loss", "step", "iterations of the warm-up", "loss of ChaseNet"),
    ("reward", "moves", "moves of PPO", "mean reward of an episode"),
    ("success", "moves", "moves of PPO", "share of episodes solved"),
    ("length", "moves", "moves of PPO", "mean moves of an episode"),
)


def learning_figure(runs: list[Path]) -> Figure:
    """From the metrics.jsonl of one or several runs."""
    figure = Figure(figsize=(18, 4), layout="constrained")
    for ax, (name, against, below, beside) in zip(figure.subplots(1, len(PANELS)), PANELS, strict=True):
        for run in runs:
            rows = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
            points = [(row[against], row[name]) for row in rows if name in row]
            if points:
                ax.plot(*zip(*points, strict=True), linewidth=0.9, label=run.name)
        ax.set(xlabel=below, ylabel=beside)
        ax.grid(alpha=0.3)
        if ax.lines:
            ax.legend(fontsize=8)
    return figure
