"""Puzzles whose moves add up: a state read as how often each move was made.

Where a move adds the same numbers to the entries of every state, modulo a prime, the order of moves makes no difference, and
where they are independent as well, a state tells how often each was made: as a sum of its entries, modulo that prime. Such a
sum may take half of all entries, far more than a table can look at, and a table over fewer knows nothing of it.

Letters: A actions, S state, R moves without inverses of others.
"""

import numpy as np

from rubiks_gym.puzzles import Puzzle


def times_made(puzzle: Puzzle, states: np.ndarray) -> np.ndarray | None:
    """Coefficients [R, S]: the entries of a state times them, modulo n_values, say how often each move was made.

    That moves add up is seen on some states [B, S]. None where they do not, or are not independent.
    """
    prime = puzzle.n_values
    if any(prime % n == 0 for n in range(2, prime)) or puzzle.goal.any() or not puzzle.legal(states).all():
        return None
    added = (puzzle.expand(states).astype(np.int64) - states[:, None]) % prime  # [B, A, S]
    if (added != added[0]).any():
        return None
    moves = added[0, np.arange(puzzle.n_actions) <= puzzle.inverse_action]
    return _coefficients(moves, prime)


def _coefficients(moves: np.ndarray, prime: int) -> np.ndarray | None:
    """The same from what moves [R, S] add, by Gauss's elimination; None if they are not independent."""
    n, size = moves.shape
    rows = np.concatenate([moves, np.eye(n, dtype=np.int64)], axis=1)
    pivots: list[int] = []
    for column in range(size):
        rank = len(pivots)
        (below,) = np.nonzero(rows[rank:, column])
        if len(below):
            rows[[rank, rank + below[0]]] = rows[[rank + below[0], rank]]
            rows[rank] = rows[rank] * pow(int(rows[rank, column]), -1, prime) % prime
            others = np.arange(n) != rank
            rows[others] = (rows[others] - rows[others, column, None] * rows[rank]) % prime
            pivots.append(column)
    if len(pivots) < n:
        return None
    coefficients = np.zeros((n, size), np.int64)
    coefficients[:, pivots] = rows[:, size:].T
    return coefficients
