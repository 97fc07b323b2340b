"""Searches over any puzzle and any agent. `SEARCHES` lists them by name; all return `Solutions`."""

import ast
import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Annotated, Any

import numpy as np
import tyro

import agents
from agents.protocol import Agent
from agents.search.ball import Ball
from agents.search.beam import beam
from agents.search.bwas import bwas
from agents.search.greedy import greedy
from agents.search.inverse import both_ways
from agents.search.mcts import PRESETS, Options, mcts
from agents.search.solutions import Budget, Solutions, shortest

# name -> (function, options it is called with unless others are given)
SEARCHES: dict[str, tuple[Callable[..., Solutions], dict[str, Any]]] = {
    "greedy": (greedy, {}),
    "greedy-policy": (greedy, {"by": "policy"}),
    "sample-policy": (greedy, {"by": "sample", "undo": True}),
    "bwas": (bwas, {}),
    "beam": (beam, {}),
    "mcts": (mcts, {}),
    **{f"mcts-{preset}": (mcts, options) for preset, options in PRESETS.items()},
    # Konen's priors are a softmax over the children's values, which the search makes itself when it is given no policy.
    "mcts-konen": (mcts, PRESETS["konen"] | {"policy": None}),
}


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """Which search and how, as command lines ask for it."""

    search: str = "bwas"
    """greedy, greedy-policy, sample-policy, bwas, beam, mcts, or mcts-konen, -deepcube, -deepcube-naive, -betacube-vanilla,
    -betacube-full."""
    option: Annotated[tuple[str, ...], tyro.conf.UseAppendAction] = ()
    """An option of the search; may be repeated, for example --option weight=0.7 --option batch=100."""
    radius: int = 0
    """Stop inside the breadth-first ball of this radius around the goal."""
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
        ball, searches = Ball(agent.puzzle, self.radius) if self.radius else None, []
        for each in (agent, *map(agents.load, self.also)):
            if each.puzzle.name != agent.puzzle.name:
                raise ValueError(f"--also must name an agent for {agent.puzzle.name}, not for {each.puzzle.name}")
            searches.append(make_search(self.search, each, options, ball or 0, self.inverse, budget, self.seed))
        return lambda states: shortest([search(states) for search in searches])


def make_search(
    name: str,
    agent: Agent,
    options: dict[str, Any] | None = None,
    radius: int | Ball = 0,
    inverse: bool = False,
    budget: Budget | None = None,
    seed: int = 0,
) -> Callable[[np.ndarray], Solutions]:
    """A search with an agent and all its options, as a function of start states [B, S].

    Args:
        name: one of SEARCHES.
        agent: gives cost-to-go and policy.
        options: the search's own, for example {"weight": 0.7} for bwas; `search_options` lists them.
        radius: stop inside the breadth-first ball of this radius around the goal; or the ball itself, to use it again.
        inverse: search from the inverse state too and keep the shorter solution (cubes).
        budget: nodes, seconds and memory.
        seed: of roll-outs.
    """
    known, options = search_options(name), dict(options or {})
    unknown = sorted(set(options) - set(known))
    if unknown:
        raise ValueError(f"search {name} has no option {unknown[0]!r}: there are {', '.join(known)}")
    function, defaults = SEARCHES[name]
    puzzle = agent.puzzle
    parameters = inspect.signature(function).parameters
    given = {"cost_to_go": agent.cost_to_go, "policy": agent.policy, "rng": None}
    given = {key: value for key, value in given.items() if key in parameters}
    if "parts" in parameters:  # asked for only here: making them takes an agent time and memory
        given["parts"] = getattr(agent, "parts", None)
    ball = Ball(puzzle, radius) if radius and not isinstance(radius, Ball) else radius or None
    given |= {"ball": ball, "budget": budget or Budget()} | defaults | options

    def search(states: np.ndarray) -> Solutions:
        if "rng" in given:
            given["rng"] = np.random.default_rng(seed)
        return both_ways(function, puzzle, states, **given) if inverse else function(puzzle, states, **given)

    return search


def search_options(name: str) -> dict[str, Any]:
    """The options of a search with their defaults."""
    if name not in SEARCHES:
        raise ValueError(f"unknown search {name!r}: choose from {', '.join(SEARCHES)}")
    function, defaults = SEARCHES[name]
    if function is mcts:
        return {field.name: defaults.get(field.name, field.default) for field in fields(Options)}
    keywords = inspect.signature(function).parameters.values()
    own = {
        p.name: p.default for p in keywords if p.kind is p.KEYWORD_ONLY and p.name not in ("parts", "ball", "budget", "watch")
    }
    return own | defaults


def parse_options(name: str, texts: tuple[str, ...]) -> dict[str, Any]:
    """Options of a search from texts such as "weight=0.7"; a value is read as Python reads it, or else as a word."""
    known, options = search_options(name), {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or key not in known:
            pairs = ", ".join(f"{option}={default}" for option, default in known.items())
            raise ValueError(f"cannot read the option {text!r} of search {name}: write one of {pairs}")
        try:
            options[key] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            options[key] = value
    return options


__all__ = [
    "SEARCHES",
    "Ball",
    "Budget",
    "SearchOptions",
    "Solutions",
    "beam",
    "both_ways",
    "bwas",
    "greedy",
    "make_search",
    "mcts",
    "parse_options",
    "search_options",
]
