"""The symmetric n-tuple network on the 3x3x3: DeepCubeA's test set, uniform cubes, and what each part is worth."""

from functools import partial
from itertools import cycle
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from results import plots, records
from results.published import CUBES_3X3
from results.questions import Answer, Question, Run, Search, Study, beam
from results.seeds import CURVE, short_runs
from results.states import prefixes, proven, test_set, uniform
from results.statistics import bootstrap, paired, wilson
from results.tables import Section, pooled, prefix_table, table

PARTS: dict[str, dict[str, Any]] = {  # what a run of the ablation leaves out -> settings
    "no-backups": {"rounds": 0},
    "random-cubies": {"rounds": 0, "tables": ("0,5,10,14,19", "1,6,7,12,17", "2,9,11,13,18")},
    "no-link": {"rounds": 0, "saturation": 1000.0},
    "untrained": {"walk_batches": 0, "rounds": 0},
}


# What is learnt from the searches of the learner itself, each at about the same CPU seconds of training.
OBJECTIVES: dict[str, dict[str, Any]] = {
    "raise-only": {},
    "two-sided": {"two_sided": True},
    "paths": {"path_lr": 0.3},
    "two-sided-paths": {"two_sided": True, "path_lr": 0.3},
    "contrast": {"contrast": 0.3, "rounds": 17},
}


into_perimeter = partial(beam, radius=7, inverse=True, nodes=10**9)


def tails(tail: int, *widths: int) -> dict[str, Search]:
    """Beams whose last moves an exact search finds, both ways."""
    of = {width: beam(width, inverse=True, tail=tail, children_per_state=2) for width in widths}
    return {f"beam {width:,}, tail {tail}": search for width, search in of.items()}


def proof(deepest: int) -> Search:
    """Beams and exact searches in turn; nothing longer than `deepest` is ruled out."""
    return Search("certified", {"deepest": deepest}, nodes=10**12)


EVERY = {"every child": into_perimeter(1024, children_per_state=12)}
ONE_WAY = {"every child, one way": into_perimeter(1024, inverse=False, children_per_state=12)}
# An untrained network solves nothing: a million nodes each way are enough to see it.
UNTRAINED = {"every child": into_perimeter(1024, nodes=1_000_000, children_per_state=12)}
QTM_TAILS = tails(13, 1024, 4096, 16_384) | tails(14, 8192, 16_384)
TEST_SET, RANDOM, BENCH = partial(test_set, n=200), partial(uniform, n=1000), partial(proven, n=300)
RUNS = [Run(preset, seed) for preset in ("3x3-qtm", "3x3-htm") for seed in (0, 1)]
RUNS += [Run(f"symmetric_ntuple:rubik3x3-{metric}", name=f"trained-{metric}") for metric in ("qtm", "htm")]  # seed 0
RUNS += [Run("3x3-qtm", 0, changed, name) for name, changed in PARTS.items()]
RUNS += [Run("3x3-demo", seed, changed, name) for name, changed in OBJECTIVES.items() for seed in range(3)]
BOTH = OBJECTIVES["two-sided-paths"]  # what wins in a quarter of the rounds, in all of them
RUNS += [Run(preset, seed, BOTH, f"{preset}-two-sided-paths") for preset in ("3x3-qtm", "3x3-htm") for seed in (0, 1)]
# TD learning alone; nothing helps the searches, neither a perimeter nor the inverse cube.
TD = ("3x3-qtm-td", "3x3-qtm-td-15")
RUNS += [Run("3x3-qtm-td", seed) for seed in (0, 1)]
RUNS += [Run("3x3-qtm-td", seed, {"walk_length": 15, "max_steps": 18}, "3x3-qtm-td-15") for seed in (0, 1)]
TD_SEARCHES = {
    "greedy": Search("greedy", {"max_steps": 50}),
    **{f"beam {width:,}": beam(width, nodes=10**9) for width in (256, 1024, 8192)},
    **{f"BWAS, weight {w}": Search("bwas", {"weight": w, "batch": 100}, nodes=1_000_000) for w in (0.2, 0.3)},
}
QUESTIONS = [
    Question("td", TD, partial(uniform, n=200), TD_SEARCHES),
    Question(
        "test set", ("3x3-qtm",), TEST_SET, {f"beam {w:,}": into_perimeter(w) for w in (256, 1024, 4096, 16_384, 262_144)}
    ),
    Question("tails", ("trained-qtm",), TEST_SET, QTM_TAILS | {"certified": proof(20)}),
    Question("tails", ("3x3-qtm",), TEST_SET, QTM_TAILS, seeds=(1,)),
    Question("bench", ("trained-qtm",), BENCH, tails(13, 4096) | tails(14, 8192)),
    Question("bench", ("3x3-qtm",), BENCH, tails(13, 4096) | tails(14, 8192), seeds=(1,)),
    Question("bench", ("3x3-qtm-two-sided-paths",), BENCH, tails(13, 4096)),
    Question("bench", ("3x3-htm-two-sided-paths",), BENCH, tails(11, 4096)),
    Question("bench", ("trained-htm",), BENCH, tails(11, 4096, 16_384)),
    Question("bench", ("3x3-htm",), BENCH, tails(11, 4096, 16_384), seeds=(1,)),
    Question("bench 100", ("trained-htm",), partial(proven, n=100), tails(11, 65_536) | {"certified up to 17": proof(17)}),
    Question("objectives", tuple(OBJECTIVES), BENCH, tails(13, 1024)),
    Question("uniform", ("3x3-qtm",), RANDOM, {"beam 8,192": into_perimeter(8192)}),
    Question(
        "uniform", ("3x3-htm",), RANDOM, {"beam 1,024, every child": into_perimeter(1024, radius=6, children_per_state=18)}
    ),
    Question("parts", ("3x3-qtm", *list(PARTS)[:3]), TEST_SET, EVERY, seeds=(0,)),
    Question("parts", ("3x3-qtm",), TEST_SET, ONE_WAY, seeds=(0,)),
    Question("prefixes", ("3x3-qtm",), partial(prefixes), {"beam 65,536": into_perimeter(65_536)}, seeds=(0,)),
    Question("parts", ("untrained",), TEST_SET, UNTRAINED),
]


