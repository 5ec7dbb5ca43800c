#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables I and II of papers/clusterjamp.txt on this machine: every fixed device set, then what the tuner finds.

One MPI rank is one of the paper's machines. bench/README.md says what the columns mean. The rows that were measured
are written as CSV (--csv), from which the tables and the plot can be made anew elsewhere (--from), or what is missing
can be measured later (--from with --missing).
"""
import argparse
import datetime
import pathlib
import shlex
import sys

from device_set_experiment import BENCHMARKS, Experiment, build_programs
from device_set_jobs import Budget, Failure, Job, LeftOut, Park
from device_set_tables import MODES, Report, require_matplotlib
from harness import ROOT

PAPERS_CLUSTER = "8*(2*gpu:20,cpu)|network 590M 30us|bus 4G 10us"


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
    parser.add_argument("--confirm", type=int, default=5, metavar="N",
                        help="pairs of runs, 5, that compare each set found with the fastest fixed one; 0: as in Table I")
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
    if options.confirm < 0:
        parser.error(f"--confirm {options.confirm}: give a number of pairs, or 0")
    if options.fake:  # the same each time
        options.repeats, options.confirm = 1, 0
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
                     "modelled times" if options.fake else f"medians; runs of each set and mode: {options.repeats}; sets found, against the fastest: {options.confirm} pairs"]
    same = park.same()
    failures = []
    for benchmark in chosen:
        size = options.problem.get(benchmark.name) or benchmark.problem["fake" if options.fake else options.size]
        rows = report.rows_of(benchmark.name, size)
        experiment = Experiment(benchmark, size, programs.resolve(), job, options, rows)
        budget.begin_benchmark()
        report.about = [line for line in report.about if not line.startswith(f"left out: {benchmark.name}, ")]
        for row in experiment.measure(park.sets(), options.modes):
            report.add({**row, "same_as": same.get(row["set"])} if row["table"] == "fixed" else row)
            against = f", {row['against']}: {row['against_ms_per_round']:.4g}" if row["table"] == "pair" else ""
            print(f"{benchmark.name} {size}: {row.get('mode', row['table'])} {row['set']}: {row['ms_per_round']:.4g} ms per round{against}",
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
