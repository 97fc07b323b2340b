"""Searches: optimal where they must be, the same as a plain reference, within their budget, and never a wrong solution."""

import heapq
import tracemalloc
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rubiks_gym.exact import ExactTable, has_table
from rubiks_gym.puzzles import (
    Hanoi,
    Puzzle,
    Rubik2x2,
    Rubik3x3,
    get_num_threads,
    puzzle_from_name,
    sample_seeds,
    set_num_threads,
)
from rubiks_gym.puzzles.streams import GOLDEN, mix
from rubiks_gym.puzzles.table import StateTable, children, find, find_or_insert
from rubiks_gym.registration import PUZZLES
from rubiks_gym.search import (
    SEARCHES,
    Budget,
    DecomposedHeuristic,
    Perimeter,
    Solutions,
    are_solutions,
    beam,
    both_ways,
    bwas,
    greedy,
    lookahead_policy,
    make_search,
    mcts,
)
from rubiks_gym.search.beam import lowest

ROOT = Path(__file__).parent.parent


class Guide:
    """What a stranger brings: a cost-to-go, and a policy that looks ahead and hardly ever leaves the cheapest child."""

    looks_ahead = True

    def __init__(self, puzzle: Puzzle, cost_to_go: Callable[[np.ndarray], np.ndarray]) -> None:
        self.puzzle, self.cost_to_go = puzzle, cost_to_go

    def policy(self, states: np.ndarray) -> np.ndarray:
        return lookahead_policy(self.puzzle, self.cost_to_go, states, temperature=0.02)


def found_by(
    name: str, puzzle: Puzzle, states: np.ndarray, cost_to_go: Callable, radius=0, budget=None, **options
) -> Solutions:
    return make_search(name, Guide(puzzle, cost_to_go), {**NARROW.get(name, {}), **options}, radius, budget=budget)(states)


# The default is for the 3x3x3 and random cubes; with an exact heuristic any width will do.
NARROW = {"certified": {"width": 1024}}
each_search = pytest.mark.parametrize("search", SEARCHES)
NAMES = [name for entry in PUZZLES.values() for name in entry.examples]
SMALL = [name for name in NAMES if puzzle_from_name(name).n_states < 10**5 or name.startswith("rubik2x2")]
KINDS = [name for name in SMALL if name in [example for entry in PUZZLES.values() for example in entry.examples[:2]]]


class Clock:
    """A second, or what is said, passes whenever somebody looks."""

    def __init__(self, tick: float = 1.0) -> None:
        self.now, self.tick = 0.0, tick

    def __call__(self) -> float:
        self.now += self.tick
        return self.now


def some_states(puzzle: Puzzle, n: int, seed: int = 0) -> np.ndarray:
    return puzzle.random_states(np.arange(seed, seed + n, dtype=np.uint64))


def near_states(puzzle: Puzzle, n: int, depth: int) -> np.ndarray:
    return puzzle.walk(np.arange(n, dtype=np.uint64), np.full(n, depth))


def lengths(solutions: Solutions) -> list[int]:
    return [len(moves) for moves in solutions.moves]


def nothing_known(states: np.ndarray) -> np.ndarray:
    return np.zeros(len(states))


def noise(states: np.ndarray) -> np.ndarray:
    """A heuristic that is neither admissible nor consistent: 0 to 7, with ties, the same for the same state."""
    weights = np.arange(1, states.shape[1] + 1, dtype=np.uint64)
    return mix((states * weights).sum(axis=1, dtype=np.uint64) * GOLDEN) % np.uint64(15) / 2


def rough_heuristic(puzzle: Puzzle) -> Callable[[np.ndarray], np.ndarray]:
    return lambda states: ExactTable(puzzle).distance(states) + noise(states)


class Graph(Puzzle):
    """A puzzle given as edges between the numbers 0..n - 1; an action goes along one edge; the goal is 0."""

    def __init__(self, *edges: tuple[int, int]) -> None:
        self.edges = edges
        super().__init__("graph", [0], 1 + max(map(max, edges)), [f"{a}-{b}" for a, b in edges], range(len(edges)), n_states=0)

    def apply(self, states: np.ndarray, actions: np.ndarray) -> np.ndarray:
        step = {(a, here): there for a, edge in enumerate(self.edges) for here, there in (edge, edge[::-1])}
        ends = [step.get((int(a), int(state[0])), state[0]) for state, a in zip(states, actions, strict=True)]
        return np.array(ends, np.uint8).reshape(-1, 1)

    def legal(self, states: np.ndarray) -> np.ndarray:
        return np.array([[state[0] in edge for edge in self.edges] for state in states])


# The table and the children -------------------------------------------------------------------------------------------


@settings(max_examples=30, deadline=None)
@given(st.lists(st.lists(st.integers(0, 5), max_size=400), max_size=4), st.integers(1, 19))
def test_the_table_numbers_states_as_a_dictionary_would(batches, size):
    table, numbers = StateTable(size), {}
    for batch in batches:
        rows = np.repeat(np.array(batch, np.uint8)[:, None], size, axis=1)
        rows[:, -1] += np.arange(len(rows), dtype=np.uint8) // 2
        before = len(numbers)
        expected = [numbers.setdefault(row.tobytes(), len(numbers)) for row in rows]
        found, source = table.insert(rows)
        assert found.tolist() == expected
        assert found[source].tolist() == list(range(before, len(numbers)))
        assert [row.tobytes() for row in table.states[: len(table)]] == list(numbers)
    strangers = np.full((3, size), 255, np.uint8)
    assert table.find(strangers).tolist() == [-1, -1, -1]
    reserved = table.nbytes_with(0)
    table.clear()
    assert len(table) == 0 and table.nbytes_with(0) == reserved
    assert table.insert(strangers)[0].tolist() == [0, 0, 0]


