"""What can be asked of a trained run: states to solve, with which searches; or another measurement of the agent."""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from matplotlib.figure import Figure

from agents.protocol import Agent
from results import records
from rubiks_gym.exact import ExactTable
from rubiks_gym.puzzles import Puzzle
from rubiks_gym.scrambles import DeepCube
from rubiks_gym.search import Budget, Solutions, make_search
from train.evaluation import FARTHEST, read_cubes, start_states, true_distances
from train.probe import Probe

Asked = tuple[np.ndarray, np.ndarray | None, np.ndarray]  # states [B, S], true distances [B] if known, group of each [B]


class States(Protocol):
    """A set of states, the same every time."""

    def sample(self, puzzle: Puzzle) -> Asked:
        """The states of a puzzle."""
        ...


def _one_group(puzzle: Puzzle, states: np.ndarray) -> Asked:
    return states, true_distances(puzzle, states), np.zeros(len(states), int)


@dataclass(frozen=True)
class Uniform:
    """n states, each of the puzzle's as likely as another."""

    n: int
    seed: int = 0

    def sample(self, puzzle: Puzzle) -> Asked:
        return _one_group(puzzle, start_states(puzzle, 0, self.n, self.seed))


@dataclass(frozen=True)
class Turned:
    """n states after each number of random moves up to `most`; with `allow_undo` a move may take back the one before."""

    most: int
    n: int
    allow_undo: bool = False
    every: int = 1
    first: int = 1
    seed: int = 0

    def sample(self, puzzle: Puzzle) -> Asked:
        depths = range(self.first, self.most + 1, self.every)
        states = np.concatenate([start_states(puzzle, depth, self.n, self.seed, self.allow_undo) for depth in depths])
        return states, true_distances(puzzle, states), np.repeat(depths, self.n)


@dataclass(frozen=True)
class Walks:
    """n states of whole walks of k moves from the goal, every state on the way."""

    n: int
    k: int = 20
    allow_undo: bool = False
    seed: int = 0

    def sample(self, puzzle: Puzzle) -> Asked:
        return _one_group(puzzle, DeepCube(self.k, self.allow_undo).sample(puzzle, self.n, np.random.default_rng(self.seed))[0])


@dataclass(frozen=True)
class WalksAndFar:
    """n states of walks of 20 moves that may undo one another, and one state of each distance from 9 to 14."""

    n: int
    seed: int = 0

    def sample(self, puzzle: Puzzle) -> Asked:
        rng, distances = np.random.default_rng(self.seed), ExactTable(puzzle).distances
        walks, _ = DeepCube(20, allow_undo=True).sample(puzzle, self.n, rng)
        far = [rng.choice(np.flatnonzero(distances == d)) for d in range(9, 15)]
        return _one_group(puzzle, np.concatenate([walks, puzzle.from_index(np.array(far, np.int64))]))


@dataclass(frozen=True)
class EachDistance:
    """n states of every distance from the goal, or all there are."""

    n: int

    def sample(self, puzzle: Puzzle) -> Asked:
        probe = Probe(puzzle, self.n)
        return probe.states, probe.distances, probe.distances.astype(int)


@dataclass(frozen=True)
class Start:
    """The opening position of the towers of Hanoi."""

    def sample(self, puzzle: Puzzle) -> Asked:
        if puzzle.start is None:
            raise ValueError(f"{puzzle.name} has no opening position")
        return _one_group(puzzle, puzzle.start[None])


@dataclass(frozen=True)
class Prefixes:
    """The first 1, 2, ... moves of the way to a position 26 quarter turns from the goal: as many turns from it themselves."""

    most: int = 26

    def sample(self, puzzle: Puzzle) -> Asked:
        moves, distances = puzzle.parse(FARTHEST), np.arange(1, self.most + 1)
        return np.stack([puzzle.after(moves[:q]) for q in distances]), distances, distances


@dataclass(frozen=True)
class TestSet:
    """The first n cubes of DeepCubeA's test set, from a file that `python -m results.deepcubea` makes."""

    __test__ = False  # it is no test, whatever pytest thinks of its name
    n: int
    file: str = "testset.json"

    def sample(self, puzzle: Puzzle) -> Asked:
        if not Path(self.file).exists():
            raise ValueError(
                f"there is no {self.file} here: python -m results.deepcubea data_0.pkl --output {self.file} makes it"
            )
        states, truth = read_cubes(puzzle, Path(self.file))
        return states[: self.n], None if truth is None else truth[: self.n], np.zeros(min(self.n, len(states)), int)


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


@dataclass(frozen=True)
class Run:
    """A training run: a preset with a seed, and settings that differ from the preset's."""

    preset: str
    seed: int = 0
    changed: dict[str, Any] = field(default_factory=dict)
    name: str = ""
    """What it is called if not like its preset."""

    @property
    def title(self) -> str:
        """The name without the seed."""
        return self.name or self.preset


@dataclass(frozen=True)
class Question:
    """States to solve with some searches, or another measurement of the agent; asked of the runs of these titles."""

    name: str
    runs: tuple[str, ...]
    states: States | None = None
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
        return "/".join(part for part in (f"{self.run.title}-s{self.run.seed}", self.question.name, self.label) if part)


@dataclass(frozen=True)
class Study:
    """Runs of an algorithm, the questions asked of them, and the documents and plots made from the answers."""

    algorithm: str
    runs: list[Run]
    questions: list[Question]
    texts: dict[str, Any]
    """FILE#MARK to the sections (see tables.py) that stand between those marks."""
    plots: dict[str, Callable[["Study"], Figure | None]] = field(default_factory=dict)
    """File to plot; None while nothing is measured."""
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
                        asked = self.identify(run, question, label, question.searches.get(label))
                        yield Answer(self.algorithm, run, question, label, found.get(records.identity(asked), {}))

    def identify(self, run: Run, question: Question, label: str, search: Search | None) -> dict[str, Any]:
        """What a record says about what was measured."""
        states = question.states and {"kind": type(question.states).__name__, **asdict(question.states)}  # type: ignore[call-overload]
        return records.rounded(
            {
                "algorithm": self.algorithm,
                "run": {"name": run.title, "preset": run.preset, "changed": run.changed},
                "seed": run.seed,
                "question": {"name": question.name, "states": states},
                "search": search and {"label": label, **asdict(search)},
            }
        )

    def of(self, question: str, *titles: str) -> list[Answer]:
        """The answers to the questions of a name that documents may show, of the runs with these titles (or of all)."""
        return [
            answer
            for answer in self.all()
            if answer.question.name == question
            and (not titles or answer.run.title in titles)
            and answer.record
            and records.usable(answer.record)
        ]
