"""The server: the page's files, and the JSON interface that README.md describes."""

import contextlib
import hashlib
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import anyio
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import Route

import rubiks_gym
from rubiks_gym import ntuple
from rubiks_gym.exact import ExactTable
from rubiks_gym.play import catalogue
from rubiks_gym.play.answers import Json, read_json
from rubiks_gym.play.asked import read_start, read_task
from rubiks_gym.play.guard import Guard
from rubiks_gym.play.jobs import BusyError, Job, Jobs
from rubiks_gym.play.limits import Limits
from rubiks_gym.play.runs import describe_run, find_runs, read_metrics

STATIC = Path(__file__).parent / "static"

# What a browser must be told: with nosniff it does not guess, and what the system says of a file's kind may be anything.
KINDS = {
    ".css": "text/css",
    ".html": "text/html",
    ".ico": "image/x-icon",
    ".js": "text/javascript",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
}

NOT_BUILT = """<!doctype html><html lang="en"><meta charset="utf-8"><title>rubiks-gym</title>
<h1>The page has not been built</h1>
<p>Run <code>make web</code> in the checkout of rubiks-gym, then start <code>rubiks-gym play</code> again.
It needs node and npm; a wheel has the page in it.</p>
<p>The <a href="api/info">JSON interface</a> works without.</p></html>"""


def make_app(
    limits: Limits | None = None,
    runs: Path | None = None,
    modules: Sequence[str] = (),
    static: Path = STATIC,
    warm: bool = True,
) -> Guard:
    """The application.

    Args:
        limits: what requests may cost.
        runs: the folder whose run folders are shown.
        modules: are imported by workers first.
        static: the folder of the built page.
        warm: whether the first worker loads the trained tables before anybody asks for them.
    """
    play = Play(limits or Limits(), runs, modules, static, warm)
    routes = [
        Route("/api/info", play.info),
        Route("/api/jobs", play.new_job, methods=["POST"]),
        Route("/api/jobs/{id}", play.job, methods=["GET", "DELETE"]),
        Route("/api/distance", play.distance, methods=["POST"]),
        Route("/api/runs", play.runs),
        Route("/api/runs/{id:path}/metrics", play.metrics),
        Route("/{path:path}", play.file),
    ]
    faults: Any = {HTTPException: _refused, Exception: _failed}
    return Guard(Starlette(routes=routes, exception_handlers=faults, lifespan=play.lifespan), play.close)


