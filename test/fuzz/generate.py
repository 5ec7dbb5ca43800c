#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a random OpenMP program over managed arrays; the same seed gives the same program.

Every program is valid: iterations of a parallel loop write elements of their own, indexes are in bounds, integers stay
small, and sums that depend on the order are exact. So the plain build's output is the only right one. Clang without
the plugin compiles the same text, because directives carry the `ompx` sentinel.
"""
import argparse
import random

import even
import mixed
import sized
from even_values import COLUMNS, LENGTH, ROWS

HEAD = """// Seed {seed}.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

template <class T>
static void check(const char* name, const T* array, int count) {{
  std::uint64_t hash = 1469598103934665603u;
  for (int i = 0; i < count; ++i) {{
    const double value = static_cast<double>(array[i]);
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    hash = (hash ^ bits) * 1099511628211u;
  }}
  std::printf("%s %016llx %g %g\\n", name, static_cast<unsigned long long>(hash), static_cast<double>(array[0]),
              static_cast<double>(array[count - 1]));
}}
static int clampTo(int value, int low, int high) {{ return value < low ? low : value > high ? high : value; }}
static int wave(int k) {{
  int sum = 0;
  while (k > 0) {{
    sum += k & 3;
    k >>= 2;
  }}
  return sum;
}}
static int globalShift = 3;
static const int table[4] = {{2, 7, 1, 8}};
"""

class Program:
    def __init__(self, seed, c=None, only=()):
        """`c`: whether to write C; else the seed says so. `only`: kinds of loops (mixed.PARTS), and no others."""
        self.random = random.Random(seed)
        self.seed = seed
        self.only = only
        chosen = self.random.choice(["c", "mixed"] if only else ["even", "sized", "both", "c"] + ["mixed"] * 6)
        self.parts = chosen if c is None else "c" if c else "mixed" if chosen == "c" else chosen
        self.functions, self.globals, self.body = [], [], []

    @property
    def suffix(self):
        return ".c" if self.parts == "c" else ".cpp"

    def choose(self, *options):
        return self.random.choice(options)

    def maybe(self, chance):
        return self.random.random() < chance

    def emit(self, text):
        self.body += text.rstrip("\n").split("\n")

    def write(self):
        """The text: arrays of 240 elements and loops over them, or arrays of odd sizes, or both, or a mixed program."""
        if self.parts in ("mixed", "c"):
            return mixed.Mixed(self, self.parts == "c").text()
        if self.parts != "even":
            sized.Sized(self).write()
        if self.parts != "sized":
            even.Even(self).write()
        main = [f"int main(int argc, char **) {{", f"int n = {LENGTH} * argc, rows = {ROWS}, columns = {COLUMNS}, shift = 2; /*keep*/",
                "(void)n, (void)rows, (void)columns, (void)shift; /*keep*/"] + self.body + ["}"]
        return "\n".join([HEAD.format(seed=self.seed) + sized.HEAD] + self.globals + self.functions + main) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("seed", type=int)
    parser.add_argument("--c", action="store_true", default=None, help="write C")
    options = parser.parse_args()
    print(Program(options.seed, options.c).write(), end="")


if __name__ == "__main__":
    main()
