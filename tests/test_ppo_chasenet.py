"""PPO with ChaseNet reward: networks and reward by hand, what ChaseNet may not be shown, that it learns; runs: test_loop.py."""

import json
import sys
from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy.stats import spearmanr

import agents
import rubiks_gym.exact.table
from agents.ppo_chasenet import learner as learner_module
from agents.ppo_chasenet.agent import PpoChaseNet
from agents.ppo_chasenet.chasenet import FORMS, Architecture, ChaseNet, tokens
from agents.ppo_chasenet.config import PRESETS, PpoChaseNetConfig
from agents.ppo_chasenet.learner import ChaseReward, Learner
from agents.ppo_chasenet.nx import fit_pairs, scrambled_walks, walk_pairs
from rubiks_gym.exact import ExactTable
from rubiks_gym.puzzles import Hanoi, Puzzle, Rubik2x2, Rubik3x3, puzzle_from_name, sample_seeds
from rubiks_gym.search import Perimeter, make_search
from tests.short_runs import PPO as SMALL
from tests.short_runs import ppo_options as options
from train.command import command
from train.ppo_chasenet import NetworkOptions, train

CUBES = [Rubik2x2("qtm"), Rubik2x2("htm"), Rubik3x3("qtm"), Rubik3x3("htm")]

TINY = {form: Architecture(form, (8, 6), width=8, heads=2, layers=1) for form in FORMS}


def states_of(puzzle, n=50, seed=0):
    return puzzle.random_states(sample_seeds(np.random.default_rng(seed), n))


