"""Greedy search: always on to the most promising neighbour, from all start states at once."""

import time
from collections.abc import Callable

import numpy as np

from rubiks_gym.puzzles import Puzzle
from rubiks_gym.search.heuristic import CostToGo
from rubiks_gym.search.perimeter import Perimeter, begin, whole
from rubiks_gym.search.solutions import Budget, Solutions
from rubiks_gym.search.table import StateTable


def greedy(
    puzzle: Puzzle,
    states: np.ndarray,
    cost_to_go: CostToGo | None = None,
    policy: Callable[[np.ndarray], np.ndarray] | None = None,
    rng: np.random.Generator | None = None,
    *,
    by: str = "value",
    revisit: bool = True,
    undo: bool = False,
    max_steps: int = 1000,
    perimeter: Perimeter | None = None,
    budget: Budget | None = None,
) -> Solutions:
    """Follow the best neighbour from states [B, S] until inside the perimeter; of equal ones the action with the lowest number.

    A start that comes to a state a second time by the same move would go round for ever, unless moves are drawn, and is given
    up there.
    Nodes are the children that were compared (by value) or the states that were entered (by policy).

    Args:
        puzzle: any puzzle.
        states: start states [B, S] uint8.
        cost_to_go: states [M, S] to moves still needed [M].
        policy: states [M, S] to probabilities of the actions [M, A].
        rng: what "sample" draws with.
        by: "value" goes to the child with the lowest cost_to_go, a child inside the perimeter before all others; "policy" takes
            the most probable of the legal actions; "sample" draws one of them as probable as the policy says.
        revisit: whether a start may enter a state that it has been in before.
        undo: whether the move before may be undone.
        max_steps: moves at most, before the perimeter.
        perimeter: states whose way home is known.
        budget: checked before each step; its seconds are for all start states together.
    """
    states, perimeter = begin(puzzle, states, perimeter)
    whole(1, max_steps=max_steps)
    for word, flag in (("revisit", revisit), ("undo", undo)):
        if not isinstance(flag, bool):
            raise ValueError(f"{word} must be True or False, got {flag!r}")
    if by not in ("value", "policy", "sample"):
        raise ValueError(f"by must be 'value', 'policy' or 'sample', got {by!r}")
    needed = {"value": {"cost_to_go": cost_to_go}, "policy": {"policy": policy}, "sample": {"policy": policy, "rng": rng}}[by]
    for word, given in needed.items():
        if given is None:
            raise ValueError(f"by={by!r} needs {word}, which was not given")
    budget = budget or Budget()
    started, deadline = time.perf_counter(), budget.deadline()

    now, last = states.copy(), np.full(len(states), -1, np.int16)  # where each start is, [B, S], and by which action [B]
    marked, marked_last = now.copy(), last.copy()  # where it was some steps ago
    visited = StateTable(puzzle.state_size + 4)  # states with the number of their start behind them
    solved = perimeter.distance(now) >= 0
    nodes = np.zeros(len(states), np.int64)
    steps: list[np.ndarray] = []  # per step the action of each start, [B], -1 where it stands still
    going = np.flatnonzero(~solved)
    while len(going) and len(steps) < max_steps and time.perf_counter() < deadline:
        if visited.nbytes_with(len(going)) + 2 * len(states) * len(steps) > budget.memory:
            break
        children = puzzle.expand(now[going])  # [n, A, S]
        allowed = puzzle.legal(now[going])  # [n, A]
        if not undo:
            moved = np.flatnonzero(last[going] >= 0)
            allowed[moved, puzzle.inverse_action[last[going][moved]]] = False
        if not revisit:
            visited.insert(_with_start(now[going], going))
            seen = visited.find(_with_start(children.reshape(-1, puzzle.state_size), np.repeat(going, puzzle.n_actions)))
            allowed &= seen.reshape(allowed.shape) < 0

        costs = np.full(allowed.shape, np.inf)
        if by == "value":
            cost, inside = perimeter.evaluate(cost_to_go, children[allowed])
            # No child of a state outside is nearer than the rim, so those inside are equally good.
            costs[allowed] = np.where(inside, -np.inf, cost)
            nodes[going] += allowed.sum(axis=1)
        else:
            probable = _probabilities(policy, now[going], puzzle.n_actions)
            if by == "sample":  # which of exponential clocks with these rates rings first; none of them never
                costs[allowed] = rng.exponential(size=int(allowed.sum())) / np.maximum(probable[allowed], 1e-30)
            else:
                costs[allowed] = -probable[allowed]
            nodes[going] += allowed.any(axis=1)
        best = costs.argmin(axis=1)

        free = allowed.any(axis=1)  # the others have no move left that they may make
        now[going[free]] = children[free, best[free]]
        going = going[free]
        last[going] = best[free]
        steps.append(np.full(len(states), -1, np.int16))
        steps[-1][going] = last[going]
        solved[going] = perimeter.distance(now[going]) >= 0
        # Brent's cycle detection: with marks set at steps 1, 2, 4, 8, ... every circle is closed sooner or later.
        circling = (now[going] == marked[going]).all(axis=1) & (last[going] == marked_last[going]) & (by != "sample")
        going = going[~solved[going] & ~circling & (nodes[going] < budget.nodes)]
        if len(steps) & (len(steps) - 1) == 0:
            marked[going], marked_last[going] = now[going], last[going]

    path = np.stack(steps, axis=1) if steps else np.empty((len(states), 0), np.int16)  # [B, steps]
    moves = [
        row[row >= 0].tolist() + perimeter.finish(end) if home else [] for row, end, home in zip(path, now, solved, strict=True)
    ]
    seconds = np.full(len(states), (time.perf_counter() - started) / max(len(states), 1))
    return Solutions(moves, solved, nodes, seconds)


def _with_start(states: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """States [M, S] with the number of their start [M] in four more bytes, so that one table serves all starts."""
    return np.concatenate([states, starts.astype(np.int32).view(np.uint8).reshape(-1, 4)], axis=1)


def _probabilities(policy: Callable[[np.ndarray], np.ndarray], states: np.ndarray, n_actions: int) -> np.ndarray:
    """What policy says of states [M, S], [M, A]; a ValueError names an answer that cannot be used."""
    answer = np.asarray(policy(states))
    if answer.shape != (len(states), n_actions) or answer.dtype.kind not in "fiu":
        given = f"{answer.dtype} {answer.shape}"
        raise ValueError(f"policy must return one number per state and action, ({len(states)}, {n_actions}), got {given}")
    if not np.isfinite(answer).all():
        raise ValueError(f"policy must be finite, got {answer[~np.isfinite(answer)][0]}")
    return answer.astype(np.float64)
