#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures Muster against the plain OpenMP build of the same source: one command, one table.

Each pair runs in turn (A B A B ...) in one session, and every pair's results are compared. On a small shared machine
only the ratios mean something. Programs on GPUs and their OpenCL rivals: scripts/gpu-check.sh.
"""
import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

from compile_time import compile_times
from harness import HERE, MPIRUN, ROOT, Run, Table, build_pair, bytes_moved, loops_of, compare, quantity, run

SAMPLES = ROOT / "samples"
COMMON = [f"-I{SAMPLES / 'common'}"]
PROGRAMS = [f"-I{HERE / 'programs'}"]


class Program:
    """A source and its arguments. steps, least: a small run with {} steps, and the bytes that three devices have to exchange
    in one of them at the least; see exchanged()."""

    def __init__(self, name, source, quick, full, flags, steps=None, least=None, tolerance=0):
        self.name, self.source, self.flags, self.tolerance = name, source, flags, tolerance
        self.arguments = {"quick": quick.split(), "full": full.split()}
        self.steps, self.least = steps, least


PAIRS = [
    Program("jacobi", HERE / "programs/jacobi.cpp", "2048 60 1", "4096 40 1", PROGRAMS, "512 {}", 4 * 510 * 4),
    Program("jacobi-double", HERE / "programs/jacobi.cpp", "2048 30 1", "4096 20 1", [*PROGRAMS, "-DREAL=double"]),
    Program("sobel", HERE / "programs/sobel.cpp", "4096 10", "8192 20", PROGRAMS, "512 {}", 0),
    Program("matmul-rows", SAMPLES / "matmul/matmul.cpp", "500 4 rows", "1000 3 rows", COMMON, "128 {} rows", 0),
    Program("matmul-collapse", SAMPLES / "matmul/matmul.cpp", "500 4 collapse", "1000 3 collapse", COMMON, "128 {} collapse", 0),
    Program("black-scholes", SAMPLES / "black-scholes/black_scholes.cpp", "2000000 8", "8000000 10", COMMON, "100000 {}", 0, 1e-5),
    Program("heat3d", SAMPLES / "heat3d/heat3d.cpp", "1000 20", "4000 40", COMMON, "64 {}", 4 * 62 * 62 * 8),
    Program("nbody", SAMPLES / "nbody/nbody.cpp", "5000 5", "15000 5", COMMON, "3000 {}", 2 * 3000 * 12, 1e-10),
    Program("cg", SAMPLES / "cg/cg.cpp", "700 40", "2000 40", COMMON, "100 {}", 2 * 100 * 100 * 8, 1e-6),
    Program("histogram-atomic", SAMPLES / "histogram/histogram.cpp", "10000000 5 atomic", "40000000 5 atomic", COMMON, "1000000 {} atomic"),
    Program("histogram-reduction", SAMPLES / "histogram/histogram.cpp", "60000000 8 reduction", "300000000 8 reduction", COMMON,
            "1000000 {} reduction"),
    Program("smith-waterman", SAMPLES / "smith-waterman/smith_waterman.cpp", "12000 8000", "30000 30000", COMMON),
    Program("sfe", SAMPLES / "sfe/sfe.cpp", "48 3", "128 5", COMMON, "6 {}"),
]
# Program, arguments, and the most time that it may take, in times of the plain program.
IDIOMS = [Program(name, HERE / f"programs/{name}.cpp", "", "", PROGRAMS) for name in ("tables", "short_lived", "structs", "hot_atomics", "tiny")]
IDIOM_ROWS = [
    ("tables", "rows 1000 200", 1.05), ("tables", "vectors 1000 200", 1.05),
    *(("short_lived", arguments, 1.1) for arguments in ("new 10 20000", "new 1000 20000", "new 100000 2000", "new 1000000 200",
                                                        "vector 1000000 100", "push 500 10000", "push 20000 500", "table 1000 2000", "many 10 200")),
    ("structs", "particles 1000000 20", 1.05), ("structs", "mesh 60 20", 1.05),
    ("hot_atomics", "4000000 4 10", 1.05),
]
MERGE = Program("merge", HERE / "programs/merge.cpp", "1000000 20", "4000000 20", PROGRAMS)
HOST_PASS = Program("host-pass", HERE / "programs/host_pass.cpp", "200000000 3", "1000000000 3", PROGRAMS)
EMPTY = Program("empty", HERE / "programs/empty.cpp", "100000", "400000", PROGRAMS)


# Of both programs: their runs are too short for the system to spread two threads over two cores first.
BOUND = {"OMP_PROC_BIND": "true"}


def compile_all(build, out):
    out.mkdir(parents=True, exist_ok=True)
    for program in [*PAIRS, *IDIOMS, EMPTY, MERGE, HOST_PASS]:
        build_pair(build, out, program.name, [program.source], program.flags)
    run(["mpicxx", "-O3", "-std=c++20", HERE / "rivals" / "merge_mpi.cpp", "-o", out / "merge-mpi"], env={**os.environ, "OMPI_CXX": "clang++-19"})
    for rival in sorted((HERE / "rivals").glob("*_opencl.cpp")):
        run(["clang++-19", "-O3", *COMMON, rival, "-lOpenCL", "-o", out / rival.stem.replace("_", "-")])


def speed(table, out, size, repeats, names):
    table.section("One process, CPU only, against clang++ -O3 -fopenmp without the plugin", "plain OpenMP")
    cpu = {**BOUND, "MUSTER_DEVICES": "cpu"}
    for program in PAIRS:
        if names and program.name not in names:
            continue
        commands = [[out / f"{program.name}-{kind}", *program.arguments[size]] for kind in ("muster", "plain")]
        seconds, ratio, memory = compare(commands, repeats, (cpu, BOUND), program.tolerance)
        table.add(f"{program.name} {' '.join(program.arguments[size])}", seconds[0] * 1e3, "ms/step", seconds[1] * 1e3, ratio,
                  ("at least", 0.95, "ratio"), memory)


def idioms(table, out, repeats):
    table.section("Idioms, one process with default devices", "plain OpenMP")
    for name, arguments, most in IDIOM_ROWS:
        commands = [[out / f"{name}-{kind}", *arguments.split()] for kind in ("muster", "plain")]
        seconds, ratio, memory = compare(commands, repeats, (BOUND, BOUND), 0)
        table.add(f"{name} {arguments}", seconds[0] * 1e6, "us/step", seconds[1] * 1e6, ratio, ("at least", round(1 / most, 3), "ratio"), memory)


def starts(table, out, repeats):
    """A program that has nothing to do: processor time, since the clock of a busy machine says little."""
    table.section("Start and end of a program, processor time", "plain OpenMP")
    for what, environment, target in (("default devices", {}, ("at most", 20, "muster")), ("MUSTER_DEVICES=cpu", {"MUSTER_DEVICES": "cpu"}, None)):
        runs = [[Run([out / f"tiny-{kind}"], environment).processor * 1e3 for kind in ("muster", "plain")] for _ in range(4 * repeats)]
        mine, plain = (statistics.median(run[which] for run in runs) for which in (0, 1))
        table.add(what, mine, "ms", plain, plain / mine, target)


def launches(table, out, size, repeats):
    table.section("A launch of 64 cheap iterations", "plain OpenMP")
    arguments = EMPTY.arguments[size]
    commands = [[out / f"empty-{kind}", *arguments] for kind in ("muster", "plain")]
    seconds, ratio, _ = compare(commands, repeats, ({"MUSTER_DEVICES": "cpu"}, {}), 0)
    table.add("one process, one CPU", seconds[0] * 1e6, "us", seconds[1] * 1e6, ratio)
    for ranks in (2, 4):
        environment = {"MUSTER_DEVICES": "cpu", "MUSTER_MIN_SHARE": "0", "OMP_NUM_THREADS": "1"}
        runs = [Run([*MPIRUN, ranks, out / "empty-muster", "5000"], environment).seconds for _ in range(repeats)]
        table.add(f"{ranks} ranks on this host, one thread each", statistics.median(runs) * 1e6, "us",
                  target=("at most", 100, "muster") if ranks == 4 else None)


def exchanged(table, out):
    """Bytes of one more step: the difference between two runs, so that what the start moves does not count."""
    table.section("Bytes exchanged by a step, 3 ranks with a CPU each", "least possible")
    environment = {"MUSTER_DEVICES": "cpu", "MUSTER_MIN_SHARE": "0", "MUSTER_WEIGHTS": "1,1,1", "OMP_NUM_THREADS": "1"}
    for program in PAIRS:
        if not program.steps:
            continue
        command = [*MPIRUN, "3", out / f"{program.name}-muster"]
        moved = [bytes_moved([*command, *program.steps.format(steps).split()], environment) for steps in (4, 12)]
        per_step = (moved[1] - moved[0]) / 8
        ratio = per_step / program.least if program.least else None
        table.add(f"{program.name} {program.steps.format('STEPS')}", per_step, "bytes", program.least, ratio)


def merges(table, out, size, repeats):
    """Scattered writes to a replicated array: the same exchange by hand, and the bytes that the diffs take."""
    table.section("Replicas merged on 3 ranks", "hand-written MPI")
    arguments = MERGE.arguments[size]
    common = {"OMP_NUM_THREADS": "1"}
    environment = {**common, "MUSTER_DEVICES": "cpu", "MUSTER_MIN_SHARE": "0", "MUSTER_WEIGHTS": "1,1,1"}
    commands = [[*MPIRUN, "3", out / name, *arguments] for name in ("merge-muster", "merge-mpi")]
    seconds, ratio, _ = compare(commands, repeats, (environment, common), 0)
    table.add(f"half of {arguments[0]} doubles, ms a step", seconds[0] * 1e3, "ms", seconds[1] * 1e3, ratio, ("at least", 0.5, "ratio"))
    loop = max(loops_of(commands[0], environment), key=lambda loop: loop["bytesMerged"])
    changed, sent = (loop[key] / loop["launches"] for key in ("bytesChanged", "bytesMerged"))
    # Each chunk's diff goes to two other ranks.
    allowed = 2 * (2 * changed + 0.05 * 8 * int(arguments[0]))
    table.add("bytes of diffs a step, next to the most that is allowed", sent, "bytes", allowed, sent / allowed, ("at most", 1, "ratio"))


def host_passes(table, out, size, repeats):
    """Host code over an array that a device has just written, against the same after one transfer of all of it."""
    table.section("A pass of host code after a launch on POCL", "transfer, then the pass")
    environment = {"MUSTER_DEVICES": "pocl"}
    arguments = HOST_PASS.arguments[size]
    for what in ("read", "update", "memcpy", "memset", "fwrite"):
        # compare() divides the second's time by the first's: how many times as long the pages take.
        commands = [[out / "host-pass-muster", what, *arguments, how] for how in ("transfer", "pages")]
        seconds, ratio, _ = compare(commands, repeats, (environment, environment), 0)
        table.add(f"{what}, {arguments[0]} bytes", seconds[1] * 1e3, "ms", seconds[0] * 1e3, ratio, ("at most", 1.3, "ratio"))


def planner(table, build):
    table.section("The planner, one launch", "")
    command = [build / "bin" / "planner_bench", "--benchmark_format=json", "--benchmark_min_time=0.2"]
    report = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)
    for entry in report["benchmarks"]:
        large = entry["name"] == "planFromScratch/1024"
        table.add(entry["name"], entry["real_time"], entry["time_unit"], target=("at most", 1000, "muster") if large else None)


def dry_run(table, out):
    """Programs planned for 1,024 ranks; the planner's memory must not grow with the number of launches."""
    table.section("Planned for 1,024 ranks (MUSTER_DRY_RUN), not run", "")
    environment = {"MUSTER_DRY_RUN": "1024", "MUSTER_DEVICES": "cpu"}
    for name, arguments in (("jacobi", "8192 {}"), ("heat3d", "4096 {}"), ("nbody", "200000 {}")):
        memories = []
        for steps in (10, 200):
            text = Run([out / f"{name}-muster", *arguments.format(steps).split()], environment).errors
            loops = re.findall(r"(\d+) launches.*?anew, in (\S+ \S+) \(median\).*?per launch (\S+ \S+) in (\d+) messages",
                               text, re.DOTALL)
            memories.append(quantity(re.search(r"planner's memory: (\S+ \S+) for", text).group(1)))
        _, median, moved, messages = max(loops, key=lambda loop: int(loop[0]) * quantity(loop[2]))  # exchanges most
        what = f"{name} {arguments.format(200)}"
        table.add(f"{what}: a plan, median", quantity(median) * 1e6, "us", target=("at most", 1000, "muster"))
        table.add(f"{what}: {messages} messages a launch, in all", quantity(moved), "bytes")
        table.add(f"{what}: planner's memory, 200 steps against 10", memories[1], "bytes", memories[0], memories[1] / memories[0],
                  ("at most", 1.05, "ratio"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--full", action="store_true", help="larger sizes and more repeats")
    parser.add_argument("--repeats", type=int, help="pairs to run, 5 (--full: 9)")
    parser.add_argument("--only", default="", help="comma list of programs for the first table; nothing else is measured")
    parser.add_argument("--output", type=pathlib.Path, action="append", default=[], help="also write the rows here (.json or .csv)")
    parser.add_argument("--compile-only", action="store_true", help="build the programs, measure nothing")
    options = parser.parse_args()
    build = options.build.resolve()
    out = build / "bench-programs"
    compile_all(build, out)
    if options.compile_only:
        return
    size = "full" if options.full else "quick"
    repeats = options.repeats or (9 if options.full else 5)
    names = [name for name in options.only.split(",") if name]
    unknown = set(names) - {program.name for program in PAIRS}
    if unknown:
        sys.exit(f"bench: no program {', '.join(sorted(unknown))}; there are {', '.join(p.name for p in PAIRS)}")
    table = Table()
    try:
        speed(table, out, size, repeats, names)
        if not names:
            idioms(table, out, repeats)
            starts(table, out, repeats)
            launches(table, out, size, repeats)
            exchanged(table, out)
            merges(table, out, size, repeats)
            host_passes(table, out, size, repeats)
            planner(table, build)
            dry_run(table, out)
            table.section("Compile time, CPU seconds", "without the plugin")
            compile_times(table, {"": build / "lib" / "libmuster-plugin.so"}, repeats)
    finally:  # what was measured before a program failed counts too
        for path in options.output:
            table.write(path)
    missed = [row["what"] for row in table.rows if row["met"] is False]
    print(f"\n{len(table.rows)} rows" + (f", targets missed: {', '.join(missed)}" if missed else ", all targets met"))


if __name__ == "__main__":
    main()
