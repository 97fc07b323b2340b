"""A worker process: reads jobs from standard input, a line of JSON each, and answers on standard output.

Messages to it are {"job": {...}} and {"cancel": id}; it says {"ready": true} once, then for each job {"note": text} as often as
there is something to tell, {"searching": true}, and in the end {"result": {...}}, {"error": text} or {"cancelled": true}; with
{"worn": true} if its memory is used up, so that another process should go on, perhaps with the same job. When its input ends,
because the server has, it ends at once.
"""

import contextlib
import importlib
import json
import os
import queue
import signal
import sys
import threading
import time
import traceback
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from rubiks_gym import command_line, ntuple, solving
from rubiks_gym.exact import Exact, ExactTable, has_table
from rubiks_gym.play.limits import Limits
from rubiks_gym.puzzles import Puzzle, puzzle_from_name, set_num_threads
from rubiks_gym.search import Budget, Perimeter, Solutions, choose

T = TypeVar("T")
Tell = Callable[[dict[str, Any]], None]

_AGENTS, _PERIMETERS = 3, 2  # kept for the next job


class CancelledError(Exception):
    """The job that is being worked on is not wanted any more."""


def main() -> None:
    """The process: its limits and the modules to import first are its two arguments, as JSON."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the server too, which ends this process
    answers = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)  # whatever else prints, prints for people
    limits, modules = Limits(**json.loads(sys.argv[1])), json.loads(sys.argv[2])
    _limit_memory(limits.process_memory)
    set_num_threads(limits.threads)
    for module in modules:
        command_line.look_here()
        importlib.import_module(module)

    def tell(message: dict[str, Any]) -> None:
        print(json.dumps(message, allow_nan=False), file=answers, flush=True)

    inbox, cancelled = queue.Queue[dict[str, Any]](), set[str]()
    threading.Thread(target=_listen, args=(inbox, cancelled), daemon=True).start()
    solver = Solver(limits)
    tell({"ready": True})
    while True:
        job = inbox.get()
        if job.get("warm"):
            solver.warm()
            solver.used = True
            continue

        def clock(id: str = job["id"]) -> float:
            if id in cancelled:
                raise CancelledError
            return time.perf_counter()

        tell(answer(solver, job, clock, tell))
        solver.used = True
        cancelled.clear()


def _listen(inbox: "queue.Queue[dict[str, Any]]", cancelled: set[str]) -> None:
    """Pass on what comes in, even while a search is running."""
    with contextlib.suppress(ValueError, OSError):
        for line in sys.stdin:
            message = json.loads(line)
            if "job" in message:
                inbox.put(message["job"])
            else:
                cancelled.add(message["cancel"])
    os._exit(0)


def _limit_memory(most: int) -> None:
    """Let the system refuse more memory than this, where it can."""
    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (most, resource.getrlimit(resource.RLIMIT_DATA)[1]))


def answer(solver: "Solver", job: dict[str, Any], clock: Callable[[], float], tell: Tell) -> dict[str, Any]:
    """What comes of a job: its result, or what is wrong with it."""
    try:
        return {"result": solver.solve(job, clock, tell)}
    except CancelledError:
        return {"cancelled": True}
    except MemoryError:
        if solver.used:  # what earlier jobs left may be to blame: the job deserves a new process
            return {"worn": True}
        most = solver.limits.process_memory / 2**30
        return {"error": f"this takes more memory than a worker may have ({most:.1f} GB)", "worn": True}
    except (ValueError, OSError, NotImplementedError) as error:
        return {"error": str(error).replace(job.get("folder") or "\0", "") or type(error).__name__}  # runs by their ids
    except Exception as error:
        traceback.print_exc()
        return {"error": f"the search failed ({type(error).__name__}); the server's terminal says more"}


class Solver:
    """Solves jobs, and keeps the agents and perimeters of the last ones."""

    def __init__(self, limits: Limits) -> None:
        self.limits, self.used = limits, False
        self._agents: OrderedDict[Any, Any] = OrderedDict()
        self._perimeters: OrderedDict[Any, Perimeter] = OrderedDict()

    def warm(self) -> None:
        """Compile and load what the first job most probably needs."""
        puzzle = puzzle_from_name(solving.TRAINED)
        job = {"puzzle": puzzle.name, "agent": f"trained:{puzzle.name}", "state": puzzle.after("R U F L D B R U F").tolist()}
        self.solve(job | {"option": ["width=64"], "seconds": 60.0}, time.perf_counter, lambda message: None)

    def solve(self, job: dict[str, Any], clock: Callable[[], float], tell: Tell) -> dict[str, Any]:
        """The result of a job: a puzzle, a state, an agent, a search and its options."""
        puzzle = puzzle_from_name(job["puzzle"])
        agent = self.agent(puzzle, job.get("agent"), job.get("run"))
        choice = choose(agent, job.get("search"), job.get("option", ()), job.get("radius"), job.get("inverse"))
        perimeter = self.perimeter(puzzle, choice.radius) if choice.radius else None
        nodes = solving.most_nodes(choice.search, job.get("max_nodes"))
        seconds = job["seconds"] / (2 if choice.inverse else 1)  # either way has the whole budget, one after the other
        budget = Budget(nodes=nodes, seconds=seconds, memory=self.limits.memory, clock=clock)
        tell({"note": "loading what the search needs"})
        show = _shown("a table for proofs is being made, once", tell, clock)
        search = solving.make_search(agent, choice, budget, job.get("seed", 0), show, perimeter)
        tell({"searching": True})
        start = np.array(job["state"], np.uint8)
        found = search(start[None])
        return self.result(agent, start, found) | {"search": choice.search, "options": _told(choice)}

    def agent(self, puzzle: Puzzle, id: str | None, run: str | None) -> Any:
        """The agent of an id: of the folder of a run, of a kind and a puzzle, or the best that the suite has."""
        version = _newest(Path(run)) if run is not None else None
        return _kept(self._agents, (puzzle.name, id, version), _AGENTS, lambda: _load(puzzle, id, run))

    def perimeter(self, puzzle: Puzzle, radius: int) -> Perimeter:
        """The perimeter of a radius around the goal."""
        most = self.limits.perimeter
        return _kept(self._perimeters, (puzzle.name, radius), _PERIMETERS, lambda: Perimeter(puzzle, radius, most))

    def result(self, agent: Any, start: np.ndarray, found: Solutions) -> dict[str, Any]:
        """The one row of a search from a state [S], as JSON."""
        puzzle, moves, solved, proven = agent.puzzle, found.moves[0], bool(found.solved[0]), bool(found.proven[0])
        if len(moves) > self.limits.moves:
            raise ValueError(f"the solution has {len(moves):,} moves, more than the {self.limits.moves:,} that are told")
        optimal = len(moves) if proven else None
        if has_table(puzzle) and puzzle.n_states <= self.limits.exact_states:
            optimal = int(ExactTable(puzzle).distance(start[None])[0])
        return {
            "solved": solved,
            "moves": [puzzle.action_names[a] for a in moves],
            "length": len(moves) if solved else None,
            "nodes": int(found.nodes[0]),
            "seconds": round(float(found.seconds[0]), 6),
            "values": _values(agent, start, moves) if len(moves) <= self.limits.moves // 10 else None,
            "lower": int(found.lower[0]),
            "proven": proven,
            "optimal": optimal,
        }


def _load(puzzle: Puzzle, id: str | None, run: str | None) -> Any:
    kind, _, name = (id or "").partition(":")
    if run is not None:
        return solving.from_checkout(run, puzzle)
    if kind == "exact":
        return Exact(puzzle)
    if kind == "trained":
        return ntuple.trained(name if name in ntuple.TRAINED else solving.TRAINED, puzzle)
    return solving.load_agent(id, puzzle.name)


def _newest(run: Path) -> tuple[str, int] | None:
    """Name and time of the newest checkpoint: a run that goes on learning has a better agent now and then."""
    files = sorted((run / "checkpoints").glob("[0-9]*.npz"))
    try:
        return (files[-1].name, files[-1].stat().st_mtime_ns) if files else None
    except OSError:  # it has gone since
        return None


def _kept(things: "OrderedDict[Any, T]", key: Any, most: int, make: Callable[[], T]) -> T:
    """The thing of a key, made if it is not there; of all, those that were used last are kept."""
    if key not in things:
        while len(things) >= most:
            things.popitem(last=False)
        things[key] = make()
    things.move_to_end(key)
    return things[key]


def _values(agent: Any, start: np.ndarray, moves: list[int]) -> list[float | None]:
    """Cost-to-go of every state on the way from a state [S]."""
    way = [start[None]]
    for action in moves:
        way.append(agent.puzzle.apply(way[-1], np.array([action])))
    costs = np.asarray(agent.cost_to_go(np.concatenate(way)), float)
    return [round(cost, 4) if np.isfinite(cost) else None for cost in costs.tolist()]


def _told(choice: Any) -> dict[str, Any]:
    """The options that a search had, with those that all searches take."""
    return choice.options | {"radius": choice.radius, "inverse": choice.inverse}


def _shown(title: str, tell: Tell, clock: Callable[[], float]) -> Callable[[float], None]:
    """Tells how far a piece of work has come, twice a second at most."""
    last = -1.0

    def show(share: float) -> None:
        nonlocal last
        if clock() - last > 0.5:
            last = clock()
            tell({"note": f"{title}: {share:.0%}"})

    return show


if __name__ == "__main__":
    main()
