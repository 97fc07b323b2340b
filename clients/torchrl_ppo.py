"""TorchRL: PPO out of its collector, advantage and loss; GymEnv for one, GymWrapper around `gym.make_vec` for many."""

import sys

import gymnasium as gym
import torch
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.envs import GymEnv, GymWrapper
from torchrl.modules import OneHotCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

import rubiks_gym  # noqa: F401  (registers the environments)

env_id, mode = sys.argv[1:]
env = GymEnv(env_id) if mode == "single" else GymWrapper(gym.make_vec(env_id, num_envs=8, autoreset_mode="disabled"))
size, actions = env.observation_spec["observation"].shape[-1], env.action_spec.shape[-1]
policy_net = nn.Sequential(nn.Linear(size, 64), nn.Tanh(), nn.Linear(64, actions))
module = TensorDictModule(policy_net, in_keys=["observation"], out_keys=["logits"])
policy = ProbabilisticActor(
    module, spec=env.action_spec, in_keys=["logits"], distribution_class=OneHotCategorical, return_log_prob=True
)
critic = ValueOperator(nn.Sequential(nn.Linear(size, 64), nn.Tanh(), nn.Linear(64, 1)), in_keys=["observation"])
advantage = GAE(gamma=0.99, lmbda=0.95, value_network=critic)
loss_module = ClipPPOLoss(policy, critic)
optimizer = torch.optim.Adam(loss_module.parameters(), 3e-4)
for batch in Collector(env, policy, frames_per_batch=256, total_frames=1024):
    for _ in range(4):
        advantage(batch)
        losses = loss_module(batch.reshape(-1))
        optimizer.zero_grad()
        sum(value for key, value in losses.items() if key.startswith("loss_")).backward()
        optimizer.step()
    print(f"reward {batch['next', 'reward'].mean():.3f}")
