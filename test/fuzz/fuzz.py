#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares random programs with their plain builds, and minimises those that differ.

  fuzz.py BUILD --count 30 --first 1      programs of the seeds 1 to 30
  fuzz.py BUILD --found                   the programs kept in test/fuzz/found, in all configurations

Each program is compiled once plain and once with Muster, and run with some of 1 to 4 ranks, device sets, weights and
limits, chosen by the seed. A failure is minimised as long as it stays one, and kept with what it takes to see it.
"""
import argparse
import concurrent.futures
import contextlib
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

import generate
import minimise
import mixed

HERE = pathlib.Path(__file__).resolve().parent
LATE = object()  # what a program says that was not started, or not ended in time
TIMEOUT = 180  # seconds; a program takes one or two on an idle machine, and POCL's compiler some more
GRACE = 30  # seconds that programs under way have behind --seconds
last = float("inf")  # when they all end


class Late(Exception):
    """The time given is over: neither right nor wrong."""


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path, help="Muster's build folder")
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--seconds", type=float, default=float("inf"), help=f"start no program after so long; {GRACE} s later all end")
    parser.add_argument("--runs", type=int, default=4, help="runs of each program")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="programs at a time")
    parser.add_argument("--ranks", default="1,2,3,4")
    parser.add_argument("--devices", default="cpu opencl cpu,opencl", help="sets for MUSTER_DEVICES, between spaces")
    parser.add_argument("--keep", type=pathlib.Path, default=HERE / "found", help="where minimised failures go")
    parser.add_argument("--only", nargs="+", default=(), choices=mixed.PARTS, help="loops of these kinds alone")
    parser.add_argument("--c", action="store_true", default=None, help="C programs only")
    parser.add_argument("--found", action="store_true", help="run the programs in --keep instead")
    parser.add_argument("--no-minimise", dest="minimise", action="store_false")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    options.build = options.build.resolve()
    options.devices = options.devices.split()
    options.ranks = [int(r) for r in options.ranks.split(",")]
    return options


def run(command, environment=None, timeout=TIMEOUT):
    """(exit code, output, errors); a hang is the code 'hang', and all its processes end."""
    own = {key: value for key, value in os.environ.items() if not key.startswith("MUSTER_") or key == "MUSTER_CACHE_DIR"}
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env={**own, **(environment or {})}, start_new_session=True)
    left = last - time.monotonic()
    try:
        output, errors = process.communicate(timeout=max(0, min(timeout, left)))
        return process.returncode, output, errors
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.communicate()
        if left < timeout:
            raise Late from None
        return "hang", b"", b""


def weights(choice, devices):
    values = [choice.choice([0.5, 1, 1, 2.5, 7, 0]) for _ in range(devices)]
    values[choice.randrange(devices)] = 1
    return ",".join(map(str, values))


def configurations(seed, options):
    """Environment and ranks of each run: plain sets of devices first, then weights, limits and checks."""
    choice = random.Random(seed * 31 + 7)
    for number in range(options.runs):
        ranks, devices = choice.choice(options.ranks), choice.choice(options.devices)
        environment = {"MUSTER_DEVICES": devices, "MUSTER_MIN_SHARE": "0", "MUSTER_TUNE": "off", "OMP_NUM_THREADS": str(choice.choice([1, 2, 3]))}
        if number > 0 or choice.random() < 0.3:
            extra = choice.choice(["none", "weights", "changing weights", "limit", "races", "balance"])
            total = ranks * (devices.count(",") + 1)
            if "weights" in extra and "gpu" not in devices:  # how many GPUs a rank gets is not known here
                # Other weights are other shares, and those of 0 another set of devices.
                steps = [0, *sorted(choice.sample(range(2, 30), 4))] if extra.startswith("changing") else [0]
                environment["MUSTER_WEIGHTS"] = ";".join((f"{step}:" if step else "") + weights(choice, total) for step in steps)
            elif extra == "limit" and devices != "cpu":
                environment["MUSTER_LIMIT_MEM"] = choice.choice(["64K", "300K", "1M"])
            elif extra == "races":
                environment["MUSTER_CHECK"] = "races"
            elif extra == "balance":
                environment["MUSTER_BALANCE"] = "off"
            if choice.random() < 0.3:  # the device set changes every few launches
                environment["MUSTER_TUNE"] = choice.choice(["grow", "shrink", "auto", "auto"])
                if environment["MUSTER_TUNE"] == "auto":  # on rank 0's CPU and back
                    environment["MUSTER_INJECT"] = "cheap-trials"
                environment["MUSTER_TUNE_INTERVAL"] = "1"
        if devices != "cpu":
            environment["MUSTER_KERNELS"] = choice.choice(["auto", "first", "first", "plain"])
        yield ranks, environment


class Trial:
    """One program in a folder: its two builds and how they compare. The suffix says in what language it is."""

    def __init__(self, text, flags, folder, build, suffix):
        self.text, self.flags, self.folder, self.build = text, flags, folder, build
        self.counts = mixed.COUNTS in text
        self.source, self.c = folder / f"program{suffix}", suffix == ".c"
        folder.mkdir(parents=True, exist_ok=True)

    def options(self, *more):
        return ["-w", "-std=gnu17" if self.c else "-std=c++17", *self.flags, *more, str(self.source)]

    def compile_plain(self, name, *more):
        compiler = "clang-19" if self.c else "clang++-19"
        return run([compiler, "-fopenmp", *self.options(*more), "-o", str(self.folder / name), "-lm"])[0] == 0

    def compile_muster(self, *more):
        compiler = self.build / "bin" / ("musterc" if self.c else "muster++")
        return run([str(compiler), *self.options(*more), "-o", str(self.folder / "muster"), "-lm"])

    def compile(self):
        """None, or why there is nothing to compare; 'invalid' if the plain compiler or program says no."""
        own, *others = self.text.split(mixed.FILE)
        self.source.write_text(own)
        for other in others:
            name, text = other.split("\n", 1)
            (self.folder / name).write_text(text)
        if not self.compile_plain("plain"):
            return "invalid"
        self.expected = {}  # by threads: teams may show how many they are
        for threads in ("1", "2", "3", "3"):
            code, output, _ = run([str(self.folder / "plain")], {"OMP_NUM_THREADS": threads})
            if code != 0 or self.expected.setdefault(threads, output) != output:
                return "invalid"
        if not self.counts and len(set(self.expected.values())) != 1:
            return "invalid"
        code, _, errors = self.compile_muster()
        if code != 0 or b"internal error" in errors:
            return f"Muster does not compile it ({code}): {first_line(errors)}"
        return None

    def has_oracle(self, threads):
        """Whether the plain program says the same without optimisation: clang++-19 -O2 miscompiles one in some hundred."""
        return self.compile_plain("plain-O0", "-O0") and run([str(self.folder / "plain-O0")], {"OMP_NUM_THREADS": threads})[1] == self.expected[threads]

    def is_by_aliasing(self, ranks, environment):
        """Whether the difference is gone without type-based aliasing: clang++-19's vectoriser reads fields of records of
        ints and floats in front of stores to them, in native code as in plain loops."""
        return self.compile_muster("-fno-strict-aliasing")[0] == 0 and self.compare(ranks, environment) is None

    def compare(self, ranks, environment):
        """None, or how the run differs from the plain one: a word first, by which failures are told apart."""
        command = [str(self.folder / "muster")]
        if ranks > 1:
            command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", str(ranks), *command]
        code, output, errors = run(command, environment)
        if code == "hang":
            return f"hang: no end after {TIMEOUT} s"
        # One iteration of an index that is only bounded, not exact, may need more than a small limit leaves.
        if code != 0 and "MUSTER_LIMIT_MEM" in environment and b"iterations of this loop needs" in errors:
            return None
        if code != 0:
            return f"failure: exit code {code}: {first_line(errors)}"
        expected = self.expected[environment["OMP_NUM_THREADS"]]
        if output != expected:
            return "difference: " + first_difference(expected, output)
        if b"could not build kernel" in errors:  # the native code took over
            return f"kernel: {' '.join(errors[errors.index(b'could not build kernel'):].decode(errors='replace').split())[:600]}"
        return None


def first_line(errors):
    lines = [line for line in errors.decode(errors="replace").splitlines() if "error" in line or "muster" in line]
    return (lines or ["no message"])[0][:300]


def first_difference(expected, got):
    for a, b in zip(expected.splitlines(), got.splitlines()):
        if a != b:
            return f"plain {a[:100]!r}, Muster {b[:100]!r}"
    return f"{len(expected.splitlines())} lines, Muster {len(got.splitlines())}"


def failure_of(text, flags, folder, options, runs, suffix=".cpp"):
    """(why, ranks, environment) of the first run that fails; None if all are well; 'invalid' if there is no oracle."""
    trial = Trial(text, flags, folder, options.build, suffix)
    why = trial.compile()
    if why == "invalid":
        return why
    if why:
        return why, 1, {}
    for ranks, environment in runs:
        why = trial.compare(ranks, environment)
        # Processes share POCL's cache: a build that another one disturbs succeeds the next time.
        if why and why.startswith("kernel:"):
            print(f"tried again: {why}", flush=True)
            why = trial.compare(ranks, environment)
        if why and why.startswith("difference:"):
            if not trial.has_oracle(environment["OMP_NUM_THREADS"]):
                return "invalid"
            if trial.is_by_aliasing(ranks, environment):
                print(f"right with -fno-strict-aliasing: {folder.name}: {why}", flush=True)
                return "invalid"
        if why:
            return why, ranks, environment
    return None


def command_of(ranks, environment):
    launcher = [] if ranks == 1 else [f"mpirun -n {ranks}"]
    return " ".join([*(f"{k}={v}" for k, v in environment.items()), *launcher, "./program"])


def keep(seed, text, flags, failure, folder, options, suffix):
    """Minimises the failure and writes it where it becomes a test."""
    why, ranks, environment = failure
    kind = why.split(":")[0]

    def still_fails(candidate):
        runs = [(ranks, environment)] if environment else []  # none: it did not compile
        again = failure_of(candidate, flags, folder / "smaller", options, runs, suffix)
        return again not in (None, "invalid") and again[0].split(":")[0] == kind

    with contextlib.suppress(Late):  # then as it is
        if options.minimise and still_fails(text):
            text = minimise.minimise(text, still_fails)
    options.keep.mkdir(parents=True, exist_ok=True)
    path = options.keep / f"seed-{seed}{suffix}"
    path.write_text("// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n//\n"
                    f"// {why}\n// Flags: {' '.join(flags)}\n// Run: {command_of(ranks, environment)}\n{text}")
    return path


def check_seed(seed, work, options):
    folder = work / str(seed)
    program = generate.Program(seed, options.c, options.only)
    text, flags, suffix = program.write(), [f"-O{seed % 4}"] + ["-march=native"] * (seed % 8 > 4), program.suffix
    failure = failure_of(text, flags, folder, options, configurations(seed, options), suffix)
    if failure == "invalid":
        flags = ["-O0"]
        failure = failure_of(text, flags, folder, options, configurations(seed, options), suffix)
    said = None
    if failure == "invalid":
        said = f"seed {seed}: no oracle: the plain build fails or depends on the number of threads"
    elif failure:
        path = keep(seed, text, flags, failure, folder, options, suffix)
        said = f"seed {seed}: {failure[0]}\n  {command_of(failure[1], failure[2])}\n  kept as {path}"
    shutil.rmtree(folder, ignore_errors=True)
    return said


def check_found(path, work, options):
    """A kept program, as it failed and in a few other configurations."""
    lines = path.read_text().splitlines()
    flags = next((line.split(":", 1)[1].split() for line in lines if line.startswith("// Flags:")), [])
    spelled = next((line.split(":", 1)[1].split() for line in lines if line.startswith("// Run:")), [])
    environment = dict(word.split("=", 1) for word in spelled if "=" in word)
    ranks = int(spelled[spelled.index("-n") + 1]) if "-n" in spelled else 1
    runs = [(ranks, environment), (1, {"MUSTER_DEVICES": "cpu"}), (3, {"MUSTER_DEVICES": "cpu,opencl", "MUSTER_MIN_SHARE": "0"})]
    failure = failure_of(path.read_text(), flags, work / path.stem, options, runs, path.suffix)
    return f"{path}: {failure if failure == 'invalid' else failure[0]}" if failure else None


def main():
    global last
    options = parse()
    ends = time.monotonic() + options.seconds
    last = ends + GRACE
    jobs = sorted([*options.keep.glob("*.cpp"), *options.keep.glob("*.c")]) if options.found else range(options.first, options.first + options.count)
    check = check_found if options.found else check_seed
    failed = done = 0

    def in_time(job):
        with contextlib.suppress(Late):
            if time.monotonic() < ends:
                return check(job, pathlib.Path(work), options)
        return LATE

    with tempfile.TemporaryDirectory(prefix="muster-fuzz-") as work, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for said in pool.map(in_time, jobs):
            if said is LATE:
                continue
            done += 1
            failed += said is not None
            if said:
                print(said, flush=True)
            elif options.verbose:
                print(f"{done} done", flush=True)
    print(f"{done - failed} of {done} programs equal their plain builds")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
