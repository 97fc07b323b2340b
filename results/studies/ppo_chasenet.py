"""PPO with ChaseNet reward beside Lin and Liang: the policy alone, in searches, ChaseNet's correlations, learning."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from agents.ppo_chasenet.nx import correlation, walk_pairs
from agents.protocol import Agent
from results.measure import curves, metrics
from results.plots import learning_plot
from results.published import LIN
from results.questions import Answer, Question, Run, Search, Study, beam
from results.seeds import CURVE, short_runs
from results.states import turned, uniform
from results.tables import Section, table
from rubiks_gym.exact import ExactTable
from train.evaluation import policy_quality, start_states

SEED = 12345  # of states and pairs; nothing was trained with it
MOVES = {"max_steps": 100}
LENGTHS = (8, 14, 20)  # moves of walks that correlations are measured on
POLICIES = {
    "sampled": Search("sample-policy", MOVES, seed=SEED),
    "most probable": Search("greedy-policy", MOVES | {"allow_undo": True}),
    "most probable, no undo": Search("greedy-policy", MOVES),
    "most probable, no state twice": Search("greedy-policy", MOVES | {"revisit": False}),
}
SEARCHES = {
    "BWAS": Search("bwas", {"weight": 0.6, "batch": 100}, nodes=20_000),
    "DeepCube's MCTS": Search("mcts-deepcube-literal", nodes=20_000),
}
# of fully scrambled 3x3x3s, by ChaseNet's values
FAR = {
    **{f"beam {width:,}": beam(width, nodes=10**9, max_steps=60) for width in (1024, 4096)},
    "BWAS": Search("bwas", {"weight": 0.2, "batch": 1000}, nodes=2_000_000),
}


def chasenet(agent: Any, folder: Path) -> dict[str, Any]:
    """Rank correlations on 2,000 walks that ChaseNet has not seen; how often its lowest neighbour is nearer to the goal."""
    config, puzzle, net = json.loads((folder / "config.json").read_text())["config"], agent.puzzle, agent.net
    table, rng = ExactTable(puzzle), np.random.default_rng(SEED)
    pairs = walk_pairs(puzzle, 2000, config["k"], rng)
    s, t = start_states(puzzle, 0, 2 * len(pairs.y), SEED).reshape(2, len(pairs.y), -1)
    said, truth = net.cost(pairs.s, pairs.t), table.distance(puzzle.relative(pairs.s, pairs.t))
    best = []
    for d in range(1, 9):
        layer = np.flatnonzero(table.distances == d)
        states = puzzle.from_index(rng.choice(layer, min(len(layer), 2000), replace=False))
        children = puzzle.expand(states)
        costs = agent.cost_to_go(children.reshape(-1, puzzle.state_size)).reshape(children.shape[:2])
        best.append(float((table.distance(children[np.arange(len(states)), costs.argmin(axis=1)]) < d).mean()))
    return {
        "form": config["form"],
        "weights": sum(parameter.numel() for parameter in net.network.parameters()),
        "pairs_seen": config["k"] * config["walks"] * config["warm_iterations"],
        "with_moves_made": correlation(said, pairs.y),
        "with_true_distance": correlation(said, truth),
        "of_all_pairs": correlation(net.cost(s, t), table.distance(puzzle.relative(s, t))),
        "true_distance_with_moves_made": correlation(truth, pairs.y),
        "best_move_1_to_8_away": best,
    }


def correlations(agent: Any, folder: Path) -> dict[str, Any]:
    """Rank correlations on 2,000 fresh walks of K = 8, 14, 20 moves, ours and the paper's: with moves made, with the truth.

    And what a perfect estimate has with the moves made, which is the most that there is to have.
    """
    puzzle, net, table = agent.puzzle, agent.net, ExactTable(agent.puzzle)
    config = json.loads((folder / "config.json").read_text())["config"]
    found: dict[str, Any] = {"form": config["form"], "pairs_seen": config["k"] * config["walks"] * config["warm_iterations"]}
    found["loss"] = next(row["chase_loss"] for row in reversed(metrics(folder)) if "chase_loss" in row)
    for plain in (False, True):
        columns = []
        for k in LENGTHS:
            pairs = walk_pairs(puzzle, 2000, k, np.random.default_rng(SEED), plain)
            said, truth = net.cost(pairs.s, pairs.t), table.distance(puzzle.relative(pairs.s, pairs.t))
            columns.append([correlation(said, pairs.y), correlation(said, truth), correlation(truth, pairs.y)])
        for name, column in zip(("moves", "truth", "perfect"), zip(*columns, strict=True), strict=True):
            found[f"{name}_{'plain' if plain else 'ours'}"] = list(column)
    return found


def truth(agent: Agent, folder: Path) -> dict[str, Any]:
    """The most probable action of every state."""
    found = policy_quality(agent)
    return {"solved_without_undoing": found["greedy_without_undo_solved"], "leads_nearer": found["optimal"]}


TUNED = ("2x2-pairs-bound", "2x2-pairs-paper")
THEIRS = ("2x2-fc", "2x2-attention")  # the paper's two networks, which are rewards without and with its fine-tuning
REWARDED = ("2x2", *THEIRS, *(f"{preset}-tuned" for preset in THEIRS))
CUBES: tuple[str, ...] = ("2x2", "2x2-long", "2x2-pairs", "2x2-relative", *TUNED, *REWARDED[1:])
RUNS = [Run("2x2", seed) for seed in (0, 1, 2)]
RUNS += [Run(preset) for preset in ("2x2-long", "2x2-pairs", "2x2-relative", *THEIRS, "hanoi-4-3", "3x3-8", "3x3-scrambled")]
RUNS += [Run("2x2-pairs", seed, {"fine_tune": name.rpartition("-")[2]}, name) for name in TUNED for seed in (0, 1, 2)]
RUNS += [Run("2x2-pairs", seed) for seed in (1, 2)]
RUNS += [Run(preset, seed, {"fine_tune": "paper"}, f"{preset}-tuned") for preset in THEIRS for seed in (0, 1, 2)]
# the warm-up alone, J = 1000 as in the paper, on its walks
PRESET = {"warm-pairs": "2x2", "warm-fc": "2x2-fc", "warm-attention": "2x2-attention"}
WARM = tuple(PRESET)
ONLY = {"warm_iterations": 1000, "ppo_iterations": 0, "plain_walks": True}
RUNS += [Run(preset, 0, ONLY, name) for name, preset in PRESET.items()]
# the paper's two forms without our short walks at first, and with as many pairs each: which one's loss falls faster
PLAIN = {f"warm-{form}-plain": f"2x2-{form}" for form in ("fc", "attention")}
SAME = ONLY | {"warm_iterations": 500, "warm_k": 0, "walks": 250, "warm_batch_size": 175}
RUNS += [Run(preset, 0, SAME, name) for name, preset in PLAIN.items()]
CHASE = (*WARM, *THEIRS)
QUICK = tuple(name for name in CUBES if "fc" not in name and "attention" not in name)  # the others are slow in searches
QUESTIONS = [
    Question("policy alone", (*CUBES, "hanoi-4-3"), partial(uniform, n=50_000, seed=SEED), POLICIES),
    Question("truth", (*CUBES, "hanoi-4-3"), measure=truth),
    Question("searches", QUICK, partial(uniform, n=500, seed=SEED), SEARCHES),
    Question("chasenet", CUBES, measure=chasenet),
    Question("correlations", CHASE, measure=correlations),
    Question("warm-up", (*WARM, *PLAIN), measure=curves("chase_loss", points=200)),
    Question("turns", ("3x3-8",), partial(turned, most=8, n=200, seed=SEED), POLICIES | SEARCHES),
    Question("scrambled", ("3x3-scrambled",), partial(uniform, n=100, seed=SEED), POLICIES | FAR),
    Question("learning", CUBES, measure=curves("success", "length", "reward", against="moves")),
]


def correlations_table(answers: list[Answer]) -> str:
    """A line per run and kind of walk: with moves made, with the true distance, and what a perfect estimate would have."""
    rows = []
    for answer in answers:
        of = answer.record["found"]
        for kind, name in (("ours", "never undo"), ("plain", "the paper's")):
            cells = [f"{of[f'{what}_{kind}'][i]:.3f}" for what in ("moves", "truth", "perfect") for i in range(len(LENGTHS))]
            rows.append([str(answer.run), of["form"], f"{of['pairs_seen']:,}", name, *cells])
    names = ("moves made", "true distance", "perfect, moves made")
    return table(["run", "form", "pairs seen", "walks", *(f"{name}, K = {k}" for name in names for k in LENGTHS)], rows)


PAPERS = "{fc} (fc) and {attention} (attention)".format(**LIN["correlation"])
NOTE = (
    f"The paper: {PAPERS} with the true cost, on walks of a K that it does not give. On its walks even the true distance has "
    "no more with the moves made than the last columns say."
)
CURVES = {"success": "share of episodes solved", "length": "moves of an episode"}
PLOT = partial(learning_plot, below="million moves of PPO", curves=CURVES, scale=1e6)
LEARNING = ("learning.png", "Share solved and moves of an episode while PPO learns", PLOT)
ALONE = "run, training, search, solved, optimal, mean length"
MEASURES = "with_moves_made, with_true_distance, of_all_pairs, true_distance_with_moves_made, best_move_1_to_8_away"
SECTIONS = [
    Section("The policy alone, 50,000 uniformly random states", "policy alone", ALONE, note=f"The paper: {LIN['solved']}."),
    Section("The most probable action of all states", "truth", "run, training, solved_without_undoing%, leads_nearer%"),
    Section("The same networks in a search", "searches", "run, search, cubes, solved, optimal, mean length, nodes, CPU s"),
    Section(
        "ChaseNet: rank correlations, and percent whose best neighbour it knows",
        "chasenet",
        f"run, training, form, weights, pairs_seen, {MEASURES}",
    ),
    Section("ChaseNet: rank correlations on both kinds of walk", "correlations", table=correlations_table, note=NOTE),
    Section("ChaseNet alone: its loss after the warm-up", "warm-up", "run, training, chase_loss"),
    Section("Learning", "learning", "run, training, success, length, reward", plot=LEARNING),
    Section("3x3x3, fully scrambled", "scrambled", "run, training, search, cubes, solved, mean length, nodes, CPU s"),
    Section("3x3x3 by turns", "turns", by="turns", note=f"The paper: {LIN['source']}."),
]
STUDY = Study(
    "ppo_chasenet",
    [*RUNS, *short_runs("2x2", 25, warm_iterations=600, ppo_iterations=250)],
    [*QUESTIONS, CURVE],
    SECTIONS,
    ("warm_iterations", "ppo_iterations"),
)
