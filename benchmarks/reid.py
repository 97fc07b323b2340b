"""Proven lengths against an independent program, Reid's optimal solver for quarter turns: python -m benchmarks.reid

It is `rubiks_optimal` of Debian's package `rubiks`. Asked are the bench's own states of each distance, and its uniformly random
cubes that are 18 quarter turns away; a cube that is one turn further takes Reid's program nine times as long.
"""

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import tyro

from benchmarks.timing import Args, finish
from rubiks_gym.exact import bench
from rubiks_gym.puzzles import Cube, Rubik3x3

# Facelets by place, in the order in which Reid's program wants its cubies
_PLACES = (
    "7,19 5,10 1,46 3,37 28,25 32,16 34,52 30,43 23,12 21,41 48,14 50,39 "
    "8,20,9 2,11,45 0,47,36 6,38,18 29,15,26 27,24,44 33,42,53 35,51,17"
)
_PROGRAM = "rubiks_optimal"


@dataclass
class ReidArgs(Args):
    """Ask Reid's program."""

    each: int = 10
    """States of each distance from 10 to 17."""
    uniform: int = 3
    """Uniformly random cubes, the first ones that are 18 quarter turns away."""


def installed() -> bool:
    """Whether the program is there."""
    return shutil.which(_PROGRAM) is not None


def lengths(cube: Cube, states: np.ndarray) -> list[int]:
    """Quarter turns to the goal of states [B, 20], by Reid's program."""
    places = [[int(f) for f in place.split(",")] for place in _PLACES.split()]
    texts = [cube.facelets(state) for state in states]
    lines = [" ".join("".join(text[f] for f in place) for place in places) for text in texts]
    printed = subprocess.run([_PROGRAM], input="\n".join(lines), capture_output=True, text=True, check=True).stdout
    answers = [re.search(r"\((\d+)q\*", part) for part in printed.split("enter cube")[1:]]
    return [int(answer[1]) for answer in answers if answer]


def asked(args: ReidArgs) -> Sequence[tuple[str, np.ndarray, np.ndarray]]:
    """What is asked: a name, states [B, 20] and their proven lengths [B]."""
    states, distances = bench.strata("qtm")
    rows = []
    for distance in range(10, 18):
        some = np.flatnonzero(distances == distance)[: args.each]
        rows.append((f"ends of walks, {distance} away", states[some], distances[some]))
    numbers = [i for i, line in sorted(bench.known("qtm").items()) if line["proven"] and line["upper"] == 18][: args.uniform]
    return [*rows, ("uniformly random, 18 away", bench.cubes()[numbers], np.full(len(numbers), 18))]


def main(args: ReidArgs) -> int:
    """A row for each distance."""
    if not installed():
        raise SystemExit("Reid's program is not installed: apt-get install rubiks")
    rows = []
    for name, states, proven in asked(args):
        began = time.perf_counter()
        found = lengths(Rubik3x3(), states)
        agree = sum(a == b for a, b in zip(found, proven.tolist(), strict=True))
        rows.append({"states": name, "asked": len(states), "same length": agree, "seconds": time.perf_counter() - began})
        print(rows[-1], flush=True)
    return finish("reid", rows, args, note="The seconds are those of Reid's program, with some to build its table.")


if __name__ == "__main__":
    sys.exit(main(tyro.cli(ReidArgs)))
