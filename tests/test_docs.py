"""The documentation site: it builds without a warning, has a page for all there is, and no link within it leads nowhere."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from agents import AGENTS
from rubiks_gym import PUZZLES
from rubiks_gym.search import SEARCHES

ROOT = Path(__file__).parent.parent


PAPERS = ("adi", "davi", "td_ntuple", "ppo_chasenet")  # learners that a paper describes
# The sections of the five papers, and how many figures, tables and algorithms each has.
SECTIONS = {
    "DeepCube": ("1 2 3 4 4.1 4.2 5 5.1 6", 8, 0, 1),
    "BetaCube": ("1 1.1 1.2 2 3 3.1 3.2 4 5 5.1 5.2 5.3 6", 4, 1, 1),
    "TD-n-tuple": (
        "1 1.1 1.2 2 2.1 2.1.1 2.1.2 2.1.3 2.2 2.3 2.4 2.4.1 2.4.2 2.4.3 2.5 3 4 4.1 4.2 4.3 4.4 5 5.1 5.2 5.2.1 5.2.2 5.2.3 "
        "6 6.1 6.2 6.3 6.4 6.5 7 8 A B B.1 B.2 B.3 B.4 C",
        *(15, 11, 4),
    ),
    "DAVI": (
        "1 1.1 1.2 2 2.1 2.2 2.3 2.3.1 2.3.2 2.3.3 2.3.4 2.3.5 3 3.1 3.1.1 3.1.2 3.2 3.3 3.4 4 4.1 4.2 4.3 4.4 4.5 4.6 4.7 4.8 "
        "5 5.1 5.2 5.3 5.4 5.5 5.6 5.7 5.8 5.9 6 7 7.1 7.2 7.3 7.4",
        *(26, 0, 0),
    ),
    "PPO": ("1 2 2.1 2.2 2.3 2.4 2.5 2.6 3 3.1 3.2 4", 3, 0, 2),
}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-E", "-b", "html", "-d", str(folder / "doctrees")]
    done = subprocess.run([*command, "docs", str(folder / "html")], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / "html"


class Page(HTMLParser):
    """The links of a page and the places in it that can be linked to."""

    def __init__(self, file):
        super().__init__()
        self.links, self.ids = [], set()
        self.feed(file.read_text())

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.ids |= {found[key] for key in ("id", "name") if found.get(key)}
        self.links += [found[key] for key in ("href", "src") if found.get(key)]


def test_no_link_within_the_site_leads_nowhere(site):
    pages = {file: Page(file) for file in site.rglob("*.html")}
    faults = []
    for file, page in pages.items():
        for link in map(urlsplit, page.links):
            if link.scheme in ("http", "https", "data", "mailto"):
                continue
            target = (file.parent / unquote(link.path)).resolve() if link.path else file
            there = target.exists() and (
                not link.fragment or target not in pages or unquote(link.fragment) in pages[target].ids
            )
            if not there:
                faults.append(f"{file.relative_to(site)} links to {link.geturl()}")
    assert len(pages) > 40 and not faults


def test_every_environment_has_a_page_with_its_picture_and_sections(site):
    for entry in PUZZLES.values():
        text = (site / "generated" / "environments" / f"{entry.id.lower()}.html").read_text()
        assert f"{entry.id.lower()}.png" in text and f'gym.make("{entry.id}")' in text.replace("&quot;", '"')
        assert (site / "_images" / f"{entry.id.lower()}.png").stat().st_size > 1000


def test_every_learner_and_search_has_a_page(site):
    learners = {where.split(".")[1] for where in AGENTS.values() if where.startswith("agents.")} - {"baselines"}
    for name in learners | {"symmetric_ntuple"}:
        page = site / "generated" / "algorithms" / f"{name}.html"
        assert page.exists(), f"agents/{name} has no README.md"
        assert "learner.py" in page.read_text() and (name not in PAPERS or "Differs from the" in page.read_text())
    for name in SEARCHES:
        assert "Options" in (site / "generated" / "searches" / f"{name}.html").read_text()


def numbered(text, kind):
    """The numbers that a text names of a kind: "fig. 1, 3 to 5; table 2" has the figures 1, 3, 4 and 5."""
    found = set()
    for part in re.findall(rf"\b{kind}[s.]* ((?:\d+[a-z]?(?:, [a-z]\b)?(?:, | to )?)+)", text):
        for first, last in re.findall(r"(\d+)[a-z]?(?: to (\d+))?", part):
            found |= set(range(int(first), int(last or first) + 1))
    return found


@pytest.mark.parametrize("paper", SECTIONS)
def test_every_section_figure_table_and_algorithm_of_a_paper_has_its_place(paper):
    sections, *counts = SECTIONS[paper]
    page = (ROOT / "docs" / "which_paper.md").read_text().partition(f"\n### {paper}")[2].partition("\n### ")[0]
    named = [line.split("|")[1] for line in page.splitlines() if line.startswith("| ")][1:]
    told = [word.strip() for cell in named for word in re.split("[,;]", cell)]
    assert set(sections.split()) <= set(told)
    rows = (ROOT / "docs" / "papers.md").read_text().partition(f"\n## {paper}")[2].partition("\n## ")[0]
    where = "\n".join(line.split("|")[1] for line in rows.splitlines() if line.startswith("| "))
    for kind, count in zip(("fig", "table", "alg"), counts, strict=True):
        assert numbered(where, kind) == set(range(1, count + 1)), f"{kind} of {paper}"
    for path in re.findall(r"`([\w.]+/[\w/.]+)`", page):
        assert (ROOT / path).exists(), path


def test_moves_are_shown_as_they_are_typed(site):
    text = (site / "generated" / "environments" / "rubik3x3-v0.html").read_text()
    assert "U U' R R' F F'" in text.replace("&#39;", "'")


def test_the_reference_has_every_public_name_with_its_docstring(site):
    text = (site / "generated" / "api" / "rubiks_gym.exact.html").read_text()
    assert 'id="rubiks_gym.exact.ExactTable.distance"' in text and "True distances of one puzzle" in text
