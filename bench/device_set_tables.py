# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What bench/device_sets.py measured, as text, CSV and a plot, beside the figures of papers/clusterjamp.txt."""
import csv
import itertools
import statistics
import sys

MODES = ("grow", "shrink", "auto")
KIND_ORDER = ("gpu", "opencl", "cpu")  # accelerators first
COLUMNS = ("table", "benchmark", "problem", "mode", "set", "rounds", "ms_per_round", "us_per_launch", "tried", "search_ms",
           "round_us_longest", "round_us_median", "same_as", "against", "against_ms_per_round")
LATER_COLUMNS = {"same_as", "against", "against_ms_per_round"}  # which older files lack
TEXT_COLUMNS = {*COLUMNS[:5], "same_as", "against"}

# Table I: seconds with 1, 2, 4 and 8 machines. A machine has one CPU (two chips) and two GPUs.
PAPER_FIXED = {
    "sobel": {"cpu": (6.6, 3.7, 1.3, 0.7), "gpu": (2.90, 0.90, 0.04, 0.02), "gpu+cpu": (2.9, 0.9, 0.2, 0.09)},
    "matmul": {"cpu": (178.5, 97.8, 50.6, 26.5), "gpu": (121.30, 64.40, 33.00, 20.30), "gpu+cpu": (104.3, 53.8, 29.0, 18.80)},
    "matmul-nested": {"cpu": (175.2, 95.1, 49.3, 25.8), "gpu": (5.80, 3.10, 1.60, 0.80), "gpu+cpu": (22.7, 13.2, 8.0, 4.80)},
    "black-scholes": {"cpu": (142.3, 113.7, 61.7, 37.4), "gpu": (0.86, 0.67, 0.52, 0.45), "gpu+cpu": (14.2, 11.7, 9.6, 5.40)},
    "sfe": {"cpu": (254.8, 135.6, 65.7, 35.8), "gpu": (17.30, 9.30, 4.70, 1.60), "gpu+cpu": (33.3, 17.9, 8.2, 3.20)},
}
# Table II: how many sets were tried.
PAPER_TRIED = {
    "grow": {"sobel": 9, "matmul": 11, "matmul-nested": 10, "black-scholes": 10, "sfe": 8},
    "shrink": {"sobel": 8, "matmul": 7, "matmul-nested": 7, "black-scholes": 7, "sfe": 7},
}


def canonical(name):
    """A set's name with its kinds in one order."""
    machines, _, rest = name.partition(":")
    kinds, slash, most = rest.partition("/")
    return f"{machines}:{'+'.join(sorted(kinds.split('+'), key=KIND_ORDER.index))}{slash}{most}"


def require_matplotlib():
    """Ends the program with what to do where nothing can be plotted."""
    try:
        import matplotlib
    except ImportError:
        sys.exit(f"device_sets: --plot: {sys.executable} has no matplotlib: install Debian's python3-matplotlib and run this "
                 "script with /usr/bin/python3; or write --csv FILE here, and plot elsewhere with --from FILE --plot PNG")
    matplotlib.use("Agg")  # no display


