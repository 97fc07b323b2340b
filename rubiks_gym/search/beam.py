"""Beam search: breadth-first search that keeps the W most promising states of every layer."""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from rubiks_gym.checks import whole
from rubiks_gym.exact import OptimalSolver
from rubiks_gym.puzzles import Puzzle
from rubiks_gym.puzzles.table import StateTable, children
from rubiks_gym.search.heuristic import CostToGo, DecomposedHeuristic, as_costs, heuristic
from rubiks_gym.search.perimeter import Perimeter, begin, less_memory, one_by_one
from rubiks_gym.search.solutions import Budget, MemorySpentError, Solutions
from rubiks_gym.search.tail import ExactTail

_CHUNK = 1 << 12  # states expanded at a time: their children fit the processor's cache and are a full batch for a network
_TAIL = 200  # bytes per state of a layer that a tail takes
_LIKE_PARENT = 2 / 3  # how much of its parent's second part a child is expected to have

# States of a layer below [M, S], rows of their parents [M], actions [M], and the part of their costs known so far [M].
Children = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
Watch = Callable[[np.ndarray, np.ndarray, np.ndarray], None]


def beam(
    puzzle: Puzzle,
    states: np.ndarray,
    cost_to_go: CostToGo,
    *,
    width: int = 1024,
    children_per_state: int = 3,
    max_steps: int = 1000,
    tail: int = 0,
    decomposed: DecomposedHeuristic | None = None,
    perimeter: Perimeter | None = None,
    budget: Budget | None = None,
    at_least: np.ndarray | None = None,
    at_most: np.ndarray | None = None,
    watch: Watch | None = None,
) -> Solutions:
    """Beam search from states [B, S], several at a time on as many cores; it ends with the first child inside the perimeter.

    A child that repeats another one of its layer, or a state of the two layers before, is dropped before the heuristic sees
    it. Of equal costs the child of the better parent is kept, then the one with the lower action. A width that holds whole
    layers makes this breadth-first search, and its solutions optimal.

    With a decomposed heuristic it expands partially: the first part of a child's cost and its parent's second part tell which
    children are worth a closer look; only the best children_per_state * W are made and have their own second part worked out.
    If there is no second part, one call of the first says all there is to say of a state's children. Of a child that several
    states have, the better state's word counts. Nodes are the children that were made.

    With a tail it ends with the first state kept that is exactly so many moves from the goal, which lower bounds tell (3x3x3);
    the perimeter is not asked then.

    A layer keeps 6 bytes per state, its parent and its action; the children of one layer at a time take S + 30 each.

    Args:
        puzzle: any puzzle.
        states: start states [B, S] uint8.
        cost_to_go: states [M, S] to moves still needed [M]; called for the children of up to 4096 states at a time.
        width: states kept per layer, W.
        children_per_state: with `decomposed`, children made per state kept.
        max_steps: layers at most.
        tail: moves at the end of a solution that an exact search finds, 11 say; 0 for none. Needs a table of 845 MB, once.
        decomposed: cost_to_go in two parts, if it has them.
        perimeter: states whose way home is known.
        budget: for each start; checked before each call of cost_to_go or of its second part.
        at_least: [B] with a tail: no shorter solution of each start is looked for, since there is none.
        at_most: [B] no longer solution of each start is looked for: one of that length plus 1 is known, say.
        watch: is shown the states [W, S] of every layer, best first, with the rows [W] of their parents in the layer before and
            the actions [W], for learners that learn from their own searches.
    """
    states, perimeter, budget = begin(puzzle, states, perimeter, budget, cost_to_go=cost_to_go)
    whole(1, width=width, max_steps=max_steps, children_per_state=children_per_state)
    whole(0, tail=tail)
    finisher = None
    if tail:
        solver = OptimalSolver(puzzle, budget.memory)
        taken = solver.table.coarse.nbytes + solver.table.fine.nbytes
        budget, finisher = less_memory(budget, taken, "the table of the tail"), partial(ExactTail, solver, tail)
    if decomposed is None:
        most, cost = puzzle.n_actions * width, cost_to_go  # type: int, CostToGo | None
        children_of = partial(_all_below, puzzle)
    else:
        budget = less_memory(budget, decomposed.nbytes, "the decomposed heuristic")
        most, cost = min(children_per_state, puzzle.n_actions) * width, decomposed.second
        children_of = partial(_promising_below, puzzle, decomposed.first, most)
    solve = partial(_solve, puzzle, children_of, cost, most, width, max_steps, finisher, perimeter, budget, watch)
    at_least, at_most = (
        np.broadcast_to(given if given is not None else other, len(states))
        for given, other in ((at_least, 0), (at_most, np.inf))
    )
    return one_by_one(solve, states, perimeter, budget, True, at_least, at_most)


def beam_from(
    puzzle: Puzzle,
    start: np.ndarray,
    cost_to_go: CostToGo,
    width: int,
    max_steps: int,
    perimeter: Perimeter,
    budget: Budget,
    memory: int,
    watch: Watch,
) -> tuple[list[int] | None, int]:
    """A beam from one start state [S], for searches with more steps: the moves, or None, and the number of states generated.

    Raises MemorySpentError when so many bytes are not enough.
    """
    children_of, most = partial(_all_below, puzzle), puzzle.n_actions * width
    return _solve(
        puzzle, children_of, cost_to_go, most, width, max_steps, None, perimeter, budget, watch, start, memory, 0, float("inf")
    )


