"""The command `rubiks-gym`: solve puzzles, and list what there is. It needs the suite alone; `play` a little more.

    rubiks-gym solve "R U F'"                     the trained tables of the 3x3x3
    rubiks-gym solve --puzzle hanoi-5-3 --random 3      a small puzzle, exactly
    rubiks-gym solve --agent runs/davi --random 3       what a run has learnt, from a checkout
    rubiks-gym solve --optimal "R U F'"           the shortest solution of a 3x3x3, proven
    rubiks-gym play                               the same in the browser

What the user sets wins over what suits the agent, each setting by itself.
"""

import argparse
import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from rubiks_gym import command_line
from rubiks_gym.checks import MANY, whole
from rubiks_gym.puzzles import PUZZLES, GoalPuzzle, Puzzle, puzzle_from_name, sample_seeds
from rubiks_gym.rewards import REWARDS
from rubiks_gym.scrambles import SCRAMBLES
from rubiks_gym.search import SEARCHES, Budget, Solutions, bwas, choose, search_options
from rubiks_gym.solving import NODES, PROOF, TRAINED, load_agent, make_search, most_nodes, start_state

IMPORT = "--import MODULE, anywhere, imports a module first: one that registers puzzles of your own."


class Parser(argparse.ArgumentParser):
    """A fault is an error like any other: one line."""

    def error(self, message: str) -> NoReturn:
        raise ValueError(f"{message} ({self.prog} --help explains)")


