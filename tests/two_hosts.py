"""Two hosts within one machine: network namespaces with an address each, joined by a cable (Linux, root, iproute2).

They share the processor and the files of the checkout, as two machines with the same code would, and no network but the cable.
A folder can be hidden from what a host runs: it then sees an empty one of its own instead.
"""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple


class Host(NamedTuple):
    """One of the two."""

    name: str  # of its network namespace, and of its end of the cable
    address: str

    def start(self, *words, hide: Path | None = None, **settings) -> subprocess.Popen:
        """Start a program there; `hide` is a folder that it sees empty."""
        words = [str(word) for word in words]
        if hide is not None:  # `ip netns exec` has given it mounts of its own already
            words = ["sh", "-c", f'mount -t tmpfs none "{hide}" && exec "$@"', "sh", *words]
        return subprocess.Popen(["ip", "netns", "exec", self.name, *words], text=True, **settings)

    def processes(self) -> list[int]:
        """All that run there."""
        listed = subprocess.run(["ip", "netns", "pids", self.name], capture_output=True, text=True, check=True)
        return [int(number) for number in listed.stdout.split()]

    def die(self) -> None:
        """End everything there at once, as a power cut would."""
        until = time.monotonic() + 20
        while (running := self.processes()) and time.monotonic() < until:
            for number in running:
                with suppress(ProcessLookupError):
                    os.kill(number, signal.SIGKILL)
            time.sleep(0.02)

    def unplug(self) -> None:
        """Pull the cable: nobody is told anything."""
        _ip("-n", self.name, "link", "set", self.name, "down")


def why_not() -> str:
    """Why there can be no two hosts here; nothing if there can."""
    if not shutil.which("ip"):
        return "ip is not installed (Debian's iproute2)"
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return "network namespaces need root"
    name = f"rg{os.getpid()}"
    tried = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True)
    if tried.returncode:
        return f"no network namespace can be made here: {tried.stderr.strip()}"
    subprocess.run(["ip", "netns", "delete", name], check=True)
    return ""


@contextmanager
def two_hosts() -> Iterator[tuple[Host, Host]]:
    """Two hosts that reach each other and nothing else; all that runs there ends with the block."""
    hosts = [Host(f"rg{os.getpid()}{letter}", f"10.77.0.{number}") for number, letter in enumerate("ab", 1)]
    made = []
    try:
        for host in hosts:
            _ip("netns", "add", host.name)
            made.append(host)
        first, second = hosts
        _ip("link", "add", first.name, "netns", first.name, "type", "veth", "peer", second.name, "netns", second.name)
        for host in hosts:
            _ip("-n", host.name, "address", "add", f"{host.address}/24", "dev", host.name)
            for device in ("lo", host.name):
                _ip("-n", host.name, "link", "set", device, "up")
        yield first, second
    finally:
        for host in made:
            host.die()
            _ip("netns", "delete", host.name)


def _ip(*words: str) -> None:
    done = subprocess.run(["ip", *words], capture_output=True, text=True)
    if done.returncode:
        raise OSError(f"ip {' '.join(words)}: {done.stderr.strip()}")
