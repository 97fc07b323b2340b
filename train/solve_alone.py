"""The share of the same random states that a learner solves while it learns: one curve for every learner, to compare them by.

It draws nothing from the learner's random numbers: weights are the same with and without.
"""

from typing import Any

from agents.protocol import Agent
from rubiks_gym.exact import has_table
from rubiks_gym.puzzles import Puzzle
from rubiks_gym.search import Budget, Perimeter, make_search
from train.evaluation import Search, solved_from, start_states, true_distances

STATES, FEWER, SEED = 300, 100, 0  # the first of the states that comparisons ask about; fewer for beams
MOVES = 100  # of a solution, at most
WIDTH, RADIUS, NODES = 64, 4, 50_000  # of the beam on large puzzles: 64 states of 12 moves for 65 layers


class SolveAlone:
    """Measures a learner when called with it.

    On a puzzle small enough for a table of true distances the agent is asked 300 states and is alone: it makes its most
    probable move, never the one that undoes the last. (Of a cost-to-go that is the move to the lowest child.) On larger ones,
    where hardly any agent solves anything so, a beam of width 64 is asked 100, and looks for the states 4 moves from the goal.
    """

    def __init__(self, puzzle: Puzzle) -> None:
        alone = has_table(puzzle)
        self.starts = start_states(puzzle, 0, STATES if alone else FEWER, SEED)
        self.truth = true_distances(puzzle, self.starts)
        self.perimeter = None if alone else Perimeter(puzzle, RADIUS)

    def __call__(self, learner: Any) -> dict[str, float]:
        """The share solved and, where distances are known, the share solved in the fewest moves."""
        agent = learner.agent()
        row = solved_from(agent.puzzle, self._search(agent), self.starts, self.truth)
        return {f"alone_{kind}": row[kind] for kind in ("solved", "optimal") if kind in row}

    def _search(self, agent: Agent) -> Search:
        if self.perimeter is None:
            return make_search("greedy-policy", agent, {"max_steps": MOVES}, budget=Budget(nodes=NODES))
        return make_search("beam", agent, {"width": WIDTH}, self.perimeter, budget=Budget(nodes=NODES))
