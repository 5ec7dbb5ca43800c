#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# clang-tidy over the project's own sources (not the lit tests' inputs). Any finding fails. Each file is compiled by
# itself, without precompiled headers: so this shows, too, which file lacks an include.
set -euo pipefail

build=$1
cmake --preset default -B "$build" -DMUSTER_MERGE=OFF -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON
git ls-files 'cdm/src/*.cpp' 'cap/src/*.cpp' 'runtime/src/*.cpp' 'clang-plugin/*.cpp' |
  xargs -P "$(nproc)" -n 4 clang-tidy-19 -p "$build" --quiet --warnings-as-errors='*'