def together(answers: list[Answer]) -> str:
    """Two seeds searched with, the shorter solution of each cube counts: `--also` does the same."""
    joined = []
    for pair in pooled(answers).values():
        if len(pair) == 2:
            first, second = (answer.record for answer in pair)
            lengths = np.fmin(*(records.unpack(record).lengths for record in (first, second)))
            record = first | records.pack(records.unpack(first)._replace(lengths=lengths))
            record["each"] = {key: first["each"][key] + second["each"][key] for key in first["each"]}
            joined.append(pair[0]._replace(record=record))
    return Section("", "test set", "search, cubes, solved, mean length, optimal, nodes, CPU s").lines(joined)


def beside_raise_only(answers: list[Answer]) -> str:
    """By how many moves each objective's solutions are longer than those of raise-only backups: same cubes, same seeds."""
    found = {(a.run.title, a.run.seed, a.label): records.unpack(a.record).lengths for a in answers}
    # runs -> those of raise-only backups with the same settings; the trained tables are the presets' seed 0
    rivals: dict[str, tuple[str, ...]] = dict.fromkeys(list(OBJECTIVES)[1:], ("raise-only",))
    rivals |= {f"3x3-{metric}-two-sided-paths": (f"3x3-{metric}", f"trained-{metric}") for metric in ("qtm", "htm")}
    rows = []
    for name, others in rivals.items():
        pairs = [
            (lengths, found[other, seed, label])
            for (title, seed, label), lengths in found.items()
            for other in others
            if title == name and (other, seed, label) in found
        ]
        if pairs:
            ours, theirs = (np.concatenate(each) for each in zip(*pairs, strict=True))
            apart = paired(ours, theirs)
            rows.append([name, str(len(pairs)), str(apart.n), f"{apart.mean:+.3f} ({apart.low:+.3f} to {apart.high:+.3f})"])
    told = "Mean difference on the same cubes, seeds together; the interval is a paired bootstrap's over cubes, not over seeds."
    told += " Runs named after a preset have all of its rounds, the others a quarter."
    return table(["objective", "seeds", "cubes", "moves longer than raise-only"], rows) + f"\n\n{told}"


