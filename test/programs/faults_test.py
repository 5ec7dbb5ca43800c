#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bad input and faults, seen from outside: a clear message, a non-zero exit, nothing hung, no orphan process.

Usage: faults_test.py BUILD WORK [unittest arguments]. Programs are compiled with build/bin/muster++ once.
"""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import unittest

from running import alive, alive_after

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
WORK = pathlib.Path(sys.argv.pop(1)).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n"]

LONG_RUN = r"""
#include <cstdio>
#include <unistd.h>
int main() {
  const int n = 1000;
  #pragma omp managed(a)
  double *a = new double[n]();
  printf("started\n");
  fflush(stdout);
  for (int step = 0; step < 3000; ++step) {
    #pragma omp parallel for
    for (int i = 0; i < n; ++i) a[i] += 1;
    usleep(10000);
  }
  printf("%g\n", a[n / 2]);
}
"""

# The same with ghost cells.
LONG_HALO = LONG_RUN.replace("a[i] += 1;", "b[i] = a[i > 0 ? i - 1 : 0] + 1;").replace("usleep", "double *c = a; a = b; b = c;\n    usleep")
LONG_HALO = LONG_HALO.replace("#pragma omp managed(a)", "#pragma omp managed(b)\n  double *b = new double[n]();\n  #pragma omp managed(a)")
# One long loop, whose blocks ranks claim.
LONG_UNEVEN = LONG_RUN.replace("parallel for", "parallel for schedule(dynamic)").replace("step < 3000", "step < 1").replace(
    "a[i] += 1;", "for (long k = 0; k < 40000000; ++k) a[i] = a[i] * 0.5 + k;")


def compile_program(name, *sources, flags=()):
    target = WORK / name
    subprocess.run([str(BUILD / "bin" / "muster++"), "-O1", *map(str, sources), *flags, "-o", str(target)], check=True)
    return str(target)


def setUpModule():
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    (WORK / "long.cpp").write_text(LONG_RUN)
    (WORK / "halo.cpp").write_text(LONG_HALO)
    (WORK / "uneven.cpp").write_text(LONG_UNEVEN)
    global JACOBI, SOBEL, LONG, HALO, UNEVEN, THREADS
    common = ROOT / "samples" / "common"
    JACOBI = compile_program("jacobi", ROOT / "samples" / "jacobi" / "jacobi.cpp")
    SOBEL = compile_program("sobel", ROOT / "samples" / "sobel" / "sobel.cpp", common / "image.cpp", flags=(f"-I{common}", "-lpng", "-ljpeg"))
    LONG = compile_program("long-run", WORK / "long.cpp")
    HALO = compile_program("long-halo", WORK / "halo.cpp")
    UNEVEN = compile_program("long-uneven", WORK / "uneven.cpp")
    source = ROOT / "test" / "programs" / "threads_end.cpp"
    THREADS = compile_program("threads-end", source)
    (WORK / "threads-plain.cpp").write_bytes(subprocess.run([str(ROOT / "scripts" / "plain-source.sh"), str(source)], check=True,
                                                            stdout=subprocess.PIPE).stdout)
    subprocess.run(["clang++-19", "-fopenmp", "-O1", str(WORK / "threads-plain.cpp"), "-o", THREADS + "-plain"], check=True)


def run(command, timeout=60, **environment):
    """Exit code and everything printed. A hang is a failure of the test."""
    result = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout,
                            env={**os.environ, "MUSTER_TUNE": "off", **environment})
    return result.returncode, result.stdout.decode(errors="replace")


class Variables(unittest.TestCase):
    def test_unknown_variable_is_an_error_with_a_suggestion(self):
        code, text = run([JACOBI, "20", "20", "2"], MUSTER_DEVICE="cpu")
        self.assertNotEqual(code, 0)
        self.assertIn("MUSTER_DEVICE", text)
        self.assertIn("MUSTER_DEVICES", text)

    def test_unknown_variable_is_said_once_under_mpirun(self):
        code, text = run([*MPIRUN, "3", JACOBI, "20", "20", "2"], MUSTER_INFOO="1")
        self.assertNotEqual(code, 0)
        self.assertEqual(text.count("MUSTER_INFOO"), 1, text)

    def test_value_out_of_range(self):
        code, text = run([JACOBI, "20", "20", "2"], MUSTER_INFO="many")
        self.assertNotEqual(code, 0)
        self.assertIn("MUSTER_INFO", text)


class Devices(unittest.TestCase):
    def test_malformed_selection(self):
        code, text = run([JACOBI, "20", "20", "2"], MUSTER_DEVICES="cpuu")
        self.assertNotEqual(code, 0)
        self.assertIn("cpuu", text)

    def test_no_such_device(self):
        code, text = run([JACOBI, "20", "20", "2"], MUSTER_DEVICES="opencl:99")
        self.assertNotEqual(code, 0)
        self.assertIn("opencl:99", text)

    def test_opencl_without_any_device(self):
        empty = WORK / "no-vendors"
        empty.mkdir(exist_ok=True)
        environment = {"OCL_ICD_VENDORS": str(empty)}
        code, text = run([JACOBI, "20", "20", "2"], **environment)
        self.assertEqual(code, 0, text)
        code, text = run([JACOBI, "20", "20", "2"], MUSTER_DEVICES="opencl", **environment)
        self.assertNotEqual(code, 0)
        self.assertIn("OpenCL", text)

    def test_icd_that_fails_to_load(self):
        vendors = WORK / "bad-vendors"
        vendors.mkdir(exist_ok=True)
        (vendors / "bad.icd").write_text("/no/such/libopencl.so\n")
        code, text = run([JACOBI, "20", "20", "2"], OCL_ICD_VENDORS=str(vendors))
        self.assertEqual(code, 0, text)

    def test_kernel_that_does_not_build_runs_natively_with_one_warning(self):
        expected = run([JACOBI, "61", "47", "5"], MUSTER_DEVICES="cpu")
        code, text = run([JACOBI, "61", "47", "5"], MUSTER_DEVICES="opencl", MUSTER_INJECT="build-failure")
        self.assertEqual(code, 0, text)
        line = next(l for l in expected[1].splitlines() if "checksum" in l)
        self.assertIn(line, text)
        warnings = [l for l in text.splitlines() if "jacobi.cpp" in l and "natively" in l]
        # One per kernel (two loops) and device, not one per launch.
        self.assertTrue(1 <= len(warnings) <= 2, text)

    def test_out_of_memory_on_a_device_names_sizes(self):
        small = {"MUSTER_DEVICES": "opencl", "MUSTER_LIMIT_MEM": "1M"}
        code, text = run([JACOBI, "1000", "1000", "2"], **small, MUSTER_SPILL="off")
        self.assertNotEqual(code, 0)
        self.assertRegex(text, r"7999984 bytes")  # needed: 998 of 1000 rows and the ends of two
        self.assertIn("1048576", text)
        self.assertIn("MUSTER_SPILL=on", text)

    def test_too_little_memory_is_used_in_passes(self):
        expected = run([JACOBI, "1000", "1000", "2"], MUSTER_DEVICES="cpu")
        code, text = run([JACOBI, "1000", "1000", "2"], MUSTER_DEVICES="opencl", MUSTER_LIMIT_MEM="1M")
        self.assertEqual(code, 0, text)
        line = next(l for l in expected[1].splitlines() if "checksum" in l)
        self.assertIn(line, text)

    def test_a_row_that_does_not_fit_is_an_error(self):
        code, text = run([JACOBI, "1000", "1000", "2"], MUSTER_DEVICES="opencl", MUSTER_LIMIT_MEM="16K")
        self.assertNotEqual(code, 0)
        self.assertIn("16384", text)


class Ranks(unittest.TestCase):
    def test_different_builds_are_refused_with_both_ids(self):
        other = WORK / "long-other"
        (WORK / "other.cpp").write_text(LONG_RUN.replace("3000", "3001"))
        compile_program("long-other", WORK / "other.cpp")
        code, text = run([*MPIRUN, "1", LONG, ":", "--oversubscribe", "-n", "1", str(other)])
        self.assertNotEqual(code, 0)
        self.assertRegex(text, r"build")
        self.assertRegex(text, r"[0-9a-f]{8,}")

    def kill_rank(self, program, **environment):
        process = subprocess.Popen([*MPIRUN, "3", program], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   env={**os.environ, **environment})
        self.assertIn(b"started", process.stdout.readline())
        victims = alive(program)
        self.assertEqual(len(victims), 3)
        ranks = {}
        for pid in victims:
            environment = pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
            ranks[next(v for v in environment if v.startswith(b"OMPI_COMM_WORLD_RANK=")).split(b"=")[1]] = pid
        start = time.monotonic()
        os.kill(ranks[b"1"], signal.SIGKILL)
        text = process.communicate(timeout=20)[0].decode(errors="replace")
        self.assertLess(time.monotonic() - start, 10)
        self.assertNotEqual(process.returncode, 0)
        self.assertRegex(text, r"rank 1\b")
        self.assertEqual(alive_after(program), [])

    def test_killed_rank_ends_the_job_and_is_named(self):
        self.kill_rank(LONG)

    # Others wait for what it was to send, on their cards and in their programs.
    def test_killed_rank_whose_card_others_wait_for(self):
        self.kill_rank(HALO, MUSTER_DEVICES="cuda", MUSTER_TUNE="off", MUSTER_MIN_SHARE="0", FAKE_CUDA="devices=3 late-signals",
                       LD_LIBRARY_PATH=str(BUILD / "lib" / "fake-cuda"))

    def test_killed_rank_that_has_claimed_blocks(self):
        self.kill_rank(UNEVEN, MUSTER_DEVICES="cpu", MUSTER_TUNE="off", OMP_NUM_THREADS="1")

    def test_killed_launcher_leaves_no_orphan(self):
        process = subprocess.Popen([*MPIRUN, "3", LONG], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertIn(b"started", process.stdout.readline())
        process.kill()
        process.wait()
        process.stdout.close()
        self.assertEqual(alive_after(LONG), [])


class Threads(unittest.TestCase):
    """Of the program, that launch at once and have devices."""

    CARDS = {"MUSTER_DEVICES": "cpu,cuda", "LD_LIBRARY_PATH": str(BUILD / "lib" / "fake-cuda"), "FAKE_CUDA": "devices=3 late-signals"}

    def same_as_plain(self, argument, code):
        plain = run([THREADS + "-plain", argument])
        self.assertEqual(plain[0], code)
        for devices in ({"MUSTER_DEVICES": "cpu,pocl"}, self.CARDS):
            for way in ("static", "donate"):
                with self.subTest(argument=argument, way=way, **devices):
                    self.assertEqual(run([THREADS, argument], MUSTER_THREADS=way, MUSTER_MIN_SHARE="0", **devices), plain)

    def test_threads_that_end_with_devices(self):
        self.same_as_plain("ends", 0)

    def test_regions_inside_with_teams_of_their_own(self):
        self.same_as_plain("levels", 0)

    def test_exit_of_one_while_others_launch(self):
        for _ in range(5):
            self.same_as_plain("exit", 7)


class Images(unittest.TestCase):
    def refused(self, path, *words):
        output = WORK / "edges.png"
        output.unlink(missing_ok=True)
        code, text = run([SOBEL, str(path), str(output)])
        self.assertEqual(code, 1, text)
        self.assertIn(pathlib.Path(path).name, text)
        for word in words:
            self.assertIn(word, text)
        self.assertFalse(output.exists())
        self.assertFalse((WORK / "edges.png.part").exists())

    def test_missing(self):
        self.refused(WORK / "nowhere.png", "No such file")

    def test_not_an_image(self):
        (WORK / "text.png").write_text("this is no image at all")
        self.refused(WORK / "text.png", "neither")

    def test_truncated_png(self):
        # A valid signature and header, and then nothing.
        header = bytes.fromhex("89504e470d0a1a0a0000000d49484452000000400000004008000000008fcc0f4d")
        (WORK / "short.png").write_bytes(header)
        self.refused(WORK / "short.png")

    def test_truncated_jpeg(self):
        (WORK / "short.jpg").write_bytes(bytes.fromhex("ffd8ffe000104a46494600010100000100010000"))
        self.refused(WORK / "short.jpg")


if __name__ == "__main__":
    unittest.main()
