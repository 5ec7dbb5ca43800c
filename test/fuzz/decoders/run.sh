#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Fuzzes one group of decoders: run.sh HARNESS GROUP SECONDS FOLDER. Starts from seeds that the harness writes. An input that
# fails is printed, so that it can be fed to the harness again.
set -uo pipefail

harness=$1 seconds=$3 folder=$4
export FUZZ_GROUP=$2
rm -rf "$folder"
mkdir -p "$folder/corpus" "$folder/found"
"$harness" --write-seeds "$folder/corpus" || exit 1
[ -n "$(ls "$folder/corpus")" ] || { echo "no seeds were written"; exit 1; }
"$harness" -max_total_time="$seconds" -rss_limit_mb=1024 -max_len=65536 -print_final_stats=1 \
  -artifact_prefix="$folder/found/" "$folder/corpus" >"$folder/log" 2>&1
status=$?
if [ $status -ne 0 ]; then
  tail -n 60 "$folder/log"
  for input in "$folder"/found/*; do
    echo "input $input:"
    xxd "$input" | head -n 40
  done
  exit $status
fi
grep stat::number_of_executed_units "$folder/log"
