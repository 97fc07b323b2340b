"""What the warm starts of DAVI and ADI learn from: canonical move sequences, whose lengths are upper bounds of the distance.

Letters: A actions, K moves of a sequence, M = sequences x K states, S state.
"""

from typing import NamedTuple

import numpy as np

from rubiks_gym.puzzles import Puzzle
from rubiks_gym.puzzles.compiled import jit
from rubiks_gym.puzzles.table import same
from rubiks_gym.puzzles.threads import over_rows


class Sequences(NamedTuple):
    """All states of canonical sequences of K moves but their starts, sequence after sequence."""

    states: np.ndarray  # [M, S] uint8
    before: np.ndarray  # [M, S] uint8, where the sequence was a move before
    moves: np.ndarray  # [M] float32, moves made, 1 to K


def sequences(puzzle: Puzzle, seeds: np.ndarray, k: int) -> Sequences:
    """One sequence of k moves from the goal for each seed."""
    walks, size = puzzle.canonical_walks(seeds, k), puzzle.state_size  # [n, K, S]
    before = np.concatenate([puzzle.origins(seeds)[:, None], walks[:, :-1]], axis=1)
    moves = np.tile(np.arange(1, k + 1, dtype=np.float32), len(walks))
    return Sequences(walks.reshape(-1, size), before.reshape(-1, size), moves)


def child_lengths(puzzle: Puzzle, made: Sequences) -> np.ndarray:
    """Moves [M, A] float32 by which the children of the states of sequences are reached: one more, or one less by going back.

    A child is a move back if it is where the sequence was a move before, or one move from where it was two moves before: where
    moves commute, or a half turn becomes a quarter turn, there is more than one way back.
    """
    children, siblings = puzzle.expand(made.states), puzzle.expand(made.before)
    earlier = np.empty_like(children)
    earlier[1:] = siblings[:-1]
    first = made.moves == 1  # nothing was two moves before, but its start is a move before
    earlier[first] = made.before[first, None]
    back = np.empty(children.shape[:2], bool)
    over_rows(_among, (), (children, earlier, back))
    return made.moves[:, None] + np.where(back, np.float32(-1), np.float32(1))


@jit
def _among(children, earlier, back):
    """Which children [M, A, S] are among earlier states [M, A, S], row by row, into back [M, A]."""
    for m in range(children.shape[0]):
        for a in range(children.shape[1]):
            back[m, a] = False
            for b in range(earlier.shape[1]):
                if same(children[m, a], earlier[m, b]):
                    back[m, a] = True
                    break
    return True
