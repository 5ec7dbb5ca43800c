# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The arrays of a mixed program: how they are declared, named, released and made anew."""

ELEMENTS = ["double"] * 4 + ["float"] * 2 + ["int", "int", "long", "short", "unsigned char", "unsigned", "unsigned long long"]
FLOATS = ("double", "float", "_Float16")


class Store:
    """Elements of one type: `place` names one by its indexes, of which there are as many as `counts`."""

    def __init__(self, name, element, place, counts, family=None, pointer=None, row=None, whole=None, kind="", release=""):
        self.name, self.element, self.place, self.counts = name, element, place, counts
        self.family = family or name  # stores of one family may be the same memory
        self.pointer, self.row, self.whole, self.kind, self.release = pointer, row, whole, kind, release

    @property
    def flat(self):
        return len(self.counts) == 1

    @property
    def count(self):
        return self.counts[0]

    def at(self, *indexes):
        return self.place.format(*indexes)


def assigned(random, store_or_element, target, value):
    """An assignment that keeps the element small, and exact where it is half."""
    element = getattr(store_or_element, "element", store_or_element)
    if element == "_Float16":
        return random.choice([f"{target} = (_Float16)((int)({value}) % 61);", f"{target} = (_Float16)((float)((int)({value}) % 29) * 0.25f) + (_Float16)1;",
                              f"{target} = (_Float16)((long)({value}) % 31) * (_Float16)0.5;"])
    if element in FLOATS:
        factor = random.choice(["0.125", "0.125f", "0.25", "0.1"])
        cast = random.choice(["", "", f"({element})"])
        return f"{target} = {cast}(({value}) * {factor} + {random.randint(0, 9)});"
    return f"{target} = ({element})((long)({value}) % 97);"


