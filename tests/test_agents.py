"""What holds for every agent of AGENTS: both functions on batches, legal actions, storing and loading, and honest nodes."""

import json
import time
import tracemalloc

import numpy as np
import pytest

import agents
from agents.adi.agent import Adi
from agents.adi.network import Architecture as AdiArchitecture
from agents.baselines.agent import Random
from agents.davi.agent import Davi
from agents.davi.network import Architecture as DaviArchitecture
from agents.general_ntuple.agent import GeneralNTuple
from agents.ppo_chasenet.agent import PpoChaseNet
from agents.ppo_chasenet.chasenet import Architecture as ChaseNetArchitecture
from agents.tabular.agent import Tabular
from agents.td_ntuple.agent import TdNTuple
from agents.td_ntuple.config import TdNTupleConfig
from rubiks_gym import files
from rubiks_gym.exact import Exact
from rubiks_gym.ntuple.agent import SymmetricNTuple
from rubiks_gym.ntuple.network import SIZE
from rubiks_gym.puzzles import Hanoi, Rubik2x2, Rubik3x3, SlidingTile, sample_seeds


def weights(n):
    return np.random.default_rng(0).integers(-127, 128, n)


def td_ntuple(puzzle):
    board = "plain" if isinstance(puzzle, Hanoi) else "sticker2"
    agent = TdNTuple.from_config(puzzle, TdNTupleConfig(board=board, n_tuples=3, tuple_length=3, episodes=1), 0)
    agent.net.weights[:] = weights(agent.net.weights.size).reshape(agent.net.weights.shape) / 1000
    return agent


def general_ntuple(puzzle):
    agent = GeneralNTuple(puzzle, [(0, 1, 2), (3,)], 12.0, 0.1)
    agent.weights[:] = weights(agent.weights.size)
    return agent


# kind -> the puzzles it is made for here, and an agent whose weights differ from one another
MAKE = {
    "exact": ((Hanoi(4), Rubik2x2()), Exact),
    "random": ((Hanoi(3, 4), Rubik3x3()), lambda puzzle: Random(puzzle, 7)),
    "tabular": ((Hanoi(4),), lambda puzzle: Tabular(puzzle, weights(puzzle.n_states).astype(np.float32) ** 2)),
    "td_ntuple": ((Hanoi(4), Rubik2x2()), td_ntuple),
    "symmetric_ntuple": (
        (Rubik3x3(), Rubik3x3("htm")),
        lambda puzzle: SymmetricNTuple(puzzle, [(0, 1, 8, 12, 13)], 12.0, 0.01, weights(SIZE).astype(np.int8)),
    ),
    "general_ntuple": ((Hanoi(4), SlidingTile(3, 3)), general_ntuple),
    "davi": ((Hanoi(4), Rubik2x2()), lambda puzzle: Davi(puzzle, DaviArchitecture("pairs", (8, 8), 1))),
    "adi": ((Hanoi(4), Rubik2x2()), lambda puzzle: Adi(puzzle, AdiArchitecture("pairs", (8, 6), 4), goal_value=0.5)),
    "ppo_chasenet": (
        (Hanoi(4), Rubik2x2()),
        lambda puzzle: PpoChaseNet(puzzle, ChaseNetArchitecture("pairs", (8, 6)), "pairs", (8, 6)),
    ),
}
CASES = [pytest.param(kind, puzzle, id=f"{kind}-{puzzle.name}") for kind, (puzzles, _) in MAKE.items() for puzzle in puzzles]


def test_no_kind_of_agent_is_left_out():
    assert MAKE.keys() == agents.AGENTS.keys()


