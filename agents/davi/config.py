"""Settings of DAVI, and presets: ours for one or two cores, and the thesis's own."""

from dataclasses import dataclass, replace

from agents.davi.network import NETWORKS
from agents.protocol import Preset

SCRAMBLES = ("uniform", "deepcube", "adaptive", "random-state")
RULES = ("threshold", "states", "average")


@dataclass(frozen=True)
class DaviConfig:
    """Settings of the network and of its training; letters in brackets are the thesis's."""

    network: str = "pairs"
    """One of NETWORKS in network.py: the thesis's DNN_0, DNN_noBatchNorm, DNN_reduced_0, DNN_reduced_0_noBatchNorm, or ours."""
    iterations: int = 100
    """Pools of states learnt from, those of the warm start included (M)."""
    batch: int = 30_000
    """States of a pool: their targets are worked out once (B)."""
    epochs: int = 3
    """Times that a pool is gone through before the next."""
    minibatch: int = 1000
    """States per gradient step, at most."""
    lr: float = 1e-3
    """Learning rate of Adam at first."""
    lr_end: float = 1e-4
    """And in the end; it falls by the same factor from iteration to iteration."""
    scramble: str = "uniform"
    """Where states come from: uniform (k moves, k up to k_max), deepcube (whole walks), adaptive (adaptive-K), random-state."""
    k_max: int = 30
    """Longest walk from the goal (K)."""
    offset: int = 1
    """Adaptive-K goes up to convergence points + 1 + offset moves (conv_point_offs)."""
    allow_undo: bool = False
    """Whether a walk may undo the move before, as the thesis's do."""
    rule: str = "average"
    """When model_e becomes model: threshold (loss below epsilon), states (after so many), average (a little at each step)."""
    validation: int = 3000
    """States of a fresh validation set (B_val)."""
    check_every: int = 1
    """Iterations between two looks at the validation loss (C)."""
    epsilon: float = 0.05
    """Validation loss below which model has converged."""
    target_states: int = 30_000
    """Rule states: new states after which model_e is updated, whatever the loss."""
    decay: float = 0.98
    """Rule average: what is left of model_e after a gradient step."""
    keep_every: int = 0
    """Keep the agent of every so many convergence points in the run folder, 0: of none (CC)."""
    warm_iterations: int = 0
    """Warm start: so many iterations fit the number of moves of walks without detours, before DAVI begins."""
    warm_k: int = 26
    """Length of those walks."""

    def __post_init__(self) -> None:
        if self.network not in NETWORKS:
            raise ValueError(f"network must be one of {', '.join(NETWORKS)}, got {self.network!r}")
        whole = ("iterations", "batch", "epochs", "minibatch", "k_max", "validation", "check_every", "target_states", "warm_k")
        for name in whole:
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, got {getattr(self, name)}")
        for name in ("offset", "keep_every", "warm_iterations"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} must be at least 0, got {getattr(self, name)}")
        for name in ("lr", "lr_end", "epsilon"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be above 0, got {getattr(self, name)}")
        if not 0 <= self.decay < 1:
            raise ValueError(f"decay must be at least 0 and below 1, got {self.decay}")
        for name, known in (("scramble", SCRAMBLES), ("rule", RULES)):
            if getattr(self, name) not in known:
                raise ValueError(f"{name} must be one of {', '.join(known)}, got {getattr(self, name)!r}")
        if NETWORKS[self.network].batch_norm and min(self.batch, self.minibatch) < 2:
            raise ValueError(f"{self.network} normalises over a minibatch: batch and minibatch must be at least 2")

    def lr_of(self, iteration: int) -> float:
        """The learning rate of iteration 0..iterations - 1."""
        return self.lr * (self.lr_end / self.lr) ** (iteration / max(1, self.iterations - 1))


_2X2 = DaviConfig(network="symmetric-pairs")
# Larger steps than usual: each of them moves all 10 million weights of the first layer, however few rows its states have used.
_PLAIN_2X2 = DaviConfig(network="triples", minibatch=5000, decay=0.9)

# Section 5.1 and 5.3: Keras fits each batch once, in minibatches of 32, with Adam at 0.0002.
_THESIS = DaviConfig(
    iterations=3000, batch=1000, epochs=1, minibatch=32, lr=2e-4, lr_end=2e-4, scramble="deepcube", k_max=20, allow_undo=True,
    rule="threshold", validation=200, check_every=10, keep_every=1,
)  # fmt: skip
_FINAL = replace(_THESIS, network="DNN_reduced_0")

# A tower has few states and long ways: walks never get far from the goal, so states are drawn from all of them.
_HANOI = DaviConfig(network="windows", scramble="random-state", batch=3000, epochs=1, minibatch=500, decay=0.9, validation=500)

# Walks for the warm start cost next to nothing, so no state is used twice. Then one pass of DAVI with model_e as it is: each
# further one takes the lowest of twelve noisy values again, and the values shrink.
_WARM, _PASS = 1200, 100
_3X3 = DaviConfig(network="pieces", k_max=26)

PRESETS: dict[str, Preset] = {
    "2x2": Preset("rubik2x2-qtm", replace(_2X2, iterations=120), "pairs of cubies, symmetric cubes read as one; 3 minutes"),
    "2x2-plain": Preset("rubik2x2-qtm", replace(_PLAIN_2X2, iterations=700), "triples of cubies, without symmetries"),
    # the thesis's networks and settings (sections 5.1 and 5.3), then its final models (5.5)
    **{
        f"2x2-{network}": Preset("rubik2x2-qtm", replace(_THESIS, network=network), f"the thesis's {network}, {about}")
        for network, about in {
            "DNN_0": "DeepCubeA's network",
            "DNN_noBatchNorm": "the same without batch normalisation",
            "DNN_reduced_0": "half the weights",
            "DNN_reduced_0_noBatchNorm": "half the weights, without batch normalisation",
        }.items()
    },
    "2x2-final": Preset("rubik2x2-qtm", replace(_FINAL, epsilon=0.07), "the thesis's final model, with a larger epsilon"),
    "2x2-final_nr": Preset(
        "rubik2x2-qtm",
        replace(_FINAL, scramble="adaptive", check_every=5),
        "the thesis's, adaptive-K checked every 5 iterations",
    ),
    "2x2-final_nrr": Preset(
        "rubik2x2-qtm", replace(_FINAL, scramble="adaptive"), "the thesis's, adaptive-K checked every 10 iterations"
    ),
    "hanoi-4-3": Preset("hanoi-4-3", replace(_HANOI, iterations=600), "four disks; half a minute"),
    "hanoi-7-3": Preset("hanoi-7-3", replace(_HANOI, iterations=3000), "seven disks; 3 minutes"),
    "hanoi-10-3": Preset(
        "hanoi-10-3",
        replace(_HANOI, iterations=3000, batch=6000, epochs=2, minibatch=1000, decay=0.95),
        "ten disks; 10 minutes",
    ),
    "hanoi-5-4": Preset("hanoi-5-4", replace(_HANOI, iterations=600), "five disks on four pegs; half a minute"),
    "3x3": Preset(
        "rubik3x3-qtm",
        replace(_3X3, iterations=_WARM + _PASS, warm_iterations=_WARM, epochs=1, rule="states", target_states=_PASS * 30_000),
        "a warm start on the lengths of move sequences, then one sweep of DAVI; 20 minutes",
    ),
    "3x3-plain": Preset("rubik3x3-qtm", replace(_3X3, iterations=120), "DAVI from zero; 10 minutes"),
}
