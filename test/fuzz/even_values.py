# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of 240 elements, and the values and bodies of loops over them."""

INTEGERS = ["unsigned char", "short", "int", "unsigned", "long", "unsigned long long"]
FLOATS = ["float", "double"]
LENGTH = 240  # elements of every array: 240 = 12 * 20 = 60 * 4
ROWS, COLUMNS = 12, 20


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

class EvenValues:
    """Declares the arrays and makes expressions over them; `program` collects the text."""

    def __init__(self, program):
        self.program, self.random, self.emit = program, program.random, program.emit
        self.choose, self.maybe = program.choose, program.maybe
        self.arrays, self.number = [], 0

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
            self.program.globals.append(f"{managed}static {element} {name}[{ROWS}][{COLUMNS}];")
        elif array.kind == "static":
            self.program.globals.append(f"{managed}{element} {name}[{LENGTH}];")
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
