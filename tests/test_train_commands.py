"""The command lines of train as a user types them: presets, a puzzle of one's own, and faults named in one line."""

import json
from pathlib import Path

import pytest

import agents.adi.config
import agents.davi.config
import agents.general_ntuple.config
import agents.ppo_chasenet.config
import agents.symmetric_ntuple.config
import agents.td_ntuple.config
from tests import commands

ROOT = Path(__file__).parent.parent
PRESETS = {
    name: getattr(agents, name).config.PRESETS
    for name in ("adi", "davi", "general_ntuple", "ppo_chasenet", "symmetric_ntuple", "td_ntuple")
}

# Lamps in a ring, where a press changes a lamp and its neighbours: a puzzle that the project does not have.
RING = """
import numpy as np
import rubiks_gym
from rubiks_gym.puzzles import Puzzle

class Ring(Puzzle):
    def __init__(self, lamps: int = 5) -> None:
        self.presses = sum(np.roll(np.eye(lamps, dtype=np.uint8), by, axis=1) for by in (-1, 0, 1))
        super().__init__(f"ring-{lamps}", [0] * lamps, 2, [str(i) for i in range(lamps)], range(lamps), n_states=2**lamps)

    def apply(self, states, actions):
        return self.as_states(states) ^ self.presses[actions]

    def index(self, states):
        return states.astype(np.int64) @ (1 << np.arange(self.state_size))

    def from_index(self, index):
        return (np.asarray(index)[:, None] >> np.arange(self.state_size) & 1).astype(np.uint8)

rubiks_gym.register_puzzle("Ring-v0", Ring, max_episode_steps=20)
"""


def run(module, *arguments, path=""):
    return commands.run("-m", module, *arguments, env={"PYTHONPATH": str(path)})


@pytest.mark.parametrize("name", PRESETS)
def test_help_lists_every_preset_with_a_line(name):
    printed = run(f"train.{name}", "--help").stdout
    for preset, (_, _, about) in PRESETS[name].items():
        assert any(line.split()[:1] == [preset] and about in line for line in printed.splitlines()), preset
    assert "--import MODULE" in printed


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        *(
            (
                [f"train.{name}", "--preset", "5x5", "--run.folder", "x"],
                f"unknown preset '5x5': choose from {', '.join(presets)}",
            )
            for name, presets in PRESETS.items()
        ),
        (["train.tabular", "--preset", "5x5", "--run.folder", "x"], "unknown preset '5x5': this script has none"),
        (["train.tabular", "--puzzle", "dodecahedron", "--run.folder", "x"], "dodecahedron"),
        (["train.tabular", "--puzzle", "rubik3x3-qtm", "--run.folder", "x"], "too many states"),
        (
            ["train.tabular", "--probe-every", "-1", "--run.folder", "x"],
            "--probe-every must be a whole number",
        ),
        (["train.tabular", "--import", "no_such_module", "--run.folder", "x"], "no_such_module"),
    ],
)
def test_a_fault_is_one_clear_line(arguments, fault):
    done = run(*arguments)
    assert done.returncode == 1 and done.stderr.startswith("error: ") and fault in done.stderr
    assert len(done.stderr.splitlines()) == 1 and not (ROOT / "x").exists()


@pytest.mark.parametrize(
    ("script", "option", "value", "fault"),
    [
        ("davi", "batch", "0", "batch must be a whole number from 1 to 100000000, got 0"),
        ("adi", "network", "tower", "network must be one of 'deepcube',"),
        ("td_ntuple", "step-cost", "0.1", "step_cost must be a number below 0, got 0.1"),
    ],
)
def test_a_setting_that_its_own_check_refuses_is_one_clear_line_too(tmp_path, script, option, value, fault):
    done = run(f"train.{script}", f"--config.{option}", value, "--run.folder", tmp_path / "run")
    assert done.returncode == 2 and done.stderr.startswith(f"error: {fault}") and not (tmp_path / "run").exists()
    assert len(done.stderr.splitlines()) == 1 and not done.stdout


@pytest.mark.parametrize(
    ("script", "settings"),
    [
        ("tabular", ["--config.batch", "50", "--config.k-max", "5"]),
        ("davi", ["--config.network", "pieces", "--config.k-max", "5", "--config.batch", "64", "--config.validation", "8"]),
    ],
)
def test_a_puzzle_of_ones_own_is_trained_evaluated_and_solved_by_name(tmp_path, script, settings):
    (tmp_path / "my_ring.py").write_text(RING)
    folder, own = tmp_path / "run", ("--import", "my_ring")
    settings = [*settings, "--config.iterations", "150"]
    trained = run(f"train.{script}", *own, "--puzzle", "ring-5", "--run.folder", folder, *settings, path=tmp_path)
    assert trained.returncode == 0, trained.stderr
    measured = run("train.evaluate", folder, *own, "--search", "greedy", "--depths", "3", "--cubes", "50", path=tmp_path)
    assert measured.returncode == 0, measured.stderr
    stored = json.loads((folder / "evaluations" / "001-greedy.json").read_text())
    assert stored["puzzle"] == "ring-5" and stored["rows"][0]["solved"] > 0.9
    solved = run("rubiks_gym", "solve", "--agent", folder, *own, "1", "3", path=tmp_path)
    assert solved.returncode == 0 and "solved in 2 moves" in solved.stdout, solved.stderr
    unknown = run("train.evaluate", folder, path=tmp_path)
    assert unknown.returncode == 1 and "no puzzle is called 'ring-5'" in unknown.stderr, "loading imports nothing by itself"
