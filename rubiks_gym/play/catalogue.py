"""What there is to choose from: puzzles, agents, searches and their options, read from the lists of the suite."""

import ast
import importlib.util
import inspect
import re
import textwrap
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from rubiks_gym import command_line
from rubiks_gym.exact import Exact, has_table
from rubiks_gym.ntuple.agent import SymmetricNTuple
from rubiks_gym.play.limits import Limits
from rubiks_gym.puzzles import PUZZLES, Hanoi, Puzzle, Rubik2x2, Rubik3x3, puzzle_from_name
from rubiks_gym.search import SEARCHES, choose, mcts, search_options
from rubiks_gym.search.mcts_settings import Settings

# Options that every search takes; without them it is as suits the agent, and as the server's limits say.
COMMON: dict[str, dict[str, Any]] = {
    "radius": {"type": "int", "default": None, "help": "stop inside the breadth-first perimeter of this radius"},
    "inverse": {"type": "bool", "default": None, "help": "search from the inverse state too, keep the shorter solution"},
    "max_nodes": {"type": "int", "default": None, "help": "give up after so many nodes"},
    "max_seconds": {"type": "float", "default": None, "help": "give up after so many seconds"},
    "seed": {"type": "int", "default": 0, "help": "of what is drawn at random"},
}


@lru_cache(64)
def puzzle(name: str) -> Any:
    """A puzzle by name."""
    return puzzle_from_name(name)


def puzzle_names(runs: list[dict[str, Any]]) -> list[str]:
    """The names of the registry, and those that runs were trained on."""
    names = dict.fromkeys(name for entry in PUZZLES.values() for name in entry.examples)
    return list(names | dict.fromkeys(run["puzzle"] for run in runs if run["puzzle"]))


def is_offered(name: str, runs: list[dict[str, Any]]) -> bool:
    """Whether a puzzle may be asked for: those listed, and Hanoi in any size. A name can ask for more than memory holds."""
    return name in puzzle_names(runs) or re.fullmatch(r"hanoi-\d{1,2}-\d{1,2}", name) is not None


def describe_puzzle(known: Puzzle, limits: Limits) -> dict[str, Any]:
    """A puzzle as the page needs it."""
    kind, title = "other", known.name
    if isinstance(known, Rubik2x2 | Rubik3x3):
        kind = "cube2" if isinstance(known, Rubik2x2) else "cube3"
        title = f"{'2x2x2' if kind == 'cube2' else '3x3x3'}, {'quarter' if known.metric == 'qtm' else 'half'} turns"
    elif isinstance(known, Hanoi):
        kind, title = "hanoi", f"Hanoi, {known.disks} disk{'s' if known.disks > 1 else ''}, {known.pegs} pegs"
    return {
        "name": known.name,
        "title": title,
        "kind": kind,
        "metric": getattr(known, "metric", None),
        "actions": list(known.action_names),
        "states": known.n_states,
        "goal": known.goal.tolist(),
        "facelets": hasattr(known, "from_facelets"),
        "distance": has_table(known) and known.n_states <= limits.exact_states,
    } | ({"disks": known.disks, "pegs": known.pegs} if isinstance(known, Hanoi) else {})


def puzzles(runs: list[dict[str, Any]], limits: Limits) -> list[dict[str, Any]]:
    """All puzzles that are listed; one of a run that nobody has registered is left out."""
    found = []
    for name in puzzle_names(runs):
        try:
            found.append(describe_puzzle(puzzle(name), limits))
        except ValueError:
            continue
    return found


def has_learners() -> bool:
    """Whether the learners of a checkout are there; they are imported only when one of their agents is asked for."""
    command_line.look_here()
    spec = importlib.util.find_spec("agents")
    return spec is not None and spec.origin is not None and (Path(spec.origin).parent / "checkpoint.py").exists()


def agents(puzzles: list[dict[str, Any]], runs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The agents of all puzzles that are listed; `search` and `options` are what suits them, where that is known."""
    known = [puzzle(each["name"]) for each in puzzles]
    found = [_agent("trained", "trained tables", each, SymmetricNTuple) for each in known if isinstance(each, Rubik3x3)]
    found += [_agent("exact", "true distances", each, Exact) for each in known if has_table(each)]
    if has_learners():
        found += [
            {"id": f"run:{run['id']}", "title": run["title"], "puzzle": run["puzzle"], "algorithm": run["algorithm"]}
            for run in runs
            if run["agent"] and run["puzzle"] in {each.name for each in known}
        ]
        found += [_agent("random", "chance", each, None) for each in known]
    return found


def _agent(kind: str, title: str, known: Any, agent: Any) -> dict[str, Any]:
    search, options, radius, inverse = choose(agent)
    turns = {"qtm": ", quarter turns", "htm": ", half turns"}.get(getattr(known, "metric", ""), "")
    return {
        "id": f"{kind}:{known.name}",
        "title": title + turns,
        "puzzle": known.name,
        "algorithm": "symmetric_ntuple" if kind == "trained" else kind,
        "search": search,
        "options": options | {"radius": radius, "inverse": inverse},
    }


def searches() -> list[dict[str, Any]]:
    """All searches with their options: type, default, and help from their documentation."""
    return [{"name": name, "summary": entry.description, "options": _options(name)} for name, entry in SEARCHES.items()]


def _options(name: str) -> dict[str, dict[str, Any]]:
    function = SEARCHES[name].function
    of = Settings if function is mcts else function
    helps = _field_docs(Settings) if function is mcts else _argument_docs(function)
    types = {key: inspect.formatannotation(kind) for key, kind in of.__annotations__.items()}
    return {key: _option(types[key], value, helps.get(key, "")) for key, value in search_options(name).items()}


def _option(annotation: str, default: Any, help: str) -> dict[str, Any]:
    kind = annotation.removesuffix(" | None")
    kind = kind if kind in ("int", "float", "bool", "str") else "numbers" if "Sequence" in kind else "str"
    option = {"type": kind, "default": default, "help": help}
    choices = re.findall(r'"([\w-]+)"', help) if annotation == "str" else []
    return option | {"type": "choice", "choices": choices} if default in choices else option


def _argument_docs(function: Any) -> dict[str, str]:
    """What the docstring of a function says of each of its arguments."""
    block = (inspect.getdoc(function) or "").partition("Args:\n")[2]
    return {
        name: " ".join(text.split()) for name, text in re.findall(r"^    (\w+): (.*?)(?=^    \w+: |\Z)", block, re.M | re.S)
    }


def _field_docs(settings: type) -> dict[str, str]:
    """The texts below the fields of a class."""
    source = textwrap.dedent(inspect.getsource(settings))
    found = {}
    for field, text in pairwise(ast.parse(source).body[0].body):  # type: ignore[attr-defined]  # it is a class
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr):
            found[ast.unparse(field.target)] = ast.literal_eval(text.value)
    return found
