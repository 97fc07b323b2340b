"""BetaCube (Bowman, Guo, Jones 2018), row by row."""

import numpy as np

from results.papers.rows import Asked, Row, each
from results.papers.texts import by_turns, mean_solved, trained, values
from results.questions import Answer
from results.studies.adi import BETACUBES, CS, MODELS, SHORT, SHORT_FIXED, seen
from results.tables import shares


def by_turns_and_seen(found: list[Answer]) -> str:
    """Percent solved by turns, and how far the run was trained."""
    return f"{by_turns(found)} (trained on {seen(found[0].run):,} cubes)"


def means(*found: list[Answer]) -> str:
    """Mean percent solved over 1 to 7 turns, by search."""
    return ", ".join(f"{np.mean([100 * k / n for k, n in shares(of).values()]):.1f}" for of in found)


def trained_and_seen(found: list[Answer]) -> str:
    """CPU minutes of training, and how far it went."""
    return f"{trained(found)} for {seen(found[0].run):,} cubes"


_MEASURE = "python -m results --measure adi --only"


def _figure_3() -> list[Row]:
    """Of BetaCube: percent solved after 1 to 7 turns, by model and solver."""
    rows = []
    for number, model in enumerate(MODELS, 1):
        for label in BETACUBES:
            ours = each(by_turns_and_seen, (SHORT[model], SHORT_FIXED[model]), Asked("adi", "figure 3", "", label))
            vanilla = "100 up to 4 turns, 75 at 5" if number == 2 else "0 from 1 turn on"
            what = f"model {number}, {label}: percent of 50 cubes solved after 1, 2, ... 7 turns"
            theirs = vanilla if label == "vanilla MCTS" else "a curve"
            rows.append(Row("fig. 3", what, theirs, ours, f"{_MEASURE} {model} short '{label}'"))
    return rows


ROWS = [
    Row("1.1", "2x2x2 with 14 as God's number; one-hot 8 x 24", "", "built, one corner held: 7 x 21",
        "tests/test_exact.py"),
    Row("3.1, fig. 1, alg. 1", "autodidactic iteration, as DeepCube's without weights", "", "built",
        "agents/adi/learner.py"),
    Row("fig. 2, table 1", "DeepCube's network at full, half and quarter size", "", "built", "agents/adi/network.py"),
    Row("table 1", "four models", "", f"presets {', '.join(MODELS)}", "agents/adi/config.py"),
    Row("3.1, 3.2", "learning rate 0.0005; U, W, N, L and P of the search", "", "built: config.py, mcts-betacube-full",
        "rubiks_gym/search/mcts_settings.py"),
    Row("3.2", "Greedy: the most probable move", "", "built: greedy-policy", "rubiks_gym/search/greedy.py"),
    Row("3.2", "Vanilla MCTS", "", "built: mcts-betacube-vanilla; roll-outs draw from the policy itself",
        "rubiks_gym/search/mcts_settings.py"),
    Row("3.2, 5.3", "the budget of a search", "a minute", "figure 3: 1,000 states (full), 5,000 (vanilla)",
        "results/studies/adi.py"),
    Row("3.2", "Full MCTS", "", "built: mcts-betacube-full", "rubiks_gym/search/mcts_settings.py"),
    *_figure_3(),
    Row("4", "which model is best: mean percent over 1 to 7 turns, policy, full and vanilla MCTS",
        "model 2; 3 and 4 do poorly whatever the solver, all but 2 drop steeply at one turn",
        each(means, SHORT.values(), *(Asked("adi", "figure 3", "", label) for label in BETACUBES)),
        f"{_MEASURE} betacube 'figure 3'",
        "The smallest here, since it sees most cubes in as many minutes; none drops at one turn."),
    Row(
        "4, abstract", "best of all: percent solved after 1 to 14 turns, of which none undoes the one before",
        "100 up to 4 turns, 75 at 5 (model 2, Vanilla MCTS)",
        each(by_turns, ("2x2",), Asked("adi", "turns", "", "policy")), f"{_MEASURE} 2x2-s0 turns policy",
    ),
    Row("3.1", "training", "model 1: 4 million cubes (5.2 and table 1: 2 million), 36 h",
        each(trained, ("2x2",), Asked("adi", "truth", "")),
        f"{_MEASURE} 2x2-s0 truth"),
    Row("3.1", "training of its models here", "2 million, 2 million, 5 million, 3 million cubes",
        each(trained_and_seen, SHORT.values(), Asked("adi", "figure 3", "", "policy")),
        f"{_MEASURE} betacube 'figure 3' policy"),
    Row("4", "Full MCTS is no better than Greedy", "level, once worse",
        each(by_turns, ("2x2",), Asked("adi", "turns", "", "full MCTS")), f"{_MEASURE} 2x2-s0 turns 'full MCTS'",
        "With a network as good as this one it cannot be told; its four models solve more by it than by the policy alone."),
    Row("fig. 4", "a cube five turns away, hard by hand", "solved", "all of 50 by the preset 2x2: above",
        "agents/adi/README.md"),
    Row("5.1", "smaller networks (N-2000: an eighth): share of states that the policy solves, mean error",
        "open: full-sized may overfit, a quarter may be too small",
        each(values("policy_solves", "mean_absolute_error"), ("N-2000", "size-quarter"), Asked("adi", "truth", "")),
        f"{_MEASURE} size- truth"),
    Row("5.2", "N against M at as many cubes (an eighth of the width): the same", "open",
        each(values("policy_solves", "mean_absolute_error"), ("N-100", "N-500", "N-2000", "N-8000"), Asked("adi", "truth", "")),
        f"{_MEASURE} N- truth"),
    *(
        Row("5.3", f"c = 1, 4, 16, {name}: mean percent solved after 1 to 14 turns", "open, 4",
            each(lambda *found: ", ".join(map(mean_solved, found)), ("2x2-fixed-goal",),
                 *(Asked("adi", "other c", "", f"{name}, c = {c}") for c in CS)),
            f"{_MEASURE} 'other c' '{name}'", why)
        for name, why in (
            ("full MCTS", "All the same: W stays 0 where values are below it, so exploration weighs against nothing."),
            ("vanilla MCTS", ""),
        )
    ),
    Row("5.3", "more than a minute for the search; several threads", "future work", "any budget; trees in batches",
        "rubiks_gym/search/mcts.py"),
]  # fmt: skip
