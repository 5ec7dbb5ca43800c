#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole public programs against plain OpenMP: fetches them, marks their arrays, builds each twice, and runs both in turn.

    bench/apps.py --list mine.py                    # all of the list, at sizes for two cores, on the CPU
    bench/apps.py --list mine.py --only lulesh,npb-cg --columns plain,cpu,gpu,default --size large
    bench/apps.py --list mine.py --size tiny --columns plain,cpu,ranks3,pocl --repeats 1 --outcomes    # are the results right?

The list is a Python file of your own with APPS, a list of what app.py describes; it stays out of this repository. The
programs are fetched with git into --scratch, or taken from --sources (a folder with a folder for each repository).
A row has the seconds of the whole program, and of what the program itself times, as medians; the quotients of runs over
the plain runs before them, from the least to the greatest; the results of all runs are compared with the first plain
one's.
"""
import argparse
import contextlib
import fnmatch
import importlib.util
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import time

from app import SIZES
from harness import MPIRUN, ROOT

sys.path.insert(0, str(ROOT / "scripts"))
from loop_remarks import BACK, CPUS_ONLY, DISTRIBUTED, UNSEEN, fates, read_remarks  # noqa: E402

COLUMNS = {  # the environment of a run, and how many ranks it has
    "plain": ({}, 1),
    "cpu": ({"MUSTER_DEVICES": "cpu"}, 1),
    "gpu": ({"MUSTER_DEVICES": "gpu"}, 1),
    "default": ({}, 1),
    "pocl": ({"MUSTER_DEVICES": "pocl"}, 1),
    "ranks3": ({"MUSTER_DEVICES": "cpu", "MUSTER_TUNE": "off"}, 3),
    "all": ({"MUSTER_TUNE": "off"}, 1),  # of the default devices, all the time
}

BUILDS_KERNELS = ("gpu", "default", "all", "pocl")


def said_by(line, folder=None):
    """What a command prints; where it fails, that is the error."""
    result = subprocess.run([str(part) for part in line], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                            check=False)
    if result.returncode:
        raise RuntimeError(f"{' '.join(map(str, line))} ended with status {result.returncode}:\n{result.stdout[-4000:]}")
    return result.stdout


def fetched(repository, scratch, sources):
    """The folder of a repository."""
    name = repository.split("/")[1]
    if sources and (sources / name).is_dir():
        return sources / name
    target = scratch / "sources" / name
    if not target.is_dir():
        said_by(["git", "clone", "--depth", "1", f"https://github.com/{repository}", target])
    return target


# A path in front of what allocates, the declaration of a vector, and that of an array.
DECLARES = [re.compile(r"([\w>.()*-]*\w)\s*(?:\)(?:\[[^\]]*\])*)?\s*=(?!=)[^=;]*?(?:\bnew\b|alloc|Alloc)"),
            re.compile(r"^\s*(?:std::)?vector\s*<[^;()]*>\s+(\w+)\s*[;({=]"),
            re.compile(r"^(?:static\s+)?(?:const\s+)?(?:double|float|int|long)\s+(\w+)\s*\[[^=;]*;")]


def names_in(line, wanted, declares=()):
    """The wanted names that a line declares as an array or a vector, or allocates."""
    found = []
    for match in (match for pattern in (*DECLARES, *declares) for match in re.finditer(pattern, line)):
        name = match[1]
        if re.search(r"[\w>,]\s*$", line[: match.start(1)]):
            name = name.lstrip("(*")  # a type stands in front: a declaration
        hits = [pattern for pattern in wanted if any(fnmatch.fnmatchcase(n, pattern.lstrip("!")) for n in (name, name.lstrip("(*")))]
        if name not in found and hits and not any(pattern.startswith("!") for pattern in hits):
            found.append(name)
    return found


def annotate(path, wanted, declares=()):
    """Writes the directive in front of each line that declares or allocates one of the names; returns how many."""
    lines, count = [], 0
    for line in path.read_text(errors="replace").splitlines():
        comment = re.match(r"\s*(//|#|/\*|\*[\s/])", line)
        names = [] if comment or (lines and lines[-1].endswith("\\")) else names_in(line, wanted, declares)
        if names:
            lines.append(f"#pragma ompx managed({', '.join(names)})")
            count += len(names)
        lines.append(line)
    path.write_text("\n".join(lines) + "\n")
    return count


class Build:
    """One build of a program, plain or with Muster, in a folder of its own; made now, or by an earlier `--steps build`."""

    def __init__(self, app, kind, size, options):
        self.app, self.kind, self.options = app, kind, options
        self.folder = options.scratch / "build" / app.name / f"{kind}-{app.classes.get(size, 'any')}"
        self.program, self.facts = self.folder / "program", self.folder / "facts.json"
        if "build" in options.steps:
            self.make(size)
        facts = json.loads(self.facts.read_text())
        self.marked, self.loops = facts["marked"], facts["loops"]

    def make(self, size):
        app, options = self.app, self.options
        shutil.rmtree(self.folder, ignore_errors=True)
        original = fetched(app.repository, options.scratch, options.sources)
        # HeCBench has hundreds of programs, which share nothing; others have folders of sources in common.
        top = app.folder if app.alone else "."
        shutil.copytree(original / top, self.folder / "tree" / top, ignore=shutil.ignore_patterns(".git", "*.md"))
        for folder, repository in app.also.items():
            shutil.copytree(fetched(repository, options.scratch, options.sources), self.folder / "tree" / folder, ignore=shutil.ignore_patterns(".git"))
        self.here = self.folder / "tree" / app.folder
        if app.prepare:
            said_by(["sh", "-c", app.prepare.format(size=app.classes.get(size, ""))], self.here)
        marked = sum(annotate(path, names, app.declares) for name, names in app.managed.items() for path in self.named(name)) if self.kind == "muster" else 0
        remarks = self.compile()
        self.facts.write_text(json.dumps({"marked": marked, "loops": self.loops_of(remarks)}))

    def named(self, pattern):
        return sorted(self.here.glob(pattern)) if "*" in pattern else [self.here / pattern]

    def compile(self):
        """Builds the program; returns what the compiler said."""
        bin_ = self.options.build / "bin"
        tools = {"plain": ("clang++-19", "clang-19"), "muster": (bin_ / "muster++", bin_ / "musterc")}[self.kind]
        own = ["-fopenmp"] if self.kind == "plain" else ["-fplugin-arg-muster-remarks=all"]
        objects, remarks = [], ""
        for pattern in self.app.sources:
            for source in self.named(pattern):
                target = self.folder / (source.parent.name + "-" + source.name + ".o")
                compiler = tools[1] if source.suffix == ".c" else tools[0]
                remarks += said_by([compiler, "-O2", "-w", *own, *self.app.flags, "-c", os.path.relpath(source, self.here), "-o", target], self.here)
                objects.append(target)
        machine = [flag for flag in self.app.flags if flag.startswith("-m")]
        said_by([tools[0], *own[: self.kind == "plain"], *machine, *objects, "-lm", "-o", self.program])
        return remarks

    def loops_of(self, remarks):
        """Rows (place, fate, reason) of the program's parallel loops."""
        paths = [path for path in sorted((self.folder / "tree").rglob("*")) if path.suffix in (".c", ".cc", ".cpp", ".h", ".hpp")]
        return [row for row in fates(paths, read_remarks(remarks, self.here)[0]) if row[1] != UNSEEN]


