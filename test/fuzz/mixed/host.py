# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the host does to the arrays of a mixed program between its loops."""


class Host:
    def __init__(self, mixed):
        self.mixed, self.random, self.any = mixed, mixed.random, mixed.any

    def some(self):
        store = self.random.choice(self.mixed.stores.all)
        text = self.flat(store) if store.flat else self.rows(store)
        return text

    def flat(self, store):
        kind, at, count = store.element, self.random.randint(0, 3), store.count
        forms = [f"{store.at(at)} = 5;", f"{store.at(f'{count} - 1')} = ({kind})({store.at(0)} + 1);", f"printf(\"%g\\n\", (double){store.at(f'{count} / 2')});",
                 f"for (int i = 1; i < {count}; ++i) {store.at('i')} = ({kind})((long)({store.at('i')} + {store.at('i - 1')}) % 31);",
                 f"for (int i = {count} / 3; i < {count} / 2; ++i) {store.at('i')} = ({kind})(i % 13);",
                 "shift = (shift + 3) % 11;", "globalShift += 2;"]
        p = store.pointer
        if p:
            forms += [f"memset({p} + 1, 0, sizeof({kind}) * 2);", f"memcpy({p}, {p} + {count} / 2, sizeof({kind}) * ({count} / 2));",
                      f"memmove({p}, {p} + 1, sizeof({kind}) * ({count} - 1));"]
            if not self.mixed.c:
                forms += [f"std::sort({p}, {p} + {count});", f"std::sort({p} + 1, {p} + {count} / 2);", f"std::reverse({p}, {p} + {count} / 3);", f"std::fill({p}, {p} + {count} / 2, ({kind})2);",
                          f"std::rotate({p}, {p} + 1, {p} + {count});", f"std::copy({p}, {p} + {count} / 3, {p} + {count} / 2);",
                          f"{{ long sum = 0; for (auto *x = {p}; x != {p} + {count}; ++x) sum += (long)*x % 17; printf(\"%ld\\n\", sum); }}"]
            elif kind == "double":
                forms.append(f"qsort({p}, {count}, sizeof(double), up);")
        return f"if ({count} > 3) {{ {self.any(*forms)} }}"

    def rows(self, store):
        kind, name, cell = store.element, store.name, store.at("rows - 1", "columns / 2")
        forms = [f"{store.at(0, 0)} = 5;", f"printf(\"%g\\n\", (double){cell});", f"{cell} = ({kind})({store.at(0, 0)} + 1);",
                 f"for (int j = 0; j < columns; ++j) {store.at('rows / 2', 'j')} = ({kind})(j % 9);",
                 f"for (int i = 1; i < rows; ++i) {store.at('i', 0)} = ({kind})((long)({store.at('i', 0)} + {store.at('i - 1', 0)}) % 31);"]
        if store.row:
            forms.append(f"memcpy({store.row.format('0')}, {store.row.format('rows - 1')}, rows > 1 ? sizeof({kind}) * columns : 0);")
            if not self.mixed.c:
                forms.append(f"std::sort({store.row.format('0')}, {store.row.format('0')} + columns);")
        if store.kind == "nested":
            row = f"std::vector<{kind}>(columns, ({kind})2)"
            forms += [f"{name}.push_back({row});", f"{name}.emplace_back(columns);", f"{name}[rows / 2].resize(columns + 2);", f"{name}.resize(rows + 1, {row});", f"{name}[0] = {row};",
                      f"{name}[rows - 1].assign(columns, ({kind})4);", f"{name}.resize(rows); for (auto &row : {name}) row.resize(columns);",
                      f"std::swap({name}[0], {name}[rows - 1]);", f"{name}.assign(rows, {row});", f"for (auto &row : {name}) for (auto &x : row) x = ({kind})((int)x % 7);",
                      f"{name}.back()[0] = 3; printf(\"%d %d\\n\", (int){name}.size(), (int){name}[0].size());", f"{{ auto copy = {name}; copy[0][0] = 9; {name} = copy; }}",
                      f"{name}.clear(); {name}.resize(rows, {row});", f"{name}.pop_back(); {name}.push_back({row});", f"{name} = std::vector<std::vector<{kind}>>(rows, {row});"] * 2
        elif "table" in store.kind:
            forms += [f"{{ {kind} *t = {name}[0]; {name}[0] = {name}[rows - 1]; {name}[rows - 1] = t; }}"] * (store.kind == "row table")
        return f"if (rows > 0 && columns > 0) {{ {self.any(*forms)} }}"

    def again(self):
        """Frees an array and allocates it again, as large or larger."""
        fitting = [s for s in self.mixed.stores.all if s.kind in ("malloc", "new", "vector", "unique", "row table") and s.family not in self.mixed.fixed and s.name in self.mixed.body_names]
        if not fitting:
            return ""
        store = self.random.choice(fitting)
        name, kind = store.name, store.element
        texts = {
            "malloc": self.any(f"free({name});\n{name} = ({kind} *)malloc(sizeof({kind}) * (n + 9));", f"free({name});\n{name} = ({kind} *)calloc(n + 1, sizeof({kind}));",
                               f"{name} = ({kind} *)realloc({name}, sizeof({kind}) * (n + 33));"),
            "new": f"delete[] {name};\n{name} = new {kind}[n + 5];",
            "vector": self.any(f"{name} = std::vector<{kind}>(n);", f"{name}.assign(n, ({kind})1);", f"{name}.clear(); {name}.resize(n + 7);", f"{name}.resize(n + 40); {name}.shrink_to_fit();",
                               f"std::vector<{kind}>(n).swap({name});"),
            "unique": self.any(f"{name}.reset(new {kind}[n + 1]);", f"{name} = std::make_unique<{kind}[]>(n + 1);"),
            "row table": f"for (int i = 0; i < rows; ++i) {{\nfree({name}[i]);\n{name}[i] = ({kind} *)malloc(sizeof({kind}) * (columns + 1));\n}}",
        }
        self.mixed.emit(" ".join(texts[store.kind].split("\n")) + " /*keep*/")
        self.mixed.stores.fill(store)
        return ""
