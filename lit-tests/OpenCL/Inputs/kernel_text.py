# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Splits what -fplugin-arg-muster-print=kernels prints into one program per kernel."""


def split(text):
    """The programs in order. Each ends with the closing brace of its kernel, which stands alone in its line, or with the
    condition around it, where the text has a part for other kernels."""
    programs, lines, in_kernel, in_choice, is_over = [], [], False, False, False
    for line in text.splitlines():
        in_kernel = in_kernel or line.startswith("__kernel")
        in_choice = in_choice or line == "#ifdef MUSTER_GUEST_TEXT"
        is_over = is_over or (in_kernel and line.startswith("}"))
        if in_choice:
            lines.append(line)
            if is_over and line == "#endif":
                programs.append("\n".join(lines) + "\n")
                lines, in_kernel, in_choice, is_over = [], False, False, False
            continue
        closes, is_over = is_over, False
        # The next program may begin in the same line.
        lines.append("}" if closes else line)
        if closes:
            programs.append("\n".join(lines) + "\n")
            lines, in_kernel = [line[1:]] if line != "}" else [], False
    if any(line.strip() for line in lines):
        raise ValueError("text behind the last kernel: " + "\n".join(lines))
    return programs
