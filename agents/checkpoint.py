"""The checkpoints of a run folder: which there are, and what the newest whole one holds."""

import contextlib
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from rubiks_gym import files


def run_folder(path: str | Path) -> Path:
    """The path if it is a folder, else an error that says what a run folder is."""
    folder = Path(path)
    if not folder.is_dir():
        raise FileNotFoundError(f"no run folder at {folder}: give the folder that a training script made")
    return folder


def checkpoints(run: Path) -> list[Path]:
    """The whole checkpoints of a run folder, oldest first; unfinished ones have names that begin with a dot."""
    return sorted((run / "checkpoints").glob("[0-9]*.npz"))


def last_checkpoint(run: Path) -> Path:
    """The newest whole checkpoint of a run folder."""
    found = checkpoints(run)
    if not found:
        raise ValueError(f"{run} holds no checkpoint yet")
    return found[-1]


def load_checkpoint(run: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """State and arrays of the newest checkpoint; of the one before it, with a warning, if a failing disk has damaged that."""
    try:
        return files.load(last_checkpoint(run))
    except ValueError as error:
        for file in checkpoints(run)[-2::-1]:
            with contextlib.suppress(ValueError):
                state, arrays = files.load(file)
                warnings.warn(f"{error}; going back to {file.name}", stacklevel=2)
                return state, arrays
        raise
