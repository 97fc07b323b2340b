"""Random walks from the goal with an upper bound of the distance at each step: the moves so far, without those that cancel.

Letters: B batch, K moves of a walk, S state.
"""

import numpy as np

from rubiks_gym.puzzles import Puzzle, sample_seeds
from rubiks_gym.puzzles.compiled import jit
from rubiks_gym.puzzles.relations import Relations, append
from rubiks_gym.puzzles.threads import over_rows


def walks(
    puzzle: Puzzle, relations: Relations | None, rng: np.random.Generator, n: int, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """States [n, k, S] of n random walks that never undo the move before, and the moves [n, k] float32 that each took."""
    if relations is None:
        return puzzle.canonical_walks(sample_seeds(rng, n), k), np.tile(np.arange(1, k + 1, dtype=np.float32), (n, 1))
    actions = rng.integers(puzzle.n_actions - 1, size=(n, k)) if puzzle.n_actions > 1 else np.zeros((n, k), np.int64)
    states, now = np.empty((n, k, puzzle.state_size), np.uint8), np.tile(puzzle.goal, (n, 1))
    for t in range(k):
        if t:  # of the others than the inverse of the last
            actions[:, t] += actions[:, t] >= relations.inverse[actions[:, t - 1]]
        now = puzzle.apply(now, actions[:, t])
        states[:, t] = now
    lengths = np.empty((n, k), np.float32)
    over_rows(word_lengths, tuple(relations), (actions, lengths))
    return states, lengths


# Compiled ---------------------------------------------------------------------------------------------------------------


@jit
def word_lengths(commute, inverse, order, actions, out):
    """The length of each beginning of words of actions [B, K] after cancelling into out [B, K]."""
    word = np.empty(actions.shape[1], np.int64)
    for b in range(actions.shape[0]):
        n = 0
        for t in range(actions.shape[1]):
            n = append(commute, inverse, order, word, n, actions[b, t])
            out[b, t] = n
    return True
