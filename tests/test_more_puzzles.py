"""Larger cubes, other twisty puzzles, boards, rings and files: known counts, known orders, and what is refused."""

import json
import math
import re

import gymnasium as gym
import numpy as np
import pytest

from rubiks_gym.exact import ExactTable
from rubiks_gym.puzzles import (
    LightsOut,
    Megaminx,
    Pancake,
    Permutation,
    PermutationPuzzle,
    Pyraminx,
    Rubik2x2,
    Rubik3x3,
    Rubik4x4,
    Rubik5x5,
    RubikNxN,
    Skewb,
    SlidingTile,
    TopSpin,
    puzzle_from_name,
    sample_seeds,
    solids,
)
from rubiks_gym.puzzles.chain import Chain
from rubiks_gym.puzzles.permutation import one_of_each_piece


def layers(puzzle):
    return np.bincount(ExactTable(puzzle).distances).tolist()


# Twisty puzzles, from their solids ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("puzzle", "known"),
    [  # as published, jaapsch.net/puzzles
        (Pyraminx(), [1, 8, 48, 288, 1728, 9896, 51808, 220111, 480467, 166276, 2457, 32]),
        (Skewb(), [1, 8, 48, 288, 1728, 10248, 59304, 315198, 1225483, 1455856, 81028, 90]),
    ],
    ids=repr,
)
def test_the_pyraminx_and_the_skewb_have_the_published_states(puzzle, known):
    assert puzzle.n_states == puzzle.chain.order == sum(known)
    assert layers(puzzle) == known


def test_the_megaminx_has_the_known_order():
    corners, edges = math.factorial(20) // 2 * 3**19, math.factorial(30) // 2 * 2**29
    assert Megaminx().n_states == corners * edges


@pytest.mark.parametrize(
    ("puzzle", "stickers", "corners", "edges", "centres"),
    [(Pyraminx(), 24, 4, 6, 0), (Skewb(), 30, 8, 0, 6), (Megaminx(), 132, 20, 30, 12)],
    ids=["pyraminx", "skewb", "megaminx"],
)
def test_planes_cut_a_solid_into_its_pieces(puzzle, stickers, corners, edges, centres):
    solid = puzzle.solid
    assert len(solid.polygons) == stickers
    counts = np.bincount(np.bincount(solid.piece_of), minlength=4)
    assert counts[1:].tolist() == [centres, edges, corners]
    for polygon, face in zip(solid.polygons, solid.face_of, strict=True):
        assert np.allclose(polygon @ solid.normals[face], 1)  # it lies in its face, its corners anticlockwise
        assert np.cross(polygon[1] - polygon[0], polygon[2] - polygon[1]) @ solid.normals[face] > 0


