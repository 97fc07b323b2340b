"""The symmetries of a puzzle as a table sees them: what becomes of each entry of a view.

Under a symmetry, entry i of the image of x is image[i, x[source[i]]], and the image is as far from the goal as x. Those of a
permutation puzzle come from its generators, with inversion where that is one. For others every exchange of actions that leaves
alone how the actions overlap is tried: the same walks with the actions exchanged must lead to states that are tied to them so.

Letters: B batch, A actions, E entries, V values, M symmetries.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from agents.general_ntuple.view import View, tied
from rubiks_gym.puzzles import Puzzle, find_symmetries
from rubiks_gym.puzzles.compiled import jit
from rubiks_gym.puzzles.permutation import PermutationPuzzle

_WALKS, _MOVES = 512, 64  # that exchanges of actions are tried on, looked at every so many moves
_MOST_MOVES = 1 << 15  # of a walk, until it has led every piece everywhere
_TRIED = 5000  # exchanges at most
_SAMPLES = 2048  # states that entries are tied by


class Images(NamedTuple):
    """The symmetries of a view, the identity first."""

    source: np.ndarray  # [M, E] int64
    image: np.ndarray  # [M, E, V] uint8
    inversion: bool  # whether the inverse view is the image of the other one


def find_images(puzzle: Puzzle, view: View, states: np.ndarray) -> Images:
    """The symmetries of a view, found with some states [B, S]."""
    if isinstance(puzzle, PermutationPuzzle):
        states = states[:_SAMPLES]
        try:
            symmetries = find_symmetries(puzzle)
        except ValueError:  # moves so alike that there are too many
            return _tied_to(view.read(states), [view.read(states)], view, False)
        inverses = [states] + ([puzzle.inverse(states)] if symmetries.inversion else [])
        images = [view.read(np.ascontiguousarray(each)) for of in inverses for each in symmetries.images(of).swapaxes(0, 1)]
        return _tied_to(view.read(states), images, view, len(inverses) == 2)
    same = np.arange(puzzle.n_actions)
    short, moves = view.read(_walked(puzzle, same, _MOVES)[0]), _MOVES
    before = short
    while not _all_seen(view, before) and moves < _MOST_MOVES:
        moves *= 2
        before = view.read(np.concatenate(_walked(puzzle, same, moves)))
    images = []
    for exchange in _exchanges(puzzle, states[:256]):
        if len(_tied_to(short, [view.read(_walked(puzzle, exchange, _MOVES)[0])], view, False).source):
            images.append(view.read(np.concatenate(_walked(puzzle, exchange, moves))))
    return _tied_to(before, images, view, False)


def _all_seen(view: View, x: np.ndarray) -> bool:
    """Whether every entry of x [B, E] has taken each of its values: an image has to say what becomes of it."""
    return all(len(np.unique(column)) == radix for column, radix in zip(x.T, view.radix, strict=True))


def _tied_to(x: np.ndarray, images: list[np.ndarray], view: View, inversion: bool) -> Images:
    """Those of images [B, E] each that are tied to x [B, E]."""
    values = int(view.radix.max())
    sources, tables = [], []
    for image in images:
        source, table = np.zeros(x.shape[1], np.int64), np.zeros((x.shape[1], values), np.uint8)
        if tie(x, image, view.radix, source, table):
            sources.append(source)
            tables.append(table)
    return Images(np.array(sources), np.array(tables), inversion and len(sources) == len(images))


def _exchanges(puzzle: Puzzle, states: np.ndarray) -> Iterator[np.ndarray]:
    """Permutations [A] of the actions that exchange no two pairs which overlap differently, the identity first."""
    changed = (puzzle.expand(states) != states[:, None]).any(axis=0)  # [A, S]
    overlap = changed.astype(np.int64) @ changed.T + 1000 * (puzzle.inverse_action[:, None] == np.arange(puzzle.n_actions))
    tried = 0
    stack: list[list[int]] = [[]]
    while stack and tried < _TRIED:
        partial = stack.pop()
        tried += 1
        if len(partial) == puzzle.n_actions:
            yield np.array(partial)
            continue
        a = len(partial)
        for other in range(puzzle.n_actions - 1, -1, -1):
            fits = other not in partial and overlap[a, a] == overlap[other, other]
            if fits and (overlap[a, :a] == overlap[other, partial]).all():
                stack.append([*partial, other])


def _walked(puzzle: Puzzle, exchange: np.ndarray, moves: int) -> list[np.ndarray]:
    """States [B, S] on walks of so many moves from the goal with actions exchanged [A]; an illegal one changes nothing."""
    rng, found = np.random.default_rng(0), []
    states = np.tile(puzzle.goal, (_WALKS, 1))
    for move in range(moves):
        states = puzzle.apply(states, exchange[rng.integers(puzzle.n_actions, size=_WALKS)])
        if (move + 1) % _MOVES == 0:
            found.append(states)
    return found


# Compiled ---------------------------------------------------------------------------------------------------------------


@jit
def tie(x, other, radix, source, table):
    """Whether each entry of other [B, E] is a function of an entry of x [B, E]; source [E] and table [E, V] say of which."""
    image = np.empty(256, np.int64)
    for i in range(x.shape[1]):
        found = False
        for j in range(x.shape[1]):
            if radix[i] != radix[j]:
                continue
            image[:] = -1
            if tied(x[:, j], other[:, i], image):
                source[i] = j
                for v in range(table.shape[1]):
                    table[i, v] = max(image[v], 0)
                found = True
                break
        if not found:
            return False
    return True