class Stores:
    """Declares what a program works on; `mixed` collects the text."""

    def __init__(self, mixed):
        self.mixed, self.random, self.all = mixed, mixed.random, []

    def add(self, store):
        self.all.append(store)
        return store

    def element(self):
        if self.mixed.has("half") and self.random.random() < 0.5:
            return "_Float16"
        return self.random.choice(ELEMENTS)

    def declare(self):
        for _ in range(self.random.randint(2, 4)):
            self.line(self.mixed.unique("a"), self.element())
        if self.mixed.has("structs"):
            self.structs(self.mixed.unique("pts"))
        if self.mixed.has("nested vectors"):
            self.repeat(self.nested)
        if self.mixed.has("tables"):
            self.repeat(self.table)
        if self.mixed.has("collapse") or self.random.random() < 0.4:
            self.flat_matrix()
        if self.mixed.has("collapse"):
            self.cube()
        if self.mixed.has("aliases"):
            self.alias()
        emit = self.mixed.emit
        emit("#pragma ompx managed(order)\nint *order = (int *)malloc(sizeof(int) * (n + 1)); /*keep*/")
        emit("for (int i = 0; i < n; ++i) order[i] = i; /*keep*/")
        emit("for (long i = 1; i < n; ++i) { const int at = (int)(i * 7919 % (i + 1)), t = order[i]; order[i] = order[at]; order[at] = t; } /*keep*/")
        emit("#pragma ompx managed(bins)\nlong *bins = (long *)calloc(16, sizeof(long)); /*keep*/")

    def repeat(self, declare):
        element = self.element()
        declare(self.mixed.unique("m"), element)
        if self.mixed.any(True, False):
            declare(self.mixed.unique("m"), self.mixed.any(element, self.element()))

    def fill(self, store):
        """Every element has a value before anything reads it."""
        seed = self.random.randint(3, 91)
        if store.flat:
            self.mixed.emit(f"for (int i = 0; i < {store.count}; ++i) {store.at('i')} = ({store.element})((i * {seed} + 1) % 31); /*keep*/")
        else:
            high, wide = store.counts
            self.mixed.emit(f"for (int i = 0; i < {high}; ++i) for (int j = 0; j < {wide}; ++j) "
                            f"{store.at('i', 'j')} = ({store.element})((i * {seed} + j * 5) % 31); /*keep*/")

    # ---------------------------------------------------------------- one dimension

    def line(self, name, element):
        mixed, capacity = self.mixed, self.mixed.capacity
        kinds = ["malloc", "malloc", "calloc", "static", "global", "local", "plain"]
        if not mixed.c:
            kinds += ["new", "new", "vector", "vector"] + ["unique"] * 3 * mixed.has("smart pointers") + ["array"] * 3 * mixed.has("arrays")
        kind = self.random.choice(kinds)
        managed = f"#pragma ompx managed({name})\n"
        text, release, pointer, swap = {
            "malloc": (f"{element} *{name} = ({element} *)malloc(sizeof({element}) * (n + 1));", f"free({name});", name, "malloc"),
            "plain": (f"{element} *{name} = ({element} *)malloc(sizeof({element}) * (n + 1));", f"free({name});", name, "malloc"),
            "calloc": (f"{element} *{name} = ({element} *)calloc(n + 1, sizeof({element}));", f"free({name});", name, "malloc"),
            "static": (f"static {element} {name}[{capacity}];", "", name, ""),
            "global": (f"static {element} {name}[{capacity}];", "", name, ""),
            "local": (f"{element} {name}[{min(capacity, 5000)}];", "", name, ""),
            "new": (f"{element} *{name} = new {element}[n];", f"delete[] {name};", name, "new"),
            "vector": (f"std::vector<{element}> {name}(n);", "", f"{name}.data()", "vector"),
            "unique": (self.mixed.any(f"std::unique_ptr<{element}[]> {name}(new {element}[n + 1]());", f"auto {name} = std::make_unique<{element}[]>(n + 1);"),
                       "", f"{name}.get()", "unique"),
            "array": (f"{self.mixed.any('static ', '')}std::array<{element}, {min(capacity, 5000)}> {name};", "", f"{name}.data()", ""),
        }[kind]
        text += " /*keep*/"
        if kind == "global":
            mixed.globals.append(managed + text)
        else:
            mixed.emit(("" if kind == "plain" else managed) + text)
        place = f"{name}[{{0}}]" if self.random.random() < 0.9 or kind in ("unique", "array", "vector") else f"(*({name} + ({{0}})))"
        family = f"{swap} {element}" if swap else name
        self.fill(self.add(Store(name, element, place, ("n",), family, pointer, kind=swap, release=release)))

    def structs(self, name):
        mixed = self.mixed
        spelled = self.random.choice(["malloc"] if mixed.c else ["malloc", "vector", "new"])
        text, release = {
            "malloc": (f"Pt *{name} = (Pt *)malloc(sizeof(Pt) * (n + 1));", f"free({name});"),
            "vector": (f"std::vector<Pt> {name}(n);", ""), "new": (f"Pt *{name} = new Pt[n];", f"delete[] {name};")}[spelled]
        mixed.emit(f"#pragma ompx managed({name})\n{text} /*keep*/")
        mixed.emit(f"for (int i = 0; i < n; ++i) {{ Pt p; p.x = i % 9; p.w[0] = i % 5; p.w[1] = 2; p.in.k[0] = i % 7; p.in.k[1] = 1; p.in.k[2] = i % 3; "
                   f"p.in.tag = (short)(i % 11); {name}[i] = p; }} /*keep*/")
        members = [("double", ".x"), ("float", f".w[{mixed.any('0', '1', '({0}) & 1')}]"), ("int", ".in.k[({0}) % 3]"), ("short", ".in.tag")]
        for number, (element, member) in enumerate(self.random.sample(members, 2)):
            self.add(Store(f"{name}_{number}", element, f"{name}[{{0}}]{member}", ("n",), name, whole=f"{name}[{{0}}]", release=release))
            release = ""

    def alias(self):
        """A second name for a part of an array; nothing of the array's family is read where it is written."""
        based = [s for s in self.all if s.flat and s.kind in ("malloc", "new")]
        if not based:
            return
        base, skip = self.random.choice(based), 0 if self.mixed.has("odd sizes") else self.random.randint(0, 3)
        name = self.mixed.unique("part")
        self.mixed.emit(f"{base.element} *{name} = {base.pointer} + {skip}; /*keep*/")
        self.mixed.fixed.add(base.family)
        self.add(Store(name, base.element, f"{name}[{{0}}]", (f"(n - {skip})" if skip else "n",), base.family, name))

    # ---------------------------------------------------------------- more dimensions

    def nested(self, name, element):
        mixed = self.mixed
        type_ = f"std::vector<std::vector<{element}>>"
        row = f"std::vector<{element}>(columns)"
        text = mixed.any(f"{type_} {name}(rows, {row});", f"{type_} {name}; {name}.resize(rows, {row});",
                         f"{type_} {name}(rows); for (auto &row : {name}) row.resize(columns);",
                         f"{type_} {name}; for (int i = 0; i < rows; ++i) {name}.push_back({row});",
                         f"{type_} {name}(rows); for (int i = rows; i-- > 0;) {name}[i].assign(columns, ({element})1);")
        mixed.emit(f"#pragma ompx managed({name})\n{text} /*keep*/")
        self.fill(self.add(Store(name, element, f"{name}[{{0}}][{{1}}]", ("rows", "columns"), f"nested {element}", None, f"{name}[{{0}}].data()", kind="nested")))

    def table(self, name, element):
        """Rows behind pointers: one block, or row by row."""
        mixed = self.mixed
        if mixed.any(True, False):
            mixed.emit(f"#pragma ompx managed({name})\n{element} **{name} = ({element} **)malloc(sizeof({element} *) * (rows + 1)); /*keep*/\n"
                       f"for (int i = 0; i < rows; ++i) {name}[i] = ({element} *)malloc(sizeof({element}) * (columns + 1)); /*keep*/")
            release, kind = f"for (int i = 0; i < rows; ++i) free({name}[i]);\nfree({name});", "row table"
        else:
            mixed.emit(f"{element} **{name} = ({element} **)malloc(sizeof({element} *) * (rows + 1)); /*keep*/\n#pragma ompx managed({name}[0])\n"
                       f"{name}[0] = ({element} *)malloc(sizeof({element}) * (rows * columns + 1)); /*keep*/\n"
                       f"for (int i = 1; i < rows; ++i) {name}[i] = {name}[0] + i * columns; /*keep*/")
            release, kind = f"free({name}[0]);\nfree({name});", "block table"
        self.fill(self.add(Store(name, element, f"{name}[{{0}}][{{1}}]", ("rows", "columns"), f"{kind} {element}", None, f"{name}[{{0}}]", kind=kind, release=release)))

    def flat_matrix(self):
        mixed, element, name = self.mixed, self.element(), self.mixed.unique("m")
        if mixed.any(True, True, False):
            mixed.emit(f"#pragma ompx managed({name})\n{element} *{name} = ({element} *)malloc(sizeof({element}) * (rows * columns + 1)); /*keep*/")
            place = mixed.any(f"{name}[({{0}}) * columns + ({{1}})]", f"{name}[IDX({{0}}, {{1}})]" if mixed.has("macros") else f"{name}[({{1}}) + columns * ({{0}})]")
            row, release = f"({name} + ({{0}}) * columns)", f"free({name});"
        else:
            high, wide = mixed.high_most, mixed.wide_most
            text = mixed.any(f"static {element} {name}[{high}][{wide}];", f"{element} (*{name})[{wide}] = ({element} (*)[{wide}])malloc(sizeof({element}) * {high * wide});",
                             "" if mixed.c else f"static std::array<std::array<{element}, {wide}>, {high}> {name};") or f"static {element} {name}[{high}][{wide}];"
            mixed.emit(f"#pragma ompx managed({name})\n{text} /*keep*/")
            place, row, release = f"{name}[{{0}}][{{1}}]", f"&{name}[{{0}}][0]", f"free({name});" if "malloc" in text else ""
        self.fill(self.add(Store(name, element, place, ("rows", "columns"), row=row, release=release)))

    def cube(self):
        name, element = self.mixed.unique("cube"), self.element()
        self.mixed.emit(f"#pragma ompx managed({name})\n{element} *{name} = ({element} *)malloc(sizeof({element}) * (rows * columns * 3 + 1)); /*keep*/")
        self.fill(self.add(Store(name, element, f"{name}[{{0}}]", ("(rows * columns * 3)",), pointer=name, kind="cube", release=f"free({name});")))
