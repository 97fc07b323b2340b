"""What has been measured of a trained run: kept in its folder's measured.json, so that nothing is measured twice.

And what tables say of the run itself.
"""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import agents
from rubiks_gym import files

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
            files.write_text(file, json.dumps(found))


def finished(run: Path) -> bool:
    """Whether a run has come to its last iteration."""
    last = metrics(run)[-1]["step"] if (run / "metrics.jsonl").exists() else 0
    return last == json.loads((run / "config.json").read_text())["config"]["iterations"]


def metrics(run: Path) -> list[dict[str, float]]:
    """A run's metrics.jsonl."""
    return [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]


def minutes(run: Path) -> str:
    """How long a run has learnt."""
    return f"{sum(row['seconds'] for row in metrics(run)) / 60:.1f}"


def percent(share: float) -> str:
    """A share with two digits."""
    return f"{100 * share:.2f}%"


def preset_of(run: Path) -> str:
    """The preset that a run folder PRESET-sSEED is named after."""
    return run.name.rpartition("-s")[0]
