"""Learn to solve any 3x3x3: python -m train.symmetric_ntuple --preset qtm --run.folder runs/symmetric_ntuple/qtm-s0

Presets are in agents/symmetric_ntuple/config.py; any setting can be changed, for example --config.rounds 100.
"""

import time
from dataclasses import asdict, dataclass, field

from agents.symmetric_ntuple.config import PRESETS, SymmetricNTupleConfig
from agents.symmetric_ntuple.learner import Learner
from rubiks_gym.ntuple.agent import SymmetricNTuple
from rubiks_gym.puzzles import puzzle_from_name
from train.runs import Run, RunOptions, command, progress_bar


@dataclass(frozen=True)
class Options:
    """Learning to solve any 3x3x3."""

    run: RunOptions
    """The run folder."""
    preset: str = "qtm"
    """Settings by name, see config.py."""
    puzzle: str = "rubik3x3-qtm"
    """rubik3x3-qtm or rubik3x3-htm."""
    config: SymmetricNTupleConfig = field(default_factory=SymmetricNTupleConfig)
    """The learner's settings."""


def train(options: Options) -> SymmetricNTuple:
    """Train from scratch, or go on where a checkpoint was."""
    puzzle, config = puzzle_from_name(options.puzzle), options.config
    learner = Learner(puzzle, config, options.run.seed)
    record = {"algorithm": "symmetric_ntuple", "preset": options.preset, "puzzle": puzzle.name, "seed": options.run.seed}
    run = Run(options.run, {**record, **asdict(config)})
    restored = run.restore()
    if restored is not None:
        learner.restore(restored[0]["learner"], restored[1])
    with run.interruptible(), progress_bar(learner.total, f"symmetric_ntuple {options.preset}") as show:
        while learner.done < learner.total and not run.stopping:
            began = time.perf_counter()
            metrics = learner.iterate()
            metrics["seconds"] = time.perf_counter() - began
            run.log(learner.done, **metrics)
            show(learner.done, **metrics)
            if run.checkpoint_due() or learner.done == learner.total:
                run.checkpoint(learner.done, learner.agent(), learner.state(), learner.arrays())
        if learner.total == 0:  # an untrained agent, to compare with
            run.checkpoint(learner.done, learner.agent(), learner.state(), learner.arrays())
    run.finish()
    return learner.agent()


if __name__ == "__main__":
    command(Options, train, PRESETS, __doc__)
