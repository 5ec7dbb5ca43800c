#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The n-th call of a device API or between ranks, or allocation of host memory, fails (MUSTER_INJECT): the result is right or the error is clear; no hang, no orphan.

Usage: inject_test.py BUILD WORK [unittest arguments].
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

from running import alive_after

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
WORK = pathlib.Path(sys.argv.pop(1)).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n"]
SECONDS = 60  # no run takes longer, whatever fails, and whatever runs beside

# Ghost rows, a reduction, an array that both devices read whole, one that nobody touched, host accesses between launches.
PROGRAM = r"""
#include <cstdio>
#include <cstdlib>
#include <utility>
int main() {
  const int n = 130, m = 70;
  #pragma omp managed(u)
  double *u = new double[n * m];
  #pragma omp managed(v)
  double *v = new double[n * m];
  for (int i = 0; i < n * m; ++i) u[i] = v[i] = i % 17;
  double sum = 0;
  for (int t = 0; t < 4; ++t) {
    #pragma omp parallel for
    for (int i = 1; i < n - 1; ++i)
      for (int j = 1; j < m - 1; ++j)
        v[i*m + j] = 0.25 * (u[(i-1)*m + j] + u[(i+1)*m + j] + u[i*m + j-1] + u[i*m + j+1]);
    std::swap(u, v);
  }
  #pragma omp managed(w)
  int *w = new int[n * m];
  for (int i = 0; i < n * m; ++i) w[i] = i;
  for (int t = 0; t < 3; ++t) {
    #pragma omp parallel for
    for (int i = 0; i < n * m; ++i) w[(i * 37L + t) % (n * m)] = i + t;
  }
  #pragma omp parallel for reduction(+:sum)
  for (int i = 0; i < n * m; ++i) sum += u[i];
  #pragma omp managed(z)
  int *z = (int *)calloc(600000, sizeof(int));
  #pragma omp parallel for
  for (int i = 0; i < 600000; ++i)
    if (i % 1000 == 7) z[i] = i;
  long hash = z[599007] + z[8];
  for (int i = 0; i < n * m; ++i) hash = hash * 31 + (long)(u[i] * 1024) + w[i];
  printf("%.9g %ld\n", sum, hash);
  delete[] u;
  delete[] v;
  delete[] w;
  free(z);
}
"""

# Blocks that are claimed, with results, of an array that others have parts of.
UNEVEN = r"""
#include <cstdio>
unsigned work(unsigned value, int steps) {
  for (int s = 0; s < steps; ++s) value = value * 1664525u + 1013904223u + (value >> 7);
  return value;
}
int main() {
  const int n = 600;
  #pragma omp managed(a, b)
  unsigned *a = new unsigned[n]();
  unsigned *b = new unsigned[n]();
  unsigned long sum = 1;
  for (int t = 0; t < 3; ++t) {
    #pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < n; ++i) a[i] = work(b[(i + 7) % n], i * 40);
    #pragma omp parallel for schedule(guided) reduction(+ : sum)
    for (int i = 0; i < n; ++i) sum += b[i] = work(a[n - 1 - i], i % 50 * 500);
  }
  for (int i = 0; i < n; ++i) sum = sum * 31 + a[i] + b[i];
  printf("%lu\n", sum);
}
"""


# Loops that two threads launch at once. Small: all are on devices where these stay with the threads.
THREADS = (ROOT / "test/programs/threads.cpp").read_text().replace("argv[1]) : 12", "argv[1]) : 4").replace(") : 3000", ") : 400")


def opencl_calls():
    text = (ROOT / "cdm/src/backends/opencl/api.h").read_text()
    names = ["cl" + name for name in re.findall(r"^\s*X\((\w+)\)", text, re.M)]
    assert len(names) > 20, names
    return [name for name in names if not name.startswith("clRelease")]


def cuda_calls():
    text = (ROOT / "cdm/src/backends/cuda/cuda.h").read_text()
    driver = text[text.index("define MUSTER_CUDA_FUNCTIONS"):text.index("define MUSTER_NVRTC_FUNCTIONS")]
    names = ["cu" + name for name in re.findall(r"^\s*X\((\w+)", driver, re.M)]
    assert len(names) > 40, names
    return names


