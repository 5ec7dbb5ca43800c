#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Checks and measures Muster on a machine with NVIDIA GPUs, in one run, from a folder that gpu-bundle.sh made.
# Every result is compared with the plain OpenMP build on the CPU or with a hand-written OpenCL program.
# Usage: gpu-check.sh BUNDLE [SIZE] [STEPS]; PARTS: which of conformance, roots, results, messages, backends, rivals, loops, steps, halo, scaling,
# merges, uneven, threads, sets (default: the first nine, merges, uneven and threads with one GPU, results, scaling and merges with several). GPU: how Muster drives the cards, gpu (default: by
# CUDA where that can be), cuda or opencl. backends: each program by CUDA and by OpenCL in turn. sets: the paper's tables (bench/device_sets.py) with one
# rank for each GPU, and its CSV in the folder OUT; SETS: more options for it, such as "--only sfe --budget-seconds 100".
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
gpus=$(nvidia-smi -L | wc -l)
if [ "$gpus" -ge 2 ]; then default="results scaling merges"; else default="conformance roots results messages backends rivals loops steps halo merges uneven threads"; fi
parts=" ${PARTS:-$default} "
gpu=${GPU:-gpu}
# Without the host's CPU as another OpenCL device.
mkdir "$work/vendors" && echo "$icd" > "$work/vendors/nvidia.icd"
export OCL_ICD_VENDORS=$work/vendors OCL_ICD_FILENAMES=$icd

wanted() { [[ $parts == *" $1 "* ]]; }
say() { printf '\n== %s (%d s)\n' "$*" "$SECONDS"; }
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
ranks() { if [ "$1" = 1 ]; then shift; "$@"; else mpirun --allow-run-as-root --bind-to none --oversubscribe -n "$@"; fi; }
on_gpus() { # on_gpus N COMMAND...: one rank for each of the first N GPUs
  CUDA_VISIBLE_DEVICES=$(seq -s, 0 $(($1 - 1))) MUSTER_DEVICES=$gpu timeout 120 "${BASH:-bash}" -c \
    'n=$1; shift; if [ "$n" = 1 ]; then exec "$@"; fi; exec mpirun --allow-run-as-root --bind-to none --oversubscribe -n "$n" "$@"' on_gpus "$@"
}
field() { sed -n "s/.*\"$1\": \"\{0,1\}\([^\",}]*\).*/\1/p"; }
milliseconds() { sed -n 's/.*: \([0-9.e+-]*\) ms per step$/\1/p'; }
median() { sort -g | awk '{v[NR]=$1} END {print (NR % 2) ? v[(NR+1)/2] : (v[NR/2] + v[NR/2+1]) / 2}'; }
quotient() { awk "BEGIN {printf \"%.3f\", $1 / $2}"; }
# near TOLERANCE A B: equal but for the last digits of numbers with a point or an exponent.
near() {
  awk -v tolerance="$1" '
    function real(t) { return t ~ /^-?[0-9]+(\.[0-9]*)?(e[-+]?[0-9]+)?$/ && t ~ /[.e]/ }
    FNR == NR { expected[FNR] = $0; lines = FNR; next }
    { count = split($0, got, /[ ,]+/); if (split(expected[FNR], want, /[ ,]+/) != count) exit bad = 1
      for (i = 1; i <= count; ++i) {
        if (got[i] == want[i]) continue
        if (!real(got[i]) || !real(want[i])) exit bad = 1
        a = got[i] < 0 ? -got[i] : got[i]; b = want[i] < 0 ? -want[i] : want[i]; d = got[i] - want[i]
        if ((d < 0 ? -d : d) > tolerance * (a > b ? a : b)) exit bad = 1 } }
    END { exit bad || FNR != lines }' "$3" "$2"
}
same() { # same LABEL [TOLERANCE]: expected output in $work/a, Muster's in $work/b
  if near "${2:-0}" "$work/b" "$work/a"; then echo "ok   $1"; else fail "$1 differs"; diff "$work/a" "$work/b" | head -n 5; fi
}

say "Devices"
nvidia-smi --query-gpu=index,name,driver_version,memory.total --format=csv,noheader
"$bundle/bin/muster-info" || fail muster-info

