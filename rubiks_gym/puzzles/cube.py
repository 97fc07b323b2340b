"""The 2x2x2 and the 3x3x3: a state lists where each movable piece's reference sticker is; a move is one table.

3x3x3: 20 values, 8 corners (locations 0..23) then 12 edges (24..47); the centres do not move, so "solved" means every
sticker back home. 2x2x2: 7 corners (0..20); the eighth, DLB, is held, so only U, R and F turn and no rotation of the
whole cube is ever a move: a cube that is solved but held differently is the same state.
"""

from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rubiks_gym.puzzles import facelets, kernels, notation
from rubiks_gym.puzzles.geometry import FACES, Geometry, cube_geometry
from rubiks_gym.puzzles.permutation import PermutationPuzzle
from rubiks_gym.puzzles.puzzle import INT64, UINT8
from rubiks_gym.puzzles.threads import over_rows

_GODS_NUMBER = {(2, "qtm"): 14, (2, "htm"): 11, (3, "qtm"): 26, (3, "htm"): 20}
_TOGETHER = 1 << 12  # states whose images are looked at together: 96 images of each stay in the processor's cache


class SymmetryTables(NamedTuple):
    """The 48 images of a state s as tables for compiled code: piece c of image m is at image[m, c, s[source[m, c]]].

    Pieces are those of the state, on the 2x2x2 followed by the held corner: an image whose held corner is at location v is
    turned home by rotations[frame_of[v]].
    """

    source: np.ndarray  # [48, pieces] int64
    image: np.ndarray  # [48, pieces, 256] uint8
    frame_of: np.ndarray  # [256] int64
    rotations: np.ndarray  # [24, 256] uint8


