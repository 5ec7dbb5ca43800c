# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops as programs have them, each with arrays of its own: sparse rows, elimination, pairs of writes, views, helpers."""
from .stores import assigned

C_TEXT = """
typedef struct View { double *p; int n; } View;
static double *placeOf(double *a, int i) { return a + i; }
static void put(double *a, int i, double value) { a[i] = value; }
static double sumOf(const double *row, int count) {
  double sum = 0;
  for (int q = 0; q < count; ++q) sum += row[q];
  return sum;
}
static void swapped(double *a, double *b) { const double t = *a; *a = *b; *b = t; }
"""
CXX_TEXT = """
struct Span {
  double *p;
  int n;
  double &operator()(int i) const { return p[i]; }
  double &at(int i) { return p[(i + n) % n]; }
  Span part(int from) const { return {p + from, n - from}; }
};
enum class Colour : unsigned char { red, green, blue };
template <class T>
static std::vector<T> scaled(std::vector<T> values) {
  for (auto &x : values) x = (T)((int)x % 23);
  return values;
}
"""


class Part:
    """Writes loops of one kind for a program."""

    def __init__(self, mixed):
        self.mixed, self.random, self.any = mixed, mixed.random, mixed.any

    def maybe(self, chance):
        return self.random.random() < chance

    def values(self, *named):
        """Numbers by their names; those that the text does not say are not constant."""
        return "".join(f"{self.any('const ', '')}int {name} = {value};\n" for name, value in named)


