"""Searches over any puzzle and any agent. `SEARCHES` lists them by name; all return `Solutions`."""

import ast
import inspect
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any, NamedTuple

import numpy as np

from rubiks_gym.search.beam import beam
from rubiks_gym.search.both_ways import both_ways
from rubiks_gym.search.bwas import bwas
from rubiks_gym.search.greedy import greedy
from rubiks_gym.search.mcts import PRESETS, Options, mcts
from rubiks_gym.search.perimeter import Perimeter
from rubiks_gym.search.solutions import Budget, Solutions

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


def make_search(
    name: str,
    agent: Any,
    options: dict[str, Any] | None = None,
    radius: int | Perimeter = 0,
    inverse: bool = False,
    budget: Budget | None = None,
    seed: int = 0,
) -> Callable[[np.ndarray], Solutions]:
    """A search with an agent and all its options, as a function of start states [B, S].

    Args:
        name: one of SEARCHES.
        agent: gives cost-to-go and policy.
        options: the search's own, for example {"weight": 0.7} for bwas; `search_options` lists them.
        radius: stop inside the breadth-first perimeter of this radius around the goal; or the perimeter itself, to use it again.
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
    if "decomposed" in parameters:  # asked for only here: making them takes an agent time and memory
        given["decomposed"] = getattr(agent, "decomposed", None)
    perimeter = Perimeter(puzzle, radius) if radius and not isinstance(radius, Perimeter) else radius or None
    given |= {"perimeter": perimeter, "budget": budget or Budget()} | defaults | options

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
        p.name: p.default
        for p in keywords
        if p.kind is p.KEYWORD_ONLY and p.name not in ("decomposed", "perimeter", "budget", "watch")
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


class Choice(NamedTuple):
    """A search by name, with the settings that `make_search` takes."""

    search: str
    options: dict[str, Any]
    radius: int
    inverse: bool


def choose(
    agent: Any,
    search: str | None = None,
    option: Sequence[str] = (),
    radius: int | None = None,
    inverse: bool | None = None,
    otherwise: str = "bwas",
) -> Choice:
    """What a user asks for, texts such as "weight=0.7" as its options; the rest is what suits the agent.

    An agent may say what suits it in `SEARCH`, a search with its settings; if the user asks for another search, those settings
    say nothing about that one. `otherwise` is the search for an agent without.
    """
    suits = getattr(agent, "SEARCH", {"search": otherwise})
    if search not in (None, suits["search"]):
        suits = {"search": search}
    options = parse_options(suits["search"], (*suits.get("option", ()), *option))  # the last one of a name counts
    radius = suits.get("radius", 0) if radius is None else radius
    return Choice(suits["search"], options, radius, suits.get("inverse", False) if inverse is None else inverse)


__all__ = [
    "SEARCHES",
    "Budget",
    "Choice",
    "Perimeter",
    "Solutions",
    "beam",
    "both_ways",
    "bwas",
    "choose",
    "greedy",
    "make_search",
    "mcts",
    "parse_options",
    "search_options",
]
