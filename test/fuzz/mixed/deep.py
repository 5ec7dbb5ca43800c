# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nests of four and five loops, as of elements with points inside: more dimensions than a launch has. Arrays lie in any
order. All values are whole numbers that stay small.
"""
from .idioms import Idioms, Part

KINDS = ["double", "double", "float", "int", "short", "unsigned char", "long"]


class Deep(Part):
    def __init__(self, mixed):
        super().__init__(mixed)
        self.idioms = Idioms(mixed)

    def some(self):
        depth = self.any(4, 4, 4, 5)
        self.loops = [self.mixed.unique("at") for _ in range(depth)]
        self.sizes = [self.mixed.unique("size") for _ in range(depth)]
        self.order = list(range(depth)) if self.maybe(0.7) else self.random.sample(range(depth), depth)
        whole = " * ".join(self.sizes)
        made = [self.idioms.array(self.any(*KINDS), whole, f"i * {self.any(3, 5, 7)} % {self.any(11, 13, 17)}")
                for _ in range(self.any(1, 2, 3))]
        made.append(self.idioms.array(self.any("double", "float", "int"), f"{self.sizes[-1]} * 9", "i % 5"))
        self.own, self.others, self.weights = made[0][0], [name for name, _ in made[1:-1]], made[-1][0]
        self.kind = next(kind for kind in sorted(KINDS, key=len, reverse=True) if f"{kind} *" in made[0][1] or f"<{kind}>" in made[0][1])
        sizes = [self.any(1, 2, 3, 4, 6)] + [self.any(1, 2, 3, 5, 8) for _ in range(depth - 2)] + [self.any(1, 2, 3, 4, 5, 7, 8, 9, 16, 31, 33)]
        collapse = self.any("", "", f" collapse({self.random.randint(2, depth)})")
        text, self.fronts = "", []  # what stands between the loops
        for number, (loop, size) in enumerate(zip(self.loops, self.sizes)):
            first = self.any("0", "0", "0", "1") if number else "0"
            kind = self.any("int", "int", "int", "long", "unsigned")
            last = f"{size} - 1" if self.maybe(0.1) and kind != "unsigned" else size
            text += f"for ({kind} {loop} = {first}; {loop} < ({kind})({last}); {self.any('++' + loop, loop + '++')})"
            opens = not collapse and number + 1 < depth and self.maybe(0.15)
            text += f" {{ const int from{number} = (int){loop} * 3 % 7;\n" if opens else "\n"
            self.fronts += [f"from{number}"] * opens
        body = " ".join(self.statement() for _ in range(self.any(1, 1, 1, 2)))
        text += f"{{ {body} }}" + "}" * len(self.fronts)
        named = "".join(f"{self.values((name, value))}" for name, value in zip(self.sizes, sizes))
        return (f"{{ {named}{''.join(text for _, text in made)}"
                f"for (int round = 0; round < 2; ++round) {{\n#pragma omp parallel for{collapse}\n{text}\n}}\n"
                f"SHOW(\"deep\", {whole}, {self.own}[q]);\n{self.idioms.end(*made)} }}")

    def place(self, loops=None):
        """The index of a place in arrays."""
        loops = loops or self.loops
        text = "0"
        for number in self.order:
            text = f"({text} * {self.sizes[number]} + {loops[number]})" if text != "0" else f"(int){loops[number]}"
        return text

    def elsewhere(self):
        """Another place, of an array that is only read."""
        loops = list(self.loops)
        number = self.random.randrange(len(loops))
        loops[number] = self.any("0", f"({self.sizes[number]} - 1 - (int){loops[number]})", f"(int)(({loops[number]} + 1) % {self.sizes[number]})")
        return self.place(loops)

    def term(self):
        forms = [f"(int){self.weights}[{self.loops[-1]}]", f"(int){self.any(*self.loops)} % 5", f"(int){self.own}[{self.place()}]"]
        forms += [f"(int){self.any(*self.others)}[{self.any(self.place(), self.place(), self.elsewhere())}]" for _ in self.others]
        return self.any(*forms, *self.fronts)

    def statement(self):
        own, total = f"{self.own}[{self.place()}]", " + ".join(self.term() for _ in range(self.any(1, 2, 3)))
        form = self.any("set", "set", "set", "update", "condition", "skip", "sum")
        if form == "update":
            return f"{own} += ({self.kind})(({total}) & 7); {own} = ({self.kind})((int){own} & 63);"
        if form == "condition":
            return f"if (({self.term()}) % 3 != 1) {own} = ({self.kind})(({total}) & 63);"
        if form == "skip":
            return f"if (({self.term()}) % 4 == 2) continue; {own} = ({self.kind})(({total}) & 63);"
        if form == "sum":
            read = f" * (int){self.others[0]}[{self.elsewhere()}]" if self.others else ""
            sum_ = self.mixed.unique("sum")
            return (f"int {sum_} = 0; for (int r = 0; r < {self.any(3, 9, self.sizes[-1])}; ++r) {sum_} += (int){self.weights}[{self.loops[-1]} * 9 + r % 9]{read}; "
                    f"{own} = ({self.kind})({sum_} & 63);")
        return f"{own} = ({self.kind})(({total}) & 63);"
