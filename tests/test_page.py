"""The page in a real browser: by mouse, finger and keyboard, alone and with a server."""

import gzip
import json
import re
import subprocess
import sys

import numpy as np
import pytest

from rubiks_gym.exact import ExactTable
from rubiks_gym.ntuple import trained
from rubiks_gym.puzzles import Rubik2x2, Rubik3x3, puzzle_from_name, sample_seeds
from rubiks_gym.search import make_search
from tests.page import FLAGS, ROOT, STATIC, browser, file_server, why_no_browser

pytestmark = pytest.mark.skipif(why_no_browser() is not None, reason=str(why_no_browser()))

CUBE = Rubik3x3()
SOLVED = CUBE.facelets(CUBE.goal)
PATIENCE = 60_000  # milliseconds; a busy machine is no fault of the page


@pytest.fixture(scope="module")
def files():
    with file_server() as address:
        yield address


@pytest.fixture(scope="module")
def chromium():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=browser(), args=FLAGS)
        yield running
        running.close()


@pytest.fixture
def opened(chromium):
    """A function that opens an address as a new visitor; in the end nothing may have gone wrong there."""
    contexts, faults = [], []

    def open_page(address, **options):
        options = {"viewport": {"width": 1280, "height": 860}, "reduced_motion": "reduce"} | options
        contexts.append(chromium.new_context(**options))
        page = contexts[-1].new_page()
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on(
            "console",
            lambda said: faults.append(said.text) if said.type == "error" and "/api/" not in said.location["url"] else None,
        )
        page.goto(address)
        page.wait_for_selector("body[data-ready]")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not faults


@pytest.fixture
def page(opened, files):
    return opened(files)


def state(page):
    return page.evaluate("document.body.dataset.state")


def wait_for_state(page, wanted):
    page.wait_for_function("wanted => document.body.dataset.state === wanted", arg=wanted)


def choose(page, puzzle):
    page.click(f"#puzzles label:has(input[value={puzzle}])")


def type_in(page, text):
    page.fill("#text", text)
    page.press("#text", "Enter")


def solve(page):
    """Solve what is shown; the moves that are then listed."""
    page.click("#solve")
    page.wait_for_selector("#solution:not([hidden])")
    return page.locator("#moves button").all_inner_texts()


def fault(page):
    return page.inner_text("#fault")


def random_states(puzzle, n, seed=0):
    return puzzle.random_states(sample_seeds(np.random.default_rng(seed), n))


def quarters(moves):
    return sum(2 if move.endswith("2") else 1 for move in moves)


def merged(moves):
    """Moves as the page lists them: two equal quarter turns are one half turn."""
    turns = []
    for move in moves:
        turns.append(f"{turns.pop()[0]}2" if turns and turns[-1] == move else move)
    return turns


# Solving in the browser -------------------------------------------------------------------------------------------------


def test_first_load_is_small_and_leaves_the_tables_for_later(opened, files, chromium):
    context = chromium.new_context()
    page = context.new_page()
    answers = []
    page.on("response", lambda answer: answers.append(answer))
    page.goto(files)
    page.wait_for_selector("body[data-ready]")
    names = {answer.url.removeprefix(files): answer for answer in answers if answer.ok and "sw.js" not in answer.url}
    assert not any("tables" in name for name in names)
    assert sum(len(gzip.compress(answer.body())) for answer in names.values()) < 100_000
    assert {name.split("-")[0] for name in names} >= {"", "app", "style"}
    context.close()


def test_a_scramble_is_solved_with_two_clicks(page):
    assert state(page) == SOLVED
    page.click("#scramble")
    scrambled = CUBE.from_facelets(state(page))
    moves = solve(page)
    assert 10 < quarters(moves) < 30
    assert page.inner_text("#headline") == f"Solved in {quarters(moves)} quarter turns"
    assert CUBE.is_solved(CUBE.after(" ".join(moves), scrambled)[None])[0]
    page.click("#last")
    wait_for_state(page, SOLVED)
    assert page.get_attribute("#cube", "aria-label") == "3×3×3 cube, solved"  # noqa: RUF001


