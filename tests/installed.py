"""What a new user tries first, with the package as pip installed it: python tests/installed.py

Needs nothing but the package itself and what comes with it, so it runs on every system and Python, in an empty environment.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import gymnasium as gym
import numpy as np

import rubiks_gym
from rubiks_gym import text
from rubiks_gym.exact import ExactTable, has_table
from rubiks_gym.puzzles import Rubik3x3, check_puzzle, puzzle_from_name
from rubiks_gym.search import beam


def environments() -> None:
    """Every registered environment, one and many."""
    for entry in rubiks_gym.PUZZLES.values():
        env = gym.make(entry.id)
        _, info = env.reset(seed=0)
        env.action_space.seed(0)
        for _ in range(5):
            _, _, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))
            if terminated or truncated:
                _, info = env.reset()
        many = gym.make_vec(entry.id, num_envs=8)
        many.reset(seed=0)
        assert len(many.step(np.zeros(8, np.int64))[1]) == 8
        check_puzzle(puzzle_from_name(entry.examples[0]))


def truth() -> None:
    """A task of every small puzzle, solved by its exact table, and judged."""
    for entry in rubiks_gym.PUZZLES.values():
        puzzle = puzzle_from_name(entry.examples[0])
        if has_table(puzzle) and puzzle.n_states < 10**7:
            [task] = text.sample_tasks(puzzle, [3], 1, np.random.default_rng(0))
            [solution] = ExactTable(puzzle).solve(task.state[None])
            assert text.verify(puzzle, task.state, puzzle.format(solution)).excess == 0


def search() -> None:
    """A search with a heuristic of one's own."""
    cube = Rubik3x3()
    found = beam(cube, cube.after("R U F'")[None], lambda states: (states != cube.goal).sum(axis=1), width=500)
    assert len(found.moves[0]) == 3


def command() -> None:
    """The command, beside this interpreter, from a folder that is not the checkout."""
    program = Path(sys.executable).with_name("rubiks-gym" + (".exe" if sys.platform == "win32" else ""))
    for words, expected in (
        (["solve", "--random", "1", "--option", "width=256"], "solved in"),
        (["solve", "--puzzle", "hanoi-3-3", "--random", "1"], "solved in"),
        (["list"], "rubik3x3-qtm"),
    ):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([program, *words], cwd=folder, capture_output=True, text=True, encoding="utf-8")
        assert done.returncode == 0 and expected in done.stdout, done.stdout + done.stderr


if __name__ == "__main__":
    place = Path(rubiks_gym.__file__).resolve()
    assert Path(sys.prefix).resolve() in place.parents, f"{place} is not the installed package"
    assert "torch" not in sys.modules
    for part in (environments, truth, search, command):
        part()
    print(
        f"rubiks-gym {rubiks_gym.__version__} works on Python {sys.version.split()[0]}, numpy {np.__version__}, {sys.platform}"
    )