def make_parser() -> Parser:
    """All commands and their options."""
    parser = Parser(
        prog="rubiks-gym", description="Solve puzzles, here or in the browser, and list what there is.", epilog=IMPORT
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    solve = commands.add_parser(
        "solve",
        help="solve one state or many",
        description="Solve a 3x3x3 with the trained tables, a small puzzle exactly, or either with an agent of your own.",
        epilog="Every setting of yours wins over what suits the agent. " + IMPORT,
    )
    start = solve.add_argument_group("what to solve (one of these)")
    start.add_argument("moves", nargs="*", metavar="MOVES", help='the state after these moves, for example "R U F\'"')
    start.add_argument("--random", type=int, metavar="N", help="N states drawn uniformly from all")
    start.add_argument("--facelets", metavar="TEXT", help="a cube as its facelets, in the order of faces URFDLB")
    start.add_argument("--from", dest="origin", metavar="STATE", help="the state after these moves, or a cube as its facelets")
    solve.add_argument("--to", metavar="STATE", help="where to go instead of the goal, written likewise")
    solver = solve.add_argument_group("who solves it")
    solver.add_argument("--puzzle", metavar="NAME", help=f"a puzzle by name, for example hanoi-5-3 (default: {TRAINED})")
    solver.add_argument("--agent", metavar="RUN", help="a run folder, exact:PUZZLE or random:PUZZLE, from a checkout")
    solver.add_argument(
        "--device",
        default="auto",
        metavar="NAME",
        help="what its network computes on: cpu, cuda, mps (default: the best there is)",
    )
    how = solve.add_argument_group("how (default: as suits the agent)")
    how.add_argument("--search", choices=SEARCHES, metavar="NAME", help=f"one of {', '.join(SEARCHES)}")
    how.add_argument(
        "--option", action="append", default=[], metavar="KEY=VALUE", help="an option of the search; may be repeated"
    )
    how.add_argument(
        "--radius", type=int, metavar="R", help="stop inside the breadth-first perimeter of R moves around the goal"
    )
    how.add_argument(
        "--inverse", action=argparse.BooleanOptionalAction, help="search from the inverse state too, keep the shorter solution"
    )
    how.add_argument(
        "--optimal",
        action="store_true",
        help=f"a shortest solution, proven: --search {PROOF} (for the 3x3x3 a table of 845 MB is made, once)",
    )
    how.add_argument(
        "--max-nodes", type=int, metavar="N", help=f"give up on a state after N nodes (default: {NODES:,}; --optimal: no limit)"
    )
    how.add_argument("--max-seconds", type=float, default=600.0, metavar="S", help="give up on a state after S seconds")
    how.add_argument("--seed", type=int, default=0, metavar="S", help="of everything random (default: 0)")
    output = solve.add_argument_group("output")
    output.add_argument("--json", action="store_true", help="print one JSON object per state")
    output.add_argument("--gif", type=Path, metavar="FILE", help="write an animation of the first solution")
    solve.set_defaults(run=run_solve)
    listing = commands.add_parser("list", help="puzzles and searches", description="List puzzles and searches.", epilog=IMPORT)
    listing.set_defaults(run=run_list)
    play = commands.add_parser(
        "play",
        help="a page in the browser: scramble, solve, compare agents, watch a run learn",
        description="Serve a page on this machine, for this machine alone, and open it in the browser. Ctrl-C stops it.",
        epilog=IMPORT,
    )
    play.add_argument("--port", type=int, metavar="N", help="where to listen (default: 8642, or any port if that is taken)")
    play.add_argument("--no-open", action="store_true", help="do not open the browser")
    play.add_argument(
        "--runs",
        type=Path,
        metavar="FOLDER",
        help="whose run folders to offer as agents and to watch (default: runs, if it is there)",
    )
    play.set_defaults(run=run_play)
    return parser


def run_solve(args: argparse.Namespace) -> int:
    """Solve and print; 0 if all states were solved, with --optimal proven to be shortest, else 1."""
    if args.optimal and args.search not in (None, PROOF):
        raise ValueError(f"--optimal is a search of its own: leave out --search {args.search}")
    args.search = PROOF if args.optimal else args.search
    agent = load_agent(args.agent, args.puzzle, args.device)
    states = start_states(agent.puzzle, args)
    found = (
        search_for(agent, args)(states) if args.to is None else way_to(read_state(agent.puzzle, args.to), agent, args)(states)
    )
    for i, state in enumerate(states):
        print(as_json(agent.puzzle, state, found, i) if args.json else as_text(agent.puzzle, state, found, i, len(states) == 1))
    if args.gif is not None and found.solved[0]:
        from rubiks_gym.rendering.image import save_solve

        save_solve(agent.puzzle, states[0], found.moves[0], args.gif)
    return int(not (found.proven if args.optimal else found.solved).all())


def start_states(puzzle: Puzzle, args: argparse.Namespace) -> np.ndarray:
    """The states [B, S] that are asked for."""
    if bool(args.moves) + sum(each is not None for each in (args.random, args.facelets, args.origin)) != 1:
        raise ValueError("give one of MOVES, --random N, --facelets TEXT and --from STATE")
    if args.origin is not None:
        return read_state(puzzle, args.origin)[None]
    if args.random is not None:
        whole(1, MANY, **{"--random": args.random})
        whole(0, **{"--seed": args.seed})
        return puzzle.random_states(sample_seeds(np.random.default_rng(args.seed), args.random))
    return start_state(puzzle, " ".join(args.moves) if args.facelets is None else None, args.facelets)[None]


def read_state(puzzle: Any, text: str) -> np.ndarray:
    """A state [S] from moves or, as long as facelets are, facelets."""
    is_cube = hasattr(puzzle, "from_facelets") and len(text) == len(puzzle.facelets(puzzle.goal))
    return puzzle.from_facelets(text) if is_cube else puzzle.after(text)


def way_to(target: np.ndarray, agent: Any, args: argparse.Namespace) -> Callable[[np.ndarray], Solutions]:
    """The search for a way to a target [S], as a function of start states [B, S].

    In a group the way from one state to another solves the state between them; else every state around the start is searched.
    """
    puzzle = agent.puzzle
    if hasattr(puzzle, "relative"):
        search = search_for(agent, args)
        return lambda states: search(puzzle.relative(np.tile(target, (len(states), 1)), states))
    there, budget = GoalPuzzle(puzzle, target), Budget(nodes=args.max_nodes or NODES, seconds=args.max_seconds)
    return lambda states: bwas(there, there.check(states), lambda below: np.zeros(len(below)), budget=budget)


def search_for(agent: Any, args: argparse.Namespace) -> Callable[[np.ndarray], Solutions]:
    """The search as a function of start states [B, S]: what is set, else what suits the agent."""
    choice = choose(agent, args.search, args.option, args.radius, args.inverse)
    whole(0, **{"--radius": choice.radius})
    budget = Budget(nodes=most_nodes(choice.search, args.max_nodes), seconds=args.max_seconds)
    return make_search(agent, choice, budget, args.seed, command_line.progress("table of lower bounds, once"))


def as_text(puzzle: Puzzle, state: np.ndarray, found: Solutions, i: int, picture: bool) -> str:
    """A state [S], as a picture if that is asked for, and its solution, number i."""
    shown = puzzle.ansi(state) if picture else start_text(puzzle, state)
    if not sys.stdout.isatty() or "NO_COLOR" in os.environ:
        shown = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    moves = found.moves[i]
    outcome = f"solved in {len(moves)} moves: {puzzle.format(moves)}" if found.solved[i] else "not solved within the budget"
    if found.lower[i]:
        outcome += "\nshortest, proven" if found.proven[i] else f"\nno solution has fewer than {found.lower[i]} moves"
    return f"{shown}\n{outcome}\n{found.nodes[i]:,} nodes, {found.seconds[i]:.3f} s"


def as_json(puzzle: Puzzle, state: np.ndarray, found: Solutions, i: int) -> str:
    """The same as a line of JSON."""
    solution: dict[str, Any] = (
        {"moves": puzzle.format(found.moves[i]), "length": len(found.moves[i])} if found.solved[i] else {}
    )
    solution |= {"proven": bool(found.proven[i]), "lower": int(found.lower[i])} if found.lower[i] else {}
    cost = {"nodes": int(found.nodes[i]), "seconds": round(float(found.seconds[i]), 6)}
    return json.dumps({"start": start_text(puzzle, state), "solved": bool(found.solved[i])} | solution | cost)


def start_text(puzzle: Puzzle, state: np.ndarray) -> str:
    """A state [S] as a line: facelets, which --facelets takes, or numbers."""
    return puzzle.facelets(state) if hasattr(puzzle, "facelets") else " ".join(map(str, state.tolist()))


def run_list(args: argparse.Namespace) -> int:
    """Print the names that options and keywords take."""
    print("puzzles (--puzzle), their environments (gym.make) and their states")
    for entry in PUZZLES.values():
        for name in entry.examples:
            print(f"  {name:23} {entry.id:15} {puzzle_from_name(name).n_states:,}")
    print("searches (--search) and their options (--option)")
    plain: dict[Any, tuple[str, dict[str, Any]]] = {}  # function -> the first search that calls it, and its options
    for name, (function, _, description) in SEARCHES.items():
        options = search_options(name)
        first, usual = plain.setdefault(function, (name, {}))
        others = " ".join(f"{key}={value}" for key, value in options.items() if key not in usual or usual[key] != value)
        print(f"  {name:23} {description}\n{'':25} {others if first == name else f'{first} with {others}'}")
        usual.update(usual or options)
    print("scrambles and rewards (gym.make)")
    print(f"  {', '.join(SCRAMBLES)}\n  {', '.join(REWARDS)}")
    return 0


def run_play(args: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C."""
    if args.port is not None:
        whole(0, 65535, **{"--port": args.port})
    if args.runs is not None and not args.runs.is_dir():
        raise ValueError(f"--runs: there is no folder {args.runs}")
    try:
        from rubiks_gym.play.command import play
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] == "rubiks_gym":
            raise
        raise ValueError(f'the page needs the package {error.name}: pip install "rubiks-gym[play]"') from None
    play(args.port, not args.no_open, args.runs or Path("runs"), command_line.imported)
    return 0


def program() -> None:
    """Read sys.argv and do it."""
    args = make_parser().parse_args()
    code = args.run(args)
    if code:
        raise SystemExit(code)


def main() -> None:
    """The command line."""
    command_line.run(program)
