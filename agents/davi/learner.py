"""DAVI, deep approximate value iteration (DeepCubeA; Tardon 2022, sections 3.3 and 4.7).

    J_{k+1}(s) = min over a of 1 + J_k(S(s, a)),   J(goal) = 0                                                (3.1)

Two copies of one network: `model_e` stands for J_k and makes the targets, `model` is fitted to them and becomes J_{k+1}. An
iteration draws B states, works out their targets, fits `model`, and every C iterations looks at the loss on B_val fresh states.
Below epsilon is a convergence point: model_e takes over the weights of model, and the next J is learnt. What a search is given
is always model_e, as in the thesis, whose networks are those of convergence points.

Rules. *threshold* is the above. *states* updates model_e after a fixed number of states, whatever the loss. *average* moves
model_e a little towards model at every gradient step; a loss below epsilon then counts as a convergence point (for adaptive-K
and for the record) and changes nothing else.

Warm start. For its first iterations a run may fit the number of moves of walks without detours instead of (3.1), an upper bound
of the distance; model_e is model then.

More than one process. Under torchrun each rank draws its own share of the states, and gradients are averaged over ranks, so
that all hold the same weights. One process is a single rank of the same program.

All randomness of iteration i on rank r comes from the generator of (seed, r, i), and nothing has to be remembered of it.

Differs from the papers in: targets know that a state which is neither the goal nor next to it is at least 2 moves away; a child
that several states share is evaluated once; a batch may be gone through several times; adaptive-K draws the ends of walks of
1..k moves, not all states of walks of k moves (the same distribution of depths).
"""

from typing import Any

import numpy as np
import torch

from agents.davi.agent import Davi
from agents.davi.config import DaviConfig
from agents.davi.network import NETWORKS, evaluate, folded, make_network
from agents.networks.distributed import mean_over_ranks, rank_and_ranks
from agents.networks.embedding import make_rows, row_numbers
from agents.networks.weights import restore_training, training_arrays
from rubiks_gym.puzzles import Puzzle, sample_seeds
from rubiks_gym.scrambles import AdaptiveK, DeepCube, RandomState, UniformK
from rubiks_gym.search.heuristic import CostToGo
from rubiks_gym.search.table import StateTable


def targets(
    puzzle: Puzzle, states: np.ndarray, cost_to_go: CostToGo, symmetric: bool = False, table: StateTable | None = None
) -> np.ndarray:
    """The right side of (3.1) [B] float32 for states [B, S]: 0 at the goal, 1 next to it.

    cost_to_go is that of `Davi`, 0 at the goal and at least 1 elsewhere; `symmetric` if it takes cubes that are alike for the
    same. A table that is given is only used for its memory.
    """
    table = StateTable(puzzle.state_size) if table is None else table
    table.clear()
    children = puzzle.expand(states)  # [B, A, S]
    every = children.reshape(-1, puzzle.state_size)
    numbers, _ = table.insert(puzzle.representatives(every) if symmetric else every)
    costs = cost_to_go(table.states[: len(table)])[numbers].reshape(children.shape[:2])
    costs = np.where(puzzle.legal(states), costs, np.float32(np.inf))
    return np.where(puzzle.is_solved(states), np.float32(0), 1 + costs.min(axis=1))


