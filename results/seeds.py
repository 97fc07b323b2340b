"""Learning curves of every learner over five seeds: interquartile means of what is solved of the same states.

Each run takes about two CPU minutes, so that five of each learner can be had: a shortened preset, where the whole one takes
longer. What it solves while it learns is measured by train/solve_alone.py, and is no part of its CPU seconds.
"""

from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from agents.protocol import Agent
from results.measure import metrics
from results.plots import COLOURS, panels
from results.questions import Answer, Question, Run, Study
from results.statistics import curves_over_runs
from results.tables import origin, table

SEEDS = 5
TITLE, QUESTION = "short", "curve"
ENOUGH = 0.9  # share solved, the time to which is told
KINDS = {"solved": "percent solved", "optimal": "percent optimal"}


def short_runs(preset: str, every: int, **changed: Any) -> list[Run]:
    """Five runs of a preset, with these settings changed, that are measured every so many steps."""
    return [Run(preset, seed, changed, TITLE, every) for seed in range(SEEDS)]


def curve(agent: Agent, folder: Path) -> dict[str, Any]:
    """Shares solved, and solved in the fewest moves where that is known, against CPU seconds of training: [seconds, share]."""
    rows = metrics(folder)
    spent = np.cumsum([row["cpu_seconds"] for row in rows])
    found = {}
    for kind, name in ((kind, f"alone_{kind}") for kind in KINDS):
        found[kind] = [[float(at), row[name]] for at, row in zip(spent, rows, strict=True) if name in row]
    return {kind: points for kind, points in found.items() if points}


CURVE = Question(QUESTION, (TITLE,), measure=curve)


class Curves:
    """The curves of one learner: CPU seconds [points], and shares [runs, points] of each kind."""

    def __init__(self, answers: list[Answer]) -> None:
        found = [answer.record["found"] for answer in answers]
        self.learner, self.puzzle = answers[0].algorithm, answers[0].record["puzzle"]
        # All were measured at the same steps. The median: a run that has to compile kernels takes seconds more.
        self.seconds = np.median([np.array(each["solved"])[:, 0] for each in found], axis=0)
        self.shares = {kind: np.array([each[kind] for each in found])[:, :, 1] for kind in found[0]}


def measured(studies: Iterable[Study]) -> list[Answer]:
    """The curves of all learners that have been measured with every seed."""
    found = [study.of(QUESTION, TITLE) for study in studies]
    return [answer for answers in found if len(answers) == SEEDS for answer in answers]


def by_learner(answers: list[Answer]) -> list[Curves]:
    """The answers of each learner together."""
    return [Curves(list(of)) for _, of in groupby(answers, key=lambda answer: answer.algorithm)]


def seeds_table(answers: list[Answer]) -> str:
    """A line per learner: what its runs cost, and what they solve at the end."""
    if not answers:
        return "Not measured yet: `python -m results --measure td_ntuple --only curve` does, and so for the other learners."
    rows = []
    for curves in by_learner(answers):
        ends = {kind: [100 * bound[-1] for bound in curves_over_runs(each)] for kind, each in curves.shares.items()}
        cells = [f"{middle:.1f} ({low:.1f} to {high:.1f})" for middle, low, high in ends.values()]
        middle, runs = curves_over_runs(curves.shares["solved"])[0], curves.shares["solved"][:, -1]
        reached = np.flatnonzero(middle >= ENOUGH)
        cells.append(f"{curves.seconds[reached[0]]:.0f}" if len(reached) else "-")
        cells.insert(0, " ".join(f"{100 * share:.1f}" for share in sorted(runs)))
        if len(ends) == 1:
            cells.insert(2, "")
        rows.append([curves.learner, curves.puzzle, f"{curves.seconds[-1]:.0f}", *cells])
    means = (f"{kind}, interquartile mean" for kind in KINDS.values())
    headings = ["learner", "puzzle", "CPU s of a run", "percent solved by the five runs", *means]
    body = table([*headings, f"CPU s until {ENOUGH:.0%} is solved"], rows)
    return "\n\n".join([body, f"![{PLOT[1]}]({PLOT[0]})", origin(answers)])


def seeds_plot(answers: list[Answer]) -> Figure:
    """A panel for each puzzle and kind of share: interquartile means against CPU seconds, with their intervals."""
    learners = by_learner(answers)
    shown = sorted(
        {(curves.puzzle, kind) for curves in learners for kind in curves.shares}, key=lambda of: (of[0], of[1] != "solved")
    )
    figure, axes = panels(len(shown), 3.8)
    for ax, (puzzle, kind) in zip(axes, shown, strict=True):
        for curves, colour in zip(learners, COLOURS, strict=False):
            if curves.puzzle == puzzle and kind in curves.shares:
                middle, low, high = (100 * bound for bound in curves_over_runs(curves.shares[kind]))
                ax.fill_between(curves.seconds, low, high, color=colour, alpha=0.2, linewidth=0)
                ax.plot(curves.seconds, middle, color=colour, label=curves.learner)
        ax.set(title=f"{puzzle},\n{KINDS[kind]}", xlabel="CPU seconds of training", xscale="log", ylim=(-3, 103))
        ax.xaxis.set_minor_formatter(NullFormatter())  # they overlap where an axis has few decades
    handles = {str(line.get_label()): line for ax in axes for line in ax.get_lines()}
    figure.legend(list(handles.values()), list(handles), loc="outside lower center", ncols=-(-len(handles) // 2))
    return figure


PLOT = ("seeds.png", "Percent solved while learning, interquartile means over five seeds", seeds_plot)
