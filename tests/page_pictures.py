"""Takes the pictures of the page that the documents show: docs/page-*.png.

python -m tests.page_pictures
"""

import argparse
import io
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from PIL import Image
from playwright.sync_api import Page, sync_playwright

from rubiks_gym.puzzles import Rubik3x3, sample_seeds
from tests.page import FLAGS, ROOT, browser, why_no_browser

WINDOW = {"width": 1280, "height": 850}
PHONE = {"width": 390, "height": 844}


@contextmanager
def play_server() -> Iterator[str]:
    """The address of `rubiks-gym play`."""
    command = [sys.executable, "-m", "rubiks_gym", "play", "--no-open", "--port", "0"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        found = re.search(r"http://\S+", server.stdout.readline())
        assert found is not None
        yield found[0]
        server.terminate()


def keep(page: Page, name: str, **options: bool) -> None:
    """Save what a page shows, in 256 colours."""
    picture = Image.open(io.BytesIO(page.screenshot(**options))).convert("RGB")  # type: ignore[arg-type]
    file = ROOT / "docs" / f"page-{name}.png"
    picture.quantize(256, dither=Image.Dither.NONE).save(file, optimize=True)
    print(f"{file.name}: {file.stat().st_size // 1000} KB")


def solve(page: Page, facelets: str) -> None:
    page.fill("#text", facelets)
    page.press("#text", "Enter")
    page.click("#solve")
    page.wait_for_selector("#solution:not([hidden])")


def main() -> None:
    """Take them all."""
    argparse.ArgumentParser(prog="python -m tests.page_pictures", description=__doc__).parse_args()
    if reason := why_no_browser():
        raise SystemExit(reason)
    cube = Rubik3x3()
    facelets = cube.facelets(cube.random_states(sample_seeds(np.random.default_rng(3), 1))[0])
    with play_server() as address, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser(), args=FLAGS)

        def opened(scheme: str, window: dict, **options: int) -> Page:
            page = chromium.new_page(viewport=window, color_scheme=scheme, reduced_motion="reduce", **options)  # type: ignore[arg-type]
            page.goto(address)
            page.wait_for_selector("body[data-ready]")
            return page

        page = opened("light", WINDOW)
        solve(page, facelets)
        page.locator("#moves button").nth(6).click()
        box = page.locator("#cube").bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + 0.27 * box["width"], box["y"] + 0.4 * box["height"])  # a layer half way
        page.mouse.down()
        page.mouse.move(box["x"] + 0.27 * box["width"], box["y"] + 0.52 * box["height"], steps=4)
        keep(page, "solve")

        page = opened("dark", WINDOW)
        page.fill("#text", facelets)
        page.press("#text", "Enter")
        page.click("#paint")
        page.click("[data-facelet='8']")
        keep(page, "paint")

        page = opened("dark", PHONE, device_scale_factor=2)
        page.click("#puzzles label:has(input[value=hanoi])")
        page.click("#scramble")
        page.click("#solve")
        page.wait_for_selector("#solution:not([hidden])")
        page.click("#forward")
        keep(page, "phone")

        page = opened("light", WINDOW)
        page.click("[data-view=compare]")
        page.fill("#compare .start", facelets)
        page.select_option("#compare .side:nth-child(2) .agent", "trained:rubik3x3-qtm")
        page.select_option("#compare .side:nth-child(2) [name=search]", "beam")
        page.click("#compare .side:nth-child(2) summary")
        page.fill("#compare .side:nth-child(2) [data-option=width]", "64")
        page.click("#compare .side:nth-child(2) summary")
        page.click("#compare .go")
        page.wait_for_selector("#compare .side:nth-child(1) h3", timeout=300_000)
        page.wait_for_selector("#compare .expected:not([hidden])", timeout=300_000)
        keep(page, "compare", full_page=True)
        chromium.close()


if __name__ == "__main__":
    main()
