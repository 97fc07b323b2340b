"""The distance of every state to the goal, by one breadth-first search: over the puzzle's perfect index, else by hash.

A table is built in seconds, kept in the user's cache folder and shared by all of a process that ask for the same puzzle. The
folder is `RUBIKS_GYM_CACHE` if that variable is set, else the platform's usual place.
"""

import os
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import platformdirs

from rubiks_gym import files
from rubiks_gym.puzzles import Puzzle
from rubiks_gym.puzzles.puzzle import hash_of
from rubiks_gym.puzzles.table import StateTable, reachable

VERSION = 2  # of the file's layout
MOST_STATES = 50_000_000
_ASKED = 20_000  # states of a stored table that are looked at when it is read
_CHUNK = 1 << 16  # states expanded at a time: their children fit the processor's cache
_in_process: dict[str, tuple[np.ndarray, StateTable | None]] = {}


def has_table(puzzle: Puzzle) -> bool:
    """Whether a puzzle is known to be small enough."""
    return 0 < puzzle.n_states <= MOST_STATES


class ExactTable:
    """True distances of one puzzle.

    `distances` [N] (uint8 or uint16) has them in the order of the puzzle's perfect index; where there is none, in the order
    in which a search from the goal met the states. `index` and `from_index` translate either way.
    A puzzle of unknown size is searched too, and refused when it turns out to have more than 50 million states. With costs [A]
    of the actions, such as 1.5 for a half turn, distances are float32: what the cheapest way to the goal costs.
    """

    def __init__(self, puzzle: Puzzle, costs: Sequence[float] | None = None) -> None:
        if puzzle.n_states > MOST_STATES:
            raise ValueError(f"{puzzle.name} has no exact table: it has {puzzle.n_states:,} states, more than {MOST_STATES:,}")
        self.puzzle = puzzle
        self.distances, self._table = _load_or_build(puzzle)
        self.costs = None if costs is None else puzzle.as_costs(costs)
        if self.costs is not None:
            self.distances = _cheapest(self, self.costs)

    def __reduce__(self) -> tuple:
        return ExactTable, (self.puzzle, self.costs)  # a copy or another process takes the table from memory or from the cache

    def index(self, states: np.ndarray) -> np.ndarray:
        """The numbers [B] of states [B, S]."""
        if self._table is None:
            return self.puzzle.index(states)
        states = self.puzzle.as_states(states)
        numbers = self._table.find(states)
        if (numbers < 0).any():
            self.puzzle.check(states)
            state = states[(numbers < 0).argmax()].tolist()
            raise ValueError(f"impossible state of {self.puzzle.name}: no moves lead from the goal to {state}")
        return numbers

    def from_index(self, index: np.ndarray) -> np.ndarray:
        """The states [B, S] of numbers [B], from 0 to len(distances) - 1."""
        return self.puzzle.from_index(index) if self._table is None else self._table.states[: len(self.distances)][index]

    def distance(self, states: np.ndarray) -> np.ndarray:
        """Moves to the goal, or what they cost, [B] for states [B, S]."""
        return self.distances[self.index(states)]

    def optimal_actions(self, states: np.ndarray) -> np.ndarray:
        """Which actions begin a shortest (with costs: a cheapest) way, [B, A] bool; none at the goal."""
        children = self.puzzle.expand(states)
        distances = self.distance(children.reshape(-1, self.puzzle.state_size)).reshape(children.shape[:2])
        if self.costs is None:
            return distances < self.distance(states)[:, None]
        return distances + self.costs <= self.distance(states)[:, None]

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
    """Distances [n_states] from the goal in the order of the index; moves can be undone, so they lead back as quickly."""
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


def breadth_first_by_hash(puzzle: Puzzle) -> tuple[np.ndarray, StateTable]:
    """Distances [N] from the goal of all states that can be reached, and the table that numbers them."""
    found = reachable(puzzle, MOST_STATES)
    if found is None:
        raise ValueError(f"{puzzle.name} has no exact table: it has more than {MOST_STATES:,} states")
    layers, table = found
    kind = np.uint8 if len(layers) < 256 else np.uint16
    return np.repeat(np.arange(len(layers), dtype=kind), layers), table


