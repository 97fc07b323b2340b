"""Whatever a person may get wrong is refused with a sentence that names the fault."""

import gymnasium as gym
import numpy as np
import pytest

import rubiks_gym
from rubiks_gym import checks
from rubiks_gym.puzzles import Hanoi, Rubik2x2, Rubik3x3, set_num_threads

IDS = ["Rubik2x2-v0", "Rubik3x3-v0", "Hanoi-v0"]


@pytest.mark.parametrize("make", [gym.make, gym.make_vec])
@pytest.mark.parametrize(
    ("id", "keywords", "fault"),
    [
        ("Rubik3x3-v0", {"metrik": "qtm"}, "metrik"),
        ("Hanoi-v0", {"metric": "qtm"}, "metric"),
        ("Rubik3x3-v0", {"metric": "stm"}, "metric must be 'qtm'"),
        ("Rubik3x3-v0", {"scramble": "hard"}, "unknown scramble 'hard'"),
        ("Rubik3x3-v0", {"k_max": 0}, "k_max"),
        ("Rubik3x3-v0", {"reward": "dense"}, "unknown reward 'dense'"),
        ("Rubik3x3-v0", {"observation": "pixels"}, "observation must be one of 'one-hot'.* got 'pixels'"),
        ("Hanoi-v0", {"disks": 0}, "disks must be a whole number from 1"),
        ("Hanoi-v0", {"disks": 2.5}, "disks"),
        ("Hanoi-v0", {"pegs": 2}, "pegs must be a whole number from 3"),
        ("Hanoi-v0", {"disks": True}, "disks"),
        ("Rubik2x2-v0", {"observation": 0}, "observation must be one of .* got 0"),
        ("Rubik2x2-v0", {"observation": False}, "observation must be one of .* got False"),
        ("Rubik2x2-v0", {"observation": []}, "observation must be one of .*got \\[\\]"),
        ("Rubik2x2-v0", {"scramble": {"k_max": 3}}, "needs a 'name'"),
        ("Rubik2x2-v0", {"scramble": {"name": "fixed", "k_max": 10**9}}, "k_max must be a whole number from 1 to 100000"),
        ("Rubik2x2-v0", {"scramble": {"name": "fixed", "allow_undo": "yes"}}, "allow_undo must be True or False"),
        ("Rubik2x2-v0", {"reward": {"name": "step-cost", "cost": [1, 2]}}, "cost must be 6 finite numbers"),
        ("Rubik2x2-v0", {"reward": {"name": "step-cost", "cost": float("nan")}}, "cost must be 1 finite numbers"),
        ("Rubik2x2-v0", {"reward": {"cost": 1}}, "unknown reward ''"),
    ],
)
def test_unknown_keywords_and_values_are_refused(make, id, keywords, fault):
    with pytest.raises((ValueError, TypeError), match=fault):
        make(id, **keywords)


@pytest.mark.parametrize(
    ("keywords", "fault"),
    [
        ({"num_envs": 0}, "num_envs"),
        ({"autoreset_mode": "sometimes"}, "autoreset_mode must be"),
        ({"max_episode_steps": 0}, "max_episode_steps"),
    ],
)
def test_vector_arguments_are_checked(keywords, fault):
    with pytest.raises(ValueError, match=fault):
        gym.make_vec("Rubik2x2-v0", **keywords)


def test_render_mode_is_checked():
    from rubiks_gym.envs import Rubik2x2Env, Rubik2x2VectorEnv

    with pytest.raises(ValueError, match="render_mode must be None or one of ansi"):
        Rubik2x2Env(render_mode="hologram")
    with pytest.raises(ValueError, match="render_mode"):
        Rubik2x2VectorEnv(render_mode="human")


