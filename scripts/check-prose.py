#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the prose of the documents: how it is wrapped, how long its sentences are, and words that it does without.

Without files it reads README.md, CONTRIBUTING.md, CHANGELOG.md, docs/, samples/ and bench/, and looks for the words in scripts/, too.
Each problem is a line "file:line: text"; exit 1 if there is one. Tables, code and headings keep their lines; --stats leaves tables out.

  check-prose.py                    checks
  check-prose.py --stats            prints for each file the number of sentences and how many words they have
  check-prose.py --fix [FILES]      wraps paragraphs, list items and quotes anew
  check-prose.py --self-test        tests the parser
"""
import argparse
import dataclasses
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
WIDTH = 100
LONGEST = 35       # words of a sentence
LONG_CODE = 60     # code spans of more characters may be broken at a space
FORBIDDEN = re.compile(r"\b(lent|farm)\b", re.I)
ABBREVIATIONS = ("e.g.", "i.e.", "etc.", "cf.", "vs.", "approx.", "resp.", "No.", "Fig.", "Dr.", "St.")
MARKER = re.compile(r"(?P<indent>\s*)(?P<marker>(?:[*+-]|\d+[.)])\s+|>\s?)")
HEADING = re.compile(r"#{1,6}\s|(-{3,}|\*{3,}|={3,})\s*$")
# What would begin something else than a paragraph's next line.
STARTS_BLOCK = re.compile(r"([-+*>]|#{1,6}|\d+[.)]|=+|-+|\|.*|```.*)$")
SENTENCE_END = re.compile(r"[.!?][)\"'*_]*(?=\s+[^a-z\s]|\s*$)")


@dataclasses.dataclass
class Block:
    """Lines of one kind. A paragraph's first line begins with `first`, its others with `rest`."""
    kind: str  # paragraph, table, code, heading, comment, blank
    line: int
    lines: list
    first: str = ""
    rest: str = ""

    def text(self):
        """The words of a paragraph, without markers and indents."""
        quote = self.rest.lstrip().startswith(">")
        lines = [self.lines[0][len(self.first):]]
        lines += [re.sub(r"^\s*>\s?", "", line) if quote else line for line in self.lines[1:]]
        return " ".join(line.strip() for line in lines)


def hard_break(line):
    return line.endswith(("  ", "\\", "<br>"))


class Parser:
    """Markdown as these documents use it; no HTML but comments, no headings by underlines."""

    def __init__(self, lines):
        self.lines, self.blocks, self.at = lines, [], 0
        self.content = 0  # column where the text of the list item starts that the next lines may belong to

    def take(self, kind, count):
        self.blocks.append(Block(kind, self.at + 1, self.lines[self.at:self.at + count]))
        self.at += count

    def run(self):
        while self.at < len(self.lines):
            line = self.lines[self.at]
            indent = len(line) - len(line.lstrip())
            marker = MARKER.match(line)
            if not line.strip():
                self.take("blank", 1)
            elif line.lstrip().startswith("```"):
                self.fence()
            elif indent >= self.inner(indent) + 4 and self.blocks and self.blocks[-1].kind != "paragraph":
                self.take("code", 1)
            elif line.lstrip().startswith("<!--"):
                end = next((k for k in range(self.at, len(self.lines)) if "-->" in self.lines[k]), self.at)
                self.take("comment", end - self.at + 1)
            elif HEADING.match(line):
                self.content = 0
                self.take("heading", 1)
            elif line.lstrip().startswith("|"):
                self.take("table", 1)
            else:
                self.paragraph(marker, indent)
        return self.blocks

    def inner(self, indent):
        """The column from which an indent counts: that of the list item's text, for lines that belong to one."""
        if indent < self.content:
            return 0
        return self.content

    def fence(self):
        end = next((k for k in range(self.at + 1, len(self.lines)) if self.lines[k].strip() == "```"), len(self.lines) - 1)
        self.take("code", end - self.at + 1)

    def paragraph(self, marker, indent):
        if marker:
            first = marker["indent"] + marker["marker"]
            rest = first if ">" in first else " " * len(first)
            self.content = len(first) if ">" not in first else 0
        else:
            first = rest = " " * indent
            self.content = self.content if indent >= self.content else 0
        end = self.at + 1
        while end < len(self.lines) and self.continues(self.lines[end], ">" in first) and not hard_break(self.lines[end - 1]):
            end += 1
        self.blocks.append(Block("paragraph", self.at + 1, self.lines[self.at:end], first, rest))
        self.at = end

    @staticmethod
    def continues(line, quote):
        if not line.strip() or HEADING.match(line) or line.lstrip().startswith(("```", "|", "<!--")):
            return False
        marker = MARKER.match(line)
        return not marker or (quote and marker["marker"].startswith(">"))


