"""Where episodes start, and what value learners train on.

A scramble is a small object. `sample(puzzle, n, rng)` gives a learner n states; environments call
`draw(puzzle, streams, episodes)`, which makes the start of episode e of an environment a function of that environment's
64-bit stream and of e alone, so that single and vector environments agree and nothing depends on batch order. Both
return (states [B, S], depths [B] int64), depth being the number of moves walked, or -1 where no walk was made. The field
`name`, which nobody sets, makes the fields of a scramble, as JSON, say which it is: `make_scramble` reads them back.
"""

from collections import deque
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from rubiks_gym.checks import array, flag, named, number, whole
from rubiks_gym.puzzles import LONGEST, Puzzle, kernels, sample_seeds
from rubiks_gym.puzzles.threads import over_rows

Starts = tuple[np.ndarray, np.ndarray]


class Scramble(Protocol):
    """What an environment needs of a scramble; any object with this method will do."""

    def draw(self, puzzle: Puzzle, streams: np.ndarray, episodes: np.ndarray) -> Starts:
        """Start states [B, S] and depths [B] for streams [B] uint64 and episode numbers [B] int64."""
        ...


class _Walk:
    """Scrambles that walk from the goal, to a depth drawn between the two that a subclass says."""

    k_max: int
    allow_undo: bool  # whether a move may undo the one before
    allow_same_face: bool  # whether a move may turn the face of the one before (cubes)

    def __post_init__(self) -> None:
        whole(1, LONGEST, k_max=self.k_max)
        flag(**named(self, "allow_undo", "allow_same_face"))
        if self.allow_undo and not self.allow_same_face:
            raise ValueError("to undo a move is to turn its face again: allow_undo=True needs allow_same_face=True")

    def depths(self) -> tuple[int, int]:
        """The least and the greatest depth."""
        return 1, self.k_max

    def draw(self, puzzle: Puzzle, streams: np.ndarray, episodes: np.ndarray) -> Starts:
        """Start states [B, S] and depths [B]."""
        seeds, depths = _seeds_and_depths(streams, episodes, *self.depths())
        return puzzle.walk(seeds, depths, self.allow_undo, self.allow_same_face), depths

    def sample(self, puzzle: Puzzle, n: int, rng: np.random.Generator) -> Starts:
        """n states and their depths."""
        return self.draw(puzzle, sample_seeds(rng, n), np.zeros(n, np.int64))


@dataclass
class UniformK(_Walk):
    """k moves from the goal, k uniform in 1..k_max (DeepCubeA)."""

    k_max: int
    allow_undo: bool = False
    allow_same_face: bool = True
    name: str = field(default="uniform", init=False, repr=False)


@dataclass
class FixedK(_Walk):
    """Exactly k_max moves from the goal."""

    k_max: int
    allow_undo: bool = False
    allow_same_face: bool = True
    name: str = field(default="fixed", init=False, repr=False)

    def depths(self) -> tuple[int, int]:
        return self.k_max, self.k_max


