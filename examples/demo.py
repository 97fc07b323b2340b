"""`make demo`: learn to solve any 3x3x3 from nothing in a few minutes, solve twenty, and draw one; then a look at the suite."""

import shutil
import time
from dataclasses import replace
from pathlib import Path

import gymnasium as gym
import numpy as np
import tyro
from rich.console import Console
from rich.table import Table

import rubiks_gym  # noqa: F401  (registers the environments)
from agents.symmetric_ntuple.config import PRESETS
from rubiks_gym.exact import ExactTable
from rubiks_gym.ntuple.agent import SymmetricNTuple
from rubiks_gym.puzzles import Hanoi, Puzzle, Rubik2x2, sample_seeds
from rubiks_gym.rendering.image import save_solve
from rubiks_gym.search import make_search
from train.evaluation import kociemba_lengths
from train.runs import RunOptions
from train.symmetric_ntuple import Options, train

FOLDER = Path("demo")
RADIUS = 6  # of the perimeter around the goal in which beams end


def main(
    walk_batches: int = PRESETS["3x3-demo"].config.walk_batches,
    rounds: int = PRESETS["3x3-demo"].config.rounds,
    cubes: int = 20,
    width: int = 16_384,
) -> None:
    """Show the main jobs end to end.

    Args:
        walk_batches: batches of random walks to learn from.
        rounds: rounds of its own searches to learn from.
        cubes: cubes to solve.
        width: of the beam that solves them.
    """
    FOLDER.mkdir(exist_ok=True)
    solve_cubes(learn(walk_batches, rounds), cubes, width)
    solve_optimally(Rubik2x2(), "2x2x2", starts=1000)
    solve_optimally(Hanoi(disks=5), "Hanoi with 5 disks", starts=243)
    count_steps()
    print(f"\nIn {FOLDER}/: " + ", ".join(sorted(file.name for file in FOLDER.iterdir())))


def learn(walk_batches: int, rounds: int) -> SymmetricNTuple:
    print("Learning the 3x3x3 from random walks and from its own searches; it begins with tables of zeros.")
    shutil.rmtree(FOLDER / "run", ignore_errors=True)  # each demo learns anew
    puzzle, config, _ = PRESETS["3x3-demo"]
    config = replace(config, walk_batches=walk_batches, rounds=rounds)
    return train(Options(run=RunOptions(folder=FOLDER / "run"), preset="3x3-demo", puzzle=puzzle, config=config))


def solve_cubes(agent: SymmetricNTuple, cubes: int, width: int) -> None:
    cube = agent.puzzle
    states = cube.random_states(sample_seeds(np.random.default_rng(0), cubes))
    search = make_search("beam", agent, {"width": width, "max_steps": 50}, RADIUS, inverse=True)
    found = search(states)
    theirs = kociemba_lengths(cube, states)
    table = Table(title=f"{cubes} random cubes, beam of {width}; lengths in quarter turns")
    for heading in ("solution", "moves", "seconds", "kociemba's moves"):
        table.add_column(heading, justify="left" if heading == "solution" else "right")
    for moves, solved, seconds, other in zip(found.moves, found.solved, found.seconds, theirs, strict=True):
        table.add_row(cube.format(moves) if solved else "not solved", str(len(moves)), f"{seconds:.2f}", str(other))
    Console(width=130).print(table)
    solved = np.flatnonzero(found.solved)
    print(f"{len(solved)} of {cubes} solved")
    if len(solved):
        ours = np.mean([len(found.moves[i]) for i in solved])
        print(f"{ours:.2f} moves on average, kociemba {np.mean([theirs[i] for i in solved]):.2f}")
        save_solve(cube, states[solved[0]], found.moves[solved[0]], FOLDER / "rubik3x3.gif")


def solve_optimally(puzzle: Puzzle, title: str, starts: int) -> None:
    start = time.perf_counter()
    table = ExactTable(puzzle)
    print(f"\n{title}: true distances of all {puzzle.n_states:,} states in {time.perf_counter() - start:.1f} s")
    states = puzzle.random_states(sample_seeds(np.random.default_rng(0), starts))
    solutions = table.solve(states)
    ends = [puzzle.after(moves, state) for moves, state in zip(solutions, states, strict=True)]
    solved = puzzle.is_solved(np.stack(ends))
    lengths = [len(moves) for moves in solutions]
    print(f"{solved.sum()} of {starts} random states solved, {np.mean(lengths):.2f} moves on average, at most {max(lengths)}")
    hardest = int(np.argmax(lengths))
    print(f"the longest: {puzzle.format(solutions[hardest])}")
    save_solve(puzzle, states[hardest], solutions[hardest], FOLDER / f"{puzzle.name}.gif")


def count_steps() -> None:
    envs = gym.make_vec("Rubik3x3-v0", num_envs=16_384, observation="state")
    envs.reset(seed=0)
    actions = np.random.default_rng(0).integers(0, 12, (100, 16_384))
    start = time.perf_counter()
    for row in actions:
        envs.step(row)
    rate = actions.size / (time.perf_counter() - start)
    print(f"\n16,384 cubes at once through gym.make_vec: {rate / 1e6:.0f} million steps per second here, now")


if __name__ == "__main__":
    tyro.cli(main)
