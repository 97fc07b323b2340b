"""Cubes that rotations and reflections make of one another: equally far from the goal, solved by the same moves, turned along.

A symmetric network reads one representative of up to 48 such cubes; what it says of actions there is turned back. The inverse
of a cube is as far from the goal too, but says nothing of the next move, so it is not taken for the same here, as it is by the
symmetric rows of agents/rows.py.
"""

import numpy as np

from rubiks_gym.puzzles import Puzzle

_CHUNK = 4096  # states whose 48 images are looked at together


def representatives(puzzle: Puzzle, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For states [B, S] the image of lowest hash [B, S], the same for all states that are alike; and which image it is [B]."""
    states = puzzle.as_states(states)
    lowest, which = np.empty_like(states), np.empty(len(states), np.int64)
    for start in range(0, len(states), _CHUNK):
        images = puzzle.symmetries(states[start : start + _CHUNK])  # [b, 48, S]
        hashes = puzzle.hash(images.reshape(-1, puzzle.state_size)).reshape(images.shape[:2])
        which[start : start + _CHUNK] = here = hashes.argmin(axis=1)
        lowest[start : start + _CHUNK] = images[np.arange(len(images)), here]
    return lowest, which


def turned_actions(puzzle: Puzzle, states: np.ndarray, which: np.ndarray) -> np.ndarray:
    """What each action of states [B, S] becomes in their images number which [B]: [B, A]."""
    return puzzle.symmetric_actions(puzzle.as_states(states))[np.arange(len(states)), which]
