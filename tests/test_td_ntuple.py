"""TD-n-tuple: boards, tuples and values by hand, updates by hand, symmetries, learning, storing."""

from dataclasses import replace

import numpy as np
import pytest

import agents
from agents.td_ntuple.agent import TdNTuple
from agents.td_ntuple.boards import board_vector, make_board
from agents.td_ntuple.config import PRESETS, TdNTupleConfig
from agents.td_ntuple.learner import Learner, make_coherence, make_rules, make_settings, train_episodes
from agents.td_ntuple.tuples import make_tuples
from results.published import KONEN
from rubiks_gym.puzzles import Hanoi, PermutationPuzzle, Rubik2x2, Rubik3x3, puzzle_from_name, sample_seeds, set_num_threads
from rubiks_gym.search import make_search
from tests.short_runs import lines
from train.command import preset_among
from train.evaluation import heuristic_quality, solved_by_depth
from train.runs import RunOptions
from train.td_ntuple import Options, train

CUBES = [Rubik2x2(), Rubik2x2("htm"), Rubik3x3(), Rubik3x3("htm")]
SMALL = TdNTupleConfig(episodes=4000, n_tuples=20, tuple_length=5, p_max=4, max_steps=8)


def states_of(puzzle, n=50, depth=12, seed=0):
    return puzzle.walk(sample_seeds(np.random.default_rng(seed), n), np.full(n, depth))


def one_step(agent, config, state, coherence=None):
    """One update from a state, in place; returns the accumulators."""
    coherence = make_coherence(config, agent.net) if coherence is None else coherence
    settings = make_settings(replace(config, max_steps=1))
    sums = np.zeros(4)
    train_episodes(agent.net, coherence, make_rules(agent.puzzle), settings, state[None], np.array([7], np.uint64), sums)
    return coherence, sums


# Boards and tuples -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("puzzle", CUBES, ids=repr)
def test_boards_show_what_they_should(puzzle):
    states = states_of(puzzle)
    colours = board_vector(make_board(puzzle, "cubestate"), states)
    shown = puzzle.stickers(states)[:, puzzle.geometry.facelet_of]
    assert (colours == shown[:, : colours.shape[1]]).all()
    assert (board_vector(make_board(puzzle, "sticker"), states) == states - puzzle.first).all()
    pairs, n, c = board_vector(make_board(puzzle, "sticker2"), states), puzzle.state_size, puzzle.corners
    cubies = puzzle.cubies(states)
    order = [*range(c), *range(n, n + c), *range(c, n), *range(n + c, 2 * n)]
    assert (pairs == cubies[:, order]).all()


@pytest.mark.parametrize("name", ["cubestate", "sticker", "sticker2"])
@pytest.mark.parametrize("puzzle", CUBES, ids=repr)
def test_board_cells_stay_in_range_and_neighbours_are_mutual(puzzle, name):
    board = make_board(puzzle, name)
    cells = board_vector(board, states_of(puzzle, 500))
    assert (cells.max(axis=0) == board.sizes - 1).all() or name == "cubestate"
    assert cells.min() == 0 and (cells < board.sizes).all()
    assert len(np.unique(cells, axis=0)) == len(np.unique(states_of(puzzle, 500), axis=0))
    assert (board.adjacent == board.adjacent.T).all() and not board.adjacent.diagonal().any()


def test_sizes_of_the_boards_are_the_reports():
    sizes = {(p.size, name): make_board(p, name).sizes for p in (CUBES[0], CUBES[2]) for name in ("sticker", "sticker2")}
    assert np.prod(sizes[2, "sticker2"].astype(float)) == 7**7 * 3**7
    assert np.prod(sizes[3, "sticker2"].astype(float)) == pytest.approx(4.0e27, rel=0.01)
    assert sizes[2, "sticker"].tolist() == [21] * 7 and sizes[3, "sticker"].tolist() == [24] * 20
    assert sizes[3, "sticker2"].tolist() == [8] * 8 + [3] * 8 + [12] * 12 + [2] * 12
    assert len(make_board(CUBES[2], "cubestate").sizes) == 48 and len(make_board(CUBES[0], "cubestate").sizes) == 21
    assert (make_board(CUBES[2], "cubestate").adjacent.sum(axis=0) == [4] * 24 + [3] * 24).all()


