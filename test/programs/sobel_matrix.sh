#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The Sobel sample on a generated picture, compared with its plain build.
# Usage: sobel_matrix.sh ROOT BUILD WORK [options of run_matrix.py]
set -euo pipefail

root=$1 build=$2 work=$3
shift 3
rm -rf "$work"
mkdir -p "$work"
python3 - "$work/picture.png" <<'PY'
import struct, sys, zlib
width, height = 317, 211  # odd sizes: uneven splits
rows = b"".join(b"\0" + bytes(((x * x + y * y * 3) // 7 + (x ^ y) * 5) % 256 for x in range(width)) for y in range(height))
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
with open(sys.argv[1], "wb") as out:
    out.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
              + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
PY
exec python3 "$root/test/programs/run_matrix.py" --build "$build" --work "$work/matrix" "$@" --compare edges.png \
  --flags="-O2 -I$root/samples/common -lpng -ljpeg" "$root/samples/sobel/sobel.cpp" "$root/samples/common/image.cpp" -- "$work/picture.png" "{out}/edges.png" 3
