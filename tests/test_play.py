"""`rubiks-gym play`: the interface answers truly, keeps its limits, and lets nobody else in."""

import contextlib
import http.client
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

import httpx2
import numpy as np
import pytest
from starlette.testclient import TestClient

from rubiks_gym import PUZZLES, cli, ntuple
from rubiks_gym.exact import ExactTable
from rubiks_gym.play import catalogue, jobs
from rubiks_gym.play.guard import HEADERS
from rubiks_gym.play.limits import Limits
from rubiks_gym.play.runs import find_runs, read_metrics
from rubiks_gym.play.server import make_app
from rubiks_gym.puzzles import Rubik2x2, Rubik3x3, puzzle_from_name
from rubiks_gym.search import SEARCHES, search_options

ROOT = Path(__file__).parent.parent
README = ROOT / "rubiks_gym" / "play" / "README.md"
NARROW = {"width": 256, "radius": 4, "inverse": False}
HARD = {"puzzle": "rubik3x3-qtm", "moves": "R U F D2 L B R U2 F L D B2 R F U D R2 F L U", "agent": "random:rubik3x3-qtm"}
LONG = HARD | {"search": "sample-policy", "options": {"max_steps": 10**9}}  # goes on until it is stopped
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes as Linux shows them")


def client_of(app):
    return TestClient(app, base_url="http://localhost:8642")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder of runs: one that is damaged, and things that are no runs."""
    folder = tmp_path_factory.mktemp("runs")
    (folder / "damaged").mkdir()
    (folder / "damaged" / "config.json").write_text("{")
    (folder / "no run").mkdir()
    (folder / "secret.txt").write_text("secret")
    return folder


@pytest.fixture(scope="module")
def page(folder):
    """The server in this process, with little memory, so that proofs take a table that is made in seconds."""
    limits = Limits(memory=1 << 29, process_memory=3 << 29, body=4096, text=1000, perimeter=200_000, kept=30, workers=2)
    with client_of(make_app(limits, folder, static=folder / "no run", warm=False)) as client:
        yield client


def ask(client, **request):
    answer = client.post("/api/jobs", json=request)
    assert answer.status_code == 202, answer.text
    return answer.json()["job"]


def outcome(client, job, seconds=300):
    """What becomes of a job in the end."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        told = client.get(f"/api/jobs/{job}?wait=10").json()
        if told["status"] not in ("queued", "running"):
            return told
    raise AssertionError(f"not done in {seconds} s: {told}")


def solve(client, **request):
    told = outcome(client, ask(client, **request))
    assert told["status"] == "done", told
    return told["result"]


def until_running(client, job):
    """Wait until the search of a job has begun."""
    for _ in range(6000):
        told = client.get(f"/api/jobs/{job}").json()
        if told["status"] == "running" and "note" not in told:
            return
        assert told["status"] in ("queued", "running"), told
        time.sleep(0.05)
    raise AssertionError(told)


def is_solution(name, request, moves):
    puzzle = puzzle_from_name(name)
    start = puzzle.after(request["moves"]) if "moves" in request else puzzle.check(np.array(request["state"]))[0]
    return puzzle.is_solved(puzzle.after(" ".join(moves), start)[None])[0]


# What there is ----------------------------------------------------------------------------------------------------------


def test_info_lists_the_registries_of_the_suite(page):
    info = page.get("/api/info").json()
    assert {puzzle["name"] for puzzle in info["puzzles"]} >= {name for entry in PUZZLES.values() for name in entry.examples}
    for told in info["puzzles"]:
        puzzle = puzzle_from_name(told["name"])
        assert told["actions"] == list(puzzle.action_names) and told["goal"] == puzzle.goal.tolist()
    kinds = {told["name"].split("-")[0]: told["kind"] for told in info["puzzles"]}
    assert kinds.items() >= {"rubik2x2": "cube2", "rubik3x3": "cube3", "hanoi": "hanoi"}.items()  # other tests register more
    assert [search["name"] for search in info["searches"]] == list(SEARCHES)
    for search in info["searches"]:
        told = {key: option["default"] for key, option in search["options"].items()}
        assert told == search_options(search["name"]) and all(option["help"] for option in search["options"].values())
    agents = {agent["id"]: agent for agent in info["agents"]}
    assert agents["trained:rubik3x3-qtm"]["options"] == {"width": 16384, "radius": 6, "inverse": True}
    assert {"exact:rubik2x2-htm", "random:hanoi-64-3", "trained:rubik3x3-htm"} <= set(agents)
    assert not {"exact:hanoi-64-3", "exact:rubik3x3-qtm", "trained:rubik2x2-qtm"} & set(agents)
    assert info["limits"]["body"] == 4096


