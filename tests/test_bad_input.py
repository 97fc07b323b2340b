"""Whatever a person may get wrong is refused with a sentence that names the fault."""

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rubiks_gym  # noqa: F401
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
        ("Rubik3x3-v0", {"observation": "pixels"}, "unknown observation 'pixels'"),
        ("Hanoi-v0", {"disks": 0}, "disks must be a whole number from 1"),
        ("Hanoi-v0", {"disks": 2.5}, "disks"),
        ("Hanoi-v0", {"pegs": 2}, "pegs must be a whole number from 3"),
        ("Hanoi-v0", {"disks": True}, "disks"),
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
@pytest.mark.parametrize("action", [-1, 99, 2.5, "R", None, [0, 1]])
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
        envs.step(np.array([0, action], dtype=object if not isinstance(action, int) else int))
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
        ({"scramble": "R", "depth": 2}, "one reset option"),
        ({"scramble": "Q"}, "Q"),
        ({"scramble": 5}, "must be a string of moves"),
        ({"depth": -1}, "depth"),
        ({"depth": 1.5}, "depth"),
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


@pytest.mark.parametrize("metric", ["qtm", "htm"])
def test_wild_bytes_never_crash_the_kernels(metric, rng):
    for cube in (Rubik2x2(metric), Rubik3x3(metric)):
        wild = rng.integers(0, 256, (5000, cube.state_size)).astype(np.uint8)
        cube.apply(wild, rng.integers(0, cube.n_actions, 5000))
        cube.expand(wild), cube.is_solved(wild), cube.stickers(wild), cube.cubies(wild), cube.symmetries(wild[:100])
        for function in (cube.one_hot, cube.inverse):
            with pytest.raises(ValueError, match="values below|impossible"):
                function(wild)


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


# Strings of the letters that matter, so that some are right, and of anything.
moves = st.text(alphabet="URFDLBurfdlbxyzMES'2’3 \n", max_size=12) | st.text(max_size=8)  # noqa: RUF001
facelets = (
    st.text(alphabet="URFDLB", min_size=24, max_size=24) | st.permutations("URFDLB" * 4).map("".join) | st.text(max_size=60)
)


@settings(max_examples=10_000, deadline=None)
@given(moves)
def test_ten_thousand_strings_as_moves_are_read_or_refused(text):
    for cube in (Rubik2x2(), Rubik3x3("htm")):
        try:
            actions = cube.parse(text)
        except ValueError:
            continue
        # What was accepted is notation: only turns and spaces, and writing it out again gives the same actions.
        letters = [c for c in text if not c.isspace()]
        assert set(letters) <= set("URFDLB'’′2")  # noqa: RUF001
        assert sum(c in "URFDLB" for c in letters) <= len(actions)
        assert cube.parse(cube.format(actions)) == actions


@settings(max_examples=10_000, deadline=None)
@given(facelets)
def test_ten_thousand_strings_as_facelets_are_read_or_refused(text):
    cube = Rubik2x2()
    try:
        state = cube.from_facelets(text)
    except ValueError:
        return
    # What was accepted is a cube that shows those colours in some orientation.
    shown = {
        "".join(np.array(list(cube.facelets(state)))[np.argsort(rotation)])
        for rotation in cube.geometry.facelet_symmetries[:24]
    }
    assert "".join(text.split()) in shown


@settings(max_examples=2000, deadline=None)
@given(st.lists(st.integers(-5, 300), min_size=0, max_size=22), st.booleans())
def test_any_list_of_numbers_as_state_is_a_real_cube_or_refused(values, padded):
    cube = Rubik2x2()
    values = values[:7] if padded else values
    try:
        states = cube.check(values)
    except ValueError:
        return
    assert (cube.from_index(cube.index(states)) == states).all()
