#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# muster++, musterc, the installed tree, find_package(Muster) and muster.pc, as a user meets them. Usage: wrapper_test.sh BUILD WORK
set -euo pipefail

build=$(cd "$1" && pwd)
rm -rf "$2"
mkdir -p "$2"
work=$(cd "$2" && pwd)
cd "$work"

failures=0
check() { # check LABEL command...: the command must succeed
  local label=$1
  shift
  if "$@" > "$work/log" 2>&1; then echo "ok   $label"; else echo "FAIL $label"; cat "$work/log"; failures=$((failures + 1)); fi
}
quiet() { # the command must succeed and say nothing
  "$@" > "$work/quiet" 2>&1 && [ ! -s "$work/quiet" ] || { cat "$work/quiet"; return 1; }
}
prints() { # prints TEXT command...
  local text=$1
  shift
  [ "$("$@")" = "$text" ]
}

cat > prog.cpp <<'SRC'
#include <cstdio>
#include "part.h"
#ifndef __MUSTER__
#error the plugin is not active
#endif
int main() {
  const int n = 1000;
  #pragma omp managed(a)
  double *a = new double[n];
  #pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = part(i);
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i];
  printf("%.0f\n", sum);
  delete[] a;
}
SRC
echo 'inline double part(int i) { return 2.0 * i; }' > part.h
cat > prog.c <<'SRC'
#include <stdio.h>
#include <stdlib.h>
#ifndef __MUSTER__
#error the plugin is not active
#endif
int main(void) {
  int i, n = 1000;
  #pragma omp managed(a)
  double *a = malloc(n * sizeof *a), sum = 0;
  #pragma omp parallel for
  for (i = 0; i < n; ++i) a[i] = 2.0 * i;
  for (i = 0; i < n; ++i) sum += a[i];
  printf("%.0f\n", sum);
  free(a);
  return 0;
}
SRC
expected=999000

tree() { # all that must work with the tree at PREFIX
  local mpp=$1/bin/muster++ name=$2
  check "$name: compile and link in one step" "$mpp" prog.cpp -o one
  check "$name: the program runs" prints $expected ./one
  check "$name: -c says nothing" quiet "$mpp" -Wall -c prog.cpp -o prog.o
  check "$name: linking says nothing" quiet "$mpp" prog.o -o two
  check "$name: the linked program runs" prints $expected ./two
  check "$name: -S" quiet "$mpp" -S prog.cpp -o prog.s
  check "$name: -S -emit-llvm" quiet "$mpp" -S -emit-llvm prog.cpp -o prog.ll
  check "$name: -c -emit-llvm" quiet "$mpp" -c -emit-llvm prog.cpp -o prog.bc
  check "$name: -MD" quiet "$mpp" -MD -MF prog.d -c prog.cpp -o prog.o
  check "$name: -MD names the header" grep -q 'part\.h' prog.d
  check "$name: source from standard input" bash -c '"$1" -x c++ - -o from_stdin < prog.cpp' - "$mpp"
  check "$name: and it runs" prints $expected ./from_stdin
  check "$name: -fsyntax-only" quiet "$mpp" -fsyntax-only prog.cpp
  for level in 0 1 2 3; do
    check "$name: -O$level -g" quiet "$mpp" "-O$level" -g prog.cpp -o three
    check "$name: -O$level -g runs" prints $expected ./three
  done
}
c_tree() { # the same for C
  local mc=$1/bin/musterc name=$2
  check "$name: C: compile and link in one step" "$mc" prog.c -o one_c
  check "$name: C: the program runs" prints $expected ./one_c
  for standard in c99 c11 c17 c23 gnu17; do
    check "$name: C: -std=$standard says nothing" quiet "$mc" -std=$standard -pedantic -Wall -Wextra -c prog.c -o prog_c.o
  done
  check "$name: C: linking says nothing" quiet "$mc" prog_c.o -o two_c
  check "$name: C: the linked program runs" prints $expected ./two_c
  check "$name: C: muster++ links C objects" "$1/bin/muster++" prog_c.o -o three_c
  check "$name: C: and they run" prints $expected ./three_c
}
tree "$build" build
c_tree "$build" build

