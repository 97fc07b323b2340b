"""Measure an agent: python -m train.evaluate RUN --search bwas --depths 1-16 --cubes 200

RUN is a run folder, or a baseline by name such as exact:rubik2x2-qtm or random:hanoi-5-3. Prints a table, and writes
evaluation.json and evaluation.png into the run folder (or --output).
"""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import tyro
from rich.console import Console
from rich.table import Table

import agents
from rubiks_gym import files
from rubiks_gym.exact import has_table
from rubiks_gym.puzzles import Puzzle, Rubik3x3
from rubiks_gym.search import Solutions
from rubiks_gym.search.solutions import joined
from train import evaluation
from train.plots import evaluation_figure, picture
from train.runs import progress_bar, provenance
from train.search_options import SearchOptions


@dataclass(frozen=True, kw_only=True)
class Options(SearchOptions):
    """What to measure."""

    run: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")]
    """Run folder, or a baseline such as exact:rubik2x2-qtm."""
    search: str = "greedy"
    """greedy, greedy-policy, bwas, beam, mcts, or mcts-konen, -deepcube, -deepcube-naive, -betacube-vanilla, -betacube-full."""
    depths: str = "1-14"
    """Scramble depths, for example 1-16 or 5,10,20; 0 draws uniformly from all states."""
    cubes: int = 200
    """Start states per depth."""
    cubes_file: Path | None = None
    """Instead of depths: a JSON list of scrambles and their optimal lengths, [{"scramble": "R U F'", "optimal_qtm": 3}]."""
    allow_undo: bool = False
    """Plain walks, which may undo the move before, as some papers use them."""
    heuristic: bool = True
    """Compare the cost-to-go with the truth on all states of an enumerable puzzle."""
    baseline: bool = True
    """Add the exact solver (2x2x2, Hanoi) or the two-phase solver kociemba (3x3x3) to the table."""
    output: Path | None = None
    """Where to write evaluation.json and evaluation.png (default: the run folder; a baseline writes nothing)."""
    wandb: Literal["disabled", "offline", "online"] = "disabled"
    """Send table and figure to Weights & Biases."""


def evaluate(options: Options) -> dict[str, Any]:
    """Measure, print, write; returns what is written."""
    depths = parse_depths(options.depths)
    if options.cubes < 1:
        raise ValueError(f"--cubes must be at least 1, got {options.cubes}")
    agent = agents.load(options.run)
    search = options.make(agent)
    if options.output is not None:
        options.output.mkdir(parents=True, exist_ok=True)
    puzzle = agent.puzzle
    starts = start_states(puzzle, depths, options)
    rows = []
    with progress_bar(sum(len(states) for _, states, _ in starts), f"{options.search} on {puzzle.name}") as show:
        done = 0
        for depth, states, truth in starts:
            counted = search
            if options.search in ("bwas", "beam"):  # those go from state to state anyway; the others do better all at once
                counted = partial(in_parts, search, lambda n, before=done: show(before + n))
            rows.append({"depth": depth, **evaluation.solved_from(puzzle, counted, states, truth)})
            done += len(states)
            show(done)
    result: dict[str, Any] = {
        "puzzle": puzzle.name,
        "options": json.loads(json.dumps(asdict(options), default=str)),
        "rows": rows,
    }
    if options.baseline:
        result["baseline"] = baseline_rows(puzzle, starts)
    if options.heuristic and has_table(puzzle):
        with progress_bar(puzzle.n_states, "heuristic on all states") as show:
            result["heuristic"] = evaluation.heuristic_quality(agent, show)
            show(puzzle.n_states)
    result["made"] = provenance()
    report(result)
    write(result, options)
    return result


def in_parts(search: evaluation.Search, show: Callable[[int], None], states: np.ndarray, size: int = 16) -> Solutions:
    """The search of states [B, S], a few at a time, so that its progress can be shown."""
    parts = []
    for start in range(0, len(states), size):
        parts.append(search(states[start : start + size]))
        show(min(start + size, len(states)))
    return joined(parts)


def start_states(puzzle: Puzzle, depths: list[int], options: Options) -> list[tuple[int, np.ndarray, np.ndarray | None]]:
    """What is asked: depths (0: from a file, or uniform), states [B, S], and their true distances [B] where those are known."""
    if options.cubes_file is not None:
        return [(0, *evaluation.read_cubes(puzzle, options.cubes_file))]
    sets = [evaluation.start_states(puzzle, depth, options.cubes, options.seed, options.allow_undo) for depth in depths]
    return [(depth, states, evaluation.true_distances(puzzle, states)) for depth, states in zip(depths, sets, strict=True)]


