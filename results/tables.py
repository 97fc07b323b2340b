"""Tables in Markdown out of answers."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from results import records
from results.questions import Answer, Study
from results.statistics import mean_text, percent, share_text

Cell = Callable[[Answer], str]


def table(headings: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Headings and rows of cells."""
    headings = list(headings)
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def run_name(answer: Answer) -> str:
    """The run and its seed."""
    return f"{answer.run.title}-s{answer.run.seed}"


def minutes(answer: Answer) -> str:
    """CPU minutes of training; runs that did not log them have wall-clock minutes, and say so."""
    spent = answer.record["training"]
    return f"{spent['cpu_seconds'] / 60:.1f}" if spent["cpu_seconds"] else f"{spent['seconds'] / 60:.1f} (wall)"


def solved(answer: Answer) -> str:
    """Share solved."""
    lengths = records.unpack(answer.record).lengths
    return share_text(int(np.isfinite(lengths).sum()), len(lengths))


def optimal(answer: Answer) -> str:
    """Share solved optimally, of all that were asked."""
    _, lengths, distances = records.unpack(answer.record)
    return share_text(int((lengths == distances).sum()), len(lengths)) if np.isfinite(distances).all() else ""


def length(answer: Answer) -> str:
    """Mean length of the solutions."""
    lengths = records.unpack(answer.record).lengths
    return mean_text(lengths[np.isfinite(lengths)])


def median(answer: Answer) -> str:
    """Median length of the solutions."""
    lengths = records.unpack(answer.record).lengths
    return f"{np.nanmedian(lengths):g}" if np.isfinite(lengths).any() else "-"


COLUMNS: dict[str, Cell] = {
    "run": run_name,
    "training, CPU min": minutes,
    "search": lambda answer: answer.label,
    "cubes": lambda answer: f"{answer.record['states']:,}",
    "solved": solved,
    "optimal": optimal,
    "mean length": length,
    "median length": median,
    "nodes": lambda answer: f"{answer.record['each']['nodes']:,.0f}",
    "CPU s": lambda answer: f"{answer.record['each']['cpu_seconds']:.3g}",
}


def lines(study: Study, answers: Sequence[Answer], *columns: str, **more: Cell) -> str:
    """One line per answer: columns of COLUMNS by name, then more of one's own; or what to do while there is none."""
    cells = {name: COLUMNS[name] for name in columns} | {name.replace("_", " "): cell for name, cell in more.items()}
    return table(cells, ([cell(a) for cell in cells.values()] for a in answers)) if answers else missing(study)


def missing(study: Study) -> str:
    """What a document says where nothing has been measured."""
    return f"Not measured yet: `python -m results --measure {study.algorithm}` does."


def found(key: str, form: str = "share", index: int | None = None) -> Cell:
    """A column of what another measurement found: a share, or a format such as .3f."""

    def cell(answer: Answer) -> str:
        value = answer.record["found"][key]
        value = value if index is None else value[index]
        return f"{percent(value, 2)}%" if form == "share" else format(value, form)

    return cell


def pooled(answers: Iterable[Answer]) -> dict[tuple[str, str], list[Answer]]:
    """Answers of different seeds to the same question together, by run and search."""
    together: dict[tuple[str, str], list[Answer]] = {}
    for answer in answers:
        together.setdefault((answer.run.title, answer.label), []).append(answer)
    return together


def shares(answers: Iterable[Answer], best: bool = False) -> dict[int, tuple[int, int]]:
    """Group to how many of its cubes were solved (or solved optimally), and how many there were."""
    groups, lengths, distances = records.unpack(*(answer.record for answer in answers))
    done = lengths == distances if best else np.isfinite(lengths)
    return {int(g): (int(done[groups == g].sum()), int((groups == g).sum())) for g in np.unique(groups)}


def by_group(
    study: Study, title: str, rows: dict[str, Sequence[Answer]], best: bool = False, **published: dict[int, float]
) -> str:
    """Percent solved by moves, distance or prefix: a line for each set of answers, and for each series that was published."""
    rows = {name: answers for name, answers in rows.items() if answers}
    if not rows:
        return missing(study)
    percents = {name: {g: percent(k / n) for g, (k, n) in shares(answers, best).items()} for name, answers in rows.items()}
    percents |= {name.replace("_", " "): {g: f"{x:g}" for g, x in series.items()} for name, series in published.items()}
    columns = sorted({g for name in rows for g in percents[name]})
    return table([title, *map(str, columns)], ([name, *(row.get(g, "") for g in columns)] for name, row in percents.items()))


def origin(answers: Iterable[Answer]) -> str:
    """Where, when and from which code the records behind a table come."""
    made: dict[str, set[str]] = {}
    for answer in answers:
        for kind, of in (("measured", answer.record), ("trained", answer.record["training"])):
            if of.get("commit"):
                made.setdefault(f"{kind} {of['date'][:10]} on {of['machine']['processor']}", set()).add(of["commit"][:10])
    texts = [f"{how}, commit {', '.join(sorted(commits))}" for how, commits in sorted(made.items())]
    return f"{'; '.join(texts)}.".replace("measured", "Measured", 1) if texts else ""


def sections(parts: dict[str, str], answers: Iterable[Answer] = ()) -> str:
    """Texts under headings, and where they come from."""
    texts = [f"### {title}\n\n{text}" if title else text for title, text in parts.items() if text]
    return "\n\n".join([*texts, *filter(None, [origin(answers)])])


def figures(value: Any) -> str:
    """A rate for the eye: 57.8M, 43.4k, 3.21."""
    for scale, letter in ((1e6, "M"), (1e3, "k")):
        if value >= scale:
            return f"{value / scale:.3g}{letter}"
    return f"{value:.3g}"
