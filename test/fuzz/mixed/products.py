# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops that add up what other iterations read as well: products of matrices and the like, all pairs, windows whose
size is a variable, and stencils in three dimensions.

Some are large enough for work-groups that share what they read. An iteration writes its own element of one array, and
reads others. Values are small whole numbers, so that sums are exact.
"""
from .idioms import Idioms, Part


class Products(Part):
    def __init__(self, mixed):
        super().__init__(mixed)
        self.idioms = Idioms(mixed)

    def some(self):
        return self.any(self.product, self.product, self.pairs, self.window, self.layers, self.layers)()

    def element(self):
        return self.any("float", "float", "float", "double", "double", "int", "unsigned", "long", "short")

    def start(self):
        return self.any("i * 5 % 23", "i * 11 % 17", "i % 7 + i % 5", "i * 7 % 13")

    def counted(self, variable, first, end, outside=False):
        """A loop that counts up, one of its spellings."""
        up = self.any(f"++{variable}", f"{variable}++", f"{variable} += 1")
        test = self.any(f"{variable} < {end}", f"{variable} < {end}", f"{variable} <= {end} - 1")
        kind = "" if outside else self.any("int ", "int ", "long ")
        return f"for ({kind}{variable} = {first}; {test}; {up})"

    # ---------------------------------------------------------------- products

    def product(self):
        """c[i][j] from row i of one matrix and column j of another, in any order in memory."""
        n, m, l, c = (self.mixed.unique(stem) for stem in ("rows", "columns", "inner", "made"))
        large = self.maybe(0.7)
        sizes = [self.any(128, 129, 131, 140, 160, 255) if large else self.any(1, 5, 17, 64, 100) for _ in range(2)]
        length = self.any(0, 1, 7, 8, 9, 16, 17, 31, 40)
        batch = self.any(2, 3) if self.maybe(0.2) else 1
        kinds = [self.element()] * 3 if self.maybe(0.7) else [self.element() for _ in range(3)]
        a = self.idioms.array(kinds[0], f"({batch} * {n} * {l} + 8)", self.start())
        b = self.idioms.array(kinds[1], f"({batch} * {l} * {m} + 8)", self.start())
        w = self.idioms.array(kinds[0], f"({l} + 8)", self.start())
        made = self.idioms.array(kinds[2], f"({batch} * {n} * {m})", "i % 3", c)
        at = self.any("", "", " + 1", " + 4")  # where the matrix begins
        left = self.any(f"{a[0]}[(e * {n} + i) * {l} + k{at}]", f"{a[0]}[(e * {l} + k) * {n} + i{at}]")
        right = self.any(f"{b[0]}[(e * {l} + k) * {m} + j{at}]", f"{b[0]}[(e * {m} + j) * {l} + k{at}]")
        if batch == 1:
            left, right = (text.replace(f"(e * {n} + i)", "i").replace(f"(e * {l} + k)", "k").replace(f"(e * {m} + j)", "j") for text in (left, right))
        whole = not any(kind in ("float", "double") for kind in kinds)
        sum_type = self.any("int", "long") if whole else self.any("double", kinds[2] if kinds[2] in ("float", "double") else "float")
        left, right = (text if sum_type in ("double", "float") else f"({sum_type}){text}" for text in (left, right))
        step = self.any(
            f"sum += {left} * {right};", f"sum += {left} * {right};", f"sum = sum + {left} * {right};",
            f"const {sum_type} d = {left} - {right}; sum += d * d;", f"{sum_type} d = {left} + {right}; if (d < sum) sum = d;",
            f"sum += {w[0]}[k] * {left} * {right};", f"sum += {left} > 3 ? {right} : 1;", f"sum += {left} * {right} + {left} * k;",
            f"if (k % 2 == 0) sum += {left} * {right};", f"sum += {left}; sum -= {right} * 2;")
        target = f"{c}[{'(e * ' + n + ' + i)' if batch > 1 else 'i'} * {m} + j]"
        begin = self.any("0", "0", "1", f"({sum_type}){target}")
        end = self.any(f"{target} = ({kinds[2]})sum;", f"{target} += ({kinds[2]})sum;", f"if (i == j) sum += 1; {target} = ({kinds[2]})sum;",
                       f"{target} = ({kinds[2]})(j % 2 == 0 ? sum : -sum);")
        outside = self.maybe(0.3)
        clause = self.any("", "", " schedule(static)") + " private(k)" * outside
        nest = [self.counted("i", self.any("0", "0", "0", "2"), n), self.counted("j", self.any("0", "0", "1", "3"), m)]
        if batch > 1:
            nest.insert(0, self.counted("e", "0", str(batch)))
        if self.maybe(0.4) and all("<=" not in head for head in nest):
            clause += f" collapse({len(nest)})"
        row = ""
        if batch == 1 and self.maybe(0.2) and f"{a[0]}[i * {l} + k{at}]" in step:
            row = f"const {kinds[0]} *row = {self.idioms.pointer(*a)} + i * {l}{at};\n"
            step = step.replace(f"{a[0]}[i * {l} + k{at}]", "row[k]")
        inner = self.counted("k", "0", l, outside)
        variable, arrays = f"{sum_type} sum = {begin};", (a, b, w, made)
        # The element itself may be the sum. Types that hold fractions would round each step otherwise.
        if row == "" and self.maybe(0.25):
            variable, end = f"{target} = ({kinds[2]}){begin};", self.any("", "", f"if (i == j) {target} += 1;", f"{target} *= 2;")
            step = step.replace("sum", target)
        return (f"{{ {self.values((n, sizes[0]), (m, sizes[1]), (l, length))}{''.join(text for _, text in arrays)}{'int k;' * outside}\n"
                f"for (int t = 0; t < {self.random.randint(1, 2)}; ++t) {{\n#pragma omp parallel for{clause}\n{' '.join(nest)} {{\n"
                f"{row}{variable}\n{inner} {{ {step} }}\n{end}\n}}\n}}\n"
                f"SHOW(\"{c}\", {batch} * {n} * {m}, {c}[q]);\n{self.idioms.end(*arrays)} }}")

    # ---------------------------------------------------------------- all pairs

    def pairs(self):
        n, m, c = (self.mixed.unique(stem) for stem in ("bodies", "others", "made"))
        kind = self.any("float", "float", "double", "int")
        x, y = (self.idioms.array(kind, f"({m} + 600)", self.start()) for _ in range(2))
        made = self.idioms.array(kind, n, "i % 3", c)
        root = self.any("1.0f / sqrtf", "1 / sqrtf") if kind == "float" else "1.0 / sqrt"
        other = f"{x[0]}[j{self.any('', '', ' + 1')}]"
        step = self.any(f"sum += {other} * {y[0]}[i];", f"const {kind} d = {other} - {x[0]}[i]; sum += d * d;",
                        f"if ({other} > {y[0]}[j]) sum += {y[0]}[i] + j % 3;", f"sum += {y[0]}[j] * {other} + {y[0]}[i + j % 5];",
                        f"if ({other} == 9) continue; sum += {y[0]}[j];",
                        *[f"const {kind} d = {other} - {x[0]}[i]; sum += {y[0]}[j] * ({root}(d * d + 1));"] * (2 * (kind != "int")))
        size, length = self.any(1, 100, 300, 513), self.any(5, 700, 2048, 2050, 3100)
        return (f"{{ {self.values((n, size), (m, length))}{x[1]}{y[1]}{made[1]}"
                f"#pragma omp parallel for\n{self.counted('i', '0', n)} {{\n{kind} sum = {self.any('0', '1', c + '[i]')};\n"
                f"{self.counted('j', self.any('0', '0', '1'), m)} {{ {step} }}\n{c}[i] {self.any('=', '+=')} sum;\n}}\n"
                f"SHOW(\"{c}\", {n}, {c}[q]);\n{self.idioms.end(x, y, made)} }}")

    # ---------------------------------------------------------------- windows

    def window(self):
        n, m, r, c = (self.mixed.unique(stem) for stem in ("tall", "wide", "radius", "made"))
        kind = self.any("float", "float", "double", "int", "unsigned char")
        radius = self.any(0, 1, 2, 3, 4, 5)
        wide = self.any(64, 65, 66, 68, 72) + 2 * radius * self.any(0, 1)
        x, made = self.idioms.array(kind, f"({n} * {m} + 16)", self.start()), self.idioms.array(kind, f"({n} * {m})", "i % 3", c)
        sum_type = "int" if kind in ("int", "unsigned char") else kind
        form = self.any("square", "square", "star", "row")
        at = lambda down, along: f"{x[0]}[(i{down}) * {m} + j{along}]"
        taps = self.any("", "", f" * ({sum_type})(u + {r} + 1)")
        inner = {"square": f"for (int u = -{r}; u <= {r}; ++u) for (int v = -{r}; v <= {r}; v++) sum += {at(' + u', ' + v')}{taps};",
                 "star": f"for (int u = 1; u <= {r}; ++u) sum += {at('', ' + u')} + {at('', ' - u')} + {at(' + u', '')} - {at(' - u', '')}{taps};",
                 "row": f"for (int u = 0; u < {r}; ++u) sum += {at('', ' + u')}{taps};"}[form]
        return (f"{{ {self.values((n, 2 * radius + self.any(1, 4, 9)), (m, wide))}int {r} = {radius};\n{x[1]}{made[1]}"
                f"#pragma omp parallel for{self.any('', '', ' collapse(2)')}\nfor (int i = {r}; i < {n} - {r}; ++i) for (int j = {r}; j < {m} - {r}; ++j) {{\n"
                f"{sum_type} sum = 0;\n{inner}\n{c}[i * {m} + j] = ({kind})(sum{self.any('', ' / 2', ' + 1')});\n}}\n"
                f"SHOW(\"{c}\", {n} * {m}, {c}[q]);\n{self.idioms.end(x, made)} }}")

    # ---------------------------------------------------------------- three dimensions

    def layers(self):
        """Neighbours in three dimensions: each one named, in loops, or from a variable of the iteration."""
        l, m, n, r, c = (self.mixed.unique(stem) for stem in ("deep", "tall", "wide", "reach", "made"))
        kind = self.any("float", "float", "double", "double", "int", "short")
        reach = self.any(1, 1, 2, 3, 5)
        sizes = [2 * reach + self.any(1, 2, 3, 4, 6, 9) for _ in range(3)]
        x = self.idioms.array(kind, f"({l} * {m} * {n} + 16)", self.start())
        made = self.idioms.array(kind, f"({l} * {m} * {n})", "i % 3", c)
        index = self.any("int", "int", "long", "unsigned")
        column = self.any("", "", " + 3")  # where the grid begins

        def at(z, y, along):
            step = lambda variable, by: f"({variable} + {by})" if by else variable
            return f"{x[0]}[({step('k', z)} * {m} + {step('i', y)}) * {n} + j + ({along}){column}]".replace("+ -", "- ")

        offsets = [(z, y, along) for z in range(-reach, reach + 1) for y in (-1, 0, 1) for along in range(-reach, reach + 1)]
        sum_type = "int" if kind in ("int", "short") else kind
        form = self.any("named", "named", "variable", "star", "box")
        if form == "star":
            size = self.any(str(reach), r)
            body = (f"for (int u = 1; u <= {size}; ++u) sum += {x[0]}[((k + u) * {m} + i) * {n} + j] - {x[0]}[((k - u) * {m} + i) * {n} + j] + "
                    f"{x[0]}[(k * {m} + i + u) * {n} + j]{self.any('', ' * (u + 1)')} + {x[0]}[(k * {m} + i) * {n} + j - u];")
        elif form == "box":
            body = f"for (int u = -1; u <= 1; ++u) for (int v = -1; v <= 1; ++v) sum += {x[0]}[((k + u) * {m} + i + v) * {n} + j{column}]{self.any('', ' * (u + 2 * v)')};"
        else:
            chosen = [at(*offset) for offset in self.random.sample(offsets, self.random.randint(2, 7))]
            if form == "variable":
                chosen += [f"{x[0]}[here{column}]", f"{x[0]}[here + {m} * {n}]", f"{x[0]}[here - {n}]"]
            body = "sum += " + " + ".join(chosen) + ";"
            if self.maybe(0.3):
                body += f" if (j % 3 == 1) sum -= {self.random.choice(chosen)};"
        here = f"const {index} here = (k * {m} + i) * {n} + j;\n" * (form == "variable")
        heads = [f"for ({index} {variable} = {reach}; {variable} < {size} - {reach}; ++{variable})" for variable, size in zip("kij", (l, m, n))]
        target = f"{c}[(k * {m} + i) * {n} + j]"
        return (f"{{ {self.values((l, sizes[0]), (m, sizes[1]), (n, sizes[2] + self.any(0, 0, 30, 60)))}int {r} = {reach}; (void){r};\n{x[1]}{made[1]}"
                f"#pragma omp parallel for{self.any('', '', ' collapse(2)', ' collapse(3)')}\n{' '.join(heads)} {{\n"
                f"{here}{sum_type} sum = {self.any('0', '0', f'{target}')};\n{body}\n{target} = ({kind})(sum{self.any('', ' / 2', ' + 1')});\n}}\n"
                f"SHOW(\"{c}\", {l} * {m} * {n}, {c}[q]);\n{self.idioms.end(x, made)} }}")
