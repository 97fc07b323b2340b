"""A puzzle whose goal is part of its state, for agents that are told where to go."""

import numpy as np
from numpy.typing import ArrayLike

from rubiks_gym.puzzles.puzzle import Puzzle
from rubiks_gym.puzzles.streams import mix


class GoalPuzzle(Puzzle):
    """States [B, 2S]: those of a puzzle, and beside each where it is to go. Moves leave the goals alone.

    Args:
        puzzle: any puzzle.
        goal: the state [S] that is the goal of all; None: every walk begins at a goal of its own, uniform over all states if
            the puzzle can draw such, else k_max random moves from the puzzle's goal.
    """

    def __init__(self, puzzle: Puzzle, goal: ArrayLike | None = None) -> None:
        target = puzzle.goal if goal is None else puzzle.check(goal)[0]
        rules = (puzzle.n_values, puzzle.action_names, puzzle.inverse_action)
        super().__init__(f"goal-{puzzle.name}", np.tile(target, 2), *rules, np.tile(puzzle.first, 2), puzzle.k_max)
        self.puzzle, self.one_goal, self.observations = puzzle, goal is not None, puzzle.observations
        self.faces = puzzle.faces
        if puzzle.start is not None and self.one_goal:
            self.start = np.concatenate([puzzle.start, target])

    def halves(self, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Where they are and where they are to go, [B, S] each."""
        now, goals = np.split(self.as_states(states), 2, axis=1)
        return np.ascontiguousarray(now), np.ascontiguousarray(goals)

    def apply(self, states: np.ndarray, actions: np.ndarray) -> np.ndarray:
        now, goals = self.halves(states)
        return np.hstack([self.puzzle.apply(now, actions), goals])

    def legal(self, states: np.ndarray) -> np.ndarray:
        return self.puzzle.legal(self.halves(states)[0])

    def is_solved(self, states: np.ndarray) -> np.ndarray:
        now, goals = self.halves(states)
        return (now == goals).all(axis=1)

    def origins(self, seeds: np.ndarray) -> np.ndarray:
        goals = self._goals(seeds)
        return np.hstack([goals, goals])

    def random_states(self, seeds: np.ndarray) -> np.ndarray:
        return np.hstack([self.puzzle.random_states(seeds), self._goals(self.as_seeds(seeds))])

    def _goals(self, seeds: np.ndarray) -> np.ndarray:
        if self.one_goal:
            return np.tile(self.halves(self.goal[None])[1], (len(seeds), 1))
        try:
            return self.puzzle.random_states(mix(seeds))
        except NotImplementedError:
            return self.puzzle.walk(mix(seeds), np.full(len(seeds), self.k_max))

    def check(self, states: ArrayLike) -> np.ndarray:
        """States with their goals [B, 2S]; those that come without, [B, S], are to go to `goal`."""
        states = np.atleast_2d(np.asarray(states))
        if states.shape[1:] == self.puzzle.goal.shape:
            states = np.hstack([states, np.tile(self.halves(self.goal[None])[1], (len(states), 1))])
        if states.shape[1:] != self.goal.shape:
            raise ValueError(f"a state of {self.name} is one of {self.puzzle.name} and its goal, got shape {states.shape}")
        return np.hstack([self.puzzle.check(half) for half in np.split(states, 2, axis=1)])

    def parse(self, text: str) -> list[int]:
        return self.puzzle.parse(text)

    def ansi(self, state: np.ndarray) -> str:
        return self.puzzle.ansi(state[: self.puzzle.state_size])

    def image(self, state: np.ndarray) -> np.ndarray:
        return self.puzzle.image(state[: self.puzzle.state_size])