def parse(text):
    return Parser(text.splitlines()).run()


def atoms(text):
    """What a line may not be broken in: words, code spans, and words that would begin a list or a heading."""
    words = []
    for word in re.findall(r"(?:`[^`]*`|\S)+", text):
        words += word.split() if len(word) > LONG_CODE else [word]
    glued = []
    for word in words:
        if glued and STARTS_BLOCK.match(word):
            glued[-1] += " " + word
        else:
            glued.append(word)
    return glued


def wrap(block):
    """The lines that a paragraph should have."""
    lines, line = [], block.first
    start = True
    for atom in atoms(block.text()):
        if start:
            line += atom
        elif len(line) + 1 + len(atom) <= WIDTH:
            line += " " + atom
        else:
            lines.append(line)
            line = block.rest + atom
        start = False
    return lines + [line + ("  " if block.lines[-1].endswith("  ") else "")]


def plain(text):
    """Text whose words can be counted: a code span is one word, a link is its text."""
    text = re.sub(r"`+[^`]*`+", "Code", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    for short in ABBREVIATIONS:
        text = re.sub(r"(?<!\w)" + re.escape(short), short.replace(".", ""), text)
    return text


def sentences(text):
    """The sentences of a paragraph or cell."""
    text, found, start = plain(text), [], 0
    for match in SENTENCE_END.finditer(text):
        found.append(text[start:match.end()].strip())
        start = match.end()
    found.append(text[start:].strip())
    return [one for one in found if count(one)]


def count(sentence):
    return sum(1 for word in sentence.split() if re.search(r"\w", word))


def cells(line):
    return [part for cell in re.split(r"(?<!\\)\|", line) for part in cell.split("<br>") if part.strip()]


def all_sentences(blocks):
    """(line, sentence) of all prose; in a paragraph the line is its first one."""
    for block in blocks:
        if block.kind == "paragraph":
            yield from ((block.line, one) for one in sentences(block.text()))


def wrap_problem(block):
    wanted = wrap(block)
    for offset, (is_, should) in enumerate(zip(block.lines, wanted)):
        if is_ == should:
            continue
        if len(is_) > WIDTH:
            return block.line + offset, f"{len(is_)} columns, more than {WIDTH}"
        return block.line + offset, f"wrapped unevenly; should be '{should[:40]}...{should[-20:]}'"
    return block.line + len(wanted), "wrapped unevenly"


def check(text):
    """(line, problem) of a document. Tables that a script writes may have long cells."""
    blocks, problems, generated = parse(text), [], False
    for block in blocks:
        if block.kind == "comment":
            generated = "written by" in block.lines[0]
        if block.kind == "paragraph" and wrap(block) != block.lines:
            line, what = wrap_problem(block)
            problems.append((line, what + "; scripts/check-prose.py --fix wraps it"))
        if block.kind == "table" and not generated:
            long = [one for cell in cells(block.lines[0]) for one in sentences(cell) if count(one) > LONGEST]
            problems += [(block.line, f"a cell's sentence has {count(one)} words: '{one[:60]}...'") for one in long]
    for line, one in all_sentences(blocks):
        if count(one) > LONGEST:
            problems.append((line, f"a sentence has {count(one)} words, more than {LONGEST}: '{one[:60]}...'"))
    return sorted(problems + check_words(text))


def check_words(text):
    """(line, problem) of each word that says where a machine came from instead of what it was."""
    return [(number, f"'{match[0]}': name the hardware, or say \"not measured\"")
            for number, line in enumerate(text.splitlines(), 1) if (match := FORBIDDEN.search(line))]


def fix(text):
    lines = []
    for block in parse(text):
        lines += wrap(block) if block.kind == "paragraph" else block.lines
    return "\n".join(lines) + "\n"


def stats(paths):
    print(f"{'sentences':>9} {'mean':>5} {'p90':>4} {'longest':>7}  file")
    every = []
    for path in paths:
        words = sorted(count(one) for _, one in all_sentences(parse(path.read_text())))
        every += words
        print_stats(words, path.relative_to(ROOT) if path.is_relative_to(ROOT) else path)
    print_stats(sorted(every), "all")


def print_stats(words, name):
    if words:
        p90 = words[min(len(words) - 1, int(0.9 * len(words)))]
        print(f"{len(words):9} {sum(words) / len(words):5.1f} {p90:4} {words[-1]:7}  {name}")


def documents():
    pages = [page for folder in ("docs", "samples", "bench") for page in sorted((ROOT / folder).rglob("*.md"))]
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *pages]


