"""Gymnasium environments over the puzzles, single and vector."""

from rubiks_gym.envs.hanoi import HanoiEnv, HanoiVectorEnv
from rubiks_gym.envs.rubik import Rubik2x2Env, Rubik2x2VectorEnv, Rubik3x3Env, Rubik3x3VectorEnv
from rubiks_gym.envs.single import PuzzleEnv
from rubiks_gym.envs.vector import PuzzleVectorEnv

__all__ = [
    "HanoiEnv",
    "HanoiVectorEnv",
    "PuzzleEnv",
    "PuzzleVectorEnv",
    "Rubik2x2Env",
    "Rubik2x2VectorEnv",
    "Rubik3x3Env",
    "Rubik3x3VectorEnv",
]
