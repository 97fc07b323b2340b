"""Tianshou: DQN with its own vector environments over single ones."""

import sys

import gymnasium as gym
from tianshou.algorithm.modelfree.dqn import DQN, DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, CollectStats, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

env_id, mode = sys.argv[1:]
n = 1 if mode == "single" else 8
train_envs, test_envs = (DummyVectorEnv([lambda: gym.make(f"rubiks_gym:{env_id}")] * n) for _ in range(2))
space, actions = train_envs.observation_space[0], train_envs.action_space[0]
net = Net(state_shape=space.shape, action_shape=actions.n, hidden_sizes=[64])
policy = DiscreteQLearningPolicy(model=net, action_space=actions, observation_space=space, eps_training=0.3)
algorithm = DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), target_update_freq=100)
train = Collector[CollectStats](algorithm, train_envs, VectorReplayBuffer(2000, n), exploration_noise=True)
test = Collector[CollectStats](algorithm, test_envs)
result = algorithm.run_training(
    OffPolicyTrainerParams(
        training_collector=train,
        test_collector=test,
        max_epochs=2,
        epoch_num_steps=400,
        collection_step_num_env_steps=10 * n,
        update_step_num_gradient_steps_per_sample=0.1,
        batch_size=32,
        test_step_num_episodes=n,
    )
)
print(result)
