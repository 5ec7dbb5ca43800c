#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The sources are as clang-format leaves them. Inputs keep their own form: those of lit tests, the programs in
# test/programs/real (written as their authors write), and what the fuzzer found.
# Usage: check_format.sh ROOT [-i]; -i formats them.
cd "$1" || exit 1
mapfile -t files < <(find cdm cap runtime clang-plugin tools test samples bench docs/tutorial \
  \( -path test/programs/real -o -path test/fuzz/found \) -prune -o \( -name '*.cpp' -o -name '*.h' -o -name '*.hpp' \) -print)
[ ${#files[@]} -gt 0 ] || { echo "no sources found" >&2; exit 1; }
if [ "${2:-}" = -i ]; then how=(-i); else how=(--dry-run --Werror); fi
clang-format-19 "${how[@]}" "${files[@]}"
