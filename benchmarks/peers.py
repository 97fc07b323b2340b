"""The other packages' side of `benchmarks.speed`, run by the Python of a virtual environment of their own.

`python peers.py CONTENDER CUBES SEED` reads one line of standard input per round and answers each with one line of JSON: how
much work was done and how many CPU seconds it took. Every package gets its work in the form it handles fastest: arrays of its
own kind, prepared beforehand, and no reset of an episode inside a round.
"""

import json
import os
import sys
import time
from collections.abc import Callable

import numpy as np

Round = Callable[[], int]  # does the work of one round and returns how much it was


def jumanji_step(cubes: int, rng: np.random.Generator) -> Round:
    import jax
    import jumanji

    env = jumanji.make("RubiksCube-v0")
    reset, step = jax.jit(jax.vmap(env.reset)), jax.jit(jax.vmap(env.step))
    state, _ = reset(jax.random.split(jax.random.PRNGKey(rng.integers(2**31)), cubes))
    actions = [jax.numpy.asarray(turns) for turns in _turns(20, cubes, rng)]

    def run() -> int:
        nonlocal state
        for turns in actions:
            state, timestep = step(state, turns)
            jax.block_until_ready(timestep)  # an agent needs the observation before it can act
        return len(actions) * cubes

    return run


def envpool_step(cubes: int, rng: np.random.Generator) -> Round:
    import envpool

    # A limit that no round reaches: its time limit would reset, and Jumanji does not either.
    settings = {"num_envs": cubes, "num_threads": 1, "seed": int(rng.integers(2**31)), "max_episode_steps": 10**6}
    env = envpool.make("RubiksCube-v0", env_type="gymnasium", **settings)
    env.reset()
    actions = _turns(5, cubes, rng)

    def run() -> int:
        for turns in actions:
            env.step(turns)
        return len(actions) * cubes

    return run


def cayleypy_packed(cubes: int, rng: np.random.Generator) -> Round:
    return _neighbours(cubes, rng, "auto", repeats=10)


def cayleypy_unpacked(cubes: int, rng: np.random.Generator) -> Round:
    return _neighbours(cubes, rng, None, repeats=1)


def cayleypy_search(cubes: int, rng: np.random.Generator) -> Round:
    """The whole 2x2x2 in quarter turns, one corner held, by breadth-first search; a unit is one search."""
    graph = _graph(2, "fixed_QTM", "auto", rng)

    def run() -> int:
        found = sum(graph.bfs().layer_sizes)
        if found != 3_674_160:
            raise RuntimeError(f"cayleypy found {found} states")
        return 1

    return run


def _neighbours(cubes: int, rng: np.random.Generator, bit_encoding_width: str | None, repeats: int) -> Round:
    graph = _graph(3, "QTM", bit_encoding_width, rng)
    walked, _ = graph.random_walks(width=cubes // 20, length=20)
    states = graph.encode_states(walked)
    return lambda: sum(len(graph.get_neighbors(states)) for _ in range(repeats))


def _graph(size: int, metric: str, bit_encoding_width: str | None, rng: np.random.Generator):
    import torch
    from cayleypy import CayleyGraph, Puzzles

    torch.set_num_threads(1)
    torch.manual_seed(int(rng.integers(2**31)))
    return CayleyGraph(Puzzles.rubik_cube(size, metric), device="cpu", bit_encoding_width=bit_encoding_width)


def _turns(steps: int, cubes: int, rng: np.random.Generator) -> np.ndarray:
    """Random actions [steps, cubes, 3] of Jumanji's cube, which EnvPool has taken over: face, depth, amount."""
    return rng.integers([6, 1, 3], size=(steps, cubes, 3)).astype(np.int32)


if __name__ == "__main__":
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever a package prints must not be taken for an answer
    contender, cubes, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    run = globals()[contender](cubes, np.random.default_rng(seed))
    for _ in sys.stdin:
        start = time.process_time()
        units = run()
        print(json.dumps({"units": units, "seconds": time.process_time() - start}), file=answers, flush=True)
