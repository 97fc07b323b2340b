"""Shortest solutions of stacks of pancakes: iterative deepening with the gap heuristic (Helmert 2010).

Where two neighbours in the stack, or the lowest pancake and the plate, differ by more than one in size, there is a gap. A turn
changes one pair of neighbours, so it closes one gap at most: their number is a lower bound, and nearly always the distance or
one less, so that hardly any state is looked at in vain.

Letters: B batch, S pancakes.
"""

import numpy as np

from rubiks_gym.puzzles import Pancake
from rubiks_gym.puzzles.compiled import inner, jit
from rubiks_gym.puzzles.threads import over_rows


def pancake_distances(puzzle: Pancake, states: np.ndarray) -> np.ndarray:
    """The least turns [B] int64 that solve states [B, S]. On a stack of 15 they take far less than a millisecond each."""
    if not isinstance(puzzle, Pancake):
        raise ValueError(f"pancake_distances is for stacks of pancakes, got {puzzle.name}")
    stacks = np.argsort(puzzle.check(states), axis=1)  # the size of the pancake at each place, from the top
    stacks = np.hstack([stacks, np.full((len(stacks), 1), puzzle.n)])  # and the plate
    out = np.empty(len(stacks), np.int64)
    over_rows(deepen, (), (stacks, out))
    return out


# Compiled ---------------------------------------------------------------------------------------------------------------


@inner
def _apart(a, b):
    return np.int64(a - b > 1 or b - a > 1)


@jit
def deepen(stacks, out):
    """The least turns out [B] that put stacks [B, S + 1] in order, the plate last."""
    n = stacks.shape[1] - 1
    turn = np.empty(4 * n + 4, np.int64)  # how many pancakes each turn of the way takes; two for each pancake are enough
    for b in range(stacks.shape[0]):
        stack, gaps = stacks[b].copy(), np.int64(0)
        for i in range(n):
            gaps += _apart(stack[i], stack[i + 1])
        limit = gaps
        while True:
            depth, turn[0] = 0, 1
            while depth >= 0:
                if gaps == 0:  # the plate is the largest, so all are in order
                    break
                found = False
                for k in range(turn[depth] + 1, n + 1):
                    change = _apart(stack[0], stack[k]) - _apart(stack[k - 1], stack[k])
                    if depth + 1 + gaps + change <= limit and not (depth > 0 and k == turn[depth - 1]):
                        turn[depth], gaps, found = k, gaps + change, True
                        stack[:k] = stack[:k][::-1].copy()
                        depth += 1
                        turn[depth] = 1
                        break
                if not found:
                    depth -= 1
                    if depth >= 0:
                        k = turn[depth]
                        stack[:k] = stack[:k][::-1].copy()
                        gaps += _apart(stack[k - 1], stack[k]) - _apart(stack[0], stack[k])
            if depth >= 0:
                break
            limit += 1
        out[b] = depth
    return True
