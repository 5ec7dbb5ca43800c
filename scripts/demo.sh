#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The main job, shown: a plain OpenMP Sobel edge detector on a photograph, over 4 MPI ranks.
set -euo pipefail

build=$1
photo=$2
steps=${STEPS:-50}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
out=$build/demo
mkdir -p "$out"

say() { printf '\n== %s\n' "$*"; }
show() { printf '   $ %s\n' "$*"; "$@"; }

[ -r "$photo" ] || { echo "muster: cannot read the photograph $photo" >&2; exit 1; }
launcher=(mpirun -n 4 --oversubscribe --bind-to none)
[ "$(id -u)" -ne 0 ] || launcher+=(--allow-run-as-root)

say "Compile samples/sobel/sobel.cpp with the plugin, and once more without it"
sources=("$here/samples/sobel/sobel.cpp" "$here/samples/common/image.cpp")
show "$build/bin/muster++" -O3 -I"$here/samples/common" "${sources[@]}" -lpng -ljpeg -o "$out/sobel"
"$here/scripts/plain-source.sh" "${sources[0]}" > "$out/sobel-plain.cpp"
show clang++-19 -fopenmp -O3 -I"$here/samples/common" "$out/sobel-plain.cpp" "${sources[1]}" -lpng -ljpeg -o "$out/sobel-plain"

rm -f "$out/edges.png" "$out/edges-plain.png"
say "Run it on every device of 4 MPI ranks"
# Some steps of one photograph are over before the search for the fastest devices has begun.
MUSTER_TUNE=${MUSTER_TUNE:-off} MUSTER_INFO=${MUSTER_INFO:-1} show "${launcher[@]}" "$out/sobel" "$photo" "$out/edges.png" "$steps"

say "Run the plain OpenMP build"
show "$out/sobel-plain" "$photo" "$out/edges-plain.png" "$steps"

say "Compare"
if cmp "$out/edges.png" "$out/edges-plain.png"; then
  echo "   both images are identical, byte for byte: $out/edges.png"
else
  echo "   the images differ: this is a bug in Muster" >&2
  exit 1
fi
