"""A run is a folder: config.json, metrics.jsonl, checkpoints/, later evaluation.json and figures.

A learner's loop asks `run.restore()` where to begin, calls `run.log` and `run.checkpoint`, and stops when `run.stopping`.
What is between two checkpoints is lost by a kill and done again, with the same random numbers, so the result is the same.
"""

import importlib
import json
import platform
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

import numpy as np
import tyro
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

import agents
from agents.protocol import Preset
from rubiks_gym import files

KEEP = 2  # checkpoints kept: the newest, and one before it should the disk have failed


@dataclass(frozen=True)
class RunOptions:
    """Where a run is kept and who is told about it."""

    folder: Path
    """The run folder; made if it does not exist."""
    seed: int = 0
    """All randomness comes from it."""
    resume: bool = False
    """Go on from the last whole checkpoint of the folder."""
    checkpoint_seconds: float = 60.0
    """Time between checkpoints."""
    wandb: Literal["disabled", "offline", "online"] = "disabled"
    """Send the same numbers to Weights & Biases."""
    wandb_project: str = "rubiks-gym"
    """Project of the W&B run."""
    tensorboard: bool = False
    """Write TensorBoard files into the run folder too."""


class Run:
    """An open run folder."""

    def __init__(self, options: RunOptions, config: dict[str, Any]) -> None:
        self.options, self.folder, self.stopping = options, Path(options.folder), False
        self.config = config
        _need("wandb", options.wandb != "disabled")
        _need("tensorboard", options.tensorboard)
        self._open_folder()
        self._saved_at, self._cpu_at = time.monotonic(), time.process_time()
        self._wandb = _start_wandb(options, config)
        self._tensorboard = _start_tensorboard(options)

    def restore(self) -> tuple[dict[str, Any], dict[str, np.ndarray]] | None:
        """State and arrays of the last checkpoint when resuming, else None. Metrics after it are dropped: they come again."""
        if not self.options.resume:
            return None
        found = agents.load_checkpoint(self.folder) if agents.checkpoints(self.folder) else None
        last = found[0]["step"] if found else 0  # a run killed before its first checkpoint begins again
        metrics = self.folder / "metrics.jsonl"
        kept = [line for line in _whole_lines(metrics) if json.loads(line)["step"] <= last]
        files.write_text(metrics, "".join(line + "\n" for line in kept))
        return found

    def log(self, step: int, **metrics: float) -> None:
        """Append one line to metrics.jsonl, with the CPU seconds since the last, and tell W&B and TensorBoard."""
        before, self._cpu_at = self._cpu_at, time.process_time()
        metrics["cpu_seconds"] = self._cpu_at - before
        row = {"step": step, **{key: float(value) for key, value in metrics.items()}}
        with open(self.folder / "metrics.jsonl", "a") as file:
            file.write(json.dumps(row) + "\n")
        if self._wandb is not None:
            self._wandb.log(metrics, step=step)
        if self._tensorboard is not None:
            for key, value in metrics.items():
                self._tensorboard.add_scalar(key, value, step)

    def checkpoint_due(self) -> bool:
        """Whether it is time to save, or the run has to stop."""
        return self.stopping or time.monotonic() - self._saved_at >= self.options.checkpoint_seconds

    def checkpoint(self, step: int, agent: agents.Agent, state: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        """Save the agent, and what the learner needs to go on from here. Learner and agent must not share names of arrays."""
        described = agents.describe(agent)
        files.save(
            self.folder / "checkpoints" / f"{step:012d}.npz",
            {"step": step, **described, "learner": state},
            {**agent.arrays(), **arrays},
        )
        for old in sorted((self.folder / "checkpoints").glob("[0-9]*.npz"))[:-KEEP]:
            old.unlink()
        self._saved_at = time.monotonic()

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """The first Ctrl-C or SIGTERM sets `stopping`, so that the learner saves and leaves; the second ends at once."""

        def stop(number: int, frame: Any) -> None:
            if self.stopping:
                raise KeyboardInterrupt
            self.stopping = True

        before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def finish(self) -> None:
        """Close W&B and TensorBoard."""
        if self._wandb is not None:
            self._wandb.finish()
        if self._tensorboard is not None:
            self._tensorboard.close()

    def _open_folder(self) -> None:
        file = self.folder / "config.json"
        if self.options.resume:
            if not file.exists():
                raise FileNotFoundError(f"nothing to resume in {self.folder}: there is no config.json")
            try:
                stored = dict(json.loads(file.read_text())["config"])
            except (ValueError, KeyError, TypeError):
                raise ValueError(f"{file} is damaged: it does not hold the settings the run was begun with") from None
            different = [key for key in self.config if stored.get(key) != _json(self.config[key])]
            if different:
                key = different[0]
                raise ValueError(
                    f"{self.folder} was begun with {key}={stored.get(key)!r}, not {_json(self.config[key])!r}; "
                    "resume with the same settings"
                )
            return
        if file.exists():
            raise FileExistsError(f"{self.folder} holds a run already: pass --run.resume, or choose another folder")
        self.folder.mkdir(parents=True, exist_ok=True)
        record = {"config": _json(self.config), "run": _json(asdict(self.options)), **provenance()}
        files.write_text(file, json.dumps(record, indent=1))


@contextmanager
def progress_bar(total: int, description: str) -> Iterator[Any]:
    """A bar with the time left; call the yielded function with (completed, **figures to show)."""
    columns = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn()]
    with Progress(*columns, TextColumn("{task.fields[figures]}")) as progress:
        task = progress.add_task(description, total=total, figures="")

        def update(completed: int, **figures: float) -> None:
            text = "  ".join(f"{key} {value:.4g}" for key, value in figures.items())
            progress.update(task, completed=completed, figures=text)

        yield update


