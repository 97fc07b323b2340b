"""Cost-to-go of all children at once: deferred evaluation against the obvious program, partial expansion, DAVI and ADI."""

import heapq
import json
from dataclasses import replace

import numpy as np
import pytest

import agents
from agents.adi.agent import Adi
from agents.adi.config import AdiConfig
from agents.adi.learner import Learner as AdiLearner
from agents.adi.network import NETWORKS
from agents.davi.agent import Davi
from agents.davi.config import PRESETS, DaviConfig
from agents.davi.learner import Learner, child_targets
from agents.davi.network import Architecture
from agents.networks.sequences import child_lengths, sequences
from rubiks_gym.exact import ExactTable
from rubiks_gym.puzzles import Hanoi, Rubik2x2, Rubik3x3, sample_seeds
from rubiks_gym.search import Budget, DecomposedHeuristic, Perimeter, are_solutions, beam, bwas, make_search
from tests.short_runs import davi_options as options
from train.davi import train


def states_of(puzzle, n=50, seed=0):
    return puzzle.random_states(sample_seeds(np.random.default_rng(seed), n))


def of_children(puzzle, cost_to_go):
    """What a function of states says of all children, [B, A]."""
    return lambda states: np.reshape(cost_to_go(puzzle.expand(states).reshape(-1, puzzle.state_size)), (-1, puzzle.n_actions))


def noise(states):
    """Any number from 0 to 6, the same for the same state."""
    return (states.astype(np.int64) @ (np.arange(states.shape[1]) * 7 + 3) % 13 / 2).astype(np.float32)


def not_asked(states):
    raise AssertionError("each child would be asked about by itself")


# Deferred evaluation -----------------------------------------------------------------------------------------------------


def plain_deferred(puzzle, start, child_costs, weight, batch, perimeter):
    """Q* with a heap of children and a dictionary; the moves and the number of states made."""
    g, came, order = {start.tobytes(): 0}, {start.tobytes(): (None, -1)}, {start.tobytes(): 0}
    heap, made, waiting = [], 0, [start.tobytes()]
    while True:
        for key in waiting:
            state = np.frombuffer(key, np.uint8)[None].copy()
            inside = perimeter.distance(state)[0]
            if inside >= 0:
                heapq.heappush(heap, (np.float32(weight * g[key] + inside), float(inside), order[key], puzzle.n_actions, key))
                continue
            costs, last = child_costs(state)[0], came[key][1]
            for action in np.flatnonzero(puzzle.legal(state)[0]).tolist():
                if last < 0 or action != puzzle.inverse_action[last]:
                    f = np.float32(weight * (g[key] + 1) + costs[action])
                    heapq.heappush(heap, (f, float(costs[action]), order[key], action, key))
        taken = [heapq.heappop(heap)[3:] for _ in range(min(batch, len(heap)))]
        for action, key in taken:
            if action == puzzle.n_actions:
                moves, end = [], perimeter.finish(np.frombuffer(key, np.uint8))
                while came[key][0] is not None:
                    moves.append(came[key][1])
                    key = came[key][0]
                return moves[::-1] + end, made
        new, better = [], set()
        for action, key in taken:
            made += 1
            child = puzzle.apply(np.frombuffer(key, np.uint8)[None].copy(), np.array([action]))[0].tobytes()
            if child not in g:
                order[child] = len(order)
                new.append(child)
            elif g[key] + 1 < g[child] and child not in new:
                better.add(child)
            if g[key] + 1 < g.get(child, np.inf):
                g[child], came[child] = g[key] + 1, (key, action)
        waiting = new + sorted(better, key=order.get)


@pytest.mark.parametrize("batch", [1, 7, 100])
@pytest.mark.parametrize("weight", [0, 0.6, 2.5])
@pytest.mark.parametrize(("puzzle", "radius"), [(Hanoi(4, 3), 0), (Rubik2x2("htm"), 0), (Rubik2x2("htm"), 3)], ids=str)
def test_deferred_evaluation_is_the_plain_algorithm_move_by_move(puzzle, radius, weight, batch):
    exact = ExactTable(puzzle)
    rough = of_children(puzzle, lambda states: exact.distance(states) + noise(states))
    perimeter = Perimeter(puzzle, radius)
    states = puzzle.walks(np.arange(5), 5)[:, -1]
    states = states[perimeter.distance(states) < 0]
    found = bwas(puzzle, states, not_asked, weight=weight, batch=batch, child_costs=rough, perimeter=perimeter)
    expected = [plain_deferred(puzzle, state, rough, weight, batch, perimeter) for state in states]
    assert list(zip(found.moves, found.nodes.tolist(), strict=True)) == expected


