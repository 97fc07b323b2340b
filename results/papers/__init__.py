"""docs/papers.md, a file for each paper; see page.py."""
