"""`rubiks-gym play`: serve the page on this machine, and open it."""

import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Sequence
from pathlib import Path

import uvicorn

from rubiks_gym.play.server import make_app

HOST, PORT = "127.0.0.1", 8642


def play(port: int | None, open_page: bool, runs: Path | None, modules: Sequence[str]) -> None:
    """Serve until Ctrl-C. Without a port, the usual one if it is free, else any."""
    listening = bind(port)
    address = f"http://{HOST}:{listening.getsockname()[1]}/"
    app = make_app(runs=runs, modules=modules)
    config = uvicorn.Config(
        app,
        log_level="warning",
        lifespan="on",
        ws="none",
        server_header=False,
        limit_concurrency=500,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=1,
        h11_max_incomplete_event_size=1 << 14,
        http="h11",
    )
    try:
        Server(config, address, open_page).run(sockets=[listening])
    except KeyboardInterrupt:
        pass  # how it is meant to end
    finally:
        listening.close()
    print("stopped", file=sys.stderr)


def bind(port: int | None) -> socket.socket:
    """A socket of the loopback interface, which other machines cannot reach."""
    for each in (PORT, 0) if port is None else (port,):
        listening = socket.socket()
        if sys.platform != "win32":  # where it would let two servers have one port
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((HOST, each))
            return listening
        except (OSError, OverflowError) as error:
            listening.close()
            fault = error
    raise ValueError(f"port {port} cannot be had ({fault}): give another one, or leave out --port")


class Server(uvicorn.Server):
    """Says where the page is as soon as it is there, and ends without delay."""

    def __init__(self, config: uvicorn.Config, address: str, open_page: bool) -> None:
        super().__init__(config)
        self.address, self.open_page = address, open_page

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen."""
        await super().startup(sockets)
        if self.started:
            print(f"rubiks-gym is at {self.address} (Ctrl-C stops it)", flush=True)
            if self.open_page and _has_screen():
                threading.Thread(target=webbrowser.open, args=(self.address,), daemon=True).start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End all jobs first: requests that wait for them are answered then."""
        await self.config.app.close()  # type: ignore[union-attr]  # it is our own
        await super().shutdown(sockets)


def _has_screen() -> bool:
    """Whether a browser would open a window, and not take over the terminal."""
    return sys.platform != "linux" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
