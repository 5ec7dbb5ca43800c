#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Checks and measures Muster on a machine with NVIDIA GPUs, in one run, from a folder that gpu-bundle.sh made.
# Every result is compared with the plain OpenMP build on the CPU. Usage: gpu-check.sh BUNDLE [SIZE] [STEPS]
set -uo pipefail

bundle=$(cd "$1" && pwd)
size=${2:-16384}
steps=${3:-200}
icd=/usr/local/nvidia/lib64/libnvidia-opencl.so.1
[ ! -e "$icd" ] || { mkdir -p /etc/OpenCL/vendors && echo "$icd" > /etc/OpenCL/vendors/nvidia.icd; }
export MUSTER_CACHE_DIR=$(mktemp -d)
work=$(mktemp -d)
mkdir "$work/lib"
for library in "$bundle"/lib-fallback/*; do  # what this machine has itself fits its other libraries better
  ldconfig -p | grep -q "$(basename "$library") " || cp "$library" "$work/lib/"
done
export LD_LIBRARY_PATH=$bundle/lib:$work/lib:${LD_LIBRARY_PATH:-}
failures=0

say() { printf '\n== %s\n' "$*"; }
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
ranks() { mpirun --allow-run-as-root --bind-to none --oversubscribe -n "$@"; }
field() { sed -n "s/.*\"$1\": \"\{0,1\}\([^\",}]*\).*/\1/p"; }
median() { sort -g | awk '{v[NR]=$1} END {print (NR % 2) ? v[(NR+1)/2] : (v[NR/2] + v[NR/2+1]) / 2}'; }

say "Devices"
nvidia-smi --query-gpu=index,name,driver_version,memory.total --format=csv,noheader
gpus=$(nvidia-smi -L | wc -l)
"$bundle/bin/muster-info" || fail muster-info

say "Conformance suite of the OpenCL backend on the first GPU"
mkdir "$work/vendors" && echo "$icd" > "$work/vendors/nvidia.icd"
OCL_ICD_VENDORS=$work/vendors OCL_ICD_FILENAMES=$icd timeout 250 "$bundle/bin/muster_cdm_tests" --gtest_brief=1 \
  --gtest_filter='*onformance*opencl*:-*staged*:*remote*' > "$work/conformance" 2>&1 || fail "conformance suite"
tail -n 25 "$work/conformance"

same() { # same LABEL: plain's output in $work/a, muster's in $work/b
  if cmp -s "$work/a" "$work/b"; then echo "ok   $1"; else fail "$1 differs from the plain build"; diff "$work/a" "$work/b" | head -n 5; fi
}
say "Results equal the plain OpenMP build"
"$bundle/bin/sample-jacobi-plain" 517 389 40 > "$work/a" 2> /dev/null
for n in 1 2 3; do
  for devices in gpu cpu,gpu; do
    MUSTER_DEVICES=$devices MUSTER_MIN_SHARE=0 timeout 100 $([ $n = 1 ] || echo mpirun --allow-run-as-root --bind-to none --oversubscribe -n $n) \
      "$bundle/bin/sample-jacobi" 517 389 40 > "$work/b" 2> "$work/err" || { fail "jacobi $n $devices"; tail -n 5 "$work/err"; }
    # A rank without a GPU of its own is refused `gpu` only where it has none at all.
    same "jacobi 517 x 389, $n rank(s), $devices"
  done
done
"$bundle/bin/sample-sobel-plain" "$bundle/photo.jpg" "$work/a" 2 > /dev/null
"$bundle/bin/sample-sobel" "$bundle/photo.jpg" "$work/b" 20 || fail sobel
same "sobel, no option set"

say "Jacobi $size x $size float, one GPU, resident: Muster and the hand-written OpenCL kernel in turn"
for repeat in 1 2 3 4 5; do
  CUDA_VISIBLE_DEVICES=0 MUSTER_DEVICES=gpu "$bundle/bin/jacobi-muster" "$size" "$steps" >> "$work/muster" || fail "jacobi-muster"
  "$bundle/bin/jacobi-opencl" "$size" "$steps" >> "$work/opencl" 2> "$work/device" || fail "jacobi-opencl"
done
cat "$work/device"
[ "$(field checksum < "$work/muster" | sort -u)" = "$(field checksum < "$work/opencl" | sort -u)" ] || fail "jacobi checksums differ"
one=$(field gb_per_s < "$work/muster" | median)
rival=$(field gb_per_s < "$work/opencl" | median)
echo "Muster $one GB/s, OpenCL $rival GB/s, ratio $(awk "BEGIN {printf \"%.3f\", $one / $rival}")"
CUDA_VISIBLE_DEVICES=0 MUSTER_DEVICES=gpu "$bundle/bin/empty-muster" 20000 || fail empty

# Twice the rows and columns, so that n GPUs have enough to do; one GPU computes the same for the ratio.
large=$((2 * size))
if [ "$gpus" -ge 2 ]; then
  CUDA_VISIBLE_DEVICES=0 MUSTER_DEVICES=gpu "$bundle/bin/jacobi-muster" "$large" "$steps" > "$work/large" || fail "jacobi on one GPU"
  one=$(field gb_per_s < "$work/large")
fi
for n in 2 4 8; do
  [ "$gpus" -ge "$n" ] || continue
  say "Jacobi $large x $large float, $n GPUs, one MPI rank each"
  : > "$work/many"
  for repeat in 1 2 3; do
    CUDA_VISIBLE_DEVICES=$(seq -s, 0 $((n - 1))) MUSTER_DEVICES=gpu ranks "$n" "$bundle/bin/jacobi-muster" "$large" "$steps" >> "$work/many" ||
      fail "jacobi on $n GPUs"
  done
  [ "$(field checksum < "$work/many" | sort -u)" = "$(field checksum < "$work/large")" ] || fail "jacobi on $n GPUs: checksum differs"
  many=$(field gb_per_s < "$work/many" | median)
  echo "one GPU: $one GB/s; $n GPUs: $many GB/s, $(awk "BEGIN {printf \"%.2f\", $many / $one}") x one GPU"
done

say "$failures failure(s)"
exit $((failures > 0))
