"""A short search on the same few states again and again, to see what a learner can solve while it learns.

It draws nothing from the learner's random numbers: weights are the same with and without.
"""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from agents.protocol import Agent
from rubiks_gym.puzzles import Puzzle
from rubiks_gym.rendering.image import save_solve
from rubiks_gym.search import Budget, Perimeter, choose, make_search
from train.clock import CLOCK, Clock
from train.evaluation import Search, solved_from, start_states, true_distances
from train.probe import Probe, has_truth
from train.wandb_log import solve_file

SHARE = 0.02  # of the training time
POINTS = 50  # of a learning curve, at most
STARTS = {"after 5 moves": 5, "after 10 moves": 10, "random": 0}  # as `start_states` has them
STATES = 8  # of each kind
NODES = 4000  # per state
WIDTH = 64  # of a beam, at most
BEAM_NODES = 30_000  # per state: a beam has to come all the way to the goal
RADIUS = 4  # of the goal perimeter, at most


class ShortSearch:
    """Measures a learner when called with it, as often as its share of the time allows, and after the last step always."""

    def __init__(self, puzzle: Puzzle, probe: bool, folder: Path, share: float = SHARE, clock: Clock = CLOCK) -> None:
        """Nothing is computed yet.

        Args:
            puzzle: what is learnt.
            probe: whether to measure the error at every distance too, where truth is known.
            folder: the run folder, which gets an animation of the longest solution now and then.
            share: of the time since now that may be spent (inf: no limit).
            clock: what tells the time.
        """
        self.puzzle, self.folder, self.share, self.clock = puzzle, folder, share, clock
        self._with_probe = probe and has_truth(puzzle)
        self._began, self._spent = clock.wall(), 0.0
        self._last = 0.5  # seconds that a search is expected to take, as the last one did
        self._drawn = 0  # states solved by the search that was drawn last
        self._starts: dict[str, tuple[np.ndarray, np.ndarray | None]] = {}  # states [B, S], true distances [B]

    def __call__(self, learner: Any) -> dict[str, float]:
        """What is found; nothing if it would take more than the share."""
        began = self.clock.wall()
        with_the_last = self._spent + 2 * self._last  # this search, and that after the last step
        if learner.done < learner.total and with_the_last > self.share * (began - self._began):
            return {}
        found = self.measure(learner.agent(), learner.done, learner.done == learner.total)
        now = self.clock.wall()
        self._last = now - began
        self._spent += self._last
        return found | {"search/share_of_time": self._spent / max(now - self._began, 1e-9)}

    def measure(self, agent: Agent, step: int, draw: bool = False) -> dict[str, float]:
        """Shares solved and optimal, lengths, nodes and CPU seconds by where the states come from; errors by distance.

        A solution is drawn if that is asked for, or if more states are solved than ever before: to draw takes longer.
        """
        if not self._starts:
            self._prepare(agent)
        search, solves, rows = self._search(agent), [], []
        found: dict[str, float] = {}
        for name, (states, truth) in self._starts.items():
            row = solved_from(self.puzzle, search, states, truth, keep_moves=True)
            rows.append(row)
            measured = {"solved": row["solved"], "length": row["mean_length"], "optimal": row.get("optimal")}
            found |= {f"search/{key} {name}": value for key, value in measured.items() if value is not None}
            solves += [(state, moves) for state, moves in zip(states, row["moves"], strict=True) if moves]
        for key in ("nodes", "cpu_seconds"):
            found[f"search/{key}"] = float(np.mean([row[key] for row in rows]))
        if len(solves) > self._drawn or (draw and solves):
            self._drawn = len(solves)
            file = solve_file(self.folder, step)
            file.parent.mkdir(exist_ok=True)
            save_solve(self.puzzle, *max(solves, key=lambda solve: len(solve[1])), file)
        return found | (self._probe.errors(agent.cost_to_go) if self._with_probe else {})

    def _prepare(self, agent: Agent) -> None:
        """The states, and what the searches share."""
        for name, depth in STARTS.items():
            try:
                states = start_states(self.puzzle, depth, STATES, seed=0)
            except NotImplementedError:  # a puzzle without uniformly random states
                continue
            self._starts[name] = states, true_distances(self.puzzle, states)
        radius = min(choose(agent, otherwise="greedy").radius, RADIUS)
        self._perimeter: Perimeter | int = Perimeter(self.puzzle, radius) if radius else 0
        if self._with_probe:
            self._probe = Probe(self.puzzle)

    def _search(self, agent: Agent) -> Search:
        """The search that suits the agent, made small."""
        name, options, _, _ = choose(agent, otherwise="greedy")
        if name != "beam":
            return make_search(name, agent, options, self._perimeter, budget=Budget(nodes=NODES))
        plain = SimpleNamespace(puzzle=agent.puzzle, cost_to_go=agent.cost_to_go)  # to decompose it takes longer than the beams
        options |= {"width": min(options.get("width", WIDTH), WIDTH)}
        return make_search(name, plain, options, self._perimeter, budget=Budget(nodes=BEAM_NODES))
