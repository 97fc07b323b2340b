"""Settings of TD-n-tuple learning; presets of ours, and every agent of the report's appendix C by name.

The presets whose names end in -report are appendix C as printed, on the scrambles of the report's program: any quarter turn,
also one that undoes the twist before; half turns never of the same face twice in a row. gamma is 1 in all.

Ours differ in: the board, STICKER with tuples of four pieces on the 2x2x2 and CUBESTATE on the 3x3x3, not STICKER2; alpha 1,
not 0.25; traces (lambda 0.3) on the 2x2x2. Each solves more after as many episodes (README.md has the trials). The step cost c,
TC-Init and what the accumulators add up are those of the program behind the report's results (-0.04, 0.001, the TD error). The
3x3-qtm presets train on the report's scrambles, which they are measured on, the others on such as undo no twist, which taught
them more.
"""

from dataclasses import dataclass, replace

from agents.protocol import Preset
from rubiks_gym.checks import choice, flag, named, number, whole
from rubiks_gym.puzzles import LONGEST


@dataclass(frozen=True)
class TdNTupleConfig:
    """Settings of the network and of its training; letters in brackets are the report's."""

    episodes: int = 3_000_000
    """Training episodes (M)."""
    board: str = "sticker2"
    """How a state is shown to the tuples: cubestate, sticker or sticker2 (cubes), or plain (any puzzle)."""
    n_tuples: int = 60
    """Number of tuples drawn at random."""
    tuple_length: int = 7
    """Cells of each tuple drawn at random (n)."""
    tuple_mode: str = "random-walk"
    """How tuples are drawn: random-walk (over neighbouring cells) or random-points."""
    tuples: tuple[str, ...] = ()
    """Tuples given by hand, each as its cells, for example 0,1,8 2,3,10; no tuples are drawn then."""
    output: str = "identity"
    """Output function sigma: identity or tanh."""
    nsym: int = 0
    """Symmetric images of a state, itself included, in value and update: 0..24, or 48 with reflections (nSym)."""
    p_max: int = 16
    """Training scrambles have 1..p_max twists, each number equally likely (p_max)."""
    scramble_allow_undo: bool = False
    """Whether a twist of a training scramble may undo the one before it."""
    scramble_allow_same_face: bool = True
    """Whether a twist of a training scramble may turn the face of the one before it."""
    max_steps: int = 20
    """Moves after which a training episode is given up (E_train)."""
    step_cost: float = -0.04
    """Reward of each move, below 0 (c)."""
    reward: float = 1.0
    """Reward of reaching the goal (R_pos)."""
    alpha: float = 0.25
    """Learning rate; each weight moves by alpha / (tuples x images) of the TD error."""
    epsilon: float = 0.0
    """Probability of a random move during training; nothing is learnt from random moves."""
    play_allow_undo: bool = False
    """Whether a move of a training episode may undo the one before it."""
    tcl: str = "id"
    """Temporal coherence learning: off, id (alpha_i = |N_i| / A_i) or exp (e^(tc_beta (|N_i| / A_i - 1)))."""
    tc_init: float = 0.001
    """Initial value of the accumulators N_i and A_i (TC-Init)."""
    tc_beta: float = 2.7
    """Exponent beta of the learning rates of --config.tcl exp."""
    tc_accumulate: str = "delta"
    """What the accumulators N_i and A_i add up: delta, the TD error, or weight-change, the update before alpha_i is applied."""
    lam: float = 0.0
    """Decay of eligibility traces: a state k moves back learns from lam^k of the TD error (lambda)."""
    horizon_cut: float = 0.1
    """Eligibility traces are cut off where lam^k falls below this (c_h)."""
    trace_reset: bool = False
    """Whether a random move resets the eligibility traces (the report's RESET; without it ET)."""
    log_every: int = 1000
    """Episodes between two lines of metrics.jsonl."""

    def __post_init__(self) -> None:
        whole(1, **named(self, "episodes", "tuple_length"))
        whole(1, 10_000, n_tuples=self.n_tuples)
        whole(1, LONGEST, **named(self, "p_max", "max_steps", "log_every"))  # Ctrl-C is listened to where metrics are logged
        whole(0, nsym=self.nsym)
        flag(**named(self, "scramble_allow_undo", "scramble_allow_same_face", "play_allow_undo", "trace_reset"))
        number(below=0, step_cost=self.step_cost)  # cost-to-go is counted in it
        number(above=0, reward=self.reward)  # untrained states are worth 0
        number(above=0, most=1, **named(self, "alpha", "tc_init", "horizon_cut"))
        number(least=0, most=1, **named(self, "epsilon", "lam"))
        number(tc_beta=self.tc_beta)
        choice(("identity", "tanh"), output=self.output)
        choice(("off", "id", "exp"), tcl=self.tcl)
        choice(("delta", "weight-change"), tc_accumulate=self.tc_accumulate)
        if self.output == "tanh" and self.reward + self.step_cost > 1:
            raise ValueError(
                f"tanh stays below 1, so reward + step_cost may not be above it, got {self.reward + self.step_cost}"
            )