@pytest.mark.parametrize("mode", ["random-walk", "random-points"])
@pytest.mark.parametrize("name", ["cubestate", "sticker2"])
def test_tuples_have_different_cells_and_walks_hang_together(mode, name):
    board = make_board(Rubik3x3(), name)
    tuples = make_tuples(board, 50, 6, mode, np.random.default_rng(1))
    assert len(tuples) == 50 and all(len(set(cells)) == 6 for cells in tuples)
    assert tuples == make_tuples(board, 50, 6, mode, np.random.default_rng(1))
    for cells in tuples:
        near = board.adjacent[np.ix_(cells, cells)]
        reached = np.linalg.matrix_power(near + np.eye(6), 6) > 0
        assert reached.all() or mode == "random-points"
    if name == "sticker2" and mode == "random-walk":  # corner cells 0..15 and edge cells 16..39 are never mixed
        assert all((np.array(cells) < 16).all() or (np.array(cells) >= 16).all() for cells in tuples)


# The network -------------------------------------------------------------------------------------------------------------


def test_value_of_a_network_made_by_hand():
    # Hanoi(3): cells are the pegs of the three disks. Tuple (0, 2) has index 3 b_0 + b_2, tuple (1,) has 9 + b_1.
    weights = np.arange(12, dtype=np.float32)
    agent = TdNTuple(Hanoi(3), "plain", [(0, 2), (1,)], step_cost=-0.5, reward=2.0, weights=weights)
    states = np.array([[0, 0, 0], [2, 1, 1], [1, 2, 0]], np.uint8)
    assert agent.value(states).tolist() == [0 + 9, 7 + 10, 3 + 11]
    assert agent.cost_to_go(states).tolist() == [(9 - 2) / -0.5, (17 - 2) / -0.5, (14 - 2) / -0.5]
    assert agent.cost_to_go(Hanoi(3).goal[None]).tolist() == [0]
    assert TdNTuple(Hanoi(3), "plain", [(0, 2), (1,)], output="tanh", weights=weights / 100).value(states) == pytest.approx(
        np.tanh([0.09, 0.17, 0.14])
    )


@pytest.mark.parametrize("name", ["cubestate", "sticker", "sticker2"])
@pytest.mark.parametrize("nsym", [0, 1, 5, 24, 48])
@pytest.mark.parametrize("puzzle", CUBES, ids=repr)
def test_value_is_the_sum_over_images_and_tuples(puzzle, nsym, name, rng):
    config = TdNTupleConfig(board=name, n_tuples=9, tuple_length=3, nsym=nsym)
    agent = TdNTuple.from_config(puzzle, config, seed=3)
    agent.net.weights[:] = rng.random(len(agent.net.weights))
    states = states_of(puzzle, 20)
    expected = np.zeros(20)
    for m in agent.symmetries:
        cells, start = board_vector(agent.board, puzzle.symmetries(states)[:, m]), 0
        for chosen in agent.tuples:
            sizes = agent.board.sizes[list(chosen)]
            expected += agent.net.weights[start + np.ravel_multi_index(tuple(cells[:, list(chosen)].T), tuple(sizes))]
            start += np.prod(sizes)
    assert len(agent.symmetries) == max(nsym, 1)
    assert agent.value(states) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize(("nsym", "images"), [(24, 24), (48, 48)])
@pytest.mark.parametrize("puzzle", CUBES, ids=repr)
def test_symmetric_states_share_their_value_when_all_images_are_used(puzzle, nsym, images, rng):
    agent = TdNTuple.from_config(puzzle, replace(SMALL, nsym=nsym), 0)
    agent.net.weights[:] = rng.random(len(agent.net.weights))
    states = states_of(puzzle, 10)
    values = agent.value(puzzle.symmetries(states)[:, :images].reshape(-1, puzzle.state_size)).reshape(10, images)
    assert values == pytest.approx(values[:, :1].repeat(images, axis=1), rel=1e-5)
    assert values[:, 0].std() > 0


