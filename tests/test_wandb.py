"""W&B: what an offline run holds, read back record by record by W&B's own reader; kills, evaluations, sweeps."""

import json
import random
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import agents
import train.tabular
from agents.tabular.config import TabularConfig
from results.dashboard import history, of_type, read, summary
from rubiks_gym.puzzles import Hanoi
from tests import commands
from tests.short_runs import lines, tabular_options, weights_of
from tests.test_loop import OPTIONS, TRAIN
from train import wandb_log
from train.clock import Clock
from train.runs import RunOptions
from train.short_search import ShortSearch
from train.solve_alone import SolveAlone
from train.wandb_log import direction, in_section, solve_file

pytestmark = pytest.mark.usefixtures("blank_plots")
ROOT = Path(__file__).parent.parent
SWEEPS = sorted((ROOT / "train" / "sweeps").glob("*.yaml"))


def run(*arguments, **environment):
    done = commands.run("-m", *arguments, env=environment)
    assert done.returncode == 0, done.stderr


def only(folder):
    """The file of the one offline run in a folder, and its records."""
    (file,) = folder.rglob("*.wandb")
    return file, read(file)


def metrics(folder):
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


def as_sent(rows):
    return [{in_section(name): pytest.approx(value) for name, value in row.items()} for row in rows]


def check_holds_all_rows(records, folder):
    """Every row of metrics.jsonl is in an offline run once, and nothing else is."""
    sent, rows = history(records), metrics(folder)
    assert [row["_step"] for row in sent] == [row["step"] for row in rows]
    assert [{name: row[name] for name in found} for row, found in zip(sent, as_sent(rows), strict=True)] == as_sent(rows)
    assert sent[-1]["time/total_cpu_seconds"] == pytest.approx(sum(row["cpu_seconds"] for row in rows))


def test_an_offline_run_holds_everything_record_by_record(tmp_path):
    folder = tmp_path / "towers"
    settings = ["--config.iterations", 20, "--config.batch", 60, "--puzzle", "hanoi-4-3", "--search-every", 10]
    settings += ["--run.wandb-tags", "try", "--run.wandb-artifact", "--run.wandb-entity", "team"]
    run("train.tabular", "--run.folder", folder, "--run.wandb", "offline", *settings)
    file, records = only(folder)
    kinds = [record["type"] for record in records]
    assert kinds[0] == "header" and kinds[-1] == "exit" and kinds.count("run") == 1 and kinds.count("history") == 20
    (begun,) = of_type(records, "run")
    assert begun["display_name"] == "towers" and begun["run_group"] == "tabular-hanoi-4-3" and begun["job_type"] == "train"
    assert begun["tags"] == ["tabular", "hanoi-4-3", "try"] and begun["project"] == "rubiks-gym" and begun["entity"] == "team"
    assert begun["notes"].startswith("tabular on hanoi-4-3, seed 0, commit ")
    stored, config = json.loads((folder / "config.json").read_text()), begun["config"]["update"]
    assert {key: config[key] for key in stored["config"]} == stored["config"]
    assert config["run"]["wandb_tags"] == ["try"] and config["provenance"] == stored["provenance"]
    (axis,) = of_type(records, "metric")
    assert axis["glob_name"] == "*" and axis["step_metric"] == "step"

    check_holds_all_rows(records, folder)
    rows, last = history(records), summary(records)
    assert all(row["time/steps_per_second"] > 0 for row in rows)
    searched = [row["step"] for row in rows if "search/solved random" in row]
    assert searched == [row["step"] for row in rows if "errors/error at 0" in row] == [10, 20]
    assert last["search/solved random"] == rows[-1]["search/solved random"]
    assert last["best/errors/error"] == min(row["errors/error"] for row in rows if "errors/error" in row)
    assert last["best/search/solved random"] == max(row.get("search/solved random", 0) for row in rows)

    assert rows[-1]["learning._type"] == "image-file" and rows[-1]["search/solve._type"] == "video-file"
    for name in ("learning.path", "search/solve.path"):
        assert (file.parent / "files" / rows[-1][name]).stat().st_size > 1000, name
    assert (file.parent / "files" / rows[-1]["learning.path"]).read_bytes() == (folder / "learning.png").read_bytes()
    (artifact,) = of_type(records, "artifact")
    assert artifact["type"] == "model" and "tabular-hanoi-4-3" in artifact["name"]
    (left,) = of_type(records, "exit")
    assert left.get("exit_code", 0) == 0


