"""PPO with ChaseNet reward (Lin and Liang): python -m train.ppo_chasenet --preset 2x2 --run.folder runs/ppo_chasenet/2x2-s0

Any setting can be changed, for example --config.ppo-iterations 100. Writes learning.png.
"""

from agents.ppo_chasenet.agent import PpoChaseNet
from agents.ppo_chasenet.config import PRESETS, PpoChaseNetConfig
from agents.ppo_chasenet.learner import Learner
from train.command import NetworkOptions, command, train_learner


def train(options: NetworkOptions[PpoChaseNetConfig]) -> PpoChaseNet:
    """Train from scratch, or go on where a checkpoint was."""
    return train_learner("ppo_chasenet", Learner, options, ("correlation", "success", "length"))


if __name__ == "__main__":
    command(NetworkOptions[PpoChaseNetConfig], train, PRESETS, __doc__, "rubik2x2-qtm", PpoChaseNetConfig())
