"""The one training loop: every learner's runs repeat, resume, and agree between processes; progress and times by a clock."""

import io
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import agents
import train.adi
import train.davi
import train.general_ntuple
import train.ppo_chasenet
import train.symmetric_ntuple
import train.tabular
import train.td_ntuple
from agents.adi.agent import Adi
from agents.adi.learner import Learner as AdiLearner
from agents.davi.agent import Davi
from agents.davi.learner import Learner as DaviLearner
from agents.davi.network import NETWORKS, Architecture
from agents.general_ntuple.agent import GeneralNTuple
from agents.general_ntuple.learner import Learner as GeneralLearner
from agents.ppo_chasenet.agent import PpoChaseNet
from agents.ppo_chasenet.learner import Learner as PpoLearner
from agents.symmetric_ntuple.learner import Learner as SymmetricLearner
from agents.tabular.agent import Tabular
from agents.tabular.config import TabularConfig
from agents.tabular.learner import Learner as TabularLearner
from agents.td_ntuple.agent import TdNTuple
from agents.td_ntuple.learner import Learner as TdLearner
from rubiks_gym.ntuple.agent import SymmetricNTuple
from rubiks_gym.puzzles import Hanoi
from tests import commands
from tests.short_runs import (
    adi_options,
    davi_options,
    general_options,
    lines,
    ppo_options,
    symmetric_options,
    tabular_options,
    td_ntuple_options,
    weights_of,
)
from train.clock import Clock
from train.loop import learn
from train.plots import convergence_points, kind_of, smoothed
from train.progress import LINE_SECONDS, progress, share_done
from train.runs import RunOptions

ROOT = Path(__file__).parent.parent
TRAIN = {
    "davi": train.davi.train,
    "adi": train.adi.train,
    "ppo": train.ppo_chasenet.train,
    "tabular": train.tabular.train,
    "td_ntuple": train.td_ntuple.train,
    "symmetric_ntuple": train.symmetric_ntuple.train,
    "general_ntuple": train.general_ntuple.train,
}
OPTIONS = {
    "davi": davi_options,
    "adi": adi_options,
    "ppo": ppo_options,
    "tabular": tabular_options,
    "td_ntuple": td_ntuple_options,
    "symmetric_ntuple": symmetric_options,
    "general_ntuple": general_options,
}
LEARNERS = {
    "davi": DaviLearner,
    "adi": AdiLearner,
    "ppo": PpoLearner,
    "tabular": TabularLearner,
    "td_ntuple": TdLearner,
    "symmetric_ntuple": SymmetricLearner,
    "general_ntuple": GeneralLearner,
}
AGENTS = {
    "davi": Davi,
    "adi": Adi,
    "ppo": PpoChaseNet,
    "tabular": Tabular,
    "td_ntuple": TdNTuple,
    "symmetric_ntuple": SymmetricNTuple,
    "general_ntuple": GeneralNTuple,
}
PROBED = {"error", "error at 0"}
LAST_LINE = {
    "davi": PROBED | {"states"},
    "adi": PROBED | {"states"},
    "ppo": {"moves", "success", "value_loss"},
    "tabular": PROBED | {"change"},
    "td_ntuple": {"td_error", "solved"},
    "symmetric_ntuple": {"walk_error", "solved"},
    "general_ntuple": PROBED | {"solved"},
}


@pytest.mark.parametrize("name", TRAIN)
def test_a_run_logs_its_metrics_and_times_and_draws_them(tmp_path, name):
    TRAIN[name](OPTIONS[name](tmp_path / "0"))
    assert LAST_LINE[name] <= set(lines(tmp_path / "0")[-1])
    assert (tmp_path / "0" / "learning.png").stat().st_size > 10_000
    times = [json.loads(line) for line in (tmp_path / "0" / "metrics.jsonl").read_text().splitlines()]
    assert all(row["seconds"] > 0 and row["cpu_seconds"] > 0 for row in times)


@pytest.mark.usefixtures("blank_plots")
@pytest.mark.parametrize("name", TRAIN)
def test_same_seed_same_weights_and_another_seed_others(tmp_path, name):
    found = [weights_of(TRAIN[name](OPTIONS[name](tmp_path / str(i), seed=seed))) for i, seed in enumerate((1, 1, 2))]
    assert np.array_equal(found[0], found[1]) and not np.array_equal(found[0], found[2])
    assert lines(tmp_path / "0") == lines(tmp_path / "1")


