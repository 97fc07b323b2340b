"""Where a result comes from: when, from which code, on which machine, with which packages."""

import platform
import subprocess
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rubiks_gym.puzzles import get_num_threads

# What no result depends on: records of earlier ones, and what is made from them. A study that trains a run after it has
# recorded another has changed nothing that counts.
HARMLESS = ("results/records", "rubiks_gym/exact/cubes", "rubiks_gym/zoo/index.json", "zoo", "*.md", "*.png")
PACKAGES = ("rubiks-gym", "numpy", "numba", "torch", "gymnasium")


def provenance() -> dict[str, Any]:
    """All of it for a result of now, as JSON."""
    return {
        "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "commit": _git("rev-parse", "HEAD"),
        "uncommitted_changes": bool(changes()),
        "machine": {"processor": processor(), "cores": get_num_threads(), "system": platform.platform()},
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in PACKAGES},
    }


def changes() -> list[str]:
    """Files that differ from the commit and that a result may depend on, a line each."""
    found = _git("status", "--porcelain", "--", ":/", *(f":(top,exclude){path}" for path in HARMLESS))
    return ["no git repository"] if found is None else found.splitlines()


def processor() -> str:
    """What the machine calls its processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or "unknown processor"


def _git(*command: str) -> str | None:
    try:
        folder = Path(__file__).parent
        return subprocess.run(["git", *command], cwd=folder, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def _version(package: str) -> str | None:
    try:
        return version(package)
    except ModuleNotFoundError:
        return None
