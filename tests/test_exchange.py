"""A beam that is shared out over processes by hash finds what one process finds, and sends what docs/scale.md reckons with."""

import numpy as np
import pytest

import agents
from benchmarks.shared_beam import Member, shared_beam
from rubiks_gym.puzzles import sample_seeds
from rubiks_gym.search import beam

TABLES = "zoo:td_ntuple/rubik2x2-qtm"


@pytest.mark.parametrize(
    ("name", "width", "processes"),
    [(TABLES, 50, 1), ("zoo:tabular/hanoi-5-3", 3, 3), ("symmetric_ntuple:rubik3x3-qtm", 5000, 2)],
)
def test_processes_together_find_what_one_finds(name, width, processes, rng):
    agent = agents.load(name)
    start = agent.puzzle.random_states(sample_seeds(rng, 1))
    alone = beam(agent.puzzle, start, agent.cost_to_go, width=width)
    found = Member(0, {}).beam(name, start[0], width) if processes == 1 else shared_beam(name, start[0], width, processes)
    assert alone.solved[0] and found.moves == alone.moves[0] and found.nodes == alone.nodes[0]
    if processes == 1:
        assert not found.sent.any()
    elif width > 1000:
        children, costs, _ = found.sent[3:].sum(axis=0)
        assert np.isclose(children, (1 - 1 / processes) * found.made[3:].sum() * (agent.puzzle.state_size + 4), rtol=0.02)
        assert costs == (processes - 1) * found.kept[3:].sum() * 8


def test_where_nothing_is_found_it_ends(rng):
    start = agents.load(TABLES).puzzle.random_states(sample_seeds(rng, 1))[0]
    found = Member(0, {}).beam(TABLES, start, width=2, max_steps=3)
    assert found.moves is None and len(found.sent) == 3
