"""The n-tuple network for any puzzle: what it finds in a puzzle, its kernels against plain ones, and that it learns."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import agents
from agents.general_ntuple import moved
from agents.general_ntuple.adding import _coefficients, times_made
from agents.general_ntuple.agent import GeneralNTuple
from agents.general_ntuple.config import GeneralNTupleConfig
from agents.general_ntuple.fold import find_folds, folded
from agents.general_ntuple.learner import Learner
from agents.general_ntuple.network import learn
from agents.general_ntuple.symmetry import find_images
from agents.general_ntuple.tuples import choose_tuples
from agents.general_ntuple.view import make_view, sample
from agents.general_ntuple.walks import walks, word_lengths
from rubiks_gym import files
from rubiks_gym.exact import ExactTable
from rubiks_gym.puzzles import LightsOut, Pyraminx, Rubik3x3, Rubik4x4, Rubik5x5, SlidingTile, puzzle_from_name, sample_seeds
from rubiks_gym.puzzles.relations import find_relations
from rubiks_gym.puzzles.threads import get_num_threads, set_num_threads
from rubiks_gym.registration import PUZZLES
from rubiks_gym.search import beam
from tests import reference

ROOT = Path(__file__).parent.parent
SMALL = GeneralNTupleConfig(
    table_weights=5000,
    weights=50_000,
    coverage=1,
    walk_length=8,
    walks=32,
    walk_batches=2,
    rounds=1,
    episodes=2,
    width=8,
    perimeter=50,
)


def small_agent(puzzle, rng, **config):
    agent = GeneralNTuple.chosen(puzzle, 10.0, replace(SMALL, **config).budget())
    agent.scale = 0.5
    agent.weights[:] = rng.integers(-9, 10, agent.weights.size)
    return agent


def found(puzzle):
    states = sample(puzzle)
    view = make_view(puzzle, states)
    return states, view, find_images(puzzle, view, states)


def test_the_learner_knows_no_puzzle_by_name():
    classes = {str(entry.puzzle).partition(":")[2] for entry in PUZZLES.values() if isinstance(entry.puzzle, str)} - {
        "Permutation"
    }
    names = classes | {name for name in PUZZLES if name != "permutation"}
    names |= {"cube", "tiles", "blank", "lamp", "disk", "sliding"}
    for file in sorted((ROOT / "agents" / "general_ntuple").glob("*.py")):
        told = file.read_text().partition("\nPRESETS")[0]  # which are commands by name
        code = re.sub(r'""".*?"""|#[^\n]*', "", told, flags=re.DOTALL)  # documents may give examples
        assert not [name for name in names if re.search(name, code, re.IGNORECASE)], file.name


def test_a_view_has_the_state_and_its_inverse(rng):
    board = SlidingTile(3, 3)
    states = board.random_states(sample_seeds(rng, 50))
    np.testing.assert_array_equal(found(board)[1].read(states), np.concatenate([states, np.argsort(states, axis=1)], axis=1))
    cube = Rubik3x3()
    _, view, _ = found(cube)
    states = cube.random_states(sample_seeds(rng, 50))
    x, of_inverse = view.read(states), view.read(cube.inverse(states))
    np.testing.assert_array_equal(x[:, :20], of_inverse[:, 20:])
    np.testing.assert_array_equal(x[:, 20:], of_inverse[:, :20])
    assert (view.radix == 24).all()


def test_a_view_sees_pieces_where_a_state_lists_stickers():
    _, view, images = found(Rubik4x4())
    assert sorted(view.radix[: view.first].tolist()) == [6] * 24 + [24] * 32  # centres; corners and edges
    assert len(images.source) == 96


def test_a_view_says_where_pieces_are_that_are_like_no_other(rng):
    for puzzle, n in ((Rubik4x4(), 8 + 24), (Rubik5x5(), 8 + 12 + 24)):  # not of centres
        view = found(puzzle)[1]
        assert (view.radix[view.first :] == 24).all() and len(view.radix) == view.first + n
        x = view.read(puzzle.random_states(sample_seeds(rng, 500)))
        for place in range(view.first):  # what is where the others have to be told about
            told = view.slot[place, x[:, place]]
            assert ((told >= view.first) == (view.radix[place] == 24)).all()
            some = np.flatnonzero(told >= 0)
            np.testing.assert_array_equal(x[some, told[some]], view.other[place, x[some, place]])
        # A piece is in one place at a time, and which of its kind is where is all there is to know of them.
        at = [np.sort(view.slot[np.arange(view.first), row])[-n:] for row in x[:, : view.first]]
        assert all(np.array_equal(row, np.arange(view.first, view.first + n)) for row in at)
        assert len(np.unique(x[:, view.first :], axis=0)) == len(x)


def test_where_pieces_are_depends_on_nothing_else(rng):
    puzzle = Rubik4x4()
    view = found(puzzle)[1]
    wing = next(e for e in range(view.first, len(view.radix)) if len(np.unique(np.argwhere(view.slot == e)[:, 0])) == 24)
    seen = set()
    for state in puzzle.random_states(sample_seeds(rng, 200)):
        before, after = view.read(state[None])[0, wing], view.read(puzzle.expand(state[None])[0])[:, wing]
        seen.add((int(before), after.tobytes()))
    assert len(seen) == 24  # where it goes follows from where it is


def test_a_view_sees_pieces_where_some_stickers_never_move():
    view = found(Rubik5x5())[1]
    assert view.first == 8 + 12 + 24 + 24 + 24 and sorted(np.unique(view.radix)) == [6, 24]  # corners, edges, centres


def test_a_state_is_read_as_moves_made_where_moves_add_up(rng):
    for side, n in ((3, 9), (7, 49)):
        puzzle = LightsOut(side)
        made = rng.integers(2, size=(50, n))
        states = (made @ puzzle.moves.astype(int) % 2).astype(np.uint8)
        np.testing.assert_array_equal(found(puzzle)[1].read(states), made)
    for puzzle in (LightsOut(4), LightsOut(5), Pyraminx()):  # presses that undo others; moves that do not add up
        assert times_made(puzzle, sample(puzzle)[:64]) is None
    moves = np.array([[1, 2, 0, 0], [0, 1, 1, 2], [2, 0, 1, 0]])  # modulo 3
    made = rng.integers(3, size=(20, 3))
    np.testing.assert_array_equal(made @ moves % 3 @ _coefficients(moves, 3).T % 3, made)
    assert _coefficients(np.array([[1, 2], [2, 1]]), 3) is None


@pytest.mark.parametrize(("puzzle", "n"), [(SlidingTile(3, 3), 2), (LightsOut(4), 8), (Pyraminx(), 48), (Rubik3x3(), 96)])
def test_symmetries_are_found(puzzle, n, rng):
    _, view, images = found(puzzle)
    assert len(images.source) == n
    goal, x = view.read(puzzle.goal[None]), view.read(puzzle.random_states(sample_seeds(rng, 20)))

    def of(each, x):
        return images.image[each][np.arange(len(view.radix)), x[:, images.source[each]]]

    seen = [{row.tobytes() for row in of(other, of(n - 1, x))} for other in range(n)]
    assert all(np.array_equal(of(each, goal), goal) for each in range(n))  # the goal is its own image
    assert {row.tobytes() for row in x} in seen and len(set(map(frozenset, seen))) == n  # they are a group


@pytest.mark.parametrize("puzzle", [SlidingTile(3, 3), SlidingTile(5, 5), LightsOut(4)], ids=str)
def test_symmetries_say_what_becomes_of_every_value_of_an_entry(puzzle):
    _, view, images = found(puzzle)
    for source, image in zip(images.source, images.image, strict=True):
        for e, values in zip(source, image, strict=True):
            assert sorted(values[: view.radix[e]]) == list(range(view.radix[e]))


def test_tables_look_at_neighbours_and_at_what_tells_which_moves_are_legal():
    board = SlidingTile(4, 4)
    states, view, images = found(board)
    tuples = choose_tuples(board, view, images, states, GeneralNTupleConfig().budget())
    pairs = [each for each in tuples if len(each) == 2]
    assert all(each[0] == 16 for each in pairs)  # where the blank is
    assert {int(source[each[1]]) for each in pairs for source in images.source} == set(range(32)) - {16}
    larger = [each for each in tuples if len(each) > 2]
    places = [[divmod(e, 4) for e in each] for each in larger if max(each) < 16]
    assert len(places) == len(larger) / 2  # the others look at where tiles are
    assert {len(each) for each in places} == {4, 5} and {
        both for each in places for r, c in each for both in ((r, c), (c, r))
    } == set(np.ndindex(4, 4))
    for each in places:
        assert all(any(abs(r - row) + abs(c - column) == 1 for r, c in each) for row, column in each)


def test_tables_are_of_every_mixture_of_kinds_and_as_large_as_there_is_room():
    for puzzle, kinds in ((Rubik3x3(), 2), (Rubik4x4(), 3)):
        states, view, images = found(puzzle)
        budget = GeneralNTupleConfig().budget()
        tuples = choose_tuples(puzzle, view, images, states, budget)
        sizes = [int(np.prod(view.radix[list(each)])) for each in tuples]
        assert len(tuples) >= kinds * (kinds + 1) // 2 and sum(sizes) <= budget.weights
        assert max(sizes) > budget.table / 24 and all(size <= budget.table for size in sizes)
        assert min(sizes) > max(sizes) / 8 / 24
        looked_at = {int(source[e]) for source in images.source for each in tuples for e in each}
        assert looked_at == set(range(len(view.radix)))


@pytest.mark.parametrize("name", ["sliding-tile-3-3", "rubik2x2-qtm", "lights-out-4", "rubik4x4-qtm", "hanoi-4-3"])
def test_the_network_is_the_plain_one(name, rng):
    puzzle = puzzle_from_name(name)
    agent = small_agent(puzzle, rng)
    states, view, images = found(puzzle)
    states = states[1:200]
    expected = agent.bias + 0.5 * reference.ntuple_sums(agent.tuples, view.radix, images, agent.weights, view.read(states))
    costs = agent.cost_to_go(states)
    np.testing.assert_allclose(np.where(puzzle.is_solved(states), 0, expected), costs, atol=1e-3)
    assert agent.cost_to_go(puzzle.goal[None])[0] == 0


@pytest.mark.parametrize("name", ["rubik3x3-qtm", "rubik3x3-htm", "pancake-11"])
def test_the_parts_of_a_childs_cost_add_up_to_it(name, rng):
    puzzle = puzzle_from_name(name)
    agent = small_agent(puzzle, rng)
    parts, states = agent.decomposed, puzzle.random_states(sample_seeds(rng, 60))
    children = puzzle.expand(states)
    whole = agent.cost_to_go(children.reshape(-1, puzzle.state_size)).reshape(children.shape[:2])
    found = parts.first(states) + parts.second(children.reshape(-1, puzzle.state_size)).reshape(whole.shape)
    known = ~puzzle.is_solved(children.reshape(-1, puzzle.state_size)).reshape(whole.shape)
    np.testing.assert_allclose(found[known], whole[known], atol=1e-3)
    states[1, 0] = 250
    for part in (parts.first, parts.second):
        with pytest.raises(ValueError, match=r"values|states"):
            part(states)


@pytest.mark.parametrize("name", ["lights-out-4", "sliding-tile-3-3", "rubik2x2-htm", "top-spin-20-4"])
def test_there_are_no_parts_where_they_would_not_pay(name, rng, monkeypatch):
    """Tables of which all or none look at what moves take along have no two halves; of few children all can be looked at."""
    assert small_agent(puzzle_from_name(name), rng).decomposed is None
    monkeypatch.setattr(moved, "_MOST_BYTES", 1000)
    assert small_agent(puzzle_from_name("pancake-11"), rng).decomposed is None


def plain_cost(agent, weights, states):
    _, view, images = found(agent.puzzle)
    return agent.bias + reference.ntuple_sums(agent.tuples, view.radix, images, weights, view.read(states))


def step(agent, weights, state, target, lr=0.5, clip=np.inf, link=(0.0, 0.0)):
    reader = agent.reader
    return learn(reader.view, reader.look_ups, weights, agent.bias, state, np.array([target], np.float32), lr, clip, link)


def test_a_step_moves_a_state_by_its_share_of_the_error_and_no_more(rng):
    puzzle = Pyraminx()
    agent = small_agent(puzzle, rng)
    weights = rng.normal(size=agent.weights.size).astype(np.float32)
    states = np.concatenate([puzzle.walk(sample_seeds(rng, 3), np.ones(3, int)), puzzle.random_states(sample_seeds(rng, 3))])
    for state in states[:, None]:  # near the goal many images read the same weight
        (before,) = plain_cost(agent, weights, state)
        assert step(agent, weights, state, before + 3) == pytest.approx(9, rel=1e-3)
        assert plain_cost(agent, weights, state)[0] == pytest.approx(before + 1.5, abs=1e-3)
        step(agent, weights, state, before + 100, clip=2.0)
        assert plain_cost(agent, weights, state)[0] == pytest.approx(before + 2.5, abs=1e-3)


def test_walks_are_fitted_through_a_link_that_levels_off(rng):
    puzzle = SlidingTile(3, 3)
    agent = small_agent(puzzle, rng)
    weights = np.zeros(agent.weights.size, np.float32)
    state = puzzle.random_states(sample_seeds(rng, 1))
    agent.bias = 50.0
    step(agent, weights, state, 12, link=(10.0, 1.0))
    assert np.abs(weights).max() < 1e-6  # 50 and 12 both mean far
    agent.bias = 5.0
    step(agent, weights, state, 7, link=(10.0, 1.0))
    assert plain_cost(agent, weights, state)[0] == pytest.approx(6, abs=0.05)


@pytest.mark.parametrize(
    ("name", "far", "k"),
    [
        ("rubik3x3-qtm", 2 / 3 * 26, 23),
        ("rubik4x4-qtm", 18, 24),  # shorter than 9/10 of 45 moves, and so is what counts as far
        ("lights-out-7", 2 / 3 * 49, 44),  # moves add up
        ("top-spin-20-4", 2 / 3 * 80, 72),  # three moves to choose from
        ("sliding-tile-3-3", 36, 22),
    ],
)
def test_walks_are_as_long_as_tables_can_tell(name, far, k):
    puzzle, config = puzzle_from_name(name), GeneralNTupleConfig()
    assert config.moves_of(puzzle, find_relations(puzzle, sample(puzzle)[::1024])) == (pytest.approx(far), k)


def test_the_error_of_walks_is_that_of_states_not_told_yet(monkeypatch):
    """A state says much about the next one of its walk, so of those met later the error is too small to compare."""
    learner = Learner(Pyraminx(), replace(SMALL, walk_length=20, walks=64), 0)
    learnt = []
    monkeypatch.setattr(learner, "_learn", lambda states, targets, *rest: learnt.append(targets) or float(len(targets) ** 2))
    assert learner.learn_walks(0.1) == 64
    assert [len(each) for each in learnt] == [64, 19 * 64] and len(np.unique(learnt[0])) > 10


@pytest.mark.parametrize("name", ["rubik3x3-qtm", "rubik4x4-qtm", "megaminx", "lights-out-4"])
def test_moves_that_cancel_are_not_counted(name, rng):
    puzzle = puzzle_from_name(name)
    relations = find_relations(puzzle, sample(puzzle)[::1024])
    actions = rng.integers(puzzle.n_actions, size=(20, 30))
    actions[10:] = rng.choice(np.flatnonzero(relations.commute[0]), size=(10, 30))
    lengths = np.empty(actions.shape, np.float32)
    word_lengths(*relations, actions, lengths)
    plain = [reference.word_lengths(*(each.tolist() for each in relations), word) for word in actions.tolist()]
    np.testing.assert_array_equal(lengths, plain)
    assert lengths.max() > 8 and (lengths[10:, -1] < 30).all()


def test_the_length_of_a_walk_bounds_the_distance(rng):
    for puzzle, exactly in ((Pyraminx(), False), (LightsOut(4), False), (LightsOut(3), True)):
        states, lengths = walks(puzzle, find_relations(puzzle, sample(puzzle)[::1024]), rng, 64, 12)
        truth = ExactTable(puzzle).distance(states.reshape(-1, puzzle.state_size)).reshape(lengths.shape)
        assert (lengths >= truth).all() and (lengths[:, :2] == truth[:, :2]).mean() > 0.9
        assert not exactly or (lengths == truth).all()
    puzzle = SlidingTile(3, 3)  # moves that cannot always be made
    assert find_relations(puzzle, sample(puzzle)[::1024]) is None
    assert (walks(puzzle, None, rng, 2, 9)[1] == np.arange(1, 10)).all()


def test_rounded_weights_cost_nearly_the_same(rng):
    agent = small_agent(Pyraminx(), rng)
    weights = rng.normal(size=agent.weights.size).astype(np.float32)
    states = agent.puzzle.random_states(sample_seeds(rng, 30))
    off = agent.rounded(weights).cost_to_go(states) - plain_cost(agent, weights, states)
    assert 0 < np.abs(off).max() < 0.5 * len(agent.reader.look_ups.offset) * np.abs(weights).max() / 127


@pytest.mark.parametrize(("puzzle", "folds"), [(SlidingTile(3, 3), 5), (Rubik3x3(), 1), (LightsOut(5), 1)], ids=str)
def test_small_tables_within_large_ones_are_folded_and_the_cost_is_the_same(puzzle, folds, rng):
    whole = GeneralNTuple.chosen(puzzle, 10.0, GeneralNTupleConfig(table_weights=100_000).budget())
    found = find_folds(whole.reader, whole.tuples)
    fewer = whole.without({fold.small for fold in found})
    assert len(found) >= folds and len(fewer.tuples) == len(whole.tuples) - len(found)
    weights = rng.normal(size=whole.weights.size).astype(np.float32)
    states = puzzle.random_states(sample_seeds(rng, 50))
    smaller = folded(whole.reader.view, whole.tuples, found, weights)
    np.testing.assert_allclose(plain_cost(fewer, smaller, states), plain_cost(whole, weights, states), rtol=1e-4)


def test_it_learns_to_solve(rng):
    puzzle = SlidingTile(3, 3)
    config = GeneralNTupleConfig(table_weights=10_000, walks=64, walk_batches=5, rounds=20, episodes=16, width=8, perimeter=100)
    learner = Learner(puzzle, config, 0)
    states = puzzle.random_states(sample_seeds(rng, 100))
    truth = ExactTable(puzzle).distance(states)

    def optimal():
        found = beam(puzzle, states, learner.agent().cost_to_go, width=8, max_steps=60)
        return np.mean([solved and len(moves) == d for solved, moves, d in zip(found.solved, found.moves, truth, strict=True)])

    untrained = optimal()
    for _ in range(config.walk_batches):
        learner.iterate()
    after_walks = optimal()
    while learner.done < learner.total:
        metrics = learner.iterate()
    assert untrained < 0.1 and after_walks > untrained + 0.1
    assert optimal() > max(0.85, after_walks) and metrics["solved"] == 1 and metrics["start_depth"] == 0


def test_threads_make_no_difference():
    before, found = get_num_threads(), []
    try:
        for threads in (1, 3):
            set_num_threads(threads)
            learner = Learner(SlidingTile(3, 3), replace(SMALL, episodes=8, width=64), 5)
            while learner.done < learner.total:
                learner.iterate()
            found.append(learner.weights)
    finally:
        set_num_threads(before)
    assert found[0].any() and np.array_equal(*found)


@pytest.mark.parametrize("name", [entry.examples[0] for entry in PUZZLES.values()])
def test_every_puzzle_of_the_registry_can_be_learnt(name, tmp_path):
    puzzle = puzzle_from_name(name)
    learner = Learner(puzzle, SMALL, 0)
    metrics = [learner.iterate() for _ in range(learner.total)]
    assert all(np.isfinite(list(each.values())).all() for each in metrics)
    agent = learner.agent()
    assert np.count_nonzero(agent.weights) > min(20, agent.weights.size // 2)  # there may be two for each entry
    if puzzle.state_size > 90:  # to load it takes seconds, and is nothing new
        return
    files.save(tmp_path / "checkpoints" / "000000000001.npz", agents.describe(agent), agent.arrays())
    states = puzzle.walk(np.arange(20, dtype=np.uint64), np.arange(20))
    np.testing.assert_array_equal(agents.load(tmp_path).cost_to_go(states), agent.cost_to_go(states))


def test_tuples_and_weights_that_do_not_fit_are_refused(rng):
    puzzle = SlidingTile(2, 2)
    for tuples, fault in (([[0, 0]], "different entries"), ([[0, 99]], "0..7"), ([], "1 to 1,000, got 0")):
        with pytest.raises(ValueError, match=fault):
            GeneralNTuple(puzzle, tuples, 1.0)
    with pytest.raises(ValueError, match="16 int8 weights, got float64"):
        GeneralNTuple(puzzle, [[0, 1]], 1.0, 1.0, np.zeros(16))
