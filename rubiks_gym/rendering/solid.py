"""Twisty puzzles of any solid as pictures: from the front and from behind, uint8 arrays [height, width, 3]."""

from functools import lru_cache

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from rubiks_gym.puzzles.solids import Solid
from rubiks_gym.rendering.image import _FINE, _SEAM, _blank, _check_size, _polygon, _shade
from rubiks_gym.rendering.states import colours_of

# Where one looks from, and then from the opposite side: all faces are seen once at least.
_EYES = {4: np.array([0.77, 0.3, 0.64]), 6: np.array([0.6, 0.65, 0.8]), 12: np.array([0.35, 0.62, 0.9])}
_MIDDLES = (0.27, 0.73)  # of the two views, as shares of the width
_LIGHT = np.array([0.3, 0.85, 0.45])


def solid_image(solid: Solid, stickers: np.ndarray, width: int = 720, height: int = 400) -> np.ndarray:
    """Picture [height, width, 3] uint8 of the colours `stickers` [N]: seen from above on the left, from below on the right."""
    _check_size(width, height)
    picture = _stage(width * _FINE, height * _FINE).copy()
    draw, colours = ImageDraw.Draw(picture), colours_of(solid)[stickers]
    for side, share in zip((1, -1), _MIDDLES, strict=True):
        middle = np.array([share * picture.width, 0.47 * picture.height])
        _draw(draw, solid, colours, side * _EYES[len(solid.names)], middle, picture.height)
    return np.asarray(picture.reduce(_FINE))


@lru_cache(maxsize=2)
def _stage(width: int, height: int) -> Image.Image:
    """Background and shadows, at fine resolution."""
    picture, shadow = _blank(width, height), Image.new("L", (width, height), 0)
    for middle in _MIDDLES:
        x, y, across, down = middle * width, 0.9 * height, 0.17 * width, 0.05 * height
        ImageDraw.Draw(shadow).ellipse((x - across, y - down, x + across, y + down), fill=90)
    shadow = shadow.reduce(8).filter(ImageFilter.GaussianBlur(height / 8 / 48)).resize(picture.size)
    picture.paste((70, 76, 92), mask=shadow)
    return picture


def _draw(
    draw: ImageDraw.ImageDraw, solid: Solid, colours: np.ndarray, towards: np.ndarray, middle: np.ndarray, height: int
) -> None:
    """One view of the solid, its faces in perspective, colours [N, 3] on its stickers."""
    reach = max(np.linalg.norm(polygon, axis=1).max() for polygon in solid.polygons)
    back = towards / np.linalg.norm(towards)
    right = np.cross([0, 1, 0], back)
    right /= np.linalg.norm(right)
    camera, distance = np.array([right, -np.cross(back, right)]), 5 * reach

    def seen(points: np.ndarray) -> np.ndarray:
        return points @ camera.T * (distance / (distance - points @ back))[:, None]

    every = np.concatenate([seen(polygon) for polygon in solid.polygons])
    low, high = every.min(axis=0), every.max(axis=0)
    scale = min(0.8 * height / (high - low)[1], 0.78 * height / (high - low)[0])
    at = middle - scale * (low + high) / 2
    for i, polygon in enumerate(solid.polygons):
        normal = solid.normals[solid.face_of[i]]
        if normal @ back * distance <= 1:
            continue
        light = 0.8 + 0.2 * normal @ _LIGHT if towards[1] > 0 else 0.88 + 0.12 * -(normal @ _LIGHT)
        _polygon(draw, at + scale * seen(polygon + 0.01 * (polygon - solid.centres[i])), _SEAM)
        for share, dim in ((0.91, 0.82), (0.86, 1.0)):
            inside = solid.centres[i] + share * (polygon - solid.centres[i])
            _polygon(draw, at + scale * seen(inside), _shade(colours[i], dim * light))
