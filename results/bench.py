"""Make the test bench of proven lengths: python -m results.bench --metric qtm --first 300

One cube after another is solved by `certified` with the trained tables: beams with an exact tail, then the proof. Each is
appended to `rubiks_gym/exact/cubes/METRIC.jsonl` as soon as it is done. Start it again to go on where it stopped: cubes that
are proven are left out, and so are those whose proof was given up at the same iteration, unless --again asks for them.

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
from rubiks_gym.ntuple import trained
from rubiks_gym.puzzles import Rubik3x3
from rubiks_gym.search import make_search

DEEPEST = {"qtm": 20, "htm": 18}  # iterations of minutes; the next takes ten times as long


def make(metric: str, first: int, deepest: int, again: bool, file: Path) -> None:
    """Append a line for each of the first cubes that is not done."""
    done = bench.known(metric, file)
    missing = [
        i for i in range(first) if i not in done or not (done[i]["proven"] or (done[i]["deepest"] >= deepest and not again))
    ]
    if not missing:
        return
    records.refuse_changes()
    commit = records.made()["commit"]
    puzzle, states = Rubik3x3(metric), bench.cubes()
    OptimalSolver(puzzle, show=progress("table of lower bounds, once"))
    solve = make_search("certified", trained(puzzle.name), {"deepest": deepest})
    solve(puzzle.after("R U F")[None])  # compiles
    for n, i in enumerate(missing):
        cpu = time.process_time()
        found = solve(states[i][None])
        solved, moves = bool(found.solved[0]), found.moves[0]
        line: dict[str, Any] = {
            "cube": i,
            "start": puzzle.facelets(states[i]),
            "moves": puzzle.format(moves) if solved else None,
            "proven": bool(found.proven[0]),
            "lower": int(found.lower[0]),
            "upper": len(moves) if solved else -1,
            "nodes": int(found.nodes[0]),
            "cpu_seconds": round(time.process_time() - cpu, 3),
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
    return f"{length}; {line['cpu_seconds']:.1f} CPU s"


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m results.bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--metric", choices=bench.METRICS, required=True, help="quarter turns or half turns")
    parser.add_argument("--first", type=int, default=bench.CUBES, help=f"cubes 0 to this - 1 (default: {bench.CUBES})")
    parser.add_argument("--deepest", type=int, help=f"last iteration of a proof (default: {DEEPEST})")
    parser.add_argument("--again", action="store_true", help="try again what has only bounds")
    parser.add_argument("--file", type=Path, help="where to append (default: the suite's own file)")
    args = parser.parse_args()
    if not 1 <= args.first <= bench.CUBES:
        raise ValueError(f"--first must be a whole number from 1 to {bench.CUBES}, got {args.first}")
    deepest = DEEPEST[args.metric] if args.deepest is None else args.deepest
    make(args.metric, args.first, deepest, args.again, args.file or bench.FOLDER / f"{args.metric}.jsonl")


if __name__ == "__main__":
    run(main)
