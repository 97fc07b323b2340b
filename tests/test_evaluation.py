"""Agents, what is measured of them, and the evaluation program."""

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import spearmanr

from agents.baselines.agent import Random
from rubiks_gym.exact import Exact, ExactTable, bench
from rubiks_gym.puzzles import Hanoi, Rubik2x2, Rubik3x3, are_solutions, sample_seeds
from rubiks_gym.search import SEARCHES, Budget, make_search, parse_options, search_options
from rubiks_gym.search.heuristic import lookahead_policy
from rubiks_gym.search.solutions import Solutions
from tests import commands
from train import evaluation
from train.evaluate import Options, evaluate, parse_depths
from train.probe import Probe
from train.search_options import SearchOptions
from train.text import duration, percent

AGENTS = [Exact(Rubik2x2()), Exact(Hanoi(4)), Random(Rubik2x2("htm")), Random(Hanoi(3, 4)), Random(Rubik3x3())]


def test_look_ahead_prefers_the_best_child_and_never_an_illegal_one(rng):
    for puzzle in (Rubik2x2(), Hanoi(5)):
        exact = ExactTable(puzzle)
        states = puzzle.random_states(sample_seeds(rng, 200))
        states = states[~puzzle.is_solved(states)]
        policy = lookahead_policy(puzzle, lambda s, exact=exact: exact.distance(s) + 3.0, states)
        assert exact.optimal_actions(states)[np.arange(len(states)), policy.argmax(axis=1)].all()
        assert (policy[~puzzle.legal(states)] == 0).all()
        by_hand = np.exp(-2.0 * (exact.distance(puzzle.expand(states)[0]) + 3.0))
        by_hand[puzzle.is_solved(puzzle.expand(states)[0])] = 1.0
        by_hand[~puzzle.legal(states)[0]] = 0
        np.testing.assert_allclose(policy[0], by_hand / by_hand.sum(), rtol=1e-6)


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("agent", AGENTS[:2], ids=lambda agent: agent.puzzle.name)
def test_every_search_solves_with_the_exact_agent(name, agent, rng):
    states = agent.puzzle.random_states(sample_seeds(rng, 20))
    options = {"width": 1024} if name == "certified" else {}  # its default is for the 3x3x3
    found = make_search(name, agent, options, radius=2)(states)
    assert found.solved.all()
    assert are_solutions(agent.puzzle, states, found.moves).all()
    if not name.startswith("mcts"):
        assert [len(moves) for moves in found.moves] == ExactTable(agent.puzzle).distance(states).tolist()
    if agent.puzzle.name.startswith("rubik"):
        both = make_search(name, agent, options, inverse=True)(states[:5])
        assert are_solutions(agent.puzzle, states[:5], both.moves).all()


@pytest.mark.parametrize("name", SEARCHES)
def test_every_search_reports_what_it_cannot_solve(name, rng):
    agent = Random(Rubik3x3())
    states = agent.puzzle.random_states(sample_seeds(rng, 3))
    found = make_search(name, agent, budget=Budget(nodes=2000, seconds=5))(states)
    assert not found.solved.any() and found.moves == [[], [], []]


def test_search_options_are_read_and_unknown_ones_named():
    assert parse_options("bwas", ("weight=0.7", "batch=5")) == {"weight": 0.7, "batch": 5}
    assert parse_options("greedy", ("by=policy", "revisit=False")) == {"by": "policy", "revisit": False}
    assert "weight" in search_options("bwas") and "c" in search_options("mcts-konen")
    for name, text in (("bwas", "wieght=1"), ("beam", "width"), ("greedy", "__class__=1")):
        with pytest.raises(ValueError, match="cannot read the option"):
            parse_options(name, (text,))
    with pytest.raises(ValueError, match="unknown search 'a-star': choose from greedy"):
        parse_options("a-star", ())
    with pytest.raises(ValueError, match="has no option 'width': there are weight, batch"):
        make_search("bwas", AGENTS[0], {"width": 3})


