"""DAVI (DeepCubeA; Tardon 2022): python -m train.davi --preset 2x2 --run.folder runs/davi/2x2-s0

Any setting can be changed, for example --config.iterations 50. On several cores or machines: torchrun --nproc-per-node 2 -m
train.davi ... Writes learning.png, with the convergence points marked.
"""

import agents
from agents.davi.agent import Davi
from agents.davi.config import PRESETS, DaviConfig
from agents.davi.learner import Learner
from rubiks_gym import files
from train.command import NetworkOptions, command, train_learner
from train.runs import Run


def train(options: NetworkOptions[DaviConfig]) -> Davi:
    """Train from scratch, or go on where a checkpoint was."""
    return train_learner("davi", Learner, options, ("loss", "effective_k", "convergence_points"), after=keep)


def keep(learner: Learner, run: Run) -> None:
    """Store the agent of a convergence point that is to be kept where `agents.load` finds it: in RUN/convergence/NUMBER."""
    every, points = learner.config.keep_every, learner.points
    if not every or not learner.converged or (points - 1) % every:
        return
    agent, folder = learner.agent(), run.folder / "convergence" / f"{points:04d}"
    state = {"step": learner.done, **agents.describe(agent)}
    files.save(folder / "checkpoints" / f"{learner.done:012d}.npz", state, agent.arrays())


if __name__ == "__main__":
    command(NetworkOptions[DaviConfig], train, PRESETS, __doc__, "rubik2x2-qtm", DaviConfig(), probe_every=25)
