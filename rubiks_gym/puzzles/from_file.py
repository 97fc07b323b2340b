"""Any permutation puzzle from a text file of its generators: JSON, GAP, or ksolve. Reading a file runs nothing of it."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rubiks_gym.puzzles.permutation import PermutationPuzzle, one_of_each_piece

_FOLDER = Path(__file__).parent / "files"  # of the files that come along
_BYTES, _PLACES, _MOVES = 10**6, 1000, 1000  # at most


class Rules(NamedTuple):
    """What a file says."""

    generators: dict[str, list[int]]  # name -> where what is at each place goes to
    labels: list[str] | None = None  # what is at each place of the solved puzzle, if some places look alike
    k_max: int = 20


class Permutation(PermutationPuzzle):
    """The puzzle of a file: a path, or the name of a file that comes along (rings.gap).

    Where the file says that pieces look alike, a state says what is at each place, as numbers of the file's own labels;
    else it says where each piece is, with one place of each piece that moves as one.
    """

    def __init__(self, file: str = "rings.gap") -> None:
        self.file = str(file)
        rules = read_rules(self.file)
        names, moves = list(rules.generators), np.array(list(rules.generators.values()))
        self.labels = None if rules.labels is None else tuple(dict.fromkeys(rules.labels))
        try:
            super().__init__(
                name=f"permutation-{self.file}",
                generators=moves,
                names=names,
                goal=None if self.labels is None else [self.labels.index(label) for label in rules.labels or ()],
                pieces=None if self.labels is not None else one_of_each_piece(moves),
                k_max=rules.k_max,
            )
        except ValueError as fault:
            raise ValueError(f"{self.file}: {fault}") from None

    def ansi(self, state: np.ndarray) -> str:
        """What is at each place, by the file's labels; or the place of each piece."""
        state = self.check(state)[0]
        return super().ansi(state) if self.labels is None else " ".join(self.labels[value] for value in state)


def read_rules(file: str) -> Rules:
    """Read a file; what is wrong with it is a ValueError that names the file and the fault."""
    path = Path(file) if Path(file).is_file() or Path(file).name != file else _FOLDER / file
    if not path.is_file():
        known = ", ".join(sorted(each.name for each in _FOLDER.iterdir()))
        raise ValueError(f"there is no file {file}; give a path, or one of those that come along: {known}")
    if path.stat().st_size > _BYTES:
        raise ValueError(f"{file} has {path.stat().st_size:,} bytes; a file of generators has at most {_BYTES:,}")
    try:
        text = path.read_text()
        rules = (_json if text.lstrip()[:1] == "{" else _ksolve if re.search(r"^Set\s", text, re.MULTILINE) else _gap)(text)
    except RecursionError:
        raise ValueError(f"{file}: brackets within brackets without end") from None
    except ValueError as fault:  # what is no text, and no JSON, too
        raise ValueError(f"{file}: {fault}") from None
    if not rules.generators or len(rules.generators) > _MOVES:
        raise ValueError(f"{file} has {len(rules.generators)} moves; there must be between 1 and {_MOVES}")
    return rules


def _checked(n: int) -> int:
    """A number of places."""
    if not 1 <= n <= _PLACES:
        raise ValueError(f"a puzzle has between 1 and {_PLACES} places, not {n}")
    return n


# JSON: {"generators": {"U": [...], ...}, "convention": "goes-to" or "comes-from", "goal": [labels], "k_max": 20} -------------


