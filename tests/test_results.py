"""Records, statistics, questions, documents, and the converter of DeepCubeA's test set."""

import json
import os
import pickle
import re
import shlex
import subprocess
import sys
import types
from dataclasses import fields
from functools import partial
from importlib import import_module

import numpy as np
import pytest

import agents
from results import deepcubea, records, seeds, states
from results.__main__ import STUDIES, put_between, stale, studies, write
from results.knowledge import has_block, joined_pairs, progress, triplets
from results.measure import comes_along, measure, train_command
from results.papers import konen, lin, page, tardon
from results.papers.rows import NOT_YET, Asked, each
from results.questions import Answer, Question, Run, Search, Study
from results.records import Outcomes
from results.statistics import bootstrap, mean_text, percent, share_text, wilson
from results.studies.davi import frame_stewart
from results.tables import expanded
from rubiks_gym.puzzles import Rubik3x3, puzzle_from_name
from rubiks_gym.search import SEARCHES, search_options
from tests import commands
from train.evaluation import read_cubes
from train.zoo import RECIPES


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [(184, 200, 0.8741, 0.9502), (0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (5, 10, 0.2366, 0.7634), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_intervals_are_the_published_ones(successes, n, low, high):
    assert wilson(successes, n) == pytest.approx((low, high), abs=1e-4)


def test_the_bootstrap_of_a_normal_sample_is_near_its_standard_error_and_seeded():
    values = np.random.default_rng(1).normal(10, 2, 400)
    low, high = bootstrap(values)
    error = 1.96 * values.std() / np.sqrt(400)
    assert (low, high) == pytest.approx((values.mean() - error, values.mean() + error), abs=0.03)
    assert bootstrap(values) == (low, high)
    assert bootstrap(np.full(7, 3.0)) == (3.0, 3.0)


def test_a_percentage_says_100_only_of_all():
    assert percent(0.9998) == "99.9"
    assert percent(0.99996, 2) == "99.99"
    assert percent(1.0) == "100"
    assert percent(0.0001) == "0.1"
    assert share_text(184, 200) == "92.0% (87.4 to 95.0)"
    assert share_text(49_999, 50_000).startswith("99.99% (")
    assert share_text(200, 200) == "100% (98.1 to 100)"
    assert mean_text(np.array([3.0, 3.0])) == "3.00"


@pytest.mark.parametrize("copies", [1, 600])
def test_outcomes_survive_a_record_cube_by_cube_or_counted(tmp_path, copies):
    groups, lengths, distances = np.tile([[1, 1, 2], [3, np.nan, 5], [3, 3, np.nan]], copies).astype(float)
    file = tmp_path / "deep" / "some.jsonl"
    records.append(file, records.pack(Outcomes(groups, lengths, distances)))
    records.append(file, {"lengths": [4]})
    stored, other = records.read(file)
    assert ("counts" in stored) == (copies > 1)
    found = records.unpack(stored)
    order = lambda o: np.lexsort([np.nan_to_num(column, nan=-1) for column in o])  # noqa: E731
    for ours, theirs in zip(found, (groups, lengths, distances), strict=True):
        np.testing.assert_array_equal(ours[order(found)], theirs[order(Outcomes(groups, lengths, distances))])
    assert len(records.unpack(stored, other).lengths) == 3 * copies + 1


def test_no_record_is_lost_to_one_that_was_half_written(tmp_path):
    file = tmp_path / "some.jsonl"
    records.append(file, {"lengths": [1]})
    with open(file, "a") as opened:
        opened.write('{"lengths": [2')  # the machine went down here
    with pytest.raises(ValueError, match="some.jsonl, line 2 is no whole record"):
        records.read(file)
    records.append(file, {"lengths": [3]})
    lines = file.read_text().splitlines()
    assert [json.loads(lines[0]), json.loads(lines[2])] == [{"lengths": [1]}, {"lengths": [3]}]
    file.write_text("\n".join([lines[0], lines[2]]) + "\n")
    assert [record["lengths"] for record in records.read(file)] == [[1], [3]]


@pytest.fixture
def small(tmp_path) -> Study:
    """Tables on the smallest tower, learnt in a second."""
    questions = [
        Question(
            "uniform",
            ("tower",),
            partial(states.uniform, n=5),
            {"greedy": Search("greedy"), "A*": Search("bwas", {"weight": 1.0})},
        ),
        Question("states", ("tower",), measure=lambda agent, folder: {"n": agent.puzzle.n_states}),
    ]
    runs = [Run("hanoi-3-3", 0, {"sweeps": 30}, "tower")]
    return Study("tabular", runs, questions, [], ("sweeps",), tmp_path / "mine")


def lay_down(folder, commit="0" * 40, dirty=False):
    """A run folder made elsewhere: an untrained table, and a config.json."""
    from rubiks_gym import files

    agent = agents.load("exact:hanoi-3-3")
    files.save(
        folder / "checkpoints" / "000000000030.npz", {"step": 30, **agents.describe(agent), "learner": {}}, agent.arrays()
    )
    provenance = {"commit": commit, "uncommitted_changes": dirty, "date": "2026-11-18", "machine": {"processor": "x"}}
    config = {"config": {"preset": "hanoi-3-3", "seed": 0, "sweeps": 30}, "provenance": provenance}
    (folder / "config.json").write_text(json.dumps(config))


def test_measuring_refuses_uncommitted_changes_and_measures_once(small, tmp_path, monkeypatch):
    lay_down(tmp_path / "tabular" / "tower-s0")
    monkeypatch.setattr(records, "changes", lambda: [" M rubiks_gym/puzzles/cube.py"])
    with pytest.raises(ValueError, match="uncommitted changes, for example M rubiks_gym/puzzles/cube.py"):
        measure(small, tmp_path)
    measure(small, tmp_path, dirty=True)
    assert small.of("uniform") == []  # documents do not show them
    monkeypatch.setattr(records, "changes", lambda: [])
    measure(small, tmp_path)
    measure(small, tmp_path)
    lines = records.read(small.folder / "tabular.jsonl")
    assert len(lines) == 6  # three dirty ones, then three that count
    measure(small, tmp_path, only=["A*"], again=True)
    assert len(records.read(small.folder / "tabular.jsonl")) == 7
    answer = small.of("uniform")[1]
    assert answer.record["lengths"] == answer.record["distances"]
    assert answer.record["training"]["commit"] == "0" * 40
    assert answer.record["command"] == "python -m results --measure tabular --only 'tower-s0' 'uniform' 'A*'"
    assert small.of("states")[0].record["found"] == {"n": 27}
    with pytest.raises(ValueError, match="no measurement named nothing"):
        measure(small, tmp_path, only=["nothing"])


def test_a_run_that_is_not_the_one_asked_for_or_not_finished_is_not_measured(small, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(records, "changes", lambda: [])
    folder = tmp_path / "tabular" / "tower-s0"
    lay_down(folder)
    config = json.loads((folder / "config.json").read_text())
    config["config"]["sweeps"] = 40
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(ValueError, match="trained with sweeps 40, not 30"):
        measure(small, tmp_path)
    small.runs[0].changed["sweeps"] = 40
    measure(small, tmp_path)
    assert "at step 30 of 40: left out" in capsys.readouterr().out


def test_a_run_that_does_not_say_where_it_comes_from_is_refused(small, tmp_path, monkeypatch):
    monkeypatch.setattr(records, "changes", lambda: [])
    folder = tmp_path / "tabular" / "tower-s0"
    lay_down(folder)
    config = json.loads((folder / "config.json").read_text())
    del config["provenance"]
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(ValueError, match=r"tower-s0/config.json has no provenance .*: train it again"):
        measure(small, tmp_path)
    assert not small.folder.exists()


def test_new_records_and_documents_are_no_changes_that_a_result_depends_on(tmp_path, monkeypatch):
    from train import provenance

    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=b"]
    for file in ("train/code.py", "results/records/some.jsonl", "docs/page.md"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text("1\n")
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "all"]):
        subprocess.run([*git, *command], check=True)
    monkeypatch.setattr(provenance, "__file__", str(tmp_path / "train" / "provenance.py"))
    for file in ("results/records/some.jsonl", "docs/page.md", "results/records/new.jsonl"):
        (tmp_path / file).write_text("2\n")
    assert provenance.changes() == [] and not provenance.provenance()["uncommitted_changes"]
    (tmp_path / "train" / "code.py").write_text("2\n")
    assert provenance.changes() == ["M train/code.py"] and provenance.provenance()["uncommitted_changes"]


def test_a_record_of_a_dirty_run_is_not_shown(small, tmp_path, monkeypatch):
    monkeypatch.setattr(records, "changes", lambda: [])
    lay_down(tmp_path / "tabular" / "tower-s0", dirty=True)
    measure(small, tmp_path)
    assert small.of("uniform") == [] and all(answer.record for answer in small.all())


def test_the_documents_say_what_the_records_say():
    assert stale(records.AUTHORS) == []


def test_a_text_goes_between_its_marks_or_gets_marks_of_its_own():
    page = "a\n<!-- x:begin -->\nold\n<!-- x:end -->\n<!-- y:begin -->\n<!-- y:end -->\nz\n"
    assert put_between(page, "x", r"new \1") == page.replace("old", r"new \1")
    assert put_between(page, "y", "one\ntwo") == page.replace("<!-- y:end", "one\ntwo\n<!-- y:end")
    assert put_between("", "x", "t") == "<!-- x:begin -->\nt\n<!-- x:end -->\n\n"


def test_documents_of_ones_own_records_go_beside_them(tmp_path):
    readme = (records.ROOT / "README.md").read_text()
    write(tmp_path)
    assert "Still to be measured" in (tmp_path / "agents" / "symmetric_ntuple" / "README.md").read_text()
    assert (records.ROOT / "README.md").read_text() == readme


def named_commits() -> set[str]:
    """Every commit that a record names."""
    lines = [record for file in records.AUTHORS.glob("*.jsonl") for record in records.read(file)]
    return {of["commit"] for line in lines for of in (line, line.get("training", {})) if of.get("commit")}


def test_every_commit_that_a_record_names_is_in_the_history():
    git = ["git", "-C", str(records.ROOT)]
    history = subprocess.run([*git, "rev-list", "HEAD"], capture_output=True, text=True)
    shallow = subprocess.run([*git, "rev-parse", "--is-shallow-repository"], capture_output=True, text=True).stdout.strip()
    if history.returncode or shallow == "true":
        pytest.skip("no git history here")
    assert named_commits() and named_commits() <= set(history.stdout.split())


def test_the_authors_records_are_clean():
    assert all(records.usable(r) for file in records.AUTHORS.glob("*.jsonl") for r in records.read(file))


@pytest.mark.parametrize("name", STUDIES)
def test_every_question_names_presets_settings_and_searches_that_exist(name):
    this = studies(records.AUTHORS)[name]
    titles = {run.title for run in this.runs}
    for run in this.runs:
        if comes_along(run):
            assert run.preset in agents.PRETRAINED or run.preset.removeprefix("zoo:") in RECIPES
            continue
        presets = import_module(f"agents.{this.algorithm}.config").PRESETS
        known = {field.name for field in fields(presets[run.preset][1])}
        assert set(run.changed) <= known
        assert set(this.steps) <= known
    names = [answer.name for answer in this.all()]
    assert names and len(set(names)) == len(names)
    asked = {question for section in this.sections for question in section.questions.split(", ")}
    asked |= {seeds.QUESTION} if name != "zoo" else set()  # all learning curves stand in docs/comparison.md
    assert asked == {question.name for question in this.questions}
    for question in this.questions:
        assert set(question.runs) <= titles
        assert (question.measure is None) == bool(question.states and question.searches)
        for search in question.searches.values():
            assert search.name in SEARCHES
            assert set(search.options) <= set(search_options(search.name))


def test_the_command_that_trains_a_run_spells_out_its_settings():
    command = train_command("davi", Run("2x2", 3, {"rule": "states", "some_sizes": (1, 2)}, "rule-states"))
    assert " ".join(command) == (
        "python -m train.davi --preset 2x2 --run.seed 3 --config.rule states --config.some-sizes 1 2 "
        "--run.folder runs/davi/rule-states-s3"
    )
    flags = train_command("symmetric_ntuple", Run("3x3-demo", 0, {"two_sided": True}, "two-sided"))
    assert "--config.two-sided" in flags and "True" not in flags


def test_states_asked_are_the_same_every_time_and_in_their_groups():
    puzzle = puzzle_from_name("rubik2x2-qtm")
    found, truth, groups = states.turned(puzzle, most=6, n=4, first=2, every=2)
    assert groups.tolist() == [2] * 4 + [4] * 4 + [6] * 4
    assert (truth <= groups).all() and ((truth - groups) % 2 == 0).all()
    np.testing.assert_array_equal(found, states.turned(puzzle, most=6, n=4, first=2, every=2)[0])
    with pytest.raises(ValueError, match="python -m results.deepcubea"):
        states.test_set(Rubik3x3(), 3, "nowhere.json")


def test_a_record_names_the_states_with_every_setting():
    # These are the names and settings of records that exist: another name would answer another question.
    assert states.describe(partial(states.walks_and_far, n=500)) == {"kind": "WalksAndFar", "n": 500, "seed": 0}
    assert states.describe(partial(states.test_set, n=200)) == {"kind": "TestSet", "n": 200, "file": "testset.json"}
    assert states.describe(partial(states.start)) == {"kind": "Start"}


class Cube3State:
    """Pickled as DeepCubeA's states are: slots, and the name of its module."""

    __slots__ = ["colors", "hash"]

    def __init__(self, colors):
        self.colors, self.hash = colors, None


@pytest.fixture
def pickled(tmp_path, monkeypatch):
    """A file as DeepCubeA's: states, and their solutions as faces and directions."""
    module = types.ModuleType("environments.cube3")
    module.Cube3State = Cube3State
    monkeypatch.setattr(Cube3State, "__module__", "environments.cube3")
    monkeypatch.setitem(sys.modules, "environments", types.ModuleType("environments"))
    monkeypatch.setitem(sys.modules, "environments.cube3", module)
    states = [Cube3State(np.arange(54, dtype=np.uint8)) for _ in range(2)]
    file = tmp_path / "data_0.pkl"
    solutions = [[["U", -1], ["R", 1], ["R", 1]], [["F", 1]]]
    file.write_bytes(pickle.dumps({"states": states, "solutions": solutions, "times": [1.0, np.float64(2)]}, protocol=4))
    return file


def test_deepcubeas_file_becomes_scrambles_that_its_solutions_solve(pickled, tmp_path):
    found = deepcubea.cubes(pickled)
    assert found == [{"scramble": "R' R' U", "optimal_qtm": 3}, {"scramble": "F'", "optimal_qtm": 1}]
    output = tmp_path / "testset.json"
    run = subprocess.run(
        [sys.executable, "-m", "results.deepcubea", pickled, "--output", output, "--first", "1"],
        cwd=records.ROOT,
        capture_output=True,
    )
    assert run.returncode == 0, run.stderr
    states, truth = read_cubes(Rubik3x3(), output)
    assert truth.tolist() == [3]
    assert Rubik3x3().is_solved(Rubik3x3().after("U' R R", states[0])[None]).all()


class Malicious:
    def __reduce__(self):
        return os.system, ("touch executed",)


def test_a_malicious_pickle_is_refused_unread(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "data_0.pkl"
    for payload in (pickle.dumps({"solutions": Malicious()}), b'cbuiltins\neval\n(S\'open("executed", "w")\'\ntR.'):
        file.write_bytes(payload)
        with pytest.raises(ValueError, match="which a test set has no use for: refused"):
            deepcubea.cubes(file)
    assert not (tmp_path / "executed").exists()
    file.write_bytes(pickle.dumps([1, 2]))
    with pytest.raises(ValueError, match="is not a test set of DeepCubeA's"):
        deepcubea.cubes(file)
    file.write_bytes(pickle.dumps({"solutions": [[["X", 1]]]}))
    with pytest.raises(ValueError, match="no quarter turn"):
        deepcubea.cubes(file)


def test_conjugations_by_hand():
    cube = Rubik3x3()
    found = triplets(cube, [cube.parse(text) for text in ("R U R' U R U' R' R'", "R U R'", "F F")])
    assert found["triplets"] == 7 and found["conjugations"] == 5 / 7 and found["of_the_14_most_used"] == 4
    assert found["by_chance"] == 12 * 10 / (12 * 11 * 11)
    for text, conjugation in {"R L R'": True, "U R' U": False, "U' R' R'": False, "R R R'": False, "R R' R'": False}.items():
        assert triplets(cube, [cube.parse(text)])["conjugations"] == conjugation
    half = Rubik3x3("htm")
    assert triplets(half, [half.parse("R2 U R2"), half.parse("R2 U R")])["conjugations"] == 1 / 2
    assert triplets(cube, [])["conjugations"] == 0


def test_pairs_and_blocks_by_hand():
    cube = Rubik3x3()
    states = np.stack([cube.after(text) for text in ("", "R", "R U", "R L", "R L U D")])
    assert joined_pairs(cube, states).tolist() == [24, 20, 16, 16, 8]  # a turn parts four corners from an edge each
    assert has_block(cube, states).tolist() == [True, True, True, False, False]
    found = progress(cube, states[2:3], [cube.parse("U' R'")])
    assert found["pairs"][0] == 16 and found["pairs"][-1] == 24 and found["block"][-1] == 1
    random = cube.random_states(np.arange(20_000, dtype=np.uint64))
    assert abs(joined_pairs(cube, random).mean() - 1) < 0.03  # 24 pairs, each with one chance in 24


def test_an_agent_that_comes_with_the_suite_is_measured_without_a_run(tmp_path, monkeypatch):
    monkeypatch.setattr(records, "changes", lambda: [])
    asked = Question("turns", ("tables",), partial(states.turned, most=2, n=3), {"greedy": Search("greedy")})
    runs = [Run("symmetric_ntuple:rubik3x3-qtm", name="tables")]
    this = Study("adi", runs, [asked], [], folder=tmp_path / "mine")
    measure(this, tmp_path / "runs")
    (record,) = records.read(this.folder / "adi.jsonl")
    assert record["training"]["command"] == "comes with rubiks_gym" and len(record["training"]["commit"]) == 40
    assert len(record["nodes"]) == len(record["lengths"]) == 6
    measure(this, tmp_path / "runs")
    assert len(records.read(this.folder / "adi.jsonl")) == 1


def test_every_row_of_the_papers_says_how_it_is_repeated_or_where_it_is():
    every = studies(records.AUTHORS)
    for rows in page.PAPERS.values():
        assert len({row[:2] for row in rows}) == len(rows)
        for row in rows:
            if row.command.startswith("python -m results --measure "):
                name, only = re.fullmatch(r"python -m results --measure (\w+) --only (.*)", row.command).groups()
                parts = shlex.split(only)
                assert any(all(part in answer.name for part in parts) for answer in every[name].all()), row.command
            elif row.command:
                assert (records.ROOT / row.command).exists(), row.command
            else:
                assert row.ours == page.NOT_YET


def test_a_cell_needs_all_that_it_is_asked_about(small, tmp_path, monkeypatch):
    monkeypatch.setattr(records, "changes", lambda: [])
    lay_down(tmp_path / "tabular" / "tower-s0")
    measure(small, tmp_path)
    greedy, missing = Asked("tabular", "uniform", "", "greedy"), Asked("tabular", "uniform", "tower", "beam")
    every = {"tabular": list(small.all())}
    count = lambda *found: " and ".join(str(len(of[0].record["lengths"])) for of in found)  # noqa: E731
    assert each(count, ("tower", "other"), greedy)(every) == f"tower: 5; other: {NOT_YET}", "nothing is left out silently"
    assert each(count, ("other",), greedy)(every) == ""
    assert each(count, ("tower",), greedy, greedy._replace(label="A*"))(every) == "tower: 5 and 5"
    assert each(count, ("tower",), greedy, missing)(every) == ""


def test_states_expanded_are_those_generated_by_what_each_has_of_children(tmp_path):
    for puzzle, nodes, expected in (("rubik2x2-qtm", [6, 11, 56], [1, 2, 11]), ("hanoi-4-3", [2, 4], [1, 2])):
        answer = Answer("davi", Run("2x2"), Question("walks", ()), "", {"puzzle": puzzle, "nodes": nodes})
        assert expanded(answer).tolist() == expected
    assert expanded(answer._replace(record={"puzzle": "hanoi-5-4", "nodes": [3]})) is None
    tower = puzzle_from_name("hanoi-4-3")
    search = Search("bwas", {"batch": 1}).make(agents.load("exact:hanoi-4-3"))
    found = search(tower.start[None])
    answer = answer._replace(record={"puzzle": "hanoi-4-3", "nodes": found.nodes.tolist()})
    assert expanded(answer)[0] == 15  # each state of the way but the goal


def test_frame_and_stewarts_numbers():
    assert [frame_stewart(n) for n in range(1, 11)] == [1, 3, 5, 9, 13, 17, 25, 33, 41, 49]  # OEIS A007664
    assert frame_stewart(6, 3) == 63


def test_walks_spread_over_distances_as_the_exact_table_says():
    one = tardon.spread("deepcube", 1)
    assert one[1] == 1
    assert tardon.spread("uniform", 2)[0] == pytest.approx(1 / 12, abs=0.01)  # half of them make two moves, a sixth undone
    assert lin.ceiling(False, 2) == pytest.approx(1) and lin.ceiling(True, 2) < 0.9


def test_different_symmetric_states_of_one_twist_and_of_many():
    assert konen.distinct(3, "qtm", 1) == 6  # one for each face, clockwise turns and others apart
    assert konen.distinct(2, "qtm", 1) == 3
    assert konen.distinct(3, "htm", 15) > 23.9


def test_to_list_a_study_measures_nothing(tmp_path):
    asked = ("--measure", "davi", "--only", "2x2-s", "truth", "--list", "--records", tmp_path / "records")
    told = commands.run("-m", "results", *asked)
    assert [line.split() for line in told.stdout.splitlines()] == [["missing", "davi", f"2x2-s{seed}/truth"] for seed in (0, 1)]
    assert not (tmp_path / "records").exists()
