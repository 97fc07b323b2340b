"""What large numbers of states cost, from the rates in the records: the tables of docs/scale.md.

Prices and the network are assumptions, stated on the page; everything else is measured. Reckoned is with whole cores at the
measured rate of one, which a campaign or a table that is shared out comes near to, and one large training run does not.
"""

from pathlib import Path
from typing import Any, NamedTuple

from results import records
from results.tables import table

PAGE = "docs/scale.md"
NUMBERS = (9, 10, 12)  # powers of ten
CORE_HOUR, GB_HOUR = 0.04, 0.005  # dollars: about what clouds ask for a core and for a gigabyte of memory without a contract
CORES, LINE = 64, 1.25e9  # of a machine: cores, and bytes per second that it can send (10 Gbit/s)
WIDTHS = {"2^18": 2**18, "10^9": 10**9}
MACHINES = (2, 16, 100)
STATE, HISTORY, CHILD = 20, 6, 50  # bytes of the 3x3x3's beam: a state, a state's parent and action, a child of the last layer
LAYERS, MADE = 25, 3  # of a beam: layers at most, and children made per state kept (partial expansion)


class Rates(NamedTuple):
    """Per second of one core."""

    near: float  # states of an exact table that the cache nearly holds
    far: float  # and of one it does not
    tables: float  # states that the trained tables evaluate
    network: float  # and a network
    training: float  # states that DAVI trains on
    beam: float  # nodes of a beam with the trained tables, all told


def newest(folder: Path, benchmark: str) -> dict[str, Any] | None:
    """The newest record of a benchmark that documents may show."""
    found = [r for r in records.read(folder / "speed.jsonl") if r["benchmark"] == benchmark and records.usable(r)]
    return found[-1] if found else None


def rates(folder: Path) -> Rates | None:
    """The measured ones, None if some are missing."""
    scale, beams = newest(folder, "scale"), newest(folder, "symmetric_ntuple")
    if scale is None or beams is None:
        return None
    near, far, tables, network, training = (row["states per second"] for row in scale["rows"])
    return Rates(near, far, tables, network, training, beams["rows"][-1]["nodes/s"])


def cost(folder: Path) -> str:
    """Time, memory and money for each number of states."""
    per = rates(folder)
    if per is None:
        return "Not measured yet: `python -m benchmarks.scale` and `python -m benchmarks.symmetric_ntuple` do."
    rows = []
    for power in NUMBERS:
        n = 10.0**power
        for work, rate, gigabytes in (
            ("exact table, at the rate of the small one", per.near, n / 1e9),
            ("exact table, at the rate of the large one", per.far, n / 1e9),
            ("beam with the trained tables, nodes", per.beam, None),
            ("a network asked for their cost-to-go", per.network, None),
            ("DAVI trained on them", per.training, None),
        ):
            hours = n / rate / 3600
            wall = hours / CORES
            dollars = hours * CORE_HOUR + (gigabytes or 0) * GB_HOUR * wall
            memory = "" if gigabytes is None else f"{gigabytes:,.0f} GB"
            rows.append([f"10^{power}", work, amount(hours), span(wall), memory, f"${amount(dollars)}"])
    headings = ["states", "work", "core hours", f"on {CORES} cores", "memory", "money"]
    return table(headings, rows)


def bends(folder: Path) -> str:
    """Where a beam over machines waits for the network, and what it holds."""
    per = rates(folder)
    if per is None:
        return "Not measured yet: `python -m benchmarks.scale` and `python -m benchmarks.symmetric_ntuple` do."
    rows = []
    for name, width in WIDTHS.items():
        for machines in MACHINES:
            made, away = width * MADE, 1 - 1 / machines
            children = made * away * (STATE + 4)
            chosen = (machines - 1) * min(machines * width, made) * 8  # no process has more than its share of the children
            line = machines * LINE
            cells = [name, str(machines), size(children), size(chosen)]
            cells += [span(made / per.beam / CORES / machines / 3600), span(made / per.network / CORES / machines / 3600)]
            cells += [span(children / line / 3600), span(chosen / line / 3600)]
            held = (made * CHILD + width * HISTORY * LAYERS) / machines
            rows.append([*cells, size(held)])
    headings = ["W", "machines", "children sent", "costs sent", "work, tables", "work, network", "children on the line"]
    cores = LINE / (per.beam * (STATE + 4))
    told = (
        f"Per layer, {CORES} cores and a line of 10 Gbit/s to a machine. With the trained tables {cores:.0f} cores fill such a "
        f"line, whatever the width and however many machines; with the network {LINE / (per.network * (STATE + 4)):,.0f} do."
    )
    return f"{table([*headings, 'costs on the line', 'memory of a machine'], rows)}\n\n{told}"


def amount(value: float) -> str:
    """A number with two digits or all before the point."""
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def span(hours: float) -> str:
    """A time with the unit that suits it."""
    for unit, in_hours in (("years", 8766), ("days", 24), ("h", 1), ("min", 1 / 60), ("s", 1 / 3600)):
        if hours >= in_hours:
            return f"{amount(hours / in_hours)} {unit}"
    return f"{amount(hours * 3.6e6)} ms"


def size(count: float) -> str:
    """Bytes with the unit that suits them."""
    for unit, scale in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if count >= scale:
            return f"{amount(count / scale)} {unit}"
    return f"{amount(count / 1e3)} kB"
