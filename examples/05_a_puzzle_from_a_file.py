"""The Ivy cube, which is not in the suite, from a file of its generators as GAP writes them: ivy.gap.

Every command takes such a puzzle by the name of the file. From the file to a trained solver:

    rubiks-gym solve --puzzle permutation-examples/ivy.gap --random 2
    python -m train.general_ntuple --puzzle permutation-examples/ivy.gap --run.folder runs/ivy
    rubiks-gym solve --agent runs/ivy --random 3
"""

from pathlib import Path

import gymnasium as gym
import numpy as np

import rubiks_gym  # noqa: F401 (registers the environments)
from rubiks_gym.exact import ExactTable
from rubiks_gym.puzzles import Permutation, check_puzzle

FILE = str(Path(__file__).with_name("ivy.gap"))

if __name__ == "__main__":
    ivy = Permutation(FILE)
    check_puzzle(ivy)
    print(f"{ivy.n_states:,} states, moves {' '.join(ivy.action_names)}")
    print("states at each distance:", np.bincount(ExactTable(ivy).distances).tolist())
    envs = gym.make_vec("Permutation-v0", file=FILE, num_envs=1000, k_max=3)
    envs.reset(seed=0)
    solved = sum(envs.step(envs.action_space.sample())[1].sum() for _ in range(100))
    print(f"a thousand random players solve it {solved:.0f} times in 100 steps each")
