"""N-tuples (Konen 2023, section 3): T sequences of n board cells each; a tuple's look-up table has one weight per pattern.

Differs from the paper in: nothing. A "random walk" grows a tuple cell by cell, each next to one that it has already, as
section 3 defines it (bifurcations included).
"""

from collections.abc import Iterable

import numpy as np

from agents.td_ntuple.boards import Board

MODES = ("random-walk", "random-points")
MOST_WEIGHTS = 2**31 - 1  # an index has 32 bits

Tuples = tuple[tuple[int, ...], ...]


def make_tuples(board: Board, count: int, length: int, mode: str, rng: np.random.Generator) -> Tuples:
    """`count` tuples of `length` different cells, sorted, so that tuples over the same pieces stand side by side."""
    cells = len(board.sizes)
    if mode not in MODES:
        raise ValueError(f"unknown way to make tuples {mode!r}: choose from {', '.join(MODES)}")
    if count < 1:
        raise ValueError(f"there must be at least 1 tuple, got {count}")
    if not 1 <= length <= cells:
        raise ValueError(f"a tuple on board {board.name} has 1 to {cells} cells, got {length}")
    make = _walk if mode == "random-walk" else _points
    return check_tuples(board, sorted(make(board, length, rng) for _ in range(count)))


def read_tuples(texts: Iterable[str]) -> Tuples:
    """Tuples from texts such as "0,1,8"."""
    try:
        return tuple(tuple(int(cell) for cell in text.split(",")) for text in texts)
    except ValueError:
        raise ValueError(
            f"cannot read the tuples {tuple(texts)}: write cells with commas between them, such as 0,1,8"
        ) from None


def check_tuples(board: Board, tuples: Iterable[Iterable[int]]) -> Tuples:
    """Tuples given by hand, or a ValueError that names what is wrong with them."""
    checked = tuple(tuple(int(cell) for cell in each) for each in tuples)
    if not checked:
        raise ValueError("there must be at least 1 tuple, got none")
    for each in checked:
        if not each:
            raise ValueError("a tuple must have at least 1 cell, got none")
        outside = [cell for cell in each if not 0 <= cell < len(board.sizes)]
        if outside:
            raise ValueError(f"board {board.name} has cells 0..{len(board.sizes) - 1}, got {outside[0]} in tuple {each}")
        if len(set(each)) < len(each):
            raise ValueError(f"a tuple holds a cell at most once, got {each}")
    total = int(table_sizes(board, checked).sum())
    if total > MOST_WEIGHTS:
        raise ValueError(f"these tuples take {total:,} weights on board {board.name}, more than {MOST_WEIGHTS:,}: shorten them")
    return checked


def table_sizes(board: Board, tuples: Tuples) -> np.ndarray:
    """Weights in each tuple's look-up table [T]: the product of N_k over its cells."""
    return np.array([np.prod(board.sizes[list(each)], dtype=np.float64) for each in tuples]).astype(np.int64)


def _walk(board: Board, length: int, rng: np.random.Generator) -> tuple[int, ...]:
    cells = [int(rng.integers(len(board.sizes)))]
    while len(cells) < length:
        near = np.logical_or.reduce(board.adjacent[cells])
        near[cells] = False
        if not near.any():
            raise ValueError(
                f"no random walk of {length} cells on board {board.name}: cell {cells[0]} reaches only {len(cells)}"
            )
        cells.append(int(rng.choice(np.flatnonzero(near))))
    return tuple(sorted(cells))


def _points(board: Board, length: int, rng: np.random.Generator) -> tuple[int, ...]:
    return tuple(sorted(rng.choice(len(board.sizes), length, replace=False).tolist()))
