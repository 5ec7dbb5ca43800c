#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Every header compiles alone; the public ones also as C99 and C++11. Usage: check_headers.sh ROOT
set -uo pipefail

cd "$1" || exit 1
common="-Icdm/include -Icap/include -Iruntime/include"
own="-x c++ -std=c++20 -DFMT_HEADER_ONLY -DCL_TARGET_OPENCL_VERSION=120 -DOMPI_SKIP_MPICXX $common -Icdm/src -Icap/src -Iruntime/src"
own+=" $(mpicc --showme:compile)"
plugin="-x c++ -std=c++20 -fno-rtti -Wno-unused-parameter -Iclang-plugin $common -isystem /usr/lib/llvm-19/include"

jobs() { # one line per compile: the header, and its flags
  for header in cdm/include/muster/cdm/*.h cap/include/muster/cap/*.h $(find cdm/src cap/src runtime/src -name '*.h'); do
    echo "$PWD/$header $own"
  done
  for header in $(find clang-plugin -name '*.h'); do echo "$PWD/$header $plugin"; done
  for header in muster/abi.h muster/chunk.h muster/muster.h; do
    echo "$header -x c -std=c99 $common"
    echo "$header -x c++ -std=c++11 $common"
  done
  echo "muster/muster.hpp -x c++ -std=c++11 $common"
  echo "muster/forms.hpp -x c++ -std=c++11 $common"
}

compile() {
  read -r header flags <<< "$1"
  # shellcheck disable=SC2086  # the flags are several words
  echo "#include \"$header\"" | clang++-19 -fsyntax-only -Wall -Wextra -Werror $flags - && return
  echo "FAIL $header does not compile alone ($flags)"
  return 1
}
export -f compile

jobs | xargs -d '\n' -P "$(nproc)" -I '{}' bash -c 'compile "$1"' - '{}'
