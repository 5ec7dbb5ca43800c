# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which processes run a program: what tests of faults must not leave behind."""
import os
import pathlib
import time


def alive(program):
    """Processes that run the program of this path."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and os.readlink(entry / "exe") == program:
                found.append(int(entry.name))
        except OSError:
            continue  # it has ended, or is somebody else's
    return found


def alive_after(program, seconds=10):
    """The same once all had the time to end: mpirun does not wait for ranks that it has killed."""
    deadline = time.monotonic() + seconds
    while found := alive(program):
        if time.monotonic() >= deadline:
            break
        time.sleep(0.05)
    return found