if wanted conformance; then
  say "Conformance suite on the first GPU, by OpenCL and by CUDA"
  timeout 250 "$bundle/bin/muster_cdm_tests" --gtest_brief=1 \
    --gtest_filter='*onformance*opencl*:*onformance*cuda*:-*staged*' > "$work/conformance" 2>&1 || fail "conformance suite"
  tail -n 25 "$work/conformance"
fi

if wanted roots; then
  say "Inverse roots of all floats equal the host's"
  "$bundle/bin/roots-plain" > "$work/a" || fail "roots-plain"
  on_gpus 1 "$bundle/bin/roots-muster" > "$work/b" || fail "roots-muster"
  same "$(cat "$work/a")"
fi

# Every sample: name, relative tolerance, arguments.
samples="sample-jacobi 0 517 389 40
matmul-collapse 0 203 1
black-scholes 2e-6 100007 3
heat3d 0 61 9
nbody 1e-11 2003 3
cg 1e-6 71 20
histogram-atomic 0 1000003 2
mandelbrot 0 301 203 500
smith-waterman 0 500 400
sfe 0 13 1
literal-rows 0 60000
group-choices 0"
if wanted results; then
  say "Results equal the plain OpenMP build"
  # A rank without a GPU of its own is refused `gpu` only where it has none at all.
  while read -r name tolerance arguments; do
    # shellcheck disable=SC2086
    "$bundle/bin/$name-plain" $arguments > "$work/a" 2> /dev/null || fail "$name-plain"
    for n in 1 2 3; do
      for devices in "$gpu" "cpu,$gpu"; do
        # shellcheck disable=SC2086
        MUSTER_DEVICES=$devices MUSTER_MIN_SHARE=0 MUSTER_TUNE=off ranks "$n" timeout 60 "$bundle/bin/$name-muster" $arguments > "$work/b" 2> "$work/err" < /dev/null ||
          { fail "$name, $n rank(s), $devices"; tail -n 5 "$work/err"; }
        same "$name $arguments, $n rank(s), $devices" "$tolerance"
      done
    done
  done <<< "$samples"
  "$bundle/bin/sample-sobel-plain" "$bundle/photo.jpg" "$work/a.png" 2 2> /dev/null
  "$bundle/bin/sample-sobel-muster" "$bundle/photo.jpg" "$work/b.png" 20 || fail sobel
  if cmp -s "$work/a.png" "$work/b.png"; then echo "ok   sobel, no option set"; else fail "sobel differs"; fi
fi

if wanted messages; then
  # Two ranks share the first GPU. A stand-in before MPI takes addresses of its memory.
  say "MPI takes messages from a GPU's memory and puts them there"
  export OMP_NUM_THREADS=1
  over_mpi() { # over_mpi LABEL LEAST LIBRARIES COMMAND...: with at least so many such messages
    MUSTER_DEVICES=cuda:0 MUSTER_TUNE=off MUSTER_SHARED_MEMORY=off MUSTER_GPU_AWARE_MPI=${aware:-on} timeout 60 \
      mpirun --allow-run-as-root --bind-to none --oversubscribe -n 2 -x LD_PRELOAD="$3" "${@:4}" > "$work/b" 2> "$work/err" < /dev/null ||
      { fail "$1"; tail -n 5 "$work/err"; }
    direct=$(awk '/^gpu-aware mpi:/ {n += $6 + $7} END {print n + 0}' "$work/err")
    [ "$direct" -ge "$2" ] || fail "$1: $direct messages from or to the GPU's memory"
    same "$1, $direct messages"
  }
  "$bundle/bin/sample-jacobi-plain" 1017 4001 40 > "$work/a" 2> /dev/null
  over_mpi "sample-jacobi" 40 "$bundle/lib/libmuster_gpu_aware_mpi.so" "$bundle/bin/sample-jacobi-muster" 1017 4001 40
  for program in overlap halo_rows halo_both; do
    ranks 2 "$bundle/bin/$program-plain" > "$work/a" || fail "$program-plain"
    over_mpi "$program" 80 "$bundle/lib/libmuster-mpi-calls.so:$bundle/lib/libmuster_gpu_aware_mpi.so" "$bundle/bin/$program-muster"
  done
  # The same, where it is measured: the stand-in is slower by itself.
  aware=auto over_mpi "halo_both, measured" 60 "$bundle/lib/libmuster-mpi-calls.so:$bundle/lib/libmuster_gpu_aware_mpi.so" "$bundle/bin/halo_both-muster"
  unset OMP_NUM_THREADS
