# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The part of a generated program whose arrays have odd sizes: none, one, primes, large; matrices of odd shapes.

All indexes are taken modulo the size or clamped to it, so every form is valid for every size; a loop over no elements
computes no index. Loops write elements of their own, or update them atomically by whole numbers.
"""

HEAD = """
struct Cell {
  float weight;
  int marks[2];
  double level;
  double total() const { return level + marks[0] - marks[1]; }
};
static long mixed(long a, long b) { return (a * 5 + b * 3 + 7) % 89; }
template <class T>
static T blend(T a, T b) { return static_cast<T>((static_cast<double>(a) + static_cast<double>(b)) / 2); }
static double near(const double *values, int at, int count) { return values[at] + values[(at + 1) % count]; }
static void checkCells(const char *name, const Cell *cells, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += (i % 13 + 1) * (cells[i].total() + cells[i].weight);
  std::printf("%s %.17g\\n", name, sum);
}
template <class T>
static void checkSized(const char *name, const T *values, int count) {
  if (count > 0) check(name, values, count);
}
"""

MESH = """
struct Mesh {
  int size;
  double *u, *v;
  std::vector<float> w;
  Mesh(int n, double *first, double *second) : size(n), u(first), v(second), w(n + 1) {}
  Mesh(const Mesh &) = delete;
  double &operator()(int i) { return u[i]; }
  double edge(int i) const { return v[i] + w[i]; }
  void smooth(double factor) {
#pragma omp parallel for
    for (int i = 0; i < size; ++i) v[i] = (u[i] + u[(i + 1) % size]) * factor;
  }
  double sum() const {
    double total = 0;
#pragma omp parallel for reduction(max : total)
    for (int i = 0; i < size; ++i) total = std::max(total, std::floor(v[i]) + i % 3);
    return total;
  }
};
"""


class Sized:
    """Arrays s0.. of `count` elements each, cells of as many, a matrix of high x wide, and loops over them."""

    def __init__(self, program):
        self.program, self.random = program, program.random
        self.count = self.random.choice([0, 1, 2, 3, 7, 31, 97, 1009, 4096, 65537] + [self.random.randint(4, 700)] * 3)
        self.high, self.wide = (self.random.choice([0, 1, 2, 5, 13, 31, 64]) for _ in range(2))
        self.names, self.types, self.number = [], {}, 0
        self.meshed, self.mesh_place = False, 0

    def any(self, *options):
        return self.random.choice(options)

    def unique(self, stem):
        self.number += 1
        return f"{stem}{self.number}"

    # ---------------------------------------------------------------- storage

    def declare(self):
        emit = self.program.emit
        emit(f"const int count = {self.count} + 0 * argc, high = {self.high}, wide = {self.wide}; (void)high; (void)wide; /*keep*/")
        types = self.random.choices(["double", "double", "float", "int", "long", "unsigned char", "short"],
                                    k=self.random.randint(2, 4))
        for i, kind in enumerate(["double", *types]):
            name = f"s{i}"
            self.names.append(name)
            self.types[name] = kind
            emit(f"#pragma ompx managed({name})\n" + self.any(
                f"{kind} *{name} = new {kind}[count]; /*keep*/", f"{kind} *{name} = ({kind} *)std::malloc(sizeof({kind}) * (count + 1)); /*keep*/",
                f"std::vector<{kind}> {name}(count); /*keep*/"))
            emit(f"for (int i = 0; i < count; ++i) {name}[i] = ({kind})((i * {self.random.randint(1, 60)}l + {i}) % 83); /*keep*/")
        emit("#pragma ompx managed(order)\nint *order = new int[count]; /*keep*/")
        emit("for (int i = 0; i < count; ++i) order[i] = i; /*keep*/")
        emit("for (long i = 1; i < count; ++i) std::swap(order[i], order[i * 7919 % (i + 1)]); /*keep*/")
        emit("#pragma ompx managed(cells)\nCell *cells = new Cell[count]; /*keep*/")
        emit("for (int i = 0; i < count; ++i) { cells[i].weight = i % 9; cells[i].marks[0] = i % 7; cells[i].marks[1] = i % 5; cells[i].level = i % 11; } /*keep*/")
        emit("#pragma ompx managed(matrix)\ndouble *matrix = new double[high * wide]; /*keep*/")
        emit("for (int i = 0; i < high * wide; ++i) matrix[i] = i % 17; /*keep*/")
        emit("#pragma ompx managed(bins)\nlong *bins = new long[16]; /*keep*/\nfor (int i = 0; i < 16; ++i) bins[i] = i; /*keep*/")
        self.mesh_place = len(self.program.body)

    def checks(self):
        for name in self.names:
            self.program.emit(f'checkSized("{name}", &{name}[0], count);' if self.count else f'std::printf("{name}\\n");')
        self.program.emit('checkCells("cells", cells, count);\ncheckSized("matrix", matrix, high * wide);\ncheck("bins", bins, 16);')

    # ---------------------------------------------------------------- expressions

    def at(self, variable="i"):
        k = self.random.randint(0, 5)
        return self.any(variable, variable, f"({variable} + {k}) % count", f"std::min({variable} + {k}, count - 1)",
                        f"count - 1 - {variable}", f"order[{variable}]", f"{variable} / 2", f"std::max({variable} - {k}, 0)",
                        f"{variable} >= {k} ? {variable} - {k} : {variable}", "count / 2",
                        f"(int)((long){variable} * {self.any(3, 7, 11)} % count)")

    def value(self, written, variable="i"):
        """A double from arrays other than `written`, which may be read at the iteration's own element only."""
        others = [n for n in self.names if n not in written]
        terms = []
        for _ in range(self.random.randint(1, 3)):
            form = self.any("array", "array", "array", "cell", "call", "blend", "near", "own")
            if form == "cell" and "cells" not in written:
                terms.append(self.any(f"cells[{self.at(variable)}].level", f"cells[{self.at(variable)}].marks[{variable} & 1]",
                                      f"cells[{self.at(variable)}].total()", f"cells[{variable}].weight"))
            elif form == "call" and others:
                terms.append(f"mixed((long){self.any(*others)}[{self.at(variable)}], {variable})")
            elif form == "blend" and others:
                name = self.any(*others)
                terms.append(f"blend({name}[{self.at(variable)}], {name}[{variable}])")
            elif form == "near" and "s0" in others:
                terms.append(f"near(&s0[0], {self.at(variable)}, count)")
            elif others:
                terms.append(f"{self.any(*others)}[{self.at(variable)}]")
        return " + ".join(f"(double)({t})" for t in terms) or "1.5"

    def store(self, name, at, value):
        if self.types[name] in ("double", "float"):
            return f"{name}[{at}] = ({self.types[name]})(({value}) * {self.any('0.25', '0.5', '0.3')} + {self.random.randint(0, 7)});"
        return f"{name}[{at}] = ({self.types[name]})((long)({value}) % 83);"

    # ---------------------------------------------------------------- loops; `directive` is for a region's loops

    def head(self, directive):
        step = self.any("++i", "++i", "++i", f"i += {self.any(2, 3, 64)}")
        clauses = self.any("", "", " schedule(static)", " schedule(dynamic, 5)")
        return f"#pragma omp {directive}{clauses}\n" + self.any(
            f"for (int i = 0; i < count; {step})", f"for (int i = {self.random.randint(0, 4)}; i <= count - 1; {step})",
            "for (int i = count - 1; i >= 0; --i)")

    def map(self, directive="parallel for"):
        name = self.any(*self.names)
        at = self.any("i", "i", "i", "order[i]", "count - 1 - i", "(i + 3) % count")
        body = self.store(name, at, self.value([name]))
        form = self.any("plain", "plain", "if", "inner", "scratch")
        if form == "if":
            body = f"if ({self.any('i % 3 == 1', '(i ^ shift) & 2', 'i > count / 3')}) {{ {body} }}"
        elif form == "inner":
            body = f"double sum = 0; for (int k = 0; k < {self.any('3', 'i % 5', '1 + (i & 3)')}; ++k) sum += k * 0.5; {self.store(name, at, 'sum + ' + self.value([name]))}"
        elif form == "scratch":
            body = f"int tmp[4]; for (int k = 0; k < 4; ++k) tmp[k] = i + k; {self.store(name, at, 'tmp[i & 3] % 50 + ' + self.value([name]))}"
        self.program.emit(f"{self.head(directive)} {{ {body} }}")

    def update(self, directive="parallel for"):
        name = self.any(*self.names)
        self.program.emit(f"{self.head(directive)} {{ {self.store(name, 'i', f'{name}[i] + ' + self.value([name]))} }}")

    def cells(self, directive="parallel for"):
        body = self.any(f"cells[i].level = ({self.value(['cells'])}) * 0.5;", f"cells[i].marks[{self.any('0', '1', 'i & 1')}] = (int)({self.value(['cells'])}) % 50;",
                        f"Cell c = cells[i]; c.weight = (float)(c.total() * 0.25); c.marks[1] = i % 9; cells[i] = c;",
                        "Cell &c = cells[i]; c.level = c.weight + c.marks[0];")
        self.program.emit(f"{self.head(directive)} {{ {body} }}")

    def atomics(self, directive="parallel for"):
        name = self.any(*self.names)
        bin_ = self.any(f"(int)((unsigned long)(long){name}[i] & 15)", "(i * 5) & 15", "order[i] % 16")
        self.program.emit(f"{self.head(directive)} {{\n#pragma omp atomic{self.any('', ' update')}\n"
                          f"{self.any(f'bins[{bin_}] += 1 + (i & 3)', f'++bins[{bin_}]', f'bins[{bin_}] -= 2')};\n}}")

    def array_reduction(self, directive="parallel for"):
        name = self.any(*self.names)
        head = self.head(f"{directive} reduction(+ : bins[:16])")
        self.program.emit(f"{head} {{ bins[(i * 3) & 15] += (long){name}[i] % 7; }}")

    def reduction(self):
        name, result = self.any(*self.names), self.unique("q")
        operator = self.any("+", "max", "min", "^")
        action = {"+": f"{result} += (long){name}[i] % 50;", "max": f"{result} = std::max({result}, (long)({self.value([])}));",
                  "min": f"if ((long){name}[i] < {result}) {result} = (long){name}[i];", "^": f"{result} ^= (long){name}[i];"}[operator]
        self.program.emit(f"long {result} = {self.random.randint(0, 90)};\n{self.head(f'parallel for reduction({operator} : {result})')} {{ {action} }}\n"
                          f'std::printf("{result} %ld\\n", {result});')

    def matrix(self, directive="parallel for"):
        inner = self.any("j = 0; j < wide", "j = i % 2; j < wide", "j = 0; j <= std::min(i, wide - 1)")
        collapse = self.any("", " collapse(2)") if inner == "j = 0; j < wide" else ""
        row = self.any(False, False, not collapse)
        at = "row[j]" if row else "matrix[i * wide + j]"
        value = self.any("i * 0.5 + j", "s0[(i + j) % count]" if self.count else "j", f"{at} * 0.5 + 1", f"mixed(i, j) + {at} * 0.25")
        head = f"#pragma omp {directive}{collapse}\nfor (int i = 0; i < high; ++i)"
        loop = f"for (int {inner}; ++j) {at} = {value};"
        self.program.emit(f"{head} {{ double *row = matrix + (long)i * wide; {loop} }}" if row else f"{head}\n  {loop}")

    def columns(self, directive="parallel for"):
        self.program.emit(f"#pragma omp {directive}\nfor (int j = 0; j < wide; ++j)\n"
                          "  for (int i = 1; i < high; ++i) matrix[i * wide + j] = matrix[i * wide + j] * 0.5 + matrix[(i - 1) * wide + j] * 0.25;")

    def swap(self):
        same = [(a, b) for a in self.names for b in self.names if a < b and self.types[a] == self.types[b]]
        if not same:
            return
        first, second = self.any(*same)
        kinds = [next(line for line in self.program.body if f" {n} = " in line or f" *{n} = " in line or f" {n}(count)" in line) for n in (first, second)]
        if ("vector" in kinds[0]) != ("vector" in kinds[1]) or ("malloc" in kinds[0]) != ("malloc" in kinds[1]):
            return
        self.program.emit(self.any(f"std::swap({first}, {second});", f"{{ auto t = std::move({first}); {first} = std::move({second}); {second} = std::move(t); }}"))

    def mesh(self, directive="parallel for"):
        """Arrays that are members: through the object, a pointer to it, its operators and its methods."""
        if not self.meshed:
            self.program.functions.append(MESH)
            self.meshed = True
            self.program.body.insert(self.mesh_place, "#pragma ompx managed(meshU)\ndouble *meshU = new double[count + 1](); /*keep*/\n"
                                          "#pragma ompx managed(meshV)\ndouble *meshV = new double[count + 1](); /*keep*/\n"
                                          "Mesh mesh(count, meshU, meshV), *mp = &mesh; (void)mp; /*keep*/")
        name = self.any("mesh.u", "mp->u", "mesh.v", "mp->v", "mesh.u", "mp->v", "mesh.w")
        value = self.any(f"mesh.size * 0.5 + {self.value([])}", self.value([]), f"{name}[i] * 0.5f + 1")
        own = "mesh.v" if name.endswith("u") else "mesh.u"
        body = self.any(f"{name}[i] = {value};", f"{name}[i] = {own}[{self.at()}] * 0.5 + i % 3;",
                        f"mesh(i) = mesh.edge({self.at()}) * 0.5;", "(*mp)(i) += 1.5;")
        self.program.emit(f"{self.head(directive).replace('count', self.any('count', 'mesh.size', 'mp->size'))} {{ {body} }}")
        if directive != "for":
            self.program.emit(self.any("mesh.smooth(0.5);", "std::swap(mesh.u, mesh.v);", 'std::printf("%.17g\\n", mesh.sum());',
                                       'std::printf("%.9g %.9g\\n", mesh.u[mesh.size / 2], (double)mesh.w[mesh.size / 2]);', ""))

    def private_swap(self):
        """Every thread swaps pointers of its own between the loops of a region."""
        steps = self.random.randint(1, 4)
        self.program.emit("{\n#pragma ompx managed(spare)\ndouble *spare = new double[count + 1](); /*keep*/\n#pragma omp parallel\n{\n"
                          f"double *from = &s0[0], *to = spare;\nfor (int t = 0; t < {steps}; ++t) {{\n#pragma omp for{self.any('', ' schedule(static)')}\n"
                          f"for (int i = 0; i < count; ++i) to[i] = from[{self.at()}] * 0.5 + t;\n"
                          f"{self.any('double *hold = from; from = to; to = hold;', 'std::swap(from, to);')}\n}}\n}}\n"
                          'std::printf("%.17g\\n", spare[count / 2]);\ndelete[] spare; /*keep*/\n}')

    def function(self):
        """A loop in a function of pointers, called with whole arrays and with parts of them."""
        name, kind = self.unique("g"), self.types["s0"]
        self.program.functions.append(
            f"static void {name}({kind} *to, const int *order, int count, int shift) {{\n#pragma omp parallel for\n"
            f"  for (int i = 0; i < count; ++i) to[{self.any('i', 'order[i] % 1 + i', 'count - 1 - i')}] += shift + i % 3;\n}}")
        self.program.emit(f"{name}(&s0[0], order, count, shift);" if self.count else f"{name}(nullptr, order, 0, shift);")
        if self.count > 2:
            self.program.emit(f"{name}(&s0[0] + 1, order, count - 2, 1);")

    def orphaned(self):
        """An `omp for` in a function, called by a team and by one thread."""
        name = self.unique("o")
        self.program.functions.append(
            f"static void {name}(double *to, const double *from, int count) {{\n#pragma omp for\n"
            f"  for (int i = 0; i < count; ++i) to[i] = from[{self.any('i', '(i + 1) % count', 'count - 1 - i')}] * 0.5 + i % 4;\n}}")
        self.program.emit("{\n#pragma ompx managed(spare)\ndouble *spare = new double[count + 1](); /*keep*/\n"
                          f"#pragma omp parallel\n{{ {name}(spare, &s0[0], count); {name}(&s0[0], spare, count); }}\n{name}(spare, &s0[0], count);\n"
                          'std::printf("%.9g\\n", spare[count / 2]);\ndelete[] spare; /*keep*/\n}')

    def region(self):
        """One parallel region with several loops, a time loop, and what one thread does between them."""
        emit = self.program.emit
        total = self.unique("w")
        emit(f"long {total} = 0; /*keep*/\n#pragma omp parallel{self.any('', ' num_threads(2)', ' default(shared)')}\n{{")
        timed = self.any(True, False)
        emit(f"for (int t = 0; t < {self.random.randint(1, 3)}; ++t) {{" if timed else "{")
        for _ in range(self.random.randint(1, 4)):
            self.any(self.map, self.map, self.update, self.cells, self.matrix, self.columns, self.atomics, self.mesh)("for")
            if self.any(True, False, False):
                emit(self.any("#pragma omp barrier", f"#pragma omp single\n{total} += 2;", f"#pragma omp master\n{{ {total} += 1; }}\n#pragma omp barrier",
                              self.private(), f"#pragma omp critical\n{{ (void){total}; }}"))
        if self.any(True, False):
            name = self.any(*self.names)
            emit(f"#pragma omp for reduction(+ : {total})\nfor (int i = 0; i < count; ++i) {total} += (long){name}[i] % 9;")
        emit(f"}}\n}}\nstd::printf(\"{total} %ld\\n\", {total});")

    def private(self):
        """A scalar of the region's own, which its next loop reads."""
        name = self.unique("p")
        return f"const double {name} = shift + 0.5;\n#pragma omp for nowait\nfor (int i = 0; i < count; ++i) cells[i].weight = (float)({name} * (i % 7));\n#pragma omp barrier"

    def host(self):
        if not self.count:
            return
        name = self.any(*self.names)
        kind, half = self.types[name], self.count // 2
        place = self.random.randint(0, self.count - 1)
        self.program.emit(self.any(
            f"{name}[{place}] = 5;", f"std::memset(&{name}[0], 0, {half} * sizeof({kind}));", f"std::sort(&{name}[0], &{name}[0] + count);",
            f"std::copy(&{name}[0], &{name}[0] + {half}, &{name}[0] + (count - {half}));", f"std::reverse(&{name}[0], &{name}[0] + count);",
            f"std::printf(\"%g\\n\", (double){name}[{place}]);", "std::reverse(order, order + count);", "cells[count / 2].marks[1] += 3;",
            f"for (int i = 1; i < count; ++i) {name}[i] = ({kind})((long)({name}[i] + {name}[i - 1]) % 83);", "bins[3] = 4;"))

    def write(self):
        """Declares the arrays and writes some loops, host code and checks."""
        self.declare()
        forms = [self.map, self.map, self.map, self.update, self.cells, self.cells, self.atomics, self.array_reduction, self.reduction,
                 self.reduction, self.matrix, self.matrix, self.columns, self.swap, self.function, self.orphaned, self.region, self.region, self.mesh, self.mesh, self.private_swap]
        for _ in range(self.random.randint(4, 8)):
            steps = self.random.randint(2, 4)
            self.program.emit(f"for (int step = 0; step < {steps}; ++step) {{" if self.any(True, False, False) else "{")
            for _ in range(self.random.randint(1, 3)):
                self.random.choice(forms)()
                if self.any(True, False):
                    self.host()
            self.program.emit("}")
        self.checks()