def test_choices_of_options_are_those_that_searches_take():
    found = {
        (key, value)
        for search in catalogue.searches()
        for key, option in search["options"].items()
        for value in option.get("choices", ())
    }
    assert found == {
        ("by", "value"), ("by", "policy"), ("by", "sample"), ("score", "puct"), ("score", "uct"), ("backup", "mean"),
        ("backup", "max"), ("leaf", "state"), ("leaf", "children"), ("leaf", "rollout"), ("play", "visits"), ("play", "value"),
    }  # fmt: skip


# Solving ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("search", [name for name in SEARCHES if name != "sample-policy"])
def test_every_search_solves_with_true_distances(page, search):
    request = {"puzzle": "hanoi-4-3", "state": [0, 1, 2, 0], "agent": "exact:hanoi-4-3", "search": search}
    result = solve(page, **request)
    assert result["solved"] and is_solution("hanoi-4-3", request, result["moves"])
    table, puzzle = ExactTable(puzzle_from_name("hanoi-4-3")), puzzle_from_name("hanoi-4-3")
    states = [puzzle.after(" ".join(result["moves"][:n]), np.array(request["state"])) for n in range(result["length"] + 1)]
    assert result["values"] == table.distance(np.stack(states)).tolist()  # what the agent says of every state on the way
    assert result["optimal"] == table.distance(np.array([request["state"]], np.uint8))[0] <= result["length"]
    assert result["search"] == search and result["nodes"] > 0 and result["seconds"] > 0


def test_trained_tables_solve_a_cube_by_its_facelets(page):
    cube = Rubik3x3()
    state = cube.after("R U F' L2 D B R'")
    result = solve(page, puzzle=cube.name, facelets=cube.facelets(state), agent="trained:rubik3x3-qtm", options=NARROW)
    assert result["length"] == 8 and cube.is_solved(cube.after(" ".join(result["moves"]), state)[None])[0]
    assert result["values"][-1] == 0 < result["values"][0] and len(result["values"]) == 9
    assert result["optimal"] is None and not result["proven"]
    assert result["options"] == {"width": 256, "radius": 4, "inverse": False}  # and the search that suits the agent
    assert solve(page, puzzle="rubik2x2-htm", moves="R2 U F")["length"] == 3  # without an agent: the best there is


def test_a_shortest_solution_is_proven(page):
    result = solve(page, puzzle="rubik3x3-qtm", moves="R U F D", optimal=True, options={"width": 64, "tail": 2})
    assert result["proven"] and result["lower"] == result["length"] == result["optimal"] == 4
    assert result["search"] == "certified"


def test_a_search_that_fails_says_how_far_it_came(page):
    result = solve(page, **HARD, search="greedy", options={"max_steps": 3})
    assert (result["solved"], result["moves"], result["length"], len(result["values"])) == (False, [], None, 1)
    assert solve(page, **HARD, search="bwas", options={"max_nodes": 5000})["nodes"] < 10_000
    began = time.monotonic()
    assert not solve(page, **LONG | {"options": {"max_steps": 10**9, "max_seconds": 0.3}})["solved"]
    assert time.monotonic() - began < 10


def test_true_distances(page):
    cube = Rubik2x2("htm")
    states = cube.random_states(np.arange(20, dtype=np.uint64))
    expected = ExactTable(cube).distance(states).tolist()
    told = [page.post("/api/distance", json={"puzzle": cube.name, "facelets": cube.facelets(state)}).json() for state in states]
    assert [each["distance"] for each in told] == expected
    assert page.post("/api/distance", json={"puzzle": "hanoi-6-3", "state": [0] * 6}).json() == {"distance": 63}
    refused = page.post("/api/distance", json={"puzzle": "rubik3x3-qtm", "moves": "R"})
    assert refused.status_code == 400 and "no table of true distances" in refused.json()["error"]


# Runs -------------------------------------------------------------------------------------------------------------------


def test_a_run_is_watched_while_it_learns_and_then_solves(page, folder):
    settings = ["--puzzle", "hanoi-4-3", "--run.folder", str(folder / "mine" / "hanoi"), "--config.iterations", "1000"]
    command = [sys.executable, "-m", "train.tabular", *settings]
    lines, start, looks = [], 0, 0
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL) as training:
        while training.poll() is None or looks == 0:
            told = page.get(f"/api/runs/mine/hanoi/metrics?from={start}")
            if told.status_code == 200:  # else the training program is still being loaded
                looks += bool(told.json()["lines"])
                lines, start = lines + told.json()["lines"], told.json()["next"]
            time.sleep(0.02)
    assert training.returncode == 0 and looks > 3  # it grew under our eyes
    lines += page.get(f"/api/runs/mine/hanoi/metrics?from={start}").json()["lines"]
    steps = [line["step"] for line in lines]
    assert steps == sorted(set(steps)) and steps[-1] == 1000 and all(len(line) > 2 for line in lines)
    stored = [json.loads(line) for line in (folder / "mine" / "hanoi" / "metrics.jsonl").read_text().splitlines()]
    assert lines == stored
    run = next(run for run in page.get("/api/runs").json()["runs"] if run["id"] == "mine/hanoi")
    assert (run["puzzle"], run["algorithm"], run["title"]) == ("hanoi-4-3", "tabular", "mine/hanoi") and run["agent"]
    agents = [agent["id"] for agent in page.get("/api/info").json()["agents"]]
    assert "run:mine/hanoi" in agents and "run:damaged" not in agents
    request = {"puzzle": "hanoi-4-3", "state": [0, 0, 0, 0], "agent": "run:mine/hanoi"}
    result = solve(page, **request)
    assert is_solution("hanoi-4-3", request, result["moves"]) and result["length"] == result["optimal"] == 15


