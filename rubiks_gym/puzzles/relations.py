"""How the moves of a puzzle are related, and what is left of a word of moves when those that cancel are taken out.

Where moves commute, many are made in vain: of U D U' only D is left, and pressing something twice among other presses is
nothing. So neighbours that commute may change places in a word. A move that meets its inverse cancels it, and of more than half
of the way round (three quarter turns) the other way round is taken.

Letters: B batch, A actions, S state.
"""

from typing import NamedTuple

import numpy as np

from rubiks_gym.puzzles.compiled import inner
from rubiks_gym.puzzles.puzzle import Puzzle

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


def relations_of(generators: np.ndarray) -> Relations:
    """The relations of moves that are permutations [A, N] of places, with the inverse of each among them."""
    n_actions, n = generators.shape
    commute, inverse, identity = np.empty((n_actions, n_actions), bool), np.empty(n_actions, np.int64), np.arange(n)
    for a, move in enumerate(generators):
        after = move[generators]  # [A, N], of any move and then a
        commute[a], inverse[a] = (after == generators[:, move]).all(axis=1), (after == identity).all(axis=1).argmax()
    order, now = np.full(n_actions, _MOST), generators
    for times in range(1, 16):
        order[(now == identity).all(axis=1) & (order == _MOST)] = times
        now = np.take_along_axis(generators, now, axis=1)
    return Relations(commute, inverse, order)


@inner
def append(commute, inverse, order, word, n, a):
    """Put move a behind the n moves of word, of which none cancel; returns how many they are then."""
    same, i = 0, n - 1
    while i >= 0 and commute[a, word[i]] and word[i] != inverse[a]:
        same += word[i] == a
        i -= 1
    if i >= 0 and word[i] == inverse[a]:
        for j in range(i, n - 1):
            word[j] = word[j + 1]
        return n - 1
    if 2 * (same + 1) > order[a]:  # shorter the other way round
        turned, end = order[a] - (same + 1), i + 1
        for j in range(i + 1, n):
            if word[j] != a:
                word[end] = word[j]
                end += 1
            elif turned > 0:
                word[end] = inverse[a]
                end += 1
                turned -= 1
        return end
    word[n] = a
    return n + 1
