"""ADI (McAleer et al. 2018; BetaCube): python -m train.adi --preset 2x2 --run.folder runs/adi/2x2-s0

Presets are in agents/adi/config.py; any setting can be changed, for example --config.iterations 50. On several cores or
machines: torchrun --nproc-per-node 2 -m train.adi ... Writes learning.png: losses, values, errors.
"""

from dataclasses import asdict, dataclass, field

from agents.adi.agent import Adi
from agents.adi.config import PRESETS, AdiConfig
from agents.adi.learner import Learner
from agents.networks.distributed import process_group
from results.adi.figures import learning_figure
from rubiks_gym.puzzles import puzzle_from_name
from train.loop import learn
from train.runs import RunOptions, command


@dataclass(frozen=True)
class Options:
    """Autodidactic iteration."""

    run: RunOptions
    """The run folder."""
    preset: str = ""
    """Settings by name, see agents/adi/config.py."""
    puzzle: str = "rubik2x2-qtm"
    """rubik2x2-qtm, rubik3x3-htm, hanoi-DISKS-PEGS, ..."""
    config: AdiConfig = field(default_factory=AdiConfig)
    """The learner's settings."""
    probe_every: int = 25
    """Iterations between two measurements of the error at every distance, on puzzles with an exact table (0: none)."""


def train(options: Options) -> Adi:
    """Train from scratch, or go on where a checkpoint was."""
    if options.probe_every < 0:
        raise ValueError(f"--probe-every must be at least 0, got {options.probe_every}")
    with process_group():
        learner = Learner(puzzle_from_name(options.puzzle), options.config, options.run.seed)
        record = {"algorithm": "adi", "preset": options.preset, "puzzle": learner.puzzle.name, "seed": options.run.seed}
        record |= {**asdict(options.config), "probe_every": options.probe_every, "processes": learner.ranks}
        learn(learner, options.run, record, ("value_loss", "policy_loss", "target"), options.probe_every)
        if learner.rank == 0 and learner.done:
            learning_figure(options.run.folder).savefig(options.run.folder / "learning.png", dpi=150)
        return learner.agent()


if __name__ == "__main__":
    command(Options, train, PRESETS, __doc__)
