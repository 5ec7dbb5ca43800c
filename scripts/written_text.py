# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts of a document that a script writes, between marks that name the script."""
import sys


def put(path, page, script, name, text):
    """The page of `path` with `text` between the marks of the part `name`."""
    begin, end = f"<!-- {name}: written by scripts/{script} -->", f"<!-- end of {name} -->"
    if begin not in page or end not in page:
        sys.exit(f"{path}: the lines '{begin}' and '{end}' are missing")
    return page[:page.index(begin)] + f"{begin}\n{text}\n{end}" + page[page.index(end) + len(end):]
