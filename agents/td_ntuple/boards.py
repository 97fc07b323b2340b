"""Boards (Konen 2023, section 4 and appendix B): a state as a vector b of K cells, cell k with one of N_k position values.

Every cell is a sum of what the pieces put into it, b_k = sum_i shares[i, s_i, k], because each piece of a state s either
decides a cell alone or has no part in it. So a tuple's look-up index, which is a weighted sum of cells, is a sum over pieces
too, and `network` turns it into one table per piece.

Differs from the paper in: its program left one corner of the 3x3x3 untracked and did not see the flip of four edges; here all
pieces are tracked, and the two stickers of every edge have different face IDs. The 2x2x2 holds the corner DLB, not DRB.
CUBESTATE on the 2x2x2 leaves out the three stickers that never move. STICKER has one cell per piece (the second of the two
forms that appendix B.2 gives), and its cells are neighbours where those of STICKER2 are.
"""

from typing import NamedTuple

import numpy as np

from rubiks_gym.puzzles import Puzzle
from rubiks_gym.puzzles.cube import Cube

BOARDS = ("cubestate", "sticker", "sticker2", "plain")


class Board(NamedTuple):
    """K cells of a puzzle with S pieces, each of V values."""

    name: str
    sizes: np.ndarray  # [K] int64, N_k: how many position values each cell has
    shares: np.ndarray  # [S, V, K] int64, what piece i adds to cell k when its value is v
    adjacent: np.ndarray  # [K, K] bool, Adj(k): the cells that a random walk may go on to from cell k


def make_board(puzzle: Puzzle, name: str) -> Board:
    """The board of that name."""
    if name not in BOARDS:
        raise ValueError(f"unknown board {name!r}: choose from {', '.join(BOARDS)}")
    if name == "plain":
        return _plain(puzzle)
    if not isinstance(puzzle, Cube):
        raise ValueError(f"board {name!r} is for cubes; {puzzle.name} has the board 'plain'")
    return {"cubestate": _cubestate, "sticker": _sticker, "sticker2": _sticker2}[name](puzzle)


def board_vector(board: Board, states: np.ndarray) -> np.ndarray:
    """The cells b [B, K] of states [B, S]."""
    return sum(board.shares[i, states[:, i]] for i in range(states.shape[1]))


def _plain(puzzle: Puzzle) -> Board:
    """One cell per entry of the state, for any puzzle: Hanoi's pegs, disk by disk."""
    cells = puzzle.state_size
    shares = np.zeros((cells, puzzle.n_values, cells), np.int64)
    for i in range(cells):
        shares[i, :, i] = np.arange(puzzle.n_values)
    return Board("plain", np.full(cells, puzzle.n_values), shares, ~np.eye(cells, dtype=bool))


def _cubestate(cube: Cube) -> Board:
    """One cell per sticker location: the colour that shows there, 0..5 (sections 4.1 and 4.4)."""
    geometry, pieces = cube.geometry, cube.state_size
    cells = 3 * cube.corners + 2 * cube.edges
    shares = np.zeros((pieces, cube.n_values, cells), np.int64)
    for i in range(pieces):
        corner = i < cube.corners
        for at in range(3 * cube.corners) if corner else range(24, 48):  # where the piece's reference sticker is
            for k in range(3 if corner else 2):
                colour = geometry.face_of[geometry.shifts[k, cube.goal[i]]]
                shares[i, at, geometry.shifts[k, at]] = colour
    # Neighbours share a side: stickers of one piece, and squares next to each other on a face.
    face, square = np.divmod(geometry.facelet_of, cube.size**2)
    row, column = np.divmod(square, cube.size)
    piece = np.arange(len(face)) // 3
    piece[24:] = 8 + np.arange(len(face) - 24) // 2
    beside = np.abs(row[:, None] - row) + np.abs(column[:, None] - column) == 1
    adjacent = (face[:, None] == face) & beside | (piece[:, None] == piece) & ~np.eye(len(face), dtype=bool)
    return Board("cubestate", np.full(cells, 6), shares, adjacent[:cells, :cells])


def _sticker(cube: Cube) -> Board:
    """One cell per piece: the location of its sticker, one of 24 (21 on the 2x2x2)."""
    pieces, corner = cube.state_size, np.arange(cube.state_size) < cube.corners
    sizes = np.where(corner, 3 * cube.corners, 24)
    shares = np.zeros((pieces, cube.n_values, pieces), np.int64)
    for i in range(pieces):
        locations = np.arange(sizes[i]) + cube.first[i]
        shares[i, locations, i] = np.arange(sizes[i])
    return Board("sticker", sizes, shares, _same_kind(corner))


def _sticker2(cube: Cube) -> Board:
    """Two cells per piece, its place and its face ID (tables 8 and 11), row by row: corners, their IDs, edges, their IDs."""
    pieces, corners = cube.state_size, cube.corners
    corner = np.arange(pieces) < corners
    place_cell = np.where(corner, np.arange(pieces), corners + np.arange(pieces))
    face_cell = place_cell + np.where(corner, corners, cube.edges)
    sizes = np.zeros(2 * pieces, np.int64)
    sizes[place_cell], sizes[face_cell] = np.where(corner, corners, cube.edges), np.where(corner, 3, 2)
    shares = np.zeros((pieces, cube.n_values, 2 * pieces), np.int64)
    for i in range(pieces):
        faces = 3 if corner[i] else 2
        numbers = np.arange(faces * sizes[place_cell[i]])
        shares[i, numbers + cube.first[i], place_cell[i]] = numbers // faces
        shares[i, numbers + cube.first[i], face_cell[i]] = numbers % faces
    return Board("sticker2", sizes, shares, _same_kind(np.arange(2 * pieces) < 2 * corners))


def _same_kind(corner: np.ndarray) -> np.ndarray:
    """Appendix B.4: corner cells neighbour all other corner cells, edge cells all other edge cells."""
    return (corner[:, None] == corner) & ~np.eye(len(corner), dtype=bool)
