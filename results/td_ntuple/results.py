"""Measure trained runs beside the report, and write the tables of README.md: python -m results.td_ntuple.results

Runs are folders runs/td_ntuple/PRESET-sSEED, as the commands in README.md make them. What has been measured is kept in each
run's solved.json and not measured again; `--no-measure` only writes the tables.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import tyro

import agents
from agents.td_ntuple.agent import TdNTuple
from agents.td_ntuple.config import PRESETS
from results.td_ntuple.figures import solved_figure
from results.td_ntuple.published import AGENTS, CUBES, SOLVED
from rubiks_gym import files
from rubiks_gym.search import Solutions, make_search
from rubiks_gym.search.mcts import PRESETS as MCTS_PRESETS
from rubiks_gym.search.mcts import mcts
from train.evaluation import heuristic_quality, solved_by_depth
from train.runs import origin

HERE = Path(__file__).parent
E_EVAL = 50  # moves after which a cube counts as not solved


@dataclass(frozen=True)
class Options:
    """Which runs to measure, and how."""

    runs: Path = Path("runs/td_ntuple")
    """Folder of the run folders."""
    iterations: tuple[int, ...] = (0, 100, 800)
    """MCTS iterations per move; 0 is the agent alone."""
    charged: tuple[int, ...] = (100,)
    """MCTS iterations to measure with step costs charged in the backup too."""
    walks: tuple[Literal["plain", "clean"], ...] = ("plain", "clean")
    """Scrambles to measure on: plain ones may undo the twist before, clean ones do not."""
    cubes: int = CUBES
    """Start states per number of twists."""
    seed: int = 0
    """Of the scrambles."""
    measure: bool = True
    """Measure what is missing; otherwise only write the tables."""
    only: str = ""
    """Measure only runs whose name begins with this."""
    tables: bool = True
    """Write the tables; several processes may measure different runs at once, and one write them in the end."""
    readme: Path = HERE / "README.md"
    """Where the tables go, between <!-- results:begin --> and <!-- results:end -->."""


def wrapped(agent: TdNTuple, iterations: int, **options: Any) -> Callable[[np.ndarray], Solutions]:
    """The agent alone (0 iterations), or in the report's MCTS wrapper (section 5.2.2, algorithm 4).

    As in the author's program: rewards are the agent's own, priors the softmax of the children's values, and neither the
    agent nor the tree ever takes back the move before.
    """
    if iterations == 0:
        return make_search("greedy", agent, {"max_steps": E_EVAL})
    own = {"step_cost": agent.step_cost, "reward": agent.reward, "temperature": -1 / agent.step_cost, "skip_undo": True}
    ours = {"iterations_per_move": iterations, "max_moves": E_EVAL, "remember": 1 << 22}  # 100 MB, for speed only
    settings = MCTS_PRESETS["konen"] | own | ours | options
    return lambda states: mcts(agent.puzzle, states, agent.cost_to_go, **settings)


def measure(folder: Path, options: Options) -> None:
    """Add what is missing to a run's solved.json: shares solved for p = 1, 2, ... on plain and on clean walks."""
    file = folder / "solved.json"
    preset = _preset(folder)
    agent = agents.load(folder)
    episodes = int(agents.last_checkpoint(folder).stem)
    found = json.loads(file.read_text()) if file.exists() else {}
    if found.get("episodes") != episodes or found.get("cubes") != options.cubes:
        found = {"episodes": episodes, "cubes": options.cubes, "seed": options.seed, "solved": {}}
    most = max(PRESETS[preset][1].p_max, 15 if preset.startswith("3x3-qtm") else 0)
    jobs = [(n, False) for n in options.iterations] + [(n, True) for n in options.charged]
    for iterations, charged in jobs:
        for walk in options.walks:
            name = f"{iterations}{' charged' if charged else ''} {walk}"
            if name in found["solved"]:
                continue
            search = wrapped(agent, iterations, **({"charge_steps": True} if charged else {}))
            depths, undo = range(1, most + 1), walk == "plain"
            rows = solved_by_depth(agent.puzzle, search, depths, options.cubes, options.seed, allow_undo=undo)
            found["solved"][name] = [row["solved"] for row in rows]
            print(folder.name, name, " ".join(f"{100 * row['solved']:.0f}" for row in rows), flush=True)
            files.write_text(file, json.dumps(found))
    if agent.puzzle.enumerable and "all_states" not in found:
        quality = heuristic_quality(agent)
        found["all_states"] = quality["greedy_without_undo_solved"]
        files.write_text(file, json.dumps(found))