def words_of(text, ignore):
    """The words and numbers of all lines but those in which one of the patterns is found."""
    lines = [line for line in text.splitlines() if not any(re.search(pattern, line) for pattern in ignore)]
    return [word for line in lines for word in re.split(r"[\s,;:=()\[\]]+", line) if word]


def threads_of(process):
    """What each thread of a process that hangs is doing: its name, where it sleeps in the kernel, and its system call."""
    lines = []
    for task in sorted(pathlib.Path(f"/proc/{process}/task").glob("*")):
        parts = [(task / name).read_text(errors="replace").strip() for name in ("comm", "wchan", "syscall") if os.access(task / name, os.R_OK)]
        lines.append("  " + " ".join(parts))
    return "\n".join(lines)


def run(build, column, size):
    """Seconds of the whole program, its own seconds, and its result."""
    app, (environment, ranks) = build.app, COLUMNS[column]
    work = build.folder / "run"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    for name, texts in app.inputs.items():
        (work / name).write_text(texts[size])
    command = [*([*MPIRUN, ranks] if ranks > 1 else []), build.program, *app.arguments[size].split()]
    started = time.monotonic()
    with subprocess.Popen([str(part) for part in command], cwd=work, env={**os.environ, **environment}, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, errors="replace") as process:
        try:
            out, err = process.communicate(timeout=build.options.timeout)
        except subprocess.TimeoutExpired:
            raise RuntimeError(f"{column}: did not end in {build.options.timeout} s; its threads:\n{threads_of(process.pid)}") from None
        finally:
            process.kill()  # if it runs yet
    seconds = time.monotonic() - started
    if process.returncode < 0 or process.returncode > 1:
        raise RuntimeError(f"{column}: ended with status {process.returncode}:\n{err[-2000:]}")
    found = re.search(app.time, out) if app.time else None
    values = [value for pattern in app.result for value in re.findall(pattern, out)]
    texts = [out] if app.ignore is not None else []
    texts += [(work / name).read_text(errors="replace") if (work / name).exists() else f"no {name}" for name in app.outputs]
    values += [word for text in texts for word in words_of(text, app.ignore or [])]
    return seconds, float(found.group(1)) if found else None, [process.returncode, *([] if app.races else values)]


