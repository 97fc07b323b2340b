"""What a search is guided by: functions of batches of states, whoever made them, and checks of what they answer."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rubiks_gym.puzzles import Puzzle

CostToGo = Callable[[np.ndarray], np.ndarray]  # states [M, S] to moves still needed [M]
Policy = Callable[[np.ndarray], np.ndarray]  # states [M, S] to probabilities of the actions [M, A]


class DecomposedHeuristic(NamedTuple):
    """A cost-to-go in two parts: that of a child is first(state)[action] + second(child).

    The first is known for all children of a state without making any of them, so a search can leave out most of them before
    it works out the second (partial expansion). An agent that has such parts has them as `decomposed`.
    """

    first: Callable[[np.ndarray], np.ndarray]  # states [B, S] to [B, A]
    second: Callable[[np.ndarray], np.ndarray]  # states [M, S] to [M]


def heuristic(cost_to_go: CostToGo, states: np.ndarray) -> np.ndarray:
    """What cost_to_go says of states [M, S], [M] float32; a ValueError names an answer that no search can use."""
    if len(states) == 0:
        return np.zeros(0, np.float32)
    return as_costs("cost_to_go", cost_to_go(states), (len(states),), states)


def as_costs(word: str, answer: ArrayLike, shape: tuple[int, ...], states: np.ndarray) -> np.ndarray:
    """The answer of a function called `word` to states [M, S] as float32 of a shape (M, ...), if it can be."""
    answer = np.asarray(answer)
    if answer.shape != shape or answer.dtype.kind not in "fiu":
        each = "state" if len(shape) == 1 else "child"
        raise ValueError(f"{word} must return one number per {each}, shape {shape}, got {answer.dtype} {answer.shape}")
    with np.errstate(over="ignore"):  # what is too large for 32 bits becomes infinite, and is refused
        costs = answer.astype(np.float32)
    bad = ~np.isfinite(costs)
    if bad.any():
        at = np.argwhere(bad)[0]
        raise ValueError(f"{word} must be finite, got {answer[tuple(at)]} for {states[at[0]].tolist()}")
    return costs


def lookahead_policy(puzzle: Puzzle, cost_to_go: CostToGo, states: np.ndarray, temperature: float = 0.5) -> np.ndarray:
    """A policy [B, A] from a value: softmax of -(cost-to-go of the child) / temperature over the legal actions.

    A child that is solved costs 0 whatever the value says.
    """
    children = puzzle.expand(states).reshape(-1, puzzle.state_size)
    costs = np.where(puzzle.is_solved(children), 0.0, cost_to_go(children)).reshape(len(states), puzzle.n_actions)
    scores = np.where(puzzle.legal(states), -costs / temperature, -np.inf)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


def random_policy(puzzle: Puzzle, states: np.ndarray) -> np.ndarray:
    """Every legal action with the same probability, [B, A]."""
    legal = puzzle.legal(states)
    return legal / legal.sum(axis=1, keepdims=True)
