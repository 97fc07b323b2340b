"""Settings of tabular value iteration."""

from dataclasses import dataclass

from rubiks_gym.checks import MANY, whole
from rubiks_gym.puzzles import LONGEST


@dataclass(frozen=True)
class TabularConfig:
    """Settings of tabular value iteration."""

    iterations: int = 1000
    """Training iterations, each a batch of Bellman backups."""
    batch: int = 1000
    """States backed up in each iteration."""
    k_max: int = 0
    """Longest random walk from the goal at whose end a state is sampled; 0 samples uniformly from all states."""

    def __post_init__(self) -> None:
        whole(1, iterations=self.iterations)
        whole(1, MANY, batch=self.batch)
        whole(0, LONGEST, k_max=self.k_max)
