"""What a table can look at: a state as small numbers, each entry counted from 0, and beside it the inverse state if it has one.

Everything is found from the puzzle, by its rules or from sampled states: which places belong to one piece, which values an
entry takes, which entries say nothing that others do not say, whether moves add up (see `adding`). An entry of the inverse view
says *where* something is if the state says *what* is there, and the other way round; a table over either sees what the other
would need the whole state for.

Letters: B batch, S state, E entries of both views, V values of an entry, K keys of a piece's places.
"""

from itertools import accumulate
from typing import NamedTuple

import numpy as np

from agents.general_ntuple.adding import times_made
from rubiks_gym.puzzles import Puzzle
from rubiks_gym.puzzles.compiled import jit
from rubiks_gym.puzzles.permutation import PermutationPuzzle, orbits
from rubiks_gym.puzzles.threads import over_rows

_SAMPLES = 1 << 13  # states that entries and values are found from
_LONGEST = 500  # moves of a walk that they are sampled by
_LABELLED = 2048  # walks on which every sticker is told apart
_COUNTED = 256  # of the states sampled, so many show whether moves add up
_KEYS = 1 << 16  # ways to fill the places of a piece, at most


class View(NamedTuple):
    """How states are read. Entry e < n of x is code[e, key], the key being the number that the values at its places spell."""

    places: np.ndarray  # [places of all entries] int64, one entry after another
    starts: np.ndarray  # [n + 1] int64: the places of entry e are places[starts[e]]..
    values: int  # of a state's entries; 1 where an entry is a sum of them
    code: np.ndarray  # [n, K] uint8
    slot: np.ndarray  # [n, V] int16: which entry of the inverse view x[e] = v tells of, -1 for none
    other: np.ndarray  # [n, V] uint8: and what it says
    radix: np.ndarray  # [E] int64: how many values each entry of x takes

    @property
    def first(self) -> int:
        """Entries that come from the state itself; those of the inverse follow."""
        return len(self.starts) - 1

    def read(self, states: np.ndarray) -> np.ndarray:
        """The entries [B, E] uint8 of states [B, S]."""
        out = np.empty((len(states), len(self.radix)), np.uint8)
        over_rows(read_states, tuple(self), (states, out))
        return out