def provenance() -> dict[str, Any]:
    """Where and with what a result was made."""
    packages = ("rubiks-gym", "numpy", "numba", "torch", "gymnasium")
    return {
        "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "commit": _git("rev-parse", "HEAD"),
        "uncommitted_changes": bool(_git("status", "--porcelain")),
        "machine": {"processor": processor(), "cores": _cores(), "system": platform.platform()},
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in packages},
    }


def origin(folder: Path) -> str:
    """When, where and from which code a run was made."""
    made = json.loads((folder / "config.json").read_text())
    changed = " with uncommitted changes" if made["uncommitted_changes"] else ""
    return f"- {folder.name}: {made['date'][:10]}, commit {made['commit'][:10]}{changed}, {made['machine']['processor']}"


def command(options: type, train: Callable[[Any], Any], presets: Mapping[str, Preset], help: str) -> None:
    """The command line of a training script: its options, a preset's settings as their defaults; a fault is one clear line."""
    try:
        arguments = sys.argv[1:]
        default = with_preset(options, arguments, presets)
        given = {} if default is None else {"default": default}
        train(tyro.cli(options, args=arguments, prog=f"python -m train.{Path(sys.argv[0]).stem}", description=help, **given))
    except (ValueError, FileNotFoundError, FileExistsError, ModuleNotFoundError) as error:
        raise SystemExit(f"error: {error}") from None


def with_preset(options: type, arguments: list[str], presets: Mapping[str, Preset]) -> Any:
    """The options that a preset among the arguments stands for, its puzzle and its settings; None if none is named."""
    texts = [text.partition("=")[2] for text in arguments if text.startswith("--preset=")]
    texts += [arguments[i + 1] for i, text in enumerate(arguments[:-1]) if text == "--preset"]
    if not texts:
        return None
    preset = texts[-1]
    if preset not in presets:
        raise ValueError(f"unknown preset {preset!r}: choose from {', '.join(presets)}")
    puzzle, config = presets[preset][:2]
    return options(run=RunOptions(folder=tyro.MISSING), preset=preset, puzzle=puzzle, config=config)


def rng_state(rng: np.random.Generator) -> dict[str, Any]:
    """The state of a generator as JSON; `rng_from` is the inverse."""
    return rng.bit_generator.state


def rng_from(state: dict[str, Any]) -> np.random.Generator:
    """A generator that goes on where another was."""
    rng = np.random.default_rng()
    rng.bit_generator.state = state
    return rng


def _need(package: str, wanted: bool) -> None:
    """Raise, before anything is written, if a package that is wanted cannot be imported."""
    if wanted:
        try:
            importlib.import_module(package)
        except ImportError:
            raise ModuleNotFoundError(f"--run.{package} needs the package {package}: pip install {package}") from None


def _start_wandb(options: RunOptions, config: dict[str, Any]) -> Any:
    if options.wandb == "disabled":
        return None
    import wandb

    file = Path(options.folder) / "wandb-id.txt"  # a resumed run goes on under the same id
    if not file.exists():
        files.write_text(file, secrets.token_hex(4))
    return wandb.init(
        id=file.read_text(),
        project=options.wandb_project,
        name=Path(options.folder).name,
        dir=str(options.folder),
        mode=options.wandb,
        config=_json(config),
        resume="allow" if options.resume else None,
    )


def _start_tensorboard(options: RunOptions) -> Any:
    if not options.tensorboard:
        return None
    from torch.utils.tensorboard import SummaryWriter

    return SummaryWriter(str(options.folder))


def _whole_lines(file: Path) -> list[str]:
    """The lines of a file that a kill did not cut short."""
    text = file.read_text() if file.exists() else ""
    return text[: text.rfind("\n") + 1].splitlines()


def _json(value: Any) -> Any:
    return json.loads(json.dumps(value, default=str))


def _git(*command: str) -> str | None:
    try:
        folder = Path(__file__).parent
        return subprocess.run(["git", *command], cwd=folder, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def processor() -> str:
    """What the machine calls its processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or "unknown processor"


def _cores() -> int:
    from rubiks_gym.puzzles import get_num_threads

    return get_num_threads()


def _version(package: str) -> str | None:
    try:
        return version(package)
    except ModuleNotFoundError:
        return None
