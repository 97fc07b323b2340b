"""Goals as part of the state: where episodes start, when they end, what HER is told, and the way from one state to another."""

import json
import sys

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from stable_baselines3.common.env_checker import check_env as check_env_sb3

import rubiks_gym
from rubiks_gym import cli
from rubiks_gym.exact import ExactTable
from rubiks_gym.puzzles import GoalPuzzle, Hanoi, Rubik2x2, check_puzzle
from rubiks_gym.sb3 import PuzzleVecEnv

IDS = [entry.id for entry in rubiks_gym.PUZZLES.values()]
KEYS = {"observation", "achieved_goal", "desired_goal"}


@pytest.mark.parametrize("puzzle", [GoalPuzzle(Hanoi(3)), GoalPuzzle(Hanoi(3), [0, 1, 2])], ids=["random", "given"])
def test_a_puzzle_with_goals_keeps_the_moves_of_the_puzzle_and_walks_from_its_goals(puzzle):
    if puzzle.one_goal:
        check_puzzle(puzzle)
    seeds = np.arange(300, dtype=np.uint64)
    assert puzzle.is_solved(puzzle.walk(seeds, np.zeros(300, int))).all()
    now, goals = puzzle.halves(puzzle.walk(seeds, np.ones(300, int)))
    assert (puzzle.puzzle.expand(goals) == now[:, None]).all(axis=2).any(axis=1).all()
    assert len(np.unique(goals, axis=0)) == (1 if puzzle.one_goal else 27)


@pytest.mark.parametrize("id", IDS)
@pytest.mark.parametrize("goal", ["random", "given"])
def test_checkers_accept_environments_with_goals(id, goal):
    puzzle = gym.make(id).unwrapped.puzzle
    target = "random" if goal == "random" else puzzle.walk(np.array([1], np.uint64), np.array([3]))[0].tolist()
    env = gym.make(id, goal=target)
    check_env(env.unwrapped, skip_render_check=True)
    check_env_sb3(env.unwrapped)  # it asks for compute_reward, which wrappers do not pass on
    obs, _ = env.reset(seed=0)
    assert set(obs) == KEYS and all(np.array_equal(obs["observation"], obs[key]) == (key != "desired_goal") for key in obs)


def test_the_scramble_counts_moves_from_the_goal_of_the_episode():
    cube, table = Rubik2x2(), ExactTable(Rubik2x2())
    envs = gym.make_vec("Rubik2x2-v0", num_envs=200, goal="random", scramble="fixed", k_max=3)
    envs.reset(seed=0)
    now, goals = envs.puzzle.halves(envs.get_state()["state"])
    assert set(table.distance(cube.relative(now, goals)).tolist()) <= {1, 3}
    assert len(np.unique(goals, axis=0)) > 190 and np.median(table.distance(goals)) >= 10


@pytest.mark.parametrize("reward", ["sparse", "deepcube", "step-cost"])
def test_an_episode_ends_at_its_goal_and_the_reward_follows_from_goals_alone(reward, rng):
    keywords = {"goal": "random", "scramble": "fixed", "k_max": 1, "reward": reward, "max_episode_steps": 5}
    native = gym.make_vec("Rubik2x2-v0", num_envs=50, autoreset_mode="same-step", **keywords)
    obs, _ = native.reset(seed=3)
    solved = 0
    for _ in range(40):
        obs, rewards, terminated, truncated, info = native.step(rng.integers(0, 6, 50))
        last = info.get("final_obs", obs)
        ended = terminated | truncated
        seen = {key: np.where(ended[:, None], last[key], obs[key]) for key in KEYS}
        assert ((seen["achieved_goal"] == seen["desired_goal"]).all(axis=1) == terminated).all()
        np.testing.assert_array_equal(native.compute_reward(seen["achieved_goal"], seen["desired_goal"], {}), rewards)
        solved += terminated.sum()
    assert solved > 50


