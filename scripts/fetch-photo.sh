#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Puts the demo's photograph at the path given: "Bridge" by Sander Klootwijk, 4352 x 2448, CC-BY-SA-4.0, from
# Debian's package lomiri-wallpapers-16.04. Needs no root: the package is unpacked, not installed.
set -euo pipefail

target=$1
[ -s "$target" ] && exit 0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
if ! apt-get download lomiri-wallpapers-16.04 >log 2>&1; then
  cat log >&2
  echo "muster: cannot fetch the demo's photograph; run 'apt-get update' as root and try again," >&2
  echo "        or give one of your own: make demo PHOTO=/path/to/photo.jpg" >&2
  exit 1
fi
dpkg-deb -x lomiri-wallpapers-16.04_*.deb .
photo=$(find . -name 'Bridge_by_Sander_Klootwijk.jpg' | head -n 1)
[ -n "$photo" ] || { echo "muster: the package holds no Bridge_by_Sander_Klootwijk.jpg any more" >&2; exit 1; }
mkdir -p "$(dirname "$target")"
cp "$photo" "$target.tmp" && mv "$target.tmp" "$target"
