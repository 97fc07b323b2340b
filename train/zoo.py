"""Train and measure the agents of the zoo, and write their files, cards and checksums: python -m train.zoo

    python -m train.zoo                        # all of them
    python -m train.zoo tabular/hanoi-5-3      # some
    python -m train.zoo --list

Runs are kept in runs/zoo; one that is there is gone on with, and one that is finished is only measured.
"""

import argparse
import hashlib
import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import agents
from rubiks_gym import files, zoo
from rubiks_gym.command_line import run
from rubiks_gym.search import Budget, make_search
from train.provenance import changes, provenance
from train.text import duration, percent

ROOT = Path(__file__).resolve().parent.parent
STATES, SEED = 500, 1  # uniformly random ones, that every agent and search of a puzzle is asked
NODES = 100_000  # for each at most


class Recipe(NamedTuple):
    """How an agent of the zoo is trained: python -m train.SCRIPT OPTIONS."""

    script: str
    options: tuple[str, ...]
    about: str


TD, ADI, PPO = (
    "Look-up tables trained by temporal differences.",
    "Values and a policy by autodidactic iteration.",
    "A policy by PPO, rewarded by a learnt distance.",
)
DAVI, GENERAL = (
    "A network's cost-to-go by deep approximate value iteration.",
    "Look-up tables chosen for the puzzle, trained by walks and beams.",
)


