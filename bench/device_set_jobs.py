# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs for bench/device_sets.py within its limits of time, and asks what devices there are."""
import json
import os
import pathlib
import shlex
import signal
import subprocess
import tempfile
import time

from device_set_tables import KIND_ORDER
from harness import MPIRUN


class Failure(Exception):
    """A run that ended badly, took too long or computed something else."""


class LeftOut(Exception):
    """A run that --set-seconds or --budget-seconds do not allow."""


class Budget:
    """Of --budget-seconds: what a benchmark leaves of its share is shared out among those after it."""

    def __init__(self, seconds, benchmarks):
        self.end = time.monotonic() + seconds if seconds else float("inf")
        self.benchmarks = benchmarks
        self.share = self.end

    def begin_benchmark(self):
        now = time.monotonic()
        self.share = now + (self.end - now) / self.benchmarks
        self.benchmarks -= 1

    def left(self):
        return self.share - time.monotonic()


class Job:
    """Runs programs on so many ranks, or as dry runs for a park that does not exist."""

    def __init__(self, ranks, devices, fake, timeout, set_seconds=None, budget=None):
        self.launcher = [*MPIRUN, str(ranks)] if ranks > 1 and not fake else []
        self.fake, self.timeout, self.set_seconds, self.budget = fake, timeout, set_seconds, budget or Budget(None, 1)
        # What the user's environment sets of these would be taken for all sets.
        self.environment = {"MUSTER_DEVICE_SET": "", "MUSTER_TUNE": "", "MUSTER_TUNE_LOG": "", "MUSTER_TUNE_STORE": ""}
        if devices:
            self.environment["MUSTER_DEVICES"] = devices
        if fake:
            self.environment["MUSTER_FAKE_DEVICES"] = fake

    def limit(self, environment):
        """Seconds that a run may take, and why no more."""
        limits = [(self.timeout, None)]
        if environment.get("MUSTER_DEVICE_SET") and self.set_seconds:
            limits.append((self.set_seconds, f"longer than {self.set_seconds:g} s (--set-seconds)"))
        limits.append((self.budget.left(), "there was no time left (--budget-seconds)"))
        return min(limits, key=lambda limit: limit[0])

    def run(self, command, environment):
        """Output and messages."""
        limit, why = self.limit(environment)
        if limit <= 0:
            raise LeftOut(why)
        command = [str(part) for part in [*self.launcher, *command]]
        settings = {**self.environment, **environment}
        shown = " ".join([*(f"{k}={shlex.quote(v)}" for k, v in settings.items() if v), *command])
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env={**os.environ, **settings})
            try:
                status = process.wait(None if limit == float("inf") else limit)
            except subprocess.TimeoutExpired:
                status = None
                process.send_signal(signal.SIGTERM)  # mpirun ends its ranks
                try:
                    process.wait(20)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
            out.seek(0), err.seek(0)
            output, errors = out.read(), err.read().decode(errors="replace")
        if status is None and why:
            raise LeftOut(why)
        if status is None:
            raise Failure(f"{shown}\n  did not end within {self.timeout:g} s (--timeout)")
        # A dry run computes nothing, which programs that check their results notice (1).
        if status != 0 and not (self.fake and status == 1):
            raise Failure(f"{shown}\n  ended with status {status}: {errors[-1500:]}")
        return output, errors


def kind_of(device):
    """As the runtime's Park::of."""
    if device["backend"] == "cpu":
        return "cpu"
    return "opencl" if device["kind"] == "cpu" else "gpu"


class Park:
    """The devices of all ranks, as a short run reports them."""

    def __init__(self, job, command):
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder) / "report.json"
            job.run(command, {"MUSTER_INFO_FILE": str(report), "MUSTER_TUNE": "off"})
            devices = json.loads(report.read_text())["devices"]
        self.ranks = {}
        self.names = {}
        self.devices = []  # rank, kind, and weight at the start, relative to the fastest; 0: it takes no part beside that
        for device in devices:
            kind = kind_of(device)
            self.ranks.setdefault(device["rank"], []).append(kind)
            self.names.setdefault(kind, device["name"])
            self.devices.append((device["rank"], kind, device["weight"]))

    def machines(self, kinds):
        return sum(any(kind in kinds for kind in own) for own in self.ranks.values())

    def sets(self):
        """All that the tuner may try, as it writes them: combinations of kinds with 1, 2, 4, ... and all machines; and
        single devices, where machines have more of a kind."""
        names = sorted(self.names, key=KIND_ORDER.index)
        combinations = [[k for i, k in enumerate(names) if bits >> i & 1] for bits in range(1, 1 << len(names))]
        sets = []
        for kinds in sorted(combinations, key=len):
            most = self.machines(kinds)
            steps = [step for step in (2**i for i in range(most.bit_length())) if step < most] + [most]
            if len(kinds) == 1 and max(own.count(kinds[0]) for own in self.ranks.values()) > 1:
                sets.append(f"1:{kinds[0]}/1")
            sets += [f"{step}:{'+'.join(kinds)}" for step in steps]
        return sets

    def computing(self, name):
        """The devices that compute at the start with a set; None where their weights do not tell."""
        machines, kinds = name.split(":")
        kinds, _, most = kinds.partition("/")
        by_rank = {}
        for index, (rank, kind, weight) in enumerate(self.devices):
            if kind in kinds.split("+") and len(by_rank.get(rank, [])) < int(most or len(self.devices)):
                by_rank.setdefault(rank, []).append((index, weight))
        speeds = [sum(weight for _, weight in own) for own in by_rank.values()]
        # The tuner takes ranks in their order, but those with less than half of the median speed last.
        if int(machines) < len(by_rank) and min(speeds) < 0.75 * max(speeds):
            return None
        members = [device for own in list(by_rank.values())[:int(machines)] for device in own]
        # Beside slower ones than the fastest of all, devices with weight 0 may take part.
        if max(weight for _, weight in members) < 0.9:
            return None
        return frozenset(index for index, weight in members if weight > 0)

    def same(self):
        """By set: one before it in which the same devices compute at the start."""
        first, same = {}, {}
        for name in self.sets():
            devices = self.computing(name)
            if devices is not None and first.setdefault(devices, name) != name:
                same[name] = first[devices]
        return same

    def text(self):
        lists = [", ".join(f"{own.count(kind)} {kind}" for kind in KIND_ORDER if kind in own) for own in self.ranks.values()]
        ranks = "; ".join(f"{lists.count(what)} x ({what})" for what in dict.fromkeys(lists))
        return f"Devices by ranks: {ranks} ({', '.join(f'{kind}: {self.names[kind]}' for kind in KIND_ORDER if kind in self.names)})"
