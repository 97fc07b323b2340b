"""Cubes of any size as environments."""

from typing import Any

from gymnasium.vector import VectorEnv

from rubiks_gym.envs.single import PuzzleEnv
from rubiks_gym.envs.vector import PuzzleVectorEnv
from rubiks_gym.puzzles import Rubik4x4, Rubik5x5, RubikNxN


class Rubik4x4Env(PuzzleEnv):
    """The 4x4x4.

    ## Description
    Eight corners, 24 wings and 24 centres, of which the four of a colour look alike: 7.4 * 10^45 states, each in 24
    ways to hold it. Solved is a single state: every face shows one colour, held as at the start.

    ## Action Space
    `Discrete(24)` in the quarter-turn metric: U U' R R' ... B B' turn a face, 2U 2U' ... 2B 2B' the slice beside it,
    clockwise or anticlockwise seen from the face outside. In the half-turn metric the half turns follow (U2, ..., 2U2,
    ...). Every action is always legal; `env.unwrapped.puzzle.action_names` lists them. Scrambles may also be written
    with turns of several layers, `Rw` (two) or `3Rw'`.

    ## Observation Space
    | observation | space | meaning |
    |---|---|---|
    | `"one-hot"` (default) | `Box(0, 1, (576,), float32)` | the colour of each sticker, one-hot |
    | `"one-hot-uint8"` | `Box(0, 1, (576,), uint8)` | the same in a quarter of the memory |
    | `"state"` | `MultiDiscrete([6] * 96)`, uint8 | colour of each facelet, 0..5 in URFDLB order, row by row |

    ## Starting State
    By default k random moves from the solved state, k uniform in 1..45, none of which undoes the one before; other
    distributions with `scramble`. `reset(options=...)` takes `{"scramble": "R 2U' Fw"}`, `{"state": [...]}` or
    `{"depth": k}`.

    ## Rewards
    As in `Rubik3x3-v0`, without `"potential"` by name: there is no table of true distances.

    ## Episode End
    Terminated when solved. Truncated after 200 steps, unless `gym.make(..., max_episode_steps=...)` says
    otherwise.

    ## Information
    `action_mask`, `scramble_depth` (-1 if the start was not made by a walk).

    ## Arguments
    | keyword | values | meaning |
    |---|---|---|
    | `metric` | `"qtm"`, `"htm"` | whether a half turn counts as one move |

    `scramble`, `k_max`, `reward`, `observation`, `goal`, `render_mode` as for the other puzzles.

    ```python
    >>> import gymnasium as gym, rubiks_gym
    >>> env = gym.make("Rubik4x4-v0", observation="state")
    >>> env.action_space, env.observation_space.shape
    (Discrete(24), (96,))

    ```

    ## Version History
    * v0: first version
    """

    def __init__(self, metric: str = "qtm", **keywords: Any) -> None:
        super().__init__(Rubik4x4(metric), **keywords)


class Rubik5x5Env(PuzzleEnv):
    """The 5x5x5.

    ## Description
    Eight corners, 12 edges, 24 wings and 48 centres, of which the four of a kind and colour look alike: 2.8 * 10^74
    states. The middle layers do not turn, so the cube is never held differently and the solved state is a single one.

    ## Action Space
    `Discrete(24)` in the quarter-turn metric: U U' R R' ... B B' turn a face, 2U 2U' ... 2B 2B' the slice beside it,
    clockwise or anticlockwise seen from the face outside. In the half-turn metric the half turns follow (U2, ..., 2U2,
    ...). Every action is always legal; `env.unwrapped.puzzle.action_names` lists them. Scrambles may also be written
    with turns of several layers, `Rw` (two) or `3Rw'`.

    ## Observation Space
    | observation | space | meaning |
    |---|---|---|
    | `"one-hot"` (default) | `Box(0, 1, (900,), float32)` | the colour of each sticker, one-hot |
    | `"one-hot-uint8"` | `Box(0, 1, (900,), uint8)` | the same in a quarter of the memory |
    | `"state"` | `MultiDiscrete([6] * 150)`, uint8 | colour of each facelet, 0..5 in URFDLB order, row by row |

    ## Starting State
    By default k random moves from the solved state, k uniform in 1..80, none of which undoes the one before; other
    distributions with `scramble`. `reset(options=...)` takes `{"scramble": "R 2U' Fw"}`, `{"state": [...]}` or
    `{"depth": k}`.

    ## Rewards
    As in `Rubik3x3-v0`, without `"potential"` by name: there is no table of true distances.

    ## Episode End
    Terminated when solved. Truncated after 400 steps, unless `gym.make(..., max_episode_steps=...)` says
    otherwise.

    ## Information
    `action_mask`, `scramble_depth` (-1 if the start was not made by a walk).

    ## Arguments
    | keyword | values | meaning |
    |---|---|---|
    | `metric` | `"qtm"`, `"htm"` | whether a half turn counts as one move |

    `scramble`, `k_max`, `reward`, `observation`, `goal`, `render_mode` as for the other puzzles.

    ```python
    >>> import gymnasium as gym, rubiks_gym
    >>> env = gym.make("Rubik5x5-v0", observation="state")
    >>> env.action_space, env.observation_space.shape
    (Discrete(24), (150,))

    ```

    ## Version History
    * v0: first version
    """

    def __init__(self, metric: str = "qtm", **keywords: Any) -> None:
        super().__init__(Rubik5x5(metric), **keywords)


