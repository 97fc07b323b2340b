"""Checked puzzle states and their colours, shared by the text and the pictures."""

from math import isqrt

import numpy as np

from rubiks_gym.puzzles.geometry import FACES

__all__ = ["FACES", "FACE_COLOURS", "NET", "checked_disks", "checked_stickers", "disk_colours", "disk_levels"]

# White, red, green, yellow, orange, blue: row i is the colour of face FACES[i].
FACE_COLOURS = np.array(
    [[247, 247, 245], [200, 24, 44], [12, 158, 82], [255, 214, 10], [255, 122, 20], [20, 86, 200]], np.uint8
)
# (row, column) of each face in the unfolded net, in face widths: U on top, L F R B in a row, D below.
NET = np.array([[0, 1], [1, 2], [1, 1], [2, 1], [1, 0], [1, 3]])

_RAINBOW = np.array(
    [
        [226, 65, 75],
        [245, 145, 52],
        [248, 207, 64],
        [84, 184, 106],
        [38, 166, 184],
        [66, 112, 214],
        [134, 82, 196],
    ]
)


def checked_stickers(stickers: np.ndarray) -> tuple[np.ndarray, int]:
    """Return `stickers` as an array [6 n n] of integers 0..5, and n, the number of layers."""
    array = np.asarray(stickers)
    if array.dtype.kind not in "iu":
        raise ValueError(f"stickers must be integers (uint8 colours 0..5), got dtype {array.dtype}")
    n = isqrt(array.size // 6)
    if array.ndim != 1 or n < 2 or 6 * n * n != array.size:
        raise ValueError(f"stickers must have shape (24,) for 2x2x2 or (54,) for 3x3x3, got {array.shape}")
    if array.min() < 0 or array.max() > 5:
        raise ValueError(f"sticker colours must be 0..5, got values from {array.min()} to {array.max()}")
    return array, n


def checked_disks(pegs_of_disks: np.ndarray, pegs: int) -> np.ndarray:
    """Return `pegs_of_disks` as an array [disks] of peg indices below `pegs`, smallest disk first."""
    array = np.asarray(pegs_of_disks)
    if pegs < 1:
        raise ValueError(f"pegs must be at least 1, got {pegs}")
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"pegs_of_disks must have shape (disks,) with at least one disk, got {array.shape}")
    if array.dtype.kind not in "iu":
        raise ValueError(f"pegs_of_disks must be integers (uint8 peg indices), got dtype {array.dtype}")
    if array.min() < 0 or array.max() >= pegs:
        raise ValueError(f"peg indices must be 0..{pegs - 1}, got values from {array.min()} to {array.max()}")
    return array


def disk_levels(pegs_of_disks: np.ndarray) -> np.ndarray:
    """Height [disks] at which each disk lies, 0 on the base: the number of larger disks on its peg."""
    return np.array([(pegs_of_disks[i + 1 :] == peg).sum() for i, peg in enumerate(pegs_of_disks)])


def disk_colours(disks: int) -> np.ndarray:
    """Colours [disks, 3] uint8 along a rainbow, smallest disk first."""
    at = np.linspace(0, len(_RAINBOW) - 1, disks)
    return np.stack([np.interp(at, range(len(_RAINBOW)), c) for c in _RAINBOW.T], -1).round().astype(np.uint8)
