# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Classes of a mixed program whose members are arrays and whose methods launch loops; class templates in a header."""
from .loops import loops_over
from .stores import Store


class Classes:
    def __init__(self, mixed):
        self.mixed, self.random, self.any = mixed, mixed.random, mixed.any

    def members(self, element):
        """(declaration, what the constructor does, what the destructor does, store) of each member that is an array."""
        mixed, capacity = self.mixed, min(self.mixed.capacity, 5000)
        options = {
            "pointer": (f"{element} *NAME;", f"#pragma ompx managed(NAME)\nNAME = new {element}[n + 1]();", "delete[] NAME;", "NAME"),
            "early": (f"#pragma ompx managed(NAME)\n{element} *NAME = new {element}[5001]();", "", "delete[] NAME;", "NAME"),
            "malloc": (f"#pragma ompx managed(NAME)\n{element} *NAME;", f"NAME = ({element} *)calloc(n + 1, sizeof({element}));", "free(NAME);", "NAME"),
            "vector": (f"#pragma ompx managed(NAME)\nstd::vector<{element}> NAME;", self.any("NAME.resize(n);", f"NAME = std::vector<{element}>(n);"), "", "NAME.data()"),
            "fixed": (f"#pragma ompx managed(NAME)\n{element} NAME[{capacity}] = {{}};", "", "", "NAME"),
            "array": (f"#pragma ompx managed(NAME)\nstd::array<{element}, {capacity}> NAME = {{}};", "", "", "NAME.data()"),
            "unique": (f"#pragma ompx managed(NAME)\nstd::unique_ptr<{element}[]> NAME;", f"NAME.reset(new {element}[n + 1]());", "", "NAME.get()"),
            "nested": (f"#pragma ompx managed(NAME)\nstd::vector<std::vector<{element}>> NAME;", f"NAME.resize(rows, std::vector<{element}>(columns));", "", None),
        }
        names = ["pointer", "pointer", "early", "malloc", "vector", "vector", "fixed"] + ["array"] * mixed.has("arrays")
        names += ["unique"] * mixed.has("smart pointers") + ["nested"] * mixed.has("nested vectors")
        for _ in range(self.random.randint(2, 4)):
            kind, name = self.random.choice(names), mixed.unique("u")
            texts = [t and t.replace("NAME", name) for t in options[kind]]
            spelled = self.any(name, name, f"this->{name}")
            if kind == "nested":
                yield (*texts[:3], kind, Store(name, element, f"{spelled}[{{0}}][{{1}}]", ("rows", "columns"), row=f"{name}[{{0}}].data()", kind="member"))
            else:
                yield (*texts[:3], kind, Store(name, element, f"{spelled}[{{0}}]", ("n",), pointer=texts[3], kind="member"))

    def define(self, name, element):
        """The text of the class, and its stores with their kinds."""
        members = list(self.members(element))
        loops = loops_over(self.mixed, [m[4] for m in members], ordered=False)
        def method(signature, texts):
            return f"  {signature} {{\n" + "\n".join(texts) + "\n  }"
        def some(count):
            return [self.any(loops.line, loops.line, loops.matrix)() for _ in range(count)]
        methods = [method("void step(int shift)", some(self.random.randint(1, 3))),
                   method("void again(int shift, int times)", ["for (int t = 0; t < times; ++t) {", *some(1), "step(shift + t);", "}"]),
                   method("void measure(int shift)", [loops.reduction(), loops.reduction()])]
        if self.mixed.has("regions"):
            methods.append(method("void team(int shift)", ["#pragma omp parallel", "{", loops.line("for"), self.any(loops.line, loops.matrix)("for"), "}"]))
        else:
            methods.append(method("void team(int shift)", some(1)))
        pairs = [(a, b) for a in members for b in members if a[4].name < b[4].name and a[3] == b[3] and a[3] in ("pointer", "early", "malloc", "vector", "unique", "nested")]
        methods.append(method("void exchange()", [f"std::swap({a[4].name}, {b[4].name});" for a, b in pairs[:1]]))
        shown = [f"SHOW(\"{m[4].name}\", n, {m[4].name}[q]);" if m[4].flat else f"SHOW(\"{m[4].name}\", rows * columns, {m[4].name}[q / columns][q % columns]);" for m in members]
        methods.append(method("void show()", shown))
        template = "template <class T>\n" if element == "T" else ""
        constructor = "\n".join(m[1] for m in members if m[1])
        text = (f"{template}class {name} {{\n public:\n  int n, rows, columns;\n  {name}(int n, int rows, int columns) : n(n), rows(rows), columns(columns) {{\n{constructor}\nstart();\n  }}\n"
                f"  {name}(const {name} &) = delete;\n  ~{name}() {{ {' '.join(m[2] for m in members)} }}\n"
                + method("void start()", [self.start(m[4]) for m in members]) + "\n" + "\n".join(methods) + "\n" + "\n".join(m[0] for m in members) + "\n};\n")
        return text, members

    def start(self, store):
        cast = store.element
        if store.flat:
            return f"for (int i = 0; i < n; ++i) {store.at('i')} = ({cast})(i * {self.random.randint(1, 9)} % 31);"
        return f"for (int i = 0; i < rows; ++i) for (int j = 0; j < columns; ++j) {store.at('i', 'j')} = ({cast})((i + j * 3) % 31);"

    def use(self, template):
        """Declares a class and objects of it; their arrays are stores of the program's, too."""
        mixed, name = self.mixed, self.mixed.unique("Field")
        element = "T" if template else mixed.stores.element()
        text, members = self.define(name, element)
        if template:
            mixed.header += text
        else:
            mixed.program.functions.append(text)
        for kind in self.random.sample(["double", "float", "int", "long"] + ["_Float16"] * mixed.has("half"), self.random.randint(1, 2)) if template else [element]:
            object_, of = mixed.unique("f"), f"{name}<{kind}>" if template else name
            made = self.any("plain", "unique", "static") if any(m[3] in ("fixed", "array") for m in members) else self.any("plain", "plain", "unique")
            if made == "static" and mixed.has("twice"):
                made = "unique"  # its sizes are those of the first call
            access = f"{object_}->" if made == "unique" else f"{object_}."
            mixed.emit({"plain": f"{of} {object_}(n, rows, columns); /*keep*/", "static": f"static {of} {object_}(n, rows, columns); /*keep*/",
                        "unique": f"auto {object_} = std::make_unique<{of}>(n, rows, columns); /*keep*/"}[made])
            mixed.objects.append(lambda access=access: self.method(access))
            for member in members:
                store = member[4]
                place = f"{access}{store.name}" + ("[{0}]" if store.flat else "[{0}][{1}]")
                mixed.stores.add(Store(f"{object_}_{store.name}", kind, place, store.counts, family=object_, pointer=store.pointer and access + store.pointer, kind="member"))

    def method(self, access):
        return access + self.any("step(shift);", f"again(shift, {self.random.randint(1, 3)});", "measure(shift);", "team(shift);", "exchange();", "exchange();", "show();")

    def call(self):
        return self.random.choice(self.mixed.objects)()

    def use_struct(self):
        """What C has instead: a struct of pointers and arrays, and functions that get a pointer to it."""
        mixed, name = self.mixed, self.mixed.unique("grid")
        elements = [mixed.stores.element() for _ in range(3)]
        capacity = min(mixed.capacity, 5000)
        managed = self.any("", "#pragma ompx managed(fixed)\n", "#pragma ompx managed(fixed)\n")
        text = f"struct {name} {{ int n; {elements[0]} *u, *v; {elements[1]} *w; double *tab[2];\n{managed}{elements[2]} fixed[{capacity}];\n}};\n"
        inside = [Store("u", elements[0], "g->u[{0}]", ("g->n",), "uv"), Store("v", elements[0], "g->v[{0}]", ("g->n",), "uv2"), Store("w", elements[1], "g->w[{0}]", ("g->n",)),
                  Store("fixed", elements[2], "g->fixed[{0}]", ("g->n",)), Store("tab", "double", "g->tab[1][{0}]", ("g->n",))]
        loops = loops_over(mixed, inside, ordered=False)
        region = ["#pragma omp parallel", "{", loops.line("for"), loops.line("for"), "}"] if mixed.has("regions") else [loops.line()]
        text += f"static void {name}Step(struct {name} *g, int shift) {{\n" + "\n".join([loops.line(), loops.line()]) + "\n}\n"
        text += f"static void {name}Again(struct {name} *g, int shift, int times) {{\nfor (int t = 0; t < times; ++t) {{\n" + "\n".join(region) + \
            f"\n{elements[0]} *hold = g->u; g->u = g->v; g->v = hold;\n}}\n{loops.reduction()}\n}}"
        mixed.program.functions.append(text)
        mixed.emit(f"static struct {name} {name}; /*keep*/\n{name}.n = n; /*keep*/")
        for member, element in (("u", elements[0]), ("v", elements[0]), ("w", elements[1]), ("tab[0]", "double"), ("tab[1]", "double")):
            mixed.emit(f"#pragma ompx managed({name}.{member})\n{name}.{member} = ({element} *)malloc(sizeof({element}) * (n + 1)); /*keep*/")
        mixed.objects.append(lambda: self.any(f"{name}Step(&{name}, shift);", f"{name}Again(&{name}, shift, 2);"))
        for store in inside + [Store("tab0", "double", "g->tab[0][{0}]", ("n",))]:
            place = store.place.replace("g->", f"{name}.")
            added = mixed.stores.add(Store(f"{name}_{store.name}", store.element, place, ("n",), family=name, kind="member"))
            if store.name != "fixed":
                added.release = f"free({place[:-5]});"
            mixed.stores.fill(added)
