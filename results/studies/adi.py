"""ADI beside DeepCube and BetaCube: the drift of values, all states of the 2x2x2, solvers by turns, the 3x3x3."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from agents.protocol import Agent
from results.measure import curves
from results.plots import learning_plot, solved_plot
from results.published import BETACUBE, DEEPCUBE
from results.questions import Question, Run, Search, Study, Turned, Uniform
from results.tables import Section
from rubiks_gym.puzzles import Puzzle, Rubik3x3
from train.evaluation import heuristic_quality, kociemba_lengths, policy_quality

DRIFT = {  # the same loop four times -> what it is called
    "2x2-literal": "literal",
    "2x2-weighted": "weights 1/D",
    "2x2-fixed-goal": "goal fixed at 0",
    "2x2-fixed-goal-weighted": "goal fixed, 1/D",
}
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
    return triplets(agent.puzzle, SMALL["DeepCube"].make(agent)(Uniform(500).sample(agent.puzzle)[0]).moves)


def kociemba(agent: Any, folder: Path) -> dict[str, Any]:
    """Median lengths of the two-phase solver on the same cubes."""
    assert isinstance(agent.puzzle, Rubik3x3)
    lengths = {name: kociemba_lengths(agent.puzzle, states.sample(agent.puzzle)[0]) for name, states in CUBES.items()}
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
CUBES: dict[str, Turned | Uniform] = {"15 turns": Turned(15, 20, first=15), "uniform": Uniform(20)}
RUNS = [Run(preset) for preset in ("2x2", *DRIFT, *LARGE)]
QUESTIONS = [
    Question("learning", tuple(DRIFT), measure=curves("goal_value", "target", "error")),
    Question("truth", ("2x2", *DRIFT), measure=truth),
    Question("uniform", ("2x2",), Uniform(500), SMALL | NAIVE),
    Question("turns", ("2x2",), Turned(14, 50), BETACUBES | SMALL),
    Question("turns", LARGE, Turned(30, 20, first=3, every=3), TURNS),
    *(Question(name, LARGE, states, SCRAMBLED) for name, states in CUBES.items()),
    Question("kociemba", ("3x3",), measure=kociemba),
    Question("conjugations", ("2x2",), measure=conjugations),
]
BESIDE = {"BetaCube": BETACUBE["solved"]}
COLUMNS = "run, training, search, cubes, solved, optimal, mean length, median length, nodes, CPU s"
SECTIONS = [
    Section("Divergence", "learning", "run, training, goal_value, target, error", plot="divergence.png|The drift of values"),
    Section(
        "All states of the 2x2x2", "truth", "run, training, values_solve%, policy_solves%, best_move%, mean_absolute_error"
    ),
    Section("2x2x2, uniformly random", "uniform", COLUMNS, ("2x2",), note=f"DeepCube: {DEEPCUBE['shortening']}."),
    Section("2x2x2 by turns", "turns", runs=("2x2",), by="turns", beside=BESIDE, note=f"BetaCube: {BETACUBE['source']}."),
    Section("3x3x3 by turns", "turns", runs=LARGE, by="turns", plot="turns.png|Percent solved by turns"),
    Section("3x3x3 after 15 turns", "15 turns", COLUMNS, note=f"DeepCube: {DEEPCUBE['15 turns']}."),
    Section("3x3x3, uniformly random", "uniform", COLUMNS, LARGE, note=f"DeepCube: {DEEPCUBE['uniform']}."),
    Section("Kociemba's solver on the same cubes", "kociemba", "run, median_after_15_turns, median_uniform"),
    Section(
        "Conjugations in DeepCube's solutions",
        "conjugations",
        "run, triplets, conjugations%, by_chance%, of_the_14_most_used",
        note=f"DeepCube: {DEEPCUBE['conjugations']} ({DEEPCUBE['source']}).",
    ),
]
STUDY = Study(
    "adi",
    RUNS,
    QUESTIONS,
    {"agents/adi/README.md#results": SECTIONS},
    {
        "agents/adi/divergence.png": learning_plot(
            "learning", {"goal_value": "value of the goal", "error": "error over all states, moves"}, "iterations", DRIFT
        ),
        "agents/adi/turns.png": solved_plot("turns", {"2x2": BESIDE, "3x3": {}}, "random turns from the goal"),
    },
)
