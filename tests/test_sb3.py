"""The adapter for stable-baselines3: it equals SB3's own vector environment of single ones, and SB3's programs run on it."""

import importlib
import subprocess
import sys
import textwrap

import gymnasium as gym
import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecCheckNan, VecMonitor, VecNormalize

import rubiks_gym.sb3
from rubiks_gym.sb3 import PuzzleVecEnv
from rubiks_gym.scrambles import AdaptiveK

# Starts near the goal and short episodes, so that random moves solve some and run out of time in others.
CASES = [
    ("Rubik2x2-v0", {"observation": "one-hot", "scramble": "fixed", "k_max": 1}),
    ("Rubik2x2-v0", {"metric": "htm", "observation": "cubies", "reward": "deepcube", "k_max": 2}),
    ("Rubik2x2-v0", {"reward": "potential", "exact": True, "scramble": "deepcube", "k_max": 3}),
    ("Rubik3x3-v0", {"observation": "stickers", "reward": "step-cost", "scramble": "fixed", "k_max": 1}),
    ("Rubik3x3-v0", {"metric": "htm", "observation": "one-hot", "reward": "deepcube", "k_max": 1}),
    ("Hanoi-v0", {"disks": 2, "observation": "one-hot", "reward": "step-cost", "scramble": "random-state"}),
    ("Hanoi-v0", {"disks": 3, "pegs": 4, "observation": "state", "reward": "potential", "scramble": "uniform", "k_max": 2}),
]


def ended_differently(infos, counts):
    """Count how the episodes of a step ended: solved, out of time."""
    for info in filter(None, infos):
        counts[int(info["TimeLimit.truncated"])] += 1


@pytest.mark.parametrize(("id", "keywords"), CASES)
def test_equals_a_dummy_vec_env_of_monitored_single_environments(id, keywords, rng):
    n, keywords = 5, keywords | {"max_episode_steps": 6}
    ours = PuzzleVecEnv(id, num_envs=n, **keywords)
    theirs = DummyVecEnv([lambda: Monitor(gym.make(id, **keywords))] * n)
    assert ours.observation_space == theirs.observation_space and ours.action_space == theirs.action_space
    assert ours.seed(7) == theirs.seed(7)
    first, expected = ours.reset(), theirs.reset()
    np.testing.assert_array_equal(first, expected)
    assert first.dtype == expected.dtype
    np.testing.assert_equal(ours.reset_infos, theirs.reset_infos)
    counts = [0, 0]
    for step in range(300):
        if step == 150:  # a reset in the midst of episodes, without a seed
            np.testing.assert_array_equal(ours.reset(), theirs.reset())
        actions = rng.integers(0, ours.action_space.n, n)
        obs, rewards, dones, infos = ours.step(actions)
        expected = theirs.step(actions)
        for a, b in zip((obs, rewards, dones), expected[:3], strict=True):
            np.testing.assert_array_equal(a, b)
            assert a.dtype == b.dtype
        for done, info, other in zip(dones, infos, expected[3], strict=True):
            if not done:
                assert info == {}
                continue
            np.testing.assert_array_equal(info["terminal_observation"], other["terminal_observation"])
            assert info["TimeLimit.truncated"] == other["TimeLimit.truncated"] != info["is_success"]
            assert info["scramble_depth"] == other["scramble_depth"]
            assert info["episode"].keys() == other["episode"].keys()
            assert (info["episode"]["r"], info["episode"]["l"]) == (other["episode"]["r"], other["episode"]["l"])
            assert [type(value) for value in info["episode"].values()] == [float, int, float]
        np.testing.assert_equal(ours.reset_infos, theirs.reset_infos)
        np.testing.assert_array_equal(get_action_masks(ours), get_action_masks(theirs))
        ended_differently(infos, counts)
    assert min(counts) > 10, "both kinds of ending must occur, or the test shows little"


