"""Monte Carlo tree search: the same tree as a plain reference, real solutions, and nothing that leaks from tree to tree."""

import math
import tracemalloc
from functools import cache

import numpy as np
import pytest

from rubiks_gym.exact import ExactTable
from rubiks_gym.puzzles import Hanoi, Puzzle, Rubik2x2, Rubik3x3, are_solutions
from rubiks_gym.puzzles.streams import mix
from rubiks_gym.search import mcts_kernels as kernels
from rubiks_gym.search import mcts_tree
from rubiks_gym.search.mcts import mcts, one_round, plant, play, roll_out
from rubiks_gym.search.mcts_settings import PRESETS, Settings
from rubiks_gym.search.mcts_tree import Task, node_record, planted, repotted, room_for_leaves, shortened, shortest_paths
from rubiks_gym.search.perimeter import Perimeter
from rubiks_gym.search.solutions import Budget, path

SETTINGS = {"defaults": {}, **PRESETS}
each_setting = pytest.mark.parametrize("name", SETTINGS)


@cache
def exact(puzzle_class, *args):
    """A puzzle, its true distances, and a policy that looks one move ahead at them."""
    puzzle = puzzle_class(*args)
    table = ExactTable(puzzle)

    def policy(states):
        children = puzzle.expand(states)
        costs = table.distance(children.reshape(-1, puzzle.state_size)).reshape(children.shape[:2])
        return np.where(puzzle.legal(states), np.exp(-2.0 * costs), 0.0)

    return puzzle, table.distance, policy


def some_states(puzzle: Puzzle, n: int) -> np.ndarray:
    return puzzle.random_states(mix(np.arange(n, dtype=np.uint64)))


def vague(puzzle: Puzzle, distance=None):
    """A heuristic and a policy with something of everything in them, that differ from state to state."""

    def cost_to_go(states):
        noise = puzzle.hash(states) % np.uint64(1000) / 250.0
        return noise + (0 if distance is None else distance(states))

    def policy(states):
        seeds = puzzle.hash(states)[:, None] + np.arange(puzzle.n_actions, dtype=np.uint64)
        return 0.05 + mix(seeds) % np.uint64(1000) / 1000.0

    return cost_to_go, policy


def task_of(puzzle, cost_to_go, policy, **changed) -> Task:
    settings = Settings(**changed)
    return Task(puzzle, cost_to_go, policy, False, settings, settings.numbers(), Perimeter(puzzle, 0), Budget(), math.inf)


def grown(task: Task, starts: np.ndarray, rounds: int, trees=None):
    """Trees from starts [T, S] after so many rounds of full quota."""
    trees = plant(task, starts, 2000) if trees is None else trees
    quota = np.full(len(starts), task.settings.leaves)
    for _ in range(rounds):
        one_round(task, trees, room_for_leaves(task, len(starts)), quota, np.zeros(len(starts), np.uint64))
    return trees


# A plain reference ------------------------------------------------------------------------------------------------------


class Node:
    """One state of the reference's tree; P is None until it has been evaluated."""

    def __init__(self, state):
        self.state, self.children, self.P = state, {}, None


