"""PPO with ChaseNet reward (Lin and Liang): python -m train.ppo_chasenet --preset 2x2 --run.folder runs/ppo_chasenet/2x2-s0

Presets are in agents/ppo_chasenet/config.py; any setting can be changed, for example --config.ppo-iterations 100. Writes
learning.png: the paper's figure 3.
"""

from dataclasses import asdict, dataclass, field

from agents.ppo_chasenet.agent import PpoChaseNet
from agents.ppo_chasenet.config import PRESETS, PpoChaseNetConfig
from agents.ppo_chasenet.learner import Learner
from results.ppo_chasenet.figures import learning_figure
from rubiks_gym.puzzles import puzzle_from_name
from train.loop import learn
from train.runs import RunOptions, command


@dataclass(frozen=True)
class Options:
    """PPO with ChaseNet reward."""

    run: RunOptions
    """The run folder."""
    preset: str = ""
    """Settings by name, see agents/ppo_chasenet/config.py."""
    puzzle: str = "rubik2x2-qtm"
    """rubik2x2-qtm, rubik3x3-htm, hanoi-DISKS-PEGS, ..."""
    config: PpoChaseNetConfig = field(default_factory=PpoChaseNetConfig)
    """The learner's settings."""


def train(options: Options) -> PpoChaseNet:
    """Train from scratch, or go on where a checkpoint was."""
    learner = Learner(puzzle_from_name(options.puzzle), options.config, options.run.seed)
    record = {"algorithm": "ppo_chasenet", "preset": options.preset, "puzzle": learner.puzzle.name, "seed": options.run.seed}
    record |= {**asdict(options.config), "iterations": options.config.iterations}
    learn(learner, options.run, record, ("correlation", "success", "length"))
    if learner.done:
        learning_figure([options.run.folder]).savefig(options.run.folder / "learning.png", dpi=150)
    return learner.agent()


if __name__ == "__main__":
    command(Options, train, PRESETS, __doc__)
