"""Settings of the symmetric n-tuple network and of its training, and presets."""

from dataclasses import dataclass, replace

from agents.networks.schedule import geometric
from agents.protocol import Preset
from rubiks_gym.checks import MANY, named, number, whole
from rubiks_gym.ntuple.network import MOST_TABLES, Cubies
from rubiks_gym.puzzles import LONGEST


@dataclass(frozen=True)
class SymmetricNTupleConfig:
    """Settings of the network and of its training; letters in brackets are those of learner.py."""

    tables: tuple[str, ...] = ("0,8,9,12,13", "1,0,2,8,9", "0,1,8,12,13")
    """Five neighbouring cubies for each look-up table, 0..7 corners, 8..19 edges."""
    bias: float = 12.0
    """Cost-to-go of every state in an untrained network."""
    walk_length: int = 24
    """Moves of a random walk from the goal (K)."""
    walks: int = 4096
    """Random walks in a batch; metrics are logged after every batch."""
    walk_batches: int = 60
    """Batches of random walks learnt from before the first round of backups."""
    walk_lr: float = 0.8
    """Learning rate of the regression on the first batch of walks."""
    walk_lr_end: float = 0.02
    """Learning rate of the regression on the last batch of walks; it decays exponentially from walk_lr."""
    saturation: float = 17.0
    """Number of moves above which the length of a walk only says "far" (c)."""
    temperature: float = 1.5
    """How gradually the fit of the walks' lengths levels off at saturation (T)."""
    rounds: int = 80
    """Rounds of backups on states of the learner's own searches."""
    episodes: int = 64
    """Beam searches from random states in each round; TD learning: greedy episodes."""
    width: int = 256
    """Beam width of the searches whose states are learnt from."""
    max_steps: int = 40
    """Layers after which a beam search of a round gives up; TD learning: moves after which an episode does."""
    backup_lr: float = 1.0
    """Learning rate of the backups in the first round."""
    backup_lr_end: float = 0.1
    """Learning rate of the backups in the last round; it decays exponentially from backup_lr."""
    two_sided: bool = False
    """Whether backups lower F as well, instead of raising it only."""
    path_lr: float = 0.0
    """Learning rate on the paths of solved searches (targets are the moves left), relative to that of backups."""
    td: bool = False
    """Whether rounds are TD learning: of every state on greedy episodes from walks of 1..walk_length moves, nothing else."""
    contrast: float = 0.0
    """Weight of a logistic loss on walks that tells states up to 14 moves out from random ones at `saturation`; 0 for none."""
    walk_batches_per_round: int = 4
    """Batches of random walks learnt from after each round of backups."""
    radius: int = 5
    """Radius of the goal perimeter, the states near the goal whose distances are exact."""

    def __post_init__(self) -> None:
        whole(1, LONGEST, walk_length=self.walk_length)
        whole(1, MANY, **named(self, "walks", "episodes", "width"), **{"walk_length * walks": self.walk_length * self.walks})
        whole(1, max_steps=self.max_steps)
        whole(0, **named(self, "walk_batches", "rounds", "walk_batches_per_round", "radius"))
        number(above=0, most=1, **named(self, "walk_lr", "walk_lr_end", "backup_lr", "backup_lr_end"))
        number(least=0, most=1, **named(self, "path_lr", "contrast"))
        number(above=0, temperature=self.temperature)
        number(**named(self, "bias", "saturation"))
        if not 1 <= len(self.tables) <= MOST_TABLES:
            raise ValueError(f"tables must name 1 to {MOST_TABLES} tables, for example 0,1,8,12,13")
        self.cubies()

    def cubies(self) -> tuple[Cubies, ...]:
        """The tables as numbers."""
        try:
            return tuple(tuple(int(cubie) for cubie in table.split(",")) for table in self.tables)
        except ValueError:
            raise ValueError(f"cannot read the tables {' '.join(self.tables)}: write for example 0,1,8,12,13") from None

    def walk_lr_of(self, batch: int) -> float:
        """The learning rate of batch 0..walk_batches - 1."""
        return geometric(self.walk_lr, self.walk_lr_end, batch, self.walk_batches)

    def backup_lr_of(self, round: int) -> float:
        """The learning rate of round 0..rounds - 1."""
        return geometric(self.backup_lr, self.backup_lr_end, round, self.rounds)


_QTM = SymmetricNTupleConfig()
# A random cube is about 20.6 quarter turns from the goal, or 17.7 half or quarter turns; walk_length and saturation follow.
_HTM = replace(_QTM, bias=10.0, walk_length=18, saturation=13.0, temperature=1.0)
# Nothing but TD: no walks to fit, no perimeter. Untrained states are farther than any that matters.
_TD = replace(
    _QTM,
    td=True,
    bias=20.0,
    walk_length=26,
    walk_batches=0,
    walk_batches_per_round=0,
    rounds=240,
    episodes=2048,
    max_steps=20,
    radius=0,
)

PRESETS: dict[str, Preset] = {
    "3x3-qtm": Preset("rubik3x3-qtm", _QTM, "the 3x3x3 in quarter turns"),
    "3x3-htm": Preset("rubik3x3-htm", _HTM, "the 3x3x3 in half and quarter turns"),
    "3x3-qtm-td": Preset("rubik3x3-qtm", _TD, "TD learning alone, on greedy episodes from 1 to 26 moves"),
    "3x3-demo": Preset("rubik3x3-qtm", replace(_QTM, rounds=20), "3x3-qtm with a quarter of the rounds, for examples/demo.py"),
}
