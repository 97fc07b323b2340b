"""The registered environments: the Gymnasium API, equality of single and vector, seeds, copies, rendering."""

import copy
import json
import os
import pickle
import subprocess
import sys
import warnings

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env

import rubiks_gym
from rubiks_gym.envs.vector import AutoresetMode
from rubiks_gym.exact import has_table
from rubiks_gym.rewards import PlusMinusOne, Potential, Sparse, StepCost
from rubiks_gym.scrambles import AdaptiveK, FixedK, RandomState, UniformK

IDS = [entry.id for entry in rubiks_gym.PUZZLES.values()]
CUBES = ["Rubik2x2-v0", "Rubik3x3-v0"]
# Settings other than the defaults; where there are any, such that a table of true distances takes no time.
SETTINGS = {
    "Rubik2x2-v0": {"metric": "htm"},
    "Rubik3x3-v0": {"metric": "htm"},
    "Rubik4x4-v0": {"metric": "htm"},
    "Rubik5x5-v0": {"metric": "htm"},
    "RubikNxN-v0": {"size": 2, "metric": "htm"},
    "SlidingTile-v0": {"rows": 2, "columns": 3},
    "LightsOut-v0": {"side": 3},
    "TopSpin-v0": {"n": 7, "k": 3},
    "Pancake-v0": {"n": 6},
    "Permutation-v0": {"file": "rings.gap"},
    "Hanoi-v0": {"disks": 4},
}
VARIANTS = [
    (id, {"metric": metric, "observation": seen})
    for id in CUBES
    for metric in ("qtm", "htm")
    for seen in ("one-hot", "one-hot-uint8", "stickers", "cubies", "state")
]
VARIANTS += [
    ("Hanoi-v0", {"disks": disks, "pegs": pegs, "observation": seen})
    for disks, pegs in ((3, 3), (5, 4))
    for seen in ("state", "one-hot", "one-hot-uint8")
]
VARIANTS += [
    (id, {**SETTINGS.get(id, {}), "observation": seen})
    for id in IDS
    if id not in (*CUBES, "Hanoi-v0")
    for seen in gym.make(id).unwrapped.puzzle.observations
]
SCRAMBLES = ["uniform", "deepcube", "adaptive", "fixed", "random-state"]


@pytest.mark.parametrize(("id", "keywords"), VARIANTS)
def test_checkers_of_gymnasium_and_stable_baselines3_pass_without_warnings(id, keywords):
    from stable_baselines3.common.env_checker import check_env as check_env_sb3

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gym.make(id, **keywords).unwrapped, skip_render_check=keywords["observation"] != "state")
        check_env_sb3(gym.make(id, **keywords), warn=True)
        check_env_sb3(gym.make(id, render_mode="rgb_array", **keywords), warn=True, skip_render_check=False)


@pytest.mark.parametrize("id", IDS)
@pytest.mark.parametrize("reward", ["sparse", "step-cost", "deepcube", "potential"])
@pytest.mark.parametrize("scramble", SCRAMBLES)
def test_every_combination_of_scramble_and_reward_runs(id, reward, scramble):
    if not has_table(gym.make(id, **SETTINGS.get(id, {})).unwrapped.puzzle) and reward == "potential":
        with pytest.raises(ValueError, match="needs true distances"):
            gym.make(id, reward=reward)
        return
    env = gym.make(id, reward=reward, scramble=scramble, **SETTINGS.get(id, {}))
    env.reset(seed=0)
    for _ in range(20):
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        if terminated or truncated:
            env.reset()


def rollout(env, actions, seeds):
    """All that a list of single environments (with TimeLimit) or a vector environment returns for given actions [T, B]."""
    obs, info = env.reset(seed=seeds)
    log = [(obs.copy(), info["action_mask"], info["scramble_depth"])]
    for row in actions:
        obs, reward, terminated, truncated, info = env.step(row)
        log.append((obs.copy(), reward, terminated, truncated, info["action_mask"], info["scramble_depth"]))
        if "final_obs" in info:
            rows = np.flatnonzero(info["_final_obs"])
            log.append((rows, np.stack([info["final_obs"][row] for row in rows]), info["final_info"]["scramble_depth"][rows]))
    return log


