#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Makes docs/images/*.svg of the .dot files beside them, with Graphviz. Nothing else needs that: the .svg files are kept.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../docs/images"
if ! command -v dot >/dev/null; then
  echo "muster: cannot find dot; install the package graphviz" >&2
  exit 1
fi
for source in *.dot; do
  # Without Graphviz's comments, which name its version, and a colour that is none of SVG's.
  dot -Tsvg "$source" | sed -e '/^<!--.*-->$/d' -e '/^<!--/,/-->$/d' -e 's/"transparent"/"none"/' > "${source%.dot}.svg.tmp"
  mv "${source%.dot}.svg.tmp" "${source%.dot}.svg"
  echo "muster: docs/images/${source%.dot}.svg"
done