@pytest.mark.usefixtures("blank_plots")
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
        ("tabular", {}),
        ("tabular", {"k_max": 4}),
        ("td_ntuple", {}),
        ("td_ntuple", {"log_every": 70, "lam": 0.5, "epsilon": 0.1}),
        ("symmetric_ntuple", {}),
        ("symmetric_ntuple", {"td": True, "walk_batches": 0, "rounds": 8, "walk_batches_per_round": 0, "episodes": 9}),
        ("general_ntuple", {}),
        ("general_ntuple", {"puzzle": "sliding-tile-3-3"}),
    ],
)
def test_a_run_cut_short_goes_on_and_ends_the_same(tmp_path, monkeypatch, name, settings):
    monkeypatch.setitem(NETWORKS, "small-norm", Architecture("pieces", (16, 8), 1, True))
    train, options, learner_of = TRAIN[name], OPTIONS[name], LEARNERS[name]
    whole, iterate = train(options(tmp_path / "whole", **settings)), learner_of.iterate

    def cut(learner):
        if 8 * learner.done >= 5 * learner.total:
            raise KeyboardInterrupt
        return iterate(learner)

    monkeypatch.setattr(learner_of, "iterate", cut)
    with pytest.raises(KeyboardInterrupt):
        train(options(tmp_path / "cut", **settings))
    monkeypatch.setattr(learner_of, "iterate", iterate)
    resumed = train(options(tmp_path / "cut", resume=True, **settings))
    assert (weights_of(resumed) == weights_of(whole)).all()
    assert lines(tmp_path / "cut") == lines(tmp_path / "whole")
    last, expected = (agents.load_checkpoint(tmp_path / kind) for kind in ("cut", "whole"))
    assert last[0] == expected[0] and last[1].keys() == expected[1].keys()
    assert all((last[1][key] == array).all() for key, array in expected[1].items()), "optimizers and environments too"
    loaded = agents.load(tmp_path / "cut")
    assert isinstance(loaded, AGENTS[name]) and (weights_of(loaded) == weights_of(whole)).all()
    assert loaded.settings() == resumed.settings() == whole.settings()


RATES = {
    "davi": ("learning_rate",),
    "adi": ("learning_rate",),
    "ppo": ("warm_learning_rate", "fine_tune_learning_rate", "learning_rate"),
    "tabular": (),
    "td_ntuple": ("alpha",),
    "symmetric_ntuple": ("walk_lr", "backup_lr", "path_lr"),
    "general_ntuple": ("walk_lr", "path_lr", "backup_lr"),
}


@pytest.mark.parametrize("name", TRAIN)
def test_a_run_that_diverges_stops_and_names_the_learning_rates(tmp_path, monkeypatch, name):
    iterate = LEARNERS[name].iterate

    def diverging(learner):
        metrics = iterate(learner)
        return metrics | {"loss": np.nan} if learner.done == learner.total else metrics

    monkeypatch.setattr(LEARNERS[name], "iterate", diverging)
    named = [f"--config.{key.replace('_', '-')} (now " for key in RATES[name]]
    with pytest.raises(ValueError, match=r"training has diverged, loss is nan at step [0-9]+") as fault:
        TRAIN[name](OPTIONS[name](tmp_path))
    assert [key in str(fault.value) for key in named] == [True] * len(named) and str(fault.value).count("(now") == len(named)
    saved, arrays = agents.load_checkpoint(tmp_path)
    assert saved["step"] == lines(tmp_path)[-1]["step"] and all(np.isfinite(a).all() for a in arrays.values())


def test_weights_that_are_not_numbers_show_in_the_metrics_of_a_step(tmp_path):
    settings = {"max_steps": 1, "alpha": 1.0, "tcl": "off", "p_max": 31}
    learner = TdLearner(Hanoi(4), td_ntuple_options(tmp_path, **settings).config, 0)
    learner.agent().net.weights[:] = np.nan
    with pytest.raises(ValueError, match=r"training has diverged, td_error is nan .* lower --config.alpha \(now 1\)"):
        learn(learner, RunOptions(tmp_path / "run"), {"algorithm": "td_ntuple", "preset": ""})


