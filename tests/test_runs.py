"""Run folders: whole checkpoints, resuming after a kill, and errors that say what is wrong."""

import json
import os
import random
import shutil
import signal
import subprocess
import time
from dataclasses import replace

import numpy as np
import pytest

import agents
from agents.tabular.agent import Tabular
from agents.tabular.config import TabularConfig
from agents.tabular.learner import Learner
from rubiks_gym import files
from rubiks_gym.exact import ExactTable
from rubiks_gym.puzzles import Hanoi, Rubik2x2
from tests import commands
from tests.short_runs import lines
from train.command import Options
from train.runs import Run, RunOptions
from train.tabular import train

pytestmark = pytest.mark.usefixtures("blank_plots")


def options(folder, iterations=30, puzzle="hanoi-5-3", resume=False, **run):
    config = TabularConfig(iterations=iterations, batch=300)
    return Options(run=RunOptions(folder, resume=resume, **run), puzzle=puzzle, config=config)


@pytest.mark.parametrize(("puzzle", "seed"), [("hanoi-3-4", 0), *(("hanoi-4-3", seed) for seed in range(5))])
def test_tabular_learner_finds_the_true_distances_whatever_the_seed(puzzle, seed, tmp_path):
    agent = train(options(tmp_path / "run", 300, puzzle, seed=seed))
    assert (agent.table == ExactTable(agent.puzzle).distances).all()


def test_tabular_learner_comes_close_on_the_2x2x2():
    learner = Learner(Rubik2x2(), TabularConfig(batch=20_000, k_max=5), seed=0)
    for _ in range(60):
        learner.iterate()
    agent = learner.agent()
    near = ExactTable(agent.puzzle).distances <= 3
    assert np.abs(agent.table - ExactTable(agent.puzzle).distances)[near].max() == 0


def test_same_seed_same_result_and_other_seed_another(tmp_path):
    runs = [train(options(tmp_path / str(i), seed=seed)).table for i, seed in enumerate((1, 1, 2))]
    assert (runs[0] == runs[1]).all()
    assert (runs[0] != runs[2]).any()
    assert lines(tmp_path / "0") == lines(tmp_path / "1")


def test_run_folder_says_how_it_was_made(tmp_path):
    train(options(tmp_path / "run"))
    record = json.loads((tmp_path / "run" / "config.json").read_text())
    assert record["config"]["puzzle"] == "hanoi-5-3" and record["config"]["iterations"] == 30
    assert {"commit", "machine", "date", "python", "packages"} <= set(record["provenance"])
    assert [row["step"] for row in lines(tmp_path / "run")] == list(range(1, 31))


def test_resuming_gives_what_an_uninterrupted_run_gives(tmp_path):
    whole = train(options(tmp_path / "whole"))
    config = options(tmp_path / "parts")
    record = json.loads((tmp_path / "whole" / "config.json").read_text())["config"]
    run = Run(config.run, record)
    learner = Learner(Hanoi(5), config.config, seed=0)
    for step in range(1, 15):  # killed at step 14, saved at step 10
        run.log(step, **learner.iterate())
        if step == 10:
            run.checkpoint(step, learner.agent(), learner.state(), learner.arrays())
    with open(tmp_path / "parts" / "metrics.jsonl", "a") as file:
        file.write('{"step": 15, "chan')  # a line cut short
    run.finish()  # which a kill does too
    resumed = train(options(tmp_path / "parts", resume=True))
    assert (resumed.table == whole.table).all()
    assert lines(tmp_path / "parts") == lines(tmp_path / "whole")


def start(folder, *more):
    command = ["-m", "train.tabular", "--run.folder", folder, "--puzzle", "rubik2x2-qtm", "--run.checkpoint-seconds", "0.05"]
    return commands.Program(*command, "--config.iterations", "300", "--config.batch", "10000", *more)


def newest(folder):
    return max((file.name for file in folder.glob("checkpoints/[0-9]*.npz")), default=None)


def test_killed_at_any_moment_and_resumed_the_result_is_the_same(tmp_path):
    assert start(tmp_path / "whole").wait() == 0
    expected = agents.load(tmp_path / "whole").table
    folder, dice = tmp_path / "killed", random.Random(0)
    process = start(folder)
    for _ in range(4):
        before = newest(folder)
        while newest(folder) == before and process.poll() is None:  # let it get one checkpoint further, then strike
            time.sleep(0.002)
        time.sleep(dice.random() * 0.1)
        assert process.poll() is None, "finished before it could be killed four times"
        process.send_signal(signal.SIGKILL)
        process.wait()
        process = start(folder, "--run.resume")
    assert process.wait() == 0
    assert (agents.load(folder).table == expected).all()
    assert lines(folder) == lines(tmp_path / "whole")