def test_the_table_keeps_many_states_apart():
    states = some_states(Rubik3x3(), 20_000)
    table = StateTable(20)
    assert table.insert(states)[0].tolist() == list(range(len(states)))
    assert table.find(states[::-1].copy()).tolist() == list(range(len(states)))[::-1]
    assert len(states) / len(table.slots) >= 0.5


def test_two_states_with_one_hash_are_not_confused():
    ours, other = np.array([[1, 2, 3]], np.uint8), np.array([[3, 2, 1]], np.uint8)
    slots, stored, numbers, source = np.zeros(8, np.uint64), np.zeros((8, 3), np.uint8), *np.full((2, 1), 9)
    assert find_or_insert(slots, stored, 0, ours, numbers, source) == 1
    stored[0] = other[0]  # another state, entered under our hash
    find(slots, stored, ours, numbers)
    assert numbers == [-1]
    assert find_or_insert(slots, stored, 1, ours, numbers, source) == 2 and numbers == [1] and source == [0]
    assert np.flatnonzero(slots).tolist() in [[at, at + 1] for at in range(7)] + [[0, 7]]
    find(slots, stored, ours, numbers)
    assert numbers == [1]


@pytest.mark.parametrize("puzzle", [Rubik2x2("htm"), Rubik3x3(), Hanoi(4, 4)], ids=str)
def test_children_are_all_neighbours_but_illegal_and_undoing_ones(puzzle):
    states = near_states(puzzle, 20, 6)
    last = np.arange(20, dtype=np.int16) % puzzle.n_actions
    last[::3] = -1
    found, rows, actions = children(puzzle, states, last)
    legal = puzzle.legal(states)
    expected = [
        (b, a)
        for b in range(20)
        for a in range(puzzle.n_actions)
        if legal[b, a] and (last[b] < 0 or a != puzzle.inverse_action[last[b]])
    ]
    assert list(zip(rows.tolist(), actions.tolist(), strict=True)) == expected
    assert (found == puzzle.apply(states[rows], actions)).all()


# The perimeter ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("puzzle", "layers"),
    [
        (Rubik3x3("qtm"), [1, 12, 114, 1068, 10011]),
        (Rubik3x3("htm"), [1, 18, 243, 3240]),
        (Rubik2x2("qtm"), [1, 6, 27, 120, 534, 2256, 8969]),
        (Rubik2x2("htm"), [1, 9, 54, 321, 1847, 9992]),
        (Hanoi(2, 3), [1, 2, 2, 4]),
    ],
    ids=str,
)
def test_layers_of_a_perimeter_are_the_known_ones(puzzle, layers):
    assert Perimeter(puzzle, len(layers) - 1).layers.tolist() == layers


def test_a_perimeter_knows_distances_and_ways_home():
    puzzle = Rubik2x2("htm")
    perimeter, table = Perimeter(puzzle, 4), ExactTable(puzzle)
    states = np.concatenate([near_states(puzzle, 50, depth) for depth in range(8)])
    exact = table.distance(states).astype(int)
    assert (perimeter.distance(states) == np.where(exact <= 4, exact, -1)).all()
    inside = exact <= 4
    ways = [perimeter.finish(state) for state in states[inside]]
    assert ways == table.solve(states[inside])
    with pytest.raises(ValueError, match="more than 4 moves"):
        perimeter.finish(states[~inside][0])


def test_a_perimeter_ends_where_the_puzzle_does():
    perimeter = Perimeter(Hanoi(3, 3), 1000)
    assert perimeter.layers.sum() == 27 and len(perimeter.layers) == 8


# Optimal where they must be ------------------------------------------------------------------------------------------


@each_search
@pytest.mark.parametrize("name", KINDS)
def test_an_exact_heuristic_gives_solutions_and_optimal_ones_but_for_mcts(search, name):
    puzzle = puzzle_from_name(name)
    table = ExactTable(puzzle)
    states = some_states(puzzle, 100) if puzzle.n_states > 100 else puzzle.from_index(np.arange(puzzle.n_states))
    found = found_by(search, puzzle, states, table.distance)
    assert found.solved.all() and are_solutions(puzzle, states, found.moves).all()
    assert (found.nodes >= lengths(found)).all() and (found.seconds >= 0).all()
    if SEARCHES[search].function is not mcts:
        assert lengths(found) == table.distance(states).tolist()


