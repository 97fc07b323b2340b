"""The queue of jobs and the worker processes that do them.

A worker does one job at a time. A job that is cancelled is asked to stop, which a search does as soon as it looks at its clock;
a worker that does not within half a second is killed, and so is one that overruns its seconds. The next job gets a new one.
"""

import asyncio
import contextlib
import json
import os
import secrets
import sys
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from rubiks_gym.play.limits import Limits

_STOP_SECONDS = 0.5  # for a worker to stop by itself
_GRACE = 10.0  # seconds beyond its budget that a search may take: for the layer it is at, and for what is told of it
_LINE = 1 << 24  # bytes of an answer


class BusyError(Exception):
    """More jobs wait than may."""


@dataclass(eq=False)
class Job:
    """A piece of work: `task` is what a worker is told of it."""

    task: dict[str, Any]
    status: str = "queued"  # then running; in the end done, failed or cancelled
    result: dict[str, Any] | None = None
    error: str | None = None
    note: str | None = None  # what a worker has to say while it runs
    again: bool = False  # whether a worker had ended before it could begin
    began: float | None = None
    seconds: float = 0.0  # that it took
    id: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    stop: asyncio.Event = field(default_factory=asyncio.Event)  # it is to be cancelled
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    def elapsed(self) -> float:
        """Seconds that it has run."""
        return self.seconds if self.began is None or self.ended.is_set() else time.monotonic() - self.began

    def end(self, status: str, result: dict[str, Any] | None = None, error: str | None = None) -> None:
        """Whatever comes of it."""
        self.seconds = self.elapsed()
        self.status, self.result, self.error, self.note = status, result, error, None
        self.ended.set()


class Jobs:
    """All jobs: those that wait, those that run, and the last ones that have ended."""

    def __init__(self, limits: Limits, modules: Sequence[str] = ()) -> None:
        self.limits, self.modules = limits, tuple(modules)
        self.queue: deque[Job] = deque()
        self.jobs: dict[str, Job] = {}
        self.busy = 0  # workers that do one
        self.hands: list[asyncio.Task] = []  # a task for each worker
        self.ready = asyncio.Semaphore(0)  # is released for each job that comes
        self.closed = False

    def start(self, warm: bool = True) -> None:
        """Start one worker, by default with the trained tables in it; others start when there is work for them."""
        self.hands.append(asyncio.create_task(self._hand(warm)))

    async def close(self) -> None:
        """End all workers, and with them all jobs."""
        self.closed = True
        for hand in self.hands:
            hand.cancel()
        await asyncio.gather(*self.hands, return_exceptions=True)
        for job in self.jobs.values():
            if not job.ended.is_set():
                job.end("cancelled")

    def submit(self, task: dict[str, Any]) -> Job:
        """Put a job into the queue."""
        if self.closed:
            raise BusyError("the server is being stopped")
        if len(self.queue) >= self.limits.queued:
            raise BusyError(f"{len(self.queue)} jobs are waiting already, as many as may: try again later")
        job = Job(task)
        self.jobs[job.id] = job
        self.queue.append(job)
        for id in [id for id, old in self.jobs.items() if old.ended.is_set()][: -self.limits.kept]:
            del self.jobs[id]
        if len(self.queue) > len(self.hands) - self.busy and len(self.hands) < self.limits.workers:
            self.hands.append(asyncio.create_task(self._hand()))
        self.ready.release()
        return job

    def position(self, job: Job) -> int:
        """How many jobs are before it in the queue."""
        return self.queue.index(job) if job.status == "queued" else 0

    async def cancel(self, job: Job) -> None:
        """Stop a job, and wait until it has stopped."""
        job.stop.set()
        if job.status == "queued":
            self.queue.remove(job)
            job.end("cancelled")
        await job.ended.wait()

    async def _hand(self, warm: bool = False) -> None:
        """Do one job after another with a worker of one's own."""
        worker: Worker | None = None
        try:
            while True:
                if worker is None or worker.has_ended():
                    worker = await Worker.start(self.limits, self.modules, warm)
                if worker is None:
                    await self._no_worker()
                elif not self.queue:
                    await self.ready.acquire()
                elif not await self._do(self.queue.popleft(), worker):
                    await worker.kill()
                    warm = warm and not worker.worn
                    worker = None
        finally:
            if worker is not None:
                await worker.kill()

    async def _no_worker(self) -> None:
        """Workers do not start: tell whoever waits, and try again when there is another job."""
        while not self.queue:
            await self.ready.acquire()
        self.queue.popleft().end("failed", error="no worker process starts; the server's terminal says why")

    async def _do(self, job: Job, worker: "Worker") -> bool:
        """Have a job done; returns whether the worker can go on."""
        job.status, job.began, job.note = "running", time.monotonic(), "getting ready"
        self.busy += 1
        try:
            worker.send({"job": {**job.task, "id": job.id}})
            deadline, limit, heard = job.began + self.limits.preparation, "its preparation", False
            while True:
                message = await _first(worker.receive(), job.stop, deadline - time.monotonic())
                if message is _STOPPED:
                    return await self._stop(job, worker)
                if message is _LATE:
                    job.end("failed", error=f"the job took longer than {limit} may, and was stopped")
                    return False
                if message is None and (heard or job.again):
                    job.end("failed", error=f"the worker process ended ({await worker.fate()})")
                    return False
                worker.worn = message == {"worn": True}
                if message is None or worker.worn:
                    self._put_back(job)
                    return False
                heard = True
                if "searching" in message:
                    job.note, limit = None, "its search"
                    deadline = time.monotonic() + job.task["seconds"] + _GRACE
                elif "note" in message:
                    job.note = message["note"]
                else:
                    _finish(job, message)
                    return "worn" not in message
        finally:
            self.busy -= 1
            if job.status == "running":  # the server is shutting down
                job.end("cancelled")

    def _put_back(self, job: Job) -> None:
        """Have a job done by the next worker: this one had ended before, or is worn."""
        job.status, job.began, job.note, job.again = "queued", None, None, True
        self.queue.appendleft(job)

    async def _stop(self, job: Job, worker: "Worker") -> bool:
        """Ask the worker to stop; returns whether it did."""
        worker.send({"cancel": job.id})
        deadline, never = time.monotonic() + _STOP_SECONDS, asyncio.Event()
        while True:
            message = await _first(worker.receive(), never, deadline - time.monotonic())
            stopped = isinstance(message, dict) and bool({"result", "error", "cancelled"} & set(message))
            if stopped or not isinstance(message, dict):
                if not stopped:
                    await worker.kill()
                job.end("cancelled")
                return stopped


