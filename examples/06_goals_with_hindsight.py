"""Any towers of Hanoi to any others: DQN with hindsight experience replay (HER) learns it in about a minute.

Where an episode ended is where it might have been told to go: HER learns from every episode, solved or not.
"""

import argparse

import numpy as np
import torch
from stable_baselines3 import DQN, HerReplayBuffer

from rubiks_gym.sb3 import PuzzleVecEnv

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--disks", type=int, default=3)
parser.add_argument("--steps", type=int, default=24_000)
args = parser.parse_args()
torch.set_num_threads(1)  # the network is too small to share out: several threads would mostly wait for each other


def towers(n: int) -> PuzzleVecEnv:
    """Start and goal anywhere; +1 for reaching it, else -1."""
    keywords = {"disks": args.disks, "goal": "random", "scramble": "random-state", "reward": "deepcube"}
    return PuzzleVecEnv("Hanoi-v0", num_envs=n, max_episode_steps=2 ** (args.disks + 1), **keywords)


def share_solved(model: DQN, n: int = 500) -> float:
    """Of episodes that play the best action always."""
    env = towers(n)
    env.seed(1)
    obs, solved, playing = env.reset(), np.zeros(n, bool), np.ones(n, bool)
    while playing.any():
        obs, rewards, dones, _ = env.step(model.predict(obs, deterministic=True)[0])
        solved |= playing & (rewards > 0)
        playing &= ~dones
    return float(solved.mean())


model = DQN(
    "MultiInputPolicy",
    towers(16),
    learning_rate=1e-3,
    learning_starts=500,
    batch_size=256,
    buffer_size=50_000,
    gamma=0.9,
    train_freq=1,
    gradient_steps=4,
    target_update_interval=500,
    exploration_fraction=0.5,
    exploration_final_eps=0.1,
    replay_buffer_class=HerReplayBuffer,
    replay_buffer_kwargs={"n_sampled_goal": 4},
    policy_kwargs={"net_arch": [256, 256]},
    seed=0,
)
print(f"before: {share_solved(model):.0%} of 500 reach their goals")
model.learn(args.steps)
print(f"after {args.steps:,} steps: {share_solved(model):.0%}")
