"""What the page takes over from the suite, so that both number pieces, moves and look-ups alike: web/build/suite.json.

    python web/export.py

The geometry of both cubes, how the trained tables are read, and what the README says of them. The tables themselves are read by
the page as they are stored.
"""

import hashlib
import json
from pathlib import Path

import numpy as np

import rubiks_gym
from rubiks_gym.ntuple import TRAINED, trained
from rubiks_gym.ntuple.network import DIGITS
from rubiks_gym.puzzles import Rubik2x2, Rubik3x3
from rubiks_gym.puzzles.cube import Cube
from rubiks_gym.puzzles.geometry import FACES, UNFOLDED

NAME = "rubik3x3-qtm"


def geometry(cube: Cube) -> dict:
    """Locations and turns of a cube, see rubiks_gym/puzzles/geometry.py."""
    g = cube.geometry
    return {
        "size": cube.size,
        "goal": cube.goal.tolist(),
        "faceletOf": g.facelet_of.tolist(),  # [locations]
        "faceOf": g.face_of.tolist(),  # [locations]
        "centres": g.centres.tolist(),
        "turns": g.turns[:, 0].tolist(),  # [6, locations], where each goes under a clockwise turn of each face
        "rotations": g.facelet_symmetries[:24].tolist(),  # [24, facelets], the same under rotations of the whole cube
        "faceRotations": g.face_symmetries[:24].tolist(),  # [24, 6]
    }


def look_ups() -> dict:
    """The images of all tables: five pieces each, and the digit 0..23 (a..x) that each of a piece's 24 places stands for."""
    agent = trained(NAME)
    contribution, images = agent.reader.look_ups.contribution, []  # [20, 48, L]
    for k, offset in enumerate(agent.reader.look_ups.offset.tolist()):
        pieces: list[int] = [0] * DIGITS
        places = [""] * DIGITS
        for piece in np.flatnonzero(contribution[:, :, k].any(axis=1)).tolist():
            row = contribution[piece, :24, k] if piece < 8 else contribution[piece, 24:, k]
            digit = next(d for d in range(DIGITS) if row.max() < 24 ** (d + 1))
            pieces[digit], places[digit] = piece, "".join(chr(ord("a") + v // 24**digit) for v in row.tolist())
        images.append({"offset": offset, "pieces": pieces, "places": places})
    file = TRAINED[NAME]
    return {
        "name": NAME,
        "digest": hashlib.sha256(file.read_bytes()).hexdigest()[:12],
        "bytes": file.stat().st_size,
        "images": images,
    }


def main() -> None:
    """Write the file."""
    suite = {
        "version": rubiks_gym.__version__,
        "unfolded": [UNFOLDED[face] for face in FACES],  # [6, 3, 3], normal, down and right of each face
        "cubes": {"2": geometry(Rubik2x2()), "3": geometry(Rubik3x3())},
        "tables": look_ups(),
    }
    file = Path(__file__).parent / "build" / "suite.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(suite, separators=(",", ":")))


if __name__ == "__main__":
    main()
