"""DQN in one file in the manner of CleanRL, with the gymnasium that CleanRL is pinned to."""

import random
import sys
from collections import deque

import gymnasium as gym
import numpy as np
import torch
from torch import nn, optim
from torch.nn import functional

env_id, mode = sys.argv[1:]
NUM_ENVS, STEPS = 1 if mode == "single" else 4, 600


class QNetwork(nn.Module):
    def __init__(self, envs):
        super().__init__()
        size = np.array(envs.single_observation_space.shape).prod()
        self.network = nn.Sequential(nn.Linear(size, 120), nn.ReLU(), nn.Linear(120, envs.single_action_space.n))

    def forward(self, x):
        return self.network(x)


envs = gym.vector.SyncVectorEnv([lambda: gym.make(f"rubiks_gym:{env_id}")] * NUM_ENVS)
q_network, target_network = QNetwork(envs), QNetwork(envs)
target_network.load_state_dict(q_network.state_dict())
optimizer = optim.Adam(q_network.parameters(), lr=2.5e-4)
replay = deque(maxlen=10_000)
obs, _ = envs.reset(seed=1)
for step in range(STEPS):
    greedy = q_network(torch.Tensor(obs)).argmax(dim=1).numpy()
    actions = envs.action_space.sample() if random.random() < 0.2 else greedy
    next_obs, rewards, terminations, truncations, infos = envs.step(actions)
    real_next_obs = next_obs.copy()
    for row, truncated in enumerate(truncations):
        if truncated:
            real_next_obs[row] = infos["final_observation"][row]
    replay.extend(zip(obs, actions, rewards, real_next_obs, terminations, strict=True))
    obs = next_obs
    if step > 100:
        columns = zip(*random.sample(replay, 64), strict=True)
        states, taken, earned, after, done = (torch.from_numpy(np.array(column)) for column in columns)
        with torch.no_grad():
            target = earned.float() + 0.99 * target_network(after).max(dim=1).values * ~done
        loss = functional.mse_loss(q_network(states).gather(1, taken[:, None]).squeeze(), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if step % 100 == 0:
        target_network.load_state_dict(q_network.state_dict())
print("loss", loss.item())
envs.close()
