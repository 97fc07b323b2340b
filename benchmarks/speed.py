"""How fast the suite is beside packages one would use instead: `make bench`, or `python -m benchmarks.speed --help`.

Contenders that are compared work in turn, round after round, so that a noisy machine hits all alike; a ratio is taken within
each round, and the median of the ratios counts. One core works at a time unless a row says otherwise: rates are per CPU
second of a process pinned to it. Two threads and one are compared by the wall clock, in rounds that nothing else disturbed.

The other packages live in a virtual environment of their own, `.venv-peers`, made by the first run; `peers.py` runs there.
"""

import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from typing import Any

import gymnasium as gym
import numpy as np
import tyro

import rubiks_gym  # noqa: F401 (registers the environments)
from benchmarks import timing
from benchmarks.timing import CORES, finish, timed, use_cores
from results.records import ROOT
from rubiks_gym.exact import ExactTable
from rubiks_gym.exact.table import breadth_first
from rubiks_gym.puzzles import Rubik2x2, Rubik3x3, sample_seeds

# What to install for each of the others, in the versions the figures were made with; constraints.txt pins the rest.
PEERS = {"jumanji": ["jumanji==1.1.2", "jax==0.10.2"], "envpool": ["envpool==1.2.5"], "cayleypy": ["cayleypy==0.2.0"]}
VECTOR = 16_384  # cubes in the vector environment
SIZES = [1_000, VECTOR, 131_072, 1_000_000]
EXPANDED = 100_000
MILLION = 1_000_000
FIRST_USE = 2  # CPU seconds that may pass until the first step of a new process
EPISODE = 100  # moves until Rubik3x3-v0 truncates; the call of step after them starts the new episode and moves nothing


@dataclass
class Args(timing.Args):
    """Measure the speed of rubiks-gym beside other packages."""

    quick: bool = False
    """Two rounds instead of nine: a smoke test."""
    peers: Path | None = None
    """A virtual environment that has the other packages already; by default .venv-peers, made if it is not there."""


Contender = Callable[[], float]  # works for one round and returns its rate in units per second, nan if it could not


@dataclass
class Bench:
    """What a run has measured so far."""

    rounds: int
    python: Path  # that of the peers
    seed: int
    rates: dict[str, list[float]] = field(default_factory=dict)  # of each contender, one per round
    rows: list[dict[str, Any]] = field(default_factory=list)
    processes: list[subprocess.Popen] = field(default_factory=list)  # peers at work

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)

    def peer(self, name: str, cubes: int) -> Contender:
        """A contender of peers.py, in a process of its own, which says itself why it fails if it does."""
        if not self.python.exists():
            return lambda: math.nan
        # It inherits the one core; these spare it threads that would fight over it.
        threads = {"OMP_NUM_THREADS": "1", "JAX_PLATFORMS": "cpu", "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false"}
        command, pipe = [self.python, ROOT / "benchmarks" / "peers.py", name, str(cubes), str(self.seed)], subprocess.PIPE
        process = subprocess.Popen(command, env=os.environ | threads, stdin=pipe, stdout=pipe, text=True)
        self.processes.append(process)

        def work() -> float:
            try:
                print("go", file=process.stdin, flush=True)
                answer = json.loads(process.stdout.readline())
                return answer["units"] / answer["seconds"]
            except (OSError, ValueError):  # it is gone
                return math.nan

        return work

    def measure(self, contenders: dict[str, Contender], rounds: int | None = None) -> None:
        """Let contenders work in turn. A round before the first warms up, compiles, and does not count."""
        rates: dict[str, list[float]] = {name: [] for name in contenders}
        for _ in range(1 + (rounds or self.rounds)):
            for name, contender in contenders.items():
                rates[name].append(contender())
        self.rates |= {name: each[1:] for name, each in rates.items()}
        while self.processes:
            self.processes[-1].kill()
            self.processes.pop().communicate()

    def row(self, work: str, unit: str, ours: str, theirs: str = "", rival: str = "", required: float | None = None) -> None:
        """Add a row about one contender, or about two that were measured together; a time is that of one unit."""

        def shown(rates: list[float]) -> float:
            return median(rates) if unit == "/s" else {"s": 1, "ns": 1e9}[unit] / median(rates)

        row: dict[str, Any] = {"work": work, "unit": unit, "rubiks-gym": shown(self.rates[ours]), "beside it": rival}
        row |= {"its": "failed" if theirs else "", "ratio": None, "quartiles": None, "required": required}
        if theirs and not np.isnan(self.rates[theirs]).any():
            ratios = [a / b for a, b in zip(self.rates[ours], self.rates[theirs], strict=True)]
            low, middle, high = (float(x) for x in np.percentile(ratios, [25, 50, 75]))
            row |= {"its": shown(self.rates[theirs]), "ratio": middle, "quartiles": [low, high]}
        self.rows.append(row)


