"""What the project's README says first: one sentence, and a line for each learner."""

from collections.abc import Callable

import numpy as np

from results import records
from results.questions import Answer, Study
from results.tables import Section

# algorithm, questions, run, searches: what is shown of each
SHOWN = (
    ("symmetric_ntuple", "uniform, test set", "3x3-qtm", ("beam 8,192", "beam 262,144")),
    ("davi", "uniform", "2x2", ("weight 1.0",)),
    ("davi", "uniform", "3x3", ("BWAS, weight 0.2", "BWAS, weight 0.4")),
    ("adi", "uniform", "2x2", ("policy, no undo", "DeepCube")),
    ("adi", "uniform", "3x3", ("BWAS",)),
    ("ppo_chasenet", "policy alone", "2x2", ("sampled",)),
    ("td_ntuple", "plain walks", "2x2-qtm", ("agent alone", "MCTS 100")),
)


def shown(find: Callable[[str], Study]) -> list[Answer]:
    """The answers of SHOWN that there are."""
    found = []
    for algorithm, questions, run, searches in SHOWN:
        asked = Section("", questions, runs=(run,)).answers(find(algorithm))
        found += [answer for answer in asked if answer.label in searches]
    return found


def learners(find: Callable[[str], Study]) -> str:
    """One line per answer."""
    columns = "learner, run, training, question, search, cubes, solved, optimal, mean length, CPU s"
    return Section("", "", columns).lines(shown(find))


def headline(find: Callable[[str], Study]) -> str:
    """What the trained solver does with random cubes."""
    for answer in find("symmetric_ntuple").of("uniform", "3x3-qtm"):
        lengths, record = records.unpack(answer.record).lengths, answer.record
        solved = np.isfinite(lengths)
        return (
            f"After {record['training']['seconds'] / 60:.0f} minutes of learning on two cores it solves {solved.sum():,} of "
            f"{len(lengths):,} uniformly random cubes, in {lengths[solved].mean():.1f} quarter turns on average and "
            f"{record['each']['cpu_seconds']:.1f} CPU seconds each."
        )
    return "Not measured yet: `python -m results --measure symmetric_ntuple` does."
