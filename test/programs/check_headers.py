#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every header compiles alone, with the flags of a source of its part; the public ones also as C99 and C++11.

Usage: check_headers.py ROOT BUILD. The plugin's headers find Clang's in the precompiled header, as its sources do: without
it, each takes three seconds. So the build has compiled those alone that their own source includes first, which is all that
is asked of them here.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

PARTS = ("cdm", "cap", "runtime", "clang-plugin")
PUBLIC = {"muster/abi.h": ("c99", "c++11"), "muster/chunk.h": ("c99", "c++11"), "muster/muster.h": ("c99", "c++11"),
          "muster/muster.hpp": ("c++11",), "muster/trips.hpp": ("c++11",), "muster/forms.hpp": ("c++11",)}


def flags_of(build: pathlib.Path) -> dict:
    """Part -> the flags with which most of its sources are compiled."""
    flags = {part: {} for part in PARTS}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        part = pathlib.Path(words[words.index("-o") + 1]).parts[0]
        compiler = next(i for i, word in enumerate(words) if "clang" in os.path.basename(word))
        words = words[compiler:words.index("-o")]
        if part != "clang-plugin" and "-include-pch" in words:  # between two -Xclang, and its file behind the second
            at = words.index("-include-pch")
            del words[at - 1:at + 3]
        if part in flags:
            flags[part][tuple(words)] = flags[part].get(tuple(words), 0) + 1
    return {part: list(max(counts, key=counts.get)) for part, counts in flags.items() if counts}


def own_source_begins_with(header: pathlib.Path) -> bool:
    source = header.with_suffix(".cpp")
    first = re.search(r'^#include\s+["<](\S+)[">]', source.read_text(), re.M) if source.exists() else None
    return first is not None and header.as_posix().endswith("/" + first[1])


def jobs(root: pathlib.Path, build: pathlib.Path):
    """Pairs of a header's name and the command that compiles it."""
    flags = flags_of(build)
    mpi = shlex.split(subprocess.run(["mpicc", "--showme:compile"], capture_output=True, text=True, check=True).stdout)
    for part in PARTS:
        extra = [] if part == "clang-plugin" else [f"-I{root}/cdm/src", "-DCL_TARGET_OPENCL_VERSION=120",
                                                   "-DOMPI_SKIP_MPICXX", *mpi]
        for header in sorted((root / part).rglob("*.h")):
            if "include/muster" in header.as_posix() and part == "runtime":
                continue  # below, as a program includes it
            if part == "clang-plugin" and own_source_begins_with(header):
                continue
            yield header.relative_to(root).as_posix(), [*flags[part], *extra, "-include", str(header), "-x", "c++", "-"]
    own = [f"-I{root}/{part}/include" for part in ("cdm", "runtime")]
    for header, standards in PUBLIC.items():
        for standard in standards:
            language = "c" if standard == "c99" else "c++"
            yield header, [flags["runtime"][0], f"-std={standard}", *own, "-include", header, "-x", language, "-"]


def compile_alone(job) -> str:
    name, command = job
    tolerated = [word for word in command if word.startswith("-Wno-")]  # behind -Wextra, which would undo it
    result = subprocess.run([*command, "-fsyntax-only", "-Wall", "-Wextra", "-Werror", *tolerated],
                            stdin=subprocess.DEVNULL, capture_output=True, text=True,
                            env=os.environ | {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"})  # as in the Makefile
    return f"{name} does not compile alone:\n{result.stderr}" if result.returncode else ""


def main() -> int:
    root, build = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    work = list(jobs(root, build))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        failures = [text for text in pool.map(compile_alone, work) if text]
    print("\n".join(failures + [f"headers: {len(work)} compiled, {len(failures)} failed"]))
    return 1 if failures or not work else 0


if __name__ == "__main__":
    sys.exit(main())
