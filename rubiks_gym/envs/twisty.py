"""The Pyraminx, the Skewb and the Megaminx as environments."""

from typing import Any

from gymnasium.vector import VectorEnv

from rubiks_gym.envs.single import PuzzleEnv
from rubiks_gym.envs.vector import PuzzleVectorEnv
from rubiks_gym.puzzles import Megaminx, Pyraminx, Skewb


class PyraminxEnv(PuzzleEnv):
    """The Pyraminx.

    ## Description
    A tetrahedron whose corners turn, without its trivial tips: 4 corners that twist, 6 edges, 933,120 states, none more
    than 11 turns from solved.

    ## Action Space
    `Discrete(8)`: U U' L L' R R' B B', a third of a turn of a corner (up, left, right, back), clockwise or
    anticlockwise seen from outside. Every action is always legal.

    ## Observation Space
    | observation | space | meaning |
    |---|---|---|
    | `"one-hot"` (default) | `Box(0, 1, (120,), float32)` | the state, 12 places for each of the 10 pieces |
    | `"one-hot-uint8"` | `Box(0, 1, (120,), uint8)` | the same in a quarter of the memory |
    | `"stickers"` | `MultiDiscrete([4] * 24)`, uint8 | colour of each sticker, face by face |
    | `"state"` | `MultiDiscrete([24] * 10)`, uint8 | place of each piece's first sticker |

    ## Starting State
    By default k random moves from the solved state, k uniform in 1..11, none of which undoes the one before; other
    distributions with `scramble`. `reset(options=...)` takes `{"scramble": "U L' B"}`, `{"state": [...]}` or `{"depth":
    k}`.

    ## Rewards
    As in `Rubik3x3-v0`; `reward="potential"` works by name and takes the true distance as its potential.

    ## Episode End
    Terminated when solved. Truncated after 50 steps, unless `gym.make(..., max_episode_steps=...)` says
    otherwise.

    ## Information
    `action_mask`, `scramble_depth` (-1 if the start was not made by a walk), and with `exact=True` the true `distance`.

    ## Arguments
    `scramble`, `k_max`, `reward`, `observation`, `goal`, `render_mode` as for the other puzzles, and
    `exact` (attach the table of true distances).

    ```python
    >>> import gymnasium as gym, rubiks_gym
    >>> env = gym.make("Pyraminx-v0", exact=True)
    >>> env.reset(seed=0, options={"scramble": "U L' B"})[1]["distance"]
    np.int64(3)

    ```

    ## Version History
    * v0: first version
    """

    def __init__(self, **keywords: Any) -> None:
        super().__init__(Pyraminx(), **keywords)


class SkewbEnv(PuzzleEnv):
    """The Skewb.

    ## Description
    A cube cut in halves across its diagonals: 8 corners and 6 centres, 3,149,280 states, none more than 11 turns from
    solved. The corner URF is held, so that a Skewb held differently is the same state.

    ## Action Space
    `Discrete(8)`: R R' U U' L L' B B', a third of a turn of the half around a corner (DRB, UBL, DLF and DBL, as in
    competitions), clockwise or anticlockwise seen from outside. Every action is always legal.

    ## Observation Space
    | observation | space | meaning |
    |---|---|---|
    | `"one-hot"` (default) | `Box(0, 1, (156,), float32)` | the state, 12 places for each of the 13 pieces |
    | `"one-hot-uint8"` | `Box(0, 1, (156,), uint8)` | the same in a quarter of the memory |
    | `"stickers"` | `MultiDiscrete([6] * 30)`, uint8 | colour of each sticker, face by face |
    | `"state"` | `MultiDiscrete([27] * 13)`, uint8 | place of each piece's first sticker |

    ## Starting State
    By default k random moves from the solved state, k uniform in 1..11, none of which undoes the one before; other
    distributions with `scramble`. `reset(options=...)` takes `{"scramble": "R U' B"}`, `{"state": [...]}` or `{"depth":
    k}`.

    ## Rewards
    As in `Rubik3x3-v0`; `reward="potential"` works by name and takes the true distance as its potential.

    ## Episode End
    Terminated when solved. Truncated after 50 steps, unless `gym.make(..., max_episode_steps=...)` says
    otherwise.

    ## Information
    `action_mask`, `scramble_depth` (-1 if the start was not made by a walk), and with `exact=True` the true `distance`.

    ## Arguments
    `scramble`, `k_max`, `reward`, `observation`, `goal`, `render_mode` as for the other puzzles, and
    `exact` (attach the table of true distances).

    ```python
    >>> import gymnasium as gym, rubiks_gym
    >>> env = gym.make("Skewb-v0", observation="stickers")
    >>> env.observation_space.shape
    (30,)

    ```

    ## Version History
    * v0: first version
    """

    def __init__(self, **keywords: Any) -> None:
        super().__init__(Skewb(), **keywords)


