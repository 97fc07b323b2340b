"""The symmetric n-tuple network on the 3x3x3: DeepCubeA's test set, uniform cubes, and what each part is worth."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from results import plots, records
from results.published import CUBES_3X3
from results.questions import Answer, Prefixes, Question, Run, Search, Study, TestSet, Uniform
from results.statistics import bootstrap, wilson
from results.tables import Section, pooled, prefixes, table

PARTS: dict[str, dict[str, Any]] = {  # what a run of the ablation leaves out -> settings
    "no-backups": {"rounds": 0},
    "random-cubies": {"rounds": 0, "tables": ("0,5,10,14,19", "1,6,7,12,17", "2,9,11,13,18")},
    "no-link": {"rounds": 0, "saturation": 1000.0},
    "untrained": {"walk_batches": 0, "rounds": 0},
}


def beam(width: int, nodes: int = 1_000_000_000, radius: int = 7, inverse: bool = True, **options: int) -> Search:
    """A beam that ends in the perimeter."""
    return Search("beam", {"width": width, **options}, radius, inverse, nodes)


EVERY = {"every child": beam(1024, children_per_state=12)}
RUNS = [Run(preset, seed) for preset in ("3x3-qtm", "3x3-htm") for seed in (0, 1)]
RUNS += [Run("3x3-qtm", 0, changed, name) for name, changed in PARTS.items()]
QUESTIONS = [
    Question("test set", ("3x3-qtm",), TestSet(200), {f"beam {w:,}": beam(w) for w in (256, 1024, 4096, 16_384, 262_144)}),
    Question("uniform", ("3x3-qtm",), Uniform(1000), {"beam 8,192": beam(8192)}),
    Question("uniform", ("3x3-htm",), Uniform(1000), {"beam 1,024, every child": beam(1024, radius=6, children_per_state=18)}),
    Question("parts", ("3x3-qtm", *list(PARTS)[:3]), TestSet(200), EVERY, seeds=(0,)),
    Question(
        "parts",
        ("3x3-qtm",),
        TestSet(200),
        {"every child, one way": beam(1024, inverse=False, children_per_state=12)},
        seeds=(0,),
    ),
    Question("prefixes", ("3x3-qtm",), Prefixes(), {"beam 65,536": beam(65_536)}, seeds=(0,)),
    # An untrained network solves nothing: a million nodes each way are enough to see it.
    Question("parts", ("untrained",), TestSet(200), {"every child": beam(1024, 1_000_000, children_per_state=12)}),
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


def length_plot(study: Study) -> Figure | None:
    """Mean length and share optimal on the test set against CPU seconds, beside what others report."""
    answers = study.of("test set")
    if not answers:
        return None
    figure, (left, right) = plots.panels(2, 4)
    for seed, colour in zip(sorted({a.run.seed for a in answers}), plots.COLOURS, strict=False):
        points = []
        for answer in (a for a in answers if a.run.seed == seed):
            outcomes = records.unpack(answer.record)
            best = int((outcomes.lengths == outcomes.distances).sum())
            n, solved = len(outcomes.lengths), outcomes.lengths[np.isfinite(outcomes.lengths)]
            points.append((answer.record["each"]["cpu_seconds"], solved.mean(), *bootstrap(solved), best / n, *wilson(best, n)))
        x, length, low, high, share, least, most = np.array(sorted(points)).T
        for ax, y, below, above in ((left, length, low, high), (right, 100 * share, 100 * least, 100 * most)):
            ax.fill_between(x, below, above, color=colour, alpha=0.15, linewidth=0)
            ax.plot(x, y, color=colour, marker=plots.MARKERS[seed], label=f"ours, seed {seed}, two CPU cores")
    for ax, key in ((left, "length"), (right, "optimal")):
        for name, row in CUBES_3X3.items():
            short = f"{name.split(', beam')[0]} (GPU)"
            if row["seconds"]:
                ax.plot(row["seconds"], row[key], "*", color="black", markersize=9)
                side = {"xytext": (7, 0)} if row["seconds"] < 100 else {"xytext": (-7, 0), "ha": "right"}
                ax.annotate(short, (row["seconds"], row[key]), textcoords="offset points", va="center", fontsize=7.5, **side)
            elif key == "optimal" and row[key] > 90:
                ax.axhline(row[key], color="grey", linewidth=0.8, linestyle=":")
                ax.annotate(short, (0.01, row[key]), xycoords=("axes fraction", "data"), va="bottom", fontsize=7.5)
        ax.set(xscale="log", xlabel="seconds a cube")
    left.axhline(np.mean(records.unpack(answers[0].record).distances), color="black", linewidth=0.8)
    left.set_title("mean length, quarter turns; the line is optimal")
    right.set_title("percent solved optimally")
    right.set_ylim(0, 106)
    left.legend(loc="upper right", fontsize=8)
    return figure


COLUMNS = "run, training, search, cubes, solved, mean length, optimal, nodes, CPU s"
KEYS = ("length", "optimal", "seconds", "training", "source")
PUBLISHED = table(
    ("published, 1,000 cubes", "mean length", "optimal, %", "s, GPU", "training", "source"),
    ([name, *(str(row[key] or "") for key in KEYS)] for name, row in CUBES_3X3.items()),
)
SECTIONS = [
    Section(
        "DeepCubeA's test set, the first 200",
        "test set",
        COLUMNS,
        note=PUBLISHED,
        plot="length.png|Length and share optimal by CPU seconds",
    ),
    Section("Both seeds searched with, the shorter solution each", "test set", table=together),
    Section("Uniformly random cubes", "uniform", COLUMNS),
    Section("What each part is worth, test set, beam 1,024", "parts", COLUMNS),
    Section("Prefixes", "prefixes", table=prefixes),
]
STUDY = Study(
    "symmetric_ntuple",
    RUNS,
    QUESTIONS,
    {
        "agents/symmetric_ntuple/README.md#results": SECTIONS,
        "README.md#symmetric_ntuple": [
            Section("", "test set, uniform", "run, training, question, search, solved, mean length, optimal, CPU s")
        ],
    },
    {"agents/symmetric_ntuple/length.png": length_plot},
    steps=("walk_batches", "rounds"),
)
