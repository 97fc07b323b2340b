"""Learn to solve any puzzle by look-up tables: python -m train.general_ntuple --puzzle skewb --run.folder runs/skewb

What the tables look at, and how far away things are, is found from the puzzle. Any setting can be changed, for example
--config.rounds 200. Writes learning.png.
"""

from agents.general_ntuple.agent import GeneralNTuple
from agents.general_ntuple.config import PRESETS, GeneralNTupleConfig
from agents.general_ntuple.learner import Learner
from train.command import Options, command, train_learner


def train(options: Options[GeneralNTupleConfig]) -> GeneralNTuple:
    """Train from scratch, or go on where a checkpoint was."""
    return train_learner("general_ntuple", Learner, options)


if __name__ == "__main__":
    command(Options[GeneralNTupleConfig], train, PRESETS, __doc__, "sliding-tile-4-4", GeneralNTupleConfig())
