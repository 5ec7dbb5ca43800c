#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs the Debian packages of scripts/packages.txt, and of further lists that are named, that are missing. Needs root
# or sudo only if something is.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mapfile -t wanted < <(cat "$here/packages.txt" "$@" | grep -v '^#')

missing=()
for package in "${wanted[@]}"; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "muster: all packages are installed"
  exit 0
fi

if ! command -v apt-get >/dev/null; then
  echo "muster: these packages are missing, and this is not a Debian system: ${missing[*]}" >&2
  exit 1
fi
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "muster: run as root, or install these packages first: ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi
echo "muster: installing ${missing[*]}"
"${as_root[@]}" apt-get update
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"
