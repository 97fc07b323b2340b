"""PPO with ChaseNet reward beside Lin and Liang: the policy alone, in searches, ChaseNet's correlations, learning."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from agents.ppo_chasenet.nx import correlation, walk_pairs
from agents.protocol import Agent
from results.measure import curves
from results.plots import learning_plot
from results.published import LIN
from results.questions import Question, Run, Search, Study
from results.states import turned, uniform
from results.tables import Section
from rubiks_gym.exact import ExactTable
from train.evaluation import policy_quality, start_states

SEED = 12345  # of states and pairs; nothing was trained with it
MOVES = {"max_steps": 100}
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


def truth(agent: Agent, folder: Path) -> dict[str, Any]:
    """The most probable action of every state."""
    found = policy_quality(agent)
    return {"solved_without_undoing": found["greedy_without_undo_solved"], "leads_nearer": found["optimal"]}


FORMS, TUNED = ("2x2-pairs", "2x2-relative", "2x2-fc", "2x2-attention"), ("2x2-pairs-bound", "2x2-pairs-paper")
CUBES = ("2x2", "2x2-long", *FORMS, *TUNED)
RUNS = [Run("2x2", seed) for seed in (0, 1, 2)] + [Run(preset) for preset in ("2x2-long", *FORMS, "hanoi-4-3", "3x3-8")]
RUNS += [Run("2x2-pairs", 0, {"fine_tune": name.rpartition("-")[2]}, name) for name in TUNED]
QUICK = tuple(name for name in CUBES if name not in ("2x2-fc", "2x2-attention"))  # the others are slow in searches
QUESTIONS = [
    Question("policy alone", (*CUBES, "hanoi-4-3"), partial(uniform, n=50_000, seed=SEED), POLICIES),
    Question("truth", (*CUBES, "hanoi-4-3"), measure=truth),
    Question("searches", QUICK, partial(uniform, n=500, seed=SEED), SEARCHES),
    Question("chasenet", CUBES, measure=chasenet),
    Question("turns", ("3x3-8",), partial(turned, most=8, n=200, seed=SEED), POLICIES | SEARCHES),
    Question("learning", CUBES, measure=curves("success", "length", "reward", against="moves")),
]
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
        beside={f"2x2-{form}": str(value) for form, value in LIN["correlation"].items()},
    ),
    Section("Learning", "learning", "run, training, success, length, reward", plot=LEARNING),
    Section("3x3x3 by turns", "turns", by="turns", note=f"The paper: {LIN['source']}."),
]
STUDY = Study("ppo_chasenet", RUNS, QUESTIONS, SECTIONS, ("warm_iterations", "ppo_iterations"))
