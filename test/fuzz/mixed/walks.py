# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops along rows inside of an iteration, one behind the other, that read and store rows: recurrences up and down,
sums, copies, with statements between them. Values are whole numbers that stay small.
"""
from .idioms import Idioms, Part


class Walks(Part):
    def __init__(self, mixed):
        super().__init__(mixed)
        self.idioms = Idioms(mixed)

    def some(self):
        n, m = self.mixed.unique("lines"), self.mixed.unique("length")
        self.n, self.m = n, m
        self.kind = self.any("double", "double", "float", "float", "int", "long", "short", "unsigned")
        stride = self.any(m, m, f"({m} + 3)")
        count = f"(({n} + 2) * {stride} + 8)"
        arrays = [self.idioms.array(self.kind, count, f"i * {self.any(3, 5, 7)} % {self.any(11, 13, 23)}", self.mixed.unique(stem))
                  for stem in ("first", "second", "third")[:self.any(1, 2, 3, 3)]]
        ends = self.idioms.array(self.kind, f"({n} + 4)", "i % 5", self.mixed.unique("ends"))
        self.names = [self.mixed.unique("p") for _ in arrays]
        self.ends = self.mixed.unique("p")
        pointers = f"{self.kind} *{self.ends} = {self.idioms.pointer(*ends)};\n"
        pointers += "".join(f"{self.kind} *{name} = {self.idioms.pointer(*array)};\n" for name, array in zip(self.names, arrays))
        self.row = f"{self.any('i', 'i', '(i + 1)')} * {stride}"
        prelude, self.rows, self.locals = "", {}, []
        for name in self.names:  # how a row is spelled
            spelling = self.any("plain", "plain", "number", "pointer", "place")
            own = self.mixed.unique("row")
            if spelling == "number":
                prelude += f"const int {own} = {self.row};\n"
                self.rows[name] = f"{name}[{own} + {{}}]"
            elif spelling == "pointer":
                prelude += f"{self.kind} *{own} = {name} + {self.row};\n"
                self.rows[name] = f"{own}[{{}}]"
            elif spelling == "place":
                prelude += f"{self.kind} *const {own} = &{name}[{self.row}];\n"
                self.rows[name] = f"{own}[{{}}]"
            else:
                self.rows[name] = f"{name}[{self.row} + {{}}]"
        body = prelude
        for _ in range(self.any(1, 2, 2, 3, 4)):
            body += self.between() + self.walk()
        body += self.between()
        head = self.any(f"for (int i = 0; i < {n}; ++i)", f"for (int i = 0; i < {n}; ++i)", f"for (int i = {n} - 1; i >= 0; --i)",
                        f"for (int i = 0; i < {n}; i += 2)", f"for (long i = 0; i < {n}; ++i)")
        shows = "".join(f"SHOW(\"{name}\", {count}, {name}[q]);\n" for name in self.names)
        all_arrays = [*arrays, ends]
        return (f"{{ {self.values((n, self.any(1, 5, 31, 33, 64, 70)), (m, self.any(2, 9, 63, 64, 65, 100, 130, 257)))}\n"
                f"{''.join(array[1] for array in all_arrays)}{pointers}"
                f"for (int round = 0; round < 2; ++round) {{\n#pragma omp parallel for\n{head} {{\n{body}}}\n}}\n"
                f"{shows}SHOW(\"ends\", {n}, {self.ends}[q]);\n{self.idioms.end(*all_arrays)} }}")

    def at(self, name, index):
        return self.rows[name].format(index)

    def small(self, value):
        return f"({self.kind})((int)({value}) & 63)"

    def between(self):
        """A statement between two loops, or none."""
        name = self.any(*self.names)
        form = self.any("none", "none", "variable", "store", "end", "none", "choice")
        if form == "variable":
            own = self.mixed.unique("kept")
            text = f"{self.any('const ', '')}{self.kind} {own} = {self.any(self.at(name, '0'), f'{self.ends}[i]', '3')};\n"
            self.locals.append(own)
            return text
        if form == "store":
            return f"{self.at(name, self.any('0', self.m + ' - 1'))} = {self.small(self.term() + ' + 1')};\n"
        if form == "end":
            return f"{self.ends}[i] = {self.small(self.term() + f' + {self.ends}[i]')};\n"
        if form == "choice":
            return f"if ({self.term()} > 4) {self.ends}[i] = {self.small(self.at(name, '0'))};\n"
        return ""

    def term(self):
        return f"(int){self.any(*self.locals)}" if self.locals and self.maybe(0.5) else self.any("2", "(i % 3)", "1")

    def walk(self):
        k, goal = self.any("k", "k", "j"), self.any(*self.names)
        down = self.maybe(0.35)
        low, high = self.any(0, 1, 1), self.any(0, 0, 1)
        head = (f"for ({self.any('int', 'int', 'long')} {k} = {self.m} - {1 + high}; {k} {self.any(f'>= {low}', f'> {low}')}; {self.any('--' + k, k + '--')})" if down else
                f"for ({self.any('int', 'int', 'long', 'unsigned')} {k} = {low}; {k} < {self.m} - {high}; {self.any('++' + k, k + '++')})")
        if down and high == 0 or not down and low == 0:
            before = None
        else:
            before = self.at(goal, f"{k} {'+' if down else '-'} 1")
        beside = [f"{k} + 1"] if high else []  # behind the last element is another iteration's
        others = [name for name in self.names if name != goal]
        form = self.any("store", "store", "store", "sum", "both", "condition", "update", "far")
        terms = [before] if before and self.maybe(0.7) else []
        if others and self.maybe(0.8):
            terms.append(self.at(self.any(*others), self.any(k, k, k, *beside) if self.maybe(0.9) else "0"))
        if self.maybe(0.3) or form == "far":
            terms.append(self.at(goal, self.any(k, *beside) if form == "far" else k))
        total = " + ".join(f"(int){term}" for term in terms + [self.any("1", f"(int){k} % 3", self.term())])
        here = self.at(goal, k)
        store = f"{here} = {self.small(total)};"
        if form == "update":
            store = f"{here} {self.any('+=', '-=')} ({self.kind})(({total}) & 7);"
        if form in ("sum", "both"):
            own = self.mixed.unique("sum")
            self.locals.append(own)
            adds = f"{own} = {self.small(f'{own} + (int){self.at(self.any(*self.names), k)}')};"
            return f"{self.kind} {own} = 0;\n{head} {{\n{adds if form == 'sum' else store + chr(10) + adds}\n}}\n"
        if form == "condition":
            store = f"if ((int){k} % 3 == 0) {here} = 1;\n{store}" if self.maybe(0.5) else f"{store}\nif ({here} > 9) {here} = 9;"
        return f"{head} {{\n{store}\n}}\n"
