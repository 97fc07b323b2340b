"""Tabular value iteration on a puzzle that can be enumerated: python -m train.tabular --run.folder runs/hanoi

Any setting can be changed, for example --config.iterations 50. Writes learning.png.
"""

from agents.tabular.agent import Tabular
from agents.tabular.config import TabularConfig
from agents.tabular.learner import Learner
from train.command import Options, command, train_learner


def train(options: Options[TabularConfig]) -> Tabular:
    """Train from scratch, or go on where a checkpoint was."""
    return train_learner("tabular", Learner, options)


if __name__ == "__main__":
    command(Options[TabularConfig], train, {}, __doc__, "hanoi-5-3", TabularConfig())
