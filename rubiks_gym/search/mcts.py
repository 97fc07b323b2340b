"""Monte Carlo tree search from many start states at once: one tree of arrays per start, all leaves evaluated in one batch.

A round walks in every tree from the root to one or more leaves, always taking the action with the best score

    puct:  Q(s, a) + c P(s, a) sqrt(epsilon + sum_b N(s, b)) / (1 + N(s, a)) - L(s, a)
    uct:   Q(s, a) + c sqrt(ln sum_b N(s, b) / N(s, a)) - L(s, a)

evaluates all new leaves of all trees together, and carries their values up: N counts visits, Q is the mean or the maximum of
the values that came by, P the prior, and L the virtual loss, nu for each walk of this round that went the same way.
Costs in moves become values in one place, `worth`. Three published searches are settings of this one, see PRESETS:

- Konen's wrapper (Konen 2023, section 5.2.2) plays the most visited action after I iterations and keeps the tree below it,
  until the cube is solved or E_eval moves are played. A leaf is worth its best child; priors are the softmax over children.
- DeepCube (McAleer et al. 2018, section 4.2) searches until a solved state enters the tree, with maximum backup and several
  workers kept apart by virtual loss; a breadth-first search over the states of the tree then shortens the path. Naive DeepCube
  (section 5) returns the first path found instead.
- BetaCube (Bowman et al. 2018, section 3.2): the vanilla search is plain UCT with roll-outs drawn from the policy, the
  full one is Naive DeepCube with a single worker.

A node takes S + 17 A + 11 bytes, up to a multiple of 4: 236 for the 3x3x3 in quarter turns (340 in half turns), 120 for the
2x2x2 (172).

Differs from the papers in: the first of equal actions is taken, none is drawn; moves that are not allowed have no prior, the
others share it; the root is evaluated before the first iteration, which Konen counts as one; a state beyond Konen's depth limit
is worth too_deep even if it is solved; DeepCube's asynchronous workers are walks of one round, and two of them that meet at a
leaf evaluate it once and both back it up; in a state just expanded, where DeepCube's U is 0 for all actions, the likeliest is
tried first, not any; the breadth-first search merges equal states and sees every move between two states that were expanded,
not only those the search made, but no children that were not; BetaCube does not say how Q_0 is weighted, here it counts as
one visit, and its softmax with lambda = 1 is taken to be the policy itself.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rubiks_gym.puzzles import Puzzle, sample_seeds
from rubiks_gym.puzzles.streams import mix
from rubiks_gym.search import mcts_kernels as kernels
from rubiks_gym.search.heuristic import CostToGo, heuristic
from rubiks_gym.search.perimeter import Perimeter, begin, whole
from rubiks_gym.search.solutions import Budget, Solutions
from rubiks_gym.search.table import StateTable

_LARGEST_BATCH = 1 << 15  # states evaluated in a round: more are not faster each, and time is looked at between rounds
Policy = Callable[[np.ndarray], np.ndarray]  # states [M, S] to probabilities of the actions [M, A]


@dataclass(frozen=True)
class Options:
    """The settings of the search, keywords of `mcts`. Letters in brackets are those of the papers."""

    score: str = "puct"
    """Which of the two formulas above."""
    c: float = 1.0
    """Weight of exploration (c, c_PUCT)."""
    epsilon: float = 1e-8
    """Under puct's root: if above 0, the first action tried is the one with the highest prior, else the first (epsilon)."""
    first_q: float | str = "value"
    """Q of an action never tried: a number, or "value" for that of its state, which then counts as one visit (Q_0)."""
    backup: str = "mean"
    """Q is the "mean" or the "max" of the values that came by; the maximum starts at first_q (as W starts at 0)."""
    leaf: str = "state"
    """A leaf is worth V(s) ("state"), its best child's c_step + V(s') ("children"), or what a roll-out earns ("rollout")."""
    reward: float = 1.0
    """The value of the goal (R, R_pos)."""
    step_cost: float = -0.1
    """The value of a move, below 0 (the c of Konen's rewards, DeepCube's -1): V(s) = reward + step_cost * cost_to_go(s)."""
    charge_steps: bool = False
    """Add step_cost for every move up the tree, so that Q is worth the whole way from its state to the goal."""
    temperature: float = 1.0
    """Without a policy, priors are softmax(-cost_to_go(s') / temperature) over the children s'; in moves."""
    rollout_length: int = 20
    """Most moves of a roll-out. One that does not reach the goal earns its moves' step_cost only."""
    leaves: int = 1
    """Walks per tree and round, 1..255: the batch is that many times the number of trees (DeepCube's workers)."""
    virtual_loss: float = 1.0
    """What a walk under way takes off the score of its actions (nu)."""
    iterations_per_move: int | None = None
    """Play a move after so many iterations (I); None plays none and goes on with one tree."""
    max_moves: int = 100
    """Give up after so many moves played (E_eval)."""
    play: str = "visits"
    """Play the action with most "visits" or with the highest "value" Q."""
    depth_limit: int | None = None
    """No node is deeper than this below the root (d_max); None: no limit."""
    too_deep: float = -1.0
    """What a walk brings home that would lead deeper."""
    stop_in_tree: bool = True
    """A start is solved as soon as a solved state enters its tree, else only when one has been played."""
    skip_undo: bool = True
    """Never take back the move that led to a state, unless nothing else is possible."""
    shorten: bool = True
    """Shorten by a breadth-first search over the states of the tree, and over those of the moves played."""
    remember: int = 0
    """Answers of cost_to_go that are kept, at S + 4 bytes each, see `Remembered` (0: none)."""

    def __post_init__(self) -> None:
        words = {
            "score": ("puct", "uct"), "backup": ("mean", "max"), "leaf": ("state", "children", "rollout"),
            "play": ("visits", "value"),
        }  # fmt: skip
        for name, known in words.items():
            if getattr(self, name) not in known:
                raise ValueError(f"{name} must be one of {', '.join(map(repr, known))}, got {getattr(self, name)!r}")
        if self.first_q != "value":
            _number("first_q", self.first_q, -np.inf, np.inf, 'a number or "value"')
        for name in ("c", "epsilon", "virtual_loss"):
            _number(name, getattr(self, name), 0.0, np.inf, "a number of at least 0")
        for name in ("reward", "too_deep"):
            _number(name, getattr(self, name), -np.inf, np.inf, "a number")
        if _number("step_cost", self.step_cost, -np.inf, 0.0, "a number below 0") == 0.0:
            raise ValueError("step_cost must be a number below 0, got 0: with free moves no state is better than another")
        if _number("temperature", self.temperature, 0.0, np.inf, "a number above 0") == 0.0:
            raise ValueError("temperature must be a number above 0, got 0")
        whole(1, leaves=self.leaves, rollout_length=self.rollout_length, max_moves=self.max_moves)
        if self.leaves > 255:
            raise ValueError(f"leaves must be at most 255, got {self.leaves}; more starts at once make larger batches too")
        for name in ("iterations_per_move", "depth_limit"):
            if getattr(self, name) is not None:
                whole(1, **{name: getattr(self, name)})
        whole(0, remember=self.remember)
        for name in ("charge_steps", "stop_in_tree", "skip_undo", "shorten"):
            if not isinstance(getattr(self, name), bool | np.bool_):
                raise ValueError(f"{name} must be True or False, got {getattr(self, name)!r}")
        if self.iterations_per_move is None and not self.stop_in_tree:
            raise ValueError("a search that plays no moves must have stop_in_tree=True, or it never ends; "
                             "or give iterations_per_move")  # fmt: skip


