"""Networks on another device than the processor, proven without an accelerator: see tests/other_device.py."""

import sys
from dataclasses import replace

import numpy as np
import pytest
import torch

import agents
import train.adi
import train.davi
import train.ppo_chasenet
from agents.adi.agent import Adi
from agents.adi.network import NETWORKS as ADI_NETWORKS
from agents.davi.agent import Davi
from agents.davi.network import NETWORKS as DAVI_NETWORKS
from agents.davi.network import Architecture
from agents.networks import hardware, inference
from agents.networks.hardware import Hardware, choose_hardware
from agents.ppo_chasenet.agent import PpoChaseNet
from agents.ppo_chasenet.chasenet import Architecture as ChaseArchitecture
from agents.ppo_chasenet.learner import Learner as PpoLearner
from rubiks_gym.cli import main
from rubiks_gym.puzzles import Hanoi, Rubik2x2, sample_seeds
from rubiks_gym.search import Budget, make_search
from tests import other_device
from tests.short_runs import PPO, adi_options, davi_options, lines, ppo_options
from train.evaluate import Options, evaluate

pytestmark = pytest.mark.filterwarnings("ignore:You are trying to run PPO on the GPU")  # what stable-baselines3 thinks of it
TOWER, CUBE = Hanoi(4), Rubik2x2()
TRAIN = {
    "davi": (train.davi.train, davi_options),
    "adi": (train.adi.train, adi_options),
    "ppo": (train.ppo_chasenet.train, ppo_options),
}
SHORT = [
    ("davi", {}),
    ("davi", {"target_update": "ema", "warm_iterations": 2, "warm_k": 7, "network": "small-norm"}),
    ("davi", {"network": "recurrent", "relative": True, "iterations": 2, "scramble": "disks"}),
    ("davi", {"per_action": True, "iterations": 4, "warm_iterations": 2, "warm_k": 7}),
    ("adi", {"iterations": 4}),
    ("adi", {"per_action": True, "iterations": 3}),
    ("adi", {"optimizer": "rmsprop", "target_update": "copy", "iterations": 3, "network": "pairs"}),
    ("ppo", {"fine_tune": "bound"}),
    ("ppo", {"puzzle": "rubik2x2-qtm", "form": "attention", "warm_iterations": 2, "ppo_iterations": 2}),
]
CHASE = ChaseArchitecture("relative", (16, 8))
AGENTS = {
    "davi": Davi(CUBE, DAVI_NETWORKS["pairs"]),
    "davi, symmetric": Davi(CUBE, DAVI_NETWORKS["symmetric-pairs"]),
    "davi, per action": Davi(CUBE, DAVI_NETWORKS["symmetric-pairs"]._replace(per_action=True)),
    "davi, recurrent": Davi(TOWER, DAVI_NETWORKS["recurrent"]),
    "adi": Adi(TOWER, ADI_NETWORKS["windows"]),
    "adi, symmetric": Adi(CUBE, ADI_NETWORKS["symmetric-pairs"]),
    "adi, separate": Adi(CUBE, ADI_NETWORKS["deepcube-eighth-separate"]),
    "ppo": PpoChaseNet(CUBE, CHASE, "pairs", (16, 8)),
    "ppo, fc": PpoChaseNet(TOWER, CHASE._replace(form="fc"), "windows", (16, 8)),
}


@pytest.fixture
def device():
    with other_device.present() as found:
        yield found


@pytest.fixture
def asynchronous(device, monkeypatch):
    """The device copies while the host goes on, as cuda does."""
    pinned = []
    monkeypatch.setattr(hardware, "ASYNCHRONOUS", {device.type})
    monkeypatch.setattr(inference, "CHUNK_OF_DEVICE", 64)
    monkeypatch.setattr(torch.Tensor, "pin_memory", lambda tensor: pinned.append(tensor) or tensor.clone())
    empty = torch.empty  # of the host there is no pinned memory without an accelerator
    monkeypatch.setattr(torch, "empty", lambda size, pin_memory: empty(size).fill_(torch.nan))
    return pinned


@pytest.fixture(autouse=True)
def small_norm(monkeypatch):
    monkeypatch.setitem(DAVI_NETWORKS, "small-norm", Architecture("pieces", (16, 8), 1, True))


def on(device, **how):
    return Hardware(device, **how)


def states_of(puzzle, n=300):
    return puzzle.random_states(sample_seeds(np.random.default_rng(0), n))


def equal(some, others):
    return some.keys() == others.keys() and all(np.array_equal(array, others[name]) for name, array in some.items())


