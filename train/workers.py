"""Where the units of a campaign are worked on: in this process, in a pool of processes, or on a Ray cluster.

All three call the same function in the same surroundings, so a unit has the same outcome wherever it is done.
"""

import importlib
import multiprocessing
import os
import platform
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from rubiks_gym import files
from rubiks_gym.command_line import imported
from rubiks_gym.exact.table import cache_folder
from rubiks_gym.puzzles import set_num_threads
from train.provenance import provenance

SAVING = 20  # seconds that a training run may take to save itself when its worker is told to end
LOOK = 2.0  # seconds between two looks at the size of a cluster


class Place(NamedTuple):
    """What a unit finds where it is done."""

    folder: Path | None  # that of the campaign; None where the driver's disk cannot be seen
    file: Callable[[str], Path]  # a file that the driver has, by its SHA-256
    given: dict[str, Any]  # what the outcome does not depend on, such as where to report


class Outcome(NamedTuple):
    """What a unit returns."""

    record: dict[str, Any]  # JSON
    files: dict[str, bytes] = {}  # what else goes into the campaign's folder


class Workers(Protocol):
    """Who works on units."""

    def slots(self) -> int:
        """How many units should be with the workers now."""
        ...

    def submit(self, work: str, settings: dict[str, Any]) -> "Future[Outcome]":
        """Have a unit done."""
        ...

    def close(self) -> None:
        """Let all workers go, whatever they are at."""
        ...


class Surroundings(NamedTuple):
    """What every worker is told of the driver."""

    modules: tuple[str, ...]  # that --import named
    commit: str | None
    cores: int  # that a unit may use
    given: dict[str, Any]


def surroundings(cores: int = 1, given: Mapping[str, Any] | None = None) -> Surroundings:
    """Those of this driver."""
    return Surroundings(tuple(imported), _commit(), cores, dict(given or {}))


def do(around: Surroundings, folder: Path | None, file: Callable[[str], Path], work: str, settings: dict[str, Any]) -> Outcome:
    """Do a unit here."""
    if _commit() != around.commit:
        raise ValueError(
            f"{platform.node()} has commit {_commit()}, the driver {around.commit}: the same code must be everywhere"
        )
    for module in around.modules:
        importlib.import_module(module)
    set_num_threads(around.cores)
    module, _, function = work.partition(":")
    return getattr(importlib.import_module(module), function)(settings, Place(folder, file, around.given))


@cache
def _commit() -> str | None:
    return provenance()["commit"]


# In this process --------------------------------------------------------------------------------------------------------


class Here:
    """The driver itself works, on one unit after another."""

    def __init__(self, folder: Path, named: Mapping[str, Path], around: Surroundings) -> None:
        self.do = partial(do, around, folder, named.__getitem__)

    def slots(self) -> int:
        return 1

    def submit(self, work: str, settings: dict[str, Any]) -> "Future[Outcome]":
        future: Future[Outcome] = Future()
        try:
            future.set_result(self.do(work, settings))
        except Exception as error:
            future.set_exception(error)
        return future

    def close(self) -> None:
        pass


# In processes of this machine -------------------------------------------------------------------------------------------


class Pool:
    """n processes, each an executor of its own: one that dies takes no other's unit along, and another takes its place."""

    def __init__(self, n: int, folder: Path, named: Mapping[str, Path], around: Surroundings) -> None:
        self.do = partial(do, around, folder.resolve(), partial(_named, dict(named)))
        self.cores, self.n = around.cores, n
        self.idle = [self._process() for _ in range(n)]
        self.busy: dict[Future[Outcome], ProcessPoolExecutor] = {}

    def slots(self) -> int:
        for future in [future for future in self.busy if future.done()]:
            process = self.busy.pop(future)
            died = not future.cancelled() and isinstance(future.exception(), BrokenExecutor)
            self.idle.append(self._process() if died else process)
        return self.n

    def submit(self, work: str, settings: dict[str, Any]) -> "Future[Outcome]":
        process = self.idle.pop()
        future = process.submit(self.do, work, settings)
        self.busy[future] = process
        return future

    def close(self) -> None:
        executors = [*self.idle, *self.busy.values()]
        # Nothing public names their processes; without an end from here the program would wait for what they are at.
        processes = [process for executor in executors for process in (executor._processes or {}).values()]
        for executor in executors:
            executor.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()
        for process in processes:
            process.join(SAVING)

    def _process(self) -> ProcessPoolExecutor:
        # A fresh interpreter, not a fork: threads of numba and torch do not survive one.
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(1, context, _begin, (self.cores,))


def _named(named: dict[str, Path], name: str) -> Path:
    return named[name]


