"""Campaigns: many pieces of work that know nothing of each other, each done once, on one core, one machine or a cluster.

A unit is a function by name and its settings; a hash of both is its name, so the same unit is the same wherever and whenever it
is asked for. What it has found is one file of the campaign's folder, written beside and renamed by whoever started the campaign
(the driver), never by the workers: these need share no disk. A unit whose file is there is not done again. So a killed campaign
goes on by the command that began it, and of two drivers in one folder each does what the other does not.

This engine knows neither cubes nor records: `train.many` gives it training runs, `results.campaign` measurements.
"""

import hashlib
import json
import time
import traceback
from collections import Counter, deque
from collections.abc import Iterable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from pathlib import Path
from typing import Any, NamedTuple

import filelock

from rubiks_gym import files
from train.progress import progress
from train.workers import Outcome, Workers

POLL = 0.5  # seconds between two looks at what other drivers do


class Unit(NamedTuple):
    """A piece of work. The same unit has the same outcome on any worker, but for the times it took."""

    work: str  # "module:function", a function of the settings and of the `Place` that returns an `Outcome`
    settings: dict[str, Any]  # JSON: all that the outcome depends on

    @property
    def name(self) -> str:
        """A hash of its content."""
        return hashlib.sha256(json.dumps(list(self), sort_keys=True).encode()).hexdigest()[:24]


class Report(NamedTuple):
    """How a campaign has ended."""

    before: int  # units whose records were there already
    done: int  # units done now
    elsewhere: int  # units that another driver has done meanwhile
    failed: dict[str, str]  # units by name that were given up, and why
    seconds: float


def run(units: Iterable[Unit], folder: Path, workers: Workers, retries: int = 2, title: str = "campaign") -> Report:
    """Do every unit that has no record in the folder yet.

    A unit that fails, or whose worker dies, waits until the others have had their turn and is tried again; after so many
    retries it is reported, and the next campaign in the folder tries it anew.
    """
    every = {unit.name: unit for unit in units}
    there = recorded(folder)
    todo = deque(unit for name, unit in every.items() if name not in there)
    before, done, elsewhere = len(every) - len(todo), 0, 0
    tries: Counter[str] = Counter()
    failed: dict[str, str] = {}
    flying: dict[Future[Outcome], tuple[Unit, filelock.BaseFileLock]] = {}
    others: deque[Unit] = deque()  # a driver beside us is at work on these
    began = time.perf_counter()
    try:
        with progress(len(every), title, before) as show:
            while todo or others or flying:
                while todo and len(flying) < workers.slots():
                    unit = todo.popleft()
                    lock = _claim(folder, unit)
                    if lock is None:
                        others.append(unit)
                    elif record_file(folder, unit.name).exists():  # done by another driver since we looked
                        _let_go(lock)
                        elsewhere += 1
                    else:
                        flying[workers.submit(unit.work, unit.settings)] = unit, lock
                for future in wait(flying, POLL, FIRST_COMPLETED).done if flying else ():
                    unit, lock = flying.pop(future)
                    try:
                        keep(folder, unit, future.result())
                    except Exception as error:  # whatever a unit may raise, or how its worker has died
                        lock.release()
                        tries[unit.name] += 1
                        if tries[unit.name] <= retries:
                            todo.append(unit)
                        else:
                            failed[unit.name] = _told(error)
                            told = json.dumps(unit._asdict(), indent=1) + "\n" + "".join(traceback.format_exception(error))
                            files.write_text(folder / "failed" / f"{unit.name}.txt", told)
                    else:
                        _let_go(lock)
                        (folder / "failed" / f"{unit.name}.txt").unlink(missing_ok=True)
                        done += 1
                if not flying and not todo and others:
                    time.sleep(POLL)
                    todo, others = others, deque()  # done by now, or left by a driver that was killed
                seconds = time.perf_counter() - began
                rate = {"per minute": 60 * done / seconds} | ({"failed": len(failed)} if failed else {})
                show(before + done + elsewhere, **rate)
    finally:
        for _, lock in flying.values():
            lock.release()
        workers.close()
    return Report(before, done, elsewhere, failed, time.perf_counter() - began)


def keep(folder: Path, unit: Unit, outcome: Outcome) -> None:
    """Write what a unit has found: first its files, then the record that says it is done."""
    for name, content in outcome.files.items():
        file = folder / name
        file.resolve().relative_to(folder.resolve())  # raises if a worker names a place outside
        with files.written_beside(file) as beside:
            beside.write_bytes(content)
    files.write_text(record_file(folder, unit.name), json.dumps({"unit": unit.name, **outcome.record}))


def record_file(folder: Path, name: str) -> Path:
    """Where the record of a unit is; a folder holds few files, since each that is written looks through its own."""
    return folder / "units" / name[:2] / f"{name}.json"


def recorded(folder: Path) -> set[str]:
    """The names of all units that have a record."""
    return {file.stem for file in (folder / "units").glob("??/[!.]*.json")}


def read(folder: Path, units: Iterable[Unit]) -> list[dict[str, Any]]:
    """The records of those units that have one, in the order of the units."""
    found = []
    for name in dict.fromkeys(unit.name for unit in units):
        file = record_file(folder, name)
        try:
            found.append(json.loads(file.read_text()))
        except FileNotFoundError:
            continue
        except (ValueError, RecursionError):
            raise ValueError(f"{file} is damaged: delete it, and start the campaign again") from None
    return found


def tell(report: Report, folder: Path) -> None:
    """Print how a campaign has ended; raises SystemExit if units have failed."""
    there = f", {report.before:,} were there" if report.before else ""
    there += f", {report.elsewhere:,} by another driver" if report.elsewhere else ""
    print(f"{report.done:,} units done in {report.seconds:.0f} s{there}")
    if report.failed:
        for name, why in list(report.failed.items())[:5]:
            print(f"failed: {name}: {why}")
        raise SystemExit(f"{len(report.failed):,} units failed, see {folder / 'failed'}; the same command tries them again")


def file_hash(file: Path) -> str:
    """The SHA-256 of a file."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _claim(folder: Path, unit: Unit) -> filelock.BaseFileLock | None:
    """Take a unit for this driver, or None if another has it; the system lets go of it should the driver be killed."""
    file = record_file(folder, unit.name).with_suffix(".lock")
    file.parent.mkdir(parents=True, exist_ok=True)
    lock = filelock.FileLock(file)
    try:
        lock.acquire(blocking=False)
    except filelock.Timeout:
        return None
    return lock


def _let_go(lock: filelock.BaseFileLock) -> None:
    """Release the lock of a unit that has its record; who has waited for this very file looks for the record next."""
    Path(lock.lock_file).unlink(missing_ok=True)
    lock.release()


def _told(error: Exception) -> str:
    """The last line of an error: what Ray raises has the whole traceback in its text."""
    lines = [line for line in str(error).splitlines() if line.strip()]
    last = lines[-1].strip() if lines else ""
    return last if last.startswith(type(error).__name__) else f"{type(error).__name__}: {last}"
