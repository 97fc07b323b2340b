"""TD-n-tuple learning (Konen 2023): python -m train.td_ntuple --preset 3x3-qtm-nsym16 --run.folder runs/td_ntuple/nsym16

A step is an episode. Any setting can be changed, for example --config.episodes 1000000. Writes learning.png.
"""

from dataclasses import dataclass

import numpy as np

from agents.td_ntuple.agent import TdNTuple
from agents.td_ntuple.config import PRESETS, TdNTupleConfig
from agents.td_ntuple.learner import Learner
from rubiks_gym.checks import whole
from rubiks_gym.search import make_search
from train import command
from train.evaluation import solved_by_depth

MAX_STEPS = 50  # moves after which a cube counts as not solved (the report's E_eval)


@dataclass(frozen=True, kw_only=True)
class Options(command.Options[TdNTupleConfig]):
    """TD-n-tuple learning."""

    evaluate_every: int = 100_000
    """Episodes between two measurements of the share of cubes that the agent solves alone (0: none)."""
    cubes: int = 200
    """Cubes per number of twists in such a measurement."""


def train(options: Options) -> TdNTuple:
    """Train from scratch, or go on where a checkpoint was."""
    whole(0, **{"--evaluate-every": options.evaluate_every})
    whole(1, **{"--cubes": options.cubes})

    def measure(learner: Learner) -> dict[str, float]:
        return {"solved": solved_rate(learner.agent(), options.config.p_max, options.cubes)}

    return command.train_learner("td_ntuple", Learner, options, measures=[(options.evaluate_every, measure)])


def solved_rate(agent: TdNTuple, p_max: int, cubes: int) -> float:
    """The report's measure: the greedy agent's share of solved cubes, mean over 1..p_max twists.

    Its program draws any quarter turn, also one that undoes the one before; in half turns never one of the same face.
    """
    search, half_turns = make_search("greedy", agent, {"max_steps": MAX_STEPS}), getattr(agent.puzzle, "metric", "") == "htm"
    walk = {"allow_same_face": False} if half_turns else {"allow_undo": True}
    rows = solved_by_depth(agent.puzzle, search, range(1, p_max + 1), cubes, **walk)
    return float(np.mean([row["solved"] for row in rows]))


if __name__ == "__main__":
    command.command(Options, train, PRESETS, __doc__, "rubik2x2-qtm", TdNTupleConfig())
