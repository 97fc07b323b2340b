"""The trained n-tuple network as an agent: its value in moves."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from agents.td_ntuple.boards import make_board
from agents.td_ntuple.config import TdNTupleConfig
from agents.td_ntuple.network import choose_symmetries, make_net, values
from agents.td_ntuple.tuples import check_tuples, make_tuples, read_tuples, table_sizes
from rubiks_gym.puzzles import Puzzle
from rubiks_gym.puzzles.threads import over_rows
from rubiks_gym.search.heuristic import lookahead_policy


class TdNTuple:
    """An n-tuple network on a board of a puzzle; j(s) = reward + step_cost * moves is what it learns.

    Args:
        puzzle: any; learning needs a permutation puzzle whose pieces all differ, or Hanoi.
        board: cubestate, sticker, sticker2 or plain.
        tuples: the cells of each tuple.
        symmetries: numbers of the symmetric images (`puzzle.symmetries`) that V adds up, 0 (the state itself) first.
        step_cost: what a move earns (c).
        reward: what the goal earns (R_pos).
        output: identity or tanh.
        weights: all look-up tables [W] float32 (default: zeros).
    """

    looks_ahead = True

    def __init__(
        self,
        puzzle: Puzzle,
        board: str,
        tuples: Iterable[Iterable[int]],
        symmetries: Iterable[int] = (0,),
        step_cost: float = -0.04,
        reward: float = 1.0,
        output: str = "identity",
        weights: np.ndarray | None = None,
    ) -> None:
        self.puzzle, self.board = puzzle, make_board(puzzle, board)
        self.tuples = check_tuples(self.board, tuples)
        self.symmetries = tuple(int(m) for m in symmetries)
        if self.symmetries[:1] != (0,) or len(set(self.symmetries)) < len(self.symmetries) or max(self.symmetries) > 47:
            raise ValueError(f"symmetries must be different numbers 0..47, 0 first, got {self.symmetries}")
        self.step_cost, self.reward, self.output = float(step_cost), float(reward), output
        self.net = make_net(puzzle, self.board, self.tuples, self.symmetries, output, weights)

    @property
    def own_options(self) -> dict[str, dict[str, Any]]:
        """The report's search with the rewards that were learnt; its softmax is over values: 1 / |step_cost| moves."""
        return {"mcts-konen": {"reward": self.reward, "step_cost": self.step_cost, "temperature": 1 / abs(self.step_cost)}}

    @classmethod
    def from_config(cls, puzzle: Puzzle, config: TdNTupleConfig, seed: int) -> "TdNTuple":
        """An untrained agent; tuples and symmetries are drawn from the seed."""
        rng = np.random.default_rng([seed, 0])
        board = make_board(puzzle, config.board)
        tuples = read_tuples(config.tuples)
        if not tuples:
            tuples = make_tuples(board, config.n_tuples, config.tuple_length, config.tuple_mode, rng)
        symmetries = choose_symmetries(puzzle, config.nsym, rng)
        return cls(puzzle, config.board, tuples, symmetries, config.step_cost, config.reward, config.output)

    def value(self, states: np.ndarray) -> np.ndarray:
        """V of states [B, S], [B] float32, as the network gives it (it knows nothing of the goal)."""
        states = self.puzzle.as_states(states)
        out = np.empty(len(states), np.float32)
        if self.board.name == "cubestate":  # two pieces in one place would add up to colours beyond the tables
            self.puzzle.check(states)
        if not over_rows(values, (self.net,), (states, out)):
            self.puzzle.check(states)
        return out

    def cost_to_go(self, states: np.ndarray) -> np.ndarray:
        """Estimated moves to the goal [B] float32: the moves for which reward + step_cost * moves is V; 0 at the goal."""
        moves = (self.value(states) - np.float32(self.reward)) / np.float32(self.step_cost)
        moves[self.puzzle.is_solved(states)] = 0
        return moves

    def policy(self, states: np.ndarray) -> np.ndarray:
        return lookahead_policy(self.puzzle, self.cost_to_go, states)

    def arrays(self) -> dict[str, np.ndarray]:
        """The weights that are not 0, and one bit per weight that says which they are."""
        return pack("weights", self.net.weights, self.net.weights != 0)

    def settings(self) -> dict[str, Any]:
        return {
            "board": self.board.name,
            "tuples": [list(cells) for cells in self.tuples],
            "symmetries": list(self.symmetries),
            "step_cost": self.step_cost,
            "reward": self.reward,
            "output": self.output,
        }

    @classmethod
    def from_stored(cls, puzzle: Puzzle, settings: dict[str, Any], arrays: dict[str, np.ndarray]) -> "TdNTuple":
        board = make_board(puzzle, settings["board"])  # what is stored is compared with what is asked for before that is made
        marked("weights", arrays, int(table_sizes(board, check_tuples(board, settings["tuples"])).sum()))
        agent = cls(puzzle, **settings)
        unpack("weights", arrays, agent.net.weights)
        return agent


def pack(name: str, array: np.ndarray, touched: np.ndarray) -> dict[str, np.ndarray]:
    """The touched [W] rows of an array [W, ...], and which they are."""
    return {f"{name}_touched": np.packbits(touched), f"{name}_values": array[touched]}


def marked(name: str, arrays: dict[str, np.ndarray], n: int) -> tuple[np.ndarray, np.ndarray]:
    """Which of n rows were touched [n] bool, and what is stored of them."""
    try:
        bits, stored = arrays[f"{name}_touched"], arrays[f"{name}_values"]
    except KeyError as error:
        raise ValueError(f"the stored arrays lack {error}") from None
    if bits.dtype != np.uint8 or bits.shape != (-(-n // 8),):
        raise ValueError(f"the stored {name} are those of another network: {bits.dtype} {bits.shape} for {n} rows")
    return np.unpackbits(bits, count=n).astype(bool), stored


def unpack(name: str, arrays: dict[str, np.ndarray], out: np.ndarray) -> None:
    """Write the packed rows back into an array [W, ...] that holds what untouched rows hold."""
    touched, stored = marked(name, arrays, len(out))
    if stored.shape != (touched.sum(), *out.shape[1:]):
        raise ValueError(f"the stored {name} do not fit: {touched.sum()} rows are marked, {stored.shape} are there")
    out[touched] = stored
