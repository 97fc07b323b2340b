"""The documentation site: it builds without a warning, has a page for all there is, and no link within it leads nowhere."""

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
        assert (site / "generated" / "algorithms" / f"{name}.html").exists(), f"agents/{name} has no README.md"
    for name in SEARCHES:
        assert "Options" in (site / "generated" / "searches" / f"{name}.html").read_text()


def test_moves_are_shown_as_they_are_typed(site):
    text = (site / "generated" / "environments" / "rubik3x3-v0.html").read_text()
    assert "U U' R R' F F'" in text.replace("&#39;", "'")


def test_the_reference_has_every_public_name_with_its_docstring(site):
    text = (site / "generated" / "api" / "rubiks_gym.exact.html").read_text()
    assert 'id="rubiks_gym.exact.ExactTable.distance"' in text and "True distances of one puzzle" in text
