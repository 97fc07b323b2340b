"""What a user meets first: the import, the wheel, the examples."""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import urllib.request
import venv
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
import yaml

import rubiks_gym
from rubiks_gym.puzzles import kernels
from rubiks_gym.puzzles.compiled import FormFiles
from tests import commands
from tests.page import STATIC, why_not_built

ROOT = Path(__file__).parent.parent


def run(*command, **options):
    return subprocess.run([sys.executable, *command], capture_output=True, text=True, cwd=ROOT, check=True, **options).stdout


def readme_blocks():
    return re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)


def test_import_registers_and_loads_nothing_heavy():
    program = """
import sys, gymnasium
before = set(sys.modules)
import rubiks_gym
loaded = {name.split(".")[0] for name in set(sys.modules) - before}
assert {"Rubik2x2-v0", "Rubik3x3-v0", "Hanoi-v0"} <= set(gymnasium.registry)
print(*sorted(loaded))
"""
    assert run("-c", program).split() == ["rubiks_gym"]
    program = """
import gymnasium, sys, rubiks_gym
gymnasium.make("Rubik3x3-v0").reset()
print("torch" in sys.modules, "pygame" in sys.modules)
"""
    assert run("-c", program).split() == ["False", "False"]


def test_environment_is_found_by_naming_the_module_in_the_id():
    assert "Rubik3x3" in run("-c", "import gymnasium; print(gymnasium.make('rubiks_gym:Rubik3x3-v0'))")


# The wheel --------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    # Building without isolation needs no network; hatchling comes with the dev extra.
    folder = tmp_path_factory.mktemp("wheel")
    run("-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", str(folder), ".")
    return next(folder.glob("*.whl"))


def test_wheel_ships_the_suite_alone_in_20_megabytes(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0].split("-")[0] for name in names} == {"rubiks_gym"}
    assert {"rubiks_gym/envs/rubik.py", "rubiks_gym/py.typed", "rubiks_gym/ntuple/trained/rubik3x3-qtm.npz"} <= set(names)
    assert wheel.stat().st_size < 20e6


def test_wheel_ships_the_built_page_and_the_tables_once(wheel):
    if reason := why_not_built():
        pytest.skip(reason)
    names = [name for name in zipfile.ZipFile(wheel).namelist() if "/static/" in name]
    built = {file.relative_to(ROOT).as_posix() for file in STATIC.iterdir() if file.is_file()}
    assert set(names) == built and any(name.endswith("index.html") for name in names)


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sdist")
    run("-m", "hatchling", "build", "--target", "sdist", "--directory", str(folder))
    return next(folder.glob("*.tar.gz"))


def test_sdist_has_what_the_wheel_is_built_from_and_no_more(sdist, wheel, tmp_path):
    with tarfile.open(sdist) as archive:
        tops = {name.split("/")[1] for name in archive.getnames()}
    files = {"CHANGELOG.md", "CITATION.cff", "LICENSE", "README.md", "hatch_build.py", "pyproject.toml"}
    assert tops == files | {"rubiks_gym", "PKG-INFO", ".gitignore"}
    run("-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", str(tmp_path), str(sdist))
    [built] = tmp_path.iterdir()
    directly, from_sdist = (zipfile.ZipFile(file) for file in (wheel, built))
    assert {info.filename: info.CRC for info in directly.infolist()} == {
        info.filename: info.CRC for info in from_sdist.infolist()
    }


def told_by(wheel):
    archive = zipfile.ZipFile(wheel)
    return archive.read(next(name for name in archive.namelist() if name.endswith("/METADATA"))).decode()


def test_the_page_of_the_package_links_to_nothing_that_only_a_checkout_has(wheel):
    head, _, page = told_by(wheel).partition("\n\n")
    assert "# rubiks-gym" in page and "gym.make" in page and "Description-Content-Type: text/markdown" in head
    assert set(re.findall(r"\]\((.{8})", page)) == {"https://"}
    assert "<!--" not in page and not re.search(r"^\|? *\|[-|]+$\n(?!\|)", page, re.MULTILINE)


def test_version_changelog_citation_and_badges_agree(wheel):
    version = rubiks_gym.__version__
    assert f"Version: {version}\n" in told_by(wheel)
    assert f"version: {version}\n" in (ROOT / "CITATION.cff").read_text()
    heads = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    released = [tuple(map(int, head.split("."))) for head in heads[1:]]
    assert heads[0] == "Unreleased" and heads[1] == version and released == sorted(released, reverse=True)
    date = re.search(r"^date-released: (\S+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)[1]
    assert f"\n## {version} ({date})\n" in (ROOT / "CHANGELOG.md").read_text()
    pythons = re.findall(r"^Classifier: Programming Language :: Python :: (3\.\d+)$", told_by(wheel), re.MULTILINE)
    assert f"python-{pythons[0]}_to_{pythons[-1]}-" in (ROOT / "README.md").read_text()
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())["jobs"]
    assert workflow["test"]["strategy"]["matrix"]["python"] == pythons == workflow["installed"]["strategy"]["matrix"]["python"]


