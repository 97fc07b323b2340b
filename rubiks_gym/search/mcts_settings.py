"""The settings of `mcts`, and those of the papers as presets."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from rubiks_gym.checks import choice, flag, named, number, whole


@dataclass(frozen=True)
class Settings:
    """The settings of the search, keywords of `mcts`. Letters in brackets are those of the papers."""

    score: str = "puct"
    """Which formula picks an action: "puct" or "uct"."""
    c: float = 1.0
    """Weight of exploration (c, c_PUCT)."""
    first_q: float | str = "value"
    """Q of an action never tried: a number, or "value" for that of its state, which then counts as one visit (Q_0)."""
    backup: str = "mean"
    """Q is the "mean" or the "max" of the values that came by; the maximum starts at first_q (as W starts at 0)."""
    leaf: str = "state"
    """A leaf is worth V(s) ("state"), its best child's c_step + V(s') ("children"), or what a roll-out earns ("rollout")."""
    reward: float = 1.0
    """The value of the goal (R, R_pos)."""
    step_cost: float = -0.1
    """The value of a move, below 0 (the c of Konen's rewards, DeepCube's -1): V(s) = reward + step_cost * cost_to_go(s)."""
    charge_steps: bool = False
    """Add step_cost for every move up the tree, so that Q is worth the whole way from its state to the goal."""
    temperature: float = 1.0
    """Without a policy, priors are softmax(-cost_to_go(s') / temperature) over the children s'; in moves."""
    rollout_length: int = 20
    """Most moves of a roll-out. One that does not reach the goal earns its moves' step_cost only."""
    leaves: int = 1
    """Walks per tree and round, 1..255: the batch is that many times the number of trees (DeepCube's workers)."""
    virtual_loss: float = 1.0
    """What a walk under way takes off the score of its actions (nu)."""
    iterations_per_move: int | None = None
    """Play a move after so many iterations (I); None plays none and goes on with one tree."""
    max_moves: int = 100
    """Give up after so many moves played (E_eval)."""
    play: str = "visits"
    """Play the action with most "visits" or with the highest "value" Q."""
    depth_limit: int | None = None
    """No node is deeper than this below the root (d_max); None: no limit."""
    too_deep: float = -1.0
    """The value of a walk that would lead deeper than depth_limit."""
    stop_in_tree: bool = True
    """A start is solved as soon as a solved state enters its tree, else only when one has been played."""
    allow_undo: bool = False
    """Whether the tree may take back the move that led to a state; if not, it does so in dead ends only."""
    shorten: bool = True
    """Shorten by a breadth-first search over the states of the tree, and over those of the moves played."""
    remember: int = 0
    """Answers of cost_to_go that are kept, at S + 4 bytes each, see `Remembered` (0: none)."""

    def __post_init__(self) -> None:
        choice(("puct", "uct"), score=self.score)
        choice(("mean", "max"), backup=self.backup)
        choice(("state", "children", "rollout"), leaf=self.leaf)
        choice(("visits", "value"), play=self.play)
        number(**named(self, "reward", "too_deep"), **({} if self.first_q == "value" else named(self, "first_q")))
        number(least=0, **named(self, "c", "virtual_loss"))
        number(below=0, step_cost=self.step_cost)  # with free moves no state is better than another
        number(above=0, temperature=self.temperature)
        whole(1, 255, leaves=self.leaves)  # walks under way are counted in a byte
        whole(1, **named(self, "rollout_length", "max_moves"))
        whole(1, **{k: v for k, v in named(self, "iterations_per_move", "depth_limit").items() if v is not None})
        whole(0, remember=self.remember)
        flag(**named(self, "charge_steps", "stop_in_tree", "allow_undo", "shorten"))
        if self.iterations_per_move is None and not self.stop_in_tree:
            raise ValueError("a search that plays no moves must have stop_in_tree=True, or it never ends; "
                             "or give iterations_per_move")  # fmt: skip

    def numbers(self) -> "Numbers":
        """The settings as the kernels take them."""
        return Numbers(
            uct=self.score == "uct",
            c=float(self.c),
            first_visits=float(self.first_q == "value"),
            virtual_loss=float(self.virtual_loss),
            depth_limit=self.depth_limit or 2**31 - 1,
            too_deep=float(self.too_deep),
            max_backup=self.backup == "max",
            charge=float(self.step_cost) if self.charge_steps else 0.0,
            play_value=self.play == "value",
        )


class Numbers(NamedTuple):
    """What the kernels know of the settings."""

    uct: bool  # else puct
    c: float
    first_visits: float  # how many visits Q_0 counts as
    virtual_loss: float
    depth_limit: int
    too_deep: float
    max_backup: bool  # else the mean
    charge: float  # added to a value with every move up the tree
    play_value: bool  # play the action with the highest Q, else the one with most visits


# Konen 2023, section 5.2.2: c_PUCT = 1, d_max = 50, E_eval = 50, I = 100 (or 800), R_pos = 1. The softmax is over values,
# reward + step_cost * cost, which is a temperature of 1 / |c| moves. The program behind the report's figures had c = -0.04 and
# so 25 moves, and never took back the move before; the report prints c = -0.1, which is 10 moves.
KONEN: dict[str, Any] = {
    "score": "puct", "c": 1.0, "first_q": 0.0, "backup": "mean", "charge_steps": False, "leaf": "children",
    "reward": 1.0, "step_cost": -0.04, "temperature": 25.0, "depth_limit": 50, "too_deep": -1.0,
    "leaves": 1, "virtual_loss": 0.0, "iterations_per_move": 100, "max_moves": 50, "play": "visits",
    "stop_in_tree": False, "allow_undo": False, "shorten": False,
}  # fmt: skip

# McAleer et al. 2018, section 4.2, to the letter: rewards are +1 for the move that solves and -1 for every other, V = 2 - cost.
# W starts at 0, and V is negative for every state more than two moves from the goal, so that W <- max(W, V) stays 0 there: the
# values are never seen, and P guides alone. c and nu are not in the report; 4 and 150 are in common use.
LITERAL: dict[str, Any] = {
    "score": "puct", "c": 4.0, "first_q": 0.0, "backup": "max", "charge_steps": False, "leaf": "state",
    "reward": 2.0, "step_cost": -1.0, "temperature": 1.0, "depth_limit": None,
    "leaves": 8, "virtual_loss": 150.0, "iterations_per_move": None,
    "stop_in_tree": True, "allow_undo": True, "shorten": True,
}  # fmt: skip

# The same search with values: W of an action never tried is the value of its state. Then W is the best value below an action
# as soon as that is above the state's own. Exploration has to weigh against values that differ by several moves: c = 10 solves
# as many cubes as 4, in shorter solutions; the better the values, the more of it pays (30 with the trained tables).
DEEPCUBE = LITERAL | {"first_q": "value", "c": 10.0, "allow_undo": False}

# Bowman et al. 2018, section 3.2: DeepCube's rewards, earned move by move; Q_0 is the network's value; lambda = 1; c = 4. The
# report does not say how many iterations a move gets, nor how long roll-outs are.
BETACUBE_VANILLA: dict[str, Any] = {
    "score": "uct", "c": 4.0, "first_q": "value", "backup": "mean", "charge_steps": True, "leaf": "rollout",
    "rollout_length": 20, "reward": 2.0, "step_cost": -1.0, "temperature": 1.0, "depth_limit": None,
    "leaves": 1, "virtual_loss": 0.0, "iterations_per_move": 100, "max_moves": 50, "play": "value",
    "stop_in_tree": False, "allow_undo": True, "shorten": False,
}  # fmt: skip

PRESETS: dict[str, dict[str, Any]] = {
    "konen": KONEN,
    "deepcube": DEEPCUBE,
    "deepcube-literal": LITERAL,
    "deepcube-naive": DEEPCUBE | {"shorten": False},  # McAleer et al. 2018, section 5: the first path found
    "betacube-vanilla": BETACUBE_VANILLA,
    # Bowman et al. 2018, section 3.2: DeepCube's to the letter, W from 0, with a single worker and the first path found
    "betacube-full": LITERAL | {"shorten": False, "leaves": 1, "virtual_loss": 0.0},
}
