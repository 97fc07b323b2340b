"""The training loop of DAVI, ADI and PPO: runs repeat, resume, and agree between processes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import agents
import train.adi
import train.davi
import train.ppo_chasenet
from agents.adi.agent import Adi
from agents.adi.learner import Learner as AdiLearner
from agents.davi.agent import Davi
from agents.davi.learner import Learner as DaviLearner
from agents.davi.network import NETWORKS, Architecture
from agents.ppo_chasenet.agent import PpoChaseNet
from agents.ppo_chasenet.learner import Learner as PpoLearner
from tests.short_runs import adi_options, davi_options, lines, ppo_options, weights_of

pytestmark = pytest.mark.usefixtures("one_torch_thread")
ROOT = Path(__file__).parent.parent
TRAIN = {"davi": train.davi.train, "adi": train.adi.train, "ppo": train.ppo_chasenet.train}
OPTIONS = {"davi": davi_options, "adi": adi_options, "ppo": ppo_options}
LEARNERS = {"davi": DaviLearner, "adi": AdiLearner, "ppo": PpoLearner}
AGENTS = {"davi": Davi, "adi": Adi, "ppo": PpoChaseNet}
PROBED = {"states", "error", "error at 0"}
LAST_LINE = {"davi": PROBED, "adi": PROBED, "ppo": {"moves", "success", "value_loss"}}
PICTURES = {"davi": "losses.png", "adi": "learning.png", "ppo": "learning.png"}
both = pytest.mark.parametrize("name", ["davi", "adi"])


@pytest.mark.parametrize("name", TRAIN)
def test_same_seed_same_weights_and_another_seed_others(tmp_path, name):
    found = [weights_of(TRAIN[name](OPTIONS[name](tmp_path / str(i), seed=seed))) for i, seed in enumerate((1, 1, 2))]
    assert (found[0] == found[1]).all() and (found[0] != found[2]).any()
    assert lines(tmp_path / "0") == lines(tmp_path / "1")
    assert LAST_LINE[name] <= set(lines(tmp_path / "0")[-1])
    assert (tmp_path / "0" / PICTURES[name]).stat().st_size > 1000


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("davi", {}),
        ("davi", {"target_update": "ema", "warm_iterations": 4, "warm_k": 7, "network": "small-norm"}),
        ("adi", {}),
        ("adi", {"optimizer": "rmsprop", "target_update": "copy", "copy_every": 3, "fix_goal": False, "warm_iterations": 2}),
        ("ppo", {}),
        ("ppo", {"fine_tune": "bound"}),
        ("ppo", {"fine_tune": "paper", "warm_iterations": 0, "ppo_iterations": 8}),
        ("ppo", {"warm_iterations": 0, "ppo_iterations": 8}),
        ("ppo", {"warm_iterations": 7, "ppo_iterations": 1, "puzzle": "rubik2x2-qtm", "form": "fc"}),
        ("ppo", {"puzzle": "rubik2x2-qtm", "scramble": "uniform", "k_max": 3, "form": "relative"}),
    ],
)
def test_a_run_cut_short_goes_on_and_ends_the_same(tmp_path, monkeypatch, name, settings):
    monkeypatch.setitem(NETWORKS, "small-norm", Architecture("pieces", (16, 8), 1, True))
    learn, options, learner_of = TRAIN[name], OPTIONS[name], LEARNERS[name]
    whole, iterate = learn(options(tmp_path / "whole", **settings)), learner_of.iterate

    def cut(learner):
        if learner.done == 5:
            raise KeyboardInterrupt
        return iterate(learner)

    monkeypatch.setattr(learner_of, "iterate", cut)
    with pytest.raises(KeyboardInterrupt):
        learn(options(tmp_path / "cut", **settings))
    monkeypatch.setattr(learner_of, "iterate", iterate)
    resumed = learn(options(tmp_path / "cut", resume=True, **settings))
    assert (weights_of(resumed) == weights_of(whole)).all()
    assert lines(tmp_path / "cut") == lines(tmp_path / "whole")
    last, expected = (agents.load_checkpoint(tmp_path / kind) for kind in ("cut", "whole"))
    assert last[0] == expected[0] and last[1].keys() == expected[1].keys()
    assert all((last[1][key] == array).all() for key, array in expected[1].items()), "optimizers and environments too"
    loaded = agents.load(tmp_path / "cut")
    assert isinstance(loaded, AGENTS[name]) and (weights_of(loaded) == weights_of(whole)).all()
    assert loaded.settings() == resumed.settings() == whole.settings()


TWO_RANKS = """
import os, signal, sys
from pathlib import Path
import numpy as np
import torch
import torch.distributed as dist
sys.path.insert(0, sys.argv[3])
from agents.networks.distributed import mean_over_ranks
from tests.short_runs import weights_of
from tests.test_loop import LEARNERS, OPTIONS, TRAIN
dist.init_process_group("gloo")
name, folder = sys.argv[1], Path(sys.argv[2])
learner_of, iterate = LEARNERS[name], LEARNERS[name].iterate
each = [torch.full((2, 3), float(dist.get_rank())), torch.tensor([2.0 * dist.get_rank()])]
mean_over_ranks(each)
assert (each[0] == 0.5).all() and each[1].tolist() == [1.0]

def run(kind, **more):
    agent = TRAIN[name](OPTIONS[name](folder / kind, target_update="ema", **more))
    np.save(folder / f"{kind}-{dist.get_rank()}.npy", weights_of(agent))

def stopped(learner):
    if learner.done == 2:
        os.kill(os.getpid(), signal.SIGTERM)
    return iterate(learner)

run("whole")
learner_of.iterate = stopped
run("cut")
learner_of.iterate = iterate
run("cut", resume=True)
dist.destroy_process_group()
"""


def torchrun(*arguments):
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", *map(str, arguments)]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment, timeout=300)
    assert done.returncode == 0, done.stderr


@both
def test_two_processes_agree_and_resume(tmp_path, name):
    (tmp_path / "program.py").write_text(TWO_RANKS)
    torchrun(tmp_path / "program.py", name, tmp_path, ROOT)
    found = {kind: [np.load(tmp_path / f"{kind}-{rank}.npy") for rank in (0, 1)] for kind in ("whole", "cut")}
    assert (found["whole"][0] == found["whole"][1]).all(), "both processes hold the same weights"
    assert (found["cut"][0] == found["cut"][1]).all() and (found["cut"][0] == found["whole"][0]).all(), "stopped and resumed"
    assert lines(tmp_path / "whole") == lines(tmp_path / "cut")
    alone = TRAIN[name](OPTIONS[name](tmp_path / "alone", target_update="ema"))
    assert (weights_of(alone) != found["whole"][0]).any()  # other states, so other weights
    assert [row["states"] for row in lines(tmp_path / "alone")] == [row["states"] for row in lines(tmp_path / "whole")]
    with pytest.raises(ValueError, match="was begun with processes=2, not 1"):
        TRAIN[name](OPTIONS[name](tmp_path / "whole", resume=True, target_update="ema"))


@both
def test_torchrun_starts_several_processes_of_the_command_itself(tmp_path, name):
    settings = {"davi": ["--config.batch", 120], "adi": ["--config.walks", 4]}[name]
    settings += ["--config.network", "windows", "--config.iterations", 2, "--puzzle", "hanoi-3-3"]
    torchrun("-m", f"train.{name}", *settings, "--run.folder", tmp_path / "run")
    assert json.loads((tmp_path / "run" / "config.json").read_text())["config"]["processes"] == 2
    assert lines(tmp_path / "run")[-1]["states"] == 2 * 120
