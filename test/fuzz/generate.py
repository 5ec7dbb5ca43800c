#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a random OpenMP program over managed arrays; the same seed gives the same program.

Every program is valid: iterations of a parallel loop write elements of their own, indexes are in bounds, integers stay
small, and sums that depend on the order are exact. So the plain build's output is the only right one. Clang without
the plugin compiles the same text, because directives carry the `ompx` sentinel.
"""
import argparse
import random

import sized

INTEGERS = ["unsigned char", "short", "int", "unsigned", "long", "unsigned long long"]
FLOATS = ["float", "double"]
LENGTH = 240  # elements of every array: 240 = 12 * 20 = 60 * 4
ROWS, COLUMNS = 12, 20

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


class Array:
    def __init__(self, name, kind, element):
        self.name, self.kind, self.element = name, kind, element

    @property
    def is_float(self):
        return self.element in FLOATS

    def at(self, index):
        """An element by its flat index, which is an expression."""
        if self.kind == "static2d":
            return f"(&{self.name}[0][0])[{index}]"
        return f"{self.name}[{index}]"

    def at2(self, row, column):
        if self.kind == "static2d":
            return f"{self.name}[{row}][{column}]"
        return f"{self.name}[({row}) * columns + {column}]"

    @property
    def pointer(self):
        return {"vector": f"{self.name}.data()", "static2d": f"&{self.name}[0][0]"}.get(self.kind, self.name)


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.seed = seed
        self.arrays, self.functions, self.globals, self.body = [], [], [], []
        self.number = 0

    def choose(self, *options):
        return self.random.choice(options)

    def maybe(self, chance):
        return self.random.random() < chance

    def emit(self, text):
        self.body += text.rstrip("\n").split("\n")

    # ---------------------------------------------------------------- arrays

    def declare_arrays(self):
        for i in range(self.random.randint(3, 6)):
            kind = self.choose("new", "new", "malloc", "calloc", "vector", "static", "static2d", "local", "plain")
            element = self.random.choice(INTEGERS + FLOATS * 3)
            array = Array(f"a{i}", kind, element)
            self.arrays.append(array)
            self.declare(array)
            self.emit(f"for (int i = 0; i < n; ++i) {array.at('i')} = (i * {self.random.randint(3, 91)} + {i}) % 97; /*keep*/")
        self.emit("#pragma ompx managed(perm)\nint *perm = new int[n]; /*keep*/")
        self.emit("for (int i = 0; i < n; ++i) perm[i] = (i * 77 + 5) % n; /*keep*/")

    def declare(self, array):
        managed, name, element = f"#pragma ompx managed({array.name})\n", array.name, array.element
        if array.kind == "static2d":
            self.globals.append(f"{managed}static {element} {name}[{ROWS}][{COLUMNS}];")
        elif array.kind == "static":
            self.globals.append(f"{managed}{element} {name}[{LENGTH}];")
        else:
            self.emit({
                "new": f"{managed}{element} *{name} = new {element}[n];",
                "malloc": f"{managed}{element} *{name} = ({element} *)malloc(n * sizeof({element}));",
                "calloc": f"{managed}{element} *{name} = ({element} *)calloc(n, sizeof *{name});",
                "vector": f"{managed}std::vector<{element}> {name}(n);",
                "local": f"{managed}{element} {name}[{LENGTH}];",
                "plain": f"{element} *{name} = new {element}[n];",
            }[array.kind])

    # ---------------------------------------------------------------- expressions

    def store(self, array, target, value, accumulate=False):
        """An assignment that keeps the element small and defined for its type."""
        if array.is_float:
            return f"{target} = ({value}) * {self.choose('0.25f', '0.125', '0.5', '0.3')} + {self.random.randint(0, 9)};"
        return f"{target} = ({array.element})((long)({value}) % 97);"

    def pick(self, without=()):
        return self.random.choice([a for a in self.arrays if a not in without] or self.arrays)

    def read(self, written, index, low, high):
        """A read at `index` plus an offset that keeps [low, high) in bounds; never of what other iterations write."""
        array = self.pick(without=written)
        if array in written:
            return "1"
        form = self.choose("shift", "shift", "plain", "clamp", "gather", "wrap", "invariant", "reverse", "row", "half",
                           "mask", "bits", "distance", "minimum", "narrow", "turn", "pick")
        if form == "shift":
            offset = self.random.randint(max(-low, -3), min(LENGTH - high, 3))
            return array.at(f"{index} + {offset}" if offset >= 0 else f"{index} - {-offset}")
        return {
            "plain": array.at(index),
            "clamp": array.at(f"clampTo((int)({index}) - 2, 0, n - 1)"),
            "gather": array.at(f"perm[{index}]"),
            "wrap": array.at(f"(({index}) + {self.random.randint(1, 9)}) % {LENGTH}"),
            "invariant": array.at(str(self.random.randint(0, LENGTH - 1))),
            "reverse": array.at(f"n - 1 - ({index})"),
            "row": array.at(f"({index}) / columns * columns + (({index}) % columns + {self.random.randint(1, 19)}) % columns"),
            "half": array.at(self.choose(f"({index}) / 2", f"({index}) >> 1", f"({index}) / 3 + {self.random.randint(0, 9)}",
                                         f"(2 * ({index}) + 1) / 2", f"({index}) / columns * columns")),
            "mask": array.at(self.choose(f"({index}) & 31", f"({index}) & ~7", f"(({index}) + 5) & 127")),
            "bits": array.at(self.choose(f"(({index}) ^ 1) % n", f"({index}) | 1", f"std::min<int>(({index}) ^ shift, n - 1)")),
            "distance": array.at(f"std::abs((int)({index}) - {self.random.randint(0, LENGTH - 1)})"),
            "minimum": array.at(self.choose(f"std::min<long>(({index}) + 4, n - 1)", f"std::max((int)({index}) - 4, 0)",
                                            f"(({index}) < 9 ? ({index}) : 9)", f"std::clamp((int)({index}) - 1, 2, n - 3)")),
            "narrow": array.at(f"(unsigned char)({index}) % 200"),
            "turn": array.at(self.choose(f"(({index}) + n - 1) % n", f"(({index}) + 1) % n",
                                         f"(({index}) == 0 ? n - 1 : ({index}) - 1)",
                                         f"(({index}) == n - 1 ? 0 : ({index}) + 1)", f"(({index}) % 2 + ({index})) % n")),
            "pick": array.at(f"std::min(std::max((int){self.pick(without=written).at(index)}, 0), 60)"
                             if self.pick(without=written) not in written else "0"),
        }[form]

    def value(self, written, index, low, high, own=None):
        terms = [self.read(written, index, low, high) for _ in range(self.random.randint(1, 3))]
        if own and self.maybe(0.5):
            terms.append(own)
        extra = self.choose("", "", "shift", "globalShift", "table", "wave", "max", "ternary", "maths")
        first = terms[0]
        terms += {
            "": [], "shift": ["shift"], "globalShift": ["globalShift"], "table": [f"table[({index}) & 3]"],
            "wave": [f"wave((int)({index}))"], "max": [f"std::max<double>({first}, 5)"],
            "ternary": [f"({first} > 40 ? {first} : 7)"], "maths": [f"std::floor(std::fabs(10.0 - {first}))"],
        }[extra]
        return " + ".join(f"(double){t}" if self.maybe(0.2) else t for t in terms)

    def body_lines(self, array, target, index, low, high, written):
        value = self.value(written, index, low, high, own=target)
        assignment = self.store(array, target, value)
        form = self.choose("plain", "plain", "plain", "if", "local", "scratch", "switch", "continue", "reference")
        return {
            "plain": assignment,
            "if": f"if (({index}) % 3 != 1) {{ {assignment} }} else {target} = 4;",
            "local": f"const double t = {value}; {self.store(array, target, 't + 1')}",
            "scratch": f"double s[3] = {{1, 2, 3}}; for (int q = 0; q < 3; ++q) s[q] += {target}; "
                       + self.store(array, target, f"s[0] + s[2] + {value}"),
            "switch": f"switch (({index}) % 3) {{ case 0: {assignment} break; case 1: {target} = 2; break; default: break; }}",
            "continue": f"if (({index}) % 5 == 2) continue; {assignment}",
            "reference": f"auto& r = {target}; {self.store(array, 'r', value)}",
        }[form]

    # ---------------------------------------------------------------- loops

    def clauses(self):
        options = [self.choose("schedule(static)", "schedule(dynamic, 3)", "schedule(guided)"), "num_threads(2)",
                   self.choose("if(n > 1000)", "if(n > 10)"), "firstprivate(shift)", "default(shared)"]
        return "".join(" " + clause for clause in options if self.maybe(0.15))

    def head(self, variable):
        """A loop over some of [0, n): its head, and the bounds of the values that it takes."""
        low = self.random.randint(0, 5)
        high = self.random.randint(low, LENGTH) if self.maybe(0.15) else LENGTH - self.random.randint(0, 5)
        step = self.choose(1, 1, 1, 2, 3, 7)
        kind = self.choose("int", "int", "int", "long", "unsigned", "size_t", "short")
        top = f"n - {LENGTH - high}"
        up = {
            "less": f"{variable} < {top}", "lessEqual": f"{variable} <= {top} - 1", "flipped": f"{top} > {variable}",
            "notEqual": f"{variable} != ({kind}){high}",
        }
        relation = self.choose(*up)
        if relation == "notEqual":
            step = 1
        if kind in ("unsigned", "size_t") or not self.maybe(0.25):
            if kind in ("unsigned", "size_t"):
                up = {key: text.replace("n -", f"({kind})n -") for key, text in up.items()}
            move = self.choose(f"{variable} += {step}", f"{variable} = {variable} + {step}") if step > 1 else f"++{variable}"
            return f"for ({kind} {variable} = {low}; {up[relation]}; {move})", low, high
        move = f"{variable} -= {step}" if step > 1 else f"--{variable}"
        return f"for ({kind} {variable} = {top} - 1; {variable} >= {low}; {move})", low, high

    def loop_1d(self):
        array = self.pick()
        head, low, high = self.head("i")
        target_index = self.choose("i", "i", "i", f"{LENGTH - 1} - i", "perm[i]")
        body = self.body_lines(array, array.at(target_index), "i", low, high, [array])
        self.emit(f"#pragma omp parallel for{self.clauses()}\n{head} {{ {body} }}")

    def loop_2d(self):
        array = self.pick()
        collapse = self.choose("", " collapse(2)")
        inner = "0" if collapse else self.choose("0", "0", "i % 2", "i", "std::min(i, 4)")
        step = "j += 2" if inner == "i % 2" else "++j"
        body = self.body_lines(array, array.at2("i", "j"), "i * columns + j", 0, LENGTH, [array])
        rows, columns = self.choose("rows", str(ROWS), "rows - 1"), self.choose("columns", str(COLUMNS), "columns - 2")
        self.emit(f"#pragma omp parallel for{collapse}{self.clauses()}\n"
                  f"for (int i = {self.choose(0, 1)}; i < {rows}; ++i)\n"
                  f"  for (int j = {inner}; j < {columns}; {step}) {{ {body} }}")

    def loop_stencil(self):
        array = self.pick()
        source = self.pick(without=[array])
        if source is array:
            return
        points = [source.at2("i - 1", "j"), source.at2("i + 1", "j"), source.at2("i", "j - 1"), source.at2("i", "j + 1")]
        body = self.store(array, array.at2("i", "j"), " + ".join(self.random.sample(points, self.random.randint(2, 4))))
        self.emit(f"#pragma omp parallel for{self.clauses()}\nfor (int i = 1; i < rows - 1; ++i)\n"
                  f"  for (int j = 1; j < columns - 1; ++j) {body}")

    def loop_columns(self):
        """The parallel loop runs over columns, the recurrence over rows."""
        array = self.pick()
        body = self.store(array, array.at2("i", "j"), f"{array.at2('i', 'j')} + {array.at2('i - 1', 'j')}")
        self.emit(f"#pragma omp parallel for{self.clauses()}\nfor (int j = 0; j < columns; ++j)\n"
                  f"  for (int i = 1; i < rows; ++i) {body}")

    def loop_red_black(self):
        array = self.pick()
        body = self.store(array, array.at2("i", "j"), f"{array.at2('i', 'j - 1')} + {array.at2('i', 'j + 1')}")
        self.emit(f"for (int colour = 0; colour < 2; ++colour) {{\n#pragma omp parallel for\n"
                  f"  for (int i = 1; i < rows - 1; ++i)\n    for (int j = 1 + (i + colour) % 2; j < columns - 1; j += 2) {body}\n}}")

    def inner_head(self, variable, top, outer):
        """A loop inside the body over some of [0, top), in one of the forms that people write."""
        step = self.choose(1, 1, 2, 3, 5)
        move = {1: f"++{variable}"}.get(step, f"{variable} += {step}")
        back = {1: f"--{variable}"}.get(step, f"{variable} -= {step}")
        return self.choose(
            f"for (int {variable} = 0; {variable} < {top}; {move})",
            f"for (int {variable} = {top} - 1; {variable} >= 0; {back})",
            f"for (int {variable} = {top}; {variable}-- > 0;)",
            f"for (int {variable} = std::min({outer}, {top}); {variable} < {top}; {move})",
            f"for (int {variable} = 0; {variable} < std::min({outer} + 1, {top}); {move})",
            f"for (int {variable} = std::max({outer} - 2, 0); {variable} <= std::min({outer} + 2, {top} - 1); {move})",
            f"for (int {variable} = 1 + ({outer} + shift) % 2; {variable} < {top}; {variable} += 2)",
            f"for (int {variable} = {outer} / 2; {variable} < std::min<int>({top}, {outer} + 3); {move})",
            f"for (int {variable} = {outer} & 3; {variable} < {top} - ({outer} & 1); {move})",
            f"for (size_t {variable} = {step}; {variable} < (size_t)({top}) / 2; {move})",
            f"for (int {variable} = {top} - 1; {variable} > std::abs({outer} - 4) % {top}; {back})",
            f"for (int {variable} = 1; {variable} < {top}; {variable} *= 2)",
            f"for (int {variable} = {top} - 1; {variable} > 0; {variable} >>= 1)",
            f"for (unsigned {variable} = {outer} % 3; {variable} < (unsigned){top}; {move})")

    def loop_inner(self):
        """Rows of a matrix, parts of them in inner loops."""
        array = self.pick()
        lines = ""
        for _ in range(self.random.randint(1, 2)):
            at = self.choose("i * columns + j", "(i * columns) + columns - 1 - j", "i * columns + (j + 3) % columns")
            if self.maybe(0.3):
                at = self.choose("k = i * columns + j, k", "(int)(i * columns + j)")
            body = self.body_lines(array, array.at(at), "i * columns + j", 0, LENGTH, [array])
            if self.maybe(0.3):
                body = f"if (j > 0) {{ {body} }}"
            head = self.inner_head("j", "columns", "i")
            lines += f"  {head} {{ {body} }}\n"
        self.emit(f"#pragma omp parallel for{self.clauses()}\nfor (int i = 0; i < rows; ++i) {{ int k = 0; (void)k;\n{lines}}}")

    def loop_tiles(self):
        array = self.pick()
        tile, collapse = self.choose("4", "7", "shift + 1"), self.choose("", " collapse(2)")
        body = self.body_lines(array, array.at2("i", "j"), "i * columns + j", 0, LENGTH, [array])
        self.emit(f"#pragma omp parallel for{collapse}{self.clauses()}\nfor (int ii = 0; ii < rows; ii += {tile})\n"
                  f"  for (int jj = 0; jj < columns; jj += {tile})\n"
                  f"    for (int i = ii; i < std::min(ii + {tile}, rows); ++i)\n"
                  f"      for (int j = jj; j < (jj + {tile} < columns ? jj + {tile} : columns); ++j) {{ {body} }}")

    def loop_flat(self):
        """One loop over all elements, rows and columns by division."""
        array = self.pick()
        kind = self.choose("int", "int", "size_t", "long")
        source = self.read([array], "idx", 0, LENGTH)
        target = self.choose(array.at("i * columns + j"), array.at("idx"), array.at("i * columns + columns - 1 - j"),
                             array.at("j * rows + i"))
        value = self.store(array, target, f"{source} + (double)i * 2 + (double)j")
        self.emit(f"#pragma omp parallel for{self.clauses()}\nfor ({kind} idx = 0; idx < n; ++idx) {{\n"
                  f"  const {kind} i = idx / columns, j = idx % columns;\n"
                  f"  if (i >= {self.choose(0, 1)}) {{ {value} }}\n}}")

    def loop_scaled(self):
        """Strided, reversed and scaled indexes of writes."""
        array = self.pick()
        form = self.choose(("2 * i", "n / 2"), ("2 * i + 1", "n / 2"), ("3 * i + k", "n / 3"), ("n - 1 - 2 * i", "n / 2"),
                           ("(i + shift) % n", "n"), ("(i * 7) % n", "n"), ("i ^ 1", "n"), ("i / 3 * 3 + 2 - i % 3", "n"),
                           ("j * rows + i", "rows"), ("(rows - 1 - i) * columns + j", "rows"))
        at, top = form
        body = self.store(array, array.at(at), f"{array.at(at)} + {self.read([array], 'i', 0, LENGTH // 3 if top != 'n' else LENGTH)}")
        if "k" in at.replace("rows", ""):
            body = f"for (int k = 0; k < 3; ++k) {{ {body} }}"
        if "j" in at:
            body = f"for (int j = 0; j < columns; ++j) {{ {body} }}"
        self.emit(f"#pragma omp parallel for{self.clauses()}\nfor (int i = 0; i < {top}; ++i) {{ {body} }}")

    def loop_weights(self):
        """A small array of the host's that the body reads."""
        array, source = self.pick(), self.pick()
        if array is source:
            return
        self.number += 1
        name, size = f"w{self.number}", self.random.randint(1, 5)
        element = self.choose("double", "float", "int", "short")
        values = ", ".join(str(self.random.randint(0, 9)) for _ in range(size))
        use = self.choose(f"{name}[k]", f"{name}[{size} - 1 - k]", f"*({name} + k)")
        at = source.at("i - k") if self.maybe(0.5) else source.at("i + k")
        self.emit(f"{element} {name}[{size}] = {{{values}}};\n{name}[0] += shift;\n#pragma omp parallel for{self.clauses()}\n"
                  f"for (int i = {size}; i < n - {size}; ++i) {{ double sum = 0;\n"
                  f"  for (int k = 0; k < {size}; ++k) sum += {use} * {at};\n  {self.store(array, array.at('i'), 'sum')}\n}}")

    def loop_counting(self):
        """Inner loops that count by themselves: while, and pointers that move along."""
        array, source = self.pick(), self.pick()
        if array is source:
            return
        start = self.choose("0", "i % 3", "std::min(i, 5)")
        form = self.choose("while", "moving", "index", "two")
        sum_of = {
            "while": f"int k = {start}; while (k < columns && sum < 4000) {{ sum += {source.at('i * columns + k')}; k += {self.choose(1, 2)}; }}",
            "moving": f"const {source.element} *p = {source.pointer} + i * columns; for (int k = 0; k < columns; ++k) sum += *p++;",
            "index": f"int at = i * columns; for (int k = 1; k < columns; ++k) {{ sum += {source.at('at')}; at++; }}",
            "two": f"for (int k = 0, at = i * columns; k < columns; ++k, ++at) sum += {source.at('at')};",
        }[form]
        self.emit(f"#pragma omp parallel for{self.clauses()}\nfor (int i = 0; i < rows; ++i) {{ double sum = 0;\n  {sum_of}\n"
                  f"  {self.store(array, array.at('i'), 'sum')}\n}}")

    def loop_halves(self):
        """One array is read and written at places that never meet."""
        array = self.pick()
        half = LENGTH // 2
        body = self.store(array, array.at("i"), array.at(f"i + {half}"))
        self.emit(f"#pragma omp parallel for{self.clauses()}\nfor (int i = 0; i < {half}; ++i) {body}")

    def loop_reduction(self):
        array, self.number = self.pick(), self.number + 1
        name = f"r{self.number}"
        operator = self.choose("+", "-", "max", "min", "^", "|", "&", "&&", "||")
        element = self.choose("double", "long", "float") if operator in ("max", "min") else self.choose("long", "int", "unsigned")
        value = f"({element}){array.at('i')}"
        head, _, _ = self.head("i")
        action = {
            "+": f"{name} += (long){array.at('i')};", "-": f"{name} -= (long){array.at('i')};",
            "max": f"{name} = std::max({name}, {value});", "min": f"if ({value} < {name}) {name} = {value};",
            "^": f"{name} ^= (int){array.at('i')};", "|": f"{name} |= (int){array.at('i')};",
            "&": f"{name} &= (int){array.at('i')} | 96;", "&&": f"{name} = {name} && {array.at('i')} >= 0;",
            "||": f"{name} = {name} || {array.at('i')} > 90;",
        }[operator]
        self.emit(f"{element} {name} = {self.random.randint(0, 50)};\n#pragma omp parallel for reduction({operator} : {name})"
                  f"{self.clauses()}\n{head} {{ {action} }}\nstd::printf(\"{name} %.17g\\n\", (double){name});")

    def loop_row_sums(self):
        array = self.pick()
        matrix, vector = self.pick(without=[array]), self.pick(without=[array])
        if array in (matrix, vector):
            return
        self.emit(f"#pragma omp parallel for{self.clauses()}\nfor (int i = 0; i < rows; ++i) {{\n  double sum = 0;\n"
                  f"  for (int k = 0; k < columns; ++k) sum += {matrix.at2('i', 'k')} * {vector.at('k')};\n"
                  f"  {self.store(array, array.at('i'), 'sum')}\n}}")

    def loop_last(self):
        array, self.number = self.pick(), self.number + 1
        name = f"l{self.number}"
        head, _, _ = self.head("i")
        self.emit(f"double {name} = -1;\n#pragma omp parallel for lastprivate({name})\n{head} {name} = {array.at('i')} + (double)i;\n"
                  f"std::printf(\"{name} %.17g\\n\", {name});")

    def loop_private(self):
        array = self.pick()
        body = self.value([array], "k", 0, LENGTH)
        self.emit(f"int p, k;\ndouble t;\n#pragma omp parallel for private(k, t)\nfor (p = 0; p < n; ++p) {{ k = n - 1 - p; t = {body}; "
                  f"{self.store(array, array.at('k'), 't')} }}")

    def loop_function(self):
        """A function with plain pointers gets any arrays of one type, also one of them twice."""
        self.number += 1
        element = self.random.choice([a.element for a in self.arrays])
        fitting = [a for a in self.arrays if a.element == element]
        to, source = self.random.choice(fitting), self.random.choice(fitting)
        name = f"f{self.number}"
        probe = Array("to", "new", element)
        body = self.store(probe, "to[i]", "to[i] + from[i] + shift")
        self.functions.append(f"static void {name}({element} *to, const {element} *from, int n, int shift) {{\n"
                              f"#pragma omp parallel for{self.clauses()}\n  for (int i = 0; i < n; ++i) {body}\n}}")
        self.emit(f"{name}({to.pointer}, {source.pointer}, n, shift);")
        if self.maybe(0.5):
            self.emit(f"{name}({to.pointer} + n / 2, {source.pointer}, n / 2, {self.random.randint(0, 5)});")

    # ---------------------------------------------------------------- host code

    def host(self):
        array = self.pick()
        same = [a for a in self.arrays if a is not array and a.element == array.element]
        form = self.choose("element", "serial", "sort", "swap", "copy", "set", "print", "scalar", "shrink", "reverse")
        if form == "element":
            self.emit(f"{array.at(self.random.randint(0, LENGTH - 1))} += 1;")
        elif form == "serial":
            self.emit(f"for (int i = 1; i < n; ++i) {self.store(array, array.at('i'), array.at('i') + ' + ' + array.at('i - 1'))}")
        elif form == "sort":
            self.emit(f"std::sort({array.pointer}, {array.pointer} + n);")
        elif form == "reverse":
            self.emit(f"std::reverse({array.pointer}, {array.pointer} + n / 3);")
        elif form == "swap" and same:
            other = self.random.choice(same)
            pointers = ("new", "malloc", "calloc", "plain")
            if array.kind == "vector" and other.kind == "vector":
                self.emit(self.choose(f"{array.name}.swap({other.name});", f"std::swap({array.name}, {other.name});"))
            elif array.kind == other.kind and array.kind in pointers:
                self.emit(self.choose(f"std::swap({array.name}, {other.name});",
                                      f"{{ auto *t = {array.name}; {array.name} = {other.name}; {other.name} = t; }}"))
        elif form == "copy" and same:
            self.emit(f"std::memcpy({array.pointer}, {self.random.choice(same).pointer}, n / 2 * sizeof({array.element}));")
        elif form == "set":
            self.emit(f"std::memset({array.pointer} + 3, 0, 20 * sizeof({array.element}));")
        elif form == "print":
            self.emit(f"std::printf(\"%.9g\\n\", (double){array.at(self.random.randint(0, LENGTH - 1))});")
        elif form == "scalar":
            self.emit(self.choose("globalShift += 2;", "shift = (shift + 3) % 11;"))
        elif form == "shrink" and array.kind == "vector":
            self.emit(f"{array.name}.clear(); {array.name}.resize(n, 3);")

    def write(self):
        """The text: arrays of 240 elements and loops over them, or arrays of odd sizes, or both."""
        parts = self.choose("even", "sized", "sized", "both")
        if parts != "even":
            sized.Sized(self).write()
        if parts != "sized":
            self.write_even()
        main = [f"int main(int argc, char **) {{", f"int n = {LENGTH} * argc, rows = {ROWS}, columns = {COLUMNS}, shift = 2; /*keep*/",
                "(void)n, (void)rows, (void)columns, (void)shift; /*keep*/"] + self.body + ["}"]
        return "\n".join([HEAD.format(seed=self.seed) + sized.HEAD] + self.globals + self.functions + main) + "\n"

    def write_even(self):
        self.declare_arrays()
        loops = [self.loop_1d, self.loop_1d, self.loop_1d, self.loop_2d, self.loop_2d, self.loop_stencil, self.loop_columns,
                 self.loop_red_black, self.loop_halves, self.loop_reduction, self.loop_row_sums, self.loop_last,
                 self.loop_private, self.loop_function, self.loop_inner, self.loop_inner, self.loop_tiles, self.loop_flat,
                 self.loop_scaled, self.loop_scaled, self.loop_weights, self.loop_counting]
        for _ in range(self.random.randint(5, 10)):
            repeated = self.maybe(0.2)
            self.emit(f"for (int step = 0; step < {self.random.randint(2, 4)}; ++step) {{" if repeated else "{")
            for _ in range(self.random.randint(1, 3)):
                self.emit("{")
                self.random.choice(loops)()
                self.emit("}")
                if self.maybe(0.6):
                    self.host()
            self.emit("}")
            checked = self.pick()
            self.emit(f"check(\"{checked.name}\", {checked.pointer}, n);")
        for array in self.arrays:
            self.emit(f"check(\"{array.name}\", {array.pointer}, n);")
            if array.kind in ("new", "plain"):
                self.emit(f"delete[] {array.name};")
            elif array.kind in ("malloc", "calloc"):
                self.emit(f"free({array.name});")
        self.emit("delete[] perm;")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("seed", type=int)
    print(Program(parser.parse_args().seed).write(), end="")


if __name__ == "__main__":
    main()
