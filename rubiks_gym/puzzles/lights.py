"""Lights Out: a press changes a lamp and its neighbours; all lamps have to go out. A state is a bit for each lamp."""

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from rubiks_gym.checks import whole
from rubiks_gym.puzzles import kernels
from rubiks_gym.puzzles.puzzle import INT64, _frozen
from rubiks_gym.puzzles.streams import draw
from rubiks_gym.puzzles.tabled import TabledPuzzle


class LightsOut(TabledPuzzle):
    """Lamps in a square; action "rc" presses the one in row r and column c (hexadecimal digits)."""

    def __init__(self, side: int = 5) -> None:
        whole(2, 16, side=side)
        self.side = int(side)
        rows, columns = np.indices((self.side, self.side)).reshape(2, -1)
        near = np.abs(rows[:, None] - rows) + np.abs(columns[:, None] - columns) <= 1
        self.moves = _frozen(near, np.int8)  # [A, S] which lamps a press changes
        self._pivots, self._basis = _reduced(near)
        super().__init__(
            name=f"lights-out-{side}",
            goal=np.zeros(self.side**2),
            n_values=2,
            action_names=[f"{r:x}{c:x}" for r, c in zip(rows, columns, strict=True)],
            inverse_action=range(self.side**2),
            k_max=self.side**2,
            n_states=2 ** len(self._pivots),
        )

    def random_states(self, seeds: np.ndarray) -> np.ndarray:
        """States [B, S] uniform over all that can be reached, one per seed: every lamp is pressed or not."""
        words = draw(self.as_seeds(seeds)[:, None], np.arange(4, dtype=np.uint64))  # [B, 4]: 256 bits
        bits = words[:, :, None] >> np.arange(64, dtype=np.uint64) & np.uint64(1)
        pressed = bits.reshape(len(words), 256)[:, : self.n_actions].astype(np.float32)
        return (pressed @ self.moves.astype(np.float32)).astype(np.int64).astype(np.uint8) & 1

    def index(self, states: np.ndarray) -> np.ndarray:
        """Perfect index [B] int64: the lamps that determine the others, as bits."""
        self._needs_index()
        return self._each(states, kernels.lights_rank, self._rank_tables, (), INT64)

    @cached_property
    def _rank_tables(self) -> tuple[np.ndarray, np.ndarray]:
        """The lamps that determine the others, and the pattern of each as a number; all that have an index are of 64 bits."""
        bits = 1 << np.arange(self.state_size, dtype=np.uint64)
        return self._pivots.astype(np.uint64), (self._basis.astype(np.uint64) * bits).sum(axis=1, dtype=np.uint64)

    def from_index(self, index: ArrayLike) -> np.ndarray:
        """The states [B, S] of perfect indices [B]."""
        return self._completed(self.as_index(index)[:, None] >> np.arange(len(self._pivots)) & 1)

    def check(self, states: ArrayLike) -> np.ndarray:
        """The states as a batch, or a ValueError for the first that no presses lead to."""
        states = super().check(states)
        reachable = self._reachable(states)
        if not reachable.all():
            raise ValueError(f"impossible state of {self.name}: no presses put out {states[reachable.argmin()].tolist()}")
        return states

    def _reachable(self, states: np.ndarray) -> np.ndarray:
        return (self._completed(states[:, self._pivots]) == states).all(axis=1)

    def _completed(self, bits: np.ndarray) -> np.ndarray:
        """The states [B, S] with bits [B, rank] at the lamps that determine the others."""
        return (bits.astype(np.float32) @ self._basis).astype(np.int64).astype(np.uint8) & 1

    def ansi(self, state: np.ndarray) -> str:
        """The lamps that are on as #."""
        return "\n".join(" ".join("·#"[lamp] for lamp in row) for row in self.check(state)[0].reshape(self.side, -1))

    def image(self, state: np.ndarray) -> np.ndarray:
        """The lamps, [H, W, 3] uint8."""
        from rubiks_gym.rendering.board import lights_image

        return lights_image(self.check(state)[0].reshape(self.side, -1))


def _reduced(presses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The lamps [rank] that determine the others, and for each the reachable state [rank, S] float32 with it alone among them.

    Gauss's elimination modulo 2.
    """
    rows: np.ndarray = np.array(presses, bool)
    pivots: list[int] = []
    for column in range(rows.shape[1]):
        below = np.flatnonzero(rows[len(pivots) :, column]) + len(pivots)
        if len(below):
            rank = len(pivots)
            rows[[rank, below[0]]] = rows[[below[0], rank]]
            others = rows[:, column].copy()
            others[rank] = False
            rows[others] ^= rows[rank]
            pivots.append(column)
    return np.array(pivots), rows[: len(pivots)].astype(np.float32)
