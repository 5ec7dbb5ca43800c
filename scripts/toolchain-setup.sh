# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# To be sourced: unpacks what toolchain-bundle.sh packed in the folder $bundle into the folder $work, and sets PATH and
# LD_LIBRARY_PATH so that clang-19 and clang++-19 work, and Muster's wrappers in $work/muster/bin with them.
mkdir -p "$work/run"
tar -C "$work" -xf "$bundle/clang.tar.xz"
tar -C "$work" -xf "$bundle/muster.tar.xz"
compilers() { # compilers FLAGS: only the compiler sees the libraries that it brings
  for language in "" ++; do
    printf '#!/bin/sh\nLD_LIBRARY_PATH=%s exec %s --driver-mode=%s "$@" %s\n' "$work/clang/needs" "$work/clang/bin/clang-19" \
      "$([ -n "$language" ] && echo g++ || echo gcc)" "$1" > "$work/run/clang$language-19"
  done
  chmod +x "$work"/run/*
}
compilers ""
# Conversions to half precision are functions that libgcc has from GCC 12 on.
echo 'int main(int n, char **a) { return (int)(_Float16)(n * 1.5); }' > "$work/half.c"
"$work/run/clang-19" "$work/half.c" -o "$work/half" 2> /dev/null || compilers "-Wno-unused-command-line-argument -Wl,$work/muster/needs/libgcc.a"
mkdir "$work/lib"
for library in "$work"/muster/needs/*; do  # what this machine has itself fits its other libraries better
  ldconfig -p | grep -q "$(basename "$library") " || cp "$library" "$work/lib/"
done
export PATH=$work/run:$PATH LD_LIBRARY_PATH=$work/lib:${LD_LIBRARY_PATH:-} MUSTER_CACHE_DIR=$work/cache TMPDIR=$work
nvidia=/usr/local/nvidia/lib64/libnvidia-opencl.so.1
[ ! -e "$nvidia" ] || { mkdir -p /etc/OpenCL/vendors && echo "$nvidia" > /etc/OpenCL/vendors/nvidia.icd; }
