"""Units for the tests of campaigns, in a module that workers can import."""

import json
import os
import sys
import time
from pathlib import Path

from train import campaign
from train.campaign import Unit
from train.workers import Here, OnRay, Outcome, Place, Pool, surroundings


def note(settings, text):
    """A line in a file that all processes of this machine append to."""
    with open(settings["log"], "ab", buffering=0) as file:
        file.write(f"{text}\n".encode())


def wait_for(true):
    """Until something is so, a minute at most."""
    end = time.monotonic() + 60
    while not true():
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(0.01)


def square(settings, place: Place) -> Outcome:
    """From the 20th on, a unit waits for the file that it is told of, if any."""
    note(settings, settings["n"])
    if settings["n"] >= 20 and "gate" in settings:
        wait_for(Path(settings["gate"]).exists)
    return Outcome({"n": settings["n"], "square": settings["n"] ** 2, "process": os.getpid(), "said": place.given.get("say")})


def second_time(settings, place: Place) -> Outcome:
    """Fails at the first try."""
    note(settings, settings["n"])
    if Path(settings["log"]).read_text().splitlines().count(str(settings["n"])) < 2:
        raise RuntimeError("not today")
    return square(settings, place)


def never(settings, place: Place) -> Outcome:
    note(settings, settings["n"])
    raise ValueError(f"no square of {settings['n']}")


def fatal(settings, place: Place) -> Outcome:
    """Takes its process along."""
    note(settings, settings["n"])
    os._exit(3)


def travelled(settings, place: Place) -> Outcome:
    """What a unit sees on a host: its address, the driver's folder (nothing), and a file that has travelled."""
    import ray

    time.sleep(settings["seconds"])
    read = place.file(settings["sha256"]).read_text()
    record = {"n": settings["n"], "host": ray.util.get_node_ip_address(), "read": read, "sees": os.listdir(settings["folder"])}
    return Outcome(record, {f"squares/{settings['n']}.txt": str(settings["n"] ** 2).encode()})


def squares(n, folder, work="square", **settings):
    """n units that note in folder/log what they do."""
    each = {"log": str(folder / "log"), **settings}
    return [Unit(f"tests.campaign_units:{work}", {"n": i, **each}) for i in range(n)]


def main(folder, kind, drivers):
    """A driver of 40 units, as a process that can be killed; it begins when so many drivers are there."""
    folder = Path(folder)
    crew = Here(folder, {}, surroundings()) if kind == "here" else Pool(2, folder, {}, surroundings())
    (folder / f"driver-{os.getpid()}").touch()
    wait_for(lambda: len(list(folder.glob("driver-*"))) >= int(drivers))
    report = campaign.run(squares(40, folder, gate=str(folder / "gate")), folder, crew)
    print(json.dumps(report._asdict()))


def cluster(folder, address, n, seconds):
    """A driver of a Ray cluster whose nodes cannot see its folder."""
    folder = Path(folder)
    file = folder / "given.txt"
    file.write_text("from the driver")
    name = campaign.file_hash(file)
    each = {"sha256": name, "seconds": float(seconds), "folder": str(folder)}
    units = [Unit("tests.campaign_units:travelled", {"n": i, **each}) for i in range(int(n))]
    report = campaign.run(units, folder, OnRay(address, {name: file}, surroundings()))
    print(json.dumps(report._asdict()))


if __name__ == "__main__":
    {"main": main, "cluster": cluster}[sys.argv[1]](*sys.argv[2:])