PRESETS: dict[str, dict[str, Any]] = {
    # c_PUCT = 1, d_max = 50, E_eval = 50, I = 100 (or 800), R_pos = 1, c = -0.1. The softmax is over values, reward + step_cost
    # * cost, which is a temperature of 1 / |c| moves. The program behind the report's figures had c = -0.04 and so 25 moves,
    # and never took back the move before.
    "konen": {
        "score": "puct", "c": 1.0, "epsilon": 1e-8, "first_q": 0.0, "backup": "mean", "charge_steps": False,
        "leaf": "children", "reward": 1.0, "step_cost": -0.1, "temperature": 10.0, "depth_limit": 50, "too_deep": -1.0,
        "leaves": 1, "virtual_loss": 0.0, "iterations_per_move": 100, "max_moves": 50, "play": "visits",
        "stop_in_tree": False, "skip_undo": True, "shorten": False,
    },
    # Rewards are +1 for the move that solves and -1 for every other, so V = 2 - cost. W starts at 0: V is seen only near the
    # goal, further out P guides alone. c and nu are not in the report; 4 and 150 are in common use.
    "deepcube": {
        "score": "puct", "c": 4.0, "epsilon": 1e-8, "first_q": 0.0, "backup": "max", "charge_steps": False,
        "leaf": "state", "reward": 2.0, "step_cost": -1.0, "temperature": 1.0, "depth_limit": None,
        "leaves": 8, "virtual_loss": 150.0, "iterations_per_move": None,
        "stop_in_tree": True, "skip_undo": False, "shorten": True,
    },
    # DeepCube's rewards, earned move by move; Q_0 is the network's value; lambda = 1; c = 4. The report does not say how many
    # iterations a move gets, nor how long roll-outs are.
    "betacube-vanilla": {
        "score": "uct", "c": 4.0, "first_q": "value", "backup": "mean", "charge_steps": True,
        "leaf": "rollout", "rollout_length": 20, "reward": 2.0, "step_cost": -1.0, "temperature": 1.0, "depth_limit": None,
        "leaves": 1, "virtual_loss": 0.0, "iterations_per_move": 100, "max_moves": 50, "play": "value",
        "stop_in_tree": False, "skip_undo": False, "shorten": False,
    },
}  # fmt: skip
PRESETS["deepcube-naive"] = PRESETS["deepcube"] | {"shorten": False}
PRESETS["betacube-full"] = PRESETS["deepcube-naive"] | {"leaves": 1, "virtual_loss": 0.0}


