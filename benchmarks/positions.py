"""Positions of known length, proven once more: python -m benchmarks.positions

Each comes with its known solution, and all that is shorter is ruled out. The superflip takes minutes in quarter turns.
"""

import sys
import time

import tyro

from benchmarks.timing import Args, finish
from rubiks_gym.command_line import progress
from rubiks_gym.exact import OptimalSolver, bench, certify
from rubiks_gym.puzzles import Rubik3x3

PREFIXES = 20  # moves of the way to the farthest position; the next would take as long as all before it


def main(args: Args) -> int:
    """A row for each position and metric."""
    rows = []
    for metric in bench.METRICS:
        solver = OptimalSolver(Rubik3x3(metric), show=progress("table of lower bounds, once"))
        cube = solver.cube
        ways = {name: cube.parse(there[metric]) for name, there in bench.POSITIONS.items()}
        if metric == "qtm":
            farthest = cube.parse(bench.FARTHEST)
            ways |= {f"farthest position, first {q} moves": farthest[:q] for q in range(1, PREFIXES + 1)}
        for name, there in ways.items():
            back, began = cube.inverse_action[there[::-1]].tolist(), time.process_time()
            (verdict,), proof = certify(solver, cube.after(there)[None], [back], seconds=float("inf"))
            took = {"nodes": int(proof.nodes[0]), "CPU s": time.process_time() - began}
            rows.append({"position": name, "metric": metric, "moves": len(there), "its solution": verdict} | took)
            print(rows[-1], flush=True)
    return finish("positions", rows, args)


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args)))
