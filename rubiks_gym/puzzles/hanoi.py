"""Towers of Hanoi: a state lists the peg of each disk, smallest first; the goal is every disk on the last peg."""

from itertools import permutations

import numpy as np
from numpy.typing import ArrayLike

from rubiks_gym.checks import whole
from rubiks_gym.puzzles import kernels
from rubiks_gym.puzzles.puzzle import Puzzle, _frozen
from rubiks_gym.puzzles.streams import below, counter, draw
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
        actions = self.as_actions(actions, len(states))
        out = np.empty_like(states)
        if not over_rows(kernels.hanoi_apply, self._pegs_of, (states, actions, out)):
            self.refuse_actions(actions)
        return out

    def legal(self, states: np.ndarray) -> np.ndarray:
        """Which moves put a disk on an empty peg or on a larger disk, [B, A] bool."""
        states = self.as_states(states)
        out = np.empty((len(states), self.n_actions), bool)
        over_rows(kernels.hanoi_legal, self._pegs_of, (states, out))
        return out

    def random_states(self, seeds: np.ndarray) -> np.ndarray:
        """States [B, S] uniform over all pegs^disks, one per seed."""
        seeds = self.as_seeds(seeds)
        pegs = [below(draw(seeds, counter(i)), np.uint64(self.pegs)) for i in range(self.disks)]
        return np.stack(pegs, axis=1).astype(np.uint8)

    def index(self, states: np.ndarray) -> np.ndarray:
        """Perfect index [B] int64, 0..pegs^disks - 1."""
        self._needs_few_states()
        states = self.as_states(states)
        out = np.empty(len(states), np.int64)
        if not over_rows(kernels.hanoi_rank, (self.pegs,), (states, out)):
            self.check(states)
        return out

    def from_index(self, index: ArrayLike) -> np.ndarray:
        """The states [B, S] of perfect indices [B]."""
        self._needs_few_states()
        index = self.as_index(index)
        out = np.empty((len(index), self.state_size), np.uint8)
        if not over_rows(kernels.hanoi_unrank, (self.pegs,), (index, out)):
            raise ValueError(f"an index of {self.name} is between 0 and {self.n_states - 1}")
        return out

    def _needs_few_states(self) -> None:
        if not self.enumerable:
            raise ValueError(f"{self.name} has {self.n_states} states, too many for a 64-bit index")

    def ansi(self, state: np.ndarray) -> str:
        """The towers in colour."""
        from rubiks_gym.rendering.ansi import hanoi_ansi

        return hanoi_ansi(self.check(state)[0], self.pegs)

    def image(self, state: np.ndarray) -> np.ndarray:
        """Pegs and disks, [H, W, 3] uint8."""
        from rubiks_gym.rendering.image import hanoi_image

        return hanoi_image(self.check(state)[0], self.pegs)
