"""Learn to solve any 3x3x3: python -m train.symmetric_ntuple --preset qtm --run.folder runs/symmetric_ntuple/qtm-s0

Presets are in agents/symmetric_ntuple/config.py; any setting can be changed, for example --config.rounds 100.
"""

import time
from dataclasses import asdict, dataclass, field

import numpy as np

from agents.symmetric_ntuple.config import PRESETS, SymmetricNTupleConfig
from agents.symmetric_ntuple.learner import Learner
from rubiks_gym.ntuple.agent import SymmetricNTuple
from rubiks_gym.ntuple.network import possible_in
from rubiks_gym.puzzles import puzzle_from_name
from train.runs import Run, RunOptions, command, progress_bar, rng_from, rng_state


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
    learner, done = Learner(puzzle, config, np.random.default_rng(options.run.seed)), 0
    record = {"algorithm": "symmetric_ntuple", "preset": options.preset, "puzzle": puzzle.name, "seed": options.run.seed}
    run = Run(options.run, {**record, **asdict(config)})
    possible = possible_in(config.cubies())  # the weights worth storing
    restored = run.restore()
    if restored is not None:
        state, arrays = restored
        learner.weights[possible, 0] = arrays["unrounded"]
        learner.rng, done = rng_from(state["learner"]["rng"]), state["step"]

    def save() -> None:
        run.checkpoint(done, learner.agent(), {"rng": rng_state(learner.rng)}, {"unrounded": learner.weights[possible, 0]})

    steps = config.lots + config.rounds  # a step is a lot of walks, later a round of beams
    with run.interruptible(), progress_bar(steps, f"symmetric_ntuple {options.preset}") as show:
        while done < steps and not run.stopping:
            began = time.perf_counter()
            metrics = step(learner, done)
            metrics["seconds"] = time.perf_counter() - began
            done += 1
            run.log(done, **metrics)
            show(done, **metrics)
            if run.checkpoint_due() or done == steps:
                save()
        if steps == 0:  # an untrained agent, to compare with
            save()
    run.finish()
    return learner.agent()


def step(learner: Learner, done: int) -> dict[str, float]:
    """Step number `done` of the training; returns its figures."""
    config = learner.config
    if done < config.lots:
        return {"walk_error": learner.learn_walks(config.alpha_of(done))}
    size = config.step_of(done - config.lots)
    upward = learner.learn_upwards(size)
    errors = [learner.learn_walks(config.alpha_mix * size) for _ in range(config.mix)]
    return {**upward._asdict(), **({"walk_error": errors[-1]} if errors else {})}


if __name__ == "__main__":
    command(Options, train, PRESETS, __doc__)
