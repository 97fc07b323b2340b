"""A run is a folder: config.json, metrics.jsonl, checkpoints/, learning.png, later evaluations/, and what W&B is sent.

The training loop asks `run.restore()` where to begin, calls `run.log` and `run.checkpoint`, and stops when `run.stopping`.
What is between two checkpoints is lost by a kill and done again, with the same random numbers, so the result is the same.
"""

import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import filelock
import numpy as np

import agents
from rubiks_gym import files
from train.clock import CLOCK, Clock
from train.hardware_options import HARDWARE
from train.provenance import provenance
from train.wandb_log import Mode, WandbLog, need

KEEP = 2  # checkpoints kept: the newest, and one before it should the disk have failed


@dataclass(frozen=True)
class RunOptions:
    """Where a run is kept and who is told about it."""

    folder: Path
    """The run folder; made if it does not exist."""
    seed: int = 0
    """The seed that all randomness of the run comes from."""
    resume: bool = False
    """Go on from the last whole checkpoint of the folder."""
    checkpoint_seconds: float = 60.0
    """Seconds between two checkpoints."""
    wandb: Mode = "disabled"
    """Whether the run goes to Weights & Biases too; with it come short searches on fixed states (--search-every)."""
    wandb_project: str = "rubiks-gym"
    """Project of Weights & Biases that the run belongs to."""
    wandb_entity: str = ""
    """User or team of Weights & Biases that the project belongs to (default: yours)."""
    wandb_group: str = ""
    """Group of the run at Weights & Biases (default: algorithm-puzzle-preset)."""
    wandb_tags: tuple[str, ...] = ()
    """Tags of the run at Weights & Biases besides algorithm, puzzle and preset."""
    wandb_notes: str = ""
    """Notes on the run at Weights & Biases (default: what is trained, seed and commit)."""
    wandb_artifact: bool = False
    """Keep the last checkpoint at Weights & Biases too, as an artifact."""
    tensorboard: bool = False
    """Write the metrics into the run folder for TensorBoard too."""


