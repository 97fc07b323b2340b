"""A thousand random cubes with proven lengths, to measure any solver of the 3x3x3 by: python -m rubiks_gym.exact.bench FILE

    from rubiks_gym.exact import bench
    states = bench.cubes()                        # [1000, 20]; bench.facelets() has them as text, a line each
    print(bench.validate("mine.jsonl", "qtm"))    # whose lines are {"cube": 17, "moves": "R U F' ..."}

The cubes are drawn uniformly from all, by a published seed. What is known of each, in quarter and in half turns, are lines of
JSON in the folder `cubes` (`known`); `python -m results.bench` makes them. A length is *proven* if every shorter solution was
ruled out; where it is not, it is between `lower` and `upper`.
"""

import argparse
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from rubiks_gym.command_line import run
from rubiks_gym.puzzles import Rubik3x3, are_solutions, sample_seeds

SEED, CUBES, METRICS = 2026, 1000, ("qtm", "htm")
PER_DISTANCE = 50  # states of each distance in `strata`, where there are so many
FOLDER = Path(__file__).parent / "cubes"

# Superflip with four spots, 26 quarter turns from the goal, as far as a 3x3x3 can be (Rokicki and Davidson 2014); its first q
# moves lead to a position at distance q.
FARTHEST = "D' D' L R D' L R' D U' R' U' U' L' R' B F U' F' F' L' R U' U' F' U' U'"
# Symmetric positions, by shortest ways there in quarter and in half turns. That of the superflip was proven by Reid (1995); the
# others take the solver a moment.
POSITIONS = {
    "six spots": {"qtm": "U D' R L' F B' U D'", "htm": "U D' R L' F B' U D'"},
    "four spots": {"qtm": "F F B B U D' R R L L U D'", "htm": "F2 B2 U D' R2 L2 U D'"},
    "pons asinorum": {"qtm": "R R L L U U D D F F B B", "htm": "R2 L2 U2 D2 F2 B2"},
    "superflip": {
        "qtm": "R' U U B L' F U' B D F U D' L D D F' R B' D F' U' B' U D'",
        "htm": "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2",
    },
}


def cubes() -> np.ndarray:
    """The cubes [1000, 20], the same in either metric."""
    return Rubik3x3().random_states(sample_seeds(np.random.default_rng(SEED), CUBES))


def facelets() -> list[str]:
    """The cubes as their facelets, in the order of faces URFDLB."""
    return [Rubik3x3().facelets(state) for state in cubes()]


def known(metric: str, file: Path | None = None) -> dict[int, dict[str, Any]]:
    """What is known, by number of the cube: its `start`, `moves`, `proven`, `lower`, `upper`, `nodes`, `cpu_seconds`.

    Read from our file or another of the same form; what comes later in it counts.
    """
    if metric not in METRICS:
        raise ValueError(f"metric must be one of {', '.join(METRICS)}, got {metric!r}")
    file = file or FOLDER / f"{metric}.jsonl"
    return {line["cube"]: line for line in _lines(file)} if file.exists() else {}


def strata(metric: str) -> tuple[np.ndarray, np.ndarray]:
    """States [B, 20] of every distance from the goal, and the distances [B]: 50 of each, fewer of the nearest and the farthest.

    The near ones are ends of random walks, so states with many shortest solutions are more likely among them than others;
    those beyond are the bench's own cubes.
    """
    cube = Rubik3x3(metric)
    lines = [line for line in _lines(FOLDER / f"{metric}-strata.jsonl") if "start" in line]
    near = [(cube.from_facelets(line["start"]), len(line["moves"].split())) for line in lines]
    farthest, states = max(d for _, d in near), cubes()
    far = [
        (states[i], line["upper"]) for i, line in sorted(known(metric).items()) if line["proven"] and line["upper"] > farthest
    ]
    counts: dict[int, int] = {}
    chosen = [(cube.goal, 0)]
    for state, distance in near + far:
        counts[distance] = counts.get(distance, 0) + 1
        if counts[distance] <= PER_DISTANCE:
            chosen.append((state, distance))
    return np.stack([state for state, _ in chosen]), np.array([distance for _, distance in chosen])


