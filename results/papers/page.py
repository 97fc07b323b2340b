"""The papers row by row, for docs/papers.md: what each table, figure, algorithm and claim says, and ours beside it.

A row's own figures come from records (or from a computation with a seed), never from here; where there is no record the page
says "not measured yet".
"""

from results import records
from results.papers import betacube, deepcube, konen, lin, tardon
from results.papers.rows import NOT_YET
from results.questions import Study
from results.tables import table

PAPERS = {
    "DeepCube (McAleer et al. 2018)": deepcube.ROWS,
    "BetaCube (Bowman, Guo, Jones 2018)": betacube.ROWS,
    "TD-n-tuple (Konen 2023)": konen.ROWS,
    "DAVI and BWAS on cubes and Hanoi (Tardón 2022)": tardon.ROWS,
    "PPO with ChaseNet reward (Lin and Liang 2024)": lin.ROWS,
}


def page(studies: dict[str, Study]) -> str:
    """A table for each paper."""
    answers = {name: [a for a in study.all() if a.record and records.usable(a.record)] for name, study in studies.items()}
    texts = []
    for title, rows in PAPERS.items():
        lines = []
        for row in rows:
            found = row.ours if isinstance(row.ours, str) else row.ours(answers)
            ours = " ".join(filter(None, (f"{found}." if row.why else found, row.why))) if found else NOT_YET
            lines.append([row.where, row.what, row.theirs, ours, f"`{row.command}`" if row.command else ""])
        texts.append(f"## {title}\n\n{table(('where', 'what', 'theirs', 'ours', 'command or place'), lines)}")
    return "\n\n".join(texts)
