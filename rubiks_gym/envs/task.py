"""What single and vector environments share: a puzzle with a scramble, a reward and an observation, on batches."""

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np
from gymnasium import spaces

from rubiks_gym.checks import array, flag, whole
from rubiks_gym.exact import ExactTable
from rubiks_gym.observations import make_observation
from rubiks_gym.puzzles import LONGEST, GoalPuzzle, Puzzle
from rubiks_gym.puzzles.streams import GOLDEN, counter
from rubiks_gym.rewards import Reward, depends_on_goal_alone, make_reward
from rubiks_gym.scrambles import Scramble, Starts, draw, episode_seeds, make_scramble

RENDER_FPS = 4
_INT8 = np.dtype(np.int8)
_REDRAWS = 16  # how often a start that happens to be solved is drawn again before it is accepted


class Task:
    """The dynamics of an environment, written once. Streams [B] uint64 and episode numbers [B] stand in for a generator."""

    def __init__(
        self,
        puzzle: Puzzle,
        scramble: str | dict[str, Any] | Scramble | None = None,
        k_max: int | None = None,
        reward: str | dict[str, Any] | Reward = "sparse",
        observation: str | None = None,
        exact: bool = False,
        goal: Any = None,
        **unknown: Any,
    ) -> None:
        if unknown:
            known = (
                "scramble, k_max, reward, observation, exact, goal, render_mode, and the puzzle's own (metric of a cube, say)"
            )
            # TorchRL, for one, reads these words of Python's and tries again without the keyword.
            raise TypeError(f"{puzzle.name} got an unexpected keyword argument {sorted(unknown)[0]!r}: there are {known}")
        flag(exact=exact)
        if goal is not None:
            if isinstance(goal, str) and goal != "random":
                raise ValueError(f"goal must be 'random' or a state of {puzzle.name}, got {goal!r}")
            if exact:
                raise ValueError(f"exact distances are those to the goal of {puzzle.name} itself: leave out exact or goal")
            puzzle = GoalPuzzle(puzzle, None if isinstance(goal, str) else goal)
        self.puzzle = puzzle
        if scramble is None:
            scramble = "uniform" if puzzle.start is None else "start"
        self.scramble = make_scramble(scramble, puzzle, k_max)
        self.reward = make_reward(reward, puzzle)
        if goal is not None and not depends_on_goal_alone(self.reward):
            raise ValueError("with a goal the reward must be 'sparse', 'deepcube' or 'step-cost' of one number for all actions")
        self.observe, self.observation_space = make_observation(
            puzzle.observations[0] if observation is None else observation, puzzle
        )
        self.action_space = spaces.Discrete(puzzle.n_actions)
        self.exact = ExactTable(puzzle) if exact else None

    def start(self, streams: np.ndarray, episodes: np.ndarray) -> Starts:
        """Scrambled states [B, S] and their depths [B]. A walk that ends at the goal is walked again from another seed."""
        states, depths = draw(self.scramble, self.puzzle, streams, episodes)
        (solved,) = self.puzzle.is_solved(states).nonzero()
        for attempt in range(1, _REDRAWS):
            if not len(solved):
                break
            others = streams[solved] + counter(attempt) * GOLDEN
            states[solved], depths[solved] = draw(self.scramble, self.puzzle, others, episodes[solved])
            solved = solved[self.puzzle.is_solved(states[solved])]
        return states, depths

    def start_from(self, options: dict[str, Any], streams: np.ndarray, episodes: np.ndarray) -> Starts:
        """The starts that reset(options=...) asks for: {"scramble": "R U"}, {"state": ...} or {"depth": k}, else scrambled."""
        unknown = set(options) - {"scramble", "state", "depth"}
        if unknown:
            raise ValueError(f"unknown reset option {sorted(unknown)[0]!r}: there are 'scramble', 'state' and 'depth'")
        if len(options) > 1:
            raise ValueError(f"give one reset option, not {' and '.join(sorted(options))} together")
        n = len(streams)
        if "depth" in options:
            given = {"option 'depth'": options["depth"]}
            (depths,) = array("whole numbers", _shape_of(n, options["depth"]), 0, **given)
            whole(0, LONGEST, **{"option 'depth'": depths.max()})
            depths = np.broadcast_to(depths, n).astype(np.int64)
            return self.puzzle.walk(episode_seeds(streams, episodes), depths), depths
        if "scramble" in options:
            texts = options["scramble"]
            if not isinstance(texts, str | list | tuple) or (not texts and texts != ""):
                raise ValueError(f"option 'scramble' must be a string of moves, or {n} of them, got {texts!r}")
            walks = [self.puzzle.parse(text) for text in ([texts] if isinstance(texts, str) else texts)]
            states = np.stack([self.puzzle.after(actions) for actions in walks])
            depths = np.array([len(actions) for actions in walks])
        elif "state" in options:
            states = self.puzzle.check(options["state"])
            depths = np.full(len(states), -1)
        else:
            return self.start(streams, episodes)
        if len(states) not in (1, n):
            raise ValueError(f"the reset option must give 1 start or {n}, got {len(states)}")
        return np.broadcast_to(states, (n, self.puzzle.state_size)).copy(), np.broadcast_to(depths, n).copy()

    def advance(
        self, states: np.ndarray, actions: np.ndarray, out: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Next states [B, S] (in out, if given), rewards [B] and which of them are solved [B]."""
        next_states, solved = self.puzzle.step_unchecked(states, actions, out)
        return next_states, self.reward(states, actions, next_states, solved), solved

    def compute_reward(self, achieved_goal: np.ndarray, desired_goal: np.ndarray) -> np.ndarray:
        """What steps earn that end at achieved goals [B, ...] on the way to desired ones; what HER asks for."""
        if not isinstance(self.puzzle, GoalPuzzle):
            raise ValueError("rewards follow from goals only in environments made with goal=...")
        solved = np.equal(achieved_goal, desired_goal).all(axis=-1)
        nothing = np.empty(0)
        return self.reward(nothing, nothing, nothing, np.atleast_1d(solved)).reshape(solved.shape)[()]

    def info(self, states: np.ndarray, depths: np.ndarray) -> dict[str, np.ndarray]:
        """The mask that `action_space.sample` takes [B, A] int8, the scramble depth [B] and, if exact, the distance [B]."""
        info = {"action_mask": self.puzzle.legal(states).view(_INT8), "scramble_depth": depths}
        if self.exact is not None:
            info["distance"] = self.exact.distance(states).astype(np.int64)
        return info

    def restored(self, saved: dict[str, Any], n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """States [n, S], depths, streams and episodes [n] of what get_state returned, all checked before any is used."""
        missing = {"state", "scramble_depth", "stream", "episode"} - set(saved if isinstance(saved, dict) else ())
        if missing:
            raise ValueError(f"{sorted(missing)[0]!r} is missing: set_state takes what get_state returned")
        states = self.puzzle.check(saved["state"])
        if len(states) != n:
            raise ValueError(f"the saved state has {len(states)} copies, this environment has {n}")
        shape = _shape_of(n, saved["stream"])  # a single environment saves plain numbers
        (depths,) = array("whole numbers", shape, -1, scramble_depth=saved["scramble_depth"])
        streams, episodes = array("whole numbers", shape, 0, stream=saved["stream"], episode=saved["episode"])
        depths, streams, episodes = (np.broadcast_to(array, n) for array in (depths, streams, episodes))
        return states.copy(), depths.astype(np.int64), streams.astype(np.uint64), episodes.astype(np.int64)

    def record(self, solved: np.ndarray) -> None:
        """Tell an adaptive scramble how episodes ended, [n] bool."""
        if hasattr(self.scramble, "record"):
            self.scramble.record(solved)


def settings_taken(puzzle: Puzzle | Callable[..., Puzzle], keywords: dict[str, Any]) -> Puzzle:
    """The puzzle itself, or the one that a callable makes of its settings, which are taken out of the keywords."""
    if isinstance(puzzle, Puzzle):
        return puzzle
    return puzzle(**{name: keywords.pop(name) for name in signature(puzzle).parameters if name in keywords})


def _shape_of(n: int, value: Any) -> tuple[int, ...]:
    """The shape that a value for n copies must have; one number stands for all."""
    return () if isinstance(value, int | np.integer) else (n,)


def as_options(options: dict[str, Any] | None) -> dict[str, Any]:
    """A copy of the options of reset, empty if there are none."""
    if options is not None and not isinstance(options, dict):
        raise ValueError(f"reset options must be a dictionary, got {options!r}")
    return dict(options or {})


def check_render_mode(render_mode: str | None, modes: list[str]) -> None:
    """Raise for a render mode an environment does not have."""
    if render_mode is not None and render_mode not in modes:
        raise ValueError(f"render_mode must be None or one of {', '.join(modes)}, got {render_mode!r}")
