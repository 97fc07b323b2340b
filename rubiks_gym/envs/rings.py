"""TopSpin, pancakes and puzzles from files as environments."""

from typing import Any

from gymnasium.vector import VectorEnv

from rubiks_gym.envs.single import PuzzleEnv
from rubiks_gym.envs.vector import PuzzleVectorEnv
from rubiks_gym.puzzles import Pancake, Permutation, TopSpin


class TopSpinEnv(PuzzleEnv):
    """TopSpin.

    ## Description
    Numbered tokens on a ring, some of which are on a turnstile. Shift the ring and turn the turnstile over until the
    tokens are in order, token 1 first on the turnstile. With 20 tokens, 4 of them on the turnstile, all 20! orders can
    be reached.

    ## Action Space
    `Discrete(3)`: L and R shift all tokens by one place, T turns those on the turnstile over. Every action is always legal.

    ## Observation Space
    | observation | space | meaning |
    |---|---|---|
    | `"one-hot"` (default) | `Box(0, 1, (n * n,), float32)` | the state, one-hot |
    | `"one-hot-uint8"` | `Box(0, 1, (n * n,), uint8)` | the same in a quarter of the memory |
    | `"state"` | `MultiDiscrete([n] * n)`, uint8 | place of each token, 0 to k - 1 on the turnstile |

    ## Starting State
    By default k random moves from the solved state, k uniform in 1..4 * n, none of which undoes the one before; other
    distributions with `scramble`. `reset(options=...)` takes `{"scramble": "L T R"}`, `{"state": [...]}` or `{"depth":
    k}`.

    ## Rewards
    As in `Rubik3x3-v0`; `reward="potential"` works by name where there are at most 50 million states.

    ## Episode End
    Terminated when the tokens are in order. Truncated after 300 steps, unless `gym.make(..., max_episode_steps=...)` says
    otherwise.

    ## Information
    `action_mask`, `scramble_depth` (-1 if the start was not made by a walk), and with `exact=True` the true `distance`.

    ## Arguments
    | keyword | values | meaning |
    |---|---|---|
    | `n` | int, 3 to 100 (20) | tokens |
    | `k` | int, 2 to n - 1 (4) | tokens on the turnstile |

    `scramble`, `k_max`, `reward`, `observation`, `goal`, `render_mode` as for the other puzzles, and
    `exact` (attach the table of true distances).

    ```python
    >>> import gymnasium as gym, rubiks_gym
    >>> env = gym.make("TopSpin-v0", n=6, k=3, observation="state")
    >>> env.reset(seed=0, options={"scramble": "T"})[0]
    array([2, 1, 0, 3, 4, 5], dtype=uint8)

    ```

    ## Version History
    * v0: first version
    """

    def __init__(self, n: int = 20, k: int = 4, **keywords: Any) -> None:
        super().__init__(TopSpin(n, k), **keywords)


class PancakeEnv(PuzzleEnv):
    """Pancakes.

    ## Description
    A stack of n pancakes of different sizes; turn some on top over at a time until they lie in order, the largest at
    the bottom. All n! orders can be reached; the worst of 10 takes 11 turns.

    ## Action Space
    `Discrete(n - 1)`: "2", "3", ..., "n" turn over so many pancakes from the top. Every action is always legal.

    ## Observation Space
    | observation | space | meaning |
    |---|---|---|
    | `"one-hot"` (default) | `Box(0, 1, (n * n,), float32)` | the state, one-hot |
    | `"one-hot-uint8"` | `Box(0, 1, (n * n,), uint8)` | the same in a quarter of the memory |
    | `"state"` | `MultiDiscrete([n] * n)`, uint8 | place of each pancake, smallest first, 0 on top |

    ## Starting State
    By default k random moves from the solved state, k uniform in 1..2 * n, none of which undoes the one before; other
    distributions with `scramble`. `reset(options=...)` takes `{"scramble": "3 5 2"}`, `{"state": [...]}` or `{"depth":
    k}`.

    ## Rewards
    As in `Rubik3x3-v0`; `reward="potential"` works by name up to 11 pancakes.

    ## Episode End
    Terminated when the stack is in order. Truncated after 60 steps, unless `gym.make(..., max_episode_steps=...)` says
    otherwise.

    ## Information
    `action_mask`, `scramble_depth` (-1 if the start was not made by a walk), and with `exact=True` the true `distance`.

    ## Arguments
    | keyword | values | meaning |
    |---|---|---|
    | `n` | int, 2 to 100 (10) | pancakes |

    `scramble`, `k_max`, `reward`, `observation`, `goal`, `render_mode` as for the other puzzles, and
    `exact` (attach the table of true distances).

    ```python
    >>> import gymnasium as gym, rubiks_gym
    >>> env = gym.make("Pancake-v0", n=6, observation="state")
    >>> env.reset(seed=0, options={"scramble": "3"})[0]
    array([2, 1, 0, 3, 4, 5], dtype=uint8)

    ```

    ## Version History
    * v0: first version
    """

    def __init__(self, n: int = 10, **keywords: Any) -> None:
        super().__init__(Pancake(n), **keywords)


