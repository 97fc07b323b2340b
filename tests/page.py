"""What tests of the page need: where it is built, a browser, and its code asked directly by node."""

import http.server
import importlib.util
import json
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from rubiks_gym.ntuple import TRAINED

ROOT = Path(__file__).parent.parent
STATIC = ROOT / "rubiks_gym" / "play" / "static"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

# As root a browser has no sandbox of its own; the rest keeps it from talking to anybody but the page.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def why_not_built() -> str | None:
    """Why the page cannot be tested, or None."""
    return None if (STATIC / "index.html").exists() else "the page has not been built: make web, which needs node and npm"


def why_no_node() -> str | None:
    """Why its code cannot be asked, or None."""
    there = shutil.which("node") and (ROOT / "web" / "node_modules").exists()
    return why_not_built() or (None if there else "node and the page's packages are not here: make web")


def browser() -> str | None:
    """The path of a Chromium."""
    return next((path for path in map(shutil.which, BROWSERS) if path), None)


def why_no_browser() -> str | None:
    """Why the page cannot be opened, or None."""
    if reason := why_not_built():
        return reason
    if importlib.util.find_spec("playwright") is None:
        return 'playwright is not installed: pip install -e ".[dev]"'
    return None if browser() else f"no browser is installed: none of {', '.join(BROWSERS)} is found"


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files as any file server does."""

    def log_message(self, *args):
        pass


@contextmanager
def file_server(folder: Path = STATIC) -> Iterator[str]:
    """The address of a plain file server of a folder, by default of the built page."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


def ask_page(questions: list[list]) -> list:
    """What the page's own functions answer, see web/tests/answer.mjs."""
    if reason := why_no_node():
        pytest.skip(reason)
    wasm = next(STATIC.glob("beam-*.wasm"))
    command = ["node", "--no-warnings", str(ROOT / "web" / "tests" / "answer.mjs"), str(TRAINED["rubik3x3-qtm"]), str(wasm)]
    done = subprocess.run(command, input=json.dumps(questions), capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
