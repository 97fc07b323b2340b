"""Short runs of every learner: a small puzzle, few steps, a checkpoint after each."""

import json
from dataclasses import replace

import numpy as np

import train.td_ntuple
from agents.adi.config import AdiConfig
from agents.davi.config import DaviConfig
from agents.general_ntuple.config import GeneralNTupleConfig
from agents.ppo_chasenet.config import PpoChaseNetConfig
from agents.symmetric_ntuple.config import SymmetricNTupleConfig
from agents.tabular.config import TabularConfig
from agents.td_ntuple.config import TdNTupleConfig
from train.command import NetworkOptions, Options
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
TABULAR = TabularConfig(iterations=8, batch=30)
TD_NTUPLE = TdNTupleConfig(board="plain", n_tuples=4, tuple_length=3, episodes=800, p_max=15, max_steps=20, log_every=100)
SYMMETRIC = SymmetricNTupleConfig(
    tables=("0,1,8,12,13",), walks=64, walk_batches=6, rounds=2, episodes=2, width=8, walk_batches_per_round=1, radius=2
)

GENERAL = GeneralNTupleConfig(walks=16, walk_batches=5, rounds=3, episodes=4, width=4, perimeter=10)


def davi_options(folder, resume=False, seed=1, **config):
    settings = replace(DAVI, **{"iterations": 8, "target_update": "threshold", "epsilon": 0.3, "keep_every": 2, **config})
    return NetworkOptions(run=run_options(folder, resume, seed), puzzle="hanoi-4-3", config=settings, probe_every=4)


def adi_options(folder, resume=False, seed=1, puzzle="hanoi-4-3", **config):
    return NetworkOptions(run=run_options(folder, resume, seed), puzzle=puzzle, config=replace(ADI, **config), probe_every=4)


def ppo_options(folder, resume=False, seed=1, puzzle="hanoi-4-3", **config):
    return NetworkOptions(run=run_options(folder, resume, seed), puzzle=puzzle, config=replace(PPO, **config))


def tabular_options(folder, resume=False, seed=1, puzzle="hanoi-4-3", **config):
    return Options(run=run_options(folder, resume, seed), puzzle=puzzle, config=replace(TABULAR, **config), probe_every=3)


def td_ntuple_options(folder, resume=False, seed=1, **config):
    settings = {"puzzle": "hanoi-4-3", "config": replace(TD_NTUPLE, **config), "evaluate_every": 250, "cubes": 10}
    return train.td_ntuple.Options(run=run_options(folder, resume, seed), **settings)


def symmetric_options(folder, resume=False, seed=1, **config):
    return Options(run=run_options(folder, resume, seed), puzzle="rubik3x3-qtm", config=replace(SYMMETRIC, **config))


def general_options(folder, resume=False, seed=1, puzzle="hanoi-4-3", **config):
    return Options(run=run_options(folder, resume, seed), puzzle=puzzle, config=replace(GENERAL, **config), probe_every=4)


def run_options(folder, resume, seed):
    return RunOptions(folder, seed=seed, resume=resume, checkpoint_seconds=0)


def lines(folder):
    """The metrics of a run without its times, which no two runs share."""
    found = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    return [{key: value for key, value in row.items() if key not in ("seconds", "cpu_seconds")} for row in found]


def weights_of(agent):
    return np.concatenate([array.ravel() for array in agent.arrays().values()])
