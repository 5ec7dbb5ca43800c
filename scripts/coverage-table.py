#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the tables of docs/coverage.md: what becomes of each parallel loop of each program, and of the coverage ladder.

The plugin's remarks say which loops it distributes and which step back; loops that it says nothing of are marked so.
The rows of the ladder are those of test/programs/ladder.cpp. Each table stands between two marker lines; all other text
of the page is kept.

  coverage-table.py --build build                  writes docs/coverage.md anew
  coverage-table.py --build build --check          exit 1 if a loop that the page calls distributed is so no longer
  coverage-table.py --build build --print          only prints
"""
import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys

import written_text
from loop_remarks import BACK, CPUS_ONLY, DISTRIBUTED, LOOP, UNSEEN, fate, fates, read_remarks

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "coverage.md"
LADDER = ROOT / "test" / "programs" / "ladder.cpp"
FOLDERS = [ROOT / "test" / "programs" / "real", ROOT / "samples"]


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="Muster's build folder")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--print", action="store_true")
    parser.add_argument("programs", nargs="*", help="only these")
    return parser.parse_args()


def remarks(build, source, includes):
    """All remarks of one compilation: (file, line) -> texts."""
    compiler = "clang-19" if source.suffix == ".c" else "clang++-19"
    standard = [] if source.suffix == ".c" else ["-std=c++17"]
    command = [str(build / "bin" / "muster++"), *standard, "-O2", "-fsyntax-only", "-w", "-fplugin-arg-muster-remarks=all",
               *[f"-I{folder}" for folder in includes], str(source)]
    result = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "MUSTER_CXX": compiler})
    return read_remarks(result.stderr, pathlib.Path.cwd())


def replicated_arrays(texts):
    """Names of the arrays that all devices hold whole, with the reason."""
    found = [re.match(r"array '([^']+)' is replicated: (.*)", text) for text in texts]
    return {match[1]: match[2] for match in found if match}


def cover(build, folder):
    """The rows of a program: (place, fate, reason), its replicated arrays, and the compiler's errors."""
    sources = sorted([*folder.glob("*.c"), *folder.glob("*.cpp")])
    includes = [folder, ROOT / "samples" / "common"]
    all_remarks, errors = collections.defaultdict(list), []
    for source in sources:
        found, wrong = remarks(build, source, includes)
        errors += wrong
        for place, texts in found.items():
            all_remarks[place] += texts
    rows = fates(sorted([*sources, *folder.glob("*.h"), *folder.glob("*.hpp")]), all_remarks)
    whole = replicated_arrays([text for texts in all_remarks.values() for text in texts])
    return rows, whole, errors


def cell(text):
    return text.replace("|", "\\|")


def tables(build, only):
    """The summary and the table in Markdown, and the set of (program, place) that are distributed."""
    summary = ["| program | loops | distributed | CPUs only | stepped back | plain OpenMP |", "|---|--:|--:|--:|--:|--:|"]
    detail, distributed, total = [], set(), collections.Counter()
    for folder in (f for base in FOLDERS for f in sorted(base.iterdir()) if f.is_dir() and f.name != "common"):
        if only and folder.name not in only:
            continue
        name = folder.relative_to(ROOT).as_posix().replace("test/programs/", "")
        rows, whole, errors = cover(build, folder)
        count = collections.Counter(row[1] for row in rows)
        total += count
        summary.append(f"| {name} | {len(rows)} | " + " | ".join(str(count[k]) for k in (DISTRIBUTED, CPUS_ONLY, BACK, UNSEEN)) + " |")
        detail += [f"\n### {name}\n", "| loop | what became of it | why |", "|---|---|---|"]
        detail += [f"| {place} | {what} | {cell(why)} |" for place, what, why in rows]
        if whole:
            detail += ["\n| replicated array | why |", "|---|---|"]
            detail += [f"| `{array}` | {cell(why)} |" for array, why in sorted(whole.items())]
        if errors:
            detail.append(f"\n**Does not compile with the plugin**: {cell(re.sub(r'^.*/', '', errors[0]))}")
        distributed |= {(name, place) for place, what, _ in rows if what in (DISTRIBUTED, CPUS_ONLY)}
    loops = sum(total.values())
    summary.append(f"| **all** | **{loops}** | " + " | ".join(f"**{total[k]}**" for k in (DISTRIBUTED, CPUS_ONLY, BACK, UNSEEN)) + " |")
    return "\n".join(summary), "\n".join(detail).strip(), distributed


def ladder(build):
    """The rows of the ladder in Markdown: each step, and what became of the loops that stand for it."""
    found, errors = remarks(build, LADDER, [])
    lines, rows, step, form = ["| step | distributed | not yet |", "|---|---|---|"], [], "", None
    for number, line in enumerate(LADDER.read_text().splitlines(), 1):
        if match := re.match(r"\s*// step: (.*)", line):
            step = match[1]
            rows.append((step, [], []))
        elif match := re.match(r"\s*// form: (.*)", line):
            form = match[1]
        elif LOOP.search(line) and form:
            texts = found[(LADDER, number)] or ([] if "parallel" in line else region_of(LADDER, number, found))
            what, why = fate(texts)
            rows[-1][1 if what in (DISTRIBUTED, CPUS_ONLY) else 2].append(
                form + (" (CPUs only)" if what == CPUS_ONLY else "") if what in (DISTRIBUTED, CPUS_ONLY)
                else f"{form}: {what}, {why}")
            form = None
    lines += [f"| {cell(step)} | {cell('; '.join(done)) or '-'} | {cell('; '.join(open_)) or '-'} |" for step, done, open_ in rows]
    return "\n".join(lines + [f"\n{cell(error)}" for error in errors[:1]])


def claimed(page):
    """(program, place) of each loop that the page calls distributed."""
    program, found = "", set()
    for line in page.splitlines():
        if line.startswith("### "):
            program = line[4:].strip()
        elif match := re.match(r"\| (\S+:\d+(?: \(\w+\))?) \| distributed", line):
            found.add((program, match[1]))
    return found


def main():
    options = parse()
    summary, detail, distributed = tables(options.build, options.programs)
    if options.print:
        print(summary + "\n\n" + detail)
        return
    page = PAGE.read_text()
    if options.check:
        lost = sorted(claimed(page) - distributed)
        for program, place in lost:
            print(f"{program}: the loop at {place} was distributed and is not any more (docs/coverage.md)")
        print(f"{len(distributed)} loops are distributed, {len(lost)} that the page lists are not")
        sys.exit(1 if lost else 0)
    for name, text in (("summary", summary), ("loops", detail), ("ladder", ladder(options.build))):
        page = written_text.put(PAGE, page, "coverage-table.py", name, text)
    PAGE.write_text(page)


if __name__ == "__main__":
    main()
