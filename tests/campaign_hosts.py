"""A campaign on a Ray cluster of two hosts, of which one is lost half way: python -m tests.campaign_hosts

Two network namespaces with an address each and a folder of their own; the driver is on the first. Every unit must be recorded
once, with what the driver sent to it and what it sent back.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

from benchmarks import timing
from tests import two_hosts
from train import campaign

ROOT = Path(__file__).parent.parent
QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "disabled", "OMP_NUM_THREADS": "1"}


def why_not():
    """Why this cannot be done here; nothing if it can."""
    return two_hosts.why_not() or ("" if find_spec("ray") else 'ray is not installed (pip install -e ".[cluster]")')


def lose_a_host(folder, n, seconds, unplug=False):
    """Run a campaign of n units, end the second host when half are recorded; what the driver said, all records, and times."""
    shared = folder / "campaign"
    shared.mkdir()
    ray = [Path(sys.executable).parent / "ray", "start", "--num-cpus", "1", "--object-store-memory", 80_000_000]
    # Ray's own folder holds sockets, whose paths must be short.
    with tempfile.TemporaryDirectory(prefix="rg") as short, two_hosts.two_hosts() as (first, second):
        head = ["--head", "--port", 6379, "--include-dashboard=false"]
        for host, where in ((first, head), (second, ["--address", f"{first.address}:6379"])):
            env = {**os.environ, **QUIET, "RUBIKS_GYM_CACHE": str(shared / "cache" if host is second else folder / "cache")}
            words = [*ray, *where, "--node-ip-address", host.address, "--temp-dir", f"{short}/{host.name[-1]}"]
            started = host.start(*words, hide=shared if host is second else None, env=env, cwd=ROOT, stdout=-1, stderr=-2)
            told, _ = started.communicate(timeout=120)
            assert started.returncode == 0, told
        words = [sys.executable, "-m", "tests.campaign_units", "cluster", shared, f"{first.address}:6379", n, seconds]
        driver = first.start(*words, env=env, cwd=ROOT, stdout=-1, stderr=-1)
        began = time.monotonic()
        while len(campaign.recorded(shared)) < n // 2:
            assert driver.poll() is None and time.monotonic() - began < 300, driver.communicate()
            time.sleep(0.05)
        half = time.monotonic()
        if unplug:
            second.unplug()
        second.die()
        said, complaint = driver.communicate(timeout=300)
        assert driver.returncode == 0, complaint
        times = {"first half s": half - began, "second half s": time.monotonic() - half}
    found = [json.loads(file.read_text()) for file in (shared / "units").rglob("*.json")]
    return json.loads(said.splitlines()[-1]), found, times, shared


def check(n, report, found, shared):
    """Raise unless every unit is there once and has seen what it should; returns how many each host did."""
    assert sorted(record["n"] for record in found) == list(range(n))
    assert report["done"] == n and not report["failed"] and not report["before"]
    assert {record["read"] for record in found} == {"from the driver"}
    by_host = Counter(record["host"] for record in found)
    assert set(by_host) == {"10.77.0.1", "10.77.0.2"}, by_host
    assert not {name for record in found if record["host"] == "10.77.0.2" for name in record["sees"]} - {"cache"}
    assert sorted(int(file.stem) ** 2 for file in (shared / "squares").iterdir()) == sorted(
        int(file.read_text()) for file in (shared / "squares").iterdir()
    )
    return by_host


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.campaign_hosts", description=__doc__)
    parser.add_argument("--units", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=0.05, help="how long a unit sleeps")
    parser.add_argument("--records", type=Path, default=timing.MINE, help="folder whose speed.jsonl the outcome is added to")
    args = parser.parse_args()
    if reason := why_not():
        raise SystemExit(f"not possible here: {reason}")
    rows = []
    for unplug in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            report, found, times, shared = lose_a_host(Path(folder), args.units, args.seconds, unplug)
            by_host = check(args.units, report, found, shared)
        names = {record["unit"] for record in found}
        lost = "killed and unplugged" if unplug else "killed"
        row = {"second host": f"{lost} half way", "units": args.units, "recorded": len(names)}
        row |= {"twice": len(found) - len(names), "failed": len(report["failed"])}
        rows.append(row | {"by the first": by_host["10.77.0.1"], "by the second": by_host["10.77.0.2"], **times})
    note = f"Ray on two network namespaces with one core each; a unit sleeps {args.seconds} s."
    finish = timing.Args(records=args.records)
    return timing.finish("campaign_hosts", rows, finish, command="python -m tests.campaign_hosts", note=note)


if __name__ == "__main__":
    sys.exit(main())
