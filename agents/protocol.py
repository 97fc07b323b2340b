"""What an agent is: a cost-to-go in moves, a policy in probabilities, and a way to be written down."""

from typing import Any, NamedTuple, Protocol

import numpy as np

from rubiks_gym.puzzles import Puzzle


class Agent(Protocol):
    """Both functions take states [B, S]. Lower cost-to-go is better; its unit is moves.

    An agent may also have `decomposed`, a `rubiks_gym.search.DecomposedHeuristic`, or `child_costs`, the cost-to-go of all
    children [B, A] at once (None if it does not know them), and `SEARCH`, the search that suits it: a dict of defaults that
    whatever a user sets overrides.
    """

    puzzle: Puzzle
    looks_ahead: bool  # whether `policy` looks at the children of a state, which a search then counts as nodes

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


class Preset(NamedTuple):
    """Settings by name: what `--preset NAME` of a training script stands for."""

    puzzle: str  # its name
    config: Any  # the learner's settings, a frozen dataclass
    about: str  # one line for --help