def test_exact_agent_is_perfect_in_every_measure():
    for agent in (Exact(Hanoi(4)), Exact(Rubik2x2())):
        quality = evaluation.heuristic_quality(agent)
        assert quality["mean_absolute_error"] == quality["mean_overestimate"] == 0
        shares = ("admissible", "consistent", "greedy_solved", "greedy_without_undo_solved")
        assert [quality[share] for share in shares] == [1, 1, 1, 1]
        assert quality["spearman"] == pytest.approx(1)


class Bent:
    """A wrong cost-to-go on a small puzzle, so that every measure can be worked out by walking."""

    def __init__(self, puzzle, seed):
        self.puzzle = puzzle
        noise = np.random.default_rng(seed).normal(0, 1.5, puzzle.n_states)
        self.h = (ExactTable(puzzle).distances + noise).astype(np.float32)

    def cost_to_go(self, states):
        return self.h[self.puzzle.index(states)]


@pytest.mark.parametrize("seed", range(2))
def test_measures_of_a_wrong_heuristic_equal_those_found_by_walking(seed):
    puzzle = Hanoi(4)
    agent = Bent(puzzle, seed)
    quality = evaluation.heuristic_quality(agent)
    distances = ExactTable(puzzle).distances.astype(float)
    assert quality["mean_absolute_error"] == pytest.approx(np.abs(agent.h - distances).mean(), rel=1e-4)
    assert quality["admissible"] == pytest.approx((agent.h <= distances).mean())
    assert quality["spearman"] == pytest.approx(spearmanr(agent.h, distances).statistic)
    consistent, solved, solved_without_undo = [], 0, 0
    for index in range(puzzle.n_states):
        state = puzzle.from_index([index])
        for action in np.flatnonzero(puzzle.legal(state)[0]):
            child = puzzle.apply(state, [action])
            h = 0 if puzzle.is_solved(child)[0] else agent.cost_to_go(child)[0]
            consistent.append(agent.h[index] <= 1 + h + 1e-4)
        solved += walks_home(puzzle, agent, state, undo=True)
        solved_without_undo += walks_home(puzzle, agent, state, undo=False)
    assert quality["consistent"] == pytest.approx(np.mean(consistent))
    assert quality["greedy_solved"] == pytest.approx(solved / puzzle.n_states)
    assert quality["greedy_without_undo_solved"] == pytest.approx(solved_without_undo / puzzle.n_states)
    assert 0 < solved < solved_without_undo


@pytest.mark.parametrize("puzzle", [Hanoi(4), Rubik2x2()], ids=str)
def test_the_thesis_s_measures_equal_those_found_state_by_state(puzzle):
    agent, table = Bent(puzzle, 0), ExactTable(puzzle)
    states = puzzle.walk(np.arange(60, dtype=np.uint64), np.arange(60) % 12)
    found = evaluation.thesis_quality(agent, states)
    h = lambda state: 0.0 if puzzle.is_solved(state)[0] else float(agent.cost_to_go(state)[0])  # noqa: E731
    over, consistent = [], []
    for state in states[:, None]:
        legal = np.flatnonzero(puzzle.legal(state)[0])
        consistent.append(all(h(state) <= 1 + h(puzzle.apply(state, np.array([a]))) + 1e-4 for a in legal))
        over.append(h(state) - table.distance(state)[0])
    assert found["consistent_states"] == pytest.approx(np.mean(consistent)) and 0 < np.mean(consistent) < 1
    assert found["admissible"] == pytest.approx(np.mean([each <= 1e-4 for each in over]))
    assert found["overestimate_of_inadmissible"] == pytest.approx(np.mean([each for each in over if each > 1e-4]), rel=1e-4)


def walks_home(puzzle, agent, state, undo):
    last = None
    for _ in range(600):
        if puzzle.is_solved(state)[0]:
            return True
        legal = puzzle.legal(state)[0]
        if last is not None and not undo:
            legal[puzzle.inverse_action[last]] = False
        children = puzzle.expand(state)[0]
        h = np.where(puzzle.is_solved(children), 0, agent.cost_to_go(children))
        last = int(np.where(legal, h, np.inf).argmin())
        state = children[last][None]
    return False


