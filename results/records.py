"""Records: a JSON line for every measurement, with all that repeats it and all that was found, cube by cube.

A file is only ever appended to. What is measured again comes later in the file, and counts instead of what came before.
"""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from train.provenance import changes, provenance

ROOT = Path(__file__).resolve().parent.parent
AUTHORS = ROOT / "results" / "records"
PER_CUBE = 1000  # questions of more cubes are kept as counts of equal outcomes
IDENTITY = ("algorithm", "run", "seed", "question", "search")  # what tells one measurement from another


class Outcomes(NamedTuple):
    """What became of each cube asked: arrays [B]."""

    groups: np.ndarray  # number of moves, distance or prefix that the cube was asked under, 0 if there is one group
    lengths: np.ndarray  # of the solutions, nan where unsolved
    distances: np.ndarray  # true ones, nan where unknown


def identity(record: dict[str, Any]) -> str:
    """What the record answers, as text."""
    return json.dumps([record[key] for key in IDENTITY], sort_keys=True)


def read(file: Path) -> list[dict[str, Any]]:
    """The records of a file, none if there is no such file."""
    found = []
    for number, line in enumerate(file.read_text().splitlines() if file.exists() else [], 1):
        try:
            found.append(json.loads(line))
        except (json.JSONDecodeError, RecursionError):
            raise ValueError(f"{file}, line {number} is no whole record, as after a crash: mend or delete that line") from None
    return found


def append(file: Path, record: dict[str, Any]) -> None:
    """Add a record in one write, so that several processes may do so at once; a half-written last line stays one of its own."""
    file.parent.mkdir(parents=True, exist_ok=True)
    whole = not file.exists() or file.read_bytes()[-1:] in (b"", b"\n")
    with open(file, "ab", buffering=0) as opened:
        opened.write(("" if whole else "\n").encode() + json.dumps(rounded(record)).encode() + b"\n")


def usable(record: dict[str, Any]) -> bool:
    """Whether documents may show it: measured, and trained, from committed code."""
    return record["clean"] and record.get("training", {}).get("clean", True)


def made() -> dict[str, Any]:
    """Commit, whether it is all that was measured, date and machine."""
    here = provenance()
    machine = here["machine"] | {"python": here["python"], "packages": here["packages"]}
    return {"commit": here["commit"], "clean": not changes(), "date": here["date"], "machine": machine}


def refuse_changes() -> None:
    """Raise if what runs is not what is committed: nobody could repeat it."""
    if changed := changes():
        raise ValueError(f"uncommitted changes, for example {changed[0].strip()}: commit them, so that others can repeat this")


def load() -> float | None:
    """How busy the machine is: processes at work, mean of the last minute."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def pack(outcomes: Outcomes) -> dict[str, Any]:
    """Outcomes as JSON: cube by cube if they are few, else [group, length, distance, how many]."""
    rows = [[None if np.isnan(value) else int(value) for value in row] for row in np.stack(outcomes, axis=1)]
    if len(rows) <= PER_CUBE:
        names = ("groups", "lengths", "distances")
        columns = dict(zip(names, zip(*rows, strict=True), strict=True))
        return {name: list(column) for name, column in columns.items() if name == "lengths" or any(column)}
    counts: dict[tuple, int] = {}
    for row in rows:
        counts[tuple(row)] = counts.get(tuple(row), 0) + 1
    return {"counts": [[*row, n] for row, n in counts.items()]}


def unpack(*records: dict[str, Any]) -> Outcomes:
    """The outcomes of one record, or of several one after another."""
    rows: list[Iterable[Any]] = []
    for record in records:
        for *row, n in record.get("counts", []):
            rows += [row] * n
        n = len(record.get("lengths", []))
        rows += zip(record.get("groups", [0] * n), record.get("lengths", []), record.get("distances", [None] * n), strict=True)
    return Outcomes(*np.array([list(row) for row in rows], float).reshape(-1, 3).T)


def rounded(value: Any) -> Any:
    """The value for JSON, numbers with five significant digits and without nan."""
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(each) for each in value]
    if isinstance(value, float):
        return float(f"{value:.5g}") if np.isfinite(value) else None
    return value
