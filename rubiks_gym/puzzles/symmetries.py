"""The symmetries of a permutation puzzle, found from its generators alone: relabellings of its places that exchange its moves.

A relabelling s of places is a symmetry if for every move g also s g s^-1 (take back, move, relabel) is a move. It takes any
state to one that is as far from the goal, and a way between states to a way between their images. On the 3x3x3 these are the
48 rotations and reflections of the cube. Of relabellings that do the same to all moves one is kept: twisting all corners of
the 3x3x3 alike commutes with every move, and changes the image of no state.
Letters: N places, A actions, M symmetries, S state, V labels.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from rubiks_gym.puzzles import kernels
from rubiks_gym.puzzles.permutation import PermutationPuzzle, orbits
from rubiks_gym.puzzles.threads import over_rows

_MOST = 2000  # symmetries that are found: moves that are all alike have too many

Edge = tuple[int, int, int]  # a move takes what is at a place to another: place, move, place
Option = tuple[np.ndarray, np.ndarray, np.ndarray]  # places [O], where they go [O], which moves then go to which [A, A]


class Symmetries(NamedTuple):
    """The symmetries of a puzzle, the identity first. With `inversion`, a state's inverse is as far from the goal as well."""

    places: np.ndarray  # [M, N] int64: where each place is taken
    actions: np.ndarray  # [M, A] int64: what becomes of each action
    source: np.ndarray  # [M, S] int64 and
    image: np.ndarray  # [M, S, 256] uint8: entry i of image m of a state s is image[m, i, s[source[m, i]]]
    inversion: bool

    def images(self, states: np.ndarray) -> np.ndarray:
        """The images [B, M, S] of states [B, S]."""
        out = np.empty((len(states), len(self.source), states.shape[1]), np.uint8)
        over_rows(kernels.symmetries, (self.source, self.image), (states, out))
        return out


def find_symmetries(puzzle: PermutationPuzzle) -> Symmetries:
    """The symmetries of a puzzle; where pieces look alike, those that take the goal to itself with its labels exchanged.

    A ValueError says so if the moves are so alike that there are too many exchanges to try.
    """
    moves, labels = puzzle.generators, None if puzzle.distinct else puzzle.goal.astype(np.int64)
    base = _base(moves)
    trees = [_tree(moves, int(root), base) for root in np.unique(orbits(moves))]
    found: dict[bytes, tuple[np.ndarray, np.ndarray]] = {}
    for exchange in _exchanges(moves, base):
        options = [_options(moves, base, exchange, tree, labels) for tree in trees]
        every = np.ones((len(moves), len(moves)), bool)
        for actions, places in _fitting(options, np.full(moves.shape[1], -1), every, labels):
            found.setdefault(actions.tobytes(), (actions, places))
        if len(found) > _MOST:
            raise ValueError(f"the {len(moves)} moves of {puzzle.name} are so alike that it has more than {_MOST:,} symmetries")
    in_order = sorted(found.values(), key=lambda each: each[0].tolist())  # the identity is the lowest of all exchanges
    actions, places = (np.array(each) for each in zip(*in_order, strict=True))
    source, image = (_on_pieces if puzzle.distinct else _on_labels)(puzzle, places)
    return Symmetries(places, actions, source, image, bool(puzzle.distinct and puzzle.chain.complete))


def _base(moves: np.ndarray) -> list[int]:
    """Moves that connect all places that moves [A, N] connect: where a symmetry takes these decides all."""
    base: list[int] = []
    connected = np.arange(moves.shape[1])
    while not np.array_equal(connected, orbits(moves)):
        fewest = min(range(len(moves)), key=lambda a: len(np.unique(orbits(moves[[*base, a]]))))
        base.append(fewest)
        connected = orbits(moves[base])
    return base


def _exchanges(moves: np.ndarray, base: list[int]) -> Iterator[list[int]]:
    """All ways to take the moves of a base to moves [A, N] that leave the cycles of all products of up to three the same."""
    kinds: dict[tuple[int, ...], tuple[int, ...]] = {}

    def kind(*product: int) -> tuple[int, ...]:
        if product not in kinds:
            move = moves[product[0]]
            for a in product[1:]:
                move = moves[a][move]
            kinds[product] = _cycle_lengths(move)
        return kinds[product]

    def fits(partial: list[int], other: int) -> bool:
        k = len(partial)
        products = [(i, k) for i in range(k)] + [(i, j, k) for i in range(k) for j in range(k) if i != j]
        then = [*partial, other]
        return (
            other not in partial
            and kind(base[k]) == kind(other)
            and all(kind(*(base[i] for i in product)) == kind(*(then[i] for i in product)) for product in products)
        )

    partial: list[int] = []
    following = [0]  # which move to try next at each step
    while True:
        if len(partial) == len(base):
            yield list(partial)
            tries: Iterable[int] = ()
            following.pop()
        else:
            tries = range(following.pop(), len(moves))
        other = next((other for other in tries if fits(partial, other)), None)
        if other is not None:
            following += [other + 1, 0]
            partial.append(other)
        elif not partial:
            return
        else:
            partial.pop()


