import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

from rubiks_gym import PUZZLES, puzzle_from_name
from rubiks_gym.exact import cosets

# Tables built by the tests stay out of the user's cache folder, and are shared by the test processes.
os.environ["RUBIKS_GYM_CACHE"] = str(Path(__file__).parent.parent / ".pytest_cache" / "tables")
os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
# The networks of the tests are too small to be shared out, and torch's threads burn the cores that they wait for.
os.environ["OMP_NUM_THREADS"] = "1"

# A busy machine is no fault of the example that happened to run then.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")

# Lower bounds of the 3x3x3 come from a table without the order of the middle edges, which is built in seconds.
cosets.WHOLE = 1 << 60


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture(params=[name for entry in PUZZLES.values() for name in entry.examples])
def puzzle(request):
    """Every puzzle of the registry, with the settings that it names."""
    return puzzle_from_name(request.param)


@pytest.fixture
def blank_plots(monkeypatch):
    """For short runs: to draw learning curves takes longer than to learn. Those of every learner are drawn in test_loop.py."""
    from matplotlib.figure import Figure

    monkeypatch.setattr("train.loop.learning_plot", lambda folder: Figure(figsize=(1, 1)))