def _json(text: str) -> Rules:
    """Permutations of the places from 0 on, or cycles as text, "(0,1,2)(3,4)"; the goal and k_max may be left out."""
    read = json.loads(text)
    unknown = set(read) - {"name", "generators", "convention", "goal", "k_max"}
    if unknown:
        raise ValueError(f"unknown entry {sorted(unknown)[0]!r}: there are generators, convention, goal and k_max")
    given, goal, k_max = read.get("generators"), read.get("goal"), read.get("k_max", 20)
    if not isinstance(given, dict) or not all(isinstance(each, list | str) for each in given.values()):
        raise ValueError('"generators" must be an object with a permutation, or its cycles as text, for each name')
    if read.get("convention", "goes-to") not in ("goes-to", "comes-from"):
        raise ValueError(f'"convention" must be "goes-to" or "comes-from", got {read["convention"]!r}')
    if goal is not None and not (isinstance(goal, list) and all(isinstance(label, str | int) for label in goal)):
        raise ValueError('"goal" must be a list of labels, texts or whole numbers')
    if not isinstance(k_max, int) or not 1 <= k_max <= 10_000:
        raise ValueError(f'"k_max" must be a whole number from 1 to 10000, got {k_max!r}')
    cycles = {name: _cycles(each, 0) for name, each in given.items() if isinstance(each, str)}
    lists = [len(each) for each in given.values() if isinstance(each, list)]
    n = _checked(max([len(goal or ()), *lists, *(1 + max(map(max, each), default=0) for each in cycles.values())]))
    moves: dict[str, list[int]] = {}
    for name, each in given.items():
        if name not in cycles and sorted(map(str, each)) != sorted(map(str, range(n))):
            raise ValueError(f"{name!r} is no permutation: it must have each place from 0 to {n - 1} once")
        moves[name] = _from_cycles(cycles[name], n) if name in cycles else each
        if read.get("convention") == "comes-from":
            moves[name] = np.argsort(moves[name]).tolist()
    return Rules(moves, None if goal is None else [str(label) for label in goal], k_max)


# GAP: U := (1,3,8,6)(2,5,7,4); ... Gen := [U, R]; ip := [[1,2],[3]]; or Group((1,2),(2,3)) --------------------------------

_CYCLES = r"(?:\(\s*\d+(?:\s*,\s*\d+)*\s*\)\s*)+"


def _gap(text: str) -> Rules:
    """Permutations by their cycles, places from 1 on. Lists of `ip` (identical pieces) have places that look alike."""
    text = re.sub(r"#.*", "", text)
    assigned: dict[str, list[list[int]]] = {}
    chosen: list[str] | None = None
    alike: list[list[int]] = []
    for statement in filter(None, (each.strip() for each in text.split(";"))):
        name, _, value = (part.strip() for part in re.sub(r"^(?=Group\b)", "G :=", statement).partition(":="))
        members = re.fullmatch(r"(?:Group\s*\(\s*)?\[?([^\[\]]*?)\]?\s*\)?", value, re.DOTALL)
        if not re.fullmatch(r"\w+", name):
            raise ValueError(f"cannot read {_short(statement)!r}: a statement is NAME := (1,2,3)(4,5); or NAME := [A, B];")
        if re.fullmatch(_CYCLES, value):
            assigned[name.removeprefix("M_")] = _cycles(value, 1)
        elif name == "ip" and re.fullmatch(r"[\[\]\d\s,]+", value):
            alike = json.loads(value)
        elif value.startswith(("Group", "[")) and members is not None:
            chosen = []
            for each in re.findall(rf"{_CYCLES}|\w+|[^\s,]", members[1]):
                if each.startswith("("):
                    assigned[f"g{len(chosen) + 1}"] = _cycles(each, 1)
                    each = f"g{len(chosen) + 1}"
                chosen.append(each.strip().removeprefix("M_"))
        else:
            raise ValueError(f"cannot read {_short(statement)!r}: known are cycles, lists of permutations, and Group(...)")
    unknown = [name for name in chosen or () if name not in assigned]
    if unknown:
        raise ValueError(f"{unknown[0]!r} is no permutation of this file")
    if not all(isinstance(block, list) and all(isinstance(place, int) for place in block) for block in alike):
        raise ValueError("ip must be a list of lists of places")
    moved = [place + 1 for cycles in assigned.values() for cycle in cycles for place in cycle]
    n = _checked(max([1, *moved, *(place for block in alike for place in block)]))
    labels = [str(place + 1) for place in range(n)]
    for block in alike:
        for place in block:
            if place < 1:
                raise ValueError(f"ip names place {place}, but places are numbered from 1 on")
            labels[place - 1] = str(block[0])
    moves = {name: _from_cycles(assigned[name], n) for name in chosen or assigned}
    return Rules(moves, labels if len(set(labels)) < n else None)


