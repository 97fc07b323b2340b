"""Gymnasium environments over the puzzles, single and vector."""

from rubiks_gym.envs.big_cubes import (
    Rubik4x4Env,
    Rubik4x4VectorEnv,
    Rubik5x5Env,
    Rubik5x5VectorEnv,
    RubikNxNEnv,
    RubikNxNVectorEnv,
)
from rubiks_gym.envs.boards import LightsOutEnv, LightsOutVectorEnv, SlidingTileEnv, SlidingTileVectorEnv
from rubiks_gym.envs.hanoi import HanoiEnv, HanoiVectorEnv
from rubiks_gym.envs.rings import (
    PancakeEnv,
    PancakeVectorEnv,
    PermutationEnv,
    PermutationVectorEnv,
    TopSpinEnv,
    TopSpinVectorEnv,
)
from rubiks_gym.envs.rubik import Rubik2x2Env, Rubik2x2VectorEnv, Rubik3x3Env, Rubik3x3VectorEnv
from rubiks_gym.envs.single import PuzzleEnv
from rubiks_gym.envs.twisty import (
    MegaminxEnv,
    MegaminxVectorEnv,
    PyraminxEnv,
    PyraminxVectorEnv,
    SkewbEnv,
    SkewbVectorEnv,
)
from rubiks_gym.envs.vector import PuzzleVectorEnv

__all__ = [
    "HanoiEnv",
    "HanoiVectorEnv",
    "LightsOutEnv",
    "LightsOutVectorEnv",
    "MegaminxEnv",
    "MegaminxVectorEnv",
    "PancakeEnv",
    "PancakeVectorEnv",
    "PermutationEnv",
    "PermutationVectorEnv",
    "PuzzleEnv",
    "PuzzleVectorEnv",
    "PyraminxEnv",
    "PyraminxVectorEnv",
    "Rubik2x2Env",
    "Rubik2x2VectorEnv",
    "Rubik3x3Env",
    "Rubik3x3VectorEnv",
    "Rubik4x4Env",
    "Rubik4x4VectorEnv",
    "Rubik5x5Env",
    "Rubik5x5VectorEnv",
    "RubikNxNEnv",
    "RubikNxNVectorEnv",
    "SkewbEnv",
    "SkewbVectorEnv",
    "SlidingTileEnv",
    "SlidingTileVectorEnv",
    "TopSpinEnv",
    "TopSpinVectorEnv",
]
