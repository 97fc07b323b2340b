"""Tables in Markdown out of answers: a document is a list of sections."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from results import records
from results.questions import Answer, Study
from results.statistics import mean_text, percent, share_text


@dataclass(frozen=True)
class Section:
    """A heading and a table of the answers to some questions, and what is said or shown below it."""

    title: str
    questions: str
    """Their names, with commas between."""
    columns: str = ""
    """One line per answer: names of COLUMNS, and keys of what was found (key% for a share), with commas between."""
    runs: tuple[str, ...] = ()
    """Titles of the runs it is about; none: all."""
    by: str = ""
    """Instead of columns the heading of groups: percent solved by group, a line per run and search, seeds together."""
    best: bool = False
    """Percent solved optimally, not just solved."""
    beside: dict[str, Any] = field(default_factory=dict)
    """What others report: lines of a table by groups, or the last column's text by search, run or preset."""
    note: str = ""
    plot: tuple[str, str, Callable[[list[Answer]], Figure]] | None = None
    """A picture of the answers: its file, what it shows, and how it is drawn."""
    table: Callable[[list[Answer]], str] | None = None
    """A table of another shape."""

    def answers(self, study: Study) -> list[Answer]:
        """What it shows."""
        return [answer for name in self.questions.split(", ") for answer in study.of(name, *self.runs)]

    def text(self, answers: list[Answer]) -> str:
        """The section."""
        body = (self.table or (self.by_group if self.by else self.lines))(answers)
        picture = f"![{self.plot[1]}]({self.plot[0]})" if self.plot else ""
        return "\n\n".join(filter(None, [f"### {self.title}", body, self.note, picture]))

    def lines(self, answers: list[Answer]) -> str:
        """One line per answer."""
        cells = {name.rstrip("%").replace("_", " "): COLUMNS.get(name) or found(name) for name in self.columns.split(", ")}
        cells = {"CPU min of training" if name == "training" else name: cell for name, cell in cells.items()}
        if self.beside:
            cells["published"] = lambda a: self.beside.get(a.label, self.beside.get(a.run.preset, ""))
        return table(cells, ([cell(answer) for cell in cells.values()] for answer in answers))

    def by_group(self, answers: list[Answer]) -> str:
        """Percent solved by group."""
        rows = {name: {g: k / n for g, (k, n) in shares(of, self.best).items()} for name, of in pooled(answers).items()}
        rows |= {name: {g: value / 100 for g, value in row.items()} for name, row in self.beside.items()}
        columns = sorted({g for row in rows.values() for g in row})
        lines = [[name, *(percent(row[g]) if g in row else "" for g in columns)] for name, row in rows.items()]
        means = [f"{100 * np.mean(list(row.values())):.1f}" * (len(row) == len(columns)) for row in rows.values()]
        return table(
            [f"percent solved{' optimally' * self.best}; {self.by}", *map(str, columns), "mean"],
            ([*line, mean] for line, mean in zip(lines, means, strict=True)),
        )


def document(study: Study) -> str:
    """The sections that have answers, where their figures come from, and which sections are still to be measured."""
    sections = [(section, section.answers(study)) for section in study.sections]
    texts = [section.text(answers) for section, answers in sections if answers]
    missing = "; ".join(section.title for section, answers in sections if not answers)
    if missing:
        missing = f"Still to be measured, with `python -m results --measure {study.algorithm}`: {missing}."
    return "\n\n".join(filter(None, [*texts, origin(a for _, answers in sections for a in answers), missing]))


