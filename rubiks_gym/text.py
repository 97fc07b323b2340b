"""Puzzles for language models: states as text and pictures, tasks of a true distance, and a verifier of proposed moves.

    from rubiks_gym import text
    [task] = text.sample_tasks("rubik2x2-qtm", [5], 1, np.random.default_rng(0))
    answer = your_model(text.prompt(task))                   # or with the picture text.png(task.puzzle, task.state)
    verdict = text.verify(task.puzzle, task.state, answer)   # legal? solves? how many moves more than needed?

`python -m rubiks_gym.text` writes tasks as lines of JSON and judges lines of answers. True distances come from the exact table
of a small puzzle; for the 3x3x3 from the proven states of `rubiks_gym.exact.bench` and, if you give one, an `OptimalSolver`.
"""

from __future__ import annotations

import argparse
import io
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rubiks_gym.checks import choice, whole
from rubiks_gym.command_line import run
from rubiks_gym.exact import ExactTable, OptimalSolver, bench, has_table
from rubiks_gym.puzzles import Cube, Hanoi, Puzzle, Rubik3x3, puzzle_from_name

FORMS = ("drawing", "line")
MOST_MOVES = 1000  # of an answer: more is no attempt at a short solution
_ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
_ANSWER = re.compile(r"^[^\w\n]*moves[^\w\n:]*:(.*)$", re.IGNORECASE | re.MULTILINE)


class Task(NamedTuple):
    """A state to be solved, whose true distance from the goal is known."""

    puzzle: Puzzle
    state: np.ndarray  # [S] uint8
    distance: int  # moves of a shortest solution


class Verdict(NamedTuple):
    """What a proposed answer is worth."""

    moves: list[int] | None  # the actions that were read, None if the answer cannot be read
    legal: bool  # whether all of them can be made
    solved: bool  # whether they end at the goal
    fault: str | None  # what is wrong: a word that is no move, a move that cannot be made, an end that is not the goal
    distance: int | None  # true distance of the start, None where it is not known
    left: int | None  # true distance of the state where the legal moves end: below `distance` where they led closer
    excess: int | None  # moves more than needed, of an answer that solves


# States ---------------------------------------------------------------------------------------------------------------


def to_text(puzzle: Puzzle, state: np.ndarray, form: str = "drawing") -> str:
    """A state [S] as plain text that tells all of it.

    As a "drawing" of several lines: a cube's net of face letters, Hanoi's pegs with their disks from bottom to top. As one
    "line", which `from_text` reads back: a cube's facelets in the order URFDLB, the numbers of any other state.
    """
    choice(FORMS, form=form)
    state = puzzle.check(state)[0]
    if form == "line":
        return puzzle.facelets(state) if hasattr(puzzle, "facelets") else " ".join(map(str, state.tolist()))
    if isinstance(puzzle, Hanoi):
        disks = [[str(d + 1) for d in range(puzzle.disks)[::-1] if state[d] == peg] for peg in range(puzzle.pegs)]
        return "\n".join(f"peg {peg:x}: {' '.join(on_it) or '-'}" for peg, on_it in enumerate(disks))
    return _ESCAPES.sub("", puzzle.ansi(state))


def from_text(puzzle: Puzzle, line: str) -> np.ndarray:
    """The state [S] of one line of text; what the puzzle cannot look like is an error that names the fault."""
    if hasattr(puzzle, "from_facelets"):
        return puzzle.from_facelets(line)
    try:
        numbers = [int(word) for word in line.split()]
    except (AttributeError, ValueError):
        raise ValueError(f"a state of {puzzle.name} is a line of {puzzle.state_size} numbers, got {line!r}") from None
    return puzzle.check(np.array(numbers, np.int64))[0]


def png(puzzle: Puzzle, state: np.ndarray) -> bytes:
    """A picture of a state [S] as a PNG file."""
    from PIL import Image

    file = io.BytesIO()
    Image.fromarray(puzzle.image(puzzle.check(state)[0])).save(file, "PNG")
    return file.getvalue()


# Tasks ----------------------------------------------------------------------------------------------------------------


