#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures how long files take to compile with the plugin, against the plain compile: CPU seconds, the least of several.

run.py has these rows, too. By itself it compares plugins (of other builds), and compiles with them in turn."""
import argparse
import os
import pathlib
import resource
import subprocess
import tempfile

from harness import ROOT, Table

SAMPLES = ROOT / "samples"
WITHOUT = [SAMPLES / "common/image.cpp"]
WITH = [SAMPLES / name for name in ("jacobi/jacobi.cpp", "sobel/sobel.cpp", "sfe/sfe.cpp", "heat3d/heat3d.cpp", "cg/cg.cpp")]
# A cache would answer instead of the compiler.
ENVIRONMENT = {**os.environ, "CCACHE_DISABLE": "1"}


def cpu_seconds(command):
    """Of the compiler; the machine's other work counts little in them."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, env=ENVIRONMENT)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compile_times(table, plugins, repeats):
    """`plugins`: names and paths."""
    for source in [*WITHOUT, *WITH]:
        with tempfile.TemporaryDirectory() as folder:
            plain = pathlib.Path(folder) / source.name
            plain.write_bytes(subprocess.run([ROOT / "scripts" / "plain-source.sh", source], check=True, stdout=subprocess.PIPE).stdout)
            common = ["clang++-19", "-std=c++20", "-O3", "-fopenmp", "-w", "-c", "-o", "/dev/null",
                      f"-I{SAMPLES / 'common'}", f"-I{source.parent}"]
            commands = [[*common, plain], *([*common, source, f"-fplugin={plugin}"] for plugin in plugins.values())]
            rounds = [[cpu_seconds(command) for command in commands] for _ in range(repeats)]
        rival, *seconds = (min(times) for times in zip(*rounds))
        limit = 1.6 if source in WITHOUT else 2.5
        for name, taken in zip(plugins, seconds):
            what = f"{source.relative_to(SAMPLES)}{' without directives' if source in WITHOUT else ''}{name and ', ' + name}"
            table.add(what, taken, "s", rival, taken / rival, ("at most", limit, "ratio"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, action="append", default=[], help="builds to compare (build); optimised ones")
    parser.add_argument("--repeats", type=int, default=4)
    options = parser.parse_args()
    builds = [build.resolve() for build in options.build or [ROOT / "build"]]
    names = [str(build) if len(builds) > 1 else "" for build in builds]
    table = Table()
    table.section("Compile time, CPU seconds", "without the plugin")
    compile_times(table, {name: build / "lib" / "libmuster-plugin.so" for name, build in zip(names, builds)}, options.repeats)


if __name__ == "__main__":
    main()
