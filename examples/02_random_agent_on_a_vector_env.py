"""Ten thousand cubes at once, moved at random: how many come home by chance, by depth of the scramble?"""

import gymnasium as gym
import numpy as np

import rubiks_gym  # noqa: F401  (registers the environments)

envs = gym.make_vec("Rubik2x2-v0", num_envs=10_000, scramble="uniform", k_max=6, max_episode_steps=20)
envs.action_space.seed(0)
_, info = envs.reset(seed=0)
solved, episodes = np.zeros(7, int), np.zeros(7, int)

for _ in range(200):
    depth = info["scramble_depth"]
    _, _, terminated, truncated, info = envs.step(envs.action_space.sample())
    np.add.at(solved, depth[terminated], 1)
    np.add.at(episodes, depth[terminated | truncated], 1)

print("moves of scramble   solved by chance within 20 moves")
for k in range(1, 7):
    print(f"{k:17d}   {solved[k] / episodes[k]:.2%} of {episodes[k]}")
