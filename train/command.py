"""What the training scripts share: their options, their command line with its presets, and what a run consists of."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Generic, TypeVar

import tyro

from agents import ranks
from agents.protocol import Preset
from rubiks_gym.checks import number, whole
from rubiks_gym.command_line import run
from rubiks_gym.puzzles import puzzle_from_name
from train.hardware_options import HardwareOptions
from train.loop import Learner, Measure, learn
from train.probe import Probe, has_truth
from train.runs import Run, RunOptions

Config = TypeVar("Config")


@dataclass(frozen=True, kw_only=True)
class Options(Generic[Config]):
    """What every training script takes."""

    run: RunOptions
    """The run folder."""
    preset: str = ""
    """Puzzle and settings by name; the list of presets is above. Options given beside it change its settings."""
    puzzle: str
    """Any registered puzzle by name, for example rubik2x2-qtm, rubik3x3-htm or hanoi-DISKS-PEGS."""
    config: Config
    """The learner's settings."""
    probe_every: int = 0
    """Steps between two measurements of the error at every distance, on small puzzles and the 3x3x3 (0: none)."""
    search_every: int | None = None
    """Steps between two short searches on fixed states (0: none; default: with W&B, as often as 2% of the time allows)."""
    solve_every: int | None = None
    """Steps between two measurements of what is solved of the same 300 random states, 100 of large puzzles (default: none)."""


@dataclass(frozen=True, kw_only=True)
class NetworkOptions(HardwareOptions, Options[Config]):
    """What the training scripts of networks take."""


def train_learner(
    algorithm: str,
    learner_class: Callable[..., Any],
    options: Options[Any],
    shown: Sequence[str] = (),
    measures: Sequence[Measure] = (),
    after: Callable[[Any, Run], None] = lambda learner, run: None,
) -> Any:
    """Train from scratch, or go on where a checkpoint was, and return the agent."""
    whole(0, **{"--probe-every": options.probe_every, "--run.seed": options.run.seed})
    whole(0, **{"--search-every": options.search_every or 0, "--solve-every": options.solve_every or 0})
    number(least=0, **{"--run.checkpoint-seconds": options.run.checkpoint_seconds})
    on: list[Any] = []
    if isinstance(options, NetworkOptions):
        from agents.networks.hardware import choose_hardware  # imports torch, which a table learns without
        from agents.networks.memory import keep_large_blocks

        keep_large_blocks()
        on = [choose_hardware(**options.hardware())]
        options = replace(options, device=on[0].device.type)
    several = ranks.started() > 1
    if several and not hasattr(learner_class, "ranks"):
        raise ValueError(f"{algorithm} learns in one process: start python -m train.{algorithm} without torchrun")
    with _process_group(on[0].device if on else None) if several else nullcontext():
        learner: Learner = learner_class(puzzle_from_name(options.puzzle), options.config, options.run.seed, *on)
        own = {key: value for key, value in asdict(options).items() if key not in ("run", "puzzle", "config")}
        record = {"algorithm": algorithm, **own, "puzzle": learner.puzzle.name, "seed": options.run.seed}
        record |= asdict(options.config) | {"processes": getattr(learner, "ranks", 1)}
        if learner.rank == 0 and options.probe_every and has_truth(learner.puzzle):
            probe = Probe(learner.puzzle)
            measures = [*measures, (options.probe_every, lambda learner: probe.errors(learner.agent().cost_to_go))]
        if learner.rank == 0 and (options.search_every or (options.search_every is None and options.run.wandb != "disabled")):
            from train.short_search import POINTS, SHARE, ShortSearch  # imports scipy, which takes a while

            share = float("inf") if options.search_every else SHARE
            searches = ShortSearch(learner.puzzle, not options.probe_every, options.run.folder, share)
            measures = [*measures, (options.search_every or -(-learner.total // POINTS), searches)]
        if learner.rank == 0 and options.solve_every:
            from train.solve_alone import SolveAlone  # imports scipy too

            measures = [*measures, (options.solve_every, SolveAlone(learner.puzzle))]
        learn(learner, options.run, record, shown, measures, after)
        return learner.agent()


def command(
    options: Any,
    train: Callable[[Any], object],
    presets: Mapping[str, Preset],
    help: str,
    puzzle: str,
    config: Any,
    **others: Any,
) -> None:
    """The command line of a training script.

    Args:
        options: the class of what the script takes.
        train: is called with the options.
        presets: by name.
        help: what the script does.
        puzzle: which puzzle, unless a preset or the user says another.
        config: which settings, unless a preset or the user says others.
        **others: defaults of the other options.
    """
    listed = "".join(f"\n  {name:<{max(map(len, presets))}}  {preset.about}" for name, preset in presets.items())
    text = (
        f"{help.strip()}\n\n--import MODULE imports a module first, one that registers a puzzle of your own; may be repeated."
    )
    text += f"\n\npresets:{listed}" if presets else ""

    def main() -> None:
        start = preset_among(sys.argv[1:], presets) or Preset(puzzle, config, "")
        default = options(run=RunOptions(folder=tyro.MISSING), puzzle=start.puzzle, config=start.config, **others)
        with unchecked(type(config)):
            chosen = tyro.cli(options, default=default, prog=f"python -m train.{Path(sys.argv[0]).stem}", description=text)
        try:
            chosen.config.__post_init__()
        except ValueError as error:
            print(f"error: {error}", file=sys.stderr)
            raise SystemExit(2) from None  # as for an option that there is not
        if "WANDB_SWEEP_ID" in os.environ:  # every trial has a folder of its own, which W&B's agent cannot name
            folder = chosen.run.folder / os.environ["WANDB_RUN_ID"]
            chosen = replace(chosen, run=replace(chosen.run, folder=folder))
        train(chosen)

    run(main)
    if ranks.started() > 1:
        # All is written by now. Python would free its objects while threads of torch.distributed may still hold some; a thread
        # that then asks for the interpreter aborts its process, now and then, and with it the whole run under torchrun.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


@contextmanager
def unchecked(settings: type[Any]) -> Iterator[None]:
    """Let settings take any values for now: tyro would put what their own check says into a box of many lines."""
    check = settings.__post_init__
    settings.__post_init__ = lambda self: None
    try:
        yield
    finally:
        settings.__post_init__ = check


def preset_among(arguments: Sequence[str], presets: Mapping[str, Preset]) -> Preset | None:
    """The preset that is named last among the arguments; None if there is none."""
    names = [text.partition("=")[2] for text in arguments if text.startswith("--preset=")]
    names += [after for text, after in pairwise(arguments) if text == "--preset"]
    if not names:
        return None
    if names[-1] not in presets:
        there_are = f"choose from {', '.join(presets)}" if presets else "this script has none"
        raise ValueError(f"unknown preset {names[-1]!r}: {there_are}")
    return presets[names[-1]]


def _process_group(device: Any) -> AbstractContextManager[None]:
    """Join the other processes that torchrun has started; networks are on the device."""
    import torch  # which a table learns without

    from agents.networks.distributed import process_group

    return process_group(device or torch.device("cpu"))
