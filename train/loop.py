"""The training loop of a learner that goes from iteration to iteration, in one process or in several (DAVI, ADI).

The first process keeps the run folder; the others learn along until it has enough.
"""

import signal
import time
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

import agents
from agents.networks.distributed import all_agree
from rubiks_gym.exact import has_table
from rubiks_gym.puzzles import Puzzle
from train.probe import Probe
from train.runs import Run, RunOptions, progress_bar


class Learner(Protocol):
    """What the loop needs of a learner."""

    puzzle: Puzzle
    config: Any
    rank: int
    done: int  # steps done
    total: int  # steps in all

    def iterate(self) -> dict[str, float]:
        """One iteration; returns its figures."""
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


def learn(
    learner: Learner,
    options: RunOptions,
    record: dict[str, Any],
    shown: tuple[str, ...],
    probe_every: int = 0,
    after: Callable[[Run], None] = lambda run: None,
) -> None:
    """Learn from scratch, or from a checkpoint, to the last iteration.

    Args:
        learner: in its first state.
        options: the run folder.
        record: what config.json keeps, and what a resumed run must have again.
        shown: figures for the progress bar.
        probe_every: iterations between two measurements of the error at every distance, if there is an exact table (0: none).
        after: called with the run after each iteration.
    """
    if learner.rank > 0:
        return _follow(learner, options)
    run = Run(options, record)
    restored = run.restore()
    if restored is not None:
        learner.restore(restored[0]["learner"], restored[1])
    probe = Probe(learner.puzzle) if probe_every and has_table(learner.puzzle) else None
    total, title = learner.total, f"{record['algorithm']} {record['preset'] or learner.puzzle.name}"
    with run.interruptible(), progress_bar(total, title) as show:
        while all_agree(learner.done < total and not run.stopping):
            began = time.perf_counter()
            metrics = learner.iterate()
            metrics["seconds"] = time.perf_counter() - began
            done, last = learner.done, learner.done == total
            if probe is not None and (done % probe_every == 0 or last):
                metrics |= probe.errors(learner.agent().cost_to_go)
            run.log(done, **metrics)
            show(done, **{key: metrics[key] for key in shown if key in metrics})
            after(run)
            if run.checkpoint_due() or last:
                run.checkpoint(done, learner.agent(), learner.state(), learner.arrays())
    run.finish()


def _follow(learner: Learner, options: RunOptions) -> None:
    """The loop of the other processes."""
    if options.resume and agents.checkpoints(options.folder):
        state, arrays = agents.load_checkpoint(options.folder)
        learner.restore(state["learner"], arrays)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # the first process saves, and says when to leave
    while all_agree(True):
        learner.iterate()
