"""The trees of `mcts`: arrays, how much room they have within the budget, and the moves that are read off them.

A node takes S + 17 A + 11 bytes, up to a multiple of 4: 236 for the 3x3x3 in quarter turns (340 in half turns), 120 for the
2x2x2 (172). Letters: T trees, N nodes per tree, A actions, S state, L leaves per tree and round, M new nodes of a round.
"""

from typing import NamedTuple

import numpy as np

from rubiks_gym.puzzles import Puzzle
from rubiks_gym.puzzles.table import StateTable
from rubiks_gym.search import mcts_kernels as kernels
from rubiks_gym.search.heuristic import CostToGo, Policy
from rubiks_gym.search.mcts_settings import Numbers, Settings
from rubiks_gym.search.perimeter import Perimeter
from rubiks_gym.search.solutions import Budget, path

_LARGEST_BATCH = 1 << 15  # states evaluated in a round: more are not faster each, and time is looked at between rounds


class Trees(NamedTuple):
    """T trees with room for N nodes each. Node 0 is the root; only the first size[t] nodes of tree t mean anything.

    Nodes are numbered as they are made, so a parent comes before its children. All arrays but the last two are views of one
    block of records, so that what belongs to a node is in one place: deep walks were about a quarter faster so than in
    separate arrays, shallow ones as fast.
    """

    children: np.ndarray  # [T, N, A] int32, -1 where there is none yet
    visits: np.ndarray  # [T, N, A] int32, N(s, a)
    q: np.ndarray  # [T, N, A] float32, Q(s, a), or W(s, a) where the backup is a maximum
    prior: np.ndarray  # [T, N, A] float32, P(s, a), -1 for an action that is not allowed
    value: np.ndarray  # [T, N] float32, what the node is worth as a leaf
    parent: np.ndarray  # [T, N] int32, -1 at the root
    action: np.ndarray  # [T, N] int16, the move that leads here from the parent, -1 at the root
    goal: np.ndarray  # [T, N] bool, solved or inside the perimeter
    in_flight: np.ndarray  # [T, N, A] uint8, walks under way: L(s, a) = nu * in_flight
    states: np.ndarray  # [T, N, S] uint8
    size: np.ndarray  # [T] int64, nodes in the tree
    created: np.ndarray  # [T] int64, nodes ever made below the start, those that played moves left behind included


class Leaves(NamedTuple):
    """What a round selects: the leaf of every walk, and the new nodes of all trees, the first M of T * L rows."""

    leaf: np.ndarray  # [T, L] int32, the last node of a walk
    beyond: np.ndarray  # [T, L] int16, the action that would have led too deep, else -1
    tree: np.ndarray  # [T * L] int64, of a new node
    node: np.ndarray  # [T * L] int64
    serial: np.ndarray  # [T * L] int64, how many nodes its tree had made before
    action: np.ndarray  # [T * L] int64, what led there
    parent: np.ndarray  # [T * L, S] uint8, the state it led from


class Evaluation(NamedTuple):
    """What there is to know about M new nodes."""

    states: np.ndarray  # [M, S] uint8
    value: np.ndarray  # [M] float64
    first_q: np.ndarray  # [M] float64, Q_0 of all actions
    prior: np.ndarray  # [M, A] float64, shared out over the allowed actions when they are entered
    allowed: np.ndarray  # [M, A] bool
    goal: np.ndarray  # [M] bool


class Task(NamedTuple):
    """What all parts of one search need to know."""

    puzzle: Puzzle
    cost_to_go: CostToGo
    policy: Policy | None
    looks_ahead: bool  # the policy evaluates the children of a state, which count as generated
    settings: Settings
    numbers: Numbers
    perimeter: Perimeter  # the goal, and states around it that are as good
    budget: Budget
    deadline: float

    def expired(self) -> bool:
        return self.budget.clock() >= self.deadline

    def compares_children(self) -> bool:
        """Whether the search itself asks for the cost-to-go of every child of a new node."""
        return self.settings.leaf == "children" or self.policy is None

    def children_for_priors(self) -> int:
        """How many children are generated for the priors of a state."""
        return self.puzzle.n_actions * (self.policy is None or self.looks_ahead)

    def per_node(self) -> int:
        """States generated for a node: itself, and its children if they are looked at, by the search or by the policy."""
        by_policy = self.policy is not None and self.looks_ahead
        return 1 + self.puzzle.n_actions * (self.compares_children() + by_policy)

    def per_leaf(self) -> int:
        """The most states one iteration can generate: those for its node, and a roll-out."""
        moves = self.settings.rollout_length if self.settings.leaf == "rollout" else 0
        return self.per_node() + moves * (1 + self.children_for_priors())

    def most_nodes(self) -> int:
        return int(min(self.budget.nodes, 2**31 - 2))  # nodes have 32-bit numbers


# Room for the trees ---------------------------------------------------------------------------------------------------


def planted(starts: np.ndarray, n_actions: int, room: int) -> Trees:
    """Trees with room for so many nodes and one each, the starts [T, S], which has yet to be evaluated."""
    trees = _empty(len(starts), room, n_actions, starts.shape[1])
    trees.size[:], trees.created[:] = 1, 0
    trees.parent[:, 0], trees.action[:, 0] = -1, -1
    trees.states[:, 0] = starts
    return trees


