"""Agents: what learns. `AGENTS` lists the kinds, `load` reads a trained one from a run folder."""

import importlib
from pathlib import Path
from typing import Any

import numpy as np

from agents.checkpoint import checkpoints, last_checkpoint, load_checkpoint, run_folder
from agents.protocol import Agent
from rubiks_gym import files, zoo
from rubiks_gym.ntuple import TRAINED
from rubiks_gym.puzzles import Puzzle, puzzle_from_name

# kind -> where its class is; strings, so that loading a table needs no torch
AGENTS: dict[str, str] = {
    "exact": "rubiks_gym.exact.agent:Exact",
    "random": "agents.baselines.agent:Random",
    "tabular": "agents.tabular.agent:Tabular",
    "td_ntuple": "agents.td_ntuple.agent:TdNTuple",
    "symmetric_ntuple": "rubiks_gym.ntuple.agent:SymmetricNTuple",
    "general_ntuple": "agents.general_ntuple.agent:GeneralNTuple",
    "davi": "agents.davi.agent:Davi",
    "adi": "agents.adi.agent:Adi",
    "ppo_chasenet": "agents.ppo_chasenet.agent:PpoChaseNet",
}

# name -> file of an agent that comes with the suite; agents/symmetric_ntuple/README.md says how it was trained
PRETRAINED: dict[str, Path] = {f"symmetric_ntuple:{name}": file for name, file in TRAINED.items()}


def agent_class(kind: str) -> Any:
    """The class of a kind of agent."""
    if kind not in AGENTS:
        raise ValueError(f"unknown kind of agent {kind!r}: there are {', '.join(AGENTS)}")
    module, name = AGENTS[kind].split(":")
    return getattr(importlib.import_module(module), name)


def describe(agent: Agent) -> dict[str, Any]:
    """What `load` needs to know of an agent besides its arrays."""
    kind = next(kind for kind in AGENTS if agent_class(kind) is type(agent))
    return {"agent": kind, "puzzle": agent.puzzle.name, "settings": agent.settings()}


def load(run: str | Path, puzzle: Puzzle | None = None, device: str = "cpu", **how: bool) -> Agent:
    """The agent of a run folder (its last whole checkpoint), one of PRETRAINED, or a baseline such as "exact:rubik2x2-qtm".

    "zoo:davi/hanoi-4-3" is one of the zoo, a path that ends with .npz the file of one. With a puzzle given, an agent of another
    puzzle or metric is refused. A network computes on the device; `how` has the other settings of
    `agents.networks.hardware.choose_hardware`.
    """
    kind, _, name = str(run).partition(":")
    state: dict[str, Any]
    arrays: dict[str, np.ndarray]
    if kind in ("exact", "random") and name:
        state, arrays = {"agent": kind, "puzzle": name, "settings": {}}, {}
    elif str(run) in PRETRAINED:
        state, arrays = files.load(PRETRAINED[str(run)])
        state["agent"] = kind  # the file was written under an earlier name
    elif kind == "zoo" and name:
        state, arrays = files.load(zoo.fetch(name))
    elif Path(run).suffix == ".npz":
        state, arrays = files.load(Path(run))
    else:
        state, arrays = load_checkpoint(run_folder(run))
    missing = {"agent", "puzzle", "settings"} - set(state)
    if missing:
        raise ValueError(f"{run} does not say what agent it holds: {sorted(missing)[0]!r} is missing")
    own = puzzle_from_name(state["puzzle"])
    if puzzle is not None and puzzle.name != own.name:
        raise ValueError(f"{run} was trained on {own.name}, not on {puzzle.name}")
    try:
        settings = {key: tuple(value) if isinstance(value, list) else value for key, value in state["settings"].items()}
        agent = agent_class(state["agent"]).from_stored(own, settings, arrays)  # JSON has lists where settings are tuples
    except (KeyError, TypeError, AttributeError, RuntimeError, MemoryError, OverflowError) as error:
        raise ValueError(f"{run} does not hold what an agent of kind {state['agent']!r} needs: {error}") from None
    return place(agent, device, **how)


def place(agent: Agent, device: str = "auto", **how: bool) -> Agent:
    """The agent, its network moved to a device; one without a network stays on the processor."""
    if hasattr(agent, "place") and (device != "cpu" or any(how.values())):
        from agents.networks.hardware import choose_hardware  # imports torch, which a table needs not

        agent.place(choose_hardware(device, **how))
    elif not hasattr(agent, "place") and (device not in ("auto", "cpu") or any(how.values())):
        raise ValueError(f"{type(agent).__name__} has no network to compute on {device}: it takes --device cpu or auto alone")
    return agent


__all__ = [
    "AGENTS",
    "PRETRAINED",
    "Agent",
    "agent_class",
    "checkpoints",
    "describe",
    "last_checkpoint",
    "load",
    "load_checkpoint",
    "place",
    "run_folder",
]
