#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks who includes whom (docs/architecture.md). Prints each breach; exit 1 if there is one.

Usage: check-layering.py [ROOT | --self-test]
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
SOURCES = {".h", ".hpp", ".c", ".cpp"}
BACKENDS = ("cpu", "opencl", "cuda")
TRANSPORTS = ("local", "loopback", "mpi")
ABI = {"muster/abi.h", "muster/chunk.h"}

# Folder -> predicates over an included path, with the rule that a hit breaks.
RULES = [
    ("cdm", lambda i: i.startswith("muster/cap/") or i in ("muster/abi.h", "muster/muster.hpp"), "cdm includes nothing above it"),
    ("cap", lambda i: i in ("muster/abi.h", "muster/muster.hpp"), "cap includes nothing of the runtime"),
    ("mpi", lambda i: i.startswith("muster/") and i not in ABI | {"muster/buffers.h"}, "the calls of MPI include muster/buffers.h and muster/abi.h only"),
    ("clang-plugin", lambda i: i.startswith("muster/") and i not in ABI, "the plugin includes muster/abi.h only"),
]

# Of the plugin: a file includes files of its own folder and of those in lines above it. "": what stands in no folder.
PLUGIN_ORDER = [
    ("ir",), ("passes",), ("print",), ("source",), ("pragma",),
    ("analysis/code",), ("analysis/facts",), ("analysis/loops",), ("analysis/objects",), ("analysis/updates",),
    ("analysis/teams",), ("analysis/counts",), ("analysis/records",), ("analysis/references",), ("analysis/walk",),
    ("analysis/independence",), ("analysis",),
    ("plan",), ("lower", "rewrite", "macros"), ("",),
]


def plugin_folder(path: str):
    """The longest folder of PLUGIN_ORDER that holds `path`, and its line."""
    return max(((folder, line) for line, folders in enumerate(PLUGIN_ORDER) for folder in folders
                if not folder or path.startswith(folder + "/")), key=lambda found: len(found[0]))


def breaks_order(path: str, include: str):
    """The rule of the plugin's order that `path` breaks by including `include`, or None. Both are paths in the plugin."""
    (own, line), (other, other_line) = plugin_folder(path), plugin_folder(include)
    if own == other or line > other_line:
        return None
    return f"{own} stands {'beside' if line == other_line else 'in front of'} {other or 'the files of no folder'}"


# Within a part: its folders, bottom to top, each with the public headers of the part that say what it does. A file
# includes of its own part what stands in its own folder or before.
ORDER = {
    "cdm": {
        "core": "chunk cdm/backoff cdm/clock cdm/iterations cdm/file cdm/own_signals cdm/parts cdm/status cdm/text cdm/faults cdm/device cdm/device_rooms cdm/host_allocation cdm/host cdm/launcher cdm/transport",
        "kernels": "cdm/benchmark_kernel cdm/merge_kernels",
        "transport": "cdm/transports",
        "transport/local": "",
        "transport/loopback": "",
        "transport/mpi": "",
        "stream": "",  # what drivers of the backends have in common
        "backends/cpu": "",
        "backends/opencl": "",
        "backends/cuda": "",
        "discovery": "cdm/device_manager cdm/host_peers",  # the one that knows the backends
    },
    "cap": {
        "region": "cap/small_vector cap/region cap/access",
        "state": "cap/memory_set cap/coherence",
        "plan": "cap/planner",
        "residency": "cap/residency",
        "storage": "cap/array",
        "merge": "",
        "executor": "cap/trace cap/executor",
    },
    "runtime": {
        "config": "",
        "protocol": "",
        "registry": "",
        "host/system": "",
        "host/space": "",
        "host/memory": "",
        "host/faults": "",
        "host/arrays": "",
        "host/interpose": "",
        "native": "",
        "devices": "",
        "trace": "",
        "report": "",
        "node": "",
        "balance": "",
        "tuner/in_place": "",
        "tuner/search": "",
        "tuner/sets": "",
        "engine/arrays": "",
        "engine/model": "",
        "engine/controller": "",
        "hostview": "",
        "session/job": "",
        "session/program": "",
        "session/interpose": "",
        "launch": "",
    },
}
LEVEL = {(part, folder): level for part, folders in ORDER.items() for level, folder in enumerate(folders)}
HEADERS = {f"muster/{name}.h": (part, folder)
           for part, folders in ORDER.items() for folder, names in folders.items() for name in names.split()}


