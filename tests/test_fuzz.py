"""A short run of the fuzzer: `make fuzz` is the long one."""

import os
import signal
import warnings

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.feeding import fuzz
from tests.fuzz.model import StickerCube
from tests.fuzz.targets import TARGETS, feed

INPUTS = {"moves": 1000, "facelets": 1000, "states": 1000, "wild_bytes": 20, "checkpoints": 40, "caches": 40}


@pytest.mark.parametrize("name", TARGETS)
def test_inputs_of_every_kind_are_read_rightly_or_refused(name):
    assert sum(feed(name, seed) for seed in range(INPUTS.get(name, 300))) > 0


@pytest.mark.parametrize("name", [name for name in TARGETS if name not in ("wild_bytes", "checkpoints", "caches")])
@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(rng=st.randoms(use_true_random=False))
def test_inputs_that_hypothesis_makes_and_shrinks_are_read_rightly_or_refused(name, rng):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        TARGETS[name](rng)


@pytest.mark.parametrize("size", [2, 3])
def test_the_model_knows_a_cube_from_what_is_none(size):
    """Counted by hand: twisting a corner is never legal, flipping an edge is never legal, turning the whole cube is."""
    model = StickerCube(size)
    assert len(model.rotations) == 24
    mixed = model.move(model.solved, "R U' F2 L D B'")
    for rotation in model.rotations:
        assert model.is_legal("".join(mixed[i] for i in rotation))
    for piece in model.pieces.values():
        if len(piece) > 1:
            colours = list(mixed)
            for i, j in zip(piece, piece[1:] + piece[:1], strict=True):
                colours[i] = mixed[j]
            assert not model.is_legal("".join(colours))
    assert model.move(model.solved, "R U R' U'" * 6) == model.solved != model.move(model.solved, "R U R' U'" * 3)


def deadly(name, first, counters):
    counters[0], counters[1] = 7, first
    os.kill(os.getpid(), signal.SIGSEGV)


def test_an_input_that_kills_the_process_is_counted_and_named(monkeypatch, capfd):
    monkeypatch.setattr("tests.fuzz.feeding.feeder", deadly)
    assert fuzz(["states"], seconds=5, inputs=5, seed=3) == {"states": (7, 1)}
    assert "states, seed 3: the process died" in capfd.readouterr().out
