# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of records of many shapes: iterations touch all members of their own record, or some, or some at times, by
subscripts, pointers and references, copy whole ones, and read other records. All values are whole numbers that stay
small.
"""
from .idioms import Idioms, Part

KINDS = ["double", "float", "int", "short", "unsigned char", "long"]


class Records(Part):
    def __init__(self, mixed):
        super().__init__(mixed)
        self.idioms = Idioms(mixed)

    def some(self):
        n = self.mixed.unique("bodies")
        self.type, self.members = self.record()
        count = f"({n} + 1)"
        names = [self.mixed.unique(stem) for stem in ("own", "other", "seen")[:self.any(1, 2, 3)]]
        arrays = "".join(self.array(name, count) for name in names)
        list_ = self.idioms.array("int", f"(4 * {n} + 4)", f"(i * {self.any(7, 11, 13)}l + 3) % {n}", self.mixed.unique("list"))
        self.own, self.others, self.list, self.n = names[0], names[1:], list_[0], n
        self.prelude = ""
        place = self.place(self.own, "i")
        body = "".join(self.statement(place) + "\n" for _ in range(self.any(1, 2, 3, 4, 6)))
        if self.others and self.maybe(0.5):
            body = self.gather() + body
        if self.others and self.maybe(0.3):
            body += f"{self.own}[i] = {self.others[0]}[i];\n" if self.maybe(0.5) else f"const {self.type} whole = {self.others[0]}[i];\n{self.set(place, '(int)whole' + self.any(*self.members)[0])}\n"
        head = self.any(f"for (int i = 0; i < {n}; ++i)", f"for (int i = 0; i < {n}; ++i)", f"for (long i = {n} - 1; i >= 0; --i)",
                        f"for (int i = 0; i < {n}; i += 3)")
        shows = "".join(f"SHOW(\"{name}{member}\", {n}, {name}[q]{member});\n" for name in names for member, _ in self.shown)
        return (f"{{ {self.values((n, self.any(1, 6, 31, 100, 1000, 3000)))}{arrays}{list_[1]}"
                f"for (int round = 0; round < 2; ++round) {{\n#pragma omp parallel for\n{head} {{\n{self.prelude}{body}}}\n}}\n"
                f"{shows}{self.end(arrays, names)}{self.idioms.end(list_)} }}")

    def record(self):
        """A type of its own, and (how a member is named, its kind) for each number in it."""
        name = self.mixed.unique("Rec")
        kinds = self.random.choice([["float"], ["double"], ["float", "float", "int"], ["int", "short", "short"], KINDS])
        fields, members = "", []
        plain = self.maybe(0.5)  # numbers alone, and words full of them
        for number in range(self.any(2, 4, 4, 8) if plain else self.any(1, 2, 3, 4, 6, 8)):
            kind, field = self.any(*kinds), f"f{number}"
            form = 0 if plain else self.random.random()
            if form < 0.8:
                fields += f"  {kind} {field};\n"
                members.append((f".{field}", kind))
            elif form < 0.9:
                count = self.any(2, 3, 4)
                fields += f"  {kind} {field}[{count}];\n"
                members += [(f".{field}[{at}]", kind) for at in range(count)]
                members.append((f".{field}[i % {count}]", kind))
            else:
                fields += f"  struct {{ {kind} a, b; }} {field};\n"
                members += [(f".{field}.a", kind), (f".{field}.b", kind)]
        self.mixed.globals.append(f"typedef struct {name} {{\n{fields}}} {name};")
        self.shown = [member for member in members if "%" not in member[0]]
        return name, members

    def array(self, name, count):
        made = f"{self.type} *{name} = ({self.type} *)malloc(sizeof({self.type}) * {count});"
        if not self.mixed.c and self.maybe(0.4):
            made = self.any(f"std::vector<{self.type}> {name}({count});", f"{self.type} *{name} = new {self.type}[{count}];")
        sets = "".join(f" {name}[i]{member} = ({kind})((i * {self.any(3, 5, 7)} + {number}) % {self.any(7, 11, 13)});" for number, (member, kind) in enumerate(self.shown))
        return f"#pragma ompx managed({name})\n{made} /*keep*/\nfor (int i = 0; i < {count}; ++i) {{{sets} }} /*keep*/\n"

    def end(self, text, names):
        return "".join(f"free({name});\n" if f"*{name} = ({self.type} *)malloc" in text else f"delete[] {name};\n" if f"*{name} = new" in text else "" for name in names)

    def place(self, array, index):
        """How members of a record are named: what stands in front of `.f`."""
        form = self.any("plain", "plain", "pointer", "pointer", "sum", "reference")
        own = self.mixed.unique("at")
        constant = "" if array == self.own else self.any("", "const ")
        if form == "reference" and not self.mixed.c:
            self.prelude += f"{constant}{self.type} &{own} = {array}[{index}];\n"
            return own
        if form == "pointer":
            self.prelude += f"{constant}{self.type} *{own} = &{array}[{index}];\n"
            return f"(*{own})"
        if form == "sum":
            self.prelude += f"const {self.any('int', 'long')} {own} = {index};\n"
            return f"{array}[{own}]"
        return f"{array}[{index}]"

    def member(self, place):
        return self.spelled(place, self.any(*self.members)[0])

    def spelled(self, place, member):
        return f"{place[2:-1]}->{member[1:]}" if place.startswith("(*") and self.maybe(0.8) else place + member

    def set(self, place, value, operator="="):
        member, kind = self.any(*self.members)
        return f"{self.spelled(place, member)} {operator} ({kind})(({value}) & 31);"

    def term(self, place):
        return self.any(f"(int){self.member(place)}", f"(int){self.member(place)}", "(int)i % 5", "3")

    def statement(self, place):
        form = self.any("set", "set", "set", "all", "all", "all", "all", "update", "condition", "choice", "loop", "step")
        total = " + ".join(self.term(place) for _ in range(self.any(1, 2, 3)))
        if self.others and self.maybe(0.4):
            total += f" + (int){self.any(*self.others)}[{self.any('i', f'{self.n} - 1 - i')}]{self.any(*self.members)[0]}"
        if form == "all":
            return " ".join(f"{self.spelled(place, member)} = ({kind})(((int){self.member(place)} + {number}) & 31);" for number, (member, kind) in enumerate(self.shown))
        if form == "update":
            member, kind = self.any(*self.shown)
            here = self.spelled(place, member)
            return f"{here} {self.any('+=', '-=')} ({kind})({self.any(1, 2)}); {here} = ({kind})((int){here} & 31);"
        if form == "condition":
            return f"if ({self.term(place)} {self.any('>', '<', '==')} {self.any(2, 5, 9)}) {{ {self.set(place, total)} }}" + (f" else {{ {self.set(place, total + ' + 1')} }}" if self.maybe(0.4) else "")
        if form == "choice":
            return self.set(place, f"({self.term(place)} > 6 ? {self.term(place)} : {total})")
        if form == "loop":
            return f"for (int r = 0; r < {self.any(2, 3)}; ++r) {{ {self.set(place, total + ' + r')} }}"
        if form == "step":
            member, kind = self.any(*self.shown)
            here = self.spelled(place, member)
            return f"{here}++; {here} = ({kind})((int){here} & 31);"
        return self.set(place, total)

    def gather(self):
        """Reads other records, some of which a condition leaves out."""
        array, own, at = self.any(*self.others), self.mixed.unique("sum"), self.mixed.unique("near")
        index = self.any(f"{self.list}[i * 4 + r]", f"(i + r * 3) % {self.n}", f"({self.list}[i] + r) % {self.n}")
        terms = " + ".join(f"(int){array}[{at}]{self.any(*self.members)[0]}" for _ in range(self.any(2, 3, 4)))
        skip = self.any("", f"if ({at} == i) continue; ", f"if ((int){array}[{at}]{self.any(*self.members)[0]} > 5) continue; ", f"if ({own} > 40) break; ")
        late = f" {own} += (int){array}[{at}]{self.any(*self.members)[0]} & 3;"
        moved = self.any("", "", f" {at} = ({at} + 1) % {self.n};")
        return (f"int {own} = 0;\nfor (int r = 0; r < 4; ++r) {{ int {at} = (int)({index}); {own} += ({terms}) & 15; {skip}{moved}{late} }}\n"
                f"{self.set(f'{self.own}[i]', own)}\n")
