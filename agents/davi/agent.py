"""The trained network as an agent, and the same network on towers with fewer disks, or with more."""

from typing import Any

import numpy as np
import torch

from agents.davi.network import Architecture, Network, Recurrent, evaluate, make_network, read_by
from agents.networks.embedding import feature_indices
from agents.networks.hardware import CPU, Hardware
from agents.networks.inference import as_cost_to_go
from agents.networks.symmetry import canonical, turned_actions
from agents.networks.weights import load_weights, network_arrays
from rubiks_gym.puzzles import Hanoi, Puzzle
from rubiks_gym.search.heuristic import ChildCosts, lookahead_policy, policy_of_costs


class Davi:
    """A network without batch normalisation, or with it folded; its output is the cost-to-go in moves, or that of each child.

    Args:
        puzzle: any puzzle.
        architecture: of the network.
        network: the network (default: an untrained one).
    """

    SEARCH = {"search": "bwas", "option": ("weight=0.7", "batch=100")}

    def __init__(self, puzzle: Puzzle, architecture: Architecture, network: Network | Recurrent | None = None) -> None:
        self.puzzle, self.architecture = puzzle, architecture._replace(batch_norm=False)
        self.features = read_by(puzzle, architecture)
        self.looks_ahead = not architecture.per_action
        self.network = network or make_network(self.features, puzzle.n_actions, self.architecture, 0).eval()
        self.hardware = CPU

    def place(self, hardware: Hardware) -> "Davi":
        """Let the network compute on other hardware; returns the agent."""
        self.hardware = hardware
        self.network.to(hardware.device)
        return self

    def cost_to_go(self, states: np.ndarray) -> np.ndarray:
        """Estimated moves to the goal [B] float32: 0 at the goal, and at least 1 elsewhere, whatever the network says."""
        return as_cost_to_go(self.puzzle, states, self.said(states))

    @property
    def child_costs(self) -> ChildCosts | None:
        """Cost-to-go [B, A] float32 of all children of states [B, S] by one pass, if the network has an output per action."""
        return (lambda states: np.maximum(self.answers(states), np.float32(0))) if self.architecture.per_action else None

    def said(self, states: np.ndarray) -> np.ndarray:
        """The cost-to-go [B] float32 as the network says it, of the goal too."""
        found = self.answers(states)
        if self.architecture.per_action:
            return 1 + np.where(self.puzzle.legal(states), found, np.float32(np.inf)).min(axis=1)
        return np.rint(found) if self.architecture.whole else found

    def answers(self, states: np.ndarray) -> np.ndarray:
        """The network's outputs [B] float32 for states [B, S], or [B, A] for their actions."""
        indices, turned = self.read(states)
        found = evaluate(self.network, indices, self.hardware)
        return found if turned is None else np.take_along_axis(found, turned, 1)

    def read(self, states: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """What the network reads of states [B, S]: feature indices [B, T]; and which of its outputs are theirs [B, A].

        None: all are in order. Symmetric networks with an output per action read an image of the cube, whose moves are others.
        """
        if not self.architecture.symmetric or not self.architecture.per_action:
            return feature_indices(self.puzzle, self.features, states), None
        representatives, which = canonical(self.puzzle, states)
        return feature_indices(self.puzzle, self.features, representatives), turned_actions(self.puzzle, states, which)

    def policy(self, states: np.ndarray) -> np.ndarray:
        if self.child_costs is not None:
            return policy_of_costs(self.puzzle, states, self.child_costs(states))
        return lookahead_policy(self.puzzle, self.cost_to_go, states)

    def arrays(self) -> dict[str, np.ndarray]:
        return network_arrays(self.network, "network.")

    def settings(self) -> dict[str, Any]:
        return {name: value for name, value in self.architecture._asdict().items() if name != "batch_norm"}

    @classmethod
    def from_stored(cls, puzzle: Puzzle, settings: dict[str, Any], arrays: dict[str, np.ndarray]) -> "Davi":
        with torch.device("meta"):
            agent = cls(puzzle, Architecture(**settings))
        load_weights(agent.network, "network.", arrays)
        return agent

    def fewer_disks(self, disks: int) -> "FewerDisks":
        """This network of a tower of Hanoi as an agent for a smaller tower (section 4.3)."""
        return FewerDisks(self, disks)

    def more_disks(self, disks: int) -> "Davi":
        """This network, which must be recurrent, as an agent for a tower that it has not learnt."""
        if not self.architecture.recurrent or not isinstance(self.puzzle, Hanoi):
            raise ValueError("only a recurrent network reads towers of other heights than its own")
        return Davi(Hanoi(disks, self.puzzle.pegs), self.architecture, self.network).place(self.hardware)


class FewerDisks:
    """Tardon 2022, section 4.3: a tower of n' < n disks is one of n disks whose n - n' largest are home already.

    The cost-to-go is the same, since an optimal solution never moves a disk that is home with all larger ones.
    """

    looks_ahead = True

    def __init__(self, agent: Davi, disks: int) -> None:
        whole = agent.puzzle
        if not isinstance(whole, Hanoi):
            raise ValueError(f"only towers of Hanoi have disks to leave out, not {whole.name}")
        if not 1 <= disks <= whole.disks:
            raise ValueError(f"an agent of {whole.name} solves 1 to {whole.disks} disks, not {disks}")
        self.agent, self.puzzle = agent, Hanoi(disks, whole.pegs)

    def cost_to_go(self, states: np.ndarray) -> np.ndarray:
        """Estimated moves to the goal [B] of states [B, disks]."""
        states = self.puzzle.as_states(states)
        home = np.tile(self.agent.puzzle.goal[self.puzzle.disks :], (len(states), 1))
        return self.agent.cost_to_go(np.concatenate([states, home], axis=1))

    def policy(self, states: np.ndarray) -> np.ndarray:
        return lookahead_policy(self.puzzle, self.cost_to_go, states)
