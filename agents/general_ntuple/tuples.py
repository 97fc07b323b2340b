"""Which entries the tables look at: sets that moves tend to leave together or take along together, so many that all are seen.

A set of entries is worth a table if a move that changes one of them tends to change the others too. On a cube these are
neighbouring pieces, on a board neighbouring places. Sets are grown from pairs of entries that change together, one entry at a
time, and those are taken first whose entries (with their images under the symmetries of the puzzle) are seen least. There are
tables of several sizes: small ones learn fast and know little, large ones the other way round. If there is an inverse view
that is no image of the other one, each set is looked for in both: what is at these places, and where that is which belongs
there. Where some moves are illegal and one entry tells which, every table looks at that one too.

Letters: P patterns, E entries, A actions, B batch.
"""

from typing import NamedTuple

import numpy as np

from agents.general_ntuple.symmetry import Images
from agents.general_ntuple.view import View, follows
from rubiks_gym.puzzles import Puzzle

_STATES = 64  # whose moves are looked at
_LARGEST = 16  # entries of a tuple at most
MOST_WEIGHTS = 1 << 30  # of all tables


class Budget(NamedTuple):
    """How much the tables may take."""

    table: int  # weights of one table
    weights: int  # of all tables
    sizes: int  # how many sizes of tuples there are
    coverage: int  # how many tuples of each size are to see every entry
    tables: int  # of each size at least


def choose_tuples(puzzle: Puzzle, view: View, images: Images, states: np.ndarray, budget: Budget) -> list[tuple[int, ...]]:
    """Tuples of entries of a view, large ones first."""
    always = _legality(puzzle, view, states)
    patterns, counts = np.unique(_patterns(puzzle, view, images, states), axis=0, return_counts=True)
    share = counts / counts.sum()
    room = budget.table // _size(view, always)
    most = 1
    while most < min(view.first, _LARGEST) and np.sort(view.radix[: view.first])[: most + 1].prod() <= room:
        most += 1
    found: list[tuple[int, ...]] = []
    left = budget.weights
    home = _home(puzzle, view) if not images.inversion else None
    for size in range(max(most - budget.sizes, 0) + 1, most + 1):  # small ones first: they take little, and see most states
        sets = _covering(view, images, patterns.astype(np.int64), share, size, budget, room)
        for each in sets if home is None else [both for one in sets for both in (one, tuple(home[list(one)].tolist()))]:
            with_always = tuple(dict.fromkeys((*always, *each)))  # first: then most children read where their siblings did
            if with_always not in found and _size(view, with_always) <= left:
                left -= _size(view, with_always)
                found.append(with_always)
    return sorted(found, key=len, reverse=True)


def _home(puzzle: Puzzle, view: View) -> np.ndarray | None:
    """The entry [n] of the inverse view that says where what belongs to each entry is, if there is such a view."""
    home = view.slot[np.arange(view.first), view.read(puzzle.goal[None])[0, : view.first]]
    return home.astype(np.int64) if (home >= 0).all() else None


def _size(view: View, entries: tuple[int, ...]) -> int:
    """The weights of a table."""
    return int(np.prod([int(view.radix[e]) for e in entries], dtype=object))


def _patterns(puzzle: Puzzle, view: View, images: Images, states: np.ndarray) -> np.ndarray:
    """Which entries [P, E] change together in a move.

    Where an entry says where a piece is, what matters is which pieces are neighbours at home: moves from the goal tell.
    """
    some = puzzle.goal[None] if images.inversion else states[-_STATES:]
    children, legal = puzzle.expand(some), puzzle.legal(some)
    x = view.read(children.reshape(-1, puzzle.state_size)).reshape(*children.shape[:2], -1)[:, :, : view.first]
    return (x != view.read(some)[:, None, : view.first])[legal]


def _legality(puzzle: Puzzle, view: View, states: np.ndarray) -> tuple[int, ...]:
    """The entry that tells which actions are legal, if some are not and one entry does."""
    legal = puzzle.legal(states)
    if legal.all():
        return ()
    _, kinds = np.unique(legal, axis=0, return_inverse=True)
    x = view.read(states)
    tells = [e for e in range(x.shape[1]) if len(np.unique(kinds)) <= 256 and follows(x[:, e], kinds.ravel()) is not None]
    return tuple(tells[:1])


def _covering(
    view: View, images: Images, patterns: np.ndarray, share: np.ndarray, size: int, budget: Budget, most: int
) -> list[tuple[int, ...]]:
    """Sets of one size, those first that see what others do not."""
    candidates: dict[frozenset[int], tuple[float, tuple[int, ...], np.ndarray]] = {}
    together = (patterns * share[:, None]).T @ patterns  # [n, n] how often two change together
    alike = np.array([images.source[:, e].min() for e in range(view.first)])  # entries with the same lowest image
    starts = [[int(e)] for e in np.unique(alike)]
    if size > 1:
        starts = [[e, other] for (e,) in starts for other in np.flatnonzero(together[e]).tolist() if other != e] or [[0]]
    for start in starts:
        grown = _grow(view, patterns, share, start, size, most)
        if grown is None or frozenset(grown[0]) in candidates:
            continue
        entries, score = grown
        seen = np.zeros(len(view.radix))
        for image in {frozenset(source[entries].tolist()) for source in images.source}:
            candidates.setdefault(image, (-np.inf, (), seen))  # an image of one is no other
            seen[list(image)] += 1
        candidates[frozenset(entries)] = (score, tuple(sorted(entries)), seen)
    pool = [each for each in candidates.values() if each[1]]
    taken: list[tuple[int, ...]] = []
    covered, needed = np.zeros(len(view.radix)), np.zeros(len(view.radix), bool)
    for _, _, seen in pool:
        needed |= seen > 0
    while pool and (len(taken) < budget.tables or covered[needed].min(initial=budget.coverage) < budget.coverage):
        best = min(range(len(pool)), key=lambda i: (covered[list(pool[i][1])].mean().round(6), -pool[i][0], pool[i][1]))
        _, chosen, seen = pool.pop(best)
        covered += seen
        taken.append(chosen)
    return taken


def _grow(
    view: View, patterns: np.ndarray, share: np.ndarray, start: list[int], size: int, most: int
) -> tuple[list[int], float] | None:
    """The set that grows from some entries, the best next one at a time, with its score; None if its table gets too large."""
    entries = list(start)
    while True:
        room = most // _size(view, tuple(entries))
        if room < 1:
            return None
        count = patterns[:, entries].sum(axis=1)
        if len(entries) == size:
            return entries, float(_cohesion(count[:, None], share, size)[0])
        score = _cohesion(count[:, None] + patterns, share, len(entries) + 1)
        score[entries] = -np.inf
        score[view.radix[: view.first] > room] = -np.inf
        if score.max() == -np.inf:
            return None
        entries.append(int(score.argmax()))


def _cohesion(count: np.ndarray, share: np.ndarray, size: int) -> np.ndarray:
    """How much of a set a move changes with any one of it, on average, [n], for entries changed [P, n] of sets of a size."""
    touched = count > 0
    weight = np.maximum((touched * share[:, None]).sum(axis=0), 1e-9)
    return (np.where(touched, count - 1, 0) * share[:, None]).sum(axis=0) / weight / max(size - 1, 1)