def _cycles(text: str, base: int) -> list[list[int]]:
    """The cycles of a text "(1,2,3)(4,5)", places from 0 on."""
    if not re.fullmatch(rf"\s*(?:{_CYCLES})?(?:\(\s*\))?\s*", text):
        raise ValueError(f"cannot read {_short(text)!r}: cycles are written (1,2,3)(4,5)")
    cycles = [[int(place) - base for place in re.findall(r"\d+", each)] for each in re.findall(r"\(([^()]*)\)", text)]
    places = [place for cycle in cycles for place in cycle]
    if len(set(places)) < len(places) or min(places, default=0) < 0:
        raise ValueError(f"{_short(text)!r} is no permutation: each place from {base} on may be in one cycle, once")
    return cycles


def _from_cycles(cycles: list[list[int]], n: int) -> list[int]:
    """Where what is at each of n places goes to."""
    goes_to = list(range(n))
    for cycle in cycles:
        for place, following in zip(cycle, cycle[1:] + cycle[:1], strict=True):
            goes_to[place] = following
    return goes_to


# ksolve: Set NAME pieces orientations; Solved ... End; Move NAME ... End, with a line of pieces and one of orientations -----


def _ksolve(text: str) -> Rules:
    """Pieces from 1 on: the piece that comes to each place, and how it is turned then. Pieces of one number look alike."""
    lines = ((number, line.split()) for number, line in enumerate(text.splitlines(), 1) if line.strip() and line[0] != "#")
    sets: dict[str, tuple[int, int]] = {}
    solved: dict[str, tuple[list[str], list[str]]] = {}
    moves: dict[str, list[int]] = {}
    for number, words in lines:
        if words[0] == "Name":
            continue
        if words[0] == "Set" and len(words) == 4 and words[2].isdigit() and words[3].isdigit():
            sets[words[1]] = int(words[2]), int(words[3])
            _checked(sum(pieces * ways for pieces, ways in sets.values()))
        elif words[0] in ("Solved", "StartState"):
            solved = _blocks(lines, sets)
        elif words[0] in ("Move", "MoveTransformation") and len(words) == 2:
            goes_to: list[int] = []
            for name, (pieces, twists) in _blocks(lines, sets).items():
                count, ways = sets[name]
                if sorted(pieces) != sorted(str(piece) for piece in range(1, count + 1)) or not all(map(str.isdigit, twists)):
                    raise ValueError(f"line {number}: {name} must have each of 1 to {count} once, and whole numbers below")
                first, block = len(goes_to), [0] * (count * ways)
                for place, (piece, twist) in enumerate(zip(pieces, twists, strict=True)):
                    for way in range(ways):
                        block[(int(piece) - 1) * ways + way] = first + place * ways + (way + int(twist)) % ways
                goes_to += block
            moves[words[1]] = goes_to
        else:
            raise ValueError(f"line {number}: cannot read {_short(' '.join(words))!r}: known are Name, Set, Solved and Move")
    labels, distinct = [], True
    for name, (count, ways) in sets.items():
        pieces, twists = solved.get(name, ([str(piece) for piece in range(1, count + 1)], ["0"] * count))
        distinct &= len(set(pieces)) == count and "?" not in twists
        for piece, twist in zip(pieces, twists, strict=True):
            if twist != "?" and not twist.isdigit():
                raise ValueError(f"{name} is solved with orientation {twist!r}; give a whole number, or ? if it does not count")
            turned = twist != "?" and ways > 1
            labels += [f"{name}{piece}" + (f".{(way - int(twist)) % ways}" if turned else "") for way in range(ways)]
    return Rules(moves, None if distinct else labels)


def _blocks(lines: Iterator[tuple[int, list[str]]], sets: dict[str, tuple[int, int]]) -> dict[str, tuple[list[str], list[str]]]:
    """The pieces and orientations of every set up to End; a set that is left out stays as it is."""
    found = {name: ([str(piece) for piece in range(1, count + 1)], ["0"] * count) for name, (count, _) in sets.items()}
    name, rows = "", 0
    for number, words in lines:
        if words == ["End"]:
            return found
        if words[0] in sets:
            name, rows = words[0], 0
        elif not name or rows == 2 or len(words) != sets[name][0]:
            raise ValueError(f"line {number}: expected the name of a set, one line of its pieces, one of orientations, or End")
        else:
            found[name][rows][:] = words
            rows += 1
    raise ValueError("End is missing")


def _short(text: Any) -> str:
    text = " ".join(str(text).split())
    return text if len(text) <= 60 else text[:57] + "..."
