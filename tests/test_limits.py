"""Limits hold for the whole process: memory, whatever a search is made of, and Ctrl-C, whatever it is doing."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from rubiks_gym.puzzles import Rubik3x3
from rubiks_gym.puzzles.threads import get_num_threads, set_num_threads, side_by_side
from rubiks_gym.search import Budget, DecomposedHeuristic, beam, mcts

LIMIT = 128  # MB

# Grows until memory is short: prints by how many times the limit the process grew at its peak, kernels compiled before.
GROW = """
import sys
import numpy as np
from rubiks_gym.puzzles import Rubik3x3, set_num_threads
from rubiks_gym.search import Budget, Perimeter, beam, bwas, greedy, mcts
from benchmarks.memory import Peak
cube = Rubik3x3()
noise = lambda states: (states[:, 0].astype(np.float32) * 7 + states[:, 9]) % 13
even = lambda states: np.full((len(states), 12), 1 / 12, np.float32)
searches = {
    "beam": lambda states, budget: beam(cube, states, noise, width=10**8, budget=budget),
    "beam in a perimeter": lambda states, budget: beam(
        cube, states, noise, width=10**8, perimeter=Perimeter(cube, 5), budget=budget
    ),
    "bwas": lambda states, budget: bwas(cube, states, noise, batch=1000, budget=budget),
    "bwas in large batches": lambda states, budget: bwas(cube, states, noise, batch=10**9, budget=budget),
    "greedy": lambda states, budget: greedy(cube, states, noise, revisit=False, max_steps=20_000, budget=budget),
    "mcts": lambda states, budget: mcts(cube, states, noise, even, leaves=50, budget=budget),
    "mcts by children": lambda states, budget: mcts(cube, states, noise, leaves=50, budget=budget, remember=10**6),
}
name, limit, threads = sys.argv[1], int(sys.argv[2]) << 20, int(sys.argv[3])
set_num_threads(threads)
states = cube.random_states(np.arange(1000 if name == "greedy" else 3, dtype=np.uint64))
searches[name](states[:2], Budget(nodes=2000, memory=2**26))
with Peak() as peak:
    found = searches[name](states, Budget(nodes=3e6, memory=limit))
print(peak.nbytes / limit)
assert not found.solved.any()
"""
SEARCHES = ["beam", "beam in a perimeter", "bwas", "bwas in large batches", "greedy", "mcts", "mcts by children"]


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="the peak of a process is read from /proc")
@pytest.mark.parametrize(("search", "threads"), [("beam", 4), *((search, 1) for search in SEARCHES)])
def test_a_limit_of_memory_holds_for_the_whole_process_within_a_fifth(search, threads):
    command = [sys.executable, "-c", GROW, search, str(LIMIT), str(threads)]
    said = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parent.parent)
    assert said.returncode == 0, said.stderr
    assert 0.1 < float(said.stdout) < 1.2


def test_tables_of_a_heuristic_and_answers_kept_count_as_memory():
    cube = Rubik3x3()
    states, zero = cube.random_states(np.arange(1)), lambda states: np.zeros(len(states))
    parts = DecomposedHeuristic(lambda states: np.zeros((len(states), 12)), zero, nbytes=10**6)
    with pytest.raises(ValueError, match="the decomposed heuristic leaves nothing of a memory of 1,000,000 bytes"):
        beam(cube, states, zero, decomposed=parts, budget=Budget(memory=10**6))
    for remember in (10**6, 10**12, 10**20):
        with pytest.raises(ValueError, match=f"remember={remember:,} leaves nothing of a memory of 24,000,000 bytes"):
            mcts(cube, states, zero, remember=remember, budget=Budget(memory=24 * 10**6))


INTERRUPTED = """
import signal
import time
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell takes from what it starts in the background
import numpy as np
from rubiks_gym.puzzles import Rubik3x3, set_num_threads
from rubiks_gym.search import Budget, beam
set_num_threads(4)
cube = Rubik3x3()
states = cube.random_states(np.arange(16, dtype=np.uint64))
def nothing(states):
    print("searching\\n", end="", flush=True)
    return np.zeros(len(states), np.float32)
try:
    beam(cube, states, nothing, width=1 << 14, budget=Budget(nodes=1e12))
except KeyboardInterrupt:
    time.sleep(1)
    before = time.process_time()
    time.sleep(1)
    print("at work" if time.process_time() - before > 0.2 else "at rest", flush=True)
    print("again", beam(cube, states[:2], lambda s: np.zeros(len(s)), width=9, max_steps=2).nodes.tolist(), flush=True)
"""


def test_after_ctrl_c_none_of_a_pool_of_searches_goes_on_and_new_ones_can_begin():
    with subprocess.Popen([sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None and process.stdout.readline() == "searching\n"
            os.kill(process.pid, signal.SIGINT)
            lines = process.communicate(timeout=60)[0].splitlines()
            assert lines[-2:] == ["at rest", "again [111, 111]"]
        finally:
            process.kill()  # it would search for ever


def test_if_one_of_several_fails_the_others_end():
    cube, before, rounds = Rubik3x3(), get_num_threads(), [0]

    def fail():
        while not rounds[0]:
            time.sleep(0.001)
        raise ValueError("no")

    def go_on():
        while True:
            cube.expand(cube.goal[None])
            rounds[0] += 1

    set_num_threads(2)
    try:
        with pytest.raises(ValueError, match="no"):
            side_by_side([fail, go_on])
        for _ in range(100):
            seen = rounds[0]
            time.sleep(0.1)
            if rounds[0] == seen:
                break
        assert rounds[0] == seen
    finally:
        set_num_threads(before)
