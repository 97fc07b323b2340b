"""Learn to solve any 3x3x3: python -m train.symmetric_ntuple --preset 3x3-qtm --run.folder runs/symmetric_ntuple/3x3-qtm-s0

Any setting can be changed, for example --config.rounds 100. Writes learning.png.
"""

from agents.symmetric_ntuple.config import PRESETS, SymmetricNTupleConfig
from agents.symmetric_ntuple.learner import Learner
from rubiks_gym.ntuple.agent import SymmetricNTuple
from train.command import Options, command, train_learner


def train(options: Options[SymmetricNTupleConfig]) -> SymmetricNTuple:
    """Train from scratch, or go on where a checkpoint was."""
    return train_learner("symmetric_ntuple", Learner, options)


if __name__ == "__main__":
    command(Options[SymmetricNTupleConfig], train, PRESETS, __doc__, "rubik3x3-qtm", SymmetricNTupleConfig())
