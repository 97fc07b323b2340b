"""Cubes of any size: a state is the colour of every sticker, since the centres of a colour look alike.

Sizes 2 and 3 are here too, from the same geometry; `cube.py` has them with fewer bytes, symmetries and a perfect index.
"""

import re
from functools import lru_cache
from math import factorial
from typing import NamedTuple

import numpy as np

from rubiks_gym.checks import choice, whole
from rubiks_gym.puzzles import solids
from rubiks_gym.puzzles.chain import Chain
from rubiks_gym.puzzles.geometry import FACES
from rubiks_gym.puzzles.permutation import PermutationPuzzle, orbits
from rubiks_gym.puzzles.streams import draw

_K_MAX = {2: 14, 3: 26, 4: 45, 5: 80, 6: 120, 7: 170}
_TURN = re.compile(r"([2-7]?)([URFDLB])(w?)(2?)(['’′]?)")  # noqa: RUF001 (typographic primes are common in copied scrambles)


class BigCube(PermutationPuzzle):
    """A cube of a size from 2 to 7, in the quarter-turn ("qtm") or half-turn metric ("htm").

    Every layer turns but the middle one of an odd size, which holds the centres: U is a face, 2U the slice below it, and so
    on to the middle. Even sizes have no centre to hold, so "solved" means solved and held as at the start.
    """

    def __init__(self, name: str, size: int, metric: str) -> None:
        whole(2, 7, size=size)
        choice(("qtm", "htm"), metric=metric)
        self.size, self.metric = int(size), metric
        turns, n_states = _turns(self.size)
        layers = [(face, depth) for depth in range(self.size // 2) for face in range(6)]
        names = [f"{depth + 1 if depth else ''}{FACES[face]}{suffix}" for face, depth in layers for suffix in ("", "'")]
        generators = [turn for face, depth in layers for turn in (turns[face, depth], np.argsort(turns[face, depth]))]
        if metric == "htm":
            names += [f"{name}2" for name in names[::2]]
            generators += [turn[turn] for turn in generators[::2]]
        self.solid = solids.cube(self.size)
        super().__init__(
            name=f"{name}-{metric}",
            generators=generators,
            names=names,
            goal=self.solid.face_of,
            k_max=_K_MAX[self.size],
            n_states=n_states,
        )
        self.faces = tuple(re.sub("['2]$", "", name) for name in names)

    def random_states(self, seeds: np.ndarray) -> np.ndarray:
        """States [B, S] uniform over all that can be reached, one per seed: the frame by its group, the others in any order."""
        seeds, (around, _, frame, chain, loose) = self.as_seeds(seeds), _pieces(self.size)
        states = np.tile(self.goal, (len(seeds), 1))
        goes_to = chain.images(chain.random_digits(seeds), np.arange(len(frame)))
        np.put_along_axis(states, frame[goes_to], self.goal[frame][None], axis=1)
        for kind, places in enumerate(loose):
            order = np.argsort(draw(seeds[:, None], np.arange(24, dtype=np.uint64) + np.uint64(100 * kind + 1000)), axis=1)
            for side in around[places, :2].T:  # both stickers of a wing; a centre has but one
                states[:, side] = self.goal[side][order]
        return states

    # Reading --------------------------------------------------------------------------------------------------------

    def parse(self, text: str) -> list[int]:
        """Actions from notation as in competitions: "R U' 2F2", and turns of several layers, "Rw" (two) or "3Rw'".

        A slice beyond the middle is read as the slice of the face opposite; a half turn becomes two quarter turns where there
        are no half turns.
        """
        if not isinstance(text, str):
            raise ValueError(f'moves must be a string such as "R U\' 2F2", got {type(text).__name__}')
        actions: list[int] = []
        end = 0
        while end < len(text):
            if text[end].isspace():
                end += 1
                continue
            turn = _TURN.match(text, end)
            if turn is None:
                word = text[end:].split()[0]
                raise ValueError(
                    f"cannot read {word!r} at position {end}: a turn is one of U R F D L B, then nothing, ' or 2; "
                    "before it the number of a layer (2U), or w behind it for all layers up to there (Uw, 3Uw)"
                )
            depth = int(turn[1] or (2 if turn[3] else 1))
            for layer in range(1, depth + 1) if turn[3] else [depth]:
                actions += self._layer(turn[0], turn[2], layer, bool(turn[4]), bool(turn[5]))
            end = turn.end()
        return actions

    def _layer(self, word: str, face: str, layer: int, half: bool, back: bool) -> list[int]:
        if layer > self.size or (self.size % 2 and layer == self.size // 2 + 1):
            why = "the middle layer holds the centres, and is no move" if layer <= self.size else "there are no more layers"
            raise ValueError(f"cannot read {word!r}: layer {layer} of {self.size}; {why}")
        if layer > self.size // 2:
            face, layer, back = FACES[(FACES.index(face) + 3) % 6], self.size + 1 - layer, not back
        name = f"{layer if layer > 1 else ''}{face}"
        if half and self.metric == "htm":
            return [self.action_names.index(name + "2")]
        return [self.action_names.index(name + "'" if back and not half else name)] * (2 if half else 1)

    def facelets(self, state: np.ndarray) -> str:
        """A state [S] as a facelet string in URFDLB order, as other programs read it."""
        return "".join(FACES[colour] for colour in self.check(state)[0])

    def from_facelets(self, text: str) -> np.ndarray:
        """The state [S] of a facelet string; one that no cube can show is a ValueError that names the fault."""
        letters = "".join(text.split()) if isinstance(text, str) else ""
        if len(letters) != self.state_size or set(letters) - set(FACES):
            raise ValueError(f"facelets of a cube of size {self.size} are {self.state_size} letters {FACES}, got {text!r}")
        return self.check([FACES.index(letter) for letter in letters])[0]

    def refuse_unreachable(self, states: np.ndarray) -> None:
        """Raise for the first state that turning cannot reach, naming why.

        Every piece must be one of the cube's, and none there more often than on it. Slices put wings and centres anywhere;
        corners and the edges in the middle form a cube of size 2 or 3, whose group says whether they can be as they are.
        """
        around, known, frame, chain, _ = _pieces(self.size)
        home, own = (
            known[(np.arange(self.state_size), *np.moveaxis(each[:, around], 2, 0))] for each in (states, self.goal[None])
        )
        for wrong, what in (
            (home < 0, "has colours that no piece has"),
            (np.sort(home, axis=1) != np.sort(own, axis=1), "is there twice"),
        ):
            if wrong.any():
                row = states[wrong.any(axis=1).argmax()]
                text = "".join(FACES[colour] for colour in row)
                raise ValueError(f"impossible cube: a piece {what}, in {text}")
        possible = chain.contains(np.argsort(np.searchsorted(frame, home[:, frame]), axis=1).astype(np.uint16))
        if not possible.all():
            text = "".join(FACES[colour] for colour in states[possible.argmin()])
            raise ValueError(f"impossible cube: a twisted corner, a flipped edge or a swapped pair, in {text}")

    # Pictures -------------------------------------------------------------------------------------------------------

    def ansi(self, state: np.ndarray) -> str:
        """The unfolded net in colour."""
        from rubiks_gym.rendering.ansi import cube_ansi

        return cube_ansi(self.check(state)[0])

    def image(self, state: np.ndarray) -> np.ndarray:
        """The cube in three dimensions beside its net, [H, W, 3] uint8."""
        from rubiks_gym.rendering.image import cube_image

        return cube_image(self.check(state)[0])


class RubikNxN(BigCube):
    """The cube of any size from 2 to 7."""

    def __init__(self, size: int = 6, metric: str = "qtm") -> None:
        super().__init__(f"rubiknxn-{size}", size, metric)


class Rubik4x4(BigCube):
    """The 4x4x4: 24 actions (qtm) or 36 (htm)."""

    def __init__(self, metric: str = "qtm") -> None:
        super().__init__("rubik4x4", 4, metric)


class Rubik5x5(BigCube):
    """The 5x5x5: 24 actions (qtm) or 36 (htm); the middle layers hold the centres."""

    def __init__(self, metric: str = "qtm") -> None:
        super().__init__("rubik5x5", 5, metric)


@lru_cache
def _turns(size: int) -> tuple[np.ndarray, int]:
    """Where stickers go when layers are turned [6, size // 2, N], and how many states they make."""
    solid = solids.cube(size)
    planes = [1 - 2 * i / size for i in range(size + 1)]
    planes[0] = 2  # the stickers of a face lie in its plane
    turns = np.array([[solid.turn(axis, planes[i + 1], planes[i], 4) for i in range(size // 2)] for axis in solid.normals])
    # Of each kind there are 24 wings, all different, or 24 centres in six colours; slices put them into any order.
    wings, centres = (size - 2) // 2, ((size - 2) ** 2 - size % 2) // 4
    frame = _frame(turns)
    order = Chain(np.searchsorted(frame, turns[:, 0][:, frame]), np.arange(len(frame))).order
    return turns, order * factorial(24) ** wings * (factorial(24) // factorial(4) ** 6) ** centres


def _frame(turns: np.ndarray) -> np.ndarray:
    """The stickers of corners and of edges in the middle: those that the faces move, and no slice does."""
    faces, slices = turns[:, 0], turns[:, 1:].reshape(-1, turns.shape[2])
    every = np.arange(turns.shape[2])
    orbit = orbits(turns.reshape(-1, turns.shape[2]))
    by_slices = orbit[(slices != every).any(axis=0)]
    return every[(faces != every).any(axis=0) & ~np.isin(orbit, by_slices)]


class Pieces(NamedTuple):
    """The pieces of a cube of one size: corners and middle edges, which form a frame, wings, and centres. N stickers."""

    around: np.ndarray  # [N, 3] the stickers of each sticker's piece, clockwise from it on
    known: (
        np.ndarray
    )  # [N, 6, 6, 6] the lowest place of a sticker that can get to a place and whose piece has these colours, or -1
    frame: np.ndarray  # [M] the stickers of the frame: those that faces move, and slices do not
    chain: Chain  # of the frame
    loose: np.ndarray  # [kinds, 24] one sticker of each wing, and each centre: pieces that slices put into any order


@lru_cache
def _pieces(size: int) -> Pieces:
    solid, turns = solids.cube(size), _turns(size)[0]
    around, orbit = solid.around(), orbits(turns.reshape(-1, turns.shape[2]))
    known = np.full((len(around), 6, 6, 6), -1, np.int64)
    for sticker in range(len(around))[::-1]:
        first, second, third = solid.face_of[around[sticker]]
        known[orbit == orbit[sticker], first, second, third] = sticker
    frame = _frame(turns)
    chain = Chain(np.searchsorted(frame, turns[:, 0][:, frame]), np.arange(len(frame)))
    kinds, counts = np.unique(orbit[orbit <= orbit[around[:, 1]]], return_counts=True)  # a wing has stickers of two orbits
    loose = [np.flatnonzero(orbit == kind) for kind in kinds[(counts == 24) & ~np.isin(kinds, orbit[frame])]]
    return Pieces(around, known, frame, chain, np.array(loose, np.int64).reshape(-1, 24))
