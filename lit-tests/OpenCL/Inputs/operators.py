# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a program that applies every operator to every pair of arithmetic types, once as compiled C++ and once as
printed OpenCL C, and compares all results bit for bit.

Values are chosen so that no operation is undefined in C++: signed results fit, nothing is divided by zero, floating
values that become integers are in their range.
"""

# name, C++ type, size in bits, kind (b bool, s signed, u unsigned, f floating)
TYPES = [("bool", "bool", 8, "b"), ("char", "char", 8, "s"), ("schar", "signed char", 8, "s"),
         ("uchar", "unsigned char", 8, "u"), ("short", "short", 16, "s"), ("ushort", "unsigned short", 16, "u"),
         ("int", "int", 32, "s"), ("uint", "unsigned", 32, "u"), ("long", "long", 64, "s"),
         ("ulonglong", "unsigned long long", 64, "u"), ("wide", "char16_t", 16, "u"), ("color", "Color", 32, "s"),
         ("float", "float", 32, "f"), ("double", "double", 64, "f")]
COUNT = 37


def values(name, bits, kind):
    if kind == "b":
        return "(x & 1) != 0"
    if kind == "f":
        return "1 + (x % 1000) / 40.0f" if name == "float" else "1 + (x % 1000) / 40.1"
    if bits == 8:
        return "x % 201 - 100" if kind == "s" else "x % 256"
    if bits == 16:
        return "x % 60001 - 30000" if kind == "s" else "x % 40000"
    if kind == "s":
        return "x % 60001 - 30000"
    return "x" if bits == 32 else "x * 0x9e3779b97f4a7c15ull"


def is_float(a, b):
    return "f" in (a[3], b[3])


def common(a, b):
    """Of the usual arithmetic conversions: 'd', 'f' or an integer."""
    for one in (a, b):
        if one[0] == "double":
            return "double"
    return "float" if is_float(a, b) else "int"


def statements(a, b):
    """(statement, C++ expression, is floating) triples for operands p and q."""
    out = []
    floating = is_float(a, b)
    for op in ["+", "-", "*"]:
        out.append(("", f"p {op} q", floating))
    out.append(("", "q != 0 ? p / q : p", floating))
    for op in ["<", "<=", ">", ">=", "==", "!=", "&&", "||"]:
        out.append(("", f"p {op} q", False))
    out.append(("", f"p < 5 ? ({a[1]})p : q", floating))
    out.append(("", "(p, q)", b[3] == "f"))
    out.append(("", f"({a[1]})q" if a[3] != "u" or not floating else f"({a[1]})(q < 5)", a[3] == "f"))
    if not floating:
        out.append(("", "q != 0 ? p % q : q", False))
        for op in ["&", "|", "^"]:
            out.append(("", f"p {op} q", False))
        for op in ["<<", ">>"]:
            out.append(("", f"p {op} (q & 7)", False))
    is_enum = a[0] == "color"
    if not is_enum:
        compound = [("+=", "q"), ("/=", "(q != 0 ? q : 1)")]
        if a[3] != "u" or not floating:
            compound += [("-=", "q")]
        if a[3] in "bf" or not floating:
            compound += [("*=", "q")]
        if not floating:
            compound += [("&=", "q"), ("|=", "q"), ("^=", "q"), ("<<=", "(q & 3)"), (">>=", "(q & 3)"), ("%=", "(q ? q : 1)")]
        if a[3] == "f":
            compound = compound[:4]
        if a[2] == 8 and a[3] == "s" and floating:
            compound = compound[:3]
        for op, right in compound:
            out.append((f"{a[1]} t = p; t {op} {right};", "t", a[3] == "f"))
        out.append((f"{a[1]} t = {'q' if not (floating and a[3] in 'su' and a[2] == 8) else 'q > 3'};", "t", a[3] == "f"))
    return out


def unary(a):
    out = [("", "-p", a[3] == "f"), ("", "+p", a[3] == "f"), ("", "!p", False)]
    if a[3] != "f":
        out.append(("", "~p", False))
    if a[3] != "b" and a[0] != "color":
        for text in ["t++ + t", "++t", "t-- - t", "--t"]:
            before, expr = (f"{a[1]} t = p;", text)
            if text in ("t++ + t", "t-- - t"):
                before, expr = (f"{a[1]} t = p; {a[1]} r = {text.split()[0]};", "r")
            out.append((before, expr, a[3] == "f"))
    return out


def function(a):
    cases = [(None, case) for case in unary(a)] + [(b, case) for b in TYPES for case in statements(a, b)]
    lines, params = [], []
    for b in TYPES:
        params.append(f"const {b[1]} *v_{b[0]}")
    lines.append(f"void pairs_{a[0]}(int n, const {a[1]} *v, {', '.join(params)}, long *whole, double *real) {{")
    lines.append("#pragma omp parallel for")
    lines.append("  for (int i = 0; i < n; ++i) {")
    whole = real = 0
    for b, (before, expr, floating) in cases:
        operand = f"const {a[1]} p = v[i]; " + (f"const {b[1]} q = v_{b[0]}[i]; " if b else "")
        if floating:
            target, real = f"real[i * REALS + {real}]", real + 1
        else:
            target, whole = f"whole[i * WHOLES + {whole}]", whole + 1
        lines.append(f"    {{ {operand}{before} {target} = {expr}; }}")
    lines.append("  }")
    lines.append("}")
    text = "\n".join(lines).replace("REALS", str(max(real, 1))).replace("WHOLES", str(max(whole, 1)))
    if not real:
        text = text.replace(", double *real", "")
    return text, max(whole, 1), real


def main():
    print("#include <cstdio>\n#include <vector>")
    print("enum Color { Black = -100, Red = 1, Green = 30000 };\n#ifndef __MUSTER__\n#include \"KernelRunner.h\"\n#endif")
    # One managed array makes this a file that the plugin serves.
    print("#pragma omp managed(anchor)\nint *anchor = new int[1];")
    calls = []
    for a in TYPES:
        text, whole, real = function(a)
        print(text)
        calls.append((a, whole, real))
    print("#ifndef __MUSTER__\nstatic int failures = 0;")
    print(f"static const int n = {COUNT};")
    print("static unsigned next() { static unsigned state = 7; state = state * 1664525u + 1013904223u; return state >> 3; }")
    print("""template <typename T>