@pytest.mark.parametrize("radius", [0, 3])
@pytest.mark.parametrize("puzzle", [Rubik2x2("qtm"), Rubik2x2("htm"), Hanoi(4, 3)], ids=str)
def test_a_star_is_optimal_with_an_admissible_heuristic(puzzle, radius):
    table = ExactTable(puzzle)
    states = near_states(puzzle, 30, 8)
    found = bwas(puzzle, states, lambda states: table.distance(states) // 2, batch=1, perimeter=Perimeter(puzzle, radius))
    assert are_solutions(puzzle, states, found.moves).all()
    assert lengths(found) == table.distance(states).tolist()


@pytest.mark.parametrize("radius", [0, 2])
def test_a_beam_that_holds_every_layer_is_breadth_first(radius):
    puzzle = Rubik2x2("htm")
    states = near_states(puzzle, 20, 6)
    seen = []
    found = beam(
        puzzle, states, lambda states: seen.append(states) or noise(states), width=10**9, perimeter=Perimeter(puzzle, radius)
    )
    assert lengths(found) == ExactTable(puzzle).distance(states).tolist()
    seen.clear()
    beam(puzzle, states[:1], lambda states: seen.append(states) or noise(states), width=10**9)
    met = np.concatenate(seen)
    assert len(np.unique(met, axis=0)) == len(met)  # so no layer came back


@each_search
def test_a_perimeter_shortens_the_search_and_not_the_solution(search):
    puzzle, table = Rubik2x2(), ExactTable(Rubik2x2())
    states = some_states(puzzle, 20)
    without, within = (found_by(search, puzzle, states, table.distance, radius) for radius in (0, 5))
    assert are_solutions(puzzle, states, within.moves).all()
    assert within.nodes.sum() < without.nodes.sum()
    if SEARCHES[search].function is not mcts:
        assert lengths(without) == lengths(within)
        assert (within.nodes < without.nodes).all()


# Batch weighted A*, against the obvious program ------------------------------------------------------------------------


def plain_bwas(puzzle, start, cost_to_go, weight, batch, perimeter):
    """The paper's algorithm with a heap and a dictionary; the moves and the number of states generated."""

    def distance(key):
        return perimeter.distance(np.frombuffer(key, np.uint8)[None].copy())[0]

    nodes = {start.tobytes(): [0, 0.0, None, -1, 0]}  # state: g, h, parent, action, number
    heap, generated = [(np.float32(0), 0.0, 0, start.tobytes())], 0
    closed = set()
    while heap:
        taken = []
        while heap and len(taken) < batch:
            key = heapq.heappop(heap)[3]
            if key not in closed:
                closed.add(key)
                taken.append(key)
        home = [key for key in taken if distance(key) >= 0]
        if home:
            moves, key = [], home[0]
            while nodes[key][2] is not None:
                moves.append(nodes[key][3])
                key = nodes[key][2]
            return moves[::-1] + perimeter.finish(np.frombuffer(home[0], np.uint8)), generated
        changed = {}
        for key, last in [(key, nodes[key][3]) for key in taken]:
            state = np.frombuffer(key, np.uint8)[None].copy()
            for action in np.flatnonzero(puzzle.legal(state)[0]).tolist():
                if last >= 0 and action == puzzle.inverse_action[last]:
                    continue
                generated += 1
                child = puzzle.apply(state, np.array([action]))
                g = nodes[key][0] + 1
                if child.tobytes() not in nodes:
                    inside = distance(child.tobytes())
                    h = float(inside if inside >= 0 else cost_to_go(child)[0])
                    nodes[child.tobytes()] = [g, h, key, action, len(nodes)]
                elif g < nodes[child.tobytes()][0]:
                    nodes[child.tobytes()][0], nodes[child.tobytes()][2:4] = g, (key, action)
                else:
                    continue
                changed[child.tobytes()] = None
        for key in changed:
            closed.discard(key)
            g, h, _, _, number = nodes[key]
            heapq.heappush(heap, (np.float32(weight * g + h), h, number, key))
    return None, generated


@pytest.mark.parametrize("batch", [1, 7, 100])
@pytest.mark.parametrize("weight", [0, 0.6, 1, 2.5])
@pytest.mark.parametrize(("puzzle", "radius"), [(Hanoi(4, 3), 0), (Rubik2x2("htm"), 0), (Rubik2x2("htm"), 3)], ids=str)
def test_bwas_is_the_plain_algorithm_move_by_move(puzzle, radius, weight, batch):
    states = near_states(puzzle, 5, 6)
    rough, perimeter = rough_heuristic(puzzle), Perimeter(puzzle, radius)
    states = states[perimeter.distance(states) < 0]
    found = bwas(puzzle, states, rough, weight=weight, batch=batch, perimeter=perimeter)
    expected = [plain_bwas(puzzle, state, rough, weight, batch, perimeter) for state in states]
    assert list(zip(found.moves, found.nodes.tolist(), strict=True)) == expected


def test_a_shorter_way_opens_a_node_again():
    # From 8 the way over 1 and 2 to 3 looks better and is expanded first; the way over 4 is a move shorter.
    puzzle = Graph((8, 1), (1, 2), (2, 3), (8, 4), (4, 3), (3, 5), (5, 6), (6, 0))
    asked = []

    def admissible_but_inconsistent(states):
        asked.extend(states[:, 0].tolist())
        return np.where(states[:, 0] == 4, 4, 0)

    found = bwas(puzzle, np.array([[8]], np.uint8), admissible_but_inconsistent, batch=1)
    assert puzzle.format(found.moves[0]) == "8-4 4-3 3-5 5-6 6-0"
    assert sorted(asked) == [1, 2, 3, 4, 5, 6]  # 3, 5 and 6 were expanded twice, but their h was remembered


def test_bwas_asks_about_no_state_twice():
    puzzle, asked = Rubik3x3(), []
    bwas(puzzle, some_states(puzzle, 1), lambda s: asked.append(s) or noise(s), batch=50, budget=Budget(nodes=20_000))
    asked = np.concatenate(asked)
    assert len(np.unique(asked, axis=0)) == len(asked) > 10_000


def test_bwas_returns_a_goal_it_has_seen_when_the_budget_ends():
    puzzle = Rubik3x3()
    states = puzzle.apply(puzzle.goal[None], np.array([3]))
    found = bwas(puzzle, states, lambda s: np.full(len(s), -99), batch=1, budget=Budget(nodes=5000))
    assert found.moves == [[2]] and found.nodes[0] >= 5000


def test_bwas_gives_up_when_everything_was_expanded():
    puzzle = Graph((0, 1), (2, 3), (3, 4))
    found = bwas(puzzle, np.array([[2]], np.uint8), nothing_known)
    assert not found.solved[0] and found.moves == [[]] and found.nodes[0] == 2


# Beam ----------------------------------------------------------------------------------------------------------------


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 6), min_size=1, max_size=60), st.integers(1, 70))
def test_the_beam_keeps_the_best_and_the_first_of_equals(costs, width):
    expected = sorted(range(len(costs)), key=lambda i: (costs[i], i))[:width]
    assert lowest(np.array(costs, np.float32), width).tolist() == expected


