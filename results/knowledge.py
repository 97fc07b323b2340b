"""What solutions of a cube look like (McAleer et al. 2018, section 5.1): triplets of moves, pairs of cubies, blocks."""

from collections import Counter
from itertools import product
from typing import Any

import numpy as np

from agents.networks.embedding import neighbours
from rubiks_gym.puzzles import Puzzle, Rubik3x3

POINTS = 21  # of a solution, from its first state to its last


def triplets(puzzle: Puzzle, solutions: list[list[int]]) -> dict[str, Any]:
    """How many triplets of moves in solutions are conjugations a b a^-1, how many by chance, and how often each is used."""
    inverse, actions = puzzle.inverse_action, range(puzzle.n_actions)

    def is_conjugation(a: int, b: int, c: int) -> bool:
        return c == inverse[a] and b not in (a, inverse[a])

    used = Counter(triplet for moves in solutions for triplet in zip(moves, moves[1:], moves[2:], strict=False))
    chance = [(a, b, c) for a, b, c in product(actions, repeat=3) if b != inverse[a] and c != inverse[b]]
    counts: dict[bool, list[int]] = {True: [], False: []}
    for triplet in chance:
        counts[is_conjugation(*triplet)].append(used[triplet])
    return {
        "triplets": used.total(),
        "conjugations": sum(n for triplet, n in used.items() if is_conjugation(*triplet)) / max(1, used.total()),
        "by_chance": len(counts[True]) / len(chance),
        "of_the_14_most_used": sum(is_conjugation(*triplet) for triplet, _ in used.most_common(14)),
        "counts_of_conjugations": sorted(counts[True]),
        "counts_of_others": sorted(counts[False]),
    }


def progress(puzzle: Rubik3x3, states: np.ndarray, solutions: list[list[int]]) -> dict[str, list[float]]:
    """Means over solutions of states [B, S], at POINTS even steps from first to last state.

    pairs: corner and edge cubies, neighbours on a solved cube, that are joined as they are there, wherever they are (of 24).
    block: whether a corner and its three edges are at home, a 2x2x2 block with the centres.
    """
    pairs, blocks = np.zeros((len(states), POINTS)), np.zeros((len(states), POINTS))
    for row, (state, moves) in enumerate(zip(states, solutions, strict=True)):
        path = np.stack([puzzle.after(moves[:n], state) for n in range(len(moves) + 1)])
        at = np.rint(np.linspace(0, len(moves), POINTS)).astype(int)
        pairs[row], blocks[row] = joined_pairs(puzzle, path)[at], has_block(puzzle, path)[at]
    return {"pairs": pairs.mean(axis=0).tolist(), "block": blocks.mean(axis=0).tolist()}


def joined_pairs(puzzle: Rubik3x3, states: np.ndarray) -> np.ndarray:
    """How many neighbours [B], corner and edge, are joined in states [B, S]."""
    rotations, goal = puzzle.symmetry_tables.rotations, puzzle.goal
    count = np.zeros(len(states), int)
    for corner, edge in neighbours(puzzle):
        together = np.zeros((256, 256), bool)
        together[rotations[:, goal[corner]], rotations[:, goal[edge]]] = True  # the cube as a whole turned
        count += together[states[:, corner], states[:, edge]]
    return count


def has_block(puzzle: Rubik3x3, states: np.ndarray) -> np.ndarray:
    """Whether some corner and its three edges are at home [B] in states [B, S]."""
    home, beside = states == puzzle.goal, neighbours(puzzle)
    found = [home[:, [corner, *(e for c, e in beside if c == corner)]].all(axis=1) for corner in range(8)]
    return np.logical_or.reduce(found)
