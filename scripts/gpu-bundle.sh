#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Collects what scripts/gpu-check.sh needs on a machine that has GPUs but no clang and no network: stripped
# binaries and the shared libraries that such a machine lacks. Usage: gpu-bundle.sh BUILD FOLDER
set -euo pipefail

build=$(cd "$1" && pwd)
bundle=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
rm -rf "$bundle"
mkdir -p "$bundle/bin" "$bundle/lib" "$bundle/lib-fallback"

programs=$build/bench-programs
"$here/bench/run.py" --build "$build" --compile-only
for name in jacobi-muster jacobi-plain sobel-muster sobel-plain empty-muster empty-plain jacobi-opencl; do
  cp "$programs/$name" "$bundle/bin/"
done
"$build/bin/muster++" -O3 -I"$here/samples/common" "$here"/samples/{sobel/sobel,common/image}.cpp -lpng -ljpeg -o "$bundle/bin/sample-sobel"
"$build/bin/muster++" -O3 "$here/samples/jacobi/jacobi.cpp" -o "$bundle/bin/sample-jacobi"
for sample in sobel jacobi; do
  "$here/scripts/plain-source.sh" "$here/samples/$sample/$sample.cpp" > "$programs/plain-$sample.cpp"
done
clang++-19 -fopenmp -O3 -I"$here/samples/common" "$programs/plain-sobel.cpp" "$here/samples/common/image.cpp" -lpng -ljpeg -o "$bundle/bin/sample-sobel-plain"
clang++-19 -fopenmp -O3 "$programs/plain-jacobi.cpp" -o "$bundle/bin/sample-jacobi-plain"
cp "$build/bin/muster-info" "$bundle/bin/"
cp "$build/bin/muster_cdm_tests" "$bundle/bin/"
cp -L "$build"/lib/libmuster.so* "$build/lib/libmuster-mpi.so" "$bundle/lib/"
for library in libomp.so.5 libpng16.so.16 libjpeg.so.62 libhwloc.so.15; do
  found=$(ldconfig -p | sed -n "s/^.*$library .* => //p" | head -n 1)
  [ -n "$found" ] && cp -L "$found" "$bundle/lib-fallback/$library"
done
photo=$build/photos/bridge.jpg
"$here/scripts/fetch-photo.sh" "$photo" && cp "$photo" "$bundle/photo.jpg"
strip --strip-unneeded "$bundle"/bin/* "$bundle"/lib/*.so* "$bundle"/lib-fallback/*.so* 2>/dev/null || true
du -sh "$bundle"