class RubikNxNEnv(PuzzleEnv):
    """Cubes of any size from 2 to 7.

    ## Description
    The cube of `size` layers. Every layer turns but the middle one of an odd size, which holds the centres; an even
    cube has nothing to hold it by, so solved means solved and held as at the start. Centres of a kind and colour look
    alike. The smaller `Rubik2x2-v0` and `Rubik3x3-v0` are the same cubes in fewer bytes (and with a corner of the 2x2x2
    held).

    ## Action Space
    `Discrete(12 * (size // 2))` in the quarter-turn metric: U U' R R' ... B B' turn a face, 2U 2U' ... the slice below
    it, and so on to the middle, clockwise or anticlockwise seen from the face outside. In the half-turn metric the half
    turns follow (U2, ..., 2U2, ...). Every action is always legal; `env.unwrapped.puzzle.action_names` lists them.
    Scrambles may also be written with turns of several layers, `Rw` (two) or `3Rw'`.

    ## Observation Space
    | observation | space | meaning |
    |---|---|---|
    | `"one-hot"` (default) | `Box(0, 1, (36 * size^2,), float32)` | the colour of each sticker, one-hot |
    | `"one-hot-uint8"` | `Box(0, 1, (36 * size^2,), uint8)` | the same in a quarter of the memory |
    | `"state"` | `MultiDiscrete([6] * 6 * size^2)`, uint8 | colour of each facelet, 0..5 in URFDLB order, row by row |

    ## Starting State
    By default k random moves from the solved state, k uniform in 1..k_max (14, 26, 45, 80, 120, 170 for sizes 2 to 7),
    none of which undoes the one before; other distributions with `scramble`. `reset(options=...)` takes `{"scramble":
    "R 2U' Fw"}`, `{"state": [...]}` or `{"depth": k}`.

    ## Rewards
    As in `Rubik3x3-v0`, without `"potential"` by name: there is no table of true distances.

    ## Episode End
    Terminated when solved. Truncated after 800 steps, unless `gym.make(..., max_episode_steps=...)` says
    otherwise.

    ## Information
    `action_mask`, `scramble_depth` (-1 if the start was not made by a walk).

    ## Arguments
    | keyword | values | meaning |
    |---|---|---|
    | `size` | int, 2 to 7 (6) | layers |
    | `metric` | `"qtm"`, `"htm"` | whether a half turn counts as one move |

    `scramble`, `k_max`, `reward`, `observation`, `goal`, `render_mode` as for the other puzzles.

    ```python
    >>> import gymnasium as gym, rubiks_gym
    >>> env = gym.make("RubikNxN-v0", size=7, observation="state")
    >>> env.action_space, env.observation_space.shape
    (Discrete(36), (294,))

    ```

    ## Version History
    * v0: first version
    """

    def __init__(self, size: int = 6, metric: str = "qtm", **keywords: Any) -> None:
        super().__init__(RubikNxN(size, metric), **keywords)


class Rubik4x4VectorEnv(PuzzleVectorEnv, VectorEnv):  # skrl looks at the direct bases
    """Many 4x4x4; see `Rubik4x4Env` and `PuzzleVectorEnv`."""

    def __init__(self, metric: str = "qtm", **keywords: Any) -> None:
        super().__init__(Rubik4x4(metric), **keywords)


class Rubik5x5VectorEnv(PuzzleVectorEnv, VectorEnv):  # skrl looks at the direct bases
    """Many 5x5x5; see `Rubik5x5Env` and `PuzzleVectorEnv`."""

    def __init__(self, metric: str = "qtm", **keywords: Any) -> None:
        super().__init__(Rubik5x5(metric), **keywords)


class RubikNxNVectorEnv(PuzzleVectorEnv, VectorEnv):  # skrl looks at the direct bases
    """Many cubes of one size; see `RubikNxNEnv` and `PuzzleVectorEnv`."""

    def __init__(self, size: int = 6, metric: str = "qtm", **keywords: Any) -> None:
        super().__init__(RubikNxN(size, metric), **keywords)
