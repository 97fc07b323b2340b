"""Which entries the tables look at: sets that moves tend to leave together or take along together, so many that all are seen.

A set of entries is worth a table if a move that changes one of them tends to change the others too. On a cube these are
neighbouring pieces, on a board neighbouring places. Sets are grown one entry at a time while the table has room: where all
entries are of one kind, from pairs of entries that change together; where there are several kinds, corners and edges say, to
every composition of them (two corners and three edges, ...). Those are taken first whose entries (with their images under the
symmetries of the puzzle) are seen least. There are tables of several sizes: small ones learn fast and know little, large ones
the other way round. If there is an inverse view that is no image of the other one, each set is looked for in both: what is at
these places, and where that is which belongs there, as far as that is like nothing else. Where some moves are illegal and one
entry tells which, small tables look at that one and each other. Larger ones do not: everything would have to be learnt once for
each of its values.

Letters: P patterns, E entries, A actions, B batch.
"""

from typing import NamedTuple

import numpy as np

from agents.general_ntuple.symmetry import Images
from agents.general_ntuple.view import View, follows
from rubiks_gym.puzzles import Puzzle
from rubiks_gym.puzzles.permutation import PermutationPuzzle

_STATES = 64  # whose moves are looked at
_SMALLER = 8  # tables of the next size have at most one weight for so many of the largest of this size
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
    patterns, counts = np.unique(_patterns(puzzle, view, images, states), axis=0, return_counts=True)
    share = counts / counts.sum()
    kinds = _kinds(puzzle, view)
    # Where a move changes one entry and can always be made, entries have nothing to do with each other: a table for each.
    table = int(view.radix.max()) if (patterns.sum(axis=1) <= 1).all() and puzzle.legal(states).all() else budget.table
    found: list[tuple[int, ...]] = []
    left = budget.weights
    home = _home(puzzle, view) if not images.inversion else None
    of_sizes: list[list[tuple[int, ...]]] = []
    room = table
    while len(of_sizes) < budget.sizes and (
        sets := _covering(view, images, patterns.astype(np.int64), share, kinds, budget, room)
    ):
        of_sizes.append(sets)
        room = max(_size(view, each) for each in sets) // _SMALLER
    wanted = _with_legality(puzzle, view, images, states)
    for sets in reversed(of_sizes):  # small ones first: they take little, and see most states
        wanted += sets if home is None else [both for one in sets for both in (one, tuple(home[list(one)].tolist()))]
    for each in wanted:
        if each not in found and _size(view, each) <= left:
            left -= _size(view, each)
            found.append(each)
    return sorted(found, key=len, reverse=True)


def _home(puzzle: Puzzle, view: View) -> np.ndarray | None:
    """The entry [n] that says where what belongs to each entry is, or itself where that has no place of its own.

    None if there is no inverse view.
    """
    home = view.slot[np.arange(view.first), view.read(puzzle.goal[None])[0, : view.first]].astype(np.int64)
    return np.where(home >= 0, home, np.arange(view.first)) if len(view.radix) > view.first else None


def _kinds(puzzle: Puzzle, view: View) -> np.ndarray:
    """A number [n] for each entry, the same for those whose pieces moves exchange; 0 where moves are no permutations."""
    if not isinstance(puzzle, PermutationPuzzle):
        return np.zeros(view.first, np.int64)
    orbit = puzzle._orbit_of[puzzle.goal] if puzzle.distinct else puzzle._orbit_of
    return np.minimum.reduceat(orbit[view.places], view.starts[:-1])


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


def _with_legality(puzzle: Puzzle, view: View, images: Images, states: np.ndarray) -> list[tuple[int, ...]]:
    """The entry that tells which actions are legal, if some are not and one does, with each other entry; images left out."""
    legal = puzzle.legal(states)
    if legal.all():
        return []
    _, kinds = np.unique(legal, axis=0, return_inverse=True)
    x = view.read(states)
    tells = [e for e in range(x.shape[1]) if len(np.unique(kinds)) <= 256 and follows(x[:, e], kinds.ravel()) is not None]
    others = [e for e in np.unique(images.source.min(axis=0)).tolist() if e not in tells]
    return [(tells[0], e) for e in others] if tells else []


