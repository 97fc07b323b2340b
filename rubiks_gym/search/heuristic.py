"""What a search is guided by: functions of batches of states, whoever made them, and checks of what they answer."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rubiks_gym.puzzles import Puzzle
from rubiks_gym.puzzles.compiled import jit
from rubiks_gym.puzzles.streams import below
from rubiks_gym.puzzles.table import hash_row, same_rows

CostToGo = Callable[[np.ndarray], np.ndarray]  # states [M, S] to moves still needed [M]
ChildCosts = Callable[[np.ndarray], np.ndarray]  # states [M, S] to moves still needed from each of their children [M, A]
Policy = Callable[[np.ndarray], np.ndarray]  # states [M, S] to probabilities of the actions [M, A]


class DecomposedHeuristic(NamedTuple):
    """A cost-to-go in two parts: that of a child is first(state)[action] + second(child).

    The first is known for all children of a state without making any of them, so a search can leave out most of them before
    it works out the second (partial expansion). An agent that has such parts has them as `decomposed`. Without a second the
    first is the whole cost-to-go, as of a network with an output per action: an agent has that as `child_costs`.
    """

    first: ChildCosts
    second: CostToGo | None = None
    nbytes: int = 0  # memory that the first part holds, which a search takes off its budget


def heuristic(cost_to_go: CostToGo, states: np.ndarray) -> np.ndarray:
    """What cost_to_go says of states [M, S], [M] float32; a ValueError names an answer that no search can use."""
    if len(states) == 0:
        return np.zeros(0, np.float32)
    return as_costs("cost_to_go", cost_to_go(states), (len(states),), states)


def as_costs(word: str, answer: ArrayLike, shape: tuple[int, ...], states: np.ndarray) -> np.ndarray:
    """The answer of a function called `word` to states [M, S] as float32 of a shape (M, ...), if it can be."""
    answer = np.asarray(answer)
    if answer.shape != shape or answer.dtype.kind not in "fiu":
        each = "state" if len(shape) == 1 else "child"
        raise ValueError(f"{word} must return one number per {each}, shape {shape}, got {answer.dtype} {answer.shape}")
    with np.errstate(over="ignore"):  # what is too large for 32 bits becomes infinite, and is refused
        costs = answer.astype(np.float32)
    bad = ~np.isfinite(costs)
    if bad.any():
        at = np.argwhere(bad)[0]
        raise ValueError(f"{word} must be finite, got {answer[tuple(at)]} for {states[at[0]].tolist()}")
    return costs


def probabilities(policy: Policy, states: np.ndarray, n_actions: int) -> np.ndarray:
    """What policy says of states [M, S], [M, A] float64; a ValueError names an answer that cannot be used."""
    answer, shape = np.asarray(policy(states)), (len(states), n_actions)
    if answer.shape != shape or answer.dtype.kind not in "fiu":
        raise ValueError(f"policy must return one number per state and action, {shape}, got {answer.dtype} {answer.shape}")
    answer = np.ascontiguousarray(answer, np.float64)
    if not _usable(answer):
        bad = answer[~((answer >= 0) & (answer < np.inf))][0]
        raise ValueError(f"policy must return probabilities, finite and not negative, got {bad}")
    return answer


@jit
def _usable(answer):
    """Whether numbers [M, A] can serve as probabilities; they need not add up to 1."""
    usable = True
    for row in answer:
        for p in row:
            usable &= 0.0 <= p < np.inf
    return usable


def remembered(state_size: int) -> np.dtype:
    """An answer that is kept, with its state [S]."""
    return np.dtype([("states", np.uint8, (state_size,)), ("costs", np.float32)], align=True)


class Remembered:
    """A cost_to_go that keeps its answers [C], each in the one place that the hash of its state says, over what was there.

    A tree holds most states many times, and a search that plays moves comes back to those it has left: of the states that
    Konen's search asks about on the way from a cube it cannot solve, one in six to one in ten is new.
    """

    def __init__(self, cost_to_go: CostToGo, state_size: int, entries: int) -> None:
        block = np.empty(entries, remembered(state_size))
        self.cost_to_go, self.states, self.costs = cost_to_go, block["states"], block["costs"]
        self.costs[:] = np.nan  # nothing there yet

    def __call__(self, states: np.ndarray) -> np.ndarray:
        costs, at, new = np.empty(len(states), np.float32), np.empty(len(states), np.int64), np.empty(len(states), np.int64)
        new = new[: _recall(self.states, self.costs, states, costs, at, new)]
        asked, at = states[new], at[new]
        costs[new] = answers = heuristic(self.cost_to_go, asked)
        self.states[at], self.costs[at] = asked, answers  # of two for one place, the last stays in both
        return costs


@jit
def _recall(kept, kept_costs, states, costs, at, new):
    """Costs [M] of states [M, S] as far as they are kept [C, S], their places at [M], and rows new [M] of those that are not.

    Returns how many are not. The second loop does nothing but read, so that the processor waits for many rows at once.
    """
    for m in range(states.shape[0]):
        at[m] = below(hash_row(states, m), np.uint64(kept.shape[0]))
    for m in range(states.shape[0]):
        costs[m] = kept_costs[at[m]]
    n = 0
    for m in range(states.shape[0]):
        if np.isnan(costs[m]) or not same_rows(kept, at[m], states, m):
            new[n] = m
            n += 1
    return n


def lookahead_policy(puzzle: Puzzle, cost_to_go: CostToGo, states: np.ndarray, temperature: float = 0.5) -> np.ndarray:
    """A policy [B, A] from a value: softmax of -(cost-to-go of the child) / temperature over the legal actions.

    A child that is solved costs 0 whatever the value says.
    """
    children = puzzle.expand(states).reshape(-1, puzzle.state_size)
    costs = np.where(puzzle.is_solved(children), 0.0, cost_to_go(children)).reshape(len(states), puzzle.n_actions)
    return policy_of_costs(puzzle, states, costs, temperature)


def policy_of_costs(puzzle: Puzzle, states: np.ndarray, costs: np.ndarray, temperature: float = 0.5) -> np.ndarray:
    """The same [B, A] where the costs-to-go of the children [B, A] are known already."""
    scores = np.where(puzzle.legal(states), -costs / temperature, -np.inf)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


def random_policy(puzzle: Puzzle, states: np.ndarray) -> np.ndarray:
    """Every legal action with the same probability, [B, A]."""
    legal = puzzle.legal(states)
    return legal / legal.sum(axis=1, keepdims=True)
