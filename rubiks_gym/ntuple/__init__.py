"""The symmetric n-tuple network: look-ups (`network`), the agent (`agent`), and tables that are trained already (`trained`)."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rubiks_gym.ntuple.agent import SymmetricNTuple
    from rubiks_gym.puzzles import Puzzle

TRAINED = {file.stem: file for file in sorted((Path(__file__).parent / "trained").glob("*.npz"))}  # by name


def trained(name: str = "rubik3x3-qtm", puzzle: "Puzzle | None" = None) -> "SymmetricNTuple":
    """The agent that solves any 3x3x3; agents/symmetric_ntuple/README.md says how it was trained.

    Given another 3x3x3 than the tables were trained for, it orders states as these do, which a beam can live with.
    """
    from rubiks_gym import files
    from rubiks_gym.ntuple.agent import SymmetricNTuple
    from rubiks_gym.puzzles import puzzle_from_name

    if name not in TRAINED:
        raise ValueError(f"no trained tables are called {name!r}: there are {', '.join(TRAINED)}")
    state, arrays = files.load(TRAINED[name])
    return SymmetricNTuple.from_stored(puzzle or puzzle_from_name(state["puzzle"]), state["settings"], arrays)


__all__ = ["TRAINED", "trained"]