def _cheapest(table: ExactTable, costs: np.ndarray) -> np.ndarray:
    """What the cheapest way to the goal costs, [N] float32: Dijkstra's algorithm from the goal, many states at a time.

    Open states that are dearer than the cheapest of them by no more than the cheapest action cannot be reached more cheaply.
    """
    puzzle = table.puzzle
    back = costs[puzzle.inverse_action]  # of the move that undoes each action: the one towards the goal
    key = hash_of(_fingerprint(puzzle), costs)

    def build() -> dict[str, np.ndarray]:
        distances = np.full(len(table.distances), np.inf, np.float32)
        is_open = np.zeros(len(distances), bool)
        goal = table.index(puzzle.goal[None])
        distances[goal], is_open[goal] = 0, True
        while len(waiting := np.flatnonzero(is_open)):
            settled = waiting[distances[waiting] <= distances[waiting].min() + costs.min()]
            is_open[settled] = False
            for start in range(0, len(settled), _CHUNK):
                chunk = settled[start : start + _CHUNK]
                children = puzzle.expand(table.from_index(chunk)).reshape(-1, puzzle.state_size)
                index, total = table.index(children), (distances[chunk, None] + back).ravel()
                better = total < distances[index]
                np.minimum.at(distances, index[better], total[better])
                is_open[index[better]] = True
        return {"distances": distances}

    def is_right(arrays: dict[str, np.ndarray]) -> bool:
        """Whether what a file holds can be such costs: 0 at the goal, elsewhere what the best move and the rest cost."""
        found = arrays.get("distances")
        if found is None or found.dtype != np.float32 or found.shape != table.distances.shape:
            return False
        asked = np.unique(np.linspace(0, len(found) - 1, _ASKED).astype(np.int64))
        below = table.index(puzzle.expand(table.from_index(asked)).reshape(-1, puzzle.state_size)).reshape(len(asked), -1)
        home = table.distances[asked] == 0
        best = np.where(below == asked[:, None], np.inf, found[below] + costs).min(axis=1)  # a move that fails leads nowhere
        goal = found[table.index(puzzle.goal[None])[0]] == 0
        return bool(goal and np.isclose(found[asked], np.where(home, 0, best)).all())

    return files.kept(cache_folder() / f"{_file_name(puzzle)}-costs-{key[:12]}.npz", key, build, is_right)["distances"]


def cache_folder() -> Path:
    """Where tables are kept."""
    return Path(os.environ.get("RUBIKS_GYM_CACHE") or platformdirs.user_cache_dir("rubiks_gym", appauthor=False))


def _file_name(puzzle: Puzzle) -> str:
    """The name of a puzzle without what a file cannot be called; that of one that is read from a file is a path."""
    return re.sub(r"[^\w.-]", "_", puzzle.name)


def _load_or_build(puzzle: Puzzle) -> tuple[np.ndarray, StateTable | None]:
    fingerprint = _fingerprint(puzzle)
    if fingerprint not in _in_process:
        file, right = cache_folder() / f"{_file_name(puzzle)}.npz", lambda arrays: _is_right(puzzle, arrays)
        arrays = files.kept(file, fingerprint, lambda: _build(puzzle), right)
        arrays["distances"].flags.writeable = False
        _in_process[fingerprint] = arrays["distances"], _numbered(puzzle, arrays)
    return _in_process[fingerprint]


def _numbered(puzzle: Puzzle, arrays: dict[str, np.ndarray]) -> StateTable | None:
    """The table that numbers the states of a file, where the puzzle has no perfect index."""
    if puzzle.enumerable:
        return None
    table = StateTable(puzzle.state_size)
    table.insert(arrays["states"])
    return table


def _is_right(puzzle: Puzzle, arrays: dict[str, np.ndarray]) -> bool:
    """Whether what a file holds are distances: 0 at the goal alone, and of the neighbours of any other state one is closer.

    All states of a small puzzle are asked, of a large one some; what is a number too high everywhere would be found out.
    """
    distances, states = arrays.get("distances"), arrays.get("states")
    n = puzzle.n_states if states is None else len(states)
    if distances is None or distances.dtype not in (np.uint8, np.uint16) or distances.shape != (n,):
        return False
    if (states is None) != puzzle.enumerable or (distances == 0).sum() != 1:
        return False
    if states is not None and (states.dtype != np.uint8 or states.shape != (n, puzzle.state_size)):
        return False
    table = _numbered(puzzle, arrays)
    number = puzzle.index if table is None else table.find
    asked = np.unique(np.linspace(0, n - 1, _ASKED).astype(np.int64))
    asked_states = puzzle.from_index(asked) if states is None else states[asked]
    children = number(puzzle.expand(asked_states).reshape(-1, puzzle.state_size)).reshape(len(asked), -1)
    if distances[number(puzzle.goal[None])[0]] != 0 or (children < 0).any():
        return False
    own, closest = distances[asked].astype(int), distances[children].astype(int).min(axis=1)
    return bool((closest == own - 1)[own > 0].all())


def _build(puzzle: Puzzle) -> dict[str, np.ndarray]:
    """The distances, and the states in their order where there is no perfect index."""
    if puzzle.enumerable:
        return {"distances": breadth_first(puzzle)}
    distances, table = breadth_first_by_hash(puzzle)
    return {"distances": distances, "states": table.states[: len(table)]}


def _fingerprint(puzzle: Puzzle) -> str:
    """Differs when the rules, the goal or the numbering of states do, so that no stale table is ever believed."""
    rules = f"{VERSION}-{puzzle.n_states}-{puzzle.fingerprint()}"
    if not puzzle.enumerable:
        return rules
    return hash_of(rules, puzzle.from_index(np.linspace(0, puzzle.n_states - 1, 64).astype(np.int64)))
