"""The trained policy and ChaseNet as an agent: the policy solves alone, ChaseNet is its cost-to-go.

The cost-to-go is C_rho(s, s_g), at least 1, and 0 at the goal: the mean length of walks between states that look like these,
which far from the goal says little. The policy is what was trained; `greedy-policy` follows its most probable action
(`--option allow_undo=True`: even if that takes the move before back), `sample-policy` draws from it.

The policy network p_theta(a|s) (section 2.6) is kept without the critic and without stable-baselines3: it is all that solving
needs, and learner.py trains it. Its first layer sums embeddings, see agents/networks/embedding.py: with one feature per pair of
cubies it sees more than with one per cubie, and learns in fewer steps.
"""

from typing import Any

import numpy as np
import torch

from agents.networks.embedding import EmbeddingMLP, check_layers, feature_indices, make_features
from agents.networks.hardware import CPU, Hardware
from agents.networks.inference import answers, as_cost_to_go, as_probabilities
from agents.networks.weights import load_weights, network_arrays, seeded
from agents.ppo_chasenet.chasenet import Architecture, ChaseNet
from rubiks_gym.puzzles import Puzzle


class PpoChaseNet:
    """A policy network and a ChaseNet.

    Args:
        puzzle: any puzzle whose states can be drawn uniformly.
        architecture: of ChaseNet.
        input: what a feature that the policy reads stands for, one of INPUTS in agents/networks/embedding.py.
        widths: neurons of the policy's layers.
        net: the ChaseNet (default: an untrained one).
    """

    looks_ahead = False
    SEARCH = {"search": "greedy-policy"}

    def __init__(
        self, puzzle: Puzzle, architecture: Architecture, input: str, widths: tuple[int, ...], net: ChaseNet | None = None
    ) -> None:
        self.puzzle, self.input, self.widths = puzzle, input, widths
        self.net = ChaseNet(puzzle, architecture) if net is None else net
        self.features = make_features(puzzle, input)
        check_layers(widths=widths)
        with seeded(0):
            self.actor = EmbeddingMLP(self.features.total, widths, puzzle.n_actions)
        self.hardware = CPU

    def place(self, hardware: Hardware) -> "PpoChaseNet":
        """Let both networks compute on other hardware; returns the agent."""
        self.hardware = hardware
        self.actor.to(hardware.device)
        self.net.place(hardware)
        return self

    def cost_to_go(self, states: np.ndarray) -> np.ndarray:
        """Estimated moves to the goal [B] float32."""
        return as_cost_to_go(self.puzzle, states, self.net.cost_to_goal(states))

    def policy(self, states: np.ndarray) -> np.ndarray:
        """The policy network's probabilities [B, A] float32."""

        def read(part: slice) -> tuple[np.ndarray, np.ndarray]:
            return feature_indices(self.puzzle, self.features, states[part]), self.puzzle.legal(states[part])

        def probabilities(indices: torch.Tensor, legal: torch.Tensor) -> torch.Tensor:
            return as_probabilities(self.actor(indices), legal)

        return answers(probabilities, read, len(states), (self.puzzle.n_actions,), self.hardware)

    def arrays(self) -> dict[str, np.ndarray]:
        """The weights of both."""
        return network_arrays(self.actor, "actor.") | network_arrays(self.net.network, "chasenet.")

    def settings(self) -> dict[str, Any]:
        """What both networks look like."""
        return {**self.net.architecture._asdict(), "input": self.input, "widths": list(self.widths)}

    @classmethod
    def from_stored(cls, puzzle: Puzzle, settings: dict[str, Any], arrays: dict[str, np.ndarray]) -> "PpoChaseNet":
        architecture = Architecture(**{name: settings[name] for name in Architecture._fields if name in settings})
        with torch.device("meta"):
            agent = cls(puzzle, architecture, settings["input"], settings["widths"])
        load_weights(agent.actor, "actor.", arrays)
        load_weights(agent.net.network, "chasenet.", arrays)
        return agent
