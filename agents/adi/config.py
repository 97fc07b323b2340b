"""Settings of ADI, and presets: ours for one or two cores, and the papers' loop."""

from dataclasses import dataclass, replace

from agents.adi.network import NETWORKS, Architecture
from agents.protocol import Preset

SCRAMBLES = ("deepcube", "random-state")
OPTIMIZERS = ("rmsprop", "adam")
RULES = ("copy", "average")


@dataclass(frozen=True)
class AdiConfig:
    """Settings of the network and of its training; letters in brackets are the papers'."""

    network: str = "pairs"
    """One of NETWORKS in network.py: deepcube, deepcube-half, deepcube-quarter, deepcube-eighth, or ours."""
    trunk: tuple[int, ...] = ()
    """Neurons of the layers that value and policy share, instead of that network's."""
    head: int = 0
    """Neurons of the layer before each output, instead of that network's (0: no change)."""
    iterations: int = 100
    """Pools of states learnt from, those of the warm start included (M)."""
    k: int = 30
    """Moves of a walk from the goal, each of whose states is learnt from (k)."""
    walks: int = 1000
    """Walks per pool (l): a pool has k * walks states (N)."""
    scramble: str = "deepcube"
    """Where states come from: deepcube (the states of walks), random-state (uniform over all)."""
    allow_undo: bool = False
    """Whether a walk may undo the move before."""
    depth: int = 1
    """Moves that the search behind a target looks ahead."""
    pinned: bool = True
    """Whether the goal ends the game and is worth 0 in targets; otherwise it is worth what the network says (the paper)."""
    weighted: bool = False
    """Whether a state counts 1 / D(x), D being the moves of the walk that led there (the paper), or 1."""
    epochs: int = 3
    """Times that a pool is gone through before the next."""
    minibatch: int = 1000
    """States per gradient step, at most."""
    optimizer: str = "adam"
    """adam or rmsprop."""
    lr: float = 1e-3
    """Learning rate at first."""
    lr_end: float = 1e-4
    """And in the end; it falls by the same factor from iteration to iteration."""
    rule: str = "average"
    """How the network of the targets follows: average (a little at each step), copy (it becomes the other one)."""
    decay: float = 0.98
    """Rule average: what is left of the network of the targets after a gradient step."""
    copy_every: int = 1
    """Rule copy: iterations after which it does."""
    warm_iterations: int = 0
    """Warm start: so many iterations learn to take back walks without detours, before ADI begins."""
    warm_k: int = 26
    """Length of those walks."""

    def __post_init__(self) -> None:
        if self.network not in NETWORKS:
            raise ValueError(f"network must be one of {', '.join(NETWORKS)}, got {self.network!r}")
        if min(self.trunk, default=1) < 1 or self.head < 0:
            raise ValueError(f"layers must have at least 1 neuron, got trunk {self.trunk} and head {self.head}")
        for name in ("iterations", "k", "walks", "depth", "epochs", "minibatch", "copy_every", "warm_k"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, got {getattr(self, name)}")
        if self.warm_iterations < 0:
            raise ValueError(f"warm_iterations must be at least 0, got {self.warm_iterations}")
        for name in ("lr", "lr_end"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be above 0, got {getattr(self, name)}")
        if not 0 <= self.decay < 1:
            raise ValueError(f"decay must be at least 0 and below 1, got {self.decay}")
        for name, known in (("scramble", SCRAMBLES), ("optimizer", OPTIMIZERS), ("rule", RULES)):
            if getattr(self, name) not in known:
                raise ValueError(f"{name} must be one of {', '.join(known)}, got {getattr(self, name)!r}")
        if self.weighted and self.scramble == "random-state":
            raise ValueError("weighted needs the moves of a walk: random states have none, take scramble=deepcube")

    @property
    def architecture(self) -> Architecture:
        """What the network looks like."""
        named = NETWORKS[self.network]
        return named._replace(trunk=self.trunk or named.trunk, head=self.head or named.head)

    def lr_of(self, iteration: int) -> float:
        """The learning rate of iteration 0..iterations - 1."""
        return self.lr * (self.lr_end / self.lr) ** (iteration / max(1, self.iterations - 1))


_2X2 = AdiConfig(network="symmetric-pairs")
# Larger steps than usual: each of them moves all 10 million weights of the first layer, however few rows its states have used.
_PLAIN_2X2 = AdiConfig(network="triples", minibatch=5000, decay=0.9)

# The papers' loop: RMSProp, every pool once, targets by the network itself. Neither paper has a minibatch; Keras's is 32.
_PAPER = AdiConfig(
    network="deepcube-eighth", k=20, walks=100, allow_undo=True, epochs=1, minibatch=100, optimizer="rmsprop", lr=5e-4,
    lr_end=5e-4, rule="copy", pinned=False,
)  # fmt: skip

# Walks to take back cost next to nothing, so no state is used twice. Then one pass of ADI with the network of the targets as it
# is: each further one takes the highest of twelve noisy values again.
_WARM, _PASS = 600, 60
_3X3 = AdiConfig(network="pieces", k=26, walks=1150)

# A tower has few states and long ways: walks never get far from the goal, so states are drawn from all of them.
_HANOI = AdiConfig(network="windows", scramble="random-state", k=30, walks=100, epochs=1, minibatch=500, decay=0.9)

PRESETS: dict[str, Preset] = {
    "2x2": Preset("rubik2x2-qtm", replace(_2X2, iterations=300), "pairs of cubies, symmetric cubes read as one; 7 minutes"),
    "2x2-plain": Preset("rubik2x2-qtm", replace(_PLAIN_2X2, iterations=900), "triples of cubies, without symmetries"),
    # the same loop four times
    "2x2-literal": Preset("rubik2x2-qtm", replace(_PAPER, iterations=1000), "the papers' loop, without weights: values drift"),
    "2x2-weighted": Preset(
        "rubik2x2-qtm", replace(_PAPER, iterations=1000, weighted=True), "the papers' loop, weights 1/D: values drift"
    ),
    "2x2-pinned": Preset(
        "rubik2x2-qtm", replace(_PAPER, iterations=1000, pinned=True), "the same, the goal's value fixed at 0"
    ),
    "2x2-pinned-weighted": Preset(
        "rubik2x2-qtm", replace(_PAPER, iterations=1000, pinned=True, weighted=True), "the goal's value fixed at 0, weights 1/D"
    ),
    "3x3": Preset(
        "rubik3x3-qtm",
        replace(_3X3, iterations=_WARM + _PASS, warm_iterations=_WARM, epochs=1, rule="copy", copy_every=_PASS),
        "a warm start that learns to undo move sequences, then one sweep of ADI; 10 minutes",
    ),
    "3x3-plain": Preset("rubik3x3-qtm", replace(_3X3, iterations=120), "ADI from zero, as long as 3x3 takes"),
    "hanoi-4-3": Preset("hanoi-4-3", replace(_HANOI, iterations=600), "four disks"),
    "hanoi-7-3": Preset("hanoi-7-3", replace(_HANOI, iterations=3000), "seven disks"),
}
