"""Measure agents x searches x cubes x seeds, in parts, on one core, one machine or a Ray cluster.

    python -m results.campaign --agents zoo:davi/rubik2x2-qtm exact:rubik2x2-qtm --searches greedy bwas:weight=0.8 \\
        --cubes 1000 --seeds 0 1 2 --folder campaigns/small
    python -m results.campaign --agents runs/davi/3x3-s0 --bench 100 --folder campaigns/bench --ray auto

Every part (--per-unit cubes) is a unit, and every unit a record; a part whose record is there is not measured again, so a
killed campaign goes on by the same command, and a larger one begins with what a smaller has found. Agents and records travel
between the driver and its workers: these need the code, not the disk. Prints a table with intervals, which is the same wherever
the units were done, and then what the searches took. Writes table.md and records.jsonl into the folder.

An agent is a run folder, a file, zoo:NAME or a baseline such as exact:rubik2x2-qtm. A search is its name and options: beam,
beam:width=256,radius=5, bwas:weight=0.8,batch=100; "own" is the one that suits the agent.
"""

import argparse
import json
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from functools import lru_cache, partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.markdown import Markdown

import agents
from agents.protocol import Agent
from results import records
from results.measure import solve
from results.questions import Search
from results.states import Asked, bench_part, describe, part
from results.statistics import mean_text, share_text
from results.tables import table
from rubiks_gym import files, zoo
from rubiks_gym.checks import MANY, whole
from rubiks_gym.command_line import run
from rubiks_gym.search import Solutions, choose
from train import campaign
from train.campaign import Unit
from train.evaluation import bench_cubes
from train.workers import Outcome, Place, add_arguments, surroundings, workers

WORK = "results.campaign:measure"


# What a worker does ----------------------------------------------------------------------------------------------------


def measure(settings: dict[str, Any], place: Place) -> Outcome:
    """The record of a part of the cubes put to an agent with a search."""
    of, search, asked = settings["agent"], Search(**settings["search"]), settings["states"]
    from_file = of["sha256"] and of["name"] not in agents.PRETRAINED
    source = str(place.file(of["sha256"])) if from_file else of["name"]
    agent, solver = _ready(source, of["device"], json.dumps(asdict(search)))
    kind: Callable[..., Asked] = bench_part if asked["kind"] == "BenchPart" else part
    states = partial(kind, **{key: value for key, value in asked.items() if key != "kind"})
    wall, cpu = time.perf_counter(), time.process_time()
    found = solve(agent, solver, *states(agent.puzzle))
    record = {
        "algorithm": agents.describe(agent)["agent"],
        "run": {"name": of["name"], "preset": of["sha256"], "changed": {}},
        "seed": asked.get("seed", 0),
        "question": {"name": "campaign", "states": describe(states)},
        "search": {"label": label(search), **asdict(search)},
        "puzzle": agent.puzzle.name,
        "command": place.given["command"],
        **found,
        "seconds": time.perf_counter() - wall,
        "cpu_seconds": time.process_time() - cpu,
    }
    return Outcome(records.rounded(record | _made() | {"load": records.load()}))


@lru_cache(maxsize=2)
def _loaded(name: str, device: str) -> Agent:
    """An agent; units come in such an order that a worker seldom needs another."""
    return agents.load(name, device=device)


@lru_cache(maxsize=2)
def _ready(name: str, device: str, search: str) -> tuple[Agent, Callable[[np.ndarray], Solutions]]:
    """An agent and the search, as JSON, with it, compiled by solving something easy."""
    agent = _loaded(name, device)
    solver = Search(**json.loads(search)).make(agent)
    solver(agent.puzzle.after([0])[None])
    return agent, solver


@lru_cache(maxsize=1)
def _made() -> dict[str, Any]:
    return records.made()


# What the driver does ----------------------------------------------------------------------------------------------------


def agent_file(name: str) -> Path | None:
    """The file that holds an agent; None for a baseline, which needs none."""
    if name.partition(":")[0] in ("exact", "random") and ":" in name:
        return None
    if name in agents.PRETRAINED:
        return agents.PRETRAINED[name]
    if name.startswith("zoo:"):
        return zoo.fetch(name.removeprefix("zoo:"))
    return Path(name) if name.endswith(".npz") else agents.last_checkpoint(agents.run_folder(name))


def asked_of(agent: Agent, text: str, nodes: int) -> Search:
    """A search from "beam:width=256,radius=5", or the agent's own."""
    name, _, rest = text.partition(":")
    options = dict(each.partition("=")[::2] for each in rest.split(",") if each)
    radius, inverse = options.pop("radius", None), options.pop("inverse", None)
    try:
        choice = choose(
            agent,
            None if name == "own" else name,
            [f"{key}={value}" for key, value in options.items()],
            None if radius is None else int(radius),
            None if inverse is None else {"True": True, "False": False}[inverse],
        )
    except (KeyError, ValueError) as error:
        raise ValueError(f"cannot read the search {text!r}: {error}; write for example beam:width=256,radius=5") from None
    search = Search(choice.search, choice.options, choice.radius, choice.inverse, nodes)
    search.make(agent)  # raises if the agent has not what the search needs
    return search


def label(search: Search) -> str:
    """A search in words: beam, width 256, radius 5."""
    words = [search.name, *(f"{key} {value}" for key, value in search.options.items())]
    return ", ".join([*words, *[f"radius {search.radius}"] * bool(search.radius), *["both ways"] * search.inverse])


