#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The sources are as clang-format leaves them. The inputs of lit tests keep their own form. Usage: check_format.sh ROOT
cd "$1" || exit 1
mapfile -t files < <(find cdm cap runtime clang-plugin tools test samples bench -name '*.cpp' -o -name '*.h' -o -name '*.hpp')
[ ${#files[@]} -gt 0 ] || { echo "no sources found" >&2; exit 1; }
clang-format-19 --dry-run --Werror "${files[@]}"