def test_solved_rates_count_only_real_solutions():
    agent = Exact(Rubik2x2())

    def liar(states):
        found = make_search("greedy", agent)(states)
        return found._replace(moves=[moves[:-1] if i % 2 else moves for i, moves in enumerate(found.moves)])

    (row,) = evaluation.solved_by_depth(agent.puzzle, liar, [9], 40)
    assert row["solved"] == row["optimal"] == 0.5
    truth = evaluation.true_distances(agent.puzzle, evaluation.start_states(agent.puzzle, 9, 40, 0))
    assert row["lengths"] == [None if i % 2 else d for i, d in enumerate(truth.tolist())]
    (row,) = evaluation.solved_by_depth(agent.puzzle, make_search("greedy", agent), [9], 40)
    assert row["solved"] == row["optimal"] == 1 and row["mean_length"] == row["mean_distance"]


def test_every_agent_is_asked_the_same_questions():
    cube = Rubik3x3()
    a, b = evaluation.start_states(cube, 7, 50, seed=1), evaluation.start_states(cube, 7, 50, seed=1)
    assert (a == b).all()
    assert (a != evaluation.start_states(cube, 7, 50, seed=2)).any()
    assert (a[:20] == evaluation.start_states(cube, 7, 20, seed=1)).all()


def test_evaluation_writes_table_json_and_figure(tmp_path, capsys):
    asked = Options(run="exact:hanoi-4-3", search="bwas", depths="0,1-3,9", cubes=10, heuristic=True, output=tmp_path)
    result = evaluate(asked)
    stored = json.loads((tmp_path / "001-bwas.json").read_text())
    assert stored["rows"] == result["rows"] and [row["depth"] for row in stored["rows"]] == [0, 1, 2, 3, 9]
    assert stored["provenance"]["python"] and stored["options"]["search"] == "bwas"
    assert (tmp_path / "001-bwas.png").stat().st_size > 10_000
    printed = capsys.readouterr().out
    assert "uniform" in printed and "admissible" in printed and "100%" in printed and "001-bwas.json" in printed
    first = (tmp_path / "001-bwas.json").read_text()
    assert "heuristic" not in evaluate(replace(asked, search="greedy", heuristic=False)), (
        "the scan of all states, only if asked"
    )
    evaluate(asked)
    assert sorted(file.name for file in tmp_path.glob("*.json")) == ["001-bwas.json", "002-greedy.json", "003-bwas.json"]
    assert (tmp_path / "001-bwas.json").read_text() == first


def test_kociemba_is_the_yardstick_on_the_3x3x3(capsys):
    result = evaluate(Options(run="random:rubik3x3-qtm", depths="1,2,20", cubes=5, max_nodes=500))
    assert [row["solver"] for row in result["baseline"]] == ["kociemba"] * 3
    lengths = [row["mean_length"] for row in result["baseline"]]
    assert lengths[0] == 1 and lengths[1] == 2 and 15 < lengths[2] < 40
    assert "kociemba" in capsys.readouterr().out


def test_evaluation_goes_to_wandb(tmp_path):
    command = ["-m", "train.evaluate", "exact:hanoi-3-3", "--depths", "1-3", "--cubes", "5"]
    commands.run(*command, "--wandb", "offline", "--output", tmp_path).check_returncode()
    assert (
        list(tmp_path.rglob("*.wandb")) and list(tmp_path.rglob("*.table.json")) and list(tmp_path.rglob("media/images/*.png"))
    )


@pytest.mark.parametrize(("text", "expected"), [("1-4", [1, 2, 3, 4]), ("5,10", [5, 10]), ("0,2-3", [0, 2, 3])])
def test_depths_are_read(text, expected):
    assert parse_depths(text) == expected


