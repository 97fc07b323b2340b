"""States in bulk: the children worth looking at, and a compiled table that knows which states were met before.

The table numbers states 0, 1, 2, ... as they arrive and keeps them in that order. A 64-bit hash only says where to look:
two states are the same when all their bytes are, so no search ever takes one state for another.
Letters: B batch, S state, A actions, M rows, N states stored, C slots.
"""

from __future__ import annotations

import numpy as np

from rubiks_gym.puzzles.compiled import inner, jit
from rubiks_gym.puzzles.prefetch import prefetch
from rubiks_gym.puzzles.puzzle import Puzzle
from rubiks_gym.puzzles.streams import GOLDEN, below, mix

MOST = 2**30  # states that a table can number: they and the slots, at most three times as many, stay within 32 bits

_EMPTY, _ONE = np.uint64(0), np.uint64(1)
_NUMBER, _TAG = np.uint64(0xFFFFFFFF), np.uint64(0xFFFFFFFF00000000)  # a slot: a number plus 1, and upper half of its hash
_AHEAD = 256  # rows whose slots are fetched together
_CHUNK = 1 << 14  # states expanded at a time: their children fit the processor's cache


# Children ------------------------------------------------------------------------------------------------------------


def children(puzzle: Puzzle, states: np.ndarray, last: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The children [M, S] of states [B, S], with the row of the parent [M] and the action [M] that led to each.

    Left out are illegal moves, and the one that undoes the action `last` [B] int16 by which a state was reached (-1: none).
    They come in order of parent, then action.
    """
    every = puzzle.expand(states).reshape(-1, puzzle.state_size)
    rows, actions = np.empty(len(every), np.int64), np.empty(len(every), np.int16)
    n = keep_useful(states, puzzle.inverse_action, last, every, rows, actions)
    return every[:n], rows[:n], actions[:n]


@jit
def keep_useful(states, inverse, last, every, rows, actions):
    """Move the useful rows of every [B * A, S] to the front and say where they come from; returns how many there are."""
    n = 0
    for b in range(states.shape[0]):
        undo = inverse[last[b]] if last[b] >= 0 else -1
        for a in range(inverse.shape[0]):
            child = b * inverse.shape[0] + a
            if a == undo or same_rows(every, child, states, b):  # a move that changes nothing is an illegal one
                continue
            for i in range(states.shape[1]):
                every[n, i] = every[child, i]
            rows[n], actions[n] = b, a
            n += 1
    return n


# Compiled code hands over whole arrays and a row: to cut a row out of an array and hand it over costs more than all the rest.


@inner
def same_rows(states, m, others, n):
    """Whether row m of states [M, S] and row n of others [N, S] are equal."""
    equal = True
    for i in range(states.shape[1]):
        equal &= states[m, i] == others[n, i]
    return equal


@jit
def same(state, other):
    """Whether two states [S] are equal."""
    equal = True
    for i in range(state.shape[0]):
        equal &= state[i] == other[i]
    return equal


def reachable(puzzle: Puzzle, most: int) -> tuple[list[int], StateTable] | None:
    """All states in order of their distance from the goal, and how many there are at each; None if they are more than most."""
    table, layers = StateTable(puzzle.state_size), [1]
    table.insert(puzzle.goal[None])
    while layers[-1]:
        before = len(table)
        if not insert_children(puzzle, table, before - layers[-1], most):
            return None
        layers.append(len(table) - before)
    return layers[:-1], table


def insert_children(puzzle: Puzzle, table: StateTable, start: int, most: int) -> bool:
    """Enter the children of all states of a table from number `start` on; False as soon as there are more than `most`."""
    end = len(table)
    for begin in range(start, end, _CHUNK):
        chunk = puzzle.expand(table.states[begin : min(begin + _CHUNK, end)])
        table.insert(chunk.reshape(-1, puzzle.state_size))
        if len(table) > most:
            return False
    return True


# The table -----------------------------------------------------------------------------------------------------------


@inner
def hash_row(states, m):
    """A 64-bit hash of row m of states [M, S], eight bytes at a time."""
    hashed = np.uint64(0)
    for start in range(0, states.shape[1], 8):
        word = np.uint64(0)
        for i in range(start, min(start + 8, states.shape[1])):
            word = word << np.uint64(8) | np.uint64(states[m, i])
        hashed = mix(word + hashed * GOLDEN)
    return hashed


@inner
def home(slots, hashed):
    """Where the search for a hash begins: slots are in the order of the upper half of the hash, the one that they store."""
    return below(hashed, np.uint64(slots.shape[0]))


@inner
def following(slots, at):
    """The slot after one, the first after the last."""
    return at + _ONE if at + _ONE < np.uint64(slots.shape[0]) else np.uint64(0)


# The loops that look for a slot (linear probing) stand in both kernels below, since handing the arrays to a function of their
# own takes four times as long. Slots are asked for many at a time before they are used: they arrive side by side, while a loop
# that branches on what it finds would wait for one after the other.


@jit
def find_or_insert(slots, stored, n, states, numbers, source):
    """Number states [M, S] into numbers [M], new ones from n on; source [M] gets the row that each new one came from.

    Returns how many states are stored then.
    """
    hashes = np.empty(_AHEAD, np.uint64)
    before = n
    for start in range(0, states.shape[0], _AHEAD):
        stop = min(start + _AHEAD, states.shape[0])
        for m in range(start, stop):
            hashes[m - start] = hash_row(states, m)
            prefetch(slots, home(slots, hashes[m - start]))  # type: ignore[call-arg]
        for m in range(start, stop):
            hashed = hashes[m - start]
            at = home(slots, hashed)
            while slots[at] != _EMPTY:
                if slots[at] & _TAG == hashed & _TAG and same_rows(stored, (slots[at] & _NUMBER) - _ONE, states, m):
                    break
                at = following(slots, at)
            if slots[at] == _EMPTY:
                for i in range(states.shape[1]):
                    stored[n, i] = states[m, i]
                source[n - before] = m
                n += 1
                slots[at] = (hashed & _TAG) | np.uint64(n)
            numbers[m] = np.int64(slots[at] & _NUMBER) - 1
    return n


@jit
def find(slots, stored, states, numbers):
    """The number of each state [M, S] into numbers [M], -1 where it is not stored."""
    hashes = np.empty(_AHEAD, np.uint64)
    for start in range(0, states.shape[0], _AHEAD):
        stop = min(start + _AHEAD, states.shape[0])
        for m in range(start, stop):
            hashes[m - start] = hash_row(states, m)
            prefetch(slots, home(slots, hashes[m - start]))  # type: ignore[call-arg]
        for m in range(start, stop):
            hashed = hashes[m - start]
            at = home(slots, hashed)
            while slots[at] != _EMPTY:
                if slots[at] & _TAG == hashed & _TAG and same_rows(stored, (slots[at] & _NUMBER) - _ONE, states, m):
                    break
                at = following(slots, at)
            numbers[m] = np.int64(slots[at] & _NUMBER) - 1


@jit
def rehash(slots, larger):
    """Move all entries to larger, empty slots. Both are in the order of hashes, so memory is read and written in order."""
    for i in range(slots.shape[0]):
        if slots[i] != _EMPTY:
            at = home(larger, slots[i])
            while larger[at] != _EMPTY:
                at = following(larger, at)
            larger[at] = slots[i]


class StateTable:
    """A set of states that grows; `states[:len(table)]` [N, S] are its members in order of arrival.

    It takes S bytes per state and 8 per slot; between half and three quarters of the slots are in use, so 11 to 16 more.
    """

    def __init__(self, state_size: int) -> None:
        self.states = np.empty((96, state_size), np.uint8)
        self.slots = np.zeros(128, np.uint64)
        self._n = 0

    def __len__(self) -> int:
        return self._n

    def insert(self, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The numbers [M] of states [M, S], and for each new one, in order, the row [new] where it was first met."""
        self._make_room(len(states))
        numbers, source = np.empty(len(states), np.int64), np.empty(len(states), np.int64)
        before = self._n
        self._n = find_or_insert(self.slots, self.states, before, states, numbers, source)
        return numbers, source[: self._n - before]

    def find(self, states: np.ndarray) -> np.ndarray:
        """The numbers [M] of states [M, S], -1 for those that are not members."""
        numbers = np.empty(len(states), np.int64)
        find(self.slots, self.states, states, numbers)
        return numbers

    def clear(self) -> None:
        """Forget all states, keep the memory."""
        self.slots[:] = _EMPTY
        self._n = 0

    def sizes_with(self, more: int) -> list[tuple[np.ndarray, int]]:
        """Its arrays, and how many rows each has once there is room for some more states."""
        capacity, slots = self._sizes(more)
        return [(self.states, capacity), (self.slots, slots)]

    def nbytes_with(self, more: int) -> int:
        """How many bytes the table takes at most while it gets room for some more states."""
        return nbytes_grown(self.sizes_with(more))

    def _make_room(self, more: int) -> None:
        if self._n + more > MOST:
            raise MemoryError(f"a table numbers at most {MOST:,} states")
        capacity, slots = self._sizes(more)
        self.states = grown(self.states, capacity)
        if slots > len(self.slots):
            larger = np.zeros(slots, np.uint64)
            rehash(self.slots, larger)
            self.slots = larger

    def _sizes(self, more: int) -> tuple[int, int]:
        """The capacity and the number of slots that it takes to hold some more states."""
        return enough(len(self.states), self._n + more), enough(len(self.slots), -(-(self._n + more) * 4 // 3))


def enough(capacity: int, needed: int) -> int:
    """The capacity that an array grows to: by a half at least, so that copying costs every row but a few moves in all."""
    return capacity if needed <= capacity else max(needed, capacity * 3 // 2)


def nbytes_grown(sizes: list[tuple[np.ndarray, int]]) -> int:
    """How many bytes arrays take once they have so many rows, with the largest of those that are copied on the way."""
    rows = sum(n * array.itemsize * int(np.prod(array.shape[1:])) for array, n in sizes)
    return rows + max((array.nbytes for array, n in sizes if n > len(array)), default=0)


def grown(array: np.ndarray, capacity: int) -> np.ndarray:
    """The array [N, ...] with room for `capacity` rows; what is behind the old ones is arbitrary."""
    if capacity <= len(array):
        return array
    larger = np.empty((capacity, *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger
