"""Pictures, texts and windows show the state they are given."""

import copy
import pickle
import re
import subprocess
import sys
import time

import numpy as np
import pytest
from gymnasium.error import DependencyNotInstalled
from PIL import Image

from rubiks_gym.puzzles import Hanoi, Rubik2x2, Rubik3x3
from rubiks_gym.rendering import image
from rubiks_gym.rendering.ansi import cube_ansi, hanoi_ansi
from rubiks_gym.rendering.image import cube_image, disk_boxes, hanoi_image, save_gif, text_image
from rubiks_gym.rendering.states import FACE_COLOURS, disk_colours
from rubiks_gym.rendering.window import Window

SIZES = [(720, 400), (480, 480), (1280, 720)]
U, R, F, D, L, B = range(6)


def solved(n: int) -> np.ndarray:
    return np.repeat(np.arange(6, dtype=np.uint8), n * n)


def nearest_face(pixels: np.ndarray) -> np.ndarray:
    """Face colour nearest to each pixel [..., 3] up to brightness, as faces are lit differently."""
    unit = pixels / np.linalg.norm(pixels, axis=-1, keepdims=True)
    reference = FACE_COLOURS / np.linalg.norm(FACE_COLOURS, axis=-1, keepdims=True)
    return (unit @ reference.T).argmax(-1)


def sticker_centres(n: int, width: int = 720, height: int = 400) -> np.ndarray:
    """Pixel (x, y) of every sticker's centre, [6 n n, 2, 2]: sticker, view (solid cube, net), coordinate.

    NaN where a sticker is out of sight.
    """
    centres = np.full((6, n * n, 2, 2), np.nan)
    middle = image._tiles(n, 0.5, 0)[:, 0]
    for i, (view, faces, _) in enumerate(image._views(width, height)):
        for face in faces:
            centres[face, :, i] = image._map(view[face], middle)
    return centres.reshape(-1, 2, 2)


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


# --- cube pictures


@pytest.mark.parametrize("n", [2, 3])
@pytest.mark.parametrize("size", SIZES)
def test_every_sticker_has_its_colour_in_both_views(n, size):
    rng = np.random.default_rng(n)
    centres = sticker_centres(n, *size)
    for _ in range(5):
        stickers = rng.integers(0, 6, 6 * n * n).astype(np.uint8)
        picture = cube_image(stickers, *size)
        for view, faces in ((0, [U, R, F]), (1, range(6))):
            shown = ~np.isnan(centres[:, view, 0])
            assert shown.reshape(6, -1).all(1).nonzero()[0].tolist() == list(faces)
            x, y = np.floor(centres[shown, view]).astype(int).T
            np.testing.assert_array_equal(nearest_face(picture[y, x]), stickers[shown])
        # The net is evenly lit: there the colours are exact.
        np.testing.assert_array_equal(picture[y, x], FACE_COLOURS[stickers])


@pytest.mark.parametrize("n", [2, 3])
def test_each_sticker_changes_its_own_pixels_only(n):
    reference = cube_image(solved(n) * 0)
    changed = np.zeros(reference.shape[:2], int)
    for i in range(6 * n * n):
        stickers = solved(n) * 0
        stickers[i] = R
        changed += (cube_image(stickers) != reference).any(-1)
    assert changed.max() == 1
    np.testing.assert_array_equal((cube_image(solved(n) * 0 + R) != reference).any(-1), changed == 1)


def test_solid_view_shows_u_on_top_f_at_the_left_and_r_at_the_right():
    # Typed positions in the 720 x 400 picture, so that an error in the projection cannot excuse itself.
    picture = cube_image(solved(3))
    for face, (x, y) in ((U, (170, 90)), (F, (110, 220)), (R, (250, 210))):
        assert nearest_face(picture[y, x]) == face
    for face, (x, y) in ((U, (473, 110)), (L, (383, 200)), (F, (473, 200)), (R, (563, 200)), (B, (653, 200))):
        assert nearest_face(picture[y, x]) == face
    assert nearest_face(picture[290, 473]) == D


