"""Puzzles whose moves permute places: given by their generators, with compiled moves and a group that knows its states."""

from collections.abc import Sequence
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import ArrayLike

from rubiks_gym.checks import choice
from rubiks_gym.puzzles.chain import Chain
from rubiks_gym.puzzles.puzzle import _frozen, hash_of
from rubiks_gym.puzzles.table import reachable
from rubiks_gym.puzzles.tabled import TabledPuzzle

_COUNTED = 1_000_000  # states whose pieces look alike are counted one by one up to this many, which takes a second


class PermutationPuzzle(TabledPuzzle):
    """A puzzle given by its generators: what each move does to the places that pieces or stickers are at.

    Without `goal` all pieces differ, and a state says *where each piece is*: entry i is the place of the piece that belongs
    to place pieces[i]. Its group gives the number of states, a perfect index (up to 2^63 states), uniformly random states,
    inverse and compose; `check` refuses states that no moves lead to.

    With `goal`, pieces of the same value look alike, and a state says *what is at each place*. Random states are uniform
    here too. The number of states is known up to a million of them, or if it is given, and `check` compares how often each
    value occurs among places that moves connect, which not every impossible state violates.

    A move's inverse is looked for among the generators; where it is missing it is added behind its move, under the
    move's name and an apostrophe.

    Args:
        name: identifies the puzzle with all its settings.
        generators: one permutation [N] of the places 0..N-1 per move.
        names: one name per generator.
        convention: "goes-to" if entry p of a generator is the place that what is at p goes to; "comes-from" if it is the
            place that what gets to p comes from.
        goal: what is at each place of the solved puzzle [N], values 0..255 that may repeat; None: all pieces differ.
        pieces: places whose pieces make up a state, if all pieces differ; one sticker of each piece is enough.
            Default: every place.
        k_max: how long a scramble is by default.
        n_states: how many states can be reached, if it is known; default: as many as the group says.
    """

    def __init__(
        self,
        name: str,
        generators: ArrayLike,
        names: Sequence[str],
        convention: str = "goes-to",
        goal: ArrayLike | None = None,
        pieces: ArrayLike | None = None,
        k_max: int = 20,
        n_states: int | None = None,
    ) -> None:
        choice(("goes-to", "comes-from"), convention=convention)
        moves = _as_permutations(generators, names)
        if convention == "comes-from":
            moves = np.argsort(moves, axis=1)
        moves, action_names, inverse_action = _with_inverses(moves, list(names))
        n = moves.shape[1]
        self.generators = _frozen(moves, np.int64)  # [A, N], where what is at each place goes to
        self.distinct = goal is None
        self._orbit_of = orbits(moves)  # [N] the lowest place that each is connected with
        first = width = None
        if goal is None:
            if n > 256:
                raise ValueError(f"{name} has {n} places; pieces that all differ can be told apart on at most 256 of them")
            goal = np.arange(n) if pieces is None else np.asarray(pieces)
            if goal.ndim != 1 or not np.isin(goal, np.arange(n)).all() or len(np.unique(goal)) < len(goal):
                raise ValueError(f"pieces must be different places from 0 to {n - 1}, got {pieces!r}")
            first = self._orbit_of[goal]
            last = np.array([np.flatnonzero(self._orbit_of == lowest)[-1] for lowest in first])
            width = int((last - first).max()) + 1
            n_values = int(last.max()) + 1
            self.moves = _frozen([np.concatenate([move, np.arange(n, 256)]) for move in moves], np.uint8)  # [A, 256]
        else:
            goal = np.asarray(goal)
            if pieces is not None:
                raise ValueError("pieces belongs to puzzles whose pieces all differ; with a goal every place counts")
            if goal.shape != (n,) or goal.dtype.kind not in "iu" or goal.min() < 0 or goal.max() > 255:
                raise ValueError(f"goal must be one whole number from 0 to 255 for each of the {n} places")
            n_values = int(goal.max()) + 1
            self.moves = _frozen(np.argsort(moves, axis=1), np.uint16)  # [A, N], where what gets to each place comes from
        super().__init__(name, goal, n_values, action_names, inverse_action, first, k_max, n_states)
        self.one_hot_width = width or n_values

    # The group ------------------------------------------------------------------------------------------------------

    @cached_property
    def chain(self) -> Chain:
        """The stabiliser chain of the group, made when it is first asked for."""
        points = self.goal if self.distinct else np.arange(self.state_size)
        return _chain(self.generators.tobytes(), self.generators.shape, points.astype(np.int64).tobytes())

    @property
    def n_states(self) -> int:
        """How many states can be reached from the goal; 0 if that is not known."""
        if self._n_states is None:
            found = None if self.distinct else reachable(self, _COUNTED)
            self._n_states = self.chain.order if self.distinct else 0 if found is None else len(found[1])
        return self._n_states

    @property
    def enumerable(self) -> bool:
        """Whether states have a perfect index."""
        return self.distinct and 0 < self.n_states < 2**63

    def random_states(self, seeds: np.ndarray) -> np.ndarray:
        """States [B, S] uniform over all that can be reached, one per seed."""
        return self._states_of(self.chain.random_digits(self.as_seeds(seeds)))

    def index(self, states: np.ndarray) -> np.ndarray:
        """Perfect index [B] int64, 0..n_states - 1; the goal is 0."""
        self._needs_index()
        states = self.as_states(states)
        index = self.chain.index(self.chain.digits(states))
        if (index < 0).any():
            self.check(states)
        return index

    def from_index(self, index: ArrayLike) -> np.ndarray:
        """The states [B, S] of perfect indices [B]."""
        return self._states_of(self.chain.from_index(self.as_index(index)))

    def inverse(self, states: np.ndarray) -> np.ndarray:
        """The inverse [B, S] of each state: as far from the goal, solved by the inverse moves in reverse order."""
        return np.argsort(self._elements(states), axis=1)[:, self.goal].astype(np.uint8)

    def compose(self, states: np.ndarray, then: np.ndarray) -> np.ndarray:
        """The states [B, S] after the moves that lead from the goal to `then` [B, S]."""
        states, then = self.as_states(states), self.as_states(then)
        if len(states) != len(then):
            raise ValueError(f"compose takes as many states as `then`, got {len(states)} and {len(then)}")
        return np.take_along_axis(self._elements(then), states.astype(np.int64), axis=1).astype(np.uint8)

    def filled(self, states: np.ndarray) -> np.ndarray:
        """What is at each place [B, N] int64: the states [B, S], or where pieces all differ the places that they belong to."""
        return np.argsort(self._elements(states), axis=1) if self.distinct else self.as_states(states).astype(np.int64)

    def relative(self, states: np.ndarray, targets: np.ndarray) -> np.ndarray:
        """Where moves that lead from states [B, S] to targets [B, S] lead from the goal, [B, S].

        It is as far from the goal as the two are from each other, and all that their distance depends on.
        """
        return self.compose(self.inverse(states), targets)

    def fingerprint(self) -> str:
        """Differs where the rules do: by the goal and all that every action does."""
        return hash_of(" ".join(self.action_names), self.goal, self.moves)

    def check(self, states: ArrayLike) -> np.ndarray:
        """The states as a batch, or a ValueError for the first that no moves lead to."""
        states = super().check(states)
        self.refuse_unreachable(states)
        return states

    def refuse_unreachable(self, states: np.ndarray) -> None:
        """Raise for the first of states [B, S] that no moves lead to."""
        if self.distinct:
            reachable = self.chain.contains(states)
        else:
            reachable = np.ones(len(states), bool)
            for lowest in np.unique(self._orbit_of):
                places = np.flatnonzero(self._orbit_of == lowest)
                reachable &= (np.sort(states[:, places], axis=1) == np.sort(self.goal[places])).all(axis=1)
        if not reachable.all():
            state = states[reachable.argmin()].tolist()
            raise ValueError(f"impossible state of {self.name}: no moves lead from the goal to {state}")

    def _elements(self, states: np.ndarray) -> np.ndarray:
        """The permutation [B, N] of all places that leads from the goal to each state [B, S]."""
        if not self.distinct or not self.chain.complete:
            raise ValueError(f"{self.name} has no inverse and compose: its states do not tell what became of every piece")
        digits = self.chain.digits(self.as_states(states))
        if (digits < 0).any():
            self.check(states)
        return self.chain.images(digits, np.arange(self.generators.shape[1]))

    def _states_of(self, digits: np.ndarray) -> np.ndarray:
        """The states [B, S] that the elements of digits [B, L] lead to from the goal."""
        if self.distinct:
            return self.chain.images(digits, self.chain.points).astype(np.uint8)
        out = np.empty((len(digits), self.state_size), np.uint8)
        np.put_along_axis(out, self.chain.images(digits, self.chain.points).astype(np.int64), self.goal[None], axis=1)
        return out


