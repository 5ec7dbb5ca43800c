# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The texts that the plugin prints of the sources in this tree, and the forms that each of them has."""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "lit-tests" / "OpenCL" / "Inputs"))
import kernel_text  # noqa: E402

SAMPLES = ["samples"]
ALL = ["samples", "bench/programs", "test/programs", "test/plugin", "lit-tests"]
# Where a text is for another number of work-items than this, it says so.
GROUP = (64, 4, 1)


def sources(folders):
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in (".c", ".cpp"))


def printed(build, path, more=()):
    """What the plugin prints of a source; "" where it finds no loop, or the source does not compile by itself."""
    includes = [f"-I{folder}" for folder in (ROOT / "samples/common", path.parent, path.parent / "Inputs", ROOT / "runtime/include")]
    compiler = ["clang-19"] if path.suffix == ".c" else ["clang++-19", "-std=c++20"]
    plugin = build / "lib" / "libmuster-plugin.so"
    command = [*compiler, "-fopenmp", f"-fplugin={plugin}", "-fplugin-arg-muster-print=kernels", "-fplugin-arg-muster-remarks=none", "-w",
               "-fsyntax-only", *includes, *more, str(path)]
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT,
                         env={**os.environ, "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"})
    return run.stdout if "__kernel" in run.stdout else ""


def programs(build, folders, jobs=os.cpu_count(), more=()):
    """Name -> text of each kernel that calls no function of another unit. A text that occurs again is there once."""
    found, seen = {}, set()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        paths = sources(folders)
        for path, text in zip(paths, pool.map(lambda path: printed(build, path, more), paths)):
            for number, program in enumerate(kernel_text.split(text)):
                name = f"{path.relative_to(ROOT)}#{number}"
                if program not in seen and not re.search(r"\bmuster_unit_\w+\(", program):
                    found[name] = program
                seen.add(program)
    return found


def values(text, macro):
    """The values of a macro that the text asks for."""
    return sorted({int(value) for value in re.findall(rf"\b{macro} == (\d+)", text)})


def forms(text):
    """The definitions of each form of a text: what Variant::options makes of it (cdm/src/stream/variants.cpp)."""
    plain = {"MUSTER_POINTS": 1}
    found = [plain]
    if "MUSTER_POINTS" in text:
        found.append({"MUSTER_POINTS": 4})
    if "#ifdef MUSTER_PRIVATE" in text:
        found += [{**plain, "MUSTER_PRIVATE": kind, "MUSTER_COPIES": copies} for kind, copies in ((1, 0), (1, 5), (2, 0))]
    if "defined(MUSTER_TILES)" in text:
        found += [{**plain, "MUSTER_TILES": tiles} for tiles in (1, 2)]
    if "defined(MUSTER_GROUPS)" in text:
        found += [{**plain, "MUSTER_GROUPS": groups} for groups in (1, 2, 8)]
    if "defined(MUSTER_STEPS)" in text:
        found += [{**plain, "MUSTER_STEPS": 1, "MUSTER_ROWS": rows} for rows in (128, 32)]
    found += [{**plain, "MUSTER_BLOCKS": number} for number in values(text, "MUSTER_BLOCKS")]
    numbers = sorted(set(re.findall(r"#ifndef (MUSTER_VALUE_\d+)", text)))
    if numbers:
        found.append({"MUSTER_POINTS": 4, **{number: "((int)(3L))" for number in numbers}})
    return found


def group_of(text, form):
    """The size of the work-groups of a form."""
    if "MUSTER_STEPS" in form:
        return 128, 1, 1
    if "MUSTER_TILES" in form:
        return (32, 4, 1) if "MUSTER_COLUMNS" in text else (256, 1, 1)
    if "MUSTER_GROUPS" in form or "MUSTER_PRIVATE" in form:
        return 256, 1, 1
    if "muster_tile0" in text and "MUSTER_BLOCKS" in form:
        return 16, 16, 1
    return GROUP


def with_guests(text, form):
    """The texts of a form. One of several steps may run another kernel's in turn: here its own."""
    if "MUSTER_STEPS" not in form or "#ifdef MUSTER_GUEST_TEXT" not in text:
        return [text]
    turns = [f"#define MUSTER_GUEST_FIRST {first}\n#define MUSTER_GUEST_TEXT\n{text}#undef MUSTER_GUEST_TEXT\n{text}" for first in (0, 1)]
    return [text, *turns]


def described(programs):
    """Of each kernel what muster_kernel_texts wants to know of it (test/cdm/kernel_texts_main.cpp)."""
    for key, text in programs.items():
        name, arguments = re.search(r"\nvoid (\w+)\(\n(.*?)\)\s*\{\n", text, re.DOTALL).groups()
        lines = [line.strip() for line in arguments.splitlines() if not line.startswith("#")]
        first = next(number for number, line in enumerate(lines) if "muster_first_0" in line)
        scalars = [line.split()[-2] for line in lines[:first] if not line.removeprefix("MUSTER_GUEST_ARRAYS ").startswith("__global")]
        yield {"key": key, "name": name, "text": text, "dimensions": sum("muster_first_" in line for line in lines), "arrays": first - len(scalars),
               "scalars": scalars, "results": any("__global" in line for line in lines[first:]), "blocks": 1 in values(text, "MUSTER_BLOCKS")}
