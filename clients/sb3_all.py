"""stable-baselines3 and sb3-contrib: single environments as they are, many through `rubiks_gym.sb3.PuzzleVecEnv`."""

import sys

import gymnasium as gym
from sb3_contrib import QRDQN, TRPO, MaskablePPO
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.vec_env import VecNormalize

from rubiks_gym.sb3 import PuzzleVecEnv

env_id, mode = sys.argv[1:]
for algorithm in (PPO, A2C, DQN, MaskablePPO, TRPO, QRDQN):
    env = gym.make(f"rubiks_gym:{env_id}") if mode == "single" else VecNormalize(PuzzleVecEnv(env_id, num_envs=16))
    settings = {"learning_starts": 100} if algorithm in (DQN, QRDQN) else {"n_steps": 32}
    if algorithm in (PPO, MaskablePPO, TRPO):
        settings["batch_size"] = 32
    model = algorithm("MlpPolicy", env, **settings).learn(1000)
    print(algorithm.__name__, model.num_timesteps, "steps")
