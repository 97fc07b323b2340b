"""ADI (McAleer et al. 2018; BetaCube): python -m train.adi --preset 2x2 --run.folder runs/adi/2x2-s0

Any setting can be changed, for example --config.iterations 50. On several cores or machines: torchrun --nproc-per-node 2 -m
train.adi ... Writes learning.png.
"""

from agents.adi.agent import Adi
from agents.adi.config import PRESETS, AdiConfig
from agents.adi.learner import Learner
from train.command import NetworkOptions, command, train_learner


def train(options: NetworkOptions[AdiConfig]) -> Adi:
    """Train from scratch, or go on where a checkpoint was."""
    return train_learner("adi", Learner, options, ("value_loss", "policy_loss", "target"))


if __name__ == "__main__":
    command(NetworkOptions[AdiConfig], train, PRESETS, __doc__, "rubik2x2-qtm", AdiConfig(), probe_every=25)
