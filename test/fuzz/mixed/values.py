# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Indexes, values and bodies of loops over the arrays of a mixed program."""
from .stores import assigned


class Values:
    """What a loop may compute from `stores`; names that it uses besides are shift, order (of n) and the head's functions."""

    def __init__(self, mixed, stores, ordered=True):
        self.mixed, self.random, self.any, self.stores = mixed, mixed.random, mixed.any, stores
        self.ordered = ordered
        self.avoid = set()  # families that others may write meanwhile

    # ---------------------------------------------------------------- expressions

    def index(self, i, count, within):
        """An index in [0, count); `within`: the count that i itself stays below."""
        k = self.random.randint(0, 5)
        forms = [f"({i} + {k}) % {count}", f"lesser((int)({i}) + {k}, {count} - 1)", f"clampTo((int)({i}) - {k}, 0, {count} - 1)",
                 f"(int)((long)({i}) * {self.any(3, 7, 11)} % ({count}))", f"({count}) / 2"]
        if within == count:
            forms += [str(i)] * 4 + [f"{count} - 1 - ({i})", f"({i}) / 2", f"({i} >= {k} ? {i} - {k} : {i})"]
            if count == "n" and self.ordered:
                forms += [f"order[{i}]"] * 2
        if self.mixed.has("wrapping"):
            forms += [f"(int)((unsigned)({i}) * 2654435761u % (unsigned)({count}))", f"(int)(((uint64_t)({i}) - {k}) * 0x9E3779B97F4A7C15u % (uint64_t)({count}))",
                      f"(int)((unsigned)({i} - {k}) % (unsigned)({count}))", f"(unsigned char)(({i}) * 37) % ({count})",
                      f"(int)((((uint64_t)1 << 63) + (uint64_t)({i})) % (uint64_t)({count}))"]
        return self.random.choice(forms)

    def read(self, store, variables):
        """An element of the store; variables: pairs of an index and what it stays below."""
        last = variables[-1]
        chosen = [variables[min(d, len(variables) - 1)] for d in range(len(store.counts))]
        if store.flat and len(variables) > 1 and self.any(True, False):
            chosen = [last]
        return store.at(*(self.index(i, count, within) for (i, within), count in zip(chosen, store.counts)))

    def value(self, variables, written=(), own=None):
        """A number from stores whose families are not `written`; `own` is what the iteration may read of those."""
        readable = [s for s in self.stores if s.family not in written and s.family not in self.avoid]
        terms = [self.read(self.random.choice(readable), variables) for _ in range(self.random.randint(1, 3)) if readable]
        if own and self.any(True, False):
            terms.append(own)
        i = variables[0][0]
        first = f"(double)({terms[0]})" if terms else "2.5"
        terms += self.any([], [], ["shift"], ["globalShift"], [f"table[({i}) & 3]"], [f"wave((int)({i}))"], [f"mixedUp({first}, (int)({i}))"],
                          [f"({first} > 20 ? {first} : 7)"], [f"floor(fabs(10.0 - {first}))"],
                          [f"SQUARE(({i}) % 5)"] if self.mixed.has("macros") else [],
                          [] if self.mixed.c else [f"blend({first}, 3.0)"], [] if self.mixed.c else [f"std::max<double>({first}, 5)"])
        if not self.mixed.c and readable:
            pointed = [s for s in readable if s.flat and s.pointer]
            if pointed and self.random.random() < 0.15:
                store = self.random.choice(pointed)
                terms.append(f"around<{self.any(1, 2, 3)}>({store.pointer}, {self.index(i, store.count, variables[0][1])}, {store.count})")
        return " + ".join(f"(double)({t})" if self.random.random() < 0.3 else f"{t}" for t in terms) or "1.5"

    # ---------------------------------------------------------------- bodies

    def assign(self, store, target, value):
        return assigned(self.random, store, target, value)

    def body(self, store, target, variables, outermost=False):
        """Statements that give `target` a value; `outermost`: `continue` goes on with the next iteration."""
        i = variables[0][0]
        value = self.value(variables, [store.family], target)
        whole = self.assign(store, target, value)
        forms = [lambda: whole] * 3 + [lambda: self.compound(store, target, i)]
        if self.mixed.has("conditions"):
            forms += [lambda: f"if (({i}) % 3 != 1) {{ {whole} }}", lambda: f"if (({i}) % 3 != 1) {{ {whole} }} else {{ {self.assign(store, target, '4')} }}",
                      lambda: f"switch (({i}) % 4) {{ case 0: {whole} break; case 2: {self.assign(store, target, '2')} break; default: break; }}",
                      lambda: f"if ({target} > 20) {{ {whole} }}",
                      lambda: f"const int odd = ({i}) & 1; {target} = odd ? ({store.element})3 : {target};"]
            if outermost:
                forms += [lambda: f"if (({i}) % 5 == 2) continue; {whole}", lambda: f"if ({target} < 9) continue; {whole}"]
        if self.mixed.has("inner"):
            forms += [lambda: self.inner(store, target, variables)] * 3
        if self.mixed.has("structs"):
            forms += [lambda: self.structs(store, target, variables, value)] * 3
        if self.mixed.has("lambdas"):
            forms += [lambda: self.lambdas(store, target, variables, value)] * 5
        if self.mixed.has("order"):
            forms += [lambda: self.order(store, target, i)]
        if self.mixed.has("arrays"):
            forms += [lambda: f"std::array<double, 3> s3 = {{1, 2, 3}}; for (auto &x : s3) x += {value}; {self.assign(store, target, 's3[0] + s3[2] + s3.size()')}"]
        return self.random.choice(forms)()

    def compound(self, store, target, i):
        if store.element == "_Float16":
            return self.any(f"{target} = (_Float16)((int){target} % 60); {target} += 1;", f"{target} = (int){target} % 50; {target} *= (_Float16)0.5;")
        if store.element == "T":  # of a template
            return self.any(f"{target} = (T)((int){target} % 20); {target} += (T)1;", f"{target} = (T)((long){target} & 31);")
        if store.element in ("double", "float"):
            return self.any(f"{target} *= 0.5;", f"{target} = {target} * 0.25 + 1; {target}++;", f"{target} /= 2; {target} -= 1.5f;", f"{target} = -{target} * 0.5f;")
        return self.any(f"{target} ^= 5;", f"{target} = ({store.element})({target} & 63); ++{target};", f"{target} |= ({i}) & 3;", f"{target} = {target} % 41; {target} += 2;")

    def inner(self, store, target, variables):
        i = variables[0][0]
        deep = [("k", "5")] + [("k", w) if w == "5" else (v, w) for v, w in variables]
        term = self.value(self.any(deep, list(variables)), [store.family])
        head = self.any("for (int k = 0; k < 5; ++k)", f"for (int k = ({i}) & 3; k < 5; k += 2)", "for (int k = 4; k >= 0; --k)", f"for (int k = 4; k > (int)({i}) % 4; k -= 2)",
                        f"for (int k = 0; k < LESSER((int)({i}), 4); ++k)", "for (unsigned k = 1; k < 5; k *= 2)")
        skip = self.any("", "", f"if ((({i}) + k) % 3 == 0) continue; ", "if (sum > 300) break; ")
        text = self.any(f"double sum = 0; {head} {{ {skip}sum += {term}; }} ", f"double sum = 0; int k = 0; while (k < 5 && sum < 400) {{ sum += {term}; ++k; }} ",
                        f"double sum = 1; int k = 4; do {{ sum += {term}; }} while (--k > 0); ",
                        f"double s[4] = {{1, 2}}, sum = 0; {head} {{ s[k & 3] += {term}; }} for (int q = 0; q < 4; ++q) {{ if (q == 1) continue; for (int p = q; p < 4; ++p) {{ if (s[p] > 90) continue; sum += s[p]; }} }} ")
        return text + self.assign(store, target, "sum")

    def structs(self, store, target, variables, value):
        i = variables[0][0]
        if store.whole and store.flat and self.any(True, True, False) and target.startswith(store.whole.split("[")[0]):
            whole = store.whole.format(self.plain_index(target, store))
            other = f"p.in.k[({i}) % 3] = (int)({i}) % 5;"
            if self.mixed.c:
                return self.any(f"Pt p = {whole}; ptScale(&p, 0.5); {other} {whole} = p;", f"ptScale(&{whole}, 0.25);", f"Pt *p = &{whole}; p->x = ptSum(p) * 0.25;",
                                f"Pt p = {whole}; p.x = ptSum(&p) * 0.125; {whole} = p;")
            return self.any(f"Pt p = {whole}; p.scale(0.5); {other} {whole} = p;", f"{whole}.scale(0.25);", f"Pt &p = {whole}; p.x = p.sum() * 0.25;",
                            f"{whole} += 3;", f"auto &[x, w, in] = {whole}; x = x * 0.5 + w[1]; in.k[1] = (in.k[1] + 1) % 9;",
                            f"Pt p = {{{i} * 0.5, {{1, 2}}, {{{{1, 2, 3}}, 4}}}}; {whole} = p.plus({whole});")
        if self.mixed.c:
            return (f"Pt p = {{.x = {value}, .w = {{1, 2}}, .in = {{.k = {{(int)({i}) % 5, 2}}}}}}; ptScale(&p, 0.5); " + self.assign(store, target, "ptSum(&p)"))
        return self.any(f"Pt p{{(double)({value}), {{1, 2}}, {{{{(int)({i}) % 5, 2}}, 3}}}}; p.scale(0.5); ", f"Pt p = {{}}; p.x = {value}; p.in.k[1] = (int)({i}) % 4; p += 2; ",
                        f"Pt ps[2] = {{}}; ps[({i}) & 1].x = {value}; ps[0].in.k[2] = 3; Pt p = ps[0].plus(ps[1]); ") + self.assign(store, target, "p.sum()")

    @staticmethod
    def plain_index(target, store):
        """The index with which `target` was made, by the store's own place."""
        start = store.whole.split("{0}")[0]
        text, depth = target[len(start):], 0
        for at, letter in enumerate(text):
            depth += letter == "["
            if letter == "]":
                if depth == 0:
                    return text[:at]
                depth -= 1
        raise ValueError(target)

    def lambdas(self, store, target, variables, value):
        i, within = variables[0]
        inner = self.value([("k", within)] + list(variables[1:]), [store.family])
        put = lambda result: self.assign(store, target, result)
        return self.any(
            lambda: f"auto f = [&](int k) {{ return (double)({inner}); }}; {put(f'f((int)({i}))')}",
            lambda: f"const double c = {value}; auto f = [=](double x) {{ return x * 0.5 + c + ({i}) % 3; }}; {put('f(2) + f(c)')}",
            lambda: f"const double c = {value}; auto f = [c, k = 2](double x) mutable {{ k += 3; return x + c + k; }}; {put('f(1) + f(2)')}",
            lambda: f"double acc = 0; auto add = [&](double x) {{ acc += x; }}; for (int q = 0; q < 3; ++q) add({value}); {put('acc')}",
            lambda: f"int count = 0; auto next = [&count, k = (int)({i}) % 4]() mutable {{ count += k; return k++; }}; next(); next(); {put('count + next()')}",
            lambda: f"auto make = [&](int by) {{ return [by](double x) {{ return x * 0.5 + by; }}; }}; const auto f = make((int)({i}) % 5); {put(f'f({value})')}",
            lambda: f"const auto f = adder(({i}) % 7); {put(f'f({value})')}",
            lambda: put(f"apply([&](double x) {{ return x + {value}; }}, 2.5)"),
            lambda: f"auto put = [&](double x) {{ {put('x')} }}; put({value});",
            lambda: f"const double c = [&] {{ if (({i}) % 3 == 0) return 2.0; return (double)({value}); }}(); {put('c')}",
            lambda: f"auto f = [&](auto x, int times) {{ for (int q = 0; q < times; ++q) x += 1; return x; }}; {put(f'f({value}, 2) + f(1, (int)({i}) % 3)')}",
            lambda: f"auto outer = [&](double x) {{ auto deep = [&](double y) {{ return x + y * 0.5; }}; return deep(x) + deep(1); }}; {put(f'outer({value})')}",
        )()

    def order(self, store, target, i):
        """Sides of assignments that change what the other reads: C++17 evaluates the right one first."""
        start = self.any("Counter c{{{}}};", "int c = {};").format(f"(int)({i}) % 4")
        call = self.any("c.next()", "c(2)") if "Counter" in start else self.any("bump(&c)", "bump(c)", "c++", "++c")
        return f"{start} double w[16] = {{1, 2, 3, 4, 5, 6}}; w[{call}] {self.any('+=', '=', '-=')} {call} + 0.5; " + self.assign(
            store, target, f"w[0] + w[1] * 2 + w[2] * 3 + w[3] + w[4] - w[5] + w[6]")
