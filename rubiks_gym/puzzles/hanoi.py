"""Towers of Hanoi: a state lists the peg of each disk, smallest first; the goal is every disk on the last peg."""

from itertools import permutations

import numpy as np
from numpy.typing import ArrayLike

from rubiks_gym.checks import whole
from rubiks_gym.puzzles import kernels
from rubiks_gym.puzzles.puzzle import BOOL, UINT8, Puzzle, _frozen
from rubiks_gym.puzzles.streams import below, draw
from rubiks_gym.puzzles.threads import over_rows


class Hanoi(Puzzle):
    """Hanoi with any number of disks and at least three pegs; an action "ab" moves the top disk of peg a to peg b."""

    def __init__(self, disks: int = 3, pegs: int = 3) -> None:
        whole(1, 64, disks=disks)
        whole(3, 16, pegs=pegs)
        self.disks, self.pegs = int(disks), int(pegs)
        pairs = list(permutations(range(self.pegs), 2))
        super().__init__(
            name=f"hanoi-{disks}-{pegs}",
            goal=[self.pegs - 1] * self.disks,
            n_values=self.pegs,
            action_names=[f"{a:x}{b:x}" for a, b in pairs],
            inverse_action=[pairs.index((b, a)) for a, b in pairs],
            k_max=min(2**self.disks - 1, 1000),
            n_states=self.pegs**self.disks,
        )
        self.start = _frozen(np.zeros(self.disks), np.uint8)
        self._pegs_of = (_frozen([a for a, _ in pairs], np.int64), _frozen([b for _, b in pairs], np.int64))

    def apply(self, states: np.ndarray, actions: ArrayLike) -> np.ndarray:
        """The states [B, S] after one action each; an illegal move changes nothing."""
        states = self.as_states(states)
        return self.step_unchecked(states, self.as_actions(actions, len(states)))[0]

    def step_unchecked(
        self, states: np.ndarray, actions: np.ndarray, out: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        if out is None:
            out = np.empty(states.shape, UINT8)
        solved = np.empty(len(states), BOOL)
        if not over_rows(kernels.hanoi_step, (*self._pegs_of, self.goal), (states, actions, out, solved)):
            self.refuse_actions(actions)
        return out, solved

    def legal(self, states: np.ndarray) -> np.ndarray:
        """Which moves put a disk on an empty peg or on a larger disk, [B, A] bool."""
        return self._each(states, kernels.hanoi_legal, self._pegs_of, (self.n_actions,), BOOL)

    def random_states(self, seeds: np.ndarray) -> np.ndarray:
        """States [B, S] uniform over all pegs^disks, one per seed."""
        seeds = self.as_seeds(seeds)
        return below(draw(seeds[:, None], np.arange(self.disks, dtype=np.uint64)), np.uint64(self.pegs)).astype(np.uint8)

    def index(self, states: np.ndarray) -> np.ndarray:
        """Perfect index [B] int64, 0..pegs^disks - 1: the pegs as digits, the smallest disk's lowest."""
        self._needs_index()
        states = self.as_states(states)
        if (states >= self.pegs).any():
            self.check(states)
        return states @ self.pegs ** np.arange(self.disks)

    def from_index(self, index: ArrayLike) -> np.ndarray:
        """The states [B, S] of perfect indices [B]."""
        return (self.as_index(index)[:, None] // self.pegs ** np.arange(self.disks) % self.pegs).astype(np.uint8)

    def ansi(self, state: np.ndarray) -> str:
        """The towers in colour."""
        from rubiks_gym.rendering.ansi import hanoi_ansi

        return hanoi_ansi(self.check(state)[0], self.pegs)

    def image(self, state: np.ndarray) -> np.ndarray:
        """Pegs and disks, [H, W, 3] uint8."""
        from rubiks_gym.rendering.image import hanoi_image

        return hanoi_image(self.check(state)[0], self.pegs)