@lru_cache(maxsize=8)
def _chain(generators: bytes, shape: tuple[int, int], points: bytes) -> Chain:
    """The chain of generators [A, N]: made once for all copies of a puzzle."""
    return Chain(np.frombuffer(generators, np.int64).reshape(shape), np.frombuffer(points, np.int64))


def _as_permutations(generators: ArrayLike, names: Sequence[str]) -> np.ndarray:
    """Generators as an array [A, N], each of them checked."""
    rows = [np.asarray(generator) for generator in np.asarray(generators, dtype=object).tolist()] if len(names) else []
    if not rows or len({row.shape for row in rows}) > 1 or rows[0].ndim != 1:
        raise ValueError("generators must be permutations of the same places, one list of them per move")
    if len(names) != len(rows) or len(set(names)) < len(rows):
        raise ValueError(f"names must be {len(rows)} different names, one per generator, got {list(names)}")
    n = len(rows[0])
    seen: dict[bytes, str] = {}
    for name, row in zip(names, rows, strict=True):
        if row.dtype.kind not in "iu" or not np.array_equal(np.sort(row), np.arange(n)):
            raise ValueError(f"generator {name!r} is no permutation: it must have each place from 0 to {n - 1} once")
        if np.array_equal(row, np.arange(n)):
            raise ValueError(f"generator {name!r} moves nothing")
        key = row.astype(np.int64).tobytes()
        if key in seen:
            raise ValueError(f"{seen[key]!r} and {name!r} are the same move")
        seen[key] = name
    return np.array(rows, np.int64)