class PermutationEnv(PuzzleEnv):
    """Any permutation puzzle from a text file of its generators.

    ## Description
    The file says what each move does to the places that pieces are at. JSON: `{"generators": {"A": [1, 2, 0], "B":
    "(0,1)"}, "goal": ["x", "x", "y"]}`, places from 0 on, as lists or cycles; the goal, where labels may repeat, can be
    left out. GAP: `A := (1,2,3);` for each move, perhaps `Gen := [A, B];` and `ip := [[1,2],[3]];` for places that look
    alike, or `Group((1,2,3),(1,2));`. ksolve: `Set`, `Solved` and `Move` blocks. Inverse moves that are missing are
    added. Reading a file runs nothing of it.

    ## Action Space
    `Discrete`: one action for each move and each inverse. Every action is always legal.

    ## Observation Space
    | observation | space | meaning |
    |---|---|---|
    | `"one-hot"` (default) | `Box(0, 1, (S * width,), float32)` | the state, one-hot |
    | `"one-hot-uint8"` | `Box(0, 1, (S * width,), uint8)` | the same in a quarter of the memory |
    | `"state"` | `MultiDiscrete([values] * S)`, uint8 | place of each piece; or, if some look alike, label at each place |

    ## Starting State
    By default k random moves from the solved state, k uniform in 1..20 (or up to the file's `k_max`), none of which
    undoes the one before; other distributions with `scramble`. `reset(options=...)` takes `{"scramble": "A B'"}`,
    `{"state": [...]}` or `{"depth": k}`.

    ## Rewards
    As in `Rubik3x3-v0`; `reward="potential"` works by name where at most 50 million states are known.

    ## Episode End
    Terminated when solved. Truncated after 100 steps, unless `gym.make(..., max_episode_steps=...)` says
    otherwise.

    ## Information
    `action_mask`, `scramble_depth` (-1 if the start was not made by a walk), and with `exact=True` the true `distance`.

    ## Arguments
    | keyword | values | meaning |
    |---|---|---|
    | `file` | path | the file; one that comes along is rings.gap, two rings of four tokens |

    `scramble`, `k_max`, `reward`, `observation`, `goal`, `render_mode` as for the other puzzles, and
    `exact` (attach the table of true distances).

    ```python
    >>> import gymnasium as gym, rubiks_gym
    >>> env = gym.make("Permutation-v0", file="rings.gap", observation="state")
    >>> env.reset(seed=0, options={"scramble": "A"})[0]
    array([1, 2, 3, 0, 4, 5], dtype=uint8)

    ```

    ## Version History
    * v0: first version
    """

    def __init__(self, file: str = "rings.gap", **keywords: Any) -> None:
        super().__init__(Permutation(file), **keywords)


class TopSpinVectorEnv(PuzzleVectorEnv, VectorEnv):  # skrl looks at the direct bases
    """Many rings of TopSpin; see `TopSpinEnv` and `PuzzleVectorEnv`."""

    def __init__(self, n: int = 20, k: int = 4, **keywords: Any) -> None:
        super().__init__(TopSpin(n, k), **keywords)


class PancakeVectorEnv(PuzzleVectorEnv, VectorEnv):  # skrl looks at the direct bases
    """Many stacks of pancakes; see `PancakeEnv` and `PuzzleVectorEnv`."""

    def __init__(self, n: int = 10, **keywords: Any) -> None:
        super().__init__(Pancake(n), **keywords)


class PermutationVectorEnv(PuzzleVectorEnv, VectorEnv):  # skrl looks at the direct bases
    """Many copies of the puzzle of a file; see `PermutationEnv` and `PuzzleVectorEnv`."""

    def __init__(self, file: str = "rings.gap", **keywords: Any) -> None:
        super().__init__(Permutation(file), **keywords)