def test_the_beam_sees_no_duplicates_and_does_not_go_back():
    puzzle, seen = Rubik3x3("htm"), []
    beam(puzzle, some_states(puzzle, 1), lambda s: seen.append(s) or noise(s), width=200, max_steps=8)
    assert len(seen) == 8
    for step, layer in enumerate(seen):
        kept = [earlier[lowest(noise(earlier).astype(np.float32), 200)] for earlier in seen[max(step - 2, 0) : step]]
        together = np.concatenate([*kept, layer])
        assert len(np.unique(together, axis=0)) == len(together)


def test_whoever_watches_a_beam_sees_every_layer_that_it_keeps():
    puzzle, seen, watched = Rubik3x3(), [], []
    beam(
        puzzle,
        some_states(puzzle, 1),
        lambda s: seen.append(s) or noise(s),
        width=20,
        max_steps=5,
        watch=lambda *seen: watched.append(seen),
    )
    assert len(seen) == len(watched) == 5
    before = some_states(puzzle, 1)
    for children_seen, (layer, parents, actions) in zip(seen, watched, strict=True):
        assert (layer == children_seen[lowest(noise(children_seen).astype(np.float32), 20)]).all()
        assert (layer == puzzle.apply(before[parents], actions)).all()
        before = layer


def test_beams_side_by_side_find_what_they_find_alone():
    puzzle, threads = Rubik2x2("htm"), get_num_threads()
    states, rough = some_states(puzzle, 12), rough_heuristic(puzzle)
    try:
        set_num_threads(3)
        together = beam(puzzle, states, rough, width=500)
    finally:
        set_num_threads(threads)
    alone = [beam(puzzle, state[None], rough, width=500) for state in states]
    assert together.solved.all()
    assert together.moves == [found.moves[0] for found in alone]
    assert together.nodes.tolist() == [found.nodes[0] for found in alone]


def halves(puzzle):
    """Noise as a cost in two parts, each as large as the other."""

    def first(states):
        children = puzzle.expand(states)
        return noise(children.reshape(-1, puzzle.state_size)).reshape(children.shape[:2]) / 2

    return DecomposedHeuristic(first, lambda states: noise(states) / 2)


@pytest.mark.parametrize("puzzle", [Rubik2x2("htm"), Hanoi(5, 3)], ids=str)
def test_partial_expansion_of_all_children_is_the_plain_beam(puzzle):
    states = near_states(puzzle, 6, 5)
    plain, partial_ = (
        beam(puzzle, states, noise, width=150, **parts)
        for parts in ({}, {"decomposed": halves(puzzle), "children_per_state": 9})
    )
    assert plain.solved.any()
    assert partial_.moves == plain.moves and partial_.nodes.tolist() == plain.nodes.tolist()


def test_partial_expansion_makes_the_children_that_look_best_and_no_others():
    puzzle, made, watched = Rubik3x3(), [], []

    def second(states):
        return noise(states) + noise(states[:, ::-1]) / 37 + noise(states[:, ::2]) / 1009  # hardly any two are equal

    def first(states):
        return second(puzzle.expand(states)[:, :, ::-1].reshape(-1, 20)).reshape(-1, 12)

    parts = DecomposedHeuristic(first, lambda states: made.append(states) or second(states))
    beam(
        puzzle,
        some_states(puzzle, 1),
        noise,
        width=30,
        children_per_state=2,
        decomposed=parts,
        max_steps=6,
        watch=lambda layer, *_: watched.append(layer),
    )
    for layer, below in zip(watched[2:], made[3:], strict=False):
        looks = (first(layer) + 2 / 3 * second(layer)[:, None]).ravel()
        best = puzzle.expand(layer).reshape(-1, 20)[np.argsort(looks)]
        made_here = {state.tobytes() for state in below}
        assert 30 < len(made_here) <= 60
        assert made_here <= {state.tobytes() for state in best[:90]}  # 60, and 30 in place of moves that were undone


