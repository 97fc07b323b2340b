"""How fast the vector environment of every puzzle is, on one core: python -m benchmarks.puzzles

Steps per CPU second with all resets that random actions bring: episodes run into their time limit and start anew, scrambled.
"""

import sys
from collections.abc import Callable
from itertools import cycle

import gymnasium as gym
import numpy as np
import tyro

import rubiks_gym
from benchmarks.timing import TimedArgs, finish, rate, use_cores

VECTOR = 4096  # copies: as many as learners use
REQUIRED = 5e6  # steps per second, of states
CASES = [(entry.id, {}) for entry in rubiks_gym.PUZZLES.values()]
CASES += [("RubikNxN-v0", {"size": 7}), ("SlidingTile-v0", {"rows": 5, "columns": 5}), ("LightsOut-v0", {"side": 7})]


def stepping(id: str, settings: dict, observation: str, seed: int) -> Callable[[], int]:
    """Fifty calls of step, which go on from where the last fifty ended."""
    envs = gym.make_vec(id, num_envs=VECTOR, observation=observation, **settings)
    envs.reset(seed=seed)
    rng = np.random.default_rng(seed)
    actions = cycle(rng.integers(envs.single_action_space.n, size=(64, VECTOR)))
    envs._elapsed[:] = rng.integers(0, envs.max_episode_steps, VECTOR)  # as after a while: episodes end all the time

    def work() -> int:
        for _ in range(50):
            envs.step(next(actions))
        return 50 * VECTOR

    return work


def main(args: TimedArgs) -> int:
    """Measure every puzzle in three observations."""
    use_cores(1)
    rows = []
    for id, settings in CASES:
        rates = {
            seen: rate(stepping(id, settings, seen, args.seed), args.seconds) for seen in ("state", "one-hot-uint8", "one-hot")
        }
        named = ", ".join(f"{key}={value}" for key, value in settings.items())
        row = {"environment": f"{id} {named}".strip(), "figure": rates["state"], "required": REQUIRED}
        rows.append(row | {"one-hot-uint8": rates["one-hot-uint8"], "one-hot": rates["one-hot"]})
    return finish("puzzles", rows, args, vector=VECTOR, unit="steps per CPU second; figure: of states")


if __name__ == "__main__":
    sys.exit(main(tyro.cli(TimedArgs)))
