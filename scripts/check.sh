#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# All tests of a built tree: GoogleTest, lit, whole programs, layering, headers. Ends with one line of totals.
set -uo pipefail

build=$1
log=$build/check.log
# mpirun and each rank would load all OpenCL drivers to look for GPUs, and Open MPI would look for networks.
export HWLOC_PLUGINS_BLACKLIST=hwloc_opencl.so,hwloc_gl.so OMPI_MCA_pml=ob1
# Ranks wait for each other: one test more than there are cores.
ctest --test-dir "$build" --output-on-failure -j "$(($(nproc) + 1))" 2>&1 | tee "$log"
status=${PIPESTATUS[0]}
# Once more, behind all others: those that look at a long log from its end see what failed.
record=$build/Testing/Temporary/LastTest.log
if [ "$status" -ne 0 ]; then
  sed -n 's/^\t *[0-9]* - \([^ ]*\) .*(\(Failed\|Timeout\|SEGFAULT\|Subprocess aborted\|Not Run\)).*/\1/p' "$log" | while read -r name; do
    echo "--- the end of what $name printed"
    awk -v name="$name" '/^[0-9]+\/[0-9]+ Testing: / { own = $3 == name } own' "$record" | tail -n 30
  done
fi
total=$(sed -n 's/^.*tests passed, \([0-9]*\) tests failed out of \([0-9]*\).*$/\1 \2/p' "$log" | tail -n 1)
read -r failed count <<<"${total:-1 1}"
echo "$((count - failed)) passed, $failed failed"
exit "$status"
