"""What the learners that bootstrap with a network (DAVI, ADI) share: settings, two copies of the network, checkpoints.

The *target network* makes the targets, `model` is fitted to them. The target network becomes `model` from time to time, or is
an exponential moving average (*ema*) of its weights. What a search is given is always the target network.

Warm start. For its first iterations a run may learn from canonical move sequences, whose lengths are upper bounds of the
distance; the target network is a copy of `model` then.

More than one process. Under torchrun each rank draws its own share of the states, and gradients are averaged over ranks
(distributed.py), so that all hold the same weights. One process is a single rank of the same program.

All randomness of iteration i on rank r comes from the generator of (seed, r, i), and nothing has to be remembered of it.
"""

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from torch import nn

from agents.networks.distributed import parallel
from agents.networks.fitting import OPTIMIZERS, Loss, fit
from agents.networks.hardware import CPU, Hardware
from agents.networks.schedule import geometric
from agents.networks.weights import load_optimizer, load_weights, network_arrays, optimizer_arrays
from agents.ranks import rank_and_ranks
from rubiks_gym.checks import MANY, flag, named, number, whole
from rubiks_gym.puzzles import LONGEST, Puzzle


@dataclass(frozen=True)
class BootstrapConfig:
    """Settings that DAVI and ADI share; letters in brackets are the papers'."""

    iterations: int = 100
    """Batches of states learnt from, those of the warm start included (M)."""
    epochs: int = 3
    """Times that each state of a batch is used before the next batch is drawn."""
    minibatch: int = 1000
    """States per gradient step, at most."""
    learning_rate: float = 1e-3
    """Learning rate of the first iteration."""
    learning_rate_end: float = 1e-4
    """Learning rate of the last iteration; it falls by the same factor from iteration to iteration."""
    allow_undo: bool = False
    """Whether a walk may undo the move before, as in the papers."""
    target_update: str = "ema"
    """How the target network follows; ema: a moving average of the weights."""
    ema_decay: float = 0.98
    """Target update ema: share of its weights that the target network keeps at a gradient step of the first iteration."""
    ema_decay_end: float | None = None
    """Target update ema: the same in the last iteration, so that targets settle in the end (default: as in the first)."""
    warm_iterations: int = 0
    """Iterations of the warm start, which learns from canonical move sequences."""
    warm_k: int = 26
    """Moves of a canonical sequence of the warm start."""

    def __post_init__(self) -> None:
        whole(1, **named(self, "iterations", "epochs"))
        whole(1, MANY, minibatch=self.minibatch)
        whole(1, LONGEST, warm_k=self.warm_k)
        whole(0, warm_iterations=self.warm_iterations)
        number(above=0, **named(self, "learning_rate", "learning_rate_end"))
        number(least=0, below=1, ema_decay=self.ema_decay)
        if self.ema_decay_end is not None:
            number(least=0, below=1, ema_decay_end=self.ema_decay_end)
        flag(allow_undo=self.allow_undo)


class BootstrapLearner:
    """A network under training: `model`, the target network, the optimizer, and how far they have come."""

    rank, ranks = 0, 1  # which process this is, and of how many
    COUNTERS: tuple[str, ...] = ("done", "states_seen")  # what a checkpoint holds besides arrays

    def __init__(
        self,
        puzzle: Puzzle,
        config: BootstrapConfig,
        seed: int,
        model: nn.Module,
        optimizer: str,
        children: int,
        hardware: Hardware = CPU,
    ) -> None:
        self.puzzle, self.config, self.seed, self.hardware = puzzle, config, seed, hardware
        self.rank, self.ranks = rank_and_ranks()
        self.model, self.target = model.to(hardware.device), copy.deepcopy(model)
        self.fitted = parallel(hardware.compiled(model))  # what gradients are taken through
        self.optimizer = OPTIMIZERS[optimizer](model)
        self.done, self.total = 0, config.iterations  # iterations done, and in all
        self.states_seen = 0
        # a sample costs about three forward passes an epoch to fit, and one per child for its target
        work, warm = 3 * config.epochs, min(config.warm_iterations, self.total)
        self.phases = ((warm, work), (self.total - warm, work + children))

    def fit_model(self, loss: Loss, n: int, rng: np.random.Generator) -> list[float]:
        """Gradient steps of model, and of the average that the target network may be; returns the means of the loss's terms."""
        c = self.config
        last_decay = c.ema_decay if c.ema_decay_end is None else c.ema_decay_end
        return fit(
            self.model,
            self.optimizer,
            loss,
            n,
            rng,
            minibatch=c.minibatch,
            learning_rate=geometric(c.learning_rate, c.learning_rate_end, self.done, self.total),
            epochs=c.epochs,
            target=self.target if c.target_update == "ema" else None,
            ema_decay=1 - geometric(1 - c.ema_decay, 1 - last_decay, self.done, self.total),
            hardware=self.hardware,
        )

    def update_target(self) -> None:
        """The target network becomes model."""
        self.target.load_state_dict(self.model.state_dict())

    def state(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.COUNTERS}

    def arrays(self) -> dict[str, np.ndarray]:
        """Both networks and the optimizer's moments."""
        networks = network_arrays(self.model, "model.") | network_arrays(self.target, "target.")
        return networks | optimizer_arrays(self.model, self.optimizer)

    def restore(self, state: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        load_weights(self.model, "model.", arrays)
        load_weights(self.target, "target.", arrays)
        load_optimizer(self.model, self.optimizer, arrays)
        for name in self.COUNTERS:
            setattr(self, name, int(state[name]))
