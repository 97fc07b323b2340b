"""What an agent sees of a state: a function from states [B, S] to observations [B, ...], and the space of one of them.

| name | cube | Hanoi |
|---|---|---|
| stickers | colour of each facelet in URFDLB order | |
| cubies | position of each piece, then its orientation | |
| state | location of each piece's reference sticker | peg of each disk |
| one-hot | the state, one-hot | the state, one-hot |
"""

from collections.abc import Callable

import numpy as np
from gymnasium import spaces

from rubiks_gym.puzzles import Puzzle
from rubiks_gym.puzzles.threads import copied

Observe = Callable[[np.ndarray], np.ndarray]


def make_observation(name: str, puzzle: Puzzle) -> tuple[Observe, spaces.Space]:
    """The encoder of a puzzle's observation and its space.

    Categories come as MultiDiscrete, which stable-baselines3 turns into one-hot by itself; the one-hot form is a uint8 Box.
    """
    if name not in puzzle.observations:
        raise ValueError(f"unknown observation {name!r} for {puzzle.name}: choose from {', '.join(puzzle.observations)}")
    observe = copied if name == "state" else getattr(puzzle, name.replace("-", "_"))
    if name == "one-hot":
        return observe, spaces.Box(0, 1, (puzzle.state_size * puzzle.one_hot_width,), np.uint8)
    space = spaces.MultiDiscrete(puzzle.categories(name), dtype=np.uint8)
    space.nvec = space.nvec.astype(np.int64)  # stable-baselines3 adds them up to size its network, which 8 bits cannot hold
    return observe, space
