"""The last moves of a search, exactly: which states of a layer have a solution of a given length, and which one?

A beam loses the shortest solution where its layers are cut first. Eleven quarter turns from the goal the lower bounds of the
3x3x3 rule out nearly every state at once, and the few that are left are solved, or not, in microseconds. So the beam stops
there: `ExactTail` aims at the lower bound of the start, then at the next length that is possible, and so on, and the beam goes
down one layer whenever the rest would be longer than the tail may be.
"""

import numpy as np

from rubiks_gym.exact.optimal import OptimalSolver


class ExactTail:
    """Tries to finish the states of a beam's layers, one layer after another, from one start state [S].

    Args:
        solver: of the start's puzzle.
        longest: moves of the tail.
        start: a state [S], the first layer.
        at_least: there is no use in shorter solutions.
    """

    def __init__(self, solver: OptimalSolver, longest: int, start: np.ndarray, at_least: int = 0) -> None:
        self.solver, self.longest, self.depth = solver, longest, 0
        self.states = start[None]  # [W, S] the layer, best first
        self.aim = solver.least(start)  # the length of the solutions looked for next
        self.aim += max(0, -(-(at_least - self.aim) // solver.step) * solver.step)

    def descend(self, parents: np.ndarray, actions: np.ndarray) -> None:
        """On to the next layer, whose states come from rows [W] of this one by actions [W]."""
        self.states = self.solver.cube.apply(self.states[parents], actions)
        self.depth += 1

    def finish(self, at_most: float, seconds: float, nodes: float) -> tuple[int, list[int], int]:
        """The best state of the layer with a solution of the length aimed at: its row (-1: none), the moves, and the nodes.

        No length above at_most is aimed at.
        """
        looked_at, node = 0, np.zeros(len(self.states), np.int64)  # whatever moves led to a state, any may follow
        while self.aim - self.depth <= self.longest and self.aim <= at_most:
            row, moves, n = self.solver.first(self.states, node, self.aim - self.depth, seconds, nodes - looked_at)
            looked_at += n
            if row >= 0:
                return row, moves, looked_at
            if row == -2:  # out of budget, which the beam sees too
                break
            self.aim += self.solver.step
        return -1, [], looked_at
