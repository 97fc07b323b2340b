"""What a request asks for, checked: every fault is named before anything is searched."""

import json
import math
import re
from typing import Any

import numpy as np

from rubiks_gym import solving
from rubiks_gym.checks import flag, number, whole
from rubiks_gym.play import catalogue
from rubiks_gym.play.limits import Limits
from rubiks_gym.search import SEARCHES, search_options

_STARTS = ("moves", "facelets", "state")
_FIELDS = {"puzzle", "agent", "search", "options", "optimal", *_STARTS}


def parse_json(body: bytes, limits: Limits) -> dict[str, Any]:
    """The object that the bytes of a request hold."""
    try:
        text = body.decode()
        if _depth(text) > limits.depth:
            raise ValueError(f"brackets within brackets, more than {limits.depth} deep")
        found = json.loads(text, parse_int=_whole, parse_float=_finite, parse_constant=_finite)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the request is not JSON as it should be: {error}") from None
    if not isinstance(found, dict):
        raise ValueError(f"a request must be a JSON object, got {type(found).__name__}")
    return found


def _depth(text: str) -> int:
    """How deep brackets are within brackets, outside strings."""
    deep = deepest = 0
    for bracket in re.findall(r"[\[\]{}]", re.sub(r'"(?:[^"\\]|\\.)*"', "", text, flags=re.DOTALL)):
        deep += 1 if bracket in "[{" else -1
        deepest = max(deepest, deep)
    return deepest


def _whole(digits: str) -> int:
    if len(digits) > 20:
        raise ValueError(f"a number of {len(digits)} digits")
    return int(digits)


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text[:20]} is not a finite number")
    return value


def read_start(request: dict[str, Any], runs: list[dict[str, Any]], limits: Limits) -> tuple[Any, np.ndarray]:
    """The puzzle of a request and the state [S] to start from."""
    unknown = sorted(set(request) - _FIELDS)
    if unknown:
        raise ValueError(f"unknown field {_short(unknown[0])}: there are {', '.join(sorted(_FIELDS))}")
    name = request.get("puzzle")
    if not isinstance(name, str):
        raise ValueError(f"puzzle must be the name of a puzzle, got {_short(name)}")
    if not catalogue.is_offered(name, runs):
        raise ValueError(f"no puzzle is called {_short(name)}: there are {', '.join(catalogue.puzzle_names(runs))}")
    puzzle = catalogue.puzzle(name)
    given = {key: request[key] for key in _STARTS if request.get(key) is not None}
    if len(given) != 1:
        raise ValueError(f"give one of moves, facelets and state; got {', '.join(given) or 'none of them'}")
    for key, value in given.items():
        if key != "state" and not isinstance(value, str):
            raise ValueError(f"{key} must be a text, got {_short(value)}")
        if key == "state" and not _is_state(value):
            raise ValueError(f"state must be a list of whole numbers, got {_short(value)}")
        if len(value) > limits.text:
            raise ValueError(f"{key} has {len(value):,} characters or numbers; at most {limits.text:,} are read")
    return puzzle, solving.start_state(puzzle, **given)


def _is_state(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, int) and not isinstance(each, bool) for each in value)


def read_task(request: dict[str, Any], runs: list[dict[str, Any]], folders: dict[str, Any], limits: Limits) -> dict[str, Any]:
    """What a worker is told of a request for a solution."""
    puzzle, state = read_start(request, runs, limits)
    optimal, search, options = request.get("optimal") or False, request.get("search"), request.get("options") or {}
    flag(optimal=optimal)
    if search is not None and (not isinstance(search, str) or search not in SEARCHES):
        raise ValueError(f"unknown search {_short(search)}: there are {', '.join(SEARCHES)}")
    if optimal and search not in (None, solving.PROOF):
        raise ValueError(f"optimal is a search of its own: leave out search, or ask for {solving.PROOF}")
    if not isinstance(options, dict):
        raise ValueError(f"options must be an object, got {_short(options)}")
    search = solving.PROOF if optimal else search
    common = {key: options[key] for key in catalogue.COMMON if options.get(key) is not None}
    usual = {"radius": 0, "inverse": False, "max_nodes": 1, "max_seconds": limits.seconds, "seed": 0} | common
    whole(0, radius=usual["radius"])
    whole(0, 2**63 - 1, seed=usual["seed"])
    whole(1, limits.nodes, max_nodes=usual["max_nodes"])
    number(above=0, most=limits.most_seconds, max_seconds=usual["max_seconds"])
    flag(inverse=usual["inverse"])
    own = {key: value for key, value in options.items() if key not in catalogue.COMMON}
    for key, value in own.items():
        if search is not None and key not in search_options(search):
            raise ValueError(f"search {search} has no option {_short(key)}: there are {', '.join(search_options(search))}")
        _check_value(key, value)
    return {
        "puzzle": puzzle.name,
        "state": state.tolist(),
        "search": search,
        "option": [f"{key}={value}" for key, value in own.items()],  # as on the command line
        "seconds": float(usual["max_seconds"]),
        **common,
        **_agent(request.get("agent"), puzzle.name, runs, folders),
    }


def _check_value(key: str, value: Any) -> None:
    """Raise unless the value of an option is a number, a word, true or false, nothing, or some numbers."""
    if isinstance(value, list) and len(value) <= 100 and all(isinstance(each, int | float) for each in value):
        return
    if (isinstance(value, str) and len(value) > 50) or not isinstance(value, str | int | float | None):
        raise ValueError(f"option {_short(key)} must be a number, a word, true, false or null, got {_short(value)}")


def _agent(id: Any, puzzle: str, runs: list[dict[str, Any]], folders: dict[str, Any]) -> dict[str, Any]:
    """The agent of an id, which must be for this puzzle; a run's folder is taken from the listing."""
    if id is None:
        return {"agent": None}
    kind, _, name = id.partition(":") if isinstance(id, str) else ("", "", "")
    if kind in ("run", "random") and not catalogue.has_learners():
        raise ValueError(f"the agent {_short(id)} needs the learners: start the server in a checkout of rubiks-gym")
    if kind == "run":
        run = next((run for run in runs if run["id"] == name), None)
        if run is None:
            raise ValueError(f"there is no run {_short(name)}")
        if run["puzzle"] != puzzle:
            raise ValueError(f"the run {_short(name)} was trained on {run['puzzle']}, not on {puzzle}")
        return {"agent": id, "run": str(folders[name]), "folder": str(folders[name]).removesuffix(name)}
    if kind not in ("trained", "exact", "random"):
        raise ValueError(f"unknown agent {_short(id)}: an agent is trained:PUZZLE, exact:PUZZLE, random:PUZZLE or run:ID")
    if name != puzzle:
        raise ValueError(f"the agent {_short(id)} is for {_short(name)}, not for {puzzle}")
    return {"agent": id}


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
