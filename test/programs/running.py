# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tests of whole programs share: how a source is built, with Muster and without, and which processes run a program, which tests of faults
must not leave behind."""
import os
import pathlib
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def built(build, work, source, muster, flags=()):
    """The program of a source in the folder `work`, made once: by `build`'s muster++, or plain."""
    target = work / (source.stem + ("" if muster else "-plain"))
    if target.exists():
        return str(target)
    common = ["-O2", f"-I{ROOT / 'samples' / 'common'}", *flags]
    if muster:
        subprocess.run([str(build / "bin" / "muster++"), *common, str(source), "-o", str(target)], check=True)
    else:
        plain = work / (source.stem + "-plain.cpp")
        plain.write_bytes(subprocess.run([str(ROOT / "scripts/plain-source.sh"), str(source)], stdout=subprocess.PIPE, check=True).stdout)
        subprocess.run(["clang++-19", "-fopenmp", *common, str(plain), "-o", str(target)], check=True)
    return str(target)


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
