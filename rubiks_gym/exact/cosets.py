"""A lower bound for the 3x3x3: how far is it to the subgroup in which only <U, D, R2, F2, L2, B2> is left to do?

That question looks at a part of the cube only (Kociemba 1992, Reid 1997): how every corner is twisted, how every edge is
flipped, and where the four edges of the middle layer are. These are coordinates, small numbers that a move takes to other small
numbers by a table:

    twist  3^7 = 2,187            orientation of the corner at each position
    flip   2^11 = 2,048           orientation of the edge at each position
    slice  495 * 24 = 11,880      which positions the four middle edges are in (495), and in which order (24)

Flip and the 495 places are taken together and read through the 16 symmetries of the cube that leave the axis from U to D where
it is: 64,430 symmetry classes of 1,013,760. A page of the table belongs to each class, with an entry for every order and twist;
3.4 billion entries of two bits, 845 MB. An entry is the distance modulo 3, which is enough: a move changes the distance by at
most one, so who knows it for a state knows it for its children. Distances above `exact` are stored as 3, "more than exact".

A move takes a page to a page, and where entries go within it depends on the pages alone. So the breadth-first search that fills
the table goes from page to page, and both fit the processor's cache.

Nothing is typed in: coordinates are numbered here, moves and symmetries are the puzzle's own. Other axes are this one after a
rotation of the cube. Letters: A actions, C classes, B batch.
"""

from collections.abc import Callable
from functools import partial
from itertools import combinations, pairwise, permutations
from typing import NamedTuple

import numpy as np

from rubiks_gym import files
from rubiks_gym.exact.table import cache_folder
from rubiks_gym.puzzles import Cube
from rubiks_gym.puzzles.compiled import jit
from rubiks_gym.puzzles.puzzle import hash_of
from rubiks_gym.puzzles.threads import get_num_threads, side_by_side

TWISTS, FLIPS, PLACES, ORDERS = 3**7, 2**11, 495, 24
FAR = 3  # entry of a coset that is more than `exact` moves away
MIDDLE = slice(4, 8)  # positions of the middle layer's edges: geometry numbers edges from the top down
_CHUNK = 1 << 15


# Coordinates of states [B, 20], each [B] ------------------------------------------------------------------------------------


def twist_of(states: np.ndarray) -> np.ndarray:
    """Twists of the corners at positions 0..6; that of the eighth follows."""
    return _TWIST[states[:, :8]].sum(axis=1)


def flip_of(states: np.ndarray) -> np.ndarray:
    """Flips of the edges at positions 0..10; that of the twelfth follows."""
    return _FLIP[states[:, 8:]].sum(axis=1)