def test_the_device_refuses_what_an_accelerator_refuses(device):
    here = torch.arange(6.0)
    there = here.to(device)
    assert there.device.type == "elsewhere" and (there * 2 + 1).cpu().tolist() == [1, 3, 5, 7, 9, 11]
    for mistake in (lambda: there.numpy(), lambda: there + here, lambda: here + there, lambda: there[torch.tensor([1])]):
        with pytest.raises((RuntimeError, TypeError), match="numpy|one device"):
            mistake()


@pytest.mark.usefixtures("blank_plots")
@pytest.mark.parametrize(("name", "settings"), SHORT)
def test_every_learner_learns_the_same_on_another_device(tmp_path, device, name, settings):
    learn, options = TRAIN[name]
    learn(replace(options(tmp_path / "here", **settings), device="cpu"))
    agent = learn(replace(options(tmp_path / "there", **settings), device=device.type))
    assert {weight.device.type for weight in networks(agent)} == {device.type}
    expected, found = (agents.load_checkpoint(tmp_path / kind) for kind in ("here", "there"))
    if settings.get("form") == "attention":  # whose kernel on the processor adds in another order
        for key, array in expected[1].items():
            if "in_proj_bias" not in key:  # the gradient of keys' bias, which no softmax sees, is rounding errors
                np.testing.assert_allclose(array, found[1][key], rtol=1e-5, atol=1e-4, err_msg=key)
    else:
        assert expected[0] == found[0] and equal(expected[1], found[1])
        assert lines(tmp_path / "here") == lines(tmp_path / "there")


def networks(agent):
    """All weights of an agent's networks."""
    held = [agent.actor, agent.net.network] if isinstance(agent, PpoChaseNet) else [agent.network]
    return [weight for network in held for weight in network.parameters()]


def test_the_policy_under_training_is_on_the_device(device):
    learner = PpoLearner(CUBE, PPO, 0, on(device))
    weights = [*learner.model.policy.parameters(), *learner.model.policy.buffers(), *learner.net.network.parameters()]
    assert {weight.device.type for weight in weights} == {device.type}


@pytest.mark.usefixtures("blank_plots")
@pytest.mark.parametrize("name", TRAIN)
def test_a_run_begun_on_one_device_ends_the_same_on_another(tmp_path, monkeypatch, device, name):
    learn, options = TRAIN[name]
    learner_of = sys.modules[learn.__module__].Learner
    learn(replace(options(tmp_path / "whole"), device="cpu"))
    iterate = learner_of.iterate

    def cut(learner):
        if 2 * learner.done >= learner.total:
            raise KeyboardInterrupt
        return iterate(learner)

    monkeypatch.setattr(learner_of, "iterate", cut)
    with pytest.raises(KeyboardInterrupt):
        learn(replace(options(tmp_path / "cut"), device="cpu"))
    monkeypatch.setattr(learner_of, "iterate", iterate)
    learn(replace(options(tmp_path / "cut", resume=True), device=device.type))
    assert equal(*(agents.load_checkpoint(tmp_path / kind)[1] for kind in ("whole", "cut")))


@pytest.mark.parametrize("name", AGENTS)
def test_every_agent_says_the_same_on_another_device(device, name):
    agent, states = AGENTS[name], states_of(AGENTS[name].puzzle)
    said = agent.cost_to_go(states), agent.policy(states)
    try:
        agent.place(on(device))
        assert {weight.device.type for weight in networks(agent)} == {device.type}
        assert np.array_equal(agent.cost_to_go(states), said[0]) and np.array_equal(agent.policy(states), said[1])
        kept = agent.arrays()
    finally:
        agent.place(hardware.CPU)
    assert equal(kept, agent.arrays()), "a checkpoint is of the host"


