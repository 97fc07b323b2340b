"""Monte Carlo tree search from many start states at once: one tree of arrays per start, all leaves evaluated in one batch.

A round walks in every tree from the root to one or more leaves, always taking the action with the best score

    puct:  Q(s, a) + c P(s, a) sqrt(epsilon + sum_b N(s, b)) / (1 + N(s, a)) - L(s, a)
    uct:   Q(s, a) + c sqrt(ln sum_b N(s, b) / N(s, a)) - L(s, a)

evaluates all new leaves of all trees together, and carries their values up: N counts visits, Q is the mean or the maximum of
the values that came by, P the prior, and L the virtual loss, nu for each walk of this round that went the same way.
Costs in moves become values in one place, `worth`. Three published searches are settings of this one, see
`mcts_settings`:

- Konen's wrapper (Konen 2023, section 5.2.2) plays the most visited action after I iterations and keeps the tree below it,
  until the cube is solved or E_eval moves are played. A leaf is worth its best child; priors are the softmax over children.
- DeepCube (McAleer et al. 2018, section 4.2) searches until a solved state enters the tree, with maximum backup and several
  workers kept apart by virtual loss; a breadth-first search over the states of the tree then shortens the path. Naive DeepCube
  (section 5) returns the first path found instead. As printed, W(s, a) starts at 0 and so stays there: a state more than two
  moves from the goal is worth 2 - cost < 0, and max(0, V) = 0. Values count once W starts at the value of s; `deepcube` does
  that, and never undoes a move, `deepcube-literal` is the printed form.
- BetaCube (Bowman et al. 2018, section 3.2): the vanilla search is plain UCT with roll-outs drawn from the policy, the
  full one is Naive DeepCube as printed, with a single worker.

Differs from the papers in: the first of equal actions is taken, none is drawn; moves that are not allowed have no prior, the
others share it; the root is evaluated before the first iteration, which Konen counts as one; a state beyond Konen's depth limit
is worth too_deep even if it is solved; DeepCube's asynchronous workers are walks of one round, and two of them that meet at a
leaf evaluate it once and both back it up; in a state just expanded, where DeepCube's U is 0 for all actions, the likeliest is
tried first, not any; the breadth-first search merges equal states and sees every move between two states that were expanded,
not only those the search made, but no children that were not; BetaCube does not say how Q_0 is weighted, here it counts as
one visit, and its softmax with lambda = 1 is taken to be the policy itself.
"""

from typing import Any

import numpy as np

from rubiks_gym.puzzles import Puzzle, sample_seeds
from rubiks_gym.puzzles.streams import GOLDEN, mix
from rubiks_gym.search import mcts_kernels as kernels
from rubiks_gym.search.heuristic import CostToGo, Policy, Remembered, heuristic, probabilities, remembered
from rubiks_gym.search.mcts_settings import Settings
from rubiks_gym.search.mcts_tree import (
    Evaluation,
    Leaves,
    Task,
    Trees,
    fitting,
    least_room,
    most_room,
    planted,
    repotted,
    room_for_leaves,
    shortened,
    solution_in_tree,
)
from rubiks_gym.search.perimeter import Perimeter, begin, less_memory
from rubiks_gym.search.solutions import Budget, Solutions


