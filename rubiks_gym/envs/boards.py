"""Sliding tiles and Lights Out as environments."""

from typing import Any

from gymnasium.vector import VectorEnv

from rubiks_gym.envs.single import PuzzleEnv
from rubiks_gym.envs.vector import PuzzleVectorEnv
from rubiks_gym.puzzles import LightsOut, SlidingTile


class SlidingTileEnv(PuzzleEnv):
    """Sliding tiles: the 8-, 15-, 24-puzzle and so on.

    ## Description
    Numbered tiles on a board with one place left free; slide them until they are in order, the blank at the end. Half
    of all orders can be reached: 181,440 on 3 by 3 (at most 31 slides), 10,461,394,944,000 on 4 by 4 (at most 80).

    ## Action Space
    `Discrete(4)`: U, D, L, R slide a tile up, down, left or right into the blank. An action without such a tile changes
    nothing and costs a step; `info["action_mask"]` and `action_masks()` tell which are legal.

    ## Observation Space
    | observation | space | meaning |
    |---|---|---|
    | `"one-hot"` (default) | `Box(0, 1, (n * n,), float32)` | the state, one-hot |
    | `"one-hot-uint8"` | `Box(0, 1, (n * n,), uint8)` | the same in a quarter of the memory |
    | `"state"` | `MultiDiscrete([n] * n)`, uint8 | tile at each place, row by row, 0 for the blank; n = rows * columns |

    ## Starting State
    By default k random moves from the solved state, k uniform in 1..5 * rows * columns, none of which undoes the one
    before; other distributions with `scramble`. `reset(options=...)` takes `{"scramble": "D R U"}`, `{"state": [...]}`
    or `{"depth": k}`.

    ## Rewards
    As in `Rubik3x3-v0`; `reward="potential"` works by name where there are at most 50 million states.

    ## Episode End
    Terminated when all tiles are in order. Truncated after 300 steps, unless `gym.make(..., max_episode_steps=...)` says
    otherwise.

    ## Information
    `action_mask`, `scramble_depth` (-1 if the start was not made by a walk), and with `exact=True` the true `distance`.

    ## Arguments
    | keyword | values | meaning |
    |---|---|---|
    | `rows`, `columns` | ints, 2 to 10 (4, 4) | the size |

    `scramble`, `k_max`, `reward`, `observation`, `goal`, `render_mode` as for the other puzzles, and
    `exact` (attach the table of true distances, up to 2 by 5 or 3 by 3 tiles).

    ```python
    >>> import gymnasium as gym, rubiks_gym
    >>> env = gym.make("SlidingTile-v0", rows=3, columns=3, observation="state")
    >>> env.reset(seed=0, options={"scramble": "D R"})[0].reshape(3, 3)
    array([[1, 2, 3],
           [4, 0, 5],
           [7, 8, 6]], dtype=uint8)

    ```

    ## Version History
    * v0: first version
    """

    def __init__(self, rows: int = 4, columns: int = 4, **keywords: Any) -> None:
        super().__init__(SlidingTile(rows, columns), **keywords)


class LightsOutEnv(PuzzleEnv):
    """Lights Out.

    ## Description
    Lamps in a square; a press changes a lamp and its neighbours. Put all of them out. The order of presses does not
    matter. On 5 by 5, 2^23 of the 2^25 pictures can be put out; on 7 by 7 all of them.

    ## Action Space
    `Discrete(side * side)`: "rc" presses the lamp in row r and column c (hexadecimal digits). Every action is always legal.

    ## Observation Space
    | observation | space | meaning |
    |---|---|---|
    | `"one-hot"` (default) | `Box(0, 1, (2 * n,), float32)` | the state, one-hot |
    | `"one-hot-uint8"` | `Box(0, 1, (2 * n,), uint8)` | the same in a quarter of the memory |
    | `"state"` | `MultiDiscrete([2] * n)`, uint8 | 1 for each lamp that is on, row by row; n = side * side |

    ## Starting State
    By default k random moves from the solved state, k uniform in 1..side * side, none of which undoes the one before;
    other distributions with `scramble`. `reset(options=...)` takes `{"scramble": "00 12 21"}`, `{"state": [...]}` or
    `{"depth": k}`.

    ## Rewards
    As in `Rubik3x3-v0`; `reward="potential"` works by name up to side 5.

    ## Episode End
    Terminated when all lamps are out. Truncated after 100 steps, unless `gym.make(..., max_episode_steps=...)` says
    otherwise.

    ## Information
    `action_mask`, `scramble_depth` (-1 if the start was not made by a walk), and with `exact=True` the true `distance`.

    ## Arguments
    | keyword | values | meaning |
    |---|---|---|
    | `side` | int, 2 to 16 (5) | lamps in a row |

    `scramble`, `k_max`, `reward`, `observation`, `goal`, `render_mode` as for the other puzzles, and
    `exact` (attach the table of true distances).

    ```python
    >>> import gymnasium as gym, rubiks_gym
    >>> env = gym.make("LightsOut-v0", side=3, observation="state")
    >>> env.reset(seed=0, options={"scramble": "00"})[0].reshape(3, 3)
    array([[1, 1, 0],
           [1, 0, 0],
           [0, 0, 0]], dtype=uint8)

    ```

    ## Version History
    * v0: first version
    """

    def __init__(self, side: int = 5, **keywords: Any) -> None:
        super().__init__(LightsOut(side), **keywords)


class SlidingTileVectorEnv(PuzzleVectorEnv, VectorEnv):  # skrl looks at the direct bases
    """Many boards of sliding tiles; see `SlidingTileEnv` and `PuzzleVectorEnv`."""

    def __init__(self, rows: int = 4, columns: int = 4, **keywords: Any) -> None:
        super().__init__(SlidingTile(rows, columns), **keywords)


class LightsOutVectorEnv(PuzzleVectorEnv, VectorEnv):  # skrl looks at the direct bases
    """Many squares of lamps; see `LightsOutEnv` and `PuzzleVectorEnv`."""

    def __init__(self, side: int = 5, **keywords: Any) -> None:
        super().__init__(LightsOut(side), **keywords)