def tables_of(puzzle: str, rounds: int, weights: int) -> Recipe:
    """A recipe of general n-tuples with so many weights at most, a byte each in the file; a table has a third of them."""
    room = ("--config.weights", str(weights), "--config.table-weights", str(weights // 3))
    return Recipe("general_ntuple", ("--puzzle", puzzle, "--config.rounds", str(rounds), *room), GENERAL)


# Every learner but symmetric_ntuple, whose tables of the 3x3x3 come with the package.
RECIPES = {
    "tabular/hanoi-5-3": Recipe("tabular", ("--puzzle", "hanoi-5-3"), "Value iteration on a table of all 243 states."),
    "tabular/sliding-tile-3-3": Recipe(
        "tabular",
        ("--puzzle", "sliding-tile-3-3", "--config.batch", "20000"),
        "Value iteration on a table of all 181,440 states.",
    ),
    "td_ntuple/hanoi-5-3": Recipe("td_ntuple", ("--preset", "hanoi"), TD),
    "davi/hanoi-4-3": Recipe("davi", ("--preset", "hanoi-4-3"), DAVI),
    "adi/hanoi-4-3": Recipe("adi", ("--preset", "hanoi-4-3"), ADI),
    "ppo_chasenet/hanoi-4-3": Recipe("ppo_chasenet", ("--preset", "hanoi-4-3"), PPO),
    # The report's 60 tuples are 18 MB, too much to ship with every checkout.
    "td_ntuple/rubik2x2-qtm": Recipe("td_ntuple", ("--preset", "2x2-qtm", "--config.n-tuples", "16"), TD),
    "general_ntuple/rubik2x2-qtm": Recipe("general_ntuple", ("--preset", "2x2x2", "--config.rounds", "1000"), GENERAL),
    "general_ntuple/rubik2x2-htm": tables_of("rubik2x2-htm", 100, 4_000_000),
    "general_ntuple/pyraminx": tables_of("pyraminx", 30, 2_000_000),
    "general_ntuple/skewb": tables_of("skewb", 300, 2_000_000),
    "general_ntuple/sliding-tile-3-3": tables_of("sliding-tile-3-3", 60, 1_000_000),
    "general_ntuple/sliding-tile-4-4": tables_of("sliding-tile-4-4", 300, 8_000_000),
    "general_ntuple/lights-out-5": tables_of("lights-out-5", 30, 2_000_000),
    "general_ntuple/lights-out-7": tables_of("lights-out-7", 5, 1_000_000),
    "general_ntuple/pancake-15": tables_of("pancake-15", 30, 2_000_000),
    "general_ntuple/permutation-rings.gap": tables_of("permutation-rings.gap", 30, 1_000_000),
    "davi/rubik2x2-qtm": Recipe("davi", ("--preset", "2x2"), DAVI),
    "adi/rubik2x2-qtm": Recipe("adi", ("--preset", "2x2"), ADI),
    "ppo_chasenet/rubik2x2-qtm": Recipe("ppo_chasenet", ("--preset", "2x2"), PPO),
}
POLICY = "greedy-policy"  # told of agents that have learnt a policy; that of others goes to the child with the lowest value
SEARCHES: dict[str, dict[str, Any]] = {"greedy": {}, POLICY: {}, "bwas": {"weight": 1.0, "batch": 1}, "beam": {"width": 64}}


def train(name: str, folder: Path, more: tuple[str, ...] = ()) -> list[str]:
    """Train an agent into a run folder, or go on with the run that is there; the words of its command."""
    recipe = RECIPES[name]
    words = ["-m", f"train.{recipe.script}", *recipe.options, *more, "--run.seed", "0", "--run.folder", str(folder)]
    again = ["--run.resume"] if (folder / "config.json").exists() else []
    subprocess.run([sys.executable, *words, *again], check=True)
    return ["python", *words]


def measure(agent: agents.Agent, states: int = STATES, searches: Iterable[str] = SEARCHES) -> list[dict[str, Any]]:
    """What each search solves of uniformly random states; a row each, with every length."""
    from train import evaluation  # imports scipy, which takes a while

    starts = evaluation.start_states(agent.puzzle, 0, states, SEED)
    truth = evaluation.true_distances(agent.puzzle, starts)
    rows = []
    for name in (name for name in searches if name != POLICY or not agent.looks_ahead):
        options = SEARCHES[name]
        search = make_search(name, agent, options, budget=Budget(nodes=NODES))
        rows.append({"search": name, "options": options, **evaluation.solved_from(agent.puzzle, search, starts, truth)})
    return rows


def pack(name: str, run_folder: Path, folder: Path, command: list[str], states: int = STATES) -> zoo.Entry:
    """Write the file, the results and the card of a trained agent into FOLDER/NAME."""
    agent, record = agents.load(run_folder), json.loads((run_folder / "config.json").read_text())
    lines = [json.loads(line) for line in (run_folder / "metrics.jsonl").read_text().splitlines()]
    took = {key: sum(line.get(key, 0) for line in lines) for key in ("seconds", "cpu_seconds")}
    trained = {"command": " ".join(command), "seed": record["run"]["seed"], "provenance": record["provenance"], **took}
    own, file = folder / name, folder / name / zoo.FILE
    files.save(file, {**agents.describe(agent), "origin": trained}, agent.arrays())
    results = {
        "agent": name,
        "puzzle": agent.puzzle.name,
        "trained": trained,
        "states": {"kind": "uniform", "n": states, "seed": SEED},
        "rows": measure(agent, states),
        "provenance": provenance(),
    }
    files.write_text(own / "results.json", json.dumps(results, indent=1))
    content = file.read_bytes()
    entry = zoo.Entry(agent.puzzle.name, len(content), hashlib.sha256(content).hexdigest())
    files.write_text(own / "README.md", card(name, entry, results))
    return entry


def card(name: str, entry: zoo.Entry, results: dict[str, Any]) -> str:
    """The model card: metadata as hubs read it, usage, training, results, all from the results."""
    trained, rows, n = results["trained"], results["rows"], results["states"]["n"]
    made = trained["provenance"]
    metrics = [
        f"          - type: {kind}\n            name: {kind}, {row['search']}\n            value: {row[kind]:.4f}"
        for row in rows
        for kind in ("solved", "optimal")
        if kind in row
    ]
    table = ["| search | solved | optimal | mean length | nodes | CPU ms |", "|---|---|---|---|---|---|"]
    for row in rows:
        cells = [row["search"] + "".join(f", {key} {value}" for key, value in row["options"].items())]
        cells += [_share(row[kind], n) if kind in row else "" for kind in ("solved", "optimal")]
        cells += [_mean(row["lengths"]), f"{row['nodes']:,.0f}", f"{1000 * row['cpu_seconds']:.3g}"]
        table.append(f"| {' | '.join(cells)} |")
    return CARD.format(
        name=name,
        kind=name.split("/")[0],
        puzzle=entry.puzzle,
        about=RECIPES[name].about,
        metrics="\n".join(metrics),
        table="\n".join(table),
        command=trained["command"],
        seed=trained["seed"],
        training_commit=made["commit"],
        took=duration(trained["seconds"]),
        cpu=f"{trained['cpu_seconds']:.0f}",
        machine=made["machine"]["processor"],
        states=n,
        nodes=f"{NODES:,}",
        draw=results["states"]["seed"],
        commit=results["provenance"]["commit"],
        size=f"{entry.bytes:,}",
        sha256=entry.sha256,
    )


CARD = """---
library_name: rubiks-gym
license: mit
pipeline_tag: reinforcement-learning
tags: [reinforcement-learning, {kind}, {puzzle}]
model-index:
  - name: {name}
    results:
      - task:
          type: reinforcement-learning
        dataset:
          type: {puzzle}
          name: {puzzle}, {states} uniformly random states, seed {draw}
        metrics:
{metrics}
---

# {name}

{about} The cost-to-go is in moves.

```python
from rubiks_gym import zoo

agent = zoo.load("{name}")
print(agent.puzzle.name, agent.cost_to_go(agent.puzzle.goal[None]))
```

```bash
rubiks-gym solve --agent zoo:{name} --random 3
```

## Training

```bash
{command}
```

Seed {seed}, commit {training_commit}, {took} (h:mm:ss) or {cpu} CPU seconds on {machine}.

## Results

{states} uniformly random states (seed {draw}), at most {nodes} nodes each; intervals of 95 percent (Wilson's for shares).

{table}

`python -m train.zoo {name}`, commit {commit}; every length is in `results.json`.

`agent.npz`: {size} bytes, SHA-256 `{sha256}`.
"""


def _share(share: float, n: int) -> str:
    from scipy.stats import binomtest

    low, high = binomtest(round(share * n), n).proportion_ci(method="wilson")
    return f"{percent(share)} ({100 * low:.1f} to {100 * high:.1f})"


def _mean(lengths: list[int | None]) -> str:
    from scipy.stats import sem, t

    solved = np.array([length for length in lengths if length is not None], float)
    if len(solved) < 2 or solved.std() == 0:
        return f"{solved.mean():.2f}" if len(solved) else "-"
    low, high = t.interval(0.95, len(solved) - 1, loc=solved.mean(), scale=sem(solved))
    return f"{solved.mean():.2f} ({low:.2f} to {high:.2f})"


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m train.zoo", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("names", nargs="*", metavar="NAME", help=f"of {', '.join(RECIPES)} (default: all)")
    add("--folder", type=Path, default=ROOT / "zoo", help="where the agents are written (default: zoo in the checkout)")
    add("--runs", type=Path, default=Path("runs/zoo"), help="folder of the training runs (default: runs/zoo)")
    add("--states", type=int, default=STATES, help=f"states that each search is asked (default: {STATES})")
    add("--dirty", action="store_true", help="train and measure with uncommitted changes, which a card should not")
    add("--list", action="store_true", help="list the agents and how they are trained")
    args = parser.parse_args()
    if args.list:
        print(*(f"{name}: python -m train.{r.script} {' '.join(r.options)}" for name, r in RECIPES.items()), sep="\n")
        return
    unknown = sorted(set(args.names) - set(RECIPES))
    if unknown:
        raise ValueError(f"no agent is called {unknown[0]!r}: there are {', '.join(RECIPES)}")
    if (changed := changes()) and not args.dirty:
        raise ValueError(f"commit first, so that the card can name what was measured (or --dirty): {changed[0]}")
    index_file = zoo.INDEX if args.folder.resolve() == ROOT / "zoo" else args.folder / "index.json"
    for name in args.names or RECIPES:
        command = train(name, args.runs / name)
        entry = pack(name, args.runs / name, args.folder, command, args.states)
        entries = (zoo.index(index_file) if index_file.exists() else {}) | {name: entry}
        ordered = {key: entries[key]._asdict() for key in sorted(entries)}
        files.write_text(index_file, json.dumps(ordered, indent=1) + "\n")
        print(f"{name}: {entry.bytes:,} bytes in {args.folder / name}")


if __name__ == "__main__":
    run(main)
