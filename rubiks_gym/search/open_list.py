"""The nodes of batch weighted A* and its open list, a binary heap: arrays, and kernels that take them."""

import numpy as np

from rubiks_gym.puzzles.compiled import jit
from rubiks_gym.puzzles.table import StateTable, enough, grown, nbytes_grown
from rubiks_gym.search.perimeter import Perimeter
from rubiks_gym.search.solutions import path

_NODE = np.dtype(
    [
        ("g", np.float32),  # cost from the start, by the cheapest way known
        ("h", np.float32),  # cost-to-go
        ("parent", np.int32),  # the node before on that way, -1 at the start
        ("action", np.int16),  # what led here from the parent, -1 at the start
        ("closed", np.bool_),  # expanded since g last changed
    ],
    align=True,
)
_CHILD = 32  # bytes of a child besides its state while it is made: parent, action, number, cost
_ENTRY = np.dtype([("f", np.float32), ("h", np.float32), ("node", np.int32)])


class Tree:
    """The nodes met so far, numbered by a table of states, and the open list: a binary heap by f, then h, then number.

    All entries of an open list are nodes (`open`, `take`), or all are children that have not been made (`open_children`,
    `take_children`): that of node n by action a has the number n * (A + 1) + a, and action A stands for the node itself.
    """

    def __init__(self, start: np.ndarray, costs: np.ndarray) -> None:
        self.costs = costs  # [A] of the actions
        self.table = StateTable(len(start))
        self.nodes = np.empty(0, _NODE)
        self.heap, self.entries = np.empty(0, _ENTRY), 0
        self.add(start[None].copy(), np.array([-1]), np.array([-1], np.int16))

    def add(self, states: np.ndarray, parents: np.ndarray, actions: np.ndarray) -> tuple[slice, np.ndarray]:
        """Enter children [M, S] of the nodes parents [M]; which nodes are new, and which old ones have a shorter way."""
        before = len(self.table)
        numbers, _ = self.table.insert(states)
        self.nodes = grown(self.nodes, enough(len(self.nodes), len(self.table)))
        improved = np.empty(len(states), np.int64)
        n = _relax(self.nodes, self.costs, before, len(self.table), numbers, parents, actions, improved)
        return slice(before, len(self.table)), improved[:n]

    def open(self, which: np.ndarray, weight: float) -> None:
        """Put nodes [M], whose g or h is new, on the open list."""
        self.heap = grown(self.heap, enough(len(self.heap), self.entries + len(which)))
        self.entries = _push(self.heap, self.entries, self.nodes, which, weight)

    def take(self, batch: int) -> np.ndarray:
        """Close up to `batch` open nodes [n], the best first."""
        taken = np.empty(min(batch, self.entries), np.int64)
        n, self.entries = _pop(self.heap, self.entries, self.nodes, taken)
        return taken[:n]

    def open_children(self, which: np.ndarray, h: np.ndarray, weight: float) -> None:
        """Put children of nodes [M] with costs-to-go h [M, A] on the open list; infinite ones are left out."""
        self.heap = grown(self.heap, enough(len(self.heap), self.entries + h.size))
        self.entries = _push_children(self.heap, self.entries, self.nodes, self.costs, which, h, weight)

    def open_again(self, which: np.ndarray, weight: float) -> None:
        """Put nodes [M] themselves on an open list of children, by their own h."""
        self.heap = grown(self.heap, enough(len(self.heap), self.entries + len(which)))
        self.entries = _push_again(self.heap, self.entries, self.nodes, len(self.costs), which, weight)

    def take_children(self, batch: int) -> tuple[np.ndarray, np.ndarray]:
        """The nodes [n] and actions [n] of up to `batch` entries of such a list, the best first; action A: the node itself."""
        taken = np.empty(min(batch, self.entries), np.int64)
        self.entries = _pop_children(self.heap, self.entries, taken)
        return np.divmod(taken, len(self.costs) + 1)

    def length(self, which: np.ndarray | int) -> np.ndarray:
        """Costs of the solutions through nodes inside the perimeter."""
        return self.nodes["g"][which] + self.nodes["h"][which]

    def nearer(self, nearest: int | None, which: np.ndarray) -> int | None:
        """Of nodes [M] inside the perimeter and the nearest so far that of the shortest solution; of equals the older one."""
        if len(which) == 0:
            return nearest
        best = int(which[self.length(which).argmin()])
        return best if nearest is None or self.length(best) < self.length(nearest) else nearest

    def solution(self, node: int | None, perimeter: Perimeter) -> list[int] | None:
        """The moves from the start through a node inside the perimeter; None without a node."""
        if node is None:
            return None
        return path(self.nodes["parent"], self.nodes["action"], node) + perimeter.finish(self.table.states[node])

    def nbytes_with(self, more: int, opened: int) -> int:
        """How many bytes the tree takes at most while it gets room for some more nodes and entries, and these are made."""
        nodes, entries = enough(len(self.nodes), len(self.table) + more), enough(len(self.heap), self.entries + opened)
        arrays = [*self.table.sizes_with(more), (self.nodes, nodes), (self.heap, entries)]
        return nbytes_grown(arrays) + more * (self.table.states.shape[1] + _CHILD)


