"""A slow cube of stickers in space, written from the definition alone: it shares no line, table or idea with the suite.

A cube is a string of colours in the order U R F D L B, each face row by row as one looks at it. A legal one can be taken
apart and put together again with the right pieces, and its twists, flips and parity are those that turns can reach.
"""

import itertools
import re

FACES = "URFDLB"
# Of each face: where it looks, and on it the directions to the right and downwards (x to R, y to U, z to F).
_LOOKS = {
    "U": ((0, 1, 0), (1, 0, 0), (0, 0, 1)),
    "R": ((1, 0, 0), (0, 0, -1), (0, -1, 0)),
    "F": ((0, 0, 1), (1, 0, 0), (0, -1, 0)),
    "D": ((0, -1, 0), (1, 0, 0), (0, 0, -1)),
    "L": ((-1, 0, 0), (0, 0, 1), (0, -1, 0)),
    "B": ((0, 0, -1), (-1, 0, 0), (0, -1, 0)),
}
TURNS = re.compile(r"\s*(?:[URFDLB]2?['\u2019\u2032]?\s*)*")  # what counts as a sequence of turns


def _add(a, b, times=1):
    return tuple(x + times * y for x, y in zip(a, b, strict=True))


def _clockwise(v, axis):
    """A vector after a quarter turn clockwise, as seen from where the axis points: along the axis it stays, else v x axis."""
    along = sum(x * y for x, y in zip(v, axis, strict=True))
    (a, b, c), (x, y, z) = v, axis
    cross = (b * z - c * y, c * x - a * z, a * y - b * x)
    return _add(cross, axis, along)


class StickerCube:
    """Stickers, turns and the rules of being put together, for size 2 or 3."""

    def __init__(self, size):
        self.size = size
        steps = (-1, 1) if size == 2 else (-1, 0, 1)
        self.stickers = []  # (place of the piece, direction the sticker looks in)
        for normal, right, down in _LOOKS.values():
            for row, column in itertools.product(steps, repeat=2):
                self.stickers.append((_add(_add(normal, right, column), down, row), normal))
        self.number = {sticker: i for i, sticker in enumerate(self.stickers)}
        self.solved = "".join(face * size**2 for face in FACES)
        self.turned = {
            face: self._turn(look[0], lambda place, axis: sum(map(int.__mul__, place, axis)) == 1)
            for face, look in _LOOKS.items()
        }
        self.pieces = {}
        for i, (place, _) in enumerate(self.stickers):
            self.pieces.setdefault(place, []).append(i)
        self.rotations = self._rotations()

    def _turn(self, axis, moves):
        """For every sticker the one that comes to its place."""
        source = list(range(len(self.stickers)))
        for i, (place, normal) in enumerate(self.stickers):
            if moves(place, axis):
                source[self.number[_clockwise(place, axis), _clockwise(normal, axis)]] = i
        return source

    def _rotations(self):
        """The 24 ways to hold a cube."""
        generators = [self._turn(_LOOKS[face][0], lambda place, axis: True) for face in "UR"]
        found = [tuple(range(len(self.stickers)))]
        for rotation in found:
            for generator in generators:
                turned = tuple(rotation[i] for i in generator)
                if turned not in found:
                    found.append(turned)
        return found

    def move(self, colours, text):
        """The colours after a sequence of turns."""
        for face, half, back in re.findall(r"([URFDLB])(2?)(['\u2019\u2032]?)", text):
            for _ in range(2 if half else 3 if back else 1):
                colours = "".join(colours[i] for i in self.turned[face])
        return colours

    def is_legal(self, text):
        """Whether a cube that is held in some way can look like this."""
        colours = "".join(text.split())
        if len(colours) != len(self.stickers) or set(colours) - set(FACES):
            return False
        held = ("".join(colours[i] for i in rotation) for rotation in self.rotations)
        if self.size == 2:
            return self._is_reachable(colours)
        centres = slice(4, None, 9)
        return any(cube[centres] == FACES and self._is_reachable(cube) for cube in held)

    def _is_reachable(self, colours):
        """Every piece there once; twists and flips add up to whole turns; one parity of corners and edges."""
        totals, parities = {2: 0, 3: 0}, {2: 0, 3: 0}
        for sides in (2, 3):
            places = [place for place in self.pieces if sum(map(abs, place)) == sides]
            home = [self._read(self.solved, place) for place in places]
            found = []
            for place in places:
                shown = self._read(colours, place)
                twists = [k for k in range(sides) if shown[k:] + shown[:k] in home]
                if not twists:
                    return False
                found.append(home.index(shown[twists[0] :] + shown[: twists[0]]))
                totals[sides] += twists[0]
            if sorted(found) != list(range(len(home))):
                return False
            parities[sides] = sum(a > b for a, b in itertools.combinations(found, 2)) % 2
        return totals[2] % 2 == 0 and totals[3] % 3 == 0 and (self.size == 2 or parities[2] == parities[3])

    def _read(self, colours, place):
        """The colours of a piece clockwise, beginning with the sticker that looks up or down; on other edges front or back."""
        stickers = [(self.stickers[i][1], colours[i]) for i in self.pieces[place]]
        first = next((s for s in stickers if s[0][1]), None) or next(s for s in stickers if s[0][2])
        rest = [s for s in stickers if s is not first]
        if len(rest) == 2:  # clockwise: the second is what the first becomes by a third of a turn about the corner's diagonal
            (a, b, c), (x, y, z) = first[0], place
            rotated = {True: (c * x * z, a * x * y, b * y * z), False: (b * x * y, c * y * z, a * x * z)}[x * y * z > 0]
            rest.sort(key=lambda s: s[0] != rotated)
        return first[1] + "".join(colour for _, colour in rest)
