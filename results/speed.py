"""Tables of speed, from the records that the programs in benchmarks/ make."""

from pathlib import Path
from typing import Any

from results import records
from results.tables import table

PLACES = {  # benchmark -> where its table stands
    "speed": "README.md#speed",
    "search": "rubiks_gym/search/README.md#search",
    "symmetric_ntuple": "agents/symmetric_ntuple/README.md#speed",
    "td_ntuple": "agents/td_ntuple/README.md#speed",
    "davi": "agents/davi/README.md#speed",
    "ppo_chasenet": "agents/ppo_chasenet/README.md#speed",
}


def cell(value: Any) -> str:
    """A figure for the eye: 57.8M, 43.4k, 3.21; a range as 3 to 4."""
    if isinstance(value, list | tuple):
        return " to ".join(map(cell, value))
    if not isinstance(value, int | float):
        return value or ""
    for scale, letter in ((1e6, "M"), (1e4, "k")):
        if abs(value) >= scale:
            return f"{value / (1e3 if letter == 'k' else scale):.3g}{letter}"
    return f"{value:.4g}" if value >= 1000 else f"{value:.3g}"


def text(folder: Path, name: str) -> str:
    """The table of a benchmark's newest record that was measured from a commit."""
    found = [r for r in records.read(folder / "speed.jsonl") if r["benchmark"] == name and records.usable(r)]
    if not found:
        return f"Not measured yet: `python -m benchmarks.{name}` does."
    record = found[-1]
    headings = [key for key in record["rows"][0] if key != "required"]
    load = f", load before {record['load']:.1f}" if record["load"] is not None else ""
    made = f"`{record['command']}`, {record['date'][:10]}, commit {record['commit'][:10]}, {record['machine']['processor']}"
    notes = " ".join(filter(None, [record.get("note"), f"{made}{load}."]))
    return f"{table(headings, ([cell(row.get(key)) for key in headings] for row in record['rows']))}\n\n{notes}"
