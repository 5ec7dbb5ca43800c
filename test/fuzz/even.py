# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The part of a generated program whose arrays have 240 elements: loops over them and host code in between."""
from even_values import COLUMNS, LENGTH, ROWS, Array, EvenValues


class Even(EvenValues):
    # ---------------------------------------------------------------- loops

    def clauses(self):
        options = [self.choose("schedule(static)", "schedule(dynamic, 3)", "schedule(guided)"), "num_threads(2)",
                   self.choose("if(n > 1000)", "if(n > 10)"), "firstprivate(shift)", "default(shared)"]
        return "".join(" " + clause for clause in options if self.maybe(0.15))

    def head(self, variable):
        """A loop over some of [0, n): its head, and the bounds of the values that it takes."""
        low = self.random.randint(0, 5)
        high = self.random.randint(low, LENGTH) if self.maybe(0.15) else LENGTH - self.random.randint(0, 5)
        step = self.choose(1, 1, 1, 2, 3, 7)
        kind = self.choose("int", "int", "int", "long", "unsigned", "size_t", "short")
        top = f"n - {LENGTH - high}"
        up = {
            "less": f"{variable} < {top}", "lessEqual": f"{variable} <= {top} - 1", "flipped": f"{top} > {variable}",
            "notEqual": f"{variable} != ({kind}){high}",
        }
        relation = self.choose(*up)
        if relation == "notEqual":
            step = 1
        if kind in ("unsigned", "size_t") or not self.maybe(0.25):
            if kind in ("unsigned", "size_t"):
                up = {key: text.replace("n -", f"({kind})n -") for key, text in up.items()}
            move = self.choose(f"{variable} += {step}", f"{variable} = {variable} + {step}") if step > 1 else f"++{variable}"
            return f"for ({kind} {variable} = {low}; {up[relation]}; {move})", low, high
        move = f"{variable} -= {step}" if step > 1 else f"--{variable}"
        return f"for ({kind} {variable} = {top} - 1; {variable} >= {low}; {move})", low, high

    def loop_1d(self):
        array = self.pick()
        head, low, high = self.head("i")
        target_index = self.choose("i", "i", "i", f"{LENGTH - 1} - i", "perm[i]")
        body = self.body_lines(array, array.at(target_index), "i", low, high, [array])
        self.emit(f"#pragma omp parallel for{self.clauses()}\n{head} {{ {body} }}")

    def loop_2d(self):
        array = self.pick()
        collapse = self.choose("", " collapse(2)")
        inner = "0" if collapse else self.choose("0", "0", "i % 2", "i", "std::min(i, 4)")
        step = "j += 2" if inner == "i % 2" else "++j"
        body = self.body_lines(array, array.at2("i", "j"), "i * columns + j", 0, LENGTH, [array])
        rows, columns = self.choose("rows", str(ROWS), "rows - 1"), self.choose("columns", str(COLUMNS), "columns - 2")
        self.emit(f"#pragma omp parallel for{collapse}{self.clauses()}\n"
                  f"for (int i = {self.choose(0, 1)}; i < {rows}; ++i)\n"
                  f"  for (int j = {inner}; j < {columns}; {step}) {{ {body} }}")

    def loop_stencil(self):
        array = self.pick()
        source = self.pick(without=[array])
        if source is array:
            return
        points = [source.at2("i - 1", "j"), source.at2("i + 1", "j"), source.at2("i", "j - 1"), source.at2("i", "j + 1")]
        body = self.store(array, array.at2("i", "j"), " + ".join(self.random.sample(points, self.random.randint(2, 4))))
        self.emit(f"#pragma omp parallel for{self.clauses()}\nfor (int i = 1; i < rows - 1; ++i)\n"
                  f"  for (int j = 1; j < columns - 1; ++j) {body}")

    def loop_columns(self):
        """The parallel loop runs over columns, the recurrence over rows."""
        array = self.pick()
        body = self.store(array, array.at2("i", "j"), f"{array.at2('i', 'j')} + {array.at2('i - 1', 'j')}")
        self.emit(f"#pragma omp parallel for{self.clauses()}\nfor (int j = 0; j < columns; ++j)\n"
                  f"  for (int i = 1; i < rows; ++i) {body}")

    def loop_red_black(self):
        array = self.pick()
        body = self.store(array, array.at2("i", "j"), f"{array.at2('i', 'j - 1')} + {array.at2('i', 'j + 1')}")
        self.emit(f"for (int colour = 0; colour < 2; ++colour) {{\n#pragma omp parallel for\n"
                  f"  for (int i = 1; i < rows - 1; ++i)\n    for (int j = 1 + (i + colour) % 2; j < columns - 1; j += 2) {body}\n}}")

    def inner_head(self, variable, top, outer):
        """A loop inside the body over some of [0, top), in one of the forms that people write."""
        step = self.choose(1, 1, 2, 3, 5)
        move = {1: f"++{variable}"}.get(step, f"{variable} += {step}")
        back = {1: f"--{variable}"}.get(step, f"{variable} -= {step}")
        return self.choose(
            f"for (int {variable} = 0; {variable} < {top}; {move})",
            f"for (int {variable} = {top} - 1; {variable} >= 0; {back})",
            f"for (int {variable} = {top}; {variable}-- > 0;)",
            f"for (int {variable} = std::min({outer}, {top}); {variable} < {top}; {move})",
            f"for (int {variable} = 0; {variable} < std::min({outer} + 1, {top}); {move})",
            f"for (int {variable} = std::max({outer} - 2, 0); {variable} <= std::min({outer} + 2, {top} - 1); {move})",
            f"for (int {variable} = 1 + ({outer} + shift) % 2; {variable} < {top}; {variable} += 2)",
            f"for (int {variable} = {outer} / 2; {variable} < std::min<int>({top}, {outer} + 3); {move})",
            f"for (int {variable} = {outer} & 3; {variable} < {top} - ({outer} & 1); {move})",
            f"for (size_t {variable} = {step}; {variable} < (size_t)({top}) / 2; {move})",
            f"for (int {variable} = {top} - 1; {variable} > std::abs({outer} - 4) % {top}; {back})",
            f"for (int {variable} = 1; {variable} < {top}; {variable} *= 2)",
            f"for (int {variable} = {top} - 1; {variable} > 0; {variable} >>= 1)",
            f"for (unsigned {variable} = {outer} % 3; {variable} < (unsigned){top}; {move})")

    def loop_inner(self):
        """Rows of a matrix, parts of them in inner loops."""
        array = self.pick()
        lines = ""
        for _ in range(self.random.randint(1, 2)):
            at = self.choose("i * columns + j", "(i * columns) + columns - 1 - j", "i * columns + (j + 3) % columns")
            if self.maybe(0.3):
                at = self.choose("k = i * columns + j, k", "(int)(i * columns + j)")
            body = self.body_lines(array, array.at(at), "i * columns + j", 0, LENGTH, [array])
            if self.maybe(0.3):
                body = f"if (j > 0) {{ {body} }}"
            head = self.inner_head("j", "columns", "i")
            lines += f"  {head} {{ {body} }}\n"
        self.emit(f"#pragma omp parallel for{self.clauses()}\nfor (int i = 0; i < rows; ++i) {{ int k = 0; (void)k;\n{lines}}}")

    def loop_tiles(self):
        array = self.pick()
        tile, collapse = self.choose("4", "7", "shift + 1"), self.choose("", " collapse(2)")
        body = self.body_lines(array, array.at2("i", "j"), "i * columns + j", 0, LENGTH, [array])
        self.emit(f"#pragma omp parallel for{collapse}{self.clauses()}\nfor (int ii = 0; ii < rows; ii += {tile})\n"
                  f"  for (int jj = 0; jj < columns; jj += {tile})\n"
                  f"    for (int i = ii; i < std::min(ii + {tile}, rows); ++i)\n"
                  f"      for (int j = jj; j < (jj + {tile} < columns ? jj + {tile} : columns); ++j) {{ {body} }}")

    def loop_flat(self):
        """One loop over all elements, rows and columns by division."""
        array = self.pick()
        kind = self.choose("int", "int", "size_t", "long")
        source = self.read([array], "idx", 0, LENGTH)
        target = self.choose(array.at("i * columns + j"), array.at("idx"), array.at("i * columns + columns - 1 - j"),
                             array.at("j * rows + i"))
        value = self.store(array, target, f"{source} + (double)i * 2 + (double)j")
        self.emit(f"#pragma omp parallel for{self.clauses()}\nfor ({kind} idx = 0; idx < n; ++idx) {{\n"
                  f"  const {kind} i = idx / columns, j = idx % columns;\n"
                  f"  if (i >= {self.choose(0, 1)}) {{ {value} }}\n}}")

    def loop_scaled(self):
        """Strided, reversed and scaled indexes of writes."""
        array = self.pick()
        form = self.choose(("2 * i", "n / 2"), ("2 * i + 1", "n / 2"), ("3 * i + k", "n / 3"), ("n - 1 - 2 * i", "n / 2"),
                           ("(i + shift) % n", "n"), ("(i * 7) % n", "n"), ("i ^ 1", "n"), ("i / 3 * 3 + 2 - i % 3", "n"),
                           ("j * rows + i", "rows"), ("(rows - 1 - i) * columns + j", "rows"))
        at, top = form
        body = self.store(array, array.at(at), f"{array.at(at)} + {self.read([array], 'i', 0, LENGTH // 3 if top != 'n' else LENGTH)}")
        if "k" in at.replace("rows", ""):
            body = f"for (int k = 0; k < 3; ++k) {{ {body} }}"
        if "j" in at:
            body = f"for (int j = 0; j < columns; ++j) {{ {body} }}"
        self.emit(f"#pragma omp parallel for{self.clauses()}\nfor (int i = 0; i < {top}; ++i) {{ {body} }}")

    def loop_weights(self):
        """A small array of the host's that the body reads."""
        array, source = self.pick(), self.pick()
        if array is source:
            return
        self.number += 1
        name, size = f"w{self.number}", self.random.randint(1, 5)
        element = self.choose("double", "float", "int", "short")
        values = ", ".join(str(self.random.randint(0, 9)) for _ in range(size))
        use = self.choose(f"{name}[k]", f"{name}[{size} - 1 - k]", f"*({name} + k)")
        at = source.at("i - k") if self.maybe(0.5) else source.at("i + k")
        self.emit(f"{element} {name}[{size}] = {{{values}}};\n{name}[0] += shift;\n#pragma omp parallel for{self.clauses()}\n"
                  f"for (int i = {size}; i < n - {size}; ++i) {{ double sum = 0;\n"
                  f"  for (int k = 0; k < {size}; ++k) sum += {use} * {at};\n  {self.store(array, array.at('i'), 'sum')}\n}}")

    def loop_counting(self):
        """Inner loops that count by themselves: while, and pointers that move along."""
        array, source = self.pick(), self.pick()
        if array is source:
            return
        start = self.choose("0", "i % 3", "std::min(i, 5)")
        form = self.choose("while", "moving", "index", "two")
        sum_of = {
            "while": f"int k = {start}; while (k < columns && sum < 4000) {{ sum += {source.at('i * columns + k')}; k += {self.choose(1, 2)}; }}",
            "moving": f"const {source.element} *p = {source.pointer} + i * columns; for (int k = 0; k < columns; ++k) sum += *p++;",
            "index": f"int at = i * columns; for (int k = 1; k < columns; ++k) {{ sum += {source.at('at')}; at++; }}",
            "two": f"for (int k = 0, at = i * columns; k < columns; ++k, ++at) sum += {source.at('at')};",
        }[form]
        self.emit(f"#pragma omp parallel for{self.clauses()}\nfor (int i = 0; i < rows; ++i) {{ double sum = 0;\n  {sum_of}\n"
                  f"  {self.store(array, array.at('i'), 'sum')}\n}}")

    def loop_halves(self):
        """One array is read and written at places that never meet."""
        array = self.pick()
        half = LENGTH // 2
        body = self.store(array, array.at("i"), array.at(f"i + {half}"))
        self.emit(f"#pragma omp parallel for{self.clauses()}\nfor (int i = 0; i < {half}; ++i) {body}")

    def loop_reduction(self):
        array, self.number = self.pick(), self.number + 1
        name = f"r{self.number}"
        operator = self.choose("+", "-", "max", "min", "^", "|", "&", "&&", "||")
        element = self.choose("double", "long", "float") if operator in ("max", "min") else self.choose("long", "int", "unsigned")
        value = f"({element}){array.at('i')}"
        head, _, _ = self.head("i")
        action = {
            "+": f"{name} += (long){array.at('i')};", "-": f"{name} -= (long){array.at('i')};",
            "max": f"{name} = std::max({name}, {value});", "min": f"if ({value} < {name}) {name} = {value};",
            "^": f"{name} ^= (int){array.at('i')};", "|": f"{name} |= (int){array.at('i')};",
            "&": f"{name} &= (int){array.at('i')} | 96;", "&&": f"{name} = {name} && {array.at('i')} >= 0;",
            "||": f"{name} = {name} || {array.at('i')} > 90;",
        }[operator]
        self.emit(f"{element} {name} = {self.random.randint(0, 50)};\n#pragma omp parallel for reduction({operator} : {name})"
                  f"{self.clauses()}\n{head} {{ {action} }}\nstd::printf(\"{name} %.17g\\n\", (double){name});")

    def loop_row_sums(self):
        array = self.pick()
        matrix, vector = self.pick(without=[array]), self.pick(without=[array])
        if array in (matrix, vector):
            return
        self.emit(f"#pragma omp parallel for{self.clauses()}\nfor (int i = 0; i < rows; ++i) {{\n  double sum = 0;\n"
                  f"  for (int k = 0; k < columns; ++k) sum += {matrix.at2('i', 'k')} * {vector.at('k')};\n"
                  f"  {self.store(array, array.at('i'), 'sum')}\n}}")

    def loop_last(self):
        array, self.number = self.pick(), self.number + 1
        name = f"l{self.number}"
        head, _, _ = self.head("i")
        self.emit(f"double {name} = -1;\n#pragma omp parallel for lastprivate({name})\n{head} {name} = {array.at('i')} + (double)i;\n"
                  f"std::printf(\"{name} %.17g\\n\", {name});")

    def loop_private(self):
        array = self.pick()
        body = self.value([array], "k", 0, LENGTH)
        self.emit(f"int p, k;\ndouble t;\n#pragma omp parallel for private(k, t)\nfor (p = 0; p < n; ++p) {{ k = n - 1 - p; t = {body}; "
                  f"{self.store(array, array.at('k'), 't')} }}")

    def loop_function(self):
        """A function with plain pointers gets any arrays of one type, also one of them twice."""
        self.number += 1
        element = self.random.choice([a.element for a in self.arrays])
        fitting = [a for a in self.arrays if a.element == element]
        to, source = self.random.choice(fitting), self.random.choice(fitting)
        name = f"f{self.number}"
        probe = Array("to", "new", element)
        body = self.store(probe, "to[i]", "to[i] + from[i] + shift")
        self.program.functions.append(f"static void {name}({element} *to, const {element} *from, int n, int shift) {{\n"
                              f"#pragma omp parallel for{self.clauses()}\n  for (int i = 0; i < n; ++i) {body}\n}}")
        self.emit(f"{name}({to.pointer}, {source.pointer}, n, shift);")
        if self.maybe(0.5):
            self.emit(f"{name}({to.pointer} + n / 2, {source.pointer}, n / 2, {self.random.randint(0, 5)});")

    # ---------------------------------------------------------------- host code

    def host(self):
        array = self.pick()
        same = [a for a in self.arrays if a is not array and a.element == array.element]
        form = self.choose("element", "serial", "sort", "swap", "copy", "set", "print", "scalar", "shrink", "reverse")
        if form == "element":
            self.emit(f"{array.at(self.random.randint(0, LENGTH - 1))} += 1;")
        elif form == "serial":
            self.emit(f"for (int i = 1; i < n; ++i) {self.store(array, array.at('i'), array.at('i') + ' + ' + array.at('i - 1'))}")
        elif form == "sort":
            self.emit(f"std::sort({array.pointer}, {array.pointer} + n);")
        elif form == "reverse":
            self.emit(f"std::reverse({array.pointer}, {array.pointer} + n / 3);")
        elif form == "swap" and same:
            other = self.random.choice(same)
            pointers = ("new", "malloc", "calloc", "plain")
            if array.kind == "vector" and other.kind == "vector":
                self.emit(self.choose(f"{array.name}.swap({other.name});", f"std::swap({array.name}, {other.name});"))
            elif array.kind == other.kind and array.kind in pointers:
                self.emit(self.choose(f"std::swap({array.name}, {other.name});",
                                      f"{{ auto *t = {array.name}; {array.name} = {other.name}; {other.name} = t; }}"))
        elif form == "copy" and same:
            self.emit(f"std::memcpy({array.pointer}, {self.random.choice(same).pointer}, n / 2 * sizeof({array.element}));")
        elif form == "set":
            self.emit(f"std::memset({array.pointer} + 3, 0, 20 * sizeof({array.element}));")
        elif form == "print":
            self.emit(f"std::printf(\"%.9g\\n\", (double){array.at(self.random.randint(0, LENGTH - 1))});")
        elif form == "scalar":
            self.emit(self.choose("globalShift += 2;", "shift = (shift + 3) % 11;"))
        elif form == "shrink" and array.kind == "vector":
            self.emit(f"{array.name}.clear(); {array.name}.resize(n, 3);")

    def write(self):
        """Declares the arrays and writes some loops, host code and checks."""
        self.declare_arrays()
        loops = [self.loop_1d, self.loop_1d, self.loop_1d, self.loop_2d, self.loop_2d, self.loop_stencil, self.loop_columns,
                 self.loop_red_black, self.loop_halves, self.loop_reduction, self.loop_row_sums, self.loop_last,
                 self.loop_private, self.loop_function, self.loop_inner, self.loop_inner, self.loop_tiles, self.loop_flat,
                 self.loop_scaled, self.loop_scaled, self.loop_weights, self.loop_counting]
        for _ in range(self.random.randint(5, 10)):
            repeated = self.maybe(0.2)
            self.emit(f"for (int step = 0; step < {self.random.randint(2, 4)}; ++step) {{" if repeated else "{")
            for _ in range(self.random.randint(1, 3)):
                self.emit("{")
                self.random.choice(loops)()
                self.emit("}")
                if self.maybe(0.6):
                    self.host()
            self.emit("}")
            checked = self.pick()
            self.emit(f"check(\"{checked.name}\", {checked.pointer}, n);")
        for array in self.arrays:
            self.emit(f"check(\"{array.name}\", {array.pointer}, n);")
            if array.kind in ("new", "plain"):
                self.emit(f"delete[] {array.name};")
            elif array.kind in ("malloc", "calloc"):
                self.emit(f"free({array.name});")
        self.emit("delete[] perm;")