def test_reset_options_reach_the_copies_as_in_a_dummy_vec_env():
    ours = PuzzleVecEnv("Rubik2x2-v0", num_envs=3)
    theirs = DummyVecEnv([lambda: gym.make("Rubik2x2-v0")] * 3)
    states = ours.env.puzzle.random_states(np.arange(3, dtype=np.uint64))
    for options in (
        {"scramble": "R U F'"},
        {"depth": 5},
        {"state": states[0]},
        [{"scramble": "R"}, {"scramble": "U F2"}, {"scramble": ""}],
        [{"depth": 0}, {"depth": 1}, {"depth": 2}],
        [{"state": state} for state in states],
        [{"state": state.tolist()} for state in states],
        [{"depth": 3}] * 3,
        [{}, None, {}],
        None,
    ):
        for env in (ours, theirs):
            env.seed(1)
            env.set_options(options)
        np.testing.assert_array_equal(ours.reset(), theirs.reset())
        np.testing.assert_equal(ours.reset_infos, theirs.reset_infos)
        np.testing.assert_array_equal(ours.reset(), theirs.reset())  # options are for one reset only
    for options, message in (
        ([{"depth": 1}, {}, {}], "same kind"),
        ([{"depth": 1}] * 2, "each of 3 copies"),
        ({"dept": 1}, "unknown reset option"),
    ):
        ours.set_options(options)
        with pytest.raises(ValueError, match=message):
            ours.reset()


def test_terminal_observation_is_of_the_ended_episode_and_the_returned_one_of_the_next():
    env = PuzzleVecEnv("Rubik2x2-v0", num_envs=2, scramble="fixed", k_max=4, observation="stickers")
    puzzle = env.env.puzzle
    env.set_options({"scramble": "R"})
    env.reset()
    obs, rewards, dones, infos = env.step(np.full(2, puzzle.action_names.index("R'")))
    assert dones.all() and rewards.tolist() == [1, 1]
    states = env.env.get_state()["state"]
    for row, info in enumerate(infos):
        np.testing.assert_array_equal(info["terminal_observation"], puzzle.stickers(puzzle.goal[None])[0])
        np.testing.assert_array_equal(obs[row], puzzle.stickers(states[row : row + 1])[0])
        assert info["scramble_depth"] == 1 and env.reset_infos[row]["scramble_depth"] == 4
    assert not puzzle.is_solved(states).any()
    kept = infos[0]["terminal_observation"].copy()
    env.step(np.zeros(2, int))
    np.testing.assert_array_equal(infos[0]["terminal_observation"], kept)  # later steps leave it alone


def test_solving_at_the_last_allowed_step_is_no_truncation():
    env = PuzzleVecEnv("Rubik2x2-v0", num_envs=2, max_episode_steps=2)
    names = env.env.puzzle.action_names
    env.set_options({"scramble": "R U"})
    env.reset()
    env.step(np.array([names.index("U'"), names.index("U'")]))
    _, rewards, dones, infos = env.step(np.array([names.index("R'"), names.index("R")]))
    assert dones.all() and rewards.tolist() == [1, 0]
    assert [info["TimeLimit.truncated"] for info in infos] == [False, True]
    assert [info["is_success"] for info in infos] == [True, False]
    assert [info["episode"]["l"] for info in infos] == [2, 2]


def test_masks_are_the_legal_moves_of_the_current_states_also_after_autoreset(rng):
    env = PuzzleVecEnv("Hanoi-v0", num_envs=50, scramble="random-state", max_episode_steps=4)
    env.seed(0)
    env.reset()
    assert is_masking_supported(env) and env.has_attr("action_masks")
    for _ in range(20):
        legal = env.env.puzzle.legal(env.env.get_state()["state"])
        np.testing.assert_array_equal(get_action_masks(env), legal)
        np.testing.assert_array_equal(env.action_masks(), legal)
        np.testing.assert_array_equal(env.env_method("action_masks", indices=[3, -1]), legal[[3, 49]])
        np.testing.assert_array_equal(env.get_attr("action_masks")[7](), legal[7])
        env.step(rng.integers(0, 6, 50))
    assert not legal.all()


class Strict(PuzzleVecEnv):
    """Refuses illegal moves."""

    def step_async(self, actions):
        assert self.action_masks()[np.arange(self.num_envs), actions].all()
        super().step_async(actions)