fi

if wanted backends; then
  # The same loops in both files, in the same order. MUSTER_KERNELS=first: builds and trials are in front of what is timed.
  say "Programs on one GPU, resident, milliseconds a step: by CUDA and by OpenCL in turn"
  export MUSTER_KERNELS=first
  while read -r program arguments; do
    rm -f "$work"/by-*
    for repeat in 1 2 3; do
      for gpu in cuda opencl; do
        # shellcheck disable=SC2086
        on_gpus 1 "$bundle/bin/$program-muster" $arguments > "$work/out" 2> "$work/err" < /dev/null || { fail "$program, $gpu"; tail -n 3 "$work/err"; }
        cp "$work/out" "$work/out-$gpu"
        {
          sed -n 's/.*"name": "\([^"]*\)".*"seconds_per_step": \([0-9.e+-]*\).*/\1 \2/p' "$work/out"
          sed -n 's/^\([^ ]*\): \([0-9.e+-]*\) ms per step$/\1 \2e-3/p' "$work/err"
        } | sed "s|^|$program/|" >> "$work/by-$gpu"
      done
    done
    sed 's/"[a-z_]*per_s[a-z_]*": [^,}]*//g; s/"seconds": [^,}]*//g' "$work/out-cuda" > "$work/a"
    sed 's/"[a-z_]*per_s[a-z_]*": [^,}]*//g; s/"seconds": [^,}]*//g' "$work/out-opencl" > "$work/b"
    near 1e-6 "$work/a" "$work/b" || fail "$program $arguments: CUDA and OpenCL differ"
    while read -r name; do
      cuda=$(sed -n "s|^$name ||p" "$work/by-cuda" | median) opencl=$(sed -n "s|^$name ||p" "$work/by-opencl" | median)
      awk -v n="$name $arguments" -v c="$cuda" -v o="$opencl" 'BEGIN {printf "%-44s cuda %10.4f opencl %10.4f ratio %6.3f\n", n, c * 1e3, o * 1e3, c ? o / c : 0}'
    done < <(cut -d ' ' -f 1 "$work/by-cuda" | awk '!seen[$0]++') | tee -a "$work/backends"
  done <<< "empty 20000
jacobi 1024 4000
jacobi 16384 200
loops
steps
neighbours
matmul-collapse 4096 20 collapse
black-scholes 32000000 300
heat3d-large 400 100
nbody 200000 4
paths 4096 500
cg 3000 50
histogram-atomic 1000000000 10 atomic
smith-waterman 10000 10000
sfe 1024 2
$(printf 'kinds %s\n' 'rows 16384 100' 'lattice 4096 100' 'median 16384 50' 'transpose 16384 100' 'fir 200000000 50' 'particles 20000000 100' 'sparse 4000000 100')
$(printf 'dense %s\n' 'channels 2048 20' 'nearest 2000000 50' 'gram 4096 10' 'tridiagonal 131072 50' 'recurrence 16384 50' 'distances 16384 50' 'cheapest 4096 10')
dense-fast softmax 16384 50"
  gpu=${GPU:-gpu}
  unset MUSTER_KERNELS
  for repeat in 1 2 3; do
    MUSTER_KERNELS=first on_gpus 1 "$bundle/bin/empty-muster" 20000 >> "$work/empty-muster" || fail empty
    "$bundle/bin/empty-cuda" 20000 >> "$work/empty-cuda" || fail empty-cuda
  done
  [ "$(cat "$work"/empty-* | grep '"empty"' | field checksum | sort -u | wc -l)" = 1 ] || fail "empty checksums differ"
  own=$(grep '"empty"' "$work/empty-cuda" | field seconds_per_step | median) graph=$(grep graph "$work/empty-cuda" | field seconds_per_step | median)
  mine=$(field seconds_per_step < "$work/empty-muster" | median)
  awk -v m="$mine" -v o="$own" -v g="$graph" 'BEGIN {printf "a launch of 64 iterations: %.2f us, by hand %.2f us (%.2f more), in a graph by hand %.2f us\n", m * 1e6, o * 1e6, (m - o) * 1e6, g * 1e6}'
  awk '$NF > 0 {sum += log($NF); ++n; if ($NF < 0.97) {++slow}} END {printf "%d rows, geometric mean of OpenCL / CUDA %.3f, %d below 0.97\n", n, exp(sum / n), slow}' "$work/backends"
