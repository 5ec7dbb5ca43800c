# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Splits what -fplugin-arg-muster-print=kernels prints into one program per kernel."""


def split(text):
    """The programs in order. Each ends with the closing brace of its kernel, which stands alone in its line."""
    programs, lines, in_kernel = [], [], False
    for line in text.splitlines():
        in_kernel = in_kernel or line.startswith("__kernel")
        closes = in_kernel and line.startswith("}")
        # The next program may begin in the same line.
        lines.append("}" if closes else line)
        if closes:
            programs.append("\n".join(lines) + "\n")
            lines, in_kernel = [line[1:]] if line != "}" else [], False
    if any(line.strip() for line in lines):
        raise ValueError("text behind the last kernel: " + "\n".join(lines))
    return programs
