"""What others report, as data; every entry names its source."""

from typing import Any

CUBES_3X3: dict[str, dict[str, Any]] = {  # DeepCubeA's 1,000 cubes, seconds for each on the authors' own machines
    "DeepCubeA": {
        "length": 21.50, "optimal": 60.3, "seconds": 24.22, "on": "GPUs", "training": "10 billion states, 36 h, GPUs",
        "source": "Agostinelli et al. 2019, Nature Machine Intelligence, table 1",
    },
    "EfficientCube, beam 2^10": {
        "length": 23.3, "optimal": 15.0, "seconds": None, "on": "", "training": "50 billion states, days of GPU",
        "source": "Takano 2023, TMLR",
    },
    "EfficientCube, beam 2^18": {
        "length": 21.26, "optimal": 69.6, "seconds": 484, "on": "T4", "training": "50 billion states, days of GPU",
        "source": "Takano 2023, TMLR",
    },
    "CayleyPy, one network, beam 2^18": {
        "length": 21.137, "optimal": 75.4, "seconds": 10.9, "on": "A100", "training": "4 h 40 min of an A100",
        "source": "Chervov et al. 2025, files of its repository",
    },
    "CayleyPy, 26 networks, beam 2^24": {
        "length": 20.669, "optimal": 98.4, "seconds": None, "on": "", "training": "8 billion states a network",
        "source": "Chervov et al. 2025, files of its repository",
    },
    "JAxtar, Q-beam, batch 10,000": {
        "length": None, "optimal": 49.4, "seconds": 0.084, "on": "RTX 4080S", "training": "14.7 million weights, GPU",
        "source": "JAxtar, files of its repository, July 2026",
    },
    "JAxtar, Q*": {
        "length": None, "optimal": 84.2, "seconds": 1.25, "on": "RTX 5090", "training": "14.7 million weights, GPU",
        "source": "JAxtar, files of its repository, July 2026",
    },
    "JAxtar, A* deferred": {
        "length": None, "optimal": 87.4, "seconds": 7.9, "on": "RTX 5090", "training": "14.7 million weights, GPU",
        "source": "JAxtar, files of its repository, July 2026",
    },
}  # fmt: skip

KONEN: dict[str, Any] = {  # percent solved of 200 cubes after p = 1, 2, ... twists, mean of 3 agents, by MCTS iterations
    "source": "Konen 2023, arXiv:2301.12167, figures 12 and 15; github.com/WolfgangKonen/PapersWithCodeRubiks",
    "2x2-htm": {
        "agent alone": [100, 100, 100, 100, 100, 100, 97.7, 94.5, 92.7, 88.5, 87.8, 88.0, 86.2],
        "MCTS 100": [100] * 13,
        "MCTS 800": [100] * 13,
    },
    "3x3-htm": {  # MCTS 100 with c_PUCT = 10, as in the figure
        "agent alone": [100, 100, 100, 100, 99.0, 78.7, 48.7, 27.7, 12.2],
        "MCTS 100": [100, 100, 100, 100, 99.8, 98.5, 89.2, 58.0, 34.3],
        "MCTS 800": [100, 100, 100, 100, 100, 99.8, 92.8, 68.7, 45.3],
    },
    "2x2-qtm": {
        "agent alone": [100, 100, 100, 100, 100, 100, 100, 99.7, 99.8, 98.2, 97.0, 95.3, 93.7, 94.7, 91.8, 90.7],
        "MCTS 100": [100] * 16,
        "MCTS 800, c = 10": [100] * 9 + [99.8, 100, 99.8, 99.7, 99.7, 99.3, 99.3],
    },
    "3x3-qtm": {  # 14 and 15 twists: figure 15's agents without symmetries, since figure 12 ends at 13
        "agent alone": [100, 100, 100, 100, 100, 99.3, 91.3, 79.0, 63.7, 48.3, 37.0, 24.8, 20.0, 10.3, 6.5],
        "MCTS 100": [100, 100, 100, 100, 100, 99.8, 97.7, 94.5, 86.3, 73.2, 62.2, 47.5, 34.5, 26.0, 16.0],
        "MCTS 800": [100, 100, 100, 100, 100, 100, 99.8, 98.5, 95.2, 88.8, 80.2, 65.3, 50.7, 41.3, 27.3],
    },
    "3x3-qtm-nsym8": {
        "agent alone": [100, 99.8, 100, 99.8, 99.7, 99.3, 97.0, 84.7, 74.2, 59.0, 44.7, 31.7, 24.0, 14.3, 13.2],
        "MCTS 100": [100, 100, 100, 100, 100, 99.7, 99.8, 98.5, 94.8, 85.8, 81.2, 63.5, 54.3, 41.5, 33.5],
        "MCTS 800": [100, 100, 99.8, 100, 100, 99.8, 100, 99.7, 98.8, 96.0, 88.2, 81.5, 69.0, 59.0, 41.3],
    },
    "3x3-qtm-nsym16": {
        "agent alone": [100, 100, 100, 100, 99.7, 99.0, 97.7, 91.7, 81.8, 63.3, 50.5, 35.8, 29.2, 22.7, 14.0],
        "MCTS 100": [100, 100, 100, 99.8, 99.8, 99.7, 99.2, 97.3, 93.3, 86.8, 78.7, 66.7, 50.0, 38.8, 35.0],
        "MCTS 800": [100, 100, 100, 100, 100, 99.8, 99.7, 98.8, 99.3, 96.5, 89.3, 82.2, 71.3, 58.3, 46.8],
    },
    "3x3-qtm-nsym24": {
        "agent alone": [100, 100, 100, 100, 100, 99.8, 98.3, 94.7, 83.8, 72.3, 55.8, 38.7, 32.0, 22.2, 18.8],
        "MCTS 100": [100, 100, 100, 100, 100, 100, 99.5, 95.5, 95.0, 91.2, 75.7, 66.7, 54.5, 39.5, 33.8],
        "MCTS 800": [100, 100, 100, 100, 100, 99.2, 95.5, 97.0, 94.7, 91.5, 84.2, 75.5, 64.0, 49.8, 44.5],
    },
}

