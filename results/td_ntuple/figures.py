"""Learning curves and solved rates beside the report's."""

import json
from pathlib import Path

from matplotlib.figure import Figure

from results.td_ntuple.published import LEARNING, SOLVED


def learning_figure(run: Path, preset: str) -> Figure:
    """Solved rate against training episodes (the report's figure 14) from a run's metrics.jsonl."""
    rows = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    points = [(row["step"], 100 * row["solved"]) for row in rows if "solved" in row]
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    axes.plot(*zip(*points, strict=True), ".-", color="tab:blue", label="this run") if points else None
    if preset in LEARNING:
        axes.plot(*zip(*LEARNING[preset].items(), strict=True), "s--", color="tab:red", label="Konen 2023, mean of 3 agents")
    axes.set(xlabel="training episodes", ylabel="percent solved, mean over p", title=preset or str(run.name))
    axes.legend()
    axes.grid(alpha=0.3)
    return figure


def solved_figure(preset: str, ours: dict[int, list[float]]) -> Figure:
    """Percent solved against twists p = 1, 2, ... by MCTS iterations (figures 12 and 15); dashed lines are the report's."""
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    for colour, (iterations, solved) in zip(("tab:red", "tab:green", "tab:blue"), sorted(ours.items()), strict=False):
        name = f"MCTS {iterations}" if iterations else "agent alone"
        axes.plot(range(1, len(solved) + 1), solved, "o-", color=colour, label=name)
        theirs = SOLVED.get(preset, {}).get(iterations)
        if theirs:
            axes.plot(range(1, len(theirs) + 1), theirs, "--", color=colour, alpha=0.6, label=f"{name}, Konen 2023")
    axes.set(xlabel="scrambling twists p", ylabel="percent solved", ylim=(-3, 103), title=preset)
    axes.legend()
    axes.grid(alpha=0.3)
    return figure
