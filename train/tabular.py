"""Tabular value iteration on the 2x2x2 or Hanoi: python -m train.tabular --run.folder runs/hanoi"""

from dataclasses import asdict, dataclass, field

import numpy as np

from agents.tabular.agent import Tabular
from agents.tabular.learner import TabularConfig, learn_batch
from rubiks_gym.puzzles import puzzle_from_name
from train.runs import Run, RunOptions, command, progress_bar, rng_from, rng_state


@dataclass(frozen=True)
class Options:
    """Tabular value iteration."""

    run: RunOptions
    """The run folder."""
    puzzle: str = "hanoi-5-3"
    """rubik2x2-qtm, rubik2x2-htm or hanoi-DISKS-PEGS."""
    config: TabularConfig = field(default_factory=TabularConfig)
    """The learner's settings."""


def train(options: Options) -> Tabular:
    """Train from scratch, or go on where a checkpoint was."""
    puzzle, config = puzzle_from_name(options.puzzle), options.config
    agent, rng, first = Tabular(puzzle), np.random.default_rng(options.run.seed), 0
    run = Run(options.run, {"algorithm": "tabular", "puzzle": puzzle.name, "seed": options.run.seed, **asdict(config)})
    restored = run.restore()
    if restored is not None:
        state, arrays = restored
        agent, rng, first = Tabular(puzzle, arrays["table"]), rng_from(state["learner"]["rng"]), state["step"]
    with run.interruptible(), progress_bar(config.iterations, f"tabular {puzzle.name}") as show:
        for iteration in range(first + 1, config.iterations + 1):
            change = learn_batch(agent, config, rng)
            run.log(iteration, change=change, mean_cost_to_go=agent.table.mean())
            show(iteration, change=change)
            if run.checkpoint_due() or iteration == config.iterations:
                run.checkpoint(iteration, agent, {"rng": rng_state(rng)}, {})
            if run.stopping:
                break
    run.finish()
    return agent


if __name__ == "__main__":
    command(Options, train, {}, __doc__)
