"""Doors that open one way: who may import whom. Imports are read from the source, those inside functions too."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

# Each package may import itself and those before it. Nothing imports tests, examples, benchmarks or clients.
PACKAGES = ["rubiks_gym", "agents", "train", "results"]
PROGRAMS = ["tests", "examples", "benchmarks", "clients"]

# What the suite may import besides Python's own modules: pip installs these with it; the others are for one place each.
SUITE_NEEDS = {"gymnasium", "llvmlite", "numba", "numpy", "PIL", "platformdirs"}
SUITE_EXTRAS = {
    "rubiks_gym/rendering/window.py": {"pygame"},
    "rubiks_gym/sb3.py": {"stable_baselines3"},
    "rubiks_gym/zoo/": {"huggingface_hub"},
    "rubiks_gym/play/": {"anyio", "starlette", "uvicorn"},
}

# Learners do not talk to people: no command lines, progress bars, dashboards or plots.
NOT_IN_AGENTS = {"tyro", "rich", "wandb", "matplotlib"}

# Within the suite: who may import whom, besides itself. A puzzle draws itself when asked to, so it may import rendering;
# a beam may be finished exactly, and its solution proven.
SUITE = {
    "checks": set(),
    "files": set(),
    "command_line": set(),
    "registration": {"puzzles"},
    "rendering": {"puzzles"},
    "puzzles": {"checks", "registration", "rendering"},
    "observations": {"puzzles", "checks"},
    "exact": {"puzzles", "checks", "files", "command_line"},
    "scrambles": {"puzzles", "checks"},
    "rewards": {"puzzles", "checks", "exact"},
    "search": {"puzzles", "checks", "exact"},
    "ntuple": {"puzzles", "checks", "files", "search"},
    "envs": {"puzzles", "checks", "exact", "scrambles", "rewards", "observations", "rendering", "registration"},
    "sb3": {"envs", "observations", "scrambles"},
    "text": {"puzzles", "checks", "command_line", "exact"},
    "solving": {"puzzles", "command_line", "exact", "ntuple", "search"},
    "zoo": {"command_line", "exact", "files", "solving"},
    "cli": {"puzzles", "checks", "command_line", "rendering", "rewards", "scrambles", "search", "solving", "play"},
    "play": {"puzzles", "checks", "command_line", "exact", "ntuple", "search", "solving", "__version__"},
}


def files_of(package):
    return sorted((ROOT / package).rglob("*.py"))


def imports(file):
    """(line, dotted name) of every import of a file, also of `importlib.import_module("x")`."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}:{node.lineno}: a relative import"
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("import_module", "importorskip"):
            yield from ((node.lineno, word.value) for word in node.args if isinstance(word, ast.Constant))


def faults(package, is_wrong):
    """file:line and name of every import of a package that is wrong."""
    found = ((file.relative_to(ROOT).as_posix(), line, name) for file in files_of(package) for line, name in imports(file))
    return [f"{file}:{line} imports {name}" for file, line, name in found if is_wrong(file, name)]


def top(name):
    return name.split(".")[0]


@pytest.mark.parametrize("package", PACKAGES)
def test_nothing_imports_against_the_arrows(package):
    later = {*PACKAGES[PACKAGES.index(package) + 1 :], *PROGRAMS}
    asked_for_by_the_user = {("rubiks_gym/solving.py", "agents")}  # --agent RUN, in a checkout
    assert not faults(package, lambda file, name: top(name) in later and (file, name) not in asked_for_by_the_user)


def test_the_suite_needs_only_what_pip_installs_with_it():
    def is_wrong(file, name):
        extras = {name for place, names in SUITE_EXTRAS.items() if file.startswith(place) for name in names}
        known = SUITE_NEEDS | extras | {"rubiks_gym"} | sys.stdlib_module_names
        return top(name) not in known and (file, name) != ("rubiks_gym/solving.py", "agents")

    assert not faults("rubiks_gym", is_wrong)


def test_learners_do_not_measure_nor_draw():
    assert not faults("agents", lambda file, name: top(name) in NOT_IN_AGENTS)


@pytest.mark.parametrize("room", SUITE)
def test_rooms_of_the_suite_open_one_way(room):
    def is_wrong(file, name):
        inside = file.split("/")[1].removesuffix(".py") == room
        return inside and top(name) == "rubiks_gym" and not {*name.split(".")[1:2]} <= SUITE[room] | {room}

    assert not faults("rubiks_gym", is_wrong)


def test_every_room_of_the_suite_has_its_arrows():
    rooms = {path.stem for path in (ROOT / "rubiks_gym").iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert rooms - {"__init__", "__main__"} == set(SUITE)


def test_imports_inside_functions_are_seen(tmp_path):
    file = tmp_path / "module.py"
    file.write_text("def f():\n    import torch.nn\n    from train import loop\n    importlib.import_module('agents')\n")
    assert list(imports(file)) == [(2, "torch.nn"), (3, "train.loop"), (4, "agents")]
