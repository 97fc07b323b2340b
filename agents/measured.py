"""What has been measured of a trained run: kept in its folder's measured.json, so that nothing is measured twice."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import agents
from agents import store

Job = tuple[str, Callable[[], dict[str, Any]]]  # name of a measurement, and the measurement


def measure_once(folder: Path, label: str, jobs: Iterable[Job], asked: dict[str, Any]) -> None:
    """Add what is missing to a run's measured.json; if something else is asked, or the run has gone on, it begins afresh."""
    file, step = folder / "measured.json", int(agents.last_checkpoint(folder).stem)
    found = json.loads(file.read_text()) if file.exists() else {}
    asked = {"step": step, **asked}
    if {key: found.get(key) for key in asked} != asked:
        found = {**asked, "rows": {}}
    for name, job in jobs:
        if name not in found["rows"]:
            found["rows"][name] = job()
            shown = {key: value for key, value in found["rows"][name].items() if isinstance(value, float)}
            print(label, name, " ".join(f"{key} {value:.4g}" for key, value in shown.items()), flush=True)
            store.write_text(file, json.dumps(found))