@pytest.mark.parametrize("radius", [0, 3])
@pytest.mark.parametrize("puzzle", [Rubik2x2(), Hanoi(5, 3)], ids=str)
def test_exact_costs_of_children_make_deferred_evaluation_optimal_in_as_many_states_as_moves(puzzle, radius):
    exact, states = ExactTable(puzzle), states_of(puzzle, 60)
    distances, perimeter = exact.distance(states).astype(int), Perimeter(puzzle, radius)
    for batch in (1, 50):
        found = bwas(
            puzzle, states, not_asked, batch=batch, child_costs=of_children(puzzle, exact.distance), perimeter=perimeter
        )
        assert are_solutions(puzzle, states, found.moves).all()
        assert [len(moves) for moves in found.moves] == distances.tolist()
        if batch == 1 and radius == 0:
            assert (found.nodes == distances).all()


def test_deferred_evaluation_is_optimal_with_admissible_costs_and_a_perimeter():
    puzzle, exact = Rubik2x2("htm"), ExactTable(Rubik2x2("htm"))
    states = puzzle.walks(np.arange(30), 7)[:, -1]
    half = of_children(puzzle, lambda states: exact.distance(states) // 2)
    found = bwas(puzzle, states, not_asked, batch=1, child_costs=half, perimeter=Perimeter(puzzle, 2))
    assert [len(moves) for moves in found.moves] == exact.distance(states).tolist()


def test_deferred_evaluation_asks_once_per_state_made_and_keeps_its_budget():
    puzzle, asked = Rubik3x3(), []
    costs = of_children(puzzle, noise)
    budget = Budget(nodes=5000, memory=2**30)
    found = bwas(puzzle, states_of(puzzle, 1), not_asked, weight=0.1, batch=50,
                 child_costs=lambda s: asked.append(s) or costs(s), budget=budget)  # fmt: skip
    asked = np.concatenate(asked)
    assert not found.solved[0] and 5000 <= found.nodes[0] <= 5050
    assert len(np.unique(asked, axis=0)) > 0.98 * len(asked) and len(asked) <= found.nodes[0] + 1
    small = bwas(puzzle, states_of(puzzle, 1), not_asked, batch=50, child_costs=costs, budget=Budget(memory=10**6))
    assert not small.solved[0] and small.nodes[0] < 10_000  # queued children take memory too


def test_a_goal_that_was_made_is_returned_when_the_budget_ends():
    puzzle = Rubik3x3()
    start = puzzle.apply(puzzle.goal[None], np.array([3]))
    worse_at_home = of_children(puzzle, lambda states: np.where(puzzle.is_solved(states), 0, -99))
    found = bwas(puzzle, start, not_asked, batch=12, child_costs=worse_at_home, budget=Budget(nodes=500))
    assert found.moves == [[2]] and found.nodes[0] >= 500


# Partial expansion -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("puzzle", [Rubik2x2("htm"), Hanoi(5, 3)], ids=str)
def test_partial_expansion_by_child_costs_with_all_children_kept_is_the_plain_beam(puzzle):
    states = puzzle.walks(np.arange(6), 5)[:, -1]
    plain = beam(puzzle, states, noise, width=150)
    parts = DecomposedHeuristic(of_children(puzzle, noise))
    partial = beam(puzzle, states, not_asked, width=150, decomposed=parts, children_per_state=puzzle.n_actions)
    assert plain.solved.any()
    assert partial.moves == plain.moves and partial.nodes.tolist() == plain.nodes.tolist()


def test_partial_expansion_by_exact_child_costs_is_optimal_and_makes_few_children():
    puzzle, exact = Rubik2x2(), ExactTable(Rubik2x2())
    states = states_of(puzzle, 20)
    spread = of_children(puzzle, lambda states: exact.distance(states) + noise(states) / 1000)  # hardly any two are equal
    found = beam(puzzle, states, not_asked, width=5, decomposed=DecomposedHeuristic(spread), children_per_state=2)
    assert [len(moves) for moves in found.moves] == exact.distance(states).tolist()
    assert (found.nodes <= 10 * exact.distance(states) + 12).all()


@pytest.mark.parametrize(
    ("costs", "fault"),
    [
        (lambda s: np.zeros(len(s)), r"child_costs must return one number per child, shape \(1, 12\), got float64 \(1,\)"),
        (lambda s: np.full((len(s), 12), np.nan), "child_costs must be finite, got nan"),
        (7, "child_costs must be a function of states, got int"),
    ],
)
def test_child_costs_that_no_search_can_use_are_refused(costs, fault):
    with pytest.raises(ValueError, match=fault):
        bwas(Rubik3x3(), states_of(Rubik3x3(), 1), noise, child_costs=costs)


# DAVI --------------------------------------------------------------------------------------------------------------------

SMALL = DaviConfig(
    network="windows", scramble="random-state", iterations=150, batch=300, minibatch=100, validation=100, per_action=True,
    learning_rate=3e-3, learning_rate_end=3e-4,
)  # fmt: skip


def test_davi_learns_the_costs_of_all_children_to_zero_error(tmp_path):
    puzzle = Hanoi(3)
    train(replace(options(tmp_path / "run"), puzzle="hanoi-3-3", config=SMALL))
    agent, exact, states = agents.load(tmp_path / "run"), ExactTable(puzzle), puzzle.from_index(np.arange(27))
    legal = puzzle.legal(states)
    assert np.abs(agent.child_costs(states) - of_children(puzzle, exact.distance)(states))[legal].max() < 0.1
    assert np.abs(agent.cost_to_go(states) - exact.distances).max() < 0.1
    assert agent.policy(states)[~legal].max() == 0 and not agent.looks_ahead
    for search in ("bwas", "beam", "greedy", "greedy-policy"):
        found = make_search(search, agent)(states)
        assert [len(moves) for moves in found.moves] == exact.distances.tolist()
    assert (make_search("bwas", agent, {"batch": 1})(states).nodes == exact.distances).all()  # one state made per move


def test_targets_per_action_are_the_costs_of_the_children_the_goals_0():
    puzzle, exact = Rubik2x2(), ExactTable(Rubik2x2())
    states = np.concatenate([states_of(puzzle), puzzle.expand(puzzle.goal[None])[0]])
    costs, solved = child_targets(puzzle, states, lambda s: exact.distance(s) + 5)
    distances = of_children(puzzle, exact.distance)(states)
    assert (costs == np.where(distances == 0, 0, distances + 5)).all() and (solved == (distances == 0)).all()
    assert solved.sum() == 6


def test_the_warm_start_knows_which_moves_lead_back():
    puzzle = Rubik3x3()
    made = sequences(puzzle, np.arange(300), 5)
    found, perimeter = child_lengths(puzzle, made), Perimeter(puzzle, 5)
    children = puzzle.expand(made.states)
    true = perimeter.distance(children.reshape(-1, 20)).reshape(found.shape)
    assert np.isin(found - made.moves[:, None], (-1, 1)).all()
    assert (np.where(true < 0, 6, true) <= found).all()  # lengths are upper bounds
    assert ((children == made.before[:, None]).all(axis=2) <= (found < made.moves[:, None])).all()
    early = made.moves <= 3
    assert (found == true)[early & (perimeter.distance(made.states) == made.moves)].mean() > 0.99
    assert ((found < made.moves[:, None]).sum(axis=1) > 1).mean() > 0.05  # moves that commute


def test_davi_per_action_begins_with_a_warm_start():
    learner = Learner(Rubik2x2(), replace(PRESETS["3x3-per-action"][1], iterations=3, warm_iterations=2, batch=600), 0)
    assert [learner.iterate()["effective_k"] for _ in range(3)] == [26, 26, 26]
    states, goals = learner.sample(100, np.random.default_rng(0), None)
    assert states.shape == (100, 7) and goals.shape == (100, 6)


@pytest.mark.parametrize("cube", [Rubik2x2(), Rubik3x3()], ids=str)
def test_a_symmetric_network_says_of_an_image_what_it_says_of_the_turned_moves(cube):
    agent = Davi(cube, Architecture("pieces", (16, 8), 1, symmetric=True, per_action=True))
    states = states_of(cube, 20)
    images, turned = cube.symmetries(states), cube.symmetric_actions(states)  # [B, 48, S], [B, 48, A]
    costs = agent.answers(states)
    assert costs.std() > 0.01
    for i in (1, 5, 30, 47):
        of_image = agent.answers(np.ascontiguousarray(images[:, i]))
        np.testing.assert_allclose(np.take_along_axis(of_image, turned[:, i], 1), costs, atol=1e-5)


def test_a_symmetric_network_is_fitted_to_the_actions_it_was_asked_about():
    config = DaviConfig(network="symmetric-pairs", per_action=True, iterations=60, batch=500, minibatch=100, validation=2)
    puzzle, rng = Rubik2x2(), np.random.default_rng(0)
    learner = Learner(puzzle, config, 0)
    near = np.concatenate([puzzle.goal[None], puzzle.expand(puzzle.goal[None])[0]])
    goals = of_children(puzzle, ExactTable(puzzle).distance)(near).astype(np.float32)
    for _ in range(150):
        learner.fit(near, goals, rng)
    assert np.abs(learner._read_by(learner.model).answers(near) - goals).max() < 0.3


def test_an_output_per_action_survives_being_stored():
    puzzle = Rubik2x2()
    agent = Davi(puzzle, Architecture("pairs", (8, 8), 1, per_action=True))
    twin = Davi.from_stored(puzzle, json.loads(json.dumps(agent.settings())), agent.arrays())
    states = states_of(puzzle)
    assert twin.child_costs(states).shape == (50, 6) and (twin.child_costs(states) == agent.child_costs(states)).all()
    with pytest.raises(ValueError, match=r"network.out.weight must have shape \(1, 8\), is of shape \(6, 8\)"):
        Davi.from_stored(puzzle, agent.settings() | {"per_action": False}, agent.arrays())
    without = {name: value for name, value in agent.settings().items() if name != "per_action"}  # as older files are
    assert Davi(puzzle, Architecture(**without)).child_costs is None


# ADI ---------------------------------------------------------------------------------------------------------------------


def test_adi_learns_what_every_action_is_worth():
    puzzle = Hanoi(3)
    settings = {"k": 20, "walks": 15, "epochs": 1, "minibatch": 100, "scramble": "random-state", "iterations": 150}
    config = AdiConfig(network="windows", per_action=True, learning_rate=3e-3, learning_rate_end=3e-4, **settings)
    learner = AdiLearner(puzzle, config, 0)
    while learner.done < learner.total:
        learner.iterate()
    agent, exact, states = learner.agent(), ExactTable(puzzle), puzzle.from_index(np.arange(27))
    twin = Adi.from_stored(puzzle, json.loads(json.dumps(agent.settings())), agent.arrays())
    legal, distances = puzzle.legal(states), of_children(puzzle, exact.distance)(states)
    assert np.abs(twin.child_costs(states) - distances)[legal].max() < 0.3
    assert np.abs(twin.cost_to_go(states) - exact.distances).max() < 0.3
    assert [len(moves) for moves in make_search("bwas", twin)(states).moves] == exact.distances.tolist()
    assert Adi(puzzle, NETWORKS["windows"]).child_costs is None


def test_adi_per_action_reads_images_and_has_a_warm_start():
    cube, rng = Rubik2x2(), np.random.default_rng(0)
    config = AdiConfig(network="symmetric-pairs", per_action=True, iterations=3, warm_iterations=2, k=10, walks=26)
    learner = AdiLearner(cube, config, 0)
    samples = learner.sequences_to_undo(rng)
    assert samples.q.shape == (len(samples.x), 6)
    assert (samples.q[np.arange(len(samples.x)), samples.y_p] == samples.y_v).all()  # the move back earns the state's value
    near = np.concatenate([cube.expand(cube.goal[None])[0], cube.goal[None]])
    exact = samples._replace(
        x=near, weight=np.ones(7, np.float32), y_p=np.zeros(7, np.int64), y_v=np.zeros(7, np.float32),
        q=(1 - of_children(cube, ExactTable(cube).distance)(near)).astype(np.float32),
    )  # fmt: skip
    for _ in range(150):
        learner.fit(exact, rng)
    learner.update_target()
    assert np.abs(learner.agent().q(near) - exact.q).max() < 0.3


def test_what_cannot_have_an_output_per_action_is_refused():
    with pytest.raises(ValueError, match="recurrent reads disk after disk and has no output per action"):
        DaviConfig(network="recurrent", per_action=True)
    with pytest.raises(ValueError, match="recurrent networks have no output per action"):
        Davi(Hanoi(3), Architecture("pieces", (4,), 0, recurrent=True, per_action=True))
    with pytest.raises(ValueError, match="per_action must be True or False"):
        DaviConfig(per_action=2)
    with pytest.raises(ValueError, match="symmetric networks are for cubes"):
        Davi(Hanoi(3), Architecture("pieces", (4,), 0, symmetric=True, per_action=True))
