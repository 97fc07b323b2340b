"""What goes to Weights & Biases: a training run while it learns, and evaluations of it.

W&B gets the rows of metrics.jsonl, each only once a checkpoint has made it final: what a kill takes back and learning brings
again has never been sent. A resumed run first sends what is missing: online what comes after the last row that the server
knows; offline all of it, in a new folder which takes the place of the old one, since of two folders of one run `wandb sync`
lets the second replace the first.
"""

import importlib
import json
import os
import secrets
import shutil
from pathlib import Path
from typing import Any, Literal

import numpy as np

from rubiks_gym import files

Mode = Literal["disabled", "offline", "online"]
BEST_IS_HIGH = ("solved", "optimal", "success", "correlation")  # how names of such metrics begin or end
BEST_IS_LOW = ("error", "loss", "change")  # not lengths: the fewer and nearer states are solved, the shorter
ID_FILE = "wandb-id.txt"  # in the run folder
ARTIFACT = "model"  # the type that W&B's registry knows


class WandbLog:
    """A training run at W&B."""

    def __init__(self, options: Any, record: dict[str, Any]) -> None:
        """Open it.

        Args:
            options: the `RunOptions` of the run.
            record: what the run's config.json holds.
        """
        config, self.folder, made = record["config"], Path(options.folder), record.get("provenance", {})
        settings = {
            "id": _id(self.folder / ID_FILE),
            "name": self.folder.name,
            "group": options.wandb_group or group_of(config),
            "job_type": "train",
            "tags": [*tags_of(config), *options.wandb_tags],
            "notes": options.wandb_notes or notes_of(config, made),
            "config": {**config, "run": record.get("run"), "provenance": made},
            "resume": "allow" if options.resume else None,
        }
        self.artifact, self.group = options.wandb_artifact, settings["group"]
        self.run = start(options.wandb, options.wandb_project, options.wandb_entity, self.folder, "--run.wandb", **settings)
        self.run.define_metric("*", step_metric="step")
        self._known = self.run.starting_step  # rows before this step are at the server already
        self._rows: list[dict[str, float]] = []  # not final yet
        self._held: dict[str, float] | None = None  # the newest that is final; it may have to carry the pictures of the end
        self._step, self._totals = 0, {"seconds": 0.0, "cpu_seconds": 0.0}
        self._best: dict[str, float] = {}
        if options.resume:
            for old in (self.folder / "wandb").glob(f"offline-run-*-{settings['id']}"):
                if not Path(self.run.dir).resolve().is_relative_to(old.resolve()):
                    shutil.rmtree(old)

    def log(self, row: dict[str, float]) -> None:
        """Take down a row of metrics.jsonl."""
        self._rows.append(row)

    def final(self) -> None:
        """Send the rows so far, since a checkpoint holds them."""
        for row in self._rows:
            if self._held is not None:
                self._send(self._held)
            self._held = row
        self._rows.clear()
        self.run.summary.update(self._summary())

    def close(self, finished: bool) -> None:
        """Send the last row, and, unless the run has failed, the plot of its learning curves and the checkpoint if wanted."""
        import wandb

        plot, checkpoints = self.folder / "learning.png", sorted((self.folder / "checkpoints").glob("[0-9]*.npz"))
        if self._held is not None:
            self._send(self._held, {"learning": wandb.Image(str(plot))} if finished and plot.exists() else {})
            self.run.summary.update(self._summary())
        if finished and self.artifact and checkpoints:
            stored = wandb.Artifact(f"{self.group}-{self.run.id}", ARTIFACT, metadata={"step": int(checkpoints[-1].stem)})
            stored.add_file(str(checkpoints[-1]), "checkpoint.npz")
            stored.add_file(str(self.folder / "config.json"))
            self.run.log_artifact(stored)
        self.run.finish(exit_code=0 if finished else 1)

    def _summary(self) -> dict[str, float]:
        """The best of each metric that has one; of the last row W&B keeps all by itself."""
        return {f"best/{name}": value for name, value in self._best.items()}

    def _send(self, row: dict[str, float], media: dict[str, Any] | None = None) -> None:
        """Send a row under the names that W&B's dashboard sorts into sections, with totals, speed, and the solve drawn then."""
        import wandb

        step = int(row["step"])
        sent: dict[str, Any] = {in_section(name): value for name, value in row.items()}
        for name, total in self._totals.items():
            self._totals[name] = sent[f"time/total_{name}"] = total + row.get(name, 0.0)
        if row.get("seconds"):
            sent["time/steps_per_second"] = (step - self._step) / row["seconds"]
        self._step = step
        for name, value in row.items():
            sign = direction(name)
            if sign and sign * value > sign * self._best.get(in_section(name), -sign * float("inf")):
                self._best[in_section(name)] = value
        if step < self._known:
            return
        solve = solve_file(self.folder, step)
        if solve.exists():
            sent["search/solve"] = wandb.Video(str(solve), format="gif")
        self.run.log(sent | (media or {}), step=step, commit=True)