def stirred(network, seed=0):
    """The network with every weight changed a little, those that begin at 0 too; returns them as arrays."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter += 0.3 * torch.randn(parameter.shape, generator=generator)
    return {key: tensor.numpy() for key, tensor in network.state_dict().items()}


def run(learner):
    while learner.done < learner.config.iterations:
        metrics = learner.iterate()
    return metrics


# What ChaseNet reads ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cube", CUBES, ids=repr)
def test_tokens_are_the_stickers_at_each_place(cube):
    states, geometry = states_of(cube), cube.geometry
    found = tokens(cube, states)
    places = found.shape[1]
    assert places == 3 * cube.corners + 2 * cube.edges and found.dtype == np.int64
    assert (np.sort(found, axis=1) == np.arange(places)).all(), "every sticker is somewhere"
    colours = cube.stickers(states)[:, geometry.facelet_of[:places]]
    assert (geometry.face_of[found] == colours).all(), "of the colour that is seen there"
    assert (np.take_along_axis(found, states.astype(int), axis=1) == cube.goal).all(), "each cubie's first sticker where it is"
    assert (tokens(cube, cube.goal[None]) == np.arange(places)).all()


def test_tokens_of_a_tower_are_its_pegs():
    states = states_of(Hanoi(5, 4))
    assert (tokens(Hanoi(5, 4), states) == states).all() and tokens(Hanoi(5, 4), states).dtype == np.int64


def rest_by_hand(weights, x):
    """The layers behind the first: a rectifier between them, one output."""
    numbers = sorted({int(key.split(".")[1]) for key in weights if key.startswith("rest.")})
    for number in numbers:
        x = x @ weights[f"rest.{number}.weight"].T + weights[f"rest.{number}.bias"]
        if number != numbers[-1]:
            x = np.maximum(x, 0)
    return x[:, 0]


def one_hot(numbers, size):
    return np.eye(size, dtype=np.float32)[numbers].reshape(len(numbers), -1)


@pytest.mark.parametrize("puzzle", [Rubik2x2(), Rubik3x3("htm"), Hanoi(4, 3)], ids=repr)
def test_fully_connected_form_is_two_linear_heads_and_the_rest(puzzle):
    net, s, t = ChaseNet(puzzle, TINY["fc"]), states_of(puzzle), states_of(puzzle, seed=1)
    weights = stirred(net.network)
    both = np.concatenate([one_hot(tokens(puzzle, states), puzzle.n_values) for states in (s, t)], axis=1)
    x = np.maximum(both @ weights["first.embedding.weight"] + weights["first.bias"], 0)
    np.testing.assert_allclose(net.cost(s, t), rest_by_hand(weights, x), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("puzzle", [Rubik2x2(), Rubik3x3(), Hanoi(4, 3)], ids=repr)
def test_pairs_form_sums_an_embedding_for_where_each_piece_is_in_both(puzzle):
    net, s, t = ChaseNet(puzzle, TINY["pairs"]), states_of(puzzle), states_of(puzzle, seed=1)
    weights, v = stirred(net.network), puzzle.n_values
    is_tower = isinstance(puzzle, Hanoi)
    table = weights["first.embedding.weight"].reshape(-1, v, v, 8)  # one matrix for all cubies, or one for each disk
    assert len(table) == (puzzle.state_size if is_tower else 1)
    x = np.zeros((len(s), 8), np.float32)
    for piece in range(puzzle.state_size):
        x += table[piece if is_tower else 0, s[:, piece], t[:, piece]]
    expected = rest_by_hand(weights, np.maximum(x + weights["first.bias"], 0))
    np.testing.assert_allclose(net.cost(s, t), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("cube", [Rubik2x2(), Rubik3x3()], ids=repr)
def test_relative_form_reads_where_the_moves_between_two_states_lead_from_the_goal(cube, rng):
    net = ChaseNet(cube, TINY["relative"])
    weights = stirred(net.network)
    between = [rng.integers(0, cube.n_actions, 9) for _ in range(20)]
    s = states_of(cube, 20)
    t = np.stack([cube.after(moves, state) for moves, state in zip(between, s, strict=True)])
    moved = np.stack([cube.after(moves) for moves in between])
    x = np.maximum(cube.one_hot(moved).astype(np.float32) @ weights["first.embedding.weight"] + weights["first.bias"], 0)
    np.testing.assert_allclose(net.cost(s, t), rest_by_hand(weights, x), rtol=1e-4, atol=1e-4)


def test_attention_form_is_a_transformer_over_the_stickers_of_both():
    puzzle = Rubik2x2()
    net, s, t = ChaseNet(puzzle, TINY["attention"]), states_of(puzzle, 9), states_of(puzzle, 9, seed=1)
    weights = stirred(net.network)

    def norm(x, key):
        x = (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5)
        return x * weights[f"{key}.weight"] + weights[f"{key}.bias"]

    layer = "transformer.layers.0."
    place = np.concatenate([weights["place"] + which for which in weights["which"]])
    x = weights["sticker.weight"][np.concatenate([tokens(puzzle, s), tokens(puzzle, t)], axis=1)] + place
    projected = norm(x, f"{layer}norm1") @ weights[f"{layer}self_attn.in_proj_weight"].T
    q, k, v = np.split(projected + weights[f"{layer}self_attn.in_proj_bias"], 3, axis=-1)
    seen = []
    for head in (slice(0, 4), slice(4, 8)):
        scores = q[..., head] @ k[..., head].transpose(0, 2, 1) / 2  # the root of four numbers per head
        looks = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
        seen.append(looks @ v[..., head])
    out = f"{layer}self_attn.out_proj"
    x = x + np.concatenate(seen, axis=-1) @ weights[f"{out}.weight"].T + weights[f"{out}.bias"]
    inner = norm(x, f"{layer}norm2") @ weights[f"{layer}linear1.weight"].T + weights[f"{layer}linear1.bias"]
    x = x + np.maximum(inner, 0) @ weights[f"{layer}linear2.weight"].T + weights[f"{layer}linear2.bias"]
    expected = rest_by_hand(weights, x.sum(axis=1) / np.sqrt(len(place)))
    np.testing.assert_allclose(net.cost(s, t), expected, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("form", FORMS)
def test_every_form_looks_at_both_states_row_by_row(form):
    puzzle = Rubik2x2()
    net, s, t = ChaseNet(puzzle, TINY[form], seed=3), states_of(puzzle), states_of(puzzle, seed=1)
    costs = net.cost(s, t)
    assert costs.shape == (50,) and costs.dtype == np.float32
    for one in (7, 40):
        np.testing.assert_allclose(net.cost(s[one : one + 1], t[one : one + 1]), costs[one : one + 1], rtol=1e-4, atol=1e-5)
    for other in (net.cost(s[::-1], t), net.cost(s, t[::-1]), net.cost(t, s)):
        assert (np.abs(other - costs) > 1e-5).mean() > 0.9
    np.testing.assert_allclose(net.cost_to_goal(s), net.cost(s, np.tile(puzzle.goal, (50, 1))), rtol=1e-5)
    assert net.cost(s[:0], t[:0]).shape == (0,)


def test_plain_walks_forbid_a_fourth_equal_move_and_nothing_else():
    cube = Rubik2x2()
    path = scrambled_walks(cube, 3000, 12, np.random.default_rng(0), plain=True)
    children = cube.expand(path[:, :-1].reshape(-1, cube.state_size))
    made = (children == path[:, 1:].reshape(-1, 1, cube.state_size)).all(axis=2).argmax(axis=1).reshape(3000, 12)
    equal = made[:, 1:] == made[:, :-1]
    undone = made[:, 1:] == cube.inverse_action[made[:, :-1]]
    assert not (equal[:, :-2] & equal[:, 1:-1] & equal[:, 2:]).any()
    assert (equal[:, :-1] & equal[:, 1:]).any() and undone[:, 0].mean() == pytest.approx(1 / 6, abs=0.03)


def test_attention_tells_the_two_states_apart_by_one_embedding():
    cube = Rubik2x2()
    s, t = states_of(cube, 30), states_of(cube, 30, seed=1)
    net = ChaseNet(cube, TINY["attention"], seed=3)
    stirred(net.network)
    assert np.abs(net.cost(s, t) - net.cost(t, s)).max() > 1e-3
    with torch.no_grad():
        net.network.which[1] = net.network.which[0]  # the sum over tokens cannot tell which is which now
    np.testing.assert_allclose(net.cost(s, t), net.cost(t, s), atol=1e-4)


@pytest.mark.parametrize(("heads", "least"), [(1, 0.9), (3, 0.5)])
def test_attention_begins_with_the_same_sticker_and_the_same_place_of_the_other_state(heads, least):
    cube = Rubik2x2()
    s, t = states_of(cube, 1), states_of(cube, 1, seed=1)
    network = ChaseNet(cube, Architecture("attention", (8,), heads=heads)).network
    layer, n = network.transformer.layers[0], tokens(cube, s).shape[1]
    both = np.concatenate([tokens(cube, s), tokens(cube, t)], axis=1)[0]
    place = torch.cat([network.place + which for which in network.which])
    with torch.no_grad():
        x = layer.norm1(network.sticker(torch.from_numpy(both)) + place)[None]
        looks = layer.self_attn(x, x, x, average_attn_weights=True)[1][0].numpy()
    other = np.arange(2 * n)[:, None] // n != np.arange(2 * n) // n
    same = (both[:, None] == both) | (np.arange(2 * n)[:, None] % n == np.arange(2 * n) % n)
    assert (looks * (other & same)).sum(axis=1).mean() > least


def test_walks_of_the_warm_up_grow_over_its_first_half():
    config = replace(SMALL, k=14, warm_k=4, warm_iterations=100)
    lengths = [config.k_of(i) for i in range(100)]
    assert lengths[0] == 4 and lengths[49] == 13 and set(lengths[50:]) == {14} and lengths == sorted(lengths)
    assert replace(config, warm_k=0).k_of(0) == 14
    for settings, fault in (
        ({"warm_k": 1}, "warm_k must be 0 or at least 2"),
        ({"warm_k": 15}, "warm_k must be a whole number"),
    ):
        with pytest.raises(ValueError, match=fault):
            replace(config, **settings)


def test_runs_of_neighbouring_seeds_start_from_other_states():
    def starts(seed):
        learner = Learner(Rubik2x2(), replace(SMALL, n_envs=64, batch_size=64), seed)
        return {state.tobytes() for state in learner.env.reset()}

    first, second = starts(0), starts(1)
    assert len(first) == 64 and not first & second and starts(0) == first


def test_an_untrained_net_says_the_middle_and_depends_on_its_seed():
    puzzle = Rubik2x2()
    s, t = states_of(puzzle), states_of(puzzle, seed=1)
    for form in FORMS:
        first, again, other = (ChaseNet(puzzle, TINY[form], middle=7.5, seed=seed).cost(s, t) for seed in (0, 0, 1))
        assert abs(first.mean() - 7.5) < 1 and (first == again).all() and (first != other).any()


# Which pairs look alike ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cube", CUBES, ids=repr)
def test_relative_form_says_the_same_wherever_the_same_moves_begin(cube):
    s, t, elsewhere = (states_of(cube, seed=seed) for seed in range(3))
    moved = cube.compose(elsewhere, s), cube.compose(elsewhere, t)  # the moves that make s and t, made from elsewhere
    net = ChaseNet(cube, TINY["relative"])
    assert (net.read(*moved) == net.read(s, t)).all() and (net.cost(*moved) == net.cost(s, t)).all()
    assert np.ptp(net.cost(s, t)) > 0.1
    other = ChaseNet(cube, TINY["attention"])
    assert (other.cost(*moved) != other.cost(s, t)).all()  # so it does not go without saying


@pytest.mark.parametrize("cube", [Rubik2x2(), Rubik3x3()], ids=repr)
def test_fully_connected_form_begins_alike_for_all_stickers_and_may_unlearn_that(cube):
    s, t, elsewhere = (states_of(cube, seed=seed) for seed in range(3))
    moved = cube.compose(elsewhere, s), cube.compose(elsewhere, t)
    net = ChaseNet(cube, Architecture("fc", (2 * cube.n_values, 8)))
    np.testing.assert_allclose(net.cost(*moved), net.cost(s, t), rtol=1e-4)
    assert np.ptp(net.cost(s, t)) > 0.1
    stirred(net.network)
    assert (np.abs(net.cost(*moved) - net.cost(s, t)) > 1e-3).mean() > 0.9


@pytest.mark.parametrize(("cube", "reads"), [(Rubik2x2(), "pairs"), (Rubik3x3(), "neighbours")], ids=repr)
def test_symmetric_relative_form_says_the_same_of_all_images_of_a_way(cube, reads):
    between = states_of(cube, 20)
    images = cube.symmetries(between)[:, 5]
    plain, symmetric = (
        ChaseNet(cube, TINY["relative"]._replace(relative_input=reads, symmetric=either)) for either in (False, True)
    )
    assert (symmetric.cost_to_goal(images) == symmetric.cost_to_goal(between)).all()
    assert (symmetric.cost_to_goal(cube.inverse(between)) == symmetric.cost_to_goal(between)).all()
    assert np.ptp(symmetric.cost_to_goal(between)) > 0.01
    assert (plain.cost_to_goal(images) != plain.cost_to_goal(between)).mean() > 0.8  # so it does not go without saying


@pytest.mark.parametrize("cube", CUBES, ids=repr)
def test_pairs_form_does_not_care_which_cubie_is_which(cube, rng):
    s, t = states_of(cube), states_of(cube, seed=1)
    pieces = [*rng.permutation(cube.corners), *cube.corners + rng.permutation(cube.edges)]
    assert pieces != sorted(pieces)
    net = ChaseNet(cube, TINY["pairs"])
    assert (np.sort(net.read(s[:, pieces], t[:, pieces])) == np.sort(net.read(s, t))).all()
    np.testing.assert_allclose(net.cost(s[:, pieces], t[:, pieces]), net.cost(s, t), rtol=1e-4, atol=1e-5)
    assert (np.abs(net.cost(s[:, pieces], t) - net.cost(s, t)) > 1e-4).all()  # but it must be the same one in both


def test_pairs_form_tells_disks_apart():
    net, s, t = ChaseNet(Hanoi(3), TINY["pairs"]), np.array([[0, 1, 2]], np.uint8), np.array([[1, 2, 0]], np.uint8)
    assert not set(net.read(s, t)[0]) & set(net.read(s[:, [1, 2, 0]], t[:, [1, 2, 0]])[0])
    assert abs(net.cost(s, t) - net.cost(s[:, [1, 2, 0]], t[:, [1, 2, 0]])) > 1e-3
    numbers = net.read(Hanoi(3).from_index(np.repeat(np.arange(27), 27)), Hanoi(3).from_index(np.tile(np.arange(27), 27)))
    assert len(np.unique(numbers, axis=0)) == 27 * 27 and len(np.unique(numbers)) == 3 * 9


def test_forms_that_a_puzzle_does_not_have_are_refused():
    with pytest.raises(ValueError, match="the relative form is for cubes: hanoi-3-3 has no relative states, take pairs"):
        ChaseNet(Hanoi(3), TINY["relative"])
    with pytest.raises(ValueError, match="form must be one of 'fc', 'attention', 'pairs', 'relative', got 'convolution'"):
        ChaseNet(Hanoi(3), Architecture("convolution", (8,)))


# Walks between scrambled states ----------------------------------------------------------------------------------------


def moves_of(puzzle, path):
    """The one legal action behind each step of walks [n, k + 1, S]: [n, k]."""
    moves = []
    for here, there in zip(path[:, :-1].swapaxes(0, 1), path[:, 1:].swapaxes(0, 1), strict=True):
        leads = (puzzle.expand(here.copy()) == there[:, None]).all(axis=2) & puzzle.legal(here.copy())
        assert (leads.sum(axis=1) == 1).all(), "every step is one legal move"
        moves.append(leads.argmax(axis=1))
    return np.stack(moves, axis=1)


@pytest.mark.parametrize("puzzle", [*CUBES, Hanoi(4, 3), Hanoi(3, 4)], ids=repr)
def test_walks_neither_undo_a_move_nor_make_it_three_times_in_a_row(puzzle, rng):
    path = scrambled_walks(puzzle, 400, 12, rng)
    assert path.shape == (400, 13, puzzle.state_size) and path.dtype == np.uint8
    moves = moves_of(puzzle, path)
    assert (moves[:, 1:] != puzzle.inverse_action[moves[:, :-1]]).all()
    twice = moves[:, 1:] == moves[:, :-1]
    assert not (twice[:, 1:] & twice[:, :-1]).any()
    counts = np.bincount(moves.ravel(), minlength=puzzle.n_actions)
    if not isinstance(puzzle, Hanoi):
        assert puzzle.metric == "htm" or twice.any()
        assert counts.min() > 0.8 * counts.mean() and counts.max() < 1.2 * counts.mean()
    assert counts.min() > 0
    again = scrambled_walks(puzzle, 400, 12, np.random.default_rng(0))
    assert (again == path).all() and (scrambled_walks(puzzle, 400, 12, rng) != path).any()


class Line(Puzzle):
    """Places 0 to 3 in a row, a step up or down; the goal is place 0."""

    def __init__(self):
        super().__init__("line", [0], 4, ["up", "down"], [1, 0], n_states=4)

    def apply(self, states, actions):
        return np.clip(states.astype(int) + 1 - 2 * np.asarray(actions)[:, None], 0, 3).astype(np.uint8)

    def legal(self, states):
        return np.concatenate([states < 3, states > 0], axis=1)

    def random_states(self, seeds):
        return (seeds[:, None] % np.uint64(4)).astype(np.uint8)


def test_a_dead_end_may_be_left_as_it_was_entered(rng):
    path = scrambled_walks(Line(), 200, 10, rng)
    moves = moves_of(Line(), path)
    undone = moves[:, 1:] != moves[:, :-1]
    at_an_end = np.isin(path[:, 1:-1, 0], (0, 3))
    third = np.zeros_like(undone)
    third[:, 1:] = moves[:, 1:-1] == moves[:, :-2]
    assert undone[at_an_end].all() and undone.any()
    assert not (undone & ~at_an_end & ~third).any(), "nothing else is a reason to go back"


def test_walks_begin_anywhere(rng):
    distances = ExactTable(Rubik2x2()).distances
    assert distances.mean() == pytest.approx(10.67, abs=0.01)
    path = scrambled_walks(Rubik2x2(), 2000, 5, rng)
    for moment in (0, 5):
        found = ExactTable(Rubik2x2()).distance(path[:, moment])
        assert found.mean() == pytest.approx(distances.mean(), abs=0.12)  # four standard errors
        assert (found <= 4).mean() < 0.003


def test_labels_are_the_moves_made():
    for puzzle in (Rubik2x2(), Hanoi(4)):
        pairs = walk_pairs(puzzle, 7, 5, np.random.default_rng(3))
        path = scrambled_walks(puzzle, 7, 5, np.random.default_rng(3))
        assert pairs.y.tolist() == [1, 2, 3, 4, 5] * 7 and pairs.y.dtype == np.float32
        for p, label in enumerate(pairs.y.astype(int)):
            assert (pairs.s[p] == path[p // 5, 0]).all() and (pairs.t[p] == path[p // 5, label]).all()


def test_fit_uses_every_pair_once_and_reports_what_was_said_before():
    puzzle = Rubik2x2()
    pairs, seen = walk_pairs(puzzle, 20, 5, np.random.default_rng(0)), []
    net = ChaseNet(puzzle, TINY["pairs"], 3.0)
    optimizer = torch.optim.Adam(net.network.parameters())
    before = net.cost(pairs.s, pairs.t)
    found = fit_pairs(net, optimizer, pairs, 100, 0.01, np.random.default_rng(0))  # one step
    assert found["chase_loss"] == pytest.approx(((before - pairs.y) ** 2).mean(), rel=1e-5)
    assert found["correlation"] == pytest.approx(spearmanr(before, pairs.y).statistic, abs=1e-6)
    assert ((net.cost(pairs.s, pairs.t) - pairs.y) ** 2).mean() < found["chase_loss"]
    net.network.register_forward_hook(lambda module, given, said: seen.append(given[0].numpy()))
    fit_pairs(net, optimizer, pairs, 30, 0.01, np.random.default_rng(0))
    numbers = net.read(pairs.s, pairs.t)
    assert [len(part) for part in seen] == [25] * 4 and (seen[0] != numbers[:25]).any()
    assert sorted(map(tuple, np.concatenate(seen))) == sorted(map(tuple, numbers))


# What ChaseNet may not be shown ----------------------------------------------------------------------------------------


@pytest.fixture
def no_distances(monkeypatch):
    """Whoever asks for a true distance, or for the neighbourhood of the goal, fails."""

    def refuse(*_, **__):
        raise AssertionError("true distances are for measuring only")

    for owner, attribute in (
        (ExactTable, "__init__"),
        (ExactTable, "distance"),
        (rubiks_gym.exact.table, "_load_or_build"),
        (rubiks_gym.exact.table, "breadth_first"),
        (Perimeter, "__init__"),
    ):
        monkeypatch.setattr(owner, attribute, refuse)
    for module in list(sys.modules.values()):  # where one was imported by name
        if getattr(module, "__dict__", {}).get("breadth_first") is not None:
            monkeypatch.setattr(module, "breadth_first", refuse)
    for asked in (lambda: ExactTable(Rubik2x2()), lambda: Perimeter(Rubik2x2(), 1)):
        with pytest.raises(AssertionError, match="for measuring only"):
            asked()


@pytest.mark.usefixtures("no_distances")
@pytest.mark.parametrize("puzzle", ["rubik2x2-qtm", "hanoi-4-3"])
@pytest.mark.parametrize("fine_tune", ["none", "bound", "paper"])
def test_training_needs_no_true_distance(tmp_path, puzzle, fine_tune):
    train(options(tmp_path / "run", puzzle=puzzle, fine_tune=fine_tune))
    assert (tmp_path / "run" / "learning.png").exists()


@pytest.mark.parametrize("fine_tune", ["bound", "paper"])
def test_chasenet_is_fitted_to_states_that_are_as_far_from_the_goal_as_any(monkeypatch, fine_tune):
    cube, shown = Rubik2x2(), []
    monkeypatch.setattr(
        learner_module,
        "fit_pairs",
        lambda net, optimizer, pairs, *rest: shown.append(pairs) or fit_pairs(net, optimizer, pairs, *rest),
    )
    config = replace(SMALL, walks=200, warm_iterations=5, ppo_iterations=5, n_envs=256, batch_size=1024, fine_tune=fine_tune)
    learner = Learner(cube, config, 0)
    starts = learner.env.reset().reshape(256, 7, 21).argmax(axis=2).astype(np.uint8)
    run(learner)
    table = ExactTable(cube)  # measures, after training
    assert len(shown) == 10
    for states in (np.concatenate([pairs.s for pairs in shown]), np.concatenate([pairs.t for pairs in shown]), starts):
        distances = table.distance(np.unique(states, axis=0))
        assert (distances <= 4).mean() < 0.005  # 688 of 3,674,160 states are
        assert distances.mean() == pytest.approx(10.67, abs=0.25)
    assert not any(cube.is_solved(pairs.s).any() for pairs in shown)


# The reward ------------------------------------------------------------------------------------------------------------


class Says:
    """A net that says what it was told to."""

    def __init__(self, costs):
        self.costs = np.array(costs, np.float32)

    def cost_to_goal(self, states):
        assert len(states) == len(self.costs)
        return self.costs


def test_reward_is_the_logarithm_of_the_cost_and_a_hundred_at_the_goal():
    states = states_of(Hanoi(3), 7)
    reward = ChaseReward(Says([-3, 0.5, 1, 1.2, 1.44, 14, 14]), 1.2, 100.0)
    solved = np.array([False] * 6 + [True])
    found = reward(states, np.zeros(7, int), states, solved)
    np.testing.assert_allclose(found, [0, 0, 0, -1, -2, -np.log(14) / np.log(1.2), 100], rtol=1e-5, atol=1e-6)
    assert found.dtype == np.float64
    found = ChaseReward(Says([8.0, 8.0]), 2.0, 5.0)(states[:2], np.zeros(2, int), states[:2], np.array([False, True]))
    np.testing.assert_allclose(found, [-3, 5])


@pytest.mark.parametrize("puzzle", [Rubik2x2(), Hanoi(3)], ids=repr)
def test_environment_rewards_the_state_that_a_move_leads_to(puzzle, rng):
    learner = Learner(puzzle, replace(SMALL, scramble="uniform", k_max=1, base=1.5, goal_reward=7.0), 0)
    learner.env.reset()
    states = learner.env.env.get_state()["state"]
    actions = np.where(puzzle.legal(states), rng.random((16, puzzle.n_actions)), -1).argmax(axis=1)
    reached = puzzle.apply(states, actions)
    solved = puzzle.is_solved(reached)
    assert 0 < solved.sum() < 16
    costs = np.maximum(learner.net.cost_to_goal(reached), 1)
    _, rewards, dones, _ = learner.env.step(actions)
    np.testing.assert_allclose(rewards, np.where(solved, 7.0, -np.log(costs) / np.log(1.5)), rtol=1e-5)
    assert (dones == solved).all()


# The policy and the agent ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("puzzle", "settings"),
    [
        (Rubik2x2(), {}),
        (Rubik2x2("htm"), {"input": "pieces", "widths": (9,)}),
        (Rubik3x3(), {"input": "pieces", "widths": (16, 12, 8)}),
        (Hanoi(5), {"input": "windows"}),
        (Hanoi(4, 4), {"input": "triples"}),
    ],
    ids=str,
)
def test_agents_policy_is_the_one_that_stable_baselines3_trains(puzzle, settings):
    learner, states = Learner(puzzle, replace(SMALL, **settings), 0), states_of(puzzle, 200)
    policy = learner.model.policy
    stirred(policy)  # an untrained policy is nearly uniform
    seen, legal = torch.from_numpy(puzzle.one_hot(states)), puzzle.legal(states)
    masks = {"action_masks": legal} if isinstance(puzzle, Hanoi) else {}
    with torch.no_grad():
        trained = policy.get_distribution(seen, **masks).distribution.probs.numpy()
    found = learner.agent().policy(states)
    np.testing.assert_allclose(found, trained, rtol=1e-4, atol=1e-6)
    assert found.dtype == np.float32 and ((found > 0) == legal).all()
    assert found.std(axis=0).min() > 0.005, "it depends on the state"
    np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-5)


@pytest.mark.parametrize("puzzle", ["rubik2x2-qtm", "hanoi-4-3"])
def test_agent_of_a_run_folder_says_what_the_trained_one_said(tmp_path, puzzle):
    trained = train(options(tmp_path / "run", puzzle=puzzle, fine_tune="bound"))
    loaded, own = agents.load(tmp_path / "run"), puzzle_from_name(puzzle)
    assert isinstance(loaded, PpoChaseNet) and agents.describe(loaded) == agents.describe(trained)
    states = np.concatenate([states_of(own, 300), own.goal[None]])
    assert (loaded.policy(states) == trained.policy(states)).all()
    costs = loaded.cost_to_go(states)
    assert (costs == trained.cost_to_go(states)).all() and costs.dtype == np.float32
    assert ((costs == 0) == own.is_solved(states)).all() and costs[costs > 0].min() >= 1
    far = costs > 1
    np.testing.assert_array_equal(costs[far], loaded.net.cost_to_goal(states)[far])
    assert far.sum() > 100


def test_costs_below_one_are_one_and_the_goal_is_zero():
    puzzle, agent = Hanoi(3), PpoChaseNet(Hanoi(3), TINY["pairs"], "pairs", (8,))
    agent.net = Says(np.linspace(-5, 5, 27))
    costs = agent.cost_to_go(puzzle.from_index(np.arange(27)))
    expected = np.maximum(np.linspace(-5, 5, 27), 1)
    expected[puzzle.index(puzzle.goal[None])] = 0
    np.testing.assert_allclose(costs, expected, rtol=1e-6)


@pytest.mark.parametrize("form", FORMS)
def test_every_form_survives_being_stored(form):
    puzzle = Rubik2x2()
    agent = PpoChaseNet(puzzle, TINY[form], "pieces", (8, 6), ChaseNet(puzzle, TINY[form], 5.0, seed=9))
    stirred(agent.actor)
    twin = PpoChaseNet.from_stored(puzzle, json.loads(json.dumps(agent.settings())), agent.arrays())
    states = states_of(puzzle)
    assert (twin.cost_to_go(states) == agent.cost_to_go(states)).all() and (twin.policy(states) == agent.policy(states)).all()
    with pytest.raises(ValueError, match=r"actor.first.bias must have shape .8,., is missing"):
        PpoChaseNet.from_stored(puzzle, agent.settings(), {})
    with pytest.raises(ValueError, match="is of shape"):
        PpoChaseNet.from_stored(puzzle, agent.settings() | {"hidden": [9, 6]}, agent.arrays())


def test_learning_leaves_no_folders_of_stable_baselines3_behind(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    learner = Learner(Hanoi(3), replace(SMALL, warm_iterations=1, ppo_iterations=2), 0)
    assert run(learner)["moves"] > 0 and not list(tmp_path.glob("SB3*"))


def test_same_seed_same_learner_whatever_has_been_drawn_before():
    def learnt(seed, disturb):
        torch.manual_seed(disturb)
        np.random.seed(disturb)  # noqa: NPY002 (stable-baselines3 draws from it)
        learner = Learner(Rubik2x2(), replace(SMALL, fine_tune="paper"), seed)
        metrics = []
        while learner.done < learner.config.iterations:
            torch.rand(disturb)
            np.random.rand(disturb)  # noqa: NPY002
            metrics.append(learner.iterate())
        return metrics, np.concatenate([array.ravel() for array in learner.agent().arrays().values()])

    first, same, other = learnt(0, 1), learnt(0, 2), learnt(1, 1)
    assert first[0] == same[0] and (first[1] == same[1]).all()
    assert first[0] != other[0] and (first[1] != other[1]).any()


# Fine-tuning -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("puzzle", [Rubik2x2(), Hanoi(3)], ids=repr)
def test_trajectories_are_the_states_that_the_environment_went_through(puzzle):
    config = replace(SMALL, warm_iterations=0, ppo_iterations=3, scramble="uniform", k_max=2, time_limit=3)
    learner = Learner(puzzle, config, 0)
    native, step, ends = learner.env.env, learner.env.env.step, set()

    def recorded(actions):
        before = native.get_state()["state"]
        answer = step(actions)
        states.append(before)
        dones.append(answer[2] | answer[3])
        ends.update(zip(answer[2].tolist(), answer[3].tolist(), strict=True))
        return answer

    native.step = recorded
    for _ in range(3):
        states, dones = [], []
        learner.iterate()
        found, same = learner.trajectories()
        assert (found == np.stack(states, axis=1)).all() and found.dtype == np.uint8
        new = np.diff(same, axis=1) > 0
        assert (new == np.stack(dones, axis=1)[:, :-1]).all() and (np.diff(same, axis=1) >= 0).all()
    assert {(False, False), (True, False), (False, True)} <= ends, "solved, out of time, and going on"


@pytest.mark.parametrize("fine_tune", ["paper", "bound"])
def test_trajectories_teach_what_they_are_worth(monkeypatch, fine_tune):
    config = replace(SMALL, fine_tune=fine_tune, warm_iterations=1, n_envs=256, batch_size=512, time_limit=5, k=4)
    learner, shown = Learner(Hanoi(4), config, 0), []

    def spy(net, optimizer, pairs, batch_size, learning_rate, rng):
        shown.append((pairs, net.cost(pairs.s, pairs.t), learning_rate))
        return fit_pairs(net, optimizer, pairs, batch_size, learning_rate, rng)

    learner.iterate()
    monkeypatch.setattr(learner_module, "fit_pairs", spy)
    for _ in range(3):
        learner.iterate()
        states, same = learner.trajectories()
        there = {
            (s.tobytes(), t.tobytes(), apart)
            for apart in range(1, config.k + 1)
            for row, number in zip(states, same, strict=True)
            for s, t, a, b in zip(row, row[apart:], number, number[apart:], strict=False)
            if a == b
        }
        pairs, said, lr = shown[-1]
        assert lr == config.fine_tune_learning_rate
        n = len(pairs.y) - 256  # 64 walks of four moves are mixed in, after the trajectories
        assert pairs.y[n:].tolist() == [1, 2, 3, 4] * 64 and 100 < n <= 256
        made = [min((m for m in range(1, 5) if (s.tobytes(), t.tobytes(), m) in there), default=0)
                for s, t in zip(pairs.s[:n], pairs.t[:n], strict=True)]  # fmt: skip
        assert min(made) > 0, "every pair is of one episode, at most k moves apart"
        y, said = pairs.y[:n], said[:n]
        if fine_tune == "paper":
            whole = [(s.tobytes(), t.tobytes(), int(m)) in there for s, t, m in zip(pairs.s[:n], pairs.t[:n], y, strict=True)]
            assert all(whole) and {1, 2} <= set(y) <= {1, 2, 3, 4}
        else:
            assert (y <= said).all(), "a cost is never raised"
            alone, bound = y == said, y == np.round(y)
            assert (alone | bound).all() and alone.any() and (bound & ~alone).any()
            assert (y[bound] >= np.array(made)[bound]).all()


def test_fine_tuning_moves_chasenet_and_none_leaves_it():
    for fine_tune in ("none", "bound", "paper"):
        learner = Learner(Rubik2x2(), replace(SMALL, fine_tune=fine_tune), 0)
        for _ in range(SMALL.warm_iterations):
            learner.iterate()
        before = [parameter.clone() for parameter in learner.net.network.parameters()]
        metrics = run(learner)
        changed = any((a != b).any() for a, b in zip(before, learner.net.network.parameters(), strict=True))
        assert changed == (fine_tune != "none") == ("fine_tune_loss" in metrics)


def test_learning_rates_stay_then_fall():
    config = replace(
        SMALL, warm_iterations=100, ppo_iterations=10, warm_learning_rate=0.5, learning_rate=0.3, learning_rate_end=0.1
    )
    assert [config.warm_learning_rate_of(i) for i in (0, 50)] == [0.5, 0.5]
    assert config.warm_learning_rate_of(75) == pytest.approx((0.5 + 0.01) / 2) and config.warm_learning_rate_of(
        100
    ) == pytest.approx(0.01)
    assert [config.learning_rate_of(i) for i in (0, 5)] == [0.3, 0.3] and config.learning_rate_of(9) == pytest.approx(
        0.3 - 0.2 * 0.8
    )
    learner = Learner(
        Hanoi(3),
        replace(
            SMALL, warm_iterations=4, ppo_iterations=4, warm_learning_rate=0.02, learning_rate=0.003, learning_rate_end=0.001
        ),
        0,
    )
    rates = []
    while learner.done < 8:
        optimizer = learner.net_optimizer if learner.done < 4 else learner.model.policy.optimizer
        learner.iterate()
        rates.append(optimizer.param_groups[0]["lr"])
    assert rates == pytest.approx([0.02, 0.02, 0.02, 0.0102, 0.003, 0.003, 0.003, 0.002])


# That it learns --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["relative", "pairs"])
def test_warm_up_orders_states_by_the_moves_between_them(form):
    cube = Rubik2x2()
    config = replace(
        SMALL, form=form, hidden=(64, 32), k=14, walks=300, warm_iterations=60, warm_batch_size=1000, warm_learning_rate=4e-3
    )
    learner = Learner(cube, config, 0)
    first = learner.iterate()
    while learner.done < config.warm_iterations:
        last = learner.iterate()
    assert last["chase_loss"] < 8 < 14 < first["chase_loss"]  # 16.25 if it always says the middle
    assert last["correlation"] > 0.68 > 0.5 > first["correlation"]
    near = cube.walk(sample_seeds(np.random.default_rng(0), 2000), np.arange(2000) % 10 + 1)
    found = spearmanr(learner.net.cost_to_goal(near), ExactTable(cube).distance(near)).statistic
    assert found > 0.75, "of the goal, which it was never shown, it says what it says of any state"


def test_learns_the_cube_within_four_moves():
    cube = Rubik2x2()
    config = replace(
        SMALL,
        hidden=(64, 32),
        k=14,
        walks=200,
        warm_iterations=60,
        warm_batch_size=1000,
        warm_learning_rate=4e-3,
        scramble="uniform",
        k_max=4,
        ppo_iterations=100,
        n_envs=256,
        batch_size=512,
        n_epochs=3,
        widths=(64, 64),
        learning_rate=2e-3,
        learning_rate_end=1e-4,
        ent_coef=0.1,
        gamma=0.95,
        gae_lambda=0.9,
    )
    learner = Learner(cube, config, 0)
    starts = cube.walk(sample_seeds(np.random.default_rng(99), 1000), np.full(1000, 4))

    def share():
        return make_search("greedy-policy", learner.agent(), {"max_steps": 20})(starts).solved.mean()

    assert share() < 0.2
    assert run(learner)["success"] > 0.9
    assert share() > 0.95


def test_learns_three_disks():
    puzzle = Hanoi(3)
    config = replace(
        SMALL,
        hidden=(32, 16),
        k=7,
        walks=100,
        warm_iterations=30,
        warm_batch_size=350,
        warm_learning_rate=4e-3,
        time_limit=30,
        input="windows",
        ppo_iterations=25,
        n_envs=64,
        n_steps=16,
        batch_size=256,
        n_epochs=4,
        widths=(32, 32),
        learning_rate=3e-3,
        learning_rate_end=1e-4,
        ent_coef=0.02,
        gamma=0.95,
        gae_lambda=0.9,
    )
    learner, states = Learner(puzzle, config, 0), puzzle.from_index(np.arange(27))
    assert type(learner.model).__name__ == "MaskablePPO" and type(Learner(Rubik2x2(), SMALL, 0).model).__name__ == "PPO"
    untrained = learner.agent()
    run(learner)
    for agent, enough in ((untrained, False), (learner.agent(), True)):
        found = make_search("greedy-policy", agent, {"allow_undo": True})(states)
        assert found.solved.all() == enough
    lengths = np.array([len(moves) for moves in found.moves])
    assert (lengths - ExactTable(puzzle).distances).mean() < 0.5, "nearly the shortest ways"


# Settings --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", PRESETS)
def test_presets_fit_their_puzzles(preset):
    puzzle, config, _ = PRESETS[preset]
    learner = Learner(puzzle_from_name(puzzle), config, 0)
    states = states_of(learner.puzzle, 5)
    agent = learner.agent()
    assert agent.policy(states).shape == (5, learner.puzzle.n_actions) and (agent.cost_to_go(states) >= 0).all()


def test_command_line_takes_a_preset_and_changes_to_it(tmp_path, monkeypatch):
    def ask(*arguments):
        monkeypatch.setattr(sys, "argv", ["ppo_chasenet.py", *arguments])
        command(NetworkOptions[PpoChaseNetConfig], train, PRESETS, "PPO", "rubik2x2-qtm", PpoChaseNetConfig())

    few = ["--config.warm-iterations", "1", "--config.walks", "10", "--config.ppo-iterations", "0"]
    ask("--preset", "2x2", *few, "--run.folder", str(tmp_path / "run"))
    stored = json.loads((tmp_path / "run" / "config.json").read_text())["config"]
    assert stored["preset"] == "2x2" and stored["walks"] == 10 and stored["form"] == PRESETS["2x2"][1].form
    assert len((tmp_path / "run" / "metrics.jsonl").read_text().splitlines()) == 1
    with pytest.raises(SystemExit, match="error: unknown preset '5x5': choose from 2x2"):
        ask("--preset", "5x5", "--run.folder", str(tmp_path / "other"))
    with pytest.raises(SystemExit, match="error: the relative form is for cubes"):
        ask("--puzzle", "hanoi-3-3", "--config.form", "relative", "--run.folder", str(tmp_path / "other"))
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({"form": "resnet"}, "form must be one of 'fc', 'attention', 'pairs', 'relative', got 'resnet'"),
        ({"fine_tune": "exact"}, "fine_tune must be one of 'none', 'paper', 'bound', got 'exact'"),
        ({"scramble": "fixed"}, "scramble must be one of 'random-state', 'uniform', got 'fixed'"),
        ({"input": "stickers"}, "input must be one of 'pieces', 'pairs', 'triples', 'windows', 'neighbours', got 'stickers'"),
        *(
            ({key: 0}, f"{key} must be a whole number (of at least 1|from 1 to [0-9]+), got 0")
            for key in ("heads", "layers", "walks", "warm_batch_size", "time_limit", "n_envs", "n_steps", "n_epochs")
        ),
        *(({key: 1}, f"{key} must be a whole number from 2 to [0-9]+, got 1") for key in ("k", "batch_size")),
        *(
            ({key: -1}, f"{key} must be a whole number (of at least 0|from 0 to [0-9]+), got -1")
            for key in ("warm_iterations", "ppo_iterations", "k_max")
        ),
        ({"ent_coef": -1}, "ent_coef must be a number at least 0, got -1"),
        *(
            ({f"{key}learning_rate": 0.0}, "learning_rate must be a number above 0, got 0.0")
            for key in ("", "warm_", "fine_tune_")
        ),
        ({"learning_rate_end": 0.0}, "learning_rate_end must be a number above 0, got 0.0"),
        ({"clip_range": 0.0}, "clip_range must be a number above 0, got 0.0"),
        ({"learning_rate": float("nan")}, "learning_rate must be a number above 0, got nan"),
        ({"gamma": 1.01}, "gamma must be a number above 0 and at most 1, got 1.01"),
        ({"gae_lambda": 0}, "gae_lambda must be a number above 0 and at most 1, got 0"),
        ({"base": 1.0}, "base must be a number above 1, got 1.0"),
        ({"hidden": ()}, "hidden must name 1 to 100 layers"),
        ({"widths": (64, 0)}, "widths.1. must be a whole number from 1 to"),
        ({"heads": 5}, "heads must divide the 64 numbers of a token, got 5"),
        ({"k_max": 3}, "k_max goes with scramble=uniform"),
        ({"scramble": "uniform"}, "scramble=uniform needs it"),
        ({"warm_iterations": 0, "ppo_iterations": 0}, "nothing to do: both warm_iterations and ppo_iterations are 0"),
        ({"n_envs": 4, "n_steps": 4, "batch_size": 17}, "the 16 moves of a roll-out must be a multiple of batch_size, got 17"),
        ({"scramble": "uniform", "k_max": 4, "fine_tune": "bound"}, "fine_tune would show ChaseNet states near the goal"),
        ({"n_steps": 1, "batch_size": 16, "fine_tune": "paper"}, "fine_tune takes pairs of states from a roll-out"),
    ],
)
def test_bad_settings_are_refused_by_name(settings, fault):
    with pytest.raises(ValueError, match=fault):
        PpoChaseNetConfig(**settings)