check "cmake --install" cmake --install "$build" --prefix "$work/installed"
paged() { # each installed command has a man page that names each option which the command's help names
  local command name option
  for command in "$1"/bin/*; do
    name=${command##*/}
    [ -f "$1/share/man/man1/$name.1" ] || { echo "docs/man/$name.1.in is missing"; return 1; }
    case $name in muster++ | musterc) continue ;; esac  # whose help is clang's
    for option in $("$command" --help | grep -o -- '^ *-.*' | grep -o -- '--[a-z][a-z-]*'); do
      sed 's/\\-/-/g' "$1/share/man/man1/$name.1" | grep -q -- "$option" || { echo "$name.1 lacks $option"; return 1; }
    done
  done
}
check "man pages" paged "$work/installed"
tree "$work/installed" installed
c_tree "$work/installed" installed
mv "$work/installed" "$work/moved place"
tree "$work/moved place" moved

prefix="$work/moved place"
check "--showme names the compiler" bash -c '"$1/bin/muster++" --showme | grep -q "^clang++"' - "$prefix"
check "musterc --showme names the compiler" bash -c '"$1/bin/musterc" --showme | grep -q "^clang-"' - "$prefix"
check "musterc names itself" bash -c '"$1/bin/musterc" --showme:version | grep -q "^musterc "' - "$prefix"
check "--showme:link" bash -c '"$1/bin/muster++" --showme:link | grep -q -- -lmuster' - "$prefix"
check "--showme:compile" bash -c '"$1/bin/muster++" --showme:compile | grep -q -- -fplugin' - "$prefix"
check "unknown --showme fails" bash -c '! "$1/bin/muster++" --showme:nothing' - "$prefix"

mkdir project
cp prog.cpp part.h project/
cat > project/CMakeLists.txt <<'SRC'
cmake_minimum_required(VERSION 3.25)
project(User CXX)
find_package(Muster REQUIRED)
add_executable(user prog.cpp)
muster_enable(user)
SRC
check "find_package: configure" cmake -S project -B project/build -DCMAKE_CXX_COMPILER=clang++-19 -DMuster_DIR="$prefix/lib/cmake/Muster"
check "find_package: build" cmake --build project/build
check "find_package: run" prints $expected project/build/user

mkdir project_c
cp prog.c project_c/
cat > project_c/CMakeLists.txt <<'SRC'
cmake_minimum_required(VERSION 3.25)
project(User C)
find_package(Muster REQUIRED)
add_executable(user prog.c)
muster_enable(user)
SRC
check "find_package: C: configure" cmake -S project_c -B project_c/build -DCMAKE_C_COMPILER=clang-19 -DMuster_DIR="$prefix/lib/cmake/Muster"
check "find_package: C: build" cmake --build project_c/build
check "find_package: C: run" prints $expected project_c/build/user
check "find_package: C: another compiler is refused" bash -c '! cmake -S project_c -B project_c/gcc -DCMAKE_C_COMPILER=gcc "-DMuster_DIR=$1/lib/cmake/Muster"' - "$prefix"
check "find_package: another compiler is refused" bash -c '! cmake -S project -B project/gcc -DCMAKE_CXX_COMPILER=g++ "-DMuster_DIR=$1/lib/cmake/Muster"' - "$prefix"

mv "$prefix" "$work/plain-name"  # pkg-config's words do not survive a blank in the path
export PKG_CONFIG_PATH=$work/plain-name/lib/pkgconfig
check "muster.pc: build" bash -c 'clang++-19 $(pkg-config --cflags muster) prog.cpp $(pkg-config --libs muster) -o pc'
check "muster.pc: run" prints $expected ./pc
check "muster.pc: C: build" bash -c 'clang-19 $(pkg-config --cflags muster) prog.c $(pkg-config --libs muster) -o pc_c'
check "muster.pc: C: run" prints $expected ./pc_c

echo "$failures failure(s)"
exit $((failures > 0))
