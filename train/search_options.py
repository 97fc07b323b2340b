"""Which search and how, as command lines of train ask for it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import tyro

import agents
from agents.protocol import Agent
from rubiks_gym.checks import whole
from rubiks_gym.search import Budget, Choice, Perimeter, Solutions, choose, make_search
from rubiks_gym.search.solutions import shortest
from train.hardware_options import HardwareOptions

Flag = Annotated[bool, tyro.conf.FlagCreatePairsOff]


@dataclass(frozen=True, kw_only=True)
class SearchOptions(HardwareOptions):
    """Which search and how. What is not given is what suits the agent (its SEARCH); what is given changes only itself."""

    search: str | None = None
    """One of the searches listed above; by default what suits the agent, or greedy."""
    option: Annotated[tuple[str, ...], tyro.conf.UseAppendAction] = ()
    """An option of the search; may be repeated, for example --option weight=0.7 --option batch=100."""
    radius: int | None = None
    """Stop inside the breadth-first perimeter of this radius around the goal (0: at the goal)."""
    inverse: Flag = False
    """Search from the inverse state too and keep the shorter solution (cubes)."""
    no_inverse: Flag = False
    """Search from the state alone, even where the inverse state too would suit the agent."""
    also: Annotated[tuple[str, ...], tyro.conf.UseAppendAction] = ()
    """Search with this agent (like RUN) too and keep the shortest solution; may be repeated."""
    max_nodes: int | None = None
    """Give up on a state after so many nodes (default: a million; certified, whose proofs look at billions: no limit)."""
    max_seconds: float = 600.0
    """Give up on a state after so many seconds (searches that advance all states together: on all of them)."""
    seed: int = 0
    """The seed of start states and of searches that draw at random."""

    def choice(self, agent: Agent) -> Choice:
        """The search that is asked for, with its settings."""
        if self.inverse and self.no_inverse:
            raise ValueError("give --inverse or --no-inverse, not both")
        whole(0, **{"--radius": self.radius or 0})
        inverse = True if self.inverse else False if self.no_inverse else None
        return choose(agent, self.search, self.option, self.radius, inverse, otherwise="greedy")

    def make(self, agent: Agent) -> Callable[[np.ndarray], Solutions]:
        """The same as a function of start states [B, S]."""
        search, options, radius, inverse = self.choice(agent)
        usual = float("inf") if search == "certified" else 1_000_000
        budget = Budget(nodes=usual if self.max_nodes is None else self.max_nodes, seconds=self.max_seconds)
        perimeter, searches = Perimeter(agent.puzzle, radius) if radius else 0, []
        for each in (agent, *(agents.load(name, **self.hardware()) for name in self.also)):
            if each.puzzle.name != agent.puzzle.name:
                raise ValueError(f"--also must name an agent for {agent.puzzle.name}, not for {each.puzzle.name}")
            searches.append(make_search(search, each, options, perimeter, inverse, budget, self.seed))
        return lambda states: shortest([search(states) for search in searches])
