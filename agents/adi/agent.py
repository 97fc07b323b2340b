"""The trained network as an agent: values of rewards +1 and -1 become moves.

A move that solves earns +1, any other -1, and nothing is earned from the goal on. A state d moves away is then worth
V = 1 - (d - 1), so

    cost_to_go = 2 - V    and 0 at the goal,

where the formula would say 2: the goal is worth 0, its neighbours 1. The other way round, `mcts-deepcube` and
`mcts-betacube-vanilla` of rubiks_gym.search make V = 2 - cost_to_go, the network's own value. A network that was trained
without fixing the goal's value (see learner.py) knows values up to a constant only, which is what it takes the goal to be
worth, `goal_value`: its cost_to_go is 2 - (V - goal_value).

Differs from the papers in: the cost is at least 1 away from the goal, whatever the network says; actions that are not legal
(Hanoi) have probability 0.
"""

from typing import Any

import numpy as np
import torch

from agents.adi.network import Architecture, Network, make_network, probabilities, values
from agents.networks.embedding import feature_indices, make_features
from agents.networks.hardware import CPU, Hardware
from agents.networks.inference import as_cost_to_go
from agents.networks.symmetry import canonical, turned_actions
from agents.networks.weights import load_weights, network_arrays
from rubiks_gym.puzzles import Cube, Puzzle
from rubiks_gym.search.heuristic import ChildCosts


class Adi:
    """A joint network: value, cost-to-go and policy.

    Args:
        puzzle: any puzzle.
        architecture: of the network.
        network: the network (default: an untrained one).
        goal_value: what the network's values take the goal to be worth.
    """

    looks_ahead = False
    SEARCH = {"search": "mcts-deepcube"}

    def __init__(
        self, puzzle: Puzzle, architecture: Architecture, network: Network | None = None, goal_value: float = 0.0
    ) -> None:
        if architecture.symmetric and not isinstance(puzzle, Cube):
            raise ValueError(f"{puzzle.name} has no symmetries: symmetric networks are for cubes")
        self.puzzle, self.architecture, self.goal_value = puzzle, architecture, float(goal_value)
        self.features = make_features(puzzle, architecture.input)
        self.network = make_network(self.features, puzzle.n_actions, architecture, 0) if network is None else network
        self.hardware = CPU

    def place(self, hardware: Hardware) -> "Adi":
        """Let the network compute on other hardware; returns the agent."""
        self.hardware = hardware
        self.network.to(hardware.device)
        return self

    def read(self, states: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """What the network reads of states [B, S]: feature indices [B, T]; and, if it is symmetric, of which image [B]."""
        if not self.architecture.symmetric:
            return feature_indices(self.puzzle, self.features, states), None
        representatives, which = canonical(self.puzzle, states)
        return feature_indices(self.puzzle, self.features, representatives), which

    def value(self, states: np.ndarray) -> np.ndarray:
        """The network's value [B] float32, of the goal too."""
        if self.architecture.per_action:
            return np.where(self.puzzle.legal(states), self.q(states), np.float32(-np.inf)).max(axis=1)
        return values(self.network, self.read(states)[0], self.hardware)

    def q(self, states: np.ndarray) -> np.ndarray:
        """What a network with an output per action says that each is worth [B, A] float32."""
        indices, which = self.read(states)
        return self._in_order(states, which, values(self.network, indices, self.hardware))

    def _in_order(self, states: np.ndarray, which: np.ndarray | None, found: np.ndarray) -> np.ndarray:
        """What the network says of the actions [B, A] of images number which [B], as said of those of states [B, S]."""
        return found if which is None else np.take_along_axis(found, turned_actions(self.puzzle, states, which), 1)

    @property
    def child_costs(self) -> ChildCosts | None:
        """Cost-to-go [B, A] float32 of all children of states [B, S] by one pass, if the network has an output per action.

        A child is worth q + 1, the goal q - 1 and it costs 0, not 2: either way the cost is 1 - q.
        """
        if not self.architecture.per_action:
            return None
        return lambda states: np.maximum(1 - (self.q(states) - np.float32(self.goal_value)), np.float32(0))

    def cost_to_go(self, states: np.ndarray) -> np.ndarray:
        """Estimated moves to the goal [B] float32."""
        return as_cost_to_go(self.puzzle, states, 2 - (self.value(states) - np.float32(self.goal_value)))

    def policy(self, states: np.ndarray) -> np.ndarray:
        """The network's policy [B, A] float32."""
        indices, which = self.read(states)
        found = probabilities(self.network, indices, self.puzzle.legal(states), self.hardware)
        return self._in_order(states, which, found)

    def arrays(self) -> dict[str, np.ndarray]:
        return network_arrays(self.network, "network.")

    def settings(self) -> dict[str, Any]:
        return {**self.architecture._asdict(), "goal_value": self.goal_value}

    @classmethod
    def from_stored(cls, puzzle: Puzzle, settings: dict[str, Any], arrays: dict[str, np.ndarray]) -> "Adi":
        architecture = {name: value for name, value in settings.items() if name != "goal_value"}
        with torch.device("meta"):
            agent = cls(puzzle, Architecture(**architecture), goal_value=settings["goal_value"])
        load_weights(agent.network, "network.", arrays)
        return agent
