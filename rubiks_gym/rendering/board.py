"""Boards, rings and stacks as pictures: uint8 arrays [height, width, 3]."""

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from rubiks_gym.rendering.image import _BODY, _FINE, _INK, _WOOD, _blank, _check_size, _shade
from rubiks_gym.rendering.states import disk_colours

_LAMP_ON, _LAMP_OFF = np.array([255, 205, 70]), np.array([70, 74, 82])
_TILE = np.array([236, 224, 200])


def _sheet(width: int, height: int) -> tuple[Image.Image, ImageDraw.ImageDraw, int, int]:
    """A background at fine resolution, what draws on it, and its size."""
    _check_size(width, height)
    picture = _blank(width * _FINE, height * _FINE)
    return picture, ImageDraw.Draw(picture), picture.width, picture.height


def _squares(board: np.ndarray, width: int, height: int) -> tuple[float, np.ndarray]:
    """The side of a square of a board [rows, columns] in the middle of a picture, and the upper left corners [..., 2]."""
    rows, columns = board.shape
    side = min(0.86 * height / rows, 0.86 * width / columns)
    corner = np.array([width - side * columns, height - side * rows]) / 2
    return side, corner + side * np.stack(np.meshgrid(np.arange(columns), np.arange(rows)), axis=-1)


def _box(corner: np.ndarray, side: float, inset: float) -> tuple[float, float, float, float]:
    (x, y), low, high = corner.tolist(), inset * side, (1 - inset) * side
    return x + low, y + low, x + high, y + high


def tiles_image(board: np.ndarray, width: int = 720, height: int = 400) -> np.ndarray:
    """Picture of tiles `board` [rows, columns], 0 for the blank; tiles that are at home are green."""
    picture, draw, w, h = _sheet(width, height)
    side, corners = _squares(board, w, h)
    edge = _box(corners[0, 0], side, -0.06)[:2] + _box(corners[-1, -1], side, -0.06)[2:]
    draw.rounded_rectangle(edge, 0.12 * side, fill=_shade(_WOOD, 0.55))
    font = ImageFont.load_default(0.42 * side)
    home = np.arange(1, board.size + 1).reshape(board.shape)
    for place in np.ndindex(board.shape):
        if board[place]:
            colour = np.array([176, 214, 170]) if board[place] == home[place] else _TILE
            draw.rounded_rectangle(_box(corners[place], side, 0.03), 0.1 * side, fill=_shade(colour, 0.8))
            draw.rounded_rectangle(_box(corners[place], side, 0.055), 0.09 * side, fill=_shade(colour, 1))
            draw.text(tuple(corners[place] + side / 2), str(board[place]), _INK, font, anchor="mm")
    return np.asarray(picture.reduce(_FINE))


def lights_image(lamps: np.ndarray, width: int = 720, height: int = 400) -> np.ndarray:
    """Picture of `lamps` [rows, columns], 1 for those that are on."""
    picture, draw, w, h = _sheet(width, height)
    side, corners = _squares(lamps, w, h)
    edge = _box(corners[0, 0], side, -0.08)[:2] + _box(corners[-1, -1], side, -0.08)[2:]
    draw.rounded_rectangle(edge, 0.2 * side, fill=_shade(_BODY, 1))
    for place in np.ndindex(lamps.shape):
        colour = _LAMP_ON if lamps[place] else _LAMP_OFF
        for inset, light in ((0.06, 0.7), (0.1, 0.9), (0.2, 1.0)):
            draw.rounded_rectangle(_box(corners[place], side, inset), 0.16 * side, fill=_shade(colour, light))
    return np.asarray(picture.reduce(_FINE))


def ring_image(tokens: np.ndarray, turnstile: int, width: int = 720, height: int = 400) -> np.ndarray:
    """Picture of the `tokens` [n] at the places of a ring; the first `turnstile` of them are on the turnstile, on top."""
    picture, draw, w, h = _sheet(width, height)
    n, middle, radius = len(tokens), np.array([w, h]) / 2, 0.4 * h
    angles = 2 * np.pi * (np.arange(n) - (turnstile - 1) / 2) / n
    at = middle + radius * np.stack([np.sin(angles), -np.cos(angles)], axis=1)
    size = min(0.09 * h, 0.9 * np.pi * radius / n)
    for place in range(turnstile - 1):
        draw.line([tuple(at[place]), tuple(at[place + 1])], _shade(_WOOD, 0.8), round(2.6 * size))
    for place in range(turnstile):
        draw.circle(tuple(at[place]), 1.3 * size, fill=_shade(_WOOD, 0.8))
    font = ImageFont.load_default(1.1 * size)
    colours = disk_colours(n)
    for place, token in enumerate(tokens.tolist()):
        draw.circle(tuple(at[place]), size, fill=_shade(colours[token], 0.8))
        draw.circle(tuple(at[place]), 0.9 * size, fill=_shade(colours[token], 1))
        draw.text(tuple(at[place]), str(token + 1), (255, 255, 255), font, anchor="mm")
    return np.asarray(picture.reduce(_FINE))


def stack_image(pancakes: np.ndarray, width: int = 720, height: int = 400) -> np.ndarray:
    """Picture of `pancakes` [n], 0 for the smallest, from the top of the stack down."""
    picture, draw, w, h = _sheet(width, height)
    n = len(pancakes)
    thick = min(0.09 * h, 0.82 * h / n)
    top, colours = (h - thick * n) / 2, disk_colours(n)
    draw.ellipse((0.2 * w, top + thick * (n - 0.4), 0.8 * w, top + thick * n + 0.06 * h), fill=(205, 210, 218))
    for level, size in enumerate(pancakes.tolist()):
        half = (0.07 + 0.2 * (size + 1) / n) * w
        box = (w / 2 - half, top + level * thick + 0.06 * thick, w / 2 + half, top + (level + 1) * thick - 0.06 * thick)
        draw.rounded_rectangle(box, 0.4 * thick, fill=_shade(colours[size], 1))
    return np.asarray(picture.reduce(_FINE))
