"""The one registry of puzzles: everything that takes a puzzle by name reads it, `register_puzzle` enters one of your own.

Classes stand here as strings, so that `import rubiks_gym` loads no compiler and no puzzle.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import gymnasium as gym

if TYPE_CHECKING:
    from rubiks_gym.puzzles.puzzle import Puzzle


class Entry(NamedTuple):
    """A puzzle of the registry."""

    puzzle: Any  # "module:Class", or the puzzle or callable that register_puzzle was given
    id: str  # of its environments
    max_episode_steps: int  # their time limit: a few times the longest shortest solution
    examples: tuple[str, ...]  # names with some settings, for messages and for contract tests


# A puzzle's name is a key, then its settings in the order of the class's arguments: hanoi-4-3 is Hanoi(4, 3).
PUZZLES: dict[str, Entry] = {
    "rubik2x2": Entry("rubiks_gym.puzzles:Rubik2x2", "Rubik2x2-v0", 60, ("rubik2x2-qtm", "rubik2x2-htm")),
    "rubik3x3": Entry("rubiks_gym.puzzles:Rubik3x3", "Rubik3x3-v0", 100, ("rubik3x3-qtm", "rubik3x3-htm")),
    "rubik4x4": Entry("rubiks_gym.puzzles:Rubik4x4", "Rubik4x4-v0", 200, ("rubik4x4-qtm",)),
    "rubik5x5": Entry("rubiks_gym.puzzles:Rubik5x5", "Rubik5x5-v0", 400, ("rubik5x5-qtm",)),
    "rubiknxn": Entry("rubiks_gym.puzzles:RubikNxN", "RubikNxN-v0", 800, ("rubiknxn-2-qtm", "rubiknxn-3-htm")),
    "pyraminx": Entry("rubiks_gym.puzzles:Pyraminx", "Pyraminx-v0", 50, ("pyraminx",)),
    "skewb": Entry("rubiks_gym.puzzles:Skewb", "Skewb-v0", 50, ("skewb",)),
    "megaminx": Entry("rubiks_gym.puzzles:Megaminx", "Megaminx-v0", 300, ("megaminx",)),
    "sliding-tile": Entry(
        "rubiks_gym.puzzles:SlidingTile", "SlidingTile-v0", 300, ("sliding-tile-4-4", "sliding-tile-2-2", "sliding-tile-3-3")
    ),
    "lights-out": Entry("rubiks_gym.puzzles:LightsOut", "LightsOut-v0", 100, ("lights-out-7", "lights-out-4")),
    "top-spin": Entry("rubiks_gym.puzzles:TopSpin", "TopSpin-v0", 300, ("top-spin-20-4", "top-spin-7-3")),
    "pancake": Entry("rubiks_gym.puzzles:Pancake", "Pancake-v0", 60, ("pancake-20", "pancake-6")),
    "permutation": Entry("rubiks_gym.puzzles:Permutation", "Permutation-v0", 100, ("permutation-rings.gap",)),
    "hanoi": Entry(
        "rubiks_gym.puzzles:Hanoi", "Hanoi-v0", 200, ("hanoi-3-3", "hanoi-4-3", "hanoi-5-4", "hanoi-1-3", "hanoi-64-3")
    ),
}

for _entry in PUZZLES.values():  # these have environments of their own, whose docstrings are their documentation
    _class = _entry.puzzle.partition(":")[2]
    gym.register(
        _entry.id,
        entry_point=f"rubiks_gym.envs:{_class}Env",
        vector_entry_point=f"rubiks_gym.envs:{_class}VectorEnv",
        max_episode_steps=_entry.max_episode_steps,
    )


def puzzle_from_name(name: str) -> Puzzle:
    """The registered puzzle that calls itself so: "rubik2x2-qtm", "rubik3x3-htm", "hanoi-4-3" (disks, pegs).

    Nothing is imported to find it: whoever defines a puzzle of his own registers it first.
    """
    puzzle = _find(str(name))
    if puzzle is None:
        known = ", ".join(example for entry in PUZZLES.values() for example in entry.examples[:2])
        raise ValueError(
            f"no puzzle is called {name!r}; registered are {known}. A puzzle of your own is registered by "
            "rubiks_gym.register_puzzle, in a module that a command line reads by --import MODULE"
        )
    return puzzle


def register_puzzle(id: str, puzzle: Puzzle | Callable[..., Puzzle], max_episode_steps: int, **keywords: Any) -> None:
    """Enter a puzzle of your own: it gets its environments, single and vector, and can be found by its name.

    Args:
        id: the environment's id, for example "LightsOut-v0".
        puzzle: a `rubiks_gym.puzzles.Puzzle`; or a class (any callable) that makes one, all of whose arguments have defaults.
            Its arguments are settings, which `gym.make(id, side=5)` takes, and end the puzzle's name: LightsOut(5) is
            called "lights-out-5".
        max_episode_steps: the time limit.
        **keywords: defaults for scramble, k_max, reward, observation; `gym.make` can override them.
    """
    made = puzzle() if callable(puzzle) else puzzle
    key = made.name
    if callable(puzzle):
        settings = [str(parameter.default) for parameter in inspect.signature(puzzle).parameters.values()]
        key = made.name.removesuffix("-".join(["", *settings]))
        if settings and key == made.name:
            raise ValueError(f"{made.name!r} must end with its settings, as in 'name-{'-'.join(settings)}', to be read again")
    before = _find(made.name)
    if before is not None and before.fingerprint() != made.fingerprint():
        raise ValueError(f"another puzzle is already registered as {made.name!r}; give this one a name of its own")
    owner = next((other for other, entry in PUZZLES.items() if entry.id == id), key)
    if owner != key:
        raise ValueError(f"{id} is already the environment of {owner}; register {made.name} with another id")
    if key not in PUZZLES or PUZZLES[key].id == id:
        PUZZLES[key] = Entry(puzzle, id, max_episode_steps, (made.name,))
    gym.registry.pop(id, None)  # registered again by a module that is imported again: no reason to warn
    gym.register(
        id,
        entry_point="rubiks_gym.envs:PuzzleEnv",
        vector_entry_point="rubiks_gym.envs:PuzzleVectorEnv",
        max_episode_steps=max_episode_steps,
        kwargs={"puzzle": puzzle, **keywords},
    )


def _find(name: str) -> Puzzle | None:
    """The puzzle of a name, None if there is none; settings that its class refuses are an error that says why."""
    keys = [key for key in PUZZLES if name == key or name.startswith(f"{key}-")]
    if not keys:
        return None
    key = max(keys, key=len)
    puzzle = PUZZLES[key].puzzle
    if isinstance(puzzle, str):
        module, _, attribute = puzzle.partition(":")
        puzzle = getattr(importlib.import_module(module), attribute)
    if not callable(puzzle):
        return None if name != key else puzzle
    # The last setting is all that is left: a file's name may have dashes of its own.
    words = name[len(key) + 1 :].split("-", max(len(inspect.signature(puzzle).parameters) - 1, 0)) if name != key else []
    settings = [int(word) if word.isdigit() else word for word in words]
    try:
        inspect.signature(puzzle).bind(*settings)
    except TypeError:
        return None
    try:
        return puzzle(*settings)
    except ValueError as fault:
        raise ValueError(f"no puzzle is called {name!r}: {fault}") from None
