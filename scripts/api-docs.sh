#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Doxygen's pages of the public headers, into BUILD/doxygen/html. Warnings are errors. Usage: api-docs.sh BUILD
set -euo pipefail

mkdir -p "$1/doxygen"
MUSTER_DOCS_OUTPUT=$(cd "$1/doxygen" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."
MUSTER_DOCS_VERSION=$(sed -n 's/^project(Muster VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
export MUSTER_DOCS_OUTPUT MUSTER_DOCS_VERSION
rm -rf "$MUSTER_DOCS_OUTPUT/html"
doxygen docs/doxygen/Doxyfile
echo "muster: $MUSTER_DOCS_OUTPUT/html/index.html"