# Progress, times and plots --------------------------------------------------------------------------------------------


class Hours:
    """A clock that moves when it is told to."""

    def __init__(self):
        self.now = 1000.0

    def clock(self, cpu=2.0):
        return Clock(lambda: self.now, lambda: cpu * self.now)


def test_time_left_counts_the_work_left_not_the_steps():
    hours, stream, phases = Hours(), io.StringIO(), ((60, 1.0), (80, 30.0))
    with progress(140, "walks, then rounds", phases=phases, clock=hours.clock(), stream=stream) as show:
        for done in range(1, 141):
            hours.now += 1 if done <= 60 else 30
            show(done)
    printed = stream.getvalue().splitlines()
    left = {int(line.split()[3]): line.partition(" elapsed, ")[2] for line in printed}
    assert left[1] == "" and left[21] == "0:40:39 left" and left[100] == "0:20:00 left" and left[140] == ""
    assert "1 of 140 (0.04%)" in printed[0] and "140 of 140 (100%)" in printed[-1]
    assert share_done(60, phases) == pytest.approx(60 / 2460) and share_done(0, ((0, 1.0),)) == 1


def test_steps_done_before_a_run_was_resumed_took_none_of_its_time():
    hours, stream = Hours(), io.StringIO()
    with progress(100, "resumed", done=50, clock=hours.clock(), stream=stream) as show:
        for done in range(51, 101):
            hours.now += 20
            show(done)
    assert "60 of 100 (60.0%), 0:03:20 elapsed, 0:13:20 left" in stream.getvalue()


def test_without_a_terminal_lines_come_at_most_every_ten_seconds_and_the_last_always():
    hours, stream = Hours(), io.StringIO()
    with progress(1000, "many", clock=hours.clock(), stream=stream) as show:
        for done in range(1, 988):  # interrupted before the end
            hours.now += 0.1
            show(done, loss=1 / done)
    printed = stream.getvalue().splitlines()
    assert len(printed) == 1 + int(98.6 / LINE_SECONDS) + 1
    assert printed[-1].startswith("many: 987 of 1000 (98.7%), loss 0.001013, 0:01:39 elapsed")


def test_on_a_terminal_there_is_a_bar():
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    stream = Terminal()
    with progress(10, "towers", stream=stream) as show:
        show(10, loss=0.5)
    assert "towers" in stream.getvalue() and "10/10" in stream.getvalue() and "━" in stream.getvalue()


