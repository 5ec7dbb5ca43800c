#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every header compiles alone, with the flags of a source of its part; the public ones also as C99 and C++11.

Usage: check_headers.py ROOT BUILD | --self-test. Headers that are not public find those of libraries in the part's
precompiled header, as its sources do: without it, each takes a second, and the plugin's take three. What of the standard
library a header of another part names, it must include, or a header of ours that it includes. The plugin's that their own
source includes first have been compiled alone by the build.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

PARTS = ("cdm", "cap", "runtime", "clang-plugin")
PUBLIC = {"muster/abi.h": ("c99", "c++11"), "muster/chunk.h": ("c99", "c++11"), "muster/muster.h": ("c99", "c++11"),
          "muster/muster.hpp": ("c++11",), "muster/trips.hpp": ("c++11",), "muster/forms.hpp": ("c++11",)}
# Names of the standard library, by the header that has them.
NAMES = {
    "algorithm": "all_of any_of binary_search clamp copy copy_backward count equal fill find find_if max min none_of sort",
    "array": "array", "atomic": "atomic atomic_flag memory_order_acq_rel memory_order_acquire memory_order_relaxed "
    "memory_order_release", "bit": "bit_cast endian", "charconv": "from_chars to_chars", "chrono": "chrono",
    "condition_variable": "condition_variable", "cstdio": "FILE fclose fopen", "cstdlib": "atoi free getenv malloc",
    "cstring": "memcmp memcpy memset strcmp strlen", "deque": "deque", "exception": "exception_ptr terminate",
    "filesystem": "filesystem", "fstream": "ifstream ofstream", "functional": "function hash", "limits": "numeric_limits",
    "list": "list", "map": "map multimap", "memory": "make_shared make_unique shared_ptr unique_ptr weak_ptr",
    "mutex": "lock_guard mutex once_flag scoped_lock timed_mutex unique_lock", "new": "bad_alloc launder",
    "optional": "nullopt optional", "set": "multiset set", "span": "as_bytes span", "stdexcept": "logic_error runtime_error",
    "string": "string to_string", "string_view": "string_view", "thread": "this_thread thread", "tuple": "tie tuple",
    "unordered_map": "unordered_map unordered_multimap", "unordered_set": "unordered_set",
    "utility": "exchange forward move pair swap", "variant": "get holds_alternative variant", "vector": "vector",
}
HEADER_OF = {name: header for header, names in NAMES.items() for name in names.split()}
# Headers that have what another one has, by the standard or by everybody's use.
ALSO = {"string_view": {"string"}, "utility": {"map", "unordered_map", "algorithm", "memory", "optional", "vector", "variant",
                                              "functional", "set", "string", "tuple"},
        "array": {"span", "tuple"}, "tuple": {"map"}}


def flags_of(build: pathlib.Path) -> dict:
    """Part -> the flags with which most of its sources are compiled."""
    flags = {part: {} for part in PARTS}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        part = pathlib.Path(words[words.index("-o") + 1]).parts[0]
        compiler = next(i for i, word in enumerate(words) if "clang" in os.path.basename(word))
        words = words[compiler:words.index("-o")]
        if part in flags:
            flags[part][tuple(words)] = flags[part].get(tuple(words), 0) + 1
    return {part: list(max(counts, key=counts.get)) for part, counts in flags.items() if counts}


def without_precompiled(words: list) -> list:
    if "-include-pch" not in words:
        return words
    at = words.index("-include-pch")  # between two -Xclang, and its file behind the second
    return words[:at - 1] + words[at + 3:]


def included_by(header: pathlib.Path, root: pathlib.Path, seen: set) -> set:
    """Headers of the standard library that a header includes, itself or by others of ours."""
    found = set()
    seen.add(header)
    for name in re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', header.read_text(), re.M):
        folders = [header.parent, *(root / part / kind for part in PARTS for kind in ("include", "src"))]
        own = next((folder / name for folder in folders if (folder / name).exists()), None)
        if own is None:
            found.add(name)
        elif own not in seen:
            found |= included_by(own, root, seen)
    return found


def missing(header: pathlib.Path, root: pathlib.Path) -> set:
    code = re.sub(r"//[^\n]*", "", header.read_text())
    needed = {HEADER_OF[name] for name in re.findall(r"\bstd::(\w+)", code) if name in HEADER_OF}
    included = included_by(header, root, set())
    return {name for name in needed if name not in included and not ALSO.get(name, set()) & included}


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
            is_public = "include/muster" in header.as_posix()
            own = without_precompiled(flags[part]) if is_public else flags[part]
            yield header.relative_to(root).as_posix(), [*own, *extra, "-include", str(header), "-x", "c++", "-"]
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


def names_not_included(root: pathlib.Path):
    for part in PARTS[:3]:
        for header in sorted((root / part / "src").rglob("*.h")):
            for name in sorted(missing(header, root)):
                yield f"{header.relative_to(root)}: names what <{name}> has, and does not include it"


def self_test() -> int:
    cases = {"#include <string>\nstd::string a(std::vector<int>);": {"vector"}, "#include <map>\nstd::pair<int, int> a;": set(),
             '#include "one.h"\nstd::string_view a; std::mutex *b;': {"mutex"}, "// std::optional\nint a;": set()}
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "one.h").write_text("#include <string>\n")
        header = pathlib.Path(folder) / "two.h"
        for text, expected in cases.items():
            header.write_text(text)
            if missing(header, pathlib.Path(folder)) != expected:
                print(f"{text!r}: {missing(header, pathlib.Path(folder))} instead of {expected}")
                wrong += 1
    print(f"headers: {len(cases)} cases, {wrong} wrong")
    return 1 if wrong else 0


def main() -> int:
    if sys.argv[1] == "--self-test":
        return self_test()
    root, build = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    work = list(jobs(root, build))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        failures = [text for text in pool.map(compile_alone, work) if text]
    failures += names_not_included(root)
    print("\n".join(failures + [f"headers: {len(work)} compiled, {len(failures)} failed"]))
    return 1 if failures or not work else 0


if __name__ == "__main__":
    sys.exit(main())
