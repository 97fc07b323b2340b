"""MaskablePPO learns Hanoi with three disks in about ten seconds: masks keep it from illegal moves."""

import gymnasium as gym
import numpy as np
import torch
from sb3_contrib import MaskablePPO

from rubiks_gym.sb3 import PuzzleVecEnv

torch.set_num_threads(1)  # the network is too small to share out: several threads would mostly wait for each other

# Starts anywhere teach faster than the first peg alone: the goal is found early and the knowledge spreads from there.
train = PuzzleVecEnv("Hanoi-v0", num_envs=128, scramble="random-state", reward="step-cost")
model = MaskablePPO("MlpPolicy", train, n_steps=16, batch_size=512, n_epochs=8, gamma=0.95, learning_rate=2e-3, seed=0)
model.learn(60_000)

env = gym.make("Hanoi-v0", render_mode="ansi")  # all disks on the first peg: 7 moves are the fewest possible
obs, _ = env.reset(seed=0)
moves, done = [], False
while not done:
    action, _ = model.predict(obs, action_masks=env.unwrapped.action_masks(), deterministic=True)
    obs, _, terminated, truncated, _ = env.step(int(action))
    moves.append(env.unwrapped.puzzle.action_names[int(action)])
    done = terminated or truncated
print(env.render())
print(f"{'solved' if terminated else 'not solved'} in {len(moves)} moves: {' '.join(moves)}")

solved = []
for seed in range(100):
    obs, _ = env.reset(seed=seed, options={"depth": int(np.random.default_rng(seed).integers(1, 8))})
    for _ in range(20):
        action, _ = model.predict(obs, action_masks=env.unwrapped.action_masks(), deterministic=True)
        obs, _, terminated, _, _ = env.step(int(action))
        if terminated:
            break
    solved.append(terminated)
print(f"solved {np.mean(solved):.0%} of 100 other starts within 20 moves")
