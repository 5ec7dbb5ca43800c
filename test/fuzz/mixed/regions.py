# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parallel regions of a mixed program, and functions with loops of their own or for the team that calls them."""
from .loops import loops_over
from .stores import Store


class Regions:
    def __init__(self, mixed, loops):
        self.mixed, self.random, self.any, self.loops = mixed, mixed.random, mixed.any, loops

    def region(self):
        """Several loops in one region, in a time loop perhaps, and what one thread does between them."""
        mixed, total = self.mixed, self.mixed.unique("total")
        clauses = self.any("", "", " num_threads(2)", " firstprivate(shift)", " default(shared)")
        lines = [f"long {total} = 0; /*keep*/", f"#pragma omp parallel{clauses}", "{"]
        timed = self.any(True, False)
        lines.append(f"for (int t = 0; t < {self.random.randint(1, 3)}; ++t) {{" if timed else "{")
        own = mixed.unique("own")
        lines.append(f"const double {own} = shift * 0.5 + {'t' if timed else '1'}; (void){own};")
        for _ in range(self.random.randint(1, 4)):
            lines.append(self.any(self.one, self.one, self.pair, lambda: self.with_own(own), lambda: self.between(total))())
        if timed and mixed.has("swaps"):
            pair = mixed.swappable()
            if pair:
                lines.append(f"#pragma omp single\n{mixed.swap_text(*pair)}")
        if self.any(True, False):
            store = self.loops.target(flat=True)
            lines.append(f"#pragma omp for reduction(+ : {total}){self.any('', ' schedule(static)')}\n{self.loops.head('i', store.count)} {{ {total} += (long){store.at('i')} % 9; }}")
        lines += ["}", "}", f"printf(\"{total} %ld\\n\", {total});"]
        if mixed.has("macros") and self.any(True, False) and not any("#" in line for line in lines[2:-1]) and not clauses:
            return "\n".join([lines[0], "REGION(", *lines[3:-2], ")", lines[-1]])
        return "\n".join(lines)

    def one(self):
        return self.any(self.loops.line, self.loops.line, self.loops.matrix, self.loops.cube, self.loops.array_sum, self.loops.atomics)("for")

    def pair(self):
        """Two loops without a barrier between them: neither reads what the other writes."""
        values = self.loops.values
        first, second = self.loops.target(flat=True), self.loops.target(flat=True)
        if first is None or first.family == second.family:
            return "#pragma omp barrier"
        values.avoid = {first.family, second.family}
        text = ""
        for store in (first, second):
            body = values.body(store, store.at("i"), [("i", store.count)], outermost=True)
            text += f"#pragma omp for nowait\n{self.loops.head('i', store.count)} {{ {body} }}\n"
        values.avoid = set()
        return text + "#pragma omp barrier"

    def with_own(self, own):
        """A loop that reads a scalar of each thread's own."""
        store = self.loops.target(flat=True)
        return f"#pragma omp for{self.any('', ' schedule(static)')}\n{self.loops.head('i', store.count)} {{ {self.loops.values.assign(store, store.at('i'), f'{own} + i % 7')} }}"

    def between(self, total):
        store = self.loops.target(flat=True)
        some = f"if ({store.count} > 2) {store.at('1')} = 3;"
        return self.any("#pragma omp barrier", f"#pragma omp single\n{{ {total} += 2; {some} }}", f"#pragma omp master\n{{ {total} += 1; {some} }}\n#pragma omp barrier",
                        f"#pragma omp single\n{total} += shift;", f"#pragma omp critical\n{{ (void){total}; }}\n#pragma omp barrier",
                        f"#pragma omp masked\n{total} += 3;\n#pragma omp barrier")

    def counted(self):
        """What each thread of a team does outside of the loops: it shows how many there are, or it must not."""
        mixed, total, mine = self.mixed, self.mixed.unique("count"), self.mixed.unique("mine")
        add, step = mixed.unique("add"), self.random.randint(1, 5)
        mixed.program.functions.append(f"static void {add}(long *to, long x) {{ *to += x; }}")
        reduced = self.any(False, False, True)
        start = self.any("0", "0", "0", str(step))
        lines = [f"long {total} = 0; /*keep*/ /*counts threads*/", f"#pragma omp parallel{f' reduction(+ : {total})' if reduced else ''}", "{", f"long {mine} = {start};"]
        for _ in range(self.random.randint(1, 3)):
            store = self.loops.target(flat=True)
            lines.append(self.any(self.one, lambda s=store: f"#pragma omp for\n{self.loops.head('i', s.count)} {{ {mine} += (long){s.at('i')} % 9; }}")())
            if reduced:
                lines.append(self.any(f"{total} += {mine};", f"{total} += {step};", ""))
            else:
                lines.append(self.any(f"#pragma omp critical\n{total} += {mine};", f"#pragma omp atomic\n{total} += {mine};", f"#pragma omp critical\n{add}(&{total}, {mine});",
                                      f"#pragma omp critical\n{add}(&{total}, {step});", f"#pragma omp atomic\n{total} += {step};", 'printf("a thread\\n");',
                                      f"if ({mine} < -1000000) printf(\"never\\n\");", f"#pragma omp single\n{total} += {step};", ""))
            lines.append(self.any("", f"{mine} = 0;", "#pragma omp barrier"))
        lines += ["}", f"printf(\"{total} %ld\\n\", {total});"]
        return "\n".join(line for line in lines if line)

    # ---------------------------------------------------------------- functions

    def parameter(self, store, name):
        """(declaration, argument, the store as the function sees it) of a store that is passed on."""
        counts, place = store.counts, f"{name}[{{0}}]" + ("" if store.flat else "[{1}]")
        if store.flat:
            if store.kind == "vector" and self.any(True, False):
                return f"std::vector<{store.element}> &{name}", store.name, Store(name, store.element, place, counts, pointer=f"{name}.data()", kind="vector")
            restrict = self.any("", "", " __restrict")
            return f"{store.element} *{restrict} {name}", store.pointer, Store(name, store.element, place, counts, pointer=name)
        if store.kind == "nested":
            return f"std::vector<std::vector<{store.element}>> &{name}", store.name, Store(name, store.element, place, counts, row=f"{name}[{{0}}].data()", kind="nested")
        return f"{store.element} **{name}", store.name, Store(name, store.element, place, counts, row=f"{name}[{{0}}]", kind="table")

    def passed(self):
        """Some stores of different families that can be arguments."""
        fitting = [s for s in self.mixed.stores.all if (s.flat and s.pointer and s.count == "n") or s.kind == "nested" or "table" in s.kind]
        self.random.shuffle(fitting)
        chosen = []
        for store in fitting:
            if store.family not in [s.family for s in chosen]:
                chosen.append(store)
        return chosen[:self.random.randint(1, 3)]

    def made(self):
        """A function that a macro makes."""
        fitting = [s for s in self.mixed.stores.all if s.flat and s.pointer and s.count == "n"]
        pairs = [(a, b) for a in fitting for b in fitting if a.family != b.family and a.element == b.element]
        if not pairs:
            return ""
        (to, source), name = self.random.choice(pairs), self.mixed.unique("made")
        value = self.any("from[i] * 0.5 + to[i] * 0.25", "(int)(from[n - 1 - i]) % 31 + i % 3", "SQUARE((int)(from[i]) % 6)")
        self.mixed.program.functions.append(f"MAKE_STEP({name}, {to.element}, {value})")
        return f"{name}({to.pointer}, {source.pointer}, n);"

    def last(self):
        """A region's loop whose last value all threads read."""
        store, name = self.loops.target(flat=True), self.mixed.unique("last")
        other = self.loops.values.assign(store, store.at("i"), f"{name} + i % 3")
        return (f"double {name} = 2;\n#pragma omp parallel\n{{\n#pragma omp for lastprivate({name})\nfor (int i = 0; i < {store.count}; ++i) "
                f"{{ {name} = (double){store.at('i')} * 0.5 + i % 7; }}\n#pragma omp for\nfor (int i = 0; i < {store.count}; ++i) {{ {other} }}\n}}\n"
                f"printf(\"{name} %.17g\\n\", {name});")

    def function(self, orphan=False):
        mixed, stores, name = self.mixed, self.passed(), self.mixed.unique("g")
        if not stores:
            return ""
        parameters = [self.parameter(store, mixed.unique("p")) for store in stores]
        loops = loops_over(mixed, [p[2] for p in parameters], ordered=False)
        texts = [self.any(loops.line, loops.matrix)("for" if orphan else "parallel for") for _ in range(self.random.randint(1, 2))]
        if not orphan and self.any(True, False):
            texts.append(loops.reduction())
        if orphan and self.any(True, False):
            texts.insert(1, self.any("#pragma omp barrier", "#pragma omp single\n{ globalShift += 1; }"))
        declared = ", ".join([p[0] for p in parameters] + ["int n", "int rows", "int columns", "int shift"])
        mixed.program.functions.append(f"static void {name}({declared}) {{\n(void)n, (void)rows, (void)columns, (void)shift; /*keep*/\n" + "\n".join(texts) + "\n}")
        arguments = ", ".join([p[1] for p in parameters] + ["n", "rows", "columns", "shift"])
        call = f"{name}({arguments});"
        if orphan:
            call = self.any(f"#pragma omp parallel\n{{ {call} }}", f"#pragma omp parallel\n{{ {call}\n{call} }}", f"#pragma omp parallel\nfor (int t = 0; t < 2; ++t) {{ {call} }}", call)
        elif all(p[2].flat and p[2].kind != "vector" for p in parameters) and self.any(True, False):
            parts = ", ".join([f"{p[1]} + 2" for p in parameters] + ["n - 3", "rows", "columns", "1"])
            call += f"\nif (n > 3) {name}({parts});"
        return call

    def orphan(self):
        return self.function(orphan=True)
