"""Kill every learner at random moments, writes of checkpoints included, resume it, and compare with a run left in peace.

python -m tests.faults --kills 20      # of each learner
"""

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

import agents
from rubiks_gym import files
from tests.short_runs import lines
from tests.test_loop import OPTIONS, TRAIN


def child(name, folder, resume):
    """Train in a process of its own, which a fork makes without importing everything again; its number."""
    process = os.fork()
    if process == 0:
        with open(os.devnull, "w") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
            os.dup2(nowhere.fileno(), sys.stderr.fileno())
        code = 1
        try:
            TRAIN[name](OPTIONS[name](folder, resume=resume))
            code = 0
        finally:
            os._exit(code)
    return process


def kill_and_resume(name, folder, kills, seed):
    """Kill a run so often, resume it to its end, and count the kills that came in time.

    Raises if a run does not resume, or does not end like the one that nobody killed.
    """
    start = time.monotonic()
    assert os.waitpid(child(name, folder / "whole", False), 0)[1] == 0
    whole, moment, struck, round_ = time.monotonic() - start, random.Random(seed), 0, 0
    state, arrays = files.load(agents.last_checkpoint(folder / "whole"))
    while struck < kills:
        round_ += 1
        run = folder / str(round_)
        for _ in range(4):  # a run is killed a few times, then left to finish
            process = child(name, run, (run / "config.json").exists())
            time.sleep(moment.random() * whole)
            os.kill(process, signal.SIGKILL)
            struck += os.waitpid(process, 0)[1] == signal.SIGKILL
        assert os.waitpid(child(name, run, (run / "config.json").exists()), 0)[1] == 0, f"{name} does not resume"
        again, found = files.load(agents.last_checkpoint(run))
        assert again == state and found.keys() == arrays.keys(), f"{name} ended in another state"
        assert all((found[key] == arrays[key]).all() for key in arrays), f"{name} ended with other arrays"
        assert lines(run) == lines(folder / "whole"), f"{name} has other metrics"
        left = [file.name for file in run.rglob(".*") if file.name != ".lock"]
        assert not left, f"{name} left {left}"
    return struck


def main():
    """Read the options, kill, print the table."""
    import torch

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=20, help="of each learner (default: 20)")
    parser.add_argument("--seed", type=int, default=0, help="of the moments (default: 0)")
    options = parser.parse_args()
    torch.set_num_threads(1)  # threads do not survive a fork
    for name in TRAIN:
        with tempfile.TemporaryDirectory() as folder:
            struck = kill_and_resume(name, Path(folder), options.kills, options.seed)
        print(f"{name:<20}{struck:>5} kills, all resumed and ended the same to the bit", flush=True)


if __name__ == "__main__":
    main()
