"""Measure an agent: python -m train.evaluate RUN --search bwas --depths 1-16 --cubes 200

RUN is a run folder, or a baseline by name such as exact:rubik2x2-qtm or random:hanoi-5-3. Prints a table and writes it, with
every length, as JSON and as a plot into RUN/evaluations (or --output), under a number of its own: nothing is overwritten.
"""

import json
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import tyro
from rich.console import Console
from rich.table import Table

import agents
from rubiks_gym import files
from rubiks_gym.checks import MANY, whole
from rubiks_gym.cli import start_text
from rubiks_gym.command_line import run
from rubiks_gym.exact import has_table
from rubiks_gym.puzzles import Puzzle, Rubik3x3
from rubiks_gym.search import SEARCHES, Solutions
from rubiks_gym.search.solutions import joined
from train import evaluation
from train.plots import evaluation_plot, picture
from train.probe import has_truth
from train.progress import Show, progress
from train.provenance import provenance
from train.search_options import SearchOptions
from train.text import percent
from train.wandb_log import Mode, need, send_evaluation

Starts = tuple[
    int, np.ndarray, np.ndarray | None
]  # depth (0: uniform, or a file's), states [B, S], true distances [B] if known


@dataclass(frozen=True, kw_only=True)
class Options(SearchOptions):
    """What to measure."""

    run: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")]
    """Run folder, or a baseline such as exact:rubik2x2-qtm."""
    depths: str = "1-14"
    """Scramble depths, for example 1-16 or 5,10,20; 0 draws uniformly from all states."""
    cubes: int = 200
    """Start states per depth."""
    cubes_file: Path | None = None
    """Instead of depths: a JSON list of scrambles and their optimal lengths, [{"scramble": "R U F'", "optimal_qtm": 3}]."""
    bench: int = 0
    """Instead of depths: this many uniformly random 3x3x3, up to 1,000, whose shortest solutions are proven (0: none)."""
    allow_undo: bool = False
    """Scrambles may undo the move before, as in some papers."""
    allow_same_face: bool = True
    """Scrambles may turn the face of the move before; --no-allow-same-face is how Konen's program scrambles in half turns."""
    heuristic: bool = False
    """Compare the cost-to-go with the truth: on all states of an enumerable puzzle (3.67 million for the 2x2x2: minutes), on
    some of every distance of the 3x3x3."""
    baseline: bool = True
    """Add the exact solver (small puzzles) or the two-phase solver kociemba (3x3x3) to the table."""
    output: Path | None = None
    """The folder to write into (default: RUN/evaluations; a baseline writes nothing)."""
    wandb: Mode = "disabled"
    """Whether the evaluation goes to Weights & Biases too, into the group of the training run."""
    wandb_project: str = "rubiks-gym"
    """Project of Weights & Biases that the evaluation belongs to."""
    wandb_entity: str = ""
    """User or team of Weights & Biases that the project belongs to (default: yours)."""


def evaluate(options: Options) -> dict[str, Any]:
    """Measure, print, write; returns what is written."""
    depths = parse_depths(options.depths)
    whole(1, MANY, **{"--cubes": options.cubes})
    if options.wandb != "disabled":
        need("wandb", "--wandb")
    agent = agents.load(options.run, **options.hardware())
    choice, search, puzzle = options.choice(agent), options.make(agent), agent.puzzle
    if options.output is not None:
        options.output.mkdir(parents=True, exist_ok=True)
    starts = start_states(puzzle, depths, options)
    rows, cubes, done = [], [], 0
    with progress(sum(len(states) for _, states, _ in starts), f"{choice.search} on {puzzle.name}") as show:
        for depth, states, truth in starts:
            counted = search
            if choice.search in ("bwas", "beam"):  # those go from state to state anyway; the others do better all at once
                counted = partial(in_parts, search, show, done)
            row = {"depth": depth, **evaluation.solved_from(puzzle, counted, states, truth, keep_moves=True)}
            cubes += one_by_one(puzzle, states, row) if options.wandb != "disabled" else []
            rows.append({key: value for key, value in row.items() if key not in ("moves", "nodes_each")})
            done += len(states)
            show(done)
    asked = json.loads(json.dumps(asdict(options), default=str)) | choice._asdict()
    result: dict[str, Any] = {"puzzle": puzzle.name, "options": asked, "rows": rows}
    if options.baseline:
        result["baseline"] = baseline_rows(puzzle, starts)
    if options.heuristic and has_truth(puzzle):
        with progress(puzzle.n_states, "heuristic on all states") as show:
            result["heuristic"] = evaluation.heuristic_quality(agent, show)
            show(puzzle.n_states)
    result["provenance"] = provenance()
    report(result)
    write(result, cubes, options)
    return result


def one_by_one(puzzle: Puzzle, states: np.ndarray, row: dict[str, Any]) -> list[dict[str, Any]]:
    """What became of each of states [B, S], of which `solved_from` made a row with moves."""
    truth = row["distances"] or [None] * len(states)
    return [
        {
            "depth": row["depth"],
            "state": start_text(puzzle, state),
            "solved": length is not None,
            "length": length,
            "distance": distance,
            "nodes": nodes,
            "moves": None if length is None else puzzle.format(moves),
        }
        for state, length, distance, nodes, moves in zip(
            states, row["lengths"], truth, row["nodes_each"], row["moves"], strict=True
        )
    ]


def in_parts(search: evaluation.Search, show: Show, before: int, states: np.ndarray, size: int = 16) -> Solutions:
    """The search of states [B, S], a few at a time, so that progress can be shown after those done before."""
    parts = []
    for start in range(0, len(states), size):
        parts.append(search(states[start : start + size]))
        show(before + min(start + size, len(states)))
    return joined(parts)


