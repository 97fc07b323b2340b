"""What an agent is: a cost-to-go in moves, a policy in probabilities, and a way to be written down."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from rubiks_gym.puzzles import Puzzle

CostToGo = Callable[[np.ndarray], np.ndarray]  # states [M, S] to moves still needed [M]


class Parts(NamedTuple):
    """A cost-to-go in two parts: that of a child is first(state)[action] + second(child).

    The first is known for all children of a state without making any of them, so a search can leave out most of them before
    it works out the second. An agent that has such parts has them as `parts`.
    """

    first: Callable[[np.ndarray], np.ndarray]  # states [B, S] to [B, A]
    second: Callable[[np.ndarray], np.ndarray]  # states [M, S] to [M]


class Agent(Protocol):
    """Both functions take states [B, S]. Lower cost-to-go is better; its unit is moves."""

    puzzle: Puzzle

    def cost_to_go(self, states: np.ndarray) -> np.ndarray:
        """Estimated moves to the goal [B]."""
        ...

    def policy(self, states: np.ndarray) -> np.ndarray:
        """Probability of each action [B, A]; 0 where an action is illegal."""
        ...

    def arrays(self) -> dict[str, np.ndarray]:
        """All that has to be stored besides `settings`."""
        ...

    def settings(self) -> dict[str, Any]:
        """What `from_stored` needs besides the arrays, as JSON."""
        ...

    @classmethod
    def from_stored(cls, puzzle: Puzzle, settings: dict[str, Any], arrays: dict[str, np.ndarray]) -> "Agent":
        """The agent that `settings` and `arrays` describe."""
        ...


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


def run_folder(path: str | Path) -> Path:
    """The path if it is a folder, else an error that says what a run folder is."""
    folder = Path(path)
    if not folder.is_dir():
        raise FileNotFoundError(f"no run folder at {folder}: give the folder that a training script made")
    return folder
