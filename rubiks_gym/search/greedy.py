"""Greedy search: always on to the most promising neighbour, from all start states at once."""

import numpy as np

from rubiks_gym.checks import choice, flag, whole
from rubiks_gym.puzzles import Puzzle
from rubiks_gym.puzzles.table import StateTable
from rubiks_gym.search.heuristic import CostToGo, Policy, probabilities
from rubiks_gym.search.perimeter import Perimeter, begin
from rubiks_gym.search.solutions import Budget, Solutions


def greedy(
    puzzle: Puzzle,
    states: np.ndarray,
    cost_to_go: CostToGo | None = None,
    policy: Policy | None = None,
    rng: np.random.Generator | None = None,
    *,
    by: str = "value",
    revisit: bool = True,
    allow_undo: bool = False,
    max_steps: int = 1000,
    looks_ahead: bool = False,
    perimeter: Perimeter | None = None,
    budget: Budget | None = None,
) -> Solutions:
    """Follow the best neighbour from states [B, S] until inside the perimeter; of equal ones the action with the lowest number.

    A start that comes to a state a second time by the same move would go round for ever, unless moves are drawn, and is given
    up there.
    Nodes are the children that were compared (by value), or the states that were entered (by policy) and the children that a
    policy which looks ahead made for them.

    Args:
        puzzle: any puzzle.
        states: start states [B, S] uint8.
        cost_to_go: states [M, S] to moves still needed [M].
        policy: states [M, S] to probabilities of the actions [M, A].
        rng: what "sample" draws with.
        by: "value" goes to the child with the lowest cost_to_go, a child inside the perimeter before all others; "policy" takes
            the most probable of the legal actions; "sample" draws one of them as probable as the policy says.
        revisit: whether a start may enter a state that it has been in before.
        allow_undo: whether the move before may be undone.
        max_steps: moves at most, before the perimeter.
        looks_ahead: whether the policy makes the children of the states it is asked about; they are counted as nodes.
        perimeter: states whose way home is known.
        budget: checked before each step; its seconds are for all start states together.
    """
    choice(("value", "policy", "sample"), by=by)
    guide = {"cost_to_go": cost_to_go} if by == "value" else {"policy": policy}
    states, perimeter, budget = begin(puzzle, states, perimeter, budget, **guide)
    whole(1, max_steps=max_steps)
    flag(revisit=revisit, allow_undo=allow_undo, looks_ahead=looks_ahead)
    if by == "sample" and not isinstance(rng, np.random.Generator):
        raise ValueError("drawn moves are random: pass rng=np.random.default_rng(seed)")
    started, deadline = budget.clock(), budget.deadline()

    now, last = states.copy(), np.full(len(states), -1, np.int16)  # where each start is, [B, S], and by which action [B]
    marked, marked_last = now.copy(), last.copy()  # where it was some steps ago
    visited = StateTable(puzzle.state_size + 4)  # states with the number of their start behind them
    solved = perimeter.distance(now) >= 0
    nodes = np.zeros(len(states), np.int64)
    steps: list[np.ndarray] = []  # per step the action of each start, [B], -1 where it stands still
    going = np.flatnonzero(~solved)
    while len(going) and len(steps) < max_steps and budget.clock() < deadline:
        if visited.nbytes_with(len(going)) + 2 * len(states) * len(steps) > budget.arrays:
            break
        children = puzzle.expand(now[going])  # [n, A, S]
        allowed = puzzle.legal(now[going])  # [n, A]
        if not allow_undo:
            moved = np.flatnonzero(last[going] >= 0)
            allowed[moved, puzzle.inverse_action[last[going][moved]]] = False
        if not revisit:
            visited.insert(_with_start(now[going], going))
            seen = visited.find(_with_start(children.reshape(-1, puzzle.state_size), np.repeat(going, puzzle.n_actions)))
            allowed &= seen.reshape(allowed.shape) < 0

        costs = np.full(allowed.shape, np.inf)
        if by == "value" and cost_to_go is not None:
            cost, inside = perimeter.evaluate(cost_to_go, children[allowed])
            # No child of a state outside is nearer than the rim, so those inside are equally good.
            costs[allowed] = np.where(inside, -np.inf, cost)
            nodes[going] += allowed.sum(axis=1)
        elif policy is not None:
            probable = probabilities(policy, now[going], puzzle.n_actions)
            if (
                by == "sample" and rng is not None
            ):  # which of exponential clocks with these rates rings first; none of them never
                costs[allowed] = rng.exponential(size=int(allowed.sum())) / np.maximum(probable[allowed], 1e-30)
            else:
                costs[allowed] = -probable[allowed]
            nodes[going] += allowed.any(axis=1) + looks_ahead * puzzle.n_actions
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
    seconds = np.full(len(states), (budget.clock() - started) / max(len(states), 1))
    return Solutions(moves, solved, nodes, seconds, np.zeros(len(moves), np.int64))


def _with_start(states: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """States [M, S] with the number of their start [M] in four more bytes, so that one table serves all starts."""
    return np.concatenate([states, starts.astype(np.int32).view(np.uint8).reshape(-1, 4)], axis=1)
