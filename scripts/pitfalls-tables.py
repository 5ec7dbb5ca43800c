#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the tables of docs/pitfalls.md from those of the plugin, clang-plugin/source/refusals/*.def (RefusalTexts.h says
what stands there). Each table stands between two marks; all other text of the page is kept.

  pitfalls-tables.py             writes docs/pitfalls.md anew
  pitfalls-tables.py --check     exit 1 if the page is another one, if no lit test expects a refusal, or if the plugin has
                                 one that is not in the tables or does not use one that is
"""
import collections
import pathlib
import re
import sys

import written_text

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/pitfalls.md"
PLUGIN = ROOT / "clang-plugin"
STRING = r'"(?:[^"\\\n]|\\.)*"'
ENTRY = re.compile(rf"^([A-Z]+)\((?:(\w+),\s*)?((?:{STRING}[,\s]*)+)\)$", re.M)
# A text of the sources that is said where the plugin refuses something.
REFUSES = re.compile(rf'(?:\b(?:refuse\w*|fail|no|notYet|remarkMissed|reportError)|refusals_?\.add|Refusal)[({{][^;]*?({STRING})')
# What these say is of the plan, and of the plugin's arguments.
NO_REFUSALS = ("plan/RemarkPlan.cpp", "Options.cpp")
Row = collections.namedtuple("Row", "texts remedy")


def unquoted(strings):
    return "".join(re.sub(r"\\(.)", r"\1", part[1:-1]) for part in re.findall(STRING, strings))


def shown(text):
    """As the page has it: names are "...", and the hint behind a semicolon is left out."""
    return re.sub(r"(\{\d\})+", "...", text).split("; ")[0]


def read_tables():
    """{section: (kind, rows)}, {name: text} of all, and of what tests must expect."""
    sections, names, tested = {}, {}, {}
    for path in sorted(PLUGIN.glob("source/refusals/*.def")):
        texts, source = [], path.read_text()
        if len(ENTRY.findall(source)) != len(re.findall(r"^[A-Z]+\(", source, re.M)):
            sys.exit(f"{path}: an entry is not written as the others are")
        for what, name, strings in ENTRY.findall(source):
            if what == "SECTION":
                title, kind = (unquoted(part) for part in re.findall(STRING, strings))
                rows = sections.setdefault(title, (kind, []))[1]
            elif what == "REMEDY":
                rows.append(Row(list(dict.fromkeys(texts)), unquoted(strings)))
                texts = []
            else:
                names[name] = unquoted(strings)
                if what == "REFUSAL":
                    tested[name] = names[name]
                    texts.append(shown(names[name]))
        if texts:
            sys.exit(f"{path}: no REMEDY behind '{texts[0]}'")
    return sections, names, tested


def table(kind, rows):
    def cell(text):
        return text.replace("|", "\\|")

    def words(texts):
        return cell("<br>".join(text.replace("<", "&lt;") for text in texts))
    return "\n".join([f"| {kind} | remedy |", "|---|---|"] +
                     [f"| {words(row.texts)} | {cell(row.remedy)} |" for row in rows])


def written(page, sections):
    for title, (kind, rows) in sections.items():
        page = written_text.put(PAGE, page, "pitfalls-tables.py", title, table(kind, rows))
    return page


def expectations():
    """What lit tests expect: the lines of a check prefix."""
    lines = []
    for path in sorted((ROOT / "lit-tests").rglob("*")):
        if path.suffix in (".cpp", ".c", ".test", ".h"):
            lines += [line for line in path.read_text().splitlines() if re.match(r"\s*(//|#)\s*[A-Z][\w-]*: ", line)]
    return "\n".join(lines)


def is_expected(text, expected):
    """Whether a test expects the longest part of `text`, or, where all are short, the whole of it."""
    parts = shown(text).split("...")
    longest = max(parts, key=len).strip(" '(),")
    if len(longest) >= 12:
        return longest[:60].strip() in expected
    return re.search(r"[^\n]*?".join(re.escape(part) for part in parts), expected) is not None


def check(page, new, names, tested):
    problems = [] if page == new else ["docs/pitfalls.md is not what the tables say: run scripts/pitfalls-tables.py"]
    expected, used = expectations(), set()
    for name, text in tested.items():
        if not is_expected(text, expected):
            problems.append(f"no lit test expects {name}, '{shown(text)}': add a loop that is refused for this reason to "
                            "lit-tests/Diagnostics (or OpenCL, Rewrite), with its remark in a check line")
    for path in sorted([*PLUGIN.rglob("*.cpp"), *PLUGIN.rglob("*.h")]):
        source = path.read_text()
        used |= set(re.findall(r"\bsay::(\w+)", source))
        if str(path.relative_to(PLUGIN)) not in NO_REFUSALS:
            problems += [f"{path.relative_to(ROOT)}: {text} belongs into a table of clang-plugin/source/refusals"
                         for text in REFUSES.findall(source) if re.search(r"\w+'? '?\w+", text)]
    problems += [f"nothing in clang-plugin says {name}, '{text}'" for name, text in names.items() if name not in used]
    return problems


def main():
    sections, names, tested = read_tables()
    page = PAGE.read_text()
    new = written(page, sections)
    if sys.argv[1:] != ["--check"]:
        PAGE.write_text(new)
        return 0
    problems = check(page, new, names, tested)
    print("\n".join(problems))
    print(f"{len(names)} texts, {len(tested)} of them tested refusals; {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