def test_threads_do_not_change_values(rng):
    agent = TdNTuple.from_config(Rubik2x2(), SMALL, 0)
    agent.net.weights[:] = rng.random(len(agent.net.weights))
    states = states_of(Rubik2x2(), 70_000)
    try:
        set_num_threads(1)
        alone = agent.value(states)
        set_num_threads(2)
        assert (agent.value(states) == alone).all()
    finally:
        set_num_threads(1)


# Learning, by hand ---------------------------------------------------------------------------------------------------------


def hand_agent():
    """Hanoi(1, 3): three states, the goal is peg 2; one tuple, so V(s) is the weight of its peg. c = -0.1, R = 1."""
    return TdNTuple(Hanoi(1), "plain", [(0,)], step_cost=-0.1), TdNTupleConfig(
        board="plain", step_cost=-0.1, alpha=0.5, tcl="off", p_max=1
    )


def test_one_td_update_by_hand():
    agent, config = hand_agent()
    agent.net.weights[:] = [0.2, 0.4, 9.0]  # the goal's own weight must not matter
    _, sums = one_step(agent, config, np.array([0], np.uint8))
    # Children: peg 1 is worth -0.1 + 0.4, the goal -0.1 + 1 = 0.9 = target. delta = 0.7, step 0.5 * 0.7.
    assert agent.net.weights == pytest.approx([0.55, 0.4, 9.0])
    assert sums == pytest.approx([1, 1, 1, 0.7])


@pytest.mark.parametrize(("tcl", "rate"), [("id", 0.3 / 0.5), ("exp", np.exp(2 * (0.3 / 0.5 - 1)))])
@pytest.mark.parametrize("accumulate", ["delta", "weight-change"])
def test_one_tcl_update_by_hand(tcl, rate, accumulate):
    agent, config = hand_agent()
    config = replace(config, tcl=tcl, tc_beta=2.0, tc_accumulate=accumulate)
    agent.net.weights[:] = [1.2, 0.4, 0.0]
    coherence = np.array([[-0.3, 0.5], [1, 1], [1, 1]], np.float32)
    one_step(agent, config, np.array([0], np.uint8), coherence)
    delta = 0.9 - 1.2
    assert agent.net.weights == pytest.approx([1.2 + 0.5 * rate * delta, 0.4, 0.0])
    change = delta if accumulate == "delta" else 0.5 * delta
    assert coherence[0] == pytest.approx([-0.3 + change, 0.5 + abs(change)])
    assert (coherence[1:] == 1).all()


def test_tanh_update_by_hand():
    agent = TdNTuple(Hanoi(1), "plain", [(0,)], step_cost=-0.1, output="tanh")
    config = replace(hand_agent()[1], output="tanh")
    agent.net.weights[:] = [0.5, 0, 0]
    one_step(agent, config, np.array([0], np.uint8))
    j = np.tanh(0.5)
    assert agent.net.weights[0] == pytest.approx(0.5 + 0.5 * (0.9 - j) * (1 - j * j))


def test_traces_by_hand():
    # Two disks, tuple (0, 1): V of (b_0, b_1) is weight 3 b_0 + b_1. From (0, 2) to (1, 2) [lured] to the goal (2, 2).
    puzzle = Hanoi(2)
    agent = TdNTuple(puzzle, "plain", [(0, 1)], step_cost=-0.1)
    agent.net.weights[3 * 1 + 2] = 5.0  # (1, 2) looks better than the goal
    config = TdNTupleConfig(board="plain", step_cost=-0.1, alpha=0.5, tcl="off", lam=0.4, max_steps=2, p_max=1)
    seeds, sums = np.array([1], np.uint64), np.zeros(4)
    train_episodes(
        agent.net,
        make_coherence(config, agent.net),
        make_rules(puzzle),
        make_settings(config),
        np.array([[0, 2]], np.uint8),
        seeds,
        sums,
    )
    first = (-0.1 + 5.0) - 0.0
    second = 0.9 - 5.0
    assert agent.net.weights[2] == pytest.approx(0.5 * first + 0.5 * 0.4 * second)
    assert agent.net.weights[5] == pytest.approx(5.0 + 0.5 * second)
    assert make_settings(replace(config, max_steps=9)).horizon == 3  # 1, 0.4, 0.16 are above the cut of 0.1
    assert make_settings(replace(config, max_steps=9, horizon_cut=0.5)).horizon == 1