@pytest.mark.parametrize("id", IDS)
@pytest.mark.parametrize("mode", list(AutoresetMode)[:2])
@pytest.mark.parametrize("scramble", ["uniform", "deepcube", "fixed", "random-state"])
def test_vector_environment_equals_single_ones_with_the_same_seeds_and_actions(id, mode, scramble, rng):
    keywords = {"scramble": scramble, "max_episode_steps": 7, "reward": "step-cost"}
    if scramble != "random-state":
        keywords["k_max"] = 1 if scramble == "fixed" else 2
    native = gym.make_vec(id, num_envs=6, autoreset_mode=mode, **keywords)
    sync = gym.make_vec(id, num_envs=6, vectorization_mode="sync", vector_kwargs={"autoreset_mode": mode}, **keywords)
    n = native.single_action_space.n
    actions = rng.integers(0, n, (60 if n <= 20 else 300, 6))  # to undo a move by chance takes longer
    ours, theirs = rollout(native, actions, 11), rollout(sync, actions, 11)
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs, strict=True):
        for x, y in zip(a, b, strict=True):
            np.testing.assert_array_equal(x, y)
    if scramble != "random-state":
        assert any(row[2].any() for row in ours[1:] if len(row) == 6), "some episode must be solved, or the test shows little"


def test_vector_of_one_equals_a_single_adaptive_environment(rng):
    keywords = {"scramble": "adaptive", "max_episode_steps": 5}
    native = gym.make_vec("Rubik2x2-v0", num_envs=1, **keywords)
    sync = gym.make_vec("Rubik2x2-v0", num_envs=1, vectorization_mode="sync", **keywords)
    for env in (native.task, sync.envs[0].unwrapped.task):
        env.scramble.window, env.scramble.success_rate = 5, 0.2
    actions = rng.integers(0, 6, (600, 1))
    for a, b in zip(rollout(native, actions, 3), rollout(sync, actions, 3), strict=True):
        for x, y in zip(a, b, strict=True):
            np.testing.assert_array_equal(x, y)
    assert native.task.scramble.convergence_points == sync.envs[0].unwrapped.task.scramble.convergence_points > 0


@pytest.mark.parametrize("id", IDS)
def test_same_seed_gives_the_same_episodes_in_another_process(id):
    program = f"""
import gymnasium as gym, numpy as np, rubiks_gym
env = gym.make({id!r}, scramble="random-state"); env.action_space.seed(5)
obs = [env.reset(seed=123)[0]] + [env.reset()[0] for _ in range(3)]
obs += [env.step(env.action_space.sample())[0] for _ in range(10)]
print(np.concatenate(obs).tolist())
"""
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    env = gym.make(id, scramble="random-state")
    env.action_space.seed(5)
    seen = [env.reset(seed=123)[0]] + [env.reset()[0] for _ in range(3)]
    seen += [env.step(env.action_space.sample())[0] for _ in range(10)]
    assert str(np.concatenate(seen).tolist()) == printed.strip()


def test_unseeded_environments_differ():
    starts = {gym.make("Rubik3x3-v0", scramble="random-state").reset()[0].tobytes() for _ in range(5)}
    assert len(starts) == 5
    vector = gym.make_vec("Rubik3x3-v0", num_envs=5, scramble="random-state").reset()[0]
    assert len(np.unique(vector, axis=0)) == 5


@pytest.mark.parametrize("id", IDS)
def test_time_limit_truncates_and_solving_terminates(id):
    for env in (gym.make(id, max_episode_steps=3), gym.make_vec(id, num_envs=2, max_episode_steps=3)):
        puzzle = env.unwrapped.puzzle
        legal = puzzle.legal(puzzle.goal[None])[0].argmax()
        one_away = puzzle.apply(puzzle.goal[None], np.array([legal]))[0]
        back = int(puzzle.inverse_action[legal])
        act = (lambda a: np.full(2, a)) if isinstance(env, gym.vector.VectorEnv) else int
        env.reset(options={"state": one_away})
        _, reward, terminated, truncated, _ = env.step(act(back))
        assert np.all(terminated) and not np.any(truncated) and np.all(np.equal(reward, 1))
        far = puzzle.walk(np.array([3], np.uint64), np.array([9]))[0]
        env.reset(options={"state": far})
        outcomes = [env.step(act(back if i % 2 else legal))[2:4] for i in range(3)]
        assert [bool(np.all(t)) for _, t in outcomes] == [False, False, True]
        assert not any(np.any(t) for t, _ in outcomes)