def test_corner_where_u_r_and_f_meet():
    # U9, R1 and F3 (Kociemba's names) are the three stickers of one corner: in the solid view they touch.
    near = sticker_centres(3)[[8, 9, 20], 0]
    spread = np.linalg.norm(near - near.mean(0), axis=1)
    others = np.delete(sticker_centres(3)[:, 0], [8, 9, 20], 0)
    assert spread.max() < np.nanmin(np.linalg.norm(others - near.mean(0), axis=1))
    assert near[1, 0] > near[2, 0] and near[0, 1] < near[1:, 1].min()


def test_rows_and_columns_run_as_in_the_net():
    solid = sticker_centres(3)[:, 0].reshape(6, 3, 3, 2)
    # U rows come towards the viewer (down, left) and its columns run to the right; R columns run away.
    assert (np.diff(solid[U, :, 0], axis=0) * [-1, 1] > 0).all()
    assert (np.diff(solid[[U, F, R]][..., 0], axis=2) > 0).all()
    assert (np.diff(solid[[F, R]][..., 1], axis=1) > 0).all()
    assert (np.diff(solid[R, 0, :, 1]) < 0).all() and (np.diff(solid[F, 0, :, 1]) > 0).all()
    flat = sticker_centres(3)[:, 1].reshape(6, 3, 3, 2)
    assert (np.diff(flat[..., 0], axis=2) > 0).all() and (np.diff(flat[..., 1], axis=1) > 0).all()


@pytest.mark.parametrize("n", [2, 3])
def test_solved_faces_are_uniform(n):
    picture = cube_image(solved(n))
    for view, faces in enumerate(([U, R, F], range(6))):
        x, y = np.floor(np.nan_to_num(sticker_centres(n)[:, view], nan=-1)).astype(int).T
        for face in picture[y, x].reshape(6, n * n, 3)[list(faces)]:
            assert (face == face[0]).all()
    # Equal faces paint equal areas in the net: count exact pixels right of the solid cube.
    areas = [(picture[:, 330:] == colour).all(-1).sum() for colour in FACE_COLOURS]
    assert min(areas) > 3000 and max(areas) < 1.1 * min(areas)


def test_pictures_are_deterministic_fresh_arrays():
    first = cube_image(solved(3))
    again = cube_image(solved(3))
    np.testing.assert_array_equal(first, again)
    assert first.shape == (400, 720, 3) and first.dtype == np.uint8 and first.flags.writeable
    first[:] = 0
    np.testing.assert_array_equal(cube_image(solved(3)), again)
    towers = hanoi_image(np.zeros(4, np.uint8), 3)
    copied = towers.copy()
    towers[:] = 0
    np.testing.assert_array_equal(hanoi_image(np.zeros(4, np.uint8), 3), copied)


# --- Hanoi pictures


@pytest.mark.parametrize(("disks", "pegs"), [(1, 3), (3, 3), (8, 5), (20, 3), (20, 6)])
@pytest.mark.parametrize("size", SIZES)
def test_disks_lie_on_their_pegs_in_their_colours(disks, pegs, size):
    rng = np.random.default_rng(disks)
    width, height = size
    colours = disk_colours(disks).astype(int)
    for _ in range(5):
        state = rng.integers(0, pegs, disks).astype(np.uint8)
        boxes = disk_boxes(state, pegs, width, height)
        picture = hanoi_image(state, pegs, width, height).astype(int)
        left, top, right, bottom = boxes.T
        x, y = (left + right) // 2, (top + bottom) // 2
        assert np.abs(picture[y, x] - colours).max() <= 16
        # The pegs divide the width evenly, up to a margin; a disk stays in its peg's part.
        part = (x - 0.04 * width) / (0.92 * width / pegs)
        np.testing.assert_array_equal(np.floor(part), state)
        np.testing.assert_allclose(part % 1, 0.5, atol=0.02)
        assert (right - left < 0.92 * width / pegs).all() and (np.diff(right - left) >= 0).all()
        for peg in range(pegs):
            stack = boxes[state == peg][::-1]  # largest first, from the base up
            if len(stack):
                assert stack[0, 3] == bottom.max()  # none floats above the base ...
                np.testing.assert_array_equal(stack[1:, 3], stack[:-1, 1])  # ... or above the disk below it
        assert top.min() >= 0 and bottom.max() < height


