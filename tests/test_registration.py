"""The registry: what is registered is found by name, by gym.make and by nothing else."""

import subprocess
import sys

import gymnasium as gym
import numpy as np
import pytest

import rubiks_gym
from rubiks_gym.puzzles import Hanoi, Puzzle, puzzle_from_name


class Ring(Puzzle):
    """Walk round a ring of places."""

    def __init__(self, places: int = 5, step: int = 1) -> None:
        self.places, self.stride = places, step
        super().__init__(f"test-ring-{places}-{step}", [0], places, ["on", "back"], [1, 0], n_states=places)

    def apply(self, states, actions):
        return ((self.as_states(states) + self.stride * (1 - 2 * np.asarray(actions)[:, None])) % self.places).astype(np.uint8)


@pytest.fixture(autouse=True)
def nothing_stays_registered(monkeypatch):
    monkeypatch.setattr(rubiks_gym.registration, "PUZZLES", dict(rubiks_gym.PUZZLES))
    before = set(gym.registry)
    yield
    for id in set(gym.registry) - before:
        del gym.registry[id]


def test_every_registered_name_is_read_back(puzzle):
    assert puzzle_from_name(puzzle.name).fingerprint() == puzzle.fingerprint()


def test_settings_left_out_are_the_defaults():
    assert puzzle_from_name("hanoi").name == "hanoi-3-3"
    assert puzzle_from_name("hanoi-5").name == "hanoi-5-3"


def test_a_class_of_the_users_own_is_found_with_any_settings_and_makes_environments():
    rubiks_gym.register_puzzle("TestRing-v0", Ring, max_episode_steps=9)
    assert puzzle_from_name("test-ring-8-3").places == 8
    assert gym.make("TestRing-v0", places=7).unwrapped.puzzle.name == "test-ring-7-1"
    assert gym.make_vec("TestRing-v0", num_envs=2, places=7, step=2).puzzle.name == "test-ring-7-2"
    with pytest.raises(TypeError, match="got an unexpected keyword argument 'colour': there are scramble"):
        gym.make("TestRing-v0", colour=7)


def test_an_instance_of_the_users_own_is_found_by_its_name_alone():
    ring = Ring(6)
    rubiks_gym.register_puzzle("TestRing-v0", ring, max_episode_steps=9)
    assert puzzle_from_name("test-ring-6-1") is ring
    with pytest.raises(ValueError, match="no puzzle is called 'test-ring-7-1'"):
        puzzle_from_name("test-ring-7-1")


@pytest.mark.parametrize(
    "name", ["rubik9x9-qtm", "rubik2x2-stm", "hanoi-0-3", "hanoi-3-3-3", "", "hanoi-4-3-", "lights", "pyraminx-3"]
)
def test_a_name_that_nobody_has_is_refused(name):
    with pytest.raises(ValueError, match=f"no puzzle is called '{name}'"):
        puzzle_from_name(name)
    with pytest.raises(ValueError, match="registered are rubik2x2-qtm.*--import MODULE"):
        puzzle_from_name("rubik9x9-qtm")


def test_the_same_puzzle_may_be_registered_again_and_another_not():
    for _ in range(2):
        rubiks_gym.register_puzzle("TestRing-v0", Ring, max_episode_steps=9)
    rubiks_gym.register_puzzle("TestRing6-v0", Ring(6), max_episode_steps=9)
    other = Ring(6)
    other.stride = 5
    with pytest.raises(ValueError, match="another puzzle is already registered as 'test-ring-6-1'"):
        rubiks_gym.register_puzzle("TestOther-v0", other, max_episode_steps=9)
    with pytest.raises(ValueError, match="Hanoi-v0 is already the environment of hanoi"):
        rubiks_gym.register_puzzle("Hanoi-v0", Ring(9), max_episode_steps=9)
    with pytest.raises(ValueError, match="must end with its settings"):
        rubiks_gym.register_puzzle("TestNameless-v0", lambda disks=4: Hanoi(disks), max_episode_steps=9)


def test_importing_the_suite_loads_neither_a_compiler_nor_a_puzzle():
    program = "import sys, rubiks_gym; print([m for m in ('numba', 'rubiks_gym.puzzles', 'PIL') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "[]\n"