def sample_tasks(puzzle: Puzzle | str, distances: Sequence[int], n: int, rng: np.random.Generator) -> list[Task]:
    """n different tasks of each of the distances, in their order.

    Of a puzzle with an exact table they are uniform over all states of that distance; of the 3x3x3 over the proven states of
    `bench.strata`, at most 50 of a distance. Of other puzzles no true distance is known, so there are none.
    """
    puzzle = puzzle_from_name(puzzle) if isinstance(puzzle, str) else puzzle
    whole(1, n=n)
    whole(0, **{f"distances[{i}]": distance for i, distance in enumerate(distances)})
    if has_table(puzzle):
        table = ExactTable(puzzle)
        states, known = None, table.distances
    elif isinstance(puzzle, Rubik3x3):
        states, known = bench.strata(puzzle.metric)
    else:
        raise ValueError(f"no true distances of {puzzle.name} are known: tasks need an exact table, or a 3x3x3")
    tasks = []
    for distance in distances:
        there = np.flatnonzero(known == distance)
        if len(there) < n:
            raise ValueError(f"{len(there)} states of {puzzle.name} are known at distance {distance}, {n} were asked for")
        drawn = rng.choice(there, n, replace=False)
        tasks += [Task(puzzle, s, int(distance)) for s in (table.from_index(drawn) if states is None else states[drawn])]
    return tasks


def rules(puzzle: Puzzle) -> str:
    """The puzzle and its moves in a few sentences."""
    moves = f"The moves are: {' '.join(puzzle.action_names)}."
    if isinstance(puzzle, Cube):
        held = "" if puzzle.size == 3 else " The corner where D, L and B meet is held, so only U, R and F are turned."
        half = " A half turn counts as two moves." if puzzle.metric == "qtm" else " X2 is half a turn, and one move."
        return (
            f"A Rubik's cube of {puzzle.size}x{puzzle.size}x{puzzle.size}. Each sticker is named by the face where it belongs: "
            "U (up), R (right), F (front), D (down), L (left), B (back). X turns face X by a quarter, clockwise as seen from "
            f"outside; X' turns it counter-clockwise.{half}{held} {moves} A drawing shows the cube unfolded: U on top, then "
            "L, F, R and B in a row, D below."
        )
    if isinstance(puzzle, Hanoi):
        return (
            f"The towers of Hanoi with {puzzle.disks} disks (1 is the smallest) on {puzzle.pegs} pegs, numbered from 0. "
            "The move ab takes the top disk of peg a to peg b, which must be empty or have a larger disk on top. "
            f"The goal is to have all disks on peg {puzzle.pegs - 1:x}. {moves} A drawing lists the disks of a peg from "
            "bottom to top."
        )
    told = (type(puzzle).__doc__ or puzzle.name).strip().splitlines()[0]
    return f"{told} {moves}"


def prompt(task: Task) -> str:
    """The task in words: the rules, the goal, the state, and how to answer so that `verify` can read it."""
    puzzle = task.puzzle
    return (
        f"{rules(puzzle)}\n\nThe goal:\n{to_text(puzzle, puzzle.goal)}\n\nThe state:\n{to_text(puzzle, task.state)}\n\n"
        "Find the shortest sequence of moves that leads from the state to the goal. "
        "End with one line that begins with `Moves:` and has the moves, separated by spaces."
    )


# Answers --------------------------------------------------------------------------------------------------------------


def read_moves(puzzle: Puzzle, answer: str) -> list[int]:
    """The actions of an answer: what stands in the last line that begins with "Moves:", or else in the whole text.

    Commas, quotes, stars and brackets around moves are ignored; any other word that is no move is an error.
    """
    lines = _ANSWER.findall(answer)
    words = re.sub(r"[][,;`*\"()$]+", " ", lines[-1] if lines else answer).strip().rstrip(".")
    actions = puzzle.parse(words)
    if len(actions) > MOST_MOVES:
        raise ValueError(f"{len(actions)} moves are more than the {MOST_MOVES} that are read")
    return actions