@jit
def _relax(nodes, costs, old, n, numbers, parents, actions, improved):
    """Give the nodes numbers [M] their shortest way among those through parents [M]; nodes old..n - 1 are new.

    Those of the old ones that gained go to improved [M]; returns how many did.
    """
    for node in range(old, n):
        nodes[node].g = np.inf
    gained = 0
    for m in range(numbers.shape[0]):
        node, parent = numbers[m], parents[m]
        g = nodes[parent].g + costs[actions[m]] if parent >= 0 else np.float32(0)
        if g < nodes[node].g:
            nodes[node].g = g
            nodes[node].parent = parent
            nodes[node].action = actions[m]
            if node < old:
                improved[gained] = node
                gained += 1
    return gained


@jit
def _first(f, h, node, entry):
    """Whether (f, h, node) goes before an entry of the heap."""
    if f != entry.f:
        return f < entry.f
    if h != entry.h:
        return h < entry.h
    return node < entry.node


@jit
def _enter(heap, at, f, h, node):
    """Put (f, h, node) where it belongs on the way from a free place at the end of a heap to its top."""
    while at > 0 and _first(f, h, node, heap[(at - 1) // 2]):
        heap[at] = heap[(at - 1) // 2]
        at = (at - 1) // 2
    heap[at].f = f
    heap[at].h = h
    heap[at].node = node


@jit
def _leave(heap, entries):
    """Take the first entry out of a heap of so many: the last one sinks from the top. Returns its number."""
    top = heap[0].node
    entries -= 1
    f, h, last = heap[entries].f, heap[entries].h, heap[entries].node
    at, child = 0, 1
    while child < entries:
        if child + 1 < entries and _first(heap[child + 1].f, heap[child + 1].h, heap[child + 1].node, heap[child]):
            child += 1
        if _first(f, h, last, heap[child]):
            break
        heap[at] = heap[child]
        at, child = child, 2 * child + 1
    heap[at].f = f
    heap[at].h = h
    heap[at].node = last
    return top


@jit
def _push(heap, entries, nodes, which, weight):
    """Enter nodes which [M] into the heap; returns its new size.

    The entry of a node that was open already stays where it is: when it comes up the node is closed, and it is skipped.
    """
    for m in range(which.shape[0]):
        node = which[m]
        nodes[node].closed = False
        _enter(heap, entries, np.float32(weight * nodes[node].g + nodes[node].h), nodes[node].h, node)
        entries += 1
    return entries


@jit
def _pop(heap, entries, nodes, taken):
    """Close the best open nodes into taken [n]; returns how many there were, and the heap's new size."""
    n = 0
    while n < taken.shape[0] and entries > 0:
        node = _leave(heap, entries)
        entries -= 1
        if not nodes[node].closed:
            nodes[node].closed = True
            taken[n] = node
            n += 1
    return n, entries


@jit
def _push_children(heap, entries, nodes, costs, which, h, weight):
    """Enter the children of nodes which [M] whose h [M, A] is finite into the heap; returns its new size."""
    n_actions = costs.shape[0]
    for m in range(which.shape[0]):
        node = np.int64(which[m])
        for a in range(n_actions):
            if h[m, a] < np.inf:
                f = np.float32(weight * (nodes[node].g + costs[a]) + h[m, a])
                _enter(heap, entries, f, h[m, a], node * (n_actions + 1) + a)
                entries += 1
    return entries


@jit
def _push_again(heap, entries, nodes, n_actions, which, weight):
    """Enter nodes which [M] themselves; returns the heap's new size."""
    for m in range(which.shape[0]):
        node = np.int64(which[m])
        f = np.float32(weight * nodes[node].g + nodes[node].h)
        _enter(heap, entries, f, nodes[node].h, node * (n_actions + 1) + n_actions)
        entries += 1
    return entries


@jit
def _pop_children(heap, entries, taken):
    """The best entries into taken [n]; returns the heap's new size."""
    for n in range(taken.shape[0]):
        taken[n] = _leave(heap, entries)
        entries -= 1
    return entries