class Reference:
    """Puct as in the papers, with dictionaries, one state at a time; what the arrays store in 32 bits is rounded here too."""

    def __init__(self, task: Task, start: np.ndarray):
        self.task, self.o, self.root = task, task.settings, Node(start)
        self.evaluate(self.root)

    def evaluate(self, node):
        task, o = self.task, self.o
        legal = task.puzzle.legal(node.state[None])[0]
        P = task.policy(node.state[None])[0]
        total = sum(P[legal].tolist())
        node.P = {a: np.float32(P[a] / total) for a in np.flatnonzero(legal)}
        node.goal = bool(task.puzzle.is_solved(node.state[None])[0])
        own = o.reward + o.step_cost * float(np.float32(task.cost_to_go(node.state[None])[0]))
        if node.goal:
            cost = 0.0
        elif o.leaf == "state":
            cost = np.float32(task.cost_to_go(node.state[None])[0])
        else:
            children = [task.puzzle.after([a], node.state)[None] for a in node.P]
            cost = 1 + min(0.0 if task.puzzle.is_solved(s) else float(np.float32(task.cost_to_go(s)[0])) for s in children)
        node.value = float(np.float32(o.reward + o.step_cost * float(cost)))
        node.N, node.L = dict.fromkeys(node.P, 0), dict.fromkeys(node.P, 0)
        node.Q = dict.fromkeys(node.P, np.float32(own if o.first_q == "value" else o.first_q))

    def score(self, node, a):
        U = self.o.c * math.sqrt(1e-8 + sum(node.N.values())) * float(node.P[a]) / (1 + node.N[a])
        return float(node.Q[a]) + U - self.o.virtual_loss * node.L[a]

    def round(self):
        walks, fresh = [], []
        for _ in range(self.o.leaves):
            node, walk, value = self.root, [], None
            while node.P is not None and not node.goal:
                a = max(node.P, key=lambda a: self.score(node, a))
                node.L[a] += 1
                walk.append((node, a))
                if a not in node.children and len(walk) > (self.o.depth_limit or math.inf):
                    value = self.o.too_deep
                    break
                if a not in node.children:
                    node.children[a] = Node(self.task.puzzle.after([a], node.state))
                    fresh.append(node.children[a])
                node = node.children[a]
            walks.append((walk, node, value))
        for node in fresh:
            self.evaluate(node)
        for walk, last, value in walks:
            value = last.value if value is None else value
            for node, a in reversed(walk):
                value += self.o.step_cost if self.o.charge_steps else 0.0
                node.N[a] += 1
                node.L[a] -= 1
                if self.o.backup == "max":
                    node.Q[a] = np.float32(max(float(node.Q[a]), value))
                else:
                    n = node.N[a] + (self.o.first_q == "value")
                    node.Q[a] = np.float32(float(node.Q[a]) + (value - float(node.Q[a])) / n)

    def play(self):
        a = max(self.root.N, key=lambda a: self.root.N[a])
        self.root = self.root.children[a]
        return a


def assert_same(trees, t, n, node):
    """Node n of tree t, and all below, are those of the reference."""
    np.testing.assert_array_equal(trees.states[t, n], node.state)
    assert {a: trees.visits[t, n, a] for a in node.N} == node.N
    assert {a: trees.q[t, n, a] for a in node.Q} == node.Q
    assert {a: trees.prior[t, n, a] for a in node.P} == node.P
    assert trees.in_flight[t, n].max() == 0
    assert trees.goal[t, n] == node.goal
    assert trees.value[t, n] == node.value
    assert set(np.flatnonzero(trees.children[t, n] >= 0)) == set(node.children)
    for a, child in node.children.items():
        assert_same(trees, t, trees.children[t, n, a], child)


CASES = [
    ("konen", {"allow_undo": True}, 40),  # the reference knows no move before
    ("konen", {"allow_undo": True, "leaf": "state", "charge_steps": True, "c": 3.0}, 40),
    ("konen", {"allow_undo": True, "depth_limit": 3}, 40),
    ("konen", {"allow_undo": True, "leaves": 4, "virtual_loss": 0.5}, 12),
    ("deepcube-literal", {"leaves": 1}, 40),
    ("deepcube-literal", {"leaves": 1, "reward": 30.0}, 40),
    ("deepcube-literal", {"leaves": 5, "reward": 30.0}, 10),
    ("deepcube-literal", {"leaves": 16, "virtual_loss": 1.0}, 3),
    ("deepcube", {"allow_undo": True, "leaves": 1}, 40),
    ("deepcube", {"allow_undo": True}, 10),
    ("deepcube", {"allow_undo": True, "backup": "mean"}, 10),
]