def test_runs_are_named_by_ids_and_never_by_paths(page, folder):
    answer = page.get("/api/runs")
    assert {run["id"] for run in answer.json()["runs"]} >= {"damaged"} and str(folder) not in answer.text
    assert page.get("/api/runs/damaged/metrics").json() == {"lines": [], "next": 0, "reset": False}
    for id in ("no run", "%2e%2e", "mine", "secret.txt", str(folder / "damaged"), "damaged%2f..%2fdamaged", "%2e%2e/x", ""):
        assert page.get(f"/api/runs/{id}/metrics").status_code == 404
    told = page.post("/api/jobs", json={"puzzle": "hanoi-4-3", "state": [0] * 4, "agent": "run:damaged"})
    assert told.status_code == 400 and "trained on None" in told.json()["error"]


def test_metrics_go_on_where_they_ended(tmp_path):
    file = tmp_path / "metrics.jsonl"
    assert read_metrics(tmp_path, 0, 1000) == {"lines": [], "next": 0, "reset": False}
    file.write_text('{"step": 1, "loss": NaN}\n{"step": 2, "loss": 0.5, "text": "x"}\nnonsense\n[1]\n{"step": 3')
    first = read_metrics(tmp_path, 0, 1000)
    assert first["lines"] == [{"step": 1, "loss": None}, {"step": 2, "loss": 0.5}]
    with open(file, "a") as more:
        more.write("}\n")
    assert read_metrics(tmp_path, first["next"], 1000) == {"lines": [{"step": 3}], "next": file.stat().st_size, "reset": False}
    file.write_text('{"step": 1}\n')  # resumed from an earlier checkpoint
    assert read_metrics(tmp_path, first["next"], 1000) == {"lines": [{"step": 1}], "next": 12, "reset": True}
    file.write_text('{"step": 1}\n' * 100)
    assert len(read_metrics(tmp_path, 0, 130)["lines"]) == 10
    file.write_text("1" * 200)
    with pytest.raises(ValueError, match="a line has more than 100 bytes"):
        read_metrics(tmp_path, 0, 100)


def test_no_more_runs_are_listed_than_may(tmp_path):
    for name in "abcd":
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text("{}")
    assert list(find_runs(tmp_path, 3)) == ["a", "b", "c"]
    assert find_runs(tmp_path / "none", 3) == find_runs(None, 3) == {}


# Bad input --------------------------------------------------------------------------------------------------------------

CUBE = {"puzzle": "rubik3x3-qtm", "moves": "R"}
SOLVED = Rubik3x3().facelets(Rubik3x3().goal)


