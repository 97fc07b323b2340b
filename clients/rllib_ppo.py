"""RLlib: PPO; many environments at once through the native vector environment."""

import sys

import gymnasium as gym
from ray.rllib.algorithms.ppo import PPOConfig

env_id, mode = sys.argv[1:]
config = PPOConfig().environment(f"rubiks_gym:{env_id}").training(train_batch_size=256, minibatch_size=64, num_epochs=2)
config = config.env_runners(num_env_runners=0)
if mode == "vector":
    config = config.env_runners(num_envs_per_env_runner=8, gym_env_vectorize_mode=gym.VectorizeMode.VECTOR_ENTRY_POINT)
algorithm = config.build_algo()
for _ in range(2):
    found = algorithm.train()
    print(found["num_env_steps_sampled_lifetime"], "steps")
algorithm.stop()
