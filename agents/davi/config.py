"""Settings of DAVI, and presets: ours for one or two cores, and the thesis's own."""

from dataclasses import dataclass, replace

from agents.davi.network import NETWORKS, Architecture
from agents.networks.bootstrap import BootstrapConfig
from agents.protocol import Preset
from rubiks_gym.checks import MANY, choice, flag, named, number, whole
from rubiks_gym.puzzles import LONGEST

SCRAMBLES = ("uniform", "deepcube", "adaptive", "random-state", "disks")
UPDATES = ("threshold", "states", "ema")


@dataclass(frozen=True)
class DaviConfig(BootstrapConfig):
    """Settings of the network and of its training; letters in brackets are the thesis's."""

    network: str = "pairs"
    """One of NETWORKS in network.py: the thesis's DNN_0, DNN_noBatchNorm, DNN_reduced_0, DNN_reduced_0_noBatchNorm, or ours."""
    per_action: bool = False
    """Whether the network has an output for the cost-to-go of each child, so that a search needs one pass for all children."""
    batch: int = 30_000
    """States of a batch: their targets are computed once (B)."""
    scramble: str = "uniform"
    """Where states come from: uniform (k moves, k up to k_max), deepcube (whole walks), adaptive (adaptive-K), random-state;
    disks (Hanoi: some of the smallest anywhere, the others home)."""
    k_max: int = 30
    """Moves of the longest walk from the goal (K)."""
    offset: int = 1
    """Scrambles adaptive and disks: up to convergence points + 1 + offset moves, or disks (conv_point_offs)."""
    depth: int = 1
    """Moves that the search behind a target looks ahead."""
    clamp: bool = True
    """Whether targets know that a state which is neither the goal nor next to it is at least 2 moves away."""
    relative: bool = False
    """Whether the squared error of a state counts 1 / (1 + its target), so that short ways weigh as much as long ones."""
    target_update: str = "ema"
    """How the target network follows: threshold (copied when the loss is below epsilon), states (copied after so many), ema."""
    validation: int = 3000
    """States of a fresh validation set (B_val)."""
    check_every: int = 1
    """Iterations between two measurements of the validation loss (C)."""
    epsilon: float = 0.05
    """Validation loss below which the network has converged: a convergence point."""
    target_states: int = 30_000
    """Target update states: new states after which the target network is copied, whatever the loss."""
    keep_every: int = 0
    """Keep the agent of every so many convergence points in the run folder, 0: of none (CC)."""

    def __post_init__(self) -> None:
        super().__post_init__()
        choice(NETWORKS, network=self.network)
        choice(SCRAMBLES, scramble=self.scramble)
        choice(UPDATES, target_update=self.target_update)
        whole(1, MANY, **named(self, "batch", "validation"))
        whole(1, LONGEST, k_max=self.k_max)
        whole(1, **named(self, "check_every", "target_states"))
        whole(0, **named(self, "offset", "keep_every"))
        whole(1, 64, depth=self.depth)
        flag(**named(self, "per_action", "clamp", "relative"))
        number(above=0, epsilon=self.epsilon)
        if NETWORKS[self.network].recurrent and self.per_action:
            raise ValueError(f"{self.network} reads disk after disk and has no output per action: take another network")
        if NETWORKS[self.network].batch_norm and min(self.batch, self.minibatch) < 2:
            raise ValueError(f"{self.network} normalises over a minibatch: batch and minibatch must be at least 2")

    @property
    def architecture(self) -> Architecture:
        """Of the network."""
        return NETWORKS[self.network]._replace(per_action=self.per_action)


_2X2 = DaviConfig(network="symmetric-pairs")
# Larger minibatches than usual: a gradient step moves all 10 million weights of the first layer, however few its states use.
_PLAIN_2X2 = DaviConfig(network="triples", minibatch=5000, ema_decay=0.9)

# Section 5.1 and 5.3: Keras fits each batch once, in minibatches of 32, with Adam at 0.0002.
_THESIS = DaviConfig(
    iterations=3000,
    batch=1000,
    epochs=1,
    minibatch=32,
    learning_rate=2e-4,
    learning_rate_end=2e-4,
    scramble="deepcube",
    k_max=20,
    allow_undo=True,
    target_update="threshold",
    validation=200,
    check_every=10,
    keep_every=1,
    clamp=False,
)
_FINAL = replace(_THESIS, network="DNN_reduced_0")

