"""Make the states of every distance: python -m results.strata --metric qtm

A walk of d canonical moves from the goal is undone in d moves, so only d - 2 quarter turns (d - 1 half turns) have to be ruled
out to know that its end is d away; an end that turns out to be nearer is left out. 50 states of each distance, or all there
are, are written to `rubiks_gym/exact/cubes/METRIC-strata.jsonl` at once; what is farther than walks are proven here comes from
the bench (`rubiks_gym.exact.bench.strata`).
"""

import argparse
import json
from pathlib import Path

import numpy as np

from results import records
from rubiks_gym import files
from rubiks_gym.command_line import progress, run
from rubiks_gym.exact import OptimalSolver, bench
from rubiks_gym.puzzles import Cube, Rubik3x3, sample_seeds

FARTHEST = {"qtm": 20, "htm": 17}  # a move more takes ten times as long
_WALKS = 4000  # drawn for each distance: enough to meet all states of the first two


def stratum(solver: OptimalSolver, distance: int) -> list[str]:
    """The lines of a distance."""
    cube = solver.cube
    lines: list[str] = []
    walks = cube.canonical_walks(sample_seeds(np.random.default_rng([bench.SEED, distance]), _WALKS), distance)
    _, first = np.unique(walks[:, -1], axis=0, return_index=True)
    for walk in walks[np.sort(first)]:  # in the order in which they were drawn
        if len(lines) == bench.PER_DISTANCE:
            break
        proof = solver.solve(walk[-1:], [undo(cube, walk)])
        if proof.upper[0] == distance:
            lines.append(json.dumps({"start": cube.facelets(walk[-1]), "moves": cube.format(proof.moves[0] or [])}))
    return lines


def undo(cube: Cube, walk: np.ndarray) -> list[int]:
    """The moves from the last state of a walk [d, S] back to the goal."""
    before = np.concatenate([cube.goal[None], walk[:-1]])
    actions = (cube.expand(before) == walk[:, None]).all(axis=2).argmax(axis=1)
    return cube.inverse_action[actions[::-1]].tolist()


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m results.strata", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--metric", choices=bench.METRICS, required=True, help="quarter turns or half turns")
    parser.add_argument("--farthest", type=int, help=f"the last distance (default: {FARTHEST})")
    parser.add_argument("--file", type=Path, help="where to write (default: the suite's own file)")
    args = parser.parse_args()
    records.refuse_changes()
    solver = OptimalSolver(Rubik3x3(args.metric), show=progress("table of lower bounds, once"))
    lines = []
    for distance in range(1, (args.farthest or FARTHEST[args.metric]) + 1):
        lines += stratum(solver, distance)
        print(f"{args.metric} {distance}: {len(lines)} states so far", flush=True)
    made = {key: records.made()[key] for key in ("commit", "date")}
    lines.insert(0, json.dumps({"command": f"python -m results.strata --metric {args.metric}", **made}))
    files.write_text(args.file or bench.FOLDER / f"{args.metric}-strata.jsonl", "\n".join(lines) + "\n")


if __name__ == "__main__":
    run(main)