void compare(const char *what, const std::vector<T> &expected, const std::vector<T> &got) {
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (std::memcmp(&expected[i], &got[i], sizeof(T)) != 0 && ++failures < 20)
      std::printf("%s: result %zu of iteration %zu: C++ %.17g, OpenCL %.17g\\n", what, i % (expected.size() / n), i / (expected.size() / n),
                  (double)expected[i], (double)got[i]);
}""")
    print("int main(int, char **argv) {\n  Kernels kernels(argv[1]);")
    for b in TYPES:
        element = b[1] if b[0] != "bool" else "char"
        print(f"  std::vector<{element}> v_{b[0]}(n);")
        print(f"  for (auto &e : v_{b[0]}) {{ const long long x = next(); e = ({b[1]})({values(b[0], b[2], b[3])}); }}")
    for a, whole, real in calls:
        names = ", ".join(f"({b[1]} *)v_{b[0]}.data()" for b in TYPES)
        print(f"  {{\n    std::vector<long> whole(n * {whole}), wholeDevice(whole);")
        if real:
            print(f"    std::vector<double> real(n * {real}), realDevice(real);")
        print(f"    pairs_{a[0]}(n, ({a[1]} *)v_{a[0]}.data(), {names}, whole.data(){', real.data()' if real else ''});")
        print(f"    Launch launch(kernels, \"pairs_{a[0]}\");")
        print(f"    launch.dim(0, 1, n).array(\"v\", v_{a[0]}).array(\"whole\", wholeDevice);")
        if real:
            print("    launch.array(\"real\", realDevice);")
        for b in TYPES:
            print(f"    launch.array(\"v_{b[0]}\", v_{b[0]});")
        print("    launch.run();")
        print(f"    compare(\"{a[0]}, integers\", whole, wholeDevice);")
        if real:
            print(f"    compare(\"{a[0]}, floating\", real, realDevice);")
        print("  }")
    print("  std::printf(\"%d failures\\n\", failures);\n  return failures != 0;\n}\n#endif")


main()