TARDON: dict[str, Any] = {
    "source": "Tardón Rubio 2022, bachelor's thesis, Universidad Complutense de Madrid, sections 5.1 to 5.9 (Core i7-8550U)",
    # 5.5: thousands of states at each convergence point of the final models
    "points": {
        "2x2-final": [40, 70, 90, 100, 120, 150, 230, 510, 980, 1380, 1990, 2350, 2680, 3330, 5460, 7460],
        "2x2-final_nr": [40, 45, 55, 65, 80, 115, 265, 315, 470, 680, 795, 1315, 1490],
        "2x2-final_nrr": [40, 60, 100, 110, 160, 230, 400, 440, 450, 580, 840, 1250, 1640],
    },
    # 5.1 and 5.3: the same for its four networks with walks of 20 moves
    "networks": {
        "2x2-DNN_0": [40, 70, 90, 130, 160, 240, 400, 740, 1200, 2080, 3140, 4050, 7550],
        "2x2-DNN_noBatchNorm": [10, 20, 30, 40, 50, 70, 130, 250, 650, 1080, 1790, 2540, 3290, 6950],
        "2x2-DNN_reduced_0": [50, 60, 80, 100, 140, 290, 550, 1010, 1610, 2440, 3850, 5880, 9900],
        "2x2-DNN_reduced_0_noBatchNorm": [10, 20, 30, 40, 50, 70, 130, 370, 830, 2030, 3660, 6140, 11080],
    },
    # 5.6 and 5.7: the best of four convergence points each: percent admissible, consistent, solved optimally (lambda 0.7, N 5)
    "models": {
        "DNN_0": (87.4, 70.8, 99.4), "DNN_noBatchNorm": (71.8, 63.6, 98.1), "DNN_reduced_0": (76.5, 69.6, 99.1),
        "DNN_reduced_0_noBatchNorm": (70.8, 61.6, 98.2), "final": (86.5, 67.6, 99.1), "final_nr": (74.4, 70.2, 99.0),
        "final_nrr": (83.1, 69.8, 98.6),
    },
    # 5.7: the least percent solved optimally at any distance, of the four best models
    "distances": "100% at 0 to 6 and 12 to 14, at least 96.3% at 7 to 11",
    # 5.7: percent optimal, nodes expanded and seconds a state by (lambda, N), for final_nr
    "grid": {
        (0.2, 3): (66.996, 233.02, 5.692), (0.2, 5): (72.529, 214.35, 3.414), (0.2, 7): (75.296, 218.58, 2.918),
        (0.5, 3): (92.094, 155.02, 3.888), (0.5, 5): (92.292, 161.26, 2.597), (0.5, 7): (92.292, 168.48, 2.489),
        (0.7, 3): (99.407, 158.54, 4.078), (0.7, 5): (99.407, 165.94, 2.722), (0.7, 7): (99.407, 173.05, 2.488),
        (1.0, 3): (100.0, 358.17, 8.795), (1.0, 5): (100.0, 363.80, 6.600), (1.0, 7): (100.0, 369.22, 5.104),
    },
    # 5.6 and 5.7, the best of the final models
    "optimal": "99.1% of 10,000 walk states solved optimally (lambda 0.7, N 5)",
    "truth": "of 40,000 walk states up to 86.5% admissible, and up to 70.2% consistent with their neighbours (ours: of moves)",
    # 5.6, all models at four convergence points each
    "definitions": "of 40,000 walk states 49.7 to 87.4% admissible, 49.2 to 70.8% consistent with all of their neighbours; the "
    "others are overestimated by 0.116 to 0.342",
    # 5.8: minutes of training, length from the start, seconds, states expanded (lambda 0.7, N 7)
    "hanoi": {"hanoi-4-3": (15, 15, 0.7, 76), "hanoi-7-3": (145, 127, 20, 2028), "hanoi-10-3": (180, 1023, 404, 56_010)},
    # 5.8: percent admissible, overestimate of the others, percent consistent, at three convergence points each
    "hanoi quality": {
        "hanoi-4-3": "53.3 to 78.4% admissible, the others over by 0.29 to 0.44, 44.2 to 51.5% consistent",
        "hanoi-7-3": "90.6 to 94.2% admissible, the others over by 0.01 to 0.10, 60.0 to 68.1% consistent",
        "hanoi-10-3": "91.8 to 97.4% admissible, the others over by 0.02 to 0.82, 73.4 to 81.9% consistent",
    },
    # 5.9
    "consistent 3x3x3": "93.96, 93.64, 90.84 and 86.77% of 30,000 walk states, falling from iteration 350 to 1400",
    "prefixes": "the first 1 to 15 moves solved optimally, up to 11 within 1.11 s, 12 to 15 in 5.65, 29.4, 153 and 1158 s",
}  # fmt: skip

