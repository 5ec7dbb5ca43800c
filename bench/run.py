#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures Muster against the plain OpenMP build of the same source and hand-written OpenCL: one command, one table.

Each pair runs in turn (A B A B ...) in one session; medians and the ratio of medians are printed. On a small shared
machine only the ratios mean something.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PLAIN_SOURCE = HERE.parent / "scripts" / "plain-source.sh"


def compile_programs(build, out):
    out.mkdir(parents=True, exist_ok=True)
    for name, flags in (("jacobi", []), ("jacobi_double", ["-DREAL=double"]), ("sobel", []), ("empty", [])):
        source = HERE / "programs" / f"{name.split('_')[0]}.cpp"
        plain = out / f"{name}-plain.cpp"
        plain.write_bytes(subprocess.run([str(PLAIN_SOURCE), str(source)], check=True, stdout=subprocess.PIPE).stdout)
        common = ["-O3", f"-I{HERE / 'programs'}", *flags]
        subprocess.run(["clang++-19", "-fopenmp", *common, str(plain), "-o", str(out / f"{name}-plain")], check=True)
        subprocess.run([str(build / "bin" / "muster++"), *common, str(source), "-o", str(out / f"{name}-muster")], check=True)
    subprocess.run(["clang++-19", "-O3", str(HERE / "rivals" / "jacobi_opencl.cpp"), "-lOpenCL", "-o", str(out / "jacobi-opencl")],
                   check=True)


def measure(command, environment):
    """One run: what the program reports, and the largest resident set of its process in MiB."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, **environment})
    text = process.stdout.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    process.stdout.close()
    if status != 0:
        sys.exit(f"bench: {' '.join(command)} ended with status {status}")
    report = json.loads(text.strip().splitlines()[-1])
    report["rss_mib"] = usage.ru_maxrss / 1024
    return report


def compare(label, first, second, repeats, environment=None, second_environment=None):
    """Runs two commands in turn; prints a row; returns the ratio of speeds (second's time / first's)."""
    results = {0: [], 1: []}
    for repeat in range(repeats + 1):
        for which, command in enumerate((first, second)):
            run = measure(command, (environment if which == 0 else second_environment) or {})
            if repeat:  # the first pair warms up files and caches
                results[which].append(run)
    if len({r["checksum"] for runs in results.values() for r in runs}) != 1:
        sys.exit(f"bench: {label}: the two programs computed different results")
    seconds = [statistics.median(r["seconds_per_step"] for r in results[w]) for w in (0, 1)]
    memory = [statistics.median(r["rss_mib"] for r in results[w]) for w in (0, 1)]
    ratio, memory_ratio = seconds[1] / seconds[0], memory[0] / memory[1]
    print(f"| {label} | {seconds[0] * 1e3:.4f} | {seconds[1] * 1e3:.4f} | {ratio:.3f} | {memory_ratio:.3f} |", flush=True)
    return ratio


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=HERE.parent / "build")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--size", type=int, default=4096, help="rows and columns of Jacobi; Sobel has twice as many")
    parser.add_argument("--compile-only", action="store_true", help="build the programs, measure nothing")
    options = parser.parse_args()
    build = options.build.resolve()
    out = build / "bench-programs"
    compile_programs(build, out)
    if options.compile_only:
        return
    n, repeats = str(options.size), options.repeats
    cpu = {"MUSTER_DEVICES": "cpu"}

    def pair(name, *arguments):
        return [str(out / f"{name}-muster"), *arguments], [str(out / f"{name}-plain"), *arguments]

    print("| one process, CPU only | Muster ms/step | plain OpenMP ms/step | speed of Muster (plain = 1) | memory of Muster (plain = 1) |")
    print("|---|--:|--:|--:|--:|")
    compare(f"Jacobi {n} x {n} float", *pair("jacobi", n, "40", "1"), repeats, cpu)
    compare(f"Jacobi {n} x {n} double", *pair("jacobi_double", n, "20", "1"), repeats, cpu)
    compare(f"Sobel {2 * options.size} x {2 * options.size}", *pair("sobel", str(2 * options.size), "20"), repeats, cpu)
    first, second = pair("empty", "200000")
    compare("64-element loop (launch overhead)", first, second, repeats, cpu)


if __name__ == "__main__":
    main()