def aligned(rows):
    """Lines with columns as wide as they must be; the first column to the left."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) if column == 0 else cell.rjust(width) for column, (cell, width) in
                      enumerate(zip(row, widths))).rstrip() for row in rows]


def number(value, form=".4g"):
    return "-" if value is None else format(value, form)


def times(value):
    return "-" if value is None else f"{value:.0f} x" if value >= 100 else f"{value:.3g} x"


def percent(value):
    return "-" if value is None else f"{round(value, 1) + 0.0:.1f}"  # no -0.0


class Off:
    """By how many per cent a set is slower than the fastest fixed one: the median of pairs and their quartiles; without
    pairs what Table I says, whose sets were measured minutes apart; None where that has it not."""

    def __init__(self, pairs, table):
        self.pairs, self.table, self.percent, self.low, self.high = len(pairs), table, table, None, None
        if pairs:
            self.low, self.percent, self.high = statistics.quantiles(pairs if len(pairs) > 1 else 2 * pairs, n=4, method="inclusive")


class Report:
    """Rows by COLUMNS, and lines that say where and how they were measured."""

    def __init__(self, about):
        self.about, self.rows = about, []

    def add(self, row):
        self.rows.append({column: row.get(column) for column in COLUMNS})

    def write_csv(self, path):
        with open(path, "w", newline="") as out:
            out.writelines(f"# {line}\n" for line in self.about)
            writer = csv.DictWriter(out, COLUMNS)
            writer.writeheader()
            writer.writerows(self.rows)

    @staticmethod
    def read_csv(paths):
        """Of several files, for example one for each benchmark."""
        report = Report([])
        for path in paths:
            with open(path, newline="") as file:
                lines = list(file)
            report.about += [line[2:].rstrip("\n") for line in lines if line.startswith("# ")]
            for row in csv.DictReader(line for line in lines if not line.startswith("# ")):
                if row.keys() | LATER_COLUMNS != set(COLUMNS):
                    sys.exit(f"device_sets: {path} has other columns than {', '.join(COLUMNS)}")
                for column in COLUMNS:
                    if column not in TEXT_COLUMNS:
                        row[column] = float(row[column]) if row.get(column) else None
                report.rows.append(row)
        return report

    def rows_of(self, benchmark, problem):
        """Ends the program where there are some of another size, with which they cannot be compared."""
        rows = [row for row in self.rows if row["benchmark"] == benchmark]
        if other := {float(row["problem"]) for row in rows} - {float(problem)}:
            sys.exit(f"device_sets: --missing: {benchmark} was measured with size {other.pop():.0f}, and now it is {problem}")
        return rows

    def benchmarks(self):
        return list(dict.fromkeys(row["benchmark"] for row in self.rows))

    def fixed(self, benchmark):
        """Milliseconds per round by set."""
        return {row["set"]: row["ms_per_round"] for row in self.rows if row["table"] == "fixed" and row["benchmark"] == benchmark}

    def tuned(self, benchmark, mode):
        """Rows of the repeats, those whose sets are the fastest first."""
        rows = [row for row in self.rows if row["table"] == "tuned" and row["benchmark"] == benchmark and row["mode"] == mode]
        off = {row["set"]: self.off(benchmark, row["set"]).percent for row in rows}
        return sorted(rows, key=lambda row: float("inf") if off[row["set"]] is None else off[row["set"]])

    def off(self, benchmark, one):
        fixed, best = self.fixed(benchmark), self.best(benchmark)
        table = 100 * (fixed[one] / fixed[best] - 1) if one in fixed else None
        pairs = [row for row in self.rows if row["table"] == "pair" and
                 (row["benchmark"], row["set"], row["against"]) == (benchmark, one, best)]
        return Off([100 * (row["ms_per_round"] / row["against_ms_per_round"] - 1) for row in pairs], table)

    def same_as(self, one):
        """The first set in which the same devices compute at the start, perhaps itself."""
        return next((row["same_as"] for row in self.rows if row["set"] == one and row.get("same_as")), one)

    def best(self, benchmark):
        """The fastest fixed set; None where none could be measured."""
        fixed = self.fixed(benchmark)
        return min(fixed, key=fixed.get) if fixed else None

    def text(self):
        parts = [*self.about, "", *self.fixed_table(), "", *self.speedup_table(), "", *self.tuned_table()]
        return "\n".join(parts)

    def fixed_table(self):
        names = self.benchmarks()
        sets = list(dict.fromkeys(row["set"] for row in self.rows if row["table"] == "fixed"))
        problems = {row["benchmark"]: f"{float(row['problem']):.0f}" for row in self.rows}
        rows = [["RANKS:KINDS", *(f"{name} {problems[name]}" for name in names)]]
        for one in sets:
            cells = [number(self.fixed(name).get(one)) + (" *" if self.best(name) == one else "  ") for name in names]
            rows.append([one if self.same_as(one) == one else f"{one} = {self.same_as(one)}", *cells])
        return ["Table I: milliseconds per round with fixed device sets (* the fastest)", *aligned(rows)]

    def speedup_table(self):
        single = next((one for one in ("1:gpu/1", "1:gpu", "1:opencl") if any(one in self.fixed(name) for name in self.benchmarks())), "1:gpu")
        rows = [["benchmark", "best set", "over 1 CPU rank", "paper", f"over {single}", "paper, over 2 GPUs"]]
        for name in self.benchmarks():
            fixed, best, paper = self.fixed(name), self.best(name), PAPER_FIXED[name]
            if best is None:
                continue
            papers_best = min(min(seconds) for seconds in paper.values())
            one_gpu = fixed.get(single)
            rows.append([name, best, *(times(base and base / fixed[best]) for base in (fixed.get("1:cpu"),)),
                         times(paper["cpu"][0] / papers_best), times(one_gpu and one_gpu / fixed[best]),
                         times(paper["gpu"][0] / papers_best)])
        return ["Speed-up of the best fixed set", *aligned(rows)]

    def tuned_table(self):
        """The median of the repeats by how good the set is that they found."""
        rows = [["benchmark", "mode", "set found", "off best %", "quartiles", "pairs", "by Table I %", "worst %", "us/launch",
                 "ms/round of the run", "tried", "paper", "search ms", "round us, median", "longest"]]
        for name in self.benchmarks():
            best = self.best(name)
            for mode in MODES:
                runs = self.tuned(name, mode)
                if not runs:
                    continue
                row = runs[len(runs) // 2]
                found = row["set"]
                off, worst = [self.off(name, run["set"]) for run in (row, runs[-1])]
                quartiles = f"{percent(off.low)} to {percent(off.high)}" if off.pairs else "-"
                same = best and found != best and self.same_as(found) == self.same_as(best)
                rows.append([name, mode, f"{found} = {best}" if same else found, percent(off.percent), quartiles,
                             "-" if found == best else str(off.pairs), percent(off.table), percent(worst.percent),
                             number(row["us_per_launch"]), number(row["ms_per_round"]), number(row["tried"], ".0f"), str(PAPER_TRIED.get(mode, {}).get(name, "-")),
                             number(row["search_ms"]), number(row["round_us_median"], ".1f"), number(row["round_us_longest"], ".1f")])
        return ["Table II: what the tuner finds", *aligned(rows)] if len(rows) > 1 else []

    def plot(self, path):
        """For each benchmark the fixed sets' times by ranks, and where the modes ended: by the pairs, with their quartiles,
        where there are any."""
        import matplotlib.pyplot as plt
        names = self.benchmarks()
        figure, axes = plt.subplots(1, len(names), figsize=(4 * len(names) + 1, 4.2), squeeze=False)
        for axis, name in zip(axes[0], names):
            fixed = self.fixed(name)
            curves = {}
            for one, milliseconds in fixed.items():
                machines, kinds = one.split(":")
                curves.setdefault(kinds, []).append((int(machines), milliseconds))
            for (kinds, points), style in zip(curves.items(), itertools.cycle(("o-", "s--", "x-", "+--"))):
                axis.plot(*zip(*sorted(points)), style, label=kinds, fillstyle="none")
            for mode, marker in zip(MODES, "^vD"):
                for row in self.tuned(name, mode)[:1]:
                    off = self.off(name, row["set"])
                    if off.percent is not None:
                        percents = (off.low, off.percent, off.high) if off.pairs else 3 * (off.percent,)
                        low, at, high = (fixed[self.best(name)] * (1 + value / 100) for value in percents)
                        axis.errorbar(int(row["set"].split(":")[0]), at, [[at - low], [high - at]] if off.pairs else None, fmt=marker,
                                      markersize=14, fillstyle="none", color="black", capsize=3, label=f"found by {mode}")
            axis.set(title=name, xlabel="ranks", xscale="log", yscale="log")
            ticks = sorted({int(one.split(":")[0]) for one in fixed})
            axis.set_xticks(ticks, [str(tick) for tick in ticks])
            axis.minorticks_off()
            axis.grid(True, alpha=0.3)
        axes[0][0].set_ylabel("ms per round")
        axes[0][-1].legend(fontsize=8)
        figure.tight_layout()
        figure.savefig(path, dpi=120)
