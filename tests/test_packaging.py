"""What a user meets first: the import, the wheel, the examples, the README."""

import re
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def run(*command, **options):
    return subprocess.run([sys.executable, *command], capture_output=True, text=True, cwd=ROOT, check=True, **options).stdout


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


def test_wheel_ships_the_suite_alone(tmp_path):
    # Building without isolation needs no network; hatchling comes with the dev extra.
    run("-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", str(tmp_path), ".")
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0].split("-")[0] for name in names} == {"rubiks_gym"}
    assert "rubiks_gym/envs/rubik.py" in names


@pytest.mark.parametrize(
    ("example", "stdin", "expected"),
    [
        ("01_play_by_hand.py", "hint\nR\nundo\nQ\nnew\n", r"moves left"),
        ("02_random_agent_on_a_vector_env.py", "", r"1   2\d\.\d\d%"),
        ("03_maskable_ppo_on_hanoi.py", "", r"solved in \d+ moves"),
        ("04_a_puzzle_of_your_own.py", "", r"fewest presses: \d\d"),
        (
            "demo.py --lots 10 --rounds 1 --cubes 2 --width 512",
            "",
            r"2 of 2 solved(.|\n)*1000 of 1000 random states solved, 10\.\d\d",
        ),
    ],
)
def test_example_runs_as_shown(example, stdin, expected, tmp_path):
    example, *arguments = example.split()
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / example), *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert re.search(expected, done.stdout)


def test_a_puzzle_of_your_own_takes_under_60_lines():
    text = (ROOT / "examples" / "04_a_puzzle_of_your_own.py").read_text()
    assert len(text.splitlines()) < 60


def test_first_lines_of_the_readme_work():
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert blocks
    for block in blocks:
        run("-c", block)


def test_import_takes_little_longer_than_gymnasium():
    def seconds(program):
        start = time.perf_counter()
        run("-c", program)
        return time.perf_counter() - start

    alone = min(seconds("import gymnasium") for _ in range(3))
    both = min(seconds("import rubiks_gym") for _ in range(3))
    assert both < alone + 0.3
