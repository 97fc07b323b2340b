"""Install the wheel and the sdist into empty environments of every Python that can be had, and use them: make fresh

Pythons are looked for on the path, in pyenv and by uv (which fetches those that are missing, where it can). What pip needs is
downloaded, so this is no part of the tests.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
VERSIONS = ("3.10", "3.11", "3.12", "3.13")


def find(version: str) -> str | None:
    """An interpreter of a version, None if there is none."""
    places = sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python"))
    found = [shutil.which(f"python{version}"), *map(str, places)]
    if uv := shutil.which("uv"):
        done = subprocess.run([uv, "python", "find", version], capture_output=True, text=True)
        found.append(done.stdout.strip() or None)
    for python in filter(None, found):  # what stands on the path may be a shim of pyenv that leads nowhere
        asked = subprocess.run(
            [python, "-c", "import sys; print(*sys.version_info[:2], sep='.')"], capture_output=True, text=True
        )
        if asked.stdout.strip() == version:
            return python
    return None


def build(folder: Path) -> list[Path]:
    """The sdist, and the wheel that is built from it."""
    subprocess.run([sys.executable, "-m", "build", "--outdir", folder, ROOT], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([sys.executable, "-m", "twine", "check", "--strict", *folder.iterdir()], check=True)
    return sorted(folder.iterdir())


def install_and_use(python: str, distribution: Path, folder: Path) -> str:
    """What `tests/installed.py` says in an empty environment."""
    subprocess.run([python, "-m", "venv", folder], check=True)
    own = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    subprocess.run([own, "-m", "pip", "install", "--quiet", distribution], check=True, stderr=subprocess.DEVNULL)
    check = shutil.copy(ROOT / "tests" / "installed.py", folder)  # beside nothing that could be imported by mistake
    return subprocess.run([own, check], check=True, cwd=folder, stdout=subprocess.PIPE, text=True).stdout.strip()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.every_python", description=__doc__.splitlines()[0])
    parser.add_argument("--versions", nargs="+", default=VERSIONS, help="versions of Python (default: 3.10 to 3.13)")
    args = parser.parse_args()
    missing = []
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "dist").mkdir()
        distributions = build(Path(folder) / "dist")
        for version in args.versions:
            python = find(version)
            if python is None:
                missing.append(version)
                continue
            for distribution in distributions:
                kind = "wheel" if distribution.suffix == ".whl" else "sdist"
                print(f"{kind}: {install_and_use(python, distribution, Path(folder) / f'{version}-{kind}')}", flush=True)
    if missing:
        raise SystemExit(f"not tried, since no interpreter was found: Python {', '.join(missing)}")


if __name__ == "__main__":
    main()
