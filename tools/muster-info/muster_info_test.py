#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs muster-info alone and under mpirun and looks at what it prints.

usage: muster_info_test.py MUSTER_INFO MPIRUN
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

INFO, MPIRUN = sys.argv[1:3]


class MusterInfo(unittest.TestCase):
    def setUp(self):
        self.cache = tempfile.TemporaryDirectory()
        self.addCleanup(self.cache.cleanup)

    def run_info(self, *arguments, ranks=None, devices=None, **environment):
        env = {k: v for k, v in os.environ.items() if not k.startswith("MUSTER_")}
        env.update(environment, MUSTER_CACHE_DIR=self.cache.name)
        if devices is not None:
            env["MUSTER_DEVICES"] = devices
        launcher = [MPIRUN, "--allow-run-as-root", "--oversubscribe", "-n", str(ranks)] if ranks else []
        return subprocess.run([*launcher, INFO, *arguments], env=env, capture_output=True, text=True, timeout=60)

    def json_of(self, *arguments, **options):
        done = self.run_info("--json", *arguments, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_alone(self):
        report = self.json_of(devices="cpu")
        self.assertEqual(report["transport"], "local")
        self.assertEqual(report["mpi"], "")
        (rank,) = report["ranks"]
        (cpu,) = rank["devices"]
        self.assertEqual((cpu["backend"], cpu["selector"], cpu["weight"]), ("cpu", "cpu", 1.0))
        self.assertGreater(cpu["measured"]["bytesPerSecond"], 1e6)
        self.assertIn("libomp", rank["openmp"])

    def test_alone_makes_no_mpi_call(self):
        done = self.run_info("--quick", LD_DEBUG="libs")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("libomp", done.stderr)
        self.assertNotIn("libmpi", done.stderr)

    def test_second_start_takes_speeds_from_the_cache(self):
        cached = [self.json_of(*arguments, devices="cpu")["ranks"][0]["devices"][0]["measured"]["fromCache"]
                  for arguments in ([], [], ["--fresh"])]
        self.assertEqual(cached, [False, True, False])

    def test_ranks(self):
        report = self.json_of(ranks=3, devices="cpu")
        self.assertIn("Open MPI", report["mpi"])
        self.assertEqual([rank["rank"] for rank in report["ranks"]], [0, 1, 2])
        devices = [rank["devices"][0] for rank in report["ranks"]]
        self.assertEqual(min(device["weight"] for device in devices), 1.0)
        self.assertIsNone(devices[0]["fromRank0"])
        for device in devices[1:]:
            self.assertGreater(device["fromRank0"]["bytesPerSecond"], 1e6)
            self.assertGreater(device["fromRank0"]["latencySeconds"], 0)

    def test_shows_what_mpi_programs_get(self):
        for rank in self.json_of("--quick", ranks=2, devices="cpu")["ranks"]:
            self.assertEqual((rank["gpusOfOwn"], rank["sharersOfOwn"]), ([], 1))
        done = self.run_info("--quick", ranks=2, devices="cpu")
        self.assertEqual(done.stdout.count("with MUSTER_RANKS=own, as MPI programs run: no GPU, "), 2)
        self.assertNotIn("MUSTER_RANKS", self.run_info("--quick", devices="cpu").stdout)

    def test_text_names_everything(self):
        done = self.run_info(ranks=2)
        self.assertEqual(done.returncode, 0, done.stderr)
        for text in ("Muster ", "ABI ", "Open MPI", "libomp", "rank 0 on ", "rank 1 on ", "weight", "cpu: "):
            self.assertIn(text, done.stdout)

    def test_reasons_for_leaving_out(self):
        left_out = self.json_of("--quick", devices="cpu")["ranks"][0]["leftOut"]
        self.assertTrue(left_out)
        for entry in left_out:
            self.assertTrue(entry["device"] and entry["reason"], entry)

    def test_bad_selection(self):
        for ranks in (None, 2):
            done = self.run_info(ranks=ranks, devices="cpu,gpux")
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("gpux", done.stdout)

    def test_unknown_option(self):
        self.assertNotEqual(self.run_info("--jsn").returncode, 0)

    def test_launcher_that_does_not_fit(self):
        done = self.run_info(OMPI_COMM_WORLD_SIZE="3")
        self.assertEqual(done.returncode, 1)
        self.assertIn("do not fit together", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
