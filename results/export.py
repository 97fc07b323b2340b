"""Write the tables of a run, and nothing else, to a file that comes with the project.

    python -m results.export runs/symmetric_ntuple/qtm-s0 rubiks_gym/ntuple/trained/rubik3x3-qtm.npz

`agents.PRETRAINED` names such files. With the tables goes where they come from: settings, seed, commit, machine.
"""

import json
from pathlib import Path
from typing import Annotated

import tyro

import agents
from rubiks_gym import files
from rubiks_gym.command_line import run
from rubiks_gym.ntuple.agent import SymmetricNTuple


def export(folder: Annotated[Path, tyro.conf.Positional], file: Annotated[Path, tyro.conf.Positional]) -> None:
    """Write the tables of a run to a file.

    Args:
        folder: a run folder of train.symmetric_ntuple.
        file: where to write, an .npz.
    """
    agent = agents.load(folder)
    if not isinstance(agent, SymmetricNTuple):
        raise ValueError(f"{folder} holds {type(agent).__name__}, not a symmetric n-tuple network")
    origin = {key: json.loads((folder / "config.json").read_text())[key] for key in ("config", "provenance")}
    files.save(file, {**agents.describe(agent), "origin": origin}, agent.arrays())
    print(f"written: {file}, {file.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    run(lambda: tyro.cli(export, prog="python -m results.export", description=__doc__))