def equal(one, other, tolerance):
    def same(a, b):
        try:
            return a == b or abs(float(a) - float(b)) <= tolerance * max(abs(float(a)), abs(float(b)), 1e-9)
        except ValueError:
            return a == b
    return len(one) == len(other) and all(same(a, b) for a, b in zip(one, other))


def difference(values, first, tolerance):
    """What two results are where they differ first."""
    at = next((i for i, pair in enumerate(zip(values, first)) if not equal(pair[:1], pair[1:], tolerance)), min(len(values), len(first)))
    begin = max(0, at - 4)
    return f"the result is {values[begin:at + 4]}, plain's is {first[begin:at + 4]}" + (f" (from value {begin} on)" if begin else "")


def measure(app, options):
    """A row of the table; the columns that fail say so. Nothing where the programs are only built."""
    builds = {"plain": Build(app, "plain", options.size, options), "muster": Build(app, "muster", options.size, options)}
    if "run" not in options.steps:
        return None
    times, own, notes, first = {}, {}, [], None
    for column in options.columns:
        if options.warm and column in BUILDS_KERNELS:
            with contextlib.suppress(RuntimeError):  # it will fail again, and be told
                run(builds["muster"], column, options.size)
    for _ in range(options.repeats):
        for column in options.columns:
            if column in notes:
                continue
            try:
                seconds, inner, values = run(builds["plain" if column == "plain" else "muster"], column, options.size)
            except RuntimeError as error:
                notes.append(column)
                print(f"{app.name}: {error}", file=sys.stderr)
                continue
            first = first or values
            if not equal(values, first, app.tolerance):
                notes.append(column)
                print(f"{app.name}: {column}: {difference(values, first, app.tolerance)}", file=sys.stderr)
            times.setdefault(column, []).append(seconds)
            own.setdefault(column, []).append(inner)
    muster = builds["muster"]
    row = {"program": app.name, "managed": muster.marked, "loops": muster.loops, "races": app.races, "wrong": notes}
    for column in options.columns:
        row[column] = statistics.median(times[column]) if column in times else None
        row[f"{column} own"] = statistics.median(own[column]) if own.get(column) and None not in own[column] else None
    row["times"], row["own times"] = times, own
    return row


def quotient(times, plain):
    """The median of runs over the plain run before each, and from where to where they lie."""
    quotients = sorted(one / other for one, other in zip(times, plain, strict=False))
    text = f"{statistics.median(quotients):.2f}"
    return f"{text} [{quotients[0]:.2f}, {quotients[-1]:.2f}]" if len(quotients) > 2 else text


def loops_of(rows):
    """How many loops are on all devices, on CPUs, and back."""
    kinds = [fate for row in rows for _, fate, _ in row["loops"]]
    return [kinds.count(kind) for kind in (DISTRIBUTED, CPUS_ONLY, BACK)]


def outcome(row, column):
    if row[column] is None:
        return "failed"
    return "**differs**" if column in row["wrong"] else "races" if row["races"] else "same"


def cells_of(row, columns, outcomes):
    """The cells of a row behind the program's name: seconds, or loops and whether the results are equal."""
    def seconds(column):
        if row[column] is None:
            return "failed"
        own = row[f"{column} own"]
        text = f"{row[column]:.2f}" + (f" ({own:.2f})" if own is not None else "")
        if column != "plain" and row.get("plain"):
            text += f" = {quotient(row['times'][column], row['times']['plain'])}"
        return text + (" WRONG" if column in row["wrong"] else "")
    loops = loops_of([row])
    if outcomes:
        return [sum(loops), *loops, *(outcome(row, column) for column in columns if column != "plain")]
    return [row["managed"], " + ".join(map(str, loops)), *map(seconds, columns)]


