"""Files of arrays and JSON, written whole or not at all, and read without running anything.

A stored file is an .npz (a zip of numpy arrays, no pickle, with check sums) whose member `json` is text. One file, not two,
because a file can be replaced at one stroke.
"""

import json
import os
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

# What reading a file that is no whole .npz may raise.
_DAMAGED = (ValueError, OSError, EOFError, KeyError, AttributeError, NotImplementedError, RuntimeError, zipfile.BadZipFile)


def save(file: Path, state: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    """Store a state, which is JSON, and arrays of numbers or text."""
    if "json" in arrays:
        raise ValueError("an array may not be called 'json': that name holds the state")
    for name, array in arrays.items():
        if array.dtype.hasobject:
            raise ValueError(f"the array {name!r} holds Python objects, which only a pickle could store")
    text = np.frombuffer(json.dumps(state).encode(), np.uint8)
    with written_beside(file) as beside, open(beside, "wb") as opened:
        np.savez(opened, json=text, **arrays)  # type: ignore[arg-type]  # arrays by name, not numpy's own keywords
        opened.flush()
        os.fsync(opened.fileno())


def load(file: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The state and the arrays of a stored file, or a ValueError that says what is wrong with it."""
    try:
        with open(file, "rb") as opened, np.load(opened, allow_pickle=False) as stored:
            arrays = {key: stored[key] for key in stored.files}
        state = json.loads(arrays.pop("json").tobytes())
    except FileNotFoundError:
        raise ValueError(f"{file} does not exist") from None
    except _DAMAGED as error:
        raise ValueError(f"{file} is damaged: {error}") from None
    if not isinstance(state, dict):
        raise ValueError(f"{file} is damaged: its state is not an object")
    return state, arrays


def write_text(file: Path, text: str) -> None:
    """Write a small file."""
    with written_beside(file) as beside:
        beside.write_text(text)


def write_between(file: Path, name: str, text: str) -> None:
    """Put a text between the marks <!-- NAME:begin --> and <!-- NAME:end --> of a file, in place of what is there."""
    marks = re.compile(rf"(<!-- {name}:begin -->).*?(<!-- {name}:end -->)", re.DOTALL)
    before = file.read_text()
    if not marks.search(before):
        raise ValueError(f"{file} has no marks <!-- {name}:begin --> and <!-- {name}:end -->")
    write_text(file, marks.sub(lambda mark: f"{mark[1]}\n{text}\n{mark[2]}", before))


@contextmanager
def written_beside(file: Path) -> Iterator[Path]:
    """Where to write a file before it takes its name; the dot keeps it out of every listing of whole files."""
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.with_name(f".{file.name}-{os.getpid()}")
    try:
        yield beside
        os.replace(beside, file)
    finally:
        beside.unlink(missing_ok=True)
