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

# All benchmark programs and samples, with Muster and without, and the hand-written rivals.
programs=$build/bench-programs
"$here/bench/run.py" --build "$build" --compile-only
cp "$programs"/*-muster "$programs"/*-plain "$programs"/*-opencl "$bundle/bin/"

both() { # both NAME SOURCE FLAGS...: two more pairs of that kind
  "$build/bin/muster++" -O3 "${@:3}" "$2" -o "$bundle/bin/$1-muster"
  "$here/scripts/plain-source.sh" "$2" > "$programs/plain-$1.cpp"
  clang++-19 -fopenmp -O3 "${@:3}" "$programs/plain-$1.cpp" -o "$bundle/bin/$1-plain"
}
both literal-rows "$here/lit-tests/Exec/private_arrays.cpp"
both group-choices "$here/lit-tests/Exec/group_choices.cpp"
common=-I$here/samples/common
both sample-jacobi "$here/samples/jacobi/jacobi.cpp"
both traveltime "$here/samples/traveltime/traveltime.cpp" "$common"
both mandelbrot "$here/samples/mandelbrot/mandelbrot.cpp" "$common"
both heat3d-large "$here/samples/heat3d/heat3d.cpp" "$common" -DNY=512 -DNX=512
clang++-19 -O3 "$common" -DNY=512 -DNX=512 "$here/bench/rivals/heat3d_opencl.cpp" -lOpenCL -o "$bundle/bin/heat3d-large-opencl"
"$build/bin/muster++" -O3 "$common" "$here"/samples/{sobel/sobel,common/image}.cpp -lpng -ljpeg -o "$bundle/bin/sample-sobel-muster"
"$here/scripts/plain-source.sh" "$here/samples/sobel/sobel.cpp" > "$programs/plain-sample-sobel.cpp"
clang++-19 -fopenmp -O3 "$common" "$programs/plain-sample-sobel.cpp" "$here/samples/common/image.cpp" -lpng -ljpeg -o "$bundle/bin/sample-sobel-plain"

both uneven "$here/bench/programs/uneven.cpp" "-I$here/bench/programs"
both roots "$here/bench/programs/roots.cpp"
both paths "$here/bench/programs/paths.cpp" "$common"
clang++-19 -O3 "$common" "$here/bench/rivals/paths_opencl.cpp" -lOpenCL -o "$bundle/bin/paths-opencl"
clang++-19 -O3 -std=c++20 "$here/bench/rivals/empty_cuda.cpp" -o "$bundle/bin/empty-cuda"
# Their rivals are among those above.
both kinds "$here/bench/programs/kinds.cpp" "$common" "-I$here/bench/programs"
both dense "$here/bench/programs/dense.cpp" "$common" "-I$here/bench/programs"
both dense-fast "$here/bench/programs/dense.cpp" "$common" "-I$here/bench/programs" -ffast-math

for program in loops steps neighbours merge accumulate; do
  "$build/bin/muster++" -O3 -std=c++20 "$here/bench/programs/$program.cpp" -o "$bundle/bin/$program-muster"
done

# An MPI program of its own, and the same by hand; without MPI's C++ bindings.
mpi_compile="$(mpicxx --showme:compile) -DOMPI_SKIP_MPICXX" mpi_link=$(mpicc --showme:link)
# shellcheck disable=SC2086
"$build/bin/muster++" -O3 $mpi_compile "$here/bench/programs/halo.cpp" $mpi_link -o "$bundle/bin/halo-muster"
for program in halo_both halo_rows overlap; do
  source=$here/test/programs/hybrid/$program.cpp
  # shellcheck disable=SC2086
  "$build/bin/muster++" -O2 $mpi_compile "$source" $mpi_link -o "$bundle/bin/$program-muster"
  "$here/scripts/plain-source.sh" "$source" > "$programs/plain-$program.cpp"
  # shellcheck disable=SC2086
  clang++-19 -fopenmp -O2 $mpi_compile "$programs/plain-$program.cpp" $mpi_link -o "$bundle/bin/$program-plain"
done
# shellcheck disable=SC2086
clang++-19 -O3 -std=c++20 $mpi_compile "$here/bench/rivals/halo_mpi.cpp" $mpi_link -lOpenCL -o "$bundle/bin/halo-mpi"

cp "$build/bin/muster-info" "$bundle/bin/"
cp "$build/bin/muster_cdm_tests" "$bundle/bin/"
cp -L "$build"/lib/libmuster.so* "$build/lib/libmuster-mpi.so" "$build/lib/libmuster-mpi-calls.so" "$build/lib/libmuster-openmpi.so" "$build/lib/libmuster_gpu_aware_mpi.so" "$bundle/lib/"
mkdir -p "$bundle/lib/muster" && cp "$build/lib/muster/muster-kernels" "$bundle/lib/muster/"
for library in libomp.so.5 libpng16.so.16 libjpeg.so.62; do
  found=$(ldconfig -p | sed -n "s/^.*$library .* => //p" | head -n 1)
  [ -n "$found" ] && cp -L "$found" "$bundle/lib-fallback/$library"
done
photo=$build/photos/bridge.jpg
"$here/scripts/fetch-photo.sh" "$photo" && cp "$photo" "$bundle/photo.jpg"
strip --strip-unneeded "$bundle"/bin/* "$bundle"/lib/*.so* "$bundle"/lib/muster/* "$bundle"/lib-fallback/*.so* 2>/dev/null || true
du -sh "$bundle"