fi

if wanted rivals; then
  say "Jacobi $size x $size float, one GPU, resident: Muster and the hand-written OpenCL kernel in turn"
  for repeat in 1 2 3 4 5; do
    on_gpus 1 "$bundle/bin/jacobi-muster" "$size" "$steps" >> "$work/muster" || fail "jacobi-muster"
    "$bundle/bin/jacobi-opencl" "$size" "$steps" >> "$work/opencl" 2> "$work/device" || fail "jacobi-opencl"
  done
  cat "$work/device"
  [ "$(field checksum < "$work/muster" | sort -u)" = "$(field checksum < "$work/opencl" | sort -u)" ] || fail "jacobi checksums differ"
  one=$(field gb_per_s < "$work/muster" | median)
  rival=$(field gb_per_s < "$work/opencl" | median)
  echo "Muster $one GB/s, OpenCL $rival GB/s, ratio $(quotient "$one" "$rival")"
  on_gpus 1 "$bundle/bin/empty-muster" 20000 || fail empty

  # Each sample and its rival in turn: the rival with the same arithmetic, and as one writes it for speed.
  while read -r name rival tolerance arguments; do
    say "$name $arguments, one GPU, resident"
    : > "$work/muster"; : > "$work/exact"; : > "$work/fast"
    for repeat in 1 2 3; do
      # shellcheck disable=SC2086
      on_gpus 1 "$bundle/bin/$name-muster" $arguments > "$work/b" 2>> "$work/muster" < /dev/null || fail "$name-muster"
      # shellcheck disable=SC2086
      "$bundle/bin/$rival-opencl" ${arguments% collapse} > "$work/a" 2>> "$work/exact" < /dev/null || fail "$rival-opencl"
      # shellcheck disable=SC2086
      "$bundle/bin/$rival-opencl" ${arguments% collapse} fast > /dev/null 2>> "$work/fast" < /dev/null || fail "$rival-opencl fast"
      same "$name, run $repeat, equals the rival" "$tolerance"
    done
    one=$(milliseconds < "$work/muster" | median) exact=$(milliseconds < "$work/exact" | median) fast=$(milliseconds < "$work/fast" | median)
    echo "Muster $one ms; OpenCL, same arithmetic, $exact ms: speed of Muster $(quotient "$exact" "$one"); OpenCL for speed $fast ms: $(quotient "$fast" "$one")"
  done <<< "matmul-collapse matmul 0 4096 20 collapse
black-scholes black-scholes 1e-6 32000000 300
heat3d-large heat3d-large 0 400 100
nbody nbody 1e-10 200000 4
paths paths 0 4096 2000"

  say "kinds of loops on one GPU, resident, milliseconds a step: Muster and the same loop by hand"
  while read -r program name arguments; do
    rival=${program%-fast}
    # shellcheck disable=SC2086
    on_gpus 1 "$bundle/bin/$program-muster" "$name" $arguments > "$work/b" 2> "$work/muster" < /dev/null || fail "$program-muster $name"
    # shellcheck disable=SC2086
    "$bundle/bin/$rival-opencl" "$name" $arguments > "$work/a" 2> "$work/hand" < /dev/null || fail "$rival-opencl $name"
    mine=$(milliseconds < "$work/muster") hand=$(milliseconds < "$work/hand")
    awk -v n="$name" -v m="${mine:-0}" -v h="${hand:-0}" 'BEGIN {printf "%-12s %9.3f by hand %9.3f ratio %7.2f\n", n, m, h, m ? h / m : 0}'
    cmp -s "$work/a" "$work/b" || fail "$name differs from the same by hand"
  done <<< "kinds rows 16384 100
kinds lattice 4096 100
kinds median 16384 100
kinds transpose 16384 100
kinds gray 100000000 100
kinds fir 200000000 100
kinds particles 20000000 100
kinds mandelbrot 8192 20
kinds sparse 4000000 100
dense channels 2048 20
dense nearest 2000000 50
dense gram 4096 10
dense tridiagonal 131072 50
dense-fast softmax 16384 50
dense recurrence 16384 50
dense distances 16384 50
dense cheapest 4096 10"
fi

