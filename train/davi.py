"""DAVI (DeepCubeA; Tardon 2022): python -m train.davi --preset 2x2 --run.folder runs/davi/2x2-s0

Presets are in agents/davi/config.py; any setting can be changed, for example --config.iterations 50. On several cores or
machines: torchrun --nproc-per-node 2 -m train.davi ... Writes losses.png with the convergence points marked.
"""

from dataclasses import asdict, dataclass, field

import agents
from agents.davi.agent import Davi
from agents.davi.config import PRESETS, DaviConfig
from agents.davi.learner import Learner
from agents.networks.distributed import process_group
from results.davi.figures import losses_figure
from rubiks_gym import files
from rubiks_gym.puzzles import puzzle_from_name
from train.loop import learn
from train.runs import Run, RunOptions, command


@dataclass(frozen=True)
class Options:
    """Deep approximate value iteration."""

    run: RunOptions
    """The run folder."""
    preset: str = ""
    """Settings by name, see agents/davi/config.py."""
    puzzle: str = "rubik2x2-qtm"
    """rubik2x2-qtm, rubik3x3-htm, hanoi-DISKS-PEGS, ..."""
    config: DaviConfig = field(default_factory=DaviConfig)
    """The learner's settings."""
    probe_every: int = 25
    """Iterations between two measurements of the error at every distance, on puzzles with an exact table (0: none)."""


def train(options: Options) -> Davi:
    """Train from scratch, or go on where a checkpoint was."""
    if options.probe_every < 0:
        raise ValueError(f"--probe-every must be at least 0, got {options.probe_every}")
    with process_group():
        config = options.config
        learner = Learner(puzzle_from_name(options.puzzle), config, options.run.seed)
        record = {"algorithm": "davi", "preset": options.preset, "puzzle": learner.puzzle.name, "seed": options.run.seed}
        record |= {**asdict(config), "probe_every": options.probe_every, "processes": learner.ranks}
        shown = ("loss", "effective_k", "convergence_points")
        learn(learner, options.run, record, shown, options.probe_every, lambda run: keep(learner, run))
        if learner.rank == 0:
            losses_figure(options.run.folder, config.epsilon).savefig(options.run.folder / "losses.png", dpi=150)
        return learner.agent()


def keep(learner: Learner, run: Run) -> None:
    """Store the agent of a convergence point that is to be kept where `agents.load` finds it: in RUN/convergence/NUMBER."""
    every, points = learner.config.keep_every, learner.points
    if not every or not learner.converged or (points - 1) % every:
        return
    agent, folder = learner.agent(), run.folder / "convergence" / f"{points:04d}"
    state = {"step": learner.done, **agents.describe(agent)}
    files.save(folder / "checkpoints" / f"{learner.done:012d}.npz", state, agent.arrays())


if __name__ == "__main__":
    command(Options, train, PRESETS, __doc__)