def _cycle_lengths(move: np.ndarray) -> tuple[int, ...]:
    """How often each place returns under a move [N]: the sorted lengths of its cycles."""
    goes_to, lengths, seen = move.tolist(), [], set()
    for place in range(len(goes_to)):
        at, length = place, 0
        while at not in seen:
            seen.add(at)
            at, length = goes_to[at], length + 1
        if length:
            lengths.append(length)
    return tuple(sorted(lengths))


def _tree(moves: np.ndarray, root: int, by: Iterable[int]) -> list[Edge]:
    """A way by some of moves [A, N] from a place to each that they connect it with, as edges; the first is (root, 0, root)."""
    edges, seen = [(root, 0, root)], {root}
    for _, _, here in edges:
        for a in by:
            if int(moves[a, here]) not in seen:
                seen.add(int(moves[a, here]))
                edges.append((here, a, int(moves[a, here])))
    return edges


def _options(
    moves: np.ndarray, base: list[int], exchange: list[int], tree: list[Edge], labels: np.ndarray | None
) -> list[Option]:
    """Where the places of an orbit may go if a base of the moves is exchanged so. One of them decides for the others.

    Of ways to go to the same orbit that nothing tells apart there is one.
    """
    then = dict(zip(base, exchange, strict=True))
    orbit = np.array([place for *_, place in tree])
    to = np.zeros((moves.shape[1],) * 2, np.int64)
    to[:, orbit[0]] = np.arange(len(to))
    for before, a, place in tree[1:]:
        to[:, place] = moves[then[a]][to[:, before]]
    for a, other in then.items():
        to = to[(to[:, moves[a, orbit]] == moves[other][to[:, orbit]]).all(axis=1)]
    found: dict[tuple, Option] = {}
    for each in to:
        there = each[orbit]
        allowed = (each[moves[:, orbit]][:, None] == moves[:, there]).all(axis=2)
        if allowed.any(axis=1).all():
            seen = b"" if labels is None else labels[there].tobytes()
            found.setdefault((there.min(), allowed.tobytes(), seen), (orbit, there, allowed))
    return list(found.values())


def _fitting(
    options: list[list[Option]], places: np.ndarray, allowed: np.ndarray, labels: np.ndarray | None
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """What becomes of the actions [A] and the places [N] by one option of each orbit, for all that fit each other.

    No two may go to the same place, nor equal labels to different ones, and each move must be taken to one move everywhere.
    """
    if not options:
        yield allowed.argmax(axis=1), places
        return
    for orbit, to, possible in options[0]:
        both = allowed & possible
        if not both.any(axis=1).all() or np.isin(to, places).any():
            continue
        tried = places.copy()
        tried[orbit] = to
        if labels is not None:
            known = np.flatnonzero(tried >= 0)
            before, after = labels[known], labels[tried[known]]
            pairs = len(np.unique(before * 256 + after))
            if pairs != len(np.unique(before)) or pairs != len(np.unique(after)):
                continue
        yield from _fitting(options[1:], tried, both, labels)


def _on_pieces(puzzle: PermutationPuzzle, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The tables of symmetries [M, N] for states that say where each piece is.

    The place where a symmetry sees piece i holds some sticker of some piece; where that is follows from where the piece is.
    """
    n, size, moves = len(places), puzzle.state_size, puzzle.generators
    source, image = np.zeros((n, size), np.int64), np.zeros((n, size, 256), np.uint8)
    owner: dict[int, tuple[int, np.ndarray]] = {}  # sticker -> its piece, and where it is for each place of the piece
    for piece, home in enumerate(puzzle.goal.tolist()):
        tree = _tree(moves, home, range(len(moves)))
        to = np.zeros((moves.shape[1], 256), np.int64)  # of every sticker, if it belongs to this piece
        to[:, home] = np.arange(moves.shape[1])
        for before, a, place in tree[1:]:
            to[:, place] = moves[a][to[:, before]]
        orbit = np.array([place for *_, place in tree])
        own = np.array([(to[:, moves[a][orbit]] == moves[a][to[:, orbit]]).all(axis=1) for a in range(len(moves))]).all(axis=0)
        for sticker in np.flatnonzero(own).tolist():
            owner.setdefault(sticker, (piece, to[sticker]))
    for m, relabelled in enumerate(places):
        seen = np.argsort(relabelled)[puzzle.goal]
        for i, sticker in enumerate(seen.tolist()):
            source[m, i], where = owner[sticker]
            image[m, i] = relabelled[where]
    return source, image


def _on_labels(puzzle: PermutationPuzzle, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The tables of symmetries [M, N] for states that say what is at each place."""
    source = np.argsort(places, axis=1)
    image = np.zeros((len(places), puzzle.state_size, 256), np.uint8)
    for m, relabelled in enumerate(places):
        image[m][:, puzzle.goal] = puzzle.goal[relabelled]
    return source, image
