"""Twisty puzzles from their solids: faces, the planes that cut them into stickers, and turns about the axes of these planes.

One construction serves cubes of any size, the Pyraminx, the Skewb and the Megaminx; nothing is typed in by hand but names.
Letters: F faces, N stickers, P pieces.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from math import cos, pi, sin, sqrt
from typing import NamedTuple

import numpy as np

from rubiks_gym.puzzles.geometry import FACES, NORMALS, UNFOLDED

_NEAR = 1e-6  # points that are no further apart are the same


class Solid(NamedTuple):
    """A solid whose faces are 1 from its middle, cut into pieces. The corners of a sticker go anticlockwise, from outside."""

    names: tuple[str, ...]  # [F]
    normals: np.ndarray  # [F, 3] of the faces, outwards
    polygons: list[np.ndarray]  # of each sticker its corners [corners, 3]
    centres: np.ndarray  # [N, 3] of the stickers
    face_of: np.ndarray  # [N] the face of each sticker
    piece_of: np.ndarray  # [N] the piece of each sticker: stickers that no plane parts belong together

    def turn(self, axis: np.ndarray, low: float, high: float, ways: int) -> np.ndarray:
        """Where each sticker goes [N] if those between two planes are turned clockwise, seen from outside, by 360 / ways."""
        height, by = self.centres @ axis, rotation(axis, -2 * pi / ways)
        distance = np.linalg.norm((self.centres @ by.T)[:, None] - self.centres, axis=2)
        if (distance.min(axis=1) > _NEAR)[(low < height) & (height < high)].any():
            raise ValueError("a turn about this axis does not take stickers to stickers")
        return np.where((low < height) & (height < high), distance.argmin(axis=1), np.arange(len(height)))

    def around(self) -> np.ndarray:
        """The stickers of each sticker's piece, clockwise from it on [N, 3]; the last one again where there are fewer."""
        around = np.empty((len(self.face_of), 3), np.int64)
        for piece in range(self.piece_of.max() + 1):
            stickers = np.flatnonzero(self.piece_of == piece)
            out = self.normals[self.face_of[stickers]].sum(axis=0)
            side = np.cross(out, [0.3, 0.5, 0.8])
            over = np.cross(out, side) / np.linalg.norm(out)
            ring = stickers[np.argsort(-np.arctan2(self.centres[stickers] @ over, self.centres[stickers] @ side))]
            for i, sticker in enumerate(ring):
                around[sticker] = np.roll(ring, -i)[np.minimum(range(3), len(ring) - 1)]
        return around


def cut(names: Sequence[str], normals: np.ndarray, axes: np.ndarray, depths: Sequence[float]) -> Solid:
    """The solid with these faces, cut by a plane at each of some distances from its middle along each axis [A, 3]."""
    polygons, face_of = [], []
    for f, normal in enumerate(normals):
        across = np.cross(normal, normals[f - 1])
        along = np.cross(normal, across)
        whole = np.array([normal + 9 * (x * across + y * along) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))])
        for g, other in enumerate(normals):
            if g != f:
                whole = _beyond(whole, -other, -1)
        parts = [whole]
        for axis, depth in product(axes, depths):
            parts = [half for part in parts for half in (_beyond(part, axis, depth), _beyond(part, -axis, -depth)) if len(half)]
        polygons += parts
        face_of += [f] * len(parts)
    centres = np.array([polygon.mean(axis=0) for polygon in polygons])
    sides = (centres @ np.asarray(axes).T)[:, :, None] > np.asarray(depths)
    _, piece_of = np.unique(sides.reshape(len(centres), -1), axis=0, return_inverse=True)
    return Solid(tuple(names), np.asarray(normals), polygons, centres, np.array(face_of), piece_of.ravel())


