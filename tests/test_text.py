"""States as text, tasks of a true distance, and verdicts on what is proposed as their solution."""

import io
import json

import numpy as np
import pytest
from PIL import Image

from rubiks_gym import text
from rubiks_gym.exact import ExactTable, OptimalSolver, has_table
from rubiks_gym.puzzles import PUZZLES, Hanoi, Rubik2x2, Rubik3x3, are_solutions, puzzle_from_name
from tests import commands

CUBE = Rubik2x2()
EXAMPLES = sorted({example for entry in PUZZLES.values() for example in entry.examples})


def rng():
    return np.random.default_rng(0)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_line_of_text_is_read_back_and_drawings_of_different_states_differ(name):
    puzzle = puzzle_from_name(name)
    states = np.unique(puzzle.walk(np.arange(12, dtype=np.uint64), np.arange(12)), axis=0)
    for state in states:
        assert (text.from_text(puzzle, text.to_text(puzzle, state, "line")) == state).all()
    drawings = {text.to_text(puzzle, state) for state in states}
    assert len(drawings) == len(states) and "\x1b" not in "".join(drawings)


def test_a_drawing_shows_the_net_and_the_pegs():
    assert text.to_text(Rubik2x2(), Rubik2x2().goal).splitlines()[0].split() == ["U", "U"]
    assert text.to_text(Hanoi(3, 3), np.array([0, 2, 0])) == "peg 0: 3 1\npeg 1: -\npeg 2: 2"


def test_a_picture_is_a_png_of_the_rendered_state():
    state = CUBE.after("R U")
    assert (np.asarray(Image.open(io.BytesIO(text.png(CUBE, state)))) == CUBE.image(state)).all()


@pytest.mark.parametrize("name", ["rubik2x2-htm", "hanoi-4-3"])
def test_tasks_are_of_the_distance_that_was_asked_for_and_all_different(name):
    puzzle = puzzle_from_name(name)
    tasks = text.sample_tasks(puzzle, [5, 3, 7], 4, rng())
    assert [task.distance for task in tasks] == [5] * 4 + [3] * 4 + [7] * 4
    states = np.stack([task.state for task in tasks])
    assert ExactTable(puzzle).distance(states).tolist() == [task.distance for task in tasks]
    assert len(np.unique(states, axis=0)) == 12
    again = text.sample_tasks(name, [5, 3, 7], 4, rng())
    assert all((task.state == other.state).all() for task, other in zip(tasks, again, strict=True))


def test_tasks_are_uniform_over_all_states_of_a_distance():
    tasks = text.sample_tasks("rubik2x2-qtm", [2], 27, rng())  # all there are
    assert {text.to_text(CUBE, task.state, "line") for task in tasks} == {
        CUBE.facelets(state) for state in ExactTable(CUBE).from_index(np.flatnonzero(ExactTable(CUBE).distances == 2))
    }


@pytest.fixture(scope="module")
def solver():
    return OptimalSolver(Rubik3x3("qtm"), memory=1 << 27)


def test_tasks_of_the_3x3x3_have_the_distance_that_the_optimal_solver_proves(solver):
    tasks = text.sample_tasks("rubik3x3-qtm", range(8), 1, rng())
    assert solver.distance(np.stack([task.state for task in tasks])).tolist() == list(range(8))
    for metric, far in (("qtm", 20), ("htm", 16)):
        assert len(text.sample_tasks(f"rubik3x3-{metric}", [far], 20, rng())) == 20


def test_an_answer_is_judged_by_legality_solution_and_excess():
    state = CUBE.after("R U F'")
    assert text.verify(CUBE, state, "F U' R'")[1:] == (True, True, None, 3, 0, 0)
    assert text.verify(CUBE, state, "F R R' U' R'").excess == 2
    on_the_way = text.verify(CUBE, state, "F")
    assert on_the_way.legal and not on_the_way.solved and (on_the_way.distance, on_the_way.left) == (3, 2)
    assert "do not end at the goal" in on_the_way.fault and on_the_way.excess is None
    unreadable = text.verify(CUBE, state, "I would turn the cube")
    assert unreadable.moves is None and not unreadable.legal and unreadable.left == 3 and "'I'" in unreadable.fault
    assert text.verify(CUBE, state, CUBE.parse("F U' R'")).excess == 0


def test_a_shortest_solution_of_every_task_is_judged_optimal_and_any_other_word_is_not():
    for task in text.sample_tasks("hanoi-4-3", [3, 9, 15], 3, rng()):
        [solution] = ExactTable(task.puzzle).solve(task.state[None])
        answer = f"Let me think.\n**Moves:** {task.puzzle.format(solution)}"
        assert text.verify(task.puzzle, task.state, answer).excess == 0
        longer = text.verify(task.puzzle, task.state, solution[:-1])
        assert not longer.solved and longer.left == 1


def test_a_move_that_cannot_be_made_is_named_and_counts_no_further():
    hanoi = Hanoi(3, 3)
    verdict = text.verify(hanoi, np.zeros(3, np.uint8), "02 02 01")
    assert verdict.moves is not None and not verdict.legal and not verdict.solved
    assert verdict.fault == "move 2, 02, cannot be made" and verdict.distance == 7 and verdict.left == 6


