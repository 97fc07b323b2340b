"""Train a learner many times, with other seeds and settings: in processes of this machine or on a Ray cluster.

    python -m train.many tabular --puzzle hanoi-5-3 --seeds 0 1 2 --folder campaigns/towers
    python -m train.many davi --preset 2x2 --seeds 0 1 --option config.learning-rate 1e-3 3e-4 --folder campaigns/rates \\
        --wandb offline

Every combination of seed and values is a unit, and its run folder is in FOLDER/runs. A run that is finished is not trained
again; one that was killed goes on from its last checkpoint, and ends the same. On Ray a run folder travels back when it is
finished; a node that dies takes the run along, and another begins it anew. At Weights & Biases all are one group, named after
FOLDER.
"""

import argparse
import contextlib
import json
import platform
import runpy
import shutil
import sys
from itertools import product
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from rubiks_gym.checks import whole
from rubiks_gym.command_line import run
from rubiks_gym.exact.table import cache_folder
from train import campaign
from train.campaign import Unit
from train.loop import finished
from train.workers import Outcome, Place, add_arguments, surroundings, workers

WORK = "train.many:train"
SCRIPTS = sorted(file.stem for file in (Path(__file__).parent / "sweeps").glob("*.yaml"))  # every learner has a sweep


# What a worker does ----------------------------------------------------------------------------------------------------


def train(settings: dict[str, Any], place: Place) -> Outcome:
    """Train a run, or go on with it, to its end; returns its folder too where the driver cannot see it."""
    name = run_name(settings)
    folder = (place.folder / "runs" if place.folder else cache_folder() / "campaign" / place.given["group"]) / name
    begun = (folder / "config.json").exists()
    words = [*arguments(settings), "--run.folder", str(folder), *["--run.resume"] * begun]
    words += ["--run.wandb", place.given["wandb"], "--run.wandb-group", place.given["group"]]
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "log.txt", "a+") as log:
        with contextlib.redirect_stdout(log), contextlib.redirect_stderr(log):
            code = _call(f"train.{settings['script']}", words)
        if code:
            log.seek(0)
            told = code if isinstance(code, str) else log.read().strip().rpartition("\n")[2]
            raise ValueError(f"python -m train.{settings['script']} {' '.join(words)}: {told}")
    step = finished(folder)
    if step is None:
        raise RuntimeError(f"the run {name} was told to stop before its end")
    rows = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()] if step else []
    record = {
        **settings,
        "folder": f"runs/{name}",
        "command": " ".join(["python", "-m", f"train.{settings['script']}", *arguments(settings)]),
        "step": step,
        **{key: sum(row.get(key, 0.0) for row in rows) for key in ("seconds", "cpu_seconds")},
        "last": rows[-1] if rows else {},
        "host": platform.node(),
        "provenance": json.loads((folder / "config.json").read_text())["provenance"],
    }
    if place.folder:
        return Outcome(record)
    kept = [file for file in folder.rglob("*") if file.is_file() and file.name != ".lock"]
    content = {f"runs/{name}/{file.relative_to(folder).as_posix()}": file.read_bytes() for file in kept}
    shutil.rmtree(folder)
    return Outcome(record, content)


def _call(module: str, words: list[str]) -> Any:
    """Run a training script within this process, so that it cannot outlive its worker; its exit code if it has failed."""
    before, sys.argv = sys.argv, [module, *words]
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        return end.code
    else:
        return None
    finally:
        sys.argv = before


def arguments(settings: dict[str, Any]) -> list[str]:
    """What the training script is called with, but for its folder."""
    words = [word for key in ("preset", "puzzle") if settings[key] for word in (f"--{key}", settings[key])]
    words += ["--run.seed", str(settings["seed"])]
    for name, value in settings["options"].items():
        words += [f"--{name}", *value.split()]
    return words


def run_name(settings: dict[str, Any]) -> str:
    """What the folder of a run is called: what is trained, the seed, and the name of the unit."""
    what = "-".join(filter(None, (settings["script"], settings["preset"] or settings["puzzle"])))
    return f"{what}-s{settings['seed']}-{Unit(WORK, settings).name[:8]}"


# What the driver does ----------------------------------------------------------------------------------------------------


def units(args: argparse.Namespace) -> list[Unit]:
    """Every combination of seed and values."""
    options = {name.removeprefix("--"): values or [""] for name, *values in args.option}  # a flag has no value
    each = {"script": args.script, "preset": args.preset, "puzzle": args.puzzle}
    return [
        Unit(WORK, each | {"seed": seed, "options": dict(zip(options, values, strict=True))})
        for values in product(*options.values())
        for seed in args.seeds
    ]


def show(found: list[dict[str, Any]]) -> None:
    """Print what has become of the runs: the metrics that all have in their last row."""
    common = [key for key in found[0]["last"] if all(key in record["last"] for record in found)]
    metrics = [key for key in common if key not in ("step", "seconds", "cpu_seconds")][:6]
    varied = [key for key in found[0]["options"] if len({record["options"][key] for record in found}) > 1]
    shown = Table("run", *varied, "steps", "CPU s", *metrics)
    for record in found:
        cells = [record["folder"].removeprefix("runs/"), *(record["options"][key] for key in varied)]
        cells += [f"{record['step']:,}", f"{record['cpu_seconds']:.1f}"]
        shown.add_row(*cells, *(f"{record['last'][key]:.4g}" for key in metrics))
    Console(width=None if sys.stdout.isatty() else 200).print(shown)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m train.many", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("script", choices=SCRIPTS, metavar="LEARNER", help=f"one of {', '.join(SCRIPTS)}")
    add("--preset", default="", help="preset of the learner: python -m train.LEARNER --help lists them")
    add("--puzzle", default="", help="puzzle, if not the preset's")
    add("--seeds", type=int, nargs="+", default=[0], metavar="S", help="seeds of the runs (default: 0)")
    values = "an option of the training script and its value, or several, each for runs of its own; may be repeated"
    add("--option", nargs="+", action="append", default=[], metavar=("NAME", "VALUE"), help=values)
    add("--wandb", choices=("disabled", "offline", "online"), default="disabled", help="Weights & Biases (default: disabled)")
    add_arguments(add)
    args = parser.parse_args()
    whole(0, **{"--workers": args.workers or 0, "--retries": args.retries})
    whole(1, **{"--cores": args.cores})
    every = units(args)
    given = {"wandb": args.wandb, "group": args.folder.resolve().name}
    crew = workers(args.folder, {}, surroundings(args.cores, given), args.workers, args.ray, args.gpus)
    report = campaign.run(every, args.folder, crew, args.retries, f"{len(every)} runs of {args.script}")
    if found := campaign.read(args.folder, every):
        show(found)
    campaign.tell(report, args.folder)


if __name__ == "__main__":
    run(main)
