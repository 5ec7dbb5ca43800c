#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Every header compiles alone; the public ones also as C99 and C++11. Usage: check_headers.sh ROOT
set -uo pipefail

cd "$1"
failures=0
compile() { # compile HEADER flags...
  local header=$1
  shift
  if ! echo "#include \"$header\"" | clang++-19 -fsyntax-only -Wall -Wextra -Werror "$@" -; then
    echo "FAIL $header does not compile alone ($*)"
    failures=$((failures + 1))
  fi
}
common=(-Icdm/include -Icap/include -Iruntime/include)
for header in cdm/include/muster/cdm/*.h cap/include/muster/cap/*.h $(find cdm/src cap/src runtime/src -name '*.h'); do
  compile "$PWD/$header" -x c++ -std=c++20 -DFMT_HEADER_ONLY -DCL_TARGET_OPENCL_VERSION=120 "${common[@]}" -Icdm/src -Icap/src -Iruntime/src \
    $(pkg-config --cflags hwloc) $(mpicc --showme:compile 2>/dev/null)
done
for header in muster/abi.h muster/chunk.h; do
  compile "$header" -x c -std=c99 "${common[@]}"
  compile "$header" -x c++ -std=c++11 "${common[@]}"
done
compile muster/muster.hpp -x c++ -std=c++11 "${common[@]}"
for header in $(find clang-plugin -name '*.h'); do
  compile "$PWD/$header" -x c++ -std=c++20 -fno-rtti -Wno-unused-parameter -Iclang-plugin "${common[@]}" -isystem /usr/lib/llvm-19/include
done
echo "$failures failure(s)"
exit $((failures > 0))
