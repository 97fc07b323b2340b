"""Files are written whole or not at all, and reading one runs nothing."""

import json
import pickle

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


def test_every_flipped_byte_is_noticed_or_harmless(tmp_path, rng):
    file = tmp_path / "1.npz"
    files.save(file, {"step": 1}, {"weights": np.arange(50)})
    whole = file.read_bytes()
    for at in rng.choice(len(whole), 200, replace=False):
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 0x5A]) + whole[at + 1 :])
        try:
            state, arrays = files.load(file)
        except ValueError:
            continue
        for array in arrays.values():
            assert (array == np.arange(50)).all()
        assert state == {"step": 1}


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


def test_text_goes_between_its_marks_and_nowhere_else(tmp_path):
    file = tmp_path / "README.md"
    file.write_text("a\n<!-- x:begin -->\nold\n<!-- x:end -->\nb\n<!-- y:begin -->\nkept\n<!-- y:end -->\n")
    files.write_between(file, "x", r"new \1")
    assert file.read_text() == "a\n<!-- x:begin -->\nnew \\1\n<!-- x:end -->\nb\n<!-- y:begin -->\nkept\n<!-- y:end -->\n"
    with pytest.raises(ValueError, match="has no marks <!-- z:begin -->"):
        files.write_between(file, "z", "")