def units(args: argparse.Namespace) -> tuple[list[Unit], dict[str, Path]]:
    """Every part of every question, agent by agent, and the agents' files by their SHA-256."""
    found, named = [], {}
    for name in args.agents:
        file = agent_file(name)
        sha256 = None if file is None else campaign.file_hash(file)
        of = {"name": name, "sha256": sha256, "device": args.device}
        if file is not None and sha256 is not None:
            named[sha256] = file
        agent = agents.load(name)
        if args.bench:
            bench_cubes(agent.puzzle, args.bench)  # raises if there are no such cubes
        for text in args.searches:
            search = asked_of(agent, text, args.max_nodes)
            for states in parts(args):
                # A search that draws at random draws other numbers in every part.
                seed = np.random.SeedSequence([states.get("seed", 0), states["first"]]).generate_state(1)
                settings = {"agent": of, "search": asdict(search) | {"seed": int(seed[0])}, "states": states}
                found.append(Unit(WORK, json.loads(json.dumps(settings))))
    return found, named


def parts(args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """The states of each part, as records describe them."""
    if args.bench:
        for first in range(0, args.bench, args.per_unit):
            yield {"kind": "BenchPart", "first": first, "n": min(args.per_unit, args.bench - first)}
        return
    for depth in args.depths:
        for seed in args.seeds:
            for first in range(0, args.cubes, args.per_unit):
                n = min(args.per_unit, args.cubes - first)
                yield {"kind": "Part", "first": first, "n": n, "depth": depth, "seed": seed}


def tables(found: Sequence[dict[str, Any]]) -> tuple[str, str]:
    """What the searches found, the same wherever it was done; and what they took, and where."""
    together: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for record in found:
        states = record["question"]["states"]
        drawn = "bench" if states["kind"] == "BenchPart" else f"{states['depth']} moves" if states["depth"] else "uniform"
        names = record["puzzle"], drawn, record["run"]["name"], record["search"]["label"]
        together.setdefault(names, []).append(record)
    rows, took = [], []
    for asked, of in together.items():
        _, lengths, distances = records.unpack(*of)
        solved, known = np.isfinite(lengths), np.isfinite(distances)
        best = share_text(int((lengths == distances)[known].sum()), int(known.sum())) if known.any() else ""
        nodes = np.mean([n for record in of for n in record["nodes"]])
        cells = [*asked, f"{len(lengths):,}", share_text(int(solved.sum()), len(lengths)), best]
        rows.append([*cells, mean_text(lengths[solved]), f"{nodes:,.0f}"])
        seconds = sum(record["each"]["cpu_seconds"] * record["states"] for record in of)
        took.append([*asked, f"{1000 * seconds / len(lengths):.3g}", f"{seconds:.3g}"])
    headings = ["puzzle", "cubes", "agent", "search", "asked", "solved", "optimal", "mean length", "nodes"]
    made = sorted({f"commit {r['commit']}{'' if r['clean'] else ' with changes'}, {r['machine']['processor']}" for r in found})
    times = table([*headings[:4], "CPU ms per cube", "CPU s in all"], took)
    return table(headings, rows), f"{times}\n\n{'; '.join(made)}"


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m results.campaign", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--agents", nargs="+", required=True, metavar="AGENT", help="agents to measure")
    add("--searches", nargs="+", default=["own"], metavar="SEARCH", help="searches to measure them with (default: own)")
    add("--cubes", type=int, default=1000, metavar="N", help="start states per depth and seed (default: 1000)")
    add("--depths", type=int, nargs="+", default=[0], metavar="D", help="random moves; 0: uniformly random states (default)")
    add("--seeds", type=int, nargs="+", default=[0], metavar="S", help="seeds of the start states (default: 0)")
    add("--bench", type=int, default=0, metavar="N", help="instead: the first N 3x3x3 of the bench of proven lengths")
    add("--per-unit", type=int, default=50, metavar="N", help="start states of a unit (default: 50)")
    nodes = "nodes per start state (default: a million); there is no limit of time, by which slow machines would find less"
    add("--max-nodes", type=int, default=1_000_000, metavar="N", help=nodes)
    where = "where networks compute: cpu (default), cuda, mps or auto; devices round differently, so it is part of a unit"
    add("--device", default="cpu", choices=("auto", "cpu", "cuda", "mps"), help=where)
    add_arguments(add)
    add("--status", action="store_true", help="only say what is done, and print the table of that")
    args = parser.parse_args()
    whole(1, MANY, **{"--cubes": args.cubes})
    whole(1, **{"--max-nodes": args.max_nodes, "--cores": args.cores})
    whole(1, records.PER_CUBE, **{"--per-unit": args.per_unit})
    whole(0, **{"--bench": args.bench, "--workers": args.workers or 0, "--retries": args.retries})
    for depth, seed in product(args.depths, args.seeds):
        whole(0, **{"--depths": depth, "--seeds": seed})
    every, named = units(args)
    if args.status:
        print(f"{len(campaign.recorded(args.folder) & {unit.name for unit in every}):,} of {len(every):,} units are done")
        show(args.folder, every)
        return
    given = {"command": shlex.join(["python", "-m", "results.campaign", *sys.argv[1:]])}
    crew = workers(args.folder, named, surroundings(args.cores, given), args.workers, args.ray, args.gpus)
    report = campaign.run(every, args.folder, crew, args.retries, f"{len(args.agents)} agents, {len(args.searches)} searches")
    show(args.folder, every)
    campaign.tell(report, args.folder)


def show(folder: Path, every: Sequence[Unit]) -> None:
    """Print the tables of what is done, and write them and the records."""
    found = campaign.read(folder, every)
    if not found:
        return
    outcome, times = tables(found)
    files.write_text(folder / "records.jsonl", "".join(json.dumps(record) + "\n" for record in found))
    files.write_text(folder / "table.md", outcome + "\n")
    console = Console(width=None if Console().is_terminal else 200)
    console.print(Markdown(outcome), Markdown(times))


if __name__ == "__main__":
    run(main)