# A stand-in for CUDA with a card for each of two ranks. What one sends to another is there a little late.
CARDS = {"LD_LIBRARY_PATH": str(BUILD / "lib" / "fake-cuda"), "FAKE_CUDA": "devices=2 late-signals", "MUSTER_WEIGHTS": "1,1"}


def setUpModule():
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    for name, text in (("inject-program", PROGRAM), ("inject-uneven", UNEVEN), ("inject-threads", THREADS)):
        (WORK / f"{name}.cpp").write_text(text)
        subprocess.run([str(BUILD / "bin" / "muster++"), "-O1", str(WORK / f"{name}.cpp"), "-o", str(WORK / name)], check=True)


class Injected(unittest.TestCase):
    program = "inject-program"

    def expect_no_orphans(self):
        self.assertEqual(alive_after(str(WORK / self.program)), [], "orphans")

    def start(self, ranks, inject, devices, **more):
        command = ([] if ranks == 1 else MPIRUN + [str(ranks)]) + [str(WORK / self.program)]
        environment = {**os.environ, "MUSTER_DEVICES": devices, "MUSTER_CACHE_DIR": str(WORK / "cache"), "OMP_NUM_THREADS": "1",
                       "MUSTER_MIN_SHARE": "0", "MUSTER_TUNE": "off", "MUSTER_INJECT": inject, **more}
        return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=SECONDS, env=environment)

    # The right result, or an error that says what failed.
    def check(self, ranks, inject, devices, **more):
        expected = self.start(ranks, "", devices, **more).stdout if not hasattr(self, "expected") else self.expected
        self.expected = expected
        self.assertRegex(expected, r"^\d")
        with self.subTest(ranks=ranks, inject=inject, devices=devices):
            try:
                result = self.start(ranks, inject, devices, **more)
            except subprocess.TimeoutExpired as late:
                self.fail(f"hangs: {late.stdout} {late.stderr}")
            said = f"exit {result.returncode}\n{result.stdout}{result.stderr}"
            if result.returncode == 0:
                self.assertEqual(result.stdout, expected, said)
            else:
                self.met = getattr(self, "met", 0) + 1
                self.assertRegex(result.stderr, r"muster: error: \S", said)
                # Neither a signal nor an abort, which mpirun tells as 128 + its number.
                self.assertIn(result.returncode, (1, 2, 3, 4), said)
                self.assertNotRegex(result.stderr, "terminate called|Assertion|Segmentation", said)
            self.expect_no_orphans()

    # Faults that no call meets would test nothing.
    def expect_met(self, least):
        self.assertGreaterEqual(getattr(self, "met", 0), least)

    def test_each_opencl_function_one_process(self):
        for call in opencl_calls():
            for number in (1, 2, 5):
                self.check(1, f"{call}:{number}", "cpu,pocl", MUSTER_WEIGHTS="1,1")
        self.expect_met(20)

    def test_any_opencl_call_one_process(self):
        for number in [*range(1, 40, 3), *range(40, 400, 23)]:
            self.check(1, f"opencl:{number}", "cpu,pocl", MUSTER_WEIGHTS="1,1")
        self.expect_met(10)

    def test_opencl_calls_of_the_start_up_benchmark(self):
        for call in ("clBuildProgram", "clCreateKernel", "clCreateBuffer", "clEnqueueNDRangeKernel", "clEnqueueWriteBuffer", "clWaitForEvents"):
            shutil.rmtree(WORK / "cache", ignore_errors=True)
            self.check(1, f"{call}:1", "cpu,pocl")

    def test_each_opencl_function_two_ranks(self):
        for call in opencl_calls():
            self.check(2, f"{call}:2@1", "pocl", MUSTER_WEIGHTS="1,1")
        self.expect_met(10)

    def test_each_cuda_function_two_ranks(self):
        for call in cuda_calls():
            self.check(2, f"{call}:2@1", "cuda", **CARDS)
        self.expect_met(10)

    # Then messages go through the host's memory, which is said once.
    def test_cards_that_share_no_memory(self):
        expected = self.start(2, "", "cuda", **CARDS)
        self.assertNotIn("warning", expected.stderr)
        calls = ["cuIpcGetEventHandle", "cuIpcGetMemHandle", "cuIpcOpenEventHandle", "cuIpcOpenMemHandle_v2"]
        for call in calls:
            for number in (1, 3):
                if "Mem" in call and number > 1:
                    continue  # there is one for each other rank
                for rank in (0, 1):
                    result = self.start(2, f"{call}:{number}@{rank}", "cuda", **CARDS)
                    self.assertEqual((result.returncode, result.stdout), (0, expected.stdout), result.stderr)
                    said = re.findall(r"warning: .*share.*\(.*" + call.split("_")[0] + r".*\).*slower", result.stderr)
                    self.assertEqual(len(said), 1, result.stderr)
        none = self.start(2, "", "cuda", **{**CARDS, "FAKE_CUDA": "devices=2 no-sharing"})
        self.assertEqual((none.returncode, none.stdout), (0, expected.stdout), none.stderr)
        self.assertEqual(none.stderr.count("CUDA_ERROR_MAP_FAILED"), 2, none.stderr)

    def test_any_opencl_call_two_ranks(self):
        for number in range(20, 300, 37):
            self.check(2, f"opencl:{number}", "pocl", MUSTER_WEIGHTS="1,1")
        self.expect_met(3)

    def test_calls_between_ranks(self):
        for call in ("send", "receive", "test", "postCommand", "nextCommand", "allGather", "barrier", "shutdown", "transport"):
            for number in (1, 3, 8):
                for rank in (0, 1):
                    self.check(2, f"{call}:{number}@{rank}", "cpu", MUSTER_WEIGHTS="1,1")
        self.expect_met(8)

    def test_host_memory_of_each_rank(self):
        for devices in ("cpu", "pocl"):
            for rank in (0, 1, 2):
                for number in (1, 2, 3, 5, 8, 13):
                    self.check(3, f"hostMemory:{number}@{rank}", devices, MUSTER_WEIGHTS="1,1,1")
        self.expect_met(15)

    def test_host_memory_of_one_process(self):
        for number in (1, 2, 3, 5, 8):
            self.check(1, f"hostMemory:{number}", "cpu,pocl", MUSTER_WEIGHTS="1,1")
            self.check(1, f"build-failure,hostMemory:{number}", "pocl", MUSTER_WEIGHTS="1")
        self.expect_met(3)

    # Shares that are given would not be claimed.
    def test_claims_one_process(self):
        self.program = "inject-uneven"
        for number in range(5, 200, 15):
            self.check(1, f"opencl:{number}", "cpu,pocl")
        self.expect_met(5)

    def test_claims_between_ranks(self):
        self.program = "inject-uneven"
        for call in ("send", "receive", "test", "postCommand", "nextCommand", "transport"):
            for number in (2, 7, 19):
                for rank in (0, 1):
                    self.check(2, f"{call}:{number}@{rank}", "cpu")
        self.expect_met(8)

    def test_launches_of_threads(self):
        self.program = "inject-threads"
        threads = {"OMP_NUM_THREADS": "2", "MUSTER_THREADS": "static", "MUSTER_WEIGHTS": "1,1"}
        for number in [*range(5, 100, 19), *range(100, 1000, 173)]:
            self.check(1, f"opencl:{number}", "cpu,pocl", **threads)
        self.check(1, "build-failure", "cpu,pocl", **threads)
        self.check(1, "device-lost", "cpu,pocl", **threads)
        self.expect_met(5)

    def test_memory_of_the_programs_arrays(self):
        """new throws std::bad_alloc, as for plain arrays; the message says which array and how large it is."""
        for ranks in (1, 3):
            for number, name in ((1, "u"), (3, "w")):
                result = self.start(ranks, f"hostView:{number}@0", "pocl", MUSTER_WEIGHTS=",".join("1" * ranks))
                self.assertNotEqual(result.returncode, 0)
                self.assertRegex(result.stderr, rf"inject-program.cpp:\d+: array '{name}' of \d.*: .*no \d+ bytes of memory left")
                self.assertIn("std::bad_alloc", result.stderr)
                self.expect_no_orphans()


if __name__ == "__main__":
    unittest.main()
