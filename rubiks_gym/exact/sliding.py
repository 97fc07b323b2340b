"""Shortest solutions of sliding tiles, proven: iterative deepening with additive pattern databases (Korf and Felner 2002).

The tiles are cut into groups. For every way in which the tiles of a group can lie, a table has the fewest slides of these
tiles alone that bring them home; since no slide moves two tiles, the sum over all groups is a lower bound. On a square board
the transposed board has a bound too, and the larger one counts. Every slide changes the parity of distance and bound alike, so
that only every second length has to be tried.
Letters: n places, k tiles of a group, G groups, B states.
"""

import time
from collections.abc import Sequence

import numpy as np

from rubiks_gym import files
from rubiks_gym.checks import number
from rubiks_gym.exact.optimal import Proof
from rubiks_gym.exact.table import cache_folder
from rubiks_gym.puzzles import Puzzle, SlidingTile
from rubiks_gym.puzzles.compiled import inner, jit
from rubiks_gym.puzzles.puzzle import hash_of

_ENTRIES = 1 << 24  # of a table at most: six tiles of the 15-puzzle, five of the 24-puzzle
_NODES = 1 << 20  # states looked at before the clock is looked at
_DEEPEST = 1000  # moves of a solution at most
_GROUPS = {(4, 4): ((1, 5, 6, 9, 10, 13), (7, 8, 11, 12, 14, 15), (2, 3, 4))}  # Korf and Felner's