def _covering(
    view: View, images: Images, patterns: np.ndarray, share: np.ndarray, kinds: np.ndarray, budget: Budget, room: int
) -> list[tuple[int, ...]]:
    """Sets of one size, those first that see what others do not; as many at least as there are pairs of kinds."""
    several = len(np.unique(kinds))
    grow = _of_every_composition if several > 1 else _around_pairs
    candidates: dict[frozenset[int], tuple[float, tuple[int, ...], np.ndarray]] = {}
    for entries in grow(view, images, patterns, share, kinds, room):
        if not entries or frozenset(entries) in candidates:
            continue
        seen = np.zeros(len(view.radix))
        for image in {frozenset(source[entries].tolist()) for source in images.source}:
            candidates.setdefault(image, (-np.inf, (), seen))  # an image of one is no other
            seen[list(image)] += 1
        candidates[frozenset(entries)] = (_score(patterns, share, entries), tuple(sorted(entries)), seen)
    pool = [each for each in candidates.values() if each[1]]
    taken: list[tuple[int, ...]] = []
    covered, needed = np.zeros(len(view.radix)), np.zeros(len(view.radix), bool)
    for _, _, seen in pool:
        needed |= seen > 0
    least = max(budget.tables, several * (several + 1) // 2)
    while pool and (len(taken) < least or covered[needed].min(initial=budget.coverage) < budget.coverage):
        # What is seen often enough already is no reason any more to prefer one set to another.
        lacking = np.minimum(covered, budget.coverage)
        best = min(range(len(pool)), key=lambda i: (lacking[list(pool[i][1])].mean().round(6), -pool[i][0], pool[i][1]))
        _, chosen, seen = pool.pop(best)
        covered += seen
        taken.append(chosen)
    return taken


def _around_pairs(
    view: View, images: Images, patterns: np.ndarray, share: np.ndarray, kinds: np.ndarray, room: int
) -> list[list[int]]:
    """Sets grown from pairs of entries that change together, one of each pair being the lowest of its images."""
    together = (patterns * share[:, None]).T @ patterns  # [n, n] how often two change together
    lowest = np.unique(images.source[:, : view.first].min(axis=0)).tolist()
    pairs = [[e, other] for e in lowest for other in np.flatnonzero(together[e]).tolist() if other != e]
    one, all_of_it = np.zeros_like(kinds), np.full(1, view.first)
    return [_grown(view, patterns, share, start, one, all_of_it, room) for start in pairs or [[e] for e in lowest]]


def _of_every_composition(
    view: View, images: Images, patterns: np.ndarray, share: np.ndarray, kinds: np.ndarray, room: int
) -> list[list[int]]:
    """Of each composition of kinds that leaves no room for one more the best set grown from any one entry, best ones first."""
    _, kind, count = np.unique(kinds, return_inverse=True, return_counts=True)
    radix = np.array([view.radix[: view.first][kind == k].max() for k in range(len(count))])
    firsts = np.unique(kind, return_index=True)[1]
    best = []
    for composition in _compositions(radix, count, room):
        grown = [_grown(view, patterns, share, [int(e)], kind, composition, room) for e in firsts[composition > 0]]
        best.append(max(grown, key=lambda entries: _score(patterns, share, entries)))
    return best


def _compositions(radix: np.ndarray, count: np.ndarray, room: int) -> list[np.ndarray]:
    """How many entries of each kind [K] a table may look at, with values radix [K] each, so that no more of any kind fit."""
    found = [np.zeros(0, np.int64)]
    for r, most in zip(radix, count, strict=True):
        fit = [n for n in range(most + 1) if float(r) ** n <= room]
        found = [np.append(some, n) for some in found for n in fit]
        found = [some for some in found if (radix[: len(some)].astype(float) ** some).prod() <= room]
    sizes = [(radix.astype(float) ** each).prod() for each in found]
    return [each for each, size in zip(found, sizes, strict=True) if each.any() and (size * radix[each < count] > room).all()]


def _grown(
    view: View, patterns: np.ndarray, share: np.ndarray, start: list[int], kind: np.ndarray, quota: np.ndarray, room: int
) -> list[int]:
    """The set that grows from some entries, the best next one at a time, up to quota [K] of each kind while there is room."""
    entries: list[int] = []
    while True:
        left = room // _size(view, tuple(entries))
        count = patterns[:, entries].sum(axis=1)
        score = _cohesion(count[:, None] + patterns, share, len(entries) + 1)
        score[entries] = -np.inf
        full = np.bincount(kind[entries], minlength=len(quota)) >= quota
        score[full[kind] | (view.radix[: view.first] > left)] = -np.inf
        best = start[len(entries)] if len(entries) < len(start) else int(score.argmax())
        if score[best] == -np.inf:
            return entries
        entries.append(best)


def _score(patterns: np.ndarray, share: np.ndarray, entries: list[int]) -> float:
    """The cohesion of one set."""
    return float(_cohesion(patterns[:, entries].sum(axis=1, keepdims=True), share, len(entries))[0])


def _cohesion(count: np.ndarray, share: np.ndarray, size: int) -> np.ndarray:
    """How much of a set a move changes with any one of it, on average, [n], for entries changed [P, n] of sets of a size."""
    touched = count > 0
    weight = np.maximum((touched * share[:, None]).sum(axis=0), 1e-9)
    return (np.where(touched, count - 1, 0) * share[:, None]).sum(axis=0) / weight / max(size - 1, 1)
