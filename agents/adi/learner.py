"""ADI, autodidactic iteration (McAleer et al. 2018, section 4.1, algorithm 1; Bowman et al. 2018, BetaCube).

    repeat  X <- N = k * l states of l walks of k moves from the goal
            y_v(x) <- max over a of R(A(x, a)) + v(A(x, a)),   y_p(x) <- the a with which it is attained
            theta <- train(f_theta, X, Y), samples weighted W(x) = 1 / D(x)

R is +1 for a move that solves and -1 for any other; agent.py says how such values become moves. v is what the current network
says of a child, or a breadth-first search from there if targets are to look further ahead than one move.

Drift. Taken literally, v(goal) is what the network says, and the equations are as true with any constant added to all values: a
neighbour of the goal is worth 1 + v(goal), and the goal, should it be learnt, -1 + 1 + v(goal). Nothing holds the constant, and
every maximum over noisy values raises it: the values drift away, all together, with W = 1/D as well. *Pinning* ends it: the
game is over at the goal, v(goal) = 0, and there is one solution only, V = 2 - distance.

Two copies of the network: `model_e` makes the targets, `model` is fitted to them. By rule *copy* model_e becomes model after so
many iterations, each one in the papers; by rule *average* it moves a little towards model at every gradient step. What a search
is given is always model_e.

Warm start. For its first iterations a run may learn to take back walks without detours: the value of a state n moves along is
2 - n, its move the one that leads back. The number is an upper bound of the distance; model_e is model then.

More than one process. Under torchrun each rank draws its own share of the walks, and gradients are averaged over ranks, so that
all hold the same weights. One process is a single rank of the same program.

All randomness of iteration i on rank r comes from the generator of (seed, r, i), and nothing has to be remembered of it.

Differs from the papers in: pinning and averaging, which can be switched off; weights, which have to be switched on; a pool may
be gone through several times, and by Adam; a child that several states share is evaluated once; walks do not undo the move
before, unless asked; RMSProp forgets as Keras's does, at 0.9, which DeepCube does not say.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from agents.adi.agent import Adi
from agents.adi.config import AdiConfig
from agents.adi.network import make_network
from agents.adi.symmetry import turned_actions
from agents.networks.distributed import mean_over_ranks, rank_and_ranks
from agents.networks.embedding import make_rows
from agents.networks.weights import restore_training, training_arrays
from rubiks_gym.puzzles import Puzzle, sample_seeds
from rubiks_gym.scrambles import DeepCube, RandomState
from rubiks_gym.search.table import StateTable


class Samples(NamedTuple):
    """What an iteration learns from."""

    x: np.ndarray  # [N, S] uint8, states
    y_v: np.ndarray  # [N] float32, their values
    y_p: np.ndarray  # [N] int64, their best actions
    weight: np.ndarray  # [N] float32, W(x)


def targets(
    puzzle: Puzzle, x: np.ndarray, v: Callable[[np.ndarray], np.ndarray], pinned: bool = True, depth: int = 1
) -> tuple[np.ndarray, np.ndarray]:
    """y_v [N] float32 and y_p [N] int64 of states x [N, S], by a breadth-first search of `depth` moves.

    Args:
        puzzle: whose states they are.
        x: the states.
        v: values [M] of states [M, S], of the goal too.
        pinned: whether the goal is worth 0 instead, as a child and as a sample.
        depth: moves to look ahead; the values of children are then targets themselves.
    """
    children = puzzle.expand(x)  # [N, A, S]
    table = StateTable(puzzle.state_size)
    numbers, _ = table.insert(children.reshape(-1, puzzle.state_size))
    distinct = table.states[: len(table)]
    worth = v(distinct) if depth == 1 else targets(puzzle, distinct, v, pinned, depth - 1)[0]
    solved = puzzle.is_solved(distinct)
    if pinned:
        worth = np.where(solved, np.float32(0), worth)
    reward = np.where(solved, np.float32(1), np.float32(-1))
    q = (reward + worth)[numbers].reshape(children.shape[:2])  # R(A(x, a)) + v(A(x, a))
    q = np.where(puzzle.legal(x), q, -np.float32(np.inf))
    y_v, y_p = q.max(axis=1), q.argmax(axis=1)
    return np.where(pinned & puzzle.is_solved(x), np.float32(0), y_v), y_p


class Learner:
    """A network under training: `model`, `model_e`, the optimizer, and how far they have come."""

    def __init__(self, puzzle: Puzzle, config: AdiConfig, seed: int) -> None:
        self.puzzle, self.config, self.seed = puzzle, config, seed
        self.rank, self.ranks = rank_and_ranks()
        if min(config.walks, config.minibatch) < self.ranks:
            raise ValueError(f"walks and minibatch must be at least 1 for each of {self.ranks} processes")
        architecture = config.architecture
        rows = make_rows(puzzle, architecture.input)
        self.model = make_network(rows, puzzle.n_actions, architecture, seed)
        self.model_e = make_network(rows, puzzle.n_actions, architecture, seed)
        self._reader = Adi(puzzle, architecture, self.model_e)
        if config.optimizer == "adam":
            self.optimizer: torch.optim.Optimizer = torch.optim.Adam(self.model.parameters(), lr=config.lr, fused=True)
        else:
            self.optimizer = torch.optim.RMSprop(self.model.parameters(), lr=config.lr, alpha=0.9)
        self.done, self.total = 0, config.iterations  # iterations done, and in all
        self.states_seen = 0

    def v(self, states: np.ndarray) -> np.ndarray:
        """The values [M] float32 that model_e gives states [M, S]."""
        return self._reader.value(states)

    @property
    def says_of_goal(self) -> float:
        """What model_e takes the goal to be worth."""
        return float(self.v(self.puzzle.goal[None])[0])

    @property
    def goal_value(self) -> float:
        """What targets take it to be worth."""
        return 0.0 if self.config.pinned else self.says_of_goal

    def agent(self) -> Adi:
        """model_e."""
        return Adi(self.puzzle, self.config.architecture, self.model_e, self.goal_value)

    def iterate(self) -> dict[str, float]:
        """One iteration; returns its figures."""
        c, warm = self.config, self.done < self.config.warm_iterations
        rng = np.random.default_rng([self.seed, self.rank, self.done, 1])  # the 1: not those that states to measure have
        samples = self.walks_to_take_back(rng) if warm else self.samples(rng)
        figures = self.fit(samples, rng)
        self.done += 1
        self.states_seen += len(samples.x) * self.ranks
        if warm or (c.rule == "copy" and (self.done - c.warm_iterations) % c.copy_every == 0):
            self.model_e.load_state_dict(self.model.state_dict())
        return figures | {"goal_value": self.says_of_goal, "states": self.states_seen}

    def samples(self, rng: np.random.Generator) -> Samples:
        """X, Y and W of an iteration."""
        c = self.config
        scramble = DeepCube(c.k, c.allow_undo) if c.scramble == "deepcube" else RandomState()
        x, d = scramble.sample(self.puzzle, c.k * (c.walks // self.ranks), rng)
        return Samples(x, *targets(self.puzzle, x, self.v, c.pinned, c.depth), self.weights(d))

    def walks_to_take_back(self, rng: np.random.Generator) -> Samples:
        """The same for the warm start: values 2 - n and the moves that lead back."""
        c, puzzle = self.config, self.puzzle
        n_walks = max(1, c.k * (c.walks // self.ranks) // c.warm_k)
        walks = getattr(puzzle, "canonical_walks", puzzle.walks)(sample_seeds(rng, n_walks), c.warm_k)  # [n_walks, warm_k, S]
        goals = np.broadcast_to(puzzle.goal, (n_walks, 1, puzzle.state_size))
        before = np.concatenate([goals, walks[:, :-1]], axis=1).reshape(-1, puzzle.state_size)
        x = walks.reshape(-1, puzzle.state_size)
        back = (puzzle.expand(x) == before[:, None]).all(axis=2).argmax(axis=1)
        n = np.tile(np.arange(1, c.warm_k + 1), n_walks)
        return Samples(x, (2 - n).astype(np.float32), back, self.weights(n))

    def weights(self, d: np.ndarray) -> np.ndarray:
        """W(x) [N] float32 for the depths D(x) [N]: 1 / D(x), or 1."""
        return (1 / d if self.config.weighted else np.ones(len(d))).astype(np.float32)

    def fit(self, samples: Samples, rng: np.random.Generator) -> dict[str, float]:
        """Gradient steps of model towards the targets: squared error plus cross-entropy; returns their means on the way."""
        c, best = self.config, samples.y_p
        numbers, which = self._reader.read(samples.x)
        if which is not None:
            best = turned_actions(self.puzzle, samples.x, which)[np.arange(len(best)), best]  # in the states that are read
        x, y_v, y_p, weight = map(torch.from_numpy, (numbers, samples.y_v, best, samples.weight))
        for group in self.optimizer.param_groups:
            group["lr"] = c.lr_of(self.done)
        parameters, followers = list(self.model.parameters()), list(self.model_e.parameters())
        steps = -(-len(x) // (c.minibatch // self.ranks))
        losses = torch.zeros(2)
        for _ in range(c.epochs):
            for part in np.array_split(rng.permutation(len(x)), steps):
                i = torch.from_numpy(part)
                v, p = self.model(x[i])
                value_loss = (weight[i] * (v - y_v[i]) ** 2).mean()
                policy_loss = (weight[i] * cross_entropy(p, y_p[i], reduction="none")).mean()
                self.optimizer.zero_grad()
                (value_loss + policy_loss).backward()
                mean_over_ranks([parameter.grad for parameter in parameters])
                self.optimizer.step()
                losses += torch.stack([value_loss, policy_loss]).detach() / (steps * c.epochs)
                if c.rule == "average":
                    with torch.no_grad():
                        for follower, parameter in zip(followers, parameters, strict=True):
                            follower.lerp_(parameter, 1 - c.decay)
        figures = torch.cat([losses, y_v.mean()[None]])
        mean_over_ranks([figures])
        return dict(zip(("value_loss", "policy_loss", "target"), figures.tolist(), strict=True))

    # What a checkpoint holds besides the agent ------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """How far the learner has come, as JSON."""
        return {"done": self.done, "states_seen": self.states_seen}

    def arrays(self) -> dict[str, np.ndarray]:
        """Both networks and the optimizer's moments."""
        return training_arrays(self.model, self.model_e, self.optimizer)

    def restore(self, state: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        """Go on where a checkpoint was."""
        restore_training(self.model, self.model_e, self.optimizer, arrays)
        self.done, self.states_seen = int(state["done"]), int(state["states_seen"])
