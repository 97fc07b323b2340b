"""How fast DAVI trains and BWAS searches beside DeepCubeA's own program: python -m benchmarks.davi

3x3x3, one core, a network of 0.73 million weights as theirs had. A trained state is one that a gradient step was made with; the
second row goes through each pool once, as DeepCubeA does, so that every trained state is new and has had its 12 children
evaluated. Their rates were measured on one core of a machine like ours. Rates are per CPU second.
"""

import json
import os
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

import torch
import tyro

from agents.davi.agent import Davi
from agents.davi.config import PRESETS
from agents.davi.learner import Learner
from agents.davi.network import NETWORKS
from results.davi.published import SPEED
from rubiks_gym.puzzles import Rubik3x3, set_num_threads
from rubiks_gym.search import Budget, make_search
from train.evaluation import start_states
from train.runs import provenance

RESULTS = Path(__file__).with_name("davi.json")
NETWORK = "deep-pieces"
REQUIRED = 3


@dataclass
class Args:
    """Measure the speed of DAVI and of BWAS."""

    seconds: float = 20.0
    """CPU time for each row."""
    check: bool = False
    """Exit with 1 if a required ratio is not held."""


def training(epochs: int, seconds: float) -> float:
    """States trained on per second."""
    config = PRESETS["3x3-plain"].config
    learner = Learner(Rubik3x3(), replace(config, network=NETWORK, batch=10_000, epochs=epochs, check_every=10**9), 0)
    learner.iterate()  # compiles
    done, start = 0, time.process_time()
    while time.process_time() - start < seconds:
        learner.iterate()
        done += epochs * learner.config.batch
    return done / (time.process_time() - start)


def searching(batch: int, seconds: float) -> float:
    """Nodes that BWAS generates per second, from random cubes, which an untrained network does not solve."""
    cube = Rubik3x3()
    starts = start_states(cube, 0, 1000, seed=0)
    search = make_search("bwas", Davi(cube, NETWORKS[NETWORK]), {"weight": 0.6, "batch": batch}, budget=Budget(nodes=200_000))
    search(starts[:1])
    nodes, done, start = 0, 0, time.process_time()
    while time.process_time() - start < seconds:
        done += 1
        nodes += int(search(starts[done : done + 1]).nodes[0])
    return nodes / (time.process_time() - start)


def main(args: Args) -> int:
    """Print one row per measurement, and write them to davi.json."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    set_num_threads(1)
    torch.set_num_threads(1)
    rows = [
        {"work": "training, three times through each pool", "rate": training(3, args.seconds), "theirs": SPEED["training"]},
        {"work": "training, once through each pool", "rate": training(1, args.seconds), "theirs": SPEED["training"]},
        {"work": "BWAS, N = 1000", "rate": searching(1000, args.seconds), "theirs": SPEED["bwas"]},
        {"work": "BWAS, N = 100", "rate": searching(100, args.seconds), "theirs": SPEED["bwas"]},
    ]
    for row in rows:
        row["ratio"] = row["rate"] / row["theirs"]
        print(f"{row['work']:40} {row['rate']:,.0f}/s; DeepCubeA {row['theirs']:,}: {row['ratio']:.1f} times")
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    record = {"network": NETWORK, "weights": weights(), "load": load, "rows": rows, **provenance()}
    RESULTS.write_text(json.dumps(record, indent=1) + "\n")
    held = max(rows[0]["ratio"], rows[1]["ratio"]) >= REQUIRED and max(rows[2]["ratio"], rows[3]["ratio"]) >= REQUIRED
    return int(args.check and not held)


def weights() -> int:
    """Of the network."""
    return sum(parameter.numel() for parameter in Davi(Rubik3x3(), NETWORKS[NETWORK]).network.parameters())


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args, prog="python -m benchmarks.davi", description=__doc__)))
