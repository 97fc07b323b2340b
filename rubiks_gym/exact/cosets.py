"""A lower bound for the 3x3x3: how far is it to the subgroup in which only <U, D, R2, F2, L2, B2> is left to do?

That question looks at a part of the cube only (Kociemba 1992, Reid 1997): how every corner is twisted, how every edge is
flipped, and where the four edges of the middle layer are. These are coordinates, small numbers that a move takes to other small
numbers by a table:

    twist  3^7 = 2,187            orientation of the corner at each position
    flip   2^11 = 2,048           orientation of the edge at each position
    slice  495 * 24 = 11,880      which positions the four middle edges are in (495), and in which order (24)

Flip and the 495 places are taken together and read through the 16 symmetries of the cube that leave the axis from U to D where
it is: 64,430 symmetry classes of 1,013,760. A page of the table belongs to each class, with an entry for every order and twist;
3.4 billion entries. Two bits are enough for each, 845 MB, because few cosets are near (Rokicki, nxopt): the entry says by how
much the distance exceeds a base, "3 or more" or "not at all". In the last case a coarse table without the order, with four bits
for every distance, 70 MB, has a lower bound.

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
MIDDLE = slice(4, 8)  # positions of the middle layer's edges: geometry numbers edges from the top down


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


# What moves and symmetries do to coordinates ---------------------------------------------------------------------------------


class Coordinates(NamedTuple):
    """Tables of one metric, all a search needs besides the distances."""

    twist_moves: np.ndarray  # [2187, A] uint16
    flip_moves: np.ndarray  # [2048, A] uint16
    slice_moves: np.ndarray  # [11880, A] uint16
    class_of: np.ndarray  # [2048 * 495] uint32, of flip * 495 + place: symmetry class * 16 + the symmetry that leads there
    twist_images: np.ndarray  # [2187, 16] uint16, the twist seen through each symmetry
    order_images: np.ndarray  # [11880, 16] uint8, the order of the middle edges seen through each symmetry
    axes: np.ndarray  # [3, A] int64, what an action is on each axis
    rotations: np.ndarray  # [3] int64, the symmetry that turns each axis upright
    members: np.ndarray  # [C] int64, flip * 495 + place of each class's representative
    stabilisers: np.ndarray  # [C] uint16, bit m: symmetry m leaves the representative as it is
    goal: np.ndarray  # [3] int64, twist, flip and slice of the solved cube
    turned: np.ndarray  # [20, 48] uint64, what a piece at a location adds to the inverse's twist or flip, by axis in 16 bits
    middle: np.ndarray  # [20, 48] uint64, and to the number of the inverse's middle edges
    slices: np.ndarray  # [12^4] uint16, the slice that has such a number
    axis_of: np.ndarray  # [A] int64, the axis on which an action turns a face
    moves: np.ndarray  # [A, 256] uint8, the puzzle's own
    undo: np.ndarray  # [A] int64, the inverse of each action
    canonical: np.ndarray  # [N, A] int16, the machine of canonical sequences


def make_coordinates(cube: Cube) -> Coordinates:
    """The tables of a 3x3x3."""
    actions = cube.symmetric_actions(cube.goal[None])[0]  # [48, A]
    upright = [cube.action_names[a][0] in "UD" for a in range(cube.n_actions)]
    keeps_axis = np.flatnonzero([upright[a] for a in actions[:, 0]])  # action 0 turns U
    rotations = [next(m for m in range(24) if upright[actions[m, cube.action_names.index(face)]]) for face in "URF"]
    turned, middle = _marks(cube, rotations)

    def moves(states: np.ndarray, coordinate: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        return coordinate(cube.expand(states).reshape(-1, 20)).reshape(len(states), -1).astype(np.uint16)

    def images(states: np.ndarray, coordinate: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        return coordinate(cube.symmetries(states)[:, keeps_axis].reshape(-1, 20)).reshape(len(states), -1)

    twisted, slices = with_twist(np.arange(TWISTS)), np.arange(PLACES * ORDERS)
    placed = with_edges(np.zeros_like(slices), slices)
    flipped = with_edges(np.arange(FLIPS), np.full(FLIPS, slice_of(cube.goal[None])[0]))
    # A symmetry permutes the flips and turns over some of them, which depend on the places of the middle edges alone.
    permuted, turned_over = images(flipped, flip_of), images(placed[::ORDERS], flip_of)
    flips = (permuted ^ permuted[0])[:, None] ^ turned_over  # [2048, 495, 16]
    seen = (flips * PLACES + images(placed[::ORDERS], slice_of) // ORDERS).reshape(FLIPS * PLACES, -1)
    members, numbers = np.unique(seen.min(axis=1), return_inverse=True)
    return Coordinates(
        moves(twisted, twist_of), moves(flipped, flip_of), moves(placed, slice_of),
        class_of=(16 * numbers + seen.argmin(axis=1)).astype(np.uint32),
        twist_images=images(twisted, twist_of).astype(np.uint16),
        order_images=(images(placed, slice_of) % ORDERS).astype(np.uint8),
        axes=actions[rotations],
        rotations=np.array(rotations),
        members=members,
        goal=np.array([int(coordinate(cube.goal[None])[0]) for coordinate in (twist_of, flip_of, slice_of)]),
        stabilisers=((seen[members] == members[:, None]) << np.arange(16)).sum(axis=1).astype(np.uint16),
        turned=turned,
        middle=middle,
        slices=_SLICE.astype(np.uint16),
        axis_of=np.array([next(k for k in range(3) if upright[b[k]]) for b in actions[rotations].T]),
        moves=cube.moves,
        undo=np.asarray(cube.inverse_action),
        canonical=cube.canonical_form,
    )  # fmt: skip


def _marks(cube: Cube, rotations: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """What the pieces of a cube add to the coordinates of its inverse, on three axes side by side: two of [20, 48] uint64.

    The inverse has position and piece swapped, so that each of its coordinates is a sum over pieces.
    """
    turned, middle = np.zeros((2, 20, 48), np.uint64)
    source, image = cube.symmetry_tables[:2]
    for axis, rotation in enumerate(rotations):
        for piece in range(20):
            locations = np.arange(24) if piece < 8 else np.arange(24, 48)  # where it can be, upright
            at = image[rotation, piece, locations].astype(np.int64)
            if piece < 8:
                adds, order = _TWIST[3 * piece + -at % 3], np.zeros_like(at)
            else:
                adds, position = _FLIP[8 + 2 * piece + at % 2], (at - 24) // 2 - MIDDLE.start
                order = np.where((position >= 0) & (position < 4), (piece - 8) * 12 ** np.clip(position, 0, 3), 0)
            turned[source[rotation, piece], locations] |= adds.astype(np.uint64) << np.uint64(16 * axis)
            middle[source[rotation, piece], locations] |= order.astype(np.uint64) << np.uint64(16 * axis)
    return turned, middle


# The table of distances ------------------------------------------------------------------------------------------------------

# Distances up to this are left to the coarse table. Of all cosets in quarter turns 6.7% are, 34% are one further away, 55% two.
BASE = {"qtm": 10, "htm": 8}
WHOLE = 1 << 30  # bytes of memory with which the order of the middle edges is taken in
VERSION = 2  # of the files' layout

_BLOCKS = 16  # parts of a layer, after each of which progress is shown
_GROWTH = 3.5  # a layer is about so many times the work of the one before
_in_process: dict[tuple[str, bool], "Table"] = {}


class Table(NamedTuple):
    """Distances to the subgroup of the upright axis, and all it takes to look them up: what kernels are given."""

    coordinates: Coordinates
    coarse: np.ndarray  # [bytes] uint8, two entries to a byte: the distances, whatever the order of the middle edges
    fine: np.ndarray  # [bytes] uint8, four entries to a byte: by how much they exceed `base`, 0..3; or one byte, 0
    base: int


def load_table(cube: Cube, memory: int, show: Callable[[float], None]) -> Table:
    """The table of a 3x3x3: from this process, from the user's cache, or built anew.

    With less `memory` than 1 GB the order of the middle edges is left out. `show` is told the share that is built, 0 to 1.
    """
    whole = memory >= WHOLE
    if (cube.metric, whole) not in _in_process:
        c, base = make_coordinates(cube), BASE[cube.metric]

        def part(name: str, width: int, build: Callable[[], np.ndarray]) -> np.ndarray:
            def fits(arrays: dict[str, np.ndarray]) -> bool:
                """Whether the table has its size, which kernels trust."""
                stored = arrays.get("distances", np.empty(0))
                return stored.dtype == np.uint8 and stored.shape == (len(c.members), width)

            file = cache_folder() / f"bounds-{cube.name}-{name}.npz"
            distances = files.kept(file, hash_of(f"{VERSION} {name}", *c), lambda: {"distances": build()}, fits)["distances"]
            distances.flags.writeable = False
            return distances.reshape(-1)

        coarse = part("coarse", -(-TWISTS // 2), lambda: build_coarse(c, (lambda share: None) if whole else show))
        fine = np.zeros(1, np.uint8)
        if whole:
            fine = part(f"fine-{base}", ORDERS * TWISTS // 4, lambda: build_fine(c, base, show))
        _in_process[cube.metric, whole] = Table(c, coarse, fine, base)
    return _in_process[cube.metric, whole]


def build_coarse(c: Coordinates, show: Callable[[float], None] = lambda share: None) -> np.ndarray:
    """Distances by class and twist [C, bytes] uint8, four bits each; `show` is told the share of the work that is done."""
    table = np.full((len(c.members), -(-TWISTS // 2)), 255, np.uint8)
    reached = _begin(c, table, 1, 4)
    for depth in range(1, 15):
        reached = _layer(c, table, 1, 4, depth - 1, depth, reached, partial(_show_layer, show, depth, 13))
        if not reached.any():
            break
    return table


def build_fine(c: Coordinates, base: int, show: Callable[[float], None] = lambda share: None) -> np.ndarray:
    """Distances by class, order and twist [C, bytes] uint8, two bits each: 0 at most base, 1, 2, 3 for so many or more above.

    Layers up to the base are numbered modulo 3 at first, which tells the last of them from the one before.
    """
    table = np.full((len(c.members), ORDERS * TWISTS // 4), 255, np.uint8)
    reached = _begin(c, table, ORDERS, 2)
    for depth in range(1, base + 3):
        above = depth - base
        codes = ((depth - 1) % 3, depth % 3) if above <= 0 else (above - 1, above)
        reached = _layer(c, table, ORDERS, 2, *codes, reached, partial(_show_layer, show, depth, base + 2))
        if above == 0:
            for page in table:
                page[:] = (page & page >> 1 & 0x55) * 3
    return table


def _begin(c: Coordinates, table: np.ndarray, orders: int, bits: int) -> np.ndarray:
    """Enter the goal; returns the pages that are reached [C] bool."""
    code = int(c.class_of[c.goal[1] * PLACES + c.goal[2] // ORDERS])
    order = int(c.order_images[c.goal[2], code % 16]) % orders
    _enter(table[code // 16], bits, order * TWISTS + int(c.twist_images[c.goal[0], code % 16]), 0)
    return np.arange(len(c.members)) == code // 16


def _layer(
    c: Coordinates,
    table: np.ndarray,
    orders: int,
    bits: int,
    before: int,
    now: int,
    reached: np.ndarray,
    show: Callable[[float], None],
) -> np.ndarray:
    """Enter `now` wherever a move leads from entries `before` on the pages reached [C]; returns the pages that gained."""
    # One row per action and symmetry: where a twist goes when the move is made and the result is seen through the symmetry.
    twist_to = np.ascontiguousarray(c.twist_images[c.twist_moves].transpose(1, 2, 0))  # [A, 16, 2187]
    tables = (c.flip_moves, c.slice_moves, c.class_of, c.members, c.stabilisers, c.twist_images, c.order_images, twist_to)
    targets = list(pairwise(np.linspace(0, len(c.members), get_num_threads() + 1).astype(int).tolist()))  # a part per thread
    news = np.zeros((len(targets), len(c.members)), bool)
    for block, some in enumerate(np.array_split(np.flatnonzero(reached), _BLOCKS)):
        parts = zip(targets, news, strict=True)
        side_by_side([partial(_spread, *tables, orders, bits, before, now, some, *t, new, table) for t, new in parts])
        show((block + 1) / _BLOCKS)
    return np.logical_or.reduce(news)


def _show_layer(show: Callable[[float], None], depth: int, last: int, share: float) -> None:
    so_far = _GROWTH ** (depth - 1 - last)
    show(so_far + share * (_GROWTH ** (depth - last) - so_far))


@jit
def _entry(page, bits, at):
    return page[at * bits >> 3] >> (at * bits & 7) & ((1 << bits) - 1)


@jit
def _enter(page, bits, at, value):
    """Set an entry of which all bits are set so far."""
    page[at * bits >> 3] ^= np.uint8(((1 << bits) - 1 ^ value) << (at * bits & 7))


@jit
def _spread(
    flip_moves, slice_moves, class_of, members, stabilisers, twist_images, order_images, twist_to,
    orders, bits, before, now, sources, low, high, new, table,
):  # fmt: skip
    """On every page of `sources`, enter `now` where a move leads to from entries `before`.

    Only pages low..high - 1 are written, so that threads do not meet; those that gained are marked in new [C]. What has the
    code of the layer before may be some layers older: all neighbours of such an entry have theirs already.
    """
    free = (1 << bits) - 1
    frontier = np.empty((orders * 2187, 2), np.uint16)
    order_to = np.empty(orders, np.uint32)
    for source in sources:
        n = 0
        for order in range(orders):
            for twist in range(2187):
                if _entry(table[source], bits, order * 2187 + twist) == before:
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
                if _entry(page, bits, at) == free:
                    _enter(page, bits, at, now)
                    gained = True
                    if stabilisers[target] != 1:
                        _enter_images(stabilisers, members, twist_images, order_images, orders, bits, target, at, now, page)
            new[target] |= gained
    return True


@jit
def _enter_images(stabilisers, members, twist_images, order_images, orders, bits, target, at, now, page):
    """The same distance for the entries that a representative's own symmetries make of this one."""
    order, twist = at // 2187, at % 2187
    for m in range(1, 16):
        if stabilisers[target] >> m & 1:
            image = order_images[members[target] % 495 * 24 + order, m] % orders * 2187 + twist_images[twist, m]
            if _entry(page, bits, image) == (1 << bits) - 1:
                _enter(page, bits, image, now)
