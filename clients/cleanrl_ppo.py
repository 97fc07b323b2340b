"""PPO in one file in the manner of CleanRL, with the gymnasium that CleanRL is pinned to."""

import sys

import gymnasium as gym
import numpy as np
import torch
from torch import nn, optim
from torch.distributions import Categorical

env_id, mode = sys.argv[1:]
NUM_ENVS, NUM_STEPS, UPDATES = 1 if mode == "single" else 4, 128, 3


def make_env():
    return gym.wrappers.RecordEpisodeStatistics(gym.make(f"rubiks_gym:{env_id}"))


class Agent(nn.Module):
    def __init__(self, envs):
        super().__init__()
        size = np.array(envs.single_observation_space.shape).prod()
        self.critic = nn.Sequential(nn.Linear(size, 64), nn.Tanh(), nn.Linear(64, 1))
        self.actor = nn.Sequential(nn.Linear(size, 64), nn.Tanh(), nn.Linear(64, envs.single_action_space.n))

    def get_action_and_value(self, x, action=None):
        probs = Categorical(logits=self.actor(x))
        action = probs.sample() if action is None else action
        return action, probs.log_prob(action), probs.entropy(), self.critic(x).flatten()


envs = gym.vector.SyncVectorEnv([make_env] * NUM_ENVS)
agent = Agent(envs)
optimizer = optim.Adam(agent.parameters(), lr=2.5e-4, eps=1e-5)
obs = torch.zeros((NUM_STEPS, NUM_ENVS, *envs.single_observation_space.shape))
actions, logprobs, rewards, dones, values = torch.zeros((5, NUM_STEPS, NUM_ENVS))
next_obs, next_done = torch.Tensor(envs.reset(seed=1)[0]), torch.zeros(NUM_ENVS)
for _ in range(UPDATES):
    for step in range(NUM_STEPS):
        obs[step], dones[step] = next_obs, next_done
        with torch.no_grad():
            actions[step], logprobs[step], _, values[step] = agent.get_action_and_value(next_obs)
        found, reward, terminated, truncated, infos = envs.step(actions[step].long().numpy())
        rewards[step], next_obs = torch.tensor(reward), torch.Tensor(found)
        next_done = torch.Tensor(np.logical_or(terminated, truncated))
        for info in filter(None, infos.get("final_info", [])):
            print("episodic return", info["episode"]["r"], "length", info["episode"]["l"])
    with torch.no_grad():
        advantages, last = torch.zeros_like(rewards), 0.0
        next_value = agent.get_action_and_value(next_obs)[3]
        for t in reversed(range(NUM_STEPS)):
            alive = 1.0 - (next_done if t == NUM_STEPS - 1 else dones[t + 1])
            after = next_value if t == NUM_STEPS - 1 else values[t + 1]
            last = rewards[t] + 0.99 * after * alive - values[t] + 0.99 * 0.95 * alive * last
            advantages[t] = last
        returns = (advantages + values).flatten()
    for _ in range(4):
        for rows in torch.randperm(NUM_STEPS * NUM_ENVS).chunk(4):
            _, logprob, entropy, value = agent.get_action_and_value(obs.flatten(0, 1)[rows], actions.flatten()[rows])
            ratio, gain = (logprob - logprobs.flatten()[rows]).exp(), advantages.flatten()[rows]
            gain = (gain - gain.mean()) / (gain.std() + 1e-8)
            loss = torch.max(-gain * ratio, -gain * ratio.clamp(0.8, 1.2)).mean() - 0.01 * entropy.mean()
            loss = loss + 0.25 * ((value - returns[rows]) ** 2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
envs.close()
