"""Half of a cost-to-go for all children of a state at once: of tables over entries that moves take along whatever the rest is.

Where a state says where each piece is, a move takes an entry to a value that depends on its value before and on nothing else.
So it takes the index of a table over such entries to another one, and one look-up serves all children of a state if the weights
that an index gets by each of the moves stand side by side. The inverse of a state is not like that: what a move changes in it
depends on which pieces it turns. A network that reads both is cut in two so.

Letters: B batch, S state, E entries, V values, A actions, L look-ups, C classes of look-ups, W weights.
"""

from functools import partial

import numpy as np

from agents.general_ntuple.network import Look, Reader, ask_for, indices, looks, some_of, sums
from agents.general_ntuple.view import View, follows
from rubiks_gym.ntuple.look_ups import total
from rubiks_gym.puzzles import Puzzle
from rubiks_gym.puzzles.compiled import jit
from rubiks_gym.puzzles.threads import over_rows, side_by_side
from rubiks_gym.search.heuristic import DecomposedHeuristic

_LANES = 16  # bytes of a row are a multiple of it, so that few rows are spread over two lines of the cache
_FEW = 9  # actions: of so few children most would be looked at anyway
_MOST_BYTES = 800_000_000  # of weights side by side
_MOST_OF_A_CLASS = 256  # look-ups: the sum of so many bytes is a number of two
_AHEAD = 8  # states whose weights are asked for before they are read


