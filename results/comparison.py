"""Learners compared on the same cubes: performance profiles, differences of pairs, and interquartile means over seeds."""

from collections.abc import Iterable

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from results import records, states
from results.plots import COLOURS
from results.questions import Answer, Study
from results.statistics import mean_text, over_runs, paired, profile, share_text
from results.tables import table

FEWEST = 300  # cubes of a question that is compared
MOST = 12  # moves beyond the optimum that are shown


def excess(answer: Answer) -> np.ndarray:
    """Moves beyond the fewest possible [n], nan where unsolved."""
    found = records.unpack(answer.record)
    return found.lengths - found.distances


def seconds(answer: Answer) -> np.ndarray:
    """CPU seconds of each cube [n], nan where unsolved."""
    each = np.array([row[2] for row in answer.record["by_group"]])
    return np.where(np.isnan(records.unpack(answer.record).lengths), np.nan, each)


def profiles(answers: list[Answer]) -> Figure:
    """A column for each search: the share of cubes solved within the optimum + k moves, and within t CPU seconds."""
    searches = list(dict.fromkeys(answer.label for answer in answers))
    learners = list(dict.fromkeys(answer.run.title for answer in answers))
    figure = Figure(figsize=(2 + 2 * len(searches), 5.2), layout="constrained")
    axes = figure.subplots(2, len(searches), sharey=True, sharex="row", squeeze=False)
    times = np.concatenate([seconds(answer) for answer in answers])
    grid = np.geomspace(max(np.nanmin(times), 1e-6), np.nanmax(times) * 1.5, 200)
    for answer in answers:
        column, colour = searches.index(answer.label), COLOURS[learners.index(answer.run.title)]
        for ax, values, at in (
            (axes[0, column], excess(answer), np.arange(MOST + 1)),
            (axes[1, column], seconds(answer), grid),
        ):
            share, low, high = profile(values, at)
            step = {"step": "post"} if at is not grid else {}
            ax.fill_between(at, low, high, color=colour, alpha=0.12, linewidth=0, **step)
            ax.plot(at, share, color=colour, label=answer.run.title, drawstyle="steps-post" if step else "default")
    for ax, label in zip(axes[0], searches, strict=True):
        ax.set(title=label, xlabel="moves beyond the optimum", ylim=(0, 1.02))
        ax.yaxis.set_major_formatter(PercentFormatter(1))
    for ax in axes[1]:
        ax.set(xscale="log", xlabel="CPU seconds")
    axes[0, 0].set_ylabel("solved within k more")
    axes[1, 0].set_ylabel("solved in time")
    handles = {line.get_label(): line for ax in axes[0] for line in ax.get_lines()}
    figure.legend(handles.values(), handles, loc="outside lower center", ncols=len(handles))
    return figure


def pairs(answers: list[Answer]) -> str:
    """For each search: by how many moves the solutions of one learner are longer than those of another, on the same cubes."""
    rows = []
    for label in dict.fromkeys(answer.label for answer in answers):
        of = [answer for answer in answers if answer.label == label]
        for i, a in enumerate(of):
            for b in of[i + 1 :]:
                found = paired(records.unpack(a.record).lengths, records.unpack(b.record).lengths)
                if found.n:
                    text = f"{found.mean:+.2f} ({found.low:+.2f} to {found.high:+.2f})"
                    rows.append([label, a.run.title, b.run.title, text, str(found.n)])
    told = "Mean difference of lengths, first minus second, over the cubes that both solve; interval by a paired bootstrap."
    return table(["search", "first", "second", "moves longer", "cubes"], rows) + f"\n\n{told}"


def same_cubes(studies: Iterable[Study]) -> str:
    """Everything that was recorded cube by cube on uniformly random cubes, cut to those that all of a puzzle were asked.

    n uniform states of a seed begin with the states of any smaller n, so the first ones of different questions are the same.
    """
    groups: dict[tuple[str, int], list[Answer]] = {}
    for answer in (answer for study in studies for answer in study.all()):
        of, record = (answer.question.states and states.describe(answer.question.states)) or {}, answer.record
        uniform = of.get("kind") in ("Uniform", "EachAlone")
        if uniform and record and records.usable(record) and len(record.get("lengths", [])) >= FEWEST:
            groups.setdefault((record["puzzle"], of["seed"]), []).append(answer)
    texts = []
    for (puzzle, seed), answers in sorted(groups.items()):
        if len({answer.algorithm for answer in answers}) < 2:
            continue
        n = min(len(answer.record["lengths"]) for answer in answers)
        rows = []
        for answer in answers:
            found = records.unpack(answer.record)
            lengths, distances = found.lengths[:n], found.distances[:n]
            known, done = np.isfinite(distances), np.isfinite(lengths)
            best = share_text(int((lengths == distances)[known].sum()), int(known.sum())) if known.any() else ""
            learner = answer.run.title if answer.algorithm == "zoo" else f"{answer.algorithm}, {answer.run}"
            cells = [learner, answer.label, share_text(int(done.sum()), n), best, mean_text(lengths[done])]
            rows.append([*cells, f"{answer.record['each']['cpu_seconds']:.3g}"])
        heading = f"### {puzzle}: the first {n} uniformly random cubes of seed {seed}"
        texts.append(f"{heading}\n\n{table(['learner', 'search', 'solved', 'optimal', 'mean length', 'CPU s'], rows)}")
    return "\n\n".join(texts) or "No two learners were asked the same cubes yet."


def boards(study: Study) -> str:
    """Interquartile means of TD-n-tuple's boards over puzzles and seeds, as far as all were measured."""
    found: dict[str, dict[str, list[float]]] = {}
    for answer in study.of("boards"):
        puzzle, _, board = answer.run.title.rpartition("k-")
        found.setdefault(board, {}).setdefault(puzzle, []).append(answer.record["found"]["solved_alone"])
    rows = []
    for board, tasks in found.items():
        seeds = min(map(len, tasks.values()))
        if len(tasks) < max(map(len, found.values())) or seeds < 2:
            continue
        scores = np.array([task[:seeds] for task in tasks.values()]).T  # [seeds, puzzles]
        middle, low, high = over_runs(100 * scores)
        rows.append([board, str(len(tasks)), str(seeds), f"{middle:.1f} ({low:.1f} to {high:.1f})"])
    if not rows:
        return "Not measured yet: `python -m results --measure td_ntuple --only boards` does."
    return table(["board", "puzzles", "seeds", "percent solved, interquartile mean"], rows)