class Trees(NamedTuple):
    """T trees with room for N nodes each. Node 0 is the root; only the first size[t] nodes of tree t mean anything.

    All arrays but the last two are views of one block, so that what belongs to a node is in one place: deep walks were about a
    quarter faster so than in separate arrays, shallow ones as fast.
    """

    block: np.ndarray  # [T, N] records of what follows
    children: np.ndarray  # [T, N, A] int32, -1 where there is none yet
    visits: np.ndarray  # [T, N, A] int32, N(s, a)
    q: np.ndarray  # [T, N, A] float32, Q(s, a), or W(s, a) where the backup is a maximum
    prior: np.ndarray  # [T, N, A] float32, P(s, a), -1 for an action that is not allowed
    value: np.ndarray  # [T, N] float32, what the node is worth as a leaf
    parent: np.ndarray  # [T, N] int32, -1 at the root
    action: np.ndarray  # [T, N] int16, the move that leads here from the parent
    goal: np.ndarray  # [T, N] bool, solved or inside the perimeter
    in_flight: np.ndarray  # [T, N, A] uint8, walks under way: L(s, a) = nu * in_flight
    states: np.ndarray  # [T, N, S] uint8
    size: np.ndarray  # [T] int64, nodes in the tree
    created: np.ndarray  # [T] int64, nodes ever made below the start, those that played moves left behind included


class Task(NamedTuple):
    """What all parts of one search need to know."""

    puzzle: Puzzle
    cost_to_go: CostToGo
    policy: Policy | None
    options: Options
    perimeter: Perimeter  # the goal, and states around it that are as good
    budget: Budget
    deadline: float

    def expired(self) -> bool:
        return time.perf_counter() >= self.deadline


