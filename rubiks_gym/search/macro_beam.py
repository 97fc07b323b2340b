"""Beam search that macro-operators finish: for puzzles too large for a cost-to-go that knows every neighbourhood of the goal.

First a beam, guided by the cost-to-go plus a little for every entry that is not as in the goal, more where it takes macros more
to put it right: of states that look equally near, those with more in place are preferred. On a 4x4x4 it never gets home, but
close to it. The ways to states that it kept, those with few moves and little misplaced, are then completed by macros put in
anywhere on the way (see insertion.py). Macros are even permutations: what an odd number of quarter turns did they cannot undo.
So ways are told apart by how many moves of each kind they have, even or odd, and whichever kind can be completed is. That is
done again with more weight on what is misplaced, and the shortest solution counts.

Letters: B batch, S state, W width, A actions, N places.
"""

from dataclasses import replace

import numpy as np

from rubiks_gym.checks import number, whole
from rubiks_gym.puzzles import PermutationPuzzle, Puzzle
from rubiks_gym.puzzles.permutation import orbits
from rubiks_gym.puzzles.relations import relations_of
from rubiks_gym.search.beam import beam, beam_from
from rubiks_gym.search.heuristic import CostToGo, heuristic
from rubiks_gym.search.insertion import SHARE, insert
from rubiks_gym.search.macros import find_macros
from rubiks_gym.search.perimeter import Perimeter, begin, less_memory, one_by_one
from rubiks_gym.search.solutions import Budget, MemorySpentError, Solutions

_WORDS = 10  # that macros are put into, of one kind
_KEPT_BYTES = 80  # of a state in a layer, while ways are compared
_INSERTING = 10_000_000  # bytes that an insertion takes


def macro_beam(
    puzzle: Puzzle,
    states: np.ndarray,
    cost_to_go: CostToGo,
    *,
    width: int = 1024,
    max_steps: int = 50,
    tries: int = 4,
    misplaced: float = 0.05,
    perimeter: Perimeter | None = None,
    budget: Budget | None = None,
) -> Solutions:
    """Solve states [B, S] by a beam or, where that does not get home, by the ways to states it kept and macros put into them.

    Where there are no macros (moves that permute nothing, or all commute; states that do not tell where every piece is) it is
    just the beam. The moves of a solution are moves of the puzzle. Nodes are the states that beams made, and the words with a
    macro more. Macros are found once for each puzzle, in up to about ten seconds, which no budget counts.

    Args:
        puzzle: any puzzle.
        states: start states [B, S] uint8.
        cost_to_go: states [M, S] to moves still needed [M].
        width: states kept per layer of a beam, W.
        max_steps: its layers at most.
        tries: beams at most; the shortest solution that one of them leads to counts.
        misplaced: what is added to the cost-to-go for each move that macros need for what is not as in the goal: so much in the
            first try, twice as much in the second, and so on; 0: nothing, and there is one try.
        perimeter: states whose way home is known.
        budget: for each start.
    """
    given = budget
    states, perimeter, budget = begin(puzzle, states, perimeter, budget, cost_to_go=cost_to_go)
    whole(1, width=width, max_steps=max_steps, tries=tries)
    number(least=0, misplaced=misplaced)
    outside = (perimeter.distance(states) < 0).any()  # or there is nothing to search for
    macros = None
    if outside and isinstance(puzzle, PermutationPuzzle) and (not puzzle.distinct or puzzle.chain.complete):
        macros = find_macros(puzzle)  # states tell what is at each place
    if macros is None or not len(macros.words):
        return beam(puzzle, states, cost_to_go, width=width, max_steps=max_steps, perimeter=perimeter, budget=given)
    assert isinstance(puzzle, PermutationPuzzle)
    budget = less_memory(budget, sum(array.nbytes for array in macros), "what macros do")
    signs, comes_from = signs_of(puzzle.generators), np.argsort(puzzle.generators, axis=1)
    goal, relations = puzzle.filled(puzzle.goal[None])[0], relations_of(puzzle.generators)
    # An entry of a state that says where a piece is stands for all its stickers.
    weight = macros.weight[puzzle.goal] * np.float32(len(goal) / puzzle.state_size) if puzzle.distinct else macros.weight
    beside = max_steps * width * _KEPT_BYTES + _INSERTING

    def solve(start: np.ndarray, memory: int) -> tuple[list[int] | None, int]:
        deadline, nodes = budget.deadline(), 0
        best: list[int] | None = None
        home: int | None = None  # the kind of ways that can be completed
        at_first = puzzle.filled(start[None])[0]

        def spent(made: int) -> bool:
            nonlocal nodes
            nodes += made
            return nodes >= budget.nodes or budget.clock() >= deadline

        for share in misplaced * np.arange(1, tries + 1, dtype=np.float32) if misplaced else [np.float32(0)]:
            seconds = max(deadline - budget.clock(), 1e-9)  # a budget is above 0
            left, ways = replace(budget, nodes=budget.nodes - nodes, seconds=seconds), _Ways(puzzle.goal, start, weight)

            def cost(some: np.ndarray, share: np.float32 = share) -> np.ndarray:
                return heuristic(cost_to_go, some) + share * ((some != puzzle.goal) @ weight)

            try:
                found, made = beam_from(puzzle, start, cost, width, max_steps, perimeter, left, memory - beside, ways.add)
            except MemorySpentError as short:
                raise MemorySpentError(nodes + short.nodes) from None
            if not spent(made) and found is None:
                words = ways.best(signs)
                for kind in words if home not in words else [home]:
                    word = insert(macros, relations, comes_from, goal, at_first, words[kind], _WORDS, spent)
                    if word is not None:
                        found, home = word.tolist(), kind
                    if found is not None or spent(0):
                        break
            if found is not None and (best is None or len(found) < len(best)):
                best = found
            if spent(0):
                break
        return best, nodes

    return one_by_one(solve, states, perimeter, budget, True)


