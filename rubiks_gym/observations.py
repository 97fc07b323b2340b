"""What an agent sees of a state: a function from states [B, S] to observations [B, ...], and the space of one of them.

| name | cube | Hanoi |
|---|---|---|
| stickers | colour of each facelet in URFDLB order | |
| cubies | position of each piece, then its orientation | |
| state | location of each piece's reference sticker | peg of each disk |
| one-hot | the state, one-hot, float32 | the state, one-hot, float32 |
| one-hot-uint8 | the same in a quarter of the memory | the same in a quarter of the memory |
"""

from collections.abc import Callable
from functools import partial

import numpy as np
from gymnasium import spaces

from rubiks_gym.checks import choice
from rubiks_gym.puzzles import Puzzle
from rubiks_gym.puzzles.threads import copied

Observe = Callable[[np.ndarray], np.ndarray]
_ONE_HOT: dict[str, np.dtype] = {"one-hot": np.dtype(np.float32), "one-hot-uint8": np.dtype(np.uint8)}


def make_observation(name: str, puzzle: Puzzle) -> tuple[Observe, spaces.Space]:
    """The encoder of a puzzle's observation and its space.

    One-hot forms are a Box: of float32, which every library's networks take as it is, or of uint8. Categories come as
    MultiDiscrete, which stable-baselines3 turns into one-hot by itself.
    """
    choice(puzzle.observations, observation=name)
    if name in _ONE_HOT:
        dtype, size = _ONE_HOT[name], puzzle.state_size * puzzle.one_hot_width
        return partial(puzzle.one_hot, dtype=dtype), spaces.Box(0, 1, (size,), dtype.type)
    observe = copied if name == "state" else getattr(puzzle, name.replace("-", "_"))
    space = spaces.MultiDiscrete(puzzle.categories(name), dtype=np.uint8)
    space.nvec = space.nvec.astype(np.int64)  # stable-baselines3 adds them up to size its network, which 8 bits cannot hold
    return observe, space
