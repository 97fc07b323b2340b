"""What rows of several papers say of the answers to a question, one per seed."""

from collections.abc import Callable

import numpy as np

from results import records
from results.questions import Answer
from results.statistics import share_text
from results.tables import expanded_text, shares


def lengths(found: list[Answer]) -> np.ndarray:
    """Of all solutions asked for [B], nan where there is none."""
    return records.unpack(*(a.record for a in found)).lengths


def solved(found: list[Answer]) -> str:
    """Share solved, median length, CPU seconds."""
    every = lengths(found)
    there = every[np.isfinite(every)]
    seconds = np.mean([a.record["each"]["cpu_seconds"] for a in found])
    median = f", median {np.median(there):g} moves" if len(there) else ""
    return f"{share_text(len(there), len(every))} of {len(every):,} solved{median}, {seconds:.2g} CPU s"


def share_solved(found: list[Answer]) -> str:
    """Share solved and mean length."""
    every = lengths(found)
    there = every[np.isfinite(every)]
    moves = f", {there.mean():.1f} moves" if len(there) else ""
    return f"{share_text(len(there), len(every))} of {len(every):,}{moves}"


def optimally(found: list[Answer]) -> str:
    """Share optimal, states expanded, CPU seconds."""
    _, length, distance = records.unpack(*(a.record for a in found))
    seconds = np.mean([a.record["each"]["cpu_seconds"] for a in found])
    optimal = share_text(int((length == distance).sum()), len(length))
    return f"{optimal} of {len(length):,}, {expanded_text(found[0])} expanded, {seconds:.2g} CPU s"


def mean_solved(found: list[Answer], most: int = 100) -> str:
    """Percent solved, mean over the numbers of twists up to `most`, seeds together."""
    seeds = f"{len(found)} seed{'s' * (len(found) > 1)}"
    by_twists = {p: 100 * k / n for p, (k, n) in shares(found).items() if p <= most}
    last = max(by_twists)
    return f"{np.mean(list(by_twists.values())):.1f}, at p = {last} {by_twists[last]:.1f} ({seeds})"


def by_turns(found: list[Answer]) -> str:
    """Percent solved by turns."""
    return " ".join(f"{100 * k / n:.0f}" for k, n in shares(found).values())


def trained(found: list[Answer]) -> str:
    """CPU minutes of training."""
    return f"{np.mean([a.record['training']['cpu_seconds'] for a in found]) / 60:.1f} CPU min"


def values(*names: str) -> Callable[[list[Answer]], str]:
    """A text of what was found, seeds apart."""

    def text(found: list[Answer]) -> str:
        each = [[a.record["found"][name] for name in names] for a in found]
        return "; ".join(", ".join(f"{v:.3g}" if isinstance(v, float) else str(v) for v in of) for of in each)

    return text
