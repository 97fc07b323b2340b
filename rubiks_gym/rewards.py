"""What a step earns. A reward is a function of a batch of transitions:

reward(states [B, S], actions [B], next_states [B, S], solved [B] bool) -> [B] float64

The field `name`, which nobody sets, makes the fields of a reward, as JSON, say which it is: `make_reward` reads them back.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rubiks_gym.checks import array, number
from rubiks_gym.puzzles import Puzzle
from rubiks_gym.puzzles.threads import copied

Reward = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], np.ndarray]
_FLOAT64 = np.dtype(np.float64)


@dataclass(frozen=True)
class Sparse:
    """1 for reaching the goal, else 0."""

    name: str = field(default="sparse", init=False, repr=False)

    def __call__(self, states: np.ndarray, actions: np.ndarray, next_states: np.ndarray, solved: np.ndarray) -> np.ndarray:
        return copied(solved, _FLOAT64)


@dataclass(frozen=True)
class StepCost:
    """Every step earns `cost`, the one that reaches the goal `goal_reward` more (Konen 2023: c = -0.1, R = 1).

    The cost may be one number for each action: [-1] * 12 + [-1.5] * 6 for half turns that cost more.
    """

    cost: float | Sequence[float] = -0.1
    goal_reward: float = 1.0
    name: str = field(default="step-cost", init=False, repr=False)

    def __post_init__(self) -> None:
        number(goal_reward=self.goal_reward)
        array("finite numbers", (np.size(self.cost),) if np.ndim(self.cost) else (), cost=self.cost)

    def __call__(self, states: np.ndarray, actions: np.ndarray, next_states: np.ndarray, solved: np.ndarray) -> np.ndarray:
        costs = np.asarray(self.cost, _FLOAT64)
        return (costs[actions] if costs.ndim else costs) + self.goal_reward * solved


@dataclass(frozen=True)
class PlusMinusOne:
    """+1 for reaching the goal, else -1 (DeepCube)."""

    name: str = field(default="deepcube", init=False, repr=False)

    def __call__(self, states: np.ndarray, actions: np.ndarray, next_states: np.ndarray, solved: np.ndarray) -> np.ndarray:
        return 2.0 * solved - 1.0


@dataclass(frozen=True)
class Potential:
    """Another reward plus gamma * phi(s') - phi(s) with phi = -cost_to_go: denser, and the same policies stay optimal.

    That holds if gamma is the learner's discount factor. cost_to_go maps states [B, S] to moves [B]: the `distance` of an
    exact table, or a learned agent. At the goal phi is 0 whatever cost_to_go says.
    """

    cost_to_go: Callable[[np.ndarray], np.ndarray]
    gamma: float = 0.99
    base: Reward = Sparse()

    def __post_init__(self) -> None:
        if not callable(self.cost_to_go):
            raise ValueError(f"cost_to_go must be a function from states [B, S] to moves [B], got {self.cost_to_go!r}")
        number(above=0, most=1, gamma=self.gamma)
        object.__setattr__(self, "base", _checked(self.base))

    def __call__(self, states: np.ndarray, actions: np.ndarray, next_states: np.ndarray, solved: np.ndarray) -> np.ndarray:
        next_phi = np.where(solved, 0.0, self._phi(next_states))
        return self.base(states, actions, next_states, solved) + self.gamma * next_phi - self._phi(states)

    def _phi(self, states: np.ndarray) -> np.ndarray:
        (costs,) = array("finite numbers", (len(states),), **{"what cost_to_go returns": self.cost_to_go(states)})
        return -costs.astype(np.float64)


@dataclass(frozen=True)
class Custom:
    """A user's function, its result checked. It may look at the arrays during the call: they are not its own to keep."""

    function: Reward

    def __call__(self, states: np.ndarray, actions: np.ndarray, next_states: np.ndarray, solved: np.ndarray) -> np.ndarray:
        views = [array.view() for array in (states, actions, next_states, solved)]
        for view in views:
            view.flags.writeable = False
        (rewards,) = array("finite numbers", solved.shape, **{"rewards, one per transition,": self.function(*views)})
        return rewards.astype(np.float64)


REWARDS = {"sparse": Sparse, "step-cost": StepCost, "deepcube": PlusMinusOne, "potential": Potential}


def _checked(reward: Reward) -> Reward:
    """The reward itself if it is one of ours, else with its results checked."""
    if not callable(reward) or isinstance(reward, type):
        raise ValueError(f"a reward must be a name or a function of (states, actions, next_states, solved), got {reward!r}")
    return reward if type(reward) in REWARDS.values() else Custom(reward)


def _fitting(reward: Reward, puzzle: Puzzle) -> Reward:
    if isinstance(reward, StepCost) and np.ndim(reward.cost):
        array("finite numbers", (puzzle.n_actions,), cost=reward.cost)
    return reward


def depends_on_goal_alone(reward: Reward) -> bool:
    """Whether a reward looks at nothing but whether the goal is reached."""
    return isinstance(reward, Sparse | PlusMinusOne) or (isinstance(reward, StepCost) and not np.ndim(reward.cost))


def make_reward(reward: str | dict[str, Any] | Reward, puzzle: Puzzle) -> Reward:
    """The reward of a name, or the function itself. "potential" by name takes the puzzle's exact table.

    A dictionary is a name and settings, {"name": "step-cost", "cost": -1.0, "goal_reward": 0.0}: what a file can hold.
    """
    settings = dict(reward) if isinstance(reward, dict) else {}
    if isinstance(reward, dict):
        reward = str(settings.pop("name", ""))
    if not isinstance(reward, str):
        return _fitting(_checked(reward), puzzle)
    if reward not in REWARDS:
        raise ValueError(f"unknown reward {reward!r}: choose from {', '.join(REWARDS)}, or pass a function")
    if reward == "potential":
        from rubiks_gym.exact import ExactTable, has_table

        if not has_table(puzzle):
            raise ValueError(
                f"reward 'potential' needs true distances, which {puzzle.name} does not have; "
                "pass rubiks_gym.rewards.Potential(cost_to_go) with a learned cost-to-go instead"
            )
        return Potential(ExactTable(puzzle).distance, **settings)
    return _fitting(REWARDS[reward](**settings), puzzle)
