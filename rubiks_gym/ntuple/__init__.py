"""Symmetric n-tuple networks: look-ups (`network`), the agent (`agent`), and tables trained on the 3x3x3 (`trained`)."""

from pathlib import Path

from rubiks_gym import files
from rubiks_gym.ntuple.agent import SymmetricNTuple
from rubiks_gym.puzzles import puzzle_from_name

TRAINED = Path(__file__).parent / "trained" / "rubik3x3-qtm.npz"


def trained() -> SymmetricNTuple:
    """The agent that solves any 3x3x3; agents/symmetric_ntuple/README.md says how it was trained."""
    state, arrays = files.load(TRAINED)
    return SymmetricNTuple.from_stored(puzzle_from_name(state["puzzle"]), state["settings"], arrays)


__all__ = ["TRAINED", "SymmetricNTuple", "trained"]
