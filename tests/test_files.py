"""Files are written whole or not at all, and reading one runs nothing."""

import json
import pickle
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from rubiks_gym import files


def test_state_and_arrays_come_back_as_they_were(tmp_path):
    arrays = {"weights": np.arange(6, dtype=np.float32).reshape(2, 3), "none": np.zeros((0, 4), np.int8), "word": np.array("é")}
    state = {"step": 3, "nested": {"list": [1, None, 0.1]}}
    files.save(tmp_path / "new" / "folder" / "1.npz", state, arrays)
    read, back = files.load(tmp_path / "new" / "folder" / "1.npz")
    assert read == state and back.keys() == arrays.keys()
    for name, array in arrays.items():
        assert back[name].dtype == array.dtype and (back[name] == array).all() and back[name].shape == array.shape


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    file, text = tmp_path / "1.npz", tmp_path / "config.json"
    files.save(file, {"step": 1}, {})
    files.write_text(text, "old")

    def full(*_, **__):
        raise OSError("no space left on device")

    monkeypatch.setattr(np, "savez", full)
    monkeypatch.setattr(type(text), "write_text", full)
    with pytest.raises(OSError, match="no space"):
        files.save(file, {"step": 2}, {})
    with pytest.raises(OSError, match="no space"):
        files.write_text(text, "new")
    assert files.load(file)[0] == {"step": 1} and text.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1.npz", "config.json"]


@pytest.mark.parametrize("cut", [0, 1, 30, 0.5, -1])
def test_a_file_cut_short_is_called_damaged(tmp_path, cut):
    files.save(tmp_path / "1.npz", {"step": 1}, {"weights": np.arange(1000)})
    whole = (tmp_path / "1.npz").read_bytes()
    (tmp_path / "1.npz").write_bytes(whole[: int(cut * len(whole)) if isinstance(cut, float) else cut])
    with pytest.raises(ValueError, match=r"1\.npz is damaged"):
        files.load(tmp_path / "1.npz")


def test_every_flipped_bit_is_noticed_or_harmless(tmp_path):
    file = tmp_path / "1.npz"
    files.save(file, {"step": 1}, {"weights": np.arange(9), "bias": np.ones(2, np.float32)})
    whole, noticed = file.read_bytes(), 0
    for bit in range(8 * len(whole)):
        flipped = bytearray(whole)
        flipped[bit // 8] ^= 1 << bit % 8
        file.write_bytes(flipped)
        try:
            state, arrays = files.load(file)
        except ValueError as error:
            noticed += str(error).startswith(f"{file} is damaged")
            continue
        noticed += 1
        assert state == {"step": 1} and (arrays["weights"] == np.arange(9)).all() and (arrays["bias"] == 1).all()
        assert arrays.keys() == {"weights", "bias"}
    assert noticed == 8 * len(whole)


def npy(shape, content=b"", dtype="<f8"):
    header = f"{{'descr': {dtype!r}, 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + content


@pytest.mark.parametrize(
    "content",
    [
        npy("(99999999999999,)"),
        npy("(-1,)"),
        npy("(2, 3)", b"short"),
        npy("(1,)", bytes(8), "|O"),
        npy("((("),
        npy("()", dtype="x"),
        b"text",
    ],
)
def test_arrays_that_are_not_what_they_say_are_refused_before_memory_is_taken(tmp_path, content):
    with zipfile.ZipFile(tmp_path / "1.npz", "w") as file:
        file.writestr("json.npy", npy("(2,)", b"{}", "|u1"))
        file.writestr("weights.npy", content)
    with pytest.raises(ValueError, match=r"1\.npz is damaged"):
        files.load(tmp_path / "1.npz")


def test_a_small_file_that_would_unpack_to_a_large_one_is_refused(tmp_path):
    np.savez_compressed(tmp_path / "1.npz", json=np.frombuffer(b"{}", np.uint8), weights=np.zeros(1 << 20))
    with pytest.raises(ValueError, match="damaged: json.npy is compressed"):
        files.load(tmp_path / "1.npz")


def test_a_plain_array_is_no_stored_file(tmp_path):
    np.save(tmp_path / "1.npy", np.zeros(3))
    with pytest.raises(ValueError, match="damaged"):
        files.load(tmp_path / "1.npy")


def test_what_a_killed_process_left_is_swept_and_what_a_living_one_writes_is_not(tmp_path):
    program = "import os, sys; from pathlib import Path; from rubiks_gym import files\n"
    program += "with files.written_beside(Path(sys.argv[1])) as file: file.write_text('half'); os.kill(os.getpid(), 9)"
    subprocess.run([sys.executable, "-c", program, tmp_path / "killed.txt"], cwd=Path(__file__).parent.parent)
    assert len(list(tmp_path.iterdir())) == 1
    with files.written_beside(tmp_path / "alive.txt") as beside:
        beside.write_text("alive")
        files.write_text(tmp_path / "other.txt", "whole")
        assert {file.name for file in tmp_path.iterdir()} == {beside.name, "other.txt"}


class Bomb:
    def __reduce__(self):
        return exec, ("raise SystemExit('the pickle was run')",)


def test_reading_runs_no_pickle(tmp_path):
    (tmp_path / "1.npz").write_bytes(pickle.dumps(Bomb()))
    np.savez(tmp_path / "2.npz", json=np.frombuffer(b"{}", np.uint8), weights=np.array([Bomb()], object))
    for name in ("1.npz", "2.npz"):
        with pytest.raises(ValueError, match="damaged"):
            files.load(tmp_path / name)


def test_what_cannot_be_read_again_is_not_written(tmp_path):
    with pytest.raises(ValueError, match="Python objects"):
        files.save(tmp_path / "1.npz", {}, {"weights": np.array([{}])})
    with pytest.raises(ValueError, match="may not be called 'json'"):
        files.save(tmp_path / "1.npz", {}, {"json": np.zeros(1)})
    np.savez(tmp_path / "list.npz", json=np.frombuffer(json.dumps([1]).encode(), np.uint8))
    with pytest.raises(ValueError, match="its state is not an object"):
        files.load(tmp_path / "list.npz")
    with pytest.raises(ValueError, match="does not exist"):
        files.load(tmp_path / "none.npz")
