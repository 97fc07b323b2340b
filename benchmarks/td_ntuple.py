"""How fast TD-n-tuple trains and searches beside the report's own program: python -m benchmarks.td_ntuple

Rates are per CPU second of one core. The program's (Java) were measured on one core of a machine like ours, over a whole
training; ours over the first seconds, when episodes are longest. They get shorter as the agent learns, and so quicker.
"""

import sys

import tyro

from agents.protocol import Agent
from agents.td_ntuple.config import PRESETS
from agents.td_ntuple.learner import Learner
from benchmarks.timing import TimedArgs, finish, rate, use_cores
from results.published import SPEED
from results.studies.td_ntuple import konen
from rubiks_gym.puzzles import puzzle_from_name
from train.evaluation import start_states


def searching(agent: Agent, seconds: float, remember: int, trees: int = 200) -> float:
    """MCTS iterations per second, 100 per move, from states of 15 twists: each needs the values of a leaf's children."""
    starts = start_states(agent.puzzle, 15, trees, seed=0)
    search = konen(100, max_moves=5, remember=remember).make(agent)
    # Trees that are not solved after five moves have made five times 100 iterations; only those are counted.
    return rate(lambda: 500 * int((~search(starts).solved).sum()), seconds)


def main(args: TimedArgs) -> int:
    """One row per measurement."""
    use_cores(1)
    theirs, rows = SPEED["td_ntuple"], []

    def add(work: str, unit: str, ours: float, beside: str, required: float | None) -> None:
        row = {"work": work, "unit": unit, "ours": ours, "the report's program": theirs[beside]}
        rows.append(row | {"ratio": ours / theirs[beside], "required": required})

    for preset, required in (("2x2-qtm", 5), ("3x3-qtm", 5), ("3x3-qtm-nsym8", 10)):
        learner = Learner(puzzle_from_name(PRESETS[preset][0]), PRESETS[preset][1], args.seed)

        def learn(learner: Learner = learner) -> int:
            learner.learn(200)
            return 200

        add(f"training {preset}", "episodes/s", rate(learn, args.seconds), preset, required)
        if preset == "3x3-qtm":
            for work, remember in (("MCTS, values remembered", 1 << 22), ("MCTS, nothing remembered", 0)):
                found = searching(learner.agent(), args.seconds, remember)
                add(work, "iterations/s", found, "MCTS, 3x3-qtm", 5 if remember else None)
    return finish("td_ntuple", rows, args, note="One core, per CPU second.")


if __name__ == "__main__":
    sys.exit(main(tyro.cli(TimedArgs, prog="python -m benchmarks.td_ntuple", description=__doc__)))
