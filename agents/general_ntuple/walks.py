"""Random walks from the goal with an upper bound of the distance at each step: the moves so far, without those that cancel.

Where moves commute, a walk makes many in vain: of U D U' only D is left, and pressing something twice among other presses is
nothing. So the moves of a walk are counted as a word in which neighbours that commute may change places. A move that meets its
inverse cancels it, and of more than half of the way round (three quarter turns) the other way round is taken.

Letters: B batch, K moves of a walk, A actions, S state.
"""

from typing import NamedTuple

import numpy as np

from rubiks_gym.puzzles import Puzzle, sample_seeds
from rubiks_gym.puzzles.compiled import jit
from rubiks_gym.puzzles.threads import over_rows

_MOST = 255  # an order that is not found: higher than any that matters


class Relations(NamedTuple):
    """What is known of moves that can always be made."""

    commute: np.ndarray  # [A, A] bool
    inverse: np.ndarray  # [A] int64
    order: np.ndarray  # [A] int64: so often made, a move does nothing


def find_relations(puzzle: Puzzle, states: np.ndarray) -> Relations | None:
    """The relations of a puzzle's moves, seen on some states [B, S]; None if not every move can always be made."""
    if not puzzle.legal(states).all():
        return None
    order = np.full(puzzle.n_actions, _MOST)
    once = puzzle.expand(states)  # [B, A, S]
    twice = puzzle.expand(once.reshape(-1, puzzle.state_size)).reshape(*once.shape[:2], *once.shape[1:])  # a, then b
    commute = (twice == twice.swapaxes(1, 2)).all(axis=(0, 3))
    for a in range(puzzle.n_actions):
        now = states
        for times in range(1, 16):
            now = puzzle.apply(now, np.full(len(states), a))
            if np.array_equal(now, states):
                order[a] = times
                break
    return Relations(commute, puzzle.inverse_action.astype(np.int64), order)


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
            a, same, i = actions[b, t], 0, n - 1
            while i >= 0 and commute[a, word[i]] and word[i] != inverse[a]:
                same += word[i] == a
                i -= 1
            if i >= 0 and word[i] == inverse[a]:
                word[i : n - 1] = word[i + 1 : n].copy()
                n -= 1
            elif 2 * (same + 1) > order[a]:  # shorter the other way round
                turned, end = order[a] - (same + 1), i + 1
                for j in range(i + 1, n):
                    if word[j] != a:
                        word[end] = word[j]
                        end += 1
                    elif turned > 0:
                        word[end] = inverse[a]
                        end += 1
                        turned -= 1
                n = end
            else:
                word[n] = a
                n += 1
            out[b, t] = n
    return True