def start_states(puzzle: Puzzle, depths: list[int], options: Options) -> list[Starts]:
    """The states that are asked for."""
    if options.cubes_file is not None:
        return [(0, *evaluation.read_cubes(puzzle, options.cubes_file))]
    if options.bench:
        return [(0, *evaluation.bench_cubes(puzzle, options.bench))]
    walk = {"allow_undo": options.allow_undo, "allow_same_face": options.allow_same_face}
    sets = [evaluation.start_states(puzzle, depth, options.cubes, options.seed, **walk) for depth in depths]
    return [(depth, states, evaluation.true_distances(puzzle, states)) for depth, states in zip(depths, sets, strict=True)]


def baseline_rows(puzzle: Puzzle, starts: list[Starts]) -> list[dict[str, Any]]:
    """Lengths of the best known solver on the same states: exact, or kociemba for the 3x3x3 if it is installed."""
    lengths: list[Any]
    if has_table(puzzle):
        solver, lengths = "exact", [evaluation.true_distances(puzzle, states) for _, states, _ in starts]
    elif isinstance(puzzle, Rubik3x3) and evaluation.has_kociemba():
        solver, lengths = "kociemba", [evaluation.kociemba_lengths(puzzle, states) for _, states, _ in starts]
    else:
        return []
    means = [float(np.mean(each)) for each in lengths]
    return [{"depth": depth, "solver": solver, "mean_length": mean} for (depth, *_), mean in zip(starts, means, strict=True)]


def report(result: dict[str, Any]) -> None:
    """Print the tables."""
    console, options = Console(), result["options"]
    settings = [f"{key}={value}" for key, value in options["options"].items()]
    settings += [f"radius {options['radius']}"] * bool(options["radius"]) + ["both ways"] * options["inverse"]
    table = Table(title=f"{options['run']} · {' '.join([options['search'], *settings])} · {result['puzzle']}")
    others = {row["depth"]: row for row in result.get("baseline", [])}
    solver = next(iter(others.values()))["solver"] if others else None
    optimal = "optimal" in result["rows"][0]
    headings = ["depth", "solved", *(["optimal"] if optimal else []), "length", *([solver] if solver else []), "nodes", "ms"]
    for heading in headings:
        table.add_column(heading, justify="right")
    for row in result["rows"]:
        drawn = "file" if options["cubes_file"] else "bench" if options["bench"] else "uniform"
        cells = [str(row["depth"] or drawn), percent(row["solved"])]
        cells += [percent(row["optimal"])] if optimal else []
        cells.append("-" if row["mean_length"] is None else f"{row['mean_length']:.2f}")
        cells += [f"{others[row['depth']]['mean_length']:.2f}"] if solver else []
        table.add_row(*cells, f"{row['nodes']:,.0f}", f"{1000 * row['seconds']:.2f}")
    console.print(table)
    if options["cubes_file"] or options["bench"]:
        for distance, n, excess in result["rows"][0].get("excess_by_distance", []):
            console.print(f"  at distance {distance} ({n} known): {excess:.2f} moves more than the shortest")
    if "heuristic" in result:
        quality = result["heuristic"]
        table = Table(title=f"cost-to-go against the truth on {quality['states']:,} states")
        table.add_column("measure")
        table.add_column("value", justify="right")
        shares = ("admissible", "consistent", "greedy_solved", "greedy_without_undo_solved")
        for key, value in quality.items():
            if isinstance(value, float):
                table.add_row(key.replace("_", " "), percent(value) if key in shares else f"{value:.4f}")
        console.print(table)


def write(result: dict[str, Any], cubes: list[dict[str, Any]], options: Options) -> None:
    """NUMBER-SEARCH.json and .png into the output folder; the same to W&B if asked."""
    run = Path(options.run)
    folder = options.output or (run / "evaluations" if run.is_dir() else None)
    plot = evaluation_plot(result)
    if folder is not None:
        folder.mkdir(exist_ok=True)
        numbers = [int(file.name.partition("-")[0]) for file in folder.glob("[0-9]*-*.json")]
        file = folder / f"{max(numbers, default=0) + 1:03d}-{result['options']['search']}.json"
        files.write_text(file, json.dumps(result, indent=1))
        plot.savefig(file.with_suffix(".png"), dpi=150)
        print(f"written: {file}, {file.with_suffix('.png')}")
    if options.wandb != "disabled":
        where = options.wandb, options.wandb_project, options.wandb_entity, folder or Path(".")
        send_evaluation(result, cubes, picture(plot), *where)


def parse_depths(text: str) -> list[int]:
    """Depths from "1-16", "5,10,20" or a mixture."""
    depths: list[int] = []
    try:
        for part in text.split(","):
            first, _, last = part.partition("-")
            depths += range(int(first), int(last or first) + 1)
    except ValueError:
        raise ValueError(f"cannot read the depths {text!r}: write for example 1-16 or 5,10,20") from None
    if not depths or min(depths) < 0:
        raise ValueError(f"the depths {text!r} hold no depth: write for example 1-16 or 5,10,20")
    return depths


def main() -> None:
    """The command line."""
    searches = "".join(f"\n  {name:<23}{search.description}" for name, search in SEARCHES.items())
    evaluate(tyro.cli(Options, prog="python -m train.evaluate", description=f"{__doc__.strip()}\n\nsearches:{searches}"))


if __name__ == "__main__":
    run(main)
