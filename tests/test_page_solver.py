"""The page's own code, asked by node: it gives what Python gives."""

import numpy as np
import pytest

from rubiks_gym.exact import ExactTable
from rubiks_gym.ntuple import trained
from rubiks_gym.puzzles import Hanoi, Rubik2x2, Rubik3x3, sample_seeds
from rubiks_gym.search import make_search
from tests.page import ask_page

STEPS = 100  # after which a beam of the page gives up


def random_states(puzzle, rng, n):
    return puzzle.random_states(sample_seeds(rng, n))


def test_values_are_those_of_the_tables(rng):
    agent = trained()
    states = np.concatenate(
        [random_states(agent.puzzle, rng, 5000), agent.puzzle.goal[None], agent.puzzle.expand(agent.puzzle.goal[None])[0]]
    )
    (costs,) = ask_page([["costs", states.tolist()]])
    np.testing.assert_array_equal(np.array(costs, np.float32), agent.cost_to_go(states))


def test_beams_of_any_width_find_the_same_moves_with_the_same_nodes(rng):
    agent = trained()
    asked = [
        (width, state) for width, n in ((7, 4), (100, 4), (1024, 6), (4096, 1)) for state in random_states(agent.puzzle, rng, n)
    ]
    asked += [(256, agent.puzzle.after(moves)) for moves in ("", "R", "R U F' L D2", "R U F' L D2 B' R U2 F")]
    answers = ask_page([["bothWays", state.tolist(), width] for width, state in asked])
    one_way = ask_page([["search", state.tolist(), width] for width, state in asked[:8]])
    for (width, state), answer in zip(asked, answers, strict=True):
        found = make_search("beam", agent, {"width": width, "max_steps": STEPS}, radius=6, inverse=True)(state[None])
        assert (answer["moves"] or [], answer["nodes"]) == (found.moves[0], found.nodes[0]), (width, state.tolist())
        assert (answer["moves"] is not None) == found.solved[0]
    for (width, state), answer in zip(asked[:8], one_way, strict=True):
        found = make_search("beam", agent, {"width": width, "max_steps": STEPS}, radius=6)(state[None])
        assert (answer["moves"] or [], answer["nodes"]) == (found.moves[0], found.nodes[0])


def test_inverse_states_are_the_same(rng):
    cube = Rubik3x3()
    states = random_states(cube, rng, 50)
    assert ask_page([["inverse", state.tolist()] for state in states]) == cube.inverse(states).tolist()


@pytest.mark.parametrize(("puzzle", "n"), [(Rubik2x2(), 300), (Hanoi(6, 3), 60), (Hanoi(5, 4), 60)])
def test_small_puzzles_are_solved_by_shortest_solutions(puzzle, n, rng):
    table = ExactTable(puzzle)
    states = np.concatenate([random_states(puzzle, rng, n), puzzle.goal[None]])
    sizes = [puzzle.disks, puzzle.pegs] if isinstance(puzzle, Hanoi) else []
    name = "solveHanoi" if sizes else "solve2"
    for state, answer in zip(states, ask_page([[name, *sizes, state.tolist()] for state in states]), strict=True):
        moves = [puzzle.action_names.index(move) for move in answer["moves"]]
        after = state[None]
        for i, action in enumerate(moves):
            assert answer["values"][i] == table.distance(after)[0]
            after = puzzle.apply(after, [action])
        assert puzzle.is_solved(after)[0] and len(moves) == table.distance(state[None])[0]


@pytest.mark.parametrize("cube", [Rubik2x2(), Rubik3x3()])
def test_facelets_and_pieces_are_the_same_however_the_cube_is_held(cube, rng):
    states = random_states(cube, rng, 40)
    texts = [cube.facelets(state) for state in states]
    assert ask_page([["facelets", cube.size, state.tolist()] for state in states]) == texts
    held = []
    for i, text in enumerate(texts):
        rotation = cube.geometry.facelet_symmetries[i % 24]
        turned = [""] * len(text)
        for at, letter in zip(rotation, text, strict=True):
            turned[at] = letter
        held.append("".join(turned))
    for text, turned, state, answer in zip(
        texts, held, states, ask_page([["normal", cube.size, t] for t in held]), strict=True
    ):
        assert (answer["facelets"], answer["state"]) == (text, state.tolist())
        assert cube.from_facelets(turned).tolist() == state.tolist()


def test_moves_come_back_in_the_way_the_cube_is_held():
    """What the solver calls U is turned where the white side is, and so on for all six, in all 24 ways to hold a cube."""
    cube = Rubik3x3()
    goal = cube.facelets(cube.goal)
    held = ["".join(goal[i] for i in np.argsort(rotation)) for rotation in cube.geometry.facelet_symmetries[:24]]
    for turned, answer in zip(held, ask_page([["normal", 3, turned] for turned in held]), strict=True):
        assert [turned[9 * "URFDLB".index(face) + 4] for face in answer["back"]] == list("URFDLB")


