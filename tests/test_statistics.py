"""Statistics of comparisons against scipy's, and by what they promise."""

import json
from functools import partial

import numpy as np
import pytest
from scipy import stats

from results import states
from results.comparison import boards, excess, pairs, profiles, same_cubes, seconds
from results.equal_length import Point, seconds_at
from results.questions import Answer, Question, Run
from results.seeds import SEEDS, TITLE, curve, measured, seeds_plot, seeds_table
from results.statistics import curves_over_runs, interquartile_mean, over_runs, paired, profile, wilson
from rubiks_gym.puzzles import puzzle_from_name


def test_the_interquartile_mean_is_the_trimmed_mean():
    rng = np.random.default_rng(0)
    for shape in ((1, 4), (3, 5), (10, 7), (2, 50)):
        scores = rng.normal(size=shape)
        assert interquartile_mean(scores) == pytest.approx(stats.trim_mean(scores, 0.25, axis=None))
    assert interquartile_mean([0.0, 1.0, 1.0, 1000.0]) == 1.0  # an outlier does not count


def test_seconds_at_equal_length_are_read_off_straight_lines_over_the_logarithm_of_time():
    curve = [Point(str(s), np.full(4, length), s) for length, s in ((30.0, 1.0), (28.0, 4.0), (28.5, 8.0), (26.0, 16.0))]
    assert seconds_at(curve, 29.0) == pytest.approx(2.0)
    assert seconds_at(curve, 30.0) == 1 and seconds_at(curve, 28.0) == 4  # the first to be as short
    assert 8 < seconds_at(curve, 27.0) < 16
    assert seconds_at(curve, 31.0) == 1  # its quickest is shorter already
    assert np.isnan(seconds_at(curve, 25.9)) and np.isnan(seconds_at([], 28.0))


def test_a_profile_counts_failures_against_every_threshold():
    share, low, high = profile(np.array([0.0, 2.0, 2.0, np.nan]), np.array([0.0, 1.0, 2.0, 1e9]))
    assert share.tolist() == [0.25, 0.25, 0.75, 0.75]
    assert (low[2], high[2]) == wilson(3, 4) and (np.diff(share) >= 0).all()
    values = np.random.default_rng(0).exponential(size=500)
    at = np.linspace(0, 3, 7)
    assert np.allclose(profile(values, at)[0], stats.ecdf(values).cdf.evaluate(at))


def test_a_paired_difference_agrees_with_scipy_and_is_sharper_than_two_means():
    rng = np.random.default_rng(1)
    cubes = rng.integers(8, 14, 400).astype(float)  # hard cubes are hard for both
    a, b = cubes + rng.integers(0, 3, 400), cubes + rng.integers(0, 2, 400)
    found = paired(a, b)
    interval = stats.bootstrap((a - b,), np.mean, n_resamples=2000, method="percentile").confidence_interval
    assert found.mean == pytest.approx((a - b).mean()) and found.n == 400
    assert [found.low, found.high] == pytest.approx(list(interval), abs=0.03)
    apart = np.hypot(stats.sem(a), stats.sem(b)) * 2 * 1.96
    assert found.high - found.low < 0.6 * apart


def test_a_pair_counts_only_cubes_that_both_solve():
    found = paired(np.array([1.0, np.nan, 5.0]), np.array([2.0, 3.0, np.nan]))
    assert found == (-1.0, -1.0, -1.0, 1)
    assert paired(np.array([np.nan]), np.array([1.0])).n == 0


def test_paired_intervals_hold_the_truth_as_often_as_they_say():
    rng, hits = np.random.default_rng(2), 0
    for i in range(200):
        cubes = rng.normal(size=60)
        low, high = paired(cubes + rng.normal(0.3, 1, 60), cubes, samples=400, seed=i)[1:3]
        hits += low <= 0.3 <= high
    assert 0.89 < hits / 200 < 0.99


def test_the_interval_over_runs_is_stratified_by_task():
    scores = np.array([[0.0, 100.0]] * 5)  # runs agree: however different the tasks are, nothing is uncertain
    assert over_runs(scores) == (50.0, 50.0, 50.0)
    rng = np.random.default_rng(3)
    scores = rng.normal([0.0, 5.0, 10.0], 1.0, (30, 3))
    middle, low, high = over_runs(scores, np.mean)
    expected = np.sqrt((scores.var(axis=0) / 30).sum()) / 3 * 1.96  # of a mean of three independent means
    assert middle == pytest.approx(scores.mean()) and (high - low) / 2 == pytest.approx(expected, rel=0.15)


def test_curves_over_runs_are_interquartile_means_point_by_point():
    curves = np.random.default_rng(4).normal(size=(5, 7))
    middle, low, high = curves_over_runs(curves)
    for point in range(7):
        assert over_runs(curves[:, point : point + 1]) == pytest.approx((middle[point], low[point], high[point]))
    assert (low <= middle).all() and (middle <= high).all() and (low < high).all()


def curve_answer(algorithm, seed, last, puzzle="rubik2x2-qtm", kinds=("solved", "optimal")):
    found = {kind: [[1.0 + seed, 0.1], [10.0 + seed, 0.95], [20.0 + seed, last]] for kind in kinds}
    record = {"training": {}, "puzzle": puzzle, "found": found}
    return Answer(algorithm, Run("p", seed, name=TITLE), Question("curve", ()), "", record)