@pytest.mark.parametrize(
    ("module", "arguments", "fault"),
    [
        ("train.evaluate", ["nowhere"], "no run folder at nowhere"),
        ("train.evaluate", ["exact:hanoi-3-3", "--depths", "a-b"], "cannot read the depths 'a-b'"),
        ("train.evaluate", ["exact:hanoi-3-3", "--search", "dfs"], "unknown search 'dfs'"),
        ("train.evaluate", ["exact:hanoi-3-3", "--search", "beam", "--option", "wide=3"], "cannot read the option 'wide=3'"),
        ("train.evaluate", ["exact:hanoi-3-3", "--cubes", "0"], "--cubes must be a whole number from 1 to 100000000, got 0"),
        ("train.evaluate", ["exact:rubik3x3-qtm"], "no exact table"),
        ("train.evaluate", ["exact:rubik2x2-qtm", "--cubes-file", "none.json"], "there is no file none.json"),
        ("train.evaluate", ["exact:rubik2x2-qtm", "--cubes-file", "pyproject.toml"], "must be a JSON list of"),
        ("train.evaluate", ["exact:hanoi-3-3", "--inverse"], "no inverse"),
        ("train.evaluate", ["exact:hanoi-3-3", "--inverse", "--no-inverse"], "give --inverse or --no-inverse, not both"),
        ("train.evaluate", ["exact:hanoi-3-3", "--radius", "-1"], "--radius must be a whole number of at least 0, got -1"),
        ("train.evaluate", ["exact:hanoi-3-3", "--import", "no_such_module"], "no_such_module"),
        ("train.evaluate", ["exact:hanoi-3-3", "--also", "exact:hanoi-4-3"], "an agent for hanoi-3-3, not for hanoi-4-3"),
    ],
)
def test_command_lines_name_what_is_wrong(module, arguments, fault):
    done = commands.run("-m", module, *arguments)
    assert done.returncode == 1
    assert "error:" in done.stderr and fault in done.stderr
    assert "Traceback" not in done.stderr


def test_cubes_from_a_file_are_measured_against_their_optimal_lengths(tmp_path):
    file = tmp_path / "cubes.json"
    file.write_text(json.dumps([{"scramble": "R U F", "optimal_qtm": 3}, {"scramble": "R2 U", "optimal_qtm": 2}]))
    (row,) = evaluate(Options(run="exact:rubik2x2-qtm", cubes_file=file, output=tmp_path / "found"))["rows"]
    assert row["solved"] == 1 and row["mean_length"] == 3 and row["mean_distance"] == 2.5 and row["optimal"] == 0.5
    assert (tmp_path / "found" / "001-greedy.png").exists()
    file.write_text(json.dumps([{"scramble": "R U F"}]))
    assert evaluation.read_cubes(Rubik3x3(), file)[1] is None


def test_the_shortest_solution_of_several_agents_counts(tmp_path):
    asked = {"search": "bwas", "option": ("weight=0.1",), "depths": "6", "cubes": 10, "output": tmp_path}
    alone, exact = (evaluate(Options(run=f"{kind}:rubik2x2-qtm", **asked))["rows"][0] for kind in ("random", "exact"))
    (both,) = evaluate(Options(run="random:rubik2x2-qtm", also=("exact:rubik2x2-qtm",), **asked))["rows"]
    assert alone["optimal"] < 1 and both["optimal"] == exact["optimal"] == 1
    assert both["nodes"] == pytest.approx(alone["nodes"] + exact["nodes"])


def test_large_hanoi_is_evaluated_without_a_baseline():
    for name in ("hanoi-20-3", "hanoi-41-3"):
        result = evaluate(Options(run=f"random:{name}", depths="1-2", cubes=2))
        assert result["baseline"] == [] and "heuristic" not in result
    assert Options(run="x", option=("weight=1", "batch=2")).option == ("weight=1", "batch=2")
    with pytest.raises(ValueError, match="allow_undo must be True or False, got 'no'"):
        make_search("greedy", AGENTS[0], {"allow_undo": "no"})(AGENTS[0].puzzle.goal[None])


