#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Collects what it takes to compile with Muster on a machine that has g++ and Open MPI, but no clang and no network
# (scripts/fuzz-remote.sh and toolchain-run.sh run there): clang with its libraries and headers, the plugin, the runtime, the wrappers, the
# tests' sources. Usage: toolchain-bundle.sh BUILD FOLDER. Packing the compiler takes minutes: BUILD keeps it.
set -euo pipefail

build=$(cd "$1" && pwd)
bundle=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
llvm=/usr/lib/llvm-19
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

found() { ldconfig -p | sed -n "s/^.*$1 .* => //p" | head -n 1; }

stub() { # stub SONAME USER PATTERN: a library with nothing behind the symbols that USER needs
  nm -D --undefined-only "$2" | awk '{print $2}' | grep -E "$3" | sed 's/.*/void &(void) {}/' |
    clang-19 -w -x c -shared -fPIC "-Wl,-soname,$1" -o "$stage/clang/needs/$1" -
}

if [ ! -f "$build/clang.tar.xz" ]; then
  mkdir -p "$stage"/clang/{bin,lib/clang/19,needs}
  cp -L "$llvm/bin/clang" "$stage/clang/bin/clang-19"
  cp -rL "$llvm/lib/clang/19/include" "$stage/clang/lib/clang/19/"
  rm "$stage"/clang/lib/clang/19/include/{arm,hexagon,altivec}*
  cp -L "$(found libomp.so.5)" "$stage/clang/lib/libomp.so"
  # libc and the compiler's libraries are that machine's; libxml2 and the like have another version there.
  ldd "$llvm/bin/clang" | awk '$3 ~ "^/" {print $3}' | grep -vE '/(libc|libm|libgcc_s|libstdc\+\+|libz|libz3|libicu[a-z]*)\.so' |
    xargs -I{} cp -L {} "$stage/clang/needs/"
  # Linked but never called by a compiler, and a quarter of the bundle: ICU (libxml2's) and Z3 (the static analyzer's).
  stub libicuuc.so.72 "$stage"/clang/needs/libxml2.so.2 _72
  stub libz3.so.4 "$stage"/clang/needs/libLLVM.so.19.1 ^Z3_
  chmod u+w "$stage"/clang/needs/* && strip --strip-unneeded "$stage"/clang/needs/*
  tar -C "$stage" -c clang | xz -8 > "$build/clang.tar.xz.part"
  mv "$build/clang.tar.xz.part" "$build/clang.tar.xz"
fi

mkdir -p "$stage"/muster/{bin,lib/muster,needs}
cp "$build/lib/muster/muster-kernels" "$stage/muster/lib/muster/"
cp "$build"/bin/muster++ "$build"/bin/musterc "$build"/bin/muster-info "$stage/muster/bin/"
cp -L "$build"/lib/libmuster.so* "$build"/lib/libmuster-{mpi,plugin}.so "$stage/muster/lib/"
cp -rL "$build/include" "$stage/muster/"
for library in libomp.so.5; do cp -L "$(found $library)" "$stage/muster/needs/$library"; done
strip --strip-unneeded "$stage"/muster/lib/*.so* "$stage"/muster/lib/muster/* "$stage"/muster/needs/*
cp "$(clang-19 -print-libgcc-file-name)" "$stage/muster/needs/libgcc.a"
cp -r "$here/lit-tests" "$stage/muster/" && mkdir "$stage/muster/test" && cp -r "$here/test/fuzz" "$stage/muster/test/"

mkdir -p "$bundle"
cp "$build/clang.tar.xz" "$bundle/"
tar -C "$stage" -c muster | xz -6 > "$bundle/muster.tar.xz"
cp "$here"/scripts/{fuzz-remote,toolchain-setup,toolchain-run}.sh "$bundle/"
du -sh "$bundle"/*
