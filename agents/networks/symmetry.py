"""Cubes that rotations and reflections make of one another: equally far from the goal, solved by the same moves, turned along.

A symmetric network with a policy reads the canonical representative of such a class of up to 48 cubes; what it says of actions
there is turned back. The inverse of a cube is as far from the goal too, but says nothing of the next move, so it is in a class
of its own here, unlike in the symmetric inputs of embedding.py.
"""

import numpy as np

from agents.networks.inference import chunks
from rubiks_gym.puzzles import Puzzle


def canonical(puzzle: Puzzle, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The canonical representatives [B, S] of states [B, S], their images of lowest hash; and which image each is [B]."""
    states = puzzle.as_states(states)
    lowest, which = np.empty_like(states), np.empty(len(states), np.int64)
    for part in chunks(len(states)):
        images = puzzle.symmetries(states[part])  # [b, 48, S]
        hashes = puzzle.hash(images.reshape(-1, puzzle.state_size)).reshape(images.shape[:2])
        which[part] = here = hashes.argmin(axis=1)
        lowest[part] = images[np.arange(len(images)), here]
    return lowest, which


def turned_actions(puzzle: Puzzle, states: np.ndarray, which: np.ndarray) -> np.ndarray:
    """What each action of states [B, S] becomes in their images number which [B]: [B, A]."""
    return puzzle.symmetric_actions(puzzle.as_states(states))[np.arange(len(states)), which]
