# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What was found wrong in real programs: pointers that are compared, loops that a clause makes serial, conditionals
around directives, arrays that are not there, ragged tables, arrays that live for one loop, the best and its place, parts
that the program computes from its threads, long loops."""
from .idioms import Idioms


class Corners(Idioms):
    def some(self):
        forms = [self.ends, self.ends, self.apart, self.carried, self.carried, self.simd, self.conditional, self.absent, self.ragged, self.brief, self.best,
                 self.four_loops, self.globals_read, self.team_of_one, self.linear, self.thread_parts, self.chunks,
                 self.own_parts, self.counted_parts, self.from_below]
        return self.random.choice(forms)()

    def loop(self, head, body, clauses=""):
        """A loop whose directive may stand inside a conditional."""
        directive = f"#pragma omp parallel for{clauses}"
        around = self.any("{0}", "{0}", "{0}", "#ifdef _OPENMP\n{0}\n#endif", "#if defined(_OPENMP) && 1\n{0}\n#else\n#pragma nothing\n#endif")
        return around.format(directive) + f"\n{head} {{ {body} }}\n"

    def ends(self):
        a, out = self.array(self.any("int", "double"), "n + 1", "i % 7"), self.array("long", "n", "0")
        begin, end = self.mixed.unique("begin"), self.mixed.unique("end")
        kind = "int" if "int" in a[1].split(a[0] + "(")[0].split("malloc")[0] else "double"
        test = self.any(f"p < {end}", f"p != {end}", f"{end} > p", f"{end} - p > 0", f"!(p >= {end})")
        body = self.any(f"long s = 0; for (const {kind} *p = {begin} + i; {test} && p < {begin} + i + 3; ++p) s += (long)*p; {out[0]}[i] = s;",
                        f"{out[0]}[i] = ({end} - {begin}) + ({begin} + i < {end}) + ({begin} + i == {end} - 1);",
                        f"const {kind} *p = {begin} + i; {out[0]}[i] = {test} ? (long)*p : -1; if ({begin} != NULL) {out[0]}[i] += {end} - p;")
        return (f"{a[1]}{out[1]}{{\nconst {kind} *{begin} = {self.pointer(*a)}, *{end} = {begin} + n;\n" + self.loop("for (int i = 0; i < n; ++i)", body)
                + f"}}\nSHOW(\"ends\", n, {out[0]}[q]);\n" + self.end(a, out))

    def apart(self):
        """Two parts of one allocation, or two allocations, which are never the same."""
        pool, other, out = self.array("double", "2 * n", "i % 13"), self.array("double", "n", "i % 5"), self.array("long", "n", "0")
        p, q = self.mixed.unique("p"), self.mixed.unique("q")
        second = self.any(f"{self.pointer(*pool)} + n", self.pointer(*other), self.pointer(*pool))
        body = self.any(f"{out[0]}[i] = {p} == {q} ? -1 : (long){q}[i];", f"{p}[i] += 1; {out[0]}[i] = ({p} + i != {q} + i) * 4 + i % 3;")
        return (f"{pool[1]}{other[1]}{out[1]}{{\ndouble *{p} = {self.pointer(*pool)}, *{q} = {second};\n" + self.loop("for (int i = 0; i < n; ++i)", body)
                + f"}}\nSHOW(\"apart\", n, {out[0]}[q]);\nSHOW(\"pool\", 2 * n, {pool[0]}[q]);\n" + self.end(pool, other, out))

    def carried(self):
        """One thread runs these in order, so a value may be carried from one iteration to the next."""
        a = self.array(self.any("long", "int"), "n + 1", "i % 10")
        clause = self.any(" num_threads(1)", " if(n > 100000)", " schedule(static, 100000)", " schedule(dynamic, 100000)", " schedule(guided, 100000)", " if(0) schedule(static, 1)")
        body = self.any(f"{a[0]}[i] = ({a[0]}[i] + {a[0]}[i - 1]) % 97;", f"{a[0]}[i] += {a[0]}[i - 1] & 15;", f"if ({a[0]}[i - 1] % 3) {a[0]}[i] = {a[0]}[i - 1] + 1 - {a[0]}[i] % 2;")
        return f"{a[1]}" + self.loop("for (int i = 1; i < n; ++i)", body, clause) + f"SHOW(\"carried\", n, {a[0]}[q]);\n" + self.end(a)

    def team_of_one(self):
        a = self.array("long", "n + 1", "i % 10")
        region = self.any("num_threads(1)", "if(0)", "if(n > 100000)")
        return (f"{a[1]}#pragma omp parallel {region}\n{{\n#pragma omp for{self.any('', ' schedule(dynamic)', ' nowait')}\nfor (int i = 1; i < n; ++i) {a[0]}[i] = ({a[0]}[i] + {a[0]}[i - 1]) % 89;\n}}\n"
                f"SHOW(\"one\", n, {a[0]}[q]);\n" + self.end(a))

    def linear(self):
        """A variable that goes with the iterations, by the clause or counted by the body."""
        a, k, step = self.array("long", "n", "i % 10"), self.mixed.unique("k"), self.random.randint(-4, 5)
        counted = self.any("", f" {k} += {step};")
        head = self.any("for (int i = 0; i < n; ++i)", "for (int i = n - 1; i >= 0; --i)", "for (long i = 1; i < n; i += 2)")
        # Clang 19 counts backwards in 32 unsigned bits, and has 4294967283 for -13 in a long.
        kind = self.any("int", "short", "unsigned", "int" if step < 0 else "long")
        return (f"{a[1]}{kind} {k} = {self.random.randint(0, 9)};\n"
                + self.loop(head, f"{a[0]}[i] = {a[0]}[i] * 2 + {k} % 11;{counted}", f" simd linear({k} : {step}){self.any('', ' schedule(static, 3)')}")
                + f"SHOW(\"linear\", n, {a[0]}[q]);\nprintf(\"k %ld\\n\", (long){k});\n" + self.end(a))

    def thread_parts(self):
        """Each thread has as many iterations, and a part of its own that these give each other values in."""
        part, threads, same = self.array("long", "n + 64", "1"), self.mixed.unique("threads"), self.mixed.unique("same")
        width = self.random.randint(2, 9)
        index = self.any(f"i / {width}", f"i * {threads} / ({width} * {threads})")
        return (f"{part[1]}{{\nconst int {threads} = omp_get_max_threads();\n"
                + self.loop(f"for (int i = 0; i < {width} * {threads}; ++i)", f"{part[0]}[{index}] = ({part[0]}[{index}] * 3 + i % {width}) % 1009;", self.any("", " schedule(static)"))
                + f"int {same} = 1;\nfor (int q = 1; q < {threads}; ++q) {same} &= {part[0]}[q] == {part[0]}[0];\nprintf(\"parts %ld %d\\n\", (long){part[0]}[0], {same});\n}}\n" + self.end(part))

    def chunks(self):
        """Values are given on within a chunk whose size is computed."""
        a, b, size = self.array("int", "n", "i % 10"), self.array("long", "n", "0"), self.mixed.unique("chunk")
        made = self.any(f"const int {size} = {self.random.randint(1, 9)};", f"int {size} = n / {self.random.randint(2, 7)} + 1;", f"int {size} = 3; {size} += shift % 3 + 2;")
        kind = self.any("static", "static", "dynamic", "guided")
        if kind == "guided":  # the last chunk is smaller only
            made = f"const int {size} = n + 1;"
        return (f"{a[1]}{b[1]}{{\n{made}\n" + self.loop("for (int i = 0; i < n; ++i)", f"{b[0]}[i / {size}] = ({b[0]}[i / {size}] * 3 + {a[0]}[i]) % 1009;", f" schedule({kind}, {size})")
                + f"}}\nSHOW(\"chunks\", n, {b[0]}[q]);\n" + self.end(a, b))

    def thread_count(self):
        """(in front of the region, in it) what makes a variable of the number of threads."""
        name = self.mixed.unique("count")
        return (name, *self.any(("", f"const int {name} = omp_get_num_threads();"), (f"int {name} = 0;", f"#pragma omp single\n{name} = omp_get_num_threads();"),
                                (f"int {name} = 1;", f"#pragma omp master\n{{ {name} = omp_get_num_threads(); }}\n#pragma omp barrier")))

    def own_parts(self):
        """Threads take their parts by their numbers, beside loops that are shared out for them."""
        a, b, sums = self.array("long", "n", "i % 10"), self.array(self.any("long", "double"), "n", "0"), self.array("long", "64", "0")
        me, part, (count, before, within) = self.mixed.unique("me"), self.mixed.unique("part"), self.thread_count()
        loop = self.any(f"for (int i = (int)((long)n * {me} / {count}); i < (int)((long)n * ({me} + 1) / {count}); ++i)", f"for (int i = {me}; i < n; i += {count})",
                        f"const int {part} = (n + {count} - 1) / {count};\nfor (int i = {me} * {part}; i < lesser(n, ({me} + 1) * {part}); ++i)")
        own = self.any(f"{b[0]}[i] = {a[0]}[n - 1 - i] * 2;", f"{b[0]}[i] = {a[0]}[i] + i % 3; {sums[0]}[{me}] += {a[0]}[i];")
        if self.any(True, False):
            loop = f"#pragma omp for{self.any('', ' schedule(static)', ' schedule(dynamic, 3)')}\nfor (int i = 0; i < n; ++i)"
        shared = f"#pragma omp for{self.any('', ' schedule(static)')}\nfor (int i = 0; i < n; ++i) {a[0]}[i] = ({a[0]}[i] * 3 + {{}}) % 1009;"
        return (f"{a[1]}{b[1]}{sums[1]}{{\nlong total = 0;\n{before}\n#pragma omp parallel{self.any('', '', ' num_threads(2)')}\n{{\n{within}\nconst int {me} = omp_get_thread_num();\n(void){count};\n"
                f"{shared.format('i % 7')}\n{loop} {{ {own} }}\n#pragma omp barrier\n" + self.any("", shared.format(f"(int){b[0]}[i] % 5")) + "\n}\n"
                f"for (int q = 0; q < 64; ++q) total += {sums[0]}[q];\nprintf(\"total %ld\\n\", total);\n}}\nSHOW(\"own\", n, {b[0]}[q]);\nSHOW(\"shared\", n, {a[0]}[q]);\n" + self.end(a, b, sums))

    def counted_parts(self):
        """In a region: a static schedule gives each thread a part whose iterations give each other values."""
        part, same, width = self.array("long", "n + 64", "1"), self.mixed.unique("same"), self.random.randint(2, 9)
        count, before, within = self.thread_count()
        size, function, all_of = self.mixed.unique("size"), self.mixed.unique("partOf"), self.mixed.unique("threads")
        self.mixed.program.functions.append(f"static int {function}(int all, int threads) {{ return (all + threads - 1) / threads; }}")
        made = self.any(f"const int {size} = {width};", f"const int {size} = {width} * {count} / {count};", f"const int {size} = {function}({width} * {count}, {count});")
        body = f"{part[0]}[i / {size}] = ({part[0]}[i / {size}] * 3 + i % {width}) % 1009;"
        return (f"{part[1]}{{\n{before}\nint {all_of} = 0;\n#pragma omp parallel\n{{\n{within}\n{made}\n#pragma omp single\n{all_of} = {count};\n"
                f"#pragma omp for{self.any('', ' schedule(static)', ' nowait')}\nfor (int i = 0; i < {width} * {count}; ++i) {{ {body} }}\n}}\n"
                f"int {same} = 1;\nfor (int q = 1; q < {all_of}; ++q) {same} &= {part[0]}[q] == {part[0]}[0];\nprintf(\"counted %ld %d\\n\", (long){part[0]}[0], {same});\n}}\n" + self.end(part))

    def from_below(self):
        """Loops that carry values and start below 0, or go over nearly all numbers of their type."""
        a, step = self.array(self.any("long", "int"), "n + 64", "i % 10"), self.mixed.unique("step")
        kind, made, head, at, count = self.any(
            ("int", f"const int {step} = 1000000000 / (n + 30) * 2;", f"i = -1000000000; i < 1000000000; i += {step}", f"(int)((i + 1000000000l) / {step})", "n + 64"),
            ("int", f"const int {step} = n / 2;", f"i = -{step}; i < n - {step}; ++i", f"(i + {step})", "n"),
            ("long", f"const long {step} = 4000000000000l / (n + 30);", f"i = 2000000000000l; i > -2000000000000l; i -= {step}", f"(int)((2000000000000l - i) / {step})", "n + 64"),
            ("unsigned", f"const unsigned {step} = 4000000000u / (n + 30u);", f"i = 0; i < 4000000000u; i += {step}", f"(int)(i / {step})", "n + 64"),
            ("short", f"const int {step} = lesser(n, 30000) / 3;", f"i = (short)-{step}; i < lesser(n, 30000) - {step}; ++i", f"(i + {step})", "n"))
        body, clause = self.any(
            (f"{a[0]}[{at} + 1] = ({a[0]}[{at} + 1] + {a[0]}[{at}]) % 97;", self.any(" num_threads(1)", " schedule(static, 100000)", " schedule(dynamic, 100000)", " if(0)")),
            (f"{a[0]}[{at} / 4] = ({a[0]}[{at} / 4] * 3 + {at} % 5) % 1009;", self.any(" schedule(static, 4)", " schedule(dynamic, 8)", " schedule(static, 1000)")))
        return (f"{a[1]}if (n > 0) {{\n{made}\n" + self.loop(f"for ({kind} {head})", body, clause) + f"}}\nSHOW(\"below\", n, {a[0]}[q]);\n" + self.end(a))

    def simd(self):
        a, b = self.array("int", "n * 4", "i % 9"), self.array("long", "n", "0")
        inner = self.any("#pragma omp simd reduction(+ : s)\nfor (int k = 0; k < 4; ++k) s += {0}[i * 4 + k];",
                         "#pragma omp simd\nfor (int k = 0; k < 4; ++k) {0}[i * 4 + k] += k;\ns = {0}[i * 4 + 3];",
                         "#pragma omp simd safelen(4)\nfor (int k = 0; k < 4; ++k) {0}[i * 4 + k] = {0}[i * 4 + k] % 5 + i % 3;").format(a[0])
        return (f"{a[1]}{b[1]}#pragma omp parallel for\nfor (int i = 0; i < n; ++i) {{ long s = 0;\n{inner}\n{b[0]}[i] = s; }}\n"
                f"SHOW(\"simd\", n, {b[0]}[q]);\nSHOW(\"lanes\", n * 4, {a[0]}[q]);\n" + self.end(a, b))

    def conditional(self):
        """Conditionals between directive, head and body."""
        a = self.array("double", "n", "i % 23")
        form = self.any("#ifdef _OPENMP\n#pragma omp parallel for\n#endif\nfor (int i = 0; i < n; ++i) {{\n#ifdef EXTRA\n{0}[i] = 0;\n#else\n{0}[i] += i % 3;\n#endif\n}}\n",
                        "#pragma omp parallel for\n#ifdef EXTRA\nfor (int i = 1; i < n; ++i) {{\n#else\nfor (int i = 0; i < n; ++i) {{\n#endif\n{0}[i] *= 0.5;\n}}\n",
                        "#if 0\n#pragma omp parallel for num_threads(7)\n#elif 1\n#pragma omp parallel for \\\n  schedule(static)\n#endif\nfor (int i = 0; i < n; ++i) {0}[i] += 2;\n",
                        "#pragma omp parallel\n{{\n#ifdef _OPENMP\n#pragma omp for\n#endif\nfor (int i = 0; i < n; ++i) {{ {0}[i] = i % 4; }}\n}}\n")
        return a[1] + form.format(a[0]) + f"SHOW(\"conditional\", n, {a[0]}[q]);\n" + self.end(a)

    def absent(self):
        a, none = self.array("double", "n", "i % 11"), self.mixed.unique("none")
        body = self.any(f"{a[0]}[i] += {none} ? {none}[i] : 1;", f"if ({none} != NULL) {none}[i] = {a[0]}[i]; {a[0]}[i] *= 0.5;", f"if (shift > 100) {a[0]}[i] = {none}[i] + 1; else {a[0]}[i] += {none} == NULL;")
        return f"{a[1]}{{\nint *{none} = NULL;\n" + self.loop("for (int i = 0; i < n; ++i)", body) + f"}}\nSHOW(\"absent\", n, {a[0]}[q]);\n" + self.end(a)

    def ragged(self):
        """Rows of several lengths, each with an allocation of its own."""
        name, length = self.mixed.unique("rag"), self.any("i % 4 + 1", "rows - i", "(i * 7) % 5 + 1")
        return (f"#pragma ompx managed({name})\nint **{name} = (int **)malloc(sizeof(int *) * (rows + 1)); /*keep*/\nfor (int i = 0; i < rows; ++i) {name}[i] = (int *)malloc(sizeof(int) * ({length})); /*keep*/\n"
                f"for (int i = 0; i < rows; ++i) for (int j = 0; j < {length}; ++j) {name}[i][j] = (i + j) % 7; /*keep*/\n"
                f"#pragma omp parallel for\nfor (int i = 0; i < rows; ++i) for (int j = 0; j < {length}; ++j) {name}[i][j] = {name}[i][j] * 2 + j;\n"
                f"for (int i = 0; i < rows; ++i) SHOW(\"ragged\", {length}, {name}[i][q]);\nfor (int i = 0; i < rows; ++i) free({name}[i]);\nfree({name});")

    def brief(self):
        """Arrays that live for one loop, again and again."""
        kept, name = self.array("double", "n", "0"), self.mixed.unique("brief")
        made, freed = self.any((f"double *{name} = (double *)malloc(sizeof(double) * (n + t));", f"free({name});"), (f"double *{name} = (double *)calloc(n + 1, sizeof(double));", f"free({name});"))
        if not self.mixed.c and self.any(True, False):
            made, freed = self.any((f"double *{name} = new double[n + 1];", f"delete[] {name};"), (f"std::vector<double> {name}(n + t);", ""))
        return (f"{kept[1]}for (int t = 1; t < {self.random.randint(3, 30)}; ++t) {{\n#pragma ompx managed({name})\n{made}\n#pragma omp parallel for\nfor (int i = 0; i < n; ++i) {name}[i] = i % 5 + t;\n"
                f"#pragma omp parallel for\nfor (int i = 0; i < n; ++i) {kept[0]}[i] += {name}[n - 1 - i];\n{freed}\n}}\nSHOW(\"kept\", n, {kept[0]}[q]);\n" + self.end(kept))

    def best(self):
        """The greatest element, and of several the first."""
        a, best, at = self.array(self.any("double", "int"), "n", "i * 37 % 101"), self.mixed.unique("best"), self.mixed.unique("at")
        return (f"{a[1]}double {best} = -1; int {at} = -1;\n#pragma omp parallel for\nfor (int i = 0; i < n; ++i) {{\n#pragma omp critical\n{{ if ({a[0]}[i] > {best} || ({a[0]}[i] == {best} && i < {at})) {{ {best} = {a[0]}[i]; {at} = i; }} }}\n}}\n"
                f"printf(\"best %g %d\\n\", {best}, {at});\n" + self.end(a))

    def four_loops(self):
        a = self.array("int", "rows * columns * 6", "i % 7")
        return (f"{a[1]}#pragma omp parallel for collapse({self.any(3, 4, 4)})\nfor (int i = 0; i < rows; ++i) for (int j = 0; j < columns; ++j) for (int k = 0; k < 3; ++k) for (int l = 0; l < 2; ++l) "
                f"{a[0]}[((i * columns + j) * 3 + k) * 2 + l] += i % 3 + l;\nSHOW(\"four\", rows * columns * 6, {a[0]}[q]);\n" + self.end(a))

    def globals_read(self):
        """A function that the loop calls reads a global, which the host changes between two launches."""
        a, function, variable = self.array("long", "n", "i % 5"), self.mixed.unique("readsGlobal"), self.mixed.unique("global")
        self.mixed.globals.append(f"static int {variable} = 2;\nstatic long {function}(long x) {{ return x * {variable} + globalShift; }}")
        return (f"{a[1]}for (int t = 0; t < 2; ++t) {{\n#pragma omp parallel for\nfor (int i = 0; i < n; ++i) {a[0]}[i] = {function}({a[0]}[i]) % 1000;\n{variable} += t + 1;\n}}\n"
                f"SHOW(\"globals\", n, {a[0]}[q]);\n" + self.end(a))