def baseline_rows(puzzle: Puzzle, starts: list[tuple[int, np.ndarray, np.ndarray | None]]) -> list[dict[str, Any]]:
    """Lengths of the best known solver on the same states: exact, or kociemba for the 3x3x3 if it is installed."""
    if not has_table(puzzle):
        try:
            import kociemba  # noqa: F401
        except ImportError:
            return []
        if not isinstance(puzzle, Rubik3x3):
            return []
    rows = []
    for depth, states, truth in starts:
        lengths = truth if has_table(puzzle) else evaluation.kociemba_lengths(puzzle, states)
        solver = "exact" if has_table(puzzle) else "kociemba"
        rows.append({"depth": depth, "solver": solver, "mean_length": float(np.mean(lengths))})
    return rows


def report(result: dict[str, Any]) -> None:
    """Print the tables."""
    console, options = Console(), result["options"]
    table = Table(title=f"{options['run']} · {options['search']} {' '.join(options['option'])} · {result['puzzle']}")
    others = {row["depth"]: row for row in result.get("baseline", [])}
    solver = next(iter(others.values()))["solver"] if others else None
    optimal = "optimal" in result["rows"][0]
    headings = ["depth", "solved", *(["optimal"] if optimal else []), "length", *([solver] if solver else []), "nodes", "ms"]
    for heading in headings:
        table.add_column(heading, justify="right")
    for row in result["rows"]:
        cells = [
            str(row["depth"] or ("file" if options["cubes_file"] else "uniform")),
            f"{row['solved']:.1%}",
            *([f"{row['optimal']:.1%}"] if optimal else []),
        ]
        cells.append("-" if row["mean_length"] is None else f"{row['mean_length']:.2f}")
        cells += [f"{others[row['depth']]['mean_length']:.2f}"] if solver else []
        table.add_row(*cells, f"{row['nodes']:,.0f}", f"{1000 * row['seconds']:.2f}")
    console.print(table)
    if "heuristic" in result:
        quality = result["heuristic"]
        table = Table(title=f"cost-to-go against the truth on all {quality['states']:,} states")
        table.add_column("measure")
        table.add_column("value", justify="right")
        shares = ("admissible", "consistent", "greedy_solved", "greedy_without_undo_solved")
        for key, value in quality.items():
            if isinstance(value, float):
                table.add_row(key.replace("_", " "), f"{value:.2%}" if key in shares else f"{value:.4f}")
        console.print(table)


def write(result: dict[str, Any], options: Options) -> None:
    """evaluation.json and evaluation.png into the output folder; the same to W&B if asked."""
    run = Path(options.run)
    folder = options.output or (run if run.is_dir() else None)
    figure = evaluation_figure(result)
    if folder is not None:
        files.write_text(folder / "evaluation.json", json.dumps(result, indent=1))
        figure.savefig(folder / "evaluation.png", dpi=150)
        Console().print(f"written: {folder / 'evaluation.json'}, {folder / 'evaluation.png'}")
    if options.wandb != "disabled":
        send_to_wandb(result, figure, folder or Path("."), options)


def send_to_wandb(result: dict[str, Any], figure: Any, folder: Path, options: Options) -> None:
    """One table of rows, the heuristic's figures as a summary, and the figure."""
    try:
        import wandb
    except ImportError:
        raise ModuleNotFoundError("--wandb needs the package wandb: pip install wandb") from None
    with wandb.init(
        project="rubiks-gym", job_type="evaluation", dir=str(folder), mode=options.wandb, config=result["options"]
    ) as run:
        columns = [name for name in result["rows"][0] if name not in ("lengths", "distances")]
        table = wandb.Table(columns=columns, data=[[row[column] for column in columns] for row in result["rows"]])
        run.log({"solved by depth": table, "evaluation": wandb.Image(picture(figure))})
        for key, value in result.get("heuristic", {}).items():
            run.summary[key] = value


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
    try:
        evaluate(tyro.cli(Options, prog="python -m train.evaluate", description=__doc__))
    except (ValueError, OSError, ModuleNotFoundError) as error:
        raise SystemExit(f"error: {error}") from None


if __name__ == "__main__":
    main()
