"""Who solves, what and how, as a user asks for it: what the command line and the page in the browser share."""

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from rubiks_gym import command_line, search
from rubiks_gym.exact import Exact, OptimalSolver, SlidingBounds, has_table
from rubiks_gym.puzzles import Puzzle, Rubik3x3, SlidingTile, puzzle_from_name
from rubiks_gym.search import Budget, Choice, Perimeter, Solutions

TRAINED = "rubik3x3-qtm"  # the puzzle of the tables that come with the suite
NODES = 10_000_000  # after which a search gives up
PROOF = "certified"  # the search for a shortest solution


def load_agent(run: str | None, name: str | None, device: str = "cpu") -> Any:
    """The agent of a run; without one, the best that the suite has for the puzzle of a name."""
    if run is not None:
        return from_checkout(run, None if name is None else puzzle_from_name(name), device)
    if device not in ("auto", "cpu"):
        raise ValueError(f"--device {device} goes with --agent RUN: what comes with the suite has no network")
    puzzle = puzzle_from_name(name or TRAINED)
    if has_table(puzzle):
        return Exact(puzzle)
    if isinstance(puzzle, Rubik3x3):
        from rubiks_gym import ntuple

        return ntuple.trained(puzzle.name if puzzle.name in ntuple.TRAINED else TRAINED, puzzle)
    if isinstance(puzzle, SlidingTile) and puzzle.state_size <= 16:
        return SlidingBounds(puzzle)
    raise ValueError(
        f"{puzzle.name} is too large for an exact table, and no trained agent for it comes along: give --agent RUN"
    )


def from_checkout(run: str, puzzle: Puzzle | None, device: str = "cpu") -> Any:
    """What `agents.load` reads; a network computes on the device.

    The learners are no part of the package, so they are looked for in the current folder too.
    """
    command_line.look_here()
    try:
        load = importlib.import_module("agents").load
    except (ImportError, AttributeError):
        raise ValueError(
            f"{run} needs the learners, which are not installed: run the command in a checkout of rubiks-gym, "
            'after `pip install -e ".[agents]"`'
        ) from None
    try:
        return load(run, puzzle, device)
    except ModuleNotFoundError as error:
        raise ValueError(f'{run} needs the package {error.name}: pip install -e ".[agents]"') from None


def start_state(puzzle: Any, moves: str | None = None, facelets: str | None = None, state: Any = None) -> np.ndarray:
    """The state [S] after moves, of facelets, or that is given as it is; a state that cannot be is refused."""
    if moves is not None:
        return puzzle.after(moves)
    if facelets is None:
        return puzzle.check(np.asarray(state))[0]
    if not hasattr(puzzle, "from_facelets"):
        raise ValueError(f"{puzzle.name} has no facelets: give moves instead")
    return puzzle.from_facelets(facelets)


def most_nodes(name: str, asked: float | None) -> float:
    """The nodes of a budget: what is asked for, else what is usual for a search; proofs look at billions."""
    return asked if asked is not None else float("inf") if name == PROOF else NODES


def make_search(
    agent: Any,
    choice: Choice,
    budget: Budget,
    seed: int = 0,
    show: Callable[[float], None] = lambda share: None,
    perimeter: Perimeter | None = None,
) -> Callable[[np.ndarray], Solutions]:
    """The search that was chosen, as a function of start states [B, S]. A table that proofs need is built first, and shown.

    A perimeter of the chosen radius may be given, to be used again.
    """
    name, options, radius, inverse = choice
    if isinstance(agent.puzzle, Rubik3x3) and (name == PROOF or options.get("tail")):
        OptimalSolver(agent.puzzle, budget.memory, show)
    return search.make_search(name, agent, options, perimeter or radius, inverse, budget, seed)
