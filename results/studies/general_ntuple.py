"""The n-tuple network for any puzzle: random states of each, with the truth where it is known, beside what others report."""

from functools import partial

from results.published import OTHER_PUZZLES
from results.questions import Question, Run, Search, Study, beam
from results.seeds import CURVE, short_runs
from results.states import korf, pressed, proven, slid, stacked, turned, uniform
from results.tables import Section

SMALL = ("pyraminx", "2x2x2", "skewb", "lights-out-5")  # random states, of most of which the truth is known
LARGE = ("35-puzzle", "lights-out-7", "top-spin")
RINGS = ("top-spin-11", "top-spin-14")  # how far all their states are is known
KORF = "Korf's hundred"
DEEP = ("5x5x5", "megaminx")  # how deep scrambles are solved by a beam alone
RUNS = [Run("15-puzzle", seed) for seed in range(3)] + [
    Run(preset) for preset in ("24-puzzle", *SMALL, "pancake-15", *LARGE, *RINGS, "48-puzzle", "4x4x4", *DEEP)
]
UNTRAINED = "4x4x4-untrained"  # what macros do without what was learnt
RUNS += [Run("4x4x4", 0, {"walk_batches": 0}, UNTRAINED)]
RUNS += [Run("3x3x3"), Run("3x3x3-htm")]  # and the trained tables, by the same search
RUNS += [Run("symmetric_ntuple:rubik3x3-qtm", name="hand-chosen"), Run("symmetric_ntuple:rubik3x3-htm", name="hand-chosen-htm")]
TAIL = {"beam 1,024, tail 13": beam(1024, inverse=True, tail=13)}
HTM_TAIL = {"beam 1,024, tail 11": beam(1024, inverse=True, tail=11)}


def macros(**options: int) -> Search:
    """A beam that macros complete, a minute for each state at most."""
    return Search("macro-beam", options, nodes=10**12, seconds=60)


NARROW = {"beam 2,048": beam(2048, 12), "beam 5,120": beam(5120, 12)}
QUESTIONS = [
    Question("15-puzzle", ("15-puzzle",), partial(slid, n=1000), NARROW),
    Question(KORF, ("15-puzzle",), partial(korf, n=100), NARROW, seeds=(0,)),
    Question("24-puzzle", ("24-puzzle",), partial(korf), {"beam 10,240": beam(10240, 12), "beam 102,400": beam(102400, 12)}),
    Question("small", SMALL, partial(uniform, n=200), {"beam 512": beam(512, 3), "beam 4,096": beam(4096, 3)}),
    Question("stacks", ("pancake-15",), partial(stacked, n=1000), {"beam 128": beam(128, 3), "beam 1,024": beam(1024, 3)}),
    Question("rings", RINGS, partial(uniform, n=1000), {"beam 256": beam(256, 3), "beam 2,048": beam(2048, 3)}),
    Question("large", LARGE, partial(uniform, n=50), {"beam 8,192": beam(8192, 4)}),
    # Of what is not solved a beam makes all its layers, which takes a quarter of a minute each.
    Question("large", ("48-puzzle",), partial(uniform, n=10), {"beam 8,192": beam(8192, 4, max_steps=600)}),
    Question("lights", ("lights-out-7",), partial(pressed, n=1000), {"beam 16": beam(16, 2)}),
    Question("3x3x3", ("3x3x3", "hand-chosen"), partial(proven, n=300), TAIL),
    Question("3x3x3", ("3x3x3-htm", "hand-chosen-htm"), partial(proven, n=300), HTM_TAIL),
    Question("deep", DEEP, partial(turned, most=40, n=8, every=4, first=12), {"beam 1,024": beam(1024, 3, max_steps=48)}),
    Question("random", ("4x4x4",), partial(uniform, n=100), {"macro-beam": macros(tries=3)}),
    Question("random", (UNTRAINED,), partial(uniform, n=20), {"macro-beam": macros(tries=3)}),
    Question("random", ("megaminx",), partial(uniform, n=20), {"macro-beam": macros(tries=2, max_steps=60)}),
    Question("random", ("5x5x5",), partial(uniform, n=10), {"macro-beam": macros(tries=1)}),
]
COLUMNS = "run, training, search, cubes, solved, mean length, optimal, nodes, CPU s"
RANDOM = " ".join(f"{preset}: {OTHER_PUZZLES[preset]}" for preset in ("4x4x4", "5x5x5"))
SECTIONS = [
    Section(
        "The 15-puzzle: 1,000 random states, shortest solutions proven",
        "15-puzzle",
        COLUMNS,
        beside=OTHER_PUZZLES,
    ),
    Section("The 15-puzzle: the hundred random states of Korf 1985", KORF, COLUMNS),
    Section(
        "The 24-puzzle: the fifty random states of Korf and Taylor 1996, shortest solutions proven by Korf and Felner 2002",
        "24-puzzle",
        COLUMNS,
        beside=OTHER_PUZZLES,
    ),
    Section("Small puzzles: 200 random states", "small", COLUMNS),
    Section("Stacks of 15 pancakes: 1,000 random ones, fewest turns proven", "stacks", COLUMNS),
    Section("TopSpin with 11 and 14 tokens: 1,000 random states", "rings", COLUMNS, beside=OTHER_PUZZLES),
    Section("Larger puzzles: random states", "large", COLUMNS, beside=OTHER_PUZZLES),
    Section("Lights Out 7x7: 1,000 random states, read as how often each lamp was pressed", "lights", COLUMNS),
    Section("The 3x3x3, beside tables chosen by hand: uniformly random cubes whose lengths are proven", "3x3x3", COLUMNS),
    *(Section(f"How deep scrambles are solved, {name}: percent by moves", "deep", runs=(name,), by="moves") for name in DEEP),
    Section("The 4x4x4, Megaminx and 5x5x5: random states", "random", COLUMNS, note=RANDOM),
]
FIVE = short_runs("2x2x2", 50, rounds=1000)
STUDY = Study("general_ntuple", RUNS + FIVE, [*QUESTIONS, CURVE], SECTIONS, ("walk_batches", "rounds"))
