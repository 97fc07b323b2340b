"""What a second process takes off the first: python -m benchmarks.ranks

Each learner trains a few steps alone, then as two processes under torchrun. A row has the CPU seconds of the first process for
the last steps, which two processes on two cores, or two machines, would take at least; waiting is not in it. A ratio of 2 would
be perfect. Two processes together do the work of one: as many states, moves or beams a step.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import tyro

from benchmarks.timing import Args, finish, use_cores

SKIP = 1  # steps at the beginning that compile
# learner -> what is trained, the option that has the number of steps, and the steps
RUNS: dict[str, tuple[list[str], dict[str, int]]] = {
    "davi": (["--preset", "3x3-plain", "--probe-every", "0", "--config.batch", "10000"], {"iterations": 4}),
    "adi": (["--preset", "3x3", "--probe-every", "0"], {"iterations": 4}),
    "ppo_chasenet": (["--preset", "2x2"], {"warm-iterations": 1, "ppo-iterations": 4}),
    "symmetric_ntuple": (["--preset", "3x3-qtm"], {"walk-batches": 1, "rounds": 2}),
}


def cpu_seconds(learner: str, processes: int, seed: int) -> float:
    """CPU seconds of the first process for a step, the mean of those that compile nothing."""
    options, steps = RUNS[learner]
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-m"]
        if processes > 1:
            words += ["torch.distributed.run", "--standalone", "--nproc-per-node", str(processes), "-m"]
        words += [f"train.{learner}", *options, "--run.seed", str(seed), "--run.folder", f"{folder}/run"]
        words += [word for name, n in steps.items() for word in (f"--config.{name}", str(n))]
        subprocess.run(words, check=True, capture_output=True)
        rows = [json.loads(line) for line in Path(folder, "run", "metrics.jsonl").read_text().splitlines()]
    return float(np.mean([row["cpu_seconds"] for row in rows[SKIP:]]))


def main(args: Args) -> int:
    """One row per learner."""
    use_cores(1)
    rows = []
    for learner in RUNS:
        alone, shared = (cpu_seconds(learner, processes, args.seed) for processes in (1, 2))
        rows.append({"learner": learner, "CPU s a step alone": alone, "of each of two": shared, "ratio": alone / shared})
    return finish(
        "ranks", rows, args, note="CPU seconds of the first process for a step of training, two processes on one core."
    )


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args, prog="python -m benchmarks.ranks", description=__doc__)))