def mcts(
    puzzle: Puzzle,
    states: np.ndarray,
    cost_to_go: CostToGo,
    policy: Policy | None = None,
    *,
    looks_ahead: bool = False,
    perimeter: Perimeter | None = None,
    budget: Budget | None = None,
    rng: np.random.Generator | None = None,
    **settings: Any,
) -> Solutions:
    """Search from each of states [B, S] until it is solved or the budget is used up.

    Args:
        puzzle: whose states they are.
        states: where to start, [B, S].
        cost_to_go: moves to the goal [M] for states [M, S], lower is better; asked once per round, about all new leaves.
        policy: probabilities [M, A] for states [M, S]; without one, a softmax over the children's cost-to-go.
        looks_ahead: whether the policy makes the children of the states it is asked about; they are counted as nodes.
        perimeter: states whose way home is known: to reach one is as good as to solve.
        budget: nodes are states generated for one start (children looked at and moves of roll-outs included); seconds are for
            all starts; memory is for the trees. If they do not fit all at once, some starts wait until others are done.
        rng: for roll-outs. A start's result depends on it and on its state, not on what else is in the batch.
        settings: see `Settings`; `mcts(..., **PRESETS["konen"])` is Konen's search.
    """
    guides = {"cost_to_go": cost_to_go} | ({} if policy is None else {"policy": policy})
    states, perimeter, budget = begin(puzzle, states, perimeter, budget, **guides)
    s, began = Settings(**settings), budget.clock()
    if s.remember:
        budget = less_memory(budget, s.remember * remembered(puzzle.state_size).itemsize, f"remember={s.remember:,}")
        cost_to_go = Remembered(cost_to_go, puzzle.state_size, s.remember)
    task = Task(puzzle, cost_to_go, policy, looks_ahead, s, s.numbers(), perimeter, budget, budget.deadline())
    seeds = np.zeros(len(states), np.uint64)
    if s.leaf == "rollout":
        if rng is None:
            raise ValueError("roll-outs are random: pass rng=np.random.default_rng(seed)")
        seeds = mix(sample_seeds(rng, 1) ^ puzzle.hash(states))

    solved, nodes = perimeter.distance(states) >= 0, np.zeros(len(states), np.int64)
    moves = [perimeter.finish(state) if home else [] for state, home in zip(states, solved, strict=True)]
    waiting = np.flatnonzero(~solved)
    together = most_together = fitting(task, least_room(task))
    while len(waiting) and together and not task.expired():
        rows, waiting = waiting[:together], waiting[together:]
        found, nodes[rows], aside = search(task, states[rows], seeds[rows])
        for row, solution in zip(rows, found, strict=True):
            if solution is not None:
                moves[row], solved[row] = solution, True
        # Starts set aside when memory ran out begin again, no more at a time than could stay.
        together = max(1, len(rows) - int(aside.sum())) if aside.any() else min(2 * together, most_together)
        waiting = np.concatenate([rows[aside], waiting])
    seconds = (budget.clock() - began) / max(1, len(states))
    return Solutions(moves, solved, nodes, np.full(len(states), seconds), np.zeros(len(states), np.int64))


# The search from T starts in lock-step --------------------------------------------------------------------------------


