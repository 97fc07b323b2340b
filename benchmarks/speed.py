"""How fast the suite is beside packages one would use instead: `make bench`, or `python -m benchmarks.speed --help`.

Contenders that are compared work in turn, round after round, so that a noisy machine hits all alike; a ratio is taken within
each round, and the median of the ratios counts. One core works at a time unless a row says otherwise: rates are per CPU
second of a process pinned to it. Two threads and one are compared by the wall clock, in rounds that nothing else disturbed.

The other packages live in a virtual environment of their own, `.venv-peers`, made by the first run; `peers.py` runs there.
"""

import datetime
import json
import math
import os
import platform
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from itertools import cycle, islice
from pathlib import Path
from statistics import median

import gymnasium as gym
import numpy as np
import tyro
from rich.console import Console
from rich.table import Table

import rubiks_gym  # noqa: F401 (registers the environments)
from rubiks_gym import files
from rubiks_gym.exact import ExactTable
from rubiks_gym.exact.table import breadth_first
from rubiks_gym.puzzles import Rubik2x2, Rubik3x3, sample_seeds, set_num_threads
from train.runs import processor

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "speed.json"
CORES = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))

# What to install for each of the others, in the versions the figures were made with; constraints.txt pins the rest.
PEERS = {"jumanji": ["jumanji==1.1.2", "jax==0.10.2"], "envpool": ["envpool==1.2.5"], "cayleypy": ["cayleypy==0.2.0"]}
PACKAGES = {"rubiks-gym", "gymnasium", "numba", "numpy"}, {"jumanji", "jax", "envpool", "cayleypy", "torch", "numpy"}
PATIENCE = 300  # seconds for one round of a peer, its start and compilation included

VECTOR = 16_384  # cubes in the vector environment
SIZES = [1_000, VECTOR, 131_072, 1_000_000]
EXPANDED = 100_000
MILLION = 1_000_000
EPISODE = 100  # moves until Rubik3x3-v0 truncates; the call of step after them starts the new episode and moves nothing


@dataclass
class Args:
    """Measure the speed of rubiks-gym beside other packages."""

    quick: bool = False
    """Two rounds instead of nine: a smoke test."""
    peers: Path | None = None
    """A virtual environment that has the other packages already; by default .venv-peers, made if it is not there."""
    readme: bool = True
    """Rewrite the table in README.md, between <!-- speed:begin --> and <!-- speed:end -->."""
    check: bool = False
    """Exit with 1 if a required ratio is not held or could not be measured."""
    seed: int = 0
    """Of all states and actions."""


@dataclass
class Row:
    """One line of the table."""

    work: str
    unit: str  # "/s", or "s" or "ns" for the time that one unit takes
    ours: float  # units per second, the median over the rounds
    rival: str = ""
    theirs: float = math.nan
    ratios: list[float] = field(default_factory=list)  # ours to theirs in each round; empty if the rival failed
    required: float | None = None
    failure: str = ""  # what the rival died of

    @property
    def held(self) -> bool | None:
        """Whether the required ratio was reached; None if none is required."""
        return None if self.required is None else bool(self.ratios) and median(self.ratios) >= self.required


# Contenders ----------------------------------------------------------------------------------------------------------

Contender = Callable[[], float]  # works for one round and returns its rate in units per second, nan if it could not


def timed(work: Callable[[], int], clock: Callable[[], float] = time.process_time) -> Contender:
    """A contender out of a function that does some work and returns how much."""

    def contender() -> float:
        start = clock()
        units = work()
        return units / (clock() - start)

    return contender


class Peer:
    """A contender of peers.py, in a process of its own. Once it fails its rate is nan, and `failure` says why."""

    def __init__(self, python: Path, name: str, cubes: int, seed: int) -> None:
        self.process: subprocess.Popen | None = None
        self.failure = "" if python.exists() else "not installed"
        if self.failure:
            return
        self.complaints = tempfile.TemporaryFile("w+")  # noqa: SIM115 (close() closes it; a pipe nobody reads would fill up)
        # It inherits the one core; these spare it threads that would fight over it.
        threads = {"OMP_NUM_THREADS": "1", "JAX_PLATFORMS": "cpu", "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false"}
        self.process = subprocess.Popen(
            [python, ROOT / "benchmarks" / "peers.py", name, str(cubes), str(seed)],
            env=os.environ | threads,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.complaints,
            text=True,
        )

    def __call__(self) -> float:
        if self.failure:
            return math.nan
        timer = threading.Timer(PATIENCE, self.process.kill)
        timer.start()
        try:
            print("go", file=self.process.stdin, flush=True)
            answer = json.loads(self.process.stdout.readline())
            return answer["units"] / answer["seconds"]
        except (OSError, ValueError):  # it is gone
            self.process.wait()
            self.complaints.seek(0)
            last_words = (self.complaints.read().strip().splitlines() or ["died without a word"])[-1]
            self.failure = last_words if timer.is_alive() else f"no answer within {PATIENCE} s"
            return math.nan
        finally:
            timer.cancel()

    def close(self) -> None:
        if self.process:
            self.process.kill()
            self.process.communicate()
            self.complaints.close()


