"""Trained agents by name: from a folder, a server or a hub, always the right one or none."""

import http.server
import json
import threading
from functools import partial

import numpy as np
import pytest
import yaml

import agents
from results import summary
from rubiks_gym import zoo
from rubiks_gym.exact import ExactTable
from rubiks_gym.search import Budget, make_search
from tests import commands
from train import zoo as training
from train.evaluation import solved_from, start_states

NAME = "tabular/hanoi-5-3"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A zoo of one agent, as `python -m train.zoo` makes it: its folder."""
    place = tmp_path_factory.mktemp("zoo")
    words = (
        "-m",
        "train.zoo",
        NAME,
        "--folder",
        str(place / "zoo"),
        "--runs",
        str(place / "runs"),
        "--states",
        "20",
        "--dirty",
    )
    for _ in range(2):  # what is there is only measured, and comes out the same
        done = commands.run(*words)
        assert done.returncode == 0, done.stderr
    return place / "zoo"


@pytest.fixture
def nothing_here(monkeypatch, tmp_path):
    """Neither a checkout's folder nor a cache nor a source."""
    monkeypatch.setattr(zoo, "CHECKOUT", tmp_path / "none")
    monkeypatch.setenv("RUBIKS_GYM_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("RUBIKS_GYM_ZOO", raising=False)
    return tmp_path / "cache" / "zoo"


@pytest.fixture
def entries(made):
    return zoo.index(made / "index.json")


@pytest.fixture
def server(made):
    """The folder offered on loopback: its address and what was asked."""
    asked = []

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *words):
            asked.append(self.path)

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=made)) as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}", asked
        running.shutdown()
        thread.join()


def test_an_agent_of_a_folder_knows_what_it_learnt(made, entries, nothing_here):
    agent = agents.load(zoo.fetch(NAME, made, entries))
    table = ExactTable(agent.puzzle)
    states = table.from_index(np.arange(agent.puzzle.n_states))
    assert np.allclose(agent.cost_to_go(states), table.distances)


def test_load_gives_the_agent_and_solve_takes_it_by_name(made, entries, nothing_here, monkeypatch):
    monkeypatch.setattr(zoo, "index", lambda file=None: entries)
    assert zoo.load(NAME, made).cost_to_go(zoo.load(NAME, made).puzzle.goal[None]).tolist() == [0]
    monkeypatch.setenv("RUBIKS_GYM_ZOO", str(made))
    assert agents.load(f"zoo:{NAME}").puzzle.name == "hanoi-5-3"
    with pytest.raises(ValueError, match="was trained on hanoi-5-3, not on hanoi-3-3"):
        agents.load(f"zoo:{NAME}", agents.puzzle_from_name("hanoi-3-3"))


def test_an_agent_is_fetched_once_and_then_works_offline(server, entries, nothing_here, made):
    address, asked = server
    file = zoo.fetch(NAME, address, entries)
    assert file.read_bytes() == (made / NAME / zoo.FILE).read_bytes() and len(asked) == 1
    assert zoo.fetch(NAME, address, entries) == zoo.fetch(NAME, None, entries) == file and len(asked) == 1
    assert [each.name for each in nothing_here.iterdir()] == [f"{entries[NAME].sha256}.npz"]


def test_a_damaged_copy_in_the_cache_is_fetched_again(server, entries, nothing_here):
    address, asked = server
    file = zoo.fetch(NAME, address, entries)
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    with pytest.raises(ValueError, match="is not on this machine"):
        zoo.fetch(NAME, None, entries)
    assert zoo.fetch(NAME, address, entries) == file and len(asked) == 2 and file.read_bytes() != content


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda content: content[:-1], "has .* bytes, not"),
        (lambda content: content + b"more" * 10**6, "has .* bytes, not"),
        (lambda content: bytes([content[0] ^ 1]) + content[1:], "has the SHA-256 .*, not"),
    ],
    ids=["cut off", "too long", "exchanged"],
)
def test_what_is_not_the_agent_is_refused_wherever_it_comes_from(change, fault, made, server, entries, nothing_here):
    file = made / NAME / zoo.FILE
    right = file.read_bytes()
    try:
        file.write_bytes(change(right))
        for source in (made, server[0]):
            with pytest.raises(ValueError, match=f"this is not the agent {NAME}: .* {fault}"):
                zoo.fetch(NAME, source, entries)
        assert not list(nothing_here.glob("*"))  # nothing of it is kept
    finally:
        file.write_bytes(right)


@pytest.mark.parametrize(
    ("name", "source", "fault"),
    [
        ("davi/rubik9x9", None, "no agent is called 'davi/rubik9x9': there are tabular/hanoi-5-3"),
        ("../../etc/passwd", None, "no agent is called"),
        (NAME, None, "is not on this machine: give a source, a folder or an address, or set RUBIKS_GYM_ZOO"),
        (NAME, "/nowhere", "/nowhere has no agent tabular/hanoi-5-3"),
        (NAME, "ftp://127.0.0.1", "a source is a folder, or begins with https:// or hf://, got 'ftp://127.0.0.1'"),
        (NAME, "file:///etc", "a source is a folder, or begins with"),
        (NAME, "http://127.0.0.1:1", "cannot be fetched"),
    ],
)
def test_what_cannot_be_had_is_named(name, source, fault, entries, nothing_here):
    with pytest.raises(ValueError, match=fault):
        zoo.fetch(name, source, entries)


def test_a_server_without_the_file_is_named(server, entries, nothing_here):
    with pytest.raises(
        ValueError, match=r"http://127.0.0.1:\d+/elsewhere/tabular/hanoi-5-3/agent.npz cannot be fetched: .*404"
    ):
        zoo.fetch(NAME, f"{server[0]}/elsewhere", entries)


