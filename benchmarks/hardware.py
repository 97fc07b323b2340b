"""What torch.compile does for networks on one core of a processor: python -m benchmarks.hardware

DAVI on the 3x3x3: states trained on (one epoch, 12 children each evaluated for its target) and states evaluated, by the network
as it is and compiled; evaluated in batches of different sizes, as searches ask. What compiling takes is not in the rates, it
is a column of its own, in seconds of wall time. Rates are per CPU second. Needs a C++ compiler, as torch.compile does.
"""

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import product

import numpy as np
import torch
import tyro

from agents.davi.agent import Davi
from agents.davi.config import PRESETS
from agents.davi.learner import Learner
from agents.davi.network import NETWORKS
from agents.networks.hardware import CPU, Hardware
from benchmarks.timing import TimedArgs, finish, rate, use_cores
from rubiks_gym.puzzles import Rubik3x3, sample_seeds

COMPILED = CPU._replace(compile=True)
SIZES = (12, 120, 1_200, 12_000, 3_000, 500)  # states in a batch, in turn


def training(network: str, hardware: Hardware, args: TimedArgs) -> Callable[[], int]:
    """Iterations of DAVI; how many states each trains on."""
    changed = {"network": network, "batch": 5_000, "epochs": 1, "check_every": 10**9}
    learner = Learner(Rubik3x3(), replace(PRESETS["3x3-plain"].config, **changed), args.seed, hardware)

    def work() -> int:
        learner.iterate()
        return learner.config.batch

    return work


def evaluating(network: str, hardware: Hardware, args: TimedArgs) -> Callable[[], int]:
    """Batches of states; how many were evaluated."""
    cube = Rubik3x3()
    agent = Davi(cube, NETWORKS[network]).place(hardware)
    states = cube.random_states(sample_seeds(np.random.default_rng(args.seed), max(SIZES)))

    def work() -> int:
        for size in SIZES:
            agent.cost_to_go(states[:size])
        return sum(SIZES)

    return work


def main(args: TimedArgs) -> int:
    """One row per network and work."""
    use_cores(1)
    rows = []
    works = {"states trained on": training, "states evaluated": evaluating}
    for network, (unit, made) in product(("pieces", "deep-pieces"), works.items()):
        plain = rate(made(network, CPU, args), args.seconds)
        torch.compiler.reset()
        work, start = made(network, COMPILED, args), time.perf_counter()
        work()
        seconds = time.perf_counter() - start
        compiled = rate(work, args.seconds)
        row = {"network": network, "work": unit, "as it is": plain, "compiled": compiled, "ratio": compiled / plain}
        rows.append(row | {"seconds to compile": seconds})
    return finish("hardware", rows, args, note="3x3x3, one core; states per CPU second, by DAVI's networks.")


if __name__ == "__main__":
    sys.exit(main(tyro.cli(TimedArgs, prog="python -m benchmarks.hardware", description=__doc__)))