def _finish(job: Job, message: dict[str, Any]) -> None:
    if "result" in message:
        job.end("done", result=message["result"])
    elif "error" in message:
        job.end("failed", error=message["error"])
    else:
        job.end("cancelled")


_STOPPED, _LATE = object(), object()


async def _first(message: Any, stop: asyncio.Event, seconds: float) -> Any:
    """The message, unless the event or the end of time comes first."""
    receiving, stopping = asyncio.ensure_future(message), asyncio.ensure_future(stop.wait())
    try:
        done, _ = await asyncio.wait({receiving, stopping}, timeout=max(seconds, 0), return_when=asyncio.FIRST_COMPLETED)
        return receiving.result() if receiving in done else _STOPPED if stopping in done else _LATE
    finally:
        for task in (receiving, stopping):
            task.cancel()
        await asyncio.gather(receiving, stopping, return_exceptions=True)


class Worker:
    """A process of `rubiks_gym.play.worker`."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process, self.worn = process, False  # worn: its memory is used up by what it has loaded so far

    @classmethod
    async def start(cls, limits: Limits, modules: Sequence[str], warm: bool) -> "Worker | None":
        """A worker that is ready for jobs; None if it does not come so far."""
        threads = str(limits.threads)
        # The modules of this process are found in the same places, and nothing in the current folder takes their names.
        own = {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path), "PYTHONSAFEPATH": "1"}
        try:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "rubiks_gym.play.worker", json.dumps(asdict(limits)), json.dumps(modules)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                env=os.environ | own | {"OMP_NUM_THREADS": threads, "MKL_NUM_THREADS": threads},
                limit=_LINE,
            )
        except OSError as error:  # no memory, too many processes
            print(f"no worker process starts: {error}", file=sys.stderr)
            return None
        worker = cls(process)
        try:
            ready = await asyncio.wait_for(worker.receive(), limits.preparation)
        except BaseException as error:
            await worker.kill()
            if isinstance(error, asyncio.TimeoutError):
                return None
            raise
        if ready is None:
            await worker.kill()
            return None
        if warm:
            worker.send({"job": {"warm": True}})
        return worker

    def send(self, message: dict[str, Any]) -> None:
        """Tell the process something."""
        with contextlib.suppress(OSError, RuntimeError):  # it has ended, which `receive` will say
            self.process.stdin.write(json.dumps(message).encode() + b"\n")  # type: ignore[union-attr]  # it is a pipe

    async def receive(self) -> dict[str, Any] | None:
        """What the process says next; None if it has ended."""
        try:
            line = await self.process.stdout.readline()  # type: ignore[union-attr]  # it is a pipe
            return json.loads(line) if line.endswith(b"\n") else None
        except (ValueError, OSError):
            return None

    def has_ended(self) -> bool:
        """Whether the process is gone."""
        return self.process.returncode is not None

    async def fate(self) -> str:
        """How the process ended."""
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self.process.wait(), 2)
        code = self.process.returncode
        await self.kill()
        return (
            f"killed by signal {-code}: the system may be short of memory" if code is not None and code < 0 else f"code {code}"
        )

    async def kill(self) -> None:
        """End the process, and wait until it is gone and its pipes are closed."""
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        with contextlib.suppress(OSError, ValueError):
            self.process.stdin.close()  # type: ignore[union-attr]  # it is a pipe
            await self.process.stdout.read()  # type: ignore[union-attr]
        await self.process.wait()