def verify(
    puzzle: Puzzle,
    state: np.ndarray,
    answer: str | Sequence[int],
    truth: ExactTable | OptimalSolver | None = None,
    distance: int | None = None,
    seconds: float = 60.0,
) -> Verdict:
    """Judge proposed moves from a state [S], given as text or as actions.

    Args:
        puzzle: whose rules hold.
        state: where the moves begin.
        answer: the moves; text is read by `read_moves`.
        truth: where true distances come from; by default the exact table, where the puzzle is small enough for one. For the
            3x3x3 give an `OptimalSolver`: without one only the excess over a known `distance` can be told.
        distance: the true distance of the state, where it is known (`Task.distance`).
        seconds: time for each proof of an `OptimalSolver`; what is not proven within it is None.
    """
    start = puzzle.check(state)[0]
    if distance is not None:
        whole(0, distance=distance)
    truth = ExactTable(puzzle) if truth is None and has_table(puzzle) else truth
    if truth is not None and (truth.puzzle if isinstance(truth, ExactTable) else truth.cube).name != puzzle.name:
        raise ValueError(f"these true distances are of another puzzle than {puzzle.name}")
    moves, fault = None, None
    try:
        moves = read_moves(puzzle, answer) if isinstance(answer, str) else puzzle.parse(puzzle.format(list(answer)))
    except ValueError as error:
        fault = str(error)
    end, made = _play(puzzle, start, moves or [])
    legal = moves is not None and made == len(moves)
    solved = legal and bool(puzzle.is_solved(end[None])[0])
    if moves is not None and not legal:
        fault = f"move {made + 1}, {puzzle.action_names[moves[made]]}, cannot be made"
    elif legal and not solved:
        fault = "the moves do not end at the goal"
    if distance is None:
        distance = _distance(truth, start, moves if solved else None, seconds)
    left = 0 if solved else distance if made == 0 else _distance(truth, end, None, seconds)
    excess = len(moves) - distance if solved and moves is not None and distance is not None else None
    if excess is not None and excess < 0:
        raise ValueError(f"the state is solved in {len(moves or [])} moves, so its distance cannot be {distance}")
    return Verdict(moves, legal, solved, fault, distance, left, excess)


def _play(puzzle: Puzzle, state: np.ndarray, moves: Sequence[int]) -> tuple[np.ndarray, int]:
    """The state [S] after the moves up to the first illegal one, and how many were made."""
    states = state[None]
    for made, action in enumerate(moves):
        if not puzzle.legal(states)[0, action]:
            return states[0], made
        states = puzzle.apply(states, np.array([action]))
    return states[0], len(moves)


def _distance(
    truth: ExactTable | OptimalSolver | None, state: np.ndarray, solution: list[int] | None, seconds: float
) -> int | None:
    """The true distance of a state [S], None where it is not known; a solution of it leaves less to be proven."""
    if truth is None:
        return None
    if isinstance(truth, ExactTable):
        return int(truth.distance(state[None])[0])
    proof = truth.solve(state[None], [solution], seconds)
    return int(proof.upper[0]) if proof.proven[0] else None


# The command line -----------------------------------------------------------------------------------------------------


def judge(lines: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each line {"puzzle", "state", "answer", maybe "distance"} with the verdict's fields added, the moves as text."""
    judged = []
    for number, line in enumerate(lines, 1):
        if not isinstance(line, dict) or not all(isinstance(line.get(key), str) for key in ("puzzle", "state", "answer")):
            raise ValueError(f'line {number} must be an object with the texts "puzzle", "state" and "answer"')
        puzzle = puzzle_from_name(line["puzzle"])
        verdict = verify(puzzle, from_text(puzzle, line["state"]), line["answer"], distance=line.get("distance"))
        moves = None if verdict.moves is None else puzzle.format(verdict.moves)
        judged.append(line | verdict._asdict() | {"moves": moves})
    return judged


def main() -> None:
    """Write tasks, or judge answers to them."""
    parser = argparse.ArgumentParser(
        prog="python -m rubiks_gym.text",
        description="Tasks for language models as lines of JSON; with --judge, lines with an answer get a verdict.",
    )
    parser.add_argument("--puzzle", default="rubik2x2-qtm", help="name of the puzzle (default: rubik2x2-qtm)")
    parser.add_argument("--distances", type=int, nargs="+", default=[1, 2, 3, 4], help="true distances (default: 1 2 3 4)")
    parser.add_argument("--tasks", type=int, default=5, help="tasks of each distance (default: 5)")
    parser.add_argument("--seed", type=int, default=0, help="the same seed draws the same tasks (default: 0)")
    parser.add_argument("--judge", type=Path, metavar="FILE", help='lines as they were written, each with an "answer" added')
    args = parser.parse_args()
    if args.judge:
        text = args.judge.read_text()
        try:
            lines = [json.loads(line) for line in text.splitlines() if line.strip()]
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{args.judge} must have a JSON object on every line: {error}") from None
        print(*(json.dumps(line) for line in judge(lines)), sep="\n")
        return
    for task in sample_tasks(args.puzzle, args.distances, args.tasks, np.random.default_rng(args.seed)):
        line = {"puzzle": task.puzzle.name, "state": to_text(task.puzzle, task.state, "line"), "distance": task.distance}
        print(json.dumps(line | {"prompt": prompt(task)}))


if __name__ == "__main__":
    run(main)