@pytest.mark.parametrize(
    ("request_", "fault"),
    [
        ({}, "puzzle must be the name"),
        ({"puzzle": "rubik9x9", "moves": "R"}, "no puzzle is called 'rubik9x9'"),
        ({"puzzle": "hanoi-99-3", "moves": "01"}, "disks must be a whole number from 1 to 64"),
        ({"puzzle": "hanoi-4-3-\x00", "moves": "01"}, "no puzzle is called"),
        ({"puzzle": ["rubik3x3-qtm"], "moves": "R"}, "puzzle must be the name"),
        ({"puzzle": "rubik3x3-qtm"}, "give one of moves, facelets and state; got none"),
        (CUBE | {"facelets": SOLVED}, "got moves, facelets"),
        (CUBE | {"moves": 3}, "moves must be a text"),
        (CUBE | {"moves": "R Q"}, "cannot read 'Q'"),
        (CUBE | {"moves": "\ud800"}, "cannot read"),
        (CUBE | {"moves": "R " * 600}, "at most 1,000 are read"),
        (CUBE | {"moves": None, "facelets": "U" * 54}, "9"),
        (CUBE | {"moves": None, "facelets": SOLVED[:8] + "F" + SOLVED[9:20] + "U" + SOLVED[21:]}, "corner"),
        (CUBE | {"moves": None, "state": [0] * 20}, "rubik3x3"),
        (CUBE | {"moves": None, "state": [300] * 20}, "whole numbers"),
        (CUBE | {"moves": None, "state": [1.5] * 20}, "state must be a list of whole numbers"),
        (CUBE | {"moves": None, "state": [True] * 20}, "state must be a list of whole numbers"),
        ({"puzzle": "hanoi-4-3", "facelets": "U"}, "has no facelets"),
        ({"puzzle": "hanoi-4-3", "state": [0, 1]}, "hanoi-4-3"),
        (CUBE | {"path": "/etc/passwd"}, "unknown field 'path'"),
        (CUBE | {"agent": "oracle"}, "unknown agent 'oracle'"),
        (CUBE | {"agent": {"a": 1}}, "unknown agent"),
        (CUBE | {"agent": "exact:rubik2x2-qtm"}, "not for rubik3x3-qtm"),
        (CUBE | {"agent": "run:../../etc"}, "there is no run '../../etc'"),
        (CUBE | {"search": "dfs"}, "unknown search 'dfs'"),
        (CUBE | {"search": []}, "unknown search []"),
        (CUBE | {"search": "beam", "options": {"weight": 1}}, "search beam has no option 'weight'"),
        (CUBE | {"search": "beam", "options": []}, ""),
        (CUBE | {"search": "beam", "options": {"width": {"a": 1}}}, "option 'width' must be a number"),
        (CUBE | {"search": "beam", "options": {"width": "9" * 60}}, "option 'width' must be a number"),
        (CUBE | {"search": "beam", "options": "width=3"}, "options must be an object"),
        (CUBE | {"options": {"radius": -1}}, "radius must be a whole number of at least 0"),
        (CUBE | {"options": {"inverse": 1}}, "inverse must be True or False"),
        (CUBE | {"options": {"max_nodes": 10**12}}, "max_nodes must be a whole number from 1 to 10000000"),
        (CUBE | {"options": {"max_seconds": 1e6}}, "max_seconds must be a number above 0 and at most 600"),
        (CUBE | {"options": {"seed": "x"}}, "seed must be a whole number"),
        (CUBE | {"optimal": "yes"}, "optimal must be True or False"),
        (CUBE | {"optimal": True, "search": "beam"}, "optimal is a search of its own"),
    ],
)  # fmt: skip
def test_bad_requests_are_refused_and_the_fault_is_named(page, request_, fault):
    answer = page.post("/api/jobs", content=json.dumps(request_), headers={"Content-Type": "application/json"})
    if fault:
        assert answer.status_code == 400 and fault in answer.json()["error"], answer.text
        assert str(ROOT) not in answer.text and "Traceback" not in answer.text
    else:
        assert answer.status_code == 202
        page.delete(f"/api/jobs/{answer.json()['job']}")


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({"search": "beam", "options": {"width": 0}}, "width must be a whole number of at least 1"),
        ({"search": "beam", "options": {"width": "wide"}}, "width must be a whole number"),
        ({"options": {"leaves": 3}}, "cannot read the option 'leaves=3' of search greedy"),
        ({"options": {"radius": 9}}, "more than 200,000 states; take a radius of at most 8"),
        ({"search": "mcts", "options": {"remember": 10**11}}, "leaves nothing of a memory of 536,870,912 bytes"),
        ({"search": "bwas", "options": {"costs": [1, 2]}}, "costs must be 6"),
    ],
)
def test_what_a_search_refuses_fails_with_its_reason(page, options, fault):
    told = outcome(page, ask(page, puzzle="rubik2x2-qtm", moves="R", **options))
    assert told["status"] == "failed" and fault in told["error"] and "result" not in told
    assert str(ROOT) not in told["error"]


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"", "application/json", 400),
        (b"{", "application/json", 400),
        (b"[]", "application/json", 400),
        (b"\xff\xfe", "application/json", 400),
        (b'{"puzzle": NaN}', "application/json", 400),
        (b'{"options": {"width": 1e999}}', "application/json", 400),
        (b'{"options": {"width": %s}}' % (b"9" * 3000), "application/json", 400),
        (b"[" * 4000, "application/json", 400),
        (b'{"a":' * 700, "application/json", 400),
        (b'{"a":[[[[[1]]]]]}', "application/json", 400),
        (b" " * 5000, "application/json", 413),
        (b"{}", "text/plain", 415),
        (b"puzzle=hanoi-3-3", "application/x-www-form-urlencoded", 415),
    ],
)
def test_what_is_not_json_as_it_should_be_is_refused(page, content, kind, status):
    for path in ("/api/jobs", "/api/distance"):
        answer = page.post(path, content=content, headers={"Content-Type": kind})
        assert answer.status_code == status and answer.json()["error"]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/api/jobs/nobody", 404), ("DELETE", "/api/jobs/nobody", 404), ("GET", "/api/jobs", 404),
        ("PUT", "/api/info", 405), ("OPTIONS", "/api/jobs", 405), ("GET", "/api/nothing", 404), ("POST", "/", 405),
        ("GET", "/api/runs/damaged/metrics?from=-1", 400), ("GET", "/api/runs/damaged/metrics?from=x", 400),
        ("GET", "/api/runs/damaged/metrics?from=99999999999999999999", 400),
    ],
)  # fmt: skip
def test_what_is_not_there_is_said_in_json(page, method, path, status):
    answer = page.request(method, path)
    assert answer.status_code == status and answer.json()["error"]


