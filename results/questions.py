"""What can be asked of a trained run: states to solve, with which searches; or another measurement of the agent."""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from agents.protocol import Agent
from results import records, states
from rubiks_gym.search import Budget, Solutions, make_search


@dataclass(frozen=True)
class Search:
    """A search with its options and its budget for one cube."""

    name: str
    options: dict[str, Any] = field(default_factory=dict)
    radius: int = 0
    inverse: bool = False
    nodes: int = 10_000_000
    seconds: float | None = None
    seed: int = 0

    def make(self, agent: Agent) -> Callable[[np.ndarray], Solutions]:
        """The search with an agent."""
        budget = Budget(nodes=self.nodes, seconds=self.seconds or float("inf"))
        return make_search(self.name, agent, self.options, self.radius, self.inverse, budget, self.seed)


def beam(
    width: int,
    radius: int = 0,
    inverse: bool = False,
    nodes: int = 10**12,
    seconds: float | None = None,
    **options: int,
) -> Search:
    """A beam of a width, which ends in a perimeter of a radius; by default however many states it takes."""
    return Search("beam", {"width": width, **options}, radius, inverse, nodes, seconds)


@dataclass(frozen=True)
class Run:
    """A training run: a preset with a seed, and settings that differ from the preset's; or an agent that is trained already."""

    preset: str
    """Of the training script, or one of agents.PRETRAINED."""
    seed: int = 0
    changed: dict[str, Any] = field(default_factory=dict)
    name: str = ""
    """What it is called if not like its preset."""
    solve_every: int = 0
    """Steps between two measurements of what it solves while it learns, which changes nothing of what is learnt."""

    @property
    def title(self) -> str:
        """The name without the seed."""
        return self.name or self.preset

    def __str__(self) -> str:
        return f"{self.title}-s{self.seed}"


@dataclass(frozen=True)
class Question:
    """States to solve with some searches, or another measurement of the agent; asked of the runs of these titles."""

    name: str
    runs: tuple[str, ...]
    states: "partial[states.Asked] | None" = None
    searches: dict[str, Search] = field(default_factory=dict)
    measure: Callable[[Agent, Path], dict[str, Any]] | None = None
    """From the agent and its run folder, what was found."""
    seeds: tuple[int, ...] | None = None
    """Only runs with these seeds are asked."""


class Answer(NamedTuple):
    """A question put to a run, and the record that answers it, if there is one."""

    algorithm: str
    run: Run
    question: Question
    label: str  # the search's
    record: dict[str, Any]

    @property
    def name(self) -> str:
        """RUN-sSEED/QUESTION/SEARCH, which --only picks it by."""
        return "/".join(filter(None, (str(self.run), self.question.name, self.label)))

    @property
    def search(self) -> Search | None:
        """The search that is asked about, if it is about one."""
        return self.question.searches.get(self.label)

    def asked(self) -> dict[str, Any]:
        """What a record says about what was measured."""
        run, question, search = self.run, self.question, self.search
        return records.rounded(
            {
                "algorithm": self.algorithm,
                "run": {"name": run.title, "preset": run.preset, "changed": run.changed},
                "seed": run.seed,
                "question": {"name": question.name, "states": question.states and states.describe(question.states)},
                "search": search and {"label": self.label, **asdict(search)},
            }
        )


@dataclass(frozen=True)
class Study:
    """Runs of an algorithm, the questions asked of them, and the sections (see tables.py) of its README made of the answers."""

    algorithm: str
    runs: list[Run]
    questions: list[Question]
    sections: list[Any]
    steps: tuple[str, ...] = ("iterations",)
    """Settings that add up to the steps of a run."""
    folder: Path = records.AUTHORS
    """Where its records are."""

    def all(self) -> Iterator[Answer]:
        """Everything asked, with the record where there is one (also one that documents may not show)."""
        found = {records.identity(record): record for record in records.read(self.folder / f"{self.algorithm}.jsonl")}
        for run in self.runs:
            for question in self.questions:
                if run.title in question.runs and (question.seeds is None or run.seed in question.seeds):
                    for label in question.searches or ("",):
                        answer = Answer(self.algorithm, run, question, label, {})
                        yield answer._replace(record=found.get(records.identity(answer.asked()), {}))

    def of(self, question: str, *titles: str) -> list[Answer]:
        """The answers to the questions of a name that documents may show, of the runs with these titles (or of all)."""
        asked = (a for a in self.all() if a.question.name == question and a.run.title in (titles or [a.run.title]))
        return [answer for answer in asked if answer.record and records.usable(answer.record)]
