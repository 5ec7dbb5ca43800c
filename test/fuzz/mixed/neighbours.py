# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops over the same iterations, one behind the other, many times: a device may run them as one.

Some read what another iteration of the loop before them makes, run over fewer iterations, give a sum, or come now and
then only. Values are whole numbers that stay small.
"""
from .idioms import Idioms, Part


class Neighbours(Part):
    def __init__(self, mixed):
        super().__init__(mixed)
        self.idioms = Idioms(mixed)

    def some(self):
        n, s, w = (self.mixed.unique(stem) for stem in ("many", "round", "factor"))
        self.n, self.s, self.w = n, s, w
        self.kind = self.any("double", "double", "double", "long", "float", "int", "unsigned char", "short")
        self.wide = self.any(0, 0, 0, 7, 16)  # columns, of loops over rows and columns
        count = f"(2 * {n} * {max(1, self.wide)} + 8)"
        arrays = [self.idioms.array(self.kind, count, f"i * {self.any(3, 5, 7)} % {self.any(11, 13, 23)}", self.mixed.unique(stem))
                  for stem in ("one", "two", "three", "four")[:self.any(2, 3, 4)]]
        self.names = [self.mixed.unique("p") for _ in arrays]
        pointers = "".join(f"{self.kind} *{name} = {self.idioms.pointer(*array)};\n" for name, array in zip(self.names, arrays))
        if self.maybe(0.2):  # two pointers into one array
            alias = self.mixed.unique("p")
            pointers += f"{self.kind} *{alias} = {self.names[0]} + {self.any(1, 2)};\n"
            self.aliases = {alias: self.names[0], self.names[0]: alias}
        else:
            self.aliases = {}
        self.head = self.loop_head()
        loops = "\n".join(self.loop() for _ in range(self.any(2, 2, 3, 3, 4, 5)))
        change = "".join(self.disturbance() for _ in range(self.any(0, 0, 1, 2)))
        rounds, length = self.any(5, 12, 20, 30), self.any(1, 3, 17, 64, 65, 200, 1000)
        shows = "".join(f"SHOW(\"{name}\", {count} - 2, {name}[q]);\n" for name in self.names)
        return (f"{{ {self.values((n, length))}int {w} = {self.any(1, 2, 3)}; (void){w};\n{''.join(array[1] for array in arrays)}{pointers}"
                f"for (int {s} = 0; {s} < {rounds}; ++{s}) {{\n{loops}\n{change}}}\n{shows}{self.idioms.end(*arrays)} }}")

    def loop_head(self):
        """What all of them have in common, mostly: (pragma, heads, index)."""
        i, low, high = self.any("int", "int", "long", "unsigned"), self.any(0, 0, 1, 2), self.any(0, 0, 0, 1)
        rows = self.any(f"for ({i} i = {low}; i < {self.n} - {high}; ++i)", f"for ({i} i = {low}; i < {self.n} - {high}; ++i)",
                        f"for (int i = {self.n} - 1 - {high}; i >= {low}; --i)")
        if not self.wide:
            return "", rows, ["i", "i", "i", "i + 1", "2 * i", "2 * i + 1", f"{self.n} - 1 - i"]
        at = f"i * {self.wide} + j"
        columns = f" for (int j = {self.any(0, 1)}; j < {self.wide}; ++j)"
        return self.any(" collapse(2)", ""), rows + columns, [at, at, at, f"{at} + 1", f"{at} + {self.wide}", f"({self.n} - 1 - i) * {self.wide} + j"]

    def loop(self):
        clause, head, indexes = self.head if self.maybe(0.9) else self.loop_head()
        usual = indexes[0]
        if self.maybe(0.2):
            total = self.mixed.unique("total")
            name = self.any(*self.names)
            body = f"if ({name}[{usual}] {self.any('>', '!=')} {self.any(1, 4)}) {total} += (long){name}[{usual}] * {self.w};"
            if self.maybe(0.4):  # it writes, too
                goal = self.any(*(other for other in self.names if self.aliases.get(other) is None), name)
                body += f"\n{goal}[{usual}] = ({self.kind})((int)({name}[{usual}] + 3) & 63);"
            return (f"long {total} = 0;\n#pragma omp parallel for reduction(+ : {total}){clause}\n{head} {{\n{body}\n}}\n"
                    f"printf(\"%ld\\n\", {total});{self.any('', f' {self.w} = 1 + (int)({total} % 3);')}")
        goal = self.any(*self.names, *self.aliases)
        index = usual if self.maybe(0.8) else self.any(*indexes)
        here = f"{goal}[{index}]"
        terms = [here] if self.maybe(0.5) else []
        # Another iteration's element of the array itself would be a race.
        others = [name for name in self.names if name != goal and name != self.aliases.get(goal)]
        for name in self.random.sample(others, min(len(others), self.any(1, 1, 2))):
            terms.append(f"{name}[{usual if self.maybe(0.8) else self.any(*indexes)}]")
        cast = "int" if self.kind not in ("float", "double") else self.kind
        total = " + ".join(f"({cast}){term}{self.any('', '', ' * ' + self.w, ' * 2')}" for term in terms + [self.any("1", "(i % 3)", self.s)])
        body = f"{here} = ({self.kind})((int)({total}) & 63);"
        form = self.any("plain", "plain", "condition", "variable", "left")
        if form == "condition":
            body = f"if ({terms[-1] if terms else here} > {self.any(2, 9)}) {body}"
        elif form == "variable":
            body = f"const {cast} sum = {total};\n{here} = ({self.kind})((int)sum & 63);"
        elif form == "left":
            body = f"if ((i + {self.s}) % {self.any(2, 3)} == 0) continue;\n{body}"
        text = f"#pragma omp parallel for{clause}\n{head} {{\n{body}\n}}"
        if self.maybe(0.15):
            return f"if ({self.s} % {self.any(2, 3, 7)} != 0) {{\n{text}\n}}"
        return text

    def disturbance(self):
        name, value = self.any(*self.names), f"({self.kind})({self.s} % 11)"
        changes = [f"{name}[1] = {value};", f"printf(\"%d\\n\", (int){name}[{self.n}]);", f"{self.w} = 1 + {self.s} % 3;",
                   f"\n#pragma omp parallel for\nfor (int q = 0; q < 2 * {self.n}; ++q) {name}[q] = ({self.kind})((int){name}[q] / 2);\n"]
        if len(self.names) > 1 and not self.aliases:
            one, two = self.random.sample(self.names, 2)
            changes.append(f"{{ {self.kind} *other = {one}; {one} = {two}; {two} = other; }}")
        return f"if ({self.s} % {self.any(2, 5, 9)} == {self.any(0, 1)}) {{ {self.any(*changes)} }}\n"