def start(folder, *more):
    settings = ["--run.checkpoint-seconds", 0.3, "--config.iterations", 200, "--config.batch", 10_000, *more]
    return commands.Program("-m", "train.tabular", "--run.folder", folder, "--puzzle", "rubik2x2-qtm", *settings)


def test_nothing_is_lost_or_doubled_by_kills(tmp_path):
    folder, dice, told = tmp_path / "killed", random.Random(0), ("--run.wandb", "offline", "--search-every", "40")
    process = start(folder, *told)
    for _ in range(3):
        before = agents.checkpoints(folder)
        while agents.checkpoints(folder) == before and process.poll() is None:  # one checkpoint further, then strike
            time.sleep(0.002)
        time.sleep(dice.random() * 0.3)
        assert process.poll() is None, "finished before it could be killed three times"
        process.send_signal(signal.SIGKILL)
        process.wait()
        process = start(folder, "--run.resume", *told)
    assert process.wait() == 0
    _, records = only(folder)
    check_holds_all_rows(records, folder)
    solves = [row["_step"] for row in history(records) if "search/solve.path" in row]
    assert solves == [int(file.stem) for file in sorted((folder / "solves").glob("*.gif"))]
    assert start(tmp_path / "whole", "--search-every", "40").wait() == 0
    assert (agents.load(folder).table == agents.load(tmp_path / "whole").table).all()
    timed = ("search/cpu_seconds", "search/share_of_time")
    rows = [[{k: v for k, v in row.items() if k not in timed} for row in lines(f)] for f in (folder, tmp_path / "whole")]
    assert rows[0] == rows[1] and len(rows[0]) == 200


class FakeRun:
    """W&B's server, which has the rows before a step."""

    def __init__(self, known, folder):
        self.starting_step, self.dir, self.id, self.rows, self.summary, self.code = known, str(folder), "0", [], {}, None

    def define_metric(self, *names, **options):
        pass

    def log(self, row, step, commit):
        self.rows.append((step, row))

    def finish(self, exit_code):
        self.code = exit_code


def fake(monkeypatch, known, folder):
    fake = FakeRun(known, folder)
    monkeypatch.setattr(wandb_log, "start", lambda *arguments, **settings: fake)
    return fake


def test_online_a_resumed_run_sends_what_the_server_has_not(tmp_path, monkeypatch):
    options = tabular_options(tmp_path / "run", iterations=8)
    train.tabular.train(options)
    for file in agents.checkpoints(tmp_path / "run")[1:]:
        file.unlink()  # step 8; that of step 7 remains
    server = fake(monkeypatch, 5, tmp_path)
    train.tabular.train(replace(options, run=replace(options.run, wandb="online", resume=True)))
    assert [step for step, _ in server.rows] == [5, 6, 7, 8] and server.code == 0
    assert server.summary["best/errors/error"] == min(row["error"] for row in metrics(tmp_path / "run") if "error" in row)


def test_rows_wait_for_their_checkpoint_and_a_failed_run_says_so(tmp_path, monkeypatch):
    server, iterate = fake(monkeypatch, 0, tmp_path), train.tabular.Learner.iterate

    def fail(learner):
        if learner.done == 5:
            raise RuntimeError("broken")
        return iterate(learner)

    monkeypatch.setattr(train.tabular.Learner, "iterate", fail)
    options = tabular_options(tmp_path / "run", iterations=8)
    with pytest.raises(RuntimeError, match="broken"):
        train.tabular.train(replace(options, run=replace(options.run, wandb="online", checkpoint_seconds=1000)))
    assert len(metrics(tmp_path / "run")) == 5 and server.rows == [] and server.code == 1


