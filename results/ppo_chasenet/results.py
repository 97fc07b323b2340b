"""Measure trained runs beside the paper's figures, and write README.md's tables: python -m results.ppo_chasenet.results

Runs are folders runs/ppo_chasenet/NAME-sSEED, as the commands in README.md make them. What has been measured is kept in each
run's measured.json and not measured again; `--no-measure` only writes the tables.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tyro

import agents
from agents.ppo_chasenet.agent import PpoChaseNet
from agents.ppo_chasenet.nx import correlation, walk_pairs
from results.measured import Job, finished, measure_once, metrics, minutes, percent, preset_of
from results.ppo_chasenet.figures import learning_figure
from results.ppo_chasenet.published import CORRELATION, SOLVED
from rubiks_gym import files
from rubiks_gym.exact import ExactTable, has_table
from rubiks_gym.puzzles import Cube, Hanoi, Puzzle
from rubiks_gym.search import Budget, make_search
from train.evaluation import Search, policy_quality, solved_by_depth, solved_from, start_states, true_distances
from train.runs import origin

HERE = Path(__file__).parent
# name -> search and its options: the policy alone
POLICIES: dict[str, tuple[str, dict[str, Any]]] = {
    "sampled": ("sample-policy", {}),
    "argmax": ("greedy-policy", {"undo": True}),
    "argmax, no undo": ("greedy-policy", {}),
    "argmax, no state twice": ("greedy-policy", {"revisit": False}),
}
# the same networks in a search, for comparison
SEARCHES: dict[str, tuple[str, dict[str, Any]]] = {
    "BWAS": ("bwas", {"weight": 0.6, "batch": 100}),
    "MCTS (DeepCube)": ("mcts-deepcube", {}),
}
NEAR = 8  # the share of best moves is told for states up to this distance
Runs = list[tuple[Path, dict[str, Any]]]  # run folders with the rows of their measured.json


@dataclass(frozen=True)
class Options:
    """Which runs to measure, and how."""

    runs: Path = Path("runs/ppo_chasenet")
    """Folder of the run folders."""
    uniform: int = 50_000
    """Uniformly random states for the policy (the paper's number)."""
    searched: int = 500
    """How many of them for searches."""
    nodes: int = 20_000
    """Nodes of a search."""
    moves: int = 100
    """Moves the policy may make."""
    walks: int = 2_000
    """Walks behind the pairs that a correlation is measured on."""
    cubes: int = 500
    """3x3x3 per number of turns."""
    seed: int = 12345
    """Of states and pairs; not a seed that anything was trained with."""
    measure: bool = True
    """Measure what is missing; otherwise only write the tables."""
    only: str = ""
    """Measure only runs whose name begins with this."""
    readme: Path = HERE / "README.md"
    """Where the tables go, between <!-- results:begin --> and <!-- results:end -->; figures go beside it."""


# Measuring -------------------------------------------------------------------------------------------------------------


def jobs(config: dict[str, Any], agent: PpoChaseNet, options: Options) -> Iterator[Job]:
    """What there is to measure of an agent."""
    puzzle = agent.puzzle
    if isinstance(puzzle, Cube) and has_table(puzzle):
        yield "chasenet", lambda: chasenet_quality(agent, config["k"], options)
    if not config["ppo_iterations"]:
        return
    if has_table(puzzle):
        states = start_states(puzzle, 0, options.uniform, options.seed)
        for name in POLICIES:
            yield name, lambda name=name: alone(agent, name, states, options)
        yield "policy", lambda: policy_quality(agent)
        searches = {} if config["form"] == "attention" else SEARCHES  # whose transformer is too slow for thousands of nodes
        for name, (search, settings) in searches.items():
            made = make_search(search, agent, settings, budget=Budget(nodes=options.nodes))
            yield name, lambda made=made: measured(puzzle, made, states[: options.searched])
    else:
        for name, (search, settings) in (POLICIES | SEARCHES).items():
            if search in ("sample-policy", "greedy-policy"):
                settings = settings | {"max_steps": options.moves}
            made = make_search(search, agent, settings, budget=Budget(nodes=options.nodes), seed=options.seed)
            yield f"turns, {name}", lambda made=made: by_turns(puzzle, made, config["k_max"], options)


def alone(agent: PpoChaseNet, name: str, states: np.ndarray, options: Options) -> dict[str, Any]:
    """What the policy solves without any search."""
    search, settings = POLICIES[name]
    made = make_search(search, agent, settings | {"max_steps": options.moves}, seed=options.seed)
    return measured(agent.puzzle, made, states)


def measured(puzzle: Puzzle, search: Search, states: np.ndarray) -> dict[str, Any]:
    """What a search makes of states [B, S], without the length of every single solution."""
    row = solved_from(puzzle, search, states, true_distances(puzzle, states))
    return {key: value for key, value in row.items() if key not in ("lengths", "distances")}


def by_turns(puzzle: Puzzle, search: Search, most: int, options: Options) -> dict[str, Any]:
    """Shares solved and mean lengths after 1, 2, ... turns, none of which undoes the one before."""
    rows = solved_by_depth(puzzle, search, range(1, most + 1), options.cubes, options.seed)
    return {"solved": [row["solved"] for row in rows], "mean_length": [row["mean_length"] for row in rows]}


def chasenet_quality(agent: PpoChaseNet, k: int, options: Options) -> dict[str, Any]:
    """Rank correlations of ChaseNet on pairs that it has not seen, and how often it knows the best move next to the goal."""
    puzzle, net, table = agent.puzzle, agent.net, ExactTable(agent.puzzle)
    rng = np.random.default_rng(options.seed)
    pairs = walk_pairs(puzzle, options.walks, k, rng)
    s, t = start_states(puzzle, 0, 2 * len(pairs.y), options.seed).reshape(2, len(pairs.y), -1)  # uniformly random
    said, truth = net.cost(pairs.s, pairs.t), table.distance(puzzle.relative(pairs.s, pairs.t))
    best = []
    for d in range(1, NEAR + 1):
        layer = np.flatnonzero(table.distances == d)
        states = puzzle.from_index(rng.choice(layer, min(len(layer), 2000), replace=False))
        children = puzzle.expand(states)
        costs = agent.cost_to_go(children.reshape(-1, puzzle.state_size)).reshape(children.shape[:2])
        chosen = children[np.arange(len(states)), costs.argmin(axis=1)]
        best.append(float((table.distance(chosen) < d).mean()))
    return {
        "label": correlation(said, pairs.y),
        "truth": correlation(said, truth),
        "truth_with_label": correlation(truth, pairs.y),
        "uniform": correlation(net.cost(s, t), table.distance(puzzle.relative(s, t))),
        "best_move": best,
        "weights": sum(parameter.numel() for parameter in net.network.parameters()),
    }


# Tables ----------------------------------------------------------------------------------------------------------------


def policy_text(runs: Runs) -> str:
    """What policies solve alone, and in how many moves."""
    names = list(POLICIES)
    head = "".join(f" {name} | moves |" for name in names)
    lines = [f"| run | moves learnt from | minutes |{head} all states, argmax, no undo | best move |"]
    lines.append("|---" * (5 + 2 * len(names)) + "|")
    for run, rows in runs:
        cells = [run.name, f"{metrics(run)[-1]['moves'] / 1e6:.1f} million", minutes(run)]
        for name in names:
            cells += [percent(rows[name]["solved"]), length(rows[name]["mean_length"])]
        cells += [percent(rows["policy"]["greedy_without_undo_solved"]), percent(rows["policy"]["optimal"])]
        lines.append(f"| {' | '.join(cells)} |")
    optimal = runs[0][1]["sampled"]["mean_distance"]
    paper = f"The paper: {percent(SOLVED)} sampled or argmax, it does not say which, nor in how many moves."
    return "\n".join([*lines, "", f"The states are {optimal:.2f} moves from the goal on average. {paper}"])


def search_text(runs: Runs) -> str:
    """The same networks in searches."""
    lines = ["| run | search | states | solved | optimal | mean length | nodes |", "|---" * 7 + "|"]
    for run, rows in runs:
        for name in (name for name in SEARCHES if name in rows):
            row = rows[name]
            cells = [run.name, name, str(row["starts"]), percent(row["solved"]), percent(row["optimal"])]
            lines.append(f"| {' | '.join([*cells, length(row['mean_length']), format(row['nodes'], ',.0f')])} |")
    return "\n".join(lines)


def chasenet_text(runs: Runs) -> str:
    """Correlations of every form."""
    head = "| run | form | weights | K | pairs seen | minutes | with the moves made | with the true distance | of all pairs |"
    lines = [f"{head} paper | " + " | ".join(f"{d}" for d in range(1, NEAR + 1)) + " |", "|---" * (10 + NEAR) + "|"]
    ceilings = {}
    for run, rows in runs:
        row, config = rows["chasenet"], config_of(run)
        warm = metrics(run)[: config["warm_iterations"]]
        spent = sum(step["seconds"] for step in warm) / 60
        seen = config["k"] * config["walks"] * len(warm) / 1e6
        paper = f"{CORRELATION[config['form']]:.3f}" if config["form"] in CORRELATION else ""
        cells = [run.name, config["form"], f"{row['weights']:,}", str(config["k"]), f"{seen:.1f} million", f"{spent:.1f}"]
        cells += [f"{row[key]:.3f}" for key in ("label", "truth", "uniform")]
        lines.append(f"| {' | '.join([*cells, paper, *(f'{100 * share:.0f}' for share in row['best_move'])])} |")
        ceilings[config["k"]] = row["truth_with_label"]
    notes = ", ".join(f"{value:.3f} (K = {k})" for k, value in sorted(ceilings.items()))
    return "\n".join([*lines, "", f"The true distance itself has a rank correlation of {notes} with the moves made."])


def tower_text(runs: Runs) -> str:
    """Hanoi: the policy from every state."""
    lines = ["| run | moves learnt from | minutes | " + " | ".join(POLICIES) + " | all states, argmax, no undo | best move |"]
    lines.append("|---" * (5 + len(POLICIES)) + "|")
    for run, rows in runs:
        cells = [run.name, f"{metrics(run)[-1]['moves'] / 1e6:.1f} million", minutes(run)]
        cells += [f"{percent(rows[name]['solved'])}, {percent(rows[name]['optimal'])} optimal" for name in POLICIES]
        cells += [percent(rows["policy"]["greedy_without_undo_solved"]), percent(rows["policy"]["optimal"])]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def turns_text(runs: Runs) -> str:
    """3x3x3: percent solved by turns, and mean lengths."""
    most = max(len(row["solved"]) for _, rows in runs for row in rows.values())
    lines = [f"| run | solver | minutes | {' | '.join(map(str, range(1, most + 1)))} |", "|---" * (most + 3) + "|"]
    for run, rows in runs:
        for name, row in rows.items():
            cells = [f"{100 * s:.1f} ({length(m)})" for s, m in zip(row["solved"], row["mean_length"], strict=True)]
            lines.append(f"| {' | '.join([run.name, name.removeprefix('turns, '), minutes(run), *cells])} |")
    return "\n".join([*lines, "", "Percent solved, in brackets the mean length of the solutions."])


def length(mean: float | None) -> str:
    """A mean length, if anything was solved."""
    return "-" if mean is None else f"{mean:.2f}"


def config_of(run: Path) -> dict[str, Any]:
    """The settings of a run."""
    return json.loads((run / "config.json").read_text())["config"]


# The command -----------------------------------------------------------------------------------------------------------


def write(options: Options) -> None:
    """Measure, then write the tables and figures."""
    folders = [folder for folder in sorted(options.runs.glob("*-s*")) if (folder / "config.json").exists() and finished(folder)]
    if not folders:
        raise ValueError(f"no finished runs NAME-sSEED in {options.runs}: train some first, see README.md")
    asked = {key: value for key, value in asdict(options).items() if key not in ("runs", "measure", "only", "readme")}
    for folder in folders:
        if options.measure and folder.name.startswith(options.only):
            measure_once(folder, folder.name, jobs(config_of(folder), agents.load(folder), options), asked)
    done = [
        (folder, json.loads((folder / "measured.json").read_text())["rows"])
        for folder in folders
        if (folder / "measured.json").exists()
    ]
    if not done:
        raise ValueError(f"nothing has been measured of the runs in {options.runs}: leave out --no-measure")
    texts = [f"### {title}\n\n{text}" for title, text in sections(done, options.readme.parent)]
    texts.append("\n".join(origin(folder) for folder, _ in done))
    files.write_between(options.readme, "results", "\n\n".join(texts))
    print(f"written: {options.readme}")


def sections(done: Runs, folder: Path) -> Iterator[tuple[str, str]]:
    """Titles and texts of what has been measured; the figure is saved in a folder."""
    kinds = {run: agents.load(run).puzzle for run, _ in done}
    policies = [(run, rows) for run, rows in done if "policy" in rows and isinstance(kinds[run], Cube)]
    networks = [(run, rows) for run, rows in done if "chasenet" in rows]
    towers = [(run, rows) for run, rows in done if "policy" in rows and isinstance(kinds[run], Hanoi)]
    large = [(run, rows) for run, rows in done if any(name.startswith("turns, ") for name in rows)]
    if policies:
        yield "2x2x2: the policy alone", policy_text(policies)
        yield "2x2x2: the same networks in a search", search_text(policies)
    if networks:
        yield "2x2x2: ChaseNet", chasenet_text(networks)
        one_of_each = {preset_of(run): run for run, _ in reversed(networks)}
        learning_figure(sorted(one_of_each.values())).savefig(folder / "learning.png", dpi=100)
        yield "2x2x2: learning", "![Warm-up loss, reward, share solved and moves while learning](learning.png)"
    if towers:
        yield "Towers of Hanoi", tower_text(towers)
    if large:
        yield "3x3x3, by turns", turns_text(large)


def main() -> None:
    """The command line."""
    try:
        write(tyro.cli(Options, prog="python -m results.ppo_chasenet.results", description=__doc__))
    except (ValueError, FileNotFoundError, ModuleNotFoundError) as error:
        raise SystemExit(f"error: {error}") from None


if __name__ == "__main__":
    main()
