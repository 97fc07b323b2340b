"""The symmetric n-tuple network's beams: speed and memory against width, one thread and two, every child or the best.

`python -m benchmarks.symmetric_ntuple [RUN]`; without a run the trained tables of the project.
"""

import sys
import time
import tracemalloc
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import tyro

import agents
from benchmarks import timing
from benchmarks.timing import finish
from rubiks_gym.puzzles import sample_seeds, set_num_threads
from rubiks_gym.search import Budget, Perimeter, Solutions, make_search


@dataclass
class Args(timing.Args):
    """Measure beams with tables of the symmetric n-tuple network."""

    run: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")] = "symmetric_ntuple:rubik3x3-qtm"
    """Run folder, or a trained agent of the project."""
    widths: tuple[int, ...] = (256, 1024, 4096, 16_384, 65_536)
    """Beam widths."""
    cubes: int = 4
    """Random cubes per width."""
    radius: int = 7
    """Of the perimeter in which beams end."""


def main(args: Args) -> int:
    """One row per width."""
    agent: Any = agents.load(args.run)
    perimeter = Perimeter(agent.puzzle, args.radius)
    states = agent.puzzle.random_states(sample_seeds(np.random.default_rng(args.seed), args.cubes))

    def solve(states: np.ndarray, threads: int, **options: int) -> tuple[Solutions, float]:
        """What beams from the cubes and their inverses find, and how long it takes."""
        set_num_threads(threads)
        search = make_search("beam", agent, options, perimeter, inverse=True, budget=Budget(nodes=2**60))
        start = time.perf_counter()
        return search(states), time.perf_counter() - start

    rows = []
    for width in args.widths:
        solve(states[:1], 1, width=width)  # compiles
        found, alone = solve(states, 1, width=width)
        _, both = solve(states, 2, width=width)
        _, every = solve(states, 1, width=width, children_per_state=agent.puzzle.n_actions)
        tracemalloc.start()
        nodes = solve(states[:1], 1, width=width)[0].nodes[0] / 2  # one of the two beams at a time
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        rows.append(
            {
                "beam width": f"{width:,}",
                "mean length": float(np.mean([len(moves) for moves in found.moves])),
                "s a cube, one thread": alone / len(states),
                "nodes/s": found.nodes.sum() / alone,
                "MB at most": peak / 1e6,
                "bytes a node": peak / nodes,
                "gain from two threads": alone / both,
                "gain from partial expansion": every / alone,
            }
        )
    return finish("symmetric_ntuple", rows, args, note=f"{args.cubes} uniformly random cubes, and their inverses, wall clock.")


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args, prog="python -m benchmarks.symmetric_ntuple")))