def search(task: Task, starts: np.ndarray, seeds: np.ndarray) -> tuple[list[list[int] | None], np.ndarray, np.ndarray]:
    """Grow one tree from each start [T, S]: solutions found (None: not), nodes generated [T], and who was set aside [T]."""
    s = task.settings
    found: list[list[int] | None] = [None] * len(starts)
    nodes, aside = np.zeros(len(starts), np.int64), np.zeros(len(starts), bool)
    most_nodes, per_node, per_leaf = task.most_nodes(), task.per_node(), task.per_leaf()
    iterations = s.iterations_per_move or most_nodes

    rows, going = np.arange(len(starts)), np.ones(len(starts), bool)  # which start each tree is for, and whether it goes on
    trees, leaves = plant(task, starts, least_room(task)), room_for_leaves(task, len(starts))
    going &= (trees.prior[:, 0] >= 0).any(axis=1)
    played = np.zeros((len(starts), 0), np.int16)  # [T, moves so far]
    rolled = np.zeros(len(starts), np.int64)  # states generated by roll-outs
    done = 0  # iterations since the last move
    while True:
        nodes[rows] = generated = (1 + trees.created) * per_node - 1 + rolled  # the start itself was given
        quota = np.minimum((most_nodes - generated) // per_leaf, min(s.leaves, iterations - done))
        going &= quota > 0
        quota[~going] = 0
        if not going.any() or task.expired():
            return found, nodes, aside
        if int(np.max(trees.size + quota, where=going, initial=0)) > trees.value.shape[1]:
            room = min(2 * trees.value.shape[1], most_room(task))
            if room == trees.value.shape[1]:
                going &= trees.size + quota <= room  # a tree that fills all memory is given up
                continue
            keep = np.flatnonzero(going)[: fitting(task, room)]
            aside[rows[going]] = True
            aside[rows[keep]] = False
            trees, leaves = repotted(task, trees, keep, room), room_for_leaves(task, len(keep))
            rows, going, played, rolled, seeds = rows[keep], going[keep], played[keep], rolled[keep], seeds[keep]
            continue

        new_tree, away, rolled_now = one_round(task, trees, leaves, quota, seeds)
        done += s.leaves
        if rolled_now is not None:
            rolled += np.bincount(new_tree, rolled_now, minlength=len(rolled)).astype(np.int64)
        if s.stop_in_tree and (away >= 0).any():
            for t in np.unique(new_tree[away >= 0]):
                found[rows[t]] = shortened(task, starts[rows[t]], played[t].tolist(), solution_in_tree(task, trees, t))
                going[t] = False
        if s.iterations_per_move and done >= iterations:
            done = 0
            played = np.concatenate([played, play(task, trees, going)[:, None]], axis=1)
            going &= played[:, -1] >= 0
            for t in np.flatnonzero(going & trees.goal[:, 0]):
                rest = task.perimeter.finish(trees.states[t, 0])
                found[rows[t]] = shortened(task, starts[rows[t]], played[t].tolist(), rest)
                going[t] = False
            if played.shape[1] >= s.max_moves:
                going[:] = False


def plant(task: Task, starts: np.ndarray, room: int) -> Trees:
    """Trees of one node each, the starts [T, S], evaluated."""
    trees = planted(starts, task.puzzle.n_actions, room)
    evaluation, _, _ = evaluate(task, starts, None, None)
    kernels.expand(trees, np.arange(len(starts)), np.zeros(len(starts), np.int64), evaluation)
    return trees


def one_round(
    task: Task, trees: Trees, leaves: Leaves, quota: np.ndarray, seeds: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Select quota [T] leaves in each tree, expand and evaluate the new ones together, back all up.

    Returns for the M new nodes their tree [M], distance from the goal (-1: not one) [M], and states their roll-outs generated.
    """
    m = kernels.select(trees, task.numbers, quota, leaves)
    new_tree, last = leaves.tree[:m], leaves.action[:m]
    away, rolled, leaf_seeds = np.zeros(0, np.int64), None, None
    if m:
        if task.settings.leaf == "rollout":
            leaf_seeds = mix(seeds[new_tree] + leaves.serial[:m].astype(np.uint64) * GOLDEN)
        evaluation, away, rolled = evaluate(task, task.puzzle.apply(leaves.parent[:m], last), last, leaf_seeds)
        into = new_tree, leaves.node[:m], evaluation
        kernels.expand_and_backup(trees, task.numbers, quota, leaves.leaf, leaves.beyond, *into)
    else:
        kernels.backup(trees, task.numbers, quota, leaves.leaf, leaves.beyond)
    return new_tree, away, rolled


def play(task: Task, trees: Trees, going: np.ndarray) -> np.ndarray:
    """Play a move in each going tree; the node it leads to becomes the root. The moves are [T], -1 where none was played."""
    played = np.empty(len(going), np.int16)
    kernels.play(trees, task.numbers, going, np.empty(trees.value.shape[1], np.int32), played)
    return played


# What a state is worth ------------------------------------------------------------------------------------------------


def worth(task: Task, cost: np.ndarray) -> np.ndarray:
    """Cost-to-go in moves as a value: V = R + c_step * cost. The goal, at cost 0, is worth R."""
    return task.settings.reward + task.settings.step_cost * cost


def evaluate(
    task: Task, states: np.ndarray, last: np.ndarray | None, seeds: np.ndarray | None
) -> tuple[Evaluation, np.ndarray, np.ndarray | None]:
    """States [M, S] that moves last [M] have led to: their evaluation, distance from the goal (-1: none) [M], and how many
    states their roll-outs generated [M].

    Roots come without moves, and without seeds: nothing is backed up from them, so none is rolled out.
    """
    s, rolled = task.settings, None
    allowed, away = allowed_actions(task, states, last), task.perimeter.distance(states)
    costs = children_costs(task, states, allowed) if task.compares_children() else None
    prior = priors(task, states, allowed, costs)
    if s.leaf == "children" and costs is not None:
        nearest = costs.min(axis=1)
        value = np.where(nearest < np.inf, worth(task, 1 + nearest), s.too_deep)
    elif s.leaf == "state" or s.first_q == "value":
        value = worth(task, heuristic(task.cost_to_go, states).astype(np.float64))
    else:
        value = np.zeros(len(states))
    first_q = value if s.first_q == "value" else np.full(len(states), float(s.first_q))
    if s.leaf == "rollout" and seeds is not None:
        value, rolled = roll_out(task, states, prior, allowed, away, seeds)
    goal = away >= 0
    return Evaluation(states, np.where(goal, worth(task, away), value), first_q, prior, allowed, goal), away, rolled


def roll_out(
    task: Task, states: np.ndarray, prior: np.ndarray, allowed: np.ndarray, away: np.ndarray, seeds: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Walk from states [M, S] with moves drawn from the policy: what each walk earned [M], and states generated [M]."""
    length, per_move = task.settings.rollout_length, 1 + task.children_for_priors()
    value, generated = np.full(len(states), float(task.settings.step_cost * length)), np.zeros(len(states), np.int64)
    walking = np.flatnonzero(away < 0)
    states, prior, allowed, seeds = states[walking], prior[walking], allowed[walking], seeds[walking]
    for k in range(length):
        if not len(walking) or task.expired():
            break
        actions = np.zeros(len(walking), np.int64)
        kernels.sample(prior, allowed, seeds, k, actions)
        states = task.puzzle.apply(states, actions)
        generated[walking] += per_move
        away = task.perimeter.distance(states)
        home = away >= 0
        value[walking[home]] = worth(task, k + 1 + away[home])
        walking, states, seeds, actions = walking[~home], states[~home], seeds[~home], actions[~home]
        if k + 1 < length and len(walking):
            allowed = allowed_actions(task, states, actions)
            prior = priors(task, states, allowed)
    return value, generated


def priors(task: Task, states: np.ndarray, allowed: np.ndarray, costs: np.ndarray | None = None) -> np.ndarray:
    """P [M, A] of states [M, S] by the policy; without one, from the costs of their children [M, A]."""
    if task.policy is not None:
        return probabilities(task.policy, states, task.puzzle.n_actions)
    costs = children_costs(task, states, allowed) if costs is None else costs
    least = costs.min(axis=1, keepdims=True)
    weights = np.exp(-(costs - np.where(least < np.inf, least, 0.0)) / task.settings.temperature)
    return weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-300)  # none is allowed: all 0


def children_costs(task: Task, states: np.ndarray, allowed: np.ndarray) -> np.ndarray:
    """Cost-to-go [M, A] of the children of states [M, S], infinite where a move is not allowed."""
    children = task.puzzle.expand(states).reshape(-1, task.puzzle.state_size)
    costs, _ = task.perimeter.evaluate(task.cost_to_go, children)
    return np.where(allowed, costs.reshape(allowed.shape).astype(np.float64), np.inf)


def allowed_actions(task: Task, states: np.ndarray, last: np.ndarray | None) -> np.ndarray:
    """Which actions the search may take in states [M, S] that moves last [M] have led to, [M, A] bool."""
    allowed = task.puzzle.legal(states)
    if last is not None and not task.settings.allow_undo:
        kernels.forbid(task.puzzle.inverse_action[last], allowed)  # but a dead end may be left as it was entered
    return allowed
