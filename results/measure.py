"""Train the runs of a study that are missing, and measure what is not recorded yet."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

import agents
from agents.protocol import Agent
from results import records
from results.questions import Answer, Run, Study
from rubiks_gym import files, zoo
from rubiks_gym.search import Solutions
from train.evaluation import solved_from

MINE = Path("measured")  # where records go unless somebody says otherwise


def measure(study: Study, runs: Path, only: Sequence[str] = (), again: bool = False, dirty: bool = False) -> None:
    """Append a record to the study's folder for everything asked that has none.

    Args:
        study: runs and questions.
        runs: folder of ALGORITHM/RUN-sSEED; runs that are not there are trained.
        only: parts of names RUN-sSEED/QUESTION/SEARCH; all of them must be in a name.
        again: measure what is recorded too.
        dirty: measure although files differ from the commit; documents will not show it.
    """
    changed = records.changes()
    if changed and not dirty:
        raise ValueError(f"uncommitted changes, for example {changed[0].strip()}: commit them, or pass --dirty")
    wanted = [answer for answer in study.all() if all(part in answer.name for part in only)]
    if not wanted:
        raise ValueError(f"{study.algorithm} has no measurement named {' '.join(only)}: --list shows them")
    made = records.made()  # before anything that takes long: this process has the code of now
    for run, group in groupby(wanted, key=lambda answer: answer.run):
        asked, folder = list(group), runs / study.algorithm / str(run)
        recorded = [bool(a.record) and (records.usable(a.record) or dirty) and not again for a in asked]
        ready = comes_along(run)
        if ready:
            done, config = 0, comes_with(run.preset)
        else:
            if not folder.exists():
                if all(recorded):
                    continue
                train(study.algorithm, run, folder)
            config = read_config(folder, run)
            done = int(agents.last_checkpoint(folder).stem) if agents.checkpoints(folder) else -1
            total = sum(config["config"].get(name, 0) for name in study.steps)
            if done < total:
                print(f"{folder} is at step {done} of {total}: left out", flush=True)
                continue
        missing = [answer for answer, there in zip(asked, recorded, strict=True) if not there or answer.record["step"] != done]
        if not missing:
            continue
        agent = agents.load(run.preset if ready else folder)
        for answer in missing:
            record = one(answer, agent, folder, config) | made | {"step": done, "load": records.load()}
            records.append(study.folder / f"{study.algorithm}.jsonl", record)
            print(f"{answer.name}: {record['cpu_seconds']:.0f} CPU s", flush=True)


def one(answer: Answer, agent: Agent, folder: Path, config: dict[str, Any]) -> dict[str, Any]:
    """The record of one question put to an agent."""
    question, only = answer.question, " ".join(f"'{part}'" for part in answer.name.split("/"))
    record = answer.asked() | {
        "puzzle": agent.puzzle.name,
        "command": f"python -m results --measure {answer.algorithm} --only {only}",
        "training": training(answer, folder, config),
    }
    wall, cpu = time.perf_counter(), time.process_time()
    if question.measure is not None:
        record["found"] = question.measure(agent, folder)
    elif question.states is not None and answer.search is not None:
        search, asked = answer.search.make(agent), question.states(agent.puzzle)
        search(asked[0][:1])  # compiles, and makes what the search keeps
        record |= solve(agent, search, *asked)
    return record | {"seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu}


def solve(agent: Agent, search: Any, states: np.ndarray, truth: np.ndarray | None, groups: np.ndarray) -> dict[str, Any]:
    """What a search makes of states [B, S], group by group: outcomes, CPU seconds and nodes per state, and those of groups."""
    lengths, by_group = np.full(len(states), np.nan), []
    distances = np.full(len(states), np.nan) if truth is None else truth.astype(float)
    nodes, lower, seconds = np.zeros(len(states), int), np.zeros(len(states), int), np.zeros(len(states))
    for group in np.unique(groups):
        inside = groups == group

        def counted(states: np.ndarray, inside: np.ndarray = inside) -> Solutions:
            found = search(states)
            nodes[inside], lower[inside], seconds[inside] = found.nodes, found.lower, found.seconds
            return found

        row = solved_from(agent.puzzle, counted, states[inside])
        lengths[inside] = [np.nan if length is None else length for length in row["lengths"]]
        by_group.append([int(group), int(inside.sum()), row["cpu_seconds"], row["nodes"]])
    share = np.array([n for _, n, _, _ in by_group]) / len(states)
    return {
        "states": len(states),
        "each": {name: float(share @ [row[i] for row in by_group]) for i, name in ((2, "cpu_seconds"), (3, "nodes"))},
        **({"by_group": by_group} if len(by_group) > 1 else {}),
        **({"nodes": nodes.tolist()} if len(states) <= records.PER_CUBE else {}),
        **({"lower": lower.tolist(), "times": seconds.tolist()} if lower.any() else {}),
        **records.pack(records.Outcomes(groups.astype(float), lengths, distances)),
    }


def comes_along(run: Run) -> bool:
    """Whether the agent of a run is trained already: it comes with the suite or is one of the zoo."""
    return run.preset in agents.PRETRAINED or run.preset.startswith("zoo:")


def comes_with(name: str) -> dict[str, Any]:
    """The config.json of the run behind an agent that is trained already."""
    file = agents.PRETRAINED[name] if name in agents.PRETRAINED else zoo.fetch(name.removeprefix("zoo:"))
    origin = files.load(file)[0]["origin"]
    return {"provenance": origin} | origin  # it may have been written when a config.json was its own provenance


def read_config(folder: Path, run: Run) -> dict[str, Any]:
    """A run folder's config.json; a folder that holds another run is refused."""
    whole = json.loads((folder / "config.json").read_text())
    config = whole["config"]
    expected = {"preset": run.preset, "seed": run.seed} | {key: run.changed[key] for key in run.changed if key in config}
    for key, value in expected.items():
        if config.get(key) != json.loads(json.dumps(value)):
            raise ValueError(f"{folder} was trained with {key} {config.get(key)!r}, not {value!r}")
    return whole