def test_thousands_of_random_requests_get_an_answer_each(page):
    """Nothing makes the server fail: every answer is JSON and none says 500; what is right by chance is worked off."""
    rng = random.Random(0)
    words = ["puzzle", "moves", "facelets", "state", "agent", "search", "options", "optimal", "hanoi-3-3", "hanoi-2-4", "beam",
             "rubik2x2-qtm", "exact:hanoi-3-3", "run:damaged", "01 12", SOLVED, "R U", "width", "radius", "\x00", "\ud834", "é",
             "../..", "max_seconds", "__class__", "a" * 300]  # fmt: skip
    values = [None, True, False, 0, 1, -1, 2, 10**18, 0.5, -1e300, [], {}, [0, 0, 0], [2, 2], "", *words]

    def value(deep=0):
        if deep < 3 and rng.random() < 0.2:
            return [value(deep + 1) for _ in range(rng.randrange(4))]
        if deep < 3 and rng.random() < 0.2:
            return {rng.choice(words): value(deep + 1) for _ in range(rng.randrange(4))}
        return rng.choice(values)

    def body():
        request = {"puzzle": "hanoi-3-3", "state": [0, 1, 2]} if rng.random() < 0.7 else {}
        request |= {rng.choice(words): value() for _ in range(rng.randrange(3))}
        text = json.dumps(request if rng.random() < 0.95 else value()).encode()
        if rng.random() < 0.1:
            cut = rng.randrange(len(text) + 1)
            text = text[:cut] + bytes(rng.randrange(256) for _ in range(rng.randrange(4))) + text[cut + rng.randrange(3) :]
        return text

    paths = ["/api/jobs", "/api/jobs", "/api/jobs", "/api/distance", "/api/info", "/api/runs", "/api/jobs/x", "/", "/api/"]
    seen = set()

    async def feed():
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(page.app), base_url="http://localhost") as client:
            for _ in range(2000):
                path, method = rng.choice(paths), rng.choice(["POST", "POST", "POST", "GET", "DELETE"])
                answer = await client.request(method, path, content=body(), headers={"Content-Type": "application/json"})
                seen.add(answer.status_code)
                if not (path == "/" and method == "GET"):
                    assert answer.status_code < 500 and isinstance(answer.json(), dict), (method, path, answer.text)

    page.portal.call(feed)
    assert {200, 202, 400, 404, 405} <= seen <= {200, 202, 400, 404, 405, 413, 429, 503}
    assert solve(page, puzzle="hanoi-3-3", state=[0, 0, 0])["length"] == 7