BETACUBE: dict[str, Any] = {  # percent solved of 50 cubes by turns, its best model with its best solver
    "source": "Bowman, Guo, Jones 2018, BetaCube, section 4: model 2 with Vanilla MCTS, 2 million cubes (or 4, it says both)",
    "solved": {1: 100, 2: 100, 3: 100, 4: 100, 5: 75},
}
DEEPCUBE: dict[str, Any] = {
    "source": "McAleer et al. 2018, section 5: 8 billion cubes, 44 h, 32 cores and three GPUs",
    "uniform": {
        "search": "DeepCube, published", "cubes": "640", "solved": "100%, within an hour", "median": "30",
        "no longer than kociemba's": "55%", "states expanded": "1,136, at most 3,425", "CPU s": "600 (median, wall time)",
    },
    "15 turns": {"search": "DeepCube, published", "cubes": "100", "solved": "100%", "optimal": "74%", "median": "13"},
    "shortening": 3,  # moves of the median that the breadth-first search saves
    "conjugations": "all 14 of the most used triplets are conjugations",
}  # fmt: skip
LIN: dict[str, Any] = {
    "source": "Lin and Liang 2024, section 3; K and the time of training are not given",
    "solved": "99.4% of 50,000; it does not say how actions were chosen, nor how many moves it took",
    "correlation": {"fc": 0.834, "attention": 0.901},
}
KONEN_TWISTS = (1, 3, 5, 9)
KONEN_FIGURE_13 = {  # different symmetric states after so many twists, mean of 500; files of the repository above
    (2, "htm"): (3.0, 9.9, 20.0, 23.4),
    (2, "qtm"): (3.0, 8.2, 14.8, 20.8),
    (3, "htm"): (6.0, 22.2, 23.5, 24.0),
    (3, "qtm"): (6.0, 18.9, 21.9, 23.7),
}
KONEN_FIGURE_14: dict[int, dict[int, float]] = {  # percent solved alone, mean over 1 to 13 twists and 3 agents, by episodes
    nsym: dict(zip((100_000, 300_000, 600_000, 1_000_000, 2_000_000, 3_000_000), shares, strict=True))
    for nsym, shares in {
        0: (62.0, 65.6, 68.9, 69.7, 71.6, 72.2),
        8: (70.9, 73.7, 75.8, 76.7, 77.4, 78.2),
        16: (75.0, 77.1, 78.5, 79.3, 80.1, 80.9),
        24: (75.9, 78.3, 80.9, 81.2, 82.4, 82.2),
    }.items()
}
# percent solved after 13 twists, 3x3x3, quarter turns, nSym 0, 8, 16, 24: figure 15, for MCTS 400 the files behind it
KONEN_13_TWISTS = {
    "agent alone": "14.0, 24.0, 29.2, 32.0",
    "MCTS 100": "34.8, 54.3, 50.0, 54.5",
    "MCTS 400": "50.2, 60.2, 64.5, 56.5",
    "MCTS 800": "54.3, 69.0, 71.3, 64.0 (standard deviations of three agents 3.4, 2.7, 4.5, 5.0)",
}
KONEN_TABLE_9: dict[str, Any] = {  # 3x3x3, quarter turns, STICKER2; 200 cubes of 13 twists are tested
    "source": "Konen 2023, arXiv:2301.12167, table 9: one core of an Intel i7-9850H, 2.6 GHz",
    "episodes": 3_000_000,
    "hours": {0: 0.5, 8: 5.4, 16: 9.5, 24: 13.0},  # of training, by nSym
    "seconds": {0: (0.5, 48, 196, 390), 8: (4.0, 241, 877, 1400), 16: (7.3, 464, 1380, 2330), 24: (8.0, 550, 1760, 3130)},
}
SPEED: dict[str, Any] = {  # per second
    "source": "the authors' own programs (Konen's in Java, DeepCubeA's in Python), on one core of a machine like ours",
    "td_ntuple": {"2x2-qtm": 3500, "3x3-qtm": 825, "3x3-qtm-nsym8": 90, "MCTS, 3x3-qtm": 10_700},
    "davi": {"training": 2603, "bwas": 27_500},
}
DEEPCUBEA_2019 = "DeepCubeA (Agostinelli et al. 2019, table 1)"
TOP_SPIN: dict[str, Any] = {  # by tokens: how many states are so many moves from the goal, moves being those of TopSpin(n, 4)
    "source": "CayleyPy, cayleypy/data/top_spin_cayley_growth.csv of its repository",
    "top-spin-11": [
        1, 3, 6, 12, 24, 48, 94, 186, 366, 717, 1399, 2717, 5263, 10104, 19308, 36465, 67592, 123120, 221335,
        388506, 658806, 1072170, 1645659, 2333710, 2978191, 3311794, 3083344, 2272259, 1219176, 425458, 76055, 4460,
        52,
    ],
    "top-spin-14": [
        1, 3, 6, 12, 24, 48, 96, 191, 380, 754, 1489, 2943, 5813, 11432, 22426, 43904, 85372, 165170, 317764,
        607957, 1157512, 2195180, 4140894, 7771938, 14507535, 26929373, 49643198, 90799337, 164557042, 294757686,
        520131832, 900768296, 1523615723, 2500725527, 3948709317, 5933399606, 8368716920, 10890884810, 12797035306,
        13205873933, 11548086801, 8159329572, 4344330490, 1553516190, 303033704, 22090201, 317234, 258,
    ],
}  # fmt: skip