@pytest.mark.parametrize("id", IDS)
@pytest.mark.parametrize("action", [-1, 99, 2.5, "R", None, [0, 1], 2**63, 2**70])
def test_actions_that_do_not_exist_are_refused_and_nothing_changes(id, action):
    env = gym.make(id)
    env.reset(seed=0)
    before = env.unwrapped.get_state()
    with pytest.raises(ValueError, match="action"):
        env.step(action)
    envs = gym.make_vec(id, num_envs=2)
    envs.reset(seed=0)
    vector_before = envs.get_state()
    with pytest.raises(ValueError, match="action"):
        envs.step(np.array([0, action], dtype=int if action in (-1, 99) else object))
    assert all(np.array_equal(before[key], value) for key, value in env.unwrapped.get_state().items())
    assert all(np.array_equal(vector_before[key], value) for key, value in envs.get_state().items())


@pytest.mark.parametrize("id", IDS)
def test_step_before_reset_is_refused(id):
    for env in (gym.make(id), gym.make(id).unwrapped, gym.make_vec(id, num_envs=2)):
        with pytest.raises(gym.error.ResetNeeded):
            env.step(0 if not isinstance(env, gym.vector.VectorEnv) else np.zeros(2, int))
    for call in ("action_masks", "get_state"):
        with pytest.raises(gym.error.ResetNeeded):
            getattr(gym.make(id).unwrapped, call)()
        with pytest.raises(gym.error.ResetNeeded):
            getattr(gym.make_vec(id, num_envs=2), call)()


@pytest.mark.parametrize("id", IDS)
@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({"scrambel": "R"}, "unknown reset option 'scrambel'"),
        (5, "must be a dictionary"),
        ({"scramble": "R", "depth": 2}, "one reset option"),
        ({"scramble": "Q"}, "Q"),
        ({"scramble": 5}, "must be a string of moves"),
        ({"depth": -1}, "depth"),
        ({"depth": 1.5}, "depth"),
        ({"depth": 10**9}, "depth"),
        ({"depth": [[1], [2, 3]]}, "depth"),
        ({"scramble": []}, "must be a string of moves"),
        ({"state": [1, 2]}, "shape"),
        ({"state": "RUF"}, "whole numbers"),
        ({"state": [[250] * 20]}, "shape|values|whole"),
        ({"state": None}, "whole numbers|shape"),
    ],
)
def test_bad_reset_options_are_refused_and_nothing_changes(id, options, fault):
    for env in (gym.make(id), gym.make_vec(id, num_envs=3)):
        env.reset(seed=0)
        before = env.unwrapped.get_state()
        with pytest.raises(ValueError, match=fault):
            env.reset(options=options)
        assert all(np.array_equal(before[key], value) for key, value in env.unwrapped.get_state().items())


def test_an_impossible_start_is_refused_by_name():
    env = gym.make("Rubik3x3-v0")
    state = env.unwrapped.puzzle.goal.copy()
    state[0] += 1
    with pytest.raises(ValueError, match="twisted corner"):
        env.reset(options={"state": state})
    with pytest.raises(ValueError, match="1 start or 2, got 3"):
        gym.make_vec("Rubik3x3-v0", num_envs=2).reset(options={"scramble": ["R", "U", "F"]})
    for mask in ([True, False], np.array([1, 0]), np.array([False, False]), np.array([True])):
        with pytest.raises(ValueError, match="reset_mask"):
            gym.make_vec("Rubik3x3-v0", num_envs=2).reset(options={"reset_mask": mask})
    with pytest.raises(ValueError, match="one for each of the 2"):
        gym.make_vec("Rubik3x3-v0", num_envs=2).reset(seed=[1, 2, 3])
    with pytest.raises(ValueError, match="has 2 copies"):
        vector = gym.make_vec("Rubik3x3-v0", num_envs=2)
        vector.reset()
        gym.make_vec("Rubik3x3-v0", num_envs=3).set_state(vector.get_state())


