"""Do other people's learners run on these environments? `make clients`, or `python -m clients --help`.

Every library gets a virtual environment of its own with the wheel of this checkout in it. Its program here makes a short
learning run on each cube, with one environment and with many, all keywords left at their defaults.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import tyro

from benchmarks import timing
from benchmarks.speed import versions
from benchmarks.timing import finish
from results.records import ROOT


class Client(NamedTuple):
    """A library, what pip installs for it, and the program that uses it."""

    package: str
    more: tuple[str, ...]
    program: str


CLIENTS = [
    *(Client("gymnasium", (f"gymnasium=={version}",), "gymnasium_random.py") for version in ("0.29.1", "1.0.0", "1.1.1")),
    Client("gymnasium", (), "gymnasium_random.py"),
    Client("stable-baselines3", ("sb3-contrib",), "sb3_all.py"),
    Client("rl-zoo3", (), "zoo_ppo.py"),
    Client("torchrl", (), "torchrl_ppo.py"),
    Client("tianshou", (), "tianshou_dqn.py"),
    Client("ray", ("ray[rllib]", "torch"), "rllib_ppo.py"),
    Client("skrl", ("skrl[torch]",), "skrl_ppo.py"),
    Client("torch", ("gymnasium==0.29.1",), "cleanrl_ppo.py"),
    Client("torch", ("gymnasium==0.29.1",), "cleanrl_dqn.py"),
]
TORCH = next(line for line in (ROOT / "constraints.txt").read_text().splitlines() if line.startswith("torch=="))
PATIENCE = 900  # seconds for one program


@dataclass
class Args(timing.Args):
    """Run other people's learners on the cubes."""

    only: tuple[str, ...] = ()
    """Packages or programs, by a part of their names; none: all."""
    pythons: tuple[Path, ...] = (Path(sys.executable),)
    """Interpreters: the first runs all programs, the others gymnasium_random.py with the newest gymnasium."""
    folder: Path = ROOT / ".venv-clients"
    """Where virtual environments are made, one at a time; each is removed after its programs have run."""


def installed(python: Path, client: Client, wheel: Path, place: Path) -> str:
    """Make a virtual environment with a library and the suite in it; what went wrong, or nothing."""
    subprocess.run([python, "-m", "venv", "--clear", place], check=True)
    (place / "constraints.txt").write_text(TORCH)
    pip = [place / "bin" / "python", "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    done = subprocess.run(
        [*pip, "-c", place / "constraints.txt", client.package, *client.more, wheel], stderr=subprocess.PIPE, text=True
    )
    return last_line(done.stderr, "not installed") if done.returncode else ""


def outcome(place: Path, program: str, env_id: str, mode: str) -> str:
    """Run a program; "works", or the last line of what it says."""
    command = [place / "bin" / "python", ROOT / "clients" / program, env_id, mode]
    env = os.environ | {"OMP_NUM_THREADS": "1"}  # the networks are too small to share out
    with tempfile.TemporaryDirectory() as elsewhere:  # where no checkout is found
        try:
            done = subprocess.run(command, cwd=elsewhere, env=env, capture_output=True, text=True, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            return f"more than {PATIENCE} s"
    return "works" if done.returncode == 0 else last_line(done.stderr, f"exit code {done.returncode}")


def last_line(text: str, otherwise: str) -> str:
    """The end of a message, without what would break a table."""
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].replace("|", "/")[:120] if lines else otherwise


def row(python: Path, client: Client, wheel: Path, place: Path) -> dict[str, str]:
    """A line of the table."""
    fault = installed(python, client, wheel, place)
    found = {name.replace("_", "-"): version for name, version in versions(place / "bin" / "python").items()}
    asked = ["-c", "import platform; print(platform.python_version())"]
    told = {
        "library": f"{client.package} {found.get(client.package, '')}".strip(),
        "gymnasium": found.get("gymnasium", ""),
        "Python": subprocess.run([place / "bin" / "python", *asked], check=True, stdout=-1, text=True).stdout.strip(),
        "program": f"[{client.program}](../clients/{client.program})",
    }
    for env_id in ("Rubik2x2-v0", "Rubik3x3-v0"):
        for mode in ("single", "vector"):
            told[f"{env_id}, {mode}"] = fault or outcome(place, client.program, env_id, mode)
    print(*told.values(), sep="  ", flush=True)
    return told


def main(args: Args) -> int:
    """Install and run everything."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", folder, ROOT]
        subprocess.run(command, check=True)
        wheel = next(Path(folder).glob("*.whl"))
        for client in CLIENTS:
            for python in args.pythons if client == Client("gymnasium", (), client.program) else args.pythons[:1]:
                if not args.only or any(part in client.package + client.program for part in args.only):
                    rows.append(row(python, client, wheel, args.folder))
    shutil.rmtree(args.folder, ignore_errors=True)
    if not rows:
        raise SystemExit(f"error: no client is called {' or '.join(args.only)}")
    names = [python.resolve().name for python in args.pythons]  # python3.11, say
    finish("clients", rows, args, command=" ".join(["python -m clients --pythons", *names]))
    return int(args.check and any(cell != "works" for told in rows for cell in list(told.values())[4:]))


if __name__ == "__main__":
    sys.exit(main(tyro.cli(Args, prog="python -m clients")))
