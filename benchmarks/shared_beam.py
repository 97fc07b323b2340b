"""A beam whose states are shared out over processes by their hash, as it would be over machines.

Every process keeps the states that its number owns. It expands its part of a layer, sends each child to its owner, who drops
the repeated ones (a state has one owner in every layer, so nobody else needs to be asked) and evaluates the rest; then all
agree on the best W. It finds what `rubiks_gym.search.beam` finds in one process, move by move and node by node.
"""

import multiprocessing
import time
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import numpy as np

import agents
from rubiks_gym.puzzles.table import StateTable, children
from rubiks_gym.search.beam import _CHUNK, lowest
from rubiks_gym.search.heuristic import heuristic

NOTHING = np.uint32(2**32 - 1)  # no child has this number


class Found(NamedTuple):
    """What the processes found together, and what each layer cost."""

    moves: list[int] | None
    nodes: int
    sent: np.ndarray  # [layers, 3] bytes that all processes sent: children, costs, the rest
    made: np.ndarray  # [layers] children made
    kept: np.ndarray  # [layers] states that were among the best W of their process
    seconds: float
    waiting: float  # seconds that the first process spent in the exchange


class Member:
    """One of the processes, and its lines to the others."""

    def __init__(self, rank: int, lines: dict[int, Connection]) -> None:
        self.rank, self.lines, self.ranks = rank, lines, len(lines) + 1
        self.sent, self.waiting = 0, 0.0

    def exchange(self, arrays: list[np.ndarray]) -> list[np.ndarray]:
        """Give each process the array that is for it, and get its own from each: as many [n] of the same kind, in their order.

        Of two the lower speaks first, and all go through the pairs in the same order, so that nobody waits in a circle.
        """
        began, got = time.perf_counter(), list(arrays)
        for other, line in sorted(self.lines.items()):
            content = np.ascontiguousarray(arrays[other])
            for speaks in (self.rank < other, self.rank > other):
                if speaks:
                    line.send_bytes(content.tobytes())
                    self.sent += content.nbytes
                else:
                    got[other] = np.frombuffer(line.recv_bytes(), content.dtype).reshape(-1, *content.shape[1:])
        self.waiting += time.perf_counter() - began
        return got

    def everywhere(self, values: np.ndarray) -> np.ndarray:
        """The values [n] of all processes, one after another."""
        return np.concatenate(self.exchange([values] * self.ranks))

    def beam(self, name: str, start: np.ndarray, width: int, max_steps: int = 1000) -> Found:
        """This process's part of a beam search from a state [S] with an agent by name."""
        began, agent = time.perf_counter(), agents.load(name)
        puzzle, n_actions = agent.puzzle, agent.puzzle.n_actions
        mine = puzzle.hash(start[None]) % np.uint64(self.ranks) == self.rank
        layer, before = start[None][mine], start[None][:0]  # [w, S] states that this process owns, best first
        place = np.zeros(len(layer), np.uint32)  # [w] where each is in the whole layer
        last = np.full(len(layer), -1, np.int16)
        history: list[tuple[np.ndarray, np.ndarray]] = []  # of each layer the places and numbers of this process's states
        rows: list[list[int]] = []
        table, nodes = StateTable(puzzle.state_size), 0
        while len(rows) < max_steps:
            counts, self.sent = [], 0
            table.clear()
            table.insert(before)
            table.insert(layer)
            below, parents, by = children(puzzle, layer, last)
            number = place[parents] * np.uint32(n_actions) + by.astype(np.uint32)  # its turn in a single process
            owner = puzzle.hash(below) % np.uint64(self.ranks)
            states = np.concatenate(self.exchange([below[owner == r] for r in range(self.ranks)]))
            numbers = np.concatenate(self.exchange([number[owner == r] for r in range(self.ranks)]))
            counts.append(self.sent)
            turns = np.argsort(numbers, kind="stable")
            states, numbers = states[turns], numbers[turns]
            new = table.insert(states)[1]
            states, numbers = states[new], numbers[new]
            home = numbers[puzzle.is_solved(states)].min(initial=NOTHING)
            costs = heuristic(agent.cost_to_go, states)
            best = lowest(costs, width)  # a process may hold all of the best
            self.sent = 0
            all_costs, all_numbers = self.everywhere(costs[best]), self.everywhere(numbers[best])
            counts.append(self.sent)
            self.sent = 0
            told = self.everywhere(np.array([len(below), home, len(best)], np.uint32)).reshape(-1, 3)
            counts.append(self.sent)
            rows.append([*counts, int(told[:, 0].sum()), int(told[:, 2].sum())])
            first = int(told[:, 1].min())
            if first < NOTHING:
                seen = (first // n_actions // _CHUNK + 1) * _CHUNK * n_actions  # children that a single process has made by now
                nodes += int(self.everywhere(np.array([(number < seen).sum()], np.uint32)).sum())
                return self._done(self._trace(history, first, n_actions), nodes, rows, began)
            nodes += rows[-1][3]
            order = np.lexsort((all_numbers, all_costs))[:width]
            if not len(order):
                break
            ranked = np.full(len(all_costs), NOTHING, np.uint32)
            ranked[order] = np.arange(len(order), dtype=np.uint32)
            own = ranked[sum(told[: self.rank, 2]) :][: len(best)]
            kept, place = best[own < NOTHING], own[own < NOTHING]
            last = (numbers[kept] % np.uint32(n_actions)).astype(np.int16)
            history.append((place, numbers[kept]))
            layer, before = states[kept], layer
        return self._done(None, nodes, rows, began)

    def _trace(self, history: list[tuple[np.ndarray, np.ndarray]], number: int, n_actions: int) -> list[int]:
        """The moves to a child: whoever has its parent says which child that was."""
        moves = [number % n_actions]
        for place, numbers in reversed(history):
            number = int(self.everywhere(numbers[place == number // n_actions])[0])
            moves.append(number % n_actions)
        return moves[::-1]

    def _done(self, moves: list[int] | None, nodes: int, rows: list[list[int]], began: float) -> Found:
        per_layer = np.array(rows, np.int64).reshape(-1, 5)
        return Found(
            moves, nodes, per_layer[:, :3], per_layer[:, 3], per_layer[:, 4], time.perf_counter() - began, self.waiting
        )


def _work(rank: int, lines: dict[int, Connection], answer: Connection, *asked: Any) -> None:
    answer.send(Member(rank, lines).beam(*asked))


def shared_beam(name: str, start: np.ndarray, width: int, processes: int, max_steps: int = 1000) -> Found:
    """Beam search from a state [S] by so many processes together."""
    context = multiprocessing.get_context("spawn")
    lines: list[dict[int, Connection]] = [{} for _ in range(processes)]
    for a in range(processes):
        for b in range(a):
            lines[a][b], lines[b][a] = context.Pipe()
    answers, workers = [], []
    for rank in range(processes):
        answer, end = context.Pipe(duplex=False)
        answers.append(answer)
        workers.append(context.Process(target=_work, args=(rank, lines[rank], end, name, start, width, max_steps), daemon=True))
        workers[-1].start()
        end.close()
    found: list[Found] = [answer.recv() for answer in answers]  # EOFError if a process has died
    for worker in workers:
        worker.join()
    return found[0]._replace(sent=sum(each.sent for each in found))
