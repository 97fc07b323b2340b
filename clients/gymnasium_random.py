"""Gymnasium alone: its own check of an environment, and a random agent, also on the native vector environment."""

import sys

import gymnasium as gym
from gymnasium.utils.env_checker import check_env

env_id, mode = sys.argv[1:]
if mode == "single":
    env = gym.make(f"rubiks_gym:{env_id}")
    check_env(env.unwrapped, skip_render_check=True)
else:
    native = {"vectorization_mode": "custom"} if gym.__version__ < "1" else {}  # later versions find it by themselves
    env = gym.make_vec(f"rubiks_gym:{env_id}", num_envs=8, **native)
env.reset(seed=0)
for _ in range(250):
    _, _, terminated, truncated, _ = env.step(env.action_space.sample())
    if mode == "single" and (terminated or truncated):
        env.reset()
env.close()
