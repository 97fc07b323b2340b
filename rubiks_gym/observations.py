"""What an agent sees of a state: a function from states [B, S] to observations [B, ...], and the space of one of them.

| name | 2x2x2, 3x3x3 | other twisty puzzles | Hanoi, boards, rings |
|---|---|---|---|
| stickers | colour of each facelet in URFDLB order | colour of each sticker (not larger cubes: their state) | |
| cubies | position of each piece, then its orientation | | |
| state | location of each piece's reference sticker | the same, or colours (larger cubes) | as its page says |
| one-hot | the state, one-hot, float32 | the same | the same |
| one-hot-uint8 | the same in a quarter of the memory | the same | the same |
"""

from collections.abc import Callable
from copy import deepcopy
from functools import partial
from typing import Any

import numpy as np
from gymnasium import spaces

from rubiks_gym.checks import choice
from rubiks_gym.puzzles import GoalPuzzle, Puzzle
from rubiks_gym.puzzles.threads import copied

Observe = Callable[[np.ndarray], Any]
_ONE_HOT: dict[str, np.dtype] = {"one-hot": np.dtype(np.float32), "one-hot-uint8": np.dtype(np.uint8)}


def rows(seen: Any, which: Any) -> Any:
    """Some rows, or one, of observations [B, ...], or of each in a dictionary of them."""
    return {key: values[which] for key, values in seen.items()} if isinstance(seen, dict) else seen[which]


def _one_hot(puzzle: Puzzle, dtype: np.dtype, states: np.ndarray) -> np.ndarray:
    return puzzle.one_hot(states, dtype)


def _with_goals(see: Observe, puzzle: GoalPuzzle, states: np.ndarray) -> dict[str, np.ndarray]:
    now, goals = puzzle.halves(states)
    seen = see(now)
    return {"observation": seen, "achieved_goal": seen.copy(), "desired_goal": see(goals)}


def make_observation(name: str, puzzle: Puzzle) -> tuple[Observe, spaces.Space]:
    """The encoder of a puzzle's observation and its space; with goals, a dictionary as stable-baselines3's HER wants it.

    One-hot forms are a Box: of float32, which every library's networks take as it is, or of uint8. Categories come as
    MultiDiscrete, which stable-baselines3 turns into one-hot by itself.
    """
    if isinstance(puzzle, GoalPuzzle):
        see, space = make_observation(name, puzzle.puzzle)
        keys = ("observation", "achieved_goal", "desired_goal")
        return partial(_with_goals, see, puzzle), spaces.Dict({key: deepcopy(space) for key in keys})
    choice(puzzle.observations, observation=name)
    if name in _ONE_HOT:
        dtype, size = _ONE_HOT[name], puzzle.state_size * puzzle.one_hot_width
        return partial(_one_hot, puzzle, dtype), spaces.Box(0, 1, (size,), dtype.type)
    observe = copied if name == "state" else getattr(puzzle, name.replace("-", "_"))
    space = spaces.MultiDiscrete(puzzle.categories(name), dtype=np.uint8)
    space.nvec = space.nvec.astype(np.int64)  # stable-baselines3 adds them up to size its network, which 8 bits cannot hold
    return observe, space