def _all_states(preset: str) -> str:
    """How far all states of a TopSpin are from the goal."""
    counts: list[int] = TOP_SPIN[preset]
    mean = sum(distance * count for distance, count in enumerate(counts)) / sum(counts)
    return f"{TOP_SPIN['source']}: all {sum(counts):,} states are {mean:.2f} moves away on average, at most {len(counts) - 1}"


OTHER_PUZZLES = {  # by preset of general_ntuple
    **{preset: _all_states(preset) for preset in ("top-spin-11", "top-spin-14")},
    "15-puzzle": f"{DEEPCUBEA_2019}: 500 states, 100% solved, 99.4% optimal",
    "24-puzzle": f"{DEEPCUBEA_2019}: 500 states, 100% solved, 96.98% optimal",
    "35-puzzle": f"{DEEPCUBEA_2019}: 500 states, 100% solved, about 125 moves (results/puzzle35/output.txt of its repository)",
    "48-puzzle": f"{DEEPCUBEA_2019}: 500 states, 100% solved, about 253 moves (results/puzzle48/output.txt of its repository)",
    "lights-out-7": f"{DEEPCUBEA_2019}: 500 states, 100% optimal",
    "4x4x4": "Published on random states: CayleyPy's small recipe, 1.5 minutes of an H100, 94% solved in 65.0 moves on average;"
    " with one network of hours and a beam of 2^24, 48.98 moves.",
    "5x5x5": "Published: CayleyPy with 69 networks, 92.16 moves (Chervov et al. 2025, arXiv:2502.13266).",
}
