"""A row of docs/papers.md: what a paper has, and what the answers that documents may show say beside it."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from results.questions import Answer

NOT_YET = "not measured yet"
Answers = dict[str, list[Answer]]  # of each algorithm, those that documents may show
Ours = Callable[[Answers], str]


class Row(NamedTuple):
    """One thing that a paper has."""

    where: str
    what: str
    theirs: str
    ours: str | Ours
    command: str = ""  # how to repeat ours, or where it is
    why: str = ""  # ours differs from theirs, if it does not speak for itself


class Asked(NamedTuple):
    """Which answers a row is about, one per seed."""

    algorithm: str
    question: str
    run: str
    label: str = ""  # of the search


def cell(text: Callable[..., str], *asked: Asked) -> Ours:
    """What a text makes of the answers that documents may show, a list for each thing asked; nothing if any is missing."""

    def ours(answers: Answers) -> str:
        found = [[a for a in answers[one.algorithm] if (a.question.name, a.run.title, a.label) == one[1:]] for one in asked]
        return text(*found) if all(found) else ""

    return ours


def each(text: Callable[..., str], runs: Iterable[str], *asked: Asked) -> Ours:
    """What a text says of several runs, each under its name; they take the place of the run "" in what is asked."""
    return named({run: cell(text, *(one if one.run else one._replace(run=run) for one in asked)) for run in runs})


def named(cells: dict[str, Ours]) -> Ours:
    """Several texts, each under its name; nothing if all are missing."""

    def ours(answers: Answers) -> str:
        texts = {name: of(answers) for name, of in cells.items()}
        return "; ".join(f"{name}: {text or NOT_YET}" for name, text in texts.items()) if any(texts.values()) else ""

    return ours
