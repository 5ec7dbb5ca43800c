#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An MPI that takes addresses of devices' memory (a stand-in before the real one, test/cdm/fake/gpu_aware_mpi.cpp) carries messages between
cards of different ranks, where that is faster: results are those of the plain build, and what went which way is counted.

Usage: gpu_aware_mpi_test.py BUILD WORK [unittest arguments].
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

from running import ROOT, built

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
WORK = pathlib.Path(sys.argv.pop(1)).resolve()
HYBRID, SAMPLES = ROOT / "test" / "programs" / "hybrid", ROOT / "samples"
STAND_IN = BUILD / "lib" / "libmuster_gpu_aware_mpi.so"
COUNTS = re.compile(r"gpu-aware mpi: rank (\d+) direct (\d+) (\d+) host (\d+) (\d+)")
TRIAL = 15  # messages that each rank sends, and receives, of each kind when both ways are tried
# Rows of 20 KB, and what other ranks make in parts of arrays.
JACOBI = ("jacobi", ("203", "2531", "23"))


def setUpModule():
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)


def build(name, muster, folder=None, flags=()):
    return built(BUILD, WORK, (folder or SAMPLES / name) / f"{name}.cpp", muster, flags)


class Outcome:
    def __init__(self, result, report):
        self.code, self.output, self.error = result.returncode, result.stdout, result.stderr.decode()
        self.counts = {int(rank): tuple(map(int, rest)) for rank, *rest in COUNTS.findall(self.error)}
        self.report = json.loads(report.read_text()) if report.exists() else None

    def direct(self):
        return sum(sent + received for sent, received, _, _ in self.counts.values())

    def through_host(self):
        return sum(sent + received for _, _, sent, received in self.counts.values())


