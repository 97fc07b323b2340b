"""Sliding tiles, as the 15-puzzle: a state says which tile is at each place, row by row; 0 is the blank, last when solved."""

from functools import cached_property
from math import factorial

import numpy as np
from numpy.typing import ArrayLike

from rubiks_gym.checks import whole
from rubiks_gym.puzzles import kernels
from rubiks_gym.puzzles.puzzle import BOOL, UINT8, Puzzle, Sequences, _frozen, without_undo
from rubiks_gym.puzzles.streams import below, counter, draw
from rubiks_gym.puzzles.tabled import TabledPuzzle
from rubiks_gym.puzzles.threads import over_rows

_DIRECTIONS = {"U": (1, 0), "D": (-1, 0), "L": (0, 1), "R": (0, -1)}  # where the tile comes from, seen from the blank


class SlidingTile(TabledPuzzle):
    """Tiles on a board of any size: an action slides the tile below (U), above (D), right (L) or left (R) of the blank into it.

    What a slide does to the places depends on where the blank is, so `moves` has a row for each place and action.
    """

    def __init__(self, rows: int = 4, columns: int = 4) -> None:
        whole(2, 10, rows=rows, columns=columns)
        self.rows, self.columns = int(rows), int(columns)
        n = self.rows * self.columns
        comes_from = np.full((n, 4), -1, np.int64)  # the place of the tile that slides into a blank
        for place in range(n):
            for a, (down, right) in enumerate(_DIRECTIONS.values()):
                row, column = place // self.columns + down, place % self.columns + right
                if 0 <= row < self.rows and 0 <= column < self.columns:
                    comes_from[place, a] = row * self.columns + column
        moves = np.tile(np.arange(n), (4 * n, 1))
        for number, other in enumerate(comes_from.ravel().tolist()):
            if other >= 0:
                moves[number, number // 4], moves[number, other] = other, number // 4
        self._comes_from, self.moves = _frozen(comes_from, np.int64), _frozen(moves, np.uint16)
        super().__init__(
            name=f"sliding-tile-{rows}-{columns}",
            goal=[*range(1, n), 0],
            n_values=n,
            action_names=list(_DIRECTIONS),
            inverse_action=[1, 0, 3, 2],
            k_max=5 * n,
            n_states=factorial(n) // 2,
        )
        self._odd = _frozen(np.indices((self.rows, self.columns)).sum(axis=0).ravel() % 2, np.int64)  # as on a chessboard

    def apply(self, states: np.ndarray, actions: ArrayLike) -> np.ndarray:
        """The states [B, S] after one action each; an illegal one changes nothing."""
        states = self.as_states(states)
        return self.step_unchecked(states, self.as_actions(actions, len(states)))[0]

    def step_unchecked(
        self, states: np.ndarray, actions: np.ndarray, out: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        if out is None:
            out = np.empty(states.shape, UINT8)
        solved = np.empty(len(states), BOOL)
        if not over_rows(kernels.slide_step, (self._comes_from, self.goal), (states, actions, out, solved)):
            self.check(states)
            self.refuse_actions(actions)
        return out, solved

    def legal(self, states: np.ndarray) -> np.ndarray:
        """Which actions have a tile to slide, [B, A] bool."""
        return self._each(states, kernels.slide_legal, (self._comes_from,), (4,), BOOL)

    def expand(self, states: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """All children [B, A, S], written into out if it is given; the child of an illegal action is the state itself."""
        return Puzzle.expand(self, states, out)

    @cached_property
    def _sequences(self) -> dict[str, Sequences]:
        """Of walks. The place of the blank is part of a machine's nodes: it decides what is legal, and what an action does."""
        n, no_undo = self.state_size, without_undo(self.inverse_action)
        order = np.roll(np.arange(n), 1)  # places; the one that the blank starts at is node 0
        legal, goes_to = self._comes_from[order] >= 0, np.argsort(order)[self._comes_from[order]]  # [S, A]
        found = {}
        for kind, form in {"any": np.zeros((1, 4), np.int64), "no undo": no_undo, "canonical": no_undo}.items():
            nodes = np.where(legal & (form[:, None] >= 0), form[:, None] * n + goes_to, -1).reshape(-1, 4).astype(np.int16)
            found[kind] = Sequences.of(nodes, np.tile(4 * order[:, None] + np.arange(4), (len(form), 1)))
        return found

    # States ---------------------------------------------------------------------------------------------------------

    def random_states(self, seeds: np.ndarray) -> np.ndarray:
        """States [B, S] uniform over all that can be reached, one per seed: shuffled, two tiles exchanged if that is odd."""
        seeds, n = self.as_seeds(seeds), self.state_size
        states, rows = np.tile(np.arange(n, dtype=np.uint8), (len(seeds), 1)), np.arange(len(seeds))
        for i in range(n - 1, 0, -1):
            other = below(draw(seeds, counter(i)), np.uint64(i + 1)).astype(np.int64)
            states[rows, i], states[rows, other] = states[rows, other], states[rows, i].copy()
        return self._made_even(states)

    def index(self, states: np.ndarray) -> np.ndarray:
        """Perfect index [B] int64: the place of the blank, and half the rank of the order of the tiles."""
        self._needs_index()
        states = self.as_states(states)
        if not self._reachable(states).all():
            self.check(states)
        n = self.state_size
        tiles = states[states != 0].reshape(-1, n - 1)
        rank = np.zeros(len(states), np.int64)
        for i in range(n - 1):
            rank = rank * (n - 1 - i) + (tiles[:, i + 1 :] < tiles[:, i : i + 1]).sum(axis=1)
        return (states == 0).argmax(axis=1) * (factorial(n - 1) // 2) + rank // 2

    def from_index(self, index: ArrayLike) -> np.ndarray:
        """The states [B, S] of perfect indices [B]."""
        index, n = self.as_index(index), self.state_size
        blank, rank = index // (factorial(n - 1) // 2), index % (factorial(n - 1) // 2) * 2
        rows, free = np.arange(len(index)), np.tile(np.arange(1, n, dtype=np.uint8), (len(index), 1))
        states = np.zeros((len(index), n), np.uint8)
        for i in range(n - 1):
            nth = rank // factorial(n - 2 - i) % (n - 1 - i)
            states[rows, i + (i >= blank)] = free[rows, nth]
            free = np.where(np.arange(n - 2 - i) < nth[:, None], free[:, :-1], free[:, 1:])
        return self._made_even(states)

    def check(self, states: ArrayLike) -> np.ndarray:
        """The states as a batch, or a ValueError for the first that no slides lead to."""
        states = super().check(states)
        reachable = self._reachable(states)
        if not reachable.all():
            state = states[reachable.argmin()]
            whole = (np.sort(state) == np.arange(self.state_size)).all()
            why = "two tiles are exchanged" if whole else f"it must have each of 0 to {self.state_size - 1} once"
            raise ValueError(f"impossible state of {self.name}: {why}, in {state.tolist()}")
        return states

    def _reachable(self, states: np.ndarray) -> np.ndarray:
        """Which states have every tile once, in an order that slides lead to, [B] bool."""
        whole = (np.sort(states, axis=1) == np.arange(self.state_size)).all(axis=1)
        return whole & (self._parity(states) == self._parity(self.goal[None]))

    def _parity(self, states: np.ndarray) -> np.ndarray:
        """What no slide changes [B]: a slide exchanges two entries, and the blank gets to a place of the other colour."""
        n_out_of_order = sum((states[:, i + 1 :] < states[:, i : i + 1]).sum(axis=1) for i in range(self.state_size))
        return (n_out_of_order + self._odd[(states == 0).argmax(axis=1)]) % 2

    def _made_even(self, states: np.ndarray) -> np.ndarray:
        """The states, with their last two tiles exchanged where that is what it takes to reach them."""
        (wrong,) = np.nonzero(self._parity(states) != self._parity(self.goal[None]))
        blank = (states[wrong] == 0).argmax(axis=1)
        last, before = (self.state_size - k - (blank >= self.state_size - k) for k in (1, 2))
        states[wrong, last], states[wrong, before] = states[wrong, before], states[wrong, last].copy()
        return states

    # Pictures -------------------------------------------------------------------------------------------------------

    def ansi(self, state: np.ndarray) -> str:
        """The board as text."""
        width = len(str(self.state_size - 1))
        cells = [f"{tile or '':>{width}}" for tile in self.check(state)[0]]
        return "\n".join(" ".join(cells[i : i + self.columns]) for i in range(0, self.state_size, self.columns))

    def image(self, state: np.ndarray) -> np.ndarray:
        """The board, [H, W, 3] uint8."""
        from rubiks_gym.rendering.board import tiles_image

        return tiles_image(self.check(state)[0].reshape(self.rows, self.columns))
