"""Where PPO with ChaseNet reward spends its time, beside other environments for it: python -m benchmarks.ppo_chasenet

One core, CPU seconds, the preset 2x2 after some rounds that do not count. Then the same networks go on with what one would use
instead, as many single environments in stable-baselines3's DummyVecEnv: each works out its own reward, or, as someone would do
who finds that slow, a wrapper works them out for all of them at once.
"""

import sys
import time
from collections import Counter
from collections.abc import Callable
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
from benchmarks.timing import finish, use_cores
from rubiks_gym.puzzles import Puzzle, puzzle_from_name
from rubiks_gym.rewards import Reward

PRESET = "2x2"
ALLOWED = 0.05  # of the time, for the environment
PARTS = ("environment", "adapter", "reward", "VecNormalize", "policy in roll-outs", "PPO's updates", "other")


@dataclass
class Args(timing.Args):
    """Measure where PPO with ChaseNet reward spends its time."""

    rounds: int = 30
    """Rounds of PPO that are timed."""
    their_rounds: int = 4
    """Rounds with single environments, which are slower; in four of them every episode runs out of time once."""
    before: int = 4
    """Rounds before, that are not."""


class Stopwatch:
    """CPU seconds by part; a call within another counts for its own part alone."""

    def __init__(self) -> None:
        self.spent: Counter[str] = Counter()
        self._within: list[float] = []  # of each call that goes on, the seconds of those within it

    def timed(self, part: str, work: Callable[..., Any]) -> Callable[..., Any]:
        """The function, its time added up."""

        def measured(*args: Any, **keywords: Any) -> Any:
            self._within.append(0.0)
            start = time.process_time()
            answer = work(*args, **keywords)
            seconds = time.process_time() - start
            self.spent[part] += seconds - self._within.pop()
            if self._within:
                self._within[-1] += seconds
            return answer

        return measured

    def on(self, part: str, owner: Any, method: str) -> None:
        """Time a method of an object."""
        setattr(owner, method, self.timed(part, getattr(owner, method)))


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


def measured(watch: Stopwatch, work: Callable[[], Any], rounds: int, before: int, moves: int) -> dict[str, Any]:
    """Moves per second of whole rounds, and the share of each part."""
    for _ in range(before):
        work()
    watch.spent.clear()
    work = watch.timed("other", work)
    for _ in range(rounds):
        work()
    seconds = sum(watch.spent.values())
    shares = {part: f"{watch.spent[part] / seconds:.1%}" for part in PARTS}
    microseconds = 1e6 * (watch.spent["environment"] + watch.spent["adapter"]) / (rounds * moves)
    share = watch.spent["environment"] / seconds
    return {"moves/s": rounds * moves / seconds, **shares, "environment and adapter, µs a move": microseconds, "share": share}


def ours(learner: Learner, watch: Stopwatch, args: Args) -> dict[str, Any]:
    """The learner as it is."""
    c = learner.config
    watch.on("environment", learner.env.env, "step")
    watch.on("adapter", learner.env, "step_wait")
    watch.on("VecNormalize", learner.scaled, "step_wait")
    return measured(watch, learner.iterate, args.rounds, args.before, c.n_envs * c.n_steps)


def theirs(learner: Learner, watch: Stopwatch, reward: Reward, together: bool, args: Args) -> dict[str, Any]:
    """Single environments, each with a Monitor, as `make_vec_env` makes them; the adapter is the wrapper, if there is one."""
    c = learner.config
    keywords = {
        "scramble": "random-state",
        "reward": "sparse" if together else reward,
        "observation": "one-hot",
        "max_episode_steps": c.time_limit,
    }
    singles = DummyVecEnv([lambda: Monitor(gym.make("Rubik2x2-v0", **keywords))] * c.n_envs)
    singles.seed(args.seed)
    watch.on("environment", singles, "step_wait")
    envs: VecEnv = singles
    if together:
        envs = RewardTogether(singles, learner.puzzle, reward)
        watch.on("adapter", envs, "step_wait")
    scaled = VecNormalize(envs, norm_obs=False, gamma=c.gamma)
    watch.on("VecNormalize", scaled, "step_wait")
    learner.model.set_env(scaled)

    def work() -> None:
        learner.model.learn(c.n_envs * c.n_steps, reset_num_timesteps=False)

    return measured(watch, work, args.their_rounds, args.before, c.n_envs * c.n_steps)


def main(args: Args) -> int:
    """Measure all three."""
    use_cores(1)
    config = replace(PRESETS[PRESET][1], warm_iterations=20)
    learner, watch = Learner(puzzle_from_name(PRESETS[PRESET][0]), config, args.seed), Stopwatch()
    for _ in range(config.warm_iterations):
        learner.iterate()
    task = learner.env.env.task
    watch.on("reward", task, "reward")
    watch.on("policy in roll-outs", learner.model, "collect_rollouts")
    watch.on("PPO's updates", learner.model, "train")
    single = f"`DummyVecEnv` of {config.n_envs:,} `Rubik2x2-v0`"
    found = {
        f"`PuzzleVecEnv`, {config.n_envs:,} cubes": ours(learner, watch, args),
        f"{single}, rewards all at once": theirs(learner, watch, task.reward, True, args),
        f"{single}": theirs(learner, watch, task.reward, False, args),
    }
    share, *_ = [row.pop("share") for row in found.values()]
    print(f"the environment takes {share:.1%} of the time, {ALLOWED:.0%} are allowed")
    note = f"Preset {PRESET}, {args.rounds} rounds and {args.their_rounds}, CPU seconds of one core."
    failed = finish("ppo_chasenet", [{"environments": name, **row} for name, row in found.items()], args, note=note)
    return failed or int(args.check and share > ALLOWED)


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args, prog="python -m benchmarks.ppo_chasenet", description=__doc__)))
