#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds the plugin for Clang 22 into a folder of its own and runs its lit suite with clang++-22, against the runtime of
# an existing build: scripts/check-llvm22.sh [build folder, default: build] [further arguments of lit]
set -euo pipefail
cd "$(dirname "$0")/.."
runtime=$(realpath "${1:-build}")
shift || true
build=$(pwd)/build-llvm22
packages=(clang-22 libclang-22-dev libclang-rt-22-dev llvm-22-dev)

[ -e "$runtime/lib/libmuster.so" ] || { echo "$0: $runtime holds no runtime: run 'make build' first" >&2; exit 1; }
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f '${Status}' "$package" 2> /dev/null | grep -q 'ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  # libomp-22-dev must not come along: it replaces libomp-19-dev, with which everything else is built.
  if apt-get install -s --no-install-recommends "${missing[@]}" | grep '^Remv'; then
    echo "$0: installing ${missing[*]} would remove these packages" >&2
    exit 1
  fi
  apt-get install -y --no-install-recommends "${missing[@]}"
fi

cmake -G Ninja -S . -B "$build" -DMUSTER_LLVM_VERSION=22 -DMUSTER_RUNTIME_BUILD="$runtime" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
  -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O0 -g0 -DNDEBUG"
cmake --build "$build" --target muster-plugin
python3 /usr/lib/llvm-19/build/utils/lit/lit.py -sv "$@" "$build/lit-tests"
