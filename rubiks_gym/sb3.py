"""The vector environments for stable-baselines3, which has an interface of its own and cannot take Gymnasium's.

    from stable_baselines3 import PPO
    from rubiks_gym.sb3 import PuzzleVecEnv

    env = PuzzleVecEnv("Rubik2x2-v0", num_envs=1024, scramble="fixed", k_max=3)
    PPO("MlpPolicy", env, n_steps=16, batch_size=4096, seed=0).learn(200_000)

It serves every algorithm of stable-baselines3 and sb3-contrib and every puzzle, also those of `register_puzzle`, and gives
MaskablePPO its masks. `import rubiks_gym` does not load this module, which needs torch.
"""

import time
import warnings
from collections import deque
from collections.abc import Sequence
from functools import partial
from inspect import ismethod
from operator import index
from typing import Any

import gymnasium as gym
import numpy as np
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env.base_vec_env import VecEnv, VecEnvIndices, VecEnvStepReturn

from rubiks_gym.envs import PuzzleVectorEnv
from rubiks_gym.envs.vector import AutoresetMode
from rubiks_gym.observations import rows as rows_of
from rubiks_gym.scrambles import AdaptiveK

_PER_COPY = ("action_masks", "get_state", "render")  # what env_method can ask a single copy for
_OF_ONE = {"observation_space": "single_observation_space", "action_space": "single_action_space"}