def slice_of(states: np.ndarray) -> np.ndarray:
    """Where the middle edges are: place of the set of their positions, times 24, and their order there."""
    return _SLICE[(states[:, 8:][:, MIDDLE].astype(np.int64) - 24) // 2 @ _BASE]


def corners_of(states: np.ndarray) -> np.ndarray:
    """The permutation of the corners, 0..40319; 0 if all are at home."""
    positions = states[:, :8].astype(np.int64) // 3
    rank = np.zeros(len(states), np.int64)
    for i in range(8):
        rank = rank * (8 - i) + (positions[:, i + 1 :] < positions[:, i, None]).sum(axis=1)
    return rank


def odd_corners(states: np.ndarray) -> np.ndarray:
    """Whether the corners' permutation is odd [B] bool: every quarter turn changes that."""
    positions = states[:, :8].astype(np.int64) // 3
    return (np.triu(positions[:, :, None] > positions[:, None, :]).sum(axis=(1, 2)) % 2).astype(bool)


_LOCATIONS = np.arange(48)  # of a piece: three at each of 8 positions of corners, then two at each of 12 of edges
_TWIST = np.where(_LOCATIONS < 21, _LOCATIONS % 3 * 3 ** (_LOCATIONS // 3 % 7), 0)
_FLIP = np.where((_LOCATIONS >= 24) & (_LOCATIONS < 46), _LOCATIONS % 2 << (_LOCATIONS // 2 - 12) % 11, 0)
_BASE = 12 ** np.arange(4)
_MIDDLES = np.array(list(combinations(range(12), 4)))[:, list(permutations(range(4)))].reshape(-1, 4)  # positions by slice
_SLICE = np.zeros(12**4, np.int64)
_SLICE[_MIDDLES @ _BASE] = np.arange(PLACES * ORDERS)


# States [B, 20] that have given coordinates [B]; what else they are does not matter, some are no real cubes ------------------


def _home(n: int) -> np.ndarray:
    return np.tile(np.concatenate([np.arange(0, 24, 3), np.arange(24, 48, 2)]).astype(np.uint8), (n, 1))


def with_twist(twist: np.ndarray) -> np.ndarray:
    """Corners at home, twisted."""
    states, digits = _home(len(twist)), twist[:, None] // 3 ** np.arange(7) % 3
    states[:, :7] += digits.astype(np.uint8)
    states[:, 7] += (-digits.sum(axis=1) % 3).astype(np.uint8)
    return states


def with_edges(flip: np.ndarray, slices: np.ndarray) -> np.ndarray:
    """The middle edges at their places, the others at what is left, in order; all flipped as asked."""
    bits = flip[:, None] >> np.arange(11) & 1
    bits = np.concatenate([bits, bits.sum(axis=1, keepdims=True) % 2], axis=1)  # by position
    free = np.ones((len(flip), 12), bool)
    np.put_along_axis(free, _MIDDLES[slices], False, axis=1)
    positions = np.zeros((len(flip), 12), np.int64)
    positions[:, MIDDLE] = _MIDDLES[slices]
    positions[:, [*range(4), *range(8, 12)]] = np.nonzero(free)[1].reshape(-1, 8)
    states = _home(len(flip))
    states[:, 8:] = 24 + 2 * positions + np.take_along_axis(bits, positions, axis=1)
    return states


def with_corners() -> np.ndarray:
    """All permutations of the corners, in the order of `corners_of`."""
    states = _home(40320)
    states[:, :8] = 3 * np.array(list(permutations(range(8))))
    return states


# What moves and symmetries do to coordinates ---------------------------------------------------------------------------------


class Coordinates(NamedTuple):
    """Tables of one metric, all a search needs besides the distances."""

    twist_moves: np.ndarray  # [2187, A] uint16
    flip_moves: np.ndarray  # [2048, A] uint16
    slice_moves: np.ndarray  # [11880, A] uint16
    corner_moves: np.ndarray  # [40320, A] uint16
    class_of: np.ndarray  # [2048 * 495] uint32, of flip * 495 + place: symmetry class * 16 + the symmetry that leads there
    twist_images: np.ndarray  # [2187, 16] uint16, the twist seen through each symmetry
    order_images: np.ndarray  # [11880, 16] uint8, the order of the middle edges seen through each symmetry
    axes: np.ndarray  # [3, A] int64, what an action is on each axis
    rotations: np.ndarray  # [3] int64, the symmetry that turns each axis upright
    members: np.ndarray  # [C] int64, flip * 495 + place of each class's representative
    stabilisers: np.ndarray  # [C] uint16, bit m: symmetry m leaves the representative as it is
    goal: np.ndarray  # [3] int64, twist, flip and slice of the solved cube


def make_coordinates(cube: Cube) -> Coordinates:
    """The tables of a 3x3x3."""
    actions = cube.symmetric_actions(cube.goal[None])[0]  # [48, A]
    upright = [cube.action_names[a][0] in "UD" for a in range(cube.n_actions)]
    keeps_axis = np.flatnonzero([upright[a] for a in actions[:, 0]])  # action 0 turns U
    turned = [next(m for m in range(24) if upright[actions[m, cube.action_names.index(face)]]) for face in "URF"]

    def moves(states: np.ndarray, coordinate: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        return coordinate(cube.expand(states).reshape(-1, 20)).reshape(len(states), -1).astype(np.uint16)

    def images(states: np.ndarray, coordinate: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        return coordinate(cube.symmetries(states)[:, keeps_axis].reshape(-1, 20)).reshape(len(states), -1)

    twisted, slices = with_twist(np.arange(TWISTS)), np.arange(PLACES * ORDERS)
    placed = with_edges(np.zeros_like(slices), slices)
    flipped = with_edges(np.arange(FLIPS), np.full(FLIPS, slice_of(cube.goal[None])[0]))
    seen = np.concatenate(
        [
            images(with_edges(some // PLACES, ORDERS * (some % PLACES)), lambda s: flip_of(s) * PLACES + slice_of(s) // ORDERS)
            for some in np.array_split(np.arange(FLIPS * PLACES), FLIPS * PLACES // _CHUNK + 1)
        ]
    )  # [2048 * 495, 16]
    members, numbers = np.unique(seen.min(axis=1), return_inverse=True)
    return Coordinates(
        moves(twisted, twist_of), moves(flipped, flip_of), moves(placed, slice_of), moves(with_corners(), corners_of),
        class_of=(16 * numbers + seen.argmin(axis=1)).astype(np.uint32),
        twist_images=images(twisted, twist_of).astype(np.uint16),
        order_images=(images(placed, slice_of) % ORDERS).astype(np.uint8),
        axes=actions[turned],
        rotations=np.array(turned),
        members=members,
        goal=np.array([int(coordinate(cube.goal[None])[0]) for coordinate in (twist_of, flip_of, slice_of)]),
        stabilisers=((seen[members] == members[:, None]) << np.arange(16)).sum(axis=1).astype(np.uint16),
    )  # fmt: skip


# The table of distances ------------------------------------------------------------------------------------------------------

# Distances stored exactly; what is further away counts as one more. Quarter turns: to store 12 as well as 11 costs a minute
# once and saves 6 to 10% of the nodes of a proof. Without the order of the middle edges nothing is further away than this.
EXACT = {("qtm", ORDERS): 12, ("htm", ORDERS): 10, ("qtm", 1): 14, ("htm", 1): 12}
WHOLE = 1 << 30  # bytes of memory with which the order of the middle edges is taken in
VERSION = 1  # of the file's layout


_BLOCKS = 16  # parts of a layer, after each of which progress is shown
_GROWTH = 3.5  # a layer is about so many times the work of the one before
_in_process: dict[tuple[str, int], "Table"] = {}


class Table(NamedTuple):
    """Distances to the subgroup of the upright axis, and all it takes to look them up: what kernels are given."""

    coordinates: Coordinates
    distances: np.ndarray  # [bytes] uint8, four entries to a byte
    orders: int  # 24, or 1 if the order of the middle edges is left out
    exact: int  # the largest distance that is stored; what is further away counts as one more


def load_table(cube: Cube, memory: int, show: Callable[[float], None]) -> Table:
    """The table of a 3x3x3: from this process, from the user's cache, or built anew.

    With less `memory` than 1 GB the order of the middle edges is left out. `show` is told the share that is built, 0 to 1.
    """
    orders = ORDERS if memory >= WHOLE else 1
    if (cube.metric, orders) not in _in_process:
        coordinates, exact = make_coordinates(cube), EXACT[cube.metric, orders]
        fingerprint = hash_of(f"{VERSION} {exact} {orders}", *coordinates)
        file = cache_folder() / f"cosets-{cube.name}-{orders}.npz"
        kept = files.kept(file, fingerprint, lambda: {"distances": build(coordinates, exact, orders, show)})
        distances = kept["distances"].reshape(-1)
        distances.flags.writeable = False
        _in_process[cube.metric, orders] = Table(coordinates, distances, orders, exact)
    return _in_process[cube.metric, orders]


def build(
    coordinates: Coordinates,
    exact: int,
    orders: int,
    show: Callable[[float], None] = lambda share: None,
    after: Callable[[np.ndarray], None] = lambda table: None,
) -> np.ndarray:
    """The table [C, bytes] uint8, four entries to a byte.

    Args:
        coordinates: of either metric.
        exact: distances stored, from 0 up to this.
        orders: 24, or 1 to leave out the order of the middle edges, which makes the table a 24th as large.
        show: is told the share of the work that is done.
        after: is given the table after every layer.
    """
    c = coordinates
    table = np.full((len(c.members), -(-orders * TWISTS // 4)), 255, np.uint8)
    code = int(c.class_of[c.goal[1] * PLACES + c.goal[2] // ORDERS])
    order = int(c.order_images[c.goal[2], code % 16]) % orders
    _enter(table[code // 16], order * TWISTS + int(c.twist_images[c.goal[0], code % 16]), 0)
    reached = np.zeros(len(c.members), bool)
    reached[code // 16] = True
    # One row per action and symmetry: where a twist goes when the move is made and the result is seen through the symmetry.
    twist_to = np.ascontiguousarray(c.twist_images[c.twist_moves].transpose(1, 2, 0))  # [A, 16, 2187]
    tables = (c.flip_moves, c.slice_moves, c.class_of, c.members, c.stabilisers, c.twist_images, c.order_images, twist_to)
    targets = list(pairwise(np.linspace(0, len(c.members), get_num_threads() + 1).astype(int).tolist()))  # a part per thread
    for depth in range(1, exact + 1):
        news = np.zeros((len(targets), len(c.members)), bool)
        sources = np.array_split(np.flatnonzero(reached), _BLOCKS)
        for block, some in enumerate(sources):
            parts = zip(targets, news, strict=True)
            side_by_side([partial(_spread, *tables, orders, depth, some, *target, new, table) for target, new in parts])
            so_far = _GROWTH ** (depth - 1 - exact)
            show(so_far + (block + 1) / _BLOCKS * (_GROWTH ** (depth - exact) - so_far))
        reached = np.logical_or.reduce(news)
        after(table)
        if not reached.any():
            break
    return table


@jit
def _entry(page, at):
    return page[at >> 2] >> ((at & 3) << 1) & 3


@jit
def _enter(page, at, value):
    """Set an entry that is 3 so far."""
    page[at >> 2] ^= np.uint8((3 ^ value) << ((at & 3) << 1))


@jit
def _spread(
    flip_moves, slice_moves, class_of, members, stabilisers, twist_images, order_images, twist_to,
    orders, depth, sources, low, high, new, table,
):  # fmt: skip
    """From every page of `sources`, give the entries that a move leads to from those of the layer before their depth.

    Only pages low..high - 1 are written, so that threads do not meet; those that gained are marked in new [C]. What is taken
    for the layer before may be three, six, ... layers older: all neighbours of such an entry have theirs already.
    """
    before, now = np.uint8((depth - 1) % 3), depth % 3
    frontier = np.empty((orders * 2187, 2), np.uint16)
    order_to = np.empty(orders, np.uint32)
    for source in sources:
        n = 0
        for order in range(orders):
            for twist in range(2187):
                if _entry(table[source], order * 2187 + twist) == before:
                    frontier[n, 0], frontier[n, 1] = order, twist
                    n += 1
        flip, place = members[source] // 495, members[source] % 495
        for a in range(flip_moves.shape[1]):
            code = class_of[np.int64(flip_moves[flip, a]) * 495 + slice_moves[place * 24, a] // 24]
            target, symmetry = np.int64(code >> np.uint32(4)), np.int64(code & np.uint32(15))
            if not low <= target < high:
                continue
            for order in range(orders):
                order_to[order] = order_images[slice_moves[place * 24 + order, a], symmetry] % orders * 2187
            twists, page, gained = twist_to[a, symmetry], table[target], False
            for i in range(n):
                at = order_to[frontier[i, 0]] + twists[frontier[i, 1]]
                if _entry(page, at) == 3:
                    _enter(page, at, now)
                    gained = True
                    if stabilisers[target] != 1:
                        _enter_images(stabilisers, members, twist_images, order_images, orders, target, at, now, page)
            new[target] |= gained
    return True


@jit
def _enter_images(stabilisers, members, twist_images, order_images, orders, target, at, now, page):
    """The same distance for the entries that a representative's own symmetries make of this one."""
    order, twist = at // 2187, at % 2187
    for m in range(1, 16):
        if stabilisers[target] >> m & 1:
            image = order_images[members[target] % 495 * 24 + order, m] % orders * 2187 + twist_images[twist, m]
            if _entry(page, image) == 3:
                _enter(page, image, now)