@pytest.mark.parametrize("puzzle", [Rubik2x2(), Rubik3x3("htm"), Hanoi(4)], ids=lambda p: p.name)
def test_wrong_shapes_and_types_are_refused(puzzle):
    good = np.tile(puzzle.goal, (2, 1))
    for bad in (puzzle.goal, good.astype(int), good[:, :-1], good.tolist(), None, good[None]):
        for function in (puzzle.is_solved, puzzle.expand, puzzle.one_hot, puzzle.pack):
            with pytest.raises(ValueError, match="must be a uint8 array of shape"):
                function(bad)
        with pytest.raises(ValueError, match="uint8 array"):
            puzzle.apply(bad, np.zeros(2, int))
    for actions in ([0], [0, 1, 2], [0.5, 1], [[0, 1]], ["R", "U"]):
        with pytest.raises(ValueError, match="actions must"):
            puzzle.apply(good, actions)
    for actions in ([0, -1], [0, puzzle.n_actions]):
        with pytest.raises(ValueError, match="does not exist"):
            puzzle.apply(good, actions)
    with pytest.raises(ValueError, match="does not exist"):
        puzzle.format([0, 100])


def test_transposed_and_sliced_batches_are_read_right(rng):
    cube = Rubik3x3()
    states = cube.random_states(rng.integers(0, 2**63, 10).astype(np.uint64))
    assert (cube.expand(np.asfortranarray(states)) == cube.expand(states)).all()
    assert (cube.expand(states[::2]) == cube.expand(states)[::2]).all()


def test_index_out_of_range_is_refused():
    for puzzle in (Rubik2x2(), Hanoi(3)):
        for index in ([-1], [puzzle.n_states]):
            with pytest.raises(ValueError, match="between 0 and"):
                puzzle.from_index(index)
    with pytest.raises(ValueError, match="at least 1"):
        set_num_threads(0)
    with pytest.raises(ValueError, match="size 2 and 3"):
        from rubiks_gym.puzzles import Cube

        Cube(4)


def test_seeds_of_any_integer_type_mean_the_same_and_others_are_refused():
    for puzzle in (Rubik2x2(), Hanoi(4)):
        seeds = np.arange(500, dtype=np.uint64)
        for kind in (np.int64, np.int32, np.uint8):
            few = seeds.astype(kind)[:200]
            assert (puzzle.random_states(few) == puzzle.random_states(seeds[:200])).all()
            assert (puzzle.walks(few, 5) == puzzle.walks(seeds[:200], 5)).all()
            assert (puzzle.walk(few, 7) == puzzle.walk(seeds[:200], np.full(200, 7))).all()
        for bad in (seeds.astype(float), seeds[:, None], 5, ["a"]):
            with pytest.raises(ValueError, match="seeds must be whole numbers"):
                puzzle.walks(bad, 3)
        for bad in (-1, 2.7, [1, 2], np.full(500, -1)):
            with pytest.raises(ValueError, match="depths must be whole numbers"):
                puzzle.walk(seeds, bad)
        for bad in ([1.7], [[1, 2]]):
            with pytest.raises(ValueError, match="an index must be whole numbers"):
                puzzle.from_index(bad)
        with pytest.raises(ValueError, match=r"come from pack\(\)"):
            puzzle.unpack(np.zeros((2, 0), np.uint64))


@pytest.mark.parametrize("seed", [-1, 1.5, "abc", [1.9, 2], [-1, 2], True])
def test_bad_vector_seeds_are_refused(seed):
    with pytest.raises(ValueError, match="seed must be a whole number"):
        gym.make_vec("Rubik2x2-v0", num_envs=2).reset(seed=seed)


@pytest.mark.parametrize("seed", [-1, 1.0, "3", True, np.array(3), np.array(1.5), [1]])
def test_bad_single_seeds_are_refused(seed):
    with pytest.raises(ValueError, match="seed must be a whole number of at least 0"):
        gym.make("Rubik2x2-v0").unwrapped.reset(seed=seed)
    with pytest.raises(ValueError, match="seed"):
        gym.make_vec("Rubik2x2-v0", num_envs=2).reset(seed=seed)


class Drawing:
    """A scramble that returns what it is told."""

    def __init__(self, *starts):
        self.starts = starts

    def draw(self, puzzle, streams, episodes):
        return self.starts


TURN = Rubik3x3().after("R")
TWISTED = Rubik3x3().goal + np.eye(20, dtype=np.uint8)[0]