class Learner:
    """A network under training: `model`, `model_e`, Adam, and how far they have come."""

    def __init__(self, puzzle: Puzzle, config: DaviConfig, seed: int) -> None:
        self.puzzle, self.config, self.seed = puzzle, config, seed
        self.rank, self.ranks = rank_and_ranks()
        if min(config.batch, config.minibatch, config.validation) < 2 * self.ranks:
            raise ValueError(f"batch, minibatch and validation must give each of {self.ranks} processes at least 2 states")
        architecture = NETWORKS[config.network]
        self.rows = make_rows(puzzle, architecture.input, architecture.symmetric)
        self.model = make_network(self.rows, architecture, seed)
        self.model_e = make_network(self.rows, architecture, seed)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=config.lr, fused=True)
        self.done, self.total = 0, config.iterations  # iterations done, and in all
        self.points = 0  # convergence points
        self.converged = False  # whether the last iteration was one
        self.states_seen = 0
        self.since_update = 0  # states since model_e was last updated
        self._table = StateTable(puzzle.state_size)

    def agent(self) -> Davi:
        """model_e, batch normalisation folded."""
        return Davi(self.puzzle, NETWORKS[self.config.network], folded(self.model_e))

    def iterate(self) -> dict[str, float]:
        """One iteration; returns its figures."""
        c = self.config
        rng = np.random.default_rng([self.seed, self.rank, self.done])
        warm = self.done < c.warm_iterations
        cost_to_go = None if warm else self.agent().cost_to_go
        k = self.effective_k
        loss = self.fit(*self.sample(c.batch // self.ranks, rng, cost_to_go), rng)
        self.done += 1
        fresh = c.batch // self.ranks * self.ranks
        self.states_seen += fresh
        self.since_update += fresh
        figures = {"loss": loss, "effective_k": c.warm_k if warm else k, "states": self.states_seen}
        if self.done % c.check_every == 0:
            figures["validation_loss"] = self.loss(*self.sample(c.validation // self.ranks, rng, cost_to_go))
        if warm:
            self.update()  # nothing is made of model_e yet: it may as well be the latest
        else:
            self.converge(figures.get("validation_loss", np.inf))
        figures["convergence_points"] = self.points
        return figures

    def converge(self, validation_loss: float) -> None:
        """Apply the rule by which model_e follows model."""
        c = self.config
        self.converged = self.since_update >= c.target_states if c.rule == "states" else validation_loss < c.epsilon
        if self.converged:
            self.points += 1
            if c.rule != "average":
                self.update()

    def update(self) -> None:
        """model_e becomes model."""
        self.model_e.load_state_dict(self.model.state_dict())
        self.since_update = 0

    @property
    def effective_k(self) -> int:
        """The longest walk that states come from now; 0 if they are drawn from all states."""
        if self.config.scramble == "random-state":
            return 0
        return self._adaptive().effective_k if self.config.scramble == "adaptive" else self.config.k_max

    def _adaptive(self) -> AdaptiveK:
        c = self.config
        return AdaptiveK(c.k_max, c.offset, c.allow_undo, convergence_points=self.points)

    def sample(self, n: int, rng: np.random.Generator, cost_to_go: CostToGo | None) -> tuple[np.ndarray, np.ndarray]:
        """States [n, S] and targets [n]: those of (3.1), or, without a cost-to-go, the moves of walks without detours."""
        c, puzzle = self.config, self.puzzle
        if cost_to_go is None:
            walks = getattr(puzzle, "canonical_walks", puzzle.walks)(sample_seeds(rng, -(-n // c.warm_k)), c.warm_k)
            steps = np.tile(np.arange(1, c.warm_k + 1, dtype=np.float32), len(walks))
            return walks.reshape(-1, puzzle.state_size)[:n], steps[:n]
        scramble = {
            "uniform": lambda: UniformK(c.k_max, c.allow_undo),
            "deepcube": lambda: DeepCube(c.k_max, c.allow_undo),
            "adaptive": self._adaptive,
            "random-state": RandomState,
        }[c.scramble]()
        states, _ = scramble.sample(puzzle, n, rng)
        return states, targets(puzzle, states, cost_to_go, self.rows.symmetric, self._table)

    def fit(self, states: np.ndarray, goals: np.ndarray, rng: np.random.Generator) -> float:
        """Gradient steps of model towards goals [n] for states [n, S]; returns the mean loss on the way."""
        c = self.config
        numbers, goals = torch.from_numpy(row_numbers(self.puzzle, self.rows, states)), torch.from_numpy(goals)
        steps = -(-len(states) // max(2, c.minibatch // self.ranks))
        for group in self.optimizer.param_groups:
            group["lr"] = c.lr_of(self.done)
        parameters, followers = list(self.model.parameters()), list(self.model_e.parameters())
        losses = torch.zeros(1)
        self.model.train()
        for _ in range(c.epochs):
            for part in np.array_split(rng.permutation(len(states)), steps):
                which = torch.from_numpy(part)
                loss = torch.nn.functional.mse_loss(self.model(numbers[which]), goals[which])
                self.optimizer.zero_grad()
                loss.backward()
                mean_over_ranks([parameter.grad for parameter in parameters])
                self.optimizer.step()
                losses += loss.detach()
                if c.rule == "average":
                    with torch.no_grad():
                        for follower, parameter in zip(followers, parameters, strict=True):
                            follower.lerp_(parameter, 1 - c.decay)
        mean_over_ranks([*self._running(self.model), losses])
        if c.rule == "average":  # a batch's statistics belong to the weights of the moment, and cost nothing to take over
            for ours, theirs in zip(self._running(self.model_e), self._running(self.model), strict=True):
                ours.copy_(theirs)
        return losses.item() / (steps * c.epochs)

    def loss(self, states: np.ndarray, goals: np.ndarray) -> float:
        """Mean squared error of model on states [n, S], without learning, over all ranks."""
        answers = evaluate(folded(self.model), row_numbers(self.puzzle, self.rows, states))
        mean = torch.tensor([np.square(answers - goals).mean(dtype=float)])
        mean_over_ranks([mean])
        return mean.item()

    @staticmethod
    def _running(network: torch.nn.Module) -> list[torch.Tensor]:
        """The means and variances that batch normalisation remembers."""
        return [buffer for buffer in network.buffers() if buffer.is_floating_point()]

    # What a checkpoint holds besides the agent ------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """How far the learner has come, as JSON."""
        return {name: getattr(self, name) for name in ("done", "points", "states_seen", "since_update")}

    def arrays(self) -> dict[str, np.ndarray]:
        """Both networks and Adam's moments, by the names of the weights they belong to."""
        return training_arrays(self.model, self.model_e, self.optimizer)

    def restore(self, state: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        """Go on where a checkpoint was."""
        restore_training(self.model, self.model_e, self.optimizer, arrays)
        for name, value in state.items():
            setattr(self, name, int(value))