def training(answer: Answer, folder: Path, config: dict[str, Any]) -> dict[str, Any]:
    """Where a run comes from, and what it cost."""
    if "provenance" not in config:
        raise ValueError(f"{folder}/config.json has no provenance (commit, date, machine), which records name: train it again")
    made, rows = config["provenance"], metrics(folder)
    command = "comes with rubiks_gym" if comes_along(answer.run) else " ".join(train_command(answer.algorithm, answer.run))
    return {
        "command": config.get("command", command),
        "commit": made["commit"],
        "clean": not made["uncommitted_changes"],
        "date": made["date"],
        "machine": made["machine"],
        **{key: config.get(key, sum(row.get(key, 0) for row in rows)) for key in ("seconds", "cpu_seconds")},
    }


def metrics(folder: Path) -> list[dict[str, float]]:
    """A run's metrics.jsonl; an untrained agent has none."""
    return records.read(folder / "metrics.jsonl")


def curves(*names: str, against: str = "step", points: int = 100) -> Callable[[Agent, Path], dict[str, Any]]:
    """A measurement: metrics of these names against another, thinned to so many points."""

    def measured(agent: Agent, folder: Path) -> dict[str, Any]:
        found = {}
        for name in names:
            column = [[row[against], row[name]] for row in metrics(folder) if name in row and against in row]
            kept = np.unique(np.linspace(0, len(column) - 1, min(points, len(column))).astype(int))
            found[name] = [column[i] for i in kept]
        return found

    return measured


def train_command(algorithm: str, run: Run, folder: Path | None = None) -> list[str]:
    """The command that trains a run."""
    words = ["python", "-m", f"train.{algorithm}", "--preset", run.preset, "--run.seed", str(run.seed)]
    for key, value in run.changed.items():
        name = key.replace("_", "-")
        if isinstance(value, bool):
            words.append(f"--config.{name}" if value else f"--config.no-{name}")
        else:
            words += [f"--config.{name}", *map(str, value if isinstance(value, tuple) else (value,))]
    if run.solve_every:
        words += ["--solve-every", str(run.solve_every)]
    return [*words, "--run.folder", str(folder or Path("runs") / algorithm / str(run))]


def train(algorithm: str, run: Run, folder: Path) -> None:
    """Train a run in a process of its own."""
    command = train_command(algorithm, run, folder)
    if hasattr(agents.agent_class(algorithm), "place"):
        command += ["--device", "cpu"]  # what is recorded is recorded of the processor
    print(" ".join(command), flush=True)
    subprocess.run([sys.executable, *command[1:]], check=True, cwd=records.ROOT)