def _solve(
    puzzle: Puzzle,
    children_of: Callable[..., Iterator[Children]],
    cost: CostToGo | None,
    most: int,
    width: int,
    max_steps: int,
    finisher: Callable[[np.ndarray, int], ExactTail] | None,
    perimeter: Perimeter,
    budget: Budget,
    watch: Watch | None,
    start: np.ndarray,
    memory: int,
    at_least: float,
    at_most: float,
) -> tuple[list[int] | None, int]:
    """The moves from one start state [S], or None, and the number of states generated."""
    deadline = budget.deadline()
    layer, before = start[None].copy(), start[None][:0].copy()  # [W, S], best first
    own = np.zeros(1, np.float32)  # [W] what `cost` says of each, if anything; of a single state it makes no difference
    last = np.array([-1], np.int16)  # [W] the action that led to each
    history: list[tuple[np.ndarray, np.ndarray]] = []  # per step the parents and actions [W]
    table = StateTable(puzzle.state_size)
    generated = kept_before = 0  # states in all layers so far
    tail = None if finisher is None else finisher(start, int(at_least))
    # The first state of a layer to be inside the perimeter is at its rim.
    while len(layer) and len(history) < min(max_steps, at_most - (perimeter.radius if tail is None else 0)):
        if tail is not None:
            home, moves, looked_at = tail.finish(at_most, deadline - budget.clock(), budget.nodes - generated)
            generated += looked_at
            if home >= 0:
                return _trace(history, home) + moves, generated
            if tail.aim > at_most:
                return None, generated
        table.clear()
        room = len(before) + len(layer) + min(most, len(layer) * puzzle.n_actions)
        beside = 18 * room + 16 * len(layer) * puzzle.n_actions + 6 * kept_before + _TAIL * len(layer) * bool(tail)
        if table.nbytes_with(room) + beside > memory:
            raise MemorySpentError(generated)
        table.insert(before)
        table.insert(layer)
        known = len(table)
        parents, actions, costs, owns = [], [], [], []
        for below, rows, by, so_far in children_of(layer, last, own):
            if generated >= budget.nodes or budget.clock() >= deadline:
                return None, generated
            generated += len(below)
            _, new = table.insert(below)
            below = below[new]
            parents.append(rows[new].astype(np.int32))
            actions.append(by[new])
            # One move ago all were outside, so whoever is inside now is as far from the goal as the others.
            if tail is None and (inside := perimeter.distance(below) >= 0).any():
                home = int(inside.argmax())
                return _trace([*history, (parents[-1], actions[-1])], home) + perimeter.finish(below[home]), generated
            owns.append(np.zeros(len(below), np.float32) if cost is None else heuristic(cost, below))
            costs.append(so_far[new] + owns[-1])
        kept = lowest(np.concatenate(costs), width)
        last, own = np.concatenate(actions)[kept], np.concatenate(owns)[kept]
        history.append((np.concatenate(parents)[kept], last))
        kept_before += len(kept)
        layer, before = table.states[known + kept], layer
        if tail is not None:
            tail.descend(*history[-1])
        if watch is not None:
            watch(layer, *history[-1])
    return None, generated


def _all_below(puzzle: Puzzle, layer: np.ndarray, last: np.ndarray, own: np.ndarray) -> Iterator[Children]:
    """All children of a layer [W, S] but those that undo its last actions [W]."""
    for row in range(0, len(layer), _CHUNK):
        below, rows, by = children(puzzle, layer[row : row + _CHUNK], last[row : row + _CHUNK])
        yield below, row + rows, by, np.zeros(len(below), np.float32)


def _promising_below(
    puzzle: Puzzle, first: CostToGo, most: int, layer: np.ndarray, last: np.ndarray, own: np.ndarray
) -> Iterator[Children]:
    """Of the same children the `most` that look best: by the first part of their cost and their parent's second, own [W]."""
    known = as_costs("the first part of a cost", first(layer), (len(layer), puzzle.n_actions), layer)
    looks = known + np.float32(_LIKE_PARENT) * own[:, None]
    looks[~puzzle.legal(layer)] = np.inf
    undo = np.flatnonzero(last >= 0)
    looks[undo, puzzle.inverse_action[last[undo]]] = np.inf
    looks = looks.ravel()
    limit = np.partition(looks, most - 1)[most - 1] if most < len(looks) else np.inf
    picked = np.flatnonzero((looks <= limit) & (looks < np.inf))  # and whatever looks as good as the last of them
    for start in range(0, max(len(picked), 1), _CHUNK * puzzle.n_actions):  # at a dead end no children, but those once
        some = picked[start : start + _CHUNK * puzzle.n_actions]
        rows, by = some // puzzle.n_actions, some % puzzle.n_actions
        yield puzzle.apply(layer[rows], by), rows, by.astype(np.int16), known[rows, by]


def lowest(costs: np.ndarray, width: int) -> np.ndarray:
    """The indices [W] of the lowest costs [M] in order of cost, then index."""
    kept = np.arange(len(costs))
    if len(costs) > width:
        limit = np.partition(costs, width - 1)[width - 1]
        better = np.flatnonzero(costs < limit)
        kept = np.concatenate([better, np.flatnonzero(costs == limit)[: width - len(better)]])
    return kept[np.argsort(costs[kept], kind="stable")]


def _trace(history: list[tuple[np.ndarray, np.ndarray]], row: int) -> list[int]:
    """The actions that led to a row of the last layer."""
    moves = []
    for parents, actions in reversed(history):
        moves.append(int(actions[row]))
        row = parents[row]
    return moves[::-1]