def test_vector_and_adapter_equal_single_environments(rng):
    keywords = {"goal": "random", "scramble": "fixed", "k_max": 2, "max_episode_steps": 4}
    native, sync = (
        gym.make_vec("Hanoi-v0", num_envs=4, vectorization_mode=mode, **keywords) for mode in ("vector_entry_point", "sync")
    )
    first, second = native.reset(seed=1)[0], sync.reset(seed=1)[0]
    for _ in range(30):
        for key in KEYS:
            np.testing.assert_array_equal(first[key], second[key])
        actions = rng.integers(0, 6, 4)
        (first, *mine, _), (second, *theirs, _) = native.step(actions), sync.step(actions)
        for a, b in zip(mine, theirs, strict=True):
            np.testing.assert_array_equal(a, b)
    env = PuzzleVecEnv("Hanoi-v0", num_envs=3, **keywords)
    env.reset()
    infos = [info for _ in range(9) for info in env.step(rng.integers(0, 6, 3))[3] if info]
    assert infos and all(set(info["terminal_observation"]) == KEYS for info in infos)
    saved, obs = env.get_state(), env.env.task.observe(env.env.get_state()["state"])
    np.testing.assert_equal(env.set_state(saved), obs)


def test_saved_states_and_reset_options_carry_goals():
    env = gym.make("Hanoi-v0", goal="random").unwrapped
    env.reset(seed=1)
    saved = env.get_state()
    assert len(saved["state"]) == 6
    env.reset(seed=2)
    env.set_state(saved)
    assert env.get_state()["state"].tolist() == saved["state"].tolist()
    assert env.reset(options={"state": [0, 0, 0, 1, 1, 1]})[0]["desired_goal"].tolist() == [0, 1, 0] * 3
    assert env.reset(options={"state": [0, 0, 0]})[0]["desired_goal"].tolist() == [0, 0, 1] * 3
    assert gym.make("Hanoi-v0", goal=[1, 1, 1]).reset()[0]["achieved_goal"].tolist() == [1, 0, 0] * 3, "from the first peg"


@pytest.mark.parametrize(
    ("keywords", "fault"),
    [
        ({"goal": "far"}, "goal must be 'random' or a state of rubik2x2-qtm, got 'far'"),
        ({"goal": [1, 2]}, "shape"),
        ({"goal": 3}, "shape|whole"),
        ({"goal": "random", "exact": True}, "leave out exact or goal"),
        ({"goal": "random", "reward": "potential"}, "needs true distances"),
        ({"goal": "random", "reward": lambda s, a, t, solved: solved}, "with a goal the reward must be"),
        ({"goal": "random", "reward": {"name": "step-cost", "cost": [-1] * 6}}, "with a goal the reward must be"),
    ],
)
def test_goals_that_cannot_be_are_refused(keywords, fault):
    with pytest.raises(ValueError, match=fault):
        gym.make("Rubik2x2-v0", **keywords)
    with pytest.raises(AttributeError, match="goal=..."):
        gym.make("Rubik2x2-v0").unwrapped.compute_reward(np.zeros(3), np.zeros(3), {})


# From one state to another on the command line -------------------------------------------------------------------------


def lengths(capsys, monkeypatch, *command):
    monkeypatch.setattr(sys, "argv", ["rubiks-gym", "solve", *command, "--json"])
    cli.main()
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize("name", ["rubik2x2-htm", "hanoi-4-3"])
def test_a_way_from_one_state_to_another_is_a_shortest_one(name, capsys, monkeypatch):
    puzzle = rubiks_gym.puzzle_from_name(name)
    here, there = ("R U2 F", "F' R") if name.startswith("rubik") else ("20 21 01", "21 20 10 12")
    (found,) = lengths(capsys, monkeypatch, "--puzzle", name, "--from", here, "--to", there)
    assert (puzzle.after(found["moves"], puzzle.after(here)) == puzzle.after(there)).all()
    layer, length = {puzzle.after(here).tobytes()}, 0  # plain breadth-first search
    while puzzle.after(there).tobytes() not in layer:
        children = puzzle.expand(np.frombuffer(b"".join(layer), np.uint8).reshape(len(layer), -1))
        layer, length = layer | {child.tobytes() for child in children.reshape(-1, puzzle.state_size)}, length + 1
    assert found["length"] == length > 2


def test_states_on_the_command_line_may_be_facelets_and_starts_may_be_random(capsys, monkeypatch):
    cube = Rubik2x2()
    (found,) = lengths(capsys, monkeypatch, "--puzzle", "rubik2x2-qtm", "--from", cube.facelets(cube.after("R")), "--to", "U")
    assert found["moves"] == "R' U"
    starts = lengths(capsys, monkeypatch, "--puzzle", "rubik2x2-qtm", "--random", "3", "--to", "R U")
    for told in starts:
        assert (cube.after(told["moves"], cube.from_facelets(told["start"])) == cube.after("R U")).all()
