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
from importlib import import_module
from pathlib import Path

from results import plots, records, speed, summary
from results.measure import MINE, elsewhere, measure
from results.questions import Study
from results.tables import document
from rubiks_gym import files
from rubiks_gym.command_line import run

STUDIES = ("symmetric_ntuple", "td_ntuple", "davi", "adi", "ppo_chasenet")


def study(name: str, folder: Path) -> Study:
    """A study by name, with its records in a folder."""
    if name not in STUDIES:
        raise ValueError(f"there is nothing to measure called {name!r}: choose from {', '.join(STUDIES)}")
    return elsewhere(import_module(f"results.studies.{name}").STUDY, folder)


def texts(folder: Path) -> dict[tuple[Path, str], str]:
    """What belongs between the marks of which file: the project's documents, or a folder's own."""
    base = records.ROOT if folder == records.AUTHORS else folder
    found = {}
    for each in (study(name, folder) for name in STUDIES):
        for place, sections in each.texts.items():
            file, _, mark = place.partition("#")
            found[base / file, mark] = document(each, sections)
    found |= {
        (base / place.partition("#")[0], place.partition("#")[2]): speed.text(folder, name)
        for name, place in speed.PLACES.items()
    }
    for mark, make in (("headline", summary.headline), ("learners", summary.learners)):
        found[base / "README.md", mark] = make(lambda name: study(name, folder))
    return found


def write(folder: Path) -> None:
    """Documents and plots."""
    base = records.ROOT if folder == records.AUTHORS else folder
    for (file, mark), text in texts(folder).items():
        if not file.exists() or f"<!-- {mark}:begin -->" not in file.read_text():
            if folder == records.AUTHORS:
                raise ValueError(f"{file} has no marks <!-- {mark}:begin --> and <!-- {mark}:end -->")
            file.parent.mkdir(parents=True, exist_ok=True)
            with open(file, "a") as opened:
                opened.write(f"<!-- {mark}:begin -->\n<!-- {mark}:end -->\n\n")
        files.write_between(file, mark, text)
    for each in (study(name, folder) for name in STUDIES):
        for name, draw in each.plots.items():
            with plots.style():
                figure = draw(each)
                if figure is not None:
                    figure.savefig(base / name, dpi=plots.DPI)


def stale(folder: Path) -> list[str]:
    """Marked parts that do not say what the records say."""
    found = []
    for (file, mark), text in texts(folder).items():
        inside = re.search(rf"<!-- {mark}:begin -->\n(.*?)\n<!-- {mark}:end -->", file.read_text(), re.DOTALL)
        if inside is None or inside[1] != text:
            found.append(f"{file}, {mark}")
    return found


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m results", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--measure", metavar="NAME", help=f"measure what is missing of {', '.join(STUDIES)}")
    parser.add_argument(
        "--only",
        nargs="+",
        default=[],
        metavar="PART",
        help="parts of names RUN-sSEED/QUESTION/SEARCH, all of which must match",
    )
    parser.add_argument("--runs", type=Path, default=Path("runs"), help="folder of ALGORITHM/RUN-sSEED (default: runs)")
    parser.add_argument(
        "--records", type=Path, help=f"folder of the records (default: {MINE} to measure, the authors' to read)"
    )
    parser.add_argument("--again", action="store_true", help="measure what is recorded once more")
    parser.add_argument(
        "--dirty", action="store_true", help="measure with uncommitted changes; documents do not show such records"
    )
    parser.add_argument("--list", action="store_true", help="what is recorded and what is missing")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a document differs from the records")
    args = parser.parse_args()
    folder = (args.records or (MINE if args.measure else records.AUTHORS)).resolve()
    if args.measure:
        measure(study(args.measure, folder), args.runs, args.only, args.again, args.dirty)
    elif args.list:
        for answer in (answer for name in STUDIES for answer in study(name, folder).all()):
            how = "missing" if not answer.record else answer.record["date"][:10] if records.usable(answer.record) else "dirty"
            if all(part in answer.name for part in args.only):
                print(f"{how:10}  {answer.algorithm}  {answer.name}")
    elif args.check:
        if different := stale(folder):
            raise SystemExit("these differ from the records, python -m results writes them: " + "; ".join(different))
    else:
        write(folder)


if __name__ == "__main__":
    run(main)
