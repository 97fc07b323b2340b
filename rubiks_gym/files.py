"""Files of arrays and JSON, written whole or not at all, and read without running anything.

A stored file is an .npz (a zip of numpy arrays, no pickle, with check sums) whose member `json` is text. One file, not two,
because a file can be replaced at one stroke. The text names all arrays, so that none is lost without a word; nothing is
compressed, so that no file needs more memory than its own size.
"""

import glob
import json
import os
import platform
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np


def save(file: Path, state: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    """Store a state, which is JSON, and arrays of numbers or text."""
    if "json" in arrays or "arrays" in state:
        raise ValueError("an array may not be called 'json', which holds the state, nor a part of the state 'arrays'")
    for name, array in arrays.items():
        if array.dtype.hasobject:
            raise ValueError(f"the array {name!r} holds Python objects, which only a pickle could store")
    text = np.frombuffer(json.dumps({**state, "arrays": sorted(arrays)}).encode(), np.uint8)
    with written_beside(file) as beside, open(beside, "wb") as opened:
        np.savez(opened, json=text, **arrays)  # type: ignore[arg-type]  # arrays by name, not numpy's own keywords
        opened.flush()
        os.fsync(opened.fileno())


def load(file: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The state and the arrays of a stored file, or a ValueError that says what is wrong with it."""
    try:
        with zipfile.ZipFile(file) as members:
            arrays = {member.filename.removesuffix(".npy"): _array(members, member) for member in members.infolist()}
        state = json.loads(arrays.pop("json").tobytes())
        if not isinstance(state, dict):
            raise ValueError("its state is not an object")
        if sorted(arrays) != state.pop("arrays", sorted(arrays)):
            raise ValueError("it does not hold the arrays that it names")
    except FileNotFoundError:
        raise ValueError(f"{file} does not exist") from None
    except KeyError as missing:
        raise ValueError(f"{file} is damaged: it has no {missing}") from None
    except Exception as error:  # the readers of zip, header and JSON raise a dozen kinds for bytes that make no sense
        raise ValueError(f"{file} is damaged: {error}") from None
    return state, arrays


def _array(members: zipfile.ZipFile, member: zipfile.ZipInfo) -> np.ndarray:
    """An array of a file, read to its last byte, since only then its check sum is compared."""
    if member.compress_type != zipfile.ZIP_STORED:
        raise ValueError(f"{member.filename} is compressed")
    with members.open(member) as content:
        version = np.lib.format.read_magic(content)
        header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, fortran, dtype = header(content)
        size = int(np.prod(shape, dtype=object)) * dtype.itemsize
        if dtype.hasobject or min(shape, default=0) < 0 or content.tell() + size != member.file_size:
            raise ValueError(f"{member.filename} is not an array of {dtype} {shape}")
        if size > os.stat(members.fp.fileno()).st_size:  # type: ignore[union-attr]  # the file is open
            raise ValueError(f"{member.filename} says that it is larger than the file")
        array, at = np.empty(size, np.uint8), 0
        while chunk := content.read(1 << 20):
            array[at : at + len(chunk)] = np.frombuffer(chunk, np.uint8)
            at += len(chunk)
    return array.view(dtype).reshape(shape, order="F" if fortran else "C")


def kept(
    file: Path,
    fingerprint: str,
    make: Callable[[], dict[str, np.ndarray]],
    is_right: Callable[[dict[str, np.ndarray]], bool] = lambda arrays: True,
) -> dict[str, np.ndarray]:
    """The arrays of a cache file, if they are whole, right and have this fingerprint; else made, and kept for the next time.

    A folder that cannot be written costs the making next time, nothing else.
    """
    try:
        state, arrays = load(file)
        if state.get("fingerprint") == fingerprint and is_right(arrays):
            return arrays
    except ValueError:
        pass
    arrays = make()
    with suppress(OSError):
        save(file, {"fingerprint": fingerprint}, arrays)
    return arrays


def write_text(file: Path, text: str) -> None:
    """Write a small file."""
    with written_beside(file) as beside:
        beside.write_text(text)


@contextmanager
def written_beside(file: Path) -> Iterator[Path]:
    """Where to write a file before it takes its name; the dot keeps it out of every listing of whole files."""
    file.parent.mkdir(parents=True, exist_ok=True)
    sweep(file.parent)
    beside = file.with_name(f".{file.name}{_BESIDE}{os.getpid()}")
    try:
        yield beside
        os.replace(beside, file)
    finally:
        beside.unlink(missing_ok=True)


_BESIDE = f".{platform.node()}."  # between the name of a file that is being written and the number of the process


def sweep(folder: Path) -> None:
    """Remove what processes of this machine left half written when they were killed."""
    for file in folder.glob(f".*{glob.escape(_BESIDE)}*"):
        process = file.name.rpartition(".")[2]
        if process.isdecimal() and not _is_running(int(process)):
            file.unlink(missing_ok=True)


def _is_running(process: int) -> bool:
    if os.name != "posix":
        return True  # nothing is swept where this question cannot be asked without harm
    try:
        os.kill(process, 0)  # sends nothing
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