def test_maskable_ppo_learns_on_it_and_makes_no_illegal_move():
    env = Strict("Hanoi-v0", num_envs=8, disks=2, scramble="random-state", max_episode_steps=20)
    model = MaskablePPO("MlpPolicy", env, n_steps=32, batch_size=64, n_epochs=4, gamma=0.9, learning_rate=2e-3, seed=0)
    lengths = [np.mean([info["l"] for info in model.learn(steps).ep_info_buffer]) for steps in (256, 4096)]
    assert lengths[0] > 4 and lengths[1] < 2.5, "from chance to nearly the shortest way, 2.25 moves on average"
    assert all(model.ep_success_buffer)


LEARNERS = [
    (PPO, {"n_steps": 8, "batch_size": 32, "n_epochs": 2}),
    (A2C, {}),
    (DQN, {"learning_starts": 64, "train_freq": 2, "batch_size": 16, "buffer_size": 1000}),
]


@pytest.mark.parametrize(("learner", "settings"), LEARNERS)
@pytest.mark.parametrize("observation", ["one-hot", "stickers"])
def test_algorithms_run_on_it_and_see_its_episodes(learner, settings, observation):
    env = PuzzleVecEnv("Rubik2x2-v0", num_envs=8, k_max=1, observation=observation, max_episode_steps=5)
    model = learner("MlpPolicy", env, policy_kwargs={"net_arch": [16]}, seed=0, **settings)
    model.learn(320)
    assert len(model.ep_info_buffer) >= 64  # 40 steps of 8 copies, 5 to an episode at most
    assert 0 < np.mean(model.ep_success_buffer) < 1


def test_same_seed_gives_the_same_weights():
    def weights(seed):
        env = PuzzleVecEnv("Rubik2x2-v0", num_envs=8, observation="one-hot", max_episode_steps=5)
        model = PPO("MlpPolicy", env, n_steps=8, batch_size=32, n_epochs=2, policy_kwargs={"net_arch": [16]}, seed=seed)
        return torch.nn.utils.parameters_to_vector(model.learn(256).policy.parameters())

    assert torch.equal(weights(3), weights(3))
    assert not torch.equal(weights(3), weights(4))


def test_wrappers_of_sb3_agree_with_it(rng):
    keywords = {"num_envs": 6, "disks": 2, "reward": "step-cost", "scramble": "random-state", "max_episode_steps": 8}
    plain = PuzzleVecEnv("Hanoi-v0", **keywords)
    with pytest.warns(UserWarning, match="already wrapped with a `Monitor`"):  # true: the adapter does its work
        monitored = VecMonitor(PuzzleVecEnv("Hanoi-v0", **keywords))
    normalized = VecNormalize(PuzzleVecEnv("Hanoi-v0", **keywords), norm_obs=False)
    checked = VecCheckNan(PuzzleVecEnv("Hanoi-v0", **keywords), raise_exception=True)
    wrapped = (monitored, normalized, checked)
    for env in (plain, *wrapped):
        env.seed(5)
    first = plain.reset()
    for env in wrapped:
        np.testing.assert_array_equal(env.reset(), first)
    counts = [0, 0]
    for _ in range(100):
        actions = rng.integers(0, 6, 6)
        obs, rewards, dones, infos = plain.step(actions)
        ended_differently(infos, counts)
        for env in wrapped:
            obs_, rewards_, dones_, infos_ = env.step(actions)
            np.testing.assert_array_equal(obs_, obs)
            np.testing.assert_array_equal(env.get_original_reward() if env is normalized else rewards_, rewards)
            np.testing.assert_array_equal(dones_, dones)
            for info, other in zip(infos, infos_, strict=True):
                assert info.keys() == other.keys()
                if info:
                    np.testing.assert_array_equal(info["terminal_observation"], other["terminal_observation"])
                    assert info["episode"]["l"] == other["episode"]["l"]
                    assert info["episode"]["r"] == pytest.approx(other["episode"]["r"], abs=1e-5)  # VecMonitor adds float32
        np.testing.assert_array_equal(get_action_masks(normalized), get_action_masks(plain))
    assert min(counts) > 5
    for env in wrapped:
        env.close()


