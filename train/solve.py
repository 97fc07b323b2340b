"""Solve a puzzle with a trained agent: python -m train.solve --scramble "R U F'"

Also --facelets STRING and --random 10; --gif FILE draws it. RUN is a run folder, a baseline such as exact:rubik2x2-qtm, or, if
it is left out, the trained solver of the 3x3x3 that comes with the project.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import numpy as np
import tyro

import agents
from rubiks_gym.puzzles import Puzzle, sample_seeds
from rubiks_gym.rendering.image import save_solve
from rubiks_gym.search import Solutions
from train.search_options import SearchOptions


@dataclass(frozen=True, kw_only=True)
class Options(SearchOptions):
    """What to solve and how."""

    run: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")] = "symmetric_ntuple:rubik3x3-qtm"
    """Run folder, a baseline such as exact:rubik2x2-qtm, or a trained agent of the project."""
    search: str | None = None
    """greedy, greedy-policy, bwas, beam, mcts, ...; by default what suits the agent, with radius and inverse to match."""
    scramble: str | None = None
    """Moves from the solved state, for example "R U F'"."""
    facelets: str | None = None
    """A cube's facelets in URFDLB order."""
    random: int | None = None
    """So many uniformly random states."""
    max_nodes: int = 10_000_000
    """Give up on a state after so many nodes."""
    gif: Path | None = None
    """Write a picture of the (first) solve."""


def solve(options: Options) -> tuple[np.ndarray, Solutions]:
    """The start states [B, S] and their solutions; prints them and draws the first."""
    agent = agents.load(options.run)
    puzzle = agent.puzzle
    states = start_states(puzzle, options)
    if options.search is None:
        options = replace(options, **getattr(agent, "SEARCH", {"search": "bwas"}))
    found = options.make(agent)(states)
    for i, state in enumerate(states):
        print(puzzle.ansi(state) if len(states) == 1 else " ".join(map(str, state)))
        if found.solved[i]:
            print(f"solved in {len(found.moves[i])} moves: {puzzle.format(found.moves[i])}")
        else:
            print("not solved within the budget")
        print(f"{found.nodes[i]:,} nodes, {found.seconds[i]:.3f} s")
    if options.gif is not None and found.solved[0]:
        save_solve(puzzle, states[0], found.moves[0], options.gif)
        print(f"written: {options.gif}")
    return states, found


def start_states(puzzle: Puzzle, options: Options) -> np.ndarray:
    """The states [B, S] that the options ask for."""
    asked = [name for name in ("scramble", "facelets", "random") if getattr(options, name) is not None]
    if len(asked) != 1:
        raise ValueError("give one of --scramble, --facelets and --random")
    if options.scramble is not None:
        return puzzle.after(options.scramble)[None]
    if options.facelets is not None:
        if not hasattr(puzzle, "from_facelets"):
            raise ValueError(f"{puzzle.name} has no facelets: use --scramble or --random")
        return puzzle.from_facelets(options.facelets)[None]
    if options.random < 1:
        raise ValueError(f"--random must be at least 1, got {options.random}")
    return puzzle.random_states(sample_seeds(np.random.default_rng(options.seed), options.random))


def main() -> None:
    """The command line."""
    try:
        solve(tyro.cli(Options, prog="python -m train.solve", description=__doc__))
    except (ValueError, OSError) as error:
        raise SystemExit(f"error: {error}") from None


if __name__ == "__main__":
    main()