def test_alpha_is_shared_among_tuples_and_images_and_repeated_weights_are_stepped_once():
    puzzle = Rubik3x3()
    state = puzzle.after("U")  # its 24 images are 6 different states
    for nsym in (0, 24, 48):
        config = TdNTupleConfig(n_tuples=30, tuple_length=4, nsym=nsym, tcl="off", alpha=0.25, play_allow_undo=True)
        agent = TdNTuple.from_config(puzzle, config, 0)
        one_step(agent, config, state)
        assert agent.value(state[None])[0] == pytest.approx(0.25 * (config.reward + config.step_cost), rel=1e-4)


def test_ties_are_drawn_at_random_and_the_move_before_is_not_taken_back():
    puzzle = Rubik3x3()
    config = TdNTupleConfig(n_tuples=5, tuple_length=3, tcl="off", alpha=1e-6)
    agent = TdNTuple.from_config(puzzle, config, 0)
    sums, seeds = np.zeros(4), sample_seeds(np.random.default_rng(0), 3000)
    starts = puzzle.walk(seeds, np.full(3000, 20))
    arguments = make_coherence(config, agent.net), make_rules(puzzle)
    train_episodes(agent.net, *arguments, make_settings(replace(config, max_steps=2)), starts, seeds, sums)
    assert sums[1] > 5990
    two = puzzle.walk(seeds, np.full(3000, 2))
    sums[:] = 0
    agent.net.weights[:] = 0
    train_episodes(agent.net, *arguments, make_settings(replace(config, max_steps=1)), two, seeds, sums)
    assert sums[0] < 100  # two moves away, one move never solves it, except where two turns were one


# Learning ------------------------------------------------------------------------------------------------------------------


def learnt(puzzle, config, episodes, seed=0):
    learner = Learner(puzzle, config, seed)
    learner.learn(episodes)
    return learner.agent()


@pytest.mark.parametrize("extra", [{}, {"tcl": "off"}, {"tcl": "exp"}, {"lam": 0.5}, {"output": "tanh"}, {"epsilon": 0.1}])
def test_learns_hanoi(extra):
    config = TdNTupleConfig(
        board="plain", n_tuples=2, tuple_length=3, p_max=10, max_steps=20, scramble_allow_undo=True, **extra
    )
    quality = heuristic_quality(learnt(Hanoi(3), config, 4000))
    assert quality["greedy_solved"] >= 0.95
    if not extra:
        assert max(quality["error_by_distance"][1:4]) < 0.3


@pytest.mark.parametrize(
    "extra", [{}, {"nsym": 8}, {"nsym": 48}, {"board": "cubestate"}, {"board": "sticker", "tuple_length": 3}]
)
def test_learns_the_2x2x2_up_to_four_twists(extra):
    puzzle, config = Rubik2x2(), replace(SMALL, **extra)
    agent = learnt(puzzle, config, 4000)
    rows = solved_by_depth(puzzle, make_search("greedy", agent, {"max_steps": 50}), range(1, 5), 200, allow_undo=True)
    assert np.mean([row["solved"] for row in rows]) >= 0.98


def test_same_seed_same_weights_however_the_episodes_are_cut():
    config = replace(SMALL, nsym=3, epsilon=0.1, lam=0.3, trace_reset=True)
    whole = learnt(Rubik2x2(), config, 1000)
    learner = Learner(Rubik2x2(), config, 0)
    for episodes in (1, 399, 600):
        learner.learn(episodes)
    parts = learner.agent()
    assert whole.tuples == parts.tuples and (whole.net.weights == parts.net.weights).all()
    assert whole.tuples != learnt(Rubik2x2(), config, 10, seed=1).tuples


