"""Settings of the general n-tuple network and of its training; 0 stands for what suits the puzzle."""

from dataclasses import dataclass

import numpy as np

from agents.general_ntuple.tuples import MOST_WEIGHTS, Budget
from agents.networks.schedule import geometric
from agents.protocol import Preset
from rubiks_gym.checks import MANY, named, number, whole
from rubiks_gym.puzzles import LONGEST, Puzzle
from rubiks_gym.puzzles.relations import Relations

_REPLAY = 1 << 15  # states along solutions
_WAYS = np.log(1e33)  # of a walk: of those that can go more ways, tables cannot tell how long they were


@dataclass(frozen=True)
class GeneralNTupleConfig:
    """Settings of the network and of its training; letters in brackets are those of learner.py."""

    table_weights: int = 13_000_000
    """Weights of one look-up table at most, which bounds how many entries of a state it looks at."""
    weights: int = 1 << 25
    """Weights of all tables together at most, 4 bytes each."""
    sizes: int = 2
    """How many sizes of tuples there are, counted down from the largest that table_weights allows."""
    coverage: int = 4
    """How many tuples of each size look at every entry of a state at least, their images under symmetries included."""
    tables: int = 2
    """Tables of each size at least, where there are so many different ones."""
    far: float = 0.0
    """F of an untrained network; 0: 2/3 of the scramble length, less if walks are short; 4/5 where moves may be illegal."""
    walk_length: int = 0
    """Moves of a random walk (K); 0: 9/10 of the scramble length (at most 10^33 ways), or 1/2 where moves may be illegal."""
    walks: int = 2048
    """Random walks in a batch."""
    walk_batches: int = 30
    """Batches of random walks learnt from before the first round of beams."""
    walk_lr: float = 0.5
    """Learning rate of the regression on the first batch of walks."""
    walk_lr_end: float = 0.05
    """Learning rate of the regression on the last batch of walks; it decays exponentially from walk_lr."""
    rounds: int = 100
    """Rounds of the learner's own beam searches."""
    walks_per_round: int = 2
    """Batches of random walks learnt from after each round, where moves can always be made."""
    episodes: int = 32
    """Beam searches in each round."""
    width: int = 128
    """Beam width of the searches that are learnt from."""
    replay: int = 0
    """States along the last solutions learnt from after a round; 0 for its own, or 32,768 where moves may be illegal."""
    path_lr: float = 0.2
    """Learning rate on the states along solutions, in the first round; later ones take backup_lr's course."""
    backup_lr: float = 0.3
    """Learning rate of the Bellman backups of states that beams kept, in the first round."""
    backup_lr_end: float = 0.03
    """Learning rate of the Bellman backups in the last round; it decays exponentially from backup_lr."""
    backup_every: int = 2
    """Of the states that beams kept, one in so many is backed up."""
    perimeter: int = 20_000
    """States of the goal perimeter at most, whose distances are exact."""

    def __post_init__(self) -> None:
        whole(1, MANY, **named(self, "walks", "episodes", "width", "table_weights", "perimeter", "backup_every"))
        whole(1, MOST_WEIGHTS, weights=self.weights)
        whole(1, 64, **named(self, "sizes", "coverage", "tables"))
        whole(0, LONGEST, walk_length=self.walk_length)
        number(least=0, far=self.far)
        whole(0, **named(self, "walk_batches", "rounds", "walks_per_round", "replay"))
        number(above=0, most=1, **named(self, "walk_lr", "walk_lr_end", "path_lr", "backup_lr", "backup_lr_end"))

    def budget(self) -> Budget:
        """What the tables may take."""
        return Budget(self.table_weights, self.weights, self.sizes, self.coverage, self.tables)

    def moves_of(self, puzzle: Puzzle, relations: Relations | None) -> tuple[float, int]:
        """The bias and K of a puzzle, by what is known of its moves if they can always be made."""
        if relations is None:
            return self.far or 0.8 * puzzle.k_max, self.walk_length or max(puzzle.k_max // 2, 6)
        k = longest = max(9 * puzzle.k_max // 10, 6)
        if not relations.commute.all():  # where all commute, moves add up, and walks of any length can be told apart
            longest = min(k, int(_WAYS / np.log(max(puzzle.n_actions - 1, 2))))
        walk_length = self.walk_length or longest
        # A link that levels off far below the bias would not let F come down.
        return self.far or 2 / 3 * puzzle.k_max * min(walk_length / k, 1), walk_length

    def replay_of(self, always: bool, new: int) -> int:
        """How many states along solutions are learnt from after a round with so many new ones.

        Old solutions are longer than the present ones would be. They are needed only where walks do not hold F in place.
        """
        return self.replay or (new if always else _REPLAY)

    def walk_lr_of(self, batch: int) -> float:
        """The learning rate of batch 0..walk_batches - 1."""
        return geometric(self.walk_lr, self.walk_lr_end, batch, self.walk_batches)

    def backup_lr_of(self, round: int) -> float:
        """The learning rate of round 0..rounds - 1."""
        return geometric(self.backup_lr, self.backup_lr_end, round, self.rounds)


_BOARD = {"backup_lr": 0.8, "backup_lr_end": 0.08, "path_lr": 0.3, "backup_every": 4}
# Narrower beams, and more learnt from their paths.
_24 = {**_BOARD, "table_weights": 400_000, "sizes": 1, "path_lr": 0.9, "replay": 1 << 16, "width": 96}
# Fewer, wider rounds at higher rates, as of the network that was made for the 3x3x3.
_WIDE = {"walk_batches": 1000, "rounds": 60, "walks_per_round": 16, "sizes": 1, "episodes": 64, "width": 256, "path_lr": 0.3}
_WIDE |= {"backup_lr": 1.0, "backup_lr_end": 0.2}
# Long walks alone: tokens are carried far by shifts, which a walk makes one at a time.
_RING = {"walk_batches": 600, "walks": 1400, "walk_lr": 0.3, "walk_lr_end": 0.01, "sizes": 3, "rounds": 0}
# What the results are measured with. Nothing else here knows a puzzle by name: --puzzle NAME alone does as well.
PRESETS: dict[str, Preset] = {
    name: Preset(puzzle, GeneralNTupleConfig(**changed), f"{puzzle}, {minutes} CPU minutes")
    for name, puzzle, minutes, changed in (
        ("15-puzzle", "sliding-tile-4-4", 4, {"rounds": 500}),
        ("24-puzzle", "sliding-tile-5-5", 17, {"rounds": 1500, **_24}),
        ("35-puzzle", "sliding-tile-6-6", 6, {"rounds": 100, **_BOARD}),
        ("48-puzzle", "sliding-tile-7-7", 6, {"rounds": 60, **_BOARD}),
        ("pyraminx", "pyraminx", 1, {"rounds": 30}),
        ("2x2x2", "rubik2x2-qtm", 1, {"rounds": 30}),
        ("skewb", "skewb", 1, {"rounds": 30}),
        ("pancake-15", "pancake-15", 1, {"rounds": 30}),
        ("lights-out-5", "lights-out-5", 1, {"rounds": 30}),
        ("lights-out-7", "lights-out-7", 1, {"rounds": 5}),
        ("top-spin", "top-spin-20-4", 2, {**_RING, "walk_length": 110}),
        ("top-spin-11", "top-spin-11-4", 1, {**_RING, "walk_length": 60, "walk_batches": 200}),
        ("top-spin-14", "top-spin-14-4", 1, {**_RING, "walk_length": 77}),
        ("3x3x3", "rubik3x3-qtm", 5, {**_WIDE, "walk_length": 24, "far": 12.0}),
        ("3x3x3-htm", "rubik3x3-htm", 5, {**_WIDE, "rounds": 40, "far": 10.0}),
        ("4x4x4", "rubik4x4-qtm", 2, {"walk_batches": 300, "rounds": 0, "weights": 80_000_000}),
        ("5x5x5", "rubik5x5-qtm", 2, {"walk_batches": 150, "rounds": 0}),
        ("megaminx", "megaminx", 5, {"walk_batches": 700, "rounds": 8}),
    )
}
