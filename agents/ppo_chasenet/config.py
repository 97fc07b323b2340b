"""Settings of PPO with ChaseNet reward, and presets."""

from dataclasses import dataclass, replace

from agents.networks.embedding import INPUTS
from agents.ppo_chasenet.chasenet import FORMS, Architecture
from agents.protocol import Preset

FINE_TUNES = ("none", "paper", "bound")


@dataclass(frozen=True)
class PpoChaseNetConfig:
    """Settings of both modules; letters in brackets are the paper's."""

    form: str = "pairs"
    """What ChaseNet reads: fc, attention (the paper's), pairs, relative (cubes)."""
    hidden: tuple[int, ...] = (256, 128, 64)
    """Neurons of ChaseNet's layers."""
    width: int = 64
    """Form attention: numbers per token."""
    heads: int = 4
    """Form attention: heads per layer."""
    layers: int = 2
    """Form attention: layers of the transformer."""
    k: int = 14
    """Moves of a walk of the warm-up (K)."""
    warm_iterations: int = 1200
    """Data sets of walks that ChaseNet is fitted to before PPO begins (J of algorithm 1)."""
    walks: int = 1000
    """Walks per data set: it has k * walks pairs (B of algorithm 1)."""
    warm_batch: int = 2000
    """Pairs per gradient step."""
    warm_lr: float = 2e-3
    """Learning rate of ChaseNet; over the second half of the warm-up it falls to a fiftieth."""
    fine_tune: str = "none"
    """What PPO's trajectories teach ChaseNet: none; paper (moves made are the cost); bound (they are the most it can be)."""
    fine_tune_lr: float = 1e-4
    """Learning rate of that."""

    scramble: str = "random-state"
    """Where episodes start: random-state (fully scrambled), uniform (1 to k_max moves from the goal)."""
    k_max: int = 0
    """Scramble uniform: moves at most."""
    time_limit: int = 60
    """Moves after which an episode is cut off."""
    base: float = 1.2
    """Reward -log_base C(s', s_g) of a step (b)."""
    goal_reward: float = 100.0
    """Reward of the step that reaches the goal."""
    ppo_iterations: int = 450
    """Rounds of moves and learning (J of algorithm 2)."""
    envs: int = 1024
    """Puzzles that move at the same time."""
    steps: int = 16
    """Moves of each per round."""
    batch: int = 2048
    """Moves per gradient step (B of algorithm 2)."""
    epochs: int = 4
    """Times that the moves of a round are gone through."""
    gamma: float = 0.97
    """Discount per move."""
    gae_lambda: float = 0.95
    """How far advantages look ahead."""
    clip: float = 0.2
    """PPO's clipping (epsilon)."""
    entropy: float = 0.04
    """Weight of the policy's entropy."""
    lr: float = 1e-3
    """Learning rate of PPO; over the second half of its rounds it falls to lr_end."""
    lr_end: float = 1e-4
    """And in the end."""
    input: str = "pairs"
    """What a row of the policy's first layer stands for: pieces, pairs, triples, windows."""
    widths: tuple[int, ...] = (128, 128)
    """Neurons of the policy's layers; the critic shares the first."""

    def __post_init__(self) -> None:
        for name, known in (
            ("form", FORMS),
            ("fine_tune", FINE_TUNES),
            ("scramble", ("random-state", "uniform")),
            ("input", tuple(name for name in INPUTS if name != "stickers")),
        ):
            if getattr(self, name) not in known:
                raise ValueError(f"{name} must be one of {', '.join(known)}, got {getattr(self, name)!r}")
        for name in ("width", "heads", "layers", "walks", "warm_batch", "time_limit", "envs", "steps", "epochs"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, got {getattr(self, name)}")
        for name in ("k", "batch"):  # equal labels have no rank correlation, one move has no standard deviation
            if getattr(self, name) < 2:
                raise ValueError(f"{name} must be at least 2, got {getattr(self, name)}")
        for name in ("warm_iterations", "ppo_iterations", "k_max", "entropy"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} must be at least 0, got {getattr(self, name)}")
        for name in ("warm_lr", "fine_tune_lr", "lr", "lr_end", "clip"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be above 0, got {getattr(self, name)}")
        for name in ("gamma", "gae_lambda"):
            if not 0 < getattr(self, name) <= 1:
                raise ValueError(f"{name} must be above 0 and at most 1, got {getattr(self, name)}")
        if not self.base > 1:
            raise ValueError(f"base must be above 1, got {self.base}")
        if not self.hidden or not self.widths or min(*self.hidden, *self.widths) < 1:
            raise ValueError(f"layers must have at least 1 neuron, got hidden {self.hidden} and widths {self.widths}")
        if self.width % self.heads:
            raise ValueError(f"width must be a multiple of heads, got {self.width} and {self.heads}")
        if (self.scramble == "uniform") != (self.k_max > 0):
            raise ValueError("k_max goes with scramble=uniform, and scramble=uniform needs it")
        if self.iterations < 1:
            raise ValueError("nothing to do: both warm_iterations and ppo_iterations are 0")
        if self.fine_tune != "none" and self.steps < 2:
            raise ValueError("fine_tune takes pairs of states from a round, which needs at least 2 steps")
        if self.fine_tune != "none" and self.scramble == "uniform":
            raise ValueError("fine_tune would show ChaseNet states near the goal: it goes with scramble=random-state")
        if self.envs * self.steps % self.batch:  # a rest of one move would have no standard deviation
            raise ValueError(f"the {self.envs * self.steps} moves of a round must be a multiple of batch, got {self.batch}")

    @property
    def iterations(self) -> int:
        """Those of the warm-up and of PPO."""
        return self.warm_iterations + self.ppo_iterations

    @property
    def architecture(self) -> Architecture:
        """What ChaseNet looks like."""
        return Architecture(self.form, self.hidden, self.width, self.heads, self.layers)

    def warm_lr_of(self, iteration: int) -> float:
        """ChaseNet's learning rate in iteration 0..warm_iterations - 1."""
        return falling(self.warm_lr, self.warm_lr / 50, iteration / max(1, self.warm_iterations))

    def lr_of(self, iteration: int) -> float:
        """PPO's learning rate in iteration 0..ppo_iterations - 1."""
        return falling(self.lr, self.lr_end, iteration / max(1, self.ppo_iterations))


def falling(first: float, last: float, share: float) -> float:
    """A number that stays for the first half of the way, then falls in a straight line."""
    return first + (last - first) * max(0.0, 2 * share - 1)


_2X2 = PpoChaseNetConfig()
# To compare forms of ChaseNet and ways to fine-tune it: PPO until it has begun to solve, with less entropy than is best.
_FORM = replace(_2X2, ppo_iterations=150, entropy=0.005)

# A tower has no uniformly random walks that get far, and few states: short walks from anywhere, and windows of disks.
_HANOI = replace(
    _2X2, k=30, warm_iterations=300, input="windows", time_limit=100, ppo_iterations=150, gamma=0.98, envs=512, batch=1024
)

PRESETS: dict[str, Preset] = {
    "2x2": Preset("rubik2x2-qtm", _2X2, "ChaseNet reads pairs of places; 7 million moves of PPO, 10 minutes"),
    "2x2-long": Preset("rubik2x2-qtm", replace(_2X2, ppo_iterations=750), "12 million moves of PPO: shorter solutions"),
    "2x2-pairs": Preset("rubik2x2-qtm", _FORM, "ChaseNet reads pairs of places; 2.5 million moves of PPO"),
    "2x2-relative": Preset("rubik2x2-qtm", replace(_FORM, form="relative"), "ChaseNet reads the relative state"),
    "2x2-fc": Preset(
        "rubik2x2-qtm",
        replace(_FORM, form="fc", hidden=(512, 512, 256), warm_lr=1e-3, warm_iterations=4000),
        "the paper's fully connected ChaseNet; an hour",
    ),
    "2x2-attention": Preset(
        "rubik2x2-qtm",
        replace(
            _FORM,
            form="attention",
            hidden=(256, 128),
            heads=1,
            layers=1,
            walks=250,
            warm_batch=500,
            warm_lr=1e-3,
            warm_iterations=3000,
        ),
        "the paper's ChaseNet with attention; an hour",
    ),
    "hanoi-4-3": Preset("hanoi-4-3", _HANOI, "four disks, from all states, with MaskablePPO"),
    "3x3-8": Preset(
        "rubik3x3-qtm",
        replace(
            _2X2,
            k=20,
            warm_iterations=600,
            input="pieces",
            widths=(256, 256),
            scramble="uniform",
            k_max=8,
            time_limit=30,
            ppo_iterations=300,
        ),
        "the 3x3x3 scrambled with 1 to 8 moves; 10 minutes",
    ),
}