def place_of(path: str):
    """The part and the folder in its order that a file of this path belongs to; None outside of cdm, cap and runtime."""
    source = re.match(r"(cdm|cap|runtime)/src/(.*)/[^/]+$", path)
    public = re.match(r"(?:cdm|cap)/include/(.*)", path)
    return (source.group(1), source.group(2)) if source else HEADERS.get(public.group(1), ("", "")) if public else None


def wrong_order(path: str, include: str):
    """The breach of the order within a part, or None."""
    place = place_of(path)
    if place is None:
        return None
    if place not in LEVEL:
        return f"{path} has no place in the order of {path.split('/')[0]} (tools/layering)"
    used = HEADERS.get(include) or place_of(f"{place[0]}/src/{include}")
    if used not in LEVEL or used[0] != place[0] or LEVEL[used] <= LEVEL[place]:
        return None
    return f"{place[1]} stands below {used[1]} in {place[0]}"


def named_twice(files):
    """Sources of the plugin in different folders with one name. A name means one thing."""
    folders = {}
    for file in files:
        folders.setdefault(file.stem, set()).add(file.parent.as_posix())
    return [f"{name}: is in {' and '.join(sorted(places))}: the plugin has each name once"
            for name, places in sorted(folders.items()) if len(places) > 1]


def forbidden(path: str, include: str):
    """The rule that `path` breaks by including `include`, or None."""
    for folder, hit, rule in RULES:
        if path.startswith(folder + "/") and hit(include):
            return rule
    plugin = "clang-plugin/"
    if path.startswith(plugin) and (ROOT / plugin / include).is_file() and (rule := breaks_order(path[len(plugin):], include)):
        return rule
    if re.match(r"(llvm|clang)(-c)?/", include) and not path.startswith((plugin, "test/plugin/")):
        return "only clang-plugin touches LLVM"
    if include == "mpi.h" and not path.startswith(("cdm/src/transport/mpi/", "mpi/abi_module.cpp", "test/cdm/", "test/programs/hybrid/", "samples/hybrid-", "bench/rivals/", "bench/programs/halo.cpp")):
        return "mpi.h belongs to cdm/src/transport/mpi and mpi/abi_module.cpp"
    if include.startswith("CL/") and not path.startswith(("cdm/src/backends/opencl/", "bench/rivals/", "test/", "lit-tests/")):
        return "CL/ headers belong to cdm/src/backends/opencl"
    if re.match(r"(cuda|nvrtc)", include) and not path.startswith(("cdm/src/backends/cuda/", "bench/rivals/")):
        return "CUDA headers belong to cdm/src/backends/cuda"
    for kind, names in (("backends", BACKENDS), ("transport", TRANSPORTS)):
        own = re.match(rf"cdm/src/{kind}/(\w+)/", path)
        other = re.match(rf"{kind}/(\w+)/", include)
        if own and other and other.group(1) in names and other.group(1) != own.group(1):
            return f"no {kind} folder includes another"
    return wrong_order(path, include)


