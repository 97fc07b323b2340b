"""The distance of every state to the goal, by one breadth-first search over the puzzle's perfect index.

A table is built in seconds, kept in the user's cache folder and shared by all of a process that ask for the same puzzle. The
folder is `RUBIKS_GYM_CACHE` if that variable is set, else the platform's usual place.
"""

import hashlib
import os
import zipfile
from pathlib import Path

import numpy as np
import platformdirs

from rubiks_gym.puzzles import Puzzle

VERSION = 1  # of the file's layout
_MOST_STATES = 200_000_000
_CHUNK = 1 << 16  # states expanded at a time: their children fit the processor's cache
_in_process: dict[str, np.ndarray] = {}


def has_table(puzzle: Puzzle) -> bool:
    """Whether a puzzle is small enough, and its states are numbered."""
    return puzzle.enumerable and puzzle.n_states <= _MOST_STATES


class ExactTable:
    """True distances of one puzzle; `distances` [n_states] (uint8 or uint16) is indexed by `puzzle.index`."""

    def __init__(self, puzzle: Puzzle) -> None:
        if not has_table(puzzle):
            raise ValueError(
                f"{puzzle.name} has no exact table: that needs a perfect index and at most {_MOST_STATES:,} states"
            )
        self.puzzle = puzzle
        self.distances = _load_or_build(puzzle)

    def __reduce__(self) -> tuple:
        return ExactTable, (self.puzzle,)  # a copy or another process takes the table from memory or from the cache

    def distance(self, states: np.ndarray) -> np.ndarray:
        """Moves to the goal [B] for states [B, S]."""
        return self.distances[self.puzzle.index(states)]

    def optimal_actions(self, states: np.ndarray) -> np.ndarray:
        """Which actions lead one move closer, [B, A] bool; none at the goal."""
        children = self.puzzle.expand(states)
        distances = self.distance(children.reshape(-1, self.puzzle.state_size)).reshape(children.shape[:2])
        return distances < self.distance(states)[:, None]

    def solve(self, states: np.ndarray) -> list[list[int]]:
        """A shortest solution for each state [B, S]; of several, at each step the action with the lowest number."""
        states = self.puzzle.as_states(states).copy()
        solutions: list[list[int]] = [[] for _ in range(len(states))]
        away = np.flatnonzero(self.distance(states))
        while len(away):
            actions = self.optimal_actions(states[away]).argmax(axis=1)
            states[away] = self.puzzle.apply(states[away], actions)
            for row, action in zip(away.tolist(), actions.tolist(), strict=True):
                solutions[row].append(action)
            away = away[self.distance(states[away]) > 0]
        return solutions


def breadth_first(puzzle: Puzzle) -> np.ndarray:
    """Distances [n_states] from the goal; moves can be undone, so these are also the distances to it."""
    distances = np.full(puzzle.n_states, 255, np.uint8)
    frontier = puzzle.index(puzzle.goal[None])
    distances[frontier] = depth = 0
    while len(frontier):
        depth += 1
        unreached = np.iinfo(distances.dtype).max
        if depth == unreached:  # only Hanoi with many disks goes so deep
            far = distances == unreached
            distances, unreached = distances.astype(np.uint16), 65535
            distances[far] = unreached
        reached = []
        for start in range(0, len(frontier), _CHUNK):
            children = puzzle.expand(puzzle.from_index(frontier[start : start + _CHUNK]))
            index = puzzle.index(children.reshape(-1, puzzle.state_size))
            index = index[distances[index] == unreached]
            distances[index] = depth
            reached.append(index)
        n_reached = sum(map(len, reached))
        if n_reached > len(distances) // 50:  # a scan of the table is cheaper than sorting out duplicates
            frontier = np.flatnonzero(distances == depth)
        else:
            frontier = np.unique(np.concatenate(reached))
    return distances


def cache_folder() -> Path:
    """Where tables are kept."""
    return Path(os.environ.get("RUBIKS_GYM_CACHE") or platformdirs.user_cache_dir("rubiks_gym", appauthor=False))


def _load_or_build(puzzle: Puzzle) -> np.ndarray:
    fingerprint = _fingerprint(puzzle)
    if fingerprint not in _in_process:
        file = cache_folder() / f"{puzzle.name}.npz"
        distances = _load(file, puzzle, fingerprint)
        if distances is None:
            distances = breadth_first(puzzle)
            _save(file, distances, fingerprint)
        distances.flags.writeable = False
        _in_process[fingerprint] = distances
    return _in_process[fingerprint]


def _fingerprint(puzzle: Puzzle) -> str:
    """Differs when the rules, the goal or the numbering of states do, so that no stale table is ever believed."""
    sample = puzzle.from_index(np.linspace(0, puzzle.n_states - 1, 64).astype(np.int64))
    rules = puzzle.goal.tobytes() + sample.tobytes() + puzzle.expand(sample).tobytes()
    return f"{VERSION}-{puzzle.n_states}-{hashlib.sha256(rules).hexdigest()}"


def _load(file: Path, puzzle: Puzzle, fingerprint: str) -> np.ndarray | None:
    """The table in a file, or None if there is none, or it is damaged or of another version (zip checks its sums)."""
    try:
        with open(file, "rb") as opened, np.load(opened, allow_pickle=False) as stored:
            if str(stored["fingerprint"]) != fingerprint:
                return None
            distances = stored["distances"]
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, NotImplementedError, RuntimeError):
        return None
    good = distances.shape == (puzzle.n_states,) and distances.dtype in (np.uint8, np.uint16)
    return distances if good else None


def _save(file: Path, distances: np.ndarray, fingerprint: str) -> None:
    """Write beside and rename into place; a folder that cannot be written costs a rebuild next time, nothing else."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        beside = file.with_name(f".{file.name}-{os.getpid()}")
        with open(beside, "wb") as opened:
            np.savez(opened, distances=distances, fingerprint=np.array(fingerprint))
        os.replace(beside, file)
    except OSError:
        return