def test_the_browser_finds_what_python_finds_for_the_same_width(page):
    states = random_states(CUBE, 3)
    found = make_search("beam", trained(), {"width": 1024}, radius=6, inverse=True)(states)
    for start, moves, nodes in zip(states, found.moves, found.nodes, strict=True):
        type_in(page, CUBE.facelets(start))
        assert solve(page) == merged(CUBE.action_names[action] for action in moves)
        assert f"{nodes:,}" in page.inner_text("#facts")


def test_the_2x2x2_and_hanoi_are_solved_by_shortest_solutions(page):
    for choice, puzzle in (("cube2", Rubik2x2()), ("hanoi", puzzle_from_name("hanoi-5-3"))):
        choose(page, choice)
        page.click("#scramble")
        told = state(page)
        start = puzzle.from_facelets(told) if choice == "cube2" else np.array(told.split(), np.uint8)
        moves = solve(page)
        length = int(ExactTable(puzzle).distance(start[None])[0])
        assert re.match(rf"Solved in {length} ", page.inner_text("#headline"))
        assert f"{length}: this is one" in page.inner_text("#facts")
        if choice == "cube2":
            assert puzzle.is_solved(puzzle.after(" ".join(moves), start)[None])[0]
        page.press("body", "End")
        page.wait_for_function("[...document.querySelectorAll('#moves li')].every(li => li.classList.contains('done'))")


def test_the_values_on_the_way_are_drawn(page):
    type_in(page, "R U F' L D2")
    solve(page)
    assert page.locator("#values circle").count() == 7
    costs = [float(cost) for cost in re.findall(r"[\d.]+", page.get_attribute("#values", "aria-label"))]
    expected = trained().cost_to_go(CUBE.after("R U F' L D2")[None])[0]
    assert costs[0] == pytest.approx(expected, abs=0.051) and costs[1] == 0
    assert "this is one" in page.inner_text("#facts")  # within the perimeter solutions are shortest


def test_a_search_can_be_cancelled_and_the_page_is_alive_all_the_while(page):
    type_in(page, CUBE.facelets(random_states(CUBE, 1)[0]))
    solve(page)  # with the tables at hand, all the time goes into the search
    page.select_option("#who", "16384")
    page.click("#solve")
    page.wait_for_function("/deep/.test(document.getElementById('doing').textContent)")
    page.click("#theme")
    page.keyboard.press("?")
    page.wait_for_selector("#keys[open]")
    page.keyboard.press("Escape")
    assert page.is_visible("#cancel"), "the search was to be under way still"
    page.click("#cancel")
    page.wait_for_selector("#cancel", state="hidden")
    assert page.is_hidden("#solution") or page.inner_text("#live") == "Cancelled."
    page.select_option("#who", "1024")
    assert solve(page)


def test_a_turn_by_hand_ends_the_search_for_the_cube_before(page):
    page.click("#scramble")
    page.click("#solve")
    page.keyboard.press("r")
    page.wait_for_selector("#cancel", state="hidden")
    assert page.is_hidden("#solution")


def test_solved_already_is_said(page):
    page.click("#solve")
    assert "solved already" in page.inner_text("#trouble")


# Playing ----------------------------------------------------------------------------------------------------------------


