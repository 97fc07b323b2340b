"""Where PPO with ChaseNet reward spends its time, beside other environments for it: python -m benchmarks.ppo_chasenet

One core, CPU seconds, the preset 2x2 after some rounds that do not count. Then the same networks go on with what one would use
instead: as many single environments in stable-baselines3's DummyVecEnv, and a wrapper that works out the rewards of all of them
at once, since a network asked for one reward at a time takes most of the time.
"""

import sys
import time
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import gymnasium as gym
import numpy as np
import tyro
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv, VecEnvWrapper, VecNormalize

import rubiks_gym  # noqa: F401 (registers the environments)
from agents.ppo_chasenet.config import PRESETS
from agents.ppo_chasenet.learner import Learner
from benchmarks import timing
from rubiks_gym.puzzles import Puzzle, puzzle_from_name
from rubiks_gym.rewards import Reward

ALLOWED = 0.05  # of the time, for the environment
BEFORE = 4  # rounds that do not count; in four of them every episode runs out of time once
PARTS = ("environment", "adapter", "reward", "VecNormalize", "policy in roll-outs", "PPO's updates", "other")


@dataclass
class Args(timing.Args):
    """Measure where PPO with ChaseNet reward spends its time."""

    rounds: int = 30
    """Rounds of PPO that are timed."""


class Stopwatch:
    """CPU seconds by part; a call within another counts for its own part alone."""

    def __init__(self) -> None:
        self.spent: Counter[str] = Counter()
        self._within: list[float] = []  # of each call that goes on, the seconds of those within it

    def on(self, part: str, owner: Any, method: str) -> None:
        """Time a method of an object."""
        work = getattr(owner, method)

        def measured(*args: Any, **keywords: Any) -> Any:
            self._within.append(0.0)
            start = time.process_time()
            answer = work(*args, **keywords)
            seconds = time.process_time() - start
            self.spent[part] += seconds - self._within.pop()
            if self._within:
                self._within[-1] += seconds
            return answer

        setattr(owner, method, measured)


class RewardTogether(VecEnvWrapper):
    """Rewards of single environments worked out for all of them at once, from what they show."""

    def __init__(self, envs: VecEnv, puzzle: Puzzle, reward: Reward) -> None:
        super().__init__(envs)
        self.puzzle, self.reward = puzzle, reward

    def reset(self) -> np.ndarray:
        return self.venv.reset()

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        obs, _, dones, infos = self.venv.step_wait()
        reached = obs.copy()
        for row in np.flatnonzero(dones):
            reached[row] = infos[row]["terminal_observation"]
        states = reached.reshape(len(obs), self.puzzle.state_size, -1).argmax(axis=2).astype(np.uint8)
        rewards = self.reward(states, np.zeros(len(obs), int), states, self.puzzle.is_solved(states))
        return obs, rewards.astype(np.float32), dones, infos


def measure(name: str, learner: Learner, watch: Stopwatch, scaled: VecNormalize, rounds: int) -> dict[str, Any]:
    """Moves per second of whole rounds in environments (an adapter around others), and the share of each part."""
    watch.on("adapter", scaled.venv, "step_wait")
    watch.on("VecNormalize", scaled, "step_wait")
    learner.model.set_env(scaled)
    moves = learner.config.n_envs * learner.config.n_steps
    for number in range(BEFORE + rounds):
        if number == BEFORE:
            watch.spent.clear()
        learner.model.learn(moves, reset_num_timesteps=False)
    seconds, outside = sum(watch.spent.values()), watch.spent["environment"] + watch.spent["adapter"]
    shares = {part: f"{watch.spent[part] / seconds:.1%}" for part in PARTS}
    each = {"environment and adapter, µs a move": 1e6 * outside / (rounds * moves)}
    return {"environments": name, "moves/s": rounds * moves / seconds, **shares, **each}


def main(args: Args) -> int:
    """Ours, then theirs."""
    timing.use_cores(1)
    puzzle, config, *_ = PRESETS["2x2"]
    c = replace(config, warm_iterations=20)
    learner, watch = Learner(puzzle_from_name(puzzle), c, args.seed), Stopwatch()
    for _ in range(c.warm_iterations):
        learner.iterate()
    task = learner.env.env.task
    watch.on("reward", task, "reward")
    for part, method in (("policy in roll-outs", "collect_rollouts"), ("PPO's updates", "train"), ("other", "learn")):
        watch.on(part, learner.model, method)
    watch.on("environment", learner.env.env, "step")
    ours = measure(f"`PuzzleVecEnv`, {c.n_envs:,} cubes", learner, watch, learner.scaled, args.rounds)
    share = watch.spent["environment"] / sum(watch.spent.values())

    keywords = {"scramble": "random-state", "observation": "one-hot", "max_episode_steps": c.time_limit}
    # each with a Monitor, as `make_vec_env` makes them
    singles = DummyVecEnv([lambda: Monitor(gym.make("Rubik2x2-v0", **keywords))] * c.n_envs)
    singles.seed(args.seed)
    watch.on("environment", singles, "step_wait")
    scaled = VecNormalize(RewardTogether(singles, learner.puzzle, task.reward), norm_obs=False, gamma=c.gamma)
    theirs = measure(f"`DummyVecEnv` of {c.n_envs:,} `Rubik2x2-v0`", learner, watch, scaled, args.rounds)
    print(f"the environment takes {share:.1%} of the time, {ALLOWED:.0%} are allowed")
    note = f"Preset 2x2, {args.rounds} rounds, CPU seconds of one core."
    return timing.finish("ppo_chasenet", [ours, theirs], args, note=note) or int(args.check and share > ALLOWED)


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args, prog="python -m benchmarks.ppo_chasenet", description=__doc__)))
