"""The solver of any cube: speed and memory against beam width, one thread and two, and the prefixes of a hard position.

`python -m benchmarks.symmetric_ntuple [RUN]`; without a run the trained tables of the project. Writes benchmarks/symmetric_ntuple.json and the
tables in agents/symmetric_ntuple/README.md.
"""

import json
import time
import tracemalloc
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import tyro

import agents
from benchmarks.speed import ROOT, _plain
from rubiks_gym import files
from rubiks_gym.puzzles import sample_seeds, set_num_threads
from rubiks_gym.search import Budget, Perimeter, Solutions, make_search
from train.evaluation import FARTHEST
from train.runs import provenance


@dataclass
class Args:
    """Measure the solver of any cube."""

    run: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")] = "symmetric_ntuple:rubik3x3-qtm"
    """Run folder, or a trained agent of the project."""
    widths: tuple[int, ...] = (256, 1024, 4096, 16_384, 65_536)
    """Beam widths."""
    cubes: int = 8
    """Random cubes per width."""
    prefix_width: int = 65_536
    """Beam width for the prefixes."""
    radius: int = 7
    """Of the perimeter in which beams end."""
    seed: int = 0
    """Of the random cubes."""


class Solver:
    """Beams from a cube and from its inverse with one agent and one perimeter."""

    def __init__(self, args: Args) -> None:
        self.agent = agents.load(args.run)
        self.cube = self.agent.puzzle
        self.perimeter = Perimeter(self.cube, args.radius)

    def __call__(self, states: np.ndarray, width: int, **options: int) -> Solutions:
        options, budget = {"width": width, **options}, Budget(nodes=2**60)
        return make_search("beam", self.agent, options, self.perimeter, inverse=True, budget=budget)(states)


def by_width(solver: Solver, states: np.ndarray, width: int) -> dict[str, float]:
    """Rates and memory of one thread, the gain from two, and the gain from making only the children that look best."""
    solver(states[:1], width)  # compiles
    set_num_threads(1)
    start = time.perf_counter()
    found = solver(states, width)
    alone = time.perf_counter() - start
    set_num_threads(2)
    start = time.perf_counter()
    solver(states, width)
    together = time.perf_counter() - start
    set_num_threads(1)
    start = time.perf_counter()
    solver(states[:1], width)
    cascade = time.perf_counter() - start
    start = time.perf_counter()
    solver(states[:1], width, children_per_state=solver.cube.n_actions)
    every_child = time.perf_counter() - start
    tracemalloc.start()
    nodes = solver(states[:1], width).nodes[0] / 2  # one of the two beams at a time
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return {
        "width": width, "length": float(np.mean([len(moves) for moves in found.moves])), "seconds": alone / len(states),
        "nodes_per_second": found.nodes.sum() / alone, "megabytes": peak / 1e6, "bytes_per_node": peak / nodes,
        "two_threads": alone / together, "cascade": every_child / cascade,
    }  # fmt: skip


def prefixes(solver: Solver, width: int) -> list[dict[str, float]]:
    """The first q moves of the hardest position: length found and seconds, both cores."""
    set_num_threads(2)
    moves, rows = solver.cube.parse(FARTHEST), []
    for q in range(1, len(moves) + 1):
        start = time.perf_counter()
        found = solver(solver.cube.after(moves[:q])[None], width)
        length = len(found.moves[0]) if found.solved[0] else None
        rows.append({"distance": q, "length": length, "seconds": time.perf_counter() - start})
    return rows


def main(args: Args) -> None:
    """Measure, print, write."""
    solver = Solver(args)
    states = solver.cube.random_states(sample_seeds(np.random.default_rng(args.seed), args.cubes))
    lines = [
        "| beam width | length | s a cube, one thread | nodes/s | MB at most | bytes a node | two threads | cascade |",
        "|---" * 8 + "|",
    ]
    rows = []
    for width in args.widths:
        rows.append(by_width(solver, states, width))
        r = rows[-1]
        lines.append(
            f"| {width:,} | {r['length']:.2f} | {r['seconds']:.2f} | {r['nodes_per_second']:,.0f} | {r['megabytes']:,.0f} | "
            f"{r['bytes_per_node']:.0f} | {r['two_threads']:.2f} x | {r['cascade']:.2f} x |"
        )
        print(lines[-1], flush=True)
    hard = prefixes(solver, args.prefix_width)
    lines += ["", "| prefix of the position at distance 26 | " + " | ".join(str(r["distance"]) for r in hard) + " |"]
    lines += ["|---" * (len(hard) + 1) + "|"]
    lines += [f"| length found, width {args.prefix_width:,} | " + " | ".join(str(r["length"] or "-") for r in hard) + " |"]
    lines += ["| seconds, both cores | " + " | ".join(f"{r['seconds']:.1f}" for r in hard) + " |"]
    made = provenance()
    lines += [
        "",
        f"`python -m benchmarks.symmetric_ntuple {args.run} --cubes {args.cubes}`, seed {args.seed}, the cube and its inverse;",
    ]
    lines += [f"{made['date'][:10]}, commit {made['commit'][:10]}, {made['machine']['processor']}."]
    print("\n".join(lines[-8:]))
    results = {"run": args.run, "seed": args.seed, "cubes": args.cubes, "widths": rows, "prefixes": hard, **made}
    (ROOT / "benchmarks" / "symmetric_ntuple.json").write_text(json.dumps(_plain(results), indent=1) + "\n")
    files.write_between(ROOT / "agents" / "symmetric_ntuple" / "README.md", "speed", "\n".join(lines))


if __name__ == "__main__":
    main(tyro.cli(Args, prog="python -m benchmarks.symmetric_ntuple"))
