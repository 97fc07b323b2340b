"""Scrambles: which states they give, alone on batches and driven from environments."""

import gymnasium as gym
import numpy as np
import pytest

import rubiks_gym  # noqa: F401
from rubiks_gym.exact import ExactTable
from rubiks_gym.puzzles import Hanoi, Rubik2x2, Rubik3x3
from rubiks_gym.scrambles import SCRAMBLES, AdaptiveK, DeepCube, FixedK, RandomState, Start, UniformK, make_scramble

CUBE = Rubik2x2()


def test_uniform_k_draws_every_depth_equally_often(rng):
    states, depths = UniformK(8).sample(CUBE, 80_000, rng)
    assert (np.abs(np.bincount(depths, minlength=9)[1:] - 10_000) < 600).all()
    distance = ExactTable(CUBE).distance(states)
    assert (distance <= depths).all()
    assert ((distance - depths) % 2 == 0).all()  # a quarter turn changes the parity
    assert (distance[depths <= 2] == depths[depths <= 2]).mean() > 0.9


def test_fixed_k_walks_exactly_k_moves(rng):
    states, depths = FixedK(5).sample(CUBE, 2000, rng)
    assert (depths == 5).all()
    assert set(ExactTable(CUBE).distance(states).tolist()) <= {1, 3, 5}


def test_deepcube_gives_every_state_of_each_walk_in_order(rng):
    states, depths = DeepCube(7).sample(CUBE, 7 * 50 + 3, rng)
    assert depths.tolist() == ([*range(1, 8)] * 51)[: 7 * 50 + 3]
    children = CUBE.expand(states)
    for i in range(len(states) - 1):
        if depths[i + 1] > 1:
            assert (children[i] == states[i + 1]).all(axis=1).any()


def test_plain_walks_undo_and_clean_ones_do_not(rng):
    for kind, options in ((UniformK, {}), (DeepCube, {}), (FixedK, {}), (AdaptiveK, {"convergence_points": 1})):
        clean, depths = kind(2, **options).sample(CUBE, 6000, rng)
        assert not CUBE.is_solved(clean).any()
        plain, depths = kind(2, allow_undo=True, **options).sample(CUBE, 6000, rng)
        assert abs(CUBE.is_solved(plain[depths == 2]).mean() - 1 / 6) < 0.03


@pytest.mark.parametrize("puzzle", [Rubik2x2("htm"), Rubik3x3("htm"), Rubik3x3("qtm")], ids=str)
def test_a_walk_may_have_to_turn_another_face_each_time(puzzle, rng):
    """In half turns U U2 does not undo U, and only a walk that may not turn the same face leaves it out."""
    twice = {puzzle.after([a, b]).tobytes() for a in range(puzzle.n_actions) for b in range(puzzle.n_actions)
             if puzzle.faces[a] == puzzle.faces[b]}  # fmt: skip
    for kind in (UniformK, DeepCube, FixedK):
        states, depths = kind(2, allow_same_face=False).sample(puzzle, 4000, rng)
        assert not any(state.tobytes() in twice for state in states[depths == 2])
        states, depths = kind(2).sample(puzzle, 4000, rng)
        assert any(state.tobytes() in twice for state in states[depths == 2])
    env = gym.make(f"Rubik{puzzle.size}x{puzzle.size}-v0", metric=puzzle.metric,
                   scramble={"name": "fixed", "k_max": 2, "allow_same_face": False})  # fmt: skip
    for seed in range(50):
        env.reset(seed=seed)
        assert env.unwrapped.get_state()["state"].tobytes() not in twice


def test_adaptive_k_deepens_when_the_trainer_advances_it(rng):
    scramble = AdaptiveK(6, offset=1)
    seen = []
    for _ in range(8):
        seen.append(int(scramble.sample(CUBE, 2000, rng)[1].max()))
        scramble.advance()
    assert seen == [2, 3, 4, 5, 6, 6, 6, 6]


def test_adaptive_k_deepens_when_enough_recent_episodes_are_solved():
    scramble = AdaptiveK(3, success_rate=0.75, window=4)
    scramble.record(np.array([True, True, False]))
    assert scramble.effective_k == 1
    scramble.record(np.array([True]))
    assert scramble.effective_k == 2
    scramble.record(np.array([True, True, True]))
    assert scramble.effective_k == 2, "the window starts afresh"
    scramble.record(np.array([True] * 20))
    assert scramble.effective_k == 3, "never beyond k_max"


