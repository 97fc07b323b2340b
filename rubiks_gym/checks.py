"""One set of checks for everything that comes from outside: each names the setting, what it must be, and what was given."""

from collections.abc import Iterable
from math import inf, isfinite, prod
from typing import Any

import numpy as np

MANY = 10**8  # states that are in memory at once: 2 GB of the 3x3x3


def named(settings: Any, *names: str) -> dict[str, Any]:
    """Some fields of a settings object by name, for the checks below: whole(1, **named(self, "walks", "epochs"))."""
    return {name: getattr(settings, name) for name in names}


def whole(least: int, /, most: int | None = None, **values: Any) -> None:
    """Raise for the first of the named values that is not a whole number from `least` to `most`."""
    for name, value in values.items():
        is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if not is_whole or value < least or (most is not None and value > most):
            range_ = f"of at least {least}" if most is None else f"from {least} to {most}"
            raise ValueError(f"{name} must be a whole number {range_}, got {value!r}")


def number(*, least: float = -inf, most: float = inf, above: float = -inf, below: float = inf, **values: Any) -> None:
    """Raise for the first of the named values that is not a finite number within the bounds."""
    bounds = [(least, "at least"), (above, "above"), (most, "at most"), (below, "below")]
    asked = " and ".join(f"{word} {bound:g}" for bound, word in bounds if isfinite(bound))
    for name, value in values.items():
        is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
        if not is_number or not isfinite(value) or not (least <= value <= most and above < value < below):
            raise ValueError(f"{name} must be a number{' ' if asked else ''}{asked}, got {value!r}")


def flag(**values: Any) -> None:
    """Raise for the first of the named values that is neither True nor False."""
    for name, value in values.items():
        if not isinstance(value, bool | np.bool_):
            raise ValueError(f"{name} must be True or False, got {value!r}")


def choice(known: Iterable[Any], /, **values: Any) -> None:
    """Raise for the first of the named values that is not one of the known ones."""
    known = tuple(known)
    for name, value in values.items():
        if not isinstance(value, str) or value not in known:
            raise ValueError(f"{name} must be one of {', '.join(map(repr, known))}, got {value!r}")


_KINDS = {"whole numbers": "iu", "finite numbers": "biuf", "True or False": "b"}


def array(kind: str, shape: tuple[int, ...], least: float = -inf, /, **values: Any) -> list[np.ndarray]:
    """The named values as arrays; raise for the first that does not hold what its kind says, in this shape and not below least.

    Kinds are "whole numbers", "finite numbers" and "True or False".
    """
    found = []
    for name, value in values.items():
        try:
            read = np.asarray(value)
        except (TypeError, ValueError, RuntimeError):  # ragged lists, and whatever else numpy will not have
            read = np.asarray(None)
        if read.shape != shape or read.dtype.kind not in _KINDS[kind] or not np.isfinite(read).all() or (read < least).any():
            bound = f" of at least {least:g}" if isfinite(least) else ""
            text = repr(value)
            given = text if len(text) < 100 else f"{read.dtype} {read.shape}"
            raise ValueError(f"{name} must be {prod(shape)} {kind}{bound}, shape {shape}, got {given}")
        found.append(read)
    return found
