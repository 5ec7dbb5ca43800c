#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Doxygen's INPUT_FILTER: prints a header with its plain comments as Doxygen's. One that stands on lines of its own is
that of what follows; one behind code is that of the code; the first of a file, with the license, is the file's."""
import re
import sys


def escape(text):
    """Prose, not commands, tags or links; code in backticks stays as it is."""
    parts = text.split("`")
    parts[::2] = [re.sub(r"([\\@#<>&%])", r"\\\1", part) for part in parts[::2]]
    return "`".join(parts) if len(parts) % 2 else re.sub(r"([\\@#<>&%`])", r"\\\1", text)


def blocks(lines):
    """Yields (kind, indent or code, text lines); kinds are code, alone and behind."""
    index = 0
    while index < len(lines):
        line = lines[index]
        index += 1
        alone = re.match(r"(\s*)//( |$)", line)
        opened = re.match(r"(\s*)/\* ", line)
        behind = re.match(r"(.*[;,{})\w])\s+(?://|/\*) (.*?)(?: \*/)?$", line)
        if alone:
            text = [line]
            while index < len(lines) and re.match(r"\s*//( |$)", lines[index]):
                text.append(lines[index])
                index += 1
            yield "alone", alone[1], [re.sub(r"^\s*// ?", "", each) for each in text]
        elif opened:
            text = [line]
            while not text[-1].rstrip().endswith("*/"):
                text.append(lines[index])
                index += 1
            text[-1] = re.sub(r"\s*\*/\s*$", "", text[-1])
            yield "alone", opened[1], [re.sub(r"^\s*/?\*+ ?", "", each) for each in text]
        elif behind and not line.lstrip().startswith(("#", "}  // ")) and ("/*" not in line or line.rstrip().endswith("*/")):
            yield "behind", behind[1], [behind[2]]
        else:
            yield "code", line, []


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        lines = file.read().splitlines()
    for kind, lead, text in blocks(lines):
        if kind == "code":
            print(lead)
        elif kind == "behind":
            print(f"{lead}  ///< {escape(text[0])}")
        elif text[0].startswith("---"):
            print("\n" * (len(text) - 1))  # a heading among the declarations
        elif text[0].startswith("SPDX"):
            print("/// @file")
            print("".join(f"/// {escape(line)}\n" for line in text[1:]), end="")
        else:
            print("".join(f"{lead}/// {escape(line)}\n" for line in text), end="")


main()
