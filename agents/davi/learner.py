"""DAVI, deep approximate value iteration (DeepCubeA; Tardon 2022, sections 3.3 and 4.7).

    J_{k+1}(s) = min over a of 1 + J_k(S(s, a)),   J(goal) = 0                                                (3.1)

The target network (the thesis's model_e) stands for J_k, `model` becomes J_{k+1}. An iteration draws B states, computes their
targets, fits `model`, and every C iterations measures the loss on B_val fresh states. Below epsilon is a convergence point: the
target network takes over the weights of model, and the next J is learnt. agents/networks/bootstrap.py has what this learner
shares with ADI; its warm start fits the lengths of canonical move sequences.

Per action. With an output for each child (network.py), what it learns of a state is the right side of (3.1) for all children
at once: A targets for the A evaluations that (3.1) takes a minimum of, and no minimum over what the network has not learnt. Its
warm start knows a length for each child too: one less than the state's for those that lead back, one more for the others.

Target updates. *threshold* is the above. *states* copies the weights after a fixed number of states, whatever the loss. *ema*
makes the target network an exponential moving average of the weights; a loss below epsilon then counts as a convergence point
(for adaptive-K and for the record) and changes nothing else.

Towers of Hanoi. Values spread one move a sweep, and ten disks are 1,023 moves from home. Scramble *disks* is adaptive-K with
disks instead of moves: the smallest 1 to k disks are anywhere, the others home, and k grows with the convergence points. A
recurrent network then knows most of a higher tower as soon as it knows a lower one. `depth` moves of look-ahead spread values
as many moves at once; `relative` makes errors of long and of short ways comparable.

Differs from the papers in: targets know that a state which is neither the goal nor next to it is at least 2 moves away (unless
clamp is off); a child that several states share is evaluated once; a batch may be used for several epochs; adaptive-K draws the
ends of walks of 1..k moves, not all states of walks of k moves (the same distribution of depths).
"""

from typing import Any

import numpy as np
import torch
from torch.nn.functional import mse_loss

from agents.davi.agent import Davi
from agents.davi.config import DaviConfig
from agents.davi.network import Network, Recurrent, folded, make_network, read_by
from agents.networks.bootstrap import BootstrapLearner
from agents.networks.distributed import mean_over_ranks
from agents.networks.hardware import CPU, Hardware
from agents.networks.sequences import child_lengths, sequences
from rubiks_gym.puzzles import Cube, Hanoi, Puzzle, sample_seeds
from rubiks_gym.puzzles.table import StateTable
from rubiks_gym.scrambles import make_scramble
from rubiks_gym.search.heuristic import CostToGo


def targets(
    puzzle: Puzzle,
    states: np.ndarray,
    cost_to_go: CostToGo,
    symmetric: bool = False,
    table: StateTable | None = None,
    depth: int = 1,
) -> np.ndarray:
    """The right side of (3.1) [B] float32 for states [B, S]: 0 at the goal, 1 next to it.

    Args:
        puzzle: whose states they are.
        states: the states.
        cost_to_go: of states [M, S], 0 at the goal.
        symmetric: whether it is the same for all states of a symmetry class.
        table: used for its memory only.
        depth: moves to look ahead; the costs of children are then targets themselves.
    """
    costs, solved = child_targets(puzzle, states, cost_to_go, symmetric, table, depth)
    costs = np.where(puzzle.legal(states), costs, np.float32(np.inf))
    beyond = np.where(solved.any(axis=1), np.float32(1), 1 + costs.min(axis=1))
    return np.where(puzzle.is_solved(states), np.float32(0), beyond)


