#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Fuzzes on a machine with many cores, from a folder that toolchain-bundle.sh made: random programs on POCL and the
# native CPU, some on the GPUs, and mutated sources.
# Usage: farm-fuzz.sh BUNDLE PROGRAMS FIRST-SEED SECONDS [GPU-PROGRAMS [MUTANTS]]. Failures go to $OUT (or ./failures).
set -uo pipefail

bundle=$(cd "$1" && pwd)
count=$2 first=$3 seconds=$4 gpu_count=${5:-0} mutants=${6:-0}
keep=${OUT:-$PWD/failures}
work=$(mktemp -d)
mkdir -p "$keep" "$work/run"
tar -C "$work" -xf "$bundle/clang.tar.xz"
tar -C "$work" -xf "$bundle/muster.tar.xz"
compilers() { # compilers FLAGS: only the compiler sees the libraries that it brings
  for language in "" ++; do
    printf '#!/bin/sh\nLD_LIBRARY_PATH=%s exec %s --driver-mode=%s "$@" %s\n' "$work/clang/needs" "$work/clang/bin/clang-19" \
      "$([ -n "$language" ] && echo g++ || echo gcc)" "$1" > "$work/run/clang$language-19"
  done
  chmod +x "$work"/run/*
}
compilers ""
# Conversions to half precision are functions that libgcc has from GCC 12 on.
echo 'int main(int n, char **a) { return (int)(_Float16)(n * 1.5); }' > "$work/half.c"
"$work/run/clang-19" "$work/half.c" -o "$work/half" 2> /dev/null || compilers "-Wno-unused-command-line-argument -Wl,$work/muster/needs/libgcc.a"
mkdir "$work/lib"
for library in "$work"/muster/needs/*; do  # what this machine has itself fits its other libraries better
  ldconfig -p | grep -q "$(basename "$library") " || cp "$library" "$work/lib/"
done
export PATH=$work/run:$PATH LD_LIBRARY_PATH=$work/lib:${LD_LIBRARY_PATH:-} MUSTER_CACHE_DIR=$work/cache TMPDIR=$work
export POCL_CACHE_DIR=$work/pocl POCL_MAX_PTHREAD_COUNT=2 POCL_CPU_MAX_CU_COUNT=2 OMP_WAIT_POLICY=passive
mkdir -p "$POCL_CACHE_DIR" "$MUSTER_CACHE_DIR"
jobs=$(nproc)
fuzz() { python3 "$work/muster/test/fuzz/fuzz.py" "$work/muster" --keep "$keep" --no-minimise "$@"; }

failures=0
echo "== mutated sources ($SECONDS s)"
[ "$mutants" = 0 ] || timeout "$seconds" python3 "$work/muster/test/fuzz/mutate.py" --plugin "$work/muster/lib/libmuster-plugin.so" \
  --count "$mutants" --seed "$first" --jobs "$jobs" --keep "$keep/mutants" || failures=$((failures + 1))

if [ "$gpu_count" != 0 ]; then
  echo "== programs on the GPUs ($SECONDS s)"
  nvidia=/usr/local/nvidia/lib64/libnvidia-opencl.so.1
  [ ! -e "$nvidia" ] || { mkdir -p /etc/OpenCL/vendors && echo "$nvidia" > /etc/OpenCL/vendors/nvidia.icd; }
  "$work/muster/bin/muster-info" 2>&1 | head -n 16
  fuzz --count "$gpu_count" --first $((first + 1000000)) --jobs $((jobs / 4)) --seconds $((seconds - SECONDS)) --devices "gpu cpu,gpu" ||
    failures=$((failures + 1))
fi
echo "== programs on POCL and the CPU ($SECONDS s)"
export CUDA_VISIBLE_DEVICES=
"$work/muster/bin/muster-info" 2>&1 | head -n 16
fuzz --count "$count" --first "$first" --jobs "$jobs" --seconds $((seconds - SECONDS)) || failures=$((failures + 1))
echo "== $failures parts failed ($SECONDS s)"
exit "$failures"
