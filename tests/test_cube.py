"""The cubes against mathematics: group orders, commutators, layer counts, symmetries; notation and facelets."""

import kociemba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubiks_gym.exact import ExactTable
from rubiks_gym.puzzles import Rubik2x2, Rubik3x3, sample_seeds
from rubiks_gym.puzzles.geometry import FACES, cube_geometry, signed_permutations

CUBES = [Rubik2x2("qtm"), Rubik2x2("htm"), Rubik3x3("qtm"), Rubik3x3("htm")]

SUPERFLIP = "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2"  # its 20 half-turn moves, published in 1995
AT_DISTANCE_26 = "D' D' L R D' L R' D U' R' U' U' L' R' B F U' F' F' L' R U' U' F' U' U'"


def order(cube, moves):
    """How often a sequence has to be repeated to come back to the goal."""
    state, n = cube.after(moves), 1
    while not cube.is_solved(state[None])[0]:
        state, n = cube.after(moves, state), n + 1
    return n


@pytest.mark.parametrize(
    ("moves", "expected"),
    [("R", 4), ("R2", 2), ("R U", 105), ("R U'", 63), ("R U R' U'", 6), ("R2 U2", 6), ("R U2 D' B D'", 1260), (SUPERFLIP, 2)],
)
def test_orders_of_known_sequences_on_the_3x3x3(moves, expected):
    assert order(Rubik3x3("htm"), moves) == expected


@pytest.mark.parametrize(("moves", "expected"), [("R", 4), ("R U", 15), ("R U R' U'", 6), ("R2 U2", 3)])
def test_orders_of_known_sequences_on_the_2x2x2(moves, expected):
    assert order(Rubik2x2(), moves) == expected


def test_superflip_flips_every_edge_in_its_place_and_nothing_else():
    cube = Rubik3x3("htm")
    state = cube.after(SUPERFLIP)
    assert (state[:8] == cube.goal[:8]).all()
    assert (state[8:] == cube.goal[8:] + 1).all()
    assert (cube.inverse(state[None]) == state).all()
    assert (cube.symmetries(state[None]) == state).all()


def test_six_fold_commutator_moves_three_edges_and_twists_corners():
    # R U R' U' exchanges two pairs of corners and cycles three edges: 4 + 3 pieces move, the others stay.
    cube = Rubik3x3()
    assert (cube.after("R U R' U'") != cube.goal).sum() == 7


def test_opposite_faces_commute_and_neighbours_do_not():
    cube = Rubik3x3()
    for a, b in ("UD", "RL", "FB"):
        assert (cube.after(f"{a} {b}") == cube.after(f"{b} {a}")).all()
    for a, b in ("UR", "FU", "RB", "DL"):
        assert (cube.after(f"{a} {b}") != cube.after(f"{b} {a}")).any()


def layers(cube, depth):
    """Number of states at each distance, by breadth-first search over packed states."""
    seen = [np.unique(cube.pack(cube.goal[None]), axis=0)]
    for _ in range(depth):
        children = cube.pack(cube.expand(cube.unpack(seen[-1])).reshape(-1, cube.state_size))
        # Sorting single integers is many times faster than sorting rows.
        keys = np.unique(np.ascontiguousarray(children).view([("", np.uint64)] * children.shape[1]).ravel())
        for older in seen[-2:]:  # a child is at most one layer further out or back
            keys = np.setdiff1d(keys, older.view(keys.dtype).ravel(), assume_unique=True)
        seen.append(keys.view(np.uint64).reshape(-1, children.shape[1]))
    return [len(layer) for layer in seen]


def test_layer_counts_of_the_3x3x3_in_quarter_turns():
    assert layers(Rubik3x3("qtm"), 6) == [1, 12, 114, 1068, 10011, 93840, 878880]


def test_layer_counts_of_the_3x3x3_in_half_turns():
    assert layers(Rubik3x3("htm"), 5) == [1, 18, 243, 3240, 43239, 574908]