def test_wall_and_cpu_seconds_are_those_of_the_steps_and_checkpoints_follow_the_clock(tmp_path):
    hours = Hours()

    class Slow(TabularLearner):
        def iterate(self):
            hours.now += 20
            return super().iterate()

    def measure(learner):
        hours.now += 5  # no part of learning
        return {"measured": learner.done}

    learner = Slow(Hanoi(3), TabularConfig(iterations=10, batch=5), 0)
    run = RunOptions(tmp_path / "run", checkpoint_seconds=45)
    saved = []
    seen = lambda learner, run: saved.append([int(file.stem) for file in agents.checkpoints(run.folder)])  # noqa: E731
    learn(learner, run, {"algorithm": "slow", "preset": ""}, measures=[(4, measure)], after=seen, clock=hours.clock())
    rows = [json.loads(line) for line in (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()]
    assert [(row["seconds"], row["cpu_seconds"]) for row in rows] == [(20, 40)] * 10
    assert [row["step"] for row in rows if "measured" in row] == [4, 8, 10]
    assert saved == [[], [], [], [3], [3], [3, 5], [3, 5], [3, 5], [5, 8], [5, 8]]  # every third step, or after 45 seconds


def test_a_measurement_is_made_when_its_number_of_steps_is_passed(tmp_path):
    train.td_ntuple.train(td_ntuple_options(tmp_path, log_every=100))  # evaluated every 250 episodes
    assert [row["step"] for row in lines(tmp_path) if "solved" in row] == [300, 500, 800]


def test_curves_are_grouped_by_kind_and_smoothed_without_a_shift():
    assert [kind_of(name) for name in ("value_loss", "error at 3", "walk_error", "success", "length", "effective_k")] == [
        "losses",
        "errors",
        "errors",
        "share solved",
        "lengths",
        "effective k",
    ]
    assert smoothed(np.arange(1000.0)) == pytest.approx(np.arange(1000), abs=10)
    assert smoothed(np.arange(1000.0))[500] == 500 and (smoothed(np.ones(7)) == 1).all()
    rows = [{"step": step, "convergence_points": step // 3} for step in range(1, 8)]
    assert convergence_points(rows) == [3, 6] and convergence_points([{"step": 1}]) == []


# Several processes ----------------------------------------------------------------------------------------------------

SEVERAL = {
    "davi": {"target_update": "ema"},
    "adi": {"target_update": "ema"},
    "ppo": {"fine_tune": "bound", "warm_iterations": 1, "ppo_iterations": 3},
    "symmetric_ntuple": {"walk_batches": 2},
    "symmetric_ntuple, td": {"td": True, "walk_batches": 0, "rounds": 3, "episodes": 9},
}
TWO_RANKS = """
import os, signal, sys
from pathlib import Path
import numpy as np
import torch
import torch.distributed as dist
from agents.networks.distributed import mean_over_ranks
from tests.short_runs import weights_of
from tests.test_loop import LEARNERS, OPTIONS, SEVERAL, TRAIN
label, folder = sys.argv[1], Path(sys.argv[2])
name = label.partition(",")[0]
dist.init_process_group("gloo", init_method=f"file://{folder}/meeting", rank=int(sys.argv[3]), world_size=2)
learner_of, iterate = LEARNERS[name], LEARNERS[name].iterate
each = [torch.full((2, 3), float(dist.get_rank())), torch.tensor([2.0 * dist.get_rank()])]
mean_over_ranks(each)
assert (each[0] == 0.5).all() and each[1].tolist() == [1.0]

def run(kind, **more):
    agent = TRAIN[name](OPTIONS[name](folder / kind, **SEVERAL[label], **more))
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


@pytest.mark.parametrize("label", SEVERAL)
def test_two_processes_agree_and_resume(tmp_path, label):
    name = label.partition(",")[0]
    with (
        commands.Program("-c", TWO_RANKS, label, tmp_path, 0) as first,
        commands.Program("-c", TWO_RANKS, label, tmp_path, 1) as second,
    ):
        assert first.wait() == second.wait() == 0, first.printed("stderr") + second.printed("stderr")
    found = {kind: [np.load(tmp_path / f"{kind}-{rank}.npy") for rank in (0, 1)] for kind in ("whole", "cut")}
    assert (found["whole"][0] == found["whole"][1]).all(), "both processes hold the same weights"
    assert (found["cut"][0] == found["cut"][1]).all() and (found["cut"][0] == found["whole"][0]).all(), "stopped and resumed"
    assert lines(tmp_path / "whole") == lines(tmp_path / "cut")
    alone = weights_of(TRAIN[name](OPTIONS[name](tmp_path / "alone", **SEVERAL[label])))
    if name == "symmetric_ntuple":  # ranks share the searches of a round, and learn from all of them
        assert (alone == found["whole"][0]).all() and lines(tmp_path / "alone") == lines(tmp_path / "whole")
    else:
        assert (alone != found["whole"][0]).any()  # other states, so other weights
        seen = "moves" if name == "ppo" else "states"
        assert [row.get(seen) for row in lines(tmp_path / "alone")] == [row.get(seen) for row in lines(tmp_path / "whole")]
    with pytest.raises(ValueError, match="was begun with processes=2, not 1"):
        TRAIN[name](OPTIONS[name](tmp_path / "whole", resume=True, **SEVERAL[label]))


def test_torchrun_starts_several_processes_of_the_command_itself(tmp_path):
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m", "train.davi"]
    command += ["--config.batch", "120", "--config.network", "windows", "--config.iterations", "2", "--puzzle", "hanoi-3-3"]
    done = subprocess.run([*command, "--run.folder", tmp_path / "run"], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "run" / "config.json").read_text())["config"]["processes"] == 2
    assert lines(tmp_path / "run")[-1]["states"] == 2 * 120
