"""The command `rubiks-gym`, and what all command lines share."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import rubiks_gym
from rubiks_gym import cli, command_line, search
from rubiks_gym.exact import ExactTable
from rubiks_gym.puzzles import Hanoi, Puzzle, Rubik2x2, Rubik3x3
from rubiks_gym.search import SEARCHES, Solutions

ROOT = Path(__file__).parent.parent
SMALL = ["--puzzle", "rubik2x2-qtm"]
NARROW = ["--option", "width=256", "--radius", "4"]  # a beam that is made and done in a second


@pytest.fixture
def rubiks(monkeypatch, capsys):
    """Run the command in this process: its exit code (or message), and what it printed."""

    def call(*words):
        monkeypatch.setattr(sys, "argv", ["rubiks-gym", *words])
        code = 0
        try:
            cli.main()
        except SystemExit as end:
            code = end.code
        return code, capsys.readouterr().out

    return call


@pytest.fixture
def asked(monkeypatch):
    """What `make_search` was called with: (name, options, radius, inverse, budget, seed), one per call; nothing is searched."""
    calls = []

    def record(name, agent, *rest):
        calls.append((name, *rest))
        return lambda states: Solutions([[]] * len(states), np.ones(len(states), bool), *np.zeros((3, len(states)), int))

    monkeypatch.setattr(search, "make_search", record)
    return calls


class Suited:
    """An agent that says which search suits it."""

    puzzle = Rubik2x2()
    SEARCH = {"search": "beam", "option": ("width=512", "max_steps=40"), "radius": 3, "inverse": True}


# Solving ----------------------------------------------------------------------------------------------------------------


def test_trained_tables_solve_the_3x3x3_by_moves_facelets_and_at_random(rubiks):
    cube = Rubik3x3()
    code, printed = rubiks("solve", "R U F'", *NARROW)
    assert code == 0 and "solved in 3 moves: F U' R'" in printed
    code, printed = rubiks("solve", "--facelets", cube.facelets(cube.after("R U")), *NARROW)
    assert code == 0 and "solved in 2 moves: U' R'" in printed
    code, printed = rubiks("solve", "--random", "2", "--json", *NARROW)
    assert code == 0
    for record in map(json.loads, printed.splitlines()):
        state = cube.from_facelets(record["start"])
        assert record["solved"] and len(cube.parse(record["moves"])) == record["length"] > 12 and record["nodes"] > 1000
        assert cube.is_solved(cube.after(record["moves"], state)[None])[0]


def test_optimal_solutions_are_proven_told_and_drawn(rubiks, tmp_path):
    code, printed = rubiks("solve", "--optimal", "R U F' F F'", "--option", "width=256", "--gif", str(tmp_path / "a.gif"))
    assert code == 0 and "solved in 3 moves: F U' R'\nshortest, proven" in printed and (tmp_path / "a.gif").exists()
    code, printed = rubiks("solve", "--optimal", "--random", "1", "--json", "--option", "width=256", "--max-nodes", "9999")
    record = json.loads(printed)
    assert code == 1 and not record["proven"] and record["lower"] >= 8
    assert "leave out --search beam" in rubiks("solve", "--optimal", "R", "--search", "beam")[0]


@pytest.mark.parametrize("name", ["rubik2x2-htm", "hanoi-5-4", "hanoi-10-3"])
def test_small_puzzles_are_solved_optimally_without_training(rubiks, name):
    puzzle = rubiks_gym.puzzle_from_name(name)
    code, printed = rubiks("solve", "--puzzle", name, "--random", "20", "--json", "--seed", "3")
    records = [json.loads(line) for line in printed.splitlines()]
    assert code == 0 and len(records) == 20
    if name.startswith("hanoi"):
        starts = np.array([record["start"].split() for record in records]).astype(np.uint8)
    else:
        starts = np.stack([puzzle.from_facelets(record["start"]) for record in records])
    assert [record["length"] for record in records] == ExactTable(puzzle).distance(starts).tolist()
    assert rubiks("solve", "--puzzle", name, "--random", "20", "--json", "--seed", "4")[1] != printed


def test_the_farthest_state_of_hanoi_is_not_too_far(rubiks):
    start = " ".join(Hanoi(10).action_names[a] for a in ExactTable(Hanoi(10)).solve(np.zeros((1, 10), np.uint8))[0])
    code, printed = rubiks("solve", "--puzzle", "hanoi-10-3", start)
    assert code == 0 and "solved in 0 moves" in printed
    back = " ".join(name[::-1] for name in start.split()[::-1])
    code, printed = rubiks("solve", "--puzzle", "hanoi-10-3", back)
    assert code == 0 and "solved in 1023 moves" in printed


def test_moves_need_no_quotes_and_no_moves_are_a_solved_puzzle(rubiks):
    assert "solved in 3 moves: F U' R'" in rubiks("solve", *SMALL, "R", "U", "F'")[1]
    assert "solved in 0 moves" in rubiks("solve", *SMALL, "")[1]


def test_what_is_not_solved_within_the_budget_is_said_and_exits_with_1(rubiks):
    code, printed = rubiks("solve", "--agent", "random:rubik3x3-qtm", "--random", "1", "--max-nodes", "1000")
    assert code == 1 and "not solved within the budget" in printed
    code, printed = rubiks("solve", "--agent", "random:rubik3x3-qtm", "--random", "1", "--max-nodes", "1000", "--json")
    assert code == 1 and json.loads(printed).keys() == {"start", "solved", "nodes", "seconds"}


def test_pictures_are_coloured_for_a_terminal_only(rubiks, monkeypatch, tmp_path):
    assert "\x1b" not in rubiks("solve", *SMALL, "R U")[1]
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda _: True)
    assert "\x1b[48;2;" in rubiks("solve", *SMALL, "R U")[1]
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in rubiks("solve", *SMALL, "R U")[1]
    assert rubiks("solve", *SMALL, "R U", "--gif", str(tmp_path / "solve.gif"))[0] == 0
    assert (tmp_path / "solve.gif").read_bytes().startswith(b"GIF8")


# Whose settings count ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "name", "options", "radius", "inverse"),
    [
        ([], "beam", {"width": 512, "max_steps": 40}, 3, True),
        (["--option", "width=64"], "beam", {"width": 64, "max_steps": 40}, 3, True),
        (["--radius", "0"], "beam", {"width": 512, "max_steps": 40}, 0, True),
        (["--no-inverse"], "beam", {"width": 512, "max_steps": 40}, 3, False),
        (["--search", "beam", "--radius", "5"], "beam", {"width": 512, "max_steps": 40}, 5, True),
        (["--search", "bwas"], "bwas", {}, 0, False),  # what suits a beam says nothing about another search
        (["--search", "bwas", "--option", "weight=0.5", "--inverse"], "bwas", {"weight": 0.5}, 0, True),
    ],
)
def test_what_the_user_sets_wins_each_setting_by_itself(monkeypatch, rubiks, asked, words, name, options, radius, inverse):
    monkeypatch.setattr(cli, "load_agent", lambda run, puzzle, device: Suited())
    assert rubiks("solve", "R U", *words)[0] == 0
    assert [call[:4] for call in asked] == [(name, options, radius, inverse)]


def test_budget_and_seed_reach_the_search(rubiks, asked):
    rubiks("solve", *SMALL, "R", "--max-nodes", "7", "--max-seconds", "0.5", "--seed", "9")
    budget, seed = asked[0][4:]
    assert (budget.nodes, budget.seconds, seed) == (7, 0.5, 9)


# Agents of a checkout, puzzles of one's own -----------------------------------------------------------------------------


def test_agents_of_a_checkout_are_loaded_when_asked_for(rubiks):
    assert "solved in 2 moves: U' R'" in rubiks("solve", "--agent", "exact:rubik2x2-qtm", "R U", "--search", "beam")[1]
    code, _ = rubiks("solve", "--agent", "exact:hanoi-3-3", "--puzzle", "hanoi-4-3", "--random", "1")
    assert code == "error: exact:hanoi-3-3 was trained on hanoi-3-3, not on hanoi-4-3"
    assert "no run folder at runs/none" in rubiks("solve", "--agent", "runs/none", "--random", "1")[0]


@pytest.mark.parametrize("here", ["nothing", "another package of that name"])
def test_without_a_checkout_agents_are_missed_by_name(rubiks, monkeypatch, tmp_path, here):
    monkeypatch.setitem(sys.modules, "agents", None)
    if here != "nothing":
        monkeypatch.setitem(sys.modules, "agents", type(sys)("agents"))
    code, _ = rubiks("solve", "--agent", "runs/davi", "--random", "1")
    assert code.startswith("error: runs/davi needs the learners, which are not installed: run the command in a checkout")


def test_a_learner_whose_package_is_missing_says_which(rubiks, monkeypatch):
    def load(run, puzzle, device):
        raise ModuleNotFoundError("No module named 'torch'", name="torch")

    monkeypatch.setattr(sys.modules.get("agents") or __import__("agents"), "load", load)
    code, _ = rubiks("solve", "--agent", "runs/davi", "--random", "1")
    assert code == 'error: runs/davi needs the package torch: pip install -e ".[agents]"'


MODULE = """
import numpy as np, rubiks_gym
from rubiks_gym.puzzles import Puzzle

