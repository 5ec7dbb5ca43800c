#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# same_end.sh PROGRAM ARGUMENT...: for each argument, PROGRAM ends as PROGRAM.plain does, with the same output and status,
# on CPUs, POCL, both, and several ranks.
program=$1
shift
ranks="mpirun --allow-run-as-root --oversubscribe -n"
failed=0

# check ARGUMENT COMMAND...
check() {
  argument=$1
  shift
  timeout 120 "$@" "$program" "$argument" > "$program.own" 2> "$program.errors"
  status=$?
  if [ $status -ne $wanted ] || ! diff "$program.expected" "$program.own"; then
    echo "$* with $argument: status $status, not $wanted"
    cat "$program.errors"
    failed=1
  fi
}

for argument; do
  OMP_NUM_THREADS=3 "$program.plain" "$argument" > "$program.expected"
  wanted=$?
  for devices in cpu opencl cpu,opencl; do
    check "$argument" env OMP_NUM_THREADS=3 MUSTER_DEVICES=$devices
  done
  for count in 1 2 3; do
    check "$argument" env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu $ranks $count
  done
  check "$argument" env OMP_NUM_THREADS=1 MUSTER_DEVICES=opencl $ranks 2
done
exit $failed
