"""Campaigns: every unit once, whatever dies; the same table from one process, a pool and a cluster."""

import json
import os
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import agents
from results import records
from rubiks_gym.puzzles import puzzle_from_name
from rubiks_gym.search import Budget, make_search
from tests import campaign_hosts, commands
from tests.campaign_units import squares, wait_for
from train import campaign
from train.campaign import Unit, recorded
from train.evaluation import start_states
from train.workers import Here, Pool, surroundings

ROOT = Path(__file__).parent.parent
needs_ray = pytest.mark.skipif(not find_spec("ray"), reason='ray is not installed (pip install -e ".[cluster]")')


def noted(folder):
    """What the units of a folder have noted, a number for every time that one was begun."""
    log = folder / "log"
    return sorted(map(int, log.read_text().split())) if log.exists() else []


def squares_of(folder, units):
    return [record["square"] for record in campaign.read(folder, units)]


def test_a_unit_is_named_by_its_content():
    unit = Unit("a:b", {"x": 1, "y": [2, 3]})
    assert unit.name == Unit("a:b", {"y": [2, 3], "x": 1}).name
    others = [Unit("a:c", unit.settings), Unit("a:b", {"x": 2, "y": [2, 3]}), Unit("a:b", {"x": 1})]
    assert len({unit.name, *(other.name for other in others)}) == 4


def test_what_is_there_is_not_done_again(tmp_path):
    crew = lambda: Here(tmp_path, {}, surroundings(given={"say": "hello"}))  # noqa: E731
    first = campaign.run(squares(3, tmp_path), tmp_path, crew())
    more = campaign.run([*squares(5, tmp_path), *squares(5, tmp_path)], tmp_path, crew())
    assert (first.before, first.done, more.before, more.done) == (0, 3, 3, 2)
    assert noted(tmp_path) == [0, 1, 2, 3, 4] and squares_of(tmp_path, squares(5, tmp_path)) == [0, 1, 4, 9, 16]
    assert campaign.read(tmp_path, squares(1, tmp_path))[0]["said"] == "hello"  # which is no part of the unit's name
    assert not list(tmp_path.rglob("*.lock"))


def test_a_unit_that_fails_is_tried_again_and_then_reported(tmp_path):
    units = [*squares(2, tmp_path, "second_time"), *squares(1, tmp_path, "never", log=str(tmp_path / "other"))]
    report = campaign.run(units, tmp_path, Here(tmp_path, {}, surroundings()), retries=1)
    assert report.done == 2 and list(report.failed.values()) == ["ValueError: no square of 0"]
    assert (tmp_path / "other").read_text() == "0\n0\n"
    told = (tmp_path / "failed" / f"{units[2].name}.txt").read_text()
    assert "no square of 0" in told and "campaign_units:never" in told
    again = campaign.run(units, tmp_path, Here(tmp_path, {}, surroundings()), retries=0)
    assert again.before == 2 and len(again.failed) == 1
    with pytest.raises(SystemExit, match="1 units failed"):
        campaign.tell(again, tmp_path)


@pytest.mark.parametrize("processes", [1, 2])
def test_a_process_that_dies_takes_no_other_unit_along_and_is_replaced(tmp_path, processes):
    units = [*squares(1, tmp_path, "fatal"), *squares(12, tmp_path, log=str(tmp_path / "other"))]
    report = campaign.run(units, tmp_path, Pool(processes, tmp_path, {}, surroundings()), retries=1)
    assert report.done == 12 and list(report.failed) == [units[0].name] and "BrokenProcessPool" in report.failed[units[0].name]
    assert noted(tmp_path) == [0, 0]  # of one process alone, the rest is done by those that took its place
    assert os.getpid() not in {record["process"] for record in campaign.read(tmp_path, units)}


def test_workers_must_have_the_drivers_code(tmp_path):
    crew = Here(tmp_path, {}, surroundings()._replace(commit="another"))
    report = campaign.run(squares(1, tmp_path), tmp_path, crew, retries=0)
    assert not report.done and "the driver another: the same code must be everywhere" in next(iter(report.failed.values()))


def test_workers_import_what_the_driver_was_told_to(tmp_path):
    (tmp_path / "own_module.py").write_text(f"from pathlib import Path\nPath({str(tmp_path / 'seen')!r}).touch()\n")
    sys.path.append(str(tmp_path))
    try:
        crew = Pool(1, tmp_path, {}, surroundings()._replace(modules=("own_module",)))
        assert campaign.run(squares(1, tmp_path), tmp_path, crew).done == 1 and (tmp_path / "seen").exists()
    finally:
        sys.path.remove(str(tmp_path))