def _begin(cores: int) -> None:
    """In a process of the pool: as many threads as it has cores, and no life after the driver's."""
    if hasattr(os, "setsid"):
        os.setsid()  # Ctrl-C is the driver's, which then ends its workers
    os.environ["OMP_NUM_THREADS"] = str(cores)  # before torch is imported
    parent = multiprocessing.parent_process()
    assert parent is not None
    threading.Thread(target=lambda: (parent.join(), os._exit(1)), daemon=True).start()  # type: ignore[func-returns-value]


# On a cluster -----------------------------------------------------------------------------------------------------------


class OnRay:
    """A Ray cluster: nodes may come and go, and see nothing of the driver's disk; files travel to them, outcomes back."""

    def __init__(
        self, address: str, named: Mapping[str, Path], around: Surroundings, gpus: float = 0, most: int | None = None
    ) -> None:
        """Join a cluster.

        Args:
            address: HOST:PORT of its head, "auto" to look for one on this machine, "local" to start one here.
            named: files that units ask for, by SHA-256.
            around: what workers are told.
            gpus: that a unit takes.
            most: units at a time, at most; with "local" the cores to use too.
        """
        try:
            import ray
        except ImportError:
            raise ModuleNotFoundError('--ray needs the package ray: pip install -e ".[cluster]"') from None
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        settings: dict[str, Any] = {"log_to_driver": False, "logging_level": "warning"}
        if address == "local":
            settings |= {"num_cpus": most, "include_dashboard": False}
        try:
            ray.init(address=address, **settings)
        except ConnectionError:
            told = f"there is no Ray cluster at {address!r}: ray start --head starts one, --ray local a small one here"
            raise ValueError(told) from None
        self.ray, self.around, self.gpus, self.most = ray, around, gpus, most
        self.there, self.looked = 0, -float("inf")
        # max_retries: the campaign counts tries itself, and one rule is enough
        self.remote = ray.remote(num_cpus=around.cores, num_gpus=gpus, max_retries=0)(_on_ray)
        self.contents = {name: ray.put(file.read_bytes()) for name, file in named.items()}

    def slots(self) -> int:
        """Twice what the cluster can do at a time, so that nobody waits for the driver."""
        if time.monotonic() - self.looked > LOOK:
            there, self.looked = self.ray.cluster_resources(), time.monotonic()
            self.there = int(there.get("CPU", 0) // self.around.cores)
            if self.gpus:
                self.there = min(self.there, int(there.get("GPU", 0) // self.gpus))
        return max(1, 2 * min(self.there, self.most or self.there))

    def submit(self, work: str, settings: dict[str, Any]) -> "Future[Outcome]":
        return self.remote.remote(self.around, self.contents, work, settings).future()

    def close(self) -> None:
        self.ray.shutdown()


def _on_ray(around: Surroundings, contents: dict[str, Any], work: str, settings: dict[str, Any]) -> Outcome:
    return do(around, None, partial(_fetched, contents), work, settings)


def _fetched(contents: dict[str, Any], name: str) -> Path:
    """A file of the driver's, which this machine keeps."""
    import ray

    file = cache_folder() / "campaign" / f"{name}.npz"
    if not file.exists():
        content = ray.get(contents[name])
        with files.written_beside(file) as beside:
            beside.write_bytes(content)
    return file


def workers(
    folder: Path,
    named: Mapping[str, Path],
    around: Surroundings,
    n: int | None = None,
    ray: str | None = None,
    gpus: float = 0,
) -> Workers:
    """Whom a command line asks for: a Ray cluster if it names one, else n processes, 0 being the driver itself."""
    if ray is not None:
        return OnRay(ray, named, around, gpus, n)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    n = max(1, cores // around.cores) if n is None else n
    return Pool(n, folder, named, around) if n else Here(folder, named, around)


def add_arguments(add: Callable[..., Any]) -> None:
    """What every campaign's command line takes, for `add_argument` of a parser."""
    add("--folder", type=Path, required=True, help="folder of the campaign: what is done there is not done again")
    add("--workers", type=int, metavar="N", help="processes; 0: this one alone (default: as many as there are cores)")
    add(
        "--ray",
        metavar="ADDRESS",
        help="work on a Ray cluster: HOST:PORT of its head, auto for one that this machine belongs to, local to start one here",
    )
    add("--cores", type=int, default=1, metavar="N", help="cores of a unit (default: 1)")
    add("--gpus", type=float, default=0, metavar="N", help="GPUs of a unit, on Ray (default: 0)")
    add("--retries", type=int, default=2, metavar="N", help="times that a unit which fails is tried again (default: 2)")
