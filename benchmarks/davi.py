"""How fast DAVI trains and BWAS searches beside DeepCubeA's own program: python -m benchmarks.davi

3x3x3, one core, a network of 0.73 million weights as theirs had. A trained state is one that a gradient step was made with; the
second row goes through each batch once, as DeepCubeA does, so that every trained state is new and has had its 12 children
evaluated. Their rates were measured on one core of a machine like ours. Rates are per CPU second.
"""

import sys
from dataclasses import replace
from itertools import count

import tyro

from agents.davi.agent import Davi
from agents.davi.config import PRESETS
from agents.davi.learner import Learner
from agents.davi.network import NETWORKS
from benchmarks.timing import TimedArgs, finish, rate, use_cores
from results.published import SPEED
from rubiks_gym.puzzles import Rubik3x3
from rubiks_gym.search import Budget, make_search
from train.evaluation import start_states

NETWORK = "deep-pieces"


def training(epochs: int, args: TimedArgs) -> float:
    """States trained on per second."""
    changed = {"network": NETWORK, "batch": 10_000, "epochs": epochs, "check_every": 10**9}
    learner = Learner(Rubik3x3(), replace(PRESETS["3x3-plain"][1], **changed), args.seed)

    def work() -> int:
        learner.iterate()
        return epochs * learner.config.batch

    return rate(work, args.seconds)


def searching(batch: int, args: TimedArgs) -> float:
    """Nodes that BWAS generates per second, from random cubes, which an untrained network does not solve."""
    cube, numbers = Rubik3x3(), count()
    starts = start_states(cube, 0, 1000, args.seed)
    search = make_search("bwas", Davi(cube, NETWORKS[NETWORK]), {"weight": 0.6, "batch": batch}, budget=Budget(nodes=200_000))
    return rate(lambda: int(search(starts[next(numbers)][None]).nodes[0]), args.seconds)


def main(args: TimedArgs) -> int:
    """One row per measurement."""
    use_cores(1)
    rows = []
    for work, ours, beside, required in (
        ("training, three epochs of each batch", training(3, args), "training", 3),
        ("training, one epoch of each batch", training(1, args), "training", None),
        ("BWAS, N = 1000", searching(1000, args), "bwas", 3),
        ("BWAS, N = 100", searching(100, args), "bwas", None),
    ):
        theirs = SPEED["davi"][beside]
        rows.append({"work": work, "per second": ours, "DeepCubeA": theirs, "ratio": ours / theirs, "required": required})
    weights = sum(parameter.numel() for parameter in Davi(Rubik3x3(), NETWORKS[NETWORK]).network.parameters())
    return finish("davi", rows, args, note=f"3x3x3, one core, {weights:,} weights; states trained on and nodes generated.")


if __name__ == "__main__":
    sys.exit(main(tyro.cli(TimedArgs, prog="python -m benchmarks.davi", description=__doc__)))