def test_a_solution_is_played_paused_stepped_and_scrubbed(page):
    type_in(page, "R U F D")
    assert solve(page) == ["D'", "F'", "U'", "R'"]
    page.click("#forward")
    wait_for_state(page, CUBE.facelets(CUBE.after("R U F")))
    page.click("#back")
    wait_for_state(page, CUBE.facelets(CUBE.after("R U F D")))
    page.fill("#scrub", "3")
    wait_for_state(page, CUBE.facelets(CUBE.after("R")))
    assert page.inner_text("#position") == "3 / 4"
    page.locator("#moves button").nth(1).click()
    wait_for_state(page, CUBE.facelets(CUBE.after("R U")))
    page.select_option("#speed", "1200")
    page.click("#play")
    page.wait_for_selector("#play.playing")
    page.click("#play")
    page.wait_for_selector("#play:not(.playing)")
    assert state(page) != SOLVED
    page.select_option("#speed", "60")
    page.click("#play")
    wait_for_state(page, SOLVED)
    page.wait_for_selector("#play:not(.playing)")
    page.click("#first")
    wait_for_state(page, CUBE.facelets(CUBE.after("R U F D")))


def test_turns_are_animated_unless_motion_is_unwelcome(opened, files):
    watch = """async () => {
        const seen = new Set(), end = performance.now() + 800;
        document.getElementById("play").click();
        while (performance.now() < end) {
            await new Promise(requestAnimationFrame);
            seen.add(document.getElementById("cube").toDataURL());
        }
        return seen.size;
    }"""
    for motion, animated in (("no-preference", True), ("reduce", False)):
        page = opened(files, reduced_motion=motion)
        type_in(page, "R U F D")
        solve(page)
        if animated:
            page.wait_for_selector("#play.playing")  # it begins by itself
        page.keyboard.press("Home")
        page.select_option("#speed", "1200")
        page.focus("#cube")
        assert (page.evaluate(watch) > 2) is animated
        page.click("#play")
        page.keyboard.press("End")
        wait_for_state(page, SOLVED)


def test_following_the_solution_by_hand_keeps_it(page):
    type_in(page, "R U F D")
    solve(page)
    page.keyboard.press("Shift+d")
    wait_for_state(page, CUBE.facelets(CUBE.after("R U F")))
    assert page.is_visible("#solution") and page.inner_text("#position") == "1 / 4"
    page.keyboard.press("b")
    page.wait_for_selector("#solution", state="hidden")


def test_moves_and_facelets_are_copied(opened, files):
    page = opened(files, permissions=["clipboard-read", "clipboard-write"])
    type_in(page, "R U2 F")
    solve(page)
    page.click("#copy")
    page.wait_for_function("document.getElementById('copy').textContent === 'Copied'")
    assert page.evaluate("navigator.clipboard.readText()") == "F' U2 R'"
    page.click("#copy-facelets")
    page.wait_for_function("document.getElementById('copy-facelets').textContent === 'Copied'")
    assert page.evaluate("navigator.clipboard.readText()") == CUBE.facelets(CUBE.after("R U2 F"))


# Putting a cube in ------------------------------------------------------------------------------------------------------


def test_moves_and_facelets_can_be_typed(page):
    type_in(page, "R U R' U' M2 (F B')2")
    wanted = state(page)
    type_in(page, CUBE.facelets(CUBE.after("R U F'")))
    assert state(page) == CUBE.facelets(CUBE.after("R U F'"))
    type_in(page, "RUR'U' L2 R2 x2 (F B')2")
    assert state(page) == wanted
    type_in(page, "R Q")
    assert "cannot read" in fault(page) and state(page) == wanted


def test_a_real_cube_is_painted_and_solved(page):
    wanted = CUBE.facelets(random_states(CUBE, 1, seed=5)[0])
    page.click("#paint")
    page.click("text=Clear all")
    assert fault(page) == "48 stickers have no colour yet"
    for colour in "URFDLB":
        page.click(f".swatch >> nth={'URFDLB'.index(colour)}")
        for at in (at for at, letter in enumerate(wanted) if letter == colour):
            page.click(f"[data-facelet='{at}']")
    assert fault(page) == "" and state(page) == wanted
    moves = solve(page)
    assert CUBE.is_solved(CUBE.after(" ".join(moves), CUBE.from_facelets(wanted))[None])[0]