def child_targets(
    puzzle: Puzzle,
    states: np.ndarray,
    cost_to_go: CostToGo,
    symmetric: bool = False,
    table: StateTable | None = None,
    depth: int = 1,
) -> tuple[np.ndarray, np.ndarray]:
    """What the minimum in (3.1) is taken of: the costs [B, A] float32 of the children of states [B, S], 0 at the goal.

    And which children are solved [B, A] bool. The arguments are those of `targets`.
    """
    table = StateTable(puzzle.state_size) if table is None else table
    table.clear()
    children = puzzle.expand(states)  # [B, A, S]
    every = children.reshape(-1, puzzle.state_size)
    numbers, _ = table.insert(puzzle.representatives(every) if symmetric and isinstance(puzzle, Cube) else every)
    distinct = table.states[: len(table)]
    found = cost_to_go(distinct) if depth == 1 else targets(puzzle, distinct, cost_to_go, symmetric, depth=depth - 1)
    solved, shape = puzzle.is_solved(distinct), children.shape[:2]
    return np.where(solved, np.float32(0), found)[numbers].reshape(shape), solved[numbers].reshape(shape)


def towers(puzzle: Hanoi, n: int, disks: int, rng: np.random.Generator) -> np.ndarray:
    """States [n, S] with 1 to so many of the smallest disks anywhere, each number equally likely, and the others home."""
    states = puzzle.random_states(sample_seeds(rng, n))
    home = np.arange(puzzle.disks) >= rng.integers(1, disks + 1, n)[:, None]
    return np.where(home, puzzle.goal, states)


