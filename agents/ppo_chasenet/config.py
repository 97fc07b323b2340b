"""Settings of PPO with ChaseNet reward, and presets."""

from dataclasses import dataclass, replace

from agents.networks.embedding import INPUTS, check_layers
from agents.networks.schedule import constant_then_linear
from agents.ppo_chasenet.chasenet import FORMS, Architecture, check_architecture
from agents.protocol import Preset
from rubiks_gym.checks import MANY, choice, flag, named, number, whole
from rubiks_gym.puzzles import LONGEST

FINE_TUNES = ("none", "paper", "bound")


@dataclass(frozen=True)
class PpoChaseNetConfig:
    """Settings of both modules; letters in brackets are the paper's, PPO's settings have the names of stable-baselines3."""

    form: str = "pairs"
    """What ChaseNet reads: fc, attention (the paper's), pairs, relative (cubes)."""
    hidden: tuple[int, ...] = (256, 128, 64)
    """Neurons of ChaseNet's layers."""
    width: int = 48
    """Form attention: dimension of a token."""
    heads: int = 1
    """Form attention: heads of a layer."""
    layers: int = 1
    """Form attention: layers of the transformer."""
    relative_input: str = "pieces"
    """Form relative: what a feature stands for: pieces, pairs, triples, neighbours (3x3x3)."""
    symmetric: bool = False
    """Form relative: whether it reads the canonical representative of a symmetry class, not the state itself."""
    k: int = 14
    """Moves of a walk that ChaseNet learns from (K)."""
    plain_walks: bool = False
    """Whether these walks are the paper's, which only never make a move a fourth time in a row; ours also never undo one."""
    warm_k: int = 0
    """Moves of the first walks of the warm-up, which grow to k over its first half; 0: k from the beginning."""
    warm_iterations: int = 1200
    """Data sets of walks that ChaseNet is fitted to before PPO begins (J of algorithm 1)."""
    walks: int = 1000
    """Walks of a data set, which has k * walks pairs (B of algorithm 1)."""
    warm_batch_size: int = 2000
    """Pairs per gradient step of ChaseNet."""
    warm_learning_rate: float = 2e-3
    """Learning rate of ChaseNet; over the second half of the warm-up it falls to a fiftieth."""
    fine_tune: str = "none"
    """What PPO's trajectories teach ChaseNet: none; paper (moves made are the cost); bound (they are the most it can be)."""
    fine_tune_learning_rate: float = 1e-4
    """Learning rate of ChaseNet while it is fine-tuned."""

    scramble: str = "random-state"
    """Where episodes start: random-state (fully scrambled), uniform (1 to k_max moves from the goal)."""
    k_max: int = 0
    """Scramble uniform: moves from the goal at most."""
    time_limit: int = 60
    """Moves after which an episode is truncated."""
    base: float = 1.2
    """Base of the logarithm in the reward -log C(s', s_g) of a step (b)."""
    goal_reward: float = 100.0
    """Reward of the step that reaches the goal."""
    ppo_iterations: int = 450
    """Iterations of PPO, each a roll-out and what is learnt from it (J of algorithm 2)."""
    n_envs: int = 1024
    """Puzzles that are played at the same time."""
    n_steps: int = 16
    """Moves of each puzzle per roll-out."""
    batch_size: int = 2048
    """Moves per gradient step of PPO (B of algorithm 2)."""
    n_epochs: int = 4
    """Times that each move of a roll-out is used."""
    gamma: float = 0.97
    """Discount factor per move."""
    gae_lambda: float = 0.95
    """Lambda of generalised advantage estimation: trade-off between bias and variance."""
    clip_range: float = 0.2
    """Clipping of PPO's probability ratio (epsilon)."""
    ent_coef: float = 0.04
    """Weight of the policy's entropy in the loss."""
    learning_rate: float = 1e-3
    """Learning rate of PPO; over the second half of its iterations it falls to learning_rate_end."""
    learning_rate_end: float = 1e-4
    """Learning rate that PPO ends with."""
    input: str = "pairs"
    """What a feature that the policy reads stands for: pieces, pairs, triples, windows."""
    widths: tuple[int, ...] = (128, 128)
    """Neurons of the policy's layers; the critic shares the first layer."""

    def __post_init__(self) -> None:
        choice(FORMS, form=self.form)
        choice(FINE_TUNES, fine_tune=self.fine_tune)
        choice(("random-state", "uniform"), scramble=self.scramble)
        choice((name for name in INPUTS if name != "stickers"), **named(self, "input", "relative_input"))
        whole(1, MANY, **named(self, "walks", "warm_batch_size", "n_envs", "n_steps"))
        whole(1, **named(self, "time_limit", "n_epochs"))
        whole(2, LONGEST, k=self.k)  # equal labels have no rank correlation
        whole(2, MANY, batch_size=self.batch_size)  # one move has no standard deviation
        whole(1, MANY, **{"k * walks": self.k * self.walks, "n_envs * n_steps": self.n_envs * self.n_steps})
        whole(0, LONGEST, k_max=self.k_max)
        whole(0, self.k, warm_k=self.warm_k)
        flag(**named(self, "plain_walks", "symmetric"))
        if self.warm_k == 1:
            raise ValueError("warm_k must be 0 or at least 2: walks of one move have no rank correlation")
        whole(0, **named(self, "warm_iterations", "ppo_iterations"))
        rates = ("warm_learning_rate", "fine_tune_learning_rate", "learning_rate", "learning_rate_end")
        number(above=0, **named(self, *rates, "clip_range"))
        number(above=0, most=1, **named(self, "gamma", "gae_lambda"))
        number(least=0, ent_coef=self.ent_coef)
        number(above=1, base=self.base)
        number(goal_reward=self.goal_reward)
        check_layers(**named(self, "hidden", "widths"))
        check_architecture(self.architecture)
        if (self.scramble == "uniform") != (self.k_max > 0):
            raise ValueError("k_max goes with scramble=uniform, and scramble=uniform needs it")
        if self.iterations < 1:
            raise ValueError("nothing to do: both warm_iterations and ppo_iterations are 0")
        if self.fine_tune != "none" and self.n_steps < 2:
            raise ValueError("fine_tune takes pairs of states from a roll-out, which needs n_steps of at least 2")
        if self.fine_tune != "none" and self.scramble == "uniform":
            raise ValueError("fine_tune would show ChaseNet states near the goal: it goes with scramble=random-state")
        moves = self.n_envs * self.n_steps
        if moves % self.batch_size:  # a rest of one move would have no standard deviation
            raise ValueError(f"the {moves} moves of a roll-out must be a multiple of batch_size, got {self.batch_size}")

    @property
    def iterations(self) -> int:
        """Those of the warm-up and of PPO."""
        return self.warm_iterations + self.ppo_iterations

    @property
    def architecture(self) -> Architecture:
        """What ChaseNet looks like."""
        names = ("width", "heads", "layers", "relative_input", "symmetric")
        return Architecture(self.form, self.hidden, **named(self, *names))

    def k_of(self, iteration: int) -> int:
        """Moves of a walk in iteration 0..warm_iterations - 1 of the warm-up."""
        if not self.warm_k:
            return self.k
        return min(self.k, self.warm_k + 2 * (self.k - self.warm_k) * iteration // max(1, self.warm_iterations))

    def warm_learning_rate_of(self, iteration: int) -> float:
        """ChaseNet's learning rate in iteration 0..warm_iterations - 1."""
        return constant_then_linear(self.warm_learning_rate, self.warm_learning_rate / 50, iteration, self.warm_iterations)

    def learning_rate_of(self, iteration: int) -> float:
        """PPO's learning rate in iteration 0..ppo_iterations - 1."""
        return constant_then_linear(self.learning_rate, self.learning_rate_end, iteration, self.ppo_iterations)


_2X2 = PpoChaseNetConfig()
# To compare forms of ChaseNet and ways to fine-tune it: PPO until it has begun to solve, with a smaller ent_coef than is best.
_FORM = replace(_2X2, ppo_iterations=150, ent_coef=0.005)

# A tower has no uniformly random walks that get far, and few states: short walks from anywhere, and windows of disks.
_HANOI = replace(
    _2X2,
    k=30,
    warm_iterations=300,
    input="windows",
    time_limit=100,
    ppo_iterations=150,
    gamma=0.98,
    n_envs=512,
    batch_size=1024,
)

PRESETS: dict[str, Preset] = {
    "2x2": Preset("rubik2x2-qtm", _2X2, "ChaseNet reads pairs of places; 7 million moves of PPO"),
    "2x2-long": Preset("rubik2x2-qtm", replace(_2X2, ppo_iterations=750), "12 million moves of PPO: shorter solutions"),
    "2x2-pairs": Preset("rubik2x2-qtm", _FORM, "ChaseNet reads pairs of places; 2.5 million moves of PPO"),
    "2x2-relative": Preset("rubik2x2-qtm", replace(_FORM, form="relative"), "ChaseNet reads the relative state"),
    # the paper's two networks and J; entropy and 7 million moves as the preset 2x2 has them
    "2x2-fc": Preset(
        "rubik2x2-qtm",
        replace(
            _2X2,
            form="fc",
            hidden=(504, 128, 64),
            walks=2000,
            warm_batch_size=250,
            warm_iterations=1000,
            warm_k=4,
        ),
        "the paper's fully connected ChaseNet, walks from short to long; 7 million moves of PPO",
    ),
    "2x2-attention": Preset(
        "rubik2x2-qtm",
        replace(_2X2, form="attention", hidden=(256, 128), walks=250, warm_batch_size=175, warm_iterations=1000, warm_k=4),
        "the paper's ChaseNet with attention, walks from short to long; 7 million moves of PPO",
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
        "the 3x3x3 scrambled with 1 to 8 moves",
    ),
    "3x3-scrambled": Preset(
        "rubik3x3-qtm",
        replace(
            _2X2,
            form="relative",
            relative_input="neighbours",
            symmetric=True,
            hidden=(256, 256, 64),
            k=26,
            warm_iterations=800,
            warm_batch_size=1000,
            input="neighbours",
            widths=(256, 256),
            time_limit=100,
            ppo_iterations=150,
        ),
        "the 3x3x3, fully scrambled: ChaseNet for searches; 2.5 million moves of PPO",
    ),
}
