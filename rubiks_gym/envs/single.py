"""One puzzle as a Gymnasium environment: the batch of one."""

from collections.abc import Callable
from operator import index
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.error import ResetNeeded

from rubiks_gym.checks import whole
from rubiks_gym.envs.task import RENDER_FPS, Task, as_options, check_render_mode, settings_taken
from rubiks_gym.observations import rows
from rubiks_gym.puzzles import GoalPuzzle, Puzzle
from rubiks_gym.puzzles.streams import seeds_from
from rubiks_gym.rendering.window import Window

_FAILED = np.zeros(1, bool)


class PuzzleEnv(gym.Env):
    """Any puzzle of the suite; the registered environments fill in theirs and document it.

    Args:
        puzzle: the puzzle, or what makes one of settings, which are then keywords too.
        render_mode: None, "ansi", "rgb_array" or "human".
        **keywords: scramble, k_max, reward, observation, exact, goal; see `Task`.
    """

    metadata = {"render_modes": ["ansi", "rgb_array", "human"], "render_fps": RENDER_FPS}

    def __init__(self, puzzle: Puzzle | Callable[..., Puzzle], render_mode: str | None = None, **keywords: Any) -> None:
        check_render_mode(render_mode, self.metadata["render_modes"])
        puzzle = settings_taken(puzzle, keywords)
        self.task = Task(puzzle, **keywords)
        self.puzzle, self.render_mode = self.task.puzzle, render_mode
        self.observation_space, self.action_space = self.task.observation_space, self.task.action_space
        self._states = np.zeros((0, self.puzzle.state_size), np.uint8)  # [1, S] once reset
        self._spare = np.zeros((1, self.puzzle.state_size), np.uint8)  # where the next state is written
        self._depths = np.zeros(1, np.int64)
        self._action = np.zeros(1, np.int64)
        self._stream = np.zeros(0, np.uint64)  # [1] once seeded
        self._episode = np.zeros(1, np.int64)
        self._unfinished = False  # a step was made and the goal not reached
        self._window = Window(puzzle.name)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode: scrambled, or from options {"scramble": "R U"}, {"state": [...]} or {"depth": k}."""
        if seed is not None:
            whole(0, seed=seed)
            seed = int(seed)
        super().reset(seed=seed)
        if self._unfinished:  # TimeLimit truncates outside, so an episode given up shows only here
            self.task.record(_FAILED)
            self._unfinished = False
        stream, episode = self._stream, self._episode + 1
        if seed is not None or not len(stream):
            stream = seeds_from(self.np_random, 1) if seed is None else np.array([seed % 2**64], np.uint64)
            episode = np.zeros(1, np.int64)
        self._states, self._depths = self.task.start_from(as_options(options), stream, episode)
        self._stream, self._episode = stream, episode
        if self.render_mode == "human":
            self.render()
        return self._seen()

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Make one move; an illegal one changes nothing and costs a step. Truncation is left to TimeLimit."""
        if not len(self._states):
            raise ResetNeeded("call reset() before step()")
        try:
            self._action[0] = index(action)
        except (TypeError, OverflowError):
            raise ValueError(
                f"an action must be a whole number from 0 to {self.puzzle.n_actions - 1}, got {action!r}"
            ) from None
        states, rewards, solved = self.task.advance(self._states, self._action, self._spare)
        self._states, self._spare = states, self._states
        terminated = solved.item()
        self._unfinished = not terminated
        if terminated:
            self.task.record(solved)
        if self.render_mode == "human":
            self.render()
        observation, info = self._seen()
        return observation, rewards.item(), terminated, False, info

    def action_masks(self) -> np.ndarray:
        """Which actions are allowed now, [A] bool; MaskablePPO asks for it by this name."""
        return self.puzzle.legal(self._current())[0]

    @property
    def compute_reward(self) -> Callable[[np.ndarray, np.ndarray, Any], np.ndarray]:
        """Of achieved goals [B, ...], desired ones and info what such steps, or one step, earn: HER asks for it.

        Only goal-conditioned environments have it, since that is how stable-baselines3 tells them from others.
        """
        if not isinstance(self.puzzle, GoalPuzzle):
            raise AttributeError("rewards follow from goals only in environments made with goal=...")
        return lambda achieved_goal, desired_goal, info: self.task.compute_reward(achieved_goal, desired_goal)

    def get_state(self) -> dict[str, Any]:
        """Where the environment is: puzzle state, scramble depth and random stream. `set_state` goes back there."""
        return {
            "state": self._current()[0].copy(),
            "scramble_depth": int(self._depths[0]),
            "stream": int(self._stream[0]),
            "episode": int(self._episode[0]),
        }

    def set_state(self, saved: dict[str, Any]) -> None:
        """Go back to what `get_state` returned, here or in another environment of the same puzzle."""
        states, depths, stream, episode = self.task.restored(saved, 1)
        self._states, self._depths, self._stream, self._episode = states, depths, stream, episode
        self._unfinished = False

    def render(self) -> str | np.ndarray | None:
        """The current state as text ("ansi"), as a picture ("rgb_array") or in a window ("human")."""
        if self.render_mode is None:
            gym.logger.warn('render() shows nothing without a render mode: gym.make(..., render_mode="rgb_array")')
            return None
        state = self._current()[0]
        if self.render_mode == "ansi":
            return self.puzzle.ansi(state)
        picture = self.puzzle.image(state)
        if self.render_mode == "rgb_array":
            return picture
        self._window.show(picture, self.metadata["render_fps"])
        return None

    def close(self) -> None:
        """Close the window, if one is open."""
        self._window.close()

    def _current(self) -> np.ndarray:
        if not len(self._states):
            raise ResetNeeded("call reset() first: there is no state yet")
        return self._states

    def _seen(self) -> tuple[Any, dict[str, Any]]:
        """The observation and the info of the current state."""
        seen, info = self.task.observe(self._states), self.task.info(self._states, self._depths)
        for key, values in info.items():
            info[key] = values[0]
        return rows(seen, 0) if isinstance(seen, dict) else seen[0], info
