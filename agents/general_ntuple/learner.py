"""From nothing to a cost-to-go of any puzzle: regression on random walks, then targets from the learner's own beam searches.

Far by default. All weights start at 0 and F at a bias of about the distance of a random state, so that what has never been seen
is far. With a start at 0 the unseen would look like the goal, and no search would ever arrive.

Walks. A walk of K moves from the goal passes states whose number of moves so far without those that cancel, k, is at least
their distance and, while k is small, mostly equal to it. So k is not fitted by F itself but by

    p(F) = c - T softplus((c - F) / T)        with saturation c and temperature T,

which follows F below c and levels off above it: states beyond c need only be "far", and F keeps its slope where it is known.
Where every move can always be made, walks after each round of beams hold F in place; where moves are illegal at times, walks go
to and fro so much that they say little.

Beams. Beam searches with the present F give two kinds of targets. The states on the way of every solution found have the moves
that were left: more than the distance if anything, but never a guess. They are few, so where walks say little those of the last
rounds are learnt from again after each. And for the states that beams kept,

    y = 1 + min over children of F(child)        (exact inside the goal perimeter, at least its radius + 1 outside)

is a Bellman backup, which may raise or lower F, by 2 at most. Raising it shows the next beam past the place where this one was
lured to; without the paths, which are true, lowering it would carry the error of the lowest of many values through the tables.
Beams start from walks, whose length grows while most are solved and shrinks while few are, until they start anywhere.

F is read again before each of its states is learnt from, one after another: see `network`.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from agents.general_ntuple.agent import GeneralNTuple
from agents.general_ntuple.config import GeneralNTupleConfig
from agents.general_ntuple.fold import find_folds, folded
from agents.general_ntuple.network import learn
from agents.general_ntuple.view import sample
from agents.general_ntuple.walks import walks
from agents.own_searches import backups, on_the_way
from rubiks_gym.puzzles import Puzzle, sample_seeds
from rubiks_gym.puzzles.relations import find_relations
from rubiks_gym.puzzles.threads import side_by_side
from rubiks_gym.search import Budget, Perimeter, Solutions, beam

_MAX_CHANGE = 2.0  # no backup asks for more, however far its target is
_SATURATION, _TEMPERATURE = 0.75, 0.05  # c and T as shares of K
_AT_A_TIME = 1 << 12  # states whose targets are worked out before they are learnt from
_GROW, _SHRINK = 1.2, 0.8  # what becomes of the length of walks that beams start from
_MANY_SOLVED, _FEW_SOLVED = 0.75, 0.4  # shares
_ANYWHERE = 4.0  # in scramble lengths of the puzzle: a walk that is longer leads to no particular states
_LONGEST = 2.0  # layers of a beam at most, in moves of the longest walk it may start from, or in scramble lengths
_WALK_SHARE = 0.1  # learning rate of the walks after a round, relative to that of backups
_RELATED = 1024  # of the states sampled, one in so many shows how moves are related
_ROUND = 10.0  # work of a round in batches of walks, roughly


class RoundMetrics(NamedTuple):
    """What a round of beams met."""

    solved: float  # share of the beams that reached the goal perimeter
    length: float  # mean length of their solutions
    start_depth: float  # longest walk that beams started from; 0: from random states
    backup_error: float  # root of the mean squared difference to the targets of backups
    path_error: float  # the same on the paths of solutions


class Learner:
    """Weights under training. A step is a batch of walks, later a round of beams."""

    rank = 0

    def __init__(self, puzzle: Puzzle, config: GeneralNTupleConfig, seed: int) -> None:
        self.puzzle, self.config, self.rng = puzzle, config, np.random.default_rng(seed)
        self.done, self.total = 0, config.walk_batches + config.rounds
        self.phases = ((config.walk_batches, 1.0), (config.rounds, _ROUND))
        self.relations = find_relations(puzzle, sample(puzzle)[::_RELATED])
        self.far, self.walk_length = config.moves_of(puzzle, self.relations)
        self._untrained = GeneralNTuple.chosen(puzzle, self.far, config.budget())
        self._folds = find_folds(self._untrained.reader, self._untrained.tuples)
        self._fewer = self._untrained.without({fold.small for fold in self._folds})
        self.weights = np.zeros(self._untrained.weights.shape, np.float32)
        self.perimeter = largest_perimeter(puzzle, config.perimeter)
        self.depth = float(self.walk_length)  # longest walk that beams start from
        self.path_states, self.path_left = np.empty((0, puzzle.state_size), np.uint8), np.empty(0, np.float32)

    def agent(self) -> GeneralNTuple:
        """What has been learnt so far, small tables folded into large ones and weights rounded to 8 bits."""
        whole = self._untrained
        return self._fewer.rounded(folded(whole.reader.view, whole.tuples, self._folds, self.weights))

    def iterate(self) -> dict[str, float]:
        """The next batch of walks or round of beams; returns its metrics."""
        c, done = self.config, self.done
        self.done += 1
        if done < c.walk_batches:
            return {"walk_error": self.learn_walks(c.walk_lr_of(done))}
        lr = c.backup_lr_of(done - c.walk_batches)
        metrics = self.learn_beams(lr)._asdict()
        if self.relations is not None:
            for _ in range(c.walks_per_round):
                metrics["walk_error"] = self.learn_walks(_WALK_SHARE * lr)
        return metrics

    def learn_walks(self, lr: float) -> float:
        """Regression on one batch of walks; returns the mean squared error before.

        That is of as many states as there are walks: of later ones, others of the same walks have told already.
        """
        c, k = self.config, self.walk_length
        states, steps = walks(self.puzzle, self.relations, self.rng, c.walks, k)
        order = self.rng.permutation(steps.size)
        link = (_SATURATION * k, max(_TEMPERATURE * k, 0.5))
        states, steps = states.reshape(-1, self.puzzle.state_size)[order], steps.ravel()[order]
        error = self._learn(states[: c.walks], steps[: c.walks], lr, np.inf, link) / c.walks
        self._learn(states[c.walks :], steps[c.walks :], lr, np.inf, link)
        return error

    def learn_beams(self, lr: float) -> RoundMetrics:
        """A round of beams, then their paths and backups of the states they kept."""
        c, puzzle, agent = self.config, self.puzzle, self.agent()
        starts, longest = self._starts(), int(_LONGEST * min(self.depth, puzzle.k_max))

        def episode(start: np.ndarray) -> tuple[Solutions, list[np.ndarray]]:
            kept: list[np.ndarray] = []
            found = beam(
                puzzle,
                start[None],
                agent.cost_to_go,
                width=c.width,
                max_steps=longest,
                perimeter=self.perimeter,
                budget=Budget(nodes=2**60),
                watch=lambda layer, *_: kept.append(layer[:: c.backup_every]),
            )
            return found, kept

        episodes = side_by_side([partial(episode, start) for start in starts])
        paths = [(start, found.moves[0]) for start, (found, _) in zip(starts, episodes, strict=True) if found.solved[0]]
        self._follow(len(paths) / len(starts))
        layers = [layer for _, kept in episodes for layer in kept]
        states = self.rng.permutation(np.concatenate(layers)) if layers else starts[:0]
        squares = 0.0
        for first in range(0, len(states), _AT_A_TIME):
            some = states[first : first + _AT_A_TIME]
            squares += self._learn(some, backups(puzzle, self.perimeter, agent.cost_to_go, some), lr, _MAX_CHANGE)
        path_squares = self._learn_paths(lr * c.path_lr / c.backup_lr, paths)
        lengths = [len(moves) for _, moves in paths]
        return RoundMetrics(
            len(paths) / len(starts),
            float(np.mean(lengths or [0])),
            self.depth if np.isfinite(self.depth) else 0.0,
            float(np.sqrt(squares / max(len(states), 1))),
            float(np.sqrt(path_squares / max(len(self.path_left), 1))),
        )

    def _starts(self) -> np.ndarray:
        """Where the beams of a round start [B, S], outside the perimeter if walks get there."""
        seeds = sample_seeds(self.rng, self.config.episodes)
        if np.isfinite(self.depth):
            depths = self.rng.integers(min(self.perimeter.radius + 1, int(self.depth)), int(self.depth) + 1, len(seeds))
            return self.puzzle.walk(seeds, depths)
        return self.puzzle.random_states(seeds)

    def _follow(self, solved: float) -> None:
        """Longer walks to start from after a round that solved many, shorter ones after one that solved few."""
        if solved >= _MANY_SOLVED:
            self.depth *= _GROW
        elif solved < _FEW_SOLVED:
            longest = min(self.depth, _ANYWHERE * self.puzzle.k_max)
            self.depth = max(longest * _SHRINK, self.perimeter.radius + 2)
        if np.isfinite(self.depth) and self.depth > _ANYWHERE * self.puzzle.k_max:
            try:
                self.puzzle.random_states(np.zeros(1, np.uint64))
                self.depth = np.inf
            except NotImplementedError:  # a puzzle without uniformly random states
                self.depth = _ANYWHERE * self.puzzle.k_max

    def _learn_paths(self, lr: float, paths: list[tuple[np.ndarray, list[int]]]) -> float:
        """Steps towards the moves left, at every state on the way of these and the last solutions; the squared errors."""
        states, left = on_the_way(self.puzzle, paths)
        most = max(self.config.replay_of(self.relations is not None, len(left)), 1)
        self.path_states = np.concatenate([self.path_states, states])[-most:]
        self.path_left = np.concatenate([self.path_left, left])[-most:]
        order = self.rng.permutation(len(self.path_left))
        return self._learn(self.path_states[order], self.path_left[order], min(lr, 1.0), np.inf)

    def _learn(
        self, states: np.ndarray, targets: np.ndarray, lr: float, clip: float, link: tuple[float, float] = (0.0, 0.0)
    ) -> float:
        """A step for each of states [B, S]; returns the sum of squared errors before."""
        reader = self._untrained.reader
        return learn(reader.view, reader.look_ups, self.weights, self._untrained.bias, states, targets, lr, clip, link)

    def state(self) -> dict[str, Any]:
        depth = self.depth if np.isfinite(self.depth) else None
        return {"done": self.done, "rng": self.rng.bit_generator.state, "depth": depth}

    def arrays(self) -> dict[str, np.ndarray]:
        """The weights before they are rounded; the agent has the others."""
        return {"unrounded": self.weights, "path_states": self.path_states, "path_left": self.path_left}

    def restore(self, state: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        if arrays["unrounded"].shape != self.weights.shape:
            raise ValueError(f"the tables have {self.weights.size:,} weights, the checkpoint {arrays['unrounded'].size:,}")
        self.weights[:] = arrays["unrounded"]
        self.path_states, self.path_left = arrays["path_states"], arrays["path_left"]
        self.rng.bit_generator.state = state["rng"]
        self.depth = float("inf") if state["depth"] is None else float(state["depth"])
        self.done = int(state["done"])


def largest_perimeter(puzzle: Puzzle, most: int) -> Perimeter:
    """The goal perimeter with the largest radius that has at most so many states."""
    radius = 0
    while radius < puzzle.k_max:
        try:
            Perimeter(puzzle, radius + 1, most)
        except ValueError:
            break
        radius += 1
    return Perimeter(puzzle, radius, most)