# Who may ask ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "127.0.0.1:1234"}, 200),
        ({"Host": "[::1]:1234"}, 200),
        ({"Host": "LOCALHOST"}, 200),
        ({"Origin": "http://localhost:8642"}, 200),
        ({"Sec-Fetch-Site": "same-origin"}, 200),
        ({"Sec-Fetch-Site": "none"}, 200),
        ({"Host": "evil.example"}, 403),
        ({"Host": "localhost.evil.example"}, 403),
        ({"Host": "127.0.0.1.nip.io:8642"}, 403),
        ({"Host": "evil.example@localhost"}, 403),
        ({"Host": "localhost/"}, 403),
        ({"Host": "localhost:port"}, 403),
        ({"Host": ""}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": ""}, 403),
        ({"Origin": "https://localhost:8642"}, 403),
        ({"Origin": "http://localhost:9999"}, 403),
        ({"Origin": "http://localhost:8642.evil.example"}, 403),
        ({"Origin": "http://localhost:8642@evil.example"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
    ],
)
def test_only_pages_of_this_server_on_this_machine_are_answered(page, headers, status):
    answers = [
        page.get("/api/runs", headers=headers),
        page.post("/api/distance", json={"puzzle": "hanoi-3-3", "state": [0, 0, 0]}, headers=headers),
    ]
    assert [answer.status_code for answer in answers] == [status, status]
    if "Sec-Fetch-Site" in headers:  # a link from another site may lead to the page
        assert page.get("/", headers=headers).status_code == 503


def test_every_answer_has_the_headers_that_keep_others_out(page):
    for answer in (page.get("/"), page.get("/api/info"), page.get("/nothing"), page.get("/api/info", headers={"Host": "x"})):
        assert {name: answer.headers[name] for name in HEADERS} == HEADERS
        assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        assert not [name for name in answer.headers if name.startswith("access-control")]
    assert page.get("/api/info").headers["Cache-Control"] == "no-store"


def test_a_failure_of_the_server_is_told_without_its_insides(page, monkeypatch):
    monkeypatch.setattr(catalogue, "searches", lambda: 1 / 0)
    client = TestClient(page.app, base_url="http://localhost", raise_server_exceptions=False)
    answer = client.get("/api/info")
    assert answer.status_code == 500 and answer.json() == {"error": "the server failed; its terminal says more"}
    assert answer.headers["X-Frame-Options"] == "DENY"


# The page's files -------------------------------------------------------------------------------------------------------


def test_without_a_built_page_it_says_how_to_build_one(tmp_path):
    client = client_of(make_app(static=tmp_path))  # not entered: no worker is started
    answer = client.get("/")
    assert answer.status_code == 503 and "make web" in answer.text


def test_files_of_the_page_are_served_from_a_list(tmp_path):
    static = tmp_path / "static"
    (static / "sub").mkdir(parents=True)
    (static / "index.html").write_text("<!doctype html>")
    (static / "sub" / "app.js").write_text("1")
    (static / "solver.wasm").write_bytes(b"\0asm")
    (tmp_path / "secret").write_text("secret")
    client = client_of(make_app(static=static))
    kinds = {
        "/": "text/html; charset=utf-8",
        "/sub/app.js": "text/javascript; charset=utf-8",
        "/solver.wasm": "application/wasm",
    }
    for path, kind in kinds.items():
        answer = client.get(path)
        assert (answer.status_code, answer.headers["Content-Type"]) == (200, kind)
        assert answer.headers["Cache-Control"] == "no-cache"
        again = client.get(path, headers={"If-None-Match": answer.headers["ETag"]})
        assert again.status_code == 304 and not again.content
    tables = client.get("/tables/rubik3x3-qtm.npz?v=1")
    assert tables.content == ntuple.TRAINED["rubik3x3-qtm"].read_bytes()
    assert tables.headers["Content-Type"] == "application/octet-stream"
    paths = [
        "/%2e%2e%2fsecret",
        "/..%2fsecret",
        "/sub/..%2f..%2fsecret",
        "//etc/passwd",
        "/sub",
        "/sub/",
        "/%00",
        "/index.html/",
    ]
    for path in [*paths, str(tmp_path / "secret"), "/tables/..%5c..%5csecret", "/tables", "/INDEX.HTML"]:
        answer = client.get(path)
        assert answer.status_code == 404 and "secret" not in answer.text, path


# Limits and cancelling --------------------------------------------------------------------------------------------------


def cpu_ticks(process):
    """Time that a process of Linux has used, None if it is gone."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if fields[0] == "Z" else int(fields[11]) + int(fields[12])


def children(process):
    found = []
    for task in Path(f"/proc/{process}/task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            found += [int(child) for child in (task / "children").read_text().split()]
    return [child for child in found if b"rubiks_gym.play.worker" in Path(f"/proc/{child}/cmdline").read_bytes()]


def are_at_rest(processes, seconds=10):
    """Whether the processes are gone or do nothing, soon."""
    for _ in range(5 * seconds):
        before = [cpu_ticks(process) for process in processes]
        time.sleep(0.2)
        after = [cpu_ticks(process) for process in processes]
        if all(now is None or now - then <= 2 for then, now in zip(before, after, strict=True)):
            return True
    return False


@linux_only
@pytest.mark.parametrize(
    "request_",
    [
        LONG,
        HARD | {"search": "bwas", "options": {"batch": 10}},
        HARD | {"search": "beam", "options": {"width": 100_000}},
        HARD | {"search": "mcts"},
        HARD | {"agent": "trained:rubik3x3-qtm", "optimal": True, "options": {"width": 16, "tail": 2}},  # sees no clock
    ],
    ids=["sample-policy", "bwas", "beam", "mcts", "certified"],
)
def test_cancelling_stops_the_work_within_a_second(page, request_):
    job = ask(page, **request_)
    until_running(page, job)
    working = children(os.getpid())
    began = time.monotonic()
    told = page.delete(f"/api/jobs/{job}").json()
    took = time.monotonic() - began
    assert told["status"] == "cancelled" and "result" not in told and took < 2  # a second, and one for a busy machine
    assert are_at_rest(working)  # one of them may be getting ready for the next job
    assert page.delete(f"/api/jobs/{job}").json()["status"] == "cancelled"


@linux_only
def test_a_worker_that_dies_fails_its_job_and_no_other(page):
    job = ask(page, **LONG)
    until_running(page, job)
    working = []
    while len(working) != 1:  # others may still be starting, and would fail the next job if they were killed
        before = {process: cpu_ticks(process) for process in children(os.getpid())}
        time.sleep(0.3)
        working = [process for process, ticks in before.items() if cpu_ticks(process) != ticks]
    os.kill(working[0], signal.SIGKILL)
    told = outcome(page, job)
    assert told["status"] == "failed" and "the worker process ended (killed by signal 9" in told["error"]
    assert solve(page, puzzle="hanoi-3-3", state=[0, 0, 0])["length"] == 7


@pytest.fixture(scope="module")
def small():
    """A server with little of everything."""
    with client_of(make_app(Limits(workers=1, queued=3, kept=2, process_memory=500 << 20), warm=False)) as client:
        yield client


def test_no_more_jobs_wait_run_or_are_kept_than_may(small):
    running = ask(small, **LONG)
    until_running(small, running)
    waiting = [ask(small, puzzle="hanoi-3-3", state=[0, 0, n]) for n in range(3)]
    assert [small.get(f"/api/jobs/{job}").json()["position"] for job in waiting] == [0, 1, 2]
    refused = small.post("/api/jobs", json={"puzzle": "hanoi-3-3", "state": [0, 0, 0]})
    assert refused.status_code == 429 and "3 jobs are waiting" in refused.json()["error"] and refused.headers["Retry-After"]
    assert small.delete(f"/api/jobs/{waiting[0]}").json()["status"] == "cancelled"  # one that waits goes at once
    assert [small.get(f"/api/jobs/{job}").json()["position"] for job in waiting[1:]] == [0, 1]
    small.delete(f"/api/jobs/{running}")
    expected = ExactTable(puzzle_from_name("hanoi-3-3")).distance(np.array([[0, 0, 1], [0, 0, 2]], np.uint8)).tolist()
    assert [outcome(small, job)["result"]["length"] for job in waiting[1:]] == expected
    last = ask(small, puzzle="hanoi-3-3", state=[0, 0, 0])
    assert small.get(f"/api/jobs/{running}").status_code == small.get(f"/api/jobs/{waiting[0]}").status_code == 404
    assert outcome(small, last)["status"] == "done"


@linux_only
def test_memory_that_an_earlier_job_left_is_given_back_before_a_job_fails_for_want_of_it(small):
    request = {"puzzle": "rubik3x3-qtm", "moves": "R U", "agent": "trained:rubik3x3-qtm", "search": "greedy"}
    assert solve(small, **request)["length"] == 2
    before = children(os.getpid())
    told = outcome(small, ask(small, **request | {"search": "beam", "options": NARROW}))  # makes far larger tables
    assert told["status"] == "failed" and told["error"] == "this takes more memory than a worker may have (0.5 GB)"
    assert not set(before) <= set(children(os.getpid()))  # it was tried by a new worker
    assert solve(small, **request)["length"] == 2


def test_a_search_that_overruns_its_seconds_is_stopped(page, monkeypatch):
    """As one would that does not look at its clock: this one has a hundred seconds, but the server waits for a tenth only."""
    monkeypatch.setattr(jobs, "_GRACE", -99.9)
    told = outcome(page, ask(page, **LONG | {"options": {"max_steps": 10**9, "max_seconds": 100}}))
    assert told["status"] == "failed" and "longer than its search may" in told["error"]


def test_a_worker_that_does_not_start_fails_what_waits(monkeypatch):
    async def no_worker(*args):
        return None

    monkeypatch.setattr(jobs.Worker, "start", no_worker)
    with client_of(make_app(Limits(workers=1))) as client:
        told = outcome(client, ask(client, puzzle="hanoi-3-3", state=[0, 0, 0]))
        assert told["status"] == "failed" and "no worker process starts" in told["error"]


# The command and its README ---------------------------------------------------------------------------------------------


def text_blocks():
    return re.findall(r"^```text\n(.*?)^```", README.read_text(), re.DOTALL | re.MULTILINE)


def test_limits_are_those_of_the_readme():
    table = README.read_text().partition("| limit | |")[2]
    limits = Limits()
    for text in (
        f"{limits.seconds:.0f}, up to {limits.most_seconds:.0f} if asked for",
        f"building a table before it: {limits.preparation:.0f}",
        f"{limits.nodes // 10**6} million",
        f"{limits.memory >> 30} GB for a search, {limits.process_memory >> 30} GB for a process",
        f"{limits.queued} in the queue, the last {limits.kept} that",
        f"{limits.body >> 10} KB, {limits.text:,} characters of text, brackets {limits.depth} deep",
        f"{limits.metrics >> 10} KB per answer",
    ):
        assert text in table
    assert f"up to {limits.exact_states // 10**6} million states" in README.read_text() and limits.workers <= 4


@contextlib.contextmanager
def serving(*options):
    """The command itself, on any free port: its process and its address."""
    command = [sys.executable, "-m", "rubiks_gym", "play", "--no-open", "--port", "0", *options]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        line = process.stdout.readline()
        assert "http://127.0.0.1:" in line, line + process.stderr.read()
        yield process, line.split()[3]
    finally:
        process.kill()
        process.communicate()


@linux_only
def test_fifty_clients_at_once_lose_nothing_and_ctrl_c_leaves_nothing():
    with serving("--import", "examples.04_a_puzzle_of_your_own") as (process, address):
        puzzle = puzzle_from_name("hanoi-5-3")
        table = ExactTable(puzzle)
        most_at_once, stop = [0], threading.Event()

        def count():
            while not stop.is_set():
                most_at_once[0] = max(most_at_once[0], len(children(process.pid)))
                time.sleep(0.02)

        def one(number):
            """A client: three jobs, all sent before the first is asked about; it comes again if there is no room."""
            states, told = puzzle.random_states(np.arange(3 * number, 3 * number + 3, dtype=np.uint64)), []
            with httpx2.Client(base_url=address, timeout=60) as client:
                jobs = []
                for state in states:
                    while (answer := client.post("/api/jobs", json={"puzzle": puzzle.name, "state": state.tolist()})).is_error:
                        assert answer.status_code == 429
                        time.sleep(0.1)
                    jobs.append(answer.json()["job"])
                told = [outcome(client, job) for job in jobs]
            expected = table.distance(states).tolist()
            return [each["result"]["length"] for each in told] == expected and len(set(jobs)) == 3

        counter = threading.Thread(target=count)
        counter.start()
        with ThreadPoolExecutor(50) as clients:
            right = list(clients.map(one, range(50)))
        stop.set()
        counter.join()
        assert right == [True] * 50 and 1 <= most_at_once[0] <= Limits().workers

        with httpx2.Client(base_url=address, timeout=60) as client:
            info = client.get("/api/info").json()
            assert "chinese-rings-5" in [each["name"] for each in info["puzzles"]]  # of a module that was imported first
            assert solve(client, puzzle="chinese-rings-5", moves="1 2 1")["length"] == 3
            last = ask(client, **LONG)
            until_running(client, last)
        program = next(block for block in text_blocks() if "urllib" in block).replace("http://127.0.0.1:8642/", address)
        printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
        assert "'status': 'done'" in printed and "'length': 7" in printed, printed
        for path in (
            "/../README.md",
            "/static/../../cli.py",
            "/./.",
            "/api/../../../etc/passwd",
            "/api/runs/../../README.md/metrics",
        ):
            raw = http.client.HTTPConnection(address.removeprefix("http://").rstrip("/"))
            raw.request("GET", path)  # sent as it is, which browsers and other clients do not
            assert raw.getresponse().status == 404, path
            raw.close()
        with socket.create_connection((raw.host, raw.port)) as cut_short:
            lines = [
                "POST /api/jobs HTTP/1.1",
                "Host: localhost",
                "Content-Type: application/json",
                "Content-Length: 9",
                "",
                "{",
            ]
            cut_short.sendall("\r\n".join(lines).encode())
        workers = children(process.pid)
        with ThreadPoolExecutor(1) as other, httpx2.Client(base_url=address, timeout=60) as client:
            waiting = other.submit(client.get, f"/api/jobs/{last}?wait=20")
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
            assert waiting.result().json()["status"] == "cancelled"
        _, err = process.communicate(timeout=10)
        assert (process.returncode, err) == (0, "stopped\n")
        assert workers and all(cpu_ticks(worker) is None for worker in workers)


def test_a_worker_ends_with_the_server_in_the_middle_of_a_search():
    command = [sys.executable, "-m", "rubiks_gym.play.worker", json.dumps(asdict(Limits())), "[]"]
    job = {"id": "1", "puzzle": "hanoi-9-3", "state": [0] * 9, "agent": "random:hanoi-9-3", "search": "sample-policy"}
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as worker:
        print(json.dumps({"job": job | {"option": ["max_steps=1000000000"], "seconds": 60.0}}), file=worker.stdin, flush=True)
        said = [json.loads(worker.stdout.readline()) for _ in range(3)]
        assert [next(iter(message)) for message in said] == ["ready", "note", "searching"]
        worker.stdin.close()  # as the system does when the server is killed
        assert worker.wait(timeout=5) == 0


def test_faults_of_the_command_are_one_line(monkeypatch, capsys, tmp_path):
    def play(*words):
        monkeypatch.setattr(sys, "argv", ["rubiks-gym", "play", "--no-open", *words])
        with pytest.raises(SystemExit) as end:
            cli.main()
        return end.value.code

    assert "--port must be a whole number from 0 to 65535" in play("--port", "70000")
    assert "there is no folder" in play("--runs", str(tmp_path / "none"))
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert "give another one, or leave out --port" in play("--port", str(taken.getsockname()[1]))
    monkeypatch.setitem(sys.modules, "rubiks_gym.play.command", None)
    monkeypatch.delitem(sys.modules, "rubiks_gym.play.command")
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert 'pip install "rubiks-gym[play]"' in play()


def test_import_rubiks_gym_does_not_import_the_page():
    program = (
        "import sys, rubiks_gym, rubiks_gym.cli; print([m for m in sys.modules if 'starlette' in m or 'rubiks_gym.play' in m])"
    )
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True).stdout == "[]\n"
