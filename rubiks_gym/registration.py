"""The list of environments. Entry points are strings, so that `import rubiks_gym` loads no compiler and no puzzle."""

from collections.abc import Callable
from typing import Any

import gymnasium as gym

# id -> (name of its classes in rubiks_gym.envs, time limit: a few times the longest shortest solution)
ENVIRONMENTS: dict[str, tuple[str, int]] = {
    "Rubik2x2-v0": ("Rubik2x2", 60),
    "Rubik3x3-v0": ("Rubik3x3", 100),
    "Hanoi-v0": ("Hanoi", 200),
}

for _id, (_name, _limit) in ENVIRONMENTS.items():
    gym.register(
        _id,
        entry_point=f"rubiks_gym.envs:{_name}Env",
        vector_entry_point=f"rubiks_gym.envs:{_name}VectorEnv",
        max_episode_steps=_limit,
    )


def register_puzzle(id: str, puzzle: Callable[..., Any] | Any, max_episode_steps: int, **keywords: Any) -> None:
    """Give a puzzle of your own its environments, single and vector.

    Args:
        id: the environment's id, for example "LightsOut-v0".
        puzzle: a `rubiks_gym.puzzles.Puzzle`.
        max_episode_steps: the time limit.
        **keywords: defaults for scramble, k_max, reward, observation; `gym.make` can override them.
    """
    gym.register(
        id,
        entry_point="rubiks_gym.envs:PuzzleEnv",
        vector_entry_point="rubiks_gym.envs:PuzzleVectorEnv",
        max_episode_steps=max_episode_steps,
        kwargs={"puzzle": puzzle, **keywords},
    )
