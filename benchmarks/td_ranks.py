"""Whether TD-n-tuple learning can be shared by two processes: python -m benchmarks.td_ranks

An update changes what is played next, so episodes are learnt one after another. Two processes would play half of a block of
episodes each from the same weights, then put together what each has changed (weights and coherence): *sum*, or for each weight
the *mean* over those that changed it. This plays both shares in one process. A row has the share solved after as many episodes,
how much a process would have to tell the others after each block, 16 bytes for a weight that it changed, and how fast a network
must carry that for the telling to take no longer than the playing.
"""

import sys
import time
from dataclasses import dataclass, replace

import numpy as np
import tyro

from agents.td_ntuple.config import PRESETS
from agents.td_ntuple.learner import Learner
from benchmarks.timing import Args, finish, use_cores
from rubiks_gym.puzzles import puzzle_from_name
from rubiks_gym.search import make_search
from train.evaluation import solved_by_depth
from train.td_ntuple import MAX_STEPS

PRESET = PRESETS["2x2-qtm"]
BYTES = 16  # of a weight: its number, itself, and its two sums of temporal coherence
DEPTHS = range(4, 14, 2)
# episodes of a block, how shares are put together, processes, and episodes for each 1 that --episodes says
ROWS = (
    (1000, "", 1, 1),
    (100, "sum", 2, 1),
    (1000, "sum", 2, 1),
    (1000, "mean", 2, 1),
    (10_000, "mean", 2, 2),
    (1000, "", 1, 2),
)


@dataclass
class TdArgs(Args):
    """Learn with shared blocks of episodes."""

    episodes: int = 20_000
    """Episodes of the rows that say 1."""
    cubes: int = 200
    """Scrambled cubes of each depth that are solved afterwards."""


def learn(block: int, how: str, ranks: int, episodes: int, seed: int) -> tuple[Learner, float, float]:
    """The learner after so many episodes, weights changed by a share of a block, and CPU seconds of playing it."""
    learner = Learner(puzzle_from_name(PRESET.puzzle), replace(PRESET.config, episodes=episodes), seed)
    kept = (learner._agent.net.weights, learner.coherence)
    changed, seconds, shares = 0, 0.0, 0
    while learner.done < episodes:
        before = [array.copy() for array in kept]
        sums, hits = [np.zeros_like(array) for array in kept], np.zeros(len(kept[0]), np.float32)
        for _ in range(ranks):
            for array, old in zip(kept, before, strict=True):
                array[:] = old
            start = time.process_time()
            learner.learn(min(block // ranks, episodes - learner.done))
            seconds, shares = seconds + time.process_time() - start, shares + 1
            hit = kept[1][:, 1] != before[1][:, 1]
            hits += hit
            changed += np.count_nonzero(hit)
            for total, array, old in zip(sums, kept, before, strict=True):
                total += array - old
        if ranks > 1:
            share = np.maximum(hits, 1) if how == "mean" else np.ones_like(hits)
            kept[0][:] = before[0] + sums[0] / share
            kept[1][:] = before[1] + sums[1] / share[:, None]
    return learner, changed / shares, seconds / shares


def main(args: TdArgs) -> int:
    """One row per way to share."""
    use_cores(1)
    rows = []
    for block, how, ranks, times in ROWS:
        episodes = times * args.episodes
        learner, changed, seconds = learn(block, how, ranks, episodes, args.seed)
        search = make_search("greedy", learner.agent(), {"max_steps": MAX_STEPS})
        solved = np.mean([row["solved"] for row in solved_by_depth(learner.puzzle, search, DEPTHS, args.cubes, args.seed)])
        row = {"processes": ranks, "episodes": f"{episodes:,}", "block": f"{block:,}", "put together": how or "-"}
        row |= {"solved": f"{solved:.1%}", "CPU s a share": seconds, "MB a share": BYTES * changed / 1e6 if how else "-"}
        rows.append(row | {"MB/s": BYTES * changed / 1e6 / seconds if how else "-"})
    return finish("td_ranks", rows, args, note="2x2x2 in quarter turns, scrambled 4 to 12 moves, the agent alone; one core.")


if __name__ == "__main__":
    sys.exit(main(tyro.cli(TdArgs, prog="python -m benchmarks.td_ranks", description=__doc__)))