def test_adaptive_k_inside_environments_is_driven_by_success():
    for make in (
        lambda: gym.make("Rubik2x2-v0", scramble="adaptive"),
        lambda: gym.make("Rubik2x2-v0", scramble="adaptive", max_episode_steps=3),
    ):
        env = make()
        scramble, exact = env.unwrapped.task.scramble, ExactTable(CUBE)
        scramble.window = 10
        solve = env.spec.max_episode_steps == 60
        env.reset(seed=0)
        for _ in range(60):
            done = False
            while not done:
                state = env.unwrapped.get_state()["state"][None]
                good = int(exact.optimal_actions(state)[0].argmax())
                action = good if solve else int(CUBE.inverse_action[good])
                _, _, terminated, truncated, _ = env.step(action)
                done = terminated or truncated
            env.reset()
        assert (scramble.effective_k > 4) == solve
        assert (scramble.effective_k == 1) != solve


def test_random_state_is_uniform_over_all_states_of_a_small_puzzle(rng):
    puzzle = Hanoi(2, 3)
    states, depths = RandomState().sample(puzzle, 90_000, rng)
    assert (np.abs(np.bincount(puzzle.index(states), minlength=9) - 10_000) < 600).all()
    assert (depths == -1).all()


def test_random_state_reaches_distances_in_their_true_shares(rng):
    states, _ = RandomState().sample(CUBE, 100_000, rng)
    exact = ExactTable(CUBE)
    share = np.bincount(exact.distance(states), minlength=15) / 100_000
    truth = np.bincount(exact.distances) / CUBE.n_states
    assert np.abs(share - truth).max() < 0.01


def test_start_is_hanois_first_peg_and_nothing_else():
    states, _ = Start().draw(Hanoi(4), np.zeros(3, np.uint64), np.zeros(3, np.int64))
    assert (states == 0).all()
    with pytest.raises(ValueError, match="no opening position"):
        make_scramble("start", Rubik3x3(), None)


@pytest.mark.parametrize("kind", SCRAMBLES)
def test_same_seed_same_scrambles_and_other_seed_others(kind):
    puzzle = Hanoi(6) if kind == "start" else Rubik3x3()
    scramble = make_scramble(kind, puzzle, None)
    streams, episodes = np.arange(50, dtype=np.uint64), np.arange(50)
    states, depths = scramble.draw(puzzle, streams, episodes)
    again, _ = scramble.draw(puzzle, streams[::-1].copy(), episodes[::-1].copy())
    assert (states == again[::-1]).all(), "order in the batch does not matter"
    if kind not in ("start", "adaptive"):
        assert (states != scramble.draw(puzzle, streams + np.uint64(1), episodes)[0]).any()


def test_consecutive_seeds_give_unrelated_walks():
    cube = Rubik3x3()
    states, _ = FixedK(20).draw(cube, np.arange(20_000, dtype=np.uint64), np.zeros(20_000, np.int64))
    counts = np.stack([np.bincount(column, minlength=48) for column in states.T])
    counts = np.concatenate([counts[:8, :24], counts[8:, 24:]])
    assert (np.abs(counts / 20_000 - 1 / 24) < 0.012).all()


def test_environments_do_not_start_solved(rng):
    envs = gym.make_vec("Hanoi-v0", num_envs=5000, disks=1, scramble="random-state")
    envs.reset(seed=0)
    assert not envs.puzzle.is_solved(envs.get_state()["state"]).any()


@pytest.mark.parametrize(
    ("make", "fault"),
    [
        (lambda: UniformK(0), "k_max must be a whole number from 1 to 100000, got 0"),
        (lambda: DeepCube(2.5), "k_max"),
        (lambda: FixedK(True), "k_max"),
        (lambda: AdaptiveK(5, offset=-1), "offset"),
        (lambda: AdaptiveK(5, success_rate=0), "success_rate"),
        (lambda: AdaptiveK(5, window=0), "window"),
        (lambda: make_scramble("uniformly", CUBE, None), "unknown scramble 'uniformly': choose from uniform, deepcube"),
        (lambda: make_scramble("random-state", CUBE, 5), "k_max=5 has no meaning"),
        (lambda: make_scramble(FixedK(3), CUBE, 5), "set it in the scramble object"),
        (lambda: make_scramble(7, CUBE, None), "needs a method draw"),
        (lambda: UniformK(3, allow_same_face="no"), "allow_same_face must be True or False"),
        (lambda: FixedK(3, allow_undo=True, allow_same_face=False), "allow_undo=True needs allow_same_face=True"),
        (lambda: CUBE.walk(np.arange(3), 3, True, False), "allow_undo=True needs allow_same_face=True"),
        (lambda: make_scramble("fixed", Hanoi(3), allow_same_face=False), "hanoi-3-3 has no faces"),
        (lambda: UniformK(3).sample(CUBE, 5, 42), "rng must be a numpy Generator"),
    ],
)
def test_bad_arguments_are_named(make, fault):
    with pytest.raises(ValueError, match=fault):
        make()
