#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two hosts with a network of 590 MB/s between them, as two network namespaces of this one: results are those of the plain build,
and nothing counts on memory that both see, though here they do.

Usage: two_hosts_test.py BUILD WORK [unittest arguments]. Ends with 77 where namespaces are not permitted.
"""
import json
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import unittest

from running import ROOT, built

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
WORK = pathlib.Path(sys.argv.pop(1)).resolve()
SAMPLES = ROOT / "samples"
NAME, NEAR, FAR = f"mu{os.getpid() % 100000}", "10.213.77.1", "10.213.77.2"
RATE = ["root", "tbf", "rate", "4720mbit", "burst", "256kb", "latency", "50ms"]


class Host:
    """A second host: its name, its network, and a link to this one's."""

    def __init__(self):
        self.process = subprocess.Popen(["unshare", "--net", "--uts", "sh", "-c", "hostname far-host && echo up && exec sleep 3600"], stdout=subprocess.PIPE)
        self.works = self.process.stdout.readline() == b"up\n" and self.link()

    def inside(self, *command):
        return ["nsenter", "-t", str(self.process.pid), "--net", "--uts", *command]

    def link(self):
        near, far = NAME + "a", NAME + "b"
        steps = [["ip", "link", "add", near, "type", "veth", "peer", "name", far], ["ip", "link", "set", far, "netns", str(self.process.pid)],
                 ["ip", "addr", "add", NEAR + "/24", "dev", near], ["ip", "link", "set", near, "up"], ["tc", "qdisc", "add", "dev", near, *RATE],
                 self.inside("ip", "link", "set", "lo", "up"), self.inside("ip", "addr", "add", FAR + "/24", "dev", far),
                 self.inside("ip", "link", "set", far, "up"), self.inside("tc", "qdisc", "add", "dev", far, *RATE)]
        return all(subprocess.run(step, stderr=subprocess.DEVNULL).returncode == 0 for step in steps)

    def close(self):
        self.process.kill()
        self.process.communicate()
        subprocess.run(["ip", "link", "del", NAME + "a"], stderr=subprocess.DEVNULL)


def setUpModule():
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    global HOST
    HOST = Host()
    if not HOST.works:
        HOST.close()
        print("network namespaces are not permitted here")
        os._exit(77)  # unittest would call it a failure
    agent = WORK / "agent"
    agent.write_text(f"#!/bin/sh\nshift\nexec {' '.join(HOST.inside())} sh -c \"$*\"\n")
    agent.chmod(agent.stat().st_mode | stat.S_IXUSR)


def tearDownModule():
    HOST.close()


def build(source, muster):
    return built(BUILD, WORK, source, muster)


class TwoHosts(unittest.TestCase):
    def run_over_both(self, program, *arguments, **environment):
        """What it prints, and its report."""
        report = WORK / "report"
        variables = {"MUSTER_INFO_FILE": str(report), "OMP_NUM_THREADS": "1", "MUSTER_MIN_SHARE": "0", "MUSTER_TUNE": "off", **environment}
        launcher = ["mpirun", "--allow-run-as-root", "--bind-to", "none", "-mca", "plm_rsh_agent", str(WORK / "agent"), "-mca", "btl", "tcp,self",
                    "-mca", "btl_tcp_if_include", NEAR + "/24", "-mca", "oob_tcp_if_include", NEAR + "/24", "--host", f"{NEAR}:2,{FAR}:2", "-n", "4", "--map-by", "node"]
        for name in variables:
            launcher += ["-x", name]
        result = subprocess.run([*launcher, program, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                timeout=200, env={**os.environ, **variables})
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        self.assertNotIn(b"warning", result.stderr)
        return result.stdout, json.loads(report.read_text())

    def expect_both(self, report, devices):
        hosts = [device["host"] for device in report["devices"]]
        self.assertEqual(len(hosts), devices)
        self.assertEqual(hosts.count("far-host"), devices // 2, hosts)

    def test_results_are_those_of_the_plain_build(self):
        for name, arguments in (("jacobi", ("203", "131", "23")), ("nbody", ("503", "3")), ("histogram", ("100003", "2"))):
            source = SAMPLES / name / f"{name}.cpp"
            expected = subprocess.run([build(source, False), *arguments], stdout=subprocess.PIPE, check=True).stdout
            for devices in ("cpu", "pocl"):
                with self.subTest(program=name, devices=devices):
                    output, report = self.run_over_both(build(source, True), *arguments, MUSTER_DEVICES=devices)
                    self.assertEqual(output, expected) if name != "nbody" else self.assertEqual(output[:40], expected[:40])
                    self.expect_both(report, 4)

    # Whatever devices it finds best.
    def test_the_tuner_runs(self):
        source = SAMPLES / "jacobi" / "jacobi.cpp"
        arguments = ("203", "131", "400")
        expected = subprocess.run([build(source, False), *arguments], stdout=subprocess.PIPE, check=True).stdout
        output, _ = self.run_over_both(build(source, True), *arguments, MUSTER_DEVICES="cpu", MUSTER_TUNE="auto", MUSTER_INJECT="cheap-trials",
                                       MUSTER_EARLIER_RUNS="off")
        self.assertEqual(output, expected)

    # Cards of a host hand messages to each other, those of two hosts do not, though the stand-in could open all memory.
    def test_cards_share_memory_within_a_host_alone(self):
        source = SAMPLES / "jacobi" / "jacobi.cpp"
        expected = subprocess.run([build(source, False), "203", "131", "23"], stdout=subprocess.PIPE, check=True).stdout
        output, report = self.run_over_both(build(source, True), "203", "131", "23", MUSTER_DEVICES="cuda", FAKE_CUDA="devices=2 late-signals",
                                            LD_LIBRARY_PATH=str(BUILD / "lib" / "fake-cuda"))
        self.assertEqual(output, expected)
        self.expect_both(report, 4)
        devices = report["devices"]
        for i, device in enumerate(devices):
            of_host = {j for j, other in enumerate(devices) if other["host"] == device["host"]} - {i}
            self.assertEqual(set(device["direct"]), of_host, device)

    # Open MPI carries them over TCP; a stand-in before it takes addresses of cards.
    def test_an_mpi_that_takes_addresses_of_cards(self):
        source = SAMPLES / "jacobi" / "jacobi.cpp"
        arguments = ("203", "2531", "23")
        expected = subprocess.run([build(source, False), *arguments], stdout=subprocess.PIPE, check=True).stdout
        output, report = self.run_over_both(build(source, True), *arguments, MUSTER_DEVICES="cuda", FAKE_CUDA="devices=2", GPU_MPI="slow-host",
                                            LD_LIBRARY_PATH=str(BUILD / "lib" / "fake-cuda"), LD_PRELOAD=str(BUILD / "lib" / "libmuster_gpu_aware_mpi.so"))
        self.assertEqual(output, expected)
        self.expect_both(report, 4)
        self.assertLessEqual(report["directMessagesFrom"], 16384)


if __name__ == "__main__":
    unittest.main()
