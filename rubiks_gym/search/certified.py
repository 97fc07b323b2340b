"""Shortest solutions with proof: a beam finds a solution that is short, an exact search rules out whatever is shorter.

Head: a beam with an exact tail (see `tail`), both ways, finds a solution of L moves. Then one length D after another, from the
lower bound up, is either ruled out or found. To rule it out takes an exact search of all (`rubiks_gym.exact.optimal`), seconds
while D is small, minutes at the end. Before those, wider and wider beams look for a solution of exactly D moves, as long as
they cost a small part of it: if there is one they nearly always find it, and it is optimal, since D is the lowest length left.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from rubiks_gym.exact import ExactTable, OptimalSolver, has_table
from rubiks_gym.puzzles import Puzzle, Rubik3x3
from rubiks_gym.search.beam import beam
from rubiks_gym.search.both_ways import both_ways
from rubiks_gym.search.heuristic import CostToGo, DecomposedHeuristic
from rubiks_gym.search.perimeter import Perimeter
from rubiks_gym.search.solutions import Budget, Solutions, joined

TAILS = {"qtm": 13, "htm": 11}
_GROWTH = {"qtm": 81, "htm": 13}  # nodes of an exact search against those for the length before, two quarter turns less
_WIDER = 4  # how much wider the next beam is
_PER_WIDTH = 300  # nodes that an exact search looks at in the time a beam, both ways, takes per state of its width
_PART = 4  # beams may be as wide as costs this part of the exact search they may save


def certified(
    puzzle: Puzzle,
    states: np.ndarray,
    cost_to_go: CostToGo,
    *,
    width: int = 1 << 15,
    widest: int = 1 << 19,
    tail: int | None = None,
    deepest: int = 26,
    children_per_state: int = 2,
    decomposed: DecomposedHeuristic | None = None,
    perimeter: Perimeter | None = None,
    budget: Budget | None = None,
) -> Solutions:
    """Shortest solutions of states [B, S], where the budget lasts; else the shortest found, and a lower bound.

    For the 3x3x3, and for puzzles small enough for an exact table, which then is the proof.

    Args:
        puzzle: a 3x3x3 or a small puzzle.
        states: start states [B, S] uint8.
        cost_to_go: states [M, S] to moves still needed [M].
        width: states that the first beam keeps per layer.
        widest: states that a beam keeps at most.
        tail: moves at the end that an exact search finds (3x3x3; by default 13 quarter turns or 11 half turns).
        deepest: the largest number of moves that is ruled out by exact search; no 3x3x3 is further than 26 moves away.
        children_per_state: with `decomposed`, children made per state kept.
        decomposed: cost_to_go in two parts, if it has them.
        perimeter: states whose way home is known (small puzzles).
        budget: for each start, beams and proof together; by default nodes are not limited.
    """
    budget = Budget(nodes=float("inf")) if budget is None else budget
    options: dict[str, Any] = {"children_per_state": children_per_state, "decomposed": decomposed}
    if has_table(puzzle):
        found = beam(puzzle, states, cost_to_go, width=width, perimeter=perimeter, budget=budget, **options)
        table = ExactTable(puzzle)
        lower = table.distance(states).astype(np.int64)
        short = [solved and len(moves) == d for moves, solved, d in zip(found.moves, found.solved, lower, strict=True)]
        moves = [m if good else table.solve(s[None])[0] for m, good, s in zip(found.moves, short, states, strict=True)]
        return found._replace(moves=moves, solved=np.ones(len(moves), bool), lower=lower)
    if not isinstance(puzzle, Rubik3x3):
        raise ValueError(f"nothing proves lengths of {puzzle.name}: certified is for the 3x3x3 and for small puzzles")
    solver = OptimalSolver(puzzle, budget.memory)
    tail = TAILS[puzzle.metric] if tail is None else tail
    beams = partial(both_ways, beam, puzzle, cost_to_go=cost_to_go, tail=tail, **options)
    states = puzzle.check(puzzle.as_states(states))
    rows = [_certify(solver, beams, state, width, widest, deepest, budget) for state in states]
    return joined(rows) if rows else Solutions([], np.zeros(0, bool), *np.zeros((3, 0), np.int64))


def _certify(
    solver: OptimalSolver,
    beams: Callable[..., Solutions],
    state: np.ndarray,
    width: int,
    widest: int,
    deepest: int,
    budget: Budget,
) -> Solutions:
    """The solution of one state [S]."""
    began, metric = budget.clock(), solver.cube.metric
    best: list[int] | None = None
    nodes, lower = 0, solver.least(state)

    def left() -> Budget | None:
        """What beams or an exact search may still spend."""
        seconds = budget.seconds - (budget.clock() - began)
        return replace(budget, nodes=budget.nodes - nodes, seconds=seconds) if nodes < budget.nodes and seconds > 0 else None

    def look(width: int, at_most: float) -> None:
        """Look for a solution of lower..at_most moves, each way with half of what is left."""
        nonlocal best, nodes
        if budget_left := left():
            each = replace(budget_left, nodes=budget_left.nodes / 2, seconds=budget_left.seconds / 2)
            found = beams(state[None], width=width, budget=each, at_least=np.array([lower]), at_most=np.array([at_most]))
            nodes += int(found.nodes[0])
            best = found.moves[0] if found.solved[0] else best

    look(width, np.inf)
    expected = 0.0  # nodes of an exact search for a solution of `lower` moves
    while best is None or lower < len(best):
        wider = width * _WIDER
        while wider <= widest and wider * _PER_WIDTH * _PART <= expected and (best is None or lower < len(best)):
            look(wider, lower)
            wider *= _WIDER
        if (best is not None and len(best) == lower) or lower > deepest or not (rest := left()):
            break
        found_exactly, looked_at = solver.refute(state, lower, rest.seconds, rest.nodes)
        nodes += looked_at
        if found_exactly is None:
            break
        if found_exactly:
            best = found_exactly[0]
        else:
            lower, expected = lower + solver.step, float(looked_at * _GROWTH[metric])
    seconds = np.array([budget.clock() - began])
    return Solutions([best or []], np.array([best is not None]), np.array([nodes]), seconds, np.array([lower]))