def test_evaluation_takes_true_returns_through_a_normalizing_wrapper_without_a_warning():
    env = PuzzleVecEnv("Rubik2x2-v0", num_envs=4, reward="deepcube", scramble="fixed", k_max=9, max_episode_steps=5)
    model = PPO("MlpPolicy", env, n_steps=8, batch_size=32, policy_kwargs={"net_arch": [16]}, seed=0)
    rewards, lengths = evaluate_policy(model, VecNormalize(env, norm_obs=False), 12, return_episode_rewards=True)
    assert rewards == [-5.0] * 12 and lengths == [5] * 12


@pytest.mark.parametrize("scramble", ["uniform", "deepcube", "adaptive"])
def test_going_on_from_a_saved_state_gives_the_same_trajectory(scramble, rng, tmp_path):
    def fresh():
        chosen = AdaptiveK(9, window=20, success_rate=0.1) if scramble == "adaptive" else scramble
        return PuzzleVecEnv("Rubik2x2-v0", num_envs=6, scramble=chosen, reward="step-cost", max_episode_steps=5)

    def play(env, actions):
        return [env.step(row) for row in actions]

    env, actions = fresh(), rng.integers(0, 6, (140, 6))
    env.seed(2)
    env.reset()
    *_, (obs, _, _, _) = play(env, actions[:63])
    np.savez(tmp_path / "state.npz", **env.get_state())
    first = play(env, actions[63:])
    saved = dict(np.load(tmp_path / "state.npz", allow_pickle=False))
    for other in (fresh(), env):
        np.testing.assert_array_equal(other.set_state(saved), obs)
        again = play(other, actions[63:])
        for a, b in zip(first, again, strict=True):
            for info in filter(None, a[3] + b[3]):
                info["episode"] = info["episode"] | {"t": 0}
            np.testing.assert_equal(a, b)
    if scramble == "adaptive":
        assert int(saved["convergence_points"]) < env.env.task.scramble.convergence_points


def test_a_learner_goes_on_from_a_checkpoint_as_if_it_had_never_stopped(tmp_path):
    def fresh():
        return PuzzleVecEnv("Rubik2x2-v0", num_envs=8, k_max=2, observation="one-hot", max_episode_steps=5)

    def weights(model):
        return torch.nn.utils.parameters_to_vector(model.policy.parameters())

    model = PPO("MlpPolicy", fresh(), n_steps=8, batch_size=32, n_epochs=2, policy_kwargs={"net_arch": [16]}, seed=0)
    model.learn(128)
    model.save(tmp_path / "model.zip")
    saved, chance = model.get_env().get_state(), (np.random.get_state(), torch.get_rng_state())  # noqa: NPY002
    expected = weights(model.learn(128, reset_num_timesteps=False))
    env = fresh()
    obs = env.set_state(saved)
    again = PPO.load(tmp_path / "model.zip", env=env, force_reset=False)
    np.testing.assert_array_equal(again._last_obs, obs)
    np.random.set_state(chance[0])  # noqa: NPY002  (what SB3 draws from)
    torch.set_rng_state(chance[1])
    assert torch.equal(weights(again.learn(128, reset_num_timesteps=False)), expected)


def test_attributes_are_shared_and_methods_asked_of_each_copy():
    env = PuzzleVecEnv("Rubik2x2-v0", num_envs=3, max_episode_steps=9)
    env.reset()
    assert env.get_attr("puzzle") == [env.env.puzzle] * 3
    assert env.get_attr("action_space", indices=range(2)) == [gym.spaces.Discrete(6)] * 2
    env.set_attr("max_episode_steps", 1)
    assert env.get_attr("max_episode_steps", indices=0) == [1] and env.step(np.zeros(3, int))[2].all()
    states = [saved["state"].tolist() for saved in env.env_method("get_state", indices=[2, 0])]
    assert states == env.env.get_state()["state"][[2, 0]].tolist()
    assert env.env_method("render") == [None] * 3
    assert env.env_is_wrapped(Monitor) == [True] * 3
    assert env.env_is_wrapped(gym.wrappers.TimeLimit, indices=[1]) == [False]
    assert not env.has_attr("nothing")


