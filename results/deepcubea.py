"""DeepCubeA's test set as JSON, from one's own copy of its file data/cube3/test/data_0.pkl:

    python -m results.deepcubea data_0.pkl --output testset.json --first 200

A pickle is a program. This reader runs none of it: it makes numpy arrays, and in place of DeepCubeA's states objects that do
nothing; anything else that the file names is refused. A stored solution is optimal, so its length is the cube's distance in
quarter turns, and the cube is what its moves, undone from the last to the first, make of the solved one.
"""

import json
import pickle
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import tyro

from rubiks_gym import files
from rubiks_gym.command_line import run

# numpy's own functions that make arrays and numbers, from how these take themselves apart
_RECONSTRUCTORS = {"_reconstruct": np.zeros(0).__reduce__()[0], "scalar": np.float64(0).__reduce__()[0]}


class Inert:
    """Stands in for a state of DeepCubeA's, whose stickers are not needed: takes anything, does nothing."""

    def __setstate__(self, state: Any) -> None:
        pass


class Reader(pickle.Unpickler):
    """An unpickler that knows arrays and the states of the 3x3x3, and nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        if module.split(".")[-1] == "cube3" and name == "Cube3State":
            return Inert
        if module in ("numpy.core.multiarray", "numpy._core.multiarray") and name in _RECONSTRUCTORS:
            return _RECONSTRUCTORS[name]
        if module == "numpy" and name in ("ndarray", "dtype"):
            return getattr(np, name)
        raise ValueError(f"the file asks for {module}.{name}, which a test set has no use for: refused")


def cubes(file: Path, first: int | None = None) -> list[dict[str, Any]]:
    """The cubes of a file of DeepCubeA's, as `train.evaluate --cubes-file` reads them."""
    try:
        with open(file, "rb") as opened:
            solutions = Reader(opened).load()["solutions"][:first]
        undone = [[(str(face), -int(turn)) for face, turn in reversed(moves)] for moves in solutions]
    except (pickle.UnpicklingError, EOFError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise ValueError(f"{file} is not a test set of DeepCubeA's: {error!r}") from None
    for move in (move for moves in undone for move in moves):
        if move[0] not in tuple("UDLRBF") or move[1] not in (1, -1):
            raise ValueError(f"{file} holds the move {move}, which is no quarter turn of a 3x3x3")
    texts = [" ".join(face + ("" if turn == 1 else "'") for face, turn in moves) for moves in undone]
    return [{"scramble": text, "optimal_qtm": len(moves)} for text, moves in zip(texts, undone, strict=True)]


def convert(file: Annotated[Path, tyro.conf.Positional], output: Path, first: int | None = None) -> None:
    """Write the cubes of a test set as JSON.

    Args:
        file: data_0.pkl of DeepCubeA's repository.
        output: where to write, a .json.
        first: only so many cubes.
    """
    found = cubes(file, first)
    files.write_text(output, json.dumps(found))
    print(f"written: {output}, {len(found)} cubes")


if __name__ == "__main__":
    run(lambda: tyro.cli(convert, prog="python -m results.deepcubea", description=__doc__))
