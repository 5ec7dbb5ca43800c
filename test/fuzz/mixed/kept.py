# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops inside of an iteration over the same steps, one behind the other, that add up, read and store the same rows:
elements that work-items of a group may keep from one to the next. Values are whole numbers that stay small.
"""
from .idioms import Idioms, Part


class Kept(Part):
    def __init__(self, mixed):
        super().__init__(mixed)
        self.idioms = Idioms(mixed)

    def some(self):
        n, m = self.mixed.unique("lines"), self.mixed.unique("length")
        self.m, self.sums = m, []
        kinds = [self.any("int", "int", "long", "short", "unsigned", "float", "double") for _ in range(self.any(2, 2, 3))]
        stride = self.any(m, m, f"({m} + 3)")
        count = f"(({n} + 1) * {stride} + 8)"
        arrays = [self.idioms.array(kind, count, f"i * {self.any(3, 5, 7)} % {self.any(11, 13, 23)}", self.mixed.unique("line"))
                  for kind in kinds]
        ends = self.idioms.array("long", f"({n} + 4)", "i % 5", self.mixed.unique("ends"))
        self.ends, self.names = self.mixed.unique("p"), [self.mixed.unique("p") for _ in arrays]
        self.kinds = dict(zip(self.names, kinds))
        if len(self.names) > 2 and kinds[0] == kinds[1] and self.maybe(0.15):
            arrays[1] = arrays[0]  # one array by two names
        pointers = f"long *{self.ends} = {self.idioms.pointer(*ends)};\n"
        pointers += "".join(f"{self.kinds[name]} *{name} = {self.idioms.pointer(*array)};\n" for name, array in zip(self.names, arrays))
        prelude, self.rows = "", {}
        for name in self.names:
            row, own = f"i * {stride}", self.mixed.unique("row")
            spelling = self.any("plain", "plain", "number", "pointer", "place")
            if spelling == "number":
                prelude += f"const int {own} = (int)({row});\n"
            elif spelling != "plain":
                prelude += f"{self.kinds[name]} *{own} = {f'{name} + {row}' if spelling == 'pointer' else f'&{name}[{row}]'};\n"
            self.rows[name] = {"plain": f"{name}[{row} + {{}}]", "number": f"{name}[{own} + {{}}]"}.get(spelling, f"{own}[{{}}]")
        self.type, self.first = self.any("int", "int", "long", "unsigned", "size_t"), self.any(0, 0, 0, 1, 2)
        body = prelude + "".join(self.loop() + self.between() for _ in range(self.any(2, 2, 3, 3, 4)))
        if self.sums:
            body += f"{self.ends}[i] += {' + '.join(self.sums)};\n"
        if self.maybe(0.15):
            body = f"if ({self.ends}[i] % 7 == 3) continue;\n{body}"
        made = list(dict([*arrays, ends]).items())
        shows = "".join(f"SHOW(\"{name}\", {count}, {name}[q]);\n" for name in self.names)
        sizes = (n, self.any(1, 3, 20, 33)), (m, self.any(2, 63, 64, 65, 100, 257, 640, 700, 1023, 2048, 2051, 2300))
        return (f"{{ {self.values(*sizes)}{''.join(text for _, text in made)}{pointers}"
                f"for (int round = 0; round < 2; ++round) {{\n#pragma omp parallel for\nfor ({self.any('int', 'long')} i = 0; i < {n}; ++i) {{\n{body}}}\n}}\n"
                f"{shows}SHOW(\"ends\", {n}, {self.ends}[q]);\n{self.idioms.end(*made)} }}")

    def at(self, name, index):
        return self.rows[name].format(index)

    def small(self, name, value):
        return f"({self.kinds[name]})((int)({value}) & 63)"

    def sum(self):
        return self.any(*self.sums) if self.sums else "3"

    def between(self):
        name = self.any(*self.names)
        return self.any("", "", "", f"{self.at(name, self.any('0', self.m + ' - 1'))} = {self.small(name, self.sum() + ' + 1')};\n",
                        f"{self.ends}[i] += (long){self.at(name, '1')};\n", f"{self.sum()} %= 97;\n" if self.sums else "")

    def loop(self):
        j, goal, other = self.any("j", "j", "k"), self.any(*self.names), self.any(*self.names)
        first = self.first if self.maybe(0.8) else self.any(0, 1, 3)
        head = f"for ({self.type} {j} = {first}; {j} < {self.m}{self.any('', '', '', ' - 1')}; {self.any('++' + j, j + '++')})"
        here, there = self.at(goal, j), self.at(other, j if self.maybe(0.9) or goal == other else self.any("0", f"({j} / 2)"))
        term = self.any(f"(int){there}", f"(int){there}", f"(int){here} + (int){there}", f"(int){there} * 2 + (int)({j} % 3)")
        store = self.any(f"{here} = {self.small(goal, f'{term} + {self.sum()}')};", f"{here} = {self.small(goal, term)};",
                         f"{here} {self.any('+=', '-=')} ({self.kinds[goal]})(({term}) & 7);")
        known = len(self.sums)
        text = self.any(lambda: store, lambda: store, lambda: f"{store}\n{self.adds(here)}", lambda: self.adds(there),
                        lambda: self.adds(there), lambda: self.adds(f"((int){here} ^ ({term}))"), lambda: f"if ({term} > 9) {store}",
                        lambda: f"if ({term} > 20) continue;\n{self.adds(here)}", lambda: f"{self.adds(there)}\n{store}")()
        made = "".join(f"{self.any('int', 'long')} {own} = {self.any(0, 0, 2)};\n" for own in self.sums[known:])
        return f"{made}{head} {{\n{text}\n}}\n"

    def adds(self, value):
        own = self.mixed.unique("sum")
        self.sums.append(own)
        return self.any(f"{own} += (int){value};", f"if ((int){value} > {own}) {own} = (int){value};", f"{own} = {own} + (int){value};",
                        f"{own} = (int){value} < {own} ? (int){value} : {own};", f"{own} |= (int){value};", f"{own} ^= (int){value};")
