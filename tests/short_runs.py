"""Short runs of the learners that share train/loop.py: four disks, eight iterations, a checkpoint after each."""

import json
from dataclasses import replace

import numpy as np

import train.adi
import train.davi
import train.ppo_chasenet
from agents.adi.config import AdiConfig
from agents.davi.config import DaviConfig
from agents.ppo_chasenet.config import PpoChaseNetConfig
from train.runs import RunOptions

DAVI = DaviConfig(network="windows", iterations=30, batch=600, minibatch=200, epochs=2, validation=100, scramble="random-state")
ADI = AdiConfig(network="windows", iterations=8, k=20, walks=20, epochs=2, minibatch=200)
PPO = PpoChaseNetConfig(
    hidden=(16, 8),
    k=6,
    warm_iterations=3,
    walks=20,
    warm_batch_size=60,
    ppo_iterations=5,
    time_limit=12,
    n_envs=16,
    n_steps=8,
    batch_size=64,
    n_epochs=2,
    widths=(16, 8),
)


def davi_options(folder, resume=False, seed=1, **config):
    settings = replace(DAVI, **{"iterations": 8, "target_update": "threshold", "epsilon": 0.3, "keep_every": 2, **config})
    return train.davi.Options(run=run_options(folder, resume, seed), puzzle="hanoi-4-3", config=settings, probe_every=4)


def adi_options(folder, resume=False, seed=1, puzzle="hanoi-4-3", **config):
    return train.adi.Options(run=run_options(folder, resume, seed), puzzle=puzzle, config=replace(ADI, **config), probe_every=4)


def ppo_options(folder, resume=False, seed=1, puzzle="hanoi-4-3", **config):
    return train.ppo_chasenet.Options(run=run_options(folder, resume, seed), puzzle=puzzle, config=replace(PPO, **config))


def run_options(folder, resume, seed):
    return RunOptions(folder, seed=seed, resume=resume, checkpoint_seconds=0)


def lines(folder):
    found = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    return [{key: value for key, value in row.items() if key not in ("seconds", "cpu_seconds")} for row in found]


def weights_of(agent):
    return np.concatenate([array.ravel() for array in agent.arrays().values()])
