"""A stabiliser chain (Schreier-Sims): all there is to know of a group that is given by generators alone.

A permutation g is an array [N]: what is at place p goes to place g[p]. Level 0 is the whole group; level l + 1 holds the
elements that also leave the base point of level l where it is. A level knows the orbit of its base point, and for each
point there one element that takes the base point to it. Every element is a product of one such representative per level
in one way only, so that the numbers of the points chosen are its digits: there are as many elements as digits.
Letters: B batch, N points, L levels, M elements.
"""

from collections.abc import Sequence
from math import prod

import numpy as np

from rubiks_gym.puzzles import kernels
from rubiks_gym.puzzles.streams import below, counter, draw
from rubiks_gym.puzzles.threads import over_rows

_ELEMENTS = 32  # random elements whose remainders generate each level, unless the check finds that they do not
_PRODUCTS = 20  # products that each of them is mixed by


class Chain:
    """The chain of a group.

    Args:
        generators: permutations [A, N].
        points: the base points are the first of these that still move; only the levels of these are kept, so that an
            element is known by where it takes them [P].
    """

    base: np.ndarray  # [L] the point that each level moves
    lengths: np.ndarray  # [L] uint64: of the orbits
    orbits: np.ndarray  # [L, N] the points that a base point is moved to, itself first
    positions: np.ndarray  # [L, N] where a point is in the orbit, -1 if it is not
    representatives: np.ndarray  # [L, N, N] uint16: an element that takes the base point to a point of the orbit
    inverses: np.ndarray  # [L, N, N] uint16: and its inverse

    def __init__(self, generators: np.ndarray, points: Sequence[int] | np.ndarray) -> None:
        self.points = np.array(points, np.int64)
        generators = np.asarray(generators, np.uint16)
        n = generators.shape[1]
        everywhere = np.concatenate([self.points, np.setdiff1d(np.arange(n), self.points)])
        pool, found = _random_elements(generators), generators[:0]
        while True:
            missing = self._missing(self._build(pool, found, everywhere))
            if not len(missing):
                break
            found = np.concatenate([found, missing[:_ELEMENTS]])
        kept = np.isin(self.base, self.points)  # these levels come first
        self.complete = bool(kept.all())  # whether where the points go determines an element
        n_kept = int(kept.sum())
        self.base, self.lengths = self.base[:n_kept], self.lengths[:n_kept]
        self.orbits, self.positions = self.orbits[:n_kept], self.positions[:n_kept]
        self.representatives, self.inverses = self.representatives[:n_kept], self.inverses[:n_kept]
        self.columns = np.array([np.flatnonzero(self.points == point)[0] for point in self.base], np.int64)
        self.order = prod(int(length) for length in self.lengths)

    def _build(self, pool: np.ndarray, found: np.ndarray, points: np.ndarray) -> list[np.ndarray]:
        """Make the levels from random elements [M, N] and from those found to be missing [F, N]; returns the generators of
        each level.

        Elements of a level, each with its representative taken back, are elements of the next one. If they are random
        there, so they are here, and a handful of random elements generates a group almost surely.
        """
        n = pool.shape[1]
        base: list[int] = []
        orbits, representatives, members = [], [], [pool]
        for point in points:
            if (members[-1][:, point] == point).all():
                continue
            orbit, reaching = _orbit(int(point), members[-1])
            inverses = np.zeros((n, n), np.uint16)
            inverses[orbit] = np.argsort(reaching, axis=1)
            # Products, since a level's generators are mostly their own representatives, which leave nothing.
            candidates = np.concatenate([_products(members[-1], seed=len(base)), found])
            rest = inverses[candidates[:, point, None], candidates]
            found = rest[_ELEMENTS:]
            base.append(int(point))
            orbits.append(orbit)
            representatives.append(reaching)
            members.append(rest[(rest != np.arange(n)).any(axis=1)])
        shape = (len(base), n)
        self.base = np.array(base, np.int64)
        self.lengths = np.array([len(orbit) for orbit in orbits], np.uint64)
        self.orbits, self.positions = np.zeros(shape, np.int64), np.full(shape, -1, np.int64)
        self.representatives, self.inverses = np.zeros((2, *shape, n), np.uint16)
        for level, (orbit, reaching) in enumerate(zip(orbits, representatives, strict=True)):
            self.orbits[level, : len(orbit)], self.positions[level, orbit] = orbit, np.arange(len(orbit))
            self.representatives[level, orbit] = reaching
            self.inverses[level, orbit] = np.argsort(reaching, axis=1)
        return members

    def _missing(self, members: list[np.ndarray]) -> np.ndarray:
        """Elements [M, N] of the group that the levels do not make up, none if the chain is right.

        Schreier's lemma: a level's representatives, each followed by a generator and then taken back, generate the level
        below. If the levels below make up all of those, they are that level's whole group.
        """
        every = np.arange(members[0].shape[1])
        for level, length in enumerate(self.lengths.astype(np.int64)):
            representatives = self.representatives[level, self.orbits[level, :length]]
            products = np.concatenate([member[representatives] for member in members[level]])
            elements = self.inverses[level][products[:, self.base[level], None], products]
            digits = np.empty((len(elements), len(self.base)), np.int64)
            if not over_rows(kernels.digits, (self.base, self.positions, self.inverses, every), (elements, digits)):
                return elements[digits[:, 0] < 0]
        return np.empty((0, len(every)), np.uint16)

    def random_digits(self, seeds: np.ndarray) -> np.ndarray:
        """The digits [B, L] of uniformly random elements, one per seed [B] uint64."""
        return below(draw(seeds[:, None], np.arange(len(self.lengths), dtype=np.uint64)), self.lengths).astype(np.int64)

    def digits(self, states: np.ndarray) -> np.ndarray:
        """The digits [B, L] of the elements that take the points to states [B, P]; all -1 where none does."""
        out = np.empty((len(states), len(self.lengths)), np.int64)
        tables = (self.columns, self.positions, self.inverses, self.points)
        over_rows(kernels.digits, tables, (states, out))
        return out

    def images(self, digits: np.ndarray, points: np.ndarray) -> np.ndarray:
        """Where the elements of digits [B, L] take points [P], [B, P] uint16."""
        out = np.empty((len(digits), len(points)), np.uint16)
        over_rows(kernels.images, (self.orbits, self.representatives, points), (digits, out))
        return out

    def contains(self, states: np.ndarray) -> np.ndarray:
        """Whether some element takes the points to each of states [B, P], [B] bool."""
        return self.digits(states)[:, 0] >= 0

    def index(self, digits: np.ndarray) -> np.ndarray:
        """The number [B] int64 that digits [B, L] write, for a group of fewer than 2^63 elements."""
        return digits @ self._weights()

    def from_index(self, index: np.ndarray) -> np.ndarray:
        """The digits [B, L] of numbers [B]."""
        return index[:, None] // self._weights() % self.lengths.astype(np.int64)

    def _weights(self) -> np.ndarray:
        return np.cumprod([1, *self.lengths[:0:-1]], dtype=np.int64)[::-1]


