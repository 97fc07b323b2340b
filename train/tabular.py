"""Tabular value iteration on the 2x2x2 or Hanoi: python -m train.tabular --run.folder runs/hanoi"""

from dataclasses import asdict, dataclass, field

from agents.tabular.agent import Tabular
from agents.tabular.config import TabularConfig
from agents.tabular.learner import Learner
from rubiks_gym.puzzles import puzzle_from_name
from train.runs import Run, RunOptions, command, progress_bar


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
    learner = Learner(puzzle, config, options.run.seed)
    run = Run(options.run, {"algorithm": "tabular", "puzzle": puzzle.name, "seed": options.run.seed, **asdict(config)})
    restored = run.restore()
    if restored is not None:
        learner.restore(restored[0]["learner"], restored[1])
    with run.interruptible(), progress_bar(learner.total, f"tabular {puzzle.name}") as show:
        while learner.done < learner.total and not run.stopping:
            metrics = learner.iterate()
            run.log(learner.done, **metrics)
            show(learner.done, **metrics)
            if run.checkpoint_due() or learner.done == learner.total:
                run.checkpoint(learner.done, learner.agent(), learner.state(), learner.arrays())
    run.finish()
    return learner.agent()


if __name__ == "__main__":
    command(Options, train, {}, __doc__)