def test_pictures_of_all_copies_are_tiled():
    env = PuzzleVecEnv("Rubik2x2-v0", num_envs=4, render_mode="rgb_array")
    env.reset()
    pictures = env.get_images()
    height, width, _ = pictures[0].shape
    assert len(pictures) == 4 and env.render().shape == (2 * height, 2 * width, 3)
    env.close()
    env.close()
    with pytest.warns(UserWarning, match="rgb_array"):
        assert PuzzleVecEnv("Rubik2x2-v0", num_envs=2).get_images() == [None, None]


def test_an_environment_already_made_is_taken_in_same_step_mode_only():
    made = gym.make_vec("Hanoi-v0", num_envs=3, autoreset_mode="same-step")
    assert PuzzleVecEnv(made).num_envs == PuzzleVecEnv(made, 3).num_envs == 3 and PuzzleVecEnv(made).env is made
    for mode in ("next-step", "disabled"):
        with pytest.raises(ValueError, match='autoreset_mode="same-step"'):
            PuzzleVecEnv(gym.make_vec("Hanoi-v0", num_envs=3, autoreset_mode=mode))
        with pytest.raises(ValueError, match='autoreset_mode="same-step"'):
            PuzzleVecEnv("Hanoi-v0", autoreset_mode=mode)
    with pytest.raises(ValueError, match="already made cannot take disks"):
        PuzzleVecEnv(made, disks=4)
    with pytest.raises(ValueError, match="already made cannot take num_envs"):
        PuzzleVecEnv(made, 4)
    with pytest.raises(ValueError, match="id of a puzzle"):
        PuzzleVecEnv(gym.make("Hanoi-v0"))


def test_what_cannot_be_done_is_refused_with_a_reason():
    env = PuzzleVecEnv("Rubik2x2-v0", num_envs=3)
    with pytest.raises(gym.error.ResetNeeded, match="reset"):
        env.step(np.zeros(3, int))
    env.reset()
    with pytest.raises(AttributeError, match="no method 'solve' of their own, only action_masks"):
        env.env_method("solve")
    for name in ("nothing", "step"):
        with pytest.raises(AttributeError, match=f"no attribute '{name}'"):
            env.get_attr(name)
    with pytest.raises(AttributeError, match="no attribute 'k_max'"):
        env.set_attr("k_max", 3)
    with pytest.raises(ValueError, match="all 3 copies share"):
        env.set_attr("max_episode_steps", 3, indices=[0, 1])
    for indices, wrong in ((3, 3), ([0, -4], -4), (np.int64(5), 5)):
        with pytest.raises(IndexError, match=f"no copy {wrong}: there are 3, from 0 to 2"):
            env.env_method("action_masks", indices=indices)
    with pytest.raises(ValueError, match="'return' is missing"):
        env.set_state(env.env.get_state())
    with pytest.raises(ValueError, match="3 entries"):
        env.set_state(env.get_state() | {"return": np.zeros(2)})
    with pytest.raises(ValueError, match="shape"):
        env.step(np.zeros(2, int))


def test_a_puzzle_of_the_users_own_works():
    puzzle = importlib.import_module("examples.04_a_puzzle_of_your_own").ChineseRings(2)
    rubiks_gym.register_puzzle("ChineseRings2-v0", puzzle, max_episode_steps=6)
    env = PuzzleVecEnv("ChineseRings2-v0", num_envs=16)
    model = MaskablePPO("MlpPolicy", env, n_steps=8, batch_size=64, seed=0).learn(1024)
    assert env.env.puzzle.name == puzzle.name and np.mean(model.ep_success_buffer) > 0


def test_the_example_in_the_docstring_runs():
    lines = [line for line in rubiks_gym.sb3.__doc__.splitlines() if line.startswith("    ")]
    program = textwrap.dedent("\n".join(lines))
    assert "learn(200_000)" in program
    exec(program.replace("200_000", "1").replace("1024", "16").replace("4096", "256"), {})


def test_environments_without_the_adapter_load_neither_torch_nor_stable_baselines3():
    program = """
import gymnasium, sys, rubiks_gym
gymnasium.make_vec("Rubik2x2-v0", num_envs=2).reset()
print([name for name in ("torch", "stable_baselines3", "rubiks_gym.sb3") if name in sys.modules])
"""
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "[]\n"
