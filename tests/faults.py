"""Kill every learner at random moments, writes of checkpoints included, resume it, and compare with a run left in peace.

python -m tests.faults --kills 20      # of each learner
"""

import os
import random
import signal
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import torch
import tyro

import agents
from benchmarks import timing
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
    for run in ("compiling", "whole"):
        start = time.monotonic()
        assert os.waitpid(child(name, folder / run, False), 0)[1] == 0
    whole, moment, struck, round_ = time.monotonic() - start, random.Random(seed), 0, 0
    state, arrays = files.load(agents.last_checkpoint(folder / "whole"))
    while struck < kills:
        round_ += 1
        run = folder / str(round_)
        for _ in range(4):  # a run is killed a few times, then left to finish
            process, start = child(name, run, (run / "config.json").exists()), time.monotonic()
            end = start + moment.random() * whole
            while (status := os.waitpid(process, os.WNOHANG)) == (0, 0) and time.monotonic() < end:
                time.sleep(0.002)
            if status == (0, 0):
                os.kill(process, signal.SIGKILL)
                status = os.waitpid(process, 0)
            else:
                whole = min(whole, time.monotonic() - start)  # the machine is less busy than it was
            struck += status[1] == signal.SIGKILL
        assert os.waitpid(child(name, run, (run / "config.json").exists()), 0)[1] == 0, f"{name} does not resume"
        again, found = files.load(agents.last_checkpoint(run))
        assert again == state and found.keys() == arrays.keys(), f"{name} ended in another state"
        assert all((found[key] == arrays[key]).all() for key in arrays), f"{name} ended with other arrays"
        assert lines(run) == lines(folder / "whole"), f"{name} has other metrics"
        left = [file.name for file in run.rglob(".*") if file.name != ".lock"]
        assert not left, f"{name} left {left}"
    return struck


@dataclass
class Args(timing.Args):
    """Kill every learner at random moments and resume it."""

    kills: int = 20
    """Of each learner."""


def main(args):
    """Kill, show the table, add a record of it."""
    torch.set_num_threads(1)  # threads do not survive a fork
    rows = []
    for name in TRAIN:
        with tempfile.TemporaryDirectory() as folder:
            struck = kill_and_resume(name, Path(folder), args.kills, args.seed)
        print(f"{name}: {struck} kills, all resumed", flush=True)
        rows.append({"learner": name, "kills": f"{struck}", "resumed, and ended the same to the bit": f"{struck}"})
    timing.finish("faults", rows, args, command=f"python -m tests.faults --kills {args.kills} --seed {args.seed}")


if __name__ == "__main__":
    main(tyro.cli(Args, prog="python -m tests.faults", description=__doc__))