# File, what it includes, and a word of the rule that it breaks by that ("": none).
CASES = (
    ("cdm/src/core/device.cpp", "muster/cdm/device.h", ""),
    ("cdm/src/core/faults.cpp", "backends/opencl/inventory.h", "core stands below backends/opencl"),
    ("cdm/src/backends/cpu/cpu_device.cpp", "muster/cdm/device_manager.h", "below discovery"),
    ("cdm/include/muster/cdm/device.h", "muster/cdm/device_manager.h", "core stands below discovery"),
    ("cdm/src/discovery/device_manager.cpp", "backends/opencl/inventory.h", ""),
    ("cdm/src/backends/cpu/cpu_device.cpp", "backends/opencl/inventory.h", "no backends folder"),
    ("cdm/src/backends/opencl/inventory.h", "stream/trial.h", ""),
    ("cdm/src/stream/trial.h", "backends/opencl/inventory.h", "stream stands below backends/opencl"),
    ("cdm/src/stream/trial.h", "CL/cl.h", "CL/ headers belong"),
    ("cap/src/plan/planner.cpp", "executor/merge.h", "plan stands below executor"),
    ("cap/src/executor/merge.cpp", "muster/cdm/device.h", ""),
    ("runtime/src/engine/controller/controller.h", "tuner/sets/tuner.h", ""),
    ("runtime/src/tuner/sets/tuner.h", "engine/controller/controller.h", "tuner/sets stands below engine/controller"),
    ("runtime/src/host/space/mapping.h", "host/memory/host_memory.h", "below host/memory"),
    ("runtime/src/node/node.cpp", "vector", ""),
    ("runtime/src/attic/old.cpp", "vector", "no place in the order"),
    ("cap/src/plan/planner.cpp", "muster/abi.h", "cap includes nothing of the runtime"),
)
# The same for files of the plugin.
PLUGIN_WRONG = (("pragma/Bind.cpp", "analysis/facts/Facts.h"), ("analysis/facts/Affine.h", "analysis/walk/BodyWalker.h"),
                ("analysis/loops/SimdLoops.cpp", "analysis/AnalyseLoops.h"), ("analysis/AnalyseLoops.h", "plan/Plan.h"),
                ("lower/PrintKernels.h", "rewrite/Rewrite.h"), ("plan/Plan.h", "Stages.h"))
PLUGIN_RIGHT = (("Stages.h", "plan/Plan.h"), ("rewrite/Rewrite.h", "plan/Plan.h"), ("analysis/facts/Values.h", "analysis/facts/Affine.h"),
                ("analysis/walk/Rows.cpp", "analysis/objects/RowTables.h"), ("analysis/AnalyseLoops.h", "pragma/Directives.h"))
TWICE = [pathlib.PurePosixPath(name) for name in ("a/One.h", "a/One.cpp", "b/Two.cpp", "c/Two.h")]


def self_test() -> int:
    wrong = [case for case in CASES
             if bool(case[2]) != bool(forbidden(*case[:2])) or case[2] not in (forbidden(*case[:2]) or "")]
    print("\n".join([f"{path} including {include}: {forbidden(path, include)}" for path, include, _ in wrong] +
                    [f"layering: {len(CASES)} cases, {len(wrong)} wrong"]))
    assert all(breaks_order(*pair) for pair in PLUGIN_WRONG) and not any(breaks_order(*pair) for pair in PLUGIN_RIGHT)
    assert named_twice(TWICE) == ["Two: is in b and c: the plugin has each name once"]
    return 1 if wrong else 0


def main() -> int:
    breaches = checked = 0
    for file in sorted(ROOT.rglob("*")):
        relative = file.relative_to(ROOT).as_posix()
        if file.suffix not in SOURCES or relative.startswith(("build", ".")):
            continue
        checked += 1
        for number, line in enumerate(file.read_text(errors="replace").splitlines(), 1):
            match = INCLUDE.match(line)
            rule = match and forbidden(relative, match.group(1))
            if rule:
                breaches += 1
                print(f"{relative}:{number}: includes {match.group(1)}: {rule}")
    plugin = ROOT / "clang-plugin"
    for breach in named_twice(file.relative_to(plugin) for file in plugin.rglob("*") if file.suffix in SOURCES):
        breaches += 1
        print(breach)
    print(f"layering: {checked} files, {breaches} breaches")
    return 1 if breaches or not checked else 0


if __name__ == "__main__":
    sys.exit(self_test() if sys.argv[1:] == ["--self-test"] else main())
