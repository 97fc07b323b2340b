"""Puzzles as pictures, drawn with Pillow: uint8 arrays [height, width, 3].

Whatever does not depend on the state is drawn once per picture size, at `_FINE` times the resolution and
then reduced, which smooths the edges. A frame only puts the pieces together.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from math import isqrt
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from rubiks_gym.puzzles import Puzzle
from rubiks_gym.puzzles.geometry import UNFOLDED
from rubiks_gym.rendering.states import FACE_COLOURS, NET, disk_colours, disk_levels

_FINE = 4
_SKY, _GROUND = (250, 251, 253), (226, 230, 236)
_BODY, _SEAM = np.array([30, 31, 35]), (12, 12, 14)
_INK = (40, 44, 52)
_WOOD, _ROD = np.array([176, 132, 92]), np.array([201, 163, 122])

# Directions of columns and rows of each face U R F D L B, and its outward normal.
_FRAMES = np.array([[columns, rows, normal] for normal, rows, columns in UNFOLDED.values()], float)
_EYE = np.array([5.7, 5.9, 7.6])  # the cube fills -1..1 in each direction
_LIGHT = np.array([1.0, 0.83, 0.93, 1.0, 1.0, 1.0])  # brightness of each face in the solid view
_VISIBLE = _FRAMES[:, 2] @ _EYE > 1
_SQUARE = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], float)


def _check_size(width: int, height: int) -> None:
    if width < 64 or height < 64 or width % 2 or height % 2:
        raise ValueError(f"width and height must be even (for video encoders) and at least 64, got {width} x {height}")


def _blank(width: int, height: int) -> Image.Image:
    """Background, fading from top to bottom."""
    fade = np.linspace(_SKY, _GROUND, height).round().astype(np.uint8)
    return Image.fromarray(np.broadcast_to(fade[:, None], (height, width, 3)).copy())


# --- cube -----------------------------------------------------------------------------------------------
# A view is an array [6, 3, 3]: per face the matrix that takes (u, v, 1), with u along the columns and v
# along the rows from 0 to 1, to homogeneous pixels. Perspective and flat net differ in nothing else.


def _map(matrix: np.ndarray, uv: np.ndarray) -> np.ndarray:
    """Pixels [..., 2] of the points `uv` [..., 2] of one face."""
    x, y, w = np.moveaxis(uv @ matrix[:, :2].T + matrix[:, 2], -1, 0)
    return np.stack([x / w, y / w], -1)


def _solid_view(width: int, height: int) -> np.ndarray:
    """The cube in perspective in the left part of the picture."""
    back = _EYE / np.linalg.norm(_EYE)
    right = np.cross([0, 1, 0], back)
    right /= np.linalg.norm(right)
    up = np.cross(back, right)
    camera = np.array([[*right, 0], [*-up, 0], [*-back, np.linalg.norm(_EYE)]])
    columns, rows, normals = np.moveaxis(_FRAMES, 1, 0)
    planes = np.zeros((6, 4, 3))
    planes[:, :3] = np.stack([2 * columns, 2 * rows, normals - columns - rows], -1)
    planes[:, 3, 2] = 1
    view = camera @ planes
    corners = np.concatenate([_map(view[f], _SQUARE) for f in np.flatnonzero(_VISIBLE)])
    low, high = corners.min(0), corners.max(0)
    scale = min(0.39 * width / (high - low)[0], 0.8 * height / (high - low)[1])
    x, y = np.array([0.235 * width, 0.49 * height]) - scale * (low + high) / 2
    return np.array([[scale, 0, x], [0, scale, y], [0, 0, 1]]) @ view


def _net_view(width: int, height: int) -> np.ndarray:
    """The unfolded net in the right part of the picture."""
    pitch = min(0.5 * width / 4, 0.8 * height / 3)
    face = 0.95 * pitch  # the rest is the gap between faces
    corner = np.array([0.72 * width, 0.5 * height]) - pitch * np.array([2, 1.5]) + (pitch - face) / 2
    view = np.zeros((6, 3, 3))
    view[:, 0, 0] = view[:, 1, 1] = face
    view[:, :2, 2] = corner + pitch * NET[:, ::-1]
    view[:, 2, 2] = 1
    return view


def _views(width: int, height: int) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """(view, faces in sight, light of each face) for the solid cube and for the net."""
    return [
        (_solid_view(width, height), np.flatnonzero(_VISIBLE), _LIGHT),
        (_net_view(width, height), np.arange(6), np.ones(6)),
    ]


def _tiles(n: int, inset: float, radius: float) -> np.ndarray:
    """Outlines [n n, points, 2] in (u, v) of the rounded squares of a face, row by row.

    `inset` and `radius` are fractions of a cell.
    """
    turn = np.radians(np.arange(0, 91, 10))
    arcs = [turn + np.pi / 2 * quarter for quarter in range(4)]
    middles = (_SQUARE[[2, 3, 0, 1]] * 2 - 1) * (0.5 - inset - radius)
    outline = np.concatenate([m + radius * np.stack([np.cos(a), np.sin(a)], -1) for m, a in zip(middles, arcs, strict=True)])
    rows, columns = np.indices((n, n)).reshape(2, -1)
    tiles: np.ndarray = (np.stack([columns, rows], -1)[:, None] + 0.5 + outline) / n
    return tiles


def _polygon(draw: ImageDraw.ImageDraw, points: np.ndarray, fill: tuple[int, ...] | int) -> None:
    draw.polygon([(x, y) for x, y in points.tolist()], fill=fill)


def _shade(colour: np.ndarray, light: float) -> tuple[int, int, int]:
    r, g, b = np.clip(colour * light, 0, 255).round().astype(int).tolist()
    return r, g, b


def _cube_body(width: int, height: int) -> Image.Image:
    """Background, shadow and the black plastic of both views, at fine resolution."""
    picture = _blank(width, height)
    (solid, faces, _), (net, _, _) = _views(width, height)
    shadow = Image.new("L", picture.size, 0)
    floor = _map(solid[3], (_SQUARE - 0.5) * 1.16 + 0.5)  # D lies in the plane of the floor
    _polygon(ImageDraw.Draw(shadow), floor, 120)
    shadow = shadow.reduce(8).filter(ImageFilter.GaussianBlur(height / 8 / 40)).resize(picture.size)
    picture.paste((70, 76, 92), mask=shadow)
    draw = ImageDraw.Draw(picture)
    for face in faces:
        corners = _map(solid[face], (_SQUARE - 0.5) * 0.985 + 0.5)
        _polygon(draw, corners, _SEAM)
        ring = [(x, y) for x, y in corners[[0, 1, 2, 3, 0, 1]].tolist()]
        draw.line(ring, _SEAM, round(height / 60), joint="curve")
    for face in range(6):
        _polygon(draw, _map(net[face], _tiles(1, -0.012, 0.05)[0]), _SEAM)
    return picture


@lru_cache(maxsize=4)
def _cube_layers(n: int, width: int, height: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """What a frame of the cube is put together from.

    Returns the picture without stickers [H, W, 3], the flat indices [P] of the pixels that belong to some
    sticker's cell, the sticker [P] that each of them shows, and their colours [6, P, 3] if that sticker
    has colour 0..5. Between cells there is black in every colour, so a pixel never shows two stickers.
    """
    body = _cube_body(width * _FINE, height * _FINE)
    fine = _views(width * _FINE, height * _FINE)
    plastic, rim, sticker = _tiles(n, 0.015, 0.12), _tiles(n, 0.07, 0.15), _tiles(n, 0.092, 0.135)
    draw = ImageDraw.Draw(body)
    for view, faces, light in fine:
        for face in faces:
            for outline in _map(view[face], plastic):
                _polygon(draw, outline, _shade(_BODY, light[face]))
    painted = []
    for colour in FACE_COLOURS:
        picture = body.copy()
        draw = ImageDraw.Draw(picture)
        for view, faces, light in fine:
            for face in faces:
                for i in range(n * n):
                    _polygon(draw, _map(view[face], rim[i]), _shade(colour, 0.82 * light[face]))
                    _polygon(draw, _map(view[face], sticker[i]), _shade(colour, light[face]))
        painted.append(np.asarray(picture.reduce(_FINE)).reshape(-1, 3))
    owner = Image.new("I", (width, height), -1)
    draw = ImageDraw.Draw(owner)
    for view, faces, _ in _views(width, height):
        for face in faces:
            for i, cell in enumerate(_map(view[face], _tiles(n, 0, 0))):
                _polygon(draw, cell, int(face) * n * n + i)
    owners = np.asarray(owner).ravel()
    pixels = np.flatnonzero(owners >= 0)
    return np.asarray(body.reduce(_FINE)), pixels, owners[pixels], np.stack([layer[pixels] for layer in painted])


def cube_image(stickers: np.ndarray, width: int = 720, height: int = 400) -> np.ndarray:
    """Picture [height, width, 3] uint8 of the colours `stickers` [6 n n].

    On the left the cube with its faces U, F and R in sight, on the right the unfolded net.
    """
    _check_size(width, height)
    base, pixels, owners, layers = _cube_layers(isqrt(len(stickers) // 6), width, height)
    frame = base.copy()
    frame.reshape(-1, 3)[pixels] = layers[stickers[owners], np.arange(len(pixels))]
    return frame


# --- towers of Hanoi ------------------------------------------------------------------------------------


def _hanoi_layout(disks: int, pegs: int, width: int, height: int) -> tuple[np.ndarray, np.ndarray, int, int, int]:
    """Peg centres x [pegs], disk widths [disks], disk height, y of the base's top, y of the pegs' top."""
    margin = 0.04 * width
    spacing = (width - 2 * margin) / pegs
    centres = (margin + spacing * (np.arange(pegs) + 0.5)).round().astype(int)
    thick = int(min(0.09 * height, 0.7 * height / disks))
    if thick < 2:
        raise ValueError(f"{disks} disks do not fit: at height {height} draw at most {int(0.35 * height)} disks")
    widest = 0.92 * spacing
    widths = np.linspace(widest, widest * (0.24 + 0.5 / disks), disks)[::-1]
    rod = round(max(0.5 * height, thick * disks + 0.06 * height))
    top = round(0.47 * height - rod / 2)
    return centres, 2 * (widths / 2).round().astype(int), thick, top + rod, top


def disk_boxes(pegs_of_disks: np.ndarray, pegs: int, width: int = 720, height: int = 400) -> np.ndarray:
    """Pixel boxes [disks, 4] (left, top, right, bottom) of the disks, smallest first."""
    centres, widths, thick, base, _ = _hanoi_layout(len(pegs_of_disks), pegs, width, height)
    left = centres[pegs_of_disks] - widths // 2
    bottom = base - thick * disk_levels(pegs_of_disks)
    return np.stack([left, bottom - thick, left + widths, bottom], -1)


def _bar(width: int, height: int, colour: np.ndarray, radius: float) -> Image.Image:
    """Rounded bar lit like a lying disk: brightest left of its middle, darker to the ends. Mode RGBA."""
    mask = Image.new("L", (width * _FINE, height * _FINE), 0)
    box = (0, 0, width * _FINE - 1, height * _FINE - 1)
    ImageDraw.Draw(mask).rounded_rectangle(box, radius * _FINE, fill=255)
    x = np.linspace(-1, 1, width)
    y = np.linspace(-1, 1, height)[:, None]
    light = 1 + 0.1 * np.exp(-((x + 0.35) ** 2) / 0.08) - 0.22 * x**4 - 0.1 * y**3
    rgb = np.clip(light[..., None] * colour, 0, 255).astype(np.uint8)
    picture = Image.fromarray(rgb)
    picture.putalpha(mask.reduce(_FINE))
    return picture


@lru_cache(maxsize=8)
def _hanoi_parts(disks: int, pegs: int, width: int, height: int) -> tuple[Image.Image, list[Image.Image]]:
    """The picture without disks, and the picture of each disk."""
    centres, widths, thick, base, top = _hanoi_layout(disks, pegs, width, height)
    picture = _blank(width, height)
    board = max(6, round(0.045 * height))
    left = round(0.03 * width)
    shadow = Image.new("L", picture.size, 0)
    ImageDraw.Draw(shadow).ellipse((left, base + board * 0.5, width - left, base + board * 1.9), fill=110)
    picture.paste((70, 76, 92), mask=shadow.filter(ImageFilter.GaussianBlur(height / 50)))
    rod = 2 * max(2, min(round(0.011 * height), int(widths[0]) // 6))
    for x in centres:
        part = _bar(rod, base - top + rod, _ROD, rod / 2)
        picture.paste(part, (int(x) - rod // 2, top), part)
    part = _bar(width - 2 * left, board, _WOOD, board / 2.5)
    picture.paste(part, (left, base), part)
    radius = min(thick / 2, 0.028 * height)
    bars = [_bar(int(w), thick, c, radius) for w, c in zip(widths, disk_colours(disks), strict=True)]
    return picture, bars


def hanoi_image(pegs_of_disks: np.ndarray, pegs: int, width: int = 720, height: int = 400) -> np.ndarray:
    """Picture [height, width, 3] uint8 of `pegs_of_disks` [disks], the peg of each disk, smallest first."""
    _check_size(width, height)
    boxes = disk_boxes(pegs_of_disks, pegs, width, height)
    background, bars = _hanoi_parts(len(boxes), pegs, width, height)
    picture = background.copy()
    for bar, (left, top, _, _) in zip(bars, boxes.tolist(), strict=True):
        picture.paste(bar, (left, top), bar)
    return np.array(picture)


# --- anything else --------------------------------------------------------------------------------------


def text_image(text: str, width: int = 720, height: int = 400) -> np.ndarray:
    """Picture [height, width, 3] uint8 of `text`, for a puzzle without a drawing of its own.

    ANSI colour codes are dropped; characters stand in columns, as in a terminal.
    """
    _check_size(width, height)
    lines = re.sub(r"\x1b\[[0-9;]*m", "", text).expandtabs().splitlines() or [""]
    columns = max(map(len, lines)) or 1
    # Pillow's own font is proportional: every character gets a column of 0.66 font heights.
    size = max(4.0, min(0.9 * width / columns / 0.66, 0.9 * height / len(lines) / 1.3, 0.09 * height))
    font = ImageFont.load_default(size)
    picture = _blank(width, height)
    draw = ImageDraw.Draw(picture)
    left, top = (width - columns * size * 0.66) / 2, (height - len(lines) * size * 1.3) / 2
    for row, line in enumerate(lines):
        for column, character in enumerate(line):
            at = (left + (column + 0.5) * size * 0.66, top + (row + 0.5) * size * 1.3)
            draw.text(at, character, _INK, font, anchor="mm")
    return np.array(picture)


def save_gif(frames: Iterable[np.ndarray], path: str | Path, fps: float = 4) -> None:
    """Write `frames`, uint8 arrays [H, W, 3] of one size, as an endless animation.

    Equal frames in a row are stored as one that lasts longer. Viewers slow down GIFs above 50 frames per
    second, so `fps` must not exceed 50.
    """
    arrays = [np.asarray(frame) for frame in frames]
    if not arrays:
        raise ValueError("frames must hold at least one frame, got none")
    for array in arrays:
        if array.dtype != np.uint8 or array.ndim != 3 or array.shape != (*arrays[0].shape[:2], 3):
            raise ValueError(f"frames must be uint8 [H, W, 3] of one size, got {array.dtype} {list(array.shape)}")
    if not 0 < fps <= 50:
        raise ValueError(f"fps must be above 0 and at most 50, got {fps}")
    pictures = [Image.fromarray(array) for array in arrays]
    # One palette for all frames keeps the background from flickering. Three frames are enough to choose it
    # from, as a puzzle shows the same colours in every state.
    samples = [pictures[0], pictures[len(pictures) // 2], pictures[-1]]
    sheet = Image.new("RGB", (samples[0].width, 3 * samples[0].height))
    for i, sample in enumerate(samples):
        sheet.paste(sample, (0, i * sample.height))
    palette = sheet.quantize(256, Image.Quantize.MEDIANCUT)
    indexed = [p.quantize(palette=palette, dither=Image.Dither.NONE) for p in pictures]
    # GIF counts hundredths of a second: rounding the times, not the durations, keeps the pace right.
    durations = np.diff(np.round(np.arange(len(pictures) + 1) * 100 / fps)) * 10
    indexed[0].save(path, "GIF", save_all=True, append_images=indexed[1:], duration=durations.astype(int).tolist(), loop=0)


def save_solve(puzzle: Puzzle, state: np.ndarray, moves: list[int], path: str | Path) -> None:
    """Write an animation of the moves from a state [S], which rests at its end."""
    steps = [state]
    for move in moves:
        steps.append(puzzle.after([move], steps[-1]))
    save_gif([puzzle.image(step) for step in [*steps, steps[-1], steps[-1]]], path, fps=2)
