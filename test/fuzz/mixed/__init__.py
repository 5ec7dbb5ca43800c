# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A generated program, in C++ or C, of many kinds of storage, bodies and constructs: see FEATURES in text.py.

Well-defined by construction: a loop writes elements of its own of one family of arrays (memory that may be shared) and
reads only its own elements of that family; all indexes stay below their counts; values stay small; what has an order
is exact. Programs print hashes of their arrays.
"""
from . import idioms, nests, text, windows
from .classes import Classes
from .corners import Corners
from .deep import Deep
from .host import Host
from .idioms import Idioms
from .kept import Kept
from .loops import loops_over
from .nests import Nests
from .products import Products
from .records import Records
from .regions import Regions
from .neighbours import Neighbours
from .steps import Steps
from .stores import Stores
from .walks import Walks
from .windows import Windows


FILE = "// File: "  # starts the text of another file of the program
# By features: who writes loops of one kind, and how often beside others.
PARTS = {"idioms": (Idioms, 6), "nests": (Nests, 6), "products": (Products, 4), "steps": (Steps, 4), "neighbours": (Neighbours, 4),
         "walks": (Walks, 4), "records": (Records, 4), "deep": (Deep, 4), "kept": (Kept, 4), "windows": (Windows, 6), "corners": (Corners, 7)}
COUNTS = "/*counts threads*/"  # in a program whose output depends on how many there are


class Mixed:
    def __init__(self, program, c):
        self.program, self.random, self.c = program, program.random, c
        self.features = {name for name, chance in text.FEATURES.items() if self.random.random() < chance and not (c and name in text.ONLY_CXX)}
        if program.only:
            self.features = set(program.only)
        self.lines, self.globals, self.objects, self.header = [], [], [], ""
        self.fixed = set()  # families of which parts have other names
        self.number = 0
        sizes = [1, 1, 2, 3] if self.has("odd sizes") else [7, 31, 97, 1009, 4096] + [self.random.randint(4, 700)] * 4
        lengths = [1, 2, 3] if self.has("odd sizes") else [3, 5, 13, 31, 64]
        self.calls = [(self.random.choice(sizes), self.random.choice(lengths), self.random.choice(lengths)) for _ in range(1 + self.has("twice"))]
        if self.has("odd sizes") and self.any(True, False, False):
            self.calls[0] = (0, 0, 0)  # nothing at all: an index of something is taken modulo its size
        self.capacity = max(n for n, _, _ in self.calls) + 1
        self.high_most, self.wide_most = max(h for _, h, _ in self.calls) + 1, max(w for _, _, w in self.calls) + 1
        self.stores = Stores(self)

    def has(self, feature):
        return feature in self.features

    def any(self, *options):
        return self.random.choice(options)

    def unique(self, stem):
        self.number += 1
        return f"{stem}{self.number}"

    def emit(self, lines):
        self.lines += lines.rstrip("\n").split("\n")

    # ---------------------------------------------------------------- swaps

    def swappable(self):
        same = [(a, b) for a in self.stores.all for b in self.stores.all
                if a.name < b.name and a.family == b.family and a.kind == b.kind and a.name in self.body_names and b.name in self.body_names]
        return self.random.choice(same) if same else None

    def swap_text(self, first, second):
        a, b = first.name, second.name
        pointers = first.kind in ("malloc", "new", "row table", "block table")
        type_ = first.element + (" **" if "table" in first.kind else " *")
        spelled = [f"{{ {type_}hold = {a}; {a} = {b}; {b} = hold; }}"] if pointers else [f"{{ auto hold = std::move({a}); {a} = std::move({b}); {b} = std::move(hold); }}"]
        return self.random.choice(spelled if self.c else spelled + [f"std::swap({a}, {b});"] * 2)

    # ---------------------------------------------------------------- the whole

    def declare(self):
        self.stores.declare()
        # Names of pointers and containers that the program may change.
        self.body_names = {s.name for s in self.stores.all if s.kind in ("malloc", "new", "vector", "unique", "nested", "row table", "block table")}
        classes = Classes(self)
        if self.has("classes"):
            if self.c or self.any(True, False, False):
                classes.use_struct()
            else:
                classes.use(template=False)
        if self.has("class templates"):
            classes.use(template=True)
        return classes

    def write(self):
        classes = self.declare()
        loops = loops_over(self, self.stores.all)
        regions, host = Regions(self, loops), Host(self)
        forms = [loops.line] * 3 + [loops.matrix] * 2 + [loops.reduction] + [loops.atomics] + [regions.function, loops.last]
        for feature, more in {"regions": [regions.region] * 4 + [regions.last] + [regions.counted] * 2, "macros": [regions.made] * 2, "lambdas": [loops.around] * 2, "orphans": [regions.orphan] * 3, "collapse": [loops.cube, loops.matrix], "array sums": [loops.array_sum] * 2,
                              "extremes": [loops.reduction] * 2, "ranges": [loops.ranges] * 2, "captures": [loops.atomics] * 2,
                              "tables": [loops.matrix] * 2, "nested vectors": [loops.matrix] * 2}.items():
            forms += more * self.has(feature)
        for feature, (part, times) in PARTS.items():
            forms += [part(self).some] * times * self.has(feature)
        if self.objects:
            forms += [classes.call] * 4
        if self.program.only:
            forms = [part(self).some for feature, (part, _) in PARTS.items() if self.has(feature)]
        for _ in range(self.random.randint(*(1, 2) if self.program.only else (4, 8))):
            self.emit(f"for (int step = 0; step < {self.random.randint(2, 4)}; ++step) {{" if self.any(True, False, False) else "{")
            for _ in range(self.random.randint(1, 3)):
                made = self.random.choice(forms)()
                if made:
                    self.emit("{\n" + made + "\n}")
                if self.has("host") and self.any(True, False):
                    self.emit(host.some())
                if self.has("again") and self.random.random() < 0.15:
                    host.again()
                if self.has("swaps") and self.random.random() < 0.4 and (pair := self.swappable()):
                    self.emit(self.swap_text(*pair))
            self.emit("}")
        for store in self.stores.all:
            self.emit(self.show(store))
        for store in self.stores.all:
            if store.release:
                self.emit(store.release)
        self.emit("free(order);\nfree(bins);")

    def show(self, store):
        if store.flat:
            return f"SHOW(\"{store.name}\", {store.count}, {store.at('q')});"
        return f"SHOW(\"{store.name}\", rows * columns, {store.at('q / columns', 'q % columns')});"

    def text(self):
        """The program, and behind a line that names it the header."""
        self.write()
        includes = [f"#include <{name}>" for name in text.INCLUDES + ([] if self.c else text.CXX_INCLUDES)]
        prelude = text.COMMON + (text.C_TEXT if self.c else text.CXX_TEXT) + (idioms.C_TEXT + ("" if self.c else idioms.CXX_TEXT)) * self.has("idioms") + nests.TEXT * self.has("nests")
        if self.has("windows"):
            prelude += windows.TEXT + ("" if self.c else windows.CXX_TEXT)
        head = ["// Seed " + str(self.program.seed) + ": " + ", ".join(sorted(self.features)) + "."] + includes
        if self.header:
            prelude += '#include "fields.h"\n'
        mains = ["int main(void) {"] + [f"mixed({n}, {rows}, {columns}, 2); /*keep*/" for n, rows, columns in self.calls] + ["return 0; /*keep*/", "}"]
        body = ["static void mixed(int n, int rows, int columns, int shift) { /*keep*/", "(void)shift; /*keep*/", *self.lines, "}"]
        whole = "\n".join(head + [prelude] + self.globals + self.program.functions + body + mains) + "\n"
        return whole + (f"{FILE}fields.h\n#pragma once\n" + self.header if self.header else "")
