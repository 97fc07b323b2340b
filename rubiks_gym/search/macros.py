"""Macro-operators: words of moves that leave nearly everything in place (Korf 1985), found in any puzzle of permutations.

Where two words A and B have few places in common, their commutator A B A' B' moves few places; so does X M X' if M does. Such
words, short ones first, are found by trying many; the puzzle's symmetries turn one into others. With them a state in which few
pieces are misplaced is solved piece by piece, which is what a cost-to-go fitted to random walks knows nothing about: three
pieces of a 4x4x4 exchanged look like a state next to the goal, are ten moves away, and no random walk ever meets them.

Letters: B batch, N places, M macros, W words, L moves of a word, A actions.
"""

from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from rubiks_gym.puzzles import PermutationPuzzle, find_symmetries
from rubiks_gym.puzzles.compiled import jit
from rubiks_gym.puzzles.permutation import orbits
from rubiks_gym.puzzles.relations import Relations, append, relations_of
from rubiks_gym.puzzles.threads import over_rows

_LONGEST = 14  # moves of a word
_SURROUNDED = 30_000  # so many of the shortest are also tried between a move and its inverse, twice
_PLACES = 9  # that a macro may move: three pieces of three stickers, the least that can be done to them
_MOST = 150_000  # words, the shortest first
_WORDS = 4  # that do the same
_TRIED = 150_000  # commutators of words of given lengths at most, drawn in each of two ways
_MIRRORED = 5000  # so many of the shortest are tried in all ways that the puzzle's symmetries show them
_PARTS = ((1, 1), (1, 2), (1, 3), (2, 2), (1, 4), (2, 3), (1, 5), (2, 4), (3, 3))  # those lengths


class Macros(NamedTuple):
    """What words of moves do, and the words; macro m moves place[starts[m]]..place[starts[m + 1] - 1]."""

    source: np.ndarray  # [M, N] int16: where what gets to each place comes from
    starts: np.ndarray  # [M + 1] int64
    place: np.ndarray  # int64
    first: np.ndarray  # [M + 1] int64: words first[m]..first[m + 1] - 1 do the same
    words: np.ndarray  # [W, L] int64, filled up with -1
    weight: np.ndarray  # [N] float32: about how many moves it takes to put right what is at a place
    bring: np.ndarray  # [N * N + 1] int64: by[bring[N * i + j]] to by[bring[N * i + j + 1] - 1] bring to place i what is at j
    by: np.ndarray  # int64, macros


def find_macros(puzzle: PermutationPuzzle) -> Macros:
    """The macros of a puzzle, always the same ones; there may be none."""
    return _find(puzzle.generators.tobytes(), puzzle.generators.shape, puzzle.goal.tobytes(), puzzle.distinct)


@lru_cache(maxsize=8)
def _find(generators: bytes, shape: tuple[int, int], goal: bytes, distinct: bool) -> Macros:
    goes_to = np.frombuffer(generators, np.int64).reshape(shape)
    (n_actions, n), relations, comes_from = shape, relations_of(goes_to), np.argsort(goes_to, axis=1)
    inverse, rng = relations.inverse, np.random.default_rng(0)
    few = partial(_few, comes_from, relations, orbits(goes_to))
    found = [np.full((0, _LONGEST + 2), -1)]
    # Any move after any other, and only after those with which it does not commute: words that have more to do with each other.
    for follows in (np.ones_like(relations.commute), ~relations.commute) if not relations.commute.all() else ():
        for a, b in _PARTS:
            tried = _drawn(rng, follows, min(_TRIED, 4 * n_actions ** (a + b)), a + b)  # of few, nearly all
            one, two = tried[:, :a], tried[:, a:]
            found.append(few(np.concatenate([one, two, inverse[one[:, ::-1]], inverse[two[:, ::-1]]], axis=1)))
    words = _shortest(found)
    some = _of_each_kind(words, _MIRRORED)[:, 2:]
    exchanges = np.pad(
        _exchanges(goes_to, np.frombuffer(goal, np.uint8), distinct), ((0, 0), (0, 1)), constant_values=-1
    )  # where there is no move (-1) there is none
    words = _shortest([words, *(few(exchange[some]) for exchange in exchanges)])
    for _ in range(2):
        shorter = _of_each_kind(words, _SURROUNDED)[:, 2:]
        ends = ((np.full((len(shorter), 1), x), np.full((len(shorter), 1), inverse[x])) for x in range(n_actions))
        words = _shortest([words, *(few(np.hstack([x, shorter, back])) for x, back in ends)])
    words = _of_each_kind(words, _MOST)
    words = words[np.argsort(words[:, 0], kind="stable")]
    first = np.append(np.flatnonzero(np.diff(words[:, 0], prepend=-1)), len(words))
    words = words[:, 2:]
    source = _done_by(comes_from, words[first[:-1]])
    macro, place = np.nonzero(source != np.arange(n))
    moved = np.bincount(macro, minlength=len(source))
    pair = n * place + source[macro, place]
    by = np.argsort(pair, kind="stable")
    return Macros(
        source.astype(np.int16),
        np.concatenate([[0], np.cumsum(moved)]),
        place,
        first,
        words,
        _weights(n, macro, place, moved, (words[first[:-1]] >= 0).sum(axis=1)),
        np.searchsorted(pair[by], np.arange(n * n + 1)),
        macro[by],
    )


