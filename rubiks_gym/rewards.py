"""What a step earns. A reward is a function of a batch of transitions:

reward(states [B, S], actions [B], next_states [B, S], solved [B] bool) -> [B] float64
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rubiks_gym.checks import number
from rubiks_gym.puzzles import Puzzle
from rubiks_gym.puzzles.threads import copied

Reward = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], np.ndarray]
_FLOAT64 = np.dtype(np.float64)


@dataclass(frozen=True)
class Sparse:
    """1 for reaching the goal, else 0."""

    def __call__(self, states: np.ndarray, actions: np.ndarray, next_states: np.ndarray, solved: np.ndarray) -> np.ndarray:
        return copied(solved, _FLOAT64)


@dataclass(frozen=True)
class StepCost:
    """Every step earns `cost`, the one that reaches the goal `goal_reward` more (Konen 2023: c = -0.1, R = 1)."""

    cost: float = -0.1
    goal_reward: float = 1.0

    def __call__(self, states: np.ndarray, actions: np.ndarray, next_states: np.ndarray, solved: np.ndarray) -> np.ndarray:
        return float(self.cost) + float(self.goal_reward) * solved


@dataclass(frozen=True)
class PlusMinusOne:
    """+1 for reaching the goal, else -1 (DeepCube)."""

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
        costs = np.asarray(self.cost_to_go(states), np.float64)
        if costs.shape != (len(states),) or not np.isfinite(costs).all():
            raise ValueError(f"cost_to_go must return {len(states)} finite numbers, got shape {costs.shape}: {costs}")
        return -costs


@dataclass(frozen=True)
class Custom:
    """A user's function, its result checked. It may look at the arrays during the call: they are not its own to keep."""

    function: Reward

    def __call__(self, states: np.ndarray, actions: np.ndarray, next_states: np.ndarray, solved: np.ndarray) -> np.ndarray:
        views = [array.view() for array in (states, actions, next_states, solved)]
        for view in views:
            view.flags.writeable = False
        rewards = np.array(self.function(*views), np.float64)
        if rewards.shape != solved.shape:
            raise ValueError(
                f"the reward function must return one number per transition, shape {solved.shape}, got {rewards.shape}"
            )
        return rewards


REWARDS = {"sparse": Sparse, "step-cost": StepCost, "deepcube": PlusMinusOne, "potential": Potential}


def _checked(reward: Reward) -> Reward:
    """The reward itself if it is one of ours, else with its results checked."""
    if not callable(reward) or isinstance(reward, type):
        raise ValueError(f"a reward must be a name or a function of (states, actions, next_states, solved), got {reward!r}")
    return reward if type(reward) in REWARDS.values() else Custom(reward)


def make_reward(reward: str | Reward, puzzle: Puzzle) -> Reward:
    """The reward of a name, or the function itself. "potential" by name takes the puzzle's exact table."""
    if not isinstance(reward, str):
        return _checked(reward)
    if reward not in REWARDS:
        raise ValueError(f"unknown reward {reward!r}: choose from {', '.join(REWARDS)}, or pass a function")
    if reward == "potential":
        from rubiks_gym.exact import ExactTable, has_table

        if not has_table(puzzle):
            raise ValueError(
                f"reward 'potential' needs true distances, which {puzzle.name} does not have; "
                "pass rubiks_gym.rewards.Potential(cost_to_go) with a learned cost-to-go instead"
            )
        return Potential(ExactTable(puzzle).distance)
    return REWARDS[reward]()
