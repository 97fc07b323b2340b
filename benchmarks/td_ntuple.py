"""How fast TD-n-tuple trains and searches beside the report's own program: python -m benchmarks.td_ntuple

Rates are per CPU second of one core. The program's (Java) were measured on one core of a machine like ours, over a whole
training; ours over the first seconds, when episodes are longest. They get shorter as the agent learns, and so quicker.
"""

import json
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import tyro

from agents.td_ntuple.agent import TdNTuple
from agents.td_ntuple.config import PRESETS
from agents.td_ntuple.learner import Learner
from results.td_ntuple.published import SPEED
from results.td_ntuple.results import wrapped
from rubiks_gym.puzzles import puzzle_from_name, set_num_threads
from train.evaluation import start_states
from train.runs import provenance

RESULTS = Path(__file__).with_name("td_ntuple.json")
REQUIRED = {"2x2-qtm": 5, "3x3-qtm": 5, "3x3-qtm-nsym8": 10, "mcts 3x3-qtm": 5}


@dataclass
class Args:
    """Measure the speed of training and of MCTS."""

    seconds: float = 20.0
    """CPU time for each row."""
    check: bool = False
    """Exit with 1 if a required ratio is not held."""


def training(preset: str, seconds: float) -> tuple[TdNTuple, dict[str, float]]:
    """Train a preset for so long: the agent, and episodes and updates per second."""
    name, config, _ = PRESETS[preset]
    learner = Learner(puzzle_from_name(name), config, 0)
    learner.learn(10)  # compile
    updates, start = 0.0, time.process_time()
    while time.process_time() - start < seconds:
        updates += learner.learn(200)["updates"]
    spent = time.process_time() - start
    return learner.agent(), {"episodes/s": (learner.done - 10) / spent, "updates/s": updates / spent}


def searching(agent: TdNTuple, seconds: float, trees: int = 200) -> dict[str, float]:
    """MCTS iterations per second, 100 per move, from states of 15 twists: each needs the values of a leaf's children.

    First as `results` searches, with values remembered; then with all of them worked out anew.
    """
    starts, rates = start_states(agent.puzzle, 15, trees, seed=0), {}
    for unit, options in (("iterations/s", {}), ("iterations/s with nothing remembered", {"remember": 0})):
        wrapped(agent, 100, max_moves=1, **options)(starts[:3])
        iterations, start = 0, time.process_time()
        while time.process_time() - start < seconds:
            found = wrapped(agent, 100, max_moves=5, **options)(starts)
            # Trees that are not solved after five moves have made five times 100 iterations; only those are counted.
            iterations += 500 * int((~found.solved).sum())
        rates[unit] = iterations / (time.process_time() - start)
    return rates


def main(args: Args) -> int:
    """Print one row per measurement, and write them to td_ntuple.json."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    set_num_threads(1)
    rates: dict[str, dict[str, float]] = {}
    for preset in ("2x2-qtm", "3x3-qtm", "3x3-qtm-nsym8"):
        agent, rates[preset] = training(preset, args.seconds)
        if preset == "3x3-qtm":
            rates["mcts 3x3-qtm"] = searching(agent, args.seconds)
        if preset != "2x2-qtm":
            del agent  # a third of a gigabyte
    held = True
    rows = []
    for name, found in rates.items():
        ratio = next(iter(found.values())) / SPEED[name]
        held &= ratio >= REQUIRED[name]
        figures = ", ".join(f"{rate:,.0f} {unit}" for unit, rate in found.items())
        rows.append({"work": name, **found, "theirs": SPEED[name], "ratio": ratio, "required": REQUIRED[name]})
        print(f"{name:15} {figures}; the report's program {SPEED[name]:,}: {ratio:.1f} times (required {REQUIRED[name]})")
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    RESULTS.write_text(json.dumps({"load": load, "rows": rows, **provenance()}, indent=1) + "\n")
    return int(args.check and not held)


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args, prog="python -m benchmarks.td_ntuple")))