def test_towers_differ_from_an_empty_peg_only_where_disks_lie():
    one = hanoi_image(np.array([0, 0, 0], np.uint8), 3)
    other = hanoi_image(np.array([1, 0, 0], np.uint8), 3)
    rows, columns = np.nonzero((one != other).any(-1))
    # Pegs stand at x = 139, 360 and 581: the third tower is the same, the two others changed symmetrically.
    assert columns.max() < 450
    moved_from, moved_to = columns[columns < 250], columns[columns >= 250]
    assert abs((moved_from.min() + moved_from.max()) / 2 - 139) <= 1
    assert abs((moved_to.min() + moved_to.max()) / 2 - 360) <= 1
    assert rows[columns >= 250].max() > rows[columns < 250].max()  # it fell onto the base


# --- text


def test_cube_text_is_the_net():
    stickers = np.array(["URFDLB".index(c) for c in "UUFURBRRFFDLDDRDLLBLBUBB"], np.uint8)
    assert plain(cube_ansi(stickers)).split("\n") == [
        "      U U",
        "      F U",
        " L L  F F  R B  B U",
        " B L  D L  R R  B B",
        "      D D",
        "      R D",
    ]


def test_cube_text_has_the_colour_of_each_letter():
    stickers = np.random.default_rng(0).permutation(solved(3))
    text = cube_ansi(stickers)
    cells = re.findall(r"\x1b\[48;2;(\d+);(\d+);(\d+)m\x1b\[\d+m (.)", text)
    assert len(cells) == 54
    for *rgb, letter in cells:
        assert FACE_COLOURS["URFDLB".index(letter)].tolist() == [int(c) for c in rgb]
    assert all(line.endswith("\x1b[0m") for line in text.split("\n"))  # no colour runs into the margin


def test_hanoi_text():
    assert plain(hanoi_ansi(np.array([1, 0, 2, 0], np.uint8), 3)).split("\n") == [
        "   │      │      │",
        "   │      │      │",
        "   │      │      │",
        "  ███     │      │",
        " █████   ▐█▌   ▐███▌",
        "▀" * 21,
    ]


@pytest.mark.parametrize("disks", [1, 2, 7, 20])
def test_hanoi_text_shows_every_disk_once_and_fits(disks):
    lines = plain(hanoi_ansi(np.full(disks, 2, np.uint8), 3)).split("\n")
    assert len(lines) == disks + 2 and max(map(len, lines)) < 80
    sizes = [2 * line.count("█") + line.count("▐") + line.count("▌") for line in lines[1:-1]]
    assert sizes == [2 * i + 4 for i in range(disks)]


# --- other pictures


def test_text_image_shows_the_text():
    empty, some = text_image(""), text_image("\x1b[31mhello\x1b[0m\nworld")
    assert some.shape == (400, 720, 3) and some.dtype == np.uint8
    rows, columns = np.nonzero((some != empty).any(-1))
    assert len(rows) > 300
    assert abs((rows.min() + rows.max()) / 2 - 200) < 20 and abs((columns.min() + columns.max()) / 2 - 360) < 20
    np.testing.assert_array_equal(some, text_image("hello\nworld"))
    for text in ("x" * 150, "x\n" * 40):  # shrinks until it fits
        long = text_image(text) != empty
        assert long.any() and not long[:4].any() and not long[-4:].any() and not long[:, [0, 1, -2, -1]].any()


