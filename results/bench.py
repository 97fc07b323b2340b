"""Make the test bench of proven lengths: python -m results.bench --metric qtm --first 300

A cube after another is solved by the trained tables (a beam with an exact tail, both ways) and its length proven; each is
appended to `rubiks_gym/exact/cubes/METRIC.jsonl` as soon as it is done. Start it again to go on where it stopped: cubes that
are proven are left out, and so are those whose proof was given up at the same iteration.

    python -m results.bench --metric htm --first 300 --file htm.jsonl
    python -m results.bench --metric qtm --deepest 21                # go on with proofs that take a quarter of an hour
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

from results import records
from rubiks_gym.command_line import progress, run
from rubiks_gym.exact import OptimalSolver, bench
from rubiks_gym.ntuple import TRAINED, trained
from rubiks_gym.puzzles import Rubik3x3
from rubiks_gym.search import make_search
from rubiks_gym.search.certified import TAILS

WIDTH = 1 << 16  # of the beam
DEEPEST = {"qtm": 20, "htm": 18}  # iterations of minutes; the next takes ten times as long


def make(metric: str, first: int, deepest: int, file: Path) -> None:
    """Append a line for each of the first cubes that is not done."""
    done = bench.known(metric, file)
    missing = [i for i in range(first) if not (i in done and (done[i]["proven"] or done[i]["deepest"] >= deepest))]
    if not missing:
        return
    if changed := records.changes():
        raise ValueError(f"uncommitted changes, for example {changed[0].strip()}: commit them, so that others can repeat this")
    commit = records.made()["commit"]
    puzzle = Rubik3x3(metric)
    solver = OptimalSolver(puzzle, show=progress("table of lower bounds, once"))
    agent = trained(puzzle.name if puzzle.name in TRAINED else "rubik3x3-qtm", puzzle)
    head, states = make_search("beam", agent, {"width": WIDTH, "tail": TAILS[metric]}, inverse=True), bench.cubes()
    head(puzzle.after("R U F")[None])  # compiles
    for n, i in enumerate(missing):
        state, cpu = states[i][None], time.process_time()
        moves, nodes = done.get(i, {}).get("moves"), 0
        if moves is None:
            found = head(state)
            moves, nodes = puzzle.format(found.moves[0]) if found.solved[0] else None, int(found.nodes[0])
        headed = time.process_time() - cpu
        length = None if moves is None else len(moves.split())
        proof = solver.solve(state, [None if moves is None else puzzle.parse(moves)], deepest=deepest)
        line: dict[str, Any] = {
            "cube": i,
            "start": puzzle.facelets(states[i]),
            "moves": None if proof.moves[0] is None else puzzle.format(proof.moves[0]),
            "proven": bool(proof.proven[0]),
            "lower": int(proof.lower[0]),
            "upper": int(proof.upper[0]),
            "nodes": int(proof.nodes[0]),
            "cpu_seconds": round(time.process_time() - cpu, 3),
            "head": {"length": length, "nodes": nodes, "cpu_seconds": round(headed, 3)},
            "deepest": deepest,
            "commit": commit,
        }
        file.parent.mkdir(parents=True, exist_ok=True)
        with open(file, "a") as opened:
            opened.write(json.dumps(line) + "\n")
        print(f"{metric} cube {i} ({n + 1} of {len(missing)}): {text(line)}", flush=True)


def text(line: dict[str, Any]) -> str:
    """A line in words."""
    length = f"{line['upper']}, proven" if line["proven"] else f"{line['lower']} to {line['upper']}"
    return f"{length}; found {line['head']['length']}; {line['cpu_seconds']:.1f} CPU s"


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m results.bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--metric", choices=bench.METRICS, required=True, help="quarter turns or half turns")
    parser.add_argument("--first", type=int, default=bench.CUBES, help=f"cubes 0 to this - 1 (default: {bench.CUBES})")
    parser.add_argument("--deepest", type=int, help=f"last iteration of a proof (default: {DEEPEST})")
    parser.add_argument("--file", type=Path, help="where to append (default: the suite's own file)")
    args = parser.parse_args()
    if not 1 <= args.first <= bench.CUBES:
        raise ValueError(f"--first must be a whole number from 1 to {bench.CUBES}, got {args.first}")
    deepest = DEEPEST[args.metric] if args.deepest is None else args.deepest
    make(args.metric, args.first, deepest, args.file or bench.FOLDER / f"{args.metric}.jsonl")


if __name__ == "__main__":
    run(main)