def test_partial_expansion_gives_up_at_a_dead_end_like_the_plain_beam():
    puzzle, start = Graph((0, 1), (2, 3), (3, 4)), np.array([[2]], np.uint8)
    parts = DecomposedHeuristic(lambda states: np.zeros((len(states), puzzle.n_actions)), nothing_known)
    for options in ({}, {"decomposed": parts}):
        found = beam(puzzle, start, nothing_known, **options)
        assert not found.solved[0] and found.moves == [[]] and found.nodes[0] == 2


def test_a_goal_is_found_by_partial_expansion_as_well():
    puzzle, table = Rubik2x2(), ExactTable(Rubik2x2())
    states = some_states(puzzle, 20)
    parts = DecomposedHeuristic(
        lambda states: table.distance(puzzle.expand(states).reshape(-1, 7)).reshape(-1, 6), lambda s: np.zeros(len(s))
    )
    found = beam(puzzle, states, table.distance, width=5, children_per_state=1, decomposed=parts)
    assert lengths(found) == table.distance(states).tolist()


# Greedy --------------------------------------------------------------------------------------------------------------


def test_greedy_by_policy_takes_the_most_probable_legal_action():
    puzzle, table = Hanoi(4, 3), ExactTable(Hanoi(4, 3))
    states = puzzle.from_index(np.arange(81))
    found = greedy(puzzle, states, policy=lambda s: table.optimal_actions(s) + 2.0 * ~puzzle.legal(s), by="policy")
    assert found.moves == table.solve(states)
    assert found.nodes.tolist() == lengths(found)


def test_greedy_by_policy_takes_counts_of_visits_too():
    puzzle = Hanoi(1, 3)
    found = greedy(puzzle, np.array([[0]], np.uint8), policy=lambda s: np.array([[0, 9, 0, 0, 9, 0]], np.uint32), by="policy")
    assert found.moves == [puzzle.parse("02")]


class Drawn:
    """The same shares of the actions everywhere, as a policy that keeps what it was asked about."""

    def __init__(self, *shares: float) -> None:
        self.shares, self.seen = np.array(shares), []

    def __call__(self, states: np.ndarray) -> np.ndarray:
        self.seen.append(states)
        return np.tile(self.shares, (len(states), 1))


def test_sampled_moves_are_as_frequent_as_the_policy_says():
    puzzle, policy = Rubik3x3(), Drawn(0, 1, 2, 3, 4, 0, 10, 0, 0, 30, 0, 50)
    start = np.repeat(some_states(puzzle, 1), 10_000, axis=0)
    greedy(puzzle, start, policy=policy, rng=np.random.default_rng(1), by="sample", allow_undo=True, max_steps=3)
    for before, after in pairwise(policy.seen):  # nobody gets home in two moves
        made = (puzzle.expand(before) == after[:, None]).all(axis=2)
        assert (made.sum(axis=1) == 1).all()
        np.testing.assert_allclose(made.mean(axis=0), policy.shares / 100, atol=4 * 0.005)
        assert not made[:, policy.shares == 0].any()


@pytest.mark.parametrize("undo", [False, True])
def test_a_sampled_move_is_legal_and_undone_only_if_allowed(undo):
    puzzle, policy = Hanoi(3, 3), Drawn(*[1 / 6] * 6)
    start = np.repeat(puzzle.start[None], 500, axis=0)
    greedy(puzzle, start, policy=policy, rng=np.random.default_rng(0), by="sample", allow_undo=undo, max_steps=3)
    for before, after in pairwise(policy.seen):
        assert ((puzzle.expand(before) == after[:, None]).all(axis=2) & puzzle.legal(before)).any(axis=1).all()
    assert (policy.seen[2] == start).all(axis=1).any() == undo


def test_sampled_moves_come_from_the_seed_and_do_not_end_in_a_circle():
    puzzle, states = Hanoi(2, 3), np.repeat(Hanoi(2, 3).from_index(np.arange(9)), 5, axis=0)
    walk = partial(greedy, puzzle, states, policy=Drawn(*[1 / 6] * 6), allow_undo=True)
    first, same, other = (walk(rng=np.random.default_rng(seed), by="sample") for seed in (3, 3, 4))
    assert first.moves == same.moves and (first.nodes == same.nodes).all() and first.moves != other.moves
    assert first.solved.all() and are_solutions(puzzle, states, first.moves).all()
    assert first.nodes.tolist() == lengths(first) and max(lengths(first)) > 12  # some of the 9 states more than once
    assert not walk(by="policy").solved.all()


def test_greedy_goes_home_even_past_a_better_looking_child():
    puzzle = Rubik2x2()
    found = greedy(puzzle, puzzle.apply(puzzle.goal[None], np.array([5])), lambda s: np.full(len(s), -7.0))
    assert found.moves == [[4]]


@pytest.mark.parametrize("undo", [False, True])
def test_greedy_undoes_a_move_only_if_allowed(undo):
    puzzle = Rubik3x3()
    start, seen = some_states(puzzle, 1), []

    def back_to_start(states):
        seen.append(states)
        return (states != start).sum(axis=1)

    greedy(puzzle, start, back_to_start, allow_undo=undo, max_steps=2)
    assert (seen[1] == start).all(axis=1).any() == undo