def table(preset: str, runs: list[dict[str, Any]]) -> str:
    """One preset's results: per search the report's percentages, ours on plain walks and on clean ones, means over runs."""
    searches = {name.rpartition(" ")[0] for run in runs for name in run["solved"]}
    names = sorted(searches, key=lambda name: (int(name.split()[0]), name))
    depths = len(next(iter(runs[0]["solved"].values())))
    shown = range(1, depths + 1)
    lines = [f"| p | {' | '.join(map(str, shown))} | mean |", "|---" * (depths + 2) + "|"]
    ours = {}
    for name in names:
        iterations = int(name.split()[0])
        title = (f"MCTS {iterations}" if iterations else "agent alone") + (", steps charged" if "charged" in name else "")
        theirs = SOLVED.get(preset, {}).get(iterations)
        if theirs and "charged" not in name:
            cells = [f"{x:.1f}" for x in theirs] + [""] * (depths - len(theirs))
            lines.append(f"| {title}, Konen | {' | '.join(cells)} | {np.mean(theirs):.1f} |")
        for walk in ("plain", "clean"):
            found = [run["solved"][f"{name} {walk}"] for run in runs if f"{name} {walk}" in run["solved"]]
            if not found:
                continue
            mean = 100 * np.mean(found, axis=0)
            if walk == "plain" and "charged" not in name:
                ours[iterations] = mean.tolist()
            cells = [f"{x:.1f}{_mark(x, theirs, i, len(found)) if walk == 'plain' else ''}" for i, x in enumerate(mean)]
            fewer = f" ({len(found)} of {len(runs)} runs)" if len(found) < len(runs) else ""
            lines.append(f"| {title}, {walk} walks{fewer} | {' | '.join(cells)} | {mean.mean():.1f} |")
    solved_figure(preset, ours).savefig(HERE / f"solved-{preset}.png", dpi=100)
    episodes = {run["episodes"] for run in runs}
    head = f"### {preset}\n\n{len(runs)} run(s) of {'/'.join(f'{n:,}' for n in sorted(episodes))} episodes."
    everywhere = [run["all_states"] for run in runs if "all_states" in run]
    if everywhere:
        each = ", ".join(f"{100 * share:.2f}" for share in everywhere)
        head += f" Greedy from *all* 3,674,160 states: {100 * np.mean(everywhere):.2f}% solved ({each})."
    return "\n".join([head, "", *lines, "", f"![{preset}](solved-{preset}.png)"])


def _preset(folder: Path) -> str:
    return folder.name.rpartition("-s")[0]


def _mark(percent: float, theirs: list[float] | None, i: int, runs: int) -> str:
    """A mark where ours is more than two standard errors below the report's."""
    if theirs is None or i >= len(theirs):
        return ""
    p, q = percent / 100, theirs[i] / 100
    error = np.sqrt(p * (1 - p) / (CUBES * runs) + q * (1 - q) / (CUBES * AGENTS))
    return "" if p >= q - 2 * error - 1e-9 else " (!)"


def run(options: Options) -> None:
    """Measure, then write the tables."""
    folders = [folder for folder in sorted(options.runs.glob("*-s*")) if folder.is_dir() and _preset(folder) in PRESETS]
    if not folders:
        raise ValueError(f"no runs PRESET-sSEED in {options.runs}: train some first, see README.md")
    for folder in folders:
        finished = (folder / "learning_curve.png").exists()
        if options.measure and finished and folder.name.startswith(options.only):
            measure(folder, options)
    if not options.tables:
        return
    texts = []
    for preset in PRESETS:
        files = [folder / "solved.json" for folder in folders if _preset(folder) == preset]
        runs = [json.loads(file.read_text()) for file in files if file.exists()]
        if runs:
            texts.append(table(preset, runs) + "\n\n" + "\n".join(origin(file.parent) for file in files if file.exists()))
    files.write_between(options.readme, "results", "\n" + "\n\n".join(texts) + "\n")
    print(f"written: {options.readme}")


def main() -> None:
    """The command line."""
    try:
        run(tyro.cli(Options, description=__doc__))
    except (ValueError, FileNotFoundError) as error:
        raise SystemExit(f"error: {error}") from None


if __name__ == "__main__":
    main()