def repotted(task: Task, trees: Trees, keep: np.ndarray, room: int) -> Trees:
    """The trees keep [K], with more room each; copied in part only if time runs out, when nobody looks at them any more."""
    new = _empty(len(keep), room, trees.prior.shape[2], trees.states.shape[2])
    new.size[:], new.created[:] = trees.size[keep], trees.created[keep]
    block, new_block = np.asarray(trees.states.base), np.asarray(new.states.base)
    for k, (t, n) in enumerate(zip(keep, new.size, strict=True)):
        if task.expired():
            break
        new_block[k, :n] = block[t, :n]
    return new


def _empty(T: int, N: int, A: int, S: int) -> Trees:
    block = np.empty((T, N), node_record(A, S))
    views = {name: block[name] for name in Trees._fields[:-2]}
    return Trees(**views, size=np.empty(T, np.int64), created=np.empty(T, np.int64))


def node_record(A: int, S: int) -> np.dtype:
    """A node, with the fields of `Trees`; the largest numbers come first, so that none needs padding."""
    edges = [("children", np.int32, (A,)), ("visits", np.int32, (A,)), ("q", np.float32, (A,)), ("prior", np.float32, (A,))]
    node = [("value", np.float32), ("parent", np.int32), ("action", np.int16), ("goal", bool)]
    return np.dtype([*edges, *node, ("in_flight", np.uint8, (A,)), ("states", np.uint8, (S,))], align=True)


def room_for_leaves(task: Task, T: int) -> Leaves:
    """Arrays for the leaves of a round in T trees."""
    L, S = task.settings.leaves, task.puzzle.state_size
    tree, node, serial, action = np.empty((4, T * L), np.int64)
    leaf, beyond, parent = np.empty((T, L), np.int32), np.empty((T, L), np.int16), np.empty((T * L, S), np.uint8)
    return Leaves(leaf, beyond, tree, node, serial, action, parent)


def _bytes(task: Task) -> tuple[int, int]:
    """Memory that a node takes, and a round for one tree, children looked at included."""
    A, S = task.puzzle.n_actions, task.puzzle.state_size
    return node_record(A, S).itemsize, task.settings.leaves * (A + 2) * (S + 32)


def most_room(task: Task) -> int:
    """The largest tree that the budget allows."""
    node, round_ = _bytes(task)
    return int(min((task.budget.arrays - round_) // (2 * node), 1 + task.most_nodes() // task.per_node()))


def least_room(task: Task) -> int:
    """The room that trees begin with."""
    return min(256, most_room(task))


def fitting(task: Task, room: int) -> int:
    """How many trees of that room the budget allows at once; 0 if not even one leaf can be added to a root.

    They take half the memory, so that there is always room to copy them into larger arrays.
    """
    if room < 2 or task.per_node() - 1 + task.per_leaf() > task.most_nodes():
        return 0
    node, round_ = _bytes(task)
    in_memory = task.budget.arrays // (2 * room * node + round_)
    return int(max(1, min(in_memory, _LARGEST_BATCH // (task.settings.leaves * task.per_node()))))


# From a tree to moves -------------------------------------------------------------------------------------------------


def solution_in_tree(task: Task, trees: Trees, t: int) -> list[int]:
    """The way from the root of tree t to the first goal in it, or, if that is asked for, the shortest to any of them."""
    n = int(trees.size[t])
    states, parent, action = np.ascontiguousarray(trees.states[t, :n]), trees.parent[t, :n], trees.action[t, :n]
    goals = np.flatnonzero(trees.goal[t, :n])
    if task.settings.shorten:
        shortest_paths(task, states, parent, action)
    else:
        goals = goals[:1]
    ways = [path(parent, action, int(g)) + task.perimeter.finish(states[g]) for g in goals]
    return min(ways, key=len)


def shortened(task: Task, start: np.ndarray, played: list[int], rest: list[int]) -> list[int]:
    """Moves played and the rest of the way, loops and detours among the states on it left out if that is asked for."""
    moves = played + rest
    if not (task.settings.shorten and played):
        return moves
    states = [start]
    for a in moves:
        states.append(task.puzzle.apply(states[-1][None], np.array([a]))[0])
    parent, action = np.arange(-1, len(moves), dtype=np.int32), np.array([-1, *moves], np.int16)
    shortest_paths(task, np.stack(states), parent, action)
    return path(parent, action, len(moves))


def shortest_paths(task: Task, states: np.ndarray, parent: np.ndarray, action: np.ndarray) -> None:
    """Turn parent and action [N] into shortest paths from node 0 in the graph of all moves between states [N, S].

    Equal states are one vertex. Out of time, the paths stay as they are.
    """
    table, chunk = StateTable(states.shape[1]), 1 << 12
    vertex, node = table.insert(states)  # the vertex of each node [N], and the first node of each vertex [V]
    links = np.empty((len(node), task.puzzle.n_actions), np.int32)
    for start in range(0, len(node), chunk):
        if task.expired():
            return
        children = task.puzzle.expand(table.states[start : min(start + chunk, len(node))])
        links[start : start + chunk] = table.find(children.reshape(-1, states.shape[1])).reshape(children.shape[:2])
    before, by, queue = (np.empty(len(node), np.int32) for _ in range(3))
    kernels.shortest_paths(links, before, by, queue)
    parent[:] = np.where(before < 0, -1, node[before])[vertex]
    action[:] = by[vertex]
