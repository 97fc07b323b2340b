"""Two tries for one cube: a state and its inverse are equally far from the goal, but rarely equally hard for a heuristic."""

from collections.abc import Callable

import numpy as np

from rubiks_gym.puzzles import Puzzle
from rubiks_gym.search.solutions import Solutions, shortest


def both_ways(search: Callable[..., Solutions], puzzle: Puzzle, states: np.ndarray, *args, **options) -> Solutions:
    """Search from states [B, S] and from their inverses, and keep the shorter solution of each (equal: the state's own).

    `both_ways(bwas, puzzle, states, cost_to_go, weight=0.6)` does so with `bwas(puzzle, ..., cost_to_go, weight=0.6)`; any
    search that takes a puzzle and states will do. Each of the two tries has the whole budget; nodes and seconds are sums.
    """
    if not hasattr(puzzle, "inverse"):
        raise ValueError(f"{puzzle.name} has no inverse states: searching both ways is for cubes")
    states = puzzle.check(puzzle.as_states(states))
    n = len(states)
    found = search(puzzle, np.concatenate([states, puzzle.inverse(states)]), *args, **options)
    # What solves the inverse is the state's own scramble, and that is undone move by move from its end.
    back = [puzzle.inverse_action[moves[::-1]].tolist() if moves else [] for moves in found.moves[n:]]
    own = Solutions(found.moves[:n], *(array[:n] for array in found[1:]))
    return shortest([own, Solutions(back, *(array[n:] for array in found[1:]))])
