"""Cubes from geometry: a facelet is a point with a normal, a turn rotates a layer.

Axes: x to the right (R), y up (U), z to the front (F). Nothing below is typed in by hand except how the six faces are
read in the usual unfolded net; turns, rotations and reflections of both sizes follow from it.

Words used everywhere: a *facelet* is a coloured square numbered in URFDLB order, row by row (0..53 or 0..23).
A *location* numbers the same squares by piece: corner position p has locations 3p, 3p+1, 3p+2, clockwise seen from
outside and beginning with the one on U or D; edge position e has 24+2e and 24+2e+1, beginning with U or D, else F or B.
With that order the twists of all corners add up to 0 mod 3 and the flips of all edges to 0 mod 2 on every real cube.
"""

from itertools import permutations, product
from typing import NamedTuple

import numpy as np

FACES = "URFDLB"

# For each face its normal, the direction in which rows go down the page and the direction in which columns go right.
UNFOLDED = {
    "U": ((0, 1, 0), (0, 0, 1), (1, 0, 0)),
    "R": ((1, 0, 0), (0, -1, 0), (0, 0, -1)),
    "F": ((0, 0, 1), (0, -1, 0), (1, 0, 0)),
    "D": ((0, -1, 0), (0, 0, -1), (1, 0, 0)),
    "L": ((-1, 0, 0), (0, -1, 0), (0, 0, 1)),
    "B": ((0, 0, -1), (0, -1, 0), (-1, 0, 0)),
}
NORMALS = np.array([UNFOLDED[face][0] for face in FACES])  # [6, 3]


class Geometry(NamedTuple):
    """Everything about a cube of one size that does not depend on the metric. L locations, F facelets, P positions."""

    facelet_of: np.ndarray  # [L] facelet of each location
    corners: int  # number of corner positions (8)
    edges: int  # number of edge positions (12 or 0)
    turns: np.ndarray  # [6, 3, L] where each location goes under a clockwise, anticlockwise, half turn of each face
    symmetries: np.ndarray  # [48, L] the same for the 24 rotations of the whole cube (first) and the 24 reflections
    facelet_symmetries: np.ndarray  # [48, F] the same on facelets, centres included
    face_symmetries: np.ndarray  # [48, 6] the same on faces
    shifts: np.ndarray  # [3, L] location of the k-th sticker (clockwise) of a piece whose 0th sticker is at a location
    face_of: np.ndarray  # [L] face of each location, which is also the colour of the sticker at home there
    centres: np.ndarray  # [6] facelet of each centre, empty for the 2x2x2


def cube_geometry(size: int) -> Geometry:
    """Derive all tables of the 2x2x2 (size 2) or 3x3x3 (size 3)."""
    coordinates = {2: (-1, 1), 3: (-1, 0, 1)}[size]
    facelets = [  # (position, normal) of each facelet, in URFDLB order
        (tuple(np.array(normal) + r * np.array(down) + c * np.array(right)), normal)
        for normal, down, right in (UNFOLDED[face] for face in FACES)
        for r, c in product(coordinates, coordinates)
    ]
    number = {facelet: i for i, facelet in enumerate(facelets)}
    stickers_at: dict[tuple, list] = {}
    for position, normal in facelets:
        stickers_at.setdefault(position, []).append(normal)

    # Up before down, front before back, right before left: the corner DLB comes last, which is the one the 2x2x2 holds.
    positions = sorted(stickers_at, key=lambda p: (p[1], p[2], p[0]), reverse=True)
    corners = [p for p in positions if len(stickers_at[p]) == 3]
    edges = [p for p in positions if len(stickers_at[p]) == 2]
    locations = [(p, n) for p in corners for n in _clockwise(stickers_at[p])]
    locations += [(p, n) for p in edges for n in sorted(stickers_at[p], key=lambda n: (-abs(n[1]), -abs(n[2])))]
    location = {facelet: i for i, facelet in enumerate(locations)}

    def moved(matrix: np.ndarray, layer: tuple | None, squares: list, numbers: dict) -> list[int]:
        """Where each square goes when the layer on the side of a normal (None: the whole cube) is multiplied."""
        return [
            numbers[_times(matrix, p), _times(matrix, n)] if layer is None or np.dot(p, layer) == 1 else i
            for i, (p, n) in enumerate(squares)
        ]

    turns = []
    for normal in map(tuple, NORMALS):
        quarter = np.array(moved(_clockwise_turn(normal), normal, locations, location))
        half = quarter[quarter]
        turns.append([quarter, half[quarter], half])
    matrices = signed_permutations()
    shifts = [[3 * (i // 3) + (i + k) % 3 for i in range(3 * len(corners))] for k in range(3)]
    shifts = [row + [24 + (i ^ (k & 1)) for i in range(2 * len(edges))] for k, row in enumerate(shifts)]
    return Geometry(
        facelet_of=np.array([number[f] for f in locations]),
        corners=len(corners),
        edges=len(edges),
        turns=np.array(turns),
        symmetries=np.array([moved(m, None, locations, location) for m in matrices]),
        facelet_symmetries=np.array([moved(m, None, facelets, number) for m in matrices]),
        face_symmetries=np.array([[_face(_times(m, n)) for n in map(tuple, NORMALS)] for m in matrices]),
        shifts=np.array(shifts),
        face_of=np.array([_face(n) for _, n in locations]),
        centres=np.array([number[p, p] for p in map(tuple, NORMALS) if (p, p) in number], dtype=np.int64),
    )


def signed_permutations() -> list[np.ndarray]:
    """The 48 symmetries of the cube as matrices: 24 rotations, the identity first, then 24 reflections."""
    matrices = [
        np.array(signs)[:, None] * np.eye(3, dtype=int)[list(order)]
        for order in permutations(range(3))
        for signs in product((1, -1), repeat=3)
    ]
    return sorted(matrices, key=lambda m: round(np.linalg.det(m)), reverse=True)  # stable: the identity stays first


def _clockwise_turn(normal: tuple) -> np.ndarray:
    """Rotation by a quarter turn, clockwise for somebody who looks at the face from outside."""
    n = np.array(normal)
    columns = [np.dot(n, v) * n - np.cross(n, v) for v in np.eye(3, dtype=int)]
    return np.array(columns).T


def _clockwise(normals: list[tuple]) -> list[tuple]:
    """The three normals of a corner clockwise seen from outside, beginning with the one up or down."""
    first, *others = sorted(normals, key=lambda n: -abs(n[1]))
    ordered = [first, *others]
    return ordered if round(np.linalg.det(ordered)) == -1 else [first, others[1], others[0]]


def _times(matrix: np.ndarray, vector: tuple) -> tuple:
    return tuple(int(x) for x in matrix @ np.array(vector))


def _face(normal: tuple) -> int:
    return int(np.flatnonzero(np.equal(NORMALS, normal).all(axis=1))[0])