def test_vector_environment_without_autoreset_resets_where_told():
    envs = gym.make_vec("Rubik2x2-v0", num_envs=3, autoreset_mode="disabled", max_episode_steps=2)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.DISABLED
    obs, _ = envs.reset(seed=0)
    envs.step(np.zeros(3, int))
    _, _, _, truncated, _ = envs.step(np.zeros(3, int))
    assert truncated.all()
    with pytest.raises(gym.error.ResetNeeded, match="reset_mask"):
        envs.step(np.zeros(3, int))
    before = envs.get_state()["state"]
    envs.reset(options={"reset_mask": np.array([True, False, True])})
    after = envs.get_state()
    assert (after["state"][1] == before[1]).all() and after["ended"].tolist() == [False, True, False]
    assert after["episode"].tolist() == [1, 0, 1]


@pytest.mark.parametrize("id", IDS)
def test_reset_options_choose_the_start(id):
    env, envs = gym.make(id), gym.make_vec(id, num_envs=3)
    puzzle = env.unwrapped.puzzle
    moves = puzzle.format(puzzle.parse("20 21") if id == "Hanoi-v0" else [1, puzzle.n_actions - 1, 1])
    _, info = env.reset(options={"scramble": moves})
    assert (env.unwrapped.get_state()["state"] == puzzle.after(moves)).all()
    assert info["scramble_depth"] == len(moves.split())
    envs.reset(options={"scramble": [moves, "", moves]})
    assert (envs.get_state()["state"] == np.stack([puzzle.after(moves), puzzle.goal, puzzle.after(moves)])).all()
    state = puzzle.random_states(np.array([5], np.uint64))[0]
    env.reset(options={"state": state.tolist()})
    assert (env.unwrapped.get_state()["state"] == state).all()
    envs.reset(options={"state": state})
    assert (envs.get_state()["state"] == state).all()
    assert env.reset(seed=1, options={"depth": 4})[1]["scramble_depth"] == 4
    assert envs.reset(seed=1, options={"depth": np.array([0, 1, 2])})[1]["scramble_depth"].tolist() == [0, 1, 2]
    assert puzzle.is_solved(envs.get_state()["state"]).tolist() == [True, False, False]


def test_reset_option_depth_is_one_walk_of_that_length():
    env = gym.make("Rubik2x2-v0", exact=True)
    seen = {env.reset(seed=seed, options={"depth": 3})[1]["distance"] for seed in range(40)}
    assert seen <= {1, 3}


@pytest.mark.parametrize("id", ["Rubik2x2-v0", "Hanoi-v0"])
def test_info_carries_the_true_distance_where_a_table_is_attached(id):
    envs = gym.make_vec(id, num_envs=50, exact=True, scramble="random-state")
    _, info = envs.reset(seed=0)
    assert (info["distance"] == envs.task.exact.distance(envs.get_state()["state"])).all()
    assert info["_distance"].all()
    assert "distance" not in gym.make(id).reset()[1]
    with pytest.raises(ValueError, match="no exact table"):
        gym.make("Rubik3x3-v0", exact=True)


@pytest.mark.parametrize("id", IDS)
def test_masks_are_the_legal_moves_and_can_be_sampled_from(id):
    env = gym.make(id, scramble="random-state")
    for seed in range(20):
        _, info = env.reset(seed=seed)
        mask = env.unwrapped.action_masks()
        assert (mask == info["action_mask"].astype(bool)).all()
        env.action_space.seed(seed)
        action = env.action_space.sample(info["action_mask"])
        before = env.unwrapped.get_state()["state"]
        env.step(action)
        assert (env.unwrapped.get_state()["state"] != before).any()
    envs = gym.make_vec(id, num_envs=9, scramble="random-state")
    envs.reset(seed=0)
    assert (envs.action_masks() == envs.puzzle.legal(envs.get_state()["state"])).all()


def test_an_illegal_move_changes_nothing_and_costs_a_step():
    env = gym.make("Hanoi-v0", reward="step-cost")
    obs, info = env.reset()
    illegal = int(np.flatnonzero(info["action_mask"] == 0)[0])
    after, reward, terminated, _, _ = env.step(illegal)
    assert (after == obs).all() and reward == pytest.approx(-0.1) and not terminated


