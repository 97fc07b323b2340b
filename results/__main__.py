"""Every table and plot of the documents, from records alone: python -m results

    python -m results                                    # write the documents from the authors' records
    python -m results --check                            # do they say what the records say?
    python -m results --list                             # what is recorded, and what is missing
    python -m results --measure davi --only 2x2-s0       # measure into the folder measured/, train what is missing
    python -m results --records measured                 # documents of those measurements, in that folder

Measurements of one's own never touch the authors' records or documents; `--records results/records` says to.
"""

import argparse
import re
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import matplotlib as mpl

from results import comparison, plots, records, scale, seeds, summary
from results.measure import MINE, measure
from results.papers import page as papers
from results.questions import Study
from results.tables import document
from rubiks_gym import files
from rubiks_gym.command_line import run

STUDIES = ("symmetric_ntuple", "general_ntuple", "td_ntuple", "davi", "adi", "ppo_chasenet", "zoo")


def place(name: str) -> Path:
    """The document of a study, beside which its plots are; that of the zoo compares all learners."""
    return Path("docs/comparison.md") if name == "zoo" else Path("agents") / name / "README.md"


def studies(folder: Path) -> dict[str, Study]:
    """Every study by name, with its records in a folder."""
    return {name: replace(import_module(f"results.studies.{name}").STUDY, folder=folder) for name in STUDIES}


def documents(folder: Path) -> dict[Path, str]:
    """Whole files as the records say: the project's own, or those beside one's own records."""
    base = records.ROOT if folder == records.AUTHORS else folder
    every = studies(folder)
    texts = {(str(place(name)), "results"): document(each) for name, each in every.items()}
    texts[str(place("zoo")), "records"] = comparison.same_cubes(every.values())
    texts[str(place("zoo")), "curves"] = seeds.seeds_table(seeds.measured(every.values()))
    texts[str(place("zoo")), "seeds"] = comparison.boards(every["td_ntuple"])
    texts |= {place: summary.benchmark(folder, name) for name, place in summary.BENCHMARKS.items()}
    texts |= {summary.TRUTH: summary.truth(), ("docs/zoo.md", "agents"): summary.zoo_agents()}
    texts |= {(scale.PAGE, "cost"): scale.cost(folder), (scale.PAGE, "bends"): scale.bends(folder)}
    texts["docs/papers.md", "papers"] = papers.page(every)
    texts |= {("README.md", "headline"): summary.headline(every), ("README.md", "learners"): summary.learners(every)}
    found: dict[Path, str] = {}
    for (name, mark), text in texts.items():
        file = base / name
        before = found.get(file) or (file.read_text() if file.exists() else "")
        found[file] = put_between(before, mark, text)
    return found


def put_between(page: str, mark: str, text: str) -> str:
    """The page with a text between the marks <!-- MARK:begin --> and <!-- MARK:end -->, which are added if it has none."""
    begin, end = f"<!-- {mark}:begin -->", f"<!-- {mark}:end -->"
    if begin not in page:
        page += f"{begin}\n{end}\n\n"
    return re.sub(f"{begin}.*?{end}", lambda _: f"{begin}\n{text}\n{end}", page, flags=re.DOTALL)


def write(folder: Path) -> None:
    """Documents and plots."""
    base = records.ROOT if folder == records.AUTHORS else folder
    for file, text in documents(folder).items():
        file.parent.mkdir(parents=True, exist_ok=True)
        files.write_text(file, text)
    every = studies(folder)
    drawn = [(place(name), section.plot, section.answers(each)) for name, each in every.items() for section in each.sections]
    drawn.append((place("zoo"), seeds.PLOT, seeds.measured(every.values())))
    for page, plot, answers in drawn:
        if plot and answers:
            with mpl.rc_context(plots.STYLE):
                plot[2](answers).savefig(base / page.parent / plot[0], dpi=plots.DPI)


def stale(folder: Path) -> list[str]:
    """Documents that do not say what the records say."""
    return [str(file) for file, text in documents(folder).items() if not file.exists() or file.read_text() != text]


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m results", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--measure", metavar="NAME", choices=STUDIES, help=f"measure what is missing of {', '.join(STUDIES)}")
    parts = "parts of names RUN-sSEED/QUESTION/SEARCH, all of which must match"
    add("--only", nargs="+", default=[], metavar="PART", help=parts)
    add("--runs", type=Path, default=Path("runs"), help="folder of ALGORITHM/RUN-sSEED (default: runs)")
    add("--records", type=Path, help=f"folder of the records (default: {MINE} to measure, the authors' to read)")
    add("--again", action="store_true", help="measure what is recorded once more")
    add("--dirty", action="store_true", help="measure with uncommitted changes; documents do not show such records")
    add("--list", action="store_true", help="what is recorded and what is missing, of the study to measure or of all")
    add("--check", action="store_true", help="exit with 1 if a document differs from the records")
    args = parser.parse_args()
    measuring = args.measure and not args.list
    folder = (args.records or (MINE if measuring else records.AUTHORS)).resolve()
    if measuring:
        measure(studies(folder)[args.measure], args.runs, args.only, args.again, args.dirty)
    elif args.list:
        for name, study in studies(folder).items():
            for answer in study.all() if args.measure in (None, name) else ():
                record = answer.record
                how = "missing" if not record else record["date"][:10] if records.usable(record) else "dirty"
                if all(part in answer.name for part in args.only):
                    print(f"{how:10}  {answer.algorithm}  {answer.name}")
    elif args.check:
        if different := stale(folder):
            raise SystemExit("these differ from the records, python -m results writes them: " + "; ".join(different))
    else:
        write(folder)


if __name__ == "__main__":
    run(main)
