"""What all benchmarks share: cores, rates, and the record that the tables of the documents are made from."""

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from rich.table import Table

from results import records
from results.measure import MINE
from results.summary import figure
from rubiks_gym.puzzles import set_num_threads

CORES = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))
LOAD = records.load()  # of the machine, before we add ours


@dataclass
class Args:
    """What every benchmark can be told."""

    records: Path = MINE
    """Folder whose speed.jsonl the figures are added to; the documents are made from results/records."""
    check: bool = False
    """Exit with 1 if a required figure is not reached or could not be measured."""
    seed: int = 0
    """Of all that is random."""


@dataclass
class TimedArgs(Args):
    """Measure speed."""

    seconds: float = 20.0
    """CPU time for each row."""


def use_cores(n: int) -> None:
    """Pin this process, and the threads and processes it starts from now on, to n cores, and let kernels use n threads."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, CORES[-n:])
    set_num_threads(n)
    torch.set_num_threads(n)


def timed(work: Callable[[], int], clock: Callable[[], float] = time.process_time) -> Callable[[], float]:
    """From a function that does some work and returns how much, one that returns the rate."""

    def rate() -> float:
        start = clock()
        units = work()
        return units / (clock() - start)

    return rate


def rate(work: Callable[[], float], seconds: float) -> float:
    """Units per CPU second of work that is done again and again for so long; a first time, which compiles, does not count."""
    work()
    done, start = 0.0, time.process_time()
    while time.process_time() - start < seconds:
        done += work()
    return done / (time.process_time() - start)


def finish(name: str, rows: list[dict[str, Any]], args: Args, **more: Any) -> int:
    """Show the rows, add a record of them, and return the exit code.

    A row is a line of a table, headings and numbers or words; `required` is what its `ratio` has to be, or its `figure`.
    """
    table = Table(*rows[0])
    for row in rows:
        table.add_row(*(figure(value) for value in row.values()))
    Console(width=None if sys.stdout.isatty() else 160).print(table)
    asked = {"benchmark": name, "command": f"python -m benchmarks.{name}", "seed": args.seed, **more}
    records.append(args.records / "speed.jsonl", {**asked, **records.made(), "load": LOAD, "rows": rows})
    short = [row for row in rows if row.get("required") and not (row.get("ratio") or row.get("figure") or 0) >= row["required"]]
    for row in short:
        print(f"not reached: {next(iter(row.values()))}")
    return int(args.check and bool(short))