def send_evaluation(
    result: dict[str, Any], cubes: list[dict[str, Any]], plot: np.ndarray, mode: Mode, project: str, entity: str, folder: Path
) -> None:
    """An evaluation as a run of its own, in the group of the training run: curves over depths, tables, plot, and a summary.

    Args:
        result: what `train.evaluate` writes.
        cubes: what became of each start state.
        plot: of the result, an image [H, W, 3].
        mode: whether W&B is told now or later.
        project: of W&B.
        entity: of W&B, or nothing for one's own.
        folder: where W&B keeps its files.
    """
    asked, rows, trained = result["options"], result["rows"], Path(result["options"]["run"])
    config = {"algorithm": asked["run"].partition(":")[0], "puzzle": result["puzzle"]}
    if (trained / "config.json").exists():
        config = json.loads((trained / "config.json").read_text())["config"]
    if (trained / ID_FILE).exists():
        config["training_run"] = (trained / ID_FILE).read_text()
    settings = {
        "name": f"{trained.name} {asked['search']}",
        "group": group_of(config),
        "job_type": "evaluation",
        "tags": [*tags_of(config), asked["search"]],
        "notes": f"{len(cubes):,} states by {asked['search']}, commit {result['provenance']['commit']}",
        "config": {**config, "evaluation": asked, "provenance": result["provenance"]},
    }
    with start(mode, project, entity, folder, "--wandb", **settings) as run:
        import wandb

        run.define_metric("by depth/*", step_metric="by depth/depth")
        for row in rows:
            if row["depth"]:  # the others are uniformly random, or from a file
                run.log({f"by depth/{key}": value for key, value in row.items() if isinstance(value, int | float)})
        table = wandb.Table(columns=list(cubes[0]), data=[list(cube.values()) for cube in cubes])
        run.log({"cubes": table, "evaluation": wandb.Image(plot)})
        run.summary.update(overall(rows))
        run.summary.update({f"heuristic/{key}": value for key, value in result.get("heuristic", {}).items()})


def overall(rows: list[dict[str, Any]]) -> dict[str, float]:
    """The numbers of all start states of an evaluation together, of which a row has those of one depth."""
    starts = sum(row["starts"] for row in rows)
    means = {key: sum(row["starts"] * row[key] for row in rows) / starts for key in ("solved", "nodes", "cpu_seconds")}
    lengths = [length for row in rows for length in row["lengths"]]
    solved = [length for length in lengths if length is not None]
    if solved:
        means["mean_length"] = sum(solved) / len(solved)
    truth = [distance for row in rows for distance in row["distances"] or [None] * row["starts"]]
    optimal = [length == distance for length, distance in zip(lengths, truth, strict=True) if distance is not None]
    if optimal:
        means["optimal"] = sum(optimal) / len(optimal)
    return {"starts": starts, **means}


def start(mode: Mode, project: str, entity: str, folder: Path, option: str, **settings: Any) -> Any:
    """A run of W&B whose files are in a folder; raises ValueError, naming the option that asked for it, if there is none."""
    need("wandb", option)
    import wandb

    folder.mkdir(parents=True, exist_ok=True)
    try:
        return wandb.init(mode=mode, project=project, entity=entity or None, dir=str(folder), **settings)
    except wandb.Error as error:
        raise ValueError(f"W&B does not start ({error}); {option} offline needs neither key nor network") from None


def need(package: str, option: str) -> None:
    """Raise if a package that an option asks for cannot be imported."""
    try:
        importlib.import_module(package)
    except ImportError:
        raise ModuleNotFoundError(f"{option} needs the package {package}: pip install {package}") from None


def group_of(config: dict[str, Any]) -> str:
    """The group of all runs like this one, whatever their seed, and of their evaluations: algorithm-puzzle-preset."""
    return "-".join(filter(None, (config["algorithm"], config["puzzle"], config.get("preset"))))


def tags_of(config: dict[str, Any]) -> list[str]:
    """What runs are filtered by."""
    return [*dict.fromkeys(filter(None, (config["algorithm"], config["puzzle"], config.get("preset"))))]


def notes_of(config: dict[str, Any], provenance: dict[str, Any]) -> str:
    """A sentence about a run."""
    preset = f", preset {config['preset']}" if config.get("preset") else ""
    return f"{config['algorithm']} on {config['puzzle']}{preset}, seed {config['seed']}, commit {provenance.get('commit')}"


def in_section(metric: str) -> str:
    """A metric's name at W&B, where what is before a stroke is the section of the dashboard."""
    if "/" in metric or metric == "step":
        return metric
    if metric in ("seconds", "cpu_seconds"):
        return f"time/{metric}"
    return f"errors/{metric}" if metric.startswith("error") else f"training/{metric}"


def direction(metric: str) -> int:
    """1 if a metric is best when it is highest, -1 when it is lowest, 0 if there is no best."""
    word = metric.rpartition("/")[2]
    return int(word.startswith(BEST_IS_HIGH) or word.endswith(BEST_IS_HIGH)) - int(
        word.startswith(BEST_IS_LOW) or (word.endswith(BEST_IS_LOW) and word != "entropy_loss")
    )


def solve_file(folder: Path, step: int) -> Path:
    """Where a run keeps the animation of what it solved after a step."""
    return folder / "solves" / f"{step:012d}.gif"


def _id(file: Path) -> str:
    """The run's id, which it keeps when it is resumed; a sweep's agent gives its own."""
    if not file.exists():
        files.write_text(file, os.environ.get("WANDB_RUN_ID") or secrets.token_hex(4))
    return file.read_text()