@pytest.mark.parametrize("id", IDS)
@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["deepcopy", "pickle"])
def test_a_copy_goes_on_like_the_original_and_apart_from_it(id, duplicate):
    for env in (gym.make(id, render_mode="rgb_array"), gym.make_vec(id, num_envs=3)):
        env.reset(seed=4)
        env.action_space.seed(0)
        actions = [env.action_space.sample() for _ in range(30)]
        other = duplicate(env)
        for action in actions:
            for a, b in zip(env.step(action)[:4], other.step(action)[:4], strict=True):
                np.testing.assert_array_equal(a, b)
        other.reset(seed=99)
        np.testing.assert_array_equal(env.reset(seed=4)[0], duplicate(other).reset(seed=4)[0])


@pytest.mark.parametrize("id", IDS)
def test_a_planner_can_save_go_on_and_return(id):
    for env in (
        gym.make(id, scramble="random-state"),
        gym.make_vec(id, num_envs=4, scramble="random-state", max_episode_steps=9),
    ):
        env.reset(seed=2)
        base = env.unwrapped
        saved = base.get_state()
        env.action_space.seed(1)
        actions = [env.action_space.sample() for _ in range(12)]
        first = [env.step(action)[:3] for action in actions]
        first_start = env.reset()[0]
        base.set_state(saved)
        second = [env.step(action)[:3] for action in actions]
        for a, b in zip(first, second, strict=True):
            for x, y in zip(a, b, strict=True):
                np.testing.assert_array_equal(x, y)
        np.testing.assert_array_equal(first_start, env.reset()[0])


@pytest.mark.parametrize("id", IDS)
def test_spec_survives_json(id):
    keywords = SETTINGS.get(id, {})
    env = gym.make(id, reward="step-cost", scramble="fixed", k_max=3, **keywords)
    text = env.spec.to_json()
    json.loads(text)
    again = gym.make(EnvSpec.from_json(text))
    assert again.spec == env.spec
    np.testing.assert_array_equal(again.reset(seed=0)[0], env.reset(seed=0)[0])
    vector = gym.make_vec(id, num_envs=2, **keywords)
    assert json.loads(vector.spec.to_json())["kwargs"]["num_envs"] == 2


@pytest.mark.parametrize("scramble", [UniformK(4, allow_undo=True), AdaptiveK(9, window=5), RandomState()])
@pytest.mark.parametrize("reward", [StepCost(-1, 2), StepCost([-1] * 12 + [-1.5] * 6), Sparse(), PlusMinusOne()])
def test_spec_with_objects_of_ours_survives_json(scramble, reward):
    env = gym.make("Rubik3x3-v0", metric="htm", scramble=scramble, reward=reward)
    again = gym.make(EnvSpec.from_json(env.spec.to_json())).unwrapped.task
    assert again.scramble == scramble and again.reward == reward


@pytest.mark.parametrize("keywords", [{"reward": Potential(len)}, {"reward": lambda s, a, t, solved: solved}])
def test_spec_with_a_function_is_refused_for_json(keywords):
    with pytest.raises((TypeError, ValueError), match="not JSON serializable"):
        gym.make("Rubik2x2-v0", **keywords).spec.to_json()


def test_actions_may_cost_differently():
    env = gym.make("Rubik3x3-v0", metric="htm", reward={"name": "step-cost", "cost": [-1] * 12 + [-1.5] * 6, "goal_reward": 0})
    env.reset(options={"scramble": "U2 R"})
    names = env.unwrapped.puzzle.action_names
    assert [env.step(names.index(move))[1] for move in ("R'", "U2")] == [-1.0, -1.5]


@pytest.mark.parametrize("id", IDS)
def test_every_id_is_found_by_its_module_and_seen_as_floating_point_by_default(id):
    single, many = gym.make(f"rubiks_gym:{id}"), gym.make_vec(f"rubiks_gym:{id}", num_envs=2)
    for space in (single.observation_space, many.single_observation_space):
        assert isinstance(space, gym.spaces.Box) and space.dtype == np.float32
    assert gym.vector.VectorEnv in type(many).__bases__, "skrl looks at the direct bases"


@pytest.mark.parametrize("id", IDS)
def test_gymnasiums_wrappers_work(id, tmp_path):
    env = gym.wrappers.RecordEpisodeStatistics(gym.wrappers.FlattenObservation(gym.make(id, max_episode_steps=5)))
    env.reset(seed=0)
    info = {}
    while "episode" not in info:
        *_, info = env.step(env.action_space.sample())
    assert info["episode"]["l"] <= 5
    envs = gym.wrappers.vector.RecordEpisodeStatistics(gym.make_vec(id, num_envs=3, max_episode_steps=5))
    envs.reset(seed=0)
    for _ in range(6):
        *_, info = envs.step(envs.action_space.sample())
        if "episode" in info:
            break
    assert "episode" in info


