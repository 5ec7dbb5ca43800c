#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Fuzzes on a machine with many cores, from a folder that toolchain-bundle.sh made: random programs on POCL and the
# native CPU, some on the GPUs, and mutated sources.
# Usage: fuzz-remote.sh BUNDLE PROGRAMS FIRST-SEED SECONDS [GPU-PROGRAMS [MUTANTS]]. Failures go to $OUT (or ./failures).
# FUZZ: more options of test/fuzz/fuzz.py, as "--only neighbours kept".
set -uo pipefail

bundle=$(cd "$1" && pwd)
count=$2 first=$3 seconds=$4 gpu_count=${5:-0} mutants=${6:-0}
keep=${OUT:-$PWD/failures}
work=$(mktemp -d)
mkdir -p "$keep"
. "$bundle/toolchain-setup.sh"
export POCL_CACHE_DIR=$work/pocl POCL_MAX_PTHREAD_COUNT=2 POCL_CPU_MAX_CU_COUNT=2 OMP_WAIT_POLICY=passive
mkdir -p "$POCL_CACHE_DIR" "$MUSTER_CACHE_DIR"
jobs=$(nproc)
# shellcheck disable=SC2086 # words
fuzz() { python3 "$work/muster/test/fuzz/fuzz.py" "$work/muster" --keep "$keep" --no-minimise "$@" ${FUZZ:-}; }

failures=0
echo "== mutated sources ($SECONDS s)"
[ "$mutants" = 0 ] || timeout "$seconds" python3 "$work/muster/test/fuzz/mutate.py" --plugin "$work/muster/lib/libmuster-plugin.so" \
  --count "$mutants" --seed "$first" --jobs "$jobs" --keep "$keep/mutants" || failures=$((failures + 1))

# Those on the GPUs need few cores: beside the others.
if [ "$gpu_count" != 0 ]; then
  {
    "$work/muster/bin/muster-info" 2>&1 | head -n 16
    fuzz --count "$gpu_count" --first $((first + 1000000)) --jobs $((jobs / 4)) --seconds $((seconds - SECONDS)) --devices "gpu cpu,gpu"
  } > "$work/gpu.log" 2>&1 &
  gpu_part=$!
fi
echo "== programs on POCL and the CPU ($SECONDS s)"
export CUDA_VISIBLE_DEVICES=
"$work/muster/bin/muster-info" 2>&1 | head -n 16
fuzz --count "$count" --first "$first" --jobs "$jobs" --seconds $((seconds - SECONDS)) || failures=$((failures + 1))
if [ "$gpu_count" != 0 ]; then
  wait "$gpu_part" || failures=$((failures + 1))
  echo "== programs on the GPUs ($SECONDS s)"
  cat "$work/gpu.log"
fi
echo "== $failures parts failed ($SECONDS s)"
exit "$failures"