@pytest.mark.parametrize("name", TRAIN)
def test_short_searches_change_no_weight_of_any_learner(name, tmp_path):
    options = OPTIONS[name]
    without = TRAIN[name](options(tmp_path / "without"))
    every = max(1, json.loads((tmp_path / "without" / "metrics.jsonl").read_text().splitlines()[-1])["step"] // 4)
    searched = TRAIN[name](replace(options(tmp_path / "with"), search_every=every, solve_every=every))
    assert (weights_of(without) == weights_of(searched)).all()
    stored = [agents.load_checkpoint(tmp_path / kind) for kind in ("without", "with")]
    assert stored[0][0] == stored[1][0] and all((stored[0][1][key] == stored[1][1][key]).all() for key in stored[0][1])
    rows = [row for row in lines(tmp_path / "with") if "search/solved random" in row]
    assert all(0 <= row["alone_solved"] <= 1 for row in rows)
    assert len(rows) >= 4 and all("search/solved after 5 moves" in row and row["search/nodes"] > 0 for row in rows)
    if name != "symmetric_ntuple":  # whose puzzle has no exact table
        assert all("search/optimal random" in row and "error" in row for row in (rows[-1], lines(tmp_path / "with")[-1]))


def test_short_searches_take_their_share_of_the_time(tmp_path):
    now = [0.0]
    clock = Clock(lambda: now[0], lambda: now[0])
    searches = ShortSearch(Hanoi(3), False, tmp_path, clock=clock)
    searches.measure = lambda agent, step, draw: now.__setitem__(0, now[0] + 3) or {"search/solved random": 1.0}
    learner, made = SimpleNamespace(total=1000, agent=lambda: None, done=0), []
    for done in range(1, 1001):
        now[0] += 1
        learner.done = done
        if searches(learner):
            made.append(done)
    assert made[0] == 50 and made[-1] == 1000  # at first half a second is expected, and as much for the last
    assert len(made) == 6 and now[0] - 1000 == 3 * len(made) <= 0.02 * now[0]


def test_a_short_search_solves_what_a_perfect_agent_solves_and_draws_it(tmp_path):
    agent = agents.load("exact:rubik2x2-qtm")
    found = ShortSearch(agent.puzzle, True, tmp_path).measure(agent, 7)
    for start_ in ("after 5 moves", "after 10 moves", "random"):
        assert found[f"search/solved {start_}"] == found[f"search/optimal {start_}"] == 1
    assert found["search/length random"] > found["search/length after 5 moves"] and found["error"] == 0
    from PIL import Image

    with Image.open(solve_file(tmp_path, 7)) as picture:
        assert picture.n_frames > found["search/length random"]


def test_a_perfect_agent_solves_all_alone_and_a_beam_helps_on_large_puzzles():
    exact, tables = agents.load("exact:rubik2x2-qtm"), agents.load("symmetric_ntuple:rubik3x3-qtm")
    assert SolveAlone(exact.puzzle)(SimpleNamespace(agent=lambda: exact)) == {"alone_solved": 1, "alone_optimal": 1}
    random = agents.load("random:rubik2x2-qtm")
    assert SolveAlone(exact.puzzle)(SimpleNamespace(agent=lambda: random))["alone_solved"] < 0.1
    found = SolveAlone(tables.puzzle)(SimpleNamespace(agent=lambda: tables))
    assert found["alone_solved"] > 0.7 and set(found) == {"alone_solved"}


def test_metrics_have_sections_and_directions():
    assert [in_section(name) for name in ("step", "loss", "error at 3", "seconds", "search/nodes")] == [
        "step",
        "training/loss",
        "errors/error at 3",
        "time/seconds",
        "search/nodes",
    ]
    names = ("search/solved random", "success", "train_solved", "value_loss", "error", "search/length random", "states")
    assert [direction(name) for name in (*names, "entropy_loss")] == [1, 1, 1, -1, -1, 0, 0, 0]


def test_an_evaluation_goes_to_the_group_of_its_training_run(tmp_path):
    folder = tmp_path / "towers"
    run("train.tabular", "--run.folder", folder, "--config.iterations", 10, "--run.wandb", "offline", "--search-every", 0)
    asked = ["--depths", "0,1-3", "--cubes", 6, "--wandb", "offline", "--wandb-project", "mine", "--wandb-entity", "team"]
    run("train.evaluate", folder, *asked, "--heuristic")
    file, records = only(folder / "evaluations")
    (begun,) = of_type(records, "run")
    assert begun["run_group"] == "tabular-hanoi-5-3" and begun["job_type"] == "evaluation" and begun["project"] == "mine"
    assert begun["entity"] == "team" and begun["display_name"] == "towers greedy"
    config = begun["config"]["update"]
    assert config["iterations"] == 10 and config["evaluation"]["cubes"] == 6
    assert config["training_run"] == (folder / "wandb-id.txt").read_text()
    result = json.loads(next((folder / "evaluations").glob("*.json")).read_text())
    last, rows = summary(records), result["rows"]
    for key in ("solved", "optimal", "nodes", "cpu_seconds"):
        assert last[key] == pytest.approx(np.mean([row[key] for row in rows])), key
    assert last["mean_length"] == pytest.approx(np.mean([x for row in rows for x in row["lengths"] if x is not None]))
    assert last["heuristic/mean_absolute_error"] == pytest.approx(result["heuristic"]["mean_absolute_error"])
    curve = [(row["by depth/depth"], row["by depth/solved"]) for row in history(records) if "by depth/depth" in row]
    assert curve == [(row["depth"], row["solved"]) for row in rows if row["depth"]]
    table = json.loads((file.parent / "files" / history(records)[-1]["cubes.path"]).read_text())
    cubes = [dict(zip(table["columns"], row, strict=True)) for row in table["data"]]
    assert [cube["length"] for cube in cubes] == [length for row in rows for length in row["lengths"]]
    puzzle = Hanoi(5)
    for cube in cubes:
        state = np.array(cube["state"].split(), np.uint8)
        if cube["solved"]:
            assert puzzle.is_solved(puzzle.after(cube["moves"], state)[None])[0]
    assert history(records)[-1]["evaluation._type"] == "image-file"


SMALL = {
    "adi": ["--config.iterations", "1", "--config.walks", "10"],
    "davi": ["--config.iterations", "1", "--config.batch", "300"],
    "ppo_chasenet": [
        *(
            "--config.warm-iterations",
            "1",
            "--config.ppo-iterations",
            "1",
            "--config.n-envs",
            "128",
            "--config.time-limit",
            "16",
        ),
    ],
    "symmetric_ntuple": [
        *("--config.walks", "16", "--config.walk-batches", "1", "--config.rounds", "1", "--config.episodes", "1"),
        *("--config.width", "8", "--config.radius", "2"),
    ],
    "general_ntuple": [
        *("--puzzle", "sliding-tile-3-3", "--config.walks", "16", "--config.walk-batches", "1", "--config.rounds", "1"),
        *("--config.episodes", "2", "--config.width", "8"),
    ],
    "tabular": ["--config.iterations", "3"],
    "td_ntuple": ["--config.episodes", "1000", "--cubes", "2"],
}


def test_every_learner_has_a_sweep():
    assert {file.stem for file in SWEEPS} == set(SMALL) == {name if name != "ppo" else "ppo_chasenet" for name in TRAIN}


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # W&B does not close the file
@pytest.mark.parametrize("sweep", SWEEPS, ids=lambda file: file.stem)
def test_a_sweep_starts_trials_that_report_its_metric(sweep, tmp_path):
    from wandb.sdk.launch.sweeps.utils import create_sweep_command, create_sweep_command_args, load_sweep_config

    config = load_sweep_config(str(sweep))
    assert config["method"] in ("bayes", "random", "grid") and (ROOT / config["program"]).exists()
    values = {key: {"value": (p["values"][-1] if "values" in p else p["max"])} for key, p in config["parameters"].items()}
    filled = {"${env}": [], "${interpreter}": [sys.executable], "${args}": create_sweep_command_args({"args": values})["args"]}
    words = [word for part in create_sweep_command(config["command"]) for word in filled.get(part, [part])]
    small = [*SMALL[sweep.stem], "--run.folder", str(tmp_path), "--run.wandb", "offline", "--search-every", "0"]
    own = {"WANDB_SWEEP_ID": "sweep000", "WANDB_RUN_ID": "trial000"}
    run(*words[2:], *small, **own)
    _, records = only(tmp_path / "trial000")
    (begun,) = of_type(records, "run")
    assert begun["run_id"] == "trial000" and begun["sweep_id"] == "sweep000"
    assert config["metric"]["name"] in summary(records)
    chosen = begun["config"]["update"]
    for name, value in values.items():
        if name.startswith("config."):
            assert chosen[name.removeprefix("config.").replace("-", "_")] == value["value"], name


def test_without_w_and_b_nothing_is_searched(tmp_path):
    options = tabular_options(tmp_path / "run")
    assert options.search_every is None and RunOptions(tmp_path).wandb == "disabled"
    train.tabular.train(options)
    assert not any("search/solved random" in row for row in metrics(tmp_path / "run"))
    assert not (tmp_path / "run" / "solves").exists()
    assert TabularConfig().iterations == 1000