def test_a_cube_held_another_way_is_solved_as_it_is_held(page):
    type_in(page, "x y R U F' L")
    held = state(page)
    assert held[4] != "U"
    moves = solve(page)
    assert len(moves) == 4
    page.press("body", "End")
    page.wait_for_function("/solved$/.test(document.getElementById('cube').getAttribute('aria-label'))")
    assert state(page)[4] == held[4]


@pytest.mark.parametrize(
    ("stickers", "named"),
    [
        ({8: "F", 9: "U", 20: "R"}, "twisted corner"),
        ({7: "F", 19: "U"}, "flipped edge"),
        ({10: "F", 19: "R"}, "swapped pair"),
        ({0: "R"}, "wrong colour count: white appears 8 times"),
    ],
)
def test_an_impossible_cube_is_named_while_it_is_painted(page, stickers, named):
    page.click("#paint")
    for at, colour in stickers.items():
        page.click(f".swatch >> nth={'URFDLB'.index(colour)}")
        page.click(f"[data-facelet='{at}']")
    assert f"No cube looks like this: {named}" in fault(page)
    page.click("#solve")
    assert named in page.inner_text("#trouble") and page.is_hidden("#solution")


def test_hanoi_is_played_by_clicks_and_refuses_what_is_not_allowed(page):
    choose(page, "hanoi")
    page.select_option("#disks", "2")
    box = page.locator("#towers").bounding_box()

    def click_peg(peg):
        page.mouse.click(box["x"] + box["width"] * (peg + 0.5) / 3, box["y"] + box["height"] / 2)

    click_peg(0)
    click_peg(1)
    assert state(page) == "1 0"
    click_peg(0)
    click_peg(1)
    assert "may not lie on a smaller one" in fault(page) and state(page) == "1 0"
    for key in "1323":  # from peg 1 to peg 3, then from peg 2 to peg 3
        page.keyboard.press(key)
    assert state(page) == "2 2"
    page.keyboard.press("Backspace")
    assert state(page) == "1 2"


# Mouse, finger, keyboard ------------------------------------------------------------------------------------------------


def test_a_side_is_turned_by_dragging_and_the_cube_looked_at_from_another_side(page):
    box = page.locator("#cube").bounding_box()
    x, y = box["x"] + 0.27 * box["width"], box["y"] + 0.45 * box["height"]  # on the left of the front
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y + 0.3 * box["height"], steps=8)
    page.mouse.up()
    turned = CUBE.facelets(CUBE.after("L"))
    wait_for_state(page, turned)
    before = page.evaluate("document.getElementById('cube').toDataURL()")
    page.mouse.move(box["x"] + 20, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + 140, box["y"] + 60, steps=5)
    page.mouse.up()
    assert state(page) == turned
    assert page.evaluate("document.getElementById('cube').toDataURL()") != before


def test_everything_can_be_done_by_keyboard(page):
    for key in ("r", "Shift+u", "f"):
        page.keyboard.press(key)
    assert state(page) == CUBE.facelets(CUBE.after("R U' F"))
    page.keyboard.press("Backspace")
    assert state(page) == CUBE.facelets(CUBE.after("R U'"))
    page.keyboard.press("s")
    scrambled = state(page)
    page.keyboard.press("Enter")
    page.wait_for_selector("#solution:not([hidden])")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("before => document.body.dataset.state !== before", arg=scrambled)
    page.keyboard.press("Home")
    wait_for_state(page, scrambled)
    page.keyboard.press("End")
    wait_for_state(page, SOLVED)
    seen = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        seen.add(page.evaluate("document.activeElement.id"))
        outline = page.evaluate(
            """[document.activeElement, document.activeElement.nextElementSibling].filter(Boolean)
            .map(element => getComputedStyle(element).outlineStyle)"""
        )
        assert "solid" in outline, f"{page.evaluate('document.activeElement.outerHTML')[:100]} shows no focus"
        if {"help", "cube", "scramble", "solve", "who", "paint", "text"} <= seen:
            break
    else:
        raise AssertionError(f"the tab key does not lead everywhere: {seen}")


