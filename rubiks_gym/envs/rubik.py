"""The cubes as environments."""

from typing import Any

from gymnasium.vector import VectorEnv

from rubiks_gym.envs.single import PuzzleEnv
from rubiks_gym.envs.vector import PuzzleVectorEnv
from rubiks_gym.puzzles import Rubik2x2, Rubik3x3


class Rubik3x3Env(PuzzleEnv):
    """The 3x3x3 Rubik's cube.

    ## Description
    The cube of Ernő Rubik: 43,252,003,274,489,856,000 states, one of them solved. Turn its faces until each shows one
    colour. The centres do not move, so the cube is never held differently and the solved state is a single one.

    ## Action Space
    `Discrete(12)` in the quarter-turn metric: U U' R R' F F' D D' L L' B B', each a clockwise or anticlockwise turn of a
    face seen from outside. `Discrete(18)` in the half-turn metric, where U2 R2 F2 D2 L2 B2 follow. Every action is always
    legal; `env.unwrapped.puzzle.action_names` lists them.

    ## Observation Space
    | observation | space | meaning |
    |---|---|---|
    | `"one-hot"` (default) | `Box(0, 1, (480,), float32)` | the state, 24 places for each of the 20 pieces |
    | `"one-hot-uint8"` | `Box(0, 1, (480,), uint8)` | the same in a quarter of the memory |
    | `"stickers"` | `MultiDiscrete([6] * 54)` | colour of each facelet in URFDLB order, 0..5 for U R F D L B |
    | `"cubies"` | `MultiDiscrete`, 40 values | position of each piece (8 corners, 12 edges), then orientation of each |
    | `"state"` | `MultiDiscrete([48] * 20)` | location of each piece's reference sticker |

    The categories are of dtype uint8.

    ## Starting State
    By default k random moves from the solved state, k uniform in 1..26 (1..20 in the half-turn metric), none of which
    undoes the one before; other distributions with `scramble`. A walk that happens to end solved is walked again.
    `scramble={"name": "uniform", "allow_undo": True}` may undo moves, `"allow_same_face": False` turns another face each time.
    `reset(options=...)` takes `{"scramble": "R U F'"}`, `{"state": ...}` or `{"depth": k}`.

    ## Rewards
    | reward | each step | the step that solves |
    |---|---|---|
    | `"sparse"` (default) | 0 | 1 |
    | `"step-cost"` | -0.1 | 0.9 |
    | `rubiks_gym.rewards.StepCost(cost, goal_reward)` | `cost`, one number or one per action | `goal_reward` more |
    | `"deepcube"` | -1 | 1 |
    | `rubiks_gym.rewards.Potential(cost_to_go)` | shaped by a cost-to-go | |
    | a function | `reward(states, actions, next_states, solved) -> [B]` | |

    ## Episode End
    Terminated when solved. Truncated after 100 steps, unless `gym.make(..., max_episode_steps=...)` says otherwise.

    ## Information
    `reset` and `step` return `action_mask` (int8, for `action_space.sample(mask)`) and `scramble_depth` (moves of the
    scramble, -1 if the start was not made by a walk). `action_masks()` gives the mask as bool, for MaskablePPO.

    ## Arguments
    | keyword | values | meaning |
    |---|---|---|
    | `metric` | `"qtm"`, `"htm"` | whether a half turn counts as one move |
    | `scramble` | `"uniform"`, `"deepcube"`, `"adaptive"`, `"fixed"`, `"random-state"`, or an object | where episodes start |
    | `k_max` | int | longest scramble |
    | `reward` | see above | what a step earns |
    | `observation` | see above | what the agent sees |
    | `goal` | `"random"`, a state | tell the agent where to go: a `Dict` of `observation`, `achieved_goal` and `desired_goal` |
    | `render_mode` | `None`, `"ansi"`, `"rgb_array"`, `"human"` | |

    ```python
    >>> import gymnasium as gym, rubiks_gym
    >>> env = gym.make("Rubik3x3-v0", metric="htm", scramble="fixed", k_max=5, observation="stickers")
    >>> env.action_space
    Discrete(18)

    ```

    ## Version History
    * v0: first version
    """

    def __init__(self, metric: str = "qtm", **keywords: Any) -> None:
        super().__init__(Rubik3x3(metric), **keywords)


class Rubik2x2Env(PuzzleEnv):
    """The 2x2x2 cube.

    ## Description
    Eight corners, 3,674,160 states, at most 14 quarter turns from solved (11 counting half turns as one). The corner
    between D, L and B is held, so that only U, R and F turn and a cube held differently is the same state: "solved" means
    that every face shows one colour, however it lies in the hand.

    ## Action Space
    `Discrete(6)` in the quarter-turn metric: U U' R R' F F'. `Discrete(9)` in the half-turn metric, where U2 R2 F2 follow.
    Every action is always legal.

    ## Observation Space
    | observation | space | meaning |
    |---|---|---|
    | `"one-hot"` (default) | `Box(0, 1, (147,), float32)` | the state, 21 places for each of the 7 pieces |
    | `"one-hot-uint8"` | `Box(0, 1, (147,), uint8)` | the same in a quarter of the memory |
    | `"stickers"` | `MultiDiscrete([6] * 24)` | colour of each facelet in URFDLB order, 0..5 for U R F D L B |
    | `"cubies"` | `MultiDiscrete`, 14 values | position of each of the 7 corners, then orientation of each |
    | `"state"` | `MultiDiscrete([21] * 7)` | location of each piece's reference sticker |

    The categories are of dtype uint8.

    ## Starting State
    By default k random moves from the solved state, k uniform in 1..14 (1..11 in the half-turn metric), none of which
    undoes the one before; other distributions with `scramble`. `reset(options=...)` takes `{"scramble": "R U F'"}` (all
    six letters are read: D is U and a rotation of the whole cube), `{"state": ...}` or `{"depth": k}`.

    ## Rewards
    As in `Rubik3x3-v0`; `reward="potential"` works by name and takes the true distance as its potential.

    ## Episode End
    Terminated when solved. Truncated after 60 steps, unless `gym.make(..., max_episode_steps=...)` says otherwise.

    ## Information
    `action_mask`, `scramble_depth`, and with `exact=True` the true `distance` to the goal.

    ## Arguments
    Those of `Rubik3x3-v0`, and
    | keyword | values | meaning |
    |---|---|---|
    | `exact` | bool | attach the table of true distances (built in seconds, kept in the user's cache folder) |

    ```python
    >>> import gymnasium as gym, rubiks_gym
    >>> env = gym.make("Rubik2x2-v0", exact=True)
    >>> env.reset(seed=0, options={"scramble": "R U F'"})[1]["distance"]
    np.int64(3)

    ```

    ## Version History
    * v0: first version
    """

    def __init__(self, metric: str = "qtm", **keywords: Any) -> None:
        super().__init__(Rubik2x2(metric), **keywords)


class Rubik3x3VectorEnv(PuzzleVectorEnv, VectorEnv):  # skrl looks at the direct bases
    """Many 3x3x3 cubes; see `Rubik3x3Env` and `PuzzleVectorEnv`."""

    def __init__(self, metric: str = "qtm", **keywords: Any) -> None:
        super().__init__(Rubik3x3(metric), **keywords)


class Rubik2x2VectorEnv(PuzzleVectorEnv, VectorEnv):  # skrl looks at the direct bases
    """Many 2x2x2 cubes; see `Rubik2x2Env` and `PuzzleVectorEnv`."""

    def __init__(self, metric: str = "qtm", **keywords: Any) -> None:
        super().__init__(Rubik2x2(metric), **keywords)