@pytest.mark.parametrize("puzzle", [Pyraminx(), Skewb(), Megaminx()], ids=repr)
def test_colours_follow_the_stickers_and_not_only_the_first_of_a_piece(puzzle, rng):
    solid, axes = {"pyraminx": solids.pyraminx, "skewb": solids.skewb, "megaminx": solids.megaminx}[puzzle.name]()
    depth, ways = {"pyraminx": (1 / 3, 3), "skewb": (0, 3), "megaminx": (0.7, 5)}[puzzle.name]
    colours, state = solid.face_of.copy(), puzzle.goal[None]
    for action in rng.integers(0, puzzle.n_actions, 60):
        turn = solid.turn(list(axes.values())[action // 2], depth, 9, ways)
        colours = colours[np.argsort(turn) if action % 2 == 0 else turn]
        state = puzzle.apply(state, np.array([action]))
        assert (puzzle.stickers(state)[0] == colours).all()


def test_a_turn_that_does_not_fit_the_solid_is_refused():
    with pytest.raises(ValueError, match="does not take stickers to stickers"):
        solids.cube(3).turn(np.array([1.0, 0, 0]), 0.4, 2, 5)


# Cubes of any size ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["qtm", "htm"])
@pytest.mark.parametrize("small", [Rubik2x2, Rubik3x3])
def test_the_small_cubes_fall_out_of_the_same_geometry(small, metric, rng):
    cube = small(metric)
    big = RubikNxN(cube.size, metric)
    actions = rng.integers(0, cube.n_actions, 200)
    states, seen = cube.goal[None], big.goal[None]
    for action in actions:
        states = cube.apply(states, np.array([action]))
        seen = big.apply(seen, np.array([big.action_names.index(cube.action_names[action])]))
        assert (cube.stickers(states) == seen).all()
        assert big.facelets(seen[0]) == cube.facelets(states[0])


def test_the_2x2x2_with_a_corner_held_has_its_known_layers():
    big = RubikNxN(2)
    names = ["U", "U'", "R", "R'", "F", "F'"]
    held = PermutationPuzzle("held", big.generators[[big.action_names.index(name) for name in names]], names, goal=big.goal)
    known = [1, 6, 27, 120, 534, 2256, 8969, 33058, 114149]
    states = held.goal[None]
    seen = {held.goal.tobytes()}
    for count in known[1:6]:
        children = np.unique(held.expand(states).reshape(-1, 24), axis=0)
        states = np.array([child for child in children if child.tobytes() not in seen])
        seen |= {child.tobytes() for child in states}
        assert len(states) == count


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_cubes_have_as_many_states_as_their_groups_say(size):
    cube = RubikNxN(size)
    order = Chain(cube.generators, np.arange(cube.state_size)).order  # with all stickers told apart
    centres = [0, 0, 0, 0, 1, 2][size]  # kinds; the four of a colour may be exchanged by even permutations of each kind
    assert order == cube.n_states * (math.factorial(4) ** 6 // 2) ** centres
    known = {2: 24 * 3_674_160, 3: Rubik3x3().n_states, 4: 24 * 7_401_196_841_564_901_869_874_093_974_498_574_336 * 10**9}
    assert cube.n_states == known.get(
        size, 282_870_942_277_741_856_536_180_333_107_150_328_293_127_731_985_672_134_721_536 * 10**15
    )


def test_the_corners_of_larger_cubes_turn_as_those_of_the_smallest(rng):
    small, big = RubikNxN(2), Rubik5x5()
    corner = np.arange(150).reshape(6, 5, 5)[:, ::4, ::4].ravel()
    names = list(rng.choice(small.action_names, 50))
    assert (big.after(" ".join(names))[corner] == small.after(" ".join(names))).all()
    assert (big.after("2U 2R' 2F")[corner] == big.goal[corner]).all()


@pytest.mark.parametrize(
    ("size", "text", "same"),
    [
        (4, "Rw", "R 2R"),
        (4, "3Rw'", "R' 2R' 2L"),
        (4, "4R", "L'"),
        (4, "4Uw2", "U U 2U 2U 2D 2D D D"),
        (5, "Rw2U'", "R R 2R 2R U'"),
        (7, "3Fw 5B", "F 2F 3F 3F'"),
        (4, "R’ 2U", "R' 2U"),  # noqa: RUF001
    ],
)
def test_notation_of_layers(size, text, same):
    cube = RubikNxN(size)
    assert sorted(cube.format(cube.parse(text)).split()) == sorted(same.split())
    assert (cube.after(text) == cube.after(same)).all()


def test_half_turns_are_single_moves_where_there_are_such():
    assert Rubik4x4("htm").format(Rubik4x4("htm").parse("R2' 2U2 Fw")) == "R2 2U2 F 2F"


@pytest.mark.parametrize(
    ("text", "fault"),
    [("3U", "the middle layer holds the centres"), ("7U", "layer 7 of 5; there are no more layers"), ("x", "cannot read 'x'")],
)
def test_moves_that_do_not_exist_are_refused(text, fault):
    with pytest.raises(ValueError, match=fault):
        Rubik5x5().parse(text)
    with pytest.raises(ValueError, match="must be a string"):
        Rubik5x5().parse(5)


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_impossible_cubes_are_refused(size, rng):
    cube = RubikNxN(size)
    around = solids.cube(size).around()
    faulty = cube.random_states(sample_seeds(rng, 20))
    corner = next(ring for ring in around if len(set(ring)) == 3)
    other = next(ring for ring in around if len(set(ring)) == 3 and not set(ring) & set(corner))
    twisted, mirrored, twice = faulty.copy(), faulty.copy(), faulty.copy()
    twisted[:, corner] = twisted[:, np.roll(corner, 1)]
    mirrored[:, corner[:2]] = mirrored[:, corner[1::-1]]
    twice[:, other] = twice[:, corner]
    cube.check(faulty)
    for states, fault in (
        (twisted, "a twisted corner"),
        (mirrored, "has colours that no piece has"),
        (twice, "is there twice"),
    ):
        for state in states:
            with pytest.raises(ValueError, match=fault):
                cube.check(state)
    with pytest.raises(ValueError, match=f"are {6 * size**2} letters URFDLB"):
        cube.from_facelets("URF")
    assert (cube.from_facelets(cube.facelets(faulty[0])) == faulty[0]).all()


def test_a_swapped_pair_shows_on_odd_cubes_and_hides_behind_the_centres_of_even_ones(rng):
    for cube in (RubikNxN(3), Rubik4x4(), Rubik5x5()):
        around = solids.cube(cube.size).around()
        corners = [ring for ring in around if len(set(ring)) == 3]
        first = corners[0]
        other = next(ring for ring in corners if not set(ring) & set(first))
        swapped = cube.goal.copy()
        swapped[first], swapped[other] = cube.goal[other], cube.goal[first]
        if cube.size % 2:
            with pytest.raises(ValueError, match="swapped pair"):
                cube.check(swapped)
        else:
            cube.check(swapped)


# Boards ---------------------------------------------------------------------------------------------------------------


def test_the_8_puzzle_has_its_known_layers():
    known = [1, 2, 4, 8, 16, 20, 39, 62, 116, 152, 286, 396, 748, 1024, 1893, 2512, 4485, 5638, 9529, 10878, 16993, 17110]
    known += [23952, 20224, 24047, 15578, 14560, 6274, 3910, 760, 221, 2]  # oeis.org/A089473
    assert layers(SlidingTile(3, 3)) == known and sum(known) == 181_440 == SlidingTile(3, 3).n_states
    assert SlidingTile().n_states == 10_461_394_944_000


@pytest.mark.parametrize(("rows", "columns", "most"), [(2, 2, 6), (2, 3, 21), (3, 2, 21), (2, 4, 36)])
def test_boards_have_their_known_longest_solutions(rows, columns, most):
    assert ExactTable(SlidingTile(rows, columns)).distances.max() == most


def test_tiles_that_slides_cannot_reach_are_refused():
    puzzle = SlidingTile()
    swapped = puzzle.goal.copy()
    swapped[[13, 14]] = swapped[[14, 13]]
    with pytest.raises(ValueError, match="impossible state of sliding-tile-4-4: two tiles are exchanged"):
        puzzle.check(swapped)
    with pytest.raises(ValueError, match="each of 0 to 15 once"):
        puzzle.check(np.ones(16, int))
    with pytest.raises(ValueError, match="each of 0 to 15 once"):
        puzzle.apply(np.ones((1, 16), np.uint8), np.array([0]))


def test_a_tile_goes_where_the_action_says():
    puzzle = SlidingTile(3, 3)
    assert puzzle.after("D").reshape(3, 3).tolist() == [[1, 2, 3], [4, 5, 0], [7, 8, 6]]
    assert puzzle.after("R").reshape(3, 3).tolist() == [[1, 2, 3], [4, 5, 6], [7, 0, 8]]
    assert (puzzle.after("U L") == puzzle.goal).all()  # nothing to slide


def test_ranks_of_lights_out_are_the_known_ones():
    lost = [0, 0, 4, 2, 0, 0, 0, 8, 0, 6, 0, 0, 4, 0, 8]  # of the sides 2 to 16, oeis.org/A159257
    assert [side**2 - math.log2(LightsOut(side).n_states) for side in range(2, 17)] == lost


def test_lights_out_takes_its_known_presses():
    assert layers(LightsOut(3)) == [math.comb(9, k) for k in range(10)]
    assert len(layers(LightsOut(4))) - 1 == 7


def test_pictures_that_cannot_be_put_out_are_refused():
    with pytest.raises(ValueError, match="impossible state of lights-out-5: no presses put out"):
        LightsOut(5).check([1] + [0] * 24)
    with pytest.raises(ValueError, match="impossible state of lights-out-4"):
        LightsOut(4).index(np.array([[1] + [0] * 15], np.uint8))


# Rings and stacks -----------------------------------------------------------------------------------------------------


def test_pancake_numbers_are_the_known_ones():
    assert [int(ExactTable(Pancake(n)).distances.max()) for n in range(2, 9)] == [1, 3, 4, 5, 7, 8, 9]  # oeis.org/A058986
    assert layers(Pancake(4)) == [1, 3, 6, 11, 3]


@pytest.mark.parametrize(
    ("n", "k", "order"),
    [
        (20, 4, math.factorial(20)),
        (9, 4, math.factorial(9) // 2),  # an odd ring shifts evenly, and turning four over is even too
        (7, 3, math.factorial(7)),
        (6, 3, 2 * math.factorial(3) ** 2),  # tokens of the even places stay together
        (5, 2, math.factorial(5)),
    ],
)
def test_top_spin_reaches_as_many_orders_as_its_parities_allow(n, k, order):
    assert TopSpin(n, k).n_states == order


# Files ----------------------------------------------------------------------------------------------------------------


def gap(puzzle, ip=""):
    """The generators of a puzzle as GAP writes them."""

    def cycles(move):
        text, left = "", [p for p in range(len(move)) if move[p] != p]
        while left:
            cycle = [left[0]]
            while move[cycle[-1]] != cycle[0]:
                cycle.append(int(move[cycle[-1]]))
            text += f"({','.join(str(p + 1) for p in cycle)})"
            left = [p for p in left if p not in cycle]
        return text

    moves = puzzle.generators[::2]
    lines = [f"M_{name} := {cycles(move)};" for name, move in zip(puzzle.action_names[::2], moves, strict=True)]
    return "# a remark\n" + "\n".join(lines) + f"\nGen:=[\n{','.join(f'M_{n}' for n in puzzle.action_names[::2])}\n];\n{ip}"


def ksolve(puzzle):
    """The 2x2x2 as ksolve has it: seven corners with three orientations."""
    text = "Name 2x2x2\nSet CORNERS 7 3\n\nSolved\nCORNERS\n1 2 3 4 5 6 7\nEnd\n"
    for name, move in zip(puzzle.action_names[::2], puzzle.generators[::2], strict=True):
        comes_from, twist = [0] * 7, [0] * 7
        for corner in range(7):
            to = int(move[3 * corner])
            comes_from[to // 3], twist[to // 3] = corner + 1, to % 3
        text += f"Move {name}\nCORNERS\n{' '.join(map(str, comes_from))}\n{' '.join(map(str, twist))}\nEnd\n"
    return text


def as_json(puzzle, **more):
    moves = dict(zip(puzzle.action_names[::2], puzzle.generators[::2].tolist(), strict=True))
    return json.dumps({"generators": moves, **more})


@pytest.mark.parametrize("write", [gap, ksolve, as_json])
def test_a_puzzle_is_the_same_from_every_kind_of_file(write, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cube = Rubik2x2()
    (tmp_path / "my-cube.txt").write_text(write(cube))
    puzzle = puzzle_from_name("permutation-my-cube.txt")
    assert isinstance(puzzle, Permutation) and puzzle.action_names == cube.action_names
    assert puzzle.n_states == cube.n_states and (puzzle.goal == cube.goal).all()
    assert (puzzle.generators[:, :21] == cube.generators[:, :21]).all()
    assert gym.make("Permutation-v0", file="my-cube.txt").unwrapped.puzzle.fingerprint() == puzzle.fingerprint()


def test_a_file_may_say_which_places_look_alike(tmp_path):
    cube = Rubik2x2()
    seen = PermutationPuzzle("x", cube.generators, cube.action_names, goal=np.arange(24) // 4)
    blocks = [list(range(first + 1, first + 5)) for first in range(0, 24, 4)]
    (tmp_path / "a.gap").write_text(gap(cube, f"ip:={blocks};"))
    (tmp_path / "a.json").write_text(as_json(cube, goal=[*"wwwwrrrrggggyyyyoooobbbb"], k_max=7))
    for name in ("a.gap", "a.json"):
        puzzle = Permutation(str(tmp_path / name))
        states = puzzle.walk(np.arange(9, dtype=np.uint64), np.full(9, 5))
        assert len(states[0]) >= 21 and not puzzle.distinct
        assert len(np.unique(states[:, :21])) == len(np.unique(seen.goal[:21]))
    assert (
        puzzle.labels == tuple("wrgyob")
        and puzzle.k_max == 7
        and puzzle.ansi(puzzle.goal) == " ".join("wwwwrrrrggggyyyyoooobbbb")
    )


def test_ksolve_pieces_of_one_number_look_alike_and_question_marks_do_not_count(tmp_path):
    text = "Set A 3 1\nSet B 2 2\nSolved\nA\n1 1 2\nB\n1 2\n? ?\nEnd\nMove X\nA\n2 3 1\nB\n2 1\n1 0\nEnd\n"
    (tmp_path / "a.def").write_text(text)
    puzzle = Permutation(str(tmp_path / "a.def"))
    assert puzzle.labels == ("A1", "A2", "B1", "B2") and puzzle.goal.tolist() == [0, 0, 1, 2, 2, 3, 3]
    assert puzzle.after("X").tolist() == [0, 1, 0, 3, 3, 2, 2] and puzzle.n_states == 6


def test_gap_groups_without_names_are_read(tmp_path):
    (tmp_path / "s4.gap").write_text("G := Group((1,2,3,4), (1,2));\n")
    puzzle = Permutation(str(tmp_path / "s4.gap"))
    assert puzzle.n_states == 24 and puzzle.action_names == ("g1", "g1'", "g2")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "has 0 moves"),
        ("A := (1,2,2);", "is no permutation"),
        ("A := (0,1);", "is no permutation"),
        ("A := [B];", "'B' is no permutation of this file"),
        ("A := __import__('os');", "cannot read"),
        ("A := (1,2); ip := [[0]];", "ip names place 0"),
        ("A := (1,2000);", "between 1 and 1000 places"),
        ("import os", "a statement is NAME"),
        ("{", "Expecting"),
        ('{"generators": [1]}', "must be an object"),
        ('{"generators": {"A": [1, 1]}}', "'A' is no permutation"),
        ('{"generators": {"A": [1, 0]}, "moves": 1}', "unknown entry 'moves'"),
        ('{"generators": {"A": [1, 0]}, "goal": {}}', '"goal" must be a list'),
        ('{"generators": {"A": [1, 0]}, "k_max": 0}', '"k_max" must be a whole number'),
        ('{"generators": {"A": [1, 0], "B": [1, 0]}}', "'A' and 'B' are the same move"),
        ("Set A 3 1\nMove X\nA\n1 2\nEnd", "line 4: expected the name of a set"),
        ("Set A 3 1\nMove X\nA\n1 2 2\nEnd", "must have each of 1 to 3 once"),
        ("Set A 3 1\nMove X\nA\n2 3 1\n", "End is missing"),
        ("Set A 3 1\nJump X\n", "line 2: cannot read 'Jump X'"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_by_its_name_and_the_fault(text, fault, tmp_path):
    (tmp_path / "wrong.txt").write_text(text)
    with pytest.raises(ValueError, match=rf"wrong.txt.*{re.escape(fault)}"):
        Permutation(str(tmp_path / "wrong.txt"))


def test_a_file_that_is_not_there_is_refused():
    with pytest.raises(
        ValueError, match="there is no file nowhere.gap; give a path, or one of those that come along: rings.gap"
    ):
        Permutation("nowhere.gap")
    with pytest.raises(ValueError, match="no puzzle is called 'permutation-nowhere.gap'"):
        puzzle_from_name("permutation-nowhere.gap")


@pytest.mark.parametrize("puzzle", [Rubik2x2(), Rubik3x3(), Pyraminx(), Skewb(), Megaminx()], ids=repr)
def test_one_sticker_of_each_piece_is_found_from_the_moves_alone(puzzle):
    assert one_of_each_piece(puzzle.generators).tolist() == puzzle.goal.tolist()