@pytest.mark.parametrize(
    ("starts", "fault"),
    [
        ((TWISTED[None], np.array([1])), "impossible starts: .*twisted corner"),
        ((np.full((1, 20), 255, np.uint8), np.array([1])), "impossible starts"),
        ((TURN, np.array([1])), r"impossible starts: .*shape \(B, 20\), got uint8 \(20,\)"),
        ((TURN[None].astype(np.int64), np.array([1])), "impossible starts: .*uint8"),
        ((TURN[None].tolist(), np.array([1])), "impossible starts: .*list"),
        ((np.stack([TURN] * 2), np.array([1])), "must return 1 states, got 2"),
        ((TURN[None], 1), "depths that draw .* must be 1 whole numbers of at least -1"),
        ((TURN[None], np.array([1.0])), "whole numbers"),
        ((TURN[None], np.array([-2])), "whole numbers"),
        ((TURN[None],), r"must return \(states, depths\)"),
    ],
)
def test_a_scramble_object_that_draws_no_starts_is_named(starts, fault):
    with pytest.raises(ValueError, match=fault):
        gym.make("Rubik3x3-v0", scramble=Drawing(*starts)).reset(seed=0)


def test_a_scramble_object_keeps_its_own_array():
    mine = TURN[None].copy()
    mine.flags.writeable = False
    env = gym.make("Rubik3x3-v0", scramble=Drawing(mine, np.array([1]))).unwrapped
    env.reset(seed=0)
    assert (env.get_state()["state"] == TURN).all() and not np.shares_memory(env._states, mine)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, None, 1j, "1"])
def test_a_reward_that_is_no_number_is_refused(wrong):
    envs = gym.make_vec("Rubik2x2-v0", num_envs=2, reward=lambda s, a, t, solved: [0, wrong])
    envs.reset(seed=0)
    with pytest.raises(ValueError, match="rewards, one per transition, must be 2 finite numbers"):
        envs.step(np.zeros(2, int))


def test_numpy_seeds_are_seeds():
    one, other = gym.make_vec("Rubik3x3-v0", num_envs=2), gym.make_vec("Rubik3x3-v0", num_envs=2)
    np.testing.assert_array_equal(one.reset(seed=np.int64(7))[0], other.reset(seed=np.array([7, 8]))[0])
    np.testing.assert_array_equal(one.reset(seed=7)[0], other.reset(seed=[7, 8])[0])


@pytest.mark.parametrize(
    "change",
    [
        {"state": None},
        {"stream": 1.5},
        {"stream": -1},
        {"episode": "x"},
        {"episode": -1},
        {"scramble_depth": [1, 2, 3]},
        {"scramble_depth": -2},
        {"stream": ...},
    ],
)
def test_set_state_refuses_what_get_state_did_not_return_and_nothing_changes(change):
    for env in (gym.make("Rubik2x2-v0").unwrapped, gym.make_vec("Rubik2x2-v0", num_envs=2)):
        env.reset(seed=0)
        saved = env.get_state()
        bad = {key: value for key, value in {**saved, **change}.items() if value is not ...}
        with pytest.raises(ValueError, match="whole numbers|missing"):
            env.set_state(bad)
        assert all(np.array_equal(saved[key], value) for key, value in env.get_state().items())
    with pytest.raises(ValueError, match="elapsed"):
        env.set_state({**saved, "elapsed": np.zeros(5, int)})
    for wrong in ({"elapsed": [-1, 0]}, {"elapsed": [0.5, 0]}, {"ended": [1, 0]}, {"ended": "no"}):
        with pytest.raises(ValueError, match=f"{next(iter(wrong))} must be 2 "):
            env.set_state({**saved, **wrong})
    for wrong in (None, [], "state"):
        with pytest.raises(ValueError, match="is missing: set_state takes what get_state returned"):
            env.set_state(wrong)