@pytest.mark.parametrize("name", ["greedy", "bwas", "beam", "mcts-konen"])
def test_every_search_runs_on_it(name):
    agent = learnt(Rubik2x2(), SMALL, 4000)
    states = states_of(Rubik2x2(), 10, depth=4)
    found = make_search(name, agent)(states)
    assert found.solved.mean() >= 0.8
    assert agent.policy(states).sum(axis=1) == pytest.approx(np.ones(10))


# Runs and settings ---------------------------------------------------------------------------------------------------------


def options(folder, resume=False, **config):
    return Options(
        run=RunOptions(folder, resume=resume, checkpoint_seconds=0.0),
        puzzle="rubik2x2-qtm",
        config=replace(SMALL, log_every=500, **config),
        evaluate_every=2000,
        cubes=20,
    )


def test_run_can_be_cut_and_resumed_and_loaded(tmp_path, monkeypatch):
    whole = train(options(tmp_path / "whole"))
    iterate = Learner.iterate

    def cut(learner):
        if learner.done == 1500:
            raise KeyboardInterrupt
        return iterate(learner)

    monkeypatch.setattr(Learner, "iterate", cut)
    with pytest.raises(KeyboardInterrupt):
        train(options(tmp_path / "cut"))
    monkeypatch.undo()
    resumed = train(options(tmp_path / "cut", resume=True))
    assert (resumed.net.weights == whole.net.weights).all()
    assert lines(tmp_path / "whole") == lines(tmp_path / "cut") and "solved" in lines(tmp_path / "whole")[-1]
    assert (tmp_path / "cut" / "learning.png").exists()
    loaded = agents.load(tmp_path / "cut")
    assert isinstance(loaded, TdNTuple) and (loaded.net.weights == whole.net.weights).all()
    assert loaded.settings() == whole.settings()
    with np.load(agents.last_checkpoint(tmp_path / "cut")) as stored:
        assert len(stored["weights_values"]) == (whole.net.weights != 0).sum() < len(whole.net.weights) / 2


def test_presets_are_the_reports_agents():
    assert set(KONEN) - {"source"} <= set(PRESETS)
    for name, (puzzle, config, _) in PRESETS.items():
        assert name not in KONEN or len(KONEN[name]["agent alone"]) in (config.p_max, 15)
        agent = TdNTuple.from_config(puzzle_from_name(puzzle), replace(config, n_tuples=3), 0)
        assert len(agent.symmetries) == max(1, config.nsym)
    chosen = preset_among(["--preset", "3x3-qtm-nsym16"], PRESETS)
    assert chosen.config.nsym == 16 and chosen.puzzle == "rubik3x3-qtm"
    with pytest.raises(ValueError, match="unknown preset '4x4'"):
        preset_among(["--preset=4x4"], PRESETS)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"board": "sticker3"}, "unknown board"),
        ({"tuple_mode": "spiral"}, "unknown way to make tuples"),
        ({"n_tuples": 0}, "n_tuples must be a whole number from 1 to"),
        ({"tuple_length": 15}, "has 1 to 14 cells"),
        ({"tuples": ("0,14",)}, "has cells 0..13, got 14"),
        ({"tuples": ("0,1,0",)}, "at most once"),
        ({"tuples": ("0,1", "")}, "cannot read the tuples"),
        ({"nsym": 25}, "nsym must be"),
        ({"nsym": -1}, "nsym must be a whole number"),
        ({"output": "relu"}, "output must be"),
        ({"board": "sticker", "tuple_length": 7, "n_tuples": 2}, "more than"),
    ],
)
def test_bad_networks_are_named(settings, message):
    with pytest.raises(ValueError, match=message):
        TdNTuple.from_config(Rubik2x2(), TdNTupleConfig(**settings), 0)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"step_cost": 0.1}, "step_cost"),
        ({"reward": 0.0}, "reward"),
        ({"alpha": 0.0}, "alpha"),
        ({"lam": 1.5}, "lam"),
        ({"tcl": "yes"}, "tcl must be"),
        ({"tc_accumulate": "all"}, "tc_accumulate"),
        ({"p_max": 0}, "p_max"),
        ({"output": "tanh", "reward": 2.0}, "tanh"),
    ],
)
def test_bad_settings_are_named(settings, message):
    with pytest.raises(ValueError, match=message):
        TdNTupleConfig(**settings)