def _weights(n: int, macro: np.ndarray, place: np.ndarray, moved: np.ndarray, length: np.ndarray) -> np.ndarray:
    """Moves for each place [n]: of macros that move it and as few others as any, the median of moves by places moved.

    What no macro moves is as hard as anything.
    """
    least = np.full(n, n + 1)
    np.minimum.at(least, place, moved[macro])
    simple, each = moved[macro] == least[place], length / np.maximum(moved, 1)
    medians = [np.median(each[macro[simple & (place == i)]]) if least[i] <= n else np.nan for i in range(n)]
    return np.nan_to_num(np.array(medians, np.float32), nan=np.nanmax(medians) if len(macro) else 0)


def _drawn(rng: np.random.Generator, follows: np.ndarray, n: int, length: int) -> np.ndarray:
    """Words [n, length] in which each move is one that follows [A, A] the one before."""
    words = np.empty((n, length), np.int64)
    words[:, 0] = rng.choice(np.flatnonzero(follows.any(axis=1)), size=n)
    order, many = np.argsort(~follows, axis=1, kind="stable"), follows.sum(axis=1)
    for t in range(1, length):
        before = words[:, t - 1]
        words[:, t] = order[before, rng.integers(many[before])]
    return words


def _exchanges(goes_to: np.ndarray, goal: np.ndarray, distinct: bool) -> np.ndarray:
    """What becomes of each action under the symmetries of a puzzle of generators [A, N], [M, A]."""
    names, look_alike, of = [str(a) for a in range(len(goes_to))], None if distinct else goal, goal if distinct else None
    puzzle = PermutationPuzzle("generators", goes_to, names, goal=look_alike, pieces=of)
    try:
        return find_symmetries(puzzle).actions
    except ValueError:  # there are too many to try
        return np.arange(len(goes_to))[None]


def _few(comes_from: np.ndarray, relations: Relations, orbit: np.ndarray, tried: np.ndarray) -> np.ndarray:
    """Those of words [B, L], without moves that cancel, that move few places, behind a hash of what they do and their kind.

    Words that move places of the same orbits are of a kind.
    """
    key, bit = np.random.default_rng(0).integers(2**62, size=len(orbit)), np.unique(orbit, return_inverse=True)[1]
    words = np.empty((len(tried), _LONGEST + 2), np.int64)
    over_rows(shorten, (comes_from, *relations, key, 1 << np.minimum(bit, 62), _PLACES), (tried, words))
    return words[words[:, 1] > 0]


def _shortest(found: list[np.ndarray]) -> np.ndarray:
    """Of words that do the same the shortest few."""
    words = np.unique(np.concatenate(found), axis=0)
    words = words[np.lexsort((_lengths(words), words[:, 0]))]
    return words[_ranks(words[:, 0]) < _WORDS]


def _of_each_kind(words: np.ndarray, most: int) -> np.ndarray:
    """The shortest words, at most so many, and as many of each kind where there are more."""
    words = words[np.lexsort((_lengths(words), words[:, 1]))]
    ranks = _ranks(words[:, 1])
    return words[np.argsort(ranks, kind="stable")[:most]]


def _ranks(sorted_keys: np.ndarray) -> np.ndarray:
    """How many of the same key come before each, of keys [B] in order."""
    first = np.append(np.flatnonzero(np.diff(sorted_keys, prepend=-1)), len(sorted_keys))
    return np.arange(len(sorted_keys)) - np.repeat(first[:-1], np.diff(first))


def _lengths(words: np.ndarray) -> np.ndarray:
    return (words[:, 2:] >= 0).sum(axis=1)


def _done_by(comes_from: np.ndarray, words: np.ndarray) -> np.ndarray:
    """What words [B, L] do: [B, N], where what gets to each place comes from."""
    source = np.tile(np.arange(comes_from.shape[1]), (len(words), 1))
    for step in words.T:
        on = np.flatnonzero(step >= 0)
        source[on] = np.take_along_axis(source[on], comes_from[step[on]], axis=1)
    return source


# Compiled ---------------------------------------------------------------------------------------------------------------


@jit
def shorten(comes_from, commute, inverse, order, key, bit, most, tried, words):
    """Words [B, L] without moves that cancel, behind a hash of what they do and their kind, 0 of those that are of no use.

    A kind has the bits of the places that a word moves, of which there may be `most`.
    """
    n = comes_from.shape[1]
    word, source, other = np.empty(tried.shape[1], np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    for b in range(tried.shape[0]):
        size = 0
        for a in tried[b]:
            if a >= 0:
                size = append(commute, inverse, order, word, size, a)
        words[b] = -1
        words[b, 1] = 0
        if size > words.shape[1] - 2:
            continue
        for t in range(size):  # of words that differ in the order of moves that commute always the same one
            j = t
            while j > 0 and word[j - 1] > word[j] and commute[word[j - 1], word[j]]:
                word[j - 1], word[j] = word[j], word[j - 1]
                j -= 1
        for i in range(n):
            source[i] = i
        for t in range(size):
            for i in range(n):
                other[i] = source[comes_from[word[t], i]]
            source, other = other, source
        moved, kind, does = 0, 0, 0
        for i in range(n):
            if source[i] != i:
                moved += 1
                kind |= bit[i]
            does += key[i] * source[i]
        if moved <= most:
            words[b, 0], words[b, 1] = does & (2**62 - 1), kind
            for t in range(size):
                words[b, t + 2] = word[t]
    return True
