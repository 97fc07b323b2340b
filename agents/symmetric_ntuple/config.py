"""Settings of the solver of any cube, and its presets."""

from dataclasses import dataclass, replace

from agents.protocol import Preset
from rubiks_gym.ntuple.network import Cubies


@dataclass(frozen=True)
class SymmetricNTupleConfig:
    """What is learnt from what; letters in brackets are those of learner.py."""

    tables: tuple[str, ...] = ("0,8,9,12,13", "1,0,2,8,9", "0,1,8,12,13")
    """Five neighbouring cubies of each table, 0..7 corners, 8..19 edges."""
    bias: float = 12.0
    """F of an untrained network."""
    walk_length: int = 24
    """Moves of a walk (K)."""
    walks: int = 4096
    """Walks of a lot, after which figures are logged."""
    lots: int = 60
    """Lots of walks before the upward updates."""
    alpha: float = 0.8
    """Step of the regression at first."""
    alpha_end: float = 0.02
    """And in the end; it falls by the same factor from lot to lot."""
    bend: float = 17.0
    """Above this number of moves walks only say "far" (c)."""
    softness: float = 1.5
    """How gradually (T)."""
    rounds: int = 80
    """Rounds of upward updates."""
    episodes: int = 64
    """Beams of a round."""
    width: int = 256
    """Their width."""
    max_steps: int = 40
    """Layers after which a beam gives up."""
    step: float = 1.0
    """Step of the upward updates at first."""
    step_end: float = 0.1
    """And in the end."""
    most: float = 2.0
    """No update asks for more than this."""
    mix: int = 4
    """Lots of walks after each round."""
    alpha_mix: float = 0.1
    """Step of the regression then, times that of the upward updates: they pull against each other, and must fall together."""
    radius: int = 5
    """Of the perimeter around the goal in which distances are exact."""

    def __post_init__(self) -> None:
        for name in ("walk_length", "walks", "episodes", "width", "max_steps"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, got {getattr(self, name)}")
        for name in ("lots", "rounds", "mix", "radius"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} must be at least 0, got {getattr(self, name)}")
        for name in ("alpha", "alpha_end", "alpha_mix", "step", "step_end"):
            if not 0 < getattr(self, name) <= 1:
                raise ValueError(f"{name} must be above 0 and at most 1, got {getattr(self, name)}")
        for name in ("softness", "most"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be above 0, got {getattr(self, name)}")
        if not self.tables:
            raise ValueError("tables must name at least one table, for example 0,1,8,12,13")
        self.cubies()

    def cubies(self) -> tuple[Cubies, ...]:
        """The tables as numbers."""
        try:
            return tuple(tuple(int(cubie) for cubie in table.split(",")) for table in self.tables)
        except ValueError:
            raise ValueError(f"cannot read the tables {' '.join(self.tables)}: write for example 0,1,8,12,13") from None

    def alpha_of(self, lot: int) -> float:
        """The step of lot 0..lots - 1."""
        return self.alpha * (self.alpha_end / self.alpha) ** (lot / max(1, self.lots - 1))

    def step_of(self, round: int) -> float:
        """The step of round 0..rounds - 1."""
        return self.step * (self.step_end / self.step) ** (round / max(1, self.rounds - 1))


_QTM = SymmetricNTupleConfig()
# A random cube is about 20.6 quarter turns from the goal, or 17.7 half or quarter turns; walk length and bend follow that.
_HTM = replace(_QTM, bias=10.0, walk_length=18, bend=13.0, softness=1.0)

PRESETS: dict[str, Preset] = {
    "qtm": Preset("rubik3x3-qtm", _QTM, "the 3x3x3 in quarter turns"),
    "htm": Preset("rubik3x3-htm", _HTM, "the 3x3x3 in half and quarter turns"),
    "demo": Preset("rubik3x3-qtm", replace(_QTM, rounds=20), "qtm with a quarter of the rounds, for examples/demo.py"),
}