def mcts(
    puzzle: Puzzle,
    states: np.ndarray,
    cost_to_go: CostToGo,
    policy: Policy | None = None,
    *,
    perimeter: Perimeter | None = None,
    budget: Budget | None = None,
    rng: np.random.Generator | None = None,
    **options: Any,
) -> Solutions:
    """Search from each of states [B, S] until it is solved or the budget is used up.

    Args:
        puzzle: whose states they are.
        states: where to start, [B, S].
        cost_to_go: moves to the goal [M] for states [M, S], lower is better; asked once per round, about all new leaves.
        policy: probabilities [M, A] for states [M, S]; without one, a softmax over the children's cost-to-go.
        perimeter: states whose way home is known: to reach one is as good as to solve.
        budget: nodes are states generated for one start (children looked at and moves of roll-outs included); seconds are for
            all starts; memory is for the trees. If they do not fit all at once, some starts wait until others are done.
        rng: for roll-outs. A start's result depends on it and on its state, not on what else is in the batch.
        options: see `Options`; `mcts(..., **PRESETS["konen"])` is Konen's search.
    """
    began = time.perf_counter()
    states, perimeter = begin(puzzle, states, perimeter)
    task = _checked(puzzle, cost_to_go, policy, Options(**options), perimeter, Budget() if budget is None else budget)
    seeds = np.zeros(len(states), np.uint64)
    if task.options.leaf == "rollout":
        if rng is None:
            raise ValueError("roll-outs are random: pass rng=np.random.default_rng(seed)")
        seeds = mix(sample_seeds(rng, 1) ^ puzzle.hash(states))

    solved, nodes = perimeter.distance(states) >= 0, np.zeros(len(states), np.int64)
    moves = [perimeter.finish(state) if home else [] for state, home in zip(states, solved, strict=True)]
    waiting = np.flatnonzero(~solved)
    together = most_together = _fits(task, _least_room(task))
    while len(waiting) and together and not task.expired():
        rows, waiting = waiting[:together], waiting[together:]
        found, nodes[rows], aside = search(task, states[rows], seeds[rows])
        for row, solution in zip(rows, found, strict=True):
            if solution is not None:
                moves[row], solved[row] = solution, True
        # Starts set aside when memory ran out begin again, no more at a time than could stay.
        together = max(1, len(rows) - int(aside.sum())) if aside.any() else min(2 * together, most_together)
        waiting = np.concatenate([rows[aside], waiting])
    seconds = (time.perf_counter() - began) / max(1, len(states))
    return Solutions(moves, solved, nodes, np.full(len(states), seconds))


# The search from T starts in lock-step --------------------------------------------------------------------------------------


