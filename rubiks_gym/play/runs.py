"""The run folders of the user: which there are, and the metrics of one, as they grow."""

import json
import math
import os
from pathlib import Path
from typing import Any

_DEEP = 3  # folders within folders that are looked into


def find_runs(folder: Path | None, most: int) -> dict[str, Path]:
    """Run folders below a folder by id, their names from there on; requests name an id, and never reach a path otherwise."""
    found: dict[str, Path] = {}
    ahead = [(folder, 0)] if folder is not None else []
    while ahead and len(found) < most:
        here, deep = ahead.pop(0)
        try:
            inside = sorted(entry.name for entry in os.scandir(here) if entry.is_dir() and not entry.name.startswith("."))
        except OSError:
            continue
        for name in inside:
            run = here / name
            if (run / "config.json").is_file():
                found[run.relative_to(folder).as_posix()] = run  # type: ignore[arg-type]  # there is a folder if it has runs
            elif deep + 1 < _DEEP:
                ahead.append((run, deep + 1))
    return dict(list(found.items())[:most])


def describe_run(id: str, run: Path) -> dict[str, Any]:
    """What config.json says of a run, and when it was last heard of."""
    try:
        stored = json.loads((run / "config.json").read_text())["config"]
        puzzle, algorithm, preset = stored["puzzle"], stored["algorithm"], stored.get("preset")
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        puzzle = algorithm = preset = None
    times = [file.stat().st_mtime for file in (run / "metrics.jsonl", run / "config.json") if file.is_file()]
    return {
        "id": id,
        "title": f"{id} ({preset})" if preset else id if algorithm else f"{id} (config.json is damaged)",
        "puzzle": puzzle if isinstance(puzzle, str) else None,
        "algorithm": algorithm if isinstance(algorithm, str) else None,
        "updated": max(times, default=0.0),
        "agent": any((run / "checkpoints").glob("[0-9]*.npz")),
    }


def read_metrics(run: Path, start: int, most: int) -> dict[str, Any]:
    """Lines of metrics from a byte on, about as many as bytes are allowed, and the byte after them.

    A run that was resumed has a shorter file, perhaps: then they come from its beginning, and `reset` is true. A line that is
    still being written waits for the next time; lines that are damaged are left out.
    """
    file = run / "metrics.jsonl"
    if not file.is_file():
        return {"lines": [], "next": 0, "reset": start > 0}
    with open(file, "rb") as lines:
        lines.seek(max(start - 1, 0))
        reset = start > 0 and lines.read(1) != b"\n"
        start = 0 if reset else start
        lines.seek(start)
        content = lines.read(most)
    whole = content[: content.rfind(b"\n") + 1]
    if not whole and len(content) == most:
        raise ValueError(f"the metrics of this run are damaged: a line has more than {most:,} bytes")
    rows = [row for row in map(_row, whole.splitlines()) if row is not None]
    return {"lines": rows, "next": start + len(whole), "reset": reset}


def _row(line: bytes) -> dict[str, float | None] | None:
    """A line of metrics; numbers that JSON does not have become None."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(row, dict):
        return None
    numbers = {key: value for key, value in row.items() if isinstance(value, int | float) and not isinstance(value, bool)}
    return {key: value if math.isfinite(value) else None for key, value in numbers.items()}