@pytest.mark.parametrize("name", AGENTS)
def test_batches_come_and_go_without_waiting_and_are_waited_for_at_the_end(asynchronous, device, name):
    agent, states = AGENTS[name], states_of(AGENTS[name].puzzle)
    said = agent.cost_to_go(states), agent.policy(states)
    try:
        agent.place(on(device))
        assert np.array_equal(agent.cost_to_go(states), said[0]) and np.array_equal(agent.policy(states), said[1])
    finally:
        agent.place(hardware.CPU)
    assert len(asynchronous) >= 2 * -(-300 // 64), "what goes over was pinned"


@pytest.mark.parametrize("name", ["davi", "adi", "ppo"])
def test_mixed_precision_computes_products_in_bfloat16_and_answers_in_float32(tmp_path, device, name):
    agent, states = AGENTS[name], states_of(AGENTS[name].puzzle)
    ask = {"davi": lambda: agent.said, "adi": lambda: agent.value, "ppo": lambda: agent.net.cost_to_goal}[name]()
    said = ask(states)
    try:
        agent.place(on(device, mixed_precision=True))
        other_device.products.clear()
        found = ask(states)
    finally:
        agent.place(hardware.CPU)
    assert {torch.bfloat16, torch.float32} == set(other_device.products), "all but the last layer"
    assert found.dtype == np.float32 and not np.array_equal(found, said) and np.allclose(found, said, atol=0.1)


@pytest.mark.usefixtures("blank_plots")
@pytest.mark.parametrize("name", TRAIN)
def test_learning_in_mixed_precision_ends_near_and_keeps_weights_in_float32(tmp_path, device, name):
    learn, options = TRAIN[name]
    learn(replace(options(tmp_path / "here"), device="cpu"))
    learn(replace(options(tmp_path / "there"), device=device.type, mixed_precision=True))
    assert torch.bfloat16 in other_device.products
    expected, found = (agents.load_checkpoint(tmp_path / kind)[1] for kind in ("here", "there"))
    assert not equal(expected, found)
    for key, array in expected.items():
        assert found[key].dtype == array.dtype and array.shape == found[key].shape
    first = [lines(tmp_path / kind)[0] for kind in ("here", "there")]
    losses = [next(row[key] for key in row if "loss" in key) for row in first]
    assert losses[0] == pytest.approx(losses[1], rel=0.05)


def test_searches_and_evaluations_use_the_device(tmp_path, device, capsys):
    train.davi.train(replace(davi_options(tmp_path / "run"), device="cpu"))
    for search in ("greedy", "bwas", "beam", "mcts"):
        here, there = (agents.load(tmp_path / "run", device=name) for name in ("cpu", "auto"))
        assert there.hardware.device.type == device.type and here.hardware.device.type == "cpu"
        found = [make_search(search, each, {}, 0, False, Budget(nodes=500))(states_of(TOWER, 5)) for each in (here, there)]
        assert found[0].moves == found[1].moves and (found[0].nodes == found[1].nodes).all()
    rows = [
        evaluate(Options(run=str(tmp_path / "run"), depths="1-2", cubes=5, max_nodes=100, baseline=False, device=name))["rows"]
        for name in ("cpu", device.type)
    ]
    assert [row["lengths"] for row in rows[0]] == [row["lengths"] for row in rows[1]]


# Devices that are not there -------------------------------------------------------------------------------------------


def test_a_device_that_is_not_there_is_refused_with_what_is(device, monkeypatch):
    assert choose_hardware("auto").device.type == device.type
    assert choose_hardware("cpu").device.type == "cpu" and choose_hardware("elsewhere:0").device.index == 0
    for name, fault in {
        "cuda": "there is no device cuda for torch .*: this machine has cpu and elsewhere",
        "gpu": "unknown device 'gpu': choose auto, cpu, cuda or mps; this machine has cpu and elsewhere",
        "elsewhere:3": "there is no device elsewhere:3: this machine has 1 of that kind, counted from 0",
    }.items():
        with pytest.raises(ValueError, match=fault):
            choose_hardware(name)


def test_without_an_accelerator_auto_is_the_processor_and_mixed_precision_is_refused():
    assert choose_hardware("auto") == hardware.CPU
    with pytest.raises(ValueError, match="there is no device mps for torch .*: this machine has cpu alone"):
        choose_hardware("mps")
    with pytest.raises(ValueError, match="mixed precision is for accelerators, and networks would compute on cpu"):
        choose_hardware("auto", mixed_precision=True)


def test_commands_say_what_is_wrong_with_a_device(tmp_path, monkeypatch, capsys):
    train.davi.train(davi_options(tmp_path / "run"))
    for words, fault in {
        ("--agent", str(tmp_path / "run"), "--device", "cuda"): "error: there is no device cuda",
        ("--agent", "exact:hanoi-4-3", "--device", "cuda"): "error: Exact has no network to compute on cuda",
        ("--puzzle", "hanoi-4-3", "--device", "cuda"): "error: --device cuda goes with --agent RUN",
    }.items():
        monkeypatch.setattr(sys, "argv", ["rubiks-gym", "solve", *words, "--random", "1"])
        with pytest.raises(SystemExit, match=fault):
            main()
    with pytest.raises(ValueError, match="there is no device cuda"):
        train.davi.train(replace(davi_options(tmp_path / "other"), device="cuda"))
    assert not (tmp_path / "other").exists(), "nothing was begun"
