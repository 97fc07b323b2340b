"""PPO with ChaseNet reward (Lin and Liang 2024): learning to solve from scrambled states alone.

1. NX module, algorithm 1: ChaseNet C_rho is fitted to walks between scrambled states (nx.py).
2. Env module, section 2.4: r_i = -log_b C_rho(s_{i+1}, s_g), and 100 at the goal.
3. Actor module, algorithm 2: PPO, that of stable-baselines3 as it is (MaskablePPO where moves can be illegal), on episodes that
   begin at scrambled states; its trajectories may teach ChaseNet further.

Neither module is given a state near the goal, except those that the policy walks to, nor a distance. The goal itself is known:
C_rho compares with it, and reaching it is rewarded.

Fine-tuning. On a trajectory, i moves lead from s to t. The paper takes i to be their cost, which it is only if the policy never
makes a detour. *bound* takes it for the most that it can be: a pair whose cost is below i is left alone. Pairs are taken from
within a roll-out, and as many fresh walk pairs are mixed in, so that what the warm-up taught is not forgotten.

More than one process. Under torchrun each rank plays its share of the puzzles, and gradients of both networks are averaged over
ranks. stable-baselines3 knows nothing of it, so that some of what it does remains each rank's own: advantages are normalised
over a rank's share of a minibatch. The statistics of returns that rewards are divided by are averaged after each roll-out.

All randomness of an iteration comes from (seed, iteration, rank). stable-baselines3 draws from the global generators of numpy
and torch, which are therefore seeded at the beginning of each; nothing has to be remembered of them.

Differs from the paper in: rewards are divided by the running standard deviation of returns (without that nothing is learnt);
C_rho is at least 1 in the reward, so that its logarithm is not negative; what ChaseNet and the policy read, see chasenet.py and
agent.py; fine-tuning is off unless asked for.
"""

from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.utils import set_random_seed
from stable_baselines3.common.vec_env import VecNormalize
from torch import nn

from agents.networks.distributed import parallel
from agents.networks.embedding import EmbeddingSum, make_features
from agents.networks.fitting import OPTIMIZERS
from agents.networks.hardware import CPU, Hardware
from agents.networks.weights import load_optimizer, load_weights, network_arrays, optimizer_arrays
from agents.ppo_chasenet.agent import PpoChaseNet
from agents.ppo_chasenet.chasenet import ChaseNet
from agents.ppo_chasenet.config import PpoChaseNetConfig
from agents.ppo_chasenet.nx import Pairs, correlation, fit_pairs, walk_pairs
from agents.ranks import gathered, rank_and_ranks
from rubiks_gym.envs import PuzzleVectorEnv
from rubiks_gym.puzzles import Puzzle
from rubiks_gym.sb3 import PuzzleVecEnv


class ChaseReward:
    """-log_base C_rho(s', s_g) for a step, and goal_reward for the one that reaches the goal."""

    def __init__(self, net: ChaseNet, base: float, goal_reward: float) -> None:
        self.net, self.base, self.goal_reward = net, base, goal_reward

    def __call__(self, states: np.ndarray, actions: np.ndarray, next_states: np.ndarray, solved: np.ndarray) -> np.ndarray:
        costs = np.maximum(self.net.cost_to_goal(next_states), 1)
        return np.where(solved, self.goal_reward, -np.log(costs) / np.log(self.base))