def test_greedy_gives_up_in_a_circle_or_avoids_it():
    puzzle, calls = Rubik3x3(), []
    start = some_states(puzzle, 3)
    circling = greedy(puzzle, start, lambda s: calls.append(s) or nothing_known(s))  # U U U U U ...
    assert not circling.solved.any() and len(calls) < 12
    calls.clear()
    greedy(puzzle, start, lambda s: calls.append(s) or nothing_known(s), revisit=False, max_steps=60)
    assert len(calls) == 60
    # A ring 3 4 5 6, and from 6 the way home over 2, which looks bad: one who may go round again never takes it.
    ring = Graph((2, 0), (6, 2), (3, 4), (4, 5), (5, 6), (6, 3))
    from_the_ring = partial(greedy, ring, np.array([[3]], np.uint8), lambda s: np.where(s[:, 0] == 2, 9, 0))
    assert not from_the_ring().solved[0]
    assert ring.format(from_the_ring(revisit=False).moves[0]) == "3-4 4-5 5-6 6-2 2-0"


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 40))
def test_greedy_without_revisits_never_enters_a_state_twice(seed, steps):
    puzzle = Hanoi(4, 3)
    states = some_states(puzzle, 5, seed)
    entered = [[state.tobytes()] for state in states]

    def recording(now):  # a policy sees where each start is, in order, as long as all are on their way
        if len(now) == 5:
            for path, state in zip(entered, now, strict=True):
                path.append(state.tobytes())
        return puzzle.legal(now) / (1.0 + np.arange(6) * noise(now)[:, None])

    greedy(puzzle, states, policy=recording, by="policy", revisit=False, max_steps=steps)
    for path in entered:
        assert len(set(path[1:])) == len(path[1:])


# Every search --------------------------------------------------------------------------------------------------------


@each_search
@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 2**32), radius=st.integers(0, 3))
def test_what_counts_as_solved_is_solved(search, seed, radius):
    for puzzle, states in ((Hanoi(3, 4), some_states(Hanoi(3, 4), 4, seed)), (Rubik2x2(), some_states(Rubik2x2(), 2, seed))):
        budget = Budget(nodes=3000)
        found, again = (found_by(search, puzzle, states, noise, radius, budget) for _ in range(2))
        assert (are_solutions(puzzle, states, found.moves) == found.solved).all()
        assert all(moves == [] for moves, solved in zip(found.moves, found.solved, strict=True) if not solved)
        assert again.moves == found.moves and (again.nodes == found.nodes).all()


@each_search
@pytest.mark.parametrize("name", NAMES)
def test_a_solved_start_needs_nothing(search, name):
    puzzle = puzzle_from_name(name)
    if search == "certified" and not (has_table(puzzle) or isinstance(puzzle, Rubik3x3)):
        with pytest.raises(ValueError, match=f"nothing proves lengths of {name}"):
            found_by(search, puzzle, puzzle.goal[None], noise)
        return
    found = found_by(search, puzzle, np.stack([puzzle.goal, puzzle.goal]), noise)
    assert found.moves == [[], []] and found.solved.all() and not found.nodes.any()
    none = found_by(search, puzzle, puzzle.goal[None][:0], nothing_known)
    assert none.moves == [] and [len(column) for column in none] == [0, 0, 0, 0, 0]


@each_search
def test_unsolved_is_reported_when_the_nodes_are_spent(search):
    puzzle = Rubik3x3()
    found = found_by(search, puzzle, some_states(puzzle, 3), noise, budget=Budget(nodes=500))
    assert not found.solved.any() and found.moves == [[], [], []]
    rounds = 2 if search == "certified" else 1  # it goes both ways
    assert (found.nodes < 500 + rounds * 100 * puzzle.n_actions).all()


@each_search
def test_searches_end_in_time(search):
    puzzle, clock, threads = Rubik3x3(), Clock(0.5), get_num_threads()
    budget = Budget(seconds=30, nodes=10**12, clock=clock)
    options = {"revisit": False} if SEARCHES[search].function is greedy else {}
    set_num_threads(1)  # beams side by side would pass each other's seconds
    found = found_by(search, puzzle, some_states(puzzle, 1), noise, budget=budget, **options)
    set_num_threads(threads)
    assert not found.solved.any()
    assert clock.now < 40 and 30 <= found.seconds[0] < 40


@each_search
def test_children_that_a_policy_makes_are_nodes(search):
    puzzle, asked = Rubik2x2(), []
    states, table = some_states(puzzle, 5), ExactTable(puzzle)

    def policy(states):
        asked.append(len(states))
        return table.optimal_actions(states) + 0.01

    def found(looks_ahead):
        asked.clear()
        agent = SimpleNamespace(puzzle=puzzle, cost_to_go=table.distance, policy=policy, looks_ahead=looks_ahead)
        return make_search(search, agent, NARROW.get(search, {}))(states)

    plain, ahead = found(False), found(True)
    assert ahead.moves == plain.moves
    extra = (ahead.nodes - plain.nodes).sum()
    if SEARCHES[search].defaults.get("leaf") == "rollout":  # a roll-out counts those of its last state too
        assert extra >= puzzle.n_actions * sum(asked) > 0
    else:
        assert extra == puzzle.n_actions * sum(asked)


