#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of bench/device_sets.py: all that it writes appears, from modelled times and from tiny runs; what is wrong is told.

Usage: device_sets_test.py BUILD [options of unittest]
"""
import csv
import importlib.util
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock

import device_sets
from device_set_experiment import BENCHMARKS, Experiment
from device_set_jobs import Job, Park
from device_set_tables import Report

SCRIPT = pathlib.Path(__file__).resolve().parent / "device_sets.py"
BUILD = pathlib.Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else None

# Reports a CPU and a GPU; fails with the GPU alone, and with both computes something else.
LIAR = """#!/bin/sh
[ -z "$MUSTER_INFO_FILE" ] || echo '{"devices": [{"rank": 0, "backend": "cpu", "kind": "cpu", "name": "x", "weight": 0.5},
  {"rank": 0, "backend": "opencl", "kind": "gpu", "name": "y", "weight": 1}]}' > "$MUSTER_INFO_FILE"
[ -z "$MUSTER_TUNE_LOG" ] || printf 'elapsed s\\tloop\\tset\\tus per launch\\tmove us\\tround us\\tdecision\\treason\\n' > "$MUSTER_TUNE_LOG"
sum=1; [ "$MUSTER_DEVICE_SET" != 1:gpu+cpu ] || sum=2
[ "$MUSTER_DEVICE_SET" != 1:gpu ] || { echo "no memory" >&2; exit 4; }
echo '{"seconds_per_step": 0.5, "checksum": "'$sum'"}'
"""

# A machine that gets slower and faster. Its search finds the GPU alone, which Table I takes to be 33 % slower than both
# kinds. Each further run of the same set takes the next of TIMES; where there are no more, it fails.
UNSTEADY = """#!/bin/sh
here=$(dirname "$0"); set=$MUSTER_DEVICE_SET
[ -z "$MUSTER_INFO_FILE" ] || exec cp "$here/devices.json" "$MUSTER_INFO_FILE"
if [ -n "$MUSTER_TUNE_LOG" ]; then
  printf 'elapsed s\tloop\tset\tus per launch\tmove us\tround us\tdecision\treason\n0\tx\t1:gpu\t9\t0\t1\tstay with 1:gpu\tx\n' > "$MUSTER_TUNE_LOG"
  set=tuned