def _with_inverses(moves: np.ndarray, names: list[str]) -> tuple[np.ndarray, list[str], list[int]]:
    """Moves [A, N] with those added that undo others, their names, and which action undoes which."""
    number = {move.tobytes(): name for move, name in zip(moves, names, strict=True)}
    complete: dict[str, np.ndarray] = {}
    for move, name in zip(moves, names, strict=True):
        complete[name] = move
        inverse = np.argsort(move)
        if inverse.tobytes() not in number:
            if name + "'" in names:
                raise ValueError(f"{name + chr(39)!r} does not undo {name!r}; add the move that does to the generators")
            complete[name + "'"] = inverse
            number[inverse.tobytes()] = name + "'"
    order = list(complete)
    return (
        np.array(list(complete.values())),
        order,
        [order.index(number[np.argsort(move).tobytes()]) for move in complete.values()],
    )


def one_of_each_piece(moves: np.ndarray) -> np.ndarray:
    """Places [P] that say, by where their pieces are, where all others are, for moves [A, N]: one sticker of each piece.

    Place j belongs to the piece of place i if the two together get to no more pairs of places than i gets to places.
    """
    n = moves.shape[1]
    pairs = orbits((moves[:, :, None] * n + moves[:, None, :]).reshape(len(moves), -1))
    size_of_pair = np.bincount(pairs, minlength=n * n)[pairs].reshape(n, n)
    size = size_of_pair.diagonal()  # of the orbit of each place
    chosen: list[int] = []
    left = np.ones(n, bool)
    for place in np.argsort(-size, kind="stable"):
        if left[place]:
            chosen.append(int(place))
            left &= size_of_pair[place] > size[place]
    return np.sort(chosen)


def orbits(moves: np.ndarray) -> np.ndarray:
    """The lowest of the places that moves [A, N] connect each place with, [N]."""
    lowest = np.arange(moves.shape[1])
    while True:
        lower = np.minimum(lowest, lowest[moves].min(axis=0))
        if np.array_equal(lower, lowest):
            return lowest
        lowest = lower
