"""Feed the suite with inputs of every kind until a time or a number of inputs is reached.

    python -m tests.fuzz --inputs 1000000       # a million inputs
    python -m tests.fuzz --seconds 60 --seed 7
    python -m tests.fuzz --only states --again 123   # one input again, to see where it fails

Each kind is fed in a process of its own, so that one that dies is counted, not suffered. An input that takes more than five
seconds counts as a hang.
"""

import argparse
import faulthandler
import multiprocessing
import os
import tempfile
import time
import traceback
from pathlib import Path

import numpy as np

HANG = 5.0  # seconds


def feeder(name, first, counters):
    """Feed one kind for ever; counters [3] holds inputs, the seed at work and faults."""
    from tests.fuzz.targets import feed

    feed(name, 0)  # kernels are compiled and agents are trained before the clock runs
    seed = first
    while True:
        counters[1] = seed
        faulthandler.dump_traceback_later(HANG, exit=True)
        try:
            counters[0] += feed(name, seed)
        except Exception:
            counters[2] += 1
            print(f"\n{name}, seed {seed}:\n{traceback.format_exc()}", flush=True)
        faulthandler.cancel_dump_traceback_later()
        seed += 1


def fuzz(names, seconds, inputs, seed):
    """Feed all kinds in turn; the inputs and the faults (exceptions, hangs, deaths) of each kind."""
    share = 10.0 if seconds > 60 else max(seconds / len(names), 1.0)
    totals = {name: np.zeros(3, np.int64) for name in names}
    seeds, end = dict.fromkeys(names, seed), time.monotonic() + seconds
    while time.monotonic() < end and sum(total[0] for total in totals.values()) < inputs:
        for name in names:
            counters = multiprocessing.get_context("spawn").Array("q", 3, lock=False)
            process = multiprocessing.get_context("spawn").Process(target=feeder, args=(name, seeds[name], counters))
            process.start()
            while process.is_alive() and not counters[1]:
                time.sleep(0.05)
            process.join(share)
            died = not process.is_alive()
            process.kill()
            process.join()
            if died:
                print(f"\n{name}, seed {counters[1]}: the process died or hung (exit {process.exitcode})", flush=True)
            totals[name] += [counters[0], 0, counters[2] + died]
            seeds[name] = counters[1] + 1
            if time.monotonic() > end:
                break
    return {name: (int(total[0]), int(total[2])) for name, total in totals.items()}


def main():
    """Read the options, fuzz, print the table."""
    from tests.fuzz.targets import TARGETS, feed

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=3600.0, help="how long to go on at most (default: an hour)")
    parser.add_argument("--inputs", type=int, default=1_000_000, help="how many inputs are enough (default: a million)")
    parser.add_argument("--seed", type=int, default=1, help="the first seed of every kind (default: 1)")
    parser.add_argument("--only", choices=list(TARGETS), action="append", help="feed this kind only; may be repeated")
    parser.add_argument("--again", type=int, metavar="SEED", help="feed one input again, in this process")
    options = parser.parse_args()
    names = options.only or list(TARGETS)
    if options.again is not None:
        for name in names:
            print(f"{name}: {feed(name, options.again)} inputs held")
        return
    with tempfile.TemporaryDirectory() as folder:
        os.environ["RUBIKS_GYM_CACHE"] = str(Path(folder))
        found = fuzz(names, options.seconds, options.inputs, options.seed)
    print(f"\n{'kind':<20}{'inputs':>12}{'faults':>8}")
    for name, (inputs, faults) in found.items():
        print(f"{name:<20}{inputs:>12,}{faults:>8}")
    total, faults = (sum(column) for column in zip(*found.values(), strict=True))
    print(f"{'all':<20}{total:>12,}{faults:>8}   seeds from {options.seed}")
    raise SystemExit(1 if faults else 0)


if __name__ == "__main__":
    main()
