"""`make demo`: a scrambled and a solved cube, the 2x2x2 and the towers of Hanoi solved optimally, pictures in demo/."""

import time
from pathlib import Path

import gymnasium as gym
import numpy as np
from PIL import Image

import rubiks_gym  # noqa: F401  (registers the environments)
from rubiks_gym.exact import ExactTable
from rubiks_gym.puzzles import Hanoi, Puzzle, Rubik2x2, Rubik3x3, sample_seeds
from rubiks_gym.rendering.image import save_solve

FOLDER = Path("demo")


def main() -> None:
    """Show the suite's main job end to end."""
    FOLDER.mkdir(exist_ok=True)
    show_scrambled_and_solved(Rubik3x3(), "R U2 F' L D B' R2 U'")
    solve_optimally(Rubik2x2(), "2x2x2", starts=1000)
    solve_optimally(Hanoi(disks=5), "Hanoi with 5 disks", starts=243)
    count_steps()
    print(f"\nPictures are in {FOLDER}/: " + ", ".join(sorted(file.name for file in FOLDER.iterdir())))


def show_scrambled_and_solved(cube: Rubik3x3, scramble: str) -> None:
    print(f"A 3x3x3 scrambled by {scramble}:\n")
    scrambled = cube.after(scramble)
    print(cube.ansi(scrambled), "\n\nand solved:\n", cube.ansi(cube.goal), sep="\n")
    Image.fromarray(cube.image(scrambled)).save(FOLDER / "rubik3x3-scrambled.png")
    Image.fromarray(cube.image(cube.goal)).save(FOLDER / "rubik3x3-solved.png")


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
    main()