class Dial(Puzzle):
    def __init__(self):
        super().__init__("dial", [0], 10, ["up", "down"], [1, 0], n_states=10)

    def apply(self, states, actions):
        return ((states + np.where(np.asarray(actions) == 0, 1, 9)[:, None].astype(np.uint8)) % 10).astype(np.uint8)

    def index(self, states):
        return states[:, 0].astype(np.int64)

    def from_index(self, index):
        return np.asarray(index, np.uint8)[:, None]

rubiks_gym.register_puzzle("Dial-v0", Dial(), 20)
"""


@pytest.mark.parametrize("form", [["--import", "my_dial"], ["--import=my_dial"]])
def test_a_puzzle_of_ones_own_is_solved_by_name(tmp_path, form):
    (tmp_path / "my_dial.py").write_text(MODULE)
    (tmp_path / "bin").mkdir()
    script = tmp_path / "bin" / "rubiks-gym"  # as pip installs it: the current folder is not on the path
    script.write_text("from rubiks_gym.cli import main; main()")
    command = [sys.executable, str(script), "solve", "--puzzle", "dial", "up up up", *form]
    own = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=own)
    assert done.returncode == 0, done.stderr
    assert "solved in 3 moves: down down down" in done.stdout


# Errors and listing -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ([], "give one of MOVES, --random N, --facelets TEXT and --from STATE"),
        (["R", "--random", "2"], "give one of MOVES"),
        (["R Q"], "cannot read 'Q'"),
        ([*SMALL, "--facelets", "UUUU"], "24 letters, got 4"),
        ([*SMALL, "--facelets", "UUURRURRFFFFDDDDLLLLBBBB"], "impossible cube"),
        (["--puzzle", "hanoi-3-3", "--facelets", "U"], "hanoi-3-3 has no facelets"),
        ([*SMALL, "--random", "0"], "--random must be a whole number from 1 to 100000000, got 0"),
        ([*SMALL, "--random", "1", "--seed", "-1"], "--seed must be a whole number of at least 0, got -1"),
        ([*SMALL, "--random", "x"], "invalid int value: 'x'"),
        ([*SMALL, "R", "--radius", "-1"], "--radius must be a whole number of at least 0"),
        ([*SMALL, "R", "--max-nodes", "0"], "a budget of nodes"),
        ([*SMALL, "R", "--search", "dfs"], "invalid choice: 'dfs'"),
        ([*SMALL, "R", "--option", "width"], "cannot read the option 'width'"),
        (["--puzzle", "rubik9x9", "--random", "1"], "no puzzle is called 'rubik9x9'"),
        (["--puzzle", "hanoi-64-3", "--random", "1"], "give --agent RUN"),
        (["--puzzle", "hanoi-3-3", "--inverse", "--random", "1"], "hanoi-3-3 has no inverse"),
        (["--import", "no_such_module", "R"], "No module named 'no_such_module'"),
        (["R", "--import"], "--import needs the name of a module"),
        (["--import", "--json", "R"], "--import needs the name of a module"),
        (["--gif"], "expected one argument"),
    ],
)
def test_faults_are_one_line(rubiks, words, fault):
    code, printed = rubiks("solve", *words)
    assert code.startswith("error: ") and fault in code and "\n" not in code and not printed


def test_a_puzzle_that_cannot_be_drawn_at_random_says_so(rubiks, monkeypatch):
    puzzle = Puzzle("plain", [0], 2, ["flip"], [0])
    monkeypatch.setattr(cli, "load_agent", lambda run, name, device: SimpleNamespace(puzzle=puzzle))
    assert "plain cannot draw uniformly random states" in rubiks("solve", "--random", "1")[0]


def test_list_names_everything_there_is(rubiks):
    code, printed = rubiks("list")
    names = {line.split()[0] for line in printed.splitlines() if line.startswith("  ")}
    assert code == 0 and set(SEARCHES) <= names
    for entry in rubiks_gym.PUZZLES.values():
        assert set(entry.examples) <= names and entry.id in printed


def test_the_module_is_the_command_and_a_closed_pipe_is_no_fault(tmp_path):
    done = subprocess.run([sys.executable, "-m", "rubiks_gym"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr.startswith("error: ") and len(done.stderr.splitlines()) == 1
    script = "from rubiks_gym.cli import main; import sys; sys.argv = ['rubiks-gym', 'list']; main()"
    process = subprocess.Popen([sys.executable, "-c", script], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    assert process.stderr.read() == b"" and process.wait() == 0
    process.stderr.close()


def test_an_interrupt_is_no_traceback(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["x"])

    def interrupted():
        raise KeyboardInterrupt

    with pytest.raises(SystemExit, match="interrupted"):
        command_line.run(interrupted)
    with pytest.raises(ZeroDivisionError):  # a fault of ours keeps its traceback
        command_line.run(lambda: 1 / 0)