def test_a_damaged_record_is_named(tmp_path):
    units = squares(2, tmp_path)
    campaign.run(units, tmp_path, Here(tmp_path, {}, surroundings()))
    campaign.record_file(tmp_path, units[1].name).write_text('{"n":')
    with pytest.raises(ValueError, match=f"{units[1].name}.json is damaged: delete it"):
        campaign.read(tmp_path, units)


def driver(folder, kind, drivers=1):
    words = [sys.executable, "-m", "tests.campaign_units", "main", folder, kind, drivers]
    return subprocess.Popen([*map(str, words)], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_kill_and_restart_lose_nothing_and_double_nothing(tmp_path):
    with driver(tmp_path, "pool") as first:
        wait_for(lambda: len(recorded(tmp_path)) >= 10)
        first.send_signal(signal.SIGKILL)
    done_before = len(recorded(tmp_path))
    assert 10 <= done_before <= 20  # the others wait for the gate
    (tmp_path / "gate").touch()
    with driver(tmp_path, "here") as second:
        said, complaint = second.communicate()
    assert second.returncode == 0, complaint
    report = json.loads(said.splitlines()[-1])
    assert report["before"] == done_before and report["before"] + report["done"] == 40
    units = squares(40, tmp_path, gate=str(tmp_path / "gate"))
    assert squares_of(tmp_path, units) == [n**2 for n in range(40)]
    extra = len(noted(tmp_path)) - 40
    assert 0 <= extra <= 2  # what the two processes were at when the driver was killed


def test_two_drivers_at_once_share_the_units(tmp_path):
    with driver(tmp_path, "here", 2) as first, driver(tmp_path, "here", 2) as second:
        wait_for(lambda: len(noted(tmp_path)) == 22)  # both are at a unit that waits
        (tmp_path / "gate").touch()
        said = [each.communicate() for each in (first, second)]
    reports = [json.loads(out.splitlines()[-1]) for out, _ in said]
    assert noted(tmp_path) == list(range(40))
    assert sum(report["done"] for report in reports) == 40 and min(report["done"] for report in reports) > 0
    assert all(report["before"] + report["done"] + report["elsewhere"] == 40 for report in reports)


# Measurements -----------------------------------------------------------------------------------------------------------

ASKED = ["--agents", "zoo:tabular/hanoi-5-3", "exact:hanoi-5-3", "--searches", "own", "beam:width=2", "--per-unit", "15"]


def measured(folder, *words, code=0):
    done = commands.run("-m", "results.campaign", *ASKED, "--folder", folder, *words)
    assert done.returncode == code, done.stderr
    return done


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """The campaign by one process."""
    folder = tmp_path_factory.mktemp("alone")
    measured(folder, "--cubes", "40", "--seeds", "0", "1", "--workers", "0")
    return folder


def test_parts_are_those_of_the_whole(alone):
    """Cut into parts, the cubes and what becomes of them are the same."""
    found = records.read(alone / "records.jsonl")
    assert len(found) == 2 * 2 * 2 * 3 == len({records.identity(record) for record in found})
    puzzle = puzzle_from_name("hanoi-5-3")
    whole = start_states(puzzle, 0, 40, 1)
    assert (np.concatenate([start_states(puzzle, 0, n, 1, first=first) for first, n in ((0, 15), (15, 25))]) == whole).all()
    agent = agents.load("exact:hanoi-5-3")
    lengths = [len(moves) for moves in make_search("beam", agent, {"width": 2}, budget=Budget())(whole).moves]
    parts = [r for r in found if r["seed"] == 1 and r["run"]["name"] == "exact:hanoi-5-3" and r["search"]["name"] == "beam"]
    assert records.unpack(*parts).lengths.tolist() == lengths
    assert all(r["commit"] and r["machine"]["processor"] and r["cpu_seconds"] >= 0 for r in found)


def test_a_pool_makes_the_same_table(alone, tmp_path):
    measured(tmp_path, "--cubes", "40", "--seeds", "0", "1", "--workers", "2")
    assert (tmp_path / "table.md").read_text() == (alone / "table.md").read_text()
    assert recorded(tmp_path) == recorded(alone)


@needs_ray
def test_ray_makes_the_same_table(alone, tmp_path):
    env = {"RAY_AUTH_MODE": "disabled", "RUBIKS_GYM_CACHE": str(tmp_path / "cache")}
    words = [*ASKED, "--folder", tmp_path / "ray", "--cubes", "40", "--seeds", "0", "1"]
    done = commands.run("-m", "results.campaign", *words, "--ray", "local", "--workers", "1", env=env)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "ray" / "table.md").read_text() == (alone / "table.md").read_text()
    assert len(list((tmp_path / "cache" / "campaign").glob("*.npz"))) == 1  # the agent has travelled
    words = ["tabular", "--puzzle", "hanoi-3-3", "--seeds", "1", "--option", "config.iterations", "3", "--workers", "1"]
    words += ["--folder", tmp_path / "runs"]
    done = commands.run("-m", "train.many", *words, "--ray", "local", env=env)
    assert done.returncode == 0, done.stderr
    (run,) = (tmp_path / "runs" / "runs").iterdir()  # it has travelled back
    assert {file.name for file in run.iterdir()} >= {"config.json", "metrics.jsonl", "finished.json", "learning.png"}
    assert not list((tmp_path / "cache" / "campaign" / "runs").iterdir())