def scripts():
    return [path for path in sorted((ROOT / "scripts").iterdir()) if path.is_file() and path != pathlib.Path(__file__).resolve()]


class ParserTest(unittest.TestCase):
    def kinds(self, text):
        return [block.kind for block in parse(text) if block.kind != "blank"]

    def test_kinds(self):
        self.assertEqual(self.kinds("# A\n\ntext\nmore\n\n    code\n\n| a | b |\n"), ["heading", "paragraph", "code", "table"])
        self.assertEqual(self.kinds("text\n```\n* no list\n\n```\n"), ["paragraph", "code"])
        self.assertEqual(self.kinds("* one\n  more\n* two\n1. three\n"), ["paragraph"] * 3)
        self.assertEqual(self.kinds("* one\n\n  more of it\n\n      code\n"), ["paragraph", "paragraph", "code"])
        self.assertEqual(self.kinds("<!-- a\nb -->\n> quote\n> more\n"), ["comment", "paragraph"])

    def test_wrap(self):
        words = "word " * 30
        for first, rest in (("", ""), ("* ", "  "), ("12. ", "    "), ("> ", "> ")):
            lines = fix(first + words).splitlines()
            self.assertEqual(len(lines), 2)
            self.assertTrue(lines[0].startswith(first + "word") and lines[1].startswith(rest + "word"))
            self.assertTrue(all(len(line) <= WIDTH for line in lines))
            self.assertEqual(check("\n".join(lines)), [])
            self.assertEqual(fix(fix(first + words)), fix(first + words))
        self.assertEqual(fix("* a\n  * b\n    c\n"), "* a\n  * b c\n")
        self.assertEqual(fix("a  \nb\n"), "a  \nb\n")

    def test_wrap_keeps_meaning(self):
        self.assertEqual(len(fix("x" * 95 + " - y").splitlines()), 1)     # no list by accident
        self.assertEqual(fix("x" * 90 + " `one two three` end").splitlines()[1], "`one two three` end")
        code = "    " + "long " * 40
        self.assertEqual(fix("text\n\n" + code + "\n"), "text\n\n" + code + "\n")
        table = "| " + "long " * 30 + "|\n"
        self.assertEqual(fix(table), table)

    def test_uneven(self):
        self.assertEqual([line for line, _ in check("a\nb\n")], [1])
        self.assertEqual([line for line, _ in check("a\n\n" + "word " * 25 + "\n")], [3])

    def test_sentences(self):
        self.assertEqual(sentences("One, e.g. Two. Then 1.5 and `a. B` more! Last"),
                         ["One, eg Two.", "Then 1.5 and Code more!", "Last"])
        self.assertEqual([count(one) for one in sentences("[a link](b. C) is (a) text. `x = y` - next.")], [5, 2])
        self.assertEqual(len(sentences("Ends (so.) Next. `code` starts.")), 3)

    def test_limits(self):
        long = " ".join(["w"] * 36) + "."
        self.assertEqual(len(check(fix(long))), 1)
        self.assertEqual(len(check(f"| {long} |\n| a<br>{long[2:]} |")), 1)
        self.assertEqual(check(f"<!-- x: written by y -->\n| {long} |\n<!-- end of x -->\n"), [])
        self.assertEqual(len(check("It was lent to us.")), 1)
        self.assertEqual(len(check("Silent farmers.")), 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--stats", action="store_true", help="print the lengths of sentences")
    mode.add_argument("--fix", action="store_true", help="wrap paragraphs anew")
    mode.add_argument("--self-test", action="store_true", help="test the parser")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    paths = [path.resolve() for path in options.files] or documents()
    if options.self_test:
        return 0 if unittest.main(argv=sys.argv[:1], exit=False).result.wasSuccessful() else 1
    if options.stats:
        stats(paths)
        return 0
    if options.fix:
        for path in paths:
            path.write_text(fix(path.read_text()))
        return 0
    problems = [(path, *problem) for path in paths for problem in check(path.read_text())]
    if not options.files:
        problems += [(path, *problem) for path in scripts() for problem in check_words(path.read_text())]
    for path, line, what in problems:
        print(f"{path.relative_to(ROOT) if path.is_relative_to(ROOT) else path}:{line}: {what}")
    print(f"{len(paths)} documents, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
