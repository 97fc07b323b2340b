"""What every search takes and returns: a budget, and one record with a row per start state."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


class Solutions(NamedTuple):
    """The outcome of a search from B start states."""

    moves: list[list[int]]  # a solution per start state, empty where none was found (or none was needed)
    solved: np.ndarray  # [B] bool
    nodes: np.ndarray  # [B] int64, states generated
    seconds: np.ndarray  # [B] float64; searches that advance all starts together share the time out evenly
    lower: np.ndarray  # [B] int64, no solution is shorter; 0 where nothing is known about that

    @property
    def proven(self) -> np.ndarray:
        """Which solutions are proven to be shortest [B] bool."""
        return self.solved & (np.array([len(moves) for moves in self.moves], np.int64) <= self.lower)


def joined(parts: Sequence[Solutions]) -> Solutions:
    """The outcomes of several searches, one after another."""
    moves = [sequence for part in parts for sequence in part.moves]
    return Solutions(moves, *(np.concatenate(arrays) for arrays in list(zip(*parts, strict=True))[1:]))


def shortest(tries: Sequence[Solutions]) -> Solutions:
    """Of several tries from the same states the shortest solution each, of equal ones the first; nodes and seconds add up."""
    lengths = np.array([np.where(t.solved, [len(moves) for moves in t.moves], np.inf) for t in tries])  # [tries, B]
    moves = [tries[t].moves[b] for b, t in enumerate(lengths.argmin(axis=0))]
    solved, nodes, seconds, lower = (np.stack(arrays) for arrays in list(zip(*tries, strict=True))[1:])
    return Solutions(moves, np.any(solved, axis=0), nodes.sum(axis=0), seconds.sum(axis=0), lower.max(axis=0))


@dataclass(frozen=True)
class Budget:
    """Where a search gives up on a start state; a search that advances many together applies `seconds` to all of them.

    Args:
        nodes: states generated for one start state.
        seconds: time for one start state.
        memory: bytes by which a search may make the process grow, however many starts are searched side by side; its
            perimeter and the tables of its heuristic count too.
        clock: what tells the time, in seconds.
    """

    nodes: float = 10_000_000
    seconds: float = float("inf")
    memory: int = 8 * 2**30
    clock: Callable[[], float] = time.perf_counter

    def __post_init__(self) -> None:
        for word in ("nodes", "seconds", "memory"):
            value = getattr(self, word)
            if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
                raise ValueError(f"a budget of {word} must be a positive number, got {value!r}")

    @property
    def arrays(self) -> int:
        """Bytes that the arrays of a search may take: allocators do not give back all that is freed when arrays grow."""
        return int(self.memory * 3 // 4)

    def deadline(self) -> float:
        """The moment, by the clock, at which a search that starts now has to end."""
        return self.clock() + self.seconds


class MemorySpentError(Exception):
    """A search from one start state has used up its memory, after so many nodes."""

    def __init__(self, nodes: int) -> None:
        self.nodes = nodes


def path(parent: np.ndarray, action: np.ndarray, node: int) -> list[int]:
    """The moves to a node of a tree in which each has its parent [N], -1 at the root, and the action [N] that led to it."""
    moves = []
    while parent[node] >= 0:
        moves.append(int(action[node]))
        node = parent[node]
    return moves[::-1]