@dataclass
class DeepCube(_Walk):
    """Every state of a k_max-move walk, one after another: episode e starts at state e mod k_max of walk e div k_max."""

    k_max: int
    allow_undo: bool = False
    allow_same_face: bool = True
    name: str = field(default="deepcube", init=False, repr=False)

    def draw(self, puzzle: Puzzle, streams: np.ndarray, episodes: np.ndarray) -> Starts:
        """Start states [B, S] and depths [B]."""
        depths = episodes % self.k_max + 1
        seeds = episode_seeds(streams, episodes // self.k_max)
        return puzzle.walk(seeds, depths, self.allow_undo, self.allow_same_face), depths

    def sample(self, puzzle: Puzzle, n: int, rng: np.random.Generator) -> Starts:
        """n states: whole walks, the last one cut off where n is reached."""
        n_walks = -(-n // self.k_max)
        states = puzzle.walks(sample_seeds(rng, n_walks), self.k_max, self.allow_undo, self.allow_same_face)
        return states.reshape(-1, puzzle.state_size)[:n], np.tile(np.arange(1, self.k_max + 1), n_walks)[:n]


@dataclass
class AdaptiveK(_Walk):
    """Uniform up to min(k_max, convergence_points + 1 + offset): a curriculum that deepens as learning succeeds.

    A trainer calls `advance()` at each convergence point. Inside an environment `record` does it, when the share of the
    last `window` episodes that were solved reaches `success_rate`; the window then starts afresh.
    """

    k_max: int
    offset: int = 0
    allow_undo: bool = False
    success_rate: float = 0.9
    window: int = 200
    convergence_points: int = 0
    allow_same_face: bool = True
    name: str = field(default="adaptive", init=False, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._recent: deque[bool] = deque()
        whole(1, window=self.window)
        whole(0, **named(self, "offset", "convergence_points"))
        number(above=0, most=1, success_rate=self.success_rate)

    @property
    def effective_k(self) -> int:
        """The depth drawn up to now."""
        return min(self.k_max, self.convergence_points + 1 + self.offset)

    def advance(self) -> None:
        """One more convergence point: draw one move deeper."""
        self.convergence_points += 1

    def record(self, solved: np.ndarray) -> None:
        """Tell the outcomes [n] bool of episodes that have ended."""
        for outcome in solved.tolist():
            self._recent.append(outcome)
            if len(self._recent) > self.window:
                self._recent.popleft()
            if len(self._recent) == self.window and sum(self._recent) >= self.success_rate * self.window:
                self._recent.clear()
                if self.effective_k < self.k_max:
                    self.advance()

    def depths(self) -> tuple[int, int]:
        return 1, self.effective_k


@dataclass
class RandomState:
    """Uniform over all reachable states; no walk is made."""

    name: str = field(default="random-state", init=False, repr=False)

    def draw(self, puzzle: Puzzle, streams: np.ndarray, episodes: np.ndarray) -> Starts:
        """Start states [B, S] and depths [B], which are -1."""
        return puzzle.random_states(episode_seeds(streams, episodes)), np.full(len(streams), -1)

    def sample(self, puzzle: Puzzle, n: int, rng: np.random.Generator) -> Starts:
        """n states and their depths, which are -1."""
        return self.draw(puzzle, sample_seeds(rng, n), np.zeros(n, np.int64))


@dataclass
class Start:
    """The puzzle's own opening position, every time (Hanoi: all disks on the first peg)."""

    name: str = field(default="start", init=False, repr=False)

    def draw(self, puzzle: Puzzle, streams: np.ndarray, episodes: np.ndarray) -> Starts:
        """The opening position once per stream, and depths of -1."""
        if puzzle.start is None:
            raise ValueError(f"{puzzle.name} has no opening position; choose another scramble")
        return np.tile(puzzle.start, (len(streams), 1)), np.full(len(streams), -1)


SCRAMBLES: dict[str, Any] = {
    "uniform": UniformK,
    "deepcube": DeepCube,
    "adaptive": AdaptiveK,
    "fixed": FixedK,
    "random-state": RandomState,
    "start": Start,
}
_OURS = frozenset(SCRAMBLES.values())


def draw(scramble: Scramble, puzzle: Puzzle, streams: np.ndarray, episodes: np.ndarray) -> Starts:
    """What a scramble draws; of an object that is none of ours, checked and copied."""
    starts = scramble.draw(puzzle, streams, episodes)
    if type(scramble) in _OURS:
        return starts
    returned = f"draw of the scramble {type(scramble).__name__}"
    if not isinstance(starts, tuple) or len(starts) != 2:
        raise ValueError(f"{returned} must return (states, depths), got {type(starts).__name__}")
    try:
        states = puzzle.check(puzzle.as_states(starts[0]))
    except ValueError as fault:
        raise ValueError(f"{returned} returned impossible starts: {fault}") from None
    (depths,) = array("whole numbers", (len(streams),), -1, **{f"depths that {returned} returns": starts[1]})
    if len(states) != len(streams):
        raise ValueError(f"{returned} must return {len(streams)} states, got {len(states)}")
    return states.copy(), depths.astype(np.int64)


def make_scramble(scramble: str | dict[str, Any] | Scramble, puzzle: Puzzle, k_max: int | None = None, **settings: Any) -> Any:
    """The scramble of a name, with settings of its own such as allow_undo=True, or the object itself.

    A dictionary is a name and settings, {"name": "uniform", "k_max": 20, "allow_undo": True}: what a file can hold.
    """
    if isinstance(scramble, dict):
        if "name" not in scramble or (k_max is not None and "k_max" in scramble):
            raise ValueError(f"a scramble in a dictionary needs a 'name', and one k_max at most, got {scramble!r}")
        settings = {"k_max": k_max} | settings | scramble
        return make_scramble(settings.pop("name"), puzzle, **settings)
    if not isinstance(scramble, str):
        if isinstance(scramble, type) or not callable(getattr(scramble, "draw", None)):
            raise ValueError(f"a scramble object needs a method draw(puzzle, streams, episodes), got {scramble!r}")
        if k_max is not None or settings:
            raise ValueError(
                "k_max and other settings belong to a scramble given by name; set it in the scramble object itself"
            )
        return scramble
    if scramble not in SCRAMBLES:
        raise ValueError(f"unknown scramble {scramble!r}: choose from {', '.join(SCRAMBLES)}, or pass an object")
    kind = SCRAMBLES[scramble]
    if issubclass(kind, _Walk):
        walk = kind(puzzle.k_max if k_max is None else k_max, **settings)
        walk.draw(puzzle, np.zeros(0, np.uint64), np.zeros(0, np.int64))  # a walk that this puzzle does not have is refused
        return walk
    for name, value in {"k_max": k_max, **settings}.items():
        if value is not None:
            raise ValueError(f"scramble {scramble!r} makes no walk, so {name}={value} has no meaning")
    if kind is Start:
        kind().draw(puzzle, np.zeros(0, np.uint64), np.zeros(0, np.int64))
    return kind()


def episode_seeds(streams: np.ndarray, episodes: np.ndarray) -> np.ndarray:
    """The seed [B] uint64 of each episode of each stream."""
    return _seeds_and_depths(streams, episodes, 0, 0)[0]


def _seeds_and_depths(streams: np.ndarray, episodes: np.ndarray, least: int, most: int) -> tuple[np.ndarray, np.ndarray]:
    """The seed [B] uint64 of each episode of each stream, and a depth [B] int64 from least to most."""
    seeds, depths = np.empty(len(streams), np.uint64), np.empty(len(streams), np.int64)
    over_rows(kernels.seeds_and_depths, (least, most), (streams, episodes, seeds, depths))
    return seeds, depths