# A tower has few states and long solutions: walks never get far from the goal, so states are drawn from all of them.
_HANOI = DaviConfig(
    network="windows", scramble="random-state", batch=3000, epochs=1, minibatch=500, ema_decay=0.9, validation=500
)

# Longer ways than values spread one move at a time: towers learnt from the smallest, eight moves of look-ahead, a network that
# reads disk after disk.
_TOWERS = DaviConfig(
    network="recurrent",
    scramble="disks",
    depth=8,
    relative=True,
    batch=1000,
    epochs=1,
    minibatch=100,
    learning_rate=5e-3,
    learning_rate_end=5e-4,
    ema_decay=0.9,
    ema_decay_end=0.99,
    validation=400,
    check_every=5,
    epsilon=1e-3,
)
_FOUR = replace(_TOWERS, network="wide-recurrent")
_THESIS_HANOI = replace(_THESIS, scramble="adaptive", offset=2, check_every=2, keep_every=10)

# Sequences for the warm start cost next to nothing, so no state is used twice. Then one sweep of DAVI with a fixed target
# network: each further one takes the lowest of twelve noisy values again, and the values shrink.
_WARM, _SWEEP = 1200, 100
_3X3 = DaviConfig(network="pieces", k_max=26)
_WARM_3X3 = replace(
    _3X3,
    iterations=_WARM + _SWEEP,
    warm_iterations=_WARM,
    epochs=1,
    target_update="states",
    target_states=_SWEEP * 30_000,
)

PRESETS: dict[str, Preset] = {
    "2x2": Preset("rubik2x2-qtm", replace(_2X2, iterations=120), "pairs of cubies, symmetric cubes read as one"),
    "2x2-per-action": Preset(
        "rubik2x2-qtm", replace(_2X2, iterations=120, per_action=True), "the same with an output for each child"
    ),
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
    "hanoi-4-3": Preset("hanoi-4-3", replace(_HANOI, iterations=600), "four disks"),
    "hanoi-7-3": Preset("hanoi-7-3", replace(_TOWERS, iterations=1000), "seven disks"),
    "hanoi-10-3": Preset("hanoi-10-3", replace(_TOWERS, iterations=3000), "ten disks"),
    "hanoi-5-4": Preset("hanoi-5-4", replace(_HANOI, iterations=600), "five disks on four pegs"),
    "hanoi-8-4": Preset("hanoi-8-4", replace(_FOUR, iterations=2000), "eight disks on four pegs"),
    "hanoi-7-3-windows": Preset("hanoi-7-3", replace(_HANOI, iterations=3000), "seven disks, read by fives"),
    # the thesis's (section 5.8)
    "hanoi-4-3-thesis": Preset(
        "hanoi-4-3",
        replace(_THESIS_HANOI, network="DNN_reduced_0", batch=200, validation=20, k_max=32, keep_every=1, iterations=346),
        "four disks, the thesis's way: adaptive-K with its network",
    ),
    "hanoi-7-3-thesis": Preset(
        "hanoi-7-3",
        replace(_THESIS_HANOI, network="DNN_0", batch=400, validation=40, k_max=128, iterations=1542),
        "seven disks, the thesis's way",
    ),
    "hanoi-10-3-thesis": Preset(
        "hanoi-10-3",
        replace(
            _THESIS_HANOI,
            network="DNN_reduced_0",
            batch=200,
            validation=50,
            k_max=1024,
            check_every=1,
            epsilon=0.5,
            iterations=3572,
        ),
        "ten disks, the thesis's way",
    ),
    "3x3": Preset(
        "rubik3x3-qtm",
        _WARM_3X3,
        "a warm start on the lengths of move sequences, then one sweep of DAVI",
    ),
    "3x3-per-action": Preset(
        "rubik3x3-qtm", replace(_WARM_3X3, per_action=True), "the same with an output for each child: one pass for all of them"
    ),
    "3x3-plain": Preset("rubik3x3-qtm", replace(_3X3, iterations=120), "DAVI from zero"),
}
