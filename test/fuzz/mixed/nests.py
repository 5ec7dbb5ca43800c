# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Iterations with long loops inside, which work-groups may share: triangles, loops beside other statements, pivots.

An iteration writes its own row of a matrix and its own elements of two vectors, and reads what it likes of these, of a
matrix and a vector that are only read, and of a row in front of those that the loop over i writes.
"""
from .idioms import Idioms, Part

TEXT = """
typedef struct Gains { double by; int at[2]; } Gains;
static double gained(const Gains *g, double x) { return x * 0.5 + g->by + g->at[1]; }
static double softened(double x, int k) { return k % 3 == 0 ? x * 0.5 : x - k % 4; }
static int restOf(int k) { return k * 7 % 5; }
#define STORE_WITH(T) \\
  static void raise##T(T *at, int by) { *at = (T)((int)*at % 41 + by); } \\
  static void set##T(T *to, int k, double x) { to[k] = (T)x; } \\
  static double item##T(const T *from, int k) { return (double)from[k]; }
STORE_WITH(double) STORE_WITH(float) STORE_WITH(int) STORE_WITH(short) STORE_WITH(char) STORE_WITH(long)
"""

SIZES = ["0", "1", "2", "63", "64", "65", "200", "255", "256", "257", "257", "300", "300"]


class Nests(Part):
    def __init__(self, mixed):
        super().__init__(mixed)
        self.idioms = Idioms(mixed)

    def some(self):
        self.kind = self.any("double", "double", "double", "float", "float", "int", "int", "short", "char", "long")
        self.edge, self.place, self.count = (self.mixed.unique(stem) for stem in ("edge", "place", "count"))
        self.pad, self.isStatic = self.any(0, 0, 0, 1, 3), self.maybe(0.25)
        self.size = self.any(*SIZES[1:]) if self.isStatic else self.any(*SIZES)
        self.outside = self.maybe(0.4)  # variables of loops and numbers are defined in front of the loop, and private
        self.type = self.any("int", "int", "long", "unsigned", "size_t")
        self.open = self.any("", "", "", "", " schedule(static)", " schedule(dynamic, 5)")
        made = self.arrays()
        loops = "\n".join(self.loop() for _ in range(self.random.randint(1, 2)))
        names = {"int": ["j", "k"], "double": ["t", "u", "z"]}
        fronts = "".join(f"{kind} {', '.join(of)};\n" for kind, of in names.items()) if self.outside else ""
        start = self.any("0", "0", f"{self.edge} / 4")
        times = (f"int {self.place} = {start}; {self.place} == 0 || {self.place} < {self.edge}; {self.place} += "
                 f"{self.edge} / {self.random.randint(2, 3)} + 1")
        shown = [("nest", f"{self.edge} * {self.edge}", self.m(f"q / {self.edge}", f"q % {self.edge}"))]
        shown += [(name, self.edge, f"{name}[q]") for name in (self.v, self.w)]
        shows = "".join(f'SHOW("{name}", {count}, {value});\n' for name, count, value in shown)
        shows += f'SHOW("{self.count}", 8, {self.count}[q]);\n'
        arrays = "".join(text for _, text in made)
        known = self.any("const ", "")  # the compiler knows the size, or a launch brings it
        return (f"{{ {known}int {self.edge} = {self.size};\n{arrays}{fronts}for ({times}) {{\n{loops}\n}}\n"
                f"{shows}{self.idioms.end(*made)}\n}}")

    def arrays(self):
        pitch = self.pitch = f"({self.edge} + {self.pad})" if self.pad else self.edge
        whole, array = f"{self.edge} * {pitch}", self.idioms.array
        made = []
        if self.isStatic:
            name, at = self.mixed.unique("x"), f"[{self.size}][{int(self.size) + self.pad}]"
            fill = f"for (int i = 0; i < {self.edge}; ++i) for (int j = 0; j < {pitch}; ++j) "
            made.append((name, f"#pragma ompx managed({name})\nstatic {self.kind} {name}{at}; /*keep*/\n"
                               f"{fill}{name}[i][j] = ({self.kind})((i * 5 + j) % 23); /*keep*/\n"))
        else:
            made.append(array(self.kind, whole, "i * 5 % 23"))
        made.append(array(self.any(self.kind, "double", "int"), whole, "i * 11 % 17"))
        made += [array(self.any(self.kind, "double", "int"), self.edge, f"i % {count}") for count in (19, 7, 13)]
        made.append(array("int", "8", "i"))
        (self.matrix, self.read, self.v, self.w, self.given), self.count = [name for name, _ in made[:5]], made[5][0]
        self.kinds = {name: next(kind for kind in ("double", "float", "int", "short", "char", "long")
                                 if f"{kind} " in text.split("\n")[1] or f"<{kind}>" in text.split("\n")[1])
                      for name, text in made}
        self.at = {name: self.idioms.pointer(name, text) for name, text in made}
        return made

    # ---------------------------------------------------------------- elements

    def m(self, i, j):
        if self.isStatic:
            return f"{self.matrix}[{i}][{j}]"
        return f"{self.matrix}[({i}) * {self.pitch} + {j}]"

    def mine(self, j):
        """An element of the iteration's row."""
        return self.any(self.m("i", j), *[f"row[{j}]"] * 2 * self.hasRow)

    def put(self, kind, target, value):
        if kind in ("double", "float"):
            return self.any(f"{target} = {value} * 0.125 + 1;", f"{target} += {value} * 0.0625 - {target} * 0.5;",
                            f"{target} = ({kind})(({value}) * 0.0625f + {target} * 0.5f);")
        return self.any(f"{target} = ({kind})((long)({value}) % 97);",
                        f"{target} = ({kind})(({target} + (long){value}) % 61);")

    def own(self):
        """An element of the iteration's own, which the loops beside read; its kind."""
        name = self.any(self.v, self.w)
        if self.maybe(0.5):
            return f"{name}[i]", self.kinds[name]
        return self.mine(self.column()), self.kind

    def column(self):
        return self.any(self.place, self.place, "i", "0", f"{self.edge} - 1", f"({self.place} + i) % {self.edge}")

    def number(self, j=None):
        """A value, of an iteration `j` of a loop inside or of what stands around."""
        forms = [f"{name}[i]" for name in (self.v, self.w, self.given)]
        forms += [f"{self.given}[{self.place}]", "i % 5", "2", self.mine(self.pivot)] + ["t", "t", "u"] * self.hasNumber
        forms += ["g.by", "g.at[1]"] * self.hasGains + ["gained(&g, 3)"] * self.givesGains
        called = self.w if self.hasCalls else self.given
        forms += [f"item{self.kinds[called]}({self.at[called]}, i)", f"softened({self.given}[i], (int)i)"]
        if j:
            read = f"{self.read}[(i) * {self.pitch} + {j}]"
            forms += [read] * 3 + [f"{self.read}[{j} * {self.pitch} + i]", f"{self.given}[{j}]", f"{j} % 7"]
            forms += [self.mine(j)]
            forms += [self.m(self.place, j)] * 4 * self.isBehind + [f"softened({read}, (int){j})"]
            forms += [f"item{self.kinds[self.read]}({self.at[self.read]} + i * {self.pitch}, (int){j})"]
        return self.any(*forms)

    def value(self, j=None):
        terms = [self.number(j) for _ in range(self.random.randint(1, 3))]
        if self.maybe(0.2):
            terms.append(f"({self.number(j)} > 4 ? {self.number(j)} : 1)")
        return "(" + " + ".join(terms) + ")"

    # ---------------------------------------------------------------- statements

    def loop(self):
        self.isBehind = self.maybe(0.35)  # the row `place` lies in front of those that the loop writes
        self.hasRow = self.hasGains = self.givesGains = False
        # What keeps an iteration from being shared is in few of them.
        self.hasUpdates, self.hasCalls, self.isFree = self.maybe(0.12), self.maybe(0.2), True
        first, last = f"{self.place} + 1" if self.isBehind else self.any("0", "0", "0", "1"), f"{self.edge}"
        # Where the iteration's own row is read in a loop that writes it, it is mostly one place.
        self.pivot = self.any(self.place, self.place, "i", "0", f"{self.edge} - 1", "i + 1", f"({self.place} - i)")
        last += " - 1" * (self.pivot == "i + 1")
        if self.pivot.startswith("("):
            first, last, self.isBehind = "0", f"lesser({self.place} + 1, {self.edge})", False
        private = self.any(" private(j, k, t, u, z)", " private(j, k) private(t, u, z)") if self.outside else ""
        kind = "int" if "-" in last or "(" in self.pivot else self.type
        head = f"for ({kind} i = {first}; i < ({kind})({last}); {self.any('++i', 'i++', 'i++', 'i += 3')})"
        if kind == "int" and self.maybe(0.2):
            head = f"for (int i = {last} - 1; i >= {first}; {self.any('--i', 'i -= 2')})"
        begin, self.hasNumber = ("t = u = i % 3; j = k = 2; ", True) if self.outside else ("", False)
        if self.maybe(0.4):
            self.hasRow = True
            start = f"&{self.m('i', 0)}" if self.isStatic else f"{self.at[self.matrix]} + i * {self.pitch}"
            begin += f"{self.kind} *row = {start};\n"
        if self.maybe(0.25):
            begin += f"Gains g = {{(double)({self.number()}) * 0.25, {{1, (int)i % 3}}}};\n"
            self.hasGains, self.givesGains = True, self.maybe(0.3)
        makers = [self.part] * self.random.randint(1, 5) + [self.shared]
        self.random.shuffle(makers)
        parts = [make(0) for make in makers]
        text = f"#pragma omp parallel for{private}{self.open}\n{head} {{\n{begin}" + "\n".join(parts)
        if self.outside and self.maybe(0.5):
            target = self.any(self.v, self.w)
            text += "\n" + self.put(self.kinds[target], f"{target}[i]", self.any("j", "k", "(j + k)", "t", "u"))
        return text + "\n}"

    def part(self, depth):
        forms = [self.store] * 4 + [self.scalar] * 2 + [self.shared] * 2 + [self.chosen] * (2 - depth)
        forms += [self.update] * self.hasUpdates
        forms += [self.short, self.around, self.total, self.total] + [self.skip] * (depth == 0) + [self.called] * self.hasCalls + [self.scoped]
        return self.random.choice(forms)(depth) if depth < 2 else self.any(self.store, self.shared, self.total)(depth)

    def store(self, depth=0):
        target, kind = self.own()
        text = self.put(kind, target, self.value())
        return f"if ({self.condition()}) {text}" if self.maybe(0.2) else text

    def condition(self, j="i"):
        return self.any(f"{j} % 3 != 1", f"{j} % 5 == 2", f"{self.given}[i] > 5", f"{self.place} % 2 == 0",
                        f"{j} > {self.place}", f"{self.given}[{j}] < 6 || {j} % 4 == 1")

    def scalar(self, depth=0):
        """A number of the iteration, defined here for what follows, or changed."""
        value = f"{self.value()} * 0.1"
        if not self.hasNumber and not self.outside and depth == 0:
            self.hasNumber = True
            return f"double t = {value}, u = 1.5;"
        if not self.hasNumber and not self.outside:
            return self.store(depth)
        name = self.any("t", "u")
        return self.any(f"{name} = {value};", f"{name} = {name} * 0.25 + {value};", f"{name} += i % 4;",
                        f"if ({self.condition()}) {name} = {value}; else {name} = 3;")

    def skip(self, depth=0):
        extra = self.any(*[""] * 5, self.store() + " ")
        return f"if ({self.condition()}) {{ {extra}continue; }}" if extra else f"if ({self.condition()}) continue;"

    def short(self, depth=0):
        target, kind = self.own()
        body = self.put(kind, target, f"({self.value()} + c)")
        if self.hasNumber and self.maybe(0.4):
            body = "t = t * 0.5 + c;"
        return f"for (int c = 0; c < {self.any('3', '4', '4', 'shift')}; ++c) {{ {body} }}"

    def around(self, depth=0):
        """A loop with few iterations that all go through together."""
        step = self.any("60", f"{self.edge} / 3 + 1", "97")
        inside = [self.part(2) for _ in range(self.random.randint(1, 2))] + [self.shared()]
        self.random.shuffle(inside)
        skip = self.any("", "", "", "", "", f"if ({self.condition('l')}) continue; ")
        return f"for (int l = 0; l < {self.edge}; l += {step}) {{ {skip}" + " ".join(inside) + " }"

    def chosen(self, depth=0):
        other = self.any("", f" else {{ {self.part(depth + 1)} }}", f" else {{ {self.part(2)} {self.part(2)} }}",
                         f" else if (i % 4 == 1) {{ {self.part(2)} }}",
                         f" else if (i % 4 == 1) {{ {self.part(2)} }} else {{ {self.part(2)} }}")
        return f"if ({self.condition()}) {{ {self.part(depth + 1)} {self.part(2)} }}{other}"

    def scoped(self, depth=0):
        """Names that hide others."""
        target, kind = self.own()
        first, second = (self.put(kind, target, "t") for _ in range(2))
        return f"{{ double t = {self.given}[i]; {first} {self.shared()} t += 1; {second} }}"

    def update(self, depth=0):
        return f"\n#pragma omp atomic\n{self.count}[{self.any('i % 8', '3')}] {self.any('+= 2', '-= i % 3')};\n"

    def called(self, depth=0):
        name = self.any(self.v, self.w)
        kind, at = self.kinds[name], self.at[name]
        forms = [f"raise{kind}({at} + i, (int)i % 5);", f"set{kind}({at}, i, softened({self.given}[i], 2));"]
        if self.hasGains:
            forms += [f"g.by = {self.value()} * 0.1;", f"g.at[i % 2] += restOf(i);"]
        if not self.mixed.c:
            before, behind = self.put(kind, "r", self.value()), self.put(kind, "r", "r")
            forms += [f"{{ {kind} &r = {name}[i]; {before} {self.shared()} {behind} }}"]
        return self.any(*forms)

    # ---------------------------------------------------------------- loops that are shared

    def shared(self, depth=0):
        head, j = self.head()
        return f"{head} {{ {self.inner(j)} }}"

    def head(self):
        """A loop along a row, and its variable."""
        edge, place = self.edge, self.place
        first, compare, last = self.any(
            ("0", "<", edge), ("0", "<", edge), ("0", "<", "i"), ("0", "<=", "i"), ("i", "<", edge),
            ("i + 1", "<", edge), (f"{place} + 1", "<", edge), (place, "<", edge), ("0", "<", place),
            ("0", "<=", place), ("i", "<=", f"{edge} - 1"), ("0", "<", f"({edge} & 250)"),
            ("i % 4", "<", f"{edge} - i % 3 * ({edge} > 3)"))
        if self.outside:
            kind, j, cast, start = "", self.any("j", "j", "k"), "int", first
        else:
            kind, j = self.any("int", "int", "int", "long", "unsigned", "size_t"), self.any("j", "j", "j2")
            cast = "" if kind == self.type == "int" else kind
            start = f"({cast})({first})" if cast else first
        end, move = f"({cast})({last})" if cast else last, self.any(*[f"{j}++", f"++{j}"] * 9, f"{j} += 1")
        return f"for ({kind} {j} = {start}; {j} {compare} {end}; {move})", j

    def total(self, depth=0):
        """A loop that adds something up, whose order does not matter, and perhaps stores."""
        head, j = self.head()
        name, kind = self.mixed.unique("total"), self.any("int", "int", "long", "unsigned", "short")
        value = f"({kind})(long)({self.number(j)})"
        forms = [f"{name} += {value} % 7;", f"if ({self.condition(j)}) ++{name};", f"{name} -= {value} % 5;",
                 f"{name} = {name} + {value} % 9 - 1;", f"if ({value} > {name}) {name} = {value};",
                 f"{name} = {value} < {name} ? {value} : {name};", f"{name} ^= {value};", f"{name} |= {value};",
                 f"for (int c = 0; c < 3; ++c) {name} += {value} % 4 + c;", f"{name} = {name} * 3 + {value} % 5;",
                 f"if ({self.condition(j)}) continue; {name} += 2;"]
        forms += [f"{name} *= {value} % 3 + 1;"] * (kind == "unsigned")
        body = self.any(*forms)
        if self.maybe(0.3):
            body += " " + self.put(self.kind, self.mine(j), self.value(j))
        target, own = self.own()
        start = self.any("0", "3", f"({kind}){self.given}[i]")
        return f"{{ {kind} {name} = {start}; {head} {{ {body} }} {self.put(own, target, f'({name} % 13)')} }}"

    def inner(self, j):
        """What an iteration of a shared loop does; now and then what has to be one after the other."""
        target, kind, value = self.mine(j), self.kind, self.value(j)
        put = self.put(kind, target, value)
        skip, read = f"if ({self.condition(j)}) continue; " * self.maybe(0.25), f"{self.read}[i * {self.pitch} + {j}]"
        forms = [f"{skip}{put}"] * 5
        forms += [f"if ({self.condition(j)}) {put}", f"{skip}if ({self.number(j)} < {target}) {put}"]
        forms += [f"if ({self.condition(j)}) {{ {put} }} else {{ {self.put(kind, target, self.value(j))} }}"]
        if self.hasUpdates:
            forms += [f"{put}\n#pragma omp atomic\n{self.count}[{j} & 7] += 1;\n"] * 2
        if self.hasCalls:
            forms += [f"raise{kind}(&{target}, (int){j} % 5);", f"set{kind}(&{target}, 0, softened({read}, (int){j}));"]
        count = self.any("3", self.place, self.edge, "i")
        other = f"{self.read}[p * {self.pitch} + {j}]"
        forms += [f"{skip}double s = {value}; for (int p = 0; p < {count}; p += 50) s += {other}; "
                  + self.put(kind, target, "s")]
        forms += [f"{skip}double s[2] = {{1, (double)({self.number(j)})}}; s[{j} & 1] += {self.number(j)}; "
                  + self.put(kind, target, "(s[0] + s[1])")]
        if self.outside and self.isFree and self.maybe(0.3):
            self.isFree = False
            return f"z = {self.number(j)}; {self.put(kind, target, '(z + 1)')}"
        if self.maybe(0.1):
            forms += [f"{put} " + self.put(self.kinds[self.v], f"{self.v}[i]", "3")]
        return self.any(*forms)