def halves(
    puzzle: Puzzle,
    reader: Reader,
    tuples: list[tuple[int, ...]],
    bias: float,
    scale: float,
    weights: np.ndarray,
    states: np.ndarray,
) -> DecomposedHeuristic | None:
    """F of weights [W] int8 in two parts, found with some states [B, S]; None where that does not pay, or one is empty."""
    lanes = -(-puzzle.n_actions // _LANES) * _LANES
    if puzzle.n_actions <= _FEW or len(weights) * lanes > _MOST_BYTES or not puzzle.legal(states).all():
        return None
    view, after = reader.view, _after(puzzle, reader.view, states)
    seen = [_moves_seen(view, after, each, look) for each in tuples for look in looks(reader.images, each)]
    own = np.array([moves is not None for moves in seen])
    if own.all() or not own.any():
        return None
    classes, kind = np.unique([moves for moves in seen if moves is not None], axis=0, return_inverse=True)
    kind, lane = kind.ravel(), (classes.T + lanes * np.arange(len(classes))).astype(np.uint32)  # [A, C]: among their sums
    if np.bincount(kind).max() > _MOST_OF_A_CLASS:
        return None
    moved, others = (some_of(reader.look_ups, np.flatnonzero(some)) for some in (own, ~own))
    side, start, tasks = np.empty((len(weights), lanes), np.int8), 0, []
    for each in tuples:
        stop = start + int(np.prod(view.radix[list(each)]))
        if (after[list(each), 0] >= 0).all():
            tasks.append(partial(by_move, *_parts(view, after, each), weights[start:stop], side[start:stop]))
        start = stop
    side_by_side(tasks)

    def first(some: np.ndarray) -> np.ndarray:
        some = puzzle.as_states(some)
        out = np.empty((len(some), puzzle.n_actions), np.int32)
        if not over_rows(child_sums, (view, moved, kind, lane, side), (some, out)):
            puzzle.check(some)
        return np.float32(bias) + np.float32(scale) * out

    def second(some: np.ndarray) -> np.ndarray:
        some = puzzle.as_states(some)
        out = np.empty(len(some), np.int32)
        if not over_rows(sums, (view, others, weights), (some, out)):
            puzzle.check(some)
        return np.float32(scale) * out

    return DecomposedHeuristic(first, second, side.nbytes)


def _after(puzzle: Puzzle, view: View, states: np.ndarray) -> np.ndarray:
    """What becomes of each value of an entry by each action, [E, V, A] int16; -1 where that depends on other entries."""
    before, after = view.read(states), np.full((len(view.radix), int(view.radix.max()), puzzle.n_actions), -1, np.int16)
    for action in range(puzzle.n_actions):
        then = view.read(puzzle.apply(states, np.full(len(states), action)))
        for e in range(len(view.radix)):
            image = follows(before[:, e], then[:, e])
            if image is not None:
                after[e, :, action] = image[: after.shape[1]]
    after[(after < 0).any(axis=(1, 2))] = -1
    return after


def _moves_seen(view: View, after: np.ndarray, each: tuple[int, ...], look: Look) -> np.ndarray | None:
    """Which action on what a table over entries sees each action is to a look-up of it, [A]; None if some are not one."""
    if (after[look.entries, 0] < 0).any() or (after[list(each), 0] < 0).any():
        return None
    pairs = [(e, image, values[: view.radix[e]]) for e, image, values in zip(look.entries, each, look.values, strict=True)]
    known: dict[bytes, int] = {}
    for action in range(after.shape[2]):
        known.setdefault(b"".join(after[image, values, action].tobytes() for _, image, values in pairs), action)
    found = [
        known.get(b"".join(values[after[e, : len(values), action]].astype(np.int16).tobytes() for e, _, values in pairs), -1)
        for action in range(after.shape[2])
    ]
    return np.array(found) if min(found) >= 0 else None


def _parts(view: View, after: np.ndarray, each: tuple[int, ...]) -> list[np.ndarray]:
    """What the last and the first half of a table's digits add to its index after each action, [ways, A] uint32 each."""
    strides, halves = np.cumprod([1, *view.radix[list(each)]]), []
    for digits in (range(len(each) // 2, len(each)), range(len(each) // 2)):
        part = np.zeros((1, after.shape[2]), np.uint32)
        for j in digits:  # the first digit counts least
            new = after[each[j], : view.radix[each[j]]].astype(np.uint32) * np.uint32(strides[j])
            part = (new[:, None] + part[None]).reshape(-1, after.shape[2])
        halves.append(part)
    return halves


# Compiled ---------------------------------------------------------------------------------------------------------------


@jit
def by_move(high, low, weights, out):
    """The weights [H * L] int8 of a table that an entry gets by each action into out [H * L, lanes]; the surplus is arbitrary.

    high [H, A] and low [L, A] uint32: what the digits of an index h * L + l add to the one that it becomes.
    """
    n = low.shape[0]
    for h in range(high.shape[0]):
        for i in range(n):
            row = out[h * n + i]
            for a in range(high.shape[1]):
                row[a] = weights[high[h, a] + low[i, a]]
    return True


@jit
def child_sums(view, look_ups, kind, lane, weights, states, out):
    """The sums of look-ups for all children of states [B, S] into out [B, A] int32; False if a state has impossible values.

    weights [W, lanes] int8 as `by_move` makes them. What an action is to a look-up differs by its class, kind [L], so sums are
    kept apart by class until all are there; lane [A, C] says where an action is among them.
    """
    index, n = np.empty((_AHEAD, look_ups.offset.shape[0]), np.uint32), look_ups.n
    apart = np.empty((lane.shape[1], weights.shape[1]), np.int16)  # see _MOST_OF_A_CLASS
    flat = apart.reshape(-1)
    for start in range(0, states.shape[0], _AHEAD):
        stop = min(start + _AHEAD, states.shape[0])
        if not indices(view, look_ups, states, start, stop, index):
            return False
        ask_for(weights, index, stop - start, n)
        for b in range(stop - start):
            apart[:] = 0
            for k in range(n):
                row, part = weights[index[b, k]], apart[kind[k]]
                for j in range(np.uint64(weights.shape[1])):
                    part[j] += row[j]
            for a in range(lane.shape[0]):
                out[start + b, a] = total(flat, lane[a], np.int32(0))
    return True
