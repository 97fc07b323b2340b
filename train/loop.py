"""The training loop of every learner, in one process or in several.

The first process keeps the run folder; the others learn along until it has enough.
"""

import json
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

import agents
from agents.ranks import all_agree, from_first
from rubiks_gym import files
from rubiks_gym.puzzles import Puzzle
from train.clock import CLOCK, Clock
from train.plots import learning_plot
from train.progress import progress
from train.runs import Run, RunOptions

FINISHED = "finished.json"  # in a run folder: the run has come to its end


class Learner(Protocol):
    """What the loop needs of a learner, which is made as Learner(puzzle, config, seed).

    One whose steps differ in work says so in `phases`, a tuple of (steps, relative work of each); one that can learn in several
    processes gives their number as `ranks`.
    """

    config: Any
    rank: int  # which process this is
    done: int  # steps done
    total: int  # steps in all

    @property
    def puzzle(self) -> Puzzle:
        """What is learnt."""
        ...

    def iterate(self) -> dict[str, float]:
        """Some steps; returns their metrics."""
        ...

    def agent(self) -> agents.Agent:
        """What has been learnt."""
        ...

    def state(self) -> dict[str, Any]:
        """How far it has come, as JSON."""
        ...

    def arrays(self) -> dict[str, np.ndarray]:
        """All else that a checkpoint must hold besides the agent."""
        ...

    def restore(self, state: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        """Go on where a checkpoint was."""
        ...


# Steps between two measurements (0: none), and what measures the learner then; the last step is measured in any case.
Measure = tuple[int, Callable[[Any], dict[str, float]]]


def learn(
    learner: Learner,
    options: RunOptions,
    record: dict[str, Any],
    shown: Sequence[str] = (),
    measures: Sequence[Measure] = (),
    after: Callable[[Any, Run], None] = lambda learner, run: None,
    clock: Clock = CLOCK,
) -> None:
    """Learn from scratch, or from a checkpoint, to the last step, and draw the learning curves.

    Args:
        learner: in its first state.
        options: the run folder.
        record: what config.json keeps, and what a resumed run must have again.
        shown: metrics to show beside the progress; all if none are named.
        measures: what is measured now and then, and logged with the metrics.
        after: called with the learner and the run after each iteration.
        clock: what tells the time.
    """
    if learner.rank > 0:
        return _follow(learner)
    run = Run(options, record, clock)
    with run.interruptible():
        restored = from_first(run.restore())
        if restored is not None:
            restore(learner, *restored)

        def save() -> None:
            run.checkpoint(learner.done, learner.agent(), learner.state(), learner.arrays())

        total, title = learner.total, f"{record['algorithm']} {record['preset'] or learner.puzzle.name}"
        with progress(total, title, learner.done, getattr(learner, "phases", ()), clock) as show:
            while all_agree(learner.done < total and not run.stopping):
                before, wall, cpu = learner.done, clock.wall(), clock.cpu()
                metrics = learner.iterate()
                check_finite(learner, metrics)
                done, times = learner.done, {"seconds": clock.wall() - wall, "cpu_seconds": clock.cpu() - cpu}
                show(done, **{key: metrics[key] for key in shown or metrics if key in metrics})
                metrics |= times
                for every, measure in measures:
                    if every and (done // every > before // every or done == total):
                        metrics |= measure(learner)
                run.log(done, **metrics)
                after(learner, run)
                if run.checkpoint_due() or done == total:
                    save()
        if total == 0:
            save()  # an untrained agent, to compare with
        if learner.done == total:
            files.write_text(run.folder / FINISHED, json.dumps({"step": total}))
        if learner.done:  # before the run is closed, so that W&B gets the plot too
            learning_plot(run.folder).savefig(run.folder / "learning.png", dpi=150)


def finished(folder: Path) -> int | None:
    """The last step of the run in a folder, None if it has not come that far."""
    file = folder / FINISHED
    return int(json.loads(file.read_text())["step"]) if file.exists() else None


def restore(learner: Learner, state: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    """Take a learner to where a checkpoint was, or say that the checkpoint is not one of its own."""
    try:
        learner.restore(state["learner"], arrays)
        fault = "" if learner.done == state["step"] <= learner.total else f"it ends at step {learner.total:,}"
    except (KeyError, TypeError, ValueError, IndexError, RuntimeError) as error:
        fault = str(error)
    if fault:
        raise ValueError(f"the checkpoint of step {state['step']:,} does not fit this run: {fault}")


def check_finite(learner: Learner, metrics: dict[str, float]) -> None:
    """A ValueError, which names the learning rates, if a metric is no finite number: then weights are none either.

    Nothing is saved of such a step: the last checkpoint is from before.
    """
    name = next((name for name in metrics if not np.isfinite(metrics[name])), None)
    if name is None:
        return
    rates = [key for key in vars(learner.config) if key == "alpha" or key.endswith(("lr", "learning_rate"))]
    lower = " or ".join(f"--config.{key.replace('_', '-')} (now {getattr(learner.config, key):g})" for key in rates)
    cure = f": try a lower {lower}" if rates else ""
    raise ValueError(f"training has diverged, {name} is {metrics[name]} at step {learner.done:,}{cure}")


def _follow(learner: Learner) -> None:
    """The loop of the other processes, which need not see the run folder."""
    restored: Any = from_first(None)
    if restored is not None:
        restore(learner, *restored)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # the first process saves, and says when to leave
    while all_agree(True):
        learner.iterate()
