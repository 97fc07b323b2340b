"""Two tries for one cube: a state and its inverse are equally far from the goal, but rarely equally hard for a heuristic."""

from collections.abc import Callable

import numpy as np

from agents.search.solutions import Solutions
from rubiks_gym.puzzles import Puzzle


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
    moves = []
    for own, other, own_solved, other_solved in zip(
        found.moves[:n], found.moves[n:], found.solved[:n], found.solved[n:], strict=True
    ):
        # What solves the inverse is the state's own scramble, and that is undone move by move from its end.
        back = puzzle.inverse_action[other[::-1]].tolist() if other else []
        moves.append(own if own_solved and not (other_solved and len(back) < len(own)) else back)
    return Solutions(
        moves,
        found.solved[:n] | found.solved[n:],
        found.nodes[:n] + found.nodes[n:],
        found.seconds[:n] + found.seconds[n:],
    )
