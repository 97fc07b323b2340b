"""Processes that feed one kind of input each."""

import faulthandler
import multiprocessing
import signal
import time
import traceback

import numpy as np

HANG = 5.0  # CPU seconds for an input, since the machine may be busy with something else
STILL = 60.0  # seconds for an input that does nothing, but wait for a lock say


def feeder(name, first, counters):
    """Feed one kind for ever; counters [3] holds inputs, the seed at work and faults."""
    from tests.fuzz.targets import feed

    for seed in range(-30, 0):  # kernels are compiled and agents are trained before the clock runs
        feed(name, seed)
    faulthandler.register(signal.SIGPROF, chain=True)  # says where it was, and the process ends
    seed = first
    while True:
        counters[1] = seed
        signal.setitimer(signal.ITIMER_PROF, HANG)
        faulthandler.dump_traceback_later(STILL, exit=True)
        try:
            counters[0] += feed(name, seed)
        except Exception:
            counters[2] += 1
            print(f"\n{name}, seed {seed}:\n{traceback.format_exc()}", flush=True)
        faulthandler.cancel_dump_traceback_later()
        signal.setitimer(signal.ITIMER_PROF, 0)
        seed += 1


def fuzz(names, seconds, inputs, seed):
    """Feed all kinds in turn; the inputs and the faults (exceptions, hangs, deaths) of each kind."""
    share = min(max(seconds / len(names) / 2, 1.0), 60.0)  # seconds for a process; to start one takes some, too
    totals = {name: np.zeros(3, np.int64) for name in names}
    seeds, end = dict.fromkeys(names, seed), time.monotonic() + seconds
    while time.monotonic() < end and sum(total[0] for total in totals.values()) < inputs:
        for name in names:
            counters = multiprocessing.get_context("spawn").Array("q", 3, lock=False)
            process = multiprocessing.get_context("spawn").Process(target=feeder, args=(name, seeds[name], counters))
            process.start()
            while process.is_alive() and not counters[1]:
                time.sleep(0.05)
            process.join(share)
            died = not process.is_alive()
            process.kill()
            process.join()
            if died:
                print(f"\n{name}, seed {counters[1]}: the process died or hung (exit {process.exitcode})", flush=True)
            totals[name] += [counters[0], 0, counters[2] + died]
            seeds[name] = counters[1] + 1
            if time.monotonic() > end:
                break
    return {name: (int(total[0]), int(total[2])) for name, total in totals.items()}
