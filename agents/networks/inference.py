"""What a network's outputs become on their way to an agent's answers."""

from collections.abc import Iterator

import numpy as np
import torch

from rubiks_gym.puzzles import Puzzle

CHUNK = 4096  # states evaluated at a time: what one layer hands to the next stays in the processor's cache


def chunks(n: int) -> Iterator[slice]:
    """Slices of CHUNK states that cover a batch of n."""
    for start in range(0, n, CHUNK):
        yield slice(start, start + CHUNK)


def as_cost_to_go(puzzle: Puzzle, states: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """Costs [B] float32 of states [B, S] with what is certain: 0 at the goal, at least 1 elsewhere."""
    costs = np.maximum(costs, np.float32(1))
    costs[puzzle.is_solved(states)] = 0
    return costs


def as_probabilities(scores: torch.Tensor, legal: np.ndarray) -> np.ndarray:
    """The softmax [B, A] float32 of scores [B, A] over the legal actions [B, A]; the others have probability 0."""
    return torch.softmax(scores.masked_fill_(torch.from_numpy(~legal), -torch.inf), dim=1).numpy()