@pytest.mark.filterwarnings("ignore")  # moviepy warns about its own files
def test_videos_are_recorded(tmp_path):
    env = gym.wrappers.RecordVideo(
        gym.make("Rubik3x3-v0", render_mode="rgb_array", max_episode_steps=4), str(tmp_path), disable_logger=True
    )
    env.reset(seed=0)
    for action in range(4):
        env.step(action)
    env.close()
    (video,) = tmp_path.glob("*.mp4")
    assert video.stat().st_size > 1000


@pytest.mark.parametrize("id", IDS)
def test_rendering_modes_show_the_state(id):
    env = gym.make(id, render_mode="ansi")
    env.reset(seed=0)
    first = env.render()
    env.step(int(env.unwrapped.action_masks().argmax()))
    assert isinstance(first, str) and env.render() != first
    env = gym.make(id, render_mode="rgb_array")
    env.reset(seed=0)
    picture = env.render()
    assert picture.dtype == np.uint8 and picture.ndim == 3
    env = gym.make(id, render_mode="rgb_array_list")
    env.reset(seed=0)
    env.step(0)
    assert len(env.render()) == 2
    env = gym.make(id, render_mode="human")
    env.metadata["render_fps"] = 1000
    env.reset(seed=0)
    assert env.step(0)[0] is not None and env.render() is None
    env.close()
    env.close()
    envs = gym.make_vec(id, num_envs=2, render_mode="rgb_array")
    envs.reset(seed=0)
    assert len(envs.render()) == 2
    with pytest.warns(UserWarning, match="render mode"):
        bare = gym.make(id)
        bare.reset()
        assert bare.unwrapped.render() is None


@pytest.mark.parametrize("id", IDS)
def test_documentation_page_has_gymnasiums_sections(id):
    page = type(gym.make(id).unwrapped).__doc__
    for section in (
        "Description",
        "Action Space",
        "Observation Space",
        "Starting State",
        "Rewards",
        "Episode End",
        "Information",
        "Arguments",
        "Version History",
    ):
        assert f"## {section}" in page


def test_examples_in_docstrings_are_true():
    import doctest

    for module in {type(gym.make(id).unwrapped).__module__ for id in IDS}:
        failed, tried = doctest.testmod(sys.modules[module])
        assert tried > 0 and failed == 0


def test_scramble_and_reward_objects_may_be_passed():
    env = gym.make("Rubik3x3-v0", scramble=FixedK(2, allow_undo=True), reward=lambda s, a, t, solved: -np.ones(len(s)))
    assert env.reset(seed=0)[1]["scramble_depth"] == 2
    assert env.step(0)[1] == -1.0


def test_next_step_autoreset_works_for_thousands_of_cubes_that_end_at_different_times(rng):
    envs = gym.make_vec("Rubik2x2-v0", num_envs=4000, scramble="fixed", k_max=1, max_episode_steps=20, reward="step-cost")
    envs.reset(seed=0)
    ended = np.zeros(4000, bool)
    episodes = 0
    for _ in range(60):
        obs, reward, terminated, truncated, info = envs.step(rng.integers(0, 6, 4000))
        assert (reward[ended] == 0).all() and not (terminated | truncated)[ended].any()
        restarted = envs.get_state()["state"][ended]
        assert not envs.puzzle.is_solved(restarted).any()
        ended = terminated | truncated
        episodes += ended.sum()
    assert episodes > 4000


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # newer Pythons warn of any fork beside threads
def test_environments_work_in_other_processes_also_when_threads_have_run_here(rng):
    cube = gym.make("Rubik3x3-v0").unwrapped.puzzle
    many = cube.random_states(rng.integers(0, 2**63, 70_000).astype(np.uint64))  # enough to start the pool of threads
    envs = gym.make_vec("Rubik3x3-v0", num_envs=2, vectorization_mode="async")
    native = gym.make_vec("Rubik3x3-v0", num_envs=2)
    np.testing.assert_array_equal(envs.reset(seed=3)[0], native.reset(seed=3)[0])
    np.testing.assert_array_equal(envs.step(np.array([1, 2]))[0], native.step(np.array([1, 2]))[0])
    envs.close()
    child = os.fork()  # a fork has the pool but not its threads; it must not wait for them
    if child == 0:
        os._exit(0 if len(cube.expand(many)) == 70_000 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