class FirstLayer(BaseFeaturesExtractor):
    """The policy's first layer inside stable-baselines3: it reads one-hot observations [B, S * W]."""

    def __init__(self, space: spaces.Box, puzzle: Puzzle, input: str, width: int) -> None:
        super().__init__(space, width)
        features = make_features(puzzle, input)
        self.layer, self.pieces = EmbeddingSum(features.total, width), puzzle.state_size
        nn.init.normal_(self.layer.embedding.weight, std=len(features.offset) ** -0.5)  # so that a sum has variance 1
        # a one-hot piece counts from 0, an index from the lowest place that a piece can have
        offset = features.offset + (features.stride * puzzle.first[features.member]).sum(axis=1)
        for name, array in (("member", features.member), ("stride", features.stride), ("offset", offset)):
            self.register_buffer(name, torch.from_numpy(array), persistent=False)  # moves along with the weights

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Which features they stand for, and what the first layer makes of them."""
        places = observations.view(len(observations), self.pieces, -1).argmax(dim=2)
        member, stride, offset = (self.get_buffer(name) for name in ("member", "stride", "offset"))
        return torch.relu(self.layer((places[:, member] * stride).sum(dim=2) + offset))


class Episodes(BaseCallback):
    """How the episodes of a roll-out have ended."""

    def _on_rollout_start(self) -> None:
        self.ended: list[dict[str, Any]] = []

    def _on_step(self) -> bool:
        self.ended += [self.locals["infos"][i] for i in np.flatnonzero(self.locals["dones"])]
        return True

    def metrics(self) -> dict[str, float]:
        """Share solved, and mean moves and reward of an episode, over all ranks; nothing if none has ended."""
        mine = [(info["is_success"], info["episode"]["l"], info["episode"]["r"]) for info in self.ended]
        every = [episode for share in gathered(mine) for episode in share]
        names = ("success", "length", "reward")
        return {name: float(np.mean(column)) for name, column in zip(names, zip(*every, strict=True), strict=False)}


class Evaluated(nn.Module):
    """A policy of stable-baselines3 whose `forward` is what PPO takes gradients through."""

    def __init__(self, policy: Any) -> None:
        super().__init__()
        self.policy, self.evaluate = policy, policy.evaluate_actions  # of its class: an attribute will take its place

    def forward(self, *given: Any, **named: Any) -> Any:
        """Values, log-probabilities and entropies."""
        return self.evaluate(*given, **named)


# what fitting ChaseNet to a pair takes, beside making a move of PPO; time left is reckoned with it
COST_OF_A_PAIR = {"pairs": 1, "relative": 1, "fc": 3, "attention": 30}


class Learner:
    """ChaseNet and a policy under training, and how far they have come."""

    rank, ranks = 0, 1  # which process this is, and of how many

    def __init__(self, puzzle: Puzzle, config: PpoChaseNetConfig, seed: int, hardware: Hardware = CPU) -> None:
        self.puzzle, self.config, self.seed, c = puzzle, config, seed, config
        self.rank, self.ranks = rank_and_ranks()
        if any(number % self.ranks for number in (c.n_envs, c.batch_size)) or c.walks < self.ranks:
            raise ValueError(f"{self.ranks} processes must divide n_envs and batch_size, and have a walk each")
        self.done, self.total = 0, config.iterations  # iterations done, and in all, those of the warm-up included
        self.hardware = hardware
        self.net = ChaseNet(puzzle, c.architecture, (c.k + 1) / 2, seed).place(hardware)
        self.net.fitted = parallel(hardware.compiled(self.net.network))
        self.net_optimizer = OPTIMIZERS["adam"](self.net.network)
        # a move of PPO costs one when it is made and two each time it is used; its reward a third of what fitting a pair does
        moves, pair = c.n_envs * c.n_steps, COST_OF_A_PAIR[c.form]
        tuned = pair if c.fine_tune != "none" else 0
        work = moves * (1 + 2 * c.n_epochs + pair / 3 + tuned)
        self.phases = ((c.warm_iterations, c.walks * c.k * pair), (c.ppo_iterations, work))
        native = PuzzleVectorEnv(
            puzzle,
            c.n_envs // self.ranks,
            c.time_limit,
            "same-step",
            scramble=c.scramble,
            k_max=c.k_max or None,
            reward=ChaseReward(self.net, c.base, c.goal_reward),
            observation="one-hot-uint8",
        )
        self.env = PuzzleVecEnv(native)
        self.scaled: Any = VecNormalize(self.env, norm_obs=False, gamma=c.gamma)
        masked = type(puzzle).legal is not Puzzle.legal
        self.model: Any = (MaskablePPO if masked else PPO)(
            "MlpPolicy",
            self.scaled,
            learning_rate=lambda _: c.learning_rate_of(self.done - c.warm_iterations),
            n_steps=c.n_steps,
            batch_size=c.batch_size // self.ranks,
            n_epochs=c.n_epochs,
            gamma=c.gamma,
            gae_lambda=c.gae_lambda,
            clip_range=c.clip_range,
            ent_coef=c.ent_coef,
            policy_kwargs={
                "features_extractor_class": FirstLayer,
                "features_extractor_kwargs": {"puzzle": puzzle, "input": c.input, "width": c.widths[0]},
                "net_arch": list(c.widths[1:]),
                "activation_fn": nn.ReLU,
                "optimizer_kwargs": {"eps": 1e-5, "fused": True},
            },
            seed=seed,
            device=hardware.device,
        )
        # stable-baselines3 gives copy i the seed + i, so that runs of neighbouring seeds would share most of their starts
        self.env.seed(int(np.random.default_rng([seed, 2, self.rank]).integers(2**62)))  # of rank 0 as without a rank
        if self.ranks > 1:
            policy = self.model.policy
            averaged = parallel(Evaluated(policy))
            object.__setattr__(policy, "evaluate_actions", lambda *given, **named: averaged(*given, **named))  # no submodule
        self._everyone: list[dict[str, np.ndarray]] = []  # what the ranks' environments had come to
        self.model.set_logger(Logger(None, []))  # else every call of learn makes an empty folder among the temporary files

    def iterate(self) -> dict[str, float]:
        """One iteration of algorithm 1, or, after the last of them, of algorithm 2; returns its metrics."""
        rng = np.random.default_rng([self.seed, self.done, self.rank])
        metrics = self.warm_up(rng) if self.done < self.config.warm_iterations else self.improve(rng)
        self.done += 1
        return metrics

    def warm_up(self, rng: np.random.Generator) -> dict[str, float]:
        """Fit ChaseNet to a fresh data set D."""
        c, k = self.config, self.config.k_of(self.done)
        pairs = walk_pairs(self.puzzle, c.walks * c.k // k // self.ranks, k, rng, c.plain_walks)
        return fit_pairs(self.net, self.net_optimizer, pairs, c.warm_batch_size, c.warm_learning_rate_of(self.done), rng)

    def improve(self, rng: np.random.Generator) -> dict[str, float]:
        """A roll-out, and what PPO, and perhaps ChaseNet, learn from it."""
        c, episodes = self.config, Episodes()
        set_random_seed(int(rng.integers(2**31)))
        self.model.learn(c.n_envs // self.ranks * c.n_steps, episodes, reset_num_timesteps=False)
        losses, rms = self.model.logger.name_to_value, self.scaled.ret_rms
        names = ("value_loss", "entropy_loss", "approx_kl")
        mine = [*(float(losses[f"train/{name}"]) for name in names), float(rms.mean), float(rms.var)]
        means = mine if self.ranks == 1 else np.mean(gathered(mine), axis=0).tolist()
        metrics, (rms.mean, rms.var) = dict(zip(names, means, strict=False)), map(np.float64, means[3:])
        if c.fine_tune != "none":
            metrics |= self.fine_tune(rng)
        self._everyone = gathered(self._played())
        return metrics | episodes.metrics() | {"moves": self.model.num_timesteps * self.ranks}

    def _played(self) -> dict[str, np.ndarray]:
        """Where this rank's puzzles are."""
        found = {f"env.{name}": array for name, array in self.env.get_state().items()}
        return found | {"discounted": self.scaled.returns, "starts": self.model._last_episode_starts}

    def fine_tune(self, rng: np.random.Generator) -> dict[str, float]:
        """Fit ChaseNet to the trajectories of the last roll-out and to as many walks."""
        c, (states, same) = self.config, self.trajectories()
        n, steps = states.shape[:2]
        i = rng.integers(0, steps - 1, n)
        j = rng.integers(i + 1, np.minimum(i + c.k, steps - 1) + 1)
        every = np.arange(n)
        whole = same[every, i] == same[every, j]  # both in one episode
        s, t, y = states[every, i][whole], states[every, j][whole], (j - i).astype(np.float32)[whole]
        if c.fine_tune == "bound":
            y = np.minimum(y, self.net.cost(s, t))
        walks = walk_pairs(self.puzzle, -(-n // c.k), c.k, rng, c.plain_walks)
        before = correlation(self.net.cost(walks.s, walks.t), walks.y)
        pairs = Pairs(*(np.concatenate(both) for both in zip((s, t, y), walks, strict=True)))
        found = fit_pairs(self.net, self.net_optimizer, pairs, c.warm_batch_size, c.fine_tune_learning_rate, rng)
        return {"fine_tune_loss": found["chase_loss"], "correlation": before}

    def trajectories(self) -> tuple[np.ndarray, np.ndarray]:
        """The states [n_envs, n_steps, S] of the last roll-out, and a number [n_envs, n_steps] per episode."""
        c, buffer = self.config, self.model.rollout_buffer  # which PPO leaves with the steps of a puzzle one after another
        n_envs = c.n_envs // self.ranks
        one_hot = buffer.observations.reshape(n_envs, c.n_steps, self.puzzle.state_size, -1)
        states = (one_hot.argmax(axis=3) + self.puzzle.first).astype(np.uint8)
        return states, buffer.episode_starts.reshape(c.n_steps, n_envs).T.cumsum(axis=1)

    def agent(self) -> PpoChaseNet:
        """The policy as it is now, and ChaseNet itself."""
        c, policy = self.config, self.model.policy
        agent = PpoChaseNet(self.puzzle, c.architecture, c.input, c.widths, self.net).place(self.hardware)
        agent.actor.first.load_state_dict(policy.features_extractor.layer.state_dict())
        trained = (*policy.mlp_extractor.policy_net, policy.action_net)
        for layer, its in zip(agent.actor.rest, trained, strict=True):
            layer.load_state_dict(its.state_dict())
        return agent

    # What a checkpoint holds besides the agent ------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        rms = self.scaled.ret_rms
        return {
            "done": self.done,
            "moves": self.model.num_timesteps,
            "returns": [float(rms.mean), float(rms.var), float(rms.count)],
        }

    def arrays(self) -> dict[str, np.ndarray]:
        """The whole policy, both optimizers, and where all puzzles are."""
        found = optimizer_arrays(self.net.network, self.net_optimizer, "net_optimizer.")
        if self.model.num_timesteps:
            policy = self.model.policy
            found |= network_arrays(policy, "policy.") | optimizer_arrays(policy, policy.optimizer, "policy_optimizer.")
            every = self._everyone or [self._played()]
            found |= every[0] if self.ranks == 1 else {name: np.stack([each[name] for each in every]) for name in every[0]}
        return found

    def restore(self, state: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        self.done = int(state["done"])
        load_weights(self.net.network, "chasenet.", arrays)
        if self.done and (self.config.warm_iterations or self.config.fine_tune != "none"):  # it has been fitted
            load_optimizer(self.net.network, self.net_optimizer, arrays, "net_optimizer.")
        if state["moves"]:
            policy, rms = self.model.policy, self.scaled.ret_rms
            load_weights(policy, "policy.", arrays)
            load_optimizer(policy, policy.optimizer, arrays, "policy_optimizer.")
            rms.mean, rms.var, rms.count = map(np.float64, state["returns"])
            if self.ranks > 1:  # every array of what is played has one part per rank
                played = [name for name in arrays if name.startswith("env.") or name in ("discounted", "starts")]
                arrays = {name: arrays[name][self.rank] for name in played}
            self.scaled.returns = arrays["discounted"].copy()
            own = {name.removeprefix("env."): array for name, array in arrays.items() if name.startswith("env.")}
            # stable-baselines3 keeps these two between calls of learn, and does not save them
            self.model._last_obs = self.env.set_state(own)
            self.model._last_episode_starts = arrays["starts"].copy()
            self.model.num_timesteps = int(state["moves"])
