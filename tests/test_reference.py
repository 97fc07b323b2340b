"""Every compiled kernel equals its plain reference implementation, on good rows and on rows it must refuse."""

import inspect

import numpy as np
import pytest

from rubiks_gym.puzzles import Hanoi, LightsOut, PermutationPuzzle, Rubik2x2, Rubik3x3, SlidingTile, kernels, sample_seeds
from tests import reference

RNG = np.random.default_rng(1)
SEEDS = sample_seeds(RNG, 300)


def table_cases(puzzle):
    states, actions = puzzle.random_states(SEEDS), RNG.integers(0, puzzle.n_actions, 300)
    depths, near = RNG.integers(0, 9, 300), puzzle.walk(SEEDS, np.full(300, 1))
    yield "apply", (puzzle.moves,), (states, actions), (states.shape, np.uint8)
    yield "apply", (puzzle.moves,), (states, actions - 3), (states.shape, np.uint8)
    yield "step", (puzzle.moves, puzzle.goal), (near, actions), (states.shape, np.uint8), (300, bool)
    yield "expand", (puzzle.moves,), (states,), ((300, puzzle.n_actions, puzzle.state_size), np.uint8)
    for sequences in puzzle._sequences.values():
        tables = (puzzle.moves, *sequences[1:], puzzle.goal)
        yield "walk", tables, (SEEDS, depths), (states.shape, np.uint8)
        yield "walks", tables, (SEEDS,), ((300, 7, puzzle.state_size), np.uint8)


def permutation_cases(puzzle):
    chain = puzzle.chain
    digits = chain.random_digits(SEEDS)
    yield "images", (chain.orbits, chain.representatives, chain.points), (digits,), ((300, len(chain.points)), np.uint16)
    tables = (chain.columns, chain.positions, chain.inverses, chain.points)
    elements = chain.images(digits, chain.points)
    yield "digits", tables, (elements,), (digits.shape, np.int64)
    wild = np.where(RNG.random(elements.shape) < 0.9, elements, RNG.integers(0, 99, elements.shape)).astype(np.uint16)
    yield "digits", tables, (wild,), (digits.shape, np.int64)


def cube_cases(cube):
    states = cube.random_states(SEEDS)
    tables = cube._tables
    full = states if cube.size == 3 else np.concatenate([states, np.full((300, 1), 21, np.uint8)], axis=1)
    sticker_tables = tuple(tables[key] for key in ("facelets_of", "colours", "template"))
    yield "random_states", (cube.corners, cube.edges), (SEEDS,), (states.shape, np.uint8)
    yield "stickers", sticker_tables, (states,), ((300, 6 * cube.size**2), np.uint8)
    yield "cubies", (), (states,), ((300, 2 * cube.state_size), np.uint8)
    yield "inverse_states", (), (states,), (states.shape, np.uint8)
    wild = RNG.integers(0, 48, states.shape).astype(np.uint8)
    yield "compose", (), (states, states[::-1].copy()), (states.shape, np.uint8)
    yield "compose", (), (wild, states), (states.shape, np.uint8)
    yield "symmetries", (tables["source"], tables["image"]), (full,), ((300, 48, full.shape[1]), np.uint8)
    turned = cube.geometry.symmetries[7].astype(np.uint8)[full]
    yield "turn_home", (tables["frame_of"], tables["rotations"]), (turned,), ((300, full.shape[1] - 1), np.uint8)
    yield "lowest", (), (cube.symmetries(states),), (states.shape, np.uint8), ((300,), np.int64)
    if cube.size == 2:
        yield "corner_rank", (), (states,), ((300,), np.int64)
        yield "corner_rank", (), (RNG.integers(0, 24, (300, 7)).astype(np.uint8),), ((300,), np.int64)
        yield "corner_unrank", (), (RNG.integers(0, 3_674_160, 300),), (states.shape, np.uint8)
        yield "corner_unrank", (), (RNG.integers(-9, 9, 300),), (states.shape, np.uint8)


def hanoi_cases(puzzle):
    states, actions = puzzle.random_states(SEEDS), RNG.integers(0, puzzle.n_actions, 300)
    near, tables, outputs = (
        puzzle.walk(SEEDS, np.full(300, 1)),
        (*puzzle._pegs_of, puzzle.goal),
        ((states.shape, np.uint8), (300, bool)),
    )
    yield "hanoi_step", tables, (states, actions), *outputs
    yield "hanoi_step", tables, (near, actions), *outputs
    yield "hanoi_step", tables, (states, actions - 2), *outputs
    yield "hanoi_legal", puzzle._pegs_of, (states,), ((300, puzzle.n_actions), bool)


