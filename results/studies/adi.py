"""ADI beside DeepCube and BetaCube: the drift of values, all states of the 2x2x2, solvers by turns, the 3x3x3."""

from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from agents.protocol import Agent
from results.measure import curves
from results.plots import learning_plot, solved_plot
from results.published import BETACUBE, DEEPCUBE
from results.questions import Question, Run, Search, Study
from results.states import turned, uniform
from results.tables import Section
from rubiks_gym.puzzles import Puzzle, Rubik3x3
from train.evaluation import heuristic_quality, kociemba_lengths, policy_quality

DRIFT = ("2x2-literal", "2x2-weighted", "2x2-fixed-goal", "2x2-fixed-goal-weighted")  # the same loop four times
LARGE = ("3x3", "3x3-plain")


def solvers(nodes: int, expanded: int, weight: float) -> dict[str, Search]:
    """Policy, values, DeepCube's search with so many nodes, BWAS with so many."""
    return {
        "policy, no undo": Search("greedy-policy"),
        "values, no undo": Search("greedy"),
        "DeepCube": Search("mcts-deepcube", nodes=nodes),
        "DeepCube, no undo": Search("mcts-deepcube", {"allow_undo": False}, nodes=nodes),
        "BWAS": Search("bwas", {"weight": weight, "batch": 100}, nodes=expanded),
    }


def truth(agent: Agent, folder: Path) -> dict[str, Any]:
    """Values and policy against the true distances of all states."""
    value, policy, way = heuristic_quality(agent), policy_quality(agent), "greedy_without_undo_solved"
    found = {"values_solve": value[way], "policy_solves": policy[way], "best_move": policy["optimal"]}
    return found | {"mean_absolute_error": value["mean_absolute_error"]}


def triplets(puzzle: Puzzle, solutions: list[list[int]]) -> dict[str, Any]:
    """Section 5.1: how many triplets of moves in solutions are conjugations a b a^-1, and how many of random ones would be."""
    inverse, actions = puzzle.inverse_action, range(puzzle.n_actions)

    def is_conjugation(a: int, b: int, c: int) -> bool:
        return c == inverse[a] and b not in (a, inverse[a])

    used = Counter(triplet for moves in solutions for triplet in zip(moves, moves[1:], moves[2:], strict=False))
    chance = [(a, b, c) for a in actions for b in actions if b != inverse[a] for c in actions if c != inverse[b]]
    return {
        "triplets": used.total(),
        "conjugations": sum(n for triplet, n in used.items() if is_conjugation(*triplet)) / max(1, used.total()),
        "by_chance": sum(is_conjugation(*triplet) for triplet in chance) / len(chance),
        "of_the_14_most_used": sum(is_conjugation(*triplet) for triplet, _ in used.most_common(14)),
    }


def conjugations(agent: Agent, folder: Path) -> dict[str, Any]:
    """The triplets of DeepCube's solutions."""
    return triplets(agent.puzzle, SMALL["DeepCube"].make(agent)(uniform(agent.puzzle, 500)[0]).moves)


def kociemba(agent: Any, folder: Path) -> dict[str, Any]:
    """Median lengths of the two-phase solver on the same cubes."""
    assert isinstance(agent.puzzle, Rubik3x3)
    lengths = {name: kociemba_lengths(agent.puzzle, states(agent.puzzle)[0]) for name, states in CUBES.items()}
    return {
        "median_after_15_turns": float(np.median(lengths["15 turns"])),
        "median_uniform": float(np.median(lengths["uniform"])),
    }


BETACUBES = {
    "policy": Search("greedy-policy", {"allow_undo": True}),
    "full MCTS": Search("mcts-betacube-full", nodes=1000),
    "vanilla MCTS": Search("mcts-betacube-vanilla", nodes=100_000),
}
SMALL, TURNS = solvers(1000, 100_000, 0.6), solvers(10_000, 100_000, 0.2)
NAIVE = {"DeepCube, not shortened": Search("mcts-deepcube-naive", nodes=1000)}
SCRAMBLED = {
    "DeepCube": Search("mcts-deepcube", nodes=200_000),
    "BWAS": Search("bwas", {"weight": 0.2, "batch": 100}, nodes=2**31, seconds=60),
}
CUBES = {"15 turns": partial(turned, most=15, n=20, first=15), "uniform": partial(uniform, n=20)}
RUNS = [Run(preset) for preset in ("2x2", *DRIFT, *LARGE)]
QUESTIONS = [
    Question("learning", DRIFT, measure=curves("goal_value", "target", "error")),
    Question("truth", ("2x2", *DRIFT), measure=truth),
    Question("uniform", ("2x2",), partial(uniform, n=500), SMALL | NAIVE),
    Question("turns", ("2x2",), partial(turned, most=14, n=50), BETACUBES | SMALL),
    Question("turns", LARGE, partial(turned, most=30, n=20, first=3, every=3), TURNS),
    *(Question(name, LARGE, states, SCRAMBLED) for name, states in CUBES.items()),
    Question("kociemba", ("3x3",), measure=kociemba),
    Question("conjugations", ("2x2",), measure=conjugations),
]
BESIDE = {"BetaCube": BETACUBE["solved"]}
CURVES = {"goal_value": "value of the goal", "error": "error over all states, moves"}
DRIFTING = ("divergence.png", "The drift of values", partial(learning_plot, below="iterations", curves=CURVES))
TURNING = ("turns.png", "Percent solved by turns", partial(solved_plot, below="random turns from the goal", beside={}))
CONJUGATIONS = f"DeepCube: {DEEPCUBE['conjugations']} ({DEEPCUBE['source']})."
COLUMNS = "run, training, search, cubes, solved, optimal, mean length, median length, nodes, CPU s"
QUALITY = "values_solve%, policy_solves%, best_move%, mean_absolute_error"
TRIPLETS = "triplets, conjugations%, by_chance%, of_the_14_most_used"
SECTIONS = [
    Section("Divergence", "learning", "run, training, goal_value, target, error", plot=DRIFTING),
    Section("All states of the 2x2x2", "truth", f"run, training, {QUALITY}"),
    Section("2x2x2, uniformly random", "uniform", COLUMNS, ("2x2",), note=f"DeepCube: {DEEPCUBE['shortening']}."),
    Section("2x2x2 by turns", "turns", runs=("2x2",), by="turns", beside=BESIDE, note=f"BetaCube: {BETACUBE['source']}."),
    Section("3x3x3 by turns", "turns", runs=LARGE, by="turns", plot=TURNING),
    Section("3x3x3 after 15 turns", "15 turns", COLUMNS, note=f"DeepCube: {DEEPCUBE['15 turns']}."),
    Section("3x3x3, uniformly random", "uniform", COLUMNS, LARGE, note=f"DeepCube: {DEEPCUBE['uniform']}."),
    Section("Kociemba's solver on the same cubes", "kociemba", "run, median_after_15_turns, median_uniform"),
    Section("Conjugations in DeepCube's solutions", "conjugations", f"run, {TRIPLETS}", note=CONJUGATIONS),
]
STUDY = Study("adi", RUNS, QUESTIONS, SECTIONS)