def test_a_cube_is_painted_by_keyboard(page):
    page.click("#paint")
    page.focus("[data-facelet='0']")
    for key in ("r", "ArrowRight", "g", "ArrowDown", "b"):
        page.keyboard.press(key)
    assert state(page)[:5] == "RFUUB"
    assert page.get_attribute("[data-facelet='1']", "aria-label") == "up, row 1, column 2: green"


def test_a_phone_shows_everything_without_scrolling_sideways_and_turns_by_touch(opened, files):
    page = opened(files, viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True, device_scale_factor=2)
    for puzzle in ("cube3", "cube2", "hanoi"):
        choose(page, puzzle)
        page.tap("#scramble")
        solve(page)
        if puzzle != "hanoi":
            page.tap("#paint")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
    for button in page.locator("button:visible").all():
        if "facelet" not in (button.get_attribute("class") or ""):
            assert min(button.bounding_box()["height"], button.bounding_box()["width"]) >= 32
    choose(page, "cube3")
    box = page.locator("#cube").bounding_box()
    x, y = box["x"] + 0.2 * box["width"], box["y"] + 0.4 * box["height"]
    finger = page.context.new_cdp_session(page)
    finger.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for i in range(1, 6):
        at = {"x": x, "y": y + 0.07 * i * box["height"]}
        finger.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [at]})
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    wait_for_state(page, CUBE.facelets(CUBE.after("L")))
    assert page.locator("#solve").bounding_box()["y"] < 740, "solving needs no scrolling"


# Looks ------------------------------------------------------------------------------------------------------------------


def test_light_and_dark_follow_the_system_and_the_switch(opened, files):
    page = opened(files, color_scheme="dark")
    colour = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(colour)
    page.click("#theme")
    light = page.evaluate(colour)
    assert dark != light
    page.reload()
    page.wait_for_selector("body[data-ready]")
    assert page.evaluate(colour) == light
    page.evaluate("localStorage.clear()")
    page.emulate_media(color_scheme="light")
    page.reload()
    page.wait_for_selector("body[data-ready]")
    assert page.evaluate(colour) == light


