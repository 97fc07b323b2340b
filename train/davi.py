"""DAVI (DeepCubeA; Tardon 2022): python -m train.davi --preset 2x2 --run.folder runs/davi/2x2-s0

Presets are in agents/davi/config.py; any setting can be changed, for example --config.iterations 50. On several cores or
machines: torchrun --nproc-per-node 2 -m train.davi ... Writes losses.png with the convergence points marked.
"""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field

import torch.distributed as dist

import agents
from agents import store
from agents.davi.agent import Davi
from agents.davi.config import PRESETS, DaviConfig
from agents.davi.figures import losses_figure
from agents.davi.learner import Learner
from agents.davi.probe import Probe
from rubiks_gym.exact import has_table
from rubiks_gym.puzzles import puzzle_from_name
from train.runs import Run, RunOptions, command, progress_bar


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
    """Train from scratch, or go on where a checkpoint was; the first process keeps the run folder."""
    if options.probe_every < 0:
        raise ValueError(f"--probe-every must be at least 0, got {options.probe_every}")
    with process_group():
        learner = Learner(puzzle_from_name(options.puzzle), options.config, options.run.seed)
        if learner.rank == 0:
            lead(learner, options)
        else:
            follow(learner, options)
        return learner.agent()


def lead(learner: Learner, options: Options) -> None:
    """The loop of the only process, or of the first of several."""
    puzzle, config = learner.puzzle, options.config
    record = {"algorithm": "davi", "preset": options.preset, "puzzle": puzzle.name, "seed": options.run.seed}
    more = {"probe_every": options.probe_every, "processes": learner.ranks}
    run = Run(options.run, {**record, **asdict(config), **more})
    restored = run.restore()
    if restored is not None:
        learner.restore(restored[0]["learner"], restored[1])
    probe = Probe(puzzle) if options.probe_every and has_table(puzzle) else None
    with run.interruptible(), progress_bar(config.iterations, f"davi {options.preset or puzzle.name}") as show:
        while learner.all_agree(learner.iteration < config.iterations and not run.stopping):
            began, before = time.perf_counter(), learner.points
            metrics = learner.iterate()
            metrics["seconds"] = time.perf_counter() - began
            done, last = learner.iteration, learner.iteration == config.iterations
            if probe is not None and (done % options.probe_every == 0 or last):
                metrics |= probe.errors(learner.agent().cost_to_go)
            run.log(done, **metrics)
            show(done, **{key: metrics[key] for key in ("loss", "effective_k", "convergence_points")})
            if learner.points > before and config.keep_every and before % config.keep_every == 0:
                keep(learner, run)
            if run.checkpoint_due() or last:
                run.checkpoint(done, learner.agent(), learner.state(), learner.arrays())
    losses_figure(run.folder, config.epsilon).savefig(run.folder / "losses.png", dpi=150)
    run.finish()


def follow(learner: Learner, options: Options) -> None:
    """The loop of the other processes: learn along until the first one has enough."""
    if options.run.resume and agents.checkpoints(options.run.folder):
        state, arrays = agents.load_checkpoint(options.run.folder)
        learner.restore(state["learner"], arrays)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # the first process saves, and says when to leave
    while learner.all_agree(True):
        learner.iterate()


def keep(learner: Learner, run: Run) -> None:
    """Store the agent of a convergence point where `agents.load` finds it: in RUN/convergence/NUMBER."""
    agent, folder = learner.agent(), run.folder / "convergence" / f"{learner.points:04d}"
    state = {"step": learner.iteration, **agents.describe(agent)}
    store.save(folder / "checkpoints" / f"{learner.iteration:012d}.npz", state, agent.arrays())


@contextmanager
def process_group() -> Iterator[None]:
    """Join the other processes if torchrun has started several, unless that has been done."""
    several = int(os.environ.get("WORLD_SIZE", "1")) > 1 and not dist.is_initialized()
    if several:
        dist.init_process_group("gloo")
    try:
        yield
    finally:
        if several:
            dist.destroy_process_group()


if __name__ == "__main__":
    command(Options, train, PRESETS, __doc__)
