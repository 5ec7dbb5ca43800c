#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs the Debian packages of `make packages` in a clean Debian 12 (a chroot in WORK, made by debootstrap) with what
# they depend on, and there compiles and runs the README's first program as an ordinary user. Needs root, debootstrap
# and 3 GB. Usage: check-packages.sh [BUILD [WORK]]. The bare system stays in WORK/base for the next run.
set -euo pipefail

source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$(cd "${1:-$source/build}" && pwd)
mkdir -p "${2:-$build/packages-check}"
work=$(cd "${2:-$build/packages-check}" && pwd)
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
root=$work/root

[ "$(id -u)" -eq 0 ] || { echo "$0: chroot needs root" >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "$0: install debootstrap" >&2; exit 1; }
[ "$(ls "$build"/packages/*.deb 2>/dev/null | wc -l)" -eq 4 ] || { echo "$0: $build/packages has not four packages: run 'make packages'" >&2; exit 1; }

echo "== A clean Debian 12"
if [ ! -e "$work/base.done" ]; then
  rm -rf "$work/base"
  debootstrap --variant=minbase bookworm "$work/base" "$mirror" > "$work/debootstrap.log"
  touch "$work/base.done"
fi
cleanup() { umount "$root/proc" "$root/dev/shm" 2>/dev/null || true; }
trap cleanup EXIT
cleanup
rm -rf "$root"
cp -a "$work/base" "$root"
mount -t proc proc "$root/proc"
mkdir -p "$root/dev/shm"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"  # libomp and Open MPI keep files there
printf '#!/bin/sh\nexit 101\n' > "$root/usr/sbin/policy-rc.d"  # no services in a chroot
chmod +x "$root/usr/sbin/policy-rc.d"
mkdir "$root/packages"
cp "$build"/packages/*.deb "$root/packages/"
in_root() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
as_user() { chroot "$root" su -s /bin/bash user -c "cd && $1"; }

echo "== Install the packages"
in_root bash -c 'apt-get update && apt-get install -y --no-install-recommends /packages/*.deb' > "$work/install.log" 2>&1 \
  || { tail -n 30 "$work/install.log"; exit 1; }
in_root dpkg-query -W -f '${Package} ${Version} ${db:Status-Status}, ${Installed-Size} KiB\n' muster libmuster1 libmuster-dev muster-doc
in_root bash -c 'dpkg -V muster libmuster1 libmuster-dev muster-doc'

echo "== The README's first program, as an ordinary user"
in_root useradd --create-home user
awk '/^```cpp$/ { inside = 1; next } /^```$/ { if (inside) exit } inside' "$source/README.md" > "$root/home/user/first.cpp"
grep -q 'int main' "$root/home/user/first.cpp" || { echo "$0: README.md has no first program" >&2; exit 1; }
as_user 'muster++ -O3 first.cpp -o first'
result=$(as_user './first')
echo "$result"
plain=$(as_user 'sed "s/omp managed/ompx managed/" first.cpp > plain.cpp && clang++-19 -fopenmp -O3 plain.cpp -o plain && ./plain')
[ "$result" = "$plain" ] || { echo "$0: the plain program prints $plain" >&2; exit 1; }
as_user 'MUSTER_INFO=1 MUSTER_TUNE=off ./first' 2>&1 | tee "$work/info.log"
grep -q 'what this run did' "$work/info.log"

echo "== muster-info, C, pkg-config, and two ranks"
as_user 'muster-info --quick && muster-info --version'
as_user 'ldd first | grep libmuster.so.1'
as_user 'printf "int main(void) {\n  int i;\n#pragma omp managed(a)\n  static double a[1000];\n#pragma omp parallel for\n  for (i = 0; i < 1000; i++) a[i] = i;\n  return a[999] != 999;\n}\n" > c.c && musterc -O2 c.c -o c && ./c'
in_root apt-get install -y --no-install-recommends openmpi-bin openssh-client pkg-config >> "$work/install.log" 2>&1
as_user 'clang++-19 $(pkg-config --cflags muster) first.cpp $(pkg-config --libs muster) -o first-pc && ./first-pc'
as_user 'MUSTER_TUNE=off MUSTER_INFO=1 mpirun -n 2 --oversubscribe --bind-to none ./first' 2>&1 | tee "$work/ranks.log"
grep -q 'rank 1' "$work/ranks.log"

echo "== Take them away"
in_root apt-get remove -y --purge muster libmuster1 libmuster-dev muster-doc >> "$work/install.log" 2>&1
[ -z "$(find "$root/usr" -iname '*muster*' -print -quit)" ] || { find "$root/usr" -iname '*muster*'; exit 1; }
echo "packages: installed, compiled and ran the first program, removed"
