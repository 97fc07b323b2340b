"""What is fed, and what must hold: an input is read rightly or refused by a ValueError, nothing else.

Each target takes a `random.Random`, makes inputs from it, asserts, and returns how many inputs there were.
"""

import json
import os
import random
import tempfile
import warnings
from contextlib import suppress
from dataclasses import fields
from functools import cache, partial
from pathlib import Path

import gymnasium as gym
import numpy as np

import agents
import rubiks_gym
from agents.adi import network as adi_network
from agents.adi.config import AdiConfig
from agents.davi.config import DaviConfig
from agents.ppo_chasenet import chasenet as chasenet_network
from agents.ppo_chasenet.config import PpoChaseNetConfig
from agents.symmetric_ntuple.config import SymmetricNTupleConfig
from agents.tabular.config import TabularConfig
from agents.td_ntuple.config import TdNTupleConfig
from rubiks_gym import files
from rubiks_gym.exact import ExactTable
from rubiks_gym.play.asked import parse_json, read_task
from rubiks_gym.play.catalogue import COMMON
from rubiks_gym.play.limits import Limits
from rubiks_gym.puzzles import Hanoi, PermutationPuzzle, Rubik2x2, Rubik3x3, puzzle_from_name
from rubiks_gym.search import SEARCHES, Perimeter, beam, search_options
from tests.fuzz.model import FACES, TURNS, StickerCube
from train.evaluation import read_cubes
from train.runs import Run, RunOptions

CUBES = {2: (Rubik2x2("qtm"), Rubik2x2("htm")), 3: (Rubik3x3("qtm"), Rubik3x3("htm"))}
MODEL = {2: StickerCube(2), 3: StickerCube(3)}
CONFIGS = (TabularConfig, TdNTupleConfig, SymmetricNTupleConfig, DaviConfig, AdiConfig, PpoChaseNetConfig)
IDS = ("Rubik2x2-v0", "Rubik3x3-v0", "Hanoi-v0")
REFUSED = (ValueError, TypeError, gym.error.Error)  # a wrong keyword is a TypeError, as in Python itself

# Values that find their way into settings: of every type, at every edge.
JUNK = [
    None, True, False, 0, 1, -1, 2, 7, 2**31, 2**63, 2**64, -(2**63), 10**30, 0.0, 0.5, -0.0, 1e308, float("nan"), float("inf"),
    1j, "", "a", "R", "uniform-k", "sparse", "one-hot", "qtm", "\x00", b"", b"R", [], [0], [None], [[]], (), (1, 2), {},
    set(), range(3), np.zeros(0), np.zeros((2, 2)), np.array(3), np.array([1.5]), np.array(["R"]), np.array([None]), np.inf,
    np.int8(-1), np.uint64(2**64 - 1), np.float32(0.5), np.bool_(True), np.str_("x"), len, int, object(), lambda *_: None,
]  # fmt: skip


def some_text(rng, letters):
    """Mostly the letters that matter, sometimes anything."""
    if rng.random() < 0.1:
        return "".join(
            chr(rng.choice((rng.randrange(128), rng.randrange(0x300), rng.randrange(0xD800)))) for _ in range(rng.randrange(20))
        )
    return "".join(rng.choice(letters) for _ in range(rng.randrange(24)))


def some_state(rng, puzzle):
    """A state, or nearly one."""
    state = puzzle.walk(np.array([rng.getrandbits(63)], np.uint64), rng.randrange(25))[0].astype(np.int64)
    for _ in range(rng.choice((0, 1, 1, 2, 3))):
        i, j = rng.randrange(len(state)), rng.randrange(len(state))
        kind = rng.randrange(3)
        if kind == 0:
            state[i], state[j] = state[j], state[i]
        elif kind == 1:
            state[i] = rng.randrange(256)
        else:
            state[i] ^= 1 << rng.randrange(8)
    return state


