"""What all command lines share: modules to import first, and faults as one clear line."""

import importlib
import os
import sys
import time
from collections.abc import Callable
from typing import TextIO

imported: list[str] = []  # modules that --import named, for processes that this one starts


def run(main: Callable[[], object]) -> None:
    """Call main as a program: modules named by --import first, and a fault of the user's is one line, not a traceback."""
    try:
        import_modules()
        main()
        sys.stdout.flush()
    except BrokenPipeError:  # whoever reads our output, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (ValueError, OSError, ModuleNotFoundError, NotImplementedError) as error:
        raise SystemExit(f"error: {error}") from None
    except MemoryError as error:
        raise SystemExit(f"error: not enough memory ({error}): ask for less at a time") from None
    except KeyboardInterrupt:
        raise SystemExit("interrupted") from None


def import_modules() -> None:
    """Take --import MODULE, as often as it is there, out of sys.argv and import those modules.

    That is how a command line gets to know a puzzle of one's own: the module registers it.
    """
    rest, modules = [], []
    words = iter(sys.argv[1:])
    for word in words:
        if word == "--import":
            modules.append(next(words, ""))
        elif word.startswith("--import="):
            modules.append(word.partition("=")[2])
        else:
            rest.append(word)
    sys.argv[1:] = rest
    for module in modules:
        if not module or module.startswith("-"):
            raise ValueError("--import needs the name of a module, for example --import my_puzzles")
        look_here()
        importlib.import_module(module)
        imported.append(module)


def look_here() -> None:
    """Let modules be found in the current folder too, as `python -m` does and an installed command does not."""
    if not {os.getcwd(), ""} & set(sys.path):
        sys.path.insert(0, os.getcwd())


def progress(title: str, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> Callable[[float], None]:
    """A function that shows a share of 0..1 and the time left on standard error: a bar on a terminal, else lines."""
    stream = stream or sys.stderr
    began, shown = clock(), -float("inf")

    def show(share: float) -> None:
        nonlocal shown
        now = clock()
        if now - shown < (0.1 if stream.isatty() else 10) and share < 1:
            return
        shown = now
        text = f"{share:.0%}" + (f", {(now - began) * (1 - share) / share:.0f} s left" if 0.01 < share < 1 else "")
        if stream.isatty():
            end = "\n" if share >= 1 else ""
            print(f"\r{title} [{'#' * round(30 * share):30}] {text:20}", end=end, file=stream, flush=True)
        else:
            print(f"{title}: {text}", file=stream, flush=True)

    return show