@pytest.mark.parametrize(("preset", "changed", "rounds"), CASES, ids=[f"{i}-{case[0]}" for i, case in enumerate(CASES)])
@pytest.mark.parametrize("puzzle", [Rubik2x2("qtm"), Hanoi(3, 3)], ids=str)
def test_grows_the_same_tree_and_plays_the_same_moves_as_the_reference(puzzle, preset, changed, rounds):
    for heuristic in ("exact", "vague"):
        _, distance, policy = exact(type(puzzle), *(["qtm"] if isinstance(puzzle, Rubik2x2) else [3, 3]))
        cost_to_go, policy = (distance, policy) if heuristic == "exact" else vague(puzzle)
        task = task_of(puzzle, cost_to_go, policy, **{**PRESETS[preset], **changed})
        starts = some_states(puzzle, 3)
        starts = starts[~puzzle.is_solved(starts)]
        trees, references = grown(task, starts, 0), [Reference(task, start) for start in starts]
        for _ in range(4):
            grown(task, starts, rounds, trees)
            for t, reference in enumerate(references):
                for _ in range(rounds):
                    reference.round()
                assert_same(trees, t, 0, reference.root)
            if preset == "konen":
                played = play(task, trees, np.ones(len(starts), bool))
                assert played.tolist() == [reference.play() for reference in references]


def test_konens_search_plays_the_reference_s_solution():
    puzzle, distance, policy = exact(Rubik2x2, "qtm")
    cost_to_go, _ = vague(puzzle, distance)
    options = {**PRESETS["konen"], "allow_undo": True, "iterations_per_move": 30}
    starts = puzzle.walk(mix(np.arange(6, dtype=np.uint64)), np.full(6, 5))
    solutions = mcts(puzzle, starts, cost_to_go, policy, **options)
    assert solutions.solved.any()
    for start, solved, moves in zip(starts, solutions.solved, solutions.moves, strict=True):
        reference, played = Reference(task_of(puzzle, cost_to_go, policy, **options), start), []
        while not reference.root.goal and len(played) < options["max_moves"]:
            for _ in range(30):
                reference.round()
            played.append(reference.play())
        assert solved == reference.root.goal
        assert moves == (played if solved else [])


# Solutions --------------------------------------------------------------------------------------------------------------


@each_setting
@pytest.mark.parametrize("puzzle_args", [(Rubik2x2, "qtm"), (Rubik2x2, "htm"), (Hanoi, 3, 3)], ids=str)
def test_solves_everything_with_the_exact_heuristic(name, puzzle_args):
    puzzle, distance, policy = exact(*puzzle_args)
    states = puzzle.from_index(np.arange(27)) if puzzle_args[0] is Hanoi else some_states(puzzle, 250)
    solutions = mcts(puzzle, states, distance, policy, rng=np.random.default_rng(0), **SETTINGS[name])
    assert solutions.solved.all()
    assert are_solutions(puzzle, states, solutions.moves).all()
    lengths = np.array([len(moves) for moves in solutions.moves])
    assert (lengths >= distance(states)).all()
    if name in ("defaults", "deepcube"):
        assert (lengths == distance(states)).mean() > 0.95