@pytest.mark.parametrize(
    "answer",
    ["R U' F2", "Moves: R U' F2", "moves: `R, U', F2`.", "Moves: D\nno, that is wrong\nMoves: [R, U', F2]", "**Moves**: RU'F2",
     "Moves:\tR U’ F2"],  # noqa: RUF001
)  # fmt: skip
def test_moves_are_found_in_what_models_write(answer):
    assert text.read_moves(Rubik2x2("htm"), answer) == Rubik2x2("htm").parse("R U' F2")


def test_endless_answers_are_refused_quickly():
    assert "more than the 1000" in text.verify(CUBE, CUBE.goal, "R " * 5000).fault
    assert text.verify(CUBE, CUBE.goal, "\n" * 100_000 + "moves").moves is None


def test_the_excess_of_a_3x3x3_is_told_by_its_known_distance_or_by_proof(solver):
    cube = solver.cube
    state = cube.after("R U F'")
    unknown = text.verify(cube, state, "F U' R'")
    assert unknown.solved and unknown.distance is None and unknown.excess is None
    assert text.verify(cube, state, "F U' R'", distance=3).excess == 0
    assert text.verify(cube, state, "F U2 U R'", truth=solver)[2:] == (True, None, 3, 0, 2)
    assert text.verify(cube, state, "F U", truth=solver).left == 3
    far = cube.random_states(np.array([1], np.uint64))[0]
    assert text.verify(cube, far, "F U", truth=solver, seconds=0.0).left is None


def test_prompts_tell_rules_goal_state_and_the_form_of_the_answer():
    for name in ("rubik2x2-qtm", "rubik3x3-htm", "hanoi-3-3"):
        [task] = text.sample_tasks(name, [3], 1, rng())
        asked = text.prompt(task)
        assert all(word in asked for word in task.puzzle.action_names)
        assert text.to_text(task.puzzle, task.state) in asked and "Moves:" in asked


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_puzzle_has_rules_and_tasks_as_far_as_truth_is_known(name):
    puzzle = puzzle_from_name(name)
    assert text.rules(puzzle).endswith(".") and puzzle.action_names[-1] in text.rules(puzzle)
    if not isinstance(puzzle, Rubik3x3) and puzzle.n_states and not has_table(puzzle):
        with pytest.raises(ValueError, match="no true distances"):
            text.sample_tasks(puzzle, [1], 1, rng())


@pytest.mark.parametrize(
    ("call", "fault"),
    [
        (lambda: text.to_text(CUBE, CUBE.goal, "song"), "form must be one of 'drawing', 'line', got 'song'"),
        (lambda: text.to_text(CUBE, [0] * 7), "two corners in one place"),
        (lambda: text.from_text(Hanoi(3, 3), "0 one 2"), "a line of 3 numbers, got '0 one 2'"),
        (lambda: text.from_text(Hanoi(3, 3), "0 7 2"), "values below 3"),
        (lambda: text.sample_tasks("hanoi-3-3", [7], 9, rng()), "8 states of hanoi-3-3 are known at distance 7, 9 were asked"),
        (lambda: text.sample_tasks("rubik3x3-qtm", [26], 9, rng()), r"\d states of rubik3x3-qtm are known at distance 26"),
        (lambda: text.sample_tasks("hanoi-64-3", [7], 9, rng()), "no true distances of hanoi-64-3 are known"),
        (lambda: text.sample_tasks("hanoi-3-3", [-1], 1, rng()), r"distances\[0\] must be a whole number"),
        (lambda: text.verify(CUBE, CUBE.after("R"), "R'", distance=2), "its distance cannot be 2"),
        (lambda: text.verify(CUBE, CUBE.after("R"), "R'", distance="far"), "distance must be a whole number"),
        (lambda: text.verify(CUBE, CUBE.goal, "R", truth=ExactTable(Hanoi(3, 3))), "another puzzle than rubik2x2-qtm"),
        (lambda: text.judge([{"puzzle": "hanoi-3-3", "state": 5}]), "line 1 must be an object"),
    ],
)  # fmt: skip
def test_bad_input_is_named(call, fault):
    with pytest.raises(ValueError, match=fault):
        call()


def test_the_command_writes_tasks_and_judges_answers(tmp_path):
    done = commands.run("-m", "rubiks_gym.text", "--puzzle", "hanoi-3-3", "--distances", "3", "5", "--tasks", "2")
    assert done.returncode == 0, done.stderr
    tasks = [json.loads(line) for line in done.stdout.splitlines()]
    assert [task["distance"] for task in tasks] == [3, 3, 5, 5]
    hanoi = Hanoi(3, 3)
    for task in tasks:
        [solution] = ExactTable(hanoi).solve(text.from_text(hanoi, task["state"])[None])
        task["answer"] = hanoi.format(solution)
    tasks[1]["answer"] = "02 02"
    (tmp_path / "answers.jsonl").write_text("\n".join(map(json.dumps, tasks)))
    done = commands.run("-m", "rubiks_gym.text", "--judge", str(tmp_path / "answers.jsonl"))
    assert done.returncode == 0, done.stderr
    judged = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["excess"] for line in judged] == [0, None, 0, 0] and "cannot be made" in judged[1]["fault"]
    assert all(are_solutions(hanoi, text.from_text(hanoi, judged[2]["state"])[None], [hanoi.parse(judged[2]["moves"])]))
    (tmp_path / "answers.jsonl").write_text("not json")
    done = commands.run("-m", "rubiks_gym.text", "--judge", str(tmp_path / "answers.jsonl"))
    assert done.returncode != 0 and "must have a JSON object on every line" in done.stderr
