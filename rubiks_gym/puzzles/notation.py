"""Singmaster notation: a face letter, then nothing, ' or 2."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rubiks_gym.puzzles.geometry import FACES

if TYPE_CHECKING:
    from rubiks_gym.puzzles.cube import Cube

_TURN = re.compile(r"([URFDLB])(2?)(['’′]?)")  # noqa: RUF001 (typographic primes are common in copied scrambles)
_SUFFIXES = {("", False): "", ("", True): "'", ("2", False): "2", ("2", True): "2"}
_CLOCKWISE_TURNS = {"": 1, "2": 2, "'": 3}


def parse(cube: Cube, text: str) -> list[int]:
    """The actions of a sequence such as "R U' F2", with or without spaces.

    In the quarter-turn metric a half turn becomes two quarter turns. On the 2x2x2 all six letters are read: D is U and a
    rotation of the whole cube, so the letters after it are read in the turned frame.
    """
    if not isinstance(text, str):
        raise ValueError(f'moves must be a string such as "R U\' F2", got {type(text).__name__}')
    actions: list[int] = []
    frame = list(range(6))  # frame[f]: the face of our cube that the writer of the text now calls f
    end = 0
    while end < len(text):
        if text[end].isspace():
            end += 1
            continue
        turn = _TURN.match(text, end)
        if turn is None:
            raise ValueError(_fault(text, end))
        face, suffix = frame[FACES.index(turn[1])], _SUFFIXES[turn[2], bool(turn[3])]
        if cube.size == 2 and face >= 3:
            face -= 3
            frame = _turned(cube, frame, face, suffix)
        actions += _quarters(cube, FACES[face], suffix)
        end = turn.end()
    return actions


def _quarters(cube: Cube, face: str, suffix: str) -> list[int]:
    names = [face + suffix] if face + suffix in cube.action_names else [face, face]
    return [cube.action_names.index(name) for name in names]


def _turned(cube: Cube, frame: list[int], face: int, suffix: str) -> list[int]:
    """The frame after the face opposite to `face` was turned and we turned `face` instead.

    The writer's cube has turned about that axis against ours: what he calls f is what came there by the turn of `face`.
    """
    rotation = cube.geometry.face_symmetries[_rotation_about(cube, face)]
    for _ in range(_CLOCKWISE_TURNS[suffix]):
        frame = [int(rotation[f]) for f in frame]
    return frame


def _rotation_about(cube: Cube, face: int) -> int:
    """Index of the rotation of the whole cube that goes with a clockwise quarter turn of a face."""
    turned = cube.geometry.turns[face, 0]
    moving = turned != range(len(turned))
    for r in range(24):
        if (cube.geometry.symmetries[r][moving] == turned[moving]).all():
            return r
    raise AssertionError("every turn is part of a rotation")


def _fault(text: str, at: int) -> str:
    word = text[at:].split()[0]
    shown = text if len(text) <= 60 else text[:57] + "..."
    hints = {
        "xyz": "rotations of the whole cube are not moves here",
        "MESmes": "slice turns are not moves here",
        "urfdlb": "lower-case (wide) turns are not moves here",
    }
    hint = next(
        (hint for letters, hint in hints.items() if word[0] in letters),
        "a turn is one of U R F D L B, then nothing, ' or 2",
    )
    return f"cannot read {word!r} at position {at} of {shown!r}: {hint}"