def stepping(cubes: int, observation: str, rng: np.random.Generator, calls: int = 0) -> Callable[[], int]:
    """Moves of a vector environment: some calls of step, or about ten million moves in whole episodes.

    A whole episode has every cube truncated and scrambled again once. The call that does so is timed but not counted.
    """
    settings = {"observation": observation, "reward": "sparse", "scramble": "fixed", "k_max": 20}
    env = gym.make_vec("Rubik3x3-v0", num_envs=cubes, **settings)
    env.reset(seed=int(rng.integers(2**31)))
    actions = rng.integers(12, size=(min(EPISODE + 1, 2**24 // cubes), cubes))  # fewer for many, to spare the memory
    episodes = max(1, 10_000_000 // (cubes * EPISODE))

    def work() -> int:
        for moves in islice(cycle(actions), calls or episodes * (EPISODE + 1)):
            env.step(moves)
        return (calls or episodes * EPISODE) * cubes

    return work


def vector(bench: Bench) -> None:
    """The vector environment, with its resets, beside others without."""
    ours = {f"step {form}": timed(stepping(VECTOR, form, bench.rng)) for form in ("state", "one-hot-uint8", "one-hot")}
    bench.measure(ours | {name: bench.peer(name, VECTOR) for name in ("jumanji_step", "envpool_step")})
    work = f"{VECTOR:,} 3x3x3, step and autoreset"
    bench.row(f"{work}, state", "/s", "step state", "jumanji_step", "Jumanji, no reset", required=40)
    bench.row(f"{work}, one-hot-uint8", "/s", "step one-hot-uint8", "jumanji_step", "Jumanji, no reset", required=8)
    bench.row(f"{work}, one-hot (float32)", "/s", "step one-hot", "jumanji_step", "Jumanji, no reset", required=8)
    bench.row(f"{work}, state", "/s", "step state", "envpool_step", "EnvPool, no reset")


def children(bench: Bench) -> None:
    """All children of many cubes; cayleypy in whichever of its two forms is faster."""
    puzzle = Rubik3x3()
    states = puzzle.random_states(sample_seeds(bench.rng, EXPANDED))

    def expand() -> int:
        return sum(puzzle.expand(states).size for _ in range(20)) // puzzle.state_size

    forms = ["cayleypy_packed", "cayleypy_unpacked"]
    bench.measure({"expand": timed(expand)} | {name: bench.peer(name, EXPANDED) for name in forms})
    best = max(forms, key=lambda name: np.nan_to_num(median(bench.rates[name])))
    bench.row(f"{EXPANDED:,} 3x3x3, all children", "/s", "expand", best, best.replace("_", ", "), required=2)


def single(bench: Bench) -> None:
    """Environments made by gym.make, one step at a time, with the resets that random actions bring."""

    def playing(id: str) -> Callable[[], int]:
        env = gym.make(id)
        env.reset(seed=int(bench.rng.integers(2**31)))
        actions = bench.rng.integers(env.action_space.n, size=10_000)

        def work() -> int:
            for action in actions:
                _, _, terminated, truncated, _ = env.step(action)
                if terminated or truncated:
                    env.reset()
            return len(actions)

        return work

    ids = ("Rubik3x3-v0", "Rubik2x2-v0", "Hanoi-v0", "CartPole-v1")
    bench.measure({id: timed(playing(id)) for id in ids}, rounds=5 * bench.rounds)
    for id, required in (("Rubik3x3-v0", 1), ("Rubik2x2-v0", None), ("Hanoi-v0", None)):
        bench.row(f"one {id}, steps and resets", "/s", id, "CartPole-v1", "CartPole-v1", required)


def first_use(bench: Bench) -> None:
    """Rubik3x3-v0 in a new process: CPU seconds until its first step, with nothing compiled and with all compiled before."""
    code = "import time, gymnasium as gym, rubiks_gym.envs; imported = time.process_time(); env = gym.make('Rubik3x3-v0'); "
    code += "env.reset(seed=0); env.step(0); done = time.process_time(); print(done - imported, done)"
    seconds = []  # of each round: nothing compiled, without imports and with them; then the same with all compiled
    for _ in range(bench.rounds):
        with tempfile.TemporaryDirectory() as empty:
            seconds.append(printed(code, NUMBA_CACHE_DIR=empty) + printed(code, NUMBA_CACHE_DIR=empty))
    names = [f"{cache}{imports}" for cache in ("cold", "warm") for imports in ("", " and imports")]
    bench.rates |= {name: [1 / s for s in each] for name, each in zip(names, zip(*seconds, strict=True), strict=True)}
    bench.rates["allowed"] = [1 / FIRST_USE] * bench.rounds
    work = "first make, reset and step of Rubik3x3-v0"
    bench.row(f"{work}, nothing compiled", "s", "cold", "allowed", "allowed", required=1)
    bench.row(f"{work}, nothing compiled, imports included", "s", "cold and imports", "allowed", "allowed", required=1)
    bench.row(f"{work}, compiled before", "s", "warm")
    bench.row(f"{work}, compiled before, imports included", "s", "warm and imports")


def sizes(bench: Bench) -> None:
    """What a move costs in small and large batches."""
    bench.measure({f"step {n:,}": timed(stepping(n, "state", bench.rng)) for n in SIZES})
    for n in SIZES:
        if n != VECTOR:
            bench.row(f"{n:,} 3x3x3, step, per cube", "ns", f"step {n:,}", f"step {VECTOR:,}", f"{VECTOR:,} 3x3x3")


def threads(bench: Bench) -> None:
    """Two threads beside one, on large batches."""
    if len(CORES) < 2:
        print("  there is only one core")
        return
    puzzle = Rubik3x3()
    states, seeds = puzzle.random_states(sample_seeds(bench.rng, MILLION)), sample_seeds(bench.rng, MILLION)
    depths, room = np.full(MILLION, 20), puzzle.expand(states)
    works: dict[str, Callable[[], int]] = {
        f"{MILLION:,} 3x3x3, all children": lambda: sum(puzzle.expand(states, room).size for _ in range(3)) // 20,
        f"{MILLION:,} 3x3x3, scrambles of 20 moves": lambda: sum(len(puzzle.walk(seeds, depths)) for _ in range(3)),
        f"{MILLION:,} 3x3x3, step": stepping(MILLION, "state", bench.rng, calls=20),
    }

    def on(n: int, work: Callable[[], int]) -> float:
        use_cores(n)
        return timed(work, time.perf_counter)()

    bench.measure({f"{name}, {n}": partial(on, n, work) for name, work in works.items() for n in (2, 1)})
    use_cores(1)
    for name in works:
        # A step is a third plain numpy (copies, flags, rewards), which two cores do hardly faster: no ratio is required of it.
        required = None if name.endswith("step") else 1.6
        bench.row(f"{name}, two threads", "/s", f"{name}, 2", f"{name}, 1", "one thread", required)


def tables(bench: Bench) -> None:
    """Exact tables of the 2x2x2: searched, searched for the first time ever, and asked."""
    cube = Rubik2x2()
    states, table = cube.random_states(sample_seeds(bench.rng, MILLION)), ExactTable(cube)
    contenders = {
        "search": timed(lambda: len(breadth_first(cube)) // cube.n_states),
        "distance": timed(lambda: len(table.distance(states)) // MILLION),
        "cayleypy_search": bench.peer("cayleypy_search", 0),
    }
    bench.measure(contenders, rounds=min(bench.rounds, 3))
    code = "import time; from rubiks_gym.exact import ExactTable; from rubiks_gym.puzzles import Rubik2x2; "
    code += "ExactTable(Rubik2x2()); print(time.process_time())"
    with tempfile.TemporaryDirectory() as empty:  # neither compiled code nor tables to fall back on
        bench.rates["first"] = [1 / printed(code, NUMBA_CACHE_DIR=empty, RUBIKS_GYM_CACHE=empty)[0]]
    bench.row("exact table, 2x2x2, QTM", "s", "search", "cayleypy_search", "cayleypy bfs")
    bench.row("the same from nothing, with compilation", "s", "first")
    bench.row("1,000,000 2x2x2, distances", "s", "distance")


def printed(code: str, **environment: str) -> list[float]:
    """The numbers that some code prints in a new process."""
    process = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=os.environ | environment, check=True, stdout=-1)
    return [float(word) for word in process.stdout.split()]


def install_peers(folder: Path) -> None:
    """Make a virtual environment and give it whichever of the peers it lacks; one that cannot be installed is passed over."""
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=False)
    present = versions(python)
    for name, packages in PEERS.items():
        if name not in present:
            print(f"installing {' '.join(packages)} into {folder.name}", flush=True)
            # One at a time, so that a package no wheel fits does not cost the others.
            pip = [python, "-m", "pip", "install", "-qq", "--disable-pip-version-check", "-c", ROOT / "constraints.txt"]
            subprocess.run([*pip, *packages], check=False)


def versions(python: str | Path) -> dict[str, str]:
    """Every package that a Python has, with its version; none if there is no such Python."""
    if not Path(python).exists():
        return {}
    code = "import json, importlib.metadata as m; print(json.dumps({d.name.lower(): d.version for d in m.distributions()}))"
    return json.loads(subprocess.run([python, "-c", code], check=True, stdout=-1).stdout)


def main(args: Args) -> int:
    """Measure everything."""
    folder = args.peers or ROOT / ".venv-peers"
    if args.peers is None:
        install_peers(folder)
    use_cores(1)
    bench = Bench(rounds=2 if args.quick else 9, python=folder / "bin" / "python", seed=args.seed)
    for measurement in (vector, children, single, first_use, sizes, threads, tables):
        print(f"{measurement.__name__}: {measurement.__doc__}", flush=True)
        measurement(bench)
    found = versions(bench.python)
    peers = ", ".join(f"{name} {found[name]}" for name in ("cayleypy", "envpool", "jax", "jumanji") if name in found)
    note = f"One core unless said otherwise; median of {bench.rounds} rounds or more in turn. Beside it: {peers}."
    return finish("speed", bench.rows, args, note=note)


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args, prog="python -m benchmarks.speed")))