class _Ways:
    """The layers of a beam: states [W] by their parents and actions, and the weight of what is not as in the goal."""

    def __init__(self, goal: np.ndarray, start: np.ndarray, weight: np.ndarray) -> None:
        self.goal, self.weight, one = goal, weight, np.zeros(1, np.int64)
        self.parents, self.actions, self.wrong = [one], [one], [(start[None] != goal) @ weight]

    def add(self, states: np.ndarray, parents: np.ndarray, actions: np.ndarray) -> None:
        """A layer [W, S] of a beam, from rows [W] of the one before by actions [W]."""
        self.parents.append(parents)
        self.actions.append(actions)
        self.wrong.append((states != self.goal) @ self.weight)

    def best(self, signs: np.ndarray) -> dict[int, list[np.ndarray]]:
        """The ways, as words, with the lowest sums of moves and of those that macros still take, by kind, best kind first.

        Kinds are told apart by signs [A]: how many moves of each kind a way has, even or odd.
        """
        kinds = [np.zeros(1, np.int64)]
        for parents, actions in zip(self.parents[1:], self.actions[1:], strict=True):
            kinds.append(kinds[-1][parents] ^ signs[actions])
        depth = np.repeat(np.arange(len(self.wrong)), [len(layer) for layer in self.wrong])
        row = np.concatenate([np.arange(len(layer)) for layer in self.wrong])
        order = np.argsort(depth + SHARE * np.concatenate(self.wrong), kind="stable")
        kind = np.concatenate(kinds)[order]
        firsts = {k: order[kind == k][:_WORDS] for k in dict.fromkeys(kind.tolist())}
        return {k: [self._word(depth[i], row[i]) for i in first] for k, first in firsts.items()}

    def _word(self, depth: int, row: int) -> np.ndarray:
        moves = []
        for d in range(depth, 0, -1):
            moves.append(self.actions[d][row])
            row = self.parents[d][row]
        return np.array(moves[::-1], np.int64)


def signs_of(moves: np.ndarray) -> np.ndarray:
    """On which orbits of places, one bit each, moves [A, N] are odd permutations, [A] int64."""
    signs, lowest = np.zeros(len(moves), np.int64), orbits(moves)
    for bit, orbit in enumerate(np.unique(lowest)[:62]):
        for a, move in enumerate(moves):
            left = set(np.flatnonzero(lowest == orbit).tolist())
            while left:
                place = left.pop()
                while (place := int(move[place])) in left:
                    left.remove(place)
                    signs[a] ^= 1 << bit
    return signs