_2X2 = TdNTupleConfig(alpha=1.0, lam=0.3, board="sticker", tuple_length=4)
_3X3 = TdNTupleConfig(alpha=1.0, n_tuples=120, board="cubestate")
_3X3_QTM = replace(_3X3, p_max=13, max_steps=16, scramble_allow_undo=True)
_HANOI = TdNTupleConfig(board="plain", n_tuples=10, tuple_length=5, episodes=100_000, p_max=31, max_steps=60)

# Appendix C; "rec-weight-change accumulation" is of weight changes.
_REPORT = TdNTupleConfig(step_cost=-0.1, tc_init=1e-4, tc_accumulate="weight-change")
_REPORT_QTM, _REPORT_HTM = replace(_REPORT, scramble_allow_undo=True), replace(_REPORT, scramble_allow_same_face=False)

PRESETS: dict[str, Preset] = {
    "2x2-htm": Preset("rubik2x2-htm", replace(_2X2, p_max=13, max_steps=16), "the 2x2x2 in half and quarter turns"),
    "2x2-qtm": Preset("rubik2x2-qtm", replace(_2X2, p_max=16, max_steps=20), "the 2x2x2 in quarter turns"),
    "3x3-htm": Preset(
        "rubik3x3-htm", replace(_3X3, p_max=9, max_steps=13), "the 3x3x3 in half and quarter turns, up to 9 twists"
    ),
    "3x3-qtm": Preset("rubik3x3-qtm", _3X3_QTM, "the 3x3x3 in quarter turns, up to 13 twists"),
    "3x3-qtm-nsym8": Preset("rubik3x3-qtm", replace(_3X3_QTM, nsym=8), "3x3-qtm with 8 symmetric images"),
    "3x3-qtm-nsym16": Preset("rubik3x3-qtm", replace(_3X3_QTM, nsym=16), "3x3-qtm with 16 symmetric images"),
    "3x3-qtm-nsym24": Preset("rubik3x3-qtm", replace(_3X3_QTM, nsym=24), "3x3-qtm with all 24 rotations"),
    "3x3-qtm-nsym48": Preset("rubik3x3-qtm", replace(_3X3_QTM, nsym=48), "3x3-qtm with rotations and reflections (ours)"),
    "2x2-htm-report": Preset("rubik2x2-htm", replace(_REPORT_HTM, p_max=13, max_steps=16), "2x2-htm as the report prints it"),
    "2x2-qtm-report": Preset("rubik2x2-qtm", replace(_REPORT_QTM, p_max=16, max_steps=20), "2x2-qtm as the report prints it"),
    "3x3-htm-report": Preset(
        "rubik3x3-htm", replace(_REPORT_HTM, n_tuples=120, p_max=9, max_steps=13), "3x3-htm as the report prints it"
    ),
    "3x3-qtm-report": Preset(
        "rubik3x3-qtm", replace(_REPORT_QTM, n_tuples=120, p_max=13, max_steps=16), "3x3-qtm as the report prints it"
    ),
    "hanoi": Preset("hanoi-5-3", _HANOI, "a tower of five disks (ours)"),
}
