# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops with short loops inside whose number of steps the text says: filters, medians, colours of pixels.

An iteration writes its own elements of two arrays, and reads these and what lies around it in others. What it reads is
spread over several statements, with stores in between. Offsets of elements stay between -low and high.
"""
from .idioms import Idioms, Part

TEXT = """
#define ORDER_WITH(T, NAME) \\
  static void ordered##NAME(T *a, T *b) { const T least = *a < *b ? *a : *b; *b = *a < *b ? *b : *a; *a = least; }
ORDER_WITH(unsigned char, byte) ORDER_WITH(signed char, small) ORDER_WITH(short, short) ORDER_WITH(int, int)
ORDER_WITH(unsigned short, ushort) ORDER_WITH(float, float) ORDER_WITH(double, double) ORDER_WITH(long, long)
static int middle(int a, int b, int c) { return a < b ? (b < c ? b : a < c ? c : a) : a < c ? a : b < c ? c : b; }
"""
CXX_TEXT = """
template <class T>
static void ordered(T &a, T &b) { const T least = std::min(a, b), most = std::max(a, b); a = least; b = most; }
static int marked(unsigned char x) { return 255 - x; }
static int marked(signed char x) { return x / 2; }
static int marked(short x) { return x + 1; }
static int marked(unsigned short x) { return x * 2 + 1; }
static int marked(int x) { return x - 5; }
static int marked(long x) { return (int)x - 7; }
static double marked(float x) { return x * 0.5; }
static double marked(double x) { return x * 0.25; }
"""
NAMES = {"unsigned char": "byte", "signed char": "small", "unsigned short": "ushort"}  # others have their own
REAL = ("float", "double")


class Windows(Part):
    def __init__(self, mixed):
        super().__init__(mixed)
        self.idioms = Idioms(mixed)

    def element(self):
        kinds = ["unsigned char", "unsigned char", "signed char", "short", "unsigned short", "int", "long"]
        kinds += ["float", "float", "float", "double", "double"] + ["bool"] * (not self.mixed.c and self.maybe(0.2))
        return self.any(*kinds)

    def some(self):
        return self.any(self.around, self.around, self.around, self.alike)()

    def around(self):
        self.dims = self.any(1, 1, 2, 2)
        self.low, self.high = self.any(0, 0, 1, 1, 2, 4), self.any(1, 1, 2, 2, 4, 8)
        self.edge = self.any(0, 1, 2, 13, 16, 64, 97, 200, 256, 300, 301)
        if self.dims == 2:
            self.edge = self.any(self.any(0, 1, 2), *[self.low + self.high + self.any(1, 2, 5, 9, 13)] * 5)
        self.wide = self.any(self.any(1, 4, 7, 8, 12), *[self.any(16, 20, 24, 28, 32, 48, 64, 64, 31, 66)] * 5)
        self.n, self.m = self.mixed.unique("tall"), self.mixed.unique("wide")
        self.outside = self.maybe(0.25)  # variables of steps are defined in front of the loop, and private
        self.front = ""
        size = f"{self.n} * {self.m}" if self.dims == 2 else self.n
        self.made = [self.array(self.element(), 1, f"({size}) + 16") for _ in range(2)]
        self.given = [self.array(self.element(), self.any(*[1] * 10, 2, 2, 3, 3, 3, 4, 4, 5), f"({size}) + 16")
                      for _ in range(self.random.randint(1, 2))]
        loops = "\n".join(self.loop() for _ in range(self.random.randint(1, 2)))
        made = [each["made"] for each in self.made + self.given]
        shows = "".join(f'SHOW("{each["of"]}", {size} + 16, {each["of"]}[q]);\n' for each in self.made)
        known = self.any("const ", "")
        outside = "int k, l, x, y;\n" if self.outside else ""
        times = self.random.randint(1, 2)
        return (f"{{ {known}int {self.n} = {self.edge}, {self.m} = {self.wide}; (void){self.m};\n"
                f"{''.join(text for _, text in made)}{''.join(each['front'] for each in self.made + self.given)}"
                f"{self.front}{outside}for (int t = 0; t < {times}; ++t) {{\n{loops}\n}}\n"
                f"{shows}{self.idioms.end(*made)}\n}}")

    # ---------------------------------------------------------------- arrays

    def array(self, kind, stride, count):
        """An array of groups of so many elements, and how loops name it: itself, a pointer into it, or its rows."""
        start = self.any("i * 5 % 23", "i * 11 % 17", "i % 7 + i % 5", *["i * 7 % 19 - 8"] * (kind != "bool"))
        rows = stride > 1 and kind != "bool" and self.maybe(0.3)
        if kind == "bool":
            start = f"({start}) % 3 == 1"
        if rows:
            name = self.mixed.unique("x")
            text = (f"#pragma ompx managed({name})\n{kind} (*{name})[{stride}] = ({kind} (*)[{stride}])"
                    f"malloc(sizeof({kind}) * {stride} * ({count} + 32)); /*keep*/\n"
                    f"for (int i = 0; i < {stride} * ({count} + 32); ++i) {name}[i / {stride}][i % {stride}] = "
                    f"({kind})({start}); /*keep*/\n")
            made = (name, text)
        else:
            whole = f"({stride} * ({count} + 32))"
            made = self.idioms.array(kind, whole, start)
            if kind == "bool":  # no std::vector<bool>, which has no elements
                while "std::vector" in made[1]:
                    made = self.idioms.array(kind, whole, start)
        name, front = made[0], ""
        if not rows and self.maybe(0.3):
            name = self.mixed.unique("p")
            front = f"{kind} *{name} = {self.idioms.pointer(*made)} + {self.any(1, 4, 4, 8, 16, 16)};\n"
        return {"name": name, "of": made[0], "made": made, "front": front, "kind": kind, "stride": stride, "rows": rows}

    def at(self, array, down="", along="", colour="0"):
        """The element that lies so far down and along from the iteration's own."""
        where = f"(i{down}) * {self.m} + j{along}" if self.dims == 2 else f"i{along}"
        if array["rows"]:
            return f"{array['name']}[{where}][{colour}]"
        if array["stride"] > 1:
            stride = self.any(*[array["stride"]] * 9, 1, 2)  # also another one, which is in bounds
            where = self.any(f"{stride} * ({where})", f"({where}) * {stride}") + f" + {colour}" * (colour != "0")
        return f"{array['name']}[{where}]"

    def own(self, array):
        return f"{array['name']}[{self.store}]"

    def put(self, array, value, whole=False):
        """A store of the value, which is a whole number if `whole` says so."""
        kind, target = array["kind"], self.own(array)
        if kind == "bool":
            return self.any(f"{target} = {value} > 30;", f"{target} = (long)({value}) % 3 != 1;")
        if kind in REAL:
            return self.any(f"{target} = {value};", f"{target} = ({kind})({value});", f"{target} += {value};",
                            f"{target} = {value} * 0.25f + {target} * 0.5f;")
        if not whole:
            return f"{target} = ({kind})((long)({value}) % 97);"
        return self.any(f"{target} = ({kind})({value});", f"{target} = ({kind})({value});", f"{target} = {value};",
                        f"{target} = ({kind})({value} / 3);", f"{target} = {value} >> 2;",
                        f"{target} = ({kind})(({target} + {value}) % 61);", f"{target} ^= ({kind})({value});")

    # ---------------------------------------------------------------- steps

    def steps(self, first, last, variable):
        """The head of a loop over these numbers."""
        test, end = self.any(("<", last + 1), ("<=", last))
        up = self.any(f"++{variable}", f"++{variable}", f"{variable}++", f"{variable} += 1")
        if self.outside:
            return f"for ({variable} = {first}; {variable} {test} {end}; {up})"
        kind = self.any("int", "int", "int", "long", *["unsigned", "size_t"] * (first >= 0 and last >= 0))
        if self.maybe(0.04):
            return f"for (int {variable} = {last}; {variable} >= {first}; --{variable})"
        return f"for ({kind} {variable} = {first}; {variable} {test} {end}; {up})"

    def offset(self, variables, least, most):
        """What is added to an index, between two numbers, made of variables (name, first, last)."""
        forms = [(f" + {c}" if c > 0 else f" - {-c}" if c < 0 else "", c, c) for c in (-2, -1, 0, 1, 2)]
        forms = self.random.sample(forms, 2) if variables else forms
        for k, first, last in variables:
            forms += [(f" + {k}", first, last)] * 6 + [(f" - {k}", -last, -first)]
            forms += [(f" + {k} - {c}", first - c, last - c) for c in (1, 1, 2, 3)]
            forms += [(f" + 2 * {k}", 2 * first, 2 * last), (f" + ({k} == 1)", 0, 1), (f" - ({k} == 2)", -1, 0)]
            if first >= 0:
                forms += [(f" + {k} / 3", first // 3, last // 3), (f" + {k} / 2", first // 2, last // 2),
                          (f" + {k} % 3", 0, 2), (f" + {k} % 3 - 1", -1, 1), (f" + {k} / 3 - 1", -1, last // 3 - 1)]
        within = [form for form in forms if form[1] >= least and form[2] <= most]
        # Whole vectors are read where the element beside the one that is stored is among them.
        beside = [form for form in within if form[1] <= self.shift <= form[2]]
        within = beside if beside and self.maybe(0.8) else within
        return self.any(*within)[0] if within else ""

    def read(self, variables):
        """An element of an array that the loop only reads; its kind."""
        array = self.any(*self.given)
        colours = [c for k, first, last in variables if first >= 0 and last < array["stride"] for c in (k, k)]
        colour = self.any(*colours * 3, *map(str, range(array["stride"]))) if array["stride"] > 1 else "0"
        others = [each for each in variables if each[0] != colour]
        down = self.offset(others, -self.low, self.high) if self.dims == 2 else ""
        if array["stride"] > 1 and self.maybe(0.7):
            along = f" + {self.shift}" if 0 < self.shift <= self.high else ""
        else:
            along = self.offset(others[-1:] if self.maybe(0.7) else others, -self.low, self.high)
        text = self.at(array, down, along, colour)
        return text, array["kind"]

    def term(self, variables, whole=False):
        """A product, or a function's value; a whole number if asked to be."""
        text, kind = self.read(variables)
        if whole and kind in REAL:
            text, kind = f"(int){text}", "int"
        coefficients = ["3", "5", "7", "77", "-2", "2", "1", *["0.5f", "-0.25", "1.5f"] * (not whole)]
        for k, first, last in variables:
            # Negative numbers times what has no sign are large: sums of whole numbers alone may have them.
            coefficients += [f"({k} == 1)", *[k, f"({k} - 1)", f"({k} + 1)"] * (whole or self.outside or first < 0)]
            coefficients += [f"((int){k} + 1)"]
        if variables and self.maybe(0.4):
            k, first, last = self.any(*variables)
            place = k if first == 0 else f"{k} + {-first}" if first < 0 else f"{k} - {first}"
            coefficients = [f"{self.taps(last - first + 1, whole)}[{place}]"]
        forms = [f"{self.any(*coefficients)} * {text}"] * 6 + [text] * 2
        if kind in NAMES or kind in ("short", "int"):
            forms += [f"middle({text}, 9, {self.any('4', '12')})", f"lesser({text}, 11)", f"LESSER({text}, 7)"]
        if not self.mixed.c:
            forms += [f"std::{self.any('min', 'max')}({text}, ({kind}){self.any('1', '9')})"]
            forms += [f"std::max(({text}), ({kind})3)"]
            if kind != "bool" and not (whole and kind in REAL):
                forms += [f"marked({text})", f"marked(({text}))"]
        else:
            forms += [f"abs((int){text} - 9)"]
        return self.any(*forms)

    def taps(self, count, whole):
        """A table of coefficients."""
        count = max(count, 1)
        kinds = ["int", "int", "signed char", "unsigned char", "short"] + ["float", "float", "double"] * (not whole)
        kind = self.any(*kinds)
        name = self.mixed.unique("taps")
        quarters = "" if kind not in REAL else ".5f" if kind == "float" else ".25"
        low = 0 if "unsigned" in kind else -3
        numbers = ", ".join(f"{self.random.randint(low, 9)}{quarters}" for _ in range(count))
        made = f"static const {kind} {name}[{count}] = {{{numbers}}};"
        form = self.any("table", "local", "local", "array")
        if form == "table":
            self.mixed.globals.append(made)
        else:
            self.front += (made if form == "local" else made.replace("static ", "")) + "\n"
        return name

    def window(self, most=9):
        """Loops over what lies around: their heads, and the variables."""
        names = self.random.sample(["k", "l"], 1) if self.maybe(0.6) else ["y", "x"]
        ranges = []
        for _ in names:
            first = self.any(0, 0, 0, 0, 1, -1, -1, -self.low, -self.low, -3)
            ranges.append((first, first + self.random.randint(0, most if len(names) == 1 else 4) - 1))
        colours = [each["stride"] for each in self.given if each["stride"] > 1]
        if colours and self.maybe(0.6):
            ranges[-1] = (0, self.any(*colours) - 1)
        heads = [self.steps(first, last, name) for name, (first, last) in zip(names, ranges)]
        if len(names) == 2 and not self.outside and ranges[0][0] >= 0 and ranges[1][0] == 0 and self.maybe(0.3):
            heads[1] = f"for (int x = 0; x <= {self.any('y', '(int)y')}; ++x)"
            heads[0] = self.any("for (int y = 0; y < 3; ++y)", "for (int y = 0; y <= 3; y++)")
            ranges = [(0, 3), (0, 3)]
        return " ".join(heads), [(name, *each) for name, each in zip(names, ranges)]

    # ---------------------------------------------------------------- statements

    def sum(self, name):
        """Adds up what lies around in a variable."""
        whole = self.whole
        kind = self.any("int", "int", "long") if whole else self.any("float", "double", "double")
        head, variables = self.window()
        k = variables[-1][0]
        body = self.any(
            lambda: f"{name} += {self.term(variables, whole)};", lambda: f"{name} += {self.term(variables, whole)};",
            lambda: f"{name} += {self.term(variables, whole)} - {self.term(variables, whole)};",
            lambda: f"const {kind} left = {self.term(variables, whole)}; {name} += left; "
                    f"if ({k} {self.any('==', '!=', '>')} 1) {name} -= {self.term(variables, whole)}; "
                    f"else {{ const {kind} more = left * 2; {name} += more; }}",
            lambda: f"{kind} part = {k} == 0 ? {self.term(variables, whole)} : {self.term(variables, whole)}; "
                    f"part += {self.term(variables, whole)}; {name} += part;",
            lambda: f"if ({k} == 1) {name} += 4; else if ({k} > 1) {name} -= {self.term(variables, whole)};",
            lambda: f"const {kind} part = {self.term(variables, whole)}; if (part > 20) {name} += part;")()
        text = f"{kind} {name} = {self.any('0', '0', '1', '-3')};\n{head} {{ {body} }}"
        if self.maybe(0.3):  # the same variable again
            head, variables = self.window(4)
            text += f"\n{head} {name} += {self.term(variables, whole)};"
        if self.outside and self.maybe(0.5):
            text += f"\n{name} += {variables[0][0]};"
        return text

    def sorted(self, name):
        """An array of the iteration, and what is in its middle."""
        count, kind = self.random.randint(2, 9), self.any(*[each["kind"] for each in self.given])
        kind = "unsigned char" if kind == "bool" else kind
        v, first = f"v{name}", self.any(0, 0, -1)
        k = ("k", first, first + count - 1)
        read, of = self.read([k])
        read = f"({kind})((int){read} & 63)" if of in REAL and kind not in REAL else f"({kind}){read}"
        at = "k + 1" if first else "k"
        text = f"{kind} {v}[{count}];\n{self.steps(first, first + count - 1, 'k')} {v}[{at}] = {read};\n"
        for _ in range(self.random.randint(0, 5)):
            a, b = self.random.sample(range(count), 2)
            forms = [f"ordered{NAMES.get(kind, kind)}(&{v}[{a}], &{v}[{b}]);"]
            forms += [] if self.mixed.c else [f"ordered({v}[{a}], {v}[{b}]);"] * 2 + [f"std::swap({v}[{a}], {v}[{b}]);"]
            text += self.any(*forms) + "\n"
        total = f"{self.steps(0, count - 1, 'l')} {name} += {v}[l] * {self.any('2', '(l + 1)', '3')};"
        number = "double" if kind in REAL else "int"
        self.whole = self.whole and kind not in REAL
        return text + self.any(f"{number} {name} = 0; {total}", f"{number} {name} = {v}[{count // 2}];",
                               f"{number} {name} = {v}[0] + {v}[{count - 1}];")

    def each(self):
        """Stores in each step."""
        array = self.any(*self.made)
        head, variables = self.window(5)
        kind, term = array["kind"], self.term(variables, array["kind"] not in REAL)
        if kind == "bool":
            return f"{self.own(array)} = 0; {head} {self.own(array)} |= {term} > 9;"
        start = self.any(f"{self.own(array)} = {self.any('0', '1')};\n", "")
        if kind not in REAL:
            term = f"({kind})({term})" if kind not in ("int", "long") or self.maybe(0.5) else term
        return f"{start}{head} {self.own(array)} {self.any('+=', '+=', '-=')} {term};"

    def spread(self):
        """Reads of elements beside each other in several statements, with stores in between."""
        parts, first, second = [], *self.random.sample(self.made, 2)
        array = self.any(*self.given)
        a, b = self.mixed.unique("a"), self.mixed.unique("b")
        number = "int" if array["kind"] not in REAL else "double"
        colours = [str(c) for c in range(array["stride"])]
        along = ["", " + 1"]
        if self.shift <= self.high and self.maybe(0.7):
            along = [f" + {self.shift}" if self.shift else ""]
        # What is added to an index may change from statement to statement.
        moves = self.maybe(0.4)
        place, down, beside = self.mixed.unique("q"), "", ""
        if moves:
            down, beside = (f" + {place}", "") if self.dims == 2 else ("", f" + {self.any(4, 16, 16)} * {place}")
            parts.append(f"{self.any('int', 'int', 'long')} {place} = {self.any('0', '1')};")
            along = [f" + {self.shift}" if self.shift else ""]
        along = [""] if len(colours) > 1 else along
        read = lambda: self.at(array, down, beside + self.any(*along), self.any(*colours))
        move = lambda: f"{place} = {self.any('0', '1', f'1 - {place}')};" if moves and self.maybe(0.6) else ""
        whole = number == "int"
        parts.append(f"const {number} {a} = {read()};")
        parts.append(self.put(first, f"({a} * {self.any('3', '2', '77')})", whole))
        parts += [move(), f"{number} {b} = {read()} - {a};", move()]
        if self.maybe(0.6):
            parts.append(self.put(second, f"({b} + 2 * {read()})", whole))
        if self.maybe(0.4):
            parts.append(f"{b} += (int){self.own(first)};")
        parts.append(move())
        if len(colours) > 1:  # all colours
            parts += [f"{b} += {self.at(array, '', '', c)};" for c in colours if self.maybe(0.9)]
        if self.maybe(0.5):
            back = f"(int){self.own(second)}" if second["kind"] in REAL else self.own(second)
            parts.append(self.put(first, f"({back} + {a})", whole))
        parts.append(self.put(self.any(first, second), f"({a} + {b} + {read()})", whole))
        return "\n".join(part for part in parts if part)

    def statement(self):
        form = self.any("sum", "sum", "sum", "sum", "sorted", "each", "each", "spread", "spread")
        if form == "each":
            return self.each()
        if form == "spread":
            return self.spread()
        self.whole, name = self.maybe(0.5), self.mixed.unique("sum")
        text = self.sum(name) if form == "sum" else self.sorted(name)
        return f"{text}\n" + self.put(self.any(*self.made), name, self.whole)

    # ---------------------------------------------------------------- loops

    def head(self, variable, first, last):
        """`last`: how many there are, and what they are less."""
        size, name, less = last
        kind = self.any("int", "int", "int", "long", *["unsigned", "size_t"] * (size >= less))
        end = f"{name} - {less}" if less else name
        if kind in ("unsigned", "size_t", "long"):
            end = f"({kind})({end})" if less or self.maybe(0.5) or kind != "long" else end
        test, end = self.any(("<", end), ("<", end), ("<", end), ("<=", f"{end} - 1"))
        if test == "<=" and kind not in ("int", "long"):
            test, end = "<", end[:-len(" - 1")]
        up = self.any(f"++{variable}", f"{variable}++")
        return f"for ({kind} {variable} = {first}; {variable} {test} {end}; {up})"

    def loop(self):
        first = self.any(0, 0, 1, 3, 4, 4, 5, 8)
        first = max(first, self.low)
        shift = self.shift = self.any(0, 0, 0, 0, 1, 4, 8) if self.dims == 1 else self.any(0, 0, 0, 4, 1)
        more = f" + {shift}" if shift else ""
        self.store = f"i * {self.m} + j{more}" if self.dims == 2 else f"i{more}"
        text = "\n".join(self.statement() for _ in range(self.any(1, 1, 1, 2, 3)))
        private = " private(k, l, x, y)" if self.outside else ""
        skip = "if (i % 3 == 1) continue;\n" if self.maybe(0.05) else ""
        if self.dims == 1:
            head = self.head("i", first, (self.edge, self.n, 0))
            schedule = self.any("", "", " schedule(static)")
            return f"#pragma omp parallel for{private}{schedule}\n{head} {{\n{skip}{text}\n}}"
        collapse = self.any("", "", " collapse(2)")
        heads = self.head("i", self.low, (self.edge, self.n, self.high)) + "\n"
        heads += self.head("j", first, (self.wide, self.m, self.high))
        return f"#pragma omp parallel for{collapse}{private}\n{heads} {{\n{skip}{text}\n}}"

    # ---------------------------------------------------------------- one array of two names

    def alike(self):
        """A function of three arrays, which two or all of its names may be one of."""
        kind, name = self.element(), self.mixed.unique("alike")
        kind = "int" if kind == "bool" else kind
        real, first = kind in REAL, self.any(0, 0, 1, 4, 5, 8)
        number = self.any("double", kind) if real else self.any("int", "int", "long")

        def value():
            read = lambda: self.any("a[i]", "b[i]", "c[i]", "t")
            text = self.any(f"{self.any('3', '5', '-2', '77')} * {read()} - {read()}", f"({read()} + {read()}) / 2",
                            f"{read()} + 1", f"{read()}")
            return f"({kind})(({text}) * 0.5f)" if real else f"({kind})((long)({text}) % 61)"

        parts = [f"{number} t = {self.any('a[i]', 'b[i]', 'c[i]')};"]
        for _ in range(self.random.randint(2, 5)):
            parts.append(self.any(f"{self.any('a', 'b')}[i] = {value()};", f"{self.any('a', 'b')}[i] = {value()};",
                                  f"{self.any('a', 'b')}[i] += {value()};", f"t = {value()};", f"t += {value()};"))
        if self.maybe(0.4):
            target = f"{self.any('a', 'b')}[i]"
            parts.append(f"for (int k = 0; k < {self.any(2, 3, 4)}; ++k) {target} += ({kind})({value()});")
        steps = "\n".join(parts)
        self.mixed.globals.append(
            f"static void {name}({kind} *a, {kind} *b, const {kind} *c, int n) {{\n#pragma omp parallel for\n"
            f"for ({self.any('int', 'long')} i = {first}; i < n; ++i) {{\n{steps}\n}}\n}}")
        n, count = self.mixed.unique("count"), self.any(0, 1, 2, 13, 64, 97, 256, 300)
        made = [self.idioms.array(kind, f"2 * {n} + 16", f"i * {by} % 23") for by in (5, 7)]
        x, y = (self.idioms.pointer(*each) for each in made)
        apart = f"{x} + {n} + {self.any(0, 4, 8, 16)}"
        # Iterations read only what they write themselves: names of one array lead to one element.
        calls = [self.any((x, x, x), (x, y, y), (x, y, x), (x, x, y), (x, apart, apart), (apart, x, x),
                          (f"{x} + 4", y, f"{x} + 4"), (f"{y} + 8", f"{y} + 8", x))
                 for _ in range(self.random.randint(1, 3))]
        texts = "".join(f"{name}({', '.join(each)}, {n});\n" for each in calls)
        shows = "".join(f'SHOW("{each}", 2 * {n} + 16, {each}[q]);\n' for each, _ in made)
        arrays = "".join(text for _, text in made)
        return f"{{ const int {n} = {count};\n{arrays}{texts}{shows}{self.idioms.end(*made)}\n}}"
