"""How fast the searches are with a heuristic that costs nothing: python -m benchmarks.search

One core. Batch weighted A* beside the version one would write first, a heap and a dict; then its time and memory per node as
the search grows, beam search and Monte Carlo tree search; and how much the process grows, as the system counts it.
"""

import sys
import tracemalloc
from collections.abc import Callable
from heapq import heappop, heappush

import numpy as np
import tyro

from benchmarks.memory import Peak
from benchmarks.timing import TimedArgs, finish, rate, use_cores
from rubiks_gym.puzzles import Rubik3x3, sample_seeds
from rubiks_gym.search import Budget, beam, bwas, mcts

CUBE = Rubik3x3()
UNIFORM = np.full((1, CUBE.n_actions), 1 / CUBE.n_actions, np.float32)


def free(states: np.ndarray) -> np.ndarray:
    """A cost-to-go [B] that costs nothing, spread a little so that the open list has work to do."""
    return states[:, 0] + states[:, 9].astype(np.float32)


def heap_and_dict(start: np.ndarray, nodes: int) -> int:
    """Weighted A* one node at a time, states as bytes: returns the number of nodes generated."""
    opened, best, generated = [(0.0, 0, start.tobytes())], {start.tobytes(): 0}, 0
    goal = CUBE.goal.tobytes()
    while generated < nodes:
        _, g, key = heappop(opened)
        if key == goal:
            break
        if g > best[key]:
            continue
        children = CUBE.expand(np.frombuffer(key, np.uint8)[None])[0]
        for child, h in zip(children, free(children), strict=True):
            generated += 1
            key = child.tobytes()
            if g + 1 < best.get(key, 1 << 30):
                best[key] = g + 1
                heappush(opened, (g + 1 + h, g + 1, key))
    return generated


def grow(state: np.ndarray, nodes: int, batch: int = 1000) -> int:
    return int(bwas(CUBE, state[None], free, batch=batch, budget=Budget(nodes=nodes)).nodes[0])


def bytes_per_node(state: np.ndarray, nodes: int) -> float:
    """Peak memory of a search divided by the nodes it stored (those generated less the repetitions)."""
    stored = 0

    def counting(states: np.ndarray) -> np.ndarray:
        nonlocal stored
        stored += len(states)
        return free(states)

    tracemalloc.start()
    bwas(CUBE, state[None], counting, batch=1000, budget=Budget(nodes=nodes))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / stored


def many_trees(states: np.ndarray, iterations: int) -> int:
    """Iterations of Monte Carlo tree search from all states together, one new node each."""
    found = mcts(
        CUBE,
        states,
        lambda s: np.full(len(s), 20.0, np.float32),
        lambda s: np.repeat(UNIFORM, len(s), axis=0),
        budget=Budget(nodes=iterations),
    )
    return int(found.nodes.sum())


def wide(state: np.ndarray) -> int:
    """Children that a wide beam makes."""
    return int(beam(CUBE, state[None], free, width=16_384, max_steps=30).nodes[0])


def main(args: TimedArgs) -> int:
    """One row per measurement."""
    use_cores(1)
    states = CUBE.random_states(sample_seeds(np.random.default_rng(args.seed), 256))
    hard = states[0]
    work: dict[str, tuple[Callable[[], int], int | None]] = {  # what is done, and how much of it is required
        "heap and dict, nodes/s": (lambda: heap_and_dict(hard, 100_000), None),
        "bwas, N = 1000, 1 million nodes, nodes/s": (lambda: grow(hard, 1_000_000), 500_000),
        "bwas, N = 1000, 3 million nodes, nodes/s": (lambda: grow(hard, 3_000_000), 500_000),
        "bwas, N = 1000, 10 million nodes, nodes/s": (lambda: grow(hard, 10_000_000), 500_000),
        "beam, width 16384, children/s": (lambda: wide(hard), 2_000_000),
        "mcts, 256 cubes, iterations/s": (lambda: many_trees(states, 2000), 100_000),
    }
    rows = [{"work": name, "figure": rate(do, args.seconds), "required": required} for name, (do, required) in work.items()]
    for millions in (1, 10):
        figure = bytes_per_node(hard, millions * 1_000_000)
        rows.append({"work": f"bwas, bytes per stored node at {millions} million", "figure": figure, "required": None})
    for name, (do, _) in list(work.items())[1:]:
        with Peak() as peak:
            do()
        what = name.rpartition(",")[0]
        rows.append({"work": f"{what}, peak resident MB more than before", "figure": peak.nbytes / 2**20, "required": None})
    return finish("search", rows, args, note="3x3x3, one core, CPU seconds, a heuristic that costs nothing.")


if __name__ == "__main__":
    sys.exit(main(tyro.cli(TimedArgs, prog="python -m benchmarks.search", description=__doc__)))