def validate(file: str | Path, metric: str) -> str:
    """Replay the solutions in a file of anybody's, and compare them with what is known; returns the table."""
    return table(judge(_lines(Path(file)), metric))


def judge(lines: Iterable[dict[str, Any]], metric: str) -> dict[str, Any]:
    """Counts and means of lines {"cube": number, "moves": text}; several lines of one cube are refused."""
    puzzle, truth, states, lengths = Rubik3x3(metric), known(metric), cubes(), {}
    wrong = []
    for line in lines:
        cube = line.get("cube")
        if not isinstance(cube, int) or not 0 <= cube < CUBES or not isinstance(line.get("moves", ""), str):
            raise ValueError(f'a line must be {{"cube": 0..{CUBES - 1}, "moves": "R U F\'"}}, got {json.dumps(line)[:80]}')
        if cube in lengths or cube in wrong:
            raise ValueError(f"cube {cube} has more than one line")
        moves = puzzle.parse(line["moves"]) if "moves" in line else None
        if moves is None or not are_solutions(puzzle, states[cube][None], [moves])[0]:
            wrong.append(cube)
        else:
            lengths[cube] = len(moves)
    below = [cube for cube in lengths if cube in truth and lengths[cube] < truth[cube]["lower"]]
    if below:
        raise ValueError(f"cube {below[0]} is solved in fewer moves than was proven to be possible: please tell us")
    proven = [cube for cube in lengths if truth.get(cube, {}).get("proven")]
    return {
        "metric": metric,
        "cubes": len(lengths) + len(wrong),
        "solved": len(lengths),
        "mean_length": float(np.mean(list(lengths.values()))) if lengths else None,
        "proven": len(proven),
        "optimal": sum(lengths[cube] == truth[cube]["upper"] for cube in proven),
        "mean_excess": float(np.mean([lengths[cube] - truth[cube]["upper"] for cube in proven])) if proven else None,
        "by_length": [
            [d, sum(truth[c]["upper"] == d for c in proven), sum(lengths[c] == truth[c]["upper"] == d for c in proven)]
            for d in sorted({truth[cube]["upper"] for cube in proven})
        ],
    }


def table(found: dict[str, Any]) -> str:
    """What `judge` found, as text."""
    moves = {"qtm": "quarter turns", "htm": "half turns"}[found["metric"]]
    rows = [f"{found['solved']} of {found['cubes']} cubes solved"]
    if found["solved"]:
        rows[0] += f", {found['mean_length']:.3f} {moves} on average"
    if found["proven"]:
        rows.append(f"of the {found['proven']} whose true distance is proven, {found['optimal']} are solved optimally")
        rows.append(f"mean excess over it {found['mean_excess']:.3f} moves")
        rows += [f"  distance {d}: {optimal} of {n} optimal" for d, n, optimal in found["by_length"]]
    return "\n".join(rows)


def _lines(file: Path) -> list[dict[str, Any]]:
    try:
        lines = [json.loads(line) for line in file.read_text().splitlines() if line.strip()]
    except FileNotFoundError:
        raise ValueError(f"there is no file {file}") from None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{file} must have a JSON object on every line: {error}") from None
    if not all(isinstance(line, dict) for line in lines):
        raise ValueError(f"{file} must have a JSON object on every line")
    return lines


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m rubiks_gym.exact.bench", description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, nargs="?", help="solutions to check; without one the cubes are printed as facelets")
    parser.add_argument("--metric", choices=METRICS, default="qtm", help="in which moves are counted (default: qtm)")
    args = parser.parse_args()
    print("\n".join(facelets()) if args.file is None else validate(args.file, args.metric))


if __name__ == "__main__":
    run(main)