def test_the_workflow_publishes_only_what_was_tested_and_with_no_stored_password():
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    jobs = yaml.safe_load(workflow)["jobs"]
    assert set(jobs["publish"]["needs"]) == {"test", "installed"} and jobs["installed"]["needs"] == "build"
    assert "refs/tags/v" in jobs["publish"]["if"] and "secrets." not in workflow
    assert [name for name, job in jobs.items() if "id-token" in job.get("permissions", {})] == ["publish"]
    assert len(jobs["installed"]["strategy"]["matrix"]["os"]) == 3
    for job in jobs.values():
        for step in job["steps"]:
            for target in re.findall(r"^make (.*)", step.get("run", "")):
                assert all(re.search(rf"^{word}:", (ROOT / "Makefile").read_text(), re.MULTILINE) for word in target.split())


def test_issue_templates_are_forms():
    forms = [file for file in (ROOT / ".github" / "ISSUE_TEMPLATE").iterdir() if file.name != "config.yml"]
    for form in (yaml.safe_load(file.read_text()) for file in forms):
        assert {"name", "description", "body"} <= set(form) and all("attributes" in part for part in form["body"])
    assert len(forms) == 3


def test_the_image_is_built_from_what_is_there_and_runs_without_rights(wheel):
    """The Dockerfile read, not built: no test may need a builder and a registry. The workflow builds and runs it."""
    lines = (ROOT / "Dockerfile").read_text().replace("\\\n", " ").splitlines()
    steps = [line.split(maxsplit=1) for line in lines if line and not line.startswith("#")]
    copied = [word for kind, rest in steps if kind == "COPY" and "--from" not in rest for word in rest.split()[:-1]]
    assert copied and all((ROOT / word).exists() for word in copied)
    sent = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert sent == set(copied)
    with_what_it_builds = {"pyproject.toml", "rubiks_gym", "hatch_build.py", "README.md", "LICENSE"}
    assert with_what_it_builds <= sent
    kinds = [kind for kind, _ in steps]
    assert "slim" in dict(steps)["ARG"] and dict(steps)["USER"] not in ("root", "0")
    assert kinds.index("USER") > max(i for i, kind in enumerate(kinds) if kind == "RUN")
    scripts = zipfile.ZipFile(wheel).read(next(n for n in zipfile.ZipFile(wheel).namelist() if "entry_points" in n)).decode()
    assert f"{json.loads(dict(steps)['ENTRYPOINT'])[0]} =" in scripts


def needed_by(name):
    """The distributions that pip would install with one, itself included; extras are not asked for."""
    found, ahead = {}, [name]
    while ahead:
        name = re.split(r"[^\w.-]", ahead.pop(), maxsplit=1)[0]
        if name.lower() not in found:
            try:
                found[name.lower()] = metadata.distribution(name)
            except metadata.PackageNotFoundError:  # of another system or version of Python
                continue
            ahead += [need for need in found[name.lower()].requires or [] if "extra ==" not in need]
    return found


def link(needed, place):
    """Let the packages of distributions be found in a site-packages folder."""
    for name in set(needed) - {"rubiks-gym"}:
        for top in {file.parts[0] for file in needed[name].files} - {"..", "__pycache__"}:
            if not (place / top).exists():
                (place / top).symlink_to(needed[name].locate_file(top))


@pytest.fixture(scope="module")
def fresh(wheel, tmp_path_factory):
    """A virtual environment with the wheel and what it needs, linked from here instead of downloaded; its bin folder."""
    folder = tmp_path_factory.mktemp("fresh")
    venv.create(folder, with_pip=False)
    place = next(folder.glob("lib/python*/site-packages"))
    needed = needed_by("rubiks-gym")
    assert not {"torch", "tyro", "rich", "wandb", "stable-baselines3"} & set(needed)
    link(needed, place)
    run("-m", "pip", "--python", str(folder / "bin" / "python"), "install", "--quiet", "--no-deps", "--no-index", str(wheel))
    return folder / "bin"


