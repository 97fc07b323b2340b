"""The symmetric n-tuple network: its tables by hand, its symmetries, its updates by hand, and that it learns."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import agents
from agents.symmetric_ntuple.config import PRESETS, SymmetricNTupleConfig
from agents.symmetric_ntuple.learner import Learner, spread, walk_errors
from results.export import export
from rubiks_gym.ntuple import trained as trained_tables
from rubiks_gym.ntuple.agent import SymmetricNTuple
from rubiks_gym.ntuple.network import SIZE, after_moves, by_move, make_reader, possible
from rubiks_gym.puzzles import Rubik2x2, Rubik3x3, are_solutions, sample_seeds, set_num_threads
from rubiks_gym.puzzles.threads import get_num_threads
from rubiks_gym.search import Budget, Perimeter, beam, bwas
from tests import commands
from train.runs import RunOptions
from train.symmetric_ntuple import Options, train

ROOT = Path(__file__).parent.parent
pytestmark = pytest.mark.usefixtures("blank_plots")
CUBE = Rubik3x3()
TABLE = (0, 8, 9, 12, 13)
TINY = SymmetricNTupleConfig(
    tables=("0,8,9,12,13",), walk_length=8, walks=512, walk_batches=12, rounds=0, radius=1, saturation=8.0
)


@pytest.fixture
def states(rng):
    return np.concatenate([CUBE.random_states(sample_seeds(rng, 40)), CUBE.walk(sample_seeds(rng, 20), 3), CUBE.goal[None]])


def random_agent(rng, tables=(TABLE, (1, 0, 2, 8, 9))):
    return SymmetricNTuple(CUBE, tables, 12.0, 0.01, rng.integers(-99, 99, len(tables) * SIZE, np.int8))


# The network ---------------------------------------------------------------------------------------------------------


def test_cost_is_the_sum_over_distinct_images_of_the_cube_and_its_inverse(states, rng):
    agent = random_agent(rng)
    expected = np.zeros(len(states))
    for number, cubies in enumerate(agent.tables):
        seen = {}
        for m in range(48):  # in words: look at the mirrored cube, and read off where the table's five cubies are
            seen.setdefault(frozenset(CUBE.symmetry_tables.source[m, list(cubies)].tolist()), m)
        for side in (states, CUBE.inverse(states)):
            images = CUBE.symmetries(side)[:, list(seen.values())][:, :, list(cubies)].astype(int) % 24
            expected += agent.weights[number * SIZE + images @ 24 ** np.arange(5)].sum(axis=1)
    expected = np.where(CUBE.is_solved(states), 0, 12 + 0.01 * expected)
    np.testing.assert_allclose(agent.cost_to_go(states), expected, atol=1e-4)


def test_a_table_without_symmetry_of_its_own_makes_all_symmetric_and_inverse_states_equal(states, rng):
    agent = random_agent(rng, (TABLE,))
    assert len(agent.reader.look_ups.offset) == 48
    costs = agent.cost_to_go(states)
    assert (agent.cost_to_go(CUBE.inverse(states)) == costs).all()
    images = CUBE.symmetries(states).reshape(-1, 20)
    assert (agent.cost_to_go(images).reshape(-1, 48) == costs[:, None]).all()


@pytest.mark.parametrize("metric", ["qtm", "htm"])
def test_the_decomposed_parts_of_a_childs_cost_add_up_to_it(metric, states, rng):
    cube, tables = Rubik3x3(metric), (TABLE, (1, 0, 2, 8, 9), (8, 9, 10, 11, 16))
    agent = SymmetricNTuple(cube, tables, 12.0, 0.01, rng.integers(-99, 99, len(tables) * SIZE, np.int8))
    children = cube.expand(states[:60])  # not those of the goal, for which the cost is 0 and not a sum
    flat = children.reshape(-1, 20)
    whole = np.where(cube.is_solved(flat), np.nan, agent.cost_to_go(flat)).reshape(children.shape[:2])
    found = agent.decomposed.first(states[:60]) + agent.decomposed.second(flat).reshape(whole.shape)
    known = ~np.isnan(whole)
    assert known.sum() > 600
    np.testing.assert_allclose(found[known], whole[known], atol=1e-4)


def test_weights_by_move_are_those_of_the_moved_cubies(rng):
    weights, cubies = rng.integers(-99, 99, SIZE, np.int8), (0, 8, 5, 13, 19)
    out = np.empty((SIZE, 16), np.int8)
    by_move(after_moves(CUBE, cubies), weights, out)
    for action in (0, 5, 11):
        digits = [CUBE.moves[action, :24] if c < 8 else CUBE.moves[action, 24:48] - 24 for c in reversed(cubies)]
        assert (out[:, action] == weights.reshape((24,) * 5)[np.ix_(*digits)].ravel()).all()


@pytest.mark.parametrize(
    ("cubies", "count"),
    [(TABLE, 24 * 24 * 22 * 20 * 18), ((1, 0, 2, 8, 9), 24 * 21 * 18 * 24 * 22), ((0, 1, 2, 3, 4), 24 * 21 * 18 * 15 * 12)],
)
def test_possible_entries_are_as_many_as_the_placements_and_all_that_states_use(cubies, count, rng):
    can = possible(cubies)
    assert can.sum() == count
    reader = make_reader(CUBE, (cubies,)).look_ups
    seen = CUBE.random_states(sample_seeds(rng, 500))
    index = reader.offset + sum(reader.contribution[i, seen[:, i]] for i in range(20))
    assert can[index].all()


def test_values_that_no_piece_can_have_are_refused_and_nothing_outside_the_tables_is_read(rng):
    agent = random_agent(rng)
    states = np.repeat(CUBE.goal[None], 3, axis=0)
    for value in (48, 255):
        states[1, 3] = value
        for look in (agent.cost_to_go, agent.decomposed.first, agent.decomposed.second):
            with pytest.raises(ValueError, match="has values below 48"):
                look(states)
    states[1] = 47  # in range, though no cube has all pieces in one place
    assert np.isfinite(agent.cost_to_go(states)).all()


def test_rounding_to_bytes_changes_costs_by_little(states, rng):
    weights = rng.normal(0, 0.05, SIZE).astype(np.float32)
    agent = SymmetricNTuple.rounded(CUBE, (TABLE,), 12.0, weights)
    index = agent.reader.look_ups.offset + sum(agent.reader.look_ups.contribution[i, states[:, i]] for i in range(20))
    back = CUBE.inverse(states)
    index = np.concatenate(
        [index, agent.reader.look_ups.offset + sum(agent.reader.look_ups.contribution[i, back[:, i]] for i in range(20))],
        axis=1,
    )
    exact = 12 + weights[index].sum(axis=1)
    outside = ~CUBE.is_solved(states)
    np.testing.assert_allclose(agent.cost_to_go(states)[outside], exact[outside], atol=96 * agent.scale / 2)


@pytest.mark.parametrize(
    ("make", "fault"),
    [
        (lambda: SymmetricNTuple(Rubik2x2(), (TABLE,), 0, 1, np.zeros(SIZE, np.int8)), "for the 3x3x3, not for rubik2x2-qtm"),
        (lambda: SymmetricNTuple(CUBE, (TABLE,), 0, 1, np.zeros(9, np.int8)), "7962624 int8 weights, got int8"),
        (lambda: SymmetricNTuple(CUBE, ((0, 1, 2),), 0, 1, np.zeros(SIZE, np.int8)), "5 different cubies"),
        (lambda: SymmetricNTuple(CUBE, ((0, 1, 2, 8, 20),), 0, 1, np.zeros(SIZE, np.int8)), "5 different cubies"),
        (lambda: SymmetricNTupleConfig(tables=("a,b",)), "cannot read the tables a,b"),
        (lambda: SymmetricNTupleConfig(tables=()), "1 to 64 tables"),
        (lambda: SymmetricNTupleConfig(walk_lr=0), "walk_lr must be a number above 0"),
        (lambda: SymmetricNTupleConfig(walks=0), "walks must be a whole number from 1 to"),
        (lambda: SymmetricNTupleConfig(rounds=-1), "rounds must be a whole number of at least 0"),
        (lambda: SymmetricNTupleConfig(path_lr=2), "path_lr must be a number at least 0 and at most 1"),
        (lambda: SymmetricNTupleConfig(temperature=0), "temperature must be a number above 0"),
    ],
)
def test_bad_settings_are_refused_by_name(make, fault):
    with pytest.raises(ValueError, match=fault):
        make()


# The updates ---------------------------------------------------------------------------------------------------------


def test_the_error_on_walks_is_the_gradient_of_half_the_squared_distance_from_the_saturated_cost():
    steps, cost = np.array([1, 9, 20, 24], np.float32), np.array([3, 17, 18, 90], np.float32)

    def half_square(f):
        fitted = 18 - 2 * np.log1p(np.exp((18 - f.astype(float)) / 2))
        return (steps - fitted) ** 2 / 2

    out = np.empty_like(cost)
    squares = walk_errors(18.0, 2.0, steps, cost, out)
    assert squares == pytest.approx(2 * half_square(cost).sum())
    slope = (half_square(cost + 0.01) - half_square(cost - 0.01)) / 0.02
    np.testing.assert_allclose(out, -slope, atol=1e-3)
    low = np.array([-90], np.float32)  # where the exponential would overflow
    walk_errors(18.0, 2.0, steps[:1], low, out[:1])
    assert out[0] == 91


def test_a_weight_moves_by_the_mean_of_what_its_look_ups_ask_for():
    weights = np.zeros((10, 2), np.float32)
    index = np.array([[1, 1, 2, 5], [1, 3, 2, 4]], np.uint32)  # two states, two images each way
    spread(index, 2, 0, 2, np.array([0.3, -0.6], np.float32), weights)
    np.testing.assert_allclose(
        weights[:, 0], [0, (0.3 + 0.3 - 0.6) / 3, (0.3 - 0.6) / 2, -0.6, -0.6, 0.3, 0, 0, 0, 0], atol=1e-7
    )
    assert not weights[:, 1].any()  # counts are put back
    before = weights.copy()
    spread(index, 2, 1, 2, np.array([1.0, 1.0], np.float32), weights)  # the second image only
    assert (np.flatnonzero(weights[:, 0] != before[:, 0]) == [1, 3, 4, 5]).all()


def test_backed_up_costs_are_exact_next_to_the_perimeter_and_not_below_its_surface_elsewhere(rng):
    learner = Learner(CUBE, replace(TINY, radius=2, bias=1.0), 0)  # an untrained F of 1 is too low everywhere outside
    states = CUBE.walk(sample_seeds(rng, 300), 3)
    distance = Perimeter(CUBE, 3).distance(states)
    targets = learner.backed_up(learner.agent(), states)
    assert (targets[distance == 3] == 3).all()
    far = CUBE.random_states(sample_seeds(rng, 50))
    assert (learner.backed_up(learner.agent(), far) == 4).all()


def test_raise_only_backups_raise_costs_and_never_lower_them():
    learner = Learner(CUBE, SHORT, 0)
    for _ in range(4):
        learner.learn_walks(0.5)
    before = learner.weights[:, 0].copy()
    metrics = learner.back_up(0.5)
    assert (learner.weights[:, 0] >= before).all() and (learner.weights[:, 0] > before).any()
    assert 0 < metrics.too_low <= 1 and metrics.gap > 0


SHORT = replace(TINY, rounds=1, episodes=3, width=16, max_steps=8, walk_batches_per_round=0, radius=3)


@pytest.mark.parametrize("two_sided", [True, False])
def test_only_two_sided_backups_lower_costs(two_sided, monkeypatch):
    learner = Learner(CUBE, replace(SHORT, two_sided=two_sided), 0)
    monkeypatch.setattr(learner, "backed_up", lambda agent, states: agent.cost_to_go(states) - 1)  # all is too high
    learner.back_up(0.5)
    assert (learner.weights[:, 0] <= 0).all() and (learner.weights[:, 0] < 0).any() == two_sided


def test_costs_on_the_path_of_a_solution_go_to_the_moves_left():
    learner = Learner(CUBE, SHORT, 0)
    moves = CUBE.parse("R U F' L D B")
    start = CUBE.after(CUBE.inverse_action[moves[::-1]].tolist())
    way = np.stack([start, *(CUBE.apply(start[None], np.array([moves[0]])))])
    before = learner.agent().cost_to_go(way)
    for _ in range(20):
        learner._learn_paths(0.5, [(start, moves)])
    after = learner.agent().cost_to_go(way)
    assert (before == TINY.bias).all() and after == pytest.approx([6, 5], abs=0.7)


def test_the_contrastive_loss_sets_random_states_apart_from_near_ones(rng):
    plain, told = (Learner(CUBE, replace(TINY, contrast=contrast), 0) for contrast in (0.0, 1.0))
    near, far = CUBE.walk(sample_seeds(rng, 300), 5), CUBE.random_states(sample_seeds(rng, 300))
    gaps = []
    for learner in (plain, told):
        for _ in range(3):
            learner.learn_walks(0.5)
        gaps.append(learner.agent().cost_to_go(far).mean() - learner.agent().cost_to_go(near).mean())
    assert gaps[1] > gaps[0] + 0.5


def test_td_episodes_follow_the_lowest_cost_and_back_up_what_they_pass(rng):
    learner = Learner(CUBE, replace(TINY, max_steps=4), 0)
    agent = SymmetricNTuple(CUBE, (TABLE,), 60.0, 0.01, rng.integers(-99, 99, SIZE, np.int8))
    starts = np.concatenate([CUBE.random_states(sample_seeds(rng, 20)), CUBE.expand(CUBE.goal[None])[0]])
    passed, targets = learner.greedy_episodes(agent, starts)
    lengths = []
    for b, state in enumerate(starts):
        last, step = None, 0
        while step < 4 and not CUBE.is_solved(state[None])[0]:
            children = CUBE.expand(state[None])[0]
            costs = agent.cost_to_go(children)
            assert (passed[step, b] == state).all() and targets[step, b] == 1 + costs.min()
            allowed = [a for a in range(12) if last is None or a != CUBE.inverse_action[last]]
            last = min(allowed, key=costs.__getitem__)
            state, step = children[last], step + 1
        assert np.isnan(targets[step:, b]).all()
        lengths.append(step)
    assert set(lengths) >= {1, 4}


def test_td_moves_costs_both_ways_towards_one_more_than_the_lowest_child():
    learner = Learner(CUBE, replace(TINY, td=True, walk_length=1, episodes=64, max_steps=1, bias=3.0), 0)
    errors = [learner.learn_by_td(0.5).td_error for _ in range(8)]
    next_to_goal = CUBE.expand(CUBE.goal[None])[0]
    assert errors[0] == 2 and errors[-1] < 0.1
    assert learner.agent().cost_to_go(next_to_goal) == pytest.approx(np.ones(12), abs=0.1)
    learner = Learner(CUBE, replace(learner.config, bias=-5.0), 0)
    learner.learn_by_td(0.5)
    assert (learner.agent().cost_to_go(next_to_goal) > -5).all()


# Learning ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("any") / "run"
    train(Options(puzzle="rubik3x3-qtm", run=RunOptions(folder=folder, seed=3), config=TINY))
    return folder


@pytest.mark.parametrize("search", [beam, bwas])
def test_seconds_of_training_solve_cubes_seven_moves_away_that_untrained_tables_do_not(trained, search, rng):
    states = CUBE.walk(sample_seeds(rng, 20), 7)
    options = {"width": 64, "max_steps": 9} if search is beam else {"batch": 10, "budget": Budget(nodes=5000)}
    learnt, untrained = agents.load(trained), Learner(CUBE, TINY, 0).agent()
    assert search(CUBE, states, learnt.cost_to_go, **options).solved.mean() >= 0.9
    assert search(CUBE, states, untrained.cost_to_go, **options).solved.mean() <= 0.5


def test_td_alone_solves_cubes_seven_moves_away_that_untrained_tables_do_not(rng):
    config = replace(TINY, td=True, bias=12.0, walk_length=6, walk_batches=0, rounds=12, walk_batches_per_round=0, radius=0)
    learner = Learner(CUBE, replace(config, episodes=512, max_steps=8), 0)
    untrained = learner.agent()
    metrics = [learner.iterate() for _ in range(learner.total)]
    assert metrics[0]["solved"] < 0.5 < 0.8 < metrics[-1]["solved"]
    assert all(0 < row["states"] <= 512 * 8 and "walk_error" not in row for row in metrics)
    states = CUBE.walk(sample_seeds(rng, 20), 7)
    solved = [
        beam(CUBE, states, agent.cost_to_go, width=64, max_steps=9).solved.mean() for agent in (learner.agent(), untrained)
    ]
    assert solved[0] >= 0.9 and solved[1] <= 0.1


def test_costs_grow_with_the_distance(trained, rng):
    agent = agents.load(trained)
    means = [agent.cost_to_go(CUBE.walk(sample_seeds(rng, 200), depth)).mean() for depth in range(1, 7)]
    assert (np.diff(means) > 0.4).all()
    assert means[0] == pytest.approx(1, abs=0.5)


def test_the_same_seed_gives_the_same_weights_on_any_number_of_threads(tmp_path):
    config = replace(TINY, walk_batches=2, rounds=1, episodes=4, width=16, walk_batches_per_round=1)
    threads = get_num_threads()
    found = []
    try:
        for n in (1, 2, 3):
            set_num_threads(n)
            agent = train(Options(puzzle="rubik3x3-qtm", run=RunOptions(folder=tmp_path / str(n), seed=5), config=config))
            found.append(agent)
    finally:
        set_num_threads(threads)
    assert (found[0].weights == found[1].weights).all() and (found[0].weights == found[2].weights).all()
    assert found[0].scale == found[1].scale == found[2].scale


def test_a_run_cut_short_goes_on_and_ends_the_same(tmp_path, monkeypatch):
    config = replace(TINY, walk_batches=3, rounds=2, episodes=2, width=8, walk_batches_per_round=1)
    whole = train(Options(puzzle="rubik3x3-qtm", run=RunOptions(folder=tmp_path / "whole", seed=1), config=config))
    iterate = Learner.iterate

    def cut(learner):
        if learner.done == 4:
            raise KeyboardInterrupt
        return iterate(learner)

    monkeypatch.setattr(Learner, "iterate", cut)
    options = Options(
        puzzle="rubik3x3-qtm", run=RunOptions(folder=tmp_path / "cut", seed=1, checkpoint_seconds=0), config=config
    )
    with pytest.raises(KeyboardInterrupt):
        train(options)
    monkeypatch.undo()
    resumed = train(replace(options, run=replace(options.run, resume=True)))
    assert (resumed.weights == whole.weights).all() and resumed.scale == whole.scale
    lines = [json.loads(line)["step"] for line in (tmp_path / "cut" / "metrics.jsonl").read_text().splitlines()]
    assert lines == [1, 2, 3, 4, 5]


def test_presets_name_their_metric():
    assert PRESETS["3x3-htm"].puzzle == "rubik3x3-htm"


def test_an_untrained_agent_can_be_made_to_compare_with(tmp_path, states):
    train(Options(puzzle="rubik3x3-qtm", run=RunOptions(folder=tmp_path), config=replace(TINY, walk_batches=0)))
    assert (agents.load(tmp_path).cost_to_go(states[:-1]) == TINY.bias).all()


def test_trained_tables_solve_random_cubes(rng):
    name = "symmetric_ntuple:rubik3x3-qtm"
    assert agents.PRETRAINED[name].stat().st_size <= 25e6
    agent = agents.load(name)
    states = CUBE.random_states(sample_seeds(rng, 6))
    found = beam(CUBE, states, agent.cost_to_go, width=1024, max_steps=40, perimeter=Perimeter(CUBE, 5))
    assert found.solved.all() and are_solutions(CUBE, states, found.moves).all()
    assert np.mean([len(moves) for moves in found.moves]) < 25


def test_trained_tables_are_loaded_by_name():
    states = CUBE.walk(sample_seeds(np.random.default_rng(0), 20), 9)
    assert (trained_tables().cost_to_go(states) == agents.load("symmetric_ntuple:rubik3x3-qtm").cost_to_go(states)).all()
    with pytest.raises(ValueError, match="no trained tables are called 'rubik5x5': there are rubik3x3-htm, rubik3x3-qtm"):
        trained_tables("rubik5x5")


def test_partial_expansion_finds_solutions_hardly_longer_than_those_of_the_whole_beam(rng):
    agent, perimeter = agents.load("symmetric_ntuple:rubik3x3-qtm"), Perimeter(CUBE, 5)
    states = CUBE.random_states(sample_seeds(rng, 12))
    whole = beam(CUBE, states, agent.cost_to_go, width=512, perimeter=perimeter)
    quick = beam(CUBE, states, agent.cost_to_go, width=512, perimeter=perimeter, decomposed=agent.decomposed)
    assert whole.solved.all() and quick.solved.all() and are_solutions(CUBE, states, quick.moves).all()
    assert quick.nodes.sum() < 0.5 * whole.nodes.sum()
    assert np.mean([len(moves) for moves in quick.moves]) < np.mean([len(moves) for moves in whole.moves]) + 1


def test_the_solver_answers_without_a_run(tmp_path):
    done = commands.run("-m", "rubiks_gym", "solve", "R U F' D L2 B", "--gif", tmp_path / "solve.gif")
    assert done.returncode == 0, done.stderr
    assert "solved in 7 moves" in done.stdout and (tmp_path / "solve.gif").exists()


def test_export_writes_what_load_reads(trained, tmp_path, monkeypatch, rng):
    export(trained, tmp_path / "tables.npz")
    monkeypatch.setitem(agents.PRETRAINED, "symmetric_ntuple:tiny", tmp_path / "tables.npz")
    states = CUBE.random_states(sample_seeds(rng, 50))
    assert (agents.load("symmetric_ntuple:tiny").cost_to_go(states) == agents.load(trained).cost_to_go(states)).all()
    (tmp_path / "other").mkdir()
    with pytest.raises(ValueError, match="holds no checkpoint yet"):
        export(tmp_path / "other", tmp_path / "x.npz")
