"""ADI: the network by hand, targets by hand, drift and its cure, and that it learns; its runs: see test_loop.py."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

import agents
from agents.adi.agent import Adi
from agents.adi.config import PRESETS, AdiConfig
from agents.adi.learner import Learner, targets
from agents.adi.network import NETWORKS, Architecture, make_network, probabilities, values
from agents.networks.embedding import feature_indices, make_features
from agents.networks.symmetry import canonical, turned_actions
from rubiks_gym.exact import Exact, ExactTable
from rubiks_gym.puzzles import Hanoi, PermutationPuzzle, Rubik2x2, Rubik3x3, puzzle_from_name, sample_seeds
from rubiks_gym.search import Budget, make_search
from tests.short_runs import ADI as SMALL
from tests.short_runs import adi_options as options
from train.adi import train
from train.evaluation import policy_quality
from train.probe import Probe

ROOT = Path(__file__).parent.parent
TINY = Architecture("pairs", (8, 6), 4)
# The papers' loop on a small network: one pass, RMSProp, targets by the network itself.
PAPER = AdiConfig(
    network="deepcube-eighth",
    k=10,
    walks=30,
    epochs=1,
    minibatch=100,
    optimizer="rmsprop",
    learning_rate=5e-4,
    learning_rate_end=5e-4,
    target_update="copy",
    allow_undo=True,
    fix_goal=False,
)


def states_of(puzzle, n=50, seed=0):
    return puzzle.random_states(sample_seeds(np.random.default_rng(seed), n))


# The network -----------------------------------------------------------------------------------------------------------


def test_deepcubes_network_has_the_papers_layers():
    network = make_network(make_features(Rubik3x3(), "pieces"), 12, NETWORKS["deepcube"], 0)
    layers = [(20 * 24, 4096), (4096, 2048), (2048, 512), (2048, 512), (512, 1), (512, 12)]
    assert sum(parameter.numel() for parameter in network.parameters()) == sum((a + 1) * b for a, b in layers)
    assert NETWORKS["deepcube-half"] == Architecture("pieces", (2048, 1024), 256)


def test_forward_is_the_product_with_a_one_hot_vector_and_elus():
    puzzle = Rubik2x2()
    features = make_features(puzzle, "pieces")
    network = make_network(features, 6, Architecture("pieces", (16, 8), 4), 0)
    for bias in (network.first.bias, network.trunk[0].bias, network.value_head.bias, network.policy_out.bias):
        torch.nn.init.normal_(bias, generator=torch.Generator().manual_seed(1))
    states = states_of(puzzle)
    weights = {name: tensor.numpy() for name, tensor in network.state_dict().items()}

    def elu(x):
        return np.where(x > 0, x, np.expm1(x))

    def layer(name, x):
        return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    x = elu(puzzle.one_hot(states).astype(np.float32) @ weights["first.embedding.weight"] + weights["first.bias"])
    x = elu(layer("trunk.0", x))
    value, scores = layer("value_out", elu(layer("value_head", x))), layer("policy_out", elu(layer("policy_head", x)))
    indices = feature_indices(puzzle, features, states)
    np.testing.assert_allclose(values(network, indices), value[:, 0], rtol=1e-4, atol=1e-5)
    policy = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(probabilities(network, indices, np.ones((50, 6), bool)), policy, rtol=1e-4)


def test_weights_begin_as_glorot_says():
    network = make_network(make_features(Rubik3x3(), "pieces"), 12, NETWORKS["deepcube-eighth"], 0)
    for layer, n_in, n_out in ((network.first.embedding, 20, 512), (network.trunk[0], 512, 256), (network.value_head, 256, 64)):
        bound = (6 / (n_in + n_out)) ** 0.5
        assert 0.99 * bound < layer.weight.abs().max() <= bound
        assert layer.weight.var().item() == pytest.approx(2 / (n_in + n_out), rel=0.05)
    assert not network.trunk[0].bias.any()


# The agent -------------------------------------------------------------------------------------------------------------


def test_values_become_moves():
    puzzle, agent = Hanoi(3), Adi(Hanoi(3), TINY)
    states = puzzle.from_index(np.arange(27))
    distance = ExactTable(puzzle).distances.astype(np.float32)
    agent.value = lambda states: 2 - distance  # what +1 for the move that solves and -1 for all others add up to
    assert (agent.cost_to_go(states) == distance).all()
    agent.goal_value = 100.0
    agent.value = lambda states: 102 - distance  # as a network that was trained with a free goal might say
    assert (agent.cost_to_go(states) == distance).all()
    agent.value = lambda states: np.full(27, 200.0, np.float32)
    assert (agent.cost_to_go(states) == (distance > 0)).all()  # at least 1 away from the goal


def test_agent_keeps_the_protocol_and_survives_being_stored():
    for puzzle in (Rubik2x2(), Hanoi(4)):
        agent = Adi(puzzle, TINY, make_network(make_features(puzzle, "pairs"), puzzle.n_actions, TINY, 5), goal_value=0.7)
        states = np.concatenate([states_of(puzzle), puzzle.goal[None]])
        costs, policy = agent.cost_to_go(states), agent.policy(states)
        assert costs.dtype == np.float32 and ((costs >= 1) == ~puzzle.is_solved(states)).all() and costs[-1] == 0
        np.testing.assert_allclose(policy.sum(axis=1), 1, rtol=1e-5)
        assert ((policy > 0) == puzzle.legal(states)).all()
        twin = Adi.from_stored(puzzle, json.loads(json.dumps(agent.settings())), agent.arrays())
        assert (twin.cost_to_go(states) == costs).all() and (twin.policy(states) == policy).all()
        assert agents.describe(agent)["agent"] == "adi"
    with pytest.raises(ValueError, match="network.first.bias must have shape .8,., is missing"):
        Adi.from_stored(puzzle, agent.settings(), {})
    with pytest.raises(ValueError, match="is of shape"):
        Adi.from_stored(puzzle, agent.settings() | {"trunk": [9, 6]}, agent.arrays())


@pytest.mark.parametrize("puzzle", [Rubik2x2(), Rubik3x3()], ids=lambda puzzle: puzzle.name)
def test_a_symmetric_network_says_the_same_of_all_images_with_the_actions_turned(puzzle):
    architecture = Architecture("pieces", (8, 6), 4, symmetric=True)
    agent = Adi(puzzle, architecture, make_network(make_features(puzzle, "pieces"), puzzle.n_actions, architecture, 5))
    states = puzzle.walk(sample_seeds(np.random.default_rng(0), 30), np.full(30, 9))
    images, actions = puzzle.symmetries(states), puzzle.symmetric_actions(states)
    alone = [len(np.unique(of_one, axis=0)) == 48 for of_one in images]  # no symmetry of its own: actions have one image each
    assert sum(alone) > 10
    for m in (1, 17, 30, 47):
        np.testing.assert_allclose(agent.value(images[:, m]), agent.value(states), rtol=1e-5)
        turned = np.take_along_axis(agent.policy(images[:, m]), actions[:, m], axis=1)
        np.testing.assert_allclose(turned[alone], agent.policy(states)[alone], rtol=1e-4)
    assert agent.value(states).std() > 0.01 and agent.policy(states).std() > 0.01
    twin = Adi.from_stored(puzzle, json.loads(json.dumps(agent.settings())), agent.arrays())
    assert (twin.policy(states) == agent.policy(states)).all()


def test_the_canonical_representative_is_the_lowest_image():
    for cube in (Rubik2x2(), Rubik3x3()):
        states = states_of(cube)
        representatives, which = canonical(cube, states)
        images = [[tuple(image) for image in of_one] for of_one in cube.symmetries(states).tolist()]
        assert [tuple(row) for row in representatives.tolist()] == [min(of_one) for of_one in images]
        assert which.tolist() == [of_one.index(min(of_one)) for of_one in images]


def test_what_a_symmetric_network_is_taught_leads_to_an_image_of_the_same_child():
    cube = Rubik2x2()
    learner = Learner(cube, replace(SMALL, network="symmetric-pairs"), 0)
    samples = learner.samples(np.random.default_rng(0))
    read, which = canonical(cube, samples.x)
    best = turned_actions(cube, samples.x, which)[np.arange(len(read)), samples.y_p]
    there, here = cube.apply(read, best), cube.apply(samples.x, samples.y_p)
    assert (canonical(cube, there)[0] == canonical(cube, here)[0]).all() and (read != samples.x).any()
    assert len(np.unique(canonical(cube, cube.symmetries(samples.x[:1])[0])[0], axis=0)) == 1
    taught = []
    learner.model.register_forward_hook(lambda model, given, said: taught.append((given[0], said[1])))
    learner.config = replace(learner.config, epochs=1, minibatch=len(read))
    loss = learner.fit(samples, np.random.default_rng(0))["policy_loss"]
    order = np.random.default_rng(0).permutation(len(read))
    (indices, scores), *_ = taught
    assert (indices.numpy() == feature_indices(cube, make_features(cube, "pairs"), read[order])).all()
    assert loss == pytest.approx(torch.nn.functional.cross_entropy(scores, torch.from_numpy(best[order])).item(), rel=1e-4)
    with pytest.raises(ValueError, match="symmetric networks are for cubes"):
        Learner(Hanoi(3), replace(SMALL, network="symmetric-pairs"), 0)


# Targets ---------------------------------------------------------------------------------------------------------------


def made_up(states):
    return (10 - 3.0 * states[:, 0] - states[:, 1]).astype(np.float32)  # v; a state is (peg of the small disk, of the large)


def test_targets_by_hand_on_two_disks():
    puzzle, seen = Hanoi(2), []

    def v(states):
        seen.append(len(states))
        assert len(np.unique(states, axis=0)) == len(states), "a state is evaluated once"
        return made_up(states)

    x = np.array([[2, 2], [1, 2], [0, 2], [0, 0], [1, 0], [2, 1], [1, 0]], np.uint8)
    fixed = [
        0,  # the goal
        max(1 + 0, -1 + 8, -1 + 7),  # to the goal, which is worth 0, to (0, 2), and the large disk to (1, 0)
        max(1 + 0, -1 + 5, -1 + 9),  # to the goal, to (1, 2), and the large disk to (0, 1)
        -1 + max(10 - 3, 10 - 6),  # on one peg only the small disk can move, to (1, 0) or (2, 0)
        -1 + max(10, 10 - 6, 10 - 3 - 2),  # to (0, 0), (2, 0), and the large disk to (1, 2)
        -1 + max(10 - 1, 10 - 3 - 1, 10 - 6),  # to (0, 1), (1, 1), and the large disk to (2, 0)
        -1 + 10,
    ]
    y_v, y_p, _ = targets(puzzle, x, v)
    assert y_v.tolist() == fixed and y_v.dtype == np.float32 and len(seen) == 1
    best = puzzle.apply(x, y_p)[1:]
    assert best.tolist() == [[0, 2], [0, 1], [1, 0], [0, 0], [0, 1], [0, 0]]
    # Literally: the goal is worth 10 - 6 - 2 = 2 as a child, and its own children count when it is a sample.
    literal = targets(puzzle, x, v, fix_goal=False)[0]
    assert literal.tolist() == [-1 + 8, max(1 + 2, 7, 6), max(1 + 2, 4, 8), *fixed[3:]]


def test_deeper_targets_are_targets_of_targets():
    puzzle = Hanoi(2)
    x = puzzle.from_index(np.arange(9))
    for fix_goal in (True, False):
        once = targets(puzzle, x, made_up, fix_goal)[0]
        twice = targets(puzzle, x, lambda states, once=once: once[puzzle.index(states)], fix_goal)
        deep = targets(puzzle, x, made_up, fix_goal, depth=2)
        assert (deep[0] == twice[0]).all() and (deep[1] == twice[1]).all()
    assert (targets(puzzle, x, made_up)[0] != targets(puzzle, x, made_up, depth=2)[0]).any()


def test_true_values_are_the_fixed_point_and_lead_home():
    for puzzle in (Rubik2x2(), Hanoi(5, 4)):
        exact, x = ExactTable(puzzle), states_of(puzzle, 500)
        x = x[~puzzle.is_solved(x)]
        y_v, y_p, _ = targets(puzzle, x, lambda states, exact=exact: np.float32(2) - exact.distance(states))  # 2 at the goal
        assert (y_v == 2.0 - exact.distance(x)).all()
        assert (exact.distance(puzzle.apply(x, y_p)) == exact.distance(x) - 1).all()


def test_literal_targets_hold_for_any_constant_and_those_of_a_fixed_goal_do_not():
    puzzle = Rubik2x2()
    x = np.concatenate([states_of(puzzle), puzzle.expand(puzzle.goal[None])[0], puzzle.goal[None]])
    exact = ExactTable(puzzle)

    def v(states, constant=0):
        return (constant + 2.0 - exact.distance(states) - 2 * puzzle.is_solved(states)).astype(np.float32)  # 0 at the goal

    for constant in (0, 5, -3):
        assert (targets(puzzle, x, lambda s, c=constant: v(s, c), fix_goal=False)[0] == v(x, constant)).all()
        holds = targets(puzzle, x, lambda s, c=constant: v(s, c))[0] == v(x, constant)
        assert holds.all() if constant == 0 else not holds[-7:].any()


# The learner -----------------------------------------------------------------------------------------------------------


def test_weights_are_one_over_depth_when_switched_on():
    x = {}
    for weighted in (True, False):
        learner = Learner(Hanoi(3), replace(SMALL, weighted=weighted, epochs=1, minibatch=400), 0)
        samples = learner.samples(np.random.default_rng(0))
        depth = np.tile(np.arange(1, 21), 20)
        np.testing.assert_allclose(samples.weight, 1 / depth if weighted else np.ones(400))
        features = make_features(Hanoi(3), "windows")
        v, p = learner.model(torch.from_numpy(feature_indices(Hanoi(3), features, samples.x)))
        weight = torch.from_numpy(samples.weight)
        value_loss = (weight * (v - torch.from_numpy(samples.y_v)) ** 2).mean()
        policy_loss = -(weight * torch.log_softmax(p, dim=1)[torch.arange(400), torch.from_numpy(samples.y_p)]).mean()
        slopes = torch.autograd.grad(
            value_loss + policy_loss, [learner.model.value_out.weight, learner.model.policy_out.weight]
        )
        found = learner.fit(samples, np.random.default_rng(0))  # one step, so losses are those of the first weights
        assert found["value_loss"] == pytest.approx(value_loss.item(), rel=1e-4)
        assert found["policy_loss"] == pytest.approx(policy_loss.item(), rel=1e-4)
        torch.testing.assert_close(learner.model.value_out.weight.grad, slopes[0], rtol=1e-3, atol=1e-5)
        torch.testing.assert_close(learner.model.policy_out.weight.grad, slopes[1], rtol=1e-3, atol=1e-5)
        x[weighted] = samples.x
    assert (x[True] == x[False]).all()


def test_values_drift_away_literally_and_with_weights_but_not_with_a_fixed_goal():
    puzzle, drift, errors = Hanoi(3), {}, {}
    for name, settings in {"literal": {}, "weighted": {"weighted": True}, "fixed": {"fix_goal": True}}.items():
        learner = Learner(puzzle, replace(PAPER, iterations=100, **settings), 0)
        found = [learner.iterate() for _ in range(100)]
        drift[name] = found[-1]["target"]
        assert (found[-1]["goal_value"] > 30) == (name != "fixed")
        errors[name] = Probe(puzzle).errors(learner.agent().cost_to_go)["error"]
    assert drift["literal"] > 50 and drift["weighted"] > 30 and abs(drift["fixed"]) < 4
    assert max(errors.values()) < 3  # the constant is taken off again: the order of states is not lost


@pytest.mark.parametrize("settings", [{}, {"weighted": True}, {"optimizer": "rmsprop", "target_update": "copy"}, {"depth": 2}])
def test_learns_three_disks(settings):
    config = replace(
        SMALL,
        iterations=120,
        k=30,
        walks=10,
        minibatch=100,
        ema_decay=0.9,
        learning_rate=3e-3,
        learning_rate_end=3e-4,
        **settings,
    )
    learner = Learner(Hanoi(3), config, 0)
    while learner.done < config.iterations:
        learner.iterate()
    agent = learner.agent()
    error = np.abs(agent.cost_to_go(Hanoi(3).from_index(np.arange(27))) - ExactTable(Hanoi(3)).distances)
    assert error.mean() < 0.25
    found = policy_quality(agent)
    assert found["greedy_solved"] == 1 and found["optimal"] > 0.9


def test_the_target_network_follows_as_asked():
    learner = Learner(Hanoi(4), replace(SMALL, target_update="copy", copy_every=2), 0)
    first = learner.target.first.bias.clone()
    learner.iterate()
    assert (learner.target.first.bias == first).all() and (learner.model.first.bias != first).any()
    learner.iterate()
    assert (learner.target.first.bias == learner.model.first.bias).all()
    learner = Learner(Hanoi(4), replace(SMALL, epochs=1, minibatch=400, ema_decay=0.9), 0)
    learner.iterate()  # one step
    torch.testing.assert_close(learner.target.first.bias, 0.9 * first + 0.1 * learner.model.first.bias)


def test_warm_start_learns_to_undo_sequences_then_adi_begins():
    cube = Rubik3x3()
    learner = Learner(
        cube, replace(SMALL, network="pieces", k=6, walks=100, warm_iterations=12, warm_k=6, learning_rate=2e-3), 0
    )
    samples = learner.sequences_to_undo(np.random.default_rng(0))
    assert samples.y_v[:7].tolist() == [1, 0, -1, -2, -3, -4, 1]
    back = cube.apply(samples.x, samples.y_p)
    starts = np.arange(600) % 6 == 0
    assert cube.is_solved(back[starts]).all() and (back[~starts] == samples.x[:-1][~starts[1:]]).all()
    found = [learner.iterate() for _ in range(12)]
    assert found[-1]["value_loss"] < found[0]["value_loss"] / 2 and found[-1]["policy_loss"] < found[0]["policy_loss"]
    assert (learner.target.first.bias == learner.model.first.bias).all()
    learner.iterate()
    assert (learner.target.first.bias != learner.model.first.bias).any()


# Runs ------------------------------------------------------------------------------------------------------------------


def test_every_search_runs_on_it(tmp_path):
    agent = train(options(tmp_path / "run", puzzle="hanoi-3-3", iterations=60, learning_rate=3e-3))
    states = Hanoi(3).from_index(np.arange(27))
    for name in (
        "greedy",
        "greedy-policy",
        "bwas",
        "beam",
        "mcts",
        "mcts-deepcube",
        "mcts-betacube-vanilla",
        "mcts-betacube-full",
    ):
        found = make_search(name, agent, budget=Budget(nodes=20_000))(states)
        assert found.solved.mean() > 0.8, name


# What is reported ------------------------------------------------------------------------------------------------------


def test_policy_quality_of_true_distances_and_of_a_policy_that_goes_in_circles():
    for puzzle in (Hanoi(3), PermutationPuzzle("rings", [[1, 2, 3, 0, 4, 5], [0, 1, 3, 4, 5, 2]], ["A", "B"])):
        found = policy_quality(Exact(puzzle))
        assert found["optimal"] == found["greedy_solved"] == found["greedy_without_undo_solved"] == 1
        assert found["optimal_by_distance"] == [1.0] * int(ExactTable(puzzle).distances.max())
    agent = Exact(Hanoi(2))
    agent.policy = lambda states: Hanoi(2).legal(states) * np.arange(6, 0, -1.0)  # always the first legal action
    found = policy_quality(agent)
    assert found["greedy_solved"] < 1 and found["optimal"] < 1


# Settings --------------------------------------------------------------------------------------------------------------


def test_presets_fit_their_puzzles():
    for puzzle, config, _ in PRESETS.values():
        make_features(puzzle_from_name(puzzle), NETWORKS[config.network].input)
        assert config.warm_iterations < config.iterations
    literal, weighted, fixed, both = (
        PRESETS[f"2x2-{name}"].config for name in ("literal", "weighted", "fixed-goal", "fixed-goal-weighted")
    )
    assert weighted == replace(literal, weighted=True) and fixed == replace(literal, fix_goal=True)
    assert both == replace(literal, fix_goal=True, weighted=True)
    assert not literal.fix_goal and literal.optimizer == "rmsprop" and literal.target_update == "copy"


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({"network": "resnet"}, "network must be one of 'deepcube', "),
        ({"walks": 0}, "walks must be a whole number from 1 to"),
        ({"depth": 0}, "depth must be a whole number from 1 to"),
        ({"warm_iterations": -1}, "warm_iterations must be a whole number of at least 0"),
        ({"learning_rate": 0}, "learning_rate must be a number above 0"),
        ({"ema_decay": 1.0}, "ema_decay must be a number at least 0 and below 1"),
        ({"target_update": "never"}, "target_update must be one of 'copy', 'ema'"),
        ({"optimizer": "sgd"}, "optimizer must be one of 'adam', 'rmsprop'"),
        ({"scramble": "fixed"}, "scramble must be one of 'deepcube', 'random-state'"),
        ({"weighted": True, "scramble": "random-state"}, "random states have none"),
    ],
)
def test_bad_settings_are_refused_by_name(settings, fault):
    with pytest.raises(ValueError, match=fault):
        AdiConfig(**settings)


def test_what_cannot_be_trained_is_refused(tmp_path):
    with pytest.raises(ValueError, match="too many for an embedding each"):
        train(options(tmp_path / "big", puzzle="rubik3x3-qtm"))
    with pytest.raises(ValueError, match="--probe-every must be a whole number of at least 0"):
        train(replace(options(tmp_path / "run"), probe_every=-1))
    assert not (tmp_path / "run").exists()


def test_separate_networks_share_nothing_and_joint_ones_the_trunk():
    puzzle = Rubik2x2()
    features = make_features(puzzle, "pieces")
    states = puzzle.random_states(sample_seeds(np.random.default_rng(0), 20))
    indices = torch.from_numpy(feature_indices(puzzle, features, states))
    for joint in (True, False):
        network = make_network(features, puzzle.n_actions, Architecture("pieces", (16, 8), 4, joint=joint), 0)
        v, p = (out.detach().clone() for out in network(indices))
        with torch.no_grad():
            network.trunk[0].weight += 1.0
        after_v, after_p = network(indices)
        assert not torch.equal(after_v, v) and torch.equal(after_p, p) != joint
        assert torch.equal(network.policy(network.for_policy(indices)), after_p)
