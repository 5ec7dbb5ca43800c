#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the commands of the tutorial and compares what they print with what its pages show.

Usage: tutorial_test.py BIN WORK [PAGE ...]     BIN: the folder of muster++; WORK: a scratch folder, emptied first
       tutorial_test.py --self-test             tests this script

A page's fenced blocks count, in their order. Each page has its own copy of the programs and its own caches.

  ```console              "$ command" (a backslash at its end goes on), then all that it prints. "..." stands for anything,
                          also across lines; on a line of its own also for no line at all.
  ```console exit=1       the block's commands end with this code, not 0
  ```console measured     numbers with one to six decimals, percents, and the unit of a table's times, stand for any others, and
                          blanks for any number of them
  ```cpp                  must stand in one of the programs
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

PAGES = pathlib.Path(__file__).resolve().parents[2] / "docs" / "tutorial"
TIMEOUT = 120
# Commands are written as users write them: mpirun may run as root, and more ranks than cores.
LAUNCHER = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
            "OMPI_MCA_hwloc_base_binding_policy": "none"}
MEASURED = re.compile(r"(?<![\d.])(?:\d+\.\d{1,6}(?![\d.])(?: (?:ns|us|ms|s|B|KiB|MiB|GiB)\b| %)?|\d+ %)")

UNIT = re.compile(r"\((?:ns|us|ms|s)(?=[,)])")  # of a table whose times are in one unit, which a slow machine changes


class Command:
    def __init__(self, line, text, words):
        self.line, self.text, self.expected = line, text, []
        self.exit = next((int(word[5:]) for word in words if word.startswith("exit=")), 0)
        self.measured = "measured" in words


def blocks(text):
    """The fenced blocks: line of the first line inside, words behind the fence, lines."""
    inside = None
    for number, line in enumerate(text.splitlines(), 1):
        if inside is None and line.startswith("```"):
            inside = (number + 1, line[3:].split(), [])
        elif line.startswith("```"):
            yield inside
            inside = None
        elif inside is not None:
            inside[2].append(line)
    if inside is not None:
        raise ValueError(f"line {inside[0] - 1}: the block has no end")


def commands(first, words, lines):
    """The commands of one console block, each with the lines that it should print."""
    found = []
    goes_on = False
    for number, line in enumerate(lines, first):
        if goes_on:
            found[-1].text += "\n" + line
        elif line.startswith("$ "):
            found.append(Command(number, line[2:], words))
        elif not found:
            raise ValueError(f"line {number}: a console block begins with '$ command'")
        else:
            found[-1].expected.append(line)
            continue
        goes_on = line.endswith("\\")
    return found


def matches(expected, actual, measured=False):
    """Whether the lines that were printed are those expected."""
    def marked(lines):
        lines = [line.rstrip() for line in lines]
        if measured:
            lines = [re.sub(r"[ \t]+", " ", UNIT.sub("(#", MEASURED.sub("#", line))) for line in lines]
        return "".join("..." if line == "..." else f"\x02{line}\x03" for line in lines)

    pieces = marked(expected).split("...")
    text = marked(actual)
    if len(pieces) == 1:
        return text == pieces[0]
    if not text.startswith(pieces[0]):
        return False
    at = len(pieces[0])
    for piece in pieces[1:-1]:
        at = text.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return len(text) - len(pieces[-1]) >= at and text.endswith(pieces[-1])


def run(text, folder, environment):
    """Exit code, standard output and standard error of a command."""
    process = subprocess.Popen(["bash", "-c", text], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True)
    try:
        out, err = process.communicate(timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        err += f"\n(no end after {TIMEOUT} s)\n"
    return process.returncode, out, err


def check(page, bin_folder, work):
    """What is wrong with a page, as a list of texts, and how many commands it has."""
    programs = page.parent / "programs"
    folder, home = work / page.stem / "programs", work / page.stem / "home"
    shutil.copytree(programs, folder)
    home.mkdir()
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("MUSTER_", "OMP_", "XDG_", "POCL_")) and name != "MAKEFLAGS"}
    environment.update(LAUNCHER, PATH=f"{bin_folder}:{environment['PATH']}", HOME=str(home), LC_ALL="C")
    sources = [path.read_text() for path in sorted(programs.iterdir()) if path.suffix in (".cpp", ".c", ".h")]
    problems, count = [], 0
    for first, words, lines in blocks(page.read_text()):
        if words[:1] == ["cpp"] and not any("\n".join(lines) + "\n" in source for source in sources):
            problems.append(f"{page}:{first}: this excerpt stands in no program of {programs}")
        if words[:1] != ["console"]:
            continue
        for command in commands(first, words[1:], lines):
            count += 1
            code, out, err = run(command.text, folder, environment)
            # On a terminal both come together, in an order that is the library's.
            orders = [(one + two).splitlines() for one, two in ((out, err), (err, out))]
            if code != command.exit:
                problems.append(f"{page}:{command.line}: exit code {code}, expected {command.exit}: {command.text}\n{out}{err}")
            elif not any(matches(command.expected, order, command.measured) for order in orders):
                show = "\n".join(["  expected:", *("    " + line for line in command.expected),
                                  "  actual:", *("    " + line for line in orders[0])])
                problems.append(f"{page}:{command.line}: other output than shown: {command.text}\n{show}")
    return problems, count


