"""Write the tables of a run, and nothing else, to a file that comes with the project.

    python -m results.symmetric_ntuple.export runs/symmetric_ntuple/qtm-s0 agents/symmetric_ntuple/pretrained/rubik3x3-qtm.npz

`agents.PRETRAINED` names such files. With the tables goes where they come from: settings, seed, commit, machine.
"""

import json
from pathlib import Path
from typing import Annotated

import tyro

import agents
from rubiks_gym import files
from rubiks_gym.ntuple.agent import SymmetricNTuple


def export(run: Annotated[Path, tyro.conf.Positional], file: Annotated[Path, tyro.conf.Positional]) -> None:
    """Write the tables of a run to a file.

    Args:
        run: a run folder of train.symmetric_ntuple.
        file: where to write, an .npz.
    """
    agent = agents.load(run)
    if not isinstance(agent, SymmetricNTuple):
        raise ValueError(f"{run} holds {type(agent).__name__}, not a solver of any cube")
    origin = json.loads((run / "config.json").read_text())
    files.save(file, {**agents.describe(agent), "origin": origin}, agent.arrays())
    print(f"written: {file}, {file.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    try:
        tyro.cli(export, prog="python -m results.symmetric_ntuple.export", description=__doc__)
    except (ValueError, OSError) as error:
        raise SystemExit(f"error: {error}") from None
