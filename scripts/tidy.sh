#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# clang-tidy over the project's own sources (not the lit tests' inputs). Any finding fails.
set -euo pipefail

build=$1
git ls-files 'cdm/src/*.cpp' 'cap/src/*.cpp' 'runtime/src/*.cpp' 'clang-plugin/*.cpp' |
  xargs -P "$(nproc)" -n 4 clang-tidy-19 -p "$build" --quiet --warnings-as-errors='*'
