# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles every kernel of a printed text as OpenCL C 1.2; a warning is an error. Usage: check_kernels.py CLANG FILE"""
import itertools
import re
import subprocess
import sys

import kernel_text

compiler, path = sys.argv[1:]
with open(path, encoding="utf-8") as file:
    programs = kernel_text.split(file.read())
if not programs:
    sys.exit(f"{path}: no kernel")
FORMS = ("", "MUSTER_PRIVATE=1", "MUSTER_PRIVATE=2", "MUSTER_TILES", "MUSTER_GROUPS", "MUSTER_STEPS", *(f"MUSTER_BLOCKS={form}" for form in range(1, 5)))
for program, form in itertools.product(programs, FORMS):
    name, _, value = form.partition("=")
    asked = f"#ifdef {name}\\b" if not value or form == "MUSTER_PRIVATE=1" else f"#(if|elif) {name} == {value}"
    if form and not re.search(asked, program):
        continue
    defined = [f"-D{form}"] if form else []
    command = [compiler, "-x", "cl", "-cl-std=CL1.2", "-fsyntax-only", "-Wall", "-Werror", "-Wno-unused",
               "-Xclang", "-finclude-default-header", "-DMUSTER_WG0=64", "-DMUSTER_WG1=4", "-DMUSTER_WG2=1", "-DMUSTER_POINTS=4", "-DMUSTER_COPIES=2", "-DMUSTER_ROWS=64", *defined, "-"]
    texts = [program]
    if form == "MUSTER_STEPS" and "#ifdef MUSTER_GUEST_TEXT" in program:  # with itself as the loop that takes turns with it
        texts += [f"#define MUSTER_GUEST_FIRST {first}\n#define MUSTER_GUEST_TEXT\n{program}#undef MUSTER_GUEST_TEXT\n{program}" for first in (0, 1)]
    for text in texts:
        if subprocess.run(command, input=text, text=True).returncode != 0:
            sys.exit(f"{path}: this kernel does not compile:\n{text}")