def test_a_larger_campaign_begins_with_the_smaller(alone, tmp_path):
    measured(tmp_path, "--cubes", "30", "--workers", "0")
    assert "8 of 16 units are done" in measured(tmp_path, "--cubes", "60", "--status").stdout
    done = measured(tmp_path, "--cubes", "60", "--workers", "0").stdout
    assert "8 units done" in done and "8 were there" in done


def test_bad_input_is_refused_before_anything_starts(tmp_path):
    for words, told in (
        (["--searches", "dfs"], "unknown search 'dfs'"),
        (["--searches", "beam:breadth=3"], "cannot read the search 'beam:breadth=3'"),
        (["--agents", "runs/nothing"], "no run folder at"),
        (["--per-unit", "0"], "--per-unit must be a whole number from 1 to 1000"),
        (["--bench", "5"], "for the 3x3x3, not for hanoi-5-3"),
    ):
        assert told in measured(tmp_path / "x", *words, code=1).stderr
    assert not (tmp_path / "x").exists()


# Training runs ----------------------------------------------------------------------------------------------------------


def trained(folder, *words, code=0):
    many = ["-m", "train.many", "tabular", "--puzzle", "hanoi-3-3", "--workers", "0", "--folder", folder]
    done = commands.run(*many, *words)
    assert done.returncode == code, done.stderr
    return done


def test_runs_of_every_seed_and_setting_are_trained_once(tmp_path):
    words = ["--seeds", "0", "1", "--option", "config.iterations", "2", "4"]
    assert "4 units done" in trained(tmp_path, *words, "--wandb", "offline").stdout
    runs = sorted((tmp_path / "runs").iterdir())
    assert len(runs) == 4
    for run in runs:
        written = json.loads((run / "config.json").read_text())
        assert written["run"]["wandb_group"] == tmp_path.name and list((run / "wandb").glob("offline-run-*"))
    assert "0 units done" in trained(tmp_path, *words).stdout
    # One that was stopped on its way goes on, and ends like the others.
    victim = next(run for run in runs if "-s0-" in run.name)
    expected = (victim / "metrics.jsonl").read_text().splitlines()[-1]
    (victim / "finished.json").unlink()
    for record in (tmp_path / "units").rglob("*.json"):
        if json.loads(record.read_text())["folder"] == f"runs/{victim.name}":
            record.unlink()
    assert "1 units done" in trained(tmp_path, *words).stdout
    assert (victim / "metrics.jsonl").read_text().splitlines()[-1] == expected


def test_a_wrong_setting_is_reported_with_what_the_script_says(tmp_path):
    done = trained(tmp_path, "--option", "config.iterations", "many", "--retries", "0", code=1)
    assert "1 units failed" in done.stderr and "many" in done.stdout


# Two hosts --------------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(bool(campaign_hosts.why_not()), reason=campaign_hosts.why_not() or "possible")
def test_a_cluster_of_two_hosts_loses_one_and_no_unit(tmp_path):
    report, found, _, shared = campaign_hosts.lose_a_host(tmp_path, 1000, 0.005)
    campaign_hosts.check(1000, report, found, shared)