def test_tuples_can_be_given_by_hand():
    agent = TdNTuple.from_config(Rubik2x2(), TdNTupleConfig(tuples=("0,7", "3")), 0)
    assert agent.tuples == ((0, 7), (3,)) and len(agent.net.weights) == 7 * 3 + 7
    with pytest.raises(ValueError, match="at least 1 cell"):
        TdNTuple(Rubik2x2(), "sticker2", [()])


def test_hanoi_has_neither_cube_boards_nor_symmetries():
    with pytest.raises(ValueError, match="is for cubes"):
        make_board(Hanoi(3), "sticker2")
    with pytest.raises(ValueError, match="no symmetries"):
        TdNTuple.from_config(Hanoi(3), TdNTupleConfig(board="plain", tuple_length=3, nsym=8), 0)
    with pytest.raises(ValueError, match="symmetries must be"):
        TdNTuple(Rubik3x3(), "sticker2", [(0, 1)], symmetries=(1, 0))
    with pytest.raises(ValueError, match="another network"):
        TdNTuple.from_stored(
            Hanoi(3),
            TdNTuple(Hanoi(3), "plain", [(0, 1, 2)]).settings(),
            TdNTuple(Hanoi(3), "plain", [(0,)]).arrays(),
        )


@pytest.mark.parametrize("board", ["sticker2", "cubestate"])
@pytest.mark.parametrize("puzzle", [Rubik2x2(), Rubik3x3()], ids=repr)
def test_values_that_no_piece_can_have_are_refused_and_nothing_outside_the_tables_is_read(puzzle, board):
    agent = TdNTuple.from_config(puzzle, TdNTupleConfig(board=board, n_tuples=5, tuple_length=4, nsym=8), 0)
    states = np.repeat(puzzle.goal[None], 3, axis=0)
    states[1, -1] = 255
    for look in (agent.cost_to_go, agent.policy):
        with pytest.raises(ValueError, match="has values below"):
            look(states)


def test_learns_a_permutation_puzzle_given_by_its_generators():
    three_cycles = [[1, 2, 0, 3, 4], [0, 1, 3, 4, 2]]
    puzzle = PermutationPuzzle("five", three_cycles, ["a", "b"])
    config = TdNTupleConfig(board="plain", n_tuples=4, tuple_length=3, p_max=6, max_steps=10)
    agent = learnt(puzzle, config, 4000)
    rows = solved_by_depth(puzzle, make_search("greedy", agent, {"max_steps": 50}), range(1, 6), 100)
    assert np.mean([row["solved"] for row in rows]) >= 0.95
    alike = PermutationPuzzle("alike", three_cycles, ["a", "b"], goal=[0, 0, 1, 1, 1])
    with pytest.raises(ValueError, match="whose pieces all differ"):
        Learner(alike, config, 0)


def test_the_reports_search_takes_its_rewards_from_the_run():
    puzzle = Rubik2x2()
    weights = np.random.default_rng(0).normal(0, 0.3, 2 * 21**2).astype(np.float32)
    agent = TdNTuple(puzzle, "sticker", [[0, 1], [2, 3]], step_cost=-0.1, weights=weights)
    states = puzzle.walk(sample_seeds(np.random.default_rng(1), 20), np.full(20, 4))

    def moves(**options):
        return make_search("mcts-konen", agent, {"iterations_per_move": 30, "max_moves": 12} | options)(states).moves

    assert moves() == moves(step_cost=-0.1, temperature=10.0) != moves(step_cost=-0.04, temperature=25.0)
    large = TdNTuple(puzzle_from_name("rubik3x3-htm"), "sticker", [[0, 1]])
    assert large.own_options == {"mcts-konen": {"reward": 1.0, "step_cost": -0.04, "temperature": 25.0}}