if wanted loops; then
  say "single loops on one GPU, milliseconds: forms of kernels chosen by Muster and plain ones in turn"
  for repeat in 1 2; do
    for forms in auto plain; do
      MUSTER_KERNELS=$forms on_gpus 1 "$bundle/bin/loops-muster" >> "$work/loops-$forms" 2> "$work/err" < /dev/null || fail "loops, $forms"
    done
  done
  while read -r name; do
    for forms in auto plain; do grep "\"$name\"" "$work/loops-$forms" > "$work/$forms"; done
    mine=$(field seconds_per_step < "$work/auto" | median) plain=$(field seconds_per_step < "$work/plain" | median)
    awk -v n="$name" -v a="$mine" -v p="$plain" 'BEGIN {printf "%-12s %9.3f plain %9.3f ratio %7.2f\n", n, a * 1e3, p * 1e3, p / a}'
    # Sums of fractions are not the same twice.
    [ "$name" = sums-256 ] || [ "$(cat "$work/auto" "$work/plain" | field checksum | sort -u | wc -l)" = 1 ] || fail "$name differs"
  done < <(field name < "$work/loops-auto" | tr -d '"' | awk '!seen[$0]++')
fi

# From the start (first), so that builds are in front of what is timed.
if wanted steps; then
  say "solvers on one GPU, milliseconds a step: launches that become one, and one after the other in turn"
  for repeat in 1 2; do
    for fuse in auto off; do
      for program in steps neighbours; do
        MUSTER_KERNELS=first MUSTER_FUSE=$fuse on_gpus 1 "$bundle/bin/$program-muster" >> "$work/steps-$fuse" 2> "$work/err" < /dev/null || fail "$program, $fuse"
      done
    done
  done
  while read -r name; do
    for fuse in auto off; do grep "\"$name\"" "$work/steps-$fuse" > "$work/$fuse"; done
    mine=$(field seconds_per_step < "$work/auto" | median) off=$(field seconds_per_step < "$work/off" | median)
    awk -v n="$name" -v a="$mine" -v p="$off" 'BEGIN {printf "%-12s %9.3f one by one %9.3f ratio %7.2f\n", n, a * 1e3, p * 1e3, p / a}'
    [ "$(cat "$work/auto" "$work/off" | field checksum | sort -u | wc -l)" = 1 ] || fail "$name differs"
  done < <(field name < "$work/steps-auto" | tr -d '"' | awk '!seen[$0]++')
fi

if wanted halo; then
  while read -r n many ranks; do
    say "ghost rows of $n numbers, $ranks rank(s) on one GPU, seconds a step: Muster and the same by hand in turn"
    : > "$work/muster"; : > "$work/hand"
    for repeat in 1 2 3; do
      CUDA_VISIBLE_DEVICES=0 MUSTER_DEVICES=$gpu ranks "$ranks" timeout 60 "$bundle/bin/halo-muster" "$n" "$many" >> "$work/muster" 2> "$work/err" < /dev/null || fail halo-muster
      CUDA_VISIBLE_DEVICES=0 ranks "$ranks" timeout 60 "$bundle/bin/halo-mpi" "$n" "$many" >> "$work/hand" 2> "$work/err" < /dev/null || fail halo-mpi
    done
    [ "$(cat "$work/muster" "$work/hand" | field checksum | sort -u | wc -l)" = 1 ] || fail "halo checksums differ"
    mine=$(field seconds_per_step < "$work/muster" | median) hand=$(field seconds_per_step < "$work/hand" | median)
    echo "Muster $mine, by hand $hand, ratio $(quotient "$mine" "$hand")"
  done <<< "8192 500 1
8192 500 2
131072 500 1
131073 500 2
2097152 100 1
2097152 100 2
16777216 20 2"
fi

counts=""
for n in 2 4 8; do [ "$gpus" -lt "$n" ] || counts="$counts $n"; done

