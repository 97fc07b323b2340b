"""TD-n-tuple learning (Konen 2023): python -m train.td_ntuple --preset 3x3-qtm-nsym16 --run.folder runs/td_ntuple/nsym16

Every agent of the report's appendix C is a preset (see agents/td_ntuple/config.py); any setting can be changed, for example
--config.episodes 1000000. Writes learning_curve.png with the report's figures beside the run's own.
"""

from dataclasses import asdict, dataclass, field

import numpy as np

from agents.td_ntuple.agent import TdNTuple
from agents.td_ntuple.config import PRESETS, TdNTupleConfig
from agents.td_ntuple.learner import Learner
from results.td_ntuple.figures import learning_figure
from rubiks_gym.puzzles import puzzle_from_name
from rubiks_gym.search import make_search
from train.evaluation import solved_by_depth
from train.runs import Run, RunOptions, command, progress_bar

E_EVAL = 50  # moves after which a cube counts as not solved


@dataclass(frozen=True)
class Options:
    """TD-n-tuple learning."""

    run: RunOptions
    """The run folder."""
    preset: str = ""
    """An agent of the report: 2x2-htm, 2x2-qtm, 3x3-htm, 3x3-qtm, 3x3-qtm-nsym8, -nsym16, -nsym24; or ours, see config.py."""
    puzzle: str = "rubik2x2-qtm"
    """rubik2x2-qtm, rubik3x3-htm, hanoi-DISKS-PEGS, ..."""
    config: TdNTupleConfig = field(default_factory=TdNTupleConfig)
    """The learner's settings."""
    evaluate_every: int = 100_000
    """Episodes between two points of the learning curve (0: none)."""
    cubes: int = 200
    """Start states per number of twists, for the learning curve."""


def train(options: Options) -> TdNTuple:
    """Train from scratch, or go on where a checkpoint was."""
    puzzle, config, seed = puzzle_from_name(options.puzzle), options.config, options.run.seed
    if options.evaluate_every < 0:
        raise ValueError("--evaluate-every must be at least 0")
    learner = Learner(puzzle, config, seed)
    record = {"algorithm": "td_ntuple", "preset": options.preset, "puzzle": puzzle.name, "seed": seed, **asdict(config)}
    run = Run(options.run, {**record, "evaluate_every": options.evaluate_every, "cubes": options.cubes})
    restored = run.restore()
    if restored is not None:
        learner.restore(restored[0]["learner"], restored[1])
    agent = learner.agent()
    with run.interruptible(), progress_bar(learner.total, f"td_ntuple {options.preset or puzzle.name}") as show:
        while learner.done < learner.total and not run.stopping:
            metrics = learner.iterate()
            done, last = learner.done, learner.done == learner.total
            if options.evaluate_every and (done % options.evaluate_every == 0 or last):
                metrics["solved"] = solved_rate(agent, config, options.cubes)
            run.log(done, **metrics)
            show(done, **metrics)
            if run.checkpoint_due() or last:
                run.checkpoint(done, agent, learner.state(), learner.arrays())
    if options.evaluate_every:
        learning_figure(run.folder, options.preset).savefig(run.folder / "learning_curve.png", dpi=150)
    run.finish()
    return agent


def solved_rate(agent: TdNTuple, config: TdNTupleConfig, cubes: int) -> float:
    """The report's measure: the greedy agent's share of solved cubes, mean over 1..p_max twists, undoing ones allowed."""
    search = make_search("greedy", agent, {"max_steps": E_EVAL})
    rows = solved_by_depth(agent.puzzle, search, range(1, config.p_max + 1), cubes, allow_undo=True)
    return float(np.mean([row["solved"] for row in rows]))


if __name__ == "__main__":
    command(Options, train, PRESETS, __doc__)
