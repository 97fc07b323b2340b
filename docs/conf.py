"""Sphinx: the pages of this folder, and those that `pages.py` makes of registries, docstrings and READMEs."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

import pages  # noqa: E402

import rubiks_gym  # noqa: E402

project, author, copyright = "rubiks-gym", "The rubiks-gym authors", "The rubiks-gym authors, MIT licence"
version = release = rubiks_gym.__version__

extensions = ["myst_parser"]
myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
exclude_patterns = ["_build", "**/__pycache__"]
nitpicky = True
smartquotes = False  # R' is a move, and must stay one when it is copied
suppress_warnings = ["myst.header"]  # a README may have fewer levels of headings than the page around it

html_theme = "furo"
html_title = "rubiks-gym"
html_static_path = ["static"]
html_css_files = ["tables.css"]
html_show_sphinx = False
templates_path = []


def setup(app):
    """Make the pages before Sphinx looks for them; links of all pages are led to where the site has them."""
    pages.make(HERE)
    app.connect("source-read", lambda _, page, source: pages.lead_links(HERE, page, source))