@pytest.mark.parametrize(("kind", "puzzle"), CASES)
def test_every_agent_keeps_the_protocol(kind, puzzle, rng):
    agent = MAKE[kind][1](puzzle)
    assert agent.puzzle is puzzle and agents.agent_class(kind) is type(agent)
    states = np.concatenate([puzzle.random_states(sample_seeds(rng, 100)), puzzle.goal[None]])
    costs, policy = agent.cost_to_go(states), agent.policy(states)
    assert costs.shape == (101,) and costs.dtype == np.float32 and np.isfinite(costs).all() and np.ptp(costs) > 0
    assert policy.shape == (101, puzzle.n_actions) and (policy >= 0).all()
    np.testing.assert_allclose(policy.sum(axis=1), 1, rtol=1e-5)
    assert not policy[~puzzle.legal(states)].any()
    order = rng.permutation(101)  # an answer depends on its own state alone
    np.testing.assert_allclose(agent.cost_to_go(states[order]), costs[order], rtol=1e-5)
    np.testing.assert_allclose(agent.policy(states[order]), policy[order], rtol=1e-4, atol=1e-6)
    assert agent.cost_to_go(states[:0]).shape == (0,) and agent.policy(states[:0]).shape == (0, puzzle.n_actions)


@pytest.mark.parametrize(("kind", "puzzle"), CASES)
def test_every_agent_survives_being_stored(kind, puzzle, rng, tmp_path):
    agent = MAKE[kind][1](puzzle)
    states = puzzle.random_states(sample_seeds(rng, 50))
    state = json.loads(json.dumps(agents.describe(agent)))
    assert state["agent"] == kind and state["puzzle"] == puzzle.name
    files.save(tmp_path / "checkpoints" / "000000000001.npz", state, agent.arrays())
    loaded = agents.load(tmp_path, puzzle)
    assert type(loaded) is type(agent)
    assert (loaded.cost_to_go(states) == agent.cost_to_go(states)).all()
    assert (loaded.policy(states) == agent.policy(states)).all()
    other = Rubik2x2("htm")
    with pytest.raises(ValueError, match=f"was trained on {puzzle.name}, not on rubik2x2-htm"):
        agents.load(tmp_path, other)


@pytest.mark.parametrize(("kind", "puzzle"), CASES)
def test_an_agent_whose_policy_looks_at_children_says_so(kind, puzzle, rng, monkeypatch):
    agent, looked = MAKE[kind][1](puzzle), []
    for name in ("expand", "apply"):
        original = getattr(type(puzzle), name)
        monkeypatch.setattr(type(puzzle), name, lambda *given, f=original, **more: looked.append(1) or f(*given, **more))
    states = puzzle.random_states(sample_seeds(rng, 10))
    looked.clear()
    agent.policy(states)
    assert agent.looks_ahead == bool(looked)


HUGE = 10**8


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("davi", {"blocks": HUGE}),
        ("davi", {"first": [HUGE]}),
        ("davi", {"first": [100_000] * 90}),  # within bounds one by one: 900 billion weights
        ("adi", {"trunk": [8] * 10**5}),
        ("adi", {"head": HUGE}),
        ("ppo_chasenet", {"layers": HUGE, "form": "attention"}),
        ("ppo_chasenet", {"width": HUGE, "form": "attention"}),
        ("ppo_chasenet", {"widths": [8, 10**12]}),
        ("ppo_chasenet", {"hidden": [100_000, 100_000]}),
        ("td_ntuple", {"tuples": [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]] * 4}),
        ("symmetric_ntuple", {"tables": [[0, 1, 8, 12, 13]] * 10**4}),
        ("general_ntuple", {"tuples": [[0, 1, 2]] * 10**5}),
        ("general_ntuple", {"tuples": [list(range(18))] * 3}),
    ],
)
def test_a_small_file_that_asks_for_a_huge_agent_is_refused_before_anything_is_made(kind, change, tmp_path):
    puzzle = MAKE[kind][0][-1]
    agent = MAKE[kind][1](puzzle)
    state = json.loads(json.dumps(agents.describe(agent)))
    file = tmp_path / "checkpoints" / "000000000001.npz"
    files.save(file, state, agent.arrays())
    agents.load(tmp_path)  # what torch imports when a network is first loaded is no work of ours
    state["settings"] |= change
    files.save(file, state, agent.arrays())
    before = time.process_time()
    tracemalloc.start()
    with pytest.raises(ValueError, match=f"must|do not fit|does not hold|another network|{next(iter(change))}"):
        agents.load(tmp_path)
    grown = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert time.process_time() - before < 5 and grown < 300_000_000
