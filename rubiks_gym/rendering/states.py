"""Colours of faces and disks, and where they lie: what the text and the pictures share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rubiks_gym.puzzles.solids import Solid

# White, red, green, yellow, orange, blue: row i is the colour of face FACES[i].
FACE_COLOURS = np.array(
    [[247, 247, 245], [200, 24, 44], [12, 158, 82], [255, 214, 10], [255, 122, 20], [20, 86, 200]], np.uint8
)
# (row, column) of each face in the unfolded net, in face widths: U on top, L F R B in a row, D below.
NET = np.array([[0, 1], [1, 2], [1, 1], [2, 1], [1, 0], [1, 3]])

_RAINBOW = np.array(
    [[226, 65, 75], [245, 145, 52], [248, 207, 64], [84, 184, 106], [38, 166, 184], [66, 112, 214], [134, 82, 196]]
)

# Of solids with other faces than a cube's: green in front, yellow or grey below.
_SOLID_COLOURS = {
    4: [[255, 214, 10], [20, 86, 200], [200, 24, 44], [12, 158, 82]],
    12: [
        *([247, 247, 245], [12, 158, 82], [200, 24, 44], [20, 86, 200], [255, 214, 10], [122, 60, 170]),
        *([140, 144, 150], [150, 215, 70], [255, 122, 20], [248, 146, 190], [236, 220, 160], [110, 195, 240]),
    ],
}


def colours_of(solid: Solid) -> np.ndarray:
    """The colours [F, 3] uint8 of a solid's faces."""
    return np.array(_SOLID_COLOURS.get(len(solid.names), FACE_COLOURS), np.uint8)


def disk_levels(pegs_of_disks: np.ndarray) -> np.ndarray:
    """Height [disks] at which each disk lies, 0 on the base: the number of larger disks on its peg."""
    return np.array([(pegs_of_disks[i + 1 :] == peg).sum() for i, peg in enumerate(pegs_of_disks)])


def disk_colours(disks: int) -> np.ndarray:
    """Colours [disks, 3] uint8 along a rainbow, smallest disk first."""
    at = np.linspace(0, len(_RAINBOW) - 1, disks)
    return np.stack([np.interp(at, range(len(_RAINBOW)), c) for c in _RAINBOW.T], -1).round().astype(np.uint8)
