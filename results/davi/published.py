"""The published figures that ours are put beside.

C. Tardón Rubio, "Reinforcement Learning: Theoretical Foundations and Application to the Rubik's Cube", bachelor's thesis,
Universidad Complutense de Madrid, 2022, sections 5.1 to 5.9, on a laptop (Core i7-8550U). DeepCubeA's rates are those of its
authors' Python on one core of a machine like ours, measured for us.
"""

# 5.5: network and scramble of the final models, and the iterations (1000 states each) of their convergence points.
FINAL_POINTS: dict[str, list[int]] = {
    "2x2-final": [40, 70, 90, 100, 120, 150, 230, 510, 980, 1380, 1990, 2350, 2680, 3330, 5460, 7460],
    "2x2-final_nr": [40, 45, 55, 65, 80, 115, 265, 315, 470, 680, 795, 1315, 1490],
    "2x2-final_nrr": [40, 60, 100, 110, 160, 230, 400, 440, 450, 580, 840, 1250, 1640],
}
# 5.1 and 5.3: the four networks, K = 20.
POINTS: dict[str, list[int]] = {
    "2x2-DNN_0": [40, 70, 90, 130, 160, 240, 400, 740, 1200, 2080, 3140, 4050, 7550],
    "2x2-DNN_noBatchNorm": [10, 20, 30, 40, 50, 70, 130, 250, 650, 1080, 1790, 2540, 3290, 6950],
    "2x2-DNN_reduced_0": [50, 60, 80, 100, 140, 290, 550, 1010, 1610, 2440, 3850, 5880, 9900],
    "2x2-DNN_reduced_0_noBatchNorm": [10, 20, 30, 40, 50, 70, 130, 370, 830, 2030, 3660, 6140, 11080],
} | FINAL_POINTS

# 5.7: percent optimal of 10,000 DeepCube-walk states (K = 20), lambda 0.7, N 5, at the best convergence point.
OPTIMAL: dict[str, float] = {
    "2x2-DNN_0": 99.409,
    "2x2-DNN_noBatchNorm": 98.128,
    "2x2-DNN_reduced_0": 99.069,
    "2x2-DNN_reduced_0_noBatchNorm": 98.178,
    "2x2-final": 99.089,
    "2x2-final_nr": 99.04,
    "2x2-final_nrr": 98.595,
}

# 5.6: at the same convergence point, percent admissible, mean overestimate, percent consistent of 40,000 such states.
HEURISTIC: dict[str, tuple[float, float, float]] = {
    "2x2-DNN_0": (81.885, 0.116, 70.79),
    "2x2-DNN_noBatchNorm": (71.375, 0.222, 59.842),
    "2x2-DNN_reduced_0": (75.417, 0.169, 69.56),
    "2x2-DNN_reduced_0_noBatchNorm": (70.792, 0.304, 61.607),
    "2x2-final": (79.177, 0.213, 67.615),
    "2x2-final_nr": (66.46, 0.208, 70.187),
    "2x2-final_nrr": (83.147, 0.257, 69.82),
}

# 5.3: mean absolute error over all states, at the last convergence point.
ERROR: dict[str, float] = {
    "2x2-DNN_0": 2.1626,
    "2x2-DNN_noBatchNorm": 1.7688,
    "2x2-DNN_reduced_0": 1.9219,
    "2x2-DNN_reduced_0_noBatchNorm": 1.6683,
}

# 5.7: percent optimal, nodes expanded and seconds per state by (lambda, N), for final_nr at iteration 795.
GRID: dict[tuple[float, int], tuple[float, float, float]] = {
    (0.2, 3): (66.996, 233.02, 5.692),
    (0.2, 5): (72.529, 214.35, 3.414),
    (0.2, 7): (75.296, 218.58, 2.918),
    (0.5, 3): (92.094, 155.02, 3.888),
    (0.5, 5): (92.292, 161.26, 2.597),
    (0.5, 7): (92.292, 168.48, 2.489),
    (0.7, 3): (99.407, 158.54, 4.078),
    (0.7, 5): (99.407, 165.94, 2.722),
    (0.7, 7): (99.407, 173.05, 2.488),
    (1.0, 3): (100.0, 358.17, 8.795),
    (1.0, 5): (100.0, 363.80, 6.600),
    (1.0, 7): (100.0, 369.22, 5.104),
}

# 5.8: minutes of training, length from the start peg, seconds, states expanded (lambda 0.7, N 7).
HANOI: dict[str, tuple[float, int, float, int]] = {
    "hanoi-4-3": (15, 15, 0.7, 76),
    "hanoi-7-3": (145, 127, 20, 2028),
    "hanoi-10-3": (180, 1023, 404, 56_010),
}

# 5.9: seconds for the first q moves of the position at distance 26, all solved optimally (lambda 0.6, N 7).
PREFIXES: dict[int, float] = {11: 1.11, 12: 5.65, 13: 29.444, 14: 153.349, 15: 1157.79}

# DeepCubeA on one core, networks of 0.73 million weights: states trained on, nodes of BWAS, per second.
SPEED = {"training": 2603, "bwas": 27_500}
