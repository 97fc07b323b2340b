"""ADI, autodidactic iteration (McAleer et al. 2018, section 4.1, algorithm 1; Bowman et al. 2018, BetaCube).

    repeat  X <- N = k * l states of l walks of k moves from the goal
            y_v(x) <- max over a of R(A(x, a)) + v(A(x, a)),   y_p(x) <- the a with which it is attained
            theta <- train(f_theta, X, Y), samples weighted W(x) = 1 / D(x)

R is +1 for a move that solves and -1 for any other; agent.py says how such values become moves. v is what the target network
says of a child, or a breadth-first search from there if targets are to look further ahead than one move.

Drift. Taken literally, v(goal) is what the network says, and the equations are as true with any constant added to all values: a
neighbour of the goal is worth 1 + v(goal), and the goal, should it be learnt, -1 + 1 + v(goal). Nothing holds the constant, and
every maximum over noisy values raises it: the values drift away, all together, with W = 1/D as well. A terminal goal, whose
value is fixed at 0, ends it: there is one solution only, V = 2 - distance.

By *copy* the target network becomes model after so many iterations, each one in the papers. agents/networks/bootstrap.py has
what this learner shares with DAVI; in its warm start the value of a state n moves along a canonical sequence is 2 - n, its
action the one that leads back.

Per action. With an output of the value head for each action (network.py) it learns every R(A(x, a)) + v(A(x, a)), not only the
highest: A targets for the A evaluations that the maximum is taken of.

Differs from the papers in: the goal's fixed value and the moving average, which can be switched off; weights, which have to be
switched on; a batch may be used for several epochs, and by Adam; a child that several states share is evaluated once; walks do
not undo the move before, unless asked; RMSProp's smoothing constant is Keras's, 0.9, which DeepCube does not state.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from agents.adi.agent import Adi
from agents.adi.config import AdiConfig
from agents.adi.network import Network, make_network
from agents.networks.bootstrap import BootstrapLearner
from agents.networks.distributed import mean_over_ranks
from agents.networks.embedding import make_features
from agents.networks.hardware import CPU, Hardware
from agents.networks.sequences import child_lengths, sequences
from agents.networks.symmetry import turned_actions
from rubiks_gym.puzzles import Puzzle, sample_seeds
from rubiks_gym.puzzles.table import StateTable
from rubiks_gym.scrambles import make_scramble


class Samples(NamedTuple):
    """What an iteration learns from."""

    x: np.ndarray  # [N, S] uint8, states
    y_v: np.ndarray  # [N] float32, their values
    y_p: np.ndarray  # [N] int64, their best actions
    weight: np.ndarray  # [N] float32, W(x)
    q: (
        np.ndarray
    )  # [N, A] float32, what each action is worth, -inf if illegal; what a value head with an output for each learns


def targets(
    puzzle: Puzzle, x: np.ndarray, v: Callable[[np.ndarray], np.ndarray], fix_goal: bool = True, depth: int = 1
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """y_v [N] float32, y_p [N] int64 and q [N, A] float32 of states x [N, S], by a breadth-first search of `depth` moves.

    Args:
        puzzle: whose states they are.
        x: the states.
        v: values [M] of states [M, S], of the goal too.
        fix_goal: whether the goal's value is 0 instead, as a child and as a sample.
        depth: moves to look ahead; the values of children are then targets themselves.
    """
    children = puzzle.expand(x)  # [N, A, S]
    table = StateTable(puzzle.state_size)
    numbers, _ = table.insert(children.reshape(-1, puzzle.state_size))
    distinct = table.states[: len(table)]
    worth = v(distinct) if depth == 1 else targets(puzzle, distinct, v, fix_goal, depth - 1)[0]
    solved = puzzle.is_solved(distinct)
    if fix_goal:
        worth = np.where(solved, np.float32(0), worth)
    reward = np.where(solved, np.float32(1), np.float32(-1))
    q = (reward + worth)[numbers].reshape(children.shape[:2])  # R(A(x, a)) + v(A(x, a))
    q = np.where(puzzle.legal(x), q, -np.float32(np.inf))
    y_v, y_p = q.max(axis=1), q.argmax(axis=1)
    return np.where(fix_goal & puzzle.is_solved(x), np.float32(0), y_v), y_p, q


class Learner(BootstrapLearner):
    """A network under training."""

    config: AdiConfig
    target: Network

    def __init__(self, puzzle: Puzzle, config: AdiConfig, seed: int, hardware: Hardware = CPU) -> None:
        architecture = config.architecture
        model = make_network(make_features(puzzle, architecture.input), puzzle.n_actions, architecture, seed)
        super().__init__(puzzle, config, seed, model, config.optimizer, puzzle.n_actions**config.depth, hardware)
        self._reader = Adi(puzzle, architecture, self.target).place(hardware)
        if min(config.walks, config.minibatch) < self.ranks:
            raise ValueError(f"walks and minibatch must be at least 1 for each of {self.ranks} processes")

    def v(self, states: np.ndarray) -> np.ndarray:
        """The values [M] float32 that the target network gives states [M, S]."""
        return self._reader.value(states)

    @property
    def says_of_goal(self) -> float:
        """What the target network takes the goal to be worth."""
        return float(self.v(self.puzzle.goal[None])[0])

    @property
    def goal_value(self) -> float:
        """What targets take the goal to be worth."""
        return 0.0 if self.config.fix_goal else self.says_of_goal

    def agent(self) -> Adi:
        """The target network."""
        return Adi(self.puzzle, self.config.architecture, self.target, self.goal_value).place(self.hardware)

    def iterate(self) -> dict[str, float]:
        """One iteration; returns its metrics."""
        c, warm = self.config, self.done < self.config.warm_iterations
        rng = np.random.default_rng([self.seed, self.rank, self.done, 1])  # the 1: not those that states to measure have
        samples = self.sequences_to_undo(rng) if warm else self.samples(rng)
        metrics = self.fit(samples, rng)
        self.done += 1
        self.states_seen += len(samples.x) * self.ranks
        if warm or (c.target_update == "copy" and (self.done - c.warm_iterations) % c.copy_every == 0):
            self.update_target()
        return metrics | {"goal_value": self.says_of_goal, "states": self.states_seen}

    def samples(self, rng: np.random.Generator) -> Samples:
        """X, Y and W of an iteration."""
        c = self.config
        walk = {"k_max": c.k, "allow_undo": c.allow_undo} if c.scramble == "deepcube" else {}
        x, d = make_scramble(c.scramble, self.puzzle, **walk).sample(self.puzzle, c.k * (c.walks // self.ranks), rng)
        y_v, y_p, q = targets(self.puzzle, x, self.v, c.fix_goal, c.depth)
        return Samples(x, y_v, y_p, self.weights(d), q)

    def sequences_to_undo(self, rng: np.random.Generator) -> Samples:
        """The same for the warm start: values 2 - n, and the actions that lead back; q of a child n moves along is 1 - n."""
        c, puzzle = self.config, self.puzzle
        made = sequences(puzzle, sample_seeds(rng, max(1, c.k * (c.walks // self.ranks) // c.warm_k)), c.warm_k)
        back = (puzzle.expand(made.states) == made.before[:, None]).all(axis=2).argmax(axis=1)
        q = 1 - child_lengths(puzzle, made) if c.per_action else np.empty((len(back), 0), np.float32)
        return Samples(made.states, 2 - made.moves, back, self.weights(made.moves), q)

    def weights(self, d: np.ndarray) -> np.ndarray:
        """W(x) [N] float32 for the depths D(x) [N]: 1 / D(x), or 1."""
        return (1 / d if self.config.weighted else np.ones(len(d))).astype(np.float32)

    def fit(self, samples: Samples, rng: np.random.Generator) -> dict[str, float]:
        """Gradient steps of model towards the targets: squared error plus cross-entropy; returns their means on the way."""
        best, worth, per_action = samples.y_p, samples.y_v, self.config.per_action
        value_weight = samples.weight
        if per_action:
            legal = self.puzzle.legal(samples.x)
            worth, value_weight = np.where(legal, samples.q, np.float32(0)), samples.weight[:, None] * legal
        indices, which = self._reader.read(samples.x)
        if which is not None:  # targets belong to the outputs that are the actions' in what is read
            turned = turned_actions(self.puzzle, samples.x, which)
            best = turned[np.arange(len(best)), best]
            if per_action:
                back = np.argsort(turned, axis=1)
                worth, value_weight = np.take_along_axis(worth, back, 1), np.take_along_axis(value_weight, back, 1)
        x, y_v, y_p, weight, weight_v = map(self.hardware.send, (indices, worth, best, samples.weight, value_weight))

        def loss(i: torch.Tensor) -> torch.Tensor:
            v, p = self.fitted(x[i])
            value_loss = (weight_v[i] * (v - y_v[i]) ** 2).mean()
            policy_loss = (weight[i] * cross_entropy(p, y_p[i], reduction="none")).mean()
            return torch.stack([value_loss, policy_loss])

        value_loss, policy_loss = self.fit_model(loss, len(x), rng)
        target = torch.tensor([samples.y_v.mean()])
        mean_over_ranks([target])
        return {"value_loss": value_loss, "policy_loss": policy_loss, "target": target.item()}
