"""Which search and how, as the command lines of train ask for it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import tyro

import agents
from agents.protocol import Agent
from rubiks_gym.search import Budget, Perimeter, Solutions, make_search, parse_options
from rubiks_gym.search.solutions import shortest


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """Which search and how, as command lines ask for it."""

    search: str = "bwas"
    """greedy, greedy-policy, sample-policy, bwas, beam, mcts, or mcts-konen, -deepcube, -deepcube-naive, -betacube-vanilla,
    -betacube-full."""
    option: Annotated[tuple[str, ...], tyro.conf.UseAppendAction] = ()
    """An option of the search; may be repeated, for example --option weight=0.7 --option batch=100."""
    radius: int = 0
    """Stop inside the breadth-first perimeter of this radius around the goal."""
    inverse: bool = False
    """Search from the inverse state too and keep the shorter solution (cubes)."""
    also: Annotated[tuple[str, ...], tyro.conf.UseAppendAction] = ()
    """Search with this agent (like RUN) too and keep the shortest solution; may be repeated."""
    max_nodes: int = 1_000_000
    """Give up on a state after so many nodes."""
    max_seconds: float = 600.0
    """Give up on a state after so many seconds (searches that advance all states together: on all of them)."""
    seed: int = 0
    """Of everything random."""

    def make(self, agent: Agent) -> Callable[[np.ndarray], Solutions]:
        """The search as a function of start states [B, S]."""
        options, budget = parse_options(self.search, self.option), Budget(nodes=self.max_nodes, seconds=self.max_seconds)
        perimeter, searches = Perimeter(agent.puzzle, self.radius) if self.radius else None, []
        for each in (agent, *map(agents.load, self.also)):
            if each.puzzle.name != agent.puzzle.name:
                raise ValueError(f"--also must name an agent for {agent.puzzle.name}, not for {each.puzzle.name}")
            searches.append(make_search(self.search, each, options, perimeter or 0, self.inverse, budget, self.seed))
        return lambda states: shortest([search(states) for search in searches])
