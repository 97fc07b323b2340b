"""The published figures that ours are put beside.

S. McAleer, F. Agostinelli, A. Shmakov, P. Baldi, "Solving the Rubik's Cube Without Human Knowledge", 2018, section 5: 8 billion
cubes, 44 hours, 32 cores and three GPUs. N. Bowman, J. Guo, R. Jones, "BetaCube", 2018, section 4: 4 million cubes, 36 hours, a
GPU. Their figures 5a and 3 are drawn, not printed as numbers; what follows is what the texts say.
"""

# BetaCube: percent solved by turns from the goal, its best model (2) with its best solver (vanilla MCTS), 50 cubes each.
BETACUBE: dict[int, float] = {0: 100.0, 1: 100.0, 2: 100.0, 3: 100.0, 4: 100.0, 5: 75.0}

# DeepCube on 640 cubes scrambled 1000 times: percent solved in an hour, median moves, median seconds, nodes expanded.
DEEPCUBE = {"solved": 100.0, "median_length": 30, "seconds": 600, "nodes": 1136}

# On 100 cubes scrambled 15 times: median moves, percent optimal.
DEEPCUBE_15 = {"median_length": 13, "optimal": 74.0}

# What the breadth-first search over the tree takes off the median; how many of the 14 most used triplets are conjugations.
SHORTENING = 3
KOCIEMBA = 55  # percent of cubes whose solution is no longer than kociemba's
CONJUGATIONS = 14
