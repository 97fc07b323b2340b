"""The optimal solver: coordinates, lower bounds against published counts, solutions against breadth-first search; the bench."""

import json
import sys
from functools import partial

import numpy as np
import pytest

from benchmarks import reid
from results.strata import stratum, undo
from rubiks_gym.exact import ExactTable, bench, cosets
from rubiks_gym.exact.bench import FARTHEST, POSITIONS
from rubiks_gym.exact.optimal import OptimalSolver, certify
from rubiks_gym.puzzles import Rubik2x2, Rubik3x3, are_solutions, sample_seeds, set_num_threads
from rubiks_gym.puzzles.threads import get_num_threads
from rubiks_gym.search import Budget, Perimeter, Solutions, beam, certified

# Cosets of <U, D, R2, F2, L2, B2> by their distance in half turns (Kociemba, "The two-phase algorithm")
HALF_TURNS = [1, 4, 50, 592, 7156, 87236, 1043817, 12070278, 124946368, 821605960, 1199128738, 58202444, 476]


@pytest.fixture(scope="module", params=["qtm", "htm"])
def solver(request):
    return OptimalSolver(Rubik3x3(request.param))


def random_states(cube, n, seed=0):
    return cube.random_states(sample_seeds(np.random.default_rng(seed), n))


def walk_ends(cube, depth, n, seed=0):
    return cube.walk(sample_seeds(np.random.default_rng(seed), n), np.full(n, depth))


def random_moves(cube, n, seed=0):
    return np.random.default_rng(seed).integers(cube.n_actions, size=n).tolist()


def test_every_coordinate_has_a_state_and_every_state_its_coordinates():
    slices = np.arange(cosets.PLACES * cosets.ORDERS)
    flips = slices % cosets.FLIPS
    assert (cosets.twist_of(cosets.with_twist(np.arange(cosets.TWISTS))) == np.arange(cosets.TWISTS)).all()
    edges = cosets.with_edges(flips, slices)
    assert (cosets.slice_of(edges) == slices).all() and (cosets.flip_of(edges) == flips).all()


def test_moving_a_cube_moves_its_coordinates_on_every_axis(solver):
    cube, c = solver.cube, solver.table.coordinates
    states, actions = random_states(cube, 200), np.arange(200) % cube.n_actions
    after = cube.apply(states, actions)
    for axis, rotation in enumerate(c.rotations):
        before, moved = (cube.symmetries(s)[:, rotation] for s in (states, after))
        by = c.axes[axis, actions]
        assert (c.twist_moves[cosets.twist_of(before), by] == cosets.twist_of(moved)).all()
        assert (c.flip_moves[cosets.flip_of(before), by] == cosets.flip_of(moved)).all()
        assert (c.slice_moves[cosets.slice_of(before), by] == cosets.slice_of(moved)).all()


def test_cosets_are_as_many_at_each_distance_as_published():
    table = OptimalSolver(Rubik3x3("htm")).table
    weights = 16 // np.array([bin(s).count("1") for s in table.coordinates.stabilisers])  # flips and places that a class has
    pages = table.coarse.reshape(len(weights), -1)
    entries = np.stack([pages & 15, pages >> 4], axis=2).reshape(len(pages), -1)[:, : cosets.TWISTS]
    assert len(weights) == 64430
    assert [int(((entries == d).sum(axis=1) * weights).sum()) for d in range(len(HALF_TURNS) + 1)] == [*HALF_TURNS, 0]


