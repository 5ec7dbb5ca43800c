# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds, runs and compares programs for bench/run.py, and collects the rows of its table."""
import csv
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(ROOT / "test" / "programs"))
from run_matrix import same_text  # noqa: E402

MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n"]


class Table:
    """Rows of one benchmark run: printed as they come, and written as JSON or CSV at the end."""

    columns = ("section", "what", "muster", "rival", "unit", "ratio", "target", "met", "memory_ratio")

    def __init__(self):
        self.rows = []

    def section(self, title, rival):
        self.title = title
        print(f"\n{title}\n\n| what | Muster | {rival} | unit | ratio | target | memory of Muster (rival = 1) |")
        print("|---|--:|--:|---|--:|--:|--:|", flush=True)

    def add(self, what, muster, unit, rival=None, ratio=None, target=None, memory_ratio=None):
        """target: ("at least" | "at most", number, "ratio" | "muster")"""
        met = None
        if target:
            value = ratio if target[2] == "ratio" else muster
            met = value >= target[1] if target[0] == "at least" else value <= target[1]
        self.rows.append(dict(zip(self.columns, (self.title, what, muster, rival, unit, ratio, target and f"{target[0]} {target[1]:g}",
                                                 met, memory_ratio))))
        wanted = "" if not target else f"{target[0]} {target[1]:g}{'' if met else ' MISSED'}"

        def text(value, form):
            return "" if value is None else format(value, form)

        print(f"| {what} | {text(muster, '.6g')} | {text(rival, '.6g')} | {unit} | {text(ratio, '.3f')} | {wanted} | "
              f"{text(memory_ratio, '.3f')} |", flush=True)

    def write(self, path):
        with open(path, "w", newline="") as out:
            if path.suffix == ".csv":
                writer = csv.DictWriter(out, self.columns)
                writer.writeheader()
                writer.writerows(self.rows)
            else:
                json.dump(self.rows, out, indent=1)
                out.write("\n")


def run(command, **keywords):
    subprocess.run([str(part) for part in command], check=True, **keywords)


def newest_of(sources):
    """When any of these, or what they include, last changed."""
    inputs = [*sources, *(s.parent / h for s in sources for h in os.listdir(s.parent)), ROOT / "samples" / "common" / "sample.h",
              HERE / "programs" / "report.h"]
    return max(p.stat().st_mtime for p in inputs)


def build_muster(build, out, name, sources, flags):
    """`name`-muster; rebuilt only when something is newer."""
    muster = out / f"{name}-muster"
    parts = [build / "lib" / "libmuster-plugin.so", build / "lib" / "libmuster.so"]
    if not muster.exists() or muster.stat().st_mtime < max(newest_of(sources), *(p.stat().st_mtime for p in parts)):
        run([build / "bin" / "muster++", "-O3", *flags, *sources, "-o", muster])
    return muster


def build_pair(build, out, name, sources, flags):
    """`name`-muster and `name`-plain from the same sources."""
    muster, plain = build_muster(build, out, name, sources, flags), out / f"{name}-plain"
    if not plain.exists() or plain.stat().st_mtime < newest_of(sources):
        copies = []
        for source in sources:
            copy = out / f"plain-{source.name}"
            copy.write_bytes(subprocess.run([ROOT / "scripts" / "plain-source.sh", source], check=True, stdout=subprocess.PIPE).stdout)
            copies.append(copy)
        includes = sorted({f"-I{source.parent}" for source in sources})
        run(["clang++-19", "-fopenmp", "-O3", *flags, *includes, *copies, "-o", plain])
    return muster, plain


def reported(output, errors):
    """Seconds per step and the result that a program printed: those of bench/programs as JSON, samples as text."""
    if output.startswith(b"{"):
        report = json.loads(output)
        return report["seconds_per_step"], report["checksum"].encode()
    found = re.search(r": ([0-9.e+-]+) ms per step", errors)
    return float(found.group(1)) * 1e-3 if found else None, output


class Run:
    """One run of a program: seconds per step, what it computed, the largest resident set of its process in MiB, and its
    processor seconds."""

    def __init__(self, command, environment):
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            process = subprocess.Popen([str(part) for part in command], stdout=out, stderr=err, stdin=subprocess.DEVNULL,
                                       env={**os.environ, **environment})
            _, status, usage = os.wait4(process.pid, 0)
            out.seek(0), err.seek(0)
            self.output, errors = out.read(), err.read().decode(errors="replace")
        if status != 0:
            sys.exit(f"bench: {' '.join(map(str, command))} ended with status {status}:\n{errors[-2000:]}")
        self.mebibytes = usage.ru_maxrss / 1024
        self.processor = usage.ru_utime + usage.ru_stime
        self.errors = errors
        self.seconds, self.output = reported(self.output, errors)
        if self.seconds is None:
            sys.exit(f"bench: {' '.join(map(str, command))} did not print its time")


def compare(commands, repeats, environments, tolerance):
    """Runs two commands in turn, A B A B ..., the first pair not counted. Medians of both, and the median of the pairs' ratios."""
    runs = [[Run(c, e) for c, e in zip(commands, environments)] for _ in range(repeats + 1)][1:]
    for pair in runs:
        if not same_text(pair[0].output, pair[1].output, tolerance):
            sys.exit(f"bench: different results\n  {commands[0]}: {pair[0].output}\n  {commands[1]}: {pair[1].output}")
    seconds = [statistics.median(pair[which].seconds for pair in runs) for which in (0, 1)]
    ratio = statistics.median(pair[1].seconds / pair[0].seconds for pair in runs)
    memory = statistics.median(pair[0].mebibytes / pair[1].mebibytes for pair in runs)
    return seconds, ratio, memory


def loops_of(command, environment):
    """What the runtime reports of a run's loops."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        Run(command, {**environment, "MUSTER_INFO_FILE": str(report)})
        return json.loads(report.read_text())["loops"]


def bytes_moved(command, environment):
    """All bytes that the launches of a run moved between devices."""
    return sum(loop["bytesMoved"] for loop in loops_of(command, environment))


def quantity(text):
    """"3.5 ms" or "12.0 KiB", as the runtime's reports print them: in seconds or bytes."""
    number, unit = text.split()
    scale = {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
    return float(number) * scale[unit]
