"""Facelet strings, and which of them (and which states) no cube can have."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from rubiks_gym.puzzles.geometry import FACES

if TYPE_CHECKING:
    from rubiks_gym.puzzles.cube import Cube


def parse(cube: Cube, text: str) -> np.ndarray:
    """The state [S] of a facelet string in URFDLB order.

    A cube held in another orientation is first turned into the normal one, by its centres (3x3x3) or by the corner DLB
    (2x2x2). A string that no cube can show is a ValueError that names the fault.
    """
    n = 6 * cube.size**2
    if not isinstance(text, str):
        raise ValueError(f"facelets must be a string of {n} letters {FACES}, got {type(text).__name__}")
    text = "".join(text.split())
    if len(text) != n:
        raise ValueError(f"facelets of a {cube.size}x{cube.size}x{cube.size} are {n} letters, got {len(text)}")
    unknown = sorted(set(text) - set(FACES))
    if unknown:
        raise ValueError(f"facelets are written with the letters {FACES}, got {unknown[0]!r}")
    for face, count in Counter(dict.fromkeys(FACES, 0) | Counter(text)).items():
        if count != cube.size**2:
            raise ValueError(f"wrong colour count: {face} appears {count} times, each colour has {cube.size**2} stickers")
    colours = _held_normally(cube, np.array([FACES.index(letter) for letter in text]))
    state = _pieces(cube, colours)
    check_pieces(cube, state[None])
    return state


def check_pieces(cube: Cube, states: np.ndarray) -> None:
    """Raise for the first state of a batch [B, S] that turning cannot reach, naming why."""
    corners, edges = states[:, : cube.corners].astype(np.int64), states[:, cube.corners :].astype(np.int64) - 24
    for values, kind, ways in ((corners, "corner", 3), (edges, "edge", 2)):
        n = values.shape[1]
        if n == 0:
            continue
        outside = ((values < 0) | (values >= ways * n)).any(axis=1)
        if outside.any():
            raise ValueError(f"impossible cube: a {kind} stands where no {kind} can, in {states[outside.argmax()].tolist()}")
        repeated = (np.sort(values // ways, axis=1) != np.arange(n)).any(axis=1)
        if repeated.any():
            raise ValueError(f"impossible cube: two {kind}s in one place, in {states[repeated.argmax()].tolist()}")
        turned = (values % ways).sum(axis=1) % ways
        if turned.any():
            what = "twisted corner (turned in its place)" if ways == 3 else "flipped edge (turned over in its place)"
            raise ValueError(f"impossible cube: {what}, in {states[(turned != 0).argmax()].tolist()}")
    if cube.edges:
        swapped = _odd(corners // 3) != _odd(edges // 2)
        if swapped.any():
            raise ValueError(
                f"impossible cube: swapped pair (two pieces are exchanged), in {states[swapped.argmax()].tolist()}"
            )


def _held_normally(cube: Cube, colours: np.ndarray) -> np.ndarray:
    """Turn the whole cube (colours [F]) until the centres, or the corner DLB, are at home."""
    geometry = cube.geometry
    if cube.size == 3:
        anchor, wanted = geometry.centres, np.arange(6)
    else:
        anchor, wanted = geometry.facelet_of[21:24], geometry.face_of[21:24]
    for rotation in geometry.facelet_symmetries[:24]:
        turned = np.empty_like(colours)
        turned[rotation] = colours
        if (turned[anchor] == wanted).all():
            return turned
    if cube.size == 2:
        raise ValueError("impossible cube: no corner has the colours D, L and B")
    centres = "".join(FACES[c] for c in colours[anchor])
    if len(set(centres)) < 6:
        raise ValueError(f"impossible cube: the centres are {centres}, but each colour has one centre")
    raise ValueError(f"impossible cube: the centres {centres} do not lie around a cube like {FACES} do, however it is held")


def _pieces(cube: Cube, colours: np.ndarray) -> np.ndarray:
    """The state [S] whose stickers are colours [F]; each place must hold a real piece, each piece once."""
    geometry, state = cube.geometry, np.zeros(cube.state_size, np.uint8)
    n_corners, home = cube.corners, cube.goal.astype(np.int64)
    names = ["".join(FACES[geometry.face_of[geometry.shifts[k, at]]] for k in range(3 if at < 24 else 2)) for at in home]
    seen: set[int] = set()
    for at in home:
        ways = 3 if at < 24 else 2
        shown = "".join(FACES[colours[geometry.facelet_of[at + k]]] for k in range(ways))
        kind = range(n_corners) if ways == 3 else range(n_corners, cube.state_size)
        match = [(c, k) for c in kind for k in range(ways) if shown == names[c][ways - k :] + names[c][: ways - k]]
        if not match:
            mirrored = any(sorted(shown) == sorted(names[c]) for c in kind)
            why = "is the mirror image of a real one" if mirrored else "does not exist"
            raise ValueError(f"impossible cube: a {'corner' if ways == 3 else 'edge'} with the colours {shown} {why}")
        piece, k = match[0]
        if piece in seen:
            raise ValueError(f"impossible cube: the piece {names[piece]} appears twice")
        seen.add(piece)
        state[piece] = at + k
    return state


def _odd(permutations: np.ndarray) -> np.ndarray:
    """Whether each row of [B, n] is an odd permutation: an odd number of pairs out of order."""
    later_is_smaller = np.triu(permutations[:, :, None] > permutations[:, None, :], k=1)
    return later_is_smaller.sum(axis=(1, 2)) % 2 == 1
