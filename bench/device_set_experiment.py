# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The experiment of bench/device_sets.py: its benchmarks, and all measurements of one of them."""
import collections
import csv
import pathlib
import re
import statistics
import tempfile

from device_set_jobs import Failure, LeftOut
from device_set_tables import canonical
from harness import build_muster, reported, same_text

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
        self.found = [canonical(row["set"]) for row in rows if row["table"] == "tuned"]
        self.pairs = collections.Counter((row["set"], row["against"]) for row in rows if row["table"] == "pair")

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

    def confirm(self):
        """Each set found against the fastest fixed one, A B A B ...: what the machine does meanwhile meets both. A pair
        runs the same rounds, as many as measure the fastest."""
        best = min(self.known, key=self.known.get, default=None)
        found = [name for name in dict.fromkeys(self.found) if name != best and name in self.known]
        for pair in range(self.options.confirm):
            for name in [name for name in found if self.pairs[name, best] <= pair]:
                rounds = self.enough(self.known[best] / 1e3)
                try:
                    against, seconds = [self.time_of(one, rounds) for one in (best, name)]
                except LeftOut as reason:
                    self.left_out.append(f"{self.benchmark.name}, {name} against {best} after {pair} of {self.options.confirm} pairs: {reason}")
                    found.remove(name)
                except Failure as failure:
                    self.failures.append(str(failure))
                    found.remove(name)
                else:
                    self.pairs[name, best] += 1
                    yield {"table": "pair", "benchmark": self.benchmark.name, "problem": self.problem, "set": name, "rounds": rounds,
                           "ms_per_round": 1e3 * seconds, "against": best, "against_ms_per_round": 1e3 * against}

    def measure(self, sets, modes):
        """Yields rows as they are known. CPUs alone, which may take long, come last unless they can be the fastest."""
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
                self.found.append(row["set"])
                if row["set"] not in map(canonical, sets):  # one that is not among the fixed ones
                    yield from self.measure_fixed([row["set"]])
        least = self.known.get("1:cpu", float("inf")) / max(int(name.split(":")[0]) for name in sets)  # as far as CPUs can get
        if least > min(self.known.values(), default=0):
            yield from self.confirm()
        yield from self.measure_fixed(slow)
        yield from self.confirm()  # nothing, if it was done and the fastest is still the same
