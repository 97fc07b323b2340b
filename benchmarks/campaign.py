"""What a campaign takes beside the work itself: python -m benchmarks.campaign

Units of about ten seconds, the trained tables with a beam on parts of uniformly random 3x3x3, one after another by one worker:
by a pool of one process, and on Ray with one core. All of a campaign's time is from the driver's first line to its last, with
the start of the workers, what they load, and the end; the work is what the units themselves say they took.
"""

import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import tyro

from benchmarks import timing
from benchmarks.timing import finish
from results import records
from results.records import ROOT

WAYS = {"pool": ["--workers", "1"], "Ray": ["--workers", "1", "--ray", "local"]}
ALLOWED = 0.05  # of the work


@dataclass
class Args(timing.Args):
    """Measure the overhead of campaigns."""

    units: int = 30
    """Units of each campaign."""
    cubes: int = 22
    """Cubes of a unit."""
    width: int = 8192
    """Of the beam; narrower ones make smaller units."""


def main(args: Args) -> int:
    """A row for each way to run the same campaign."""
    rows = []
    for way, words in WAYS.items():
        with tempfile.TemporaryDirectory(prefix="rg") as folder:
            asked = ["--agents", "symmetric_ntuple:rubik3x3-qtm", "--searches", f"beam:width={args.width}"]
            asked += ["--cubes", str(args.units * args.cubes), "--per-unit", str(args.cubes), "--seeds", str(args.seed)]
            command = [sys.executable, "-m", "results.campaign", *asked, "--folder", folder, *words]
            began = time.perf_counter()
            subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
            wall = time.perf_counter() - began
            found = records.read(Path(folder) / "records.jsonl")
        work = sum(record["seconds"] for record in found)
        assert len(found) == args.units, f"{len(found)} of {args.units} units"
        rows.append(
            {
                "by": way,
                "units": len(found),
                "seconds of a unit": work / len(found),
                "seconds in all": wall,
                "overhead": wall - work,
                "percent": 100 * (wall / work - 1),
                "ratio": (1 + ALLOWED) / (wall / work),
                "required": 1,
            }
        )
    note = "One worker, wall-clock seconds; ratio: 1.05 times the work, which is allowed, to what it took."
    return finish("campaign", rows, args, note=note)


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args, prog="python -m benchmarks.campaign", description=__doc__)))