class MegaminxEnv(PuzzleEnv):
    """The Megaminx.

    ## Description
    A dodecahedron whose twelve faces turn: 20 corners and 30 edges, 1.01 * 10^68 states. The centres do not move, so
    the solved state is a single one.

    ## Action Space
    `Discrete(24)`: U U' F F' R R' BR BR' BL BL' L L' D D' B B' DL DL' FL FL' FR FR' DR DR', a fifth of a turn of a
    face, clockwise or anticlockwise seen from outside. Faces D to DR are opposite to U to L, in the same order. Every
    action is always legal.

    ## Observation Space
    | observation | space | meaning |
    |---|---|---|
    | `"one-hot"` (default) | `Box(0, 1, (3000,), float32)` | the state, 60 places for each of the 50 pieces |
    | `"one-hot-uint8"` | `Box(0, 1, (3000,), uint8)` | the same in a quarter of the memory |
    | `"stickers"` | `MultiDiscrete([12] * 132)`, uint8 | colour of each sticker, face by face |
    | `"state"` | `MultiDiscrete([120] * 50)`, uint8 | place of each piece's first sticker |

    ## Starting State
    By default k random moves from the solved state, k uniform in 1..70, none of which undoes the one before; other
    distributions with `scramble`. `reset(options=...)` takes `{"scramble": "R BL' DR"}`, `{"state": [...]}` or
    `{"depth": k}`.

    ## Rewards
    As in `Rubik3x3-v0`, without `"potential"` by name: there is no table of true distances.

    ## Episode End
    Terminated when solved. Truncated after 300 steps, unless `gym.make(..., max_episode_steps=...)` says
    otherwise.

    ## Information
    `action_mask`, `scramble_depth` (-1 if the start was not made by a walk).

    ## Arguments
    `scramble`, `k_max`, `reward`, `observation`, `goal`, `render_mode` as for the other puzzles.

    ```python
    >>> import gymnasium as gym, rubiks_gym
    >>> env = gym.make("Megaminx-v0")
    >>> env.action_space, env.observation_space.shape
    (Discrete(24), (3000,))

    ```

    ## Version History
    * v0: first version
    """

    def __init__(self, **keywords: Any) -> None:
        super().__init__(Megaminx(), **keywords)


class PyraminxVectorEnv(PuzzleVectorEnv, VectorEnv):  # skrl looks at the direct bases
    """Many Pyraminxes; see `PyraminxEnv` and `PuzzleVectorEnv`."""

    def __init__(self, **keywords: Any) -> None:
        super().__init__(Pyraminx(), **keywords)


class SkewbVectorEnv(PuzzleVectorEnv, VectorEnv):  # skrl looks at the direct bases
    """Many Skewbes; see `SkewbEnv` and `PuzzleVectorEnv`."""

    def __init__(self, **keywords: Any) -> None:
        super().__init__(Skewb(), **keywords)


class MegaminxVectorEnv(PuzzleVectorEnv, VectorEnv):  # skrl looks at the direct bases
    """Many Megaminxes; see `MegaminxEnv` and `PuzzleVectorEnv`."""

    def __init__(self, **keywords: Any) -> None:
        super().__init__(Megaminx(), **keywords)
