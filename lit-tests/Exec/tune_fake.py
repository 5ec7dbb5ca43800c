#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Grow, shrink and auto against every fixed set of parks that do not exist (MUSTER_FAKE_DEVICES).

Usage: tune_fake.py PROGRAM
"""
import os
import re
import subprocess
import sys
import tempfile

LAUNCHES = 2000  # of the program
PARKS = {
    "the paper's cluster": ("8*(2*gpu:20,cpu) | network 590M 30us | bus 4G 10us", (8, 11)),
    "CPUs only": ("8*(cpu) | network 590M 30us", (8, 11)),
    "a slow network": ("8*(2*gpu:20,cpu) | network 2M 5ms | bus 4G 10us", (10, 13)),
    "one broken machine": ("3*(2*gpu:20,cpu);(2*gpu:0.5,cpu:0.02);4*(2*gpu:20,cpu) | network 590M 30us", (10, 13)),
    "a loop that likes CPUs": ("4*(gpu:20,cpu) | network 590M 30us | loop LINE gpu 0.01", (10, 13)),
}


def run(program, park, **variables):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MUSTER_")}
    environment.update(MUSTER_FAKE_DEVICES=park, **variables)
    result = subprocess.run([program], env=environment, capture_output=True, text=True, timeout=120)
    if result.returncode != 0:
        sys.exit(f"{variables}: {result.stderr}")
    return float(re.search(r"modelled time: ([0-9.]+) s", result.stderr)[1])


def main(program, line):
    wrong = []
    for name, (park, limits) in PARKS.items():
        park = park.replace("LINE", line)
        machines = sum(int(count or 1) for count in re.findall(r"(?:(\d+)\*)?\(", park))
        kinds = ["gpu", "cpu", "gpu+cpu"] if "gpu" in park else ["cpu"]
        counts = [count for count in (1, 2, 4, 8) if count <= machines]
        fixed = {f"{count}:{kind}": run(program, park, MUSTER_DEVICE_SET=f"{count}:{kind}")
                 for kind in kinds for count in counts}
        best = min(fixed.values())
        for mode in ("shrink", "grow", "auto"):
            with tempfile.TemporaryDirectory() as folder:
                log = os.path.join(folder, "log")
                whole = run(program, park, MUSTER_TUNE=mode, MUSTER_TUNE_LOG=log, MUSTER_BALANCE="on")
                steps = [row.split("\t") for row in open(log).read().splitlines()[1:]]
            found = steps[-1][6].split()[-1] if steps else "nothing"
            tried = sum(1 for step in steps if step[6].startswith("try "))
            timed = [float(step[3]) for step in steps if step[2] == found and float(step[3]) > 0]
            seconds = timed[-1] * 1e-6 * LAUNCHES if timed else whole
            print(f"{name}, {mode}: {found} after {tried} sets: {seconds:.3f} s, best {best:.3f} s, with the search {whole:.3f} s")
            if seconds > 1.05 * best:
                wrong.append(f"{name}, {mode}: {found}")
            if mode != "auto" and tried > limits[mode == "grow"]:
                wrong.append(f"{name}, {mode}: {tried} sets")
    if wrong:
        sys.exit("\n".join(wrong))
    print("all within a twentieth of the best")


main(sys.argv[1], sys.argv[2])
