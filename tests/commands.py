"""Python programs in processes of their own, without the seconds that each would need to import torch.

One process imports the packages of others that our programs use, and waits. For every program it forks, and the fork becomes
that program: with a folder, environment, arguments, output and exit code of its own. Our own packages it imports itself.
That an interpreter needs nothing but its command is for tests that start one: test_packaging.py, test_cli.py.
"""

import atexit
import gc
import importlib
import json
import os
import runpy
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGES = ("matplotlib.figure", "numba", "rich.progress", "sb3_contrib", "scipy.stats", "torch", "tyro")


def run(*words, timeout=300, **settings):
    """Run `python words` to its end; what subprocess.run would return."""
    with Program(*words, **settings) as program:
        return subprocess.CompletedProcess(words, program.wait(timeout), program.printed("stdout"), program.printed("stderr"))


class Program:
    """A program that runs: `python words`, that is -m MODULE, -c TEXT or a file, then arguments.

    Used in a `with` statement, it is killed if it still runs at the end.
    """

    def __init__(self, *words, cwd=ROOT, env=None, stdin=""):
        self.folder, self.code = Path(tempfile.mkdtemp(dir=_folder())), None
        files = [str(self.folder / name) for name in ("stdin", "stdout", "stderr")]
        Path(files[0]).write_text(stdin)
        own = {**os.environ, **(env or {})}
        self.process = _ask({"words": [*map(str, words)], "cwd": str(cwd), "env": own, "files": files})

    def poll(self):
        """Its exit code, or None."""
        if self.code is None:
            self.code = _ask({"poll": self.process})
        return self.code

    def wait(self, timeout=300):
        """Its exit code, once it has one."""
        end = time.monotonic() + timeout
        while self.poll() is None:
            if time.monotonic() > end:
                raise TimeoutError(f"a program was still running after {timeout} seconds")
            time.sleep(0.003)
        return self.code

    def printed(self, stream):
        """What it has written so far to stdout or stderr."""
        return (self.folder / stream).read_text()

    def send_signal(self, number):
        os.kill(self.process, number)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.poll() is None:
            self.send_signal(signal.SIGKILL)
            self.wait()


@cache
def _folder():
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _ask(question):
    server = _server()
    server.stdin.write(json.dumps(question) + "\n")
    server.stdin.flush()
    return json.loads(server.stdout.readline())


@cache
def _server():
    command = [sys.executable, "-m", "tests.commands"]
    server = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(server.communicate)  # an end of its input is the end of it
    return server


# The process that forks -------------------------------------------------------------------------------------------------


def serve():
    """Fork for each program asked for, and answer how it is; returns, in the fork, what to run, and None at the end."""
    for line in sys.stdin:
        asked = json.loads(line)
        if "poll" in asked:
            process, status = os.waitpid(asked["poll"], os.WNOHANG)
            answer = os.waitstatus_to_exitcode(status) if process else None
        else:
            answer = os.fork()
            if answer == 0:
                return asked
        print(json.dumps(answer), flush=True)
    return None


def become(asked):
    """Run a program as a fresh interpreter would; its exit code."""
    for number, file in enumerate(asked["files"]):
        opened = os.open(file, os.O_RDWR | os.O_CREAT)
        os.dup2(opened, number)
        os.close(opened)
    os.chdir(asked["cwd"])
    os.environ.clear()
    os.environ.update(asked["env"])
    first, *words = asked["words"]
    program, *words = words if first in ("-m", "-c") else [first, *words]
    here = os.getcwd() if first in ("-m", "-c") else os.path.dirname(program)
    sys.path[:1] = [here, *filter(None, asked["env"].get("PYTHONPATH", "").split(os.pathsep))]
    sys.argv = [first, *words]
    try:
        if first == "-m":
            runpy.run_module(program, run_name="__main__", alter_sys=True)
        elif first == "-c":
            exec(compile(program, "<string>", "exec"), {"__name__": "__main__"})
        else:
            runpy.run_path(program, run_name="__main__")
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def leave(code):
    """End without taking every module apart, which would take longer than most programs."""
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    for package in PACKAGES:
        importlib.import_module(package)
    gc.freeze()
    asked = serve()
    if asked:
        leave(become(asked))
