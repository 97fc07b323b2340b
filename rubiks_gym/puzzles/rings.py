"""Tokens in a row that are turned over: TopSpin, where they are on a ring, and pancakes, where they are on a stack."""

import numpy as np

from rubiks_gym.checks import whole
from rubiks_gym.puzzles.permutation import PermutationPuzzle


class TopSpin(PermutationPuzzle):
    """n tokens on a ring, k of which are on a turnstile: L and R shift them all by one place, T turns the k over.

    The turnstile holds places 0 to k - 1. A state says where each token is.
    """

    def __init__(self, n: int = 20, k: int = 4) -> None:
        whole(3, 100, n=n)
        whole(2, int(n) - 1, k=k)
        self.n, self.k = int(n), int(k)
        left, turned = (np.arange(n) - 1) % n, np.concatenate([np.arange(k)[::-1], np.arange(k, n)])
        super().__init__(f"top-spin-{n}-{k}", [left, np.argsort(left), turned], ["L", "R", "T"], k_max=4 * self.n)

    def ansi(self, state: np.ndarray) -> str:
        """The tokens in the order of places, those on the turnstile in brackets."""
        tokens = [str(token + 1) for token in np.argsort(self.check(state)[0])]
        return f"[{' '.join(tokens[: self.k])}] {' '.join(tokens[self.k :])}"

    def image(self, state: np.ndarray) -> np.ndarray:
        """The ring, [H, W, 3] uint8."""
        from rubiks_gym.rendering.board import ring_image

        return ring_image(np.argsort(self.check(state)[0]), self.k)


class Pancake(PermutationPuzzle):
    """A stack of n pancakes; action "k" turns the k on top over. A state says where each is, from 0 (top), smallest first."""

    def __init__(self, n: int = 10) -> None:
        whole(2, 100, n=n)
        self.n = int(n)
        flips = [[*range(k)[::-1], *range(k, self.n)] for k in range(2, self.n + 1)]
        super().__init__(f"pancake-{n}", flips, [str(k) for k in range(2, self.n + 1)], k_max=2 * self.n)

    def ansi(self, state: np.ndarray) -> str:
        """The stack, from the top down."""
        sizes = np.argsort(self.check(state)[0]) + 1
        return "\n".join(f"{'=' * int(2 * size):^{2 * self.n}} {size}" for size in sizes)

    def image(self, state: np.ndarray) -> np.ndarray:
        """The stack, [H, W, 3] uint8."""
        from rubiks_gym.rendering.board import stack_image

        return stack_image(np.argsort(self.check(state)[0]))
