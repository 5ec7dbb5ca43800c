#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What becomes of an MPI job when a rank aborts, is killed or stopped, or when mpirun itself is killed.

usage: transport_faults.py CDM_MPI_TEST MPIRUN
"""
import os
import re
import signal
import subprocess
import sys
import time

RANKS = 3
DEADLINE = 10.0  # seconds, from the design


class Job:
    """One mpirun of the test program in one of its parts."""

    def __init__(self, program, mpirun, part, silence=None):
        env = dict(os.environ)
        if silence is not None:
            env["SILENCE"] = str(silence)
        self.process = subprocess.Popen(
            [mpirun, "--allow-run-as-root", "--oversubscribe", "-n", str(RANKS), program, part],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env, start_new_session=True)
        self.pids, self.head = {}, ""
        while len(self.pids) < RANKS:
            line = self.process.stdout.readline()
            if not line:
                break
            self.head += line
            for rank, pid in re.findall(r"rank (\d+) pid (\d+)", line):
                self.pids[int(rank)] = int(pid)

    def finish(self):
        """Exit code, output and seconds until mpirun and all ranks are gone (None: some are left)."""
        start = time.monotonic()
        try:
            output = self.head + self.process.communicate(timeout=DEADLINE + 5)[0]
        except subprocess.TimeoutExpired:
            output = self.head
        while any(alive(pid) for pid in self.pids.values()) and time.monotonic() - start < DEADLINE + 5:
            time.sleep(0.05)
        seconds = time.monotonic() - start
        left = [pid for pid in self.pids.values() if alive(pid)]
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        return self.process.poll(), output, None if left or self.process.poll() is None else seconds


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def check(name, code, output, seconds, want_code, want_text):
    problems = []
    if seconds is None or seconds > DEADLINE:
        problems.append(f"processes were left after {DEADLINE} s")
    if not want_code(code):
        problems.append(f"exit code {code}")
    if want_text and not re.search(want_text, output):
        problems.append(f"no '{want_text}' in the output")
    took = "" if seconds is None else f" ({seconds:.1f} s)"
    print(f"{name}: {'; '.join(problems) or 'ok'}{took}")
    if problems:
        print(output)
    return not problems


def main():
    program, mpirun = sys.argv[1:3]

    def job(part, **options):
        return Job(program, mpirun, part, **options)

    def failed(code):
        return code not in (0, None)

    # The exit code that docs/configuration.md gives for failures.
    def given_up(code):
        return code == 4

    results = []
    results.append(check("a rank aborts", *job("abort=7").finish(), lambda code: code == 7, None))

    victim = job("hang")
    os.kill(victim.pids[2], signal.SIGKILL)
    results.append(check("a rank is killed", *victim.finish(), failed, r"process rank 2 with PID|muster: rank 2 "))

    # mpirun does not notice this one: the beats must.
    victim = job("hang")
    os.kill(victim.pids[2], signal.SIGSTOP)
    results.append(check("a rank is silent", *victim.finish(), given_up, r"muster: rank 2 on \S+ does not answer since"))

    victim = job("hang")
    os.kill(victim.pids[0], signal.SIGSTOP)
    results.append(check("rank 0 is silent", *victim.finish(), given_up, r"muster: rank 0 on \S+ does not answer since"))

    # With the beats off, a rank may stand in a debugger for as long as it likes.
    patient = job("hang", silence=0)
    os.kill(patient.pids[1], signal.SIGSTOP)
    time.sleep(7)
    still = patient.process.poll() is None and all(alive(pid) for pid in patient.pids.values())
    os.kill(patient.pids[1], signal.SIGKILL)
    results.append(check("beats are off", *patient.finish(), lambda code: still and failed(code), None))

    orphaned = job("hang")
    os.kill(orphaned.process.pid, signal.SIGKILL)
    results.append(check("mpirun is killed", *orphaned.finish(), failed, None))
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
