#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compares generated programs with their plain builds: run.sh BUILD [COUNT [FIRST-SEED [RANKS [DEVICES]]]]
#
#   run.sh build 100             seeds 1 to 100 on one rank, on cpu, opencl and both
#   run.sh build 20 500 "2 3"    seeds 500 to 519 on two and three ranks
#
# Keeps the folder of each seed that failed and ends with 1 if there is one. FUZZ_DIR is where it works.
set -uo pipefail

if [ $# -lt 1 ]; then
  sed -n '4,9s/^# \{0,1\}//p' "$0"
  exit 2
fi
build=$(cd "$1" && pwd)
count=${2:-50} first=${3:-1} ranks=${4:-1} devices=${5:-"cpu opencl cpu,opencl"}
here=$(cd "$(dirname "$0")" && pwd)
work=${FUZZ_DIR:-$(mktemp -d)}
mkdir -p "$work"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
failed=()

# Sets `why` and returns 1 where a build of the seed in folder $1 does not do what the plain one does.
check() {
  local folder=$1 rank device flags
  flags=(-w -std=c++17 "-O$((seed % 4))")
  why="the plain build does not compile or run"
  clang++-19 -fopenmp "${flags[@]}" "$folder/program.cpp" -o "$folder/plain" 2>"$folder/log" || return 1
  OMP_NUM_THREADS=2 timeout 60 "$folder/plain" >"$folder/expected" 2>"$folder/log" || return 1
  why="Muster does not compile it without a complaint"
  "$build/bin/muster++" "${flags[@]}" "$folder/program.cpp" -o "$folder/muster" 2>"$folder/log" || return 1
  ! grep -q "internal error" "$folder/log" || return 1
  for rank in $ranks; do
    for device in $devices; do
      local launcher=()
      [ "$rank" = 1 ] || launcher=(mpirun --oversubscribe --bind-to none -n "$rank")
      why="other output, a failure or a hang: MUSTER_DEVICES=$device ${launcher[*]} $folder/muster"
      MUSTER_DEVICES=$device MUSTER_MIN_SHARE=0 OMP_NUM_THREADS=2 timeout 60 "${launcher[@]}" "$folder/muster" \
        </dev/null >"$folder/actual" 2>"$folder/log" || return 1
      cmp -s "$folder/expected" "$folder/actual" || return 1
    done
  done
}

for ((seed = first; seed < first + count; ++seed)); do
  folder=$work/$seed
  mkdir -p "$folder"
  python3 "$here/generate.py" "$seed" >"$folder/program.cpp" || exit 1
  if check "$folder"; then
    rm -rf "$folder"
  else
    failed+=("$seed")
    echo "seed $seed: $why"
    head -c 600 "$folder/log"
  fi
done
echo "$((count - ${#failed[@]})) of $count programs equal their plain builds"
if [ ${#failed[@]} -gt 0 ]; then
  echo "kept in $work: ${failed[*]}"
  exit 1
fi