class Idioms(Part):
    def some(self):
        forms = [self.sparse, self.elimination, self.two_writes, self.choice, self.helpers, self.converging, self.transposed, self.product, self.flags,
                 self.strided, self.view, self.file, self.stencil, self.stencil, self.nest, self.nest, self.counts, self.counts, self.window, self.window, self.planes, self.blocks, self.blocks, self.blocks]
        if not self.mixed.c:
            forms += [self.span, self.pairs, self.colours, self.copies, self.nested_call]
        return self.random.choice(forms)()

    def array(self, element, count, start, name=None):
        """(name, text) of an array of its own with values."""
        name = name or self.mixed.unique("x")
        if not self.mixed.c and self.any(True, False, False):
            made = f"std::vector<{element}> {name}({count});"
        else:
            made = f"{element} *{name} = ({element} *)malloc(sizeof({element}) * ({count} + 1));"
        return name, f"#pragma ompx managed({name})\n{made} /*keep*/\nfor (int i = 0; i < {count}; ++i) {name}[i] = ({element})({start}); /*keep*/\n"

    def pointer(self, name, text):
        return f"&{name}[0]" if "std::vector" in text else name

    def end(self, *made):
        return "\n".join(f"free({name});" for name, text in made if "malloc" in text)

    def element(self):
        return self.any("double", "double", "float", "int", *["_Float16"] * self.mixed.has("half"))

    # ---------------------------------------------------------------- rows of several lengths

    def sparse(self):
        start, columns = self.array("int", "n + 1", "0"), self.array("int", "3 * n", f"(i * {self.any(7, 11, 13)}l + 1) % n")
        values, x, y = (self.array(self.element(), count, text) for count, text in (("3 * n", "i % 7"), ("n", "i % 11"), ("n", "0")))
        y_type = "double" if "double" in y[1] else "float" if "float" in y[1] else "_Float16" if "_Float16" in y[1] else "int"
        body = f"double sum = 0; for (int k = {start[0]}[i]; k < {start[0]}[i + 1]; {self.any('++k', 'k++')}) sum += (double){values[0]}[k] * (double){x[0]}[{columns[0]}[k]]; "
        # Sums of small integers are exact in any order.
        return (start[1] + columns[1] + values[1] + x[1] + y[1]
                + f"for (int i = 0; i < n; ++i) {start[0]}[i + 1] = {start[0]}[i] + i % {self.any(2, 3, 4)}; /*keep*/\n"
                + f"for (int t = 0; t < {self.random.randint(1, 3)}; ++t) {{\n#pragma omp parallel for{self.any('', ' schedule(static)')}\nfor (int i = 0; i < n; ++i) {{ {body}"
                + assigned(self.random, y_type, f"{y[0]}[i]", "sum") + f" }}\n}}\nSHOW(\"sparse\", n, {y[0]}[q]);\n" + self.end(start, columns, values, x, y))

    def elimination(self):
        """Triangles: what a step reads, it does not write."""
        element, size = self.any("double", "float"), self.random.randint(3, 17)
        name = self.mixed.unique("lu")
        at = lambda i, j: f"{name}[{i}][{j}]" if form == "static" else f"{name}[({i}) * {size} + {j}]"
        form = self.any("static", "flat")
        made = f"static {element} {name}[{size}][{size}];" if form == "static" else f"{element} *{name} = ({element} *)malloc(sizeof({element}) * {size * size});"
        fixed = f"{at('k', 'k')} = {at('k', 'k')} * 0.5 + 3;" if self.any(True, False) else ""
        return (f"#pragma ompx managed({name})\n{made} /*keep*/\nfor (int i = 0; i < {size}; ++i) for (int j = 0; j < {size}; ++j) {at('i', 'j')} = i == j ? {size * 4} : (i * 3 + j) % 5; /*keep*/\n"
                f"for (int k = 0; k < {size}; ++k) {{\n{fixed}\n#pragma omp parallel for\nfor (int i = k + 1; i < {size}; ++i) {{ {at('i', 'k')} /= {at('k', 'k')}; "
                f"for (int j = k + 1; j < {size}; ++j) {at('i', 'j')} -= {at('i', 'k')} * {at('k', 'j')}; }}\n}}\n"
                f"SHOW(\"lu\", {size * size}, {at(f'q / {size}', f'q % {size}')});\n" + (f"free({name});" if form == "flat" else ""))

    def transposed(self):
        a, b = self.array("double", "rows * columns", "i % 19"), self.array("double", "rows * columns", "i % 5")
        tile = self.any(2, 3, 5)
        plain = f"for (int j = 0; j < columns; ++j) for (int i = 0; i < rows; ++i) {b[0]}[j * rows + i] = {a[0]}[i * columns + j];"
        tiles = (f"for (int ii = 0; ii < rows; ii += {tile}) for (int jj = 0; jj < columns; jj += {tile}) for (int i = ii; i < LESSER(ii + {tile}, rows); ++i) "
                 f"for (int j = jj; j < LESSER(jj + {tile}, columns); ++j) {b[0]}[j * rows + i] = {a[0]}[i * columns + j] * 0.5 + j;")
        return f"{a[1]}{b[1]}#pragma omp parallel for{self.any('', ' collapse(2)')}\n{self.any(plain, tiles)}\nSHOW(\"turned\", rows * columns, {b[0]}[q]);\n" + self.end(a, b)

    def product(self):
        a, b, c = (self.array(self.any("double", "float"), count, text) for count, text in (("rows * columns", "i % 4"), ("columns * 5", "i % 3"), ("rows * 5", "7")))
        return (f"{a[1]}{b[1]}{c[1]}#pragma omp parallel for{self.any('', ' collapse(2)')}\nfor (int i = 0; i < rows; ++i) for (int j = 0; j < 5; ++j) {{ double sum = 0; "
                f"for (int k = 0; k < columns; ++k) sum += {a[0]}[i * columns + k] * {b[0]}[k * 5 + j]; {c[0]}[i * 5 + j] {self.any('=', '+=')} sum; }}\nSHOW(\"product\", rows * 5, {c[0]}[q]);\n" + self.end(a, b, c))

    def stencil(self):
        """Neighbours in two dimensions, of arrays that change places after each step."""
        kind = self.any("double", "double", "float")
        a, b = self.array(kind, "rows * columns", "i * 5 % 23"), self.array(kind, "rows * columns", "i % 3")
        now, then = self.mixed.unique("now"), self.mixed.unique("then")
        reach = self.any(1, 1, 2)
        offsets = [(i, j) for i in range(-reach, reach + 1) for j in range(-reach, reach + 1)]
        chosen = self.random.sample(offsets, self.random.randint(2, 6))
        form = self.any("inside", "inside", "around", "clamped")
        def at(i, j):
            if form == "around":
                row = f"(i + {i}) % rows" if i >= 0 else f"(i + rows - {-i} % rows) % rows"
                return f"{now}[{row} * columns + " + (f"(j + {j}) % columns]" if j >= 0 else f"(j + columns - {-j} % columns) % columns]")
            if form == "clamped":
                return f"{now}[clampTo(i + {i}, 0, rows - 1) * columns + clampTo(j + {j}, 0, columns - 1)]"
            return f"{now}[(i + {i}) * columns + j + {j}]" if i >= 0 else f"{now}[(i - {-i}) * columns + j + {j}]"
        low = reach if form == "inside" else 0
        value = " + ".join(at(i, j) for i, j in chosen)
        return (f"{a[1]}{b[1]}{{\n{kind} *{now} = {self.pointer(*a)}, *{then} = {self.pointer(*b)};\nfor (int t = 0; t < {self.random.randint(1, 4)}; ++t) {{\n#pragma omp parallel for{self.any('', ' collapse(2)', ' schedule(static)')}\n"
                f"for (int i = {low}; i < rows - {low}; ++i) for (int j = {low}; j < columns - {low}; ++j) {then}[i * columns + j] = ({value}) * {self.any('0.125', '0.25f', '0.1')};\n"
                f"{kind} *hold = {now}; {now} = {then}; {then} = hold;\n}}\n}}\nSHOW(\"stencil\", rows * columns, {a[0]}[q]);\nSHOW(\"other\", rows * columns, {b[0]}[q]);\n" + self.end(a, b))

    def nest(self):
        """Loops in any order over an array, which may have a pitch; sizes may be constants."""
        kind = self.any("double", "float", "int", "short", "unsigned char")
        depth = self.random.randint(2, 3)
        variables = ["i", "j", "k"][:depth]
        sizes = [self.any("rows", "columns", str(self.random.randint(2, 9)), "edge", "edge") for _ in variables]
        order = self.random.sample(range(depth), depth)  # of the index, outermost first
        pads = [self.any(0, 0, 0, 1, 5) for _ in variables]
        index, count = variables[order[0]], f"({sizes[order[0]]})"
        for place in order[1:]:
            pitch = f"({sizes[place]} + {pads[place]})" if pads[place] else sizes[place]
            index, count = f"({index}) * {pitch} + {variables[place]}", f"{count} * {pitch}"
        a, b = self.array(kind, count, "i % 50"), self.array(kind, count, "i % 7")
        at = index if self.any(True, True, False) else f"{count} - 1 - ({index})"
        value = self.any(f"{b[0]}[{at}] + {' + '.join(variables)}", f"{a[0]}[{at}] * 2 + {b[0]}[{index}]", f"{b[0]}[{at}] > 3 ? {a[0]}[{at}] : {variables[-1]}")
        collapse = self.any("", "", f" collapse({self.random.randint(2, depth)})")
        loops = " ".join(f"for (int {v} = 0; {v} < {size}; ++{v})" for v, size in zip(variables, sizes))
        return (f"{{ const int edge = {self.random.randint(3, 40)};\n{a[1]}{b[1]}#pragma omp parallel for{collapse}\n{loops} {a[0]}[{at}] = ({kind})({value});\n"
                f"SHOW(\"nest\", {count}, {a[0]}[q]);\n" + self.end(a, b) + "}")

    def window(self):
        """Loops over what lies around an element, whose size is a constant or changes from launch to launch."""
        kind, sum_ = self.any(("float", "float"), ("double", "double"), ("unsigned char", "int"), ("short", "int"), ("int", "int"))
        a, b, w = self.array(kind, "rows * columns", "i * 5 % 23"), self.array(kind, "rows * columns", "i % 3"), self.array(kind, "99", "i % 5")
        reach = self.mixed.unique("reach")
        fixed = self.any(True, False, False)
        size = str(self.random.randint(0, 2)) if fixed else reach
        first, compare, last = self.any((f"-{size}", "<=", size), ("0", "<", f"2 * {size} + 1"), (f"-{size}", "<", f"{size} + 1"), ("1", "<=", size))
        up = f"for (int K = {first}; K {compare} {last}; {self.any('++K', 'K++', 'K += 1', 'K += 2')})"
        down = f"for (int K = {size}; K >= -{size}; --K)"
        loops = self.any([up], [up], [up, up], [up, down], [f"for (int K = 0; K < {self.any('4', 'shift', f'{size} + 2')}; K++)", down])
        names = ["k", "l"][:len(loops)]
        around = (f"CLAMP(i + {names[0]}, 0, rows - 1) * columns + CLAMP(j{f' - {names[-1]}' if len(names) > 1 else ''}, 0, columns - 1)")
        inner = " ".join(loop.replace("K", name) for loop, name in zip(loops, names))
        weight = f"{w[0]}[{' + '.join(names)} + 40]"
        guard = self.any("", "", "if (i % 3 == 1) continue; ", f"if ({a[0]}[i * columns + j] > 9) {{ {b[0]}[i * columns + j] = 4; continue; }} ")
        body = (f"{guard}{sum_} sum = j % 2; {inner} {self.any(f'sum += {a[0]}[{around}] * {weight};', f'sum = LESSER(sum + {names[0]}, ({sum_}){a[0]}[{around}]);')} "
                f"{b[0]}[i * columns + j] = ({kind})(sum * {self.any('1', '2')});")
        body = body.replace("CLAMP(", "clampTo(")
        return (f"{{ int {reach} = {self.random.randint(0, 3)}; (void){reach};\n{a[1]}{b[1]}{w[1]}for (int t = 0; t < {self.random.randint(1, 6)}; ++t) {{\n"
                f"#pragma omp parallel for{self.any('', '', ' collapse(2)')}\nfor (int i = 0; i < rows; ++i) for (int j = 0; j < columns; ++j) {{ {body} }}\n"
                f"{self.any(f'{reach} = ({reach} + 1) % 4;', '', f'{reach} += 1;')}\n}}\nSHOW(\"window\", rows * columns, {b[0]}[q]);\n" + self.end(a, b, w) + "}")

    def blocks(self):
        """Rows that begin where wide accesses are aligned, or elsewhere: neighbours, products, several stores, variables of their own."""
        kind, pitch = self.any("float", "double", "unsigned char", "short", "int"), self.mixed.unique("pitch")
        length = self.any("4", "8", "12", "16", "24", "columns", "7", "34", "4 * rows")
        a, b, c = (self.array(kind, count, f"i * {m} % {k}") for count, m, k in ((f"(rows + 2) * {pitch}", 5, 23), (f"(rows + 2) * {pitch}", 1, 3), (f"{pitch} * {pitch}", 3, 7)))
        off = self.any(0, 0, 0, 1, 3)
        place = lambda x, i, j: f"{x[0]}[(i + {i}) * {pitch} + j{f' + {j}' if j >= 0 else f' - {-j}'}]"
        def read():
            j = self.any(off, off, off + 1, off - 1)
            return self.any(place(a, self.random.randint(0, 2), j), place(a, 1, j), f"row[j + {j}]" if j >= 0 else f"row[j - {-j}]")
        row = f"const {kind} *row = {self.any(f'{self.pointer(*a)} + (i + 1) * {pitch}', f'&{a[0]}[(i + 1) * {pitch}]')};"
        target = place(b, 1, off)
        value = self.any(" + ".join(read() for _ in range(self.random.randint(1, 4))), f"{read()} * 2 - {read()}", f"{read()} > 5 ? {read()} : i", f"({place(a, 1, off)} + {read()}) / 2")
        store = f"{target} {self.any('=', '=', '+=', '-=')} ({kind})({value});"
        product = self.any(f"{a[0]}[i * {pitch} + k]", f"{a[0]}[k + i * {pitch}]", f"{c[0]}[k * {pitch} + i % {pitch}]", "row[k]")
        body = self.any(store, store, store + f" {place(b, 1, off)} += ({kind})1;", f"{kind} t = {read()}; if (t > 6) t = ({kind})(t - i % 3); {target} = ({kind})(t * 2 + {place(a, 1, off)});",
                        f"{kind} sum = {self.any('0', 'j', target)}; for (int k = {self.any('0', '0', '0', '1', '4')}; k < {self.any(pitch, pitch, '3', f'{pitch} - 1')}; ++k) sum {self.any('+=', '-=')} ({kind})({product} * {c[0]}[k * {pitch} + j]); {place(b, 1, 0)} = sum;",
                        f"{kind} sums[2] = {{0, ({kind})i}}; sums[j % 2] = {read()}; {target} = ({kind})(sums[0] + sums[1] + {read()});")
        first, last = self.any("1", "1", "2", "4"), self.any("4", "4", "5", "8")
        nest = f"for (int i = 0; i < rows; ++i) for ({self.any('int', 'int', 'long')} j = {first}; j < {pitch} - {last}; ++j) {{ {row} {body} }}"
        line = f"for ({self.any('int', 'long')} i = {self.any('0', '1', '5')}; i < {pitch} * rows - 9; ++i) {b[0]}[i + {off}] {self.any('=', '+=')} ({kind})({a[0]}[i + {off}] * 3 + {a[0]}[i + {self.any(off, off + 1)}]);"
        return (f"{{ const int {pitch} = {length};\n{a[1]}{b[1]}{c[1]}for (int t = 0; t < {self.random.randint(1, 2)}; ++t) {{\n#pragma omp parallel for\n{self.any(nest, nest, nest, line)}\n}}\n"
                f"SHOW(\"blocks\", (rows + 2) * {pitch}, {b[0]}[q]);\n" + self.end(a, b, c) + "}")

    def planes(self):
        """One array that holds several of two dimensions, behind or in each other."""
        kind, count = self.any("double", "float", "int"), self.any("3", "5", "9", "shift")
        whole = f"({count}) * rows * columns"
        a, b = self.array(kind, whole, "i % 50"), self.array(kind, whole, "i % 7")
        at = self.any("k * rows * columns + i * columns + j", "(k * rows + i) * columns + j", f"(i * columns + j) * ({count}) + k", f"(i * ({count}) + k) * columns + j")
        loop = f"for (int k = 0; k < {count}; ++k)"
        body = self.any(f"{loop} {a[0]}[{at}] = ({kind})({b[0]}[{at}] * 2 + k);",
                        f"{kind} sum = 0; {loop} sum += {b[0]}[{at}]; {loop} {a[0]}[{at}] = ({kind})({b[0]}[{at}] + sum / 2 + k);",
                        f"{loop} {{ if (k == j % 3) continue; {a[0]}[{at}] += {b[0]}[{at}]; }}")
        return (f"{a[1]}{b[1]}#pragma omp parallel for{self.any('', '', ' collapse(2)')}\nfor (int i = 0; i < rows; ++i) for (int j = 0; j < columns; ++j) {{ {body} }}\n"
                f"SHOW(\"planes\", {whole}, {a[0]}[q]);\n" + self.end(a, b))

    def counts(self):
        """Few elements that many iterations update, by whole numbers."""
        kind = self.any("int", "unsigned", "long", "double", "float", "short")
        bins = self.any("3", "16", "columns", "300")
        h, key = self.array(kind, bins, "i % 3"), self.array(self.any("int", "unsigned char"), "n", "i * 7 % 90")
        whole = kind not in ("double", "float")
        update = self.any("+= 1", "-= 3", "+= i % 4", *(["|= 1 << i % 7", "^= i % 5"] if whole else ["+= 0.5 * (i % 3)"]))
        at = self.any(f"{key[0]}[i] % ({bins})", f"(i * 5) % ({bins})", f"({key[0]}[i] + i) % ({bins})")
        skip = self.any("", "", f"if ({key[0]}[i] % 11 == 4) continue; ")
        update = self.any(f"{h[0]}[{at}] {update};", f"for (int t = 0; t < 3; ++t) {{\n#pragma omp atomic\n{h[0]}[({at} + t) % ({bins})] {update}; }}")
        atomic = "" if update.startswith("for") else "\n#pragma omp atomic\n"
        return f"{h[1]}{key[1]}#pragma omp parallel for\nfor (int i = 0; i < n; ++i) {{ {skip}{atomic}{update} }}\nSHOW(\"counts\", {bins}, {h[0]}[q]);\n" + self.end(h, key)

    # ---------------------------------------------------------------- several arrays, several elements

    def two_writes(self):
        a, b = self.array("double", "2 * n", "i % 19"), self.array(self.element(), "n", "i % 5")
        body = self.any(f"{a[0]}[2 * i] = {b[0]}[i] * 0.5; {a[0]}[2 * i + 1] = i % 7;", f"{a[0]}[i] = (double){b[0]}[i]; {a[0]}[i + n] = {a[0]}[i] + 1;",
                        f"for (int k = 0; k < 2; ++k) {a[0]}[2 * i + k] += k + {b[0]}[n - 1 - i];", f"if (i % 3) {a[0]}[order[i]] = i; else {a[0]}[n + order[i]] = -i;",
                        f"{a[0]}[i] = {a[0]}[i + n]; {b[0]}[i] = i % 9;")
        return f"{a[1]}{b[1]}#pragma omp parallel for\nfor (int i = 0; i < n; ++i) {{ {body} }}\nSHOW(\"two\", 2 * n, {a[0]}[q]);\nSHOW(\"b\", n, {b[0]}[q]);\n" + self.end(a, b)

    def choice(self):
        a, b, c = (self.array("double", "n", f"i % {m}") for m in (5, 6, 7))
        p, q, r = (self.pointer(*x) for x in (a, b, c))
        body = self.any(f"const double *from = i & 1 ? {p} : {q}; {c[0]}[i] = from[(i + 1) % n];", f"double *to = i % 3 ? {r} : {q}; to[i] = {a[0]}[n - 1 - i];",
                        f"const double *at = {p}; at += i; {c[0]}[i] = *at * 0.5;",
                        f"double t = {a[0]}[i]; {a[0]}[i] = {b[0]}[i]; {b[0]}[i] = t;", f"swapped({p} + i, &{b[0]}[i]);")
        return f"{a[1]}{b[1]}{c[1]}#pragma omp parallel for\nfor (int i = 0; i < n; ++i) {{ {body} }}\n" + "".join(f"SHOW(\"{x[0]}\", n, {x[0]}[q]);\n" for x in (a, b, c)) + self.end(a, b, c)

    def helpers(self):
        a, b = self.array("double", "n", "i % 13"), self.array("double", "n", "i % 6")
        p, q = self.pointer(*a), self.pointer(*b)
        body = self.any(f"put({p}, i, *placeOf({q}, n - 1 - i) * 0.5);", f"*placeOf({p}, i) += {b[0]}[i];", f"put({p} + i, 0, sumOf({q}, lesser(i, 5)));", f"double *at = placeOf({p}, i); at[0] = at[0] * 0.5 + i % 3;")
        return f"{a[1]}{b[1]}#pragma omp parallel for\nfor (int i = 0; i < n; ++i) {{ {body} }}\nSHOW(\"helped\", n, {a[0]}[q]);\n" + self.end(a, b)

    def converging(self):
        a, b = self.array("double", "n + 2", "i % 32"), self.array("double", "n + 2", "0")
        p, q = self.mixed.unique("now"), self.mixed.unique("next")
        return (f"{a[1]}{b[1]}{{\ndouble *{p} = {self.pointer(*a)}, *{q} = {self.pointer(*b)}, most = 1;\nfor (int t = 0; t < 9 && most > 0.25; ++t) {{\nmost = 0;\n#pragma omp parallel for reduction(max : most)\n"
                f"for (int i = 1; i <= n; ++i) {{ {q}[i] = ({p}[i - 1] + {p}[i + 1]) * 0.5; const double d = fabs({q}[i] - {p}[i]); {self.any('if (d > most) most = d;', 'most = d > most ? d : most;', 'most = fmax(most, d);')} }}\n"
                f"double *t2 = {p}; {p} = {q}; {q} = t2;\n}}\nprintf(\"%.17g\\n\", most);\nSHOW(\"next\", n + 2, {p}[q]);\n}}\n" + self.end(a, b))

    def flags(self):
        seen, a = self.array(self.any("unsigned char", "char", "short"), "n", "0"), self.array("int", "n", "i % 37")
        name = self.mixed.unique("any")
        return (f"{seen[1]}{a[1]}int {name} = 0;\n#pragma omp parallel for reduction({self.any('|', '||')} : {name})\nfor (int i = 0; i < n; ++i) {{ {seen[0]}[i] = {a[0]}[i] > 20; if ({a[0]}[i] == {self.any(5, 99)}) {name} = 1; }}\n"
                f"printf(\"%d\\n\", {name} != 0);\nSHOW(\"seen\", n, {seen[0]}[q]);\n" + self.end(seen, a))

    def strided(self):
        a, step = self.array(self.element(), "n", "i % 9"), self.mixed.unique("stride")
        return (f"{a[1]}for (int {step} = 1; {step} < n; {step} *= 2) {{\n#pragma omp parallel for\nfor (int i = 0; i < n - {step}; i += 2 * {step}) {a[0]}[i] = ({a[0]}[i] + {a[0]}[i + {step}]) {self.any('/ 2', '* 1')};\n}}\n"
                f"SHOW(\"tree\", n < 9 ? n : 9, {a[0]}[q]);\n" + self.end(a))

    def view(self):
        a, b = self.array("double", "n", "i % 13"), self.array("double", "n", "i % 6")
        names = [self.mixed.unique("view") for _ in range(2)]
        made = "".join(f"View {name}; {name}.p = {self.pointer(*x)}; {name}.n = n;\n" for name, x in zip(names, (a, b)))
        return f"{a[1]}{b[1]}{made}#pragma omp parallel for\nfor (int i = 0; i < {names[0]}.n; ++i) {names[0]}.p[i] = {names[1]}.p[{names[1]}.n - 1 - i] * 0.5 + 1;\nSHOW(\"view\", n, {a[0]}[q]);\n" + self.end(a, b)

    def file(self):
        """System calls read and write the array's memory."""
        a = self.array(self.any("double", "short"), "n", "i % 13")
        p = self.pointer(*a)
        return (f"{a[1]}#pragma omp parallel for\nfor (int i = 0; i < n; ++i) {a[0]}[i] += i % 5;\nif (n > 0) {{ FILE *f = tmpfile(); const size_t wrote = fwrite({p}, sizeof {a[0]}[0], n, f); rewind(f); {a[0]}[0] = 1; "
                f"const size_t got = fread({p}, sizeof {a[0]}[0], n / 2, f); printf(\"%d %d\\n\", (int)wrote, (int)got); fclose(f); }}\n#pragma omp parallel for\nfor (int i = 0; i < n; ++i) {a[0]}[i] += 1;\nSHOW(\"file\", n, {a[0]}[q]);\n" + self.end(a))

    # ---------------------------------------------------------------- C++

    def span(self):
        a, b = self.array("double", "n", "i % 13"), self.array("double", "n", "i % 6")
        to, from_ = self.mixed.unique("to"), self.mixed.unique("from")
        body = self.any(f"{to}(i) = {from_}.at(i - 1) * 0.5;", f"{to}.p[i] += {from_}(n - 1 - i);", f"Span mine = {to}; mine(i) = i % 5 + {from_}(i);", f"{to}.part(i)(0) = {from_}.at(i + 2);")
        return f"{a[1]}{b[1]}Span {to}{{{self.pointer(*a)}, n}}, {from_}{{{self.pointer(*b)}, n}};\n#pragma omp parallel for\nfor (int i = 0; i < n; ++i) {{ {body} }}\nSHOW(\"span\", n, {a[0]}[q]);\n" + self.end(a, b)

    def pairs(self):
        name = self.mixed.unique("pairs")
        body = self.any(f"{name}[i].first += {name}[i].second * 2;", f"auto &[k, w] = {name}[i]; w = w * 0.5f + k; k = i % 7;", f"{name}[i] = {{i % 5, {name}[i].second + 1}};", f"auto p = {name}[i]; p.second += p.first; {name}[i] = p;")
        return (f"#pragma ompx managed({name})\nstd::vector<std::pair<int, float>> {name}(n); /*keep*/\nfor (int i = 0; i < n; ++i) {name}[i] = {{i % 9, i * 0.5f}}; /*keep*/\n"
                f"#pragma omp parallel for\nfor (int i = 0; i < n; ++i) {{ {body} }}\nSHOW(\"pairs\", n, {name}[q].first * 100 + {name}[q].second);")

    def colours(self):
        name = self.mixed.unique("colours")
        return (f"#pragma ompx managed({name})\nColour *{name} = new Colour[n]; /*keep*/\nfor (int i = 0; i < n; ++i) {name}[i] = (Colour)(i % 3); /*keep*/\n#pragma omp parallel for\nfor (int i = 0; i < n; ++i) "
                f"switch ({name}[i]) {{ case Colour::red: {name}[i] = Colour::green; break; case Colour::green: {{ {name}[i] = i & 1 ? Colour::blue : Colour::red; break; }} default: {name}[i] = Colour::red; }}\n"
                f"SHOW(\"colours\", n, (int){name}[q]);\ndelete[] {name};")

    def copies(self):
        """Vectors that are copied, passed by value, returned, grown and shortened."""
        name, other, element = self.mixed.unique("v"), self.mixed.unique("w"), self.element()
        steps = [f"{name} = scaled({name});", f"auto {other} = {name}; for (auto &x : {other}) x = ({element})2; if (n > 2) {name}[1] = {other}[1];", f"{name}.insert({name}.begin(), ({element})3); {name}.pop_back();",
                 f"for (int i = 0; i < 9; ++i) {name}.push_back(({element})i); {name}.resize(n);", f"std::vector<{element}> {other}({name}.rbegin(), {name}.rend()); {name} = {other};",
                 f"std::vector<{element}> {other}(std::move({name})); {name} = std::move({other});", f"{name}.reserve(4 * n);", f"if (n > 2) {{ {name}.erase({name}.begin() + 1); {name}.emplace_back(({element})5); }}",
                 f"std::vector<{element}> {other}(n, ({element})4); {name}.swap({other});"]
        loop = f"#pragma omp parallel for\nfor (int i = 0; i < n; ++i) {name}[i] = ({element})((int){name}[i] % 19 + i % 3);\n"
        return (f"#pragma ompx managed({name})\nstd::vector<{element}> {name}(n); /*keep*/\nfor (int i = 0; i < n; ++i) {name}[i] = ({element})(i % 9); /*keep*/\n" + loop
                + f"{{ {self.any(*steps)} }}\n{loop}{{ {self.any(*steps)} }}\nprintf(\"%d\\n\", (int){name}.size());\nSHOW(\"copies\", n, {name}[q]);")

    def nested_call(self):
        """A library function over each row, and over a part of it."""
        a = self.array("double", "rows * columns", "i * 7 % 19")
        p = self.pointer(*a)
        row = f"{p} + (long)i * columns"
        body = self.any(f"std::fill({row}, {row} + columns / 2, (double)i);", f"{a[0]}[i * columns] = std::accumulate({row}, {row} + columns, 0.0);", f"std::swap({a[0]}[i * columns], {a[0]}[i * columns + columns - 1]);",
                        f"double *row = {row}; std::copy(row, row + columns / 2, row + columns / 2);", f"double *row = {row}; row[0] = *std::max_element(row, row + columns);",
                        f"double tmp[4]; std::fill(tmp, tmp + 4, 2.0); {a[0]}[i * columns] = std::accumulate(tmp, tmp + 4, (double)i);")
        return f"{a[1]}#pragma omp parallel for\nfor (int i = 0; i < rows; ++i) {{ {body} }}\nSHOW(\"library\", rows * columns, {a[0]}[q]);\n" + self.end(a)