def table(headings: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Headings and rows of cells, short rows filled up."""
    lines = [list(headings), *map(list, rows)]
    most = len(lines[0])
    lines = [lines[0], ["---"] * most, *(line + [""] * (most - len(line)) for line in lines[1:])]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def solved(answer: Answer) -> str:
    """Share solved."""
    lengths = records.unpack(answer.record).lengths
    return share_text(int(np.isfinite(lengths).sum()), len(lengths))


def optimal(answer: Answer) -> str:
    """Share solved optimally, of those asked whose distance is known."""
    _, lengths, distances = records.unpack(answer.record)
    known = int(np.isfinite(distances).sum())
    return share_text(int((lengths == distances).sum()), known) if known else ""


def proven(answer: Answer) -> str:
    """Share whose solution is proven to be shortest, where the search proves anything."""
    lengths, lower = records.unpack(answer.record).lengths, answer.record.get("lower", [])
    return share_text(int((lengths <= np.array(lower)).sum()), len(lengths)) if lower else ""


def length(answer: Answer) -> str:
    """Mean length of the solutions."""
    lengths = records.unpack(answer.record).lengths
    return mean_text(lengths[np.isfinite(lengths)])


def median(answer: Answer) -> str:
    """Median length of the solutions."""
    lengths = records.unpack(answer.record).lengths
    return f"{np.nanmedian(lengths):g}" if np.isfinite(lengths).any() else "-"


def training(answer: Answer) -> str:
    """CPU minutes of training; runs that did not log them have wall-clock minutes, and say so."""
    spent = answer.record["training"]
    if not spent["seconds"]:
        return ""  # trained already
    return f"{spent['cpu_seconds'] / 60:.1f}" if spent["cpu_seconds"] else f"{spent['seconds'] / 60:.1f} (wall)"


def expanded(answer: Answer) -> np.ndarray | None:
    """States expanded, per group or in all, by a search that leaves out the undoing move: all but the first have as many
    children (three pegs: two, one if all disks are on one); None where they have not."""
    children = {"rubik2x2-qtm": 5, "rubik3x3-qtm": 11}.get(answer.record["puzzle"])
    if answer.record["puzzle"].startswith("hanoi") and answer.record["puzzle"].endswith("-3"):
        children = 2
    generated = np.array(answer.record.get("nodes") or answer.record["each"]["nodes"])
    return None if children is None else np.ceil((generated - 1) / children)


def expanded_text(answer: Answer) -> str:
    """Mean of states expanded."""
    each = expanded(answer)
    return "" if each is None else f"{each.mean():,.0f}"


def found(name: str) -> Callable[[Answer], str]:
    """A column of what another measurement found."""

    def cell(answer: Answer) -> str:
        value = answer.record["found"][name.rstrip("%")]
        if isinstance(value, list):  # a curve's last value, or shares
            return f"{value[-1][1]:.2f}" if isinstance(value[0], list) else " ".join(f"{100 * share:.0f}" for share in value)
        if name.endswith("%"):
            return f"{percent(value, 2)}%"
        return value if isinstance(value, str) else f"{value:,}" if isinstance(value, int) else f"{value:.3g}"

    return cell


_ASKED = {"TestSet": "of DeepCubeA's test set", "Proven": "random, of the bench", "Korf": "Korf's", "Turned": "after walks"}
COLUMNS: dict[str, Callable[[Answer], str]] = {
    "puzzle": lambda answer: answer.record["puzzle"],
    "start states": lambda answer: (
        f"{answer.record['states']:,} {_ASKED.get(answer.record['question']['states']['kind'], 'random')}"
    ),
    "learner": lambda answer: answer.algorithm,
    "run": lambda answer: str(answer.run),
    "training": training,
    "question": lambda answer: answer.question.name,
    "search": lambda answer: answer.label,
    "cubes": lambda answer: f"{answer.record['states']:,}",
    "solved": solved,
    "optimal": optimal,
    "proven": proven,
    "mean length": length,
    "median length": median,
    "nodes": lambda answer: f"{answer.record['each']['nodes']:,.0f}",
    "expanded": expanded_text,
    "CPU s": lambda answer: f"{answer.record['each']['cpu_seconds']:.3g}",
}


def pooled(answers: Iterable[Answer]) -> dict[str, list[Answer]]:
    """Answers of different seeds together, under a name that says what differs between the answers: run, search, question."""
    answers = list(answers)
    parts = [(a.run.title, a.label, a.question.name) for a in answers]
    telling = [i for i in range(3) if len({part[i] for part in parts}) > 1] or [1]
    together: dict[str, list[Answer]] = {}
    for answer, part in zip(answers, parts, strict=True):
        together.setdefault(", ".join(part[i] for i in telling), []).append(answer)
    return together


def shares(answers: Iterable[Answer], best: bool = False) -> dict[int, tuple[int, int]]:
    """Group to how many of its cubes were solved (or solved optimally), and how many there were."""
    groups, lengths, distances = records.unpack(*(answer.record for answer in answers))
    done = lengths == distances if best else np.isfinite(lengths)
    return {int(g): (int(done[groups == g].sum()), int((groups == g).sum())) for g in np.unique(groups)}


def prefix_table(answers: list[Answer]) -> str:
    """Length found and CPU seconds for each prefix of the way to the farthest position."""
    lines = []
    for name, (answer, *_) in pooled(answers).items():
        lengths = records.unpack(answer.record).lengths
        lines.append([f"{name}: length", *("-" if np.isnan(length) else f"{length:.0f}" for length in lengths)])
        lines.append([f"{name}: CPU s", *(f"{seconds:.2g}" for _, _, seconds, _ in answer.record["by_group"])])
    return table(["first moves of the way to the position at distance 26", *map(str, range(1, len(lines[0])))], lines)


def origin(answers: Iterable[Answer]) -> str:
    """Where, when and from which code the records behind a table come."""
    made: dict[str, set[str]] = {}
    for answer in answers:
        for kind, of in (("measured", answer.record), ("trained", answer.record["training"])):
            if of.get("commit"):
                made.setdefault(f"{kind} {of['date'][:10]} on {of['machine']['processor']}", set()).add(of["commit"][:10])
    texts = [f"{how}, commit {', '.join(sorted(commits))}" for how, commits in sorted(made.items())]
    return f"{'; '.join(texts)}.".replace("measured", "Measured", 1) if texts else ""