def test_learning_curves_are_shown_of_learners_with_all_seeds():
    def study(answers):
        return type("Study", (), {"of": lambda self, question, title: answers})()

    last = (0.5, 0.9, 0.92, 0.94, 1.0)
    five = [curve_answer("davi", seed, last[seed]) for seed in range(SEEDS)]
    large = [curve_answer("symmetric_ntuple", seed, 0.3, "rubik3x3-qtm", ("solved",)) for seed in range(SEEDS)]
    found = measured([study(five), study(five[:4]), study(large), study([])])
    assert found == five + large
    text = seeds_table(found)
    mean = "{:.1f} ({:.1f} to {:.1f})".format(*over_runs(100 * np.array(last)[:, None]))
    assert f"| davi | rubik2x2-qtm | 22 | 50.0 90.0 92.0 94.0 100.0 | {mean} | {mean} | 12 |" in text and "![" in text
    assert mean.startswith("92.0 (")
    assert "| symmetric_ntuple | rubik3x3-qtm | 22 | 30.0 30.0 30.0 30.0 30.0 | 30.0 (30.0 to 30.0) |  | 12 |" in text
    figure = seeds_plot(found)
    assert [len(ax.get_lines()) for ax in figure.axes] == [1, 1, 1]
    assert figure.axes[0].get_lines()[0].get_ydata() == pytest.approx([10, 95, 92])
    assert "yet" in seeds_table([])


def test_a_curve_counts_the_seconds_of_learning_up_to_each_measurement(tmp_path):
    rows = [{"step": i, "cpu_seconds": 2.0, **({"alone_solved": i / 10} if i % 2 == 0 else {})} for i in range(1, 5)]
    (tmp_path / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert curve(None, tmp_path) == {"solved": [[4.0, 0.2], [8.0, 0.4]]}


def answer(learner, search, lengths, distances, times):
    record = {"lengths": lengths, "distances": distances, "by_group": [[i, 1, t, 5] for i, t in enumerate(times)]}
    return Answer("zoo", Run(f"zoo:{learner}/x", name=learner), Question("same cubes", (learner,)), search, record)


def test_a_comparison_draws_and_pairs_what_records_say():
    a = answer("davi", "beam", [3, 5, None], [3, 4, 4], [0.1, 0.2, 0.3])
    b = answer("adi", "beam", [5, 6, 4], [3, 4, 4], [0.01, 0.02, 0.03])
    assert np.array_equal(excess(a), [0, 1, np.nan], equal_nan=True)
    assert np.array_equal(seconds(a), [0.1, 0.2, np.nan], equal_nan=True)
    assert "| beam | davi | adi | -1.50 (-2.00 to -1.00) | 2 |" in pairs([a, b])
    figure = profiles([a, b])
    upper = figure.axes[0].get_lines()
    assert [line.get_label() for line in upper] == ["davi", "adi"]
    assert upper[0].get_ydata()[:2].tolist() == [1 / 3, 2 / 3] and upper[1].get_ydata()[2] == 1


def test_uniform_cubes_of_a_seed_begin_alike_however_many_there_are():
    for puzzle in map(puzzle_from_name, ("rubik2x2-qtm", "rubik3x3-qtm")):
        few, many = states.uniform(puzzle, n=30)[0], states.uniform(puzzle, n=200)[0]
        assert (few == many[:30]).all() and not (few == states.uniform(puzzle, n=30, seed=1)[0]).all()
    few, truth, groups = states.each_alone(puzzle_from_name("rubik2x2-qtm"), n=30)
    assert (few == states.uniform(puzzle_from_name("rubik2x2-qtm"), n=200)[0][:30]).all() and groups.tolist() == list(range(30))


def test_only_learners_that_were_asked_the_same_cubes_stand_in_one_table():
    def study(algorithm, n, seed, length):
        asked = Question("uniform", (algorithm,), partial(states.uniform, n=n, seed=seed))
        record = {"puzzle": "rubik2x2-qtm", "clean": True, "lengths": [length] * n, "distances": [10] * n}
        answer = Answer(algorithm, Run("p"), asked, "beam", record | {"each": {"cpu_seconds": 0.1}})
        return type("Study", (), {"all": lambda self: [answer]})()

    text = same_cubes([study("davi", 300, 0, 10), study("adi", 500, 0, 12), study("ppo", 500, 1, 14)])
    assert "rubik2x2-qtm: the first 300 uniformly random cubes of seed 0" in text and "ppo" not in text
    assert "| davi, p-s0 | beam | 100% (98.7 to 100) | 100% (98.7 to 100) | 10.00 | 0.1 |" in text
    assert "| adi, p-s0 | beam | 100% (98.7 to 100) | 0% (0 to 1.3) | 12.00 | 0.1 |" in text
    assert "yet" in same_cubes([study("davi", 300, 0, 10)])


def test_boards_are_compared_only_where_all_puzzles_and_seeds_are_there():
    def of(title, seed, share):
        return Answer("td_ntuple", Run("p", seed, name=title), Question("boards", ()), "", {"found": {"solved_alone": share}})

    found = [
        of(f"{puzzle}-100k-{board}", seed, share)
        for board, share in (("good", 0.9), ("bad", 0.5))
        for puzzle in "ab"
        for seed in (0, 1)
    ]
    found.append(of("a-100k-half", 0, 1.0))
    text = boards(type("Study", (), {"of": lambda self, question: found})())
    assert "| good | 2 | 2 | 90.0 (90.0 to 90.0) |" in text and "| bad |" in text and "half" not in text
