"""Feed the suite with inputs of every kind until a time or a number of inputs is reached.

    python -m tests.fuzz --inputs 1000000       # a million inputs
    python -m tests.fuzz --seconds 60 --seed 7
    python -m tests.fuzz --only states --again 123   # one input again, to see where it fails

Each kind is fed in a process of its own, so that one that dies is counted, not suffered. An input that takes more than five
seconds counts as a hang.
"""

import os
import sys
import tempfile
from dataclasses import dataclass

import tyro

from benchmarks import timing
from rubiks_gym import checks
from rubiks_gym.command_line import run
from tests.fuzz.feeding import fuzz


@dataclass
class Args(timing.Args):
    """Feed the suite with inputs of every kind."""

    seconds: float = 3600.0
    """How long to go on at most."""
    inputs: int = 1_000_000
    """How many inputs are enough."""
    seed: int = 1
    """The first seed of every kind."""
    only: tuple[str, ...] = ()
    """Kinds to feed; none: all."""
    again: int | None = None
    """The seed of one input to feed again, in this process."""


def main(args):
    """Feed, show the table, add a record of it."""
    from tests.fuzz.targets import TARGETS, feed

    checks.choice(TARGETS, **{f"--only {name}": name for name in args.only})
    names = args.only or list(TARGETS)
    if args.again is not None:
        for name in names:
            print(f"{name}: {feed(name, args.again)} inputs held")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ["RUBIKS_GYM_CACHE"] = folder
        found = fuzz(names, args.seconds, args.inputs, args.seed)
    found["all"] = tuple(sum(column) for column in zip(*found.values(), strict=True))
    rows = [{"kind": name, "inputs": f"{inputs:,}", "faults": f"{faults:,}"} for name, (inputs, faults) in found.items()]
    timing.finish("fuzz", rows, args, command=f"python -m tests.fuzz --seed {args.seed}")
    return int(found["all"][1] > 0)


if __name__ == "__main__":
    run(lambda: sys.exit(main(tyro.cli(Args, prog="python -m tests.fuzz", description=__doc__))))
