"""Small tables within large ones: fewer look-ups for the same cost-to-go.

Tables of several sizes learn at several speeds. Once they have learnt, one that looks at a part of what another looks at says
nothing the other could not say: its weights are added to those of the other, for every way to fill the remaining entries, and
nobody has to look it up any more. This is exact if through all symmetries together each look-up of the small table is made
equally often within look-ups of the large one; where it is not, a table stays.

Letters: k entries of a table, V values of an entry.
"""

from collections import Counter
from typing import NamedTuple

import numpy as np

from agents.general_ntuple.network import Look, Reader, looks
from agents.general_ntuple.view import View


class Way(NamedTuple):
    """How a small table is read off the digits of a large one: small digit j is maps[j][large digit axes[j]]."""

    axes: tuple[int, ...]
    maps: tuple[np.ndarray, ...]  # of [V] each


class Fold(NamedTuple):
    """A table that becomes part of another, by some ways with the same share each."""

    small: int
    large: int
    share: float
    ways: list[Way]


def find_folds(reader: Reader, tuples: list[tuple[int, ...]]) -> list[Fold]:
    """Which of the tables over tuples become part of which others that stay."""
    view, looked = reader.view, [looks(reader.images, each) for each in tuples]
    folds: list[Fold] = []
    stay: list[int] = []
    for small in sorted(range(len(tuples)), key=lambda i: (-len(tuples[i]), i)):
        found = next((fold for large in stay if (fold := _fold(view, looked, small, large)) is not None), None)
        if found is None:
            stay.append(small)
        else:
            folds.append(found)
    return folds


def _fold(view: View, looked: list[list[Look]], small: int, large: int) -> Fold | None:
    """The way of one table into another, if there is one."""
    first = looked[large][0]
    inside = [look for look in looked[small] if set(look.entries.tolist()) <= set(first.entries.tolist())]
    if not inside or not all(_one_to_one(view, look) for look in looked[large]):
        return None
    ways = [_way(view, look, first) for look in inside]
    made = [[_key(view, _through(view, way, look)) for look in looked[large]] for way in ways]
    known = {_key(view, look) for look in looked[small]}
    ways = [way for way, keys in zip(ways, made, strict=True) if known.issuperset(keys)]
    times = Counter(key for keys in made if known.issuperset(keys) for key in keys)
    if set(times) != known or len(set(times.values())) > 1:
        return None
    return Fold(small, large, 1 / next(iter(times.values())), ways)


def _one_to_one(view: View, look: Look) -> bool:
    """Whether the digits of a look-up tell the values of its entries."""
    pairs = zip(look.entries, look.values, strict=True)
    return all((np.sort(values[: view.radix[e]]) == np.arange(view.radix[e])).all() for e, values in pairs)


def _way(view: View, small: Look, large: Look) -> Way:
    """How the look-up of a small table is read off that of a large one which looks at its entries too."""
    axes = [large.entries.tolist().index(e) for e in small.entries.tolist()]
    of_digit = [np.argsort(large.values[axis, : view.radix[large.entries[axis]]]) for axis in axes]
    maps = [values[value] for values, value in zip(small.values, of_digit, strict=True)]
    return Way(tuple(axes), tuple(maps))


def _through(view: View, way: Way, large: Look) -> Look:
    """The look-up of a small table that a way reads off some look-up of the large one."""
    axes = list(way.axes)
    values = np.zeros((len(axes), large.values.shape[1]), np.uint8)
    for j, (axis, to) in enumerate(zip(axes, way.maps, strict=True)):
        radix = view.radix[large.entries[axis]]
        values[j, :radix] = to[large.values[axis, :radix]]
    return Look(large.entries[axes], values)


def _key(view: View, look: Look) -> bytes:
    """The same for two look-ups of a table that always read the same weight."""
    return b"".join(bytes([e]) + values[: view.radix[e]].tobytes() for e, values in zip(look.entries, look.values, strict=True))


def folded(view: View, tuples: list[tuple[int, ...]], folds: list[Fold], weights: np.ndarray) -> np.ndarray:
    """The weights of the tables that stay, one after another, from those of all tables [W] float32."""
    shapes = [tuple(view.radix[list(each)].tolist())[::-1] for each in tuples]  # the first digit counts least
    starts = np.cumsum([0, *(np.prod(shape, dtype=np.int64) for shape in shapes)])
    gone = {fold.small for fold in folds}
    stay = [i for i in range(len(tuples)) if i not in gone]
    out = np.concatenate([weights[starts[i] : starts[i + 1]] for i in stay])
    at = dict(zip(stay, np.cumsum([0, *(starts[i + 1] - starts[i] for i in stay)]), strict=False))
    for fold in folds:
        small = weights[starts[fold.small] : starts[fold.small + 1]].reshape(shapes[fold.small])
        shape = shapes[fold.large]
        large = out[at[fold.large] :][: int(np.prod(shape))].reshape(shape)
        for way in fold.ways:
            part = small[np.ix_(*way.maps[::-1])] * np.float32(fold.share)
            order = np.argsort([-axis for axis in way.axes[::-1]])
            thin = [n if len(shape) - 1 - i in way.axes else 1 for i, n in enumerate(shape)]
            large += part.transpose(order).reshape(thin)
    return out