def main(bin_folder, work, *pages):
    bin_folder, work = pathlib.Path(bin_folder).resolve(), pathlib.Path(work).resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    total = failures = 0
    for page in [pathlib.Path(page).resolve() for page in pages] or sorted(PAGES.glob("*.md")):
        problems, count = check(page, bin_folder, work)
        total += count
        failures += len(problems)
        print("\n".join([*problems, f"{'FAIL' if problems else 'ok  '} {page.name}: {count} commands"]), flush=True)
    if not total:
        print("no commands found")
    return 1 if failures or not total else 0


class SelfTest(unittest.TestCase):
    def problems(self, text, program="int a;\nint b;\n"):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            (root / "doc" / "programs").mkdir(parents=True)
            (root / "doc" / "programs" / "a.cpp").write_text(program)
            (root / "doc" / "page.md").write_text(text)
            return check(root / "doc" / "page.md", root / "bin", root / "work")[0]

    def test_right_pages_pass(self):
        self.assertEqual(self.problems("# A\n\n```console\n$ echo one; echo two \\\n  three\none\ntwo three\n$ true\n```\n"), [])
        self.assertEqual(self.problems("```console\n$ cat a.cpp\nint ...;\n...\nint b;\n...\n```\n```cpp\nint b;\n```\n"), [])
        self.assertEqual(self.problems("```console exit=3\n$ echo no >&2; exit 3\nno\n```\n"), [])
        self.assertEqual(self.problems("```console\n$ echo late >&2; echo early\nlate\nearly\n```\n"), [])

    def test_wrong_output_is_found_with_its_line(self):
        (problem,) = self.problems("text\n\n```console\n$ true\n$ echo one\ntwo\n```\n")
        self.assertRegex(problem, r"page\.md:5: other output than shown: echo one\n  expected:\n    two\n  actual:\n    one$")

    def test_output_that_is_missing_or_too_much_is_found(self):
        self.assertEqual(len(self.problems("```console\n$ echo one\n```\n")), 1)
        self.assertEqual(len(self.problems("```console\n$ true\none\n```\n")), 1)
        self.assertEqual(len(self.problems("```console\n$ echo one; echo two\n...\none\n```\n")), 1)

    def test_a_command_that_fails_is_found(self):
        (problem,) = self.problems("```console\n$ exit 4\n```\n")
        self.assertIn("page.md:2: exit code 4, expected 0", problem)
        self.assertEqual(len(self.problems("```console exit=1\n$ true\n```\n")), 1)

    def test_an_excerpt_of_no_program_is_found(self):
        (problem,) = self.problems("```cpp\nint c;\n```\n")
        self.assertIn("page.md:2: this excerpt stands in no program", problem)

    def test_dots(self):
        self.assertTrue(matches(["a ... d"], ["a b", "c d"]))
        self.assertTrue(matches(["a", "..."], ["a"]))
        self.assertFalse(matches(["a", "..."], ["ab"]))
        self.assertFalse(matches(["0 to 19", "..."], ["0 to 199"]))
        self.assertFalse(matches(["ab...bc"], ["abc"]))

    def test_measured_numbers(self):
        self.assertTrue(matches(["3 times   4.50 ms, 9 %"], ["3 times 12.25 s,  31 %"], measured=True))
        self.assertFalse(matches(["3 times 4.50 ms"], ["4 times 4.50 ms"], measured=True))
        self.assertFalse(matches(["3 times 4.50 ms"], ["3 times 4.51 ms"]))
        self.assertFalse(matches(["mean 1.0117938"], ["mean 1.0117939"], measured=True))
        self.assertTrue(matches(["loops (ms, all)  4.5"], ["loops (s, all) 0.01"], measured=True))
        self.assertFalse(matches(["loops (ms, all)"], ["loops (s, all)"]))

    def test_blocks_without_an_end_or_a_command_are_errors(self):
        self.assertRaises(ValueError, self.problems, "```console\n$ true\n")
        self.assertRaises(ValueError, self.problems, "```console\ntext\n```\n")

    def test_the_exit_code(self):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            (root / "programs").mkdir()
            for text, code in (("```console\n$ true\n```\n", 0), ("```console\n$ false\n```\n", 1), ("nothing\n", 1)):
                (root / "page.md").write_text(text)
                run_it = [sys.executable, __file__, str(root), str(root / "work"), str(root / "page.md")]
                self.assertEqual(subprocess.run(run_it, capture_output=True).returncode, code)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--self-test"]:
        unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