def test_half_turns_are_two_quarter_turns():
    for kind in (Rubik2x2, Rubik3x3):
        quarter, half = kind("qtm"), kind("htm")
        assert half.action_names[: quarter.n_actions] == quarter.action_names
        for face in FACES[: half.n_actions // 3]:
            assert (half.after(f"{face}2") == quarter.after(f"{face} {face}")).all()


@pytest.mark.parametrize("cube", CUBES, ids=repr)
def test_symmetric_images_of_a_move_are_moves_of_the_image(cube, rng):
    states = cube.random_states(sample_seeds(rng, 50))
    images, actions = cube.symmetries(states), cube.symmetric_actions(states)
    assert (images[:, 0] == states).all()
    for action in range(cube.n_actions):
        after = cube.symmetries(cube.apply(states, np.full(50, action)))
        for m in range(48):
            assert (cube.apply(images[:, m], actions[:, m, action]) == after[:, m]).all()


@pytest.mark.parametrize("cube", CUBES, ids=repr)
def test_symmetries_permute_the_states_at_each_distance(cube):
    children = cube.expand(cube.goal[None])[0]
    keys = {state.tobytes() for state in children}
    for m in range(48):
        images = cube.symmetries(children)[:, m]
        assert {image.tobytes() for image in images} == keys


def test_a_rotation_relabels_the_faces_of_a_sequence():
    # Turning the whole cube by y (as U turns) shows R where B was: F R U becomes what the rotated names say.
    cube = Rubik3x3()
    state = cube.after("F R U")[None]
    images = {image.tobytes() for image in cube.symmetries(state)[0, :24]}
    assert cube.after("R B U").tobytes() in images
    mirrored = {image.tobytes() for image in cube.symmetries(state)[0, 24:]}
    assert cube.after("F' L' U'").tobytes() in mirrored  # left and right exchanged: every turn goes the other way


@pytest.mark.parametrize("cube", CUBES, ids=repr)
def test_inverse_state_is_solved_by_the_moves_that_made_the_state(cube, rng):
    for _ in range(20):
        moves = rng.integers(0, cube.n_actions, 15)
        inverse = cube.inverse(cube.after(moves)[None])
        assert cube.is_solved(cube.after(moves, inverse)[None])[0]


@pytest.mark.parametrize("cube", CUBES, ids=repr)
def test_composed_and_relative_states_are_what_the_moves_between_them_say(cube, rng):
    for _ in range(20):
        first, second = rng.integers(0, cube.n_actions, (2, 15))
        state, moved = cube.after(first), cube.after(second)
        assert (cube.compose(state[None], moved[None])[0] == cube.after(second, state)).all()
        assert (cube.relative(state[None], cube.after(second, state)[None])[0] == moved).all()
    states = cube.random_states(sample_seeds(rng, 50))
    assert cube.is_solved(cube.relative(states, states)).all()
    goals = np.tile(cube.goal, (50, 1))
    assert (cube.relative(states, goals) == cube.inverse(states)).all()
    with pytest.raises(ValueError, match="as many states"):
        cube.compose(states, goals[:3])


def test_there_are_48_different_symmetries_24_of_them_rotations():
    matrices = signed_permutations()
    assert len({m.tobytes() for m in matrices}) == 48
    assert [round(np.linalg.det(m)) for m in matrices] == [1] * 24 + [-1] * 24
    assert (matrices[0] == np.eye(3)).all()


def test_every_turn_is_a_permutation_that_moves_one_layer():
    for size, moved in ((2, 12), (3, 20)):
        geometry = cube_geometry(size)
        for turn in geometry.turns.reshape(18, -1):
            assert sorted(turn) == list(range(len(turn)))
            assert (turn != np.arange(len(turn))).sum() == moved


# Strangers -----------------------------------------------------------------------------------------------------------


def test_a_strangers_solver_solves_our_states_and_its_solutions_work_here(rng):
    cube = Rubik3x3("htm")
    states = cube.random_states(sample_seeds(rng, 150))
    for state in states:
        solution = kociemba.solve(cube.facelets(state))
        assert cube.is_solved(cube.after(solution, state)[None])[0]


def test_known_picture_of_a_known_scramble():
    # The facelets after R U R' U' as printed by other programs.
    assert Rubik3x3().facelets(Rubik3x3().after("R U R' U'")) == "UULUUFUUFRRUBRRURRFFDFFUFFFDDRDDDDDDBLLLLLLLLBRRBBBBBB"


# Facelets ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cube", CUBES, ids=repr)
def test_facelets_read_back_in_all_24_orientations(cube, rng):
    rotations = cube.geometry.facelet_symmetries[:24]
    for state in cube.random_states(sample_seeds(rng, 10)):
        letters = np.array(list(cube.facelets(state)))
        for rotation in rotations:
            held = np.empty_like(letters)
            held[rotation] = letters
            assert (cube.from_facelets("".join(held)) == state).all()


@pytest.mark.parametrize("cube", CUBES[::2], ids=repr)
def test_a_mirrored_cube_is_refused(cube):
    letters = np.array(list(cube.facelets(cube.after("R U F"))))
    held = np.empty_like(letters)
    held[cube.geometry.facelet_symmetries[30]] = letters
    with pytest.raises(ValueError, match="impossible cube"):
        cube.from_facelets("".join(held))


def with_swapped(text, *pairs):
    letters = list(text)
    for i, j in pairs:
        letters[i], letters[j] = letters[j], letters[i]
    return "".join(letters)


SOLVED = Rubik3x3().facelets(Rubik3x3().goal)
U, R, F, D, L, B = (9 * i for i in range(6))


@pytest.mark.parametrize(
    ("facelets", "fault"),
    [
        (SOLVED[:-1], "54 letters, got 53"),
        (SOLVED.replace("B", "X"), "'X'"),
        (SOLVED.replace("U", "D"), "wrong colour count: U appears 0 times"),
        ("R" + SOLVED[1:], "wrong colour count"),
        (with_swapped(SOLVED, (U + 8, R), (R, F + 2)), "twisted corner"),
        (with_swapped(SOLVED, (U + 7, F + 1)), "flipped edge"),
        (with_swapped(SOLVED, (R + 1, F + 1)), "swapped pair"),
        (with_swapped(SOLVED, (U + 4, D + 4)), "centres"),
        (with_swapped(SOLVED, (U + 4, U + 8), (F, U + 4)), "centres"),
        (with_swapped(SOLVED, (R, F + 2)), "mirror image"),
        (with_swapped(SOLVED, (U + 8, D + 8)), "mirror image"),
        (with_swapped(SOLVED, (U + 8, L)), "corner with the colours LRF does not exist"),
        (with_swapped(SOLVED, (U + 5, L + 1)), "edge with the colours LR does not exist"),
        (54, "must be a string"),
    ],
)
def test_each_impossible_3x3x3_is_refused_by_name(facelets, fault):
    with pytest.raises(ValueError, match=fault):
        Rubik3x3().from_facelets(facelets)


def test_a_piece_that_appears_twice_is_named():
    cube = Rubik3x3()
    # The edge UR is painted like a second UF, and the edges DF and DR are repainted to keep the colour counts.
    letters = list(SOLVED)
    letters[R + 1], letters[F + 7] = "F", "R"
    with pytest.raises(ValueError, match="appears twice"):
        cube.from_facelets("".join(letters))


def test_each_impossible_2x2x2_is_refused_by_name():
    cube = Rubik2x2()
    solved = cube.facelets(cube.goal)
    with pytest.raises(ValueError, match="twisted corner"):
        cube.from_facelets(with_swapped(solved, (3, 4), (4, 9)))
    with pytest.raises(ValueError, match="no corner has the colours D, L and B"):
        cube.from_facelets(with_swapped(solved, (14, 3)))
    with pytest.raises(ValueError, match="24 letters, got 54"):
        cube.from_facelets(SOLVED)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda s: s.__setitem__(0, s[0] + 1), "twisted corner"),
        (lambda s: s.__setitem__(10, s[10] ^ 1), "flipped edge"),
        (lambda s: s.__setitem__([0, 1], s[[1, 0]]), "swapped pair"),
        (lambda s: s.__setitem__(0, s[1]), "two corners in one place"),
        (lambda s: s.__setitem__(9, s[8]), "two edges in one place"),
        (lambda s: s.__setitem__(0, 30), "no corner can"),
        (lambda s: s.__setitem__(0, 200), "values below 48"),
    ],
)
def test_each_impossible_state_is_refused_by_name(change, fault):
    cube = Rubik3x3()
    state = cube.goal.copy()
    change(state)
    with pytest.raises(ValueError, match=fault):
        cube.check(state)


