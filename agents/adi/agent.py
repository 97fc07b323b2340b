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
from agents.networks.inference import as_cost_to_go, chunks
from agents.networks.symmetry import canonical, turned_actions
from agents.networks.weights import load_weights, network_arrays
from rubiks_gym.puzzles import Cube, Puzzle


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

    def read(self, states: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """What the network reads of states [B, S]: feature indices [B, T]; and, if it is symmetric, of which image [B]."""
        if not self.architecture.symmetric:
            return feature_indices(self.puzzle, self.features, states), None
        representatives, which = canonical(self.puzzle, states)
        return feature_indices(self.puzzle, self.features, representatives), which

    def value(self, states: np.ndarray) -> np.ndarray:
        """The network's value [B] float32, of the goal too."""
        out = np.empty(len(states), np.float32)
        for part in chunks(len(states)):
            out[part] = values(self.network, self.read(states[part])[0])
        return out

    def cost_to_go(self, states: np.ndarray) -> np.ndarray:
        """Estimated moves to the goal [B] float32."""
        return as_cost_to_go(self.puzzle, states, 2 - (self.value(states) - np.float32(self.goal_value)))

    def policy(self, states: np.ndarray) -> np.ndarray:
        """The network's policy [B, A] float32."""
        out = np.empty((len(states), self.puzzle.n_actions), np.float32)
        for part in chunks(len(states)):
            indices, which = self.read(states[part])
            found = probabilities(self.network, indices, self.puzzle.legal(states[part]))
            if which is not None:
                found = np.take_along_axis(found, turned_actions(self.puzzle, states[part], which), 1)
            out[part] = found
        return out

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