def _random_elements(generators: np.ndarray) -> np.ndarray:
    """Random elements [M, N] that generate the group too: copies of the generators, multiplied by each other (product
    replacement). The draws are our own, so that a puzzle's chain is the same everywhere and always."""
    m = max(_ELEMENTS, 2 * len(generators))
    elements = np.resize(generators, (m, generators.shape[1]))
    for t in range(m * _PRODUCTS):
        bits = draw(counter(0), counter(t))
        i, other = int(below(bits, np.uint64(m))[0]), int(below(bits << np.uint64(32), np.uint64(m - 1))[0])
        other += other >= i
        factor = elements[other] if t % 3 else np.argsort(elements[other])
        elements[i] = factor[elements[i]] if t % 2 else elements[i][factor]
    return elements


def _products(elements: np.ndarray, seed: int) -> np.ndarray:
    """Random products [M, N] of three of the elements each."""
    chosen = below(draw(counter(seed), np.arange(3 * _ELEMENTS, dtype=np.uint64)), np.uint64(len(elements))).astype(np.int64)
    first, second, third = elements[chosen].reshape(3, _ELEMENTS, -1)
    return np.take_along_axis(third, np.take_along_axis(second, first, axis=1), axis=1)


def _orbit(point: int, members: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The points [O] that generators [M, N] take a point to, itself first, and for each an element [O, N] that does."""
    found = {point: np.arange(members.shape[1], dtype=np.uint16)}
    frontier = [point]
    while frontier:
        reached, first = np.unique(members[:, frontier], return_index=True)
        before, frontier = frontier, []
        for image, at in zip(reached.tolist(), first.tolist(), strict=True):
            if image not in found:
                found[image] = members[at // len(before)][found[before[at % len(before)]]]
                frontier.append(image)
    return np.array(list(found)), np.array(list(found.values()))