class GpuAwareMpi(unittest.TestCase):
    def run_ranks(self, program, ranks=2, standIn=True, **environment):
        name, arguments = program
        report = WORK / "report"
        report.unlink(missing_ok=True)
        variables = {"MUSTER_INFO_FILE": str(report), "OMP_NUM_THREADS": "1", "MUSTER_MIN_SHARE": "0", "MUSTER_TUNE": "off", "MUSTER_KERNELS": "first",
                     "MUSTER_DEVICES": "cuda", "FAKE_CUDA": "devices=3", "MUSTER_SHARED_MEMORY": "off", "LD_LIBRARY_PATH": str(BUILD / "lib" / "fake-cuda"),
                     "OMPI_MCA_pml": "ob1", **environment}
        preload = ["-x", f"LD_PRELOAD={STAND_IN}"] if standIn else []
        result = subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", str(ranks), *preload, build(name, True), *arguments],
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=200, env={**os.environ, **variables})
        return Outcome(result, report)

    def expect_right(self, outcome, program):
        name, arguments = program
        expected = subprocess.run([build(name, False), *arguments], stdout=subprocess.PIPE, check=True).stdout
        self.assertEqual(outcome.code, 0, outcome.error)
        length = 40 if name == "nbody" else None  # a sum of energies is at the end
        self.assertEqual(outcome.output[:length], expected[:length], outcome.error)

    def test_messages_go_from_card_to_card(self):
        for program in (JACOBI, ("nbody", ("503", "3")), ("histogram", ("100003", "2"))):
            for ranks in (2, 3):
                for words in ("devices=3", "devices=6", "devices=3 shuffle=3"):
                    with self.subTest(program=program, ranks=ranks, words=words):
                        outcome = self.run_ranks(program, ranks, MUSTER_GPU_AWARE_MPI="on", FAKE_CUDA=words)
                        self.expect_right(outcome, program)
                        self.assertEqual(outcome.report["directMessagesFrom"], 0)
                        self.assertEqual(len(outcome.counts), ranks)
                        if program is JACOBI:
                            self.assertGreater(outcome.direct(), 15 * ranks, outcome.counts)

    # The last word is that of the clock.
    def test_the_faster_way_is_taken(self):
        fast = self.run_ranks(JACOBI, GPU_MPI="slow-host")
        self.expect_right(fast, JACOBI)
        self.assertIn("directMessagesFrom", fast.report)
        self.assertLessEqual(fast.report["directMessagesFrom"], 16384)
        slow = self.run_ranks(JACOBI, GPU_MPI="slow-device")
        self.expect_right(slow, JACOBI)
        self.assertNotIn("directMessagesFrom", slow.report)

    def test_wrong_bytes_are_noticed_before_they_matter(self):
        outcome = self.run_ranks(JACOBI, GPU_MPI="slow-host wrong")
        self.expect_right(outcome, JACOBI)
        self.assertNotIn("directMessagesFrom", outcome.report)
        self.assertRegex(outcome.error, "Open MPI v[0-9.]+ says that it takes memory of devices, but what comes is wrong")

    def test_host_memory_where_cards_have_no_room(self):
        outcome = self.run_ranks(JACOBI, GPU_MPI="slow-host", FAKE_CUDA="devices=2 memory=5000000")
        self.expect_right(outcome, JACOBI)
        self.assertNotIn("directMessagesFrom", outcome.report)
        self.assertIn("messages between devices go through host memory", outcome.error)

    def test_off_and_unaware(self):
        for case in ({"MUSTER_GPU_AWARE_MPI": "off"}, {"GPU_MPI": "unaware"}, {"standIn": False}):
            with self.subTest(**case):
                outcome = self.run_ranks(JACOBI, **case)
                self.expect_right(outcome, JACOBI)
                self.assertNotIn("directMessagesFrom", outcome.report)
                self.assertEqual(outcome.direct(), 0)

    def test_on_asks_for_an_mpi_that_can(self):
        outcome = self.run_ranks(JACOBI, MUSTER_GPU_AWARE_MPI="on", GPU_MPI="unaware")
        self.assertNotEqual(outcome.code, 0)
        self.assertRegex(outcome.error, r"rank \d on .*: Open MPI v[0-9.]+ does not say that it takes addresses of devices' memory")

    # Rooms within the host come first.
    def test_ranks_that_share_memory_need_no_mpi(self):
        outcome = self.run_ranks(JACOBI, MUSTER_GPU_AWARE_MPI="on", MUSTER_SHARED_MEMORY="on")
        self.expect_right(outcome, JACOBI)
        self.assertEqual(outcome.direct(), 0)
        self.assertEqual(outcome.through_host(), 0)

    def run_hybrid(self, name, ranks, **environment):
        """An MPI program of its own; its report is rank 0's."""
        flags = subprocess.run(["mpicc", "--showme:compile"], stdout=subprocess.PIPE, check=True).stdout.decode().split()
        report = WORK / "report"
        (WORK / "report.0").unlink(missing_ok=True)
        variables = {"MUSTER_INFO_FILE": str(report), "OMP_NUM_THREADS": "1", "MUSTER_TUNE": "off", "MUSTER_KERNELS": "first", "MUSTER_DEVICES": "cuda",
                     "FAKE_CUDA": f"devices={ranks}", "LD_LIBRARY_PATH": str(BUILD / "lib" / "fake-cuda"), **environment}
        launcher = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", str(ranks)]
        preload = f"LD_PRELOAD={BUILD / 'lib' / 'libmuster-mpi-calls.so'}:{STAND_IN}"
        program, plain = build(name, True, HYBRID, [*flags, "-lmpi"]), build(name, False, HYBRID, [*flags, "-lmpi"])
        result = subprocess.run([*launcher, "-x", preload, program], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                timeout=200, env={**os.environ, **variables})
        outcome = Outcome(result, WORK / "report.0")
        expected = subprocess.run([*launcher, plain], stdout=subprocess.PIPE, check=True, timeout=200).stdout
        if result.returncode == 0:
            self.assertEqual(outcome.output, expected, outcome.error)
        return outcome

    # Each rank sends and receives rows, columns and whole arrays that its card has.
    def test_calls_of_programs(self):
        for name, ranks, words in (("halo_both", 2, ""), ("halo_both", 3, "shuffle=5"), ("halo_rows", 3, ""), ("overlap", 2, "shuffle=2")):
            with self.subTest(program=name, ranks=ranks, words=words):
                outcome = self.run_hybrid(name, ranks, MUSTER_GPU_AWARE_MPI="on", FAKE_CUDA=f"devices={ranks} {words}")
                self.assertEqual(outcome.code, 0, outcome.error)
                self.assertGreater(outcome.direct(), 40 * ranks, outcome.counts)
                self.assertEqual(outcome.report["directMessagesFrom"], 0)

    # Two arrays of 112 KB in each card; what 80 receives of 2 KB took would not fit beside them if it stayed.
    def test_memory_comes_back(self):
        outcome = self.run_hybrid("halo_rows", 3, MUSTER_GPU_AWARE_MPI="on", FAKE_CUDA="devices=3 memory=350000")
        self.assertEqual(outcome.code, 0, outcome.error)
        self.assertEqual(outcome.direct(), 40 * (2 + 4 + 2), outcome.counts)

    def test_calls_of_programs_that_begin_on_their_cpus(self):
        outcome = self.run_hybrid("halo_both", 2, MUSTER_GPU_AWARE_MPI="on", MUSTER_DEVICES="cpu,cuda", MUSTER_TUNE="auto", MUSTER_INJECT="cheap-trials",
                                  MUSTER_EARLIER_RUNS="off")
        self.assertEqual(outcome.code, 0, outcome.error)

    def test_calls_of_programs_go_the_faster_way(self):
        fast = self.run_hybrid("halo_both", 2, GPU_MPI="slow-host")
        self.assertEqual(fast.code, 0, fast.error)
        self.assertLessEqual(fast.report["directMessagesFrom"], 16384)
        self.assertGreater(fast.direct(), 2 * 2 * TRIAL + 10, fast.counts)
        for words in ("slow-device", "wrong slow-host"):
            slow = self.run_hybrid("halo_both", 2, GPU_MPI=words)
            self.assertEqual(slow.code, 0, slow.error)
            self.assertNotIn("directMessagesFrom", slow.report)
            self.assertEqual(slow.direct(), 2 * 2 * TRIAL, slow.counts)
        self.assertIn("what comes is wrong", slow.error)

    def test_calls_of_programs_by_an_mpi_that_cannot(self):
        outcome = self.run_hybrid("halo_both", 2, GPU_MPI="unaware")
        self.assertEqual(outcome.code, 0, outcome.error)
        self.assertEqual(outcome.direct(), 0)
        outcome = self.run_hybrid("halo_both", 2, GPU_MPI="unaware", MUSTER_GPU_AWARE_MPI="on")
        self.assertNotEqual(outcome.code, 0)
        self.assertRegex(outcome.error, "this MPI does not say that it takes addresses of devices' memory; leave MUSTER_GPU_AWARE_MPI unset")


if __name__ == "__main__":
    unittest.main()