@dataclass
class Bench:
    """What a run has measured so far."""

    rounds: int
    python: Path  # that of the peers
    seed: int
    rates: dict[str, list[float]] = field(default_factory=dict)  # of each contender, one per round
    failures: dict[str, str] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)
        self.load = os.getloadavg()[0]  # of the machine, before we add ours

    def peer(self, name: str, cubes: int) -> Peer:
        return Peer(self.python, name, cubes, self.seed)

    def measure(self, contenders: dict[str, Contender], rounds: int | None = None) -> None:
        """Let contenders work in turn. A round before the first warms up, compiles, and does not count."""
        rates: dict[str, list[float]] = {name: [] for name in contenders}
        for _ in range(1 + (rounds or self.rounds)):
            for name, contender in contenders.items():
                rates[name].append(contender())
        self.rates |= {name: each[1:] for name, each in rates.items()}
        for name, contender in contenders.items():
            if isinstance(contender, Peer):
                contender.close()
                if contender.failure:
                    self.failures[name] = contender.failure

    def row(self, work: str, unit: str, ours: str, theirs: str = "", rival: str = "", required: float | None = None) -> None:
        """Add a row about one contender, or about two that were measured together."""
        row = Row(work, unit, median(self.rates[ours]), rival, required=required, failure=self.failures.get(theirs, ""))
        if theirs and not row.failure:
            row.theirs = median(self.rates[theirs])
            row.ratios = [a / b for a, b in zip(self.rates[ours], self.rates[theirs], strict=True)]
        self.rows.append(row)


