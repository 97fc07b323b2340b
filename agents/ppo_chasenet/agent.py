"""The trained policy and ChaseNet as an agent: the policy solves alone, ChaseNet is its cost-to-go.

The cost-to-go is C_rho(s, s_g), at least 1, and 0 at the goal: the mean length of walks between states that look like these,
which far from the goal says little. The policy is what was trained; `greedy-policy` follows its most probable action
(`--option undo=True`: even if that takes the move before back), `sample-policy` draws from it.
"""

from typing import Any

import numpy as np

from agents.networks.embedding import make_rows, row_numbers
from agents.networks.weights import CHUNK, load_weights, network_arrays, seeded
from agents.ppo_chasenet.actor import Actor, probabilities
from agents.ppo_chasenet.chasenet import Architecture, ChaseNet
from rubiks_gym.puzzles import Puzzle


class PpoChaseNet:
    """A policy network and a ChaseNet.

    Args:
        puzzle: any puzzle whose states can be drawn uniformly.
        architecture: of ChaseNet.
        input: what a row of the policy's first layer stands for, one of INPUTS in agents/rows.py.
        widths: neurons of the policy's layers.
        net: the ChaseNet (default: an untrained one).
    """

    SEARCH = {"search": "greedy-policy"}

    def __init__(
        self, puzzle: Puzzle, architecture: Architecture, input: str, widths: tuple[int, ...], net: ChaseNet | None = None
    ) -> None:
        self.puzzle, self.input, self.widths = puzzle, input, widths
        self.net = ChaseNet(puzzle, architecture) if net is None else net
        self.rows = make_rows(puzzle, input)
        with seeded(0):
            self.actor = Actor(self.rows, widths, puzzle.n_actions)

    def cost_to_go(self, states: np.ndarray) -> np.ndarray:
        """Estimated moves to the goal [B] float32."""
        costs = np.maximum(self.net.cost_to_goal(states), np.float32(1))
        costs[self.puzzle.is_solved(states)] = 0
        return costs

    def policy(self, states: np.ndarray) -> np.ndarray:
        """The policy network's probabilities [B, A] float32."""
        out = np.empty((len(states), self.puzzle.n_actions), np.float32)
        for start in range(0, len(states), CHUNK):
            here = states[start : start + CHUNK]
            numbers = row_numbers(self.puzzle, self.rows, here)
            out[start : start + CHUNK] = probabilities(self.actor, numbers, self.puzzle.legal(here))
        return out

    def arrays(self) -> dict[str, np.ndarray]:
        """The weights of both."""
        return network_arrays(self.actor, "actor.") | network_arrays(self.net.network, "chasenet.")

    def settings(self) -> dict[str, Any]:
        """What both networks look like."""
        return {**self.net.architecture._asdict(), "input": self.input, "widths": list(self.widths)}

    @classmethod
    def from_stored(cls, puzzle: Puzzle, settings: dict[str, Any], arrays: dict[str, np.ndarray]) -> "PpoChaseNet":
        """The agent that `settings` and `arrays` describe."""
        hidden = tuple(int(width) for width in settings["hidden"])
        numbers = {name: int(settings[name]) for name in ("width", "heads", "layers")}
        architecture = Architecture(settings["form"], hidden, **numbers)
        agent = cls(puzzle, architecture, settings["input"], tuple(int(width) for width in settings["widths"]))
        load_weights(agent.actor, "actor.", arrays)
        load_weights(agent.net.network, "chasenet.", arrays)
        return agent
