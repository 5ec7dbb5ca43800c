#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of bench/apps.py with a program of its own: marks what it should, builds twice, compares, and tells what is wrong.

Usage: apps_test.py BUILD [options of unittest]
"""
import collections
import contextlib
import io
import pathlib
import sys
import tempfile
import types
import unittest
import unittest.mock

import apps
from app import SIZES, App

BUILD = pathlib.Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else None

TOY = """#include <cstdio>
#include <cstdlib>
int main(int, char **argv) {
  const int n = std::atoi(argv[1]);
  double *a = new double[n];
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = i;
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += a[i] * std::rand();
  std::printf("sum %g\\nseconds 0.5\\n", WORDS);
  delete[] a;
  return STATUS;
}
"""


class Marks(unittest.TestCase):
    """What stands in front of which line."""

    def check(self, line, names, wanted=("*",)):
        self.assertEqual(apps.names_in(line, list(wanted)), names, line)

    def test_allocations(self):
        self.check("  double *a = new double[n];", ["a"])
        self.check("  double *a = (double *)malloc(n), *b = (double *)malloc(n);", ["a", "b"])
        self.check("static int (*colidx)=(int*)malloc(sizeof(int)*(NZ));", ["colidx"])
        self.check("static double (*u)[2][3]=(double(*)[2][3])malloc(8);", ["u"])
        self.check("  *x = new double[n];", ["*x"])
        self.check("  (*A)->values = new double[n];", ["(*A)->values"])
        self.check("  this->a = (T*)aligned_alloc(64, n);", ["this->a"])
        self.check("  m_x = Allocate<Real_t>(n);", ["m_x"])
        self.check("  m_rows[i] = new int[n];", [])  # a row belongs to its table

    def test_declarations(self):
        self.check("   std::vector<Real_t> m_x ;  /* coordinates */", ["m_x"])
        self.check("static double u[KMAX][JMAX];", ["u"])
        self.check("  double local[3];", [])

    def test_own_declarations(self):
        self.assertEqual(apps.names_in("  ARRAY_2D(A,double,N,N);", ["*"], [r"ARRAY_\dD\((\w+)"]), ["A"])
        self.check("  ARRAY_2D(A,double,N,N);", [])

    def test_other_lines(self):
        for line in ("  x = y;", "  if (a == malloc(3)) f();", "std::vector<int> f(int n);", "  std::vector<int>::iterator i;"):
            self.check(line, [] if "f(int" not in line else ["f"])

    def test_choice(self):
        self.check("  double *a = new double[n];", [], ["b"])
        self.check("  double *ab = new double[n];", ["ab"], ["a?"])
        self.check("  double *ab = new double[n];", [], ["*", "!ab"])


class Programs(unittest.TestCase):
    """Built and run."""

    def rows(self, words="sum", status="0", columns=("plain", "cpu"), steps=("build,run",), **more):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "sources" / "toy").mkdir(parents=True)
            (folder / "sources" / "toy" / "toy.cpp").write_text(TOY.replace("WORDS", words).replace("STATUS", status))
            app = App("toy", "nobody/toy", ".", ["toy.cpp"], {"toy.cpp": ["a"]}, {size: "1000" for size in SIZES}, [r"sum (\S+)"], r"seconds (\S+)",
                      **more)
            said = io.StringIO()
            with contextlib.redirect_stderr(said):
                for step in steps:
                    options = types.SimpleNamespace(build=BUILD, scratch=folder / "scratch", sources=folder / "sources", size="tiny", repeats=2, timeout=60,
                                                    warm=True, steps=step, columns=list(columns))
                    row = apps.measure(app, options)
            return row, said.getvalue()

    def test_right(self):
        row, said = self.rows(words="a[n - 1]")
        self.assertEqual((row["wrong"], row["managed"], row["plain own"], said), ([], 1, 0.5, ""))
        self.assertEqual([fate for _, fate, _ in row["loops"]], [apps.DISTRIBUTED, apps.BACK])
        self.assertRegex(apps.text_of(row, ["plain", "cpu"]), r"^\| toy \| 1 \| 1 \+ 0 \+ 1 \| [0-9.]+ \(0\.50\) \| [0-9.]+ \(0\.50\) = [0-9.]+ \|$")

    def test_steps(self):
        self.assertIsNone(self.rows(words="a[n - 1]", steps=("build",))[0])
        row, said = self.rows(words="a[n - 1]", steps=("build", "run"))
        self.assertEqual((row["wrong"], row["managed"], len(row["loops"]), said), ([], 1, 2, ""))

    def test_status_is_a_result(self):
        self.assertEqual(self.rows(words="a[n - 1]", status="1")[0]["wrong"], [])
        row, said = self.rows(words="a[n - 1]", status="std::getenv(\"MUSTER_DEVICES\") ? 1 : 0")
        self.assertEqual(row["wrong"], ["cpu"])
        self.assertIn("toy: cpu: the result is", said)

    def test_wrong(self):
        row, said = self.rows(words="std::getenv(\"MUSTER_DEVICES\") ? 1.0 : 2.0")
        self.assertEqual(row["wrong"], ["cpu"])
        self.assertIn("the result is [0, '1'], plain's is [0, '2']", said)
        self.assertIn(" WRONG", apps.text_of(row, ["plain", "cpu"]))

    def test_all_that_is_printed(self):
        """But the lines that are to be ignored; and files that are written."""
        words = "std::getenv(\"MUSTER_DEVICES\") ? 1.0 : 2.0"
        row, said = self.rows(words=words, ignore=["seconds"])
        self.assertEqual(row["wrong"], ["cpu"])
        self.assertIn("the result is [0, '1', 'sum', '1'], plain's is [0, '2', 'sum', '2']", said)
        self.assertEqual(self.rows(words="a[n - 1]", ignore=["seconds"], outputs=["file"])[0]["wrong"], [])
        self.assertEqual(apps.words_of("t = 3 s\nx[2]: (1, 2.5)\n", ["^t"]), ["x", "2", "1", "2.5"])

    def test_races(self):
        row, said = self.rows(words="std::getenv(\"MUSTER_DEVICES\") ? 1.0 : 2.0", races="by design")
        self.assertEqual((row["wrong"], said), ([], ""))
        self.assertEqual(apps.text_of(row, ["plain", "cpu"], outcomes=True), "| toy | 2 | 1 | 0 | 1 | races |")
        self.assertEqual(apps.totals_of([row], ["plain", "cpu"]), "1 programs: 2 loops, 1 on all devices, 0 on CPUs, 1 back; distributed 50.0 %\n"
                                                                  "cpu: 0 results equal, 0 wrong, 0 failed, 1 not compared")

    def test_outcomes(self):
        row = self.rows(words="std::getenv(\"MUSTER_DEVICES\") ? 1.0 : 2.0")[0]
        self.assertEqual(apps.head_of(["plain", "cpu"], True), "| program | loops | on all devices | on CPUs | back | cpu |\n|---|--:|--:|--:|--:|---|")
        self.assertEqual(apps.text_of(row, ["plain", "cpu"], outcomes=True), "| toy | 2 | 1 | 0 | 1 | **differs** |")

    def test_crash(self):
        row, said = self.rows(words="a[n - 1]", status="std::getenv(\"MUSTER_DEVICES\") ? 3 : 0")
        self.assertEqual((row["cpu"], row["wrong"]), (None, ["cpu"]))
        self.assertIn("cpu: ended with status 3", said)


class Loops(unittest.TestCase):
    """What is counted."""

    def test_macro_of_two_headers(self):
        with tempfile.TemporaryDirectory() as folder:
            paths = [pathlib.Path(folder).resolve() / name for name in ("a.h", "b.h", "use.cpp")]
            for path in paths[:2]:
                path.write_text('#define EACH _Pragma("omp for")\n')
            paths[2].write_text("\n\nEACH\nfor (;;) ;\n")
            self.assertEqual(apps.fates(paths, collections.defaultdict(list, {(paths[2], 3): ["'omp for' is outlined as 'x'"]})), [("use.cpp:3 (EACH)", apps.DISTRIBUTED, "")])


class List(unittest.TestCase):
    """The programs of a file."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "mine.py"
        self.path.write_text("from app import App\nAPPS = [App('one', 'a/b', '.', [], {}, {}, [])]\n")

    def test_list(self):
        self.assertEqual([app.name for app in apps.listed_in(self.path)], ["one"])

    def refusal(self, *arguments):
        with unittest.mock.patch.object(sys, "argv", ["apps.py", *arguments]), contextlib.redirect_stderr(io.StringIO()) as said:
            self.assertRaises(SystemExit, apps.main)
        return said.getvalue()

    def test_unknown_names(self):
        self.assertIn("no such program: nothing; there are one", self.refusal("--list", str(self.path), "--only", "nothing"))

    def test_needs_a_list(self):
        self.assertIn("--list", self.refusal())


if __name__ == "__main__":
    unittest.main()