def test_interrupting_saves_and_leaves(tmp_path):
    process = start(tmp_path / "run", "--run.checkpoint-seconds", "1000", "--config.iterations", "100000")
    while not (tmp_path / "run" / "metrics.jsonl").exists():
        time.sleep(0.05)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) == 0
    state, _ = files.load(agents.last_checkpoint(tmp_path / "run"))
    assert state["step"] == lines(tmp_path / "run")[-1]["step"] > 0


class Bomb:
    def __reduce__(self):
        return os.system, ("echo exploded > /dev/null",)


@pytest.mark.parametrize(
    "damage",
    [
        lambda file: file.write_bytes(b""),
        lambda file: file.write_bytes(file.read_bytes()[:200]),
        lambda file: file.write_bytes(file.read_bytes().replace(b"tabular", b"tabulaR")),
        lambda file: file.write_bytes(b"no zip at all"),
        lambda file: np.savez(file, table=np.zeros(3)),
        lambda file: np.savez(file, json=np.array([Bomb()], dtype=object)),
        lambda file: np.savez(file, json=np.frombuffer(b"[1, 2]", np.uint8)),
    ],
)
def test_damaged_checkpoint_is_named_and_never_run(damage, tmp_path):
    train(options(tmp_path / "run"))
    damage(agents.last_checkpoint(tmp_path / "run"))
    with pytest.raises(ValueError, match="damaged|does not say"):
        agents.load(tmp_path / "run")


def test_bad_run_folders_are_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="no run folder at"):
        agents.load(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="holds no checkpoint"):
        agents.load(tmp_path / "empty")
    with pytest.raises(FileNotFoundError, match="nothing to resume"):
        train(options(tmp_path / "empty", resume=True))
    train(options(tmp_path / "run"))
    with pytest.raises(FileExistsError, match="holds a run already"):
        train(options(tmp_path / "run"))
    with pytest.raises(ValueError, match="was begun with puzzle='hanoi-5-3', not 'hanoi-4-3'"):
        train(options(tmp_path / "run", puzzle="hanoi-4-3", resume=True))
    with pytest.raises(ValueError, match="was trained on hanoi-5-3, not on rubik2x2-qtm"):
        agents.load(tmp_path / "run", Rubik2x2())
    for name in ("rubik9x9-qtm", "hanoi-0-3", "rubik2x2-stm", "exactly", "hanoi-3-3-3"):
        with pytest.raises(ValueError, match="no puzzle is called"):
            agents.load(f"exact:{name}")
    with pytest.raises(ValueError, match="too many states"):
        train(options(tmp_path / "big", puzzle="rubik3x3-qtm"))


def test_without_wandb_everything_else_works(tmp_path):
    program = f"""
import sys
sys.modules["wandb"] = sys.modules["tensorboard"] = None
from dataclasses import replace
from pathlib import Path
from train.runs import RunOptions
from train.command import Options
from train.tabular import TabularConfig, train
from train.evaluate import Options as Evaluation, evaluate
folder = Path({str(tmp_path)!r}) / "run"
asked = {{"puzzle": "hanoi-5-3", "config": TabularConfig()}}
train(Options(run=RunOptions(folder), **asked))
evaluate(Evaluation(run=str(folder), depths="1-3", cubes=5))
for kind in ("wandb", "tensorboard"):
    try:
        train(Options(run=RunOptions(folder / kind, **{{kind: "offline" if kind == "wandb" else True}}), **asked))
    except ModuleNotFoundError as error:
        print(error)
"""
    done = commands.run("-c", program)
    assert done.returncode == 0, done.stderr
    assert "pip install wandb" in done.stdout and "pip install tensorboard" in done.stdout


def test_a_run_killed_before_its_first_checkpoint_begins_again(tmp_path):
    process = start(tmp_path / "run", "--run.checkpoint-seconds", "1000")
    while not (tmp_path / "run" / "metrics.jsonl").exists():
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert start(tmp_path / "run", "--run.checkpoint-seconds", "1000", "--run.resume").wait() == 0
    assert start(tmp_path / "whole").wait() == 0
    assert (agents.load(tmp_path / "run").table == agents.load(tmp_path / "whole").table).all()
    assert lines(tmp_path / "run") == lines(tmp_path / "whole")


def test_a_failed_start_leaves_no_run_behind(tmp_path):
    with pytest.raises(ValueError, match="too many states"):
        train(options(tmp_path / "run", puzzle="rubik3x3-qtm"))
    train(options(tmp_path / "run"))


