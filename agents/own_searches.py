"""What a learner of tables learns from its own searches: backups of states they kept, and the moves left on their solutions."""

from collections.abc import Sequence

import numpy as np

from rubiks_gym.puzzles import Puzzle
from rubiks_gym.search import Perimeter
from rubiks_gym.search.heuristic import CostToGo

_AT_A_TIME = 1 << 14  # states whose children are made at once


def backups(puzzle: Puzzle, perimeter: Perimeter, cost_to_go: CostToGo, states: np.ndarray) -> np.ndarray:
    """Bellman backups y [B] float32 of states [B, S] outside the perimeter: 1 + the least cost-to-go of a child.

    That of a child is exact inside the perimeter and at least its radius + 1 outside.
    """
    targets = np.empty(len(states), np.float32)
    for first in range(0, len(states), _AT_A_TIME):
        some = states[first : first + _AT_A_TIME]
        children = puzzle.expand(some)
        costs, inside = perimeter.evaluate(cost_to_go, children.reshape(-1, puzzle.state_size))
        costs = np.where(inside, costs, np.maximum(costs, perimeter.radius + 1)).reshape(children.shape[:2])
        targets[first : first + _AT_A_TIME] = 1 + np.where(puzzle.legal(some), costs, np.inf).min(axis=1)
    return targets


def on_the_way(puzzle: Puzzle, paths: Sequence[tuple[np.ndarray, list[int]]]) -> tuple[np.ndarray, np.ndarray]:
    """The states [M, S] that solutions (a start [S] and its moves) pass before the goal, and the moves left [M] float32."""
    states, left = [], []
    for state, moves in paths:
        for i, action in enumerate(moves):
            states.append(state)
            left.append(len(moves) - i)
            state = puzzle.apply(state[None], np.array([action]))[0]
    return np.array(states, np.uint8).reshape(-1, puzzle.state_size), np.array(left, np.float32)