def groups_of(rows: int, columns: int) -> tuple[tuple[int, ...], ...]:
    """The tiles of each group: known ones, else as many as a table has room for, down one pair of columns after another."""
    n, size = rows * columns, 1
    while n ** (size + 1) <= _ENTRIES and size < -(-(n - 1) // 2):
        size += 1
    places = sorted(range(n - 1), key=lambda place: (place % columns // 2, place // columns, place % columns))
    found = [tuple(place + 1 for place in places[i : i + size]) for i in range(0, n - 1, size)]
    return _GROUPS.get((rows, columns), tuple(found))


class SlidingSolver:
    """Shortest solutions of sliding tiles, with proof; the 15-puzzle takes a fraction of a second, larger boards up to years.

    The tables are built on first use, in seconds, and kept in the user's cache.
    """

    def __init__(self, puzzle: Puzzle) -> None:
        if not isinstance(puzzle, SlidingTile) or puzzle.state_size > 32:
            raise ValueError(f"this solver is for sliding tiles on at most 32 places, not for {puzzle.name}")
        self.puzzle, n = puzzle, puzzle.state_size
        groups = groups_of(puzzle.rows, puzzle.columns)
        sizes = [n ** len(group) for group in groups]
        key = hash_of(f"additive 1 {puzzle.rows} {puzzle.columns} {groups}")

        def is_right(arrays: dict[str, np.ndarray]) -> bool:
            table = arrays.get("bounds")
            return table is not None and table.dtype == np.uint8 and table.shape == (sum(sizes),)

        def make() -> dict[str, np.ndarray]:
            return {"bounds": np.concatenate([build(puzzle, group) for group in groups])}

        self._table = files.kept(cache_folder() / f"bounds-{puzzle.name}.npz", key, make, is_right)["bounds"]
        group, weight = np.zeros(n, np.int64), np.zeros(n, np.int64)  # of each tile: its group, and its digit's weight there
        for g, tiles in enumerate(groups):
            for digit, tile in enumerate(tiles):
                group[tile], weight[tile] = g, n**digit
        starts = np.cumsum([0, *sizes[:-1]])
        places = np.arange(n).reshape(puzzle.rows, puzzle.columns).T.ravel() if puzzle.rows == puzzle.columns else np.arange(n)
        mirror = np.argsort(places)  # of places; tile t is at home at place t - 1
        mirror_tile = np.concatenate([[0], mirror[:-1] + 1])
        self._tables = (puzzle._comes_from, self._table, starts, group, weight, mirror, mirror_tile)

    def bounds(self, states: np.ndarray) -> np.ndarray:
        """Moves [B] int64 that states [B, S] are away from the goal at least."""
        states = self.puzzle.check(states)
        out = np.empty(len(states), np.int64)
        _bounds(*self._tables[1:], states, out)
        return out

    def solve(self, states: np.ndarray, seconds: float = np.inf) -> Proof:
        """A shortest solution of each of states [B, S]; after so many seconds for a state, what is known of it by then."""
        if seconds != np.inf:
            number(above=0, seconds=seconds)
        states, lower = self.puzzle.check(states), self.bounds(states)
        rows = [self._solve(state, int(bound), seconds) for state, bound in zip(states, lower, strict=True)]
        moves = [row[0] for row in rows]
        proven = np.array([each is not None for each in moves], bool)
        upper = np.array([-1 if each is None else len(each) for each in moves], np.int64)
        lower, nodes = (np.array([row[i] for row in rows], np.int64) for i in (1, 2))
        return Proof(moves, proven, lower, upper, nodes, np.array([row[3] for row in rows], float))

    def _solve(self, state: np.ndarray, limit: int, seconds: float) -> tuple[list[int] | None, int, int, float]:
        """The solution or None, what no solution is shorter than, states looked at, and seconds."""
        start, looked_at = time.perf_counter(), 0
        path = np.full(_DEEPEST, -1, np.int64)
        while limit < _DEEPEST:
            progress = np.zeros(2, np.int64)  # depth, and whether the search is under way
            scratch = state.copy(), path, progress
            path[:] = -1
            while True:
                found, nodes = _deepen(*self._tables, self.puzzle.inverse_action, limit, _NODES, *scratch)
                looked_at += nodes
                if found >= 0:
                    return path[:found].tolist(), limit, looked_at, time.perf_counter() - start
                if found == _NONE:
                    break
                if time.perf_counter() - start > seconds:
                    return None, limit, looked_at, time.perf_counter() - start
            limit += 2
        return None, limit, looked_at, time.perf_counter() - start


class SlidingBounds:
    """Lower bounds of sliding tiles as an agent: what a search is guided by where nothing has been learnt."""

    SEARCH = {"search": "bwas", "option": ("batch=1000",)}  # A*, but for the last batch: mostly optimal

    def __init__(self, puzzle: SlidingTile) -> None:
        self.puzzle, self.solver = puzzle, SlidingSolver(puzzle)

    def cost_to_go(self, states: np.ndarray) -> np.ndarray:
        """Moves to the goal at least, [B]."""
        return self.solver.bounds(states).astype(np.float32)


_NONE, _MORE = -1, -2


@inner
def _indices(starts, group, weight, mirror, mirror_tile, state, index):
    """Where the tables have the groups of a state [S] and of its mirror image, into index [2, G]."""
    for g in range(starts.shape[0]):
        index[0, g] = index[1, g] = starts[g]
    for place in range(state.shape[0]):
        tile = state[place]
        if tile:
            index[0, group[tile]] += weight[tile] * place
            index[1, group[mirror_tile[tile]]] += weight[mirror_tile[tile]] * mirror[place]


@inner
def _bound(table, index):
    """The larger of the two sums."""
    own, mirrored = np.int64(0), np.int64(0)
    for g in range(index.shape[1]):
        own += table[index[0, g]]
        mirrored += table[index[1, g]]
    return max(own, mirrored)


@jit
def _bounds(table, starts, group, weight, mirror, mirror_tile, states, out):
    index = np.empty((2, starts.shape[0]), np.int64)
    for b in range(states.shape[0]):
        _indices(starts, group, weight, mirror, mirror_tile, states[b], index)
        out[b] = _bound(table, index)


@jit
def _deepen(comes_from, table, starts, group, weight, mirror, mirror_tile, inverse, limit, most, state, path, progress):
    """Go on with a depth-first search for a solution of `limit` moves: its length, _NONE, or _MORE after `most` states.

    The state [S] is changed in place; path [D] has the actions so far and, behind them, what was tried last; progress is
    the depth, and whether the search is under way.
    """
    index = np.empty((2, starts.shape[0]), np.int64)
    _indices(starts, group, weight, mirror, mirror_tile, state, index)
    depth, nodes, blank = progress[0], 0, 0
    while state[blank]:
        blank += 1
    if not progress[1]:
        progress[1] = 1
        bound = _bound(table, index)
        if bound == 0:
            return np.int64(0), np.int64(1)
        if bound > limit:
            return np.int64(_NONE), np.int64(1)
    while True:
        if nodes >= most:
            progress[0] = depth
            return np.int64(_MORE), np.int64(nodes)
        action = path[depth] + 1
        going = False
        while action < comes_from.shape[1]:
            place = comes_from[blank, action]
            if place >= 0 and not (depth and action == inverse[path[depth - 1]]):
                tile = state[place]
                seen = mirror_tile[tile]
                by, by_mirror = weight[tile] * (blank - place), weight[seen] * (mirror[blank] - mirror[place])
                index[0, group[tile]] += by
                index[1, group[seen]] += by_mirror
                nodes += 1
                bound = _bound(table, index)
                if depth + 1 + bound <= limit:
                    path[depth] = action
                    state[blank], state[place] = tile, 0
                    blank = place
                    depth += 1
                    going = True
                    break
                index[0, group[tile]] -= by
                index[1, group[seen]] -= by_mirror
            action += 1
        if going:
            if bound == 0:
                return depth, np.int64(nodes)
            path[depth] = -1
            continue
        if depth == 0:
            return np.int64(_NONE), np.int64(nodes)
        depth -= 1  # take the last move back
        place = comes_from[blank, inverse[path[depth]]]
        tile = state[place]
        seen = mirror_tile[tile]
        index[0, group[tile]] += weight[tile] * (blank - place)
        index[1, group[seen]] += weight[seen] * (mirror[blank] - mirror[place])
        state[blank], state[place] = tile, 0
        blank = place


# The tables -----------------------------------------------------------------------------------------------------------


def build(puzzle: SlidingTile, tiles: Sequence[int]) -> np.ndarray:
    """The fewest slides of some tiles [k] that bring them home, [n^k] uint8: entry sum(place of tile i * n^i)."""
    n, k = puzzle.state_size, len(tiles)
    slides = np.full(n**k, 255, np.uint8)
    kind = np.uint16 if n <= 16 else np.uint32  # a bit for each place of the blank
    seen, waiting, later = (np.zeros(n**k, kind) for _ in range(3))
    room = int(np.prod(range(n - k + 1, n + 1), dtype=np.int64))
    homes = np.array(tiles, np.int64) - 1
    _spread(puzzle.rows, puzzle.columns, homes, seen, waiting, later, np.empty((2, room), np.int64), slides)
    return slides


@jit
def _spread(rows, columns, homes, seen, waiting, later, queues, slides):
    """Breadth first from the goal: for every way that the tiles lie, the places of the blank that were met, as bits of seen.

    The blank goes anywhere among other tiles for nothing; a slide of one of the tiles costs 1.
    """
    n, k = rows * columns, homes.shape[0]
    every = np.int64((1 << n) - 1)
    first, last = np.int64(0), np.int64(0)  # columns, as bits
    for row in range(rows):
        first |= np.int64(1) << (row * columns)
        last |= np.int64(1) << (row * columns + columns - 1)
    weight, at = np.ones(k, np.int64), np.empty(k, np.int64)
    for i in range(1, k):
        weight[i] = weight[i - 1] * n
    goal = np.int64(0)
    for i in range(k):
        goal += homes[i] * weight[i]
    waiting[goal] = np.int64(1) << (n - 1)
    queues[0, 0] = goal
    count, turn, cost = 1, 0, 0
    while count:
        following = 0
        for q in range(count):
            pattern = queues[turn, q]
            taken, rest = np.int64(0), pattern
            for i in range(k):
                at[i] = rest % n
                rest //= n
                taken |= np.int64(1) << at[i]
            blanks = np.int64(waiting[pattern])
            waiting[pattern] = 0
            blanks &= ~np.int64(seen[pattern])
            if not blanks:
                continue
            while True:
                sideways = (blanks & ~last) << 1 | (blanks & ~first) >> 1
                more = (blanks | sideways | blanks << columns | blanks >> columns) & every & ~taken
                if more == blanks:
                    break
                blanks = more
            seen[pattern] |= blanks
            if slides[pattern] == 255:
                slides[pattern] = cost
            for i in range(k):
                here = np.int64(1) << at[i]
                near = (here & ~last) << 1 | (here & ~first) >> 1 | here << columns | here >> columns
                near &= blanks
                while near:
                    bit = near & -near
                    near ^= bit
                    place = 0
                    while bit >> place != 1:
                        place += 1
                    other = pattern + (place - at[i]) * weight[i]
                    if not np.int64(seen[other]) & here:
                        if not later[other]:
                            queues[1 - turn, following] = other
                            following += 1
                        later[other] |= here
        waiting, later = later, waiting
        count, turn, cost = following, 1 - turn, cost + 1