def use_cores(n: int) -> None:
    """Pin this process, and the threads and processes it starts from now on, to n cores, and let kernels use n threads."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, CORES[-n:])
    set_num_threads(n)


# What is measured ----------------------------------------------------------------------------------------------------


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
    ours = {f"step {form}": timed(stepping(VECTOR, form, bench.rng)) for form in ("state", "one-hot")}
    bench.measure(ours | {name: bench.peer(name, VECTOR) for name in ("jumanji_step", "envpool_step")})
    work = f"{VECTOR:,} 3x3x3, step and autoreset"
    bench.row(f"{work}, state", "/s", "step state", "jumanji_step", "Jumanji, no reset", required=40)
    bench.row(f"{work}, one-hot", "/s", "step one-hot", "jumanji_step", "Jumanji, no reset", required=8)
    bench.row(f"{work}, state", "/s", "step state", "envpool_step", "EnvPool, no reset")


def children(bench: Bench) -> None:
    """All children of many cubes; cayleypy in whichever of its two forms is faster."""
    puzzle = Rubik3x3()
    states = puzzle.random_states(sample_seeds(bench.rng, EXPANDED))

    def expand() -> int:
        return sum(puzzle.expand(states).size for _ in range(20)) // puzzle.state_size

    forms = ["cayleypy_packed", "cayleypy_unpacked"]
    bench.measure({"expand": timed(expand)} | {name: bench.peer(name, EXPANDED) for name in forms})
    best = max(forms, key=lambda name: -1.0 if name in bench.failures else median(bench.rates[name]))
    rival = best.replace("_", ", ")
    bench.row(f"{EXPANDED:,} 3x3x3, all children", "/s", "expand", best, rival, required=2)


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

    def on(n: int, work: Callable[[], int]) -> Contender:
        contender = timed(work, time.perf_counter)

        def pinned() -> float:
            use_cores(n)
            return contender()

        return pinned

    bench.measure({f"{name}, {n}": on(n, work) for name, work in works.items() for n in (2, 1)})
    use_cores(1)
    for name in works:
        # A step is a third plain numpy (copies, flags, rewards), which two cores do hardly faster: no ratio is required of it.
        required = None if name.endswith("step") else 1.6
        bench.row(f"{name}, two threads", "/s", f"{name}, 2", f"{name}, 1", "one thread", required)


def tables(bench: Bench) -> None:
    """Exact tables of the 2x2x2: searched, searched for the first time ever, and asked."""
    qtm, htm = Rubik2x2("qtm"), Rubik2x2("htm")
    states = qtm.random_states(sample_seeds(bench.rng, MILLION))
    table = ExactTable(qtm)
    contenders = {
        "search qtm": timed(lambda: len(breadth_first(qtm)) // qtm.n_states),
        "search htm": timed(lambda: len(breadth_first(htm)) // htm.n_states),
        "distance": timed(lambda: len(table.distance(states)) // MILLION),
        "cayleypy_search": bench.peer("cayleypy_search", 0),
    }
    bench.measure(contenders, rounds=min(bench.rounds, 3))
    bench.rates |= {f"first {metric}": [1 / _first_table(metric)] for metric in ("qtm", "htm")}
    bench.row("exact table, 2x2x2, QTM", "s", "search qtm", "cayleypy_search", "cayleypy bfs")
    bench.row("exact table, 2x2x2, HTM", "s", "search htm")
    for metric in ("qtm", "htm"):
        bench.row(f"the same from nothing, {metric.upper()}, with compilation", "s", f"first {metric}")
    bench.row("1,000,000 2x2x2, distances", "s", "distance")


def _first_table(metric: str) -> float:
    """CPU seconds of a process that has neither compiled code nor tables to fall back on."""
    code = "import time; from rubiks_gym.exact import ExactTable; from rubiks_gym.puzzles import Rubik2x2; "
    code += f"ExactTable(Rubik2x2({metric!r})); print(time.process_time())"
    with tempfile.TemporaryDirectory() as empty:
        env = os.environ | {"NUMBA_CACHE_DIR": empty, "RUBIKS_GYM_CACHE": empty}
        return float(subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, check=True, stdout=-1).stdout)


# The peers' virtual environment --------------------------------------------------------------------------------------


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


# Results -------------------------------------------------------------------------------------------------------------


def figure(rate: float, unit: str) -> str:
    """A rate for the eye: 57.8M/s, 0.61 s, 17.3 ns."""
    if math.isnan(rate):
        return ""
    if unit != "/s":
        return f"{1 / rate:.2g} s" if unit == "s" else f"{1e9 / rate:.1f} ns"
    scale, letter = next((s, c) for s, c in ((1e6, "M"), (1e3, "k"), (0, "")) if rate >= s)
    return f"{rate / (scale or 1):.3g}{letter}/s"


def ratio(row: Row) -> str:
    """The median over the rounds, and the quartiles."""
    if not row.ratios:
        return "not measured" if row.rival else ""
    low, middle, high = (f"{r:.0f}" if r >= 20 else f"{r:.3g}" for r in np.percentile(row.ratios, [25, 50, 75]))
    return f"{middle} ({low} to {high})"


def cells(row: Row) -> list[str]:
    """What both tables show of a row."""
    rival = f"{row.rival}: {row.failure or figure(row.theirs, row.unit)}" if row.rival else ""
    return [row.work, figure(row.ours, row.unit), rival, ratio(row)]


def terminal_table(rows: list[Row]) -> Table:
    table = Table("work", "rubiks-gym", "rival", "ratio (quartiles)", "required", "held?")
    words = {True: "[green]yes", False: "[red]no", None: ""}
    for row in rows:
        table.add_row(*cells(row), "" if row.required is None else f"{row.required:g}", words[row.held])
    return table


def readme_table(results: dict, rows: list[Row]) -> str:
    lines = ["| work | rubiks-gym | beside it | ratio |", "|---|---|---|---|"]
    lines += [f"| {' | '.join(cell.replace('|', '/') for cell in cells(row))} |" for row in rows]
    machine, packages = results["machine"], results["versions"]["peers"]
    lines += [
        "",
        f"`make bench` on {results['date']}, {machine['cpu']}, {machine['cores']} cores, Python {machine['python']}; "
        + ", ".join(f"{name} {packages[name]}" for name in sorted(packages) if name in PEERS or name == "jax")
        + f". One core unless said otherwise; median of {results['rounds']} rounds or more in turn, quartiles in brackets.",
    ]
    return "\n".join(lines)


def describe(bench: Bench, args: Args) -> dict:
    """All figures, and where they come from."""
    ours, theirs = (
        {name: version for name, version in versions(python).items() if name in wanted}
        for python, wanted in zip((sys.executable, bench.python), PACKAGES, strict=True)
    )
    return {
        "date": datetime.date.today().isoformat(),
        "commit": _git("describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"),
        "seed": args.seed,
        "quick": args.quick,
        "rounds": bench.rounds,
        "load": bench.load,
        "machine": {
            "cpu": processor(),
            "cores": len(CORES),
            "system": f"{platform.system()} {platform.machine()}",
            "python": platform.python_version(),
        },
        "versions": {"ours": ours, "peers": theirs},
        "rows": [_plain(asdict(row) | {"ratio": median(row.ratios or [math.nan]), "held": row.held}) for row in bench.rows],
        "rates": {name: [_plain(rate) for rate in rates] for name, rates in bench.rates.items()},
    }


def _plain(value):
    """The value with four significant digits and without nan, which JSON does not know."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, float):
        return None if math.isnan(value) else float(f"{value:.4g}")
    return value


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, stdout=-1, stderr=-1, text=True)
    return done.stdout.strip() or "unknown"


def main(args: Args) -> int:
    folder = args.peers or ROOT / ".venv-peers"
    if args.peers is None:
        install_peers(folder)
    use_cores(1)
    bench = Bench(rounds=2 if args.quick else 9, python=folder / "bin" / "python", seed=args.seed)
    for measurement in (vector, children, single, sizes, threads, tables):
        print(f"{measurement.__name__}: {measurement.__doc__}", flush=True)
        measurement(bench)
    Console(width=None if sys.stdout.isatty() else 140).print(terminal_table(bench.rows))
    results = describe(bench, args)
    RESULTS.write_text(json.dumps(results, indent=1) + "\n")
    readme = ROOT / "README.md"
    if args.readme and readme.exists():
        files.write_between(readme, "speed", readme_table(results, bench.rows))
    return int(args.check and any(row.held is False for row in bench.rows))


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args, prog="python -m benchmarks.speed")))