@each_setting
def test_solves_without_a_policy_and_never_claims_more_than_it_has(name):
    puzzle, distance, _ = exact(Rubik2x2, "qtm")
    states = puzzle.walk(mix(np.arange(60, dtype=np.uint64)), np.arange(60) // 6)
    cost_to_go, _ = vague(puzzle, distance)
    solutions = mcts(puzzle, states, cost_to_go, budget=Budget(nodes=20_000), rng=np.random.default_rng(0), **SETTINGS[name])
    assert solutions.solved.mean() > (0.5 if name == "betacube-vanilla" else 0.8)
    np.testing.assert_array_equal(are_solutions(puzzle, states, solutions.moves), solutions.solved)
    assert all(not moves for moves, solved in zip(solutions.moves, solutions.solved, strict=True) if not solved)
    assert (solutions.nodes <= 20_000).all()


@each_setting
def test_a_perimeter_is_as_good_as_the_goal(name):
    puzzle, distance, policy = exact(Rubik2x2, "htm")
    states = puzzle.walk(mix(np.arange(40, dtype=np.uint64)), np.arange(40) // 5)
    alone = mcts(puzzle, states, distance, policy, rng=np.random.default_rng(0), **SETTINGS[name])
    perimeter = Perimeter(puzzle, 3)
    helped = mcts(puzzle, states, distance, policy, perimeter=perimeter, rng=np.random.default_rng(0), **SETTINGS[name])
    assert helped.solved.all()
    assert are_solutions(puzzle, states, helped.moves).all()
    assert helped.nodes.sum() < alone.nodes.sum()
    inside = perimeter.distance(states) >= 0
    assert (helped.nodes[inside] == 0).all()
    assert [len(moves) for moves, near in zip(helped.moves, inside, strict=True) if near] == distance(states)[inside].tolist()


@each_setting
def test_a_solved_start_needs_no_moves_and_no_starts_give_no_rows(name):
    puzzle, distance, policy = exact(Hanoi, 3, 3)
    states = np.stack([puzzle.goal, puzzle.start, puzzle.goal])
    solutions = mcts(puzzle, states, distance, policy, rng=np.random.default_rng(0), **SETTINGS[name])
    assert solutions.moves[0] == solutions.moves[2] == []
    assert solutions.solved.all()
    assert solutions.nodes[[0, 2]].tolist() == [0, 0]
    none = mcts(puzzle, states[:0], distance, policy, rng=np.random.default_rng(0), **SETTINGS[name])
    assert none.moves == [] and none.solved.shape == none.nodes.shape == none.seconds.shape == (0,)


def test_shortening_leaves_out_loops_and_detours():
    puzzle = Rubik2x2("qtm")
    task = task_of(puzzle, *vague(puzzle))
    for detour, straight in (("U U U", "U'"), ("R R'", ""), ("R U U' R'", ""), ("F R R' R R R U", "F R' U"), ("R U", "R U")):
        moves = shortened(task, puzzle.goal, puzzle.parse(detour), [])
        assert puzzle.format(moves) == straight


def test_shortening_finds_ways_between_branches():
    """Two branches of a tree that meet in one state: the search went the long way round, the other branch is short."""
    puzzle = Rubik2x2("qtm")
    long, short = puzzle.parse("R R R U"), puzzle.parse("R'")  # R R R is R'
    walk = [puzzle.goal]
    for a in long:
        walk.append(puzzle.after([a], walk[-1]))
    states = np.stack([*walk, puzzle.after(short)])
    parent, action = np.array([-1, 0, 1, 2, 3, 0], np.int32), np.array([-1, *long, *short], np.int16)
    shortest_paths(task_of(puzzle, *vague(puzzle)), states, parent, action)
    assert puzzle.format(path(parent, action, 4)) == "R' U"
    assert path(parent, action, 3) == path(parent, action, 5) == short
    assert path(parent, action, 0) == []


def test_shortening_never_lengthens_and_often_shortens():
    puzzle, distance, _ = exact(Rubik2x2, "qtm")
    states = puzzle.walk(mix(np.arange(100, dtype=np.uint64)), np.full(100, 6))
    cost_to_go, policy = vague(puzzle, distance)
    options = {**PRESETS["deepcube"], "allow_undo": True, "budget": Budget(nodes=5000)}
    short = mcts(puzzle, states, cost_to_go, policy, **options)
    full = mcts(puzzle, states, cost_to_go, policy, **{**options, "shorten": False})
    np.testing.assert_array_equal(short.solved, full.solved)
    np.testing.assert_array_equal(short.nodes, full.nodes)
    pairs = [(len(s), len(f)) for s, f in zip(short.moves, full.moves, strict=True)]
    assert all(s <= f for s, f in pairs)
    assert any(s < f for s, f in pairs)
    assert are_solutions(puzzle, states, short.moves)[short.solved].all()


def test_as_printed_deepcube_never_sees_its_values_far_from_the_goal():
    """W starts at 0 and V = 2 - cost is below it: two quite different heuristics grow the same trees, unless W starts at V."""
    puzzle, distance, _ = exact(Rubik2x2, "qtm")
    starts = some_states(puzzle, 200)
    starts = starts[distance(starts) >= 10][:20]
    uniform = lambda states: np.full((len(states), puzzle.n_actions), 1 / puzzle.n_actions)  # noqa: E731
    other = lambda states: 3.0 + puzzle.hash(states) % np.uint64(20)  # noqa: E731
    for preset, same in (("deepcube-literal", True), ("deepcube", False)):
        trees = [grown(task_of(puzzle, h, uniform, **PRESETS[preset]), starts, 20) for h in (distance, other)]
        assert np.array_equal(trees[0].visits[:, 0], trees[1].visits[:, 0]) == same
    solved = {
        preset: mcts(puzzle, starts, distance, uniform, budget=Budget(nodes=2000), **PRESETS[preset]).solved.mean()
        for preset in ("deepcube-literal", "deepcube")
    }
    assert solved["deepcube"] == 1 and solved["deepcube-literal"] < 0.2


# The tree ---------------------------------------------------------------------------------------------------------------


def test_virtual_loss_keeps_the_walks_of_a_round_apart():
    puzzle = Rubik3x3()
    starts = some_states(puzzle, 4)
    for virtual_loss, new in ((150.0, 8), (0.0, 1)):  # without it, all walks of a round end at the same leaf
        task = task_of(puzzle, *vague(puzzle), **{**PRESETS["deepcube"], "virtual_loss": virtual_loss})
        trees = grown(task, starts, 1)
        assert (trees.size == 1 + new).all()
        assert (trees.visits[:, 0].sum(axis=1) == 8).all()
        trees = grown(task, starts, 20, trees)
        assert (trees.visits[:, 0].sum(axis=1) == 168).all()
        assert (trees.size > 100).all() if new == 8 else (trees.size == 22).all()
        for t in range(4):
            assert (trees.in_flight[t, : trees.size[t]] == 0).all()


def test_the_tree_below_the_move_played_is_kept():
    puzzle = Rubik2x2("htm")
    task = task_of(puzzle, *vague(puzzle), **PRESETS["konen"])
    starts = some_states(puzzle, 5)
    trees = grown(task, starts, 200)
    before = repotted(task, trees, np.arange(5), 2000)
    going = np.array([True, True, True, True, False])
    played = play(task, trees, going)
    assert played[4] == -1 and trees.size[4] == before.size[4]
    for t in range(4):
        a = before.visits[t, 0].argmax()
        assert played[t] == a

        def below(old, new, t=t):
            for field in ("states", "value", "goal", "visits", "q", "prior"):
                np.testing.assert_array_equal(getattr(trees, field)[t, new], getattr(before, field)[t, old])
            pairs = zip(before.children[t, old], trees.children[t, new], strict=True)
            below_here = 1
            for b, (old_child, new_child) in enumerate(pairs):
                assert (old_child < 0) == (new_child < 0)
                if old_child >= 0:
                    assert (trees.parent[t, new_child], trees.action[t, new_child]) == (new, b)
                    below_here += below(old_child, new_child)
            return below_here

        assert below(before.children[t, 0, a], 0) == trees.size[t]
        assert trees.parent[t, 0] == -1
        assert trees.visits[t, 0].sum() == before.visits[t, 0, a] - 1  # the first visit made the node itself


def test_no_move_is_undone_and_no_node_is_too_deep():
    puzzle = Hanoi(4, 3)
    task = task_of(puzzle, *vague(puzzle), allow_undo=False, depth_limit=4)
    starts = puzzle.from_index(np.array([0, 5, 40]))
    trees = grown(task, starts, 300)
    for t in range(3):
        depth = np.zeros(trees.size[t], int)
        for n in range(1, trees.size[t]):
            parent, a = trees.parent[t, n], trees.action[t, n]
            depth[n] = depth[parent] + 1
            assert (trees.states[t, n] != trees.states[t, parent]).any()  # illegal moves change nothing
            assert parent == 0 or a != puzzle.inverse_action[trees.action[t, parent]]
        assert depth.max() == 4
        assert (depth < 4).any()


def test_roll_outs_follow_the_policy_and_earn_what_they_should():
    puzzle, distance, policy = exact(Rubik2x2, "htm")
    states = some_states(puzzle, 50)
    best = lambda states: (policy(states) == policy(states).max(axis=1, keepdims=True)).astype(float)  # noqa: E731
    task = task_of(puzzle, distance, best, leaf="rollout", reward=2.0, step_cost=-1.0, rollout_length=9, allow_undo=True)
    legal, away = puzzle.legal(states), task.perimeter.distance(states)
    value, generated = roll_out(task, states, best(states), legal, away, np.arange(50, dtype=np.uint64))
    reached = distance(states) <= 9
    assert reached.any() and not reached.all()
    np.testing.assert_array_equal(value, np.where(reached, 2.0 - distance(states), -9.0))
    np.testing.assert_array_equal(generated, np.minimum(distance(states), 9))


def test_sampling_is_in_proportion_and_keeps_to_what_is_allowed():
    n = 20_000
    probabilities, allowed = np.tile([0.1, 0.2, 0.0, 0.3, 0.4], (n, 1)), np.tile([True, True, True, False, True], (n, 1))
    seeds, actions = mix(np.arange(n, dtype=np.uint64)), np.empty(n, np.int64)
    kernels.sample(probabilities, allowed, seeds, 3, actions)
    share = np.bincount(actions, minlength=5) / n
    np.testing.assert_allclose(share, [1 / 7, 2 / 7, 0, 0, 4 / 7], atol=0.02)
    kernels.sample(np.zeros((n, 5)), allowed, seeds, 3, actions)  # nothing known: any allowed action
    np.testing.assert_allclose(np.bincount(actions, minlength=5) / n, [0.25, 0.25, 0.25, 0, 0.25], atol=0.02)


def test_a_node_takes_as_much_memory_as_the_docstring_says():
    for puzzle, said in ((Rubik3x3("qtm"), 236), (Rubik3x3("htm"), 340), (Rubik2x2("qtm"), 120), (Rubik2x2("htm"), 172)):
        record = node_record(puzzle.n_actions, puzzle.state_size)
        assert record.itemsize == said == -(-(puzzle.state_size + 17 * puzzle.n_actions + 11) // 4) * 4
        trees = planted(some_states(puzzle, 3), puzzle.n_actions, 5)
        assert sum(field.nbytes for field in trees[:-2]) + 15 * (-(puzzle.state_size + puzzle.n_actions + 3) % 4) == 15 * said
        assert str(said) in mcts_tree.__doc__


# Batches, budgets, randomness -------------------------------------------------------------------------------------------


@each_setting
def test_a_start_has_the_same_result_alone_in_any_place_and_in_little_memory(name):
    puzzle, distance, _ = exact(Rubik2x2, "qtm")
    cost_to_go, policy = vague(puzzle, distance)
    states = puzzle.walk(mix(np.arange(24, dtype=np.uint64)), np.arange(24) % 8)

    def run(states, **budget):
        rng = np.random.default_rng(7)
        return mcts(puzzle, states, cost_to_go, policy, rng=rng, budget=Budget(nodes=3000, **budget), **SETTINGS[name])

    together, backwards = run(states), run(states[::-1])
    assert together.solved.sum() > 0
    assert together.moves == backwards.moves[::-1]
    np.testing.assert_array_equal(together.nodes, backwards.nodes[::-1])
    for b in (3, 13, 23):
        alone = run(states[b : b + 1])
        assert alone.moves == [together.moves[b]] and alone.nodes[0] == together.nodes[b]
    little = run(states, memory=2_500_000)  # two full trees
    assert little.moves == together.moves
    np.testing.assert_array_equal(little.nodes, together.nodes)


@each_setting
@pytest.mark.parametrize("puzzle_class", [Rubik2x2, Hanoi])
def test_costs_that_are_remembered_change_nothing_and_are_asked_for_less(name, puzzle_class):
    puzzle, distance, _ = exact(puzzle_class)
    cost_to_go, _ = vague(puzzle, distance)
    states, asked, moves = some_states(puzzle, 6), [], []

    def counting(states):
        asked[-1] += len(states)
        return cost_to_go(states)

    for entries in (0, 7, 100_000):
        asked.append(0)
        rng, budget = np.random.default_rng(7), Budget(nodes=3000)
        found = mcts(puzzle, states, counting, rng=rng, budget=budget, **{**SETTINGS[name], "remember": entries})
        moves.append((found.moves, found.nodes.tolist()))
    assert moves[0] == moves[1] == moves[2]
    assert asked[0] >= asked[1] > asked[2]


def test_the_same_rng_gives_the_same_result_and_another_one_another():
    puzzle, distance, _ = exact(Rubik2x2, "htm")
    cost_to_go, policy = vague(puzzle, distance)
    states = puzzle.walk(mix(np.arange(20, dtype=np.uint64)), np.full(20, 4))
    options = {**PRESETS["betacube-vanilla"], "max_moves": 8, "iterations_per_move": 30}
    first, again, other = (
        mcts(puzzle, states, cost_to_go, policy, rng=np.random.default_rng(seed), **options) for seed in (1, 1, 2)
    )
    assert first.moves == again.moves
    np.testing.assert_array_equal(first.nodes, again.nodes)
    assert (first.nodes != other.nodes).any()


@each_setting
def test_no_more_nodes_than_the_budget_allows(name):
    puzzle = Rubik3x3()
    cost_to_go, policy = vague(puzzle)
    states = some_states(puzzle, 3)
    for nodes in (1, 2, 13, 30, 500, 777):
        for guide in (policy, None):
            asked = []
            counting = lambda states, asked=asked: (asked.append(len(states)), cost_to_go(states))[1]  # noqa: E731
            rng = np.random.default_rng(0)
            solutions = mcts(puzzle, states, counting, guide, budget=Budget(nodes=nodes), rng=rng, **SETTINGS[name])
            assert (solutions.nodes <= nodes).all()
            assert not solutions.solved.any()
            if SETTINGS[name].get("leaf") == "state":
                assert sum(asked) <= solutions.nodes.sum() + len(states)  # the roots themselves are not generated
            if name == "deepcube" and guide is not None:
                assert (solutions.nodes == nodes).all()


class Clock:
    """A second passes whenever somebody looks."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        self.now += 1.0
        return self.now


@each_setting
def test_seconds_are_for_all_starts_together(name):
    puzzle = Rubik3x3()
    cost_to_go, policy = vague(puzzle)
    states, clock = some_states(puzzle, 30), Clock()
    budget = Budget(nodes=10**9, seconds=50, clock=clock)
    options = {**SETTINGS[name], "max_moves": 10**6}
    solutions = mcts(puzzle, states, cost_to_go, policy, rng=np.random.default_rng(0), budget=budget, **options)
    assert 50 < clock.now < 60
    assert solutions.seconds.sum() == pytest.approx(clock.now - 1)
    assert not solutions.solved.any()
    assert (solutions.nodes >= 30).all()


@each_setting
@pytest.mark.parametrize("compares", [True, False], ids=["without-policy", "with-policy"])
def test_children_that_a_policy_looks_ahead_at_are_nodes(name, compares):
    """Every state that the policy is asked about has its children counted, and those moves of a roll-out that end it."""
    puzzle = Rubik2x2("qtm")
    cost_to_go, policy = vague(puzzle)
    states, asked = some_states(puzzle, 3), []

    def counting(states):
        asked.append(len(states))
        return policy(states)

    settings = {**SETTINGS[name], "max_moves": 2, "iterations_per_move": 20, "shorten": False}
    plain, ahead = (
        mcts(puzzle, states, cost_to_go, None if compares else counting, looks_ahead=looks_ahead,
             rng=np.random.default_rng(0), budget=Budget(nodes=10**6), **settings)
        for looks_ahead in (False, True)
    )  # fmt: skip
    assert ahead.moves == plain.moves
    extra = int((ahead.nodes - plain.nodes).sum())
    assert compares == (extra == 0)
    if not compares and settings.get("leaf") != "rollout":
        assert extra == puzzle.n_actions * sum(asked) // 2  # it was asked the same in both searches
    elif not compares:
        assert extra >= puzzle.n_actions * sum(asked) // 2


def test_trees_stay_within_the_memory():
    puzzle = Rubik3x3()
    zero, uniform = lambda states: np.zeros(len(states)), lambda states: np.full((len(states), 12), 1 / 12)
    states = some_states(puzzle, 6)
    mcts(puzzle, states, zero, uniform, budget=Budget(nodes=100))
    for memory, most in ((2_700_000, 1500), (400_000, 636), (1000, 0)):  # three trees at a time; one, cut off; none
        tracemalloc.start()
        solutions = mcts(puzzle, states, zero, uniform, budget=Budget(nodes=1500, memory=memory))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < memory + 150_000
        assert (solutions.nodes <= most).all()
        assert (solutions.nodes >= most * 0.9).all()
        assert not solutions.solved.any()


# Bad input --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"score": "ucb"}, "score must be one of 'puct', 'uct'"),
        ({"backup": "sum"}, "backup must be one of"),
        ({"leaf": "leaf"}, "leaf must be one of"),
        ({"play": "best"}, "play must be one of"),
        ({"first_q": "zero"}, "first_q must be a number"),
        ({"first_q": math.nan}, "first_q must be a number"),
        ({"c": -1.0}, "c must be a number at least 0"),
        ({"virtual_loss": math.inf}, "virtual_loss must be a number at least 0"),
        ({"reward": None}, "reward must be a number"),
        ({"step_cost": 0.1}, "step_cost must be a number below 0"),
        ({"step_cost": 0}, "step_cost must be a number below 0"),
        ({"temperature": 0.0}, "temperature must be a number above 0"),
        ({"leaves": 0}, "leaves must be a whole number"),
        ({"leaves": 256}, "leaves must be a whole number from 1 to 255"),
        ({"max_moves": 1.5}, "max_moves must be a whole number"),
        ({"rollout_length": 0}, "rollout_length must be a whole number"),
        ({"iterations_per_move": 0}, "iterations_per_move must be a whole number"),
        ({"depth_limit": True}, "depth_limit must be a whole number"),
        ({"remember": -1}, "remember must be a whole number"),
        ({"shorten": "yes"}, "shorten must be True or False"),
        ({"stop_in_tree": False}, "never ends"),
        ({"leaf": "rollout"}, "pass rng"),
        ({"leaf": "rollout", "rng": 3}, "rng must be a numpy Generator"),
        ({"budget": 1000}, "budget must be a Budget"),
        ({"perimeter": 3}, "perimeter must be a Perimeter"),
        ({"cost_to_go": None}, "cost_to_go must be a function"),
        ({"cost_to_go": lambda states: np.zeros((len(states), 1))}, "cost_to_go must return one number per state"),
        ({"cost_to_go": lambda states: np.full(len(states), math.nan)}, "cost_to_go must be finite"),
        ({"policy": "uniform"}, "policy must be a function"),
        ({"policy": lambda states: np.ones((len(states), 5))}, "policy must return one number per state and action"),
        ({"policy": lambda states: -np.ones((len(states), 6))}, "policy must return probabilities"),
        ({"policy": lambda states: np.full((len(states), 6), math.nan)}, "policy must return probabilities"),
        ({"states": np.zeros((1, 6), np.uint8)}, "states of rubik2x2-qtm must be"),
        ({"states": np.zeros((1, 7), np.uint8)}, "rubik2x2|corner|piece|cubie"),
    ],
)
def test_bad_input_is_named(wrong, message):
    puzzle = Rubik2x2("qtm")
    cost_to_go, policy = vague(puzzle)
    given = {"states": some_states(puzzle, 2), "cost_to_go": cost_to_go, "policy": policy, "budget": Budget(nodes=500), **wrong}
    with pytest.raises(ValueError, match=message):
        mcts(puzzle, **given)


def test_presets_name_settings_that_exist():
    for preset in PRESETS.values():
        Settings(**preset)
    with pytest.raises(TypeError, match="colour"):
        mcts(Rubik2x2(), some_states(Rubik2x2(), 1), lambda states: np.zeros(len(states)), colour="red")
