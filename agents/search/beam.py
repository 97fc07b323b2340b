"""Beam search: breadth-first search that keeps the W most promising states of every layer."""

import time
from collections.abc import Callable
from functools import partial

import numpy as np

from agents.search.ball import Ball, CostToGo, begin, heuristic, one_by_one, whole
from agents.search.solutions import Budget, Solutions
from agents.search.table import StateTable, children
from rubiks_gym.puzzles import Puzzle

_CHUNK = 1 << 12  # states expanded at a time: their children fit the processor's cache and are a full batch for a network


def beam(
    puzzle: Puzzle,
    states: np.ndarray,
    cost_to_go: CostToGo,
    *,
    width: int = 1024,
    max_steps: int = 1000,
    ball: Ball | None = None,
    budget: Budget | None = None,
    watch: Callable[[np.ndarray], None] | None = None,
) -> Solutions:
    """Beam search from states [B, S], several at a time on as many cores; it ends with the first child that is in the ball.

    A child that repeats another one of its layer, or a state of the two layers before, is dropped before the heuristic sees
    it. Of equal costs the child of the better parent is kept, then the one with the lower action. A width that holds whole
    layers makes this breadth-first search, and its solutions optimal.

    A layer keeps 6 bytes per state, its parent and its action; the children of one layer at a time take S + 30 each.

    Args:
        puzzle: any puzzle.
        states: start states [B, S] uint8.
        cost_to_go: states [M, S] to moves still needed [M]; called for the children of up to 4096 states at a time.
        width: states kept per layer, W.
        max_steps: layers at most.
        ball: states whose way home is known.
        budget: for each start; checked before each call of cost_to_go.
        watch: is shown the states [W, S] of every layer, best first, for learners that learn from their own searches.
    """
    states, ball = begin(puzzle, states, ball)
    whole(1, width=width, max_steps=max_steps)
    solve = partial(_solve, puzzle, cost_to_go, width, max_steps, ball, budget or Budget(), watch)
    return one_by_one(solve, states, ball, parallel=True)


def _solve(
    puzzle: Puzzle,
    cost_to_go: CostToGo,
    width: int,
    max_steps: int,
    ball: Ball,
    budget: Budget,
    watch: Callable[[np.ndarray], None] | None,
    start: np.ndarray,
) -> tuple[list[int] | None, int]:
    """The moves from one start state [S], or None, and the number of states generated."""
    deadline = budget.deadline()
    layer, before = start[None].copy(), start[None][:0].copy()  # [W, S], best first
    last = np.array([-1], np.int16)  # [W] the action that led to each
    history: list[tuple[np.ndarray, np.ndarray]] = []  # per step the parents and actions [W]
    table = StateTable(puzzle.state_size)
    generated = kept_before = 0  # states in all layers so far
    while len(layer) and len(history) < max_steps:
        table.clear()
        room = len(before) + len(layer) * (1 + puzzle.n_actions)
        if table.nbytes_with(room) + 14 * room + 6 * kept_before > budget.memory:
            break
        table.insert(before)
        table.insert(layer)
        known = len(table)
        parents, actions, costs = [], [], []
        for row in range(0, len(layer), _CHUNK):
            if generated >= budget.nodes or time.perf_counter() >= deadline:
                return None, generated
            below, rows, by = children(puzzle, layer[row : row + _CHUNK], last[row : row + _CHUNK])
            generated += len(below)
            _, new = table.insert(below)
            parents.append((row + rows[new]).astype(np.int32))
            actions.append(by[new])
            inside = ball.distance(below[new]) >= 0
            if inside.any():  # one move ago all were outside, so whoever is inside now is as far from the goal as the others
                home = int(inside.argmax())
                return _trace([*history, (parents[-1], actions[-1])], home) + ball.finish(below[new[home]]), generated
            costs.append(heuristic(cost_to_go, below[new]))
        kept = _best(np.concatenate(costs), width)
        last = np.concatenate(actions)[kept]
        history.append((np.concatenate(parents)[kept], last))
        kept_before += len(kept)
        layer, before = table.states[known + kept], layer
        if watch is not None:
            watch(layer)
    return None, generated


def _best(costs: np.ndarray, width: int) -> np.ndarray:
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