def search(task: Task, starts: np.ndarray, seeds: np.ndarray) -> tuple[list[list[int] | None], np.ndarray, np.ndarray]:
    """Grow one tree from each start [T, S]: solutions found (None: not), nodes generated [T], and who was set aside [T]."""
    o = task.options
    found: list[list[int] | None] = [None] * len(starts)
    nodes, aside = np.zeros(len(starts), np.int64), np.zeros(len(starts), bool)
    most_nodes, most_per_leaf, look = _most_nodes(task), _most_per_leaf(task), _looks_ahead(task)
    iterations = o.iterations_per_move or most_nodes

    rows, going = np.arange(len(starts)), np.ones(len(starts), bool)  # which start each tree is for, and whether it goes on
    trees, buffers = plant(task, starts, _least_room(task)), _buffers(task, len(starts))
    going &= (trees.prior[:, 0] >= 0).any(axis=1)
    played = np.zeros((len(starts), 0), np.int16)  # [T, moves so far]
    rolled = np.zeros(len(starts), np.int64)  # states generated by roll-outs
    done = 0  # iterations since the last move
    while True:
        nodes[rows] = generated = look + trees.created * (1 + look) + rolled
        quota = np.minimum((most_nodes - generated) // most_per_leaf, min(o.leaves, iterations - done))
        going &= quota > 0
        quota[~going] = 0
        if not going.any() or task.expired():
            return found, nodes, aside
        if int(np.max(trees.size + quota, where=going, initial=0)) > trees.value.shape[1]:
            room = min(2 * trees.value.shape[1], _most_room(task))
            if room == trees.value.shape[1]:
                going &= trees.size + quota <= room  # a tree that fills all memory is given up
                continue
            keep = np.flatnonzero(going)[: _fits(task, room)]
            aside[rows[going]] = True
            aside[rows[keep]] = False
            trees, buffers = repot(task, trees, keep, room), _buffers(task, len(keep))
            rows, going, played, rolled, seeds = rows[keep], going[keep], played[keep], rolled[keep], seeds[keep]
            continue

        new_tree, away, rolled_now = one_round(task, trees, buffers, quota, seeds)
        done += o.leaves
        if rolled_now is not None:
            rolled += np.bincount(new_tree, rolled_now, minlength=len(rolled)).astype(np.int64)
        if o.stop_in_tree and (away >= 0).any():
            for t in np.unique(new_tree[away >= 0]):
                found[rows[t]] = _shortened(task, starts[rows[t]], played[t].tolist(), solution_in_tree(task, trees, t))
                going[t] = False
        if o.iterations_per_move and done >= iterations:
            done = 0
            played = np.concatenate([played, play(task, trees, going)[:, None]], axis=1)
            going &= played[:, -1] >= 0
            for t in np.flatnonzero(going & trees.goal[:, 0]):
                found[rows[t]] = _shortened(
                    task, starts[rows[t]], played[t].tolist(), task.perimeter.finish(trees.states[t, 0])
                )
                going[t] = False
            if played.shape[1] >= o.max_moves:
                going[:] = False


def one_round(
    task: Task, trees: Trees, buffers: tuple, quota: np.ndarray, seeds: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Select quota [T] leaves in each tree, expand and evaluate the new ones together, back all up.

    Returns for the M new nodes their tree [M], distance from the goal (-1: not one) [M], and states their roll-outs generated.
    """
    t, o = trees, task.options
    leaf, beyond, new_tree, new_node, new_serial, new_action, from_state = buffers
    first_visits = float(o.first_q == "value")
    m = kernels.select(
        t.states, t.parent, t.action, t.goal, t.children, t.visits, t.q, t.prior, t.in_flight, t.size, t.created,
        o.score == "uct", float(o.c), float(o.epsilon), first_visits, float(o.virtual_loss), o.depth_limit or 2**31 - 1,
        quota, leaf, beyond, new_tree, new_node, new_serial, new_action, from_state,
    )  # fmt: skip
    new_tree, new_node = new_tree[:m], new_node[:m]
    away, rolled = np.zeros(0, np.int64), None
    if m:
        states = task.puzzle.apply(from_state[:m], new_action[:m])
        leaf_seeds = None
        if o.leaf == "rollout":
            leaf_seeds = np.empty(m, np.uint64)
            kernels.seeds_of_leaves(seeds, new_tree, new_serial, leaf_seeds)
        away, rolled = expand(task, trees, new_tree, new_node, states, new_action[:m], leaf_seeds)
    charge = float(o.step_cost) if o.charge_steps else 0.0
    kernels.backup(
        t.parent, t.action, t.value, t.visits, t.q, t.in_flight,
        quota, leaf, beyond, o.backup == "max", first_visits, charge, float(o.too_deep),
    )  # fmt: skip
    return new_tree, away, rolled


def expand(
    task: Task,
    trees: Trees,
    new_tree: np.ndarray,
    new_node: np.ndarray,
    states: np.ndarray,
    last: np.ndarray | None,
    seeds: np.ndarray | None,
) -> tuple[np.ndarray, np.ndarray | None]:
    """Evaluate new nodes [M] with these states [M, S], reached by moves last [M], and write them into the trees."""
    t, allowed, away = trees, allowed_actions(task, states, last), task.perimeter.distance(states)
    value, first_q, prior, rolled = evaluate(task, states, allowed, away, seeds)
    if not kernels.expand(
        t.states, t.value, t.goal, t.children, t.visits, t.q, t.prior, t.in_flight,
        new_tree, new_node, states, value, first_q, prior, allowed, away >= 0,
    ):  # fmt: skip
        raise ValueError("policy must return probabilities, but some are negative or not finite")
    return away, rolled


def play(task: Task, trees: Trees, going: np.ndarray) -> np.ndarray:
    """Play a move in each going tree; the node it leads to becomes the root. The moves are [T], -1 where none was played."""
    t, played = trees, np.empty(len(going), np.int16)
    moved = np.empty(t.value.shape[1], np.int32)
    kernels.play(
        t.states, t.parent, t.action, t.value, t.goal, t.children, t.visits, t.q, t.prior, t.size,
        moved, going, task.options.play == "value", played,
    )  # fmt: skip
    return played


# What a state is worth ------------------------------------------------------------------------------------------------------


class Remembered:
    """A cost_to_go that keeps its answers [C], each in the one place that the hash of its state says, over what was there.

    A tree holds most states many times, and a search that plays moves comes back to those it has left: of the states that
    Konen's search asks about on the way from a cube it cannot solve, one in six to one in ten is new.
    """

    def __init__(self, puzzle: Puzzle, cost_to_go: CostToGo, entries: int) -> None:
        block = np.empty(entries, np.dtype([("states", np.uint8, (puzzle.state_size,)), ("costs", np.float32)], align=True))
        self.cost_to_go, self.states, self.costs = cost_to_go, block["states"], block["costs"]
        self.costs[:] = np.nan  # nothing there yet

    def __call__(self, states: np.ndarray) -> np.ndarray:
        costs, at, new = np.empty(len(states), np.float32), np.empty(len(states), np.int64), np.empty(len(states), np.int64)
        new = new[: kernels.recall(self.states, self.costs, states, costs, at, new)]
        asked, at = states[new], at[new]
        costs[new] = answers = heuristic(self.cost_to_go, asked)
        self.states[at], self.costs[at] = asked, answers  # of two for one place, the last stays in both
        return costs


def worth(task: Task, cost: np.ndarray) -> np.ndarray:
    """Cost-to-go in moves as a value: V = R + c_step * cost. The goal, at cost 0, is worth R."""
    return task.options.reward + task.options.step_cost * cost


def evaluate(
    task: Task, states: np.ndarray, allowed: np.ndarray, away: np.ndarray, seeds: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray | None]:
    """Value [M], first Q [M] and priors [M, A] of states [M, S], and how many states their roll-outs generated [M].

    Roots come without seeds: nothing is backed up from them, so none is rolled out.
    """
    o, rolled = task.options, None
    if _looks_ahead(task):
        costs = children_costs(task, states, allowed)
    prior = softmax(costs, o.temperature) if task.policy is None else _ask_policy(task, states)
    if o.leaf == "children":
        nearest = costs.min(axis=1)
        value = np.where(nearest < np.inf, worth(task, 1 + nearest), o.too_deep)
    elif o.leaf == "state" or o.first_q == "value":
        value = worth(task, heuristic(task.cost_to_go, states).astype(np.float64))
    else:
        value = np.zeros(len(states))
    first_q = value if o.first_q == "value" else np.full(len(states), float(o.first_q))
    if o.leaf == "rollout" and seeds is not None:
        value, rolled = roll_out(task, states, prior, allowed, away, seeds)
    return np.where(away >= 0, worth(task, away), value), first_q, prior, rolled


def roll_out(
    task: Task, states: np.ndarray, prior: np.ndarray, allowed: np.ndarray, away: np.ndarray, seeds: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Walk from states [M, S] with moves drawn from the policy: what each walk earned [M], and states generated [M]."""
    o, per_move = task.options, 1 + (task.policy is None) * task.puzzle.n_actions
    value, generated = np.full(len(states), float(o.step_cost * o.rollout_length)), np.zeros(len(states), np.int64)
    walking = np.flatnonzero(away < 0)
    states, prior, allowed, seeds = states[walking], prior[walking], allowed[walking], seeds[walking]
    for k in range(o.rollout_length):
        if not len(walking) or task.expired():
            break
        actions = np.empty(len(walking), np.int64)
        if not kernels.sample(prior, allowed, seeds, k, actions):
            raise ValueError("policy must return probabilities, but some are negative or not finite")
        states = task.puzzle.apply(states, actions)
        generated[walking] += per_move
        away = task.perimeter.distance(states)
        home = away >= 0
        value[walking[home]] = worth(task, k + 1 + away[home])
        walking, states, seeds, actions = walking[~home], states[~home], seeds[~home], actions[~home]
        if k + 1 < o.rollout_length and len(walking):
            allowed = allowed_actions(task, states, actions)
            prior = (
                softmax(children_costs(task, states, allowed), o.temperature)
                if task.policy is None
                else _ask_policy(task, states)
            )
    return value, generated


def children_costs(task: Task, states: np.ndarray, allowed: np.ndarray) -> np.ndarray:
    """Cost-to-go [M, A] of the children of states [M, S], infinite where a move is not allowed."""
    children = task.puzzle.expand(states).reshape(-1, task.puzzle.state_size)
    costs, _ = task.perimeter.evaluate(task.cost_to_go, children)
    return np.where(allowed, costs.reshape(allowed.shape).astype(np.float64), np.inf)


def softmax(costs: np.ndarray, temperature: float) -> np.ndarray:
    """Probabilities [M, A] from costs [M, A], the lower the likelier; those of infinite costs are 0."""
    least = costs.min(axis=1, keepdims=True)
    weights = np.exp(-(costs - np.where(least < np.inf, least, 0.0)) / temperature)
    return weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-300)


def allowed_actions(task: Task, states: np.ndarray, last: np.ndarray | None) -> np.ndarray:
    """Which actions the search may take in states [M, S] that moves last [M] have led to, [M, A] bool."""
    allowed = task.puzzle.legal(states)
    if task.options.skip_undo and last is not None:
        rows, undo = np.arange(len(states)), task.puzzle.inverse_action[last]
        was = allowed[rows, undo]
        allowed[rows, undo] = False
        allowed[rows, undo] = was & ~allowed.any(axis=1)  # a dead end may be left as it was entered
    return allowed


def _ask_policy(task: Task, states: np.ndarray) -> np.ndarray:
    probabilities = np.ascontiguousarray(task.policy(states), np.float64)  # type: ignore[misc]
    if probabilities.shape != (len(states), task.puzzle.n_actions):
        expected = (len(states), task.puzzle.n_actions)
        raise ValueError(
            f"policy must return one probability per state and action, shape {expected}, got {probabilities.shape}"
        )
    return probabilities


# From a tree to moves -------------------------------------------------------------------------------------------------------


def solution_in_tree(task: Task, trees: Trees, t: int) -> list[int]:
    """The way from the root of tree t to the first goal in it, or, if that is asked for, the shortest to any of them."""
    n = int(trees.size[t])
    states, parent, action = np.ascontiguousarray(trees.states[t, :n]), trees.parent[t, :n], trees.action[t, :n]
    goals = np.flatnonzero(trees.goal[t, :n])
    if task.options.shorten:
        shortest_paths(task, states, parent, action)
    else:
        goals = goals[:1]
    ways = [path(parent, action, int(g)) + task.perimeter.finish(states[g]) for g in goals]
    return min(ways, key=len)


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


def path(parent: np.ndarray, action: np.ndarray, node: int) -> list[int]:
    """The moves from node 0 to a node."""
    moves = []
    while parent[node] >= 0:
        moves.append(int(action[node]))
        node = parent[node]
    return moves[::-1]


def _shortened(task: Task, start: np.ndarray, played: list[int], rest: list[int]) -> list[int]:
    """Moves played and the rest of the way, loops and detours among the states on it left out if that is asked for."""
    moves = played + rest
    if not (task.options.shorten and played):
        return moves
    states = [start]
    for a in moves:
        states.append(task.puzzle.apply(states[-1][None], np.array([a]))[0])
    parent, action = np.arange(-1, len(moves), dtype=np.int32), np.array([-1, *moves], np.int16)
    shortest_paths(task, np.stack(states), parent, action)
    return path(parent, action, len(moves))


# Room for the trees -----------------------------------------------------------------------------------------------------------


def plant(task: Task, starts: np.ndarray, room: int) -> Trees:
    """Trees of one node each, the starts [T, S]."""
    trees = _empty_trees(len(starts), room, _record(task.puzzle))
    trees.size[:], trees.created[:] = 1, 0
    trees.parent[:, 0], trees.action[:, 0] = -1, -1
    expand(task, trees, np.arange(len(starts)), np.zeros(len(starts), np.int64), starts, None, None)
    return trees


def repot(task: Task, trees: Trees, keep: np.ndarray, room: int) -> Trees:
    """The trees keep [K], with more room each; copied in part only if time runs out, when nobody looks at them any more."""
    new = _empty_trees(len(keep), room, trees.block.dtype)
    new.size[:], new.created[:] = trees.size[keep], trees.created[keep]
    for k, (t, n) in enumerate(zip(keep, new.size, strict=True)):
        if task.expired():
            break
        new.block[k, :n] = trees.block[t, :n]
    return new


def node_bytes(puzzle: Puzzle) -> int:
    """Memory for one node of one tree."""
    return _record(puzzle).itemsize


def _record(puzzle: Puzzle) -> np.dtype:
    """A node, with the fields of `Trees`; the largest numbers come first, so that none needs padding."""
    S, A = puzzle.state_size, puzzle.n_actions
    edges = [("children", np.int32, (A,)), ("visits", np.int32, (A,)), ("q", np.float32, (A,)), ("prior", np.float32, (A,))]
    node = [("value", np.float32), ("parent", np.int32), ("action", np.int16), ("goal", bool)]
    return np.dtype([*edges, *node, ("in_flight", np.uint8, (A,)), ("states", np.uint8, (S,))], align=True)


def _empty_trees(T: int, N: int, record: np.dtype) -> Trees:
    block = np.empty((T, N), record)
    fields = {name: block[name] for name in record.names or ()}
    return Trees(block=block, **fields, size=np.empty(T, np.int64), created=np.empty(T, np.int64))


def _buffers(task: Task, T: int) -> tuple[np.ndarray, ...]:
    """Room for what selection returns, see `kernels.select`."""
    L, S = task.options.leaves, task.puzzle.state_size
    numbers = [np.empty(T * L, np.int64) for _ in range(4)]
    return np.empty((T, L), np.int32), np.empty((T, L), np.int16), *numbers, np.empty((T * L, S), np.uint8)


def _looks_ahead(task: Task) -> int:
    """How many children are evaluated with each node: all or none."""
    return task.puzzle.n_actions if task.options.leaf == "children" or task.policy is None else 0


def _most_per_leaf(task: Task) -> int:
    """The most states one iteration can generate: the leaf, its children, and a roll-out with theirs."""
    o, per_move = task.options, 1 + (task.policy is None) * task.puzzle.n_actions
    return 1 + _looks_ahead(task) + (o.rollout_length * per_move if o.leaf == "rollout" else 0)


def _most_nodes(task: Task) -> int:
    return int(min(task.budget.nodes, 2**31 - 2))  # nodes have 32-bit numbers


def _round_bytes(task: Task) -> int:
    """Memory a round takes for one tree, children looked at included."""
    return task.options.leaves * (task.puzzle.n_actions + 2) * (task.puzzle.state_size + 32)


def _most_room(task: Task) -> int:
    """The largest tree that the budget allows."""
    in_memory = (task.budget.memory - _round_bytes(task)) // (2 * node_bytes(task.puzzle))
    return int(min(in_memory, 1 + _most_nodes(task) // (1 + _looks_ahead(task))))


def _least_room(task: Task) -> int:
    return min(256, _most_room(task))


def _fits(task: Task, room: int) -> int:
    """How many trees of that room the budget allows at once; 0 if not even one leaf can be added to a root.

    They take half the memory, so that there is always room to copy them into larger arrays.
    """
    if room < 2 or _looks_ahead(task) + _most_per_leaf(task) > _most_nodes(task):
        return 0
    in_memory = task.budget.memory // (2 * room * node_bytes(task.puzzle) + _round_bytes(task))
    return int(max(1, min(in_memory, _LARGEST_BATCH // (task.options.leaves * (1 + _looks_ahead(task))))))


# Checks -------------------------------------------------------------------------------------------------------------------


def _checked(
    puzzle: Puzzle, cost_to_go: CostToGo, policy: Policy | None, options: Options, perimeter: Perimeter, budget: Budget
) -> Task:
    if not callable(cost_to_go):
        raise ValueError(f"cost_to_go must be a function of states, got {type(cost_to_go).__name__}")
    if policy is not None and not callable(policy):
        raise ValueError(f"policy must be a function of states or None, got {type(policy).__name__}")
    if not isinstance(budget, Budget):
        raise ValueError(f"budget must be a Budget(nodes=..., seconds=..., memory=...), got {type(budget).__name__}")
    if options.remember:
        cost_to_go = Remembered(puzzle, cost_to_go, options.remember)
    return Task(puzzle, cost_to_go, policy, options, perimeter, budget, budget.deadline())


def _number(name: str, value: Any, least: float, most: float, what: str) -> float:
    number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not number or not np.isfinite(value) or not least <= value <= most:
        raise ValueError(f"{name} must be {what}, got {value!r}")
    return float(value)
