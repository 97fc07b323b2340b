"""Large blocks of memory between gradient steps."""

import platform
import subprocess
import sys

import pytest

# A block of 64 MB, written and given back ten times: fresh pages come from the system one fault at a time.
FAULTS = """
import resource
import numpy as np
from agents.networks.memory import keep_large_blocks
assert keep_large_blocks()
def fill(): np.empty(1 << 24, np.float32)[:] = 1
fill()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(10): fill()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc returns large blocks and can be asked not to")
def test_a_block_given_back_is_used_again_without_the_system():
    kept = subprocess.run([sys.executable, "-c", FAULTS], capture_output=True, text=True, check=True)
    assert int(kept.stdout) < 100