class Learner(BootstrapLearner):
    """A network under training by Adam, and its convergence points."""

    COUNTERS = ("done", "points", "states_seen", "since_update")
    config: DaviConfig
    model: Network | Recurrent
    target: Network | Recurrent

    def __init__(self, puzzle: Puzzle, config: DaviConfig, seed: int, hardware: Hardware = CPU) -> None:
        self.features = read_by(puzzle, config.architecture)
        model = make_network(self.features, puzzle.n_actions, config.architecture, seed)
        super().__init__(puzzle, config, seed, model, "adam", puzzle.n_actions, hardware)
        if min(config.batch, config.minibatch, config.validation) < 2 * self.ranks:
            raise ValueError(f"batch, minibatch and validation must give each of {self.ranks} processes at least 2 states")
        if config.scramble == "disks" and not isinstance(puzzle, Hanoi):
            raise ValueError(f"scramble=disks is for towers of Hanoi: {puzzle.name} has no disks")
        self.points = 0  # convergence points
        self.converged = False  # whether the last iteration was one
        self.since_update = 0  # states since the target network was last copied
        self._table = StateTable(puzzle.state_size)
        self._reader = self.agent()  # for what a network reads of states

    def agent(self) -> Davi:
        """The target network, batch normalisation folded."""
        return self._read_by(self.target)

    def _read_by(self, network: Network | Recurrent) -> Davi:
        return Davi(self.puzzle, self.config.architecture, folded(network)).place(self.hardware)

    def iterate(self) -> dict[str, float]:
        """One iteration; returns its metrics."""
        c = self.config
        rng = np.random.default_rng([self.seed, self.rank, self.done])
        warm = self.done < c.warm_iterations
        cost_to_go = None if warm else self.cost_to_go()
        k = self.effective_k
        loss = self.fit(*self.sample(c.batch // self.ranks, rng, cost_to_go), rng)
        self.done += 1
        fresh = c.batch // self.ranks * self.ranks
        self.states_seen += fresh
        self.since_update += fresh
        metrics = {"loss": loss, "effective_k": c.warm_k if warm else k, "states": self.states_seen}
        if self.done % c.check_every == 0:
            metrics["validation_loss"] = self.loss(*self.sample(c.validation // self.ranks, rng, cost_to_go))
        if warm:
            self.update_target()  # no targets are made of it yet: it may as well be the latest
        else:
            self.converge(metrics.get("validation_loss", np.inf))
        metrics["convergence_points"] = self.points
        return metrics

    def converge(self, validation_loss: float) -> None:
        """See whether this is a convergence point, and what that means for the target network."""
        c = self.config
        enough = self.since_update >= c.target_states
        self.converged = enough if c.target_update == "states" else validation_loss < c.epsilon
        if self.converged:
            self.points += 1
            if c.target_update != "ema":
                self.update_target()

    def update_target(self) -> None:
        super().update_target()
        self.since_update = 0

    def cost_to_go(self) -> CostToGo:
        """What the target network says: at least 1 except at the goal, or, without the clamp, just what it says."""
        agent = self.agent()
        if self.config.clamp:
            return agent.cost_to_go
        return lambda states: np.where(self.puzzle.is_solved(states), np.float32(0), agent.said(states))

    @property
    def effective_k(self) -> int:
        """The longest walk that states come from now, or how many disks are not home; 0 if they are drawn from all states."""
        if self.config.scramble == "random-state":
            return 0
        if isinstance(self.puzzle, Hanoi) and self.config.scramble == "disks":
            return min(self.puzzle.disks, self.points + 1 + self.config.offset)
        scramble = self._scramble()
        return scramble.effective_k if self.config.scramble == "adaptive" else scramble.k_max

    def sample(self, n: int, rng: np.random.Generator, cost_to_go: CostToGo | None) -> tuple[np.ndarray, np.ndarray]:
        """States [n, S] and targets [n], or [n, A] per action: by (3.1), or, without a cost-to-go, lengths of sequences."""
        c, puzzle = self.config, self.puzzle
        if cost_to_go is None:
            made = sequences(puzzle, sample_seeds(rng, -(-n // c.warm_k)), c.warm_k)
            return made.states[:n], (child_lengths(puzzle, made) if c.per_action else made.moves)[:n]
        if isinstance(puzzle, Hanoi) and c.scramble == "disks":
            states = towers(puzzle, n, self.effective_k, rng)
        else:
            states, _ = self._scramble().sample(puzzle, n, rng)
        how = (puzzle, states, cost_to_go, c.architecture.symmetric, self._table, c.depth)
        return states, child_targets(*how)[0] if c.per_action else targets(*how)

    def _scramble(self) -> Any:
        c = self.config
        if c.scramble == "random-state":
            return make_scramble(c.scramble, self.puzzle)
        depth = {"offset": c.offset, "convergence_points": self.points} if c.scramble == "adaptive" else {}
        return make_scramble(c.scramble, self.puzzle, c.k_max, allow_undo=c.allow_undo, **depth)

    def fit(self, states: np.ndarray, goals: np.ndarray, rng: np.random.Generator) -> float:
        """Gradient steps of model towards goals [n] or [n, A] for states [n, S]; returns the mean loss on the way."""
        by = self.scales(states, goals)
        read, turned = self._reader.read(states)
        if turned is not None:  # goals belong to the outputs that are the actions' in what is read
            back = np.argsort(turned, axis=1)
            goals, by = np.take_along_axis(goals, back, 1), np.take_along_axis(by, back, 1)
        x, y, scale = map(self.hardware.send, (read, goals, by))  # squares are divided by the scale's square
        return self.fit_model(lambda part: mse_loss(self.fitted(x[part]) / scale[part], y[part] / scale[part]), len(y), rng)[0]

    def scales(self, states: np.ndarray, goals: np.ndarray) -> np.ndarray:
        """What errors are measured in [n] or [n, A] float32 where the targets of states [n, S] are goals [n] or [n, A]: moves,
        or their square root; what an illegal action has for a target is no error at all."""
        scale = np.sqrt(1 + goals) if self.config.relative else np.ones_like(goals)
        return np.where(self.puzzle.legal(states), scale, np.float32(np.inf)) if self.config.per_action else scale

    def loss(self, states: np.ndarray, goals: np.ndarray) -> float:
        """Mean squared error, as weighted, of model on states [n, S], without learning, over all ranks."""
        errors = (self._read_by(self.model).answers(states) - goals) / self.scales(states, goals)
        mean = torch.tensor([np.square(errors).mean(dtype=float)])
        mean_over_ranks([mean])
        return mean.item()