class Run:
    """An open run folder."""

    def __init__(self, options: RunOptions, config: dict[str, Any], clock: Clock = CLOCK) -> None:
        self.options, self.folder, self.config, self.clock = options, Path(options.folder), config, clock
        self.stopping = False
        if options.wandb != "disabled":
            need("wandb", "--run.wandb")
        if options.tensorboard:
            need("tensorboard", "--run.tensorboard")
        record = self._check_folder() or {"config": _json(config), "run": _json(asdict(options)), "provenance": provenance()}
        self._lock = _lock(self.folder)
        try:
            self._wandb = None if options.wandb == "disabled" else WandbLog(options, record)
            self._tensorboard = _start_tensorboard(options)
            if not options.resume:  # last: from here on the folder holds a run
                files.write_text(self.folder / "config.json", json.dumps(record, indent=1))
        except BaseException:
            self._lock.release()
            raise
        self._saved_at = clock.wall()

    def restore(self) -> tuple[dict[str, Any], dict[str, np.ndarray]] | None:
        """State and arrays of the last checkpoint when resuming, else None. Metrics after it are dropped: they come again."""
        if not self.options.resume:
            return None
        for folder in (self.folder, self.folder / "checkpoints"):
            files.sweep(folder)
        found = agents.load_checkpoint(self.folder) if agents.checkpoints(self.folder) else None
        if found and found[0].get("puzzle") != self.config["puzzle"]:
            raise ValueError(f"{self.folder} holds a checkpoint of {found[0].get('puzzle')}, not of {self.config['puzzle']}")
        last = found[0]["step"] if found else 0  # a run killed before its first checkpoint begins again
        metrics = self.folder / "metrics.jsonl"
        kept = [line for number, line in enumerate(_whole_lines(metrics), 1) if _step(line, f"{metrics}:{number}") <= last]
        files.write_text(metrics, "".join(line + "\n" for line in kept))
        if self._wandb is not None:
            for line in kept:
                self._wandb.log(json.loads(line))
            self._wandb.final()
        return found

    def log(self, step: int, **metrics: float) -> None:
        """Append one line to metrics.jsonl, and tell W&B and TensorBoard."""
        row = {"step": step, **{key: float(value) for key, value in metrics.items()}}
        with open(self.folder / "metrics.jsonl", "a") as file:
            file.write(json.dumps(row) + "\n")
        if self._wandb is not None:
            self._wandb.log(row)
        if self._tensorboard is not None:
            for key, value in metrics.items():
                self._tensorboard.add_scalar(key, value, step)

    def checkpoint_due(self) -> bool:
        """Whether it is time to save, or the run has to stop."""
        return self.stopping or self.clock.wall() - self._saved_at >= self.options.checkpoint_seconds

    def checkpoint(self, step: int, agent: agents.Agent, state: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        """Save the agent, and what the learner needs to go on from here. Learner and agent must not share names of arrays."""
        whole_state = {"step": step, **agents.describe(agent), "learner": state}
        files.save(self.folder / "checkpoints" / f"{step:012d}.npz", whole_state, {**agent.arrays(), **arrays})
        for old in agents.checkpoints(self.folder)[:-KEEP]:
            old.unlink()
        self._saved_at = self.clock.wall()
        if self._wandb is not None:
            self._wandb.final()

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """The first Ctrl-C or SIGTERM sets `stopping`, so that the learner saves and leaves; the second ends at once.

        Whatever ends the run, the folder is closed.
        """

        def stop(number: int, frame: Any) -> None:
            if self.stopping:
                raise KeyboardInterrupt
            self.stopping = True

        before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
        finished = False
        try:
            yield
            finished = True
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
            self.finish(finished)

    def finish(self, finished: bool = True) -> None:
        """Close W&B, which is told whether the run has come to its end, and TensorBoard, and let go of the folder."""
        if self._wandb is not None:
            self._wandb.close(finished)
        if self._tensorboard is not None:
            self._tensorboard.close()
        self._lock.release()

    def _check_folder(self) -> dict[str, Any] | None:
        """What config.json holds if there is a run to resume; makes the folder if there is none and should be none."""
        file = self.folder / "config.json"
        if self.options.resume:
            if not file.exists():
                raise FileNotFoundError(f"nothing to resume in {self.folder}: there is no config.json")
            try:
                record = json.loads(file.read_text())
                stored = dict(record["config"])
            except (ValueError, KeyError, TypeError, RecursionError):
                raise ValueError(f"{file} is damaged: it does not hold the settings the run was begun with") from None
            settings = [key for key in self.config if key not in HARDWARE]  # a run may go on on another device
            different = [key for key in settings if stored.get(key) != _json(self.config[key])]
            if different:
                key = different[0]
                raise ValueError(
                    f"{self.folder} was begun with {key}={stored.get(key)!r}, not {_json(self.config[key])!r}; "
                    "resume with the same settings"
                )
            return dict(record)
        if file.exists():
            raise FileExistsError(f"{self.folder} holds a run already: pass --run.resume, or choose another folder")
        self.folder.mkdir(parents=True, exist_ok=True)
        return None


def _lock(folder: Path) -> filelock.BaseFileLock:
    """Keep other processes out of a run folder; the system lets go of it should this process be killed."""
    lock = filelock.FileLock(folder / ".lock")
    try:
        return lock.acquire(blocking=False).lock
    except filelock.Timeout:
        raise ValueError(f"another process is training in {folder}: wait for it, or choose another folder") from None


def _start_tensorboard(options: RunOptions) -> Any:
    if not options.tensorboard:
        return None
    from torch.utils.tensorboard import SummaryWriter

    return SummaryWriter(str(options.folder))


def _whole_lines(file: Path) -> list[str]:
    """The lines of a file that a kill did not cut short."""
    text = file.read_text(errors="replace") if file.exists() else ""
    return text[: text.rfind("\n") + 1].splitlines()


def _step(line: str, place: str) -> int:
    """The step of a line of metrics."""
    try:
        return int(json.loads(line)["step"])
    except (ValueError, KeyError, TypeError, RecursionError, OverflowError):
        raise ValueError(f"{place} is damaged: remove that line to go on without it") from None


def _json(value: Any) -> Any:
    return json.loads(json.dumps(value, default=str))