def faults_of_access(page):
    """What axe-core, a checker of accessibility, finds wrong with what is shown."""
    page.evaluate((ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js").read_text())
    return {fault["id"]: [node["html"][:120] for node in fault["nodes"]] for fault in page.evaluate("axe.run()")["violations"]}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_checker_of_accessibility_finds_no_fault(opened, files, scheme):
    page = opened(files, color_scheme=scheme)
    page.click("#scramble")
    solve(page)
    page.click("#paint")
    assert not faults_of_access(page)
    choose(page, "hanoi")
    page.click("#help")
    assert not faults_of_access(page)


# Without a connection ---------------------------------------------------------------------------------------------------


def test_the_page_works_in_any_folder_and_when_the_server_is_gone(opened):
    with file_server(STATIC.parent) as address:
        page = opened(f"{address}static/")
        page.click("#scramble")
        solve(page)
        page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        page.reload()  # now the service worker is in charge, and keeps the tables
        page.wait_for_selector("body[data-ready]")
        page.click("#scramble")
        solve(page)
    page.reload()
    page.wait_for_selector("body[data-ready]")
    page.click("#scramble")
    assert quarters(solve(page)) > 10


# With a server of Python ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """The address of `rubiks-gym play`, and the folder of its runs, in which one is under way."""
    runs = tmp_path_factory.mktemp("runs")
    command = [sys.executable, "-m", "rubiks_gym", "play", "--no-open", "--port", "0", "--runs", str(runs)]
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    address = re.search(r"http://\S+", server.stdout.readline())[0]
    yield address, runs
    server.terminate()
    server.wait(30)
    server.stdout.close()


@pytest.fixture
def served_page(opened, served):
    return opened(served[0])


def test_an_agent_of_the_server_solves(served_page):
    page = served_page
    assert page.get_attribute("body", "data-ready") == "server"
    type_in(page, "R U F' L D2 B' R U2 F")
    page.select_option("#who", "agent:trained:rubik3x3-qtm")
    page.select_option("#options [name=search]", "beam")
    page.click("#options summary")
    page.fill("[data-option=width]", "64")
    moves = solve(page)
    start = CUBE.after("R U F' L D2 B' R U2 F")
    assert CUBE.is_solved(CUBE.after(" ".join(moves), start)[None])[0]
    found = make_search("beam", trained(), {"width": 64}, radius=6, inverse=True)(start[None])  # the rest is what suits it
    assert moves == merged(CUBE.action_names[action] for action in found.moves[0])
    assert f"{found.nodes[0]:,}" in page.inner_text("#facts")
    assert page.locator("#values circle").count() == len(found.moves[0]) + 1


def test_a_search_of_the_server_can_be_cancelled(served_page):
    page = served_page
    type_in(page, CUBE.facelets(random_states(CUBE, 1)[0]))
    page.select_option("#who", "agent:trained:rubik3x3-qtm")
    page.select_option("#options [name=search]", "mcts-deepcube-literal")  # finds nothing for minutes
    page.click("#solve")
    page.wait_for_selector("#cancel:not([hidden])")
    page.click("#cancel")
    page.wait_for_selector("#cancel", state="hidden")
    assert page.is_hidden("#solution") and page.inner_text("#trouble") == ""


def test_what_the_server_refuses_is_said(served_page):
    page = served_page
    page.click("#scramble")
    page.select_option("#who", "agent:trained:rubik3x3-qtm")
    page.select_option("#options [name=search]", "beam")
    page.click("#options summary")
    page.fill("[data-option=width]", "-3")
    page.click("#solve")
    page.wait_for_selector("#trouble:has-text('width')")


def test_two_agents_are_compared_side_by_side(served_page):
    page = served_page
    page.click("[data-view=compare]")
    page.select_option("#compare .which", "hanoi-4-3")
    page.fill("#compare .start", "A A A A")
    page.select_option("#compare .side:nth-child(2) [name=search]", "bwas")
    page.click("#compare .go")
    page.wait_for_selector("#compare .side:nth-child(1) h3")
    page.wait_for_selector("#compare .side:nth-child(2) h3")
    assert page.locator("#compare .outcome h3").all_inner_texts()[0] == "15 moves"
    assert page.locator("#compare .chart polyline").count() == 2
    page.click("#compare .play")
    for side in (1, 2):
        page.wait_for_selector(f"#compare .side:nth-child({side}) svg[aria-label*='15 of 15']")
    assert not faults_of_access(page)
    assert page.locator("#compare .outcome dd").count() >= 4


def test_a_training_run_is_watched_while_it_goes_on(served_page, served):
    page, folder = served_page, served[1] / "watched"
    folder.mkdir()
    config = {"algorithm": "tabular", "puzzle": "hanoi-3-3"}
    (folder / "config.json").write_text(json.dumps({"config": config}))
    metrics = folder / "metrics.jsonl"
    metrics.write_text("".join(json.dumps({"step": i, "loss": 1 / (i + 1)}) + "\n" for i in range(5)))
    page.click("[data-view=runs]")
    page.wait_for_selector("#runs figure[data-name=loss] circle >> nth=4", state="attached")
    assert page.locator("#runs figure[data-name=loss] circle").count() == 5
    with open(metrics, "a") as opened_file:
        opened_file.write(json.dumps({"step": 5, "loss": 0.125}) + "\n")
    page.wait_for_selector("#runs figure[data-name=loss] circle >> nth=5", state="attached")
    assert not faults_of_access(page)
    assert "0.125" in page.inner_text("#runs figure[data-name=loss] figcaption")