def cosets_by_breadth_first_search(c, depth):
    """Twist, flip and slice [n, 3] of every coset up to a depth, and the depth of each [n]."""
    goal = (c.goal[0] * cosets.FLIPS + c.goal[1]) * cosets.PLACES * cosets.ORDERS + c.goal[2]
    layers = [np.array([goal])]
    for _ in range(depth):
        flip_slice, twist, slices = layers[-1] // 11880, layers[-1] // 11880 // cosets.FLIPS, layers[-1] % 11880
        flip = flip_slice % cosets.FLIPS
        after = (c.twist_moves[twist].astype(np.int64) * cosets.FLIPS + c.flip_moves[flip]) * 11880 + c.slice_moves[slices]
        layers.append(np.setdiff1d(after, np.concatenate(layers[-2:])))
    codes = np.concatenate(layers)
    depths = np.repeat(np.arange(depth + 1), [len(layer) for layer in layers])
    return np.stack([codes // 11880 // cosets.FLIPS, codes // 11880 % cosets.FLIPS, codes % 11880], axis=1), depths


def test_the_fine_table_has_what_breadth_first_search_finds_and_proves_the_same(solver):
    c, base = solver.table.coordinates, 2
    pages = cosets.build_fine(c, base)
    fine = pages.reshape(-1)
    coordinates, depths = cosets_by_breadth_first_search(c, base + 2)
    code = c.class_of[coordinates[:, 1] * cosets.PLACES + coordinates[:, 2] // cosets.ORDERS].astype(np.int64)
    at = code // 16 * cosets.ORDERS + c.order_images[coordinates[:, 2], code % 16]
    at = at * cosets.TWISTS + c.twist_images[coordinates[:, 0], code % 16]
    assert (fine[at // 4] >> at % 4 * 2 & 3 == np.maximum(depths - base, 0)).all()
    assert len(np.unique(at)) == sum((page >> 2 * k & 3 != 3).sum() for page in pages if page.min() < 255 for k in range(4))
    finer = OptimalSolver(solver.cube)
    finer.table = solver.table._replace(fine=fine, base=base)
    states = walk_ends(solver.cube, 6, 10)
    near, far = finer.solve(states), solver.solve(states)
    assert near.lower.tolist() == far.lower.tolist() and near.nodes.tolist() != far.nodes.tolist()


def test_lower_bounds_never_exceed_the_distance_and_images_have_the_same(solver):
    perimeter = Perimeter(solver.cube, 5)
    states = perimeter.table.states[: len(perimeter.table) : 300]
    bounds = solver.bounds(states)
    assert (bounds <= perimeter.distance(states)).all() and bounds.max() == 5
    state = random_states(solver.cube, 1)[0]
    images = np.concatenate([solver.cube.symmetries(s[None])[0] for s in (state, solver.cube.inverse(state[None])[0])])
    assert len(set(solver.bounds(images).tolist())) == 1


def test_coordinates_summed_over_pieces_are_those_of_the_cube_turned_upright(solver):
    cube, c = solver.cube, solver.table.coordinates
    states = random_states(cube, 100)
    coordinates, distances = solver.locate(states)
    for axis, rotation in enumerate(c.rotations):
        upright = cube.symmetries(states)[:, rotation]
        for k, coordinate in enumerate((cosets.twist_of, cosets.flip_of, cosets.slice_of)):
            assert (coordinates[:, axis, k] == coordinate(upright)).all()
    at = c.class_of[coordinates[:, 0, 1].astype(np.int64) * cosets.PLACES + coordinates[:, 0, 2] // cosets.ORDERS]
    page, twist = at // 16, c.twist_images[coordinates[:, 0, 0], at % 16]
    assert (solver.table.coarse.reshape(len(c.members), -1)[page, twist // 2] >> twist % 2 * 4 & 15 == distances[:, 0]).all()


def test_solutions_of_near_states_are_as_short_as_breadth_first_search_finds_them(solver):
    perimeter = Perimeter(solver.cube, 5)
    states = np.concatenate([solver.cube.goal[None], perimeter.table.states[: len(perimeter.table) : 1500]])
    proof = solver.solve(states)
    assert proof.proven.all() and (proof.upper == perimeter.distance(states)).all() and (proof.lower == proof.upper).all()
    for state, moves in zip(states, proof.moves, strict=True):
        assert solver.cube.is_solved(solver.cube.after(moves, state)[None])[0]


def test_prefixes_of_the_farthest_position_are_as_far_as_they_are_long():
    solver = OptimalSolver(Rubik3x3("qtm"))
    moves = solver.cube.parse(FARTHEST)
    states = np.stack([solver.cube.after(moves[:q]) for q in range(1, 13)])
    assert solver.distance(states).tolist() == list(range(1, 13))


def test_a_known_solution_is_kept_if_it_is_optimal_and_improved_if_not(solver):
    cube = solver.cube
    state = cube.after("R U F")
    short, long = cube.parse("F' U' R'"), cube.parse("F' U' R' L L'")
    for known in (short, long):
        proof = solver.solve(state[None], [known])
        assert proof.proven[0] and len(proof.moves[0]) == 3
    with pytest.raises(ValueError, match="no solution of state 0: R"):
        solver.solve(state[None], [cube.parse("R")])


def test_the_one_state_of_many_that_has_a_short_solution_is_found(solver):
    states, near = random_states(solver.cube, 3000), walk_ends(solver.cube, 10, 8, seed=1)
    states = states[solver.bounds(states) <= 10][:100]  # so that each has to be searched
    node, distances = np.zeros(len(states), np.int64), solver.distance(near)
    assert len(states) > 16 and solver.first(states, node, 10, float("inf"), float("inf"))[0] == -1
    for i, (state, distance) in enumerate(zip(near, distances, strict=True)):
        some = states.copy()
        some[i * len(states) // 8] = state
        row, moves, _ = solver.first(some, node, int(distance), float("inf"), float("inf"))
        assert row == i * len(states) // 8 and len(moves) == distance
        assert solver.cube.is_solved(solver.cube.after(moves, state)[None])[0]


def test_certificates_name_what_a_solution_is_and_wrong_ones_cost_nothing(solver):
    cube = solver.cube
    state, far = cube.after("R U F"), random_states(cube, 1)[0]
    solutions = [cube.parse(text) for text in ("F' U' R'", "F' U' R' L L'", "R", "R")]
    verdicts, proof = certify(solver, np.stack([state, state, state, far]), solutions)
    assert verdicts == ["optimal", "improvable", "wrong", "wrong"]
    assert len(proof.moves[1]) == 3 and proof.moves[2:] == [None, None] and not proof.nodes[2:].any()
    there = random_moves(cube, 30)
    back = cube.inverse_action[there[::-1]].tolist()
    assert certify(solver, cube.after(there)[None], [back], nodes=1000)[0] == ["unknown"]


def test_symmetric_positions_are_as_far_as_is_known(solver):
    cube = solver.cube
    for name, ways in POSITIONS.items():
        there = cube.parse(ways[cube.metric])
        state = cube.after(there)
        assert (Rubik3x3("qtm").after(ways["qtm"]) == state).all(), name
        if len(there) <= 12:
            assert solver.distance(state[None]).tolist() == [len(there)], name
    superflip = cube.goal + np.repeat([0, 1], [8, 12])
    assert (cube.after(POSITIONS["superflip"][cube.metric]) == superflip).all()
    assert [len(ways.split()) for ways in POSITIONS["superflip"].values()] == [24, 20]


def test_images_of_one_another_are_searched_once(solver):
    unlimited = (float("inf"), float("inf"))
    # All 48 symmetries leave the superflip as it is, and it is its own inverse.
    superflip = solver.cube.after(POSITIONS["superflip"][solver.cube.metric])
    limit = 18 if solver.cube.metric == "qtm" else 16
    found, nodes = solver.refute(superflip, limit, *unlimited)
    assert found == [] and nodes < 2_000_000  # another cube takes several times as many
    there = solver.cube.parse(POSITIONS["four spots"][solver.cube.metric])
    spots, distance = solver.cube.after(there), len(there)  # 16 symmetries
    (moves,), _ = solver.refute(spots, distance, *unlimited)
    assert are_solutions(solver.cube, spots[None], [moves]).all()
    assert solver.refute(spots, distance - solver.step, *unlimited)[0] == []


def test_out_of_time_or_nodes_bounds_are_returned(solver):
    state = random_states(solver.cube, 1, seed=3)
    for budget in ({"seconds": 0.3}, {"nodes": 2_000}):
        proof = solver.solve(state, **budget)
        assert not proof.proven[0] and proof.upper[0] == -1 and proof.moves[0] is None
        assert 8 <= proof.lower[0] <= 26 and proof.seconds[0] < 20


def test_the_solution_does_not_depend_on_the_number_of_threads(solver):
    states, before = walk_ends(solver.cube, 9, 6), get_num_threads()
    found = []
    try:
        for threads in (1, 3):
            set_num_threads(threads)
            proof = solver.solve(states)
            found.append((proof.moves, proof.nodes.tolist()))
    finally:
        set_num_threads(before)
    assert found[0] == found[1]


def test_other_puzzles_are_refused():
    with pytest.raises(ValueError, match="for the 3x3x3, not for rubik2x2-qtm"):
        OptimalSolver(Rubik2x2())


def test_nodes_run_out_at_the_same_place_on_any_number_of_threads(solver):
    states, before = random_states(solver.cube, 2, seed=5), get_num_threads()
    found = []
    try:
        for threads in (1, 3):
            set_num_threads(threads)
            proof = solver.solve(states, nodes=30_000)
            found.append((proof.moves, proof.lower.tolist(), proof.nodes.tolist()))
    finally:
        set_num_threads(before)
    assert found[0] == found[1] and all(n >= 30_000 for n in found[0][2])


# Beams with an exact tail -------------------------------------------------------------------------------------------------


NOTHING = Solutions([[]], np.zeros(1, bool), np.zeros(1, np.int64), np.zeros(1), np.zeros(1, np.int64))


def misplaced(states):
    return (states != Rubik3x3().goal).sum(axis=1) / 2


def test_a_beam_with_a_tail_is_optimal_where_the_tail_reaches(solver):
    perimeter = Perimeter(solver.cube, 5)
    states = perimeter.table.states[1 : len(perimeter.table) : 4000]
    for tail in (3, 8):  # whole layers are kept before the shorter one begins
        found = beam(solver.cube, states, misplaced, width=10**5, tail=tail)
        assert [len(moves) for moves in found.moves] == perimeter.distance(states).tolist()
        assert found.solved.all() and (found.nodes > 0).all()


def test_a_tail_looks_for_solutions_of_the_lengths_asked_for_and_for_no_others(solver):
    states, step = walk_ends(solver.cube, 8, 6), solver.step
    distances = solver.distance(states)
    search = partial(beam, solver.cube, states, misplaced, width=2000, tail=8)
    exactly = search(at_least=distances, at_most=distances)
    assert exactly.solved.all() and [len(moves) for moves in exactly.moves] == distances.tolist()
    assert not search(at_most=distances - 1).solved.any()
    longer = search(at_least=distances + 1, at_most=distances + step)  # in quarter turns the next length that is possible
    excess = np.array([len(moves) for moves in longer.moves]) - distances
    assert (excess[longer.solved] == step).all() if step == 2 else (excess[longer.solved] <= step).all()


def test_the_tail_of_a_beam_does_not_depend_on_the_number_of_threads(solver):
    states, before = walk_ends(solver.cube, 10, 3), get_num_threads()
    found = []
    try:
        for threads in (1, 3):
            set_num_threads(threads)
            tried = beam(solver.cube, states, misplaced, width=500, max_steps=12, tail=7)
            found.append((tried.moves, tried.solved.tolist(), tried.nodes.tolist()))
    finally:
        set_num_threads(before)
    assert found[0] == found[1]


def test_certified_solutions_are_proven_or_bounded(solver):
    states = walk_ends(solver.cube, 9, 4)
    found = certified(solver.cube, states, misplaced, width=1000)
    assert found.proven.all() and [len(moves) for moves in found.moves] == solver.distance(states).tolist()
    far = random_states(solver.cube, 2)
    short = certified(solver.cube, far, misplaced, width=100, budget=Budget(nodes=20_000))
    assert not short.proven.any() and (short.lower >= 8).all() and (short.nodes < 200_000).all()


def test_certified_looks_for_the_one_length_left_with_wider_beams_before_an_exact_search(solver, monkeypatch):
    state = walk_ends(solver.cube, 9, 1)
    distance, widths = int(solver.distance(state)[0]), []

    def blind(search, puzzle, states, *, width, at_least, at_most, **options):  # finds something only if it is wide
        widths.append((width, int(at_least[0]), float(at_most[0])))
        found = beam(puzzle, states, misplaced, width=width, tail=7, at_least=at_least, at_most=at_most)
        return found if width >= 1600 else NOTHING

    module = sys.modules["rubiks_gym.search.certified"]  # the package has a function of that name
    monkeypatch.setattr(module, "both_ways", blind)
    monkeypatch.setattr(module, "_PER_WIDTH", 0)  # any beam is cheap
    found = certified(solver.cube, state, misplaced, width=100, widest=1600, deepest=distance - 1)
    assert found.proven.all() and len(found.moves[0]) == distance  # the exact search may not do it
    assert widths[0] == (100, int(solver.least(state[0])), np.inf)
    assert widths[-1] == (1600, distance, distance) and (400, distance, distance) in widths


def test_certified_solutions_of_small_puzzles_are_those_of_the_table():
    cube = Rubik2x2()
    states = cube.random_states(np.arange(20, dtype=np.uint64))
    found = certified(cube, states, lambda states: np.zeros(len(states)), width=3)
    assert found.proven.all() and found.lower.tolist() == ExactTable(cube).distance(states).tolist()


# The bench ----------------------------------------------------------------------------------------------------------------


def test_known_lengths_of_the_bench_are_those_of_solutions_of_its_cubes():
    facelets = bench.facelets()
    assert len(set(facelets)) == 1000 and facelets[0].startswith("BUDRUDFFFDBRURBRFLULLUFRBDB")  # the seed is published
    for metric in bench.METRICS:
        cube, states = Rubik3x3(metric), bench.cubes()
        for number, line in bench.known(metric).items():
            assert line["start"] == facelets[number] and line["proven"] == (line["lower"] == line["upper"])
            assert line["upper"] == len(line["moves"].split())
            assert are_solutions(cube, states[number][None], [cube.parse(line["moves"])])[0]


def test_anybodys_results_are_replayed_and_compared(tmp_path, monkeypatch):
    cube, states = Rubik3x3(), bench.cubes()
    solutions = ["R " * 4 + "R'", "U"]
    monkeypatch.setattr(bench, "cubes", lambda: np.concatenate([np.stack([cube.after("R"), cube.after("U U")]), states[2:]]))
    (tmp_path / "qtm.jsonl").write_text('{"cube": 0, "proven": true, "lower": 1, "upper": 1}\n')
    monkeypatch.setattr(bench, "FOLDER", tmp_path)
    mine = tmp_path / "mine.jsonl"
    mine.write_text("".join(json.dumps({"cube": i, "moves": moves}) + "\n" for i, moves in enumerate(solutions)))
    text = bench.validate(mine, "qtm")
    assert "1 of 2 cubes solved, 5.000 quarter turns" in text and "of the 1 whose" in text and "excess over it 4.000" in text
    faults = {
        "nonsense": "JSON object on every line",
        '{"cube": 1000, "moves": ""}': "a line must be",
        '{"cube": 1, "moves": "U U"}\n' * 2: "more than one line",
        '{"cube": 0, "moves": "X"}': "cannot read 'X'",
    }
    for bad, fault in faults.items():
        mine.write_text(bad)
        with pytest.raises(ValueError, match=fault):
            bench.validate(mine, "qtm")


# An independent program ---------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not reid.installed(), reason="Debian's package rubiks, Reid's program, is not installed")
def test_reids_program_finds_the_same_lengths():
    cube = Rubik3x3()
    states = np.concatenate([walk_ends(cube, depth, 3, seed=depth) for depth in range(8, 15)])
    assert reid.lengths(cube, states) == OptimalSolver(cube).distance(states).tolist()


@pytest.mark.parametrize("metric", bench.METRICS)
def test_strata_are_cubes_of_every_distance_and_their_solutions_are_that_long(metric):
    cube = Rubik3x3(metric)
    states, distances = bench.strata(metric)
    cube.check(states)
    counts = np.bincount(distances)
    assert (
        counts[0] == 1 and counts[1] == min(bench.PER_DISTANCE, cube.n_actions) and (counts[2:17] == bench.PER_DISTANCE).all()
    )
    assert counts.max() == bench.PER_DISTANCE and len(np.unique(states, axis=0)) == len(states)
    near = distances <= 5
    assert (Perimeter(cube, 5).distance(states[near]) == distances[near]).all()


def test_a_stratum_holds_states_that_are_exactly_so_far():
    solver = OptimalSolver(Rubik3x3("htm"), memory=1 << 25)
    walks = solver.cube.canonical_walks(np.arange(30, dtype=np.uint64), 4)
    for walk in walks:
        assert are_solutions(solver.cube, walk[-1:], [undo(solver.cube, walk)])[0]
    lines = [json.loads(line) for line in stratum(solver, 2)]
    states = np.stack([solver.cube.from_facelets(line["start"]) for line in lines])
    assert len(lines) == bench.PER_DISTANCE and (Perimeter(solver.cube, 2).distance(states) == 2).all()


def test_a_stored_table_of_another_size_is_built_anew_and_one_that_is_no_lower_bound_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("RUBIKS_GYM_CACHE", str(tmp_path))
    cube, built = Rubik3x3(), []

    def build(c, show, value=0):
        built.append(value)
        return np.full((len(c.members), -(-cosets.TWISTS // 2)), value, np.uint8)

    for number in range(3):
        monkeypatch.setattr(cosets, "_in_process", {})
        monkeypatch.setattr(cosets, "build_coarse", build)
        OptimalSolver(cube)
        (file,) = tmp_path.glob("bounds-*")
        state, arrays = cosets.files.load(file)
        assert arrays["distances"].shape == (len(cosets.make_coordinates(cube).members), -(-cosets.TWISTS // 2))
        smaller = arrays["distances"][:1] if number == 0 else arrays["distances"].astype(np.int8)
        cosets.files.save(file, state, {"distances": smaller})
    assert built == [0, 0, 0]
    monkeypatch.setattr(cosets, "_in_process", {})
    cosets.files.save(file, state, {"distances": np.full_like(arrays["distances"], 255)})
    with pytest.raises(ValueError, match="a stored table of lower bounds is wrong: remove the files bounds-"):
        OptimalSolver(cube)
