"""Puzzles as coloured text for a terminal; without the colours the text still tells the whole state."""

from math import isqrt

import numpy as np

from rubiks_gym.puzzles.geometry import FACES
from rubiks_gym.puzzles.solids import Solid
from rubiks_gym.rendering.states import FACE_COLOURS, NET, colours_of, disk_colours, disk_levels

_RESET = "\x1b[0m"
_WOOD = "\x1b[38;2;150;120;90m"


def _colour_code(colour: np.ndarray, layer: int) -> str:
    """24-bit escape code; layer 38 colours the letters, 48 the background."""
    return f"\x1b[{layer};2;" + ";".join(str(int(c)) for c in colour) + "m"


def cube_ansi(stickers: np.ndarray) -> str:
    """Unfolded net of the colours `stickers` [6 n n]: U on top, then L F R B in a row, D below.

    Every sticker is a space and the letter of the face it belongs to; a blank column separates faces.
    """
    n = isqrt(len(stickers) // 6)
    cells = [_cell(colour, f" {letter}") for colour, letter in zip(FACE_COLOURS, FACES, strict=True)]
    rows = stickers.reshape(6, n, n)
    lines = []
    for net_row in range(3):
        faces = sorted(np.flatnonzero(NET[:, 0] == net_row), key=lambda face: NET[face, 1])
        indent = " " * int(NET[faces[0], 1] * (2 * n + 1))
        for r in range(n):
            parts = ["".join(cells[colour] for colour in rows[face, r]) + _RESET for face in faces]
            lines.append(indent + " ".join(parts))
    return "\n".join(lines)


def solid_ansi(solid: Solid, stickers: np.ndarray) -> str:
    """The colours `stickers` [N] of a solid, by the names of the faces they belong to: a line for each face."""
    width = max(map(len, solid.names))
    cells = [_cell(colour, f" {name:{width}}") for colour, name in zip(colours_of(solid), solid.names, strict=True)]
    return "\n".join(
        f"{name:>{width}} " + "".join(cells[colour] for colour in stickers[solid.face_of == face]) + _RESET
        for face, name in enumerate(solid.names)
    )


def _cell(colour: np.ndarray, text: str) -> str:
    """A text on a colour: in black on bright colours, in white on dark ones (weights: perceived brightness of R, G, B)."""
    bright = colour @ [0.299, 0.587, 0.114] > 110
    return f"{_colour_code(colour, 48)}\x1b[{30 if bright else 97}m{text}"


def hanoi_ansi(pegs_of_disks: np.ndarray, pegs: int) -> str:
    """Towers for `pegs_of_disks` [disks], the peg of each disk, smallest first.

    Each disk is one character wider than the next smaller one (half blocks at its ends make that
    symmetric), so twenty disks on three pegs still fit into 80 columns.
    """
    disks = len(pegs_of_disks)
    span = 2 * (disks // 2) + 3
    rod = " " * (span // 2) + f"{_WOOD}│{_RESET}" + " " * (span // 2)
    picture = [[rod] * pegs for _ in range(disks + 1)]
    for i, (level, colour) in enumerate(zip(disk_levels(pegs_of_disks), disk_colours(disks), strict=True)):
        body = "█" * (2 * ((i + 1) // 2) + 1)
        if i % 2 == 0:
            body = f"▐{body}▌"
        pad = " " * ((span - len(body)) // 2)
        picture[disks - level][pegs_of_disks[i]] = pad + _colour_code(colour, 38) + body + _RESET + pad
    base = _WOOD + "▀" * (span * pegs) + _RESET
    return "\n".join(["".join(row).rstrip() for row in picture] + [base])
