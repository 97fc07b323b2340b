"""Draw what W&B has of a run: python -m results.dashboard RUN --output dashboard.png

RUN is a run folder trained with --run.wandb offline, the evaluations folder of one, or a .wandb file. The file is read back by
W&B's own reader (wandb 0.31 or later), and the picture shows nothing but what is in it and in the files beside it.
"""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import tyro
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from PIL import Image

from rubiks_gym.command_line import run
from train.plots import COLOURS, GREY

COLUMNS = 5
PANEL = (3.0, 1.9)  # inches
ROWS = 8  # of a table that are shown


@dataclass(frozen=True)
class Args:
    """What to draw."""

    run: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")]
    """Run folder, evaluations folder, or .wandb file."""
    output: Path
    """The picture, a PNG."""


def read(file: Path) -> list[dict[str, Any]]:
    """The records of an offline run, in order, as JSON."""
    command = [sys.executable, "-m", "wandb", "leet", "inspect", "--json", str(file)]
    found = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"WANDB_MODE": "offline"})
    if found.returncode:
        raise ValueError(f"W&B cannot read {file}: {found.stderr.strip()}")
    return [json.loads(line) for line in found.stdout.splitlines()]


def of_type(records: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    """What the records of one type hold: run, metric, history, summary, artifact, exit."""
    return [record[name] for record in records if record["type"] == name]


def history(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows that a run has logged."""
    return [row["item"] for row in of_type(records, "history")]


def summary(records: list[dict[str, Any]]) -> dict[str, Any]:
    """What a run's summary is in the end."""
    found: dict[str, Any] = {}
    for change in of_type(records, "summary"):
        found |= change.get("update", {})
    return found


def offline_file(path: Path) -> Path:
    """The .wandb file of the newest offline run directly below a folder; a file is taken as it is."""
    if path.is_file():
        return path
    found = sorted(path.glob("wandb/offline-run-*/*.wandb"))
    if not found:
        raise ValueError(f"{path} holds no offline run of W&B: train with --run.wandb offline, evaluate with --wandb offline")
    return found[-1]


def dashboard(file: Path) -> Figure:
    """The run's names and notes, its curves by section, its pictures and tables, and its summary."""
    records = read(file)
    begun, axis = of_type(records, "run")[0], of_type(records, "metric")[0]["step_metric"]
    rows, last = history(records), summary(records)
    sections: dict[str, list[str]] = {}
    for name in dict.fromkeys(name for row in rows for name in row):
        if "/" in name and name != axis and not name.rpartition("/")[2].startswith("solve."):
            sections.setdefault(name.partition("/")[0], []).append(name)
    media = [(name.removesuffix("._type"), row) for row in rows for name in row if name.endswith("._type")]
    shown = dict(media)  # of each name the last
    heights = [-(-len(names) // COLUMNS) * PANEL[1] + 0.3 for _, names in sorted(sections.items())]
    heights = [0.9, *heights, 3.8 if shown else 0, 2.2]
    figure = Figure(figsize=(COLUMNS * PANEL[0], sum(heights)), layout="constrained")
    parts: Any = figure.subfigures(len(heights), 1, height_ratios=[max(height, 0.01) for height in heights])
    _text(parts[0], begun)
    for part, (section, names) in zip(parts[1:-2], sorted(sections.items()), strict=True):
        _curves(part, section, sorted(names, key=_in_order), rows, axis)
    if shown:
        axes = parts[-2].subplots(1, len(shown), squeeze=False)[0]
        for ax, (name, row) in zip(axes, shown.items(), strict=True):
            _picture(ax, name, row, file.parent / "files")
    _summary(parts[-1], last)
    return figure


def _in_order(name: str) -> list[Any]:
    """So that "at 10" comes after "at 2"."""
    return [(0, int(word), "") if word.isdigit() else (1, 0, word) for word in name.replace("-", " ").split()]


def _text(part: SubFigure, begun: dict[str, Any]) -> None:
    """What the run is."""
    part.text(0.01, 0.72, begun["display_name"], size=16, weight="bold", va="center")
    about = f"group {begun['run_group']} · {begun['job_type']} · tags {', '.join(begun['tags'])}"
    settings = len([key for key in begun["config"]["update"] if not key.startswith("_")])
    part.text(0.01, 0.42, f"{about} · project {begun['project']} · {settings} settings", size=10, va="center")
    part.text(0.01, 0.16, begun.get("notes", ""), size=9, color=GREY, va="center")


def _curves(part: SubFigure, section: str, names: list[str], rows: list[dict[str, Any]], axis: str) -> None:
    """A panel for each metric of a section."""
    part.suptitle(section, x=0.01, ha="left", weight="bold")
    axes = part.subplots(-(-len(names) // COLUMNS), COLUMNS, squeeze=False).ravel()
    for ax, name in zip(axes, names, strict=False):
        points = np.array([(row[axis], row[name]) for row in rows if isinstance(row.get(name), int | float) and axis in row])
        ax.plot(*points.T, color=COLOURS[0], linewidth=1, marker="." if len(points) < 40 else None)
        ax.set_title(name.partition("/")[2], size=8)
        ax.tick_params(labelsize=7)
        ax.grid(alpha=0.2)
    for ax in axes[len(names) :]:
        ax.remove()


def _picture(ax: Axes, name: str, row: dict[str, Any], files: Path) -> None:
    """An image, the first picture of an animation, or the head of a table."""
    ax.axis("off")
    ax.set_title(name, size=9)
    file = files / row[f"{name}.path"]
    if row[f"{name}._type"] == "table-file":
        table = json.loads(file.read_text())
        cells = [["" if value is None else str(value)[:24] for value in line] for line in table["data"][-ROWS:]]
        drawn = ax.table(cells, colLabels=table["columns"], loc="center", cellLoc="left")
        drawn.auto_set_font_size(False)
        drawn.set_fontsize(6)
        drawn.auto_set_column_width(range(len(table["columns"])))
        ax.set_title(f"{name}: last {len(cells)} of {len(table['data']):,} rows", size=9)
        return
    with Image.open(file) as picture:
        ax.imshow(np.asarray(picture.convert("RGB")))


def _summary(part: SubFigure, last: dict[str, Any]) -> None:
    """The summary's numbers, in columns."""
    part.suptitle("summary", x=0.01, ha="left", weight="bold")
    numbers = {name: value for name, value in sorted(last.items()) if isinstance(value, int | float) and name[0] != "_"}
    numbers = {
        name: value for name, value in numbers.items() if not name.endswith((".size", ".width", ".height", ".nrows", ".ncols"))
    }
    names = [name for name in numbers if " at " not in name]
    lines = -(-len(names) // 4)
    for i, name in enumerate(names):
        at = (0.01 + 0.25 * (i // lines), 0.82 - 0.8 * (i % lines) / lines)
        part.text(*at, f"{name}  {numbers[name]:.4g}", size=8, va="center")


def main() -> None:
    """The command line."""
    args = tyro.cli(Args, prog="python -m results.dashboard", description=__doc__.strip())
    dashboard(offline_file(args.run)).savefig(args.output, dpi=100)
    print(f"written: {args.output}")


if __name__ == "__main__":
    run(main)
