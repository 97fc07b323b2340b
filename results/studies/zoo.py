"""All learners under all searches on the same cubes: the agents of the zoo that play the 2x2x2, each cube searched alone."""

from functools import partial

from results.comparison import pairs, profiles
from results.questions import Question, Run, Search, Study, beam
from results.states import each_alone
from results.tables import Section

LEARNERS = ("davi", "adi", "td_ntuple", "general_ntuple", "ppo_chasenet")
RUNS = [Run(f"zoo:{name}/rubik2x2-qtm", name=name) for name in LEARNERS]
NODES = 100_000
SEARCHES = {
    "values": Search("greedy", nodes=NODES),
    "policy": Search("greedy-policy", nodes=NODES),
    "BWAS": Search("bwas", {"weight": 1.0, "batch": 10}, nodes=NODES),
    "beam 64": beam(64, nodes=NODES),
    "MCTS": Search("mcts-deepcube", nodes=NODES),
}
STUDY = Study(
    algorithm="zoo",
    runs=RUNS,
    questions=[Question("same cubes", LEARNERS, partial(each_alone, n=300), SEARCHES)],
    sections=[
        Section(
            "All learners, all searches",
            "same cubes",
            "run, training, search, cubes, solved, optimal, mean length, CPU s",
            note="The 2x2x2 in quarter turns, 300 uniformly random cubes, one after another, at most 100,000 nodes each. "
            "*values* goes to the child with the lowest cost-to-go, *policy* takes the most probable move; MCTS is DeepCube's. "
            "td_ntuple has 16 of the report's 60 tuples, so as to be small; general_ntuple learns for beams. "
            "symmetric_ntuple is for the 3x3x3 alone.",
            plot=(
                "comparison.png",
                "Share of cubes solved within the optimum plus k moves, and within t CPU seconds, by search and learner",
                profiles,
            ),
        ),
        Section("Pairs", "same cubes", table=pairs),
    ],
)