class Cube(PermutationPuzzle):
    """A cube of size 2 or 3, in the quarter-turn ("qtm") or half-turn metric ("htm").

    Actions are the quarter turns (U U' R R' ...), then, in the half-turn metric, the half turns (U2 R2 ...).
    """

    observations = ("one-hot", "one-hot-uint8", "stickers", "cubies", "state")

    def __init__(self, size: int, metric: str = "qtm") -> None:
        if size not in (2, 3):
            raise ValueError(f"cubes of size 2 and 3 exist here, got {size!r}")
        if metric not in ("qtm", "htm"):
            raise ValueError(f"metric must be 'qtm' (quarter turns) or 'htm' (half turns too), got {metric!r}")
        tables = _tables(size, metric)
        geometry = tables["geometry"]
        self.size, self.metric, self.geometry = size, metric, geometry
        self.corners = 7 if size == 2 else 8
        self.edges = geometry.edges
        super().__init__(
            name=f"rubik{size}x{size}-{metric}",
            generators=tables["generators"],
            names=tables["action_names"],
            pieces=[*range(0, 3 * self.corners, 3), *range(24, 24 + 2 * self.edges, 2)],
            k_max=_GODS_NUMBER[size, metric],
            n_states=3_674_160 if size == 2 else 43_252_003_274_489_856_000,
        )
        self._tables = tables
        self.faces: tuple[str, ...] = tuple(name[0] for name in self.action_names)
        self.symmetry_tables = SymmetryTables(*(tables[name] for name in SymmetryTables._fields))
        self._sticker_tables = tuple(tables[name] for name in ("facelets_of", "colours", "template"))

    def __reduce__(self) -> tuple:
        return type(self), (self.size, self.metric) if type(self) is Cube else (self.metric,)

    @cached_property
    def canonical_form(self) -> np.ndarray:
        """Sequences that make a face's turns at once, in the shortest way, and before those of the face opposite.

        As a machine [N, A] int16: from node 0 on, entry [node, action] is the next node, or -1 where the action is ruled out.
        Node 1 + a is "a was the last move", 1 + A + a (quarter turns) "a was made twice": U U is canonical, U' U' and U U U
        are not. Every state has a shortest sequence of this form.
        """
        face = np.array([FACES.index(name) for name in self.faces])
        n, twice = self.n_actions, 1 + self.n_actions
        after = np.tile(np.arange(1, n + 1, dtype=np.int16), (2 * n + 1 if self.metric == "qtm" else n + 1, 1))
        for node in range(1, len(after)):
            last = (node - 1) % n
            after[node, face == face[last]] = -1
            after[node, face == face[last] - 3] = -1
            if self.metric == "qtm" and node <= n and self.action_names[last] == FACES[face[last]]:
                after[node, last] = twice + last
        return after

    def random_states(self, seeds: np.ndarray) -> np.ndarray:
        """States [B, S] uniform over all that can be reached, one per seed."""
        seeds = self.as_seeds(seeds)
        out = np.empty((len(seeds), self.state_size), np.uint8)
        over_rows(kernels.random_states, (self.corners, self.edges), (seeds, out))
        return out

    # Encodings ------------------------------------------------------------------------------------------------------

    def stickers(self, states: np.ndarray) -> np.ndarray:
        """Colours [B, 54 or 24] uint8 of the facelets in URFDLB order, 0..5 for U R F D L B."""
        return self._each(states, kernels.stickers, self._sticker_tables, (6 * self.size**2,), UINT8)

    def cubies(self, states: np.ndarray) -> np.ndarray:
        """Position of every piece, then orientation of every piece, [B, 2 S] uint8."""
        return self._each(states, kernels.cubies, (), (2 * self.state_size,), UINT8)

    def categories(self, observation: str) -> np.ndarray:
        """How many values each entry of an observation other than one-hot can take."""
        if observation == "stickers":
            return np.full(6 * self.size**2, 6)
        if observation == "cubies":
            corner = np.arange(self.state_size) < self.corners
            return np.concatenate([np.where(corner, self.corners, self.edges), np.where(corner, 3, 2)])
        return super().categories(observation)

    def index(self, states: np.ndarray) -> np.ndarray:
        """Perfect index [B] int64 of 2x2x2 states, 0..3,674,159; the goal is 0."""
        self._needs_index()
        return self._each(states, kernels.corner_rank, (), (), INT64)

    def from_index(self, index: ArrayLike) -> np.ndarray:
        """The 2x2x2 states [B, 7] of perfect indices [B]."""
        index = self.as_index(index)
        out = np.empty((len(index), self.state_size), np.uint8)
        over_rows(kernels.corner_unrank, (), (index, out))
        return out

    # Symmetries -----------------------------------------------------------------------------------------------------

    def inverse(self, states: np.ndarray) -> np.ndarray:
        """The inverse [B, S] of each state: as far from the goal, solved by the inverse moves in reverse order."""
        return self._each(states, kernels.inverse_states, (), (self.state_size,), UINT8)

    def compose(self, states: np.ndarray, then: np.ndarray) -> np.ndarray:
        """The states [B, S] after the moves that lead from the goal to `then` [B, S]."""
        states, then = self.as_states(states), self.as_states(then)
        if len(states) != len(then):
            raise ValueError(f"compose takes as many states as `then`, got {len(states)} and {len(then)}")
        out = np.empty_like(states)
        if not over_rows(kernels.compose, (), (states, then, out)):
            self.check(states)
        return out

    def symmetries(self, states: np.ndarray) -> np.ndarray:
        """Images [B, 48, S] under the cube's 24 rotations (first, the identity leading) and 24 reflections.

        All are as far from the goal as the state. If a leads from s to t, then symmetric_actions(s)[:, m, a] leads from
        image m of s to image m of t.
        """
        return self._images(states)[0]

    def symmetric_actions(self, states: np.ndarray) -> np.ndarray:
        """For each of the 48 images of a state what becomes of each action, [B, 48, A] int64.

        On the 3x3x3 that is the same table for every state. On the 2x2x2 an image is turned until the held corner is home
        again, so the face that turns depends on where that corner was.
        """
        frames = self._images(states)[1]
        return self._tables["symmetric_actions"][np.arange(48), frames]

    def _images(self, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The images [B, 48, S] and the rotation (index [B, 48]) that brought each one's held corner home."""
        states = self.as_states(states)
        if self.size == 2:  # the held corner moves in the mirror like the others
            states = np.concatenate([states, np.full((len(states), 1), 21, np.uint8)], axis=1)
        out = np.empty((len(states), 48, states.shape[1]), np.uint8)
        over_rows(kernels.symmetries, self.symmetry_tables[:2], (states, out))
        if self.size == 3:
            return out, np.zeros(out.shape[:2], np.int64)
        home = np.empty((len(states) * 48, self.state_size), np.uint8)
        over_rows(kernels.turn_home, self.symmetry_tables[2:], (out.reshape(-1, 8), home))
        return home.reshape(len(states), 48, 7), self.symmetry_tables.frame_of[out[:, :, 7]]

    def representatives(self, states: np.ndarray) -> np.ndarray:
        """The canonical representative [B, S] of a symmetry class: the lowest of the 48 images of a state and its inverse.

        There are 40,296 such classes of the 2x2x2's 3,674,160 states.
        """
        states = self.as_states(states)
        out, which = np.empty_like(states), np.empty(len(states), np.int64)
        for start in range(0, len(states), _TOGETHER):
            some = slice(start, start + _TOGETHER)
            images = np.concatenate([self.symmetries(states[some]), self.symmetries(self.inverse(states[some]))], axis=1)
            over_rows(kernels.lowest, (), (images, out[some], which[some]))
        return out

    # Notation -------------------------------------------------------------------------------------------------------

    def parse(self, text: str) -> list[int]:
        """Actions from Singmaster notation, for example "R U' F2"; see `notation.parse`."""
        return notation.parse(self, text)

    def facelets(self, state: np.ndarray) -> str:
        """A state [S] as a facelet string in URFDLB order, as other programs read it."""
        return "".join(FACES[colour] for colour in self.stickers(self.check(state))[0])

    def from_facelets(self, text: str) -> np.ndarray:
        """The state [S] of a facelet string, however the cube is held; see `facelets.parse`."""
        return facelets.parse(self, text)

    def refuse_unreachable(self, states: np.ndarray) -> None:
        """Raise for the first impossible state, naming why (repeated piece, twist, flip, swap)."""
        facelets.check_pieces(self, states)

    # Pictures -------------------------------------------------------------------------------------------------------

    def ansi(self, state: np.ndarray) -> str:
        """The unfolded net in colour."""
        from rubiks_gym.rendering.ansi import cube_ansi

        return cube_ansi(self.stickers(self.check(state))[0])

    def image(self, state: np.ndarray) -> np.ndarray:
        """The cube in three dimensions beside its net, [H, W, 3] uint8."""
        from rubiks_gym.rendering.image import cube_image

        return cube_image(self.stickers(self.check(state))[0])


class Rubik2x2(Cube):
    """The 2x2x2 with its corner DLB held: 6 actions (qtm) or 9 (htm), 3,674,160 states."""

    def __init__(self, metric: str = "qtm") -> None:
        super().__init__(2, metric)


class Rubik3x3(Cube):
    """The 3x3x3: 12 actions (qtm) or 18 (htm)."""

    def __init__(self, metric: str = "qtm") -> None:
        super().__init__(3, metric)


@lru_cache
def _tables(size: int, metric: str) -> dict:
    """All tables of one cube, padded to 256 entries so that any byte is a safe index."""
    geometry = cube_geometry(size)
    turning = range(3) if size == 2 else range(6)  # the held corner DLB leaves U, R, F
    names = {"'": 1, "": 0, "2": 2}
    turns = [(face, suffix) for face in turning for suffix in ("", "'")]
    turns += [(face, "2") for face in turning] if metric == "htm" else []
    undo = {"": "'", "'": "", "2": "2"}
    pieces = geometry.corners + geometry.edges
    reference = [*range(0, 24, 3), *range(24, 24 + 2 * geometry.edges, 2)]
    inverses = np.argsort(geometry.symmetries, axis=1)
    source, image = np.zeros((48, pieces), np.int64), np.zeros((48, pieces, 256), np.uint8)
    for m in range(48):
        for c in range(pieces):
            seen = inverses[m, reference[c]]  # the sticker that the mirror shows at the home of c's reference sticker
            source[m, c] = seen // 3 if seen < 24 else 8 + (seen - 24) // 2
            k = seen % 3 if seen < 24 else seen % 2  # which sticker of that piece it is
            image[m, c] = _padded(geometry.symmetries[m][geometry.shifts[k]])
    frame_of = np.zeros(256, np.int64)
    if size == 2:
        for r in range(24):
            frame_of[np.flatnonzero(geometry.symmetries[r] == 21)] = r
    template = np.zeros(6 * size * size, np.uint8)
    template[geometry.centres] = np.arange(len(geometry.centres))
    shifts = geometry.shifts.copy()
    shifts[2, 24:] = shifts[1, 24:]  # an edge has no third sticker: repeat its second
    colours = geometry.face_of[shifts[:, reference]].T.astype(np.uint8)  # [pieces, 3]
    if size == 2:
        template[geometry.facelet_of[[21, 22, 23]]] = colours[7]
    return {
        "geometry": geometry,
        "generators": [geometry.turns[face, names[suffix]] for face, suffix in turns],
        "action_names": tuple(FACES[face] + suffix for face, suffix in turns),
        "source": source,
        "image": image,
        "frame_of": frame_of,
        "rotations": np.array([_padded(rotation) for rotation in geometry.symmetries[:24]], np.uint8),
        "symmetric_actions": _symmetric_actions(geometry, turns, undo),
        "facelets_of": np.array([_padded(geometry.facelet_of[shift], fill=0) for shift in shifts]).T.copy(),
        "colours": colours,
        "template": template,
    }


def _symmetric_actions(geometry: Geometry, turns: list[tuple[int, str]], undo: dict[str, str]) -> np.ndarray:
    """[48, 24, A]: an action seen in mirror m and then turned by rotation r."""
    table = np.zeros((48, 24, len(turns)), np.int64)
    available = {face for face, _ in turns}
    for m in range(48):
        for r in range(24):
            for a, (face, suffix) in enumerate(turns):
                seen = int(geometry.face_symmetries[r][geometry.face_symmetries[m][face]])
                if seen not in available:  # turning D is turning U and then holding the cube differently
                    seen = (seen + 3) % 6
                table[m, r, a] = turns.index((seen, suffix if m < 24 else undo[suffix]))
    return table


def _padded(table: np.ndarray, fill: int | None = None) -> np.ndarray:
    """A table over locations with 256 entries; the surplus maps to itself, or to fill."""
    padded = np.arange(256) if fill is None else np.full(256, fill)
    padded[: len(table)] = table
    return padded
