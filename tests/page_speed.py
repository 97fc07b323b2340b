"""How long a random 3x3x3 takes in the browser, from the click to the solution on the screen, and whether the page stays alive.

    python -m tests.page_speed --cubes 50 --width 1024

Headless Chromium and everything else run on one core.
"""

import argparse
import json
import os
import statistics

import numpy as np
from playwright.sync_api import sync_playwright

from rubiks_gym.puzzles import Rubik3x3, sample_seeds
from tests.page import FLAGS, browser, file_server, why_no_browser

# Types a cube in, clicks, and waits for the solution: [seconds, seconds between two frames at most, moves].
SOLVE = """async facelets => {
    const $ = id => document.getElementById(id);
    $("text").value = facelets;
    $("typed").requestSubmit();
    const start = performance.now();
    let [last, gap] = [start, 0];
    $("solve").click();
    while ($("solution").hidden) {
        const now = await new Promise(requestAnimationFrame);
        [gap, last] = [Math.max(gap, now - last), now];
    }
    return [(performance.now() - start) / 1000, gap / 1000, parseInt($("headline").textContent.split(" ")[2])];
}"""


def main() -> None:
    """Measure and print a line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cubes", type=int, default=50, help="random cubes (default: 50)")
    parser.add_argument(
        "--width", default="1024", choices=["1024", "4096", "16384"], help="of the beam, both ways (default: 1024)"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the cubes (default: 0)")
    args = parser.parse_args()
    if reason := why_no_browser():
        raise SystemExit(reason)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    cube = Rubik3x3()
    states = cube.random_states(sample_seeds(np.random.default_rng(args.seed), args.cubes))
    with file_server() as address, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser(), args=FLAGS)
        page = chromium.new_page(viewport={"width": 1280, "height": 860})
        page.set_default_timeout(300_000)
        page.goto(address)
        page.wait_for_selector("body[data-ready]")
        first = page.evaluate(SOLVE, cube.facelets(cube.after("R U F' L D2 B R2 U' F L B D R")))[0]  # loads the tables
        page.select_option("#who", args.width)
        processes = chromium.new_browser_cdp_session()

        def cpu_seconds() -> float:
            return sum(process["cpuTime"] for process in processes.send("SystemInfo.getProcessInfo")["processInfo"])

        before = cpu_seconds()
        seconds, gaps, lengths = np.array([page.evaluate(SOLVE, cube.facelets(state)) for state in states]).T
        spent = (cpu_seconds() - before) / len(states)
        chromium.close()
    measured = {
        "cubes": args.cubes,
        "width": int(args.width),
        "seed": args.seed,
        "mean_length": round(float(lengths.mean()), 2),
        "median_seconds": round(statistics.median(seconds), 3),
        "slowest_seconds": round(float(seconds.max()), 3),
        "cpu_seconds": round(spent, 3),
        "median_longest_frame": round(statistics.median(gaps), 3),
        "longest_frame": round(float(gaps.max()), 3),
        "first_solution_seconds": round(first, 2),
        "load": [round(load, 1) for load in os.getloadavg()],
    }
    print(json.dumps(measured))


if __name__ == "__main__":
    main()
