#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of bench/device_sets.py: all that it writes appears, from modelled times and from tiny runs; what is wrong is told.

Usage: device_sets_test.py BUILD [options of unittest]
"""
import csv
import importlib.util
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent / "device_sets.py"
BUILD = pathlib.Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else None

# Reports a CPU and a GPU; fails with the GPU alone, and with both computes something else.
LIAR = """#!/bin/sh
[ -z "$MUSTER_INFO_FILE" ] || echo '{"devices": [{"rank": 0, "backend": "cpu", "kind": "cpu", "name": "x"},
  {"rank": 0, "backend": "opencl", "kind": "gpu", "name": "y"}]}' > "$MUSTER_INFO_FILE"
[ -z "$MUSTER_TUNE_LOG" ] || printf 'elapsed s\\tloop\\tset\\tus per launch\\tmove us\\tround us\\tdecision\\treason\\n' > "$MUSTER_TUNE_LOG"
sum=1; [ "$MUSTER_DEVICE_SET" != 1:gpu+cpu ] || sum=2
[ "$MUSTER_DEVICE_SET" != 1:gpu ] || { echo "no memory" >&2; exit 4; }
echo '{"seconds_per_step": 0.5, "checksum": "'$sum'"}'
"""


class DeviceSets(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.work = pathlib.Path(self.folder.name)

    def script(self, *arguments, status=0):
        command = [sys.executable, str(SCRIPT), *map(str, arguments)]
        result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=500)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        return result

    def rows(self, path):
        lines = [line for line in path.read_text().splitlines(keepends=True) if not line.startswith("#")]
        return list(csv.DictReader(lines))

    def test_papers_cluster_as_modelled(self):
        table = self.work / "sets.csv"
        result = self.script("--build", BUILD, "--fake", "--only", "sobel", "--problem", "sobel=512", "--csv", table)
        rows = self.rows(table)
        fixed = {row["set"]: float(row["ms_per_round"]) for row in rows if row["table"] == "fixed"}
        self.assertEqual(set(fixed), {"1:gpu/1", *(f"{n}:{kinds}" for n in (1, 2, 4, 8) for kinds in ("gpu", "cpu", "gpu+cpu"))})
        self.assertGreater(fixed["1:cpu"], 1.5 * fixed["2:cpu"])
        self.assertGreater(fixed["1:cpu"], 15 * fixed["1:gpu/1"])
        tuned = {row["mode"]: row for row in rows if row["table"] == "tuned"}
        self.assertEqual(set(tuned), {"grow", "shrink", "auto"})
        for mode, row in tuned.items():
            self.assertLessEqual(fixed[row["set"]], 1.05 * min(fixed.values()), mode)
        for mode in ("grow", "shrink"):
            self.assertGreaterEqual(int(tuned[mode]["tried"]), 4)
            self.assertGreater(float(tuned[mode]["search_ms"]), 0)
        for part in ("8 x (2 gpu, 1 cpu)", "Table I:", "Speed-up", "330 x", "Table II:", "worst %"):
            self.assertIn(part, result.stdout)
        # The tables need nothing but the CSV.
        text = self.work / "text"
        self.assertEqual(self.script("--from", table, "--text", text).stdout, result.stdout)
        self.assertEqual(text.read_text(), result.stdout)
        picture = self.work / "sets.png"
        if importlib.util.find_spec("matplotlib"):
            self.script("--from", table, "--plot", picture)
            self.assertEqual(picture.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
        else:
            self.assertIn("--from", self.script("--from", table, "--plot", picture, status=1).stderr)

    def test_two_ranks(self):
        table = self.work / "sets.csv"
        result = self.script("--build", BUILD, "--devices", "cpu", "--only", "sobel", "--problem", "sobel=256", "--repeats", "1",
                             "--seconds", "0.01", "--auto-seconds", "0.01", "--csv", table)
        rows = self.rows(table)
        self.assertEqual([row["set"] for row in rows if row["table"] == "fixed"], ["1:cpu", "2:cpu"])
        self.assertEqual([row["mode"] for row in rows if row["table"] == "tuned"], ["grow", "shrink", "auto"])
        for row in rows:
            self.assertGreater(float(row["ms_per_round"]), 0)
            if row["mode"] in ("grow", "shrink"):
                self.assertGreater(float(row["round_us_longest"]), 0)
                self.assertGreater(float(row["us_per_launch"]), 0)
        self.assertRegex(result.stdout, re.compile(r"^sobel\s+\d:cpu .* 330 x", re.M))

    def test_wrong_results_and_failures_are_told(self):
        program = self.work / "sobel-muster"
        program.write_text(LIAR)
        program.chmod(0o755)
        result = self.script("--programs", self.work, "--ranks", "1", "--only", "sobel", "--repeats", "1", status=1)
        self.assertIn("another result than the first run", result.stderr)
        self.assertIn("ended with status 4: no memory", result.stderr)
        self.assertRegex(result.stdout, re.compile(r"^1:cpu +500 \*$", re.M))
        self.assertNotRegex(result.stdout, re.compile(r"^1:gpu", re.M))

    def test_wrong_arguments(self):
        self.assertIn("no benchmark sobbel", self.script("--only", "sobbel", status=2).stderr)
        self.assertIn("no mode off", self.script("--modes", "off", status=2).stderr)
        self.assertIn("there is no folder", self.script("--csv", self.work / "none" / "sets.csv", status=2).stderr)
        self.assertIn("BENCHMARK=N", self.script("--problem", "sobel", status=2).stderr)


if __name__ == "__main__":
    unittest.main()