def sliding_cases(puzzle):
    states, actions = puzzle.random_states(SEEDS), RNG.integers(0, 4, 300)
    near, outputs = puzzle.walk(SEEDS, np.full(300, 1)), ((states.shape, np.uint8), (300, bool))
    no_blank = np.where(RNG.random((300, 1)) < 0.1, np.uint8(1), states)
    for case in ((states, actions), (near, actions), (states, actions - 2), (no_blank, actions)):
        yield "slide_step", (puzzle._comes_from, puzzle.goal), case, *outputs
    for each in (states, no_blank):
        yield "slide_legal", (puzzle._comes_from,), (each,), ((300, 4), bool)


def lights_cases(puzzle):
    for states in (puzzle.random_states(SEEDS), RNG.integers(0, 2, (300, puzzle.state_size)).astype(np.uint8)):
        yield "lights_rank", puzzle._rank_tables, (states,), ((300,), np.int64)


def any_cases(puzzle):
    states = puzzle.random_states(SEEDS)
    bits = (puzzle.n_values - 1).bit_length()
    words = puzzle.pack(states)
    wild = RNG.integers(0, 256, states.shape).astype(np.uint8)
    one_hot = ((300, puzzle.state_size * puzzle.one_hot_width), np.uint8)
    yield "is_solved", (puzzle.goal,), (puzzle.walk(SEEDS, RNG.integers(0, 3, 300)),), ((300,), bool)
    yield "one_hot", (puzzle.first, puzzle.one_hot_width), (states,), one_hot
    yield "one_hot", (puzzle.first, puzzle.one_hot_width), (wild,), one_hot
    yield "pack", (bits,), (states,), (words.shape, np.uint64)
    yield "unpack", (bits,), (words,), (states.shape, np.uint8)
    for depths in ((1, 11), (7, 7)):
        yield "seeds_and_depths", depths, (SEEDS, RNG.integers(0, 10**6, 300)), ((300,), np.uint64), ((300,), np.int64)


PUZZLES = [Rubik2x2("qtm"), Rubik3x3("htm"), Hanoi(5, 3), Hanoi(4, 5)]
COLOURS = PermutationPuzzle("colours", Rubik2x2().generators, Rubik2x2().action_names, goal=np.arange(24) // 5)
CASES = [case for puzzle in PUZZLES for case in any_cases(puzzle)]
CASES += [case for puzzle in (*PUZZLES[:2], COLOURS, LightsOut(4)) for case in table_cases(puzzle)]
CASES += [case for puzzle in (*PUZZLES[:2], COLOURS) for case in permutation_cases(puzzle)]
CASES += [case for puzzle in (SlidingTile(3, 4), SlidingTile(2, 2)) for case in sliding_cases(puzzle)]
CASES += [case for puzzle in (LightsOut(4), LightsOut(5)) for case in lights_cases(puzzle)]
CASES += [case for cube in PUZZLES[:2] for case in cube_cases(cube)]
CASES += [case for hanoi in PUZZLES[2:] for case in hanoi_cases(hanoi)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_kernel_equals_its_reference(case):
    kernel, tables, rows, *outputs = case
    results = []
    for module in (kernels, reference):
        out = [np.zeros(shape, dtype) for shape, dtype in outputs]
        accepted = getattr(module, kernel)(*tables, *rows, *out)
        results.append((accepted, out))
    (accepted, out), (reference_accepted, reference_out) = results
    assert accepted == reference_accepted
    for ours, theirs in zip(out, reference_out, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_every_kernel_has_a_reference_and_a_case():
    own = {key: value for key, value in vars(kernels).items() if getattr(value, "__module__", "") == kernels.__name__}
    public = {key for key, value in own.items() if hasattr(value, "py_func") and not key.startswith("_")}
    assert public == {case[0] for case in CASES}
    for kernel in public:
        plain = inspect.signature(getattr(reference, kernel))
        assert list(plain.parameters) == list(inspect.signature(getattr(kernels, kernel).py_func).parameters)
