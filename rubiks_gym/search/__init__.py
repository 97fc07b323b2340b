"""Searches over any puzzle, guided by any cost-to-go or policy. `SEARCHES` lists them by name; all return `Solutions`.

With a heuristic of one's own:

    from rubiks_gym.puzzles import Rubik2x2
    from rubiks_gym.search import beam

    puzzle = Rubik2x2()
    start = puzzle.after(puzzle.parse("R U F'"))
    found = beam(puzzle, start[None], lambda states: (states != puzzle.goal).sum(axis=1) / 2, width=1000)
    print(puzzle.format(found.moves[0]), found.nodes[0])
"""

import ast
import inspect
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any, NamedTuple

import numpy as np

from rubiks_gym.puzzles import are_solutions
from rubiks_gym.search.beam import beam
from rubiks_gym.search.both_ways import both_ways
from rubiks_gym.search.bwas import bwas
from rubiks_gym.search.certified import certified
from rubiks_gym.search.greedy import greedy
from rubiks_gym.search.heuristic import DecomposedHeuristic, lookahead_policy
from rubiks_gym.search.macro_beam import macro_beam
from rubiks_gym.search.mcts import mcts
from rubiks_gym.search.mcts_settings import PRESETS, Settings
from rubiks_gym.search.perimeter import Perimeter
from rubiks_gym.search.solutions import Budget, Solutions


class Search(NamedTuple):
    """An entry of SEARCHES."""

    function: Callable[..., Solutions]
    defaults: dict[str, Any]  # options it is called with unless others are given
    description: str  # one line


SEARCHES: dict[str, Search] = {
    "greedy": Search(greedy, {}, "always on to the child with the lowest cost-to-go"),
    "greedy-policy": Search(greedy, {"by": "policy"}, "always takes the most probable action"),
    "sample-policy": Search(greedy, {"by": "sample", "allow_undo": True}, "draws every move from the policy"),
    "bwas": Search(
        bwas,
        {},
        "batch weighted A*: lowest weight * g + h first (Agostinelli 2019); deferred evaluation if costs of children are known",
    ),
    "beam": Search(
        beam,
        {},
        "keeps the best states of every layer; partial expansion if the heuristic is decomposed or costs of children are known",
    ),
    "macro-beam": Search(macro_beam, {}, "a beam that macros complete, words that move few pieces: for large puzzles (4x4x4)"),
    "certified": Search(certified, {}, "a beam that is finished exactly, then the proof that nothing is shorter (3x3x3)"),
    "mcts": Search(mcts, {}, "Monte Carlo tree search, one tree per start; the papers' are settings of it"),
    # Konen's priors are a softmax over the children's values, which the search makes itself when it is given no policy.
    "mcts-konen": Search(
        mcts, PRESETS["konen"] | {"policy": None}, "plays the most visited move and keeps the tree below it (Konen 2023, 5.2.2)"
    ),
    "mcts-deepcube": Search(
        mcts, PRESETS["deepcube"], "max backup of values, virtual loss, the path shortened in the end (McAleer 2018, 4.2)"
    ),
    "mcts-deepcube-literal": Search(
        mcts, PRESETS["deepcube-literal"], "the same as printed: W from 0, so far from the goal the policy guides alone"
    ),
    "mcts-deepcube-naive": Search(
        mcts, PRESETS["deepcube-naive"], "DeepCube without shortening: the first path found (McAleer 2018, 5)"
    ),
    "mcts-betacube-vanilla": Search(
        mcts, PRESETS["betacube-vanilla"], "UCT with roll-outs drawn from the policy (Bowman 2018, 3.2)"
    ),
    "mcts-betacube-full": Search(mcts, PRESETS["betacube-full"], "naive DeepCube with a single worker (Bowman 2018, 3.2)"),
}

_GUIDES = ("cost_to_go", "policy", "child_costs", "decomposed", "looks_ahead")  # what a search asks its agent for
_COMMON = ("perimeter", "budget", "watch", "at_least", "at_most", "rng")  # keywords that are not options of one search


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
        agent: any object with a `puzzle` and with `cost_to_go`, `policy` or both. It may have its cost-to-go as a
            `DecomposedHeuristic`, `decomposed`, or as `child_costs`, of all children [M, A] of states [M, S] at once. If it
            says `looks_ahead = True`, its policy makes the children of the states it is asked about, and they are counted as
            nodes. `own_options` may say, by search, which options follow from how it has learnt; options that are given count
            before those.
        options: the search's own, for example {"weight": 0.7} for bwas; `search_options` lists them.
        radius: stop inside the goal perimeter of this radius; or the perimeter itself, to use it again.
        inverse: search from the inverse state too and keep the shorter solution (cubes).
        budget: nodes, seconds and memory.
        seed: of what is drawn: roll-outs, moves of `sample-policy`.
    """
    known, options = search_options(name), dict(options or {})
    unknown = sorted(set(options) - set(known))
    if unknown:
        raise ValueError(f"search {name} has no option {unknown[0]!r}: there are {', '.join(known)}")
    function, defaults, _ = SEARCHES[name]
    puzzle, parameters = agent.puzzle, inspect.signature(function).parameters
    # Only what the search takes: to decompose a heuristic costs an agent time and memory.
    given = {key: getattr(agent, key) for key in _GUIDES if key in parameters and hasattr(agent, key)}
    if "decomposed" in parameters and "decomposed" not in given and getattr(agent, "child_costs", None) is not None:
        given["decomposed"] = DecomposedHeuristic(agent.child_costs)
    missing = [
        key for key in _GUIDES if key in parameters and parameters[key].default is inspect.Parameter.empty and key not in given
    ]
    if missing:
        raise ValueError(f"search {name} needs a function {missing[0]}(states), which {type(agent).__name__} does not have")
    perimeter = Perimeter(puzzle, radius) if radius and not isinstance(radius, Perimeter) else radius or None
    own = getattr(agent, "own_options", {}).get(name, {})
    given |= {"perimeter": perimeter, "budget": budget} | defaults | own | options

    def search(states: np.ndarray) -> Solutions:
        drawing = {"rng": np.random.default_rng(seed)} if "rng" in parameters else {}
        if inverse:
            return both_ways(function, puzzle, states, **given, **drawing)
        return function(puzzle, states, **given, **drawing)

    return search


def search_options(name: str) -> dict[str, Any]:
    """The options of a search with their defaults."""
    if name not in SEARCHES:
        raise ValueError(f"unknown search {name!r}: choose from {', '.join(SEARCHES)}")
    function, defaults, _ = SEARCHES[name]
    if function is mcts:
        return {field.name: defaults.get(field.name, field.default) for field in fields(Settings)}
    keywords = [p for p in inspect.signature(function).parameters.values() if p.kind is p.KEYWORD_ONLY]
    return {p.name: defaults.get(p.name, p.default) for p in keywords if p.name not in _GUIDES + _COMMON}


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
    "DecomposedHeuristic",
    "Perimeter",
    "Search",
    "Solutions",
    "are_solutions",
    "beam",
    "both_ways",
    "bwas",
    "certified",
    "choose",
    "greedy",
    "lookahead_policy",
    "macro_beam",
    "make_search",
    "mcts",
    "parse_options",
    "search_options",
]
