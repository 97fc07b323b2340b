"""From nothing to a cost-to-go: regression on random walks, then raise-only backups on states of the learner's own searches.

Or TD learning alone, see below.

Walks. A walk of K moves from the goal passes states whose number of moves so far, k, is at least their distance and, while k is
small, mostly equal to it. Further out walks say less and less: all states look alike. So k is not fitted by F itself but by

    p(F) = c - T softplus((c - F) / T)        with saturation c and temperature T,

which follows F below c and levels off above it: states beyond c need only be "far", and F keeps its slope where it is known.
The error is squared, so F moves by lr (k - p) p'(F), shared out evenly over the look-ups.

Raise-only backups. Beam searches from random states with the present F show which states F lures the search into. For those,

    y = 1 + min over children of F(child)        (exact inside the goal perimeter, at least its radius + 1 outside)

is a Bellman backup, and F is raised towards y where y is higher, as LRTA* does. It is never lowered: a search takes the lowest
of many noisy values, which is too low as a rule, and repeated lowering would carry that bias through the whole table. Batches
of walks in between hold F in place.

TD learning (`td`) is Konen's way (2023) with these tables, and learns from nothing else: episodes start after 1 to K moves from
the goal and follow F greedily, never undoing a move; each state that they pass has the target

    y = 1 + min over children of F(child)        with F = 0 at the goal and nowhere else known,

and F moves towards it, up or down. The tables begin at a bias beyond what is solved, so that what is near comes down first.

A weight may be hit several times in a minibatch, near the goal thousands of times; it moves by the mean of what those look-ups
ask for. So no minibatch is too large to be stable, and all cores work on it: first the errors, each thread some of the states,
then the weights, each thread some of the tables. The result does not depend on the number of threads.

More than one process. Under torchrun each rank makes some of a round's beams and backups, or of its greedy episodes, which are
most of the work, and tells the others; all then learn all of it, so every rank holds the weights that one process alone would
have, to the bit. Walks are cheaper to draw and learn than to tell: each rank does all of them.
"""

from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from agents.own_searches import backups, on_the_way
from agents.ranks import gathered, rank_and_ranks
from agents.symmetric_ntuple.config import SymmetricNTupleConfig
from rubiks_gym.ntuple.agent import SymmetricNTuple
from rubiks_gym.ntuple.network import SIZE, make_reader, possible_in, sums_to_learn
from rubiks_gym.puzzles import sample_seeds
from rubiks_gym.puzzles.compiled import jit
from rubiks_gym.puzzles.cube import Cube
from rubiks_gym.puzzles.threads import pieces, side_by_side
from rubiks_gym.search import Budget, Perimeter, beam

_MINIBATCH = 256  # states whose weights are updated together: their weights stay in the processor's cache meanwhile
_MAX_RAISE = 2.0  # no backup asks for more, however far its target is
_NEAR = 14  # moves of a walk up to which the contrastive loss takes its end for near
_WALK_SHARE = 0.1  # learning rate on walks during the rounds, relative to that of the backups: they pull against each other
_ROUND = 15.0  # work of a round in batches of walks, with the settings of the presets: 11.1 against 0.74 CPU seconds


# A beam of a round: its solution, if it has found one, and every fourth of the states [B, S] that it kept
Episode = tuple[list[int] | None, np.ndarray]


class RoundMetrics(NamedTuple):
    """What a round of backups met."""

    solved: float  # share of the beams that reached the goal perimeter
    length: float  # mean length of their solutions
    too_low: float  # share of states whose F was below its target
    gap: float  # mean of what was missing, over all states


class TdMetrics(NamedTuple):
    """What a round of TD learning met."""

    solved: float  # share of episodes that reached the goal before their last move
    states: int  # learnt from
    td_error: float  # mean of its absolute value, before


