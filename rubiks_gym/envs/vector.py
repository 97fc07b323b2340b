"""Many copies of one puzzle advanced together: a native Gymnasium vector environment."""

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.utils import seeding
from gymnasium.vector import VectorEnv
from gymnasium.vector.utils import batch_space

from rubiks_gym.checks import array, whole
from rubiks_gym.envs.task import RENDER_FPS, Task, as_options, check_render_mode, settings_taken
from rubiks_gym.puzzles import Puzzle
from rubiks_gym.puzzles.streams import seeds_from
from rubiks_gym.puzzles.threads import copied, over_rows

try:
    from gymnasium.vector import AutoresetMode
except ImportError:  # before gymnasium 1.1

    class AutoresetMode(Enum):  # type: ignore[no-redef]
        """What becomes of a copy whose episode has ended."""

        NEXT_STEP, SAME_STEP, DISABLED = "NextStep", "SameStep", "Disabled"


NEVER = float("inf")


class PuzzleVectorEnv(VectorEnv):
    """num_envs puzzles; copy i with seed s does exactly what a single environment with seed s + i does.

    Args:
        puzzle: the puzzle, or what makes one of settings, which are then keywords too.
        num_envs: how many.
        max_episode_steps: truncate episodes after this many steps.
        autoreset_mode: "next-step" (Gymnasium's default), "same-step" or "disabled", or the `AutoresetMode` itself.
        render_mode: None, "ansi" or "rgb_array".
        **keywords: scramble, k_max, reward, observation, exact, goal; see `Task`. All copies share one scramble object, so an
            adaptive scramble counts the successes of all of them.

    In same-step mode `info["final_obs"]` [B, ...] and `info["final_info"]` hold the last observation and info of the episodes
    that have just ended; the masks `_final_obs` and `_final_info` [B] say which rows count.
    """

    metadata = {
        "render_modes": ["ansi", "rgb_array"],
        "render_fps": RENDER_FPS,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }
    closed, viewer = False, None  # gymnasium before 1.0 sets them in a constructor that is not called here

    def __init__(
        self,
        puzzle: Puzzle | Callable[..., Puzzle],
        num_envs: int = 1,
        max_episode_steps: float = NEVER,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        **keywords: Any,
    ) -> None:
        check_render_mode(render_mode, self.metadata["render_modes"])
        puzzle = settings_taken(puzzle, keywords)
        whole(1, num_envs=num_envs)
        if max_episode_steps is not NEVER:
            whole(1, max_episode_steps=max_episode_steps)
        self.autoreset_mode = _autoreset_mode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self.task = Task(puzzle, **keywords)
        self.puzzle, self.render_mode = self.task.puzzle, render_mode
        self.num_envs, self.max_episode_steps = num_envs, max_episode_steps
        self.single_observation_space, self.single_action_space = self.task.observation_space, self.task.action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._states: np.ndarray | None = None  # [B, S]
        self._spare: np.ndarray | None = None  # [B, S], where the next states are written
        self._depths = np.zeros(num_envs, np.int64)
        self._streams = np.zeros(0, np.uint64)  # [B] once seeded
        self._episodes = np.zeros(num_envs, np.int64)
        self._elapsed = np.zeros(num_envs, np.int64)
        self._everywhere = np.ones(num_envs, bool)
        self._ended = np.zeros(num_envs, bool)  # episodes that the last step ended and nothing has reset yet

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Start an episode everywhere, or where options["reset_mask"] [B] is True; other options as in the single one.

        A seed s gives copy i the seed s + i; a sequence gives each its own. "state", "scramble" and "depth" take one value
        for all copies that are reset, or one for each of them.
        """
        options = as_options(options)
        rows = self._rows_to_reset(options.pop("reset_mask", None))
        streams, episodes = self._seeded(seed, rows)
        states, depths = self.task.start_from(options, streams[rows], episodes[rows])
        self._streams, self._episodes = streams, episodes
        if self._states is None:
            self._states, self._spare = np.empty((2, self.num_envs, self.puzzle.state_size), np.uint8)
        self._place(self._states, rows, states, depths)
        self._ended[rows] = False
        return self.task.observe(self._states), self._infos(self._states)

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Make one move in every copy; those whose episode ended in the last step start a new one instead (next-step)."""
        if self._states is None:
            raise ResetNeeded("call reset() before step()")
        if self.autoreset_mode is AutoresetMode.DISABLED and np.count_nonzero(self._ended):
            raise ResetNeeded(f'copy {self._ended.argmax()} has ended: call reset(options={{"reset_mask": mask}}) for it first')
        actions = self.puzzle.as_actions(actions, self.num_envs)
        states, rewards, solved = self.task.advance(self._states, actions, self._spare)
        truncated = np.empty(self.num_envs, bool)
        over_rows(_tick, (self.max_episode_steps,), (self._elapsed, truncated))
        if self.autoreset_mode is AutoresetMode.NEXT_STEP and np.count_nonzero(self._ended):
            rows = np.flatnonzero(self._ended)
            self._restart(states, rows)
            rewards[rows], solved[rows], truncated[rows] = 0.0, False, False
        self._ended = solved | truncated
        final: dict[str, Any] = {}
        if np.count_nonzero(self._ended):
            self.task.record(solved[self._ended])
            if self.autoreset_mode is AutoresetMode.SAME_STEP:
                rows = np.flatnonzero(self._ended)
                final = self._final(states, rows)
                self._restart(states, rows)
                self._ended = np.zeros(self.num_envs, bool)
        self._states, self._spare = states, self._states  # two buffers in turn: fresh memory for a million cubes is slow
        return self.task.observe(states), rewards, solved, truncated, self._infos(states) | final

    def action_masks(self) -> np.ndarray:
        """Which actions are allowed now, [B, A] bool."""
        return self.puzzle.legal(self._current())

    def compute_reward(self, achieved_goal: np.ndarray, desired_goal: np.ndarray, info: Any) -> np.ndarray:
        """What steps earn that end at achieved goals [B, ...] on the way to desired ones."""
        return self.task.compute_reward(achieved_goal, desired_goal)

    def get_state(self) -> dict[str, np.ndarray]:
        """Where all copies are, as arrays with one row each. `set_state` goes back there."""
        return {
            "state": self._current().copy(),
            "scramble_depth": self._depths.copy(),
            "stream": self._streams.copy(),
            "episode": self._episodes.copy(),
            "elapsed": self._elapsed.copy(),
            "ended": self._ended.copy(),
        }

    def set_state(self, saved: dict[str, np.ndarray]) -> None:
        """Go back to what `get_state` returned, here or in another environment of the same puzzle and size."""
        states, depths, streams, episodes = self.task.restored(saved, self.num_envs)
        (elapsed,) = array("whole numbers", (self.num_envs,), 0, elapsed=saved.get("elapsed"))
        (ended,) = array("True or False", (self.num_envs,), ended=saved.get("ended"))
        self._states, self._spare = states, np.empty_like(states)
        self._depths, self._streams, self._episodes = depths, streams, episodes
        self._elapsed, self._ended = elapsed.astype(np.int64), ended.copy()

    def render(self) -> tuple[Any, ...] | None:
        """One text or picture for every copy."""
        draw = {None: None, "ansi": self.puzzle.ansi, "rgb_array": self.puzzle.image}[self.render_mode]
        return None if draw is None else tuple(draw(state) for state in self._current())

    def _current(self) -> np.ndarray:
        if self._states is None:
            raise ResetNeeded("call reset() first: there are no states yet")
        return self._states

    def _restart(self, states: np.ndarray, rows: np.ndarray) -> None:
        """Begin the next episode in some rows of states."""
        self._episodes[rows] += 1
        self._place(states, rows, *self.task.start(self._streams[rows], self._episodes[rows]))

    def _place(self, states: np.ndarray, rows: np.ndarray, starts: np.ndarray, depths: np.ndarray) -> None:
        states[rows], self._depths[rows], self._elapsed[rows] = starts, depths, 0

    def _infos(self, states: np.ndarray) -> dict[str, np.ndarray]:
        """The info of every row, with the presence masks (all True) that Gymnasium's vector environments add."""
        infos = self.task.info(states, copied(self._depths))
        for key in tuple(infos):
            infos[f"_{key}"] = copied(self._everywhere)
        return infos

    def _final(self, states: np.ndarray, rows: np.ndarray) -> dict[str, Any]:
        """Last observation and info of the episodes in some rows."""

        def spread(values: np.ndarray) -> np.ndarray:
            out = np.zeros((self.num_envs, *values.shape[1:]), values.dtype)
            out[rows] = values
            return out

        final = self.task.observe(states[rows])
        final_info: dict[str, np.ndarray] = {}
        for key, values in self.task.info(states[rows], self._depths[rows]).items():
            final_info |= {key: spread(values), f"_{key}": self._ended.copy()}
        return {
            "final_obs": {key: spread(each) for key, each in final.items()} if isinstance(final, dict) else spread(final),
            "_final_obs": self._ended.copy(),
            "final_info": final_info,
            "_final_info": self._ended.copy(),
        }

    def _rows_to_reset(self, mask: np.ndarray | None) -> np.ndarray:
        if mask is None:
            return np.arange(self.num_envs)
        if not isinstance(mask, np.ndarray) or mask.dtype != bool or mask.shape != (self.num_envs,) or not mask.any():
            raise ValueError(f"options['reset_mask'] must be a bool array of shape ({self.num_envs},) with at least one True")
        if self._states is None and not mask.all():
            raise ResetNeeded("the first reset must be of all copies")
        return np.flatnonzero(mask)

    def _checked_seeds(self, seed: Any) -> list[Any]:
        """No seed, one, or one (or None) for each copy."""
        if seed is None:
            return []
        seeds = list(seed) if _is_sequence(seed) else [seed]
        if _is_sequence(seed) and len(seeds) != self.num_envs:
            raise ValueError(f"a sequence of seeds must have one for each of the {self.num_envs} copies, got {len(seeds)}")
        for each in seeds:
            if each is not None:
                whole(0, seed=each)
        return [None if each is None else int(each) for each in seeds]

    def _seeded(self, seed: int | Sequence[int | None] | None, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Streams and episode numbers [B] after a reset of some rows with a seed."""
        seeds = self._checked_seeds(seed)
        if seeds and not _is_sequence(seed):
            self._np_random, self._np_random_seed = seeding.np_random(seeds[0])
        streams = seeds_from(self.np_random, self.num_envs) if not len(self._streams) else self._streams.copy()
        episodes = self._episodes.copy()
        episodes[rows] = 0 if not len(self._streams) else episodes[rows] + 1
        if len(seeds) == 1 and not _is_sequence(seed):
            streams[rows] = np.uint64(seeds[0] % 2**64) + rows.astype(np.uint64)
            episodes[rows] = 0
        elif seeds:
            for row in rows:
                if seeds[row] is not None:
                    streams[row], episodes[row] = seeds[row] % 2**64, 0
        return streams, episodes


def _is_sequence(seed: Any) -> bool:
    return isinstance(seed, list | tuple) or (isinstance(seed, np.ndarray) and seed.ndim > 0)


def _tick(limit: float, elapsed: np.ndarray, truncated: np.ndarray) -> bool:
    """Count a step, and truncate where the limit is reached: also where that step solved the puzzle, like TimeLimit."""
    np.add(elapsed, 1, out=elapsed)
    np.greater_equal(elapsed, limit, out=truncated)
    return True


def _autoreset_mode(mode: str | AutoresetMode) -> AutoresetMode:
    names = {
        "next-step": AutoresetMode.NEXT_STEP,
        "same-step": AutoresetMode.SAME_STEP,
        "disabled": AutoresetMode.DISABLED,
    }
    names |= {known.value: known for known in AutoresetMode}
    if isinstance(mode, AutoresetMode):
        return mode
    if mode not in names:
        raise ValueError(f"autoreset_mode must be 'next-step', 'same-step' or 'disabled', got {mode!r}")
    return names[mode]
