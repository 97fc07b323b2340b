"""How far a long piece of work has come: a bar on a terminal, and lines one after another where there is none."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol, TextIO

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from train.clock import CLOCK, Clock
from train.text import duration, percent

LINE_SECONDS = 10  # least time between two lines
Phases = tuple[tuple[int, float], ...]  # (steps, work of each relative to the others) one after another


class Show(Protocol):
    """Tell how many steps are done, with metrics to show beside."""

    def __call__(self, done: int, **metrics: float) -> None: ...


@contextmanager
def progress(
    total: int, title: str, done: int = 0, phases: Phases = (), clock: Clock = CLOCK, stream: TextIO | None = None
) -> Iterator[Show]:
    """Yield a function that shows the progress.

    Args:
        total: steps in all.
        title: what is going on.
        done: steps that were done before, which took none of this time.
        phases: where steps differ in work, so that the time left is that of the work left.
        clock: what tells the time.
        stream: where to, standard output unless given.
    """
    stream, phases = stream or sys.stdout, phases or ((total, 1.0),)
    began = clock.wall()
    first: tuple[float, float] | None = None  # time and share when first told: until then code was compiled

    def times(done: int) -> str:
        nonlocal first
        now, share = clock.wall(), share_done(done, phases)
        first = first or (now, share)
        then, before = first
        left = f", {duration((now - then) * (1 - share) / (share - before))} left" if before < share < 1 else ""
        return f"{duration(now - began)} elapsed{left}"

    if stream.isatty():
        columns = [TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[text]}")]
        with Progress(*columns, console=Console(file=stream)) as bar:
            task = bar.add_task(title, total=1, text=f"{done}/{total}")
            bar.update(task, completed=share_done(done, phases))

            def draw(done: int, **metrics: float) -> None:
                text = "  ".join([f"{done}/{total}", times(done), *_texts(metrics)])
                bar.update(task, completed=share_done(done, phases), text=text)

            yield draw
        return

    printed_at, printed_done = -float("inf"), -1
    waiting = ""  # the newest line, if it has not been printed

    def write(done: int, **metrics: float) -> None:
        nonlocal printed_at, printed_done, waiting
        share = percent(share_done(done, phases))
        waiting = f"{title}: {', '.join([f'{done} of {total} ({share})', *_texts(metrics), times(done)])}"
        if clock.wall() - printed_at >= LINE_SECONDS or done == total:
            if done != printed_done:
                print(waiting, file=stream, flush=True)
            printed_at, printed_done, waiting = clock.wall(), done, ""

    yield write
    if waiting:
        print(waiting, file=stream, flush=True)


def share_done(done: int, phases: Phases) -> float:
    """The share of all work that the first `done` steps are."""
    work = so_far = 0.0
    for steps, each in phases:
        work += steps * each
        so_far += min(done, steps) * each
        done = max(0, done - steps)
    return so_far / work if work else 1.0


def _texts(metrics: dict[str, float]) -> list[str]:
    return [f"{name} {value:.4g}" for name, value in metrics.items()]