class Learner:
    """Weights under training. `weights` [W, 2] float32: the weights themselves, and room to count the hits of a minibatch.

    A step is a batch of walks, later a round of beams with the batches of walks that follow it.
    """

    rank, ranks = 0, 1

    def __init__(self, puzzle: Cube, config: SymmetricNTupleConfig, seed: int) -> None:
        self.puzzle, self.config, self.rng = puzzle, config, np.random.default_rng(seed)
        self.rank, self.ranks = rank_and_ranks()
        self.done, self.total = 0, config.walk_batches + config.rounds
        self.phases = ((config.walk_batches, 1.0), (config.rounds, _ROUND))
        self.weights = np.zeros((len(config.tables) * SIZE, 2), np.float32)
        self.reader = make_reader(puzzle, config.cubies())
        self.perimeter = Perimeter(puzzle, config.radius)
        looked_up = 2 * len(self.reader.mirror)
        self._index, self._sums = np.empty((_MINIBATCH, looked_up), np.uint32), np.empty(_MINIBATCH, np.float32)

    def agent(self) -> SymmetricNTuple:
        """What has been learnt so far, weights rounded to 8 bits."""
        return SymmetricNTuple.rounded(self.puzzle, self.config.cubies(), self.config.bias, self.weights[:, 0])

    def iterate(self) -> dict[str, float]:
        """The next batch of walks or round of beams; returns its metrics."""
        c, done = self.config, self.done
        self.done += 1
        if done < c.walk_batches:
            return {"walk_error": self.learn_walks(c.walk_lr_of(done))}
        lr = c.backup_lr_of(done - c.walk_batches)
        metrics = (self.learn_by_td(lr) if c.td else self.back_up(lr))._asdict()
        for _ in range(c.walk_batches_per_round):
            metrics["walk_error"] = self.learn_walks(_WALK_SHARE * lr)
        return metrics

    def learn_walks(self, lr: float) -> float:
        """Regression on one batch of walks; returns the mean squared error before."""
        c = self.config
        states = self.puzzle.canonical_walks(sample_seeds(self.rng, c.walks), c.walk_length).reshape(-1, self.puzzle.state_size)
        steps = np.tile(np.arange(1, c.walk_length + 1, dtype=np.float32), c.walks)
        squares = 0.0
        for start in range(0, len(states), _MINIBATCH):
            cost = self._look_up(states[start : start + _MINIBATCH])
            error = np.empty_like(cost)
            squares += walk_errors(c.saturation, c.temperature, steps[start : start + _MINIBATCH], cost, error)
            self._learn(lr * error)
        if c.contrast:
            self._learn_contrast(lr * c.contrast, states[steps <= _NEAR])
        return squares / len(states)

    def _learn_contrast(self, lr: float, near: np.ndarray) -> None:
        """Logistic regression: F - c is the logit of being one of so many random states, not one of near [B, S]."""
        c = self.config
        far = self.puzzle.random_states(sample_seeds(self.rng, len(near)))
        half = _MINIBATCH // 2
        for start in range(0, len(near), half):
            states = np.concatenate([near[start : start + half], far[start : start + half]])
            label = np.repeat(np.array([0, 1], np.float32), len(states) // 2)
            chance = 1 / (1 + np.exp(-(self._look_up(states) - np.float32(c.saturation)) / np.float32(c.temperature)))
            self._learn(lr * (label - chance))

    def back_up(self, lr: float) -> RoundMetrics:
        """A round of beams from random states, then raise-only backups of every fourth state they kept."""
        c, puzzle, agent = self.config, self.puzzle, self.agent()

        def episode(start: np.ndarray) -> Episode:
            kept = [np.empty((0, puzzle.state_size), np.uint8)]
            found = beam(
                puzzle,
                start[None],
                agent.cost_to_go,
                width=c.width,
                max_steps=c.max_steps,
                perimeter=self.perimeter,
                budget=Budget(nodes=2**60),
                watch=lambda layer, *_: kept.append(layer[::4]),
            )
            return (found.moves[0] if found.solved[0] else None), np.concatenate(kept)

        starts = puzzle.random_states(sample_seeds(self.rng, c.episodes))
        shares = gathered(side_by_side([partial(episode, start) for start in starts[self.rank :: self.ranks]]))
        episodes = [shares[i % self.ranks][i // self.ranks] for i in range(len(starts))]
        states = self.rng.permutation(np.concatenate([kept for _, kept in episodes]))
        targets = np.concatenate(gathered(self.backed_up(agent, np.array_split(states, self.ranks)[self.rank])))
        rise = self._approach(lr, states, targets, lowest=-_MAX_RAISE if c.two_sided else 0.0)
        paths = [(start, moves) for start, (moves, _) in zip(starts, episodes, strict=True) if moves is not None]
        if c.path_lr:
            self._learn_paths(lr * c.path_lr, paths)
        lengths = [len(moves) for _, moves in paths]
        solved, length = len(lengths) / len(starts), float(np.mean(lengths or [0]))
        return RoundMetrics(solved, length, float((rise > 0).mean()), float(rise.mean(dtype=float)))

    def learn_by_td(self, lr: float) -> TdMetrics:
        """A round of TD learning: each state of greedy episodes moves towards one move more than the lowest of its children."""
        c, agent = self.config, self.agent()
        walks = self.puzzle.canonical_walks(sample_seeds(self.rng, c.episodes), c.walk_length)
        walks = walks.reshape(c.episodes, c.walk_length, -1)
        starts = walks[np.arange(c.episodes), self.rng.integers(c.walk_length, size=c.episodes)]
        shares = gathered(self.greedy_episodes(agent, starts[self.rank :: self.ranks]))
        states = np.empty((c.max_steps, c.episodes, self.puzzle.state_size), np.uint8)
        targets = np.empty((c.max_steps, c.episodes), np.float32)
        for rank, (passed, backed_up) in enumerate(shares):
            states[:, rank :: self.ranks], targets[:, rank :: self.ranks] = passed, backed_up
        order = self.rng.permutation(np.flatnonzero(np.isfinite(targets)))
        errors = self._approach(lr, states.reshape(-1, self.puzzle.state_size)[order], targets.ravel()[order], -_MAX_RAISE)
        return TdMetrics(float(np.isnan(targets[-1]).mean()), len(order), float(np.abs(errors).mean(dtype=float)))

    def greedy_episodes(self, agent: SymmetricNTuple, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Follow F from states [B, S], never undoing a move: states passed [steps, B, S] and 1 + the least F of their children
        [steps, B] float32, nan once the goal is reached."""
        steps, puzzle = self.config.max_steps, self.puzzle
        passed, targets = np.zeros((steps, *states.shape), np.uint8), np.full((steps, len(states)), np.nan, np.float32)
        on, last = np.arange(len(states)), np.full(len(states), -1)  # episodes under way, and the move before of each
        for step in range(steps):
            children = puzzle.expand(states)
            costs = agent.cost_to_go(children.reshape(-1, puzzle.state_size)).reshape(children.shape[:2])
            passed[step, on], targets[step, on] = states, 1 + costs.min(axis=1)
            begun = last >= 0
            costs[np.flatnonzero(begun), puzzle.inverse_action[last[begun]]] = np.inf
            last = costs.argmin(axis=1)
            states = children[np.arange(len(states)), last]
            left = ~puzzle.is_solved(states)
            states, on, last = states[left], on[left], last[left]
            if not len(states):
                break
        return passed, targets

    def _approach(self, lr: float, states: np.ndarray, targets: np.ndarray, lowest: float) -> np.ndarray:
        """Move F of states [B, S] towards targets [B], by errors from `lowest` to _MAX_RAISE; returns these [B]."""
        errors = np.empty(len(states), np.float32)
        for first in range(0, len(states), _MINIBATCH):
            some = slice(first, first + _MINIBATCH)
            errors[some] = np.clip(targets[some] - self._look_up(states[some]), lowest, _MAX_RAISE)
            self._learn(lr * errors[some])
        return errors

    def _learn_paths(self, lr: float, paths: list[tuple[np.ndarray, list[int]]]) -> None:
        """Regression of F on the moves left, at every state [S] on the way of solutions, whether that raises or lowers it."""
        states, left = on_the_way(self.puzzle, paths)
        order = self.rng.permutation(len(states))
        self._approach(lr, states[order], left[order], -_MAX_RAISE)

    def backed_up(self, agent: SymmetricNTuple, states: np.ndarray) -> np.ndarray:
        """y [B] float32 of states [B, S] outside the perimeter."""
        return backups(self.puzzle, self.perimeter, agent.cost_to_go, states)

    def _look_up(self, states: np.ndarray) -> np.ndarray:
        """F of at most _MINIBATCH states [B, S], [B] float32."""
        rows = (states, self._index[: len(states)], self._sums[: len(states)])
        side_by_side([partial(sums_to_learn, self.reader.look_ups, self.weights, *piece) for piece in pieces(rows)])
        return np.float32(self.config.bias) + rows[2]

    def _learn(self, change: np.ndarray) -> None:
        """Change F of the states that were looked up last by about change [B]."""
        n, index = len(self.reader.mirror), self._index[: len(change)]
        share = (change / (2 * n)).astype(np.float32)
        tables = pairwise(self.reader.cuts)
        side_by_side([partial(spread, index, n, start, stop, share, self.weights) for start, stop in tables])

    # What a checkpoint holds besides the agent ------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        return {"done": self.done, "rng": self.rng.bit_generator.state}

    def arrays(self) -> dict[str, np.ndarray]:
        """The weights of what is possible, before rounding."""
        return {"unrounded": self.weights[possible_in(self.config.cubies()), 0]}

    def restore(self, state: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        self.weights[possible_in(self.config.cubies()), 0] = arrays["unrounded"]
        self.rng.bit_generator.state = state["rng"]
        self.done = int(state["done"])


# Compiled ---------------------------------------------------------------------------------------------------------------


@jit
def walk_errors(saturation, temperature, steps, cost, out):
    """(k - p(F)) p'(F) into out [B] for steps k [B] and F cost [B]; returns the sum of (k - p(F))^2."""
    squares = 0.0
    for b in range(cost.shape[0]):
        x = (saturation - cost[b]) / temperature
        if x > 30:  # e^x would swallow the 1 beside it, and later overflow
            fitted, slope = saturation - temperature * x, 1.0
        else:
            fitted, slope = saturation - temperature * np.log1p(np.exp(x)), 1 / (1 + np.exp(-x))
        squares += (steps[b] - fitted) ** 2
        out[b] = (steps[b] - fitted) * slope
    return squares


@jit
def spread(index, n, start, stop, share, weights):
    """Move the weights [W, 2] of images start..stop - 1 in index [B, 2 n] by the mean share [B] of look-ups that hit one."""
    for b in range(index.shape[0]):
        for way in range(0, 2 * n, n):
            for k in range(way + start, way + stop):
                weights[index[b, k], 1] += np.float32(1)
    for b in range(index.shape[0]):
        for way in range(0, 2 * n, n):
            for k in range(way + start, way + stop):
                i = index[b, k]
                weights[i, 0] += share[b] / weights[i, 1]
    for b in range(index.shape[0]):
        for way in range(0, 2 * n, n):
            for k in range(way + start, way + stop):
                weights[index[b, k], 1] = np.float32(0)