def in_fresh(fresh, *command):
    own = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    done = subprocess.run([fresh / command[0], *command[1:]], cwd=fresh, env=own, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_installed_alone_the_wheel_solves_cubes_and_hanoi(fresh):
    assert in_fresh(fresh, "python", "-c", "import rubiks_gym; print(rubiks_gym.__file__)").startswith(str(fresh.parent))
    assert re.search(r"solved in (1\d|2\d) moves: ", in_fresh(fresh, "rubiks-gym", "solve", "--random", "1"))
    assert "solved in 3 moves" in in_fresh(fresh, "python", "-m", "rubiks_gym", "solve", "--puzzle", "rubik2x2-htm", "R U2 F'")
    with pytest.raises(AssertionError, match="error: exact:hanoi-3-3 needs the learners, which are not installed"):
        in_fresh(fresh, "rubiks-gym", "solve", "--agent", "exact:hanoi-3-3", "--random", "1")
    fetched = in_fresh(fresh, "python", "-m", "rubiks_gym.zoo", "--fetch", "tabular/hanoi-5-3", "--source", ROOT / "zoo")
    assert fetched.strip() == str(ROOT / "zoo" / "tabular" / "hanoi-5-3" / "agent.npz")
    with pytest.raises(AssertionError, match="agent.npz needs the learners, which are not installed"):
        program = "import sys; from rubiks_gym import zoo; zoo.load('tabular/hanoi-5-3', sys.argv[1])"
        in_fresh(fresh, "python", "-c", program, ROOT / "zoo")


def test_what_a_new_user_tries_works_where_the_wheel_is_installed_alone(fresh):
    assert f"rubiks-gym {rubiks_gym.__version__} works on Python" in in_fresh(fresh, "python", ROOT / "tests" / "installed.py")


def test_installed_alone_the_wheel_searches_with_a_heuristic_of_ones_own(fresh):
    block = next(block for block in readme_blocks() if "import beam" in block)
    assert len(block.strip().splitlines()) <= 8
    printed = in_fresh(
        fresh, "python", "-c", block + "\nimport sys; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    )
    assert "R' " in printed
    assert not {"torch", "tyro", "rich", "wandb", "stable_baselines3", "matplotlib"} & set(printed.split())


def test_installed_from_the_wheel_the_page_is_served_without_a_checkout(fresh):
    with pytest.raises(AssertionError, match=r'error: the page needs the package \w+: pip install "rubiks-gym\[play\]"'):
        in_fresh(fresh, "rubiks-gym", "play", "--no-open")
    link(needed_by("starlette") | needed_by("uvicorn"), next(fresh.parent.glob("lib/python*/site-packages")))
    own = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    command = [fresh / "rubiks-gym", "play", "--no-open", "--port", "0"]
    with subprocess.Popen(command, cwd=fresh, env=own, stdout=subprocess.PIPE, text=True) as server:
        try:
            address = server.stdout.readline().split()[3]
            agents = {agent["id"] for agent in json.load(urllib.request.urlopen(f"{address}api/info"))["agents"]}
            if (ROOT / "rubiks_gym" / "play" / "static" / "index.html").exists():  # the page was built, so the wheel has it
                assert b"<!doctype html>" in urllib.request.urlopen(address).read()
            assert len(urllib.request.urlopen(f"{address}tables/rubik3x3-qtm.npz").read()) > 10e6
        finally:  # a test that fails leaves no server behind that is waited for
            server.terminate()
    assert "trained:rubik3x3-qtm" in agents and not {agent for agent in agents if agent.startswith(("random", "run"))}


# The examples -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("example", "stdin", "expected"),
    [
        ("01_play_by_hand.py", "hint\nR\nundo\nQ\nnew\n", r"moves left"),
        ("02_random_agent_on_a_vector_env.py", "", r"1   2\d\.\d\d%"),
        ("03_maskable_ppo_on_hanoi.py", "", r"solved in \d+ moves"),
        ("04_a_puzzle_of_your_own.py", "", r"OOOOO fewest moves: 1 3 1 2"),
        ("05_a_puzzle_from_a_file.py", "", r"29,160 states(.|\n)* solve it [1-9]\d+ times"),
        ("06_goals_with_hindsight.py --disks 2 --steps 4000", "", r"before: [123]?\d%(.|\n)*after 4,000 steps: ([789]\d|100)%"),
        (
            "demo.py --walk-batches 10 --rounds 1 --cubes 2 --width 512",
            "",
            r"2 of 2 solved(.|\n)*1000 of 1000 random states solved, 10\.\d\d",
        ),
    ],
)
def test_example_runs_as_shown(example, stdin, expected, tmp_path):
    example, *arguments = example.split()
    done = commands.run(ROOT / "examples" / example, *arguments, stdin=stdin, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert re.search(expected, done.stdout)


def test_a_puzzle_of_your_own_takes_under_60_lines():
    text = (ROOT / "examples" / "04_a_puzzle_of_your_own.py").read_text()
    assert len(text.splitlines()) < 60


def test_import_takes_little_longer_than_gymnasium():
    def seconds(program):
        return float(run("-c", f"{program}, time; print(time.process_time())"))

    alone = min(seconds("import gymnasium") for _ in range(3))
    both = min(seconds("import rubiks_gym") for _ in range(3))
    assert both < alone + 0.3


AS_A_STRANGER = """
import os, sys
import gymnasium as gym
env = gym.make("rubiks_gym:Rubik3x3-v0")
env.reset(seed=0)
env.step(0)
import rubiks_gym
try:
    open(os.path.join(os.path.dirname(rubiks_gym.__file__), "written"), "w")
except OSError:
    home = os.path.exists(os.path.expanduser("~"))
    print(rubiks_gym.__file__, "is read-only, user", os.getuid(), "home", home, "debug", __debug__)
"""


def as_nobody():
    """What a command begins with to be run by a user who may read everything and write nothing, without a network."""
    if os.geteuid() != 0:
        return []
    if not shutil.which("setpriv"):
        pytest.skip("only setpriv can take root's rights away")
    rights = [
        f"--{kind}=-all,+dac_read_search" for kind in ("bounding-set", "inh-caps", "ambient-caps")
    ]  # of folders above ours
    alone = ["unshare", "--net"] if subprocess.run(["unshare", "--net", "true"], capture_output=True).returncode == 0 else []
    return [*alone, "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *rights]


@pytest.fixture(scope="module")
def read_only(tmp_path_factory):
    """An installation that cannot be written, with nothing compiled in it, and a folder that nobody may write to."""
    place, elsewhere = tmp_path_factory.mktemp("installed"), tmp_path_factory.mktemp("elsewhere")
    elsewhere.chmod(0o777)
    for package in ("rubiks_gym", "agents", "train"):
        shutil.copytree(ROOT / package, place / package, ignore=shutil.ignore_patterns("__pycache__"))
    folders = [place, *(folder for folder in place.rglob("*") if folder.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    yield place, elsewhere
    for folder in folders:
        folder.chmod(0o755)


@pytest.mark.skipif(sys.platform != "linux", reason="takes rights away as Linux does")
@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (["-c", AS_A_STRANGER], r"/installed\d+/rubiks_gym/__init__.py is read-only, user \d+ home False debug False"),
        (["-m", "rubiks_gym", "solve", "R U F'", "--option", "width=16", "--radius", "1", "--no-inverse"], r"F U' R'"),
        (["-m", "train.tabular", "--run.folder", "run", "--puzzle", "hanoi-3-3", "--config.iterations", "20"], "20 of 20"),
    ],
    ids=["gym.make", "solve", "training elsewhere"],
)
def test_a_read_only_installation_serves_another_user_without_home_network_or_assertions(read_only, program, expected):
    place, elsewhere = read_only
    environment = {"PATH": os.environ["PATH"], "HOME": "/proc/nowhere", "PYTHONPATH": str(place)}
    command = [*as_nobody(), sys.executable, "-O", *program]
    done = subprocess.run(command, cwd=elsewhere, env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and re.search(expected, done.stdout + done.stderr), done.stderr


def test_a_fork_in_the_middle_of_a_compilation_does_not_hang(tmp_path):
    program = """
import os, sys, threading, time
sys.path.insert(0, sys.argv[1])
import numpy as np
from rubiks_gym.puzzles import Rubik3x3
cube = Rubik3x3()
states = np.tile(cube.goal, (2, 1))
thread = threading.Thread(target=lambda: cube.expand(states))
thread.start()
time.sleep(0.05)
child = os.fork()
if child == 0:
    cube.apply(states, [0, 1])
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
thread.join()
"""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}  # nothing is compiled yet
    command = [sys.executable, "-W", "ignore", "-c", program, str(ROOT)]
    subprocess.run(command, env=environment, check=True, timeout=60)


def test_processes_that_compile_different_forms_of_a_kernel_at_once_do_not_mix_them_up(tmp_path):
    first, second, third = (FormFiles(str(tmp_path), "kernel", "stamp") for _ in range(3))
    second._load_index = dict  # it looked before the first had written anything
    written = []

    def interrupted(write):
        def write_later(*content):
            if written:  # half of what the first has to write is there
                second.save("for bytes", "code for bytes")
            written.append(content)
            write(*content)

        return write_later

    first._save_data, first._save_index = interrupted(first._save_data), interrupted(first._save_index)
    first.save("for floats", "code for floats")
    assert third.load("for bytes") in (None, "code for bytes") and third.load("for floats") in (None, "code for floats")
    assert type(kernels.apply._cache._cache_file) is FormFiles


def test_the_first_step_compiles_what_it_needs_and_nothing_twice(tmp_path):
    program = "import gymnasium as gym, rubiks_gym; env = gym.make('Rubik3x3-v0'); env.reset(seed=0); env.step(0)"
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}, check=True)
    compiled = sorted(path.name.split("-")[0] for path in tmp_path.rglob("*.nbc"))  # one file for each kernel and its types
    assert compiled == [f"kernels.{kernel}" for kernel in ("is_solved", "one_hot", "seeds_and_depths", "step", "walk")]