def text_of(row, columns, outcomes=False):
    return " | ".join(["| " + row["program"], *map(str, cells_of(row, columns, outcomes))]) + " |"


def head_of(columns, outcomes):
    loops = ["loops", "on all devices", "on CPUs", "back"] if outcomes else ["arrays", "loops"]
    columns = columns[outcomes and "plain" in columns:]
    right = len(loops) + (0 if outcomes else len(columns))
    names = ["program", *loops, *columns]
    return " | ".join(["| " + names[0], *names[1:]]) + " |\n|---|" + "--:|" * right + "---|" * (len(names) - 1 - right)


def totals_of(rows, columns):
    """What all rows have in common: loops, and results by column."""
    devices, cpus, back = loops_of(rows)
    count = devices + cpus + back
    text = (f"{len(rows)} programs: {count} loops, {devices} on all devices, {cpus} on CPUs, {back} back; "
            f"distributed {100 * (devices + cpus) / max(1, count):.1f} %")
    for column in columns:
        said = [outcome(row, column) for row in rows]
        if column != "plain":
            text += f"\n{column}: {said.count('same')} results equal, {said.count('**differs**')} wrong, {said.count('failed')} failed, {said.count('races')} not compared"
    return text


def listed_in(path):
    """The list APPS of a Python file."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.APPS


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="Muster's build folder")
    parser.add_argument("--scratch", type=pathlib.Path, default=pathlib.Path.home() / ".cache/muster-apps", help="where sources and builds go")
    parser.add_argument("--sources", type=pathlib.Path, help="a folder that has the repositories already")
    parser.add_argument("--steps", choices=("build", "run", "build,run"), default="build,run",
                        help="the scratch folder of a build may be carried to another machine, and run there")
    parser.add_argument("--list", type=pathlib.Path, required=True, help="a Python file with a list APPS of programs (bench/app.py)")
    parser.add_argument("--only", help="names, with commas")
    parser.add_argument("--cold", dest="warm", action="store_false", help="no run before those that are timed, which fills the cache of kernels")
    parser.add_argument("--columns", default="plain,cpu", help=", ".join(COLUMNS))
    parser.add_argument("--size", choices=SIZES, default="small")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--timeout", type=float, default=300, help="seconds of one run")
    parser.add_argument("--outcomes", action="store_true", help="loops and whether the results are equal, in place of seconds")
    parser.add_argument("--reasons", action="store_true", help="lists the loops that stepped back")
    parser.add_argument("--json", type=pathlib.Path, help="writes the rows to this file")
    options = parser.parse_args()
    options.columns = options.columns.split(",")
    options.scratch, options.build = options.scratch.resolve(), options.build.resolve()
    listed = listed_in(options.list)
    names = options.only.split(",") if options.only else [app.name for app in listed]
    if unknown := set(names) - {app.name for app in listed}:
        parser.error(f"no such program: {', '.join(sorted(unknown))}; there are {', '.join(app.name for app in listed)}")
    if unknown := set(options.columns) - set(COLUMNS):
        parser.error(f"no such column: {', '.join(sorted(unknown))}; there are {', '.join(COLUMNS)}")
    if not options.outcomes:
        print("Seconds of the whole program (of what it times itself) = times plain; loops on all devices + on CPUs + stepped back\n")
    print(head_of(options.columns, options.outcomes), flush=True)
    rows, failed = [], False
    for app in listed:
        if app.name not in names:
            continue
        try:
            row = measure(app, options)
        except (RuntimeError, OSError) as error:
            print(f"{app.name}: {error}", file=sys.stderr)
            failed = True
            continue
        if not row:
            continue
        rows.append(row)
        failed |= bool(row["wrong"])
        print(text_of(row, options.columns, options.outcomes), flush=True)
        if options.reasons:
            print("\n".join(f"    {place}: {reason}" for place, kind, reason in row["loops"] if kind == BACK))
    print("\n" + totals_of(rows, options.columns))
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")
    sys.exit(failed)


if __name__ == "__main__":
    main()
