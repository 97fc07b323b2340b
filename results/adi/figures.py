"""Figures: a run while it learns, the drift of values, solvers against turns, and the triplets of section 5.1."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from results.adi.published import BETACUBE


def learning_figure(run: Path) -> Figure:
    """From a run's metrics.jsonl: losses, values, and, where there is an exact table, the error of the cost-to-go."""
    rows = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    probed = [row for row in rows if "error" in row]
    figure = Figure(figsize=(15 if probed else 10, 4), layout="constrained")
    axes = figure.subplots(1, 3 if probed else 2)
    for ax, names in zip(axes, (("value_loss", "policy_loss"), ("target", "goal_value")), strict=False):
        for name in names:
            ax.plot([row["step"] for row in rows], [row[name] for row in rows], linewidth=0.8, label=name.replace("_", " "))
    axes[0].set(ylabel="loss", yscale="log", title=run.name)
    axes[1].set(ylabel="value", title="mean target, and what the network says of the goal")
    if probed:
        axes[2].plot([row["step"] for row in probed], [row["error"] for row in probed], color="black", label="all states")
        axes[2].set(ylabel="mean absolute error, moves", title="error of the cost-to-go")
    for ax in axes:
        ax.set_xlabel("iterations")
        ax.legend(fontsize=8)
        ax.grid(alpha=0.3)
    return figure


def divergence_figure(runs: dict[str, list[dict[str, float]]]) -> Figure:
    """The same loop literally, with weights 1/D, with the goal pinned, with both: value of the goal, mean target, error."""
    figure = Figure(figsize=(15, 4), layout="constrained")
    axes = figure.subplots(1, 3)
    panels = (
        ("goal_value", "value of the goal", "what the network says of the goal"),
        ("target", "mean target", "mean target"),
        ("error", "mean absolute error, moves", "error of the cost-to-go, the goal's value taken off"),
    )
    for ax, (name, label, title) in zip(axes, panels, strict=True):
        for run, rows in runs.items():
            found = [(row["step"], row[name]) for row in rows if name in row]
            if found:
                ax.plot(*zip(*found, strict=True), linewidth=1, label=run)
        ax.set(xlabel="iterations", ylabel=label, title=title)
        ax.legend(fontsize=8)
        ax.grid(alpha=0.3)
    return figure


def solved_figure(title: str, panels: list[dict[str, list[float]]], published: bool = False) -> Figure:
    """Percent solved by each solver of each panel against turns 0, 1, ...; BetaCube's best in the first if asked."""
    figure = Figure(figsize=(7 * len(panels), 4.5), layout="constrained")
    for number, (ax, solved) in enumerate(zip(np.atleast_1d(figure.subplots(1, len(panels))), panels, strict=True)):
        for marker, (solver, shares) in zip("o^svdP*X", solved.items(), strict=False):
            ax.plot(range(len(shares)), 100 * np.array(shares), f"{marker}-", markersize=4, linewidth=1, label=solver)
        if published and number == 0:
            ax.plot(*zip(*BETACUBE.items(), strict=True), "k--", label="BetaCube, model 2, vanilla MCTS")
            ax.axvline(7, color="grey", linewidth=0.8, linestyle=":")
            ax.annotate(" BetaCube's figure ends", (7, 2), color="grey", fontsize=8)
        ax.set(xlabel="random turns from the goal", ylabel="percent solved", ylim=(-3, 103), title=title)
        ax.legend(fontsize=8)
        ax.grid(alpha=0.3)
    return figure


def conjugation_figure(title: str, found: dict[str, Any]) -> Figure:
    """Figure 8: how often triplets that are conjugations occur, and others; the lines are the means."""
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    most = max(max(counts, default=1) for counts in found["frequency"].values())
    for kind, colour in (("conjugation", "tab:orange"), ("other", "tab:blue")):
        counts = found["frequency"][kind]
        if counts:
            axes.hist(counts, bins=np.linspace(0, most, 31), density=True, color=colour, alpha=0.6, label=kind)
        axes.axvline(found["mean"][kind], color=colour, linestyle="--")
    axes.set(xlabel="times that a triplet occurs", ylabel="density of triplets", title=title)
    axes.legend()
    return figure