def test_a_heuristic_of_ones_own_needs_no_more_than_the_search_does():
    puzzle = Rubik2x2()
    start, table = some_states(puzzle, 2), ExactTable(puzzle)
    value = SimpleNamespace(puzzle=puzzle, cost_to_go=table.distance)
    policy = SimpleNamespace(puzzle=puzzle, policy=table.optimal_actions)
    for name in SEARCHES:
        needs_policy = name in ("greedy-policy", "sample-policy")
        if needs_policy:
            with pytest.raises(ValueError, match="policy must be a function of states, got NoneType"):
                make_search(name, value)(start)
        else:
            assert are_solutions(puzzle, start, make_search(name, value)(start).moves).all()
        if SEARCHES[name].function is not greedy:
            with pytest.raises(
                ValueError, match=rf"search {name} needs a function cost_to_go\(states\), which SimpleNamespace"
            ):
                make_search(name, policy)
    with pytest.raises(ValueError, match="policy must return one number per state and action"):
        make_search("greedy-policy", policy)(start)  # true or false are no probabilities


def test_the_readme_lists_every_search_as_the_command_line_does():
    text = (ROOT / "rubiks_gym" / "search" / "README.md").read_text()
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| `")]
    assert [(name, description) for name, description in rows] == [(f"`{n}`", s.description) for n, s in SEARCHES.items()]


@pytest.mark.parametrize(
    "search",
    [bwas, partial(beam, width=10**6), partial(greedy, revisit=False, max_steps=10**6)],
    ids=["bwas", "beam", "greedy"],
)
def test_searches_stay_within_their_memory(search):
    puzzle = Rubik3x3()
    found = search(puzzle, some_states(puzzle, 1), noise, budget=Budget(memory=500_000))
    assert not found.solved[0]
    assert 500 < found.nodes[0] < 500_000  # a node takes tens of bytes, but greedy keeps one child of twelve


def test_a_limit_of_memory_holds_for_all_threads_together():
    puzzle, before, limit = Rubik3x3(), get_num_threads(), 40 * 2**20
    zero, states = lambda states: np.zeros(len(states), np.float32), some_states(puzzle, 2)
    beam(puzzle, states, zero, width=50, max_steps=3)
    set_num_threads(2)
    tracemalloc.start()
    beam(puzzle, states, zero, width=10**7, budget=Budget(nodes=1e9, memory=limit))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    set_num_threads(before)
    assert 0.1 < peak / limit < 1.2


@pytest.mark.parametrize("memory", [200_000, 3_000_000])
def test_running_short_of_shared_memory_changes_no_result(memory):
    puzzle, before = Rubik2x2(), get_num_threads()
    states, rough = some_states(puzzle, 12), rough_heuristic(puzzle)
    found = []
    for threads in (1, 4):
        set_num_threads(threads)
        found.append(beam(puzzle, states, rough, width=3000, budget=Budget(memory=memory)))
    set_num_threads(before)
    assert found[0].moves == found[1].moves and (found[0].nodes == found[1].nodes).all()
    assert found[0].solved.all() == (memory > 10**6)


def test_a_perimeter_that_takes_all_memory_is_named():
    puzzle = Rubik2x2()
    with pytest.raises(ValueError, match="a perimeter of radius 6 leaves nothing of a memory of 100,000 bytes"):
        beam(puzzle, some_states(puzzle, 1), noise, perimeter=Perimeter(puzzle, 6), budget=Budget(memory=100_000))


# The inverse ---------------------------------------------------------------------------------------------------------


def test_both_ways_keeps_the_shorter_solution():
    puzzle = Rubik2x2("htm")
    states = some_states(puzzle, 40)
    search, rough = partial(bwas, weight=0.3, batch=5), rough_heuristic(puzzle)
    own, other = (search(puzzle, start, rough) for start in (states, puzzle.inverse(states)))
    found = both_ways(search, puzzle, states, rough)
    assert found.solved.all() and are_solutions(puzzle, states, found.moves).all()
    assert lengths(found) == np.minimum(lengths(own), lengths(other)).tolist() != lengths(own)
    assert (found.nodes == own.nodes + other.nodes).all()


def test_a_beam_looks_both_ways_for_what_is_shorter_only():
    puzzle = Rubik3x3("htm")
    states, perimeter = puzzle.walk(sample_seeds(np.random.default_rng(3), 12), 6), Perimeter(puzzle, 2)
    search, rough = partial(beam, width=300, perimeter=perimeter), lambda states: (states != puzzle.goal).sum(axis=1)
    own, other = (search(puzzle, start, rough, max_steps=20) for start in (states, puzzle.inverse(states)))
    found = both_ways(beam, puzzle, states, rough, width=300, perimeter=perimeter, max_steps=20)
    each = [np.where(tried.solved, lengths(tried), 99) for tried in (own, other)]
    assert np.where(found.solved, lengths(found), 99).tolist() == np.minimum(*each).tolist() != each[0].tolist()
    assert (found.nodes <= own.nodes + other.nodes).all() and found.nodes.sum() < (own.nodes + other.nodes).sum()


@pytest.mark.parametrize("radius", [0, 2])
def test_a_beam_told_at_most_how_long_a_solution_may_be_finds_none_that_is_longer(radius):
    puzzle = Rubik2x2("htm")
    states, perimeter = some_states(puzzle, 20), Perimeter(puzzle, radius)
    search, rough = partial(beam, width=50, perimeter=perimeter), rough_heuristic(puzzle)
    free = search(puzzle, states, rough)
    for less, solved in ((0, True), (1, False)):
        told = search(puzzle, states, rough, at_most=np.array(lengths(free)) - less)
        away = np.array(lengths(free)) > radius  # what begins inside the perimeter is finished at once
        assert (told.solved == (solved | ~away)).all() and (told.nodes <= free.nodes).all()


def test_both_ways_is_content_with_one_that_is_solved():
    puzzle = Rubik3x3("htm")
    scrambles = [puzzle.parse("R U2 F'"), puzzle.parse("D L2")]
    states = np.stack([puzzle.after(scramble) for scramble in scrambles])
    forwards = [puzzle.inverse_action[scramble[::-1]].tolist() for scramble in scrambles]

    ways = iter([[forwards[0], []], [[], scrambles[1]]])

    def half_blind(puzzle, states):  # solves the first state, and the inverse of the second
        moves = next(ways)
        return Solutions(moves, np.array([bool(m) for m in moves]), np.ones(2, np.int64), np.ones(2), np.zeros(2, np.int64))

    found = both_ways(half_blind, puzzle, states)
    assert found.moves == forwards and found.solved.all() and found.nodes.tolist() == [2, 2]


# Bad input -----------------------------------------------------------------------------------------------------------

CUBE, START = Rubik3x3(), some_states(Rubik3x3(), 2)


@pytest.mark.parametrize(
    ("call", "fault"),
    [
        (lambda: Perimeter(CUBE, -1), "radius must be a whole number of at least 0, got -1"),
        (lambda: Perimeter(CUBE, 1.5), "radius must be a whole number"),
        (lambda: Perimeter(CUBE, 20, most=100_000), "more than 100,000 states; take a radius of at most 4"),
        (lambda: Perimeter(Graph(*[(0, i) for i in range(1, 9)]), 2, most=5), "take a radius of at most 0"),
        (lambda: bwas(CUBE, START[0], noise), r"shape \(B, 20\)"),
        (lambda: beam(CUBE, START.astype(int), noise), "uint8"),
        (lambda: greedy(CUBE, START[:, :7].copy(), noise), r"shape \(B, 20\)"),
        (lambda: bwas(CUBE, CUBE.goal[None, [1, 0, *range(2, 20)]], noise), "swapped pair"),
        (lambda: bwas(CUBE, START, noise, weight=-1), "weight must be a number at least 0, got -1"),
        (lambda: bwas(CUBE, START, noise, weight=float("nan")), "weight"),
        (lambda: bwas(CUBE, START, noise, weight="1"), "weight"),
        (lambda: bwas(CUBE, START, noise, batch=0), "batch must be a whole number of at least 1, got 0"),
        (lambda: bwas(CUBE, START, noise, batch=True), "batch"),
        (lambda: beam(CUBE, START, noise, width=0), "width must be a whole number of at least 1, got 0"),
        (lambda: beam(CUBE, START, noise, max_steps=2.0), "max_steps"),
        (
            lambda: beam(CUBE, START, noise, children_per_state=0),
            "children_per_state must be a whole number of at least 1, got 0",
        ),
        (
            lambda: beam(CUBE, START, noise, decomposed=DecomposedHeuristic(noise, noise)),
            r"first part .* one number per child, shape \(1, 12\)",
        ),
        (
            lambda: beam(CUBE, START, noise, decomposed=DecomposedHeuristic(lambda s: np.full((1, 12), np.inf), noise)),
            "first part .* finite, got inf",
        ),
        (
            lambda: beam(CUBE, START, noise, perimeter=Perimeter(Rubik3x3("htm"), 1)),
            "perimeter must be a Perimeter of rubik3x3-qtm",
        ),
        (lambda: greedy(CUBE, START, noise, perimeter=3), "perimeter must be a Perimeter of rubik3x3-qtm, got 3"),
        (lambda: greedy(CUBE, START, noise, by="luck"), "by must be one of 'value', 'policy', 'sample', got 'luck'"),
        (lambda: greedy(CUBE, START, policy=noise), "cost_to_go must be a function of states, got NoneType"),
        (lambda: greedy(CUBE, START, noise, by="policy"), "policy must be a function of states, got NoneType"),
        (lambda: greedy(CUBE, START, noise, rng=np.random.default_rng(0), by="sample"), "policy must be a function"),
        (lambda: greedy(CUBE, START, policy=noise, by="sample"), "pass rng"),
        (lambda: greedy(CUBE, START, policy=noise, by="policy"), r"\(2, 12\), got float64 \(2,\)"),
        (
            lambda: greedy(CUBE, START, policy=lambda s: np.full((len(s), 12), np.nan), by="policy"),
            "finite and not negative, got nan",
        ),
        (lambda: bwas(CUBE, START, lambda s: np.zeros((len(s), 1))), r"shape \(12,\), got float64 \(12, 1\)"),
        (lambda: beam(CUBE, START, lambda s: np.where(s[:, 0] > 9, np.nan, 1)), r"finite, got nan for \["),
        (lambda: bwas(CUBE, START, lambda s: np.full(len(s), np.inf)), "finite, got inf"),
        (lambda: bwas(CUBE, START, lambda s: np.full(len(s), 1e99)), "finite, got 1e\\+99"),
        (lambda: greedy(CUBE, START, lambda s: ["far"] * len(s)), "one number per state"),
        (lambda: both_ways(bwas, Hanoi(3), some_states(Hanoi(3), 1), noise), "hanoi-3-3 has no inverse"),
        (lambda: both_ways(bwas, CUBE, START[0], noise), r"shape \(B, 20\)"),
    ],
)
def test_bad_input_is_named(call, fault):
    with pytest.raises(ValueError, match=fault):
        call()