RIVALS = "sD^vPX*<>"  # markers, more than there are colours


def length_plot(answers: list[Answer]) -> Figure:
    """Mean length and share optimal against CPU seconds, seeds together, beside what others report."""
    figure, (left, right) = plots.panels(2, 4.6)
    points = []
    seeds: dict[str, list[Answer]] = {}
    for answer in answers:
        seeds.setdefault(answer.label, []).append(answer)
    for of in seeds.values():
        outcomes = records.unpack(*(answer.record for answer in of))
        solved, best = outcomes.lengths[np.isfinite(outcomes.lengths)], int((outcomes.lengths == outcomes.distances).sum())
        seconds, n = np.mean([answer.record["each"]["cpu_seconds"] for answer in of]), len(outcomes.lengths)
        points.append((seconds, solved.mean(), *bootstrap(solved), *(100 * x for x in (best / n, *wilson(best, n)))))
    x, length, low, high, share, least, most = np.array(sorted(points)).T
    for ax, y, below, above, key in ((left, length, low, high, "length"), (right, share, least, most, "optimal")):
        ax.fill_between(x, below, above, color=plots.COLOURS[0], alpha=0.15, linewidth=0)
        ax.plot(x, y, color=plots.COLOURS[0], marker="o", label="ours, CPU seconds")
        for (name, row), colour, marker in zip(CUBES_3X3.items(), cycle(plots.COLOURS[1:]), RIVALS, strict=False):
            if row[key] is None:
                continue
            if row["seconds"]:
                ax.plot(row["seconds"], row[key], marker, color=colour, markersize=8, linestyle="", label=name)
            else:
                ax.axhline(row[key], color=colour, linestyle=":", label=f"{name}, time not given")
        ax.set(xscale="log", xlabel="seconds a cube; others on GPUs")
    left.axhline(np.mean(records.unpack(answers[0].record).distances), color="black", linewidth=0.8)
    left.set_title("mean length; the black line is optimal")
    figure.legend(*right.get_legend_handles_labels(), loc="outside lower center", ncols=2, fontsize=8)
    right.set(title="percent solved optimally", ylim=(0, 103))
    return figure


COLUMNS = "run, training, search, cubes, solved, mean length, optimal, nodes, CPU s"
PROVEN = "run, training, search, cubes, solved, mean length, optimal, proven, nodes, CPU s"
KEYS = ("length", "optimal", "seconds", "on", "training", "source")
PUBLISHED = table(
    ("published, 1,000 cubes", "mean length", "optimal, %", "s a cube", "on", "training", "source"),
    ([name, *(str(row[key] or "") for key in KEYS)] for name, row in CUBES_3X3.items()),
)
PLOT = ("length.png", "Length and share optimal by CPU seconds", length_plot)
SECTIONS = [
    Section("DeepCubeA's test set, the first 200, with an exact tail", "tails", PROVEN, note=PUBLISHED, plot=PLOT),
    Section("The bench: uniformly random cubes whose lengths are proven, in both metrics", "bench, bench 100", PROVEN),
    Section("Objectives: what is learnt from the learner's own searches", "objectives", COLUMNS),
    Section("Objectives beside raise-only backups", "objectives, bench", table=beside_raise_only),
    Section("DeepCubeA's test set, beams into a perimeter", "test set", COLUMNS),
    Section("Both seeds searched with, the shorter solution each", "test set", table=together),
    Section("Uniformly random cubes", "uniform", COLUMNS),
    Section("What each part is worth, test set, beam 1,024", "parts", COLUMNS),
    Section("Prefixes", "prefixes", table=prefix_table),
    Section("TD learning alone, uniformly random cubes", "td", COLUMNS),
]
STUDY = Study(
    "symmetric_ntuple", [*RUNS, *short_runs("3x3-demo", 8)], [*QUESTIONS, CURVE], SECTIONS, ("walk_batches", "rounds")
)