# Notation ------------------------------------------------------------------------------------------------------------


def test_notation_is_read_with_and_without_spaces_and_with_any_prime():
    cube = Rubik3x3("htm")
    expected = [cube.action_names.index(turn) for turn in ("R", "U'", "F2", "F2")]
    assert cube.parse("R U' F2 F2'") == cube.parse("RU’F2F2′") == cube.parse("  R\tU'\nF2F2 ") == expected  # noqa: RUF001


def test_half_turns_become_two_quarter_turns_where_those_are_the_moves():
    cube = Rubik3x3("qtm")
    assert cube.format(cube.parse("R2 U'")) == "R R U'"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("R Q", "'Q' at position 2"),
        ("x R", "rotations"),
        ("M2", "slice"),
        ("r", "lower-case"),
        ("R3", "'3'"),
        ("R''", "position 2"),
        (7, "string"),
    ],
)
def test_malformed_notation_is_refused_by_name(text, fault):
    with pytest.raises(ValueError, match=fault):
        Rubik3x3().parse(text)


def eight_corners_after(text):
    """A stranger's 2x2x2: all eight corners, all six faces, nothing held. Returned as facelet letters."""
    geometry = cube_geometry(2)
    location = np.arange(24)
    for turn in text.split():
        location = geometry.turns[FACES.index(turn[0]), {"": 0, "'": 1, "2": 2}[turn[1:]]][location]
    letters = np.empty(24, "<U1")
    letters[geometry.facelet_of[location]] = [FACES[f] for f in geometry.face_of]
    return "".join(letters)