fi
echo "$set" >> "$here/runs"
seconds=$(sed -n "s|^$set ||p" "$here/times" | cut -d ' ' -f "$(grep -c -x "$set" "$here/runs")")
[ -n "$seconds" ] || { echo "no more times" >&2; exit 4; }
echo '{"seconds_per_step": '$seconds', "checksum": "1"}'
"""
FIXED = ["1:gpu", "1:cpu", "1:gpu+cpu"]
# In pairs 1.2, 1, 1.1, 0.9 and 10 times as long; the medians of the sets alone are 0.6 and 0.3.
TIMES = {"1:gpu": [0.4, 0.36, 0.6, 0.33, 0.81, 3], "1:gpu+cpu": [0.3, 0.3, 0.6, 0.3, 0.9, 0.3], "1:cpu": [1], "tuned": [0.5]}


def device(rank, kind, weight):
    return {"rank": rank, "backend": "cpu" if kind == "cpu" else "opencl", "kind": kind, "name": kind, "weight": weight}


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.work = pathlib.Path(self.folder.name)

    def program(self, name, text):
        program = self.work / name
        program.write_text(text)
        program.chmod(0o755)
        return program

    def report(self, devices):
        (self.work / "devices.json").write_text(json.dumps({"devices": devices}))

    def script(self, *arguments, status=0):
        command = [sys.executable, str(SCRIPT), *map(str, arguments)]
        result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=500)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        return result

    def rows(self, path):
        lines = [line for line in path.read_text().splitlines(keepends=True) if not line.startswith("#")]
        return list(csv.DictReader(lines))


class DeviceSets(Folder):

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
        for part in ("8 x (2 gpu, 1 cpu)", "Table I:", "Speed-up", "330 x", "Table II:", "worst %", "\n8:gpu+cpu = 8:gpu "):
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
        self.program("sobel-muster", LIAR)
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
        self.assertIn("number of pairs", self.script("--confirm", "-1", status=2).stderr)


class Confirmation(Folder):
    """Of the sets that a search found, against the fastest of Table I."""

    def measured(self, *arguments, times=TIMES, program=UNSTEADY, status=0):
        """The output; what ran is in self.runs, rows in self.table."""
        self.program("sobel-muster", program)
        self.report([device(0, "cpu", 0.5), device(0, "gpu", 1)])
        (self.work / "times").write_text("".join(f"{one} {' '.join(map(str, seconds))}\n" for one, seconds in times.items()))
        (self.work / "runs").write_text("")
        self.table = self.work / "sets.csv"
        result = self.script("--programs", self.work, "--ranks", "1", "--only", "sobel", "--modes", "grow", "--repeats", "1", "--seconds",
                             "1e-9", "--csv", self.table, *arguments, status=status)
        self.runs = (self.work / "runs").read_text().split()
        return result

    def found(self, text):
        """Of Table II: what stands behind the set found up to the worst one."""
        line = re.search(r"^sobel +grow +(.*)$", text, re.M).group(1)
        return re.split(r"  +", line)[:6]

    def test_pairs_are_run_in_turn_and_their_quotients_count(self):
        result = self.measured()
        self.assertEqual(self.runs, [*FIXED, "tuned", *5 * ["1:gpu+cpu", "1:gpu"]])
        self.assertEqual(self.found(result.stdout), ["1:gpu", "10.0", "0.0 to 20.0", "5", "33.3", "10.0"])
        pairs = [row for row in self.rows(self.table) if row["table"] == "pair"]
        self.assertEqual([float(row["ms_per_round"]) for row in pairs], [360, 600, 330, 810, 3000])
        self.assertEqual([float(row["against_ms_per_round"]) for row in pairs], [300, 600, 300, 900, 300])
        self.assertEqual({(row["set"], row["against"]) for row in pairs}, {("1:gpu", "1:gpu+cpu")})
        self.assertEqual(self.script("--from", self.table).stdout, result.stdout)

    def test_a_set_may_be_faster_than_the_fastest(self):
        result = self.measured("--confirm", "1", times={**TIMES, "1:gpu": [0.4, 0.15]})
        self.assertEqual(self.found(result.stdout), ["1:gpu", "-50.0", "-50.0 to -50.0", "1", "33.3", "-50.0"])

    def test_dry_runs_need_no_pairs(self):
        with unittest.mock.patch("sys.argv", ["device_sets.py", "--fake", "--confirm", "3"]):
            self.assertEqual(device_sets.parse_arguments().confirm, 0)
        with unittest.mock.patch("sys.argv", ["device_sets.py", "--confirm", "3"]):
            self.assertEqual(device_sets.parse_arguments().confirm, 3)

    def test_none(self):
        result = self.measured("--confirm", "0")
        self.assertEqual(self.runs, [*FIXED, "tuned"])
        self.assertEqual(self.found(result.stdout), ["1:gpu", "33.3", "-", "0", "33.3", "33.3"])

    def test_the_fastest_itself_needs_no_pairs(self):
        result = self.measured(times={**TIMES, "1:gpu": [0.2]})
        self.assertEqual(self.runs, [*FIXED, "tuned"])
        self.assertEqual(self.found(result.stdout), ["1:gpu", "0.0", "-", "-", "0.0", "0.0"])

    def test_failed_pairs_are_told_and_measured_later(self):
        result = self.measured(times={**TIMES, "1:gpu": [0.4, 0.36, 0.6]}, status=1)  # fails in the third pair
        self.assertIn("ended with status 4: no more times", result.stderr)
        self.assertEqual(self.found(result.stdout), ["1:gpu", "10.0", "5.0 to 15.0", "2", "33.3", "10.0"])
        old = self.table.rename(self.work / "old.csv")
        result = self.measured("--from", old, "--missing", times={"1:gpu": [0.3, 0.3, 0.3], "1:gpu+cpu": [0.3, 0.3, 0.3]})
        self.assertEqual(self.runs, 3 * ["1:gpu+cpu", "1:gpu"])
        self.assertEqual(self.found(result.stdout), ["1:gpu", "0.0", "0.0 to 0.0", "5", "33.3", "0.0"])

    def test_limits_of_time(self):
        # The set found takes too long in its second pair.
        slow = UNSTEADY.replace("seconds=$(", '[ "$(grep -c -x 1:gpu "$here/runs")" != 3 ] || exec sleep 60\nseconds=$(')
        for limit, seconds, reason in (("--set-seconds", 2, "longer than 2 s"), ("--budget-seconds", 6, "there was no time left")):
            result = self.measured(limit, seconds, program=slow)
            self.assertIn(f"left out: sobel, 1:gpu against 1:gpu+cpu after 1 of 5 pairs: {reason}", result.stdout)
            self.assertEqual(self.found(result.stdout), ["1:gpu", "20.0", "20.0 to 20.0", "1", "33.3", "20.0"])

    def test_older_files(self):
        self.measured("--confirm", "0")
        lines = self.table.read_text().replace(",same_as,against,against_ms_per_round", "").splitlines()
        old = self.work / "old.csv"
        old.write_text("\n".join(line if line.startswith("#") or line.startswith("table") else re.sub(",,,$", "", line) for line in lines))
        self.assertEqual(len(self.rows(old)[0]), 12)
        self.assertEqual(self.found(self.script("--from", old).stdout)[:3], ["1:gpu", "33.3", "-"])
        result = self.measured("--from", old, "--missing", "--confirm", "1", times={"1:gpu": [0.6], "1:gpu+cpu": [0.3]})
        self.assertEqual(self.found(result.stdout), ["1:gpu", "100.0", "100.0 to 100.0", "1", "33.3", "100.0"])
        other = self.work / "other.csv"
        other.write_text(old.read_text().replace("ms_per_round", "s_per_round"))
        self.assertIn("has other columns", self.script("--from", other, status=1).stderr)


class Machine:
    """In the place of a Job: runs take what `milliseconds` says of their set, and a search finds 1:gpu."""
    fake = ""

    def __init__(self, milliseconds):
        self.milliseconds, self.sets = milliseconds, []

    def run(self, command, environment):
        name = environment.get("MUSTER_DEVICE_SET", "tuned")
        self.sets.append(name)
        if name == "tuned":
            pathlib.Path(environment["MUSTER_TUNE_LOG"]).write_text(
                "set\tus per launch\tmove us\tround us\tdecision\n1:gpu\t9\t0\t1\tstay with 1:gpu\n")
        return b'{"seconds_per_step": %f, "checksum": "1"}' % (self.milliseconds.get(name, 1000) / 1e3), ""


class Order(unittest.TestCase):
    def order(self, milliseconds):
        machine = Machine(milliseconds)
        options = types.SimpleNamespace(repeats=1, seconds=0, confirm=1, interval=10)
        experiment = Experiment(BENCHMARKS[0], 64, pathlib.Path(), machine, options, [])
        list(experiment.measure(["1:gpu", "2:gpu", "1:cpu", "2:cpu", "1:gpu+cpu", "2:gpu+cpu"], ["grow"]))
        self.assertEqual(machine.sets[:6], ["1:gpu", "2:gpu", "1:cpu", "1:gpu+cpu", "2:gpu+cpu", "tuned"])
        return machine.sets[6:]

    def test_slow_sets_come_after_the_pairs(self):
        self.assertEqual(self.order({"1:gpu": 20, "2:gpu": 10, "1:cpu": 40}), ["2:gpu", "1:gpu", "2:cpu"])

    def test_sets_that_may_be_the_fastest_come_before(self):
        self.assertEqual(self.order({"1:gpu": 20, "2:gpu": 10, "1:cpu": 18, "2:cpu": 9}), ["2:cpu", "2:cpu", "1:gpu"])

    def test_pairs_are_run_again_with_a_set_that_is_the_fastest_after_all(self):
        self.assertEqual(self.order({"1:gpu": 20, "2:gpu": 10, "1:cpu": 40, "2:cpu": 9}),
                         ["2:gpu", "1:gpu", "2:cpu", "2:cpu", "1:gpu"])


class Tables(unittest.TestCase):
    def report_of(self, pairs):
        report = Report([])
        for one, milliseconds in (("1:gpu", 2), ("1:cpu", 4)):
            report.add({"table": "fixed", "benchmark": "sobel", "problem": 1, "set": one, "ms_per_round": milliseconds})
        for mode, one in (("grow", "1:cpu"), ("grow", "1:gpu"), ("grow", "4:none")):
            report.add({"table": "tuned", "benchmark": "sobel", "problem": 1, "mode": mode, "set": one})
        for one, against, quotient in pairs:
            report.add({"table": "pair", "benchmark": "sobel", "problem": 1, "set": one, "ms_per_round": quotient, "against": against,
                        "against_ms_per_round": 1})
        return report

    def test_pairs_with_another_set_than_the_fastest_do_not_count(self):
        off = self.report_of([("1:cpu", "2:gpu", 3)]).off("sobel", "1:cpu")
        self.assertEqual((off.pairs, off.percent, off.low), (0, 100, None))

    def test_repeats_by_their_pairs(self):
        sets = [row["set"] for row in self.report_of([]).tuned("sobel", "grow")]
        self.assertEqual(sets, ["1:gpu", "1:cpu", "4:none"])  # nothing is known of the last
        sets = [row["set"] for row in self.report_of([("1:cpu", "1:gpu", 0.5)]).tuned("sobel", "grow")]
        self.assertEqual(sets, ["1:cpu", "1:gpu", "4:none"])


class SameDevices(Folder):
    """Sets in which the same devices compute."""

    def same(self, *devices):
        self.program("sobel-muster", UNSTEADY)
        self.report(devices)
        return Park(Job(1, "", "", 20), [self.work / "sobel-muster"]).same()

    def ranks(self, gpus, cpus):
        return [device(rank, kind, weights[rank]) for rank in range(len(gpus)) for kind, weights in (("gpu", gpus), ("cpu", cpus))]

    def test_kinds_below_the_least_share(self):
        self.assertEqual(self.same(*self.ranks([1, 0.95], [0, 0])), {"1:gpu+cpu": "1:gpu", "2:gpu+cpu": "2:gpu"})

    def test_kinds_that_take_part(self):
        self.assertEqual(self.same(*self.ranks([1, 1], [0.2, 0.2])), {})
        self.assertEqual(self.same(*self.ranks([1, 1], [0.2, 0])), {})

    def test_slow_ranks_may_come_last(self):
        self.assertEqual(self.same(*self.ranks([1, 0.3, 1], [0, 0, 0])), {"3:gpu+cpu": "3:gpu"})

    def test_nothing_is_said_of_kinds_beside_slow_ones(self):
        devices = [device(0, "gpu", 1), {**device(0, "cpu", 0.2), "backend": "opencl"}, device(0, "cpu", 0)]
        self.assertEqual(self.same(*devices), {"1:gpu+cpu": "1:gpu", "1:gpu+opencl+cpu": "1:gpu+opencl"})  # but of 1:opencl+cpu


if __name__ == "__main__":
    unittest.main()
