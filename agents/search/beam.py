"""Beam search: breadth-first search that keeps the W most promising states of every layer."""

import time

import numpy as np

from agents.search.ball import Ball, CostToGo, begin, one_by_one, whole
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
) -> Solutions:
    """Beam search from states [B, S], one after the other; it ends with the first child that is inside the ball.

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
        budget: checked before each call of cost_to_go.
    """
    states, ball = begin(puzzle, states, ball)
    whole(1, width=width, max_steps=max_steps)
    budget = budget or Budget()
    return one_by_one(lambda start: _solve(puzzle, start, cost_to_go, width, max_steps, ball, budget), states, ball)


def _solve(
    puzzle: Puzzle, start: np.ndarray, cost_to_go: CostToGo, width: int, max_steps: int, ball: Ball, budget: Budget
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
            cost, inside = ball.evaluate(cost_to_go, below[new])
            costs.append(cost)
            if inside.any():  # one move ago all were outside, so whoever is inside now is as far from the goal as the others
                home = int(inside.argmax())
                path = _trace([*history, (parents[-1], actions[-1])], home)
                return path + ball.finish(below[new[home]]), generated
        kept = _best(np.concatenate(costs), width)
        last = np.concatenate(actions)[kept]
        history.append((np.concatenate(parents)[kept], last))
        kept_before += len(kept)
        layer, before = table.states[known + kept], layer
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
