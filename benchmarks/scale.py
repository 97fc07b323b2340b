"""Rates that docs/scale.md reckons with: python -m benchmarks.scale

States per CPU second of one core, and bytes that each takes: exact tables of two sizes, to see what a table costs that no cache
holds; the cost-to-go of the trained tables and of a network; and DAVI's training, each trained state new.
"""

import sys
import time

import numpy as np
import tyro

import agents
from agents.davi.agent import Davi
from agents.davi.network import NETWORKS
from benchmarks.davi import NETWORK, training
from benchmarks.timing import TimedArgs, finish, rate, use_cores
from rubiks_gym.exact.table import breadth_first
from rubiks_gym.puzzles import puzzle_from_name, sample_seeds

TABLES = {"rubik2x2-qtm": "rubik2x2-qtm", "pancake-11": "pancake-8"}  # and a search that compiles the same
BATCH = 45_056  # children of 4096 states of the 3x3x3, as a beam asks for them


def table(name: str, before: str) -> tuple[float, float]:
    """States per second of a breadth-first search through a whole puzzle, and bytes of the table per state."""
    breadth_first(puzzle_from_name(before))
    puzzle = puzzle_from_name(name)
    start = time.process_time()
    distances = breadth_first(puzzle)
    return len(distances) / (time.process_time() - start), distances.nbytes / len(distances)


def asking(agent, args: TimedArgs) -> float:
    """States per second whose cost-to-go an agent tells."""
    states = agent.puzzle.random_states(sample_seeds(np.random.default_rng(args.seed), BATCH))
    return rate(lambda: len(agent.cost_to_go(states)), args.seconds)


def main(args: TimedArgs) -> int:
    """One row per measurement."""
    use_cores(1)
    rows = []
    for name, before in TABLES.items():
        puzzle = puzzle_from_name(name)
        figure, size = table(name, before)
        work = f"exact table of {name}, {puzzle.n_states:,} states"
        rows.append({"work": work, "states per second": figure, "bytes per state": size})
    tables = agents.load("symmetric_ntuple:rubik3x3-qtm")
    network = Davi(tables.puzzle, NETWORKS[NETWORK])
    weights = sum(parameter.numel() for parameter in network.network.parameters())
    rows.append(
        {"work": "cost-to-go of the trained tables", "states per second": asking(tables, args), "bytes per state": None}
    )
    work = f"cost-to-go of a network of {weights:,} weights"
    rows.append({"work": work, "states per second": asking(network, args), "bytes per state": None})
    rows.append({"work": "DAVI, training states", "states per second": training(1, args), "bytes per state": None})
    return finish("scale", rows, args, note="One core, CPU seconds; 3x3x3 unless said otherwise.")


if __name__ == "__main__":
    sys.exit(main(tyro.cli(TimedArgs, prog="python -m benchmarks.scale", description=__doc__)))