def test_an_index_that_is_none_is_named(tmp_path):
    (tmp_path / "index.json").write_text('{"a/b": {"puzzle": "hanoi-3-3"}}')
    with pytest.raises(ValueError, match="is no index of agents"):
        zoo.index(tmp_path / "index.json")


class Hub(http.server.BaseHTTPRequestHandler):
    """As much of the hub as a download asks for: who may see the file, and the file."""

    folder = None

    def do_GET(self):
        repository, _, inside = self.path.partition("/resolve/main/")
        file = self.folder / inside
        if repository != "/someone/zoo" or not file.is_file():
            self.send_response(404)
            self.send_header("X-Error-Code", "EntryNotFound")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(200)
        content = file.read_bytes()
        for key, value in {"X-Repo-Commit": "a" * 40, "ETag": '"b"', "Content-Length": str(len(content))}.items():
            self.send_header(key, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)

    do_HEAD = do_GET  # noqa: N815

    def log_message(self, *words):
        pass


def test_an_agent_is_fetched_from_a_hub(made, nothing_here, tmp_path):
    program = f"""
from pathlib import Path
from rubiks_gym import zoo
zoo.CHECKOUT = Path("none")
entries = zoo.index(Path({str(made / "index.json")!r}))
print(zoo.fetch({NAME!r}, "hf://someone/zoo", entries).stat().st_size)
try:
    zoo.fetch({NAME!r}, "hf://someone/else", entries | {{{NAME!r}: entries[{NAME!r}]._replace(sha256="0" * 64)}})
except ValueError as error:
    print(error)
"""
    handler = type("Handler", (Hub,), {"folder": made})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        own = {"HF_ENDPOINT": f"http://127.0.0.1:{running.server_port}", "HF_HOME": str(tmp_path / "hub")}
        own |= {"HF_HUB_DISABLE_XET": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "RUBIKS_GYM_CACHE": str(tmp_path / "cache")}
        done = commands.run("-c", program, env=own)
        running.shutdown()
    assert done.returncode == 0, done.stderr
    size, fault = done.stdout.splitlines()[:2]
    assert int(size) == (made / NAME / zoo.FILE).stat().st_size
    assert fault.startswith("hf://someone/else has no tabular/hanoi-5-3/agent.npz for us")


def test_the_card_tells_results_command_seed_commit_and_checksum(made, entries):
    text = (made / NAME / "README.md").read_text()
    _, front, body = text.split("---\n", 2)
    metadata, results = yaml.safe_load(front), json.loads((made / NAME / "results.json").read_text())
    assert metadata["license"] == "mit" and metadata["library_name"] == "rubiks-gym"
    metrics = metadata["model-index"][0]["results"][0]["metrics"]
    assert [metric["value"] for metric in metrics] == [1.0] * 6  # solved and optimal, by three searches
    assert entries[NAME].sha256 in body and "--run.seed 0" in body and results["trained"]["provenance"]["commit"] in body
    assert len(results["rows"][0]["lengths"]) == 20 and "100% (83.9 to 100.0)" in body


def test_the_command_lists_and_refuses(made):
    assert "tabular/hanoi-5-3: python -m train.tabular --puzzle hanoi-5-3" in commands.run("-m", "train.zoo", "--list").stdout
    done = commands.run("-m", "train.zoo", "davi/rubik9x9")
    assert done.returncode != 0 and "no agent is called 'davi/rubik9x9': there are" in done.stderr
    assert commands.run("-m", "rubiks_gym.zoo").returncode == 0
    assert "no agent is called" in commands.run("-m", "rubiks_gym.zoo", "--fetch", "nobody").stderr


SHIPPED = sorted(zoo.index())


def test_every_agent_that_ships_has_a_recipe():
    assert set(SHIPPED) <= set(training.RECIPES)


def test_the_page_lists_every_agent_that_ships_and_those_that_are_still_to_be_trained():
    text = summary.zoo_agents()
    assert all(f"[{name}](../zoo/{name}/README.md)" in text for name in SHIPPED if (zoo.CHECKOUT / name).exists())
    missing = set(training.RECIPES) - set(SHIPPED)
    assert ("Still to be trained" in text) == bool(missing) and all(
        name in text.partition("python -m train.zoo")[2] for name in missing
    )


def test_every_learner_has_a_recipe_or_comes_with_the_package():
    learners = {name.partition("/")[0] for name in training.RECIPES} | {name.partition(":")[0] for name in agents.PRETRAINED}
    assert learners == set(agents.AGENTS) - {"exact", "random"}


@pytest.mark.parametrize("name", SHIPPED)
def test_an_agent_that_ships_is_the_one_of_its_card(name, monkeypatch):
    monkeypatch.delenv("RUBIKS_GYM_ZOO", raising=False)
    if not (zoo.CHECKOUT / name).exists():
        pytest.skip(f"{name} is not in this checkout")
    agent, results = zoo.load(name), json.loads((zoo.CHECKOUT / name / "results.json").read_text())
    assert agent.puzzle.name == zoo.index()[name].puzzle == results["puzzle"]
    assert zoo.index()[name].sha256 in (zoo.CHECKOUT / name / "README.md").read_text()
    assert not results["trained"]["provenance"]["uncommitted_changes"] and not results["provenance"]["uncommitted_changes"]
    search = make_search("greedy", agent, budget=Budget(nodes=training.NODES))
    found = solved_from(agent.puzzle, search, start_states(agent.puzzle, 0, training.STATES, training.SEED))
    same = np.mean([a == b for a, b in zip(found["lengths"], results["rows"][0]["lengths"], strict=True)])
    assert same > 0.98  # another processor may round a network's output differently