def sample(puzzle: Puzzle) -> np.ndarray:
    """States [B, S] near and far, always the same ones, the goal first."""
    seeds = np.arange(_SAMPLES // 2, dtype=np.uint64)
    longest = min(4 * puzzle.k_max, _LONGEST)
    near = puzzle.walk(seeds, np.arange(len(seeds)) % longest)
    try:
        far = puzzle.random_states(seeds)
    except NotImplementedError:  # a puzzle without uniformly random states
        far = puzzle.walk(seeds, np.full(len(seeds), longest))
    return np.concatenate([puzzle.goal[None], near, far])


def make_view(puzzle: Puzzle, states: np.ndarray) -> View:
    """The view of a puzzle, found from some of its states [B, S]."""
    counts = times_made(puzzle, states[:_COUNTED])
    if counts is None:
        base, pieces = puzzle.n_values, [each for each in _pieces(puzzle) if len(np.unique(states[:, each], axis=0)) > 1]
        keys = np.stack([_keys(states[:, each], base) for each in pieces], axis=1)
        pieces, keys = _independent(pieces, keys)
        code = np.zeros((len(pieces), int(keys.max()) + 1), np.uint8)
        for e, column in enumerate(keys.T):
            known = np.unique(column)
            code[e, known] = np.arange(len(known))
    else:  # to base 1, what an entry's places spell is their sum
        base, pieces = 1, [np.repeat(np.arange(puzzle.state_size), row) for row in counts]
        keys = np.stack([_keys(states[:, each], base) for each in pieces], axis=1)
        sums = np.arange(max(map(len, pieces)) * (puzzle.n_values - 1) + 1)
        code = np.tile((sums % puzzle.n_values).astype(np.uint8), (len(pieces), 1))
    radix = (code.max(axis=1).astype(np.int64) + 1).tolist()
    slot, other = np.full((len(pieces), max(radix)), -1, np.int16), np.zeros((len(pieces), max(radix)), np.uint8)
    inverse = _inverse(puzzle, states)
    if inverse is not None:
        keys = np.stack([_keys(inverse[0][:, each], base) for each in pieces], axis=1)
        entries = np.take_along_axis(code.T, keys, axis=0)
        moving = np.flatnonzero(np.ptp(inverse[1], axis=0))
        where = _coded(_independent([moving[i : i + 1] for i in range(len(moving))], inverse[1][:, moving])[1])
        slot[:], other[:] = _told(entries, where, slot.shape[1])
        told = np.take_along_axis(slot.T, entries, axis=0)
        always = [c for c in range(where.shape[1]) if (told == c).any(axis=1).all()]
        # Things that look alike are nowhere in particular, and the view has no entry for them.
        place = np.full(where.shape[1] + 1, -1, np.int16)  # the last is for what is not told
        place[always] = len(pieces) + np.arange(len(always))
        slot[:] = place[slot]
        radix += [int(column.max()) + 1 for column in where.T[always]]
    starts = np.array([0, *accumulate(map(len, pieces))])
    return View(np.concatenate(pieces), starts, base, code, slot, other, np.array(radix))


def _pieces(puzzle: Puzzle) -> list[np.ndarray]:
    """The places that belong together: single ones, or those of a piece where a state says what sticker is at each place."""
    single = [np.array([place]) for place in range(puzzle.state_size)]
    if not isinstance(puzzle, PermutationPuzzle) or puzzle.distinct:
        return single
    moves, n = puzzle.generators, puzzle.state_size
    pairs = orbits((moves[:, :, None] * n + moves[:, None, :]).reshape(len(moves), -1))
    size = np.bincount(pairs, minlength=n * n)[pairs].reshape(n, n)
    moving = np.flatnonzero(size.diagonal() > 1)  # what is fixed would belong to everything
    size = size[np.ix_(moving, moving)]
    found = {tuple(moving[row <= size[i, i]].tolist()) for i, row in enumerate(size)}
    if sum(map(len, found)) != len(moving) or max(puzzle.n_values ** len(places) for places in found) > _KEYS:
        return single
    return [np.array(places) for places in sorted(found)]


def _keys(values: np.ndarray, base: int) -> np.ndarray:
    """The numbers [B] that values [B, n] spell."""
    return (values.astype(np.int64) * base ** np.arange(values.shape[1])[::-1]).sum(axis=1)


def _independent(pieces: list[np.ndarray], keys: np.ndarray) -> tuple[list[np.ndarray], np.ndarray]:
    """Without the pieces whose keys [B, n] follow from that of an earlier one, and theirs from it."""
    coded = _coded(keys)
    kept: list[int] = []
    for e in range(len(pieces)):
        if all(follows(coded[:, k], coded[:, e]) is None or follows(coded[:, e], coded[:, k]) is None for k in kept):
            kept.append(e)
    return [pieces[e] for e in kept], keys[:, kept]


def _coded(columns: np.ndarray) -> np.ndarray:
    """The values of each of columns [B, n], counted from 0."""
    return np.stack([np.unique(column, return_inverse=True)[1] for column in columns.T], axis=1)


def _inverse(puzzle: Puzzle, states: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Some states [B, S] and the inverse [B, S] of each: of the group, or where each value or sticker is."""
    if isinstance(puzzle, PermutationPuzzle) and puzzle.distinct and puzzle.chain.complete:
        return states, puzzle.inverse(states)
    if (np.sort(states, axis=1) == np.arange(puzzle.state_size)).all():
        return states, np.argsort(states, axis=1)
    if isinstance(puzzle, PermutationPuzzle) and not puzzle.distinct:
        rng, from_where = np.random.default_rng(0), np.argsort(puzzle.generators, axis=1)
        labels = np.tile(np.arange(puzzle.state_size), (_LABELLED, 1))
        for _ in range(min(4 * puzzle.k_max, _LONGEST)):
            labels = np.take_along_axis(labels, from_where[rng.integers(puzzle.n_actions, size=_LABELLED)], axis=1)
        return puzzle.goal[labels], np.argsort(labels, axis=1)
    return None


def _told(entries: np.ndarray, inverse: np.ndarray, values: int) -> tuple[np.ndarray, np.ndarray]:
    """Which entry of inverse [B, n] is known if entry e of entries [B, n] is v, and what it is: [n, V] each."""
    slot, other = np.full((entries.shape[1], values), -1, np.int16), np.zeros((entries.shape[1], values), np.uint8)
    for e, column in enumerate(entries.T):
        order = np.argsort(column, kind="stable")
        for rows in np.split(order, np.flatnonzero(np.diff(column[order])) + 1):
            there = inverse[rows]
            constant = np.flatnonzero((there == there[0]).all(axis=0))
            if len(rows) > 16 and len(constant) == 1:
                slot[e, column[rows[0]]], other[e, column[rows[0]]] = constant[0], there[0, constant[0]]
    return slot, other


def follows(one: np.ndarray, two: np.ndarray) -> np.ndarray | None:
    """What each value of one [B] makes of two [B], as [256] uint8 where nothing else can; None if they are not tied so."""
    image = np.full(256, -1, np.int64)
    return image.clip(0).astype(np.uint8) if tied(one.astype(np.int64), two.astype(np.int64), image) else None


# Compiled ---------------------------------------------------------------------------------------------------------------


@jit
def tied(one, two, image):
    """Whether two [B] is a function of one [B], which then is in image [256], -1 where it is not known."""
    for b in range(one.shape[0]):
        if image[one[b]] == -1:
            image[one[b]] = two[b]
        elif image[one[b]] != two[b]:
            return False
    return True


@jit
def read_state(places, starts, values, code, slot, other, state, out):
    """The entries of one state [S] into out [E]; False if it has values that no state has."""
    for e in range(code.shape[0]):
        key = np.int64(0)
        for j in range(starts[e], starts[e + 1]):
            key = key * values + state[places[j]]
        if key >= code.shape[1]:
            return False
        v = code[e, key]
        out[e] = v
        if slot[e, v] >= 0:
            out[slot[e, v]] = other[e, v]
    return True


@jit
def read_states(places, starts, values, code, slot, other, radix, states, out):
    """The entries of states [B, S] into out [B, E]."""
    for b in range(states.shape[0]):
        out[b] = 0
        if not read_state(places, starts, values, code, slot, other, states[b], out[b]):
            return False
    return True
