#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables I and II of papers/clusterjamp.txt on this machine: every fixed device set, then what the tuner finds.

One MPI rank is one of the paper's machines. bench/README.md says what the columns mean. The rows that were measured
are written as CSV (--csv), from which the tables and the plot can be made anew elsewhere (--from), or what is missing
can be measured later (--from with --missing).
"""
import argparse
import csv
import datetime
import json
import os
import pathlib
import re
import shlex
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from device_set_tables import KIND_ORDER, MODES, Report, canonical, require_matplotlib
from harness import MPIRUN, ROOT, build_muster, reported, same_text

PAPERS_CLUSTER = "8*(2*gpu:20,cpu)|network 590M 30us|bus 4G 10us"
MOST_ROUNDS = 20000
LONGER_SEARCHES = 3  # a search that has not ended begins again with twice the rounds, so many times
LONG_RUN = 2  # seconds of computing: such a run says enough by itself and is not repeated


class Benchmark:
    """One of the paper's. problem: the size by name of --size; {n} and {rounds} go into arguments. Results are the same
    for numbers of rounds that differ by a multiple of `period`; 0: for no others. least: rounds of a first, short run."""

    def __init__(self, name, program, arguments, problem, least, tuned, period=1, tolerance=0):
        self.name, self.program, self.arguments, self.problem = name, program, arguments, problem
        self.least, self.tuned, self.period, self.tolerance = least, tuned, period, tolerance

    def command(self, programs, problem, rounds):
        return [programs / f"{self.program}-muster", *self.arguments.format(n=problem, rounds=rounds).split()]

    def rounds(self, wanted):
        """So many rounds or a few more, with the same result as `least` rounds where there is a period."""
        wanted = int(min(max(wanted, self.least), MOST_ROUNDS))
        period = self.period or 1
        return self.least + -(-(wanted - self.least) // period) * period

    def result_key(self, rounds):
        """Runs with the same one must give the same result."""
        return rounds % self.period if self.period else rounds


# least and tuned: a search has up to 12 sets with about 20 launches each. The garbled circuit has 1,276 in a round,
# and those of its first two rounds are planned anew, which takes longer than they do.
BENCHMARKS = [
    Benchmark("sobel", "sobel", "{n} {rounds}", {"small": 2048, "large": 24576, "fake": 2048}, 1, 300),
    Benchmark("matmul", "matmul-rows", "{n} {rounds} rows", {"small": 192, "large": 2048, "fake": 512}, 1, 300),
    Benchmark("matmul-nested", "matmul-collapse", "{n} {rounds} collapse", {"small": 192, "large": 2048, "fake": 512}, 1, 300),
    # The interest rate of a step repeats after 40 steps.
    Benchmark("black-scholes", "black-scholes", "{n} {rounds}", {"small": 200000, "large": 64000000, "fake": 1000000}, 1, 300, 40, 1e-5),
    Benchmark("sfe", "sfe", "{n} {rounds}", {"small": 8, "large": 1024, "fake": 16}, 24, 40, 0),
]


def build_programs(build, out):
    from run import PAIRS  # its sources and flags
    out.mkdir(parents=True, exist_ok=True)
    sources = {program.name: program for program in PAIRS}
    for name in {benchmark.program for benchmark in BENCHMARKS}:
        build_muster(build, out, name, [sources[name].source], sources[name].flags)


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
        for device in devices:
            kind = kind_of(device)
            self.ranks.setdefault(device["rank"], []).append(kind)
            self.names.setdefault(kind, device["name"])

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

    def text(self):
        lists = [", ".join(f"{own.count(kind)} {kind}" for kind in KIND_ORDER if kind in own) for own in self.ranks.values()]
        ranks = "; ".join(f"{lists.count(what)} x ({what})" for what in dict.fromkeys(lists))
        return f"Devices by ranks: {ranks} ({', '.join(f'{kind}: {self.names[kind]}' for kind in KIND_ORDER if kind in self.names)})"


class Search:
    """What MUSTER_TUNE_LOG says of a run."""

    def __init__(self, path, interval):
        with open(path, newline="") as log:
            steps = list(csv.DictReader(log, delimiter="\t", quoting=csv.QUOTE_NONE))
        timed = [(step["set"], *(float(step[column]) for column in ("us per launch", "move us", "round us")))
                 for step in steps if float(step["us per launch"]) > 0]
        self.ended, self.set = True, None  # nothing was tried
        if steps:
            chosen = re.fullmatch(r"(try|stay with|go back to) (\S+)", steps[-1]["decision"])  # else: search again
            self.ended = chosen is not None and chosen.group(1) != "try"
            self.set = canonical(chosen.group(2) if chosen else steps[-1]["set"])
        self.tried = len({name for name, *_ in timed})
        launch = {canonical(name): us for name, us, _, _ in timed}
        self.us_per_launch = launch.get(self.set)
        slower = [us - (self.us_per_launch or us) for _, us, _, _ in timed]
        self.milliseconds = sum(move + round_ + interval * lost for (_, _, move, round_), lost in zip(timed, slower)) / 1e3
        self.rounds = [round_ for *_, round_ in timed]


class Experiment:
    """All measurements of one benchmark: rows of the report."""

    def __init__(self, benchmark, problem, programs, job, options, rows):
        """rows: those of it that were measured before."""
        self.benchmark, self.problem, self.programs, self.job, self.options = benchmark, problem, programs, job, options
        self.expected = {}  # the first output, for all sets and modes
        self.failures, self.left_out = [], []
        self.known = {canonical(row["set"]): row["ms_per_round"] for row in rows if row["table"] == "fixed"}
        self.searched = [row["mode"] for row in rows if row["table"] == "tuned"]

    def run(self, rounds, environment):
        """Seconds per round; of a dry run, modelled seconds in all."""
        command = self.benchmark.command(self.programs, self.problem, rounds)
        output, errors = self.job.run(command, environment)
        shown = f"{' '.join(map(str, command))} with {environment}"
        if self.job.fake:
            found = re.search(r"modelled time: ([0-9.]+) s", errors)
            if not found:
                raise Failure(f"{shown} did not print the modelled time")
            return float(found.group(1))
        seconds, result = reported(output, errors)
        if seconds is None:
            raise Failure(f"{shown} did not print its time")
        expected = self.expected.setdefault(self.benchmark.result_key(rounds), result)
        if not same_text(result, expected, self.benchmark.tolerance):
            raise Failure(f"{shown} gave another result than the first run\n  {result.decode()}\n  {expected.decode()}")
        return seconds

    def time_of(self, name, rounds):
        """Seconds per round with a fixed set; of a dry run, what more rounds add to the modelled time."""
        environment = {"MUSTER_DEVICE_SET": name}
        if not self.job.fake:
            return self.run(rounds, environment)
        return (self.run(2 * rounds, environment) - self.run(rounds, environment)) / rounds

    def enough(self, seconds):
        """Rounds of a run that measures a set with so many seconds per round."""
        if self.job.fake:
            return 1
        if self.benchmark.period == 0:
            return self.benchmark.least
        return self.benchmark.rounds(self.options.seconds / seconds)

    def measure_fixed(self, sets):
        """Repeats go through all sets in turn, so that slow changes of the machine meet all of them."""
        times, rounds, before = {}, {}, {}
        sets = [name for name in sets if canonical(name) not in self.known]
        for repeat in range(self.options.repeats):
            for name in sets:
                kinds = re.split("[+/]", name.split(":")[1])[0]  # others hardly add to the fastest
                try:
                    if repeat == 0:
                        # Fewer machines take longer: their time tells how many rounds are enough. Else a short run does.
                        rounds[name] = self.enough(before.get(kinds, float("inf")))
                        seconds = self.time_of(name, rounds[name])
                        if kinds not in before and self.enough(seconds) > rounds[name]:
                            rounds[name] = self.enough(seconds)
                            seconds = self.time_of(name, rounds[name])
                        before[kinds] = seconds
                        times[name] = [seconds]
                    elif name in times and times[name][0] * rounds[name] < LONG_RUN:
                        times[name].append(self.time_of(name, rounds[name]))
                except LeftOut as reason:
                    self.left_out.append(f"{self.benchmark.name}, {name}{', again' if name in times else ''}: {reason}")
                except Failure as failure:
                    self.failures.append(str(failure))
        self.known.update((canonical(name), 1e3 * statistics.median(values)) for name, values in times.items())
        return [{"table": "fixed", "benchmark": self.benchmark.name, "problem": self.problem, "set": name, "rounds": rounds[name],
                 "ms_per_round": 1e3 * statistics.median(values)} for name, values in times.items()]

    def measure_tuned(self, mode, everything, seconds_at_start):
        """everything: the set with all devices; seconds_at_start: seconds per round with it."""
        rounds = self.benchmark.rounds(self.benchmark.tuned)
        if mode == "auto":  # what its search may cost is a share of the run
            rounds = self.benchmark.rounds(max(rounds, self.options.auto_seconds / seconds_at_start))
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder) / "tune.log"
            for attempt in range(LONGER_SEARCHES + 1):
                seconds = self.run(rounds, {"MUSTER_TUNE": mode, "MUSTER_TUNE_LOG": str(log),
                                            "MUSTER_TUNE_INTERVAL": str(self.options.interval)})
                search = Search(log, self.options.interval)
                if search.ended or mode == "auto" or attempt == LONGER_SEARCHES or rounds == self.benchmark.rounds(2 * rounds):
                    break
                rounds = self.benchmark.rounds(2 * rounds)
        if not search.ended and mode != "auto":  # which may search for as long as the program runs
            self.failures.append(f"{self.benchmark.name}, {mode}: the search did not end within {rounds} rounds")
        return {"table": "tuned", "benchmark": self.benchmark.name, "problem": self.problem, "mode": mode,
                "set": search.set or canonical(everything), "rounds": rounds,
                "ms_per_round": 1e3 * (seconds / (rounds + 1) if self.job.fake else seconds),
                "us_per_launch": search.us_per_launch, "tried": search.tried, "search_ms": search.milliseconds,
                "round_us_longest": max(search.rounds, default=None),
                "round_us_median": statistics.median(search.rounds) if search.rounds else None}

    def measure(self, sets, modes):
        """Yields rows as they are known. CPUs alone, which may take long, come last."""
        everything = sets[-1]
        cpus_last = not everything.endswith(":cpu")
        slow = [name for name in sets if cpus_last and name.endswith(":cpu") and name != "1:cpu"]  # to which all are compared
        yield from self.measure_fixed([name for name in sets if name not in slow])
        for mode in modes:
            for _ in range(self.options.repeats - self.searched.count(mode)):
                try:
                    row = self.measure_tuned(mode, everything, self.known.get(canonical(everything), 1e3) / 1e3)
                except LeftOut as reason:
                    self.left_out.append(f"{self.benchmark.name}, {mode}: {reason}")
                    continue
                except Failure as failure:
                    self.failures.append(str(failure))
                    continue
                yield row
                if row["set"] not in map(canonical, sets):  # one that is not among the fixed ones
                    yield from self.measure_fixed([row["set"]])
        yield from self.measure_fixed(slow)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="builds the programs there")
    parser.add_argument("--programs", type=pathlib.Path, help="a folder that has them already, such as a bundle's bin")
    parser.add_argument("--ranks", type=int, default=2, help="MPI ranks, 2")
    parser.add_argument("--devices", default="", help="MUSTER_DEVICES; all: POCL takes part too")
    parser.add_argument("--fake", nargs="?", const=PAPERS_CLUSTER, default="", metavar="PARK",
                        help="modelled times of machines that do not exist (MUSTER_FAKE_DEVICES), the paper's cluster by default")
    parser.add_argument("--size", choices=("small", "large"), default="small", help="large: for GPUs")
    parser.add_argument("--problem", action="append", default=[], metavar="BENCHMARK=N", help="another size for one of them")
    parser.add_argument("--only", default="", help=f"comma list of {', '.join(b.name for b in BENCHMARKS)}")
    parser.add_argument("--modes", default=",".join(MODES), help="comma list of the tuner's modes")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each set and mode, 3; their median counts")
    parser.add_argument("--seconds", type=float, default=0.3, help="that a run with a fixed set computes, about")
    parser.add_argument("--auto-seconds", type=float, default=3, help="that a run with MUSTER_TUNE=auto computes at least, about")
    parser.add_argument("--interval", type=int, default=10, help="MUSTER_TUNE_INTERVAL, 10")
    parser.add_argument("--timeout", type=float, default=120, help="seconds after which a run has failed")
    parser.add_argument("--set-seconds", type=float, help="a fixed set whose run takes longer is left out of the tables")
    parser.add_argument("--budget-seconds", type=float, help="for the whole table: what does not fit in is left out, for --missing")
    parser.add_argument("--csv", type=pathlib.Path, help="write the rows here, after each benchmark")
    parser.add_argument("--plot", type=pathlib.Path, help="write a PNG; needs python3-matplotlib")
    parser.add_argument("--text", type=pathlib.Path, help="write the tables here too")
    parser.add_argument("--from", type=pathlib.Path, nargs="+", dest="sources", metavar="CSV", help="measure nothing, take these files")
    parser.add_argument("--missing", action="store_true", help="with --from: measure what these files lack")
    options = parser.parse_args()
    names = {benchmark.name for benchmark in BENCHMARKS}
    options.only = [name for name in options.only.split(",") if name] or [benchmark.name for benchmark in BENCHMARKS]
    options.modes = [mode for mode in options.modes.split(",") if mode]
    if unknown := set(options.only) - names:
        parser.error(f"no benchmark {', '.join(sorted(unknown))}; there are {', '.join(sorted(names))}")
    if unknown := set(options.modes) - set(MODES):
        parser.error(f"no mode {', '.join(sorted(unknown))}; there are {', '.join(MODES)}")
    for path in (options.csv, options.plot, options.text):  # before anything is measured
        if path and not path.parent.is_dir():
            parser.error(f"{path}: there is no folder {path.parent}")
    problems = {}
    for problem in options.problem:
        name, _, size = problem.partition("=")
        if name not in names or not size.isdigit():
            parser.error(f"--problem {problem}: give BENCHMARK=N")
        problems[name] = int(size)
    options.problem = problems
    if options.missing and not options.sources:
        parser.error("--missing needs --from, with what there is")
    if options.fake:  # the same each time
        options.repeats = 1
    return options


def measure(options):
    """The report, and what went wrong."""
    programs = options.programs or options.build / "bench-programs"
    if not options.programs:
        build_programs(options.build.resolve(), programs.resolve())
    chosen = [benchmark for benchmark in BENCHMARKS if benchmark.name in options.only]
    budget = Budget(options.budget_seconds, len(chosen))
    job = Job(options.ranks, options.devices, options.fake, options.timeout, options.set_seconds, budget)
    smallest = BENCHMARKS[0]
    park = Park(job, smallest.command(programs.resolve(), 64, smallest.least))
    report = Report.read_csv(options.sources or [])
    report.about += [f"{datetime.date.today()}: {shlex.join(sys.argv)}", park.text(),
                     "modelled times" if options.fake else f"medians; runs of each set and mode: {options.repeats}"]
    failures = []
    for benchmark in chosen:
        size = options.problem.get(benchmark.name) or benchmark.problem["fake" if options.fake else options.size]
        rows = report.rows_of(benchmark.name, size)
        experiment = Experiment(benchmark, size, programs.resolve(), job, options, rows)
        budget.begin_benchmark()
        report.about = [line for line in report.about if not line.startswith(f"left out: {benchmark.name}, ")]
        for row in experiment.measure(park.sets(), options.modes):
            report.add(row)
            print(f"{benchmark.name} {size}: {row.get('mode', 'fixed')} {row['set']}: {row['ms_per_round']:.4g} ms per round",
                  file=sys.stderr, flush=True)
        failures += experiment.failures
        report.about += [f"left out: {text}" for text in experiment.left_out]
        if options.csv:
            report.write_csv(options.csv)
    return report, failures


def main():
    options = parse_arguments()
    if options.plot:
        require_matplotlib()  # before hours of measuring
    report, failures = (Report.read_csv(options.sources), []) if options.sources and not options.missing else measure_or_exit(options)
    text = report.text()
    print(text)
    if options.text:
        options.text.write_text(text + "\n")
    if options.csv:
        report.write_csv(options.csv)
    if options.plot:
        report.plot(options.plot)
    for failure in failures:
        print(f"device_sets: FAILED: {failure}", file=sys.stderr)
    sys.exit(1 if failures else 0)


def measure_or_exit(options):
    try:
        return measure(options)
    except (Failure, LeftOut) as failure:  # of the first run, without which nothing is known
        sys.exit(f"device_sets: {failure}")


if __name__ == "__main__":
    main()