def test_a_reward_may_not_return_a_matrix_nor_change_the_environment():
    from rubiks_gym.rewards import Potential, StepCost

    def meddling(states, actions, next_states, solved):
        next_states[:] = 0
        return solved

    for reward, fault in (
        (Potential(lambda s: np.ones((len(s), 1))), "what cost_to_go returns must be 3 finite numbers"),
        (Potential(lambda s: np.full(len(s), np.nan)), "finite"),
        (Potential(lambda s: np.ones(len(s)), base=lambda s, a, t, solved: solved[:, None]), "one per transition"),
        (meddling, "read-only"),
    ):
        envs = gym.make_vec("Rubik2x2-v0", num_envs=3, reward=reward)
        envs.reset(seed=0)
        with pytest.raises(ValueError, match=fault):
            envs.step(np.zeros(3, int))
    for wrong in (StepCost, "spares", 3):
        with pytest.raises(ValueError, match="reward"):
            gym.make("Rubik2x2-v0", reward=wrong)
    with pytest.raises(ValueError, match="reward must be a name or a function"):
        Potential(len, base="sparse")
    with pytest.raises(ValueError, match="exact must be True or False"):
        gym.make("Rubik2x2-v0", exact="yes")
    assert StepCost(-1, 2)(None, None, None, np.array([True])).dtype == np.float64


def test_submodules_are_there_when_asked_for():
    assert rubiks_gym.scrambles.UniformK(3).k_max == 3 and "beam" in rubiks_gym.search.SEARCHES
    with pytest.raises(AttributeError, match="no attribute 'scrambels'"):
        rubiks_gym.scrambels  # noqa: B018


# The checks themselves --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [1, 5, np.int64(3), np.uint8(2)])
def test_whole_numbers_within_the_bounds_pass(value):
    checks.whole(1, 5, width=value)
    checks.whole(1, width=value, depth=2)


@pytest.mark.parametrize("value", [0, 6, -1, 2.0, "3", None, True, np.bool_(True), np.float64(2), np.nan, [2]])
def test_what_is_no_whole_number_within_the_bounds_is_named(value):
    with pytest.raises(ValueError, match="^width must be a whole number from 1 to 5, got "):
        checks.whole(1, 5, depth=2, width=value)
    if value in (0, -1):
        with pytest.raises(ValueError, match="^width must be a whole number of at least 1, got "):
            checks.whole(1, width=value)


def test_numbers_are_finite_and_within_the_bounds():
    checks.number(least=0, most=1, rate=0, decay=1, other=np.float32(0.5))
    checks.number(rate=-1e9)
    for bounds, wrong in (({"least": 0}, -0.1), ({"most": 1}, 1.1), ({"above": 0}, 0), ({"below": 1}, 1)):
        with pytest.raises(ValueError, match=f"^rate must be a number .*{next(iter(bounds.values()))}, got {wrong}"):
            checks.number(**bounds, rate=wrong)
    for wrong in (np.inf, -np.inf, np.nan, "1", None, True, 1j, [1.0]):
        with pytest.raises(ValueError, match="^rate must be a number, got "):
            checks.number(rate=wrong)


def test_flags_and_choices():
    checks.flag(shorten=True, revisit=np.bool_(False))
    checks.choice(("mean", "max"), backup="max")
    for wrong in (1, 0, "True", None):
        with pytest.raises(ValueError, match="^shorten must be True or False, got "):
            checks.flag(shorten=wrong)
    for wrong in ("min", None, 1, ["max"]):
        with pytest.raises(ValueError, match="^backup must be one of 'mean', 'max', got "):
            checks.choice(("mean", "max"), backup=wrong)


def test_fields_are_checked_by_their_names():
    checks.whole(3, **checks.named(rubiks_gym.scrambles.UniformK(3), "k_max"))
    with pytest.raises(ValueError, match="^k_max must be a whole number of at least 4, got 3"):
        checks.whole(4, **checks.named(rubiks_gym.scrambles.UniformK(3), "k_max"))


