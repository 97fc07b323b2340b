"""skrl: PPO with its sequential trainer; `wrap_env` recognises single and vector environments by itself."""

import sys
import tempfile

import gymnasium as gym
from skrl.agents.torch.ppo import PPO, PPO_CFG
from skrl.envs.wrappers.torch import wrap_env
from skrl.memories.torch import RandomMemory
from skrl.models.torch import CategoricalMixin, DeterministicMixin, Model
from skrl.trainers.torch import SequentialTrainer
from torch import nn

env_id, mode = sys.argv[1:]
made = gym.make(f"rubiks_gym:{env_id}") if mode == "single" else gym.make_vec(f"rubiks_gym:{env_id}", num_envs=16)
env = wrap_env(made)


def network(outputs):
    return nn.Sequential(nn.Linear(env.observation_space.shape[0], 64), nn.Tanh(), nn.Linear(64, outputs))


class Policy(CategoricalMixin, Model):
    def __init__(self, **spaces):
        Model.__init__(self, **spaces)
        CategoricalMixin.__init__(self)
        self.net = network(self.num_actions)

    def compute(self, inputs, role):
        return self.net(inputs["observations"]), {}


class Value(DeterministicMixin, Model):
    def __init__(self, **spaces):
        Model.__init__(self, **spaces)
        DeterministicMixin.__init__(self)
        self.net = network(1)

    def compute(self, inputs, role):
        return self.net(inputs["observations"]), {}


spaces = {"observation_space": env.observation_space, "action_space": env.action_space, "device": env.device}
models = {"policy": Policy(**spaces), "value": Value(**spaces)}
memory = RandomMemory(memory_size=32, num_envs=env.num_envs, device=env.device)
cfg = PPO_CFG(rollouts=32)
cfg.experiment.directory = tempfile.mkdtemp()
agent = PPO(models=models, memory=memory, cfg=cfg, **spaces)
SequentialTrainer(env=env, agents=agent, cfg={"timesteps": 256, "headless": True}).train()
