"""Cubes that rotations and reflections make of one another: equally far from the goal, solved by the same moves, turned along.

A symmetric network with a policy reads the canonical representative of such a class of up to 48 cubes; what it says of actions
there is turned back. The inverse of a cube is as far from the goal too, but says nothing of the next move, so it is in a class
of its own here, unlike in the symmetric inputs of embedding.py.

The representative is the lowest image in lexicographic order: its first pieces are where few representatives have others, so
that a network has less to tell apart. On the 3x3x3, whose classes are too many to be seen twice, that is what makes it worth
while: a representative drawn by a hash is as varied as the cubes themselves.
"""

from typing import Any

import numpy as np

from agents.networks.inference import chunks
from rubiks_gym.puzzles import kernels
from rubiks_gym.puzzles.threads import over_rows


def canonical(cube: Any, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The canonical representatives [B, S] of states [B, S], their lowest images; and which image each is [B]."""
    states = cube.as_states(states)
    representatives, which = np.empty_like(states), np.empty(len(states), np.int64)
    for part in chunks(len(states)):
        over_rows(kernels.lowest, (), (cube.symmetries(states[part]), representatives[part], which[part]))
    return representatives, which


def turned_actions(cube: Any, states: np.ndarray, which: np.ndarray) -> np.ndarray:
    """What each action of states [B, S] becomes in their images number which [B]: [B, A]."""
    states, turned = cube.as_states(states), np.empty((len(states), cube.n_actions), np.int64)
    for part in chunks(len(states)):
        turned[part] = cube.symmetric_actions(states[part])[np.arange(len(states[part])), which[part]]
    return turned
