"""The triplets of section 5.1: how often three moves in a row of a solution are a conjugation a b a^-1.

A window of three moves slides over every solution. DeepCube's 14 most used triplets were all conjugations, and a conjugation
was used more often than another triplet (figure 8).

Differs from the paper in: b is neither a nor a^-1, which the paper calls "a different action"; beside the share of conjugations
stands the one that moves drawn at random, without undoing the one before, would have.
"""

from collections import Counter
from typing import Any

import numpy as np

from rubiks_gym.puzzles import Puzzle

Triplet = tuple[int, int, int]
TOP = 14  # how many of the most used triplets are looked at


def triplets(solutions: list[list[int]]) -> Counter[Triplet]:
    """How often each triplet of moves occurs in solutions."""
    return Counter(triplet for moves in solutions for triplet in zip(moves, moves[1:], moves[2:], strict=False))


def is_conjugation(puzzle: Puzzle, triplet: Triplet) -> bool:
    """Whether a triplet is a b a^-1."""
    a, b, c = triplet
    back = puzzle.inverse_action[a]
    return c == back and b not in (a, back)


def report(puzzle: Puzzle, solutions: list[list[int]]) -> dict[str, Any]:
    """The figures of section 5.1; `frequency` lists how often each triplet that occurs does, conjugations and others."""
    counts = triplets(solutions)
    ordered = sorted(counts, key=lambda triplet: (-counts[triplet], triplet))
    kinds = {"conjugation": [], "other": []}
    for triplet in ordered:
        kinds["conjugation" if is_conjugation(puzzle, triplet) else "other"].append(counts[triplet])
    return {
        "solutions": len(solutions),
        "triplets": counts.total(),
        "share": sum(kinds["conjugation"]) / max(1, counts.total()),
        "share_by_chance": share_by_chance(puzzle),
        "mean": {kind: float(np.mean(found)) if found else 0.0 for kind, found in kinds.items()},
        "top": [(puzzle.format(triplet), counts[triplet], is_conjugation(puzzle, triplet)) for triplet in ordered[:TOP]],
        "frequency": kinds,
    }


def share_by_chance(puzzle: Puzzle) -> float:
    """The share of conjugations among all triplets in which no move undoes the one before."""
    inverse, actions = puzzle.inverse_action, range(puzzle.n_actions)
    allowed = [(a, b, c) for a in actions for b in actions if b != inverse[a] for c in actions if c != inverse[b]]
    return sum(is_conjugation(puzzle, triplet) for triplet in allowed) / len(allowed)
