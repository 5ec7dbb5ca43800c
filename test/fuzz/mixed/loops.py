# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Single loops of a mixed program: over lines and matrices, reductions, atomics, ranges, macros."""
from .values import Values


class Loops:
    """Makes the text of loops over `values.stores`; `directive` is what stands after `omp`."""

    def __init__(self, mixed, values):
        self.mixed, self.random, self.any, self.values = mixed, mixed.random, mixed.any, values

    def head(self, i, count, kinds=("int", "int", "int", "long", "unsigned", "size_t", "short")):
        """A loop whose variable stays in [0, count)."""
        kind, low, step = self.random.choice(kinds), self.random.choice([0, 0, 0, 1, 3]), self.random.choice([1, 1, 1, 2, 3, 7])
        top = f"({kind})({count})" if kind in ("unsigned", "size_t") else count
        move = f"++{i}" if step == 1 else self.any(f"{i} += {step}", f"{i} = {i} + {step}")
        if kind not in ("unsigned", "size_t") and self.random.random() < 0.3:
            back = f"--{i}" if step == 1 else f"{i} -= {step}"
            return f"for ({kind} {i} = {count} - 1; {i} >= {low}; {back})"
        if self.mixed.has("macros") and self.random.random() < 0.4:
            return self.any(f"FOR({kind}, {i}, {low}, {top})", f"FOR({kind}, {i}, {low}, UPTO({top}))", f"FOR_DOWN({i}, {count})")
        return f"for ({kind} {i} = {low}; " + self.any(f"{i} < {top}", f"{top} > {i}", f"{i} <= {top} - 1" if kind not in ("unsigned", "size_t") else f"{i} < {top}") + f"; {move})"

    def clauses(self, directive="parallel for"):
        options = ["schedule(static)", "schedule(dynamic, 3)", "schedule(guided)"] + ["default(shared)", "firstprivate(shift)"] * (directive == "parallel for")
        if directive == "parallel for":
            store = self.target(flat=True)
            some = store.at(0) if store and not self.mixed.has("odd sizes") else "globalShift"
            options += [f"if({some} > 3)", "num_threads(table[0])", "schedule(static, lesser(shift, 3) + 1)", f"num_threads(1 + (int){some} % 3)", f"if((int){some} % 2 == 0) schedule(static)"]
        return " " + self.random.choice(options) if self.random.random() < 0.25 else ""

    def pragma(self, directive, clauses=""):
        if self.mixed.has("macros") and not clauses and self.any(True, False):
            return {"parallel for": "PARALLEL_FOR", "for": "TEAM_FOR"}.get(directive, f"PRAGMA(omp {directive})")
        return f"#pragma omp {directive}{clauses}"

    def target(self, flat=None):
        """A store that may be written."""
        fitting = [s for s in self.values.stores if s.family not in self.values.avoid and (flat is None or s.flat == flat)]
        return self.random.choice(fitting) if fitting else None

    # ---------------------------------------------------------------- loops over elements

    def line(self, directive="parallel for"):
        store = self.target(flat=True)
        if not store:
            return ""
        count, place = store.count, self.any("i", "i", "i", "reverse", "order", "turn")
        at = {"i": "i", "reverse": f"{count} - 1 - i", "turn": f"(i + 3) % {count}",
              "order": "order[i]" if count == "n" and self.values.ordered else "i"}[place]
        body = self.values.body(store, store.at(at), [("i", count)], outermost=True)
        if self.mixed.has("order") and self.any(True, False, False):  # the right side comes first, and changes the index
            body = (f"int c = (int)({at}) - 1; {store.at(self.any('bump(c)', 'bump(&c)', 'c++'))} {self.any('=', '+=')} "
                    f"({store.element})(({self.any('bump(c)', 'bump(&c)')} + 1) % 7);")
        if self.mixed.has("macros") and directive == "parallel for" and self.random.random() < 0.3 and "#pragma" not in body:
            return f"LOOP(i, {count}, {body})"
        if directive == "parallel for" and self.random.random() < 0.15:
            directive = self.any("parallel for simd", "parallel for simd", "target teams distribute parallel for")
            return f"#pragma omp {directive}\n{self.head('i', count)} {{ {body} }}"
        return f"{self.pragma(directive, self.clauses(directive))}\n{self.head('i', count)} {{ {body} }}"

    def around(self):
        """A loop in a lambda of the host's."""
        name = self.mixed.unique("launch")
        return f"auto {name} = [&](int shift) {{\n{self.any(self.line, self.matrix)()}\n}};\n{name}(2);\n{name}(shift);"

    def matrix(self, directive="parallel for"):
        store = self.target(flat=False)
        if not store:
            return self.line(directive)
        high, wide = store.counts
        variables = [("i", high), ("j", wide)]
        form = self.any("collapse", "nest", "nest", "row", "columns") if self.mixed.has("collapse") else self.any("nest", "row", "columns")
        if form == "columns":
            body = self.values.body(store, store.at("i", "j"), [("j", wide), ("i", high)])
            return f"{self.pragma(directive)}\n{self.head('j', wide)} {{ for (int i = 0; i < {high}; ++i) {{ {body} }} }}"
        if form == "row" and store.row:
            row = f"{store.element} *row = {store.row.format('i')};"
            body = self.values.body(store, "row[j]", variables, outermost=False)
            return f"{self.pragma(directive)}\n{self.head('i', high)} {{ {row} for (int j = 0; j < {wide}; ++j) {{ {body} }} }}"
        body = self.values.body(store, store.at("i", "j"), variables, outermost=True)
        if form == "collapse":
            if self.mixed.has("macros") and directive == "parallel for" and self.any(True, False):
                return f"NEST(i, j, {high}, {wide}, {body})"
            return f"{self.pragma(directive + ' collapse(2)')}\n{self.head('i', high)}\n  {self.head('j', wide)} {{ {body} }}"
        inner = self.any(self.head("j", wide), f"for (int j = (int)i % 2; j < {wide}; j += 2)", f"for (int j = 0; j < lesser((int)i + 1, {wide}); ++j)",
                         f"for (int j = {wide}; j-- > 0;)", f"for (int j = clampTo((int)i - 2, 0, {wide}); j < {wide}; ++j)")
        skip = self.any("", "", "if (i % 4 == 1) continue; ")
        return f"{self.pragma(directive, self.clauses(directive))}\n{self.head('i', high)} {{ {skip}{inner} {{ {body} }} }}"

    def cube(self, directive="parallel for"):
        """Three loops as one, with bounds that are no round numbers and steps that go down."""
        cubes = [s for s in self.values.stores if s.kind == "cube" and s.family not in self.values.avoid]
        if not cubes:
            return self.matrix(directive)
        store = self.random.choice(cubes)
        at = "((int)i * columns + (int)j) * 3 + (int)l"
        body = self.values.body(store, store.at(at), [("i", "rows"), ("j", "columns")])
        collapse = self.any("collapse(3)", "collapse(3)", "collapse(2)")
        return (f"{self.pragma(f'{directive} {collapse}')}\n{self.head('i', 'rows')}\n  {self.head('j', 'columns')}\n"
                f"    {self.any('for (int l = 2; l >= 0; l -= 2)', 'for (int l = 0; l < 3; ++l)', 'for (long l = 1; l <= 2; l++)')} {{ {body} }}")

    def ranges(self):
        """Loops over the elements or iterators of a vector."""
        vectors = [s for s in self.values.stores if s.kind == "vector"]
        if not vectors:
            return self.line()
        store = self.random.choice(vectors)
        form, name, put = self.any("range", "range", "iterator", "sum"), store.name, lambda target: self.values.assign(store, target, f"{target} + shift")
        if form == "range":
            skip = self.any("", "if (x > 25) continue; ")
            return f"#pragma omp parallel for\nfor ({self.any('auto', store.element)} &x : {name}) {{ {skip}{put('x')} }}"
        if form == "iterator":
            return f"#pragma omp parallel for\nfor (auto it = {name}.begin(); it {self.any('<', '!=')} {name}.end(); ++it) {{ {put('*it')} }}"
        total = self.mixed.unique("t")
        return f"long {total} = 0;\n#pragma omp parallel for reduction(+ : {total})\nfor (const auto &x : {name}) {total} += (long)x % 13;\nprintf(\"{total} %ld\\n\", {total});"

    # ---------------------------------------------------------------- results

    def reduction(self):
        name, store = self.mixed.unique("r"), self.target(flat=True)
        if not store:
            return ""
        operator = self.any("+", "^", "|", "&&") if not self.mixed.has("extremes") else self.any("max", "min", "max", "min", "+")
        integers = ["int", "long", "unsigned", "short", "unsigned char", "unsigned long long"]
        element = self.any(*integers, "double", "float") if operator in ("max", "min") else self.any("long", "int", "unsigned")
        value = f"({element})" + "(long)" * (element not in ("double", "float")) + f"({self.any(store.at('i'), self.values.value([('i', store.count)]))})"
        action = {"+": f"{name} += (long){store.at('i')} % 50;", "^": f"{name} ^= (int){store.at('i')};", "|": f"{name} |= (int){store.at('i')};",
                  "&&": f"{name} = {name} && {store.at('i')} < 96;", "max": f"if ({value} > {name}) {name} = {value};",
                  "min": self.any(f"{name} = {value} < {name} ? {value} : {name};", f"if ({name} > {value}) {{ {name} = {value}; }}")}[operator]
        if not self.mixed.c and operator in ("max", "min") and self.any(True, False):
            action = f"{name} = std::{operator}({name}, {value});"
        two, second = self.any(("", ""), (f" reduction(+ : {name}b)", f" {name}b += (long){store.at('i')} & 7;"))
        clause = f" reduction({operator} : {name}){two}"
        return (f"{element} {name} = ({element}){self.random.randint(0, 50)}; long {name}b = 0;\n#pragma omp parallel for{clause}\n"
                f"{self.head('i', store.count)} {{ {action}{second} }}\nprintf(\"{name} %.17g %ld\\n\", (double){name}, {name}b);")

    def array_sum(self, directive="parallel for"):
        store = self.target(flat=True)
        if not store:
            return ""
        form = self.any("bins", "local", "nested") if directive == "parallel for" else "bins"
        if form == "bins":
            return (f"#pragma omp {directive} reduction(+ : bins[:16])\n{self.head('i', store.count)} "
                    f"{{ bins[{self.any('i & 15', 'i % 7', '(int)i * 5 % 16')}] += (long){store.at('i')} % 7; }}")
        name, element = self.mixed.unique("h"), self.any("long", "int", "double", "float")
        if form == "nested":
            return (f"{element} {name}[3][5] = {{{{1, 2}}, {{3}}}};\n#pragma omp parallel for reduction(+ : {name})\n{self.head('i', store.count)} "
                    f"{{ {name}[i % 3][i % 5] += ({element})((long){store.at('i')} % 9); }}\nSHOW(\"{name}\", 15, (&{name}[0][0])[q]);")
        operator = self.any("+", "max", "min")
        action = {"+": "+= ({v})", "max": "= {h} > ({v}) ? {h} : ({v})", "min": "= {h} < ({v}) ? {h} : ({v})"}[operator]
        at, value = f"{name}[{self.any('i % 6', 'i & 3', f'lesser((int)i, 5)')}]", f"({element})((long){store.at('i')} % 40)"
        return (f"{element} {name}[6] = {{5, 4, 3, 2, 1}};\n#pragma omp parallel for reduction({operator} : {name})\n{self.head('i', store.count)} "
                f"{{ {at} {action.format(v=value, h=at)}; }}\nSHOW(\"{name}\", 6, {name}[q]);")

    def atomics(self, directive="parallel for"):
        """Updates of bins that several iterations share; what is captured is not used, or summed up."""
        store = self.target(flat=True)
        if not store:
            return ""
        at = self.any(f"(int)((unsigned long)(long){store.at('i')} & 15)", "(int)i * 5 & 15", "i % 3", "(int)((uint64_t)i * 0x9E3779B97F4A7C15u >> 60)")
        form = self.any("update", "update", "unused", "summed", "extreme") if self.mixed.has("captures") else "update"
        if directive != "parallel for" and form == "summed":
            form = "unused"
        if form == "update":
            return f"{self.pragma(directive)}\n{self.head('i', store.count)} {{\n#pragma omp atomic\nbins[{at}] {self.any('+= 1 + (i & 3)', '-= 2', '+= (long)' + store.at('i') + ' % 5')};\n}}"
        if form == "unused":
            return f"{self.pragma(directive)}\n{self.head('i', store.count)} {{ long got = 0;\n#pragma omp atomic capture\ngot = bins[{at}]++;\n(void)got; }}"
        if form == "extreme":
            name = self.mixed.unique("most")
            return (f"long {name} = 0;\n{self.pragma('parallel for')}\n{self.head('i', store.count)} {{\n#pragma omp atomic\n{name} += (long){store.at('i')} % 11;\n}}\n"
                    f"printf(\"{name} %ld\\n\", {name});") if directive == "parallel for" else ""
        name = self.mixed.unique("sum")
        capture = self.any(f"#pragma omp atomic capture\ngot = bins[0]++;", "#pragma omp atomic capture\n{ got = bins[0]; bins[0] += 1; }", "#pragma omp atomic capture\n{ bins[0] += 1; got = bins[0]; }")
        return (f"long {name} = 0;\n#pragma omp parallel for reduction(+ : {name})\n{self.head('i', store.count)} {{ long got;\n{capture}\n{name} += got; }}\n"
                f"printf(\"{name} %ld\\n\", {name});")

    def last(self):
        store, name = self.target(flat=True), self.mixed.unique("last")
        if not store:
            return ""
        return (f"double {name} = -1; int {name}k = 3;\n#pragma omp parallel for lastprivate({name}) firstprivate({name}k){self.any('', ' schedule(static, 2)')}\n"
                f"for (int i = 0; i < {store.count}; ++i) {{ {name} = (double){store.at('i')} + i % 5 + {name}k; }}\nprintf(\"{name} %.17g\\n\", {name});")


def loops_over(mixed, stores, ordered=True):
    return Loops(mixed, Values(mixed, stores, ordered))