def is_possible(puzzle, state):
    """Whether a state [S] of a cube or a tower can be reached, from the definition of the numbers in it."""
    state = [int(value) for value in state]
    if isinstance(puzzle, Hanoi):
        return all(0 <= peg < puzzle.pegs for peg in state)
    corners = 7 if puzzle.size == 2 else 8
    places = [value // 3 for value in state[:corners]], [(value - 24) // 2 for value in state[corners:]]
    if [sorted(found) for found in places] != [list(range(corners)), list(range(len(state) - corners))]:
        return False
    odd = [sum(a > b for i, a in enumerate(found) for b in found[i + 1 :]) % 2 for found in places]
    twist, flip = sum(value % 3 for value in state[:corners]), sum(value % 2 for value in state[corners:])
    return twist % 3 == 0 and flip % 2 == 0 and (puzzle.size == 2 or odd[0] == odd[1])


def moves(rng):
    """Text as moves: what the grammar allows is read and does what the stickers do; all else is refused."""
    size = rng.choice((2, 3))
    text, cube = some_text(rng, "URFDLBURFDLBURFDLB''22 \u2019\u2032\n\txMu3"), rng.choice(CUBES[size])
    try:
        actions = cube.parse(text)
    except ValueError:
        assert not TURNS.fullmatch(text)
        return 1
    assert TURNS.fullmatch(text)
    assert cube.parse(cube.format(actions)) == actions
    shown = MODEL[size].move(MODEL[size].solved, text)
    held = ["".join(shown[i] for i in rotation) for rotation in MODEL[size].rotations]
    assert cube.facelets(cube.after(actions)) in (held if size == 2 else [shown])
    return 1


def facelets(rng):
    """Text as stickers: exactly what a cube can look like is read, and shows the same."""
    size = rng.choice((2, 3))
    model, cube = MODEL[size], CUBES[size][0]
    colours = list(model.move(model.solved, " ".join(rng.choice(FACES) for _ in range(rng.randrange(12)))))
    for _ in range(rng.choice((0, 1, 1, 2, 3))):
        i, j = rng.randrange(len(colours)), rng.randrange(len(colours))
        colours[i], colours[j] = colours[j], colours[i]
    if rng.random() < 0.3:  # a piece taken out and put back another way round
        piece = rng.choice(list(model.pieces.values()))
        for i, colour in zip(piece, [colours[i] for i in piece[1:] + piece[:1]], strict=True):
            colours[i] = colour
    rotation = rng.choice(model.rotations)
    text = some_text(rng, FACES) if rng.random() < 0.1 else "".join(colours[i] for i in rotation)
    try:
        state = cube.from_facelets(text)
    except ValueError:
        assert not model.is_legal(text)
        return 1
    assert model.is_legal(text)
    shown = cube.facelets(state)
    assert "".join(text.split()) in ["".join(shown[i] for i in rotation) for rotation in model.rotations]
    return 1


def states(rng):
    """Numbers as a state: exactly what can be reached is accepted, by `check` and by `reset`."""
    puzzle = rng.choice((*CUBES[2], *CUBES[3], Hanoi(4), Hanoi(3, 4)))
    state = some_state(rng, puzzle)
    given = rng.choice(
        (state, state.tolist(), state[None], state.astype(np.int16), state[:-1], state.astype(float), [*state, 0])
    )
    try:
        read = puzzle.check(given)
    except ValueError:
        right = np.shape(given)[-1] == puzzle.state_size and np.asarray(given).dtype.kind in "iu"
        assert not (right and is_possible(puzzle, state))
        return 1
    assert is_possible(puzzle, state) and (read == state).all()
    return 1


def wild_bytes(rng):
    """A thousand rows of any bytes (one input) through every function that takes states, of puzzles and of agents."""
    agent = rng.choice(list(trained().values()))
    puzzle, n = agent.puzzle, 1000
    draw = np.random.default_rng(rng.getrandbits(63))
    wild = draw.integers(0, rng.choice((2, 25, 60, 256)), (n, puzzle.state_size)).astype(np.uint8)
    calls = [puzzle.expand, puzzle.is_solved, puzzle.one_hot, puzzle.pack, puzzle.legal, agent.cost_to_go, agent.policy]
    calls += [
        getattr(puzzle, name)
        for name in ("inverse", "stickers", "cubies", "symmetries", "index", "check")
        if hasattr(puzzle, name)
    ]
    calls.append(lambda states: puzzle.apply(states, draw.integers(-1, puzzle.n_actions + 1, n)))
    if hasattr(puzzle, "relative"):
        calls.append(lambda states: puzzle.relative(states, states[::-1]))
    for call in calls:
        try:
            call(wild)
        except (ValueError, NotImplementedError):
            continue
    return 1


def some_array(rng, right):
    """An array like the right one, or nearly: of another type, shape, layout or size, with other values, or none at all."""
    made = np.array(right)
    for _ in range(rng.choice((0, 1, 1, 2))):
        kind = rng.randrange(9)
        if kind == 0:
            made = made.astype(rng.choice((np.uint8, np.int8, np.int64, np.uint64, np.float32, bool, complex, object, "U3")))
        elif kind == 1:
            made = np.resize(
                made, rng.choice(((0,), (3,), (2, 1), (2, 300), (1, 2, 3), (), made.shape[::-1], (*made.shape, 1)))
            )
        elif kind == 2:
            made = np.asfortranarray(made)
        elif kind == 3 and made.ndim:
            made = made[:: rng.choice((-1, 2))]
        elif kind == 4 and made.ndim > 1:
            made = made[:, ::-1] if rng.random() < 0.5 else made[:, 1:]
        elif kind == 5 and made.dtype.kind in "iu" and made.size:
            made = made.copy()
            with np.errstate(all="ignore"):
                made.flat[rng.randrange(made.size)] = np.array(rng.choice((2**63 - 1, -1, 255, 128))).astype(made.dtype)
        elif kind == 6:
            made = made.copy()
            made.flags.writeable = False
        elif kind == 7 and made.dtype.kind != "O":
            made = made.astype(made.dtype.newbyteorder())
        elif kind == 8:
            return rng.choice(
                (made.tolist(), rng.choice(JUNK), memoryview(np.ascontiguousarray(right)), made.view(np.recarray))
            )
    return made


@cache
def takers():
    """Functions that take arrays, each with right arguments: of puzzles, tables, searches and agents."""
    found = []
    for puzzle in (*CUBES[2], CUBES[3][1], Hanoi(4)):
        seeds, actions = np.arange(3, dtype=np.uint64), np.zeros(3, np.int64)
        states = puzzle.walk(seeds, 9)
        room = np.empty((3, puzzle.n_actions, puzzle.state_size), np.uint8)
        found += [(getattr(puzzle, name), (states,)) for name in ("is_solved", "legal", "one_hot", "pack", "hash", "check")]
        found += [(puzzle.apply, (states, actions)), (puzzle.step, (states, actions)), (puzzle.expand, (states, room))]
        found += [(puzzle.step, (states, actions, states.copy())), (puzzle.unpack, (puzzle.pack(states),))]
        found += [(puzzle.walk, (seeds, actions)), (puzzle.walks, (seeds, np.array(2))), (puzzle.random_states, (seeds,))]
        found += [(puzzle.format, (actions,)), (puzzle.after, (actions, states[0])), (puzzle.ansi, (states[0],))]
        if puzzle.enumerable:
            found += [(puzzle.index, (states,)), (puzzle.from_index, (actions,))]
        for name in ("inverse", "stickers", "cubies", "symmetries", "symmetric_actions", "representatives", "facelets"):
            if hasattr(puzzle, name):
                found.append((getattr(puzzle, name), (states[0] if name == "facelets" else states,)))
        if hasattr(puzzle, "relative"):
            found += [(puzzle.relative, (states, states)), (puzzle.compose, (states, states))]
        nearby, zero = Perimeter(puzzle, 2), lambda states: np.zeros(len(states))
        found += [(nearby.distance, (states,)), (partial(beam_of, puzzle, zero), (states,))]
    towers = Hanoi(3, 3)
    exact, states = ExactTable(towers), towers.walk(np.arange(3), 4)
    found += [(getattr(exact, name), (states,)) for name in ("distance", "solve", "optimal_actions")]
    for agent in trained().values():
        states = agent.puzzle.walk(np.arange(3), 4)
        found += [(agent.cost_to_go, (states,)), (agent.policy, (states,))]
    return found


def beam_of(puzzle, cost_to_go, states):
    """A short search from states."""
    return beam(puzzle, states, cost_to_go, width=4, max_steps=2)


def arrays(rng):
    """Arrays of any type, shape and layout where states, actions, seeds or room for results belong."""
    function, right = rng.choice(takers())
    given = [some_array(rng, each) for each in right]
    before = [each.copy() if isinstance(each, np.ndarray) else each for each in given[:1]]
    with suppress(ValueError, NotImplementedError):
        function(*given)
    if isinstance(given[0], np.ndarray) and given[0].dtype != object:
        assert np.array_equal(before[0], given[0], equal_nan=given[0].dtype.kind in "fc")  # no argument is changed
    return 1


@cache
def trained():
    """An agent of each kind that a table or a small network makes, on a small puzzle."""
    folder = Path(tempfile.mkdtemp())
    from tests import short_runs
    from tests.test_loop import TRAIN

    made = {}
    for kind, options in (
        ("tabular", short_runs.tabular_options),
        ("td_ntuple", short_runs.td_ntuple_options),
        ("davi", short_runs.davi_options),
    ):
        made[kind] = TRAIN[kind](options(folder / kind))
    made["symmetric_ntuple"] = agents.load("symmetric_ntuple:rubik3x3-qtm")
    return made


def actions(rng):
    """Anything as an action: an environment steps or refuses and has not changed."""
    env = environments()[rng.choice(IDS)][rng.randrange(2)]
    env.reset(seed=rng.getrandbits(31))
    before = env.unwrapped.get_state()
    action = rng.choice((rng.choice(JUNK), rng.randrange(-3, 30), [rng.choice(JUNK), 0], np.array([rng.randrange(-3, 30), 0])))
    try:
        env.step(action)
    except REFUSED:
        after = env.unwrapped.get_state()
        assert all(np.array_equal(before[key], after[key]) for key in before)
    return 1


@cache
def environments():
    """Of each id a single environment and a vector of two."""
    return {id: (gym.make(id), gym.make_vec(id, num_envs=2)) for id in IDS}


def reset_options(rng):
    """Anything as an option or a seed of reset."""
    id, which = rng.choice(IDS), rng.randrange(2)
    env = environments()[id][which]
    env.reset(seed=0)
    before = env.unwrapped.get_state()
    value = rng.choice((*JUNK, some_text(rng, "URF' "), some_state(rng, env.unwrapped.puzzle)))
    options = rng.choice(({rng.choice(("scramble", "depth", "state", "reset_mask", "stat", 0)): value}, value))
    try:
        env.reset(seed=rng.choice((None, rng.choice(JUNK))), options=options)
    except REFUSED:
        after = env.unwrapped.get_state()
        assert all(np.array_equal(before[key], after[key]) for key in before)
        return 1
    for state in np.atleast_2d(env.unwrapped.get_state()["state"]):
        assert is_possible(env.unwrapped.puzzle, state)
    return 1


def keywords(rng):
    """Anything as a keyword of gym.make: an environment that steps with finite rewards, or a refusal."""
    names = ("metric", "disks", "pegs", "scramble", "k_max", "reward", "observation", "exact", "goal", "costs", "nonsense")
    chosen = {rng.choice(names): rng.choice(JUNK) for _ in range(rng.choice((1, 1, 2)))}
    if any(isinstance(chosen.get(name), int | np.integer) and chosen[name] > 7 for name in ("disks", "pegs")):
        return 0  # a large tower is no fault
    make = rng.choice((gym.make, gym.make_vec))
    try:
        env = make(rng.choice(IDS), **chosen)
        env.reset(seed=1)
        rewards = env.step(env.action_space.sample())[1]
    except REFUSED:
        return 1
    assert np.isfinite(rewards).all()
    env.close()
    return 1


def saved_states(rng):
    """A saved state with something changed: refused, or a state that can be."""
    env = environments()[rng.choice(IDS)][rng.randrange(2)].unwrapped
    env.reset(seed=rng.getrandbits(31))
    saved = env.get_state()
    key = rng.choice([*saved, "more"])
    bad = dict(saved)
    old = np.array(saved.get(key, 0))
    changed = old.copy()
    if changed.size and changed.dtype.kind in "iu":
        changed.flat[rng.randrange(changed.size)] = rng.randrange(120)
    bad[key] = rng.choice((changed, changed.tolist(), old.astype(float), old[None], rng.choice(JUNK)))
    if rng.random() < 0.1:
        del bad[key]
    try:
        env.set_state(bad)
    except ValueError:
        assert all(np.array_equal(saved[name], env.get_state()[name]) for name in saved)
        return 1
    for state in np.atleast_2d(env.get_state()["state"]):
        assert is_possible(env.puzzle, state)
    env.step(env.action_space.sample())
    return 1


class Anything:
    """A scramble or a reward that returns whatever it was given."""

    def __init__(self, value):
        self.value = value

    def sample(self, puzzle, n, rng):
        return self.value

    def __call__(self, *_):
        return self.value


def strangers_objects(rng):
    """Scrambles and rewards that return anything: no impossible cube and no reward that is not finite comes of them."""
    id = rng.choice(IDS)
    puzzle = environments()[id][0].unwrapped.puzzle
    n = rng.choice((1, 2))
    if rng.random() < 0.5:
        start = np.stack([some_state(rng, puzzle) for _ in range(n)])
        made = rng.choice((start.astype(np.uint8), start, start[0], rng.choice(JUNK)))
        value = rng.choice(((made, np.ones(n, np.int64)), (made, rng.choice(JUNK)), made))
        chosen = {"scramble": Anything(value)}
    else:
        value = rng.choice((rng.choice(JUNK), [rng.choice(JUNK)] * n, np.full(n, 0.5), np.full(n, np.nan)))
        chosen = {"reward": Anything(value)}
    try:
        env = gym.make_vec(id, num_envs=n, **chosen)
        env.reset(seed=0)
        _, rewards, *_ = env.step(np.zeros(n, np.int64))
    except REFUSED:
        return 1
    assert np.shape(rewards) == (n,) and np.isfinite(rewards).all()
    for state in env.get_state()["state"]:
        assert is_possible(puzzle, state)
    return 1


def some_damage(rng, content):
    """Bytes with a fault: a bit, a run of bytes, a cut, something put in."""
    content = bytearray(content)
    at = rng.randrange(len(content))
    kind = rng.randrange(5)
    if kind == 0:
        content[at] ^= 1 << rng.randrange(8)
    elif kind == 1:
        content[at : at + rng.randrange(1, 50)] = rng.randbytes(rng.randrange(50))
    elif kind == 2:
        del content[at:]
    elif kind == 3:
        content[at:at] = rng.randbytes(rng.randrange(1, 50))
    else:
        return rng.randbytes(rng.randrange(300))
    return bytes(content)


@cache
def stored():
    """Bytes of a whole checkpoint of each kind of agent, its state and its arrays."""
    trained()
    file = Path(tempfile.mkdtemp()) / "1.npz"
    towers, chasenet = Hanoi(3, 3), agents.agent_class("ppo_chasenet")
    untrained = {
        "adi": agents.agent_class("adi")(towers, adi_network.Architecture("pieces", (8, 4), 4)),
        "pairs": chasenet(towers, chasenet_network.Architecture("pairs", (8,)), "pieces", (8, 4)),
        "attention": chasenet(towers, chasenet_network.Architecture("attention", (8,), 8, 2, 1), "pieces", (8, 4)),
    }
    found = {}
    for kind, agent in {**trained(), **untrained}.items():
        if kind != "symmetric_ntuple":
            files.save(file, {"step": 1, **agents.describe(agent), "learner": {}}, agent.arrays())
            found[kind] = (file.read_bytes(), *files.load(file))
    return found


def checkpoints(rng):
    """A damaged checkpoint, or one whose settings are not what they were: refused, or an agent that answers."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "checkpoints" / "000000000001.npz"
        content, state, arrays = stored()[rng.choice(list(stored()))]
        if rng.random() < 0.5:
            file.parent.mkdir()
            file.write_bytes(some_damage(rng, content))
        else:
            state, arrays = json.loads(json.dumps(state)), dict(arrays)
            target = rng.choice((state, state["settings"], arrays))
            key = rng.choice([*target, "more"])
            values = [value for value in JUNK if isinstance(value, None | bool | int | float | str | list)]
            value = rng.choice([*values, 10**8, [10**8], [64] * 10**5, [[10**8]], [[0]] * 10**4])
            if target is arrays:
                value = rng.choice((np.zeros(3), np.zeros((0, 4), np.int8), np.full(2, np.nan)))
            target[key] = value
            files.save(file, state, arrays)
        try:
            agent = agents.load(folder)
        except ValueError:
            return 1
        assert np.isfinite(agent.cost_to_go(agent.puzzle.goal[None])).all()
    return 1


TOWERS = Hanoi(3, 3)
ALIKE = PermutationPuzzle("fuzz-alike", [[1, 2, 3, 4, 5, 0], [1, 0, 2, 3, 4, 5]], ["A", "B"], goal=[0, 0, 1, 1, 2, 2])


@cache
def truth(puzzle, costs):
    """All states of a small puzzle and their distances, without a cache."""
    before = os.environ.get("RUBIKS_GYM_CACHE")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["RUBIKS_GYM_CACHE"] = folder
        found = ExactTable(puzzle, costs)
    os.environ.pop("RUBIKS_GYM_CACHE")
    if before is not None:
        os.environ["RUBIKS_GYM_CACHE"] = before
    states = found.from_index(np.arange(len(found.distances)))
    return states, found.distance(states)


def caches(rng):
    """A damaged exact table, or one of wrong numbers: built anew, so that the distances are right."""
    table = rubiks_gym.exact.table
    puzzle, costs = rng.choice(((TOWERS, None), (TOWERS, (1, 2, 1, 1, 3, 1)), (ALIKE, None)))
    right = truth(puzzle, costs)
    with tempfile.TemporaryDirectory() as folder:
        before = os.environ.get("RUBIKS_GYM_CACHE")
        os.environ["RUBIKS_GYM_CACHE"] = folder
        try:
            table._in_process.clear()
            ExactTable(puzzle, costs)
            file = next(Path(folder).glob("*-costs-*" if costs else "*.npz"))
            if rng.random() < 0.5:
                file.write_bytes(some_damage(rng, file.read_bytes()))
            else:
                state, arrays = files.load(file)
                name = rng.choice(list(arrays))
                stored = arrays[name]
                changed = (stored[::-1], stored[:-1], stored.astype(np.int64), np.zeros_like(stored), np.roll(stored, 1))
                wrong = rng.choice((*changed, np.tile(stored, 9), stored[..., None], np.full_like(stored, 255), stored[:0]))
                files.save(file, state, {**arrays, name: np.ascontiguousarray(wrong)})
            table._in_process.clear()
            found = ExactTable(puzzle, costs)
            assert np.array_equal(found.distance(right[0]), right[1])
        finally:
            table._in_process.clear()
            os.environ.pop("RUBIKS_GYM_CACHE")
            if before is not None:
                os.environ["RUBIKS_GYM_CACHE"] = before
    return 1


def cubes_files(rng):
    """A file of cubes: a list of states and lengths, or a refusal that names the file."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "cubes.json"
        cube = {
            "scramble": rng.choice((some_text(rng, "URF' "), rng.choice(JUNK))),
            "optimal_qtm": rng.choice((3, rng.choice(JUNK))),
        }
        content = json.dumps(rng.choice(([cube], [cube] * 3, cube, [])), default=str).encode()
        file.write_bytes(some_damage(rng, content) if rng.random() < 0.3 else content)
        try:
            found, lengths = read_cubes(CUBES[3][0], file)
        except ValueError as error:
            if str(file) not in str(error):
                raise AssertionError("the file is not named") from error
            return 1
    assert all(is_possible(CUBES[3][0], state) for state in found)
    assert lengths is None or len(lengths) == len(found)
    return 1


def settings(rng):
    """Settings of learners as a command line can give them: accepted within bounds, or refused."""
    kind = rng.choice(list(CONFIGS))
    chosen = {}
    for field in rng.sample(fields(kind), rng.choice((1, 1, 2, 3))):
        now = getattr(kind(), field.name)
        whole = rng.choice((0, 1, 2, -1, 7, 99, 10**5, 10**8, 10**9, 10**12, 2**63, 10**30, True))
        parts = (
            rng.choice(((), (1,), (whole,), (64,) * 10**5, (whole, 3)))
            if isinstance(now, tuple) and now and isinstance(now[0], int)
            else None
        )
        if isinstance(now, bool):
            chosen[field.name] = rng.choice((True, False, 1, None, "yes"))
        elif isinstance(now, int):
            chosen[field.name] = whole
        elif isinstance(now, float):
            chosen[field.name] = rng.choice((0.0, 0.5, 1.0, -1.0, 1e308, float("nan"), float("inf"), whole, "1"))
        elif isinstance(now, str):
            chosen[field.name] = rng.choice(("", "pairs", "uniform", "ema", some_text(rng, "0123,")))
        else:
            text = ("0,1,2,3,4",) * rng.choice((0, 1, 10**5))
            chosen[field.name] = parts if parts is not None else rng.choice((text, (some_text(rng, "0123,"),)))
    try:
        config = kind(**chosen)
    except ValueError:
        return 1
    sizes = ("batch", "walks", "minibatch", "n_envs", "n_steps", "validation", "width", "k", "k_max", "walk_length", "p_max")
    assert all(getattr(config, name, 0) <= 10**8 for name in sizes)
    return 1


def run_folders(rng):
    """A run folder whose config.json or metrics are damaged: a run goes on or is refused by an error that names the file."""
    config = {"puzzle": "hanoi-3-3", "seed": 0, "k": [1, 2]}
    with tempfile.TemporaryDirectory() as folder:
        options = RunOptions(Path(folder), resume=True)
        stored = {"config.json": json.dumps({"config": config, "run": {}}), "metrics.jsonl": '{"step": 0, "loss": 1.5}\n' * 3}
        broken = rng.choice(list(stored))
        for name, text in stored.items():
            bad = (
                b"[" * 10**5 + b"\n" if rng.random() < 0.05 else some_damage(rng, text.encode())
            )  # deeper than any reader goes
            (Path(folder) / name).write_bytes(bad if name == broken else text.encode())
        try:
            run = Run(options, config)
            try:
                run.restore()
            finally:
                run.finish()
        except ValueError as error:
            if folder not in str(error):
                raise AssertionError("the folder is not named") from error
    return 1


def requests(rng):
    """Bytes as a request to the page's server: what is accepted is a state that can be, and settings a worker can read."""
    puzzle = rng.choice((*CUBES[2], *CUBES[3], Hanoi(4), Hanoi(3, 4)))
    state, junk = (
        some_state(rng, puzzle),
        [each for each in JUNK if isinstance(each, None | bool | int | float | str | list | dict)],
    )
    request = {"puzzle": puzzle.name, "state": state.tolist(), "search": rng.choice((None, *SEARCHES)), "options": {}}
    for _ in range(rng.choice((0, 0, 1, 2))):
        key = rng.choice((*search_options(rng.choice(list(SEARCHES))), *COMMON))
        request["options"][key] = rng.choice(junk)
    for _ in range(rng.choice((0, 0, 1, 2))):
        request[rng.choice(("puzzle", "state", "moves", "facelets", "agent", "search", "options", "optimal", "x"))] = (
            rng.choice(junk)
        )
    body = json.dumps(request).encode()
    body = some_damage(rng, body) if rng.random() < 0.3 else body
    try:
        task = read_task(parse_json(body, Limits()), [], {}, Limits())
    except ValueError:
        return 1
    asked = puzzle_from_name(task["puzzle"])
    assert is_possible(asked, task["state"]) and len(task["state"]) == asked.state_size
    assert json.loads(json.dumps(task, allow_nan=False)) == task and 0 < task["seconds"] <= Limits().most_seconds
    assert task.get("max_nodes", 1) <= Limits().nodes and all("=" in text for text in task["option"])
    return 1


_PUZZLES = (moves, facelets, states, wild_bytes, arrays)
_ENVIRONMENTS = (actions, reset_options, keywords, saved_states, strangers_objects)
_FILES = (checkpoints, caches, cubes_files, settings, run_folders, requests)
TARGETS = {target.__name__: target for target in (*_PUZZLES, *_ENVIRONMENTS, *_FILES)}


def feed(name, seed):
    """One input of a target; the same seed makes the same input."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # gymnasium warns of much that it then refuses
        return TARGETS[name](random.Random(f"{name} {seed}"))