if wanted scaling; then
  # Twice the rows and columns, so that n GPUs have enough to do; one GPU computes the same for the ratio. And five
  # times the steps: cards slow down when they are busy for more than a second, and cold first steps count for less.
  large=$((2 * size)) many_steps=$((5 * steps))
  say "Jacobi $large x $large float, one GPU, then several with one MPI rank each"
  on_gpus 1 "$bundle/bin/jacobi-muster" "$large" "$many_steps" > "$work/large" || fail "jacobi on one GPU"
  one=$(field gb_per_s < "$work/large")
  echo "one GPU: $one GB/s"
  for n in $counts; do
    : > "$work/many"
    for repeat in 1 2 3; do
      on_gpus "$n" "$bundle/bin/jacobi-muster" "$large" "$many_steps" >> "$work/many" || fail "jacobi on $n GPUs"
    done
    [ "$(field checksum < "$work/many" | sort -u)" = "$(field checksum < "$work/large")" ] || fail "jacobi on $n GPUs: checksum differs"
    many=$(field gb_per_s < "$work/many" | median)
    echo "$n GPUs: $many GB/s, $(quotient "$many" "$one") x one GPU"
  done

  while read -r name tolerance arguments; do
    say "$name $arguments, one GPU, then several with one MPI rank each"
    # shellcheck disable=SC2086
    on_gpus 1 "$bundle/bin/$name-muster" $arguments > "$work/a" 2> "$work/err" < /dev/null || { fail "$name on one GPU"; tail -n 5 "$work/err"; }
    one=$(milliseconds < "$work/err")
    echo "one GPU: $one ms per step"
    for n in $counts; do
      # shellcheck disable=SC2086
      on_gpus "$n" "$bundle/bin/$name-muster" $arguments > "$work/b" 2> "$work/err" < /dev/null || { fail "$name on $n GPUs"; tail -n 5 "$work/err"; }
      same "$name on $n GPUs equals one GPU" "$tolerance"
      many=$(milliseconds < "$work/err")
      echo "$n GPUs: $many ms per step, $(quotient "${one:-0}" "${many:-1}") x one GPU"
    done
  done <<< "black-scholes 1e-6 100000000 300
heat3d-large 0 1200 100
matmul-collapse 0 8192 5 collapse
nbody 1e-10 400000 3
cg 1e-6 3000 50
histogram-atomic 0 1000000000 10 atomic
sfe 0 1024 2"
fi

if wanted merges; then
  # One card is two devices: ranks that share it, or a process that names it twice.
  if [ "$gpus" -ge 2 ]; then several=$gpu; else several=cuda:0,cuda:0; fi
  say "Merges, one GPU, then several: ranks, and one process"
  while read -r name arguments; do
    # shellcheck disable=SC2086
    on_gpus 1 "$bundle/bin/$name-muster" $arguments > "$work/one" 2> "$work/err" < /dev/null || fail "$name on one GPU"
    one=$(field seconds_per_step < "$work/one")
    for n in ${counts:-2}; do
      # shellcheck disable=SC2086
      MUSTER_TUNE=off on_gpus "$n" "$bundle/bin/$name-muster" $arguments > "$work/ranks" 2> "$work/err" < /dev/null || fail "$name on $n ranks"
      # shellcheck disable=SC2086
      CUDA_VISIBLE_DEVICES=$(seq -s, 0 $((n - 1))) MUSTER_TUNE=off MUSTER_DEVICES=$several timeout 120 "$bundle/bin/$name-muster" $arguments \
        > "$work/process" 2> "$work/err" < /dev/null || fail "$name on $n GPUs of one process"
      [ "$(cat "$work/one" "$work/ranks" "$work/process" | field checksum | sort -u | wc -l)" = 1 ] || fail "$name $arguments on $n GPUs: checksums differ"
      echo "$name $arguments: $one s per step, $n ranks $(field seconds_per_step < "$work/ranks"), one process $(field seconds_per_step < "$work/process")"
    done
  done <<< "merge 4000000 20
merge 64000000 10
accumulate 256 67108864 20
accumulate 65536 67108864 20
accumulate 1048576 67108864 20
accumulate 16777216 67108864 20
accumulate 65536 1048576 100"
fi