def _beyond(polygon: np.ndarray, axis: np.ndarray, depth: float) -> np.ndarray:
    """The part of a convex polygon [corners, 3] where axis @ point > depth, without corners if there is none."""
    heights = polygon @ axis - depth
    if heights.max() < _NEAR:
        return polygon[:0]
    corners = []
    for i, (point, height) in enumerate(zip(polygon, heights, strict=True)):
        if height > -_NEAR:
            corners.append(point)
        if (height > _NEAR and heights[i - 1] < -_NEAR) or (height < -_NEAR and heights[i - 1] > _NEAR):
            share = height / (height - heights[i - 1])
            corners.insert(len(corners) - (height > -_NEAR), point + share * (polygon[i - 1] - point))
    return np.array(corners)


def rotation(axis: np.ndarray, angle: float) -> np.ndarray:
    """The matrix [3, 3] of a turn about an axis of length 1, anticlockwise for who looks against it."""
    cross = np.cross(np.eye(3), axis)
    return np.eye(3) + sin(angle) * cross + (1 - cos(angle)) * cross @ cross


# The solids ----------------------------------------------------------------------------------------------------------


@lru_cache
def cube(size: int) -> Solid:
    """The cube of size layers, its stickers face by face in URFDLB order, row by row as `geometry.UNFOLDED` has them."""
    solid = cut(FACES, NORMALS, np.eye(3), [1 - 2 * i / size for i in range(1, size)])
    frames = np.array([UNFOLDED[face] for face in FACES])[solid.face_of]  # [N, 3, 3]: normal, rows, columns
    rows, columns = (np.einsum("nj,nj->n", frames[:, k], solid.centres).round(3) for k in (1, 2))
    order = np.lexsort((columns, rows, solid.face_of))
    return solid._replace(
        polygons=[solid.polygons[i] for i in order],
        centres=solid.centres[order],
        face_of=solid.face_of[order],
        piece_of=solid.piece_of[order],
    )


def skewb() -> tuple[Solid, dict[str, np.ndarray]]:
    """The cube cut in halves across its diagonals, and the corners about which they turn: those that leave URF alone."""
    corners = np.array(list(product((1, -1), repeat=3))) / sqrt(3)
    axes = {"R": (1, -1, -1), "U": (-1, 1, -1), "L": (-1, -1, 1), "B": (-1, -1, -1)}
    return cut(FACES, NORMALS, corners[:4], [0]), {name: np.array(axis) / sqrt(3) for name, axis in axes.items()}


def pyraminx() -> tuple[Solid, dict[str, np.ndarray]]:
    """The tetrahedron without its tips, and its corners: up, left, right, back; a face is called by the corner opposite."""
    ring = [(name, _around(angle, -1 / 3)) for name, angle in (("L", -60), ("R", 60), ("B", 180))]
    axes = {"U": np.array([0.0, 1, 0]), **dict(ring)}
    names = {"U": "D", "L": "R", "R": "L", "B": "F"}
    return cut([names[corner] for corner in axes], -np.array(list(axes.values())), np.array(list(axes.values())), [1 / 3]), axes


def megaminx() -> tuple[Solid, dict[str, np.ndarray]]:
    """The dodecahedron, and its faces: up, a ring of five from the front on, and opposite to each of these another."""
    ring = {name: _around(72 * k, 1 / sqrt(5)) for k, name in enumerate(("F", "R", "BR", "BL", "L"))}
    upper = {"U": np.array([0.0, 1, 0]), **ring}
    opposite = {"U": "D", "F": "B", "R": "DL", "BR": "FL", "BL": "FR", "L": "DR"}
    axes = upper | {opposite[name]: -axis for name, axis in upper.items()}
    return cut(list(axes), np.array(list(axes.values())), np.array(list(axes.values())), [0.7]), axes


def _around(degrees: float, height: float) -> np.ndarray:
    """The direction at an angle about the vertical axis, 0 in front and 90 to the right, and at a height."""
    angle, across = degrees * pi / 180, sqrt(1 - height**2)
    return np.array([across * sin(angle), height, across * cos(angle)])