def test_an_older_checkpoint_stands_in_for_a_damaged_one(tmp_path):
    config = options(tmp_path / "run")
    run = Run(config.run, {"puzzle": "hanoi-5-3"})
    agent = Tabular(Hanoi(5))
    for step in (1, 2):
        agent.table[:] = step
        run.checkpoint(step, agent, {}, {})
    agents.last_checkpoint(tmp_path / "run").write_bytes(b"broken")
    with pytest.warns(UserWarning, match="going back to"):
        assert agents.load(tmp_path / "run").table[0] == 1
    (tmp_path / "run" / "config.json").write_text("{}")
    with pytest.raises(ValueError, match=r"config\.json is damaged"):
        Run(RunOptions(tmp_path / "run", resume=True), {"puzzle": "hanoi-5-3"})
    files.save(tmp_path / "other" / "checkpoints" / "1.npz", agents.describe(agent), {})
    with pytest.raises(ValueError, match="does not hold what an agent of kind 'tabular' needs"):
        agents.load(tmp_path / "other")


def test_two_processes_never_train_in_one_folder(tmp_path):
    process = start(tmp_path / "run", "--config.iterations", "100000")
    while not (tmp_path / "run" / "metrics.jsonl").exists():
        time.sleep(0.05)
    second = start(tmp_path / "run", "--run.resume", "--config.iterations", "100000")
    assert second.wait(timeout=60) == 1 and process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.wait()
    steps = [row["step"] for row in lines(tmp_path / "run")]
    assert steps == list(range(1, len(steps) + 1))


def stored(folder):
    """The newest checkpoint of a short run, its state and its arrays."""
    train(options(folder))
    file = agents.last_checkpoint(folder)
    return file, *files.load(file)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"puzzle": "hanoi-4-3"}, "holds a checkpoint of hanoi-4-3, not of hanoi-5-3"),
        ({"step": 10**9}, "checkpoint of step 1,000,000,000 does not fit this run: it ends at step 30"),
        ({"learner": {}}, "checkpoint of step 30 does not fit this run"),
    ],
)
def test_a_checkpoint_of_another_run_is_not_resumed(tmp_path, change, message):
    file, state, arrays = stored(tmp_path / "run")
    files.save(file, state | change, arrays)
    with pytest.raises(ValueError, match=message):
        train(options(tmp_path / "run", resume=True))


def test_a_damaged_line_of_metrics_is_named(tmp_path):
    train(options(tmp_path / "run"))
    metrics = tmp_path / "run" / "metrics.jsonl"
    metrics.write_text(metrics.read_text().replace('{"step": 7,', '{"stop": 7,'))
    with pytest.raises(ValueError, match=r"metrics\.jsonl:7 is damaged"):
        train(options(tmp_path / "run", resume=True))


@pytest.mark.parametrize("seconds", [float("nan"), -1.0, float("inf")])
def test_a_time_between_checkpoints_is_a_finite_number(tmp_path, seconds):
    with pytest.raises(ValueError, match="--run.checkpoint-seconds must be a number at least 0"):
        train(options(tmp_path / "run", checkpoint_seconds=seconds))
    with pytest.raises(ValueError, match="--run.seed must be a whole number of at least 0, got -1"):
        train(options(tmp_path / "run", seed=-1))
    assert not (tmp_path / "run").exists()


def test_wandb_that_does_not_start_is_one_line_and_leaves_the_folder_free(tmp_path, monkeypatch):
    import wandb

    def no_key(**_):
        raise wandb.Error("no API key configured")

    monkeypatch.setattr(wandb, "init", no_key)
    with pytest.raises(ValueError, match=r"W&B does not start \(no API key configured\); --run.wandb offline"):
        train(options(tmp_path / "run", wandb="online"))
    train(options(tmp_path / "run"))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the fault bench forks")
def test_a_learner_killed_at_random_moments_ends_the_same(tmp_path):
    from tests.faults import kill_and_resume

    assert kill_and_resume("tabular", tmp_path, kills=4, seed=0) >= 4


def test_a_full_disk_is_one_error_and_loses_no_checkpoint(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(disk)]
    if not shutil.which("mount") or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no small disk can be mounted here")
    try:
        config = options(disk / "run", puzzle="hanoi-5-3", checkpoint_seconds=0)
        (disk / "others").write_bytes(bytes(200 * 1024))  # room for one checkpoint or a few
        with pytest.raises(OSError, match="No space left"):
            train(replace(config, config=TabularConfig(iterations=30_000, batch=300)))
        kept = agents.last_checkpoint(disk / "run")
        assert files.load(kept)[0]["step"] == int(kept.stem) > 0
        assert not [file for file in disk.rglob(".*") if file.name != ".lock"]
    finally:
        subprocess.run(["umount", str(disk)], check=True)
