"""rubiks-gym: Gymnasium environments for permutation puzzles. Importing it registers them and imports little else."""

from rubiks_gym.registration import ENVIRONMENTS, register_puzzle

__version__ = "0.1.0"
__all__ = ["ENVIRONMENTS", "register_puzzle"]
