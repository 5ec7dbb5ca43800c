#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a user sees when something is wrong: message, exit code, and no process left behind.

faults.py <program faults> <program mixed>"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

FAULTS, MIXED = sys.argv[1:3]
failures = 0


def expect(what, condition, detail=""):
    global failures
    if not condition:
        failures += 1
        print(f"FAILED: {what}\n{detail}")


def command(ranks, *arguments, program=FAULTS):
    launcher = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(ranks)] if ranks > 1 else []
    return launcher + [program, *arguments]


def environment(**variables):
    plain = {k: v for k, v in os.environ.items() if not k.startswith("MUSTER_")}
    return plain | {"MUSTER_TUNE": "off"} | variables


def run(ranks, *arguments, **variables):
    return subprocess.run(command(ranks, *arguments), env=environment(**variables), capture_output=True, text=True,
                          timeout=60)


def check_configuration():
    for ranks in (1, 2):
        result = run(ranks, MUSTER_DEVICE="cpu")
        expect("unknown variable: exit 2", result.returncode == 2, result)
        expect("unknown variable: suggestion, once", result.stderr.count("did you mean MUSTER_DEVICES?") == 1, result)
        result = run(ranks, MUSTER_DEVICES="opencl:99")
        expect("no such device: exit 2", result.returncode == 2, result)
        expect("no such device: message", result.stderr.count("muster: error:") == 1, result)
        result = run(ranks, MUSTER_DEVICES="cpu", MUSTER_WEIGHTS="1,1,1,1,1")
        expect("wrong number of weights: exit 2", result.returncode == 2 and "5 weights" in result.stderr, result)


def check_ends():
    for ranks in (1, 3):
        result = run(ranks, "once", MUSTER_DEVICES="cpu")
        expect("plain run", result.returncode == 0 and result.stdout.count("sum ") == 1, result)
        result = run(ranks, "exit", MUSTER_DEVICES="cpu")
        expect("exit(7) from the middle", result.returncode == 7, result)


def check_device_faults():
    result = run(1, "once", MUSTER_DEVICES="opencl", MUSTER_INJECT="build-failure")
    expect("build failure: the chunk runs natively", result.returncode == 0, result)
    expect("build failure: one warning", result.stderr.count("muster: warning:") == 1
           and "muster_test_axpy (kernels.cc:20)" in result.stderr, result)
    result = run(1, "once", MUSTER_DEVICES="opencl", MUSTER_INJECT="device-lost")
    expect("lost device: message and exit code", result.returncode == 4 and "lost" in result.stderr, result)
    for ranks in (1, 2):
        result = run(ranks, "once", MUSTER_DEVICES="opencl", MUSTER_LIMIT_MEM="64K", MUSTER_SPILL="off")
        expect("out of memory: exit code", result.returncode not in (0, None), result)
        expect("out of memory: sizes and advice", "has 65536 bytes for arrays" in result.stderr
               and "MUSTER_SPILL=on" in result.stderr, result)
        result = run(ranks, "once", MUSTER_DEVICES="opencl", MUSTER_LIMIT_MEM="64K")
        expect("too little memory: in passes", result.returncode == 0 and "sum 4999950000" in result.stdout, result)


def check_builds():
    with tempfile.TemporaryDirectory() as folder:
        other = os.path.join(folder, "other")
        shutil.copy(FAULTS, other)
        subprocess.run(["objcopy", "--remove-section=.note.gnu.build-id", other], check=True)
        with open(other, "ab") as file:
            file.write(b"another build")
        both = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "1", FAULTS, ":", "-n", "1", other]
        result = subprocess.run(both, env=environment(MUSTER_DEVICES="cpu"), capture_output=True, text=True, timeout=60)
        expect("two builds: exit 3", result.returncode == 3, result)
        expect("two builds: said once", result.stderr.count("different builds of the program") == 1, result)


def processes_of(program):
    name = os.path.basename(program)[:15]
    return [int(pid) for pid in os.listdir("/proc") if pid.isdigit() and comm(pid) == name]


def comm(pid):
    try:
        with open(f"/proc/{pid}/comm") as file:
            return file.read().strip()
    except OSError:
        return ""


def rank_of(pid):
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            for entry in file.read().split(b"\0"):
                if entry.startswith(b"OMPI_COMM_WORLD_RANK="):
                    return int(entry.split(b"=")[1])
    except OSError:
        pass
    return -1


def check_killed_rank():
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, f"mk{os.getpid()}")
        shutil.copy(FAULTS, program)
        job = subprocess.Popen(command(3, "forever", program=program), env=environment(MUSTER_DEVICES="cpu"),
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        job.stdout.readline()
        victims = [pid for pid in processes_of(program) if rank_of(pid) == 1]
        expect("a process of rank 1", len(victims) == 1)
        start = time.monotonic()
        for pid in victims:
            os.kill(pid, signal.SIGKILL)
        try:
            _, errors = job.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            job.kill()
            _, errors = job.communicate()
        while processes_of(program) and time.monotonic() - start < 10:
            time.sleep(0.1)
        seconds = time.monotonic() - start
        expect("killed rank: all gone within 10 s", seconds < 10 and not processes_of(program), f"{seconds} s")
        expect("killed rank: exit code", job.returncode != 0)
        expect("killed rank: named", "rank 1" in errors, errors)


def check_report():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "report.json")
        result = run(3, "once", MUSTER_DEVICES="cpu", MUSTER_INFO="1", MUSTER_INFO_FILE=path, MUSTER_MIN_SHARE="0")
        expect("report: three devices", result.stderr.count("rank ") >= 3, result)
        with open(path) as file:
            report = json.load(file)
        expect("report: devices", len(report["devices"]) == 3, report)
        loop = report["loops"][0]
        expect("report: loop", loop["location"] == "kernels.cc:20" and loop["launches"] == 1, report)
        expect("report: split covers all", [loop["lastSplit"][0]["lo"], loop["lastSplit"][-1]["hi"]] == [0, 100000],
               report)
        expect("report: array", report["arrays"][0]["bytes"] == 400000, report)


check_configuration()
check_ends()
check_device_faults()
check_builds()
check_killed_rank()
check_report()
print("ok" if failures == 0 else f"{failures} failures")
sys.exit(1 if failures else 0)
