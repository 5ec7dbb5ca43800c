# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps of time: a loop over rows and columns makes each of two arrays from the other one in turn, many times, or two do.

In between, the program may read or change elements, launch another loop, or change what the steps depend on. Values are
whole numbers that stay small, so that nothing depends on how sums are rounded.
"""
import re

from .idioms import Idioms, Part


class Steps(Part):
    def __init__(self, mixed):
        super().__init__(mixed)
        self.idioms = Idioms(mixed)

    def some(self):
        n, m, a, b, s, w = (self.mixed.unique(stem) for stem in ("tall", "wide", "now", "next", "step", "weight"))
        kind = self.any("float", "float", "double", "int", "unsigned char", "short", "unsigned")
        rows, columns = self.any(3, 4, 5, 9, 17, 40, 71), self.any(3, 5, 8, 31, 64, 66, 67, 130, 260)
        lead = self.any(0, 0, 0, 1, 4)  # elements in front of the grid
        count = f"({n} * {m} + {lead + 4})"
        one, two = (self.idioms.array(kind, count, f"i * {self.any(3, 5, 7)} % {self.any(11, 13, 23)}", name) for name in (a, b))
        more = self.idioms.array(kind, count, "i % 5") if self.maybe(0.4) else None
        objects, at = self.access(kind, m, lead)
        reach = self.any(1, 1, 1, 2)
        low, high, left, right = (self.any(reach, reach, reach, reach + 1) for _ in range(4))
        body = self.body(kind, reach, at, more, w, m)
        loop = objects + self.loop(f"i = {low}; i < {n} - {high}; ++i", f"j = {left}; j < {m} - {right}; ++j", body)
        back = f"{{ {kind} *other = from; from = to; to = other; }}"
        if self.maybe(0.45):  # another loop leads back: a copy, or a step
            second = f"{at('to')} = {at('from')};" if self.maybe(0.5) else self.body(kind, self.any(reach, 1), at, more, w, m)
            if self.maybe(0.2):
                high = self.any(reach, reach + 1)
            loop += "\n" + self.loop(f"i = {low}; i < {n} - {high}; ++i", f"j = {left}; j < {m} - {right}; ++j",
                                     re.sub(r"(from|to)\b", lambda found: {"from": "to", "to": "from"}[found[0]], second))
            back = ""
        steps = self.any(1, 3, 9, 12, 20, 20, 33)
        change = "".join(self.disturbance(n, m, s, w, kind, more) for _ in range(self.any(0, 0, 1, 2)))
        extra = more[1] if more else ""
        arrays = [one, two] + ([more] if more else [])
        return (f"{{ {self.values((n, rows), (m, columns))}int {w} = {self.any(1, 2, 3)}; (void){w};\n{one[1]}{two[1]}{extra}"
                f"{kind} *from = {self.idioms.pointer(*one)}, *to = {self.idioms.pointer(*two)};\n"
                f"for (int {s} = 0; {s} < {steps}; ++{s}) {{\n{loop}\n{back}\n{change}}}\n"
                f"SHOW(\"{a}\", {n} * {m}, from[q]);\nSHOW(\"{b}\", {n} * {m}, to[q]);\n{self.idioms.end(*arrays)} }}")

    def loop(self, rows, columns, body):
        index = self.any("int", "int", "long", "unsigned")
        return (f"#pragma omp parallel for{self.any('', '', ' collapse(2)', ' num_threads(2)')}\n"
                f"for ({index} {rows}) for ({index} {columns}) {{\n{body}\n}}")

    def access(self, kind, m, lead):
        """What stands in front of the loop, and how an element is named: by its index, or by functions of one expression."""
        tidy = lambda text: text.replace("+ -", "- ").replace("(i + 0)", "i").replace("(i + 0,", "(i,").replace(" + 0]", "]").replace(" + 0)", ")")
        more = f" + {lead}" if lead else ""
        form = self.any("index", "index", "place", *([] if self.mixed.c else ["element", "lambda", "class", "class"]))
        name, type_ = self.mixed.unique(form), self.any("int", "int", "long", "unsigned" if form == "class" else "int")
        if form == "index":
            return "", lambda array, down=0, along=0: tidy(f"{array}[(i + {down}) * {m} + j + {along}{more}]")
        if form == "lambda":
            by = self.any("=", "&")
            return (f"const auto {name} = [{by}](int u, int v) {{ return u * {m} + v{more}; }};\n",
                    lambda array, down=0, along=0: tidy(f"{array}[{name}(i + {down}, j + {along})]"))
        if form == "class":
            self.mixed.globals.append(f"struct {name.title()} {{ {kind} *all; int wide; {kind} &operator()({type_} i, {type_} j) {{ return "
                                      f"{self.any(f'all[i * wide + j{more}]', f'*(all + (i * wide + j{more}))', f'at(i * wide)[j{more}]')}; }} "
                                      f"{kind} *at({type_} row) {{ return all + row; }} }};")
            return (f"{name.title()} {name}from = {{from, {m}}}, {name}to = {{to, {m}}};\n",
                    lambda array, down=0, along=0: tidy(f"{name}{array}(i + {down}, j + {along})"))
        if form == "place":
            self.mixed.globals.append(f"static inline {self.any('int', 'long')} {name}({type_} i, int j, const int w) {{ return i * w + j{more}; }}")
            return "", lambda array, down=0, along=0: tidy(f"{array}[{name}(i + {down}, j + {along}, {m})]")
        self.mixed.globals.append(f"static inline {kind} &{name}({kind} *p, {type_} i, {type_} j, int w) {{ return p[i * w + j{more}]; }}")
        return "", lambda array, down=0, along=0: tidy(f"{name}({array}, i + {down}, j + {along}, {m})")

    def body(self, kind, reach, at, more, w, m):
        """What an element becomes: at most 64, so that it stays small for ever."""
        near = [(down, along) for down in range(-reach, reach + 1) for along in range(-reach, reach + 1)]
        cross = [(down, along) for down, along in near if down == 0 or along == 0]
        chosen = self.random.sample(self.any(near, cross, cross), self.random.randint(2, 5))
        whole = kind not in ("float", "double")
        sum_type = "int" if whole else kind
        wrapped = lambda value: f"({kind})(({value}) & 63)" if whole else f"({kind})((int)({value}) & 63)"
        total = " + ".join(f"({sum_type}){at('from', *offset)}{self.any('', '', ' * ' + w, ' * 2')}" for offset in chosen)
        if more:
            total += f" + ({sum_type}){more[0]}[i * {m} + j]"
        if self.maybe(0.2):
            total += self.any(" + i % 3", " + j % 2", " + (i + j) % 4")
        form = self.any("plain", "plain", "variable", "choice", "condition", "loops", "guarded")
        goal = at("to")
        if form == "variable":
            return f"const {sum_type} sum = {total};\n{goal} = {wrapped('sum')};"
        if form == "choice":
            return f"{sum_type} sum = {total};\nif ({at('from', *chosen[0])} > 9) sum += 5; else sum -= ({sum_type}){at('from', *chosen[-1])};\n{goal} = {wrapped('sum')};"
        here = at("from", *chosen[0])
        if form == "condition":
            return f"{goal} = {wrapped(f'{here} < 20 ? {total} : 3')};"
        if form == "loops":
            return (f"{sum_type} sum = 0;\nfor (int u = -1; u <= 1; ++u) for (int v = -1; v <= 1; ++v) sum += ({sum_type})from[(i + u) * {m} + j + v];\n"
                    f"{goal} = {wrapped('sum + ' + total)};")
        if form == "guarded":  # not every element is written
            return f"if ({at('from', *chosen[0])} != 7) {goal} = {wrapped(total)};"
        return f"{goal} = {wrapped(total)};"

    def disturbance(self, n, m, s, w, kind, more):
        when = f"{s} % {self.any(2, 5, 9, 10, 17)} == {self.any(0, 1, 2)}"
        changes = [f"from[{m} / 2] = ({kind})({s} % 11);", f"to[({n} - 1) * {m} + 1] = ({kind})({s} % 7);",
                   f"printf(\"%d\\n\", (int)from[{n} / 2 * {m} + {m} / 2]);", f"printf(\"%d\\n\", (int)to[{n} / 2 * {m} + 1]);",
                   f"from[{n} / 2 * {m} + {m} / 2] = ({kind})3;", f"{w} = 1 + {s} % 3;",
                   f"\n#pragma omp parallel for\nfor (int q = 0; q < {n} * {m}; ++q) from[q] = ({kind})((int)from[q] / 2);\n",
                   f"\n#pragma omp parallel for\nfor (int q = 0; q < {m}; ++q) to[q] = ({kind})(q % 9);\n",
                   f"{{ {kind} *other = from; from = to; to = other; }}"]
        if more:
            changes.append(f"{more[0]}[{m} + 1] = ({kind})({s} % 5);")
        return f"if ({when}) {{ {self.any(*changes)} }}\n"