@given(st.lists(st.tuples(st.sampled_from(FACES), st.sampled_from(["", "'", "2"])), max_size=20))
def test_a_strangers_scramble_of_the_2x2x2_gives_the_strangers_cube(turns):
    text = " ".join(face + suffix for face, suffix in turns)
    for metric in ("qtm", "htm"):
        cube = Rubik2x2(metric)
        assert (cube.after(text) == cube.from_facelets(eight_corners_after(text))).all()


def test_the_published_position_at_distance_26_has_26_quarter_turns():
    assert len(Rubik3x3("qtm").parse(AT_DISTANCE_26)) == 26


@pytest.mark.parametrize(
    "cube", [Rubik3x3("qtm"), Rubik3x3("htm"), Rubik2x2("qtm"), Rubik2x2("htm")], ids=lambda cube: cube.name
)
def test_every_state_near_the_goal_is_reached_by_a_shortest_sequence_in_normal_form(cube):
    states, nodes = cube.goal[None].copy(), np.zeros(1, np.int64)
    seen = {cube.goal.tobytes()}
    for _ in range(4):
        children, after = cube.expand(states), cube.canonical_form[nodes]
        states, nodes = children[after >= 0], after[after >= 0].astype(np.int64)
        layer = {state.tobytes() for state in children.reshape(-1, cube.state_size)} - seen
        canonical = {state.tobytes() for state in states}
        assert layer <= canonical
        seen |= layer


@pytest.mark.parametrize(("metric", "counts"), [("qtm", [12, 114, 1068]), ("htm", [18, 243, 3240])])
def test_short_sequences_in_normal_form_are_as_many_as_the_states_they_lead_to(metric, counts):
    cube = Rubik3x3(metric)
    ways = np.zeros(len(cube.canonical_form), np.int64)
    ways[0] = 1
    for count in counts:
        onwards = np.zeros_like(ways)
        for node, action in zip(*np.nonzero(cube.canonical_form >= 0), strict=True):
            onwards[cube.canonical_form[node, action]] += ways[node]
        ways = onwards
        assert ways.sum() == count


@pytest.mark.parametrize("cube", CUBES, ids=repr)
def test_a_representative_is_the_same_for_the_whole_symmetry_class_and_belongs_to_it(cube, rng):
    states = cube.random_states(sample_seeds(rng, 50))
    images = np.concatenate([cube.symmetries(states), cube.symmetries(cube.inverse(states))], axis=1)
    found = cube.representatives(states)
    assert (cube.representatives(images.reshape(-1, cube.state_size)).reshape(images.shape) == found[:, None]).all()
    assert (images == found[:, None]).all(axis=2).any(axis=1).all()
    assert (cube.representatives(cube.goal[None]) == cube.goal).all()


def test_the_2x2x2_has_as_many_classes_at_each_distance_as_others_have_counted():
    cube = Rubik2x2()
    index = np.unique(cube.index(cube.representatives(cube.from_index(np.arange(cube.n_states)))))
    counts = [1, 1, 3, 4, 13, 35, 126, 398, 1301, 3952, 10_086, 14_658, 8619, 1091, 8]  # Norskog 2007: 40,296 in all
    assert np.bincount(ExactTable(cube).distances[index]).tolist() == counts