# Three ranks share all cores but one at most, which plain OpenMP uses as well; then one GPU beside all cores. Balance:
# the time that all would take together without a loss, by that of each alone, over what they take.
if wanted uneven; then
  share=$(($(nproc) / 3)) all=$(nproc)
  say "Loops whose iterations cost unequally, ms: plain on $((3 * share)) cores, 3 ranks with $share, the same by weights alone; GPU, CPU, both, by weights"
  for name in mandelbrot triangle costs; do
    times=()
    uneven() { # uneven WAY RANKS THREADS PROGRAM [VARIABLE=VALUE...]
      ranks "$2" env OMP_NUM_THREADS="$3" MUSTER_TUNE=off MUSTER_MIN_SHARE=0 "${@:5}" timeout 120 "$bundle/bin/$4" "$name" \
        > "$work/uneven-$1" 2> "$work/err" < /dev/null || fail "$name, $1"
      times+=("$(field seconds_per_step < "$work/uneven-$1")")
    }
    uneven plain 1 $((3 * share)) uneven-plain
    uneven ranks 3 "$share" uneven-muster MUSTER_DEVICES=cpu
    uneven weights 3 "$share" uneven-muster MUSTER_DEVICES=cpu MUSTER_BALANCE=off
    uneven gpu 1 "$all" uneven-muster MUSTER_DEVICES=cuda:0
    uneven cpu 1 "$all" uneven-muster MUSTER_DEVICES=cpu
    uneven both 1 "$all" uneven-muster MUSTER_DEVICES=cuda:0,cpu
    uneven shares 1 "$all" uneven-muster MUSTER_DEVICES=cuda:0,cpu MUSTER_BALANCE=off
    awk -v n="$name" -v t="${times[*]}" 'BEGIN {split(t, s, " ")
      printf "%-11s %8.2f | %8.2f balance %.3f | %8.2f || %8.2f, %8.2f | %8.2f balance %.3f | %8.2f\n", n, 1e3 * s[1], 1e3 * s[2], s[1] / s[2],
        1e3 * s[3], 1e3 * s[4], 1e3 * s[5], 1e3 * s[6], 1 / (1 / s[4] + 1 / s[5]) / s[6], 1e3 * s[7]}'
    [ "$(cat "$work"/uneven-* | field checksum | sort -u | wc -l)" = 1 ] || fail "$name: checksums differ"
  done
fi

# As the Kirchhoff paper's Figure 1 and section 5.3: shots of very different length, a thread for each core. "GPU only": the two threads that may share
# a card, and no others. The default mode with a cache of its own, run after run.
if wanted threads; then
  for arguments in "0 36 1401 16" "1 12 801 32"; do
    say "Traveltimes ($arguments) on $(nproc) cores and a GPU, s: twice each"
    : > "$work/sums"
    shots() { # shots PROGRAM [VARIABLE=VALUE...]: seconds
      # shellcheck disable=SC2086
      env "${@:2}" timeout 120 "$bundle/bin/traveltime-$1" $arguments > "$work/out" 2> "$work/err" < /dev/null || fail "traveltime $*"
      sed -n 's/.*checksum //p' "$work/out" >> "$work/sums"
      awk "BEGIN {printf \" %6.2f\", $(milliseconds < "$work/err") / 1000}"
    }
    devices=(MUSTER_TUNE=off MUSTER_MIN_SHARE=0 MUSTER_DEVICES=cuda:0,cpu)
    for round in 1 2; do
      printf 'plain'; shots plain
      printf '   donated'; shots muster "${devices[@]}"
      printf '   static'; shots muster "${devices[@]}" MUSTER_THREADS=static
      printf '   cores'; shots muster "${devices[@]}" MUSTER_THREADS=off
      [ "$round" = 2 ] || { printf '   GPU only'; shots muster "${devices[@]}" MUSTER_THREADS=static OMP_NUM_THREADS=2; }
      echo
    done
    printf 'default, run after run:'
    for round in 1 2 3 4; do shots muster MUSTER_CACHE_DIR="$work/cache-of-threads" MUSTER_DEVICES=cuda:0,cpu; done
    echo
    [ "$(sort -u "$work/sums" | wc -l)" = 1 ] || fail "traveltime: checksums differ"
  done
fi

if wanted sets; then
  say "Device sets, $gpus rank(s)"
  here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
  # shellcheck disable=SC2086
  python3 "$here/bench/device_sets.py" --programs "$bundle/bin" --ranks "$gpus" --size large --repeats 1 --budget-seconds 480 --set-seconds 40 \
    --csv "${OUT:-$work}/device_sets.csv" --text "${OUT:-$work}/device_sets.txt" ${SETS:-} || fail "device sets"
fi

say "$failures failure(s)"
exit $((failures > 0))
