"""Rewards and observations, used by themselves on batches."""

import numpy as np
import pytest
from stable_baselines3.common.preprocessing import get_flattened_obs_dim

from rubiks_gym.exact import ExactTable
from rubiks_gym.observations import make_observation
from rubiks_gym.puzzles import Hanoi, Rubik2x2, Rubik3x3, sample_seeds
from rubiks_gym.rewards import Potential, StepCost, make_reward

CUBE = Rubik2x2()


@pytest.fixture
def transitions(rng):
    """Two steps from the goal, some of which come home, as (states, actions, next_states, solved)."""
    states = CUBE.walk(sample_seeds(rng, 500), np.ones(500, int))
    actions = rng.integers(0, 6, 500)
    after, solved = CUBE.step(states, actions)
    assert 0 < solved.sum() < 500
    return states, actions, after, solved


@pytest.mark.parametrize(("kind", "step", "goal"), [("sparse", 0, 1), ("step-cost", -0.1, 0.9), ("deepcube", -1, 1)])
def test_named_rewards_pay_what_the_table_says(kind, step, goal, transitions):
    rewards = make_reward(kind, CUBE)(*transitions)
    assert rewards.dtype == np.float64
    np.testing.assert_allclose(rewards, np.where(transitions[3], goal, step))


def test_potential_reward_is_the_base_plus_the_discounted_difference(transitions):
    exact = ExactTable(CUBE)
    states, _, after, solved = transitions
    expected = solved - 0.99 * exact.distance(after) + exact.distance(states)
    np.testing.assert_allclose(make_reward("potential", CUBE)(*transitions), expected)
    base = Potential(exact.distance, gamma=1.0, base=StepCost())(*transitions)
    np.testing.assert_allclose(base, -0.1 + solved + exact.distance(states) - 1.0 * exact.distance(after))


def test_potential_shaping_telescopes_along_every_path_so_that_no_policy_gains(rng):
    exact, gamma = ExactTable(CUBE), 0.9
    reward = Potential(exact.distance, gamma)
    states = start = CUBE.random_states(sample_seeds(rng, 200))
    shaped = plain = 0.0
    for t in range(25):
        actions = rng.integers(0, 6, 200)
        after, solved = CUBE.step(states, actions)
        shaped = shaped + gamma**t * reward(states, actions, after, solved)
        plain = plain + gamma**t * solved
        states = after
    np.testing.assert_allclose(shaped - plain, exact.distance(start) - gamma**25 * exact.distance(states), atol=1e-9)


def test_potential_at_the_goal_is_zero_whatever_the_heuristic_says(transitions):
    wrong = Potential(lambda states: np.full(len(states), 5.0), gamma=1.0)(*transitions)
    np.testing.assert_allclose(wrong, np.where(transitions[3], 6.0, 0.0))


def test_a_function_may_be_the_reward_and_its_result_is_checked(transitions):
    assert (make_reward(lambda s, a, t, solved: a * 2, CUBE)(*transitions) == transitions[1] * 2).all()
    with pytest.raises(ValueError, match=r"one per transition, must be 500 finite numbers, shape \(500,\), got 1.0"):
        make_reward(lambda s, a, t, solved: 1.0, CUBE)(*transitions)


@pytest.mark.parametrize(
    ("make", "fault"),
    [
        (lambda: make_reward("dense", CUBE), "unknown reward 'dense': choose from sparse, step-cost, deepcube, potential"),
        (lambda: make_reward("potential", Rubik3x3()), "needs true distances"),
        (lambda: make_reward(3, CUBE), "a reward must be a name or a function"),
        (lambda: Potential("exact"), "cost_to_go must be a function"),
        (lambda: Potential(len, gamma=1.5), "gamma"),
        (lambda: make_observation("pixels", CUBE), "observation must be one of 'one-hot', .*'state', got 'pixels'"),
        (
            lambda: make_observation("stickers", Hanoi()),
            "observation must be one of 'one-hot', 'one-hot-uint8', 'state', got 'stickers'",
        ),
    ],
)
def test_bad_arguments_are_named(make, fault):
    with pytest.raises(ValueError, match=fault):
        make()


def test_observations_lie_in_their_space_and_tell_states_apart(puzzle, rng):
    states = puzzle.random_states(sample_seeds(rng, 300))
    different = len(np.unique(states, axis=0))
    for kind in puzzle.observations:
        observe, space = make_observation(kind, puzzle)
        seen = observe(states)
        assert seen.dtype == space.dtype == (np.float32 if kind == "one-hot" else np.uint8)
        assert all(row in space for row in seen)
        assert len(np.unique(seen, axis=0)) == different
        assert not np.shares_memory(seen, states)


@pytest.mark.parametrize("cube", [Rubik2x2("qtm"), Rubik2x2("htm"), Rubik3x3("qtm"), Rubik3x3("htm")], ids=repr)
def test_stickers_and_cubies_mean_what_they_say(cube, rng):
    solved = cube.stickers(cube.goal[None])[0]
    assert (solved == np.repeat(np.arange(6), cube.size**2)).all()
    states = cube.random_states(sample_seeds(rng, 100))
    assert (np.sort(cube.stickers(states), axis=1) == solved).all()
    places, turns = np.split(cube.cubies(states), 2, axis=1)
    corners = cube.corners
    assert (np.sort(places[:, :corners], axis=1) == np.arange(corners)).all()
    assert (np.sort(places[:, corners:], axis=1) == np.arange(cube.edges)).all()
    assert (turns[:, :corners].sum(axis=1) % 3 == 0).all()
    assert (turns[:, corners:].sum(axis=1) % 2 == 0).all()


@pytest.mark.parametrize("observation", ["stickers", "cubies", "state"])
def test_sizes_of_discrete_observations_add_up_as_stable_baselines3_adds_them(observation):
    cube = Rubik3x3()
    _, space = make_observation(observation, cube)
    assert get_flattened_obs_dim(space) == cube.categories(observation).astype(int).sum() > 255
    assert space.sample().dtype == np.uint8