class Play:
    """What all requests share: limits, jobs, run folders, and the files of the page."""

    def __init__(self, limits: Limits, folder: Path | None, modules: Sequence[str], static: Path, warm: bool) -> None:
        self.limits, self.folder, self.modules, self.warm = limits, folder, modules, warm
        self.files = {file.relative_to(static).as_posix(): file for file in sorted(static.rglob("*")) if file.is_file()}
        self.files |= {f"tables/{name}.npz": file for name, file in ntuple.TRAINED.items()}

    @contextlib.asynccontextmanager
    async def lifespan(self, app: Starlette) -> AsyncIterator[None]:
        """From the first request to the last."""
        self.jobs = Jobs(self.limits, self.modules)
        self.one_table = anyio.CapacityLimiter(1)  # that is built at a time
        self.jobs.start(self.warm)
        try:
            yield
        finally:
            await self.close()

    async def close(self) -> None:
        """End all jobs and workers."""
        await self.jobs.close()

    # The interface ----------------------------------------------------------------------------------------------------------

    async def info(self, request: Request) -> Response:
        """Everything there is to choose from."""
        return Json(await anyio.to_thread.run_sync(self._info))

    def _info(self) -> dict[str, Any]:
        runs = self._runs()[0]
        puzzles = catalogue.puzzles(runs, self.limits)
        return {
            "version": rubiks_gym.__version__,
            "puzzles": puzzles,
            "agents": catalogue.agents(puzzles, runs),
            "searches": catalogue.searches(),
            "common": catalogue.COMMON,
            "limits": asdict(self.limits),
        }

    async def new_job(self, request: Request) -> Response:
        """Ask for a solution."""
        asked = await read_json(request, self.limits)

        def read() -> dict[str, Any]:
            with _named_faults():
                return read_task(asked, *self._runs(), self.limits)

        task = await anyio.to_thread.run_sync(read)
        try:
            job = self.jobs.submit(task)
        except BusyError as busy:
            raise HTTPException(429, str(busy), {"Retry-After": "5"}) from None
        return Json({"job": job.id}, 202)

    async def job(self, request: Request) -> Response:
        """What has become of a job; with ?wait=S as soon as it has ended, after S seconds at the latest. DELETE cancels it."""
        job = self.jobs.jobs.get(request.path_params["id"])
        if job is None:
            raise HTTPException(404, f"no such job; of those that have ended the last {self.limits.kept} are kept")
        if request.method == "DELETE":
            await self.jobs.cancel(job)
        seconds = _whole_query(request, "wait", self.limits.waiting)
        with anyio.move_on_after(seconds):
            await job.ended.wait()
        return Json(self._told(job))

    def _told(self, job: Job) -> dict[str, Any]:
        told = {"status": job.status, "position": self.jobs.position(job), "seconds": round(job.elapsed(), 3)}
        more = {"result": job.result, "error": job.error, "note": job.note}
        return told | {key: value for key, value in more.items() if value is not None}

    async def distance(self, request: Request) -> Response:
        """The true distance of a state of a small puzzle."""
        asked = await read_json(request, self.limits)
        if self.one_table.statistics().tasks_waiting >= self.limits.queued:
            raise HTTPException(429, "too many distances are asked for: try again later", {"Retry-After": "1"})

        def find() -> int:
            with _named_faults():
                puzzle, state = read_start(asked, self._runs()[0], self.limits)
                if not catalogue.describe_puzzle(puzzle, self.limits)["distance"]:
                    most = f"{self.limits.exact_states:,}"
                    raise ValueError(
                        f"{puzzle.name} has no table of true distances: its states are not known to be at most {most}"
                    )
                return int(ExactTable(puzzle).distance(state[None])[0])

        return Json({"distance": await anyio.to_thread.run_sync(find, limiter=self.one_table)})

    async def runs(self, request: Request) -> Response:
        """The user's run folders."""
        return Json({"runs": (await anyio.to_thread.run_sync(self._runs))[0]})

    async def metrics(self, request: Request) -> Response:
        """The metrics of a run from some byte on, which an answer before has named."""
        start = _whole_query(request, "from", 2**53)

        def read() -> dict[str, Any]:
            run = find_runs(self.folder, self.limits.runs).get(request.path_params["id"])
            if run is None:
                raise HTTPException(404, "there is no such run")
            with _named_faults():
                return read_metrics(run, start, self.limits.metrics)

        return Json(await anyio.to_thread.run_sync(read))

    def _runs(self) -> tuple[list[dict[str, Any]], dict[str, Path]]:
        """All runs as the page sees them, and their folders by id."""
        folders = find_runs(self.folder, self.limits.runs)
        return [describe_run(id, run) for id, run in folders.items()], folders

    # The page ---------------------------------------------------------------------------------------------------------------

    async def file(self, request: Request) -> Response:
        """A file of the page. Names are looked up in a list, so no path of a request reaches the file system."""
        path = request.path_params["path"] or "index.html"
        if path == "index.html" and path not in self.files:
            return HTMLResponse(NOT_BUILT, 503)
        file = self.files.get(path)
        if file is None or not file.is_file():
            raise HTTPException(404, "there is no such page")
        known = file.stat()
        tag = f'"{hashlib.sha256(f"{path} {known.st_mtime_ns} {known.st_size}".encode()).hexdigest()[:32]}"'
        headers = {"ETag": tag, "Cache-Control": "no-cache"}
        if tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        return FileResponse(file, headers=headers, media_type=KINDS.get(file.suffix, "application/octet-stream"))


def _whole_query(request: Request, name: str, most: float) -> int:
    """A whole number of the query, 0 if it is not there."""
    text = request.query_params.get(name, "0")
    if not (text.isascii() and text.isdigit() and len(text) < 20 and int(text) <= most):
        raise HTTPException(400, f"{name} must be a whole number from 0 to {most:.0f}, got {text[:30]!r}")
    return int(text)


@contextlib.contextmanager
def _named_faults() -> Iterator[None]:
    """What is wrong with a request, as an answer."""
    try:
        yield
    except (ValueError, NotImplementedError) as fault:
        raise HTTPException(400, str(fault)[:1000]) from None


async def _refused(request: Request, fault: HTTPException) -> Response:
    return Json({"error": fault.detail}, fault.status_code, fault.headers)


async def _failed(request: Request, fault: Exception) -> Response:
    return Json({"error": "the server failed; its terminal says more"}, 500)  # where uvicorn writes the traceback
