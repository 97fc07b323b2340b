"""Shortest solutions with proof: a beam finds a solution that is short, an exact search the shorter one or that there is none.

What is left to prove is only that L - 2 quarter turns (L - 1 half turns) do not do, and a beam with an exact tail (see `tail`)
finds an L that is nearly always the true distance: `rubiks_gym.exact.optimal` does the rest.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from rubiks_gym.exact import ExactTable, OptimalSolver, has_table
from rubiks_gym.puzzles import Puzzle, Rubik3x3
from rubiks_gym.search.beam import beam
from rubiks_gym.search.both_ways import both_ways
from rubiks_gym.search.heuristic import CostToGo, DecomposedHeuristic
from rubiks_gym.search.perimeter import Perimeter
from rubiks_gym.search.solutions import Budget, Solutions

TAILS = {"qtm": 11, "htm": 10}  # one more takes six times (half turns: thirteen times) as long, and finds nothing shorter


def certified(
    puzzle: Puzzle,
    states: np.ndarray,
    cost_to_go: CostToGo,
    *,
    width: int = 1 << 16,
    tail: int | None = None,
    children_per_state: int = 3,
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
        width: states that the beam keeps per layer.
        tail: moves at the end that an exact search finds (3x3x3; by default 11 quarter turns or 10 half turns).
        children_per_state: with `decomposed`, children made per state kept.
        decomposed: cost_to_go in two parts, if it has them.
        perimeter: states whose way home is known.
        budget: for each start, beam and proof together; by default nodes are not limited.
    """
    budget = Budget(nodes=float("inf")) if budget is None else budget
    options: dict[str, Any] = {"width": width, "children_per_state": children_per_state, "decomposed": decomposed}
    options["perimeter"] = perimeter
    if has_table(puzzle):
        found, table = beam(puzzle, states, cost_to_go, budget=budget, **options), ExactTable(puzzle)
        lower = table.distance(states).astype(np.int64)
        short = [solved and len(moves) == d for moves, solved, d in zip(found.moves, found.solved, lower, strict=True)]
        moves = [m if good else table.solve(s[None])[0] for m, good, s in zip(found.moves, short, states, strict=True)]
        return found._replace(moves=moves, solved=np.ones(len(moves), bool), lower=lower)
    if not isinstance(puzzle, Rubik3x3):
        raise ValueError(f"nothing proves lengths of {puzzle.name}: certified is for the 3x3x3 and for small puzzles")
    solver = OptimalSolver(puzzle, budget.memory)
    each = replace(budget, nodes=budget.nodes / 2, seconds=budget.seconds / 2)  # of the two ways
    tail = TAILS[puzzle.metric] if tail is None else tail
    found = both_ways(beam, puzzle, states, cost_to_go, tail=tail, budget=each, **options)
    known = [moves if solved else None for moves, solved in zip(found.moves, found.solved, strict=True)]
    proof = solver.solve(states, known, budget.seconds - found.seconds, budget.nodes - found.nodes)
    moves = [moves or [] for moves in proof.moves]
    return Solutions(moves, proof.upper >= 0, found.nodes + proof.nodes, found.seconds + proof.seconds, proof.lower)
