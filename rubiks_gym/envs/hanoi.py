"""Towers of Hanoi as environments."""

from typing import Any

from gymnasium.vector import VectorEnv

from rubiks_gym.envs.single import PuzzleEnv
from rubiks_gym.envs.vector import PuzzleVectorEnv
from rubiks_gym.puzzles import Hanoi


class HanoiEnv(PuzzleEnv):
    """The towers of Hanoi.

    ## Description
    Disks of different sizes lie on pegs; move them all to the last peg, one at a time, never a larger one onto a smaller.
    With three pegs the way from the first peg takes 2^disks - 1 moves.

    ## Action Space
    `Discrete(pegs * (pegs - 1))`: ordered pairs of pegs, "01" (top disk of peg 0 to peg 1), "02", "10", ... An illegal
    move changes nothing and costs a step; `info["action_mask"]` and `action_masks()` tell which are legal.

    ## Observation Space
    | observation | space | meaning |
    |---|---|---|
    | `"one-hot"` (default) | `Box(0, 1, (disks * pegs,), float32)` | peg of each disk, smallest first, one-hot |
    | `"one-hot-uint8"` | `Box(0, 1, (disks * pegs,), uint8)` | the same in a quarter of the memory |
    | `"state"` | `MultiDiscrete([pegs] * disks)`, uint8 | peg of each disk |

    ## Starting State
    All disks on the first peg (`scramble="start"`). Other scrambles are those of the cubes: walks from the goal of random
    legal moves, or `"random-state"`, uniform over all pegs^disks states. `reset(options=...)` takes
    `{"scramble": "20 21"}`, `{"state": [...]}` or `{"depth": k}`.

    ## Rewards
    As in `Rubik3x3-v0`; `reward="potential"` works by name and takes the true distance as its potential.

    ## Episode End
    Terminated when all disks are on the last peg. Truncated after 200 steps: more than seven disks on three pegs need
    `gym.make(..., max_episode_steps=...)`.

    ## Information
    `action_mask`, `scramble_depth` (-1 if the start was not made by a walk), and with `exact=True` the true `distance`.

    ## Arguments
    | keyword | values | meaning |
    |---|---|---|
    | `disks`, `pegs` | ints (3, 3) | the size |
    | `scramble` | `"start"`, `"uniform"`, `"deepcube"`, `"adaptive"`, `"fixed"`, `"random-state"`, or an object | |
    | `k_max`, `reward`, `observation`, `goal`, `exact`, `render_mode` | as for the cubes | |

    ```python
    >>> import gymnasium as gym, rubiks_gym
    >>> env = gym.make("Hanoi-v0", disks=4, observation="state")
    >>> env.reset(seed=0)[0]
    array([0, 0, 0, 0], dtype=uint8)

    ```

    ## Version History
    * v0: first version
    """

    def __init__(self, disks: int = 3, pegs: int = 3, **keywords: Any) -> None:
        super().__init__(Hanoi(disks, pegs), **keywords)


class HanoiVectorEnv(PuzzleVectorEnv, VectorEnv):  # skrl looks at the direct bases
    """Many towers of Hanoi; see `HanoiEnv` and `PuzzleVectorEnv`."""

    def __init__(self, disks: int = 3, pegs: int = 3, **keywords: Any) -> None:
        super().__init__(Hanoi(disks, pegs), **keywords)
