# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a failing program small: deletes parts of its text for as long as it still fails."""
import re


def units(lines):
    """Ranges [first, last] of lines that can go together: functions, blocks, loops with their pragmas, single lines.

    Lines marked /*keep*/ stay: without them memory would be read that nothing has written.
    """
    found = []
    for first in range(len(lines)):
        depth, last = 0, first
        while last < len(lines):
            depth += lines[last].count("{") - lines[last].count("}")
            starts = lines[last].lstrip().startswith(("#pragma", "for ", "  for", "static void", "template"))
            ends = lines[last].rstrip().endswith((";", "}"))
            if depth < 0 or (depth == 0 and (ends or not starts)):
                break
            last += 1
        if depth == 0 and last < len(lines) and not any(fixed(line) for line in lines[first:last + 1]):
            found.append((first, last))
    return sorted(set(found), key=lambda unit: unit[0] - unit[1])  # the longest first


def fixed(line):
    return "/*keep*/" in line or line.startswith("#include") or "int main(" in line


def wrappers(lines):
    """Pairs (first, last) of lines that only open and close a block, which may go while its content stays."""
    stack, found = [], []
    for number, line in enumerate(lines):
        for brace in re.findall(r"[{}]", line):
            if brace == "{":
                stack.append(number)
            elif stack:
                opened = stack.pop()
                if opened < number and line.strip() == "}" and lines[opened].rstrip().endswith("{") and "main(" not in lines[opened]:
                    found.append((opened, number))
    return found


def minimise(text, still_fails, budget=250):
    """The smallest text found with at most `budget` trials for which `still_fails` holds."""
    lines, trials = text.split("\n"), 0
    smaller = True
    while smaller and trials < budget:
        smaller = False
        for first, last in units(lines):
            if trials >= budget:
                break
            if last >= len(lines):
                continue
            candidate = lines[:first] + lines[last + 1:]
            trials += 1
            if still_fails("\n".join(candidate)):
                lines, smaller = candidate, True
                break  # the ranges have changed
        else:
            for first, last in wrappers(lines):
                trials += 1
                candidate = lines[:first] + lines[first + 1:last] + lines[last + 1:]
                if trials < budget and still_fails("\n".join(candidate)):
                    lines, smaller = candidate, True
                    break
    return "\n".join(lines)
