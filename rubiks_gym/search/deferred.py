"""Batch weighted A* with deferred evaluation: Q* (Agostinelli et al. 2021, "A* Search Without Expansions").

What is queued are children that have not been made: a state and an action, by what the state's own evaluation said of that
child. Taken from the queue, a child is made, and one evaluation says what is to be queued of all its children.

Differs from the paper in that N children are taken at a time, and in what `bwas` differs in.
"""

import numpy as np

from rubiks_gym.puzzles import Puzzle
from rubiks_gym.puzzles.table import MOST
from rubiks_gym.search.heuristic import ChildCosts, as_costs
from rubiks_gym.search.open_list import Tree
from rubiks_gym.search.perimeter import Perimeter
from rubiks_gym.search.solutions import Budget


def solve_deferred(
    puzzle: Puzzle,
    child_costs: ChildCosts,
    weight: float,
    batch: int,
    action_costs: np.ndarray,
    perimeter: Perimeter,
    budget: Budget,
    start: np.ndarray,
    memory: int,
) -> tuple[list[int] | None, int]:
    """The moves from one start state [S], or None, and the number of states made; `bwas` says what the arguments are."""
    deadline = budget.deadline()
    tree, n_actions = Tree(start, action_costs), puzzle.n_actions
    most_nodes = min(MOST, 2**31 // (n_actions + 1))  # the numbers of their children stay within 32 bits
    generated = 0
    nearest = None  # the node inside the perimeter that makes the shortest solution so far
    which = np.array([0])  # nodes [M] to be evaluated: new ones, and those to which there is a shorter way now
    while True:
        if len(which):
            tree.open_children(
                which, _queued(puzzle, child_costs, tree.table.states[which], tree.nodes["action"][which]), weight
            )
        most = min(batch, tree.entries)  # children of this round
        spent = generated >= budget.nodes or budget.clock() >= deadline
        if spent or len(tree.table) + most > most_nodes or tree.nbytes_with(most, most * n_actions) > memory:
            break
        parents, actions = tree.take_children(batch)
        home = parents[actions == n_actions]
        if len(home):
            nearest = int(home[0])
            break
        if len(parents) == 0:  # everything that can be reached was made
            break
        generated += len(parents)
        children = puzzle.apply(tree.table.states[parents], actions)
        new, improved = tree.add(children, parents, actions.astype(np.int16))
        which = np.concatenate([np.arange(new.start, new.stop), np.unique(improved)])
        distance = perimeter.distance(tree.table.states[which])
        inside, which = which[distance >= 0], which[distance < 0]
        tree.nodes["h"][inside] = distance[distance >= 0]
        tree.open_again(inside, weight)
        nearest = tree.nearer(nearest, inside)
    return tree.solution(nearest, perimeter), generated


def _queued(puzzle: Puzzle, child_costs: ChildCosts, states: np.ndarray, last: np.ndarray) -> np.ndarray:
    """Costs-to-go [M, A] of the children of states [M, S]; infinite if illegal, or if they undo the last action [M]."""
    h = as_costs("child_costs", child_costs(states), (len(states), puzzle.n_actions), states)
    h[~puzzle.legal(states)] = np.inf
    moved = np.flatnonzero(last >= 0)
    h[moved, puzzle.inverse_action[last[moved]]] = np.inf
    return h