def test_arrays_are_of_a_kind_a_shape_and_not_below_a_bound():
    (found,) = checks.array("whole numbers", (2,), -1, depth=[-1, 3])
    assert found.tolist() == [-1, 3]
    checks.array("finite numbers", (), cost=1.5)
    checks.array("True or False", (1,), ended=np.array([True]))
    for kind, wrong in (
        ("whole numbers", [1.0, 2.0]),
        ("whole numbers", [1]),
        ("whole numbers", [1, -1]),
        ("whole numbers", [True, False]),
        ("whole numbers", [[1], [2, 3]]),
        ("finite numbers", [1, np.inf]),
        ("finite numbers", [1, None]),
        ("True or False", [0, 1]),
    ):
        with pytest.raises(ValueError, match=f"^depth must be 2 {kind} of at least 0, shape \\(2,\\), got "):
            checks.array(kind, (2,), 0, depth=wrong)


@pytest.mark.parametrize("puzzle", [Rubik2x2(), Rubik3x3("htm"), Hanoi(4)], ids=lambda p: p.name)
def test_no_shape_and_no_type_reaches_a_kernel_of_step_that_would_trust_it(puzzle):
    good, actions = np.tile(puzzle.goal, (3, 1)), np.zeros(3, np.int64)
    for bad in (
        good[:, :-1],
        np.tile(good, 50),
        good.astype(np.int64) + 10**6,
        good[:2],
        good.tolist(),
        None,
        good[0],
        good[None],
    ):
        with pytest.raises(ValueError, match="uint8 array of shape|actions must have shape"):
            puzzle.step(bad, actions)
    for bad in (actions[:1], actions.astype(float), actions[None], 0, None, "R"):
        with pytest.raises(ValueError, match="actions must"):
            puzzle.step(good, bad)
    assert (puzzle.step(good, [0, 1, 2])[0] == puzzle.step(good, np.array([0, 1, 2], np.uint8))[0]).all()


@pytest.mark.parametrize("puzzle", [Rubik2x2(), Hanoi(4), Rubik3x3("htm")], ids=lambda p: p.name)
def test_what_is_written_into_can_be_written_to_and_fits(puzzle):
    good = np.tile(puzzle.goal, (2, 1))
    room = np.empty((2, puzzle.n_actions, puzzle.state_size), np.uint8)
    frozen = room.copy()
    frozen.flags.writeable = False
    for bad in (frozen, room[:1], room.astype(int), room[:, :, ::-1], [1]):
        with pytest.raises(ValueError, match="out must be a contiguous uint8 array"):
            puzzle.expand(good, out=bad)
    if isinstance(puzzle, Rubik2x2):
        with pytest.raises(ValueError, match="out must be a contiguous uint8 array"):
            puzzle.step(good, np.zeros(2, np.int64), out=good[:1].copy())


@pytest.mark.parametrize("puzzle", [Rubik2x2(), Hanoi(4)], ids=lambda p: p.name)
@pytest.mark.parametrize("depth", [-1, 1.5, True, 10**9, 10**18, "3", None])
def test_a_walk_has_a_length_that_can_be(puzzle, depth):
    seeds = np.arange(2, dtype=np.uint64)
    for walks in (puzzle.walks, puzzle.canonical_walks):
        with pytest.raises(ValueError, match="depth must be a whole number from 0 to 100000"):
            walks(seeds, depth)
    if depth is not True:
        with pytest.raises(ValueError, match="depths must be whole numbers from 0 to 100000"):
            puzzle.walk(seeds, depth)
    with pytest.raises(ValueError, match="allow_undo must be True or False"):
        puzzle.walks(seeds, 3, allow_undo="no")


def test_long_walks_of_many_are_made_in_pieces_and_are_the_same(monkeypatch):
    cube, seeds = Rubik3x3(), np.arange(3000, dtype=np.uint64)
    depths = seeds.astype(np.int64) % 40
    whole = cube.walk(seeds, depths), cube.walks(seeds, 7)
    monkeypatch.setattr("rubiks_gym.puzzles.tabled.AT_A_TIME", 1000)
    assert (cube.walk(seeds, depths) == whole[0]).all() and (cube.walks(seeds, 7) == whole[1]).all()
