"""The Pyraminx, the Skewb and the Megaminx, cut out of their solids: a state lists where each piece's first sticker is."""

from functools import lru_cache
from math import inf
from typing import Any

import numpy as np

from rubiks_gym.puzzles import kernels, solids
from rubiks_gym.puzzles.permutation import PermutationPuzzle, orbits
from rubiks_gym.puzzles.puzzle import UINT8


class Twisty(PermutationPuzzle):
    """A solid whose corners, or faces, turn clockwise and (with an apostrophe) anticlockwise; all of its pieces differ.

    A place is one of a piece's stickers, places of pieces that turns exchange following each other; pieces that no turn moves
    have none. Turning everything but one corner is turning that corner and then holding the puzzle differently, so a held
    piece makes the solved state a single one.
    """

    observations = ("one-hot", "one-hot-uint8", "stickers", "state")

    def __init__(self, name: str, k_max: int) -> None:
        self.solid, tables = _tables(name)
        super().__init__(name, tables["generators"], tables["names"], pieces=tables["pieces"], k_max=k_max)
        self._sticker_tables = tuple(tables[key] for key in ("facelets_of", "colours", "template"))

    def __reduce__(self) -> tuple:
        return type(self), ()

    def stickers(self, states: np.ndarray) -> np.ndarray:
        """Colours [B, N] uint8 of all stickers, face by face: the numbers of the faces that they belong to."""
        return self._each(states, kernels.stickers, self._sticker_tables, (len(self.solid.face_of),), UINT8)

    def categories(self, observation: str) -> np.ndarray:
        """How many values each entry of an observation other than one-hot can take."""
        if observation == "stickers":
            return np.full(len(self.solid.face_of), len(self.solid.names))
        return super().categories(observation)

    def ansi(self, state: np.ndarray) -> str:
        """The stickers of each face in a row, in colour."""
        from rubiks_gym.rendering.ansi import solid_ansi

        return solid_ansi(self.solid, self.stickers(self.check(state))[0])

    def image(self, state: np.ndarray) -> np.ndarray:
        """The solid from the front and from behind, [H, W, 3] uint8."""
        from rubiks_gym.rendering.solid import solid_image

        return solid_image(self.solid, self.stickers(self.check(state))[0])


class Pyraminx(Twisty):
    """The Pyraminx without its tips: 933,120 states, 8 actions U U' L L' R R' B B'."""

    def __init__(self) -> None:
        super().__init__("pyraminx", k_max=11)


class Skewb(Twisty):
    """The Skewb with its corner URF held: 3,149,280 states, 8 actions R R' U U' L L' B B' as in competitions."""

    def __init__(self) -> None:
        super().__init__("skewb", k_max=11)


class Megaminx(Twisty):
    """The Megaminx: 12 faces, turned by a fifth either way."""

    def __init__(self) -> None:
        super().__init__("megaminx", k_max=70)


_CUTS = {"pyraminx": (solids.pyraminx, 1 / 3, 3), "skewb": (solids.skewb, 0, 3), "megaminx": (solids.megaminx, 0.7, 5)}


@lru_cache
def _tables(name: str) -> tuple[solids.Solid, dict[str, Any]]:
    """The solid of a puzzle, and its tables over places; those of `kernels.stickers` are padded to 256 entries."""
    make, depth, ways = _CUTS[name]
    solid, axes = make()
    turns = np.array([solid.turn(axis, depth, inf, ways) for axis in axes.values()])
    orbit = orbits(turns)
    n = len(orbit)
    around = solid.around()
    moving = np.flatnonzero((turns != np.arange(n)).any(axis=0))
    order = np.lexsort((moving, solid.piece_of[moving], orbit[moving], -(around[moving] != moving[:, None]).sum(axis=1)))
    sticker_at = moving[order]  # [places]
    number = np.zeros(n, np.int64)
    number[sticker_at] = np.arange(len(sticker_at))
    _, first = np.unique(solid.piece_of[sticker_at], return_index=True)
    pieces = np.sort(first)
    facelets_of = np.zeros((256, 3), np.int64)
    facelets_of[: len(sticker_at)] = around[sticker_at]
    return solid, {
        "generators": number[turns[:, sticker_at]],
        "names": list(axes),
        "pieces": pieces,
        "facelets_of": facelets_of,
        "colours": solid.face_of[around[sticker_at[pieces]]].astype(np.uint8),
        "template": solid.face_of.astype(np.uint8),
    }
