"""Trained agents by name: `fetch` finds the file of one and makes sure that it is the right one, `load` gives the agent.

    from rubiks_gym import zoo
    agent = zoo.load("davi/rubik2x2-qtm")
    cost = agent.cost_to_go(agent.puzzle.goal[None])

The index that comes with the package has a size and a SHA-256 for every agent; a file that differs, wherever it comes from, is
refused. It is looked for in the folder `zoo` of a checkout, in the user's cache, and then at a source, which is a folder, the
address of one (https://...), or a repository of the Hugging Face hub (hf://OWNER/NAME, after `pip install "rubiks-gym[zoo]"`).
The source is given as an argument or by the variable RUBIKS_GYM_ZOO. `python -m rubiks_gym.zoo` lists what there is.

Files are arrays and JSON, and loading one runs no code. Most agents are networks, which need the learners of a checkout: this
package has no torch, so `load` asks `agents.load` there, as `rubiks-gym solve --agent zoo:NAME` does.
"""

import hashlib
import json
import os
import shutil
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any, NamedTuple

from rubiks_gym import files
from rubiks_gym.exact.table import cache_folder
from rubiks_gym.solving import from_checkout

INDEX = Path(__file__).parent / "index.json"
CHECKOUT = Path(__file__).parent.parent.parent / "zoo"
FILE = "agent.npz"  # of every agent, in the folder of its name, beside its card README.md and its results.json
_SECONDS = 30.0  # without a word from a server


class Entry(NamedTuple):
    """An agent of the index."""

    puzzle: str
    bytes: int
    sha256: str


def index(file: Path = INDEX) -> dict[str, Entry]:
    """All agents by name, KIND/PUZZLE."""
    try:
        return {name: Entry(**entry) for name, entry in json.loads(file.read_text()).items()}
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise ValueError(f"{file} is no index of agents: {error}") from None


def fetch(name: str, source: str | Path | None = None, entries: dict[str, Entry] | None = None) -> Path:
    """The file of an agent, checked; from a source, which is used instead of the variable RUBIKS_GYM_ZOO, if it is not here.

    A folder is read where it is; what is downloaded is kept in the cache. Other entries than those of the package may be
    given, for a zoo of one's own: `index(file)`.
    """
    entries = index() if entries is None else entries
    if name not in entries:
        raise ValueError(f"no agent is called {name!r}: there are {', '.join(entries) or 'none'}")
    entry, source = entries[name], str(source or os.environ.get("RUBIKS_GYM_ZOO") or "")
    inside = f"{name}/{FILE}"
    if source and "://" not in source:
        file = Path(source).expanduser() / inside
        if not file.exists():
            raise ValueError(f"{source} has no agent {name}: {file} does not exist")
        return _checked(file, name, entry)
    if (CHECKOUT / inside).exists():
        return _checked(CHECKOUT / inside, name, entry)
    kept = cache_folder() / "zoo" / f"{entry.sha256}.npz"
    if kept.exists() and _fault(kept, entry) is None:
        return kept
    if not source:
        raise ValueError(f"{name} is not on this machine: give a source, a folder or an address, or set RUBIKS_GYM_ZOO to one")
    with files.written_beside(kept) as beside:
        _download(source, inside, beside, entry.bytes)
        _checked(beside, name, entry, source)
    return kept


def load(name: str, source: str | Path | None = None) -> Any:
    """The agent of a name: its `puzzle`, `cost_to_go(states) -> [B]` and `policy(states) -> [B, A]`."""
    return from_checkout(str(fetch(name, source)), None)


def _checked(file: Path, name: str, entry: Entry, source: str = "") -> Path:
    if fault := _fault(file, entry):
        raise ValueError(f"this is not the agent {name}: {source or file} {fault}")
    return file


def _fault(file: Path, entry: Entry) -> str | None:
    """How a file differs from what the index says, None if it does not."""
    if (size := file.stat().st_size) != entry.bytes:
        return f"has {size:,} bytes, not {entry.bytes:,}"
    with open(file, "rb") as opened:
        found = hashlib.file_digest(opened, "sha256") if hasattr(hashlib, "file_digest") else hashlib.sha256(opened.read())
    return None if found.hexdigest() == entry.sha256 else f"has the SHA-256 {found.hexdigest()}, not {entry.sha256}"


def _download(source: str, inside: str, to: Path, size: int) -> None:
    kind, _, rest = source.partition("://")
    if kind == "hf":
        return _from_hub(rest, inside, to)
    if kind not in ("http", "https"):
        raise ValueError(f"a source is a folder, or begins with https:// or hf://, got {source!r}")
    address = f"{source.rstrip('/')}/{urllib.parse.quote(inside)}"
    try:
        with urllib.request.urlopen(address, timeout=_SECONDS) as answer, open(to, "wb") as file:
            left = size + 1  # one byte more tells that it is too long
            while left and (chunk := answer.read(min(left, 1 << 20))):
                file.write(chunk)
                left -= len(chunk)
    except (urllib.error.URLError, OSError, ValueError) as error:
        raise ValueError(f"{address} cannot be fetched: {error}") from None


def _from_hub(repository: str, inside: str, to: Path) -> None:
    try:
        import huggingface_hub
    except ImportError:
        raise ValueError('a source hf://OWNER/NAME needs the package huggingface_hub: pip install "rubiks-gym[zoo]"') from None
    try:
        found = huggingface_hub.hf_hub_download(repository, inside)
    except Exception as error:  # of many kinds, for names, networks and missing files
        raise ValueError(f"hf://{repository} has no {inside} for us: {error}") from None
    shutil.copyfile(found, to)
