"""DAVI: the network against the one-hot product, targets by hand, and that it learns; its runs: see test_loop.py."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

import agents
from agents.davi.agent import Davi
from agents.davi.config import PRESETS, DaviConfig
from agents.davi.learner import Learner, targets, towers
from agents.davi.network import NETWORKS, Architecture, evaluate, folded, make_network, read_by
from agents.networks.embedding import INPUTS, feature_indices, make_features
from rubiks_gym.exact import ExactTable
from rubiks_gym.puzzles import Hanoi, Rubik2x2, Rubik3x3, puzzle_from_name, sample_seeds
from rubiks_gym.search import Budget, make_search
from tests.short_runs import DAVI as SMALL
from tests.short_runs import davi_options as options
from tests.short_runs import lines
from train.davi import NetworkOptions, train
from train.evaluation import heuristic_quality
from train.probe import Probe
from train.runs import RunOptions

ROOT = Path(__file__).parent.parent


def states_of(puzzle, n=50, seed=0):
    return puzzle.random_states(sample_seeds(np.random.default_rng(seed), n))


# The network -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("puzzle", [Rubik2x2(), Rubik3x3(), Hanoi(7), Hanoi(3, 4)], ids=lambda puzzle: puzzle.name)
@pytest.mark.parametrize("name", INPUTS)
def test_the_sum_of_embeddings_is_the_product_with_a_one_hot_vector(puzzle, name):
    if (name, puzzle.name) in (("triples", "rubik3x3-qtm"), ("windows", "rubik3x3-qtm"), ("windows", "rubik2x2-qtm")):
        with pytest.raises(ValueError, match="too many for an embedding each"):
            make_features(puzzle, name)
        return
    if name == "neighbours" and puzzle.name != "rubik3x3-qtm":
        with pytest.raises(ValueError, match="'neighbours' is for the 3x3x3"):
            make_features(puzzle, name)
        return
    features, states = make_features(puzzle, name), states_of(puzzle)
    indices = feature_indices(puzzle, features, states)
    assert indices.shape == (50, len(features.offset)) and indices.min() >= 0 and indices.max() < features.total
    one_hot = torch.zeros(50, features.total)
    one_hot.scatter_(1, torch.from_numpy(indices), 1.0)
    assert (one_hot.sum(dim=1) == len(features.offset)).all()  # no two features fall together
    network = make_network(features, puzzle.n_actions, Architecture(name, (8, 4), 1), 0)
    torch.nn.init.normal_(network.first.bias)
    product = one_hot @ network.first.embedding.weight + network.first.bias
    torch.testing.assert_close(network.first(torch.from_numpy(indices)), product)
    assert len(np.unique(indices, axis=0)) == len(np.unique(states, axis=0))  # different states look different


def test_pieces_and_stickers_are_the_puzzles_own_one_hot_forms():
    cube, states = Rubik3x3(), states_of(Rubik3x3())
    indices = feature_indices(cube, make_features(cube, "pieces"), states)
    one_hot = np.zeros((50, 480), np.uint8)
    np.put_along_axis(one_hot, indices, 1, axis=1)
    assert (one_hot == cube.one_hot(states)).all()
    assert (feature_indices(cube, make_features(cube, "stickers"), states) % 6 == cube.stickers(states)).all()
    pair = make_features(cube, "pairs")
    assert len(pair.offset) == 190 and pair.total == 190 * 24**2


@pytest.mark.parametrize(
    ("name", "weights"),
    [
        ("DNN_0", 13_763_001),
        ("DNN_noBatchNorm", 13_735_001),
        ("DNN_reduced_0", 6_698_601),
        ("DNN_reduced_0_noBatchNorm", 6_681_401),
    ],
)
def test_the_thesiss_networks_have_its_numbers_of_weights(name, weights):
    network = make_network(make_features(Rubik2x2(), "stickers"), 6, NETWORKS[name], 0)
    assert sum(parameter.numel() for parameter in network.parameters()) == weights


@pytest.mark.parametrize("blocks", [0, 2])
def test_folded_batch_norm_answers_as_the_network_does_in_evaluation_mode(blocks):
    puzzle, architecture = Hanoi(5), Architecture("pieces", (16, 8), blocks, True)
    features = make_features(puzzle, "pieces")
    network = make_network(features, puzzle.n_actions, architecture, 0)
    indices = feature_indices(puzzle, features, states_of(puzzle, 200))
    for parameter in network.parameters():  # anything but 1 and 0 in the normalisation
        torch.nn.init.normal_(parameter, std=0.5, generator=torch.Generator().manual_seed(1))
    for _ in range(20):
        network(torch.from_numpy(indices))  # statistics
    plain = folded(network)
    assert not any(isinstance(layer, torch.nn.BatchNorm1d) for layer in plain.modules())
    expected = evaluate(network.eval(), indices)
    assert expected.std() > 0.1
    np.testing.assert_allclose(evaluate(plain, indices), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("cube", [Rubik2x2(), Rubik2x2("htm"), Rubik3x3()], ids=lambda cube: cube.name)
def test_a_symmetric_network_says_the_same_of_a_whole_symmetry_class(cube):
    states = states_of(cube, 20)
    whole = np.concatenate([cube.symmetries(states), cube.symmetries(cube.inverse(states))], axis=1)  # [20, 96, S]
    for symmetric in (True, False):
        agent = Davi(cube, Architecture("pairs", (8, 8), 1, symmetric=symmetric))
        agent.network.out.bias.data += 5  # above 1, where costs are cut off
        costs = agent.cost_to_go(whole.reshape(-1, cube.state_size)).reshape(20, 96)
        assert (np.ptp(costs, axis=1) < 1e-4).all() == symmetric
        twin = Davi.from_stored(cube, json.loads(json.dumps(agent.settings())), agent.arrays())
        assert (twin.cost_to_go(states) == agent.cost_to_go(states)).all()
    with pytest.raises(ValueError, match="symmetric networks are for cubes"):
        make_features(Hanoi(3), "pieces", symmetric=True)


# The agent -------------------------------------------------------------------------------------------------------------


def test_agent_keeps_the_protocol_and_survives_being_stored(rng):
    puzzle = Rubik2x2()
    agent = Davi(
        puzzle,
        Architecture("pairs", (8, 8), 1),
        make_network(make_features(puzzle, "pairs"), 6, Architecture("pairs", (8, 8), 1), 5),
    )
    states = np.concatenate([states_of(puzzle), puzzle.goal[None]])
    costs, policy = agent.cost_to_go(states), agent.policy(states)
    assert costs.dtype == np.float32 and costs[-1] == 0 and (costs[:-1] >= 1).all()
    np.testing.assert_allclose(policy.sum(axis=1), 1)
    twin = Davi.from_stored(puzzle, json.loads(json.dumps(agent.settings())), agent.arrays())
    assert (twin.cost_to_go(states) == costs).all()
    assert agents.describe(agent)["agent"] == "davi"
    with pytest.raises(ValueError, match="network.first.bias must have shape .8,., is missing"):
        Davi.from_stored(puzzle, agent.settings(), {})
    with pytest.raises(ValueError, match="is of shape"):
        Davi.from_stored(puzzle, agent.settings() | {"first": [9, 8]}, agent.arrays())


def test_a_network_for_many_disks_solves_fewer_by_mapping():
    whole = Hanoi(5)
    exact = ExactTable(whole)
    agent = Davi(whole, Architecture("pieces", (4,), 0))
    agent.cost_to_go = exact.distance  # as if it had learnt everything
    for disks in range(1, 6):
        fewer = agent.fewer_disks(disks)
        states = fewer.puzzle.from_index(np.arange(3**disks))
        assert (fewer.cost_to_go(states) == ExactTable(fewer.puzzle).distances).all()
        found = make_search("bwas", fewer, {"weight": 0.7, "batch": 7})(fewer.puzzle.start[None])
        assert len(found.moves[0]) == 2**disks - 1
    with pytest.raises(ValueError, match="solves 1 to 5 disks, not 6"):
        agent.fewer_disks(6)
    with pytest.raises(ValueError, match="only towers of Hanoi"):
        Davi(Rubik2x2(), Architecture("pieces", (4,), 0)).fewer_disks(2)


# The learner -----------------------------------------------------------------------------------------------------------


def test_targets_by_hand_on_two_disks():
    puzzle, seen = Hanoi(2), []

    def cost_to_go(states):
        seen.append(len(states))
        assert len(np.unique(states, axis=0)) == len(states), "a state is evaluated once"
        costs = 10 + 3.0 * states[:, 0] + states[:, 1]  # J_k, made up; the state is (peg of the small disk, of the large)
        costs[puzzle.is_solved(states)] = 0
        return costs.astype(np.float32)

    states = np.array([[2, 2], [1, 2], [0, 2], [0, 0], [1, 0], [2, 1], [1, 0]], np.uint8)
    by_hand = [
        0,  # the goal
        1,  # one move from it
        1,
        1 + min(10 + 3 * 1 + 0, 10 + 3 * 2 + 0),  # on one peg only the small disk can move, to (1, 0) or (2, 0)
        1 + min(10 + 0, 10 + 6 + 0, 10 + 3 + 2),  # to (0, 0), (2, 0), and the large disk to (1, 2)
        1 + min(10 + 0 + 1, 10 + 3 + 1, 10 + 6 + 0),  # to (0, 1), (1, 1), and the large disk to (2, 0)
        1 + 10,
    ]
    assert targets(puzzle, states, cost_to_go).tolist() == by_hand
    assert len(seen) == 1


def test_targets_of_an_exact_cost_to_go_are_the_distances():
    cube = Rubik2x2()
    for puzzle in (Hanoi(5, 4), cube):
        exact, states = ExactTable(puzzle), states_of(puzzle, 500)
        assert (targets(puzzle, states, exact.distance) == exact.distance(states)).all()
    assert (targets(cube, states, exact.distance, symmetric=True) == exact.distance(states)).all()


def test_targets_look_ahead_as_far_as_asked():
    puzzle = Hanoi(4)
    states, exact = puzzle.from_index(np.arange(81)), ExactTable(puzzle).distances

    def nothing(states):  # knows the goal only
        return np.where(puzzle.is_solved(states), np.float32(0), np.float32(1))

    for depth in (1, 2, 5):
        assert targets(puzzle, states, nothing, depth=depth).tolist() == np.minimum(exact, depth + 1).tolist()


def test_without_the_clamp_targets_are_what_the_network_says_but_1_next_to_the_goal():
    puzzle = Hanoi(3)
    learner = Learner(puzzle, replace(SMALL, clamp=False), 0)
    with torch.no_grad():
        learner.target.out.bias -= 30  # everything far below 0
    states = puzzle.from_index(np.arange(27))
    exact, found = ExactTable(puzzle).distances, targets(puzzle, states, learner.cost_to_go())
    assert (found[exact <= 1] == exact[exact <= 1]).all() and (found[exact > 2] < -20).all()
    clamped = Learner(puzzle, SMALL, 0)
    clamped.target.load_state_dict(learner.target.state_dict())
    assert (targets(puzzle, states, clamped.cost_to_go()) == np.minimum(exact, 2)).all()


def test_towers_have_their_largest_disks_home():
    states = towers(Hanoi(6), 3000, 4, np.random.default_rng(0))
    assert (states[:, 4:] == 2).all() and (states[:, 3] != 2).mean() == pytest.approx(2 / 3 / 4, abs=0.03)
    assert (states[:, 0] != 2).mean() == pytest.approx(2 / 3, abs=0.03)
    learner = Learner(Hanoi(4), replace(SMALL, network="recurrent", scramble="disks", epsilon=1e9, offset=1), 0)
    assert [learner.iterate()["effective_k"] for _ in range(4)] == [2, 3, 4, 4]
    with pytest.raises(ValueError, match="rubik2x2-qtm has no disks"):
        Learner(Rubik2x2(), replace(SMALL, network="pieces", scramble="disks"), 0)


def test_relative_errors_count_less_where_the_way_is_long():
    learner = Learner(Hanoi(3), replace(SMALL, relative=True), 0)
    states, goals = Hanoi(3).from_index(np.arange(27)), np.linspace(0, 99, 27, dtype=np.float32)
    said = evaluate(folded(learner.model), feature_indices(Hanoi(3), learner.features, states))
    assert learner.loss(states, goals) == pytest.approx(float(((said - goals) ** 2 / (1 + goals)).mean()), rel=1e-5)


def test_a_recurrent_network_that_has_learnt_four_disks_knows_much_of_five():
    learner = Learner(Hanoi(4), replace(PRESETS["hanoi-10-3"][1], iterations=200, depth=4), 0)
    while learner.done < learner.total:
        learner.iterate()
    agent = learner.agent()
    twin = Davi.from_stored(Hanoi(4), json.loads(json.dumps(agent.settings())), agent.arrays())
    for disks, most in ((3, 0), (4, 0.05), (5, 2.0)):  # of 20.7 moves on average
        puzzle = Hanoi(disks)
        costs = twin.more_disks(disks).cost_to_go(puzzle.from_index(np.arange(puzzle.n_states)))
        assert (costs == np.rint(costs)).all() and np.abs(costs - ExactTable(puzzle).distances).mean() <= most
    with pytest.raises(ValueError, match="only a recurrent network"):
        Davi(Hanoi(3), Architecture("pieces", (4,), 0)).more_disks(4)
    with pytest.raises(ValueError, match="which rubik2x2-qtm does not have"):
        Davi(Rubik2x2(), NETWORKS["recurrent"])


def test_learns_three_disks_to_zero_error(tmp_path):
    config = replace(SMALL, iterations=150, batch=300, minibatch=100, learning_rate=3e-3, learning_rate_end=3e-4)
    agent = train(NetworkOptions(run=RunOptions(tmp_path / "run"), puzzle="hanoi-3-3", config=config, probe_every=25))
    assert np.abs(agent.cost_to_go(Hanoi(3).from_index(np.arange(27))) - ExactTable(Hanoi(3)).distances).max() < 0.1
    quality = heuristic_quality(agent)
    assert quality["greedy_solved"] == 1
    rows = lines(tmp_path / "run")
    assert rows[-1]["error"] < 0.05 and {f"error at {d}" for d in range(8)} <= set(rows[-1])
    assert (tmp_path / "run" / "learning.png").stat().st_size > 1000


@pytest.mark.parametrize(
    "settings",
    [
        {"target_update": "states", "target_states": 600},
        {"target_update": "threshold", "scramble": "adaptive", "epsilon": 0.02},
    ],
)
def test_other_target_updates_learn_too(settings):
    learner = Learner(
        Hanoi(3), replace(SMALL, k_max=60, offset=3, learning_rate=3e-3, learning_rate_end=1e-3, iterations=120, **settings), 0
    )
    while learner.done < learner.config.iterations:
        learner.iterate()
    exact = ExactTable(Hanoi(3))
    assert learner.points >= 7  # as many as the greatest distance: value iteration moves out one step at a time
    errors = np.abs(learner.agent().cost_to_go(Hanoi(3).from_index(np.arange(27))) - exact.distances)
    assert errors.max() < 1 and errors[exact.distances <= 3].max() < 0.5


def test_threshold_copies_to_the_target_network_below_epsilon_and_only_when_checked():
    learner = Learner(
        Hanoi(4), replace(SMALL, target_update="threshold", check_every=3, epsilon=1e-9, scramble="adaptive", k_max=9), 0
    )
    first = learner.target.out.weight.clone()
    metrics = [learner.iterate() for _ in range(6)]
    assert ["validation_loss" in row for row in metrics] == [False, False, True] * 2
    assert learner.points == 0 and (learner.target.out.weight == first).all() and metrics[-1]["effective_k"] == 2
    learner.converge(1e-10)
    assert learner.points == 1 and (learner.target.out.weight == learner.model.out.weight).all()
    assert learner.effective_k == 3 and learner.since_update == 0
    learner.converge(1e-9)  # not below
    assert learner.points == 1


def test_states_counts_states_and_ema_follows_every_step():
    learner = Learner(Hanoi(4), replace(SMALL, target_update="states", target_states=1500), 0)
    assert [learner.iterate()["convergence_points"] for _ in range(6)] == [0, 0, 1, 1, 1, 2]
    learner = Learner(Hanoi(4), replace(SMALL, batch=200, epochs=1, ema_decay=0.9), 0)
    before = learner.target.first.bias.clone()
    learner.iterate()  # one step
    torch.testing.assert_close(learner.target.first.bias, 0.9 * before + 0.1 * learner.model.first.bias)


def test_the_moving_average_becomes_slower_towards_the_end():
    slower = replace(SMALL, batch=200, epochs=1, iterations=5, ema_decay=0.9, ema_decay_end=0.99)
    learner = Learner(Hanoi(4), slower, 0)
    for kept in (0.9, 1 - 10**-1.25, 1 - 10**-1.5, 1 - 10**-1.75, 0.99):  # one step each
        before = learner.target.first.bias.clone()
        learner.iterate()
        torch.testing.assert_close(learner.target.first.bias, kept * before + (1 - kept) * learner.model.first.bias)


def test_warm_start_fits_the_lengths_of_sequences_then_davi_begins():
    learner = Learner(Rubik3x3(), replace(SMALL, network="pieces", warm_iterations=8, warm_k=6, scramble="uniform", k_max=6), 0)
    states, steps = learner.sample(600, np.random.default_rng(0), None)
    assert (states[6:12] == states[:6]).mean() < 0.9 and (steps[:7] == [1, 2, 3, 4, 5, 6, 1]).all()
    metrics = [learner.iterate() for _ in range(8)]
    assert metrics[-1]["loss"] < metrics[0]["loss"] / 3
    assert (learner.target.out.weight == learner.model.out.weight).all()
    costs = [learner.agent().cost_to_go(states[steps == k]).mean() for k in range(1, 7)]
    assert (np.diff(costs) > 0).all()
    assert learner.iterate()["effective_k"] == 6


def test_batch_norm_networks_learn(monkeypatch):
    monkeypatch.setitem(NETWORKS, "small-norm", Architecture("pieces", (32, 16), 1, True))
    learner = Learner(
        Hanoi(3), replace(SMALL, network="small-norm", iterations=60, learning_rate=3e-3, learning_rate_end=1e-3), 0
    )
    while learner.done < 60:
        learner.iterate()
    costs = learner.agent().cost_to_go(Hanoi(3).from_index(np.arange(27)))
    assert np.abs(costs - ExactTable(Hanoi(3)).distances).mean() < 0.5


def test_probe_weighs_states_by_how_many_they_stand_for():
    puzzle = Rubik2x2()
    probe = Probe(puzzle, 20)
    found = probe.errors(lambda states: np.zeros(len(states), np.float32))
    assert found["error"] == pytest.approx(ExactTable(puzzle).distances.mean())
    assert found["error at 14"] == pytest.approx(14) and len(found) == 16
    assert {"error", "error at 0-1", "error at 30-31"} <= set(Probe(Hanoi(5)).errors(lambda s: np.zeros(len(s), np.float32)))


# Runs ------------------------------------------------------------------------------------------------------------------


def test_agents_of_convergence_points_are_kept_where_they_can_be_loaded(tmp_path):
    train(options(tmp_path / "run", epsilon=1e9))
    kept = sorted(path.name for path in (tmp_path / "run" / "convergence").iterdir())
    assert kept == ["0001", "0003", "0005", "0007"]
    assert [row["convergence_points"] for row in lines(tmp_path / "run")] == list(range(1, 9))
    assert agents.last_checkpoint(tmp_path / "run" / "convergence" / "0003").stem == f"{3:012d}"
    assert isinstance(agents.load(tmp_path / "run" / "convergence" / "0003"), Davi)


def test_every_search_runs_on_it(tmp_path):
    agent = train(options(tmp_path / "run", iterations=150, target_update="ema", learning_rate=3e-3))
    for name in ("greedy", "bwas", "beam"):
        found = make_search(name, agent, budget=Budget(nodes=10_000))(Hanoi(4).from_index(np.arange(81)))
        assert found.solved.all()


# Settings --------------------------------------------------------------------------------------------------------------


def test_presets_fit_their_puzzles_and_have_the_thesiss_settings():
    for puzzle, config, _ in PRESETS.values():
        read_by(puzzle_from_name(puzzle), NETWORKS[config.network])
        assert config.warm_iterations < config.iterations
    thesis = PRESETS["2x2-final_nr"][1]
    assert (thesis.batch, thesis.validation, thesis.check_every, thesis.epsilon) == (1000, 200, 5, 0.05)
    tower = PRESETS["hanoi-7-3-thesis"][1]
    assert (tower.network, tower.batch, tower.k_max, tower.offset, tower.keep_every) == ("DNN_0", 400, 128, 2, 10)
    assert not tower.clamp


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({"network": "DNN_1"}, "network must be one of 'DNN_0', "),
        ({"batch": 0}, "batch must be a whole number from 1 to"),
        ({"check_every": 0}, "check_every must be a whole number of at least 1"),
        ({"depth": 0}, "depth must be a whole number from 1 to 64"),
        ({"clamp": 1}, "clamp must be"),
        ({"offset": -1}, "offset must be a whole number of at least 0"),
        ({"epsilon": 0}, "epsilon must be a number above 0"),
        ({"learning_rate": -1e-3}, "learning_rate must be a number above 0"),
        ({"ema_decay": 1.0}, "ema_decay must be a number at least 0 and below 1"),
        ({"ema_decay_end": 1.0}, "ema_decay_end must be a number at least 0 and below 1"),
        ({"target_update": "never"}, "target_update must be one of 'threshold', 'states', 'ema'"),
        ({"scramble": "fixed"}, "scramble must be one of 'uniform'"),
        ({"network": "DNN_0", "minibatch": 1}, "normalises over a minibatch"),
    ],
)
def test_bad_settings_are_refused_by_name(settings, fault):
    with pytest.raises(ValueError, match=fault):
        DaviConfig(**settings)


def test_what_cannot_be_trained_is_refused(tmp_path):
    with pytest.raises(ValueError, match="at least 2 states"):
        Learner(Hanoi(3), replace(SMALL, validation=1), 0)
    with pytest.raises(ValueError, match="too many for an embedding each"):
        train(replace(options(tmp_path / "big"), puzzle="rubik3x3-qtm"))
    with pytest.raises(ValueError, match="unknown input"):
        make_features(Hanoi(3), "colours")
    with pytest.raises(ValueError, match="--probe-every must be a whole number of at least 0"):
        train(replace(options(tmp_path / "run"), probe_every=-1))
    assert not (tmp_path / "run").exists()
