"""Puzzles whose moves are one table, in any of the forms that the kernels know: compiled moves, children and walks."""

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from rubiks_gym.puzzles import kernels
from rubiks_gym.puzzles.puzzle import AT_A_TIME, BOOL, LONGEST, UINT8, Puzzle, Sequences
from rubiks_gym.puzzles.threads import over_rows


class TabledPuzzle(Puzzle):
    """A puzzle that also has `moves`, set by its constructor: a table [A, ...] of a form that `kernels` lists."""

    moves: np.ndarray

    @cached_property
    def _step_tables(self) -> tuple[np.ndarray, np.ndarray]:
        """What the kernel of a step reads: writeable, since numba tells the types of such arrays faster."""
        return self.moves.copy(), self.goal.copy()

    def apply(self, states: np.ndarray, actions: ArrayLike) -> np.ndarray:
        """The states [B, S] after one action each."""
        states = self.as_states(states)
        actions = self.as_actions(actions, len(states))
        out = np.empty_like(states)
        if not over_rows(kernels.apply, (self.moves,), (states, actions, out)):
            self.refuse_actions(actions)
        return out

    def step_unchecked(
        self, states: np.ndarray, actions: np.ndarray, out: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        if out is None:
            out = np.empty(states.shape, UINT8)
        solved = np.empty(len(states), BOOL)
        if not over_rows(kernels.step, self._step_tables, (states, actions, out, solved)):
            self.refuse_actions(actions)
        return out, solved

    def expand(self, states: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """All children [B, A, S], written into out if it is given."""
        states = self.as_states(states)
        out = self.room_for_children(states, out)
        over_rows(kernels.expand, (self.moves,), (states, out))
        return out

    def _walk(self, seeds: np.ndarray, depths: np.ndarray, sequences: Sequences, path: np.ndarray | None) -> np.ndarray:
        tables = (self.moves, *sequences[1:], self.goal)
        out = np.empty((len(seeds), self.state_size), np.uint8) if path is None else path
        rows = (seeds, depths, out) if path is None else (seeds, out)
        kernel = kernels.walk if path is None else kernels.walks
        if len(seeds) * LONGEST <= AT_A_TIME:
            over_rows(kernel, tables, rows)
            return out
        at_a_time = AT_A_TIME // max(int(depths.max()), 1)
        for start in range(0, len(seeds), at_a_time):
            over_rows(kernel, tables, tuple(array[start : start + at_a_time] for array in rows))
        return out