class Suited(Random):
    """An agent that says which search suits it."""

    SEARCH = {"search": "beam", "option": ("width=64", "max_steps=9"), "radius": 3, "inverse": True}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, ("beam", {"width": 64, "max_steps": 9}, 3, True)),
        ({"option": ("width=7",)}, ("beam", {"width": 7, "max_steps": 9}, 3, True)),
        ({"radius": 0}, ("beam", {"width": 64, "max_steps": 9}, 0, True)),
        ({"no_inverse": True}, ("beam", {"width": 64, "max_steps": 9}, 3, False)),
        ({"search": "beam", "radius": 1}, ("beam", {"width": 64, "max_steps": 9}, 1, True)),
        ({"search": "bwas", "option": ("weight=1",)}, ("bwas", {"weight": 1}, 0, False)),
        ({"search": "bwas", "inverse": True}, ("bwas", {}, 0, True)),
    ],
)
def test_each_setting_of_the_user_wins_over_what_suits_the_agent(given, expected):
    assert SearchOptions(**given).choice(Suited(Rubik2x2())) == expected


def test_an_agent_that_says_nothing_is_measured_greedily():
    assert SearchOptions().choice(Random(Rubik2x2())) == ("greedy", {}, 0, False)


def test_only_one_is_a_hundred_percent_and_only_zero_none():
    shares = [0, 1e-7, 0.00049, 0.5, 0.123456, 0.9994, 0.9998, 0.99999, 1 - 1e-9, 1]
    texts = ["0%", "0.00001%", "0.05%", "50.0%", "12.3%", "99.9%", "99.98%", "99.999%", "99.9999999%", "100%"]
    assert [percent(share) for share in shares] == texts
    assert duration(3725.4) == "1:02:05"


class _Answers:
    """The proven solutions of the bench, or, of every third cube, one that is two moves longer."""

    def __init__(self, metric):
        self.puzzle, self.known = Rubik3x3(metric), bench.known(metric)

    def __call__(self, states):
        moves = [self.puzzle.parse(self.known[i]["moves"]) for i in range(len(states))]
        moves = [[0, self.puzzle.inverse_action[0], *m] if i % 3 == 0 else m for i, m in enumerate(moves)]
        n = len(states)
        return Solutions(moves, np.ones(n, bool), np.ones(n, int), np.ones(n), np.zeros(n, int))


def test_cubes_of_the_bench_are_measured_where_their_lengths_are_proven():
    answers = _Answers("qtm")
    states, truth = evaluation.bench_cubes(answers.puzzle, 12)
    assert np.isfinite(truth).all() and (states == bench.cubes()[:12]).all()
    row = evaluation.solved_from(answers.puzzle, answers, states, truth)
    assert row["optimal"] == 8 / 12 and row["mean_excess"] == 4 * 2 / 12
    assert [[d, n] for d, n, _ in row["excess_by_distance"]] == np.stack(np.unique(truth, return_counts=True), 1).tolist()
    truth[:6] = np.nan  # not proven: neither for nor against
    row = evaluation.solved_from(answers.puzzle, answers, states, truth)
    assert row["optimal"] == 4 / 6 and row["distances"][:6] == [None] * 6
    with pytest.raises(ValueError, match="the bench of proven lengths is for the 3x3x3, not for rubik2x2-qtm"):
        evaluation.bench_cubes(Rubik2x2(), 3)


def test_errors_on_the_3x3x3_are_those_at_proven_distances():
    puzzle = Rubik3x3("htm")
    states, distances = bench.strata("htm")
    known = {state.tobytes(): d for state, d in zip(states, distances, strict=True)}

    def cost_to_go(asked):  # right but for what is 3 moves away; of children, which may not be known, nothing is asked
        d = np.array([known.get(state.tobytes(), 99) for state in asked], np.float32)
        return np.where(d == 3, 5, d).astype(np.float32)

    errors = Probe(puzzle).errors(cost_to_go)
    assert errors["error"] == pytest.approx(2 * (distances == 3).mean()) and errors["error at 0-1"] == 0
    found = evaluation.heuristic_quality(SimpleNamespace(puzzle=puzzle, cost_to_go=cost_to_go))
    assert found["error_by_distance"][2:5] == [0, 2, 0] and found["states"] == len(states)
    assert found["admissible"] == pytest.approx((distances != 3).mean())
