"""Two tries for one cube: a state and its inverse are equally far from the goal, but rarely equally hard for a heuristic."""

from collections.abc import Callable
from inspect import signature

import numpy as np

from rubiks_gym.puzzles import Puzzle
from rubiks_gym.search.solutions import Solutions, shortest


def both_ways(search: Callable[..., Solutions], puzzle: Puzzle, states: np.ndarray, *args, **options) -> Solutions:
    """Search from states [B, S] and from their inverses, and keep the shorter solution of each (equal: the state's own).

    `both_ways(bwas, puzzle, states, cost_to_go, weight=0.6)` does so with `bwas(puzzle, ..., cost_to_go, weight=0.6)`; any
    search that takes a puzzle and states will do. Each of the two tries has the whole budget; nodes and seconds are sums. A
    search that can be told which lengths are of no use (at_most, as `beam`) looks from the inverse for shorter ones only.
    """
    if not hasattr(puzzle, "inverse"):
        raise ValueError(f"{puzzle.name} has no inverse states: searching both ways is for cubes")
    states = puzzle.check(puzzle.as_states(states))
    own = search(puzzle, states, *args, **options)
    if "at_most" in signature(search).parameters:
        longer = np.where(own.solved, [len(moves) - 1 for moves in own.moves], np.inf)
        known = options.get("at_most")
        options["at_most"] = longer if known is None else np.minimum(longer, known)
    other = search(puzzle, puzzle.inverse(states), *args, **options)
    # What solves the inverse is the state's own scramble, and that is undone move by move from its end.
    back = [puzzle.inverse_action[moves[::-1]].tolist() if moves else [] for moves in other.moves]
    return shortest([own, other._replace(moves=back)])