def test_gif_holds_the_frames_at_the_right_pace(tmp_path):
    frames = [hanoi_image(np.array([i % 3, i // 3], np.uint8), 3, 240, 160) for i in range(9)]
    save_gif(frames, tmp_path / "a.gif", fps=30)
    with Image.open(tmp_path / "a.gif") as gif:
        assert gif.n_frames == 9 and gif.size == (240, 160)
        total = 0
        for i, frame in enumerate(frames):
            gif.seek(i)
            total += gif.info["duration"]
            assert np.abs(np.asarray(gif.convert("RGB")).astype(int) - frame).mean() < 3
        assert total == 300


def test_gif_keeps_the_time_of_repeated_frames(tmp_path):
    a, b = (hanoi_image(np.array([p], np.uint8), 3, 240, 160) for p in (0, 1))
    save_gif([a, a, a, b], tmp_path / "a.gif", fps=10)
    with Image.open(tmp_path / "a.gif") as gif:
        assert gif.n_frames == 2 and gif.info["duration"] == 300


# --- window


@pytest.fixture
def pygame(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    pygame = pytest.importorskip("pygame")
    yield pygame
    pygame.display.quit()


def on_screen(pygame) -> np.ndarray:
    surface = pygame.display.get_surface()
    flat = np.frombuffer(pygame.image.tobytes(surface, "RGB"), np.uint8)
    return flat.reshape(surface.get_height(), surface.get_width(), 3)


def test_window_shows_the_frame(pygame):
    window = Window()
    assert not window.is_open
    for frame in (cube_image(solved(3)), cube_image(solved(2)[::-1]), cube_image(solved(2), 320, 240)):
        window.show(frame, fps=0)
        assert window.is_open
        np.testing.assert_array_equal(on_screen(pygame), frame)
    window.close()
    window.close()
    assert not window.is_open and not pygame.display.get_init()


def test_window_closed_by_the_user_stays_closed_until_close(pygame):
    window, frame = Window(), cube_image(solved(2))
    window.show(frame, fps=0)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    window.show(frame, fps=0)
    window.show(frame, fps=0)
    assert not window.is_open and not pygame.display.get_init()
    window.close()
    window.show(frame, fps=0)
    assert window.is_open


def test_window_keeps_the_frame_rate(pygame):
    window, frame = Window(), cube_image(solved(2), 64, 64)
    window.show(frame, fps=50)
    start = time.perf_counter()
    for _ in range(5):
        window.show(frame, fps=50)
    assert time.perf_counter() - start > 0.08
    window.close()


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda w: pickle.loads(pickle.dumps(w))])
def test_copied_window_starts_unopened(pygame, duplicate):
    window, frame = Window("mine"), cube_image(solved(2))
    window.show(frame, fps=0)
    twin = duplicate(window)
    assert twin.title == "mine" and not twin.is_open and window.is_open
    twin.close()  # closing what was never open leaves the original alone
    assert pygame.display.get_init()
    twin.show(frame, fps=0)
    twin.close()
    window.show(frame, fps=0)
    np.testing.assert_array_equal(on_screen(pygame), frame)


def test_window_without_pygame_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(DependencyNotInstalled, match=r'needs pygame-ce: pip install "rubiks-gym\[render\]"'):
        Window().show(cube_image(solved(2)), fps=0)
    Window().close()


# --- imports and bad input


def test_package_imports_neither_pillow_nor_pygame():
    code = (
        "import sys, rubiks_gym.rendering, rubiks_gym.rendering.ansi, rubiks_gym.rendering.window;"
        "print(sorted({'PIL', 'pygame'} & set(sys.modules)))"
    )
    path = [p for p in sys.path if p]
    run = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {path!r}; {code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize("puzzle", [Rubik2x2(), Rubik3x3(), Hanoi(3, 3)], ids=str)
def test_states_that_cannot_be_are_not_drawn(puzzle):
    for draw in (puzzle.ansi, puzzle.image):
        for wrong in (puzzle.goal[:-1], np.full_like(puzzle.goal, 99), puzzle.goal + 0.5):
            with pytest.raises(ValueError, match=puzzle.name):
                draw(wrong)


def test_other_bad_input(tmp_path, pygame):
    frame = cube_image(solved(2))
    for size in ((721, 400), (720, 401), (32, 400)):
        for draw in (lambda w, h: cube_image(solved(2), w, h), lambda w, h: text_image("x", w, h)):
            with pytest.raises(ValueError, match=r"even .* at least 64, got \d+ x \d+"):
                draw(*size)
    with pytest.raises(ValueError, match="draw at most 140 disks"):
        hanoi_image(np.zeros(141, np.uint8), 3)
    hanoi_image(np.zeros(140, np.uint8), 3)
    for frames, fps, message in (
        ([], 4, "at least one frame"),
        ([frame], 0, "fps must be above 0"),
        ([frame], 60, "at most 50, got 60"),
        ([frame, frame[:-2]], 4, "one size"),
        ([frame / 255], 4, r"uint8 \[H, W, 3\]"),
    ):
        with pytest.raises(ValueError, match=message):
            save_gif(frames, tmp_path / "a.gif", fps)
    with pytest.raises(ValueError, match=r"uint8 \[H, W, 3\], got float64"):
        Window().show(frame / 255, fps=0)
