#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles texts of kernels, in all their forms, as CUDA C++: those of the samples, of the library, and of fused loops.

Usage: check.py BUILD [--all] [--machine-code] [--only PART] [--compiler NAME]

  --all           also those of the benchmarks, of test programs and of the lit tests: a quarter of an hour
  --machine-code  to machine code of an H100; else to PTX
  --only PART     those alone whose names have this part
  --compiler NAME nvrtc, or clang, which takes CUDA as well; else NVRTC where it is found

Prints what does not compile; exit 1 if there is any, 77 without NVRTC if that was asked for.
"""
import argparse
import collections
import json
import multiprocessing
import os
import pathlib
import subprocess
import sys

import compilers
import corpus


def definitions(form, group):
    sizes = {f"MUSTER_WG{axis}": size for axis, size in enumerate(group)}
    return [f"-D{name}={value}" for name, value in {**sizes, **form, "MUSTER_CAPABILITY": 90}.items()]


def texts(build, programs):
    """All that is to compile: name, text, definitions."""
    for name, program in programs.items():
        for form in corpus.forms(program):
            for text in corpus.with_guests(program, form):
                yield name, text, definitions(form, corpus.group_of(program, form))
    tool = str(build / "bin" / "muster_kernel_texts")
    own = json.loads(subprocess.run([tool], capture_output=True, text=True, check=True).stdout)
    lines = "".join(json.dumps(line) + "\n" for line in corpus.described(programs))
    fused = json.loads(subprocess.run([tool, "--fuse"], input=lines, capture_output=True, text=True, check=True).stdout)
    for name, text in own.items():
        for form in corpus.forms(text):
            yield name, text, definitions(form, corpus.GROUP)
    for name, text in fused.items():
        yield name, text, definitions({"MUSTER_POINTS": 1, **({"MUSTER_BLOCKS": 1} if name.endswith("in blocks") else {})}, corpus.GROUP)


compiler = None


def start(kind, path):
    global compiler
    compiler = kind(path)


def check(task):
    name, text, given, architecture = task
    return name, given, *compiler.compile(text, given, architecture)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--machine-code", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--compiler", choices=("nvrtc", "clang"))
    arguments = parser.parse_args()
    nvrtc = compilers.find_nvrtc()
    if arguments.compiler == "nvrtc" and not nvrtc:
        return 77
    kind = compilers.Nvrtc if nvrtc and arguments.compiler != "clang" else compilers.Clang
    build = arguments.build.resolve()
    programs = corpus.programs(build, corpus.ALL if arguments.all else corpus.SAMPLES)
    architecture = "sm_90" if arguments.machine_code else "compute_90"
    tasks = [(*task, architecture) for task in texts(build, programs) if arguments.only in task[0]]
    counts = collections.Counter()
    with multiprocessing.Pool(os.cpu_count(), start, [kind, nvrtc]) as pool:
        for name, given, compiles, said in pool.imap(check, tasks, 4):
            counts[compiles] += 1
            if not compiles:
                print(f"{name} {' '.join(given)}\n{said[:2000]}")
    print(f"{kind.__name__}: {len(programs)} kernels of the plugin's; of {len(tasks)} texts {counts[True]} compile")
    return 0 if tasks and not counts[False] else 1


if __name__ == "__main__":
    sys.exit(main())
