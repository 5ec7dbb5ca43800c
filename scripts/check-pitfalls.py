#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ties every text with which the plugin refuses something to docs/pitfalls.md and to a lit test.

The texts are the string literals of clang-plugin/ that are prose, put together as the source does ("..." stands for
what is known at compile time only; a conditional expression gives one text for each branch). --list prints them.
"""
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# What these write is no refusal: printers of stages, arguments of the plugin, frames of remarks, emitted code.
NO_REFUSALS = ("analysis/PrintFacts.cpp", "plan/PrintPlan.cpp", "Options.cpp", "Plugin.cpp", "OptRecords.cpp",
               "source/Remarks.cpp", "plan/RemarkPlan.cpp", "DiagnosticFilter.cpp", "analysis/walk/LoopBounds.cpp", "rewrite/launch/LoopLaunch.cpp",
               "rewrite/launch/LaunchForms.cpp", "rewrite/native/LoopNative.cpp", "rewrite/Loops.cpp", "rewrite/native/StandIns.cpp")
TOKEN = re.compile(
    r'(?P<skip>//[^\n]*|/\*.*?\*/|^[ \t]*#[^\n]*|\s+)'
    r'|(?P<literal>"(?:[^"\\\n]|\\.)*")|(?P<char>\'(?:[^\'\\\n]|\\.)+\')|(?P<name>\w+)|(?P<mark>::|->|.)',
    re.S | re.M)
WORDS = re.compile(r"[A-Za-z]+'?[a-z]*[ ,:]+[A-Za-z]+")
CODE = re.compile(r"muster(_|\+|::)|^#|//|\s=|=\s|[{}<>\\|]|::|->|;\s*$|^\s*(static|const|unsigned|long|struct|union|typedef|else)\b|\w\(")
WRAPPERS = {"std", "llvm", "string", "Twine", "StringRef", "str", "return"}
# Parts of notes and of printed stages.
NO_REFUSAL = re.compile(
    r"(\.\.\. ?)?(allocated at|directive |managed '|declared here|it stands before this$|what can be managed are|by this directive|the block starts here|this declares|its element type \.\.\. \.\.\.$|"
    r"iteration of \.\.\.\)|the assignment$|the value that is assigned$|the end of the line$|loop variable$|two edits of|\(iteration of|"
    r"no index of it|its indexes follow the loops|only loops that stay|no loop of this file uses it|"
    r"(array )?'\.\.\.' stays a plain array: \.\.\.$|'\.\.\.' cannot be managed: \.\.\.$|new T\[n\], malloc)")
# A second line of defence: an earlier stage (clang's included) refuses such programs, so no test can reach these.
# Remove a text from here when a test does.
UNREACHED = set("""
is outside of a function
'reduction' of '...', which is not of arithmetic type
is in a constexpr function
is in a system header
uses one variable for two loops
has loops that not all instantiations of its template distribute
calls a method through a pointer
calls the method '...'
calls the library function '...'
calls virtual function ...
calls '...' with a variable number of arguments
calls a function through a pointer, which OpenCL does not have
uses a smart pointer to something else than an array outside of the loop
uses a smart pointer that is not an array of the loop
'firstprivate' names something other than a variable
'reduction' over a section with bounds that are no scalars
have an array member of unknown length...
has the private variable '...' of variable size
uses the structured binding '...'
uses variable arguments or a coroutine
contains a statement of kind ...
passes ... bytes of small arrays and objects by value
uses an element of a type that OpenCL does not have
updates an element of a type that OpenCL does not have
has a parameter or a result that is more than numbers, structs of them, or a pointer to such
asks for the size of '...'
uses a lambda that names '...', which is no variable here
constructs an array of objects
compares complex numbers that are the results of calls or assignments
uses operator '...' on complex numbers
depends on the order in which operands are evaluated
changes variables on both sides of operator '...'
computes with complex numbers of two precisions
has ... parallel dimensions, OpenCL has 1 to 3
has a lastprivate variable and parallel inner loops
uses an integer literal of more than 64 bits
uses an expression whose value the compiler does not know
uses a constant that OpenCL does not have
sets an array to zero in an expression
uses a string
uses variable '...', which is not passed to the kernel
uses '...', which has rows of unknown length, without an index
uses member '...'
uses 'this' of the enclosing function
takes the address of a row of unknown length
takes the address of a cast (...)
takes the address of '...'
takes the address of a value
takes the address of a ...
changes '...', which all iterations share
uses operator '...' on a type that OpenCL does not have it for
declares a ... inside the code
has static variable '...'
uses a case value that is not constant
returns from the loop's body
uses an array of pointers
uses a pointer to a function or a member, which OpenCL does not have
uses ..., which is incomplete
uses ..., which has a destructor
uses a lambda
uses ..., which has virtual functions or base classes
uses a virtual base class
this is no declaration of a variable
the number of its elements is not known here
it is a nothrow new
new with an initializer list
its elements have a constructor, and its size cannot be evaluated twice
it is allocated by a call
'...' gets memory that is not managed here: it is initialized in a macro, or in a file that cannot be rewritten
""".strip().splitlines())


def tokenize(text):
    tokens = []
    for match in TOKEN.finditer(text):
        if match.lastgroup == "skip":
            continue
        line = text.count("\n", 0, match.start()) + 1
        tokens.append((match.lastgroup, match.group(), line))
    return tokens


def is_prose(literal):
    return bool(WORDS.search(literal)) and not CODE.search(literal)


def matching(tokens, start, step):
    """The index of the bracket that belongs to the one at `start`."""
    depth = 0
    for at in range(start, len(tokens) if step > 0 else -1, step):
        kind, text, _ = tokens[at]
        if kind == "mark" and text in "([{":
            depth += step
        elif kind == "mark" and text in ")]}":
            depth -= step
        if depth == 0:
            return at
    return start


def expression_start(tokens, at):
    """The first token of the whole expression that the literal at `at` is part of."""
    while at > 0:
        kind, text, _ = tokens[at - 1]
        if kind == "mark" and text in ")]":
            at = matching(tokens, at - 1, -1)
        elif kind == "mark" and text == "(":
            before = tokens[at - 2][1] if at > 1 else ";"
            if re.fullmatch(r"\w+", before) and before not in WRAPPERS:
                return at
            at -= 1
        elif (kind == "mark" and text in ",;{}") or text == "return" or is_assignment(tokens, at - 1):
            return at
        else:
            at -= 1
    return at


def is_assignment(tokens, at):
    neighbours = {tokens[at - 1][1], tokens[at + 1][1]}
    return tokens[at][1] == "=" and not neighbours & {"=", "!", "<", ">"}


def group_end(tokens, at):
    """Behind the expression that starts at `at`."""
    while at < len(tokens):
        kind, text, _ = tokens[at]
        if kind == "mark" and text in "([":
            at = matching(tokens, at, 1)
        elif kind == "mark" and text in ",;{})]":
            return at
        at += 1
    return at


def variants(tokens):
    """All texts that this expression can have."""
    depth, question, colon = 0, None, None
    for at, (kind, text, _) in enumerate(tokens):
        if kind != "mark":
            continue
        if text in "([{":
            depth += 1
        elif text in ")]}":
            depth -= 1
        elif depth == 0 and text == "?" and question is None:
            question, nested = at, 0
        elif depth == 0 and text == "?":
            nested += 1
        elif depth == 0 and text == ":" and question is not None and colon is None:
            if nested == 0:
                colon = at
            nested -= 1
    if colon is not None:
        return variants(tokens[question + 1:colon]) + variants(tokens[colon + 1:])
    texts, at = [""], 0
    while at < len(tokens):
        kind, text, _ = tokens[at]
        parts, previous = ["\0"], tokens[at - 1] if at else ("mark", "+", 0)
        if kind == "literal":
            parts = [text[1:-1].replace('\\"', '"')]
        elif kind == "mark" and text in "([{":
            end = matching(tokens, at, 1)
            if text == "(" and (previous[0] == "mark" or previous[1] in WRAPPERS):
                parts = variants(tokens[at + 1:end])
            at = end
        elif text in WRAPPERS or (kind == "mark" and text != "*"):
            parts = [""]
        texts = [left + right for left in texts for right in parts]
        at += 1
    return texts


def clean(text):
    """Names become "...", a hint behind ';' is left out: the documentation says more."""
    return re.sub(r"(\0)+", "...", text).split("; ")[0].removeprefix("muster: ").strip(" ,(")


def refusals():
    """{text: "file:line"}"""
    found = {}
    plugin = ROOT / "clang-plugin"
    for path in sorted([*plugin.rglob("*.cpp"), *plugin.rglob("*.h")]):
        if str(path.relative_to(plugin)) in NO_REFUSALS:
            continue
        tokens, done = tokenize(path.read_text()), -1
        for at, (kind, text, line) in enumerate(tokens):
            if kind != "literal" or at < done or not is_prose(text[1:-1]):
                continue
            start = expression_start(tokens, at)
            done = group_end(tokens, start)
            for variant in variants(tokens[start:done]):
                if is_prose(variant.replace("\0", "x")) and not NO_REFUSAL.match(clean(variant)):
                    found.setdefault(clean(variant), f"{path.relative_to(ROOT)}:{line}")
    return found


def documented():
    """The first cells of the tables of docs/pitfalls.md, in which <br> separates texts."""
    texts = set()
    for line in (ROOT / "docs/pitfalls.md").read_text().splitlines():
        if line.startswith("| "):
            texts |= {text.strip() for text in line.split(" | ")[0][2:].replace("\\|", "|").split("<br>")}
    return texts


def expectations():
    """What lit tests expect: the lines of a check prefix."""
    lines = []
    for path in sorted((ROOT / "lit-tests").rglob("*")):
        if path.suffix in (".cpp", ".c", ".test", ".h"):
            lines += [line for line in path.read_text().splitlines() if re.match(r"\s*(//|#)\s*[A-Z][\w-]*: ", line)]
    return "\n".join(lines)


def is_expected(text, expected):
    """Whether a test expects the longest part of `text`, or how it starts; what stands behind ';' is a hint."""
    parts = text.split("...")
    longest = max(parts, key=len).strip(" '(),")
    if len(longest) >= 12:
        return longest[:60].strip() in expected
    return re.search(r"[^\n]*?".join(re.escape(part) for part in parts), expected) is not None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", action="store_true", help="print all texts and where they are")
    options = parser.parse_args()
    texts = refusals()
    if options.list:
        for text, place in texts.items():
            print(f"{place}: {text}")
        return 0
    known, expected = documented(), expectations()
    problems = []
    if len(texts) < 200:
        problems.append("scripts/check-pitfalls.py finds hardly any texts in clang-plugin/: is its tokenizer broken?")
    for text, place in texts.items():
        if text in UNREACHED:
            continue
        if text not in known:
            problems.append(f"{place}: docs/pitfalls.md has no entry '{text}': add it, with what avoids it, to the table "
                            "of its subject (several texts in one cell are separated by <br>)")
        if not is_expected(text, expected):
            problems.append(f"{place}: no lit test expects '{text}': add a loop that is refused for this reason to "
                            "lit-tests/Diagnostics (or OpenCL, Rewrite), with its remark in a check line")
    for text in sorted(UNREACHED - set(texts)):
        problems.append(f"scripts/check-pitfalls.py: nothing in clang-plugin/ says '{text}': remove it from UNREACHED")
    for text in sorted(known - set(texts) - {"remark", "error", "---"}):
        problems.append(f"docs/pitfalls.md: nothing in clang-plugin/ says '{text}': remove the entry, or correct it "
                        "(scripts/check-pitfalls.py --list prints the texts)")
    print("\n".join(problems))
    print(f"{len(texts)} texts of refusals, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