@pytest.mark.parametrize("cube", [Rubik2x2(), Rubik3x3()])
def test_random_cubes_can_be_and_differ(cube):
    texts = ask_page([["random", cube.size]] * 200)
    assert len({cube.from_facelets(text).tobytes() for text in texts}) == 200


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("UUUUUUUUURRRRRRRRRFFFFFFFFFDDDDDDDDDLLLLLLLLLBBBBBBBB", "54 letters, got 53"),
        ("UUUUUUUUURRRRRRRRRFFFFFFFFFDDDDDDDDDLLLLLLLLLBBBBBBBBX", "got X"),
        ("UUUUUUUUURRRRRRRRRFFFFFFFFFDDDDDDDDDLLLLLLLLLBBBBBBBBU", "wrong colour count: white appears 10 times"),
        ("UUUUUUUUFURRRRRRRRFFRFFFFFFDDDDDDDDDLLLLLLLLLBBBBBBBBB", "twisted corner"),
        ("UUUUUUUFURRRRRRRRRFUFFFFFFFDDDDDDDDDLLLLLLLLLBBBBBBBBB", "flipped edge"),
        ("UUUUUUUUURFRRRRRRRFRFFFFFFFDDDDDDDDDLLLLLLLLLBBBBBBBBB", "swapped pair"),
        ("UUUUUUUUURRRRURRRRFFFFFFFFFDDDDDDDDDLLLLLLLLLBBBBBBBBB".replace("U", "R", 1), "the centres are white, white"),
        ("UUUUUUUURRRURRRRRRFFFFFFFFFDDDDDDDDDLLLLLLLLLBBBBBBBBB", "a corner with the colours"),
    ],
)  # fmt: skip
def test_what_no_cube_can_look_like_is_named_as_python_names_it(text, fault):
    (answer,) = ask_page([["normal", 3, text]])
    assert fault in answer["error"]
    with pytest.raises(
        ValueError,
        match="wrong colour count"
        if "colour count" in fault
        else fault.split(":")[0].split(" white")[0].replace("got X", "'X'"),
    ):
        Rubik3x3().from_facelets(text)


NOTATIONS = {
    "R U R' U'": "R U R' U'",
    "RUR'U'": "R U R' U'",
    "R2 U2' F3": "R2 U2 F'",
    "R\N{RIGHT SINGLE QUOTATION MARK} U\N{PRIME}": "R' U'",
    "(R U)2": "R U R U",
    "[R, U]": "R U R' U'",
    "R // a remark\n U": "R U",
    "": "",
}


def test_common_notations_are_read():
    assert dict(zip(NOTATIONS, ask_page([["parse", text] for text in NOTATIONS]), strict=True)) == NOTATIONS


def test_wide_slice_and_whole_turns_are_those_of_cubing_js():
    texts = ["M", "E'", "S2", "r", "u'", "f2", "d", "l'", "b", "Rw", "x", "y'", "z2", "r U M' x F Lw y2 E"]
    parsed = ask_page([["parse", text] for text in texts])
    assert ask_page([["sameForCubing", text, made_of] for text, made_of in zip(texts, parsed, strict=True)]) == [True] * len(
        texts
    )
    assert all(set(made_of) <= set("URFDLBxyz' 2") for made_of in parsed)


def test_typed_moves_lead_where_python_says(rng):
    asked = [
        (cube, " ".join(rng.choice(list("URFDLB")) + rng.choice(["", "'", "2"]) for _ in range(25)))
        for cube in (Rubik2x2(), Rubik3x3())
        for _ in range(20)
    ]
    for (cube, text), facelets in zip(asked, ask_page([["read", cube.size, text] for cube, text in asked]), strict=True):
        assert cube.from_facelets(facelets).tolist() == cube.after(text).tolist()


@pytest.mark.parametrize("text", ["Q", "R U W", "R 3Fw", "[R, U", "R U)"])
def test_what_is_no_move_is_named(text):
    (answer,) = ask_page([["read", 3, text]])
    assert "cannot read" in answer["error"]


def test_hanoi_reads_letters_digits_and_pegs():
    asked = {"AC AB": [2, 1, 0], "02 01": [2, 1, 0], "a→c": [2, 0, 0], "1 1 2": [1, 1, 2], "B C C": [1, 2, 2]}
    assert ask_page([["hanoi", 3, 3, text] for text in asked]) == list(asked.values())
    faults = {"AD": "the pegs are A B C", "AA": "two different pegs", "AC AC": "cannot go to", "A B": "there are 3 disks"}
    for answer, fault in zip(ask_page([["hanoi", 3, 3, text] for text in faults]), faults.values(), strict=True):
        assert fault in answer["error"]