class PuzzleVecEnv(VecEnv):
    """num_envs copies of a puzzle, advanced together; copy i does exactly what a single one in a DummyVecEnv does.

    Args:
        env: an id such as "Rubik2x2-v0", or a `PuzzleVectorEnv` made with autoreset_mode="same-step".
        num_envs: how many, if env is an id.
        **keywords: those of `gym.make_vec`, if env is an id: observation, reward, scramble, max_episode_steps and so on.

    `env` is the native environment. The info of a copy is empty until its episode ends; then it holds what stable-baselines3
    looks for (`terminal_observation`, `TimeLimit.truncated`, `is_success`, and the `episode` of a `Monitor`) and the
    `scramble_depth`. Masks are asked for, with `action_masks`, and not sent along.
    """

    def __init__(self, env: str | PuzzleVectorEnv, num_envs: int = 1, **keywords: Any) -> None:
        all_keywords = {"autoreset_mode": "same-step", **keywords}
        made = gym.make_vec(env, num_envs=num_envs, **all_keywords) if isinstance(env, str) else env
        if not isinstance(made, PuzzleVectorEnv):
            raise ValueError(f"env must be the id of a puzzle or a PuzzleVectorEnv from gym.make_vec, got {env!r}")
        if made is env and (keywords or num_envs not in (1, made.num_envs)):
            given = ", ".join(keywords) or "num_envs"
            raise ValueError(f"an environment already made cannot take {given}: give that to gym.make_vec, or an id here")
        if made.autoreset_mode is not AutoresetMode.SAME_STEP:
            raise ValueError('stable-baselines3 needs gym.make_vec(..., autoreset_mode="same-step"), no other mode')
        self.env = made
        super().__init__(made.num_envs, made.single_observation_space, made.single_action_space)
        self._actions = np.zeros(0, np.int64)
        self._returns = np.zeros(self.num_envs)  # of the current episodes, as are the lengths
        self._lengths = np.zeros(self.num_envs, np.int64)
        self._began = time.time()

    def reset(self) -> np.ndarray:
        """Start an episode everywhere, with what `seed` and `set_options` were told."""
        obs, info = self.env.reset(seed=self._seeds, options=self._joint_options())
        self._returns[:], self._lengths[:] = 0.0, 0
        self._keep_reset_infos(info, np.arange(self.num_envs))
        self._reset_seeds()
        self._reset_options()
        return obs

    def step_async(self, actions: np.ndarray) -> None:
        """Keep the actions [B] for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Make one move in every copy; where that ends an episode, the observation is the first of the next one."""
        obs, rewards, terminated, truncated, info = self.env.step(self._actions)
        self._returns += rewards
        self._lengths += 1
        dones = terminated | truncated
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        rows = np.flatnonzero(dones)
        if len(rows):
            seconds = round(time.time() - self._began, 6)
            last = rows_of(info["final_obs"], rows)  # few rows, so that an info someone keeps does not hold those of all copies
            depths = info["final_info"]["scramble_depth"]
            columns = (rows, terminated[rows], depths[rows], self._returns[rows], self._lengths[rows])
            for i, (row, solved, depth, earned, length) in enumerate(zip(*(c.tolist() for c in columns), strict=True)):
                infos[row] = {
                    "terminal_observation": rows_of(last, i),
                    "TimeLimit.truncated": not solved,
                    "is_success": solved,
                    "episode": {"r": round(earned, 6), "l": length, "t": seconds},
                    "scramble_depth": depth,
                }
            self._returns[rows], self._lengths[rows] = 0.0, 0
            self._keep_reset_infos(info, rows)
        return obs, rewards.astype(np.float32), dones, infos

    def action_masks(self) -> np.ndarray:
        """Which actions are allowed now, [B, A] bool."""
        return self.env.action_masks()

    def get_state(self) -> dict[str, np.ndarray]:
        """Where all copies are, and what their episodes have earned so far, as arrays. `set_state` goes back there."""
        saved = self.env.get_state() | {"return": self._returns.copy(), "length": self._lengths.copy()}
        scramble = self.env.task.scramble
        if isinstance(scramble, AdaptiveK):
            saved["convergence_points"] = np.array(scramble.convergence_points)
            saved["recent"] = np.array(scramble._recent, bool)
        return saved

    def set_state(self, saved: dict[str, np.ndarray]) -> np.ndarray:
        """Go back to what `get_state` returned, here or in another environment made alike; the observations there.

        A learner goes on from them with `PPO.load(path, env, force_reset=False).learn(steps, reset_num_timesteps=False)`; for
        bit-equal results also restore the states of numpy's and torch's random generators.
        """
        scramble = self.env.task.scramble
        wanted = ["return", "length"] + ["convergence_points", "recent"] * isinstance(scramble, AdaptiveK)
        missing = [key for key in wanted if key not in saved]
        if missing:
            raise ValueError(f"{missing[0]!r} is missing: set_state takes what get_state returned")
        returns, lengths = np.array(saved["return"], np.float64), np.array(saved["length"], np.int64)
        if returns.shape != (self.num_envs,) or lengths.shape != (self.num_envs,):
            raise ValueError(f"the saved 'return' and 'length' must have {self.num_envs} entries each")
        self.env.set_state(saved)
        self._returns, self._lengths = returns, lengths
        if isinstance(scramble, AdaptiveK):
            scramble.convergence_points = int(saved["convergence_points"])
            scramble._recent = deque(np.asarray(saved["recent"]).tolist())
        return self.env.task.observe(self.env.get_state()["state"])

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """An attribute of the native environment, which all copies share, once for each of them."""
        rows = self._rows(indices)
        if attr_name in _PER_COPY:
            return [partial(self._ask_one, attr_name, row) for row in rows]
        return [self._shared(attr_name)] * len(rows)

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set an attribute of the native environment, for all copies: they share it."""
        if len(set(self._rows(indices))) != self.num_envs:
            raise ValueError(f"all {self.num_envs} copies share {attr_name!r}: set it for all of them, without indices")
        self._shared(attr_name)  # a name that nothing reads would be set in silence
        setattr(self.env, _OF_ONE.get(attr_name, attr_name), value)

    def env_method(self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any) -> list[Any]:
        """One mask ("action_masks"), dictionary ("get_state") or picture ("render") for each copy."""
        rows = self._rows(indices)
        if method_name == "compute_reward":  # what HER asks one copy for, for all
            return [self.env.compute_reward(*method_args, **method_kwargs)] * len(rows)
        if method_name not in _PER_COPY:
            raise AttributeError(
                f"copies have no method {method_name!r} of their own, only {', '.join(_PER_COPY)}: "
                "call the methods of the native environment, for all copies together, on `env`"
            )
        answer = getattr(self.env, method_name)(*method_args, **method_kwargs)
        if answer is None:  # nothing to render
            return [None] * len(rows)
        if isinstance(answer, dict):
            return [{key: values[row] for key, values in answer.items()} for row in rows]
        return list(answer) if indices is None else [answer[row] for row in rows]

    def env_is_wrapped(self, wrapper_class: type[gym.Wrapper], indices: VecEnvIndices = None) -> list[bool]:
        """True for `Monitor`, whose work is done here: `evaluate_policy` then takes its figures. No other wrapper is there."""
        return [wrapper_class is Monitor] * len(self._rows(indices))

    def get_images(self) -> Sequence[np.ndarray | None]:
        """A picture of every copy."""
        if self.render_mode != "rgb_array":
            warnings.warn(f'pictures need render_mode="rgb_array", this environment has {self.render_mode!r}', stacklevel=2)
            return [None] * self.num_envs
        return self.env_method("render")

    def close(self) -> None:
        """Close the native environment."""
        self.env.close()

    def _joint_options(self) -> dict[str, Any]:
        """The options of all copies as the native reset takes them: each with one value per copy."""
        options = [each or {} for each in self._options]
        if len(options) != self.num_envs:
            raise ValueError(f"set_options takes one dictionary, or one for each of {self.num_envs} copies, got {len(options)}")
        if all(each is options[0] for each in options):  # one dictionary was set for all
            return options[0]
        if any(each.keys() != options[0].keys() for each in options):
            raise ValueError("either all copies get the same kind of reset option, each its own value, or none gets any")
        return {key: [each[key] for each in options] for key in options[0]}

    def _keep_reset_infos(self, info: dict[str, Any], rows: np.ndarray) -> None:
        """What a single environment's reset would have returned as info, for some rows."""
        kept = {key: info[key][rows] for key in ("action_mask", "scramble_depth", "distance") if key in info}
        for i, row in enumerate(rows.tolist()):
            self.reset_infos[row] = {key: values[i] for key, values in kept.items()}

    def _rows(self, indices: VecEnvIndices) -> list[int]:
        if indices is None:
            return list(range(self.num_envs))
        rows = [index(row) for row in ([indices] if isinstance(indices, int | np.integer) else indices)]
        for row in rows:
            if not -self.num_envs <= row < self.num_envs:
                raise IndexError(f"there is no copy {row}: there are {self.num_envs}, from 0 to {self.num_envs - 1}")
        return [row % self.num_envs for row in rows]

    def _shared(self, name: str) -> Any:
        """An attribute that all copies have in common."""
        value = getattr(self.env, _OF_ONE.get(name, name), self)
        if value is self or ismethod(value):
            raise AttributeError(f"copies have no attribute {name!r} of their own; the native environment is `env`")
        return value

    def _ask_one(self, name: str, row: int) -> Any:
        return self.env_method(name, indices=row)[0]
