"""Settings of ADI, and presets: ours for one or two cores, and the papers' loop."""

from dataclasses import dataclass, replace

from agents.adi.network import NETWORKS, Architecture
from agents.networks.bootstrap import BootstrapConfig
from agents.networks.fitting import OPTIMIZERS
from agents.protocol import Preset
from rubiks_gym.checks import MANY, choice, flag, named, whole
from rubiks_gym.puzzles import LONGEST

SCRAMBLES = ("deepcube", "random-state")
UPDATES = ("copy", "ema")


@dataclass(frozen=True)
class AdiConfig(BootstrapConfig):
    """Settings of the network and of its training; letters in brackets are the papers'."""

    network: str = "pairs"
    """One of NETWORKS in network.py: deepcube, deepcube-half, deepcube-quarter, deepcube-eighth, or ours."""
    per_action: bool = False
    """Whether the value head has an output for each action, so that a search needs one pass for all children."""
    k: int = 30
    """Moves of a walk from the goal, each of whose states is learnt from (k)."""
    walks: int = 1000
    """Walks of a batch (l), which has k * walks states (N)."""
    scramble: str = "deepcube"
    """Where states come from: deepcube (the states of walks), random-state (uniform over all)."""
    depth: int = 1
    """Moves that the search behind a target looks ahead."""
    fix_goal: bool = True
    """Whether the goal is terminal, its value fixed at 0 in targets; otherwise it is what the network says (the paper)."""
    weighted: bool = False
    """Whether a state counts 1 / D(x), D being the moves of the walk that led there (the paper), or 1."""
    optimizer: str = "adam"
    """Optimizer: adam, or rmsprop (the papers')."""
    target_update: str = "ema"
    """How the target network follows: ema (a moving average of the weights), copy (of the weights, every copy_every)."""
    copy_every: int = 1
    """Target update copy: iterations between two copies."""

    def __post_init__(self) -> None:
        super().__post_init__()
        choice(NETWORKS, network=self.network)
        choice(SCRAMBLES, scramble=self.scramble)
        choice(OPTIMIZERS, optimizer=self.optimizer)
        choice(UPDATES, target_update=self.target_update)
        whole(1, LONGEST, k=self.k)
        whole(1, MANY, walks=self.walks, **{"k * walks": self.k * self.walks})
        whole(1, 10, depth=self.depth)
        whole(1, copy_every=self.copy_every)
        flag(**named(self, "per_action", "fix_goal", "weighted"))
        if self.weighted and self.scramble == "random-state":
            raise ValueError("weighted needs the moves of a walk: random states have none, take scramble=deepcube")

    @property
    def architecture(self) -> Architecture:
        """Of the network."""
        return NETWORKS[self.network]._replace(per_action=self.per_action)


_2X2 = AdiConfig(network="symmetric-pairs")
# Larger minibatches than usual: a gradient step moves all 10 million weights of the first layer, however few its states use.
_PLAIN_2X2 = AdiConfig(network="triples", minibatch=5000, ema_decay=0.9)

# The papers' loop: RMSProp, one epoch, targets by the network itself. Neither paper states a minibatch; Keras's is 32.
_PAPER = AdiConfig(
    network="deepcube-eighth",
    k=20,
    walks=100,
    allow_undo=True,
    epochs=1,
    minibatch=100,
    optimizer="rmsprop",
    learning_rate=5e-4,
    learning_rate_end=5e-4,
    target_update="copy",
    fix_goal=False,
)

# Sequences to undo cost next to nothing, so no state is used twice. Then one sweep of ADI with a fixed target network: each
# further one takes the highest of twelve noisy values again.
_WARM, _SWEEP = 2400, 60
_3X3 = AdiConfig(network="symmetric-neighbours", k=26, walks=1150)

# A tower has few states and long solutions: walks never get far from the goal, so states are drawn from all of them.
_HANOI = AdiConfig(network="windows", scramble="random-state", k=30, walks=100, epochs=1, minibatch=500, ema_decay=0.9)

PRESETS: dict[str, Preset] = {
    "2x2": Preset("rubik2x2-qtm", replace(_2X2, iterations=300), "pairs of cubies, symmetric cubes read as one"),
    "2x2-plain": Preset("rubik2x2-qtm", replace(_PLAIN_2X2, iterations=900), "triples of cubies, without symmetries"),
    # the same loop four times
    "2x2-literal": Preset("rubik2x2-qtm", replace(_PAPER, iterations=1000), "the papers' loop, without weights: values drift"),
    "2x2-weighted": Preset(
        "rubik2x2-qtm", replace(_PAPER, iterations=1000, weighted=True), "the papers' loop, weights 1/D: values drift"
    ),
    "2x2-fixed-goal": Preset(
        "rubik2x2-qtm", replace(_PAPER, iterations=1000, fix_goal=True), "the same, the goal's value fixed at 0"
    ),
    "2x2-fixed-goal-weighted": Preset(
        "rubik2x2-qtm",
        replace(_PAPER, iterations=1000, fix_goal=True, weighted=True),
        "the goal's value fixed at 0, weights 1/D",
    ),
    # BetaCube's table 1: its loop is the papers' without weights; Keras's minibatch is 32
    **{
        f"2x2-betacube-{number}": Preset(
            "rubik2x2-qtm",
            replace(_PAPER, network=network, k=k, walks=walks, iterations=iterations, minibatch=32),
            f"BetaCube's model {number}: N = {k * walks}, {about}",
        )
        for number, (network, k, walks, iterations, about) in enumerate(
            (
                ("deepcube", 20, 100, 1000, "full size"),
                ("deepcube-half", 20, 100, 1000, "half size"),
                ("deepcube-half", 25, 200, 1000, "half size"),
                ("deepcube-quarter", 25, 100, 1200, "a quarter of the size"),
            ),
            1,
        )
    },
    "3x3": Preset(
        "rubik3x3-qtm",
        replace(_3X3, iterations=_WARM + _SWEEP, warm_iterations=_WARM, epochs=1, target_update="copy", copy_every=_SWEEP),
        "a warm start that learns to undo move sequences, then one sweep of ADI",
    ),
    "3x3-plain": Preset("rubik3x3-qtm", replace(_3X3, iterations=120), "ADI from zero"),
    "hanoi-4-3": Preset("hanoi-4-3", replace(_HANOI, iterations=600), "four disks"),
    "hanoi-7-3": Preset("hanoi-7-3", replace(_HANOI, iterations=3000), "seven disks"),
}
