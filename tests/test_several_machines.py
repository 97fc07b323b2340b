"""Training over processes that may be on several machines: one that is killed, and two hosts with nothing but the code."""

import json
import os
import socket
import sys
from pathlib import Path

import numpy as np
import pytest

import agents
from tests import commands
from tests.short_runs import lines
from tests.two_hosts import two_hosts, why_not

ROOT = Path(__file__).parent.parent
SETTINGS = ["--puzzle", "rubik2x2-qtm", "--config.network", "pieces", "--config.batch", "400", "--config.minibatch", "100"]
SETTINGS += ["--config.iterations", "6", "--config.validation", "50", "--config.epochs", "1", "--probe-every", "0"]
SETTINGS += ["--run.checkpoint-seconds", "0", "--device", "cpu"]

# train.davi, in which the process of rank KILL is killed in the midst of its fourth iteration
PROGRAM = """
import os, runpy, signal, sys
from agents.davi.learner import Learner
fit = Learner.fit
def killed(learner, *given):
    if learner.done == 3 and os.environ["RANK"] == os.environ.get("KILL"):
        os.kill(os.getpid(), signal.SIGKILL)
    return fit(learner, *given)
Learner.fit = killed
sys.argv[0] = "davi"
runpy.run_module("train.davi", run_name="__main__")
"""


def ranks(folder, *more, **variables):
    """The two processes of a run, as torchrun would start them: exit codes and what they wrote to standard error."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        where = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free.getsockname()[1]), "WORLD_SIZE": "2"}
    started = [
        commands.Program("-c", PROGRAM, *SETTINGS, "--run.folder", folder, *more, env={**where, **variables, "RANK": str(rank)})
        for rank in (0, 1)
    ]
    with started[0], started[1]:
        return [program.wait(60) for program in started], [program.printed("stderr") for program in started]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run of two processes that nothing happened to."""
    folder = tmp_path_factory.mktemp("two") / "whole"
    codes, said = ranks(folder)
    assert codes == [0, 0], said
    return folder


def same(folder, other):
    (state, arrays), (others_state, others) = (agents.load_checkpoint(each) for each in (folder, other))
    assert lines(folder) == lines(other) and state == others_state
    return arrays.keys() == others.keys() and all(np.array_equal(array, others[name]) for name, array in arrays.items())


@pytest.mark.parametrize("rank", [0, 1])
def test_when_a_process_is_killed_the_other_says_so_and_ends_and_the_run_goes_on_to_the_same_bits(whole, tmp_path, rank):
    codes, said = ranks(tmp_path / "run", KILL=str(rank))
    assert codes[rank] == -9 and codes[1 - rank] == 1
    last = said[1 - rank].strip().splitlines()[-1]
    assert (
        last.startswith(f"error: another of the 2 processes has ended, so rank {1 - rank} ends too") and "--run.resume" in last
    )
    assert not list((tmp_path / "run" / "checkpoints").glob(".*")), "nothing is half written"
    assert agents.load_checkpoint(tmp_path / "run")[0]["step"] == 3
    codes, said = ranks(tmp_path / "run", "--run.resume")
    assert codes == [0, 0], said
    assert same(tmp_path / "run", whole)


def test_learners_of_one_process_say_so_under_torchrun(tmp_path):
    done = commands.run("-m", "train.tabular", "--run.folder", tmp_path / "run", env={"WORLD_SIZE": "2", "RANK": "0"})
    assert done.returncode == 1 and done.stderr.strip() == (
        "error: tabular learns in one process: start python -m train.tabular without torchrun"
    )


@pytest.mark.skipif(bool(why_not()), reason=why_not() or "there can be two hosts")
def test_two_hosts_train_to_the_weights_of_two_processes_on_one(whole, tmp_path):
    command = [
        sys.executable,
        "-m",
        "torch.distributed.run",
        "--nnodes",
        "2",
        "--nproc-per-node",
        "1",
        "--master-port",
        "29500",
    ]
    (tmp_path / "runs").mkdir()
    with two_hosts() as hosts:
        started = []
        for rank, host in enumerate(hosts):
            words = [*command, "--node-rank", rank, "--master-addr", hosts[0].address, "-m", "train.davi", *SETTINGS]
            how = {"cwd": ROOT, "env": {**os.environ, "GLOO_SOCKET_IFNAME": host.name}}
            with open(tmp_path / f"{rank}.txt", "w") as file:  # the second host does not see the first one's folder
                hide = tmp_path / "runs" if rank else None
                words += ["--run.folder", tmp_path / "runs" / "run"]
                started.append(host.start(*words, hide=hide, stdout=file, stderr=file, **how))
        codes = [process.wait(240) for process in started]
    assert codes == [0, 0], [(tmp_path / f"{rank}.txt").read_text() for rank in (0, 1)]
    assert json.loads((tmp_path / "runs" / "run" / "config.json").read_text())["config"]["processes"] == 2
    assert same(tmp_path / "runs" / "run", whole)
