"""The N by lambda grid of BWAS (Tardon 2022, section 5.7): python -m results.davi.grid RUN

Percent optimal, nodes and seconds per state for every pair, on states of DeepCube walks (K = 20) and one state of each distance
from 9 to 14, beside the thesis's. Prints the table and writes it with the figures into the run folder (grid.md, grid.json).
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import tyro

import agents
from results.davi.published import GRID
from rubiks_gym import files
from rubiks_gym.exact import ExactTable
from rubiks_gym.puzzles import Puzzle
from rubiks_gym.scrambles import DeepCube
from rubiks_gym.search import make_search
from train.evaluation import solved_from
from train.runs import provenance


@dataclass(frozen=True)
class Options:
    """What to measure."""

    run: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")]
    """Run folder of an agent for a puzzle with an exact table."""
    n: tuple[int, ...] = (3, 5, 7)
    """States expanded per round (N)."""
    weights: tuple[float, ...] = (0.2, 0.5, 0.7, 1.0)
    """Weights of the moves made (lambda)."""
    states: int = 500
    """States of DeepCube walks."""
    k_max: int = 20
    """Length of those walks (K)."""
    seed: int = 0
    """Of the states."""


def grid_states(puzzle: Puzzle, options: Options) -> np.ndarray:
    """The start states [B, S]; walks may undo the move before, as the thesis's."""
    rng, distances = np.random.default_rng(options.seed), ExactTable(puzzle).distances
    walks, _ = DeepCube(options.k_max, allow_undo=True).sample(puzzle, options.states, rng)
    far = [rng.choice(np.flatnonzero(distances == d)) for d in range(9, 15) if d <= distances.max()]
    return np.concatenate([walks, puzzle.from_index(np.array(far, np.int64))])


def measure(options: Options) -> list[dict[str, Any]]:
    """One row per pair."""
    agent = agents.load(options.run)
    states = grid_states(agent.puzzle, options)
    truth, rows = ExactTable(agent.puzzle).distance(states), []
    for weight in options.weights:
        for n in options.n:
            search = make_search("bwas", agent, {"weight": weight, "batch": n})
            rows.append({"weight": weight, "n": n, **solved_from(agent.puzzle, search, states, truth)})
    return rows


def table(rows: list[dict[str, Any]]) -> str:
    """One line per weight: ours, and the thesis's in brackets where it has the pair."""
    sizes = sorted({row["n"] for row in rows})
    head = [f"{what}, N = {n}" for what in ("optimal, %", "nodes", "s") for n in sizes]
    lines = [f"| lambda | {' | '.join(head)} |", "|---" * (len(head) + 1) + "|"]
    for weight in sorted({row["weight"] for row in rows}):
        cells = []
        for i, (key, scale, digits) in enumerate((("optimal", 100, 2), ("nodes", 1, 0), ("seconds", 1, 4))):
            for n in sizes:
                row = next(row for row in rows if (row["weight"], row["n"]) == (weight, n))
                theirs = f" ({GRID[weight, n][i]:.{min(digits, 2)}f})" if (weight, n) in GRID else ""
                cells.append(f"{scale * row[key]:,.{digits}f}{theirs}")
        lines.append(f"| {weight} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """The command line."""
    try:
        options = tyro.cli(Options, prog="python -m results.davi.grid", description=__doc__)
        rows = measure(options)
        note = "In brackets the thesis's; its nodes are those expanded, ours those generated."
        print(table(rows), note, sep="\n\n")
        files.write_text(options.run / "grid.md", f"{table(rows)}\n\n{note}\n")
        files.write_text(options.run / "grid.json", json.dumps({"rows": rows, **provenance()}, indent=1))
    except (ValueError, FileNotFoundError) as error:
        raise SystemExit(f"error: {error}") from None


if __name__ == "__main__":
    main()
