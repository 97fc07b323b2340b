"""Cubes that rotations and reflections make of one another: equally far from the goal, solved by the same moves, turned along.

A symmetric network with a policy reads the canonical representative of such a class of up to 48 cubes; what it says of actions
there is turned back. The inverse of a cube is as far from the goal too, but says nothing of the next move, so it is in a class
of its own here, unlike in the symmetric inputs of embedding.py.
"""

from typing import Any

import numpy as np

from agents.networks.inference import chunks


def canonical(cube: Any, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The canonical representatives [B, S] of states [B, S], their images of lowest hash; and which image each is [B]."""
    states = cube.as_states(states)
    lowest, which = np.empty_like(states), np.empty(len(states), np.int64)
    for part in chunks(len(states)):
        images = cube.symmetries(states[part])  # [b, 48, S]
        hashes = cube.hash(images.reshape(-1, cube.state_size)).reshape(images.shape[:2])
        which[part] = here = hashes.argmin(axis=1)
        lowest[part] = images[np.arange(len(images)), here]
    return lowest, which


def turned_actions(cube: Any, states: np.ndarray, which: np.ndarray) -> np.ndarray:
    """What each action of states [B, S] becomes in their images number which [B]: [B, A]."""
    return cube.symmetric_actions(cube.as_states(states))[np.arange(len(states)), which]
